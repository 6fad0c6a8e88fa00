/* Nodes have attributes, asks go by rules. [PEL-4] */
#include "engine_rules.h"

#include "engine/filter.h"
#include "engine/state.h"

static void asks_take_the_nodes_of_their_rule(void **state)
{
    engine_fixture *f = *state;
    sked_rule_term two[] = {
        {.op = SKED_RULE_OP_IN, .key = ZONE, .first = 1, .n = 2},
        {.op = SKED_RULE_OP_ABSENT, .key = ZONE},
        {.op = SKED_RULE_OP_OR, .n = 2}};

    three_nodes(f, NULL);
    assert_ok(engine_add_ask(f, 1, 1, 6, 1, 1));
    assert_ok(only_zone(f, 1, 2));
    starts(f, 1, 0);
    starts(f, 3, 0);
    starts(f, 2, 4);
    assert_ok(go_by(f, 1, two, 3)); /* in zone 2 or 3, or in none */
    starts(f, 1, 0);
    starts(f, 3, 2);
    assert_ok(engine_add_ask(f, 2, 1, 3, 1, 1));
    assert_ok(only_zone(f, 2, 7));
    starts(f, 1, 0);
    assert_ok(in_zone(f, 1, 7)); /* the node comes to the ask */
    starts(f, 1, 3);
    assert_ok(engine_add_ask(f, 3, 1, 1, 1, 1));
    assert_ok(only_zone(f, 3, 8));
    starts(f, 1, 0);
    assert_ok(go_by(f, 3, NULL, 0)); /* any node again */
    starts(f, 1, 1);
}

/* What a rule takes is kept up as nodes come, go and come again. */
static void nodes_come_and_go(void **state)
{
    engine_fixture *f = *state;

    three_nodes(f, NULL);
    assert_ok(engine_add_ask(f, 1, 1, 100, 1, 1));
    assert_ok(only_zone(f, 1, 2));
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 2));
    engine_add_node(f, 2, 0, 4, 4); /* in no zone any more */
    starts(f, 2, 0);
    assert_ok(in_zone(f, 2, 2));
    starts(f, 2, 4);
    assert_ok(in_zone(f, 2, 0));
    starts(f, 2, 0);
    for (uint64_t n = 4; n < 40; n++) engine_add_node(f, n, 0, 2, 2);
    assert_ok(in_zone(f, 39, 2));
    starts(f, 39, 2);
    starts(f, 38, 0);
    assert_ok(sked_engine_check(f->engine, NULL));
}

/* Asks with the same rule share a set; it goes with the last of them. */
static void equal_rules_are_one_set(void **state)
{
    engine_fixture *f = *state;
    const sked_rule_term near[] = {
        {.op = SKED_RULE_OP_IN, .key = ZONE, .first = 1, .n = 1},
        {.op = SKED_RULE_OP_IN, .key = ZONE, .first = 3, .n = 1}};

    three_nodes(f, NULL);
    for (uint64_t a = 1; a <= 6; a++) {
        assert_ok(engine_add_ask(f, a, 1, 1, (int64_t)a % 2, 1));
    }
    for (uint64_t a = 1; a <= 4; a++) assert_ok(only_zone(f, a, 5));
    assert_int_equal(f->engine->rules.sets.live, 1);
    assert_ok(go_by(f, 5, &near[0], 1)); /* by other places of one value */
    assert_ok(go_by(f, 6, &near[1], 1));
    assert_int_equal(f->engine->rules.sets.live, 2);
    assert_ok(only_zone(f, 1, 5)); /* as it was */
    assert_ok(go_by(f, 5, NULL, 0));
    assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 6));
    assert_int_equal(f->engine->rules.sets.live, 1);
    assert_ok(engine_tell(f, SKED_EVENT_JOB_FINISH, 1));
    assert_int_equal(f->engine->rules.sets.live, 0);
}

/* More rules than a word has bits, also where there is no node yet. */
static void many_rules_are_kept_apart(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");

    engine_begin(f, NULL);
    engine_add_job(f, 1, leaf, 1);
    for (uint64_t a = 1; a <= 150; a++) {
        assert_ok(engine_add_ask(f, a, 1, 1, 1, 1));
        assert_ok(only_zone(f, a, (int64_t)a));
        if (a == 140) engine_add_node(f, 1, 0, 500, 500);
    }
    engine_add_node(f, 2, 0, 500, 500);
    assert_int_equal(f->engine->rules.sets.live, 150);
    (void)engine_taken(f);
    for (int64_t zone = 150; zone > 0; zone -= 29) {
        uint64_t ask;
        assert_ok(in_zone(f, 1 + (uint64_t)zone % 2, zone));
        assert_i64(beat(f, 1 + (uint64_t)zone % 2, &ask), 1);
        assert_i64((int64_t)ask, zone);
    }
    assert_ok(sked_engine_check(f->engine, NULL));
}

/* A rule that changes holds for what starts; what runs, runs on, and comes back
 * under the new one. */
static void what_runs_is_left_alone(void **state)
{
    engine_fixture *f = *state;
    sked_event gang = {.kind = SKED_EVENT_ASK_ADD,
                       .key = 2,
                       .owner = 1,
                       .count = 2,
                       .amount = 1,
                       .flags = SKED_ASK_GANG};

    three_nodes(f, NULL);
    assert_ok(engine_add_ask(f, 1, 1, 3, 1, 1));
    assert_ok(only_zone(f, 1, 1));
    starts(f, 1, 3);
    uint64_t group = f->last[0].group;
    assert_ok(engine_end(f, SKED_EVENT_TASK_LOST, group, 1));
    assert_ok(only_zone(f, 1, 2));
    assert_ok(sked_engine_check(f->engine, NULL));
    starts(f, 1, 0);
    assert_ok(engine_end(f, SKED_EVENT_TASK_LOST, group, 2));
    starts(f, 1, 0);
    starts(f, 2, 3);
    assert_ok(engine_say(f, gang, 2, 1));
    assert_ok(only_zone(f, 2, 1));
    starts(f, 3, 0);
    starts(f, 1, 2);
    group = f->last[0].group;
    assert_ok(only_zone(f, 2, 3));
    assert_ok(engine_end(f, SKED_EVENT_TASK_LOST, group, 2));
    starts(f, 1, 0);
    assert_ok(in_zone(f, 3, 3));
    starts(f, 3, 2);
}

/* Its place in line is its own. */
static void a_rule_keeps_the_place_in_line(void **state)
{
    engine_fixture *f = *state;
    uint64_t ask;

    three_nodes(f, NULL);
    assert_ok(engine_add_ask(f, 1, 1, 1, 4, 4));
    assert_ok(engine_add_ask(f, 2, 1, 1, 4, 4));
    assert_ok(only_zone(f, 1, 2));
    assert_i64(beat(f, 2, &ask), 1);
    assert_i64((int64_t)ask, 1);
    assert_i64(beat(f, 1, &ask), 1);
    assert_i64((int64_t)ask, 2);
}

/* An engine asks no host: the rule is an error, and nothing changed. */
static void a_rule_that_asks_the_host_is_an_error(void **state)
{
    engine_fixture *f = *state;
    const sked_rule_term host = {.op = SKED_RULE_OP_HOST, .key = 3};

    three_nodes(f, NULL);
    assert_ok(engine_add_ask(f, 1, 1, 1, 4, 4));
    uint64_t before = sked_engine_state_digest(f->engine);
    assert_status(SKED_ERR_STATE, go_by(f, 1, &host, 1));
    assert_string_equal(f->err.message, "a rule of an engine asks the host");
    assert_true(before == sked_engine_state_digest(f->engine));
}

static sked_engine_bound bound_of(engine_fixture *f, int32_t reason)
{
    sked_engine_bound b[32];
    size_t n;

    assert_ok(sked_engine_explain_job(f->engine, 1, b, 32, &n));
    for (size_t i = 0; i < n; i++) {
        if (b[i].reason == reason) return b[i];
    }
    return (sked_engine_bound){.need = -1};
}

static void explanations_name_rules(void **state)
{
    engine_fixture *f = *state;

    three_nodes(f, NULL);
    assert_ok(engine_add_ask(f, 1, 1, 1, 5, 1));
    assert_i64(bound_of(f, SKED_REASON_RULE).need, -1);
    assert_ok(engine_tell(f, SKED_EVENT_JOB_CANCEL, 1));
    engine_add_job(f, 1, sked_tree_root(f->tree) + 1, 1);
    assert_ok(engine_add_ask(f, 1, 1, 1, 4, 1));
    assert_ok(only_zone(f, 1, 9));
    sked_engine_bound none = bound_of(f, SKED_REASON_RULE);
    assert_int_equal(none.binds, 1);
    assert_i64(none.need, 1);
    assert_i64(none.bound, 0);
    assert_i64((int64_t)none.ask, 1);
    assert_ok(only_zone(f, 1, 2));
    assert_int_equal(bound_of(f, SKED_REASON_RULE).binds, 0);
    assert_i64(bound_of(f, SKED_REASON_RULE).bound, 1);
    assert_ok(engine_add_ask(f, 2, 1, 1, 1, 1));
    assert_ok(only_zone(f, 2, 2));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 2));
    (void)engine_taken(f);
    /* Others have room, but are not in question. */
    sked_engine_bound full = bound_of(f, SKED_REASON_NO_NODE);
    assert_int_equal(full.binds, 1);
    assert_i64(full.need, 1);
    assert_i64(full.bound, 0);
    assert_string_equal(sked_reason_name(SKED_REASON_RULE),
                        "its rule does not take this node");
}

/* Many shapes: those that share a class are looked at one by one. */
static void rules_hold_in_the_shared_class(void **state)
{
    engine_fixture *f = *state;

    three_nodes(f, NULL);
    for (uint64_t a = 1; a <= 70; a++) {
        assert_ok(engine_add_ask(f, a, 1, 1, 0, (int64_t)a % 4));
        assert_ok(only_zone(f, a, a == 70 ? 1 : 20 + (int64_t)a));
    }
    starts(f, 1, 1);
    assert_i64((int64_t)f->last[0].ask, 70);
}

/* Rows without a term or an attribute need no column of these. */
static void rows_may_all_be_empty(void **state)
{
    static const int32_t none[2] = {0, 0};
    engine_fixture *f = *state;
    sked_event events[] = {
        {.kind = SKED_EVENT_NODE_ATTRIBUTES, .key = 1, .places = 1},
        {.kind = SKED_EVENT_ASK_RULE, .key = 1, .places = 1}};
    sked_events batch = {.struct_size = sizeof batch,
                         .events = events,
                         .n = 2,
                         .attribute_offsets = none,
                         .n_attributes = 1,
                         .rule_offsets = none,
                         .n_rules = 1};

    three_nodes(f, NULL);
    assert_ok(engine_add_ask(f, 1, 1, 1, 1, 1));
    assert_ok(only_zone(f, 1, 7));
    events[0].time = events[1].time = f->now;
    assert_ok(sked_engine_apply(f->engine, &batch, NULL, &f->err));
    starts(f, 1, 1);
}

static void what_is_wrong_is_refused(void **state)
{
    static const sked_rule_attribute many[SKED_MAX_RULE_ATTRIBUTES + 1] = {{0}};
    static const int32_t all[] = {0, SKED_MAX_RULE_ATTRIBUTES + 1};
    static const int32_t most[] = {0, SKED_MAX_RULE_ATTRIBUTES};
    static const int32_t back[] = {1, 0};
    engine_fixture *f = *state;
    sked_rule_term term = EQUAL_TO(ZONE, 1);
    sked_event event = {
        .kind = SKED_EVENT_NODE_ATTRIBUTES, .key = 1, .places = 1};
    sked_events batch = {.struct_size = sizeof batch,
                         .events = &event,
                         .n = 1,
                         .attribute_offsets = all,
                         .attributes = many,
                         .n_attributes = 1};

    three_nodes(f, NULL);
    event.time = f->now;
    assert_ok(engine_add_ask(f, 1, 1, 1, 1, 1));
    uint64_t before = sked_engine_state_digest(f->engine);
#define SAY(rc)                                                                \
    assert_status(rc, sked_engine_apply(f->engine, &batch, NULL, &f->err))
    SAY(SKED_ERR_RANGE);
    batch.n_attributes = 0;
    SAY(SKED_ERR_ARG);
    batch.n_attributes = 1;
    batch.attribute_offsets = back;
    SAY(SKED_ERR_ARG);
    batch.attribute_offsets = NULL;
    SAY(SKED_ERR_ARG);
    batch.attribute_offsets = most;
    batch.attributes = NULL;
    SAY(SKED_ERR_ARG);
    batch.attributes = many;
    batch.n_rules = 1;
    SAY(SKED_ERR_ARG);
    batch.rule_offsets = back;
    batch.rule_terms = &term;
    SAY(SKED_ERR_ARG);
    batch.rule_terms = NULL;
    SAY(SKED_ERR_ARG);
    batch.n_rules = 0;
    batch.n_rule_values = 1;
    SAY(SKED_ERR_ARG);
    assert_status(SKED_ERR_NOT_FOUND, in_zone(f, 9, 1));
    assert_status(SKED_ERR_NOT_FOUND, only_zone(f, 9, 1));
    event = (sked_event){.kind = SKED_EVENT_ASK_RULE, .key = 1, .places = 1};
    event.time = f->now;
    batch.n_rule_values = 0;
    SAY(SKED_ERR_ARG);
    term.n = 1;
    assert_status(SKED_ERR_ARG, go_by(f, 1, &term, 1));
    term = (sked_rule_term){.op = SKED_RULE_OP_AT_MOST, .key = 3, .value = -1};
    assert_status(SKED_ERR_RANGE, go_by(f, 1, &term, 1));
    assert_true(before == sked_engine_state_digest(f->engine));
    event = (sked_event){.kind = SKED_EVENT_NODE_ATTRIBUTES,
                         .time = f->now,
                         .key = 1,
                         .places = 1};
    batch.n_attributes = 1;
    SAY(SKED_OK);
    assert_true(before != sked_engine_state_digest(f->engine));
}

/* Room is made for all that is to come, and bits are checked. */
static void rooms_and_bits_are_sound(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_reserve_input input = {.struct_size = sizeof input,
                                             .nodes = 50,
                                             .jobs = 2,
                                             .asks = 4,
                                             .groups = 4,
                                             .decisions = 16};

    three_nodes(f, NULL);
    assert_ok(engine_add_ask(f, 1, 1, 1, 1, 1));
    assert_ok(only_zone(f, 1, 2));
    assert_ok(sked_engine_reserve(f->engine, &input, NULL));
    f->host.trap = 1;
    for (uint64_t n = 4; n <= 50; n++) engine_add_node(f, n, 0, 1, 1);
    f->host.trap = 0;
    sked_engine *e = f->engine;
    e->rules.takes[0] ^= 1;
    assert_status(SKED_ERR_INTERNAL, sked_engine_check(e, &f->err));
    assert_string_equal(f->err.message, "nodes of a rule");
    e->rules.takes[0] ^= 1;
    set_at(e, 0)->uses++;
    assert_int_equal(skedi_sets_are_sound(e), 0);
    set_at(e, 0)->uses--;
    assert_int_equal(skedi_sets_are_sound(e), 1);
}

/* Each allocation of a rule and of attributes fails in turn: nothing changed. */
static void memory_may_end(void **state)
{
    engine_fixture *f = *state;
    const sked_rule_term terms[] = {
        {.op = SKED_RULE_OP_IN, .key = ZONE, .first = 0, .n = 4}};
    sked_status rc = SKED_ERR_NOMEM;
    size_t failed = 0;

    (void)engine_alone(f, NULL, 4, 4, 1);
    for (uint64_t a = 1; a <= 70; a++) {
        assert_ok(engine_add_ask(f, a, 1, 1, 1, 1));
        if (a < 70) assert_ok(only_zone(f, a, (int64_t)a % 64));
    }
    uint64_t before = sked_engine_state_digest(f->engine);
    for (size_t i = 1; rc != SKED_OK; i++) {
        f->host.fail_at = f->host.requests + i;
        rc = go_by(f, 70, terms, 1); /* the 65th set, with values */
        f->host.fail_at = 0;
        assert_ok(sked_engine_check(f->engine, NULL));
        if (rc == SKED_OK) break;
        assert_status(SKED_ERR_NOMEM, rc);
        assert_true(before == sked_engine_state_digest(f->engine));
        failed++;
    }
    assert_true(failed >= 2);
    before = sked_engine_state_digest(f->engine);
    f->host.fail_at = f->host.requests + 1;
    assert_status(SKED_ERR_NOMEM, in_zone(f, 1, 9));
    f->host.fail_at = 0;
    assert_true(before == sked_engine_state_digest(f->engine));
}

/* Neither a rule that counts by attributes nor what it counts is left behind. */
static void memory_may_end_for_a_rule_that_counts(void **state)
{
    engine_fixture *f = *state;
    const sked_rule_term terms[] = {
        {.op = SKED_RULE_OP_AT_MOST, .key = 1, .n = 1, .value = 3},
        {.op = SKED_RULE_OP_AT_MOST, .key = 1, .n = 1, .first = 1, .value = 2}};
    const int32_t offsets[] = {0, 1};
    const sked_rule_attribute model = {MODEL, 5};
    const sked_event event = {
        .kind = SKED_EVENT_NODE_ATTRIBUTES, .key = 1, .places = 1};
    const sked_events has = {.struct_size = sizeof has,
                             .events = &event,
                             .n = 1,
                             .attribute_offsets = offsets,
                             .attributes = &model,
                             .n_attributes = 1};
    size_t failed = 0;

    three_nodes(f, NULL);
    assert_ok(sked_engine_apply(f->engine, &has, NULL, &f->err));
    assert_ok(engine_add_ask(f, 1, 1, 1, 1, 1));
    assert_ok(engine_add_ask(f, 2, 1, 1, 1, 1));
    assert_ok(only_zone(f, 1, 7)); /* all other memory is there */
    assert_ok(only_zone(f, 2, 7));
    for (size_t i = 1;; i++, failed++) {
        f->host.fail_at = f->host.requests + i;
        sked_status rc = go_by(f, 1, terms, 2);
        f->host.fail_at = 0;
        assert_ok(sked_engine_check(f->engine, NULL));
        if (rc == SKED_OK) break;
        assert_status(SKED_ERR_NOMEM, rc);
        assert_int_equal(f->engine->rules.counting, 0);
        assert_int_equal(f->engine->domains.keys.live, 0);
    }
    assert_true(failed >= 3);
    assert_int_equal(f->engine->rules.counting, 1);
    assert_ok(go_by(f, 2, terms, 2));
    assert_int_equal(f->engine->rules.sets.live, 1);
}

/* Rules with one hash are told apart. */
static void equal_hashes_are_told_apart(void **state)
{
    engine_fixture *f = *state;

    three_nodes(f, NULL);
    assert_ok(engine_add_ask(f, 1, 1, 1, 1, 1));
    assert_ok(engine_add_ask(f, 2, 1, 1, 1, 1));
    assert_ok(only_zone(f, 1, 2));
    set_at(f->engine, 0)->terms[0].value = 1; /* now another rule */
    assert_ok(only_zone(f, 2, 2));
    set_at(f->engine, 0)->terms[0].value = 2;
    assert_int_equal(f->engine->rules.sets.live, 2);
    assert_true(set_at(f->engine, 1)->name == set_at(f->engine, 0)->name + 2);
    starts(f, 2, 2);
}

/* What runs keeps its shape when its ask gets another rule; a tree that begins
 * to go by shares counts it, with memory for it. */
static void what_ran_by_other_rules_is_counted(void **state)
{
    engine_fixture *f = *state;

    three_nodes(f, NULL);
    assert_ok(engine_add_ask(f, 1, 1, 100, 1, 1));
    for (uint64_t n = 10; n < 40; n++) {
        engine_add_node(f, n, 0, 1, 1);
        assert_ok(in_zone(f, n, (int64_t)n));
        assert_ok(only_zone(f, 1, (int64_t)n));
        starts(f, n, 1);
    }
    (void)engine_queue(f, f->root, "b");
    engine_set(f, f->root, SKED_QUEUE_ORDER, SKED_ORDER_POLICY_SHARE);
    engine_begin(f, NULL); /* commits */
    assert_int_equal(f->engine->shared, 1);
    assert_int_equal(f->engine->wants.live, 30);
    assert_true(f->engine->wants.live <= f->engine->wants.cap);
    assert_ok(sked_engine_check(f->engine, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(asks_take_the_nodes_of_their_rule),
        engine_case(nodes_come_and_go),
        engine_case(equal_rules_are_one_set),
        engine_case(many_rules_are_kept_apart),
        engine_case(what_runs_is_left_alone),
        engine_case(a_rule_keeps_the_place_in_line),
        engine_case(a_rule_that_asks_the_host_is_an_error),
        engine_case(explanations_name_rules),
        engine_case(rules_hold_in_the_shared_class),
        engine_case(rows_may_all_be_empty),
        engine_case(what_is_wrong_is_refused),
        engine_case(rooms_and_bits_are_sound),
        engine_case(memory_may_end),
        engine_case(memory_may_end_for_a_rule_that_counts),
        engine_case(equal_hashes_are_told_apart),
        engine_case(what_ran_by_other_rules_is_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
