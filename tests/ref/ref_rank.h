#ifndef REF_RANK_H
#define REF_RANK_H

/*
 * The order of candidates by comparing two at a time, key by key, as the words
 * of rank.h say. The twin of lib/rank/.
 */

#include <sched/rank.h>

/* Whose turn is first: negative for `a`; alike in every key: 0. */
int ref_rank_compare(const sked_rank_input *in, uint32_t a, uint32_t b);

/* All candidates in order. */
void ref_rank_order(const sked_rank_input *in, uint32_t *positions);

#endif
