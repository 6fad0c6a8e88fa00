#ifndef REF_ORDER_H
#define REF_ORDER_H

/*
 * Orders from their definitions: whoever comes first is looked for among all
 * that are left, by comparing two at a time as the words say. The twin of
 * lib/order/, and of the ranks of fair_tree.h.
 */

#include <sched/fair_tree.h>
#include <sched/order.h>

/* Usage over what counts as guaranteed or shared, the largest of all kinds. */
typedef struct ref_part {
    uint64_t num;
    uint64_t den; /* 0: infinite */
} ref_part;

ref_part ref_order_part(const sked_order_children_input *in, uint32_t i);

/* The key that order.h promises; not for `random`. */
sked_order_key ref_order_key(const sked_order_children_input *in, uint32_t i);

/* Who comes first of two children by the exact numbers, keys aside: negative,
 * positive, or 0. Not for `random`. */
int ref_order_exact(const sked_order_children_input *in, uint32_t a,
                    uint32_t b);

/* All eligible children in order; returns how many. */
uint32_t ref_order_children(const sked_order_children_input *in,
                            uint32_t *positions);

uint32_t ref_order_apps(const sked_order_apps_input *in, uint32_t *indices);

/* Ranks by fair tree, families gathered anew at every step. */
void ref_fair_tree(const uint32_t *parent, const uint32_t *shares,
                   const int64_t *usage, uint32_t n, uint32_t *ranks);

#endif
