/*
 * The tables of Peloton's document and of its code, word by word: where requests
 * and time-outs lead, what is to be done by goal and state, how updates move,
 * what the four types of job imply.
 */
#include "test.h"

#include <sched/sked.h>

#include <stdio.h>
#include <string.h>

static uint32_t row_of(const sked_life_table *t, const char *name)
{
    for (uint32_t i = 0; i < t->n_states; i++) {
        if (strcmp(t->states[i].text, name) == 0) return i;
    }
    fail_msg("no state %s", name);
    return 0;
}

/* Is `name` a word of `list`, in which blanks divide words? */
static int is_in(const char *list, const char *name)
{
    size_t n = strlen(name);

    for (const char *at = list; (at = strstr(at, name)); at += n) {
        int begins = at == list || at[-1] == ' ';
        if (begins && (at[n] == ' ' || !at[n])) return 1;
    }
    return 0;
}

/* From each state, exactly these can be asked for. */
typedef struct requests {
    const char *from;
    const char *to;
} requests;

static void check_requests(uint32_t which, const requests *rows, size_t n)
{
    const sked_life_table *t = sked_life_table_of(which);
    uint32_t edge;

    for (size_t i = 0; i < n; i++) {
        uint32_t from = row_of(t, rows[i].from);
        for (uint32_t to = 0; to < t->n_states; to++) {
            sked_status rc = sked_life_way(t, from, to, &edge, NULL);
            int listed = is_in(rows[i].to, t->states[to].text) || to == from;
            if ((rc == SKED_OK) != listed) {
                fail_msg("%s to %s: %s", rows[i].from, t->states[to].text,
                         sked_status_name(rc));
            }
        }
    }
}

static void requests_of_tasks(void **state)
{
    static const requests rows[] = {
        {"INITIALIZED", "PENDING RUNNING LAUNCHING LAUNCHED"},
        {"PENDING", "READY KILLED PLACED"},
        {"READY", "PLACING RESERVED PLACED KILLED PENDING"},
        {"PLACING", "READY PLACED KILLED PENDING"},
        {"RESERVED", "PLACED KILLED PENDING"},
        {"PLACED", "LAUNCHING KILLED"},
        {"LAUNCHING", "RUNNING READY KILLED LAUNCHED"},
        {"LAUNCHED", "RUNNING READY KILLED LAUNCHED"},
        {"RUNNING", "SUCCEEDED LOST PREEMPTING KILLING FAILED KILLED"},
        {"FAILED", "READY"},
        {"KILLED", "PENDING"},
        {"SUCCEEDED", ""},
        {"LOST", ""},
        {"PREEMPTING", ""},
        {"KILLING", ""},
        {"STARTING", ""},
        {"DELETED", ""},
    };
    (void)state;

    check_requests(SKED_LIFE_TABLE_QUEUED, rows, sizeof rows / sizeof *rows);
}

/* Its state may be replaced within one run. */
static void writes_of_tasks(void **state)
{
#define AHEAD "PENDING READY PLACING PLACED LAUNCHING PREEMPTING"
#define NODE_SAYS "STARTING RUNNING SUCCEEDED FAILED LOST KILLED"
    static const requests rows[] = {
        {"INITIALIZED", AHEAD " LAUNCHED KILLING " NODE_SAYS},
        {"PENDING", AHEAD " LAUNCHED KILLING " NODE_SAYS},
        {"PREEMPTING", AHEAD " LAUNCHED KILLING " NODE_SAYS},
        {"LAUNCHED", "LAUNCHED KILLING " NODE_SAYS},
        {"STARTING", "KILLING " NODE_SAYS},
        {"RUNNING", "KILLING " NODE_SAYS},
        {"KILLING", "SUCCEEDED FAILED LOST KILLED"},
        {"SUCCEEDED", ""},
        {"FAILED", ""},
        {"LOST", ""},
        {"KILLED", ""},
    };
    (void)state;

    check_requests(SKED_LIFE_TABLE_TASK, rows, sizeof rows / sizeof *rows);
}

static void time_outs_of_tasks(void **state)
{
    static const struct {
        const char *from;
        uint32_t event;
        const char *to;
    } rows[] = {
        {"PLACING", SKED_LIFE_EVENT_TIMEOUT, "READY"},
        {"PLACING", SKED_LIFE_EVENT_CYCLE_OVER, "PENDING"},
        {"LAUNCHING", SKED_LIFE_EVENT_TIMEOUT, "READY"},
        {"RESERVED", SKED_LIFE_EVENT_TIMEOUT, "PENDING"},
        {"PREEMPTING", SKED_LIFE_EVENT_TIMEOUT, "RUNNING"},
    };
    const sked_life_table *t = sked_life_table_of(SKED_LIFE_TABLE_QUEUED);
    uint32_t edges[8];
    size_t n, all = 0;
    (void)state;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sked_life_at at = {row_of(t, rows[i].from), SKED_LIFE_NONE};
        sked_life_step step;
        assert_ok(sked_life_next(t, &at, rows[i].event, SKED_LIFE_CAUSE_TIMER,
                                 &step, NULL));
        assert_int_equal(step.at.state, row_of(t, rows[i].to));
        assert_int_equal(step.at.before, at.state);
        assert_int_equal(step.outcome, SKED_LIFE_OUTCOME_MOVED);
    }
    for (uint32_t s = 0; s < t->n_states; s++) { /* and no others */
        assert_ok(
            sked_life_legal(t, s, SKED_LIFE_CAUSE_TIMER, edges, 8, &n, NULL));
        all += n;
    }
    assert_int_equal(all, 5);
}

/* What is to be done: a word for each state, "-" for nothing. */
static void check_actions(uint32_t which, const char *const *rows, size_t n)
{
    const sked_life_table *t = sked_life_table_of(which);

    for (size_t i = 0; i < n; i++) {
        char goal[24], from[24], want[24];
        uint32_t action;
        assert_int_equal(sscanf(rows[i], "%23s %23s %23s", goal, from, want),
                         3);
        assert_ok(
            sked_life_act(t, row_of(t, goal), row_of(t, from), &action, NULL));
        const char *got = action ? t->actions[action].text : "-";
        if (strcmp(got, want) != 0) fail_msg("%s: %s", rows[i], got);
    }
}

static void actions_of_tasks(void **state)
{
    static const char *const rows[] = {
        "RUNNING INITIALIZED start",
        "RUNNING PENDING -",
        "RUNNING LAUNCHED check_launch",
        "RUNNING STARTING check_launch",
        "RUNNING RUNNING -",
        "RUNNING KILLING shut_down",
        "RUNNING SUCCEEDED restart",
        "RUNNING FAILED restart",
        "RUNNING KILLED restart",
        "RUNNING LOST restart",
        "SUCCEEDED INITIALIZED start",
        "SUCCEEDED LAUNCHED check_launch",
        "SUCCEEDED STARTING check_launch",
        "SUCCEEDED RUNNING -",
        "SUCCEEDED KILLING -",
        "SUCCEEDED SUCCEEDED -",
        "SUCCEEDED FAILED retry",
        "SUCCEEDED KILLED retry",
        "SUCCEEDED LOST retry",
        "KILLED INITIALIZED stop",
        "KILLED PENDING stop",
        "KILLED LAUNCHED stop",
        "KILLED STARTING stop",
        "KILLED RUNNING stop",
        "KILLED LOST -",
        "KILLED KILLING shut_down",
        "KILLED KILLED -",
        "DELETED INITIALIZED stop",
        "DELETED PENDING stop",
        "DELETED LAUNCHED stop",
        "DELETED STARTING stop",
        "DELETED RUNNING stop",
        "DELETED KILLING shut_down",
        "DELETED LOST delete",
        "DELETED SUCCEEDED delete",
        "DELETED FAILED delete",
        "DELETED KILLED delete",
        "FAILED INITIALIZED invalid",
        "FAILED RUNNING invalid",
        "FAILED FAILED invalid",
        "PREEMPTING INITIALIZED stop",
        "PREEMPTING PENDING stop",
        "PREEMPTING LAUNCHED stop",
        "PREEMPTING STARTING stop",
        "PREEMPTING RUNNING stop",
        "PREEMPTING LOST -",
        "PREEMPTING PREEMPTING invalid",
        "PREEMPTING KILLING shut_down",
    };
    (void)state;

    check_actions(SKED_LIFE_TABLE_TASK, rows, sizeof rows / sizeof *rows);
}

static void actions_of_jobs(void **state)
{
    static const char *const rows[] = {
        "RUNNING UNINITIALIZED recover",
        "RUNNING INITIALIZED create",
        "RUNNING PENDING -",
        "RUNNING RUNNING -",
        "RUNNING KILLING invalid",
        "RUNNING SUCCEEDED -",
        "SUCCEEDED UNINITIALIZED recover",
        "SUCCEEDED INITIALIZED create",
        "SUCCEEDED PENDING -",
        "SUCCEEDED RUNNING -",
        "SUCCEEDED KILLING invalid",
        "SUCCEEDED SUCCEEDED untrack",
        "SUCCEEDED FAILED untrack",
        "SUCCEEDED KILLED untrack",
        "KILLED UNINITIALIZED kill_untrack",
        "KILLED INITIALIZED kill",
        "KILLED PENDING kill",
        "KILLED RUNNING kill",
        "KILLED KILLING -",
        "KILLED SUCCEEDED kill_untrack",
        "KILLED FAILED kill_untrack",
        "KILLED KILLED kill_untrack",
        "DELETED UNINITIALIZED delete",
        "DELETED INITIALIZED kill",
        "DELETED PENDING kill",
        "DELETED RUNNING kill",
        "DELETED KILLING kill",
        "DELETED SUCCEEDED kill_delete",
        "DELETED FAILED kill_delete",
        "DELETED KILLED kill_delete",
        "FAILED UNINITIALIZED invalid",
        "FAILED KILLING invalid",
        "FAILED SUCCEEDED invalid",
    };
    (void)state;

    check_actions(SKED_LIFE_TABLE_JOB, rows, sizeof rows / sizeof *rows);
}

static void edges_of_jobs(void **state)
{
    static const requests rows[] = {
        {"UNINITIALIZED", "INITIALIZED PENDING DELETED"},
        {"INITIALIZED", "PENDING KILLING KILLED DELETED"},
        {"PENDING", "RUNNING KILLING KILLED SUCCEEDED FAILED DELETED"},
        {"RUNNING", "PENDING KILLING SUCCEEDED FAILED KILLED DELETED"},
        {"KILLING", "KILLED SUCCEEDED FAILED DELETED"},
        {"SUCCEEDED", "PENDING RUNNING DELETED"},
        {"FAILED", "PENDING RUNNING DELETED"},
        {"KILLED", "PENDING RUNNING DELETED"},
        {"DELETED", ""},
    };
    (void)state;

    check_requests(SKED_LIFE_TABLE_JOB, rows, sizeof rows / sizeof *rows);
}

static void edges_of_updates(void **state)
{
    static const requests rows[] = {
        {"INITIALIZED", "ROLLING_FORWARD PAUSED ABORTED"},
        {"ROLLING_FORWARD", "SUCCEEDED FAILED ROLLING_BACKWARD PAUSED ABORTED"},
        {"ROLLING_BACKWARD", "ROLLED_BACK FAILED PAUSED ABORTED"},
        {"PAUSED", "ABORTED"}, /* and back to where it was */
        {"SUCCEEDED", ""},
        {"FAILED", ""},
        {"ABORTED", ""},
        {"ROLLED_BACK", ""},
    };
    const sked_life_table *t = sked_life_table_of(SKED_LIFE_TABLE_UPDATE);
    sked_life_step step;
    (void)state;

    check_requests(SKED_LIFE_TABLE_UPDATE, rows, sizeof rows / sizeof *rows);
    for (uint32_t s = SKED_LIFE_UPDATE_STATE_INITIALIZED;
         s < SKED_LIFE_UPDATE_STATE_PAUSED; s++) {
        sked_life_at at = {SKED_LIFE_UPDATE_STATE_PAUSED, s};
        assert_ok(sked_life_next(t, &at, SKED_LIFE_EVENT_RESUME,
                                 SKED_LIFE_CAUSE_USER, &step, NULL));
        assert_int_equal(step.at.state, s);
    }
    sked_life_at over = {SKED_LIFE_UPDATE_STATE_ABORTED,
                         SKED_LIFE_UPDATE_STATE_PAUSED};
    assert_ok(sked_life_next(t, &over, SKED_LIFE_EVENT_START,
                             SKED_LIFE_CAUSE_JOBS, &step, NULL));
    assert_int_equal(step.outcome, SKED_LIFE_OUTCOME_IGNORED);
    assert_int_equal(step.at.state, SKED_LIFE_UPDATE_STATE_ABORTED);
}

static void nodes_and_offers(void **state)
{
    static const requests nodes[] = {
        {"UP", "DRAINING QUARANTINED"},
        {"DRAINING", "DRAINED"},
        {"DRAINED", "DOWN"},
        {"DOWN", "UP"},
        {"QUARANTINED", "DRAINING"},
    };
    static const requests offers[] = {
        {"READY", "PLACING HELD RESERVED"},
        {"PLACING", "READY HELD"},
        {"HELD", "PLACING READY"},
        {"RESERVED", "PLACING READY"},
    };
    (void)state;

    check_requests(SKED_LIFE_TABLE_NODE, nodes, sizeof nodes / sizeof *nodes);
    check_requests(SKED_LIFE_TABLE_OFFER, offers,
                   sizeof offers / sizeof *offers);
}

/* [PEL-1] */
/* Every edge of which somebody keeps count and gives up at a bound, and no
 * other: attempts of placement, launches, runs, failures of a node. */
static void progress_is_counted_here(void **state)
{
    static const char *const counted[] = {
        "queued: PLACING return",
        "queued: READY PLACING RESERVED requeue",
        "queued: LAUNCHING LAUNCHED return",
        "queued: FAILED return",
        "queued: KILLED requeue",
        "queued: PLACING timeout",
        "queued: PLACING cycle_over",
        "queued: RESERVED timeout",
        "queued: LAUNCHING timeout",
        "queued: PREEMPTING timeout",
        "task: INITIALIZED PENDING READY PLACING PLACED LAUNCHING PREEMPTING "
        "enqueue",
        "task: INITIALIZED PENDING READY PLACING PLACED LAUNCHING PREEMPTING "
        "admit",
        "task: INITIALIZED PENDING READY PLACING PLACED LAUNCHING PREEMPTING "
        "dequeue",
        "task: INITIALIZED PENDING READY PLACING PLACED LAUNCHING PREEMPTING "
        "place",
        "task: INITIALIZED PENDING READY PLACING PLACED LAUNCHING PREEMPTING "
        "launch",
        "task: INITIALIZED PENDING READY PLACING PLACED LAUNCHING PREEMPTING "
        "preempt",
        "task: INITIALIZED PENDING READY PLACING PLACED LAUNCHING LAUNCHED "
        "STARTING RUNNING PREEMPTING KILLING SUCCEEDED FAILED KILLED LOST "
        "new_run",
        "job: SUCCEEDED FAILED KILLED enqueue",
        "node: QUARANTINED timeout",
        "offer: READY HELD RESERVED match",
        "offer: READY hold",
        "offer: READY reserve",
    };
    size_t seen = 0;
    (void)state;

    for (uint32_t which = 1; which <= SKED_LIFE_TABLE_GROUP; which++) {
        const sked_life_table *t = sked_life_table_of(which);
        for (uint64_t i = 0; i < t->n_edges; i++) {
            const sked_life_edge *e = &t->edges[i];
            char line[256];
            int n = snprintf(line, sizeof line, "%s:", t->name);
            if (!(e->marks & SKED_LIFE_EDGE_COUNTED)) continue;
            for (uint32_t s = 0; s < t->n_states; s++) {
                if (!(e->from & SKED_LIFE_BIT(s))) continue;
                n += snprintf(line + n, sizeof line - (size_t)n, " %s",
                              t->states[s].text);
            }
            snprintf(line + n, sizeof line - (size_t)n, " %s",
                     t->events[e->event].text);
            assert_true(seen < sizeof counted / sizeof *counted);
            assert_string_equal(line, counted[seen]);
            seen++;
        }
    }
    assert_int_equal(seen, sizeof counted / sizeof *counted);
}

static void the_four_types_of_job(void **state)
{
    sked_life_nature n = {.struct_size = sizeof n};
    const int64_t second = 1000000000;
    (void)state;

    assert_ok(sked_life_nature_of(SKED_LIFE_TYPE_BATCH, &n, NULL));
    assert_int_equal(n.preemptible, 1);
    assert_int_equal(n.goal, SKED_LIFE_TASK_SUCCEEDED);
    assert_int_equal(n.again, SKED_LIFE_AGAIN_FAILED);
    assert_int_equal(n.updates, 0);
    assert_int_equal(n.pinned + n.per_node, 0);
    assert_int_equal(n.rounds, 1);
    assert_true(n.place_ns == 500 * second);
    assert_ok(sked_life_nature_of(SKED_LIFE_TYPE_STATELESS, &n, NULL));
    assert_int_equal(n.preemptible, 1);
    assert_int_equal(n.per_node, 0);
    assert_int_equal(n.rounds, 2);
    assert_true(n.place_ns == 60 * second);
    assert_int_equal(n.goal, SKED_LIFE_TASK_RUNNING);
    assert_int_equal(n.again, SKED_LIFE_AGAIN_ALWAYS);
    assert_int_equal(n.pinned, 0);
    assert_int_equal(n.updates, 1);
    assert_ok(sked_life_nature_of(SKED_LIFE_TYPE_STATEFUL, &n, NULL));
    assert_int_equal(n.preemptible, 0);
    assert_int_equal(n.pinned, 1);
    assert_int_equal(n.per_node, 0);
    assert_int_equal(n.updates, 1);
    assert_int_equal(n.goal, SKED_LIFE_TASK_RUNNING);
    assert_int_equal(n.again, SKED_LIFE_AGAIN_ALWAYS);
    assert_int_equal(n.rounds, 2);
    assert_true(n.place_ns == 60 * second);
    assert_ok(sked_life_nature_of(SKED_LIFE_TYPE_DAEMON, &n, NULL));
    assert_int_equal(n.preemptible, 0);
    assert_int_equal(n.updates, 1);
    assert_int_equal(n.goal, SKED_LIFE_TASK_RUNNING);
    assert_int_equal(n.again, SKED_LIFE_AGAIN_ALWAYS);
    assert_int_equal(n.rounds, 1);
    assert_true(n.place_ns == 60 * second);
    assert_int_equal(n.pinned, 1);
    assert_int_equal(n.per_node, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_of_tasks),
        cmocka_unit_test(writes_of_tasks),
        cmocka_unit_test(time_outs_of_tasks),
        cmocka_unit_test(actions_of_tasks),
        cmocka_unit_test(actions_of_jobs),
        cmocka_unit_test(edges_of_jobs),
        cmocka_unit_test(edges_of_updates),
        cmocka_unit_test(nodes_and_offers),
        cmocka_unit_test(progress_is_counted_here),
        cmocka_unit_test(the_four_types_of_job),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
