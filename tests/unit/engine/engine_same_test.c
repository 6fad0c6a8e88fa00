/* Gangs over nodes that share a value of an attribute: a rack, a switch. */
#include "engine_gangs.h"

enum { RACK = 7 };

/* Node `n` is in these racks. */
static void is_in(engine_fixture *f, uint64_t n, const int64_t *racks,
                  int32_t count)
{
    sked_rule_attribute own[4];
    const int32_t offsets[] = {0, count};
    const sked_event event = {.kind = SKED_EVENT_NODE_ATTRIBUTES,
                              .time = f->now,
                              .key = n,
                              .places = 1};
    const sked_events batch = {.struct_size = sizeof batch,
                               .events = &event,
                               .n = 1,
                               .attribute_offsets = offsets,
                               .attributes = own,
                               .n_attributes = 1};

    for (int32_t i = 0; i < count; i++) {
        own[i] = (sked_rule_attribute){RACK, racks[i]};
    }
    assert_ok(sked_engine_apply(f->engine, &batch, NULL, &f->err));
}

/* Nodes 1 and 2 are in rack 9, nodes 3 to 5 in rack 2. */
static void two_racks(engine_fixture *f)
{
    const int64_t racks[] = {9, 9, 2, 2, 2};

    nodes_of_four(f, NULL, 5);
    for (uint64_t n = 1; n <= 5; n++) is_in(f, n, &racks[n - 1], 1);
}

static sked_event_gang in_a_rack(uint32_t at_once)
{
    return (sked_event_gang){.at_once = at_once, .same = RACK};
}

static void lacks_nodes(engine_fixture *f, int64_t need, int64_t there)
{
    sked_engine_bound bounds[16];
    size_t n;

    assert_ok(sked_engine_explain_job(f->engine, 1, bounds, 16, &n));
    assert_int_equal(bounds[n - 1].reason, SKED_REASON_GANG);
    assert_i64(bounds[n - 1].need, need);
    assert_i64(bounds[n - 1].bound, there);
}

static void it_starts_in_the_first_rack_that_is_enough(void **state)
{
    engine_fixture *f = *state;

    two_racks(f);
    assert_ok(add_gang_so(f, 1, 6, in_a_rack(0)));
    starts_parts(f, 5, 1, (gang_part[]){{1, 0, 4}, {2, 4, 2}}, 2);
    assert_ok(add_gang_so(f, 2, 6, in_a_rack(0)));
    starts_parts(f, 1, 0, NULL, 0);
    starts_parts(f, 2, 2, (gang_part[]){{3, 6, 4}, {4, 10, 2}}, 2);
    assert_ok(add_gang_so(f, 3, 7, in_a_rack(0)));
    for (uint64_t n = 1; n <= 5; n++) starts_no_part(f, n);
    lacks_nodes(f, 7, 6); /* with rack 9, eight are free */
    assert_ok(add_gang(f, 4, 7, 0));
    starts_parts(f, 4, 4, (gang_part[]){{2, 19, 2}, {4, 21, 2}, {5, 23, 3}}, 3);
}

static void nodes_may_be_in_several(void **state)
{
    engine_fixture *f = *state;
    const int64_t both[] = {9, 2};

    two_racks(f);
    is_in(f, 1, both, 2);
    assert_ok(add_gang_so(f, 1, 9, in_a_rack(0)));
    starts_parts(f, 1, 1, (gang_part[]){{1, 0, 4}, {3, 4, 4}, {4, 8, 1}}, 3);
}

/* What comes later goes where the rest is. */
static void it_grows_and_comes_back_in_its_rack(void **state)
{
    engine_fixture *f = *state;

    two_racks(f);
    assert_ok(add_gang_so(f, 1, 9, in_a_rack(5)));
    starts_parts(f, 4, 1, (gang_part[]){{1, 0, 4}, {2, 4, 1}}, 2);
    uint64_t second = f->last[1].group;
    for (uint64_t n = 3; n <= 5; n++) starts_no_part(f, n);
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 2));
    assert_int_equal(engine_taken(f), 1);
    assert_i64(f->last[0].count, 3);
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, second, 1));
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 1));
    (void)engine_taken(f);
    starts_parts(f, 3, 1, (gang_part[]){{2, 0, 1}}, 1);
    for (uint64_t n = 2; n <= 5; n++) starts_no_part(f, n);
    lacks_nodes(f, 1, 0);
}

/* Members that were lost do not start in another rack, though it comes first. */
static void what_is_lost_comes_back_where_the_rest_is(void **state)
{
    engine_fixture *f = *state;

    two_racks(f);
    assert_ok(add_gang_so(f, 1, 9, in_a_rack(0)));
    starts_parts(f, 1, 1, (gang_part[]){{3, 0, 4}, {4, 4, 4}, {5, 8, 1}}, 3);
    assert_ok(engine_end(f, SKED_EVENT_TASK_LOST, f->last[0].group, 4));
    (void)engine_taken(f);
    starts_parts(f, 1, 1, (gang_part[]){{3, 0, 4}}, 1);
}

/* An attribute that no node has is one that none shares. */
static void it_waits_for_nodes_that_share_something(void **state)
{
    engine_fixture *f = *state;
    const int64_t rack = -3;

    nodes_of_four(f, NULL, 2);
    assert_ok(add_gang_so(f, 1, 6, in_a_rack(0)));
    starts_no_part(f, 1);
    sked_engine_bound none[16];
    size_t n;
    assert_ok(sked_engine_explain_job(f->engine, 1, none, 16, &n));
    assert_int_equal(none[n - 1].reason,
                     SKED_REASON_RULE); /* none is in a rack */
    assert_i64(none[n - 1].bound, 0);
    is_in(f, 1, &rack, 1);
    starts_no_part(f, 1);
    lacks_nodes(f, 6, 4);
    is_in(f, 2, &rack, 1);
    starts_parts(f, 2, 1, (gang_part[]){{1, 0, 4}, {2, 4, 2}}, 2);
    assert_ok(add_gang_so(f, 2, 9, in_a_rack(0))); /* eight in all */
    assert_int_equal(engine_taken(f), 1);
    assert_int_equal(f->last[0].reason, SKED_REASON_NEVER_NODE);
}

/* The same with another rule, and after a commit. */
static void rules_and_commits_leave_it_as_it_is(void **state)
{
    engine_fixture *f = *state;

    two_racks(f);
    assert_ok(add_gang_so(f, 1, 12, in_a_rack(0)));
    engine_begin(f, NULL);
    assert_ok(engine_say(f, (sked_event){.kind = SKED_EVENT_ASK_RULE, .key = 1},
                         0, 0));
    starts_parts(f, 1, 1, (gang_part[]){{3, 0, 4}, {4, 4, 4}, {5, 8, 4}}, 3);
}

/* Whatever memory is lacking when it is asked for, nothing happened. */
static void lacking_memory_changes_nothing(void **state)
{
    engine_fixture *f = *state;
    sked_status rc = SKED_ERR_NOMEM;

    nodes_of_four(f, NULL, 3);
    uint64_t before = sked_engine_state_digest(f->engine);
    size_t k = 0;
    while (rc != SKED_OK) {
        f->host.requests = 0;
        f->host.fail_at = ++k;
        rc = add_gang_so(f, 1, 6, in_a_rack(0));
        f->host.fail_at = 0;
        assert_true(rc == SKED_OK || rc == SKED_ERR_NOMEM);
        if (rc != SKED_OK)
            assert_true(sked_engine_state_digest(f->engine) == before);
        assert_ok(sked_engine_check(f->engine, NULL));
    }
    assert_true(k > 3);
}

static sked_status add_soft(engine_fixture *f, uint64_t key, int64_t count,
                            sked_event_gang gang)
{
    return add_gang_of(f, key, 1, count, gang, SKED_ASK_PREFER_SAME);
}

/* It has a rack where one is enough, though nodes before it are free; else any
 * nodes; and it grows where it fits. */
static void it_may_do_without_a_rack(void **state)
{
    engine_fixture *f = *state;

    two_racks(f);
    assert_ok(add_soft(f, 1, 10, in_a_rack(0))); /* in rack 2 */
    starts_parts(f, 1, 1, (gang_part[]){{3, 0, 4}, {4, 4, 4}, {5, 8, 2}}, 3);
    assert_ok(add_soft(f, 2, 10, in_a_rack(9)));
    starts_parts(f, 1, 2, (gang_part[]){{1, 10, 4}, {2, 14, 4}, {5, 18, 1}}, 3);
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 5));
    assert_int_equal(engine_taken(f), 1); /* the tenth */
    assert_ok(add_soft(f, 3, 2, in_a_rack(0)));
    starts_no_part(f, 1);
    lacks_nodes(f, 2, 0);
}

static void a_preference_is_for_something(void **state)
{
    engine_fixture *f = *state;

    two_racks(f);
    assert_status(SKED_ERR_ARG, add_soft(f, 1, 4, (sked_event_gang){0}));
    assert_status(SKED_ERR_ARG,
                  engine_say(f,
                             (sked_event){.kind = SKED_EVENT_ASK_ADD,
                                          .key = 1,
                                          .owner = 1,
                                          .count = 1,
                                          .flags = SKED_ASK_PREFER_SAME},
                             1, 1));
}

/* While a task runs in rack 9, no other rack takes the rest of an elastic gang;
 * once it has ended, any does, at the next event of its nodes. */
static void a_rack_is_free_to_choose_again(void **state)
{
    engine_fixture *f = *state;

    two_racks(f);
    assert_ok(add_gang_so(
        f, 1, 3, (sked_event_gang){.at_once = 1, .per_node = 1, .same = RACK}));
    starts_parts(f, 1, 1, (gang_part[]){{1, 0, 1}}, 1);
    uint64_t first = f->last[0].group;
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DRAIN, 2));
    for (uint64_t n = 1; n <= 5; n++) starts_no_part(f, n);
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, first, 1));
    assert_int_equal(engine_beat(f, 4), 1);
    assert_i64(f->last[0].count, 1);
    starts_no_part(f, 1); /* of rack 9 */
    assert_int_equal(engine_beat(f, 5), 1);
    assert_i64(f->last[0].count, 1);
}

/* Tasks of a gang for any partition run where what it grows on is another node's
 * matter: when that node comes into the rack of this one, this one takes more,
 * though nothing of its own partition has changed. */
static void nodes_of_another_partition_come_into_the_rack(void **state)
{
    engine_fixture *f = *state;
    static const int64_t racks[] = {9, 2};
    sked_event gang = {.kind = SKED_EVENT_ASK_ADD,
                       .key = 1,
                       .owner = 1,
                       .count = 2,
                       .amount = 1,
                       .partition = SKED_ANY_PARTITION,
                       .flags = SKED_ASK_GANG | SKED_ASK_SPREAD};

    (void)engine_alone(f, NULL, 4, 100, 1);
    engine_add_node(f, 2, 1, 4, 100);
    is_in(f, 1, &racks[0], 1);
    is_in(f, 2, &racks[1], 1);
    (void)engine_taken(f);
    assert_ok(add_gang_event(
        f, gang, (sked_event_gang){.at_once = 1, .per_node = 1, .same = RACK}));
    starts_parts(f, 1, 1, (gang_part[]){{1, 0, 1}}, 1);
    starts_no_part(f, 2);
    is_in(f, 1, &racks[1], 1);
    assert_int_equal(engine_beat(f, 2), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(it_starts_in_the_first_rack_that_is_enough),
        engine_case(nodes_may_be_in_several),
        engine_case(it_grows_and_comes_back_in_its_rack),
        engine_case(what_is_lost_comes_back_where_the_rest_is),
        engine_case(it_waits_for_nodes_that_share_something),
        engine_case(rules_and_commits_leave_it_as_it_is),
        engine_case(lacking_memory_changes_nothing),
        engine_case(it_may_do_without_a_rack),
        engine_case(a_preference_is_for_something),
        engine_case(a_rack_is_free_to_choose_again),
        engine_case(nodes_of_another_partition_come_into_the_rack),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
