/* SLO counts and repairs against their slow twin, over random workflows. */
#include "test.h"

#include <sched/sked.h>

#include <string.h>

#include "host.h"
#include "ref_slo.h"
#include "size.h"
#include "words.h"

enum { FLOWS = 12, RUNS = 60 };

typedef struct slo_world {
    sked_slo_input in;
    int64_t slo[FLOWS];
    uint8_t tier[FLOWS];
    uint32_t workflow[RUNS];
    sked_time start[RUNS];
    sked_time end[RUNS];
    sked_wide work[RUNS];
} slo_world;

static sked_time some_time(test_words *w, uint64_t scale)
{
    return (sked_time)test_below(w, 40 * scale) - (sked_time)(10 * scale);
}

static void some_run(slo_world *s, test_words *w, uint32_t i, uint64_t scale)
{
    uint64_t length = test_below(w, 4) ? test_below(w, 30 * scale) : 0;
    uint64_t instances = test_below(w, 20);

    s->workflow[i] = (uint32_t)test_below(w, s->in.workflows);
    s->start[i] = some_time(w, scale);
    s->end[i] = s->start[i] + (sked_time)length;
    s->work[i] = (sked_wide){
        0,
        length * instances * (uint64_t)(s->in.instance ? s->in.instance : 1)};
}

static void some_world(slo_world *s, test_words *w)
{
    uint64_t scale = test_below(w, 2) ? 1 : INT64_C(3600000000000);

    *s = (slo_world){.in = {.struct_size = sizeof s->in}};
    s->in.workflows = 1 + (uint32_t)test_below(w, FLOWS);
    s->in.n = (uint32_t)test_below(w, RUNS + 1);
    s->in.instance = (int64_t)test_below(w, 3);
    s->in.success_ppm = test_below(w, 2) ? (int64_t)test_below(w, 1000001) : 0;
    if (test_below(w, 2)) {
        s->in.from = some_time(w, scale);
        s->in.to = s->in.from + (sked_time)test_below(w, 60 * scale);
    }
    for (uint32_t i = 0; i < s->in.workflows; i++) {
        s->slo[i] = 1 + (int64_t)test_below(w, 25 * scale);
        s->tier[i] = (uint8_t)(1 + test_below(w, 3));
    }
    for (uint32_t i = 0; i < s->in.n; i++) some_run(s, w, i, scale);
    s->in.slo_ns = s->slo;
    s->in.tier = test_below(w, 5) ? s->tier : NULL;
    s->in.workflow = s->workflow;
    s->in.start = s->start;
    s->in.end = s->end;
    s->in.work = test_below(w, 8) ? s->work : NULL;
}

static uint32_t tier_of(const slo_world *s, uint32_t workflow)
{
    return s->in.tier ? s->in.tier[workflow] : 1;
}

static void check_counts(const slo_world *s)
{
    uint32_t runs[FLOWS], met[FLOWS];
    uint8_t outcome[FLOWS];
    sked_slo_tier tier[SKED_MAX_TIERS], want[SKED_MAX_TIERS] = {{0}};
    sked_slo_result out = {.struct_size = sizeof out,
                           .runs = runs,
                           .met = met,
                           .outcome = outcome,
                           .tier = tier};

    assert_ok(sked_slo_count(&s->in, NULL, &out, NULL));
    for (uint32_t w = 0; w < s->in.workflows; w++) {
        sked_slo_tier *t = &want[tier_of(s, w) - 1];
        uint32_t x, y;
        int is = ref_slo_outcome(&s->in, w);
        ref_slo_runs(&s->in, w, &x, &y);
        assert_i64(runs[w], x);
        assert_i64(met[w], y);
        assert_i64(outcome[w], is);
        t->runs += x;
        t->met += y;
        t->idle += is == SKED_SLO_IDLE;
        t->workflows += is != SKED_SLO_IDLE;
        t->successful += is == SKED_SLO_SUCCESSFUL;
    }
    assert_memory_equal(tier, want, sizeof want);
}

/* Does `a` stand rightly before `b`? */
static int in_order(const sked_slo_repair *a, const sked_slo_repair *b)
{
    if (a->extra != b->extra) return a->extra < b->extra;
    if (a->missing != b->missing) return a->missing < b->missing;
    return a->workflow < b->workflow;
}

static int succeeds_with(const slo_world *s, const sked_slo_repair *r,
                         uint32_t more)
{
    uint64_t part = s->in.success_ppm ? (uint64_t)s->in.success_ppm : 900000;

    return (r->met + (uint64_t)more) * 1000000 >= part * r->runs;
}

static void check_repair(const slo_world *s, const sked_slo_repair *r)
{
    uint32_t x, y;

    assert_i64(ref_slo_outcome(&s->in, r->workflow), SKED_SLO_FAILED);
    ref_slo_runs(&s->in, r->workflow, &x, &y);
    assert_i64(r->runs, x);
    assert_i64(r->met, y);
    assert_true(succeeds_with(s, r, r->missing));
    assert_false(succeeds_with(s, r, r->missing - 1));
    assert_i64(r->extra, s->in.work ? ref_slo_extra(&s->in, r->workflow) : -1);
}

static void check_repairs(const slo_world *s, uint32_t tier)
{
    sked_slo_repair rows[FLOWS];
    size_t n, failed = 0;

    assert_ok(sked_slo_repairs(&s->in, tier, NULL, rows, FLOWS, &n, NULL));
    for (uint32_t w = 0; w < s->in.workflows; w++) {
        failed += tier_of(s, w) == tier &&
                  ref_slo_outcome(&s->in, w) == SKED_SLO_FAILED;
    }
    assert_i64((int64_t)n, (int64_t)failed);
    for (size_t i = 0; i < n; i++) {
        assert_i64(tier_of(s, rows[i].workflow), tier);
        check_repair(s, &rows[i]);
        if (i > 0) assert_true(in_order(&rows[i - 1], &rows[i]));
    }
}

/* [MON-7] */
static void counts_and_repairs_are_the_twins(void **state)
{
    test_words w = {20};
    slo_world s;
    (void)state;

    for (size_t i = 0; i < test_size(300, 20000); i++) {
        some_world(&s, &w);
        check_counts(&s);
        for (uint32_t tier = 1; tier <= 3; tier++) check_repairs(&s, tier);
    }
}

/* Only as many as asked for are written, and they are the first. */
static void fewer_are_the_first_ones(void **state)
{
    test_words w = {21};
    slo_world s;
    (void)state;

    for (size_t i = 0; i < 200; i++) {
        sked_slo_repair all[FLOWS], some[FLOWS];
        size_t n, cap, m;
        some_world(&s, &w);
        memset(some, 0xee, sizeof some);
        assert_ok(sked_slo_repairs(&s.in, 1, NULL, all, FLOWS, &n, NULL));
        cap = test_below(&w, n + 1);
        assert_ok(sked_slo_repairs(&s.in, 1, NULL, some, cap, &m, NULL));
        assert_i64((int64_t)m, (int64_t)n);
        if (cap) assert_memory_equal(some, all, cap * sizeof *all);
    }
}

/* A shift of all clocks changes nothing but the window's place. */
static void only_differences_of_time_matter(void **state)
{
    test_words w = {22};
    slo_world s;
    (void)state;

    for (size_t i = 0; i < 200; i++) {
        uint32_t runs[2][FLOWS], met[2][FLOWS];
        some_world(&s, &w);
        for (int turn = 0; turn < 2; turn++) {
            sked_slo_result out = {.struct_size = sizeof out,
                                   .runs = runs[turn],
                                   .met = met[turn]};
            assert_ok(sked_slo_count(&s.in, NULL, &out, NULL));
            if (s.in.from || s.in.to) s.in.from += 7777, s.in.to += 7777;
            for (uint32_t r = 0; r < s.in.n; r++) {
                s.start[r] += 7777;
                s.end[r] += 7777;
            }
        }
        if (s.in.from == 0 && s.in.to == 0) continue;
        size_t bytes = s.in.workflows * sizeof runs[0][0];
        assert_memory_equal(runs[0], runs[1], bytes);
        assert_memory_equal(met[0], met[1], bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_and_repairs_are_the_twins),
        cmocka_unit_test(fewer_are_the_first_ones),
        cmocka_unit_test(only_differences_of_time_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
