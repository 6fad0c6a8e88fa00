#include "ref_balance.h"

#include <string.h>

#include "ref_wide.h"

/* Usage of a cluster in one bucket and kind. */
static int64_t used(const sked_balance_input *in, const uint32_t *where,
                    uint32_t cluster, size_t cell)
{
    size_t cells = (size_t)in->buckets * in->kinds;
    int64_t sum = in->fixed ? in->fixed[cluster * cells + cell] : 0;

    for (uint32_t w = 0; w < in->workflows; w++) {
        if (where[w] == cluster) sum += in->usage[w * cells + cell];
    }
    return sum;
}

/* ceil(10^9 * used / of), the largest over kinds, at most 10^15. */
static int64_t part(const sked_balance_input *in, const uint32_t *where,
                    uint32_t cluster, size_t bucket, const int64_t *of)
{
    int64_t most = 0;

    for (uint32_t k = 0; k < in->kinds; k++) {
        int64_t u = used(in, where, cluster, bucket * in->kinds + k);
        int64_t all = of[cluster * in->kinds + k], x = SKED_BALANCE_MOST;
        if (u > 0 && all > 0) {
            ref_wide num = ref_wide_mul(ref_wide_of((uint64_t)u), 1000000000);
            ref_wide den = ref_wide_of((uint64_t)all);
            num = ref_wide_add(num, ref_wide_of((uint64_t)all - 1));
            ref_wide whole = ref_wide_div(num, den);
            if (ref_wide_cmp(whole, ref_wide_of((uint64_t)x)) < 0) {
                x = (int64_t)ref_wide_word(whole, 0);
            }
        }
        if (u > 0 && x > most) most = x;
    }
    return most;
}

static int64_t length_of(const sked_balance_input *in, uint32_t bucket)
{
    return in->length ? in->length[bucket] : 1;
}

/* The smallest value that occurs with enough of the time at or below it. */
static int64_t percentile(const sked_balance_input *in, const int64_t *value,
                          int in_use)
{
    int64_t best = INT64_MAX;

    for (uint32_t i = 0; i < in->buckets; i++) {
        int64_t total = 0, below = 0;
        for (uint32_t j = 0; j < in->buckets; j++) {
            if (in_use && value[j] == 0) continue;
            total += length_of(in, j);
            if (value[j] <= value[i]) below += length_of(in, j);
        }
        if (in_use && value[i] == 0) continue;
        if (below * SKED_PPM < total * in->percentile_ppm) continue;
        if (value[i] < best) best = value[i];
    }
    return best == INT64_MAX ? 0 : best;
}

int64_t ref_balance_score(const sked_balance_input *in, const uint32_t *where,
                          uint32_t cluster)
{
    int64_t value[64];

    for (uint32_t i = 0; i < in->buckets; i++) {
        value[i] = part(in, where, cluster, i, in->capacity);
    }
    return percentile(in, value, 0);
}

int64_t ref_balance_instances(const sked_balance_input *in,
                              const uint32_t *where, uint32_t cluster)
{
    int64_t value[64];

    for (uint32_t i = 0; i < in->buckets; i++) {
        int64_t x = part(in, where, cluster, i, in->instance);
        value[i] = x / SKED_BALANCE_WHOLE + (x % SKED_BALANCE_WHOLE > 0);
    }
    return percentile(in, value, 1);
}

sked_balance_objective ref_balance_objective(const sked_balance_input *in,
                                             const uint32_t *where)
{
    sked_balance_objective all = {0, 0};

    for (uint32_t c = 0; c < in->clusters; c++) {
        int64_t score = ref_balance_score(in, where, c);
        all.sum += score;
        if (score > in->ceiling_ppm * 1000) {
            all.excess += score - in->ceiling_ppm * 1000;
        }
    }
    for (uint32_t w = 0; in->cost && w < in->workflows; w++) {
        all.sum += in->cost[w * in->clusters + where[w]];
    }
    return all;
}

/* The next placement, counting up; 0: that was the last. */
static int next_placement(const sked_balance_input *in, uint32_t *where)
{
    for (uint32_t w = 0; w < in->workflows; w++) {
        if (++where[w] < in->clusters) return 1;
        where[w] = 0;
    }
    return 0;
}

static int may_be(const sked_balance_input *in, const uint32_t *where)
{
    uint32_t moved = 0;

    for (uint32_t w = 0; w < in->workflows; w++) {
        if (where[w] == in->home[w]) continue;
        moved++;
        if (in->allowed && !in->allowed[w * in->clusters + where[w]]) return 0;
    }
    return !in->max_moves || moved <= in->max_moves;
}

sked_balance_objective ref_balance_best(const sked_balance_input *in,
                                        sked_balance_objective *least)
{
    uint32_t where[REF_BALANCE_WORKFLOWS] = {0};
    sked_balance_objective best = {INT64_MAX, INT64_MAX};

    *least = best;
    do {
        if (!may_be(in, where)) continue;
        sked_balance_objective mine = ref_balance_objective(in, where);
        if (mine.excess < least->excess) least->excess = mine.excess;
        if (mine.sum < least->sum) least->sum = mine.sum;
        if (mine.excess < best.excess ||
            (mine.excess == best.excess && mine.sum < best.sum)) {
            best = mine;
        }
    } while (next_placement(in, where));
    return best;
}

/* ---- Splits ---- */

int64_t ref_split_sum(const sked_balance_input *in, const uint32_t *where)
{
    int64_t all = 0, window = 0;

    for (uint32_t i = 0; i < in->buckets; i++) window += length_of(in, i);
    for (uint32_t c = 0; c < in->clusters; c++) {
        ref_wide sum = ref_wide_of(0);
        uint64_t weight = 0;
        for (uint32_t k = 0; k < in->kinds; k++) {
            uint64_t has = (uint64_t)in->instance[c * in->kinds + k];
            uint64_t of = (uint64_t)in->capacity[c * in->kinds + k];
            weight += of ? (has * 1000000000 + of - 1) / of : 0;
        }
        for (uint32_t i = 0; i < in->buckets; i++) {
            int64_t x = part(in, where, c, i, in->instance);
            ref_wide wide = ref_wide_mul(ref_wide_of((uint64_t)x),
                                         (uint64_t)length_of(in, i));
            sum = ref_wide_add(sum, wide);
        }
        sum = ref_wide_div(sum, ref_wide_of((uint64_t)window));
        sum = ref_wide_div(ref_wide_mul(sum, weight), ref_wide_of(1000000000));
        all += (int64_t)ref_wide_word(sum, 0);
    }
    for (uint32_t w = 0; in->cost && w < in->workflows; w++) {
        all += in->cost[w * in->clusters + where[w]];
    }
    return all;
}

int64_t ref_split_least(const sked_balance_input *in)
{
    uint32_t where[REF_BALANCE_WORKFLOWS] = {0};
    int64_t least = INT64_MAX;

    do {
        if (!may_be(in, where)) continue;
        int64_t mine = ref_split_sum(in, where);
        if (mine < least) least = mine;
    } while (next_placement(in, where));
    return least;
}

/* ---- Evacuations ---- */

static uint32_t zone_of(const sked_balance_input *in, uint32_t cluster)
{
    return in->zone ? in->zone[cluster] : 0;
}

/* Like the digits of a number, with one more value for nowhere. */
static int next_shelter(const sked_balance_input *in, uint32_t zone,
                        uint32_t *where)
{
    for (uint32_t w = 0; w < in->workflows; w++) {
        if (zone_of(in, in->home[w]) != zone) continue;
        if (where[w] == SKED_BALANCE_NOWHERE) {
            where[w] = 0;
            return 1;
        }
        if (++where[w] < in->clusters) return 1;
        where[w] = SKED_BALANCE_NOWHERE;
    }
    return 0;
}

static int is_sheltered(const sked_balance_input *in, uint32_t zone,
                        const uint32_t *where)
{
    for (uint32_t w = 0; w < in->workflows; w++) {
        uint32_t c = where[w];
        if (zone_of(in, in->home[w]) != zone || c == SKED_BALANCE_NOWHERE)
            continue;
        if (zone_of(in, c) == zone) return 0;
        if (in->allowed && !in->allowed[w * in->clusters + c]) return 0;
        if (ref_balance_score(in, where, c) > in->ceiling_ppm * 1000) return 0;
    }
    return 1;
}

void ref_evacuate(const sked_balance_input *in, uint32_t zone,
                  uint32_t placed[SKED_MAX_TIERS])
{
    uint32_t where[REF_BALANCE_WORKFLOWS];

    memset(placed, 0, SKED_MAX_TIERS * sizeof *placed);
    for (uint32_t w = 0; w < in->workflows; w++) {
        int lost = zone_of(in, in->home[w]) == zone;
        where[w] = lost ? SKED_BALANCE_NOWHERE : in->home[w];
    }
    do {
        uint32_t mine[SKED_MAX_TIERS] = {0};
        if (!is_sheltered(in, zone, where)) continue;
        for (uint32_t w = 0; w < in->workflows; w++) {
            int lost = zone_of(in, in->home[w]) == zone;
            if (!lost || where[w] == SKED_BALANCE_NOWHERE) continue;
            mine[in->tier ? in->tier[w] - 1 : 0]++;
        }
        for (uint32_t t = 0; t < SKED_MAX_TIERS; t++) {
            if (mine[t] == placed[t]) continue;
            if (mine[t] > placed[t]) memcpy(placed, mine, sizeof mine);
            break;
        }
    } while (next_shelter(in, zone, where));
}
