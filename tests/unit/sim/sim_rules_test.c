/* Jobs with rules: where their tasks run, and what is refused. */
#include "test.h"

#include <sched/sked.h>

#include <string.h>

#include "sim_fixture.h"

enum { ZONE = 5, GPU = 7, GROUPS = 3 };

/* Two nodes in zone 1, one in zone 2 with a GPU of model 80, one that is not
 * anything. Rule 1: zone 2; rule 2: no GPU, or one of model 40 or 80 below zone
 * 2; rule 3: zone 3; rule 4 has no terms. */
typedef struct rules_of {
    sked_sim_nodes nodes[GROUPS];
    int32_t attribute_offsets[GROUPS + 1];
    sked_rule_attribute attributes[3];
    uint32_t rule[SIM_WORLD_JOBS];
    int32_t offsets[5];
    sked_rule_term terms[7];
    int64_t values[2];
    sked_sim_input in;
} rules_of;

static void with_rules(sim_world *w, rules_of *r)
{
    *r = (rules_of){
        .attribute_offsets = {0, 1, 3, 3},
        .attributes = {{ZONE, 1}, {GPU, 80}, {ZONE, 2}},
        .offsets = {0, 1, 6, 7, 7},
        .terms = {{.op = SKED_RULE_OP_EQUAL, .key = ZONE, .value = 2},
                  {.op = SKED_RULE_OP_ABSENT, .key = GPU},
                  {.op = SKED_RULE_OP_IN, .key = GPU, .n = 2},
                  {.op = SKED_RULE_OP_LESS, .key = ZONE, .value = 2},
                  {.op = SKED_RULE_OP_AND, .n = 2},
                  {.op = SKED_RULE_OP_OR, .n = 2},
                  {.op = SKED_RULE_OP_EQUAL, .key = ZONE, .value = 3}},
        .values = {40, 80}};
    for (int g = 0; g < GROUPS; g++) {
        r->nodes[g] = (sked_sim_nodes){.count = g == 0 ? 2 : 1,
                                       .amounts = w->node};
    }
    w->jobs.rule = r->rule;
    w->jobs.rule_offsets = r->offsets;
    w->jobs.rule_terms = r->terms;
    w->jobs.n_rules = 4;
    w->jobs.rule_values = r->values;
    w->jobs.n_rule_values = 2;
    r->in = (sked_sim_input){.struct_size = sizeof r->in,
                             .tree = w->tree,
                             .jobs = &w->jobs,
                             .nodes = r->nodes,
                             .n_nodes = GROUPS,
                             .attribute_offsets = r->attribute_offsets,
                             .attributes = r->attributes};
}

static sked_status make_ruled(sim_world *w, const rules_of *r)
{
    sked_host hooks = test_host_hooks(&w->host);

    return sked_sim_new(&r->in, &w->opts, &hooks, &w->sim, &w->err);
}

/* The nodes on which a job's tasks were started, a bit each. */
static uint32_t nodes_of(const sim_story *s, uint32_t job)
{
    uint32_t nodes = 0;

    for (size_t i = 0; i < s->n; i++) {
        const sked_decision *d = &s->record[i].decision;
        if (d->kind != SKED_DECISION_ALLOCATE || s->record[i].job != job)
            continue;
        nodes |= 1u << (d->node - 1);
    }
    return nodes;
}

static int32_t reason_of(const sim_story *s, uint32_t job)
{
    for (size_t i = 0; i < s->n; i++) {
        const sked_decision *d = &s->record[i].decision;
        if (d->kind == SKED_DECISION_REJECT && s->record[i].job == job) {
            return d->reason;
        }
    }
    return SKED_REASON_NONE;
}

/* 40 tasks of one cpu each fill all nodes, of which each has 10. */
static void tasks_start_where_their_rule_says(void **state)
{
    static const struct {
        uint32_t rule, flags, nodes;
    } want[] = {{0, 0, 15}, {1, 0, 4},  {2, 0, 11}, {4, 0, 15},
                {1, 3, 4},  {2, 3, 11}, {2, 1, 11}};
    sim_world *w = *state;
    rules_of r;

    with_rules(w, &r);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        sim_story s = {0};
        w->jobs.n = 0;
        sim_world_job(w, 0, 10, 5);
        sim_world_job(w, 0, 10, 5);
        sim_world_job(w, 0, 10, 5);
        sim_world_job(w, 0, 10, 5);
        for (int j = 0; j < 4; j++) r.rule[j] = want[i].rule;
        w->opts.flags = 0;
        if (want[i].flags & 1) w->opts.flags |= SKED_SIM_FLAG_GANG;
        if (want[i].flags & 2) w->opts.flags |= SKED_SIM_FLAG_SPREAD;
        assert_ok(make_ruled(w, &r));
        sked_sim_result result = sim_run(w, &s);
        assert_i64((int64_t)result.jobs_finished, 4);
        uint32_t nodes = 0;
        for (uint32_t j = 0; j < 4; j++) nodes |= nodes_of(&s, j);
        assert_int_equal(nodes, want[i].nodes);
        sim_story_drop(&s);
        sim_again(w);
    }
}

/* The rule alone is in the way, or the node is too small whatever it says. */
static void what_no_node_takes_is_rejected(void **state)
{
    sim_world *w = *state;
    sim_story s = {0};
    rules_of r;

    with_rules(w, &r);
    for (int j = 0; j < 5; j++) sim_world_job(w, j, 1, 5);
    r.rule[0] = 3;
    r.rule[1] = r.rule[2] = r.rule[4] = 1;
    w->amounts[2] = 11; /* on any node */
    w->partition[2] = SKED_ANY_PARTITION;
    w->partition[4] = 1; /* where there are no nodes */
    assert_ok(make_ruled(w, &r));
    sim_run(w, &s);
    assert_int_equal(reason_of(&s, 0), SKED_REASON_RULE);
    assert_int_equal(reason_of(&s, 1), SKED_REASON_NEVER_NODE);
    assert_int_equal(reason_of(&s, 2), SKED_REASON_NONE);
    assert_int_equal(reason_of(&s, 3), SKED_REASON_NONE);
    assert_int_equal(reason_of(&s, 4), SKED_REASON_NEVER_NODE);
    sim_story_drop(&s);
    sim_again(w);
    /* A gang needs a node, or nodes, that are taken and together large
     * enough: 20 cpu in zone 1, 30 without zone 2. */
    w->jobs.n = 0;
    for (int j = 0; j < 3; j++) sim_world_job(w, 0, 30, 5);
    w->tasks[2] = 31;
    r.rule[0] = r.rule[2] = 2;
    r.rule[1] = 1;
    w->opts.flags = SKED_SIM_FLAG_GANG | SKED_SIM_FLAG_SPREAD;
    assert_ok(make_ruled(w, &r));
    sim_run(w, &s);
    assert_int_equal(reason_of(&s, 0), SKED_REASON_NONE);
    assert_int_equal(reason_of(&s, 1), SKED_REASON_RULE);
    assert_int_equal(reason_of(&s, 2), SKED_REASON_RULE);
    sim_story_drop(&s);
}

/* A node that fails and returns is what it was. */
static void nodes_that_return_are_what_they_were(void **state)
{
    sim_world *w = *state;
    sim_story s = {0};
    rules_of r;
    const sked_sim_failure failure = {1 * SIM_SECOND, 9 * SIM_SECOND, 2, 0};

    with_rules(w, &r);
    sim_world_job(w, 2, 1, 5);
    r.rule[0] = 1;
    r.in.failures = &failure;
    r.in.n_failures = 1;
    assert_ok(make_ruled(w, &r));
    sked_sim_result result = sim_run(w, &s);
    assert_int_equal(nodes_of(&s, 0), 4);
    assert_true(result.end >= 14 * SIM_SECOND);
    sim_story_drop(&s);
}

static void columns_of_rules_are_checked(void **state)
{
    sim_world *w = *state;
    rules_of r;

    with_rules(w, &r);
    sim_world_job(w, 0, 1, 5);
    sim_world_job(w, 0, 1, 5);
    const rules_of good = r;
    const sked_sim_jobs jobs = w->jobs;
#define REFUSED(code, at)                                                      \
    do {                                                                       \
        assert_status(code, make_ruled(w, &r));                                \
        assert_i64(w->err.row, at);                                            \
        assert_null(w->sim);                                                   \
        r = good;                                                              \
        r.in.jobs = &w->jobs;                                                  \
        w->jobs = jobs;                                                        \
    } while (0)
    r.rule[1] = 5;
    REFUSED(SKED_ERR_RANGE, 1);
    w->jobs.rule_offsets = NULL;
    REFUSED(SKED_ERR_ARG, -1);
    w->jobs.rule_values = NULL;
    REFUSED(SKED_ERR_ARG, -1);
    w->jobs.rule_terms = NULL;
    REFUSED(SKED_ERR_ARG, 1);
    r.offsets[0] = 1;
    REFUSED(SKED_ERR_ARG, 0);
    r.offsets[2] = 0;
    REFUSED(SKED_ERR_ARG, 2);
    r.terms[4].n = 3;
    REFUSED(SKED_ERR_ARG, 1);
    r.terms[6] = (sked_rule_term){.op = SKED_RULE_OP_AT_MOST, .key = 1};
    REFUSED(SKED_ERR_ARG, 2);
    r.terms[6] = (sked_rule_term){.op = SKED_RULE_OP_HOST, .key = 1};
    REFUSED(SKED_ERR_ARG, 2);
    w->jobs.n_rules = (uint64_t)1 << 32;
    REFUSED(SKED_ERR_RANGE, -1);
    w->jobs.n_rule_values = (uint64_t)1 << 32;
    REFUSED(SKED_ERR_RANGE, -1);
    r.attribute_offsets[1] = -1;
    REFUSED(SKED_ERR_ARG, 1);
    r.in.attributes = NULL;
    REFUSED(SKED_ERR_ARG, 1);
    r.attribute_offsets[1] = r.attribute_offsets[2] = r.attribute_offsets[3] =
        SKED_MAX_RULE_ATTRIBUTES + 1;
    REFUSED(SKED_ERR_RANGE, 0);
    assert_ok(make_ruled(w, &r));
    sim_again(w);
    w->jobs.n_rules = 0; /* and none is named */
    assert_ok(make_ruled(w, &r));
    sim_again(w);
    w->jobs = jobs;
    r.in.attribute_offsets = NULL; /* nodes without any attribute */
    r.rule[0] = 1;
    r.rule[1] = 2;
    assert_ok(make_ruled(w, &r));
    assert_i64((int64_t)sim_run(w, NULL).rejected, 1);
}

/* Rules without a term take every node, and need no column of terms. */
static void rules_may_all_be_empty(void **state)
{
    sim_world *w = *state;
    rules_of r;

    with_rules(w, &r);
    sim_world_job(w, 0, 1, 5);
    r.rule[0] = 2;
    memset(r.offsets, 0, sizeof r.offsets);
    memset(r.attribute_offsets, 0, sizeof r.attribute_offsets);
    w->jobs.rule_terms = NULL;
    w->jobs.rule_values = NULL;
    w->jobs.n_rule_values = 0;
    r.in.attributes = NULL;
    assert_ok(make_ruled(w, &r));
    assert_i64((int64_t)sim_run(w, NULL).jobs_finished, 1);
}

/* What older callers say: nothing of rules, nothing of attributes. */
static void older_structs_say_nothing_of_rules(void **state)
{
    sim_world *w = *state;
    rules_of r;

    with_rules(w, &r);
    sim_world_job(w, 0, 1, 5);
    r.rule[0] = 3;
    w->jobs.struct_size = (uint32_t)offsetof(sked_sim_jobs, rule);
    r.in.struct_size = (uint32_t)offsetof(sked_sim_input, attribute_offsets);
    assert_ok(make_ruled(w, &r));
    assert_i64((int64_t)sim_run(w, NULL).jobs_finished, 1);
}

static sked_status rules_life(test_host *host, void *arg)
{
    static sim_world w;
    static rules_of r;

    (void)arg;
    w = (sim_world){0};
    sked_host hooks = test_host_hooks(host);
    assert_ok(sim_world_try(&w)); /* of a host of its own */
    with_rules(&w, &r);
    sim_world_job(&w, 0, 6, 5);
    sim_world_job(&w, 0, 6, 5);
    r.rule[0] = 1;
    r.rule[1] = 2;
    sked_status rc = sked_sim_new(&r.in, &w.opts, &hooks, &w.sim, &w.err);
    if (rc == SKED_OK) rc = sked_sim_run(w.sim, NULL, NULL, &w.err);
    sim_world_drop(&w);
    return rc == SKED_STOPPED ? SKED_ERR_CANCELLED : rc;
}

static void rules_survive_every_failure(void **state)
{
    (void)state;
    test_sweep(rules_life, NULL, 0);
}

#define IN_WORLD(f) cmocka_unit_test_setup_teardown(f, sim_setup, sim_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(tasks_start_where_their_rule_says),
        IN_WORLD(what_no_node_takes_is_rejected),
        IN_WORLD(nodes_that_return_are_what_they_were),
        IN_WORLD(columns_of_rules_are_checked),
        IN_WORLD(rules_may_all_be_empty),
        IN_WORLD(older_structs_say_nothing_of_rules),
        cmocka_unit_test(rules_survive_every_failure),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
