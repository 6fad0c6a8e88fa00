/*
 * A query after a few changes of demand.
 *
 * The journal of a ledger has the change of a leaf's demand. The leaf's bounds
 * before the change are therefore known. The sums and windows of the families
 * above change by the difference, up to the first parent without a difference.
 * On the way down to the queue that the caller asks for, every family's level
 * comes from the family's window. With prefix rounding, the queue's share also
 * comes from the window: the share needs only the weights that rise before the
 * queue. With other roundings, the family is filled.
 *
 * `bench share.change` is the reason for this file beside update.c. With
 * update.c alone, a change and a query take four times as many instructions.
 *
 * The call cannot fail and asks no host: the call takes less time than the
 * interval between two questions to the host. Work left undone is marked as a
 * longer computation by change would mark the work.
 */
#include <string.h>

#include "share/handle.h"

enum { QUICK_ENTRIES = 8, QUICK_WIDEST = 4096 };

typedef struct quick {
    sked_share *share;
    skedi_share_inputs *in;
    const skedi_share_rows *rows;
    skedi_share_progress progress;
    uint32_t made; /* kinds already laid out, a bit each */
    skedi_share_kind kind[SKED_MAX_KINDS];
} quick;

static const skedi_share_kind *quick_kind(quick *q, uint32_t k)
{
    if (!(q->made >> k & 1)) {
        skedi_share_inputs_of_kind(q->share, q->in, k);
        q->kind[k] = skedi_share_kind_of(q->share, q->in, q->rows,
                                         skedi_share_results_seen(q->share), k);
        q->kind[k].follows = 1;
        q->made |= (uint32_t)1 << k;
    }
    return &q->kind[k];
}

/* ---- From a change up ---- */

/* A child's bounds and weight for the filling of its family. */
static skedi_fill_row quick_row(const skedi_share_kind *kind,
                                const skedi_share_row *row, uint32_t weight)
{
    int above = kind->model->model == SKED_SHARE_MODEL_ENTITLEMENT;

    return (skedi_fill_row){
        .lo = above ? 0 : (uint64_t)row->lo,
        .hi = (uint64_t)(above ? skedi_amount_sub(row->hi, row->lo) : row->hi),
        .weight = weight,
    };
}

typedef struct quick_change {
    uint32_t row;
    uint32_t weight;
    skedi_share_row before;
    skedi_share_row after;
} quick_change;

/* Moves the family's sums by the difference. Sums that are too large are made
 * again. */
static void shift_sums(quick *q, const skedi_share_kind *kind, uint32_t family,
                       const quick_change *c)
{
    skedi_share_sums *sums = &kind->state[family].sums;
    int64_t lo = 0, want = 0;

    if (sums->lo > SKED_AMOUNT_MAX || sums->want > SKED_AMOUNT_MAX ||
        c->after.hi == SKED_UNLIMITED ||
        !skedi_i64_add(sums->lo, c->after.lo - c->before.lo, &lo) ||
        !skedi_i64_add(sums->want, c->after.hi - c->before.hi, &want) ||
        lo > SKED_AMOUNT_MAX || want > SKED_AMOUNT_MAX) {
        (void)skedi_family_sum(kind, &q->share->memory[0], family);
        return;
    }
    sums->lo = lo;
    sums->want = want;
    skedi_family_parent(kind, family);
}

/* Applies a change of a row to its family; `c` then holds the change of the
 * parent. */
static void climb_one(quick *q, const skedi_share_kind *kind, uint32_t k,
                      quick_change *c)
{
    const skedi_share_shape *shape = kind->shape;
    uint32_t family = shape->member[c->row];
    skedi_family_state *state = &kind->state[family];
    skedi_share_row parent = state->parent;

    if (skedi_fill_window_is_open(&state->window)) {
        skedi_fill_row before = quick_row(kind, &c->before, c->weight);
        skedi_fill_row after = quick_row(kind, &c->after, c->weight);
        uint64_t rise = skedi_fill_window_move(&state->window, &before, &after);
        if (kind->rise) kind->rise[c->row] = (uint32_t)rise;
    }
    shift_sums(q, kind, family, c);
    skedi_share_touch(q->share, family, (uint32_t)1 << k);
    c->row = shape->families[family].parent;
    c->weight = kind->told->weight[c->row];
    c->before = parent;
    c->after = state->parent;
}

static int same_bounds(const skedi_share_row *a, const skedi_share_row *b)
{
    return a->lo == b->lo && a->hi == b->hi;
}

/* A leaf's demand went from `was` to `is`. */
static void climb_from(quick *q, uint32_t k, uint32_t row, int64_t was,
                       int64_t is)
{
    const skedi_share_kind *kind = quick_kind(q, k);
    skedi_share_told told = skedi_share_told_at(kind, row);
    skedi_share_sums old = {.want = was, .hard = SKED_UNLIMITED};
    skedi_share_sums now = {.want = is, .hard = SKED_UNLIMITED};
    quick_change c = {
        .row = row,
        .weight = told.weight,
        .before = skedi_share_rule(kind->model, &told, &old),
        .after = skedi_share_rule(kind->model, &told, &now),
    };

    while (!same_bounds(&c.before, &c.after) &&
           kind->shape->member[c.row] != SKEDI_NO_FAMILY) {
        climb_one(q, kind, k, &c);
    }
    kind->share[0] = skedi_share_of_root(kind);
}

/* ---- Down to one queue ---- */

/* The family as filled above its floors; `*total` becomes the rest above the
 * floors. */
static skedi_fill_in family_open(const skedi_share_kind *kind,
                                 skedi_family_memory *memory, uint32_t family,
                                 int64_t *total)
{
    const skedi_family *f = &kind->shape->families[family];
    skedi_fill_in in = {.lo = memory->lo,
                        .hi = memory->hi,
                        .weight = kind->told->weight + f->first,
                        .n = f->count};

    skedi_family_bounds(kind, memory, f);
    if (kind->model->model == SKED_SHARE_MODEL_ENTITLEMENT) {
        skedi_family_gaps(memory->hi, memory->lo, memory->gap, f->count);
        in.lo = NULL;
        in.hi = memory->gap;
        *total -= kind->state[family].sums.lo;
    }
    return in;
}

/* Writes each child's part of the window's slope. Returns 1 if the parts sum to
 * the window's slope. */
static int note_rise(const skedi_fill_in *in, const skedi_fill_window *window,
                     uint32_t *rise)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < in->n; i++) {
        skedi_fill_row row = skedi_fill_row_at(in, i);
        skedi_fill_stand stand = skedi_fill_window_stand(window, &row);
        if (!stand.clear) return 0;
        rise[i] = (uint32_t)stand.slope;
        sum += stand.slope;
    }
    return sum == window->slope;
}

/* Finds the level with a pass over the family, and opens the window around the
 * level. Returns 0 if no window opens. */
static int open_window(const skedi_share_kind *kind,
                       skedi_family_memory *memory, uint32_t family,
                       int64_t total)
{
    skedi_family_state *state = &kind->state[family];
    skedi_fill_in in = family_open(kind, memory, family, &total);
    skedi_fill_level level;
    uint32_t *rise = kind->rise + kind->shape->families[family].first;

    skedi_fill_solve(&memory->fill, &in, total, &state->level, &level);
    skedi_fill_window_make(&memory->fill, &level, &state->window);
    memory->levels++;
    if (level.outcome == SKED_FILL_OUTCOME_OK) state->level = level;
    if (note_rise(&in, &state->window, rise) &&
        skedi_fill_window_level(&state->window, total, &level)) {
        return 1;
    }
    skedi_fill_window_shut(&state->window);
    return 0;
}

/* Finds the family's level for `total` in its window, or in a new window. */
static int find_level(const skedi_share_kind *kind, skedi_family_memory *memory,
                      uint32_t family, int64_t total)
{
    skedi_family_state *state = &kind->state[family];
    int above = kind->model->model == SKED_SHARE_MODEL_ENTITLEMENT;
    int64_t left = above ? total - state->sums.lo : total;

    return skedi_fill_window_level(&state->window, left, &state->level) ||
           open_window(kind, memory, family, total);
}

static uint64_t rise_sum(const uint32_t *rise, uint32_t n)
{
    uint64_t a = 0, b = 0;

    for (; n >= 4; n -= 4, rise += 4) {
        a += (uint64_t)rise[0] + rise[1];
        b += (uint64_t)rise[2] + rise[3];
    }
    while (n-- > 0) a += rise[n];
    return a + b;
}

/* Sums the weights that rise in a family before `row`. The sum of all weights
 * is known, so the function sums from the nearer end. */
static uint64_t rise_before(const skedi_share_kind *kind, uint32_t family,
                            uint32_t row)
{
    const skedi_family *f = &kind->shape->families[family];
    uint32_t before = row - f->first, after = f->count - before;

    if (before <= after) return rise_sum(kind->rise + f->first, before);
    return kind->state[family].window.slope - rise_sum(kind->rise + row, after);
}

/* The share of one child at the family's level. The level lies in the family's
 * window. */
static int64_t share_at_level(const skedi_share_kind *kind, uint32_t family,
                              uint32_t row)
{
    const skedi_family_state *state = &kind->state[family];
    skedi_share_row bounds = skedi_share_row_kept(kind, row);
    uint64_t weight = kind->rise[row], rest;

    if (weight == 0) {
        skedi_fill_row at = quick_row(kind, &bounds, kind->told->weight[row]);
        uint64_t held = skedi_fill_window_stand(&state->window, &at).fixed;
        return bounds.lo + (int64_t)(held - at.lo);
    }
    uint64_t num = state->level.num, den = skedi_u128_low(state->level.den);
    uint64_t before = rise_before(kind, family, row);
    uint64_t from = skedi_muldiv(before, num, den, &rest);
    uint64_t to = skedi_muldiv(before + weight, num, den, &rest);
    int above = kind->model->model == SKED_SHARE_MODEL_ENTITLEMENT;
    return (int64_t)(to - from) + (above ? bounds.lo : 0);
}

/* Finds one child's share without the shares of its siblings. Returns 0 if the
 * share depends on the siblings. */
static int share_alone(const skedi_share_kind *kind,
                       skedi_family_memory *memory, uint32_t family,
                       uint32_t row)
{
    skedi_family_state *state = &kind->state[family];
    int64_t total = kind->share[kind->shape->families[family].parent];

    if (total < state->sums.lo) return 0;
    if (total >= state->sums.want) {
        state->level = (skedi_fill_level){
            .outcome = SKED_FILL_OUTCOME_SATURATED};
        kind->share[row] = skedi_share_row_kept(kind, row).hi;
    } else {
        if (!kind->rise || !find_level(kind, memory, family, total)) return 0;
        kind->share[row] = share_at_level(kind, family, row);
    }
    state->total = total;
    return 1;
}

/* Brings the share of `row` up to date in one kind. */
static void down_kind(quick *q, uint32_t family, uint32_t k, uint32_t row,
                      int moved)
{
    const skedi_share_kind *kind = quick_kind(q, k);
    skedi_share_todo *todo = &q->share->todo[family];
    uint32_t bit = (uint32_t)1 << k;
    int asked = !moved && todo->known != 0; /* once before */
    uint32_t queues = 1;

    if (asked && todo->known == row) return;
    if (!asked && share_alone(kind, &q->share->memory[0], family, row)) {
        todo->dirty |= bit;
    } else {
        skedi_family_refill(kind, &q->share->memory[0], family);
        todo->dirty &= ~bit;
        queues = kind->shape->families[family].count;
    }
    q->progress.families++;
    q->progress.queues += queues;
}

static void down_family(quick *q, uint32_t family, uint32_t row)
{
    const skedi_share_shape *shape = &q->rows->shape;
    skedi_share_todo *todo = &q->share->todo[family];
    uint32_t moved = skedi_share_moved(q->share, family);
    uint32_t stale = moved | todo->dirty;

    if (!stale) return;
    for (uint32_t k = 0; k < q->rows->kinds; k++) {
        if (stale >> k & 1) down_kind(q, family, k, row, moved >> k & 1);
    }
    todo->known = todo->dirty ? row : 0;
    if (todo->dirty || shape->families[family].mixed) {
        skedi_marks_add(&q->share->down, family);
    } else {
        skedi_marks_drop(&q->share->down, family);
    }
}

static void down_to(quick *q, uint32_t row)
{
    const skedi_share_shape *shape = &q->rows->shape;
    uint32_t path[SKED_MAX_DEPTH + 1], n = 0;

    path[0] = row;
    while (shape->member[path[n]] != SKEDI_NO_FAMILY) {
        path[n + 1] = shape->families[shape->member[path[n]]].parent;
        n++;
    }
    while (n-- > 0) down_family(q, shape->member[path[n]], path[n]);
    if (shape->n_families && skedi_share_stale(q->share, 0)) {
        skedi_marks_add(&q->share->down, 0);
    }
}

/* ---- The call ---- */

/* Checks that the journal has only a few changes of demand, each in one kind.
 */
static int is_few(const sked_share *share, const sked_ledger *ledger)
{
    uint64_t from = share->mark.sequence;
    uint64_t n = skedi_ledger_entries_since(ledger, share->mark);
    int instantaneous = share->model.model == SKED_SHARE_MODEL_INSTANTANEOUS;

    if (n > QUICK_ENTRIES) return 0;
    for (uint64_t i = 0; i < n; i++) {
        const skedi_ledger_said *said = &skedi_ledger_entry_at(ledger, from + i)
                                             ->said;
        int demand = said->column == SKED_LEDGER_DEMAND;
        if (demand && said->kinds & (said->kinds - 1)) return 0;
        if (!demand && instantaneous) return 0;
    }
    return 1;
}

/* Checks that this file handles the kind of computation, and that the rows and
 * settings are unchanged. */
static int is_ours(const sked_share *share, const skedi_share_inputs *in)
{
    const skedi_image *image = in->image;
    const skedi_share_rows *rows = skedi_share_rows_seen(share);
    size_t bytes = image->kinds * sizeof *share->capacity;

    return share->any && !share->must_full &&
           share->options.scope == SKED_SHARE_SCOPE_KINDS &&
           skedi_family_is_simple(&share->model) &&
           share->model.model != SKED_SHARE_MODEL_INSTANTANEOUS &&
           !image->number[SKEDI_AT_STATE] && image->key == share->tree_key &&
           rows->shape.widest <= QUICK_WIDEST &&
           memcmp(share->capacity, in->capacity, bytes) == 0;
}

/* Takes entry `e` of the journal up the tree, with the demands before and after
 * the entry. */
static void follow_entry(quick *q, uint64_t e)
{
    const sked_ledger *ledger = q->in->ledger;
    const skedi_ledger_entry *entry = skedi_ledger_entry_at(ledger, e);
    int looks = q->share->model.by_demand ||
                q->share->model.model == SKED_SHARE_MODEL_ENTITLEMENT;

    if (entry->said.column != SKED_LEDGER_DEMAND || !looks) return;
    uint32_t k = skedi_ctz64(entry->said.kinds);
    int64_t is = skedi_ledger_column(ledger, SKED_LEDGER_DEMAND, k)[entry->row];
    for (uint64_t later = e + 1; later < ledger->now.sequence; later++) {
        const skedi_ledger_entry *next = skedi_ledger_entry_at(ledger, later);
        int same = next->row == entry->row &&
                   next->said.column == SKED_LEDGER_DEMAND &&
                   next->said.kinds == entry->said.kinds;
        if (same) is -= next->said.change;
    }
    climb_from(q, k, entry->row, is - entry->said.change, is);
}

int skedi_share_quick(sked_share *share, skedi_share_inputs *in, uint32_t row)
{
    quick q;

    if (!is_ours(share, in) || !is_few(share, in->ledger)) return 0;
    q.share = share;
    q.in = in;
    q.rows = skedi_share_rows_seen(share);
    q.progress = (skedi_share_progress){.hooks = NULL};
    q.made = 0;
    for (uint64_t e = share->mark.sequence; e < in->ledger->now.sequence; e++) {
        follow_entry(&q, e);
    }
    down_to(&q, row);
    skedi_share_done(share, in, &q.progress, 0);
    return 1;
}
