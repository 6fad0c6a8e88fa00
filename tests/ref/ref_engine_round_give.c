/*
 * Who might give in a round: what runs on nodes that take work, of queues that
 * are to give or that take from themselves; node by node, the newest first.
 */
#include "ref_engine_round.h"

#include <string.h>

#include "base/arith.h"

typedef struct candidate_columns {
    uint32_t *queue, *count, *node, *user, *gang;
    int64_t *amount, *cost;
    int32_t *priority;
    uint8_t *state, *phase, *master;
    sked_time *started, *saved, *submitted;
} candidate_columns;

static int anything_open(const ref_engine *r, const ref_plan *p, uint32_t row)
{
    for (size_t i = 0; i < r->asks; i++) {
        if (ref_engine_in_line(r, &r->ask[i], p->partition) &&
            ref_plan_row(r, p, r->ask[i].job) == row) {
            return 1;
        }
    }
    return 0;
}

static int may_give(const ref_engine *r, const ref_plan *p, uint32_t row)
{
    uint32_t inside = SKED_PREEMPT_BY_USER | SKED_PREEMPT_BY_PRIORITY;

    if (p->reasons[row] & SKED_TARGET_GIVES) return 1;
    return (p->in.flags & inside) && anything_open(r, p, row);
}

/* The work that is lost with one task (engine.h). */
static int64_t cost_of(const ref_engine *r, const ref_plan *p,
                       const ref_group *g)
{
    const ref_ask *a = &r->ask[g->ask];
    int64_t most = 0, seconds = (r->now - g->saved) / INT64_C(1000000000);

    if (r->job[a->job].flags & SKED_JOB_KEEPS) return 1;
    for (uint32_t k = 0; k < r->kinds; k++) {
        int64_t all = p->books.capacity[k];
        uint64_t rest;
        if (all == 0 || a->task[k] > all) continue;
        most = skedi_i64_max(most, (int64_t)skedi_muldiv((uint64_t)a->task[k],
                                                         SKED_PPM,
                                                         (uint64_t)all, &rest));
    }
    int64_t cost = most * skedi_i64_min(seconds, 1 << 20) + 1;
    return a->flags & SKED_ASK_MASTER ? 1024 * cost : cost;
}

static void add_candidate(const ref_engine *r, ref_plan *p,
                          candidate_columns *c, uint32_t place, size_t group,
                          int64_t count, int marked)
{
    const ref_group *g = &r->group[group];
    const ref_ask *a = &r->ask[g->ask];
    const ref_job *job = &r->job[a->job];
    uint32_t i = p->in.n++;
    int fixed = (job->flags & SKED_JOB_FIXED) != 0;

    p->group[i] = group;
    c->queue[i] = ref_plan_row(r, p, a->job);
    c->count[i] = (uint32_t)count;
    c->node[i] = place;
    c->user[i] = p->user_row[a->job];
    c->gang[i] = a->flags & SKED_ASK_GANG ? (uint32_t)group + 1 : 0;
    memcpy(c->amount + (size_t)i * r->kinds, a->task,
           r->kinds * sizeof *c->amount);
    c->cost[i] = cost_of(r, p, g);
    c->priority[i] = job->priority;
    c->state[i] = (uint8_t)((fixed ? SKED_CANDIDATE_FIXED : 0) |
                            (marked ? SKED_CANDIDATE_MARKED : 0));
    c->phase[i] = g->state == REF_PROPOSED ? SKED_RANK_PLACING
                                           : SKED_RANK_RUNNING;
    c->master[i] = (a->flags & SKED_ASK_MASTER) != 0;
    c->started[i] = g->proposed;
    c->saved[i] = g->saved;
    c->submitted[i] = job->submitted;
}

/* What is marked of a group, then the rest of it. */
static void add_groups(const ref_engine *r, ref_plan *p, candidate_columns *c,
                       uint32_t place)
{
    for (size_t i = r->groups; i-- > 0;) {
        const ref_group *g = &r->group[i];
        if (g->state == REF_OVER || g->node != p->node[place]) continue;
        if (!may_give(r, p, ref_plan_row(r, p, r->ask[g->ask].job))) continue;
        int64_t left = g->count - ref_plan_dying(g);
        int64_t marked = skedi_i64_min(ref_engine_marked(r, i), left);
        if (marked > 0) add_candidate(r, p, c, place, i, marked, 1);
        if (left > marked) add_candidate(r, p, c, place, i, left - marked, 0);
    }
}

static void link_columns(const ref_engine *r, ref_plan *p,
                         const candidate_columns *c)
{
    p->rank = (sked_rank_columns){
        .struct_size = sizeof p->rank,
        .n = p->in.n,
        .n_keys = (uint32_t)r->preempt->n_keys,
        .keys = r->preempt->keys,
        .state = c->phase,
        .priority = c->priority,
        .started = c->started,
        .checkpoint = c->saved,
        .master = c->master,
        .submitted = c->submitted,
    };
    p->in.queue = c->queue;
    p->in.count = c->count;
    p->in.node = c->node;
    p->in.user = c->user;
    p->in.gang = c->gang;
    p->in.amount = c->amount;
    p->in.cost = c->cost;
    p->in.priority = c->priority;
    p->in.state = c->state;
    p->in.rank = &p->rank;
}

void ref_plan_candidates(const ref_engine *r, ref_plan *p)
{
    size_t n = 2 * r->groups;
    candidate_columns c = {
        ref_plan_room(p, n, 4), ref_plan_room(p, n, 4),
        ref_plan_room(p, n, 4), ref_plan_room(p, n, 4),
        ref_plan_room(p, n, 4), ref_plan_room(p, n * r->kinds, 8),
        ref_plan_room(p, n, 8), ref_plan_room(p, n, 4),
        ref_plan_room(p, n, 1), ref_plan_room(p, n, 1),
        ref_plan_room(p, n, 1), ref_plan_room(p, n, 8),
        ref_plan_room(p, n, 8), ref_plan_room(p, n, 8),
    };

    p->group = ref_plan_room(p, n, sizeof *p->group);
    for (uint32_t i = 0; i < p->in.n_nodes; i++) add_groups(r, p, &c, i);
    link_columns(r, p, &c);
}
