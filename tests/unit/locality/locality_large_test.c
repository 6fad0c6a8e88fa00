/* Blocks to hosts: large inputs by several threads, failures of memory. */
#include "locality_cases.h"

enum { LARGE = 300000, HOSTS = 400 };

/* ---- Large ones ---- */

typedef struct large {
    sked_locality_input in;
    uint32_t *replica;
} large;

static large make_large(int skewed, int lost)
{
    static const blocks_groups groups = {
        .n = 2, .hosts = {20, 60}, .blocks = {18000, 50000}, .seed = 5};
    large x = {.replica = malloc((size_t)LARGE * 3 * sizeof *x.replica)};

    assert_non_null(x.replica);
    if (skewed) {
        blocks_grouped(x.replica, LARGE, HOSTS, &groups);
    } else {
        blocks_uniform(x.replica, LARGE, HOSTS, 3, 6);
    }
    if (lost) x.replica[3 * (LARGE - lost)] = SKED_LOCALITY_NO_HOST;
    x.in = (sked_locality_input){.struct_size = sizeof x.in,
                                 .blocks = LARGE,
                                 .hosts = HOSTS,
                                 .replicas = 3,
                                 .replica = x.replica};
    return x;
}

static sked_locality *solve_by(const large *x, uint32_t threads)
{
    sked_host host = {.struct_size = sizeof host, .threads = threads};
    sked_locality *l = NULL;

    host.threads = threads;
    assert_ok(sked_locality_new(&x->in, NULL, &host, &l, NULL));
    assert_ok(sked_locality_verify(&x->in, sked_locality_choice(l),
                                   sked_locality_levels(l), NULL, NULL));
    return l;
}

/* [HSE-1] Proved, and the same bytes by one thread or several; with a lost
 * replica among the last blocks, in the middle, or none. */
static void threads_change_nothing(void **state)
{
    static const int lost[] = {0, 1, LARGE / 2};

    (void)state;
    for (int i = 0; i < 6; i++) {
        large x = make_large(i % 2, lost[i / 2]);
        sked_locality *one = solve_by(&x, 1), *three = solve_by(&x, 3);
        assert_memory_equal(sked_locality_choice(one),
                            sked_locality_choice(three), LARGE);
        assert_memory_equal(sked_locality_levels(one),
                            sked_locality_levels(three),
                            HOSTS * sizeof(int64_t));
        sked_locality_free(one);
        sked_locality_free(three);
        free(x.replica);
    }
}

/* More hosts than a worker's slice has blocks. */
static void many_hosts_have_short_slices(void **state)
{
    large x = make_large(0, 0);

    (void)state;
    x.in.hosts = 4000;
    blocks_uniform(x.replica, LARGE, 4000, 3, 9);
    sked_locality *one = solve_by(&x, 1), *three = solve_by(&x, 3);
    assert_i64(sked_locality_least_load(one), LARGE / 4000);
    assert_memory_equal(sked_locality_choice(one), sked_locality_choice(three),
                        LARGE);
    sked_locality_free(one);
    sked_locality_free(three);
    free(x.replica);
}

/* 900 a host in the first group, which nothing else can take over. */
static void groups_that_hold_too_much_are_found(void **state)
{
    large x = make_large(1, 0);
    sked_locality *l = solve_by(&x, 1);
    uint32_t hosts[HOSTS];
    uint64_t blocks;
    size_t n;

    (void)state;
    assert_i64(sked_locality_floor(l), 750);
    assert_i64(sked_locality_least_load(l), 900);
    assert_ok(
        sked_locality_bottleneck(l, 899, hosts, HOSTS, &n, &blocks, NULL));
    assert_i64((int64_t)n, 20);
    assert_i64((int64_t)blocks, 18000);
    assert_i64((int64_t)sked_locality_transfers(l, 750),
               18000 - 20 * 750 + 50000 - 60 * 750);
    sked_locality_free(l);
    free(x.replica);
}

static uint32_t add_pairs(uint32_t *replica, uint32_t at, uint32_t n,
                          uint32_t first, uint32_t second)
{
    for (uint32_t i = 0; i < n; i++) {
        replica[2 * (size_t)(at + i)] = first;
        replica[2 * (size_t)(at + i) + 1] = second;
    }
    return at + n;
}

/* Loads of one more, even, one less. Only two blocks, far behind the window of
 * blocks that is looked at first, lead from the first host over the second to
 * the third. */
static void two_blocks_among_many_make_the_path(void **state)
{
    uint32_t *replica = malloc((size_t)LARGE * 2 * sizeof *replica), n = 0;
    sked_locality_input in = {.struct_size = sizeof in,
                              .blocks = LARGE,
                              .hosts = 3,
                              .replicas = 2,
                              .replica = replica};

    (void)state;
    assert_non_null(replica);
    n = add_pairs(replica, n, 70000, 2, 2);
    n = add_pairs(replica, n, 1, 1, 2); /* goes to the second */
    n = add_pairs(replica, n, 1, 0, 1); /* goes to the first */
    n = add_pairs(replica, n, 29999, 2, 2);
    n = add_pairs(replica, n, 99999, 1, 1);
    n = add_pairs(replica, n, 100000, 0, 0);
    assert_i64(n, LARGE);
    sked_locality *l = solve(&in);
    assert_ok(sked_locality_verify(&in, sked_locality_choice(l),
                                   sked_locality_levels(l), NULL, NULL));
    assert_i64(sked_locality_least_load(l), 100000);
    assert_i64(sked_locality_choice(l)[70000], 1);
    assert_i64(sked_locality_choice(l)[70001], 1);
    sked_locality_free(l);
    free(replica);
}

/* A group that holds half of all blocks: to prove that nothing leads out of it
 * more is listed than not, so all is. */
static void a_group_of_half_of_all_is_found(void **state)
{
    static const blocks_groups groups = {
        .n = 1, .hosts = {150}, .blocks = {150000}, .seed = 8};
    large x = make_large(0, 0);

    (void)state;
    blocks_grouped(x.replica, LARGE, HOSTS, &groups);
    sked_locality *l = solve_by(&x, 1);
    assert_i64(sked_locality_least_load(l), 1000);
    assert_i64((int64_t)sked_locality_transfers(l, 750), 150 * 250);
    sked_locality_free(l);
    free(x.replica);
}

static sked_status refuse_parallel(void *user, size_t n, sked_task_fn fn,
                                   void *arg)
{
    size_t *calls = user;

    for (size_t i = 0; i<n && * calls> 0; i++) fn(arg, i);
    return (*calls)-- > 0 ? SKED_OK : -1500;
}

/* A host whose threads give out, at the greedy pass or at a sweep. */
static void threads_may_be_refused(void **state)
{
    large x = make_large(1, 0);
    sked_locality *l = NULL;

    (void)state;
    for (size_t at = 0; at < 20; at += 3) {
        size_t calls = at;
        sked_host host = {.struct_size = sizeof host,
                          .user = &calls,
                          .parallel = refuse_parallel};
        assert_i64(sked_locality_new(&x.in, NULL, &host, &l, NULL), -1500);
        assert_null(l);
    }
    free(x.replica);
}

/* ---- No memory ---- */

/* The most blocks, hosts and replicas that there may be are no fault: what
 * lacks is memory. */
static void the_largest_input_is_one(void **state)
{
    test_host h = {.fail_from = 1};
    sked_host host = test_host_hooks(&h);
    sked_locality_input in = {.struct_size = sizeof in,
                              .blocks = SKED_MAX_LOCALITY_BLOCKS,
                              .hosts = SKED_MAX_LOCALITY_HOSTS};
    sked_locality *l = NULL;

    (void)state;
    assert_status(SKED_ERR_NOMEM,
                  sked_locality_new(&in, NULL, &host, &l, NULL));
    in = few();
    in.replicas = SKED_MAX_LOCALITY_REPLICAS;
    in.blocks = 0;
    assert_status(SKED_ERR_NOMEM,
                  sked_locality_new(&in, NULL, &host, &l, NULL));
    assert_null(l);
}

static sked_status small_life(test_host *host, void *arg)
{
    const uint32_t limit[] = {2, 9, 9}, present[] = {0, 1, 0, 1, 2};
    const int64_t ticks[] = {3, 2, 1}, committed[] = {4, 0, 1};
    const uint32_t cores[] = {1, 2, 1};
    const int64_t size[] = {1, 2, 3, 4, 5};
    sked_host hooks = test_host_hooks(host);
    sked_locality_input in = few();
    sked_locality *l = NULL;
    uint32_t where[5];
    uint8_t choice[5];
    uint64_t moved;
    sked_locality_plan_options o = {.struct_size = sizeof o, .load = 30};
    sked_locality_plan_result r = {.struct_size = sizeof r, .host = where};
    sked_locality_sized_result s = {.struct_size = sizeof s, .choice = choice};

    if (arg) {
        in.limit = limit;
        in.ticks = ticks;
        in.committed = committed;
        in.cores = cores;
    }
    sked_status rc = sked_locality_new(&in, NULL, &hooks, &l, NULL);
    if (rc != SKED_OK) return rc;
    rc = sked_locality_verify(&in, sked_locality_choice(l),
                              sked_locality_levels(l), &hooks, NULL);
    if (rc == SKED_OK) rc = sked_locality_plan(l, &in, &o, &hooks, &r, NULL);
    if (rc == SKED_OK) {
        rc = sked_locality_restore(l, &in, present, &hooks, choice, &moved,
                                   NULL);
    }
    if (rc == SKED_OK && !arg) {
        rc = sked_locality_sized(l, &in, size, &hooks, &s, NULL);
    }
    sked_locality_free(l);
    return rc;
}

static sked_status moves_life(test_host *host, void *arg)
{
    sked_host hooks = test_host_hooks(host);
    sked_locality_input in = few();
    sked_locality *l = NULL;
    sked_locality_options o = {.struct_size = sizeof o,
                               .method = SKED_LOCALITY_METHOD_EQUILIBRIUM};

    (void)arg;
    sked_status rc = sked_locality_new(&in, &o, &hooks, &l, NULL);
    sked_locality_free(l);
    return rc;
}

/* What fails in force has changed nothing. */
static sked_status live_life(test_host *host, void *arg)
{
    sked_host hooks = test_host_hooks(host);
    sked_locality_live *live = NULL;
    uint32_t row[2], b, before[3], n = 0;

    (void)arg;
    sked_status rc = sked_locality_live_new(3, 2, &hooks, &live, NULL);
    for (; n < 30 && rc == SKED_OK; n++) {
        row[0] = n % 2;
        row[1] = n % 3;
        memcpy(before, sked_locality_live_loads(live), sizeof before);
        rc = n == 25 ? sked_locality_live_down(live, 1, NULL)
                     : sked_locality_live_add(live, row, 2, &b, NULL);
        if (rc == SKED_OK) continue;
        assert_memory_equal(before, sked_locality_live_loads(live),
                            sizeof before);
        assert_i64(sked_locality_live_host(live, n), SKED_LOCALITY_NO_HOST);
    }
    sked_locality_live_free(live);
    return rc;
}

static sked_status large_life(test_host *host, void *arg)
{
    large *x = arg;
    sked_host hooks = test_host_hooks(host);
    sked_locality *l = NULL;
    sked_status rc = sked_locality_new(&x->in, NULL, &hooks, &l, NULL);

    sked_locality_free(l);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_sweep(small_life, NULL, 0);
    test_sweep(small_life, &(int){1}, 0);
    test_sweep(moves_life, NULL, 0);
    test_sweep(live_life, NULL, 0);
    large x = make_large(1, 0);
    test_sweep(large_life, &x, 5);
    free(x.replica);
    x = make_large(1, 1);
    test_sweep(large_life, &x, 3);
    free(x.replica);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(many_hosts_have_short_slices),
        cmocka_unit_test(groups_that_hold_too_much_are_found),
        cmocka_unit_test(two_blocks_among_many_make_the_path),
        cmocka_unit_test(a_group_of_half_of_all_is_found),
        cmocka_unit_test(threads_may_be_refused),
        cmocka_unit_test(the_largest_input_is_one),
        cmocka_unit_test(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
