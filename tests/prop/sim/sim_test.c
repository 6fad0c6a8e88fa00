/* The simulator against one that skips nothing. */
#include "test.h"

#include <sched/sked.h>

#include <stdlib.h>
#include <string.h>

#include "ref_sim.h"
#include "size.h"
#include "words.h"

enum {
    JOBS = 60,
    JOBS_CROWDED = 180,
    LEAVES = 6,
    KINDS = 2,
    RUNS = 200,
    RUNS_CROWDED = 12,
    RULES = 5
};

typedef struct sim_case {
    sked_schema *schema;
    sked_tree *tree;
    sked_queue_id leaf[LEAVES];
    sked_time submit[JOBS_CROWDED];
    int64_t run[JOBS_CROWDED];
    int64_t tasks[JOBS_CROWDED];
    int64_t amounts[JOBS_CROWDED * KINDS];
    sked_queue_id queue[JOBS_CROWDED];
    uint64_t user[JOBS_CROWDED];
    int32_t priority[JOBS_CROWDED];
    uint32_t partition[JOBS_CROWDED];
    int64_t node_amounts[3 * KINDS];
    sked_sim_nodes nodes[3];
    sked_sim_failure failures[4];
    int32_t attribute_offsets[4];
    sked_rule_attribute attributes[6];
    uint32_t rule[JOBS_CROWDED];
    int32_t rule_offsets[RULES + 1];
    sked_rule_term terms[4 * RULES];
    int64_t values[2 * RULES];
    sked_engine_options engine;
    ref_sim_input in;
} sim_case;

static const sked_time second = 1000000000;

/* What a case is about. */
typedef struct sim_draw {
    uint64_t seed;
    int crowded;
    int spread; /* gangs over nodes */
    int forms;  /* for which amounts are reserved while they form */
    int rated;  /* queues have start rates */
    int ruled;
    uint32_t place;
} sim_draw;

/* Two parents with three leaves each, of any order and some limits. */
static void make_tree(sim_case *c, test_words *words)
{
    assert_ok(sked_schema_parse("cpu=m memory=B", 14, NULL, &c->schema, NULL));
    assert_ok(sked_tree_new(c->schema, NULL, NULL, &c->tree, NULL));
    sked_queue_id root = sked_tree_root(c->tree), up[2];
    for (int i = 0; i < 2; i++) {
        char name[3] = {'p', (char)('0' + i), 0};
        assert_ok(sked_tree_add(c->tree, root, name, &up[i], NULL));
    }
    for (int i = 0; i < LEAVES; i++) {
        char name[3] = {'l', (char)('0' + i), 0};
        assert_ok(sked_tree_add(c->tree, up[i / 3], name, &c->leaf[i], NULL));
        if (test_below(words, 3) == 0) {
            assert_ok(sked_tree_set(c->tree, c->leaf[i], SKED_QUEUE_MAX_RUNNING,
                                    1 + (int64_t)test_below(words, 3), NULL));
        }
        if (test_below(words, 3) == 0) {
            assert_ok(sked_tree_set(c->tree, c->leaf[i], SKED_QUEUE_USER_LIMIT,
                                    300000, NULL));
        }
        assert_ok(sked_tree_set(c->tree, c->leaf[i], SKED_QUEUE_WEIGHT,
                                1 + (int64_t)test_below(words, 4), NULL));
    }
    for (int i = 0; i < 3; i++) {
        static const int64_t order[] = {
            SKED_ORDER_POLICY_DRF, SKED_ORDER_POLICY_FAIR,
            SKED_ORDER_POLICY_RANDOM, SKED_ORDER_POLICY_SHARE,
            SKED_ORDER_POLICY_UTILISATION};
        assert_ok(sked_tree_set(c->tree, i < 2 ? up[i] : root, SKED_QUEUE_ORDER,
                                order[test_below(words, 5)], NULL));
    }
    assert_ok(sked_tree_commit(c->tree, 0, NULL));
}

/* Jobs that want other amounts each, more than there are classes of shapes. */
static void make_crowd(sim_case *c, test_words *words)
{
    c->in.jobs.n = JOBS_CROWDED;
    for (uint32_t i = 0; i < JOBS_CROWDED; i++) {
        c->submit[i] = (int64_t)test_below(words, 8) * second / 4;
        c->tasks[i] = 1 + (int64_t)test_below(words, 3);
        c->amounts[i * KINDS] = 1 + i % 15;
        c->amounts[i * KINDS + 1] = 1 + i / 15;
        c->partition[i] = 0;
    }
    for (int i = 0; i < 3; i++) c->nodes[i].partition = 0;
    c->node_amounts[0] = 20;
    c->node_amounts[1] = 30;
}

static void make_jobs(sim_case *c, test_words *words, uint32_t n)
{

    for (uint32_t i = 0; i < n; i++) {
        c->submit[i] = (int64_t)test_below(words, 40) * second / 4;
        c->run[i] = (1 + (int64_t)test_below(words, 30)) * second / 3;
        c->tasks[i] = 1 + (int64_t)test_below(words, 12);
        c->amounts[i * KINDS] = (int64_t)test_below(words, 4);
        c->amounts[i * KINDS + 1] = 1 + (int64_t)test_below(words, 6);
        c->queue[i] = c->leaf[test_below(words, LEAVES)];
        c->user[i] = test_below(words, 3);
        c->priority[i] = (int32_t)test_below(words, 3);
        c->partition[i] = (uint32_t)test_below(words, 10);
        if (c->partition[i] > 2) c->partition[i] %= 2;
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

static void make_nodes(sim_case *c, test_words *words)
{
    for (int i = 0; i < 3; i++) {
        c->node_amounts[i * KINDS] = 3 + (int64_t)test_below(words, 8);
        c->node_amounts[i * KINDS + 1] = 5 + (int64_t)test_below(words, 20);
        c->nodes[i] = (sked_sim_nodes){
            .count = 1 + (uint32_t)test_below(words, 3),
            .partition = i < 2 ? (uint32_t)i : (uint32_t)test_below(words, 2),
            .amounts = c->node_amounts + (ptrdiff_t)i * KINDS};
    }
    c->in.nodes = c->nodes;
    c->in.n_nodes = 3;
    c->in.failures = c->failures;
    c->in.n_failures = test_below(words, 3) ? 0 : 1 + test_below(words, 3);
    for (size_t i = 0; i < c->in.n_failures; i++) { /* of different nodes */
        c->failures[i] = (sked_sim_failure){
            .at = (int64_t)test_below(words, 40) * second / 4,
            .node = (uint32_t)i};
        c->failures[i].until = c->failures[i].at +
                               (1 + (int64_t)test_below(words, 40)) * second /
                                   4;
    }
}

static void make_options(sim_case *c, test_words *words)
{
    static const int64_t period[] = {0, 250000000, 1000000000, 1000000007,
                                     7000};

    c->in.kinds = KINDS;
    c->in.tree = c->tree;
    c->in.opts = (sked_sim_options){.struct_size = sizeof c->in.opts,
                                    .seed = test_word(words)};
    c->in.opts.heartbeat_ns = period[test_below(words, 4)];
    if (test_below(words, 4) == 0) c->in.opts.flags = SKED_SIM_FLAG_GANG;
    static const sked_engine_options few = {.struct_size = sizeof few,
                                            .max_per_pass = 2};
    if (test_below(words, 4) == 0) c->in.opts.engine = &few;
    if (c->in.opts.heartbeat_ns && test_below(words, 3) == 0) {
        c->in.opts.cost_event_ns = (int64_t)test_below(words, 30000000);
        c->in.opts.cost_task_ns = (int64_t)test_below(words, 200000000);
        c->in.opts.cost_look_ns = (int64_t)test_below(words, 50000000);
    }
}

/* What nodes are: some of two attributes of few values. */
static void mark_nodes(sim_case *c, test_words *words)
{
    int32_t n = 0;

    for (int g = 0; g < 3; g++) {
        c->attribute_offsets[g] = n;
        for (uint64_t k = 1; k <= 2; k++) {
            if (test_below(words, 4) == 0) continue;
            c->attributes[n++] = (sked_rule_attribute){
                k, (int64_t)test_below(words, 3)};
        }
    }
    c->attribute_offsets[3] = n;
    c->in.attribute_offsets = c->attribute_offsets;
    c->in.attributes = c->attributes;
}

/* Rules of a comparison, or of two that are joined; most jobs have one. */
static void make_rules(sim_case *c, test_words *words)
{
    int32_t n = 0;

    for (uint32_t r = 0; r < RULES; r++) {
        uint64_t several = test_below(words, 3);
        c->rule_offsets[r] = n;
        for (uint64_t i = 0; i < 1 + (several > 0); i++) {
            uint32_t op = SKED_RULE_OP_EQUAL + (uint32_t)test_below(words, 7);
            int bare = op >= SKED_RULE_OP_EXISTS || op == SKED_RULE_OP_IN;
            c->terms[n++] = (sked_rule_term){
                .key = 1 + test_below(words, 2),
                .op = op,
                .value = bare ? 0 : (int64_t)test_below(words, 3),
                .n = op == SKED_RULE_OP_IN ? 2 : 0,
                .first = op == SKED_RULE_OP_IN ? 2 * r : 0};
        }
        if (several > 1) {
            c->terms[n++] = (sked_rule_term){.op = SKED_RULE_OP_OR, .n = 2};
        }
        c->values[2 * r] = (int64_t)test_below(words, 3);
        c->values[2 * r + 1] = (int64_t)test_below(words, 3);
    }
    c->rule_offsets[RULES] = n;
    for (uint32_t i = 0; i < c->in.jobs.n; i++) {
        c->rule[i] = (uint32_t)test_below(words, RULES + 1);
    }
    c->in.jobs.rule = c->rule;
    c->in.jobs.rule_offsets = c->rule_offsets;
    c->in.jobs.rule_terms = c->terms;
    c->in.jobs.n_rules = RULES;
    c->in.jobs.rule_values = c->values;
    c->in.jobs.n_rule_values = 2 * RULES;
}

/* Gangs over nodes, some with a bound of tasks on one of them, or just as many on
 * each. */
static void spread_gangs(sim_case *c, test_words *words)
{
    c->in.opts.flags = SKED_SIM_FLAG_GANG | SKED_SIM_FLAG_SPREAD;
    c->in.opts.per_node = (uint32_t)test_below(words, 4);
    if (c->in.opts.per_node == 0 || test_below(words, 2)) return;
    c->in.opts.flags |= SKED_SIM_FLAG_EXACT;
    for (uint32_t i = 0; i < c->in.jobs.n; i++) {
        c->tasks[i] *= c->in.opts.per_node;
    }
}

/* Amounts are reserved for gangs while they form, in most cases for a time. */
static void form_gangs(sim_case *c, test_words *words)
{
    c->engine = (sked_engine_options){
        .struct_size = sizeof c->engine,
        .form_nodes = 1 + (uint32_t)test_below(words, 3),
        .form_for_ns = (int64_t)test_below(words, 20) * second / 4};
    c->in.opts.engine = &c->engine;
}

/* Some leaves start few tasks in a second. */
static void rate_queues(sim_case *c, test_words *words)
{
    for (int i = 0; i < LEAVES; i++) {
        if (test_below(words, 2)) continue;
        assert_ok(sked_tree_set(c->tree, c->leaf[i], SKED_QUEUE_START_RATE,
                                1 + (int64_t)test_below(words, 3), NULL));
    }
    assert_ok(sked_tree_commit(c->tree, 0, NULL));
}

/* For what is over by itself: nodes learn of it by their events, and it may come
 * long after anything else. */
static void be_patient(sim_case *c)
{
    c->in.patience = 200 * second;
    if (c->in.opts.heartbeat_ns == 0) c->in.opts.heartbeat_ns = second / 4;
}

/* Everything that a case has. */
static void make_case(sim_case *c, const sim_draw *draw)
{
    test_words words = {draw->seed};

    *c = (sim_case){0};
    make_tree(c, &words);
    uint32_t n = draw->crowded ? JOBS_CROWDED
                               : 1 + (uint32_t)test_below(&words, JOBS);
    make_jobs(c, &words, n);
    make_nodes(c, &words);
    make_options(c, &words);
    if (draw->crowded) make_crowd(c, &words);
    if (draw->spread) spread_gangs(c, &words);
    if (draw->forms) form_gangs(c, &words);
    if (draw->rated) rate_queues(c, &words);
    if (draw->forms + draw->rated) be_patient(c);
    if (draw->ruled) {
        mark_nodes(c, &words);
        make_rules(c, &words);
    }
    if (draw->place) {
        c->in.opts.place = draw->place;
        c->in.opts.heartbeat_ns = c->in.opts.cost_event_ns = 0;
        c->in.opts.cost_task_ns = c->in.opts.cost_look_ns = 0;
    }
    /* Records come in the order of submission: number the jobs so. */
    for (uint32_t i = 1; i < c->in.jobs.n; i++) {
        if (c->submit[i] < c->submit[i - 1]) c->submit[i] = c->submit[i - 1];
    }
}

typedef struct sim_kept {
    const ref_sim_output *want;
    size_t n;
} sim_kept;

static sked_status compare_records(void *user, const sked_sim_record *record,
                                   size_t n)
{
    sim_kept *k = user;

    for (size_t i = 0; i < n; i++, k->n++) {
        assert_true(k->n < k->want->n);
        const sked_decision *a = &record[i].decision;
        const sked_decision *b = &k->want->record[k->n];
        if (memcmp(a, b, sizeof *a) == 0) continue;
        fail_msg("record %zu: kind %d job %d time %lld node %d count %lld, not "
                 "%d %d %lld %d %lld",
                 k->n, a->kind, (int)a->job, (long long)a->time, (int)a->node,
                 (long long)a->count, b->kind, (int)b->job, (long long)b->time,
                 (int)b->node, (long long)b->count);
    }
    return SKED_OK;
}

static void one_case(sim_draw draw)
{
    static sim_case c;
    ref_sim_output want = {0};
    sked_sim_result r = {.struct_size = sizeof r};
    sked_sim *sim;

    make_case(&c, &draw);
    ref_sim(&c.in, &want);
    sim_kept kept = {&want, 0};
    assert_ok(sked_sim_new(
        &(sked_sim_input){.struct_size = sizeof(sked_sim_input),
                          .tree = c.tree,
                          .jobs = &c.in.jobs,
                          .nodes = c.nodes,
                          .n_nodes = c.in.n_nodes,
                          .failures = c.failures,
                          .n_failures = c.in.n_failures,
                          .attribute_offsets = c.in.attribute_offsets,
                          .attributes = c.in.attributes},
        &c.in.opts, NULL, &sim, NULL));
    assert_ok(sked_sim_run(sim, compare_records, &kept, NULL));
    assert_ok(sked_sim_get_result(sim, &r, NULL));
    if (kept.n != want.n) {
        fail_msg("seed %llu: %zu records, not %zu",
                 (unsigned long long)draw.seed, kept.n, want.n);
    }
    if (!want.unfinished && c.in.opts.heartbeat_ns) {
        assert_i64((int64_t)(r.heartbeats + r.heartbeats_skipped),
                   (int64_t)want.beats_ahead);
    }
    sked_sim_free(sim);
    sked_tree_free(c.tree);
    sked_schema_free(c.schema);
    free(want.record);
}

static void skipping_changes_nothing(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_size(RUNS, 50 * RUNS); seed++) {
        one_case((sim_draw){.seed = seed});
    }
}

static void skipping_changes_nothing_where_shapes_abound(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_size(RUNS_CROWDED, 50 * RUNS_CROWDED);
         seed++) {
        one_case((sim_draw){.seed = 1000000 + seed, .crowded = 1});
    }
}

static void skipping_changes_nothing_of_gangs_over_nodes(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_size(RUNS, 50 * RUNS); seed++) {
        one_case((sim_draw){
            .seed = 2000000 + seed, .crowded = seed % 16 == 0, .spread = 1});
    }
}

static void skipping_changes_nothing_while_gangs_form(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_size(RUNS, 50 * RUNS); seed++) {
        one_case((sim_draw){.seed = 5000000 + seed,
                            .spread = 1,
                            .forms = 1,
                            .ruled = seed % 3 == 0});
    }
}

static void skipping_changes_nothing_of_start_rates(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_size(RUNS, 50 * RUNS); seed++) {
        one_case((sim_draw){
            .seed = 6000000 + seed, .spread = seed % 4 == 0, .rated = 1});
    }
}

/* Asks find nodes at every instant as sked_engine_place() does. */
static void each_instant_places_what_it_can(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_size(RUNS, 50 * RUNS); seed++) {
        one_case((sim_draw){.seed = 3000000 + seed,
                            .crowded = seed % 16 == 0,
                            .spread = seed % 3 == 0,
                            .place = 1 + (uint32_t)(seed % 4)});
    }
}

/* Every second run by sked_engine_place(), every third of gangs over nodes. */
static void jobs_keep_to_nodes_that_their_rules_take(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_size(2 * RUNS, 50 * RUNS); seed++) {
        one_case(
            (sim_draw){.seed = 4000000 + seed,
                       .crowded = seed % 32 == 0,
                       .spread = seed % 3 == 0,
                       .place = seed % 2 ? 0 : 1 + (uint32_t)(seed / 2 % 4),
                       .ruled = 1});
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skipping_changes_nothing),
        cmocka_unit_test(skipping_changes_nothing_where_shapes_abound),
        cmocka_unit_test(skipping_changes_nothing_of_gangs_over_nodes),
        cmocka_unit_test(skipping_changes_nothing_while_gangs_form),
        cmocka_unit_test(skipping_changes_nothing_of_start_rates),
        cmocka_unit_test(each_instant_places_what_it_can),
        cmocka_unit_test(jobs_keep_to_nodes_that_their_rules_take),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
