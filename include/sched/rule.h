#ifndef SKED_RULE_H
#define SKED_RULE_H

/*
 * Rules over what a node is, and over work that is there: which nodes an ask
 * takes. [PEL-4]
 *
 * A node has attributes: pairs of a key and a value, both numbers of the
 * host's, any number of values a key. A rack, a zone, a model of GPU, a taint
 * are attributes; text is what the host makes numbers of. Work that is there
 * has tags: a key and how many tasks with it.
 *
 * A rule is a list of terms in postfix order: comparisons, and terms that join
 * the answers before them. So `a and (b or c)` is a, b, c, OR of 2, AND of 2.
 * Answers that are left over at the end are joined by AND; a rule without terms
 * takes every node.
 *
 * Each answer is one of three. A comparison applies to nodes, or to work; where
 * that is not looked at, it does not apply. AND is NO when one is NO, else YES
 * when one is YES; OR is YES when one is YES, else NO when one is NO; what does
 * not apply counts for neither. A rule that does not apply at all passes.
 */

#include <sched/base.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SKED_MAX_RULE_TERMS = 1024,     /* of one rule */
    SKED_MAX_RULE_VALUES = 65536,   /* of all its terms */
    SKED_MAX_RULE_ATTRIBUTES = 1024 /* pairs of one node */
};

/* What a term says. */
enum sked_rule_op {
    SKED_RULE_OP_AND = 1,      /* of the last `n` answers */
    SKED_RULE_OP_OR = 2,       /* likewise */
    SKED_RULE_OP_EQUAL = 3,    /* some value of the key is `value` */
    SKED_RULE_OP_NOT = 4,      /* none is, also where there is none */
    SKED_RULE_OP_IN = 5,       /* some value of the key is one of the `n` values
                                 from `first` on */
    SKED_RULE_OP_LESS = 6,     /* some value of the key is below `value` */
    SKED_RULE_OP_GREATER = 7,  /* some value of the key is above `value` */
    SKED_RULE_OP_EXISTS = 8,   /* the key has a value */
    SKED_RULE_OP_ABSENT = 9,   /* it has none */
    SKED_RULE_OP_AT_MOST = 10, /* of work: at most `value` tasks with the tag */
    SKED_RULE_OP_AT_LEAST = 11, /* of work: at least so many */
    SKED_RULE_OP_SPREAD = 12    /* of work: with one task more at most `value`
                                   more, 1 or more, than where there are
                                   fewest */
};

/*
 * Where work is counted. AT_MOST and AT_LEAST with `n` 0: on the node itself.
 * With `n` 1 the value at `first` is the key of an attribute, a rack, say, or a
 * zone (its 64 bits are taken as they are): counted are all nodes that share a
 * value of this key with the node; of several values the one with most tasks;
 * where it has none, there are 0. SPREAD: likewise with `n` 1, the fewest are
 * sought over all values of the key that nodes have. With `n` above 1 the values
 * behind the key are those that tasks are spread over, and no others: also such
 * as no node has, with 0 tasks. A node without any of these is not taken.
 */

/* One term of a rule. Frozen layout. */
typedef struct sked_rule_term {
    uint64_t key; /* of an attribute, or a tag; of AND and OR 0 */
    int64_t value;
    uint32_t op;       /* enum sked_rule_op */
    uint32_t n;        /* of AND, OR, IN and SPREAD 1 or more; of AT_MOST and
                        AT_LEAST 0 or 1; else 0 */
    uint32_t first;    /* in the rule's column of values, where `n` counts
                        values; else 0 */
    uint32_t reserved; /* 0 */
} sked_rule_term;

/* An attribute of a node, or a tag and its count of tasks. Frozen layout. */
typedef struct sked_rule_attribute {
    uint64_t key;
    int64_t value;
} sked_rule_attribute;

/* Tasks with a tag by an attribute: what a term of work with `n` 1 or more asks
 * for. Frozen layout. */
typedef struct sked_rule_tally {
    uint64_t tag;
    uint64_t key;  /* of the attribute */
    int64_t count; /* with the value of the node that has most */
    int64_t least; /* with the value that has fewest: for SPREAD */
} sked_rule_tally;

/* What is looked at. */
enum sked_rule_flag {
    SKED_RULE_FLAG_NODE = 1, /* comparisons of nodes apply */
    SKED_RULE_FLAG_WORK = 2  /* those of work do */
};

enum sked_rule_answer {
    SKED_RULE_ANSWER_NO = 0,
    SKED_RULE_ANSWER_YES = 1,
    SKED_RULE_ANSWER_PASS = 2 /* nothing of it applies */
};

/* A rule, and a node with what runs there. What is NULL is empty. */
typedef struct sked_rule_input {
    uint32_t struct_size;
    uint32_t flags; /* enum sked_rule_flag */
    const sked_rule_term *terms;
    uint64_t n_terms;
    const int64_t *values;
    uint64_t n_values;
    const sked_rule_attribute *node; /* in any order */
    uint64_t n_node;
    const sked_rule_attribute *work; /* each tag once; of others none runs */
    uint64_t n_work;
    const sked_rule_tally *tallies; /* each pair once; of others all is 0 */
    uint64_t n_tallies;
} sked_rule_input;

/*
 * Judges a node by a rule: `*answer` is an enum sked_rule_answer. Without a
 * flag it only looks whether the rule is one.
 *
 * Returns SKED_OK, SKED_ERR_ARG (`err->row` is the term: no such comparison,
 * fewer answers before it than it joins, a field that it does not read),
 * SKED_ERR_RANGE (values that are not there, a count below 0, more than there
 * may be) or SKED_ERR_VERSION. Never allocates. Cost: O(terms + comparisons *
 * pairs * values of one).
 */
SKED_TRY sked_status sked_rule_judge(const sked_rule_input *input,
                                     int32_t *answer, sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
