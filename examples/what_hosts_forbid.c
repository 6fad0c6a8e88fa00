/*
 * Prohibitions by a host: a node that a job does not take, a proposal that the
 * host refuses for a minute, and tasks that preemption leaves to a job.
 */
#include <sched/sked.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const sked_time second = 1000000000;

static void must(sked_status rc)
{
    if (rc != SKED_OK) exit(1);
}

/* Sends an event for one cpu (a node has 4), with a node and a time, or 0. */
static void say(sked_engine *engine, sked_event event, sked_time now,
                uint64_t node, sked_time until)
{
    const int64_t cpu = event.kind == SKED_EVENT_NODE_UP ? 4 : 1;
    static const int32_t row[] = {0, 1};
    const sked_time moment = until ? until * second : SKED_UNSET;
    sked_events batch = {.struct_size = sizeof batch,
                         .events = &event,
                         .n = 1,
                         .amounts = &cpu,
                         .n_amounts = 1,
                         .place_offsets = row,
                         .places = &node,
                         .n_places = 1,
                         .moments = &moment};

    event.time = now * second;
    event.amount = 1;
    event.places = node ? 1 : 0;
    must(sked_engine_apply(engine, &batch, NULL, NULL));
}

/* Sends an event and prints the decisions; returns the last group. */
static uint64_t hear(sked_engine *engine, int32_t kind, sked_time now,
                     uint64_t key)
{
    uint64_t group = 0;
    sked_decision d;
    size_t n;

    say(engine, (sked_event){.kind = kind, .key = key}, now, 0, 0);
    while (sked_engine_take(engine, &d, 1, &n, NULL) == SKED_OK && n > 0) {
        int starts = d.kind == SKED_DECISION_ALLOCATE;
        if (!starts && d.kind != SKED_DECISION_NOTIFY) continue;
        printf("%2" PRId64 " s: %" PRId64 " of job %" PRIu64 " %s node %" PRIu64
               "\n",
               now, d.count, d.job, starts ? "start on" : "are to leave",
               d.node);
        group = d.group;
    }
    return group;
}

/* Two queues, each with a guarantee of half, and rounds of preemption. */
static sked_engine *begin(sked_queue_id queues[2], sked_tree **tree)
{
    static const char text[] = "kinds cpu=1\nroot\n"
                               "root.a guarantee=50%\nroot.b guarantee=50%\n";
    const sked_engine_options opts = {.struct_size = sizeof opts,
                                      .confirm_within_ns = 100 * second};
    const sked_target_options all = {.struct_size = sizeof all,
                                     .factor_ppm = SKED_PPM,
                                     .ignored_ppm = -1,
                                     .per_round_ppm = -1};
    const sked_engine_preempt_options how = {.struct_size = sizeof how,
                                             .targets = &all};
    const size_t length = sizeof text - 1;
    sked_schema *schema;
    sked_engine *engine;

    must(sked_tree_parse_schema(text, length, NULL, &schema, NULL));
    must(sked_tree_new(schema, NULL, NULL, tree, NULL));
    must(sked_tree_parse(*tree, text, length, NULL, NULL, 0, NULL, NULL));
    must(sked_tree_commit(*tree, SKED_TREE_COMMIT_STRICT, NULL));
    must(sked_tree_find(*tree, "root.a", &queues[0], NULL));
    must(sked_tree_find(*tree, "root.b", &queues[1], NULL));
    must(sked_engine_new(*tree, &opts, NULL, &engine, NULL));
    must(sked_engine_preempt(engine, &how, NULL));
    sked_schema_free(schema);
    return engine;
}

int main(void)
{
    sked_event job = {.kind = SKED_EVENT_JOB_SUBMIT};
    sked_event ask = {.kind = SKED_EVENT_ASK_ADD, .key = 1, .owner = 1};
    sked_event not_there = {.kind = SKED_EVENT_JOB_EXCLUDE, .key = 1};
    sked_event refuse = {.kind = SKED_EVENT_TASK_REFUSE};
    sked_event confirm = {.kind = SKED_EVENT_TASK_CONFIRM};
    sked_event least = {.kind = SKED_EVENT_JOB_LEAST, .key = 1, .count = 6};
    sked_queue_id queues[2];
    sked_tree *tree;
    sked_engine *e = begin(queues, &tree);

    for (uint64_t key = 1; key <= 2; key++) {
        say(e, (sked_event){.kind = SKED_EVENT_NODE_UP, .key = key}, 0, 0, 0);
        job.key = key;
        job.queue = queues[key - 1];
        say(e, job, 0, 0, 0);
    }
    printf("job 1 has 8 tasks and does not take node 1\n");
    say(e, not_there, 0, 1, 0);
    ask.count = 8;
    say(e, ask, 0, 0, 0);
    (void)hear(e, SKED_EVENT_HEARTBEAT, 1, 1);
    confirm.key = hear(e, SKED_EVENT_HEARTBEAT, 1, 2);
    say(e, confirm, 1, 0, 0);
    printf("it does after all, but the node is not ready until second 60\n");
    say(e, not_there, 2, 0, 0);
    refuse.key = hear(e, SKED_EVENT_HEARTBEAT, 2, 1);
    say(e, refuse, 2, 0, 60);
    (void)hear(e, SKED_EVENT_HEARTBEAT, 59, 1);
    confirm.key = hear(e, SKED_EVENT_HEARTBEAT, 60, 1);
    say(e, confirm, 60, 0, 0);
    printf("job 2 wants 4 of the places, and job 1 keeps 6\n");
    say(e, least, 61, 0, 0);
    ask.key = ask.owner = 2;
    ask.count = 4;
    say(e, ask, 61, 0, 0);
    (void)hear(e, SKED_EVENT_ROUND, 61, 0);
    printf("it keeps what its queue is guaranteed\n");
    least.count = 0;
    say(e, least, 62, 0, 0);
    (void)hear(e, SKED_EVENT_ROUND, 62, 0);
    sked_engine_free(e);
    sked_tree_free(tree);
    return 0;
}
