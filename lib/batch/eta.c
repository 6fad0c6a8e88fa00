/* Eta: tried on scenarios of times, the one with the least makespan. */
#include "batch/chance.h"
#include "batch/live.h"

static const int64_t eta_tried[] = {1000000, 900000, 800000, 700000, 600000,
                                    500000,  400000, 350000, 300000};

static int64_t last_span_end(const sked_batch_span *spans, uint32_t n)
{
    int64_t end = 0;

    for (uint32_t j = 0; j < n; j++) end = skedi_i64_max(end, spans[j].end);
    return end;
}

/* The mean makespan of all scenarios. */
static sked_status try_eta(skedi_batch_live *live, sked_batch_options *options,
                           const skedi_batch_scenarios *scenarios,
                           sked_batch_span *spans, int64_t *mean)
{
    size_t n = live->b->n;
    sked_status rc = SKED_OK;

    *mean = 0;
    for (size_t s = 0; s < scenarios->n && rc == SKED_OK; s++) {
        skedi_batch_live_begin(live, options, NULL);
        rc = skedi_batch_live_run(
            live, scenarios->factor ? scenarios->factor + s * n : NULL, spans);
        *mean += last_span_end(spans, live->b->n) / (int64_t)scenarios->n;
    }
    return rc;
}

sked_status skedi_batch_best_eta(skedi_batch_live *live,
                                 sked_batch_options *options,
                                 const skedi_batch_scenarios *scenarios,
                                 int64_t *mean)
{
    skedi_batch *b = live->b;
    sked_batch_options o = *options;
    sked_batch_span *spans = skedi_batch_take(b, b->n, sizeof *spans);
    sked_status rc = spans ? SKED_OK : SKED_ERR_NOMEM;
    size_t n = sizeof eta_tried / sizeof *eta_tried;

    *mean = INT64_MAX;
    o.method = SKED_BATCH_METHOD_ADAPT;
    for (size_t i = 0; i < n && rc == SKED_OK; i++) {
        int64_t got;
        o.eta_ppm = eta_tried[i];
        rc = try_eta(live, &o, scenarios, spans, &got);
        if (rc != SKED_OK || got >= *mean) continue;
        *mean = got;
        options->eta_ppm = eta_tried[i];
    }
    return rc;
}

sked_status skedi_batch_choose_eta(skedi_batch_live *live,
                                   sked_batch_options *options)
{
    skedi_batch_scenarios scenarios;
    int64_t mean;

    if (options->eta_ppm) return SKED_OK;
    options->eta_ppm = SKED_PPM;
    if (options->noise_ppm == 0) return SKED_OK;
    sked_status rc = skedi_batch_draw_scenarios(live->b, options, &scenarios);
    if (rc != SKED_OK) return rc;
    return skedi_batch_best_eta(live, options, &scenarios, &mean);
}
