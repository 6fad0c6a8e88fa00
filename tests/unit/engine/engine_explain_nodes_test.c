/*
 * What keeps an ask from every node: that nodes drain, are excluded or not large
 * enough, or that a rule takes none; with how many there are, and no line beside
 * it that says something else of nodes.
 */
#include "engine_gangs.h"

enum { MOST = 64 };

/* The lines of a job's explanation that speak of an ask and no queue. */
typedef struct told {
    sked_engine_bound line[MOST];
    size_t n;
} told;

static told why(engine_fixture *f, uint64_t job, uint64_t ask)
{
    sked_engine_bound all[MOST];
    told t = {.n = 0};
    size_t n;

    assert_ok(sked_engine_explain_job(f->engine, job, all, MOST, &n));
    for (size_t i = 0; i < n; i++) {
        if (all[i].ask != ask || all[i].queue != SKED_NO_QUEUE) continue;
        t.line[t.n++] = all[i];
    }
    return t;
}

static void is_line(const sked_engine_bound *b, int32_t reason, int32_t kind,
                    int64_t need, int64_t bound)
{
    assert_string_equal(sked_reason_name(b->reason), sked_reason_name(reason));
    assert_int_equal(b->kind, kind);
    assert_i64(b->need, need);
    assert_i64(b->bound, bound);
    assert_int_equal(b->binds, 1);
}

/* One line says it all, and it binds. */
static void says_only(engine_fixture *f, uint64_t ask, int32_t reason,
                      int32_t kind, int64_t need, int64_t bound)
{
    told t = why(f, 1, ask);

    assert_int_equal(t.n, 1);
    is_line(&t.line[0], reason, kind, need, bound);
}

/* An ask, or (of kind SKED_EVENT_JOB_EXCLUDE) a job, takes none of nodes 1 to n. */
static void take_none_of(engine_fixture *f, int32_t kind, uint64_t key,
                         int32_t n)
{
    const uint64_t nodes[] = {1, 2, 3};
    const int32_t offsets[] = {0, n};
    const sked_event event = {
        .kind = kind, .time = f->now, .key = key, .places = n > 0};
    const sked_events b = {.struct_size = sizeof b,
                           .events = &event,
                           .n = 1,
                           .place_offsets = offsets,
                           .places = nodes,
                           .n_places = n > 0};

    assert_ok(sked_engine_apply(f->engine, &b, NULL, &f->err));
}

/* Nodes of 4, 4 and 2 cpu; ask 1 is one task of 3. */
static void two_large_nodes(engine_fixture *f)
{
    nodes_of_four(f, NULL, 2);
    engine_add_node(f, 3, 0, 2, 100);
    assert_ok(engine_add_ask(f, 1, 1, 1, 3, 1));
}

static void draining_nodes_are_named(void **state)
{
    engine_fixture *f = *state;

    two_large_nodes(f);
    says_only(f, 1, SKED_REASON_BEHIND, -1, 0, 0);
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DRAIN, 1));
    says_only(f, 1, SKED_REASON_BEHIND, -1, 0, 0); /* node 2 does */
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DRAIN, 2));
    says_only(f, 1, SKED_REASON_DRAINING, -1, 1, 2); /* 3 is too small */
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DRAIN, 3));
    says_only(f, 1, SKED_REASON_DRAINING, -1, 1, 2);
    take_none_of(f, SKED_EVENT_ASK_EXCLUDE, 1, 1);
    says_only(f, 1, SKED_REASON_DRAINING, -1, 1, 1);
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 1));
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 2));
    says_only(f, 1, SKED_REASON_NEVER_NODE, 0, 3, 2); /* what drains counts */
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 3));
    says_only(f, 1, SKED_REASON_NEVER_NODE, 0, 3, 0);
}

static void excluded_nodes_are_named(void **state)
{
    engine_fixture *f = *state;

    two_large_nodes(f);
    take_none_of(f, SKED_EVENT_ASK_EXCLUDE, 1, 2);
    says_only(f, 1, SKED_REASON_EXCLUDED, -1, 1, 0);
    take_none_of(f, SKED_EVENT_ASK_EXCLUDE, 1, 1);
    says_only(f, 1, SKED_REASON_BEHIND, -1, 0, 0);
    assert_ok(engine_add_ask(f, 2, 1, 1, 4, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 2)); /* 3 of its 4 go */
    take_none_of(f, SKED_EVENT_ASK_EXCLUDE, 2, 1);
    says_only(f, 2, SKED_REASON_NO_NODE, 0, 4,
              2); /* node 3, though 1 is free */
}

static void a_rule_that_takes_no_node_is_the_only_line(void **state)
{
    engine_fixture *f = *state;
    const sked_rule_term zone = EQUAL_TO(ZONE, 7);

    two_large_nodes(f);
    assert_ok(go_by(f, 1, &zone, 1));
    says_only(f, 1, SKED_REASON_RULE, -1, 1, 0);
    assert_ok(in_zone(f, 1, 7));
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DRAIN, 1));
    told t = why(f, 1, 1); /* the one that it takes drains */
    assert_int_equal(t.n, 2);
    assert_int_equal(t.line[0].reason, SKED_REASON_RULE);
    assert_i64(t.line[0].bound, 0);
    assert_int_equal(t.line[0].binds, 0);
    is_line(&t.line[1], SKED_REASON_DRAINING, -1, 1, 1);
}

static void nodes_that_the_host_refused_are_named(void **state)
{
    engine_fixture *f = *state;
    sked_engine_options o = {.struct_size = sizeof o, .confirm_within_ns = 9};

    (void)engine_alone(f, &o, 4, 100, 1);
    assert_ok(engine_add_ask(f, 1, 1, 1, 3, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_taken(f), 2); /* admitted, allocated */
    sked_event refuse = {.kind = SKED_EVENT_TASK_REFUSE,
                         .key = f->last[1].group,
                         .flags = SKED_REFUSE_NODE};
    assert_ok(engine_say(f, refuse, 0, 0));
    says_only(f, 1, SKED_REASON_REFUSED, -1, 0, 0);
}

/* Of gangs over nodes, each by what is in its way. */
static void gangs_name_what_is_in_their_way(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_options o = {.struct_size = sizeof o,
                                   .flags = SKED_ENGINE_FLAG_WAIT};

    nodes_of_four(f, &o, 2);
    assert_ok(add_gang(f, 1, 3, 1)); /* on two nodes of one each */
    says_only(f, 1, SKED_REASON_GANG, -1, 3, 2);
    assert_ok(add_gang(f, 2, 9, 0)); /* of 8 in all */
    says_only(f, 2, SKED_REASON_NEVER_NODE, -1, 9, 8);
    assert_ok(add_gang_so(f, 3, 3, (sked_event_gang){.same = ZONE}));
    says_only(f, 3, SKED_REASON_RULE, -1, 1, 0); /* no node is in a zone */
    assert_ok(in_zone(f, 1, 5));
    assert_ok(add_gang_so(f, 4, 5, (sked_event_gang){.same = ZONE}));
    says_only(f, 4, SKED_REASON_GANG, -1, 5, 4);
    assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 3));
    assert_ok(add_gang(f, 5, 6, 0));
    says_only(f, 5, SKED_REASON_BEHIND, -1, 6, 8);
    take_none_of(f, SKED_EVENT_JOB_EXCLUDE, 1, 2);
    says_only(f, 5, SKED_REASON_EXCLUDED, -1, 6, 0);
    take_none_of(f, SKED_EVENT_JOB_EXCLUDE, 1, 1);
    says_only(f, 5, SKED_REASON_EXCLUDED, -1, 6, 4);
    take_none_of(f, SKED_EVENT_JOB_EXCLUDE, 1, 0);
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DRAIN, 1));
    says_only(f, 5, SKED_REASON_DRAINING, -1, 1, 1);
    sked_event large = {.kind = SKED_EVENT_ASK_ADD,
                        .key = 6,
                        .owner = 1,
                        .count = 2,
                        .amount = 1,
                        .flags = SKED_ASK_GANG | SKED_ASK_SPREAD};
    assert_ok(engine_say(f, large, 5, 1));
    says_only(f, 6, SKED_REASON_NEVER_NODE, 0, 5, 4);
}

/* A task fits the node, but not as many as an exact gang has on each of its
 * nodes: no kind is lacking. */
static void an_exact_gang_lacks_nodes_and_no_kind(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_options o = {.struct_size = sizeof o,
                                   .flags = SKED_ENGINE_FLAG_WAIT};
    const sked_event_gang five = {.per_node = 5};

    nodes_of_four(f, &o, 1);
    assert_ok(add_gang_of(f, 1, 1, 5, five, SKED_ASK_EXACT));
    says_only(f, 1, SKED_REASON_NEVER_NODE, -1, 5, 0);
}

/* What may be claimed is not known before shares are: a round makes them. */
static void claims_are_explained_once_a_round_was_held(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id a = engine_queue(f, f->root, "a");
    sked_queue_id b = engine_queue(f, f->root, "b");
    const int64_t guarantee[] = {4, 0};
    sked_engine_preempt_options p = {.struct_size = sizeof p};
    sked_engine_bound bound[MOST];
    size_t n, said = 0;

    assert_ok(
        sked_tree_set_vec(f->tree, a, SKED_QUEUE_GUARANTEE, guarantee, NULL));
    engine_begin(f, NULL);
    assert_ok(sked_engine_preempt(f->engine, &p, NULL));
    engine_add_node(f, 1, 0, 8, 100);
    engine_add_job(f, 1, b, 0);
    assert_ok(engine_add_ask(f, 1, 1, 8, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    engine_add_job(f, 2, a, 0);
    assert_ok(engine_add_ask(f, 2, 2, 1, 5, 1)); /* more than the guarantee */
    for (int round = 0; round < 2; round++) {
        assert_ok(sked_engine_explain_job(f->engine, 2, bound, MOST, &n));
        for (size_t i = 0; i < n; i++) {
            if (bound[i].reason != SKED_REASON_NO_CLAIM) continue;
            said++;
            assert_i64(bound[i].need, 5);
            assert_i64(bound[i].bound, 4);
            assert_int_equal(round, 1);
        }
        assert_ok(engine_tell(f, SKED_EVENT_ROUND, 0));
    }
    assert_int_equal(said, 1);
}

/* What a queue would hold beside tasks that hold the largest amount is more than
 * any amount, and so more than it may claim. */
static void a_claim_beyond_every_amount_is_explained(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id a = engine_queue(f, f->root, "a");
    const int64_t guarantee[] = {4, 0};
    sked_engine_preempt_options p = {.struct_size = sizeof p};

    assert_ok(
        sked_tree_set_vec(f->tree, a, SKED_QUEUE_GUARANTEE, guarantee, NULL));
    engine_begin(f, NULL);
    assert_ok(sked_engine_preempt(f->engine, &p, NULL));
    engine_add_node(f, 1, 0, SKED_AMOUNT_MAX, 1);
    for (uint64_t i = 1; i <= 2; i++) {
        engine_add_job(f, i, a, 0);
        assert_ok(engine_add_ask(f, i, i, 1, SKED_AMOUNT_MAX, 0));
        assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    }
    sked_engine_bound bound[MOST];
    size_t n, said = 0;
    assert_ok(sked_engine_explain_job(f->engine, 2, bound, MOST, &n));
    for (size_t i = 0; i < n; i++) {
        if (bound[i].reason != SKED_REASON_NO_CLAIM) continue;
        said++;
        assert_int_equal(bound[i].kind, 0);
        assert_i64(bound[i].need, SKED_UNLIMITED);
    }
    assert_int_equal(said, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(draining_nodes_are_named),
        engine_case(excluded_nodes_are_named),
        engine_case(a_rule_that_takes_no_node_is_the_only_line),
        engine_case(nodes_that_the_host_refused_are_named),
        engine_case(gangs_name_what_is_in_their_way),
        engine_case(an_exact_gang_lacks_nodes_and_no_kind),
        engine_case(claims_are_explained_once_a_round_was_held),
        engine_case(a_claim_beyond_every_amount_is_explained),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
