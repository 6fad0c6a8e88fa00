/*
 * A job counts in its queue, in the account that pays for the job, and in its
 * class of service: two trees of limits beside the engine's own tree. A limit
 * of any tree keeps tasks waiting, the engine names the limit, and other jobs
 * start meanwhile.
 */
#include <sched/sked.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { ACCOUNT = 1, SERVICE = 2 }; /* trees of limits */

typedef struct cluster {
    sked_schema *schema;
    sked_tree *tree[1 + SKED_MAX_LIMIT_TREES]; /* 0: the engine's own */
    sked_queue_id leaf, chemistry, interactive;
    sked_engine *engine;
} cluster;

static void must(sked_status rc, const sked_error *err)
{
    if (rc == SKED_OK) return;
    fprintf(stderr, "%s: %s\n", sked_status_name(rc), err->message);
    exit(1);
}

/* A tree with a queue below the root; the queue has a limit of cpus. */
static sked_queue_id plant(cluster *c, int tree, const char *name, int64_t cpu)
{
    sked_error err;
    sked_tree **t = &c->tree[tree];
    sked_queue_id queue;

    must(sked_tree_new(c->schema, NULL, NULL, t, &err), &err);
    must(sked_tree_add(*t, sked_tree_root(*t), name, &queue, &err), &err);
    must(sked_tree_set_vec(*t, queue, SKED_QUEUE_LIMIT, &cpu, &err), &err);
    must(sked_tree_commit(*t, SKED_TREE_COMMIT_STRICT, &err), &err);
    return queue;
}

/* Sends an event for tasks of one cpu each, for a job with a charge. */
static void tell(cluster *c, sked_event event, sked_event_charge charge)
{
    const int64_t cpu = event.kind == SKED_EVENT_NODE_UP ? 16 : 1;
    sked_error err;
    sked_events batch = {.struct_size = sizeof batch,
                         .events = &event,
                         .n = 1,
                         .amounts = &cpu,
                         .n_amounts = 1,
                         .charges = &charge};

    must(sked_engine_apply(c->engine, &batch, NULL, &err), &err);
}

/* A job with an ask for tasks of one cpu each. */
static void submit(cluster *c, uint64_t key, int64_t tasks,
                   sked_event_charge charge)
{
    tell(c,
         (sked_event){
             .kind = SKED_EVENT_JOB_SUBMIT, .key = key, .queue = c->leaf},
         charge);
    tell(c,
         (sked_event){.kind = SKED_EVENT_ASK_ADD,
                      .key = key,
                      .owner = key,
                      .count = tasks,
                      .amount = 1},
         (sked_event_charge){0, 0});
}

/* Starts what may start, and says what. */
static void pass(cluster *c)
{
    sked_decision d;
    sked_error err;
    size_t n;

    must(sked_engine_pass(c->engine, 0, 0, &err), &err);
    while (sked_engine_take(c->engine, &d, 1, &n, NULL) == SKED_OK && n > 0) {
        if (d.kind != SKED_DECISION_ALLOCATE) continue;
        printf("  job %" PRIu64 " starts %" PRId64 " tasks\n", d.job, d.count);
    }
}

/* Prints the reason why a job's next task does not start. */
static void explain(const cluster *c, uint64_t job)
{
    sked_engine_bound bounds[32];
    sked_error err = {.code = SKED_OK};
    size_t n;

    must(sked_engine_explain_job(c->engine, job, bounds, 32, &n), &err);
    for (size_t i = 0; i < n && i < 32; i++) {
        if (!bounds[i].binds) continue;
        printf("  job %" PRIu64 " waits: %s, %" PRId64 " of %" PRId64 " cpu\n",
               job, sked_reason_name(bounds[i].reason), bounds[i].need,
               bounds[i].bound);
        return;
    }
}

int main(void)
{
    static const char *const kinds[] = {"cpu"};
    sked_engine_options options = {.struct_size = sizeof options};
    sked_error err;
    cluster c;

    must(sked_schema_new(kinds, NULL, 1, NULL, &c.schema, &err), &err);
    c.leaf = plant(&c, 0, "batch", SKED_UNLIMITED);
    c.chemistry = plant(&c, ACCOUNT, "chemistry", 6);
    c.interactive = plant(&c, SERVICE, "interactive", 4);
    must(sked_engine_new(c.tree[0], &options, NULL, &c.engine, &err), &err);
    for (uint32_t which = 1; which <= SKED_MAX_LIMIT_TREES; which++) {
        must(sked_engine_commit_limits(c.engine, which, c.tree[which], 0, &err),
             &err);
    }
    tell(&c, (sked_event){.kind = SKED_EVENT_NODE_UP, .key = 1, .amount = 1},
         (sked_event_charge){0, 0});

    printf("an account of 6 cpu, a class of service of 4, a node of 16\n");
    submit(&c, 1, 9, (sked_event_charge){c.chemistry, c.interactive});
    submit(&c, 2, 9, (sked_event_charge){c.chemistry, SKED_NO_QUEUE});
    submit(&c, 3, 5, (sked_event_charge){SKED_NO_QUEUE, SKED_NO_QUEUE});
    pass(&c);
    explain(&c, 1);
    explain(&c, 2);

    int64_t cpu = 8, held, running;
    printf("the account may hold 8\n");
    must(sked_tree_set_vec(c.tree[ACCOUNT], c.chemistry, SKED_QUEUE_LIMIT, &cpu,
                           &err),
         &err);
    must(sked_tree_commit(c.tree[ACCOUNT], SKED_TREE_COMMIT_STRICT, &err),
         &err);
    must(sked_engine_commit_limits(c.engine, ACCOUNT, c.tree[ACCOUNT], 0, &err),
         &err);
    pass(&c);
    must(sked_engine_limits_usage(c.engine, ACCOUNT, c.chemistry, &held,
                                  &running),
         &err);
    printf("  it holds %" PRId64 ", for %" PRId64 " jobs\n", held, running);

    sked_engine_free(c.engine);
    for (int i = 0; i <= SKED_MAX_LIMIT_TREES; i++) sked_tree_free(c.tree[i]);
    sked_schema_free(c.schema);
    return 0;
}
