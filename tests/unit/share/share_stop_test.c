/* Shares: memory and stopping, half way through large trees. */
#include "share_cases.h"

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

    for (uint32_t k = 0; k < KINDS; k++) {
        assert_ok(sked_share_column(share, k, l->cells, ALL, &n, NULL));
        assert_memory_equal(l->cells, want_cells[k], sizeof l->cells);
    }
    assert_ok(sked_share_check(share, NULL));
}

static void keep_columns(const sked_share *share, int64_t (*into)[ALL])
{
    size_t n;

    for (uint32_t k = 0; k < KINDS; k++) {
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
    for (uint32_t k = 0; k < KINDS; k++) {
        assert_ok(sked_share_column(w->share, k, one, MOST, &n, NULL));
        assert_ok(sked_share_column(threads, k, two, MOST, &n, NULL));
        assert_memory_equal(one, two, n * sizeof *one);
    }
    sked_share_free(threads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_reserved_handle_never_allocates,
                                        setup, teardown),
        cmocka_unit_test(every_failure_leaves_the_shares_of_last_time),
        cmocka_unit_test(
            a_call_stopped_half_way_leaves_the_shares_of_last_time),
        cmocka_unit_test_setup_teardown(several_threads_give_the_same_shares,
                                        setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
