#ifndef SKEDI_ENGINE_RESERVATION_H
#define SKEDI_ENGINE_RESERVATION_H

/* Reserved amounts of nodes: for asks, and for gangs that form. */

#include "engine/state.h"

/* Rounds of preemption reserve amounts on nodes for asks, while victims end. */

/* A reservation on a node for tasks of an ask. */
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

/* Returns the reserved amount of one kind. */
int64_t skedi_reservation_amount(const sked_engine *e, uint32_t reserved,
                                 uint32_t kind);

/* The part of a reservation whose victims got kill orders. */
int64_t skedi_reservation_paid(const sked_engine *e, uint32_t reserved,
                               uint32_t kind);

/* Returns the amount of one kind that rounds and a forming gang have reserved on
 * a node. */
int64_t skedi_reservation_of(const sked_engine *e, uint32_t node,
                             uint32_t kind);

/* Writes the reserved amounts, one a kind. */
void skedi_reservation_holds(const sked_engine *e, uint32_t reserved,
                             int64_t *amount);

/* Reserves a node for `count` tasks of an ask until a moment, and writes the
 * decision. The caller has reserved memory for both. */
void skedi_reservation_add(sked_engine *e, uint32_t ask, uint32_t node,
                           uint32_t count, sked_time until);

/* Takes the amounts of `count` tasks from the free amounts of the node, or from
 * the head room of the queues. A negative count gives the amounts back. */
void skedi_reservation_on_node(sked_engine *e,
                               const engine_reservation *reserved,
                               int64_t count);
void skedi_reservation_in_queues(sked_engine *e,
                                 const engine_reservation *reserved,
                                 int64_t count);

/* Takes the amounts in the books of the trees of limits. The function does not
 * look at asks that wait there. */
void skedi_reservation_in_trees(sked_engine *e,
                                const engine_reservation *reserved,
                                int64_t count);

/* Returns the account of the ask's user in the partition of the node, or
 * SKEDI_NONE. */
uint32_t skedi_reservation_account(const sked_engine *e,
                                   const engine_reservation *reserved);

/* Ends the reservation of `tasks` tasks that start. The caller has given their
 * amounts on the node back. `paid` tasks belong to the paid part. */
void skedi_reservation_use(sked_engine *e, uint32_t reserved, uint32_t tasks,
                           uint32_t paid);

/* Books a reservation in the books of queues and users of a new grid. */
void skedi_reservation_rebook(sked_engine *e, uint32_t reserved);

/* Takes the reservations of a job out of the books of its queues and its user
 * (`by` is -1), or puts them in again (1), when the job moves. */
void skedi_reservation_of_job(sked_engine *e, uint32_t job, int by);

/* Sets the number of tasks for which victims got kill orders. These tasks start
 * on the node and nowhere else. */
void skedi_reservation_pay(sked_engine *e, uint32_t reserved, uint32_t tasks);

/* Sets another end of a reservation. */
void skedi_reservation_renew(sked_engine *e, uint32_t reserved,
                             sked_time until);

/* Gives up a reservation, without a decision. */
void skedi_reservation_drop(sked_engine *e, uint32_t reserved);

/* Gives up a reservation and writes a decision. The caller has reserved memory
 * for the decision. */
void skedi_reservation_void(sked_engine *e, uint32_t reserved);

/* Gives up the reservations of an ask beyond its open tasks, and a gang's
 * reservation as a whole. Writes no decision. */
void skedi_reservation_trim(sked_engine *e, uint32_t ask);

/* Gives up all reservations of an ask. Writes no decision. */
void skedi_reservation_forget(sked_engine *e, uint32_t ask);

/* Gives up all reservations on a node, also for a gang that forms. Writes no
 * decision. */
void skedi_reservation_clear(sked_engine *e, uint32_t node);

/* Gives up the reservations that ended by `now`, and writes decisions. Returns
 * SKED_OK, or SKED_ERR_NOMEM, after which the caller can repeat the call. */
sked_status skedi_reservation_expire(sked_engine *e, sked_time now);

/* Gangs over nodes that form have amounts of nodes reserved. Each partition has
 * at most one such gang. */

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

/* Returns the gang of a partition. NULL: none. */
engine_forming *skedi_forming_of(const sked_engine *e, uint32_t partition);

/* True if the gang of the partition is this ask and the ask is still open. */
static inline int skedi_forming_is_of(const sked_engine *e, uint32_t partition,
                                      uint32_t ask)
{
    const engine_forming *f = skedi_forming_of(e, partition);

    return f && f->ask == ask && ask_at(e, ask)->live &&
           ask_at(e, ask)->arrival == f->arrival;
}

/* Returns the amount of one kind that is reserved on a node for the gang of the
 * partition. O(parts). */
int64_t skedi_forming_amount(const sked_engine *e, uint32_t node,
                             uint32_t kind);

/* Returns the number of tasks of the gang with a reservation, and writes the
 * number of nodes. */
int64_t skedi_forming_tasks(const sked_engine *e, uint32_t partition,
                            uint32_t *nodes);

/* The part on a node; NULL: none. */
engine_forming_part *skedi_forming_on(const sked_engine *e, uint32_t node);

/* True if a reservation lowers the free amounts of a node now. */
static inline int skedi_forming_takes(const sked_engine *e, uint32_t node)
{
    const engine_forming_part *part = e->forms.n == 0
                                          ? NULL
                                          : skedi_forming_on(e, node);

    return part && !part->given;
}

/* Gives the amounts of a part back for a time (`given` is 1), or takes them again
 * (0). */
void skedi_forming_give(sked_engine *e, engine_forming_part *part, int given);

/* Reserves a node for so many tasks of the gang (0: for none), in place of
 * those before. Memory was reserved. */
void skedi_forming_set(sked_engine *e, uint32_t partition, uint32_t node,
                       int64_t count);

/* Gives up the reservations for the gang of a partition, or for the gangs of all
 * partitions. */
void skedi_forming_drop(sked_engine *e, uint32_t partition);
void skedi_forming_drop_all(sked_engine *e);

/* For tests: true if each gang has reservations on open nodes of the partition,
 * and on no more nodes than the options allow. */
int skedi_forming_is_sound(const sked_engine *e);

/* skedi_forming_give() of all parts. */
void skedi_forming_give_all(sked_engine *e, int given);

/* Columns beside asks: rare fields, and the start of the wait for a place if the
 * engine has delays. */

/* Memory for so many asks more. 0: no memory. */
int skedi_ask_rows_reserve(sked_engine *e, uint64_t more);

/* Reserves memory for the extras of `more` asks, or for `more` ranges of open
 * numbers. 0: no memory. */
int skedi_extras_reserve(sked_engine *e, uint64_t more);
int skedi_ranges_reserve(sked_engine *e, uint64_t more);

/* Returns the extras of an ask, and creates them if necessary. The caller has
 * reserved memory. */
engine_extra *skedi_extra_take(sked_engine *e, uint32_t ask);

/* Returns the moment at which the wait of an ask for its places began. */
static inline sked_time skedi_ask_waits_since(const sked_engine *e,
                                              const engine_ask *ask)
{
    if (!e->delays) return INT64_MIN;
    SKEDI_ASSERT((size_t)(ask - ask_at(e, 0)) < e->waiting_cap);
    return e->waiting[ask - ask_at(e, 0)];
}

#endif
