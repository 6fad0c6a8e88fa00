/* P5, P6, P7 and P9: what is told to end, why, and what comes of it. */
#include "host.h"

#include <string.h>

/* ---- Who may be told at all (P9) ---- */

static int is_spared(const books *b, int32_t row)
{
    for (; row >= 0; row = b->w->queue[row].parent) {
        if (b->queue[row].number[SKED_QUEUE_PREEMPT_FROM] == 0) return 1;
    }
    return 0;
}

/* All nodes that a gang runs on have as much. */
static int is_even(const books *b, int32_t ask)
{
    int32_t first = -1;

    for (int32_t n = 0; n < (int32_t)b->w->nodes; n++) {
        if (b->run[n][ask] == 0) continue;
        if (first < 0) first = n;
        if (memcmp(b->capacity[n], b->capacity[first], sizeof *b->capacity))
            return 0;
    }
    return 1;
}

void check_told(host *h, const books_group *g, const sked_decision *d)
{
    const world_job *job = &h->w->job[h->w->ask[g->ask].job];

    if (d->kind == SKED_DECISION_WITHDRAW) return;
    if (d->reason == SKED_REASON_CANCELLED) return;
    if (d->reason == SKED_REASON_GANG) return; /* for itself */
    h->checked |= 1u << PROMISE_FIXED | 1u << PROMISE_SPARED;
    if (h->w->rounds.flags & SKED_ROUND_FLAG_OBSERVE) {
        host_broken(h, PROMISE_CALLS, "round %u: killed while observing",
                    h->rounds);
    }
    if (books_ends_soon(&h->b, g)) {
        host_broken(h, PROMISE_FIXED,
                    "round %u: ask %d is told to end, which it does by itself",
                    h->rounds, g->ask + 1);
    }
    if (job->flags & SKED_JOB_FIXED) {
        host_broken(h, PROMISE_FIXED, "round %u: fixed ask %d is told to end",
                    h->rounds, g->ask + 1);
    }
    if (h->w->ask[g->ask].flags & SKED_ASK_SPREAD &&
        (h->w->gangs == 0 || world_is_elastic(&h->w->ask[g->ask]))) {
        host_broken(h, PROMISE_FIXED,
                    "round %u: ask %d, a gang over nodes, is told to end",
                    h->rounds, g->ask + 1);
    }
    if (world_is_alone(&h->w->ask[g->ask]) && !is_even(&h->b, g->ask) &&
        h->w->ask[g->ask].flags & SKED_ASK_SPREAD) {
        host_broken(h, PROMISE_FIXED,
                    "round %u: ask %d, a gang on unlike nodes of its own, is "
                    "told to end",
                    h->rounds, g->ask + 1);
    }
    if (is_spared(&h->b, books_leaf(&h->b, g->ask))) {
        host_broken(h, PROMISE_SPARED,
                    "round %u: ask %d of queue %d, which is not preempted "
                    "from, is told to end",
                    h->rounds, g->ask + 1, books_leaf(&h->b, g->ask));
    }
}

/* ---- Plans ---- */

/* Everything that was told has gone. */
static void all_told(const host *h, fits_gone *gone)
{
    memset(gone, 0, sizeof *gone);
    for (uint32_t i = 0; i < h->b.groups; i++) {
        const books_group *g = &h->b.group[i];
        if (g->count == 0) continue;
        int64_t noticed = books_ends_soon(&h->b, g) ? 0 : g->noticed;
        fits_go(gone, g, books_ending(&h->b, g) + noticed);
    }
}

static uint32_t reserved_on(const books *b, uint32_t node)
{
    uint32_t asks = 0;

    for (uint32_t a = 0; a < b->w->asks; a++) {
        if (b->reserved[node][a] > 0) asks |= 1u << a;
    }
    return asks;
}

/* Steps of an ask that room is kept for, and those that would start as it is:
 * they are part of the plan. */
static int64_t steps_kept(const books *b, uint32_t node, uint32_t ask)
{
    int64_t tasks = b->reserved[node][ask];
    const world_ask *a = &b->w->ask[ask];

    if (world_is_gang(a)) return tasks > 0;
    if (a->flags & SKED_ASK_SPREAD) return tasks; /* all that is planned */
    while (tasks < b->open[ask] &&
           fits(b, (int32_t)ask, (int32_t)node,
                tasks - b->reserved[node][ask] + 1, NULL, 0)) {
        tasks++;
    }
    return tasks;
}

static int64_t plans_on(const books *b, uint32_t node)
{
    int64_t n = 0;

    for (uint32_t a = 0; a < b->w->asks; a++) {
        if (b->reserved[node][a] > 0) n += steps_kept(b, node, a);
    }
    return n;
}

/* Something that nothing is kept for there would start as it is, there or (which
 * takes head room) elsewhere: a plan may count on it. */
static int others_would_start(const books *b)
{
    for (uint32_t n = 0; n < b->w->nodes; n++) {
        uint32_t part = b->part[n];
        for (uint32_t a = 0; a < b->w->asks; a++) {
            if (b->reserved[n][a] > 0 || !b->node_open[n]) continue;
            if (!books_in_line(b, (int32_t)a, part)) continue;
            if (!books_takes(b, (int32_t)a, n)) continue;
            if (fits(b, (int32_t)a, (int32_t)n, 1, NULL, 0)) return 1;
        }
    }
    return 0;
}

/* Do all those that room is kept for fit, each with the others there? */
static int plans_hold(const books *b, const fits_gone *gone)
{
    for (uint32_t n = 0; n < b->w->nodes; n++) {
        for (uint32_t a = 0; a < b->w->asks; a++) {
            if (b->reserved[n][a] == 0) continue;
            if (!fits(b, (int32_t)a, (int32_t)n, steps_kept(b, n, a), gone,
                      1)) {
                return 0;
            }
        }
    }
    return 1;
}

/* A bound inside the leaf (users, masters) may be what this victim is for. */
static int may_bind_inside(const books *b, uint32_t asks, int32_t leaf)
{
    for (uint32_t a = 0; a < b->w->asks; a++) {
        const int64_t *number = b->queue[leaf].number;
        if (!(asks >> a & 1) || books_leaf(b, (int32_t)a) != leaf) continue;
        if (number[SKED_QUEUE_USER_LIMIT] != SKED_UNSET) return 1;
        if (number[SKED_QUEUE_USER_FACTOR] != SKED_UNSET) return 1;
        if (number[SKED_QUEUE_AM_SHARE] != SKED_UNSET) return 1;
    }
    return 0;
}

/* A gang over nodes is told as a whole, for something on one of its nodes; and
 * without it not all that is reserved fits. */
static void check_whole(host *h, const books_group *g, fits_gone *gone)
{
    int64_t tasks[WORLD_NODES], extra[WORLD_NODES][WORLD_KINDS], plans = 0;
    uint32_t asks = 0, leaf = (uint32_t)books_leaf(&h->b, g->ask);

    for (uint32_t n = 0; n < h->w->nodes; n++) {
        tasks[n] = gone->tasks[n][g->ask];
        if (tasks[n] > 0) asks |= reserved_on(&h->b, n);
        plans += plans_on(&h->b, n);
        if (tasks[n] == h->b.run[n][g->ask]) continue;
        host_broken(h, PROMISE_SPARE,
                    "round %u: %lld of %lld of ask %d, a gang over nodes, are "
                    "told on node %u",
                    h->rounds, (long long)tasks[n],
                    (long long)h->b.run[n][g->ask], g->ask + 1, n + 1);
    }
    if (asks == 0) {
        host_broken(
            h, PROMISE_SPARE,
            "round %u: ask %d, a gang over nodes, is told where nothing "
            "is reserved",
            h->rounds, g->ask + 1);
    }
    if (may_bind_inside(&h->b, asks, (int32_t)leaf) || plans > 1) return;
    if (others_would_start(&h->b)) return;
    h->checked |= 1u << PROMISE_SPARE;
    for (uint32_t n = 0; n < h->w->nodes; n++) {
        memcpy(extra[n], gone->extra[n][g->ask], sizeof extra[n]);
        memset(gone->extra[n][g->ask], 0, sizeof extra[n]);
        gone->tasks[n][g->ask] = 0;
    }
    if (plans_hold(&h->b, gone)) {
        host_broken(h, PROMISE_SPARE,
                    "round %u: ask %d, a gang over nodes, is told: what is "
                    "reserved fits without",
                    h->rounds, g->ask + 1);
    }
    for (uint32_t n = 0; n < h->w->nodes; n++) {
        memcpy(gone->extra[n][g->ask], extra[n], sizeof extra[n]);
        gone->tasks[n][g->ask] = tasks[n];
    }
}

static void check_victim(host *h, const books_group *g, fits_gone *gone)
{
    uint32_t node = (uint32_t)g->node, asks = reserved_on(&h->b, node);
    int gang = world_is_gang(&h->w->ask[g->ask]);
    int64_t unit = gang ? g->noticed : 1;

    if (h->w->ask[g->ask].flags & SKED_ASK_SPREAD) {
        check_whole(h, g, gone);
        return;
    }

    if (asks == 0) {
        host_broken(h, PROMISE_SPARE,
                    "round %u: ask %d is told on node %d, where nothing is "
                    "reserved",
                    h->rounds, g->ask + 1, node + 1);
        return;
    }
    if (may_bind_inside(&h->b, asks, books_leaf(&h->b, g->ask))) return;
    if (others_would_start(&h->b)) return;
    if (plans_on(&h->b, node) > 1) return; /* each is minimal by itself */
    h->checked |= 1u << PROMISE_SPARE;
    fits_go(gone, g, -unit);
    if (plans_hold(&h->b, gone)) {
        host_broken(h, PROMISE_SPARE,
                    "round %u: ask %d (queue %d) is told on node %d: what is "
                    "reserved there fits without",
                    h->rounds, g->ask + 1, books_leaf(&h->b, g->ask), node + 1);
    }
    check_first_to_go(h, g, gone, plans_hold);
    fits_go(gone, g, unit);
}

/* What others were told to end for on a node: of gangs over nodes all. */
static void note_paid(host *h, uint32_t node)
{
    uint32_t asks = reserved_on(&h->b, node);

    h->watch[node].asks |= asks;
    for (uint32_t a = 0; a < h->w->asks; a++) {
        int wide = (h->w->ask[a].flags & SKED_ASK_SPREAD) != 0;
        for (uint32_t n = 0; asks >> a & 1 && n < h->w->nodes; n++) {
            int its = n == node || (wide && h->b.reserved[n][a] > 0);
            h->b.paid[n][a] |= (uint8_t)its;
        }
    }
}

/* Everything a plan on a node needs is told, and nothing it does not. */
static void check_plan(host *h, int32_t node)
{
    fits_gone gone;

    if (h->w->rounds.flags & SKED_ROUND_FLAG_OBSERVE) return;
    if (h->w->mode == WORLD_CHANGES) return; /* what is kept is not told */
    if (!h->b.node_open[node]) return;
    all_told(h, &gone);
    check_claimed(h, node);
    check_causes(h);
    check_enough(h, &gone);
    for (uint32_t i = 0; i < h->b.groups; i++) {
        const books_group *g = &h->b.group[i];
        if (g->count == 0 || g->node != node || g->noticed == 0) continue;
        check_victim(h, g, &gone);
    }
}

/* Where only gangs over nodes end: all the nodes of these, a bit each, those too
 * where they have ended since; where nothing ends, as before. */
static uint32_t nodes_of_gangs(const host *h, uint32_t node)
{
    uint32_t asks = 0, nodes = 0;

    for (uint32_t i = 0; i < h->b.groups; i++) {
        const books_group *g = &h->b.group[i];
        if (g->count == 0 || g->node != (int32_t)node || g->ending == 0)
            continue;
        if (!(h->w->ask[g->ask].flags & SKED_ASK_SPREAD)) return 0;
        asks |= 1u << g->ask;
    }
    if (asks == 0) return h->watch[node].with;
    for (uint32_t i = 0; i < h->b.groups; i++) {
        const books_group *g = &h->b.group[i];
        if (g->count == 0 || g->ending == 0 || g->node < 0) continue;
        if (asks >> g->ask & 1) nodes |= 1u << g->node;
    }
    return h->watch[node].killed ? nodes | h->watch[node].with : nodes;
}

/* Gangs over nodes end for what starts on one of their nodes: where nothing is
 * reserved, that is another one. */
void check_plans(host *h)
{
    for (uint32_t n = 0; n < h->w->nodes; n++) {
        h->watch[n].with = nodes_of_gangs(h, n);
        if (h->watch[n].with && reserved_on(&h->b, n) == 0) {
            h->watch[n].killed = 0;
        }
    }
    for (uint32_t n = 0; n < h->w->nodes; n++) {
        check_plan(h, (int32_t)n);
        if (h->watch[n].killed) note_paid(h, n);
    }
}

static int anything_ends(const host *h)
{
    int any = books_await(&h->b);

    for (uint32_t i = 0; i < h->b.groups; i++) {
        any |= h->b.group[i].count > 0 && h->b.group[i].ending > 0;
    }
    return any;
}

/* After a pass: once all that was told to end has ended (for head room, on all
 * nodes), what it was for runs now. */
void check_served(host *h)
{
    uint32_t served = 0;
    int waits = anything_ends(h);

    for (uint32_t n = 0; n < h->w->nodes; n++) {
        served |= (uint32_t)h->watch[n].served << n;
    }
    for (uint32_t n = 0; n < h->w->nodes; n++) {
        host_watch *watch = &h->watch[n];
        if (!watch->killed) continue;
        if (waits) continue;
        if (h->w->mode == WORLD_STAYS) h->checked |= 1u << PROMISE_VAIN;
        if (h->w->mode == WORLD_STAYS && !((watch->with | 1u << n) & served)) {
            host_broken(h, PROMISE_VAIN,
                        "round %u: tasks were ended on node %u, and nothing "
                        "that they were for starts there",
                        h->rounds, n + 1);
        }
        *watch = (host_watch){0};
    }
}

/* ---- Loops (P7) ---- */

static uint64_t hash_in(uint64_t hash, int64_t value)
{
    hash = (hash ^ (uint64_t)value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* Who runs, waits and is admitted, and what it holds. */
static uint64_t state_now(const host *h)
{
    const books *b = &h->b;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (uint32_t n = 0; n < h->w->nodes; n++) {
        for (uint32_t a = 0; a < h->w->asks; a++) {
            hash = hash_in(hash, b->run[n][a]);
            hash = hash_in(hash, b->reserved[n][a]);
            for (uint32_t k = 0; k < h->w->kinds; k++) {
                hash = hash_in(hash, b->extra[n][a][k]);
            }
        }
    }
    for (uint32_t a = 0; a < h->w->asks; a++) hash = hash_in(hash, b->open[a]);
    for (uint32_t j = 0; j < h->w->jobs; j++) {
        hash = hash_in(hash, b->admitted[j]);
    }
    return hash ? hash : 1;
}

void check_loop(host *h)
{
    uint64_t hash = state_now(h);
    uint32_t at = (uint32_t)(hash % HOST_STATES);

    if (h->w->mode != WORLD_STAYS || books_await(&h->b)) return;
    for (uint32_t i = 0; i < h->b.groups; i++) {
        if (h->b.group[i].count > 0 && h->b.group[i].ending > 0) return;
    }
    h->checked |= 1u << PROMISE_LOOP | 1u << PROMISE_ENDLESS;
    while (h->state[at].hash && h->state[at].hash != hash) {
        at = (at + 1) % HOST_STATES;
    }
    if (h->state[at].hash && h->state[at].kills < h->kills) {
        host_broken(h, PROMISE_LOOP,
                    "round %u: the state is one of before, "
                    "and %llu tasks were ended since",
                    h->rounds,
                    (unsigned long long)(h->kills - h->state[at].kills));
    }
    h->state[at] = (host_state){hash, h->kills};
}

/* ---- The engine's own books ---- */

static void check_row(host *h, uint32_t row)
{
    int64_t use[WORLD_KINDS], pending[WORLD_KINDS], own = 0, wants = 0;
    const world *w = h->w;

    if (sked_engine_usage(h->engine, h->id[row], SKED_ANY_PARTITION, use,
                          pending)) {
        return;
    }
    for (uint32_t p = 0; p < w->parts; p++) own += h->b.use[p][row][0];
    for (uint32_t a = 0; a < w->asks; a++) {
        if (!books_above(&h->b, (int32_t)row, books_leaf(&h->b, (int32_t)a)))
            continue;
        if (h->b.rejected[a]) continue;
        wants += h->b.open[a] * w->ask[a].amount[0];
    }
    if (own != use[0] || wants != pending[0]) {
        host_broken(h, PROMISE_CALLS,
                    "queue %u uses %lld and wants %lld; the books say %lld, "
                    "%lld",
                    row, (long long)use[0], (long long)pending[0],
                    (long long)own, (long long)wants);
    }
}

void check_usage(host *h)
{
    sked_error err = {0};

    h->checked |= 1u << PROMISE_CALLS;
    for (uint32_t row = 0; row < h->w->rows; row++) check_row(h, row);
    check_charged(h);
    if (sked_engine_check(h->engine, &err) != SKED_OK) {
        host_broken(h, PROMISE_CALLS, "the engine's check: %s", err.message);
    }
}
