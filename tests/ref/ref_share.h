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

/* What binds each row in one kind, given the shares. */
void ref_share_bounds(const sked_share_arrays *in,
                      const sked_share_options *options, const int64_t *shares,
                      uint32_t kind, uint8_t *bounds);

#endif
