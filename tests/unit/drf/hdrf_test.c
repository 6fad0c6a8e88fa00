/* Hierarchical DRF by hand: the published examples, refusals, failures. */
#include "test.h"

#include <sched/sked.h>

#include <string.h>

#include "host.h"

typedef struct world {
    test_host host;
    sked_hdrf *tree;
} world;

static int setup(void **state)
{
    static world w;

    w = (world){0};
    *state = &w;
    return 0;
}

static int teardown(void **state)
{
    world *w = *state;

    sked_hdrf_free(w->tree);
    return w->host.live == 0 ? 0 : -1;
}

static void make(world *w, uint32_t n, const uint32_t *parent,
                 const uint32_t *weight, int64_t cpu, int64_t gpu)
{
    sked_host hooks = test_host_hooks(&w->host);
    sked_hdrf_options opts = {.struct_size = sizeof opts, .kinds = 2};
    int64_t capacity[2] = {cpu, gpu};

    assert_ok(sked_hdrf_new(parent, weight, n, &opts, &hooks, &w->tree, NULL));
    assert_ok(sked_hdrf_set_capacity(w->tree, capacity, NULL));
}

/* A leaf whose tasks ask for so much, without end. */
static void ask(world *w, uint32_t leaf, int64_t cpu, int64_t gpu)
{
    int64_t demand[2] = {cpu, gpu}, pending = SKED_UNLIMITED;

    assert_ok(
        sked_hdrf_set_leaves(w->tree, &leaf, NULL, demand, &pending, 1, NULL));
}

static void use(world *w, uint32_t leaf, int64_t cpu, int64_t gpu)
{
    int64_t usage[2] = {cpu, gpu};

    assert_ok(sked_hdrf_set_leaves(w->tree, &leaf, usage, NULL, NULL, 1, NULL));
}

static int64_t used(world *w, uint32_t leaf, int kind)
{
    int64_t usage[2];

    assert_ok(sked_hdrf_usage(w->tree, leaf, usage, NULL));
    return usage[kind];
}

static size_t run(world *w)
{
    uint32_t leaf[200];
    size_t n;

    assert_ok(sked_hdrf_run(w->tree, leaf, 200, &n, NULL));
    assert_ok(sked_hdrf_check(w->tree, NULL));
    return n;
}

/*
 * [LNK-1] Bhattacharya 2013: n2,1 holds all CPUs; a GPU of n2,2 comes free.
 * Adding usage up would give it to n1 for ever.
 */
static void complementary_children_do_not_starve(void **state)
{
    static const uint32_t parent[] = {0, 0, 0, 2, 2};
    world *w = *state;

    make(w, 5, parent, NULL, 10, 10);
    ask(w, 1, 0, 1);
    ask(w, 3, 1, 0);
    ask(w, 4, 0, 1);
    use(w, 1, 0, 5);
    use(w, 3, 10, 0);
    use(w, 4, 0, 4);

    assert_i64(sked_hdrf_next(w->tree), 4);
    assert_i64((int64_t)run(w), 1);
    assert_i64(used(w, 4, 1), 5);
    assert_i64(sked_hdrf_next(w->tree), SKED_HDRF_NONE);
}

/* [LNK-1] The same paper: once CPUs are gone, GPUs go half and half. */
static void blocked_children_do_not_lower_their_parent(void **state)
{
    static const uint32_t parent[] = {0, 0, 0, 0, 0, 3, 3};
    world *w = *state;

    make(w, 7, parent, NULL, 30, 30);
    ask(w, 1, 1, 0);
    ask(w, 2, 1, 0);
    ask(w, 4, 0, 1);
    ask(w, 5, 1, 0);
    ask(w, 6, 0, 1);
    (void)run(w);

    assert_i64(used(w, 1, 0), 10);
    assert_i64(used(w, 2, 0), 10);
    assert_i64(used(w, 5, 0), 10);
    assert_i64(used(w, 6, 1), 15);
    assert_i64(used(w, 4, 1), 15);
}

/* [LNK-1] a with weight 2 gets two thirds of both kinds. */
static void weights_count_at_every_level(void **state)
{
    static const uint32_t parent[] = {0, 0, 0, 2, 2};
    static const uint32_t weight[] = {1, 2, 1, 1, 1};
    world *w = *state;

    make(w, 5, parent, weight, 12, 12);
    ask(w, 1, 1, 1);
    ask(w, 3, 1, 0);
    ask(w, 4, 0, 1);
    (void)run(w);

    assert_i64(used(w, 1, 0), 8);
    assert_i64(used(w, 3, 0), 4);
    assert_i64(used(w, 4, 1), 4);
}

/* One weight for all is no weight, however large: sums pass 64 bits. */
static void equal_weights_cancel_out(void **state)
{
    static const uint32_t parent[] = {0, 0, 0, 1, 1};
    const uint32_t heavy[] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX,
                              UINT32_MAX};
    world *w = *state, light = {0};
    sked_hdrf_standing a, b;

    make(w, 5, parent, heavy, 1000, 1000);
    make(&light, 5, parent, NULL, 1000, 1000);
    for (world *each = w; each; each = each == w ? &light : NULL) {
        use(each, 2, 300, 0);
        use(each, 3, 300, 100);
        use(each, 4, 0, 200);
        for (uint32_t leaf = 2; leaf < 5; leaf++) ask(each, leaf, 1, 1);
        assert_ok(sked_hdrf_check(each->tree, NULL));
    }
    assert_ok(sked_hdrf_share(w->tree, 1, &a));
    assert_ok(sked_hdrf_share(light.tree, 1, &b));
    assert_true(a.share == b.share && a.share > 0);
    sked_hdrf_free(light.tree);
}

/* Children of weight 0 all stand after the others, the first of them first,
 * however much it uses: scaled to that, ten of them are five clusters. */
static void a_parent_counts_four_clusters_at_most(void **state)
{
    enum { NODES = 12 };
    uint32_t parent[NODES] = {0, 0}, weight[NODES] = {1, 1};
    sked_hdrf_standing a;
    world *w = *state;

    for (uint32_t i = 2; i < NODES; i++) parent[i] = 1;
    make(w, NODES, parent, weight, 100, 100);
    for (uint32_t i = 2; i < NODES; i++) {
        use(w, i, i == 2 ? 50 : 1, 0);
        ask(w, i, 1, 0);
    }
    assert_ok(sked_hdrf_share(w->tree, 1, &a));
    assert_true(a.share == UINT64_MAX - 2);
    assert_ok(sked_hdrf_check(w->tree, NULL));
}

static void a_leaf_of_weight_zero_comes_last(void **state)
{
    static const uint32_t parent[] = {0, 0, 0};
    static const uint32_t weight[] = {1, 0, 1};
    world *w = *state;
    sked_hdrf_standing at;
    int64_t pending = 2;
    uint32_t leaf = 2;

    make(w, 3, parent, weight, 10, 10);
    ask(w, 1, 1, 0);
    ask(w, 2, 1, 0);
    assert_ok(
        sked_hdrf_set_leaves(w->tree, &leaf, NULL, NULL, &pending, 1, NULL));
    assert_ok(sked_hdrf_share(w->tree, 1, &at));
    assert_true(at.key == UINT64_MAX);
    assert_i64((int64_t)run(w), 10);
    assert_i64(used(w, 2, 0), 2);
    assert_i64(used(w, 1, 0), 8);
}

static void the_host_can_block_a_leaf_or_fill_a_kind(void **state)
{
    static const uint32_t parent[] = {0, 0, 0};
    world *w = *state;
    sked_hdrf_standing at;

    make(w, 3, parent, NULL, 10, 10);
    ask(w, 1, 1, 0);
    ask(w, 2, 0, 1);
    assert_ok(sked_hdrf_block(w->tree, 1, 1, NULL));
    assert_i64(sked_hdrf_next(w->tree), 2);
    assert_ok(sked_hdrf_set_full(w->tree, 2, NULL));
    assert_i64(sked_hdrf_next(w->tree), SKED_HDRF_NONE);
    assert_ok(sked_hdrf_share(w->tree, 0, &at));
    assert_i64(at.blocked, 1);
    assert_ok(sked_hdrf_block(w->tree, 1, 0, NULL));
    assert_i64(sked_hdrf_next(w->tree), 1);
    assert_status(SKED_ERR_ARG, sked_hdrf_set_full(w->tree, 4, NULL));
}

static void a_root_alone_is_a_leaf(void **state)
{
    world *w = *state;
    sked_hdrf_standing at;

    make(w, 1, NULL, NULL, 4, 4);
    assert_i64(sked_hdrf_next(w->tree), SKED_HDRF_NONE);
    ask(w, 0, 1, 0);
    assert_ok(sked_hdrf_allocate(w->tree, 0, 3, NULL));
    assert_ok(sked_hdrf_set_weight(w->tree, 0, 3, NULL));
    assert_ok(sked_hdrf_share(w->tree, 0, &at));
    assert_true(at.share == (uint64_t)3 << 60);
    assert_true(at.key == (uint64_t)1 << 60);
    assert_ok(sked_hdrf_block(w->tree, 0, 1, NULL));
    assert_i64(sked_hdrf_next(w->tree), SKED_HDRF_NONE);
    assert_ok(sked_hdrf_block(w->tree, 0, 0, NULL));
    assert_i64((int64_t)run(w), 1);
}

static void refused(world *w, sked_status want, sked_status got,
                    uint64_t digest)
{
    assert_status(want, got);
    assert_true(sked_hdrf_digest(w->tree) == digest);
    assert_ok(sked_hdrf_check(w->tree, NULL));
}

static void what_is_refused_changes_nothing(void **state)
{
    static const uint32_t parent[] = {0, 0, 0};
    world *w = *state;
    uint32_t leaf[2] = {1, 2}, inner[2] = {1, 0};
    int64_t bad[4] = {1, 1, 1, -1}, negative[2] = {1, -1}, more[2] = {4, 0};
    sked_error err;

    make(w, 3, parent, NULL, 10, 10);
    ask(w, 1, 3, 1);
    use(w, 1, 3, 1);
    int64_t few = 2;
    assert_ok(sked_hdrf_set_leaves(w->tree, leaf, NULL, NULL, &few, 1, NULL));
    uint64_t digest = sked_hdrf_digest(w->tree);

    refused(w, SKED_ERR_RANGE,
            sked_hdrf_set_leaves(w->tree, leaf, bad, NULL, NULL, 2, &err),
            digest);
    assert_i64(err.row, 1);
    refused(w, SKED_ERR_RANGE,
            sked_hdrf_set_leaves(w->tree, leaf, NULL, bad, NULL, 2, NULL),
            digest);
    refused(w, SKED_ERR_RANGE,
            sked_hdrf_set_leaves(w->tree, leaf, NULL, NULL, negative, 2, &err),
            digest);
    assert_i64(err.row, 1);
    refused(w, SKED_ERR_NOT_FOUND,
            sked_hdrf_set_leaves(w->tree, inner, NULL, NULL, NULL, 2, &err),
            digest);
    assert_i64(err.row, 1);
    refused(w, SKED_ERR_STATE, sked_hdrf_allocate(w->tree, 1, 3, NULL), digest);
    refused(w, SKED_ERR_NOT_FOUND, sked_hdrf_allocate(w->tree, 0, 1, NULL),
            digest);
    refused(w, SKED_ERR_ARG, sked_hdrf_allocate(w->tree, 1, -1, NULL), digest);
    refused(w, SKED_ERR_RANGE, sked_hdrf_release(w->tree, 1, more, NULL),
            digest);
    refused(w, SKED_ERR_RANGE, sked_hdrf_release(w->tree, 1, negative, NULL),
            digest);
    refused(w, SKED_ERR_RANGE, sked_hdrf_set_capacity(w->tree, negative, NULL),
            digest);
    use(w, 2, 2, 0);
    digest = sked_hdrf_digest(w->tree);
    refused(w, SKED_ERR_RANGE, sked_hdrf_allocate(w->tree, 1, 2, NULL), digest);
    ask(w, 1, 0, 0); /* then it counts as having nothing pending */
    digest = sked_hdrf_digest(w->tree);
    refused(w, SKED_ERR_STATE, sked_hdrf_allocate(w->tree, 1, 1, NULL), digest);
    assert_ok(sked_hdrf_allocate(w->tree, 1, 0, NULL));
}

static void null_and_what_is_not_there_are_refused(void **state)
{
    world *w = *state;
    sked_hdrf_standing at;
    int64_t row[2] = {0, 0}, pending;
    uint32_t leaf = 0;
    size_t n;

    make(w, 1, NULL, NULL, 4, 4);
    assert_status(SKED_ERR_ARG, sked_hdrf_set_capacity(w->tree, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_hdrf_set_full(NULL, 0, NULL));
    assert_status(SKED_ERR_ARG, sked_hdrf_set_leaves(w->tree, NULL, NULL, NULL,
                                                     NULL, 1, NULL));
    assert_status(SKED_ERR_ARG, sked_hdrf_set_weight(NULL, 0, 1, NULL));
    assert_status(SKED_ERR_NOT_FOUND,
                  sked_hdrf_set_weight(w->tree, 1, 1, NULL));
    assert_status(SKED_ERR_ARG, sked_hdrf_block(NULL, 0, 1, NULL));
    assert_status(SKED_ERR_NOT_FOUND, sked_hdrf_block(w->tree, 1, 1, NULL));
    assert_status(SKED_ERR_ARG, sked_hdrf_release(w->tree, 0, NULL, NULL));
    assert_status(SKED_ERR_NOT_FOUND, sked_hdrf_release(w->tree, 1, row, NULL));
    assert_status(SKED_ERR_ARG, sked_hdrf_run(w->tree, NULL, 1, &n, NULL));
    assert_status(SKED_ERR_ARG, sked_hdrf_run(w->tree, &leaf, 1, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_hdrf_share(w->tree, 0, NULL));
    assert_status(SKED_ERR_NOT_FOUND, sked_hdrf_share(w->tree, 1, &at));
    assert_status(SKED_ERR_ARG, sked_hdrf_usage(w->tree, 0, NULL, NULL));
    assert_status(SKED_ERR_NOT_FOUND, sked_hdrf_usage(w->tree, 1, row, NULL));
    assert_status(SKED_ERR_ARG, sked_hdrf_check(NULL, NULL));
    assert_ok(sked_hdrf_usage(w->tree, 0, row, &pending));
    assert_i64(pending, 0);
    assert_i64(sked_hdrf_next(NULL), SKED_HDRF_NONE);
    assert_true(sked_hdrf_digest(NULL) != sked_hdrf_digest(w->tree));
    sked_hdrf_free(NULL);
}

static void trees_are_checked(void **state)
{
    uint32_t parent[66], forward[3] = {0, 2, 0};
    sked_hdrf_options opts = {.struct_size = sizeof opts, .kinds = 33};
    sked_hdrf *tree;

    (void)state;
    for (uint32_t i = 0; i < 66; i++) parent[i] = i ? i - 1 : 0;
    assert_ok(sked_hdrf_new(parent, NULL, 64, NULL, NULL, &tree, NULL));
    sked_hdrf_free(tree);
    assert_status(SKED_ERR_RANGE,
                  sked_hdrf_new(parent, NULL, 65, NULL, NULL, &tree, NULL));
    assert_null(tree);
    assert_status(SKED_ERR_ARG,
                  sked_hdrf_new(forward, NULL, 3, NULL, NULL, &tree, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_hdrf_new(NULL, NULL, 2, NULL, NULL, &tree, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_hdrf_new(parent, NULL, 0, NULL, NULL, &tree, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_hdrf_new(parent, NULL, SKED_MAX_QUEUES + 1, NULL, NULL,
                                &tree, NULL));
    assert_status(SKED_ERR_RANGE, sked_hdrf_new(parent, NULL, SIZE_MAX / 2 + 2,
                                                NULL, NULL, &tree, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_hdrf_new(parent, NULL, 3, &opts, NULL, &tree, NULL));
    opts.kinds = 1;
    opts.flags = 1;
    assert_status(SKED_ERR_ARG,
                  sked_hdrf_new(parent, NULL, 3, &opts, NULL, &tree, NULL));
    opts.struct_size = 3;
    assert_status(SKED_ERR_VERSION,
                  sked_hdrf_new(parent, NULL, 3, &opts, NULL, &tree, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_hdrf_new(parent, NULL, 3, NULL, NULL, NULL, NULL));
}

static sked_status life(test_host *h, void *arg)
{
    static const uint32_t parent[] = {0, 0, 0, 1, 1, 2};
    static const uint32_t leaf[] = {3, 4, 5};
    sked_host hooks = test_host_hooks(h);
    int64_t demand[3] = {1, 2, 3}, pending[3] = {9, 9, 9}, capacity = 20;
    sked_hdrf *tree;
    (void)arg;

    sked_status rc = sked_hdrf_new(parent, NULL, 6, NULL, &hooks, &tree, NULL);
    if (rc != SKED_OK) return rc;
    assert_ok(sked_hdrf_set_capacity(tree, &capacity, NULL));
    uint64_t digest = sked_hdrf_digest(tree);
    rc = sked_hdrf_set_leaves(tree, leaf, NULL, demand, pending, 3, NULL);
    if (rc != SKED_OK) assert_true(sked_hdrf_digest(tree) == digest);
    assert_ok(sked_hdrf_check(tree, NULL));
    sked_hdrf_free(tree);
    return rc;
}

static void every_failure_leaves_all_as_it_was(void **state)
{
    (void)state;
    test_sweep(life, NULL, 0);
}

static void a_run_that_is_stopped_keeps_what_it_did(void **state)
{
    enum { MANY = 3000 };
    static const uint32_t parent[] = {0, 0, 0};
    static uint32_t leaf[MANY];
    world *w = *state;
    size_t n;

    make(w, 3, parent, NULL, 100000, 100000);
    ask(w, 1, 1, 0);
    ask(w, 2, 0, 1);
    w->host.stop_at = w->host.checks + 2;
    w->host.stop_with = SKED_STOPPED;
    assert_status(SKED_STOPPED, sked_hdrf_run(w->tree, leaf, MANY, &n, NULL));
    assert_i64((int64_t)n, 1024);
    assert_i64(used(w, 1, 0) + used(w, 2, 1), 1024);
    assert_ok(sked_hdrf_check(w->tree, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define WITH_WORLD(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
        WITH_WORLD(complementary_children_do_not_starve),
        WITH_WORLD(blocked_children_do_not_lower_their_parent),
        WITH_WORLD(weights_count_at_every_level),
        WITH_WORLD(equal_weights_cancel_out),
        WITH_WORLD(a_parent_counts_four_clusters_at_most),
        WITH_WORLD(a_leaf_of_weight_zero_comes_last),
        WITH_WORLD(the_host_can_block_a_leaf_or_fill_a_kind),
        WITH_WORLD(a_root_alone_is_a_leaf),
        WITH_WORLD(what_is_refused_changes_nothing),
        WITH_WORLD(null_and_what_is_not_there_are_refused),
        WITH_WORLD(a_run_that_is_stopped_keeps_what_it_did),
        cmocka_unit_test(trees_are_checked),
        cmocka_unit_test(every_failure_leaves_all_as_it_was),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
