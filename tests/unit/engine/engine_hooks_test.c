/*
 * Hooks of an engine: those that call back into it, and the lines for `log`.
 */
#include <sched/engine_admit.h>
#include <sched/engine_limits.h>
#include <sched/engine_place.h>

#include "engine_fixture.h"

#include <stdio.h>

/* ---- Calling back ---- */

typedef struct caller {
    engine_fixture *f;
    sked_engine *engine;
    sked_queue_id leaf;
    void *(*resize)(void *user, void *ptr, size_t old_size, size_t size);
    size_t entered;
    int inside;
} caller;

/* Everything that changes an engine; then what may be read. */
static void call_back(caller *c)
{
    sked_event tick = {.kind = SKED_EVENT_TICK};
    sked_events batch = {.struct_size = sizeof batch, .events = &tick, .n = 1};
    sked_engine_reserve_input sizes = {.struct_size = sizeof sizes};
    sked_engine_admit_options classes = {.struct_size = sizeof classes};
    sked_engine *e = c->engine;
    uint64_t done = 7;
    sked_decision d;
    sked_error err;
    size_t n;

    if (!e || c->inside) return;
    c->inside = 1;
    c->entered++;
    assert_status(SKED_ERR_STATE, sked_engine_apply(e, &batch, &done, &err));
    assert_int_equal(done, 0);
    assert_string_equal(err.message, "a hook called back into its engine");
    assert_status(SKED_ERR_STATE, sked_engine_pass(e, 0, 0, NULL));
    assert_status(SKED_ERR_STATE, sked_engine_take(e, &d, 1, &n, &err));
    assert_string_equal(err.message, "a hook called back into its engine");
    assert_status(SKED_ERR_STATE, sked_engine_commit(e, c->f->tree, 0, NULL));
    assert_status(SKED_ERR_STATE, sked_engine_preempt(e, NULL, NULL));
    assert_status(SKED_ERR_STATE, sked_engine_name_user(e, 1, "u", NULL));
    assert_status(SKED_ERR_STATE, sked_engine_reserve(e, &sizes, NULL));
    assert_status(SKED_ERR_STATE, sked_engine_place(e, 0, 0, NULL, NULL));
    assert_status(SKED_ERR_STATE,
                  sked_engine_commit_limits(e, 1, c->f->tree, 0, NULL));
    assert_status(SKED_ERR_STATE,
                  sked_engine_admit(e, c->leaf, 0, &classes, NULL));
    sked_engine_free(e); /* does nothing */
    c->inside = 0;
}

static void read_back(caller *c)
{
    sked_engine_stats stats = {.struct_size = sizeof stats};
    sked_engine_bound bounds[16];
    int64_t amounts[2];
    size_t n;

    if (!c->engine) return;
    assert_ok(sked_engine_get_stats(c->engine, &stats));
    assert_ok(sked_engine_node_free(c->engine, 1, amounts));
    assert_ok(sked_engine_explain_job(c->engine, 1, bounds, 16, &n));
    (void)sked_engine_state_digest(c->engine);
    assert_ok(sked_engine_check(c->engine, NULL));
}

static sked_status progress(void *user, uint64_t done, uint64_t total)
{
    (void)done;
    (void)total;
    call_back(user);
    return SKED_OK;
}

static void *resize(void *user, void *ptr, size_t old_size, size_t size)
{
    caller *c = user;

    call_back(c);
    return c->resize(&c->f->host, ptr, old_size, size);
}

static void log_line(void *user, int32_t level, const char *line)
{
    (void)level;
    (void)line;
    call_back(user);
    read_back(user);
}

/* Each of the calls with hooks that call back: none hangs, none changes what
 * the outer call does. */
static void hooks_that_call_back_are_refused(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    caller c = {.f = f, .leaf = leaf};
    const sked_engine_admit_options classes = {.struct_size = sizeof classes};
    sked_host host = test_host_hooks(&f->host);

    c.resize = host.resize;
    host.user = &c;
    host.user_free = NULL;
    host.progress = progress;
    host.resize = resize;
    host.log = log_line;
    host.log_level = SKED_LOG_DEBUG;
    host.cancel = NULL;
    assert_ok(sked_tree_commit(f->tree, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_ok(sked_engine_new(f->tree, NULL, &host, &f->engine, NULL));
    engine_add_node(f, 1, 0, 10, 10);
    engine_add_job(f, 1, leaf, 0);
    c.engine = f->engine;
    assert_ok(engine_add_ask(f, 1, 1, 4, 1, 1));
    assert_ok(sked_engine_pass(f->engine, 0, 0, NULL));
    assert_ok(sked_engine_commit(f->engine, f->tree, 0, NULL));
    assert_ok(sked_engine_name_user(f->engine, 1, "u", NULL));
    size_t entered = c.entered; /* by each of these again */
    assert_ok(sked_engine_place(f->engine, 0, 0, NULL, NULL));
    assert_true(c.entered > entered);
    entered = c.entered;
    assert_ok(sked_engine_commit_limits(f->engine, 1, f->tree, 0, NULL));
    assert_true(c.entered > entered);
    entered = c.entered;
    assert_ok(sked_engine_admit(f->engine, leaf, 0, &classes, NULL));
    assert_true(c.entered > entered);
    sked_engine_preempt_options p = {.struct_size = sizeof p};
    assert_ok(sked_engine_preempt(f->engine, &p, NULL));
    assert_true(c.entered > 8);
    assert_int_equal(engine_taken(f), 2); /* admitted, allocated */
    assert_i64((int64_t)engine_stats_of(f).running_tasks, 4);
    size_t live = f->host.live;
    assert_true(live > 0);
    c.engine = NULL;
    sked_engine_free(f->engine);
    f->engine = NULL;
    assert_true(f->host.live < live);
}

/* ---- Lines ---- */

typedef struct lines {
    char text[16][200];
    int32_t level[16];
    size_t n;
} lines;

static void keep_line(void *user, int32_t level, const char *line)
{
    lines *l = user;

    assert_true(l->n < 16 && strlen(line) < sizeof l->text[0]);
    memcpy(l->text[l->n], line, strlen(line) + 1);
    l->level[l->n++] = level;
}

static void begin_with_log(engine_fixture *f, lines *l, uint32_t level,
                           int64_t confirm_within)
{
    sked_engine_options o = {.struct_size = sizeof o,
                             .confirm_within_ns = confirm_within};
    sked_host host = {.struct_size = sizeof host,
                      .user = l,
                      .log = keep_line,
                      .log_level = level};

    assert_ok(sked_tree_commit(f->tree, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_ok(sked_engine_new(f->tree, &o, &host, &f->engine, NULL));
}

/* What is told here gives each of the lines. */
static void some_life(engine_fixture *f, sked_queue_id leaf)
{
    engine_add_node(f, 1, 0, 10, 10);
    engine_add_job(f, 1, leaf, 0);
    assert_ok(engine_add_ask(f, 1, 1, 3, 1, 1));
    assert_ok(engine_add_ask(f, 2, 1, 1, 11, 1));
    f->now = 5;
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_status(SKED_ERR_EXISTS, engine_add_ask(f, 1, 1, 3, 1, 1));
    f->now = 15;
    assert_ok(engine_tell(f, SKED_EVENT_TICK, 0));
    assert_ok(sked_engine_pass(f->engine, 15, 0, NULL));
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 1));
}

static const char *const said[] = {
    "decision 1 at 0: admit job=1: its turn",
    "decision 2 at 0: reject job=1 ask=2: no node is large enough",
    "decision 3 at 5: allocate job=1 ask=1 node=1 group=4294967297 task=0 "
    "count=3 until=15: its turn",
    "row 0 refused: event kind=11 key=1 time=5: SKED_ERR_EXISTS: ask key is "
    "taken",
    "decision 4 at 15: expire job=1 ask=1 node=1 group=4294967297 task=0 "
    "count=3: not confirmed in time",
    "decision 5 at 15: allocate job=1 ask=1 node=1 group=8589934593 task=0 "
    "count=3 until=25: its turn",
    "decision 6 at 15: lost job=1 ask=1 node=1 group=8589934593 task=0 "
    "count=3: the node was lost",
};

static void a_line_for_each_decision_and_refusal(void **state)
{
    static const int32_t warns[] = {0, 1, 0, 1, 1, 0, 1};
    engine_fixture *f = *state;
    lines l = {.n = 0};
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");

    begin_with_log(f, &l, SKED_LOG_INFO, 10);
    some_life(f, leaf);
    assert_int_equal(l.n, 7);
    for (size_t i = 0; i < 7; i++) {
        assert_string_equal(l.text[i], said[i]);
        assert_int_equal(l.level[i],
                         warns[i] ? SKED_LOG_WARNING : SKED_LOG_INFO);
    }
}

/* By default warnings alone; of less than that nothing. */
static void levels_leave_lines_out(void **state)
{
    engine_fixture *f = *state;
    lines l = {.n = 0};
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");

    begin_with_log(f, &l, 0, 10);
    some_life(f, leaf);
    assert_int_equal(l.n, 4);
    assert_string_equal(l.text[0], said[1]);
    assert_string_equal(l.text[1], said[3]);
    sked_engine_free(f->engine);

    f->engine = NULL;
    f->now = 0;
    begin_with_log(f, &l, SKED_LOG_ERROR, 10);
    l.n = 0;
    some_life(f, leaf);
    assert_int_equal(l.n, 0);
}

/* The text of an error is at hand though the caller wants none. */
static void a_refusal_is_logged_without_an_error_to_fill(void **state)
{
    engine_fixture *f = *state;
    lines l = {.n = 0};
    sked_event bad = {.kind = 99, .time = -3};
    sked_events b = {.struct_size = sizeof b, .events = &bad, .n = 1};

    (void)engine_queue(f, f->root, "leaf");
    begin_with_log(f, &l, 0, 0);
    assert_status(SKED_ERR_ARG, sked_engine_apply(f->engine, &b, NULL, NULL));
    assert_int_equal(l.n, 1);
    assert_string_equal(l.text[0], "row 0 refused: event kind=99 time=-3: "
                                   "SKED_ERR_ARG: no such kind of event");
}

/* Settings of preemption without a bound on kills are noted, when they are made
 * and when a commit brings them. */
static void settings_without_a_bound_are_noted(void **state)
{
    engine_fixture *f = *state;
    lines l = {.n = 0};
    sked_engine_preempt_options p = {.struct_size = sizeof p};

    (void)engine_queue(f, f->root, "leaf");
    begin_with_log(f, &l, SKED_LOG_INFO, 0);
    assert_ok(sked_engine_preempt(f->engine, &p, NULL));
    assert_int_equal(l.n, 0);
    p.flags = SKED_PREEMPT_FLAG_BY_USER | SKED_PREEMPT_FLAG_BY_PRIORITY;
    assert_ok(sked_engine_preempt(f->engine, &p, NULL));
    assert_int_equal(l.n, 1);
    assert_int_equal(l.level[0], SKED_LOG_INFO);
    assert_ok(sked_engine_commit(f->engine, f->tree, 0, NULL));
    assert_int_equal(l.n, 2);
    for (int i = 0; i < 2; i++) {
        assert_string_equal(l.text[i],
                            "note: preemption by user and by priority: a leaf "
                            "with both weighs its tasks by two orders");
    }
    p.flags = SKED_PREEMPT_FLAG_BY_USER;
    assert_ok(sked_engine_preempt(f->engine, &p, NULL));
    assert_int_equal(l.n, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(hooks_that_call_back_are_refused),
        engine_case(a_line_for_each_decision_and_refusal),
        engine_case(levels_leave_lines_out),
        engine_case(settings_without_a_bound_are_noted),
        engine_case(a_refusal_is_logged_without_an_error_to_fill),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
