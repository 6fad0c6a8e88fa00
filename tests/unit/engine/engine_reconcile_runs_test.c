/*
 * Tasks that run by a host's truth though nothing like them could start now: of
 * asks that no node or limit would hold, and of gangs that lost a node.
 */
#include <sched/engine_reconcile.h>

#include "engine_gangs.h"

enum { MOST = 16 };

/* A truth with amounts of 4 and 8 of both kinds. */
typedef struct said {
    sked_event rows[MOST];
    sked_event_gang gangs[MOST];
    sked_events batch;
    sked_engine_difference d[MOST];
    size_t n;
} said;

static const int64_t amounts[] = {4, 4, 8, 8};

static void add_row(said *s, sked_event event)
{
    s->rows[s->batch.n++] = event;
}

/* Job 1 in a leaf, and its ask 1 of so many tasks. */
static void add_work(said *s, sked_queue_id leaf, int64_t count, uint32_t flags,
                     uint32_t amount)
{
    add_row(s, (sked_event){.kind = SKED_EVENT_JOB_SUBMIT,
                            .key = 1,
                            .owner = 1,
                            .queue = leaf});
    s->gangs[s->batch.n].per_node = 1;
    add_row(s, (sked_event){.kind = SKED_EVENT_ASK_ADD,
                            .key = 1,
                            .owner = 1,
                            .count = count,
                            .flags = flags,
                            .amount = amount});
}

/* A node of 4, on which one task of ask 1 runs. */
static void add_running(said *s, uint64_t node)
{
    add_row(s,
            (sked_event){.kind = SKED_EVENT_NODE_UP, .key = node, .amount = 1});
    add_row(s, (sked_event){.kind = SKED_EVENT_TASK_RUNNING,
                            .key = node,
                            .owner = 1,
                            .count = 1});
}

static sked_status reconcile(engine_fixture *f, said *s)
{
    s->batch.struct_size = sizeof s->batch;
    s->batch.events = s->rows;
    s->batch.amounts = amounts;
    s->batch.n_amounts = 2;
    s->batch.gangs = s->gangs;
    return sked_engine_reconcile(f->engine, &s->batch, s->d, MOST, &s->n,
                                 &f->err);
}

static void compare(engine_fixture *f, said *s)
{
    assert_ok(reconcile(f, s));
}

/* Applies what differs; then nothing does. */
static void mend(engine_fixture *f, said *s)
{
    compare(f, s);
    sked_events batch = s->batch;
    batch.events = &s->d[0].event;
    batch.stride = sizeof s->d[0];
    batch.n = s->n;
    batch.gangs = &s->d[0].gang;
    batch.gang_stride = sizeof s->d[0];
    assert_ok(sked_engine_apply(f->engine, &batch, NULL, &f->err));
    assert_ok(sked_engine_check(f->engine, &f->err));
    compare(f, s);
    assert_int_equal(s->n, 0);
}

static int64_t running(const engine_fixture *f)
{
    return (int64_t)engine_stats_of(f).running_tasks;
}

/* Since its tasks started the node has become smaller, or the limit lower. */
static void what_runs_is_adopted_whatever_nodes_and_limits_hold(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    sked_queue_id low = engine_queue(f, f->root, "low");
    const int64_t limit[] = {3, 3};
    said s = {.n = 0}, t = {.n = 0};

    assert_ok(sked_tree_set_vec(f->tree, low, SKED_QUEUE_LIMIT, limit, NULL));
    engine_begin(f, NULL);
    add_work(&s, leaf, 2, 0, 2);
    add_running(&s, 1);
    mend(f, &s);
    assert_i64(running(f), 1);
    assert_i64((int64_t)engine_stats_of(f).open_tasks, 1);
    add_work(&t, low, 1, 0, 1);
    add_running(&t, 1);
    mend(f, &t); /* the same job in another queue, with another ask */
    assert_i64(running(f), 1);
}

/* Of a gang that is worth nothing in part one node has become another. */
static void a_gang_that_runs_gets_no_kill_order(void **state)
{
    engine_fixture *f = *state;
    const uint32_t together = SKED_ASK_GANG | SKED_ASK_SPREAD |
                              SKED_ASK_TOGETHER;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    said s = {.n = 0};

    engine_begin(f, NULL);
    add_work(&s, leaf, 2, together, 1);
    add_running(&s, 1);
    add_running(&s, 2);
    mend(f, &s);
    (void)engine_taken(f);
    s.rows[s.batch.n - 1].key = s.rows[s.batch.n - 2].key = 3;
    mend(f, &s);
    for (size_t i = engine_taken(f); i-- > 0;) {
        assert_int_not_equal(f->last[i].kind, SKED_DECISION_KILL);
    }
    assert_i64(running(f), 2);
    s.batch.n -= 2; /* one is lost: it is the gang's end */
    mend(f, &s);
    assert_int_equal(engine_taken(f), 2);
    assert_int_equal(f->last[1].kind, SKED_DECISION_KILL);
}

/* A row that the engine would be told, and would refuse, is refused before the
 * host has told any; of what is there already nothing is asked. */
static void what_would_be_refused_is_refused_at_once(void **state)
{
    engine_fixture *f = *state;
    const uint32_t exact = SKED_ASK_GANG | SKED_ASK_SPREAD | SKED_ASK_EXACT;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    sked_time moments[] = {SKED_UNSET, SKED_UNSET, SKED_UNSET, SKED_UNSET};
    said good = {.n = 0}, s;

    add_work(&good, leaf, 2, 0, 1); /* rows 0 and 1 */
    add_running(&good, 1);          /* rows 2 and 3 */
    good.batch.moments = moments;
    engine_begin(f, NULL);
#define WRONG(status, at, change)                                              \
    do {                                                                       \
        s = good;                                                              \
        change;                                                                \
        assert_status(status, reconcile(f, &s));                               \
        assert_i64(f->err.row, at);                                            \
        moments[0] = moments[3] = SKED_UNSET;                                  \
    } while (0)
    WRONG(SKED_ERR_ARG, 0, s.rows[0].owner = UINT64_MAX);
    WRONG(SKED_ERR_ARG, 0, s.rows[0].flags = SKED_ASK_GANG);
    WRONG(SKED_ERR_RANGE, 0, moments[0] = 1);
    WRONG(SKED_ERR_ARG, 1, s.rows[1].flags = SKED_JOB_RETRY);
    WRONG(SKED_ERR_ARG, 1, s.rows[1].flags = SKED_ASK_SPREAD);
    WRONG(SKED_ERR_RANGE, 1, s.rows[1].partition = SKED_MAX_PARTITIONS);
    WRONG(SKED_ERR_RANGE, 1, (s.rows[1].flags = exact, s.gangs[1].at_once = 3));
    WRONG(SKED_ERR_ARG, 1, (s.rows[1].flags = exact, s.gangs[1].per_node = 3));
    WRONG(SKED_ERR_RANGE, 2, s.rows[2].partition = SKED_MAX_PARTITIONS);
    WRONG(SKED_ERR_RANGE, 2, s.rows[2].time = INT64_MAX);
    WRONG(SKED_ERR_RANGE, 3, moments[3] = 1);
    WRONG(SKED_ERR_RANGE, 3, moments[3] = -SKED_TIME_JUMP_MAX - 1);

    s = good;
    s.rows[1].flags = exact;
    s.rows[1].count = 4;
    s.rows[3].count = 3;
    s.gangs[1].per_node = 2;
    mend(f, &s);
    const sked_decision *start = f->last;
    (void)engine_taken(f);
    while (start->kind != SKED_DECISION_ALLOCATE) start++;
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, start->group, 1));
    s.rows[1].count = 3; /* no multiple, but it is there */
    s.rows[3].count = 2;
    compare(f, &s);
    assert_int_equal(s.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(what_runs_is_adopted_whatever_nodes_and_limits_hold),
        engine_case(a_gang_that_runs_gets_no_kill_order),
        engine_case(what_would_be_refused_is_refused_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
