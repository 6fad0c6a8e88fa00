/* Which node each mode takes, what bounds it, and what is bad input. */
#include "engine_scene.h"

#include <sched/engine_place.h>

#include "engine/nodes.h"

enum { FIRST = 1, PACK, SPREAD, FRAGMENT, SCORE };

static sked_status place(engine_fixture *f, uint32_t mode, uint64_t budget)
{
    sked_engine_place_options o = {.struct_size = sizeof o, .mode = mode};

    sked_status rc = sked_engine_place(f->engine, f->now, budget, &o, &f->err);
    assert_ok(sked_engine_check(f->engine, NULL));
    return rc;
}

/* The node on which the i-th decision starts something. */
static uint64_t node_of(const engine_fixture *f, size_t i)
{
    assert_int_equal(f->last[i].kind, SKED_DECISION_ALLOCATE);
    return f->last[i].node;
}

static void add_ask(engine_fixture *f, uint64_t key, int64_t cpu,
                    int64_t memory, uint32_t flags)
{
    assert_ok(engine_say(f,
                         (sked_event){.kind = SKED_EVENT_ASK_ADD,
                                      .key = key,
                                      .owner = 1,
                                      .count = 1,
                                      .flags = flags,
                                      .amount = 1},
                         cpu, memory));
}

static void finish(engine_fixture *f, uint64_t group)
{
    assert_ok(engine_say(
        f,
        (sked_event){.kind = SKED_EVENT_TASK_FINISH, .key = group, .count = 1},
        0, 0));
}

/* Nodes 1 to 4 with 4, 2, 8 and 2 cpu, one leaf, job 1. */
static void four_nodes(engine_fixture *f, const sked_engine_options *o)
{
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");

    engine_begin(f, o);
    engine_add_node(f, 1, 0, 4, 100);
    engine_add_node(f, 2, 0, 2, 100);
    engine_add_node(f, 3, 0, 8, 100);
    engine_add_node(f, 4, 0, 2, 100);
    engine_add_job(f, 1, leaf, 0);
    (void)engine_taken(f);
}

/* ---- Modes ---- */

static void each_mode_has_its_node(void **state)
{
    engine_fixture *f = *state;
    static const uint64_t first[] = {1, 1, 2, 3}, pack[] = {2, 4, 1, 1};
    static const uint64_t spread[] = {3, 3, 1, 3};

    four_nodes(f, NULL);
    for (uint32_t mode = FIRST; mode <= SPREAD; mode++) {
        const uint64_t *want = mode == FIRST  ? first
                               : mode == PACK ? pack
                                              : spread;
        for (uint64_t i = 0; i < 4; i++) add_ask(f, 10 * mode + i, 2, 1, 0);
        assert_ok(place(f, mode, 0));
        assert_int_equal(engine_taken(f), 4);
        for (size_t i = 0; i < 4; i++) {
            assert_true(node_of(f, i) == want[i]);
            finish(f, f->last[i].group);
        }
    }
}

/* What an ask says goes before what the call says. */
static void an_ask_says_which(void **state)
{
    engine_fixture *f = *state;

    four_nodes(f, NULL);
    add_ask(f, 1, 1, 1, SKED_ASK_PLACE_PACK);
    add_ask(f, 2, 1, 1, SKED_ASK_PLACE_SPREAD);
    add_ask(f, 3, 1, 1, SKED_ASK_PLACE_FIRST);
    add_ask(f, 4, 1, 1, 0);
    assert_ok(place(f, SPREAD, 0));
    assert_int_equal(engine_taken(f), 4);
    assert_true(node_of(f, 0) == 2 && node_of(f, 1) == 3);
    assert_true(node_of(f, 2) == 1 && node_of(f, 3) == 3);
}

/* The kind that matters is the one of which a task takes most: memory here, of
 * which node 2 has least. */
static void the_leading_kind_counts(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");

    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, 2, 100);
    engine_add_node(f, 2, 0, 50, 60);
    engine_add_job(f, 1, leaf, 0);
    (void)engine_taken(f);
    add_ask(f, 1, 1, 50, 0);
    assert_ok(place(f, PACK, 0));
    assert_int_equal(engine_taken(f), 1);
    assert_true(node_of(f, 0) == 2);
}

/* A large ask waits for cores of node 3 alone, so the small one goes elsewhere
 * though node 3 comes first; packing by memory would take it. */
static void large_nodes_stay_for_large_tasks(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");

    engine_begin(f, NULL);
    engine_add_node(f, 3, 0, 8, 10);
    engine_add_node(f, 1, 0, 4, 20);
    engine_add_job(f, 1, leaf, 0);
    engine_add_job(f, 2, leaf, 0);
    (void)engine_taken(f);
    add_ask(f, 1, 1, 5, 0);
    assert_ok(engine_say(f,
                         (sked_event){.kind = SKED_EVENT_ASK_ADD,
                                      .key = 2,
                                      .owner = 2,
                                      .count = 1,
                                      .amount = 1},
                         8, 1));
    assert_ok(place(f, FRAGMENT, 0));
    assert_int_equal(engine_taken(f), 2);
    assert_true(node_of(f, 0) == 1 && node_of(f, 1) == 3);
}

static void scores_are_the_hosts(void **state)
{
    engine_fixture *f = *state;
    uint64_t nodes[] = {2, 3, 4};
    int64_t scores[] = {INT64_MIN, 5, 5};
    sked_engine_place_options o = {.struct_size = sizeof o,
                                   .mode = SCORE,
                                   .nodes = nodes,
                                   .scores = scores,
                                   .n = 3};

    four_nodes(f, NULL);
    for (uint64_t i = 1; i <= 8; i++) add_ask(f, i, 2, 1, 0);
    assert_ok(sked_engine_place(f->engine, 0, 0, &o, NULL));
    assert_int_equal(engine_taken(f), 8);
    static const uint64_t want[] = {3, 3, 3, 3, 4, 1, 1, 2};
    for (size_t i = 0; i < 8; i++) assert_true(node_of(f, i) == want[i]);

    /* They are forgotten. */
    for (size_t i = 0; i < 8; i++) {
        finish(f, f->last[i].group);
    }
    add_ask(f, 9, 2, 1, 0);
    assert_ok(place(f, SCORE, 0));
    assert_int_equal(engine_taken(f), 1);
    assert_true(node_of(f, 0) == 1);
}

/* ---- The same bounds as elsewhere ---- */

static void decisions_and_starts_are_bounded(void **state)
{
    engine_fixture *f = *state;
    sked_engine_options o = {
        .struct_size = sizeof o, .max_per_pass = 1, .max_untaken = 3};

    four_nodes(f, &o);
    for (uint64_t i = 1; i <= 8; i++) add_ask(f, i, 1, 1, 0);
    assert_status(SKED_STOPPED, place(f, FIRST, 2));
    assert_int_equal(engine_taken(f), 2);
    assert_true(node_of(f, 0) == 1 && node_of(f, 1) == 2);
    assert_status(SKED_STOPPED, place(f, FIRST, 0));
    assert_int_equal(engine_taken(f), 3);
    assert_ok(place(f, FIRST, 0));
    assert_int_equal(engine_taken(f), 3);
    assert_true(node_of(f, 0) == 1 && node_of(f, 1) == 3); /* 2 is full */
}

/* A limit of the leaf, and then of more of it: nothing beyond it. */
static void limits_hold(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    const int64_t limit[] = {5, 1000};

    assert_ok(sked_tree_set_vec(f->tree, leaf, SKED_QUEUE_LIMIT, limit, NULL));
    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, 8, 100);
    engine_add_node(f, 2, 0, 8, 100);
    engine_add_job(f, 1, leaf, 0);
    assert_ok(engine_add_ask(f, 1, 1, 10, 2, 1));
    (void)engine_taken(f);
    assert_ok(place(f, SPREAD, 0));
    assert_int_equal(engine_taken(f), 2);
    assert_true(engine_stats_of(f).allocated == 2);
    assert_ok(place(f, SPREAD, 0));
    assert_int_equal(engine_taken(f), 0);
}

/* Places go before the mode: a listed node, then a node of its rack. */
static void listed_nodes_come_first(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    const int32_t offsets[] = {0, 1};
    const uint64_t places[] = {3};
    const int64_t amounts[] = {2, 1};
    sked_event e = {.kind = SKED_EVENT_ASK_ADD,
                    .key = 1,
                    .owner = 1,
                    .count = 6,
                    .amount = 1,
                    .places = 1};
    sked_events b = {.struct_size = sizeof b,
                     .events = &e,
                     .n = 1,
                     .amounts = amounts,
                     .n_amounts = 1,
                     .place_offsets = offsets,
                     .places = places,
                     .n_places = 1};

    engine_begin(f, NULL);
    for (uint64_t key = 1; key <= 4; key++) {
        assert_ok(engine_say(f,
                             (sked_event){.kind = SKED_EVENT_NODE_UP,
                                          .key = key,
                                          .owner = key / 2,
                                          .amount = 1},
                             4, 100));
    }
    engine_add_job(f, 1, leaf, 0);
    assert_ok(sked_engine_apply(f->engine, &b, NULL, NULL));
    (void)engine_taken(f);
    assert_ok(place(f, FIRST, 0));
    assert_int_equal(engine_taken(f), 3);
    assert_true(node_of(f, 0) == 3 && f->last[0].count == 2);
    assert_true(node_of(f, 1) == 2 && node_of(f, 2) == 1);
}

/* A node that drains, comes, goes or changes is seen in the next call. */
static void nodes_that_change_are_seen(void **state)
{
    engine_fixture *f = *state;

    four_nodes(f, NULL);
    add_ask(f, 1, 1, 1, 0);
    assert_ok(place(f, SPREAD, 0));
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DRAIN, 3));
    for (uint64_t key = 5; key < 80; key++) engine_add_node(f, key, 0, 3, 9);
    add_ask(f, 2, 1, 1, 0);
    assert_ok(place(f, SPREAD, 0));
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 1));
    add_ask(f, 3, 1, 1, 0);
    assert_ok(place(f, SPREAD, 0));
    assert_ok(engine_tell(f, SKED_EVENT_NODE_RESUME, 3));
    add_ask(f, 4, 1, 1, 0);
    assert_ok(place(f, SPREAD, 0));
    size_t n = engine_taken(f);
    assert_true(node_of(f, 0) == 3 && node_of(f, 1) == 1);
    assert_int_equal(f->last[2].kind, SKED_DECISION_LOST);
    assert_true(node_of(f, n - 1) == 3);
    assert_true(f->last[n - 2].node == 6 || f->last[n - 2].node == 5);
}

/* ---- Bad input ---- */

static void what_is_wrong_is_said(void **state)
{
    engine_fixture *f = *state;
    uint64_t nodes[] = {2, 1, 2, 9};
    int64_t scores[] = {1, 2, 3, 4};
    sked_engine_place_options o = {.struct_size = sizeof o};

    four_nodes(f, NULL);
    add_ask(f, 1, 1, 1, 0);
    uint64_t before = sked_engine_state_digest(f->engine);
    assert_status(SKED_ERR_ARG, sked_engine_place(NULL, 0, 0, &o, &f->err));
    o.mode = SCORE + 1;
    assert_status(SKED_ERR_ARG,
                  sked_engine_place(f->engine, 0, 0, &o, &f->err));
    o.mode = SCORE;
    o.n = 2;
    assert_status(SKED_ERR_ARG,
                  sked_engine_place(f->engine, 0, 0, &o, &f->err));
    o.nodes = nodes;
    assert_status(SKED_ERR_ARG,
                  sked_engine_place(f->engine, 0, 0, &o, &f->err));
    o.scores = scores;
    o.n = 3;
    assert_status(SKED_ERR_EXISTS,
                  sked_engine_place(f->engine, 0, 0, &o, &f->err));
    assert_i64(f->err.row, 2);
    o.nodes = nodes + 2;
    o.n = 2;
    assert_status(SKED_ERR_NOT_FOUND,
                  sked_engine_place(f->engine, 0, 0, &o, &f->err));
    assert_i64(f->err.row, 1);
    o.struct_size = 4;
    assert_status(SKED_ERR_VERSION,
                  sked_engine_place(f->engine, 0, 0, &o, &f->err));
    assert_status(SKED_ERR_RANGE,
                  sked_engine_place(f->engine, INT64_MAX, 0, NULL, &f->err));
    assert_true(sked_engine_state_digest(f->engine) == before);
    assert_status(SKED_ERR_ARG,
                  engine_say(f,
                             (sked_event){.kind = SKED_EVENT_ASK_ADD,
                                          .key = 2,
                                          .owner = 1,
                                          .count = 1,
                                          .flags = SKED_ASK_PLACE_PACK |
                                                   SKED_ASK_PLACE_SCORE,
                                          .amount = 1},
                             1, 1));
    assert_ok(sked_engine_place(f->engine, 0, 0, NULL, &f->err));
    assert_int_equal(engine_taken(f), 1);
}

/* What stands in no order, or not in its own, is found. */
static void faults_are_found(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");

    engine_begin(f, NULL);
    engine_add_job(f, 1, leaf, 0);
    assert_ok(engine_add_ask(f, 1, 1, 1, 1, 1));
    assert_ok(place(f, PACK, 0)); /* there are no nodes */
    for (uint64_t i = 1; i < 9; i++) {
        engine_add_node(f, i, 0, (int64_t)i + 3, 9);
    }
    add_ask(f, 2, 1, 1, SKED_ASK_PLACE_SPREAD);
    assert_ok(place(f, PACK, 0));
    add_ask(f, 3, 100, 1, SKED_ASK_WAIT | SKED_ASK_PLACE_SPREAD);
    assert_ok(engine_tell(f, SKED_EVENT_TICK, 0));
    engine_rankings *r = &f->engine->ranks;
    assert_int_equal(r->n, 2);
    assert_true(skedi_ranks_find(f->engine, ENGINE_RANK_LEAST, 0) == 0);
    assert_ok(sked_engine_check(f->engine, NULL));

    r->all[0].node[2].value++;
    assert_status(SKED_ERR_INTERNAL, sked_engine_check(f->engine, NULL));
    r->all[0].node[2].value--;
    r->all[0].most[3]++;
    assert_status(SKED_ERR_INTERNAL, sked_engine_check(f->engine, NULL));
    r->all[0].most[3]--;
    uint32_t root = r->all[1].root[0];
    r->all[1].root[0] = SKEDI_NONE;
    assert_status(SKED_ERR_INTERNAL, sked_engine_check(f->engine, NULL));
    r->all[1].root[0] = root;
}

/* Where a node is found for each ask, the claim starts what is reserved for it
 * and no more. */
static void placing_starts_what_is_reserved(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    scene_preempt(f, &s);
    scene_fill(f, &s, 5);
    assert_true(scene_hold(f, 3) > 0);
    uint64_t group = scene_said(f, SKED_DECISION_NOTIFY)->group;
    assert_true(scene_hold(f, 18) > 0);
    engine_add_node(f, 2, 0, 10, 100);
    (void)engine_taken(f);
    assert_ok(sked_engine_place(f->engine, f->now, 0, NULL, &f->err));
    for (size_t i = 0, n = engine_taken(f); i < n; i++) {
        assert_false(f->last[i].kind == SKED_DECISION_ALLOCATE &&
                     f->last[i].ask == 2); /* others end for all of it */
    }
    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, group, 3));
    (void)engine_taken(f);
    assert_ok(sked_engine_place(f->engine, f->now, 0, NULL, &f->err));
    assert_true(engine_taken(f) > 0);
    const sked_decision *got = scene_said(f, SKED_DECISION_ALLOCATE);
    assert_int_equal(got->ask, 2);
    assert_int_equal(got->count, 3);
    assert_int_equal(got->reason, SKED_REASON_HELD);
    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, group, 2));
    assert_ok(sked_engine_place(f->engine, f->now, 0, NULL, &f->err));
    assert_true(engine_taken(f) > 0);
    assert_int_equal(scene_said(f, SKED_DECISION_ALLOCATE)->count, 2);
    assert_ok(sked_engine_check(f->engine, &f->err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(placing_starts_what_is_reserved),
        engine_case(each_mode_has_its_node),
        engine_case(an_ask_says_which),
        engine_case(the_leading_kind_counts),
        engine_case(large_nodes_stay_for_large_tasks),
        engine_case(scores_are_the_hosts),
        engine_case(decisions_and_starts_are_bounded),
        engine_case(limits_hold),
        engine_case(listed_nodes_come_first),
        engine_case(nodes_that_change_are_seen),
        engine_case(what_is_wrong_is_said),
        engine_case(faults_are_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
