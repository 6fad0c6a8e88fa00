/* Tasks of a gang over nodes that are adopted: where a round has reserved nodes for
 * it they count for what one node may hold; what is left of a gang that nodes or
 * limits did not hold they may. */
#include "engine_adopt.h"
#include "engine_gangs.h"
#include "engine_scene.h"

enum { A = 1, B = 2, EACH = 2, BEYOND = 50 };

/* All that was told to end ends. */
static void victims_end(engine_fixture *f)
{
    for (size_t i = 0; i < 64; i++) {
        const sked_decision *d = &f->last[i];
        if (d->kind != SKED_DECISION_KILL) continue;
        assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, d->group, d->count));
    }
    (void)engine_taken(f);
}

static int64_t reserved_on(const engine_fixture *f, uint64_t node)
{
    int64_t n = 0;

    for (size_t i = 0; i < 64; i++) {
        const sked_decision *d = &f->last[i];
        if (d->kind == SKED_DECISION_RESERVE && d->node == node) n += d->count;
    }
    return n;
}

/* Nodes of 4 cpu full of ask 1, half of which are queue b's; a round makes way
 * there for a gang of four tasks (ask 2), two on a node. The last node of which
 * something is reserved, or nothing. Node 2 is in a zone of its own. */
static uint64_t reserved_for(engine_fixture *f, uint64_t nodes,
                             sked_event_gang gang, uint32_t flags, int is)
{
    scene s = scene_begin(f);

    s.rounds.grace_ns = -1;
    s.preempt.gangs = 1;
    scene_preempt(f, &s);
    for (uint64_t n = 1; n <= nodes; n++) {
        engine_add_node(f, n, 0, 4, 100);
        assert_ok(in_zone(f, n, n == 2 ? 2 : 1));
    }
    engine_add_job(f, A, s.a, 1);
    engine_add_job(f, B, s.b, 2);
    assert_ok(engine_add_ask(f, 1, A, 4 * (int64_t)nodes, 1, 1));
    assert_ok(sked_engine_pass(f->engine, 0, 0, NULL));
    (void)engine_taken(f);
    assert_ok(add_gang_of(f, 2, B, 4, gang, flags));
    (void)scene_hold(f, 3);
    assert_int_equal(scene_count(f, SKED_DECISION_RESERVE), 4);
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 4);
    uint64_t node = nodes;
    while ((reserved_on(f, node) > 0) != is) node--;
    victims_end(f);
    return node;
}

static uint64_t reserved_for_a_gang(engine_fixture *f, uint64_t nodes,
                                    uint32_t flags, int is)
{
    return reserved_for(f, nodes, (sked_event_gang){.per_node = EACH}, flags,
                        is);
}

/* The host runs two tasks of the gang, which hold no cpu, under numbers of its
 * own. What stays reserved, on one node, is for the two others. */
static uint64_t runs_two(engine_fixture *f, uint64_t node)
{
    const int64_t task = BEYOND, amounts[] = {0, 1};
    const sked_event event = {.kind = SKED_EVENT_TASK_RUNNING,
                              .time = f->now,
                              .key = node,
                              .owner = 2,
                              .count = EACH,
                              .amount = 1};

    assert_ok(
        sked_engine_apply(f->engine,
                          &(sked_events){.struct_size = sizeof(sked_events),
                                         .events = &event,
                                         .n = 1,
                                         .amounts = amounts,
                                         .n_amounts = 1,
                                         .tasks = &task},
                          NULL, &f->err));
    assert_int_equal(engine_taken(f), 1);
    assert_int_equal(f->last[0].reason, SKED_REASON_ADOPTED);
    return f->last[0].group;
}

/* How many tasks of the gang a pass starts, each node at most so many. */
static int64_t rest_starts(engine_fixture *f)
{
    int64_t n = 0;

    assert_ok(sked_engine_pass(f->engine, f->now, 0, NULL));
    assert_ok(sked_engine_check(f->engine, NULL));
    (void)engine_taken(f);
    for (size_t i = 0; i < 64; i++) {
        const sked_decision *d = &f->last[i];
        if (d->kind != SKED_DECISION_ALLOCATE || d->ask != 2) continue;
        assert_i64(d->count, EACH);
        n += d->count;
    }
    return n;
}

/* The node has two already: with those for which there is room it would have
 * four. The next round gives it up, and the one after they have ended finds it
 * again. */
static void what_was_adopted_counts(void **state)
{
    engine_fixture *f = *state;

    uint64_t two = runs_two(f, reserved_for_a_gang(f, 2, 0, 1));
    assert_int_equal(rest_starts(f), 0);
    (void)scene_hold(f, 6);
    assert_int_equal(scene_count(f, SKED_DECISION_WITHDRAW), EACH);
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, two, EACH));
    (void)scene_hold(f, 9);
    assert_int_equal(rest_starts(f), EACH);
}

/* On a node that is not reserved they keep none from it. */
static void elsewhere_it_does_not(void **state)
{
    engine_fixture *f = *state;

    (void)runs_two(f, reserved_for_a_gang(f, 3, 0, 0));
    assert_int_equal(rest_starts(f), EACH);
}

/* Nor do they from an exact gang, of which each node has all or nothing. */
static void an_exact_gang_has_whole_nodes(void **state)
{
    engine_fixture *f = *state;

    (void)runs_two(f, reserved_for_a_gang(f, 3, SKED_ASK_EXACT, 0));
    assert_int_equal(rest_starts(f), EACH);
}

/* Where nodes are to share a zone, it has to be the one where a task runs. */
static void it_says_which_zone(void **state)
{
    engine_fixture *f = *state;
    const sked_event_gang gang = {.per_node = EACH, .same = ZONE};

    assert_int_equal(reserved_for(f, 3, gang, 0, 0), 2);
    uint64_t two = runs_two(f, 2);
    assert_int_equal(rest_starts(f), 0);
    (void)scene_hold(f, 6);
    assert_int_equal(scene_count(f, SKED_DECISION_WITHDRAW), EACH);
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, two, EACH));
    (void)scene_hold(f, 9);
    assert_int_equal(rest_starts(f), EACH);
}

/* ---- Gangs that waited to be possible ---- */

static const sked_engine_options waits = {.struct_size = sizeof waits,
                                          .flags = SKED_ENGINE_FLAG_WAIT};

/* Six tasks are too many for the only node of the partition, four are not. */
static void nodes_hold_what_is_left_of_a_gang(void **state)
{
    engine_fixture *f = *state;
    const gang_part rest = {.node = 1, .task = 2, .count = 4};

    nodes_of_four(f, &waits, 1);
    engine_add_node(f, 2, 1, 4, 100); /* in another partition */
    assert_ok(add_gang(f, 1, 6, 0));
    starts_no_part(f, 1);
    assert_ok(running(f, 2, 1, 2));
    is_adopted(f, 0, 2);
    starts_parts(f, 1, 1, &rest, 1);
}

/* The same of a limit of five: the rest is below it, once another has ended. */
static void a_limit_holds_what_is_left_of_a_gang(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    const int64_t limit[] = {5, SKED_UNLIMITED};
    const gang_part rest = {.node = 1, .task = 2, .count = 4};

    assert_ok(sked_tree_set_vec(f->tree, leaf, SKED_QUEUE_LIMIT, limit, NULL));
    engine_begin(f, &waits);
    engine_add_node(f, 1, 0, 10, 100);
    engine_add_node(f, 2, 1, 10, 100);
    engine_add_job(f, 1, leaf, 1);
    (void)engine_taken(f);
    assert_ok(add_gang(f, 1, 6, 0));
    assert_ok(running(f, 2, 1, 2));
    is_adopted(f, 0, 2);
    uint64_t group = f->last[0].group;
    starts_no_part(f, 1);
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, group, 1));
    starts_parts(f, 1, 1, &rest, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(what_was_adopted_counts),
        engine_case(elsewhere_it_does_not),
        engine_case(an_exact_gang_has_whole_nodes),
        engine_case(it_says_which_zone),
        engine_case(nodes_hold_what_is_left_of_a_gang),
        engine_case(a_limit_holds_what_is_left_of_a_gang),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
