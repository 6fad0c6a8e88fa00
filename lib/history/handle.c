/* A history from creation to end. */
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/par.h"
#include "base/versioned.h"
#include "history/state.h"
#include "pctl/select.h"

/* ---- Reads of settled data: percentiles, curves, units, sums ---- */

SKEDI_NO_TAIL_PADDING(sked_history_standing, units);

enum { READ_ROUND = 4096 /* points between two looks at the flag */ };

static const skedi_history_queue *queue_at(const sked_history *history,
                                           uint32_t queue)
{
    return queue < history->queues ? &history->queue[queue] : NULL;
}

static uint64_t in_use_of(const skedi_history_queue *q)
{
    return skedi_curve_sum(&q->curve);
}

sked_status sked_history_get_standing(const sked_history *history,
                                      uint32_t queue,
                                      sked_history_standing *standing)
{
    if (!history || !standing) return SKED_ERR_ARG;
    const skedi_history_queue *q = queue_at(history, queue);
    if (!q) return SKED_ERR_NOT_FOUND;

    *standing = (sked_history_standing){
        .clock = q->clock,
        .oldest = q->clock - (int64_t)(in_use_of(q) + q->vacant),
        .open = q->n_open,
        .amounts = skedi_curve_count(&q->curve),
        .units = q->n_units,
    };
    return SKED_OK;
}

/* ---- Percentiles ---- */

typedef struct pctl_read {
    const sked_history *history;
    const uint32_t *queue;
    const sked_ratio *threshold;
    size_t thresholds;
    sked_pctl_point *point;
    sked_pctl_queue *total;
    size_t from; /* first queue of the present round */
} pctl_read;

static sked_pctl_queue total_in(const skedi_history_queue *q)
{
    const skedi_curve *a = &q->curve;
    uint64_t sum = in_use_of(q);
    sked_pctl_queue t = {.in_use = (int64_t)sum, .vacant = (int64_t)q->vacant};

    if (sum == 0) return t;
    t.least = (int64_t)skedi_curve_at(a, 1).amount;
    t.peak = (int64_t)skedi_curve_at(a, sum).amount;
    t.usage = skedi_wide_of(skedi_curve_usage(a, UINT64_MAX));
    return t;
}

static sked_pctl_point point_in(const skedi_curve *a, sked_ratio p)
{
    uint64_t sum = skedi_curve_sum(a);
    sked_pctl_point out = {.covered = {0, 1}};

    if (sum == 0) return out;
    skedi_curve_place at = skedi_curve_at(a, skedi_select_need(sum, p));
    skedi_u128 whole = skedi_u128_mul(at.amount, at.covered);
    skedi_u128 used = skedi_curve_usage(a, at.amount);

    out.amount = (int64_t)at.amount;
    out.covered = (sked_ratio){(int64_t)at.covered, (int64_t)sum};
    out.waste = skedi_wide_of(skedi_u128_sub(whole, used));
    if (at.below > 0) {
        out.lower = (int64_t)skedi_curve_at(a, at.below).amount;
    }
    if (at.covered < sum) {
        out.higher = (int64_t)skedi_curve_at(a, at.covered + 1).amount;
    }
    return out;
}

static void read_queue(void *arg, size_t i)
{
    const pctl_read *r = arg;
    size_t at = r->from + i, m = r->thresholds;
    const skedi_history_queue *q = &r->history
                                        ->queue[r->queue ? r->queue[at] : at];

    if (r->total) r->total[at] = total_in(q);
    for (size_t j = 0; j < m; j++) {
        r->point[at * m + j] = point_in(&q->curve, r->threshold[j]);
    }
}

static sked_status queues_named(const sked_history *history,
                                const uint32_t *queue, size_t n,
                                sked_error *err)
{
    size_t i = 0;

    if (!queue) i = n < history->queues ? n : history->queues;
    while (i < n && queue && queue[i] < history->queues) i++;
    if (i == n) return SKED_OK;
    return skedi_fail(err, SKED_ERR_NOT_FOUND, "no such queue",
                      (skedi_fault){.row = (int64_t)i + 1,
                                    .got = queue ? queue[i] : (int64_t)i,
                                    .limit = (int64_t)history->queues - 1});
}

static sked_status read_rounds(pctl_read *r, size_t n, sked_error *err)
{
    const skedi_hooks *hooks = &r->history->hooks;
    size_t each = READ_ROUND / (r->thresholds + 1) + 1;

    for (; r->from < n; r->from += each) {
        size_t rest = n - r->from;
        sked_status rc = skedi_hooks_check(hooks, r->from, n);
        if (rc == SKED_OK) {
            rc = skedi_par_for(hooks, rest < each ? rest : each, read_queue, r);
        }
        if (rc != SKED_OK) {
            return skedi_fail_stopped(err, rc);
        }
    }
    return SKED_OK;
}

sked_status sked_history_pctl(const sked_history *history,
                              const uint32_t *queue, size_t n,
                              const sked_ratio *threshold, size_t thresholds,
                              sked_pctl_point *point, sked_pctl_queue *total,
                              sked_error *err)
{
    pctl_read r = {history, queue, threshold, thresholds, point, total, 0};

    const char *missing = !history      ? "history"
                          : !threshold  ? "threshold"
                          : n && !point ? "point"
                                        : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (!thresholds) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "thresholds is 0");
    }
    sked_status rc = skedi_thresholds_in(threshold, thresholds, err);
    if (rc == SKED_OK) rc = queues_named(history, queue, n, err);
    return rc == SKED_OK ? read_rounds(&r, n, err) : rc;
}

/* ---- Columns ---- */

sked_status sked_history_curve(const sked_history *history, uint32_t queue,
                               int64_t *amount, int64_t *covered, size_t cap,
                               size_t *n)
{
    if (!history || !n || (cap && (!amount || !covered))) return SKED_ERR_ARG;
    const skedi_history_queue *q = queue_at(history, queue);
    if (!q) return SKED_ERR_NOT_FOUND;

    *n = skedi_curve_count(&q->curve);
    if (*n > cap) return SKED_ERR_RANGE;
    skedi_curve_list(&q->curve, amount, covered);
    return SKED_OK;
}

sked_status sked_history_units(const sked_history *history, uint32_t queue,
                               int64_t *length, int64_t *amount, size_t cap,
                               size_t *n, sked_error *err)
{
    if (!history) return skedi_fail_null(err, "history");
    if (!n) return skedi_fail_null(err, "n");
    if (cap && !length) return skedi_fail_null(err, "length");
    if (cap && !amount) return skedi_fail_null(err, "amount");
    const skedi_history_queue *q = queue_at(history, queue);
    if (!q) return skedi_fail_read(err, SKED_ERR_NOT_FOUND);
    if (!(history->flags & SKED_HISTORY_FLAG_KEEP))
        return skedi_fail_read(err, SKED_ERR_STATE);

    size_t kinds = history->kinds, width = kinds + 1;
    *n = q->n_units;
    if (*n > cap) return skedi_fail_read(err, SKED_ERR_RANGE);
    for (size_t i = 0; i < q->n_units; i++) {
        const int64_t *unit = q->unit + (q->first_unit + i) * width;
        length[i] = unit[0];
        memcpy(amount + i * kinds, unit + 1, kinds * sizeof *amount);
    }
    return SKED_OK;
}

sked_status sked_history_work(const sked_history *history, uint32_t queue,
                              sked_wide *work, sked_wide *led)
{
    if (!history || !work) return SKED_ERR_ARG;
    if (!queue_at(history, queue)) return SKED_ERR_NOT_FOUND;

    size_t kinds = history->kinds, row = queue * kinds;
    for (size_t k = 0; k < kinds; k++) {
        work[k] = skedi_wide_of(history->work[row + k]);
        if (led) led[k] = skedi_wide_of(history->work_leader[row + k]);
    }
    return SKED_OK;
}

/*
 * The digest of a history. Heaps and trees are hashed by their contents, not by
 * their layout, so equal histories have equal digests.
 */

static void hash_wide(skedi_hash *hash, skedi_u128 x)
{
    skedi_hash_u64(hash, skedi_u128_high(x));
    skedi_hash_u64(hash, skedi_u128_low(x));
}

static void hash_words(skedi_hash *hash, const int64_t *word, size_t n)
{
    for (size_t i = 0; i < n; i++) skedi_hash_u64(hash, (uint64_t)word[i]);
}

/* Rows of a heap, in any order: the sum of their hashes. */
static void hash_open(skedi_hash *hash, const skedi_history_queue *q,
                      size_t width)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < q->n_open; i++) {
        skedi_hash row;
        skedi_hash_start(&row, 0);
        hash_words(&row, q->open + i * width, width);
        sum += skedi_hash_end(&row);
    }
    skedi_hash_u64(hash, q->n_open);
    skedi_hash_u64(hash, sum);
}

/* Hashes the amounts in rising order, each with the lengths up to the
 * amount. */
static void hash_curve(skedi_hash *hash, const skedi_curve *curve)
{
    uint64_t all = skedi_curve_sum(curve), covered = 0;

    skedi_hash_u64(hash, all);
    while (covered < all) {
        skedi_curve_place place = skedi_curve_at(curve, covered + 1);
        covered = place.covered;
        skedi_hash_u64(hash, place.amount);
        skedi_hash_u64(hash, covered);
    }
}

static void hash_queue(skedi_hash *hash, const sked_history *history,
                       uint32_t queue)
{
    const skedi_history_queue *q = &history->queue[queue];
    size_t kinds = history->kinds, width = kinds + 1, row = queue * kinds;

    skedi_hash_u32(hash, (uint32_t)q->began);
    skedi_hash_u64(hash, q->began ? (uint64_t)q->clock : 0);
    skedi_hash_u64(hash, q->vacant);
    hash_open(hash, q, width);
    hash_curve(hash, &q->curve);
    skedi_hash_u64(hash, q->n_units);
    for (size_t i = 0; i < q->n_units; i++) {
        hash_words(hash, q->unit + (q->first_unit + i) * width, width);
    }
    hash_words(hash, history->said + row, kinds);
    for (size_t k = 0; k < kinds; k++) {
        hash_wide(hash, history->work[row + k]);
        hash_wide(hash, history->work_leader[row + k]);
    }
}

uint64_t sked_history_digest(const sked_history *history)
{
    skedi_hash hash;

    if (!history) return 0;
    const skedi_measure *measure = &history->measure;
    skedi_hash_start(&hash, 0);
    skedi_hash_u32(&hash, history->flags);
    skedi_hash_u32(&hash, history->queues);
    skedi_hash_u32(&hash, history->kinds);
    skedi_hash_u32(&hash, measure->kind);
    skedi_hash_u32(&hash, measure->parts);
    if (measure->parts) hash_words(&hash, measure->instance, history->kinds);
    skedi_hash_u64(&hash, (uint64_t)history->from);
    skedi_hash_u64(&hash, (uint64_t)history->to);
    for (uint32_t i = 0; i < history->queues; i++) {
        hash_queue(&hash, history, i);
    }
    return skedi_hash_end(&hash);
}

/* Checks every invariant of a history against the stored units and heaps. */

static int heap_is_sound(const sked_history *history,
                         const skedi_history_queue *q)
{
    size_t width = history->kinds + 1;

    for (size_t i = 1; i < q->n_open; i++) {
        if (q->open[i * width] < q->open[(i - 1) / 2 * width]) return 0;
    }
    return q->n_open == 0 || q->open[0] > q->clock;
}

/* The held amounts are the set amounts plus all open intervals. */
static int held_is_sound(const sked_history *history, uint32_t queue)
{
    const skedi_history_queue *q = &history->queue[queue];
    size_t kinds = history->kinds, width = kinds + 1;

    for (size_t k = 0; k < kinds; k++) {
        int64_t sum = history->said[queue * kinds + k];
        for (size_t i = 0; i < q->n_open; i++)
            sum += q->open[i * width + k + 1];
        if (sum != history->held[queue * kinds + k]) return 0;
    }
    return 1;
}

/* Compares the sums over kept units with the running sums. */
static int units_are_sound(const sked_history *history, uint32_t queue)
{
    const skedi_history_queue *q = &history->queue[queue];
    size_t kinds = history->kinds, width = kinds + 1;
    uint64_t all = 0;
    skedi_u128 work = skedi_u128_of(0);

    if (!(history->flags & SKED_HISTORY_FLAG_KEEP)) return q->n_units == 0;
    for (size_t i = 0; i < q->n_units; i++) {
        const int64_t *unit = q->unit + (q->first_unit + i) * width;
        if (unit[0] <= 0) return 0;
        all += (uint64_t)unit[0];
        work = skedi_u128_add(
            work, skedi_u128_mul((uint64_t)unit[1], (uint64_t)unit[0]));
    }
    return all == skedi_curve_sum(&q->curve) + q->vacant &&
           skedi_u128_cmp(work, history->work[queue * kinds]) == 0;
}

sked_status sked_history_check(const sked_history *history, sked_error *err)
{
    if (!history) {
        return skedi_fail_null(err, "history");
    }
    for (uint32_t i = 0; i < history->queues; i++) {
        const skedi_history_queue *q = &history->queue[i];
        const char *what = NULL;
        if (!skedi_curve_are_sound(&q->curve)) what = "amounts";
        if (!heap_is_sound(history, q)) what = "open intervals";
        if (!held_is_sound(history, i)) what = "what is held";
        if (!units_are_sound(history, i)) what = "units";
        if (q->mark != 0) what = "mark of a call";
        if (!what) continue;
        return skedi_fail(err, SKED_ERR_INTERNAL, what,
                          (skedi_fault){.row = (int64_t)i + 1});
    }
    return SKED_OK;
}

/*
 * The sliding window. Units without gaps reach from the oldest time to the
 * clock, so the total length gives the start of the oldest unit.
 */

/* Removes `length` from the oldest unit and from all sums. */
static void forget_length(sked_history *history, uint32_t queue, int64_t length)
{
    size_t kinds = history->kinds;
    skedi_history_queue *q = &history->queue[queue];
    int64_t *unit = q->unit + q->first_unit * (kinds + 1);
    uint32_t leader = skedi_measure_leader(&history->measure, unit + 1);
    uint64_t amount = skedi_measure_of(&history->measure, unit + 1, leader);
    skedi_u128 *work = history->work + queue * kinds;
    skedi_u128 *led = history->work_leader + queue * kinds;

    for (size_t k = 0; k < kinds; k++) {
        skedi_u128 less = skedi_u128_mul((uint64_t)unit[k + 1],
                                         (uint64_t)length);
        work[k] = skedi_u128_sub(work[k], less);
        if (k == leader) led[k] = skedi_u128_sub(led[k], less);
    }
    if (amount > 0)
        skedi_curve_take(&q->curve, amount, (uint64_t)length);
    else
        q->vacant -= (uint64_t)length;
    unit[0] -= length;
    if (unit[0] > 0) return;
    q->first_unit++;
    q->n_units--;
}

static void forget_before(sked_history *history, uint32_t queue, sked_time time)
{
    skedi_history_queue *q = &history->queue[queue];
    uint64_t all = skedi_curve_sum(&q->curve) + q->vacant;
    sked_time oldest = q->clock - (int64_t)all;

    while (q->n_units > 0 && oldest < time) {
        int64_t length = q->unit[q->first_unit * (history->kinds + 1)];
        if (length > time - oldest) length = time - oldest;
        forget_length(history, queue, length);
        oldest += length;
    }
}

sked_status sked_history_forget(sked_history *history, sked_time time,
                                sked_error *err)
{
    if (!history) {
        return skedi_fail_null(err, "history");
    }
    if (!(history->flags & SKED_HISTORY_FLAG_KEEP)) {
        return skedi_fail_plain(err, SKED_ERR_STATE, "units are not kept");
    }
    if (time <= -SKED_AMOUNT_MAX || time >= SKED_AMOUNT_MAX) {
        return skedi_fail(err, SKED_ERR_RANGE, "time is out of range",
                          (skedi_fault){.got = time});
    }
    for (uint32_t i = 0; i < history->queues; i++) {
        const skedi_history_queue *q = &history->queue[i];
        if (!q->began || q->clock >= time) continue;
        return skedi_fail(err, SKED_ERR_STATE, "not settled up to there",
                          (skedi_fault){.row = (int64_t)i + 1,
                                        .got = time,
                                        .limit = q->clock});
    }
    for (uint32_t i = 0; i < history->queues; i++) {
        forget_before(history, i, time);
    }
    if (time > history->from) history->from = time;
    return SKED_OK;
}

SKEDI_NO_TAIL_PADDING(sked_history_options, to);

enum { HISTORY_OPTIONS_V1 = SKEDI_SIZE_THROUGH(sked_history_options, to) };

static sked_status window_in(const sked_history_options *opts, sked_error *err)
{
    if (!(opts->flags & SKED_HISTORY_FLAG_WINDOW)) {
        if (opts->from == 0 && opts->to == 0) return SKED_OK;
        return skedi_fail_plain(err, SKED_ERR_ARG, "window without its flag");
    }
    if (opts->from > -SKED_AMOUNT_MAX && opts->from < opts->to &&
        opts->to < SKED_AMOUNT_MAX) {
        return SKED_OK;
    }
    return skedi_fail(err, SKED_ERR_RANGE, "window is empty or out of range",
                      (skedi_fault){.got = opts->from, .limit = opts->to});
}

static sked_status history_options_in(sked_history_options *opts,
                                      const sked_history_options *given,
                                      sked_error *err)
{
    const uint32_t flags = SKED_HISTORY_FLAG_WINDOW | SKED_HISTORY_FLAG_KEEP;
    sked_status rc = skedi_struct_in(opts, sizeof *opts, given,
                                     HISTORY_OPTIONS_V1);

    if (rc != SKED_OK) {
        return skedi_fail_version(err, "options");
    }
    if (opts->flags & ~flags) {
        return skedi_fail_flags(err, "options");
    }
    if (opts->queues > SKED_MAX_QUEUES || opts->kinds > SKED_MAX_KINDS) {
        return skedi_fail_plain(err, SKED_ERR_RANGE,
                                "too many queues or kinds");
    }
    if (opts->queues == 0) opts->queues = 1;
    if (opts->kinds == 0) opts->kinds = 1;
    return window_in(opts, err);
}

static void history_release(sked_history *history, skedi_mem *mem)
{
    size_t size = skedi_history_row_size(history);
    size_t rows = (size_t)history->queues * history->kinds;

    for (uint32_t i = 0; history->queue && i < history->queues; i++) {
        skedi_history_queue *q = &history->queue[i];
        skedi_free(mem, q->open, q->open_cap, size);
        skedi_free(mem, q->unit, q->unit_cap, size);
        skedi_curve_free(&q->curve, mem);
    }
    skedi_free(mem, history->queue, history->queues, sizeof *history->queue);
    skedi_free(mem, history->said, rows, sizeof *history->said);
    skedi_free(mem, history->held, rows, sizeof *history->held);
    skedi_free(mem, history->work, rows, sizeof *history->work);
    skedi_free(mem, history->work_leader, rows, sizeof *history->work_leader);
    skedi_free(mem, history, 1, sizeof *history);
}

static int columns_reserve(sked_history *history, skedi_mem *mem)
{
    size_t rows = (size_t)history->queues * history->kinds;

    return (history->queue = skedi_new(mem, history->queues,
                                       sizeof *history->queue)) &&
           (history->said = skedi_new(mem, rows, sizeof *history->said)) &&
           (history->held = skedi_new(mem, rows, sizeof *history->held)) &&
           (history->work = skedi_new(mem, rows, sizeof *history->work)) &&
           (history->work_leader = skedi_new(mem, rows,
                                             sizeof *history->work_leader));
}

static void history_fill(sked_history *history,
                         const sked_history_options *opts)
{
    int windowed = (opts->flags & SKED_HISTORY_FLAG_WINDOW) != 0;

    history->from = windowed ? opts->from : INT64_MIN;
    history->to = windowed ? opts->to : INT64_MAX;
    for (uint32_t i = 0; windowed && i < history->queues; i++) {
        history->queue[i].began = 1;
        history->queue[i].clock = opts->from;
    }
}

sked_status sked_history_new(const int64_t *instance,
                             const sked_history_options *options,
                             const sked_host *host, sked_history **history,
                             sked_error *err)
{
    sked_history_options want;
    skedi_measure measure;
    skedi_hooks hooks;

    if (!history) {
        return skedi_fail_null(err, "history");
    }
    *history = NULL;
    sked_status rc = history_options_in(&want, options, err);
    if (rc == SKED_OK) {
        rc = skedi_measure_in(&measure, instance, want.kinds, want.kind,
                              want.parts, err);
    }
    if (rc == SKED_OK) rc = skedi_hooks_in(&hooks, host, err);
    if (rc != SKED_OK) return rc;

    sked_history *made = skedi_new(&hooks.mem, 1, sizeof *made);
    if (!made) return skedi_fail_memory(err);
    made->measure = measure;
    made->flags = want.flags;
    made->queues = want.queues;
    made->kinds = want.kinds;
    if (!columns_reserve(made, &hooks.mem)) {
        history_release(made, &hooks.mem);
        return skedi_fail_memory(err);
    }
    history_fill(made, &want);
    made->hooks = hooks;
    *history = made;
    return SKED_OK;
}

void sked_history_free(sked_history *history)
{
    if (!history) return;
    sked_host host = history->hooks.host;
    skedi_mem mem = history->hooks.mem;
    history_release(history, &mem);
    skedi_hooks_done(host);
}
