/* What a world has, so that a test can count that everything meets
 * everything. */
#include "world.h"

enum {
    DEPTH = 0,    /* 4: depth of the tree */
    KINDS = 4,    /* 4: how many */
    BACKLOG = 8,  /* 5 */
    ORDER = 13,   /* 8 */
    MODE = 21,    /* 3 */
    DIALECT = 24, /* 3 */
    PLENTY = 27,
    OVERCOMMITTED,
    PERCENT,
    ABSOLUTE,
    LIMITED,
    BORROWS,
    LENDS,
    WEIGHTLESS,
    AM_SHARE,
    USER_LIMIT,
    MAX_RUNNING,
    SPARED,
    DRAINS,
    PRIORITIES,
    USERS,
    GANG,
    FIXED,
    KEEPS,
    ANYWHERE,
    PARTITIONS,
    PLACES,
    NODE_GOES,
    EDITED,
    RECOMMITTED,
    BY_USER,
    BY_PRIORITY,
    PLAIN,
    BUDGET,
    FACTOR,
    IGNORED,
    GRACE,
    LAZY,
    OBSERVES,
    SLOW,
    NO_PREEMPTION
};

static const char *const name[WORLD_FEATURES] = {"depth 1",
                                                 "depth 2",
                                                 "depth 3",
                                                 "depth 4",
                                                 "1 kind",
                                                 "2 kinds",
                                                 "3 kinds",
                                                 "4 kinds",
                                                 "backlog 0.1",
                                                 "backlog 1",
                                                 "backlog 3",
                                                 "backlog 10",
                                                 "backlog 1000",
                                                 "drf",
                                                 "fair",
                                                 "utilisation",
                                                 "priority",
                                                 "fifo",
                                                 "random",
                                                 "deficit",
                                                 "share",
                                                 "stays",
                                                 "ends",
                                                 "changes",
                                                 "imbalance",
                                                 "starvation",
                                                 "entitlement",
                                                 "plenty",
                                                 "over-committed",
                                                 "guarantee %",
                                                 "guarantee",
                                                 "limit",
                                                 "borrow",
                                                 "lend",
                                                 "weight 0",
                                                 "am_share",
                                                 "user_limit",
                                                 "max_running",
                                                 "preempt_from",
                                                 "draining",
                                                 "priorities",
                                                 "users",
                                                 "gang",
                                                 "fixed",
                                                 "keeps",
                                                 "any partition",
                                                 "partitions",
                                                 "places",
                                                 "node goes",
                                                 "edited",
                                                 "committed again",
                                                 "by user",
                                                 "by priority",
                                                 "plain",
                                                 "budget",
                                                 "factor",
                                                 "ignored",
                                                 "grace",
                                                 "lazy",
                                                 "observes",
                                                 "slow",
                                                 "no preemption"};

const char *world_feature_name(uint32_t feature)
{
    return name[feature] ? name[feature] : "";
}

static uint64_t bit(int feature)
{
    return UINT64_C(1) << feature;
}

static int depth_of(const world *w)
{
    int deepest = 0;

    for (uint32_t row = 0; row < w->rows; row++) {
        int depth = 0;
        for (int32_t q = (int32_t)row; q > 0; q = w->queue[q].parent) depth++;
        if (depth > deepest) deepest = depth;
    }
    return deepest;
}

static uint64_t of_queue(const world *w, uint32_t row)
{
    const world_queue *q = &w->queue[row];
    uint64_t is = 0;

    if (q->number[SKED_QUEUE_GUARANTEE_PPM] != SKED_UNSET) is |= bit(PERCENT);
    if (q->has[0]) is |= bit(ABSOLUTE);
    if (q->has[1] || q->number[SKED_QUEUE_LIMIT_PPM] != SKED_UNSET) {
        is |= bit(LIMITED);
    }
    if (q->has[2]) is |= bit(BORROWS);
    if (q->has[3]) is |= bit(LENDS);
    if (q->number[SKED_QUEUE_WEIGHT] == 0) is |= bit(WEIGHTLESS);
    if (q->number[SKED_QUEUE_AM_SHARE] != SKED_UNSET) is |= bit(AM_SHARE);
    if (q->number[SKED_QUEUE_USER_LIMIT] != SKED_UNSET) is |= bit(USER_LIMIT);
    if (q->number[SKED_QUEUE_MAX_RUNNING] != SKED_UNSET) {
        is |= bit(MAX_RUNNING);
    }
    if (q->number[SKED_QUEUE_PREEMPT_FROM] == 0) is |= bit(SPARED);
    if (q->number[SKED_QUEUE_STATE] == SKED_STATE_DRAINING) is |= bit(DRAINS);
    if (!world_is_leaf(w, row)) {
        is |= bit(ORDER + (int)q->number[SKED_QUEUE_ORDER]);
    }
    return is;
}

static int overcommitted(const world *w)
{
    for (uint32_t row = 0; row < w->rows; row++) {
        int64_t ppm = 0;
        for (uint32_t c = row + 1; c < w->rows; c++) {
            int64_t own = w->queue[c].number[SKED_QUEUE_GUARANTEE_PPM];
            if (w->queue[c].parent == (int32_t)row && own > 0) ppm += own;
        }
        if (ppm > SKED_PPM) return 1;
    }
    return 0;
}

static uint64_t of_work(const world *w)
{
    uint64_t is = 0;

    for (uint32_t a = 0; a < w->asks; a++) {
        const world_ask *x = &w->ask[a];
        const world_job *job = &w->job[x->job];
        if (x->count == 0) continue;
        if (x->flags & SKED_ASK_GANG) is |= bit(GANG);
        if (x->partition == SKED_ANY_PARTITION) is |= bit(ANYWHERE);
        if (x->places) is |= bit(PLACES);
        if (job->flags & SKED_JOB_FIXED) is |= bit(FIXED);
        if (job->flags & SKED_JOB_KEEPS) is |= bit(KEEPS);
        if (job->priority) is |= bit(PRIORITIES);
        if (job->user != w->job[0].user) is |= bit(USERS);
    }
    for (uint32_t n = 0; n < w->nodes; n++) {
        if (w->node[n].then != NODE_STAYS) is |= bit(NODE_GOES);
    }
    return is;
}

static uint64_t of_preemption(const world *w)
{
    uint64_t is = bit(DIALECT + w->targets.mode);

    if (!w->preempts) return bit(NO_PREEMPTION);
    if (w->flags & SKED_PREEMPT_FLAG_BY_USER) is |= bit(BY_USER);
    if (w->flags & SKED_PREEMPT_FLAG_BY_PRIORITY) is |= bit(BY_PRIORITY);
    if (w->flags & SKED_PREEMPT_FLAG_PLAIN) is |= bit(PLAIN);
    if (w->targets.per_round_ppm != -1) is |= bit(BUDGET);
    if (w->targets.factor_ppm != SKED_PPM) is |= bit(FACTOR);
    if (w->targets.ignored_ppm != -1) is |= bit(IGNORED);
    if (w->rounds.grace_ns > 0) is |= bit(GRACE);
    if (w->rounds.flags & SKED_ROUND_FLAG_LAZY) is |= bit(LAZY);
    if (w->rounds.flags & SKED_ROUND_FLAG_OBSERVE) is |= bit(OBSERVES);
    return is;
}

uint64_t world_features(const world *w)
{
    uint64_t is = of_work(w) | of_preemption(w);

    for (uint32_t row = 0; row < w->rows; row++) is |= of_queue(w, row);
    is |= bit(DEPTH + depth_of(w) - 1) | bit(KINDS + (int)w->kinds - 1);
    is |= bit(BACKLOG + (int)w->backlog) | bit(MODE + w->mode);
    if (w->plenty >= 0) is |= bit(PLENTY);
    if (overcommitted(w)) is |= bit(OVERCOMMITTED);
    if (w->parts > 1) is |= bit(PARTITIONS);
    if (w->edits > 0) is |= bit(EDITED);
    if (w->recommit) is |= bit(RECOMMITTED);
    if (w->slow) is |= bit(SLOW);
    return is;
}

static int within(uint32_t a, uint32_t b, uint32_t first, uint32_t n)
{
    return a >= first && a < first + n && b >= first && b < first + n;
}

static int needs_preemption(uint32_t a)
{
    return (a >= DIALECT && a < DIALECT + 3) || (a >= BY_USER && a <= OBSERVES);
}

int world_may_have_both(uint32_t a, uint32_t b)
{
    if (within(a, b, DEPTH, 4) || within(a, b, KINDS, 4)) return 0;
    if (within(a, b, BACKLOG, 5) || within(a, b, MODE, 3)) return 0;
    if (within(a, b, DIALECT, 3)) return 0;
    if (a == NO_PREEMPTION && needs_preemption(b)) return 0;
    if (b == NO_PREEMPTION && needs_preemption(a)) return 0;
    if ((a == KINDS && b == PLENTY) || (b == KINDS && a == PLENTY)) return 0;
    return 1;
}
