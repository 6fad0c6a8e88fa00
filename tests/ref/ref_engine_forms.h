#ifndef REF_ENGINE_FORMS_H
#define REF_ENGINE_FORMS_H

/* What the twin reserves for gangs over nodes that form. */

#include "ref_engine.h"

/* A walk over a node (SIZE_MAX: all of the partition) begins, and ends; the turn
 * of a gang has come: 1, it starts. */
void ref_forming_begin(ref_engine *r, uint32_t partition, size_t node);
int ref_forming_turn(ref_engine *r, size_t ask, uint32_t partition,
                     size_t node);
void ref_forming_end(ref_engine *r, uint32_t partition, size_t node, int cut);

/* Nodes on which nothing runs. Something has started, and before it there were
 * so many: those that want nodes to themselves may have another turn. */
size_t ref_forming_bare(const ref_engine *r);
void ref_forming_look_again(ref_engine *r, size_t bare);

/* Nodes that take nothing have nothing reserved; a partition for no gang; none for
 * one that has started. */
void ref_forming_look(ref_engine *r);
void ref_forming_drop(ref_engine *r, uint32_t partition);
void ref_forming_started(ref_engine *r, size_t ask);

/* How many tasks of an ask a node takes now; are there. */
int64_t ref_engine_tasks_on(const ref_engine *r, size_t ask, size_t node,
                            uint32_t partition);
int64_t ref_engine_there_on(const ref_engine *r, size_t ask, size_t node);

/* How many tasks that an exact gang lacks go to nodes that have some of it, once
 * there is room. */
int64_t ref_engine_made(const ref_engine *r, size_t ask, uint32_t partition);

/* Could so many tasks of an ask ever start in a partition, or (`value`) on the
 * nodes there that have it? */
int ref_engine_could_form_in(const ref_engine *r, size_t ask, int64_t tasks,
                             uint32_t partition, const int64_t *value);

/* Has a node a value of a key? Have those where an ask runs one? The least value
 * of a node's that is above another; 0: there is none. */
int ref_engine_has_value(const ref_engine *r, size_t node, uint64_t key,
                         int64_t value);
int ref_engine_runs_within(const ref_engine *r, size_t ask, int64_t value);
int ref_engine_next_value(const ref_engine *r, size_t node, uint64_t key,
                          const int64_t *above, int64_t *value);

/* What a node has free without what is reserved there. */
void ref_engine_open_on(const ref_engine *r, size_t node, int64_t *amounts);

/* May all that is open of one start now; could so many tasks ever? */
int ref_engine_forms(const ref_engine *r, size_t ask, uint32_t partition);
int ref_engine_could_form(const ref_engine *r, size_t ask, int64_t tasks);

/* Starts all of it. */
void ref_engine_start_all(ref_engine *r, size_t ask, uint32_t partition);

/* So many tasks start at once; 0: it is no such gang, or has all that it needs
 * and goes on like any ask. */
int64_t ref_engine_lacks(const ref_ask *a);

/* May it have one task more on a node, however much is free there? */
int ref_engine_grows_on(const ref_engine *r, size_t ask, size_t node);

/* Tasks of it are open again, or ended; does it fall? Then what runs of it is told to end after the event. */
void ref_engine_lost(ref_engine *r, size_t ask);
void ref_engine_ended(ref_engine *r, size_t ask);
void ref_engine_fall(ref_engine *r);

#endif
