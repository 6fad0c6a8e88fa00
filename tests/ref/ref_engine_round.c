/*
 * A round of the twin: each partition is read and victims are chosen, then
 * notices, kills and rooms kept follow what the plans say, all partitions at
 * once.
 *
 * The tasks of a group stand by number: those that stay, then those under
 * notice, the last told first, then those that were told to end. Whatever
 * ends, ends from the back.
 */
#include "ref_engine_round.h"

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"

void ref_engine_preempt(ref_engine *r, const sked_engine_preemption *opts)
{
    ref_preemption *p = NULL;

    if (r->preempt) sked_target_free(r->preempt->target);
    free(r->preempt);
    r->preempt = NULL;
    if (!opts) return;
    p = calloc(1, sizeof *p);
    if (!p ||
        sked_target_new(NULL, opts->targets, &p->target, NULL) != SKED_OK ||
        sked_rank_preset(opts->rank, p->keys, 16, &p->n_keys) != SKED_OK) {
        abort();
    }
    p->opts = *opts;
    if (opts->rounds) p->round.options = *opts->rounds;
    if (p->round.options.grace == 0) {
        p->round.options.grace = INT64_C(15000000000);
    }
    if (p->round.options.kinds == 0) p->round.options.kinds = 1;
    p->round.now = INT64_MIN;
    p->keep_for = opts->keep_for ? opts->keep_for : INT64_C(10000000000);
    p->keep_for += skedi_i64_max(p->round.options.grace, 0);
    r->preempt = p;
}

int64_t ref_engine_marked(const ref_engine *r, size_t group)
{
    const ref_round *round = &r->preempt->round;
    int64_t n = 0;

    for (size_t i = 0; i < round->n; i++) {
        n += round->task[i].key == r->group[group].name &&
             !round->task[i].stopping;
    }
    return n;
}

/* ---- Planning ---- */

static void close_plan(ref_plan *p)
{
    ref_books_close(&p->books);
    for (size_t i = 0; i < p->rooms; i++) free(p->room[i]);
}

static int has_nodes(const ref_engine *r, uint32_t partition)
{
    for (size_t i = 0; i < r->nodes; i++) {
        if (!r->node[i].gone && r->node[i].partition == partition) return 1;
    }
    return 0;
}

static sked_status choose(ref_plan *p)
{
    uint32_t victims = 2 * p->in.n + 64;
    uint32_t seats = 2 * (p->in.n_requests + 1) * (p->in.n_nodes + 1) + victims;

    p->plan = (sked_preempt_plan){
        .struct_size = sizeof p->plan,
        .victims = ref_plan_room(p, victims, sizeof *p->plan.victims),
        .seats = ref_plan_room(p, seats, sizeof *p->plan.seats),
        .victims_cap = victims,
        .seats_cap = seats,
    };
    return sked_preempt_select(&p->in, NULL, &p->plan, NULL);
}

static sked_status plan_partition(ref_engine *r, ref_plan *p)
{
    p->books = ref_books_open(r, p->partition);
    sked_status rc = ref_plan_targets(r, p);
    if (rc == SKED_OK) rc = ref_plan_users(r, p);
    if (rc != SKED_OK) return rc;
    ref_plan_places(r, p);
    ref_plan_requests(r, p);
    if (p->in.n_requests == 0 || p->in.n_nodes == 0) return SKED_OK;
    ref_plan_candidates(r, p);
    rc = choose(p);
    for (uint32_t i = 0; rc == SKED_OK && i < p->plan.n_seats; i++) {
        const sked_preempt_seat *seat = &p->plan.seats[i];
        p->planned[p->ask[seat->request]] += seat->count;
    }
    return rc;
}

/* ---- Victims ---- */

static void decide_about(ref_engine *r, size_t group, int32_t kind,
                         const sked_round_action *action, int64_t behind)
{
    const ref_group *g = &r->group[group];
    const ref_ask *a = &r->ask[g->ask];
    int32_t reason = kind == SKED_DECIDE_WITHDRAW ? SKED_REASON_NEED_GONE
                                                  : SKED_REASON_PREEMPTED;

    if (action->flags & SKED_ROUND_OBSERVED) reason = SKED_REASON_OBSERVED;
    (void)ref_engine_decide(
        r, (sked_decision){.kind = kind,
                           .reason = reason,
                           .job = r->job[a->job].key,
                           .ask = a->key,
                           .node = r->node[g->node].key,
                           .group = g->name,
                           .task = g->task + g->count - behind - action->count,
                           .count = action->count,
                           .queue = r->job[a->job].queue,
                           .detail = action->deadline,
                           .kind_at = -1,
                           .partition = r->node[g->node].partition});
}

static size_t group_named(const ref_engine *r, uint64_t name)
{
    size_t i = 0;

    while (i < r->groups &&
           (r->group[i].state == REF_OVER || r->group[i].name != name)) {
        i++;
    }
    return i;
}

/* Of all that is marked of a group, how many were marked before those of this
 * action, which has been carried out in the list of marks already. */
static int64_t marked_before(const ref_engine *r, size_t group, size_t action)
{
    const ref_round *round = &r->preempt->round;
    int64_t n = 0;

    for (size_t i = 0; i < round->n; i++) { /* also what is to be stopped now */
        n += round->task[i].key == r->group[group].name;
    }
    for (size_t i = 0; i < action; i++) {
        const sked_round_action *a = &round->action[i];
        if (a->key != r->group[group].name) continue;
        if (a->what == SKED_ROUND_WITHDRAW) n += a->count;
    }
    return n;
}

static void carry_out(ref_engine *r, size_t i)
{
    ref_round *round = &r->preempt->round;
    const sked_round_action *a = &round->action[i];
    size_t group = group_named(r, a->key);
    int64_t dying = r->group[group].dying;

    if (a->what == SKED_ROUND_WITHDRAW) {
        decide_about(r, group, SKED_DECIDE_WITHDRAW, a,
                     dying + marked_before(r, group, i));
    } else if (a->what == SKED_ROUND_KILL) {
        decide_about(r, group, SKED_DECIDE_KILL, a, dying);
        r->group[group].dying += a->count;
        ref_round_ended(round, a->key, a->count);
    } else {
        decide_about(r, group, SKED_DECIDE_NOTIFY, a,
                     dying + marked_before(r, group, i) - a->count);
    }
}

/* The groups that plans want tasks of, in the order of the plans. */
static void act_on_victims(ref_engine *r, const ref_plan *plans, size_t n)
{
    ref_round *round = &r->preempt->round;
    uint64_t *key = calloc(r->groups + 1, sizeof *key);
    uint32_t *count = calloc(r->groups + 1, sizeof *count), wanted = 0;

    if (!key || !count) abort();
    for (size_t p = 0; p < n; p++) {
        for (uint32_t v = 0; v < plans[p].plan.n_victims; v++) {
            const sked_preempt_victim *victim = &plans[p].plan.victims[v];
            uint64_t name = r->group[plans[p].group[victim->row]].name;
            uint32_t i = 0;
            while (i < wanted && key[i] != name) i++;
            if (i == wanted) key[wanted++] = name;
            count[i] += victim->count;
        }
    }
    const sked_round_wanted in = {
        .struct_size = sizeof in, .n = wanted, .key = key, .count = count};
    round->actions = 0;
    ref_round_update(round, &in, r->now);
    for (size_t i = 0; i < round->actions; i++) carry_out(r, i);
    free(key);
    free(count);
}

/* ---- Rooms ---- */

/* Tasks that a plan seats for an ask on a node; do victims there make any of
 * it? */
static int64_t seats_for(const ref_plan *p, size_t ask, size_t node, int *made)
{
    int64_t n = 0;

    *made = 0;
    for (uint32_t i = 0; i < p->plan.n_seats; i++) {
        const sked_preempt_seat *s = &p->plan.seats[i];
        if (p->ask[s->request] != ask || p->node[s->node] != node) continue;
        n += s->count;
        for (uint32_t v = 0; v < p->plan.n_victims; v++) {
            const sked_preempt_victim *victim = &p->plan.victims[v];
            *made |= victim->request == s->request &&
                     p->in.node[victim->row] == s->node;
        }
    }
    return n;
}

static void void_others(ref_engine *r, const ref_plan *plans, size_t n)
{
    for (;;) {
        size_t next = SIZE_MAX;
        for (size_t i = 0; i < r->rooms; i++) {
            int64_t seats = 0;
            int made;
            for (size_t p = 0; p < n; p++) {
                seats += seats_for(&plans[p], r->kept[i].ask, r->kept[i].node,
                                   &made);
            }
            if (seats > 0) continue;
            if (next == SIZE_MAX ||
                r->kept[i].renewed < r->kept[next].renewed) {
                next = i;
            }
        }
        if (next == SIZE_MAX) return;
        ref_engine_void(r, next);
    }
}

/* All of what victims make is kept; of what is free anyway, so much as was
 * made before. */
static void keep_seat(ref_engine *r, const ref_plan *p, uint32_t seat)
{
    size_t ask = p->ask[p->plan.seats[seat].request];
    size_t node = p->node[p->plan.seats[seat].node];
    size_t before = ref_engine_kept(r, ask, node);
    int64_t had = before == SIZE_MAX ? 0 : r->kept[before].count;
    int made;
    int64_t count = seats_for(p, ask, node, &made);

    if (!made) count = skedi_i64_min(count, had);
    if (count > 0 && r->ask[ask].flags & SKED_ASK_GANG) {
        count = ref_engine_open(&r->ask[ask]);
    }
    if (count == 0) return;
    if (before != SIZE_MAX && had == count) {
        ref_engine_renew(r, before);
        return;
    }
    if (before != SIZE_MAX) ref_engine_drop(r, before);
    ref_engine_keep(r, ask, node, count);
}

static void keep_seats(ref_engine *r, const ref_plan *p)
{
    for (uint32_t i = 0; i < p->plan.n_seats; i++) {
        const sked_preempt_seat *s = &p->plan.seats[i];
        int first = 1;
        for (uint32_t j = 0; j < i && first; j++) {
            first = p->plan.seats[j].request != s->request ||
                    p->plan.seats[j].node != s->node;
        }
        if (first) keep_seat(r, p, i);
    }
}

/* ---- All of it ---- */

sked_status ref_engine_round(ref_engine *r)
{
    ref_plan *plans = calloc(REF_PARTS, sizeof *plans);
    int64_t *planned = calloc(r->asks + 1, sizeof *planned);
    sked_status rc = SKED_OK;
    size_t n = 0;

    if (!plans || !planned) abort();
    for (uint32_t p = 0; r->preempt && p < REF_PARTS && rc == SKED_OK; p++) {
        if (!has_nodes(r, p)) continue;
        plans[n].partition = p;
        plans[n].planned = planned;
        rc = plan_partition(r, &plans[n++]);
    }
    if (r->preempt && rc == SKED_OK) {
        act_on_victims(r, plans, n);
        if (!(r->preempt->round.options.flags & SKED_ROUND_OBSERVE)) {
            void_others(r, plans, n);
            for (size_t p = 0; p < n; p++) keep_seats(r, &plans[p]);
        }
    }
    for (size_t p = 0; p < n; p++) close_plan(&plans[p]);
    free(plans);
    free(planned);
    return rc;
}
