/* Choosing victims, and verifying plans. */
#include "test.h"

#include <sched/preempt.h>

#include <string.h>

#include "host.h"

enum { ROOM = 32, KINDS = 2 };

/* Three leaves over cpu and memory: `a` uses 12 of its 6, `b` has its own, and
 * `c` waits. Twelve tasks of one unit each in `a`, two a node. */
typedef struct round_world {
    sked_preempt_problem in;
    int64_t usage[3 * KINDS], share[3 * KINDS], need[KINDS];
    int64_t amount[14 * KINDS], cost[14], free[7 * KINDS];
    uint32_t queue[14], node[14], count[14];
    uint32_t request_queue[2], request_count[2];
    int64_t request_amount[2 * KINDS];
    sked_preempt_victim victims[ROOM];
    sked_preempt_seat seats[ROOM];
    int64_t after[3 * KINDS], covered[KINDS];
    sked_preempt_plan plan;
    sked_error err;
} round_world;

static void by_need(round_world *w)
{
    memset(w, 0, sizeof *w);
    for (int k = 0; k < KINDS; k++) {
        w->usage[k] = 12;
        w->share[k] = 6;
        w->usage[KINDS + k] = 2;
        w->share[KINDS + k] = 2;
        w->share[2 * KINDS + k] = 6;
        w->need[k] = 3;
        w->request_amount[k] = 2;
    }
    for (uint32_t i = 0; i < 14; i++) {
        w->queue[i] = i < 12 ? 0 : 1;
        w->node[i] = i / 2;
        w->count[i] = 1;
        w->cost[i] = 14 - i;
        for (uint32_t k = 0; k < KINDS; k++) w->amount[i * KINDS + k] = 1;
    }
    w->in = (sked_preempt_problem){.struct_size = sizeof w->in,
                                   .kinds = KINDS,
                                   .n_queues = 3,
                                   .n = 14,
                                   .usage = w->usage,
                                   .share = w->share,
                                   .need = w->need,
                                   .queue = w->queue,
                                   .amount = w->amount,
                                   .cost = w->cost};
    w->plan = (sked_preempt_plan){.struct_size = sizeof w->plan,
                                  .victims = w->victims,
                                  .seats = w->seats,
                                  .after = w->after,
                                  .covered = w->covered,
                                  .victims_cap = ROOM,
                                  .seats_cap = ROOM};
}

/* `c` asks for one task of two units of each kind. */
static void by_request(round_world *w)
{
    by_need(w);
    w->in.need = NULL;
    w->in.n_nodes = 7;
    w->in.node = w->node;
    w->in.n_requests = 1;
    w->in.request_queue = w->request_queue;
    w->in.request_amount = w->request_amount;
    w->in.free = w->free;
    w->request_queue[0] = 2;
    w->request_count[0] = 1;
    w->in.request_count = w->request_count;
}

static sked_status select_victims(round_world *w)
{
    return sked_preempt_select(&w->in, NULL, &w->plan, &w->err);
}

static void plan_holds(round_world *w)
{
    assert_ok(select_victims(w));
    assert_ok(sked_preempt_verify(&w->in, NULL, &w->plan, &w->err));
}

/* ---- What is chosen ---- */

static void the_cheapest_give_what_is_needed(void **state)
{
    round_world w;
    (void)state;

    by_need(&w);
    plan_holds(&w);
    assert_i64(w.plan.outcome, SKED_PREEMPT_COVERED);
    assert_i64(w.plan.n_victims, 3);
    assert_i64((int64_t)w.plan.tasks, 3);
    assert_i64(w.plan.cost, 3 + 4 + 5); /* the last three of queue a */
    assert_i64(w.plan.bound, 12);
    assert_i64(w.covered[0], 3);
    assert_i64(w.after[0], 9);
    assert_i64(w.after[KINDS], 2);
    for (uint32_t i = 0; i < 3; i++) {
        assert_i64(w.victims[i].request, SKED_NO_ROW);
        assert_i64(w.victims[i].reason, SKED_VICTIM_OVER);
    }
}

/* [CAP-3] Only what is above its share gives, and only down to it. */
static void nobody_falls_below_its_keep(void **state)
{
    round_world w;
    (void)state;

    by_need(&w);
    w.need[0] = w.need[1] = 100;
    plan_holds(&w);
    assert_i64(w.plan.outcome, SKED_PREEMPT_PARTLY);
    assert_i64(w.plan.n_victims, 6);
    assert_i64(w.after[0], 6);
    w.share[0] = SKED_UNLIMITED; /* nothing may be taken of one kind */
    plan_holds(&w);
    assert_i64(w.plan.n_victims, 0);
}

/* [CAP-11] The budgets of round, partition, queue, user and job bound it. */
static void budgets_are_never_passed(void **state)
{
    const int64_t two[KINDS] = {2, SKED_UNLIMITED};
    const int64_t of_queues[3 * KINDS] = {2, 2, 0, 0, 0, 0};
    const int64_t of_users[KINDS] = {2, 2}, of_jobs[2] = {1, 1};
    uint32_t users[14] = {0}, jobs[14] = {0, 0, 0, 1, 1, 1};
    round_world w;
    (void)state;

    by_need(&w);
    w.in.budget = two;
    plan_holds(&w);
    assert_i64(w.plan.n_victims, 2);
    by_need(&w);
    w.in.partition_budget = two;
    plan_holds(&w);
    assert_i64(w.plan.n_victims, 2);
    by_need(&w);
    w.in.queue_budget = of_queues;
    plan_holds(&w);
    assert_i64(w.plan.n_victims, 2);
    by_need(&w);
    w.in.user = users;
    w.in.n_users = 1;
    w.in.user_budget = of_users;
    plan_holds(&w);
    assert_i64(w.plan.n_victims, 2);
    by_need(&w);
    w.in.job = jobs;
    w.in.n_jobs = 2;
    w.in.job_budget = of_jobs;
    plan_holds(&w);
    assert_i64(w.plan.n_victims, 2);
    assert_i64(w.plan.outcome, SKED_PREEMPT_PARTLY);
}

/* What is on the way already is taken first, and uses no budget. */
static void marked_tasks_are_credited_first(void **state)
{
    uint8_t marks[14] = {SKED_CANDIDATE_MARKED, SKED_CANDIDATE_MARKED};
    const int64_t one[KINDS] = {1, 1};
    round_world w;
    (void)state;

    by_need(&w);
    w.in.state = marks;
    w.in.budget = one;
    plan_holds(&w);
    assert_i64(w.plan.outcome, SKED_PREEMPT_COVERED);
    assert_i64(w.victims[0].row, 0);
    assert_i64(w.victims[1].row, 1);
    assert_i64(w.victims[0].cost, 0);
    assert_i64(w.plan.cost, 3);
    w.need[0] = w.need[1] = 1; /* one is no longer needed */
    plan_holds(&w);
    assert_i64(w.plan.n_victims, 1);
    assert_i64(w.plan.cost, 0);
    w.need[0] = w.need[1] = 0;
    plan_holds(&w);
    assert_i64(w.plan.n_victims, 0);
}

/* [PEL-13] A task that says so is never a victim, nor is its gang. */
static void fixed_tasks_stay(void **state)
{
    uint8_t fixed[14];
    uint32_t gangs[14] = {1, 1};
    round_world w;
    (void)state;

    by_need(&w);
    memset(fixed, SKED_CANDIDATE_FIXED, sizeof fixed);
    fixed[0] = 0;
    w.in.state = fixed;
    plan_holds(&w);
    assert_i64(w.plan.n_victims, 1);
    w.in.gang = gangs;
    plan_holds(&w);
    assert_i64(w.plan.n_victims, 0);
}

/* [PEL-20] A gang goes whole or not at all. */
static void gangs_go_whole(void **state)
{
    uint32_t gangs[14] = {0, 0, 0, 0, 0, 0, 0, 0, 7, 7, 7, 7};
    round_world w;
    (void)state;

    by_need(&w);
    w.in.gang = gangs;
    plan_holds(&w);
    assert_i64(w.plan.n_victims, 4); /* 3 + 4 + 5 + 6, less than 7 + 8 + 9 */
    assert_i64(w.plan.cost, 18);
    gangs[7] = gangs[6] = gangs[5] = 7; /* seven are too many to give */
    plan_holds(&w);
    assert_i64(w.plan.n_victims, 3);
    assert_i64(w.plan.cost, 10 + 11 + 12);
}

static void rows_stand_for_alike_tasks(void **state)
{
    round_world w;
    (void)state;

    by_need(&w);
    w.in.count = w.count;
    w.count[11] = 5;
    w.count[10] = 0;
    plan_holds(&w);
    assert_i64(w.plan.n_victims, 1);
    assert_i64(w.victims[0].row, 11);
    assert_i64(w.victims[0].count, 3);
    assert_i64(w.victims[0].cost, 9);
}

/* Without costs fewest tasks go, and of equals those whose turn is first. */
static void without_costs_the_order_decides(void **state)
{
    static const int32_t keys[] = {SKED_RANK_PRIORITY};
    int32_t priority[14] = {9, 9, 1, 9, 2, 9, 9, 1, 9, 9, 9, 9, 9, 9};
    sked_rank_columns rank = {.struct_size = sizeof rank,
                              .n = 14,
                              .n_keys = 1,
                              .keys = keys,
                              .priority = priority};
    round_world w;
    (void)state;

    by_need(&w);
    w.in.cost = NULL;
    w.in.rank = &rank;
    plan_holds(&w);
    assert_i64(w.plan.n_victims, 3);
    assert_i64(w.victims[0].row, 2);
    assert_i64(w.victims[1].row, 7);
    assert_i64(w.victims[2].row, 4);
    w.amount[5 * KINDS] = w.amount[5 * KINDS + 1] = 3; /* one is enough */
    plan_holds(&w);
    assert_i64(w.plan.n_victims, 1);
    assert_i64(w.victims[0].row, 5);
}

/* A queue covers no more than its take. */
static void a_queue_covers_up_to_its_take(void **state)
{
    const int64_t take[3 * KINDS] = {1, 2, 0, 0, 0, 0};
    round_world w;
    (void)state;

    by_need(&w);
    w.in.take = take;
    plan_holds(&w);
    assert_i64(w.plan.n_victims, 2);
    assert_i64(w.covered[0], 1);
    assert_i64(w.covered[1], 2);
    assert_i64(w.plan.outcome, SKED_PREEMPT_PARTLY);
}

/* The walk of others takes them as they come, spare ones too. */
static void the_plain_walk_takes_them_as_they_come(void **state)
{
    round_world w;
    (void)state;

    by_need(&w);
    w.in.flags = SKED_PREEMPT_PLAIN;
    w.amount[2 * KINDS] = w.amount[2 * KINDS + 1] = 3;
    plan_holds(&w);
    assert_i64(w.plan.n_victims, 3);
    assert_i64(w.victims[0].row, 0);
    assert_i64(w.victims[2].row, 2);
    assert_i64(w.plan.cost, 14 + 13 + 12);
    assert_i64(w.plan.bound, 3 + 4 + 4); /* the cheapest units */
    w.in.flags = 0;
    assert_status(SKED_ERR_INVALID,
                  sked_preempt_verify(&w.in, NULL, &w.plan, &w.err));
    assert_string_equal(w.err.message, "a victim that can be spared");
}

/* As others: the last victim may bring its queue below what it keeps. */
static void overshoot_is_by_less_than_a_task(void **state)
{
    round_world w;
    (void)state;

    by_need(&w);
    for (uint32_t i = 0; i < 12 * KINDS; i++) w.amount[i] = 4;
    w.usage[0] = w.usage[1] = 48;
    w.share[0] = w.share[1] = 43;
    w.need[0] = w.need[1] = 5;
    plan_holds(&w);
    assert_i64(w.plan.n_victims, 1);
    w.in.flags = SKED_PREEMPT_OVERSHOOT;
    plan_holds(&w);
    assert_i64(w.plan.n_victims, 2);
    assert_i64(w.after[0], 40);
}

/* ---- By request ---- */

/* Room appears on one node, where the request fits. */
static void room_appears_where_the_request_fits(void **state)
{
    round_world w;
    (void)state;

    by_request(&w);
    plan_holds(&w);
    assert_i64(w.plan.outcome, SKED_PREEMPT_COVERED);
    assert_i64(w.plan.n_victims, 2);
    assert_i64(w.plan.n_seats, 1);
    assert_i64(w.seats[0].node, 5); /* rows 10 and 11, the cheapest pair */
    assert_i64(w.seats[0].claim, 1);
    assert_i64((int64_t)w.plan.served, 1);
    assert_i64(w.victims[0].request, 0);
    assert_i64(w.plan.cost, 3 + 4);
    assert_i64(w.after[0], 10);
    assert_i64(w.after[2 * KINDS], 2);
    w.free[2 * KINDS] = w.free[2 * KINDS + 1] = 1; /* one is enough there */
    w.cost[5] = 2;
    plan_holds(&w);
    assert_i64(w.plan.n_victims, 1);
    assert_i64(w.victims[0].row, 5);
    w.free[6 * KINDS] = w.free[6 * KINDS + 1] = 2; /* and here none is */
    plan_holds(&w);
    assert_i64(w.plan.n_victims, 0);
    assert_i64(w.seats[0].node, 6);
}

static void only_named_places_are_searched(void **state)
{
    const uint32_t offset[2] = {0, 2}, place[2] = {3, 1};
    round_world w;
    (void)state;

    by_request(&w);
    w.in.place_offset = offset;
    w.in.place = place;
    w.in.cost = NULL; /* both cost the same: the preferred one */
    plan_holds(&w);
    assert_i64(w.seats[0].node, 3);
    w.in.cost = w.cost;
    w.cost[2] = w.cost[3] = 1;
    plan_holds(&w);
    assert_i64(w.seats[0].node, 1);
}

/* A queue that has its share claims nothing, whatever it asks for. */
static void beyond_the_share_nothing_is_claimed(void **state)
{
    round_world w;
    (void)state;

    by_request(&w);
    w.request_count[0] = 9; /* a share of 6 holds three of them */
    plan_holds(&w);
    assert_i64((int64_t)w.plan.served, 3);
    assert_i64(w.plan.outcome, SKED_PREEMPT_COVERED);
    assert_i64(w.after[0], 6);
    assert_i64(w.after[2 * KINDS], 6);
    w.share[2 * KINDS] = 1;
    plan_holds(&w);
    assert_i64(w.plan.n_seats, 0);
}

/* Without nodes there is one place, and it holds what goes. */
static void without_nodes_there_is_one_place(void **state)
{
    round_world w;
    (void)state;

    by_request(&w);
    w.in.n_nodes = 0;
    w.in.node = NULL;
    w.request_count[0] = 2;
    plan_holds(&w);
    assert_i64((int64_t)w.plan.served, 2);
    assert_i64(w.plan.n_victims, 4);
    assert_i64(w.plan.cost, 3 + 4 + 5 + 6);
}

/* By request a queue gives its take, or one task that is larger. */
static void a_queue_gives_its_take_or_one_task(void **state)
{
    const int64_t take[3 * KINDS] = {1, 1, 0, 0, 0, 0};
    round_world w;
    (void)state;

    by_request(&w);
    w.in.take = take;
    plan_holds(&w);
    assert_i64(w.plan.outcome, SKED_PREEMPT_PARTLY);
    assert_i64(w.plan.n_seats, 0);
    w.amount[3 * KINDS] = w.amount[3 * KINDS + 1] = 2;
    plan_holds(&w);
    assert_i64(w.plan.n_victims, 1);
    assert_i64(w.victims[0].row, 3);
}

/* [CAP-19] Inside a leaf lower priorities give way to higher ones. */
static void priorities_decide_inside_a_leaf(void **state)
{
    int32_t priority[14] = {5, 5, 5, 5, 1, 1, 5, 5, 5, 5, 5, 5};
    const int32_t asks[1] = {5};
    round_world w;
    (void)state;

    by_request(&w);
    w.request_queue[0] = 0; /* above its share: no claim */
    w.in.priority = priority;
    w.in.request_priority = asks;
    plan_holds(&w);
    assert_i64(w.plan.n_seats, 0);
    w.in.flags = SKED_PREEMPT_BY_PRIORITY;
    plan_holds(&w);
    assert_i64(w.plan.n_victims, 2);
    assert_i64(w.victims[0].row, 4);
    assert_i64(w.victims[0].reason, SKED_VICTIM_PRIORITY);
    assert_i64(w.seats[0].claim, 0);
    assert_i64(w.after[0], 12);
}

/* [CAP-17] [PEL-17] Inside a leaf users give down to what they keep, to users
 * within their shares. */
static void users_share_a_leaf(void **state)
{
    uint32_t users[14] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1};
    const uint32_t asks[1] = {1};
    int64_t usage[2 * KINDS] = {8, 8, 4, 4}, share[2 * KINDS] = {6, 6, 6, 6};
    round_world w;
    (void)state;

    by_request(&w);
    w.request_queue[0] = 0;
    w.request_count[0] = 3;
    w.in.user = users;
    w.in.request_user = asks;
    w.in.n_users = 2;
    w.in.user_usage = usage;
    w.in.user_share = share;
    w.in.flags = SKED_PREEMPT_BY_USER;
    plan_holds(&w);
    assert_i64((int64_t)w.plan.served, 1); /* user 1 has its share then */
    assert_i64(w.plan.n_victims, 2);
    assert_i64(w.victims[0].reason, SKED_VICTIM_USER);
    assert_true(w.victims[0].row < 8);
    usage[2] = usage[3] = 6; /* it has it already */
    plan_holds(&w);
    assert_i64(w.plan.n_victims, 0);
    usage[2] = usage[3] = 0;
    usage[0] = usage[1] = 7; /* the other has one to give, not two */
    plan_holds(&w);
    assert_i64(w.plan.n_victims, 0);
}

/* A victim is let go when a later one makes its room spare. */
static void nothing_spare_is_left(void **state)
{
    round_world w;
    (void)state;

    by_request(&w);
    w.in.n_requests = 2;
    w.request_queue[1] = 2;
    w.request_count[1] = 1;
    w.request_amount[0] = w.request_amount[1] = 1;
    w.request_amount[2] = w.request_amount[3] = 3;
    w.in.n = 2;
    w.amount[2] = w.amount[3] = 5;
    w.cost[0] = 1;
    w.cost[1] = 9;
    w.usage[0] = w.usage[1] = 12;
    plan_holds(&w);
    assert_i64((int64_t)w.plan.served, 2);
    assert_i64(w.plan.n_victims, 1);
    assert_i64(w.victims[0].row, 1);
}

/* Gangs free room on every node they stand on, and others may use it. */
static void a_gang_makes_room_on_all_its_nodes(void **state)
{
    uint32_t gangs[14] = {3, 3, 3, 3};
    uint8_t fixed[14] = {0};
    round_world w;
    (void)state;

    by_request(&w);
    memset(fixed + 4, SKED_CANDIDATE_FIXED, 10);
    w.in.gang = gangs;
    w.in.state = fixed;
    w.request_count[0] = 2;
    plan_holds(&w);
    assert_i64((int64_t)w.plan.served, 2);
    assert_i64(w.plan.n_victims, 4);
    assert_i64(w.plan.n_seats, 2);
}

/* ---- The budget of work ---- */

/* Eighteen sizes that nearly add up: a search that takes its time. */
static void little_work_leaves_a_gap_that_is_said(void **state)
{
    int64_t usage[1] = {100000}, keep[1] = {0}, need[1] = {50001};
    int64_t amount[24], cost[24];
    uint32_t queue[24] = {0};
    sked_preempt_victim victims[24];
    sked_preempt_plan plan = {
        .struct_size = sizeof plan, .victims = victims, .victims_cap = 24};
    sked_preempt_problem in = {.struct_size = sizeof in,
                               .kinds = 1,
                               .n_queues = 1,
                               .n = 24,
                               .work = 1,
                               .usage = usage,
                               .keep = keep,
                               .need = need,
                               .queue = queue,
                               .amount = amount,
                               .cost = cost};
    (void)state;

    for (int64_t i = 0; i < 24; i++) {
        amount[i] = 4000 + i * 37 % 29;
        cost[i] = 4000 + i * 37 % 31;
    }
    assert_ok(sked_preempt_select(&in, NULL, &plan, NULL));
    assert_ok(sked_preempt_verify(&in, NULL, &plan, NULL));
    int64_t first = plan.cost;
    assert_true(plan.bound < plan.cost);
    in.work = 200000000;
    assert_ok(sked_preempt_select(&in, NULL, &plan, NULL));
    assert_i64(plan.bound, plan.cost);
    assert_true(plan.cost <= first);
}

/* Of many alike in size the cheapest go, whatever order they come in. */
static void the_cheapest_of_many_go(void **state)
{
    enum { MANY = 500, NEED = 123 };
    int64_t usage[1] = {MANY}, keep[1] = {0}, need[1] = {NEED};
    int64_t amount[MANY], cost[MANY];
    uint32_t queue[MANY] = {0};
    sked_preempt_victim victims[MANY];
    sked_preempt_plan plan = {
        .struct_size = sizeof plan, .victims = victims, .victims_cap = MANY};
    sked_preempt_problem in = {.struct_size = sizeof in,
                               .kinds = 1,
                               .n_queues = 1,
                               .n = MANY,
                               .usage = usage,
                               .keep = keep,
                               .need = need,
                               .queue = queue,
                               .amount = amount,
                               .cost = cost};
    (void)state;

    for (int64_t i = 0; i < MANY; i++) {
        amount[i] = 1;
        cost[i] = i * 211 % MANY; /* each number once */
    }
    assert_ok(sked_preempt_select(&in, NULL, &plan, NULL));
    assert_ok(sked_preempt_verify(&in, NULL, &plan, NULL));
    assert_i64(plan.n_victims, NEED);
    assert_i64(plan.cost, NEED * (NEED - 1) / 2);
    assert_i64(plan.bound, plan.cost);
}

/* Requests of more sizes than places are remembered for. */
static void requests_of_many_sizes_are_served(void **state)
{
    enum { SIZES = 40, WORKERS = 80 };
    int64_t usage[2] = {64 * WORKERS, 0}, share[2] = {0, 64 * WORKERS};
    int64_t amount[WORKERS], request_amount[SIZES];
    uint32_t queue[WORKERS] = {0}, node[WORKERS], request_queue[SIZES];
    sked_preempt_victim victims[WORKERS];
    sked_preempt_seat seats[WORKERS];
    sked_preempt_plan plan = {.struct_size = sizeof plan,
                              .victims = victims,
                              .seats = seats,
                              .victims_cap = WORKERS,
                              .seats_cap = WORKERS};
    sked_preempt_problem in = {.struct_size = sizeof in,
                               .kinds = 1,
                               .n_queues = 2,
                               .n_nodes = WORKERS,
                               .n_requests = SIZES,
                               .n = WORKERS,
                               .usage = usage,
                               .share = share,
                               .queue = queue,
                               .amount = amount,
                               .node = node,
                               .request_queue = request_queue,
                               .request_amount = request_amount};
    (void)state;

    for (uint32_t i = 0; i < WORKERS; i++) {
        amount[i] = 64;
        node[i] = i;
    }
    for (uint32_t r = 0; r < SIZES; r++) {
        request_queue[r] = 1;
        request_amount[r] = 64 - (int64_t)r;
    }
    assert_ok(sked_preempt_select(&in, NULL, &plan, NULL));
    assert_ok(sked_preempt_verify(&in, NULL, &plan, NULL));
    assert_i64((int64_t)plan.served, SIZES);
    assert_i64(plan.cost, plan.bound);
    for (uint32_t r = 0; r < SIZES; r++) request_amount[r] = 64 - r % 7;
    assert_ok(sked_preempt_select(&in, NULL, &plan, NULL));
    assert_ok(sked_preempt_verify(&in, NULL, &plan, NULL));
    assert_i64((int64_t)plan.served, SIZES);
}

/* ---- Bad input ---- */

static void refused(round_world *w, sked_status want, const char *message,
                    int64_t row)
{
    sked_preempt_plan before = w->plan;

    assert_status(want, select_victims(w));
    assert_string_equal(w->err.message, message);
    assert_i64(w->err.row, row);
    assert_memory_equal(&before, &w->plan, sizeof before);
    assert_status(want, sked_preempt_verify(&w->in, NULL, &w->plan, NULL));
}

static void bad_numbers_are_named(void **state)
{
    round_world w;
    (void)state;

    by_need(&w);
    w.usage[3] = -1;
    refused(&w, SKED_ERR_RANGE, "usage out of range", 1);
    assert_i64(w.err.kind, 1);
    assert_i64(w.err.got, -1);
    by_need(&w);
    w.need[1] = SKED_AMOUNT_MAX + 1;
    refused(&w, SKED_ERR_RANGE, "need out of range", 0);
    by_need(&w);
    w.amount[7] = -5;
    refused(&w, SKED_ERR_RANGE, "amount out of range", 3);
    by_need(&w);
    w.cost[4] = -1;
    refused(&w, SKED_ERR_RANGE, "cost out of range", 4);
    by_need(&w);
    w.cost[4] = w.cost[5] = SKED_AMOUNT_MAX;
    refused(&w, SKED_ERR_RANGE, "costs add up to more than an amount can be",
            4);
    by_need(&w);
    w.queue[13] = 3;
    refused(&w, SKED_ERR_ARG, "candidate: no such queue", 13);
    by_need(&w);
    w.in.kinds = 0;
    refused(&w, SKED_ERR_RANGE, "kinds out of range", -1);
    by_need(&w);
    w.in.n_queues = SKED_MAX_QUEUES + 1;
    refused(&w, SKED_ERR_RANGE, "too many queues", -1);
    by_need(&w);
    w.in.n = UINT32_MAX;
    refused(&w, SKED_ERR_RANGE, "too many rows", -1);
}

static void rows_that_are_not_there_are_named(void **state)
{
    uint32_t ones[14], offset[2] = {0, 1}, place[1] = {7};
    uint32_t gangs[14] = {1, 1};
    const int64_t some[14 * KINDS] = {0};
    round_world w;
    (void)state;

    for (int i = 0; i < 14; i++) ones[i] = 1;
    by_request(&w);
    w.node[5] = 7;
    refused(&w, SKED_ERR_ARG, "candidate: no such node", 5);
    by_request(&w);
    w.in.job = ones;
    w.in.n_jobs = 1;
    w.in.job_budget = some;
    refused(&w, SKED_ERR_ARG, "candidate: no such job", 0);
    by_request(&w);
    w.in.user = ones;
    w.in.n_users = 1;
    w.in.user_budget = some;
    refused(&w, SKED_ERR_ARG, "candidate: no such user", 0);
    by_request(&w);
    w.in.request_user = ones;
    w.in.user_usage = some;
    w.in.n_users = 1;
    refused(&w, SKED_ERR_ARG, "request: no such user", 0);
    by_request(&w);
    w.request_queue[0] = 3;
    refused(&w, SKED_ERR_ARG, "request: no such queue", 0);
    by_request(&w);
    w.request_amount[0] = w.request_amount[1] = 0;
    refused(&w, SKED_ERR_ARG, "request asks for nothing", 0);
    by_request(&w);
    w.in.place_offset = offset;
    w.in.place = place;
    refused(&w, SKED_ERR_ARG, "request: no such node", 0);
    offset[0] = 2;
    refused(&w, SKED_ERR_ARG, "places end before they begin", 0);
    by_need(&w);
    w.in.gang = gangs;
    w.in.priority = (const int32_t *)ones;
    ones[1] = 2;
    refused(&w, SKED_ERR_ARG, "rows of a gang do not agree", 1);
}

static void missing_columns_are_refused(void **state)
{
    static const int32_t key = SKED_RANK_HOST;
    sked_rank_columns rank = {
        .struct_size = sizeof rank, .n = 13, .n_keys = 1, .keys = &key};
    const uint32_t offset[2] = {0, 0};
    round_world w;
    (void)state;

    by_need(&w);
    w.in.need = NULL;
    refused(&w, SKED_ERR_ARG, "neither need nor requests", -1);
    by_need(&w);
    w.in.share = NULL;
    refused(&w, SKED_ERR_ARG, "queues lack usage, share or keep", -1);
    by_need(&w);
    w.in.amount = NULL;
    refused(&w, SKED_ERR_ARG, "candidates lack queue or amount", -1);
    by_need(&w);
    w.in.job_budget = w.need;
    refused(&w, SKED_ERR_ARG, "budgets lack the rows they speak of", -1);
    by_request(&w);
    w.in.request_amount = NULL;
    refused(&w, SKED_ERR_ARG, "requests lack share, queue or amount", -1);
    by_request(&w);
    w.in.node = NULL;
    refused(&w, SKED_ERR_ARG, "candidates lack their nodes", -1);
    by_request(&w);
    w.in.place_offset = offset;
    refused(&w, SKED_ERR_ARG, "places lack their nodes", -1);
    by_request(&w);
    w.in.flags = SKED_PREEMPT_BY_USER;
    refused(&w, SKED_ERR_ARG, "users lack usage, share or rows", -1);
    by_need(&w);
    w.in.flags = 64;
    refused(&w, SKED_ERR_ARG, "unknown flag", -1);
    by_need(&w);
    w.in.rank = &rank;
    refused(&w, SKED_ERR_ARG, "rank is not over these candidates", -1);
    by_need(&w);
    w.in.struct_size = 12;
    refused(&w, SKED_ERR_VERSION, "problem has an unknown struct_size", -1);
    by_need(&w);
    w.plan.struct_size = 12;
    refused(&w, SKED_ERR_VERSION, "plan has an unknown struct_size", -1);
    assert_status(SKED_ERR_ARG, sked_preempt_select(NULL, NULL, &w.plan, NULL));
    assert_status(SKED_ERR_ARG, sked_preempt_select(&w.in, NULL, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_preempt_verify(&w.in, NULL, NULL, NULL));
}

static void sums_that_overflow_are_named(void **state)
{
    uint32_t gangs[14] = {1, 1};
    round_world w;
    (void)state;

    by_need(&w);
    w.in.count = w.count;
    w.count[2] = 3;
    w.amount[4] = SKED_AMOUNT_MAX / 2;
    refused(&w, SKED_ERR_RANGE, "amount out of range", 2);
    by_need(&w);
    w.amount[0] = w.amount[2] = SKED_AMOUNT_MAX;
    w.in.gang = gangs;
    refused(&w, SKED_ERR_RANGE, "amount out of range", 1);
    by_request(&w);
    w.free[0] = SKED_AMOUNT_MAX;
    refused(&w, SKED_ERR_RANGE,
            "tasks on a node hold more than an amount can be", 0);
}

static void gangs_are_of_less_than_2_to_the_31(void **state)
{
    uint32_t gangs[14] = {1, 1};
    round_world w;
    (void)state;

    by_need(&w);
    w.in.count = w.count;
    w.in.gang = gangs;
    w.in.cost = NULL;
    w.count[0] = w.count[1] = (uint32_t)1 << 30;
    refused(&w, SKED_ERR_RANGE, "a gang is too large", 0);
    assert_i64(w.err.got, (int64_t)1 << 31);
}

static void a_plan_that_is_too_small_says_what_it_needs(void **state)
{
    round_world w;
    (void)state;

    by_need(&w);
    w.plan.victims_cap = 2;
    assert_status(SKED_ERR_RANGE, select_victims(&w));
    assert_i64(w.plan.n_victims, 3);
    assert_i64(w.victims[0].count, 0); /* nothing was written */
    w.plan.victims = NULL;
    assert_status(SKED_ERR_ARG, select_victims(&w));
}

static void nothing_at_all_is_a_plan(void **state)
{
    const int64_t need[1] = {0};
    sked_preempt_plan plan = {.struct_size = sizeof plan};
    sked_preempt_problem in = {
        .struct_size = sizeof in, .kinds = 1, .need = need};
    (void)state;

    assert_ok(sked_preempt_select(&in, NULL, &plan, NULL));
    assert_ok(sked_preempt_verify(&in, NULL, &plan, NULL));
    assert_i64(plan.outcome, SKED_PREEMPT_COVERED);
}

/* ---- Verifying what others planned ---- */

static void broken(round_world *w, const char *message, int64_t row)
{
    assert_status(SKED_ERR_INVALID,
                  sked_preempt_verify(&w->in, NULL, &w->plan, &w->err));
    assert_string_equal(w->err.message, message);
    assert_i64(w->err.row, row);
}

static void a_plan_of_victims(round_world *w, uint32_t n)
{
    w->plan.n_victims = n;
    for (uint32_t i = 0; i < n; i++) {
        w->victims[i] = (sked_preempt_victim){.row = i,
                                              .count = 1,
                                              .request = SKED_NO_ROW,
                                              .reason = SKED_VICTIM_OVER};
    }
}

static void plans_by_need_are_judged(void **state)
{
    uint32_t gangs[14] = {1, 1};
    round_world w;
    (void)state;

    by_need(&w);
    a_plan_of_victims(&w, 3);
    assert_ok(sked_preempt_verify(&w.in, NULL, &w.plan, &w.err));
    w.victims[2].row = 14;
    broken(&w, "victim: no such row", 2);
    w.victims[2].row = 12;
    broken(&w, "victim may not be taken", 2);
    w.victims[2].row = 1;
    broken(&w, "more tasks than the row has", 2);
    w.victims[2].row = 2;
    w.victims[2].count = 0;
    broken(&w, "victim of no tasks", 2);
    w.victims[2].count = 1;
    w.victims[1].request = 0;
    broken(&w, "victim for nobody's need", 1);
    a_plan_of_victims(&w, 7);
    broken(&w, "beyond keep, take or budget", 6);
    a_plan_of_victims(&w, 4);
    broken(&w, "a victim that can be spared", 0);
    a_plan_of_victims(&w, 1);
    w.in.gang = gangs;
    broken(&w, "a gang goes whole", 0);
    w.in.count = w.count;
    w.count[0] = 2;
    broken(&w, "a gang goes whole", 0);
    by_need(&w);
    w.plan.n_seats = 1;
    broken(&w, "seat: no such request", 0);
    w.plan.seats = NULL;
    assert_status(SKED_ERR_ARG,
                  sked_preempt_verify(&w.in, NULL, &w.plan, &w.err));
}

static void a_seated_plan(round_world *w)
{
    by_request(w);
    a_plan_of_victims(w, 2);
    w->victims[0].request = w->victims[1].request = 0;
    w->plan.n_seats = 1;
    w->seats[0] = (sked_preempt_seat){.count = 1, .claim = 1};
    assert_ok(sked_preempt_verify(&w->in, NULL, &w->plan, &w->err));
}

static void plans_by_request_are_judged(void **state)
{
    const uint32_t offset[2] = {0, 1}, place[1] = {3};
    round_world w;
    (void)state;

    a_seated_plan(&w);
    w.victims[1].request = 1;
    broken(&w, "victim: no such request", 1);
    w.victims[1].request = 0;
    w.victims[1].reason = SKED_VICTIM_PRIORITY;
    broken(&w, "no rule of the leaf allows it", 1);
    w.victims[1].reason = 0;
    broken(&w, "no rule of the leaf allows it", 1);
    a_seated_plan(&w);
    w.request_queue[0] = 0;
    broken(&w, "a queue cannot claim from itself", 0);
    a_seated_plan(&w);
    w.seats[0].request = 1;
    broken(&w, "seat: no such request", 0);
    w.seats[0].request = 0;
    w.seats[0].node = 7;
    broken(&w, "seat: not a place of the request", 0);
    w.seats[0].node = 1;
    broken(&w, "seat: the node does not hold it", 0);
    w.seats[0].node = 0;
    w.in.place_offset = offset;
    w.in.place = place;
    broken(&w, "seat: not a place of the request", 0);
    a_seated_plan(&w);
    w.seats[0].count = 2;
    broken(&w, "seat: more tasks than were asked for", 0);
    w.seats[0].count = 1;
    w.share[2 * KINDS] = 1;
    broken(&w, "seat: beyond the queue's share", 0);
    a_seated_plan(&w);
    w.seats[0].claim = 0;
    broken(&w, "its request has no seat", 0);
    a_seated_plan(&w);
    w.free[0] = w.free[1] = 1;
    broken(&w, "a victim that can be spared", 0);
}

static void plans_for_users_are_judged(void **state)
{
    uint32_t users[14] = {0};
    const uint32_t asks[1] = {1};
    int64_t usage[2 * KINDS] = {12, 12, 0, 0}, share[2 * KINDS] = {6, 6, 6, 6};
    round_world w;
    (void)state;

    a_seated_plan(&w);
    w.request_queue[0] = 0;
    w.in.user = users;
    w.in.request_user = asks;
    w.in.n_users = 2;
    w.in.user_usage = usage;
    w.in.user_share = share;
    w.in.flags = SKED_PREEMPT_BY_USER;
    w.victims[0].reason = w.victims[1].reason = SKED_VICTIM_USER;
    w.seats[0].claim = 0;
    assert_ok(sked_preempt_verify(&w.in, NULL, &w.plan, &w.err));
    usage[2] = 5;
    broken(&w, "its request's user has more than a share", 0);
    usage[2] = 0;
    usage[0] = 7;
    broken(&w, "beyond keep, take or budget", 1);
}

/* ---- Memory, cancelling ---- */

static sked_status preempt_scenario(test_host *h, void *arg)
{
    static const int32_t keys[] = {SKED_RANK_PRIORITY};
    static const int32_t priority[14] = {3, 1, 2};
    uint32_t gangs[14] = {1, 1};
    sked_host hooks = test_host_hooks(h);
    sked_rank_columns rank = {.struct_size = sizeof rank,
                              .n = 14,
                              .n_keys = 1,
                              .keys = keys,
                              .priority = priority};
    int requests = *(int *)arg;
    round_world w;

    if (requests) {
        by_request(&w);
        w.request_count[0] = 2;
    } else {
        by_need(&w);
    }
    w.in.rank = &rank;
    w.in.gang = gangs;
    sked_status rc = sked_preempt_select(&w.in, &hooks, &w.plan, NULL);
    if (rc != SKED_OK) {
        assert_i64(w.plan.n_victims, 0);
        assert_i64(w.victims[0].count, 0);
        return rc;
    }
    return sked_preempt_verify(&w.in, &hooks, &w.plan, NULL);
}

/* A search that goes on for some time, and is stopped. */
static sked_status search_scenario(test_host *h, void *arg)
{
    int64_t usage[1] = {100000}, keep[1] = {0}, need[1] = {50001};
    int64_t amount[24], cost[24];
    uint32_t queue[24] = {0};
    sked_host hooks = test_host_hooks(h);
    sked_preempt_victim victims[24] = {{0}};
    sked_preempt_plan plan = {
        .struct_size = sizeof plan, .victims = victims, .victims_cap = 24};
    sked_preempt_problem in = {.struct_size = sizeof in,
                               .kinds = 1,
                               .n_queues = 1,
                               .n = 24,
                               .work = 20000,
                               .usage = usage,
                               .keep = keep,
                               .need = need,
                               .queue = queue,
                               .amount = amount,
                               .cost = cost};
    (void)arg;

    for (int64_t i = 0; i < 24; i++) {
        amount[i] = 4000 + i * 37 % 29;
        cost[i] = 4000 + i * 37 % 31;
    }
    sked_status rc = sked_preempt_select(&in, &hooks, &plan, NULL);
    if (rc == SKED_OK) assert_true(h->checks > 1);
    if (rc != SKED_OK) assert_i64(victims[0].count, 0);
    return rc;
}

static void a_call_that_fails_writes_nothing(void **state)
{
    int requests = 0;
    (void)state;

    test_sweep(preempt_scenario, &requests, 0);
    requests = 1;
    test_sweep(preempt_scenario, &requests, 0);
    test_sweep(search_scenario, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cheapest_give_what_is_needed),
        cmocka_unit_test(nobody_falls_below_its_keep),
        cmocka_unit_test(budgets_are_never_passed),
        cmocka_unit_test(marked_tasks_are_credited_first),
        cmocka_unit_test(fixed_tasks_stay),
        cmocka_unit_test(gangs_go_whole),
        cmocka_unit_test(rows_stand_for_alike_tasks),
        cmocka_unit_test(without_costs_the_order_decides),
        cmocka_unit_test(a_queue_covers_up_to_its_take),
        cmocka_unit_test(the_plain_walk_takes_them_as_they_come),
        cmocka_unit_test(overshoot_is_by_less_than_a_task),
        cmocka_unit_test(room_appears_where_the_request_fits),
        cmocka_unit_test(only_named_places_are_searched),
        cmocka_unit_test(beyond_the_share_nothing_is_claimed),
        cmocka_unit_test(without_nodes_there_is_one_place),
        cmocka_unit_test(a_queue_gives_its_take_or_one_task),
        cmocka_unit_test(priorities_decide_inside_a_leaf),
        cmocka_unit_test(users_share_a_leaf),
        cmocka_unit_test(nothing_spare_is_left),
        cmocka_unit_test(a_gang_makes_room_on_all_its_nodes),
        cmocka_unit_test(little_work_leaves_a_gap_that_is_said),
        cmocka_unit_test(the_cheapest_of_many_go),
        cmocka_unit_test(requests_of_many_sizes_are_served),
        cmocka_unit_test(gangs_are_of_less_than_2_to_the_31),
        cmocka_unit_test(bad_numbers_are_named),
        cmocka_unit_test(rows_that_are_not_there_are_named),
        cmocka_unit_test(missing_columns_are_refused),
        cmocka_unit_test(sums_that_overflow_are_named),
        cmocka_unit_test(a_plan_that_is_too_small_says_what_it_needs),
        cmocka_unit_test(nothing_at_all_is_a_plan),
        cmocka_unit_test(plans_by_need_are_judged),
        cmocka_unit_test(plans_by_request_are_judged),
        cmocka_unit_test(plans_for_users_are_judged),
        cmocka_unit_test(a_call_that_fails_writes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
