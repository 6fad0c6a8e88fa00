/* Predicates of the host's in digests and truths; and hooks that fail, call back or
 * are not there. [PEL-4] */
#include <sched/engine_reconcile.h>

#include "engine_predicate.h"

#include "engine/state.h"

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
        engine_case(digests_see_answers),
        engine_case(truths_compare_predicates),
        engine_case(without_a_hook_rules_are_refused),
        engine_case(a_hook_that_fails_leaves_all_as_it_was),
        engine_case(a_hook_that_calls_back_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
