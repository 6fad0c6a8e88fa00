/*
 * What asks of one job cost, by the engine's own counter of places of lines
 * that it moved or counted; and long events: how often they ask the host, and
 * that a stop does no harm.
 */
#include "engine_fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "engine/state.h"
#include "size.h"

static uint64_t upto(uint64_t *state, uint64_t n)
{
    return skedi_random_split(state) % n;
}

static void take_all(engine_fixture *f)
{
    while (engine_taken(f) > 0) continue;
}

static void add_asks(engine_fixture *f, uint64_t n, int32_t priorities)
{
    for (uint64_t i = 1; i <= n; i++) {
        sked_event e = {.kind = SKED_EVENT_ASK_ADD,
                        .key = i,
                        .owner = 1,
                        .count = 1,
                        .amount = 1,
                        .priority = (int32_t)(i % (uint64_t)priorities)};
        assert_ok(engine_say(f, e, 1, 1));
    }
    take_all(f);
}

/* Numbers from 1 to n, shuffled. */
static uint64_t *any_order(uint64_t n)
{
    uint64_t *key = calloc((size_t)n, sizeof *key), random = 5;

    assert_non_null(key);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t at = upto(&random, i + 1);
        key[i] = key[at];
        key[at] = i + 1;
    }
    return key;
}

/* Places looked at for each of `n` asks that are added with five priorities in
 * turn, then withdrawn: in any order, or those of one priority first. */
static double places_an_ask(uint64_t n, int shuffled)
{
    void *state;
    (void)engine_setup(&state);
    engine_fixture *f = state;
    uint64_t *key = any_order(n);

    (void)engine_alone(f, NULL, 1, 1, 0);
    add_asks(f, n, 5);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t at = shuffled ? key[i] : 1 + i * 5 % n + i * 5 / n;
        assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, at));
    }
    double steps = (double)f->engine->steps / (double)n;
    assert_i64((int64_t)f->engine->asks.live, 0);
    free(key);
    (void)engine_teardown(&state);
    return steps;
}

/* 10,000 asks or a hundred times as many: a join and a leave move O(log^2)
 * places, which is less than twice as many for each factor of ten (236, and 801 of
 * a million); were it all places, it would be a hundred times as much. */
static void an_ask_costs_no_more_with_many_beside_it(void **state)
{
    uint64_t many = test_size(50000, 1000000);
    (void)state;

    for (int shuffled = 0; shuffled < 2; shuffled++) {
        double few = places_an_ask(10000, shuffled);
        double all = places_an_ask(many, shuffled);
        printf("places an ask: %.0f of 10000, %.0f of %d\n", few, all,
               (int)many);
        assert_true(few > 1 && few < 1000);
        assert_true(all < 4 * few);
    }
}

/* What a job with so many asks that all run costs when it is cancelled, and then
 * each of its tasks ends. */
typedef struct cancel_cost {
    uint64_t steps;  /* places of lines that were moved or counted */
    uint64_t cancel; /* things that the cancel looked at or changed */
    uint64_t most;   /* likewise, the end of a task at most */
} cancel_cost;

static cancel_cost cancel_and_end(uint64_t n)
{
    cancel_cost cost = {0};
    void *state;
    (void)engine_setup(&state);
    engine_fixture *f = state;
    uint64_t *group = calloc((size_t)n, sizeof *group), *key = any_order(n);
    size_t taken = 0, some;

    assert_non_null(group);
    (void)engine_alone(f, NULL, (int64_t)n, (int64_t)n, 0);
    add_asks(f, n, 5);
    assert_ok(sked_engine_pass(f->engine, 0, 0, NULL));
    while ((some = engine_taken(f)) > 0) {
        for (size_t i = 0; i < some; i++) group[taken++] = f->last[i].group;
    }
    assert_int_equal(taken, n);
    uint64_t before = f->engine->steps;
    assert_ok(engine_tell(f, SKED_EVENT_JOB_CANCEL, 1));
    cost.cancel = f->engine->pace;
    take_all(f);
    for (uint64_t i = 0; i < n; i++) {
        assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, group[key[i] - 1], 1));
        if (f->engine->pace > cost.most) cost.most = f->engine->pace;
    }
    cost.steps = f->engine->steps - before;
    assert_i64((int64_t)f->engine->asks.live, 0);
    free(group);
    free(key);
    (void)engine_teardown(&state);
    return cost;
}

/* The cancel looks at each ask and each group a few times, and no end after it
 * looks at all asks of the job: no place of a line is touched. */
static void a_cancel_and_the_ends_after_it_are_linear(void **state)
{
    (void)state;

    for (uint64_t n = 10000; n <= 40000; n *= 4) {
        cancel_cost cost = cancel_and_end(n);
        printf("of %d asks: a cancel looks at %d things, an end at %d\n",
               (int)n, (int)cost.cancel, (int)cost.most);
        assert_true(cost.steps <= n);
        assert_true(cost.cancel >= n && cost.cancel <= 8 * n);
        assert_true(cost.most <= 8);
    }
}

/* Of a waiting line the first go as a rule: they move nothing. */
static void the_front_of_a_line_goes_for_nothing(void **state)
{
    engine_fixture *f = *state;

    (void)engine_alone(f, NULL, 1, 1, 0);
    add_asks(f, 20000, 1);
    uint64_t before = f->engine->steps;
    for (uint64_t i = 1; i <= 20000; i++) {
        assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, i));
    }
    assert_true(f->engine->steps - before < 3 * 20000);
}

/* Tasks that come after each other for ever, and every one an ask of its
 * own. */
static void asks_that_are_over_are_forgotten(void **state)
{
    engine_fixture *f = *state;
    uint64_t held = 0;

    (void)engine_alone(f, NULL, 1, 1, 0);
    take_all(f);
    for (uint64_t i = 1; i <= test_size(20000, 1000000); i++) {
        assert_ok(engine_add_ask(f, 1 + i % 100, 1, 1, 1, 1));
        assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
        assert_int_equal(engine_taken(f), 1);
        assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, f->last[0].group, 1));
        if (i == 100) held = engine_stats_of(f).bytes;
    }
    assert_i64((int64_t)engine_stats_of(f).bytes, (int64_t)held);
    assert_i64((int64_t)f->engine->asks.live, 0);
}

static void asks_to_be_kept_are_known_until_they_are_withdrawn(void **state)
{
    engine_fixture *f = *state;
    sked_event ask = {.kind = SKED_EVENT_ASK_ADD,
                      .key = 1,
                      .owner = 1,
                      .count = 1,
                      .amount = 1,
                      .flags = SKED_ASK_KEEP};

    (void)engine_alone(f, NULL, 9, 9, 0);
    take_all(f);
    assert_ok(engine_say(f, ask, 1, 1));
    for (int64_t more = 1; more < 4; more++) {
        assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
        assert_int_equal(engine_taken(f), 1);
        assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, f->last[0].group,
                             f->last[0].count));
        assert_status(SKED_ERR_EXISTS, engine_say(f, ask, 1, 1));
        assert_ok(engine_end(f, SKED_EVENT_ASK_CHANGE, 1, more));
    }
    assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 1));
    assert_ok(engine_say(f, ask, 1, 1));
}

/* ---- Long events ---- */

enum { LONG = 9000, PACE = 4096 };

typedef struct long_event {
    const char *name;
    void (*make)(engine_fixture *f);
    sked_event event;
    uint64_t least; /* things looked at and changed */
} long_event;

static sked_queue_id other_leaf;

static void make_asks(engine_fixture *f)
{
    other_leaf = engine_queue(f, f->root, "other");
    (void)engine_alone(f, NULL, LONG, LONG, 0);
    add_asks(f, LONG, 1);
}

static void make_tasks(engine_fixture *f)
{
    make_asks(f);
    while (engine_tell(f, SKED_EVENT_HEARTBEAT, 1) != SKED_OK) continue;
    take_all(f);
    assert_i64((int64_t)engine_stats_of(f).running_tasks, LONG);
}

static void make_nodes(engine_fixture *f)
{
    (void)engine_alone(f, NULL, 1, 1, 0);
    for (uint64_t i = 2; i <= LONG; i++) engine_add_node(f, i, 0, 1, 1);
    take_all(f);
}

/* Many asks wait with their job, which is admitted when another is over. */
static void make_waiting(engine_fixture *f)
{
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");

    engine_set(f, leaf, SKED_QUEUE_MAX_RUNNING, 1);
    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, 1, 1);
    engine_add_job(f, 2, leaf, 0);
    engine_add_job(f, 1, leaf, 0);
    add_asks(f, LONG, 1);
}

static void make_proposals(engine_fixture *f)
{
    sked_engine_options o = {.struct_size = sizeof o, .confirm_within_ns = 100};

    (void)engine_alone(f, &o, LONG, LONG, 0);
    add_asks(f, LONG, 1);
    while (engine_tell(f, SKED_EVENT_HEARTBEAT, 1) != SKED_OK) continue;
    take_all(f);
    f->now = 100;
}

static const long_event long_events[] = {
    {"cancel of asks",
     make_asks,
     {.kind = SKED_EVENT_JOB_CANCEL, .key = 1},
     2 * LONG},
    {"cancel of tasks",
     make_tasks,
     {.kind = SKED_EVENT_JOB_CANCEL, .key = 1},
     4 * LONG},
    {"finish", make_asks, {.kind = SKED_EVENT_JOB_FINISH, .key = 1}, 2 * LONG},
    {"move",
     make_tasks,
     {.kind = SKED_EVENT_JOB_UPDATE, .key = 1, .queue = SKED_NO_QUEUE},
     6 * LONG},
    {"priority",
     make_asks,
     {.kind = SKED_EVENT_JOB_UPDATE, .key = 1, .priority = 3},
     2 * LONG},
    {"node down",
     make_tasks,
     {.kind = SKED_EVENT_NODE_DOWN, .key = 1},
     2 * LONG},
    {"an ask that fits nowhere",
     make_nodes,
     {.kind = SKED_EVENT_ASK_ADD,
      .key = 1,
      .owner = 1,
      .count = 1,
      .amount = 1},
     LONG},
    {"admission",
     make_waiting,
     {.kind = SKED_EVENT_JOB_FINISH, .key = 2},
     LONG},
    {"deadlines", make_proposals, {.kind = SKED_EVENT_TICK}, LONG},
};

/* Lives through it with the hook's `stop`th answer a stop (0: none): what the
 * event answered; `*checks` were made, `*after` is the state. */
static sked_status live(const long_event *l, size_t stop, size_t *checks,
                        uint64_t *after)
{
    void *state;
    (void)engine_setup(&state);
    engine_fixture *f = state;
    const int64_t amounts[] = {2, 2};
    sked_event event = l->event;
    uint64_t done = 9;

    l->make(f);
    event.time = f->now;
    if (event.queue == SKED_NO_QUEUE && event.kind == SKED_EVENT_JOB_UPDATE &&
        event.priority == 0) {
        event.queue = other_leaf;
    }
    sked_events batch = {.struct_size = sizeof batch,
                         .events = &event,
                         .n = 1,
                         .amounts = amounts,
                         .n_amounts = 1};
    uint64_t before = sked_engine_state_digest(f->engine);
    size_t made = f->host.checks;
    f->host.stop_at = stop ? made + stop : 0;
    f->host.stop_with = SKED_STOPPED;
    sked_status rc = sked_engine_apply(f->engine, &batch, &done, NULL);
    *checks = f->host.checks - made;
    f->host.stop_at = 0;
    assert_ok(sked_engine_check(f->engine, NULL));
    if (rc != SKED_OK && done == 0 && event.kind != SKED_EVENT_TICK) {
        assert_true(sked_engine_state_digest(f->engine) == before);
    }
    if (done == 0) assert_ok(sked_engine_apply(f->engine, &batch, &done, NULL));
    *after = sked_engine_state_digest(f->engine);
    (void)engine_teardown(&state);
    return rc;
}

static void long_events_ask_the_host_and_survive_a_stop(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof long_events / sizeof *long_events; i++) {
        const long_event *l = &long_events[i];
        size_t checks, stopped;
        uint64_t want, got;
        assert_ok(live(l, 0, &checks, &want));
        printf("%s: asked %d times\n", l->name, (int)checks);
        assert_true(checks >= 1 + l->least / PACE);
        for (size_t stop = 1; stop <= checks; stop++) {
            assert_status(SKED_ERR_CANCELLED, live(l, stop, &stopped, &got));
            assert_int_equal(stopped, stop);
            assert_true(got == want);
        }
    }
}

/* With the last ask of a job gone, nothing of it was passed by: the list knows
 * both neighbours of each. */
static void ends_in_any_order_leave_sound_lists(void **state)
{
    engine_fixture *f = *state;
    uint64_t n = 2000, *key = any_order(n), group[2001] = {0};

    (void)engine_alone(f, NULL, (int64_t)n, (int64_t)n, 0);
    add_asks(f, n, 3);
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    for (size_t got; (got = engine_taken(f)) > 0;) {
        for (size_t i = 0; i < got; i++) {
            group[f->last[i].ask] = f->last[i].group;
        }
    }
    for (uint64_t i = 0; i < n; i++) {
        if (i == n / 2) assert_ok(engine_tell(f, SKED_EVENT_JOB_CANCEL, 1));
        if (i % 100 == 0) assert_ok(sked_engine_check(f->engine, NULL));
        assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, group[key[i]], 1));
    }
    assert_i64((int64_t)engine_stats_of(f).jobs, 0);
    free(key);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_ask_costs_no_more_with_many_beside_it),
        cmocka_unit_test(a_cancel_and_the_ends_after_it_are_linear),
        engine_case(the_front_of_a_line_goes_for_nothing),
        engine_case(asks_that_are_over_are_forgotten),
        engine_case(asks_to_be_kept_are_known_until_they_are_withdrawn),
        cmocka_unit_test(long_events_ask_the_host_and_survive_a_stop),
        engine_case(ends_in_any_order_leave_sound_lists),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
