/* Rules over nodes: <sched/rule.h>. */
#include "core.h"

/* What a rule says of a node, both as records. */
CALL(rule_judge)
{
    uint32_t flags;
    int32_t answer = 0;
    incol terms, values, node, work, tallies, host;
    READ("uRLRRRR", &flags, &terms, &values, &node, &work, &tallies, &host);
    if (terms.n % sizeof(sked_rule_term) ||
        node.n % sizeof(sked_rule_attribute) ||
        work.n % sizeof(sked_rule_attribute) ||
        host.n % sizeof(sked_rule_attribute) ||
        tallies.n % sizeof(sked_rule_tally)) {
        PyErr_SetString(PyExc_ValueError, "not so many whole records");
        (void)args_fail(&a);
        return NULL;
    }
    STRUCT_WITH(
        sked_rule_input, in, .flags = flags, .terms = terms.at,
        .n_terms = terms.n / sizeof(sked_rule_term), .values = values.at,
        .n_values = values.n, .node = node.at,
        .n_node = node.n / sizeof(sked_rule_attribute), .work = work.at,
        .n_work = work.n / sizeof(sked_rule_attribute), .tallies = tallies.at,
        .n_tallies = tallies.n / sizeof(sked_rule_tally), .answers = host.at,
        .n_answers = host.n / sizeof(sked_rule_attribute));
    RUN(a, sked_rule_judge(&in, &answer, &a.err));
    return args_end(&a, "i", (int)answer);
}

PyMethodDef rule_methods[] = {
    METHOD(rule_judge),
    {NULL, NULL, 0, NULL},
};
