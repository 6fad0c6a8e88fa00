#include "honour_scene.h"

#include <string.h>

enum { ROUNDS = 60 };

static const char *const leaves[LEAVES] = {"root.a.x", "root.a.y", "root.b"};
const int64_t scene_capacity[KINDS] = {100, 100};
static const int64_t capacity_of_node[KINDS] = {10, 10};
static const int64_t usage[LEAVES * KINDS] = {60, 10, 0, 0, 20, 40};
static const int64_t demand[LEAVES * KINDS] = {80, 20, 10, 30, 90, 60};

void scene_begin(scene *s, const char *text)
{
    static const int64_t running[LEAVES] = {2, 1, 2};
    const char *const kinds[] = {"cpu", "memory"};

    *s = (scene){0};
    skedi_hash_start(&s->hash, 0);
    assert_ok(sked_schema_new(kinds, NULL, KINDS, NULL, &s->schema, NULL));
    assert_ok(sked_tree_new(s->schema, NULL, NULL, &s->tree, NULL));
    assert_ok(sked_tree_parse(s->tree, text, strlen(text), NULL, NULL, 0, NULL,
                              NULL));
    assert_ok(sked_tree_commit(s->tree, SKED_TREE_COMMIT_LENIENT, NULL));
    for (int i = 0; i < LEAVES; i++) {
        assert_ok(sked_tree_find(s->tree, leaves[i], &s->leaf[i], NULL));
    }
    assert_ok(sked_ledger_new(s->tree, NULL, NULL, &s->ledger, NULL));
    assert_ok(sked_ledger_set(s->ledger, SKED_LEDGER_USAGE, s->leaf, usage,
                              LEAVES, NULL));
    assert_ok(sked_ledger_set(s->ledger, SKED_LEDGER_HISTORY, s->leaf, usage,
                              LEAVES, NULL));
    assert_ok(sked_ledger_set(s->ledger, SKED_LEDGER_DEMAND, s->leaf, demand,
                              LEAVES, NULL));
    assert_ok(sked_ledger_set(s->ledger, SKED_LEDGER_RUNNING, s->leaf, running,
                              LEAVES, NULL));
}

uint64_t scene_end(scene *s)
{
    sked_ledger_free(s->ledger);
    sked_tree_free(s->tree);
    sked_schema_free(s->schema);
    return skedi_hash_end(&s->hash);
}

void note(scene *s, const int64_t *numbers, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        skedi_hash_u64(&s->hash, (uint64_t)numbers[i]);
    }
}

/* ---- The engine ---- */

static void say(sked_engine *e, sked_event event)
{
    static const int64_t amounts[] = {10, 10, 1, 1, 2, 2, 2, 1};
    const sked_events batch = {.struct_size = sizeof batch,
                               .events = &event,
                               .n = 1,
                               .amounts = amounts,
                               .n_amounts = 4};

    assert_ok(sked_engine_apply(e, &batch, NULL, NULL));
}

/* A job of a leaf with a master and 30 tasks; its key is that of its ask. */
static void submit(sked_engine *e, const scene *s, uint64_t key, int leaf,
                   sked_time now)
{
    say(e, (sked_event){.time = now,
                        .kind = SKED_EVENT_JOB_SUBMIT,
                        .key = key,
                        .queue = s->leaf[leaf],
                        .owner = 1 + key % 2});
    say(e, (sked_event){.time = now,
                        .kind = SKED_EVENT_ASK_ADD,
                        .flags = SKED_ASK_MASTER,
                        .key = 100 + key,
                        .owner = key,
                        .count = 1,
                        .amount = 3});
    say(e, (sked_event){.time = now,
                        .kind = SKED_EVENT_ASK_ADD,
                        .key = key,
                        .owner = key,
                        .count = 50 - (int64_t)(key * 2),
                        .amount = leaf < 2 ? 4 : 2});
}

/* Notes what was decided; what is to end does. */
static void take(sked_engine *e, scene *s, sked_time now)
{
    sked_decision d[64];
    size_t n = 64;

    while (n > 0) {
        assert_ok(sked_engine_take(e, d, 64, &n, NULL));
        for (size_t i = 0; i < n; i++) {
            const int64_t numbers[] = {d[i].kind,         d[i].reason,
                                       (int64_t)d[i].ask, (int64_t)d[i].node,
                                       d[i].count,        d[i].time};
            note(s, numbers, 6);
            if (d[i].kind != SKED_DECISION_KILL) continue;
            say(e, (sked_event){.time = now,
                                .kind = SKED_EVENT_TASK_KILLED,
                                .key = d[i].group,
                                .count = d[i].count});
        }
    }
}

/* b fills ten nodes, then x and y come, rounds go on, and jobs are cancelled
 * one by one. */
static void run(scene *s, int32_t dialect)
{
    const sked_target_options targets = {.struct_size = sizeof targets,
                                         .mode = dialect,
                                         .ignored_ppm = -1,
                                         .per_round_ppm = -1,
                                         .utilisation_ppm = -(dialect == 1)};
    const sked_engine_preempt_options how = {.struct_size = sizeof how,
                                             .targets = &targets};
    sked_time now = 0;
    sked_engine *e;

    assert_ok(sked_engine_new(s->tree, NULL, NULL, &e, NULL));
    assert_ok(sked_engine_preempt(e, &how, NULL));
    assert_ok(sked_engine_name_user(e, 1, "one", NULL));
    for (uint64_t n = 1; n <= 10; n++) {
        say(e, (sked_event){.kind = SKED_EVENT_NODE_UP, .key = n, .amount = 1});
    }
    for (uint64_t j = 1; j <= 3; j++) submit(e, s, j, 2, now);
    assert_ok(sked_engine_pass(e, now, 0, NULL));
    take(e, s, now);
    for (uint64_t j = 4; j <= 9; j++) submit(e, s, j, j % 2 == 0, now);
    for (int i = 0; i < ROUNDS; i++) {
        now += 3000000000;
        say(e, (sked_event){.time = now, .kind = SKED_EVENT_ROUND});
        take(e, s, now);
        assert_ok(sked_engine_pass(e, now, 0, NULL));
        take(e, s, now);
    }
    for (uint64_t j = 1; j <= 9; j++) {
        say(e,
            (sked_event){.time = now, .kind = SKED_EVENT_JOB_CANCEL, .key = j});
        take(e, s, now);
        assert_ok(sked_engine_pass(e, now, 0, NULL));
        take(e, s, now);
    }
    assert_ok(sked_engine_check(e, NULL));
    sked_engine_free(e);
}

void by_engine(scene *s)
{
    for (int32_t dialect = 0; dialect < 3; dialect++) run(s, dialect);
}

/* ---- The simulator ---- */

/* The jobs of run(), without masters; each task takes 20 s. */
static void simulate(scene *s, int32_t dialect)
{
    enum { JOBS = 9 };
    sked_time submit[JOBS];
    int64_t length[JOBS], tasks[JOBS], amounts[JOBS * KINDS];
    sked_queue_id queue[JOBS];
    uint64_t user[JOBS];
    const sked_target_options targets = {.struct_size = sizeof targets,
                                         .mode = dialect,
                                         .ignored_ppm = -1,
                                         .per_round_ppm = -1,
                                         .utilisation_ppm = -(dialect == 1)};
    const sked_engine_preempt_options how = {.struct_size = sizeof how,
                                             .targets = &targets};
    const sked_sim_options opts = {.struct_size = sizeof opts,
                                   .preempt = &how,
                                   .round_every_ns = 3000000000};
    const sked_sim_nodes nodes = {.count = 10, .amounts = capacity_of_node};
    sked_sim *sim;
    sked_sim_result r = {.struct_size = sizeof r};

    for (int j = 0; j < JOBS; j++) {
        submit[j] = j < 3 ? 0 : 5000000000;
        length[j] = 20000000000;
        tasks[j] = 48 - 2 * j;
        queue[j] = s->leaf[j < 3 ? 2 : j % 2];
        user[j] = 1 + (uint64_t)j % 2;
        amounts[j * KINDS] = 2;
        amounts[j * KINDS + 1] = j < 3 ? 2 : 1;
    }
    const sked_sim_jobs jobs = {.struct_size = sizeof jobs,
                                .n = JOBS,
                                .submit = submit,
                                .run_ns = length,
                                .tasks = tasks,
                                .amounts = amounts,
                                .queue = queue,
                                .user = user};
    const sked_sim_input in = {.struct_size = sizeof in,
                               .tree = s->tree,
                               .jobs = &jobs,
                               .nodes = &nodes,
                               .n_nodes = 1};
    assert_ok(sked_sim_new(&in, &opts, NULL, &sim, NULL));
    assert_ok(sked_sim_run(sim, NULL, NULL, NULL));
    assert_ok(sked_sim_get_result(sim, &r, NULL));
    skedi_hash_u64(&s->hash, r.digest);
    sked_sim_free(sim);
}

void by_sim(scene *s)
{
    for (int32_t dialect = 0; dialect < 3; dialect++) simulate(s, dialect);
}
