/* How the rows of an update are by now: each by itself, and all of them. */
#include "life/update_turn.h"

/* Does it run what it is to run, and well? Or has it ended as it should? */
static int has_come(const sked_life_instance *i, uint64_t target)
{
    int runs = i->state == SKED_LIFE_TASK_RUNNING && i->version == target &&
               i->run == i->desired_run &&
               (i->health == SKED_LIFE_HEALTH_DISABLED ||
                i->health == SKED_LIFE_HEALTH_HEALTHY);

    return i->desired == target && (runs || (skedi_life_has_ended(i->state) &&
                                             skedi_life_has_ended(i->goal)));
}

uint32_t sked_life_update_judge(const sked_life_instance *instance,
                                uint64_t target, uint32_t max_attempts)
{
    const sked_life_instance *i = instance;

    if (!i) return SKED_LIFE_PHASE_UNTOUCHED;
    if (has_come(i, target)) return SKED_LIFE_PHASE_DONE;
    return max_attempts && i->desired == target && i->failures >= max_attempts
               ? SKED_LIFE_PHASE_FAILED
               : SKED_LIFE_PHASE_TOLD;
}

static int is_late(const life_turn *t, const life_row *row)
{
    int64_t within = t->u->o.within_ns;

    return within && skedi_life_later(row->since, within) <= t->now;
}

/* One that was told and has nothing beside it. */
static uint32_t judge_told(const life_turn *t, const life_row *row,
                           const sked_life_instance *i)
{
    uint64_t target = skedi_life_target(t->u, row);

    if (target) {
        return sked_life_update_judge(i, target, t->u->o.max_attempts);
    }
    return !i->state || skedi_life_has_ended(i->state) ? SKED_LIFE_PHASE_DONE
                                                       : SKED_LIFE_PHASE_TOLD;
}

/* The phase by how the instance is now. */
static uint32_t judge_row(const life_turn *t, const life_row *row,
                          const sked_life_instance *i)
{
    uint32_t phase = row->phase;
    int late = is_late(t, row);

    if (phase == SKED_LIFE_PHASE_BESIDE) {
        if (i->beside == SKED_LIFE_BESIDE_FAILED) return SKED_LIFE_PHASE_FAILED;
        if (i->beside == SKED_LIFE_BESIDE_UP) return phase;
    } else if (phase == SKED_LIFE_PHASE_DROPPING) {
        /* Before it is told, one may be on its way by the order before. */
        if (!i->beside && !row->owed) return SKED_LIFE_PHASE_DONE;
    } else if (phase == SKED_LIFE_PHASE_DONE) {
        /* It was well, and is so no more. */
        if (row->kind == SKED_LIFE_ORDER_DROP) return phase;
        uint32_t now = judge_told(t, row, i);
        return now == SKED_LIFE_PHASE_FAILED ? now : phase;
    } else if (skedi_life_is_progress(phase)) {
        uint32_t now = judge_told(t, row, i);
        if (now != SKED_LIFE_PHASE_TOLD) return now;
    } else {
        return phase;
    }
    return late ? (uint32_t)SKED_LIFE_PHASE_FAILED : phase;
}

int skedi_life_is_up(const life_row *row, const sked_life_instance *i)
{
    int here = !i->told &&
               sked_life_availability_of(i) == SKED_LIFE_AVAILABILITY_AVAILABLE;

    if (row->phase == SKED_LIFE_PHASE_TOLD || row->unsure) return 0;
    if (row->phase == SKED_LIFE_PHASE_BESIDE ||
        row->kind == SKED_LIFE_ORDER_SWITCH) {
        return here || i->beside == SKED_LIFE_BESIDE_UP;
    }
    return here;
}

static int is_wanted(const sked_life_instance *i)
{
    return i->goal != SKED_LIFE_TASK_KILLED &&
           i->goal != SKED_LIFE_TASK_DELETED;
}

/* ---- How all rows are ---- */

static void count_down(life_turn *t, const life_row *row,
                       const sked_life_instance *i)
{
    int stays = skedi_life_stays(row) && is_wanted(i);

    if (stays) t->down++;
    if (row->phase == SKED_LIFE_PHASE_FAILED) {
        t->lost++;
        if (stays) t->stays++;
    } else if (stays && !skedi_life_is_progress(row->phase)) {
        t->away++;
    }
}

static void count_row(life_turn *t, const life_row *row,
                      const sked_life_instance *i)
{
    int progress = skedi_life_is_progress(row->phase);

    if (skedi_life_is_up(row, i))
        t->up++;
    else
        count_down(t, row, i);
    t->progress += (uint64_t)progress;
    t->failed += row->phase == SKED_LIFE_PHASE_FAILED;
    t->waiting += row->phase == SKED_LIFE_PHASE_WAITING;
    if (row->phase == SKED_LIFE_PHASE_BESIDE) {
        t->beside++;
        t->coming += i->beside != SKED_LIFE_BESIDE_UP;
    }
    if ((progress || row->phase == SKED_LIFE_PHASE_WAITING) &&
        row->zone < t->zone) {
        t->zone = row->zone;
    }
}

void skedi_life_look(life_turn *t)
{
    t->up = t->down = t->progress = t->beside = t->coming = t->waiting = 0;
    t->failed = t->lost = t->stays = t->away = 0;
    t->zone = UINT32_MAX;
    t->blocked = 0;
    for (uint64_t i = 0; i < t->u->n; i++) {
        life_row *row = &t->u->rows[i];
        uint32_t phase = judge_row(t, row, &t->is[i]);
        if (phase == SKED_LIFE_PHASE_FAILED &&
            row->phase == SKED_LIFE_PHASE_BESIDE) {
            row->owed = 1;
        }
        row->phase = (uint8_t)phase;
        count_row(t, row, &t->is[i]);
    }
}
