#ifndef SKED_RULE_H
#define SKED_RULE_H

/*
 * Rules: the nodes that an ask takes, by the attributes of a node and by the
 * work on the node (affinity and anti-affinity). [PEL-4] The smallest rule,
 * nodes whose attribute 7 has the value 1:
 *
 *     sked_rule_term term = {.key = 7, .value = 1, .op = SKED_RULE_OP_EQUAL};
 *
 * A node has attributes: pairs of a key and a value, both numbers of the host's
 * choice. A key may have any number of values. A rack, a zone, a model of GPU
 * or a taint is an attribute; the host gives texts numbers. Work has tags: the
 * node has a number of tasks for each tag.
 *
 * A predicate is a number for a question to the host ("can volume 17 be
 * attached here?"). The term SKED_RULE_OP_HOST takes the answer from the input
 * of sked_rule_judge(). Engines and simulations reject this term and use an
 * attribute of the node for the answer.
 *
 * A rule is a list of terms in postfix order (reverse Polish notation): terms
 * that compare, and terms that join the answers before them. Example: `a and (b
 * or c)` is a, b, c, OR of 2, AND of 2. Answers left over at the end are joined
 * by AND; a rule without terms takes every node.
 *
 * An answer has one of three values: NO, YES, or PASS, "does not apply". Some
 * terms speak of the node, others of work. A term whose subject the flags leave
 * out answers PASS. AND is NO if one answer is NO, else YES if one is YES, else
 * PASS. OR is YES if one answer is YES, else NO if one is NO, else PASS. A node
 * with the answer PASS is taken.
 */

#include <sched/base.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SKED_MAX_RULE_TERMS = 1024,     /* of one rule */
    SKED_MAX_RULE_VALUES = 65536,   /* that all terms of one rule name */
    SKED_MAX_RULE_ATTRIBUTES = 1024 /* pairs of one node */
};

/* The comparison of a term. */
enum sked_rule_op {
    SKED_RULE_OP_AND = 1,      /* joins the last `n` answers */
    SKED_RULE_OP_OR = 2,       /* likewise */
    SKED_RULE_OP_EQUAL = 3,    /* some value of the key is `value` */
    SKED_RULE_OP_NOT = 4,      /* no value of the key is `value`, also without
                                  any value */
    SKED_RULE_OP_IN = 5,       /* some value of the key is one of the `n` values
                                  from `first` on */
    SKED_RULE_OP_LESS = 6,     /* some value of the key is below `value` */
    SKED_RULE_OP_GREATER = 7,  /* some value of the key is above `value` */
    SKED_RULE_OP_EXISTS = 8,   /* the key has a value */
    SKED_RULE_OP_ABSENT = 9,   /* the key has no value */
    SKED_RULE_OP_AT_MOST = 10, /* work: at most `value` tasks with the tag */
    SKED_RULE_OP_AT_LEAST = 11, /* work: at least `value` tasks with the tag */
    SKED_RULE_OP_SPREAD = 12,   /* work: with one task more, this place has at
                                   most `value` (1 or more) tasks with the tag
                                   more than the place with the fewest */
    SKED_RULE_OP_HOST = 13      /* the host's answer for the predicate */
};

/*
 * Where a term counts work. AT_MOST and AT_LEAST with `n` 0 count on the node
 * itself. With `n` 1 the value at `first` is the key of an attribute, for
 * example of a rack or a zone (its 64 bits are taken unchanged). The term then
 * counts on all nodes that share a value of the key with the node. If the node
 * has several values, the value with the most tasks counts; without a value the
 * count is 0. SPREAD with `n` 1 counts likewise, and takes the fewest over all
 * values of the key that nodes have. With `n` above 1, tasks are spread over
 * the values after the key at `first` alone; a value without a node counts with
 * 0 tasks. SPREAD takes no node without any of its values.
 */

/* One term of a rule. Frozen layout. */
typedef struct sked_rule_term {
    uint64_t key; /* of an attribute, a tag or a predicate; for AND and OR 0 */
    int64_t value;
    uint64_t n;     /* for AND, OR, IN and SPREAD 1 or more; for AT_MOST and
                       AT_LEAST 0 or 1; else 0 */
    uint32_t op;    /* enum sked_rule_op */
    uint32_t first; /* if `n` counts values, the row of the first in the rule's
                       column of values; else 0 */
} sked_rule_term;

/* An attribute of a node; or a tag with its number of tasks as the value; or a
 * predicate with its answer (enum sked_rule_answer) as the value. Frozen
 * layout. */
typedef struct sked_rule_attribute {
    uint64_t key;
    int64_t value;
} sked_rule_attribute;

/* The number of tasks with a tag, by the values of an attribute: the input of a
 * term of work with `n` 1 or more. Frozen layout. */
typedef struct sked_rule_tally {
    uint64_t tag;
    uint64_t key;  /* of the attribute */
    int64_t count; /* tasks at the node's value with the most tasks */
    int64_t least; /* tasks at the value with the fewest: for SPREAD */
} sked_rule_tally;

/* Which terms apply. */
enum sked_rule_flag {
    SKED_RULE_FLAG_NODE = 1, /* terms that compare attributes or ask the host */
    SKED_RULE_FLAG_WORK = 2  /* terms that count work */
};

enum sked_rule_answer {
    SKED_RULE_ANSWER_NO = 0,
    SKED_RULE_ANSWER_YES = 1,
    SKED_RULE_ANSWER_PASS = 2 /* no term applies */
};

/* A rule, and a node with its work. A NULL column is empty. All columns are
 * borrowed for the call. */
typedef struct sked_rule_input {
    uint32_t struct_size;
    uint32_t flags; /* enum sked_rule_flag */
    const sked_rule_term *terms;
    uint64_t n_terms;
    const int64_t *values; /* of this rule or of many: values that no term names
                              do not count for SKED_MAX_RULE_VALUES */
    uint64_t n_values;
    const sked_rule_attribute *node; /* in any order */
    uint64_t n_node;
    const sked_rule_attribute *work; /* each tag once; tasks have no other
                                        tag */
    uint64_t n_work;
    const sked_rule_tally *tallies; /* each pair of tag and key once; other
                                       pairs have 0 for both numbers */
    uint64_t n_tallies;
    const sked_rule_attribute *answers; /* the host's answers for this node,
                                           each predicate once */
    uint64_t n_answers;
} sked_rule_input;

/*
 * Judges a node by a rule: `*answer` is an enum sked_rule_answer. Without any
 * flag the call only checks that the rule is well formed, and answers PASS. The
 * host gives its answers to predicates in `answers`; engines reject predicates.
 *
 * Returns SKED_OK, SKED_ERR_ARG (`err->row` is the term: no such comparison,
 * fewer answers before the term than it joins, a field that the term does not
 * read, a predicate under SKED_RULE_FLAG_NODE without an entry in `answers`; or
 * `err->row` is the row of `answers` with an invalid value), SKED_ERR_RANGE
 * (missing values, a count below 0, more than allowed) or SKED_ERR_VERSION.
 * Never allocates. Cost: O(terms + comparisons * pairs * values of one).
 */
SKED_TRY sked_status sked_rule_judge(const sked_rule_input *input,
                                     int32_t *answer, sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
