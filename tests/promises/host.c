/* A world's run, from its first node to its rest. */
#include "host.h"

#include <stdarg.h>
#include <string.h>

const char *const promise_name[PROMISES] = {
    "calls",      "P1 guarantee", "P2 rest",      "P3 node",    "P3 limit",
    "P3 kept",    "P3 masters",   "P3 user",      "P3 running", "P4 claim",
    "P4 starves", "P8 in time",   "P5/6 spare",   "P6 plan",    "P6 vain",
    "P6 idle",    "P7 loop",      "P7 endless",   "P9 fixed",   "P9 spared",
    "P9 first",   "P9 decided",   "P9 explained",
};

void host_broken(host *h, int promise, const char *format, ...)
{
    va_list args;

    if (h->broken >> promise & 1) return;
    h->broken |= UINT32_C(1) << promise;
    va_start(args, format);
    (void)vsnprintf(h->text[promise], sizeof h->text[promise], format, args);
    va_end(args);
    if (h->trace) {
        printf("!! %s: %s\n", promise_name[promise], h->text[promise]);
    }
}

/* ---- The beginning ---- */

static int set_queue(host *h, uint32_t row)
{
    const world_queue *q = &h->b.queue[row];
    sked_status rc = SKED_OK;
    char user[] = "u0";

    for (int32_t i = 1; i < WORLD_NUMBERS && rc == SKED_OK; i++) {
        if (q->number[i] == SKED_UNSET) continue;
        rc = sked_tree_set(h->tree, h->id[row], i, q->number[i], NULL);
    }
    for (int32_t i = 0; i < WORLD_VECTORS && rc == SKED_OK; i++) {
        if (!q->has[i]) continue;
        rc = sked_tree_set_vec(h->tree, h->id[row], SKED_QUEUE_GUARANTEE + i,
                               q->amount[i], NULL);
    }
    for (int i = 0; i < WORLD_USERS && rc == SKED_OK; i++) {
        user[1] = (char)('0' + i);
        if (q->user_weight[i] == SKED_UNSET) continue;
        rc = sked_tree_set_user_weight(h->tree, h->id[row], user,
                                       q->user_weight[i], NULL);
    }
    if (rc != SKED_OK) {
        host_broken(h, PROMISE_CALLS, "queue %u: %s", row,
                    sked_status_name(rc));
    }
    return rc == SKED_OK;
}

static int plant(host *h)
{
    static const char *const kinds[] = {"a", "b", "c", "d"};
    const sked_host hooks = {.struct_size = sizeof hooks, .user = h};
    const world *w = h->w;
    char name[] = "q00";

    if (sked_schema_new(kinds, NULL, w->kinds, NULL, &h->schema, NULL) ||
        sked_tree_new(h->schema, NULL, NULL, &h->tree, NULL)) {
        return 0;
    }
    h->id[0] = sked_tree_root(h->tree);
    for (uint32_t row = 1; row < w->rows; row++) {
        name[1] = (char)('0' + row / 10);
        name[2] = (char)('0' + row % 10);
        if (sked_tree_add(h->tree, h->id[w->queue[row].parent], name,
                          &h->id[row], NULL)) {
            return 0;
        }
    }
    for (uint32_t row = 0; row < w->rows; row++) {
        if (!set_queue(h, row)) return 0;
    }
    return sked_tree_commit(h->tree, SKED_TREE_COMMIT_LENIENT, NULL) ==
               SKED_OK &&
           sked_engine_new(h->tree, &w->options, &hooks, &h->engine, NULL) ==
               SKED_OK;
}

static void name_users(host *h)
{
    char user[] = "u0";

    for (uint32_t i = 0; i < WORLD_USERS; i++) {
        user[1] = (char)('0' + i);
        if (sked_engine_name_user(h->engine, i, user, NULL)) h->failed = 1;
    }
}

static void preempt(host *h)
{
    const world *w = h->w;
    const sked_target_options *more[WORLD_POLICIES - 1];
    const sked_engine_preempt_options opts = {
        .struct_size = sizeof opts,
        .flags = w->flags,
        .gangs = w->gangs,
        .targets = &w->targets,
        .rounds = &w->rounds,
        .more_targets = more,
        .n_more_targets = w->more_policies,
    };
    sked_error err;

    if (!w->preempts) return;
    for (uint32_t i = 0; i < w->more_policies; i++)
        more[i] = &w->more_targets[i];
    if (sked_engine_preempt(h->engine, &opts, &err) != SKED_OK) {
        host_broken(h, PROMISE_CALLS, "preempt: %s", err.message);
        h->failed = 1;
    }
}

static void nodes_up(host *h)
{
    const world *w = h->w;

    for (uint32_t n = 0; n < w->nodes; n++) {
        h->b.node_up[n] = h->b.node_open[n] = 1;
        memcpy(h->b.capacity[n], w->node[n].capacity, sizeof *h->b.capacity);
        memcpy(h->b.free[n], w->node[n].capacity, sizeof *h->b.free);
        host_say_with(h,
                      (sked_event){.kind = SKED_EVENT_NODE_UP,
                                   .key = n + 1,
                                   .partition = w->node[n].partition,
                                   .owner = w->node[n].rack},
                      w->node[n].capacity, 0);
        host_zone(h, n);
    }
}

/* What partitions have of kinds that lie on no node. */
static void fill_pools(host *h)
{
    for (uint32_t p = 0; h->w->options.pooled && p < h->w->parts; p++) {
        host_say_with(h, (sked_event){.kind = SKED_EVENT_POOL, .partition = p},
                      h->w->pool[p], 0);
    }
}

/* ---- Rounds ---- */

enum { WHY_FIRST = 6, WHY_EVERY = 16 }; /* rounds after which it is asked why */
enum {
    TOLD_AGAIN = 3
}; /* the round in which more is said of tasks once more */

/* What changes by chance is refused now and then, or waited for in vain. */
static void confirm(host *h)
{
    for (uint32_t i = 0; h->w->options.confirm_within_ns && i < h->b.groups;
         i++) {
        books_group *g = &h->b.group[i];
        if (g->count == 0 || g->confirmed || g->silent) continue;
        if (h->w->mode == WORLD_CHANGES && world_below(&h->chance, 3) == 0) {
            host_refuse(h, g);
            continue;
        }
        host_confirm(h, g);
    }
}

/* What was told before this round or pass is past. */
static void begin_telling(host *h, int in_round)
{
    h->n_told = 0;
    h->in_round = in_round;
    for (uint32_t i = 0; i < h->b.groups; i++) {
        h->b.group[i].before = h->b.group[i].ending;
        h->b.group[i].noted = h->b.group[i].noticed;
    }
}

/* Every node is looked at once. */
static void pass(host *h)
{
    const world *w = h->w;

    h->last = -1;
    begin_telling(h, 0);
    /* What ended is wanted elsewhere. */
    if (h->strayed || !host_is_still(h)) books_renew(&h->b);
    if (!w->beats) {
        sked_status rc = sked_engine_pass(h->engine, h->now, 0, NULL);
        if (rc != SKED_OK) {
            host_broken(h, PROMISE_CALLS, "pass: %s", sked_status_name(rc));
            h->failed = 1;
        }
        host_hear(h);
    }
    for (uint32_t n = 0; w->beats && n < w->nodes; n++) {
        if (!h->b.node_up[n]) continue;
        host_say(h, (sked_event){.kind = SKED_EVENT_HEARTBEAT, .key = n + 1});
    }
    check_causes(h);
    confirm(h);
    check_served(h);
}

/* What was told to end does so, at once or by and by. */
static void end_killed(host *h)
{
    for (uint32_t i = 0; i < h->b.groups; i++) {
        books_group *g = &h->b.group[i];
        if (g->count == 0 || g->ending == 0) continue;
        if (h->w->slow && world_below(&h->chance, 3) == 0) continue;
        int64_t count = g->ending;
        int together = g->together;
        int32_t kind = h->b.cancelled[h->w->ask[g->ask].job]
                           ? SKED_EVENT_TASK_FINISH
                           : SKED_EVENT_TASK_KILLED;
        uint64_t name = g->name;
        uint32_t job = (uint32_t)h->w->ask[g->ask].job;
        host_end(h, g, count, host_wants_again(h, g));
        h->killed = kind == SKED_EVENT_TASK_KILLED;
        h->together = together;
        if (h->killed && !together) host_readmit(h, job);
        host_say(h, (sked_event){.kind = kind, .key = name, .count = count});
        h->killed = h->together = 0;
    }
}

static int is_ending(const host *h)
{
    int ending = books_await(&h->b);

    for (uint32_t i = 0; i < h->b.groups; i++) {
        ending |= h->b.group[i].count > 0 && h->b.group[i].ending > 0;
    }
    return ending;
}

static void commit_again(host *h)
{
    if (h->rounds == 4 && h->w->edits > 0 && !h->edited) {
        host_edit(h);
    } else if (h->rounds == HOST_COMMITS && h->w->recommit) {
        host_commit(h);
    }
}

static void one_round(host *h)
{
    h->moved = 0;
    h->now += WORLD_STEP;
    h->b.now = h->now;
    h->rounds++;
    /* Proposals that have run out are gone before anything is said of them. */
    if (h->w->options.confirm_within_ns > 0) {
        host_say(h, (sked_event){.kind = SKED_EVENT_TICK});
    }
    if (h->w->mode == WORLD_ENDS) host_end_some(h);
    if (h->w->mode == WORLD_CHANGES) host_change(h);
    if (h->rounds == TOLD_AGAIN) host_tell_tasks(h);
    host_end_due(h);
    commit_again(h);
    (void)host_weigh(h);
    if (h->w->preempts) {
        begin_telling(h, 1);
        /* What ends is wanted elsewhere. */
        if (h->strayed || h->drifted) books_renew(&h->b);
        h->drifted = 0;
        h->sharp = h->turned && h->w->mode != WORLD_CHANGES && host_is_still(h);
        host_say(h, (sked_event){.kind = SKED_EVENT_ROUND});
        check_plans(h);
    }
    end_killed(h);
    pass(h);
    check_loop(h);
    check_time(h);
    check_shares(h);
    if (h->rounds <= WHY_FIRST || h->rounds % WHY_EVERY == 0) check_why(h);
}

/* Late work comes, nodes go. */
static void turn(host *h)
{
    const world *w = h->w;
    uint32_t events = 0;

    for (uint32_t j = 0; j < w->jobs; j++) {
        if (!w->job[j].late) continue;
        host_submit(h, j);
        events += h->b.admitted[j];
    }
    host_tell_tasks(h);
    for (uint32_t n = 0; n < w->nodes; n++) {
        int32_t then = w->node[n].then;
        if (then == NODE_IS_LOST) host_drop_released(h, n);
        if (then == NODE_DRAINS) h->b.node_open[n] = 0;
        if (then == NODE_IS_LOST) h->b.node_up[n] = h->b.node_open[n] = 0;
        if (then == NODE_MOVES) host_move(h, n, w->node[n].to);
        if (then == NODE_STAYS || then == NODE_MOVES) continue;
        host_say(h, (sked_event){.kind = then == NODE_DRAINS
                                             ? SKED_EVENT_NODE_DRAIN
                                             : SKED_EVENT_NODE_DOWN,
                                 .key = n + 1});
    }
    for (uint32_t i = 0; i < w->asks; i++) {
        const world_ask *a = &w->ask[i];
        if (!a->anew || !host_is_known(h, i)) continue;
        host_like(h, i, a->then_places, a->then_racks, a->then_strict);
    }
    if (w->edits > 0 && (w->seed & 1)) {
        host_edit(h);
        events = w->rows;
    }
    if (host_weigh(h) > 0) events = w->rows;
    h->turned = 1;
    books_resolve(&h->b);
    books_renew(&h->b);
    h->sharp = h->sharp && events >= (w->rows + w->asks) / 4 + 1 &&
               w->mode != WORLD_CHANGES;
}

static void run(host *h)
{
    const world *w = h->w;
    uint32_t quiet = 0;

    name_users(h);
    host_plant_limits(h);
    preempt(h);
    fill_pools(h);
    nodes_up(h);
    for (uint32_t j = 0; j < w->jobs; j++) {
        if (!w->job[j].late) host_submit(h, j);
    }
    books_resolve(&h->b);
    books_renew(&h->b);
    h->sharp = 1;
    pass(h);
    turn(h);
    while (quiet < HOST_QUIET && !h->failed && h->rounds < h->most_rounds) {
        one_round(h);
        quiet = h->moved || is_ending(h) ? 0 : quiet + 1;
        if (w->mode != WORLD_STAYS && h->rounds >= HOST_LAST) break;
        if (h->broken >> PROMISE_LOOP & 1) break;
    }
    if (h->failed) return;
    if (w->mode == WORLD_STAYS && quiet == HOST_QUIET) {
        h->at_rest = 1;
        check_rest(h);
        check_why(h);
    }
    if (w->mode == WORLD_STAYS && h->rounds == h->most_rounds) {
        host_broken(h, PROMISE_ENDLESS,
                    "after %u rounds: %llu kills, %llu told", h->rounds,
                    (unsigned long long)h->kills,
                    (unsigned long long)h->notices);
    }
    check_usage(h);
}

void host_run(host *h, const world *w, uint32_t most_rounds, int trace)
{
    memset(h, 0, sizeof *h);
    h->w = w;
    h->trace = trace;
    h->most_rounds = most_rounds;
    h->chance.state = w->seed;
    books_open(&h->b, w);
    if (plant(h))
        run(h);
    else
        host_broken(h, PROMISE_CALLS, "the tree is refused");
    if (h->engine) {
        h->digest = sked_engine_digest(h->engine) * 31 +
                    sked_engine_state_digest(h->engine);
    }
    sked_engine_free(h->engine);
    host_fell_limits(h);
    sked_tree_free(h->tree);
    sked_schema_free(h->schema);
}
