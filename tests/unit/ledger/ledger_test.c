#include "test.h"

#include <sched/ledger.h>
#include <sched/tree.h>

#include "host.h"
#include "ledger/handle.h"
#include "ledger_world.h"

static void parents_have_what_their_children_have(void **state)
{
    world *w = *state;

    set(w, SKED_LEDGER_USAGE, w->ads, 3, 30);
    set(w, SKED_LEDGER_USAGE, w->web, 4, 40);
    set(w, SKED_LEDGER_USAGE, w->ops, 5, 50);
    set(w, SKED_LEDGER_RUNNING, w->ads, 7, 0);

    must_have(w, SKED_LEDGER_USAGE, w->eng, 7, 70);
    must_have(w, SKED_LEDGER_USAGE, w->root, 12, 120);
    must_have(w, SKED_LEDGER_RUNNING, w->root, 7, 0);
    must_have(w, SKED_LEDGER_DEMAND, w->root, 0, 0);
    assert_ok(sked_ledger_check(w->ledger, NULL));
}

static void rows_of_one_call_count_in_their_order(void **state)
{
    world *w = *state;
    const sked_queue_id queues[3] = {w->ads, w->ads, w->web};
    const int64_t amounts[3 * KINDS] = {5, 1, -5, 2, 9, 9};

    assert_ok(sked_ledger_add(w->ledger, SKED_LEDGER_DEMAND, queues, amounts, 3,
                              NULL));

    must_have(w, SKED_LEDGER_DEMAND, w->ads, 0, 3);
    must_have(w, SKED_LEDGER_DEMAND, w->root, 9, 12);
}

/* Above the largest amount on the way, within it in the end. */
static void only_the_end_of_a_sum_counts(void **state)
{
    world *w = *state;
    const sked_queue_id queues[2] = {w->ops, w->ads};
    const int64_t amounts[2 * KINDS] = {SKED_AMOUNT_MAX, 0, -SKED_AMOUNT_MAX,
                                        0};

    set(w, SKED_LEDGER_USAGE, w->ads, SKED_AMOUNT_MAX, 1);
    assert_ok(sked_ledger_add(w->ledger, SKED_LEDGER_USAGE, queues, amounts, 2,
                              NULL));

    must_have(w, SKED_LEDGER_USAGE, w->root, SKED_AMOUNT_MAX, 1);
    assert_ok(sked_ledger_check(w->ledger, NULL));
}

static void must_refuse(world *w, sked_status want, const sked_queue_id *queues,
                        const int64_t *amounts, size_t n, int64_t row)
{
    uint64_t digest = sked_ledger_digest(w->ledger);
    skedi_ledger_mark mark = skedi_ledger_now(w->ledger);
    sked_error err;

    assert_status(want, sked_ledger_add(w->ledger, SKED_LEDGER_USAGE, queues,
                                        amounts, n, &err));
    assert_i64(err.row, row);
    assert_true(sked_ledger_digest(w->ledger) == digest);
    assert_true(skedi_ledger_now(w->ledger).chain == mark.chain);
}

static void a_refused_row_takes_the_call_back(void **state)
{
    world *w = *state;
    const sked_queue_id leaves[2] = {w->ads, w->web};
    const sked_queue_id parent[2] = {w->ads, w->eng};
    const sked_queue_id stale[2] = {w->ads, w->web + ((sked_queue_id)9 << 32)};
    const int64_t below[4] = {1, 1, 1, -6};
    const int64_t above[4] = {SKED_AMOUNT_MAX, 1, 0, 1};
    const int64_t fine[4] = {1, 1, 1, 1};

    set(w, SKED_LEDGER_USAGE, w->web, 5, 5);
    must_refuse(w, SKED_ERR_RANGE, leaves, below, 2, 1);
    must_refuse(w, SKED_ERR_RANGE, leaves, above, 2, 1);
    must_refuse(w, SKED_ERR_ARG, parent, fine, 2, 1);
    must_refuse(w, SKED_ERR_STALE, stale, fine, 2, 1);
}

static void words_that_mean_nothing_are_refused(void **state)
{
    world *w = *state;
    sked_ledger *made = (sked_ledger *)w;
    sked_ledger_options opts = {.struct_size = sizeof opts, .flags = 1};
    sked_host host = {.struct_size = 1};
    const sked_host strange = {.struct_size = sizeof strange, .flags = 64};

    assert_status(SKED_ERR_ARG, sked_ledger_new(NULL, NULL, NULL, &made, NULL));
    assert_null(made);
    assert_status(SKED_ERR_ARG,
                  sked_ledger_new(w->tree, NULL, NULL, NULL, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_ledger_new(w->tree, &opts, NULL, &made, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_ledger_new(w->tree, NULL, &strange, &made, NULL));
    opts = (sked_ledger_options){.struct_size = 1};
    assert_status(SKED_ERR_VERSION,
                  sked_ledger_new(w->tree, &opts, NULL, &made, NULL));
    opts = (sked_ledger_options){.struct_size = sizeof opts,
                                 .half_life_ns = -1};
    assert_status(SKED_ERR_RANGE,
                  sked_ledger_new(w->tree, &opts, NULL, &made, NULL));
    assert_status(SKED_ERR_VERSION,
                  sked_ledger_copy(w->ledger, &host, &made, NULL));
    assert_status(SKED_ERR_ARG, sked_ledger_copy(NULL, NULL, &made, NULL));
    assert_status(SKED_ERR_ARG, sked_ledger_copy(w->ledger, NULL, NULL, NULL));
    sked_ledger_free(NULL);
}

static void writes_that_mean_nothing_are_refused(void **state)
{
    world *w = *state;
    int64_t amounts[5] = {0};

    assert_status(SKED_ERR_ARG,
                  sked_ledger_set(NULL, 1, &w->ads, amounts, 1, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_ledger_set(w->ledger, 1, NULL, amounts, 1, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_ledger_set(w->ledger, 1, &w->ads, NULL, 1, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_ledger_set(w->ledger, 0, &w->ads, amounts, 1, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_ledger_set(w->ledger, 5, &w->ads, amounts, 1, NULL));
    assert_ok(sked_ledger_set(w->ledger, 1, NULL, NULL, 0, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_ledger_set(w->ledger, 1, &w->ads, amounts,
                                  (size_t)INT32_MAX + 1, NULL));

    assert_status(SKED_ERR_ARG, sked_ledger_put(NULL, 1, 0, amounts, 5, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_ledger_put(w->ledger, 1, 0, NULL, 5, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_ledger_put(w->ledger, 1, KINDS, amounts, 5, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_ledger_put(w->ledger, 1, UINT32_MAX, amounts, 5, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_ledger_put(w->ledger, 4, 1, amounts, 5, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_ledger_put(w->ledger, 1, 0, amounts, 4, NULL));
}

static void reads_that_mean_nothing_are_refused(void **state)
{
    world *w = *state;
    int64_t amounts[5] = {0};
    size_t n = 7;

    assert_status(SKED_ERR_ARG, sked_ledger_get(NULL, 1, w->ads, amounts));
    assert_status(SKED_ERR_ARG, sked_ledger_get(w->ledger, 1, w->ads, NULL));
    assert_status(SKED_ERR_ARG, sked_ledger_get(w->ledger, 9, w->ads, amounts));
    assert_status(SKED_ERR_STALE,
                  sked_ledger_get(w->ledger, 1, SKED_NO_QUEUE, amounts));
    assert_status(SKED_ERR_STALE,
                  sked_ledger_get(w->ledger, 1, UINT32_MAX, amounts));
    assert_null(sked_ledger_view(NULL, 1, 0, &n));
    assert_null(sked_ledger_view(w->ledger, 1, UINT32_MAX, &n));
    assert_null(sked_ledger_view(w->ledger, 1, KINDS, &n));
    assert_i64((int64_t)n, 7);
    assert_non_null(sked_ledger_view(w->ledger, 1, 0, NULL));
}

static void a_ledger_that_is_none_is_refused(void **state)
{
    world *w = *state;

    assert_status(SKED_ERR_ARG, sked_ledger_follow(NULL, w->tree, NULL));
    assert_status(SKED_ERR_ARG, sked_ledger_follow(w->ledger, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_ledger_reserve(NULL, 1, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_ledger_reserve(w->ledger, SKED_MAX_QUEUES + 1, NULL));
    assert_status(SKED_ERR_ARG, sked_ledger_decay(NULL, SKED_NOW, NULL));
    assert_status(SKED_ERR_ARG, sked_ledger_decay(NULL, 1, NULL));
    assert_status(SKED_ERR_STATE, sked_ledger_decay(w->ledger, SKED_NOW, NULL));
    assert_status(SKED_ERR_ARG, sked_ledger_check(NULL, NULL));
    assert_true(sked_ledger_digest(NULL) == 0);
    assert_true(sked_ledger_version(NULL) == 0);
}

static void amounts_go_along_with_ids(void **state)
{
    world *w = *state;

    set(w, SKED_LEDGER_USAGE, w->ads, 3, 30);
    set(w, SKED_LEDGER_DEMAND, w->ops, 1, 2);
    assert_ok(sked_tree_move(w->tree, w->ads, w->root, NULL));
    sked_queue_id ml = add(w->tree, w->root, "ml");
    assert_ok(sked_tree_commit(w->tree, SKED_TREE_COMMIT_STRICT, NULL));
    assert_ok(sked_ledger_follow(w->ledger, w->tree, NULL));

    must_have(w, SKED_LEDGER_USAGE, w->ads, 3, 30);
    must_have(w, SKED_LEDGER_USAGE, w->eng, 0, 0);
    must_have(w, SKED_LEDGER_USAGE, w->root, 3, 30);
    must_have(w, SKED_LEDGER_USAGE, ml, 0, 0);
    assert_true(sked_ledger_version(w->ledger) == sked_tree_version(w->tree));
}

/* The same numbers, the same shape, other queues. */
static void another_tree_is_refused(void **state)
{
    world *w = *state;
    sked_tree *tree = make_tree("cpu", "memory");
    sked_queue_id a = add(tree, sked_tree_root(tree), "other"), same;
    sked_error err;

    assert_true(add(tree, a, "x") == w->ads);
    (void)add(tree, a, "y");
    (void)add(tree, sked_tree_root(tree), "z");
    assert_ok(sked_tree_commit(tree, SKED_TREE_COMMIT_STRICT, NULL));
    same = w->ads;
    set(w, SKED_LEDGER_HISTORY, w->ads, 0, 7);
    uint64_t digest = sked_ledger_digest(w->ledger);
    assert_status(SKED_ERR_STATE, sked_ledger_follow(w->ledger, tree, &err));
    assert_true(err.queue == same);
    assert_string_equal(err.message,
                        "the tree is neither the ledger's nor a copy of it");
    assert_true(sked_ledger_digest(w->ledger) == digest);

    set(w, SKED_LEDGER_HISTORY, w->ads, 0, 0); /* nothing to go astray */
    assert_ok(sked_ledger_follow(w->ledger, tree, NULL));
    must_have(w, SKED_LEDGER_USAGE, same, 0, 0);
    sked_tree_free(tree);
}

static void a_copy_that_went_its_own_way_is_followed(void **state)
{
    world *w = *state;
    sked_tree *copy = NULL;

    set(w, SKED_LEDGER_USAGE, w->ads, 3, 30);
    assert_ok(sked_tree_copy(w->tree, NULL, &copy, NULL));
    sked_queue_id here = add(w->tree, w->root, "here");
    sked_queue_id there = add(copy, w->root, "there");
    assert_true(here == there);
    assert_ok(sked_tree_commit(w->tree, SKED_TREE_COMMIT_STRICT, NULL));
    assert_ok(sked_tree_commit(copy, SKED_TREE_COMMIT_STRICT, NULL));

    assert_ok(sked_ledger_follow(w->ledger, w->tree, NULL));
    assert_ok(sked_ledger_follow(w->ledger, copy, NULL));
    must_have(w, SKED_LEDGER_USAGE, w->ads, 3, 30);
    set(w, SKED_LEDGER_USAGE, there, 1, 0);
    assert_status(SKED_ERR_STATE, sked_ledger_follow(w->ledger, w->tree, NULL));
    sked_tree_free(copy);
}

static void a_commit_of_the_same_rows_costs_no_history(void **state)
{
    world *w = *state;
    skedi_ledger_mark mark = skedi_ledger_now(w->ledger);

    assert_ok(sked_tree_set(w->tree, w->ads, SKED_QUEUE_WEIGHT, 5, NULL));
    assert_ok(sked_tree_commit(w->tree, SKED_TREE_COMMIT_STRICT, NULL));
    assert_ok(sked_ledger_follow(w->ledger, w->tree, NULL));

    assert_true(sked_ledger_version(w->ledger) == sked_tree_version(w->tree));
    assert_true(skedi_ledger_now(w->ledger).chain == mark.chain);
}

static void a_busy_leaf_may_not_become_a_parent(void **state)
{
    world *w = *state;
    uint64_t digest;
    sked_error err;

    set(w, SKED_LEDGER_RUNNING, w->ops, 1, 0);
    digest = sked_ledger_digest(w->ledger);
    (void)add(w->tree, w->ops, "night");
    assert_ok(sked_tree_commit(w->tree, SKED_TREE_COMMIT_STRICT, NULL));

    assert_status(SKED_ERR_STATE, sked_ledger_follow(w->ledger, w->tree, &err));
    assert_true(err.queue == w->ops);
    assert_true(sked_ledger_digest(w->ledger) == digest);
    set(w, SKED_LEDGER_RUNNING, w->ops, 0, 0);
    assert_ok(sked_ledger_follow(w->ledger, w->tree, NULL));
}

static void other_kinds_are_another_schema(void **state)
{
    world *w = *state;
    sked_tree *tree = make_tree("cpu", "disk");
    sked_error err;

    assert_status(SKED_ERR_SCHEMA, sked_ledger_follow(w->ledger, tree, &err));
    assert_i64(err.kind, 1);
    sked_tree_free(tree);
}

static void columns_are_put_whole(void **state)
{
    world *w = *state;
    size_t row, n;
    int64_t by_row[5] = {-9, -9, -9, -9, -9}; /* of parents: not read */

    assert_ok(sked_tree_row(w->tree, w->ads, &row));
    by_row[row] = 3;
    assert_ok(sked_tree_row(w->tree, w->web, &row));
    by_row[row] = 4;
    assert_ok(sked_tree_row(w->tree, w->ops, &row));
    by_row[row] = 5;
    assert_ok(
        sked_ledger_put(w->ledger, SKED_LEDGER_DEMAND, 1, by_row, 5, NULL));

    must_have(w, SKED_LEDGER_DEMAND, w->eng, 0, 7);
    must_have(w, SKED_LEDGER_DEMAND, w->root, 0, 12);
    const int64_t *view = sked_ledger_view(w->ledger, SKED_LEDGER_DEMAND, 1,
                                           &n);
    assert_i64((int64_t)n, 5);
    assert_i64(view[0], 12);

    sked_error err;
    by_row[row] = SKED_AMOUNT_MAX;
    assert_status(SKED_ERR_RANGE, sked_ledger_put(w->ledger, SKED_LEDGER_DEMAND,
                                                  1, by_row, 5, &err));
    assert_true(err.queue == w->root);
    must_have(w, SKED_LEDGER_DEMAND, w->root, 0, 12);

    by_row[row] = -1;
    assert_status(SKED_ERR_RANGE, sked_ledger_put(w->ledger, SKED_LEDGER_DEMAND,
                                                  1, by_row, 5, &err));
    assert_true(err.queue == w->ops && err.row == (int64_t)row);
    assert_i64(err.got, -1);
    must_have(w, SKED_LEDGER_DEMAND, w->root, 0, 12);
}

static void history_halves_in_a_half_life(void **state)
{
    world *w = *state;
    sked_ledger_options opts = {.struct_size = sizeof opts,
                                .half_life_ns = 1000};
    sked_ledger *held = w->ledger;

    assert_ok(sked_ledger_new(w->tree, &opts, NULL, &w->ledger, NULL));
    assert_ok(sked_ledger_decay(w->ledger, INT64_MIN + 1, NULL));
    set(w, SKED_LEDGER_HISTORY, w->ads, 800, 1);
    set(w, SKED_LEDGER_HISTORY, w->web, 801, 0);
    assert_ok(sked_ledger_decay(w->ledger, INT64_MIN + 1000 + 1, NULL));
    must_have(w, SKED_LEDGER_HISTORY, w->ads, 400, 0);
    must_have(w, SKED_LEDGER_HISTORY, w->eng, 800, 0);
    assert_ok(sked_ledger_decay(w->ledger, INT64_MIN + 10, NULL));
    must_have(w, SKED_LEDGER_HISTORY, w->eng, 800, 0);
    assert_ok(sked_ledger_decay(w->ledger, INT64_MAX, NULL));
    must_have(w, SKED_LEDGER_HISTORY, w->root, 0, 0);
    sked_ledger_free(w->ledger);
    w->ledger = held;
}

/* All of time is two of the longest half-lives. */
static void the_longest_half_life_passes_twice(void **state)
{
    world *w = *state;
    const sked_ledger_options opts = {.struct_size = sizeof opts,
                                      .half_life_ns = INT64_MAX};
    sked_ledger *held = w->ledger;

    assert_ok(sked_ledger_new(w->tree, &opts, NULL, &w->ledger, NULL));
    assert_ok(sked_ledger_decay(w->ledger, INT64_MIN + 1, NULL));
    set(w, SKED_LEDGER_HISTORY, w->ads, 1000, 0);
    assert_ok(sked_ledger_decay(w->ledger, INT64_MAX, NULL));
    must_have(w, SKED_LEDGER_HISTORY, w->root, 250, 0);
    sked_ledger_free(w->ledger);
    w->ledger = held;
}

static sked_time noon(void *user)
{
    (void)user;
    return 12;
}

static void the_clock_is_asked_for_the_time(void **state)
{
    world *w = *state;
    sked_host host = {.struct_size = sizeof host, .clock = noon};
    sked_ledger *ledger;
    const int64_t amounts[KINDS] = {8, 8};

    assert_ok(sked_ledger_new(w->tree, NULL, &host, &ledger, NULL));
    assert_ok(sked_ledger_decay(ledger, SKED_NOW, NULL));
    assert_ok(sked_ledger_add(ledger, SKED_LEDGER_HISTORY, &w->ads, amounts, 1,
                              NULL));
    assert_i64(ledger->time, 12);
    assert_ok(sked_ledger_decay(ledger, 1000, NULL)); /* no half-life */
    assert_i64(sked_ledger_view(ledger, SKED_LEDGER_HISTORY, 0, NULL)[0], 8);
    sked_ledger_free(ledger);
}

/* Every kind of change, and following a larger tree; fails where told. */
static sked_status whole_life(test_host *h, void *arg)
{
    const world *w = arg;
    sked_host hooks = test_host_hooks(h);
    sked_ledger *ledger = NULL, *copy = NULL;
    const sked_queue_id queues[2] = {w->ads, w->web};
    const int64_t amounts[5] = {1, 2, 3, 4, 5};
    sked_status rc = sked_ledger_new(w->tree, NULL, &hooks, &ledger, NULL);

    if (rc != SKED_OK) return rc;
    rc = sked_ledger_set(ledger, SKED_LEDGER_USAGE, queues, amounts, 2, NULL);
    if (rc == SKED_OK) rc = sked_ledger_put(ledger, 2, 0, amounts, 5, NULL);
    if (rc == SKED_OK) rc = sked_ledger_copy(ledger, &hooks, &copy, NULL);
    sked_ledger_free(copy);
    if (rc == SKED_OK) rc = sked_ledger_reserve(ledger, 100, NULL);
    sked_tree *tree = NULL;
    assert_ok(sked_tree_copy(w->tree, NULL, &tree, NULL));
    (void)add(tree, w->root, "ml");
    assert_ok(sked_tree_commit(tree, SKED_TREE_COMMIT_STRICT, NULL));
    uint64_t digest = sked_ledger_digest(ledger);
    if (rc == SKED_OK) rc = sked_ledger_follow(ledger, tree, NULL);
    if (rc != SKED_OK) assert_true(sked_ledger_digest(ledger) == digest);
    assert_ok(sked_ledger_check(ledger, NULL));
    sked_tree_free(tree);
    sked_ledger_free(ledger);
    return rc;
}

/* The scratch of a call is asked for by whoever comes first. */
static sked_status put_first(test_host *h, void *arg)
{
    const world *w = arg;
    sked_host hooks = test_host_hooks(h);
    sked_ledger *ledger;
    const int64_t amounts[5] = {1, 2, 3, 4, 5};
    sked_status rc = sked_ledger_new(w->tree, NULL, &hooks, &ledger, NULL);

    if (rc != SKED_OK) return rc;
    rc = sked_ledger_put(ledger, SKED_LEDGER_USAGE, 0, amounts, 5, NULL);
    sked_ledger_free(ledger);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    test_sweep(whole_life, *state, 0);
    test_sweep(put_first, *state, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ledger_case(parents_have_what_their_children_have),
        ledger_case(rows_of_one_call_count_in_their_order),
        ledger_case(only_the_end_of_a_sum_counts),
        ledger_case(a_refused_row_takes_the_call_back),
        ledger_case(words_that_mean_nothing_are_refused),
        ledger_case(writes_that_mean_nothing_are_refused),
        ledger_case(reads_that_mean_nothing_are_refused),
        ledger_case(a_ledger_that_is_none_is_refused),
        ledger_case(amounts_go_along_with_ids),
        ledger_case(another_tree_is_refused),
        ledger_case(a_copy_that_went_its_own_way_is_followed),
        ledger_case(a_commit_of_the_same_rows_costs_no_history),
        ledger_case(a_busy_leaf_may_not_become_a_parent),
        ledger_case(other_kinds_are_another_schema),
        ledger_case(columns_are_put_whole),
        ledger_case(history_halves_in_a_half_life),
        ledger_case(the_longest_half_life_passes_twice),
        ledger_case(the_clock_is_asked_for_the_time),
        ledger_case(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
