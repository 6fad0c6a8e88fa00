/* Heavy users get less for a while. A ledger keeps the past usage of each queue
 * and halves it every day. The host corrects weights by past usage, and the
 * engine orders by the weights. The example has two queues with equal weights;
 * one queue had the cluster alone. */
#include <sched/sked.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { CHEMISTRY, PHYSICS, QUEUES, CPUS = 12, DAYS = 5 };

static const int64_t day = INT64_C(86400) * 1000000000;

static void must(sked_status rc)
{
    if (rc != SKED_OK) exit(1);
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

/* The weights of the day, in parts per million: equal weights, corrected by
 * past usage. A queue with too much past usage keeps the least possible
 * weight. */
static void correct(sked_engine *engine, const sked_ledger *ledger,
                    const sked_queue_id *leaf)
{
    int64_t used[QUEUES], weight[QUEUES], all = 0;
    double sum = 0;

    for (int q = 0; q < QUEUES; q++) {
        must(sked_ledger_get(ledger, SKED_LEDGER_HISTORY, leaf[q], &used[q]));
        all += used[q];
    }
    must(sked_fill_time_weights(NULL, used, QUEUES, all, 800000, weight, NULL));
    for (int q = 0; q < QUEUES; q++) sum += (double)weight[q];
    for (int q = 0; q < QUEUES; q++) {
        int64_t part = (int64_t)(1e6 * (double)weight[q] / sum + 0.5);
        printf(" %4.1f %%", (double)part / 1e4);
        say(engine,
            (sked_event){.kind = SKED_EVENT_QUEUE_WEIGHT,
                         .queue = leaf[q],
                         .count = part > 0 ? part : 1},
            0);
    }
}

/* A day's tasks start and run, and their usage goes to the ledger. */
static void run(sked_engine *engine, sked_ledger *ledger,
                const sked_queue_id *leaf)
{
    int64_t started[QUEUES] = {0};
    sked_decision d;
    size_t n;

    say(engine, (sked_event){.kind = SKED_EVENT_HEARTBEAT, .key = 1}, 0);
    while (sked_engine_take(engine, &d, 1, &n, NULL) == SKED_OK && n > 0) {
        if (d.kind != SKED_DECISION_ALLOCATE) continue;
        started[d.queue == leaf[PHYSICS]] += d.count;
        say(engine,
            (sked_event){.kind = SKED_EVENT_TASK_FINISH,
                         .key = d.group,
                         .count = d.count},
            0);
    }
    must(sked_ledger_add(ledger, SKED_LEDGER_HISTORY, leaf, started, QUEUES,
                         NULL));
    printf("; %2" PRId64 " and %2" PRId64 " tasks\n", started[CHEMISTRY],
           started[PHYSICS]);
}

int main(void)
{
    const char *const kinds[] = {"cpu"};
    const char *const names[QUEUES] = {"chemistry", "physics"};
    const int64_t past[QUEUES] = {2 * CPUS, 0}; /* days of a cpu */
    const sked_ledger_options opts = {.struct_size = sizeof opts,
                                      .half_life_ns = day};
    sked_queue_id leaf[QUEUES];
    sked_schema *schema;
    sked_tree *tree;
    sked_ledger *ledger;
    sked_engine *engine;

    must(sked_schema_new(kinds, NULL, 1, NULL, &schema, NULL));
    must(sked_tree_new(schema, NULL, NULL, &tree, NULL));
    for (int q = 0; q < QUEUES; q++) {
        must(sked_tree_add(tree, sked_tree_root(tree), names[q], &leaf[q],
                           NULL));
    }
    must(sked_tree_commit(tree, SKED_TREE_COMMIT_STRICT, NULL));
    must(sked_ledger_new(tree, &opts, NULL, &ledger, NULL));
    must(
        sked_ledger_add(ledger, SKED_LEDGER_HISTORY, leaf, past, QUEUES, NULL));
    must(sked_engine_new(tree, NULL, NULL, &engine, NULL));
    say(engine, (sked_event){.kind = SKED_EVENT_NODE_UP, .key = 1}, CPUS);
    for (uint64_t q = 0; q < QUEUES; q++) {
        say(engine,
            (sked_event){
                .kind = SKED_EVENT_JOB_SUBMIT, .key = q + 1, .queue = leaf[q]},
            0);
        say(engine,
            (sked_event){.kind = SKED_EVENT_ASK_ADD,
                         .key = q + 1,
                         .owner = q + 1,
                         .count = (int64_t)DAYS * CPUS},
            1);
    }
    for (int i = 0; i < DAYS; i++) {
        must(sked_ledger_decay(ledger, i * day, NULL));
        printf("day %d: weights", i + 1);
        correct(engine, ledger, leaf);
        run(engine, ledger, leaf);
    }
    sked_engine_free(engine);
    sked_ledger_free(ledger);
    sked_tree_free(tree);
    sked_schema_free(schema);
    return 0;
}
