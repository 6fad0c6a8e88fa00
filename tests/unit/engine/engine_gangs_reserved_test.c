/* What rounds have reserved for gangs over nodes starts as things are then. */
#include "engine_gang_rounds.h"

/* Nodes 1 and 3 of zone 0 are reserved for six tasks, for which others have ended;
 * node 2 is in zone 1. */
static void reserve_zone(engine_fixture *f, uint32_t flags)
{
    (void)half_each(f, 3, 1);
    for (uint64_t n = 1; n <= 3; n++) say_zone(f, n, n == 2);
    full_of_a(f, 12);
    assert_ok(add_gang_of(f, 2, B, 6, (sked_event_gang){.same = 7}, flags));
    (void)scene_hold(f, 3);
    told t = killed(f);
    assert_int_equal(t.sum, 6);
    for (size_t i = 0; i < t.n; i++) end_one(f, &t, i);
}

/* Two nodes of zone 0 are reserved for a gang whose nodes are to share a zone,
 * and one of them goes to another zone before the gang starts. */
static void its_nodes_still_share_a_value(void **state)
{
    engine_fixture *f = *state;

    reserve_zone(f, 0);
    say_zone(f, 3, 1);
    assert_int_equal(starts_of(f, 2), 0);
    say_zone(f, 3, 0);
    assert_int_equal(starts_of(f, 2), 6);
}

/* One that only prefers a zone starts in any. */
static void it_may_do_without(void **state)
{
    engine_fixture *f = *state;

    reserve_zone(f, SKED_ASK_PREFER_SAME);
    say_zone(f, 3, 2);
    assert_int_equal(starts_of(f, 2), 6);
}

/* The round after gives the nodes up: no zone has enough that is free, and the
 * other queue has no more than its share by now. */
static void a_round_gives_up_what_they_do_not_share(void **state)
{
    engine_fixture *f = *state;

    reserve_zone(f, 0);
    say_zone(f, 3, 1);
    (void)engine_taken(f);
    (void)scene_hold(f, 6);
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 0);
    assert_int_equal(scene_count(f, SKED_DECISION_WITHDRAW), 6);
    assert_int_equal(starts_of(f, 2), 0);
    assert_int_equal(scene_count(f, SKED_DECISION_ALLOCATE), 6); /* of `a` */
}

/* A gang starts as a whole, past a budget of one decision; after that nothing
 * starts. */
static void a_budget_ends_with_it(void **state)
{
    engine_fixture *f = *state;

    (void)half_each(f, 2, 1);
    full_of_a(f, 8);
    assert_ok(gang_so(f, 2, B, 4, (sked_event_gang){.per_node = 2}));
    (void)scene_hold(f, 3);
    told t = killed(f);
    for (size_t i = 0; i < t.n; i++) end_one(f, &t, i);
    assert_ok(engine_say(
        f, (sked_event){.kind = SKED_EVENT_NODE_CHANGE, .key = 1, .amount = 1},
        8, 100));
    for (uint64_t ask = 10; ask < 13; ask++) {
        assert_ok(engine_add_ask(f, ask, A, 1, 1, 1));
    }
    (void)engine_taken(f);
    assert_status(SKED_STOPPED, sked_engine_pass(f->engine, f->now, 1, NULL));
    assert_int_equal(engine_taken(f), 2);
    for (int i = 0; i < 2; i++) assert_i64((int64_t)f->last[i].ask, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(its_nodes_still_share_a_value),
        engine_case(it_may_do_without),
        engine_case(a_round_gives_up_what_they_do_not_share),
        engine_case(a_budget_ends_with_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
