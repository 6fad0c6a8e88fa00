#ifndef REF_ROUND_H
#define REF_ROUND_H

/*
 * Rounds of preemption task by task, as the words of round.h say: every task
 * that is marked is a row of its own, in the order of marking. The twin of
 * lib/round/.
 */

#include <sched/round.h>

enum { REF_ROUND_TASKS = 4096, REF_ROUND_ACTIONS = 8192, REF_ROUND_KINDS = 3 };

typedef struct ref_task {
    uint64_t key;
    uint64_t job;
    sked_time deadline;
    sked_time unsaved_since;
    int64_t amount[REF_ROUND_KINDS];
    unsigned long batch; /* tasks marked together have one number */
    int strict;
    int stopping;
    int offered;
    int gone;
} ref_task;

typedef struct ref_round {
    sked_round_options options; /* no default left open */
    sked_time now;
    ref_task task[REF_ROUND_TASKS];
    size_t n;
    unsigned long batches;
    sked_round_action action[REF_ROUND_ACTIONS];
    size_t actions;
    sked_round_stats counts;
    double lost[REF_ROUND_KINDS]; /* amounts here are small */
} ref_round;

void ref_round_update(ref_round *r, const sked_round_input *wanted,
                      sked_time now);
/* The place of so many tasks is taken. 0: not so many are offered. */
int ref_round_claim(ref_round *r, const uint64_t *keys, const uint32_t *counts,
                    size_t n, sked_time now);
void ref_round_ended(ref_round *r, uint64_t key, uint32_t count);

/* The marks as sked_round_marks() has them; returns how many. */
size_t ref_round_marks(const ref_round *r, sked_round_mark *marks);

#endif
