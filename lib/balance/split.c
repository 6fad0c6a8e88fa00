/*
 * Splitting a cluster: the same search, where a part scores the instances that
 * it has in use on average, weighed by what an instance is of the cluster that
 * is split. What the workflows use is the same wherever they are, so least of
 * that is least stranded.
 */
#include "balance/state.h"

#include "base/fail.h"

/* An instance's part of the capacity that is split, over all kinds. */
static void weigh_parts(const sked_balance_input *in, int64_t *weight)
{
    for (uint32_t c = 0; c < in->clusters; c++) {
        weight[c] = 0;
        for (uint32_t k = 0; k < in->kinds; k++) {
            size_t at = (size_t)c * in->kinds + k;
            if (in->capacity[at] <= 0) continue;
            weight[c] += balance_part(in->instance[at], in->capacity[at], 1);
        }
        weight[c] = skedi_i64_min(weight[c], SKED_BALANCE_MOST);
    }
}

/* What instances in use have of one kind and no workflow uses, in one
 * bucket. */
static uint64_t idle_of(const int64_t *used, const int64_t *instance,
                        uint32_t kinds, uint32_t kind)
{
    int64_t most = 0;
    uint64_t rem;

    for (uint32_t k = 0; k < kinds; k++) {
        most = skedi_i64_max(most, balance_part(used[k], instance[k], 1));
    }
    skedi_u128 has = skedi_u128_div(
        skedi_u128_mul((uint64_t)most, (uint64_t)instance[kind]),
        SKED_BALANCE_WHOLE, &rem);
    skedi_u128 busy = skedi_u128_of((uint64_t)used[kind]);
    if (skedi_u128_cmp(has, busy) <= 0) return 0;
    has = skedi_u128_sub(has, busy);
    if (skedi_u128_high(has) == 0 &&
        skedi_u128_low(has) < (uint64_t)SKED_AMOUNT_MAX) {
        return skedi_u128_low(has);
    }
    return (uint64_t)SKED_AMOUNT_MAX;
}

/* The same on average. */
static int64_t part_stranded(const skedi_balance *b, uint32_t part,
                             uint32_t kind)
{
    const int64_t *curve = b->curve + part * b->cells;
    const int64_t *instance = b->in.instance + (size_t)part * b->in.kinds;
    skedi_u128 sum = skedi_u128_of(0);
    uint64_t rem;

    for (size_t i = 0; i < b->in.buckets; i++) {
        uint64_t idle = idle_of(curve + i * b->in.kinds, instance, b->in.kinds,
                                kind);
        sum = skedi_u128_add(sum, skedi_u128_mul(idle, (uint64_t)b->length[i]));
    }
    return (int64_t)skedi_u128_low(skedi_u128_div(sum, b->window, &rem));
}

static void tell_parts(skedi_balance *b, int64_t *instances, int64_t *stranded)
{
    for (uint32_t c = 0; c < b->in.clusters; c++) {
        if (instances) instances[c] = skedi_balance_instances(b, c);
        for (uint32_t k = 0; stranded && k < b->in.kinds; k++) {
            stranded[c * (size_t)b->in.kinds + k] = part_stranded(b, c, k);
        }
    }
}

sked_status sked_balance_split(const sked_balance_input *input,
                               const sked_host *host,
                               sked_balance_result *result, int64_t *instances,
                               int64_t *stranded, sked_error *err)
{
    int64_t weight[SKED_MAX_CLUSTERS];
    skedi_balance_found f = {.complete = 0};
    sked_balance_input taken;
    sked_status rc = skedi_balance_take(&taken, input, err);

    if (rc == SKED_OK) rc = skedi_balance_result_in(&taken, result, err);
    if (rc != SKED_OK) return rc;
    if (!taken.instance || taken.fixed) {
        return skedi_fail_plain(err, SKED_ERR_ARG,
                                "instances and nothing fixed are needed");
    }
    weigh_parts(&taken, weight);
    rc = skedi_balance_in(&f.b, &taken, host, weight, err);
    if (rc != SKED_OK) return rc;
    rc = skedi_balance_find(&f);
    if (rc == SKED_OK) {
        skedi_balance_hand_out(&f, result);
        tell_parts(&f.b, instances, stranded);
    } else {
        (void)skedi_fail_stopped(err, rc);
    }
    skedi_balance_drop_found(&f);
    return rc;
}
