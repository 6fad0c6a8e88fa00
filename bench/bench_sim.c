/*
 * The simulator: a generated day of the largest published cluster, one pool of
 * processors with jobs that take all of theirs at once, and many queues with
 * all the figures of a report.
 */
#include "bench.h"

#include <sched/sked.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DAY_NODES = 13588,
    DAY_JOBS = 441090,
    DAY_TASKS = 113, /* a job, on average: 50 M in all */
    DAY_SECONDS = 86400,
    DAY_QUEUES = 60,
    DAY_USERS = 400,
    SWF_QUEUES = 4,
    OPENB_JOBS = 7255,
    OPENB_QUEUES = 5,
    OPENB_SHAPES = 151,
    MANY_JOBS = 20000,
    MANY_QUEUES = 200,
    MANY_NODES = 3000,
    MANY_CORES = 48 * MANY_NODES
};

static const int64_t sim_second = 1000000000;

typedef struct sim_job_columns {
    sked_time *submit;
    int64_t *run;
    int64_t *tasks;
    int64_t *amounts;
    sked_queue_id *queue;
    uint64_t *user;
    sked_sim_jobs jobs;
    int64_t all_tasks;
} sim_job_columns;

typedef struct sim_bench {
    sim_job_columns in;
    sked_schema *schema;
    sked_tree *tree;
    sked_queue_id *leaf;
    int64_t node[2];
    sked_sim_nodes nodes;
    sked_sim_options opts;
    sked_sim *sim;
    sked_sim_result result;
    sked_error err;
    size_t live, most; /* bytes that runs hold */
} sim_bench;

static void sim_ok(const sim_bench *s, sked_status rc)
{
    if (rc >= 0) return;
    fprintf(stderr, "bench_sim: %s %s\n", sked_status_name(rc), s->err.message);
    abort();
}

static void *counted(void *user, void *ptr, size_t old_size, size_t size)
{
    sim_bench *s = user;
    void *to = NULL;

    if (size) {
        to = realloc(ptr, size);
        if (!to) return NULL;
    } else {
        free(ptr);
    }
    s->live += size - (ptr ? old_size : 0);
    if (s->live > s->most) s->most = s->live;
    return to;
}

static void make_columns(sim_job_columns *c, uint32_t n)
{
    c->submit = bench_new(n, sizeof *c->submit);
    c->run = bench_new(n, sizeof *c->run);
    c->tasks = bench_new(n, sizeof *c->tasks);
    c->amounts = bench_new((size_t)n * 2, sizeof *c->amounts);
    c->queue = bench_new(n, sizeof *c->queue);
    c->user = bench_new(n, sizeof *c->user);
    c->jobs = (sked_sim_jobs){.struct_size = sizeof c->jobs,
                              .n = n,
                              .submit = c->submit,
                              .run_ns = c->run,
                              .tasks = c->tasks,
                              .amounts = c->amounts,
                              .queue = c->queue,
                              .user = c->user};
}

static void make_leaves(sim_bench *s, uint32_t leaves)
{
    sim_ok(s,
           sked_schema_parse("cpu=m memory=B", 14, NULL, &s->schema, &s->err));
    s->leaf = bench_new(leaves, sizeof *s->leaf);
    sim_ok(s, sked_tree_new(s->schema, NULL, NULL, &s->tree, &s->err));
    for (uint32_t i = 0; i < leaves; i++) {
        char name[16];
        snprintf(name, sizeof name, "q%u", (unsigned)i);
        sim_ok(s, sked_tree_add(s->tree, sked_tree_root(s->tree), name,
                                &s->leaf[i], &s->err));
    }
    sim_ok(s, sked_tree_commit(s->tree, 0, &s->err));
}

static sim_bench *new_bench(uint32_t jobs, uint32_t leaves)
{
    sim_bench *s = bench_new(1, sizeof *s);

    make_columns(&s->in, jobs);
    make_leaves(s, leaves);
    s->opts = (sked_sim_options){.struct_size = sizeof s->opts,
                                 .flags = SKED_SIM_FLAG_NO_SHARES};
    s->nodes.amounts = s->node;
    return s;
}

static void drop_bench(sim_bench *s)
{
    sked_sim_free(s->sim);
    sked_tree_free(s->tree);
    sked_schema_free(s->schema);
    free(s->leaf);
    free(s->in.submit);
    free(s->in.run);
    free(s->in.tasks);
    free(s->in.amounts);
    free(s->in.queue);
    free(s->in.user);
    free(s);
}

static void fresh_run(void *arg)
{
    sim_bench *s = arg;
    sked_host host = {.struct_size = sizeof host, .user = s, .resize = counted};

    sked_sim_free(s->sim);
    s->most = s->live;
    sim_ok(s,
           sked_sim_new(&(sked_sim_input){.struct_size = sizeof(sked_sim_input),
                                          .tree = s->tree,
                                          .jobs = &s->in.jobs,
                                          .nodes = &s->nodes,
                                          .n_nodes = 1},
                        &s->opts, &host, &s->sim, &s->err));
}

static void run_sim(void *arg)
{
    sim_bench *s = arg;

    s->result.struct_size = sizeof s->result;
    sim_ok(s, sked_sim_run(s->sim, NULL, NULL, &s->err));
    sim_ok(s, sked_sim_get_result(s->sim, &s->result, NULL));
}

/* Many small jobs, few large ones; most tasks run some minutes. */
static void fill_day(sim_bench *s)
{
    sim_job_columns *c = &s->in;
    uint64_t state = 13588;

    for (uint32_t i = 0; i < c->jobs.n; i++) {
        uint64_t chance = bench_below(&state, 100);
        uint64_t most = chance < 70   ? DAY_TASKS / 2
                        : chance < 95 ? DAY_TASKS * 4
                                      : DAY_TASKS * 16;
        uint64_t leaf = bench_below(&state, DAY_QUEUES);
        c->submit[i] = (int64_t)bench_below(&state,
                                            DAY_SECONDS * UINT64_C(1000)) *
                       1000000;
        c->run[i] = (30 + (int64_t)bench_below(&state, 240)) * sim_second;
        c->tasks[i] = 1 + (int64_t)bench_below(&state, most);
        c->amounts[2 * i] = 1000;
        c->amounts[2 * i + 1] = (1 + (int64_t)bench_below(&state, 4)) << 30;
        c->queue[i] = s->leaf[leaf * leaf / DAY_QUEUES];
        c->user[i] = 1 + bench_below(&state, DAY_USERS);
        c->all_tasks += c->tasks[i];
    }
}

static void day(bench *b, size_t n)
{
    sim_bench *s = new_bench((uint32_t)n, DAY_QUEUES);

    fill_day(s);
    s->node[0] = 16000;
    s->node[1] = INT64_C(48) << 30;
    s->nodes.count = (uint32_t)((uint64_t)DAY_NODES * n / DAY_JOBS);
    s->opts.heartbeat_ns = sim_second;
    bench_compare(b,
                  &(bench_row){.n = n,
                               .unit = BENCH_NS,
                               .metric = "ns per container",
                               .budget = 1200,
                               .note = "60 s for 50 M; whoever is published "
                                       "needs the day itself"},
                  &(bench_job){.run = run_sim,
                               .before = fresh_run,
                               .arg = s,
                               .ops = (double)s->in.all_tasks},
                  NULL);
    bench_must(b, s->result.tasks_finished == (uint64_t)s->in.all_tasks,
               "every container ran");
    bench_must(b,
               s->result.heartbeats + s->result.heartbeats_skipped >=
                   (uint64_t)s->nodes.count * (DAY_SECONDS - 60),
               "every node event counts");
    bench_report(b, &(bench_row){.variant = "memory",
                                 .n = n,
                                 .unit = BENCH_BYTES,
                                 .metric = "bytes at most",
                                 .budget = 4294967296.0,
                                 .value = (double)s->most,
                                 .instructions = -1});
    drop_bench(s);
}

/* As recorded ones: most jobs small, powers of two, minutes to hours, a load
 * of some four fifths. */
static void fill_swf(sim_bench *s, int64_t processors)
{
    sim_job_columns *c = &s->in;
    uint64_t state = 1996;
    double clock = 0;

    for (uint32_t i = 0; i < c->jobs.n; i++) {
        int64_t size = (int64_t)1 << bench_below(&state, 7);
        int64_t minutes = 1 + (int64_t)(bench_below(&state, 20) *
                                        bench_below(&state, 20));
        clock += (double)(size * minutes) * 60 / (0.8 * (double)processors);
        c->submit[i] = (int64_t)clock * sim_second;
        c->run[i] = minutes * 60 * sim_second +
                    (int64_t)bench_below(&state, 60) * sim_second;
        c->tasks[i] = size;
        c->amounts[2 * i] = 1000;
        c->queue[i] = s->leaf[bench_below(&state, SWF_QUEUES)];
        c->user[i] = 1 + bench_below(&state, 50);
        c->all_tasks += size;
    }
}

static void swf(bench *b, size_t n)
{
    sim_bench *s = new_bench((uint32_t)n, SWF_QUEUES);

    fill_swf(s, 512);
    s->node[0] = 512000;
    s->nodes.count = 1;
    s->opts.flags |= SKED_SIM_FLAG_GANG;
    bench_compare(
        b,
        &(bench_row){.n = n,
                     .unit = BENCH_PER_SECOND,
                     .metric = "jobs per second",
                     .budget = 1e6,
                     .note = "generated; one node, gangs"},
        &(bench_job){
            .run = run_sim, .before = fresh_run, .arg = s, .ops = (double)n},
        NULL);
    bench_must(b, s->result.jobs_finished == n, "every job ran");
    drop_bench(s);
}

/* Many tasks, more work than the nodes can do, and some queues much busier
 * than others. */
static void fill_many(sim_bench *s, uint32_t queues)
{
    sim_job_columns *c = &s->in;
    uint64_t state = 200;

    for (uint32_t i = 0; i < c->jobs.n; i++) {
        uint64_t chance = bench_below(&state, 1000);
        c->submit[i] = (int64_t)i * 3 * sim_second +
                       (int64_t)bench_below(&state, 3000) * 1000000;
        c->run[i] = (60 + (int64_t)bench_below(&state, 3940)) * sim_second;
        c->tasks[i] = 50 + (int64_t)bench_below(&state, 300);
        c->amounts[2 * i] = INT64_C(1000) << bench_below(&state, 3);
        c->amounts[2 * i + 1] = INT64_C(1) << (30 + bench_below(&state, 4));
        c->queue[i] = s->leaf[chance * chance / 1000 * queues / 1000];
        c->user[i] = 1 + bench_below(&state, queues * UINT64_C(5));
        c->all_tasks += c->tasks[i];
    }
}

/* Many queues, nodes or jobs of as much work; the nodes have as much as those
 * of the budget together. */
static void many(bench *b, const bench_row *row, uint32_t jobs, uint32_t queues,
                 uint32_t nodes)
{
    sim_bench *s = new_bench(jobs, queues);

    fill_many(s, queues);
    s->opts.flags = 0; /* shares too */
    s->node[0] = INT64_C(1000) * MANY_CORES / nodes;
    s->node[1] = (INT64_C(4) << 30) * MANY_CORES / nodes;
    s->nodes.count = nodes;
    fresh_run(s);
    run_sim(s); /* for the number of decisions */
    bench_must(b, s->result.tasks_finished == (uint64_t)s->in.all_tasks,
               "every task ran");
    bench_compare(b, row,
                  &(bench_job){.run = run_sim,
                               .before = fresh_run,
                               .arg = s,
                               .ops = (double)s->result.decisions},
                  NULL);
    drop_bench(s);
}

static const bench_row many_row = {.unit = BENCH_PER_SECOND,
                                   .metric = "decisions per second",
                                   .note = "with all figures of a report"};

static void many_jobs(bench *b, size_t n)
{
    bench_row row = many_row;

    row.n = n;
    row.budget = 1e6;
    many(b, &row, (uint32_t)n, MANY_QUEUES, MANY_NODES);
}

static void many_queues(bench *b, size_t n)
{
    bench_row row = many_row;

    row.n = n;
    many(b, &row, MANY_JOBS / 10, (uint32_t)n, MANY_NODES);
}

static void many_nodes(bench *b, size_t n)
{
    bench_row row = many_row;

    row.n = n;
    many(b, &row, MANY_JOBS / 10, MANY_QUEUES, (uint32_t)n);
}

/* Asks of 151 shapes, some much more frequent than others, as in openb; most of
 * them wait for two large nodes that have a little of everything left. */
static void fill_shapes(sim_bench *s)
{
    sim_job_columns *c = &s->in;
    uint64_t state = 7255;
    int64_t shape[OPENB_SHAPES][2];

    for (uint32_t i = 0; i < OPENB_SHAPES; i++) {
        shape[i][0] = 500 * (1 + (int64_t)bench_below(&state, 64));
        shape[i][1] = (1 + (int64_t)bench_below(&state, 128)) << 30;
    }
    for (uint32_t i = 0; i < c->jobs.n; i++) {
        uint64_t at = bench_below(&state, OPENB_SHAPES);
        at = at * bench_below(&state, OPENB_SHAPES) / OPENB_SHAPES;
        c->submit[i] = (int64_t)i * 10 * sim_second;
        c->run[i] = (600 + (int64_t)bench_below(&state, 6000)) * sim_second;
        c->tasks[i] = 1;
        memcpy(&c->amounts[(size_t)2 * i], shape[at], sizeof shape[at]);
        c->queue[i] = s->leaf[bench_below(&state, OPENB_QUEUES)];
        c->user[i] = 1 + bench_below(&state, 50);
        c->all_tasks++;
    }
}

static void openb(bench *b, size_t n)
{
    sim_bench *s = new_bench((uint32_t)n, OPENB_QUEUES);

    fill_shapes(s);
    s->node[0] = 2100000;
    s->node[1] = INT64_C(8) << 40;
    s->nodes.count = 2;
    fresh_run(s);
    run_sim(s); /* for the number of decisions */
    bench_compare(b,
                  &(bench_row){.n = n,
                               .unit = BENCH_NS,
                               .metric = "ns per decision",
                               .budget = 2000,
                               .note = "as openb: 151 shapes wait"},
                  &(bench_job){.run = run_sim,
                               .before = fresh_run,
                               .arg = s,
                               .ops = (double)s->result.decisions},
                  NULL);
    bench_must(b, s->result.tasks_finished == n, "every task ran");
    drop_bench(s);
}

const bench_entry bench_sim[] = {
    {"sim.day", "a day of 13,588 nodes, scaled by applications", day, DAY_JOBS,
     DAY_JOBS / 100, DAY_JOBS / 100},
    {"sim.swf", "recorded jobs on one pool", swf, 100000, 20000, 50000},
    {"sim.openb", "asks of many shapes that wait", openb, OPENB_JOBS,
     OPENB_JOBS, OPENB_JOBS},
    {"sim.queues", "many queues, all figures; by jobs", many_jobs, MANY_JOBS,
     MANY_JOBS / 10, MANY_JOBS / 10},
    {"sim.queues.queues", "the same with a tenth of the jobs; by queues",
     many_queues, MANY_QUEUES, MANY_QUEUES, MANY_QUEUES},
    {"sim.queues.nodes", "the same with a tenth of the jobs; by nodes",
     many_nodes, MANY_NODES, MANY_NODES, MANY_NODES},
    {0}};
