#ifndef SKEDI_SHARE_JOINT_FAMILY_H
#define SKEDI_SHARE_JOINT_FAMILY_H

/* One family of joint shares, while it is shared. */

#include "share/joint.h"

static inline size_t joint_at(const skedi_joint *j, uint32_t k, uint32_t row)
{
    return (size_t)k * j->rows + row;
}

/* The children of a row, and what they share. */
typedef struct joint_family {
    skedi_joint *j;
    uint32_t parent;
    uint32_t from;
    uint32_t to;
    uint32_t contended;
} joint_family;

/* What all children have before the family rises: floors that can be used
 * together, and what goes with them. Needs their parts. */
void skedi_joint_floors(const joint_family *f);

/* The key of a child at its `most`, by its parent's order. */
uint64_t skedi_joint_key(const joint_family *f, uint32_t row);

/* Raises a family, whose children have keys and floors, until its kinds have
 * run out or every child has the most. */
void skedi_joint_raise(const joint_family *f);

#endif
