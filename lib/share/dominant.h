#ifndef SKEDI_SHARE_DOMINANT_H
#define SKEDI_SHARE_DOMINANT_H

#include "share/setup.h"

/*
 * Shares of all kinds together (SKED_SHARE_SCOPE_DOMINANT). Columns are kind by
 * kind: that of kind k and row r stands at k * rows + r.
 */
typedef struct skedi_dominant {
    const skedi_share_shape *shape;
    const skedi_share_told_columns *told; /* by kind */
    int64_t *share;                       /* what rows have */
    uint32_t kinds;
    uint32_t unused;
    skedi_share_progress *progress;

    void *block; /* everything below */
    size_t bytes;
    int64_t *want;     /* of leaves: in the proportions of their demand */
    int64_t *open;     /* what could still be given */
    int64_t *rate;     /* what a whole dominant share more would take */
    int64_t *box;      /* what is the row's own before all others */
    int64_t *spare;    /* what a raise may use */
    uint32_t *blocked; /* by row: kinds that have run out, a bit each */
    uint32_t *leaves;  /* by row: at and below it */
} skedi_dominant;

/* Memory for `rows` rows of `kinds` kinds; what it held is lost. 0: no
 * memory. */
int skedi_dominant_ensure(skedi_dominant *d, skedi_mem *mem, size_t rows,
                          size_t kinds);
void skedi_dominant_free(skedi_dominant *d, skedi_mem *mem);

/* Computes every share. SKED_OK, SKED_ERR_CANCELLED or the host's code. */
sked_status skedi_dominant_compute(skedi_dominant *d);

static inline size_t skedi_dominant_at(const skedi_dominant *d, uint32_t k,
                                       uint32_t row)
{
    return (size_t)k * d->shape->n + row;
}

static inline int skedi_dominant_leaf(const skedi_dominant *d, uint32_t row)
{
    return d->shape->family[row] == SKEDI_NO_FAMILY;
}

static inline uint32_t skedi_dominant_weight(const skedi_dominant *d,
                                             uint32_t row)
{
    return d->told->weight ? d->told->weight[row] : 1;
}

static inline uint32_t skedi_dominant_parent(const skedi_dominant *d,
                                             uint32_t row)
{
    return d->shape->families[d->shape->member[row]].parent;
}

/* The most a row may hold of a kind. */
int64_t skedi_dominant_cap(const skedi_dominant *d, uint32_t k, uint32_t row);

/* Makes what a parent has the sum of what its children have. */
void skedi_dominant_sum(skedi_dominant *d, const skedi_family *f);

/* Gives out what is left of the box of a family's parent. */
sked_status skedi_dominant_raise(skedi_dominant *d, uint32_t family);

/* The amount of a row, or `rest` where there is no column. */
int64_t skedi_dominant_told(const int64_t *column, uint32_t row, int64_t rest);

#endif
