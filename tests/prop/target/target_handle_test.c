/* A target's handle finds what plain arrays find. */
#include "test.h"

#include <sched/target.h>

#include <string.h>

#include "cluster.h"
#include "forest.h"
#include "ref_target.h"
#include "share_world.h"
#include "size.h"
#include "target_world.h"

/* ---- The handle ---- */

/* What the tree and the ledger say, as arrays. */
typedef struct laid {
    sked_share_input q;
    int32_t parent[ROWS];
    uint32_t weight[ROWS];
    int32_t priority[ROWS];
    uint8_t states[ROWS];
    uint8_t from[ROWS];
    int64_t running[ROWS];
    int64_t number[4][ROWS];
    int64_t amount[6][MOST];
} laid;

static void lay_out(laid *l, const sked_tree *tree, const sked_ledger *ledger,
                    const int64_t *capacity)
{
    const int32_t what[] = {SKED_QUEUE_GUARANTEE, SKED_QUEUE_LIMIT,
                            SKED_QUEUE_BORROW, SKED_QUEUE_LEND};
    int64_t row_of[ROWS];
    sked_queue_id ids[ROWS];
    size_t n;

    memset(l, 0, sizeof *l);
    assert_ok(sked_tree_ids(tree, ids, ROWS, &n));
    assert_ok(sked_tree_rows(tree, l->parent, NULL, NULL, ROWS, &n));
    for (uint32_t k = 0; k < 3; k++) {
        for (int c = 0; c < 4; c++) {
            assert_ok(sked_tree_column_vec(tree, what[c], k, capacity[k],
                                           row_of, ROWS, &n));
            for (size_t i = 0; i < n; i++) {
                l->amount[c][i * 3 + (size_t)k] = row_of[i];
            }
        }
    }
    for (size_t i = 0; i < n; i++) {
        int64_t v;
        assert_ok(sked_tree_effective(tree, ids[i], SKED_QUEUE_WEIGHT, &v));
        l->weight[i] = (uint32_t)v;
        assert_ok(sked_tree_effective(tree, ids[i], SKED_QUEUE_PRIORITY, &v));
        l->priority[i] = (int32_t)v;
        assert_ok(sked_tree_effective(tree, ids[i], SKED_QUEUE_STATE, &v));
        l->states[i] = (uint8_t)v;
        assert_ok(
            sked_tree_effective(tree, ids[i], SKED_QUEUE_PREEMPT_FROM, &v));
        l->from[i] = v != 0;
        for (int c = 1; c < 4; c++) {
            assert_ok(sked_tree_effective(
                tree, ids[i], SKED_QUEUE_PREEMPT_FROM + c, &l->number[c][i]));
        }
        assert_ok(sked_ledger_get(ledger, SKED_LEDGER_USAGE, ids[i],
                                  &l->amount[4][i * 3]));
        assert_ok(sked_ledger_get(ledger, SKED_LEDGER_DEMAND, ids[i],
                                  &l->amount[5][i * 3]));
        assert_ok(sked_ledger_get(ledger, SKED_LEDGER_RUNNING, ids[i],
                                  &l->running[i]));
    }
    l->q = (sked_share_input){.struct_size = sizeof l->q,
                              .kinds = 3,
                              .n = (uint32_t)n,
                              .parent = l->parent,
                              .weight = l->weight,
                              .priority = l->priority,
                              .guarantee = l->amount[0],
                              .limit = l->amount[1],
                              .borrow = l->amount[2],
                              .lend = l->amount[3],
                              .usage = l->amount[4],
                              .demand = l->amount[5],
                              .running = l->running,
                              .state = l->states,
                              .capacity = capacity};
}

static void fill_ledger(sked_ledger *ledger, const sked_tree *tree,
                        test_words *w)
{
    sked_queue_id leaves[ROWS];
    size_t n;

    assert_ok(sked_tree_leaves(tree, leaves, ROWS, &n));
    for (size_t i = 0; i < n; i++) {
        int64_t usage[3], demand[3], running = (int64_t)test_below(w, 2);
        for (size_t k = 0; k < 3; k++) {
            usage[k] = (int64_t)test_below(w, 3) * (int64_t)test_below(w, 500);
            demand[k] = usage[k] + (int64_t)test_below(w, 400);
        }
        assert_ok(sked_ledger_set(ledger, SKED_LEDGER_USAGE, &leaves[i], usage,
                                  1, NULL));
        assert_ok(sked_ledger_set(ledger, SKED_LEDGER_DEMAND, &leaves[i],
                                  demand, 1, NULL));
        assert_ok(sked_ledger_set(ledger, SKED_LEDGER_RUNNING, &leaves[i],
                                  &running, 1, NULL));
    }
}

static void assert_view(const sked_target *t, int32_t column,
                        const int64_t *want, size_t cells)
{
    size_t n;
    const int64_t *got = sked_target_view(t, column, &n);

    assert_non_null(got);
    assert_int_equal(n * 3, cells);
    assert_memory_equal(got, want, cells * sizeof *got);
}

/* One round of both; clocks of the arrays are kept by row, as no row moves. */
static void compare_round(sked_target *t, const sked_target_options *o,
                          const sked_tree *tree, const sked_ledger *ledger,
                          sked_time now, found *f)
{
    const int64_t capacity[] = {700, 900, 1100};
    static laid l;
    sked_target_input in = {.struct_size = sizeof in,
                            .tree = tree,
                            .capacity = capacity,
                            .ledger = ledger};
    sked_target_once_input arrays = {.struct_size = sizeof arrays,
                                     .now = now,
                                     .queues = &l.q,
                                     .preempt_from = l.from,
                                     .min_timeout_ns = l.number[1],
                                     .fair_timeout_ns = l.number[2],
                                     .fair_threshold_ppm = l.number[3],
                                     .min_since = f->min_since,
                                     .fair_since = f->fair_since,
                                     .rounds = f->rounds};

    lay_out(&l, tree, ledger, capacity);
    assert_ok(sked_target_compute(t, &in, now, NULL));
    assert_ok(sked_target_check(t, NULL));
    assert_ok(sked_target_once(&arrays, o, NULL, &f->to, NULL));
    for (int32_t c = SKED_TARGET_COLUMN_SHARE; c <= SKED_TARGET_COLUMN_FIRST;
         c++) {
        assert_view(t, c, f->cells[c - 1], (size_t)l.q.n * 3);
    }
    assert_memory_equal(sked_target_reasons(t, NULL), f->reasons,
                        l.q.n * sizeof *f->reasons);
    assert_memory_equal(sked_target_total(t, SKED_TARGET_TOTAL_NEED, NULL),
                        f->total[0], 3 * sizeof(int64_t));
}

static void a_handle_finds_what_the_arrays_find(void **state)
{
    test_words w = {4};
    static world draws;
    static found f;
    (void)state;

    draws.words.state = 5;
    draws.w.in.kinds = 3;
    for (size_t i = 0; i < test_size(150, 5000); i++) {
        sked_tree_options small = {.struct_size = sizeof small,
                                   .max_queues = ROWS};
        sked_tree *tree = forest_tree(NULL, &small);
        sked_ledger *ledger;
        sked_target *t;
        forest_edit(tree, &w, 60, FOREST_PLAIN);
        assert_ok(sked_tree_commit(tree, SKED_TREE_COMMIT_LENIENT, NULL));
        assert_ok(sked_ledger_new(tree, NULL, NULL, &ledger, NULL));
        draw_options(&draws);
        assert_ok(sked_target_new(&draws.options, NULL, &t, NULL));
        found_of(&f);
        for (size_t row = 0; row < ROWS; row++) {
            f.min_since[row] = f.fair_since[row] = SKED_UNSET;
        }
        for (sked_time now = 0; now < 6; now++) {
            fill_ledger(ledger, tree, &w);
            compare_round(t, &draws.options, tree, ledger,
                          now * INT64_C(20000000000), &f);
        }
        sked_target_free(t);
        sked_ledger_free(ledger);
        sked_tree_free(tree);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_handle_finds_what_the_arrays_find),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
