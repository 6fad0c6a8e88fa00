/*
 * Thresholds of tiers from a history: every queue is asked for its allocation
 * at each threshold of its tier, these are added up by tier, the search
 * chooses, and the queues are asked once more at what was chosen.
 */
#include "tiers/threshold.h"

#include "base/fail.h"
#include "base/hooks.h"
#include "base/versioned.h"
#include "base/wide.h"

SKEDI_NO_TAIL_PADDING(sked_tiers_plan_input, tier);

enum {
    TIERS_REQUEST_V1 = SKEDI_SIZE_THROUGH(sked_tiers_plan_input, tier),
    TIERS_AT_ONCE = 64 /* thresholds asked for in one go */
};

/* What one call works with. */
typedef struct tiers_making {
    sked_tiers_plan_input in;
    skedi_hooks hooks;
    sked_host host; /* for the search: without user_free */
    const sked_history *history;
    uint64_t first[SKED_MAX_TIERS + 1];
    skedi_u128 usage[SKED_MAX_TIERS];
    int64_t *allocation; /* by tier and threshold */
    int64_t step;
} tiers_making;

static sked_status take_request(tiers_making *m, const sked_host *host,
                                sked_error *err)
{
    const sked_tiers_plan_input *in = &m->in;

    if (in->flags) return skedi_fail_flags(err, "input");
    if (in->tiers < 1 || in->tiers > SKED_MAX_TIERS) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "no such number of tiers",
            (skedi_fault){.got = (int64_t)in->tiers, .limit = SKED_MAX_TIERS});
    }
    if (in->queues > SKED_MAX_QUEUES) {
        return skedi_fail(err, SKED_ERR_RANGE, "too many queues",
                          (skedi_fault){.got = (int64_t)in->queues,
                                        .limit = SKED_MAX_QUEUES});
    }
    const char *missing = !in->low_ppm                  ? "input.low_ppm"
                          : !in->high_ppm               ? "input.high_ppm"
                          : in->queues > 0 && !in->tier ? "input.tier"
                                                        : NULL;
    if (missing) return skedi_fail_null(err, missing);
    m->step = skedi_tier_step(in->step_ppm);
    for (uint32_t t = 0; t < in->tiers; t++) {
        size_t n = 0;
        sked_status rc = sked_tiers_thresholds(in->low_ppm[t], in->high_ppm[t],
                                               in->step_ppm, NULL, 0, &n, err);
        if (n == 0) {
            return skedi_fail(err, rc, "tier has no such bounds or step",
                              (skedi_fault){.row = (int64_t)t + 1});
        }
        m->first[t + 1] = m->first[t] + n;
    }
    for (uint32_t q = 0; q < in->queues; q++) {
        if (in->tier[q] <= in->tiers) continue;
        return skedi_fail(err, SKED_ERR_RANGE, "queue of no such tier",
                          (skedi_fault){.row = (int64_t)q + 1,
                                        .got = in->tier[q],
                                        .limit = (int64_t)in->tiers});
    }
    return skedi_hooks_in(&m->hooks, host, err);
}

static sked_status sum_fault(sked_error *err, uint32_t queue)
{
    return skedi_fail(
        err, SKED_ERR_RANGE, "a tier used or needs more than can be",
        (skedi_fault){.row = (int64_t)queue + 1, .limit = SKEDI_TIER_MOST});
}

/* Adds a queue's allocation at some thresholds of its tier, from the i-th. */
static sked_status add_some(tiers_making *m, uint32_t queue, uint64_t i,
                            uint64_t n, sked_error *err)
{
    uint32_t t = m->in.tier[queue] - 1u;
    int64_t *to = m->allocation + m->first[t] + i;
    sked_ratio threshold[TIERS_AT_ONCE];
    sked_pctl_point point[TIERS_AT_ONCE];
    sked_pctl_queue total;

    for (uint64_t j = 0; j < n; j++) {
        threshold[j].num = skedi_tier_threshold(
            m->in.low_ppm[t], m->in.high_ppm[t], m->step, i + j);
        threshold[j].den = SKED_PPM;
    }
    sked_status rc = sked_history_pctl(m->history, &queue, 1, threshold,
                                       (size_t)n, point, &total, err);
    if (rc != SKED_OK) return rc;
    for (uint64_t j = 0; j < n; j++) {
        to[j] = skedi_amount_add(to[j], point[j].amount);
        if (to[j] > SKEDI_TIER_MOST) return sum_fault(err, queue);
    }
    if (i > 0) return SKED_OK;
    return skedi_wide_add(&m->usage[t], total.usage) ? SKED_OK
                                                     : sum_fault(err, queue);
}

static sked_status add_all(tiers_making *m, sked_error *err)
{
    sked_status rc = SKED_OK;

    for (uint32_t q = 0; q < m->in.queues && rc == SKED_OK; q++) {
        if (m->in.tier[q] == 0) continue;
        uint32_t t = m->in.tier[q] - 1u;
        uint64_t n = m->first[t + 1] - m->first[t];
        rc = skedi_hooks_check(&m->hooks, q, m->in.queues);
        if (rc != SKED_OK) return skedi_fail_stopped(err, rc);
        for (uint64_t i = 0; i < n && rc == SKED_OK; i += TIERS_AT_ONCE) {
            uint64_t some = n - i < TIERS_AT_ONCE ? n - i : TIERS_AT_ONCE;
            rc = add_some(m, q, i, some, err);
        }
    }
    return rc;
}

static sked_status search_plan(tiers_making *m, sked_tiers_result *result,
                               sked_error *err)
{
    sked_wide usage[SKED_MAX_TIERS];
    const sked_tiers_input in = {
        .struct_size = sizeof in,
        .tiers = m->in.tiers,
        .step_ppm = m->in.step_ppm,
        .total = m->in.total,
        .low_ppm = m->in.low_ppm,
        .high_ppm = m->in.high_ppm,
        .usage = usage,
        .allocation = m->allocation,
        .n = m->first[m->in.tiers],
    };

    for (uint32_t t = 0; t < m->in.tiers; t++) {
        usage[t] = skedi_wide_of(m->usage[t]);
    }
    return sked_tiers_search(&in, &m->host, result, err);
}

/* What each queue is allocated at its tier's threshold: these were asked for
 * before, so nothing can be wrong with them. */
static sked_status give_points(const tiers_making *m,
                               const sked_tiers_result *result,
                               sked_pctl_point *point, sked_error *err)
{
    sked_status rc = SKED_OK;

    for (uint32_t q = 0; q < m->in.queues && rc == SKED_OK; q++) {
        sked_ratio threshold = {0, SKED_PPM};
        point[q] = (sked_pctl_point){.covered = {0, 1}};
        if (m->in.tier[q] == 0) continue;
        threshold.num = result->threshold_ppm[m->in.tier[q] - 1];
        rc = sked_history_pctl(m->history, &q, 1, &threshold, 1, &point[q],
                               NULL, err);
    }
    return rc;
}

static sked_status make_tiers(tiers_making *m, sked_tiers_result *result,
                              sked_pctl_point *point, sked_error *err)
{
    size_t n = (size_t)m->first[m->in.tiers];
    skedi_mem *mem = &m->hooks.mem;

    m->allocation = skedi_new(mem, n, sizeof *m->allocation);
    if (!m->allocation) {
        return skedi_fail_memory(err);
    }
    sked_status rc = add_all(m, err);
    if (rc == SKED_OK) rc = search_plan(m, result, err);
    if (rc == SKED_OK && point && result->tier == 0) {
        rc = give_points(m, result, point, err);
    }
    skedi_free(mem, m->allocation, n, sizeof *m->allocation);
    return rc;
}

sked_status sked_tiers_plan(const sked_history *history,
                            const sked_tiers_plan_input *input,
                            const sked_host *host, sked_tiers_result *result,
                            sked_pctl_point *point, sked_error *err)
{
    tiers_making m = {.history = history};

    const char *missing = !history  ? "history"
                          : !input  ? "input"
                          : !result ? "result"
                                    : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_struct_in(&m.in, sizeof m.in, input,
                                     TIERS_REQUEST_V1);
    if (rc != SKED_OK) {
        return skedi_fail_version(err, "input");
    }
    rc = take_request(&m, host, err);
    if (rc != SKED_OK) return rc;
    m.host = m.hooks.host;
    m.host.user_free = NULL;
    return make_tiers(&m, result, point, err);
}
