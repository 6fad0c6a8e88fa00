#ifndef REF_SHARE_H
#define REF_SHARE_H

#include <sched/share.h>

/*
 * Shares over a tree as <sched/share.h> defines them, without regard to time:
 * every row's bounds by the table there, every family filled by ref_fill.h.
 * With SKED_APPORTION_WEBSTER the cost grows with the amounts.
 */
void ref_share(const sked_share_arrays *in, const sked_share_options *options,
               int64_t *shares);

/* The same for SKED_SCOPE_DOMINANT; ref_share() comes here. */
void ref_dominant(const sked_share_arrays *in, int64_t *shares);

#endif
