/*
 * Messages of a cluster manager to an engine, beside allocation: the manager
 * was restarted and reports the running tasks, refuses a proposal, drains a
 * node, and reports smaller tasks. Time is in seconds.
 */
#include <sched/sked.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define SECOND INT64_C(1000000000)

static void must(sked_status rc, const sked_error *err)
{
    if (rc == SKED_OK) return;
    fprintf(stderr, "%s: %s\n", sked_status_name(rc), err->message);
    exit(1);
}

/* Prints and forgets the decisions; returns the last group of a decision. */
static uint64_t carry_out(sked_engine *engine)
{
    static uint64_t group;
    sked_decision d;
    size_t n;

    while (sked_engine_take(engine, &d, 1, &n, NULL) == SKED_OK && n > 0) {
        if (d.kind != SKED_DECISION_ALLOCATE) continue;
        group = d.group;
        printf("  %" PRId64 " of ask %" PRIu64 " on node %" PRIu64 ": %s\n",
               d.count, d.ask, d.node, sked_reason_name(d.reason));
    }
    return group;
}

static uint64_t say(sked_engine *engine, const char *what, sked_event event,
                    int64_t cpu, sked_time until)
{
    sked_error err;
    sked_events batch = {.struct_size = sizeof batch,
                         .events = &event,
                         .n = 1,
                         .amounts = &cpu,
                         .n_amounts = 1,
                         .moments = &until};

    printf("%s\n", what);
    must(sked_engine_apply(engine, &batch, NULL, &err), &err);
    return carry_out(engine);
}

/* The host restarts with its knowledge: two nodes, one job, and six tasks of
 * which four run. The engine is empty. */
static void restart(sked_engine *engine, sked_queue_id leaf)
{
    const int64_t cpu[] = {4, 1};
    const sked_event known[] = {
        {.kind = SKED_EVENT_NODE_UP, .key = 1, .amount = 1},
        {.kind = SKED_EVENT_NODE_UP, .key = 2, .amount = 1},
        {.kind = SKED_EVENT_JOB_SUBMIT, .key = 1, .owner = 7, .queue = leaf},
        {.kind = SKED_EVENT_ASK_ADD,
         .key = 1,
         .owner = 1,
         .count = 6,
         .amount = 2},
        {.kind = SKED_EVENT_TASK_RUNNING, .key = 1, .owner = 1, .count = 4}};
    sked_engine_difference d[8];
    sked_error err;
    size_t n;
    sked_events truth = {.struct_size = sizeof truth,
                         .events = known,
                         .n = 5,
                         .amounts = cpu,
                         .n_amounts = 2};

    must(sked_engine_reconcile(engine, &truth, d, 8, &n, &err), &err);
    printf("restart: %zu things to tell\n", n);
    sked_events mend = truth;
    mend.events = &d->event, mend.stride = sizeof *d, mend.n = n;
    mend.moments = &d->moment, mend.moment_stride = sizeof *d;
    mend.tasks = &d->task, mend.task_stride = sizeof *d;
    must(sked_engine_apply(engine, &mend, NULL, &err), &err);
    (void)carry_out(engine);
    must(sked_engine_reconcile(engine, &truth, d, 8, &n, &err), &err);
    printf("  now %zu differ\n", n);
}

int main(void)
{
    static const char *const kinds[] = {"cpu"};
    sked_engine_options options = {.struct_size = sizeof options,
                                   .confirm_within_ns = 60 * SECOND};
    sked_schema *schema;
    sked_tree *tree;
    sked_engine *engine;
    sked_queue_id leaf;
    sked_error err;

    must(sked_schema_new(kinds, NULL, 1, NULL, &schema, &err), &err);
    must(sked_tree_new(schema, NULL, NULL, &tree, &err), &err);
    must(sked_tree_add(tree, sked_tree_root(tree), "q", &leaf, &err), &err);
    must(sked_tree_commit(tree, SKED_TREE_COMMIT_STRICT, &err), &err);
    must(sked_engine_new(tree, &options, NULL, &engine, &err), &err);
    restart(engine, leaf);

    sked_event beat = {.kind = SKED_EVENT_HEARTBEAT, .key = 2};
    sked_event drain = {.kind = SKED_EVENT_NODE_DRAIN, .key = 2};
    sked_event resume = {.kind = SKED_EVENT_NODE_RESUME, .key = 2};
    sked_event no = {.kind = SKED_EVENT_TASK_REFUSE,
                     .key = say(engine, "node 2 sends", beat, 0, SKED_UNSET)};
    (void)say(engine, "the host refuses, for ten seconds", no, 0, 10 * SECOND);
    (void)say(engine, "node 2 sends", beat, 0, SKED_UNSET);
    sked_time next = sked_engine_next_time(engine);
    printf("the host may sleep until second %" PRId64 "\n", next / SECOND);
    beat.time = next;
    drain.time = resume.time = beat.time;
    (void)say(engine, "node 2 drains", drain, 0, SKED_UNSET);
    (void)say(engine, "ten seconds are over, node 2 sends", beat, 0,
              SKED_UNSET);
    (void)say(engine, "node 2 resumes", resume, 0, SKED_UNSET);
    sked_event yes = {.kind = SKED_EVENT_TASK_CONFIRM,
                      .time = beat.time,
                      .flags = SKED_CONFIRM_ACTUAL,
                      .key = say(engine, "node 2 sends", beat, 0, SKED_UNSET),
                      .amount = 1};
    (void)say(engine, "confirmed, and they hold 2 cpu each", yes, 2,
              SKED_UNSET);

    int64_t free = 0;
    must(sked_engine_node_free(engine, 2, &free), NULL);
    printf("free on node 2: %" PRId64 "\n", free);
    sked_engine_free(engine);
    sked_tree_free(tree);
    sked_schema_free(schema);
    return 0;
}
