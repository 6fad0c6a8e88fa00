/* What a cluster comes to: the percentile, or the mean, of its utilisation. */
#include "balance/state.h"

/* Units of which none is vacant, since idle time counts: values plus one. */
int64_t skedi_balance_percentile(skedi_balance *b, uint64_t need)
{
    skedi_units units = {b->length, b->value, (size_t)b->in.buckets};
    skedi_spot spot = {.need = need};
    int64_t peak = 0;

    for (size_t i = 0; i < units.n; i++) {
        if (b->value[i] > peak) peak = b->value[i];
    }
    if (need == b->window) return peak;
    skedi_units_sum sum = skedi_units_none();
    for (size_t i = 0; i < units.n; i++) b->value[i]++;
    for (size_t at = 0; at < units.n; at += SKEDI_UNITS_BLOCK) {
        skedi_units block = skedi_units_at(&units, at);
        (void)!skedi_units_add(&sum, &block);
    }
    skedi_select(&units, &sum, &spot, 1, &b->memory);
    return (int64_t)spot.amount - 1;
}

static int64_t mean_of(const skedi_balance *b)
{
    skedi_u128 sum = skedi_u128_of(0);
    uint64_t rem;

    for (size_t i = 0; i < b->in.buckets; i++) {
        sum = skedi_u128_add(
            sum, skedi_u128_mul((uint64_t)b->value[i], (uint64_t)b->length[i]));
    }
    return (int64_t)skedi_u128_low(skedi_u128_div(sum, b->window, &rem));
}

/* Utilisation by bucket into `value`. */
static void utilise(skedi_balance *b, skedi_balance_change change,
                    const int64_t *capacity)
{
    const int64_t *curve = b->curve + change.cluster * b->cells;
    const int64_t *more = NULL, *less = NULL;
    size_t kinds = b->in.kinds;

    if (change.more != SKEDI_NO_MOVER)
        more = b->in.usage + change.more * b->cells;
    if (change.less != SKEDI_NO_MOVER)
        less = b->in.usage + change.less * b->cells;
    for (size_t i = 0; i < b->in.buckets; i++) {
        int64_t most = 0;
        for (size_t k = 0; k < kinds; k++) {
            size_t cell = i * kinds + k;
            int64_t used = curve[cell];
            if (more) used += more[cell];
            if (less) used -= less[cell];
            most = skedi_i64_max(most, balance_part(used, capacity[k], 1));
        }
        b->value[i] = most;
    }
}

int64_t skedi_balance_score(skedi_balance *b, skedi_balance_change change)
{
    size_t row = (size_t)change.cluster * b->in.kinds;

    b->tries++;
    if (!b->weight) {
        utilise(b, change, b->in.capacity + row);
        return skedi_balance_percentile(b, b->need);
    }
    utilise(b, change, b->in.instance + row);
    return balance_weighted(mean_of(b), b->weight[change.cluster]);
}

int64_t skedi_balance_instances(skedi_balance *b, uint32_t cluster)
{
    const int64_t *instance = b->in.instance;
    skedi_units units = {b->length, b->value, (size_t)b->in.buckets};
    skedi_units_sum sum = skedi_units_none();
    skedi_spot spot = {0};
    uint64_t rem;

    if (!instance) return 0;
    utilise(b, (skedi_balance_change){cluster, SKEDI_NO_MOVER, SKEDI_NO_MOVER},
            instance + (size_t)cluster * b->in.kinds);
    for (size_t i = 0; i < units.n; i++) {
        b->value[i] = (b->value[i] + SKED_BALANCE_WHOLE - 1) /
                      SKED_BALANCE_WHOLE;
    }
    for (size_t at = 0; at < units.n; at += SKEDI_UNITS_BLOCK) {
        skedi_units block = skedi_units_at(&units, at);
        (void)!skedi_units_add(&sum, &block);
    }
    if (sum.peak == 0) return 0;
    spot.need = skedi_muldiv(sum.all - sum.vacant,
                             (uint64_t)b->in.percentile_ppm, (uint64_t)SKED_PPM,
                             &rem);
    spot.need += rem > 0;
    skedi_select(&units, &sum, &spot, 1, &b->memory);
    return (int64_t)spot.amount;
}

/* Adds a workflow to a curve (`sign` 1), or takes it off. */
static void add_curve(skedi_balance *b, uint32_t cluster, uint32_t workflow,
                      int64_t sign)
{
    int64_t *curve = b->curve + cluster * b->cells;
    const int64_t *usage = b->in.usage + workflow * b->cells;

    for (size_t i = 0; i < b->cells; i++) curve[i] += sign * usage[i];
}

sked_balance_objective skedi_balance_after(const skedi_balance *b,
                                           const uint32_t at[2],
                                           const int64_t score[2], int64_t cost)
{
    sked_balance_objective after = b->objective;

    after.sum += cost;
    for (int i = 0; i < 2; i++) {
        after.sum += score[i] - b->score[at[i]];
        after.excess += balance_excess(b, score[i]) -
                        balance_excess(b, b->score[at[i]]);
    }
    return after;
}

void skedi_balance_move(skedi_balance *b, uint32_t workflow, uint32_t to,
                        int64_t from_score, int64_t to_score)
{
    uint32_t from = b->where[workflow], home = b->in.home[workflow];
    const uint32_t at[2] = {from, to};
    const int64_t score[2] = {from_score, to_score};
    int64_t cost = balance_cost(b, workflow, to) -
                   balance_cost(b, workflow, from);

    b->objective = skedi_balance_after(b, at, score, cost);
    b->score[from] = from_score;
    b->score[to] = to_score;
    add_curve(b, from, workflow, -1);
    add_curve(b, to, workflow, 1);
    b->where[workflow] = to;
    b->moved += (from == home) - (uint32_t)(to == home);
}
