/* Histories by hand: forms, windows, instances, refusals, failures. */
#include "test.h"

#include <sched/sked.h>

#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "history/state.h"

typedef struct world {
    test_host host;
    sked_history *history;
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

    sked_history_free(w->history);
    return w->host.live == 0 ? 0 : -1;
}

static void make(world *w, sked_history_options opts, const int64_t *instance)
{
    sked_host hooks = test_host_hooks(&w->host);

    opts.struct_size = sizeof opts;
    assert_ok(sked_history_new(instance, &opts, &hooks, &w->history, NULL));
}

static sked_history_input intervals(size_t n, const sked_time *start,
                                    const sked_time *end, const int64_t *amount)
{
    return (sked_history_input){.struct_size = sizeof(sked_history_input),
                                .n = n,
                                .start = start,
                                .end = end,
                                .amount = amount};
}

static size_t units(const world *w, uint32_t queue, int64_t *length,
                    int64_t *amount)
{
    size_t n;

    assert_ok(
        sked_history_units(w->history, queue, length, amount, 16, &n, NULL));
    return n;
}

/* [MON-1] Each span of one amount is a unit; ends come before starts. */
static void intervals_become_units(void **state)
{
    const sked_time start[] = {0, 2, 5, 5}, end[] = {5, 7, 5, 9};
    const int64_t amount[] = {1, 2, 100, 1};
    sked_history_input rows = intervals(4, start, end, amount);
    sked_history_stats counts;
    int64_t length[16], held[16];
    world *w = *state;

    make(w, (sked_history_options){.flags = SKED_HISTORY_FLAG_KEEP}, NULL);
    assert_ok(sked_history_add(w->history, &rows, &counts, NULL));
    assert_i64((int64_t)counts.empty, 1);
    assert_i64((int64_t)counts.outside, 0);
    assert_i64((int64_t)units(w, 0, length, held), 2);
    assert_ok(sked_history_settle(w->history, SKED_HISTORY_END, NULL));
    assert_i64((int64_t)units(w, 0, length, held), 3);
    assert_i64(length[0], 2);
    assert_i64(held[0], 1);
    assert_i64(length[1], 5);
    assert_i64(held[1], 3);
    assert_i64(length[2], 2);
    assert_i64(held[2], 1);
}

static void a_window_clips(void **state)
{
    const sked_time start[] = {0, 0, 12, 30}, end[] = {5, 12, 99, 40};
    const int64_t amount[] = {1, 2, 4, 8};
    sked_history_input rows = intervals(4, start, end, amount);
    sked_history_stats counts;
    int64_t length[16], held[16];
    sked_history_standing at;
    world *w = *state;

    make(w,
         (sked_history_options){.flags = SKED_HISTORY_FLAG_KEEP |
                                         SKED_HISTORY_FLAG_WINDOW,
                                .from = 10,
                                .to = 20},
         NULL);
    assert_ok(sked_history_add(w->history, &rows, &counts, NULL));
    assert_i64((int64_t)counts.outside, 2);
    assert_ok(sked_history_settle(w->history, SKED_HISTORY_END, NULL));
    assert_i64((int64_t)units(w, 0, length, held), 2);
    assert_i64(length[0], 2);
    assert_i64(held[0], 2);
    assert_i64(length[1], 8);
    assert_i64(held[1], 4);
    assert_ok(sked_history_get_standing(w->history, 0, &at));
    assert_i64(at.oldest, 10);
    assert_i64(at.clock, 20);
    assert_i64((int64_t)at.open, 0);
    assert_i64((int64_t)at.amounts, 2);
}

/* [MON-1] What is forgotten does not count; the rest stays as it was. */
static void a_sliding_window_forgets_the_oldest_day(void **state)
{
    const int64_t day[] = {24, 24, 24}, amount[] = {5, 7, 9};
    const sked_ratio all = {1, 1}, half = {1, 2};
    sked_history_input rows = {.struct_size = sizeof rows,
                               .form = SKED_HISTORY_FORM_UNITS,
                               .n = 3,
                               .length = day,
                               .amount = amount};
    sked_pctl_point point;
    sked_pctl_queue total;
    world *w = *state;

    make(w, (sked_history_options){.flags = SKED_HISTORY_FLAG_KEEP}, NULL);
    assert_ok(sked_history_add(w->history, &rows, NULL, NULL));
    assert_ok(sked_history_forget(w->history, 36, NULL));
    assert_ok(
        sked_history_pctl(w->history, NULL, 1, &half, 1, &point, &total, NULL));
    assert_i64(total.in_use, 36);
    assert_i64(total.least, 7);
    assert_i64(point.amount, 9);
    assert_i64(point.lower, 7);
    assert_i64((int64_t)point.waste.low, 2 * 12);
    assert_ok(sked_history_forget(w->history, 72, NULL));
    assert_ok(
        sked_history_pctl(w->history, NULL, 1, &all, 1, &point, &total, NULL));
    assert_i64(total.in_use, 0);
    assert_i64(point.amount, 0);
    assert_ok(sked_history_check(w->history, NULL));
}

/* [MON-2] The dominant kind decides; parts of instances are exact, and rounded
 * up only at the end. */
static void instances_go_by_the_dominant_kind(void **state)
{
    const int64_t instance[] = {16000, INT64_C(61) << 30, 0};
    const int64_t length[] = {10, 10, 10};
    const int64_t amount[] = {16001, INT64_C(1) << 30,
                              0, /* 16001/16000 */
                              16000, INT64_C(122) << 30,
                              0, /* 2 of memory */
                              0,     0,
                              0};
    const sked_ratio p = {1, 2};
    sked_history_input rows = {.struct_size = sizeof rows,
                               .form = SKED_HISTORY_FORM_UNITS,
                               .n = 3,
                               .length = length,
                               .amount = amount};
    sked_pctl_point point;
    sked_wide work[3], led[3];
    world *w = *state;

    make(w, (sked_history_options){.kinds = 3, .parts = 16000}, instance);
    assert_ok(sked_history_add(w->history, &rows, NULL, NULL));
    assert_ok(
        sked_history_pctl(w->history, NULL, 1, &p, 1, &point, NULL, NULL));
    assert_i64(point.amount, 16001);
    assert_i64(point.higher, 32000);
    assert_ok(sked_history_work(w->history, 0, work, led));
    assert_i64((int64_t)work[0].low, 320010);
    assert_i64((int64_t)led[0].low, 160010);
    assert_i64((int64_t)led[1].low, INT64_C(1220) << 30);
    assert_i64((int64_t)work[2].low, 0);
    assert_ok(sked_history_work(w->history, 0, work, NULL));
}

/* ---- Refusals ---- */

static void assert_bad(world *w, const sked_history_input *rows,
                       sked_status want, int64_t row, int32_t kind)
{
    sked_history_standing before, after;
    sked_error err;

    assert_ok(sked_history_get_standing(w->history, 0, &before));
    assert_status(want, sked_history_add(w->history, rows, NULL, &err));
    assert_i64(err.row, row);
    assert_i64(err.kind, kind);
    assert_ok(sked_history_get_standing(w->history, 0, &after));
    assert_memory_equal(&before, &after, sizeof before);
    assert_ok(sked_history_check(w->history, NULL));
}

/* A record that is refused is named, and nothing has changed. */
static void bad_records_are_named(void **state)
{
    sked_time start[] = {5, 6, 7}, end[] = {9, 9, 9};
    int64_t amount[] = {1, 1, 1, 1, 1, 1};
    uint32_t queue[] = {0, 0, 0};
    const int64_t instance[] = {4, 0};
    sked_history_input rows = intervals(3, start, end, amount);
    world *w = *state;

    rows.queue = queue;
    make(w, (sked_history_options){.kinds = 2}, instance);
    assert_bad(w, &rows, SKED_ERR_RANGE, 0, 1);
    amount[1] = amount[3] = amount[5] = 0;
    end[2] = 6;
    assert_bad(w, &rows, SKED_ERR_RANGE, 2, -1);
    end[2] = SKED_AMOUNT_MAX;
    assert_bad(w, &rows, SKED_ERR_RANGE, 2, -1);
    end[2] = 9;
    start[2] = 5;
    assert_bad(w, &rows, SKED_ERR_STATE, 2, -1);
    start[2] = -SKED_AMOUNT_MAX;
    assert_bad(w, &rows, SKED_ERR_RANGE, 2, -1);
    start[2] = 7;
    amount[4] = -1;
    assert_bad(w, &rows, SKED_ERR_RANGE, 2, 0);
    amount[4] = SKED_AMOUNT_MAX - 1;
    assert_bad(w, &rows, SKED_ERR_RANGE, 2, 0);
    amount[4] = SKED_AMOUNT_MAX - 2;
    queue[2] = 1;
    assert_bad(w, &rows, SKED_ERR_NOT_FOUND, 2, -1);
    queue[2] = 0;
    assert_ok(sked_history_add(w->history, &rows, NULL, NULL));
    start[0] = 6;
    rows.n = 1;
    amount[0] = 0;
    assert_bad(w, &rows, SKED_ERR_STATE, 0, -1);
}

/* A change holds from its time on, besides what is open. */
static void a_change_is_held_with_what_is_open(void **state)
{
    const sked_time start = 0, end = 9, time[] = {2, 4}, late = SKED_AMOUNT_MAX;
    const int64_t amount = 5, level[] = {SKED_AMOUNT_MAX - 5, SKED_AMOUNT_MAX};
    sked_history_input rows = intervals(1, &start, &end, &amount);
    sked_history_input changes = intervals(2, time, NULL, level);
    world *w = *state;

    changes.form = SKED_HISTORY_FORM_CHANGES;
    make(w, (sked_history_options){0}, NULL);
    assert_ok(sked_history_add(w->history, &rows, NULL, NULL));
    assert_bad(w, &changes, SKED_ERR_RANGE, 1, 0);
    changes.n = 1;
    assert_ok(sked_history_add(w->history, &changes, NULL, NULL));
    changes.start = &late;
    assert_bad(w, &changes, SKED_ERR_RANGE, 0, -1);
    const int64_t length = 1;
    const sked_history_input units = {.struct_size = sizeof units,
                                      .form = SKED_HISTORY_FORM_UNITS,
                                      .n = 1,
                                      .length = &length,
                                      .amount = level + 1};
    assert_bad(w, &units, SKED_ERR_RANGE, 0, 0);
}

static void units_end_before_the_end_of_time(void **state)
{
    int64_t length[] = {SKED_AMOUNT_MAX - 1, 1};
    const int64_t amount[] = {1, 1};
    sked_history_input rows = {.struct_size = sizeof rows,
                               .form = SKED_HISTORY_FORM_UNITS,
                               .n = 2,
                               .length = length,
                               .amount = amount};
    world *w = *state;

    make(w, (sked_history_options){0}, NULL);
    assert_bad(w, &rows, SKED_ERR_RANGE, 1, -1);
    length[1] = -1;
    assert_bad(w, &rows, SKED_ERR_RANGE, 1, -1);
    rows.n = 1;
    assert_ok(sked_history_add(w->history, &rows, NULL, NULL));
}

static void bad_calls_are_refused(void **state)
{
    const sked_time one = 1;
    const int64_t amount = 1;
    const sked_history_input good = intervals(1, &one, &one, &amount);
    sked_history_input rows = good;
    sked_error err;
    world *w = *state;

    make(w, (sked_history_options){0}, NULL);
    assert_status(SKED_ERR_ARG, sked_history_add(NULL, &good, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_history_add(w->history, NULL, NULL, NULL));
    rows.struct_size = 1;
    assert_bad(w, &rows, SKED_ERR_VERSION, -1, -1);
    rows = good;
    rows.form = 3;
    assert_bad(w, &rows, SKED_ERR_ARG, -1, -1);
    rows = good;
    rows.end = NULL;
    assert_bad(w, &rows, SKED_ERR_ARG, -1, -1);
    rows.end = &one;
    rows.start = NULL;
    assert_bad(w, &rows, SKED_ERR_ARG, -1, -1);
    rows = good;
    rows.amount = NULL;
    assert_bad(w, &rows, SKED_ERR_ARG, -1, -1);
    rows = good;
    rows.form = -1;
    assert_bad(w, &rows, SKED_ERR_ARG, -1, -1);
    rows = good;
    rows.reserved = 1;
    assert_bad(w, &rows, SKED_ERR_ARG, -1, -1);
    rows = good;
    rows.flags = 2;
    assert_bad(w, &rows, SKED_ERR_ARG, -1, -1);
    rows = good;
    rows.form = SKED_HISTORY_FORM_UNITS;
    assert_bad(w, &rows, SKED_ERR_ARG, -1, -1);
    rows = good;
    rows.n = (uint64_t)1 << 31;
    assert_bad(w, &rows, SKED_ERR_RANGE, -1, -1);
    rows = good;
    rows.n = 0;
    sked_history_stats counts = {3, 3};
    assert_ok(sked_history_add(w->history, &rows, &counts, NULL));
    assert_i64((int64_t)counts.empty, 0);
    assert_status(SKED_ERR_ARG, sked_history_settle(NULL, 0, &err));
    assert_status(SKED_ERR_RANGE,
                  sked_history_settle(w->history, SKED_AMOUNT_MAX, &err));
    assert_status(SKED_ERR_ARG, sked_history_forget(NULL, 0, &err));
    assert_status(SKED_ERR_STATE, sked_history_forget(w->history, 0, &err));
    assert_status(SKED_ERR_ARG, sked_history_check(NULL, &err));
}

static void forgetting_is_for_what_is_settled(void **state)
{
    const sked_time start = 1, end = 9;
    const int64_t amount = 1;
    sked_history_input rows = intervals(1, &start, &end, &amount);
    sked_error err;
    world *w = *state;

    make(w, (sked_history_options){.flags = SKED_HISTORY_FLAG_KEEP}, NULL);
    assert_ok(sked_history_add(w->history, &rows, NULL, NULL));
    assert_status(SKED_ERR_STATE, sked_history_forget(w->history, 5, &err));
    assert_i64(err.row, 0);
    assert_status(SKED_ERR_RANGE,
                  sked_history_forget(w->history, INT64_MAX, &err));
    assert_ok(sked_history_settle(w->history, 5, NULL));
    assert_ok(sked_history_forget(w->history, 5, &err));
}

static void bad_questions_are_refused(void **state)
{
    const sked_ratio p[] = {{1, 1}, {2, 1}};
    const uint32_t queue[] = {0, 1};
    int64_t length[2], amount[2];
    sked_history_standing at;
    sked_pctl_point point[4];
    sked_pctl_reserved_result plan;
    sked_wide work;
    sked_error err;
    size_t n;
    world *w = *state;

    make(w, (sked_history_options){0}, NULL);
    const sked_history *h = w->history;
    assert_status(SKED_ERR_ARG, sked_history_get_standing(NULL, 0, &at));
    assert_status(SKED_ERR_NOT_FOUND, sked_history_get_standing(h, 1, &at));
    assert_status(SKED_ERR_ARG,
                  sked_history_pctl(h, NULL, 1, p, 0, point, NULL, &err));
    assert_status(SKED_ERR_RANGE,
                  sked_history_pctl(h, NULL, 1, p, 2, point, NULL, &err));
    assert_i64(err.row, 1);
    assert_status(SKED_ERR_NOT_FOUND,
                  sked_history_pctl(h, queue, 2, p, 1, point, NULL, &err));
    assert_i64(err.row, 1);
    assert_status(SKED_ERR_NOT_FOUND,
                  sked_history_pctl(h, NULL, 2, p, 1, point, NULL, &err));
    assert_status(SKED_ERR_ARG, sked_history_curve(h, 0, NULL, amount, 1, &n));
    assert_status(SKED_ERR_NOT_FOUND,
                  sked_history_curve(h, 1, length, amount, 1, &n));
    assert_status(SKED_ERR_ARG,
                  sked_history_units(h, 0, NULL, amount, 1, &n, NULL));
    assert_status(SKED_ERR_NOT_FOUND,
                  sked_history_units(h, 1, length, amount, 1, &n, NULL));
    assert_status(SKED_ERR_STATE,
                  sked_history_units(h, 0, length, amount, 1, &n, NULL));
    assert_status(SKED_ERR_ARG, sked_history_get_standing(h, 0, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_history_pctl(NULL, NULL, 1, p, 1, point, NULL, &err));
    assert_status(SKED_ERR_ARG,
                  sked_history_pctl(h, NULL, 1, NULL, 1, point, NULL, &err));
    assert_status(SKED_ERR_ARG,
                  sked_history_pctl(h, NULL, 1, p, 1, NULL, NULL, &err));
    assert_status(SKED_ERR_ARG,
                  sked_history_curve(NULL, 0, length, amount, 1, &n));
    assert_status(SKED_ERR_ARG, sked_history_curve(h, 0, length, NULL, 1, &n));
    assert_status(SKED_ERR_ARG,
                  sked_history_curve(h, 0, length, amount, 1, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_history_units(NULL, 0, length, amount, 1, &n, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_history_units(h, 0, length, NULL, 1, &n, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_history_units(h, 0, length, amount, 1, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_history_work(NULL, 0, &work, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_history_reserved(NULL, 0, 0, p[0], &plan, NULL));
    assert_status(SKED_ERR_ARG, sked_history_work(h, 0, NULL, NULL));
    assert_status(SKED_ERR_NOT_FOUND, sked_history_work(h, 1, &work, NULL));
}

static void too_little_room_writes_only_the_number(void **state)
{
    const int64_t length[] = {1, 2, 3}, amount[] = {4, 5, 6};
    sked_history_input rows = {.struct_size = sizeof rows,
                               .form = SKED_HISTORY_FORM_UNITS,
                               .n = 3,
                               .length = length,
                               .amount = amount};
    int64_t a[3] = {-1}, b[3] = {-1};
    size_t n = 0;
    world *w = *state;

    make(w, (sked_history_options){.flags = SKED_HISTORY_FLAG_KEEP}, NULL);
    assert_ok(sked_history_add(w->history, &rows, NULL, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_history_curve(w->history, 0, a, b, 2, &n));
    assert_i64((int64_t)n, 3);
    assert_status(SKED_ERR_RANGE,
                  sked_history_units(w->history, 0, a, b, 2, &n, NULL));
    assert_i64((int64_t)n, 3);
    assert_i64(a[0], -1);
    assert_ok(sked_history_curve(w->history, 0, a, b, 3, &n));
    assert_i64(a[2], 6);
    assert_i64(b[2], 6);
}

static void bad_options_are_refused(void **state)
{
    static const int64_t none[] = {0, 0}, less[] = {0, -1}, few[] = {5, 1};
    const struct {
        sked_history_options opts;
        const int64_t *instance;
        sked_status want;
    } cases[] = {
        {{.flags = 4}, NULL, SKED_ERR_ARG},
        {{.from = 1}, NULL, SKED_ERR_ARG},
        {{.to = 1}, NULL, SKED_ERR_ARG},
        {{.flags = SKED_HISTORY_FLAG_WINDOW, .from = -SKED_AMOUNT_MAX},
         NULL,
         SKED_ERR_RANGE},
        {{.flags = SKED_HISTORY_FLAG_WINDOW, .to = SKED_AMOUNT_MAX},
         NULL,
         SKED_ERR_RANGE},
        {{.flags = SKED_HISTORY_FLAG_WINDOW}, NULL, SKED_ERR_RANGE},
        {{.queues = SKED_MAX_QUEUES + 1}, NULL, SKED_ERR_RANGE},
        {{.kinds = SKED_MAX_KINDS + 1}, NULL, SKED_ERR_RANGE},
        {{.kinds = 2, .kind = 2}, NULL, SKED_ERR_RANGE},
        {{.kinds = 2}, none, SKED_ERR_RANGE},
        {{.kinds = 2}, less, SKED_ERR_RANGE},
        {{.kinds = 2, .parts = 2}, few, SKED_ERR_RANGE},
    };
    sked_history *h;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sked_history_options opts = cases[i].opts;
        opts.struct_size = sizeof opts;
        assert_status(cases[i].want, sked_history_new(cases[i].instance, &opts,
                                                      NULL, &h, NULL));
        assert_null(h);
    }
    sked_history_options old = {.struct_size = 1};
    sked_host host = {.struct_size = 1};
    assert_status(SKED_ERR_VERSION,
                  sked_history_new(NULL, &old, NULL, &h, NULL));
    assert_status(SKED_ERR_VERSION,
                  sked_history_new(NULL, NULL, &host, &h, NULL));
    assert_status(SKED_ERR_ARG, sked_history_new(NULL, NULL, NULL, NULL, NULL));
    sked_history_free(NULL);
}

/* Every invariant is broken in turn, found, and mended. */
static void a_broken_history_is_found(void **state)
{
    const sked_time start[] = {0, 1, 1, 1}, end[] = {3, 9, 7, 8};
    const int64_t amount[] = {5, 6, 7, 8};
    sked_history_input rows = intervals(4, start, end, amount);
    world *w = *state;

    make(w, (sked_history_options){.flags = SKED_HISTORY_FLAG_KEEP}, NULL);
    assert_ok(sked_history_add(w->history, &rows, NULL, NULL));
    assert_ok(sked_history_settle(w->history, 4, NULL));
    skedi_history_queue *q = &w->history->queue[0];
    assert_true(q->curve.n >= 2 && q->n_open == 3 && q->n_units == 3);
    int64_t *const numbers[] = {&q->open[2], &q->open[0], w->history->said,
                                q->unit,     q->unit + 2, q->unit + 3};
    const int64_t bad[] = {0, 4, 1, 0, 99, 99};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int64_t was = *numbers[i];
        *numbers[i] = bad[i];
        assert_status(SKED_ERR_INTERNAL, sked_history_check(w->history, NULL));
        *numbers[i] = was;
        assert_ok(sked_history_check(w->history, NULL));
    }
    q->mark = 1;
    assert_status(SKED_ERR_INTERNAL, sked_history_check(w->history, NULL));
    q->mark = 0;
    skedi_curve *c = &q->curve;
    skedi_curve_node *root = &c->node[c->root - 1], *leaf = &c->node[c->n - 1];
    const skedi_curve_node was = *root;
    root->count++;
    assert_status(SKED_ERR_INTERNAL, sked_history_check(w->history, NULL));
    *root = was;
    root->sum++;
    assert_status(SKED_ERR_INTERNAL, sked_history_check(w->history, NULL));
    *root = was;
    root->usage = skedi_u128_of(1);
    assert_status(SKED_ERR_INTERNAL, sked_history_check(w->history, NULL));
    *root = was;
    c->gone++;
    assert_status(SKED_ERR_INTERNAL, sked_history_check(w->history, NULL));
    c->gone--;
    c->n_free++;
    assert_status(SKED_ERR_INTERNAL, sked_history_check(w->history, NULL));
    c->n_free--;
    assert_true(leaf != root);
    w->history->flags = 0;
    assert_status(SKED_ERR_INTERNAL, sked_history_check(w->history, NULL));
    w->history->flags = SKED_HISTORY_FLAG_KEEP;
    assert_ok(sked_history_check(w->history, NULL));
}

/* Amounts out of order, told by nothing but the order. */
static void a_curve_out_of_order_is_found(void **state)
{
    test_host host = {0};
    skedi_mem mem = test_host_mem(&host);
    skedi_curve c = {0};

    (void)state;
    assert_true(skedi_curve_reserve(&c, 2, &mem));
    skedi_curve_add(&c, 4, 1);
    skedi_curve_add(&c, 8, 1);
    assert_true(skedi_curve_are_sound(&c));
    c.node[0].amount = 8;
    c.node[0].usage = skedi_u128_of(16);
    assert_false(skedi_curve_are_sound(&c));
    skedi_curve_free(&c, &mem);
    assert_i64((int64_t)host.live, 0);
}

static void questions_can_be_cancelled(void **state)
{
    const sked_ratio p = {1, 1};
    sked_pctl_point point;
    world *w = *state;

    make(w, (sked_history_options){0}, NULL);
    w->host.cancel = 1;
    assert_status(SKED_ERR_CANCELLED, sked_history_pctl(w->history, NULL, 1, &p,
                                                        1, &point, NULL, NULL));
    w->host.cancel = 0;
    assert_ok(sked_history_pctl(w->history, NULL, 0, &p, 1, NULL, NULL, NULL));
}

/* Does half of what is asked, then a thread could not be had. */
static sked_status half_of_it(void *user, size_t n, sked_task_fn fn, void *arg)
{
    (void)user;
    for (size_t i = 0; i < n / 2; i++) fn(arg, i);
    return -1234;
}

/* A host whose threads fail half way through gets its code, and no change. */
static void threads_that_fail_change_nothing(void **state)
{
    enum { MANY = 300 };
    static sked_pctl_point point[MANY];
    static uint64_t first[MANY + 1];
    const sked_time start[] = {0, 0}, end[] = {5, 6};
    const int64_t amount[] = {1, 2};
    const uint32_t queue[] = {0, 1};
    const sked_ratio p = {1, 1};
    sked_history_input rows = intervals(2, start, end, amount);
    world *w = *state;
    sked_host hooks = test_host_hooks(&w->host);
    sked_history_options opts = {.struct_size = sizeof opts, .queues = 2};
    const sked_pctl_input in = {.struct_size = sizeof in,
                                .first = first,
                                .threshold = &p,
                                .queues = MANY,
                                .thresholds = 1};

    rows.queue = queue;
    hooks.parallel = half_of_it;
    assert_ok(sked_history_new(NULL, &opts, &hooks, &w->history, NULL));
    assert_i64(sked_history_add(w->history, &rows, NULL, NULL), -1234);
    for (uint32_t q = 0; q < 2; q++) {
        sked_history_standing at;
        assert_ok(sked_history_get_standing(w->history, q, &at));
        assert_i64((int64_t)at.open, 0);
    }
    assert_ok(sked_history_check(w->history, NULL));
    assert_i64(sked_history_settle(w->history, 5, NULL), -1234);
    assert_i64(sked_history_pctl(w->history, NULL, 2, &p, 1, point, NULL, NULL),
               -1234);
    assert_i64(sked_pctl(&in, &hooks, point, NULL, NULL), -1234);
}

/* ---- In one call ---- */

static void units_of_records_in_one_call(void **state)
{
    const sked_time start[] = {5, 0, 3}, end[] = {9, 4, 3};
    const int64_t amount[] = {1, 2, 9};
    const uint32_t queue[] = {2, 0, 1};
    const sked_history_options opts = {.struct_size = sizeof opts, .queues = 3};
    sked_history_options old = {.struct_size = 1};
    sked_host ancient = {.struct_size = 1};
    sked_history_input rows = intervals(3, start, end, amount);
    uint64_t first[4];
    int64_t length[2], held[2];
    const sked_history_result room = {.struct_size = sizeof room,
                                      .first = first,
                                      .length = length,
                                      .amount = held,
                                      .cap = 2};
    sked_history_result out = room;
    sked_error err;

    (void)state;
    rows.queue = queue;
    rows.flags = SKED_HISTORY_INPUT_FLAG_ANY_ORDER;
    assert_ok(sked_history_once(&rows, &opts, NULL, &out, NULL));
    assert_i64((int64_t)out.n, 2);
    assert_i64((int64_t)out.counts.empty, 1);
    assert_i64((int64_t)first[1], 1);
    assert_i64((int64_t)first[2], 1);
    assert_i64((int64_t)first[3], 2);
    assert_i64(length[1], 4);
    assert_i64(held[0], 2);
    out.cap = 1;
    assert_status(SKED_ERR_RANGE,
                  sked_history_once(&rows, &opts, NULL, &out, &err));
    assert_i64((int64_t)out.n, 2);
    out = room;
    assert_status(SKED_ERR_NOT_FOUND,
                  sked_history_once(&rows, NULL, NULL, &out, &err));
    assert_status(SKED_ERR_VERSION,
                  sked_history_once(&rows, &old, NULL, &out, &err));
    assert_status(SKED_ERR_VERSION,
                  sked_history_once(&rows, &opts, &ancient, &out, &err));
    out.length = NULL;
    assert_status(SKED_ERR_ARG,
                  sked_history_once(&rows, &opts, NULL, &out, &err));
    out = room;
    out.amount = NULL;
    assert_status(SKED_ERR_ARG,
                  sked_history_once(&rows, &opts, NULL, &out, &err));
    assert_status(SKED_ERR_ARG,
                  sked_history_once(&rows, &opts, NULL, NULL, &err));
    out = room;
    out.struct_size = 8;
    assert_status(SKED_ERR_VERSION,
                  sked_history_once(&rows, &opts, NULL, &out, &err));
    out.first = NULL;
    assert_status(SKED_ERR_ARG,
                  sked_history_once(&rows, &opts, NULL, &out, &err));
}

/* ---- Failures ---- */

/* What a history answers, as one number. */
static uint64_t answers(const sked_history *h)
{
    const sked_ratio p[] = {{1, 2}, {1, 1}};
    sked_pctl_point point[2 * 2];
    sked_pctl_queue total[2];
    uint64_t sum = 0;

    if (sked_history_pctl(h, NULL, 2, p, 2, point, total, NULL) != SKED_OK) {
        return UINT64_MAX;
    }
    for (int i = 0; i < 4; i++) {
        sum = sum * 31 + (uint64_t)point[i].amount;
        sum = sum * 31 + (uint64_t)point[i].covered.num;
    }
    return sum * 31 + (uint64_t)(total[0].vacant + total[1].vacant);
}

/* A call that fails answers as before. */
static sked_status add_or_nothing(sked_history *h, test_host *host,
                                  const sked_history_input *rows)
{
    const test_host told = *host;

    host->fail_at = host->fail_from = host->stop_at = host->cancel_at = 0;
    host->cancel = 0;
    uint64_t before = answers(h);
    host->fail_at = told.fail_at;
    host->fail_from = told.fail_from;
    host->stop_at = told.stop_at;
    host->cancel_at = told.cancel_at;
    host->checks = told.checks;
    host->cancel = told.cancel;
    sked_status rc = rows ? sked_history_add(h, rows, NULL, NULL)
                          : sked_history_settle(h, SKED_HISTORY_END, NULL);
    if (rc == SKED_OK) return rc;
    host->fail_at = host->fail_from = host->stop_at = host->cancel_at = 0;
    host->cancel = 0;
    assert_true(answers(h) == before);
    assert_ok(sked_history_check(h, NULL));
    return rc;
}

static sked_status whole_life(test_host *host, void *arg)
{
    static sked_time start[70000], end[70000];
    static int64_t amount[70000];
    static uint32_t queue[70000];
    sked_host hooks = test_host_hooks(host);
    sked_history_options opts = {.struct_size = sizeof opts,
                                 .flags = SKED_HISTORY_FLAG_KEEP,
                                 .queues = 2};
    sked_history *h = NULL;
    size_t n = *(const size_t *)arg;

    for (size_t i = 0; i < n; i++) {
        start[i] = (sked_time)(n - i);
        end[i] = start[i] + 5 + (sked_time)(i % 7);
        amount[i] = (int64_t)(i % 11);
        queue[i] = n > 100 ? 0 : i % 2;
    }
    sked_history_input rows = intervals(n, start, end, amount);
    rows.queue = queue;
    rows.flags = SKED_HISTORY_INPUT_FLAG_ANY_ORDER;
    sked_status rc = sked_history_new(NULL, &opts, &hooks, &h, NULL);
    if (rc == SKED_OK) rc = add_or_nothing(h, host, &rows);
    if (rc == SKED_OK) rc = add_or_nothing(h, host, NULL);
    sked_history_free(h);
    return rc;
}

static void failures_change_nothing(void **state)
{
    size_t few = 40, many = 70000;

    (void)state;
    test_sweep(whole_life, &few, 0);
    test_sweep(whole_life, &many, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(intervals_become_units, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_window_clips, setup, teardown),
        cmocka_unit_test_setup_teardown(a_sliding_window_forgets_the_oldest_day,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(instances_go_by_the_dominant_kind,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(bad_records_are_named, setup, teardown),
        cmocka_unit_test_setup_teardown(a_change_is_held_with_what_is_open,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(a_broken_history_is_found, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(questions_can_be_cancelled, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(threads_that_fail_change_nothing, setup,
                                        teardown),
        cmocka_unit_test(a_curve_out_of_order_is_found),
        cmocka_unit_test_setup_teardown(units_end_before_the_end_of_time, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(bad_calls_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(forgetting_is_for_what_is_settled,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(bad_questions_are_refused, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(too_little_room_writes_only_the_number,
                                        setup, teardown),
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(units_of_records_in_one_call),
        cmocka_unit_test(failures_change_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
