#ifndef FUZZ_ENGINE_BOOK_H
#define FUZZ_ENGINE_BOOK_H

/* A host of rounds of preemption, and its book of each task: who was told what. */
#include <sched/engine_limits.h>
#include <sched/engine_preempt.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUST(cond) ((cond) ? (void)0 : must_fail(#cond, __LINE__))

static inline void must_fail(const char *what, int line)
{
    fprintf(stderr,
            "fuzz_engine_book.h or fuzz_engine_round.c:%d: %s does not hold\n",
            line, what);
    abort();
}

enum {
    LEAVES = 4,
    NODES = 4,
    GROUPS = 256,
    TASKS = 64,
    JOBS = 12,
    POLICIES = 4
};
enum { STAYS, TOLD, ENDS };

/* Tasks that were started together; the book of each begins with the last. */
typedef struct host_group {
    uint64_t name;
    int64_t task;
    int64_t count;
    int doomed; /* its job is cancelled: all of it ends */
    sked_time told[TASKS];
    uint8_t word[TASKS];
} host_group;

typedef struct host {
    sked_engine *engine;
    sked_tree *tree;
    sked_queue_id leaf[LEAVES];
    host_group group[GROUPS];
    size_t groups;
    sked_time now;
    int64_t grace;
    uint64_t jobs, asks;
    sked_tree *limits[SKED_MAX_LIMIT_TREES]; /* NULL: not yet */
    sked_queue_id account[2];                /* in each of them */
} host;

/* ---- The book ---- */

static inline host_group *group_named(host *h, uint64_t name)
{
    for (size_t i = 0; i < GROUPS; i++) {
        host_group *g = &h->group[i];
        if (g->name == name && g->count > 0) return g;
    }
    return NULL;
}

static inline void open_group(host *h, const sked_decision *d)
{
    host_group *g = &h->group[h->groups++ % GROUPS];

    *g = (host_group){.name = d->group, .task = d->task, .count = d->count};
    if (d->count > TASKS) g->count = 0; /* not followed */
}

/* The last tasks are over. */
static inline void close_tasks(host_group *g, int64_t count)
{
    int64_t left = g->count - count;

    MUST(left >= 0);
    memmove(g->word, g->word + count, (size_t)left);
    memmove(g->told, g->told + count, (size_t)left * sizeof *g->told);
    memset(g->word + left, STAYS, (size_t)count);
    g->count = left;
}

static inline void check_group(const host_group *g)
{
    for (int64_t i = 1; i < g->count; i++) {
        MUST(g->word[i - 1] >= g->word[i]);
    }
}

/* One more word about tasks: each must have had the one before. */
static inline void hear_word(host *h, const sked_decision *d)
{
    host_group *g = group_named(h, d->group);
    int told = d->kind != SKED_DECISION_NOTIFY;
    int at_once = d->kind == SKED_DECISION_KILL && h->grace < 0;

    if (!g) return;
    int64_t from = g->task + g->count - d->task - d->count;
    MUST(d->task >= g->task && from >= 0 && d->count > 0);
    for (int64_t i = from; i < from + d->count; i++) {
        MUST(g->word[i] == (told && !at_once ? TOLD : STAYS));
        if (d->kind == SKED_DECISION_KILL && !at_once) {
            MUST(d->time - g->told[i] >= h->grace);
        }
        g->told[i] = d->time;
        g->word[i] = d->kind == SKED_DECISION_NOTIFY ? TOLD
                     : d->kind == SKED_DECISION_KILL ? ENDS
                                                     : STAYS;
    }
}

static inline void hear_one(host *h, const sked_decision *d)
{
    host_group *g;

    switch (d->kind) {
    case SKED_DECISION_ALLOCATE: open_group(h, d); break;
    case SKED_DECISION_KILL:
        if (d->reason == SKED_REASON_CANCELLED) {
            g = group_named(h, d->group);
            if (g) g->doomed = 1;
            break;
        }
        hear_word(h, d);
        break;
    case SKED_DECISION_WITHDRAW:
    case SKED_DECISION_NOTIFY:
        if (d->group) hear_word(h, d);
        break;
    case SKED_DECISION_EXPIRE:
    case SKED_DECISION_LOST:
        g = group_named(h, d->group);
        if (g) close_tasks(g, d->count);
        break;
    }
}

static inline void hear(host *h)
{
    sked_decision d;
    size_t n;

    for (;;) {
        MUST(sked_engine_take(h->engine, &d, 1, &n, NULL) == SKED_OK);
        if (n == 0) break;
        hear_one(h, &d);
    }
    for (size_t i = 0; i < GROUPS; i++) check_group(&h->group[i]);
}

#endif
