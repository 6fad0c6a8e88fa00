/*
 * A small manager around the engine: queues with a guarantee, users, a gang,
 * preemption, a lost node, a restart, and why a job waits. docs/embedding.md
 * explains the program. A real manager has sockets, a clock and a database where
 * this program has a script in main().
 */
#include <sched/sked.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define SECOND INT64_C(1000000000)
#define MOST 64 /* of each thing that this manager knows */

static void must(sked_status rc, const sked_error *err)
{
    if (rc == SKED_OK) return;
    fprintf(stderr, "%s: %s\n", sked_status_name(rc), err->message);
    exit(1);
}

/* What the manager knows by itself. The engine keeps a copy. */
struct node {
    uint64_t key;
    int64_t cpu;
    int up;
};

struct ask {
    uint64_t key, job, user;
    sked_queue_id queue;
    int64_t cpu, tasks;
    int gang;
};

/* Tasks that run: one entry for each group. */
struct run {
    uint64_t group, job, ask, node;
    int64_t count;
};

typedef struct manager {
    sked_schema *schema;
    sked_tree *tree;
    sked_engine *engine;
    sked_time now;
    struct node node[MOST];
    struct ask ask[MOST];
    struct run run[MOST];
    int nodes, asks, runs;
} manager;

/* clang-format off */
static const char config[] =
    "kinds cpu=1\n"
    "root\n"
    "root.batch user_limit=50%\n"
    "root.service guarantee=cpu=8 limit=cpu=12\n";
/* clang-format on */

static void start_engine(manager *m)
{
    const sked_engine_options options = {.struct_size = sizeof options,
                                         .confirm_within_ns = 10 * SECOND,
                                         .form_nodes = 2};
    const sked_target_options targets = {.struct_size = sizeof targets,
                                         .ignored_ppm = -1,
                                         .factor_ppm = SKED_PPM,
                                         .per_round_ppm = -1};
    const sked_engine_preempt_options preempt = {
        .struct_size = sizeof preempt, .targets = &targets, .gangs = 1};
    sked_error err;

    must(sked_engine_new(m->tree, &options, NULL, &m->engine, &err), &err);
    must(sked_engine_preempt(m->engine, &preempt, &err), &err);
}

static void start_manager(manager *m)
{
    sked_error err;

    must(sked_tree_parse_schema(config, sizeof config - 1, NULL, &m->schema,
                                &err),
         &err);
    must(sked_tree_new(m->schema, NULL, NULL, &m->tree, &err), &err);
    must(sked_tree_parse(m->tree, config, sizeof config - 1, "config", NULL, 0,
                         NULL, &err),
         &err);
    must(sked_tree_commit(m->tree, SKED_TREE_COMMIT_STRICT, &err), &err);
    start_engine(m);
}

/* Reports one event; `cpu` is its amount, if it has one. */
static void report(manager *m, sked_event event, int64_t cpu)
{
    const sked_event_gang gang = {.per_node = 4};
    sked_error err;
    sked_events batch = {.struct_size = sizeof batch,
                         .events = &event,
                         .n = 1,
                         .amounts = &cpu,
                         .n_amounts = 1,
                         .gangs = &gang};

    event.time = m->now;
    if (cpu > 0) event.amount = 1;
    must(sked_engine_apply(m->engine, &batch, NULL, &err), &err);
}

static void add_node(manager *m, uint64_t key, int64_t cpu)
{
    m->node[m->nodes++] = (struct node){key, cpu, 1};
    report(m, (sked_event){.kind = SKED_EVENT_NODE_UP, .key = key}, cpu);
}

static sked_event job_event(const struct ask *a)
{
    return (sked_event){.kind = SKED_EVENT_JOB_SUBMIT,
                        .key = a->job,
                        .owner = a->user,
                        .queue = a->queue};
}

static sked_event ask_event(const struct ask *a)
{
    return (sked_event){.kind = SKED_EVENT_ASK_ADD,
                        .key = a->key,
                        .owner = a->job,
                        .count = a->tasks,
                        .flags = a->gang ? SKED_ASK_GANG | SKED_ASK_SPREAD : 0};
}

/* A job of one ask. */
static void submit(manager *m, const char *path, struct ask a)
{
    sked_error err;

    must(sked_tree_find(m->tree, path, &a.queue, &err), &err);
    m->ask[m->asks++] = a;
    report(m, job_event(&a), 0);
    report(m, ask_event(&a), a.cpu);
}

static struct run *find_run(manager *m, uint64_t group)
{
    for (int i = 0; i < m->runs; i++)
        if (m->run[i].group == group) return &m->run[i];
    return NULL;
}

/* Takes `count` tasks of a group off the manager's list. */
static void drop(manager *m, uint64_t group, int64_t count)
{
    struct run *r = find_run(m, group);

    if (r && (r->count -= count) == 0) *r = m->run[--m->runs];
}

static void carry_out(manager *m)
{
    sked_decision d;
    size_t n;

    while (sked_engine_take(m->engine, &d, 1, &n, NULL) == SKED_OK && n > 0) {
        switch (d.kind) {
        case SKED_DECISION_ALLOCATE: /* start the tasks, then confirm */
            printf("  start %" PRId64 " of ask %" PRIu64 " on node %" PRIu64
                   ": %s\n",
                   d.count, d.ask, d.node, sked_reason_name(d.reason));
            m->run[m->runs++] = (struct run){d.group, d.job, d.ask, d.node,
                                             d.count};
            if (d.reason != SKED_REASON_ADOPTED)
                report(m,
                       (sked_event){.kind = SKED_EVENT_TASK_CONFIRM,
                                    .key = d.group},
                       0);
            break;
        case SKED_DECISION_NOTIFY: /* tell the job: it may save its work */
            printf("  notice to %" PRId64 " of ask %" PRIu64 " on node %" PRIu64
                   ", for ask %" PRIu64 "\n",
                   d.count, d.ask, d.node, d.serves);
            break;
        case SKED_DECISION_KILL: /* end the tasks, then report the end */
            printf("  kill %" PRId64 " of ask %" PRIu64 " on node %" PRIu64
                   "\n",
                   d.count, d.ask, d.node);
            drop(m, d.group, d.count);
            report(m,
                   (sked_event){.kind = SKED_EVENT_TASK_KILLED,
                                .key = d.group,
                                .count = d.count},
                   0);
            break;
        case SKED_DECISION_LOST:
            printf("  lost %" PRId64 " of ask %" PRIu64 " with node %" PRIu64
                   "\n",
                   d.count, d.ask, d.node);
            drop(m, d.group, d.count);
            break;
        case SKED_DECISION_EXPIRE: drop(m, d.group, d.count); break;
        case SKED_DECISION_REJECT:
            printf("  ask %" PRIu64 " is rejected: %s\n", d.ask,
                   sked_reason_name(d.reason));
            break;
        default: break; /* ADMIT, RESERVE, WITHDRAW, REQUEUE: for information */
        }
    }
}

static void pass(manager *m)
{
    sked_error err;

    must(sked_engine_pass(m->engine, m->now, 0, &err), &err);
    carry_out(m);
}

/* The timer: a pass every second, a round of preemption every third. */
static void tick(manager *m, int seconds)
{
    for (int i = 0; i < seconds; i++) {
        m->now += SECOND;
        if (m->now / SECOND % 3 == 0)
            report(m, (sked_event){.kind = SKED_EVENT_ROUND}, 0);
        carry_out(m);
        pass(m);
    }
}

/* Why does a job wait? */
static void explain(manager *m, uint64_t job)
{
    sked_engine_bound bound[32];
    size_t n;

    must(sked_engine_explain_job(m->engine, job, bound, 32, &n), NULL);
    for (size_t i = 0; i < n; i++)
        if (bound[i].binds)
            printf("  job %" PRIu64 " waits: %s (needs %" PRId64
                   ", there is %" PRId64 ")\n",
                   job, sked_reason_name(bound[i].reason), bound[i].need,
                   bound[i].bound);
}

/* A job has ended with all its tasks. */
static void finish(manager *m, uint64_t job)
{
    for (int i = m->runs; i-- > 0;) {
        if (m->run[i].job != job) continue;
        report(m,
               (sked_event){.kind = SKED_EVENT_TASK_FINISH,
                            .key = m->run[i].group,
                            .count = m->run[i].count},
               0);
        m->run[i] = m->run[--m->runs];
    }
    for (int i = m->asks; i-- > 0;)
        if (m->ask[i].job == job) m->ask[i] = m->ask[--m->asks];
    report(m, (sked_event){.kind = SKED_EVENT_JOB_FINISH, .key = job}, 0);
}

static void lose_node(manager *m, uint64_t key)
{
    for (int i = 0; i < m->nodes; i++)
        if (m->node[i].key == key) m->node[i].up = 0;
    report(m, (sked_event){.kind = SKED_EVENT_NODE_DOWN, .key = key}, 0);
    carry_out(m);
}

/* All that the manager knows, as events of an empty engine. */
typedef struct truth {
    sked_event event[4 * MOST];
    sked_event_gang gang[4 * MOST];
    int64_t cpu[2 * MOST];
    size_t n, amounts;
} truth;

static void add(truth *t, sked_event event, int64_t cpu)
{
    if (cpu > 0) {
        t->cpu[t->amounts++] = cpu;
        event.amount = (uint32_t)t->amounts; /* rows count from 1 */
    }
    t->event[t->n++] = event;
}

static void list_all(const manager *m, truth *t)
{
    for (int i = 0; i < m->nodes; i++) {
        if (!m->node[i].up) continue;
        add(t, (sked_event){.kind = SKED_EVENT_NODE_UP, .key = m->node[i].key},
            m->node[i].cpu);
    }
    for (int i = 0; i < m->asks; i++) {
        const struct ask *a = &m->ask[i];
        sked_event job = job_event(a), ask = ask_event(a);
        job.flags = SKED_JOB_ADMITTED;
        add(t, job, 0);
        t->gang[t->n].per_node = 4;
        add(t, ask, a->cpu);
    }
    for (int i = 0; i < m->runs; i++) {
        const struct run *r = &m->run[i];
        add(t,
            (sked_event){.kind = SKED_EVENT_TASK_RUNNING,
                         .key = r->node,
                         .owner = r->ask,
                         .count = r->count},
            0);
    }
    for (size_t i = 0; i < t->n; i++) t->event[i].time = m->now;
}

/* The manager starts again with an empty engine. */
static void restart(manager *m)
{
    static sked_engine_difference d[4 * MOST];
    static truth t;
    sked_error err;
    size_t n;

    sked_engine_free(m->engine);
    start_engine(m);
    t = (truth){.n = 0};
    list_all(m, &t);
    sked_events known = {.struct_size = sizeof known,
                         .events = t.event,
                         .n = t.n,
                         .amounts = t.cpu,
                         .n_amounts = t.amounts,
                         .gangs = t.gang};
    must(sked_engine_reconcile(m->engine, &known, d, 4 * MOST, &n, &err), &err);
    printf("  %zu events mend the engine\n", n);
    sked_events mend = known;
    mend.events = &d->event, mend.stride = sizeof *d, mend.n = n;
    mend.moments = &d->moment, mend.moment_stride = sizeof *d;
    mend.tasks = &d->task, mend.task_stride = sizeof *d;
    mend.gangs = &d->gang, mend.gang_stride = sizeof *d;
    must(sked_engine_apply(m->engine, &mend, NULL, &err), &err);
    m->runs = 0; /* the answers name the groups anew */
    carry_out(m);
    must(sked_engine_reconcile(m->engine, &known, d, 4 * MOST, &n, &err), &err);
    printf("  then %zu differ\n", n);
}

int main(void)
{
    static manager m = {.now = SECOND};

    start_manager(&m);
    printf("two nodes, a batch job of 20 tasks\n");
    add_node(&m, 1, 8);
    add_node(&m, 2, 8);
    submit(&m, "root.batch",
           (struct ask){.key = 1, .job = 1, .user = 7, .cpu = 1, .tasks = 20});
    pass(&m);
    explain(&m, 1);
    printf("a gang of the service: 8 tasks, at most 4 on a node\n");
    submit(&m, "root.service",
           (struct ask){
               .key = 2, .job = 2, .user = 8, .cpu = 1, .tasks = 8, .gang = 1});
    pass(&m);
    explain(&m, 2);
    tick(&m, 24);
    printf("node 2 is lost\n");
    lose_node(&m, 2);
    pass(&m);
    printf("the manager starts again\n");
    restart(&m);
    pass(&m);
    printf("node 3 comes\n");
    add_node(&m, 3, 8);
    pass(&m);
    explain(&m, 1);
    printf("the gang has ended\n");
    finish(&m, 2);
    pass(&m);
    sked_engine_free(m.engine);
    sked_tree_free(m.tree);
    sked_schema_free(m.schema);
    return 0;
}
