/* Asks that say how many of their tasks have their data on each place. */
#include "engine_fixture.h"

static const int64_t one[] = {1, 1};

/* An ask of eight tasks: two have their data on node 1, one on node 2. */
typedef struct placed_ask {
    sked_event event;
    sked_events batch;
    int32_t offsets[2];
    uint64_t places[2];
    uint32_t tasks[2];
} placed_ask;

static void make_placed(placed_ask *p)
{
    *p = (placed_ask){.event = {.kind = SKED_EVENT_ASK_ADD,
                                .key = 7,
                                .owner = 1,
                                .count = 8,
                                .amount = 1,
                                .places = 1},
                      .offsets = {0, 2},
                      .places = {1, 2},
                      .tasks = {2, 1}};
    p->batch = (sked_events){.struct_size = sizeof p->batch,
                             .events = &p->event,
                             .n = 1,
                             .amounts = one,
                             .n_amounts = 1,
                             .place_offsets = p->offsets,
                             .places = p->places,
                             .n_places = 1,
                             .place_tasks = p->tasks};
}

/* Three nodes of five tasks each, a job of one queue, waits of 5 us. */
static void begin(engine_fixture *f, placed_ask *p)
{
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    sked_engine_options o = {.struct_size = sizeof o, .node_delay_ns = 5000};

    make_placed(p);
    engine_begin(f, &o);
    for (uint64_t n = 1; n <= 3; n++) engine_add_node(f, n, 0, 5, 5);
    engine_add_job(f, 1, leaf, 1);
    (void)engine_taken(f);
}

/* Tasks that a node's event starts. */
static int64_t starts(engine_fixture *f, uint64_t node)
{
    int64_t tasks = 0;

    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, node));
    size_t n = (size_t)engine_taken(f);
    for (size_t i = 0; i < n; i++) {
        if (f->last[i].kind != SKED_DECISION_ALLOCATE) continue;
        tasks += f->last[i].count;
    }
    assert_ok(sked_engine_check(f->engine, NULL));
    return tasks;
}

static void a_place_takes_the_tasks_with_data_there(void **state)
{
    engine_fixture *f = *state;
    placed_ask p;

    begin(f, &p);
    assert_ok(sked_engine_apply(f->engine, &p.batch, NULL, NULL));
    assert_i64(starts(f, 3), 0);
    assert_i64(starts(f, 1), 2); /* not five, though five fit */
    uint64_t group = f->last[0].group;
    assert_i64(starts(f, 1), 0);
    /* One comes back: its data is there again. */
    sked_event lost = {.kind = SKED_EVENT_TASK_LOST, .key = group, .count = 1};
    assert_ok(engine_say(f, lost, 1, 1));
    assert_i64(starts(f, 3), 0);
    assert_i64(starts(f, 1), 1);
    /* One is done: its data is no task's any more. */
    sked_event done = {
        .kind = SKED_EVENT_TASK_FINISH, .key = group, .count = 1};
    assert_ok(engine_say(f, done, 1, 1));
    assert_i64(starts(f, 1), 0);
    /* With the last place used up the rest go anywhere, at once. */
    assert_i64(starts(f, 2), 5);
    assert_i64(starts(f, 3), 1);
}

/* What runs there already has its data there, as what was started; the same
 * tasks are open again. */
static void what_runs_already_counts_at_its_place(void **state)
{
    engine_fixture *f = *state;
    placed_ask p;

    begin(f, &p);
    assert_ok(sked_engine_apply(f->engine, &p.batch, NULL, NULL));
    sked_event runs = {
        .kind = SKED_EVENT_TASK_RUNNING, .key = 1, .owner = 7, .count = 1};
    assert_ok(engine_say(f, runs, 0, 0));
    (void)engine_taken(f);
    uint64_t group = f->last[0].group;
    assert_i64(starts(f, 1), 1); /* of two */
    assert_i64(starts(f, 1), 0);
    assert_ok(engine_end(f, SKED_EVENT_TASK_LOST, group, 1));
    (void)engine_taken(f);
    assert_i64(starts(f, 1), 1);
    assert_i64(starts(f, 1), 0);
    assert_ok(engine_say(f, runs, 0, 0)); /* past its count */
    (void)engine_taken(f);
    assert_ok(engine_end(f, SKED_EVENT_TASK_LOST, f->last[0].group, 1));
    (void)engine_taken(f);
    assert_i64(starts(f, 1), 0);
    runs.key = 2;
    assert_ok(engine_say(f, runs, 0, 0)); /* the last place is used up */
    (void)engine_taken(f);
    assert_i64(starts(f, 3), 5);
}

static void other_nodes_come_when_the_wait_is_over(void **state)
{
    engine_fixture *f = *state;
    placed_ask p;

    begin(f, &p);
    assert_ok(sked_engine_apply(f->engine, &p.batch, NULL, NULL));
    assert_i64(starts(f, 1), 2);
    f->now += 5000;
    assert_i64(starts(f, 3), 1); /* the wait begins anew with each */
    f->now += 5000;
    assert_i64(starts(f, 1), 1); /* one that has its data elsewhere */
    assert_i64(starts(f, 2), 4); /* the last place; then anywhere */
}

static void a_strict_ask_keeps_to_its_counts(void **state)
{
    engine_fixture *f = *state;
    placed_ask p;

    begin(f, &p);
    p.event.flags = SKED_ASK_STRICT;
    p.tasks[1] = 0;
    assert_ok(sked_engine_apply(f->engine, &p.batch, NULL, NULL));
    f->now += 100000;
    assert_i64(starts(f, 2), 0);
    assert_i64(starts(f, 1), 2);
    assert_i64(starts(f, 1), 0);
    assert_i64(starts(f, 3), 0);
}

static void digests_tell_counts_apart(void **state)
{
    engine_fixture *f = *state;
    placed_ask p;

    begin(f, &p);
    assert_ok(sked_engine_apply(f->engine, &p.batch, NULL, NULL));
    uint64_t with = sked_engine_state_digest(f->engine);
    assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 7));
    p.tasks[1] = 2;
    assert_ok(sked_engine_apply(f->engine, &p.batch, NULL, NULL));
    assert_true(sked_engine_state_digest(f->engine) != with);
}

/* The state with an ask of which no place is counted, by the column or for want
 * of one. */
static uint64_t uncounted(int by_column, uint32_t flags)
{
    void *made;
    placed_ask p;

    assert_int_equal(engine_setup(&made), 0);
    engine_fixture *f = made;
    begin(f, &p);
    p.event.flags = flags;
    p.tasks[0] = p.tasks[1] = INT32_MAX;
    if (!by_column) p.batch.place_tasks = NULL;
    assert_ok(sked_engine_apply(f->engine, &p.batch, NULL, NULL));
    uint64_t digest = sked_engine_state_digest(f->engine);
    engine_teardown(&made);
    return digest;
}

/* A batch may count for some asks and not for others, a gang among them. */
static void any_number_is_as_without_counts(void **state)
{
    (void)state;
    assert_true(uncounted(1, 0) == uncounted(0, 0));
    assert_true(uncounted(1, SKED_ASK_GANG) == uncounted(0, SKED_ASK_GANG));
}

static void bad_counts_are_refused(void **state)
{
    engine_fixture *f = *state;
    placed_ask p;

    begin(f, &p);
    p.event.flags = SKED_ASK_GANG;
    assert_status(SKED_ERR_ARG,
                  sked_engine_apply(f->engine, &p.batch, NULL, NULL));
    p.event.flags = 0;
    p.tasks[1] = (uint32_t)INT32_MAX + 1;
    assert_status(SKED_ERR_RANGE,
                  sked_engine_apply(f->engine, &p.batch, NULL, NULL));
    p.tasks[1] = 0;
    p.batch.reserved = &p;
    assert_status(SKED_ERR_ARG,
                  sked_engine_apply(f->engine, &p.batch, NULL, NULL));
    p.batch.reserved = NULL;
    assert_ok(sked_engine_apply(f->engine, &p.batch, NULL, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(a_place_takes_the_tasks_with_data_there),
        engine_case(what_runs_already_counts_at_its_place),
        engine_case(other_nodes_come_when_the_wait_is_over),
        engine_case(a_strict_ask_keeps_to_its_counts),
        engine_case(digests_tell_counts_apart),
        cmocka_unit_test(any_number_is_as_without_counts),
        engine_case(bad_counts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
