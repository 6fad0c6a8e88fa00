#include "ref_rank.h"

static int sign_of(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* What has not begun goes first, then the latest. */
static int compare_times(sked_time a, sked_time b)
{
    if (a == SKED_UNSET || b == SKED_UNSET) {
        return (a != SKED_UNSET) - (b != SKED_UNSET);
    }
    return sign_of(b, a);
}

/* From when on work would be lost. */
static sked_time safe_until(const sked_rank_input *in, uint32_t i)
{
    sked_time start = in->started ? in->started[i] : SKED_UNSET;
    sked_time saved = in->checkpoint ? in->checkpoint[i] : SKED_UNSET;

    if (start == SKED_UNSET) return saved;
    if (saved == SKED_UNSET) return start;
    return start > saved ? start : saved;
}

static int compare_key(const sked_rank_input *in, int32_t key, uint32_t a,
                       uint32_t b)
{
    switch (key) {
    case SKED_RANK_KEY_STATE:
        return in->state ? sign_of(in->state[a], in->state[b]) : 0;
    case SKED_RANK_KEY_PREEMPTIBLE:
        if (!in->preemptible) return 0;
        return sign_of(!in->preemptible[a], !in->preemptible[b]);
    case SKED_RANK_KEY_PRIORITY:
        return in->priority ? sign_of(in->priority[a], in->priority[b]) : 0;
    case SKED_RANK_KEY_RUN_TIME:
        if (!in->started) return 0;
        return compare_times(in->started[a], in->started[b]);
    case SKED_RANK_KEY_LOST_WORK:
        return compare_times(safe_until(in, a), safe_until(in, b));
    case SKED_RANK_KEY_RESTART_COST:
        if (!in->restart_cost) return 0;
        return sign_of(in->restart_cost[a], in->restart_cost[b]);
    case SKED_RANK_KEY_RESTARTS:
        return in->restarts ? sign_of(in->restarts[a], in->restarts[b]) : 0;
    case SKED_RANK_KEY_MASTER:
        return in->master ? sign_of(!!in->master[a], !!in->master[b]) : 0;
    case SKED_RANK_KEY_NEWEST:
        return in->submitted ? sign_of(in->submitted[b], in->submitted[a]) : 0;
    default: return in->host ? sign_of(in->host[a], in->host[b]) : 0;
    }
}

int ref_rank_compare(const sked_rank_input *in, uint32_t a, uint32_t b)
{
    static const int32_t own[] = {
        SKED_RANK_KEY_STATE,     SKED_RANK_KEY_PREEMPTIBLE,
        SKED_RANK_KEY_PRIORITY,  SKED_RANK_KEY_MASTER,
        SKED_RANK_KEY_LOST_WORK, SKED_RANK_KEY_RESTART_COST,
        SKED_RANK_KEY_RUN_TIME,  SKED_RANK_KEY_NEWEST,
    };
    const int32_t *keys = in->n_keys ? in->keys : own;
    uint32_t n = in->n_keys ? (uint32_t)in->n_keys : 8;

    for (uint32_t i = 0; i < n; i++) {
        int said = compare_key(in, keys[i], a, b);
        if (said) return said;
    }
    return 0;
}

void ref_rank_order(const sked_rank_input *in, uint32_t *positions)
{
    for (uint32_t i = 0; i < in->n; i++) {
        uint32_t at = i;
        while (at > 0 && ref_rank_compare(in, positions[at - 1], i) > 0) {
            positions[at] = positions[at - 1];
            at--;
        }
        positions[at] = i;
    }
}
