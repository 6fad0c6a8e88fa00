/* What a rule says of a node: terms of five numbers, pairs of two. */
#include <sched/rule.h>

#include <stdlib.h>

#include "case.h"

static sked_rule_attribute *pairs(vec_case *c, const char *name, uint64_t *n)
{
    size_t numbers = 0;
    const int64_t *at = vec_numbers(c, name, &numbers);
    sked_rule_attribute *made = vec_room(numbers / 2, sizeof *made);

    *n = numbers / 2;
    for (size_t i = 0; i < numbers / 2; i++) {
        made[i] = (sked_rule_attribute){(uint64_t)at[2 * i], at[2 * i + 1]};
    }
    return made;
}

static int run_rule(vec_case *c)
{
    size_t n = 0;
    const int64_t *at = vec_numbers(c, "terms", &n);
    sked_rule_term *terms = vec_room(n / 5, sizeof *terms);
    sked_rule_input in = {.struct_size = sizeof in,
                          .flags = (uint32_t)vec_number(c, "flags", 0),
                          .terms = terms,
                          .n_terms = n / 5};
    sked_rule_attribute *node = pairs(c, "node", &in.n_node);
    sked_rule_attribute *work = pairs(c, "work", &in.n_work);
    int32_t answer = 0;
    sked_error err;

    for (size_t i = 0; i < n / 5; i++, at += 5) {
        terms[i] = (sked_rule_term){.key = (uint64_t)at[0],
                                    .value = at[1],
                                    .op = (uint32_t)at[2],
                                    .n = (uint32_t)at[3],
                                    .first = (uint32_t)at[4]};
    }
    in.node = node;
    in.work = work;
    sked_status rc = sked_rule_judge(&in, &answer, &err);
    int64_t got = answer;
    int said = rc == SKED_OK ? vec_judge(c, "want", &got, 1)
                             : vec_fail(c, err.message);
    free(terms);
    free(node);
    free(work);
    return said;
}

const vec_runner vec_run_rule[] = {
    {"rule", run_rule},
    {NULL, NULL},
};
