#ifndef SKEDI_ENGINE_ORDER_ACCOUNTS_H
#define SKEDI_ENGINE_ORDER_ACCOUNTS_H

/*
 * Users in a leaf: what each holds in a partition, and whether it is at its
 * limit. Only leaves that look at users have accounts.
 *
 * The limit of a user is taken in the kind that the leaf uses most of
 * (dominant in the partition). With one unit more in use than there is, or
 * with the leaf's guarantee if that is more, each user with open asks may hold
 * its part by weight, rounded up, and never less than user_limit of it. So of
 * the users with open asks one at least is always below: nothing is left idle
 * for it. Where none of them has a weight, none is at a limit. Besides, none
 * holds more than user_factor of the leaf's guarantee, where it has one.
 */

#include "engine/state.h"

/* The account of a user in a cell, SKEDI_NONE when there is none. */
uint32_t skedi_account_find(const sked_engine *e, uint32_t cell, uint32_t user);

/* The account of an ask's user in a partition; SKEDI_NONE: its leaf does not
 * look at users. */
uint32_t skedi_account_of_ask(const sked_engine *e, uint32_t ask,
                              uint32_t partition);

/* Memory for so many more accounts. 0: no memory. */
int skedi_account_reserve(sked_engine *e, uint64_t more);

/* Finds or makes it; memory was reserved. */
uint32_t skedi_account_take(sked_engine *e, uint32_t cell, uint32_t user);

/* Lets go of an account with no entries and no groups. */
void skedi_account_drop_if_idle(sked_engine *e, uint32_t account);

/* What the user may hold now, and of which kind; a task may start while it
 * holds less. SKED_UNLIMITED: no limit. */
int64_t skedi_account_limit(const sked_engine *e, uint32_t account,
                            uint32_t *kind);

/* A leaf as it would be without those that give way. */
typedef struct engine_without {
    const int64_t *used; /* of the leaf in the partition, one amount a kind */
    const int64_t *own;  /* of the user there */
    uint64_t weight;     /* of users that have open asks besides */
} engine_without;

/* What a user holds of a kind in a partition, with what is reserved for tasks
 * of its for which others got kill orders. */
static inline int64_t skedi_account_held(const sked_engine *e, uint32_t account,
                                         uint32_t kind)
{
    int64_t used = engine_row_of(e, &e->account_used, account)[kind];

    if (e->reservations.live == 0) return used;
    return used + engine_row_of(e, &e->account_paid, account)[kind];
}

/* Would a user with open asks be at the limit then? */
int skedi_account_would_fill(const sked_engine *e, uint32_t account,
                             const engine_without *then);

/* Is the user at its limit now? */
int skedi_account_is_full(const sked_engine *e, uint32_t account);

/* Notes that a user is at its limit: its entries show no bit until
 * skedi_accounts_wake() finds it below. */
void skedi_account_block(sked_engine *e, uint32_t account);

/* Looks again at a cell's blocked users, after its books or its users with
 * open asks changed. */
void skedi_accounts_wake(sked_engine *e, uint32_t cell);
void skedi_accounts_wake_all(sked_engine *e, uint32_t partition);

/* What a user weighs changed. O(accounts and open asks of the user). */
void skedi_accounts_reweigh(sked_engine *e, uint32_t user);

/* Adds to what an account holds and orders its user's entries anew. */
void skedi_account_charge(sked_engine *e, uint32_t account,
                          const int64_t *delta);

#endif
