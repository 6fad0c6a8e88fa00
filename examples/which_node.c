/*
 * The node of a task, and the time of its start: nodes are filled by the mode
 * of each ask (engine_place.h), a queue starts at most two tasks a second, and
 * a task that no node can hold waits for a new node.
 */
#include <sched/engine_place.h>
#include <sched/sked.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const sked_time second = 1000000000;

static void must(sked_status rc)
{
    if (rc < SKED_OK) exit(1);
}

static void say(sked_engine *engine, sked_event event, int64_t cpu)
{
    sked_events batch = {.struct_size = sizeof batch,
                         .events = &event,
                         .n = 1,
                         .amounts = &cpu,
                         .n_amounts = 1};

    event.amount = 1;
    must(sked_engine_apply(engine, &batch, NULL, NULL));
}

static void ask(sked_engine *engine, sked_event event, int64_t cpu)
{
    event.kind = SKED_EVENT_ASK_ADD;
    event.key = event.owner; /* each job has a single ask */
    say(engine, event, cpu);
}

/* Prints the node of each open task that can run now. */
static void place(sked_engine *engine, sked_time now)
{
    sked_decision d;
    size_t n;

    must(sked_engine_place(engine, now * second, 0, NULL, NULL));
    printf("second %" PRId64 "\n", now);
    while (sked_engine_take(engine, &d, 1, &n, NULL) == SKED_OK && n > 0) {
        if (d.kind != SKED_DECISION_ALLOCATE) continue;
        printf("  job %" PRIu64 ": %" PRId64 " on node %" PRIu64 "\n", d.job,
               d.count, d.node);
    }
}

int main(void)
{
    const char *const kinds[] = {"cpu"};
    sked_schema *schema;
    sked_tree *tree;
    sked_engine *engine;
    sked_queue_id quick, slow;

    must(sked_schema_new(kinds, NULL, 1, NULL, &schema, NULL));
    must(sked_tree_new(schema, NULL, NULL, &tree, NULL));
    must(sked_tree_add(tree, sked_tree_root(tree), "quick", &quick, NULL));
    must(sked_tree_add(tree, sked_tree_root(tree), "slow", &slow, NULL));
    must(sked_tree_set(tree, slow, SKED_QUEUE_START_RATE, 2, NULL));
    must(sked_tree_commit(tree, SKED_TREE_COMMIT_STRICT, NULL));
    must(sked_engine_new(tree, NULL, NULL, &engine, NULL));
    for (uint64_t node = 1; node <= 3; node++) {
        sked_event up = {.kind = SKED_EVENT_NODE_UP, .key = node};
        say(engine, up, node == 2 ? 6 : 8);
    }
    for (uint64_t job = 1; job <= 4; job++) {
        sked_event submit = {.kind = SKED_EVENT_JOB_SUBMIT, .key = job};
        submit.queue = job == 3 ? slow : quick;
        say(engine, submit, 0);
    }
    printf("job 1 packs, job 2 spreads\n");
    ask(engine,
        (sked_event){.owner = 1, .count = 2, .flags = SKED_ASK_PLACE_PACK}, 2);
    ask(engine,
        (sked_event){.owner = 2, .count = 2, .flags = SKED_ASK_PLACE_SPREAD},
        2);
    place(engine, 0);
    printf("job 3 has 3 tasks in a queue that starts 2 a second\n");
    ask(engine, (sked_event){.owner = 3, .count = 3}, 1);
    for (sked_time now = 1; now <= 2; now++) place(engine, now);
    printf("job 4 needs 16 cpu, which no node has\n");
    ask(engine, (sked_event){.owner = 4, .count = 1, .flags = SKED_ASK_WAIT},
        16);
    place(engine, 3);
    say(engine, (sked_event){.kind = SKED_EVENT_NODE_UP, .key = 4}, 16);
    place(engine, 4);
    sked_engine_free(engine);
    sked_tree_free(tree);
    sked_schema_free(schema);
    return 0;
}
