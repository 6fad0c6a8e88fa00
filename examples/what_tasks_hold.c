/* Resources of running tasks: licences, which belong to no node; more than the
 * ask requested; and, after the end of a task for its job, the node's resources
 * until the host has cleaned up. */
#include <sched/sked.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { CPU, LICENCE, KINDS };

static void must(sked_status rc)
{
    if (rc != SKED_OK) exit(1);
}

static void say(sked_engine *engine, sked_event event, int64_t cpu,
                int64_t licences)
{
    const int64_t amounts[KINDS] = {cpu, licences};
    sked_events batch = {.struct_size = sizeof batch,
                         .events = &event,
                         .n = 1,
                         .amounts = amounts,
                         .n_amounts = 1};

    event.amount = 1;
    must(sked_engine_apply(engine, &batch, NULL, NULL));
}

/* Fills the node; returns the last group that started. */
static uint64_t beat(sked_engine *engine)
{
    uint64_t group = 0;
    sked_decision d;
    size_t n;

    say(engine, (sked_event){.kind = SKED_EVENT_HEARTBEAT, .key = 1}, 0, 0);
    while (sked_engine_take(engine, &d, 1, &n, NULL) == SKED_OK && n > 0) {
        if (d.kind != SKED_DECISION_ALLOCATE) continue;
        printf("  %" PRId64 " of job %" PRIu64 " start\n", d.count, d.job);
        group = d.group;
    }
    if (!group) printf("  nothing starts\n");
    return group;
}

static void report(const sked_engine *engine, sked_queue_id queue,
                   const char *what)
{
    int64_t used[KINDS], free[KINDS];

    must(sked_engine_usage(engine, queue, 0, used, NULL));
    must(sked_engine_node_free(engine, 1, free));
    printf("%s: cpu %" PRId64 ", licences %" PRId64
           ", free on the node %" PRId64 "\n",
           what, used[CPU], used[LICENCE], free[CPU]);
}

int main(void)
{
    const char *const kinds[] = {"cpu", "licence"};
    const sked_engine_options opts = {.struct_size = sizeof opts,
                                      .pooled = 1U << LICENCE};
    sked_event job = {.kind = SKED_EVENT_JOB_SUBMIT, .key = 1};
    sked_event ask = {.kind = SKED_EVENT_ASK_ADD, .key = 1, .owner = 1};
    sked_event task = {.kind = SKED_EVENT_TASK_RESIZE}; /* of a group */
    sked_schema *schema;
    sked_tree *tree;
    sked_engine *engine;

    must(sked_schema_new(kinds, NULL, KINDS, NULL, &schema, NULL));
    must(sked_tree_new(schema, NULL, NULL, &tree, NULL));
    must(sked_tree_add(tree, sked_tree_root(tree), "q", &job.queue, NULL));
    must(sked_tree_commit(tree, SKED_TREE_COMMIT_STRICT, NULL));
    must(sked_engine_new(tree, &opts, NULL, &engine, NULL));
    say(engine, (sked_event){.kind = SKED_EVENT_NODE_UP, .key = 1}, 10, 0);
    say(engine, (sked_event){.kind = SKED_EVENT_POOL}, 0, 3);
    say(engine, job, 0, 0);
    ask.count = 9; /* tasks of 2 cpu and 1 of 3 licences */
    say(engine, ask, 2, 1);
    task.key = beat(engine);
    report(engine, job.queue, "as asked for");
    say(engine, task, 3, 1);
    report(engine, job.queue, "resized");
    task.kind = SKED_EVENT_TASK_RELEASED;
    task.count = 2;
    say(engine, task, 0, 0);
    report(engine, job.queue, "two released");
    (void)beat(engine); /* the licences are back, the cpu is not */
    task.kind = SKED_EVENT_TASK_FINISH;
    say(engine, task, 0, 0);
    report(engine, job.queue, "two gone");
    (void)beat(engine);
    sked_engine_free(engine);
    sked_tree_free(tree);
    sked_schema_free(schema);
    return 0;
}
