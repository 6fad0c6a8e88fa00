/*
 * Selecting among some candidates: where those absent do not matter, the plan
 * is the one over all of them.
 */
#include "test.h"

#include <string.h>

#include "preempt/preempt_among.h"
#include "preempt_world.h"
#include "size.h"

/* A world without one of its nodes, and who is absent. */
typedef struct part_world {
    preempt_world p;
    skedi_absent left[WORLD_ROWS];
    size_t n_left;
    uint32_t row[WORLD_ROWS]; /* of the whole */
    uint32_t hidden;          /* the node */
} part_world;

/* What it is not for: named nodes, rules inside a queue, budgets of users and
 * jobs; and gangs stand on one node. */
static void simplify(preempt_world *p, test_words *w)
{
    p->in.place_offset = NULL;
    p->in.place = NULL;
    p->in.user_budget = NULL;
    p->in.job_budget = NULL;
    p->in.flags = test_below(w, 4) ? 0 : SKED_PREEMPT_OVERSHOOT;
    for (uint32_t i = 0; p->in.gang && i < p->in.n; i++) {
        if (p->gang[i]) p->node[i] = p->node[p->gang[i] - 1];
    }
}

static int fits_somebody(const preempt_world *p, uint32_t node)
{
    for (uint32_t r = 0; r < p->in.n_requests; r++) {
        int fits = 1;
        for (uint32_t k = 0; k < p->in.kinds; k++) {
            int64_t asked = p->request_amount[r * p->in.kinds + k];
            int64_t free = p->in.free ? p->free[node * p->in.kinds + k] : 0;
            fits &= asked == 0 || asked <= free;
        }
        if (fits) return 1;
    }
    return 0;
}

/* May the node be left out: nothing is fixed on it already? */
static int may_hide(const preempt_world *p, uint32_t node)
{
    for (uint32_t i = 0; p->in.state && i < p->in.n; i++) {
        int marked = (p->state[i] & SKED_CANDIDATE_MARKED) != 0;
        if (marked && p->node[i] == node) return 0;
    }
    return !fits_somebody(p, node);
}

static void keep_row(part_world *part, const preempt_world *p, uint32_t i)
{
    preempt_world *to = &part->p;
    uint32_t n = to->in.n++, kinds = p->in.kinds;

    part->row[n] = i;
    to->queue[n] = p->queue[i];
    to->count[n] = p->count[i];
    to->cost[n] = p->cost[i];
    to->turn[n] = p->turn[i];
    to->node[n] = p->node[i] - (p->node[i] > part->hidden);
    to->user[n] = p->user[i];
    to->job[n] = p->job[i];
    to->priority[n] = p->priority[i];
    to->gang[n] = p->gang[i];
    to->state[n] = p->state[i];
    memcpy(to->amount + n * kinds, p->amount + i * kinds,
           kinds * sizeof *to->amount);
}

/* Tells of a row that is left out: a task of it costs so much or more. */
static void leave_row(part_world *part, const preempt_world *p, uint32_t i)
{
    part->left[part->n_left++] = (skedi_absent){
        .amount = p->amount + i * p->in.kinds,
        .cost = p->in.cost ? p->cost[i] : 1,
        .queue = p->queue[i],
    };
}

/* Columns of rows and nodes are those of the part; all others are shared. */
static void point_at_part(part_world *part)
{
    preempt_world *p = &part->p;
    sked_preempt_problem *in = &p->in;

    in->queue = p->queue;
    in->amount = p->amount;
    in->node = p->node;
    in->job = p->job;
    in->user = p->user;
    in->priority = p->priority;
    if (in->count) in->count = p->count;
    if (in->cost) in->cost = p->cost;
    if (in->gang) in->gang = p->gang;
    if (in->state) in->state = p->state;
    if (in->free) in->free = p->free;
    if (in->rank) in->rank = &p->rank;
    p->rank.host = p->turn;
    p->rank.n = in->n;
    p->plan.victims = p->victims;
    p->plan.seats = p->seats;
    p->plan.after = p->after;
    p->plan.covered = p->covered;
}

static void hide(part_world *part, const preempt_world *p, uint32_t node)
{
    uint32_t kinds = p->in.kinds, after = p->in.n_nodes - node - 1;

    *part = (part_world){.p = *p, .hidden = node};
    part->p.in.n = 0;
    for (uint32_t i = 0; i < p->in.n; i++) {
        if (p->node[i] == node)
            leave_row(part, p, i);
        else
            keep_row(part, p, i);
    }
    memmove(part->p.free + node * kinds, part->p.free + (node + 1) * kinds,
            after * kinds * sizeof *part->p.free);
    part->p.in.n_nodes--;
    point_at_part(part);
}

static void must_be_the_same(const part_world *part, const preempt_world *p)
{
    const preempt_world *q = &part->p;

    assert_i64(q->plan.n_victims, p->plan.n_victims);
    assert_i64(q->plan.n_seats, p->plan.n_seats);
    assert_i64(q->plan.cost, p->plan.cost);
    for (uint32_t i = 0; i < p->plan.n_victims; i++) {
        const sked_preempt_victim *a = &p->victims[i], *b = &q->victims[i];
        assert_i64(part->row[b->row], a->row);
        assert_i64(b->count, a->count);
        assert_i64(b->request, a->request);
        assert_i64(b->reason, a->reason);
    }
    for (uint32_t i = 0; i < p->plan.n_seats; i++) {
        const sked_preempt_seat *a = &p->seats[i], *b = &q->seats[i];
        assert_i64(b->node + (b->node >= part->hidden), a->node);
        assert_i64(b->request, a->request);
        assert_i64(b->count, a->count);
        assert_i64(b->claim, a->claim);
    }
}

/* How often they matter, and not, with victims that stay. */
static void those_absent_change_nothing(void **state)
{
    test_words w = {131};
    size_t matter = 0, spare = 0, idle = 0;
    (void)state;

    for (size_t i = 0; i < test_size(60000, 2000000); i++) {
        preempt_world p;
        part_world part;
        preempt_world_draw(&p, &w, 4);
        if (p.in.n_nodes < 2) continue;
        simplify(&p, &w);
        uint32_t node = (uint32_t)test_below(&w, p.in.n_nodes);
        if (!may_hide(&p, node)) continue;
        hide(&part, &p, node);
        skedi_absents absent = {.at = part.left, .n = part.n_left};
        assert_ok(sked_preempt_select(&p.in, NULL, &p.plan, NULL));
        assert_ok(
            skedi_preempt_among(&part.p.in, NULL, &absent, &part.p.plan, NULL));
        matter += absent.matter != 0;
        if (absent.matter) continue;
        must_be_the_same(&part, &p);
        spare += part.n_left > 0 && p.plan.n_victims > 0;
        idle += part.n_left > 0 && p.plan.n_victims == 0;
    }
    assert_true(matter > 1000 && spare > 100 && idle > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_absent_change_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
