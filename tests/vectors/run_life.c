/* Lives of tasks, jobs and updates: tables, placement, actions, steps. */
#include <sched/sked.h>

#include <stdlib.h>

#include "case.h"

enum { MOST_ROWS = 64, INSTANCE = 12 };

static uint32_t small(vec_case *c, const char *name)
{
    return (uint32_t)vec_number(c, name, 0);
}

/* 0: the field is empty, which stands for no instance. */
static int instance_in(vec_case *c, const char *name, sked_life_instance *i)
{
    size_t n;
    const int64_t *x = vec_numbers(c, name, &n);

    if (n != INSTANCE) return 0;
    *i = (sked_life_instance){.version = (uint64_t)x[0],
                              .desired = (uint64_t)x[1],
                              .run = (uint64_t)x[2],
                              .desired_run = (uint64_t)x[3],
                              .since = x[4],
                              .state = (uint32_t)x[5],
                              .goal = (uint32_t)x[6],
                              .health = (uint32_t)x[7],
                              .ended = (uint32_t)x[8],
                              .failures = (uint32_t)x[9],
                              .beside = (uint32_t)x[10],
                              .told = (uint32_t)x[11]};
    return 1;
}

static int judge_one(vec_case *c, sked_status rc, int64_t got)
{
    if (rc != SKED_OK) return vec_fail(c, sked_status_name(rc));
    return vec_judge(c, "want", &got, 1);
}

/* ---- Tasks and jobs ---- */

static int run_path(vec_case *c)
{
    const sked_life_table *t = sked_life_table_of(SKED_LIFE_TABLE_QUEUED);
    size_t n;
    const int64_t *path = vec_numbers(c, "path", &n);
    uint32_t edge;
    int64_t legal = 1;

    for (size_t i = 1; i < n; i++) {
        legal &= sked_life_way(t, (uint32_t)path[i - 1], (uint32_t)path[i],
                               &edge, NULL) == SKED_OK;
    }
    return vec_judge(c, "want", &legal, 1);
}

static sked_status place(vec_case *c, const sked_life_placing_options *o,
                         sked_life_tries *tries, sked_life_placing_result *r)
{
    uint32_t state = small(c, "state");

    switch (small(c, "op")) {
    case 0: return sked_life_placing_begin(state, o, tries, r, NULL);
    case 1: return sked_life_placing_timeout(state, o, tries, r, NULL);
    default: return sked_life_placing_return(state, o, tries, r, NULL);
    }
}

static int run_placing(vec_case *c)
{
    sked_life_placing_options o = {
        .struct_size = sizeof o,
        .attempts = small(c, "attempts"),
        .cycles = small(c, "cycles"),
        .reserve = small(c, "reserve"),
        .plain = small(c, "plain"),
        .placing_ns = vec_number(c, "placing", 0),
        .backoff_ns = vec_number(c, "backoff", 0),
    };
    sked_life_tries tries = {small(c, "attempt"), small(c, "cycle")};
    sked_life_placing_result r;
    int64_t got[MOST_ROWS + 2] = {-1, -1, -1, -1, -1};
    uint32_t times = small(c, "times");
    int begins = small(c, "op") == 0;

    for (uint32_t i = 0; i < times && i < MOST_ROWS; i++) {
        if (place(c, &o, &tries, &r) != SKED_OK) {
            return vec_judge(c, "want", got, 5);
        }
        got[i] = r.timeout_ns;
    }
    if (begins) {
        got[times] = tries.attempt;
        got[times + 1] = tries.cycle;
        return vec_judge(c, "want", got, times + 2);
    }
    got[0] = r.to;
    got[1] = r.reserve;
    got[2] = r.cycle_over;
    got[3] = r.all_over;
    got[4] = r.backoff_ns;
    return vec_judge(c, "want", got, 5);
}

static int run_write(vec_case *c)
{
    sked_life_instance now, next;
    int is_now = instance_in(c, "now", &now);
    int is_next = instance_in(c, "next", &next);
    sked_status rc = sked_life_may_replace(is_now ? &now : NULL,
                                           is_next ? &next : NULL, NULL);

    return judge_one(c, SKED_OK, rc == SKED_OK);
}

static int run_task_action(vec_case *c)
{
    sked_life_instance i;
    uint32_t action = 0;

    if (!instance_in(c, "instance", &i)) return vec_fail(c, "no instance");
    sked_status rc = sked_life_task_action(&i, NULL, &action, NULL);

    return judge_one(c, rc, action);
}

static sked_life_job_input job_in(vec_case *c)
{
    size_t n;
    const int64_t *tasks = vec_numbers(c, "tasks", &n);
    sked_life_job_input in = {
        .struct_size = sizeof in,
        .type = small(c, "type"),
        .state = small(c, "state"),
        .goal = small(c, "goal"),
        .instances = (uint64_t)vec_number(c, "instances", 0),
        .version = (uint64_t)vec_number(c, "version", 0),
        .goal_version = (uint64_t)vec_number(c, "goal_version", 0),
        .controller = small(c, "controller"),
        .created = small(c, "created")};

    for (size_t i = 0; i < n && i < SKED_LIFE_TASK_STATES; i++) {
        in.tasks[i] = (uint64_t)tasks[i];
    }
    return in;
}

static int run_job_state(vec_case *c)
{
    sked_life_job_input in = job_in(c);
    uint32_t state = 0;

    sked_status rc = sked_life_job_state(&in, &state, NULL);

    return judge_one(c, rc, state);
}

static int run_job_action(vec_case *c)
{
    sked_life_job_input in = job_in(c);
    uint32_t action = 0;

    sked_status rc = sked_life_job_action(&in, &action, NULL);

    return judge_one(c, rc, action);
}

static int run_backoff(vec_case *c)
{
    return judge_one(c, SKED_OK,
                     sked_life_backoff(small(c, "failures"),
                                       vec_number(c, "first", 0),
                                       vec_number(c, "most", 0)));
}

static int run_gang(vec_case *c)
{
    sked_life_sla sla = {.struct_size = sizeof sla,
                         .type = small(c, "type"),
                         .revocable = small(c, "revocable"),
                         .least_running = small(c, "least")};
    uint64_t n = (uint64_t)vec_number(c, "instances", 0);

    return judge_one(c, SKED_OK, (int64_t)sked_life_gang_of(&sla, n));
}

static int run_available(vec_case *c)
{
    sked_life_instance i;

    if (!instance_in(c, "instance", &i)) return vec_fail(c, "no instance");
    return judge_one(c, SKED_OK, sked_life_availability_of(&i));
}

/* ---- Updates ---- */

static int run_update_action(vec_case *c)
{
    return judge_one(
        c, SKED_OK,
        sked_life_update_action(small(c, "state"),
                                (uint64_t)vec_number(c, "processed", 0),
                                (uint64_t)vec_number(c, "total", 0)));
}

static int run_judge(vec_case *c)
{
    sked_life_instance i;

    if (!instance_in(c, "instance", &i)) return vec_fail(c, "no instance");
    uint64_t target = (uint64_t)vec_number(c, "target", 0);
    return judge_one(c, SKED_OK,
                     sked_life_update_judge(&i, target, small(c, "attempts")));
}

/* Rows of an update, and how their instances are. */
typedef struct rows {
    uint64_t from[MOST_ROWS], to[MOST_ROWS];
    sked_life_instance is[MOST_ROWS];
    sked_life_order order[2 * MOST_ROWS];
    size_t n, orders;
} rows;

static void add_row(rows *r, uint64_t from, uint64_t to)
{
    r->from[r->n] = from;
    r->to[r->n] = to;
    r->is[r->n++] = (sked_life_instance){.version = from,
                                         .desired = from,
                                         .state = from ? SKED_LIFE_TASK_RUNNING
                                                       : 0,
                                         .goal = SKED_LIFE_TASK_RUNNING,
                                         .health = SKED_LIFE_HEALTH_HEALTHY};
}

static sked_status new_update(const rows *r, uint32_t batch, uint32_t most,
                              int rollback, sked_life_update **u)
{
    sked_life_update_input in = {
        .struct_size = sizeof in, .from = r->from, .to = r->to, .n = r->n};
    sked_life_update_options o = {
        .struct_size = sizeof o,
        .batch = batch,
        .max_failures = most,
        .max_attempts = 1,
        .flags = rollback ? SKED_LIFE_UPDATE_FLAG_ROLLBACK : 0};

    return sked_life_update_new(&in, &o, NULL, u, NULL);
}

static sked_status step_rows(sked_life_update *u, rows *r, size_t cap)
{
    return sked_life_update_step(u, r->is, r->n, 0, r->order, cap, &r->orders,
                                 NULL);
}

/* What was told last: some have failed, some are done. */
static void report_rows(rows *r, uint64_t version, uint32_t failed,
                        uint32_t done)
{
    for (uint32_t i = 0; i < r->n; i++) {
        r->is[i].desired = r->is[i].version = version;
        r->is[i].state = i >= failed && i < failed + done
                             ? SKED_LIFE_TASK_RUNNING
                             : SKED_LIFE_TASK_STARTING;
        r->is[i].failures = i < failed;
    }
}

static int run_run(vec_case *c)
{
    rows r = {.n = 0};
    sked_life_update *u = NULL;
    sked_life_update_stats said = {.struct_size = sizeof said};
    uint32_t n = small(c, "n"), back = small(c, "back");
    uint32_t most = small(c, "most");

    for (uint32_t i = 0; i < n && i < MOST_ROWS; i++) add_row(&r, 1, 2);
    sked_status rc = new_update(&r, 0, most,
                                back || vec_number(c, "rollback", 0), &u);
    if (rc == SKED_OK) rc = step_rows(u, &r, MOST_ROWS);
    if (rc == SKED_OK && back) { /* so many failures that it turned back */
        report_rows(&r, 2, n, 0);
        rc = step_rows(u, &r, MOST_ROWS);
    }
    if (rc == SKED_OK) {
        report_rows(&r, back ? 1 : 2, small(c, "failed"), small(c, "done"));
        rc = step_rows(u, &r, MOST_ROWS);
    }
    if (rc == SKED_OK) rc = sked_life_update_get_stats(u, &said, NULL);
    sked_life_update_free(u);
    return judge_one(c, rc, said.at.state);
}

static int run_batch(vec_case *c)
{
    rows r = {.n = 0};
    sked_life_update *u = NULL;
    size_t n;
    const int64_t *many = vec_numbers(c, "rows", &n);
    uint32_t progress = small(c, "progress");
    int64_t got[MOST_ROWS] = {0};

    if (n != 3 || many[0] + many[1] + many[2] + progress > MOST_ROWS) {
        return vec_fail(c, "rows");
    }
    for (uint32_t i = 0; i < progress; i++) add_row(&r, 0, 2);
    for (int64_t i = 0; i < many[0]; i++) add_row(&r, 0, 2);
    for (int64_t i = 0; i < many[1]; i++) add_row(&r, 1, 2);
    for (int64_t i = 0; i < many[2]; i++) add_row(&r, 1, 0);
    sked_status rc = new_update(&r, small(c, "batch"), 0, 0, &u);
    if (rc == SKED_OK) rc = step_rows(u, &r, progress);
    if (rc == SKED_OK) rc = step_rows(u, &r, MOST_ROWS);
    for (size_t i = 0; rc == SKED_OK && i < r.orders; i++) {
        got[r.order[i].row - progress] = 1;
    }
    sked_life_update_free(u);
    if (rc != SKED_OK) return vec_fail(c, sked_status_name(rc));
    return vec_judge(c, "want", got, r.n - progress);
}

/* One word to an update; what is not legal leaves it as it is. */
static void say_op(int64_t op, sked_life_at *at)
{
    static const uint32_t events[] = {0, SKED_LIFE_EVENT_PAUSE,
                                      SKED_LIFE_EVENT_RESUME,
                                      SKED_LIFE_EVENT_ABORT};
    const sked_life_table *t = sked_life_table_of(SKED_LIFE_TABLE_UPDATE);
    sked_life_step step = {.at = *at};
    uint32_t edge = SKED_LIFE_NONE, event = 0, cause = SKED_LIFE_CAUSE_USER;

    if (op == 4 || op == 5) {
        *at = (sked_life_at){SKED_LIFE_UPDATE_STATE_INITIALIZED,
                             SKED_LIFE_NONE};
        if (op == 4) return;
        event = SKED_LIFE_EVENT_PAUSE;
    } else if (op < 4) {
        event = events[op];
    } else if (at->state == SKED_LIFE_UPDATE_STATE_PAUSED ||
               sked_life_way(t, at->state, (uint32_t)op - 16, &edge, NULL) ||
               edge == SKED_LIFE_NONE) {
        return; /* what is paused stays so, and what is over */
    } else {
        event = t->edges[edge].event;
        cause = SKED_LIFE_CAUSE_JOBS;
    }
    if (sked_life_next(t, at, event, cause, &step, NULL) == SKED_OK) {
        *at = step.at;
    }
}

static int run_ops(vec_case *c)
{
    size_t n;
    const int64_t *ops = vec_numbers(c, "ops", &n);
    sked_life_at at = {small(c, "start"), SKED_LIFE_NONE};

    for (size_t i = 0; i < n; i++) say_op(ops[i], &at);
    int64_t got[2] = {at.state, at.before};
    return vec_judge(c, "want", got, 2);
}

const vec_runner vec_run_life[] = {
    {"life_path", run_path},
    {"life_placing", run_placing},
    {"life_write", run_write},
    {"life_task_action", run_task_action},
    {"life_job_state", run_job_state},
    {"life_job_action", run_job_action},
    {"life_backoff", run_backoff},
    {"life_gang", run_gang},
    {"life_available", run_available},
    {"life_update_action", run_update_action},
    {"life_judge", run_judge},
    {"life_run", run_run},
    {"life_batch", run_batch},
    {"life_ops", run_ops},
    {NULL, NULL},
};
