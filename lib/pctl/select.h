#ifndef SKEDI_PCTL_SELECT_H
#define SKEDI_PCTL_SELECT_H

/* Weighted selection: where the lengths of units, by amount, reach a sum. */

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

/* How the work went; tests hold these to what they may be. */
typedef struct skedi_select_work {
    uint64_t visits;  /* units looked at, once for each pass over them */
    uint64_t guesses; /* thresholds that a sample bracketed */
    uint64_t misses;  /* of them, those that lay outside */
} skedi_select_work;

enum {
    SKEDI_BUCKETS = 512,        /* of a histogram */
    SKEDI_SAMPLE = 2048,        /* units of a sample */
    SKEDI_SELECT_LARGE = 32768, /* units from which a sample pays */
    SKEDI_SELECT_MANY = 32      /* thresholds from which sorting pays */
};

/* Lengths by amount; behind the last bucket is one for all other amounts. */
typedef struct skedi_buckets {
    uint64_t low; /* the first amount of the first bucket */
    unsigned shift;
    uint64_t upto[SKEDI_BUCKETS + 1]; /* this bucket and those before */
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

/* The cap of the first list that queues of up to `n` units want; with less,
 * more passes. */
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
 * Fills in `n` spots of units whose sum is known and in range, at least one of
 * them in use. Never allocates.
 */
void skedi_select(const skedi_units *units, const skedi_units_sum *sum,
                  skedi_spot *spot, size_t n, skedi_select_memory *memory);

/* The same by sorting, for many spots; at most 2^32 - 1 units, with memory for
 * them. */
void skedi_select_sorted(const skedi_units *units, skedi_spot *spot, size_t n,
                         skedi_select_memory *memory);

/* A range of amounts, and the lengths of all units in use below it. */
typedef struct skedi_range {
    uint64_t low;
    uint64_t high;
    uint64_t below;
} skedi_range;

/*
 * `amount` and `covered` of a spot that lies in the range, from units among
 * which are all of the range. Uses the memory's second list.
 */
void skedi_select_in(const skedi_units *units, skedi_range range,
                     skedi_spot *spot, skedi_select_memory *memory);

/* `lower` and `higher` of a spot, if they are among the units. */
void skedi_select_neighbours(const skedi_units *units, skedi_spot *spot);

/* Are thresholds in range? SKED_OK, or SKED_ERR_RANGE with the index. */
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
