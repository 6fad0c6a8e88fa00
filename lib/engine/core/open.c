/*
 * Every task of an ask is in exactly one place: open (its number in a range of
 * the ask), in a group, or ended. Starting takes numbers from the first range,
 * what comes again goes in front, what is new behind. An ask of which nothing
 * is open and nothing runs is forgotten, unless it is to be kept.
 */
#include "engine/core/open.h"
#include "engine/core/gates.h"

#include <string.h>

#include "engine/core/bans.h"
#include "engine/core/reservations.h"
#include "engine/order/books.h"
#include "engine/order/entries.h"
#include "engine/order/shapes.h"
#include "engine/order/soft.h"
#include "engine/order/tags.h"
#include "engine/order/wants.h"
#include "engine/pool.h"
#include "engine/watch.h"

static engine_range *range_at(const sked_engine *e, uint32_t range)
{
    return (engine_range *)e->ranges.item + range;
}

int skedi_ask_reshapes(const sked_engine *e, uint32_t ask, int64_t count)
{
    const engine_ask *a = ask_at(e, ask);
    const int64_t *task = engine_row_of(e, &e->shape_task, a->shape);
    const int64_t *step = engine_row_of(e, &e->shape_step, a->shape);
    int other = 0;

    if (shape_at(e, a->shape)->fit != SKEDI_NONE) {
        return shape_at(e, a->shape)->times != skedi_gang_step(a, count);
    }
    for (uint32_t k = 0; k < e->kinds; k++) other |= step[k] != task[k] * count;
    return other && a->flags & SKED_ASK_GANG;
}

int skedi_ask_reserve(sked_engine *e, uint32_t ask)
{
    int gang = (ask_at(e, ask)->flags & SKED_ASK_GANG) != 0;

    return skedi_pool_reserve(&e->ranges, &e->hooks.mem, 1) &&
           (!gang || (skedi_shape_reserve(e, 1) &&
                      skedi_wants_reserve(e, 2 * (uint64_t)e->parts))) &&
           skedi_entries_reserve(e, ask);
}

/* Its wait for a place begins. */
static void start_waiting(const sked_engine *e, engine_ask *ask)
{
    ask->since = e->now;
    ask->since_beats = skedi_ask_beats(e, ask);
}

/* Puts numbers in front of an ask's open ones. */
static void push_range(sked_engine *e, engine_ask *ask, int64_t from,
                       int64_t count)
{
    uint32_t first = ask->ranges;

    if (first != SKEDI_NONE && range_at(e, first)->from == from + count) {
        range_at(e, first)->from = from;
        range_at(e, first)->count += count;
        return;
    }
    uint32_t range = skedi_pool_take(&e->ranges);
    *range_at(e, range) = (engine_range){from, count, first, 0};
    ask->ranges = range;
}

/* What is open changed by so many tasks: books of the job, entries, what is
 * wanted in every partition but one (SKEDI_NONE: in all). */
static void count_open_tasks(sked_engine *e, uint32_t ask, int64_t by,
                             uint32_t but)
{
    engine_ask *a = ask_at(e, ask);
    const int64_t *task = engine_row_of(e, &e->shape_task, a->shape);
    int64_t *open = engine_row_of(e, &e->job_open, a->job);
    int had = a->open > 0;

    skedi_watch_ask(e, ask, by);
    skedi_wants_open(e, ask, by, but);
    a->open += by;
    e->stats.open_tasks += (uint64_t)by;
    for (uint32_t k = 0; k < e->kinds; k++) open[k] += task[k] * by;
    if (had && a->open == 0) {
        skedi_entries_remove(e, ask);
        e->stats.asks--;
    } else if (!had && a->open > 0) {
        e->stats.asks++;
        start_waiting(e, a);
        if (skedi_ask_stands(e, a)) skedi_entries_add(e, ask);
    }
    if (a->reserved) skedi_reservation_trim(e, ask);
    skedi_entries_reshare(e, a->job);
    skedi_gate_moved(e, a->job, task, by);
}

/* Puts new numbers behind an ask's open ones. */
static void append_range(sked_engine *e, engine_ask *ask, int64_t count)
{
    engine_job *job = job_at(e, ask->job);
    uint32_t *at = &ask->ranges, range = skedi_pool_take(&e->ranges);

    while (*at != SKEDI_NONE) at = &range_at(e, *at)->next;
    *range_at(e, range) = (engine_range){job->tasks, count, SKEDI_NONE, 0};
    *at = range;
    job->tasks += count;
}

/* Leaves the first `count` of an ask's open numbers. */
static void keep_numbers(sked_engine *e, engine_ask *ask, int64_t count)
{
    uint32_t *at = &ask->ranges;

    for (; count > 0; at = &range_at(e, *at)->next) {
        engine_range *range = range_at(e, *at);
        range->count = skedi_i64_min(range->count, count);
        count -= range->count;
    }
    while (*at != SKEDI_NONE) {
        uint32_t range = *at;
        *at = range_at(e, range)->next;
        skedi_pool_give(&e->ranges, range);
    }
}

void skedi_ask_open(sked_engine *e, uint32_t ask, int64_t by)
{
    engine_ask *a = ask_at(e, ask);

    if (by > 0)
        append_range(e, a, by);
    else
        keep_numbers(e, a, a->open + by);
    count_open_tasks(e, ask, by, SKEDI_NONE);
}

int64_t skedi_ask_first(const sked_engine *e, uint32_t ask)
{
    return range_at(e, ask_at(e, ask)->ranges)->from;
}

int64_t skedi_ask_run(const sked_engine *e, uint32_t ask)
{
    return range_at(e, ask_at(e, ask)->ranges)->count;
}

uint64_t skedi_ask_ranges(const sked_engine *e, uint32_t ask)
{
    uint64_t n = 0;

    for (uint32_t r = ask_at(e, ask)->ranges; r != SKEDI_NONE;
         r = range_at(e, r)->next) {
        n++;
    }
    return n;
}

void skedi_ask_take(sked_engine *e, uint32_t ask, int64_t count,
                    uint32_t partition)
{
    engine_ask *a = ask_at(e, ask);
    uint32_t first = a->ranges;
    engine_range *range = range_at(e, first);

    range->from += count;
    range->count -= count;
    if (range->count == 0) {
        a->ranges = range->next;
        skedi_pool_give(&e->ranges, first);
    }
    start_waiting(e, a);
    count_open_tasks(e, ask, -count, partition);
}

int skedi_ask_claims(const sked_engine *e, uint32_t ask, int64_t task,
                     int64_t count, engine_claim *claim)
{
    const engine_ask *a = ask_at(e, ask);
    int64_t next = job_at(e, a->job)->tasks;

    for (uint32_t r = a->ranges; r != SKEDI_NONE; r = range_at(e, r)->next) {
        const engine_range *range = range_at(e, r);
        int64_t from = task == SKED_UNSET ? range->from : task;
        if (from < range->from || from - range->from > range->count - count) {
            continue;
        }
        *claim = (engine_claim){from, count, r};
        return 1;
    }
    *claim = (engine_claim){task, 0, SKEDI_NONE};
    if (task == SKED_UNSET) {
        *claim = (engine_claim){next, skedi_i64_min(a->open, count),
                                SKEDI_NONE};
    }
    return claim->task >= next;
}

/* Takes numbers out of a range, which may become two. */
static void cut_range(sked_engine *e, engine_ask *ask, uint32_t range,
                      int64_t from, int64_t count)
{
    engine_range *r = range_at(e, range);
    int64_t end = r->from + r->count;
    uint32_t *at = &ask->ranges;

    r->count = from - r->from;
    if (from + count < end) {
        uint32_t rest = skedi_pool_take(&e->ranges);
        *range_at(e, rest) = (engine_range){from + count, end - from - count,
                                            range_at(e, range)->next, 0};
        range_at(e, range)->next = rest;
    }
    if (range_at(e, range)->count > 0) return;
    while (*at != range) at = &range_at(e, *at)->next;
    *at = range_at(e, range)->next;
    skedi_pool_give(&e->ranges, range);
}

void skedi_ask_claim(sked_engine *e, uint32_t ask, const engine_claim *claim,
                     int64_t count, uint32_t but)
{
    engine_ask *a = ask_at(e, ask);

    if (claim->range == SKEDI_NONE) {
        job_at(e, a->job)->tasks = claim->task + count;
        keep_numbers(e, a, a->open - claim->taken);
    } else {
        cut_range(e, a, claim->range, claim->task, count);
    }
    if (claim->taken > 0) count_open_tasks(e, ask, -claim->taken, but);
}

/* What of a gang runs is wanted as tasks of another shape now. */
static void reshape_wants(sked_engine *e, uint32_t ask, uint32_t before)
{
    const engine_ask *a = ask_at(e, ask);
    uint32_t row = job_at(e, a->job)->row;

    for (uint32_t i = a->first_group; i != SKEDI_NONE;
         i = group_at(e, i)->ask_next) {
        const engine_group *g = group_at(e, i);
        if (g->shape != SKEDI_NONE) continue;
        uint32_t cell = (uint32_t)cell_of(e, row,
                                          node_at(e, g->node)->partition);
        skedi_want_move(e, cell, before, -(int64_t)g->count);
        skedi_want_move(e, cell, a->shape, g->count);
    }
}

/* A gang that starts anew starts all that it lacks at once: that is its step
 * when so many of its tasks are open. */
static void reshape_gang(sked_engine *e, uint32_t ask, int64_t open)
{
    engine_ask *a = ask_at(e, ask);
    int64_t count = skedi_gang_step(a, open);
    int64_t task[SKED_MAX_KINDS];
    uint32_t before = a->shape;
    int listed = a->first_entry != SKEDI_NONE;

    if (a->flags & SKED_ASK_SPREAD && a->groups > 0) skedi_watch_groups(e);
    e->keeping = 1;
    if (listed) skedi_entries_remove(e, ask);
    memcpy(task, engine_row_of(e, &e->shape_task, before),
           e->kinds * sizeof *task);
    a->shape = skedi_shape_take(e, task, count, shape_at(e, before)->set,
                                skedi_shape_gang(e, before));
    reshape_wants(e, ask, before);
    skedi_shape_give(e, before);
    if (listed) skedi_entries_add(e, ask);
    e->keeping = 0;
}

void skedi_ask_reform(sked_engine *e, uint32_t ask)
{
    const engine_ask *a = ask_at(e, ask);

    if (!(a->flags & SKED_ASK_SPREAD) || a->open == 0) return;
    if (skedi_ask_reshapes(e, ask, a->open)) reshape_gang(e, ask, a->open);
}

void skedi_ask_give(sked_engine *e, uint32_t ask, int64_t from, int64_t count)
{
    engine_ask *a = ask_at(e, ask);

    if (skedi_ask_reshapes(e, ask, a->open + count)) {
        reshape_gang(e, ask, a->open + count);
    }
    int grew = skedi_gang_grows(a);
    push_range(e, a, from, count);
    count_open_tasks(e, ask, count, SKEDI_NONE);
    /* What grew on the node of a pass may form on any. */
    if (grew && !skedi_gang_grows(a)) skedi_partition_stir_all(e);
}

static void free_ask(sked_engine *e, uint32_t ask)
{
    engine_ask *a = ask_at(e, ask);

    if (a->prev == SKEDI_NONE)
        job_at(e, a->job)->first_ask = a->next;
    else
        ask_at(e, a->prev)->next = a->next;
    if (a->next != SKEDI_NONE) ask_at(e, a->next)->prev = a->prev;
    while (a->places != SKEDI_NONE) {
        uint32_t place = a->places;
        a->places = place_at(e, place)->next;
        skedi_pool_give(&e->places, place);
    }
    if (a->refusals != SKEDI_NONE) skedi_ban_drop(e, a->refusals);
    skedi_tags_forget(e, ask);
    skedi_soft_forget(e, ask);
    skedi_keymap_remove(&e->ask_of, a->key);
    skedi_shape_give(e, a->shape);
    skedi_pool_give(&e->asks, ask);
}

void skedi_ask_settle(sked_engine *e, uint32_t ask)
{
    const engine_ask *a = ask_at(e, ask);
    int over = a->closed || !(a->flags & SKED_ASK_KEEP);

    if (over && a->open == 0 && a->groups == 0) free_ask(e, ask);
}

void skedi_ask_close(sked_engine *e, uint32_t ask)
{
    engine_ask *a = ask_at(e, ask);

    if (a->open > 0) skedi_ask_open(e, ask, -a->open);
    a->closed = 1;
    skedi_ask_settle(e, ask);
}

void skedi_job_settle(sked_engine *e, uint32_t job)
{
    engine_job *j = job_at(e, job);

    if (j->state != JOB_ENDED || j->groups > 0) return;
    if (j->ban != SKEDI_NONE) skedi_ban_drop(e, j->ban);
    skedi_keymap_remove(&e->job_of, j->key);
    skedi_pool_give(&e->jobs, job);
    e->stats.jobs--;
}
