/* The handle by its contract: what it refuses, keeps, explains, and costs. */
#include "test.h"

#include <sched/share.h>

#include <string.h>

#include "host.h"

enum { KINDS = 2, MOST = 16 };

typedef struct world {
    test_host host;
    sked_schema *schema;
    sked_tree *tree;
    sked_ledger *ledger;
    sked_share *share;
    sked_queue_id a, b, a1, a2;
    int64_t capacity[KINDS];
} world;

static sked_queue_id add(sked_tree *tree, sked_queue_id up, const char *name)
{
    sked_queue_id id = SKED_NO_QUEUE;

    assert_ok(sked_tree_add(tree, up, name, &id, NULL));
    return id;
}

static void demand(world *w, sked_queue_id queue, int64_t cpu, int64_t memory)
{
    int64_t amounts[KINDS] = {cpu, memory};

    assert_ok(sked_ledger_set(w->ledger, SKED_LEDGER_DEMAND, &queue, amounts, 1,
                              NULL));
}

static int setup(void **state)
{
    static world w;
    sked_host hooks;

    w = (world){.capacity = {100, 1000}};
    hooks = test_host_hooks(&w.host);
    assert_ok(sked_schema_parse("cpu=m memory=B", 14, &hooks, &w.schema, NULL));
    assert_ok(sked_tree_new(w.schema, NULL, &hooks, &w.tree, NULL));
    w.a = add(w.tree, sked_tree_root(w.tree), "a");
    w.b = add(w.tree, sked_tree_root(w.tree), "b");
    w.a1 = add(w.tree, w.a, "a1");
    w.a2 = add(w.tree, w.a, "a2");
    assert_ok(sked_tree_commit(w.tree, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_ok(sked_ledger_new(w.tree, NULL, &hooks, &w.ledger, NULL));
    assert_ok(sked_share_new(NULL, &hooks, &w.share, NULL));
    demand(&w, w.b, 100, 100);
    demand(&w, w.a1, 100, 100);
    demand(&w, w.a2, 10, 100);
    *state = &w;
    return 0;
}

static int teardown(void **state)
{
    world *w = *state;

    sked_share_free(w->share);
    sked_ledger_free(w->ledger);
    sked_tree_free(w->tree);
    sked_schema_free(w->schema);
    return w->host.live == 0 ? 0 : -1;
}

static sked_status compute(world *w)
{
    return sked_share_compute(w->share, w->tree, w->ledger, w->capacity, NULL);
}

static int64_t cpu_of(world *w, sked_queue_id queue)
{
    int64_t amounts[KINDS];

    assert_ok(sked_share_get(w->share, queue, amounts, NULL));
    return amounts[0];
}

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
    assert_status(SKED_ERR_ARG,
                  sked_share_column(w->share, -1, cells, MOST, &n, NULL));
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

/* ---- Memory and stopping ---- */

static void a_reserved_handle_never_allocates(void **state)
{
    world *w = *state;
    int64_t amounts[KINDS];

    assert_ok(compute(w));
    assert_ok(sked_share_reserve(w->share, 8, KINDS, NULL));
    assert_i64(cpu_of(w, w->a), 50); /* what was computed stands */
    w->host.trap = 1;
    for (int64_t i = 0; i < 4; i++) {
        assert_ok(compute(w));
        demand(w, w->a1, 10 + i, 5);
        assert_ok(sked_share_query(w->share, w->tree, w->ledger, w->capacity,
                                   w->a1, amounts, NULL));
        demand(w, w->b, 10 + i, 5);
        assert_ok(
            sked_share_update(w->share, w->tree, w->ledger, w->capacity, NULL));
        assert_ok(sked_share_check(w->share, NULL));
    }
    w->host.trap = 0;
}

/* Builds its own world over `h`; shares of last time stand after a failure. */
static sked_status build(test_host *h, world *w)
{
    sked_host hooks = test_host_hooks(h);
    sked_status rc = sked_schema_parse("cpu=m memory=B", 14, &hooks, &w->schema,
                                       NULL);
    char name[] = "q0";
    sked_queue_id id, up = SKED_NO_QUEUE;

    if (rc == SKED_OK)
        rc = sked_tree_new(w->schema, NULL, &hooks, &w->tree, NULL);
    for (int i = 0; rc == SKED_OK && i < 9; i++) {
        name[1] = (char)('0' + i);
        up = i % 3 ? w->a : sked_tree_root(w->tree);
        rc = sked_tree_add(w->tree, up, name, &id, NULL);
        if (i % 3 == 0) w->a = id;
    }
    if (rc == SKED_OK) rc = sked_tree_commit(w->tree, 0, NULL);
    if (rc == SKED_OK) {
        rc = sked_ledger_new(w->tree, NULL, &hooks, &w->ledger, NULL);
    }
    return rc;
}

static sked_status one_demand(world *w, int64_t amount)
{
    sked_queue_id leaves[MOST];
    int64_t amounts[MOST * KINDS];
    size_t n = 0;
    sked_status rc = sked_tree_leaves(w->tree, leaves, MOST, &n);

    for (size_t i = 0; i < n * KINDS; i++) amounts[i] = amount + (int64_t)i;
    if (rc != SKED_OK) return rc;
    return sked_ledger_set(w->ledger, SKED_LEDGER_DEMAND, leaves, amounts, n,
                           NULL);
}

static int same_shares(const sked_share *share, const int64_t *want, size_t n)
{
    int64_t cells[MOST];
    size_t got;

    return sked_share_column(share, 0, cells, MOST, &got, NULL) == SKED_OK &&
           got == n && memcmp(cells, want, n * sizeof *cells) == 0 &&
           sked_share_check(share, NULL) == SKED_OK;
}

static sked_status compute_and_change(test_host *h, void *arg)
{
    const sked_share_options *options = arg;
    world w = {.capacity = {50, 70}};
    sked_host hooks = test_host_hooks(h);
    int64_t before[MOST];
    size_t n = 0;
    sked_status rc = build(h, &w), failed = SKED_OK;

    if (rc == SKED_OK) rc = one_demand(&w, 5);
    if (rc == SKED_OK) rc = sked_share_new(options, &hooks, &w.share, NULL);
    if (rc == SKED_OK) rc = compute(&w);
    if (rc == SKED_OK)
        rc = sked_share_column(w.share, 0, before, MOST, &n, NULL);
    if (rc == SKED_OK) rc = one_demand(&w, 9);
    if (rc == SKED_OK) {
        failed = sked_share_update(w.share, w.tree, w.ledger, w.capacity, NULL);
        if (failed != SKED_OK && !same_shares(w.share, before, n)) {
            failed = SKED_ERR_INTERNAL;
        }
        rc = failed;
    }
    if (rc == SKED_OK)
        rc = sked_share_column(w.share, 0, before, MOST, &n, NULL);
    if (rc == SKED_OK) {
        rc = compute(&w);
        if (rc != SKED_OK && !same_shares(w.share, before, n)) {
            rc = SKED_ERR_INTERNAL;
        }
    }
    if (rc == SKED_OK) rc = sked_share_reserve(w.share, 64, KINDS, NULL);
    sked_share_free(w.share);
    sked_ledger_free(w.ledger);
    sked_tree_free(w.tree);
    sked_schema_free(w.schema);
    return rc;
}

static void every_failure_leaves_the_shares_of_last_time(void **state)
{
    sked_share_options options[] = {
        {.struct_size = sizeof options[0]},
        {.struct_size = sizeof options[0],
         .model = SKED_SHARE_MODEL_INSTANTANEOUS},
        {.struct_size = sizeof options[0], .scope = SKED_SHARE_SCOPE_DOMINANT},
    };
    (void)state;

    for (size_t i = 0; i < 3; i++) {
        test_sweep(compute_and_change, &options[i], 0);
    }
}

/* ---- Stopped half way: trees large enough for the host to be asked ---- */

enum { BRANCHES = 3, LEAVES = 3000, ALL = 1 + BRANCHES * (LEAVES + 1) };

static sked_status grow(sked_tree *tree)
{
    sked_status rc = SKED_OK;
    sked_queue_id branch, root = sked_tree_root(tree);
    char name[8] = "b0";

    for (int i = 0; i < BRANCHES && rc == SKED_OK; i++) {
        name[1] = (char)('0' + i);
        rc = sked_tree_add(tree, root, name, &branch, NULL);
        for (int j = 0; j < LEAVES && rc == SKED_OK; j++) {
            char leaf[5] = {(char)('0' + j / 1000), (char)('0' + j / 100 % 10),
                            (char)('0' + j / 10 % 10), (char)('0' + j % 10), 0};
            rc = sked_tree_add(tree, branch, leaf, NULL, NULL);
        }
    }
    return rc == SKED_OK ? sked_tree_commit(tree, 0, NULL) : rc;
}

static void want(sked_ledger *ledger, const sked_queue_id *ids, size_t row,
                 int64_t amount)
{
    int64_t amounts[KINDS] = {amount, amount};

    assert_ok(sked_ledger_set(ledger, SKED_LEDGER_DEMAND, &ids[row], amounts, 1,
                              NULL));
}

typedef struct large {
    test_host host;
    sked_schema *schema;
    sked_tree *tree;
    sked_ledger *ledger;
    sked_share *share;
    sked_share *anew;
    int64_t capacity[KINDS];
    sked_queue_id ids[ALL];
    int64_t before[KINDS][ALL];
    int64_t after[KINDS][ALL];
    int64_t cells[ALL];
} large;

static void columns_are(large *l, const sked_share *share,
                        int64_t (*want_cells)[ALL])
{
    size_t n;

    for (int32_t k = 0; k < KINDS; k++) {
        assert_ok(sked_share_column(share, k, l->cells, ALL, &n, NULL));
        assert_memory_equal(l->cells, want_cells[k], sizeof l->cells);
    }
    assert_ok(sked_share_check(share, NULL));
}

static void keep_columns(const sked_share *share, int64_t (*into)[ALL])
{
    size_t n;

    for (int32_t k = 0; k < KINDS; k++) {
        assert_ok(sked_share_column(share, k, into[k], ALL, &n, NULL));
    }
}

/* The root follows demand in the first kind and is short in the second. */
static void open_large(large *l)
{
    sked_host hooks = test_host_hooks(&l->host);
    size_t n;

    l->capacity[0] = SKED_AMOUNT_MAX;
    l->capacity[1] = 60000; /* a level among what leaves want */
    assert_ok(sked_schema_parse("cpu=m memory=B", 14, NULL, &l->schema, NULL));
    assert_ok(sked_tree_new(l->schema, NULL, NULL, &l->tree, NULL));
    assert_ok(grow(l->tree));
    assert_ok(sked_ledger_new(l->tree, NULL, NULL, &l->ledger, NULL));
    assert_ok(sked_tree_ids(l->tree, l->ids, ALL, &n));
    for (size_t i = 1 + BRANCHES; i < ALL; i++) {
        want(l->ledger, l->ids, i, 5 + (int64_t)(i % 7));
    }
    assert_ok(sked_share_new(NULL, &hooks, &l->share, NULL));
    assert_ok(sked_share_new(NULL, NULL, &l->anew, NULL));
    assert_ok(
        sked_share_compute(l->share, l->tree, l->ledger, l->capacity, NULL));
    keep_columns(l->share, l->before);
}

static void close_large(large *l)
{
    sked_share_free(l->anew);
    sked_share_free(l->share);
    sked_ledger_free(l->ledger);
    sked_tree_free(l->tree);
    sked_schema_free(l->schema);
    assert_i64((int64_t)l->host.live, 0);
}

static sked_status catch_up_with(large *l, int which)
{
    int64_t amounts[KINDS];

    switch (which) {
    case 0:
        return sked_share_update(l->share, l->tree, l->ledger, l->capacity,
                                 NULL);
    case 1:
        return sked_share_query(l->share, l->tree, l->ledger, l->capacity,
                                l->ids[ALL - 1], amounts, NULL);
    default:
        return sked_share_compute(l->share, l->tree, l->ledger, l->capacity,
                                  NULL);
    }
}

/* Stops at the first check, the second, ... until a run is through. */
static void a_call_stopped_half_way_leaves_the_shares_of_last_time(void **state)
{
    static large l;
    size_t stopped = 0;
    (void)state;

    for (int which = 0; which < 3; which++) {
        sked_status rc = SKED_ERR_CANCELLED;
        for (size_t at = 1; rc != SKED_OK; at++) {
            memset(&l, 0, sizeof l);
            open_large(&l);
            want(l.ledger, l.ids, 1 + BRANCHES, 4000);
            want(l.ledger, l.ids, ALL / 2, 3000);
            want(l.ledger, l.ids, ALL - 1, 70);
            l.host.checks = 0;
            l.host.stop_at = at;
            l.host.stop_with = SKED_STOPPED;
            rc = catch_up_with(&l, which);
            l.host.stop_at = 0;
            if (rc != SKED_OK) {
                stopped++;
                assert_status(SKED_ERR_CANCELLED, rc);
                columns_are(&l, l.share, l.before);
            }
            assert_ok(catch_up_with(&l, 0));
            assert_ok(
                sked_share_compute(l.anew, l.tree, l.ledger, l.capacity, NULL));
            keep_columns(l.anew, l.after);
            columns_are(&l, l.share, l.after);
            close_large(&l);
        }
    }
    assert_true(stopped >= 6);
}

static void several_threads_give_the_same_shares(void **state)
{
    world *w = *state;
    sked_host host = {.struct_size = sizeof host, .threads = 2};
    sked_share *threads;
    int64_t one[MOST], two[MOST];
    size_t n;

    assert_ok(compute(w));
    assert_ok(sked_share_new(NULL, &host, &threads, NULL));
    assert_ok(
        sked_share_compute(threads, w->tree, w->ledger, w->capacity, NULL));
    for (int32_t k = 0; k < KINDS; k++) {
        assert_ok(sked_share_column(w->share, k, one, MOST, &n, NULL));
        assert_ok(sked_share_column(threads, k, two, MOST, &n, NULL));
        assert_memory_equal(one, two, n * sizeof *one);
    }
    sked_share_free(threads);
}

/* ---- One shot ---- */

static void arrays_are_checked(void **state)
{
    const int32_t parent[] = {-1, 0, 0}, late[] = {-1, 2, 0}, own[] = {0, 0, 0};
    int64_t amounts[] = {1, 2, 3}, capacity[] = {10}, shares[3];
    sked_error err;
    sked_share_input in = {.struct_size = sizeof in, .kinds = 1, .n = 3};
    (void)state;

    in.capacity = capacity;
    assert_status(SKED_ERR_ARG,
                  sked_share_once(NULL, NULL, NULL, shares, NULL));
    assert_status(SKED_ERR_ARG, sked_share_once(&in, NULL, NULL, shares, NULL));
    in.parent = late;
    assert_status(SKED_ERR_ARG, sked_share_once(&in, NULL, NULL, shares, &err));
    assert_i64(err.row, 1);
    in.parent = own;
    assert_status(SKED_ERR_ARG, sked_share_once(&in, NULL, NULL, shares, &err));
    in.parent = parent;
    in.demand = amounts;
    amounts[2] = -1;
    assert_status(SKED_ERR_RANGE,
                  sked_share_once(&in, NULL, NULL, shares, &err));
    assert_i64(err.row, 2);
    assert_i64(err.got, -1);
    amounts[1] = amounts[2] = SKED_AMOUNT_MAX;
    assert_status(SKED_ERR_RANGE,
                  sked_share_once(&in, NULL, NULL, shares, &err));
    assert_i64(err.row, 0);
    amounts[1] = amounts[2] = 1;
    capacity[0] = SKED_UNLIMITED;
    assert_status(SKED_ERR_RANGE,
                  sked_share_once(&in, NULL, NULL, shares, &err));
    capacity[0] = 10;
    in.kinds = 33;
    assert_status(SKED_ERR_RANGE,
                  sked_share_once(&in, NULL, NULL, shares, NULL));
    in.kinds = 1;
    in.reserved = 1;
    assert_status(SKED_ERR_ARG, sked_share_once(&in, NULL, NULL, shares, NULL));
    in.reserved = 0;
    in.struct_size = 8;
    assert_status(SKED_ERR_VERSION,
                  sked_share_once(&in, NULL, NULL, shares, NULL));
}

static void trees_of_too_many_levels_are_refused(void **state)
{
    int32_t parent[SKED_MAX_DEPTH + 1];
    int64_t capacity[] = {10}, shares[SKED_MAX_DEPTH + 1];
    sked_share_input in = {.struct_size = sizeof in,
                           .kinds = 1,
                           .n = SKED_MAX_DEPTH,
                           .parent = parent,
                           .capacity = capacity};
    (void)state;

    for (int32_t i = 0; i <= SKED_MAX_DEPTH; i++) parent[i] = i - 1;
    assert_ok(sked_share_once(&in, NULL, NULL, shares, NULL));
    in.n = SKED_MAX_DEPTH + 1;
    assert_status(SKED_ERR_RANGE,
                  sked_share_once(&in, NULL, NULL, shares, NULL));
}

/* Both guaranteed half; the first has 8 of 10, of which 7 are its own. */
static void what_may_not_be_taken_stays(void **state)
{
    const int32_t parent[] = {-1, 0, 0};
    const int64_t guarantee[] = {0, 5, 5}, usage[] = {0, 8, 2};
    const int64_t demand[] = {0, 8, 9}, capacity[] = {10};
    int64_t held[] = {0, 7, 0}, shares[3];
    sked_share_options opts = {.struct_size = sizeof opts,
                               .model = SKED_SHARE_MODEL_CAPACITY};
    sked_share_input in = {.struct_size = sizeof in,
                           .kinds = 1,
                           .n = 3,
                           .parent = parent,
                           .guarantee = guarantee,
                           .demand = demand,
                           .usage = usage,
                           .capacity = capacity};
    (void)state;

    assert_ok(sked_share_once(&in, &opts, NULL, shares, NULL));
    assert_i64(shares[1], 5);
    in.held = held;
    assert_ok(sked_share_once(&in, &opts, NULL, shares, NULL));
    assert_i64(shares[1], 7);
    assert_i64(shares[2], 3);
    held[2] = -1;
    assert_status(SKED_ERR_RANGE,
                  sked_share_once(&in, &opts, NULL, shares, NULL));
}

static sked_status share_arrays(test_host *h, void *arg)
{
    const int32_t parent[] = {-1, 0, 0, 1, 1};
    const int64_t demand[] = {0, 0, 9, 9, 9}, capacity[] = {10};
    int64_t shares[5];
    sked_host hooks = test_host_hooks(h);
    sked_share_input in = {.struct_size = sizeof in,
                           .kinds = 1,
                           .n = 5,
                           .parent = parent,
                           .demand = demand,
                           .capacity = capacity};

    return sked_share_once(&in, arg, &hooks, shares, NULL);
}

static void one_shot_fails_as_a_whole(void **state)
{
    sked_share_options options[] = {
        {.struct_size = sizeof options[0]},
        {.struct_size = sizeof options[0], .scope = SKED_SHARE_SCOPE_DOMINANT},
    };
    (void)state;

    test_sweep(share_arrays, &options[0], 0);
    test_sweep(share_arrays, &options[1], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            nothing_can_be_read_before_something_is_computed, setup, teardown),
        cmocka_unit_test_setup_teardown(a_commit_is_shared_by_level, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(bad_arguments_are_refused, setup,
                                        teardown),
        cmocka_unit_test(options_are_checked),
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
        cmocka_unit_test_setup_teardown(a_reserved_handle_never_allocates,
                                        setup, teardown),
        cmocka_unit_test(every_failure_leaves_the_shares_of_last_time),
        cmocka_unit_test(
            a_call_stopped_half_way_leaves_the_shares_of_last_time),
        cmocka_unit_test_setup_teardown(several_threads_give_the_same_shares,
                                        setup, teardown),
        cmocka_unit_test(arrays_are_checked),
        cmocka_unit_test(trees_of_too_many_levels_are_refused),
        cmocka_unit_test(what_may_not_be_taken_stays),
        cmocka_unit_test(one_shot_fails_as_a_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
