#ifndef REF_ENGINE_MAY_H
#define REF_ENGINE_MAY_H

/* What keeps the twin's asks from running: limits, users, places. */

#include "ref_engine.h"

#include "ref_joint.h"

/* What is true of every queue in one partition. */
typedef struct ref_books {
    const skedi_image *image;
    uint32_t partition;
    int64_t capacity[REF_KINDS];
    int64_t *here;    /* row x kinds: used in the partition */
    int64_t *all;     /* row x kinds: used in all */
    int64_t *said;    /* row x kinds: guaranteed */
    int64_t *limit;   /* row x kinds: of this partition alone */
    int64_t *booked;  /* row x kinds: what counts as held in the partition */
    int64_t *masters; /* row x kinds: held by masters of a leaf */
    uint8_t *led;     /* row: does a master run? */
    uint8_t *open;    /* row: may something below run on the node? */
    ref_joint bounds; /* of tree and capacity */
} ref_books;

/* Of all queues, as things stand. */
ref_books ref_books_open(const ref_engine *r, uint32_t partition);
void ref_books_close(ref_books *b);

/* May it run on a node that has so much free? */
int ref_engine_may_run(const ref_engine *r, const ref_books *b, size_t ask,
                       size_t node, const int64_t *free);

/* Do limits, trees and the bound of masters hold so much of an ask? */
int ref_engine_bounds_hold(const ref_engine *r, size_t ask, uint32_t partition,
                           const int64_t *amounts);

/* May a task start by the rates from a leaf up? */
int ref_engine_rate_may(const ref_engine *r, const skedi_image *image,
                        uint32_t leaf);

/* Rule, refusals and places: do these let an ask on a node? */
int ref_engine_lets(const ref_engine *r, size_t ask, size_t node);

/* Would they, and the node, if it had waited for ever and all of the node were
 * free? */
int ref_engine_may_come(const ref_engine *r, size_t ask, size_t node);

/* An ask in the lines of a partition. */
int ref_engine_in_line(const ref_engine *r, const ref_ask *a,
                       uint32_t partition);

uint64_t ref_engine_user_weight(const ref_engine *r, uint64_t user,
                                sked_queue_id queue);
void ref_engine_user_used(const ref_engine *r, uint64_t user,
                          sked_queue_id queue, uint32_t partition,
                          int64_t *used);

#endif
