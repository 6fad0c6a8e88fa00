/*
 * The nodes that the tasks of a job may use. Rules and attributes are columns
 * in the form of an engine's batches, so an event only names its row.
 */
#include <string.h>

#include "base/fail.h"
#include "base/versioned.h"
#include "sim/run.h"

enum { RULES_JOBS_V1 = SKEDI_SIZE_THROUGH(sked_sim_jobs, stream) };

void skedi_rules_free(sked_sim *sim)
{
    skedi_mem *mem = &sim->hooks.mem;

    skedi_free(mem, sim->groups, sim->n_groups, sizeof *sim->groups);
    skedi_free(mem, sim->attribute_offsets, sim->n_groups + 1,
               sizeof *sim->attribute_offsets);
    skedi_free(mem, sim->attributes, sim->n_attributes,
               sizeof *sim->attributes);
    skedi_free(mem, sim->rule, sim->n_given, sizeof *sim->rule);
    skedi_free(mem, sim->rule_offsets, sim->n_rules + 1,
               sizeof *sim->rule_offsets);
    skedi_free(mem, sim->rule_terms, sim->n_rule_terms,
               sizeof *sim->rule_terms);
    skedi_free(mem, sim->rule_values, sim->n_rule_values,
               sizeof *sim->rule_values);
}

/* ---- What comes in ---- */

/* Copies a column for the sim; `*to` is NULL for a column without rows. */
static sked_status copy_column(sked_sim *sim, void **to, const void *from,
                               size_t n, size_t size, sked_error *err)
{
    if (n == 0) return SKED_OK;
    *to = skedi_new(&sim->hooks.mem, n, size);
    if (!*to) return skedi_fail_memory(err);
    memcpy(*to, from, n * size);
    return SKED_OK;
}

/* Checks that offsets begin with 0 and never decrease. */
static sked_status check_offsets(const int32_t *offsets, uint64_t n,
                                 const void *column, sked_error *err)
{
    for (uint64_t i = 0; i <= n; i++) {
        int32_t least = i == 0 ? 0 : offsets[i - 1];
        int is_first_but_not_0 = i == 0 && offsets[0] != 0;
        if (offsets[i] >= least && !is_first_but_not_0 &&
            (column || offsets[i] == 0)) {
            continue;
        }
        return skedi_fail(err, SKED_ERR_ARG, "offsets of no rows",
                          (skedi_fault){.row = (int64_t)i + 1});
    }
    return SKED_OK;
}

static sked_status take_groups(sked_sim *sim, const sked_sim_input *in,
                               sked_error *err)
{
    uint32_t first = 0;

    sim->n_groups = (size_t)in->n_nodes;
    sim->groups = skedi_new(&sim->hooks.mem, sim->n_groups,
                            sizeof *sim->groups);
    if (!sim->groups) return skedi_fail_memory(err);
    for (size_t g = 0; g < sim->n_groups; g++) {
        sim->groups[g] = (sim_group){first, in->nodes[g].count};
        first += in->nodes[g].count;
    }
    return SKED_OK;
}

static sked_status take_attributes(sked_sim *sim, const sked_sim_input *in,
                                   sked_error *err)
{
    const int32_t *offsets = in->attribute_offsets;
    void *column = NULL;

    if (!offsets) return SKED_OK;
    sked_status rc = check_offsets(offsets, in->n_nodes, in->attributes, err);
    for (size_t g = 0; rc == SKED_OK && g < in->n_nodes; g++) {
        if (offsets[g + 1] - offsets[g] <= SKED_MAX_RULE_ATTRIBUTES) continue;
        rc = skedi_fail(err, SKED_ERR_RANGE, "too many attributes",
                        (skedi_fault){.row = (int64_t)g + 1,
                                      .got = offsets[g + 1] - offsets[g],
                                      .limit = SKED_MAX_RULE_ATTRIBUTES});
    }
    if (rc != SKED_OK) return rc;
    rc = copy_column(sim, &column, offsets, sim->n_groups + 1, sizeof *offsets,
                     err);
    sim->attribute_offsets = column;
    if (rc != SKED_OK) return rc;
    sim->n_attributes = (size_t)offsets[sim->n_groups];
    column = NULL;
    rc = copy_column(sim, &column, in->attributes, sim->n_attributes,
                     sizeof *sim->attributes, err);
    sim->attributes = column;
    return rc;
}

/* A rule in the form of rule.h; with a node's attributes, or without. */
static sked_rule_input rule_at(const sked_sim_jobs *in, uint64_t row)
{
    const int32_t *of = in->rule_offsets + row;
    uint64_t n = (uint64_t)(of[1] - of[0]);

    return (sked_rule_input){.struct_size = sizeof(sked_rule_input),
                             .terms = n > 0 ? in->rule_terms + of[0] : NULL,
                             .n_terms = n,
                             .values = in->rule_values,
                             .n_values = in->n_rule_values};
}

static sked_status check_job_rule(const sked_sim_jobs *in, uint64_t row,
                                  sked_error *err)
{
    sked_rule_input rule = rule_at(in, row);
    int32_t answer;
    sked_status rc = sked_rule_judge(&rule, &answer, err);

    if (rc != SKED_OK && err) err->row = (int64_t)row;
    for (uint64_t i = 0; rc == SKED_OK && i < rule.n_terms; i++) {
        if (rule.terms[i].op < SKED_RULE_OP_AT_MOST) continue;
        int host = rule.terms[i].op == SKED_RULE_OP_HOST;
        rc = skedi_fail(err, SKED_ERR_ARG,
                        host ? "a rule of a simulation asks the host"
                             : "a rule of a simulation counts work",
                        (skedi_fault){.row = (int64_t)row + 1});
    }
    return rc;
}

static sked_status check_rules(const sked_sim_jobs *in, sked_error *err)
{
    const char *missing = !in->rule_offsets ? "jobs.rule_offsets"
                          : in->n_rule_values && !in->rule_values
                              ? "jobs.rule_values"
                              : NULL;

    if (missing) return skedi_fail_null(err, missing);
    if (in->n_rules > INT32_MAX || in->n_rule_values > INT32_MAX) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "too many rules");
    }
    sked_status rc = check_offsets(in->rule_offsets, in->n_rules,
                                   in->rule_terms, err);
    for (uint64_t i = 0; rc == SKED_OK && i < in->n_rules; i++) {
        rc = check_job_rule(in, i, err);
    }
    for (uint64_t i = 0; rc == SKED_OK && i < in->n; i++) {
        if (in->rule[i] <= in->n_rules) continue;
        rc = skedi_fail(err, SKED_ERR_RANGE, "no such rule",
                        (skedi_fault){.row = (int64_t)i + 1,
                                      .got = in->rule[i],
                                      .limit = (int64_t)in->n_rules});
    }
    return rc;
}

static sked_status copy_rules(sked_sim *sim, const sked_sim_jobs *in,
                              sked_error *err)
{
    size_t rules = (size_t)in->n_rules, values = (size_t)in->n_rule_values;
    size_t terms = (size_t)in->rule_offsets[rules];
    void *rule = NULL, *offsets = NULL, *term = NULL, *value = NULL;
    sked_status rc = copy_column(sim, &rule, in->rule, sim->n_given,
                                 sizeof *sim->rule, err);

    if (rc == SKED_OK) {
        rc = copy_column(sim, &offsets, in->rule_offsets, rules + 1,
                         sizeof *sim->rule_offsets, err);
    }
    if (rc == SKED_OK) {
        rc = copy_column(sim, &term, in->rule_terms, terms,
                         sizeof *sim->rule_terms, err);
    }
    if (rc == SKED_OK) {
        rc = copy_column(sim, &value, in->rule_values, values,
                         sizeof *sim->rule_values, err);
    }
    sim->rule = rule;
    sim->rule_offsets = offsets;
    sim->rule_terms = term;
    sim->rule_values = value;
    sim->n_rules = rules;
    sim->n_rule_terms = terms;
    sim->n_rule_values = values;
    return rc;
}

sked_status skedi_rules_take(sked_sim *sim, const sked_sim_input *in,
                             sked_error *err)
{
    sked_sim_jobs jobs;
    sked_status rc = skedi_struct_in(&jobs, sizeof jobs, in->jobs,
                                     RULES_JOBS_V1);

    if (rc == SKED_OK) rc = take_groups(sim, in, err);
    if (rc == SKED_OK) rc = take_attributes(sim, in, err);
    if (rc != SKED_OK || !jobs.rule || jobs.n == 0) return rc;
    rc = check_rules(&jobs, err);
    return rc == SKED_OK ? copy_rules(sim, &jobs, err) : rc;
}

/* ---- A run ---- */

/* The group of a node; groups follow one another in node order. */
static size_t group_of(const sked_sim *sim, uint32_t node)
{
    size_t low = 0, high = sim->n_groups;

    while (low + 1 <
           high) { /* the last group that begins at or before the node */
        size_t mid = low + (high - low) / 2;
        if (sim->groups[mid].first <= node)
            low = mid;
        else
            high = mid;
    }
    return low;
}

sked_status skedi_rules_node_up(sked_sim *sim, uint32_t node, sked_error *err)
{
    const sked_events batch = {.struct_size = sizeof batch,
                               .attribute_offsets = sim->attribute_offsets,
                               .attributes = sim->attributes,
                               .n_attributes = sim->n_groups};
    sked_event event = {.kind = SKED_EVENT_NODE_ATTRIBUTES,
                        .key = (uint64_t)node + 1};

    if (!sim->n_attributes) return SKED_OK;
    event.places = (uint32_t)group_of(sim, node) + 1;
    return skedi_sim_tell_batch(sim, &event, 1, &batch, err);
}

sked_status skedi_rules_ask(sked_sim *sim, uint32_t job, sked_error *err)
{
    const sked_events batch = {.struct_size = sizeof batch,
                               .rule_offsets = sim->rule_offsets,
                               .rule_terms = sim->rule_terms,
                               .n_rules = sim->n_rules,
                               .rule_values = sim->rule_values,
                               .n_rule_values = sim->n_rule_values};
    sked_event event = {.kind = SKED_EVENT_ASK_RULE, .key = (uint64_t)job + 1};

    if (!skedi_rules_has(sim, job)) return SKED_OK;
    event.places = sim->rule[sim->jobs[job].given];
    return skedi_sim_tell_batch(sim, &event, 1, &batch, err);
}

int skedi_rules_takes(const sked_sim *sim, uint32_t job, size_t group)
{
    const sked_sim_jobs columns = {.rule_offsets = sim->rule_offsets,
                                   .rule_terms = sim->rule_terms,
                                   .rule_values = sim->rule_values,
                                   .n_rule_values = sim->n_rule_values};
    int32_t answer = SKED_RULE_ANSWER_PASS;

    if (!skedi_rules_has(sim, job)) return 1;
    sked_rule_input in = rule_at(&columns,
                                 sim->rule[sim->jobs[job].given] - UINT64_C(1));
    in.flags = SKED_RULE_FLAG_NODE;
    if (sim->n_attributes) {
        const int32_t *of = sim->attribute_offsets + group;
        in.node = sim->attributes + of[0];
        in.n_node = (uint64_t)(of[1] - of[0]);
    }
    (void)!sked_rule_judge(&in, &answer, NULL); /* the rule was checked */
    return answer != SKED_RULE_ANSWER_NO;
}
