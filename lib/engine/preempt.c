/*
 * Rounds of preemption: turned on and off, one round over all partitions,
 * and the observers that keep derived data current between rounds.
 *
 * A round reads each partition and chooses victims for the steps that ask
 * there. Then the round acts on all partitions at once, because a notice is
 * withdrawn only when no partition needs it. All memory of a round is in one
 * arena.
 *
 * Invariants: a round plans before it changes anything. Buffers stay from
 * round to round, so a round like the last one takes no memory from the host.
 */
#include <string.h>

#include "base/fail.h"
#include "base/sort.h"
#include "base/versioned.h"
#include "engine/alloc.h"
#include "engine/preempt.h"
#include "engine/queue.h"
#include "engine/reservation.h"
#include "engine/watch.h"
#include "engine/work.h"
#include "target/handle.h"

/* ---- One partition ---- */

/* What a policy says of all queues together. */
static uint32_t preempt_seen_by(const round_part *part, uint32_t policy)
{
    uint32_t seen = 0;

    for (uint32_t row = 0; row < part->e->rows.n; row++) {
        seen |= part->policy[policy].reasons[row];
    }
    return seen;
}

/* True if a queue waits for a time-out or for enough rounds. The next round may
 * then decide more, even without a change. */
static void preempt_note_clocks(round_part *part)
{
    struct engine_preempt *own = part->e->preempt;

    for (uint32_t i = 0; i < own->policies; i++) {
        if (skedi_target_ticks(own->target[i]) ||
            preempt_seen_by(part, i) & SKED_TARGET_REASON_EARLY) {
            own->timed = 1;
        }
    }
}

/* True if tasks come near their ends. The next round may then decide more. */
static void preempt_note_ends(const sked_engine *e)
{
    const engine_notice *notice = e->notices.item;

    for (uint32_t i = 0; i < e->notices.n; i++) {
        if (notice[i].group && notice[i].ends != SKED_UNSET) {
            e->preempt->timed = 1;
        }
    }
}

/* True if asks wait for places. After the wait, more nodes may serve them. */
static void preempt_note_waits(const sked_engine *e)
{
    const sked_engine_options *o = &e->opts;
    uint64_t time = (uint64_t)o->node_delay_ns + (uint64_t)o->rack_delay_ns;

    for (uint32_t i = 0; e->delays && i < e->asks.n; i++) {
        const engine_ask *a = ask_at(e, i);
        if (!a->live || a->open == 0) continue;
        if (extra_of(e, a)->places == SKEDI_NONE) continue;
        if ((uint64_t)e->now - (uint64_t)skedi_ask_waits_since(e, a) < time) {
            e->preempt->timed = 1;
        }
    }
}

/* True if an ask may run in several partitions. Partitions without nodes do not
 * count, because their number is not bounded. */
static int preempt_asks_for_any(const sked_engine *e)
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

/* True if a round has to look at the nodes of a partition. Queues that give are
 * one reason. Reservations, tasks that end in time and free amounts are others:
 * a step that fits here takes no victims elsewhere. */
static int preempt_may_come_to_something(const round_part *part)
{
    const sked_engine *e = part->e;

    if (e->first_reservation != SKEDI_NONE || skedi_round_marks(e) > 0 ||
        skedi_round_awaits(e) ||
        e->preempt->opts.flags &
            (SKED_PREEMPT_FLAG_BY_USER | SKED_PREEMPT_FLAG_BY_PRIORITY)) {
        return 1;
    }
    for (uint32_t i = 0; i < e->preempt->policies; i++) {
        uint32_t seen = preempt_seen_by(part, i);
        if (!(seen & SKED_TARGET_REASON_CLAIMS)) continue;
        if (seen & ROUND_GIVING || preempt_asks_for_any(e)) return 1;
    }
    return 0;
}

static sked_status preempt_plan_partition(round_state *s, uint32_t partition,
                                          sked_error *err)
{
    sked_engine *e = s->e;
    round_part *part = skedi_round_reserve(e, 1, sizeof *part);

    if (!part) return skedi_fail_memory(err);
    *part = (round_part){.s = s, .e = e, .partition = partition};
    s->part[partition] = part;
    part->work = e->preempt->opts.work ? e->preempt->opts.work
                                       : SKED_PREEMPT_WORK;
    skedi_partition_refresh(e, partition); /* orders are by what there is now */
    skedi_books_forget_paid(part);
    if (!skedi_books_open_part(part)) return skedi_fail_memory(err);
    sked_status rc = skedi_round_owners(part, err);
    if (rc == SKED_ERR_NOMEM) return skedi_fail_memory(err);
    if (rc != SKED_OK) return rc;
    preempt_note_clocks(part);
    if (!preempt_may_come_to_something(part)) return SKED_OK;
    if (!skedi_books_open_plans(part) || !skedi_round_users(part) ||
        !skedi_round_spare(part) || !skedi_search_fixed(part) ||
        !skedi_vacant_ready(e) || skedi_round_asks(part) != SKED_OK) {
        return skedi_fail_memory(err);
    }
    return SKED_OK;
}

/* Rounds of a partition without nodes: no queue has a guarantee there. */
static void preempt_rest_clocks(const struct engine_preempt *own,
                                uint32_t partition)
{
    for (uint32_t i = 0; i < own->policies; i++) {
        skedi_target_rest(own->target[i], partition);
    }
}

/* Computes the amounts of exact gangs on a node. 0: no memory. */
static int preempt_note_units(sked_engine *e)
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

static sked_status preempt_plan_all(round_state *s, sked_error *err)
{
    sked_engine *e = s->e;
    sked_status rc = SKED_OK;

    s->part = skedi_round_reserve(e, e->parts, sizeof *s->part);
    s->reserved = skedi_round_reserve(e, e->asks.n, sizeof *s->reserved);
    s->again = skedi_round_reserve(e, e->rows.n, 1);
    if (!s->part || !s->reserved || !s->again || !preempt_note_units(e) ||
        !skedi_books_open(s, 1) || !skedi_started_ready(e)) {
        return skedi_fail_memory(err);
    }
    for (uint32_t i = e->first_reservation; i != SKEDI_NONE;
         i = reservation_at(e, i)->later) {
        const engine_reservation *k = reservation_at(e, i);
        s->reserved[k->ask] += k->count;
        s->again[job_at(e, ask_at(e, k->ask)->job)->row] = 1;
    }
    e->preempt->placements.n = e->preempt->victims.n = 0;
    for (uint32_t p = 0; p < e->parts && rc == SKED_OK; p++) {
        if (e->partition[p].nodes > 0)
            rc = preempt_plan_partition(s, p, err);
        else
            preempt_rest_clocks(e->preempt, p);
    }
    preempt_note_ends(e);
    preempt_note_waits(e);
    if (rc == SKED_OK) skedi_plan_together(s);
    return rc;
}

/* ---- Rounds ---- */

/* Notes the counters. Every event that a round depends on changes one. */
static void preempt_note_state(const sked_engine *e, uint64_t *seen)
{
    seen[0] = e->stats.decisions;
    seen[1] = e->stats.open_tasks;
    seen[2] = e->stats.running_tasks;
    seen[3] = e->epochs;
    seen[4] = e->arrivals;
}

/* True if a gang forms. A round ends the reservations of the gang. */
static int preempt_forms_any(const sked_engine *e)
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
    if (p->timed || skedi_round_is_out(e) || preempt_forms_any(e)) return 1;
    preempt_note_state(e, now);
    return memcmp(now, p->seen, sizeof now) != 0;
}

/* Notes the clocks of all policies. 0: no memory. */
static int preempt_note_pasts(const struct engine_preempt *own,
                              skedi_target_past *past)
{
    uint32_t n = 0;

    while (n < own->policies && skedi_target_note(own->target[n], &past[n])) {
        n++;
    }
    return n == own->policies;
}

static void preempt_restore_pasts(const struct engine_preempt *own,
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
    preempt_note_state(
        e, seen); /* what this round decides the next one looks at */
    skedi_forming_give_all(e, 1); /* a round looks at what is free */
    here = skedi_arena_here(&e->preempt->arena);
    int timed = e->preempt->timed;
    e->preempt->timed = 0;
    int noted = preempt_note_pasts(e->preempt, past);
    sked_status rc = noted ? preempt_plan_all(&s, err) : skedi_fail_memory(err);
    if (rc == SKED_OK) rc = skedi_round_act(&s, err);
    if (rc == SKED_OK) skedi_started_restart(e);
    if (rc != SKED_OK && noted) preempt_restore_pasts(e->preempt, past);
    if (rc != SKED_OK) e->preempt->timed = timed;
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
    e->preempt->started.n = 0;
}

/* Observers of events: they update the lists of groups, the sums of open and free
 * amounts, and the marks. */

static void preempt_node_moved(sked_engine *e, uint32_t node)
{
    skedi_vacant_note(&e->preempt->vacant, node);
}

static void preempt_groups_changed(sked_engine *e)
{
    e->preempt->classes.stale = 1;
}

static void preempt_least_changed(sked_engine *e)
{
    e->preempt->timed = 1;
}

static void preempt_queues_changed(sked_engine *e)
{
    e->preempt->classes.stale = 1;
    e->preempt->wanted.ready = 0;
}

static const engine_watch preempt_observers = {
    .node_moved = preempt_node_moved,
    .group_began = skedi_victim_class_join,
    .group_ended = skedi_victim_class_leave,
    .group_moved = skedi_victim_class_move,
    .tasks_began = skedi_started_note,
    .tasks_ended = skedi_round_unmark,
    .groups_changed = preempt_groups_changed,
    .ask_moved = skedi_wanted_move,
    .least_changed = preempt_least_changed,
    .queues_changed = preempt_queues_changed,
};

/* Gives an engine its state of preemption and registers the watchers; NULL
 * removes both. */
static void preempt_watch(sked_engine *e, struct engine_preempt *preempt)
{
    e->preempt = preempt;
    e->watch = preempt ? &preempt->watch : NULL;
    if (!preempt) return;
    preempt->watch = preempt_observers;
}

/*
 * Turns preemption on and off. What lib/preempt makes, once or in each round,
 * lives in buffers that are reused from round to round: a round like the last
 * one needs no memory from the host.
 */

SKEDI_NO_TAIL_PADDING(sked_engine_preempt_options, n_more_targets);

enum {
    ENGINE_PREEMPTION_V1 = SKEDI_SIZE_THROUGH(sked_engine_preempt_options,
                                              rounds),
    ROUND_KEEP_SECONDS = 10,
    ROUND_GRACE_SECONDS = 15,
    ROUND_FLAGS = SKED_PREEMPT_FLAG_BY_USER | SKED_PREEMPT_FLAG_BY_PRIORITY
};

static sked_status
preempt_take_preemption(struct engine_preempt *to,
                        const sked_engine_preempt_options *opts,
                        sked_error *err)
{
    sked_status rc = skedi_struct_in(&to->opts, sizeof to->opts, opts,
                                     ENGINE_PREEMPTION_V1);

    if (rc != SKED_OK) return skedi_fail_version(err, "options");
    if (to->opts.flags & SKED_PREEMPT_FLAG_OVERSHOOT) {
        return skedi_fail_plain(err, SKED_ERR_ARG,
                                "overshooting would preempt in turns");
    }
    if (to->opts.flags & SKED_PREEMPT_FLAG_PLAIN) {
        return skedi_fail_plain(err, SKED_ERR_ARG,
                                "an engine takes the cheapest victims");
    }
    if (to->opts.flags & ~(uint32_t)ROUND_FLAGS) {
        return skedi_fail_flags(err, "options");
    }
    if (to->opts.keep_for_ns < 0 ||
        to->opts.keep_for_ns > SKED_AMOUNT_MAX / 4) {
        return skedi_fail(err, SKED_ERR_RANGE,
                          "options.keep_for_ns is out of range",
                          (skedi_fault){.got = to->opts.keep_for_ns,
                                        .limit = SKED_AMOUNT_MAX / 4});
    }
    if (to->opts.reserved) return skedi_fail_reserved(err, "options");
    if (to->opts.n_more_targets > 0 && !to->opts.more_targets) {
        return skedi_fail_null(err, "more_targets");
    }
    if (to->opts.n_more_targets >= SKED_MAX_PREEMPT_POLICIES) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "too many policies",
            (skedi_fault){.got = (int64_t)to->opts.n_more_targets,
                          .limit = SKED_MAX_PREEMPT_POLICIES - 1});
    }
    return SKED_OK;
}

static int64_t preempt_seconds(int64_t n)
{
    return n * INT64_C(1000000000);
}

/* ---- The host of its parts ---- */

/* Targets and rounds may be long lists, and ask for nothing but memory and
 * whether to go on. */
static void *preempt_resize(void *user, void *ptr, size_t old_size, size_t size)
{
    struct engine_preempt *p = user;

    return skedi_recycle_resize(&p->recycle, &p->engine->hooks.mem, ptr,
                                old_size, size);
}

static sked_status preempt_progress(void *user, uint64_t done, uint64_t total)
{
    const struct engine_preempt *p = user;
    const sked_host *host = &p->engine->hooks.host;

    return host->progress(host->user, done, total);
}

static void preempt_make_host(struct engine_preempt *p, sked_engine *e)
{
    const sked_host *own = &e->hooks.host;

    p->engine = e;
    p->host = (sked_host){
        .struct_size = sizeof p->host,
        .user = p,
        .resize = preempt_resize,
        .progress = own->progress ? preempt_progress : NULL,
        .cancel = own->cancel,
    };
}

/* ---- On and off ---- */

/* Adds a policy behind those that there are. */
static sked_status preempt_add_policy(struct engine_preempt *to,
                                      const sked_target_options *targets,
                                      sked_error *err)
{
    sked_status rc = sked_target_new(targets, &to->host,
                                     &to->target[to->policies], err);

    if (rc == SKED_OK) to->policies++;
    return rc;
}

/* All of them; a fault names the row of `more_targets`. */
static sked_status preempt_make_policies(struct engine_preempt *to,
                                         sked_error *err)
{
    sked_status rc = preempt_add_policy(to, to->opts.targets, err);

    for (uint64_t i = 0; i < to->opts.n_more_targets && rc == SKED_OK; i++) {
        rc = preempt_add_policy(to, to->opts.more_targets[i], err);
        if (rc != SKED_OK && err) err->row = (int64_t)i;
    }
    return rc;
}

static sked_status preempt_make_parts(struct engine_preempt *to,
                                      sked_error *err)
{
    sked_status rc = preempt_make_policies(to, err);
    sked_round_options rounds = {.struct_size = sizeof rounds};
    if (to->opts.rounds) rounds = *to->opts.rounds;
    if (rc == SKED_OK && rounds.flags & SKED_ROUND_FLAG_LAZY) {
        return skedi_fail_plain(err, SKED_ERR_ARG,
                                "an engine holds no lazy rounds");
    }
    if (rounds.grace_ns == 0)
        rounds.grace_ns = preempt_seconds(ROUND_GRACE_SECONDS);
    if (rc == SKED_OK) rc = sked_round_new(&rounds, &to->host, &to->round, err);
    if (rc != SKED_OK) return rc;
    to->watches = (rounds.flags & SKED_ROUND_FLAG_OBSERVE) != 0;
    to->untold = rounds.grace_ns < 0 && !to->watches;
    to->keep_for = to->opts.keep_for_ns ? to->opts.keep_for_ns
                                        : preempt_seconds(ROUND_KEEP_SECONDS);
    to->grace = skedi_i64_max(rounds.grace_ns, 0);
    to->keep_for += to->grace;
    to->opts.targets = NULL;
    to->opts.rounds = NULL;
    to->opts.more_targets = NULL;
    return SKED_OK;
}

static void preempt_free_preempt(struct engine_preempt *p)
{
    sked_engine *e = p->engine;
    skedi_mem *mem = &e->hooks.mem;

    for (uint32_t i = 0; i < p->policies; i++) sked_target_free(p->target[i]);
    sked_round_free(p->round);
    skedi_recycle_free(&p->recycle, mem);
    skedi_arena_free(&p->arena, mem);
    skedi_free(mem, p->placements.item, p->placements.cap,
               sizeof(round_placement));
    skedi_free(mem, p->victims.item, p->victims.cap, sizeof(round_victim));
    skedi_free(mem, p->picks.item, p->picks.cap, sizeof(plan_pick));
    skedi_free(mem, p->keyed.item, p->keyed.cap, sizeof(skedi_keyed));
    skedi_free(mem, p->sorted.item, p->sorted.cap, sizeof(plan_pick));
    skedi_free(mem, p->best.item, p->best.cap, sizeof(plan_pick));
    skedi_free(mem, p->started.item, p->started.cap, sizeof(int64_t));
    skedi_heap_free(&p->heap, mem);
    skedi_heap_free(&p->nodes, mem);
    skedi_victim_classes_free(&p->classes, mem);
    skedi_vacant_free(&p->vacant, mem, e->kinds);
    skedi_wanted_free(&p->wanted, mem, e->kinds);
    skedi_free(mem, p, 1, sizeof *p);
}

void skedi_preempt_free(sked_engine *e)
{
    if (e->preempt) preempt_free_preempt(e->preempt);
    preempt_watch(e, NULL);
}

sked_status skedi_preempt_set(sked_engine *engine,
                              const sked_engine_preempt_options *opts,
                              sked_error *err)
{
    if (skedi_round_is_out(engine)) {
        return skedi_fail_plain(err, SKED_ERR_STATE, "notices are out");
    }
    if (!opts) {
        skedi_preempt_free(engine);
        return SKED_OK;
    }
    struct engine_preempt *p = skedi_new(&engine->hooks.mem, 1, sizeof *p);
    if (!p) return skedi_fail_memory(err);
    preempt_make_host(p, engine);
    skedi_victim_classes_start(&p->classes);
    sked_status rc = preempt_take_preemption(p, opts, err);
    if (rc == SKED_OK) rc = preempt_make_parts(p, err);
    if (rc != SKED_OK) {
        preempt_free_preempt(p);
        return rc;
    }
    struct engine_preempt *before = engine->preempt;
    preempt_watch(engine, p);
    if (!engine->shared &&
        !skedi_grid_build(engine, engine->tree, NULL, engine->parts)) {
        preempt_watch(engine, before);
        preempt_free_preempt(p);
        return skedi_fail_memory(err);
    }
    if (before) preempt_free_preempt(before);
    return SKED_OK;
}
