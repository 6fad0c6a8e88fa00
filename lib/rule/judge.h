#ifndef SKEDI_RULE_JUDGE_H
#define SKEDI_RULE_JUDGE_H

/* Rules as the engine keeps them: their check and their answers. */

#include <sched/rule.h>

/* Checks a rule. Returns SKED_OK, or SKED_ERR_ARG or SKED_ERR_RANGE with the
 * bad term. Several rules may share the column of values: only values that
 * terms of this rule name count for SKED_MAX_RULE_VALUES. */
sked_status skedi_rule_check(const sked_rule_input *in, sked_error *err);

/* The data of a node beside its attributes. */
typedef struct skedi_rule_view {
    /* Counts the tasks with the tag of a work term in the term's scope.
     * `*least` (SPREAD only): the smallest count of any value. Returns -1 if
     * SPREAD has no value for the node. */
    int64_t (*count)(const void *arg, const sked_rule_input *in,
                     const sked_rule_term *term, int64_t *least);
    /* The host's answer for a predicate: an enum sked_rule_answer. */
    int32_t (*host)(const void *arg, uint64_t predicate);
    const void *arg;
} skedi_rule_view;

/* The answer of a checked rule; the rule's flags say which parts of the view
 * are read. */
int32_t skedi_rule_answer(const sked_rule_input *in,
                          const skedi_rule_view *view);

/* True if a term counts tasks; true if a term counts tasks by an attribute. */
static inline int skedi_rule_is_of_work(const sked_rule_term *t)
{
    return t->op >= SKED_RULE_OP_AT_MOST && t->op <= SKED_RULE_OP_SPREAD;
}

static inline int skedi_rule_is_by_key(const sked_rule_term *t)
{
    return skedi_rule_is_of_work(t) && t->n > 0;
}

/* How many values a term names in the rule's column of values. */
static inline uint64_t skedi_rule_names(const sked_rule_term *t)
{
    return t->op > SKED_RULE_OP_OR ? t->n : 0;
}

/* The number of values that all terms of a checked rule name. */
uint64_t skedi_rule_values(const sked_rule_input *in);

/* True if a term counts tasks; true if a term asks the host. */
int skedi_rule_counts(const sked_rule_input *in);
int skedi_rule_asks_host(const sked_rule_input *in);

/* True if `answer` is NO, YES or PASS. */
static inline int skedi_rule_is_answer(int64_t answer)
{
    return answer >= SKED_RULE_ANSWER_NO && answer <= SKED_RULE_ANSWER_PASS;
}

#endif
