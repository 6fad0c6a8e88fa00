/*
 * An ask that was stopped is looked at again when what its row holds falls, or
 * the tree is another one. So it costs nothing in between.
 */
#include "engine/order/trees.h"

#include <string.h>

#include "engine/queue.h"
#include "engine/order/keys.h"
#include "engine/pending.h"
#include "engine/store.h"

/* ---- Bounds ---- */

/* Does a row's limit not hold a step beside what is used and reserved there, or
 * (`more` is not NULL) beside what is used and `more`? */
static int tree_row_refuses(const sked_engine *e, const engine_limits *t,
                            uint32_t row, const int64_t *step,
                            const int64_t *more, uint32_t *kind)
{
    const int64_t *limit = skedi_tree_amounts(e, t->limit, row);
    const int64_t *used = skedi_tree_amounts(e, t->used, row);
    const int64_t *reserved = skedi_tree_amounts(e, t->reserved, row);

    for (uint32_t k = 0; k < e->kinds; k++) {
        if (step[k] == 0 || limit[k] == SKED_UNLIMITED) continue;
        int64_t has = more ? used[k] + more[(size_t)row * e->kinds + k]
                           : used[k] + reserved[k];
        if (has <= limit[k] && step[k] <= limit[k] - has) continue;
        *kind = k;
        return 1;
    }
    return 0;
}

engine_tree_bound skedi_trees_bound(const sked_engine *e, uint32_t job,
                                    const int64_t *step, const int64_t *more)
{
    const engine_charge *charge = skedi_charge_of(e, job);
    engine_tree_bound bound = {SKEDI_NONE, SKEDI_NONE, 0};
    uint32_t kind;

    for (uint32_t i = 0; charge && i < SKED_MAX_LIMIT_TREES; i++) {
        const engine_limits *t = &e->trees.at[i];
        uint32_t row = charge->row[i];
        for (; row != SKEDI_NONE; row = t->parent[row]) {
            if (!tree_row_refuses(e, t, row, step, more, &kind)) continue;
            bound = (engine_tree_bound){i, row, kind};
        }
        if (bound.tree != SKEDI_NONE) break;
        if (more) more += (size_t)t->n * e->kinds;
    }
    return bound;
}

/* ---- Asks that are kept out ---- */

int skedi_trees_reserve_all(sked_engine *e)
{
    engine_trees *t = &e->trees;

    if (t->stop_cap >= e->asks.cap) return 1;
    void *grown = skedi_grow(&e->hooks.mem, t->stop, t->stop_cap, e->asks.cap,
                             sizeof *t->stop);
    if (!grown) return 0;
    t->stop = grown;
    t->stop_cap = e->asks.cap;
    return 1;
}

/* Shows the entries of an ask with their bits, or with none. */
static void show_stopped(sked_engine *e, uint32_t ask, int stopped)
{
    for (uint32_t i = ask_at(e, ask)->first_entry; i != SKEDI_NONE;
         i = entry_next(e, i)) {
        engine_entry *x = entry_at(e, i);
        x->stopped = stopped != 0;
        skedi_line_show(e, i, skedi_entry_mask(e, i));
        skedi_cell_show(e, x->cell / e->parts, x->cell % e->parts);
        if (!stopped) skedi_partition_stir(e, x->cell % e->parts);
    }
}

void skedi_trees_stop(sked_engine *e, uint32_t ask, uint32_t tree, uint32_t row)
{
    uint32_t *first = &e->trees.at[tree].stop[row];

    e->trees.stop[ask] = (engine_stop){tree, row, *first, SKEDI_NONE};
    if (*first != SKEDI_NONE) e->trees.stop[*first].prev = ask;
    *first = ask;
    show_stopped(e, ask, 1);
}

static void unlink_stop(sked_engine *e, uint32_t ask)
{
    const engine_stop *s = &e->trees.stop[ask];

    if (s->prev == SKEDI_NONE)
        e->trees.at[s->tree].stop[s->row] = s->next;
    else
        e->trees.stop[s->prev].next = s->next;
    if (s->next != SKEDI_NONE) e->trees.stop[s->next].prev = s->prev;
}

void skedi_trees_forget(sked_engine *e, uint32_t ask)
{
    uint32_t first = ask_at(e, ask)->first_entry;

    if (first == SKEDI_NONE || !entry_at(e, first)->stopped) return;
    unlink_stop(e, ask);
    for (uint32_t i = first; i != SKEDI_NONE; i = entry_next(e, i)) {
        entry_at(e, i)->stopped = 0;
    }
}

void skedi_trees_restart(sked_engine *e)
{
    for (uint32_t i = 0; i < SKED_MAX_LIMIT_TREES; i++) {
        engine_limits *t = &e->trees.at[i];
        if (t->n) memset(t->stop, 0xff, t->n * sizeof *t->stop);
        if (t->n) memset(t->running, 0, t->n * sizeof *t->running);
    }
}

void skedi_trees_wake(sked_engine *e, uint32_t tree, uint32_t row, int all)
{
    const engine_limits *t = &e->trees.at[tree];
    uint32_t ask = t->stop[row], next, kind;

    for (; ask != SKEDI_NONE; ask = next) {
        const engine_ask *a = ask_at(e, ask);
        const int64_t *step = engine_row_of(e, &e->shape_step, a->shape);
        next = e->trees.stop[ask].next;
        if (!all && tree_row_refuses(e, t, row, step, NULL, &kind)) continue;
        unlink_stop(e, ask);
        show_stopped(e, ask, 0);
    }
}

/* ---- Books ---- */

void skedi_trees_freed(sked_engine *e, uint32_t job)
{
    const engine_charge *charge = skedi_charge_of(e, job);

    for (uint32_t i = 0; i < SKED_MAX_LIMIT_TREES; i++) {
        uint32_t row = skedi_charge_row(charge, i);
        for (; row != SKEDI_NONE; row = e->trees.at[i].parent[row]) {
            skedi_trees_wake(e, i, row, 0);
        }
    }
}

/* Adds to what is used on the paths of a job, or reserved. */
static void book_trees(sked_engine *e, uint32_t job, const int64_t *delta,
                       int reserved)
{
    const engine_charge *charge = skedi_charge_of(e, job);

    for (uint32_t i = 0; i < SKED_MAX_LIMIT_TREES; i++) {
        const engine_limits *t = &e->trees.at[i];
        uint32_t row = skedi_charge_row(charge, i);
        for (; row != SKEDI_NONE; row = t->parent[row]) {
            int64_t *to = skedi_tree_amounts(
                e, reserved ? t->reserved : t->used, row);
            for (uint32_t k = 0; k < e->kinds; k++) to[k] += delta[k];
        }
    }
}

void skedi_trees_charge(sked_engine *e, uint32_t job, const int64_t *delta,
                        int back)
{
    book_trees(e, job, delta, 0);
    if (back) skedi_trees_freed(e, job);
}

void skedi_trees_book(sked_engine *e, uint32_t job, const int64_t *delta)
{
    book_trees(e, job, delta, 1);
}

void skedi_tree_drop_books(sked_engine *e, engine_limits *t)
{
    size_t n = t->n, amounts = n * (3 * (size_t)e->kinds + 2);

    skedi_free(&e->hooks.mem, t->limit, amounts, sizeof *t->limit);
    skedi_free(&e->hooks.mem, t->parent, 3 * n, sizeof *t->parent);
    sked_tree_free(t->tree);
    *t = (engine_limits){0};
}

void skedi_trees_free(sked_engine *e)
{
    engine_trees *trees = &e->trees;

    for (uint32_t i = 0; i < SKED_MAX_LIMIT_TREES; i++) {
        skedi_tree_drop_books(e, &trees->at[i]);
    }
    skedi_pool_free(&trees->charges, &e->hooks.mem);
    skedi_free(&e->hooks.mem, trees->stop, trees->stop_cap,
               sizeof *trees->stop);
}
