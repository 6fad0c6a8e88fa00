/*
 * Divisions with thousands of tasks between one level and the next, against
 * the loop task by task: small tasks beside large ones that wait high up, and
 * kinds of which little is left.
 */
#include "test.h"

#include <sched/sked.h>

#include <string.h>

#include "base/random.h"
#include "ref_drf.h"
#include "size.h"

enum { N = 10, KINDS = 2, TASKS = 1 << 14 };

typedef struct division {
    sked_drf_input rows;
    int64_t capacity[KINDS];
    int64_t pool[KINDS];
    int64_t usage[N * KINDS];
    int64_t demand[N * KINDS];
    uint32_t weight[N];
} division;

static skedi_random rng;

static uint64_t below(uint64_t n)
{
    return skedi_random_below(&rng, n);
}

/* Most clients have as much as `far` and ask for tasks nearly as large. */
static void make_client(division *d, uint32_t i, uint64_t far)
{
    int waits = i > 0 && below(8) > 0;

    d->weight[i] = 1 + (uint32_t)below(3);
    for (uint32_t k = 0; k < d->rows.kinds; k++) {
        size_t at = (size_t)i * d->rows.kinds + k;
        uint64_t some = below(far) / (below(3) ? 8 : 1);
        d->usage[at] = waits ? (int64_t)(far + below(3)) : 0;
        d->demand[at] = (int64_t)(waits ? far - some : below(3) + (k == 0));
    }
}

static void make_division(division *d)
{
    d->rows = (sked_drf_input){.struct_size = sizeof d->rows,
                               .kinds = 1 + (uint32_t)below(KINDS),
                               .n = 3 + (uint32_t)below(N - 2),
                               .capacity = d->capacity,
                               .usage = d->usage,
                               .demand = d->demand,
                               .weight = below(2) ? d->weight : NULL};
    for (uint32_t k = 0; k < d->rows.kinds; k++) {
        d->capacity[k] = 4 * TASKS + (int64_t)below(3);
        d->pool[k] = TASKS - 1 - (int64_t)below(TASKS / 2);
    }
    uint64_t far = 64 + below(TASKS / 3);
    for (uint32_t i = 0; i < d->rows.n; i++) make_client(d, i, far);
}

/* Multiplies all amounts, which changes no share. */
static void scale_amounts(division *d, int64_t by)
{
    for (uint32_t k = 0; k < d->rows.kinds; k++) {
        d->capacity[k] *= by;
        d->pool[k] *= by;
    }
    for (uint32_t i = 0; i < d->rows.n * d->rows.kinds; i++) {
        d->usage[i] *= by;
        d->demand[i] *= by;
    }
}

static void far_levels_are_those_of_the_loop(void **state)
{
    division d;
    size_t most = 0, runs = test_size(120, 4000);

    (void)state;
    skedi_random_seed(&rng, 9, NULL);
    for (size_t run = 0; run < runs; run++) {
        int64_t left[KINDS], tasks[N], want[N];
        make_division(&d);
        memcpy(left, d.pool, sizeof left);
        size_t m = ref_drf_allocate(&d.rows, left, want, NULL, TASKS);
        assert_true(m < TASKS);
        most = m > most ? m : most;
        if (run % 2) scale_amounts(&d, (int64_t)1 << 45);
        assert_ok(sked_drf_allocate(&d.rows, NULL, d.pool, tasks, NULL));
        assert_memory_equal(tasks, want, d.rows.n * sizeof *tasks);
    }
    assert_true(most > TASKS / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(far_levels_are_those_of_the_loop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
