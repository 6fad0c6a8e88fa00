#ifndef SKEDI_TREE_ATTR_H
#define SKEDI_TREE_ATTR_H

/*
 * The table of all queue attributes: name, range of values, and default. The
 * functions that set, read, validate and print attributes use this table.
 */

#include <sched/fault.h>

enum {
    SKEDI_NUMBERS = 18, /* integer attributes, ids from SKED_QUEUE_WEIGHT */
    SKEDI_AMOUNTS = 4,  /* with amounts, ids from SKED_QUEUE_GUARANTEE */
    SKEDI_TEXTS = 1,    /* texts, ids from SKED_QUEUE_LABEL */
    SKEDI_ATTRS = SKEDI_NUMBERS + SKEDI_AMOUNTS + SKEDI_TEXTS
};

/* The index of an attribute among the attributes of its shape. */
enum {
    SKEDI_AT_WEIGHT = SKED_QUEUE_WEIGHT - 1,
    SKEDI_AT_ORDER = SKED_QUEUE_ORDER - 1,
    SKEDI_AT_FAIR_KIND = SKED_QUEUE_FAIR_KIND - 1,
    SKEDI_AT_APPS = SKED_QUEUE_APPS - 1,
    SKEDI_AT_MAX_RUNNING = SKED_QUEUE_MAX_RUNNING - 1,
    SKEDI_AT_PRIORITY = SKED_QUEUE_PRIORITY - 1,
    SKEDI_AT_AM_SHARE = SKED_QUEUE_AM_SHARE - 1,
    SKEDI_AT_PREEMPT_FROM = SKED_QUEUE_PREEMPT_FROM - 1,
    SKEDI_AT_MIN_TIMEOUT = SKED_QUEUE_PREEMPT_MIN_TIMEOUT - 1,
    SKEDI_AT_FAIR_TIMEOUT = SKED_QUEUE_PREEMPT_FAIR_TIMEOUT - 1,
    SKEDI_AT_GUARANTEE_PPM = SKED_QUEUE_GUARANTEE_PPM - 1,
    SKEDI_AT_LIMIT_PPM = SKED_QUEUE_LIMIT_PPM - 1,
    SKEDI_AT_STATE = SKED_QUEUE_STATE - 1,
    SKEDI_AT_START_RATE = SKED_QUEUE_START_RATE - 1,

    SKEDI_AT_GUARANTEE = 0,
    SKEDI_AT_LIMIT = 1,
    SKEDI_AT_BORROW = 2,
    SKEDI_AT_LEND = 3
};

enum { SKEDI_SHAPE_NUMBER = 1, SKEDI_SHAPE_AMOUNTS = 2, SKEDI_SHAPE_TEXT = 3 };

/* The notation of a value in the text form. */
enum {
    SKEDI_SAID_COUNT = 0,    /* digits, or `unlimited` */
    SKEDI_SAID_WORD = 1,     /* a word of `words`, from value 0 on */
    SKEDI_SAID_RATIO = 2,    /* ppm, as 0.5 or 50% */
    SKEDI_SAID_DURATION = 3, /* ns, as 30s, or `unlimited` */
    SKEDI_SAID_KIND = 4,     /* the name of a resource kind */
    SKEDI_SAID_VECTOR = 5,
    SKEDI_SAID_TEXT = 6
};

typedef struct skedi_attr {
    int64_t low; /* least value */
    int64_t high;
    int64_t fallback; /* the default */
    int32_t id;       /* enum sked_queue_attribute */
    uint8_t shape;
    uint8_t said;
    uint8_t inherited; /* unset: the nearest ancestor's value */
    uint8_t unlimited; /* SKED_UNLIMITED is a value, too */
    char name[24];     /* in the text form */
    char words[56];    /* separated by blanks; not pointers, which need
                        * relocation */
} skedi_attr;

/* The i-th of SKEDI_ATTRS attributes, in the order of the ids. */
const skedi_attr *skedi_attr_at(size_t i);

/* The attribute with this id and shape, or NULL. */
const skedi_attr *skedi_attr_of(int32_t id, uint8_t shape);

/* The index of `attr` among the attributes of its shape: SKEDI_AT_*. */
uint32_t skedi_attr_index(const skedi_attr *attr);

/* Does `attr` accept `value` (an integer, or a single amount)? */
int skedi_attr_takes(const skedi_attr *attr, uint32_t kinds, int64_t value);

/*
 * The stored value of an unset attribute. For inherited attributes and for
 * parts, the value is SKED_UNSET, because unset differs from every value. For
 * all others, the stored value is the default; setting the default and setting
 * nothing are then equal.
 */
int64_t skedi_attr_rest(const skedi_attr *attr);

#endif
