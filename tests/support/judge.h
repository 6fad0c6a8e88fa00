#ifndef TEST_JUDGE_H
#define TEST_JUDGE_H

#include <sched/rule.h>

/* What a host of tests answers for one of its predicates: any of the three, by
 * a number that it has for the node besides. */
static inline int32_t test_judge(uint64_t predicate, uint64_t node,
                                 uint64_t stage)
{
    uint64_t mixed = (predicate * 31 + node * 7 + stage) *
                     UINT64_C(0x9e3779b97f4a7c15);

    switch (mixed >> 61) {
    case 0:
    case 1: return SKED_RULE_ANSWER_NO;
    case 2: return SKED_RULE_ANSWER_PASS;
    default: return SKED_RULE_ANSWER_YES;
    }
}

#endif
