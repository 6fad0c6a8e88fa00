/* Gangs over nodes of which each node takes so many tasks or none. [PEL-20] */
#include <sched/engine_place.h>

#include "engine_gangs.h"
#include "engine_scene.h"

static sked_status exact_so(engine_fixture *f, uint64_t key, int64_t count,
                            sked_event_gang gang, uint32_t flags)
{
    return add_gang_of(f, key, 1, count, gang, SKED_ASK_EXACT | flags);
}

static sked_status exact(engine_fixture *f, uint64_t key, int64_t count,
                         uint32_t each)
{
    return exact_so(f, key, count, (sked_event_gang){.per_node = each}, 0);
}

/* Takes so many cpu of a node for ask `key`, by tasks that run already. */
static void take_of(engine_fixture *f, uint64_t key, uint64_t node,
                    int64_t count)
{
    if (count == 0) return;
    assert_ok(engine_add_ask(f, key, 1, count, 1, 1));
    const sked_event event = {.kind = SKED_EVENT_TASK_RUNNING,
                              .time = f->now,
                              .key = node,
                              .owner = key,
                              .count = count};
    assert_ok(engine_say(f, event, 0, 0));
    (void)engine_taken(f);
}

static void each_node_takes_all_or_nothing(void **state)
{
    engine_fixture *f = *state;
    const gang_part parts[] = {{1, 2, 3}, {3, 5, 3}};

    nodes_of_four(f, NULL, 3);
    take_of(f, 9, 2, 2);
    assert_ok(exact(f, 1, 6, 3));
    starts_parts(f, 3, 1, parts, 2); /* node 2 has two left */
}

/* Nodes take all its tasks, but not so many each; the bound says for how many
 * there are. */
static void it_waits_where_nodes_take_others(void **state)
{
    engine_fixture *f = *state;
    sked_engine_bound bounds[16];
    size_t n;

    nodes_of_four(f, NULL, 3);
    take_of(f, 9, 2, 2);
    take_of(f, 8, 3, 2);
    assert_ok(exact(f, 1, 6, 3));
    for (uint64_t node = 1; node <= 3; node++) starts_no_part(f, node);
    assert_ok(sked_engine_explain_job(f->engine, 1, bounds, 16, &n));
    assert_int_equal(bounds[n - 1].reason, SKED_REASON_GANG);
    assert_i64(bounds[n - 1].need, 6);
    assert_i64(bounds[n - 1].bound, 3);
    assert_ok(add_gang(f, 2, 6, 3)); /* without the flag it starts */
    starts_parts(f, 1, 2, (gang_part[]){{1, 10, 3}, {2, 13, 2}, {3, 15, 1}}, 3);
}

static void is_refused(engine_fixture *f, sked_status rc, const char *message)
{
    assert_int_equal(rc, SKED_ERR_ARG);
    assert_string_equal(f->err.message, message);
    assert_int_equal(f->err.row, 0);
}

static void counts_are_multiples(void **state)
{
    engine_fixture *f = *state;

    nodes_of_four(f, NULL, 2);
    is_refused(f, exact(f, 1, 5, 2), "count is no multiple of per_node");
    is_refused(
        f, exact_so(f, 1, 6, (sked_event_gang){.per_node = 2, .at_once = 3}, 0),
        "at_once is no multiple of per_node");
    is_refused(f, exact(f, 1, 6, 0),
               "an exact gang is over nodes, with per_node");
    const sked_event alone = {.kind = SKED_EVENT_ASK_ADD,
                              .time = f->now,
                              .key = 1,
                              .owner = 1,
                              .count = 2,
                              .flags = SKED_ASK_EXACT | SKED_ASK_GANG};
    assert_status(SKED_ERR_ARG, engine_say(f, alone, 1, 1));
    assert_ok(exact(f, 1, 6, 2));
}

/* No node would ever take three of them. */
static void no_node_is_large_enough(void **state)
{
    engine_fixture *f = *state;

    nodes_of_four(f, NULL, 9);
    assert_ok(exact(f, 1, 10, 5));
    assert_int_equal(engine_taken(f), 1);
    assert_int_equal(f->last[0].kind, SKED_DECISION_REJECT);
    assert_int_equal(f->last[0].reason, SKED_REASON_NEVER_NODE);
    assert_ok(
        exact_so(f, 2, 10, (sked_event_gang){.per_node = 5}, SKED_ASK_WAIT));
    starts_no_part(f, 1);
    engine_add_node(f, 10, 0, 5, 100);
    starts_no_part(f, 10);
    engine_add_node(f, 11, 0, 5, 100);
    starts_parts(f, 10, 2, (gang_part[]){{10, 0, 5}, {11, 5, 5}}, 2);
}

static uint64_t group_on(const engine_fixture *f, uint64_t node)
{
    size_t i = 0;

    while (f->last[i].node != node) i++;
    return f->last[i].group;
}

/* One of three on a node is lost: it goes back there, and nowhere else. */
static void a_node_is_made_whole(void **state)
{
    engine_fixture *f = *state;

    nodes_of_four(f, NULL, 3);
    assert_ok(exact(f, 1, 6, 3));
    starts_parts(f, 1, 1, (gang_part[]){{1, 0, 3}, {2, 3, 3}}, 2);
    uint64_t group = group_on(f, 2);
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    take_of(f, 9, 2, 1);
    assert_ok(engine_end(f, SKED_EVENT_TASK_LOST, group, 1));
    (void)engine_taken(f);
    take_of(f, 8, 2, 1);
    starts_no_part(f, 3); /* node 2 is full, node 3 empty */
    assert_ok(engine_say(
        f, (sked_event){.kind = SKED_EVENT_NODE_CHANGE, .key = 2, .amount = 1},
        5, 100));
    starts_parts(f, 2, 1, (gang_part[]){{2, 5, 1}}, 1);
}

/* The others on its node have ended: so those that are left over start
 * together elsewhere. */
static void what_is_left_over_has_a_node(void **state)
{
    engine_fixture *f = *state;

    nodes_of_four(f, NULL, 2);
    assert_ok(exact(f, 1, 3, 3));
    starts_parts(f, 1, 1, (gang_part[]){{1, 0, 3}}, 1);
    uint64_t group = group_on(f, 1);
    assert_ok(engine_end(f, SKED_EVENT_TASK_LOST, group, 2));
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, group, 1));
    (void)engine_taken(f);
    take_of(f, 9, 1, 3);
    starts_parts(f, 1, 1, (gang_part[]){{2, 1, 2}}, 1);
}

/* A gang of four has two on node 1 and two on node 2; node 3 is empty. One of
 * node 1 is to be lost, whose group this is. */
static uint64_t two_on_each_of_two(engine_fixture *f)
{
    nodes_of_four(f, NULL, 3);
    assert_ok(exact(f, 1, 4, 2));
    starts_parts(f, 1, 1, (gang_part[]){{1, 0, 2}, {2, 2, 2}}, 2);
    return group_on(f, 1);
}

static void no_task_waits_for_a_node_of_another_partition(void **state)
{
    engine_fixture *f = *state;
    uint64_t group = two_on_each_of_two(f);

    assert_ok(engine_say(
        f, (sked_event){.kind = SKED_EVENT_NODE_MOVE, .key = 1, .partition = 1},
        0, 0));
    assert_ok(engine_end(f, SKED_EVENT_TASK_LOST, group, 1));
    (void)engine_taken(f);
    starts_no_part(f, 1);
    starts_parts(f, 2, 1, (gang_part[]){{3, 1, 1}}, 1);
}

/* It has enough free when it resumes, and until then takes nothing. */
static void no_task_waits_for_a_node_that_drains(void **state)
{
    engine_fixture *f = *state;
    uint64_t group = two_on_each_of_two(f);

    take_of(f, 9, 1, 2);
    assert_ok(engine_end(f, SKED_EVENT_TASK_LOST, group, 1));
    (void)engine_taken(f);
    take_of(f, 8, 1, 1);
    starts_no_part(f, 3); /* node 1 lacks it, and is full */
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DRAIN, 1));
    starts_parts(f, 3, 1, (gang_part[]){{3, 1, 1}}, 1);
}

static void no_task_waits_for_a_node_that_is_excluded(void **state)
{
    engine_fixture *f = *state;
    uint64_t group = two_on_each_of_two(f);
    const uint64_t keys[] = {1};
    const int32_t offsets[] = {0, 1};
    const sked_event event = {
        .kind = SKED_EVENT_ASK_EXCLUDE, .time = f->now, .key = 1, .places = 1};
    const sked_events batch = {.struct_size = sizeof batch,
                               .events = &event,
                               .n = 1,
                               .place_offsets = offsets,
                               .places = keys,
                               .n_places = 1};

    assert_ok(sked_engine_apply(f->engine, &batch, NULL, &f->err));
    assert_ok(engine_end(f, SKED_EVENT_TASK_LOST, group, 1));
    (void)engine_taken(f);
    starts_parts(f, 2, 1, (gang_part[]){{3, 1, 1}}, 1);
}

/* A whole node that is lost has another one, whatever others lack since tasks
 * of theirs have ended. */
static void a_lost_node_has_another(void **state)
{
    engine_fixture *f = *state;

    nodes_of_four(f, NULL, 3);
    assert_ok(exact(f, 1, 4, 2));
    starts_parts(f, 1, 1, (gang_part[]){{1, 0, 2}, {2, 2, 2}}, 2);
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, group_on(f, 1), 1));
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 2));
    (void)engine_taken(f);
    starts_parts(f, 1, 1, (gang_part[]){{3, 2, 2}}, 1);
}

static void what_is_elastic_grows_by_nodes(void **state)
{
    engine_fixture *f = *state;

    nodes_of_four(f, NULL, 3);
    take_of(f, 9, 2, 1);
    take_of(f, 8, 3, 3);
    assert_ok(
        exact_so(f, 1, 6, (sked_event_gang){.per_node = 2, .at_once = 2}, 0));
    starts_parts(f, 1, 1, (gang_part[]){{1, 4, 2}, {2, 6, 2}}, 2);
    starts_no_part(f, 3); /* one is free there */
    engine_add_node(f, 4, 0, 4, 100);
    starts_parts(f, 3, 1, (gang_part[]){{4, 8, 2}}, 1);
}

/* Two on each of two empty nodes, which they hold. */
static void whole_nodes_take_alike(void **state)
{
    engine_fixture *f = *state;

    nodes_of_four(f, NULL, 3);
    take_of(f, 9, 2, 1);
    assert_ok(exact_so(f, 1, 4, (sked_event_gang){.per_node = 2},
                       SKED_ASK_EXCLUSIVE));
    starts_parts(f, 1, 1, (gang_part[]){{1, 1, 2}, {3, 3, 2}}, 2);
    assert_ok(engine_add_ask(f, 2, 1, 1, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_taken(f), 0);
}

static void say_rack(engine_fixture *f, uint64_t node, int64_t rack)
{
    const int32_t offsets[] = {0, 1};
    const sked_rule_attribute pair = {7, rack};
    const sked_event event = {.kind = SKED_EVENT_NODE_ATTRIBUTES,
                              .time = f->now,
                              .key = node,
                              .places = 1};
    const sked_events batch = {.struct_size = sizeof batch,
                               .events = &event,
                               .n = 1,
                               .attribute_offsets = offsets,
                               .attributes = &pair,
                               .n_attributes = 1};

    assert_ok(sked_engine_apply(f->engine, &batch, NULL, &f->err));
}

/* Rack 1 has six cpu free, but three on one node only. */
static void nodes_of_one_rack_take_alike(void **state)
{
    engine_fixture *f = *state;

    nodes_of_four(f, NULL, 5);
    for (uint64_t n = 1; n <= 5; n++) say_rack(f, n, n <= 3 ? 1 : 2);
    take_of(f, 9, 1, 2);
    take_of(f, 8, 2, 2);
    assert_ok(
        exact_so(f, 1, 6, (sked_event_gang){.per_node = 3, .same = 7}, 0));
    starts_parts(f, 3, 1, (gang_part[]){{4, 4, 3}, {5, 7, 3}}, 2);
}

/* A host that places asks gives it the same nodes. */
static void it_is_placed(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_place_options opts = {.struct_size = sizeof opts};

    nodes_of_four(f, NULL, 3);
    take_of(f, 9, 1, 2);
    assert_ok(exact(f, 1, 6, 3));
    assert_ok(sked_engine_place(f->engine, f->now, 0, &opts, NULL));
    assert_int_equal(engine_taken(f), 2);
    for (int i = 0; i < 2; i++) {
        assert_i64((int64_t)f->last[i].node, 2 + i);
        assert_i64(f->last[i].count, 3);
    }
}

/* Queue a has all of three nodes of four cpu; of b's half a gang has three on
 * each of two nodes. */
static void a_round_makes_room_node_by_node(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);
    int64_t on[4] = {0};

    s.rounds.grace_ns = -1;
    s.preempt.gangs = 1;
    scene_preempt(f, &s);
    for (uint64_t n = 1; n <= 3; n++) engine_add_node(f, n, 0, 4, 100);
    engine_add_job(f, 1, s.a, 1);
    engine_add_job(f, 2, s.b, 2);
    assert_ok(engine_add_ask(f, 1, 1, 12, 1, 1));
    assert_ok(sked_engine_pass(f->engine, f->now, 0, NULL));
    (void)engine_taken(f);
    f->now = SECOND;
    assert_ok(add_gang_of(f, 2, 2, 6, (sked_event_gang){.per_node = 3},
                          SKED_ASK_EXACT));
    (void)scene_hold(f, 3);
    for (size_t i = 0; i < 64; i++) {
        const sked_decision *d = &f->last[i];
        if (d->kind != SKED_DECISION_KILL) continue;
        on[d->node] += d->count;
        assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, d->group, d->count));
    }
    assert_i64(on[1] + on[2] + on[3], 6);
    for (int n = 1; n <= 3; n++) assert_true(on[n] == 0 || on[n] == 3);
    (void)engine_taken(f);
    assert_ok(sked_engine_pass(f->engine, f->now, 0, NULL));
    size_t n = engine_taken(f);
    assert_int_equal(n, 2);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(f->last[i].reason, SKED_REASON_HELD);
        assert_i64((int64_t)f->last[i].ask, 2);
        assert_i64(f->last[i].count, 3);
    }
    assert_ok(sked_engine_check(f->engine, NULL));
}

/* So many tasks of what runs on node 1 beside the gang have ended; how many
 * decisions its heartbeat makes. */
static size_t frees_on_1(engine_fixture *f, uint64_t group, int64_t count)
{
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, group, count));
    return engine_beat(f, 1);
}

/* Two tasks of three are lost, and go where the third one is. While they form
 * nothing is reserved for them on another node, which never takes these two: so
 * what comes free where they go is kept for them. */
static void it_forms_where_others_of_it_are(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_options opts = {.struct_size = sizeof opts,
                                      .form_nodes = 2};
    sked_event event = {
        .kind = SKED_EVENT_TASK_RUNNING, .key = 1, .owner = 9, .count = 3};

    nodes_of_four(f, &opts, 2);
    assert_ok(exact(f, 1, 3, 3));
    starts_parts(f, 1, 1, (gang_part[]){{1, 0, 3}}, 1);
    assert_ok(engine_end(f, SKED_EVENT_TASK_LOST, f->last[0].group, 2));
    assert_ok(engine_add_ask(f, 9, 1, 3, 1, 1));
    assert_ok(engine_say(f, event, 0, 0));
    size_t n = engine_taken(f);
    uint64_t others = f->last[n - 1].group;
    assert_ok(engine_add_ask(f, 2, 1, 100, 1, 1));
    assert_int_equal(engine_beat(f, 2), 1);
    assert_i64(f->last[0].count, 4); /* all of it */
    assert_int_equal(frees_on_1(f, others, 1), 0);
    assert_int_equal(engine_stats_of(f).form_nodes, 1);
    assert_int_equal(frees_on_1(f, others, 1), 1);
    assert_int_equal(f->last[0].reason, SKED_REASON_GANG);
    assert_i64(f->last[0].count, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(each_node_takes_all_or_nothing),
        engine_case(it_waits_where_nodes_take_others),
        engine_case(counts_are_multiples),
        engine_case(no_node_is_large_enough),
        engine_case(a_node_is_made_whole),
        engine_case(what_is_left_over_has_a_node),
        engine_case(no_task_waits_for_a_node_of_another_partition),
        engine_case(no_task_waits_for_a_node_that_drains),
        engine_case(no_task_waits_for_a_node_that_is_excluded),
        engine_case(a_lost_node_has_another),
        engine_case(what_is_elastic_grows_by_nodes),
        engine_case(whole_nodes_take_alike),
        engine_case(nodes_of_one_rack_take_alike),
        engine_case(it_is_placed),
        engine_case(it_forms_where_others_of_it_are),
        engine_case(a_round_makes_room_node_by_node),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
