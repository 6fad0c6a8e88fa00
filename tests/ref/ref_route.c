/*
 * Routing from its definition. A score is made positive by adding 2^63 to it,
 * so that fractions of whole numbers are enough.
 */
#include "ref_route.h"

#include "ref_wide.h"

/* num / den */
typedef struct ref_part {
    ref_wide num;
    uint64_t den;
} ref_part;

static int part_cmp(ref_part a, ref_part b)
{
    return ref_wide_cmp(ref_wide_mul(a.num, b.den), ref_wide_mul(b.num, a.den));
}

/* x / den + 2^63 */
static ref_part part_of(int64_t x, uint64_t den)
{
    ref_wide lifted = ref_wide_shift(ref_wide_of(den), 63);
    ref_part part = {lifted, den};

    if (x >= 0)
        part.num = ref_wide_add(lifted, ref_wide_of((uint64_t)x));
    else
        part.num = ref_wide_minus(lifted, ref_wide_of(0 - (uint64_t)x));
    return part;
}

static uint64_t id_of(const sked_route_input *s, uint32_t c)
{
    return s->id ? s->id[c] : (uint64_t)c + 1;
}

int ref_route_fits(const sked_route_input *s, uint32_t kinds,
                   const sked_route_jobs *jobs, uint32_t i, uint32_t c)
{
    const int64_t *request = jobs->request + (size_t)i * kinds;
    uint32_t from = s->shape_from ? s->shape_from[c] : 0;
    uint32_t to = s->shape_from ? s->shape_from[c + 1] : 1;

    for (uint32_t n = from; n < to; n++) {
        int fits = 1;
        for (uint32_t k = 0; k < kinds; k++) {
            int64_t most = s->capacity[(size_t)c * kinds + k];
            int64_t node = s->shape_from ? s->shapes[(size_t)n * kinds + k]
                                         : most;
            if (request[k] > most || request[k] > node) fits = 0;
        }
        if (fits) return 1;
    }
    return 0;
}

static int64_t available_of(const sked_route_input *s,
                            const sked_route_options *opts,
                            const sked_route_jobs *jobs, uint32_t i, size_t at)
{
    size_t c = at / opts->kinds, k = at % opts->kinds;
    size_t q = jobs->queue ? jobs->queue[i] : 0;

    if (opts->policy != SKED_ROUTE_POLICY_QUEUE_ABSOLUTE || !s->in_queue) {
        return s->available[at];
    }
    return s->in_queue[(c * s->queues + q) * opts->kinds + k];
}

static ref_part score(const sked_route_input *s, const sked_route_options *opts,
                      const sked_route_jobs *jobs, uint32_t i, uint32_t c)
{
    uint64_t cost = 0, weight = (uint64_t)opts->locality_weight_ppm;
    ref_part least = {ref_wide_shift(ref_wide_of(1), 100), 1};
    int asked = 0;

    for (uint32_t k = 0; k < opts->kinds; k++) {
        uint64_t den = 0;
        if (jobs->request[(size_t)i * opts->kinds + k] == 0) continue;
        for (uint32_t d = 0; d < s->n; d++) {
            if (opts->policy == SKED_ROUTE_POLICY_RELATIVE && d != c) continue;
            den += (uint64_t)s->capacity[(size_t)d * opts->kinds + k];
        }
        size_t at = (size_t)c * opts->kinds + k;
        ref_part part = part_of(available_of(s, opts, jobs, i, at), den);
        if (!asked || part_cmp(part, least) < 0) least = part;
        asked = 1;
    }
    if (opts->policy == SKED_ROUTE_POLICY_LOCALITY && jobs->missing) {
        cost = jobs->missing[(size_t)i * s->n + c] *
               (weight ? weight : UINT64_C(1000000));
    }
    least.num = ref_wide_mul(least.num, UINT64_C(1000000000000));
    least.num = ref_wide_minus(least.num,
                               ref_wide_mul(ref_wide_of(cost), least.den));
    return least;
}

void ref_route(const sked_route_input *s, const sked_route_options *opts,
               const sked_route_jobs *jobs, uint32_t i, uint64_t answer[2])
{
    for (int place = 0; place < 2; place++) {
        ref_part best = {0};
        answer[place] = SKED_ROUTE_NO_CLUSTER;
        for (uint32_t c = 0; c < s->n; c++) {
            if (!ref_route_fits(s, opts->kinds, jobs, i, c)) continue;
            if (place == 1 && id_of(s, c) == answer[0]) continue;
            ref_part mine = score(s, opts, jobs, i, c);
            int order = 1;
            if (answer[place] != SKED_ROUTE_NO_CLUSTER)
                order = part_cmp(mine, best);
            if (order < 0) continue;
            if (order == 0 && id_of(s, c) > answer[place]) continue;
            best = mine;
            answer[place] = id_of(s, c);
        }
    }
}
