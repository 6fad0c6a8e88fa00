/* When tasks end, what they cost and what preemption leaves to a job, in a host's
 * truth; and said of all that an ask runs on a node. */
#include <sched/engine_reconcile.h>

#include "engine_fixture.h"

#include "engine/alloc.h"
#include "engine/state.h"

enum { MOST = 32 };

/* Nodes 1 and 2, job 1 with ask 1, of which 2 tasks run on node 1 and 3 on node
 * 2. */
typedef struct said_truth {
    sked_event rows[MOST];
    sked_time moments[MOST];
    sked_events in;
    sked_engine_difference d[MOST];
    size_t n;
} said_truth;

static const int64_t amounts[] = {10, 10, 1, 1};

static sked_event *row(said_truth *t, int32_t kind, uint64_t key)
{
    t->moments[t->in.n] = SKED_UNSET;
    t->rows[t->in.n] = (sked_event){.kind = kind, .key = key};
    return &t->rows[t->in.n++];
}

static sked_event *runs(said_truth *t, uint64_t node, int64_t count)
{
    sked_event *event = row(t, SKED_EVENT_TASK_RUNNING, node);

    event->owner = 1;
    event->count = count;
    return event;
}

static sked_event *cost_row(said_truth *t, uint64_t node, int64_t cost)
{
    sked_event *event = row(t, SKED_EVENT_TASK_COST, node);

    event->owner = 1;
    event->flags = SKED_TASK_ON_NODE;
    event->count = cost;
    return event;
}

static sked_event *ends_row(said_truth *t, uint64_t node, sked_time moment)
{
    sked_event *event = cost_row(t, node, 0);

    event->kind = SKED_EVENT_TASK_ENDS;
    t->moments[t->in.n - 1] = moment;
    return event;
}

static sked_status compare(engine_fixture *f, said_truth *t)
{
    t->in.events = t->rows;
    t->in.moments = t->moments;
    return sked_engine_reconcile(f->engine, &t->in, t->d, MOST, &t->n, &f->err);
}

/* Applies what differs, after which nothing does; how much it was. */
static size_t mend(engine_fixture *f, said_truth *t)
{
    assert_ok(compare(f, t));
    size_t n = t->n, stride = sizeof t->d[0];
    sked_events batch = t->in;
    batch.events = &t->d[0].event;
    batch.stride = (uint32_t)stride;
    batch.moments = &t->d[0].moment;
    batch.moment_stride = (uint32_t)stride;
    batch.n = n;
    assert_ok(sked_engine_apply(f->engine, &batch, NULL, &f->err));
    assert_ok(sked_engine_check(f->engine, &f->err));
    (void)engine_taken(f);
    assert_ok(compare(f, t));
    assert_int_equal(t->n, 0);
    return n;
}

static void said_begin(engine_fixture *f, said_truth *t)
{
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");

    engine_begin(f, NULL);
    *t = (said_truth){.in = {.struct_size = sizeof t->in,
                             .amounts = amounts,
                             .n_amounts = 2}};
    row(t, SKED_EVENT_NODE_UP, 1)->amount = 1;
    row(t, SKED_EVENT_NODE_UP, 2)->amount = 1;
    sked_event *job = row(t, SKED_EVENT_JOB_SUBMIT, 1);
    job->queue = leaf;
    job->owner = 1;
    sked_event *ask = row(t, SKED_EVENT_ASK_ADD, 1);
    ask->owner = 1;
    ask->count = 6;
    ask->amount = 2;
    (void)runs(t, 1, 2);
    (void)runs(t, 2, 3);
}

/* What the engine was told of tasks on a node: all groups there say the same. */
static const engine_notice *told_of(const engine_fixture *f, uint64_t node)
{
    static const engine_notice nothing = {.ends = SKED_UNSET, .cost = -1};
    const sked_engine *e = f->engine;
    const engine_notice *one = NULL;

    for (uint32_t g = 0; g < e->groups.n; g++) {
        const engine_group *group = group_at(e, g);
        if (group->state == GROUP_FREE_SLOT) continue;
        if (node_at(e, group->node)->key != node) continue;
        const engine_notice *own = skedi_notice_find(e, g);
        if (!own) own = &nothing;
        assert_true(!one || (one->ends == own->ends && one->cost == own->cost));
        one = own;
    }
    assert_non_null(one);
    return one;
}

static void a_restart_tells_ends_and_costs(void **state)
{
    engine_fixture *f = *state;
    said_truth t;

    said_begin(f, &t);
    (void)cost_row(&t, 1, 7);
    (void)ends_row(&t, 1, 50);
    (void)cost_row(&t, 2, -1);         /* as at first: it is not said */
    (void)ends_row(&t, 2, SKED_UNSET); /* likewise */
    assert_int_equal(mend(f, &t), 8);
    assert_int_equal(told_of(f, 1)->cost, 7);
    assert_i64(told_of(f, 1)->ends, 50);
    assert_int_equal(told_of(f, 2)->cost, -1);
    t.rows[6].count = 8;
    assert_int_equal(mend(f, &t), 1);
    assert_int_equal(told_of(f, 1)->cost, 8);
    t.moments[7] = 60;
    assert_int_equal(mend(f, &t), 1);
    assert_i64(told_of(f, 1)->ends, 60);
    t.rows[8].count = 0; /* said of node 2 for the first time */
    assert_int_equal(mend(f, &t), 1);
    assert_int_equal(told_of(f, 2)->cost, 0);
}

static void things_without_a_row_are_not_compared(void **state)
{
    engine_fixture *f = *state;
    said_truth t;

    said_begin(f, &t);
    (void)cost_row(&t, 1, 7);
    assert_int_equal(mend(f, &t), 7);
    t.in.n--;
    assert_ok(compare(f, &t));
    assert_int_equal(t.n, 0);
    assert_int_equal(told_of(f, 1)->cost, 7);
}

/* A moment that has passed is none, on both sides. */
static void a_moment_that_passed_is_none(void **state)
{
    engine_fixture *f = *state;
    said_truth t;

    said_begin(f, &t);
    (void)ends_row(&t, 1, 50);
    assert_int_equal(mend(f, &t), 7);
    f->now = 60;
    assert_ok(engine_tell(f, SKED_EVENT_TICK, 0));
    assert_ok(compare(f, &t));
    assert_int_equal(t.n, 0);
    t.moments[6] = 40;
    assert_int_equal(mend(f, &t), 0);
    t.moments[6] = 60; /* now is not before now */
    assert_int_equal(mend(f, &t), 1);
    assert_i64(told_of(f, 1)->ends, 60);
}

/* What is adopted beside what runs is told like it. */
static void tasks_that_come_are_told_like_the_others(void **state)
{
    engine_fixture *f = *state;
    said_truth t;

    said_begin(f, &t);
    (void)cost_row(&t, 1, 7);
    assert_int_equal(mend(f, &t), 7);
    t.rows[4].count = 3;
    assert_int_equal(mend(f, &t), 2);
    assert_int_equal(told_of(f, 1)->cost, 7);
    t.rows[4].count = 1; /* fewer of them cost what these did */
    assert_ok(compare(f, &t));
    for (size_t i = 0; i < t.n; i++) {
        assert_int_not_equal(t.d[i].event.kind, SKED_EVENT_TASK_COST);
    }
    (void)mend(f, &t);
}

/* A proposal of which something was said runs by the truth, which says nothing. */
static void a_proposal_that_runs_is_told(void **state)
{
    engine_fixture *f = *state;
    sked_engine_options opts = {.struct_size = sizeof opts,
                                .confirm_within_ns = 1000};
    said_truth t;

    said_begin(f, &t);
    sked_engine_free(f->engine);
    f->engine = NULL;
    engine_begin(f, &opts);
    t.in.n = 4;
    assert_int_equal(mend(f, &t), 4);
    assert_int_equal(engine_beat(f, 1), 1);
    assert_i64(f->last[0].count, 6);
    assert_ok(engine_end(f, SKED_EVENT_TASK_COST, f->last[0].group, 9));
    (void)cost_row(&t, 1, -1);
    assert_int_equal(compare(f, &t), SKED_ERR_NOT_FOUND); /* by the truth */
    (void)runs(&t, 1, 6);
    assert_int_equal(mend(f, &t), 2);
    assert_int_equal(told_of(f, 1)->cost, -1);
}

static void a_job_keeps_what_the_truth_says(void **state)
{
    engine_fixture *f = *state;
    said_truth t;

    said_begin(f, &t);
    sked_event *least = row(&t, SKED_EVENT_JOB_LEAST, 1);
    assert_int_equal(mend(f, &t), 6); /* 0: as at first */
    least->count = 3;
    assert_int_equal(mend(f, &t), 1);
    assert_i64(job_at(f->engine, 0)->least, 3);
    t.in.n--;
    assert_int_equal(mend(f, &t), 0);
    t.in.n++;
    least->count = 0;
    assert_int_equal(mend(f, &t), 1);
    assert_i64(job_at(f->engine, 0)->least, 0);
    least->count = -1;
    assert_int_equal(compare(f, &t), SKED_ERR_RANGE);
    assert_i64(f->err.row, 6);
    least->count = 1;
    row(&t, SKED_EVENT_JOB_LEAST, 1)->count = 1;
    assert_int_equal(compare(f, &t), SKED_ERR_EXISTS);
    t.rows[7].key = 2;
    assert_int_equal(compare(f, &t), SKED_ERR_NOT_FOUND);
}

static void truths_that_are_none_are_refused(void **state)
{
    engine_fixture *f = *state;
    said_truth t;

    said_begin(f, &t);
    sked_event *cost = cost_row(&t, 1, 7);
    cost->flags = 0; /* a group: a truth knows none */
    assert_int_equal(compare(f, &t), SKED_ERR_ARG);
    assert_i64(f->err.row, 6);
    cost->flags = SKED_TASK_ON_NODE;
    cost->count = -2;
    assert_int_equal(compare(f, &t), SKED_ERR_RANGE);
    cost->count = 7;
    cost->key = 3;
    assert_int_equal(compare(f, &t), SKED_ERR_NOT_FOUND);
    cost->key = 1;
    cost->owner = 2;
    assert_int_equal(compare(f, &t), SKED_ERR_NOT_FOUND);
    cost->owner = 1;
    (void)cost_row(&t, 1, 7);
    assert_int_equal(compare(f, &t), SKED_ERR_EXISTS);
    assert_i64(f->err.row, 7);
    (void)ends_row(&t, 2, 9);
    t.rows[7] = t.rows[8];
    t.in.n--;
    assert_ok(compare(f, &t));
}

/* A task that has a node to itself holds all of it, whatever it is said to. */
static void a_task_alone_is_told_without_an_amount(void **state)
{
    engine_fixture *f = *state;
    said_truth t;

    said_begin(f, &t);
    t.in.n = 4;
    t.rows[3].flags = SKED_ASK_EXCLUSIVE;
    runs(&t, 1, 1)->amount = 2;
    assert_int_equal(compare(f, &t), SKED_ERR_STATE);
    assert_i64(f->err.row, 4);
    t.rows[4].amount = 0;
    assert_int_equal(mend(f, &t), 5);
}

/* Released tasks of a group that is to end are on its node before the others. */
static void released_tasks_end_with_the_others(void **state)
{
    engine_fixture *f = *state;
    int64_t free[2];
    said_truth t;

    said_begin(f, &t);
    (void)mend(f, &t);
    uint64_t group = skedi_group_name(f->engine,
                                      node_at(f->engine, 0)->first_group);
    assert_ok(engine_end(f, SKED_EVENT_TASK_RELEASED, group, 1));
    t.rows[4].count = 1;
    t.rows[3].count = 5;
    assert_int_equal(mend(f, &t), 0); /* what was released is not compared */
    t.in.n = 4;                       /* nothing runs any more */
    assert_int_equal(mend(f, &t), 3);
    assert_ok(sked_engine_node_free(f->engine, 1, free));
    assert_i64(free[0], 10);
    t.in.n = 2; /* nor is there a job */
    (void)mend(f, &t);
}

/* ---- Said of all that an ask runs on a node ---- */

static sked_status say_cost(engine_fixture *f, uint64_t node, uint64_t ask,
                            int64_t cost)
{
    return engine_say(f,
                      (sked_event){.kind = SKED_EVENT_TASK_COST,
                                   .flags = SKED_TASK_ON_NODE,
                                   .key = node,
                                   .owner = ask,
                                   .count = cost},
                      0, 0);
}

static void all_groups_there_are_meant(void **state)
{
    engine_fixture *f = *state;
    sked_engine_options opts = {.struct_size = sizeof opts,
                                .confirm_within_ns = 1000};

    (void)engine_alone(f, &opts, 10, 10, 1);
    engine_add_node(f, 2, 0, 10, 10);
    assert_ok(engine_add_ask(f, 1, 1, 2, 1, 1));
    (void)engine_taken(f);
    (void)engine_beat(f, 1);
    uint64_t first = f->last[0].group;
    assert_int_equal(say_cost(f, 1, 1, 5), SKED_ERR_STATE); /* a proposal */
    assert_ok(engine_end(f, SKED_EVENT_TASK_CONFIRM, first, 0));
    assert_ok(engine_end(f, SKED_EVENT_ASK_CHANGE, 1, 2));
    (void)engine_beat(f, 1);
    assert_ok(engine_end(f, SKED_EVENT_TASK_CONFIRM, f->last[0].group, 0));
    assert_ok(engine_end(f, SKED_EVENT_ASK_CHANGE, 1, 1));
    (void)engine_beat(f, 2);
    uint64_t before = sked_engine_state_digest(f->engine);
    assert_int_equal(say_cost(f, 3, 1, 5), SKED_ERR_NOT_FOUND);
    assert_int_equal(say_cost(f, 1, 2, 5), SKED_ERR_NOT_FOUND);
    assert_int_equal(say_cost(f, 2, 1, 5), SKED_ERR_STATE);
    assert_int_equal(say_cost(f, 1, 1, -2), SKED_ERR_RANGE);
    assert_true(before == sked_engine_state_digest(f->engine));
    assert_ok(say_cost(f, 1, 1, 5));
    assert_int_equal(f->engine->notices.live, 2); /* none of node 2 */
    assert_int_equal(told_of(f, 1)->cost, 5);
    assert_int_equal(told_of(f, 2)->cost, -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(a_restart_tells_ends_and_costs),
        engine_case(things_without_a_row_are_not_compared),
        engine_case(a_moment_that_passed_is_none),
        engine_case(tasks_that_come_are_told_like_the_others),
        engine_case(a_proposal_that_runs_is_told),
        engine_case(a_job_keeps_what_the_truth_says),
        engine_case(truths_that_are_none_are_refused),
        engine_case(a_task_alone_is_told_without_an_amount),
        engine_case(released_tasks_end_with_the_others),
        engine_case(all_groups_there_are_meant),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
