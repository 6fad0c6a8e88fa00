/*
 * The DRF sort against its slow twin: keys, orders, the handle under random
 * edits, and the division of a pool, at sizes around every threshold.
 */
#include "test.h"

#include <sched/sked.h>

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/random.h"
#include "drf/handle.h"
#include "host.h"
#include "ref_drf.h"

enum { MAX_N = 80 };

static skedi_random rng;

static uint64_t below(uint64_t n)
{
    return skedi_random_below(&rng, n);
}

/* Of any size: small, around powers of two, up to 2^62. */
static int64_t any_amount(void)
{
    uint64_t x = skedi_random_next(&rng) >> (2 + below(62));

    switch (below(8)) {
    case 0: return (int64_t)below(4);
    case 1: return SKED_AMOUNT_MAX - (int64_t)below(3);
    case 2: return ((int64_t)1 << below(62)) - (int64_t)below(2);
    default: return (int64_t)x;
    }
}

static uint32_t any_weight(void)
{
    switch (below(4)) {
    case 0: return 1;
    case 1: return (uint32_t)below(3);
    case 2: return UINT32_MAX - (uint32_t)below(2);
    default: return (uint32_t)skedi_random_next(&rng) >> below(32);
    }
}

static int same_key(uint64_t got, uint64_t want)
{
    if (got == want) return 1;
    print_error("key %llx, not %llx\n", (unsigned long long)got,
                (unsigned long long)want);
    return 0;
}

static void keys_are_the_long_division(void **state)
{
    (void)state;
    skedi_random_seed(&rng, 1, NULL);
    for (int run = 0; run < 60000; run++) {
        uint32_t kinds = 1 + (uint32_t)below(4);
        int64_t usage[4], capacity[4];
        sked_drf_standing got;
        for (uint32_t k = 0; k < kinds; k++) {
            capacity[k] = any_amount();
            usage[k] = below(2) ? any_amount()
                                : (int64_t)below((uint64_t)capacity[k] + 1);
        }
        uint32_t weight = any_weight();
        assert_ok(
            sked_drf_standing_once(usage, capacity, kinds, weight, &got, NULL));
        assert_true(
            same_key(got.key, ref_drf_key(usage, capacity, kinds, weight)));
    }
}

/* Keys may tie where fractions differ by less than 2^-62, never cross. */
static void keys_never_contradict_the_fractions(void **state)
{
    (void)state;
    skedi_random_seed(&rng, 2, NULL);
    for (int run = 0; run < 60000; run++) {
        int64_t capacity[3], a[3], b[3];
        sked_drf_standing x, y;
        uint32_t v = 1 + (uint32_t)below(100), w = 1 + (uint32_t)below(100);
        for (int k = 0; k < 3; k++) {
            capacity[k] = 1 + (int64_t)below((uint64_t)1 << (1 + below(61)));
            a[k] = (int64_t)below((uint64_t)capacity[k] + 1);
            b[k] = (int64_t)below((uint64_t)capacity[k] + 1);
        }
        assert_ok(sked_drf_standing_once(a, capacity, 3, v, &x, NULL));
        assert_ok(sked_drf_standing_once(b, capacity, 3, w, &y, NULL));
        int exact = ref_drf_compare(a, v, b, w, capacity, 3);
        if (x.key < y.key) assert_true(exact < 0);
        if (x.key > y.key) assert_true(exact > 0);
    }
}

typedef struct instance {
    sked_drf_input rows;
    int64_t capacity[4];
    int64_t usage[MAX_N * 4];
    int64_t demand[MAX_N * 4];
    int64_t most[MAX_N];
    uint32_t weight[MAX_N];
} instance;

/* Small numbers, so that ties, zeros and full pools are common. */
static void make_instance(instance *t, uint32_t n, int64_t capacity)
{
    uint32_t kinds = 1 + (uint32_t)below(4);

    t->rows = (sked_drf_input){.struct_size = sizeof t->rows,
                               .kinds = kinds,
                               .n = n,
                               .capacity = t->capacity,
                               .usage = below(2) ? t->usage : NULL,
                               .demand = t->demand,
                               .weight = below(4) ? t->weight : NULL,
                               .most = below(3) ? t->most : NULL};
    for (uint32_t k = 0; k < kinds; k++) {
        t->capacity[k] = below(12) ? 1 + (int64_t)below((uint64_t)capacity) : 0;
    }
    for (uint32_t i = 0; i < n * kinds; i++) {
        t->usage[i] = below(3) ? 0 : (int64_t)below((uint64_t)capacity / 4 + 2);
        t->demand[i] = below(4) ? (int64_t)below(5) : 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        t->weight[i] = below(20) ? 1 + (uint32_t)below(5) : 0;
        t->most[i] = below(3) ? (int64_t)below(9) : SKED_UNLIMITED;
    }
}

static void orders_are_those_of_the_twin(void **state)
{
    static instance t;
    uint32_t got[MAX_N], want[MAX_N];

    (void)state;
    skedi_random_seed(&rng, 3, NULL);
    for (int run = 0; run < 3000; run++) {
        make_instance(&t, (uint32_t)below(MAX_N + 1), 50);
        assert_ok(sked_drf_order(&t.rows, NULL, got, NULL));
        ref_drf_order(&t.rows, want);
        assert_memory_equal(got, want, t.rows.n * sizeof *got);
    }
}

/* Both ways of dividing a pool, against the loop. */
static void check_division(const instance *t, const int64_t *full)
{
    int64_t pool[4], left[4], last[4], tasks[MAX_N], want[MAX_N];
    static uint32_t order[4096], wanted[4096];
    size_t n, bytes = t->rows.kinds * sizeof *full;

    memcpy(pool, full, bytes);
    memcpy(left, full, bytes);
    memcpy(last, full, bytes);
    assert_ok(sked_drf_allocate(&t->rows, NULL, pool, tasks, NULL));
    assert_ok(sked_drf_picks(&t->rows, NULL, last, order, 4096, &n, NULL));
    size_t m = ref_drf_allocate(&t->rows, left, want, wanted, 4096);

    assert_true(m < 4096);
    assert_i64((int64_t)n, (int64_t)m);
    assert_memory_equal(order, wanted, n * sizeof *order);
    assert_memory_equal(tasks, want, t->rows.n * sizeof *tasks);
    assert_memory_equal(pool, left, bytes);
    assert_memory_equal(last, left, bytes);
}

static void a_pool_is_divided_as_by_the_loop(void **state)
{
    static instance t;

    (void)state;
    skedi_random_seed(&rng, 4, NULL);
    for (int run = 0; run < 4000; run++) {
        int64_t pool[4] = {0};
        uint32_t n = run % 8 ? (uint32_t)below(12) : (uint32_t)below(MAX_N);
        make_instance(&t, n, 1 + (int64_t)below(run % 4 ? 60 : 600));
        for (uint32_t k = 0; k < t.rows.kinds; k++) {
            pool[k] = below(3) ? t.capacity[k]
                               : (int64_t)below((uint64_t)t.capacity[k] + 1);
        }
        check_division(&t, pool);
    }
}

/* ---- The handle against a plain list of clients ---- */

enum { ROOM = 64 };

typedef struct mirror {
    uint32_t n;
    uint32_t kinds;
    int64_t capacity[4];
    struct {
        uint64_t key;
        uint32_t slot;
        uint32_t weight;
        int active;
        int64_t usage[4];
    } client[ROOM];
} mirror;

static void mirror_drop(mirror *m, uint32_t i)
{
    memmove(&m->client[i], &m->client[i + 1],
            (m->n - i - 1) * sizeof m->client[0]);
    m->n--;
}

static void random_row(const mirror *m, int64_t *row)
{
    for (uint32_t k = 0; k < m->kinds; k++) {
        row[k] = below(4) ? (int64_t)below(40) : any_amount();
    }
}

static void edit(sked_drf *drf, mirror *m, uint64_t key)
{
    uint32_t i = m->n ? (uint32_t)below(m->n) : 0;
    int64_t row[4];

    random_row(m, row);
    if (m->n < ROOM && (m->n == 0 || below(3) == 0)) {
        i = m->n++;
        m->client[i].key = key;
        m->client[i].weight = any_weight();
        m->client[i].active = 1;
        memcpy(m->client[i].usage, row, sizeof row);
        assert_ok(sked_drf_insert(drf, key, m->client[i].weight, row,
                                  &m->client[i].slot, NULL));
        return;
    }
    switch (below(6)) {
    case 0:
        assert_ok(sked_drf_remove(drf, m->client[i].slot, NULL));
        mirror_drop(m, i);
        break;
    case 1:
        m->client[i].weight = any_weight();
        assert_ok(sked_drf_set_weight(drf, m->client[i].slot,
                                      m->client[i].weight, NULL));
        break;
    case 2:
        m->client[i].active = (int)below(2);
        assert_ok(sked_drf_activate(drf, m->client[i].slot, m->client[i].active,
                                    NULL));
        break;
    case 3:
        for (uint32_t k = 0; k < m->kinds; k++) {
            int64_t was = m->client[i].usage[k];
            m->client[i].usage[k] = row[k];
            row[k] -= was;
        }
        assert_ok(sked_drf_charge(drf, m->client[i].slot, row, NULL));
        break;
    case 4:
        if (below(8) == 0) {
            memcpy(m->capacity, row, sizeof row);
            assert_ok(sked_drf_set_capacity(drf, row, NULL));
        }
        break;
    default:
        memcpy(m->client[i].usage, row, sizeof row);
        assert_ok(sked_drf_update(drf, m->client[i].slot, row, NULL));
    }
}

/* The slots of the active clients in order, by looking at all of them. */
static size_t mirror_list(const mirror *m, uint32_t *slots)
{
    uint64_t key[ROOM];
    size_t n = 0;

    for (uint32_t i = 0; i < m->n; i++) {
        if (!m->client[i].active) continue;
        uint64_t mine = ref_drf_key(m->client[i].usage, m->capacity, m->kinds,
                                    m->client[i].weight);
        size_t at = n++;
        for (; at > 0 && key[at - 1] > mine; at--) {
            key[at] = key[at - 1];
            slots[at] = slots[at - 1];
        }
        key[at] = mine;
        slots[at] = m->client[i].slot;
    }
    return n;
}

static void compare(sked_drf *drf, const mirror *m)
{
    uint32_t got[ROOM], want[ROOM];
    size_t n, wanted = mirror_list(m, want);

    assert_ok(sked_drf_check(drf, NULL));
    assert_ok(sked_drf_list(drf, got, ROOM, &n, NULL));
    assert_i64((int64_t)n, (int64_t)wanted);
    assert_memory_equal(got, want, n * sizeof *got);
    assert_i64(sked_drf_next(drf), n ? got[0] : SKED_DRF_NONE);
}

static void the_handle_follows_random_edits(void **state)
{
    (void)state;
    skedi_random_seed(&rng, 5, NULL);
    for (int life = 0; life < 40; life++) {
        test_host host = {0};
        sked_host hooks = test_host_hooks(&host);
        mirror m = {.kinds = 1 + (uint32_t)below(4)};
        sked_drf_options opts = {.struct_size = sizeof opts,
                                 .kinds = m.kinds,
                                 .clients = (uint32_t)below(ROOM)};
        sked_drf *drf;
        assert_ok(sked_drf_new(&opts, &hooks, &drf, NULL));
        for (uint64_t step = 1; step <= 600; step++) {
            edit(drf, &m, step);
            compare(drf, &m);
        }
        sked_drf_free(drf);
        assert_i64((int64_t)host.live, 0);
    }
}

/* One step of the loop must not look at more than its path. */
static void a_decision_walks_one_path(void **state)
{
    static const uint32_t sizes[] = {15,   16,   17,    255,   256,  257,
                                     4095, 4096, 65535, 65536, 65537};
    (void)state;
    skedi_random_seed(&rng, 6, NULL);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        uint32_t n = sizes[s];
        int64_t capacity = 1000000;
        uint64_t *key = malloc(n * sizeof *key);
        sked_drf *drf;
        sked_drf_options opts = {.struct_size = sizeof opts, .clients = n};
        assert_non_null(key);
        for (uint32_t i = 0; i < n; i++) key[i] = i + 1;
        assert_ok(sked_drf_new(&opts, NULL, &drf, NULL));
        assert_ok(sked_drf_set_capacity(drf, &capacity, NULL));
        assert_ok(sked_drf_insert_rows(drf, key, NULL, NULL, n, NULL, NULL));

        skedi_drf_work before = drf->work;
        for (uint32_t i = 0; i < 1000; i++) {
            int64_t task = 1 + (int64_t)below(9);
            uint32_t slot = sked_drf_next(drf);
            assert_ok(sked_drf_charge(drf, slot, &task, NULL));
        }
        uint64_t path = 64 -
                        skedi_clz64(2 * (uint64_t)drf->memory.order.blocks - 1);
        assert_i64((int64_t)(drf->work.keys - before.keys), 1000);
        assert_true(drf->work.levels - before.levels <= 1000 * path);
        assert_i64((int64_t)(drf->work.builds - before.builds), 0);
        assert_ok(sked_drf_check(drf, NULL));
        sked_drf_free(drf);
        free(key);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_the_long_division),
        cmocka_unit_test(keys_never_contradict_the_fractions),
        cmocka_unit_test(orders_are_those_of_the_twin),
        cmocka_unit_test(a_pool_is_divided_as_by_the_loop),
        cmocka_unit_test(the_handle_follows_random_edits),
        cmocka_unit_test(a_decision_walks_one_path),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
