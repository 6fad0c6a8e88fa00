#ifndef SKEDI_ENGINE_RESERVATION_H
#define SKEDI_ENGINE_RESERVATION_H

/* Reserved amounts of nodes: for asks, and for gangs that form. */

#include "engine/state.h"

/* What is reserved on nodes for asks by rounds of preemption, while victims
 * make it free. */

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
    uint32_t paid;   /* tasks for which others got kill orders */
    uint32_t held;   /* scratch of a pass: tasks that keep what is free */
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

/* The part of a reservation whose victims got kill orders. */
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
 * take on the node was given back before. `paid` of these tasks belong to the
 * paid part. */
void skedi_reservation_use(sked_engine *e, uint32_t reserved, uint32_t tasks,
                           uint32_t paid);

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

/* What is reserved on nodes for gangs over nodes that form, which are at most
 * one in each partition. */

/* The gang of a partition for which amounts are reserved. */
typedef struct engine_forming {
    uint64_t arrival; /* of the ask; 0: there is none */
    uint64_t resting; /* of the ask whose time was over last; 0: none */
    sked_time since;
    sked_time rests; /* until then */
    uint32_t ask;
    uint32_t alone; /* 1: a node on which something is reserved for it is
                       reserved whole */
    engine_forming_where where;
    int64_t task[SKED_MAX_KINDS]; /* what one of its tasks takes */
} engine_forming;

/* So many of its tasks on a node. */
typedef struct engine_forming_part {
    uint32_t partition;
    uint32_t node;
    uint32_t count;
    uint32_t given; /* 1: given back for the time being */
} engine_forming_part;

/* Memory for one part more, and for a gang of each partition. 0: no memory. */
int skedi_forming_reserve(sked_engine *e);

/* Memory for all parts that there may be on so many nodes. 0: no memory. */
int skedi_forming_reserve_all(sked_engine *e, uint64_t nodes);

/* The gang of a partition; NULL: none. */
engine_forming *skedi_forming_of(const sked_engine *e, uint32_t partition);

/* Is it this ask, which is still there? */
static inline int skedi_forming_is_of(const sked_engine *e, uint32_t partition,
                                      uint32_t ask)
{
    const engine_forming *f = skedi_forming_of(e, partition);

    return f && f->ask == ask && ask_at(e, ask)->live &&
           ask_at(e, ask)->arrival == f->arrival;
}

/* What is reserved on a node for the gang of its partition, of one kind.
 * O(parts). */
int64_t skedi_forming_amount(const sked_engine *e, uint32_t node,
                             uint32_t kind);

/* For how many tasks of the gang of a partition something is reserved, and on
 * how many nodes. */
int64_t skedi_forming_tasks(const sked_engine *e, uint32_t partition,
                            uint32_t *nodes);

/* The part on a node; NULL: none. */
engine_forming_part *skedi_forming_on(const sked_engine *e, uint32_t node);

/* Is something taken from what a node has free now? */
static inline int skedi_forming_takes(const sked_engine *e, uint32_t node)
{
    const engine_forming_part *part = e->forms.n == 0
                                          ? NULL
                                          : skedi_forming_on(e, node);

    return part && !part->given;
}

/* Gives back what a part has reserved until it is taken again (`given` 1), or
 * takes it again (0). */
void skedi_forming_give(sked_engine *e, engine_forming_part *part, int given);

/* Reserves a node for so many tasks of the gang (0: for none), in place of
 * those before. Memory was reserved. */
void skedi_forming_set(sked_engine *e, uint32_t partition, uint32_t node,
                       int64_t count);

/* Gives up all that is reserved for the gang of a partition; on a node; for the
 * gangs of all partitions. */
void skedi_forming_drop(sked_engine *e, uint32_t partition);
void skedi_forming_drop_all(sked_engine *e);

/* Is it on open nodes of its partition, and on no more than it may be? For
 * tests. */
int skedi_forming_is_sound(const sked_engine *e);

/* skedi_forming_give() of all parts. */
void skedi_forming_give_all(sked_engine *e, int given);

/* What stands beside asks: what few of them have, and, where the engine delays
 * any, since when each waits for a place. */

/* Memory for so many asks more. 0: no memory. */
int skedi_ask_rows_reserve(sked_engine *e, uint64_t more);

/* Memory for the extras of so many asks that have none; and for as many ranges
 * of open numbers. 0: no memory. */
int skedi_extras_reserve(sked_engine *e, uint64_t more);
int skedi_ranges_reserve(sked_engine *e, uint64_t more);

/* An ask's extras, made when it has none: memory was reserved. */
engine_extra *skedi_extra_take(sked_engine *e, uint32_t ask);

/* When the wait of an ask for its places began. */
static inline sked_time skedi_ask_waits_since(const sked_engine *e,
                                              const engine_ask *ask)
{
    if (!e->delays) return INT64_MIN;
    SKEDI_ASSERT((size_t)(ask - ask_at(e, 0)) < e->waiting_cap);
    return e->waiting[ask - ask_at(e, 0)];
}

#endif
