/*
 * A family's bounds and their sums.
 *
 * Bounds are never stored. Each computation makes the bounds from the columns,
 * into memory for one family that stays in the nearest cache. The computation
 * is cheaper than the memory traffic of stored bounds, and no stored value can
 * become stale. A default column is a short constant column, and the loops need
 * no tests.
 */
#include "share/family.h"

#include <string.h>

/* ---- Memory ---- */

enum { WORDS_A_CHILD = 9, HALVES_A_CHILD = 4 };

static size_t family_bytes(size_t widest)
{
    return widest * (WORDS_A_CHILD * sizeof(int64_t) +
                     HALVES_A_CHILD * sizeof(uint32_t));
}

static void family_lay_out(skedi_family_memory *memory, size_t widest)
{
    int64_t *at = memory->block;
    int64_t **words[WORDS_A_CHILD] = {
        &memory->lo,   &memory->hi,    &memory->hard,
        &memory->wide, &memory->gap,   &memory->part,
        &memory->made, &memory->zeros, &memory->unlimited,
    };
    uint32_t **halves[HALVES_A_CHILD] = {
        &memory->ones,
        &memory->weight,
        &memory->order,
        &memory->order_scratch,
    };

    for (size_t i = 0; i < WORDS_A_CHILD; i++, at += widest) *words[i] = at;
    uint32_t *half = (uint32_t *)(void *)at;
    for (size_t i = 0; i < HALVES_A_CHILD; i++, half += widest) {
        *halves[i] = half;
    }
    for (size_t i = 0; i < widest; i++) {
        memory->unlimited[i] = SKED_UNLIMITED;
        memory->ones[i] = 1;
    }
}

int skedi_family_memory_make(skedi_family_memory *memory, skedi_mem *mem,
                             size_t widest)
{
    *memory = (skedi_family_memory){0};
    memory->bytes = family_bytes(widest);
    memory->scratch_bytes = skedi_fill_scratch(widest);
    memory->block = skedi_new(mem, memory->bytes, 1);
    memory->fill.scratch = skedi_new(mem, memory->scratch_bytes, 1);
    if (!memory->block || !memory->fill.scratch) {
        skedi_family_memory_free(memory, mem);
        return 0;
    }
    memory->widest = widest;
    family_lay_out(memory, widest);
    return 1;
}

void skedi_family_memory_free(skedi_family_memory *memory, skedi_mem *mem)
{
    if (memory->block) skedi_free(mem, memory->block, memory->bytes, 1);
    if (memory->fill.scratch) {
        skedi_free(mem, memory->fill.scratch, memory->scratch_bytes, 1);
    }
    *memory = (skedi_family_memory){0};
}

/* ---- Bounds ---- */

static int64_t amount_at(const int64_t *column, uint32_t row, int64_t fallback)
{
    return column ? column[row] : fallback;
}

static skedi_share_told told_at(const skedi_share_told_columns *c, uint32_t row)
{
    return (skedi_share_told){
        .guarantee = amount_at(c->guarantee, row, 0),
        .limit = amount_at(c->limit, row, SKED_UNLIMITED),
        .borrow = amount_at(c->borrow, row, SKED_UNLIMITED),
        .lend = amount_at(c->lend, row, SKED_UNLIMITED),
        .usage = amount_at(c->usage, row, 0),
        .held = amount_at(c->held, row, 0),
        .weight = c->weight ? c->weight[row] : 1,
        .state = c->state ? c->state[row] : 0,
    };
}

/* Does the model look at what a leaf asks for? */
static int looks_at_demand(const skedi_share_model *model)
{
    return model->by_demand || model->model == SKED_SHARE_MODEL_ENTITLEMENT ||
           model->model == SKED_SHARE_MODEL_CAPACITY;
}

skedi_share_sums skedi_share_sums_at(const skedi_share_kind *kind, uint32_t row)
{
    uint32_t below = kind->shape->family[row];
    const int64_t *demand = kind->told->demand;
    skedi_share_sums sums = {.want = SKED_UNLIMITED, .hard = SKED_UNLIMITED};

    if (below != SKEDI_NO_FAMILY) {
        sums = kind->state[below].sums;
        sums.lo = skedi_i64_min(sums.lo, SKED_AMOUNT_MAX);
    } else if (looks_at_demand(kind->model)) {
        sums.want = amount_at(demand, row, 0);
    }
    return sums;
}

skedi_share_told skedi_share_told_at(const skedi_share_kind *kind, uint32_t row)
{
    skedi_share_told told = told_at(kind->told, row);

    /* A parent's idleness shows in the ceilings of its children. */
    if (kind->shape->family[row] != SKEDI_NO_FAMILY) {
        told.state &= ~(uint32_t)SKEDI_ROW_IDLE;
    }
    return told;
}

skedi_share_row skedi_share_row_at(const skedi_share_kind *kind, uint32_t row)
{
    skedi_share_told told = skedi_share_told_at(kind, row);
    skedi_share_sums sums = skedi_share_sums_at(kind, row);

    return skedi_share_rule(kind->model, &told, &sums);
}

/* The columns of a family's children. No column is NULL. */
typedef struct siblings {
    const int64_t *guarantee;
    const int64_t *limit;
    const int64_t *borrow;
    const int64_t *lend;
    const int64_t *want;
    const int64_t *usage;
    const int64_t *held;
    const uint32_t *weight;
    const uint8_t *state;
    size_t n;
} siblings;

static const int64_t *column_from(const int64_t *column, uint32_t first,
                                  const int64_t *fallback)
{
    return column ? column + first : fallback;
}

static siblings siblings_of(const skedi_share_kind *kind,
                            const skedi_family_memory *memory,
                            const skedi_family *f)
{
    const skedi_share_told_columns *c = kind->told;
    const int64_t *most = memory->unlimited, *none = memory->zeros;
    int wants = looks_at_demand(kind->model);

    return (siblings){
        .guarantee = column_from(c->guarantee, f->first, none),
        .limit = column_from(c->limit, f->first, most),
        .borrow = column_from(c->borrow, f->first, most),
        .lend = column_from(c->lend, f->first, most),
        .want = wants ? column_from(c->demand, f->first, none) : most,
        .usage = column_from(c->usage, f->first, none),
        .held = column_from(c->held, f->first, none),
        .weight = c->weight ? c->weight + f->first : memory->ones,
        .state = c->state ? c->state + f->first : (const uint8_t *)none,
        .n = f->count,
    };
}

static skedi_share_row sibling_row(const skedi_share_model *model,
                                   const siblings *s, size_t i)
{
    skedi_share_told told = {
        .guarantee = s->guarantee[i],
        .limit = s->limit[i],
        .borrow = s->borrow[i],
        .lend = s->lend[i],
        .usage = s->usage[i],
        .held = s->held[i],
        .weight = s->weight[i],
        .state = s->state[i],
    };
    skedi_share_sums sums = {.want = s->want[i], .hard = SKED_UNLIMITED};

    return skedi_share_rule(model, &told, &sums);
}

/* The rule where queues have nothing but guarantee, limit, demand and weight,
 * and some are idle: a loop without branches, for most queues of most trees. */
static void bounds_plain(const siblings *s, int64_t *restrict lo,
                         int64_t *restrict hi)
{
    for (size_t i = 0; i < s->n; i++) {
        int64_t active = (int64_t)(s->state[i] / SKEDI_ROW_IDLE) - 1;
        int64_t top = skedi_i64_min(s->limit[i], s->want[i] & active);
        int64_t floor = skedi_i64_min(s->guarantee[i], top);
        int64_t open = -(int64_t)(s->weight[i] != 0); /* all bits or none */
        lo[i] = floor;
        hi[i] = floor + ((top - floor) & open);
    }
}

static void bounds_any(const skedi_share_model *model, const siblings *s,
                       skedi_family_memory *memory)
{
    for (size_t i = 0; i < s->n; i++) {
        skedi_share_row row = sibling_row(model, s, i);
        memory->lo[i] = row.lo;
        memory->hi[i] = row.hi;
        memory->hard[i] = row.hard;
        memory->wide[i] = row.weight;
    }
}

/* Parents among the children: their bounds come from their own families. */
static void bounds_of_parents(const skedi_share_kind *kind,
                              skedi_family_memory *memory,
                              const skedi_family *f)
{
    const uint32_t *family = kind->shape->family + f->first;

    for (uint32_t i = 0; i < f->count; i++) {
        if (family[i] == SKEDI_NO_FAMILY) continue;
        const skedi_share_row *row = &kind->state[family[i]].parent;
        memory->lo[i] = row->lo;
        memory->hi[i] = row->hi;
        memory->hard[i] = row->hard;
        memory->wide[i] = row->weight;
    }
}

void skedi_family_parent(const skedi_share_kind *kind, uint32_t family)
{
    uint32_t row = kind->shape->families[family].parent;

    kind->state[family].parent = skedi_share_row_at(kind, row);
}

void skedi_family_bounds(const skedi_share_kind *kind,
                         skedi_family_memory *memory, const skedi_family *f)
{
    const skedi_share_told_columns *c = kind->told;
    siblings s = siblings_of(kind, memory, f);
    int plain = !c->borrow && !c->lend && !c->drains &&
                !kind->model->anticipate &&
                kind->model->model != SKED_SHARE_MODEL_CAPACITY;

    if (plain) {
        bounds_plain(&s, memory->lo, memory->hi);
    } else {
        bounds_any(kind->model, &s, memory);
    }
    if (f->mixed) bounds_of_parents(kind, memory, f);
}

/* ---- Sums ---- */

/* Modulo 2^64, and of the upper halves alone: together the exact sum. */
int64_t skedi_share_sum(const int64_t *amounts, size_t n)
{
    uint64_t all = 0, high = 0;

    for (size_t i = 0; i < n; i++) {
        all += (uint64_t)amounts[i];
        high += (uint64_t)amounts[i] >> 32;
    }
    uint64_t low = all - (high << 32);
    high += low >> 32;
    if (high > (uint64_t)SKED_AMOUNT_MAX >> 32) return SKED_UNLIMITED;
    return skedi_amount_add((int64_t)(high << 32), (int64_t)(low & UINT32_MAX));
}

int skedi_family_sum(const skedi_share_kind *kind, skedi_family_memory *memory,
                     uint32_t family)
{
    const skedi_family *f = &kind->shape->families[family];
    skedi_share_sums *kept = &kind->state[family].sums;
    skedi_share_sums sums = {0};

    skedi_family_bounds(kind, memory, f);
    sums.lo = skedi_share_sum(memory->lo, f->count);
    sums.want = skedi_share_sum(memory->hi, f->count);
    if (kind->model->anticipate)
        sums.hard = skedi_share_sum(memory->hard, f->count);
    if (kind->model->model == SKED_SHARE_MODEL_CAPACITY) {
        sums.weight = skedi_i64_min(skedi_share_sum(memory->wide, f->count),
                                    SKED_AMOUNT_MAX);
    }
    int differ = memcmp(kept, &sums, sizeof sums) != 0;
    *kept = sums;
    skedi_family_parent(kind, family);
    return differ;
}

int64_t skedi_share_of_root(const skedi_share_kind *kind)
{
    skedi_share_row row = skedi_share_row_kept(kind, 0);
    int64_t most = kind->model->anticipate ? row.hard : row.hi;

    return skedi_i64_min(kind->told->capacity, most);
}
