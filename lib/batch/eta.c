/* Eta: tried on scenarios of times, the one with the least makespan. */
#include "batch/chance.h"
#include "batch/live.h"

enum { SCENARIOS = 16 };

static const int64_t eta_tried[] = {1000000, 900000, 800000, 700000, 600000,
                                    500000,  400000, 350000, 300000};

static int64_t last_span_end(const sked_batch_span *spans, uint32_t n)
{
    int64_t end = 0;

    for (uint32_t j = 0; j < n; j++) end = skedi_i64_max(end, spans[j].end);
    return end;
}

/* The makespans of all scenarios, added up. */
static sked_status try_eta(skedi_batch_live *live, sked_batch_options *options,
                           const int64_t *factor, sked_batch_span *spans,
                           int64_t *sum)
{
    size_t n = live->b->n;
    sked_status rc = SKED_OK;

    *sum = 0;
    for (size_t s = 0; s < SCENARIOS && rc == SKED_OK; s++) {
        skedi_batch_live_begin(live, options, NULL);
        rc = skedi_batch_live_run(live, factor + s * n, spans);
        *sum += last_span_end(spans, live->b->n) / SCENARIOS;
    }
    return rc;
}

sked_status skedi_batch_choose_eta(skedi_batch_live *live,
                                   sked_batch_options *options)
{
    skedi_batch *b = live->b;
    int64_t chosen = SKED_PPM, least = INT64_MAX, sum;
    skedi_random random;
    sked_status rc = SKED_OK;

    if (options->eta_ppm) return SKED_OK;
    options->eta_ppm = SKED_PPM;
    if (options->noise_ppm == 0) return SKED_OK;
    size_t n = (size_t)b->n * SCENARIOS;
    int64_t *factor = skedi_batch_take(b, n, sizeof *factor);
    sked_batch_span *spans = skedi_batch_take(b, b->n, sizeof *spans);
    if (!factor || !spans) return SKED_ERR_NOMEM;
    skedi_random_seed(&random, options->seed, &b->hooks.host);
    for (size_t i = 0; i < n; i++) {
        factor[i] = skedi_chance_factor(&random, options->noise_ppm);
    }
    for (size_t i = 0; i < sizeof eta_tried / sizeof *eta_tried; i++) {
        options->eta_ppm = eta_tried[i];
        rc = try_eta(live, options, factor, spans, &sum);
        if (rc != SKED_OK) return rc;
        if (sum < least) {
            least = sum;
            chosen = eta_tried[i];
        }
    }
    options->eta_ppm = chosen;
    return rc;
}
