/* As many tasks start in a second as a queue says, and not one more. */
#include "engine_scene.h"

#define A_SECOND INT64_C(1000000000) /* a second */

/* Tasks that run once every node was asked at a moment. */
static uint64_t running_at(engine_fixture *f, sked_time now)
{
    f->now = now;
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_ok(sked_engine_check(f->engine, NULL));
    return engine_stats_of(f).running_tasks;
}

/* The rate that a job's ask meets: `found` says how many there are. */
static sked_engine_bound rate_bound(const engine_fixture *f, uint64_t job,
                                    size_t *found)
{
    sked_engine_bound bounds[32], last = {0};
    size_t n = 0;

    *found = 0;
    assert_ok(sked_engine_explain_job(f->engine, job, bounds, 32, &n));
    for (size_t i = 0; i < n; i++) {
        if (bounds[i].reason != SKED_REASON_RATE) continue;
        last = bounds[i];
        ++*found;
    }
    return last;
}

static void seconds_begin_with_the_first_start(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");

    engine_set(f, leaf, SKED_QUEUE_START_RATE, 3);
    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, 100, 100);
    engine_add_job(f, 1, leaf, 0);
    assert_ok(engine_add_ask(f, 1, 1, 2, 1, 1));
    assert_i64((int64_t)running_at(f, 5 * A_SECOND + 7), 2);
    assert_ok(engine_add_ask(f, 2, 1, 50, 1, 1));
    assert_i64((int64_t)running_at(f, 5 * A_SECOND + 8), 3);
    assert_i64((int64_t)running_at(f, 6 * A_SECOND + 6), 3);
    assert_i64((int64_t)running_at(f, 6 * A_SECOND + 7), 6);
    assert_i64((int64_t)running_at(f, 7 * A_SECOND + 6), 6);
    /* Seconds in which nothing started leave nothing behind. */
    assert_i64((int64_t)running_at(f, 90 * A_SECOND), 9);
    assert_i64((int64_t)running_at(f, 91 * A_SECOND - 1), 9);
    assert_i64((int64_t)running_at(f, 91 * A_SECOND), 12);
}

/* Nothing is looked at before the second is over. */
static void waiting_costs_nothing(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");

    engine_set(f, leaf, SKED_QUEUE_START_RATE, 2);
    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, 100, 100);
    engine_add_job(f, 1, leaf, 0);
    assert_ok(engine_add_ask(f, 1, 1, 50, 1, 1));
    (void)running_at(f, A_SECOND);
    (void)running_at(f, A_SECOND + 1);
    sked_engine_stats before = engine_stats_of(f);
    for (int i = 2; i < 100; i++) (void)running_at(f, A_SECOND + i);
    sked_engine_stats after = engine_stats_of(f);
    assert_i64((int64_t)(after.idle - before.idle), 98);
    assert_i64((int64_t)after.asks_visited, (int64_t)before.asks_visited);
    assert_i64((int64_t)running_at(f, 2 * A_SECOND), 4);
}

/* The rate of a parent is for all below it; others are not kept from theirs. */
static void parents_bound_what_is_below(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id up = engine_queue(f, f->root, "up");
    sked_queue_id a = engine_queue(f, up, "a"), b = engine_queue(f, up, "b");
    sked_queue_id free = engine_queue(f, f->root, "free");

    engine_set(f, up, SKED_QUEUE_START_RATE, 3);
    engine_set(f, a, SKED_QUEUE_START_RATE, 1);
    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, 100, 100);
    engine_add_job(f, 1, a, 0);
    engine_add_job(f, 2, b, 0);
    engine_add_job(f, 3, free, 0);
    assert_ok(engine_add_ask(f, 1, 1, 9, 1, 1));
    assert_ok(engine_add_ask(f, 2, 2, 9, 1, 1));
    assert_ok(engine_add_ask(f, 3, 3, 7, 1, 1));
    assert_i64((int64_t)running_at(f, A_SECOND), 1 + 2 + 7);
    assert_i64((int64_t)running_at(f, 2 * A_SECOND), 2 + 4 + 7);
}

/* A gang of 7 by a rate of 3: the second and the next are taken by it. */
static void gangs_start_whole_and_count_on(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    sked_event gang = {.kind = SKED_EVENT_ASK_ADD,
                       .key = 1,
                       .owner = 1,
                       .count = 7,
                       .amount = 1,
                       .flags = SKED_ASK_GANG};
    size_t found;

    engine_set(f, leaf, SKED_QUEUE_START_RATE, 3);
    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, 100, 100);
    engine_add_job(f, 1, leaf, 0);
    assert_ok(engine_say(f, gang, 1, 1));
    assert_ok(engine_add_ask(f, 2, 1, 9, 1, 1));
    assert_i64((int64_t)running_at(f, A_SECOND), 7);
    sked_engine_bound b = rate_bound(f, 1, &found);
    assert_int_equal(found, 1);
    assert_true(b.binds);
    assert_true(b.queue == leaf);
    assert_i64((int64_t)b.ask, 2);
    assert_i64(b.need, 3 * A_SECOND);
    assert_i64(b.bound, 3);
    assert_i64((int64_t)running_at(f, 3 * A_SECOND - 1), 7);
    assert_i64((int64_t)running_at(f, 3 * A_SECOND), 9);
    b = rate_bound(f, 1, &found);
    assert_i64(b.need, 4 * A_SECOND);
    assert_i64((int64_t)running_at(f, 4 * A_SECOND), 12);
    assert_i64((int64_t)running_at(f, 60 * A_SECOND), 15);
    assert_i64((int64_t)running_at(f, 62 * A_SECOND), 16);
}

/* A rate that does not bind is named with the moment that it is. */
static void rates_are_explained(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    size_t found;

    engine_set(f, leaf, SKED_QUEUE_START_RATE, 2);
    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, 1, 1);
    engine_add_job(f, 1, leaf, 0);
    assert_ok(engine_add_ask(f, 1, 1, 9, 1, 1));
    assert_i64((int64_t)running_at(f, A_SECOND), 1);
    sked_engine_bound b = rate_bound(f, 1, &found);
    assert_int_equal(found, 1);
    assert_false(b.binds);
    assert_i64(b.need, A_SECOND);
    assert_int_equal(b.kind, -1);
    assert_string_equal(sked_reason_name(SKED_REASON_RATE),
                        "starts of a queue in this second");
}

/* What was counted goes along with a commit, and with memory for partitions. */
static void counts_go_along(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");

    engine_set(f, leaf, SKED_QUEUE_START_RATE, 2);
    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, 100, 100);
    engine_add_job(f, 1, leaf, 0);
    assert_ok(engine_add_ask(f, 1, 1, 50, 1, 1));
    assert_i64((int64_t)running_at(f, A_SECOND), 2);
    uint64_t digest = sked_engine_state_digest(f->engine);
    engine_begin(f, NULL); /* the same tree again */
    assert_true(sked_engine_state_digest(f->engine) == digest);
    engine_add_node(f, 2, 5, 1, 1);
    assert_i64((int64_t)running_at(f, A_SECOND + 1), 2);
    (void)engine_queue(f, f->root, "beside");
    engine_set(f, leaf, SKED_QUEUE_START_RATE, 3);
    engine_begin(f, NULL);
    assert_i64((int64_t)running_at(f, A_SECOND + 2), 3);
    engine_set(f, leaf, SKED_QUEUE_START_RATE, SKED_UNSET);
    engine_begin(f, NULL);
    assert_i64((int64_t)running_at(f, A_SECOND + 3), 52 - 2);
}

/* Tasks that ran before are none that start. */
static void what_ran_before_does_not_count(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    sked_event ran = {
        .kind = SKED_EVENT_TASK_RUNNING, .key = 1, .owner = 1, .count = 5};

    engine_set(f, leaf, SKED_QUEUE_START_RATE, 2);
    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, 100, 100);
    engine_add_job(f, 1, leaf, 0);
    f->now = A_SECOND;
    assert_ok(engine_add_ask(f, 1, 1, 20, 1, 1));
    assert_ok(engine_say(f, ran, 1, 1));
    assert_i64((int64_t)running_at(f, A_SECOND), 7);
}

/* What rounds reserved nodes for starts at once, and counts. */
static void reserved_work_starts_and_counts(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    engine_set(f, s.b, SKED_QUEUE_START_RATE, 2);
    engine_begin(f, NULL);
    s.rounds.grace_ns = -1;
    scene_preempt(f, &s);
    scene_fill(f, &s, 9);
    (void)scene_hold(f, 10);
    uint64_t kills = scene_count(f, SKED_DECISION_KILL);
    assert_true(kills > 0);
    for (size_t i = 0; i < 64; i++) {
        const sked_decision *d = &f->last[i];
        if (d->kind != SKED_DECISION_KILL) continue;
        assert_ok(engine_say(f,
                             (sked_event){.kind = SKED_EVENT_TASK_KILLED,
                                          .key = d->group,
                                          .count = d->count},
                             0, 0));
    }
    (void)running_at(f, f->now);
    size_t found;
    sked_engine_bound b = rate_bound(f, 2, &found);
    assert_int_equal(found, 1);
    assert_i64(b.need, f->now + 2 * A_SECOND); /* 5 by a rate of 2 */
}

/* At the end of time nothing overflows, and nothing starts any more. */
static void the_end_of_time_is_no_wrong_turn(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    size_t found;

    engine_set(f, leaf, SKED_QUEUE_START_RATE, 1);
    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, 100, 100);
    engine_add_job(f, 1, leaf, 0);
    assert_ok(engine_add_ask(f, 1, 1, 9, 1, 1));
    int64_t n = 0;
    while (f->now < INT64_MAX - SKED_TIME_JUMP_MAX) {
        n++;
        assert_i64((int64_t)running_at(f, f->now + SKED_TIME_JUMP_MAX),
                   n < 9 ? n : 9);
    }
    assert_ok(engine_add_ask(f, 2, 1, 9, 1, 1));
    int64_t then = (int64_t)running_at(f, INT64_MAX - 1);
    assert_i64(rate_bound(f, 1, &found).need, INT64_MAX);
    assert_i64((int64_t)running_at(f, INT64_MAX - 1), then);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(seconds_begin_with_the_first_start),
        engine_case(waiting_costs_nothing),
        engine_case(parents_bound_what_is_below),
        engine_case(gangs_start_whole_and_count_on),
        engine_case(rates_are_explained),
        engine_case(counts_go_along),
        engine_case(what_ran_before_does_not_count),
        engine_case(reserved_work_starts_and_counts),
        engine_case(the_end_of_time_is_no_wrong_turn),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
