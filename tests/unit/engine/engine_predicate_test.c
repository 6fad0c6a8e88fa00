/* Rules that ask the host: where its answers count, and how often it is asked.
 * [PEL-4] */
#include <sched/engine_place.h>
#include <sched/engine_reconcile.h>

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

/* ---- The state ---- */

/* Answers are a part of the state, as far as asks go by them. */
static void digests_see_answers(void **state)
{
    engine_fixture *f = *state;

    begin_judged(f, NULL);
    three_nodes(f, NULL);
    assert_ok(engine_add_ask(f, 1, 1, 9, 1, 1));
    uint64_t plain = sked_engine_state_digest(f->engine);
    assert_ok(go_by_host(f, 1, 1));
    uint64_t yes = sked_engine_state_digest(f->engine);
    judged.answer[1][2] = SKED_RULE_ANSWER_PASS;
    assert_ok(in_zone(f, 2, 2));
    uint64_t pass = sked_engine_state_digest(f->engine);
    judged.answer[1][2] = SKED_RULE_ANSWER_YES;
    assert_ok(in_zone(f, 2, 2));
    assert_true(plain != yes && yes != pass && plain != pass);
    assert_true(sked_engine_state_digest(f->engine) == yes);
    assert_ok(go_by(f, 1, NULL, 0));
    assert_true(sked_engine_state_digest(f->engine) == plain);
}

/* A truth of the three nodes of 4, job 1 and ask 1 with this rule; and what
 * differs. */
static sked_status differs(engine_fixture *f, sked_queue_id leaf,
                           const sked_rule_term *term,
                           sked_engine_difference *d, size_t *n)
{
    const int64_t amounts[] = {4, 4, 1, 1};
    const int32_t offsets[] = {0, 1};
    const sked_event rows[] = {
        {.kind = SKED_EVENT_NODE_UP, .key = 1, .amount = 1},
        {.kind = SKED_EVENT_JOB_SUBMIT, .key = 1, .queue = leaf, .owner = 1},
        {.kind = SKED_EVENT_ASK_ADD,
         .key = 1,
         .owner = 1,
         .count = 9,
         .amount = 2},
        {.kind = SKED_EVENT_ASK_RULE, .key = 1, .places = 1}};
    const sked_events truth = {.struct_size = sizeof truth,
                               .events = rows,
                               .n = 4,
                               .amounts = amounts,
                               .n_amounts = 2,
                               .rule_offsets = offsets,
                               .rule_terms = term,
                               .n_rules = 1};

    return sked_engine_reconcile(f->engine, &truth, d, 8, n, &f->err);
}

static void truths_compare_predicates(void **state)
{
    engine_fixture *f = *state;
    sked_engine_difference d[8];
    size_t n;

    begin_judged(f, NULL);
    sked_queue_id leaf = engine_alone(f, NULL, 4, 4, 1);
    assert_ok(engine_add_ask(f, 1, 1, 9, 1, 1));
    assert_ok(go_by_host(f, 1, 1));
    asked_since(1);
    assert_ok(differs(f, leaf, &HOST_SAYS(1), d, &n));
    assert_int_equal(n, 0);
    assert_ok(differs(f, leaf, &HOST_SAYS(2), d, &n));
    assert_int_equal(n, 1);
    assert_int_equal(d[0].event.kind, SKED_EVENT_ASK_RULE);
    asked_since(0);
}

/* ---- What is refused ---- */

static void without_a_hook_rules_are_refused(void **state)
{
    engine_fixture *f = *state;
    sked_engine_difference d[8];
    size_t n;

    sked_queue_id leaf = engine_alone(f, NULL, 4, 4, 1);
    assert_ok(engine_add_ask(f, 1, 1, 9, 1, 1));
    uint64_t before = sked_engine_state_digest(f->engine);
    assert_status(SKED_ERR_STATE, go_by_host(f, 1, 1));
    assert_i64(f->err.row, 0);
    assert_string_equal(f->err.message,
                        "the host has no hook that judges nodes");
    assert_status(SKED_ERR_STATE,
                  prefer(f, 1, &HOST_SAYS(1), 1, 1, SKED_UNSET));
    assert_true(sked_engine_state_digest(f->engine) == before);
    assert_status(SKED_ERR_STATE, differs(f, leaf, &HOST_SAYS(1), d, &n));
    assert_i64(f->err.row, 3);
}

/* The n-th question about an event is refused with a code: nothing changed, and
 * the code is handed on. */
static void refuse(engine_fixture *f, sked_event event, size_t nth,
                   sked_status code, sked_status comes_back)
{
    const int32_t offsets[] = {0, 2};
    const sked_rule_term terms[] = {HOST_SAYS(5), HOST_SAYS(6)};
    const sked_rule_attribute pairs[] = {{ZONE, 8}, {ZONE, 9}};
    const int64_t amounts[] = {6, 6};
    const sked_events batch = {.struct_size = sizeof batch,
                               .events = &event,
                               .n = 1,
                               .amounts = amounts,
                               .n_amounts = 1,
                               .attribute_offsets = offsets,
                               .attributes = pairs,
                               .n_attributes = 1,
                               .rule_offsets = offsets,
                               .rule_terms = terms,
                               .n_rules = 1};
    uint64_t before = sked_engine_state_digest(f->engine), done = 7;

    event.time = f->now;
    judged.fail_at = nth;
    judged.code = code;
    assert_status(comes_back,
                  sked_engine_apply(f->engine, &batch, &done, &f->err));
    assert_int_equal(judged.fail_at, 0);
    assert_int_equal(done, 0);
    assert_i64(f->err.row, 0);
    assert_true(sked_engine_state_digest(f->engine) == before);
    assert_ok(sked_engine_check(f->engine, NULL));
}

static void a_hook_that_fails_leaves_all_as_it_was(void **state)
{
    engine_fixture *f = *state;
    const sked_event events[] = {
        {.kind = SKED_EVENT_NODE_UP, .key = 7, .amount = 1},
        {.kind = SKED_EVENT_NODE_CHANGE, .key = 2, .amount = 1},
        {.kind = SKED_EVENT_NODE_ATTRIBUTES, .key = 2, .places = 1},
        {.kind = SKED_EVENT_NODE_MOVE, .key = 2, .partition = 1},
        {.kind = SKED_EVENT_ASK_RULE, .key = 2, .places = 1},
        {.kind = SKED_EVENT_ASK_PREFER, .key = 2, .count = 1, .places = 1}};

    begin_judged(f, NULL);
    three_nodes(f, NULL);
    assert_ok(engine_add_ask(f, 1, 1, 9, 1, 1));
    assert_ok(engine_add_ask(f, 2, 1, 9, 1, 1));
    assert_ok(go_by_host(f, 1, 1));
    assert_ok(go_by_host(f, 2, 2));
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        for (size_t nth = 1; nth <= (i < 4 ? 2 : 6); nth++) {
            refuse(f, events[i], nth, OWN_CODE, OWN_CODE);
            refuse(f, events[i], nth, SKED_STOPPED, SKED_ERR_CANCELLED);
            refuse(f, events[i], nth, -7, SKED_ERR_CANCELLED);
        }
    }
    assert_int_equal(f->engine->rules.predicates.pool.live, 2);
    assert_status(SKED_ERR_NOT_FOUND, engine_tell(f, SKED_EVENT_HEARTBEAT, 7));
    judged.answer[1][3] = 3;
    assert_status(SKED_ERR_ARG, in_zone(f, 3, 1));
    assert_string_equal(f->err.message, "the host's answer is none");
    judged.answer[1][3] = -1;
    assert_status(SKED_ERR_ARG, in_zone(f, 3, 1));
    assert_ok(in_zone(f, 2, 1)); /* the others go on */
    starts(f, 2, 4);
}

static void call_back(engine_fixture *f)
{
    sked_event tick = {.kind = SKED_EVENT_TICK};
    const sked_events batch = {
        .struct_size = sizeof batch, .events = &tick, .n = 1};
    int64_t amounts[2];

    if (!f->engine) return;
    assert_status(SKED_ERR_STATE,
                  sked_engine_apply(f->engine, &batch, NULL, NULL));
    assert_status(SKED_ERR_STATE, sked_engine_pass(f->engine, 0, 0, NULL));
    assert_ok(sked_engine_node_free(f->engine, 1, amounts));
    (void)sked_engine_state_digest(f->engine);
}

static void a_hook_that_calls_back_is_refused(void **state)
{
    engine_fixture *f = *state;

    begin_judged(f, NULL);
    three_nodes(f, NULL);
    judged.seen = call_back;
    assert_ok(engine_add_ask(f, 1, 1, 9, 1, 1));
    assert_ok(go_by_host(f, 1, 1));
    assert_ok(in_zone(f, 2, 1));
    engine_add_node(f, 4, 0, 4, 4);
    asked_since(5);
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
        engine_case(digests_see_answers),
        engine_case(truths_compare_predicates),
        engine_case(without_a_hook_rules_are_refused),
        engine_case(a_hook_that_fails_leaves_all_as_it_was),
        engine_case(a_hook_that_calls_back_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
