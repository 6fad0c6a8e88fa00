/*
 * What a caller hands in, checked before anything is decided or changed: after
 * that no sum can overflow and every divisor that is used is above zero.
 */
#include "route/clusters.h"

#include "base/fail.h"
#include "base/versioned.h"

SKEDI_NO_TAIL_PADDING(sked_route_options, locality_weight_ppm);
SKEDI_NO_TAIL_PADDING(sked_route_input, shapes);
SKEDI_NO_TAIL_PADDING(sked_route_jobs, missing);
SKEDI_NO_TAIL_PADDING(sked_route_answer, stale);
SKEDI_NO_TAIL_PADDING(sked_route_score, reserved);

enum {
    ROUTE_OPTIONS_V1 = SKEDI_SIZE_THROUGH(sked_route_options,
                                          locality_weight_ppm),
    SNAPSHOT_V1 = SKEDI_SIZE_THROUGH(sked_route_input, shapes),
    ROUTE_JOBS_V1 = SKEDI_SIZE_THROUGH(sked_route_jobs, missing),
    WEIGHT_MOST = 1000000000
};

sked_status skedi_route_options_in(sked_route_options *to,
                                   const sked_route_options *given,
                                   sked_error *err)
{
    sked_status rc = skedi_struct_in(to, sizeof *to, given, ROUTE_OPTIONS_V1);

    if (rc != SKED_OK) return skedi_fail_version(err, "options");
    if (to->flags) return skedi_fail_flags(err, "options");
    if (to->policy < SKED_ROUTE_POLICY_ABSOLUTE ||
        to->policy > SKED_ROUTE_POLICY_LOCALITY) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "no such policy");
    }
    if (to->kinds > SKED_MAX_KINDS || to->max_age_ns < 0 ||
        to->locality_weight_ppm < 0 || to->locality_weight_ppm > WEIGHT_MOST) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "option is out of range");
    }
    if (to->kinds == 0) to->kinds = 1;
    if (to->locality_weight_ppm == 0) to->locality_weight_ppm = SKED_PPM;
    return SKED_OK;
}

static sked_status bad_amount(sked_error *err, uint32_t row, uint32_t kind,
                              int64_t got, int64_t limit)
{
    return skedi_fail(err, SKED_ERR_RANGE, "amount is out of range",
                      (skedi_fault){.row = (int64_t)row + 1,
                                    .kind = (int32_t)kind + 1,
                                    .got = got,
                                    .limit = limit});
}

/* Capacities, and what is available of them, one row of each. */
static sked_status check_rows(const sked_route_input *s, uint32_t kinds,
                              uint32_t i, sked_error *err)
{
    const int64_t *capacity = s->capacity + (size_t)i * kinds;
    const int64_t *available = s->available + (size_t)i * kinds;
    size_t cells = s->in_queue ? (size_t)s->queues * kinds : 0;

    for (uint32_t k = 0; k < kinds; k++) {
        if (capacity[k] < 0 || capacity[k] > SKED_AMOUNT_MAX) {
            return bad_amount(err, i, k, capacity[k], SKED_AMOUNT_MAX);
        }
        if (available[k] < -SKED_AMOUNT_MAX || available[k] > capacity[k]) {
            return bad_amount(err, i, k, available[k], capacity[k]);
        }
    }
    for (size_t at = 0; at < cells; at++) {
        int64_t x = s->in_queue[i * cells + at];
        uint32_t k = (uint32_t)(at % kinds);
        if (x < -SKED_AMOUNT_MAX || x > capacity[k]) {
            return bad_amount(err, i, k, x, capacity[k]);
        }
    }
    return SKED_OK;
}

static sked_status check_shapes(const sked_route_input *s, uint32_t kinds,
                                sked_error *err)
{
    const uint32_t *from = s->shape_from;

    if (!from) return SKED_OK;
    const char *missing = from[s->n] > 0 && !s->shapes ? "input.shapes" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    for (uint32_t i = 0; i < s->n; i++) {
        if (from[0] == 0 && from[i] <= from[i + 1]) continue;
        return skedi_fail(err, SKED_ERR_RANGE, "offsets of shapes go down",
                          (skedi_fault){.row = (int64_t)i + 1});
    }
    for (uint32_t i = 0; i < s->n; i++) {
        for (size_t at = (size_t)from[i] * kinds;
             at < (size_t)from[i + 1] * kinds; at++) {
            if (s->shapes[at] >= 0 && s->shapes[at] <= SKED_AMOUNT_MAX)
                continue;
            return bad_amount(err, i, (uint32_t)(at % kinds), s->shapes[at],
                              SKED_AMOUNT_MAX);
        }
    }
    return SKED_OK;
}

static sked_status check_route_ids(const sked_route_input *s, sked_error *err)
{
    for (uint32_t i = 0; s->id && i < s->n; i++) {
        if (s->id[i] != SKED_ROUTE_NO_CLUSTER) continue;
        return skedi_fail(err, SKED_ERR_RANGE, "an id is 0",
                          (skedi_fault){.row = (int64_t)i + 1});
    }
    return SKED_OK;
}

sked_status skedi_route_id_twice(uint64_t id, uint32_t row, sked_error *err)
{
    return skedi_fail(
        err, SKED_ERR_EXISTS, "an id is there twice",
        (skedi_fault){.row = (int64_t)row + 1, .got = (int64_t)id});
}

/* An id that is above all before it needs no comparison. */
sked_status skedi_route_ids_once(const sked_route_input *s, sked_error *err)
{
    uint64_t highest = 0;

    for (uint32_t i = 0; s->id && i < s->n; i++) {
        uint32_t j = s->id[i] > highest ? i : 0;
        if (j == i) highest = s->id[i];
        while (j < i && s->id[j] != s->id[i]) j++;
        if (j < i) return skedi_route_id_twice(s->id[i], i, err);
    }
    return SKED_OK;
}

sked_status skedi_snapshot_in(sked_route_input *to,
                              const sked_route_input *given, uint32_t kinds,
                              sked_error *err)
{
    sked_status rc = skedi_struct_in(to, sizeof *to, given, SNAPSHOT_V1);

    if (rc != SKED_OK) return skedi_fail_version(err, "input");
    if (to->reserved) return skedi_fail_reserved(err, "input");
    const char *missing = to->n == 0       ? NULL
                          : !to->capacity  ? "input.capacity"
                          : !to->available ? "input.available"
                                           : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (to->in_queue && to->queues == 0) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "no queues");
    }
    if (to->n > INT32_MAX || to->queues > SKED_MAX_QUEUES) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "too many rows");
    }
    rc = check_route_ids(to, err);
    for (uint32_t i = 0; i < to->n && rc == SKED_OK; i++) {
        rc = check_rows(to, kinds, i, err);
    }
    return rc == SKED_OK ? check_shapes(to, kinds, err) : rc;
}

static sked_status check_route_job(const sked_route_jobs *jobs,
                                   const skedi_route_view *v, uint32_t i,
                                   sked_error *err)
{
    const int64_t *request = jobs->request + (size_t)i * v->kinds;
    int64_t times = jobs->instances ? jobs->instances[i] : 1, all;
    skedi_fault fault = {.row = (int64_t)i + 1, .got = times};

    if (times < 0 || times > SKED_AMOUNT_MAX) {
        return skedi_fail(err, SKED_ERR_RANGE, "instances is out of range",
                          fault);
    }
    for (uint32_t k = 0; k < v->kinds; k++) {
        if (request[k] >= 0 && request[k] <= SKED_AMOUNT_MAX &&
            skedi_i64_mul(request[k], times, &all) && all <= SKED_AMOUNT_MAX) {
            continue;
        }
        return bad_amount(err, i, k, request[k], SKED_AMOUNT_MAX);
    }
    if (v->queue_step && jobs->queue && jobs->queue[i] >= v->queues) {
        fault.got = jobs->queue[i];
        fault.limit = v->queues;
        return skedi_fail(err, SKED_ERR_RANGE, "no such queue", fault);
    }
    for (uint32_t c = 0; jobs->missing && c < v->n; c++) {
        fault.got = jobs->missing[(size_t)i * v->n + c];
        if (fault.got <= SKED_PPM) continue;
        return skedi_fail(err, SKED_ERR_RANGE, "more is missing than there is",
                          fault);
    }
    return SKED_OK;
}

sked_status skedi_route_jobs_in(sked_route_jobs *to, const skedi_route_view *v,
                                const sked_route_jobs *given, sked_error *err)
{
    sked_status rc = skedi_struct_in(to, sizeof *to, given, ROUTE_JOBS_V1);

    if (rc != SKED_OK) return skedi_fail_version(err, "jobs");
    if (to->reserved) return skedi_fail_reserved(err, "jobs");
    const char *missing = to->n && !to->request ? "jobs.request" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (to->n > INT32_MAX) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "too many rows");
    }
    for (uint32_t i = 0; i < to->n && rc == SKED_OK; i++) {
        rc = check_route_job(to, v, i, err);
    }
    return rc;
}

int skedi_route_totals(skedi_route_view *v, uint32_t *kind)
{
    for (uint32_t k = 0; k < v->kinds; k++) {
        int64_t sum = 0, least = SKED_UNLIMITED;
        for (uint32_t i = 0; i < v->n && sum != SKED_UNLIMITED; i++) {
            int64_t capacity = v->capacity[(size_t)i * v->kinds + k];
            sum = skedi_amount_add(sum, capacity);
            least = skedi_i64_min(least, capacity);
        }
        *kind = k;
        if (sum == SKED_UNLIMITED) return 0;
        v->total[k] = sum;
        v->smallest[k] = least;
        v->inverse[k] = sum > 0 ? 1.0 / (double)sum : 0.0;
    }
    return 1;
}
