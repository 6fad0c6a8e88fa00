/*
 * Every task of an ask is in exactly one place: open (its number in a range of
 * the ask), in a group, or ended. Starting takes numbers from the first range,
 * what comes again goes in front, what is new behind; of what is wanted no more
 * the highest numbers go. An ask of which nothing is open and nothing runs is
 * forgotten, unless it is to be kept.
 */
#include <string.h>

#include "base/assert.h"
#include "engine/admission.h"
#include "engine/budget.h"
#include "engine/domains.h"
#include "engine/exclusion.h"
#include "engine/wants.h"
#include "engine/pending.h"
#include "engine/queue.h"
#include "engine/reservation.h"
#include "engine/soft_rules.h"
#include "engine/ask.h"
#include "engine/store.h"
#include "engine/watch.h"
#include "engine/work.h"

static engine_range *work_range_at(const sked_engine *e, uint32_t range)
{
    return (engine_range *)e->ranges.item + range;
}

/* Would a gang have another step with so many open tasks in all? No of an ask
 * that is no gang. */
static int work_ask_reshapes(const sked_engine *e, uint32_t ask, int64_t count)
{
    const engine_ask *a = ask_at(e, ask);
    const int64_t *task = engine_row_of(e, &e->shape_task, a->shape);
    const int64_t *step = engine_row_of(e, &e->shape_step, a->shape);
    int other = 0;

    if (shape_at(e, a->shape)->fit != SKEDI_NONE) {
        return shape_at(e, a->shape)->times != skedi_gang_step(e, a, count);
    }
    for (uint32_t k = 0; k < e->kinds; k++) other |= step[k] != task[k] * count;
    return other && a->flags & SKED_ASK_GANG;
}

int skedi_ask_reserve(sked_engine *e, uint32_t ask)
{
    int gang = (ask_at(e, ask)->flags & SKED_ASK_GANG) != 0;

    return skedi_ranges_reserve(e, 1) &&
           (!gang || (skedi_shape_reserve(e, 1) &&
                      skedi_wants_reserve(e, 2 * (uint64_t)e->parts))) &&
           skedi_entries_reserve(e, ask);
}

/* Its wait for a place begins. */
static void work_start_waiting(const sked_engine *e, engine_ask *ask)
{
    if (!e->delays) return;
    e->waiting[ask - ask_at(e, 0)] = e->now;
}

/* ---- Open numbers ---- */

/* Puts a range into an ask's list at the link `at`, in front of what that
 * names. */
static void work_link_range(sked_engine *e, uint32_t ask, uint32_t *at,
                            int64_t from, int64_t count)
{
    uint32_t range = skedi_pool_take(&e->ranges);
    engine_extra *extra = skedi_extra_take(e, ask);

    *work_range_at(e, range) = (engine_range){from, count, *at, 0};
    if (*at == SKEDI_NONE) extra->last = range;
    *at = range;
    extra->behind += count;
}

static void work_drop_range(sked_engine *e, engine_extra *extra, uint32_t *at)
{
    uint32_t range = *at;

    extra->behind -= work_range_at(e, range)->count;
    *at = work_range_at(e, range)->next;
    skedi_pool_give(&e->ranges, range);
}

/* Puts numbers in front of an ask's open ones. */
static void work_push_numbers(sked_engine *e, uint32_t ask, int64_t from,
                              int64_t count)
{
    engine_ask *a = ask_at(e, ask);

    if (a->open > 0 && a->first != from + count) {
        work_link_range(e, ask, &skedi_extra_take(e, ask)->ranges, a->first,
                        skedi_ask_run(e, ask));
    }
    a->first = from;
}

/* Finds the last range anew. */
static void work_find_last(const sked_engine *e, engine_extra *extra)
{
    for (uint32_t r = extra->ranges; r != SKEDI_NONE;
         r = work_range_at(e, r)->next)
        extra->last = r;
}

/* Puts new numbers behind an ask's open ones: where they follow the last of
 * these, they are of the same run. */
static void work_append_numbers(sked_engine *e, uint32_t ask, int64_t count)
{
    engine_ask *a = ask_at(e, ask);
    engine_job *job = job_at(e, a->job);
    int64_t from = job->tasks;

    job->tasks += count;
    if (a->open == 0) a->first = from;
    if (extra_of(e, a)->behind == 0 && a->first + a->open == from) return;
    engine_extra *extra = skedi_extra_take(e, ask);
    if (extra->behind == 0) {
        work_link_range(e, ask, &extra->ranges, from, count);
        return;
    }
    engine_range *last = work_range_at(e, extra->last);
    if (last->from + last->count == from) {
        last->count += count;
        extra->behind += count;
    } else {
        work_link_range(e, ask, &last->next, from, count);
    }
}

/* How many of `count` numbers from `from` on are below a bound. */
static int64_t work_run_below(int64_t from, int64_t count, int64_t bound)
{
    return skedi_i64_max(skedi_i64_min(bound - from, count), 0);
}

static int64_t work_numbers_below(const sked_engine *e, uint32_t ask,
                                  int64_t bound)
{
    const engine_ask *a = ask_at(e, ask);
    int64_t n = work_run_below(a->first, skedi_ask_run(e, ask), bound);

    for (uint32_t r = extra_of(e, a)->ranges; r != SKEDI_NONE;
         r = work_range_at(e, r)->next) {
        n += work_run_below(work_range_at(e, r)->from,
                            work_range_at(e, r)->count, bound);
    }
    return n;
}

/* The bound below which an ask has so many of its open numbers. */
static int64_t work_bound_of_numbers(const sked_engine *e, uint32_t ask,
                                     int64_t count)
{
    int64_t from = 0, to = job_at(e, ask_at(e, ask)->job)->tasks;

    while (from < to) {
        int64_t bound = from + (to - from) / 2;
        if (work_numbers_below(e, ask, bound) < count)
            from = bound + 1;
        else
            to = bound;
    }
    return from;
}

/* Leaves the `count` lowest of an ask's open numbers, in the order that they
 * have. O(ranges log numbers). */
static void work_keep_numbers(sked_engine *e, uint32_t ask, int64_t count)
{
    engine_ask *a = ask_at(e, ask);

    if (extra_of(e, a)->ranges == SKEDI_NONE) return;
    int64_t bound = work_bound_of_numbers(e, ask, count);
    int64_t run = work_run_below(a->first, skedi_ask_run(e, ask), bound);
    engine_extra *extra = skedi_extra_take(e, ask);
    uint32_t *at = &extra->ranges;
    while (*at != SKEDI_NONE) {
        engine_range *range = work_range_at(e, *at);
        int64_t stay = work_run_below(range->from, range->count, bound);
        if (stay == 0) {
            work_drop_range(e, extra, at);
            continue;
        }
        extra->behind -= range->count - stay;
        range->count = stay;
        at = &range->next;
    }
    work_find_last(e, extra);
    if (run > 0 || extra->ranges == SKEDI_NONE) return;
    a->first = work_range_at(e, extra->ranges)->from;
    work_drop_range(e, extra, &extra->ranges);
}

/* Takes the first numbers, up to all that follow each other. */
static void work_take_numbers(sked_engine *e, uint32_t ask, int64_t count)
{
    SKEDI_ASSERT(count <= ask_at(e, ask)->open);
    engine_ask *a = ask_at(e, ask);

    if (count < skedi_ask_run(e, ask) || extra_of(e, a)->ranges == SKEDI_NONE) {
        a->first += count;
        return;
    }
    engine_extra *extra = skedi_extra_take(e, ask);
    a->first = work_range_at(e, extra->ranges)->from;
    work_drop_range(e, extra, &extra->ranges);
}

/* What is open changed by so many tasks: books of the job, entries, what is
 * wanted in every partition but one (SKEDI_NONE: in all). */
static void work_count_open_tasks(sked_engine *e, uint32_t ask, int64_t by,
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
        work_start_waiting(e, a);
        if (skedi_ask_stands(e, a)) skedi_entries_add(e, ask);
    }
    if (a->reserved) skedi_reservation_trim(e, ask);
    skedi_entries_reshare(e, a->job);
    skedi_gate_moved(e, a->job, task, by);
}

void skedi_ask_open(sked_engine *e, uint32_t ask, int64_t by)
{
    engine_ask *a = ask_at(e, ask);

    if (by > 0)
        work_append_numbers(e, ask, by);
    else
        work_keep_numbers(e, ask, a->open + by);
    work_count_open_tasks(e, ask, by, SKEDI_NONE);
}

int64_t skedi_ask_run(const sked_engine *e, uint32_t ask)
{
    const engine_ask *a = ask_at(e, ask);

    return a->open - extra_of(e, a)->behind;
}

int64_t skedi_range_pass(const sked_engine *e, uint32_t *range)
{
    const engine_range *at = work_range_at(e, *range);

    *range = at->next;
    return at->count;
}

uint64_t skedi_ask_ranges(const sked_engine *e, uint32_t ask)
{
    const engine_ask *a = ask_at(e, ask);
    uint64_t n = a->open > 0;

    for (uint32_t r = extra_of(e, a)->ranges; r != SKEDI_NONE;
         r = work_range_at(e, r)->next) {
        n++;
    }
    return n;
}

void skedi_ask_take(sked_engine *e, uint32_t ask, int64_t count,
                    uint32_t partition)
{
    SKEDI_ASSERT(count > 0 && ask_at(e, ask)->open >= count);
    work_take_numbers(e, ask, count);
    work_start_waiting(e, ask_at(e, ask));
    work_count_open_tasks(e, ask, -count, partition);
}

/* Can `count` numbers, from `task` on where that is said, be taken from a run
 * of open ones? From `*from` on. */
static int work_run_claims(int64_t first, int64_t run, int64_t task,
                           int64_t count, int64_t *from)
{
    *from = task == SKED_UNSET ? first : task;
    return *from >= first && *from - first <= run - count;
}

int skedi_ask_claims(const sked_engine *e, uint32_t ask, int64_t task,
                     int64_t count, engine_claim *claim)
{
    const engine_ask *a = ask_at(e, ask);
    int64_t next = job_at(e, a->job)->tasks;

    *claim = (engine_claim){task, count, CLAIM_FIRST};
    if (a->open > 0 && work_run_claims(a->first, skedi_ask_run(e, ask), task,
                                       count, &claim->task)) {
        return 1;
    }
    for (uint32_t r = extra_of(e, a)->ranges; r != SKEDI_NONE;
         r = work_range_at(e, r)->next) {
        claim->at = r;
        if (work_run_claims(work_range_at(e, r)->from,
                            work_range_at(e, r)->count, task, count,
                            &claim->task)) {
            return 1;
        }
    }
    *claim = (engine_claim){task == SKED_UNSET ? next : task,
                            skedi_i64_min(a->open, count), CLAIM_NEW};
    return claim->task >= next;
}

/* Takes numbers out of the first ones, which may become two runs. */
static void work_cut_first(sked_engine *e, uint32_t ask, int64_t from,
                           int64_t count)
{
    const engine_ask *a = ask_at(e, ask);
    int64_t behind = a->first + skedi_ask_run(e, ask) - from - count;

    if (from == a->first) {
        work_take_numbers(e, ask, count);
    } else if (behind > 0) {
        work_link_range(e, ask, &skedi_extra_take(e, ask)->ranges, from + count,
                        behind);
    }
}

/* Takes numbers out of a range, which may become two. */
static void work_cut_range(sked_engine *e, uint32_t ask, uint32_t range,
                           int64_t from, int64_t count)
{
    engine_extra *extra = skedi_extra_take(e, ask);
    int64_t end = work_range_at(e, range)->from +
                  work_range_at(e, range)->count;
    uint32_t *at = &extra->ranges;

    while (*at != range) at = &work_range_at(e, *at)->next;
    if (from + count < end) {
        work_link_range(e, ask, &work_range_at(e, range)->next, from + count,
                        end - from - count);
    }
    extra->behind -= end - from;
    work_range_at(e, range)->count = from - work_range_at(e, range)->from;
    if (work_range_at(e, range)->count == 0) work_drop_range(e, extra, at);
    work_find_last(e, extra);
}

void skedi_ask_claim(sked_engine *e, uint32_t ask, const engine_claim *claim,
                     int64_t count, uint32_t but)
{
    engine_ask *a = ask_at(e, ask);

    if (claim->at == CLAIM_NEW) {
        job_at(e, a->job)->tasks = claim->task + count;
        work_keep_numbers(e, ask, a->open - claim->taken);
    } else if (claim->at == CLAIM_FIRST) {
        work_cut_first(e, ask, claim->task, count);
    } else {
        work_cut_range(e, ask, claim->at, claim->task, count);
    }
    if (claim->taken > 0) work_count_open_tasks(e, ask, -claim->taken, but);
}

/* Tasks of a gang that run are wanted by its new shape instead of the one
 * before. */
static void work_reshape_wants(sked_engine *e, uint32_t ask, uint32_t before)
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

/* Gives a gang the step that it has when so many of its tasks are open: all
 * that it lacks starts at once. */
static void work_reshape_gang(sked_engine *e, uint32_t ask, int64_t open)
{
    engine_ask *a = ask_at(e, ask);
    int64_t count = skedi_gang_step(e, a, open);
    int64_t task[SKED_MAX_KINDS];
    uint32_t before = a->shape;
    int listed = a->first_entry != SKEDI_NONE;

    if (a->flags & SKED_ASK_SPREAD && a->first_group != SKEDI_NONE)
        skedi_watch_groups(e);
    e->keeping = 1;
    if (listed) skedi_entries_remove(e, ask);
    memcpy(task, engine_row_of(e, &e->shape_task, before),
           e->kinds * sizeof *task);
    a->shape = skedi_shape_take(e, task, count, shape_at(e, before)->set,
                                skedi_shape_gang(e, before));
    work_reshape_wants(e, ask, before);
    skedi_shape_give(e, before);
    if (listed) skedi_entries_add(e, ask);
    e->keeping = 0;
}

void skedi_ask_reform(sked_engine *e, uint32_t ask)
{
    const engine_ask *a = ask_at(e, ask);

    if (!(a->flags & SKED_ASK_SPREAD) || a->open == 0) return;
    if (work_ask_reshapes(e, ask, a->open)) work_reshape_gang(e, ask, a->open);
}

void skedi_ask_give(sked_engine *e, uint32_t ask, int64_t from, int64_t count)
{
    SKEDI_ASSERT(count > 0);
    engine_ask *a = ask_at(e, ask);

    if (work_ask_reshapes(e, ask, a->open + count)) {
        work_reshape_gang(e, ask, a->open + count);
    }
    int grew = skedi_gang_grows(e, a);
    work_push_numbers(e, ask, from, count);
    work_count_open_tasks(e, ask, count, SKEDI_NONE);
    /* What grew task by task has to start as a whole now, from any node. */
    if (grew && !skedi_gang_grows(e, a)) skedi_partition_stir_all(e);
}

static void work_free_extra(sked_engine *e, uint32_t ask)
{
    if (ask_at(e, ask)->extra == SKEDI_NONE) return;
    engine_extra *extra = skedi_extra_take(e, ask);

    while (extra->places != SKEDI_NONE) {
        uint32_t place = extra->places;
        extra->places = place_at(e, place)->next;
        skedi_pool_give(&e->places, place);
    }
    if (extra->refusals != SKEDI_NONE) skedi_ban_drop(e, extra->refusals);
    if (extra->shape != SKEDI_NONE) skedi_shape_give(e, extra->shape);
    skedi_pool_give(&e->extras, ask_at(e, ask)->extra);
}

static void work_free_ask(sked_engine *e, uint32_t ask)
{
    SKEDI_ASSERT(ask_at(e, ask)->first_group == SKEDI_NONE);
    SKEDI_ASSERT(ask_at(e, ask)->first_entry == SKEDI_NONE);
    engine_ask *a = ask_at(e, ask);

    if (a->prev == SKEDI_NONE)
        job_at(e, a->job)->first_ask = a->next;
    else
        ask_at(e, a->prev)->next = a->next;
    if (a->next != SKEDI_NONE) ask_at(e, a->next)->prev = a->prev;
    work_free_extra(e, ask);
    skedi_tags_forget(e, ask);
    skedi_soft_forget(e, ask);
    skedi_keymap_remove(&e->ask_of, a->key);
    skedi_shape_give(e, a->shape);
    skedi_pool_give(&e->asks, ask);
}

uint32_t skedi_ask_groups(const sked_engine *e, uint32_t ask)
{
    uint32_t n = 0;

    for (uint32_t g = ask_at(e, ask)->first_group; g != SKEDI_NONE;
         g = group_at(e, g)->ask_next) {
        n++;
    }
    return n;
}

void skedi_ask_settle(sked_engine *e, uint32_t ask)
{
    const engine_ask *a = ask_at(e, ask);
    int over = a->closed || !(a->flags & SKED_ASK_KEEP);

    if (over && a->open == 0 && a->first_group == SKEDI_NONE)
        work_free_ask(e, ask);
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
    skedi_charge_drop(e, job);
    skedi_keymap_remove(&e->job_of, j->key);
    skedi_pool_give(&e->jobs, job);
    e->stats.jobs--;
}
