/* What is reserved for gangs over nodes while they form. [PEL-20] */
#include "engine_forming.h"
#include "engine_scene.h"

#include "engine/reservation.h"

/* A gang of all of two nodes, then a hundred small tasks. */
static void gang_and_small(engine_fixture *f)
{
    assert_ok(add_gang(f, 1, 8, 0));
    assert_ok(engine_add_ask(f, 2, 1, 100, 1, 1));
}

static void small_work_keeps_it_out(void **state)
{
    engine_fixture *f = *state;
    uint64_t group[3];

    full_nodes(f, NULL, 2, group);
    gang_and_small(f);
    assert_int_equal(frees(f, 1, group[1], 2), 1);
    assert_i64((int64_t)f->last[0].ask, 2);
    is_reserved(f, 0, 0);
}

static void it_has_what_comes_free(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_options opts = forming(2, 0);
    uint64_t group[3];

    full_nodes(f, &opts, 2, group);
    gang_and_small(f);
    assert_int_equal(frees(f, 1, group[1], 2), 0);
    is_reserved(f, 1, 1);
    assert_int_equal(frees(f, 1, group[1], 2), 0);
    assert_int_equal(frees(f, 2, group[2], 3), 0);
    is_reserved(f, 1, 2);
    assert_int_equal(frees(f, 2, group[2], 1), 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(f->last[i].reason, SKED_REASON_GANG);
        assert_i64((int64_t)f->last[i].ask, 1);
        assert_i64(f->last[i].count, 4);
    }
    is_reserved(f, 1, 0);
}

/* What nodes have in all is enough for an exact gang, but one takes none of it. */
static void nothing_is_reserved_where_it_cannot_form(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_options opts = forming(2, 0);
    const sked_event_gang gang = {.per_node = 3};
    const sked_event less = {
        .kind = SKED_EVENT_NODE_CHANGE, .key = 2, .amount = 1};
    uint64_t group[3];

    full_nodes(f, &opts, 2, group);
    assert_ok(add_gang_of(f, 1, 1, 6, gang, SKED_ASK_EXACT));
    assert_ok(engine_add_ask(f, 2, 1, 100, 1, 1));
    assert_int_equal(frees(f, 1, group[1], 3), 0);
    is_reserved(f, 1, 1);
    assert_ok(engine_say(f, less, 2, 100));
    assert_int_equal(engine_beat(f, 1), 1);
    assert_i64((int64_t)f->last[0].ask, 2);
    is_reserved(f, 1, 0);
}

/* What is reserved for it and for whom, and what that keeps out: not what is too
 * large all the same. */
static void explain_it(engine_fixture *f, uint32_t per_node)
{
    const sked_engine_options opts = forming(2, 0);
    sked_engine_bound bounds[32];
    uint64_t group[3];
    int64_t free[2];
    size_t n, said = 0;

    full_nodes(f, &opts, 2, group);
    assert_ok(add_gang(f, 1, 8, per_node));
    assert_ok(engine_add_ask(f, 2, 1, 100, 1, 1));
    assert_ok(engine_add_ask(f, 3, 1, 1, 4, 1));
    assert_int_equal(frees(f, 1, group[1], 2), 0);
    assert_ok(sked_engine_explain_job(f->engine, 1, bounds, 32, &n));
    for (size_t i = 0; i < n; i++) {
        const sked_engine_bound *b = &bounds[i];
        if (b->reason == SKED_REASON_GANG) assert_i64(b->bound, 2);
        if (b->reason != SKED_REASON_FORMING) continue;
        said++;
        assert_i64(b->need, b->ask == 1 ? 8 : 1);
        assert_i64(b->bound, b->ask == 1 ? 2 : 1);
        assert_true((b->queue == SKED_NO_QUEUE) == (b->ask == 1));
    }
    assert_int_equal(said, 2);
    assert_ok(sked_engine_node_free(f->engine, 1, free));
    assert_i64(free[0], 2);
}

static void it_is_explained(void **state)
{
    explain_it(*state, 0);
}

static void it_is_explained_with_a_bound_of_tasks_a_node(void **state)
{
    explain_it(*state, 4);
}

/* The bound that job 1 is told with a reason; -1: it is told nothing of it. */
static int64_t bound_of(engine_fixture *f, int32_t reason)
{
    sked_engine_bound bounds[32];
    size_t n, at = 0;

    assert_ok(sked_engine_explain_job(f->engine, 1, bounds, 32, &n));
    while (at < n && bounds[at].reason != reason) at++;
    return at < n ? bounds[at].bound : -1;
}

/* Two of an exact gang start on a node, or none, whatever else is free there. */
static void explain_exact(engine_fixture *f, int64_t free)
{
    const sked_engine_options opts = forming(2, 0);
    const sked_event_gang gang = {.per_node = 2};
    uint64_t group[3];

    full_nodes(f, &opts, 2, group);
    assert_ok(add_gang_of(f, 1, 1, 4, gang, SKED_ASK_EXACT));
    assert_int_equal(frees(f, 1, group[1], free), 0);
    is_reserved(f, 1, 1);
    assert_i64(bound_of(f, SKED_REASON_FORMING), 2);
    assert_i64(bound_of(f, SKED_REASON_GANG), 2);
}

static void it_is_explained_of_an_exact_gang(void **state)
{
    explain_exact(*state, 3);
}

static void as_much_more_is_free_as_is_reserved(void **state)
{
    explain_exact(*state, 4);
}

/* What others hold is more than the node has: it takes nothing, whatever was
 * reserved there. */
static void a_node_may_have_too_little(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_options opts = forming(2, 0);
    const int64_t amounts[] = {5, 1};
    uint64_t group[3];

    full_nodes(f, &opts, 2, group);
    assert_ok(add_gang(f, 1, 8, 0));
    assert_int_equal(frees(f, 1, group[1], 3), 0);
    assert_i64(bound_of(f, SKED_REASON_GANG), 3);
    const sked_event event = {
        .kind = SKED_EVENT_TASK_RESIZE, .key = group[1], .amount = 1};
    assert_ok(
        sked_engine_apply(f->engine,
                          &(sked_events){.struct_size = sizeof(sked_events),
                                         .events = &event,
                                         .n = 1,
                                         .amounts = amounts,
                                         .n_amounts = 1},
                          NULL, &f->err));
    assert_i64(bound_of(f, SKED_REASON_GANG), 0);
}

/* Its only node is in another partition now. */
static void what_is_gone_is_not_told(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_options opts = forming(2, 0);
    uint64_t group[3];

    full_nodes(f, &opts, 2, group);
    assert_ok(add_gang(f, 1, 8, 0));
    assert_int_equal(frees(f, 1, group[1], 2), 0);
    assert_true(bound_of(f, SKED_REASON_FORMING) >= 0);
    assert_ok(engine_say(
        f, (sked_event){.kind = SKED_EVENT_NODE_MOVE, .key = 1, .partition = 1},
        0, 0));
    assert_i64(bound_of(f, SKED_REASON_FORMING), -1);
}

static void it_is_digested_and_checked(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_options opts = forming(2, 0);
    uint64_t group[3];

    full_nodes(f, &opts, 2, group);
    gang_and_small(f);
    assert_int_equal(frees(f, 1, group[1], 2), 0);
    uint64_t was = sked_engine_state_digest(f->engine);
    f->engine->forms.part[0].count += 3;
    assert_true(was != sked_engine_state_digest(f->engine));
    assert_status(SKED_ERR_INTERNAL, sked_engine_check(f->engine, NULL));
    f->engine->forms.part[0].count -= 3;
    assert_true(was == sked_engine_state_digest(f->engine));
    assert_ok(sked_engine_check(f->engine, NULL));
    assert_int_equal(frees(f, 2, group[2], 1), 0);
    f->engine->opts.form_nodes = 1; /* there are two */
    assert_status(SKED_ERR_INTERNAL, sked_engine_check(f->engine, NULL));
    f->engine->opts.form_nodes = 2;
    assert_string_equal(sked_reason_name(SKED_REASON_FORMING),
                        "reserved for a gang that forms");
}

static void memory_may_end(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_options opts = forming(2, 0);
    sked_status rc = SKED_ERR_NOMEM;
    size_t failed = 0;

    nodes_of_four(f, &opts, 2);
    assert_ok(add_gang(f, 1, 8, 0));
    for (; rc != SKED_OK; failed++) { /* each request once */
        f->host.fail_at = f->host.requests + (failed ? 2 : 1);
        rc = engine_tell(f, SKED_EVENT_HEARTBEAT, 1);
        f->host.fail_at = 0;
        assert_ok(sked_engine_check(f->engine, NULL));
    }
    assert_true(failed >= 2);
}

/* On one node at most: what comes free on others is taken. */
static void it_is_bounded(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_options opts = forming(1, 0);
    uint64_t group[3];

    full_nodes(f, &opts, 2, group);
    gang_and_small(f);
    assert_int_equal(frees(f, 2, group[2], 2), 0);
    assert_int_equal(frees(f, 1, group[1], 2), 1);
    assert_i64((int64_t)f->last[0].ask, 2);
    is_reserved(f, 1, 1);
}

/* What has a higher priority takes what is reserved. */
static void what_comes_before_takes_it(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_options opts = forming(2, 0);
    uint64_t group[3];

    full_nodes(f, &opts, 2, group);
    gang_and_small(f);
    assert_int_equal(frees(f, 1, group[1], 2), 0);
    assert_ok(engine_say(f,
                         (sked_event){.kind = SKED_EVENT_ASK_ADD,
                                      .key = 3,
                                      .owner = 1,
                                      .count = 1,
                                      .priority = 1,
                                      .amount = 1},
                         1, 1));
    assert_int_equal(engine_beat(f, 1), 1);
    assert_i64((int64_t)f->last[0].ask, 3);
    assert_i64(f->last[0].count, 1);
    is_reserved(f, 1, 1);
}

/* A gang that comes before it takes its place where they meet. */
static void one_gang_at_a_time(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_options opts = forming(2, 0);
    uint64_t group[3];

    full_nodes(f, &opts, 2, group);
    gang_and_small(f);
    assert_int_equal(frees(f, 1, group[1], 2), 0);
    const sked_event event = {.kind = SKED_EVENT_ASK_ADD,
                              .key = 3,
                              .owner = 1,
                              .count = 7,
                              .priority = 1,
                              .amount = 1,
                              .flags = SKED_ASK_GANG | SKED_ASK_SPREAD};
    assert_ok(engine_say(f, event, 1, 1));
    assert_int_equal(engine_beat(f, 1), 0);
    is_reserved(f, 2, 1);
    assert_int_equal(frees(f, 1, group[1], 2), 0);
    assert_int_equal(frees(f, 2, group[2], 3), 2);
    assert_i64((int64_t)f->last[0].ask, 3);
}

static void its_time_is_over(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_options opts = forming(2, 100);
    uint64_t group[3];

    f->now = INT64_MIN + 1;
    full_nodes(f, &opts, 2, group);
    gang_and_small(f);
    assert_int_equal(frees(f, 1, group[1], 2), 0);
    f->now = 1000;
    assert_int_equal(engine_beat(f, 1), 1); /* others have it */
    is_reserved(f, 1, 0);
    f->now = 1099;
    assert_int_equal(frees(f, 2, group[2], 1), 1);
    f->now = 1100;
    assert_int_equal(frees(f, 2, group[2], 1), 0);
    is_reserved(f, 2, 1);
    f->now = 1199;
    assert_int_equal(engine_beat(f, 2), 0);
    f->now = 1200;
    assert_int_equal(engine_beat(f, 2), 1);
}

/* It is withdrawn, or its node drains. */
static void it_is_free_again(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_options opts = forming(2, 0);
    uint64_t group[3];

    full_nodes(f, &opts, 2, group);
    gang_and_small(f);
    assert_int_equal(frees(f, 1, group[1], 2), 0);
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DRAIN, 1));
    is_reserved(f, 1, 0);
    assert_ok(engine_tell(f, SKED_EVENT_NODE_RESUME, 1));
    assert_int_equal(engine_beat(f, 1), 0);
    is_reserved(f, 1, 1);
    assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 1));
    assert_int_equal(engine_beat(f, 1), 1);
    is_reserved(f, 1, 0);
}

/* A round looks at all that is free. */
static void a_round_gives_it_back(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_options opts = forming(2, 0);
    scene s = {.targets = {.struct_size = sizeof s.targets},
               .rounds = {.struct_size = sizeof s.rounds},
               .preempt = {.struct_size = sizeof s.preempt}};
    uint64_t group[3];

    full_nodes(f, &opts, 2, group);
    scene_preempt(f, &s);
    gang_and_small(f);
    assert_int_equal(frees(f, 1, group[1], 2), 0);
    is_reserved(f, 1, 1);
    (void)scene_hold(f, 3);
    is_reserved(f, 1, 0);
    assert_int_equal(engine_beat(f, 1), 0);
    is_reserved(f, 2, 1);
}

/* A round has reserved nodes for all of it: what comes free beside these is for
 * others. */
static void what_a_round_reserved_is_enough(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);
    uint64_t group[3] = {0};

    s.rounds.grace_ns = -1;
    s.preempt.gangs = 1;
    scene_preempt(f, &s);
    f->engine->opts.form_nodes = 2;
    for (uint64_t n = 1; n <= 2; n++) engine_add_node(f, n, 0, 4, 100);
    engine_add_job(f, 1, s.a, 1);
    engine_add_job(f, 2, s.b, 2);
    assert_ok(engine_add_ask(f, 1, 1, 8, 1, 1));
    assert_ok(sked_engine_pass(f->engine, 0, 0, NULL));
    (void)engine_taken(f);
    for (size_t i = 0; i < 64; i++) {
        if (f->last[i].kind == SKED_DECISION_ALLOCATE)
            group[f->last[i].node] = f->last[i].group;
    }
    assert_ok(add_gang_of(f, 2, 2, 4, (sked_event_gang){.per_node = 2}, 0));
    (void)scene_hold(f, 3);
    assert_int_equal(scene_count(f, SKED_DECISION_RESERVE), 4);
    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, group[2], 2));
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, group[2], 1));
    (void)engine_taken(f);
    assert_int_equal(engine_beat(f, 2), 1);
    assert_i64((int64_t)f->last[0].ask, 1);
    is_reserved(f, 0, 0);
    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, group[1], 2));
    (void)engine_taken(f);
    assert_int_equal(engine_beat(f, 1), 2);
    assert_int_equal(f->last[0].reason, SKED_REASON_HELD);
}

/* It may run in any partition, and starts in another one. */
static void it_is_free_everywhere_once_it_starts(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_options opts = forming(2, 0);
    uint64_t group[3];

    full_nodes(f, &opts, 2, group);
    assert_ok(engine_say(f,
                         (sked_event){.kind = SKED_EVENT_ASK_ADD,
                                      .key = 1,
                                      .owner = 1,
                                      .count = 8,
                                      .amount = 1,
                                      .partition = SKED_ANY_PARTITION,
                                      .flags = SKED_ASK_GANG | SKED_ASK_SPREAD},
                         1, 1));
    assert_int_equal(frees(f, 1, group[1], 2), 0);
    is_reserved(f, 1, 1);
    engine_add_node(f, 3, 1, 8, 100);
    assert_int_equal(engine_beat(f, 3), 1);
    is_reserved(f, 1, 0);
}

static void options_are_checked(void **state)
{
    engine_fixture *f = *state;
    sked_engine_options opts = forming(1, -1);
    sked_engine *engine;

    (void)engine_queue(f, f->root, "leaf");
    assert_ok(sked_tree_commit(f->tree, SKED_TREE_COMMIT_STRICT, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_engine_new(f->tree, &opts, NULL, &engine, &f->err));
    opts = forming(1, 0);
    opts.reserved = 1;
    assert_status(SKED_ERR_ARG,
                  sked_engine_new(f->tree, &opts, NULL, &engine, &f->err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(small_work_keeps_it_out),
        engine_case(it_has_what_comes_free),
        engine_case(nothing_is_reserved_where_it_cannot_form),
        engine_case(it_is_explained),
        engine_case(it_is_explained_with_a_bound_of_tasks_a_node),
        engine_case(it_is_explained_of_an_exact_gang),
        engine_case(as_much_more_is_free_as_is_reserved),
        engine_case(a_node_may_have_too_little),
        engine_case(what_is_gone_is_not_told),
        engine_case(it_is_digested_and_checked),
        engine_case(memory_may_end),
        engine_case(it_is_bounded),
        engine_case(what_comes_before_takes_it),
        engine_case(one_gang_at_a_time),
        engine_case(its_time_is_over),
        engine_case(it_is_free_again),
        engine_case(a_round_gives_it_back),
        engine_case(it_is_free_everywhere_once_it_starts),
        engine_case(what_a_round_reserved_is_enough),
        engine_case(options_are_checked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
