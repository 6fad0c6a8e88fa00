/*
 * Memory of a handle. A computation takes all its memory before it begins, so a
 * lack of memory cannot stop a computation half way.
 */
#include <string.h>

#include "share/handle.h"

/* Replaces a block that is too small by a new block; the old contents are lost.
 */
static int renew(skedi_mem *mem, void **block, size_t *cap, size_t want,
                 size_t size)
{
    if (want <= *cap) return 1;
    void *next = skedi_new(mem, want, size);
    if (!next) return 0;
    skedi_free(mem, *block, *cap, size);
    *block = next;
    *cap = want;
    return 1;
}

/* The same, but the contents of the block are copied. */
static int extend(skedi_mem *mem, void **block, size_t *cap, size_t want,
                  size_t size)
{
    if (want <= *cap) return 1;
    void *next = skedi_grow(mem, *block, *cap, want, size);
    if (!next) return 0;
    *block = next;
    *cap = want;
    return 1;
}

int skedi_share_make_rows(sked_share *share, const skedi_share_size *size)
{
    skedi_mem *mem = &share->hooks.mem;
    skedi_share_rows *rows = &share->rows[!share->now_rows];

    return skedi_share_shape_ensure(&rows->memory, mem, size->queues) &&
           renew(mem, (void **)&rows->id, &rows->cap, size->queues,
                 sizeof *rows->id) &&
           renew(mem, (void **)&rows->row_of, &rows->slot_cap, size->slots,
                 sizeof *rows->row_of);
}

static int make_results(sked_share *share, const skedi_share_size *size)
{
    skedi_mem *mem = &share->hooks.mem;
    skedi_share_results *r = &share->results[!share->now_results];

    return renew(mem, (void **)&r->share, &r->cells, size->queues * size->kinds,
                 sizeof *r->share) &&
           renew(mem, (void **)&r->state, &r->states,
                 size->families * size->kinds, sizeof *r->state);
}

/* Memory for computing by change; holds the pending work. */
static int make_changes(sked_share *share, const skedi_share_size *size)
{
    skedi_mem *mem = &share->hooks.mem;
    int alone = share->options.rounding == SKED_APPORTION_PREFIX &&
                share->options.scope == SKED_SHARE_SCOPE_KINDS;
    size_t rise = alone ? size->queues * size->kinds : 0;

    return extend(mem, (void **)&share->rise, &share->rise_cap, rise,
                  sizeof *share->rise) &&
           extend(mem, (void **)&share->todo, &share->todo_cap, size->families,
                  sizeof *share->todo) &&
           renew(mem, (void **)&share->undo, &share->undo_cap, size->families,
                 sizeof *share->undo) &&
           renew(mem, (void **)&share->changed, &share->changed_cap,
                 size->queues / 8 + 64, sizeof *share->changed) &&
           skedi_marks_reserve(mem, &share->up, size->families) &&
           skedi_marks_reserve(mem, &share->down, size->families);
}

static int make_families(sked_share *share, size_t widest)
{
    skedi_mem *mem = &share->hooks.mem;

    if (widest <= share->widest) return 1;
    for (uint32_t i = 0; i < share->lanes; i++) {
        skedi_family_memory next;
        if (!skedi_family_memory_make(&next, mem, widest)) return 0;
        next.levels = share->memory[i].levels;
        next.fill.stats = share->memory[i].fill.stats;
        skedi_family_memory_free(&share->memory[i], mem);
        share->memory[i] = next;
    }
    share->widest = widest;
    return 1;
}

static int make_dominant(sked_share *share, const skedi_share_size *size)
{
    return share->options.scope != SKED_SHARE_SCOPE_DOMINANT ||
           skedi_dominant_ensure(&share->dominant, &share->hooks.mem,
                                 size->queues, size->kinds);
}

int skedi_share_memory_make(sked_share *share, const skedi_share_size *size)
{
    skedi_mem *mem = &share->hooks.mem;
    size_t idle = share->model.model == SKED_SHARE_MODEL_INSTANTANEOUS
                      ? size->queues
                      : 0;
    size_t parts = size->parted ? 2 * size->queues * size->kinds : 0;

    return make_results(share, size) && make_changes(share, size) &&
           make_families(share, size->widest) && make_dominant(share, size) &&
           extend(mem, (void **)&share->row_state, &share->state_cap, idle,
                  sizeof *share->row_state) &&
           extend(mem, (void **)&share->resolved, &share->resolved_cap, parts,
                  sizeof *share->resolved);
}

/* Copies the rows and results in force to the other place. The other place is
 * large enough. */
static void change_places(sked_share *share)
{
    const skedi_share_rows *from = &share->rows[share->now_rows];
    skedi_share_rows *to = &share->rows[!share->now_rows];
    const skedi_share_results *old = &share->results[share->now_results];
    skedi_share_results *next = &share->results[!share->now_results];
    const skedi_share_shape *shape = &from->shape;
    size_t n = shape->n, families = shape->n_families, kinds = from->kinds;

    memcpy(to->memory.families, from->memory.families,
           families * sizeof *to->memory.families);
    memcpy(to->memory.family, from->memory.family,
           n * sizeof *to->memory.family);
    memcpy(to->memory.member, from->memory.member,
           n * sizeof *to->memory.member);
    memcpy(to->id, from->id, n * sizeof *to->id);
    memcpy(to->row_of, from->row_of, from->n_slots * sizeof *to->row_of);
    memcpy(next->share, old->share, n * kinds * sizeof *next->share);
    if (old->state) {
        memcpy(next->state, old->state, families * kinds * sizeof *next->state);
    }
    to->shape = *shape;
    to->shape.families = to->memory.families;
    to->shape.family = to->memory.family;
    to->shape.member = to->memory.member;
    to->n_slots = from->n_slots;
    to->kinds = from->kinds;
    to->shape_key = from->shape_key;
    share->now_rows = !share->now_rows;
    share->now_results = !share->now_results;
}

int skedi_share_make_all(sked_share *share, const skedi_share_size *size)
{
    const skedi_share_rows *rows = skedi_share_rows_seen(share);
    skedi_share_size most = *size;

    if (share->any) { /* at least the present sizes */
        if (rows->shape.n > most.queues) most.queues = rows->shape.n;
        if (rows->n_slots > most.slots) most.slots = rows->n_slots;
        if (rows->kinds > most.kinds) most.kinds = rows->kinds;
        most.families = most.queues;
    }
    if (!skedi_share_make_rows(share, &most) ||
        !skedi_share_memory_make(share, &most)) {
        return 0;
    }
    if (share->any) {
        change_places(share);
    } else {
        share->now_rows = !share->now_rows;
        share->now_results = !share->now_results;
    }
    return skedi_share_make_rows(share, &most) &&
           skedi_share_memory_make(share, &most);
}

/* Memory for what is replaced in the results in force. */
int skedi_share_make_undo(sked_share *share)
{
    const skedi_share_rows *rows = skedi_share_rows_seen(share);
    skedi_share_size size = {
        .queues = rows->shape.n,
        .families = rows->shape.n_families,
        .kinds = rows->kinds,
    };

    return make_results(share, &size);
}

static void drop_pair(sked_share *share, int which)
{
    skedi_mem *mem = &share->hooks.mem;
    skedi_share_rows *rows = &share->rows[which];
    skedi_share_results *results = &share->results[which];

    skedi_share_shape_free(&rows->memory, mem);
    skedi_free(mem, rows->id, rows->cap, sizeof *rows->id);
    skedi_free(mem, rows->row_of, rows->slot_cap, sizeof *rows->row_of);
    skedi_free(mem, results->share, results->cells, sizeof *results->share);
    skedi_free(mem, results->state, results->states, sizeof *results->state);
}

void skedi_share_memory_drop(sked_share *share)
{
    skedi_mem *mem = &share->hooks.mem;

    drop_pair(share, 0);
    drop_pair(share, 1);
    for (uint32_t i = 0; i < share->lanes; i++) {
        skedi_family_memory_free(&share->memory[i], mem);
    }
    skedi_dominant_free(&share->dominant, mem);
    skedi_free(mem, share->row_state, share->state_cap, 1);
    skedi_free(mem, share->resolved, share->resolved_cap,
               sizeof *share->resolved);
    skedi_free(mem, share->rise, share->rise_cap, sizeof *share->rise);
    skedi_free(mem, share->todo, share->todo_cap, sizeof *share->todo);
    skedi_free(mem, share->undo, share->undo_cap, sizeof *share->undo);
    skedi_free(mem, share->changed, share->changed_cap, sizeof *share->changed);
    skedi_marks_free(mem, &share->up);
    skedi_marks_free(mem, &share->down);
}
