/* Rules over work that is there: tags of asks, counted on nodes. [PEL-4] */
#include "engine_rules.h"

#include "engine_scene.h"

#include "engine/filter.h"
#include "engine/domains.h"
#include "engine/state.h"

enum { WEB = 7, STORE = 8 };

#define AT_MOST_OF(tag_, count_)                                               \
    ((sked_rule_term){                                                         \
        .op = SKED_RULE_OP_AT_MOST, .key = (tag_), .value = (count_)})
#define AT_LEAST_OF(tag_, count_)                                              \
    ((sked_rule_term){                                                         \
        .op = SKED_RULE_OP_AT_LEAST, .key = (tag_), .value = (count_)})

/* An ask of one-cpu tasks with one tag; its job is 1. */
static void add_tagged(engine_fixture *f, uint64_t ask, int64_t count,
                       uint64_t tag)
{
    assert_ok(engine_add_ask(f, ask, 1, count, 1, 1));
    assert_ok(tagged(f, ask, &tag, 1));
}

/* What starts in a pass is seen by what would start next. */
static void a_node_takes_at_most_so_many(void **state)
{
    engine_fixture *f = *state;

    three_nodes(f, NULL);
    add_tagged(f, 1, 10, WEB);
    assert_ok(go_by(f, 1, &AT_MOST_OF(WEB, 1), 1));
    starts(f, 1, 2);
    uint64_t group = f->last[0].group;
    starts(f, 1, 0);
    starts(f, 2, 2);
    starts(f, 3, 2);
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, group, 1));
    starts(f, 2, 0);
    starts(f, 1, 1);
    assert_ok(go_by(f, 1, NULL, 0));
    starts(f, 1, 2);
}

/* Asks keep apart by each other's tags, whichever comes first. */
static void asks_keep_apart(void **state)
{
    engine_fixture *f = *state;

    three_nodes(f, NULL);
    add_tagged(f, 1, 2, WEB);
    add_tagged(f, 2, 2, STORE);
    assert_ok(go_by(f, 1, &AT_MOST_OF(STORE, 0), 1));
    assert_ok(go_by(f, 2, &AT_MOST_OF(WEB, 0), 1));
    uint64_t ask;
    assert_i64(beat(f, 1, &ask), 2);
    assert_i64((int64_t)ask, 1);
    assert_i64(beat(f, 2, &ask), 2);
    assert_i64((int64_t)ask, 2);
}

/* What was put aside for want of company starts in the same pass as this. */
static void asks_keep_together(void **state)
{
    engine_fixture *f = *state;
    const sked_rule_term either[] = {AT_LEAST_OF(STORE, 1),
                                     EQUAL_TO(ZONE, 2),
                                     {.op = SKED_RULE_OP_OR, .n = 2}};

    three_nodes(f, NULL);
    add_tagged(f, 1, 1, WEB);
    assert_ok(go_by(f, 1, &AT_LEAST_OF(STORE, 1), 1));
    starts(f, 1, 0);
    add_tagged(f, 2, 1, STORE);
    starts(f, 1, 2);
    assert_i64((int64_t)f->last[0].ask, 2);
    assert_i64((int64_t)f->last[1].ask, 1);
    add_tagged(f, 3, 3, WEB);
    assert_ok(go_by(f, 3, either, 3)); /* with work of its own kind, or there */
    starts(f, 3, 0);
    starts(f, 1, 2);
    starts(f, 2, 1);
}

/* The same where asks share a class: more shapes than there are. */
static void rules_over_work_hold_in_the_shared_class(void **state)
{
    engine_fixture *f = *state;
    uint64_t got;

    (void)engine_alone(f, NULL, 10000, 1000, 1);
    for (uint64_t ask = 1; ask <= 80; ask++) {
        assert_ok(engine_add_ask(f, ask, 1, 1, 1 + (int64_t)ask % 70, 1));
        const uint64_t tag = ask;
        assert_ok(tagged(f, ask, &tag, 1));
        assert_ok(go_by(f, ask, &AT_LEAST_OF(ask + 1, 1), 1));
    }
    starts(f, 1, 0);
    assert_ok(engine_add_ask(f, 81, 1, 1, 1, 1));
    assert_ok(tagged(f, 81, (uint64_t[]){81, 60, 81}, 3));
    (void)beat(f, 1, &got);
    assert_i64((int64_t)got, 81); /* each lets the one before it start */
    assert_i64((int64_t)engine_stats_of(f).allocated, 81);
    assert_i64((int64_t)f->last[1].ask, 59);
}

/* Work counts from its start to its end: proposed, adopted, told to end. */
static void all_that_holds_something_counts(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_options opts = {.struct_size = sizeof opts,
                                      .confirm_within_ns = 100};

    three_nodes(f, &opts);
    add_tagged(f, 1, 1, WEB);
    starts(f, 1, 1); /* a proposal */
    uint64_t group = f->last[0].group;
    add_tagged(f, 2, 9, STORE);
    assert_ok(go_by(f, 2, &AT_LEAST_OF(WEB, 1), 1));
    starts(f, 2, 0);
    starts(f, 1, 3);
    assert_ok(engine_end(f, SKED_EVENT_TASK_REFUSE, group, 0));
    starts(f, 1, 0);
    sked_event run = {
        .kind = SKED_EVENT_TASK_RUNNING, .key = 2, .owner = 1, .count = 1};
    assert_ok(engine_say(f, run, 0, 0));
    group = f->last[0].group;
    starts(f, 2, 3 + 1); /* the adopted one is decided, too */
    assert_i64(skedi_tally_get(f->engine, WEB, 1), 1);
    add_tagged(f, 3, 1, STORE);
    assert_ok(go_by(f, 3, &AT_MOST_OF(WEB, 0), 1));
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 2));
    assert_i64(skedi_tally_get(f->engine, WEB, 1), 0);
}

/* What runs has the tags that are said now. */
static void tags_change_in_place(void **state)
{
    engine_fixture *f = *state;

    three_nodes(f, NULL);
    add_tagged(f, 1, 2, WEB);
    starts(f, 1, 2);
    add_tagged(f, 2, 3, STORE);
    assert_ok(go_by(f, 2, &AT_MOST_OF(WEB, 1), 1));
    starts(f, 1, 0);
    uint64_t before = sked_engine_state_digest(f->engine);
    assert_ok(tagged(f, 1, (uint64_t[]){STORE, 9, STORE}, 3));
    assert_true(before != sked_engine_state_digest(f->engine));
    starts(f, 1, 2);
    assert_i64(skedi_tally_get(f->engine, STORE, 0), 4);
    assert_ok(tagged(f, 1, NULL, 0));
    assert_i64(skedi_tally_get(f->engine, STORE, 0), 2);
    assert_ok(tagged(f, 1, (uint64_t[]){WEB}, 1));
    assert_ok(engine_tell(f, SKED_EVENT_JOB_CANCEL, 1));
    assert_i64(skedi_tally_get(f->engine, WEB, 0), 2); /* until they end */
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 1));
    assert_i64(f->engine->tags.lists.live, 0);
    assert_i64(f->engine->tags.known.live, 0);
}

static void wrong_tags_are_refused(void **state)
{
    static uint64_t many[SKED_MAX_ASK_TAGS + 1];
    engine_fixture *f = *state;
    sked_event event = {.kind = SKED_EVENT_ASK_TAGS, .key = 1, .places = 1};

    three_nodes(f, NULL);
    assert_ok(engine_add_ask(f, 1, 1, 1, 1, 1));
    uint64_t before = sked_engine_state_digest(f->engine);
    assert_status(SKED_ERR_RANGE, tagged(f, 1, many, SKED_MAX_ASK_TAGS + 1));
    assert_i64(f->err.limit, SKED_MAX_ASK_TAGS);
    assert_status(SKED_ERR_NOT_FOUND, tagged(f, 2, many, 1));
    assert_status(SKED_ERR_ARG, engine_say(f, event, 0, 0));
    assert_true(before == sked_engine_state_digest(f->engine));
    for (size_t i = 0; i < SKED_MAX_ASK_TAGS; i++) many[i] = 100 - i;
    assert_ok(tagged(f, 1, many, SKED_MAX_ASK_TAGS));
    starts(f, 1, 1);
    assert_i64(skedi_tally_get(f->engine, 37, 0), 1);
    assert_i64(skedi_tally_get(f->engine, 101, 0), 0);
}

/* Tallies are checked against the groups. */
static void tallies_are_checked(void **state)
{
    engine_fixture *f = *state;

    three_nodes(f, NULL);
    add_tagged(f, 1, 1, WEB);
    starts(f, 1, 1);
    engine_tally *tally = f->engine->tags.tallies.item;
    tally->count++;
    assert_status(SKED_ERR_INTERNAL, sked_engine_check(f->engine, &f->err));
    assert_string_equal(f->err.message, "tasks by tag");
    tally->count--;
    f->engine->tags.tallies.live++;
    assert_status(SKED_ERR_INTERNAL, sked_engine_check(f->engine, NULL));
    f->engine->tags.tallies.live--;
    f->engine->rules.counting++;
    assert_int_equal(skedi_sets_are_sound(f->engine), 0);
    f->engine->rules.counting--;
}

/* Each allocation for tags, and for what starts with them, fails in turn. */
static void memory_for_tags_may_end(void **state)
{
    static uint64_t tags[SKED_MAX_ASK_TAGS];
    engine_fixture *f = *state;
    sked_status rc = SKED_ERR_NOMEM;
    size_t failed = 0;

    three_nodes(f, NULL);
    assert_ok(engine_add_ask(f, 1, 1, 1, 1, 1));
    starts(f, 1, 1);
    assert_ok(engine_add_ask(f, 2, 1, 3, 1, 1));
    for (size_t i = 0; i < SKED_MAX_ASK_TAGS; i++) tags[i] = i + 1;
    for (uint64_t ask = 2; ask > 0; ask--) {
        uint64_t before = sked_engine_state_digest(f->engine);
        for (size_t i = 1;; i++) {
            f->host.fail_at = f->host.requests + i;
            rc = tagged(f, ask, tags, SKED_MAX_ASK_TAGS);
            f->host.fail_at = 0;
            assert_ok(sked_engine_check(f->engine, NULL));
            if (rc == SKED_OK) break;
            assert_status(SKED_ERR_NOMEM, rc);
            assert_true(before == sked_engine_state_digest(f->engine));
            failed++;
        }
    }
    assert_true(failed >= 6);
    uint64_t before = sked_engine_state_digest(f->engine);
    f->host.fail_at = f->host.requests + 1;
    assert_status(SKED_ERR_NOMEM, engine_tell(f, SKED_EVENT_HEARTBEAT, 2));
    assert_true(before == sked_engine_state_digest(f->engine));
    sked_event run = {
        .kind = SKED_EVENT_TASK_RUNNING, .key = 2, .owner = 2, .count = 1};
    f->host.fail_at = f->host.requests + 1;
    assert_status(SKED_ERR_NOMEM, engine_say(f, run, 0, 0));
    f->host.fail_at = 0;
    assert_true(before == sked_engine_state_digest(f->engine));
    starts(f, 2, 3);
}

/* A round takes no task for one that its rule keeps from the node, and finds a
 * place for one task at a time where the rule counts them. */
static void rounds_go_by_rules(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    scene_preempt(f, &s);
    scene_fill(f, &s, 3);
    assert_ok(only_zone(f, 2, 5));
    (void)scene_hold(f, 3);
    assert_int_equal(scene_count(f, SKED_DECISION_NOTIFY), 0);
    assert_ok(tagged(f, 2, (uint64_t[]){WEB}, 1));
    assert_ok(go_by(f, 2, &AT_MOST_OF(WEB, 0), 1));
    (void)scene_hold(f, 6);
    assert_int_equal(scene_count(f, SKED_DECISION_NOTIFY), 1);
    assert_int_equal(scene_count(f, SKED_DECISION_RESERVE), 1);
    (void)scene_hold(f, 30);
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 1);
    uint64_t group = scene_said(f, SKED_DECISION_KILL)->group;
    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, group, 1));
    starts(f, 1, 1);
    (void)scene_hold(f, 33);
    assert_int_equal(scene_count(f, SKED_DECISION_NOTIFY), 0);
    assert_ok(go_by(f, 2, NULL, 0));
    (void)scene_hold(f, 36);
    assert_int_equal(scene_count(f, SKED_DECISION_NOTIFY), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(a_node_takes_at_most_so_many),
        engine_case(asks_keep_apart),
        engine_case(asks_keep_together),
        engine_case(rules_over_work_hold_in_the_shared_class),
        engine_case(all_that_holds_something_counts),
        engine_case(tags_change_in_place),
        engine_case(wrong_tags_are_refused),
        engine_case(tallies_are_checked),
        engine_case(memory_for_tags_may_end),
        engine_case(rounds_go_by_rules),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
