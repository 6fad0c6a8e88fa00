/* Daily reports against their slow twin, over random clusters. */
#include "test.h"

#include <sched/sked.h>

#include <string.h>

#include "ref_report.h"
#include "size.h"
#include "words.h"

enum { QUEUES = 8, KINDS = 3, TIERS = 4, CELLS = (TIERS + 1) * (KINDS + 1) };

typedef struct report_world {
    sked_report_input in;
    int64_t instance[KINDS];
    uint8_t tier[QUEUES];
    int64_t allocation[QUEUES];
    sked_wide used[QUEUES];
    sked_wide usage[QUEUES * KINDS];
} report_world;

typedef struct report_tables {
    sked_wide used[CELLS];
    sked_wide capacity[CELLS];
    int64_t ratio_ppm[CELLS];
    int64_t stranded[KINDS];
    sked_report_result r;
} report_tables;

/* Up to `most` times window, as a wide number. */
static sked_wide some_use(test_words *w, uint64_t most, int64_t window)
{
    uint64_t amount = test_below(w, most + 1);
    uint64_t low = amount * ((uint64_t)window & UINT32_MAX);
    uint64_t high = amount * ((uint64_t)window >> 32);
    sked_wide x = {high >> 32, low + (high << 32)};

    x.high += x.low < low;
    if (x.low) x.low -= test_below(w, x.low < 9 ? x.low : 9);
    return x;
}

static void some_cluster(report_world *s, test_words *w)
{
    uint64_t big = test_below(w, 2) ? 30 : 1u << 30;

    *s = (report_world){.in = {.struct_size = sizeof s->in}};
    s->in.kinds = 1 + (uint32_t)test_below(w, KINDS);
    s->in.tiers = 1 + (uint32_t)test_below(w, TIERS);
    s->in.queues = (uint32_t)test_below(w, QUEUES + 1);
    s->in.window_ns = 1 + (int64_t)test_below(w, big * big);
    s->in.instances = 1 + (int64_t)test_below(w, 40);
    s->in.streak = (int32_t)test_below(w, 5) - 2;
    s->in.patience = (int64_t)test_below(w, 4);
    s->in.target_ppm = test_below(w, 2) ? (int64_t)test_below(w, 1000001) : 0;
    s->in.band_ppm = test_below(w, 2) ? (int64_t)test_below(w, 400000) : 0;
    for (uint32_t k = 0; k < s->in.kinds; k++) {
        s->instance[k] = test_below(w, 7) ? 1 + (int64_t)test_below(w, big) : 0;
    }
}

static void some_queues(report_world *s, test_words *w)
{
    uint64_t most = 1 + test_below(w, 2 * (uint64_t)s->in.instances);

    for (uint32_t q = 0; q < s->in.queues; q++) {
        s->tier[q] = (uint8_t)(1 + test_below(w, s->in.tiers));
        s->allocation[q] = (int64_t)test_below(w, 12);
        if (test_below(w, 8))
            s->used[q] = some_use(w, most / 4, s->in.window_ns);
        for (uint32_t k = 0; k < s->in.kinds; k++) {
            uint64_t has = (uint64_t)s->instance[k];
            s->usage[q * s->in.kinds + k] = some_use(
                w, has ? has * most / 4 : 0, s->in.window_ns);
        }
    }
    s->in.instance = s->instance;
    s->in.tier = s->tier;
    s->in.allocation = s->allocation;
    s->in.used = s->used;
    s->in.usage = s->usage;
}

static void make_tables(report_tables *t)
{
    memset(t, 0, sizeof *t);
    t->r = (sked_report_result){.struct_size = sizeof t->r,
                                .used = t->used,
                                .capacity = t->capacity,
                                .ratio_ppm = t->ratio_ppm,
                                .stranded = t->stranded};
}

static void report_is_the_twin(const report_world *s, int actions[3][5])
{
    static report_tables a, b;

    make_tables(&a);
    make_tables(&b);
    assert_ok(sked_report(&s->in, NULL, &a.r, NULL));
    ref_report(&s->in, &b.r);
    assert_memory_equal(a.used, b.used, sizeof a.used);
    assert_memory_equal(a.capacity, b.capacity, sizeof a.capacity);
    assert_memory_equal(a.ratio_ppm, b.ratio_ppm, sizeof a.ratio_ppm);
    assert_memory_equal(a.stranded, b.stranded, sizeof a.stranded);
    assert_i64(a.r.dominant, b.r.dominant);
    assert_i64(a.r.disorder, b.r.disorder);
    assert_i64(a.r.action, b.r.action);
    assert_i64(a.r.reason, b.r.reason);
    assert_i64(a.r.streak, b.r.streak);
    assert_i64(a.r.by, b.r.by);
    assert_i64(a.r.needed, b.r.needed);
    actions[a.r.action][a.r.reason]++;
}

/* [MON-8] */
static void reports_are_the_twins(void **state)
{
    test_words w = {50};
    int actions[3][5] = {{0}};
    report_world s;
    (void)state;

    for (size_t i = 0; i < test_size(600, 20000); i++) {
        some_cluster(&s, &w);
        some_queues(&s, &w);
        report_is_the_twin(&s, actions);
    }
    assert_true(actions[SKED_REPORT_ACTION_KEEP][SKED_REPORT_REASON_WITHIN] >
                5);
    assert_true(actions[SKED_REPORT_ACTION_KEEP][SKED_REPORT_REASON_WAITING] >
                5);
    assert_true(actions[SKED_REPORT_ACTION_KEEP][SKED_REPORT_REASON_LEAST] > 1);
    assert_true(actions[SKED_REPORT_ACTION_GROW][SKED_REPORT_REASON_ABOVE] > 5);
    assert_true(actions[SKED_REPORT_ACTION_SHRINK][SKED_REPORT_REASON_BELOW] >
                5);
}

/* A cluster that was changed as said is left alone by the next report of the
 * same usage, whatever the band. */
static void what_was_done_is_not_undone(void **state)
{
    test_words w = {51};
    report_world s;
    (void)state;

    for (size_t i = 0; i < 1000; i++) {
        sked_report_result r = {.struct_size = sizeof r};
        some_cluster(&s, &w);
        some_queues(&s, &w);
        s.in.patience = 0;
        assert_ok(sked_report(&s.in, NULL, &r, NULL));
        if (r.action == SKED_REPORT_ACTION_KEEP) continue;
        s.in.instances = r.needed;
        assert_ok(sked_report(&s.in, NULL, &r, NULL));
        assert_i64(r.action, SKED_REPORT_ACTION_KEEP);
    }
}

enum { FLOWS = 20 };

static void some_flows(sked_report_compare_input *f, test_words *w,
                       uint64_t *key, uint8_t *tier, int64_t *slo)
{
    uint64_t at = 0;

    *f = (sked_report_compare_input){.struct_size = sizeof *f, .key = key};
    f->tier = test_below(w, 6) ? tier : NULL;
    f->slo_ns = test_below(w, 6) ? slo : NULL;
    for (f->n = 0; f->n < test_below(w, FLOWS + 1); f->n++) {
        key[f->n] = at += 1 + test_below(w, 2);
        tier[f->n] = (uint8_t)(1 + test_below(w, 3));
        slo[f->n] = 1 + (int64_t)test_below(w, 2);
    }
    for (uint32_t i = (uint32_t)f->n; i > 1; i--) {
        uint32_t j = (uint32_t)test_below(w, i);
        uint64_t held = key[j];
        key[j] = key[i - 1];
        key[i - 1] = held * (held & 1 ? 1 : UINT64_C(0x8000000000000001));
    }
}

static void workflows_are_compared_as_the_twin_does(void **state)
{
    test_words w = {52};
    uint64_t key[2][FLOWS];
    uint8_t tier[2][FLOWS], change[2][FLOWS];
    int64_t slo[2][FLOWS];
    sked_report_compare_input f[2];
    sked_report_tier counts[2][SKED_MAX_TIERS];
    (void)state;

    for (size_t i = 0; i < test_size(3000, 60000); i++) {
        for (int s = 0; s < 2; s++)
            some_flows(&f[s], &w, key[s], tier[s], slo[s]);
        const sked_report_compare_input *before = test_below(&w, 9) ? &f[1]
                                                                    : NULL;
        memset(change, 0, sizeof change);
        assert_ok(sked_report_compare(&f[0], before, NULL, change[0], counts[0],
                                      NULL));
        ref_report_compare(&f[0], before, change[1], counts[1]);
        assert_memory_equal(change[0], change[1], FLOWS);
        assert_memory_equal(counts[0], counts[1], sizeof counts[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_are_the_twins),
        cmocka_unit_test(what_was_done_is_not_undone),
        cmocka_unit_test(workflows_are_compared_as_the_twin_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
