/* What a host says to the engine, and hears from it. */
#include "host.h"

#include <string.h>

void host_send(host *h, const sked_events *batch)
{
    sked_error err = {0};

    if (h->failed) return;
    sked_status rc = sked_engine_apply(h->engine, batch, NULL, &err);
    if (rc != SKED_OK) {
        host_broken(h, PROMISE_CALLS, "event %d about %llu: %s",
                    batch->events->kind, (unsigned long long)batch->events->key,
                    err.message);
        h->failed = 1;
    }
    books_see(&h->b);
    host_hear(h);
}

void host_say_with(host *h, sked_event event, const int64_t *amounts,
                   uint32_t places)
{
    uint64_t keys[WORLD_NODES];
    int32_t offsets[2] = {0, 0};
    sked_event_gang gang = {0};
    sked_event_charge charge;
    sked_events batch = {.struct_size = sizeof batch, .events = &event, .n = 1};

    event.time = h->now;
    if (amounts) {
        event.amount = 1;
        batch.amounts = amounts;
        batch.n_amounts = 1;
    }
    for (uint32_t n = 0; n < h->w->nodes; n++) {
        if (places >> n & 1) keys[offsets[1]++] = n + 1;
    }
    if (places) {
        event.places = 1;
        batch.place_offsets = offsets;
        batch.places = keys;
        batch.n_places = 1;
    }
    if (event.kind == SKED_EVENT_JOB_SUBMIT) {
        charge = host_charge(h, (uint32_t)event.key - 1);
        batch.charges = &charge;
    }
    if (event.kind == SKED_EVENT_ASK_ADD) {
        gang.per_node = h->w->ask[event.key - 1].per_node;
        if (h->w->ask[event.key - 1].same) gang.same = HOST_ZONE;
        gang.at_once = h->w->ask[event.key - 1].at_once;
        batch.gangs = &gang;
    }
    host_send(h, &batch);
}

void host_say(host *h, sked_event event)
{
    host_say_with(h, event, NULL, 0);
}

void host_submit(host *h, uint32_t job)
{
    const world *w = h->w;
    int any = 0;

    for (uint32_t a = 0; a < w->asks; a++) {
        any |= w->ask[a].job == (int32_t)job && w->ask[a].count > 0;
    }
    if (!any) return;
    host_say(h, (sked_event){.kind = SKED_EVENT_JOB_SUBMIT,
                             .key = job + 1,
                             .owner = w->job[job].user,
                             .queue = h->id[h->b.job_queue[job]],
                             .priority = w->job[job].priority,
                             .flags = w->job[job].flags});
    for (uint32_t i = 0; i < w->asks; i++) {
        const world_ask *a = &w->ask[i];
        if (a->job != (int32_t)job || a->count == 0) continue;
        h->b.open[i] = a->count;
        books_add_ask(&h->b, (int32_t)i);
        host_say_with(h,
                      (sked_event){.kind = SKED_EVENT_ASK_ADD,
                                   .key = i + 1,
                                   .owner = job + 1,
                                   .count = a->count,
                                   .partition = a->partition,
                                   .priority = a->priority,
                                   .flags = a->flags},
                      a->amount, a->places);
        host_say_rules(h, i);
    }
}

/* ---- Commits ---- */

void host_commit(host *h)
{
    sked_error err = {0};

    if (h->failed) return;
    if (sked_tree_commit(h->tree, SKED_TREE_COMMIT_LENIENT, &err) ||
        sked_engine_commit(h->engine, h->tree, h->now, &err)) {
        host_broken(h, PROMISE_CALLS, "commit: %s", err.message);
        h->failed = 1;
    }
    books_see(&h->b);
    host_hear(h);
}

/* From here on the world is another: what was under way for the old one is
 * not judged. */
static void begin_anew(host *h)
{
    books_resolve(&h->b);
    books_renew(&h->b);
    memset(h->watch, 0, sizeof h->watch);
    memset(h->state, 0, sizeof h->state);
    h->ended_now = h->served_now = 0; /* what ended before may be for nothing */
    for (uint32_t i = 0; i < h->b.groups; i++) {
        h->unsure |= h->b.group[i].ending > 0;
    }
}

uint32_t host_weigh(host *h)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < h->w->says; i++) {
        const world_say *say = &h->w->say[i];
        if (say->round != h->rounds) continue;
        books_weigh(&h->b, say->queue, h->b.tree_weight[say->queue],
                    say->weight);
        host_say(h, (sked_event){.kind = SKED_EVENT_QUEUE_WEIGHT,
                                 .queue = h->id[say->queue],
                                 .count = say->weight});
        n++;
    }
    if (n > 0) begin_anew(h);
    return n;
}

void host_edit(host *h)
{
    const world *w = h->w;

    h->edited = 1;
    for (uint32_t i = 0; i < w->edits; i++) {
        const world_edit *e = &w->edit[i];
        world_queue *q = &h->b.queue[e->queue];
        if (e->attribute == SKED_QUEUE_ORDER &&
            world_is_leaf(w, (uint32_t)e->queue)) {
            continue;
        }
        if (e->attribute == SKED_QUEUE_LIMIT_PPM) q->has[1] = 0;
        if (e->attribute == SKED_QUEUE_GUARANTEE_PPM) q->has[0] = 0;
        q->number[e->attribute] = e->value;
        if (e->attribute == SKED_QUEUE_WEIGHT) {
            books_weigh(&h->b, e->queue, e->value, h->b.said_weight[e->queue]);
        }
        if (sked_tree_set(h->tree, h->id[e->queue], e->attribute, e->value,
                          NULL)) {
            h->failed = 1;
        }
    }
    host_commit(h);
    begin_anew(h);
}

/* ---- Decisions ---- */

/* One task is on a node, which it has to itself. */
static void hear_alone(host *h, const sked_decision *d)
{
    books_group *g = books_find(&h->b, d->group);

    if (g) books_fill(&h->b, g);
    h->sharp = 0; /* it wants more now than when it was open */
    if (d->count == 1) return;
    host_broken(h, PROMISE_NODE,
                "round %u: %lld tasks of ask %llu, which have nodes to "
                "themselves, start on node %llu",
                h->rounds, (long long)d->count, (unsigned long long)d->ask,
                (unsigned long long)d->node);
}

static int runs(const books *b, int32_t ask)
{
    int any = 0;

    for (uint32_t n = 0; n < b->w->nodes; n++) any |= b->run[n][ask] > 0;
    return any;
}

static void hear_start(host *h, const sked_decision *d)
{
    int32_t ask = (int32_t)d->ask - 1, node = (int32_t)d->node - 1;
    int held = d->reason == SKED_REASON_HELD;
    int wide = books_is_wide(&h->b, ask);
    int64_t step = world_is_gang(&h->w->ask[ask]) ? d->count : 1;
    int64_t *reserved = &h->b.reserved[node][ask];

    if (wide && h->whole[ask] == 0) {
        int64_t most = books_gang_in_zone(&h->b, ask, h->b.part[node]);
        h->enough[ask] = !held && !runs(&h->b, ask) &&
                         most >= books_gang_lacks(&h->b, ask);
    }
    if (node != h->last && !host_is_still(h)) books_renew(&h->b);
    h->last = node;
    h->starts += (uint64_t)d->count;
    h->held += (uint64_t)held;
    if (h->turned && held) h->served_now += (uint64_t)(d->count / step);
    h->wide_held += held && h->w->ask[ask].flags & SKED_ASK_SPREAD;
    h->watch[node].served |= (uint8_t)(h->watch[node].asks >> ask & 1);
    for (int64_t i = 0; i < d->count; i += step) {
        int paid = held && h->b.paid[node][ask];
        if (held) h->b.most[ask] -= *reserved < step ? *reserved : step;
        if (held) *reserved -= *reserved < step ? *reserved : step;
        h->b.paid[node][ask] &= (uint8_t)(*reserved > 0);
        if (!h->adopting) check_start(h, ask, node, held, paid);
        if (h->w->ask[ask].flags & SKED_ASK_SPREAD) {
            h->spread[ask] |= 1u << node;
            if (wide) h->whole[ask] |= 1u << node;
        }
        h->b.open[ask] -= step;
        books_add(&h->b, ask, node, step);
    }
    books_add(&h->b, ask, node, -d->count);
    h->b.open[ask] += d->count;
    books_start(&h->b, d->group, ask, node, d->count, h->now);
    if (world_is_alone(&h->w->ask[ask])) hear_alone(h, d);
    if (h->adopting) books_find(&h->b, d->group)->confirmed = 1;
    h->failed |= h->b.full;
    books_trim(&h->b, ask);
}

static void note_told(host *h, const books_group *g, const sked_decision *d)
{
    if (h->n_told == HOST_TOLD || d->reason == SKED_REASON_OBSERVED ||
        d->reason == SKED_REASON_CANCELLED) {
        return;
    }
    h->told[h->n_told++] = (host_told){.ask = g->ask,
                                       .node = g->node,
                                       .leaf = books_leaf(&h->b, g->ask),
                                       .kind = d->kind,
                                       .reason = d->reason};
}

/* So many are killed for one ask on a node in this round. What ends of a gang over
 * nodes, wherever it runs, ends for one of them. */
static void count_plan(host *h, const books_group *g, const sked_decision *d)
{
    int wide = (h->w->ask[g->ask].flags & SKED_ASK_SPREAD) != 0;

    if (!h->turned || d->serves == 0) return;
    if (h->plan_round != h->rounds) {
        memset(h->plan, 0, sizeof h->plan);
        h->plan_round = h->rounds;
    }
    h->ended_now += (uint64_t)d->count;
    for (uint32_t n = 0; n < h->w->nodes; n++) {
        uint64_t *plan = &h->plan[n][d->serves - 1];
        if (wide || n == d->node - 1) *plan += (uint64_t)d->count;
        if (*plan > h->plan_most) h->plan_most = *plan;
    }
}

static void hear_told(host *h, const sked_decision *d)
{
    books_group *g = books_find(&h->b, d->group);

    if (!g) {
        host_broken(h, PROMISE_CALLS, "decision %d about no group", d->kind);
        return;
    }
    if (d->reason != SKED_REASON_OBSERVED) check_told(h, g, d);
    note_told(h, g, d);
    switch (d->kind) {
    case SKED_DECISION_NOTIFY:
        if (d->reason == SKED_REASON_OBSERVED) return;
        g->noticed += d->count;
        h->notices += (uint64_t)d->count;
        break;
    case SKED_DECISION_WITHDRAW:
        if (d->reason == SKED_REASON_OBSERVED) return;
        /* Of tasks that end with others of their gang, too. */
        g->noticed -= d->count < g->noticed ? d->count : g->noticed;
        break;
    default:
        g->noticed -= d->count < g->noticed ? d->count : g->noticed;
        g->ending += d->count;
        if (g->ending > g->count) g->ending = g->count; /* cancelled */
        g->together |= d->reason == SKED_REASON_GANG;
        if (g->together) { /* for nothing else */
            host_drift(h);
            break;
        }
        h->kills += (uint64_t)d->count;
        count_plan(h, g, d);
        h->wide_kills += (h->w->ask[g->ask].flags & SKED_ASK_SPREAD) != 0;
        h->watch[g->node].killed = 1;
        break;
    }
}

static void hear_gone(host *h, const sked_decision *d)
{
    books_group *g = books_find(&h->b, d->group);

    if (g) host_end(h, g, d->count, 1);
}

static void hear_one(host *h, const sked_decision *d)
{
    /* What is only observed may name other victims of like cost each time. */
    h->moved |= d->kind != SKED_DECISION_ADMIT &&
                d->reason != SKED_REASON_OBSERVED;
    check_decision(h, d);
    switch (d->kind) {
    case SKED_DECISION_ADMIT:
        h->b.admitted[d->job - 1] = 1;
        check_admit(h, (uint32_t)d->job - 1);
        break;
    case SKED_DECISION_REJECT: h->b.rejected[d->ask - 1] = 1; break;
    case SKED_DECISION_ALLOCATE: hear_start(h, d); break;
    case SKED_DECISION_RESERVE:
        books_reserve(&h->b, (int32_t)d->ask - 1, (int32_t)d->node - 1,
                      d->count);
        break;
    case SKED_DECISION_WITHDRAW:
        if (d->group)
            hear_told(h, d);
        else
            books_give_up(&h->b, (int32_t)d->ask - 1, (int32_t)d->node - 1,
                          d->count);
        break;
    case SKED_DECISION_NOTIFY:
    case SKED_DECISION_KILL: hear_told(h, d); break;
    case SKED_DECISION_LOST:
    case SKED_DECISION_EXPIRE: hear_gone(h, d); break;
    default: break;
    }
}

static void tell(const sked_decision *d)
{
    static const char *const kind[] = {
        "?",    "admit",    "reject", "start",   "reserve", "notify",
        "kill", "withdraw", "expire", "requeue", "lost"};

    printf("  %lld: %s ask %llu node %llu group %llx x%lld (%s)\n",
           (long long)d->time / WORLD_STEP, kind[d->kind],
           (unsigned long long)d->ask, (unsigned long long)d->node,
           (unsigned long long)d->group, (long long)d->count,
           sked_reason_name(d->reason));
}

/* Of a gang that is worth nothing with fewer tasks than start together, all end
 * once too few are left. */
static void check_together(host *h)
{
    for (uint32_t i = 0; i < h->b.groups; i++) {
        const books_group *g = &h->b.group[i];
        if (g->count == g->ending || h->b.cancelled[h->w->ask[g->ask].job])
            continue;
        if (!(h->w->ask[g->ask].flags & SKED_ASK_TOGETHER)) continue;
        if (books_gang_lacks(&h->b, g->ask) == 0) continue;
        host_broken(h, PROMISE_NODE,
                    "round %u: tasks of ask %d run on node %d without the "
                    "others of the gang",
                    h->rounds, g->ask + 1, g->node + 1);
    }
}

/* All that was decided is heard: gangs over nodes have started. */
static void end_hearing(host *h)
{
    check_together(h);
    for (int32_t a = 0; a < (int32_t)h->w->asks; a++) {
        if (h->spread[a]) check_spread(h, a);
        h->spread[a] = h->whole[a] = 0;
    }
}

void host_hear(host *h)
{
    sked_decision d;
    size_t n = 1;

    while (!h->failed) {
        if (sked_engine_take(h->engine, &d, 1, &n, NULL) != SKED_OK)
            h->failed = 1;
        if (n == 0) break;
        if (h->trace) tell(&d);
        hear_one(h, &d);
    }
    end_hearing(h);
}
