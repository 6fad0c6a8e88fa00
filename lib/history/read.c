/* What was settled, read: percentiles, curves, units, sums. */
#include <string.h>

#include "base/fail.h"
#include "base/par.h"
#include "base/versioned.h"
#include "history/state.h"
#include "pctl/select.h"

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
    size_t from; /* of the round that runs */
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
