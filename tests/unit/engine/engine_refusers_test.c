/*
 * What passes over a node cost where many asks refuse it: each is looked at once,
 * and not again while nothing of it or of the refusal has changed, whatever else
 * does. Counted by what passes looked at, not by the clock.
 */
#include "engine_exclude.h"

#include "engine/state.h"

enum { MANY = 1000 };

/* One leaf, node 1 of 4 cpu, a job 1 with many asks of one cpu and a job 2. */
static sked_queue_id begin(engine_fixture *f)
{
    sked_queue_id leaf = engine_alone(f, NULL, 4, 100, 1);

    engine_add_job(f, 2, leaf, 2);
    for (uint64_t i = 0; i < MANY; i++) {
        assert_ok(engine_add_ask(f, 10 + i, 1, 1, 1, 1));
    }
    (void)engine_taken(f);
    return leaf;
}

/* How many asks a heartbeat of a node looks at, after a change that may have made
 * anything possible; `decisions` is what it must decide. */
static int64_t looks(engine_fixture *f, uint64_t node, size_t decisions)
{
    engine_add_node(f, 1000 + engine_stats_of(f).nodes, 7, 1,
                    1); /* in another partition */
    int64_t before = (int64_t)engine_stats_of(f).asks_visited;
    assert_int_equal(engine_beat(f, node), decisions);
    return (int64_t)engine_stats_of(f).asks_visited - before;
}

static void excluded_nodes_are_passed_by(void **state)
{
    engine_fixture *f = *state;
    const uint64_t bad[] = {1};

    (void)begin(f);
    assert_ok(exclude(f, SKED_EVENT_JOB_EXCLUDE, 1, bad, 1));
    assert_i64(looks(f, 1, 0), MANY); /* each once */
    assert_i64(looks(f, 1, 0), 0);

    /* Behind all of them stand others that take the node. */
    for (uint64_t i = 0; i < 3; i++) {
        assert_ok(engine_add_ask(f, 5000 + i, 2, 1, 1, 1));
        assert_i64(looks(f, 1, 1), 1);
        assert_i64((int64_t)f->last[0].ask, (int64_t)(5000 + i));
    }
    /* One that comes is looked at, and no other. */
    assert_ok(engine_add_ask(f, 6000, 1, 1, 1, 1));
    assert_i64(looks(f, 1, 0), 1);
    assert_i64(looks(f, 1, 0), 0);

    /* What is excluded no more, starts. */
    assert_ok(exclude(f, SKED_EVENT_JOB_EXCLUDE, 1, bad, 0));
    assert_i64(looks(f, 1, 1), 2); /* and the next, which fits no more */
    assert_i64((int64_t)f->last[0].ask, 10);
}

static void a_queue_at_its_limit_changes_nothing(void **state)
{
    engine_fixture *f = *state;
    const uint64_t bad[] = {1};
    sked_queue_id full = engine_queue(f, f->root, "full");
    const int64_t one[] = {1, 1};

    assert_ok(sked_tree_set_vec(f->tree, full, SKED_QUEUE_LIMIT, one, NULL));
    (void)begin(f);
    engine_add_job(f, 3, full, 3);
    assert_ok(engine_add_ask(f, 7000, 3, 2, 1, 1));
    assert_ok(engine_add_ask(f, 7001, 3, 2, 1, 1));
    (void)engine_taken(f);
    assert_ok(exclude(f, SKED_EVENT_JOB_EXCLUDE, 1, bad, 1));
    (void)looks(f, 1, 1); /* one of job 3, whose queue is full then */
    assert_ok(exclude(f, SKED_EVENT_JOB_EXCLUDE, 3, bad, 1));
    (void)looks(f, 1, 0);
    assert_i64(looks(f, 1, 0), 0);
}

/* Refuses whatever a heartbeat of node 1 proposes, until 100 and by one later for
 * each; asks 10 to 10 + MANY - 1 in turn. */
static void refuse_all(engine_fixture *f, int timed)
{
    for (int64_t i = 0; i < MANY; i += 4) {
        assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
        assert_int_equal(engine_taken(f), 4);
        for (int64_t j = 0; j < 4; j++) {
            sked_event event = {.kind = SKED_EVENT_TASK_REFUSE,
                                .key = f->last[j].group,
                                .time = f->now};
            sked_time until = timed ? 100 + i + j : SKED_UNSET;
            sked_events batch = {.struct_size = sizeof batch,
                                 .events = &event,
                                 .n = 1,
                                 .moments = &until};
            assert_ok(sked_engine_apply(f->engine, &batch, NULL, &f->err));
        }
    }
}

static void begin_with_proposals(engine_fixture *f)
{
    sked_engine_options o = {.struct_size = sizeof o,
                             .confirm_within_ns = 100000};

    (void)engine_alone(f, &o, 4, 100, 1);
    for (uint64_t i = 0; i < MANY; i++) {
        assert_ok(engine_add_ask(f, 10 + i, 1, 1, 1, 1));
    }
    (void)engine_taken(f);
}

static void refused_pairs_cost_nothing_until_they_lapse(void **state)
{
    engine_fixture *f = *state;

    begin_with_proposals(f);
    refuse_all(f, 1);
    f->now = 50;
    assert_i64(looks(f, 1, 0), MANY);
    f->now = 99;
    assert_i64(looks(f, 1, 0), 0);
    f->now = 101; /* two lapse: all are asked anew, and these looked at */
    assert_i64(looks(f, 1, 2), MANY + 2);
    assert_i64((int64_t)f->last[0].ask, 10);
    assert_i64((int64_t)f->last[1].ask, 11);
    assert_i64(looks(f, 1, 0), 0);
}

static void what_a_node_remembers_is_checked(void **state)
{
    engine_fixture *f = *state;

    begin_with_proposals(f);
    refuse_all(f, 1);
    f->now = 50;
    assert_i64(looks(f, 1, 0), MANY);
    engine_refusers *known = &node_at(f->engine, f->engine->first_node)
                                  ->refusers;
    sked_time until = known->until;
    assert_ok(sked_engine_check(f->engine, NULL));
    known->until = INT64_MAX;
    assert_status(SKED_ERR_INTERNAL, sked_engine_check(f->engine, NULL));
    known->until = until;
    assert_ok(sked_engine_check(f->engine, NULL));
    f->engine->rows.weight[1]++;
    assert_status(SKED_ERR_INTERNAL, sked_engine_check(f->engine, NULL));
    f->engine->rows.weight[1]--;
}

/* More shapes than there are classes: asks that refuse a node are together. */
static void mixed_classes_are_passed_by(void **state)
{
    engine_fixture *f = *state;
    const uint64_t bad[] = {1};

    engine_add_job(f, 2, engine_alone(f, NULL, 4, 100, 1), 2);
    engine_add_node(f, 2, 0, 1000, 1000);
    for (uint64_t i = 1; i <= SKEDI_MIXED_CLASS; i++) {
        assert_ok(engine_add_ask(f, i, 1, 1, 3, 200 + (int64_t)i));
    }
    assert_ok(exclude(f, SKED_EVENT_JOB_EXCLUDE, 2, bad, 1));
    for (uint64_t i = 0; i < 3; i++) {
        assert_ok(engine_add_ask(f, 200 + i, 2, 1, 1, 1 + (int64_t)i));
    }
    (void)engine_taken(f);
    assert_i64(looks(f, 1, 0), 3);
    assert_i64(looks(f, 1, 0), 0);
    assert_ok(sked_engine_check(f->engine, NULL));
}

static void refused_pairs_cost_nothing_until_the_node_changes(void **state)
{
    engine_fixture *f = *state;

    begin_with_proposals(f);
    refuse_all(f, 0);
    assert_i64(looks(f, 1, 0), MANY);
    assert_i64(looks(f, 1, 0), 0);
    assert_ok(engine_say(
        f, (sked_event){.kind = SKED_EVENT_NODE_CHANGE, .key = 1, .amount = 1},
        2, 100));
    assert_int_equal(engine_beat(f, 1), 2);
}

static void a_change_of_an_ask_lifts_its_refusals(void **state)
{
    engine_fixture *f = *state;

    begin_with_proposals(f);
    refuse_all(f, 0);
    assert_i64(looks(f, 1, 0), MANY);
    assert_ok(engine_end(f, SKED_EVENT_ASK_CHANGE, 500, 1));
    assert_i64(looks(f, 1, 1) <= 2, 1);
    assert_i64((int64_t)f->last[0].ask, 500);
    assert_i64(looks(f, 1, 0), 0);
}

static void a_node_that_moves_is_asked_for_anew(void **state)
{
    engine_fixture *f = *state;
    const uint64_t bad[] = {1};

    (void)begin(f);
    assert_ok(exclude(f, SKED_EVENT_JOB_EXCLUDE, 1, bad, 1));
    assert_i64(looks(f, 1, 0), MANY);
    assert_ok(engine_say(
        f, (sked_event){.kind = SKED_EVENT_NODE_MOVE, .key = 1, .partition = 3},
        0, 0));
    assert_i64(looks(f, 1, 0), 0);
    assert_ok(engine_say(
        f, (sked_event){.kind = SKED_EVENT_NODE_MOVE, .key = 1, .partition = 0},
        0, 0));
    assert_i64(looks(f, 1, 0), MANY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(excluded_nodes_are_passed_by),
        engine_case(a_queue_at_its_limit_changes_nothing),
        engine_case(refused_pairs_cost_nothing_until_they_lapse),
        engine_case(what_a_node_remembers_is_checked),
        engine_case(mixed_classes_are_passed_by),
        engine_case(refused_pairs_cost_nothing_until_the_node_changes),
        engine_case(a_change_of_an_ask_lifts_its_refusals),
        engine_case(a_node_that_moves_is_asked_for_anew),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
