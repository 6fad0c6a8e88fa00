#ifndef SKEDI_TREE_ATTR_H
#define SKEDI_TREE_ATTR_H

/*
 * Everything a queue can be told, as one table: what an attribute is called,
 * what values it takes, what holds when it is not set. Setting, reading,
 * validating and the text form all go by it.
 */

#include <sched/fault.h>

enum {
    SKEDI_NUMBERS = 18, /* integer attributes, ids from SKED_QUEUE_WEIGHT */
    SKEDI_AMOUNTS = 4,  /* with amounts, ids from SKED_QUEUE_GUARANTEE */
    SKEDI_TEXTS = 1,    /* texts, ids from SKED_QUEUE_LABEL */
    SKEDI_ATTRS = SKEDI_NUMBERS + SKEDI_AMOUNTS + SKEDI_TEXTS
};

/* Where an attribute stands among those of its shape. */
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

/* How the text form says a value. */
enum {
    SKEDI_SAID_COUNT = 0,    /* digits, or `unlimited` */
    SKEDI_SAID_WORD = 1,     /* one of `words`, from value 0 on */
    SKEDI_SAID_RATIO = 2,    /* ppm, as 0.5 or 50% */
    SKEDI_SAID_DURATION = 3, /* ns, as 30s, or `unlimited` */
    SKEDI_SAID_KIND = 4,     /* the name of a resource kind */
    SKEDI_SAID_VECTOR = 5,
    SKEDI_SAID_TEXT = 6
};

typedef struct skedi_attr {
    int64_t low; /* values from here */
    int64_t high;
    int64_t fallback; /* what holds when nothing is set */
    int32_t id;       /* enum sked_queue_attribute */
    uint8_t shape;
    uint8_t said;
    uint8_t inherited; /* unset takes the nearest ancestor's */
    uint8_t unlimited; /* takes SKED_UNLIMITED too */
    char name[24];     /* in the text form */
    char words[56];    /* blanks between; pointers would need relocation */
} skedi_attr;

/* The i-th of SKEDI_ATTRS, in the order of their ids. */
const skedi_attr *skedi_attr_at(size_t i);

/* The attribute of that id and shape, or NULL. */
const skedi_attr *skedi_attr_of(int32_t id, uint8_t shape);

/* Where it stands among those of its shape: SKEDI_AT_*. */
uint32_t skedi_attr_index(const skedi_attr *attr);

/* Does it take `value` (an integer, or one of its amounts)? */
int skedi_attr_takes(const skedi_attr *attr, uint32_t kinds, int64_t value);

/*
 * What is stored while nothing is set: SKED_UNSET where unset differs from
 * every value (the inherited ones, and parts), else the default itself, so
 * that setting a default and setting nothing are the same.
 */
int64_t skedi_attr_rest(const skedi_attr *attr);

#endif
