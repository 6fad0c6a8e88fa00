/*
 * A rule without an engine: "a GPU of model 100 or 200, not in zone 3, and at
 * most one task of this service on the node", judged for four nodes.
 */
#include <sched/sked.h>

#include <stdio.h>

enum { MODEL = 1, ZONE = 2, SERVICE = 7 };

typedef struct node {
    const char *name;
    sked_rule_attribute has[2];
    int64_t tasks; /* of the service */
} node;

static const node nodes[] = {{"a100, empty", {{MODEL, 100}, {ZONE, 1}}, 0},
                             {"a200, zone 3", {{MODEL, 200}, {ZONE, 3}}, 0},
                             {"a100, two tasks", {{MODEL, 100}, {ZONE, 2}}, 2},
                             {"no GPU", {{ZONE, 1}, {ZONE, 2}}, 0}};

int main(void)
{
    static const char *const said[] = {"no", "yes", "does not apply"};
    const int64_t models[] = {100, 200};
    const sked_rule_term terms[] = {
        {.op = SKED_RULE_OP_IN, .key = MODEL, .first = 0, .n = 2},
        {.op = SKED_RULE_OP_NOT, .key = ZONE, .value = 3},
        {.op = SKED_RULE_OP_AT_MOST, .key = SERVICE, .value = 1}};

    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        const sked_rule_attribute work = {SERVICE, nodes[i].tasks};
        sked_rule_input input = {.struct_size = sizeof input,
                                 .flags = SKED_RULE_FLAG_NODE |
                                          SKED_RULE_FLAG_WORK,
                                 .terms = terms,
                                 .n_terms = sizeof terms / sizeof *terms,
                                 .values = models,
                                 .n_values = 2,
                                 .node = nodes[i].has,
                                 .n_node = 2,
                                 .work = &work,
                                 .n_work = 1};
        int32_t answer;

        if (sked_rule_judge(&input, &answer, NULL) != SKED_OK) return 1;
        printf("%-16s %s\n", nodes[i].name, said[answer]);
    }
    return 0;
}
