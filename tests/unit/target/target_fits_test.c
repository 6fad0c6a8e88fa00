/*
 * Demand counts as far as tasks could run: what one kind keeps out is neither
 * owed nor needed of another, and is no part of a share.
 */
#include "test.h"

#include <sched/preempt.h>
#include <sched/target.h>

#include <string.h>

enum { MOST_ROWS = 4, CELLS = 2 * MOST_ROWS };

/* Leaves below a root of (10, 100). Tasks hold (1, 10); the first leaf may have
 * one of them and wants a thousand, the second runs nine and wants eighteen. */
typedef struct fits_case {
    int32_t parent[MOST_ROWS];
    uint32_t weight[MOST_ROWS];
    int64_t guarantee[CELLS];
    int64_t limit[CELLS];
    int64_t demand[CELLS];
    int64_t usage[CELLS];
    int64_t capacity[2];
    int64_t zero[MOST_ROWS];
    int64_t threshold[MOST_ROWS];
    sked_time since[MOST_ROWS];
    uint32_t rounds[MOST_ROWS];
    sked_share_input queues;
    sked_target_once_input in;
    sked_target_options options;
    int64_t share[CELLS], keep[CELLS], take[CELLS], owed[CELLS], claim[CELLS];
    int64_t need[2];
    sked_target_result to;
} fits_case;

static void set_row(int64_t *column, uint32_t row, int64_t cpu, int64_t memory)
{
    column[2 * row] = cpu;
    column[2 * row + 1] = memory;
}

static void fits_of(fits_case *c, int32_t mode)
{
    memset(c, 0, sizeof *c);
    c->parent[0] = -1;
    c->capacity[0] = 10;
    c->capacity[1] = 100;
    for (uint32_t row = 0; row < MOST_ROWS; row++) {
        set_row(c->limit, row, SKED_UNLIMITED, SKED_UNLIMITED);
        c->weight[row] = 1;
        c->threshold[row] = SKED_PPM;
        c->since[row] = 1;
        c->rounds[row] = 9;
    }
    set_row(c->limit, 1, 1, SKED_UNLIMITED);
    set_row(c->demand, 1, 1000, 10000);
    set_row(c->usage, 1, 1, 10);
    set_row(c->demand, 2, 18, 180);
    set_row(c->usage, 2, 9, 90);
    c->queues = (sked_share_input){.struct_size = sizeof c->queues,
                                   .kinds = 2,
                                   .n = 3,
                                   .parent = c->parent,
                                   .weight = c->weight,
                                   .limit = c->limit,
                                   .demand = c->demand,
                                   .usage = c->usage,
                                   .capacity = c->capacity};
    c->in = (sked_target_once_input){.struct_size = sizeof c->in,
                                     .now = 1000,
                                     .queues = &c->queues,
                                     .min_timeout_ns = c->zero,
                                     .fair_timeout_ns = c->zero,
                                     .fair_threshold_ppm = c->threshold,
                                     .min_since = c->since,
                                     .fair_since = c->since,
                                     .rounds = c->rounds};
    c->options = (sked_target_options){.struct_size = sizeof c->options,
                                       .mode = mode,
                                       .ignored_ppm = -1,
                                       .factor_ppm = SKED_PPM,
                                       .per_round_ppm = -1};
    if (mode == SKED_TARGET_MODE_ENTITLEMENT) c->options.cycles = 1;
    if (mode == SKED_TARGET_MODE_STARVATION) c->options.utilisation_ppm = -1;
    if (mode == SKED_TARGET_MODE_IMBALANCE) {
        c->options.flags = SKED_TARGET_FLAG_BALANCE;
    }
    c->to = (sked_target_result){.struct_size = sizeof c->to,
                                 .share = c->share,
                                 .keep = c->keep,
                                 .take = c->take,
                                 .owed = c->owed,
                                 .claim = c->claim,
                                 .need = c->need};
}

static void compute(fits_case *c)
{
    assert_ok(sked_target_once(&c->in, &c->options, NULL, &c->to, NULL));
}

static void assert_pair(const int64_t *column, uint32_t row, int64_t cpu,
                        int64_t memory)
{
    assert_i64(column[2 * row], cpu);
    assert_i64(column[2 * row + 1], memory);
}

static const int64_t task[2] = {1, 10};

/* What a plan for these targets takes: tasks of the queue, and tasks served of
 * the one that asks (none: by need). */
static uint64_t plan_for(fits_case *c, uint32_t queue, const uint32_t *asks,
                         uint64_t *served)
{
    uint32_t count = (uint32_t)c->usage[2 * queue + 2], many = 999;
    int64_t free[2] = {0, 0};
    sked_preempt_victim victims[16];
    sked_preempt_placement placements[16];
    sked_preempt_input in = {.struct_size = sizeof in,
                             .kinds = 2,
                             .n_queues = c->queues.n - 1,
                             .n = 1,
                             .usage = c->usage + 2,
                             .share = c->claim + 2,
                             .keep = c->keep + 2,
                             .take = c->take + 2,
                             .queue = &queue,
                             .amount = task,
                             .count = &count};
    sked_preempt_result plan = {.struct_size = sizeof plan,
                                .victims = victims,
                                .placements = placements,
                                .victims_cap = 16,
                                .placements_cap = 16};

    if (asks) {
        in.n_requests = 1;
        in.request_queue = asks;
        in.request_amount = task;
        in.request_count = &many;
        in.free = free;
    } else {
        in.need = c->need;
    }
    assert_ok(sked_preempt_select(&in, NULL, &plan, NULL));
    assert_ok(sked_preempt_verify(&in, &plan, NULL, NULL));
    *served = plan.served;
    return plan.tasks;
}

/* Rounds of constant demand by need; how many tasks end. What is free goes to
 * the first leaf up to its limit, then to the second. */
static uint64_t kills_by_need(uint32_t flags)
{
    fits_case c;
    uint64_t killed = 0, served;

    fits_of(&c, SKED_TARGET_MODE_ENTITLEMENT);
    c.options.flags = flags;
    for (int round = 0; round < 200; round++) {
        compute(&c);
        uint64_t tasks = plan_for(&c, 1, NULL, &served);
        killed += tasks;
        int64_t run = 9 - (int64_t)tasks;
        while (run < 9) run++; /* the first is at its limit */
        set_row(c.usage, 2, run, 10 * run);
    }
    return killed;
}

static void what_a_limit_keeps_out_is_not_needed(void **state)
{
    (void)state;
    assert_i64((int64_t)kills_by_need(0), 0);
    assert_i64((int64_t)kills_by_need(SKED_TARGET_FLAG_BY_KIND), 800);
}

static void what_is_of_no_use_is_shared_again(void **state)
{
    static const int32_t modes[] = {SKED_TARGET_MODE_IMBALANCE,
                                    SKED_TARGET_MODE_STARVATION,
                                    SKED_TARGET_MODE_ENTITLEMENT};
    const uint32_t second = 1;
    uint64_t served;
    fits_case c;
    (void)state;

    for (size_t m = 0; m < 3; m++) {
        fits_of(&c, modes[m]);
        c.queues.n = 4; /* the third has all that the second wants */
        set_row(c.demand, 2, 9, 90);
        set_row(c.usage, 2, 0, 0);
        set_row(c.demand, 3, 9, 90);
        set_row(c.usage, 3, 9, 90);
        c.weight[3] = 0;
        set_row(c.guarantee, 1, 1, 50);
        set_row(c.guarantee, 2, 9, 50);
        c.queues.guarantee = c.guarantee;
        compute(&c);
        assert_pair(c.share, 1, 1, 10);
        assert_pair(c.share, 2, 9, 90);
        assert_pair(c.claim, 2, 9, 90);
        assert_pair(c.need, 0, 9, 90);
        assert_i64((int64_t)plan_for(&c, 2, &second, &served), 9);
        assert_i64((int64_t)served, 9);
        c.options.flags |= SKED_TARGET_FLAG_BY_KIND;
        compute(&c);
        assert_pair(c.share, 1, 1, 50);
        assert_i64((int64_t)plan_for(&c, 2, &second, &served), 5);
    }
}

/* What is owed of one kind alone is of no use to tasks that hold two. */
static void a_leaf_needs_what_its_tasks_can_use(void **state)
{
    fits_case c;
    (void)state;

    fits_of(&c, SKED_TARGET_MODE_ENTITLEMENT);
    set_row(c.limit, 1, SKED_UNLIMITED, SKED_UNLIMITED);
    set_row(c.usage, 1, 5, 10); /* runs what holds little memory */
    set_row(c.usage, 2, 5, 90);
    compute(&c);
    assert_pair(c.share, 1, 5, 50);
    assert_pair(c.owed, 1, 0, 40);
    assert_pair(c.claim, 1, 5, 50);
    assert_pair(c.need, 0, 0, 0);
    set_row(c.usage, 1, 3, 10); /* 2 and 40 are missing: 2 tasks */
    set_row(c.demand, 1, 1003, 10010);
    set_row(c.usage, 2, 7, 90);
    compute(&c);
    assert_pair(c.owed, 1, 2, 40);
    assert_pair(c.need, 0, 2, 20);
}

/* A cap that is no whole number of tasks: rounded down, and no task that fits
 * is left out. Caps of a queue above and borrowing bounds count as well. */
static void every_cap_of_the_path_counts(void **state)
{
    const int64_t borrow[CELLS] = {SKED_UNLIMITED, SKED_UNLIMITED,
                                   SKED_UNLIMITED, SKED_UNLIMITED,
                                   SKED_UNLIMITED, 27};
    fits_case c;
    (void)state;

    fits_of(&c, SKED_TARGET_MODE_ENTITLEMENT);
    c.parent[2] = 1; /* the second is below the first */
    set_row(c.demand, 2, 200, 300);
    set_row(c.usage, 2, 0, 0);
    set_row(c.limit, 1, 5, SKED_UNLIMITED);
    compute(&c);
    assert_pair(c.share, 2, 5, 7); /* 7.5 */
    set_row(c.limit, 1, SKED_UNLIMITED, SKED_UNLIMITED);
    compute(&c);
    assert_pair(c.share, 2, 10, 15); /* the capacity */
    c.queues.borrow = borrow;
    set_row(c.demand, 2, 20, 300);
    compute(&c);
    assert_pair(c.share, 2, 1, 27); /* 1.8 */
}

/* Weight 0 is a cap where shares go by weight: the guarantee. */
static void without_weight_the_guarantee_is_a_cap(void **state)
{
    fits_case c;
    (void)state;

    fits_of(&c, SKED_TARGET_MODE_ENTITLEMENT);
    c.weight[1] = 0;
    set_row(c.usage, 1, 0, 0);
    set_row(c.limit, 1, SKED_UNLIMITED, SKED_UNLIMITED);
    set_row(c.guarantee, 1, 2, 70);
    c.queues.guarantee = c.guarantee;
    compute(&c);
    assert_pair(c.share, 1, 2, 20);
    assert_pair(c.share, 2, 8, 80);
}

/* So it is for a queue above a leaf: what is guaranteed to it, or below it. */
static void without_weight_a_parent_is_a_cap(void **state)
{
    static const int32_t modes[] = {SKED_TARGET_MODE_STARVATION,
                                    SKED_TARGET_MODE_ENTITLEMENT};
    fits_case c;
    (void)state;

    for (size_t m = 0; m < 2; m++) {
        fits_of(&c, modes[m]);
        c.queues.n = 4;
        c.queues.guarantee = c.guarantee;
        c.parent[2] = 1; /* the second is below the first, beside the third */
        c.weight[1] = 0;
        set_row(c.limit, 1, SKED_UNLIMITED, SKED_UNLIMITED);
        set_row(c.usage, 2, 0, 0);
        set_row(c.demand, 3, 18, 180);
        set_row(c.guarantee, 1, 2, 70);
        compute(&c);
        assert_pair(c.share, 2, 2, 20);
        assert_pair(c.share, 3, 8, 80);
        set_row(c.guarantee, 2, 3, 0);
        compute(&c);
        assert_pair(c.share, 2, 3, 30);
        assert_pair(c.share, 3, 7, 70);
    }
}

/* Fair shares do not go by demand: a leaf grows in the ratio of what it wants,
 * and with nothing more wanted in that of what it uses, up to its caps. */
static void fair_shares_grow_as_far_as_tasks_fit(void **state)
{
    const int64_t lend[CELLS] = {SKED_UNLIMITED, SKED_UNLIMITED, 0, 0,
                                 SKED_UNLIMITED, SKED_UNLIMITED};
    fits_case c;
    (void)state;

    fits_of(&c, SKED_TARGET_MODE_STARVATION);
    set_row(c.demand, 1, 1, 10);
    compute(&c);
    assert_pair(c.share, 1, 1, 10); /* wants no more than it has */
    set_row(c.usage, 1, 0, 0);
    compute(&c);
    assert_pair(c.share, 1, 1, 10);
    set_row(c.limit, 1, 3, SKED_UNLIMITED);
    compute(&c);
    assert_pair(c.share, 1, 3, 30); /* it does not go by demand */
    set_row(c.guarantee, 1, 1, 45);
    c.queues.guarantee = c.guarantee;
    compute(&c);
    assert_pair(c.share, 1, 3, 30);
    c.queues.lend = lend; /* what it does not lend stays free for it */
    compute(&c);
    assert_pair(c.share, 1, 3, 45);
    set_row(c.demand, 1, 0, 0);
    set_row(c.guarantee, 1, 0, 0);
    compute(&c);
    assert_pair(c.share, 1, 0, 0); /* idle */
}

/* Where a caller says what the shares are, all is as it says. */
static void shares_of_the_callers_own_stand(void **state)
{
    fits_case c;
    int64_t share[CELLS] = {0, 0, 1, 50, 9, 50};
    (void)state;

    fits_of(&c, SKED_TARGET_MODE_ENTITLEMENT);
    c.in.share = c.in.claim = c.in.keep = share;
    compute(&c);
    assert_pair(c.share, 1, 1, 50);
    assert_pair(c.owed, 1, 0, 40);
    assert_pair(c.need, 0, 0, 40);
}

/* A leaf that gives nothing now keeps what it has; one that may not be
 * preempted keeps anything. */
static void who_gives_nothing_keeps_what_it_has(void **state)
{
    uint8_t from[MOST_ROWS] = {1, 1, 1, 1};
    fits_case c;
    (void)state;

    fits_of(&c, SKED_TARGET_MODE_ENTITLEMENT);
    c.in.preempt_from = from;
    c.options.cycles = 20; /* too early to give */
    set_row(c.limit, 2, 4, SKED_UNLIMITED);
    compute(&c);
    assert_pair(c.take, 2, 0, 0);
    assert_pair(c.keep, 2, 9, 90);
    assert_pair(c.keep, 1, 1, 10);
    from[2] = 0;
    compute(&c);
    assert_pair(c.keep, 2, SKED_UNLIMITED, SKED_UNLIMITED);
    from[2] = 1;
    c.options.cycles = 1;
    compute(&c);
    assert_pair(c.keep, 2, 4, 90);
    assert_pair(c.take, 2, 5, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_limit_keeps_out_is_not_needed),
        cmocka_unit_test(what_is_of_no_use_is_shared_again),
        cmocka_unit_test(a_leaf_needs_what_its_tasks_can_use),
        cmocka_unit_test(every_cap_of_the_path_counts),
        cmocka_unit_test(without_weight_the_guarantee_is_a_cap),
        cmocka_unit_test(without_weight_a_parent_is_a_cap),
        cmocka_unit_test(fair_shares_grow_as_far_as_tasks_fit),
        cmocka_unit_test(shares_of_the_callers_own_stand),
        cmocka_unit_test(who_gives_nothing_keeps_what_it_has),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
