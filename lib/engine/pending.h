#ifndef SKEDI_ENGINE_PENDING_H
#define SKEDI_ENGINE_PENDING_H

/*
 * Pending asks in the order of their leaf, and the profiles that they share.
 */

#include "engine/ask.h"
#include "engine/gang_fit.h"
#include "engine/state.h"

/*
 * The line of a leaf's cell: its open asks in the leaf's order, each with the
 * mask under which it is found.
 *
 * Where the order depends on what does not change while an ask waits (fifo,
 * priority), the line is a gapped array in that order, and the first entry with
 * a bit of a mask is found without a comparison of keys. Where the order
 * depends on usage, places stand in the order of arrival and hold a tournament
 * tree.
 */

/* Does a leaf's order go by what does not change while an ask waits? */
static inline int skedi_line_is_steady(uint8_t apps)
{
    return apps == SKED_APPS_FIFO || apps == SKED_APPS_PRIORITY;
}

/* Reserves memory for `more` further entries. 0: no memory. */
int skedi_line_reserve(sked_engine *e, engine_cell *cell, uint32_t more);
void skedi_line_free(sked_engine *e, engine_cell *cell);

/* Adds an entry, whose key is made and for which memory was reserved; removes
 * one. */
void skedi_line_join(sked_engine *e, uint32_t entry, uint64_t mask);
void skedi_line_leave(sked_engine *e, uint32_t entry);

/* Changes the mask under which an entry is found. */
void skedi_line_show(sked_engine *e, uint32_t entry, uint64_t mask);

/* Hides an entry, which keeps its place; shows it again with a mask. */
void skedi_line_aside(sked_engine *e, uint32_t entry);
void skedi_line_back(sked_engine *e, uint32_t entry, uint64_t mask);

/* Makes an entry's key anew and moves it to where it belongs. */
void skedi_line_rekey(sked_engine *e, uint32_t entry);

/* Does so for all entries of a cell, after the capacity that their parts are
 * measured by has changed. */
void skedi_line_rekey_all(sked_engine *e, size_t cell);

/* The first entry whose mask has a bit of `offer`; there must be one. */
uint32_t skedi_line_first(const sked_engine *e, const engine_cell *cell,
                          uint64_t offer);

/* The first place, from the number `from` on, whose mask has a bit of `offer`;
 * SKEDI_NO_PLACE when there is none. */
uint32_t skedi_line_next(const engine_cell *cell, uint32_t from,
                         uint64_t offer);

/* The mask of a place. */
uint64_t skedi_line_mask(const engine_cell *cell, uint32_t place);

/* Does the structure hold its invariants? For tests. */
int skedi_line_is_sound(const sked_engine *e, const engine_cell *cell);

/* Does an ask stand at a place? */
static inline int skedi_line_has(const engine_cell *cell, uint32_t place)
{
    if (cell->steady) return cell->entry[place] != SKEDI_NONE;
    return skedi_tourney_has(&cell->turn, place);
}

/* Shapes of asks, and the classes that stand for them in partitions. */

/* Memory for so many more shapes, and their classes in each partition. 0: no
 * memory. */
int skedi_shape_reserve(sked_engine *e, uint64_t more);

/*
 * The shape of `times` tasks at once, on nodes of a set (SKEDI_NONE: any), made
 * when it is new; memory was reserved. Over several nodes where `gang` says
 * how; else all on one node. Counts one use.
 */
uint32_t skedi_shape_take(sked_engine *e, const int64_t *task, int64_t times,
                          uint32_t set, engine_gang gang);
void skedi_shape_give(sked_engine *e, uint32_t shape);

/* The shape of asks of the shape `plain` that refuse nodes, which have classes
 * apart: `bucket` (from 1) says which. Made when it is new; memory was
 * reserved. Counts one use. */
uint32_t skedi_shape_bucket(sked_engine *e, uint32_t plain, uint32_t bucket);

/* How the gangs of a shape start; all 0: it is no gang over nodes. */
static inline engine_gang skedi_shape_gang(const sked_engine *e, uint32_t shape)
{
    uint32_t fit = shape_at(e, shape)->fit;

    if (fit == SKEDI_NONE) return (engine_gang){0};
    return (engine_gang){fit_at(e, fit)->same, fit_at(e, fit)->per_node};
}

/* How many tasks of a gang over nodes one node takes at most; 0: it is none. */
static inline uint32_t skedi_shape_per_node(const sked_engine *e,
                                            uint32_t shape)
{
    return skedi_shape_gang(e, shape).per_node;
}

/* The least that one node must have: a step, or a task of a gang over nodes. */
static inline const int64_t *skedi_shape_part(const sked_engine *e,
                                              uint32_t shape)
{
    int spread = shape_at(e, shape)->fit != SKEDI_NONE;

    return engine_row_of(e, spread ? &e->shape_task : &e->shape_step, shape);
}

/* One open ask of a shape more in a partition, or one less. */
void skedi_class_take(sked_engine *e, uint32_t partition, uint32_t shape);
void skedi_class_give(engine_partition *part, uint32_t shape);

/* Do amounts fit into others, in the kinds of which they are above 0? */
static inline int skedi_amounts_fit(const sked_engine *e, const int64_t *amount,
                                    const int64_t *within)
{
    for (uint32_t k = 0; k < e->kinds; k++) {
        if (amount[k] > 0 && amount[k] > within[k]) return 0;
    }
    return 1;
}

/* Does a node that has so much free hold a step of a shape, or (of a gang over
 * nodes) a task of it? */
static inline int skedi_step_fits(const sked_engine *e, uint32_t shape,
                                  const int64_t *within)
{
    return skedi_amounts_fit(e, skedi_shape_part(e, shape), within);
}

/* Of the classes in `among`, those of which a step may fit what is free; of a
 * class whose shapes are all listed one does. */
uint64_t skedi_classes_fit(const sked_engine *e, uint32_t partition,
                           uint64_t among, const int64_t *free);

/* Lines whose order does not change: places in order, with holes. */

/* Memory for so many entries, and for holes beside them. 0: no memory. */

/* Lets an entry in, where it belongs; takes one out. Memory was reserved. */

/* The bits, one or none, by which a place is seen; other ones; the first place
 * from `from` on that is seen by a bit of `offer`, or SKEDI_NO_PLACE. */

/* Do all stand in order, and is the first where it is said to be? For tests. */
int skedi_steady_is_sound(const sked_engine *e, const engine_cell *cell);

/* While an engine books everything anew, lines take asks as they come: this
 * puts one in order then. `scratch` has a place for each. */
void skedi_steady_sort(sked_engine *e, engine_cell *cell, uint32_t *scratch);

/* Open asks in the lines of their leaves. */

/* Memory for so many entries more, in no line yet. 0: no memory. */
int skedi_entry_rows_reserve(sked_engine *e, uint64_t more);

/* Memory for the entries of an ask, or of a new one in a leaf, in its partition
 * or in all. 0: no memory. */
int skedi_entries_reserve(sked_engine *e, uint32_t ask);
int skedi_entries_reserve_in(sked_engine *e, uint32_t row, uint32_t partition);

/* Memory in the lines of a leaf for all open asks of a job; adds to `entries`,
 * for which the caller reserves memory. 0: no memory. */
int skedi_entries_reserve_of(sked_engine *e, uint32_t job, uint32_t row,
                             uint64_t *entries);

/* Memory in the lines of its leaf for one ask more, beside those for which this
 * was called before; adds to `entries`, for which the caller reserves memory.
 * 0: no memory. In any case the second call follows for each of these asks. */
int skedi_entries_expect(sked_engine *e, uint32_t ask, uint64_t *entries);
void skedi_entries_expected(sked_engine *e, uint32_t ask);

/* Puts an ask that has open tasks, and whose job may run, into its line, or
 * into one in each partition; takes it out. Memory was reserved. */
void skedi_entries_add(sked_engine *e, uint32_t ask);
void skedi_entries_remove(sked_engine *e, uint32_t ask);

/*
 * Moves an ask into the class of asks of its shape that refuse nodes and have
 * the same bucket (from 1), as the last that came there; or (0) into the class
 * of its shape, also where there is no memory. To be called when what it
 * refuses, or its shape, has changed.
 */
void skedi_entries_bucket(sked_engine *e, uint32_t ask, uint32_t bucket);

/* Makes an ask in line that refuses nodes count as the last that came. */
void skedi_entries_recent(sked_engine *e, uint32_t ask);

/* Makes the keys of all entries of a job anew. O(open asks of the job). */
void skedi_entries_rekey(sked_engine *e, uint32_t job);

/* Does the same if the order of the job's leaf depends on usage or demand of
 * jobs. */
void skedi_entries_reshare(sked_engine *e, uint32_t job);

#endif
