#ifndef SKEDI_RULE_JUDGE_H
#define SKEDI_RULE_JUDGE_H

/* Rules as the engine keeps them: whether they are any, and what they say. */

#include <sched/rule.h>

/* Is it a rule? SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE with its term. */
sked_status skedi_rule_check(const sked_rule_input *in, sked_error *err);

/* How many tasks with the tag of a term of work there are. */
typedef int64_t skedi_rule_count(const void *arg, const sked_rule_term *term);

/* What a rule that was checked says; `count` is asked where work is looked
 * at. */
int32_t skedi_rule_answer(const sked_rule_input *in, skedi_rule_count *count,
                          const void *arg);

/* Does it say anything of work? */
int skedi_rule_counts(const sked_rule_input *in);

#endif
