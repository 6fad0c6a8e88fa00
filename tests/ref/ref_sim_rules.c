/* Which nodes a job's rule takes: it is read from its end, and answered anew
 * for every look. And whether empty nodes hold a job. */
#include "ref_sim.h"

static int compares(const ref_sim_input *in, size_t model,
                    const sked_rule_term *t)
{
    const int32_t *of = in->attribute_offsets;
    int turned = t->op == SKED_RULE_OP_NOT || t->op == SKED_RULE_OP_ABSENT;
    int found = 0;

    for (int32_t i = of ? of[model] : 0; of && i < of[model + 1]; i++) {
        int64_t value = in->attributes[i].value;
        if (in->attributes[i].key != t->key) continue;
        found |= t->op == SKED_RULE_OP_EXISTS || t->op == SKED_RULE_OP_ABSENT;
        found |= t->op == SKED_RULE_OP_LESS && value < t->value;
        found |= t->op == SKED_RULE_OP_GREATER && value > t->value;
        found |= t->op == SKED_RULE_OP_EQUAL && value == t->value;
        found |= t->op == SKED_RULE_OP_NOT && value == t->value;
        for (uint32_t v = 0; t->op == SKED_RULE_OP_IN && v < t->n; v++) {
            found |= in->jobs.rule_values[t->first + v] == value;
        }
    }
    return found != turned;
}

/* What the term before `*at` says, with all that it joins. */
static int says(const ref_sim_input *in, size_t model,
                const sked_rule_term *terms, size_t *at)
{
    const sked_rule_term *t = &terms[--*at];
    uint64_t yes = 0;

    if (t->op > SKED_RULE_OP_OR) return compares(in, model, t);
    for (uint64_t i = 0; i < t->n; i++) {
        yes += (uint64_t)says(in, model, terms, at);
    }
    return t->op == SKED_RULE_OP_OR ? yes > 0 : yes == t->n;
}

int ref_sim_takes(const ref_sim_input *in, uint32_t i, size_t model)
{
    const sked_sim_jobs *jobs = &in->jobs;
    int all = 1;

    if (!jobs->rule || !jobs->rule[i]) return 1;
    const int32_t *of = jobs->rule_offsets + jobs->rule[i] - 1;
    const sked_rule_term *terms = jobs->rule_terms + of[0];
    for (size_t at = (size_t)(of[1] - of[0]); at > 0;) {
        all &= says(in, model, terms, &at);
    }
    return all;
}

/* How many of a job's tasks one node of a model takes when it is empty. */
static int64_t tasks_on(const ref_sim_input *in, uint32_t i, size_t model)
{
    int64_t n = 0, most = in->jobs.tasks[i];

    if (in->opts.per_node && in->opts.per_node < most) most = in->opts.per_node;
    for (int holds = 1; holds && n < most; n += holds) {
        for (uint32_t k = 0; k < in->kinds; k++) {
            int64_t task = in->jobs.amounts[i * in->kinds + k];
            holds &= task * (n + 1) <= in->nodes[model].amounts[k];
        }
    }
    if (in->opts.flags & SKED_SIM_FLAG_EXACT && n != in->opts.per_node) n = 0;
    return n;
}

int ref_sim_fits(const ref_sim_input *in, uint32_t i, int by_rule)
{
    uint32_t wanted = in->jobs.partition[i], flags = in->opts.flags;
    int64_t need = flags & SKED_SIM_FLAG_GANG ? in->jobs.tasks[i] : 1;

    for (size_t m = 0; m < in->n_nodes; m++) {
        uint32_t partition = in->nodes[m].partition;
        int64_t all = 0;
        if (wanted != SKED_ANY_PARTITION && wanted != partition) continue;
        if (in->nodes[m].count > 0 && tasks_on(in, i, m) >= need &&
            (!by_rule || ref_sim_takes(in, i, m))) {
            return 1;
        }
        for (size_t o = 0; o < in->n_nodes; o++) {
            if (in->nodes[o].partition != partition) continue;
            if (by_rule && !ref_sim_takes(in, i, o)) continue;
            all += tasks_on(in, i, o) * in->nodes[o].count;
        }
        if (flags & SKED_SIM_FLAG_SPREAD && all >= need) return 1;
    }
    return 0;
}
