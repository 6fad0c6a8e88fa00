/*
 * An order of candidates by several keys, which keys.c puts into words.
 *
 * The first word is sorted by radix, which keeps the order of position among
 * equals; a further word is made and sorted only within runs that are alike so
 * far. When only the first few are asked for they are selected before they are
 * sorted (select.c).
 */
#include "rank/order.h"

#include "base/fail.h"

/* What a call acquires. */
typedef struct ranking_memory {
    skedi_keyed *items;
    skedi_keyed *scratch;
    uint32_t *taken; /* only where not all are wanted */
    size_t n;
    size_t top;
} ranking_memory;

static int rank_reserve(ranking_memory *work, skedi_mem *mem, size_t n,
                        size_t top)
{
    *work = (ranking_memory){.n = n, .top = top};
    return (work->items = skedi_new(mem, n, sizeof *work->items)) &&
           (work->scratch = skedi_new(mem, top, sizeof *work->scratch)) &&
           (top == n ||
            (work->taken = skedi_new(mem, top, sizeof *work->taken)));
}

static void rank_release(ranking_memory *work, skedi_mem *mem)
{
    skedi_free(mem, work->items, work->n, sizeof *work->items);
    skedi_free(mem, work->scratch, work->top, sizeof *work->scratch);
    skedi_free(mem, work->taken, work->top, sizeof *work->taken);
}

/* Tells runs of equal keys apart by their tags: where they begin. */
static void mark_runs(skedi_keyed *items, uint32_t from, uint32_t to)
{
    uint32_t start = from;

    for (uint32_t i = from; i < to; i++) {
        if (items[i].key != items[start].key) start = i;
        items[i].tag = start;
    }
}

/* Sorts what is alike so far by one more word. */
static sked_status break_ties(const skedi_rank *rank, uint32_t word,
                              ranking_memory *work, const skedi_hooks *hooks)
{
    skedi_keyed *items = work->items;
    uint32_t to, done = SKEDI_RANK_CHECK;

    for (uint32_t from = 0; from < work->top; from = to) {
        for (to = from + 1; to < work->top; to++) {
            if (items[to].tag != items[from].tag) break;
        }
        if (done >= SKEDI_RANK_CHECK) {
            sked_status rc = skedi_hooks_check(hooks, from, work->top);
            if (rc != SKED_OK) return rc;
            done = 0;
        }
        done += to - from;
        if (to - from < 2) continue;
        skedi_rank_load_some(rank, word, items + from, to - from);
        skedi_sort_keys(items + from, work->scratch, to - from);
        mark_runs(items, from, to);
    }
    return SKED_OK;
}

static sked_status rank_sort(const skedi_rank *rank, ranking_memory *work,
                             const skedi_hooks *hooks)
{
    uint32_t top = (uint32_t)work->top;
    sked_status rc = SKED_OK;

    for (uint32_t i = 0; i < work->n; i++) work->items[i].index = i;
    if (work->taken) {
        rc = skedi_rank_select(rank, work->items, work->taken, top, hooks);
        for (uint32_t i = 0; i < top; i++) {
            work->items[i].index = work->taken[i];
        }
    }
    if (rc == SKED_OK) rc = skedi_rank_load(rank, 0, work->items, top, hooks);
    if (rc != SKED_OK) return rc;
    skedi_sort_keys(work->items, work->scratch, top);
    mark_runs(work->items, 0, top);
    for (uint32_t word = 1; rc == SKED_OK && word < rank->words; word++) {
        rc = break_ties(rank, word, work, hooks);
    }
    return rc;
}

sked_status sked_rank_order(const sked_rank_input *input, uint32_t top,
                            const sked_host *host, uint32_t *positions,
                            sked_error *err)
{
    skedi_hooks hooks;
    skedi_rank rank;
    ranking_memory work;

    if (!positions) return skedi_fail_null(err, "positions");
    sked_status rc = skedi_hooks_in(&hooks, host, err);
    if (rc == SKED_OK) rc = skedi_rank_plan(&rank, input, &hooks, err);
    if (rc != SKED_OK || rank.in.n == 0) return rc;
    uint32_t n = (uint32_t)rank.in.n, wanted = top == 0 || top > n ? n : top;

    if (!rank_reserve(&work, &hooks.mem, n, wanted)) {
        rc = skedi_fail_memory(err);
    } else if ((rc = rank_sort(&rank, &work, &hooks)) == SKED_OK) {
        for (uint32_t i = 0; i < wanted; i++) {
            positions[i] = work.items[i].index;
        }
    } else {
        rc = skedi_fail_stopped(err, rc);
    }
    rank_release(&work, &hooks.mem);
    return rc;
}
