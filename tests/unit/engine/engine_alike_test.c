/* Alike tasks of one ask start in one decision, and at once where nothing could
 * come between them; how much was looked at says which it was. */
#include "engine_rules.h"

#include <sched/engine_place.h>

enum { FEW = 8 }; /* looks, whatever the number of tasks */

static sked_status heartbeat(engine_fixture *f)
{
    return engine_tell(f, SKED_EVENT_HEARTBEAT, 1);
}

static uint64_t looks(const engine_fixture *f)
{
    return engine_stats_of(f).asks_visited;
}

/* The one decision since the last says so many tasks. */
static void is_one(engine_fixture *f, int64_t count)
{
    assert_int_equal(engine_taken(f), 1);
    assert_int_equal(f->last[0].kind, SKED_DECISION_ALLOCATE);
    assert_i64(f->last[0].count, count);
}

static void two_thousand_million_tasks_of_nothing_are_no_loop(void **state)
{
    engine_fixture *f = *state;

    (void)engine_alone(f, NULL, 1, 1, 0);
    assert_ok(engine_add_ask(f, 1, 1, 2000000000, 0, 0));
    (void)engine_taken(f);
    assert_ok(heartbeat(f));
    is_one(f, 2000000000);
    assert_true(looks(f) < FEW);
    assert_ok(engine_add_ask(f, 2, 1, INT32_MAX, 0, 0));
    sked_engine_place_options o = {.struct_size = sizeof o,
                                   .mode = SKED_ENGINE_PLACE_MODE_SPREAD};
    assert_ok(sked_engine_place(f->engine, 0, 0, &o, NULL));
    is_one(f, INT32_MAX);
    assert_true(looks(f) < 2 * FEW);
}

/* Also with queues beside it that want something, and a limit of its own. */
static void nothing_is_bounded_by_nothing(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id other = engine_queue(f, f->root, "other");
    const int64_t limit[] = {0, 0};

    engine_set(f, f->root, SKED_QUEUE_ORDER, SKED_ORDER_POLICY_SHARE);
    sked_queue_id leaf = engine_alone(f, NULL, 5, 5, 0);
    engine_add_job(f, 2, other, 0);
    assert_ok(engine_add_ask(f, 1, 1, 1000000, 0, 0));
    assert_ok(engine_add_ask(f, 2, 2, 5, 1, 1));
    (void)engine_taken(f);
    assert_ok(sked_tree_set_vec(f->tree, leaf, SKED_QUEUE_LIMIT, limit, NULL));
    engine_begin(f, NULL);
    assert_ok(heartbeat(f));
    assert_true(engine_taken(f) <= 3);
    assert_true(engine_stats_of(f).allocated == 1000005);
    assert_true(looks(f) < 3 * FEW);
}

static void tasks_of_one_ask_fill_a_node_at_once(void **state)
{
    engine_fixture *f = *state;

    (void)engine_alone(f, NULL, 5000, 9000, 0);
    assert_ok(engine_add_ask(f, 1, 1, 4000, 2, 1));
    assert_ok(engine_add_ask(f, 2, 1, 10, 2, 1));
    (void)engine_taken(f);
    assert_ok(heartbeat(f));
    is_one(f, 2500);
    assert_true(looks(f) < FEW);
    engine_add_node(f, 2, 0, 5000, 9000);
    assert_ok(sked_engine_place(f->engine, 0, 0, NULL, NULL));
    assert_int_equal(engine_taken(f), 2); /* the rest of it, and the other */
    assert_i64(f->last[0].count, 1500);
    assert_i64(f->last[1].count, 10);
    assert_true(looks(f) < 2 * FEW);
}

static void at_most_as_many_as_a_pass_may_start(void **state)
{
    engine_fixture *f = *state;
    sked_engine_options o = {.struct_size = sizeof o, .max_per_pass = 700};

    (void)engine_alone(f, &o, 5000, 5000, 0);
    assert_ok(engine_add_ask(f, 1, 1, 1000, 1, 1));
    (void)engine_taken(f);
    assert_ok(heartbeat(f));
    is_one(f, 700);
    assert_ok(sked_engine_place(f->engine, 0, 0, NULL, NULL));
    is_one(f, 300);
}

/* Numbers that do not follow each other make groups of their own; a decision
 * that fills the list of them ends the pass after one task. */
static void decisions_are_what_they_were(void **state)
{
    engine_fixture *f = *state;
    sked_engine_options o = {.struct_size = sizeof o, .max_untaken = 1};

    (void)engine_alone(f, &o, 50, 50, 0);
    (void)engine_taken(f);
    assert_ok(engine_add_ask(f, 1, 1, 40, 1, 1));
    assert_ok(heartbeat(f));
    is_one(f, 1);
}

/* Queues that take turns go on taking them. */
static void queues_take_turns(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id other = engine_queue(f, f->root, "other");

    (void)engine_alone(f, NULL, 100, 100, 0);
    engine_add_job(f, 2, other, 0);
    assert_ok(engine_add_ask(f, 1, 1, 80, 1, 1));
    assert_ok(engine_add_ask(f, 2, 2, 20, 1, 1));
    (void)engine_taken(f);
    assert_ok(heartbeat(f));
    assert_true(engine_stats_of(f).allocated == 100);
    assert_true(engine_taken(f) >= 20);
    assert_true(looks(f) >= 40 && looks(f) < 60); /* the last 60 at once */
}

/* One that has two turns in a row has no more than those. */
static void turns_are_no_more_than_their_weight(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id other = engine_queue(f, f->root, "other");

    engine_set(f, other, SKED_QUEUE_WEIGHT, 3);
    (void)engine_alone(f, NULL, 40, 40, 0);
    engine_add_job(f, 2, other, 0);
    assert_ok(engine_add_ask(f, 1, 1, 40, 1, 1));
    assert_ok(engine_add_ask(f, 2, 2, 40, 1, 1));
    (void)engine_taken(f);
    assert_ok(heartbeat(f));
    int64_t held = 0;
    for (size_t i = 0, n = engine_taken(f); i < n; i++) {
        if (f->last[i].ask == 2) held += f->last[i].count;
    }
    assert_i64(held, 30);
}

/* Spread tasks leave a node as soon as another has more left. */
static void spread_tasks_leave_a_node(void **state)
{
    engine_fixture *f = *state;
    sked_engine_place_options o = {.struct_size = sizeof o,
                                   .mode = SKED_ENGINE_PLACE_MODE_SPREAD};
    int64_t amounts[2];

    (void)engine_alone(f, NULL, 8, 8, 0);
    engine_add_node(f, 2, 0, 4, 8);
    assert_ok(engine_add_ask(f, 1, 1, 8, 1, 1));
    assert_ok(sked_engine_place(f->engine, 0, 0, &o, NULL));
    assert_ok(sked_engine_node_free(f->engine, 1, amounts));
    assert_i64(amounts[0], 2);
    (void)engine_taken(f);
}

/* ---- Of nothing, whatever an ask may say ---- */

enum { MANY = 1000000 };

static const int64_t nothing[] = {0, 0};

/* A heartbeat starts them all, in so many decisions. */
static void are_no_loop(engine_fixture *f, size_t decisions)
{
    uint64_t before = looks(f);

    (void)engine_taken(f);
    assert_ok(heartbeat(f));
    assert_int_equal(engine_taken(f), decisions);
    assert_true(engine_stats_of(f).allocated == MANY);
    assert_true(looks(f) - before < FEW);
}

/* What an elastic gang of nothing with 10 to begin with does; `same`: of one
 * zone; `per_node`: at most so many on a node (0: any number). */
static sked_status add_elastic(engine_fixture *f, uint64_t key, uint64_t same,
                               uint32_t per_node)
{
    const sked_event_gang gang = {
        .at_once = 10, .same = same, .per_node = per_node};
    const sked_event event = {.kind = SKED_EVENT_ASK_ADD,
                              .key = key,
                              .owner = 1,
                              .count = MANY,
                              .amount = 1,
                              .flags = SKED_ASK_GANG | SKED_ASK_SPREAD};
    const sked_events batch = {.struct_size = sizeof batch,
                               .events = &event,
                               .n = 1,
                               .amounts = nothing,
                               .n_amounts = 1,
                               .gangs = &gang};

    return sked_engine_apply(f->engine, &batch, NULL, &f->err);
}

static void an_elastic_gang_grows_at_once(void **state)
{
    engine_fixture *f = *state;

    (void)engine_alone(f, NULL, 1, 1, 0);
    assert_ok(add_elastic(f, 1, 0, 0));
    are_no_loop(f, 2); /* the ten, and the rest */
    assert_i64(f->last[0].count, 10);
}

static void a_gang_of_one_zone_grows_at_once(void **state)
{
    engine_fixture *f = *state;

    (void)engine_alone(f, NULL, 1, 1, 0);
    assert_ok(in_zone(f, 1, 3));
    assert_ok(add_elastic(f, 1, ZONE, 0));
    are_no_loop(f, 2);
}

static void a_gang_is_placed_at_once(void **state)
{
    engine_fixture *f = *state;

    (void)engine_alone(f, NULL, 1, 1, 0);
    assert_ok(add_elastic(f, 1, 0, 0));
    (void)engine_taken(f);
    assert_ok(sked_engine_place(f->engine, 0, 0, NULL, NULL));
    assert_int_equal(engine_taken(f), 2);
    assert_true(engine_stats_of(f).allocated == MANY);
    assert_true(looks(f) < FEW);
}

/* Up to what it may have on a node. */
static void a_gang_grows_up_to_its_bound(void **state)
{
    engine_fixture *f = *state;

    (void)engine_alone(f, NULL, 1, 1, 0);
    assert_ok(add_elastic(f, 1, 0, 5000));
    (void)engine_taken(f);
    assert_ok(heartbeat(f));
    assert_true(engine_stats_of(f).allocated == 5000);
    assert_true(looks(f) < FEW);
}

static sked_rule_term at_most(int64_t value)
{
    return (sked_rule_term){
        .op = SKED_RULE_OP_AT_MOST, .key = 7, .value = value};
}

static void a_rule_counts_what_starts_at_once(void **state)
{
    engine_fixture *f = *state;
    const uint64_t tag = 7;
    const sked_rule_term term = at_most(MANY - 1);

    (void)engine_alone(f, NULL, 1, 1, 0);
    assert_ok(engine_add_ask(f, 1, 1, 2 * MANY, 0, 0));
    assert_ok(tagged(f, 1, &tag, 1));
    assert_ok(go_by(f, 1, &term, 1));
    are_no_loop(f, 1);
    assert_ok(heartbeat(f));
    assert_ok(sked_engine_place(f->engine, 0, 0, NULL, NULL));
    assert_true(engine_stats_of(f).allocated == MANY);
}

/* Where a rule wants at least so many, and has them, nothing bounds them. */
static void at_least_is_no_bound(void **state)
{
    engine_fixture *f = *state;
    const uint64_t tag = 7;
    const sked_rule_term term = {
        .op = SKED_RULE_OP_AT_LEAST, .key = 7, .value = 0};

    (void)engine_alone(f, NULL, 1, 1, 0);
    assert_ok(engine_add_ask(f, 1, 1, MANY, 0, 0));
    assert_ok(tagged(f, 1, &tag, 1));
    assert_ok(go_by(f, 1, &term, 1));
    are_no_loop(f, 1);
}

/* By a rule that counts on each node an ask is placed as by one without. */
static void a_count_on_each_node_is_placed(void **state)
{
    engine_fixture *f = *state;
    const uint64_t tag = 7;
    const sked_rule_term term = {
        .op = SKED_RULE_OP_AT_MOST, .key = 7, .value = 1};
    const sked_engine_place_options how = {.struct_size = sizeof how};

    (void)engine_alone(f, NULL, 4, 4, 0);
    engine_add_node(f, 2, 0, 4, 4);
    assert_ok(engine_add_ask(f, 1, 1, 9, 1, 1));
    assert_ok(tagged(f, 1, &tag, 1));
    assert_ok(go_by(f, 1, &term, 1));
    (void)engine_taken(f);
    assert_ok(sked_engine_place(f->engine, f->now, 0, &how, NULL));
    assert_int_equal(engine_taken(f), 2);
    assert_i64(f->last[0].count, 2);
    assert_i64(f->last[1].count, 2);
}

/* The first ask has at most 3,000 more in a zone than where there are fewest, of
 * all zones or of the first so many, 3 and 4. */
static void spread_over(engine_fixture *f, uint32_t listed)
{
    const uint64_t tag = 7;
    const int64_t values[] = {ZONE, 3, 4};
    const int32_t offsets[] = {0, 1};
    const sked_rule_term term = {
        .op = SKED_RULE_OP_SPREAD, .key = 7, .value = 3000, .n = 1 + listed};
    const sked_event event = {
        .kind = SKED_EVENT_ASK_RULE, .key = 1, .places = 1};
    const sked_events batch = {.struct_size = sizeof batch,
                               .events = &event,
                               .n = 1,
                               .rule_offsets = offsets,
                               .rule_terms = &term,
                               .n_rules = 1,
                               .rule_values = values,
                               .n_rule_values = 3};

    assert_ok(tagged(f, 1, &tag, 1));
    assert_ok(sked_engine_apply(f->engine, &batch, NULL, &f->err));
}

static void spread_over_zones(engine_fixture *f)
{
    spread_over(f, 0);
}

/* Where there is no other value, nothing bounds a spread. */
static void a_spread_over_one_zone_starts_at_once(void **state)
{
    engine_fixture *f = *state;

    (void)engine_alone(f, NULL, 1, 1, 0);
    assert_ok(in_zone(f, 1, 3));
    assert_ok(engine_add_ask(f, 1, 1, MANY, 0, 0));
    spread_over_zones(f);
    are_no_loop(f, 1);
}

/* Where there is, the one with fewest does. */
static void a_spread_fills_its_zone_at_once(void **state)
{
    engine_fixture *f = *state;

    (void)engine_alone(f, NULL, 1, 1, 0);
    engine_add_node(f, 2, 0, 1, 1);
    assert_ok(in_zone(f, 1, 3));
    assert_ok(in_zone(f, 2, 4));
    assert_ok(engine_add_ask(f, 1, 1, MANY, 0, 0));
    spread_over_zones(f);
    assert_ok(heartbeat(f));
    assert_true(engine_stats_of(f).allocated == 3000);
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 2));
    assert_true(engine_stats_of(f).allocated == 9000);
    assert_true(looks(f) < 2 * FEW);
    (void)engine_taken(f);
}

/* The same where the zones are listed; placed, they start one by one. */
static void a_spread_over_listed_zones_is_no_loop(void **state)
{
    engine_fixture *f = *state;

    (void)engine_alone(f, NULL, 1, 1, 0);
    engine_add_node(f, 2, 0, 1, 1);
    assert_ok(in_zone(f, 1, 3));
    assert_ok(in_zone(f, 2, 4));
    assert_ok(engine_add_ask(f, 1, 1, 6010, 0, 0));
    spread_over(f, 2);
    assert_ok(heartbeat(f));
    assert_true(engine_stats_of(f).allocated == 3000);
    assert_true(looks(f) < FEW);
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 2));
    assert_true(engine_stats_of(f).allocated == 6010);
    (void)engine_taken(f);
    assert_ok(engine_add_ask(f, 2, 1, 10, 0, 0));
    const uint64_t tag = 7;
    assert_ok(tagged(f, 2, &tag, 1));
    const sked_rule_term terms[] = {
        at_most(5000),
        {.op = SKED_RULE_OP_AT_MOST, .key = 7, .value = 5000, .n = 1}};
    /* the second by attribute 1: the zone */
    assert_ok(go_by(f, 2, terms, 2));
    assert_ok(sked_engine_place(f->engine, 0, 0, NULL, NULL));
    assert_true(engine_stats_of(f).allocated == 6020);
    (void)engine_taken(f);
}

static void a_user_is_given_nothing_at_once(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "users");

    engine_set(f, leaf, SKED_QUEUE_USER_LIMIT, SKED_PPM / 2);
    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, 1, 1);
    engine_add_job(f, 1, leaf, 1);
    assert_ok(engine_add_ask(f, 1, 1, MANY, 0, 0));
    are_no_loop(f, 1);
}

static void a_fair_user_is_given_nothing_at_once(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "users");

    engine_set(f, leaf, SKED_QUEUE_APPS, SKED_APPS_USER_FAIR);
    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, 1, 1);
    engine_add_job(f, 1, leaf, 1);
    assert_ok(engine_add_ask(f, 1, 1, MANY, 0, 0));
    are_no_loop(f, 1);
}

/* A place that is counted is used up by so many; the others start, too. */
static void places_are_counted_at_once(void **state)
{
    engine_fixture *f = *state;
    const int32_t offsets[] = {0, 1};
    const uint64_t place = 1;
    const uint32_t tasks = 5000;
    const sked_event event = {.kind = SKED_EVENT_ASK_ADD,
                              .key = 1,
                              .owner = 1,
                              .count = MANY,
                              .amount = 1,
                              .places = 1};
    const sked_events batch = {.struct_size = sizeof batch,
                               .events = &event,
                               .n = 1,
                               .place_offsets = offsets,
                               .places = &place,
                               .place_tasks = &tasks,
                               .amounts = nothing,
                               .n_amounts = 1,
                               .n_places = 1};

    (void)engine_alone(f, NULL, 1, 1, 0);
    assert_ok(sked_engine_apply(f->engine, &batch, NULL, &f->err));
    are_no_loop(f, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(two_thousand_million_tasks_of_nothing_are_no_loop),
        engine_case(nothing_is_bounded_by_nothing),
        engine_case(tasks_of_one_ask_fill_a_node_at_once),
        engine_case(at_most_as_many_as_a_pass_may_start),
        engine_case(decisions_are_what_they_were),
        engine_case(queues_take_turns),
        engine_case(turns_are_no_more_than_their_weight),
        engine_case(spread_tasks_leave_a_node),
        engine_case(an_elastic_gang_grows_at_once),
        engine_case(a_gang_of_one_zone_grows_at_once),
        engine_case(a_gang_is_placed_at_once),
        engine_case(a_gang_grows_up_to_its_bound),
        engine_case(a_rule_counts_what_starts_at_once),
        engine_case(a_count_on_each_node_is_placed),
        engine_case(a_spread_over_one_zone_starts_at_once),
        engine_case(a_spread_fills_its_zone_at_once),
        engine_case(at_least_is_no_bound),
        engine_case(a_spread_over_listed_zones_is_no_loop),
        engine_case(a_user_is_given_nothing_at_once),
        engine_case(a_fair_user_is_given_nothing_at_once),
        engine_case(places_are_counted_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
