/*
 * Hierarchical DRF against its slow twin, which computes the whole tree anew
 * for every question: random trees, random changes, whole runs.
 */
#include "test.h"

#include <sched/sked.h>

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "drf/hdrf_tree.h"
#include "host.h"
#include "ref_hdrf.h"

enum { MAX_NODES = 60 };

static skedi_random rng;

static uint64_t below(uint64_t n)
{
    return skedi_random_below(&rng, n);
}

typedef struct pair {
    sked_hdrf *fast;
    ref_hdrf *slow;
    int64_t big; /* capacities are below this */
} pair;

/* Wide, narrow or anything between. */
static pair make_pair(const sked_host *host, uint32_t n, uint32_t kinds,
                      int64_t big)
{
    uint32_t parent[MAX_NODES] = {0}, weight[MAX_NODES];
    uint64_t spread = 1 + below(8);
    int weights = (int)below(3);
    sked_hdrf_options opts = {.struct_size = sizeof opts, .kinds = kinds};
    pair p = {.big = big};

    for (uint32_t i = 0; i < n; i++) {
        if (i > 0) parent[i] = (uint32_t)below(1 + (i - 1) / spread);
        weight[i] = weights ? (uint32_t)below(weights == 1 ? 6 : UINT32_MAX)
                            : 1;
    }
    p.slow = ref_hdrf_new(parent, weight, n, kinds);
    assert_ok(sked_hdrf_new(parent, weight, n, &opts, host, &p.fast, NULL));
    return p;
}

static void drop_pair(pair *p)
{
    sked_hdrf_free(p->fast);
    ref_hdrf_free(p->slow);
}

static void random_row(const pair *p, int64_t *row, int64_t most)
{
    for (uint32_t k = 0; k < p->slow->kinds; k++) {
        row[k] = below(4) ? (int64_t)below((uint64_t)most) : 0;
    }
}

static void set_capacity(pair *p)
{
    ref_hdrf *slow = p->slow;

    random_row(p, slow->capacity, p->big);
    assert_ok(sked_hdrf_set_capacity(p->fast, slow->capacity, NULL));
}

static void set_leaf(pair *p, uint32_t leaf, int64_t usage)
{
    ref_hdrf *slow = p->slow;
    size_t row = (size_t)leaf * slow->kinds;

    random_row(p, slow->usage + row, usage);
    random_row(p, slow->demand + row, p->big / 16 + 2);
    slow->pending[leaf] = below(6) ? (int64_t)below(9) : SKED_UNLIMITED;
    assert_ok(sked_hdrf_set_leaves(p->fast, &leaf, slow->usage + row,
                                   slow->demand + row, slow->pending + leaf, 1,
                                   NULL));
}

static uint32_t any_leaf(const pair *p)
{
    uint32_t leaf;

    do leaf = (uint32_t)below(p->slow->n);
    while (!ref_hdrf_is_leaf(p->slow, leaf));
    return leaf;
}

static void release(pair *p, uint32_t leaf)
{
    int64_t *usage = p->slow->usage + (size_t)leaf * p->slow->kinds;
    int64_t amount[SKED_MAX_KINDS];

    for (uint32_t k = 0; k < p->slow->kinds; k++) {
        amount[k] = (int64_t)below((uint64_t)usage[k] + 1);
        usage[k] -= amount[k];
    }
    assert_ok(sked_hdrf_release(p->fast, leaf, amount, NULL));
}

static void change(pair *p)
{
    ref_hdrf *slow = p->slow;
    uint32_t leaf = any_leaf(p);
    uint32_t node = (uint32_t)below(slow->n);

    switch (below(8)) {
    case 0: set_capacity(p); break;
    case 1:
        slow->weight[node] = (uint32_t)below(5);
        assert_ok(
            sked_hdrf_set_weight(p->fast, node, slow->weight[node], NULL));
        break;
    case 2:
        slow->said_blocked[leaf] = (unsigned char)below(2);
        assert_ok(
            sked_hdrf_block(p->fast, leaf, slow->said_blocked[leaf], NULL));
        break;
    case 3:
        slow->said_full = (uint32_t)below((uint64_t)1 << slow->kinds);
        assert_ok(sked_hdrf_set_full(p->fast, slow->said_full, NULL));
        break;
    case 4: release(p, leaf); break;
    default: set_leaf(p, leaf, p->big / 4 + 2);
    }
}

static void compare(pair *p)
{
    ref_hdrf *slow = p->slow;

    ref_hdrf_compute(slow);
    assert_ok(sked_hdrf_check(p->fast, NULL));
    for (uint32_t i = 0; i < slow->n; i++) {
        sked_hdrf_standing at;
        assert_ok(sked_hdrf_share(p->fast, i, &at));
        assert_i64((int64_t)at.share, (int64_t)slow->share[i]);
        assert_i64((int64_t)at.key, (int64_t)slow->key[i]);
        assert_i64(at.blocked, slow->blocked[i]);
    }
    assert_i64(sked_hdrf_next(p->fast), ref_hdrf_next(slow));
}

static int64_t any_size(void)
{
    static const int64_t sizes[] = {8, 64, 1000, (int64_t)1 << 40,
                                    SKED_AMOUNT_MAX};

    return sizes[below(sizeof sizes / sizeof *sizes)];
}

static void changes_end_where_computing_anew_does(void **state)
{
    (void)state;
    skedi_random_seed(&rng, 1, NULL);
    for (int life = 0; life < 150; life++) {
        test_host host = {0};
        sked_host hooks = test_host_hooks(&host);
        uint32_t n = life % 5 ? 1 + (uint32_t)below(20)
                              : 1 + (uint32_t)below(MAX_NODES);
        pair p = make_pair(&hooks, n, 1 + (uint32_t)below(4), any_size());
        set_capacity(&p);
        for (int step = 0; step < 60; step++) {
            change(&p);
            compare(&p);
        }
        drop_pair(&p);
        assert_i64((int64_t)host.live, 0);
    }
}

static void runs_take_the_same_leaves(void **state)
{
    uint32_t got[400], want[400];
    size_t n;

    (void)state;
    skedi_random_seed(&rng, 2, NULL);
    for (int life = 0; life < 250; life++) {
        pair p = make_pair(NULL, 1 + (uint32_t)below(24),
                           1 + (uint32_t)below(3), 8 << below(5));
        set_capacity(&p);
        for (uint32_t i = 0; i < p.slow->n; i++) {
            if (ref_hdrf_is_leaf(p.slow, i)) set_leaf(&p, i, 2);
        }
        size_t wanted = ref_hdrf_run(p.slow, want, 400);
        assert_ok(sked_hdrf_run(p.fast, got, 400, &n, NULL));
        assert_i64((int64_t)n, (int64_t)wanted);
        assert_memory_equal(got, want, n * sizeof *got);
        compare(&p);
        drop_pair(&p);
    }
}

/* With one level there is nothing but the DRF sort. */
static void a_flat_tree_is_the_drf_sort(void **state)
{
    enum { LEAVES = 40 };

    (void)state;
    skedi_random_seed(&rng, 3, NULL);
    for (int life = 0; life < 60; life++) {
        uint32_t parent[LEAVES + 1] = {0}, weight[LEAVES + 1] = {1}, leaf;
        int64_t capacity[2] = {1000003, 65521}, pending = SKED_UNLIMITED;
        sked_hdrf_options opts = {.struct_size = sizeof opts, .kinds = 2};
        sked_drf_options flat = {.struct_size = sizeof flat, .kinds = 2};
        int64_t demand[LEAVES + 1][2];
        sked_hdrf *tree;
        sked_drf *drf;
        for (uint32_t i = 1; i <= LEAVES; i++) {
            weight[i] = 1 + (uint32_t)below(9);
        }
        assert_ok(sked_hdrf_new(parent, weight, LEAVES + 1, &opts, NULL, &tree,
                                NULL));
        assert_ok(sked_drf_new(&flat, NULL, &drf, NULL));
        assert_ok(sked_hdrf_set_capacity(tree, capacity, NULL));
        assert_ok(sked_drf_set_capacity(drf, capacity, NULL));
        for (leaf = 1; leaf <= LEAVES; leaf++) {
            demand[leaf][0] = 1 + (int64_t)below(500);
            demand[leaf][1] = (int64_t)below(30);
            assert_ok(sked_hdrf_set_leaves(tree, &leaf, NULL, demand[leaf],
                                           &pending, 1, NULL));
            assert_ok(
                sked_drf_insert(drf, leaf, weight[leaf], NULL, NULL, NULL));
        }
        for (int step = 0; step < 300; step++) {
            uint32_t slot = sked_drf_next(drf);
            leaf = sked_hdrf_next(tree);
            assert_i64(leaf, slot + 1);
            assert_ok(sked_hdrf_allocate(tree, leaf, 1, NULL));
            assert_ok(sked_drf_charge(drf, slot, demand[leaf], NULL));
        }
        sked_drf_free(drf);
        sked_hdrf_free(tree);
    }
}

/* An allocation computes its own path at most, whatever the size. */
static void an_allocation_computes_its_path(void **state)
{
    static const uint32_t sizes[] = {17, 257, 4097, 65537};

    (void)state;
    skedi_random_seed(&rng, 4, NULL);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        uint32_t n = sizes[s], inner = 1 + n / 16;
        uint32_t *parent = calloc(n, sizeof *parent);
        int64_t capacity = SKED_AMOUNT_MAX, demand = 3;
        int64_t pending = SKED_UNLIMITED;
        sked_hdrf *tree;
        assert_non_null(parent);
        for (uint32_t i = inner; i < n; i++) {
            parent[i] = 1 + (uint32_t)below(inner - 1);
        }
        assert_ok(sked_hdrf_new(parent, NULL, n, NULL, NULL, &tree, NULL));
        assert_ok(sked_hdrf_set_capacity(tree, &capacity, NULL));
        for (uint32_t i = inner; i < n; i++) {
            assert_ok(sked_hdrf_set_leaves(tree, &i, NULL, &demand, &pending, 1,
                                           NULL));
        }
        skedi_hdrf_work before = tree->work;
        for (int step = 0; step < 1000; step++) {
            assert_ok(sked_hdrf_allocate(tree, sked_hdrf_next(tree), 1, NULL));
        }
        assert_true(tree->work.nodes - before.nodes <= 3000);
        assert_i64((int64_t)(tree->work.builds - before.builds), 0);
        assert_ok(sked_hdrf_check(tree, NULL));
        sked_hdrf_free(tree);
        free(parent);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_end_where_computing_anew_does),
        cmocka_unit_test(runs_take_the_same_leaves),
        cmocka_unit_test(a_flat_tree_is_the_drf_sort),
        cmocka_unit_test(an_allocation_computes_its_path),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
