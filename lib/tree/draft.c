/*
 * Slots and columns of the draft. `cap` is the number of slots that all columns
 * can hold; a single column may have more memory. Growth may therefore stop
 * half way without harm.
 */
#include "tree/draft.h"

#include <string.h>

static void fill_rest(int64_t *at, size_t n, int64_t rest)
{
    for (size_t i = 0; i < n; i++) at[i] = rest;
}

/* `each`: the number of values per slot. */
static int column_ensure(skedi_column *column, skedi_mem *mem, size_t cap,
                         size_t each, int64_t rest)
{
    if (column->cap >= cap) return 1;

    int64_t *at = skedi_grow(mem, column->at, column->cap, cap,
                             each * sizeof *at);
    if (!at) return 0;
    fill_rest(at + column->cap * each, (cap - column->cap) * each, rest);
    column->at = at;
    column->cap = cap;
    return 1;
}

static int64_t number_rest(uint32_t index)
{
    return skedi_attr_rest(skedi_attr_at(index));
}

static int64_t amount_rest(uint32_t index)
{
    return skedi_attr_rest(skedi_attr_at(SKEDI_NUMBERS + index));
}

int skedi_draft_number_ensure(skedi_draft *draft, skedi_mem *mem,
                              uint32_t index)
{
    return column_ensure(&draft->number[index], mem, draft->cap, 1,
                         number_rest(index));
}

int skedi_draft_amount_ensure(skedi_draft *draft, skedi_mem *mem,
                              uint32_t index)
{
    return column_ensure(&draft->amount[index], mem, draft->cap, draft->kinds,
                         amount_rest(index));
}

static int columns_grow(skedi_draft *draft, skedi_mem *mem, size_t cap)
{
    for (uint32_t i = 0; i < SKEDI_NUMBERS; i++) {
        skedi_column *column = &draft->number[i];
        if (!column->at) continue;
        if (!column_ensure(column, mem, cap, 1, number_rest(i))) return 0;
    }
    for (uint32_t i = 0; i < SKEDI_AMOUNTS; i++) {
        skedi_column *column = &draft->amount[i];
        if (!column->at) continue;
        if (!column_ensure(column, mem, cap, draft->kinds, amount_rest(i))) {
            return 0;
        }
    }
    return 1;
}

int skedi_draft_ensure(skedi_draft *draft, skedi_mem *mem, size_t cap)
{
    if (cap <= draft->cap) return 1;

    /* A queue with a changed name or parent has two table entries. */
    if (!skedi_names_ensure(&draft->names, mem, cap * 2)) return 0;
    if (!columns_grow(draft, mem, cap)) return 0;
    skedi_slot *slot = skedi_grow(mem, draft->slot, draft->cap, cap,
                                  sizeof *slot);
    if (!slot) return 0;
    draft->slot = slot;
    draft->cap = cap;
    return 1;
}

uint32_t skedi_draft_slot(const skedi_draft *draft, sked_queue_id id)
{
    uint32_t slot = (uint32_t)id;

    if (slot >= draft->n_slots) return SKEDI_NO_SLOT;
    const skedi_slot *q = &draft->slot[slot];
    int live = q->flags & SKEDI_SLOT_LIVE && q->generation == id >> 32;
    return live ? slot : SKEDI_NO_SLOT;
}

static void slot_rest(skedi_draft *draft, uint32_t slot)
{
    for (uint32_t i = 0; i < SKEDI_NUMBERS; i++) {
        if (draft->number[i].at) draft->number[i].at[slot] = number_rest(i);
    }
    for (uint32_t i = 0; i < SKEDI_AMOUNTS; i++) {
        int64_t *at = draft->amount[i].at;
        if (!at) continue;
        fill_rest(at + (size_t)slot * draft->kinds, draft->kinds,
                  amount_rest(i));
    }
}

uint32_t skedi_draft_take(skedi_draft *draft)
{
    uint32_t slot = draft->free, generation = 1;

    if (slot == SKEDI_NO_SLOT) {
        slot = draft->n_slots++;
    } else {
        generation = draft->slot[slot].generation;
        draft->free = draft->slot[slot].next;
        slot_rest(draft, slot);
    }
    skedi_slot *q = &draft->slot[slot];
    uint32_t touched = q->touched, touched_next = q->touched_next;
    *q = (skedi_slot){
        .generation = generation,
        .parent = SKEDI_NO_SLOT,
        .first = SKEDI_NO_SLOT,
        .last = SKEDI_NO_SLOT,
        .next = SKEDI_NO_SLOT,
        .prev = SKEDI_NO_SLOT,
        .touched = touched,
        .touched_next = touched_next,
        .flags = SKEDI_SLOT_LIVE,
    };
    draft->n++;
    return slot;
}

void skedi_draft_give(skedi_draft *draft, uint32_t slot)
{
    skedi_slot *q = &draft->slot[slot];

    q->flags = 0;
    if (q->generation == UINT32_MAX) return; /* never reuse an id */
    q->generation++;
    q->next = draft->free;
    draft->free = slot;
}

void skedi_draft_link(skedi_draft *draft, uint32_t slot, uint32_t parent)
{
    skedi_slot *q = &draft->slot[slot], *p = &draft->slot[parent];

    q->parent = parent;
    q->prev = p->last;
    q->next = SKEDI_NO_SLOT;
    if (p->last == SKEDI_NO_SLOT) {
        p->first = slot;
    } else {
        draft->slot[p->last].next = slot;
    }
    p->last = slot;
    p->n_children++;
}

void skedi_draft_unlink(skedi_draft *draft, uint32_t slot)
{
    skedi_slot *q = &draft->slot[slot], *p = &draft->slot[q->parent];

    if (q->prev == SKEDI_NO_SLOT) {
        p->first = q->next;
    } else {
        draft->slot[q->prev].next = q->next;
    }
    if (q->next == SKEDI_NO_SLOT) {
        p->last = q->prev;
    } else {
        draft->slot[q->next].prev = q->prev;
    }
    p->n_children--;
}

void skedi_draft_touch(skedi_draft *draft, uint32_t slot, uint32_t what)
{
    skedi_slot *q = &draft->slot[slot];

    if (!q->touched) {
        q->touched_next = draft->touched;
        draft->touched = slot;
        draft->n_touched++;
    }
    q->touched |= what;
}

void skedi_draft_untouch(skedi_draft *draft)
{
    for (uint32_t s = draft->touched; s != SKEDI_NO_SLOT;
         s = draft->slot[s].touched_next) {
        draft->slot[s].touched = 0;
    }
    draft->touched = SKEDI_NO_SLOT;
    draft->n_touched = 0;
    draft->reshaped = 0;
}

uint32_t skedi_draft_next(const skedi_draft *draft, uint32_t top, uint32_t slot,
                          int over)
{
    const skedi_slot *at = draft->slot;

    if (!over && at[slot].first != SKEDI_NO_SLOT) return at[slot].first;
    while (slot != top) {
        if (at[slot].next != SKEDI_NO_SLOT) return at[slot].next;
        slot = at[slot].parent;
    }
    return SKEDI_NO_SLOT;
}

static int column_copy(skedi_column *into, skedi_mem *mem,
                       const skedi_column *from, size_t each)
{
    if (!from->at) return 1;
    int64_t *at = skedi_new(mem, from->cap, each * sizeof *at);
    if (!at) return 0;
    memcpy(at, from->at, from->cap * each * sizeof *at);
    into->at = at;
    into->cap = from->cap;
    return 1;
}

static int columns_copy(skedi_draft *into, skedi_mem *mem,
                        const skedi_draft *from)
{
    for (uint32_t i = 0; i < SKEDI_NUMBERS; i++) {
        if (!column_copy(&into->number[i], mem, &from->number[i], 1)) return 0;
    }
    for (uint32_t i = 0; i < SKEDI_AMOUNTS; i++) {
        if (!column_copy(&into->amount[i], mem, &from->amount[i],
                         from->kinds)) {
            return 0;
        }
    }
    return 1;
}

int skedi_draft_copy(skedi_draft *into, skedi_mem *mem, const skedi_draft *from)
{
    skedi_draft copy = *from;

    copy.names = (skedi_names){0};
    memset(copy.number, 0, sizeof copy.number);
    memset(copy.amount, 0, sizeof copy.amount);
    copy.slot = skedi_new(mem, from->cap, sizeof *copy.slot);
    if (copy.slot) {
        memcpy(copy.slot, from->slot, from->n_slots * sizeof *copy.slot);
    }
    if (!copy.slot || !skedi_names_copy(&copy.names, mem, &from->names) ||
        !columns_copy(&copy, mem, from)) {
        skedi_draft_free(&copy, mem);
        return 0;
    }
    *into = copy;
    return 1;
}

void skedi_draft_free(skedi_draft *draft, skedi_mem *mem)
{
    skedi_names_free(&draft->names, mem);
    for (uint32_t i = 0; i < SKEDI_NUMBERS; i++) {
        skedi_column *column = &draft->number[i];
        skedi_free(mem, column->at, column->cap, sizeof *column->at);
    }
    for (uint32_t i = 0; i < SKEDI_AMOUNTS; i++) {
        skedi_column *column = &draft->amount[i];
        skedi_free(mem, column->at, column->cap,
                   draft->kinds * sizeof *column->at);
    }
    skedi_free(mem, draft->slot, draft->cap, sizeof *draft->slot);
    *draft = (skedi_draft){0};
}
