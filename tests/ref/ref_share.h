#ifndef REF_SHARE_H
#define REF_SHARE_H

#include <sched/share.h>

/*
 * Shares over a tree as <sched/share.h> defines them, without regard to time:
 * every row's bounds by the table there, every family filled by ref_fill.h.
 * With SKED_APPORTION_WEBSTER the cost grows with the amounts.
 */
void ref_share(const sked_share_input *in, const sked_share_options *options,
               int64_t *shares);

/* What a queue may have of one kind: the table's rows, by their names there;
 * `hard` is the cap, of a parent no more than what its children's add up to. */
typedef struct ref_queue {
    int64_t own;
    int64_t limit;
    int64_t cap;
    int64_t want;
    int64_t kept;
    int64_t floor;
    int64_t ceiling;
    int64_t hard;
    int64_t weight;
    int64_t usage;
    int leaf;
    int drains;
    int idle;
    int pinned; /* weighs nothing */
} ref_queue;

/* That, of each of in->n queues. */
void ref_share_queues(const sked_share_input *in,
                      const sked_share_options *options, uint32_t kind,
                      ref_queue *queues);

/* ref_share() for SKED_SHARE_SCOPE_DOMINANT; it comes here. */
void ref_dominant(const sked_share_input *in, int64_t *shares);

#endif
