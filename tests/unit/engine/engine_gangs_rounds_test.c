/* Rounds that end gangs over nodes as wholes, and reserve for whole gangs. */
#include "engine_gang_rounds.h"

/* ---- Gangs that end ---- */

static void a_gang_ends_as_a_whole(void **state)
{
    engine_fixture *f = *state;

    (void)half_each(f, 2, 1);
    assert_ok(gang_so(f, 1, A, 6, (sked_event_gang){0}));
    assert_int_equal(starts_of(f, 1), 6);
    assert_ok(engine_add_ask(f, 2, B, 3, 1, 1));
    assert_int_equal(starts_of(f, 2), 2);
    (void)scene_hold(f, 3);
    told t = killed(f); /* for one task */
    assert_int_equal(t.sum, 6);
    assert_int_equal(t.n, 2);
    assert_true(t.node[0] != t.node[1]);
    assert_int_equal(scene_said(f, SKED_DECISION_KILL)->reason,
                     SKED_REASON_PREEMPTED);
    assert_int_equal(scene_count(f, SKED_DECISION_RESERVE), 1);

    size_t first = t.count[0] == 4 ? 0 : 1; /* on a node of its own */
    end_one(f, &t, first);
    assert_int_equal(starts_of(f, 1), 0); /* not before all of it has ended */
    end_one(f, &t, 1 - first);
    assert_int_equal(starts_of(f, 2), 1);
    assert_int_equal(starts_of(f, 1), 0); /* 5 are free */
    for (int64_t i = 6; i < 30; i += 3) assert_int_equal(scene_hold(f, i), 0);
}

static void a_gang_within_its_share_stays(void **state)
{
    engine_fixture *f = *state;

    (void)half_each(f, 2, 1);
    assert_ok(gang_so(f, 1, A, 4, (sked_event_gang){.per_node = 2}));
    assert_int_equal(starts_of(f, 1), 4);
    assert_ok(engine_add_ask(f, 2, A, 4, 1, 1));
    assert_int_equal(starts_of(f, 2), 4);
    assert_ok(engine_add_ask(f, 3, B, 6, 1, 1));
    (void)scene_hold(f, 3);
    told t = killed(f); /* of queue a, what is beyond its half */
    assert_int_equal(t.sum, 4);
    for (size_t i = 0; i < 64; i++) {
        if (f->last[i].kind == SKED_DECISION_KILL) {
            assert_int_equal(f->last[i].ask, 2);
        }
    }
}

/* Without the option they stay; and so does one that grows task by task. */
static void stays_without(engine_fixture *f, uint32_t gangs, uint32_t at_once)
{
    (void)half_each(f, 2, gangs);
    assert_ok(gang_so(f, 1, A, 8, (sked_event_gang){.at_once = at_once}));
    assert_int_equal(starts_of(f, 1), 8);
    assert_ok(engine_add_ask(f, 2, B, 3, 1, 1));
    assert_ok(gang_so(f, 3, B, 3, (sked_event_gang){.at_once = at_once / 2}));
    assert_int_equal(scene_hold(f, 3), 0);
}

static void without_the_option_gangs_stay(void **state)
{
    stays_without(*state, 0, 0);
}

static void an_elastic_gang_stays(void **state)
{
    stays_without(*state, 1, 4);
}

/* A gang that costs more than single tasks stays, and they go. */
static void the_whole_of_a_gang_is_its_cost(void **state)
{
    engine_fixture *f = *state;

    (void)half_each(f, 2, 1);
    assert_ok(engine_add_ask(f, 2, A, 2, 1, 1));
    assert_int_equal(starts_of(f, 2), 2);
    f->now = SECOND; /* younger, but of six tasks */
    assert_ok(gang_so(f, 1, A, 6, (sked_event_gang){.per_node = 4}));
    assert_int_equal(starts_of(f, 1), 6);
    assert_ok(engine_add_ask(f, 3, B, 1, 1, 1));
    (void)scene_hold(f, 3);
    assert_int_equal(killed(f).sum, 1);
    assert_int_equal(scene_said(f, SKED_DECISION_KILL)->ask, 2);
}

/* ---- Gangs that claim ---- */

static void a_gang_gets_all_its_nodes(void **state)
{
    engine_fixture *f = *state;

    (void)half_each(f, 2, 1);
    full_of_a(f, 8);
    assert_ok(gang_so(f, 2, B, 4, (sked_event_gang){.per_node = 2}));
    (void)scene_hold(f, 3);
    told t = killed(f);
    assert_int_equal(t.sum, 4);
    assert_int_equal(t.n, 2);
    assert_true(t.count[0] == 2 && t.count[1] == 2);
    assert_int_equal(scene_count(f, SKED_DECISION_RESERVE), 4);
    end_one(f, &t, 0);
    assert_int_equal(starts_of(f, 2), 0); /* the other half is not there yet */
    (void)scene_hold(f, 6);
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 0);
    end_one(f, &t, 1);
    assert_int_equal(starts_of(f, 2), 4);
    assert_int_equal(scene_said(f, SKED_DECISION_ALLOCATE)->reason,
                     SKED_REASON_HELD);
    for (int64_t i = 9; i < 30; i += 3) assert_int_equal(scene_hold(f, i), 0);
}

/* What is free already counts, and is reserved with the rest. */
static void what_is_free_is_reserved_too(void **state)
{
    engine_fixture *f = *state;

    (void)half_each(f, 2, 1);
    full_of_a(f, 6);
    assert_ok(gang_so(f, 2, B, 4, (sked_event_gang){0}));
    (void)scene_hold(f, 3);
    told t = killed(f);
    assert_int_equal(t.sum, 2);
    assert_int_equal(scene_count(f, SKED_DECISION_RESERVE), 4);
    assert_ok(engine_add_ask(f, 3, A, 2, 1, 1));
    assert_int_equal(starts_of(f, 3), 0); /* it is the gang's */
    for (size_t i = 0; i < t.n; i++) end_one(f, &t, i);
    assert_int_equal(starts_of(f, 2), 4);
}

static void nothing_ends_for_a_part_of_a_gang(void **state)
{
    engine_fixture *f = *state;

    (void)half_each(f, 2, 1);
    full_of_a(f, 8);
    assert_ok(gang_so(f, 2, B, 5, (sked_event_gang){0})); /* its half is 4 */
    assert_ok(gang_so(f, 3, B, 3, (sked_event_gang){.per_node = 1}));
    (void)scene_hold(f, 3); /* and there are two nodes */
    assert_int_equal(killed(f).sum, 0);
    assert_int_equal(scene_count(f, SKED_DECISION_RESERVE), 0);
    assert_ok(engine_add_ask(f, 4, B, 4, 1, 1)); /* they keep no other out */
    (void)scene_hold(f, 6);
    assert_int_equal(killed(f).sum, 4);
}

/* The first tasks of it would have had victims; with the last it finds none. */
static void what_was_planned_for_a_part_is_given_up(void **state)
{
    engine_fixture *f = *state;

    (void)half_each(f, 3, 2);
    full_of_a(f, 12);
    assert_ok(gang_so(f, 2, B, 4, (sked_event_gang){.per_node = 1}));
    assert_ok(engine_add_ask(f, 3, B, 6, 1, 1));
    (void)scene_hold(f, 3);
    assert_int_equal(killed(f).sum, 6);
    for (size_t i = 0; i < 64; i++) {
        if (f->last[i].kind == SKED_DECISION_RESERVE) {
            assert_int_equal(f->last[i].ask, 3);
        }
    }
}

static void one_gang_after_the_other(void **state)
{
    engine_fixture *f = *state;

    (void)half_each(f, 2, 1);
    full_of_a(f, 8);
    assert_ok(gang_so(f, 2, B, 2, (sked_event_gang){.per_node = 1}));
    assert_ok(gang_so(f, 3, B, 2, (sked_event_gang){.per_node = 1}));
    for (uint64_t ask = 2; ask <= 3; ask++) {
        (void)scene_hold(f, 3 * (int64_t)ask);
        told t = killed(f);
        assert_int_equal(t.sum, 2);
        assert_int_equal(scene_count(f, SKED_DECISION_RESERVE), 2);
        assert_int_equal(scene_said(f, SKED_DECISION_RESERVE)->ask, ask);
        for (size_t i = 0; i < t.n; i++) end_one(f, &t, i);
        assert_int_equal(starts_of(f, ask), 2);
    }
}

/* Nodes 1 and 3 share a zone, 2 has one of its own. */
static void its_nodes_share_a_value(void **state)
{
    engine_fixture *f = *state;

    (void)half_each(f, 3, 1);
    for (uint64_t n = 1; n <= 3; n++) say_zone(f, n, n == 2);
    full_of_a(f, 12);
    assert_ok(gang_so(f, 2, B, 6, (sked_event_gang){.same = 7}));
    (void)scene_hold(f, 3);
    told t = killed(f);
    assert_int_equal(t.sum, 6);
    for (size_t i = 0; i < t.n; i++) {
        assert_true(t.node[i] != 2);
        end_one(f, &t, i);
    }
    assert_int_equal(starts_of(f, 2), 6);
    assert_ok(gang_so(f, 3, B, 9, (sked_event_gang){.same = 7}));
    (void)scene_hold(f, 6); /* no zone holds nine */
    assert_int_equal(killed(f).sum, 0);
}

/* Nodes 1 and 2 share a zone, 3 has one of its own and one cpu free. */
static void the_value_with_the_least_cost_serves_a_gang(void **state)
{
    engine_fixture *f = *state;

    (void)half_each(f, 3, 1);
    for (uint64_t n = 1; n <= 3; n++) say_zone(f, n, n == 3);
    full_of_a(f, 11);
    assert_ok(gang_so(f, 2, B, 2, (sked_event_gang){.same = 7}));
    (void)scene_hold(f, 3);
    told t = killed(f);
    assert_int_equal(t.sum, 1);
    assert_int_equal(t.node[0], 3);
    end_one(f, &t, 0);
    assert_int_equal(starts_of(f, 2), 2);
}

/* Where no zone is enough, one that would only like one has any nodes. */
static void its_nodes_need_not_share_what_it_prefers(void **state)
{
    engine_fixture *f = *state;
    const sked_event_gang gang = {.per_node = 2, .same = 7};

    (void)half_each(f, 3, 1);
    for (uint64_t n = 1; n <= 3; n++) say_zone(f, n, (int64_t)n);
    full_of_a(f, 12);
    assert_ok(gang_so(f, 2, B, 6, gang));
    (void)scene_hold(f, 3);
    assert_int_equal(killed(f).sum, 0);
    assert_ok(add_gang_of(f, 3, B, 6, gang, SKED_ASK_PREFER_SAME));
    (void)scene_hold(f, 6);
    assert_int_equal(killed(f).sum, 6);
}

/* A gang makes way for a gang. */
static void one_gang_for_another(void **state)
{
    engine_fixture *f = *state;

    (void)half_each(f, 3, 1);
    assert_ok(gang_so(f, 1, A, 12, (sked_event_gang){0}));
    assert_int_equal(starts_of(f, 1), 12);
    f->now = SECOND;
    assert_ok(gang_so(f, 2, B, 6, (sked_event_gang){.per_node = 2}));
    (void)scene_hold(f, 3);
    told t = killed(f);
    assert_int_equal(t.sum, 12);
    assert_int_equal(scene_count(f, SKED_DECISION_RESERVE), 6);
    for (size_t i = 0; i < t.n; i++) {
        assert_int_equal(starts_of(f, 2), 0);
        end_one(f, &t, i);
    }
    assert_int_equal(starts_of(f, 2), 6);
    for (int64_t i = 6; i < 30; i += 3) assert_int_equal(scene_hold(f, i), 0);
}

/* With notice: let off together when the gang is gone, killed together. */
static void notices_of_a_gang_go_together(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    s.preempt.gangs = 1;
    scene_preempt(f, &s);
    for (uint64_t n = 1; n <= 2; n++) engine_add_node(f, n, 0, NODES_OF, 100);
    engine_add_job(f, A, s.a, 1);
    engine_add_job(f, B, s.b, 2);
    assert_ok(gang_so(f, 1, A, 8, (sked_event_gang){0}));
    assert_int_equal(starts_of(f, 1), 8);
    assert_ok(gang_so(f, 2, B, 3, (sked_event_gang){.per_node = 2}));
    (void)scene_hold(f, 3);
    assert_int_equal(scene_count(f, SKED_DECISION_NOTIFY), 8);
    (void)scene_hold(f, 6); /* its tasks may stand otherwise by now */
    assert_int_equal(scene_count(f, SKED_DECISION_NOTIFY), 0);
    assert_int_equal(scene_hold(f, 7), 0);
    assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 2));
    (void)scene_hold(f, 9);
    assert_int_equal(scene_count(f, SKED_DECISION_WITHDRAW), 8);
    assert_ok(gang_so(f, 3, B, 3, (sked_event_gang){.per_node = 2}));
    (void)scene_hold(f, 12);
    assert_int_equal(scene_count(f, SKED_DECISION_NOTIFY), 8);
    (void)scene_hold(f, 26);
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 0);
    (void)scene_hold(f, 27);
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 8);
}

/* A node of those reserved is lost: no part of the gang starts on the rest. */
static void a_lost_node_gives_the_gang_up(void **state)
{
    engine_fixture *f = *state;

    (void)half_each(f, 2, 1);
    full_of_a(f, 8);
    assert_ok(gang_so(f, 2, B, 4, (sked_event_gang){.per_node = 2}));
    (void)scene_hold(f, 3);
    told t = killed(f);
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, t.node[0]));
    end_one(f, &t, 1);
    assert_int_equal(starts_of(f, 2), 0);
    (void)scene_hold(f, 6);
    assert_int_equal(scene_count(f, SKED_DECISION_RESERVE), 0);
    assert_ok(sked_engine_check(f->engine, NULL));
}

/* An engine holds no lazy rounds. The call names the flag, and preemption stays
 * off. */
static void lazy_rounds_are_an_error(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    s.rounds.flags = SKED_ROUND_FLAG_LAZY;
    s.preempt.targets = &s.targets;
    s.preempt.rounds = &s.rounds;
    assert_status(SKED_ERR_ARG,
                  sked_engine_preempt(f->engine, &s.preempt, &f->err));
    assert_string_equal(f->err.message, "an engine holds no lazy rounds");
    engine_add_node(f, 1, 0, NODES_OF, 100);
    assert_int_equal(scene_hold(f, 3), 0); /* there are no rounds */
}

/* ---- Memory ---- */

/* Whatever piece of memory a round, or the start of the gang, lacks: nothing has
 * changed, and with memory it goes on. */
static int lacks_each_piece(engine_fixture *f, int round)
{
    int failed = 0;

    for (size_t k = 1;; k++) {
        f->host.requests = 0;
        f->host.fail_at = k;
        sked_status rc = round ? engine_tell(f, SKED_EVENT_ROUND, 0)
                               : sked_engine_pass(f->engine, f->now, 0, NULL);
        f->host.fail_at = 0;
        assert_ok(sked_engine_check(f->engine, NULL));
        if (rc == SKED_OK) return failed;
        assert_status(SKED_ERR_NOMEM, rc);
        failed++;
    }
}

static void memory_may_be_lacking_anywhere(void **state)
{
    engine_fixture *f = *state;

    (void)half_each(f, 12, 2);
    assert_ok(gang_so(f, 1, A, 2, (sked_event_gang){.per_node = 1}));
    assert_ok(engine_add_ask(f, 4, A, 46, 1, 1));
    pass(f);
    (void)engine_taken(f);
    f->now = 3 * (int64_t)SECOND;
    assert_ok(gang_so(f, 2, B, 12, (sked_event_gang){.per_node = 1}));
    assert_ok(gang_so(f, 3, B, 2, (sked_event_gang){.per_node = 1}));
    assert_true(lacks_each_piece(f, 1) > 3);
    (void)engine_taken(f);
    told t = killed(f);
    assert_true(t.sum >= 12);
    for (size_t i = 0; i < t.n; i++) end_one(f, &t, i);
    assert_true(lacks_each_piece(f, 0) > 0); /* as many groups as nodes */
    (void)engine_taken(f);
    assert_int_equal(scene_count(f, SKED_DECISION_ALLOCATE), 14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(a_gang_ends_as_a_whole),
        engine_case(a_gang_within_its_share_stays),
        engine_case(without_the_option_gangs_stay),
        engine_case(an_elastic_gang_stays),
        engine_case(the_whole_of_a_gang_is_its_cost),
        engine_case(a_gang_gets_all_its_nodes),
        engine_case(what_is_free_is_reserved_too),
        engine_case(nothing_ends_for_a_part_of_a_gang),
        engine_case(what_was_planned_for_a_part_is_given_up),
        engine_case(one_gang_after_the_other),
        engine_case(its_nodes_share_a_value),
        engine_case(the_value_with_the_least_cost_serves_a_gang),
        engine_case(its_nodes_need_not_share_what_it_prefers),
        engine_case(one_gang_for_another),
        engine_case(notices_of_a_gang_go_together),
        engine_case(a_lost_node_gives_the_gang_up),
        engine_case(lazy_rounds_are_an_error),
        engine_case(memory_may_be_lacking_anywhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
