/* Gangs over nodes that end together when too few of their tasks are left. */
#include "engine_gangs.h"

#include "engine/alloc.h"
#include "engine/state.h"

/* A gang of 1 cpu each that ends together, `at_once` of it. */
static sked_status add_together(engine_fixture *f, uint64_t key, int64_t count,
                                uint32_t at_once)
{
    const sked_event_gang gang = {.at_once = at_once};

    return add_gang_of(f, key, 1, count, gang, SKED_ASK_TOGETHER);
}

/* The next decisions are these, of ask 1: kind, reason, group, count. */
typedef struct said {
    int32_t kind;
    int32_t reason;
    uint64_t group;
    int64_t count;
} said;

static void says(engine_fixture *f, const said *want, size_t n)
{
    assert_int_equal(engine_taken(f), n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(f->last[i].kind, want[i].kind);
        assert_int_equal(f->last[i].reason, want[i].reason);
        assert_i64((int64_t)f->last[i].group, (int64_t)want[i].group);
        assert_i64(f->last[i].count, want[i].count);
    }
    assert_ok(sked_engine_check(f->engine, NULL));
}

/* Three nodes run a gang of ten, four, four and two. */
static void start_ten(engine_fixture *f, const sked_engine_options *opts,
                      uint64_t *group)
{
    const gang_part all[] = {{1, 0, 4}, {2, 4, 4}, {3, 8, 2}};

    nodes_of_four(f, opts, 3);
    assert_ok(add_together(f, 1, 10, 0));
    starts_parts(f, 1, 1, all, 3);
    for (int i = 0; i < 3; i++) group[i] = f->last[i].group;
}

static void all_of_it_ends_with_one_that_is_lost(void **state)
{
    engine_fixture *f = *state;
    sked_engine_bound bounds[8];
    uint64_t g[3];
    size_t n;

    start_ten(f, NULL, g);
    assert_ok(engine_end(f, SKED_EVENT_TASK_LOST, g[1], 1));
    says(f,
         (said[]){{SKED_DECISION_REQUEUE, SKED_REASON_NONE, g[1], 1},
                  {SKED_DECISION_KILL, SKED_REASON_GANG, g[2], 2},
                  {SKED_DECISION_KILL, SKED_REASON_GANG, g[1], 3},
                  {SKED_DECISION_KILL, SKED_REASON_GANG, g[0], 4}},
         4);
    for (uint64_t i = 1; i <= 3; i++) starts_no_part(f, i);
    assert_ok(sked_engine_explain_job(f->engine, 1, bounds, 8, &n));
    assert_int_equal(bounds[n - 1].reason, SKED_REASON_GANG);
    assert_i64(bounds[n - 1].need, 1);
    assert_i64(bounds[n - 1].bound, 0);
    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, g[1], 3));
    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, g[0], 4));
    says(f,
         (said[]){{SKED_DECISION_REQUEUE, SKED_REASON_GANG, g[1], 3},
                  {SKED_DECISION_REQUEUE, SKED_REASON_GANG, g[0], 4}},
         2);
    starts_no_part(f, 1);
    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, g[2], 1));
    assert_ok(
        engine_end(f, SKED_EVENT_TASK_FINISH, g[2], 1)); /* all the same */
    says(f, (said[]){{SKED_DECISION_REQUEUE, SKED_REASON_GANG, g[2], 1}}, 1);
    starts_parts(f, 3, 1,
                 (gang_part[]){{1, 9, 1}, {1, 0, 3}, {2, 3, 4}, {3, 7, 1}}, 4);
}

/* What fails for good, or ends well, leaves the others. */
static void what_is_not_open_again_leaves_the_rest(void **state)
{
    engine_fixture *f = *state;
    uint64_t g[3];

    start_ten(f, NULL, g);
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, g[0], 1));
    assert_ok(engine_end(f, SKED_EVENT_TASK_FAIL, g[1], 1));
    says(f, NULL, 0);
    assert_ok(engine_say(f,
                         (sked_event){.kind = SKED_EVENT_TASK_LOST,
                                      .key = 1,
                                      .flags = SKED_TASK_ALL},
                         0, 0));
    says(f,
         (said[]){{SKED_DECISION_REQUEUE, SKED_REASON_NONE, g[2], 2},
                  {SKED_DECISION_REQUEUE, SKED_REASON_NONE, g[1], 3},
                  {SKED_DECISION_REQUEUE, SKED_REASON_NONE, g[0], 3}},
         3);
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_taken(f), 4); /* numbers 0 to 2, 4 to 6, 8 and 9 */
}

/* An elastic one ends when fewer are left than start together. */
static void an_elastic_gang_ends_when_it_is_too_small(void **state)
{
    engine_fixture *f = *state;

    nodes_of_four(f, NULL, 2);
    assert_ok(add_together(f, 1, 8, 6));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 2));
    assert_int_equal(engine_taken(f), 3);
    uint64_t one = f->last[0].group, two = f->last[1].group,
             more = f->last[2].group;
    assert_ok(engine_end(f, SKED_EVENT_TASK_LOST, one, 2));
    says(f, (said[]){{SKED_DECISION_REQUEUE, SKED_REASON_NONE, one, 2}}, 1);
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 2));
    says(f,
         (said[]){{SKED_DECISION_LOST, SKED_REASON_NODE_LOST, more, 2},
                  {SKED_DECISION_LOST, SKED_REASON_NODE_LOST, two, 2},
                  {SKED_DECISION_KILL, SKED_REASON_GANG, one, 2}},
         3);
}

/* A part that the host refuses, or says nothing of, takes the rest along. */
static void proposals_end_together(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_options opts = {.struct_size = sizeof opts,
                                      .confirm_within_ns = 1000};
    uint64_t g[3];

    start_ten(f, &opts, g);
    assert_ok(engine_end(f, SKED_EVENT_TASK_CONFIRM, g[0], 0));
    assert_ok(engine_tell(f, SKED_EVENT_TASK_REFUSE, g[1]));
    says(f,
         (said[]){{SKED_DECISION_KILL, SKED_REASON_GANG, g[2], 2},
                  {SKED_DECISION_KILL, SKED_REASON_GANG, g[0], 4}},
         2);
    f->now = 1000;
    assert_status(SKED_ERR_RANGE, engine_tell(f, SKED_EVENT_TASK_KILLED, g[0]));
    says(f, (said[]){{SKED_DECISION_EXPIRE, SKED_REASON_UNCONFIRMED, g[2], 2}},
         1);
    starts_no_part(f, 3);
    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, g[0], 4));
    says(f, (said[]){{SKED_DECISION_REQUEUE, SKED_REASON_GANG, g[0], 4}}, 1);
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 3)); /* not on node 2 */
    says(f, NULL, 0);
}

/* A job that is given up meanwhile tells nothing twice. */
static void its_job_may_be_given_up_meanwhile(void **state)
{
    engine_fixture *f = *state;
    uint64_t g[3];

    start_ten(f, NULL, g);
    assert_ok(engine_end(f, SKED_EVENT_TASK_LOST, g[0], 4));
    assert_int_equal(engine_taken(f), 3);
    assert_ok(engine_tell(f, SKED_EVENT_JOB_CANCEL, 1));
    says(f, NULL, 0);
    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, g[1], 4));
    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, g[2], 2));
    says(f, NULL, 0);
    assert_i64((int64_t)engine_stats_of(f).jobs, 0);
}

/* The event stands; what follows from it waits for memory. */
static void it_is_told_when_there_is_memory(void **state)
{
    engine_fixture *f = *state;
    const sked_event event = {.kind = SKED_EVENT_TASK_LOST, .count = 1};
    int waited = 0;

    nodes_of_four(f, NULL, 1);
    for (uint64_t n = 2; n <= 40; n++) engine_add_node(f, n, 0, 1, 1);
    (void)engine_taken(f);
    assert_ok(add_together(f, 1, 42, 0));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    sked_event of = event;
    of.key = skedi_group_name(f->engine, ask_at(f->engine, 0)->first_group);
    for (size_t k = 1; f->engine->first_killed == SKEDI_NONE; k++) {
        sked_events batch = {
            .struct_size = sizeof batch, .events = &of, .n = 1};
        uint64_t done;
        f->host.requests = 0;
        f->host.fail_at = k;
        sked_status rc = sked_engine_apply(f->engine, &batch, &done, &f->err);
        f->host.fail_at = 0;
        assert_ok(sked_engine_check(f->engine, NULL));
        if (rc == SKED_OK) continue;
        assert_int_equal(rc, SKED_ERR_NOMEM);
        if (done == 0) continue;
        waited = 1;
        assert_ok(engine_tell(f, SKED_EVENT_TICK, 0));
    }
    assert_true(waited);
    assert_i64((int64_t)engine_stats_of(f).decisions, 1 + 39 + 1 + 38);
}

static void flags_that_mean_nothing_are_refused(void **state)
{
    engine_fixture *f = *state;
    static const int32_t kinds[] = {
        SKED_EVENT_TASK_FINISH, SKED_EVENT_TASK_FAIL,  SKED_EVENT_TASK_LOST,
        SKED_EVENT_TASK_KILLED, SKED_EVENT_TASK_SAVED, SKED_EVENT_TASK_CONFIRM};
    sked_event event = {.kind = SKED_EVENT_ASK_ADD,
                        .key = 2,
                        .owner = 1,
                        .count = 2,
                        .amount = 1,
                        .flags = SKED_ASK_GANG | SKED_ASK_TOGETHER};
    uint64_t g[3];

    start_ten(f, NULL, g);
    uint64_t before = sked_engine_state_digest(f->engine);
    assert_status(SKED_ERR_ARG, engine_say(f, event, 1, 1));
    assert_string_equal(f->err.message, "only a gang over nodes ends together");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        event = (sked_event){
            .kind = kinds[i], .key = g[0], .count = 1, .flags = 4};
        assert_status(SKED_ERR_ARG, engine_say(f, event, 0, 0));
        event.key = 1;
        event.count = 0;
        event.flags = SKED_TASK_ALL | 4;
        assert_status(SKED_ERR_ARG, engine_say(f, event, 0, 0));
    }
    event = (sked_event){.kind = SKED_EVENT_TASK_SAVED, .key = 1, .flags = 16};
    assert_status(SKED_ERR_ARG, engine_say(f, event, 0, 0));
    assert_true(sked_engine_state_digest(f->engine) == before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(all_of_it_ends_with_one_that_is_lost),
        engine_case(what_is_not_open_again_leaves_the_rest),
        engine_case(an_elastic_gang_ends_when_it_is_too_small),
        engine_case(proposals_end_together),
        engine_case(its_job_may_be_given_up_meanwhile),
        engine_case(it_is_told_when_there_is_memory),
        engine_case(flags_that_mean_nothing_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
