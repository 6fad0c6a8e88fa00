/* Rules that ask the host: where its answers count, and how often it is asked.
 * [PEL-4] */
#include <sched/engine_place.h>

#include "engine_predicate.h"
#include "engine_scene.h"

#include "engine/state.h"

/* ---- How often ---- */

/* 1,000 asks over 20 rules on 100 nodes: 20 x 100 questions, however many
 * heartbeats, passes and commits there are. */
static void the_host_is_asked_once(void **state)
{
    engine_fixture *f = *state;

    begin_judged(f, NULL);
    (void)engine_alone(f, NULL, 4, 4, 1);
    for (uint64_t n = 2; n <= 100; n++) engine_add_node(f, n, 0, 4, 4);
    for (uint64_t p = 0; p < 20; p++) only_on(p, p + 1, 100);
    asked_since(0);
    for (uint64_t ask = 1; ask <= 1000; ask++) {
        assert_ok(engine_add_ask(f, ask, 1, 1, 1, 1));
        assert_ok(go_by_host(f, ask, ask % 20));
    }
    asked_since(20 * 100);
    for (int i = 0; i < 3; i++) {
        for (uint64_t n = 1; n <= 100; n++) {
            starts(f, n, n <= 20 && i == 0 ? 4 : 0);
        }
        assert_ok(sked_engine_pass(f->engine, f->now, 0, NULL));
        assert_ok(sked_engine_commit(f->engine, f->tree, f->now, NULL));
        (void)sked_engine_state_digest(f->engine);
    }
    assert_ok(sked_engine_check(f->engine, NULL));
    asked_since(0);
}

/* Rules share what was answered for a term, whatever else they say. */
static void rules_share_answers(void **state)
{
    engine_fixture *f = *state;
    const sked_rule_term both[] = {HOST_SAYS(3), HOST_SAYS(4), HOST_SAYS(3)};

    begin_judged(f, NULL);
    three_nodes(f, NULL);
    assert_ok(engine_add_ask(f, 1, 1, 9, 1, 1));
    assert_ok(engine_add_ask(f, 2, 1, 9, 1, 1));
    assert_ok(go_by_host(f, 1, 3));
    asked_since(3);
    assert_ok(go_by(f, 2, both, 3));
    asked_since(3);
    assert_ok(prefer(f, 1, &HOST_SAYS(4), 1, 1, SKED_UNSET));
    assert_ok(go_by_host(f, 1, 4));
    asked_since(0);
    assert_ok(go_by(f, 1, NULL, 0));
    assert_ok(prefer(f, 1, NULL, 0, 0, SKED_UNSET));
    assert_ok(go_by(f, 2, NULL, 0)); /* no rule has it any more */
    assert_int_equal(f->engine->rules.predicates.pool.live, 0);
    assert_ok(go_by_host(f, 2, 3));
    asked_since(3);
}

/* What runs keeps its rule in use. */
static void rules_of_what_runs_are_in_use(void **state)
{
    engine_fixture *f = *state;

    begin_judged(f, NULL);
    three_nodes(f, NULL);
    assert_ok(engine_add_ask(f, 1, 1, 5, 1, 1));
    assert_ok(go_by_host(f, 1, 3));
    starts(f, 1, 4);
    assert_ok(go_by(f, 1, NULL, 0));
    assert_ok(engine_add_ask(f, 2, 1, 5, 1, 1));
    asked_since(3);
    assert_ok(go_by_host(f, 2, 3));
    asked_since(0);
}

/* Each event that begins a version of a node asks every predicate once, and
 * what was answered then holds. */
static void versions_of_a_node_are_asked_anew(void **state)
{
    engine_fixture *f = *state;

    begin_judged(f, NULL);
    three_nodes(f, NULL);
    engine_add_node(f, 9, 1, 1, 1);
    only_on(1, 2, 9);
    assert_ok(engine_add_ask(f, 1, 1, 900, 1, 1));
    assert_ok(engine_add_ask(f, 2, 1, 900, 1, 1));
    assert_ok(go_by_host(f, 1, 1));
    assert_ok(go_by_host(f, 2, 2));
    asked_since(8);
    judged.answer[2][1] = judged.answer[2][2] = judged.answer[2][3] = 0;
    starts(f, 3, 4); /* of ask 2: nothing of it was said anew */
    asked_since(0);
    assert_ok(in_zone(f, 2, 2)); /* as it was */
    asked_since(2);
    starts(f, 1, 4);
    starts(f, 2, 4);
    assert_int_equal(f->last[0].ask, 1);
    assert_ok(engine_say(
        f, (sked_event){.kind = SKED_EVENT_NODE_CHANGE, .key = 1, .amount = 1},
        8, 8));
    asked_since(2);
    starts(f, 1, 0);
    judged.answer[1][1] = 1;
    assert_ok(engine_say(
        f, (sked_event){.kind = SKED_EVENT_NODE_MOVE, .key = 1, .partition = 1},
        0, 0));
    asked_since(2);
    assert_ok(engine_say(
        f, (sked_event){.kind = SKED_EVENT_NODE_MOVE, .key = 1, .partition = 1},
        0, 0));
    asked_since(0); /* it stays where it is */
    assert_ok(engine_say(
        f, (sked_event){.kind = SKED_EVENT_NODE_MOVE, .key = 1, .partition = 0},
        0, 0));
    asked_since(2);
    starts(f, 1, 4);
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DRAIN, 2));
    assert_ok(engine_tell(f, SKED_EVENT_NODE_RESUME, 2));
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 3));
    asked_since(0);
    (void)engine_taken(f); /* what was lost */
    judged.answer[1][3] = 1;
    engine_add_node(f, 3, 0, 2, 2);
    asked_since(2);
    starts(f, 3, 2);
    assert_int_equal(f->last[0].ask, 1);
}

/* Memory for nodes and predicates grows with what was answered. */
static void many_nodes_and_predicates(void **state)
{
    engine_fixture *f = *state;

    begin_judged(f, NULL);
    three_nodes(f, NULL);
    for (uint64_t p = 0; p < PREDICATES; p++) {
        for (uint64_t n = 1; n < JUDGED; n++) {
            judged.answer[p][n] = n % PREDICATES == p;
        }
    }
    for (uint64_t ask = 0; ask < PREDICATES; ask++) {
        assert_ok(engine_add_ask(f, ask + 1, 1, 100, 1, 1));
        assert_ok(go_by_host(f, ask + 1, ask));
        for (uint64_t n = 4 + 3 * ask; n < 7 + 3 * ask; n++) {
            engine_add_node(f, n, 0, 2, 2);
        }
    }
    assert_ok(sked_engine_check(f->engine, NULL));
    for (uint64_t n = 4; n < 4 + 3 * PREDICATES; n++) {
        starts(f, n, 2);
        assert_i64((int64_t)f->last[0].ask, (int64_t)(n % PREDICATES) + 1);
    }
}

/* ---- Where answers count ---- */

/* A term of the host's joins others in three values. */
static void answers_join_with_others(void **state)
{
    engine_fixture *f = *state;
    const sked_rule_term and[] = {
        EQUAL_TO(ZONE, 1), HOST_SAYS(1), {.op = SKED_RULE_OP_AND, .n = 2}};
    const sked_rule_term or
        [] = {EQUAL_TO(ZONE, 1), HOST_SAYS(1), {.op = SKED_RULE_OP_OR, .n = 2}};

    begin_judged(f, NULL);
    three_nodes(f, NULL);
    judged.answer[1][1] = SKED_RULE_ANSWER_PASS;
    judged.answer[1][2] = SKED_RULE_ANSWER_PASS;
    judged.answer[1][3] = SKED_RULE_ANSWER_NO;
    assert_ok(engine_add_ask(f, 1, 1, 40, 1, 1));
    assert_ok(go_by(f, 1, and, 3)); /* zone 1, since it does not apply there */
    starts(f, 2, 0);
    starts(f, 3, 0);
    assert_ok(go_by(f, 1, or, 3));
    starts(f, 2, 0); /* of NO and PASS: NO */
    assert_ok(go_by_host(f, 1, 1));
    starts(f, 3, 0);
    starts(f, 2, 4);
    assert_ok(go_by(f, 1, and, 3));
    starts(f, 1, 4);
}

/* A term of the host's beside one that counts tasks, which is judged at each
 * start. */
static void answers_stand_beside_counted_work(void **state)
{
    engine_fixture *f = *state;
    const uint64_t tags[] = {50};
    const sked_rule_term apart[] = {
        HOST_SAYS(1), {.op = SKED_RULE_OP_AT_MOST, .key = 50, .value = 1}};

    begin_judged(f, NULL);
    three_nodes(f, NULL);
    only_on(1, 2, 3);
    assert_ok(engine_add_ask(f, 1, 1, 40, 1, 1));
    assert_ok(tagged(f, 1, tags, 1));
    assert_ok(go_by(f, 1, apart, 2));
    starts(f, 1, 0);
    starts(f, 2, 2);
    asked_since(3);
}

/* Soft rules ask as well: what no node is allowed yields, and stands again when
 * the host says otherwise. */
static void soft_rules_ask(void **state)
{
    engine_fixture *f = *state;

    begin_judged(f, NULL);
    three_nodes(f, NULL);
    only_on(1, 0, 3);
    assert_ok(engine_add_ask(f, 1, 1, 40, 1, 1));
    assert_ok(prefer(f, 1, &HOST_SAYS(1), 1, 1, SKED_UNSET));
    asked_since(3);
    starts(f, 1, 4);
    judged.answer[1][2] = 1;
    assert_ok(engine_say(
        f, (sked_event){.kind = SKED_EVENT_NODE_CHANGE, .key = 2, .amount = 1},
        2, 2));
    starts(f, 3, 0);
    starts(f, 2, 2);
    judged.answer[1][2] = 0;
    assert_ok(engine_say(
        f, (sked_event){.kind = SKED_EVENT_NODE_MOVE, .key = 2, .partition = 1},
        0, 0));
    starts(f, 3, 4);
    asked_since(2);
}

/* The parts of a gang over nodes lie where the host allows them. */
static void gangs_keep_to_the_answers(void **state)
{
    engine_fixture *f = *state;

    begin_judged(f, NULL);
    nodes_of_four(f, NULL, 4);
    judged.answer[1][1] = judged.answer[1][3] = SKED_RULE_ANSWER_NO;
    assert_ok(add_gang(f, 1, 9, 4));
    assert_ok(go_by_host(f, 1, 1));
    starts(f, 2, 0); /* there are 8 for 9 */
    judged.answer[1][3] = SKED_RULE_ANSWER_YES;
    assert_ok(in_zone(f, 3, 0));
    starts(f, 2, 9);
    for (size_t i = 0; i < 3; i++) {
        assert_true(f->last[i].count == 0 || f->last[i].node != 1);
    }
}

static void placing_keeps_to_the_answers(void **state)
{
    engine_fixture *f = *state;
    sked_engine_place_options o = {.struct_size = sizeof o, .mode = 2};

    begin_judged(f, NULL);
    three_nodes(f, NULL);
    only_on(1, 3, 3);
    assert_ok(engine_add_ask(f, 1, 1, 9, 1, 1));
    assert_ok(go_by_host(f, 1, 1));
    asked_since(3);
    assert_ok(sked_engine_place(f->engine, f->now, 0, &o, NULL));
    size_t n = engine_taken(f);
    assert_true(n > 0);
    int64_t count = 0;
    for (size_t i = 0; i < n; i++) {
        assert_i64((int64_t)f->last[i].node, 3);
        count += f->last[i].count;
    }
    assert_i64(count, 4);
    asked_since(0);
}

static void explanations_count_the_nodes(void **state)
{
    engine_fixture *f = *state;
    sked_engine_bound bounds[32];
    size_t n, at = 0;

    begin_judged(f, NULL);
    three_nodes(f, NULL);
    only_on(1, 0, 3);
    assert_ok(engine_add_ask(f, 1, 1, 9, 1, 1));
    assert_ok(go_by_host(f, 1, 1));
    starts(f, 1, 0);
    assert_ok(sked_engine_explain_job(f->engine, 1, bounds, 32, &n));
    while (at < n && bounds[at].reason != SKED_REASON_RULE) at++;
    assert_true(at < n);
    assert_i64(bounds[at].bound, 0);
    assert_int_equal(bounds[at].binds, 1);
    judged.answer[1][3] = SKED_RULE_ANSWER_PASS;
    assert_ok(in_zone(f, 3, 0));
    assert_ok(sked_engine_explain_job(f->engine, 1, bounds, 32, &n));
    assert_i64(bounds[at].bound, 1);
}

/* A round makes room only where the host allows the task. */
static void rounds_keep_to_the_answers(void **state)
{
    engine_fixture *f = *state;

    begin_judged(f, NULL);
    scene s = scene_begin(f);
    scene_preempt(f, &s);
    scene_fill(f, &s, 0); /* node 1 is full of ask 1 */
    engine_add_node(f, 2, 0, 10, 100);
    assert_ok(engine_add_ask(f, 3, 1, 10, 1, 1));
    starts(f, 2, 10); /* and node 2 */
    only_on(1, 0, 2);
    assert_ok(engine_add_ask(f, 2, 2, 2, 1, 1));
    assert_ok(go_by_host(f, 2, 1));
    asked_since(2);
    scene_hold(f, 2);
    assert_int_equal(scene_count(f, SKED_DECISION_NOTIFY), 0);
    judged.answer[1][2] = SKED_RULE_ANSWER_YES;
    assert_ok(in_zone(f, 2, 0));
    asked_since(1);
    scene_hold(f, 3);
    assert_int_equal(scene_count(f, SKED_DECISION_NOTIFY), 2);
    for (size_t i = 0; i < 64; i++) {
        assert_true(f->last[i].kind != SKED_DECISION_NOTIFY ||
                    f->last[i].node == 2);
    }
    asked_since(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(the_host_is_asked_once),
        engine_case(rules_share_answers),
        engine_case(rules_of_what_runs_are_in_use),
        engine_case(versions_of_a_node_are_asked_anew),
        engine_case(many_nodes_and_predicates),
        engine_case(answers_join_with_others),
        engine_case(answers_stand_beside_counted_work),
        engine_case(soft_rules_ask),
        engine_case(gangs_keep_to_the_answers),
        engine_case(placing_keeps_to_the_answers),
        engine_case(explanations_count_the_nodes),
        engine_case(rounds_keep_to_the_answers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
