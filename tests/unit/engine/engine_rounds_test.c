/* Rounds that look at few nodes decide what rounds that look at all decide,
 * keep their lists in order, and soon ask for no memory. */
#include "engine_fixture.h"

#include <stdio.h>

#include "words.h"

enum {
    SECOND = 1000000000,
    NODES = 150,
    GROUPS = 4096,
    HUGE_ASK = 999999 /* larger than any share: it never asks */
};

typedef struct running {
    uint64_t group;
    int64_t count;
    int killed;
} running;

/* The same events go to both; one of them has a reason to look everywhere. */
typedef struct pair {
    engine_fixture *f;
    sked_engine *twin;
    sked_queue_id queue[4];
    running runs[GROUPS];
    size_t n;
    uint64_t jobs, asks;
    uint64_t told;
    test_words w;
} pair;

static sked_status say_both(pair *p, sked_event event, int64_t cpu,
                            int64_t memory)
{
    engine_fixture *f = p->f;
    sked_engine *own = f->engine;
    sked_status rc = engine_say(f, event, cpu, memory);

    f->engine = p->twin;
    assert_status(rc, engine_say(f, event, cpu, memory));
    f->engine = own;
    return rc;
}

static void forget_run(pair *p, uint64_t group, int64_t count)
{
    size_t i = 0;

    while (i < p->n && p->runs[i].group != group) i++;
    assert_true(i < p->n);
    p->runs[i].count -= count;
    if (p->runs[i].count == 0) p->runs[i] = p->runs[--p->n];
}

/* What a host does about a decision: victims end now or a little later. */
static void obey(pair *p, const sked_decision *d)
{
    sked_event ended = {
        .kind = SKED_EVENT_TASK_KILLED, .key = d->group, .count = d->count};

    if (d->kind == SKED_DECISION_NOTIFY) p->told += (uint64_t)d->count;
    if (d->kind == SKED_DECISION_ALLOCATE) {
        assert_true(p->n < GROUPS);
        p->runs[p->n++] = (running){d->group, d->count, 0};
    }
    if (d->kind != SKED_DECISION_KILL) return;
    if (d->reason == SKED_REASON_CANCELLED) {
        ended.kind = SKED_EVENT_TASK_LOST;
    }
    assert_ok(say_both(p, ended, 0, 0));
    forget_run(p, d->group, d->count);
}

/* Both decided the same; it is carried out. */
static void take_both(pair *p)
{
    static sked_decision own[64], other[64];
    size_t n, m;

    do {
        assert_ok(sked_engine_take(p->f->engine, own, 64, &n, NULL));
        assert_ok(sked_engine_take(p->twin, other, 64, &m, NULL));
        assert_i64((int64_t)n, (int64_t)m);
        for (size_t i = 0; i < n; i++) {
            assert_i64(own[i].kind, other[i].kind);
            assert_true(own[i].group == other[i].group);
            assert_i64(own[i].task, other[i].task);
            assert_i64(own[i].count, other[i].count);
            assert_true(own[i].node == other[i].node);
        }
        for (size_t i = 0; i < n; i++) obey(p, &own[i]);
    } while (n > 0);
}

static uint64_t any(pair *p, uint64_t n)
{
    return test_below(&p->w, n);
}

/* One queue after the other fills what there is. */
static sked_queue_id next_queue(pair *p)
{
    return p->queue[any(p, 4) ? p->jobs / 90 % 4 : any(p, 4)];
}

static void submit(pair *p)
{
    static const uint32_t flags[] = {0, 0, 0, SKED_JOB_KEEPS, SKED_JOB_FIXED};
    uint64_t job = ++p->jobs, ask = ++p->asks;

    assert_ok(say_both(p,
                       (sked_event){.kind = SKED_EVENT_JOB_SUBMIT,
                                    .key = job,
                                    .queue = next_queue(p),
                                    .flags = flags[any(p, 5)],
                                    .owner = 1 + any(p, 3)},
                       0, 0));
    uint32_t kind = any(p, 8) ? 0 : any(p, 2) ? SKED_ASK_GANG : SKED_ASK_MASTER;
    int64_t count = kind == SKED_ASK_GANG ? 1 + (int64_t)any(p, 3)
                                          : 1 + (int64_t)any(p, 40);
    int64_t memory = 1 + (int64_t)any(p, 3);
    int64_t cpu = 1 + (int64_t)any(p, 3);

    assert_ok(say_both(p,
                       (sked_event){.kind = SKED_EVENT_ASK_ADD,
                                    .key = ask,
                                    .owner = job,
                                    .count = count,
                                    .flags = kind,
                                    .amount = 1},
                       cpu, memory));
}

static void end_one(pair *p)
{
    static const int32_t how[] = {SKED_EVENT_TASK_FINISH, SKED_EVENT_TASK_LOST};
    if (p->n == 0) return;
    running *r = &p->runs[any(p, p->n)];
    int64_t count = 1 + (int64_t)any(p, (uint64_t)r->count);
    sked_event event = {
        .kind = how[any(p, 2)], .key = r->group, .count = count};
    if (say_both(p, event, 0, 0) == SKED_OK) forget_run(p, r->group, count);
}

static void save_one(pair *p)
{
    if (p->n == 0) return;
    assert_ok(say_both(p,
                       (sked_event){.kind = SKED_EVENT_TASK_SAVED,
                                    .key = p->runs[any(p, p->n)].group},
                       0, 0));
}

static void move_one(pair *p)
{
    sked_event event = {.kind = any(p, 4) ? SKED_EVENT_JOB_UPDATE
                                          : SKED_EVENT_JOB_CANCEL,
                        .key = 1 + any(p, p->jobs)};

    if (event.kind == SKED_EVENT_JOB_UPDATE) {
        event.queue = p->queue[any(p, 4)];
    }
    (void)!say_both(p, event, 0, 0);
}

static void beat_some(pair *p)
{
    for (int i = 0; i < 40; i++) {
        assert_ok(say_both(p,
                           (sked_event){.kind = SKED_EVENT_HEARTBEAT,
                                        .key = 1 + any(p, NODES)},
                           0, 0));
        take_both(p);
    }
}

static void happen_once(pair *p)
{
    switch (any(p, 16)) {
    case 0: save_one(p); break;
    case 1: move_one(p); break;
    case 2:
    case 3:
    case 4:
    case 5: submit(p); break;
    case 6:
    case 7:
    case 8:
    case 9:
    case 10:
    case 11:
    case 12: beat_some(p); break;
    default: end_one(p); break;
    }
    take_both(p);
}

/* The twin's ask names a node; nothing else is different. */
static void add_huge_asks(pair *p)
{
    engine_fixture *f = p->f;
    const int64_t amounts[] = {HUGE_ASK, 1};
    const int32_t offsets[] = {0, 1};
    const uint64_t place = 1;
    const sked_event job = {.kind = SKED_EVENT_JOB_SUBMIT,
                            .key = ++p->jobs,
                            .queue = p->queue[0],
                            .owner = 9};
    sked_event ask = {.kind = SKED_EVENT_ASK_ADD,
                      .key = ++p->asks,
                      .owner = p->jobs,
                      .count = 1,
                      .amount = 1};

    assert_ok(say_both(p, job, 0, 0));
    assert_ok(engine_say(f, ask, HUGE_ASK, 1));
    ask.places = 1;
    const sked_events batch = {.struct_size = sizeof batch,
                               .events = &ask,
                               .n = 1,
                               .amounts = amounts,
                               .n_amounts = 1,
                               .place_offsets = offsets,
                               .places = &place,
                               .n_places = 1};
    assert_ok(sked_engine_apply(p->twin, &batch, NULL, &f->err));
}

static void preempt_both(pair *p, int32_t dialect)
{
    const sked_target_options targets = {
        .struct_size = sizeof targets,
        .flags = dialect == SKED_TARGET_MODE_IMBALANCE
                     ? SKED_TARGET_FLAG_BY_WEIGHT
                     : 0,
        .mode = dialect,
        .ignored_ppm = -1,
        .factor_ppm = 500000,
        .per_round_ppm = 100000};
    const sked_round_options rounds = {.struct_size = sizeof rounds,
                                       .grace_ns = 6 * (int64_t)SECOND};
    const sked_engine_preempt_options opts = {
        .struct_size = sizeof opts, .targets = &targets, .rounds = &rounds};

    assert_ok(sked_engine_preempt(p->f->engine, &opts, &p->f->err));
    assert_ok(sked_engine_preempt(p->twin, &opts, &p->f->err));
}

static void begin_both(pair *p, engine_fixture *f, int32_t dialect)
{
    sked_host host = test_host_hooks(&f->host);

    *p = (pair){.f = f, .w = {.state = 900 + (uint64_t)dialect}};
    for (int i = 0; i < 4; i++) {
        char name[2] = {(char)('a' + i), 0};
        p->queue[i] = engine_queue(f, f->root, name);
        engine_set(f, p->queue[i], SKED_QUEUE_GUARANTEE_PPM, 250000);
    }
    engine_begin(f, NULL);
    assert_ok(sked_engine_new(f->tree, NULL, &host, &p->twin, NULL));
    preempt_both(p, dialect);
    add_huge_asks(p);
    for (uint64_t i = 0; i < NODES; i++) {
        int64_t memory = 300 + (int64_t)any(p, 60);
        int64_t cpu = 2 + (int64_t)any(p, 8);

        assert_ok(say_both(
            p,
            (sked_event){.kind = SKED_EVENT_NODE_UP, .key = 1 + i, .amount = 1},
            cpu, memory));
    }
}

static void few_nodes_are_as_good_as_all(void **state)
{
    static pair p;
    (void)state;

    for (int32_t dialect = SKED_TARGET_MODE_IMBALANCE;
         dialect <= SKED_TARGET_MODE_ENTITLEMENT; dialect++) {
        if (dialect == SKED_TARGET_MODE_STARVATION) continue; /* by time-outs */
        void *fresh;
        engine_setup(&fresh);
        begin_both(&p, fresh, dialect);
        for (int round = 0; round < 250; round++) {
            for (int i = 0; i < 12; i++) {
                p.f->now += SECOND / 4;
                happen_once(&p);
            }
            assert_ok(
                say_both(&p, (sked_event){.kind = SKED_EVENT_ROUND}, 0, 0));
            take_both(&p);
            assert_ok(sked_engine_check(p.f->engine, NULL));
            if (round == 70) {
                assert_ok(
                    sked_engine_commit(p.f->engine, p.f->tree, p.f->now, NULL));
                assert_ok(
                    sked_engine_commit(p.twin, p.f->tree, p.f->now, NULL));
            }
        }
        assert_true(p.told > 100);
        sked_engine_free(p.twin);
        engine_teardown(&fresh);
    }
}

/* Rounds that have been like this before ask the host for nothing. */
static void steady_rounds_need_no_memory(void **state)
{
    static pair p;
    size_t asked = 0;

    begin_both(&p, *state, SKED_TARGET_MODE_IMBALANCE);
    sked_engine_free(p.twin);
    engine_fixture *f = *state;
    engine_add_job(f, 100, p.queue[0], 1);
    engine_add_job(f, 101, p.queue[1], 1);
    assert_ok(engine_add_ask(f, 100, 100, 2000, 1, 1));
    for (uint64_t i = 1; i <= NODES; i++) {
        assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, i));
    }
    while (engine_taken(f) == 64) {
    }
    assert_ok(engine_add_ask(f, 101, 101, 100, 1, 1));
    for (int64_t t = 1; t < 30; t++) {
        /* the same seconds: costs are the same ones */
        f->now = SECOND + t;
        assert_ok(engine_tell(f, SKED_EVENT_ROUND, 0));
        while (engine_taken(f) == 64) {
        }
        if (t == 5) asked = f->host.requests;
    }
    assert_true(engine_stats_of(f).running_tasks > 500);
    assert_i64((int64_t)f->host.requests, (int64_t)asked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_nodes_are_as_good_as_all),
        engine_case(steady_rounds_need_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
