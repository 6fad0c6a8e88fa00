#ifndef SKEDI_LIFE_LIFE_H
#define SKEDI_LIFE_LIFE_H

/* What the parts of a life share: tables, sets of states, small checks. */

#include <sched/life_job.h>

#include "base/fail.h"
#include "base/text.h"

/* The words of the tables that are here (instance.c). */
extern const sked_life_name skedi_life_events[SKED_LIFE_EVENT_EVENTS];
extern const sked_life_name skedi_life_actions[SKED_LIFE_ACTION_ACTIONS];

extern const sked_life_table skedi_life_queued, skedi_life_task;
extern const sked_life_table skedi_life_job, skedi_life_update_table;
extern const sked_life_table skedi_life_node, skedi_life_offer;
extern const sked_life_table skedi_life_group;

#define LIFE_NAME(text_, marks_)                                               \
    {                                                                          \
        .text = text_, .marks = marks_                                         \
    }
#define LIFE_START SKED_LIFE_MARK_START
#define LIFE_END SKED_LIFE_MARK_END
#define LIFE_OVER (SKED_LIFE_MARK_END | SKED_LIFE_MARK_MUTE)
#define LIFE_UNUSED SKED_LIFE_MARK_UNUSED
#define LIFE_COUNT(rows) (sizeof(rows) / sizeof *(rows))
#define LIFE_TABLE(name_, states_, edges_, goals_, n_goals_)                   \
    {                                                                          \
        .struct_size = sizeof(sked_life_table), .name = name_,                 \
        .states = states_, .n_states = LIFE_COUNT(states_),                    \
        .events = skedi_life_events, .n_events = SKED_LIFE_EVENT_EVENTS,       \
        .edges = edges_, .n_edges = LIFE_COUNT(edges_),                        \
        .actions = skedi_life_actions, .n_actions = SKED_LIFE_ACTION_ACTIONS,  \
        .goals = goals_, .n_goals = n_goals_                                   \
    }

/* Tasks that are over, of which those that were taken out are a part. */
#define LIFE_TASKS_ENDED                                                       \
    (SKED_LIFE_BIT(SKED_LIFE_TASK_SUCCEEDED) |                                 \
     SKED_LIFE_BIT(SKED_LIFE_TASK_FAILED) |                                    \
     SKED_LIFE_BIT(SKED_LIFE_TASK_KILLED) |                                    \
     SKED_LIFE_BIT(SKED_LIFE_TASK_LOST) |                                      \
     SKED_LIFE_BIT(SKED_LIFE_TASK_DELETED))

static inline int skedi_life_has_ended(uint32_t task_state)
{
    return task_state < SKED_LIFE_TASK_STATES &&
           (LIFE_TASKS_ENDED & SKED_LIFE_BIT(task_state)) != 0;
}

/* A copy of the caller's table, whose sizes are within the bounds and whose
 * lists are there. SKED_OK, _ARG, _RANGE or _VERSION. */
sked_status skedi_life_table_in(sked_life_table *table,
                                const sked_life_table *theirs, sked_error *err);

/* The same, and every row of it can be read. */
sked_status skedi_life_table_read(sked_life_table *table,
                                  const sked_life_table *theirs,
                                  sked_error *err);

/* A name of a list, cut short if it has no end. */
void skedi_life_write_name(skedi_writer *w, const sked_life_name *name);

/* A failure whose words were written. */
sked_status skedi_life_fail(sked_error *err, sked_status code, skedi_writer *w,
                            skedi_fault fault);

/* Moves by a table of ours and an event that is legal there, or ignored. */
void skedi_life_move(const sked_life_table *table, sked_life_at *at,
                     uint32_t event, uint32_t cause);

/* A moment so many nanoseconds later, 0 and more, or the last there is. */
static inline sked_time skedi_life_later(sked_time at, int64_t ns)
{
    return at > INT64_MAX - ns ? INT64_MAX : at + ns;
}

/* SKED_OK, or SKED_ERR_RANGE when an enumeration of the record has no such
 * value. `row`: index + 1, or 0. */
sked_status skedi_life_instance_in(const sked_life_instance *instance,
                                   int64_t row, sked_error *err);

#endif
