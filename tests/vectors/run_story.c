/* Stories of preemption: events of an engine whose host does as it is told, and
 * what is looked at in between (yarn_lazy.py has the words). */
#include <sched/engine_preempt.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"

enum { RUN = 1, ASK, WANT, EDIT, BEAT, SEE, WIDTH = 8 };
enum { OFFERED = 1, TOLD, KILLED, LIVE, KEPT };
enum { MOST = 256, NOWHERE = 1000, OWN_ASKS = 10000 };

typedef struct story {
    vec_case *c;
    sked_schema *schema;
    sked_tree *tree;
    sked_engine *engine;
    sked_queue_id queue[MOST];
    sked_time now;
    size_t jobs;
    int known[MOST];       /* jobs */
    int64_t running[MOST]; /* by job */
    int64_t killed;
    sked_engine_notice notice[MOST]; /* of one job */
    uint64_t seen[MOST]; /* groups that were offered when last looked */
    size_t n_seen;
} story;

/* ---- The engine ---- */

static sked_status apply_event(story *s, sked_event event, int64_t amount,
                               uint64_t place)
{
    const int32_t offsets[] = {0, 1};
    sked_events batch = {.struct_size = sizeof batch,
                         .events = &event,
                         .n = 1,
                         .amounts = &amount,
                         .n_amounts = 1,
                         .place_offsets = offsets,
                         .places = &place,
                         .n_places = 1};
    sked_error err;

    event.time = s->now;
    sked_status rc = sked_engine_apply(s->engine, &batch, NULL, &err);
    if (rc != SKED_OK) (void)vec_fail(s->c, err.message);
    return rc;
}

static sked_status add_queues(story *s)
{
    size_t n, m;
    const int64_t *part = vec_numbers(s->c, "part", &n);
    const int64_t *limit = vec_numbers(s->c, "limit", &m);
    sked_status rc = SKED_OK;

    for (size_t i = 0; i < n && rc == SKED_OK; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "q%zu", i);
        rc = sked_tree_add(s->tree, sked_tree_root(s->tree), name, &s->queue[i],
                           NULL);
        if (rc == SKED_OK) {
            rc = sked_tree_set(s->tree, s->queue[i], SKED_QUEUE_GUARANTEE_PPM,
                               part[i], NULL);
        }
        if (rc == SKED_OK) {
            rc = sked_tree_set_vec(s->tree, s->queue[i], SKED_QUEUE_LIMIT,
                                   &limit[i], NULL);
        }
    }
    return rc;
}

/* Everything at once, who is due in the next round, nothing ignored. */
static sked_status turn_on(story *s)
{
    const sked_target_options targets = {.struct_size = sizeof targets,
                                         .ignored_ppm = -1,
                                         .factor_ppm = 1000000,
                                         .per_round_ppm = -1};
    const sked_round_options rounds = {.struct_size = sizeof rounds,
                                       .flags = SKED_ROUND_FLAG_LAZY,
                                       .grace_ns = 1};
    const sked_engine_preempt_options how = {.struct_size = sizeof how,
                                             .keep_for_ns = INT64_C(1) << 50,
                                             .targets = &targets,
                                             .rounds = &rounds};

    return sked_engine_preempt(s->engine, &how, NULL);
}

static sked_status begin_story(story *s)
{
    const char *const kinds[] = {"memory"};
    size_t n;
    const int64_t *nodes = vec_numbers(s->c, "nodes", &n);
    const sked_engine_options options = {
        .struct_size = sizeof options,
        .node_misses = (uint32_t)vec_number(s->c, "misses", 0)};

    sked_status rc = sked_schema_new(kinds, NULL, 1, NULL, &s->schema, NULL);
    if (rc == SKED_OK) {
        rc = sked_tree_new(s->schema, NULL, NULL, &s->tree, NULL);
    }
    if (rc == SKED_OK) rc = add_queues(s);
    if (rc == SKED_OK) {
        rc = sked_tree_commit(s->tree, SKED_TREE_COMMIT_LENIENT, NULL);
    }
    if (rc == SKED_OK) {
        rc = sked_engine_new(s->tree, &options, NULL, &s->engine, NULL);
    }
    if (rc == SKED_OK) rc = turn_on(s);
    for (size_t i = 0; i < n && rc == SKED_OK; i++) {
        rc = apply_event(
            s,
            (sked_event){.kind = SKED_EVENT_NODE_UP, .key = i + 1, .amount = 1},
            nodes[i], 0);
    }
    return rc;
}

static void end_story(story *s)
{
    sked_engine_free(s->engine);
    sked_tree_free(s->tree);
    sked_schema_free(s->schema);
}

/* ---- The host ---- */

/* What is to end ends, and is not wanted again. */
static sked_status end_task(story *s, const sked_decision *d)
{
    s->killed += d->count;
    s->running[d->job - 1] -= d->count;
    sked_status rc = apply_event(
        s, (sked_event){.kind = SKED_EVENT_ASK_WITHDRAW, .key = d->ask}, 0, 0);
    if (rc != SKED_OK) return rc;
    return apply_event(s,
                       (sked_event){.kind = SKED_EVENT_TASK_KILLED,
                                    .key = d->group,
                                    .count = d->count},
                       0, 0);
}

/* A heartbeat; again where something ended. */
static sked_status beat(story *s, uint64_t node)
{
    sked_status rc = SKED_OK;
    int ended = 1;

    while (ended && rc == SKED_OK) {
        sked_decision d;
        size_t n = 1;
        ended = 0;
        rc = apply_event(
            s, (sked_event){.kind = SKED_EVENT_HEARTBEAT, .key = node}, 0, 0);
        while (rc == SKED_OK && n > 0) {
            rc = sked_engine_take(s->engine, &d, 1, &n, NULL);
            if (rc != SKED_OK || n == 0) break;
            if (d.kind == SKED_DECISION_ALLOCATE) {
                s->running[d.job - 1] += d.count;
            }
            if (d.kind != SKED_DECISION_KILL) continue;
            rc = end_task(s, &d);
            ended = 1;
        }
    }
    return rc;
}

static sked_status know_job(story *s, const int64_t *row)
{
    if (s->known[row[1]]) return SKED_OK;
    s->known[row[1]] = 1;
    return apply_event(s,
                       (sked_event){.kind = SKED_EVENT_JOB_SUBMIT,
                                    .key = (uint64_t)row[1] + 1,
                                    .queue = s->queue[row[2]]},
                       0, 0);
}

/* An ask; at a node, or one that is not there, or (-1) anywhere. */
static sked_status add_ask(story *s, const int64_t *row, uint64_t key,
                           int64_t count, uint32_t flags)
{
    uint64_t place = row[3] < 0 ? NOWHERE : (uint64_t)row[3] + 1;
    sked_status rc = know_job(s, row);

    if (rc != SKED_OK) return rc;
    return apply_event(s,
                       (sked_event){.kind = SKED_EVENT_ASK_ADD,
                                    .key = key,
                                    .owner = (uint64_t)row[1] + 1,
                                    .count = count,
                                    .flags = flags,
                                    .amount = 1,
                                    .places = row[3] != -1},
                       row[4], place);
}

static sked_status run_task(story *s, const int64_t *row)
{
    uint32_t flags = SKED_ASK_STRICT | (row[6] ? SKED_ASK_MASTER : 0);
    int64_t before = s->running[row[1]];
    sked_status rc = add_ask(s, row, OWN_ASKS + (uint64_t)s->now, 1, flags);

    if (rc == SKED_OK) rc = beat(s, (uint64_t)row[3] + 1);
    return rc == SKED_OK && s->running[row[1]] != before + 1 ? SKED_ERR_STATE
                                                             : rc;
}

/* ---- What is looked at ---- */

/* Notices of all jobs: those offered, and the others; `groups` are those of
 * the former. */
static sked_status look(story *s, int64_t *offered, int64_t *told,
                        uint64_t *groups, size_t *n_groups)
{
    sked_status rc = SKED_OK;

    *offered = *told = 0;
    *n_groups = 0;
    for (size_t job = 0; job < s->jobs && rc == SKED_OK; job++) {
        size_t n = 0;
        if (!s->known[job]) continue;
        rc = sked_engine_contract(s->engine, job + 1,
                                  SKED_ROUND_CONTRACT_NEGOTIABLE, NULL,
                                  s->notice, MOST, &n);
        for (size_t i = 0; i < n && rc == SKED_OK; i++) {
            int is = (s->notice[i].flags & SKED_ROUND_MARK_FLAG_OFFERED) != 0;
            *(is ? offered : told) += s->notice[i].count;
            if (is && *n_groups < MOST) {
                groups[(*n_groups)++] = s->notice[i].group;
            }
        }
    }
    return rc;
}

static int64_t all_kept(const story *s, const uint64_t *groups, size_t n)
{
    for (size_t i = 0; i < s->n_seen; i++) {
        size_t at = 0;
        while (at < n && groups[at] != s->seen[i]) at++;
        if (at == n) return 0;
    }
    return 1;
}

static sked_status see(story *s, int64_t what, int64_t job, int64_t *got)
{
    static uint64_t groups[MOST];
    int64_t offered, told;
    size_t n;
    sked_status rc = look(s, &offered, &told, groups, &n);

    switch (what) {
    case OFFERED:
        *got = offered;
        memcpy(s->seen, groups, sizeof s->seen);
        s->n_seen = n;
        break;
    case TOLD: *got = told; break;
    case KILLED: *got = s->killed; break;
    case LIVE: *got = s->running[job]; break;
    default: *got = all_kept(s, groups, n);
    }
    return rc;
}

static sked_status play_row(story *s, const int64_t *row, int64_t *got,
                            size_t *n)
{
    s->now += INT64_C(1000000000);
    switch (row[0]) {
    case RUN: return run_task(s, row);
    case ASK:
        return add_ask(s, row, (uint64_t)row[7], row[5],
                       row[6] ? SKED_ASK_STRICT : 0);
    case WANT:
        return apply_event(s,
                           (sked_event){.kind = SKED_EVENT_ASK_CHANGE,
                                        .key = (uint64_t)row[7],
                                        .count = row[5]},
                           0, 0);
    case EDIT:
        return apply_event(s, (sked_event){.kind = SKED_EVENT_ROUND}, 0, 0);
    case BEAT: return beat(s, (uint64_t)row[3] + 1);
    default: return see(s, row[1], row[2], &got[(*n)++]);
    }
}

static int run_story(vec_case *c)
{
    static story s;
    size_t cells, n = 0;
    const int64_t *rows = vec_numbers(c, "rows", &cells);
    int64_t *got = vec_room(cells + 1, sizeof *got);

    s = (story){.c = c, .jobs = (size_t)vec_number(c, "jobs", 0)};
    sked_status rc = begin_story(&s);
    for (size_t i = 0; i + WIDTH <= cells && rc == SKED_OK; i += WIDTH) {
        rc = play_row(&s, rows + i, got, &n);
        if (rc == SKED_OK) rc = sked_engine_check(s.engine, NULL);
    }
    end_story(&s);
    int said = rc == SKED_OK ? vec_judge(c, "want", got, n)
                             : vec_fail(c, sked_status_name(rc));
    free(got);
    return said;
}

const vec_runner vec_run_story[] = {
    {"story", run_story},
    {NULL, NULL},
};
