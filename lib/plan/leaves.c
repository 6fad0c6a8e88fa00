/*
 * Finds the queues of jobs. A hash map of (parent, name) finds every level of a
 * job's path below the level before. A job therefore costs its levels, however
 * many queues exist.
 */
#include "plan/leaves.h"

#include <sched/history.h>
#include <sched/plan.h>

#include <string.h>

#include "base/arith.h"
#include "base/fail.h"
#include "base/hooks.h"
#include "base/versioned.h"

/*
 * The number of applications that run at once is a history: each application
 * holds 1 from start to end. The number for a queue is a percentile of the
 * history.
 */

SKEDI_NO_TAIL_PADDING(sked_plan_running_input, head_room_ppm);

enum {
    RUNNING_INPUT_V1 = SKEDI_SIZE_THROUGH(sked_plan_running_input,
                                          head_room_ppm)
};

static const int64_t head_room_most = 1000000000;

/* The temporary data of a call. */
typedef struct running_call {
    sked_plan_running_input in;
    skedi_hooks hooks;
    sked_host host; /* for the history: without user_free */
    sked_history *history;
    uint32_t *queue; /* by application; `queues`: does not count */
    int64_t *one;    /* the amount 1 for each application */
    sked_pctl_point *point;
} running_call;

static sked_status running_range(sked_error *err, const char *message,
                                 int64_t got, int64_t limit)
{
    return skedi_fail(err, SKED_ERR_RANGE, message,
                      (skedi_fault){.got = got, .limit = limit});
}

static sked_status running_check(sked_plan_running_input *in, sked_error *err)
{
    if (in->flags) {
        return skedi_fail_flags(err, "input");
    }
    if (in->n > INT32_MAX || in->queues >= SKED_MAX_QUEUES) {
        return running_range(err, "too many applications or queues",
                             (int64_t)in->n, INT32_MAX);
    }
    const char *missing = in->n > 0 && !in->start ? "input.start"
                          : in->n > 0 && !in->end ? "input.end"
                                                  : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (in->part_ppm < 0 || in->part_ppm > SKED_PPM) {
        return running_range(err, "no such part of the time", in->part_ppm,
                             SKED_PPM);
    }
    if (in->head_room_ppm < 0 || in->head_room_ppm > head_room_most) {
        return running_range(err, "no such head room", in->head_room_ppm,
                             head_room_most);
    }
    if (in->part_ppm == 0) in->part_ppm = SKED_PPM;
    if (in->head_room_ppm == 0) in->head_room_ppm = 1250000;
    return SKED_OK;
}

static sked_status running_take(running_call *call,
                                const sked_plan_running_input *in,
                                const sked_host *host, sked_error *err)
{
    sked_status rc = skedi_struct_in(&call->in, sizeof call->in, in,
                                     RUNNING_INPUT_V1);

    if (rc != SKED_OK) {
        return skedi_fail_version(err, "input");
    }
    rc = running_check(&call->in, err);
    if (rc == SKED_OK) rc = skedi_hooks_in(&call->hooks, host, err);
    call->host = call->hooks.host;
    call->host.user_free = NULL;
    return rc;
}

static sked_status running_reserve(running_call *call, sked_error *err)
{
    skedi_mem *mem = &call->hooks.mem;

    call->queue = skedi_new(mem, (size_t)call->in.n, sizeof *call->queue);
    call->one = skedi_new(mem, (size_t)call->in.n, sizeof *call->one);
    call->point = skedi_new(mem, (size_t)call->in.queues, sizeof *call->point);
    if (call->queue && call->one && call->point) return SKED_OK;
    return skedi_fail_memory(err);
}

static sked_status running_fill(running_call *call, sked_error *err)
{
    const sked_plan_running_input *in = &call->in;

    for (uint32_t i = 0; i < in->n; i++) {
        uint32_t queue = in->queue ? in->queue[i] : 0;
        if (queue >= in->queues && queue != SKED_PLAN_NO_LEAF) {
            return skedi_fail(err, SKED_ERR_NOT_FOUND, "no such queue",
                              (skedi_fault){.row = (int64_t)i + 1,
                                            .got = queue,
                                            .limit = (int64_t)in->queues});
        }
        call->queue[i] = queue == SKED_PLAN_NO_LEAF ? (uint32_t)in->queues
                                                    : queue;
        call->one[i] = 1;
    }
    return SKED_OK;
}

static sked_status running_settle(running_call *call, sked_error *err)
{
    const sked_plan_running_input *in = &call->in;
    int window = in->from != 0 || in->to != 0;
    const sked_history_options opts = {
        .struct_size = sizeof opts,
        .flags = window ? SKED_HISTORY_FLAG_WINDOW : 0,
        .queues = (uint32_t)in->queues + 1,
        .from = in->from,
        .to = in->to,
    };
    const sked_history_input rows = {
        .struct_size = sizeof rows,
        .flags = SKED_HISTORY_INPUT_FLAG_ANY_ORDER,
        .form = SKED_HISTORY_FORM_INTERVALS,
        .n = in->n,
        .queue = call->queue,
        .start = in->start,
        .end = in->end,
        .amount = call->one,
    };
    sked_status rc = sked_history_new(NULL, &opts, &call->host, &call->history,
                                      err);

    if (rc == SKED_OK) rc = sked_history_add(call->history, &rows, NULL, err);
    if (rc != SKED_OK) return rc;
    return sked_history_settle(call->history, SKED_HISTORY_END, err);
}

/* ceil(amount * head room), from 1 to what a queue may be told. */
static int64_t with_head_room(int64_t amount, int64_t head_room)
{
    uint64_t rem;
    uint64_t n = skedi_muldiv((uint64_t)amount, (uint64_t)head_room,
                              (uint64_t)SKED_PPM, &rem);

    n += rem > 0;
    if (n < 1) return 1;
    return n < INT32_MAX ? (int64_t)n : INT32_MAX;
}

static sked_status running_find(running_call *call, int64_t *max_running,
                                sked_error *err)
{
    const sked_plan_running_input *in = &call->in;
    const sked_ratio part = {in->part_ppm, SKED_PPM};
    sked_status rc = running_reserve(call, err);

    if (rc == SKED_OK) rc = running_fill(call, err);
    if (rc == SKED_OK) rc = running_settle(call, err);
    if (rc == SKED_OK && in->queues > 0) {
        rc = sked_history_pctl(call->history, NULL, (size_t)in->queues, &part,
                               1, call->point, NULL, err);
    }
    for (uint32_t q = 0; rc == SKED_OK && q < in->queues; q++) {
        max_running[q] = with_head_room(call->point[q].amount,
                                        in->head_room_ppm);
    }
    return rc;
}

static void running_release(running_call *call)
{
    skedi_mem *mem = &call->hooks.mem;

    sked_history_free(call->history);
    skedi_free(mem, call->queue, (size_t)call->in.n, sizeof *call->queue);
    skedi_free(mem, call->one, (size_t)call->in.n, sizeof *call->one);
    skedi_free(mem, call->point, (size_t)call->in.queues, sizeof *call->point);
}

sked_status sked_plan_running(const sked_plan_running_input *input,
                              const sked_host *host, int64_t *max_running,
                              sked_error *err)
{
    running_call call = {.history = NULL};

    const char *missing = !input         ? "input"
                          : !max_running ? "max_running"
                                         : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = running_take(&call, input, host, err);
    if (rc != SKED_OK) return rc;
    rc = running_find(&call, max_running, err);
    running_release(&call);
    return rc;
}

SKEDI_NO_TAIL_PADDING(sked_plan_jobs, to);
SKEDI_NO_TAIL_PADDING(sked_plan_tier, preempt_fair_threshold_ppm);

enum {
    PLAN_JOBS_V1 = SKEDI_SIZE_THROUGH(sked_plan_jobs, to),
    JOBS_STEP = 16384 /* jobs between two looks at the host */
};

static const char tier_names[SKED_MAX_TIERS][8] = {
    "tier1",  "tier2",  "tier3",  "tier4",  "tier5",  "tier6",
    "tier7",  "tier8",  "tier9",  "tier10", "tier11", "tier12",
    "tier13", "tier14", "tier15", "default"};

static const int64_t plan_minute = INT64_C(60000000000);

sked_status sked_plan_tiers(size_t tiers, sked_plan_tier *settings,
                            sked_error *err)
{
    if (!settings) return skedi_fail_null(err, "settings");
    if (tiers < 1 || tiers > SKED_MAX_TIERS)
        return skedi_fail_plain(err, SKED_ERR_RANGE, "no such number of tiers");
    for (uint32_t t = 0; t < tiers; t++) {
        int64_t further = t > 2 ? t - 2 : 0;
        settings[t] = (sked_plan_tier){
            .name = tier_names[t + 1 < tiers ? t : SKED_MAX_TIERS - 1],
            .preempt_from = t > 0,
            .preempt_fair_timeout_ns = (t == 0   ? 1
                                        : t == 1 ? 5
                                                 : 15) *
                                       plan_minute,
            .preempt_fair_threshold_ppm = t == 0   ? 300000
                                          : t == 1 ? 500000
                                                   : 800000,
        };
        settings[t].preempt_fair_timeout_ns += further * 15 * plan_minute;
        settings[t].preempt_fair_threshold_ppm += further * 10000;
    }
    return SKED_OK;
}

/* ---- Checks of the input ---- */

static sked_status job_fault(sked_error *err, const char *message, uint32_t job,
                             int64_t got, int64_t limit)
{
    return skedi_fail(
        err, SKED_ERR_RANGE, message,
        (skedi_fault){.row = (int64_t)job + 1, .got = got, .limit = limit});
}

static sked_status take_sizes(sked_plan_jobs *in, sked_error *err)
{
    if (in->n > INT32_MAX || in->fields > SKEDI_PLAN_LEVELS ||
        in->levels > SKEDI_PLAN_LEVELS || in->tiers > SKED_MAX_TIERS) {
        return skedi_fail_plain(err, SKED_ERR_RANGE,
                                "too many jobs, fields, levels or tiers");
    }
    if (in->from > in->to) {
        return skedi_fail(err, SKED_ERR_RANGE, "window ends before it begins",
                          (skedi_fault){.got = in->from, .limit = in->to});
    }
    if (in->tiers == 0) in->tiers = 3;
    const char *missing = in->fields > 0 && !in->text     ? "input.text"
                          : in->fields > 0 && !in->offset ? "input.offset"
                                                          : NULL;
    if (missing) return skedi_fail_null(err, missing);
    int window = in->from != 0 || in->to != 0;
    if (window && in->n > 0 && (!in->start || !in->end)) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "a window without times");
    }
    return SKED_OK;
}

static sked_status leaf_levels_take(skedi_plan_leaves *s, sked_error *err)
{
    sked_plan_jobs *in = &s->jobs;

    if (in->levels == 0) {
        in->levels = in->fields + 1;
        in->level = NULL;
    } else if (!in->level) {
        return skedi_fail_null(err, "input.level");
    }
    if (in->levels > SKEDI_PLAN_LEVELS) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "too many levels");
    }
    for (uint32_t i = 0; i < in->levels; i++) {
        int32_t tier = i < in->fields ? (int32_t)i : SKED_PLAN_LEVEL_TIER;
        s->level[i] = in->level ? in->level[i] : tier;
        if (s->level[i] < SKED_PLAN_LEVEL_TIER ||
            s->level[i] >= (int32_t)in->fields) {
            return skedi_fail(err, SKED_ERR_RANGE, "level of no such field",
                              (skedi_fault){.got = s->level[i],
                                            .limit = (int64_t)in->fields});
        }
    }
    return SKED_OK;
}

static sked_status take_tiers(skedi_plan_leaves *s, sked_error *err)
{
    uint32_t tiers = (uint32_t)s->jobs.tiers;

    if (s->jobs.setting) {
        memcpy(s->setting, s->jobs.setting, tiers * sizeof *s->setting);
    } else {
        (void)!sked_plan_tiers(tiers, s->setting, err); /* their number is
                                                           sound */
    }
    for (uint32_t t = 0; t < tiers; t++) {
        if (s->setting[t].name && *s->setting[t].name) continue;
        return skedi_fail(err, SKED_ERR_ARG, "tier has no name",
                          (skedi_fault){.row = (int64_t)t + 1});
    }
    return SKED_OK;
}

static sked_status leaves_take(skedi_plan_leaves *s, const sked_plan_jobs *jobs,
                               const sked_host *host, sked_error *err)
{
    if (!jobs) return skedi_fail_null(err, "jobs");
    sked_status rc = skedi_struct_in(&s->jobs, sizeof s->jobs, jobs,
                                     PLAN_JOBS_V1);
    if (rc != SKED_OK) {
        return skedi_fail_version(err, "jobs");
    }
    if (s->jobs.flags) {
        return skedi_fail_flags(err, "jobs");
    }
    rc = skedi_hooks_in(&s->hooks, host, err);
    if (rc == SKED_OK) rc = take_sizes(&s->jobs, err);
    if (rc == SKED_OK) rc = leaf_levels_take(s, err);
    if (rc == SKED_OK) rc = take_tiers(s, err);
    s->everything = s->jobs.from == 0 && s->jobs.to == 0;
    return rc;
}

/* ---- Names ---- */

static int is_node(const void *ctx, uint32_t value, const skedi_key *key)
{
    const skedi_plan_leaves *s = ctx;
    const skedi_plan_node *node = &s->node[value];

    return node->parent == key->scope && node->length == key->length &&
           memcmp(node->name, key->bytes, key->length) == 0;
}

/* A job's tier, from 1. */
static uint32_t tier_of_job(const skedi_plan_leaves *s, uint32_t job)
{
    return s->jobs.tier ? s->jobs.tier[job] : (uint32_t)s->jobs.tiers;
}

/* A job's name on a level, below the node `parent` - 1. */
static skedi_key key_of(const skedi_plan_leaves *s, uint32_t job,
                        uint32_t level, uint32_t parent)
{
    int32_t field = s->level[level];
    skedi_key key = {.scope = parent};

    if (field == SKED_PLAN_LEVEL_TIER) {
        key.bytes = s->setting[tier_of_job(s, job) - 1].name;
        key.length = strlen(key.bytes);
    } else {
        const int32_t *at = s->jobs.offset[field] + job;
        key.bytes = s->jobs.text[field] + at[0];
        key.length = (size_t)(at[1] - at[0]);
    }
    return key;
}

static sked_status check_text(const skedi_plan_leaves *s, uint32_t job,
                              uint32_t level, sked_error *err)
{
    int32_t field = s->level[level];

    if (field == SKED_PLAN_LEVEL_TIER) return SKED_OK;
    const int32_t *at = s->jobs.offset[field] + job;
    if (at[0] < 0 || at[1] <= at[0]) {
        return job_fault(err, "job has an empty text", job, at[1], at[0]);
    }
    if (memchr(s->jobs.text[field] + at[0], 0, (size_t)(at[1] - at[0]))) {
        return job_fault(err, "job has a text with a NUL", job, field, 0);
    }
    return SKED_OK;
}

static sked_status leaf_job_check(const skedi_plan_leaves *s, uint32_t job,
                                  sked_error *err)
{
    uint32_t tier = tier_of_job(s, job);
    sked_status rc = SKED_OK;

    if (tier < 1 || tier > s->jobs.tiers) {
        return job_fault(err, "job of no such tier", job, tier,
                         (int64_t)s->jobs.tiers);
    }
    if (!s->everything && s->jobs.end[job] < s->jobs.start[job]) {
        return job_fault(err, "job ends before it starts", job,
                         s->jobs.end[job], s->jobs.start[job]);
    }
    for (uint32_t i = 0; i < s->jobs.levels && rc == SKED_OK; i++) {
        rc = check_text(s, job, i, err);
    }
    return rc;
}

static int job_counts(const skedi_plan_leaves *s, uint32_t job)
{
    if (s->everything) return 1;
    sked_time start = s->jobs.start[job], end = s->jobs.end[job];
    return start < s->jobs.to &&
           (end > s->jobs.from || (end == start && start >= s->jobs.from));
}

/* ---- The structure ---- */

static sked_status leaf_node_add(skedi_plan_leaves *s, skedi_key key,
                                 uint32_t job, int leaf, sked_error *err)
{
    void *node = s->node;

    if (s->n == SKED_MAX_QUEUES) {
        return job_fault(err, "too many queues", job, s->n, SKED_MAX_QUEUES);
    }
    if (!skedi_ensure(&s->hooks.mem, &node, &s->cap, s->n + (size_t)1,
                      sizeof *s->node)) {
        return skedi_fail_memory(err);
    }
    s->node = node;
    if (!skedi_map_reserve(&s->map, s->n + (size_t)1, &s->hooks.mem)) {
        return skedi_fail_memory(err);
    }
    s->node[s->n] = (skedi_plan_node){
        .name = key.bytes,
        .length = (uint32_t)key.length,
        .parent = (uint32_t)key.scope,
        .leaf = leaf ? s->leaves++ : SKED_PLAN_NO_LEAF,
        .first = job,
        .tier = SKED_MAX_TIERS,
    };
    skedi_map_add(&s->map, key, s->n++);
    return SKED_OK;
}

static sked_status add_job(skedi_plan_leaves *s, uint32_t job, sked_error *err)
{
    uint32_t parent = 0;
    uint32_t tier = tier_of_job(s, job);

    for (uint32_t i = 0; i < s->jobs.levels; i++) {
        skedi_key key = key_of(s, job, i, parent);
        uint32_t at = skedi_map_find(&s->map, key);
        if (at == SKEDI_MAP_NONE) {
            at = s->n;
            sked_status rc = leaf_node_add(s, key, job, i + 1 == s->jobs.levels,
                                           err);
            if (rc != SKED_OK) return rc;
        }
        s->node[at].jobs++;
        if (tier < s->node[at].tier) s->node[at].tier = tier;
        parent = at + 1;
    }
    return SKED_OK;
}

sked_status skedi_plan_leaves_build(skedi_plan_leaves *s,
                                    const sked_plan_jobs *jobs,
                                    const sked_host *host, sked_error *err)
{
    sked_status rc = leaves_take(s, jobs, host, err);

    s->map.is = is_node;
    s->map.ctx = s;
    for (uint32_t i = 0; rc == SKED_OK && i < s->jobs.n; i++) {
        if (i % JOBS_STEP == 0) {
            rc = skedi_hooks_check(&s->hooks, i, s->jobs.n);
            if (rc != SKED_OK) return skedi_fail_stopped(err, rc);
        }
        rc = leaf_job_check(s, i, err);
        if (rc == SKED_OK && job_counts(s, i)) rc = add_job(s, i, err);
    }
    return rc;
}

void skedi_plan_leaves_release(skedi_plan_leaves *s)
{
    skedi_free(&s->hooks.mem, s->node, s->cap, sizeof *s->node);
    skedi_map_free(&s->map, &s->hooks.mem);
}

int64_t skedi_plan_leaf_of(const skedi_plan_leaves *s, uint32_t job)
{
    uint32_t parent = 0;

    if (!job_counts(s, job)) return SKEDI_NO_NODE;
    for (uint32_t i = 0; i < s->jobs.levels; i++) {
        parent = skedi_map_find(&s->map, key_of(s, job, i, parent)) + 1;
    }
    return (int64_t)parent - 1;
}

/* Writes the requested columns; the structure is complete. */
static void give_leaves(const skedi_plan_leaves *s, uint32_t *leaf,
                        uint32_t *first, uint8_t *tier)
{
    for (uint32_t i = 0; leaf && i < s->jobs.n; i++) {
        int64_t node = skedi_plan_leaf_of(s, i);
        leaf[i] = node < 0 ? SKED_PLAN_NO_LEAF : s->node[node].leaf;
    }
    for (uint32_t i = 0; i < s->n; i++) {
        if (s->node[i].leaf == SKED_PLAN_NO_LEAF) continue;
        if (first) first[s->node[i].leaf] = s->node[i].first;
        if (tier) tier[s->node[i].leaf] = (uint8_t)s->node[i].tier;
    }
}

sked_status sked_plan_leaves(const sked_plan_jobs *jobs, const sked_host *host,
                             uint32_t *leaf, uint32_t *first, uint8_t *tier,
                             size_t cap, size_t *n, sked_error *err)
{
    skedi_plan_leaves s = {0};

    if (!n) return skedi_fail_null(err, "n");
    sked_status rc = skedi_plan_leaves_build(&s, jobs, host, err);
    if (rc == SKED_OK) {
        *n = s.leaves;
        if ((first || tier) && cap < s.leaves) {
            rc = skedi_fail_cap(err, s.leaves, cap);
        } else {
            give_leaves(&s, leaf, first, tier);
        }
    }
    skedi_plan_leaves_release(&s);
    return rc;
}
