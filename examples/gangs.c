/*
 * Multi-node gangs: all tasks at once or none, some tasks at once and the
 * others later, all tasks in one rack, an exact number of tasks on each node;
 * and the loss of a member.
 */
#include <sched/sked.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { RACK = 1, NODES = 5, JOB = 1 }; /* RACK is an attribute */

typedef struct cluster {
    sked_schema *schema;
    sked_tree *tree;
    sked_engine *engine;
    uint64_t group[NODES + 1]; /* started last on a node */
} cluster;

static void must(sked_status rc, const sked_error *err)
{
    if (rc == SKED_OK) return;
    fprintf(stderr, "%s: %s\n", sked_status_name(rc), err->message);
    exit(1);
}

/* Sends an event; `beside` has the columns that the event names. */
static void tell(cluster *c, sked_event event, sked_events beside)
{
    sked_error err;

    beside.struct_size = sizeof beside;
    beside.events = &event;
    beside.n = 1;
    must(sked_engine_apply(c->engine, &beside, NULL, &err), &err);
}

/* Prints the decisions, a line each. */
static void print_decisions(cluster *c)
{
    sked_decision d;
    size_t n;

    while (sked_engine_take(c->engine, &d, 1, &n, NULL) == SKED_OK && n > 0) {
        const char *what = d.kind == SKED_DECISION_ALLOCATE  ? "start"
                           : d.kind == SKED_DECISION_KILL    ? "end"
                           : d.kind == SKED_DECISION_REQUEUE ? "again"
                                                             : NULL;
        if (!what) continue;
        printf("  %s %" PRId64 " of ask %" PRIu64 " on node %" PRIu64 "\n",
               what, d.count, d.ask, d.node);
        if (d.kind == SKED_DECISION_ALLOCATE) c->group[d.node] = d.group;
    }
}

static void pass(cluster *c, sked_time now)
{
    sked_error err;

    must(sked_engine_pass(c->engine, now, 0, &err), &err);
    print_decisions(c);
}

/* Asks for tasks of one cpu that start as `gang` says. */
static void ask(cluster *c, uint64_t key, int64_t count, uint32_t flags,
                sked_event_gang gang)
{
    const int64_t cpu = 1;

    tell(c,
         (sked_event){.kind = SKED_EVENT_ASK_ADD,
                      .key = key,
                      .owner = JOB,
                      .count = count,
                      .amount = 1,
                      .flags = SKED_ASK_GANG | SKED_ASK_SPREAD | flags},
         (sked_events){.amounts = &cpu, .n_amounts = 1, .gangs = &gang});
}

/* Why the job's last ask waits. */
static void explain(const cluster *c)
{
    sked_engine_bound bounds[16];
    size_t n = 0;

    must(sked_engine_explain_job(c->engine, JOB, bounds, 16, &n), NULL);
    for (size_t i = 0; i < n; i++) {
        if (bounds[i].reason != SKED_REASON_GANG) continue;
        printf("  ask %" PRIu64 " needs nodes for %" PRId64
               " tasks at once, and there are for %" PRId64 "\n",
               bounds[i].ask, bounds[i].need, bounds[i].bound);
    }
}

/* Nodes 1 and 2 in rack 1, nodes 3 to 5 in rack 2, of four cpu each; a job. */
static void begin(cluster *c)
{
    static const char *const kinds[] = {"cpu"};
    static const int32_t rows[] = {0, 1};
    static const int64_t four = 4;
    sked_queue_id leaf;
    sked_error err;

    must(sked_schema_new(kinds, NULL, 1, NULL, &c->schema, &err), &err);
    must(sked_tree_new(c->schema, NULL, NULL, &c->tree, &err), &err);
    must(sked_tree_add(c->tree, sked_tree_root(c->tree), "q", &leaf, &err),
         &err);
    must(sked_tree_commit(c->tree, SKED_TREE_COMMIT_STRICT, &err), &err);
    must(sked_engine_new(c->tree, NULL, NULL, &c->engine, &err), &err);
    for (uint64_t node = 1; node <= NODES; node++) {
        const sked_rule_attribute is = {RACK, node <= 2 ? 1 : 2};
        tell(c,
             (sked_event){.kind = SKED_EVENT_NODE_UP, .key = node, .amount = 1},
             (sked_events){.amounts = &four, .n_amounts = 1});
        tell(c,
             (sked_event){
                 .kind = SKED_EVENT_NODE_ATTRIBUTES, .key = node, .places = 1},
             (sked_events){.attribute_offsets = rows,
                           .attributes = &is,
                           .n_attributes = 1});
    }
    tell(c,
         (sked_event){.kind = SKED_EVENT_JOB_SUBMIT, .key = JOB, .queue = leaf},
         (sked_events){0});
}

int main(void)
{
    cluster c = {0};

    begin(&c);
    printf("ask 1: six tasks at once, two a node, all end together\n");
    ask(&c, 1, 6, SKED_ASK_TOGETHER, (sked_event_gang){.per_node = 2});
    pass(&c, 1);
    printf("ask 2: eight tasks in one rack, five of them at once\n");
    ask(&c, 2, 8, 0, (sked_event_gang){.at_once = 5, .same = RACK});
    pass(&c, 2);
    printf("ask 3: nine tasks at once\n");
    ask(&c, 3, 9, 0, (sked_event_gang){0});
    pass(&c, 3);
    explain(&c);
    printf("a task of ask 1 is lost on node 1\n");
    tell(&c,
         (sked_event){
             .kind = SKED_EVENT_TASK_LOST, .key = c.group[1], .count = 1},
         (sked_events){0});
    print_decisions(&c);
    printf("the others have ended\n");
    tell(&c,
         (sked_event){
             .kind = SKED_EVENT_TASK_KILLED, .key = 1, .flags = SKED_TASK_ALL},
         (sked_events){0});
    pass(&c, 4);
    printf("ask 4: six tasks, three on each node that takes any\n");
    ask(&c, 4, 6, SKED_ASK_EXACT, (sked_event_gang){.per_node = 3});
    pass(&c, 5);
    explain(&c);
    printf("ask 2 has ended\n");
    tell(&c,
         (sked_event){
             .kind = SKED_EVENT_TASK_FINISH, .key = 2, .flags = SKED_TASK_ALL},
         (sked_events){0});
    pass(&c, 6);
    sked_engine_free(c.engine);
    sked_tree_free(c.tree);
    sked_schema_free(c.schema);
    return 0;
}
