/* Reserved or on demand, from a history. */
#include "history/state.h"
#include "pctl/reserved.h"

static uint64_t curve_at(const void *from, uint64_t need)
{
    return skedi_curve_at(from, need).amount;
}

static uint64_t curve_upto(const void *from, uint64_t most)
{
    return skedi_curve_upto(from, most);
}

static skedi_u128 curve_usage_upto(const void *from, uint64_t most)
{
    return skedi_curve_usage(from, most);
}

sked_status sked_history_reserved(const sked_history *history, uint32_t queue,
                                  int64_t window, sked_ratio price,
                                  sked_pctl_reserved_result *plan,
                                  sked_error *err)
{
    const char *missing = !history ? "history" : !plan ? "plan" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (queue >= history->queues) {
        return skedi_fail_plain(err, SKED_ERR_NOT_FOUND, "no such queue");
    }
    const skedi_history_queue *q = &history->queue[queue];
    uint64_t in_use = skedi_curve_sum(&q->curve);
    skedi_reserve r = {
        .in_use = in_use,
        .all = in_use + q->vacant,
        .peak = in_use ? skedi_curve_at(&q->curve, in_use).amount : 0,
        .usage = skedi_curve_usage(&q->curve, UINT64_MAX),
        .at = curve_at,
        .upto = curve_upto,
        .usage_upto = curve_usage_upto,
        .from = &q->curve,
    };
    sked_status rc = skedi_reserve_in(&r, &window, price, err);
    if (rc == SKED_OK) skedi_reserve_plan(&r, window, price, plan);
    return rc;
}
