/*
 * Random worlds under a scheduler that is simple and right: guarantees first,
 * then the queue with least for its weight, then priority, on any node that
 * fits, until nothing more can start; a task of higher priority may replace a
 * lower one of its queue. The judge, with every bound of time at 0, must find
 * nothing. Then the same scheduler with one thing wrong, which it must find in
 * most worlds.
 */
#include <sched/audit.h>

#include "test.h"
#include "words.h"

#include <stdio.h>
#include <string.h>

enum {
    KINDS = 2,
    NODES = 4,
    LEAVES = 4,
    QUEUES = 7, /* 1 to 6; 1 and 2 are parents of 3, 4 and 5, 6 */
    TASKS = 40,
    STEPS = 60,
    ROWS = 20000,
    USERS = 3
};

/* What may be wrong. */
enum {
    RIGHT,
    NO_LIMITS,
    NO_PARENT_LIMITS,
    NO_USER_LIMITS,
    NO_GUARANTEES,
    NO_WEIGHTS,
    NO_PRIORITY,
    NO_CAPACITY,
    USES_DOWN_NODES,
    FORGETS_LOST,
    DOUBLES_LOST,
    ONE_A_TIME,
    SKIPS_A_NODE,
    KILLS_FOR_NONE,
    BUGS
};

typedef struct world {
    test_words words;
    int bug;
    sked_audit_row row[ROWS];
    int64_t amounts[ROWS * KINDS];
    size_t n, vectors;
    sked_time now;
    int64_t capacity[NODES + 1][KINDS], used[NODES + 1][KINDS];
    int up[NODES + 1];
    /* Much work in leaves 3 and 6 alone. By weight, leaf 3 has less than its
     * guarantee, no limit binds leaf 3, and its tasks are small. */
    int strangers;
    int64_t held[QUEUES][KINDS], limit[QUEUES][KINDS], floor[QUEUES][KINDS];
    int64_t weight[QUEUES];
    int64_t user_limit, user_held[USERS + 1][KINDS];
    int n_tasks;
    int leaf[TASKS], user[TASKS];
    int64_t each[TASKS][KINDS], waiting[TASKS], priority[TASKS];
    int64_t running[TASKS][NODES + 1];
} world;

static int64_t below(world *w, uint64_t n)
{
    return (int64_t)test_below(&w->words, n);
}

static int parent_of(int q)
{
    return q >= 5 ? 2 : q >= 3 ? 1 : 0;
}

static sked_audit_row *put(world *w, int32_t type, uint64_t key)
{
    sked_audit_row *row = &w->row[w->n++];

    assert_true(w->n < ROWS);
    *row = (sked_audit_row){
        .time = w->now, .type = type, .key = key, .amounts = -1};
    return row;
}

static void with(world *w, sked_audit_row *row, const int64_t *amounts)
{
    memcpy(&w->amounts[w->vectors * KINDS], amounts, KINDS * sizeof *amounts);
    row->amounts = (int32_t)w->vectors++;
}

static void begin(world *w)
{
    w->strangers = below(w, 2) == 0;
    for (int n = 1; n <= NODES; n++) {
        w->up[n] = 1;
        for (int k = 0; k < KINDS; k++) w->capacity[n][k] = 4 + below(w, 4);
        with(w, put(w, SKED_AUDIT_ROW_NODE, (uint64_t)n), w->capacity[n]);
    }
    for (int q = 1; q < QUEUES; q++) {
        sked_audit_row *row = put(w, SKED_AUDIT_ROW_QUEUE, (uint64_t)q);
        row->of = (uint64_t)parent_of(q);
        w->weight[q] = 1 + below(w, 4);
        if (q == 2 && w->strangers) w->weight[q] = 20;
        row->value = w->weight[q];
        for (int k = 0; k < KINDS; k++) {
            int free = q == 3 || (q == 1 && w->strangers) || below(w, 2);
            w->limit[q][k] = free ? SKED_UNLIMITED : 3 + below(w, 12);
            w->floor[q][k] = q == 3   ? 3 + below(w, 6)
                             : q == 5 ? below(w, 3)
                                      : 0;
        }
        with(w, put(w, SKED_AUDIT_ROW_LIMIT, (uint64_t)q), w->limit[q]);
        with(w, put(w, SKED_AUDIT_ROW_GUARANTEE, (uint64_t)q), w->floor[q]);
    }
    w->user_limit = below(w, 2) ? 3 + below(w, 8) : 1000;
    for (uint64_t u = 1; u <= USERS; u++) {
        for (int q = 1; q <= 2; q++) {
            const int64_t most[KINDS] = {w->user_limit, w->user_limit};
            sked_audit_row *row = put(w, SKED_AUDIT_ROW_LIMIT, (uint64_t)q);
            row->on = u;
            with(w, row, most);
        }
    }
}

static void come(world *w)
{
    int t = w->n_tasks;

    if (t == TASKS) return;
    w->n_tasks++;
    w->leaf[t] = w->strangers ? 3 + 3 * (int)below(w, 2)
                              : 3 + (int)below(w, LEAVES);
    /* A user works below one parent, so one sum a user is enough here. */
    w->user[t] = parent_of(w->leaf[t]) == 1 ? 1 : 2 + (int)below(w, 2);
    w->waiting[t] = w->strangers ? 10 + below(w, 30) : 2 + below(w, 12);
    w->priority[t] = below(w, 3);
    for (int k = 0; k < KINDS; k++) w->each[t][k] = below(w, 3);
    w->each[t][below(w, KINDS)] += 1;
    if (w->strangers && w->leaf[t] == 3) w->each[t][0] = w->each[t][1] = 1;
    sked_audit_row *job = put(w, SKED_AUDIT_ROW_JOB, (uint64_t)t + 1);
    job->of = (uint64_t)w->leaf[t];
    job->on = (uint64_t)w->user[t];
    sked_audit_row *row = put(w, SKED_AUDIT_ROW_TASKS, (uint64_t)t + 1);
    row->of = (uint64_t)t + 1;
    row->value = w->priority[t];
    row->count = w->waiting[t];
    with(w, row, w->each[t]);
}

static void charge(world *w, int t, int n, int64_t count)
{
    for (int k = 0; k < KINDS; k++) {
        int64_t x = w->each[t][k] * count;
        w->used[n][k] += x;
        w->user_held[w->user[t]][k] += x;
        for (int q = w->leaf[t];; q = parent_of(q)) {
            w->held[q][k] += x;
            if (q == 0) break;
        }
    }
    w->running[t][n] += count;
}

static void move(world *w, int32_t type, int t, int n, int64_t count)
{
    sked_audit_row *row = put(w, type, (uint64_t)t + 1);

    row->on = (uint64_t)n;
    row->count = count;
}

static int fits_node(const world *w, int t, int n)
{
    if (w->bug == SKIPS_A_NODE && n == 2) return 0;
    if (!w->up[n] && w->bug != USES_DOWN_NODES) return 0;
    for (int k = 0; k < KINDS && w->bug != NO_CAPACITY; k++) {
        if (w->used[n][k] + w->each[t][k] > w->capacity[n][k]) return 0;
    }
    return 1;
}

static int within(const world *w, int t)
{
    for (int k = 0; k < KINDS; k++) {
        int64_t x = w->each[t][k];
        if (x == 0) continue;
        if (w->user_held[w->user[t]][k] + x > w->user_limit &&
            w->bug != NO_USER_LIMITS) {
            return 0;
        }
        for (int q = w->leaf[t]; q != 0; q = parent_of(q)) {
            int skip = w->bug == NO_LIMITS ||
                       (w->bug == NO_PARENT_LIMITS && q < 3);
            if (!skip && w->held[q][k] + x > w->limit[q][k]) return 0;
        }
    }
    return 1;
}

/* A node where a task may start, or 0. */
static int node_for(const world *w, int t)
{
    if (w->waiting[t] == 0 || !within(w, t)) return 0;
    for (int n = 1; n <= NODES; n++) {
        if (fits_node(w, t, n)) return n;
    }
    return 0;
}

/* The best of a leaf that may start, or -1. */
static int best_of(const world *w, int leaf)
{
    int best = -1;

    for (int t = 0; t < w->n_tasks; t++) {
        if (w->leaf[t] != leaf || node_for(w, t) == 0) continue;
        if (best < 0 ||
            (w->bug == NO_PRIORITY ? w->priority[t] < w->priority[best]
                                   : w->priority[t] > w->priority[best])) {
            best = t;
        }
    }
    return best;
}

/* The same, if it fits what the leaf is guaranteed. */
static int guaranteed_of(const world *w, int leaf)
{
    int t = best_of(w, leaf), some = 0;

    for (int k = 0; t >= 0 && k < KINDS; k++) {
        if (w->each[t][k] == 0 || w->floor[leaf][k] == 0) continue;
        if (w->held[leaf][k] + w->each[t][k] > w->floor[leaf][k]) return -1;
        some = 1;
    }
    return some ? t : -1;
}

/* The dominant part of the cluster, times a constant, over the weight. */
static double standing(const world *w, int q)
{
    double most = 0;

    for (int k = 0; k < KINDS; k++) {
        int64_t all = 0;
        for (int n = 1; n <= NODES; n++) all += w->up[n] * w->capacity[n][k];
        double part = all ? (double)w->held[q][k] / (double)all : 0;
        if (part > most) most = part;
    }
    return w->bug == NO_WEIGHTS ? most * (double)w->weight[q]
                                : most / (double)w->weight[q];
}

/* The child with least among those where something may start. */
static int next_queue(const world *w, int parent)
{
    int best = 0;

    for (int q = 1; q < QUEUES; q++) {
        if (parent_of(q) != parent) continue;
        int ok = q >= 3 ? best_of(w, q) >= 0
                        : best_of(w, q == 1 ? 3 : 5) >= 0 ||
                              best_of(w, q == 1 ? 4 : 6) >= 0;
        if (ok && (!best || standing(w, q) < standing(w, best))) best = q;
    }
    return best;
}

static void start(world *w, int t)
{
    int n = node_for(w, t);

    move(w, SKED_AUDIT_ROW_START, t, n, 1);
    charge(w, t, n, 1);
    w->waiting[t]--;
}

static void place(world *w)
{
    for (int left = w->bug == ONE_A_TIME ? 1 : ROWS; left > 0; left--) {
        int t = -1;
        for (int q = 3; q < QUEUES && t < 0 && w->bug != NO_GUARANTEES; q++) {
            t = guaranteed_of(w, q);
        }
        if (t < 0) {
            int q = next_queue(w, 0);
            if (q) q = next_queue(w, q);
            if (q) t = best_of(w, q);
        }
        if (t < 0) return;
        start(w, t);
    }
}

/* True if no task of the leaf with a higher priority waits. */
static int is_first(const world *w, int t)
{
    for (int u = 0; u < w->n_tasks; u++) {
        if (w->leaf[u] == w->leaf[t] && w->waiting[u] > 0 &&
            w->priority[u] > w->priority[t]) {
            return 0;
        }
    }
    return 1;
}

/* One task of higher priority takes the place of one that is as large. */
static void replace(world *w)
{
    for (int t = 0; t < w->n_tasks; t++) {
        if (!is_first(w, t)) continue;
        for (int v = 0; v < w->n_tasks && w->waiting[t] > 0; v++) {
            int ok = w->leaf[v] == w->leaf[t] && w->user[v] == w->user[t] &&
                     w->priority[v] < w->priority[t] && node_for(w, t) == 0;
            for (int k = 0; k < KINDS; k++)
                ok &= w->each[v][k] == w->each[t][k];
            for (int n = 1; n <= NODES && ok; n++) {
                if (w->running[v][n] == 0 || !w->up[n]) continue;
                move(w, SKED_AUDIT_ROW_KILL, v, n, 1);
                w->row[w->n - 1].of = (uint64_t)t + 1;
                charge(w, v, n, -1);
                w->waiting[v]++;
                move(w, SKED_AUDIT_ROW_START, t, n, 1);
                charge(w, t, n, 1);
                w->waiting[t]--;
                ok = 0;
            }
        }
    }
}

static void end_some(world *w)
{
    for (int t = 0; t < w->n_tasks; t++) {
        for (int n = 1; n <= NODES; n++) {
            int64_t count = w->running[t][n];
            if (count == 0 || below(w, 3)) continue;
            count = 1 + below(w, (uint64_t)count);
            move(w, SKED_AUDIT_ROW_DONE, t, n, count);
            charge(w, t, n, -count);
        }
    }
}

static void lose(world *w, int n)
{
    put(w, SKED_AUDIT_ROW_NODE_DOWN, (uint64_t)n);
    w->up[n] = 0;
    for (int t = 0; t < w->n_tasks; t++) {
        int64_t count = w->running[t][n];
        if (count == 0 || w->bug == FORGETS_LOST) continue;
        move(w, SKED_AUDIT_ROW_LOST, t, n, count);
        charge(w, t, n, -count);
        w->waiting[t] += w->bug == DOUBLES_LOST ? 2 * count : count;
    }
}

static void step(world *w)
{
    w->now += 1 + below(w, 3);
    end_some(w);
    int n = 1 + (int)below(w, NODES);
    if (below(w, 6) == 0 && w->up[n]) {
        lose(w, n);
    } else if (!w->up[n] && w->bug != FORGETS_LOST) {
        put(w, SKED_AUDIT_ROW_NODE, (uint64_t)n);
        w->up[n] = 1;
    }
    if (below(w, 2)) come(w);
    place(w);
    if (w->bug == KILLS_FOR_NONE && below(w, 4) == 0) {
        for (int t = 0; t < w->n_tasks; t++) {
            if (w->running[t][n] == 0 || !w->up[n]) continue;
            move(w, SKED_AUDIT_ROW_KILL, t, n, 1);
            charge(w, t, n, -1);
            w->waiting[t]++;
            break;
        }
        place(w);
    }
    if (w->bug == RIGHT) replace(w);
}

/* Runs a world and hands its history to the judge. */
static sked_audit *judged(world *w, uint64_t seed, int bug)
{
    sked_audit_options o = {.struct_size = sizeof o, .kinds = KINDS};
    sked_error err = {0};
    sked_audit *a;

    memset(w, 0, sizeof *w);
    w->words.state = seed;
    w->bug = bug;
    begin(w);
    for (int i = 0; i < STEPS; i++) step(w);
    assert_ok(sked_audit_new(&o, NULL, &a, NULL));
    sked_status rc = sked_audit_add(a, w->row, w->n, w->amounts, w->vectors,
                                    NULL, &err);
    if (rc != SKED_OK)
        fail_msg("row %lld: %s", (long long)err.row, err.message);
    assert_ok(sked_audit_end(a, w->now + 1, NULL));
    return a;
}

static world shared;

static void show(const sked_audit *a, uint64_t seed)
{
    char text[512];

    for (size_t i = 0; i < sked_audit_count(a, 0) && i < 5; i++) {
        assert_ok(sked_audit_format(a, i, text, sizeof text, NULL));
        print_message("  %s\n", text);
    }
    fail_msg("seed %llu", (unsigned long long)seed);
}

static void right_schedulers_are_clean(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        sked_audit *a = judged(&shared, seed, RIGHT);
        if (sked_audit_count(a, 0) != 0) show(a, seed);
        sked_audit_free(a);
    }
}

static void wrong_schedulers_are_found(void **state)
{
    static const int32_t code[BUGS] = {
        [NO_LIMITS] = SKED_AUDIT_CODE_QUEUE_OVER,
        [NO_PARENT_LIMITS] = SKED_AUDIT_CODE_QUEUE_OVER,
        [NO_USER_LIMITS] = SKED_AUDIT_CODE_USER_OVER,
        [NO_GUARANTEES] = SKED_AUDIT_CODE_GUARANTEE_UNSERVED,
        [NO_WEIGHTS] = SKED_AUDIT_CODE_SHARES_OFF,
        [NO_PRIORITY] = SKED_AUDIT_CODE_PRIORITY_INVERSION,
        [NO_CAPACITY] = SKED_AUDIT_CODE_NODE_OVER,
        [USES_DOWN_NODES] = SKED_AUDIT_CODE_NODE_UNFIT,
        [FORGETS_LOST] = SKED_AUDIT_CODE_WORK_LOST,
        [DOUBLES_LOST] = SKED_AUDIT_CODE_WORK_DOUBLED,
        [ONE_A_TIME] = SKED_AUDIT_CODE_NODE_IDLE,
        [SKIPS_A_NODE] = SKED_AUDIT_CODE_NODE_IDLE,
        [KILLS_FOR_NONE] = SKED_AUDIT_CODE_KILL_IN_VAIN,
    };

    (void)state;
    for (int bug = RIGHT + 1; bug < BUGS; bug++) {
        int found = 0;
        for (uint64_t seed = 1; seed <= 50; seed++) {
            sked_audit *a = judged(&shared, seed, bug);
            found += sked_audit_count(a, code[bug]) > 0;
            sked_audit_free(a);
        }
        if (found < 10) fail_msg("bug %d was found in %d of 50", bug, found);
    }
}

/* The same history in pieces of any size gives the same anomalies. */
static void pieces_do_not_matter(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        sked_audit_options o = {.struct_size = sizeof o, .kinds = KINDS};
        sked_audit *whole = judged(&shared, seed, 1 + (int)(seed % (BUGS - 1)));
        sked_audit *pieces;
        assert_ok(sked_audit_new(&o, NULL, &pieces, NULL));
        for (size_t at = 0, n; at < shared.n; at += n) {
            n = 1 + (size_t)below(&shared, 7);
            if (n > shared.n - at) n = shared.n - at;
            assert_ok(sked_audit_add(pieces, shared.row + at, n, shared.amounts,
                                     shared.vectors, NULL, NULL));
        }
        assert_ok(sked_audit_end(pieces, shared.now + 1, NULL));
        uint64_t n = sked_audit_count(whole, 0);
        assert_i64((int64_t)sked_audit_count(pieces, 0), (int64_t)n);
        for (size_t i = 0; i < n; i++) {
            char x[512], y[512];
            assert_ok(sked_audit_format(whole, i, x, sizeof x, NULL));
            assert_ok(sked_audit_format(pieces, i, y, sizeof y, NULL));
            assert_string_equal(x, y);
        }
        sked_audit_free(whole);
        sked_audit_free(pieces);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_schedulers_are_clean),
        cmocka_unit_test(wrong_schedulers_are_found),
        cmocka_unit_test(pieces_do_not_matter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
