/*
 * Giving a family's total out.
 *
 * First the floors, then what is above them: band by band where priorities
 * count, from the floors to the ceilings, and with SKED_SHARE_FLAG_ANTICIPATE
 * once more to the caps. Every filling is one of fill.h; what they add up to
 * never passes the total, and only ceilings leave something over.
 */
#include <string.h>

#include "share/family.h"

/* A run of children that are filled together. */
typedef struct band {
    const int64_t *lo;
    const int64_t *hi;
    const int64_t *hard;
    const uint32_t *weight;
    const int64_t *wide;
    int64_t *share;
    size_t n;
} band;

/* The state of filling one family. */
typedef struct pour {
    const skedi_share_kind *kind;
    skedi_family_memory *memory;
    skedi_family_state *state;
    skedi_fill_level warm; /* last time's level */
    int64_t left;          /* above the floors */
    int follows;           /* is the family's window good for this filling? */
} pour;

/* One filling: shares of `total`; returns what was given. */
static int64_t pour_out(pour *p, const skedi_fill_in *in, int64_t total,
                        int64_t *share)
{
    skedi_fill_level level;

    if (!p->follows ||
        !skedi_fill_window_level(&p->state->window, total, &level)) {
        skedi_fill_solve(&p->memory->fill, in, total, &p->warm, &level);
        if (p->follows) {
            skedi_fill_window_make(&p->memory->fill, &level, &p->state->window);
        }
    }
    skedi_fill_emit(&p->memory->fill, in, &level, p->kind->rounding, share);
    p->memory->levels++;
    if (level.outcome != SKED_FILL_OUTCOME_SATURATED) p->state->level = level;
    return level.total;
}

/* Fills what `gap` still takes, and adds it to the band's shares. */
static void pour_more(pour *p, const band *b, skedi_fill_in in)
{
    int64_t *part = p->memory->part;

    in.hi = p->memory->gap;
    in.n = b->n;
    p->left -= pour_out(p, &in, p->left, part);
    for (size_t i = 0; i < b->n; i++) b->share[i] += part[i];
}

/* Shares what is left evenly among the children without a guarantee. */
static void pour_evenly(pour *p, const band *b, const int64_t *most)
{
    int64_t *gap = p->memory->gap;

    for (size_t i = 0; i < b->n; i++) {
        gap[i] = b->wide[i] ? 0 : skedi_amount_sub(most[i], b->share[i]);
    }
    pour_more(p, b, (skedi_fill_in){0});
}

/* From the floors up to the ceilings. */
static void pour_band(pour *p, const band *b)
{
    const skedi_share_model *model = p->kind->model;
    skedi_fill_in in = {b->lo, b->hi, b->weight, b->wide, b->n};

    if (model->model == SKED_SHARE_MODEL_ENTITLEMENT) {
        skedi_family_gaps(b->hi, b->lo, p->memory->gap, b->n);
        in.lo = NULL;
        in.hi = p->memory->gap;
        p->left -= pour_out(p, &in, p->left, b->share);
        for (size_t i = 0; i < b->n; i++) b->share[i] += b->lo[i];
        return;
    }
    int64_t floors = skedi_share_sum(b->lo, b->n);
    p->left -= pour_out(p, &in, floors + p->left, b->share) - floors;
    if (b->wide && model->all_weigh && p->left) pour_evenly(p, b, b->hi);
}

/* From the ceilings up to the caps: in readiness for demand to come. */
static void pour_ahead(pour *p, const band *b)
{
    int64_t *gap = p->memory->gap;

    if (!p->left) return;
    skedi_family_gaps(b->hard, b->share, gap, b->n);
    pour_more(p, b, (skedi_fill_in){.weight = b->weight, .wide = b->wide});
    if (b->wide && p->kind->model->all_weigh && p->left) {
        pour_evenly(p, b, b->hard);
    }
}

/* ---- Bands ---- */

static int higher_first(const void *ctx, uint32_t a, uint32_t b)
{
    const int32_t *priority = ctx;

    return (priority[a] < priority[b]) - (priority[a] > priority[b]);
}

static void permute(int64_t *column, const uint32_t *order, size_t n,
                    int64_t *scratch)
{
    memcpy(scratch, column, n * sizeof *column);
    for (size_t i = 0; i < n; i++) column[i] = scratch[order[i]];
}

/* The part of `all` from `from` to `to`. */
static band band_cut(const band *all, size_t from, size_t to)
{
    return (band){
        all->lo + from,
        all->hi + from,
        all->hard + from,
        all->weight ? all->weight + from : NULL,
        all->wide ? all->wide + from : NULL,
        all->share + from,
        to - from,
    };
}

static size_t band_end(const int32_t *priority, const uint32_t *order,
                       size_t from, size_t n)
{
    size_t to = from + 1;

    while (to < n && priority[order[to]] == priority[order[from]]) to++;
    return to;
}

static void pour_bands(pour *p, const band *all, const int32_t *priority,
                       void (*pour_one)(pour *p, const band *b))
{
    const uint32_t *order = p->memory->order;
    size_t to;

    for (size_t from = 0; from < all->n; from = to) {
        to = band_end(priority, order, from, all->n);
        band b = band_cut(all, from, to);
        pour_one(p, &b);
    }
}

/* The same as pour_band() and pour_ahead(), by priority. */
static void pour_by_priority(pour *p, const band *family,
                             const int32_t *priority)
{
    skedi_family_memory *memory = p->memory;
    size_t n = family->n;
    band all = *family;

    for (uint32_t i = 0; i < n; i++) memory->order[i] = i;
    skedi_sort(memory->order, memory->order_scratch, n, higher_first, priority);
    permute(memory->lo, memory->order, n, memory->part);
    permute(memory->hi, memory->order, n, memory->part);
    permute(memory->hard, memory->order, n, memory->part);
    permute(memory->wide, memory->order, n, memory->part);
    for (size_t i = 0; all.weight && i < n; i++) {
        memory->weight[i] = family->weight[memory->order[i]];
    }
    if (all.weight) all.weight = memory->weight;
    all.share = memory->made;

    pour_bands(p, &all, priority, pour_band);
    if (p->kind->model->anticipate) {
        pour_bands(p, &all, priority, pour_ahead);
    }
    for (size_t i = 0; i < n; i++) {
        family->share[memory->order[i]] = memory->made[i];
    }
}

static int same_priority(const int32_t *priority, size_t n)
{
    size_t i = 1;

    while (i < n && priority[i] == priority[0]) i++;
    return i >= n;
}

/* ---- Refill ---- */

/* What is not shared: each may have its parent's, up to its own ceiling. */
static void refill_even(const skedi_family_memory *memory, const band *family,
                        int64_t total)
{
    for (size_t i = 0; i < family->n; i++) {
        family->share[i] = skedi_i64_min(memory->hi[i], total);
    }
}

static void refill_overcommitted(pour *p, const band *family, int64_t total)
{
    skedi_fill_in in = {.lo = family->lo, .hi = family->lo, .n = family->n};

    pour_out(p, &in, total, family->share);
}

/* Every child has all there is to have: no level is looked for. */
static void refill_saturated(const band *family)
{
    memcpy(family->share, family->hi, family->n * sizeof *family->share);
}

static void refill_shared(pour *p, const band *family, const int32_t *priority)
{
    if (priority && !same_priority(priority, family->n)) {
        pour_by_priority(p, family, priority);
        return;
    }
    pour_band(p, family);
    if (p->kind->model->anticipate) pour_ahead(p, family);
}

void skedi_family_refill(const skedi_share_kind *kind,
                         skedi_family_memory *memory, uint32_t family)
{
    const skedi_family *f = &kind->shape->families[family];
    const skedi_share_told_columns *told = kind->told;
    int capacity = kind->model->model == SKED_SHARE_MODEL_CAPACITY;
    int64_t total = kind->share[f->parent];
    pour p = {.kind = kind, .memory = memory, .state = &kind->state[family]};
    band all = {
        .lo = memory->lo,
        .hi = memory->hi,
        .hard = memory->hard,
        .weight = told->weight && !capacity ? told->weight + f->first : NULL,
        .wide = capacity ? memory->wide : NULL,
        .share = kind->share + f->first,
        .n = f->count,
    };

    skedi_family_bounds(kind, memory, f);
    p.warm = p.state->level;
    p.state->level = (skedi_fill_level){.outcome = SKED_FILL_OUTCOME_SATURATED};
    p.state->total = total;
    p.left = total - p.state->sums.lo;
    if (kind->even) {
        refill_even(memory, &all, total);
    } else if (p.left < 0) {
        refill_overcommitted(&p, &all, total);
    } else if (total >= p.state->sums.want &&
               skedi_family_is_simple(kind->model)) {
        refill_saturated(&all);
    } else {
        p.follows = kind->follows && skedi_family_is_simple(kind->model);
        refill_shared(&p, &all,
                      kind->model->bands && told->priority
                          ? told->priority + f->first
                          : NULL);
    }
}
