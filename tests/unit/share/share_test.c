/* The handle by its contract: what it refuses, keeps and explains. */
#include "share_cases.h"

static void nothing_can_be_read_before_something_is_computed(void **state)
{
    world *w = *state;
    int64_t cells[MOST];
    uint8_t bounds[MOST];
    sked_ratio level;
    size_t n = 7;

    assert_status(SKED_ERR_STATE, sked_share_get(w->share, w->a, cells, NULL));
    assert_status(SKED_ERR_STATE,
                  sked_share_column(w->share, 0, cells, MOST, &n, NULL));
    assert_i64((int64_t)n, 0);
    assert_status(SKED_ERR_STATE,
                  sked_share_bounds(w->share, w->tree, w->ledger, 0, bounds,
                                    MOST, &n, NULL));
    assert_status(SKED_ERR_STATE,
                  sked_share_level(w->share, w->a, 0, &level, NULL));
    assert_ok(sked_share_check(w->share, NULL));
}

static void a_commit_is_shared_by_level(void **state)
{
    world *w = *state;
    sked_ratio level;

    assert_ok(compute(w));

    assert_i64(cpu_of(w, w->a), 50);
    assert_i64(cpu_of(w, w->b), 50);
    assert_i64(cpu_of(w, w->a1), 40);
    assert_i64(cpu_of(w, w->a2), 10);
    assert_ok(sked_share_level(w->share, w->a, 0, &level, NULL));
    assert_i64(level.num, 40 * level.den);
    assert_ok(sked_share_level(w->share, w->a, 1, &level, NULL));
    assert_true(level.num == 1 && level.den == 0);
}

static void a_digest_is_of_what_can_be_read(void **state)
{
    world *w = *state;
    int64_t amounts[MOST];
    uint64_t none = sked_share_digest(w->share);

    assert_ok(compute(w));
    uint64_t before = sked_share_digest(w->share);
    assert_true(before != none);
    assert_ok(compute(w));
    assert_true(sked_share_digest(w->share) == before);
    demand(w, w->a1, 1, 1);
    assert_ok(sked_share_query(w->share, w->tree, w->ledger, w->capacity, w->b,
                               amounts, NULL));
    uint64_t partly = sked_share_digest(w->share);
    assert_true(partly != before); /* below the other nothing can be read */
    assert_ok(compute(w));
    uint64_t after = sked_share_digest(w->share);
    assert_true(after != before && after != partly);
    assert_true(sked_share_digest(NULL) == 0);
}

static void bad_arguments_are_refused(void **state)
{
    world *w = *state;
    int64_t cells[MOST];
    uint8_t bounds[MOST];
    sked_ratio level;
    sked_share_stats stats = {.struct_size = 3};
    size_t n;
    sked_error err;

    assert_ok(compute(w));
    assert_status(SKED_ERR_ARG, sked_share_new(NULL, NULL, NULL, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_share_compute(NULL, w->tree, w->ledger, cells, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_share_compute(w->share, NULL, w->ledger, cells, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_share_update(w->share, w->tree, NULL, cells, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_share_query(w->share, w->tree, w->ledger, w->capacity,
                                   w->a, NULL, NULL));
    assert_status(SKED_ERR_STALE,
                  sked_share_query(w->share, w->tree, w->ledger, w->capacity,
                                   12345, cells, &err));
    assert_true(err.queue == 12345);
    assert_status(SKED_ERR_STALE, sked_share_get(w->share, 12345, cells, NULL));
    assert_status(SKED_ERR_ARG, sked_share_get(w->share, w->a, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_share_get(NULL, w->a, cells, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_share_column(w->share, 0, cells, 4, &n, NULL));
    assert_i64((int64_t)n, 5);
    assert_status(SKED_ERR_ARG,
                  sked_share_column(w->share, 2, cells, MOST, &n, NULL));
    assert_status(SKED_ERR_ARG, sked_share_column(w->share, UINT32_MAX, cells,
                                                  MOST, &n, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_share_column(w->share, 0, NULL, MOST, &n, NULL));
    assert_status(SKED_ERR_ARG, sked_share_bounds(w->share, NULL, w->ledger, 0,
                                                  bounds, MOST, &n, NULL));
    assert_status(SKED_ERR_ARG, sked_share_bounds(w->share, w->tree, w->ledger,
                                                  0, NULL, MOST, &n, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_share_level(w->share, w->a1, 0, &level, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_share_level(w->share, w->a, 2, &level, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_share_level(w->share, w->a, 0, NULL, NULL));
    assert_status(SKED_ERR_STALE,
                  sked_share_level(w->share, 999, 0, &level, NULL));
    assert_status(SKED_ERR_VERSION, sked_share_get_stats(w->share, &stats));
    assert_status(SKED_ERR_ARG, sked_share_get_stats(w->share, NULL));
    assert_status(SKED_ERR_ARG, sked_share_reserve(NULL, 1, 1, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_share_reserve(w->share, SKED_MAX_QUEUES + 1, 1, NULL));
    assert_status(SKED_ERR_ARG, sked_share_check(NULL, NULL));
    sked_share_free(NULL);
}

static void options_are_checked(void **state)
{
    const sked_share_options bad[] = {
        {.model = 4},
        {.model = -1},
        {.scope = 3},
        {.rounding = 3},
        {.flags = 16},
        {.model = SKED_SHARE_MODEL_STEADY, .flags = SKED_SHARE_FLAG_ANTICIPATE},
        {.flags = SKED_SHARE_FLAG_GUARANTEED_ONLY},
        {.flags = SKED_SHARE_FLAG_BY_DEMAND},
        {.scope = SKED_SHARE_SCOPE_DOMINANT, .flags = SKED_SHARE_FLAG_BANDS},
        {.scope = SKED_SHARE_SCOPE_DOMINANT, .model = SKED_SHARE_MODEL_STEADY},
    };
    sked_share *share;
    (void)state;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sked_share_options o = bad[i];
        o.struct_size = sizeof o;
        assert_status(SKED_ERR_ARG, sked_share_new(&o, NULL, &share, NULL));
        assert_null(share);
    }
    sked_share_options o = {.struct_size = sizeof o, .kind = 32};
    assert_status(SKED_ERR_RANGE, sked_share_new(&o, NULL, &share, NULL));
    o.struct_size = 0;
    assert_status(SKED_ERR_VERSION, sked_share_new(&o, NULL, &share, NULL));
}

static void capacity_and_ledger_must_fit_the_tree(void **state)
{
    world *w = *state;
    sked_error err;
    sked_schema *other = NULL;
    sked_tree *tree = NULL;

    w->capacity[1] = -1;
    assert_status(
        SKED_ERR_RANGE,
        sked_share_compute(w->share, w->tree, w->ledger, w->capacity, &err));
    assert_i64(err.kind, 1);
    w->capacity[1] = 5;
    add(w->tree, w->b, "b1");
    assert_ok(sked_tree_commit(w->tree, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_status(SKED_ERR_STATE, compute(w));
    assert_ok(sked_schema_parse("gpu", 3, NULL, &other, NULL));
    assert_ok(sked_tree_new(other, NULL, NULL, &tree, NULL));
    assert_status(SKED_ERR_SCHEMA, sked_share_compute(w->share, tree, w->ledger,
                                                      w->capacity, NULL));
    sked_tree_free(tree);
    sked_schema_free(other);
}

static void one_kind_must_be_there(void **state)
{
    world *w = *state;
    sked_share_options o = {
        .struct_size = sizeof o, .scope = SKED_SHARE_SCOPE_ONE_KIND, .kind = 2};
    sked_share *share;

    assert_ok(sked_share_new(&o, NULL, &share, NULL));
    assert_status(SKED_ERR_RANGE, sked_share_compute(share, w->tree, w->ledger,
                                                     w->capacity, NULL));
    sked_share_free(share);
}

/* ---- By change ---- */

static sked_share_stats counts(world *w)
{
    sked_share_stats stats = {.struct_size = sizeof stats};

    assert_ok(sked_share_get_stats(w->share, &stats));
    return stats;
}

static void a_query_fills_the_path_and_no_more(void **state)
{
    world *w = *state;
    int64_t amounts[KINDS], cells[MOST];
    size_t n;

    assert_ok(compute(w));
    sked_share_stats before = counts(w);
    demand(w, w->b, 30, 100);
    assert_ok(sked_share_query(w->share, w->tree, w->ledger, w->capacity, w->b,
                               amounts, NULL));
    sked_share_stats after = counts(w);

    assert_i64(amounts[0], 30);
    assert_i64((int64_t)(after.families - before.families), 1);
    assert_i64((int64_t)(after.full - before.full), 0);
    assert_status(SKED_ERR_STATE,
                  sked_share_get(w->share, w->a1, amounts, NULL));
    assert_status(SKED_ERR_STATE,
                  sked_share_column(w->share, 0, cells, MOST, &n, NULL));
    assert_ok(
        sked_share_update(w->share, w->tree, w->ledger, w->capacity, NULL));
    assert_i64(cpu_of(w, w->a1), 60);
    assert_i64((int64_t)(counts(w).families - after.families), 1);
}

static void a_change_that_alters_nothing_costs_nothing(void **state)
{
    world *w = *state;

    assert_ok(compute(w));
    sked_share_stats before = counts(w);
    assert_ok(
        sked_share_update(w->share, w->tree, w->ledger, w->capacity, NULL));
    demand(w, w->b, 100, 100);
    assert_ok(
        sked_share_update(w->share, w->tree, w->ledger, w->capacity, NULL));
    sked_share_stats after = counts(w);

    assert_i64((int64_t)(after.families - before.families), 0);
    assert_i64((int64_t)(after.computed - before.computed), 2);
    assert_i64((int64_t)(after.full - before.full), 0);
}

/* A copy of the tree that went its own way must not pass for the original. */
static void another_trees_changes_are_not_mistaken_for_ours(void **state)
{
    world *w = *state;
    sked_host hooks = test_host_hooks(&w->host);
    sked_tree *copy = NULL;

    assert_ok(sked_tree_copy(w->tree, &hooks, &copy, NULL));
    assert_ok(sked_tree_set(w->tree, w->a, SKED_QUEUE_WEIGHT, 3, NULL));
    assert_ok(sked_tree_commit(w->tree, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_ok(compute(w));
    assert_i64(cpu_of(w, w->a), 75);
    assert_ok(sked_tree_set(copy, w->b, SKED_QUEUE_WEIGHT, 1, NULL));
    assert_ok(sked_tree_commit(copy, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_ok(sked_tree_set(copy, w->b, SKED_QUEUE_WEIGHT, 4, NULL));
    assert_ok(sked_tree_commit(copy, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_ok(sked_share_update(w->share, copy, w->ledger, w->capacity, NULL));
    assert_i64(cpu_of(w, w->a), 20);
    sked_tree_free(copy);
}

/* ---- Bounds ---- */

static uint8_t bound(world *w, sked_queue_id queue)
{
    uint8_t bounds[MOST];
    size_t n, row;

    assert_ok(
        sked_share_update(w->share, w->tree, w->ledger, w->capacity, NULL));
    assert_ok(sked_share_bounds(w->share, w->tree, w->ledger, 0, bounds, MOST,
                                &n, NULL));
    assert_ok(sked_tree_row(w->tree, queue, &row));
    return bounds[row];
}

static void set_cpu(world *w, sked_queue_id queue, int32_t what, int64_t cpu)
{
    int64_t amounts[KINDS] = {
        cpu, what == SKED_QUEUE_GUARANTEE ? 0 : SKED_UNLIMITED};

    assert_ok(sked_tree_set_vec(w->tree, queue, what, amounts, NULL));
    assert_ok(sked_tree_commit(w->tree, SKED_TREE_COMMIT_LENIENT, NULL));
}

static void every_bound_is_named(void **state)
{
    world *w = *state;

    assert_int_equal(bound(w, w->b), SKED_BOUND_NONE);
    assert_int_equal(bound(w, w->a1), SKED_BOUND_NONE);
    assert_int_equal(bound(w, w->a2), SKED_BOUND_DEMAND);
    demand(w, w->b, 0, 0);
    assert_int_equal(bound(w, w->a1), SKED_BOUND_NONE);
    demand(w, w->a1, 20, 20);
    assert_int_equal(bound(w, w->a), SKED_BOUND_CHILDREN);
    demand(w, w->a1, 100, 20);
    demand(w, w->b, 100, 0);
    set_cpu(w, w->b, SKED_QUEUE_LIMIT, 30);
    assert_int_equal(bound(w, w->b), SKED_BOUND_LIMIT);
    set_cpu(w, w->b, SKED_QUEUE_BORROW, 20);
    assert_int_equal(bound(w, w->b), SKED_BOUND_BORROW);
    demand(w, w->a1, 200, 20);
    set_cpu(w, w->a1, SKED_QUEUE_GUARANTEE, 100);
    assert_int_equal(bound(w, w->a1), SKED_BOUND_GUARANTEE);
    demand(w, w->a1, 10, 0);
    set_cpu(w, w->a1, SKED_QUEUE_LEND, 40);
    assert_int_equal(bound(w, w->a1), SKED_BOUND_LEND);
    assert_i64(cpu_of(w, w->a1), 60);
    demand(w, w->a1, 100, 0);
    set_cpu(w, w->b, SKED_QUEUE_GUARANTEE, 30);
    assert_int_equal(bound(w, w->b), SKED_BOUND_TOTAL);
    set_cpu(w, w->b, SKED_QUEUE_GUARANTEE, 0);
    set_cpu(w, w->b, SKED_QUEUE_BORROW, SKED_UNLIMITED);
    assert_ok(sked_tree_set(w->tree, w->b, SKED_QUEUE_WEIGHT, 0, NULL));
    assert_ok(sked_tree_commit(w->tree, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_int_equal(bound(w, w->b), SKED_BOUND_WEIGHT);
    assert_ok(sked_tree_set(w->tree, w->b, SKED_QUEUE_WEIGHT, 1, NULL));
    assert_ok(sked_tree_set(w->tree, w->b, SKED_QUEUE_STATE,
                            SKED_STATE_DRAINING, NULL));
    assert_ok(sked_tree_commit(w->tree, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_int_equal(bound(w, w->b), SKED_BOUND_IDLE);
}

static void bounds_speak_of_what_was_computed(void **state)
{
    world *w = *state;
    uint8_t bounds[MOST];
    size_t n;

    assert_ok(compute(w));
    demand(w, w->b, 1, 1);
    assert_status(SKED_ERR_STATE,
                  sked_share_bounds(w->share, w->tree, w->ledger, 0, bounds,
                                    MOST, &n, NULL));
}

/* As many kinds as there may be: a query follows a change of the last one. */
static void the_last_of_all_kinds_is_followed(void **state)
{
    char text[4 * SKED_MAX_KINDS];
    int64_t amounts[SKED_MAX_KINDS], capacity[SKED_MAX_KINDS];
    sked_queue_id queue[2];
    world w = {.schema = NULL};
    (void)state;

    for (int k = 0; k < SKED_MAX_KINDS; k++) {
        const char kind[4] = {'k', (char)('a' + k / 8), (char)('a' + k % 8),
                              ' '};
        memcpy(text + (size_t)k * sizeof kind, kind, sizeof kind);
        amounts[k] = 10;
        capacity[k] = 12;
    }
    assert_ok(sked_schema_parse(text, sizeof text - 1, NULL, &w.schema, NULL));
    assert_ok(sked_tree_new(w.schema, NULL, NULL, &w.tree, NULL));
    for (int i = 0; i < 2; i++) {
        assert_ok(sked_tree_add(w.tree, sked_tree_root(w.tree), i ? "b" : "a",
                                &queue[i], NULL));
    }
    assert_ok(sked_tree_commit(w.tree, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_ok(sked_ledger_new(w.tree, NULL, NULL, &w.ledger, NULL));
    assert_ok(sked_share_new(NULL, NULL, &w.share, NULL));
    for (int i = 0; i < 2; i++) {
        assert_ok(sked_ledger_set(w.ledger, SKED_LEDGER_DEMAND, &queue[i],
                                  amounts, 1, NULL));
    }
    assert_ok(sked_share_compute(w.share, w.tree, w.ledger, capacity, NULL));
    amounts[SKED_MAX_KINDS - 1] = 3;
    assert_ok(sked_ledger_set(w.ledger, SKED_LEDGER_DEMAND, &queue[0], amounts,
                              1, NULL));
    assert_ok(sked_share_query(w.share, w.tree, w.ledger, capacity, queue[1],
                               amounts, NULL));
    assert_i64(amounts[0], 6);
    assert_i64(amounts[SKED_MAX_KINDS - 1], 9);
    sked_share_free(w.share);
    sked_ledger_free(w.ledger);
    sked_tree_free(w.tree);
    sked_schema_free(w.schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            nothing_can_be_read_before_something_is_computed, setup, teardown),
        cmocka_unit_test_setup_teardown(a_commit_is_shared_by_level, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_digest_is_of_what_can_be_read, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(bad_arguments_are_refused, setup,
                                        teardown),
        cmocka_unit_test(options_are_checked),
        cmocka_unit_test(the_last_of_all_kinds_is_followed),
        cmocka_unit_test_setup_teardown(capacity_and_ledger_must_fit_the_tree,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(one_kind_must_be_there, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_query_fills_the_path_and_no_more,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(
            a_change_that_alters_nothing_costs_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(
            another_trees_changes_are_not_mistaken_for_ours, setup, teardown),
        cmocka_unit_test_setup_teardown(every_bound_is_named, setup, teardown),
        cmocka_unit_test_setup_teardown(bounds_speak_of_what_was_computed,
                                        setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
