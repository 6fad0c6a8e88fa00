/*
 * Laws of shares over random trees: the one-shot function gives what the
 * definitions give, and what the theory promises holds.
 */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "ref_share.h"
#include "share_world.h"
#include "size.h"

enum { MOST = SHARE_WORLD_ROWS * SHARE_WORLD_KINDS };

typedef struct bench_of_laws {
    share_world w;
    test_words words;
    int64_t got[MOST];
    int64_t want[MOST];
    int64_t held[MOST];
} laws;

static int setup(void **state)
{
    laws *l = calloc(1, sizeof *l);

    if (!l) return -1;
    l->words.state = 20261121;
    *state = l;
    return 0;
}

static int teardown(void **state)
{
    free(*state);
    return 0;
}

static void compute(laws *l, int64_t *shares)
{
    assert_ok(sked_share_once(&l->w.in, &l->w.options, NULL, shares, NULL));
}

static void assert_like_twin(laws *l, size_t instance)
{
    size_t n = (size_t)l->w.in.n * l->w.in.kinds;

    compute(l, l->got);
    ref_share(&l->w.in, &l->w.options, l->want);
    for (size_t i = 0; i < n; i++) {
        if (l->got[i] == l->want[i]) continue;
        fail_msg("instance %zu (model %d, flags %u, rounding %d), row %zu: "
                 "%lld, not %lld",
                 instance, (int)l->w.options.model, l->w.options.flags,
                 (int)l->w.options.rounding, i / l->w.in.kinds,
                 (long long)l->got[i], (long long)l->want[i]);
    }
}

/* What may not be taken, a part of the usage; in every other instance. */
static void draw_held(laws *l, size_t instance)
{
    size_t n = (size_t)l->w.in.n * l->w.in.kinds;

    if (instance % 2 || !l->w.in.usage) return;
    l->w.in.held = l->held;
    for (size_t i = 0; i < n; i++) {
        uint64_t part = test_below(&l->words, 3);
        l->held[i] = part ? l->w.in.usage[i] / (int64_t)part : 0;
    }
}

static void small_trees_are_shared_as_defined(void **state)
{
    laws *l = *state;
    size_t n = test_size(6000, 300000);

    for (size_t i = 0; i < n; i++) {
        int64_t top = (int64_t)test_below(&l->words, 200) + 1;
        uint32_t rows = i % 3 ? 12 : SHARE_WORLD_ROWS;
        share_world_draw(&l->w, &l->words, rows, top, (int32_t)(i % 4 == 0));
        draw_held(l, i);
        assert_like_twin(l, i);
    }
}

/* Unit by unit is out of reach here: the other two ways of rounding. */
static void large_amounts_are_shared_as_defined(void **state)
{
    laws *l = *state;
    size_t n = test_size(6000, 300000);

    for (size_t i = 0; i < n; i++) {
        int64_t top = INT64_C(1) << (20 + test_below(&l->words, 36));
        share_world_draw(&l->w, &l->words, 20, top, 0);
        l->w.options.rounding = 1 + (int32_t)(i % 2);
        draw_held(l, i / 2);
        assert_like_twin(l, i);
    }
}

static void dominant_shares_are_as_defined(void **state)
{
    laws *l = *state;
    size_t n = test_size(400, 20000);

    for (size_t i = 0; i < n; i++) {
        int64_t top = INT64_C(1) << test_below(&l->words, 56);
        share_world_draw(&l->w, &l->words, i % 8 ? 10 : 30, top,
                         SKED_SHARE_SCOPE_DOMINANT);
        assert_like_twin(l, i);
    }
}

/* ---- What the theory promises ---- */

static int64_t share_of(const laws *l, const int64_t *shares, uint32_t row,
                        uint32_t k)
{
    return shares[(size_t)row * l->w.in.kinds + k];
}

/* A tree that only has weights, limits and demands, for dominant shares. */
static void draw_plain(laws *l, uint32_t rows)
{
    sked_share_input *in = &l->w.in;
    size_t cells;

    share_world_draw(&l->w, &l->words, rows, INT64_C(1) << 40,
                     SKED_SHARE_SCOPE_DOMINANT);
    in->limit = in->borrow = in->guarantee = NULL;
    in->state = NULL;
    in->demand = l->w.demand;
    cells = (size_t)in->n * in->kinds;
    for (uint32_t i = 0; i < in->n; i++) l->w.weight[i] |= 1;
    for (size_t i = 0; i < cells; i++) {
        uint64_t none = test_below(&l->words, 3);
        l->w.demand[i] = none
                             ? (int64_t)test_below(&l->words, UINT64_C(1) << 40)
                             : 0;
    }
    for (uint32_t k = 0; k < in->kinds; k++) {
        l->w.capacity[k] = INT64_C(1) << (30 + test_below(&l->words, 10));
    }
}

static int is_parent(const laws *l, uint32_t row)
{
    for (uint32_t i = row + 1; i < l->w.in.n; i++) {
        if (l->w.parent[i] == (int32_t)row) return 1;
    }
    return 0;
}

static int is_unmet(const laws *l, uint32_t leaf)
{
    for (uint32_t k = 0; k < l->w.in.kinds; k++) {
        size_t at = (size_t)leaf * l->w.in.kinds + k;
        if (l->got[at] < l->w.demand[at]) return 1;
    }
    return 0;
}

static int wants_below(const laws *l, uint32_t row, int unmet)
{
    for (uint32_t i = row; i < l->w.in.n; i++) {
        int64_t up = i;
        while (up > (int64_t)row) up = l->w.parent[up];
        int wants = 0;
        for (uint32_t k = 0; k < l->w.in.kinds; k++) {
            wants |= l->w.demand[(size_t)i * l->w.in.kinds + k] > 0;
        }
        if (up != (int64_t)row || is_parent(l, i) || !wants) continue;
        if (!unmet || is_unmet(l, i)) return 1;
    }
    return 0;
}

/* The box of a row: its weight's part, level by level. */
static int64_t box_of(const laws *l, uint32_t row, uint32_t k)
{
    const sked_share_input *in = &l->w.in;
    uint64_t all = 0, rest;

    if (row == 0) return in->capacity[k];
    for (uint32_t i = 1; i < in->n; i++) {
        if (in->parent[i] != in->parent[row] || !wants_below(l, i, 0)) continue;
        all += in->weight ? in->weight[i] : 1;
    }
    int64_t above = box_of(l, (uint32_t)in->parent[row], k);
    return (int64_t)skedi_muldiv((uint64_t)above,
                                 in->weight ? in->weight[row] : 1, all, &rest);
}

/* Every branch that wants more has its box, in some kind, whatever others do;
 * and whoever lacks something stands at a kind that is used up. */
static void dominant_shares_starve_no_branch_and_waste_nothing(void **state)
{
    laws *l = *state;
    size_t n = test_size(300, 10000);

    for (size_t i = 0; i < n; i++) {
        draw_plain(l, 14);
        compute(l, l->got);
        for (uint32_t row = 0; row < l->w.in.n; row++) {
            int unmet = wants_below(l, row, 1), has_box = !unmet, full = 0;
            for (uint32_t k = 0; unmet && k < l->w.in.kinds; k++) {
                int64_t has = share_of(l, l->got, row, k);
                has_box |= has + (int64_t)l->w.in.n >= box_of(l, row, k);
                full |= share_of(l, l->got, 0, k) == l->w.capacity[k] &&
                        l->w.demand[(size_t)row * l->w.in.kinds + k] > 0;
            }
            assert_true(has_box);
            if (!is_parent(l, row) && is_unmet(l, row)) assert_true(full);
        }
    }
}

/* Webster never takes a unit back when there is more to share. */
static void more_capacity_takes_nothing_from_any_queue(void **state)
{
    laws *l = *state;
    size_t n = test_size(3000, 100000);

    for (size_t i = 0; i < n; i++) {
        share_world_draw(&l->w, &l->words, 12, 200, SKED_SHARE_SCOPE_KINDS);
        l->w.options.rounding = SKED_APPORTION_WEBSTER;
        compute(l, l->want);
        for (uint32_t k = 0; k < l->w.in.kinds; k++) {
            l->w.capacity[k] += 1 + (int64_t)test_below(&l->words, 3);
        }
        compute(l, l->got);
        for (size_t c = 0; c < (size_t)l->w.in.n * l->w.in.kinds; c++) {
            assert_true(l->got[c] >= l->want[c]);
        }
    }
}

/* A queue that wants nothing changes nothing for the others. */
static void an_idle_queue_changes_nothing(void **state)
{
    laws *l = *state;
    size_t n = test_size(2000, 50000);

    for (size_t i = 0; i < n; i++) {
        share_world_draw(&l->w, &l->words, 12, 500, SKED_SHARE_SCOPE_KINDS);
        if (l->w.in.demand == NULL || l->w.options.flags) continue;
        l->w.options.model = SKED_SHARE_MODEL_ENTITLEMENT;
        l->w.in.lend = NULL;
        compute(l, l->want);
        uint32_t row = (uint32_t)l->w.in.n;
        uint32_t up = (uint32_t)test_below(&l->words, row);
        if (row == SHARE_WORLD_ROWS || !is_parent(l, up)) continue;
        l->w.in.n++;
        l->w.parent[row] = (int32_t)up;
        l->w.weight[row] = 5;
        for (uint32_t k = 0; k < l->w.in.kinds; k++) {
            size_t at = (size_t)row * l->w.in.kinds + k;
            l->w.demand[at] = l->w.usage[at] = 0;
            l->w.guarantee[at] = 100;
            l->w.limit[at] = l->w.borrow[at] = SKED_UNLIMITED;
        }
        compute(l, l->got);
        assert_memory_equal(l->got, l->want,
                            (size_t)row * l->w.in.kinds * sizeof *l->got);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_trees_are_shared_as_defined),
        cmocka_unit_test(large_amounts_are_shared_as_defined),
        cmocka_unit_test(dominant_shares_are_as_defined),
        cmocka_unit_test(dominant_shares_starve_no_branch_and_waste_nothing),
        cmocka_unit_test(more_capacity_takes_nothing_from_any_queue),
        cmocka_unit_test(an_idle_queue_changes_nothing),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
