#ifndef REF_JOINT_FILL_H
#define REF_JOINT_FILL_H

/* The arithmetic of shares: ratios, knapsacks, levels. */

#include "ref_joint.h"
#include "ref_wide.h"

/* floor(x * num / den) */
int64_t ref_joint_ratio(int64_t x, int64_t num, ref_wide den);

/* As an amount; SKED_AMOUNT_MAX and more: that. */
int64_t ref_joint_amount(ref_wide x);

/* Has `a` more of kind k for each unit of kind `by`? */
int ref_joint_better(const int64_t *a, const int64_t *b, uint32_t k,
                     uint32_t by);

/* All of kind k that a want is. */
ref_wide ref_joint_times(const ref_want *want, uint32_t k);

/* floor(bound * task[k] / task[by]) */
ref_wide ref_joint_beside(const int64_t *task, uint32_t k, uint32_t by,
                          int64_t bound);

/* Siblings: columns of n rows, one amount a kind. */
typedef struct ref_family {
    uint32_t kinds, n;
    const int64_t *total;
    const uint32_t *weight;
    const int64_t *top;
    int64_t *low; /* floors, cut to the total */
} ref_family;

void ref_family_open(ref_family *f, const int64_t *floors);
void ref_family_close(ref_family *f);

/* One kind by weights alone: clamp(weight * r, low, top), rounded down, for the
 * exact r that uses the total. */
void ref_family_fill(const ref_family *f, uint32_t k, int64_t *part);

#endif
