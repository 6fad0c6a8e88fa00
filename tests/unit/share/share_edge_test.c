/* Shares at their edges: reserved early, stopped late, asked in part. */
#include "test.h"

#include <sched/share.h>

#include <stdlib.h>
#include <string.h>

#include "host.h"

enum { BRANCHES = 3, LEAVES = 3000, ROWS = 1 + BRANCHES + BRANCHES * LEAVES };

/* A root, branches, and leaves below each; one kind. */
typedef struct world {
    test_host host;
    sked_schema *schema;
    sked_tree *tree;
    sked_ledger *ledger;
    sked_share *share;
    sked_queue_id *ids;
    int64_t capacity;
} world;

static void grow(world *w, int leaves)
{
    sked_queue_id root = sked_tree_root(w->tree), branch;
    char name[6] = "b0";
    size_t n;

    for (int i = 0; i < BRANCHES; i++) {
        name[1] = (char)('0' + i);
        assert_ok(sked_tree_add(w->tree, root, name, &branch, NULL));
        for (int j = 0; j < leaves; j++) {
            char leaf[5] = {(char)('0' + j / 1000), (char)('0' + j / 100 % 10),
                            (char)('0' + j / 10 % 10), (char)('0' + j % 10), 0};
            assert_ok(sked_tree_add(w->tree, branch, leaf, NULL, NULL));
        }
    }
    assert_ok(sked_tree_commit(w->tree, SKED_TREE_COMMIT_LENIENT, NULL));
    w->ids = malloc(ROWS * sizeof *w->ids);
    assert_non_null(w->ids);
    assert_ok(sked_tree_ids(w->tree, w->ids, ROWS, &n));
}

static void open_world(world *w, int leaves, const sked_share_options *options)
{
    sked_host hooks;

    *w = (world){.capacity = 1000};
    hooks = test_host_hooks(&w->host);
    assert_ok(sked_schema_parse("cpu", 3, NULL, &w->schema, NULL));
    assert_ok(sked_tree_new(w->schema, NULL, NULL, &w->tree, NULL));
    grow(w, leaves);
    assert_ok(sked_ledger_new(w->tree, NULL, NULL, &w->ledger, NULL));
    assert_ok(sked_share_new(options, &hooks, &w->share, NULL));
}

static void close_world(world *w)
{
    sked_share_free(w->share);
    sked_ledger_free(w->ledger);
    sked_tree_free(w->tree);
    sked_schema_free(w->schema);
    free(w->ids);
    assert_i64((int64_t)w->host.live, 0);
}

static void want(world *w, size_t row, int64_t amount)
{
    assert_ok(sked_ledger_set(w->ledger, SKED_LEDGER_DEMAND, &w->ids[row],
                              &amount, 1, NULL));
}

static sked_status update(world *w)
{
    return sked_share_update(w->share, w->tree, w->ledger, &w->capacity, NULL);
}

static sked_status query(world *w, size_t row, int64_t *amount)
{
    return sked_share_query(w->share, w->tree, w->ledger, &w->capacity,
                            w->ids[row], amount, NULL);
}

/* The same shares as a handle that never saw anything before. */
static void assert_as_anew(world *w)
{
    int64_t *got = malloc(ROWS * sizeof *got), *fresh = malloc(ROWS * 8);
    sked_share *anew;
    size_t n;

    assert_ok(sked_share_new(NULL, NULL, &anew, NULL));
    assert_ok(sked_share_compute(anew, w->tree, w->ledger, &w->capacity, NULL));
    assert_ok(sked_share_column(w->share, 0, got, ROWS, &n, NULL));
    assert_ok(sked_share_column(anew, 0, fresh, ROWS, &n, NULL));
    assert_memory_equal(got, fresh, n * sizeof *got);
    assert_ok(sked_share_check(w->share, NULL));
    sked_share_free(anew);
    free(got);
    free(fresh);
}

static void a_reserve_before_anything_is_computed_holds(void **state)
{
    world w;

    (void)state;
    open_world(&w, 2, NULL);
    assert_ok(sked_share_reserve(w.share, 4, 1, NULL));
    assert_ok(sked_share_reserve(w.share, 16, 1, NULL));
    want(&w, 4, 50);
    w.host.trap = 1;
    assert_ok(update(&w));
    assert_as_anew(&w);
    w.host.trap = 0;
    close_world(&w);
}

/* Removed queues keep their slots until the commit that takes others in. */
static void a_reserve_holds_when_all_queues_are_others(void **state)
{
    world w;
    sked_queue_id root, id;
    char name[] = "n0";

    (void)state;
    open_world(&w, 2, NULL);
    assert_ok(sked_share_reserve(w.share, 10, 1, NULL));
    w.host.trap = 1;
    assert_ok(update(&w));
    root = sked_tree_root(w.tree);
    for (size_t row = 1; row <= BRANCHES; row++) {
        assert_ok(sked_tree_remove(w.tree, w.ids[row], NULL,
                                   SKED_TREE_REMOVE_REFUSE, NULL));
    }
    for (; name[1] < '9'; name[1]++) {
        assert_ok(sked_tree_add(w.tree, root, name, &id, NULL));
    }
    assert_ok(sked_tree_commit(w.tree, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_ok(sked_ledger_follow(w.ledger, w.tree, NULL));
    assert_ok(update(&w));
    w.host.trap = 0;
    close_world(&w);
}

/* Weights of 2^62 each: the level is 100 / 2^63, told in 63 bits. */
static void a_level_of_huge_guarantees_is_halved(void **state)
{
    const sked_share_options options = {.struct_size = sizeof options,
                                        .model = SKED_SHARE_MODEL_CAPACITY};
    const int64_t huge = SKED_AMOUNT_MAX;
    sked_ratio level;
    world w;

    (void)state;
    open_world(&w, 2, &options);
    assert_ok(
        sked_tree_set_vec(w.tree, w.ids[4], SKED_QUEUE_GUARANTEE, &huge, NULL));
    assert_ok(
        sked_tree_set_vec(w.tree, w.ids[5], SKED_QUEUE_GUARANTEE, &huge, NULL));
    assert_ok(sked_tree_commit(w.tree, SKED_TREE_COMMIT_LENIENT, NULL));
    w.capacity = 100;
    want(&w, 4, 100);
    want(&w, 5, 100);
    assert_ok(update(&w));
    assert_ok(sked_share_level(w.share, w.ids[1], 0, &level, NULL));
    assert_i64(level.num, 50);
    assert_i64(level.den, SKED_AMOUNT_MAX);
    close_world(&w);
}

static void a_level_left_for_later_is_not_told(void **state)
{
    sked_ratio level;
    int64_t amount;
    world w;

    (void)state;
    open_world(&w, 2, NULL);
    for (size_t row = 4; row < 10; row++) want(&w, row, 900);
    assert_ok(update(&w));
    want(&w, 4, 10);
    want(&w, 6, 10);
    assert_ok(query(&w, 4, &amount));
    assert_i64(amount, 10);
    assert_ok(sked_share_level(w.share, w.ids[1], 0, &level, NULL));
    assert_status(SKED_ERR_STATE,
                  sked_share_level(w.share, w.ids[2], 0, &level, NULL));
    assert_ok(sked_share_compute(w.share, w.tree, w.ledger, &w.capacity, NULL));
    assert_ok(sked_share_level(w.share, w.ids[2], 0, &level, NULL));
    assert_as_anew(&w);
    close_world(&w);
}

/* The level of the first branch is just what one of its leaves asks for, where
 * no interval of levels can be kept. */
static void a_level_on_a_demand_is_computed_anew(void **state)
{
    sked_share_options options = {.struct_size = sizeof options,
                                  .rounding = SKED_APPORTION_PREFIX};
    int64_t amount;
    world w;

    (void)state;
    open_world(&w, 2, &options);
    w.capacity = 20;
    assert_ok(update(&w));
    want(&w, 4, 10);
    want(&w, 5, 100);
    assert_ok(query(&w, 5, &amount));
    assert_i64(amount, 10);
    want(&w, 5, 90);
    want(&w, 5, 80); /* twice before it is asked for */
    assert_ok(query(&w, 4, &amount));
    assert_i64(amount, 10);
    assert_ok(sked_share_check(w.share, NULL));
    close_world(&w);
}

static void a_column_put_as_a_whole_is_followed(void **state)
{
    int64_t demand[1 + BRANCHES + 2 * BRANCHES];
    sked_share_stats stats = {.struct_size = sizeof stats};
    world w;

    (void)state;
    open_world(&w, 2, NULL);
    assert_ok(update(&w));
    for (size_t i = 0; i < 1 + BRANCHES + 2 * BRANCHES; i++) {
        demand[i] = i < 1 + BRANCHES ? 0 : (int64_t)i * 40;
    }
    assert_ok(sked_ledger_put(w.ledger, SKED_LEDGER_DEMAND, 0, demand,
                              1 + BRANCHES + 2 * BRANCHES, NULL));
    assert_ok(update(&w));
    assert_as_anew(&w);
    assert_ok(sked_share_get_stats(w.share, &stats));
    assert_i64((int64_t)stats.full, 2);
    close_world(&w);
}

/* Stopped at every check in turn, after a query that left something over. */
static void a_stop_after_a_query_leaves_what_was_left(void **state)
{
    sked_status rc = SKED_ERR_CANCELLED;
    int64_t amount;
    (void)state;

    for (size_t at = 1; rc != SKED_OK; at++) {
        world w;
        open_world(&w, LEAVES, NULL);
        for (size_t row = 1 + BRANCHES; row < ROWS; row++) want(&w, row, 9);
        assert_ok(update(&w));
        want(&w, ROWS - 1, 1);
        want(&w, 1 + BRANCHES, 2);
        assert_ok(query(&w, 1 + BRANCHES, &amount));
        want(&w, 2 + BRANCHES + LEAVES, 3);
        want(&w, 2 + BRANCHES, 4);
        w.host.checks = 0;
        w.host.stop_at = at;
        w.host.stop_with = SKED_STOPPED;
        rc = update(&w);
        w.host.stop_at = 0;
        if (rc != SKED_OK) {
            assert_status(SKED_ERR_CANCELLED, rc);
            assert_ok(
                sked_share_get(w.share, w.ids[1 + BRANCHES], &amount, NULL));
        } else {
            assert_true(at > 1);
        }
        assert_ok(update(&w));
        assert_as_anew(&w);
        close_world(&w);
    }
}

static void one_shot_says_which_kind_and_what_stopped_it(void **state)
{
    enum { MANY = 10000 };
    static int32_t parent[MANY];
    static int64_t share[MANY], demand[MANY];
    const int64_t capacity = 5;
    sked_share_options options = {.struct_size = sizeof options,
                                  .scope = SKED_SHARE_SCOPE_ONE_KIND,
                                  .kind = 1};
    sked_share_input in = {.struct_size = sizeof in,
                           .kinds = 1,
                           .n = MANY,
                           .parent = parent,
                           .demand = demand,
                           .capacity = &capacity};
    test_host h = {0};
    sked_host host = test_host_hooks(&h);

    (void)state;
    parent[0] = -1;
    assert_status(SKED_ERR_RANGE,
                  sked_share_once(&in, &options, &host, share, NULL));
    options.kind = 0;
    h.stop_at = 1;
    h.stop_with = SKED_STOPPED;
    assert_status(SKED_ERR_CANCELLED,
                  sked_share_once(&in, &options, &host, share, NULL));
    h.stop_at = 0;
    options.scope = SKED_SHARE_SCOPE_DOMINANT;
    demand[1] = demand[2] = SKED_AMOUNT_MAX;
    assert_status(SKED_ERR_RANGE,
                  sked_share_once(&in, &options, &host, share, NULL));
    assert_i64((int64_t)h.live, 0);
}

static void what_parents_want_is_not_read(void **state)
{
    const int32_t parent[] = {-1, 0, 1, 1};
    const int64_t capacity = 9;
    int64_t said[] = {-1, INT64_MAX, 4, 5}, share[4];
    sked_error err;
    sked_share_options options = {.struct_size = sizeof options};
    sked_share_input in = {.struct_size = sizeof in,
                           .kinds = 1,
                           .n = 4,
                           .parent = parent,
                           .demand = said,
                           .usage = said,
                           .capacity = &capacity};

    (void)state;
    for (int32_t scope = 0; scope <= SKED_SHARE_SCOPE_DOMINANT; scope++) {
        options.scope = scope;
        said[3] = 5;
        assert_ok(sked_share_once(&in, &options, NULL, share, NULL));
        assert_true(share[2] == 4 && share[3] == 5);
        said[3] = -5;
        assert_status(SKED_ERR_RANGE,
                      sked_share_once(&in, &options, NULL, share, &err));
        assert_true(err.row == 3 && err.kind == 0 && err.got == -5);
        assert_true(share[2] == 4 && share[3] == 5);
    }
}

/* Two of three keep 2^62 each, whatever they want: their family's sums are
 * no amounts, and made again where one would follow the difference. */
static void sums_beyond_amounts_are_made_anew(void **state)
{
    const int64_t huge = SKED_AMOUNT_MAX, none = 0;
    int64_t got;
    world w;

    (void)state;
    open_world(&w, 3, NULL);
    for (size_t row = 4; row <= 5; row++) {
        assert_ok(sked_tree_set_vec(w.tree, w.ids[row], SKED_QUEUE_GUARANTEE,
                                    &huge, NULL));
        assert_ok(sked_tree_set_vec(w.tree, w.ids[row], SKED_QUEUE_LEND, &none,
                                    NULL));
    }
    assert_ok(sked_tree_commit(w.tree, SKED_TREE_COMMIT_LENIENT, NULL));
    want(&w, 7, 500);
    assert_ok(update(&w));
    for (int64_t demand = 10; demand < 2000; demand *= 5) {
        want(&w, 6, demand);
        assert_ok(query(&w, 6, &got));
        assert_as_anew(&w);
    }
    close_world(&w);
}

static sked_status once_of(sked_share_input in)
{
    int64_t share[2 * 2];
    sked_error err = {.code = SKED_OK};
    sked_status rc = sked_share_once(&in, NULL, NULL, share, &err);

    assert_i64(err.code, rc);
    return rc;
}

static void arrays_hold_amounts(void **state)
{
    const int32_t parent[] = {-1, 0}, no_root[] = {0, 0}, forward[] = {-1, 1};
    const int32_t behind[] = {-1, -1};
    const int64_t bad[] = {0, 0, SKED_AMOUNT_MAX + 1, 0};
    const int64_t less[] = {0, -1, 0, 0}, open[] = {5, SKED_UNLIMITED, 5, 5};
    const int64_t capacity[] = {10, 10}, no[] = {10, -1};
    const int64_t over[] = {SKED_AMOUNT_MAX + 1, 1};
    const sked_share_input good = {.struct_size = sizeof good,
                                   .kinds = 2,
                                   .n = 2,
                                   .parent = parent,
                                   .capacity = capacity};
    sked_share_input in;

    (void)state;
    assert_ok(once_of(good));
#define REFUSED(code, field, value)                                            \
    (in = good, in.field = (value), assert_status(code, once_of(in)))
    REFUSED(SKED_ERR_ARG, parent, NULL);
    REFUSED(SKED_ERR_ARG, capacity, NULL);
    REFUSED(SKED_ERR_RANGE, n, 0);
    REFUSED(SKED_ERR_RANGE, n, SKED_MAX_QUEUES + 1);
    REFUSED(SKED_ERR_RANGE, kinds, 0);
    REFUSED(SKED_ERR_RANGE, kinds, SKED_MAX_KINDS + 1);
    REFUSED(SKED_ERR_ARG, parent, no_root);
    REFUSED(SKED_ERR_ARG, parent, forward);
    REFUSED(SKED_ERR_ARG, parent, behind);
    REFUSED(SKED_ERR_RANGE, guarantee, bad);
    REFUSED(SKED_ERR_RANGE, guarantee, less);
    REFUSED(SKED_ERR_RANGE, guarantee, open);
    REFUSED(SKED_ERR_RANGE, limit, bad);
    REFUSED(SKED_ERR_RANGE, borrow, less);
    REFUSED(SKED_ERR_RANGE, lend, bad);
    REFUSED(SKED_ERR_RANGE, capacity, no);
    REFUSED(SKED_ERR_RANGE, capacity, over);
    in = good;
    in.limit = open;
    in.borrow = open;
    in.lend = open;
    assert_ok(once_of(in));
}

/* Names, labels and weights of users are in no share. */
static void texts_cost_no_family(void **state)
{
    sked_share_stats before = {.struct_size = sizeof before}, after = before;
    world w;
    (void)state;

    open_world(&w, 10, NULL);
    sked_queue_id leaf = w.ids[BRANCHES + BRANCHES * 10];
    want(&w, BRANCHES + BRANCHES * 10, 5);
    assert_ok(sked_share_update(w.share, w.tree, w.ledger, &w.capacity, NULL));
    assert_ok(sked_share_get_stats(w.share, &before));
    assert_ok(sked_tree_set_text(w.tree, leaf, SKED_QUEUE_LABEL, "l", NULL));
    assert_ok(sked_tree_commit(w.tree, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_ok(sked_share_update(w.share, w.tree, w.ledger, &w.capacity, NULL));
    assert_ok(sked_tree_rename(w.tree, leaf, "other", NULL));
    assert_ok(sked_tree_commit(w.tree, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_ok(sked_tree_set_user_weight(w.tree, leaf, "ann", 3, NULL));
    assert_ok(sked_tree_commit(w.tree, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_ok(sked_share_update(w.share, w.tree, w.ledger, &w.capacity, NULL));
    assert_ok(sked_share_get_stats(w.share, &after));
    assert_i64((int64_t)after.families, (int64_t)before.families);
    assert_i64((int64_t)after.full, (int64_t)before.full);
    assert_ok(sked_tree_set(w.tree, leaf, SKED_QUEUE_WEIGHT, 7, NULL));
    assert_ok(sked_tree_commit(w.tree, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_ok(sked_share_update(w.share, w.tree, w.ledger, &w.capacity, NULL));
    assert_ok(sked_share_get_stats(w.share, &after));
    assert_i64((int64_t)after.full, (int64_t)before.full);
    assert_true(after.families > before.families);
    close_world(&w);
}

/* As a text that is read again sets them. */
static void what_is_set_and_set_back_costs_no_family(void **state)
{
    sked_share_stats before = {.struct_size = sizeof before}, after = before;
    world w;
    (void)state;

    open_world(&w, 10, NULL);
    sked_queue_id leaf = w.ids[BRANCHES + BRANCHES * 10];
    assert_ok(sked_tree_set(w.tree, leaf, SKED_QUEUE_WEIGHT, 7, NULL));
    assert_ok(
        sked_tree_set_vec(w.tree, leaf, SKED_QUEUE_LIMIT, &w.capacity, NULL));
    assert_ok(sked_tree_commit(w.tree, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_ok(sked_share_update(w.share, w.tree, w.ledger, &w.capacity, NULL));
    assert_ok(sked_share_get_stats(w.share, &before));
    assert_ok(sked_tree_set(w.tree, leaf, SKED_QUEUE_WEIGHT, SKED_UNSET, NULL));
    assert_ok(sked_tree_set_vec(w.tree, leaf, SKED_QUEUE_LIMIT, NULL, NULL));
    assert_ok(sked_tree_set(w.tree, leaf, SKED_QUEUE_WEIGHT, 7, NULL));
    assert_ok(
        sked_tree_set_vec(w.tree, leaf, SKED_QUEUE_LIMIT, &w.capacity, NULL));
    assert_ok(sked_tree_commit(w.tree, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_ok(sked_share_update(w.share, w.tree, w.ledger, &w.capacity, NULL));
    assert_ok(sked_share_get_stats(w.share, &after));
    assert_i64((int64_t)after.families, (int64_t)before.families);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reserve_before_anything_is_computed_holds),
        cmocka_unit_test(sums_beyond_amounts_are_made_anew),
        cmocka_unit_test(arrays_hold_amounts),
        cmocka_unit_test(a_reserve_holds_when_all_queues_are_others),
        cmocka_unit_test(what_parents_want_is_not_read),
        cmocka_unit_test(a_level_of_huge_guarantees_is_halved),
        cmocka_unit_test(a_level_left_for_later_is_not_told),
        cmocka_unit_test(a_level_on_a_demand_is_computed_anew),
        cmocka_unit_test(a_column_put_as_a_whole_is_followed),
        cmocka_unit_test(texts_cost_no_family),
        cmocka_unit_test(what_is_set_and_set_back_costs_no_family),
        cmocka_unit_test(a_stop_after_a_query_leaves_what_was_left),
        cmocka_unit_test(one_shot_says_which_kind_and_what_stopped_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
