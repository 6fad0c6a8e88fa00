/*
 * The host's truth beside the engine: what mends what, in which order, and
 * truths that are none.
 */
#include <sched/engine_reconcile.h>

#include "engine_fixture.h"

enum { MOST = 32 };

typedef struct told {
    sked_event rows[MOST];
    sked_events batch;
    int64_t amounts[3][2];
    sked_engine_difference d[MOST];
    size_t n;
} told;

static sked_event *row(told *t, int32_t kind, uint64_t key)
{
    t->batch.events = t->rows;
    t->batch.struct_size = sizeof t->batch;
    t->batch.amounts = t->amounts[0];
    t->batch.n_amounts = 3;
    sked_event *event = &t->rows[t->batch.n++];
    *event = (sked_event){.kind = kind, .key = key, .amount = 1};
    return event;
}

/* Nodes 1 and 2 of 10 cpu, job 1 of user 7, its ask 1 of 5 tasks of one cpu, of
 * which 3 run on node 1. */
static told truth_of(sked_queue_id leaf)
{
    told t = {.amounts = {{10, 10}, {1, 1}, {20, 20}}};

    (void)row(&t, SKED_EVENT_NODE_UP, 1);
    (void)row(&t, SKED_EVENT_NODE_UP, 2);
    sked_event *job = row(&t, SKED_EVENT_JOB_SUBMIT, 1);
    job->owner = 7;
    job->queue = leaf;
    job->flags = SKED_JOB_ADMITTED;
    sked_event *ask = row(&t, SKED_EVENT_ASK_ADD, 1);
    ask->owner = 1;
    ask->count = 5;
    ask->amount = 2;
    sked_event *runs = row(&t, SKED_EVENT_TASK_RUNNING, 1);
    runs->owner = 1;
    runs->count = 3;
    runs->amount = 0; /* they hold what the ask says */
    return t;
}

static sked_status compare(engine_fixture *f, told *t)
{
    t->batch.events = t->rows;
    t->batch.amounts = t->amounts[0];
    return sked_engine_reconcile(f->engine, &t->batch, t->d, MOST, &t->n,
                                 &f->err);
}

/* Mends what differs; then nothing does. */
static void mend(engine_fixture *f, told *t)
{
    sked_events batch;

    assert_ok(compare(f, t));
    batch = t->batch;
    batch.events = &t->d[0].event;
    batch.stride = sizeof t->d[0];
    batch.n = t->n;
    batch.moments = &t->d[0].moment;
    batch.tasks = &t->d[0].task;
    batch.moment_stride = batch.task_stride = sizeof t->d[0];
    batch.gangs = &t->d[0].gang;
    batch.gang_stride = sizeof t->d[0];
    assert_ok(sked_engine_apply(f->engine, &batch, NULL, &f->err));
    size_t n = t->n;
    assert_ok(compare(f, t));
    assert_int_equal(t->n, 0);
    t->n = n;
    (void)engine_taken(f);
}

static told begin(engine_fixture *f)
{
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");

    engine_begin(f, NULL);
    told t = truth_of(leaf);
    mend(f, &t);
    assert_int_equal(t.n, 5);
    return t;
}

/* What is said, in order: the kinds of the events. */
static void says(engine_fixture *f, told *t, const int32_t *kinds, size_t n)
{
    assert_ok(compare(f, t));
    for (size_t i = 0; i < n && i < t->n; i++) {
        assert_int_equal(t->d[i].event.kind, kinds[i]);
    }
    assert_int_equal(t->n, n);
    mend(f, t);
}

#define SAYS(f, t, ...)                                                        \
    do {                                                                       \
        const int32_t kinds_[] = {__VA_ARGS__};                                \
        says(f, t, kinds_, sizeof kinds_ / sizeof *kinds_);                    \
    } while (0)

static void an_empty_engine_is_told_everything(void **state)
{
    engine_fixture *f = *state;
    told t = begin(f);
    int64_t free[2];

    assert_i64((int64_t)t.d[0].row, 0);
    sked_engine_stats s = engine_stats_of(f);
    assert_i64((int64_t)s.running_tasks, 3);
    assert_i64((int64_t)s.open_tasks, 2);
    assert_ok(sked_engine_node_free(f->engine, 1, free));
    assert_i64(free[0], 7);
}

/* Numbers of the host's own, which the ask does not have from its start on. */
static void numbers_of_the_host_are_of_its_count(void **state)
{
    engine_fixture *f = *state;
    told t = truth_of(engine_queue(f, f->root, "leaf"));
    int64_t numbers[MOST];

    for (size_t i = 0; i < MOST; i++) numbers[i] = SKED_UNSET;
    numbers[4] = 20;
    t.batch.tasks = numbers;
    engine_begin(f, NULL);
    mend(f, &t);
    assert_int_equal(t.n, 5);
    assert_i64((int64_t)engine_stats_of(f).running_tasks, 3);
    assert_i64((int64_t)engine_stats_of(f).open_tasks, 2);
}

static void nodes_are_mended(void **state)
{
    engine_fixture *f = *state;
    told t = begin(f);

    t.rows[1].amount = 3;
    SAYS(f, &t, SKED_EVENT_NODE_CHANGE);
    (void)row(&t, SKED_EVENT_NODE_DRAIN, 1);
    SAYS(f, &t, SKED_EVENT_NODE_DRAIN);
    t.batch.n--;
    SAYS(f, &t, SKED_EVENT_NODE_RESUME);
    t.rows[1].partition = 1; /* no node moves: it goes and comes */
    SAYS(f, &t, SKED_EVENT_NODE_DOWN, SKED_EVENT_NODE_UP);
    t.rows[0].owner = 4; /* and what runs there is told again */
    SAYS(f, &t, SKED_EVENT_NODE_DOWN, SKED_EVENT_NODE_UP,
         SKED_EVENT_TASK_RUNNING);
    t.rows[4].key = 2;
    t.rows[0] = t.rows[1];
    t.rows[0].key = 3; /* one goes, another comes */
    SAYS(f, &t, SKED_EVENT_NODE_DOWN, SKED_EVENT_NODE_UP,
         SKED_EVENT_TASK_RUNNING);
}

static void jobs_are_mended(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id other = engine_queue(f, f->root, "other");
    told t = begin(f);

    t.rows[2].queue = other;
    t.rows[2].priority = 3;
    SAYS(f, &t, SKED_EVENT_JOB_UPDATE, SKED_EVENT_JOB_UPDATE);
    t.rows[2].owner = 8; /* another user: all of it anew */
    SAYS(f, &t, SKED_EVENT_ASK_WITHDRAW, SKED_EVENT_TASK_FINISH,
         SKED_EVENT_JOB_FINISH, SKED_EVENT_JOB_SUBMIT, SKED_EVENT_ASK_ADD,
         SKED_EVENT_TASK_RUNNING);
    t.batch.n = 2; /* the nodes alone */
    SAYS(f, &t, SKED_EVENT_ASK_WITHDRAW, SKED_EVENT_TASK_FINISH,
         SKED_EVENT_JOB_FINISH);
    assert_i64((int64_t)engine_stats_of(f).jobs, 0);
}

static void a_job_that_waits_though_it_was_admitted(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    told t = truth_of(leaf);

    engine_set(f, leaf, SKED_QUEUE_MAX_RUNNING, 0);
    engine_begin(f, NULL);
    t.batch.n--; /* nothing runs */
    t.rows[2].flags = 0;
    mend(f, &t);
    assert_i64((int64_t)engine_stats_of(f).jobs_waiting, 1);
    t.rows[2].flags = SKED_JOB_ADMITTED;
    SAYS(f, &t, SKED_EVENT_ASK_WITHDRAW, SKED_EVENT_JOB_FINISH,
         SKED_EVENT_JOB_SUBMIT, SKED_EVENT_ASK_ADD);
    assert_i64((int64_t)engine_stats_of(f).jobs_waiting, 0);
}

static void asks_are_mended(void **state)
{
    engine_fixture *f = *state;
    told t = begin(f);

    t.rows[3].count = 9;
    SAYS(f, &t, SKED_EVENT_ASK_CHANGE);
    assert_i64((int64_t)engine_stats_of(f).open_tasks, 6);
    t.rows[3].flags = SKED_ASK_WAIT; /* is no difference */
    assert_ok(compare(f, &t));
    assert_int_equal(t.n, 0);
    t.rows[4].count = 5; /* two more run */
    SAYS(f, &t, SKED_EVENT_TASK_RUNNING);
    t.rows[4].count = 1;
    SAYS(f, &t, SKED_EVENT_ASK_CHANGE, SKED_EVENT_TASK_FINISH,
         SKED_EVENT_TASK_FINISH);
    t.rows[4].key = 2; /* it runs elsewhere */
    SAYS(f, &t, SKED_EVENT_TASK_RUNNING, SKED_EVENT_ASK_CHANGE,
         SKED_EVENT_TASK_FINISH);
    (void)row(&t, SKED_EVENT_ASK_WITHDRAW, 1);
    SAYS(f, &t, SKED_EVENT_ASK_WITHDRAW);
    t.rows[4].count = 2; /* nothing can be added to what was withdrawn */
    SAYS(f, &t, SKED_EVENT_TASK_FINISH, SKED_EVENT_ASK_ADD,
         SKED_EVENT_TASK_RUNNING, SKED_EVENT_ASK_WITHDRAW);
    t.rows[4] = t.rows[5]; /* withdrawn, and nothing runs: there is no ask */
    t.batch.n--;
    SAYS(f, &t, SKED_EVENT_TASK_FINISH);
    assert_i64((int64_t)engine_stats_of(f).asks, 0);
}

/* One that is kept is known while nothing of it is open. */
static void an_ask_with_nothing_open_is_mended(void **state)
{
    engine_fixture *f = *state;
    told t = begin(f);

    sked_event *kept = row(&t, SKED_EVENT_ASK_ADD, 2);
    kept->owner = 1;
    kept->amount = 2;
    assert_status(SKED_ERR_RANGE, compare(f, &t));
    kept->flags = SKED_ASK_KEEP | SKED_ASK_GANG;
    assert_status(SKED_ERR_RANGE, compare(f, &t));
    assert_status(SKED_ERR_RANGE, engine_say(f, *kept, 1, 1));
    kept->flags = SKED_ASK_KEEP;
    SAYS(f, &t, SKED_EVENT_ASK_ADD);
    assert_ok(engine_say(
        f, (sked_event){.kind = SKED_EVENT_ASK_CHANGE, .key = 2, .count = 3}, 0,
        0));
    assert_i64((int64_t)engine_stats_of(f).open_tasks, 5);
    SAYS(f, &t, SKED_EVENT_ASK_CHANGE);
    assert_i64((int64_t)engine_stats_of(f).open_tasks, 2);
    (void)row(&t, SKED_EVENT_ASK_WITHDRAW, 2);
    SAYS(f, &t, SKED_EVENT_ASK_WITHDRAW);
    (void)engine_taken(f);
    assert_status(SKED_ERR_NOT_FOUND,
                  engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 2));
}

static void gangs_are_mended_as_wholes(void **state)
{
    engine_fixture *f = *state;
    told t = begin(f);

    t.rows[3].flags = SKED_ASK_GANG;
    t.rows[3].count = 3;
    SAYS(f, &t, SKED_EVENT_ASK_WITHDRAW, SKED_EVENT_TASK_FINISH,
         SKED_EVENT_ASK_ADD, SKED_EVENT_TASK_RUNNING);
    t.rows[4].key = 2;
    SAYS(f, &t, SKED_EVENT_ASK_WITHDRAW, SKED_EVENT_TASK_FINISH,
         SKED_EVENT_ASK_ADD, SKED_EVENT_TASK_RUNNING);
    t.batch.n--; /* open again */
    SAYS(f, &t, SKED_EVENT_ASK_WITHDRAW, SKED_EVENT_TASK_FINISH,
         SKED_EVENT_ASK_ADD);
    t.rows[3].count = 4; /* of another size */
    SAYS(f, &t, SKED_EVENT_ASK_WITHDRAW, SKED_EVENT_ASK_ADD);
    t.rows[3].count = 3;
    SAYS(f, &t, SKED_EVENT_ASK_WITHDRAW, SKED_EVENT_ASK_ADD);
    t.batch.n++;
    SAYS(f, &t, SKED_EVENT_TASK_RUNNING);
    t.batch.n--;
    assert_status(SKED_ERR_NOT_FOUND, engine_tell(f, SKED_EVENT_NODE_DOWN, 9));
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 2)); /* lost: open again */
    SAYS(f, &t, SKED_EVENT_NODE_UP);
}

/* How a gang over nodes starts is part of what it is. */
static void gangs_over_nodes_are_mended(void **state)
{
    engine_fixture *f = *state;
    sked_event_gang gangs[8] = {0};
    told t = begin(f);

    t.rows[3].flags = SKED_ASK_GANG | SKED_ASK_SPREAD;
    t.rows[3].count = 3;
    t.batch.gangs = gangs;
    mend(f, &t);
    assert_ok(compare(f, &t));
    assert_int_equal(t.n, 0);
    gangs[3].per_node = 3;
    assert_ok(compare(f, &t));
    assert_true(t.n > 0);
    mend(f, &t);
    assert_ok(compare(f, &t));
    assert_int_equal(t.n, 0);
    gangs[3].at_once = 2;
    assert_ok(compare(f, &t));
    assert_true(t.n > 0);
}

/* Tasks of an elastic gang that have ended count as started: so many fewer start
 * together, and one by one those that are left of it once that is none. */
static void gangs_of_which_tasks_ended_are_the_same(void **state)
{
    engine_fixture *f = *state;
    sked_event_gang gangs[MOST] = {[3] = {.at_once = 3}};
    told t = begin(f);

    t.rows[3].flags = SKED_ASK_GANG | SKED_ASK_SPREAD;
    t.rows[4].count = 5; /* all of it runs */
    t.batch.gangs = gangs;
    mend(f, &t);
    const sked_decision *start = f->last;
    while (start->kind != SKED_DECISION_ALLOCATE) start++;
    const uint64_t group = start->group;
    for (int64_t left = 4; left > 0; left--) {
        assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, group, 1));
        t.rows[3].count = t.rows[4].count = left;
        gangs[3].at_once = left > 3 ? 2 : 1;
        assert_ok(compare(f, &t));
        assert_int_equal(t.n, 0);
        gangs[3].at_once = left > 1 ? 3 - gangs[3].at_once : 1;
        assert_ok(compare(f, &t));
        assert_int_equal(t.n > 0, left > 1);
    }
}

static void places_are_part_of_an_ask(void **state)
{
    static const int32_t offsets[] = {0, 2, 4, 5};
    static const uint64_t places[] = {1, 2, 1, 3, 1};
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    told t = truth_of(leaf);

    engine_begin(f, NULL);
    t.batch.place_offsets = offsets;
    t.batch.places = places;
    t.batch.n_places = 3;
    t.batch.n--;
    t.rows[3].places = 1;
    mend(f, &t);
    for (uint32_t i = 2; i <= 4; i++) {
        t.rows[3].places = i % 4;
        SAYS(f, &t, SKED_EVENT_ASK_WITHDRAW, SKED_EVENT_ASK_ADD);
    }
    t.rows[3].places = 4;
    assert_status(SKED_ERR_ARG, compare(f, &t));
    assert_i64(f->err.row, 3);
}

static void proposals_are_the_hosts(void **state)
{
    engine_fixture *f = *state;
    sked_engine_options o = {.struct_size = sizeof o, .confirm_within_ns = 100};
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    told t = truth_of(leaf);

    engine_begin(f, &o);
    t.batch.n--;
    mend(f, &t);
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_ok(compare(f, &t)); /* five are proposed: the host does not know */
    assert_int_equal(t.n, 0);
    t.batch.n++;
    t.rows[4].count = 5;
    SAYS(f, &t, SKED_EVENT_TASK_CONFIRM);
    t.rows[3].count = 7;
    SAYS(f, &t, SKED_EVENT_ASK_CHANGE);
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 2));
    t.rows[3].priority = 1; /* anew: what is proposed is refused */
    SAYS(f, &t, SKED_EVENT_ASK_WITHDRAW, SKED_EVENT_TASK_FINISH,
         SKED_EVENT_TASK_REFUSE, SKED_EVENT_ASK_ADD, SKED_EVENT_TASK_RUNNING);
}

/* One row of a truth at a time is wrong. */
static void a_truth_that_is_none_is_refused(void **state)
{
    engine_fixture *f = *state;
    told good = begin(f), t;

#define WRONG(status, at, change)                                              \
    do {                                                                       \
        t = good;                                                              \
        change;                                                                \
        assert_status(status, compare(f, &t));                                 \
        assert_i64(f->err.row, at);                                            \
    } while (0)
    WRONG(SKED_ERR_ARG, 0, t.rows[0].kind = SKED_EVENT_TICK);
    WRONG(SKED_ERR_ARG, 0, t.rows[0].key = 0);
    WRONG(SKED_ERR_ARG, 0, t.rows[0].places = 1); /* they have their own row */
    WRONG(SKED_ERR_EXISTS, 1, t.rows[1].key = 1);
    WRONG(SKED_ERR_ARG, 1, t.rows[1].amount = 9);
    WRONG(SKED_ERR_RANGE, 3, t.amounts[1][0] = -1);
    WRONG(SKED_ERR_STALE, 2, t.rows[2].queue = 99);
    WRONG(SKED_ERR_STALE, 2, t.rows[2].queue = f->root);
    WRONG(SKED_ERR_NOT_FOUND, 3, t.rows[3].owner = 5);
    WRONG(SKED_ERR_RANGE, 4, t.rows[3].count = 2);
    WRONG(SKED_ERR_RANGE, 3, t.rows[3].count = INT64_MAX);
    WRONG(SKED_ERR_NOT_FOUND, 4, t.rows[4].owner = 5);
    WRONG(SKED_ERR_NOT_FOUND, 4, t.rows[4].key = 5);
    WRONG(SKED_ERR_RANGE, 4, t.rows[4].count = 0);
    WRONG(SKED_ERR_STATE, 4, t.rows[3].flags = SKED_ASK_GANG);
    WRONG(SKED_ERR_NOT_FOUND, 5, (void)row(&t, SKED_EVENT_NODE_DRAIN, 9));
    WRONG(SKED_ERR_NOT_FOUND, 5, (void)row(&t, SKED_EVENT_ASK_WITHDRAW, 9));

    t = good;
    t.batch.events = t.rows;
    t.batch.amounts = t.amounts[0];
    t.rows[3].count = 9;
    assert_status(SKED_ERR_RANGE, sked_engine_reconcile(f->engine, &t.batch,
                                                        NULL, 0, &t.n, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_engine_reconcile(NULL, &t.batch, NULL, 0, &t.n, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_engine_reconcile(f->engine, NULL, NULL, 0, &t.n, NULL));
    assert_status(SKED_ERR_ARG, sked_engine_reconcile(f->engine, &t.batch, NULL,
                                                      1, &t.n, NULL));
    assert_status(SKED_ERR_ARG, sked_engine_reconcile(f->engine, &t.batch, NULL,
                                                      0, NULL, NULL));
    t.batch.struct_size = 4;
    assert_status(SKED_ERR_VERSION, sked_engine_reconcile(f->engine, &t.batch,
                                                          NULL, 0, &t.n, NULL));
    t.batch.struct_size = sizeof t.batch;
    t.batch.n = UINT64_C(1) << 31;
    assert_status(SKED_ERR_RANGE, sked_engine_reconcile(f->engine, &t.batch,
                                                        NULL, 0, &t.n, NULL));
}

static sked_status reconcile_once(test_host *h, void *arg)
{
    const told *t = arg;
    sked_engine *engine = NULL;
    sked_tree *tree = NULL;
    sked_schema *schema = NULL;
    sked_queue_id leaf;
    static const char *const kinds[] = {"cpu", "memory"};
    sked_host host = test_host_hooks(h);
    sked_engine_difference d[MOST];
    size_t n;

    assert_ok(sked_schema_new(kinds, NULL, 2, NULL, &schema, NULL));
    assert_ok(sked_tree_new(schema, NULL, NULL, &tree, NULL));
    assert_ok(sked_tree_add(tree, sked_tree_root(tree), "leaf", &leaf, NULL));
    assert_ok(sked_tree_commit(tree, SKED_TREE_COMMIT_LENIENT, NULL));
    sked_status rc = sked_engine_new(tree, NULL, &host, &engine, NULL);
    if (rc == SKED_OK) {
        sked_events batch = t->batch;
        batch.events = t->rows;
        batch.amounts = t->amounts[0];
        rc = sked_engine_reconcile(engine, &batch, d, MOST, &n, NULL);
        if (rc == SKED_OK) assert_int_equal(n, 5);
    }
    sked_engine_free(engine);
    sked_tree_free(tree);
    sked_schema_free(schema);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    engine_fixture *f = *state;
    told t = begin(f);

    test_sweep(reconcile_once, &t, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(an_empty_engine_is_told_everything),
        engine_case(numbers_of_the_host_are_of_its_count),
        engine_case(nodes_are_mended),
        engine_case(jobs_are_mended),
        engine_case(a_job_that_waits_though_it_was_admitted),
        engine_case(asks_are_mended),
        engine_case(an_ask_with_nothing_open_is_mended),
        engine_case(gangs_are_mended_as_wholes),
        engine_case(gangs_over_nodes_are_mended),
        engine_case(gangs_of_which_tasks_ended_are_the_same),
        engine_case(places_are_part_of_an_ask),
        engine_case(proposals_are_the_hosts),
        engine_case(a_truth_that_is_none_is_refused),
        engine_case(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
