#ifndef SKEDI_ENGINE_CORE_RESERVATIONS_H
#define SKEDI_ENGINE_CORE_RESERVATIONS_H

/* What is reserved on nodes for asks, while victims make it free. */

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
    uint32_t wanted; /* scratch: a round goes on keeping it */
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

/* What one holds, of one kind. */
int64_t skedi_reservation_amount(const sked_engine *e, uint32_t reserved,
                                 uint32_t kind);

/* What of it is for tasks that others got kill orders for. */
int64_t skedi_reservation_paid(const sked_engine *e, uint32_t reserved,
                               uint32_t kind);

/* What is reserved on a node, of one kind. */
int64_t skedi_reservation_of(const sked_engine *e, uint32_t node,
                             uint32_t kind);

/* What one holds, one amount a kind. */
void skedi_reservation_holds(const sked_engine *e, uint32_t reserved,
                             int64_t *amount);

/* Reserves a node for `count` tasks of an ask until then, and says so;
 * memory (this and a decision) was reserved. */
void skedi_reservation_add(sked_engine *e, uint32_t ask, uint32_t node,
                           uint32_t count, sked_time until);

/* What so many of its tasks need is taken from what its node has free, or from
 * the head room of their queues; or (negative) given back. */
void skedi_reservation_on_node(sked_engine *e,
                               const engine_reservation *reserved,
                               int64_t count);
void skedi_reservation_in_queues(sked_engine *e,
                                 const engine_reservation *reserved,
                                 int64_t count);

/* The same in the books of the trees of limits, where nothing is looked at. */
void skedi_reservation_in_trees(sked_engine *e,
                                const engine_reservation *reserved,
                                int64_t count);

/* The account of its ask's user there, or SKEDI_NONE. */
uint32_t skedi_reservation_account(const sked_engine *e,
                                   const engine_reservation *reserved);

/* So many of its tasks start: nothing is reserved for them any more. What they
 * take on the node was given back before. */
void skedi_reservation_use(sked_engine *e, uint32_t reserved, uint32_t tasks);

/* Books what is reserved anew, in books that begin with nothing. */
void skedi_reservation_rebook(sked_engine *e, uint32_t reserved);

/* What is reserved for a job no longer counts in the books of its queues and
 * its user (by -1), or does again (1): it moves. */
void skedi_reservation_of_job(sked_engine *e, uint32_t job, int by);

/* Others got kill orders for so many of its tasks in all: these start there
 * and nowhere else. */
void skedi_reservation_pay(sked_engine *e, uint32_t reserved, uint32_t tasks);

/* Keeps it until then instead. */
void skedi_reservation_renew(sked_engine *e, uint32_t reserved,
                             sked_time until);

/* Gives up one, in silence. */
void skedi_reservation_drop(sked_engine *e, uint32_t reserved);

/* The same, and says so: a decision was reserved. */
void skedi_reservation_void(sked_engine *e, uint32_t reserved);

/* Reserves no more for an ask than it has open, and nothing on a node that
 * takes nothing new. Writes no decision. */
void skedi_reservation_trim(sked_engine *e, uint32_t ask);

/* Nothing stays reserved for an ask. */
void skedi_reservation_forget(sked_engine *e, uint32_t ask);
void skedi_reservation_clear(sked_engine *e, uint32_t node);

/* Gives up what was reserved until `now`, and says so. SKED_OK or
 * SKED_ERR_NOMEM, after which it can be called again. */
sked_status skedi_reservation_expire(sked_engine *e, sked_time now);

#endif
