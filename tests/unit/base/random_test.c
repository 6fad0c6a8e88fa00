#include "test.h"

#include <sched/sked.h>

#include "base/random.h"

static void assert_u64(uint64_t got, uint64_t want)
{
    assert_i64((int64_t)got, (int64_t)want);
}

/* Published with splitmix64 (seed 1234567) and xoshiro256** (state 1 2 3 4). */
static void the_streams_are_the_published_ones(void **state)
{
    skedi_random r = {.s = {1, 2, 3, 4}};
    uint64_t seed = 1234567;
    (void)state;

    assert_u64(skedi_random_split(&seed), UINT64_C(6457827717110365317));
    assert_u64(skedi_random_split(&seed), UINT64_C(3203168211198807973));
    assert_u64(skedi_random_split(&seed), UINT64_C(9817491932198370423));
    assert_u64(skedi_random_next(&r), 11520);
    assert_u64(skedi_random_next(&r), 0);
    assert_u64(skedi_random_next(&r), 1509978240);
    assert_u64(skedi_random_next(&r), UINT64_C(1215971899390074240));
}

static void a_seed_fills_the_state_in_order(void **state)
{
    skedi_random r;
    uint64_t seed = 42;
    (void)state;

    skedi_random_seed(&r, seed, NULL);
    for (int i = 0; i < 4; i++) assert_u64(r.s[i], skedi_random_split(&seed));
}

static uint64_t counting(void *user)
{
    return (*(uint64_t *)user)++;
}

static uint64_t stuck(void *user)
{
    (*(uint64_t *)user)++;
    return 0;
}

static void a_host_hook_takes_over(void **state)
{
    uint64_t at = 7;
    sked_host host = {
        .struct_size = sizeof host, .user = &at, .random = counting};
    skedi_random r;
    (void)state;

    skedi_random_seed(&r, 1, &host);
    assert_u64(skedi_random_next(&r), 7);
    assert_u64(skedi_random_next(&r), 8);
}

static void a_stuck_hook_cannot_hang_a_draw(void **state)
{
    uint64_t calls = 0;
    sked_host host = {
        .struct_size = sizeof host, .user = &calls, .random = stuck};
    skedi_random r;
    (void)state;

    skedi_random_seed(&r, 1, &host);
    assert_u64(skedi_random_below(&r, 3), 0);
    assert_u64(calls, 64);
}

/* Six values in 60,000 draws: 10,000 each, give or take six deviations. */
static void every_value_below_n_is_as_likely(void **state)
{
    int64_t hits[6] = {0};
    skedi_random r;
    (void)state;

    skedi_random_seed(&r, 9, NULL);
    for (int i = 0; i < 60000; i++) hits[skedi_random_below(&r, 6)]++;
    for (int i = 0; i < 6; i++) {
        assert_true(hits[i] > 9450);
        assert_true(hits[i] < 10550);
    }
}

static void below_stays_below_for_every_size(void **state)
{
    skedi_random r;
    (void)state;

    skedi_random_seed(&r, 3, NULL);
    assert_u64(skedi_random_below(&r, 1), 0);
    for (unsigned by = 0; by < 64; by++) {
        uint64_t n = UINT64_MAX >> by;
        for (int i = 0; i < 50; i++) assert_true(skedi_random_below(&r, n) < n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_streams_are_the_published_ones),
        cmocka_unit_test(a_seed_fills_the_state_in_order),
        cmocka_unit_test(a_host_hook_takes_over),
        cmocka_unit_test(a_stuck_hook_cannot_hang_a_draw),
        cmocka_unit_test(every_value_below_n_is_as_likely),
        cmocka_unit_test(below_stays_below_for_every_size),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
