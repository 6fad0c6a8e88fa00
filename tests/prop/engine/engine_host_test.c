/*
 * Never lost, never twice: a host that confirms, refuses, answers late or not
 * at all, repeats itself and loses nodes keeps its own list of every task it
 * asked for, from decisions and its own words alone. At each moment a task is
 * in exactly one place, and the engine counts as many in each.
 */
#include "test.h"

#include <sched/engine.h>

#include <stdlib.h>
#include <string.h>

#include "engine_world.h"
#include "host.h"
#include "size.h"

enum { OPEN = 1, PROPOSED, RUNNING, ENDED, REJECTED };

enum { JOBS = 512, TASKS = 256, ASKS = 1024, GROUPS = 4096 };

typedef struct host_task {
    uint32_t ask;
    uint8_t place;
} host_task;

typedef struct host_job {
    host_task task[TASKS];
    uint32_t tasks;
    int retry;
    int known; /* 1: said of, 2: over or cancelled */
} host_job;

typedef struct host_ask {
    uint32_t job;
    uint32_t gang; /* 0: none, else how many came back at once */
    int closed;
    int keep; /* 1: known though nothing of it is open or runs */
} host_ask;

/* Tasks that a decision named together, those that are left. */
typedef struct host_group {
    uint64_t name;
    uint64_t node;
    uint32_t ask;
    uint32_t task;
    uint32_t count;
} host_group;

typedef struct model {
    engine_world world;
    test_host memory;
    sked_engine *engine;
    int64_t confirm_within;
    host_job job[JOBS];
    host_ask ask[ASKS];
    host_group group[GROUPS];
    uint32_t jobs, asks, groups;
} model;

/* ---- What the host knows ---- */

static void move_tasks(model *m, uint32_t ask, uint32_t from, uint32_t count,
                       uint8_t place, uint8_t next)
{
    host_job *job = &m->job[m->ask[ask].job];

    for (uint32_t t = from; t < from + count; t++) {
        assert_true(t < job->tasks);
        assert_int_equal(job->task[t].ask, ask);
        assert_int_equal(job->task[t].place, place);
        job->task[t].place = next;
    }
}

static host_group *group_named(model *m, uint64_t name)
{
    for (uint32_t i = 0; i < m->groups; i++) {
        if (m->group[i].name == name && m->group[i].count > 0) {
            return &m->group[i];
        }
    }
    return NULL;
}

static uint8_t place_of(const model *m, const host_group *g)
{
    return m->job[m->ask[g->ask].job].task[g->task].place;
}

static void hear_allocate(model *m, const sked_decision *d)
{
    uint32_t ask = (uint32_t)d->ask, count = (uint32_t)d->count;

    assert_true(d->ask < m->asks && m->ask[ask].job == d->job);
    assert_null(group_named(m, d->group));
    assert_true(count > 0 && m->groups < GROUPS);
    if (m->ask[ask].gang) assert_true(count == m->ask[ask].gang);
    move_tasks(m, ask, (uint32_t)d->task, count, OPEN,
               m->confirm_within ? PROPOSED : RUNNING);
    m->group[m->groups++] = (host_group){d->group, d->node, ask,
                                         (uint32_t)d->task, count};
}

/* The last `count` tasks of a group are open again, or over. */
static void leave_group(model *m, host_group *g, uint32_t count, uint8_t next)
{
    uint8_t place = place_of(m, g);

    assert_true(count <= g->count);
    g->count -= count;
    move_tasks(m, g->ask, g->task + g->count, count, place, next);
    if (m->ask[g->ask].gang) m->ask[g->ask].gang = count;
}

static void hear_return(model *m, const sked_decision *d)
{
    host_group *g = group_named(m, d->group);

    assert_non_null(g);
    assert_true(d->node == g->node && d->ask == g->ask);
    assert_true(d->task == (int64_t)g->task + g->count - d->count);
    if (d->kind == SKED_DECISION_EXPIRE) {
        assert_int_equal(place_of(m, g), PROPOSED);
        assert_int_equal(d->count, g->count);
    }
    int over = m->ask[g->ask].closed; /* nothing more of it is wanted */
    leave_group(m, g, (uint32_t)d->count, over ? ENDED : OPEN);
}

static void hear_reject(model *m, const sked_decision *d)
{
    uint32_t ask = (uint32_t)d->ask;
    host_job *job = &m->job[m->ask[ask].job];

    for (uint32_t t = 0; t < job->tasks; t++) {
        if (job->task[t].ask == ask) job->task[t].place = REJECTED;
    }
    m->ask[ask].closed = 1;
}

static void hear_all(model *m)
{
    sked_decision d;
    size_t n;

    for (;;) {
        assert_ok(sked_engine_take(m->engine, &d, 1, &n, NULL));
        if (n == 0) return;
        switch (d.kind) {
        case SKED_DECISION_ADMIT: break;
        case SKED_DECISION_REJECT: hear_reject(m, &d); break;
        case SKED_DECISION_ALLOCATE: hear_allocate(m, &d); break;
        case SKED_DECISION_EXPIRE:
        case SKED_DECISION_LOST:
        case SKED_DECISION_REQUEUE: hear_return(m, &d); break;
        case SKED_DECISION_KILL:
            assert_non_null(group_named(m, d.group));
            assert_int_equal(group_named(m, d.group)->count, d.count);
            break;
        default: fail_msg("decision of kind %d", d.kind);
        }
    }
}

/* ---- What the host says ---- */

static sked_status say(model *m, sked_event event)
{
    engine_world *w = &m->world;
    uint64_t before = sked_engine_state_digest(m->engine);
    sked_time now = w->now;

    event.time = now;
    w->event = event;
    sked_status rc = sked_engine_apply(m->engine, &w->batch, NULL, NULL);
    /* What is refused changes nothing, unless a deadline came by. */
    if (rc != SKED_OK && !m->confirm_within) {
        assert_true(before == sked_engine_state_digest(m->engine));
    }
    return rc;
}

/* Says it twice; the second time must not be taken for another. */
static void say_again(model *m, sked_event event)
{
    if (test_below(&m->world.words, 4)) return;
    hear_all(m);
    assert_true(say(m, event) < 0);
}

static void say_job(model *m)
{
    if (m->jobs == JOBS) return;
    host_job *job = &m->job[m->jobs];
    sked_event e = {
        .kind = SKED_EVENT_JOB_SUBMIT,
        .key = m->jobs,
        .owner = test_below(&m->world.words, 4),
        .queue = m->world.queue[test_below(&m->world.words, m->world.queues)],
        .flags = (uint32_t)test_below(&m->world.words, 2)};

    if (say(m, e) != SKED_OK) return; /* no leaf */
    job->retry = (int)e.flags;
    job->known = 1;
    m->jobs++;
    say_again(m, e);
}

static void say_ask(model *m)
{
    test_words *words = &m->world.words;
    uint32_t job = (uint32_t)test_below(words, m->jobs);
    uint32_t count = 1 + (uint32_t)test_below(words, 9);

    if (m->asks == ASKS || m->job[job].tasks + count > TASKS) return;
    for (int k = 0; k < WORLD_KINDS; k++) {
        m->world.amounts[k] = (int64_t)test_below(words, 5);
    }
    sked_event e = {.kind = SKED_EVENT_ASK_ADD,
                    .key = m->asks,
                    .owner = job,
                    .count = count,
                    .partition = (uint32_t)test_below(words, 2),
                    .amount = 1};
    if (test_below(words, 4) == 0) e.flags = SKED_ASK_GANG;
    if (test_below(words, 4) == 0) e.flags |= SKED_ASK_KEEP;
    if (test_below(words, 4) == 0) e.partition = SKED_ANY_PARTITION;
    sked_status rc = say(m, e);
    if (m->job[job].known != 1) {
        assert_status(SKED_ERR_NOT_FOUND, rc);
        return;
    }
    assert_ok(rc);
    uint32_t ask = m->asks++;
    m->ask[ask] = (host_ask){job, e.flags & SKED_ASK_GANG ? count : 0, 0,
                             (e.flags & SKED_ASK_KEEP) != 0};
    uint32_t first = m->job[job].tasks;
    for (uint32_t t = first; t < first + count; t++) {
        m->job[job].task[t] = (host_task){ask, OPEN};
    }
    m->job[job].tasks += count;
    hear_all(m);
    if (m->ask[ask].closed)
        m->job[job].tasks = first; /* no number used */
    else
        say_again(m, e);
}

static void end_open(model *m, uint32_t ask)
{
    host_job *job = &m->job[m->ask[ask].job];

    for (uint32_t t = 0; t < job->tasks; t++) {
        if (job->task[t].ask == ask && job->task[t].place == OPEN) {
            job->task[t].place = ENDED;
        }
    }
    m->ask[ask].closed = 1;
}

/* Is nothing of an ask open, proposed or running? */
static int is_over(const model *m, uint32_t ask)
{
    const host_job *job = &m->job[m->ask[ask].job];

    for (uint32_t t = 0; t < job->tasks; t++) {
        uint8_t place = job->task[t].place;
        if (job->task[t].ask == ask && place != ENDED) return 0;
    }
    return 1;
}

static void say_withdraw(model *m)
{
    uint32_t ask = (uint32_t)test_below(&m->world.words, m->asks);
    sked_event e = {.kind = SKED_EVENT_ASK_WITHDRAW, .key = ask};
    int closed = m->ask[ask].closed;

    if (ask == 0) return;
    sked_status rc = say(m, e);
    hear_all(m);
    closed |= !m->ask[ask].keep && is_over(m, ask);
    assert_status(closed ? SKED_ERR_NOT_FOUND : SKED_OK, rc);
    end_open(m, ask);
    say_again(m, e);
}

/* Does the job run anything that the host said is carried out? */
static int runs(const model *m, uint32_t job)
{
    for (uint32_t t = 0; t < m->job[job].tasks; t++) {
        uint8_t place = m->job[job].task[t].place;
        if (place == RUNNING) return 1;
    }
    return 0;
}

static void say_end(model *m)
{
    uint32_t job = (uint32_t)test_below(&m->world.words, m->jobs);
    int cancel = test_below(&m->world.words, 2) == 0;
    sked_event e = {.kind = cancel ? SKED_EVENT_JOB_CANCEL
                                   : SKED_EVENT_JOB_FINISH,
                    .key = job};

    if (job == 0) return;
    sked_status rc = say(m, e);
    hear_all(m);
    if (m->job[job].known != 1) {
        assert_status(SKED_ERR_NOT_FOUND, rc);
        return;
    }
    if (!cancel && runs(m, job)) {
        assert_status(SKED_ERR_STATE, rc);
        return;
    }
    assert_ok(rc);
    m->job[job].known = 2;
    for (uint32_t a = 1; a < m->asks; a++) {
        if (m->ask[a].job == job) end_open(m, a);
    }
    say_again(m, e);
}

static void say_ended(model *m, host_group *g, int32_t kind)
{
    uint32_t count = test_below(&m->world.words, 2)
                         ? g->count
                         : 1 + (uint32_t)test_below(&m->world.words, g->count);
    host_ask *ask = &m->ask[g->ask];
    int whole = !ask->gang || count == g->count;
    int back = !ask->closed && whole && kind != SKED_EVENT_TASK_FINISH &&
               (kind == SKED_EVENT_TASK_LOST || m->job[ask->job].retry);
    sked_event e = {.kind = kind, .key = g->name, .count = count};

    uint32_t left = g->count;
    assert_ok(say(m, e));
    hear_all(m); /* REQUEUE moves them, and nothing else does */
    assert_int_equal(g->count, back ? left - count : left);
    if (!back) leave_group(m, g, count, ENDED);
    e.count = left - count + 1; /* more than there are */
    assert_true(say(m, e) < 0);
}

/* A word about a group, most of them in time. */
static void say_task(model *m)
{
    if (m->groups == 0) return;
    test_words *words = &m->world.words;
    host_group *g = &m->group[test_below(words, m->groups)];
    sked_event e = {.key = g->name};
    uint64_t what = test_below(words, 10);

    if (g->count == 0) { /* late, or again */
        e.kind = SKED_EVENT_TASK_CONFIRM + (int32_t)test_below(words, 5);
        e.count = 1;
        assert_status(SKED_ERR_STALE, say(m, e));
        return;
    }
    if (what < 4) {
        e.kind = what < 3 ? SKED_EVENT_TASK_CONFIRM : SKED_EVENT_TASK_REFUSE;
        int proposed = place_of(m, g) == PROPOSED;
        sked_status rc = say(m, e);
        hear_all(m);
        if (g->count == 0) { /* its deadline came first */
            assert_status(SKED_ERR_STALE, rc);
            return;
        }
        assert_status(proposed ? SKED_OK : SKED_ERR_STATE, rc);
        if (!proposed) return;
        if (what < 3) {
            move_tasks(m, g->ask, g->task, g->count, PROPOSED, RUNNING);
        } else {
            leave_group(m, g, g->count, m->ask[g->ask].closed ? ENDED : OPEN);
        }
        say_again(m, e);
        return;
    }
    sked_event tick = {.kind = SKED_EVENT_TICK};
    assert_ok(say(m, tick)); /* so that no deadline comes in between */
    hear_all(m);
    if (g->count == 0) return;
    say_ended(m, g,
              what < 8 ? SKED_EVENT_TASK_FINISH
                       : SKED_EVENT_TASK_FAIL + (int32_t)(what - 8));
}

static void say_node(model *m)
{
    engine_world *w = &m->world;
    uint64_t what = test_below(&w->words, 20);
    sked_event e = {.key = 1 + test_below(&w->words, w->nodes),
                    .partition = (uint32_t)test_below(&w->words, 2),
                    .amount = 1};

    for (int k = 0; k < WORLD_KINDS; k++) {
        w->amounts[k] = 5 + (int64_t)test_below(&w->words, 30);
    }
    e.kind = what < 16    ? SKED_EVENT_HEARTBEAT
             : what < 18  ? SKED_EVENT_NODE_UP
             : what == 18 ? SKED_EVENT_NODE_CHANGE
                          : SKED_EVENT_NODE_DOWN;
    (void)say(m, e);
}

/* As many tasks in each place as the engine counts. */
static void count_places(model *m)
{
    uint64_t places[8] = {0};
    sked_engine_stats stats = {.struct_size = sizeof stats};

    for (uint32_t j = 0; j < m->jobs; j++) {
        for (uint32_t t = 0; t < m->job[j].tasks; t++) {
            places[m->job[j].task[t].place]++;
        }
    }
    assert_ok(sked_engine_get_stats(m->engine, &stats));
    assert_true(stats.open_tasks == places[OPEN]);
    assert_true(stats.running_tasks == places[PROPOSED] + places[RUNNING]);
    assert_ok(sked_engine_check(m->engine, NULL));
}

static void one_word(model *m)
{
    uint64_t what = test_below(&m->world.words, 100);

    m->world.now += (sked_time)test_below(&m->world.words, 3);
    if (what < 35)
        say_node(m);
    else if (what < 42)
        say_job(m);
    else if (what < 60 && m->jobs > 1)
        say_ask(m);
    else if (what < 62 && m->asks > 1)
        say_withdraw(m);
    else if (what < 65 && m->jobs > 1)
        say_end(m);
    else
        say_task(m);
    hear_all(m);
    count_places(m);
}

static void run_model(uint64_t seed, size_t words)
{
    model *m = calloc(1, sizeof *m);

    assert_non_null(m);
    world_start(&m->world, seed, 3 + seed % 8, 5);
    world_next(&m->world); /* the batch */
    sked_engine_options opts = {.struct_size = sizeof opts};
    if (seed % 2) opts.confirm_within_ns = 1 + (int64_t)(seed % 40);
    m->confirm_within = opts.confirm_within_ns;
    m->jobs = m->asks = 1; /* keys are not 0 */
    sked_host host = test_host_hooks(&m->memory);
    assert_ok(sked_engine_new(m->world.tree, &opts, &host, &m->engine, NULL));
    for (size_t i = 0; i < words; i++) one_word(m);
    sked_engine_free(m->engine);
    world_end(&m->world);
    assert_int_equal(m->memory.live, 0);
    free(m);
}

static void every_task_is_in_one_place(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_size(40, 2000); seed++) {
        run_model(seed, 600);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_is_in_one_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
