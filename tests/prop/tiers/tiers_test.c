/* Thresholds of tiers against all there are, tried one after the other. */
#include "test.h"

#include <sched/sked.h>

#include <string.h>

#include "ref_tiers.h"
#include "size.h"
#include "words.h"

enum { TIERS = 4, ENTRIES = TIERS * 8 };

typedef struct tier_world {
    sked_tiers_input in;
    int64_t low[TIERS];
    int64_t high[TIERS];
    sked_wide usage[TIERS];
    int64_t allocation[ENTRIES];
} tier_world;

static void some_bounds(tier_world *s, test_words *w)
{
    int64_t step = s->in.step_ppm ? s->in.step_ppm : 10000;

    for (uint32_t t = 0; t < s->in.tiers; t++) {
        int64_t p = 600000 - (int64_t)test_below(w, 3) * step * (int64_t)t;
        s->low[t] = p + (int64_t)test_below(w, 3 * (uint64_t)step);
        s->high[t] = s->low[t] + (int64_t)test_below(w, 5 * (uint64_t)step);
    }
}

/* Allocations that rise by chance, large where the usage is. */
static void some_tier(tier_world *s, test_words *w, uint32_t t, uint64_t big)
{
    size_t count;
    int64_t grown = 1 + (int64_t)test_below(w, big);

    assert_status(SKED_ERR_RANGE,
                  sked_tiers_thresholds(s->low[t], s->high[t], s->in.step_ppm,
                                        NULL, 0, &count, NULL));
    s->usage[t] = (sked_wide){big > 1000 ? test_below(w, 9) : 0,
                              1 + test_below(w, 1000 * big)};
    if (test_below(w, 6) == 0) s->usage[t] = (sked_wide){0, 0};
    int unused = s->usage[t].high == 0 && s->usage[t].low == 0;
    for (size_t i = 0; i < count; i++) {
        s->allocation[s->in.n++] = unused ? 0 : grown;
        grown += (int64_t)test_below(w, 1 + big / 4);
    }
}

static void some_world(tier_world *s, test_words *w)
{
    uint64_t big = test_below(w, 3) ? 12 : INT64_C(1) << 50;

    *s = (tier_world){.in = {.struct_size = sizeof s->in}};
    s->in.tiers = 1 + (uint32_t)test_below(w, TIERS);
    s->in.step_ppm = (int64_t)(test_below(w, 4) * 5000);
    some_bounds(s, w);
    for (uint32_t t = 0; t < s->in.tiers; t++) some_tier(s, w, t, big);
    s->in.total = test_below(w, 5) ? (int64_t)test_below(w, 6 * big)
                                   : SKED_UNLIMITED;
    s->in.low_ppm = s->low;
    s->in.high_ppm = s->high;
    s->in.usage = s->usage;
    s->in.allocation = s->allocation;
}

static void search_is_the_twin(const tier_world *s, int outcomes[4])
{
    int64_t threshold[2][TIERS], allocation[2][TIERS];
    sked_tiers_result r[2];

    memset(threshold, 0xee, sizeof threshold);
    memset(allocation, 0xee, sizeof allocation);
    for (int i = 0; i < 2; i++) {
        r[i] = (sked_tiers_result){.struct_size = sizeof r[i],
                                   .threshold_ppm = threshold[i],
                                   .allocation = allocation[i]};
    }
    assert_ok(sked_tiers_search(&s->in, NULL, &r[0], NULL));
    ref_tiers_search(&s->in, &r[1]);
    assert_i64(r[0].outcome, r[1].outcome);
    assert_i64(r[0].tier, r[1].tier);
    assert_i64(r[0].smallest, r[1].smallest);
    assert_i64(r[0].allocated, r[1].allocated);
    assert_memory_equal(threshold[0], threshold[1], sizeof threshold[0]);
    assert_memory_equal(allocation[0], allocation[1], sizeof allocation[0]);
    outcomes[r[0].outcome]++;
}

/* [MON-4] */
static void the_search_is_all_choices_tried(void **state)
{
    test_words w = {30};
    int outcomes[4] = {0};
    tier_world s;
    (void)state;

    for (size_t i = 0; i < test_size(3000, 60000); i++) {
        some_world(&s, &w);
        search_is_the_twin(&s, outcomes);
    }
    for (int i = 0; i < 4; i++)
        assert_true((size_t)outcomes[i] > test_size(100, 100));
}

/* More instances never lower the plan, and the smallest total is enough. */
static void more_is_never_worse(void **state)
{
    test_words w = {31};
    tier_world s;
    (void)state;

    for (int i = 0; i < 1000; i++) {
        int64_t threshold[TIERS], allocation[TIERS], before[TIERS] = {0};
        sked_tiers_result r = {.struct_size = sizeof r,
                               .threshold_ppm = threshold,
                               .allocation = allocation};
        some_world(&s, &w);
        assert_ok(sked_tiers_search(&s.in, NULL, &r, NULL));
        if (r.smallest < 0) continue;
        for (s.in.total = r.smallest; s.in.total < r.smallest + 9;
             s.in.total++) {
            assert_ok(sked_tiers_search(&s.in, NULL, &r, NULL));
            assert_i64(r.outcome, SKED_TIERS_OK);
            assert_true(r.allocated <= s.in.total);
            assert_true(threshold[0] >= before[0]);
            memcpy(before, threshold, sizeof before);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_search_is_all_choices_tried),
        cmocka_unit_test(more_is_never_worse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
