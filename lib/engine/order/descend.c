/*
 * A search with the children of every family in the order in which they would
 * be served, each as one that is below its guarantee and as one that is not.
 * Its depth is that of the tree.
 */
#include "engine/order/descend.h"

#include "engine/queue.h"
#include "engine/pending.h"
#include "engine/order/keys.h"
#include "engine/order/standing.h"

typedef struct engine_descent {
    sked_engine *e;
    uint32_t partition;
    uint32_t n; /* queues above that go first for being below */
    uint32_t below[SKED_MAX_DEPTH + 1];
} engine_descent;

static uint32_t descend_row(engine_descent *d, uint32_t row, uint64_t fit);

/* ---- Leaves ---- */

/* Is an entry one by which all queues above it that go first do so? */
static int puts_them_first(const engine_descent *d, uint32_t entry)
{
    uint32_t shape = ask_at(d->e, entry_at(d->e, entry)->ask)->shape;

    for (uint32_t i = 0; i < d->n; i++) {
        if (!skedi_standing_has(d->e, d->below[i], d->partition, shape)) {
            return 0;
        }
    }
    return 1;
}

/* The first entry of a leaf by `fit` that will do; SKEDI_NONE. */
static uint32_t descend_leaf(const engine_descent *d, uint32_t row,
                             uint64_t fit)
{
    const sked_engine *e = d->e;
    const engine_cell *cell = &e->cells[cell_of(e, row, d->partition)];
    uint32_t best = SKEDI_NONE;

    if (d->n == 0) return skedi_line_first(e, cell, fit);
    for (uint32_t at = skedi_line_next(cell, 0, fit); at != SKEDI_NO_PLACE;
         at = skedi_line_next(cell, at + 1, fit)) {
        uint32_t entry = cell->entry[at];
        if (!puts_them_first(d, entry)) continue;
        if (cell->steady) return entry;
        if (best == SKEDI_NONE || skedi_entry_before(e, entry, best)) {
            best = entry;
        }
    }
    return best;
}

/* ---- Families ---- */

/* A child in one of its two standings. */
typedef struct engine_turn {
    sked_order_key key;
    uint32_t row;
    uint32_t behind;  /* 0: it goes first for being below; 1: by the order */
    uint32_t urgency; /* with order `priority` */
} engine_turn;

static int turn_before(const engine_turn *a, const engine_turn *b)
{
    if (a->urgency != b->urgency) return a->urgency < b->urgency;
    if (a->behind != b->behind) return a->behind < b->behind;
    int order = skedi_order_compare(a->key, b->key);
    return order ? order < 0 : a->row < b->row;
}

static engine_turn turn_of(const engine_descent *d, uint32_t row, uint32_t up,
                           uint32_t behind)
{
    const sked_engine *e = d->e;
    size_t cell = cell_of(e, row, d->partition);
    engine_turn turn = {.row = row, .behind = behind};

    turn.key = behind ? e->cell_order[cell] : e->cell_standing[cell].owed;
    if (behind && e->rows.order[up] == SKED_ORDER_POLICY_RANDOM) {
        turn.key.low = skedi_chance_of(e, row, d->partition);
    }
    if (e->rows.order[up] == SKED_ORDER_POLICY_PRIORITY) {
        turn.urgency = skedi_order_urgency(e->rows.priority[row]);
    }
    return turn;
}

/* The next turn of a family after `last` (NULL: the first) by a class in `fit`.
 * 0: there is none. */
static int next_turn(const engine_descent *d, uint32_t up, uint64_t fit,
                     const engine_turn *last, engine_turn *next)
{
    size_t cell = cell_of(d->e, up, d->partition);
    uint32_t from = d->e->rows.first_child[up];
    int any = 0;

    for (uint32_t behind = 0; behind < 2; behind++) {
        const skedi_tourney *t = behind ? &d->e->cells[cell].turn
                                        : &d->e->cell_standing[cell].below;
        if (!(skedi_tourney_all(t) & fit)) continue;
        for (uint32_t at = skedi_tourney_next(t, 0, fit); at != SKEDI_NO_PLACE;
             at = skedi_tourney_next(t, at + 1, fit)) {
            engine_turn turn = turn_of(d, from + at, up, behind);
            if (last && !turn_before(last, &turn)) continue;
            if (any && !turn_before(&turn, next)) continue;
            *next = turn;
            any = 1;
        }
    }
    return any;
}

static uint32_t descend_turn(engine_descent *d, const engine_turn *turn,
                             uint32_t up, uint64_t fit)
{
    const skedi_tourney
        *below = &d->e->cell_standing[cell_of(d->e, up, d->partition)].below;
    uint32_t place = turn->row - d->e->rows.first_child[up];

    d->e->stats.queues_visited++;
    if (turn->behind) return descend_row(d, turn->row, fit);
    d->below[d->n++] = turn->row;
    uint32_t found = descend_row(d, turn->row,
                                 fit & skedi_tourney_mask(below, place));
    d->n--;
    return found;
}

static uint32_t descend_row(engine_descent *d, uint32_t row, uint64_t fit)
{
    engine_turn turn, last;
    uint32_t found = SKEDI_NONE;

    fit &= ~d->e->cells[cell_of(d->e, row, d->partition)].full;
    if (row_is_leaf(d->e, row)) return descend_leaf(d, row, fit);
    int any = next_turn(d, row, fit, NULL, &turn);
    while (any && found == SKEDI_NONE) {
        found = descend_turn(d, &turn, row, fit);
        last = turn;
        any = next_turn(d, row, fit, &last, &turn);
    }
    return found;
}

uint32_t skedi_descend(sked_engine *e, uint32_t partition, uint64_t fit)
{
    engine_descent d = {.e = e, .partition = partition};

    return descend_row(&d, 0, fit);
}
