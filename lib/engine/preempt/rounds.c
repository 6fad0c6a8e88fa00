/*
 * A round reads each partition, chooses victims for the steps that ask there,
 * and then acts on all partitions at once, since a notice is withdrawn when no
 * partition wants it any more. All memory of a round is in one arena.
 */
#include "engine/preempt/rounds.h"

#include <string.h>

#include "base/fail.h"
#include "engine/core/extras.h"
#include "engine/core/forming.h"
#include "engine/core/groups.h"
#include "engine/core/reservations.h"
#include "engine/core/notices.h"
#include "engine/core/open.h"
#include "engine/order/books.h"
#include "engine/preempt/owners.h"
#include "engine/preempt/started.h"
#include "engine/preempt/where.h"
#include "target/handle.h"

static sked_status no_memory_to_round(sked_error *err)
{
    return skedi_fail_memory(err);
}

/* ---- One partition ---- */

/* What a policy says of all queues together. */
static uint32_t seen_by(const round_part *part, uint32_t policy)
{
    uint32_t seen = 0;

    for (uint32_t row = 0; row < part->e->rows.n; row++) {
        seen |= part->policy[policy].reasons[row];
    }
    return seen;
}

/* Does a queue wait for a time-out, or for enough rounds? Then the next round
 * may decide more even where nothing else happens. */
static void note_clocks(round_part *part)
{
    struct engine_preempt *own = part->e->preempt;

    for (uint32_t i = 0; i < own->policies; i++) {
        if (skedi_target_ticks(own->target[i]) ||
            seen_by(part, i) & SKED_TARGET_REASON_EARLY) {
            own->timed = 1;
        }
    }
}

/* So it does where tasks come near their ends. */
static void note_ends(const sked_engine *e)
{
    const engine_notice *notice = e->notices.item;

    for (uint32_t i = 0; i < e->notices.n; i++) {
        if (notice[i].group && notice[i].ends != SKED_UNSET) {
            e->preempt->timed = 1;
        }
    }
}

/* And while asks wait for places: once they have waited for long enough, more nodes
 * may do for them. */
static void note_waits(const sked_engine *e)
{
    const sked_engine_options *o = &e->opts;
    uint64_t time = (uint64_t)o->node_delay_ns + (uint64_t)o->rack_delay_ns;
    uint64_t beats = (uint64_t)o->node_misses + o->rack_misses;

    for (uint32_t i = 0; e->delays && i < e->asks.n; i++) {
        const engine_ask *a = ask_at(e, i);
        if (!a->live || a->open == 0) continue;
        if (extra_of(e, a)->places == SKEDI_NONE) continue;
        engine_waiting since = skedi_ask_waiting(e, a);
        if ((uint64_t)e->now - (uint64_t)since.since < time ||
            skedi_ask_beats(e, a) - since.beats < beats) {
            e->preempt->timed = 1;
        }
    }
}

/* Does something ask that may run in any of several partitions? Those without
 * nodes do not count: there may be memory for any number of these. */
static int asks_for_any(const sked_engine *e)
{
    uint32_t parts = 0;

    for (uint32_t p = 0; p < e->parts; p++) parts += e->partition[p].nodes > 0;
    for (uint32_t i = 0; parts > 1 && i < e->asks.n; i++) {
        const engine_ask *a = ask_at(e, i);
        if (a->live && a->open > 0 && a->partition == SKED_ANY_PARTITION) {
            return 1;
        }
    }
    return 0;
}

/* Is it worth looking which queues give what, and where? It is for
 * reservations, even where no queue gives any more; for what ends by itself in
 * time; and for what is free here, so that no step takes victims elsewhere that
 * fits here. */
static int may_come_to_something(const round_part *part)
{
    const sked_engine *e = part->e;

    if (e->first_reservation != SKEDI_NONE || skedi_round_marks(e) > 0 ||
        skedi_round_awaits(e) ||
        e->preempt->opts.flags &
            (SKED_PREEMPT_FLAG_BY_USER | SKED_PREEMPT_FLAG_BY_PRIORITY)) {
        return 1;
    }
    for (uint32_t i = 0; i < e->preempt->policies; i++) {
        uint32_t seen = seen_by(part, i);
        if (!(seen & SKED_TARGET_REASON_CLAIMS)) continue;
        if (seen & ROUND_GIVING || asks_for_any(e)) return 1;
    }
    return 0;
}

static sked_status plan_partition(round_state *s, uint32_t partition,
                                  sked_error *err)
{
    sked_engine *e = s->e;
    round_part *part = skedi_round_reserve(e, 1, sizeof *part);

    if (!part) return no_memory_to_round(err);
    *part = (round_part){.s = s, .e = e, .partition = partition};
    s->part[partition] = part;
    part->work = e->preempt->opts.work ? e->preempt->opts.work
                                       : SKED_PREEMPT_WORK;
    skedi_partition_refresh(e, partition); /* orders are by what there is now */
    skedi_books_forget_paid(part);
    if (!skedi_books_open_part(part)) return no_memory_to_round(err);
    sked_status rc = skedi_round_owners(part, err);
    if (rc == SKED_ERR_NOMEM) return no_memory_to_round(err);
    if (rc != SKED_OK) return rc;
    note_clocks(part);
    if (!may_come_to_something(part)) return SKED_OK;
    if (!skedi_books_open_plans(part) || !skedi_round_users(part) ||
        !skedi_round_spare(part) || !skedi_search_fixed(part) ||
        !skedi_vacant_ready(e) || skedi_round_asks(part) != SKED_OK) {
        return no_memory_to_round(err);
    }
    return SKED_OK;
}

/* Of a partition without nodes, where nothing is guaranteed to any queue. */
static void rest_clocks(const struct engine_preempt *own, uint32_t partition)
{
    for (uint32_t i = 0; i < own->policies; i++) {
        skedi_target_rest(own->target[i], partition);
    }
}

/* Works out what exact gangs take of a node. 0: no memory. */
static int note_units(sked_engine *e)
{
    size_t rows = e->preempt->opts.gangs > 0 ? e->shapes.n : 0;

    e->preempt->units = skedi_round_reserve(e, rows * e->kinds,
                                            sizeof *e->preempt->units);
    if (!e->preempt->units) return 0;
    for (uint32_t i = 0; rows > 0 && i < e->asks.n; i++) {
        const engine_ask *a = ask_at(e, i);
        if (!a->live || extra_of(e, a)->each == 0) continue;
        const int64_t *task = engine_row_of(e, &e->shape_task, a->shape);
        int64_t *unit = e->preempt->units + (size_t)a->shape * e->kinds;
        for (uint32_t k = 0; k < e->kinds; k++) {
            unit[k] = task[k] * extra_of(e, a)->each;
        }
    }
    return 1;
}

static sked_status plan_all(round_state *s, sked_error *err)
{
    sked_engine *e = s->e;
    sked_status rc = SKED_OK;

    s->part = skedi_round_reserve(e, e->parts, sizeof *s->part);
    s->reserved = skedi_round_reserve(e, e->asks.n, 1);
    if (!s->part || !s->reserved || !note_units(e) || !skedi_books_open(s, 1) ||
        !skedi_started_ready(e)) {
        return no_memory_to_round(err);
    }
    for (uint32_t i = e->first_reservation; i != SKEDI_NONE;
         i = reservation_at(e, i)->later) {
        s->reserved[reservation_at(e, i)->ask] = 1;
    }
    e->preempt->placements.n = e->preempt->victims.n = 0;
    for (uint32_t p = 0; p < e->parts && rc == SKED_OK; p++) {
        if (e->partition[p].nodes > 0)
            rc = plan_partition(s, p, err);
        else
            rest_clocks(e->preempt, p);
    }
    note_ends(e);
    note_waits(e);
    if (rc == SKED_OK) skedi_plan_together(s);
    return rc;
}

/* ---- Rounds ---- */

/* What moves when anything happens that a round looks at. */
static void note_state(const sked_engine *e, uint64_t *seen)
{
    seen[0] = e->stats.decisions;
    seen[1] = e->stats.open_tasks;
    seen[2] = e->stats.running_tasks;
    seen[3] = e->epochs;
    seen[4] = e->arrivals;
}

/* Does a gang form? A round gives up what is reserved for it. */
static int forms_any(const sked_engine *e)
{
    uint32_t p = 0;

    while (p < e->forms.cap && !skedi_forming_of(e, p)) p++;
    return p < e->forms.cap;
}

int skedi_round_is_due(const sked_engine *e)
{
    struct engine_preempt *p = e->preempt;
    uint64_t now[ROUND_SEEN];

    if (!p) return 0;
    if (p->timed || skedi_round_is_out(e) || forms_any(e)) return 1;
    note_state(e, now);
    return memcmp(now, p->seen, sizeof now) != 0;
}

/* Notes the clocks of all policies. 0: no memory. */
static int note_pasts(const struct engine_preempt *own, skedi_target_past *past)
{
    uint32_t n = 0;

    while (n < own->policies && skedi_target_note(own->target[n], &past[n])) {
        n++;
    }
    return n == own->policies;
}

static void restore_pasts(const struct engine_preempt *own,
                          skedi_target_past *past)
{
    for (uint32_t i = 0; i < own->policies; i++) {
        skedi_target_restore(own->target[i], &past[i]);
    }
}

sked_status skedi_round_hold(sked_engine *e, sked_error *err)
{
    round_state s = {.e = e};
    skedi_target_past past[SKED_MAX_PREEMPT_POLICIES] = {{0}};
    skedi_arena_mark here;
    uint64_t seen[ROUND_SEEN];

    if (!e->preempt) return SKED_OK;
    note_state(e, seen); /* what this round decides the next one looks at */
    skedi_forming_give_all(e, 1); /* a round looks at what is free */
    here = skedi_arena_here(&e->preempt->arena);
    int timed = e->preempt->timed;
    size_t keeps = e->preempt->keeps.n; /* 0: no round was held yet */
    e->preempt->timed = 0;
    int noted = note_pasts(e->preempt, past);
    sked_status rc = noted ? plan_all(&s, err) : no_memory_to_round(err);
    if (rc == SKED_OK) rc = skedi_round_act(&s, err);
    if (rc == SKED_OK) skedi_started_restart(e);
    if (rc != SKED_OK && noted) restore_pasts(e->preempt, past);
    if (rc != SKED_OK) {
        e->preempt->timed = timed;
        e->preempt->keeps.n = keeps;
    }
    for (uint32_t i = 0; i < e->preempt->policies; i++) {
        skedi_target_forget(e->preempt->target[i], &past[i]);
    }
    skedi_arena_rewind(&e->preempt->arena, here);
    skedi_forming_give_all(e, 0);
    if (rc == SKED_OK) skedi_forming_drop_all(e);
    if (rc == SKED_OK) memcpy(e->preempt->seen, seen, sizeof seen);
    return rc;
}

void skedi_round_forget(sked_engine *e)
{
    if (!e->preempt) return;
    e->preempt->keeps.n = 0;
    e->preempt->started.n = 0;
}
