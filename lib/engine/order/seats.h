#ifndef SKEDI_ENGINE_ORDER_SEATS_H
#define SKEDI_ENGINE_ORDER_SEATS_H

/*
 * Users in a leaf: what each holds in a partition, and whether it is at its
 * limit. Only leaves that look at users have seats.
 *
 * The limit of a user is taken in the kind that the leaf uses most of
 * (dominant in the partition). With one unit more in use than there is, or
 * with the leaf's guarantee if that is more, each user with open asks may hold
 * its part by weight, rounded up, and never less than user_limit of it. So of
 * the users with open asks one at least is always below: nothing is left idle
 * for it. Where none of them has a weight, none is at a limit.
 */

#include "engine/state.h"

/* The seat of a user in a cell, SKEDI_NONE when there is none. */
uint32_t skedi_seat_find(const sked_engine *e, uint32_t cell, uint32_t user);

/* The seat of an ask's user in a partition; SKEDI_NONE: its leaf does not look at
 * users. */
uint32_t skedi_seat_of_ask(const sked_engine *e, uint32_t ask,
                           uint32_t partition);

/* Room for so many more seats. 0: no memory. */
int skedi_seat_room(sked_engine *e, uint64_t more);

/* Finds or makes it; room was reserved. */
uint32_t skedi_seat_take(sked_engine *e, uint32_t cell, uint32_t user);

/* Lets go of a seat with no entries and no groups. */
void skedi_seat_drop_if_idle(sked_engine *e, uint32_t seat);

/* What the user may hold now, and of which kind; a task may start while it
 * holds less. SKED_UNLIMITED: no limit. */
int64_t skedi_seat_limit(const sked_engine *e, uint32_t seat, uint32_t *kind);

/* A leaf as it would be without those that give room. */
typedef struct engine_without {
    const int64_t *used; /* of the leaf in the partition, one amount a kind */
    const int64_t *own;  /* of the user there */
    uint64_t weight;     /* of users that come to ask besides */
} engine_without;

/* Would a user with open asks be at the limit then? */
int skedi_seat_would_fill(const sked_engine *e, uint32_t seat,
                          const engine_without *then);

/* Is the user at its limit now? */
int skedi_seat_is_full(const sked_engine *e, uint32_t seat);

/* Takes all entries of a seat out of the running, or back into it. */
void skedi_seat_block(sked_engine *e, uint32_t seat);

/* Looks again at a cell's blocked users, after its books or its users with
 * open asks changed. */
void skedi_seats_wake(sked_engine *e, uint32_t cell);
void skedi_seats_wake_all(sked_engine *e, uint32_t partition);

/* What a user weighs changed. O(seats and open asks of the user). */
void skedi_seats_reweigh(sked_engine *e, uint32_t user);

/* Adds to what a seat holds and orders its user's entries anew. */
void skedi_seat_charge(sked_engine *e, uint32_t seat, const int64_t *delta);

#endif
