#ifndef SKEDI_RULE_JUDGE_H
#define SKEDI_RULE_JUDGE_H

/* Rules as the engine keeps them: whether they are any, and what they say. */

#include <sched/rule.h>

/* Is it a rule? SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE with its term. The
 * column of values may be that of many rules: only values that terms of this
 * one name count for SKED_MAX_RULE_VALUES. */
sked_status skedi_rule_check(const sked_rule_input *in, sked_error *err);

/* What is known of a node beside its attributes. */
typedef struct skedi_rule_view {
    /* How many tasks with the tag of a term of work there are, where it counts
     * them; `*least`: where there are fewest, of SPREAD. -1: of SPREAD, the node
     * is nowhere. */
    int64_t (*count)(const void *arg, const sked_rule_input *in,
                     const sked_rule_term *term, int64_t *least);
    /* What the host answers: an enum sked_rule_answer. */
    int32_t (*host)(const void *arg, uint64_t predicate);
    const void *arg;
} skedi_rule_view;

/* What a rule that was checked says; the view is asked as the flags say. */
int32_t skedi_rule_answer(const sked_rule_input *in,
                          const skedi_rule_view *view);

/* Does a term count tasks? By an attribute? */
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

/* How many values all terms of a rule name, which was checked. */
uint64_t skedi_rule_values(const sked_rule_input *in);

/* Does it say anything of work? Does it ask the host? */
int skedi_rule_counts(const sked_rule_input *in);
int skedi_rule_asks_host(const sked_rule_input *in);

/* Is it one of the three answers? */
static inline int skedi_rule_is_answer(int64_t answer)
{
    return answer >= SKED_RULE_ANSWER_NO && answer <= SKED_RULE_ANSWER_PASS;
}

#endif
