/* The simulator with preemption against one that skips nothing: neither node events
 * nor rounds. */
#include "test.h"

#include <sched/sked.h>

#include <stdlib.h>
#include <string.h>

#include "ref_sim.h"
#include "size.h"
#include "words.h"

enum { JOBS = 60, LEAVES = 6, KINDS = 2, GROUPS = 3, POLICIES = 3, RUNS = 600 };

typedef struct preempt_case {
    sked_schema *schema;
    sked_tree *tree;
    sked_queue_id leaf[LEAVES];
    sked_time submit[JOBS];
    int64_t run[JOBS];
    int64_t tasks[JOBS];
    int64_t amounts[JOBS * KINDS];
    sked_queue_id queue[JOBS];
    uint64_t user[JOBS];
    int32_t priority[JOBS];
    uint32_t partition[JOBS];
    int64_t node_amounts[GROUPS * KINDS];
    sked_sim_nodes nodes[GROUPS];
    sked_sim_failure failure;
    sked_engine_options engine;
    sked_engine_preempt_options preempt;
    sked_target_options targets[POLICIES];
    const sked_target_options *more[POLICIES - 1];
    sked_round_options rounds;
    ref_sim_input in;
} preempt_case;

static const sked_time second = 1000000000;

static void set_number(preempt_case *c, int leaf, int32_t attribute,
                       int64_t value)
{
    assert_ok(sked_tree_set(c->tree, c->leaf[leaf], attribute, value, NULL));
}

static void make_leaf(preempt_case *c, test_words *words, int leaf)
{
    int64_t guarantee[KINDS] = {(int64_t)test_below(words, 8),
                                (int64_t)test_below(words, 16)};

    set_number(c, leaf, SKED_QUEUE_WEIGHT, 1 + (int64_t)test_below(words, 4));
    set_number(c, leaf, SKED_QUEUE_PRIORITY, (int64_t)test_below(words, 3));
    set_number(c, leaf, SKED_QUEUE_PREEMPT_MIN_TIMEOUT,
               (int64_t)test_below(words, 4) * second);
    set_number(c, leaf, SKED_QUEUE_PREEMPT_FAIR_TIMEOUT,
               (int64_t)test_below(words, 4) * second);
    if (test_below(words, 4) == 0)
        set_number(c, leaf, SKED_QUEUE_PREEMPT_FROM, 0);
    if (test_below(words, 3) == 0)
        set_number(c, leaf, SKED_QUEUE_USER_LIMIT, 300000);
    if (test_below(words, 3) == 0)
        set_number(c, leaf, SKED_QUEUE_MAX_RUNNING,
                   1 + (int64_t)test_below(words, 3));
    if (test_below(words, 3) == 0) return;
    assert_ok(sked_tree_set_vec(c->tree, c->leaf[leaf], SKED_QUEUE_GUARANTEE,
                                guarantee, NULL));
}

/* Some leaves start few tasks in a second; nodes learn by their events that it is
 * over. */
static void rate_leaves(preempt_case *c, test_words *words)
{
    for (int i = 0; i < LEAVES; i++) {
        if (test_below(words, 2)) continue;
        set_number(c, i, SKED_QUEUE_START_RATE,
                   1 + (int64_t)test_below(words, 3));
    }
    assert_ok(sked_tree_commit(c->tree, 0, NULL));
    c->in.opts.place = 0;
    if (c->in.opts.heartbeat_ns == 0) c->in.opts.heartbeat_ns = second / 4;
}

/* Leaves may not hold much, and users not run many jobs. */
static void limit_leaves(preempt_case *c, test_words *words)
{
    for (int i = 0; i < LEAVES; i++) {
        int64_t limit[KINDS] = {3 + (int64_t)test_below(words, 8),
                                6 + (int64_t)test_below(words, 16)};
        if (test_below(words, 2)) continue;
        assert_ok(sked_tree_set_vec(c->tree, c->leaf[i], SKED_QUEUE_LIMIT,
                                    limit, NULL));
    }
    assert_ok(sked_tree_commit(c->tree, 0, NULL));
    c->engine.max_user_running = (uint32_t)test_below(words, 3);
}

/* Two parents with three leaves each. */
static void make_tree(preempt_case *c, test_words *words)
{
    assert_ok(sked_schema_parse("cpu=m memory=B", 14, NULL, &c->schema, NULL));
    assert_ok(sked_tree_new(c->schema, NULL, NULL, &c->tree, NULL));
    sked_queue_id up[2];
    for (int i = 0; i < 2; i++) {
        char name[3] = {'p', (char)('0' + i), 0};
        assert_ok(sked_tree_add(c->tree, sked_tree_root(c->tree), name, &up[i],
                                NULL));
    }
    for (int i = 0; i < LEAVES; i++) {
        char name[3] = {'l', (char)('0' + i), 0};
        assert_ok(sked_tree_add(c->tree, up[i / 3], name, &c->leaf[i], NULL));
        make_leaf(c, words, i);
    }
    assert_ok(sked_tree_commit(c->tree, 0, NULL));
}

/* Jobs in the order of submission, as records number them. */
static void make_jobs(preempt_case *c, test_words *words)
{
    uint32_t n = 1 + (uint32_t)test_below(words, JOBS);

    for (uint32_t i = 0; i < n; i++) {
        c->submit[i] = (int64_t)test_below(words, 40) * second / 4;
        if (i > 0 && c->submit[i] < c->submit[i - 1])
            c->submit[i] = c->submit[i - 1];
        c->run[i] = (1 + (int64_t)test_below(words, 30)) * second / 3;
        c->tasks[i] = 1 + (int64_t)test_below(words, 12);
        c->amounts[i * KINDS] = (int64_t)test_below(words, 4);
        c->amounts[i * KINDS + 1] = 1 + (int64_t)test_below(words, 6);
        c->queue[i] = c->leaf[test_below(words, LEAVES)];
        c->user[i] = test_below(words, 3);
        c->priority[i] = (int32_t)test_below(words, 3);
        c->partition[i] = (uint32_t)test_below(words, 2);
        if (test_below(words, 8) == 0) c->partition[i] = SKED_ANY_PARTITION;
    }
    c->in.jobs = (sked_sim_jobs){.struct_size = sizeof c->in.jobs,
                                 .n = n,
                                 .submit = c->submit,
                                 .run_ns = c->run,
                                 .tasks = c->tasks,
                                 .amounts = c->amounts,
                                 .queue = c->queue,
                                 .user = c->user,
                                 .priority = c->priority,
                                 .partition = c->partition};
}

static void make_nodes(preempt_case *c, test_words *words)
{
    for (int i = 0; i < GROUPS; i++) {
        c->node_amounts[i * KINDS] = 3 + (int64_t)test_below(words, 8);
        c->node_amounts[i * KINDS + 1] = 5 + (int64_t)test_below(words, 20);
        c->nodes[i] = (sked_sim_nodes){
            .count = 1 + (uint32_t)test_below(words, 3),
            .partition = i < 2 ? (uint32_t)i : (uint32_t)test_below(words, 2),
            .amounts = c->node_amounts + (ptrdiff_t)i * KINDS};
    }
    c->in.nodes = c->nodes;
    c->in.n_nodes = GROUPS;
    if (test_below(words, 3)) return;
    c->failure = (sked_sim_failure){.at = (1 + (int64_t)test_below(words, 40)) *
                                          second / 4};
    c->failure.until = c->failure.at + second * 5 / 2;
    c->in.failures = &c->failure;
    c->in.n_failures = 1;
}

static void make_policy(sked_target_options *t, test_words *words)
{
    *t = (sked_target_options){.struct_size = sizeof *t,
                               .mode = (int32_t)test_below(words, 3)};
    if (t->mode == SKED_TARGET_MODE_IMBALANCE) {
        t->flags = (uint32_t)test_below(words, 16);
        t->ignored_ppm = -1;
        t->factor_ppm = SKED_PPM;
        t->per_round_ppm = test_below(words, 2) ? -1 : SKED_PPM / 2;
    } else if (t->mode == SKED_TARGET_MODE_STARVATION) {
        t->utilisation_ppm = -1;
    } else {
        t->cycles = 1 + (uint32_t)test_below(words, 3);
    }
}

static void make_preemption(preempt_case *c, test_words *words)
{
    static const int64_t every[] = {500000000, 1000000000, 3000000000,
                                    700000001};
    static const int64_t grace[] = {-1, 1, 100000000, 1000000000, 2500000000};
    static const uint32_t flags[] = {0, SKED_PREEMPT_FLAG_BY_USER,
                                     SKED_PREEMPT_FLAG_BY_PRIORITY, 0};

    for (int i = 0; i < POLICIES; i++) make_policy(&c->targets[i], words);
    for (int i = 1; i < POLICIES; i++) c->more[i - 1] = &c->targets[i];
    int gangs = test_below(words, 4) > 0;
    c->rounds = (sked_round_options){.struct_size = sizeof c->rounds,
                                     .grace_ns = grace[test_below(words, 5)]};
    c->preempt = (sked_engine_preempt_options){
        .struct_size = sizeof c->preempt,
        .flags = flags[test_below(words, 4)],
        .keep_for_ns = (1 + (int64_t)test_below(words, 3)) * second * 2 / 3,
        .gangs = gangs ? (uint32_t)test_below(words, 3) : 0,
        .targets = &c->targets[0],
        .rounds = &c->rounds,
        .more_targets = c->more,
        .n_more_targets = test_below(words, POLICIES)};
    if (c->in.opts.heartbeat_ns == 0) /* the twin sees what is over by events */
        c->preempt.keep_for_ns = SKED_AMOUNT_MAX / 8;
    c->in.opts.preempt = &c->preempt;
    c->in.opts.round_every_ns = every[test_below(words, 4)];
}

static void make_options(preempt_case *c, test_words *words, uint64_t seed)
{
    static const int64_t period[] = {0, 250000000, 1000000000, 1000000007};
    sked_sim_options *o = &c->in.opts;

    *o = (sked_sim_options){.struct_size = sizeof *o,
                            .seed = test_word(words),
                            .engine = &c->engine,
                            .heartbeat_ns = period[test_below(words, 4)],
                            .until_ns = 800 * second};
    c->engine = (sked_engine_options){.struct_size = sizeof c->engine};
    if (seed % 5 == 0) o->place = 1 + (uint32_t)test_below(words, 4);
    if (seed % 3 == 0) o->flags = SKED_SIM_FLAG_GANG | SKED_SIM_FLAG_SPREAD;
    if (o->place) o->heartbeat_ns = 0;
    if (o->heartbeat_ns == 0) return;
    c->engine.max_per_pass = test_below(words, 4) ? 0 : 2;
    if (seed % 6 == 3) { /* and what forms */
        c->engine.form_nodes = 1 + (uint32_t)test_below(words, 3);
        c->engine.form_for_ns = (int64_t)test_below(words, 20) * second / 4;
    }
    if (test_below(words, 3)) return;
    o->cost_event_ns = (int64_t)test_below(words, 30000000);
    o->cost_task_ns = (int64_t)test_below(words, 200000000);
    o->cost_look_ns = (int64_t)test_below(words, 50000000);
}

static void make_case(preempt_case *c, uint64_t seed)
{
    test_words words = {seed};

    *c = (preempt_case){.in = {.kinds = KINDS,
                               .patience = 200 * second,
                               .rounds_for = 900 * second}};
    make_tree(c, &words);
    make_jobs(c, &words);
    make_nodes(c, &words);
    make_options(c, &words, seed);
    if (seed % 4 == 1) rate_leaves(c, &words);
    make_preemption(c, &words);
    if (seed % 3 == 2) limit_leaves(c, &words);
    c->in.tree = c->tree;
}

typedef struct preempt_kept {
    const ref_sim_output *want;
    size_t n;
    uint64_t seed;
} preempt_kept;

static sked_status compare_records(void *user, const sked_sim_record *record,
                                   size_t n)
{
    preempt_kept *k = user;

    for (size_t i = 0; i < n; i++, k->n++) {
        const sked_decision *a = &record[i].decision;
        const sked_decision *b = &k->want->record[k->n];
        if (k->n < k->want->n && memcmp(a, b, sizeof *a) == 0) continue;
        fail_msg("seed %llu: record %zu of %zu: kind %d job %d time %lld, not "
                 "%d %d %lld",
                 (unsigned long long)k->seed, k->n, k->want->n, a->kind,
                 (int)a->job, (long long)a->time, b->kind, (int)b->job,
                 (long long)b->time);
    }
    return SKED_OK;
}

/* How many records there should be before the run is stopped. */
static size_t count_wanted(const ref_sim_output *want, sked_time until)
{
    size_t n = 0;

    while (n < want->n && want->record[n].time <= until) n++;
    return n;
}

static uint64_t one_case(uint64_t seed)
{
    static preempt_case c;
    ref_sim_output want = {0};
    sked_sim_result r = {.struct_size = sizeof r};
    preempt_kept kept = {&want, 0, seed};
    sked_sim *sim;

    make_case(&c, seed);
    ref_sim(&c.in, &want);
    assert_ok(
        sked_sim_new(&(sked_sim_input){.struct_size = sizeof(sked_sim_input),
                                       .tree = c.tree,
                                       .jobs = &c.in.jobs,
                                       .nodes = c.nodes,
                                       .n_nodes = GROUPS,
                                       .failures = c.in.failures,
                                       .n_failures = c.in.n_failures},
                     &c.in.opts, NULL, &sim, NULL));
    assert_ok(sked_sim_run(sim, compare_records, &kept, NULL));
    assert_ok(sked_sim_get_result(sim, &r, NULL));
    size_t n = count_wanted(&want, c.submit[0] + 700 * second);
    if (kept.n < n) {
        fail_msg("seed %llu: %zu records, not %zu", (unsigned long long)seed,
                 kept.n, n);
    }
    sked_sim_free(sim);
    sked_tree_free(c.tree);
    sked_schema_free(c.schema);
    free(want.record);
    return r.killed;
}

static void skipping_changes_nothing_of_preemption(void **state)
{
    uint64_t killed = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= test_size(RUNS, 50 * RUNS); seed++) {
        killed += one_case(seed);
    }
    assert_true(killed > test_size(RUNS, RUNS));
}

/* Rounds that withdraw notices, where the next one gives others. */
static void rounds_follow_those_that_decide(void **state)
{
    static const uint64_t seeds[] = {1213, 2353};

    (void)state;
    for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; i++) {
        assert_true(one_case(seeds[i]) > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skipping_changes_nothing_of_preemption),
        cmocka_unit_test(rounds_follow_those_that_decide),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
