/* What ends a pass early, where the next one goes on, and what comes back to it. */
#include "engine_fixture.h"

/* ---- Stopping ---- */

static void full_decisions_stop_and_none_is_lost(void **state)
{
    engine_fixture *f = *state;
    sked_engine_options o = {.struct_size = sizeof o, .max_untaken = 2};
    sked_queue_id leaf = engine_alone(f, &o, 10, 10, 0);
    engine_add_job(f, 2, leaf, 0);
    assert_status(SKED_ERR_FULL, engine_tell(f, SKED_EVENT_TICK, 0));
    assert_status(SKED_ERR_FULL, engine_tell(f, SKED_EVENT_JOB_CANCEL, 1));
    assert_int_equal(engine_taken(f), 2);
    assert_ok(engine_add_ask(f, 1, 1, 2, 1, 1));
    assert_ok(engine_add_ask(f, 2, 2, 2, 1, 1));
    engine_add_job(f, 3, leaf, 0);
    engine_set(f, f->root, SKED_QUEUE_MAX_RUNNING, 3);
    assert_ok(engine_add_ask(f, 3, 3, 1, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_taken(f), 2); /* one admitted, one started */
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_taken(f), 2);
    assert_i64((int64_t)engine_stats_of(f).allocated, 3);
}

/* Jobs that could not be admitted for want of room are, at the next call. */
static void admission_goes_on_when_a_job_has_ended(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    sked_engine_options o = {.struct_size = sizeof o, .max_untaken = 2};

    engine_set(f, leaf, SKED_QUEUE_MAX_RUNNING, 0);
    engine_begin(f, &o);
    for (uint64_t i = 1; i <= 5; i++) engine_add_job(f, i, leaf, 0);
    engine_set(f, leaf, SKED_QUEUE_MAX_RUNNING, 5);
    engine_begin(f, NULL);
    assert_int_equal(engine_taken(f), 2);
    assert_ok(engine_tell(f, SKED_EVENT_TICK, 0));
    assert_int_equal(engine_taken(f), 2);
    assert_ok(sked_engine_pass(f->engine, 0, 0, NULL));
    assert_int_equal(engine_taken(f), 1);
    assert_i64((int64_t)engine_stats_of(f).jobs_waiting, 0);
}

static void a_pass_goes_on_where_it_stopped(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");

    engine_begin(f, NULL);
    for (uint64_t i = 1; i <= 4; i++) engine_add_node(f, i, 0, 1, 1);
    engine_add_job(f, 1, leaf, 0);
    assert_ok(engine_add_ask(f, 1, 1, 100, 1, 1));
    (void)engine_taken(f);
    for (uint64_t i = 1; i <= 3; i++) {
        assert_status(SKED_STOPPED, sked_engine_pass(f->engine, 0, 1, NULL));
        assert_int_equal(engine_taken(f), 1);
        assert_true(f->last[0].node == i);
    }
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 4)); /* where it stopped */
    assert_ok(sked_engine_pass(f->engine, 0, 1, NULL));
    assert_int_equal(engine_taken(f), 0);
}

/* Engines of which one goes on with a later node decide otherwise from now on. */
static void where_a_pass_goes_on_is_part_of_the_state(void **state)
{
    engine_fixture *f = *state;

    (void)engine_alone(f, NULL, 1, 1, 0);
    engine_add_node(f, 2, 0, 1, 1);
    assert_ok(engine_add_ask(f, 1, 1, 100, 1, 1));
    assert_status(SKED_STOPPED, sked_engine_pass(f->engine, 0, 1, NULL));
    uint64_t on_second = sked_engine_state_digest(f->engine);
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DRAIN, 2));
    assert_ok(sked_engine_pass(f->engine, 0, 1, NULL)); /* to the end */
    assert_ok(engine_tell(f, SKED_EVENT_NODE_RESUME, 2));
    assert_true(sked_engine_state_digest(f->engine) != on_second);
}

/* One start for each node event, and a pass goes to every node. */
static void starts_in_a_pass_have_a_bound(void **state)
{
    engine_fixture *f = *state;
    sked_engine_options o = {.struct_size = sizeof o, .max_per_pass = 1};

    (void)engine_alone(f, &o, 9, 9, 0);
    engine_add_node(f, 2, 0, 9, 9);
    assert_ok(engine_add_ask(f, 1, 1, 100, 1, 1));
    (void)engine_taken(f);
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_taken(f), 1);
    assert_ok(sked_engine_pass(f->engine, 0, 0, NULL));
    assert_int_equal(engine_taken(f), 2);
    assert_true(f->last[0].node == 1 && f->last[1].node == 2);
}

/* A long pass asks whether it is to go on; what it decided stands. */
static void a_long_heartbeat_can_be_cancelled(void **state)
{
    engine_fixture *f = *state;
    sked_event beat = {.kind = SKED_EVENT_HEARTBEAT, .key = 1};
    sked_events b = {.struct_size = sizeof b, .events = &beat, .n = 1};
    uint64_t done;

    sked_queue_id other = engine_queue(f, f->root, "other");

    (void)engine_alone(f, NULL, 100000, 100000, 0);
    engine_add_job(f, 2, other, 0);
    assert_ok(engine_add_ask(f, 1, 1, 10000, 1, 1)); /* in turns: no */
    assert_ok(engine_add_ask(f, 2, 2, 10000, 1, 1)); /* two start at once */
    f->host.cancel_at = f->host.checks + 2;
    assert_status(SKED_ERR_CANCELLED,
                  sked_engine_apply(f->engine, &b, &done, NULL));
    assert_i64((int64_t)done, 1);
    assert_true(engine_stats_of(f).allocated == 4095);
    f->host.cancel_at = 0;
    f->host.cancel = 0;
    assert_ok(sked_engine_apply(f->engine, &b, &done, NULL));
    assert_true(engine_stats_of(f).allocated == 20000);
}

/* Why a pass over all nodes failed is told as by any other call. */
static void a_pass_that_fails_says_why(void **state)
{
    engine_fixture *f = *state;

    (void)engine_alone(f, NULL, 10, 10, 0);
    assert_ok(engine_add_ask(f, 1, 1, 2, 1, 1));
    f->host.fail_from = f->host.requests + 1;
    assert_status(SKED_ERR_NOMEM, sked_engine_pass(f->engine, 0, 0, &f->err));
    assert_i64(f->err.code, SKED_ERR_NOMEM);
    f->host.fail_from = 0;
    f->host.stop_at = f->host.checks + 1;
    f->host.stop_with = -1234;
    assert_status(-1234, sked_engine_pass(f->engine, 0, 0, &f->err));
    assert_i64(f->err.code, -1234);
    f->host.stop_at = 0;
    assert_ok(sked_engine_pass(f->engine, 0, 0, NULL));
    assert_i64((int64_t)engine_stats_of(f).allocated, 2);
}

/* Late events come after what was due by the last time, which is a commit's. */
static void a_commit_moves_time_past_deadlines(void **state)
{
    engine_fixture *f = *state;
    sked_engine_options o = {.struct_size = sizeof o, .confirm_within_ns = 10};

    (void)engine_alone(f, &o, 10, 10, 0);
    assert_ok(engine_add_ask(f, 1, 1, 1, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_taken(f), 2);
    uint64_t group = f->last[1].group;
    f->now = 100;
    engine_begin(f, NULL); /* a commit */
    f->now = 5;
    assert_status(SKED_ERR_STALE,
                  engine_tell(f, SKED_EVENT_TASK_CONFIRM, group));
    assert_int_equal(engine_taken(f), 1);
    assert_int_equal(f->last[0].kind, SKED_DECISION_EXPIRE);
}

/* ---- Refusals, gangs, names ---- */

/* Two asks that a node may not have are not proposed in turns for ever. */
static void refusing_one_does_not_bring_the_other_back(void **state)
{
    engine_fixture *f = *state;
    sked_engine_options o = {.struct_size = sizeof o, .confirm_within_ns = 100};

    (void)engine_alone(f, &o, 10, 10, 0);
    assert_ok(engine_add_ask(f, 1, 1, 1, 1, 1));
    assert_ok(engine_add_ask(f, 2, 1, 1, 1, 1));
    (void)engine_taken(f);
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_taken(f), 2);
    uint64_t second = f->last[1].group;
    assert_ok(engine_tell(f, SKED_EVENT_TASK_REFUSE, f->last[0].group));
    assert_ok(engine_tell(f, SKED_EVENT_TASK_REFUSE, second));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_taken(f), 0);

    /* Another node in the same place is another node. */
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 1));
    engine_add_node(f, 1, 0, 10, 10);
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_taken(f), 2);
}

static void a_gang_comes_back_only_as_a_whole(void **state)
{
    engine_fixture *f = *state;
    sked_event gang = {.kind = SKED_EVENT_ASK_ADD,
                       .key = 1,
                       .owner = 1,
                       .count = 4,
                       .amount = 1,
                       .flags = SKED_ASK_GANG};

    (void)engine_alone(f, NULL, 7, 10, 0);
    (void)engine_taken(f);
    assert_ok(engine_say(f, gang, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_taken(f), 1);
    assert_i64(f->last[0].count, 4);
    uint64_t group = f->last[0].group;
    assert_ok(engine_end(f, SKED_EVENT_TASK_LOST, group, 1));
    assert_int_equal(engine_taken(f), 0);
    assert_ok(engine_end(f, SKED_EVENT_TASK_LOST, group, 3));
    assert_int_equal(engine_taken(f), 1);
    assert_int_equal(f->last[0].kind, SKED_DECISION_REQUEUE);
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_taken(f), 1);
    assert_i64(f->last[0].count, 3);
}

static void what_never_fits_is_rejected(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    const int64_t limit[] = {5, 5};

    assert_ok(sked_tree_set_vec(f->tree, leaf, SKED_QUEUE_LIMIT, limit, NULL));
    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, 4, 4);
    engine_add_job(f, 1, leaf, 0);
    (void)engine_taken(f);
    assert_ok(engine_add_ask(f, 1, 1, 1, 6, 1));
    assert_ok(engine_add_ask(f, 2, 1, 1, 5, 1));
    assert_ok(engine_add_ask(f, 1, 1, 1, 4, 1)); /* the key is free again */
    assert_int_equal(engine_taken(f), 2);
    assert_int_equal(f->last[0].reason, SKED_REASON_NEVER_LIMIT);
    assert_true(f->last[0].queue == leaf);
    assert_int_equal(f->last[1].reason, SKED_REASON_NEVER_NODE);
    assert_int_equal(f->last[1].kind, SKED_DECISION_REJECT);
}

/* [CAP-17] A user of weight 3 holds three times what one of weight 1 holds. */
static void users_weigh_what_the_tree_says(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    int64_t held[3] = {0};

    engine_set(f, leaf, SKED_QUEUE_USER_LIMIT, 1);
    assert_ok(sked_tree_set_user_weight(f->tree, leaf, "ann", 3, NULL));
    engine_begin(f, NULL);
    assert_ok(sked_engine_name_user(f->engine, 1, "bob", NULL));
    assert_ok(sked_engine_name_user(f->engine, 1, "ann", NULL));
    engine_add_node(f, 1, 0, 40, 40);
    engine_add_job(f, 1, leaf, 1);
    engine_add_job(f, 2, leaf, 2);
    assert_ok(engine_add_ask(f, 1, 1, 100, 1, 1));
    assert_ok(engine_add_ask(f, 2, 2, 100, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    size_t n = engine_taken(f);
    for (size_t i = 0; i < n; i++) held[f->last[i].ask] += f->last[i].count;
    assert_i64(held[1], 30);
    assert_i64(held[2], 10);

    assert_ok(sked_engine_name_user(f->engine, 1, "", NULL));
    assert_ok(sked_engine_name_user(f->engine, 2, NULL, NULL));
}

/* One node that an ask names more is another state. */
static void places_are_part_of_the_state(void **state)
{
    engine_fixture *f = *state;
    uint64_t digest[2];
    const uint64_t places[] = {1, 2};
    const int64_t amounts[] = {1, 1};
    sked_event ask = {.kind = SKED_EVENT_ASK_ADD,
                      .key = 1,
                      .owner = 1,
                      .count = 1,
                      .amount = 1,
                      .places = 1};

    for (int32_t i = 0; i < 2; i++) {
        const int32_t offsets[] = {0, 1 + i};
        const sked_events batch = {.struct_size = sizeof batch,
                                   .events = &ask,
                                   .n = 1,
                                   .amounts = amounts,
                                   .n_amounts = 1,
                                   .place_offsets = offsets,
                                   .places = places,
                                   .n_places = 1};
        if (i > 0) {
            assert_int_equal(engine_teardown(state), 0);
            assert_int_equal(engine_setup(state), 0);
        }
        (void)engine_alone(f, NULL, 10, 10, 1);
        assert_ok(sked_engine_apply(f->engine, &batch, NULL, NULL));
        digest[i] = sked_engine_state_digest(f->engine);
    }
    assert_true(digest[0] != digest[1]);
}

/* Users at their limit go on when there is more to divide: half of what the
 * leaf is guaranteed each. */
static void users_wake_when_capacity_comes(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");

    engine_set(f, leaf, SKED_QUEUE_USER_LIMIT, 100000);
    engine_set(f, leaf, SKED_QUEUE_GUARANTEE_PPM, SKED_PPM);
    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, 10, 100);
    engine_add_job(f, 1, leaf, 1);
    engine_add_job(f, 2, leaf, 2);
    assert_ok(engine_add_ask(f, 1, 1, 40, 1, 1));
    assert_ok(engine_add_ask(f, 2, 2, 1, 1, 100)); /* waits, and weighs */
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_stats_of(f).running_tasks, 5);
    engine_add_node(f, 2, 0, 30, 100);
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 2));
    assert_int_equal(engine_stats_of(f).running_tasks, 20);
}

/* Of a guarantee of 10 one user holds twice as much, whatever is idle, and
 * another nothing less; without a guarantee there is no such bound. [CAP-17] */
static void one_user_holds_a_part_of_the_guarantee(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    sked_queue_id free = engine_queue(f, f->root, "free");
    sked_engine_bound list[9], *at = list;
    size_t n;

    engine_set(f, leaf, SKED_QUEUE_GUARANTEE_PPM, 100000);
    engine_set(f, leaf, SKED_QUEUE_USER_FACTOR, 2 * SKED_PPM);
    engine_set(f, free, SKED_QUEUE_USER_FACTOR, 1);
    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, 100, 1000);
    engine_add_job(f, 1, leaf, 1);
    engine_add_job(f, 2, leaf, 2);
    engine_add_job(f, 3, free, 1);
    assert_ok(engine_add_ask(f, 1, 1, 40, 3, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_stats_of(f).running_tasks, 7); /* 18, then 21 */
    assert_ok(sked_engine_explain_job(f->engine, 1, list, 9, &n));
    while (at < list + n && !at->binds) at++;
    assert_true(at < list + n);
    assert_int_equal(at->reason, SKED_REASON_USER_LIMIT);
    assert_i64(at->need, 24);
    assert_i64(at->bound, 20);
    assert_ok(engine_add_ask(f, 2, 2, 6, 3, 1));
    assert_ok(engine_add_ask(f, 3, 3, 10, 3, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_stats_of(f).running_tasks, 7 + 6 + 10);
    assert_ok(sked_engine_check(f->engine, &f->err));
}

/* Of a guarantee so large that its user's bound has no number. */
static void a_factor_beyond_amounts_is_no_bound(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");

    engine_set(f, leaf, SKED_QUEUE_GUARANTEE_PPM, SKED_PPM);
    engine_set(f, leaf, SKED_QUEUE_USER_FACTOR, 1000 * SKED_PPM);
    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, SKED_AMOUNT_MAX / 100, 100);
    engine_add_job(f, 1, leaf, 1);
    assert_ok(engine_add_ask(f, 1, 1, 3, SKED_AMOUNT_MAX / 300, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_stats_of(f).running_tasks, 3);
    assert_ok(sked_engine_check(f->engine, &f->err));
}

/* A user takes all that an amount can say of a kind, then a task that takes
 * nothing of it. */
static void take_all_of_a_kind(engine_fixture *f, sked_queue_id leaf)
{
    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, SKED_AMOUNT_MAX, 10);
    engine_add_job(f, 1, leaf, 1);
    assert_ok(engine_add_ask(f, 1, 1, 1, SKED_AMOUNT_MAX, 0));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_stats_of(f).running_tasks, 1);
    assert_ok(engine_add_ask(f, 2, 1, 1, 0, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
}

/* Alone a user may hold one unit more than the leaf uses, though no amount is
 * as much; beside another that waits, half of it. [CAP-17] */
static void a_user_alone_is_never_at_its_limit(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");

    engine_set(f, leaf, SKED_QUEUE_USER_LIMIT, 100000);
    take_all_of_a_kind(f, leaf);
    assert_int_equal(engine_stats_of(f).running_tasks, 2);
    engine_add_job(f, 2, leaf, 2);
    assert_ok(engine_add_ask(f, 3, 2, 1, 1, 0)); /* waits, and weighs */
    assert_ok(engine_add_ask(f, 4, 1, 1, 0, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_stats_of(f).running_tasks, 2);
}

/* Twice a guarantee that is all there can be is more than all. [CAP-17] */
static void a_user_below_its_factor_goes_on(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");

    engine_set(f, leaf, SKED_QUEUE_GUARANTEE_PPM, SKED_PPM);
    engine_set(f, leaf, SKED_QUEUE_USER_FACTOR, 2 * SKED_PPM);
    take_all_of_a_kind(f, leaf);
    assert_int_equal(engine_stats_of(f).running_tasks, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(full_decisions_stop_and_none_is_lost),
        engine_case(admission_goes_on_when_a_job_has_ended),
        engine_case(a_pass_goes_on_where_it_stopped),
        engine_case(where_a_pass_goes_on_is_part_of_the_state),
        engine_case(starts_in_a_pass_have_a_bound),
        engine_case(a_long_heartbeat_can_be_cancelled),
        engine_case(a_pass_that_fails_says_why),
        engine_case(a_commit_moves_time_past_deadlines),
        engine_case(refusing_one_does_not_bring_the_other_back),
        engine_case(a_gang_comes_back_only_as_a_whole),
        engine_case(what_never_fits_is_rejected),
        engine_case(users_weigh_what_the_tree_says),
        engine_case(users_wake_when_capacity_comes),
        engine_case(one_user_holds_a_part_of_the_guarantee),
        engine_case(a_factor_beyond_amounts_is_no_bound),
        engine_case(a_user_alone_is_never_at_its_limit),
        engine_case(a_user_below_its_factor_goes_on),
        engine_case(places_are_part_of_the_state),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
