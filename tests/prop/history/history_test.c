/*
 * Histories against their slow twin, which knows what is held at every tick:
 * all forms of records in all orders, windows, settling and forgetting;
 * threads against none.
 */
#include "test.h"

#include <sched/sked.h>

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "host.h"
#include "ref_history.h"
#include "ref_pctl.h"
#include "size.h"

enum { QUEUES = 3, MOST_BATCH = 12 };

static skedi_random rng;

static uint64_t below(uint64_t n)
{
    return skedi_random_below(&rng, n);
}

/* A history and what is known of it. */
typedef struct world {
    sked_history *fast;
    ref_history slow;
    uint32_t kinds;
    int windowed;
    int64_t from;
    int64_t to;
    int64_t instance[REF_KINDS];
    uint32_t parts; /* 0: no instances */
    uint32_t kind;
    int began[QUEUES];
    int64_t clock[QUEUES];
    int64_t oldest[QUEUES];
} world;

static int64_t clip(const world *w, int64_t time)
{
    if (time < w->from) return w->from;
    return time > w->to ? w->to : time;
}

static void make_world(world *w, const sked_host *host)
{
    memset(w, 0, sizeof *w);
    w->kinds = w->slow.kinds = 1 + (uint32_t)below(REF_KINDS);
    w->kind = (uint32_t)below(w->kinds);
    w->windowed = below(2) == 0;
    w->from = w->windowed ? (int64_t)below(100) - 20 : INT64_MIN;
    w->to = w->windowed ? w->from + 1 + (int64_t)below(200) : INT64_MAX;
    w->parts = (uint32_t)below(4);
    for (uint32_t k = 0; k < w->kinds; k++) {
        w->instance[k] = 3 + (int64_t)below(10);
    }
    sked_history_options opts = {
        .struct_size = sizeof opts,
        .flags = SKED_HISTORY_FLAG_KEEP,
        .queues = QUEUES,
        .kinds = w->kinds,
        .kind = w->kind,
        .parts = w->parts,
    };
    if (w->windowed) {
        opts.flags |= SKED_HISTORY_FLAG_WINDOW;
        opts.from = w->from;
        opts.to = w->to;
    }
    assert_ok(sked_history_new(w->parts ? w->instance : NULL, &opts, host,
                               &w->fast, NULL));
    for (int q = 0; q < QUEUES; q++) {
        w->began[q] = w->windowed;
        w->clock[q] = w->oldest[q] = w->windowed ? w->from : 0;
    }
}

static int64_t amount_of(const world *w, const int64_t *vec)
{
    if (w->parts == 0) return vec[w->kind];
    return ref_instances(vec, w->instance, w->kinds, w->parts);
}

/* The clock goes on to a time, and begins there if it has not. */
static void move_clock(world *w, uint32_t q, int64_t time)
{
    if (!w->began[q]) {
        w->began[q] = 1;
        w->clock[q] = w->oldest[q] = time;
    }
    if (time > w->clock[q]) w->clock[q] = time;
}

typedef struct batch {
    sked_history_input rows;
    size_t n;
    uint32_t queue[MOST_BATCH];
    sked_time start[MOST_BATCH];
    sked_time end[MOST_BATCH];
    int64_t length[MOST_BATCH];
    int64_t amount[MOST_BATCH * REF_KINDS];
} batch;

static void draw_batch(const world *w, batch *b)
{
    int64_t at = INT64_MIN;

    memset(b, 0, sizeof *b);
    b->n = 1 + below(MOST_BATCH);
    for (int q = 0; q < QUEUES; q++) {
        if (w->began[q] && w->clock[q] > at) at = w->clock[q];
    }
    if (at == INT64_MIN) at = (int64_t)below(40) - 10;
    b->rows = (sked_history_input){
        .struct_size = sizeof b->rows,
        .flags = (uint32_t)below(2) * SKED_HISTORY_INPUT_FLAG_ANY_ORDER,
        .form = (int32_t)below(3),
        .n = b->n,
        .queue = b->queue,
        .start = b->start,
        .end = b->end,
        .length = b->length,
        .amount = b->amount,
    };
    int any = (b->rows.flags & SKED_HISTORY_INPUT_FLAG_ANY_ORDER) != 0;
    for (size_t i = 0; i < b->n; i++) {
        if (!any) at += (int64_t)below(4);
        b->queue[i] = (uint32_t)below(QUEUES);
        b->start[i] = any ? at + (int64_t)below(12) : at;
        b->end[i] = b->start[i] + (int64_t)below(15);
        b->length[i] = (int64_t)below(6);
        for (uint32_t k = 0; k < w->kinds; k++) {
            b->amount[i * w->kinds + k] = (int64_t)below(5);
        }
    }
}

/* A record into the twin; its time goes no further than the window. */
static void know(world *w, const batch *b, size_t i, sked_history_stats *c)
{
    ref_record r = {.queue = b->queue[i], .start = b->start[i]};
    int64_t end = b->end[i];

    memcpy(r.vec, b->amount + i * w->kinds, w->kinds * sizeof *r.vec);
    r.is_change = b->rows.form != SKED_HISTORY_FORM_INTERVALS;
    if (b->rows.form == SKED_HISTORY_FORM_UNITS) {
        if (!w->began[r.queue]) move_clock(w, r.queue, clip(w, 0));
        r.start = w->clock[r.queue];
        end = r.start + b->length[i];
    }
    if (b->rows.form != SKED_HISTORY_FORM_CHANGES && r.start == end) {
        c->empty++;
        return;
    }
    if (r.start >= w->to ||
        (b->rows.form == SKED_HISTORY_FORM_INTERVALS && end <= w->from)) {
        c->outside++;
        return;
    }
    r.start = clip(w, r.start);
    r.end = clip(w, end);
    move_clock(w, r.queue, r.start);
    ref_history_add(&w->slow, r);
    if (b->rows.form != SKED_HISTORY_FORM_UNITS) return;
    move_clock(w, r.queue, r.end);
    r.start = w->clock[r.queue];
    memset(r.vec, 0, sizeof r.vec);
    ref_history_add(&w->slow, r);
}

static void add_batch(world *w)
{
    sked_history_stats got, want = {0, 0};
    batch b;

    draw_batch(w, &b);
    assert_ok(sked_history_add(w->fast, &b.rows, &got, NULL));
    if (b.rows.form != SKED_HISTORY_FORM_UNITS &&
        b.rows.flags & SKED_HISTORY_INPUT_FLAG_ANY_ORDER) {
        for (int64_t at = -100; at < REF_TICKS; at++) {
            for (size_t i = 0; i < b.n; i++) {
                if (b.start[i] == at) know(w, &b, i, &want);
            }
        }
    } else {
        for (size_t i = 0; i < b.n; i++) know(w, &b, i, &want);
    }
    assert_i64((int64_t)got.empty, (int64_t)want.empty);
    assert_i64((int64_t)got.outside, (int64_t)want.outside);
}

static void settle(world *w, int to_end)
{
    int64_t time = to_end ? SKED_HISTORY_END : (int64_t)below(200);

    assert_ok(sked_history_settle(w->fast, time, NULL));
    for (uint32_t q = 0; q < QUEUES; q++) {
        int64_t until = to_end ? INT64_MIN : clip(w, time);
        for (size_t i = 0; to_end && i < w->slow.n; i++) {
            const ref_record *r = &w->slow.record[i];
            if (r->queue != q || r->is_change) continue;
            until = r->end > until ? r->end : until;
        }
        if (to_end && w->windowed) until = w->to;
        if (w->began[q] && until > w->clock[q]) w->clock[q] = until;
    }
}

static void forget(world *w)
{
    int64_t time = INT64_MAX;

    for (int q = 0; q < QUEUES; q++) {
        if (w->began[q] && w->clock[q] < time) time = w->clock[q];
    }
    if (time == INT64_MAX) return;
    time -= (int64_t)below(30);
    assert_ok(sked_history_forget(w->fast, time, NULL));
    for (int q = 0; q < QUEUES; q++) {
        if (w->began[q] && w->oldest[q] < time) w->oldest[q] = time;
        if (w->windowed && !w->began[q]) w->clock[q] = time;
    }
    if (time > w->from) w->from = time;
}

/* ---- Comparing ---- */

static void compare_points(const world *w, uint32_t q, const int64_t *length,
                           const int64_t *amount, size_t n)
{
    sked_ratio p[4] = {{1, 1}, {1, 2}, {95, 100}, {1, 3}};
    sked_pctl_point got[4], want[4];
    sked_pctl_queue got_total, want_total;
    int64_t some[REF_TICKS], upto[REF_TICKS];
    size_t amounts;

    p[3].num = 1 + (int64_t)below(1000);
    p[3].den = 1000;
    ref_pctl(length, amount, n, p, 4, want, &want_total);
    assert_ok(sked_history_pctl(w->fast, &q, 1, p, 4, got, &got_total, NULL));
    assert_memory_equal(got, want, sizeof got);
    assert_memory_equal(&got_total, &want_total, sizeof got_total);
    assert_ok(sked_history_curve(w->fast, q, some, upto, REF_TICKS, &amounts));
    for (size_t i = 0; i < amounts; i++) {
        int64_t sum = 0;
        for (size_t u = 0; u < n; u++) {
            if (amount[u] && amount[u] <= some[i]) sum += length[u];
        }
        assert_i64(upto[i], sum);
        assert_true(sum > (i ? upto[i - 1] : 0));
    }
    assert_i64(amounts ? upto[amounts - 1] : 0, want_total.in_use);
}

static void compare_work(const world *w, uint32_t q, const int64_t *length,
                         const int64_t *vec, size_t n)
{
    sked_wide work[REF_KINDS], led[REF_KINDS];
    int64_t sum[REF_KINDS] = {0}, led_sum[REF_KINDS] = {0};

    for (size_t i = 0; i < n; i++) {
        const int64_t *v = vec + i * w->kinds;
        uint32_t best = w->parts ? 0 : w->kind;
        for (uint32_t k = 0; k < w->kinds; k++) {
            sum[k] += v[k] * length[i];
            if (w->parts &&
                v[k] * w->instance[best] > v[best] * w->instance[k]) {
                best = k;
            }
        }
        led_sum[best] += v[best] * length[i];
    }
    assert_ok(sked_history_work(w->fast, q, work, led));
    for (uint32_t k = 0; k < w->kinds; k++) {
        assert_i64((int64_t)work[k].low, sum[k]);
        assert_i64((int64_t)led[k].low, led_sum[k]);
    }
}

static void compare(const world *w)
{
    int64_t got_length[REF_TICKS], got_vec[REF_TICKS * REF_KINDS];
    int64_t length[REF_TICKS], vec[REF_TICKS * REF_KINDS], amount[REF_TICKS];
    size_t got, kinds = w->kinds;

    assert_ok(sked_history_check(w->fast, NULL));
    for (uint32_t q = 0; q < QUEUES; q++) {
        sked_history_standing at;
        size_t n = ref_history_units(&w->slow, q, w->oldest[q], w->clock[q],
                                     length, vec);
        assert_ok(sked_history_get_standing(w->fast, q, &at));
        assert_ok(sked_history_units(w->fast, q, got_length, got_vec, REF_TICKS,
                                     &got, NULL));
        assert_i64((int64_t)got, (int64_t)n);
        assert_memory_equal(got_length, length, n * sizeof *length);
        assert_memory_equal(got_vec, vec, n * kinds * sizeof *vec);
        assert_i64((int64_t)at.units, (int64_t)n);
        if (w->began[q]) {
            assert_i64(at.clock, w->clock[q]);
            assert_i64(at.oldest, w->oldest[q]);
        }
        for (size_t i = 0; i < n; i++) {
            amount[i] = amount_of(w, vec + i * kinds);
        }
        compare_points(w, q, length, amount, n);
        compare_work(w, q, length, vec, n);
    }
}

static void histories_know_what_was_held(void **state)
{
    (void)state;
    for (size_t t = 0; t < test_size(1500, 50000); t++) {
        test_host host = {0};
        sked_host hooks = test_host_hooks(&host);
        world w;
        make_world(&w, &hooks);
        size_t steps = 1 + below(14);
        for (size_t i = 0; i < steps; i++) {
            uint64_t op = below(10);
            if (op < 6) add_batch(&w);
            if (op == 6) settle(&w, 0);
            if (op == 7) settle(&w, 1);
            if (op > 7) forget(&w);
            compare(&w);
        }
        sked_history_free(w.fast);
        assert_i64((int64_t)host.live, 0);
    }
}

/* ---- Threads, and large calls ---- */

enum { MANY = 60000, MANY_QUEUES = 40 };

typedef struct many {
    uint32_t queue[MANY];
    sked_time start[MANY];
    sked_time end[MANY];
    int64_t amount[MANY * 2];
} many;

static void draw_many(many *m)
{
    int64_t at = 0;

    for (size_t i = 0; i < MANY; i++) {
        at += (int64_t)below(5);
        m->queue[i] = (uint32_t)below(MANY_QUEUES);
        m->start[i] = at;
        m->end[i] = at + (int64_t)below(900);
        m->amount[2 * i] = (int64_t)below(1000);
        m->amount[2 * i + 1] = (int64_t)below(4000);
    }
}

static sked_history *history_of(const sked_host *host, const many *m,
                                size_t each, uint32_t flags)
{
    static const int64_t instance[] = {16, 61};
    sked_history_options opts = {.struct_size = sizeof opts,
                                 .flags = SKED_HISTORY_FLAG_KEEP,
                                 .queues = MANY_QUEUES,
                                 .kinds = 2};
    sked_history *history;

    assert_ok(sked_history_new(instance, &opts, host, &history, NULL));
    for (size_t at = 0; at < MANY; at += each) {
        sked_history_input rows = {
            .struct_size = sizeof rows,
            .flags = flags,
            .n = at + each < MANY ? each : MANY - at,
            .queue = m->queue + at,
            .start = m->start + at,
            .end = m->end + at,
            .amount = m->amount + 2 * at,
        };
        assert_ok(sked_history_add(history, &rows, NULL, NULL));
    }
    assert_ok(sked_history_settle(history, SKED_HISTORY_END, NULL));
    assert_ok(sked_history_check(history, NULL));
    return history;
}

static void assert_same_history(const sked_history *a, const sked_history *b)
{
    static int64_t la[MANY], lb[MANY], va[2 * MANY], vb[2 * MANY];
    const sked_ratio p[] = {{1, 2}, {9, 10}, {1, 1}};
    sked_pctl_point pa[MANY_QUEUES * 3], pb[MANY_QUEUES * 3];
    sked_pctl_queue ta[MANY_QUEUES], tb[MANY_QUEUES];
    size_t na, nb;

    assert_ok(sked_history_pctl(a, NULL, MANY_QUEUES, p, 3, pa, ta, NULL));
    assert_ok(sked_history_pctl(b, NULL, MANY_QUEUES, p, 3, pb, tb, NULL));
    assert_memory_equal(pa, pb, sizeof pa);
    assert_memory_equal(ta, tb, sizeof ta);
    assert_true(sked_history_digest(a) == sked_history_digest(b));
    for (uint32_t q = 0; q < MANY_QUEUES; q++) {
        assert_ok(sked_history_units(a, q, la, va, MANY, &na, NULL));
        assert_ok(sked_history_units(b, q, lb, vb, MANY, &nb, NULL));
        assert_i64((int64_t)na, (int64_t)nb);
        assert_memory_equal(la, lb, na * sizeof *la);
        assert_memory_equal(va, vb, 2 * na * sizeof *va);
    }
}

static void batches_orders_and_threads_do_not_matter(void **state)
{
    static many m, mixed;
    sked_host host = {.struct_size = sizeof host, .threads = 3};

    (void)state;
    draw_many(&m);
    for (size_t i = 0; i < MANY; i++) {
        size_t from = i * 7919 % MANY; /* a prime: every record once */
        mixed.queue[i] = m.queue[from];
        mixed.start[i] = m.start[from];
        mixed.end[i] = m.end[from];
        mixed.amount[2 * i] = m.amount[2 * from];
        mixed.amount[2 * i + 1] = m.amount[2 * from + 1];
    }
    sked_history *whole = history_of(NULL, &m, MANY, 0);
    sked_history *parts = history_of(&host, &m, 777, 0);
    sked_history *sorted = history_of(&host, &mixed, MANY,
                                      SKED_HISTORY_INPUT_FLAG_ANY_ORDER);
    assert_same_history(whole, parts);
    assert_same_history(whole, sorted);
    sked_history_free(whole);
    sked_history_free(parts);
    sked_history_free(sorted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(histories_know_what_was_held),
        cmocka_unit_test(batches_orders_and_threads_do_not_matter),
    };

    skedi_random_seed(&rng, 7, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
