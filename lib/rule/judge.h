#ifndef SKEDI_RULE_JUDGE_H
#define SKEDI_RULE_JUDGE_H

/* Rules as the engine keeps them: whether they are any, and what they say. */

#include <sched/rule.h>

/* Is it a rule? SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE with its term. */
sked_status skedi_rule_check(const sked_rule_input *in, sked_error *err);

/* How many tasks with the tag of a term of work there are, where it counts
 * them; `*least`: where there are fewest, of SPREAD. -1: of SPREAD, the node is
 * nowhere. */
typedef int64_t skedi_rule_count(const void *arg, const sked_rule_input *in,
                                 const sked_rule_term *term, int64_t *least);

/* What a rule that was checked says; `count` is asked where work is looked
 * at. */
int32_t skedi_rule_answer(const sked_rule_input *in, skedi_rule_count *count,
                          const void *arg);

/* Does a term count tasks? By an attribute? */
static inline int skedi_rule_is_of_work(const sked_rule_term *t)
{
    return t->op >= SKED_RULE_OP_AT_MOST;
}

static inline int skedi_rule_is_by_key(const sked_rule_term *t)
{
    return skedi_rule_is_of_work(t) && t->n > 0;
}

/* Does it say anything of work? */
int skedi_rule_counts(const sked_rule_input *in);

#endif
