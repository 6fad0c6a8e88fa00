#ifndef SKEDI_LIFE_LIFE_H
#define SKEDI_LIFE_LIFE_H

/* Shared by the files of lib/life: tables, sets of states, small checks. */

#include <sched/life_job.h>

#include "base/fail.h"
#include "base/text.h"

/* The names of events and actions in the built-in tables (instance.c). */
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

/* Tasks that have ended, deleted tasks included. */
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

/* Copies the caller's table; checks that sizes are within the bounds and that
 * no list is missing. Returns SKED_OK, _ARG, _RANGE or _VERSION. */
sked_status skedi_life_table_in(sked_life_table *table,
                                const sked_life_table *theirs, sked_error *err);

/* Does the same, and also checks every row of the table. */
sked_status skedi_life_table_read(sked_life_table *table,
                                  const sked_life_table *theirs,
                                  sked_error *err);

/* Writes a name of a list; cuts the name if no NUL ends the name. */
void skedi_life_write_name(skedi_writer *w, const sked_life_name *name);

/* A failure whose words were written. */
sked_status skedi_life_fail(sked_error *err, sked_status code, skedi_writer *w,
                            skedi_fault fault);

/* Moves by a built-in table; the event is legal or ignored in the state. */
void skedi_life_move(const sked_life_table *table, sked_life_at *at,
                     uint32_t event, uint32_t cause);

/* The time `ns` >= 0 nanoseconds after `at`, at most INT64_MAX. */
static inline sked_time skedi_life_later(sked_time at, int64_t ns)
{
    return at > INT64_MAX - ns ? INT64_MAX : at + ns;
}

/* Returns SKED_OK, or SKED_ERR_RANGE if the record holds an unknown value of an
 * enumeration. `row`: index + 1, or 0. */
sked_status skedi_life_instance_in(const sked_life_instance *instance,
                                   int64_t row, sked_error *err);

#endif
