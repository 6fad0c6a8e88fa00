/*
 * What the host will not have, and what waits to be possible: how far a refusal
 * reaches and how long it holds; sets of nodes; asks that wait for a node or a
 * limit instead of being rejected, at no cost.
 */
#include "engine_exclude.h"
#include "engine/state.h"

static sked_status say_until(engine_fixture *f, sked_event event,
                             sked_time moment)
{
    sked_events batch = {.struct_size = sizeof batch,
                         .events = &event,
                         .n = 1,
                         .moments = &moment};

    event.time = f->now;
    return sked_engine_apply(f->engine, &batch, NULL, &f->err);
}

static sked_status refuse(engine_fixture *f, uint64_t group, uint32_t flags,
                          sked_time until)
{
    return say_until(f,
                     (sked_event){.kind = SKED_EVENT_TASK_REFUSE,
                                  .key = group,
                                  .count = 2,
                                  .flags = flags},
                     until);
}

static sked_status allow(engine_fixture *f, uint32_t flags, uint64_t key)
{
    return say_until(
        f, (sked_event){.kind = SKED_EVENT_ALLOW, .key = key, .flags = flags},
        SKED_UNSET);
}

/* Nodes 1 and 2 of 4 cpu; jobs 1 and 2 with asks 1 and 2 of job 1 and ask 3 of
 * job 2, three tasks each; ask 1 is proposed on node 1 by the group that comes
 * back. */
static uint64_t propose(engine_fixture *f, uint32_t flags)
{
    sked_engine_options o = {.struct_size = sizeof o,
                             .confirm_within_ns = 1000};
    sked_queue_id leaf = engine_alone(f, &o, 3, 100, 1);

    engine_add_node(f, 2, 0, 3, 100);
    engine_add_job(f, 2, leaf, 2);
    assert_ok(engine_add_ask(f, 1, 1, 3, 1, 1));
    if (flags) assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 1));
    if (flags) {
        assert_ok(engine_say(f,
                             (sked_event){.kind = SKED_EVENT_ASK_ADD,
                                          .key = 1,
                                          .owner = 1,
                                          .count = 3,
                                          .amount = 1,
                                          .flags = flags},
                             1, 1));
    }
    assert_ok(engine_add_ask(f, 2, 1, 3, 1, 1));
    assert_ok(engine_add_ask(f, 3, 2, 3, 1, 1));
    (void)engine_taken(f);
    assert_int_equal(engine_beat(f, 1), 1);
    assert_i64((int64_t)f->last[0].ask, 1);
    return f->last[0].group;
}

/* The ask that a node starts first now; 0: none. It is undone again. */
static uint64_t first_on(engine_fixture *f, uint64_t node)
{
    uint64_t ask = 0;
    size_t n = engine_beat(f, node);
    sked_decision last[8];

    assert_true(n < 8);
    memcpy(last, f->last, sizeof last);
    for (size_t i = 0; i < n; i++) {
        if (last[i].kind != SKED_DECISION_ALLOCATE) continue;
        if (!ask) ask = last[i].ask;
        assert_ok(
            engine_end(f, SKED_EVENT_TASK_LOST, last[i].group, last[i].count));
    }
    (void)engine_taken(f);
    return ask;
}

static void a_pair_is_refused_until_a_moment(void **state)
{
    engine_fixture *f = *state;
    uint64_t group = propose(f, 0);

    f->now = 5;
    assert_status(SKED_ERR_RANGE, refuse(f, group, 0, 5)); /* it has passed */
    assert_i64(f->err.limit, 5);
    assert_ok(refuse(f, group, 0, 50));
    assert_i64((int64_t)first_on(f, 1), 2);
    assert_i64((int64_t)first_on(f, 2), 1);
    assert_i64((int64_t)first_on(f, 1), 2); /* whatever has changed by now */
    assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 2));
    assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 3));
    assert_i64((int64_t)first_on(f, 1), 0);
    uint64_t idle = engine_stats_of(f).idle;
    assert_i64((int64_t)first_on(f, 1), 0);
    assert_i64((int64_t)engine_stats_of(f).idle, (int64_t)idle + 1);
    f->now = 49;
    assert_i64((int64_t)first_on(f, 1), 0);
    f->now = 50;
    assert_i64((int64_t)first_on(f, 1), 1);
}

/* What is refused for good does not have a node looked at sooner, where another
 * ask waits for its places. */
static void a_refusal_for_good_wakes_no_node(void **state)
{
    engine_fixture *f = *state;
    sked_engine_options o = {.struct_size = sizeof o,
                             .confirm_within_ns = 1000,
                             .node_delay_ns = 500};
    const int64_t one[] = {1, 1};
    const int32_t offsets[] = {0, 1};
    const uint64_t place = 2;
    sked_event event = {.kind = SKED_EVENT_ASK_ADD,
                        .key = 1,
                        .owner = 1,
                        .count = 1,
                        .priority = 1, /* it comes before the other */
                        .amount = 1,
                        .places = 1};
    sked_events batch = {.struct_size = sizeof batch,
                         .events = &event,
                         .n = 1,
                         .amounts = one,
                         .n_amounts = 1,
                         .place_offsets = offsets,
                         .places = &place,
                         .n_places = 1};

    (void)engine_alone(f, &o, 3, 100, 1);
    engine_add_node(f, 2, 0, 3, 100);
    assert_ok(engine_add_ask(f, 2, 1, 2, 1, 1));
    (void)engine_taken(f);
    assert_int_equal(engine_beat(f, 1), 1);
    assert_ok(refuse(f, f->last[0].group, 0, SKED_UNSET));
    assert_ok(sked_engine_apply(f->engine, &batch, NULL, &f->err));
    assert_int_equal(engine_beat(f, 1), 0);
    uint64_t idle = engine_stats_of(f).idle;
    assert_int_equal(engine_beat(f, 1), 0);
    assert_int_equal(engine_beat(f, 1), 0);
    assert_i64((int64_t)engine_stats_of(f).idle, (int64_t)idle + 2);
    f->now = 500;
    assert_int_equal(engine_beat(f, 1), 1);
    assert_i64((int64_t)f->last[0].ask, 1);
}

static void a_pair_may_be_refused_again(void **state)
{
    engine_fixture *f = *state;

    (void)propose(f, 0);
    for (sked_time t = 1; t < 20; t++) {
        f->now = t * 10;
        assert_ok(refuse(f, f->last[0].group, 0, f->now + 5));
        assert_int_equal(f->engine->refusals.live, 1);
        f->now += 5;
        assert_int_equal(engine_beat(f, 1), 1);
        assert_i64((int64_t)f->last[0].ask, 1);
    }
    assert_ok(refuse(f, f->last[0].group, 0, SKED_UNSET));
    assert_i64((int64_t)first_on(f, 1), 2);
}

/* Pairs that hold no longer do not pile up. */
static void lapsed_pairs_go(void **state)
{
    engine_fixture *f = *state;

    (void)propose(f, 0);
    uint64_t group = f->last[0].group;
    for (uint64_t n = 3; n < 60; n++) {
        /* one in ten holds on */
        assert_ok(refuse(f, group, 0, f->now + (n % 10 ? 1 : 100000)));
        f->now += 2;
        engine_add_node(f, n, 0, 3, 3);
        assert_int_equal(engine_beat(f, n), 1);
        assert_i64((int64_t)f->last[0].ask, 1);
        group = f->last[0].group;
    }
    assert_true(f->engine->refusals.live < 20);
}

static void an_ask_is_refused_everywhere(void **state)
{
    engine_fixture *f = *state;
    uint64_t group = propose(f, 0);
    sked_engine_bound b[32];
    size_t n;

    assert_ok(refuse(f, group, SKED_REFUSE_ASK, SKED_UNSET));
    assert_i64((int64_t)first_on(f, 1), 2);
    assert_i64((int64_t)first_on(f, 2), 2);
    assert_ok(sked_engine_explain_job(f->engine, 1, b, 32, &n));
    size_t said = 0;
    for (size_t i = 0; i < n; i++) {
        said += b[i].reason == SKED_REASON_REFUSED && b[i].ask == 1 &&
                b[i].binds;
    }
    assert_int_equal(said, 1);
    /* By a change of the ask it is back, at its place. */
    assert_ok(engine_end(f, SKED_EVENT_ASK_CHANGE, 1, 2));
    assert_i64((int64_t)first_on(f, 2), 1);
}

static void a_refused_ask_costs_passes_nothing(void **state)
{
    engine_fixture *f = *state;
    uint64_t group = propose(f, 0);

    assert_ok(refuse(f, group, SKED_REFUSE_ASK, 1000));
    assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 2));
    assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 3));
    uint64_t asks = engine_stats_of(f).asks_visited;
    for (uint64_t i = 0; i < 20; i++) {
        engine_add_node(f, 10 + i, 0, 3, 3); /* something is new each time */
        assert_int_equal(engine_beat(f, 1), 0);
        assert_int_equal(engine_beat(f, 10 + i), 0);
    }
    assert_i64((int64_t)engine_stats_of(f).asks_visited, (int64_t)asks);
    f->now = 999;
    assert_int_equal(engine_beat(f, 1), 0);
    f->now = 1000;
    assert_int_equal(engine_beat(f, 1), 1);
}

static void a_timed_refusal_outlives_changes(void **state)
{
    engine_fixture *f = *state;
    uint64_t group = propose(f, 0);

    assert_ok(refuse(f, group, SKED_REFUSE_ASK, 40));
    assert_ok(engine_end(f, SKED_EVENT_ASK_CHANGE, 1, 2));
    assert_i64((int64_t)first_on(f, 1), 2);
    f->now = 40;
    assert_i64((int64_t)first_on(f, 1), 1);
}

static void a_job_is_refused_with_asks_to_come(void **state)
{
    engine_fixture *f = *state;
    uint64_t group = propose(f, 0);
    sked_event update = {
        .kind = SKED_EVENT_JOB_UPDATE, .key = 1, .priority = 1};

    assert_ok(refuse(f, group, SKED_REFUSE_JOB, SKED_UNSET));
    assert_i64((int64_t)first_on(f, 1), 3);
    assert_ok(engine_add_ask(f, 4, 1, 1, 1, 1));
    assert_i64((int64_t)first_on(f, 1), 3);
    assert_ok(engine_end(f, SKED_EVENT_ASK_CHANGE, 1, 2)); /* is not the job */
    assert_i64((int64_t)first_on(f, 1), 3);
    assert_ok(engine_say(f, update, 0, 0));
    assert_i64((int64_t)first_on(f, 1), 1);
}

/* The proposal is of an ask that was withdrawn; the others are meant, too. Of
 * a job that is over there is none. */
static void a_job_is_refused_by_what_was_withdrawn(void **state)
{
    engine_fixture *f = *state;
    uint64_t group = propose(f, 0);

    assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 1));
    assert_ok(refuse(f, group, SKED_REFUSE_JOB, 40));
    assert_i64((int64_t)first_on(f, 1), 3);
    f->now = 40;
    assert_i64((int64_t)first_on(f, 1), 2);
    assert_int_equal(engine_beat(f, 1), 1);
    assert_i64((int64_t)f->last[0].ask, 2);
    group = f->last[0].group;
    assert_ok(engine_tell(f, SKED_EVENT_JOB_CANCEL, 1));
    assert_ok(refuse(f, group, SKED_REFUSE_JOB, 80));
    assert_i64((int64_t)engine_stats_of(f).jobs, 1);
    assert_i64((int64_t)first_on(f, 1), 3);
}

static void a_node_is_refused_for_everything(void **state)
{
    engine_fixture *f = *state;
    uint64_t group = propose(f, 0);

    assert_ok(refuse(f, group, SKED_REFUSE_NODE, SKED_UNSET));
    assert_i64((int64_t)first_on(f, 1), 0);
    assert_i64((int64_t)first_on(f, 2), 1);
    assert_ok(engine_tell(f, SKED_EVENT_NODE_RESUME, 1));
    assert_i64((int64_t)first_on(f, 1), 1);

    assert_int_equal(engine_beat(f, 1), 1);
    assert_ok(refuse(f, f->last[0].group, SKED_REFUSE_NODE, 30));
    assert_ok(engine_tell(f, SKED_EVENT_NODE_RESUME, 1)); /* until then */
    assert_i64((int64_t)first_on(f, 1), 0);
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DRAIN, 1));
    f->now = 30;
    assert_i64((int64_t)first_on(f, 1), 0); /* it drains still */
    assert_ok(engine_tell(f, SKED_EVENT_NODE_RESUME, 1));
    assert_i64((int64_t)first_on(f, 1), 1);

    assert_int_equal(engine_beat(f, 1), 1);
    assert_ok(refuse(f, f->last[0].group, SKED_REFUSE_NODE, SKED_UNSET));
    assert_ok(engine_say(
        f, (sked_event){.kind = SKED_EVENT_NODE_CHANGE, .key = 1, .amount = 1},
        4, 100));
    assert_i64((int64_t)first_on(f, 1), 1);

    assert_int_equal(engine_beat(f, 1), 2); /* its fourth core is for another */
    assert_ok(refuse(f, f->last[0].group, SKED_REFUSE_NODE, 90));
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 1));
    engine_add_node(f, 1, 0, 3, 100); /* another node of that name */
    (void)engine_taken(f);
    assert_i64((int64_t)first_on(f, 1), 1);
}

static void some_tasks_of_a_proposal_are_refused(void **state)
{
    engine_fixture *f = *state;
    uint64_t group = propose(f, 0);
    int64_t free[2];

    assert_status(SKED_ERR_RANGE,
                  engine_say(f,
                             (sked_event){.kind = SKED_EVENT_TASK_REFUSE,
                                          .key = group,
                                          .count = 4,
                                          .flags = SKED_REFUSE_SOME},
                             0, 0));
    assert_ok(refuse(f, group, SKED_REFUSE_SOME, SKED_UNSET));
    assert_ok(sked_engine_node_free(f->engine, 1, free));
    assert_i64(free[0], 2);
    assert_ok(engine_tell(f, SKED_EVENT_TASK_CONFIRM, group)); /* the rest */
    assert_status(SKED_ERR_STATE, refuse(f, group, 0, SKED_UNSET));
    assert_status(SKED_ERR_STALE, refuse(f, 77, 0, SKED_UNSET));
    assert_i64((int64_t)first_on(f, 1), 2);
}

static void a_gang_is_refused_as_a_whole(void **state)
{
    engine_fixture *f = *state;
    uint64_t group = propose(f, SKED_ASK_GANG);

    assert_status(SKED_ERR_RANGE,
                  refuse(f, group, SKED_REFUSE_SOME, SKED_UNSET));
    assert_ok(refuse(f, group, SKED_REFUSE_ASK, SKED_UNSET));
    assert_i64((int64_t)first_on(f, 2), 2);
}

static void scopes_are_one_at_most(void **state)
{
    engine_fixture *f = *state;
    uint64_t group = propose(f, 0);

    assert_status(SKED_ERR_ARG, refuse(f, group, 32, SKED_UNSET));
    assert_status(
        SKED_ERR_ARG,
        refuse(f, group, SKED_REFUSE_ASK | SKED_REFUSE_NODE, SKED_UNSET));
    assert_status(SKED_ERR_ARG, allow(f, 3, 1));
    assert_status(SKED_ERR_ARG, allow(f, 0, 1));
    assert_status(SKED_ERR_NOT_FOUND, allow(f, SKED_REFUSE_NODE, 9));
    assert_status(SKED_ERR_NOT_FOUND, allow(f, SKED_REFUSE_ASK, 9));
    assert_status(SKED_ERR_NOT_FOUND, allow(f, SKED_REFUSE_JOB, 9));
}

/* Refused in every way, and lifted again. */
static void refusals_are_lifted(void **state)
{
    static const uint32_t scopes[] = {0, SKED_REFUSE_ASK, SKED_REFUSE_JOB,
                                      SKED_REFUSE_NODE};
    engine_fixture *f = *state;

    (void)propose(f, 0);
    uint64_t group = f->last[0].group;
    for (int i = 0; i < 16; i++) {
        uint32_t scope = scopes[i % 4], by = scopes[i / 4];
        sked_time until = i % 2 ? SKED_UNSET : f->now + 1000;
        assert_ok(refuse(f, group, scope, until));
        assert_true(first_on(f, 1) != 1);
        assert_ok(allow(f, by, by == 0 ? 0 : 1));
        int lifts = by == 0 || by == scope || scope == 0 ||
                    (by == SKED_REFUSE_JOB && scope == SKED_REFUSE_ASK);
        assert_i64(first_on(f, 1) == 1, lifts);
        assert_ok(allow(f, 0, 0));
        assert_int_equal(engine_beat(f, 1), 1);
        group = f->last[0].group;
        assert_i64((int64_t)f->last[0].ask, 1);
    }
}

static void what_is_over_is_not_refused_for_long(void **state)
{
    engine_fixture *f = *state;
    uint64_t group = propose(f, 0);

    assert_ok(engine_tell(f, SKED_EVENT_JOB_CANCEL, 1));
    (void)engine_taken(f);
    assert_ok(refuse(f, group, SKED_REFUSE_JOB, SKED_UNSET));
    assert_i64((int64_t)first_on(f, 1), 3);
    assert_int_equal(f->engine->bans.live, 0);
}

static void nodes_are_excluded(void **state)
{
    static const uint64_t nodes[] = {9, 1, 5, 1};
    engine_fixture *f = *state;
    uint64_t group = propose(f, 0);
    uint64_t before;
    sked_engine_bound b[32];
    size_t n;

    assert_ok(engine_end(f, SKED_EVENT_TASK_LOST, group, 3));
    (void)engine_taken(f);
    f->host.fail_from = 1;
    assert_status(SKED_ERR_NOMEM,
                  exclude(f, SKED_EVENT_ASK_EXCLUDE, 1, nodes, 4));
    f->host.fail_from = 0;
    assert_ok(exclude(f, SKED_EVENT_ASK_EXCLUDE, 1, nodes, 1));
    before = sked_engine_state_digest(f->engine);
    assert_ok(exclude(f, SKED_EVENT_ASK_EXCLUDE, 1, nodes, 4));
    assert_true(before != sked_engine_state_digest(f->engine));
    assert_i64((int64_t)first_on(f, 1), 2);
    assert_i64((int64_t)first_on(f, 2), 1);
    engine_add_node(f, 9, 0, 3, 3); /* one that was not there */
    assert_i64((int64_t)first_on(f, 9), 2);
    assert_ok(exclude(f, SKED_EVENT_JOB_EXCLUDE, 1, nodes + 2, 2)); /* 5, 1 */
    assert_i64((int64_t)first_on(f, 1), 3);
    assert_ok(engine_add_ask(f, 4, 1, 1, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 3));
    assert_i64((int64_t)first_on(f, 1), 0); /* nor one that came later */
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DRAIN, 2));
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DRAIN, 9));
    assert_ok(sked_engine_explain_job(f->engine, 1, b, 32, &n));
    size_t said = 0;
    for (size_t i = 0; i < n; i++) {
        if (b[i].reason != SKED_REASON_DRAINING) continue;
        assert_i64(b[i].bound, b[i].ask == 1 ? 1 : 2); /* 1 excludes node 9 */
        said++;
    }
    assert_int_equal(said, 3);
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 2));
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 9));
    assert_ok(sked_engine_explain_job(f->engine, 1, b, 32, &n));
    said = 0;
    for (size_t i = 0; i < n; i++) said += b[i].reason == SKED_REASON_EXCLUDED;
    assert_int_equal(said, 3); /* node 1 is left */
    assert_ok(exclude(f, SKED_EVENT_JOB_EXCLUDE, 1, nodes, 0));
    assert_i64((int64_t)first_on(f, 1), 2); /* ask 1 has its own */
    assert_ok(exclude(f, SKED_EVENT_ASK_EXCLUDE, 1, nodes, 0));
    assert_i64((int64_t)first_on(f, 1), 1);

    assert_status(SKED_ERR_NOT_FOUND,
                  exclude(f, SKED_EVENT_ASK_EXCLUDE, 8, nodes, 1));
    assert_status(SKED_ERR_NOT_FOUND,
                  exclude(f, SKED_EVENT_JOB_EXCLUDE, 8, nodes, 1));
    assert_status(
        SKED_ERR_ARG,
        engine_say(
            f,
            (sked_event){.kind = SKED_EVENT_ASK_EXCLUDE, .key = 1, .places = 1},
            0, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(a_pair_is_refused_until_a_moment),
        engine_case(a_refusal_for_good_wakes_no_node),
        engine_case(a_pair_may_be_refused_again),
        engine_case(lapsed_pairs_go),
        engine_case(an_ask_is_refused_everywhere),
        engine_case(a_refused_ask_costs_passes_nothing),
        engine_case(a_timed_refusal_outlives_changes),
        engine_case(a_job_is_refused_with_asks_to_come),
        engine_case(a_job_is_refused_by_what_was_withdrawn),
        engine_case(a_node_is_refused_for_everything),
        engine_case(some_tasks_of_a_proposal_are_refused),
        engine_case(a_gang_is_refused_as_a_whole),
        engine_case(scopes_are_one_at_most),
        engine_case(refusals_are_lifted),
        engine_case(what_is_over_is_not_refused_for_long),
        engine_case(nodes_are_excluded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
