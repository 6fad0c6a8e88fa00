/*
 * Nodes: the free resources of each node, and the lots that hold resources on
 * each node. A gang's rows on one node are one holding.
 */
#include "preempt/nodes.h"

#include <string.h>

#include "base/fail.h"
#include "base/sort.h"

/* ---- Building ---- */

static uint32_t rows_bound(const skedi_scene *s)
{
    uint32_t rows = 0;

    for (uint32_t i = 0; i < s->n_lots; i++) rows += s->lots[i].rows;
    return rows;
}

static int holdings_reserve(skedi_nodes *n)
{
    skedi_mem *mem = &n->scene->hooks.mem;
    size_t kinds = n->scene->in.kinds, rows = n->scene->n_rows + (size_t)1;

    return (n->free = skedi_new(mem, n->n * kinds, sizeof *n->free)) &&
           (n->holding = skedi_new(mem, rows, sizeof *n->holding)) &&
           (n->first = skedi_new(mem, n->n + (size_t)1, sizeof *n->first)) &&
           (n->busy = skedi_new(mem, n->n, sizeof *n->busy)) &&
           (n->gift = skedi_new(mem, n->gang_rows * kinds + 1,
                                sizeof *n->gift));
}

/* Lists the amounts that a lot holds, with a gang's rows of one node together.
 * Lists no row of a gang with a fixed row. Returns the place of the next gang's
 * sums. */
static int64_t *list_lot(skedi_nodes *n, uint32_t at, skedi_holding *list,
                         int64_t *gift)
{
    const skedi_scene *s = n->scene;
    const skedi_lot *lot = &s->lots[at];
    uint32_t rows = lot->rows ? lot->rows : 1, last = UINT32_MAX;

    for (uint32_t r = 0; lot->copies > 0 && r < rows; r++) {
        uint32_t row = skedi_lot_row(s, lot, r);
        uint32_t node = skedi_node_of(&s->in, row);
        if (node != last) {
            list[n->n_holding++] = (skedi_holding){
                lot->rows ? gift : lot->amount, at, node};
            if (lot->rows) gift += s->in.kinds;
        }
        last = node;
        for (uint32_t k = 0; lot->rows && k < s->in.kinds; k++) {
            gift[(int64_t)k - s->in.kinds] +=
                s->in.amount[(size_t)row * s->in.kinds + k] *
                skedi_row_count(&s->in, row);
        }
    }
    return gift;
}

static void list_holdings(skedi_nodes *n, skedi_holding *list)
{
    int64_t *gift = n->gift;

    for (uint32_t i = 0; i < n->scene->n_lots; i++) {
        gift = list_lot(n, i, list, gift);
    }
}

/* A counting sort by node. The sort keeps the order of lots. */
static void by_node(skedi_nodes *n, const skedi_holding *list)
{
    for (uint32_t i = 0; i < n->n_holding; i++) n->first[list[i].node + 1]++;
    for (uint32_t i = 0; i < n->n; i++) {
        if (n->first[i + 1]) n->busy[n->n_busy++] = i;
        n->first[i + 1] += n->first[i];
    }
    for (uint32_t i = n->n_holding; i-- > 0;) {
        /* from the end: `first` of the next node counts down */
        n->holding[--n->first[list[i].node + 1]] = list[i];
    }
    memmove(n->first, n->first + 1, n->n * sizeof *n->first);
    n->first[n->n] = n->n_holding;
}

/* Checks that the largest possible free amount of a node is an amount. */
static sked_status holdings_sound(const skedi_nodes *n, uint32_t node,
                                  sked_error *err)
{
    const skedi_scene *s = n->scene;

    for (uint32_t k = 0; k < s->in.kinds; k++) {
        int64_t sum = n->free[(size_t)node * s->in.kinds + k];
        for (uint32_t i = n->first[node]; i < n->first[node + 1]; i++) {
            const skedi_holding *h = &n->holding[i];
            sum = skedi_amount_add(sum, h->gift[k] * s->lots[h->lot].copies);
        }
        if (sum == SKED_UNLIMITED) {
            return skedi_fail(err, SKED_ERR_RANGE,
                              "tasks on a node hold more than an amount can be",
                              (skedi_fault){.kind = (int32_t)k + 1,
                                            .row = (int64_t)node + 1,
                                            .limit = SKED_AMOUNT_MAX});
        }
    }
    return SKED_OK;
}

/* Puts the rows of every gang in the order of their nodes. */
static int gangs_by_node(skedi_scene *s, uint32_t rows)
{
    skedi_mem *mem = &s->hooks.mem;
    skedi_keyed *items = skedi_new(mem, (size_t)rows * 2 + 1, sizeof *items);

    if (!items) return 0;
    for (uint32_t i = 0; i < s->n_lots; i++) {
        const skedi_lot *lot = &s->lots[i];
        for (uint32_t r = 0; r < lot->rows; r++) {
            uint32_t row = s->lot_rows[lot->first + r];
            items[r] = (skedi_keyed){skedi_node_of(&s->in, row), r, row};
        }
        skedi_sort_keys(items, items + rows, lot->rows);
        for (uint32_t r = 0; r < lot->rows; r++) {
            s->lot_rows[lot->first + r] = items[r].tag;
        }
    }
    skedi_free(mem, items, (size_t)rows * 2 + 1, sizeof *items);
    return 1;
}

sked_status skedi_nodes_open(skedi_nodes *n, skedi_scene *s, sked_error *err)
{
    skedi_mem *mem = &s->hooks.mem;
    size_t rows = s->n_rows + (size_t)1;

    *n = (skedi_nodes){.scene = s,
                       .n = s->in.n_nodes ? (uint32_t)s->in.n_nodes : 1,
                       .gang_rows = rows_bound(s)};
    skedi_holding *list = skedi_new(mem, rows, sizeof *list);
    sked_status rc = SKED_OK;
    if (!list || !holdings_reserve(n) || !gangs_by_node(s, n->gang_rows)) {
        rc = skedi_fail_memory(err);
    } else {
        if (s->in.free) {
            memcpy(n->free, s->in.free,
                   (size_t)n->n * s->in.kinds * sizeof *n->free);
        }
        list_holdings(n, list);
        by_node(n, list);
        for (uint32_t i = 0; rc == SKED_OK && i < n->n_busy; i++) {
            rc = holdings_sound(n, n->busy[i], err);
        }
    }
    skedi_free(mem, list, rows, sizeof *list);
    return rc;
}

void skedi_nodes_close(skedi_nodes *n)
{
    skedi_mem *mem = &n->scene->hooks.mem;
    size_t kinds = n->scene->in.kinds, rows = n->scene->n_rows + (size_t)1;

    skedi_free(mem, n->free, n->n * kinds, sizeof *n->free);
    skedi_free(mem, n->holding, rows, sizeof *n->holding);
    skedi_free(mem, n->first, n->n + (size_t)1, sizeof *n->first);
    skedi_free(mem, n->busy, n->n, sizeof *n->busy);
    skedi_free(mem, n->gift, n->gang_rows * kinds + 1, sizeof *n->gift);
}

/* ---- What is free ---- */

/* Adds the amounts of `copies` of a lot to the free resources; negative:
 * subtracts. */
static void move_free(skedi_nodes *n, const skedi_lot *lot, int64_t copies)
{
    const sked_preempt_input *in = &n->scene->in;
    uint32_t rows = lot->rows ? lot->rows : 1;

    for (uint32_t r = 0; r < rows; r++) {
        uint32_t row = skedi_lot_row(n->scene, lot, r);
        int64_t each = lot->rows ? copies * skedi_row_count(in, row) : copies;
        int64_t *at = n->free + (size_t)skedi_node_of(in, row) * in->kinds;
        for (uint32_t k = 0; k < in->kinds; k++) {
            at[k] += in->amount[(size_t)row * in->kinds + k] * each;
        }
    }
}

void skedi_nodes_free(skedi_nodes *n, const skedi_lot *lot, uint32_t copies)
{
    move_free(n, lot, copies);
}

void skedi_nodes_hold(skedi_nodes *n, const skedi_lot *lot, uint32_t copies)
{
    move_free(n, lot, -(int64_t)copies);
}

static int is_short_of(const skedi_nodes *n, uint32_t node)
{
    const int64_t *at = n->free + (size_t)node * n->scene->in.kinds;

    for (uint32_t k = 0; k < n->scene->in.kinds; k++) {
        if (at[k] < 0) return 1;
    }
    return 0;
}

/* Holds a gang for a moment to see whether the gang fits. */
static uint32_t gang_spare(skedi_nodes *n, const skedi_lot *lot)
{
    int fits = 1;

    move_free(n, lot, -1);
    for (uint32_t r = 0; r < lot->rows; r++) {
        uint32_t row = skedi_lot_row(n->scene, lot, r);
        fits &= !is_short_of(n, skedi_node_of(&n->scene->in, row));
    }
    move_free(n, lot, 1);
    return fits != 0;
}

uint32_t skedi_nodes_fit(const skedi_nodes *n, uint32_t node,
                         const int64_t *amount, uint32_t most)
{
    const int64_t *at = n->free + (size_t)node * n->scene->in.kinds;

    for (uint32_t k = 0; k < n->scene->in.kinds; k++) {
        if (amount[k] == 0) continue;
        if (at[k] < amount[k]) return 0;
        if (at[k] / amount[k] < most) most = (uint32_t)(at[k] / amount[k]);
    }
    return most;
}

uint32_t skedi_nodes_spare(skedi_nodes *n, const skedi_lot *lot, uint32_t most)
{
    if (lot->rows) return most ? gang_spare(n, lot) : 0;
    return skedi_nodes_fit(n, skedi_node_of(&n->scene->in, lot->first),
                           lot->amount, most);
}
