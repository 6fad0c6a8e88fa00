/* Unused resources of tasks go to revocable tasks. A node's `slack_cpu` is the
 * difference between the limits of the node's tasks and their usage; only
 * revocable jobs ask for `slack_cpu`. */
#include <sched/sked.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void must(sked_status rc)
{
    if (rc != SKED_OK) exit(1);
}

static void say(sked_engine *engine, sked_event event, int64_t cpu,
                int64_t slack)
{
    const int64_t amounts[] = {cpu, slack};
    sked_events batch = {.struct_size = sizeof batch,
                         .events = &event,
                         .n = 1,
                         .amounts = amounts,
                         .n_amounts = 1};

    event.amount = 1;
    must(sked_engine_apply(engine, &batch, NULL, NULL));
}

/* The host measures what the node's tasks use of their limits, 8 cores. */
static void measure(sked_engine *engine, int64_t use)
{
    sked_engine_stats stats = {.struct_size = sizeof stats};
    const int64_t limit = 8;
    int64_t slack;
    sked_decision d;
    size_t n;

    sked_vec_excess(&limit, &use, 1, &slack);
    say(engine, (sked_event){.kind = SKED_EVENT_NODE_CHANGE, .key = 1}, 10,
        slack);
    say(engine, (sked_event){.kind = SKED_EVENT_HEARTBEAT, .key = 1}, 0, 0);
    must(sked_engine_get_stats(engine, &stats));
    printf("%" PRId64 " of 8 cores used, %" PRId64 " of slack%s\n", use, slack,
           stats.nodes_over ? ": less than its tasks hold" : "");
    while (sked_engine_take(engine, &d, 1, &n, NULL) == SKED_OK && n > 0) {
        if (d.kind != SKED_DECISION_ALLOCATE) continue;
        printf("  %" PRId64 " of job %" PRIu64 " start\n", d.count, d.job);
    }
}

int main(void)
{
    const char *const kinds[] = {"cpu", "slack_cpu"};
    sked_event job = {.kind = SKED_EVENT_JOB_SUBMIT, .key = 1};
    sked_event ask = {.kind = SKED_EVENT_ASK_ADD, .key = 1, .owner = 1};
    sked_schema *schema;
    sked_tree *tree;
    sked_engine *engine;

    must(sked_schema_new(kinds, NULL, 2, NULL, &schema, NULL));
    must(sked_tree_new(schema, NULL, NULL, &tree, NULL));
    must(sked_tree_add(tree, sked_tree_root(tree), "pool", &job.queue, NULL));
    must(sked_tree_commit(tree, SKED_TREE_COMMIT_STRICT, NULL));
    must(sked_engine_new(tree, NULL, NULL, &engine, NULL));
    say(engine, (sked_event){.kind = SKED_EVENT_NODE_UP, .key = 1}, 10, 0);
    say(engine, job, 0, 0);
    ask.count = 2; /* of 4 cores */
    say(engine, ask, 4, 0);
    job.key = ask.key = ask.owner = 2;
    job.flags = SKED_JOB_REVOCABLE; /* what a round of preemption ends first */
    say(engine, job, 0, 0);
    ask.count = 5; /* of 1 of slack, when there is some */
    ask.flags = SKED_ASK_WAIT;
    say(engine, ask, 0, 1);
    for (int64_t use = 8; use > 4; use -= 3) measure(engine, use);
    measure(engine, 7);
    sked_engine_free(engine);
    sked_tree_free(tree);
    sked_schema_free(schema);
    return 0;
}
