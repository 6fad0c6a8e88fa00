#ifndef TEST_ADVISE_COMPANY_H
#define TEST_ADVISE_COMPANY_H

/* A company of a few queues with a history, to be advised. */
#include "test.h"

#include <sched/sked.h>

#include <string.h>

#include "host.h"

enum { JOBS = 12 };

#define SECOND INT64_C(1000000000)

/* A tree with one leaf for all; two organisations that share it. */
typedef struct company {
    test_host host;
    sked_host hooks;
    sked_schema *schema;
    sked_tree *tree;
    sked_queue_id mix;
    sked_advice *advice;

    char text[256];
    int32_t offset[JOBS + 1];
    const char *texts[1];
    const int32_t *offsets[1];
    uint8_t tier[JOBS];
    sked_time start[JOBS];
    sked_time end[JOBS];
    int64_t amounts[JOBS];
    sked_plan_jobs jobs;
    int64_t instance[1];
    sked_advice_input in;
} company;

static inline sked_status make_tree(company *c)
{
    const char *kinds = "cpu";
    sked_status rc = sked_schema_parse(kinds, strlen(kinds), &c->hooks,
                                       &c->schema, NULL);

    if (rc == SKED_OK) {
        rc = sked_tree_new(c->schema, NULL, &c->hooks, &c->tree, NULL);
    }
    if (rc == SKED_OK) {
        rc = sked_tree_add(c->tree, sked_tree_root(c->tree), "mix", &c->mix,
                           NULL);
    }
    if (rc == SKED_OK)
        rc = sked_tree_commit(c->tree, SKED_TREE_COMMIT_LENIENT, NULL);
    return rc;
}

/* A job of an organisation that held so much from one second to another. */
static inline void held(company *c, const char *org, uint8_t tier, int64_t cpu,
                        int64_t from, int64_t to)
{
    uint32_t i = (uint32_t)c->jobs.n++;
    size_t n = strlen(org);

    memcpy(c->text + c->offset[i], org, n);
    c->offset[i + 1] = c->offset[i] + (int32_t)n;
    c->tier[i] = tier;
    c->amounts[i] = cpu;
    c->start[i] = from * SECOND;
    c->end[i] = to * SECOND;
}

static inline sked_status make(company *c)
{
    c->hooks = test_host_hooks(&c->host);
    c->texts[0] = c->text;
    c->offsets[0] = c->offset;
    c->jobs = (sked_plan_jobs){.struct_size = sizeof c->jobs,
                               .fields = 1,
                               .text = c->texts,
                               .offset = c->offsets,
                               .tier = c->tier,
                               .start = c->start,
                               .end = c->end,
                               .from = 0,
                               .to = 100 * SECOND};
    c->instance[0] = 10;
    c->in = (sked_advice_input){.struct_size = sizeof c->in,
                                .kinds = 1,
                                .jobs = &c->jobs,
                                .amounts = c->amounts,
                                .instance = c->instance,
                                .instances = 20};
    held(c, "ads", 1, 25, 0, 20);
    held(c, "ads", 3, 50, 0, 50);
    held(c, "ml", 3, 40, 50, 100);
    held(c, "ml", 3, 20, 60, 90);
    held(c, "late", 3, 20, 100, 120); /* after the window */
    return make_tree(c);
}

static inline void drop(company *c)
{
    sked_advice_free(c->advice);
    sked_tree_free(c->tree);
    sked_schema_free(c->schema);
}

static inline int setup(void **state)
{
    static company c;

    memset(&c, 0, sizeof c);
    *state = &c;
    return make(&c);
}

static inline int teardown(void **state)
{
    company *c = *state;

    drop(c);
    return c->host.live == 0 ? 0 : -1;
}

static inline void advise(company *c)
{
    assert_ok(sked_advice_new(c->tree, &c->in, &c->hooks, &c->advice, NULL));
}

static inline sked_queue_id queue(const sked_tree *tree, const char *path)
{
    sked_queue_id id = SKED_NO_QUEUE;

    assert_ok(sked_tree_find(tree, path, &id, NULL));
    return id;
}

enum { WORK = 6 };

typedef struct work {
    sked_time submit[WORK];
    int64_t run[WORK];
    int64_t tasks[WORK];
    int64_t amounts[WORK];
    sked_queue_id queue[WORK];
    uint32_t workflow[WORK];
    uint8_t tier[WORK];
    int64_t slo[WORK];
    char text[64];
    int32_t offset[WORK + 1];
    const char *texts[1];
    const int32_t *offsets[1];
    uint8_t name_tier[WORK];
    int64_t node;
    sked_sim_jobs jobs;
    sked_plan_jobs names;
    sked_sim_nodes nodes;
    sked_sim_options options;
    sked_advice_prove_input check;
} work;

/* Job `i`: submitted at, so many tasks of one cpu, ends within. */
static inline void add_work(work *w, uint32_t i, const char *org, uint8_t tier,
                            int64_t at, int64_t tasks, int64_t run, int64_t slo)
{
    size_t n = strlen(org);

    memcpy(w->text + w->offset[i], org, n);
    w->offset[i + 1] = w->offset[i] + (int32_t)n;
    w->name_tier[i] = w->tier[i] = tier;
    w->submit[i] = at * SECOND;
    w->tasks[i] = tasks;
    w->run[i] = run * SECOND;
    w->amounts[i] = 1;
    w->slo[i] = slo * SECOND;
    w->workflow[i] = i;
}

/* Much unimportant work, then a little that matters. */
static inline void make_work(work *w, const company *c)
{
    memset(w, 0, sizeof *w);
    add_work(w, 0, "ads", 3, 0, 100, 10, 200);
    add_work(w, 1, "ads", 3, 0, 100, 10, 300);
    add_work(w, 2, "ml", 3, 0, 100, 10, 300);
    add_work(w, 3, "ads", 1, 5, 20, 10, 90);
    add_work(w, 4, "new", 3, 6, 1, 1, 500); /* nobody knew it */
    add_work(w, 5, "ads", 1, 7, 1, 10, 5);  /* can meet nothing */
    for (int i = 0; i < WORK; i++) w->queue[i] = c->mix;
    w->texts[0] = w->text;
    w->offsets[0] = w->offset;
    w->node = 20;
    w->nodes = (sked_sim_nodes){.count = 1, .amounts = &w->node};
    w->jobs = (sked_sim_jobs){.struct_size = sizeof w->jobs,
                              .n = WORK,
                              .submit = w->submit,
                              .run_ns = w->run,
                              .tasks = w->tasks,
                              .amounts = w->amounts,
                              .queue = w->queue};
    w->names = (sked_plan_jobs){.struct_size = sizeof w->names,
                                .n = WORK,
                                .fields = 1,
                                .text = w->texts,
                                .offset = w->offsets,
                                .tier = w->name_tier};
    w->options = (sked_sim_options){.struct_size = sizeof w->options,
                                    .heartbeat_ns = SECOND};
    w->check = (sked_advice_prove_input){.struct_size = sizeof w->check,
                                         .workflows = WORK,
                                         .jobs = &w->jobs,
                                         .names = &w->names,
                                         .nodes = &w->nodes,
                                         .n_nodes = 1,
                                         .options = &w->options,
                                         .workflow = w->workflow,
                                         .tier = w->tier,
                                         .slo_ns = w->slo};
}

#define advise_case(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

#endif
