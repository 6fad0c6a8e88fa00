/*
 * The shares and the cold start of the library, for exact.py. Reads worlds on
 * stdin:
 *
 *   W lines kinds wants
 *   capacity, an amount of each kind
 *   the tree in text, LINES lines
 *   wants: path, amounts of one task, tasks wanted; a line each
 *
 * Prints for each queue `R path`, S of each kind, and the amount of each kind
 * in use after a cold start on an empty node. If the world is small enough for
 * the checker of promises (shares.h), prints for each queue `C path`, 1 if the
 * checker calls the row loose, and the checker's S. Ends with `E`.
 */
#include <sched/sked.h>
#include <sched/engine_preempt.h>
#include <sched/tree_text.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../shares.h"
#include "engine/shares.h"

enum { TEXT = 1 << 20, PATH = 256, ROWS = 4096 };

typedef struct probe {
    sked_schema *schema;
    sked_tree *tree;
    sked_engine *engine;
    uint32_t kinds, wants;
    uint64_t asks;
    int64_t capacity[SKED_MAX_KINDS];
    size_t rows;
    sked_queue_id id[ROWS]; /* by row of the tree */
    int small;              /* the checker takes the world, as `w` is */
    world w;
} probe;

static unsigned long number; /* of the world */

static void probe_must(int good, const char *what, const sked_error *err)
{
    if (good) return;
    printf("world %lu: %s: %s\n", number, what, err ? err->message : "");
    exit(2);
}

#define MUST(call) probe_must((call) >= 0, #call, &err)

static int64_t probe_next(void)
{
    int64_t x = 0;

    probe_must(scanf("%" SCNd64, &x) == 1, "a number is missing", NULL);
    return x;
}

static void probe_say(probe *p, sked_event event, const int64_t *amounts)
{
    sked_error err = {0};
    sked_events batch = {.struct_size = sizeof batch, .n = 1};

    event.time = 1;
    event.amount = amounts != NULL;
    batch.events = &event;
    batch.amounts = amounts;
    batch.n_amounts = amounts != NULL;
    MUST(sked_engine_apply(p->engine, &batch, NULL, &err));
}

static void probe_read_tree(probe *p, uint32_t lines)
{
    static char text[TEXT];
    sked_error err = {0};
    size_t n = 0;

    for (uint32_t i = 0; i <= lines; i++) { /* the rest of a line before them */
        char *line = fgets(text + n, (int)(TEXT - n), stdin);
        probe_must(line != NULL, "a line is missing", NULL);
        if (i > 0) n += strlen(line);
    }
    MUST(sked_tree_parse_schema(text, n, NULL, &p->schema, &err));
    MUST(sked_tree_new(p->schema, NULL, NULL, &p->tree, &err));
    MUST(sked_tree_parse(p->tree, text, n, "world", NULL, 0, NULL, &err));
    MUST(sked_tree_commit(p->tree, SKED_TREE_COMMIT_LENIENT, &err));
}

/* Rounds look at shares, so the engine makes them whatever the tree says. */
static void probe_start(probe *p)
{
    sked_error err = {0};
    sked_target_options targets = {.struct_size = sizeof targets,
                                   .mode = SKED_TARGET_MODE_ENTITLEMENT,
                                   .cycles = 1};
    sked_round_options rounds = {
        .struct_size = sizeof rounds, .kinds = p->kinds, .grace_ns = -1};
    sked_engine_preempt_options preempt = {
        .struct_size = sizeof preempt, .targets = &targets, .rounds = &rounds};

    MUST(sked_engine_new(p->tree, NULL, NULL, &p->engine, &err));
    MUST(sked_engine_preempt(p->engine, &preempt, &err));
    probe_say(p, (sked_event){.kind = SKED_EVENT_NODE_UP, .key = 1},
              p->capacity);
}

/* ---- The checker's world ---- */

static void probe_queue(const probe *p, uint32_t row, world_queue *q)
{
    sked_error err = {0};
    sked_queue_id up = SKED_NO_QUEUE;
    size_t at = 0;

    MUST(sked_tree_parent(p->tree, p->id[row], &up));
    if (up != SKED_NO_QUEUE) MUST(sked_tree_row(p->tree, up, &at));
    q->parent = up == SKED_NO_QUEUE ? -1 : (int32_t)at;
    for (int32_t i = 0; i < WORLD_NUMBERS; i++) q->number[i] = SKED_UNSET;
    for (int32_t i = 1; i < WORLD_NUMBERS; i++) {
        MUST(sked_tree_get(p->tree, p->id[row], i, &q->number[i]));
    }
    for (int32_t i = 0; i < WORLD_VECTORS; i++) {
        int64_t rest = i == 0 ? 0 : SKED_UNLIMITED;
        MUST(sked_tree_get_vec(p->tree, p->id[row], SKED_QUEUE_GUARANTEE + i,
                               q->amount[i]));
        for (uint32_t k = 0; k < p->kinds; k++) {
            q->has[i] |= q->amount[i][k] != rest;
        }
    }
}

/* Takes the tree, if it is small enough. */
static void probe_world(probe *p)
{
    sked_error err = {0};

    MUST(sked_tree_ids(p->tree, p->id, ROWS, &p->rows));
    p->small = p->kinds <= WORLD_KINDS && p->rows <= WORLD_ROWS &&
               p->wants <= WORLD_ASKS && p->wants <= WORLD_JOBS;
    if (!p->small) return;
    p->w = (world){.kinds = p->kinds, .rows = (uint32_t)p->rows, .parts = 1};
    for (uint32_t row = 0; row < p->rows; row++) {
        probe_queue(p, row, &p->w.queue[row]);
    }
}

static void probe_want(probe *p, sked_queue_id queue, const int64_t *amounts,
                       int64_t count)
{
    sked_error err = {0};
    world_ask *ask = &p->w.ask[p->w.asks];
    size_t row = 0;

    MUST(sked_tree_row(p->tree, queue, &row));
    p->w.job[p->w.jobs].queue = (int32_t)row;
    *ask = (world_ask){.job = (int32_t)p->w.jobs, .count = count};
    memcpy(ask->amount, amounts, sizeof ask->amount);
    p->w.jobs++;
    p->w.asks++;
}

/* ---- What all say ---- */

static void probe_read_want(probe *p)
{
    sked_error err = {0};
    char path[PATH];
    int64_t amounts[SKED_MAX_KINDS] = {0};
    sked_queue_id queue = 0;
    uint64_t key = ++p->asks;

    probe_must(scanf("%255s", path) == 1, "a path is missing", NULL);
    for (uint32_t k = 0; k < p->kinds; k++) amounts[k] = probe_next();
    MUST(sked_tree_find(p->tree, path, &queue, &err));
    int64_t count = probe_next();
    if (p->small) probe_want(p, queue, amounts, count);
    probe_say(p,
              (sked_event){.kind = SKED_EVENT_JOB_SUBMIT,
                           .key = key,
                           .owner = 1,
                           .queue = queue},
              NULL);
    probe_say(p,
              (sked_event){.kind = SKED_EVENT_ASK_ADD,
                           .key = key,
                           .owner = key,
                           .count = count},
              amounts);
}

static void probe_fill(probe *p)
{
    sked_error err = {0};
    sked_decision decisions[64];
    size_t n = 1;

    MUST(sked_engine_pass(p->engine, 1, 0, &err));
    while (n > 0) MUST(sked_engine_take(p->engine, decisions, 64, &n, &err));
    skedi_shares_renew(p->engine, 0);
}

static void probe_tell(const probe *p, sked_queue_id queue)
{
    sked_error err = {0};
    const sked_engine *e = p->engine;
    int64_t use[SKED_MAX_KINDS] = {0};
    char path[PATH];
    size_t row = 0, length = 0;

    MUST(sked_tree_path(p->tree, queue, path, sizeof path, &length));
    MUST(sked_tree_row(p->tree, queue, &row));
    MUST(sked_engine_usage(e, queue, 0, use, NULL));
    printf("R %s", path);
    for (uint32_t k = 0; k < p->kinds; k++) {
        size_t cell = cell_of(e, (uint32_t)row, 0);
        printf(" %" PRId64, cell_row(e, e->cell_share, cell)[k]);
    }
    for (uint32_t k = 0; k < p->kinds; k++) printf(" %" PRId64, use[k]);
    printf("\n");
}

static void probe_tell_checker(const probe *p)
{
    static shares s;
    shares_demand d = {{0}};

    for (uint32_t a = 0; a < p->w.asks; a++) d.tasks[a] = p->w.ask[a].count;
    shares_resolve(&s, &p->w, p->w.queue, p->capacity);
    shares_renew(&s, &d);
    for (uint32_t row = 0; row < p->rows; row++) {
        sked_error err = {0};
        char path[PATH];
        size_t length = 0;
        MUST(sked_tree_path(p->tree, p->id[row], path, sizeof path, &length));
        printf("C %s %d", path, s.row[row].loose);
        for (uint32_t k = 0; k < p->kinds; k++) {
            printf(" %" PRId64, s.row[row].share[k]);
        }
        printf("\n");
    }
}

static void probe_tell_all(const probe *p)
{
    for (size_t i = 0; i < p->rows; i++) probe_tell(p, p->id[i]);
    if (p->small) probe_tell_checker(p);
    printf("E\n");
    (void)fflush(stdout);
}

int main(void)
{
    uint32_t lines, kinds, wants;

    while (scanf(" W %" SCNu32 " %" SCNu32 " %" SCNu32, &lines, &kinds,
                 &wants) == 3) {
        static probe p;
        p = (probe){.kinds = kinds, .wants = wants};
        number++;
        probe_must(kinds > 0 && kinds <= SKED_MAX_KINDS, "kinds", NULL);
        for (uint32_t k = 0; k < kinds; k++) p.capacity[k] = probe_next();
        probe_read_tree(&p, lines);
        probe_world(&p);
        probe_start(&p);
        for (uint32_t i = 0; i < wants; i++) probe_read_want(&p);
        probe_fill(&p);
        probe_tell_all(&p);
        sked_engine_free(p.engine);
        sked_tree_free(p.tree);
        sked_schema_free(p.schema);
    }
    return 0;
}
