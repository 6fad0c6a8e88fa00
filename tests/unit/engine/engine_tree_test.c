/* An engine takes over another tree: which queue is which, and what is
 * refused. */
#include "engine_scene.h"

#include <sched/tree_text.h>

static sked_tree *tree_of(const engine_fixture *f, const char *text)
{
    sked_tree *tree = NULL;

    assert_ok(sked_tree_new(f->schema, NULL, NULL, &tree, NULL));
    assert_ok(
        sked_tree_parse(tree, text, strlen(text), NULL, NULL, 0, NULL, NULL));
    assert_ok(sked_tree_commit(tree, SKED_TREE_COMMIT_LENIENT, NULL));
    return tree;
}

static sked_queue_id queue_of(const sked_tree *tree, const char *path)
{
    sked_queue_id id = SKED_NO_QUEUE;

    assert_ok(sked_tree_find(tree, path, &id, NULL));
    return id;
}

static int64_t cpu_of(const engine_fixture *f, sked_queue_id queue)
{
    int64_t usage[2];

    assert_ok(sked_engine_usage(f->engine, queue, 0, usage, NULL));
    return usage[0];
}

/* root.prod, with two tasks of one job, and root.test. */
static void run_prod(engine_fixture *f, sked_queue_id *prod,
                     sked_queue_id *test)
{
    *prod = engine_queue(f, f->root, "prod");
    *test = engine_queue(f, f->root, "test");
    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, 10, 100);
    engine_add_job(f, 1, *prod, 1);
    assert_ok(engine_add_ask(f, 1, 1, 2, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
}

static void a_tree_that_is_read_again_goes_by_path(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id prod, test;

    run_prod(f, &prod, &test);
    sked_tree *read = tree_of(
        f, "root\nroot.canary limit=1%\nroot.prod\nroot.test\n");
    assert_true(queue_of(read, "root.canary") == prod); /* the same number */
    assert_ok(sked_engine_commit(f->engine, read, 0, NULL));

    assert_i64(cpu_of(f, queue_of(read, "root.canary")), 0);
    assert_i64(cpu_of(f, queue_of(read, "root.prod")), 2);
    engine_add_job(f, 2, queue_of(read, "root.canary"), 1);
    assert_ok(engine_add_ask(f, 2, 2, 1, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_i64(cpu_of(f, queue_of(read, "root.canary")), 0); /* its limit */
    sked_tree_free(read);
}

static void a_copy_goes_by_id(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id prod, test, x;
    sked_tree *copy = NULL;

    run_prod(f, &prod, &test);
    assert_ok(sked_tree_copy(f->tree, NULL, &copy, NULL));
    assert_ok(sked_tree_rename(copy, prod, "main", NULL));
    assert_ok(sked_tree_move(copy, prod, test, NULL));
    assert_ok(sked_tree_add(copy, f->root, "prod", &x, NULL));
    assert_ok(sked_tree_commit(copy, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_ok(sked_engine_commit(f->engine, copy, 0, NULL));
    assert_i64(cpu_of(f, prod), 2);
    assert_i64(cpu_of(f, test), 2);
    assert_i64(cpu_of(f, x), 0);
    sked_tree_free(copy);
}

/* Both branches give out the same number, each for a queue of its own. */
static void branches_do_not_meet_in_a_number(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id prod, test, y;
    sked_tree *copy = NULL;

    run_prod(f, &prod, &test);
    assert_ok(sked_tree_copy(f->tree, NULL, &copy, NULL));
    sked_queue_id x = engine_queue(f, f->root, "x");
    assert_ok(sked_tree_add(copy, f->root, "y", &y, NULL));
    assert_ok(sked_tree_commit(copy, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_true(x == y);

    engine_begin(f, NULL);
    engine_add_job(f, 2, x, 1);
    uint64_t before = sked_engine_state_digest(f->engine);
    assert_status(SKED_ERR_STATE,
                  sked_engine_commit(f->engine, copy, 0, &f->err));
    assert_true(f->err.queue == x);
    assert_string_equal(f->err.message, "a job is in this queue: root.x");
    assert_true(sked_engine_state_digest(f->engine) == before);
    assert_status(SKED_ERR_STATE, sked_engine_commit(f->engine, copy, 0, NULL));
    sked_tree_free(copy);
}

/* A path that is a parent now, and a long one that a message cuts. */
static void a_path_that_holds_no_jobs_is_refused(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id prod, test;
    char name[200];

    run_prod(f, &prod, &test);
    sked_tree *read = tree_of(f, "root\nroot.prod\nroot.prod.night\n");
    assert_status(SKED_ERR_STATE,
                  sked_engine_commit(f->engine, read, 0, &f->err));
    assert_string_equal(f->err.message, "a job is in this queue: root.prod");
    assert_i64(cpu_of(f, prod), 2);

    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = 0;
    assert_ok(sked_tree_rename(f->tree, prod, name, NULL));
    engine_begin(f, NULL);
    assert_status(SKED_ERR_STATE,
                  sked_engine_commit(f->engine, read, 0, &f->err));
    assert_true(
        strncmp(f->err.message, "a job is in this queue: root.nnn", 32) == 0);
    sked_tree_free(read);
}

/* A queue that waits below its guarantee goes on waiting, not anew. */
static void clocks_go_along_with_paths(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    engine_set(f, s.b, SKED_QUEUE_PREEMPT_MIN_TIMEOUT, 10 * (int64_t)SECOND);
    engine_begin(f, NULL);
    s.targets.mode = SKED_TARGET_MODE_STARVATION;
    s.rounds.grace_ns = -1;
    scene_preempt(f, &s);
    scene_fill(f, &s, 8);
    assert_int_equal(scene_hold(f, 3), 0);
    sked_tree *read = tree_of(f,
                              "root\nroot.new guarantee=0%\n"
                              "root.b guarantee=50% preempt_min_timeout=10s\n"
                              "root.a guarantee=50%\n");
    assert_ok(sked_engine_commit(f->engine, read, f->now, NULL));
    assert_int_equal(scene_hold(f, 6), 0);
    assert_true(scene_hold(f, 13) > 0);
    assert_int_equal(scene_said(f, SKED_DECISION_KILL)->job, 1);
    sked_tree_free(read);
}

/* The path of a queue that is gone is another's now, which was there before. */
static void a_path_that_another_took_is_refused(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id prod, test;

    run_prod(f, &prod, &test);
    assert_ok(
        sked_tree_remove(f->tree, prod, NULL, SKED_TREE_REMOVE_REFUSE, NULL));
    assert_ok(sked_tree_rename(f->tree, test, "prod", NULL));
    assert_ok(sked_tree_commit(f->tree, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_status(SKED_ERR_STATE,
                  sked_engine_commit(f->engine, f->tree, 0, &f->err));
    assert_true(f->err.queue == prod);

    assert_ok(sked_tree_rename(f->tree, test, "test", NULL));
    sked_queue_id again = engine_queue(f, f->root, "prod");
    assert_true(again != prod);
    engine_begin(f, NULL);
    assert_i64(cpu_of(f, again), 2);
}

/* Fails at every allocation, and then nothing has changed. */
static void every_failure_leaves_the_engine_as_it_was(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id prod, test;
    sked_status rc = SKED_ERR_NOMEM;
    size_t failed = 0;

    run_prod(f, &prod, &test);
    sked_tree *read = tree_of(f, "root\nroot.canary\nroot.test\nroot.prod\n");
    uint64_t before = sked_engine_state_digest(f->engine);
    for (; rc != SKED_OK; failed++) {
        f->host.fail_at = f->host.requests + failed + 1;
        rc = sked_engine_commit(f->engine, read, 0, NULL);
        f->host.fail_at = 0;
        if (rc == SKED_OK) break;
        assert_status(SKED_ERR_NOMEM, rc);
        assert_true(sked_engine_state_digest(f->engine) == before);
        assert_i64(cpu_of(f, prod), 2);
    }
    assert_true(failed > 3);
    assert_i64(cpu_of(f, queue_of(read, "root.prod")), 2);
    sked_tree_free(read);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(a_tree_that_is_read_again_goes_by_path),
        engine_case(a_copy_goes_by_id),
        engine_case(branches_do_not_meet_in_a_number),
        engine_case(a_path_that_holds_no_jobs_is_refused),
        engine_case(a_path_that_another_took_is_refused),
        engine_case(clocks_go_along_with_paths),
        engine_case(every_failure_leaves_the_engine_as_it_was),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
