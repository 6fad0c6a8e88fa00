/* Soft rules: in force where a node meets them, dropped at their moment.
 * [PEL-4] */
#include "engine_rules.h"
#include "engine_scene.h"

#include "engine/filter.h"
#include "engine/soft_rules.h"
#include "engine/state.h"

enum { WORK = 50 }; /* a tag */

static void soft_rules_are_dropped_in_time(void **state)
{
    engine_fixture *f = *state;

    three_nodes(f, NULL);
    f->now = 10;
    assert_ok(engine_add_ask(f, 1, 1, 9, 1, 1));
    assert_ok(prefer_zone(f, 1, 2, 1, 30));
    starts(f, 1, 0);
    starts(f, 3, 0);
    starts(f, 2, 4);
    f->now = 29;
    starts(f, 1, 0);
    f->now = 30; /* its moment */
    starts(f, 1, 4);
    starts(f, 3, 1);
    assert_int_equal(f->engine->soft.lists.live, 0);
}

/* A hard rule waits for ever. */
static void hard_rules_wait_for_ever(void **state)
{
    engine_fixture *f = *state;

    three_nodes(f, NULL);
    f->now = 10;
    assert_ok(engine_add_ask(f, 1, 1, 9, 1, 1));
    assert_ok(only_zone(f, 1, 7));
    assert_ok(prefer_zone(f, 1, 2, 1, 30));
    f->now = INT64_C(1) << 58;
    starts(f, 1, 0);
    starts(f, 2, 0);
    assert_ok(in_zone(f, 3, 7));
    starts(f, 3, 4);
}

/* What no node meets is no reason to wait; the heavier of two that no node
 * meets together stands. */
static void what_no_node_meets_yields(void **state)
{
    engine_fixture *f = *state;

    three_nodes(f, NULL);
    assert_ok(engine_add_ask(f, 1, 1, 1, 1, 1));
    assert_ok(prefer_zone(f, 1, 9, 5, SKED_UNSET));
    starts(f, 1, 1);
    assert_ok(engine_add_ask(f, 2, 1, 1, 1, 1));
    assert_ok(prefer_zone(f, 2, 1, 2, SKED_UNSET));
    assert_ok(prefer_zone(f, 2, 2, 3, SKED_UNSET));
    starts(f, 1, 0);
    starts(f, 2, 1);
    assert_ok(engine_add_ask(f, 3, 1, 1, 1, 1));
    assert_ok(prefer_zone(f, 3, 2, 2, SKED_UNSET)); /* said first */
    assert_ok(prefer_zone(f, 3, 1, 2, SKED_UNSET));
    starts(f, 1, 0);
    starts(f, 2, 1);
}

/* A rule that has yielded stands again when a node comes that meets it. */
static void nodes_bring_them_into_force(void **state)
{
    engine_fixture *f = *state;

    three_nodes(f, NULL);
    assert_ok(engine_add_ask(f, 1, 1, 40, 1, 1));
    assert_ok(prefer_zone(f, 1, 9, 1, SKED_UNSET));
    starts(f, 1, 4);
    engine_add_node(f, 4, 0, 2, 2);
    assert_ok(in_zone(f, 4, 9));
    starts(f, 2, 0);
    starts(f, 4, 2);
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DRAIN, 4)); /* it is there */
    starts(f, 2, 0);
    assert_ok(in_zone(f, 4, 8));
    starts(f, 2, 4);
    assert_ok(in_zone(f, 4, 9));
    starts(f, 3, 0);
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 4));
    starts(f, 3, 4);
    engine_add_node(f, 5, 1, 2, 2); /* of another partition */
    assert_ok(in_zone(f, 5, 9));
    engine_add_node(f, 6, 0, 2, 2);
    starts(f, 6, 2);
}

/* One that has yielded is in nobody's way: neither that of a lighter one, nor
 * of a node that comes for that. */
static void what_yields_is_passed_over(void **state)
{
    engine_fixture *f = *state;

    three_nodes(f, NULL);
    assert_ok(engine_add_ask(f, 1, 1, 40, 1, 1));
    assert_ok(prefer_zone(f, 1, 9, 5, SKED_UNSET));
    assert_ok(prefer_zone(f, 1, 8, 1, SKED_UNSET));
    starts(f, 1, 4);
    assert_ok(in_zone(f, 3, 8));
    starts(f, 2, 0);
    starts(f, 3, 4);
    assert_ok(in_zone(f, 3, 7));
    starts(f, 2, 4);
}

/* Soft rules count after the rule; it may be another, and they may go. */
static void the_rule_is_asked_first(void **state)
{
    engine_fixture *f = *state;

    three_nodes(f, NULL);
    assert_ok(engine_add_ask(f, 1, 1, 40, 1, 1));
    assert_ok(prefer_zone(f, 1, 2, 1, SKED_UNSET));
    assert_ok(only_zone(f, 1, 1)); /* no node is in both */
    starts(f, 2, 0);
    starts(f, 3, 0);
    starts(f, 1, 4);
    assert_ok(go_by(f, 1, NULL, 0));
    starts(f, 3, 0);
    assert_ok(prefer(f, 1, NULL, 0, 0, SKED_UNSET));
    starts(f, 3, 4);
    starts(f, 2, 4);
    assert_ok(prefer(f, 1, NULL, 0, 0, SKED_UNSET)); /* there are none */
    assert_ok(prefer_zone(f, 1, 2, 1, SKED_UNSET));
    assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 1));
    assert_ok(engine_tell(f, SKED_EVENT_JOB_CANCEL, 1));
    assert_ok(sked_engine_check(f->engine, NULL));
}

/* Of work they count as hard rules do; only what they say of nodes decides
 * whether they are in force. */
static void soft_rules_may_count_work(void **state)
{
    engine_fixture *f = *state;
    const uint64_t tags[] = {WORK};
    const sked_rule_term apart = {
        .op = SKED_RULE_OP_AT_MOST, .key = WORK, .value = 0};

    three_nodes(f, NULL);
    f->now = 10;
    assert_ok(engine_add_ask(f, 1, 1, 9, 1, 1));
    assert_ok(tagged(f, 1, tags, 1));
    assert_ok(prefer(f, 1, &apart, 1, 1, 20));
    starts(f, 1, 1);
    starts(f, 2, 1);
    starts(f, 3, 1);
    starts(f, 3, 0); /* it waits, though no node meets it any more */
    f->now = 20;
    starts(f, 3, 3);
}

/* Its place in line is its own, and what runs of it is left alone. */
static void the_place_in_line_stays(void **state)
{
    engine_fixture *f = *state;
    uint64_t ask;

    three_nodes(f, NULL);
    f->now = 1;
    assert_ok(engine_add_ask(f, 1, 1, 2, 3, 3));
    assert_ok(engine_add_ask(f, 2, 1, 2, 3, 3));
    assert_ok(prefer_zone(f, 1, 2, 1, 9));
    assert_i64(beat(f, 1, &ask), 1);
    assert_i64((int64_t)ask, 2);
    assert_i64(beat(f, 2, &ask), 1);
    assert_i64((int64_t)ask, 1);
    f->now = 9;
    assert_i64(beat(f, 3, &ask), 1);
    assert_i64((int64_t)ask, 1);
}

static void what_is_wrong_with_soft_rules(void **state)
{
    engine_fixture *f = *state;
    sked_rule_term many[SKED_MAX_RULE_TERMS];
    sked_rule_term bad = EQUAL_TO(ZONE, 1);
    const sked_rule_term counts = {
        .op = SKED_RULE_OP_AT_LEAST, .key = 1, .value = 1};
    sked_event gang = {.kind = SKED_EVENT_ASK_ADD,
                       .key = 2,
                       .owner = 1,
                       .count = 2,
                       .amount = 1,
                       .flags = SKED_ASK_GANG | SKED_ASK_SPREAD};

    bad.n = 1;
    for (size_t i = 0; i < SKED_MAX_RULE_TERMS; i++) many[i] = EQUAL_TO(1, 1);
    three_nodes(f, NULL);
    f->now = 10;
    assert_ok(engine_add_ask(f, 1, 1, 9, 1, 1));
    assert_ok(engine_say(f, gang, 4, 1));
    assert_ok(only_zone(f, 1, 1));
    uint64_t before = sked_engine_state_digest(f->engine);
    assert_status(SKED_ERR_NOT_FOUND, prefer_zone(f, 9, 1, 1, SKED_UNSET));
    assert_status(SKED_ERR_RANGE, prefer_zone(f, 1, 1, -1, SKED_UNSET));
    assert_status(SKED_ERR_RANGE,
                  prefer_zone(f, 1, 1, INT64_C(1) << 31, SKED_UNSET));
    assert_status(SKED_ERR_RANGE, prefer_zone(f, 1, 1, 1, 10));
    assert_status(SKED_ERR_ARG, prefer(f, 1, &bad, 1, 1, SKED_UNSET));
    assert_status(SKED_ERR_RANGE,
                  prefer(f, 1, many, SKED_MAX_RULE_TERMS, 1, SKED_UNSET));
    assert_status(SKED_ERR_STATE, prefer(f, 2, &counts, 1, 1, SKED_UNSET));
    assert_true(before == sked_engine_state_digest(f->engine));
    for (int i = 0; i < SKED_MAX_ASK_PREFERENCES; i++) {
        assert_ok(prefer_zone(f, 1, 1, INT32_MAX, INT64_MAX));
    }
    before = sked_engine_state_digest(f->engine);
    assert_status(SKED_ERR_RANGE, prefer_zone(f, 1, 1, 1, 11));
    assert_i64(f->err.limit, SKED_MAX_ASK_PREFERENCES);
    assert_status(SKED_ERR_RANGE, go_by(f, 1, many, SKED_MAX_RULE_TERMS));
    assert_true(before == sked_engine_state_digest(f->engine));
    assert_ok(
        go_by(f, 1, many, SKED_MAX_RULE_TERMS - SKED_MAX_ASK_PREFERENCES));
}

/* What is kept of them is part of the state, and is looked after. */
static void soft_rules_are_state(void **state)
{
    engine_fixture *f = *state;

    three_nodes(f, NULL);
    f->now = 1;
    assert_ok(engine_add_ask(f, 1, 1, 9, 1, 1));
    uint64_t none = sked_engine_state_digest(f->engine);
    assert_ok(prefer_zone(f, 1, 9, 1, SKED_UNSET)); /* not in force */
    uint64_t one = sked_engine_state_digest(f->engine);
    assert_true(one != none);
    assert_ok(prefer(f, 1, NULL, 0, 0, SKED_UNSET));
    assert_true(sked_engine_state_digest(f->engine) == none);
    assert_ok(prefer_zone(f, 1, 9, 2, SKED_UNSET));
    assert_true(sked_engine_state_digest(f->engine) != one);
    assert_ok(prefer_zone(f, 1, 1, 1, SKED_UNSET));
    sked_engine *e = f->engine;
    engine_preferred *list = skedi_soft_of(e, skedi_keymap_get(&e->ask_of, 1));
    list->at[1].nodes++;
    assert_status(SKED_ERR_INTERNAL, sked_engine_check(e, &f->err));
    assert_string_equal(f->err.message, "soft rules");
    list->at[1].nodes--;
    list->at[0].holds = 1;
    assert_int_equal(skedi_soft_is_sound(e), 0);
    list->at[0].holds = 0;
    list->at[0].weight = 0;
    assert_int_equal(skedi_soft_is_sound(e), 0);
    list->at[0].weight = 2;
    e->soft.stale++;
    assert_int_equal(skedi_soft_is_sound(e), 0);
    e->soft.stale--;
    assert_ok(sked_engine_check(e, NULL));
}

/* Each allocation fails in turn: the row is refused, or stands and is made good
 * by the next. */
static void memory_of_soft_rules_may_end(void **state)
{
    engine_fixture *f = *state;
    const sked_rule_term terms[] = {
        {.op = SKED_RULE_OP_IN, .key = ZONE, .first = 1, .n = 2}};
    size_t refused = 0, late = 0;

    three_nodes(f, NULL);
    f->now = 1;
    for (uint64_t a = 1; a <= 90; a++) {
        assert_ok(engine_add_ask(f, a, 1, 1, (int64_t)a % 5, 1));
        assert_ok(only_zone(f, a, (int64_t)a % 3));
        for (size_t i = 1;; i++) {
            uint64_t before = sked_engine_state_digest(f->engine);
            f->host.fail_at = f->host.requests + i;
            sked_status rc = prefer(f, a, terms, 1, 1, 2 + (sked_time)a);
            f->host.fail_at = 0;
            assert_ok(sked_engine_check(f->engine, NULL));
            if (rc == SKED_OK) break;
            assert_status(SKED_ERR_NOMEM, rc);
            int stands = f->engine->soft.stale > 0;
            late += (size_t)stands;
            refused += !stands;
            if (stands) break;
            assert_true(before == sked_engine_state_digest(f->engine));
        }
        assert_ok(engine_tell(f, SKED_EVENT_TICK, 0));
        assert_int_equal(f->engine->soft.stale, 0);
    }
    assert_true(refused > 5);
    assert_true(late > 5);
    f->now = 1000;
    f->host.fail_at = f->host.requests + 1;
    (void)engine_tell(f, SKED_EVENT_TICK, 0);
    f->host.fail_at = 0;
    assert_ok(engine_tell(f, SKED_EVENT_TICK, 0));
    assert_int_equal(f->engine->soft.lists.live, 0);
}

/* Once others have ended for an ask on a node, it starts there, though a soft
 * rule that expires meanwhile brings one into force that would not have it. */
static void what_others_ended_for_starts(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    scene_preempt(f, &s);
    scene_fill(f, &s, 0);
    assert_ok(in_zone(f, 1, 1));
    assert_ok(engine_add_ask(f, 2, 2, 1, 1, 1));
    assert_ok(prefer_zone(f, 2, 1, 1, 20 * (int64_t)SECOND));
    assert_ok(prefer_zone(f, 2, 2, 0, SKED_UNSET));
    (void)scene_hold(f, 3);
    engine_add_node(f, 2, 0, 0, 100);
    assert_ok(in_zone(f, 2, 2));
    (void)scene_hold(f, 18);
    sked_decision kill = *scene_said(f, SKED_DECISION_KILL);
    assert_i64(kill.count, 1);
    (void)scene_hold(f, 21); /* the second is in force */
    assert_i64((int64_t)scene_count(f, SKED_DECISION_WITHDRAW), 0);
    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, kill.group, 1));
    (void)engine_taken(f);
    starts(f, 1, 1);
    assert_int_equal(f->last[0].ask, 2);
    assert_int_equal(f->last[0].reason, SKED_REASON_HELD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(soft_rules_are_dropped_in_time),
        engine_case(hard_rules_wait_for_ever),
        engine_case(what_no_node_meets_yields),
        engine_case(nodes_bring_them_into_force),
        engine_case(what_yields_is_passed_over),
        engine_case(the_rule_is_asked_first),
        engine_case(soft_rules_may_count_work),
        engine_case(the_place_in_line_stays),
        engine_case(what_others_ended_for_starts),
        engine_case(what_is_wrong_with_soft_rules),
        engine_case(soft_rules_are_state),
        engine_case(memory_of_soft_rules_may_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
