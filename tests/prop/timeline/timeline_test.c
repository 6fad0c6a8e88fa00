/*
 * A timeline against a plain array of steps: random spans and questions, with
 * every answer compared and every invariant checked.
 */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "ref_timeline.h"
#include "size.h"
#include "words.h"

enum { KINDS = REF_TIMELINE_KINDS, MOST = REF_TIMELINE_SPANS };

/* How a world draws its numbers. */
enum style {
    STYLE_SMALL,   /* few moments and amounts: many ties */
    STYLE_QUEUE,   /* jobs of usual sizes, placed one behind another */
    STYLE_EXTREME, /* ends of the ranges */
    STYLES
};

typedef struct world {
    test_host host;
    test_words words;
    enum style style;
    sked_timeline *line;
    ref_timeline *ref;
    uint64_t id[MOST]; /* of the spans of `ref` */
    uint64_t gone;     /* an id that was removed, or 0 */
} world;

static uint64_t below(world *w, uint64_t n)
{
    return test_below(&w->words, n);
}

static const int64_t limit = (int64_t)1 << 62;

static int64_t any_moment(world *w)
{
    if (w->style == STYLE_SMALL) return (int64_t)below(w, 40) - 10;
    if (w->style == STYLE_QUEUE) return (int64_t)below(w, 5000);
    switch (below(w, 4)) {
    case 0: return limit - 1 - (int64_t)below(w, 5);
    case 1: return -limit + 1 + (int64_t)below(w, 5);
    case 2: return (int64_t)below(w, 10);
    default: return (int64_t)test_word(&w->words) / 4;
    }
}

static int64_t any_duration(world *w)
{
    static const int64_t usual[] = {15, 30, 60, 120, 240, 480};

    if (below(w, 40) == 0) return SKED_UNLIMITED;
    if (below(w, 40) == 0) return 0;
    if (w->style == STYLE_SMALL) return (int64_t)below(w, 12);
    if (w->style == STYLE_QUEUE) {
        return below(w, 2) ? usual[below(w, 6)] : 1 + (int64_t)below(w, 500);
    }
    return below(w, 2) ? (int64_t)(test_rough(&w->words) >> 1)
                       : (int64_t)below(w, 10);
}

static void any_amounts(world *w, int64_t *amounts)
{
    for (uint32_t k = 0; k < w->ref->kinds; k++) {
        if (w->style == STYLE_SMALL) {
            amounts[k] = (int64_t)below(w, 6);
        } else if (w->style == STYLE_QUEUE) {
            amounts[k] = (int64_t)1 << below(w, 8);
        } else if (below(w, 3) == 0) {
            amounts[k] = SKED_AMOUNT_MAX - (int64_t)below(w, 3);
        } else {
            amounts[k] = (int64_t)(test_rough(&w->words) >> 2);
        }
        if (below(w, 10) == 0) amounts[k] = 0;
    }
}

static void any_total(world *w, int64_t *total)
{
    for (uint32_t k = 0; k < w->ref->kinds; k++) {
        total[k] = w->style == STYLE_SMALL   ? (int64_t)below(w, 12)
                   : w->style == STYLE_QUEUE ? 128 + (int64_t)below(w, 100)
                   : below(w, 2) ? SKED_AMOUNT_MAX - (int64_t)below(w, 2)
                                 : (int64_t)(test_rough(&w->words) >> 2);
    }
}

/* ---- Changes ---- */

static void add_span(world *w, int64_t from, int64_t until,
                     const int64_t *amounts)
{
    ref_timeline *ref = w->ref;
    uint64_t id = 0;
    sked_error err;

    if (ref->n == MOST) return;
    sked_status rc = sked_timeline_add(w->line, from, until, amounts, &id,
                                       &err);
    if (!ref_timeline_add(ref, from, until, amounts)) {
        assert_status(SKED_ERR_RANGE, rc);
        assert_true(err.kind >= 0);
        assert_true(err.got > err.limit);
        return;
    }
    assert_ok(rc);
    assert_true(id != SKED_TIMELINE_NO_SPAN && id != w->gone);
    w->id[ref->n - 1] = id;
}

static void add_any(world *w)
{
    int64_t from = any_moment(w), until = any_moment(w), amounts[KINDS];

    any_amounts(w, amounts);
    if (until < from) {
        assert_status(SKED_ERR_RANGE, sked_timeline_add(w->line, from, until,
                                                        amounts, NULL, NULL));
        int64_t other = from;
        from = until;
        until = other;
    }
    if (below(w, 12) == 0) until = SKED_UNLIMITED;
    add_span(w, from, until, amounts);
}

static void remove_any(world *w)
{
    ref_timeline *ref = w->ref;

    if (ref->n == 0) return;
    size_t i = below(w, ref->n);
    assert_ok(sked_timeline_remove(w->line, w->id[i], NULL));
    assert_status(SKED_ERR_STALE,
                  sked_timeline_remove(w->line, w->id[i], NULL));
    w->gone = w->id[i];
    ref_timeline_remove(ref, i);
    w->id[i] = w->id[ref->n];
}

/* ---- Questions ---- */

/* The earliest start, and often a span there, as a host does that plans. */
static void ask_earliest(world *w)
{
    int64_t amounts[KINDS], start, now = any_moment(w);
    int64_t duration = any_duration(w);

    if (w->style == STYLE_QUEUE) now = 0;
    any_amounts(w, amounts);
    assert_ok(
        sked_timeline_earliest(w->line, now, duration, amounts, &start, NULL));
    assert_i64(start, ref_timeline_earliest(w->ref, now, duration, amounts));
    if (start == SKED_UNLIMITED || below(w, 4) == 0) return;
    if (duration == SKED_UNLIMITED) {
        if (below(w, 8) == 0) add_span(w, start, duration, amounts);
    } else if (duration < limit && start < limit - duration) {
        add_span(w, start, start + duration, amounts);
    }
}

static void ask_least(world *w)
{
    int64_t from = any_moment(w), until = any_moment(w);
    int64_t got[KINDS], want[KINDS];

    if (below(w, 6) == 0) until = SKED_UNLIMITED;
    if (until < from) until = from;
    assert_ok(sked_timeline_least(w->line, from, until, got, NULL));
    ref_timeline_least(w->ref, from, until, want);
    for (uint32_t k = 0; k < w->ref->kinds; k++) assert_i64(got[k], want[k]);
}

static void ask_steps(world *w)
{
    static int64_t times[2][REF_TIMELINE_STEPS];
    static int64_t amounts[2][REF_TIMELINE_STEPS * KINDS];
    int64_t from = any_moment(w), until = any_moment(w);
    size_t n = 0;

    if (below(w, 3) == 0) until = SKED_UNLIMITED;
    if (until < from) until = from;
    size_t want = ref_timeline_steps(w->ref, from, until, times[1], amounts[1]);
    assert_ok(sked_timeline_steps(w->line, from, until, times[0], amounts[0],
                                  REF_TIMELINE_STEPS, &n, NULL));
    assert_int_equal(n, want);
    assert_memory_equal(times[0], times[1], n * sizeof *times[0]);
    assert_memory_equal(amounts[0], amounts[1],
                        n * w->ref->kinds * sizeof *amounts[0]);
    assert_status(SKED_ERR_RANGE,
                  sked_timeline_steps(w->line, from, until, times[0],
                                      amounts[0], want - 1, &n, NULL));
    assert_int_equal(n, want);
}

static void ask_spans(world *w)
{
    int64_t from, until, amounts[KINDS];

    assert_int_equal(sked_timeline_spans(w->line), w->ref->n);
    for (size_t i = 0; i < w->ref->n; i++) {
        const ref_span *s = &w->ref->span[i];
        assert_ok(
            sked_timeline_span(w->line, w->id[i], &from, &until, amounts));
        assert_i64(from, s->from);
        assert_i64(until, s->until);
        assert_memory_equal(amounts, s->amounts,
                            w->ref->kinds * sizeof *amounts);
    }
}

static void go_on_with_a_copy(world *w)
{
    sked_host hooks = test_host_hooks(&w->host);
    sked_timeline *copy;

    assert_ok(sked_timeline_copy(w->line, &hooks, &copy, NULL));
    assert_true(sked_timeline_digest(copy) == sked_timeline_digest(w->line));
    sked_timeline_free(w->line);
    w->line = copy;
}

static void change_total(world *w)
{
    any_total(w, w->ref->total);
    assert_ok(sked_timeline_set_total(w->line, w->ref->total, NULL));
}

/* ---- Worlds ---- */

/* Of 100 steps, how many add and how many remove a span; most others ask for the
 * earliest start. */
typedef struct phase {
    uint64_t adds;
    uint64_t removes;
} phase;

static void one_step(world *w, phase p)
{
    uint64_t what = below(w, 100);

    if (what < p.adds) {
        add_any(w);
    } else if (what < p.adds + p.removes) {
        remove_any(w);
    } else if (what < 90) {
        ask_earliest(w);
    } else if (what < 94) {
        ask_least(w);
    } else if (what < 97) {
        ask_steps(w);
    } else if (what < 98) {
        ask_spans(w);
    } else if (what < 99) {
        go_on_with_a_copy(w);
    } else {
        change_total(w);
    }
}

static void play(world *w, uint64_t seed, size_t steps)
{
    /* Grows first, then shrinks. A plan grows by its answers. */
    static const phase phases[2][2] = {{{45, 5}, {5, 45}}, {{1, 5}, {1, 50}}};
    int is_plan = steps > 1000;
    sked_host hooks;
    int64_t total[KINDS];

    ref_timeline_start(w->ref);
    *w = (world){.ref = w->ref, .words = {seed}};
    hooks = test_host_hooks(&w->host);
    w->style = is_plan ? STYLE_QUEUE : (enum style)below(w, STYLES);
    w->ref->kinds = 1 + (uint32_t)below(w, KINDS);
    any_total(w, total);
    memcpy(w->ref->total, total, sizeof total);
    assert_ok(sked_timeline_new(total, w->ref->kinds, &hooks, &w->line, NULL));
    for (size_t i = 0; i < steps; i++) {
        one_step(w, phases[is_plan][i >= steps / 2]);
        if (i % (steps / 50) == 0 || steps < 200) {
            assert_ok(sked_timeline_check(w->line, NULL));
        }
    }
    while (w->ref->n > 0) {
        remove_any(w);
        if (w->ref->n % 64 == 0) ask_earliest(w);
        if (w->ref->n % 256 == 0) assert_ok(sked_timeline_check(w->line, NULL));
    }
    assert_ok(sked_timeline_check(w->line, NULL));
    sked_timeline_free(w->line);
    assert_int_equal(w->host.live, 0);
}

static void answers_are_those_of_the_array(void **state)
{
    world *w = *state;
    size_t worlds = test_size(300, 20000);

    for (size_t i = 0; i < worlds; i++) {
        play(w, i, i % 25 == 24 ? 9000 : i % 20 == 0 ? 900 : 120);
    }
}

/* ---- Plans without a handle ---- */

static void plans_are_those_of_the_array(void **state)
{
    enum { ROWS = 60 };
    world *w = *state;
    int64_t ready[ROWS], durations[ROWS], amounts[ROWS * KINDS];
    int64_t got[ROWS], want[ROWS];
    size_t worlds = test_size(400, 20000);

    for (size_t i = 0; i < worlds; i++) {
        ref_timeline_start(w->ref);
        *w = (world){.ref = w->ref, .words = {i}};
        w->style = (enum style)below(w, STYLES);
        w->ref->kinds = 1 + (uint32_t)below(w, KINDS);
        any_total(w, w->ref->total);
        sked_timeline_input in = {.struct_size = sizeof in,
                                  .kinds = w->ref->kinds,
                                  .depth = (uint32_t)below(w, 4),
                                  .n = 1 + below(w, ROWS),
                                  .total = w->ref->total,
                                  .ready = below(w, 3) ? NULL : ready,
                                  .durations = durations,
                                  .amounts = amounts};
        for (size_t r = 0; r < in.n; r++) {
            ready[r] = any_moment(w);
            durations[r] = any_duration(w);
            any_amounts(w, amounts + r * in.kinds);
            got[r] = -77;
        }
        sked_error err;
        sked_status rc = sked_timeline_once(&in, NULL, got, &err);
        size_t done = ref_timeline_plan(w->ref, &in, want);
        if (done < in.n) {
            assert_status(SKED_ERR_RANGE, rc);
            assert_i64(err.row, (int64_t)done);
            assert_i64(got[0], -77);
            continue;
        }
        assert_ok(rc);
        for (size_t r = 0; r < in.n; r++) assert_i64(got[r], want[r]);
    }
}

static int set_up(void **state)
{
    static world w;

    w.ref = calloc(1, sizeof *w.ref);
    *state = &w;
    return w.ref == NULL;
}

static int tear_down(void **state)
{
    world *w = *state;

    free(w->ref);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(answers_are_those_of_the_array, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(plans_are_those_of_the_array, set_up,
                                        tear_down),
    };

    return cmocka_run_group_tests_name("prop.timeline", tests, NULL, NULL);
}
