/* The DRF sort by hand: the paper's example, corners, refusals, failures. */
#include "test.h"

#include <sched/sked.h>

#include "host.h"

typedef struct world {
    test_host host;
    sked_drf *drf;
} world;

static int setup(void **state)
{
    static world w;
    sked_drf_options opts = {
        .struct_size = sizeof opts, .kinds = 2, .clients = 8};
    int64_t capacity[2] = {9, 18};

    w = (world){0};
    sked_host hooks = test_host_hooks(&w.host);
    *state = &w;
    if (sked_drf_new(&opts, &hooks, &w.drf, NULL) != SKED_OK) return -1;
    return sked_drf_set_capacity(w.drf, capacity, NULL);
}

static int teardown(void **state)
{
    world *w = *state;

    sked_drf_free(w->drf);
    return w->host.live == 0 ? 0 : -1;
}

static uint32_t add(world *w, uint64_t key, uint32_t weight, int64_t cpu,
                    int64_t memory)
{
    uint32_t slot = SKED_DRF_NONE;
    int64_t usage[2] = {cpu, memory};

    assert_ok(sked_drf_insert(w->drf, key, weight, usage, &slot, NULL));
    return slot;
}

static sked_drf_standing standing(world *w, uint32_t slot)
{
    sked_drf_standing s;

    assert_ok(sked_drf_share(w->drf, slot, &s));
    return s;
}

/* [LNK-1] Ghodsi 2011: 9 CPUs, 18 GB; A asks <1, 4>, B asks <3, 1>. */
static void the_papers_example_goes_in_the_papers_order(void **state)
{
    static const uint64_t want[] = {100, 200, 100, 200, 100};
    const int64_t task[2][2] = {{1, 4}, {3, 1}};
    int64_t left[2] = {9, 18};
    world *w = *state;
    uint32_t a = add(w, 100, 1, 0, 0);
    size_t done = 0;
    (void)add(w, 200, 1, 0, 0);

    for (;;) {
        uint32_t slot = sked_drf_next(w->drf);
        if (slot == SKED_DRF_NONE) break;
        const int64_t *demand = task[slot != a];
        if (demand[0] > left[0] || demand[1] > left[1]) {
            assert_ok(sked_drf_activate(w->drf, slot, 0, NULL));
            continue;
        }
        left[0] -= demand[0];
        left[1] -= demand[1];
        assert_true(done < 5);
        assert_true(sked_drf_key(w->drf, slot) == want[done++]);
        assert_ok(sked_drf_charge(w->drf, slot, demand, NULL));
    }

    assert_i64((int64_t)done, 5);
    assert_i64(left[0], 0);
    assert_i64(left[1], 4);
    assert_i64(standing(w, a).share.num, 12);
    assert_i64(standing(w, a).share.den, 18);
    assert_i64(standing(w, a).kind, 1);
}

static void equal_shares_go_to_the_client_added_first(void **state)
{
    world *w = *state;
    uint32_t first = add(w, 7, 1, 1, 0);
    uint32_t second = add(w, 3, 1, 0, 2);

    assert_i64(sked_drf_next(w->drf), first);
    assert_ok(sked_drf_remove(w->drf, first, NULL));
    assert_i64(add(w, 9, 1, 1, 0), first); /* the slot, not the place */
    assert_i64(sked_drf_next(w->drf), second);
    assert_ok(sked_drf_check(w->drf, NULL));
}

static void weights_divide_shares(void **state)
{
    world *w = *state;
    uint32_t one = add(w, 1, 1, 1, 0), four = add(w, 2, 4, 3, 0);

    assert_i64(sked_drf_next(w->drf), four);
    assert_ok(sked_drf_set_weight(w->drf, four, 1, NULL));
    assert_i64(sked_drf_next(w->drf), one);
}

static void weight_zero_and_no_capacity_are_infinite(void **state)
{
    world *w = *state;
    int64_t capacity[2] = {9, 0};
    uint32_t slots[4];
    size_t n;
    uint32_t lost = add(w, 1, 1, 0, 1), free_rider = add(w, 2, 0, 0, 0);
    uint32_t huge = add(w, 3, 1, SKED_AMOUNT_MAX, 0);
    uint32_t idle = add(w, 4, 1, 0, 0);

    assert_ok(sked_drf_set_capacity(w->drf, capacity, NULL));

    assert_true(standing(w, lost).key == SKED_DRF_INFINITE);
    assert_i64(standing(w, lost).share.den, 0);
    assert_true(standing(w, free_rider).key == SKED_DRF_INFINITE);
    assert_i64(standing(w, free_rider).kind, -1);
    assert_true(standing(w, huge).key < SKED_DRF_INFINITE);
    assert_ok(sked_drf_list(w->drf, slots, 4, &n, NULL));
    assert_i64((int64_t)n, 4);
    assert_i64(slots[0], idle);
    assert_i64(slots[1], huge);
    assert_i64(slots[2], lost);
    assert_i64(slots[3], free_rider);
}

static void keep_record(void *user, const sked_trace *record)
{
    *(sked_trace *)user = *record;
}

static void a_pick_is_told(void **state)
{
    const int64_t four = 4;
    sked_trace told = {0};
    sked_drf *drf;
    uint32_t slot;
    size_t n;
    sked_host host = {
        .struct_size = sizeof host, .user = &told, .trace = keep_record};

    (void)state;
    assert_ok(sked_drf_new(NULL, &host, &drf, NULL));
    assert_ok(sked_drf_set_capacity(drf, &four, NULL));
    assert_ok(sked_drf_insert(drf, 71, 2, &four, NULL, NULL));
    assert_ok(sked_drf_insert(drf, 70, 1, &four, NULL, NULL));
    assert_ok(sked_drf_pop(drf, &slot, 1, &n, NULL));
    assert_true(told.what == SKED_TRACE_PICK && told.queue == 71);
    assert_i64(told.a, (int64_t)1 << 61); /* one cluster over weight 2 */
    assert_i64(told.b, 1);
    sked_drf_free(drf);
}

static void popping_gives_the_list_and_empties_the_order(void **state)
{
    world *w = *state;
    uint32_t list[8], popped[8];
    size_t n, m;

    for (uint64_t i = 1; i <= 8; i++) {
        (void)add(w, i, 1 + (uint32_t)(i % 3), (int64_t)(i * 5 % 7),
                  (int64_t)i);
    }
    assert_ok(sked_drf_list(w->drf, list, 8, &n, NULL));
    assert_ok(sked_drf_pop(w->drf, popped, 3, &m, NULL));
    assert_i64((int64_t)m, 3);
    assert_i64(sked_drf_active(w->drf), 5);
    assert_false(sked_drf_is_active(w->drf, popped[0]));
    assert_ok(sked_drf_pop(w->drf, popped + 3, 9, &m, NULL));

    assert_i64((int64_t)m, 5);
    assert_memory_equal(list, popped, sizeof list);
    assert_i64(sked_drf_next(w->drf), SKED_DRF_NONE);
    assert_i64(sked_drf_clients(w->drf), 8);
    assert_ok(sked_drf_check(w->drf, NULL));
}

static void a_list_that_does_not_fit_says_how_long_it_is(void **state)
{
    world *w = *state;
    uint32_t slot = 77;
    size_t n;

    (void)add(w, 1, 1, 0, 0);
    (void)add(w, 2, 1, 0, 0);
    assert_status(SKED_ERR_RANGE, sked_drf_list(w->drf, &slot, 1, &n, NULL));
    assert_i64((int64_t)n, 2);
    assert_i64(slot, 77);
}

static void refused(world *w, sked_status want, sked_status got,
                    uint64_t digest)
{
    assert_status(want, got);
    assert_true(sked_drf_digest(w->drf) == digest);
    assert_ok(sked_drf_check(w->drf, NULL));
}

static void what_is_refused_changes_nothing(void **state)
{
    world *w = *state;
    uint32_t a = add(w, 1, 1, 3, 3), b = add(w, 2, 1, 4, 4);
    uint64_t digest = sked_drf_digest(w->drf);
    int64_t bad[4] = {0, 0, -1, 0}, over[2] = {0, SKED_AMOUNT_MAX};
    int64_t down[4] = {-3, 0, -1, 0};
    uint64_t keys[3] = {5, 6, 5}, taken[2] = {8, 1}, zero[2] = {8, 0};
    uint32_t twice[2] = {a, a}, gone[2] = {b, 99}, slot;
    sked_error err;

    refused(w, SKED_ERR_EXISTS,
            sked_drf_insert(w->drf, 1, 1, NULL, &slot, &err), digest);
    assert_string_equal(err.message, "key is taken");
    refused(w, SKED_ERR_ARG, sked_drf_insert(w->drf, 0, 1, NULL, NULL, NULL),
            digest);
    refused(w, SKED_ERR_RANGE,
            sked_drf_insert(w->drf, 9, 1, bad + 2, NULL, NULL), digest);
    refused(w, SKED_ERR_RANGE, sked_drf_update(w->drf, a, bad + 2, NULL),
            digest);
    refused(w, SKED_ERR_RANGE, sked_drf_charge(w->drf, a, over, &err), digest);
    assert_i64(err.kind, 1);
    assert_i64(err.got, SKED_AMOUNT_MAX);
    refused(w, SKED_ERR_NOT_FOUND, sked_drf_remove(w->drf, 50, NULL), digest);
    refused(w, SKED_ERR_EXISTS,
            sked_drf_insert_rows(w->drf, keys, NULL, NULL, 3, NULL, &err),
            digest);
    assert_i64(err.row, 2);
    refused(w, SKED_ERR_EXISTS,
            sked_drf_insert_rows(w->drf, taken, NULL, NULL, 2, NULL, NULL),
            digest);
    refused(w, SKED_ERR_ARG,
            sked_drf_insert_rows(w->drf, zero, NULL, NULL, 2, NULL, NULL),
            digest);
    refused(w, SKED_ERR_RANGE,
            sked_drf_insert_rows(w->drf, keys, NULL, bad, 2, NULL, &err),
            digest);
    assert_i64(err.row, 1);
    refused(w, SKED_ERR_NOT_FOUND, sked_drf_remove_rows(w->drf, twice, 2, NULL),
            digest);
    refused(w, SKED_ERR_NOT_FOUND, sked_drf_remove_rows(w->drf, gone, 2, &err),
            digest);
    assert_i64(err.row, 1);
    refused(w, SKED_ERR_RANGE,
            sked_drf_charge_rows(w->drf, twice, down, 2, &err), digest);
    assert_i64(err.row, 1);
    refused(w, SKED_ERR_RANGE,
            sked_drf_update_rows(w->drf, twice, bad, 2, NULL), digest);
    refused(w, SKED_ERR_RANGE, sked_drf_set_capacity(w->drf, bad + 2, NULL),
            digest);
    assert_i64(add(w, 10, 1, 0, 0), 2); /* slots too are as they were */
}

static void slots_of_refused_rows_come_back_in_order(void **state)
{
    world *w = *state;
    uint64_t keys[4] = {10, 11, 12, 10};

    for (uint64_t i = 1; i <= 4; i++) (void)add(w, i, 1, 0, 0);
    assert_ok(sked_drf_remove(w->drf, 1, NULL));
    assert_ok(sked_drf_remove(w->drf, 3, NULL));
    assert_status(SKED_ERR_EXISTS, sked_drf_insert_rows(w->drf, keys, NULL,
                                                        NULL, 4, NULL, NULL));

    assert_i64(add(w, 20, 1, 0, 0), 3);
    assert_i64(add(w, 21, 1, 0, 0), 1);
    assert_i64(add(w, 22, 1, 0, 0), 4);
    assert_i64(sked_drf_slot(w->drf, 21), 1);
    assert_i64(sked_drf_slot(w->drf, 2000), SKED_DRF_NONE);
}

static void null_is_refused_everywhere(void **state)
{
    world *w = *state;
    uint32_t slot = add(w, 1, 1, 0, 0), out[2];
    sked_drf_standing s;
    int64_t row[2];
    size_t n;

    assert_status(SKED_ERR_ARG, sked_drf_new(NULL, NULL, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_drf_reserve(NULL, 1, NULL));
    assert_status(SKED_ERR_ARG, sked_drf_set_capacity(w->drf, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_drf_insert(NULL, 1, 1, NULL, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_drf_remove(NULL, slot, NULL));
    assert_status(SKED_ERR_ARG, sked_drf_update(w->drf, slot, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_drf_charge(w->drf, slot, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_drf_set_weight(NULL, slot, 1, NULL));
    assert_status(SKED_ERR_ARG, sked_drf_activate(NULL, slot, 1, NULL));
    assert_status(SKED_ERR_ARG, sked_drf_insert_rows(w->drf, NULL, NULL, NULL,
                                                     1, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_drf_remove_rows(w->drf, NULL, 1, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_drf_update_rows(w->drf, &slot, NULL, 1, NULL));
    assert_status(SKED_ERR_ARG, sked_drf_pop(w->drf, NULL, 1, &n, NULL));
    assert_status(SKED_ERR_ARG, sked_drf_list(w->drf, out, 1, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_drf_share(w->drf, slot, NULL));
    assert_status(SKED_ERR_NOT_FOUND, sked_drf_share(w->drf, 9, &s));
    assert_status(SKED_ERR_ARG, sked_drf_usage(w->drf, slot, NULL));
    assert_status(SKED_ERR_NOT_FOUND, sked_drf_usage(w->drf, 9, row));
    assert_status(SKED_ERR_ARG, sked_drf_check(NULL, NULL));
    assert_i64(sked_drf_next(NULL), SKED_DRF_NONE);
    assert_i64(sked_drf_slot(NULL, 1), SKED_DRF_NONE);
    assert_i64(sked_drf_clients(NULL), 0);
    assert_i64(sked_drf_active(NULL), 0);
    assert_i64(sked_drf_is_active(NULL, 0), 0);
    assert_true(sked_drf_key(NULL, 0) == 0);
    assert_true(sked_drf_digest(NULL) != sked_drf_digest(w->drf));
    sked_drf_free(NULL);
}

static void options_are_checked(void **state)
{
    sked_drf_options opts = {.struct_size = sizeof opts};
    sked_host host = {.struct_size = 1};
    sked_drf *drf;

    (void)state;
    opts.kinds = 33;
    assert_status(SKED_ERR_RANGE, sked_drf_new(&opts, NULL, &drf, NULL));
    opts = (sked_drf_options){.struct_size = sizeof opts, .flags = 1};
    assert_status(SKED_ERR_ARG, sked_drf_new(&opts, NULL, &drf, NULL));
    opts = (sked_drf_options){.struct_size = sizeof opts, .clients = 1u << 31};
    assert_status(SKED_ERR_RANGE, sked_drf_new(&opts, NULL, &drf, NULL));
    opts = (sked_drf_options){.struct_size = 4};
    assert_status(SKED_ERR_VERSION, sked_drf_new(&opts, NULL, &drf, NULL));
    assert_status(SKED_ERR_VERSION, sked_drf_new(NULL, &host, &drf, NULL));
    assert_null(drf);
    assert_ok(sked_drf_new(NULL, NULL, &drf, NULL));
    assert_status(SKED_ERR_RANGE, sked_drf_reserve(drf, 1u << 31, NULL));
    sked_drf_free(drf);
}

static void nothing_is_asked_for_after_a_reserve(void **state)
{
    test_host host = {0};
    sked_host hooks = test_host_hooks(&host);
    uint32_t slots[50];
    sked_drf *drf;
    size_t n;

    (void)state;
    hooks.flags = SKED_HOST_FLAG_RESERVED_ONLY;
    assert_ok(sked_drf_new(NULL, &hooks, &drf, NULL));
    assert_ok(sked_drf_reserve(drf, 50, NULL));
    host.trap = 1;
    for (uint64_t i = 0; i < 5000; i++) { /* numbers run out many times */
        uint32_t slot = sked_drf_slot(drf, i - 49);
        if (i >= 50) assert_ok(sked_drf_remove(drf, slot, NULL));
        assert_ok(sked_drf_insert(drf, i + 1, 1, NULL, NULL, NULL));
    }
    assert_ok(sked_drf_list(drf, slots, 50, &n, NULL));
    assert_i64((int64_t)n, 50);
    assert_true(sked_drf_key(drf, slots[0]) == 4951);
    assert_status(SKED_ERR_NOMEM,
                  sked_drf_insert(drf, 9999, 1, NULL, NULL, NULL));
    assert_ok(sked_drf_check(drf, NULL));
    host.trap = 0;
    sked_drf_free(drf);
    assert_i64((int64_t)host.live, 0);
}

/* ---- Failures ---- */

static sked_status life(test_host *h, void *arg)
{
    enum { N = 30 };
    sked_host hooks = test_host_hooks(h);
    sked_drf_options opts = {.struct_size = sizeof opts, .kinds = 2};
    uint64_t key[N];
    uint32_t slot[N];
    int64_t delta[2 * N] = {0};
    sked_drf *drf;
    (void)arg;

    for (uint32_t i = 0; i < N; i++) key[i] = i + 1;
    sked_status rc = sked_drf_new(&opts, &hooks, &drf, NULL);
    if (rc != SKED_OK) return rc;
    rc = sked_drf_insert_rows(drf, key, NULL, NULL, N, slot, NULL);
    for (uint32_t i = 0; rc == SKED_OK && i < 40; i++) {
        uint64_t digest = sked_drf_digest(drf);
        rc = sked_drf_insert(drf, 100 + i, 1, NULL, NULL, NULL);
        if (rc != SKED_OK) assert_true(sked_drf_digest(drf) == digest);
    }
    if (rc == SKED_OK) rc = sked_drf_charge_rows(drf, slot, delta, N, NULL);
    if (rc == SKED_OK) rc = sked_drf_reserve(drf, 500, NULL);
    assert_ok(sked_drf_check(drf, NULL));
    sked_drf_free(drf);
    return rc;
}

static sked_status without_handle(test_host *h, void *arg)
{
    enum { N = 20 };
    sked_host hooks = test_host_hooks(h);
    int64_t capacity[2] = {100, 100}, pool[2] = {100, 100}, demand[2 * N];
    int64_t tasks[N];
    uint32_t order[200];
    double level[N];
    size_t n;
    sked_drf_input rows = {.struct_size = sizeof rows,
                           .kinds = 2,
                           .n = N,
                           .capacity = capacity,
                           .demand = demand};
    (void)arg;

    for (int i = 0; i < 2 * N; i++) demand[i] = 1 + i % 3;
    sked_status rc = sked_drf_order(&rows, &hooks, order, NULL);
    if (rc == SKED_OK) rc = sked_drf_level(&rows, &hooks, level, NULL, NULL);
    if (rc == SKED_OK)
        rc = sked_drf_picks(&rows, &hooks, pool, order, 5, &n, NULL);
    if (rc == SKED_OK) rc = sked_drf_allocate(&rows, &hooks, pool, tasks, NULL);
    return rc;
}

static void every_failure_leaves_all_as_it_was(void **state)
{
    (void)state;
    test_sweep(life, NULL, 0);
    test_sweep(without_handle, NULL, 0);
}

#define WITH_WORLD(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_WORLD(the_papers_example_goes_in_the_papers_order),
        WITH_WORLD(equal_shares_go_to_the_client_added_first),
        WITH_WORLD(weights_divide_shares),
        WITH_WORLD(weight_zero_and_no_capacity_are_infinite),
        cmocka_unit_test(a_pick_is_told),
        WITH_WORLD(popping_gives_the_list_and_empties_the_order),
        WITH_WORLD(a_list_that_does_not_fit_says_how_long_it_is),
        WITH_WORLD(what_is_refused_changes_nothing),
        WITH_WORLD(slots_of_refused_rows_come_back_in_order),
        WITH_WORLD(null_is_refused_everywhere),
        cmocka_unit_test(options_are_checked),
        cmocka_unit_test(nothing_is_asked_for_after_a_reserve),
        cmocka_unit_test(every_failure_leaves_all_as_it_was),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
