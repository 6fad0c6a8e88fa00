#ifndef SKED_FAULT_H
#define SKED_FAULT_H

/*
 * Faults: all that is wrong with the draft of a tree, or with a text, as data.
 *
 * The smallest use, before a commit:
 *
 *     sked_tree_faults(tree, faults, cap, &n);
 *     sked_fault_format(tree, &faults[0], text, sizeof text, NULL);
 */

#include <sched/tree.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The kinds of faults. */
enum sked_fault_code {
    SKED_FAULT_SYNTAX = 1,          /* a line is not `path key=value ...` */
    SKED_FAULT_UNKNOWN_KEY = 2,     /* no attribute has that name */
    SKED_FAULT_BAD_VALUE = 3,       /* a value the attribute does not take */
    SKED_FAULT_DUPLICATE_KEY = 4,   /* a key comes twice in one line */
    SKED_FAULT_DUPLICATE_QUEUE = 5, /* a path comes a second time */
    SKED_FAULT_MISSING_PARENT = 6,  /* the parent does not come before it */
    SKED_FAULT_TOO_DEEP = 7,        /* more levels than the tree may have */
    SKED_FAULT_TOO_MANY = 8,        /* more queues than the tree may have */
    SKED_FAULT_ROOT = 9,            /* a path that does not begin at the root */
    /* The children's guarantees add up to `got`, which is above the queue's
     * own, `limit`. A child that states none counts with the sum of its
     * children's. */
    SKED_FAULT_GUARANTEE_ABOVE_PARENT = 16,
    SKED_FAULT_GUARANTEE_ABOVE_LIMIT = 17, /* got > limit; the limit wins */
    SKED_FAULT_LIMIT_ABOVE_PARENT = 18, /* warning: the parent's limit binds */
    SKED_FAULT_PARTS_SUM = 19, /* parts of siblings add to `got` ppm, not 1e6 */
    SKED_FAULT_PARTS_MIXED = 20, /* parts and amounts among siblings */
    SKED_FAULT_DEAD_WEIGHT = 21, /* weight 0 and no guarantee: gets nothing */
    SKED_FAULT_ALL_DEAD = 22, /* every child has weight 0: what is left beyond
                                 guarantees goes to none */
    SKED_FAULT_BORROW_BEYOND_LIMIT = 23,  /* warning: has no effect */
    SKED_FAULT_LEND_ABOVE_GUARANTEE = 24, /* warning: has no effect */
    SKED_FAULT_RUNNING_ABOVE_PARENT =
        25,                            /* warning: the parent's bound binds */
    SKED_FAULT_APPS_ON_PARENT = 26,    /* warning: jobs are in leaves only */
    SKED_FAULT_ORDER_ON_LEAF = 27,     /* warning: it has no children */
    SKED_FAULT_PREEMPT_REENABLED = 28, /* warning: an ancestor says no */
    SKED_FAULT_TIMEOUT_IDLE = 29, /* warning: a min time-out, no guarantee */
    /* note: the queue (not the root) states no guarantee, and therefore has the
     * sum of its children's, `got`. Where its own limit is below that, the
     * fault is SKED_FAULT_GUARANTEE_ABOVE_LIMIT instead. */
    SKED_FAULT_GUARANTEE_LIFTED = 30,
    /* note: with order=priority queues below of priority `got` go before others
     * of priority `limit` that state a guarantee, whether or not these have
     * it. */
    SKED_FAULT_PRIORITY_BEFORE_GUARANTEE = 31
};

/* Severities; the higher, the worse. */
enum sked_severity {
    SKED_SEVERITY_NOTE = 0,    /* nothing is wrong: what the rules make of it */
    SKED_SEVERITY_WARNING = 1, /* the setting has no effect */
    SKED_SEVERITY_ERROR = 2    /* a strict commit refuses the draft */
};

/* One fault, as data; sked_fault_format() renders it. Frozen layout. */
typedef struct sked_fault {
    int32_t code;        /* enum sked_fault_code */
    int32_t severity;    /* enum sked_severity */
    sked_queue_id queue; /* SKED_NO_QUEUE when only the line is known */
    int64_t got;
    int64_t limit;
    int32_t kind;      /* resource kind, or -1 */
    int32_t attribute; /* enum sked_queue_attribute, or 0 */
    uint32_t line;     /* of the text that set it, from 1; 0: not from a text */
    uint32_t column;   /* in bytes, from 1; 0: the whole line */
    uint8_t reserved[16];
} sked_fault;

/*
 * Lists every fault of the draft, by queue in row order, then by code, then by
 * kind. `*n` is always the number there are.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (`cap` too small: nothing but
 * `*n` is written). Never allocates. Cost: O(queues * kinds),
 * and O(queues * levels * kinds) when queues were added, removed or moved since
 * the last commit, or where many levels state no guarantee.
 */
SKED_TRY sked_status sked_tree_faults(const sked_tree *tree, sked_fault *faults,
                                      size_t cap, size_t *n);

/*
 * Writes `fault` as one line, for example
 * "queues.txt:12: root.ads: guarantee of memory 6GiB is above the limit 4GiB".
 * The file's name is left out when the text had none, and the queue when the
 * draft has none of that id. Faults of a text that was refused have its name
 * until the next text is read. Writes at most `cap` bytes with the NUL; `*n`
 * (may be NULL) is the length it needs without the NUL. Never allocates.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (cut short).
 */
SKED_TRY sked_status sked_fault_format(const sked_tree *tree,
                                       const sked_fault *fault, char *text,
                                       size_t cap, size_t *n);

#ifdef __cplusplus
}
#endif

#endif
