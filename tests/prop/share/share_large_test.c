/*
 * Shares that follow changes in a tree of many queues: the same, bit for bit,
 * as computed anew after every change, at a cost that counters show to be that
 * of the change and not of the tree.
 */
#include "test.h"

#include <sched/share.h>

#include <stdio.h>
#include <stdlib.h>

#include "host.h"
#include "size.h"
#include "words.h"

enum { KINDS = 2, FAN_OUT = 40, DEPTH = 4 };

typedef struct world {
    test_host host;
    test_words words;
    sked_schema *schema;
    sked_tree *tree;
    sked_ledger *ledger;
    sked_share *follower;
    sked_share *anew;
    int64_t capacity[KINDS];
    size_t n;
    sked_queue_id *ids;
    int32_t *children;
    int64_t *want;
    int64_t *got;
} world;

static uint64_t below(world *w, uint64_t n)
{
    return test_below(&w->words, n);
}

static void look(world *w)
{
    size_t n;

    assert_ok(sked_tree_ids(w->tree, w->ids, w->n, &n));
    assert_ok(sked_tree_rows(w->tree, NULL, NULL, w->children, w->n, &n));
    assert_i64((int64_t)n, (int64_t)w->n);
    assert_ok(sked_ledger_follow(w->ledger, w->tree, NULL));
}

static void commit(world *w)
{
    assert_ok(sked_tree_commit(w->tree, SKED_TREE_COMMIT_LENIENT, NULL));
    look(w);
}

static void *new_array(size_t n, size_t size)
{
    void *made = calloc(n, size);

    assert_non_null(made);
    return made;
}

/* Every queue's parent has about FAN_OUT children, as far as n goes. */
static void grow(world *w)
{
    char name[24];

    w->ids[0] = sked_tree_root(w->tree);
    for (size_t i = 1; i < w->n; i++) {
        (void)snprintf(name, sizeof name, "q%zu", i);
        assert_ok(sked_tree_add(w->tree, w->ids[(i - 1) / FAN_OUT], name,
                                &w->ids[i], NULL));
        assert_ok(sked_tree_set(w->tree, w->ids[i], SKED_QUEUE_WEIGHT,
                                1 + (int64_t)below(w, 8), NULL));
    }
    assert_ok(sked_tree_commit(w->tree, SKED_TREE_COMMIT_LENIENT, NULL));
}

static void open_world(world *w, size_t n, int32_t model, int32_t rounding)
{
    sked_share_options options = {
        .struct_size = sizeof options,
        .model = model,
        .rounding = rounding,
        .flags = model == SKED_SHARE_MODEL_ENTITLEMENT
                     ? 0
                     : SKED_SHARE_FLAG_BY_DEMAND,
    };
    sked_host hooks = test_host_hooks(&w->host);

    w->n = n;
    w->ids = new_array(n, sizeof *w->ids);
    w->children = new_array(n, sizeof *w->children);
    w->want = new_array(n, sizeof *w->want);
    w->got = new_array(n, sizeof *w->got);
    assert_ok(
        sked_schema_parse("cpu=m memory=B", 14, &hooks, &w->schema, NULL));
    assert_ok(sked_tree_new(w->schema, NULL, &hooks, &w->tree, NULL));
    grow(w);
    assert_ok(sked_ledger_new(w->tree, NULL, &hooks, &w->ledger, NULL));
    look(w);
    for (uint32_t k = 0; k < KINDS; k++) {
        for (size_t i = 0; i < n; i++) w->got[i] = (int64_t)below(w, 1 << 20);
        assert_ok(
            sked_ledger_put(w->ledger, SKED_LEDGER_DEMAND, k, w->got, n, NULL));
        w->capacity[k] = (int64_t)n << 18;
    }
    assert_ok(sked_share_new(&options, &hooks, &w->follower, NULL));
    assert_ok(sked_share_new(&options, &hooks, &w->anew, NULL));
    assert_ok(
        sked_share_compute(w->follower, w->tree, w->ledger, w->capacity, NULL));
}

static void close_world(world *w)
{
    sked_share_free(w->anew);
    sked_share_free(w->follower);
    sked_ledger_free(w->ledger);
    sked_tree_free(w->tree);
    sked_schema_free(w->schema);
    free(w->ids);
    free(w->children);
    free(w->want);
    free(w->got);
    assert_i64((int64_t)w->host.live, 0);
}

/* ---- Changes ---- */

/* Leaves are the last rows. */
static sked_queue_id any_leaf(world *w)
{
    size_t row;

    do {
        row = w->n - 1 - below(w, w->n / 2);
    } while (w->children[row]);
    return w->ids[row];
}

static sked_queue_id change_demand(world *w)
{
    sked_queue_id queue = any_leaf(w);
    int64_t amounts[KINDS];
    size_t k = below(w, KINDS);

    assert_ok(sked_ledger_get(w->ledger, SKED_LEDGER_DEMAND, queue, amounts));
    amounts[k] = below(w, 4) ? amounts[k] + (int64_t)below(w, 100)
                             : (int64_t)below(w, 1 << 20);
    assert_ok(sked_ledger_set(w->ledger, SKED_LEDGER_DEMAND, &queue, amounts, 1,
                              NULL));
    return queue;
}

static sked_queue_id change_settings(world *w)
{
    sked_queue_id queue = w->ids[1 + below(w, w->n - 1)];
    int64_t limit[KINDS] = {(int64_t)below(w, 1 << 19), SKED_UNLIMITED};

    if (below(w, 2)) {
        assert_ok(sked_tree_set(w->tree, queue, SKED_QUEUE_WEIGHT,
                                (int64_t)below(w, 9), NULL));
    } else {
        assert_ok(
            sked_tree_set_vec(w->tree, queue, SKED_QUEUE_LIMIT, limit, NULL));
    }
    commit(w);
    return queue;
}

/* A subtree goes to another parent of the level above. */
static sked_queue_id move_subtree(world *w)
{
    sked_queue_id queue = w->ids[1 + FAN_OUT + below(w, FAN_OUT)];

    assert_ok(
        sked_tree_move(w->tree, queue, w->ids[1 + below(w, FAN_OUT)], NULL));
    commit(w);
    return queue;
}

/* ---- Comparisons ---- */

static sked_share_stats counts(const sked_share *share)
{
    sked_share_stats stats = {.struct_size = sizeof stats};

    assert_ok(sked_share_get_stats(share, &stats));
    return stats;
}

static void query_equals(world *w, sked_queue_id queue)
{
    int64_t got[KINDS], want[KINDS];

    assert_ok(sked_share_query(w->follower, w->tree, w->ledger, w->capacity,
                               queue, got, NULL));
    assert_ok(sked_share_get(w->anew, queue, want, NULL));
    for (size_t k = 0; k < KINDS; k++) assert_i64(got[k], want[k]);
}

static void update_equals(world *w)
{
    size_t n;

    assert_ok(
        sked_share_update(w->follower, w->tree, w->ledger, w->capacity, NULL));
    for (uint32_t k = 0; k < KINDS; k++) {
        assert_ok(sked_share_column(w->follower, k, w->got, w->n, &n, NULL));
        assert_ok(sked_share_column(w->anew, k, w->want, w->n, &n, NULL));
        assert_memory_equal(w->got, w->want, w->n * sizeof *w->got);
    }
}

static void one_change(world *w, size_t step)
{
    int moves = step % 500 == 499, settles = step % 25 == 24;
    sked_queue_id queue = moves     ? move_subtree(w)
                          : settles ? change_settings(w)
                                    : change_demand(w);

    assert_ok(
        sked_share_compute(w->anew, w->tree, w->ledger, w->capacity, NULL));
    sked_share_stats before = counts(w->follower);
    query_equals(w, below(w, 8) ? queue : any_leaf(w));
    sked_share_stats after = counts(w->follower);
    if (moves) return;
    assert_i64((int64_t)(after.full - before.full), 0);
    assert_true(after.families - before.families <= DEPTH * KINDS);
    assert_true(after.queues - before.queues <= DEPTH * KINDS * 4 * FAN_OUT);
    if (step % 10 == 0) update_equals(w);
}

static void follow_all(int32_t model, int32_t rounding)
{
    static world w;
    size_t n = test_size(2000, 100000), steps = test_size(600, 2500);

    w = (world){.words = {91 + (uint64_t)rounding}};
    open_world(&w, n, model, rounding);
    for (size_t step = 0; step < steps; step++) one_change(&w, step);
    update_equals(&w);
    assert_ok(sked_share_check(w.follower, NULL));
    close_world(&w);
}

static void many_queues_follow_with_prefix_rounding(void **state)
{
    (void)state;
    follow_all(SKED_SHARE_MODEL_ENTITLEMENT, SKED_APPORTION_PREFIX);
    follow_all(SKED_SHARE_MODEL_STEADY, SKED_APPORTION_PREFIX);
}

static void many_queues_follow_with_the_other_roundings(void **state)
{
    (void)state;
    follow_all(SKED_SHARE_MODEL_ENTITLEMENT, SKED_APPORTION_WEBSTER);
    follow_all(SKED_SHARE_MODEL_STEADY, SKED_APPORTION_LARGEST);
}

/* With prefix rounding not even the siblings are looked at, once a family's
 * level is known: the counters of passes and queues stand almost still. */
static void a_change_costs_its_path_and_no_pass(void **state)
{
    static world w;
    size_t n = test_size(2000, 100000), steps = 2000;
    int64_t shares[KINDS];
    (void)state;

    w = (world){.words = {17}};
    open_world(&w, n, SKED_SHARE_MODEL_ENTITLEMENT, SKED_APPORTION_PREFIX);
    sked_queue_id queue = any_leaf(&w);
    int64_t one[KINDS] = {1};
    sked_share_stats before = counts(w.follower);
    for (size_t i = 0; i < steps; i++) {
        assert_ok(sked_ledger_add(w.ledger, SKED_LEDGER_DEMAND, &queue, one, 1,
                                  NULL));
        assert_ok(sked_share_query(w.follower, w.tree, w.ledger, w.capacity,
                                   queue, shares, NULL));
    }
    sked_share_stats after = counts(w.follower);
    assert_true(after.queues - before.queues <= steps * DEPTH);
    assert_true(after.passes - before.passes <= 2 * DEPTH);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_queues_follow_with_prefix_rounding),
        cmocka_unit_test(many_queues_follow_with_the_other_roundings),
        cmocka_unit_test(a_change_costs_its_path_and_no_pass),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
