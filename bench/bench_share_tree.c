/* A whole tree of queues: shares of every one, computed anew. */
#include <sched/sked.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "share_tree.h"

/* ---- What others do: bisection in doubles, family by family ---- */

enum { DOUBLINGS = 64, HALVINGS = 25 };

static double held(const share_tree *t, size_t k, uint32_t row, double level)
{
    double lo = t->plain_lo[k * t->n + row], hi = t->plain_hi[k * t->n + row];
    double x = level * t->weight[row];

    return x < lo ? lo : x > hi ? hi : x;
}

static double used_at(const share_tree *t, size_t k, uint32_t parent,
                      double level)
{
    double sum = 0;

    for (uint32_t i = 0; i < t->children[parent]; i++) {
        sum += held(t, k, t->first[parent] + i, level);
    }
    return sum;
}

static void bisect_family(share_tree *t, size_t k, uint32_t parent)
{
    double total = t->plain[k * t->n + parent], low = 0, high = 1;

    for (int i = 0; i < DOUBLINGS && used_at(t, k, parent, high) < total; i++) {
        high *= 2;
    }
    for (int i = 0; i < HALVINGS; i++) {
        double middle = low + (high - low) / 2;
        if (used_at(t, k, parent, middle) < total) {
            low = middle;
        } else {
            high = middle;
        }
    }
    for (uint32_t i = 0; i < t->children[parent]; i++) {
        uint32_t row = t->first[parent] + i;
        t->plain[k * t->n + row] = (double)(int64_t)held(t, k, row, high);
    }
}

static void plain_tree(void *arg)
{
    share_tree *t = arg;

    for (size_t k = 0; k < SHARE_TREE_KINDS; k++) {
        double *lo = t->plain_lo + k * t->n, *hi = t->plain_hi + k * t->n;
        for (uint32_t row = (uint32_t)t->n; row-- > 0;) {
            double wanted = (double)t->demand[k][row];
            hi[row] = t->children[row] ? hi[row] : wanted;
            lo[row] = t->children[row] ? lo[row]
                      : (double)t->guarantee[k][row] < wanted
                          ? (double)t->guarantee[k][row]
                          : wanted;
        }
        for (uint32_t row = 0; row < t->n; row++) {
            if (t->children[row]) lo[row] = hi[row] = 0;
        }
        for (uint32_t row = (uint32_t)t->n - 1; row > 0; row--) {
            lo[t->parent[row]] += lo[row];
            hi[t->parent[row]] += hi[row];
        }
        t->plain[k * t->n] = (double)t->capacity[k];
        for (uint32_t row = 0; row < t->n; row++) {
            if (t->children[row]) bisect_family(t, k, row);
        }
    }
}

/* ---- Ours ---- */

static void exact_tree(void *arg)
{
    share_tree *t = arg;

    share_tree_must(
        sked_share_compute(t->share, t->tree, t->ledger, t->capacity, NULL));
}

static void cold(void *arg)
{
    share_tree *t = arg;

    sked_share_free(t->share);
    share_tree_must(sked_share_new(&t->options, NULL, &t->share, NULL));
    share_tree_must(sked_share_reserve(t->share, t->n, SHARE_TREE_KINDS, NULL));
}

/* How far their sums are off, in units, over all families. */
static double plain_error(const share_tree *t)
{
    double off = 0;

    for (size_t k = 0; k < SHARE_TREE_KINDS; k++) {
        for (uint32_t row = 0; row < t->n; row++) {
            double sum = 0;
            for (uint32_t i = 0; i < t->children[row]; i++) {
                sum += t->plain[k * t->n + t->first[row] + i];
            }
            double gap = sum - t->plain[k * t->n + row];
            if (t->children[row]) off += gap < 0 ? -gap : gap;
        }
    }
    return off;
}

static void tree_of(bench *b, size_t leaves)
{
    share_tree *t = share_tree_make(leaves, SKED_SHARE_MODEL_INSTANTANEOUS,
                                    SKED_APPORTION_WEBSTER);
    char note[96];

    share_tree_must(
        sked_share_compute(t->share, t->tree, t->ledger, t->capacity, NULL));
    plain_tree(t);
    (void)snprintf(note, sizeof note, "their sums are off by %.0f units in all",
                   plain_error(t));
    bench_row row = {
        .variant = "warm",
        .n = leaves,
        .unit = BENCH_MS,
        .metric = "ms per tree",
        .budget = leaves == 1000000 ? 40 : 0,
        .reference = "bisection in doubles over the tree, as YARN publishes it",
        .note = note,
    };
    bench_compare(b, &row, &(bench_job){.run = exact_tree, .arg = t, .ops = 1},
                  &(bench_job){.run = plain_tree, .arg = t, .ops = 1});
    row.variant = "first time";
    row.reference = NULL;
    row.note = NULL;
    bench_compare(
        b, &row,
        &(bench_job){.run = exact_tree, .before = cold, .arg = t, .ops = 1},
        NULL);
    bench_must(b, sked_share_check(t->share, NULL) == SKED_OK,
               "every family's shares add up");
    share_tree_drop(t);
}

const bench_entry bench_share_tree[] = {
    {"share.tree", "exact shares of a tree, fan-out 100, 4 kinds", tree_of,
     1000000, 100000, 250000},
    {0},
};
