#ifndef SKEDI_ENGINE_CORE_RESERVATIONS_H
#define SKEDI_ENGINE_CORE_RESERVATIONS_H

/* What is reserved on nodes for asks by rounds of preemption, while victims
 * make it free. */

#include "engine/state.h"

/* What is reserved on a node for tasks of an ask. */
typedef struct engine_reservation {
    sked_time until;
    uint32_t ask;
    uint32_t node;
    uint32_t count;
    uint32_t next;  /* on the node */
    uint32_t later; /* of all, by their ends */
    uint32_t sooner;
    uint32_t wanted; /* scratch: a round still wants it */
    uint32_t makers; /* first of the victims that make it, of lazy rounds */
    uint32_t made;   /* tasks whose victims got kill orders, likewise */
    uint32_t paid;   /* tasks for which others got kill orders */
} engine_reservation;

static inline engine_reservation *reservation_at(const sked_engine *e,
                                                 uint32_t i)
{
    return (engine_reservation *)e->reservations.item + i;
}

/* Memory for `more` reservations. 0: no memory. */
int skedi_reservation_reserve(sked_engine *e, uint64_t more);

/* What a reservation holds, of one kind. */
int64_t skedi_reservation_amount(const sked_engine *e, uint32_t reserved,
                                 uint32_t kind);

/* What of it is for tasks that others got kill orders for. */
int64_t skedi_reservation_paid(const sked_engine *e, uint32_t reserved,
                               uint32_t kind);

/* What is reserved on a node, of one kind: by rounds, and for a gang that
 * forms. */
int64_t skedi_reservation_of(const sked_engine *e, uint32_t node,
                             uint32_t kind);

/* What a reservation holds, one amount a kind. */
void skedi_reservation_holds(const sked_engine *e, uint32_t reserved,
                             int64_t *amount);

/* Reserves a node for `count` tasks of an ask until then, and says so. Memory
 * for the reservation and a decision was reserved. */
void skedi_reservation_add(sked_engine *e, uint32_t ask, uint32_t node,
                           uint32_t count, sked_time until);

/* Takes what `count` tasks of a reservation need from what its node has free;
 * from the head room of their queues. Negative: gives it back. */
void skedi_reservation_on_node(sked_engine *e,
                               const engine_reservation *reserved,
                               int64_t count);
void skedi_reservation_in_queues(sked_engine *e,
                                 const engine_reservation *reserved,
                                 int64_t count);

/* The same in the books of the trees of limits; asks that wait there are not
 * looked at. */
void skedi_reservation_in_trees(sked_engine *e,
                                const engine_reservation *reserved,
                                int64_t count);

/* The account of its ask's user in the partition of its node, or SKEDI_NONE. */
uint32_t skedi_reservation_account(const sked_engine *e,
                                   const engine_reservation *reserved);

/* So many of its tasks start: nothing is reserved for them any more. What they
 * take on the node was given back before. */
void skedi_reservation_use(sked_engine *e, uint32_t reserved, uint32_t tasks);

/* Books a reservation in the books of queues and users of a new grid. */
void skedi_reservation_rebook(sked_engine *e, uint32_t reserved);

/* What is reserved for a job no longer counts in the books of its queues and
 * its user (by -1), or does again (1): it moves. */
void skedi_reservation_of_job(sked_engine *e, uint32_t job, int by);

/* Others got kill orders for so many of its tasks in all: these start there
 * and nowhere else. */
void skedi_reservation_pay(sked_engine *e, uint32_t reserved, uint32_t tasks);

/* It ends then, instead. */
void skedi_reservation_renew(sked_engine *e, uint32_t reserved,
                             sked_time until);

/* Gives up a reservation, without a decision. */
void skedi_reservation_drop(sked_engine *e, uint32_t reserved);

/* The same with a decision, for which memory was reserved. */
void skedi_reservation_void(sked_engine *e, uint32_t reserved);

/* Gives up what is reserved for an ask beyond its open tasks; a gang's
 * reservation as a whole. Writes no decision. */
void skedi_reservation_trim(sked_engine *e, uint32_t ask);

/* Gives up all that is reserved for an ask. Writes no decision. */
void skedi_reservation_forget(sked_engine *e, uint32_t ask);

/* Gives up all that is reserved on a node, for a gang that forms too. Writes no
 * decision. */
void skedi_reservation_clear(sked_engine *e, uint32_t node);

/* Gives up what was reserved until `now`, and says so. SKED_OK or
 * SKED_ERR_NOMEM, after which it can be called again. */
sked_status skedi_reservation_expire(sked_engine *e, sked_time now);

#endif
