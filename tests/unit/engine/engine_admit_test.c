/* Leaves that admit jobs by classes: each class has its bound and its line. */
#include "engine_fixture.h"

#include <sched/engine_admit.h>

#include "words.h"

/* A job with one ask of so many tasks of 1 cpu. */
static void add(engine_fixture *f, uint64_t key, sked_queue_id leaf,
                uint32_t flags, int64_t tasks)
{
    assert_ok(engine_say(f,
                         (sked_event){.kind = SKED_EVENT_JOB_SUBMIT,
                                      .key = key,
                                      .queue = leaf,
                                      .flags = flags},
                         0, 0));
    if (tasks) assert_ok(engine_add_ask(f, key, key, tasks, 1, 0));
}

static int64_t waiting(const engine_fixture *f)
{
    assert_ok(sked_engine_check(f->engine, NULL));
    return (int64_t)engine_stats_of(f).jobs_waiting;
}

/* What a job waits for, as a job. */
static sked_engine_bound why(const engine_fixture *f, uint64_t job)
{
    sked_engine_bound bounds[32];
    size_t n = 0;

    assert_ok(sked_engine_explain_job(f->engine, job, bounds, 32, &n));
    for (size_t i = 0; i < n; i++) {
        if (bounds[i].binds) return bounds[i];
    }
    return (sked_engine_bound){0};
}

/* One leaf with bounds in cpu, and none in memory. */
static sked_queue_id begin(engine_fixture *f, int64_t entitlement,
                           int64_t slack, int64_t reservation,
                           int64_t controllers)
{
    const int64_t bounds[4][2] = {{entitlement, SKED_UNLIMITED},
                                  {slack, SKED_UNLIMITED},
                                  {reservation, SKED_UNLIMITED},
                                  {controllers, SKED_UNLIMITED}};
    const sked_engine_admit_options opts = {.struct_size = sizeof opts,
                                            .flags = SKED_ADMIT_FLAG_PREEMPTION,
                                            .entitlement = bounds[0],
                                            .slack = bounds[1],
                                            .reservation = bounds[2],
                                            .controllers = bounds[3]};
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");

    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, 100, 100);
    assert_ok(sked_engine_admit(f->engine, leaf, 0, &opts, &f->err));
    return leaf;
}

static void what_may_not_be_preempted_has_the_reservation(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = begin(f, 30, 0, 10, SKED_UNLIMITED);

    add(f, 1, leaf, SKED_JOB_FIXED, 8);
    add(f, 2, leaf, SKED_JOB_FIXED, 3); /* moves, and stops no other */
    add(f, 3, leaf, SKED_JOB_FIXED, 1);
    add(f, 4, leaf, 0, 9);
    assert_i64(waiting(f), 1);
    sked_engine_bound b = why(f, 2);
    assert_int_equal(b.reason, SKED_REASON_CLASS);
    assert_i64(b.need, 12);
    assert_i64(b.bound, 10);
    assert_int_equal(b.kind, 0);
    assert_true(b.queue == leaf);
    add(f, 5, leaf, 0, 13); /* above the entitlement: stops the line of all */
    add(f, 6, leaf, 0, 1);
    assert_i64(waiting(f), 3);
    assert_i64(why(f, 5).need, 31);
    assert_int_equal(why(f, 6).reason, SKED_REASON_NOT_ADMITTED);
    assert_ok(engine_tell(f, SKED_EVENT_JOB_CANCEL, 1));
    assert_i64(waiting(f), 0);
}

static void revocable_work_has_the_slack_alone(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = begin(f, 5, 7, 5, SKED_UNLIMITED);

    add(f, 1, leaf, 0, 5);
    add(f, 2, leaf, SKED_JOB_REVOCABLE, 7);
    assert_i64(waiting(f), 0);
    add(f, 3, leaf, SKED_JOB_REVOCABLE, 1);
    add(f, 4, leaf, 0, 0);
    assert_i64(waiting(f), 2);
    assert_i64(why(f, 3).bound, 7);
    assert_i64(why(f, 3).need, 8);
    /* Less is open: it is admitted. */
    assert_ok(engine_say(
        f, (sked_event){.kind = SKED_EVENT_ASK_WITHDRAW, .key = 2}, 0, 0));
    assert_i64(waiting(f), 1);
}

/* A controller with more than one task is not bound as one. */
static void controllers_have_a_bound(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = begin(f, 50, 0, 50, 2);

    for (uint64_t job = 1; job <= 4; job++) {
        add(f, job, leaf, SKED_JOB_CONTROLLER, 1);
    }
    add(f, 5, leaf, 0, 1);
    assert_i64(waiting(f), 2);
    assert_int_equal(why(f, 4).reason, SKED_REASON_CLASS);
    assert_i64(why(f, 3).bound, 2);
    add(f, 6, leaf, SKED_JOB_CONTROLLER, 2);
    assert_i64(waiting(f), 2);
}

/* A job that asks for nothing yet is not looked at, and stops none. */
static void jobs_wait_for_their_asks(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = begin(f, 10, 0, 10, SKED_UNLIMITED);

    add(f, 1, leaf, 0, 0);
    add(f, 2, leaf, 0, 4);
    assert_i64(waiting(f), 1);
    assert_ok(engine_add_ask(f, 1, 1, 7, 1, 0));
    assert_i64(waiting(f), 1);
    assert_i64(why(f, 1).need, 11);
    /* Tasks that run count as those that are open. */
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_i64(waiting(f), 1);
    assert_ok(engine_tell(f, SKED_EVENT_JOB_CANCEL, 2));
    assert_i64(waiting(f), 0);
}

/* Bounds go along with commits, and go when they are taken away. */
static void bounds_stay_until_they_are_taken_away(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = begin(f, 3, 0, 3, SKED_UNLIMITED);

    add(f, 1, leaf, 0, 2);
    add(f, 2, leaf, SKED_JOB_FIXED, 2);
    uint64_t digest = sked_engine_state_digest(f->engine);
    engine_begin(f, NULL);
    assert_true(sked_engine_state_digest(f->engine) == digest);
    engine_add_node(f, 2, 3, 1, 1); /* memory for more partitions */
    assert_i64(waiting(f), 1);
    assert_int_equal(why(f, 2).reason, SKED_REASON_CLASS);
    assert_ok(sked_engine_admit(f->engine, leaf, 0, NULL, &f->err));
    assert_i64(waiting(f), 0);
    assert_ok(sked_engine_admit(f->engine, leaf, 0, NULL, &f->err));
}

/* Queues that go take their bounds along. */
static void queues_go_with_their_bounds(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = begin(f, 3, 0, 3, SKED_UNLIMITED);

    assert_ok(
        sked_tree_remove(f->tree, leaf, NULL, SKED_TREE_REMOVE_REFUSE, NULL));
    (void)engine_queue(f, f->root, "other");
    engine_begin(f, NULL);
    assert_i64(waiting(f), 0);
}

static void the_call_refuses(void **state)
{
    engine_fixture *f = *state;
    const int64_t low[] = {1, -1};
    sked_engine_admit_options opts = {.struct_size = sizeof opts};
    sked_queue_id leaf = begin(f, 3, 0, 3, SKED_UNLIMITED);
    sked_engine *e = f->engine;
    uint64_t digest = sked_engine_state_digest(e);

    assert_status(SKED_ERR_ARG, sked_engine_admit(NULL, leaf, 0, &opts, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_engine_admit(e, f->root, 0, &opts, &f->err));
    assert_true(f->err.queue == f->root);
    assert_status(SKED_ERR_STALE, sked_engine_admit(e, 99, 0, &opts, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_engine_admit(e, leaf, INT64_MAX, &opts, NULL));
    opts.flags = 2;
    assert_status(SKED_ERR_ARG, sked_engine_admit(e, leaf, 0, &opts, NULL));
    opts.flags = 0;
    opts.slack = low;
    assert_status(SKED_ERR_RANGE,
                  sked_engine_admit(e, leaf, 0, &opts, &f->err));
    assert_int_equal(f->err.kind, 1);
    opts.struct_size = 4;
    assert_status(SKED_ERR_VERSION, sked_engine_admit(e, leaf, 0, &opts, NULL));
    assert_true(sked_engine_state_digest(e) == digest);
}

/* ---- As on arrays ---- */

enum { GANGS = 40 };

typedef struct arrays {
    int64_t bound[4];
    int64_t held[SKED_ADMIT_HELD_SUMS];
    int64_t need[GANGS];
    uint32_t tasks[GANGS];
    int32_t priority[GANGS];
    uint8_t kind[GANGS];
    uint8_t line[GANGS];
    uint64_t job[GANGS]; /* in the order of arrival */
    uint64_t n;
} arrays;

/* One call, and who is in goes. */
static void admit_rows(arrays *w)
{
    uint8_t outcome[GANGS], line[GANGS];
    sked_admit_input in = {.struct_size = sizeof in,
                           .flags = SKED_ADMIT_FLAG_PREEMPTION,
                           .kinds = 1,
                           .n = w->n,
                           .entitlement = &w->bound[0],
                           .slack = &w->bound[1],
                           .reservation = &w->bound[2],
                           .controllers = &w->bound[3],
                           .held = w->held,
                           .need = w->need,
                           .tasks = w->tasks,
                           .priority = w->priority,
                           .kind = w->kind,
                           .line = w->line};
    int64_t held[SKED_ADMIT_HELD_SUMS];
    sked_admit_result out = {.struct_size = sizeof out,
                             .outcome = outcome,
                             .line = line,
                             .held = held};
    uint64_t left = 0;

    assert_ok(sked_admit(&in, NULL, &out, NULL));
    memcpy(w->held, held, sizeof held);
    for (uint64_t i = 0; i < w->n; i++) {
        if (outcome[i] == SKED_ADMIT_OUTCOME_IN) continue;
        w->need[left] = w->need[i];
        w->tasks[left] = w->tasks[i];
        w->priority[left] = w->priority[i];
        w->kind[left] = w->kind[i];
        w->line[left] = line[i];
        w->job[left++] = w->job[i];
    }
    w->n = left;
}

static void add_row(arrays *w, test_words *words, sked_event *job)
{
    static const uint32_t flag[] = {0, SKED_JOB_FIXED, SKED_JOB_CONTROLLER, 0,
                                    SKED_JOB_REVOCABLE};
    uint32_t kind = (uint32_t)test_below(words, 5);

    if (kind == 3) kind = 0;
    w->kind[w->n] = (uint8_t)kind;
    w->tasks[w->n] = 1 + (uint32_t)test_below(words, 4);
    w->need[w->n] = w->tasks[w->n];
    w->priority[w->n] = (int32_t)test_below(words, 3);
    w->line[w->n] = 0;
    w->job[w->n] = job->key;
    job->flags = flag[kind];
    job->priority = w->priority[w->n++];
}

static void engines_admit_as_arrays_do(void **state)
{
    engine_fixture *f = *state;
    test_words words = {.state = 7};
    size_t waits = 0, comes = 0;

    for (int round = 0; round < 60; round++) {
        arrays w = {.n = 0};
        for (int b = 0; b < 4; b++)
            w.bound[b] = (int64_t)test_below(&words, 40);
        f->engine = NULL;
        char name[] = "leaf00";
        name[4] = (char)('0' + round / 10);
        name[5] = (char)('0' + round % 10);
        sked_queue_id leaf = engine_queue(f, f->root, name);
        sked_engine_admit_options opts = {
            .struct_size = sizeof opts,
            .flags = SKED_ADMIT_FLAG_PREEMPTION,
            .entitlement = (int64_t[]){w.bound[0], 0},
            .slack = (int64_t[]){w.bound[1], 0},
            .reservation = (int64_t[]){w.bound[2], 0},
            .controllers = (int64_t[]){w.bound[3], 0}};
        engine_begin(f, NULL);
        assert_ok(sked_engine_admit(f->engine, leaf, 0, &opts, NULL));
        for (uint64_t key = 1; key <= GANGS; key++) {
            sked_event job = {
                .kind = SKED_EVENT_JOB_SUBMIT, .key = key, .queue = leaf};
            add_row(&w, &words, &job);
            uint32_t tasks = w.tasks[w.n - 1];
            assert_ok(engine_say(f, job, 0, 0));
            assert_ok(engine_add_ask(f, key, key, tasks, 1, 0));
            admit_rows(&w);
            assert_i64(waiting(f), (int64_t)w.n);
            for (uint64_t i = 0; i < w.n; i++) {
                assert_int_not_equal(why(f, w.job[i]).reason, 0);
            }
        }
        waits += w.n;
        comes += GANGS - w.n;
        sked_engine_free(f->engine);
        f->engine = NULL;
    }
    assert_true(waits > 500 && comes > 300);
}

/* ---- Memory ---- */

static sked_status set_bounds(test_host *h, void *arg)
{
    sked_host host = test_host_hooks(h);
    const engine_fixture *f = arg;
    sked_engine_admit_options opts = {.struct_size = sizeof opts};
    sked_engine *engine;
    sked_queue_id leaf = SKED_NO_QUEUE;
    size_t n;
    assert_ok(sked_tree_children(f->tree, f->root, &leaf, 1, &n));
    sked_status rc = sked_engine_new(f->tree, NULL, &host, &engine, NULL);

    if (rc == SKED_OK) {
        rc = sked_engine_admit(engine, leaf, 0, &opts, NULL);
        if (rc == SKED_OK) {
            rc = sked_engine_admit(engine, leaf, 0, &opts, NULL);
        }
        sked_engine_free(engine);
    }
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    engine_fixture *f = *state;

    (void)engine_queue(f, f->root, "leaf");
    assert_ok(sked_tree_commit(f->tree, SKED_TREE_COMMIT_LENIENT, NULL));
    test_sweep(set_bounds, f, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(what_may_not_be_preempted_has_the_reservation),
        engine_case(revocable_work_has_the_slack_alone),
        engine_case(controllers_have_a_bound),
        engine_case(jobs_wait_for_their_asks),
        engine_case(bounds_stay_until_they_are_taken_away),
        engine_case(queues_go_with_their_bounds),
        engine_case(the_call_refuses),
        engine_case(engines_admit_as_arrays_do),
        engine_case(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
