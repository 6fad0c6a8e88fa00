/* Trees of limits beside an engine's own: an account and a class of service. */
#include "engine_limits.h"

#include "engine/state.h"

/* ---- Amounts ---- */

/* The tighter of the limits bounds, over both partitions; what is charged in no
 * tree, or in a parent alone, starts beside it. */
static void limits_of_all_trees_hold(void **state)
{
    limits_trees t = limits_begin(*state);
    int64_t running;

    limits_bound(&t, 0, t.account, 7);
    limits_bound(&t, 1, t.service, 5);
    limits_bound(&t, 1, sked_tree_root(t.tree[1]), 9);
    assert_ok(limits_commit(&t, 1));
    assert_ok(limits_commit(&t, 2));
    assert_ok(limits_submit(&t, 1, t.account, t.service));
    limits_ask(&t, 1, 20, 1, 0);
    assert_i64(limits_pass(&t), 5);
    assert_i64(limits_charged(&t, 1, t.account, &running), 5);
    assert_i64(running, 1);
    assert_ok(limits_submit(&t, 2, t.account, SKED_NO_QUEUE));
    limits_ask(&t, 2, 20, 1, 0);
    assert_i64(limits_pass(&t), 2);
    assert_ok(limits_submit(&t, 3, SKED_NO_QUEUE, sked_tree_root(t.tree[1])));
    limits_ask(&t, 3, 20, 1, 0);
    assert_i64(limits_pass(&t), 4);
    assert_i64(limits_charged(&t, 2, sked_tree_root(t.tree[1]), &running), 9);
    assert_i64(running, 2);
    assert_ok(limits_submit(&t, 4, SKED_NO_QUEUE, SKED_NO_QUEUE));
    limits_ask(&t, 4, 20, 1, 0);
    assert_i64(limits_pass(&t), 9);
    limits_end(&t);
}

/* The order is by the engine's tree alone: what a limit keeps out is passed by,
 * and is first again when it may. */
static void what_is_kept_out_keeps_its_turn(void **state)
{
    limits_trees t = limits_begin(*state);
    engine_fixture *f = t.f;

    limits_bound(&t, 0, t.account, 2);
    assert_ok(limits_commit(&t, 1));
    assert_ok(limits_submit(&t, 1, t.account, SKED_NO_QUEUE));
    limits_ask(&t, 1, 20, 1, 0);
    assert_ok(limits_submit(&t, 2, SKED_NO_QUEUE, SKED_NO_QUEUE));
    limits_ask(&t, 2, 40, 1, 0);
    assert_i64(limits_pass(&t), 20);
    assert_i64(limits_charged(&t, 1, t.account, NULL), 2);
    assert_ok(engine_say(f,
                         (sked_event){.kind = SKED_EVENT_TASK_FINISH,
                                      .key = f->last[0].group,
                                      .count = 2},
                         0, 0));
    assert_i64(limits_charged(&t, 1, t.account, NULL), 0);
    assert_i64(limits_pass(&t), 2);
    assert_i64((int64_t)f->last[0].job, 1);
    limits_end(&t);
}

/* Heartbeats look at no ask that a limit keeps out, however many there are. */
static void what_is_kept_out_costs_nothing(void **state)
{
    limits_trees t = limits_begin(*state);
    engine_fixture *f = t.f;

    limits_bound(&t, 1, t.service, 1);
    assert_ok(limits_commit(&t, 2));
    for (uint64_t job = 1; job <= 200; job++) {
        assert_ok(limits_submit(&t, job, SKED_NO_QUEUE, t.service));
        limits_ask(&t, job, 1, 1, 0);
    }
    assert_i64(limits_pass(&t), 1);
    uint64_t before = engine_stats_of(f).asks_visited;
    for (int i = 0; i < 100; i++) {
        engine_add_job(f, 1000 + (uint64_t)i, t.leaf, 1);
        limits_ask(&t, 1000 + (uint64_t)i, 1, 0, 0);
        assert_i64(limits_pass(&t), 1);
    }
    assert_true(engine_stats_of(f).asks_visited - before < 300);
    limits_end(&t);
}

/* A gang counts as a whole, over nodes too. */
static void gangs_are_charged_as_wholes(void **state)
{
    limits_trees t = limits_begin(*state);

    limits_bound(&t, 0, t.account, 7);
    assert_ok(limits_commit(&t, 1));
    assert_ok(limits_submit(&t, 1, t.account, SKED_NO_QUEUE));
    limits_ask(&t, 1, 4, 2, SKED_ASK_GANG);
    assert_i64(limits_pass(&t), 0);
    assert_int_equal(limits_binds(&t, 1).reason, SKED_REASON_TREE_1_LIMIT);
    assert_i64(limits_binds(&t, 1).need, 8);
    assert_ok(limits_submit(&t, 2, t.account, SKED_NO_QUEUE));
    limits_ask(&t, 2, 8, 1, SKED_ASK_GANG | SKED_ASK_SPREAD);
    assert_i64(limits_pass(&t), 0);
    limits_bound(&t, 0, t.account, 8);
    assert_ok(limits_commit(&t, 1));
    assert_i64(limits_pass(&t), 4);
    assert_i64(limits_pass(&t), 0);
    limits_bound(&t, 0, t.account, 16);
    assert_ok(limits_commit(&t, 1));
    assert_i64(limits_pass(&t), 8);
    limits_end(&t);
}

/* What runs already, or grows, passes the limit; nothing new starts until it is
 * below again. */
static void what_is_told_passes_limits(void **state)
{
    limits_trees t = limits_begin(*state);
    engine_fixture *f = t.f;

    limits_bound(&t, 1, t.service, 3);
    assert_ok(limits_commit(&t, 2));
    assert_ok(limits_submit(&t, 1, SKED_NO_QUEUE, t.service));
    limits_ask(&t, 1, 9, 1, 0);
    (void)engine_taken(f);
    assert_ok(engine_say(
        f,
        (sked_event){
            .kind = SKED_EVENT_TASK_RUNNING, .key = 1, .owner = 1, .count = 2},
        0, 0));
    size_t said = engine_taken(f);
    uint64_t group = f->last[said - 1].group;
    assert_ok(engine_say(
        f,
        (sked_event){.kind = SKED_EVENT_TASK_RESIZE, .key = group, .amount = 1},
        4, 0));
    assert_i64(limits_charged(&t, 2, t.service, NULL), 8);
    assert_i64((int64_t)engine_stats_of(f).queues_over, 1);
    assert_i64(limits_pass(&t), 0);
    assert_ok(engine_say(
        f,
        (sked_event){.kind = SKED_EVENT_TASK_RESIZE, .key = group, .amount = 1},
        1, 0));
    assert_i64(limits_pass(&t), 1);
    assert_i64((int64_t)engine_stats_of(f).queues_over, 0);
    limits_end(&t);
}

/* ---- Running jobs ---- */

/* A queue with as many jobs as may run keeps others waiting, and those behind
 * them not. */
static void jobs_wait_for_their_trees(void **state)
{
    limits_trees t = limits_begin(*state);
    engine_fixture *f = t.f;
    int64_t running;

    assert_ok(sked_tree_set(t.tree[1], sked_tree_root(t.tree[1]),
                            SKED_QUEUE_MAX_RUNNING, 1, NULL));
    assert_ok(sked_tree_commit(t.tree[1], SKED_TREE_COMMIT_STRICT, NULL));
    assert_ok(limits_commit(&t, 2));
    for (uint64_t job = 1; job <= 3; job++) {
        assert_ok(limits_submit(&t, job, t.account, t.service));
    }
    assert_ok(limits_submit(&t, 4, t.account, SKED_NO_QUEUE));
    assert_i64((int64_t)engine_stats_of(f).jobs_waiting, 2);
    assert_i64(limits_charged(&t, 2, t.service, &running), 0);
    assert_i64(running, 1);
    sked_engine_bound bound = limits_binds(&t, 2);
    assert_int_equal(bound.reason, SKED_REASON_TREE_2_RUNNING);
    assert_true(bound.queue == sked_tree_root(t.tree[1]));
    assert_i64(bound.need, 2);
    assert_i64(bound.bound, 1);
    assert_ok(engine_tell(f, SKED_EVENT_JOB_FINISH, 1));
    assert_i64((int64_t)engine_stats_of(f).jobs_waiting, 1);
    assert_ok(sked_tree_set(t.tree[1], sked_tree_root(t.tree[1]),
                            SKED_QUEUE_MAX_RUNNING, SKED_UNLIMITED, NULL));
    assert_ok(sked_tree_commit(t.tree[1], SKED_TREE_COMMIT_STRICT, NULL));
    assert_ok(limits_commit(&t, 2));
    assert_i64((int64_t)engine_stats_of(f).jobs_waiting, 0);
    limits_end(&t);
}

/* ---- What it says ---- */

static void a_bound_names_queue_and_amounts(void **state)
{
    limits_trees t = limits_begin(*state);

    limits_bound(&t, 1, t.service, 4);
    assert_ok(limits_commit(&t, 2));
    assert_ok(limits_submit(&t, 1, t.account, t.service));
    limits_ask(&t, 1, 3, 3, 0);
    assert_i64(limits_pass(&t), 1);
    sked_engine_bound bound = limits_binds(&t, 1);
    assert_int_equal(bound.reason, SKED_REASON_TREE_2_LIMIT);
    assert_true(bound.queue == t.service);
    assert_int_equal(bound.kind, 0);
    assert_i64(bound.need, 6);
    assert_i64(bound.bound, 4);
    assert_string_equal(sked_reason_name(SKED_REASON_TREE_1_LIMIT),
                        "limit of a queue of limit tree 1");
    assert_string_equal(sked_reason_name(SKED_REASON_TREE_2_LIMIT),
                        "limit of a queue of limit tree 2");
    assert_string_equal(sked_reason_name(SKED_REASON_TREE_1_RUNNING),
                        "running jobs of a queue of limit tree 1");
    assert_string_equal(sked_reason_name(SKED_REASON_TREE_2_RUNNING),
                        "running jobs of a queue of limit tree 2");
    limits_end(&t);
}

/* ---- What is refused ---- */

static void a_queue_that_is_not_there_is_refused(void **state)
{
    limits_trees t = limits_begin(*state);
    uint64_t before = sked_engine_state_digest(t.f->engine);
    int64_t usage[2];

    assert_status(SKED_ERR_STALE,
                  limits_submit(&t, 1, t.account + 9, t.service));
    assert_true(t.f->err.queue == t.account + 9);
    assert_i64(t.f->err.got, 1);
    assert_i64(t.f->err.row, 0);
    assert_status(SKED_ERR_STALE,
                  limits_submit(&t, 1, t.account, t.service + 9));
    assert_i64(t.f->err.got, 2);
    assert_true(sked_engine_state_digest(t.f->engine) == before);
    assert_status(
        SKED_ERR_STALE,
        sked_engine_limits_usage(t.f->engine, 1, t.account + 9, usage, NULL));
    assert_status(SKED_ERR_ARG, sked_engine_limits_usage(
                                    t.f->engine, 0, t.account, usage, NULL));
    assert_status(SKED_ERR_ARG, sked_engine_limits_usage(
                                    t.f->engine, 3, t.account, usage, NULL));
    limits_end(&t);
}

/* Without a tree no queue of it can be named. */
static void a_tree_that_is_not_there_is_refused(void **state)
{
    engine_fixture *f = *state;
    limits_trees t = {.f = f};
    int64_t usage[2];

    t.leaf = engine_queue(f, f->root, "leaf");
    engine_begin(f, NULL);
    assert_status(SKED_ERR_STALE, limits_submit(&t, 1, t.leaf, SKED_NO_QUEUE));
    assert_status(SKED_ERR_ARG,
                  sked_engine_limits_usage(f->engine, 1, f->root, usage, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_engine_commit_limits(f->engine, 0, f->tree, 0, &f->err));
    assert_status(SKED_ERR_ARG,
                  sked_engine_commit_limits(f->engine, 3, f->tree, 0, &f->err));
    assert_i64(f->err.limit, SKED_MAX_LIMIT_TREES);
    assert_status(SKED_ERR_ARG,
                  sked_engine_commit_limits(f->engine, 1, NULL, 0, &f->err));
    assert_status(SKED_ERR_ARG,
                  sked_engine_commit_limits(NULL, 1, f->tree, 0, &f->err));
}

/* Every attribute but limits and labels is a fault that names queue and
 * attribute. */
static void other_attributes_are_refused(void **state)
{
    limits_trees t = limits_begin(*state);
    static const struct {
        int32_t attribute;
        int64_t value, rest;
        const char *name;
    } cases[] = {
        {SKED_QUEUE_WEIGHT, 2, 1, "weight"},
        {SKED_QUEUE_ORDER, SKED_ORDER_POLICY_FIFO, 0, "order"},
        {SKED_QUEUE_LIMIT_PPM, 500000, SKED_UNSET, "limit as a part"},
        {SKED_QUEUE_STATE, SKED_STATE_DRAINING, 0, "state"},
        {SKED_QUEUE_PREEMPT_FROM, 0, SKED_UNSET, "preempt_from"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_ok(sked_tree_set(t.tree[0], t.account, cases[i].attribute,
                                cases[i].value, NULL));
        assert_ok(sked_tree_commit(t.tree[0], SKED_TREE_COMMIT_LENIENT, NULL));
        assert_status(SKED_ERR_ARG, limits_commit(&t, 1));
        assert_true(t.f->err.queue == t.account);
        assert_non_null(strstr(t.f->err.message, cases[i].name));
        assert_ok(sked_tree_set(t.tree[0], t.account, cases[i].attribute,
                                cases[i].rest, NULL));
    }
    assert_ok(sked_tree_set_vec(t.tree[0], t.account, SKED_QUEUE_GUARANTEE,
                                (int64_t[]){1, 0}, NULL));
    assert_ok(sked_tree_commit(t.tree[0], SKED_TREE_COMMIT_LENIENT, NULL));
    assert_status(SKED_ERR_ARG, limits_commit(&t, 1));
    assert_non_null(strstr(t.f->err.message, "guarantee"));
    assert_ok(sked_tree_set_vec(t.tree[0], t.account, SKED_QUEUE_GUARANTEE,
                                (int64_t[]){0, 0}, NULL));
    assert_ok(sked_tree_set_user_weight(t.tree[0], t.account, "eve", 2, NULL));
    assert_ok(sked_tree_commit(t.tree[0], SKED_TREE_COMMIT_LENIENT, NULL));
    assert_status(SKED_ERR_ARG, limits_commit(&t, 1));
    assert_non_null(strstr(t.f->err.message, "user_weight"));
    limits_end(&t);
}

/* A queue in which a job is charged stays; others may go. */
static void a_charged_queue_cannot_go(void **state)
{
    limits_trees t = limits_begin(*state);
    uint64_t before;

    assert_ok(limits_submit(&t, 1, t.account, t.service));
    assert_ok(sked_tree_remove(t.tree[1], t.service, NULL,
                               SKED_TREE_REMOVE_REFUSE, NULL));
    assert_ok(sked_tree_commit(t.tree[1], SKED_TREE_COMMIT_STRICT, NULL));
    before = sked_engine_state_digest(t.f->engine);
    assert_status(SKED_ERR_STATE, limits_commit(&t, 2));
    assert_true(t.f->err.queue == t.service);
    assert_non_null(strstr(t.f->err.message, "root.service"));
    assert_true(sked_engine_state_digest(t.f->engine) == before);
    assert_status(SKED_ERR_RANGE,
                  sked_engine_commit_limits(t.f->engine, 1, t.tree[0],
                                            INT64_MAX, &t.f->err));
    assert_ok(engine_tell(t.f, SKED_EVENT_JOB_FINISH, 1));
    assert_ok(limits_commit(&t, 2));
    limits_end(&t);
}

static void other_kinds_are_refused(void **state)
{
    limits_trees t = limits_begin(*state);
    const char *const kinds[] = {"cpu"};
    sked_schema *schema;
    sked_tree *other;

    assert_ok(sked_schema_new(kinds, NULL, 1, NULL, &schema, NULL));
    assert_ok(sked_tree_new(schema, NULL, NULL, &other, NULL));
    assert_ok(sked_tree_commit(other, SKED_TREE_COMMIT_STRICT, NULL));
    assert_status(SKED_ERR_SCHEMA,
                  sked_engine_commit_limits(t.f->engine, 1, other, 0, NULL));
    sked_tree_free(other);
    sked_schema_free(schema);
    limits_end(&t);
}

/* Room is reserved for what jobs are charged in the trees, too. */
static void charges_are_reserved(void **state)
{
    limits_trees t = limits_begin(*state);
    sked_engine_reserve_input in = {
        .struct_size = sizeof in, .jobs = 100, .asks = 100};

    assert_ok(sked_engine_reserve(t.f->engine, &in, NULL));
    assert_in_range(t.f->engine->trees.charges.cap, 100, 1000);
    limits_bound(&t, 0, t.account, 7);
    assert_ok(limits_commit(&t, 1));
    assert_ok(limits_submit(&t, 1, t.account, SKED_NO_QUEUE));
    limits_ask(&t, 1, 20, 1, 0);
    assert_i64(limits_pass(&t), 7);
    limits_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(limits_of_all_trees_hold),
        engine_case(what_is_kept_out_keeps_its_turn),
        engine_case(what_is_kept_out_costs_nothing),
        engine_case(gangs_are_charged_as_wholes),
        engine_case(what_is_told_passes_limits),
        engine_case(jobs_wait_for_their_trees),
        engine_case(a_bound_names_queue_and_amounts),
        engine_case(a_queue_that_is_not_there_is_refused),
        engine_case(a_tree_that_is_not_there_is_refused),
        engine_case(other_attributes_are_refused),
        engine_case(a_charged_queue_cannot_go),
        engine_case(other_kinds_are_refused),
        engine_case(charges_are_reserved),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
