/* What a world has, so that a test can count that everything meets
 * everything. */
#include "world.h"

#include <string.h>

enum {
    DEPTH = 0,    /* 4: depth of the tree */
    KINDS = 4,    /* 4: how many */
    BACKLOG = 8,  /* 5 */
    ORDER = 13,   /* 7 */
    MODE = 20,    /* 3 */
    DIALECT = 23, /* 3 */
    PLENTY = 26,
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
    BUDGET,
    FACTOR,
    IGNORED,
    GRACE,
    OBSERVES,
    SLOW,
    NO_PREEMPTION,
    MASTERS,
    STRICT,
    BEATS,
    DELAYS,
    PER_PASS,
    PER_USER,
    CONFIRMS,
    RACKS,
    RULES,
    PREFERS,
    MOVES,
    SPREAD,
    SAID_ANEW,
    USER_FACTOR,
    WAITS,
    APART,
    BARS,
    POOLED,
    ADOPTED,
    RESIZED,
    CONFIRMED_SO,
    RELEASED,
    ENDS_THEN,
    COSTS,
    ONCE,
    READMITTED,
    REVOCABLE,
    YIELDS,
    LISTS,
    WEIGHED,
    FORMS,
    ALONE,
    ALL_ALONE,
    TREES,
    TREES_RUNNING,
    ELASTIC,
    TOGETHER,
    SAME,
    RATHER_SAME,
    WIDE,
    SMALL
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
                                                 "budget",
                                                 "factor",
                                                 "ignored",
                                                 "grace",
                                                 "observes",
                                                 "slow",
                                                 "no preemption",
                                                 "masters",
                                                 "strict",
                                                 "heartbeats",
                                                 "delays",
                                                 "per pass",
                                                 "per user",
                                                 "confirms",
                                                 "racks",
                                                 "rules",
                                                 "soft rules",
                                                 "node moves",
                                                 "gang over nodes",
                                                 "said anew",
                                                 "user factor",
                                                 "waits",
                                                 "counted",
                                                 "refused wide",
                                                 "pooled",
                                                 "adopted",
                                                 "resized",
                                                 "confirmed so",
                                                 "released",
                                                 "ends then",
                                                 "cost",
                                                 "once",
                                                 "readmitted",
                                                 "revocable",
                                                 "yields",
                                                 "policies",
                                                 "weighed",
                                                 "forms",
                                                 "exclusive",
                                                 "exclusive gang",
                                                 "tree of limits",
                                                 "max_running there",
                                                 "elastic",
                                                 "together",
                                                 "same",
                                                 "rather same",
                                                 "unlike width",
                                                 "small backlog"};

const char *world_feature_name(uint32_t feature)
{
    return name[feature] ? name[feature] : "";
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

static void of_queue(const world *w, uint32_t row, uint8_t *is)
{
    const world_queue *q = &w->queue[row];
    if (q->number[SKED_QUEUE_GUARANTEE_PPM] != SKED_UNSET) is[PERCENT] = 1;
    if (q->has[0]) is[ABSOLUTE] = 1;
    if (q->has[1] || q->number[SKED_QUEUE_LIMIT_PPM] != SKED_UNSET) {
        is[LIMITED] = 1;
    }
    if (q->has[2]) is[BORROWS] = 1;
    if (q->has[3]) is[LENDS] = 1;
    if (q->number[SKED_QUEUE_WEIGHT] == 0) is[WEIGHTLESS] = 1;
    if (q->number[SKED_QUEUE_AM_SHARE] != SKED_UNSET) is[AM_SHARE] = 1;
    if (q->number[SKED_QUEUE_USER_LIMIT] != SKED_UNSET) is[USER_LIMIT] = 1;
    if (q->number[SKED_QUEUE_USER_FACTOR] != SKED_UNSET) is[USER_FACTOR] = 1;
    if (q->number[SKED_QUEUE_MAX_RUNNING] != SKED_UNSET) {
        is[MAX_RUNNING] = 1;
    }
    if (q->number[SKED_QUEUE_PREEMPT_FROM] == 0) is[SPARED] = 1;
    if (q->number[SKED_QUEUE_STATE] == SKED_STATE_DRAINING) is[DRAINS] = 1;
    if (!world_is_leaf(w, row)) {
        is[ORDER + (int)q->number[SKED_QUEUE_ORDER]] = 1;
    }
}

/* What hosts say of tasks, and what becomes of those that are killed. */
static void of_told(const world *w, uint8_t *is)
{
    for (uint32_t i = 0; w->tells && i < w->asks; i++) {
        const world_ask *a = &w->ask[i];
        const world_job *job = &w->job[a->job];
        if (a->count == 0) continue;
        if (a->adopt_on) is[ADOPTED] = 1;
        if (a->resize == RESIZE_RUNNING) is[RESIZED] = 1;
        if (a->resize == RESIZE_CONFIRMED) is[CONFIRMED_SO] = 1;
        if (a->leaves) is[RELEASED] = 1;
        if (a->ends) is[ENDS_THEN] = 1;
        if (a->cost >= 0) is[COSTS] = 1;
        if (job->flags & SKED_JOB_ONCE) is[ONCE] = 1;
        if (job->flags & SKED_JOB_READMIT) is[READMITTED] = 1;
    }
    if (w->options.pooled) is[POOLED] = 1;
}

static int64_t weight_of(const world *w, uint32_t row)
{
    int64_t weight = w->queue[row].number[SKED_QUEUE_WEIGHT];

    return weight == SKED_UNSET ? 1 : weight;
}

/* A parent of three leaves or more beside a leaf of equal weight? */
static int is_wide(const world *w, uint32_t parent)
{
    int leaves = 0;

    for (uint32_t c = parent + 1; c < w->rows; c++) {
        leaves += w->queue[c].parent == (int32_t)parent && world_is_leaf(w, c);
    }
    for (uint32_t c = 1; leaves > 2 && parent > 0 && c < w->rows; c++) {
        if (w->queue[c].parent != w->queue[parent].parent) continue;
        if (!world_is_leaf(w, c)) continue;
        if (weight_of(w, c) == weight_of(w, parent)) return 1;
    }
    return 0;
}

/* A plain ask that wants less than half of what the cluster holds? */
static int is_small(const world *w, const world_ask *a)
{
    if (a->flags & (SKED_ASK_GANG | SKED_ASK_SPREAD | SKED_ASK_MASTER))
        return 0;
    return a->count > 0 && a->count * 2 < world_tasks_held(w, a);
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

static void of_work(const world *w, uint8_t *is)
{
    for (uint32_t a = 0; a < w->asks; a++) {
        const world_ask *x = &w->ask[a];
        const world_job *job = &w->job[x->job];
        if (x->count == 0) continue;
        if (world_is_gang(x)) is[GANG] = 1;
        if (x->flags & SKED_ASK_SPREAD) is[SPREAD] = 1;
        if (world_is_elastic(x)) is[ELASTIC] = 1;
        if (x->flags & SKED_ASK_TOGETHER) is[TOGETHER] = 1;
        if (x->same) is[world_is_bound(x) ? SAME : RATHER_SAME] = 1;
        if (world_is_alone(x)) {
            is[x->flags & SKED_ASK_SPREAD ? ALL_ALONE : ALONE] = 1;
        }
        if (x->racks) is[RACKS] = 1;
        if (x->zones) is[RULES] = 1;
        if (x->soft[0].zones || x->soft[1].zones) is[PREFERS] = 1;
        if (x->anew) is[SAID_ANEW] = 1;
        if (x->flags & SKED_ASK_WAIT) is[WAITS] = 1;
        if (x->apart) is[APART] = 1;
        if (x->flags & SKED_ASK_MASTER) is[MASTERS] = 1;
        if (x->flags & SKED_ASK_STRICT) is[STRICT] = 1;
        if (x->partition == SKED_ANY_PARTITION) is[ANYWHERE] = 1;
        if (x->places) is[PLACES] = 1;
        if (job->flags & SKED_JOB_FIXED) is[FIXED] = 1;
        if (job->flags & SKED_JOB_KEEPS) is[KEEPS] = 1;
        if (job->flags & SKED_JOB_REVOCABLE) is[REVOCABLE] = 1;
        if (job->flags & SKED_JOB_YIELDS) is[YIELDS] = 1;
        if (job->priority) is[PRIORITIES] = 1;
        if (job->user != w->job[0].user) is[USERS] = 1;
    }
    for (uint32_t n = 0; n < w->nodes; n++) {
        int32_t then = w->node[n].then;
        if (then == NODE_DRAINS || then == NODE_IS_LOST) is[NODE_GOES] = 1;
        if (then == NODE_MOVES) is[MOVES] = 1;
    }
}

static void of_targets(const sked_target_options *t, uint8_t *is)
{
    is[DIALECT + t->mode] = 1;
    if (t->per_round_ppm != -1) is[BUDGET] = 1;
    if (t->factor_ppm != SKED_PPM) is[FACTOR] = 1;
    if (t->ignored_ppm != -1) is[IGNORED] = 1;
}

static void of_preemption(const world *w, uint8_t *is)
{
    if (!w->preempts) {
        is[NO_PREEMPTION] = 1;
        return;
    }
    for (uint32_t i = 0; i < world_policies(w); i++) {
        of_targets(world_policy(w, i), is);
    }
    if (w->more_policies > 0) is[LISTS] = 1;
    if (w->flags & SKED_PREEMPT_FLAG_BY_USER) is[BY_USER] = 1;
    if (w->flags & SKED_PREEMPT_FLAG_BY_PRIORITY) is[BY_PRIORITY] = 1;
    if (w->rounds.grace_ns > 0) is[GRACE] = 1;
    if (w->rounds.flags & SKED_ROUND_FLAG_OBSERVE) is[OBSERVES] = 1;
}

static void of_options(const world *w, uint8_t *is)
{
    const sked_engine_options *o = &w->options;

    if (w->beats) is[BEATS] = 1;
    if (o->node_delay_ns || o->rack_delay_ns) is[DELAYS] = 1;
    if (o->max_per_pass) is[PER_PASS] = 1;
    if (o->max_user_running) is[PER_USER] = 1;
    if (o->confirm_within_ns) is[CONFIRMS] = 1;
}

/* Trees of limits in which a job is charged. */
static void of_trees(const world *w, uint8_t *is)
{
    for (uint32_t a = 0; a < w->asks; a++) {
        const world_job *job = &w->job[w->ask[a].job];
        for (uint32_t t = 0; t < w->trees && w->ask[a].count > 0; t++) {
            int32_t row = (int32_t)job->charged[t] - 1;
            for (; row >= 0; row = w->bound[t][row].parent) {
                const world_bound *b = &w->bound[t][row];
                if (b->limited) is[TREES] = 1;
                if (b->max_running != SKED_UNSET) is[TREES_RUNNING] = 1;
            }
        }
    }
}

void world_features(const world *w, uint8_t is[WORLD_FEATURES])
{
    memset(is, 0, WORLD_FEATURES);
    of_work(w, is);
    of_told(w, is);
    of_preemption(w, is);
    of_options(w, is);
    for (uint32_t row = 0; row < w->rows; row++) of_queue(w, row, is);
    is[DEPTH + depth_of(w) - 1] = is[KINDS + (int)w->kinds - 1] = 1;
    is[BACKLOG + (int)w->backlog] = is[MODE + w->mode] = 1;
    if (w->plenty >= 0) is[PLENTY] = 1;
    if (overcommitted(w)) is[OVERCOMMITTED] = 1;
    if (w->parts > 1) is[PARTITIONS] = 1;
    if (w->edits > 0) is[EDITED] = 1;
    if (w->says > 0) is[WEIGHED] = 1;
    if (w->options.form_nodes && is[SPREAD]) is[FORMS] = 1;
    of_trees(w, is);
    if (w->recommit) is[RECOMMITTED] = 1;
    if (w->slow) is[SLOW] = 1;
    if (w->bars) is[BARS] = 1;
    for (uint32_t row = 0; row < w->rows; row++) {
        if (is_wide(w, row)) is[WIDE] = 1;
    }
    for (uint32_t a = 0; a < w->asks; a++) {
        if (is_small(w, &w->ask[a])) is[SMALL] = 1;
    }
}

static int within(uint32_t a, uint32_t b, uint32_t first, uint32_t n)
{
    return a >= first && a < first + n && b >= first && b < first + n;
}

static int needs_preemption(uint32_t a)
{
    return (a >= DIALECT && a < DIALECT + 3) ||
           (a >= BY_USER && a <= OBSERVES) || a == LISTS;
}

int world_may_have_both(uint32_t a, uint32_t b)
{
    if (within(a, b, DEPTH, 4) || within(a, b, KINDS, 4)) return 0;
    if (within(a, b, BACKLOG, 5) || within(a, b, MODE, 3)) return 0;
    if (a == NO_PREEMPTION && needs_preemption(b)) return 0;
    if (b == NO_PREEMPTION && needs_preemption(a)) return 0;
    if (a == APART && needs_preemption(b)) return 0;
    if (b == APART && needs_preemption(a)) return 0;
    if (a == BARS || b == BARS) { /* of worlds that change alone */
        uint32_t other = a == BARS ? b : a;
        if (other >= MODE && other < MODE + 2) return 0;
    }
    if ((a == WIDE || a == SMALL) && b == DEPTH) return 0;
    if ((a == KINDS && b == POOLED) || (b == KINDS && a == POOLED)) return 0;
    if ((a == KINDS && b == PLENTY) || (b == KINDS && a == PLENTY)) return 0;
    return 1;
}
