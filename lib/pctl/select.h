#ifndef SKEDI_PCTL_SELECT_H
#define SKEDI_PCTL_SELECT_H

/* Weighted selection: the amount at which the lengths of units, by amount,
 * reach a sum. */

#include "base/sort.h"
#include "pctl/units.h"

/* An answer: the smallest amount at which the lengths reach `need`. */
typedef struct skedi_spot {
    uint64_t need; /* given: 1 to the time in use */
    uint64_t amount;
    uint64_t covered; /* lengths of all units in use up to `amount` */
    uint64_t lower;   /* next amounts that occur; 0: none */
    uint64_t higher;
} skedi_spot;

/* Counts of work, for tests of the cost. */
typedef struct skedi_select_work {
    uint64_t visits;  /* units visited, once for each pass */
    uint64_t guesses; /* thresholds bracketed by a sample */
    uint64_t misses;  /* bracketed answers outside the bracket */
} skedi_select_work;

enum {
    SKEDI_BUCKETS = 512,        /* of a histogram */
    SKEDI_SAMPLE = 2048,        /* units of a sample */
    SKEDI_SELECT_LARGE = 32768, /* least units for a sample */
    SKEDI_SELECT_MANY = 32      /* least thresholds for sorting */
};

/* Lengths by amount; an extra last bucket is for all other amounts. */
typedef struct skedi_buckets {
    uint64_t low; /* the first amount of the first bucket */
    unsigned shift;
    uint64_t upto[SKEDI_BUCKETS + 1]; /* up to and with the bucket */
    uint64_t other[SKEDI_BUCKETS + 1];
    uint8_t mark[SKEDI_BUCKETS + 1];
} skedi_buckets;

/* Memory to work in: two lists of units, and tables. */
typedef struct skedi_select_memory {
    int64_t *length[2];
    int64_t *amount[2];
    size_t cap[2];
    skedi_select_work work;
    skedi_buckets buckets;
    skedi_keyed sample[SKEDI_SAMPLE];
    skedi_keyed spare[SKEDI_SAMPLE];
    skedi_keyed *sorted[2]; /* for many thresholds, else NULL */
    size_t n_sorted;
} skedi_select_memory;

/* The size of the first list for queues of up to `n` units; a smaller list
 * costs more passes. */
size_t skedi_select_cap(size_t n);

/* Memory for a first list of `cap`; the second needs no more than some
 * thousands. 0: no memory. */
int skedi_select_reserve(skedi_select_memory *memory, size_t cap,
                         skedi_mem *mem);
void skedi_select_free(skedi_select_memory *memory, skedi_mem *mem);

/* Memory for sorting `n` units instead. 0: no memory. */
int skedi_select_reserve_sorted(skedi_select_memory *memory, size_t n,
                                skedi_mem *mem);

/*
 * Fills in `n` spots of units. The units' sum is known and in range, and at
 * least one unit is in use. Never allocates.
 */
void skedi_select(const skedi_units *units, const skedi_units_sum *sum,
                  skedi_spot *spot, size_t n, skedi_select_memory *memory);

/* Does the same by sorting, for many spots; at most 2^32 - 1 units, with memory
 * for `n` units. */
void skedi_select_sorted(const skedi_units *units, skedi_spot *spot, size_t n,
                         skedi_select_memory *memory);

/* A range of amounts, and the lengths of all units in use below the range. */
typedef struct skedi_range {
    uint64_t low;
    uint64_t high;
    uint64_t below;
} skedi_range;

/*
 * `amount` and `covered` of a spot that lies in the range; `units` include all
 * units of the range. Uses the memory's second list.
 */
void skedi_select_in(const skedi_units *units, skedi_range range,
                     skedi_spot *spot, skedi_select_memory *memory);

/* `lower` and `higher` of a spot, if `units` include these amounts. */
void skedi_select_neighbours(const skedi_units *units, skedi_spot *spot);

/* Checks thresholds. Returns SKED_OK, or SKED_ERR_RANGE with the index. */
sked_status skedi_thresholds_in(const sked_ratio *p, size_t n, sked_error *err);

/* The least length that is at least the part num / den of `in_use`. */
static inline uint64_t skedi_select_need(uint64_t in_use, sked_ratio p)
{
    uint64_t rem;
    uint64_t need = skedi_muldiv(in_use, (uint64_t)p.num, (uint64_t)p.den,
                                 &rem);

    return need + (rem > 0);
}

#endif
