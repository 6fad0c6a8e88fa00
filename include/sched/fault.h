#ifndef SKED_FAULT_H
#define SKED_FAULT_H

/* What is wrong with the draft of a tree, or with a text: all of it, as
 * data. */

#include <sched/tree.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is wrong with a draft or a text. */
enum sked_fault_code {
    SKED_FAULT_SYNTAX = 1,          /* not `path key=value ...` */
    SKED_FAULT_UNKNOWN_KEY = 2,     /* no attribute of that name */
    SKED_FAULT_BAD_VALUE = 3,       /* a value the attribute does not take */
    SKED_FAULT_DUPLICATE_KEY = 4,   /* said twice in one line */
    SKED_FAULT_DUPLICATE_QUEUE = 5, /* the path was there before */
    SKED_FAULT_MISSING_PARENT = 6,  /* parents come first */
    SKED_FAULT_TOO_DEEP = 7,        /* more levels than the tree may have */
    SKED_FAULT_TOO_MANY = 8,        /* more queues than the tree may have */
    SKED_FAULT_ROOT = 9,            /* a path that does not begin at the root */
    /* Guarantees below add to `got`, above the queue's own, `limit`. A queue
     * below that states none counts with the sum of those below it. */
    SKED_FAULT_GUARANTEE_ABOVE_PARENT = 16,
    SKED_FAULT_GUARANTEE_ABOVE_LIMIT = 17, /* got > limit; the limit wins */
    SKED_FAULT_LIMIT_ABOVE_PARENT = 18,    /* warning: the parent's holds */
    SKED_FAULT_PARTS_SUM = 19, /* parts of siblings add to `got` ppm, not 1e6 */
    SKED_FAULT_PARTS_MIXED = 20, /* parts and amounts among siblings */
    SKED_FAULT_DEAD_WEIGHT = 21, /* weight 0 and no guarantee: gets nothing */
    SKED_FAULT_ALL_DEAD = 22, /* every child weighs 0: what is spare is lost */
    SKED_FAULT_BORROW_BEYOND_LIMIT = 23,  /* warning: has no effect */
    SKED_FAULT_LEND_ABOVE_GUARANTEE = 24, /* warning: has no effect */
    SKED_FAULT_RUNNING_ABOVE_PARENT = 25, /* warning: the parent's holds */
    SKED_FAULT_APPS_ON_PARENT = 26,       /* warning: jobs live in leaves */
    SKED_FAULT_ORDER_ON_LEAF = 27,        /* warning: it has no children */
    SKED_FAULT_PREEMPT_REENABLED = 28,    /* warning: an ancestor says no */
    SKED_FAULT_TIMEOUT_IDLE = 29, /* warning: a min time-out, no guarantee */
    /* note: the queue (not the root) states no guarantee, and therefore has
     * what is guaranteed below it, `got`. Where its own limit is below that, it
     * is told as SKED_FAULT_GUARANTEE_ABOVE_LIMIT instead. */
    SKED_FAULT_GUARANTEE_LIFTED = 30
};

/* In order: the higher, the worse. */
enum sked_severity {
    SKED_SEVERITY_NOTE = 0, /* what follows from the rules; nothing is wrong */
    SKED_SEVERITY_WARNING = 1, /* what has no effect */
    SKED_SEVERITY_ERROR = 2    /* what a strict commit refuses */
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
 * kind. Writes at most `cap` and puts the number there are in `*n`.
 *
 * Returns SKED_OK or SKED_ERR_ARG. Never allocates. Cost: O(queues kinds), and
 * O(queues levels kinds) when queues came, went or moved since the last commit,
 * or where many levels state no guarantee.
 */
SKED_TRY sked_status sked_tree_faults(const sked_tree *tree, sked_fault *faults,
                                      size_t cap, size_t *n);

/*
 * Writes `fault` as one line, for example
 * "queues.txt:12: root.ads: guarantee of memory 6GiB is above the limit 4GiB".
 * Without the file's name when the text had none, without the queue when the
 * draft has none of that id. Those of a text that was refused are told with
 * its name, until the next is read. At most `cap` bytes with the NUL; `*n` (may
 * be NULL) is the length it needs without it. Never allocates.
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
