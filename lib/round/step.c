/*
 * One key of a selection: which of its marks stand, are due, or are withdrawn,
 * and how many tasks are marked anew. Results go to the next list and to the
 * end of the actions; nothing that a host sees changes.
 */
#include "round/step.h"

static void push_action(skedi_round_update *u, sked_round_action action)
{
    int observes = (u->round->flags & SKED_ROUND_FLAG_OBSERVE) != 0;

    if (observes) action.flags |= SKED_ROUND_MARK_FLAG_OBSERVED;
    u->round->action[u->actions++] = action;
}

/* Adds a mark to the next list; amounts NULL: nothing. */
static void push_mark(skedi_round_update *u, const skedi_round_item *item,
                      const int64_t *amounts)
{
    skedi_round_list *next = &u->round->next;
    size_t kinds = u->round->kinds;

    for (size_t k = 0; k < kinds; k++) {
        next->amount[next->n * kinds + k] = amounts ? amounts[k] : 0;
    }
    next->item[next->n++] = *item;
}

static const int64_t *mark_amounts(const skedi_round_update *u, size_t at)
{
    return u->round->list.amount + at * u->round->kinds;
}

static const int64_t *step_row_amounts(const skedi_round_update *u,
                                       uint32_t row)
{
    if (!u->in.amount) return NULL;
    return u->in.amount + (size_t)row * u->round->kinds;
}

/* A saturating sum: at most 2^128 - 1. */
static skedi_u128 add_lost(skedi_u128 sum, skedi_u128 more)
{
    skedi_u128 all = skedi_u128_add(sum, more);

    if (skedi_u128_cmp(all, sum) >= 0) return all;
    return skedi_u128_make(UINT64_MAX, UINT64_MAX);
}

/* amount * count * ns; at most 2^128 - 1. */
static skedi_u128 work_lost(int64_t amount, uint32_t count, uint64_t ns)
{
    skedi_u192 work = skedi_u192_mul(skedi_u128_mul((uint64_t)amount, count),
                                     ns);

    if (skedi_u128_high(work.high) > 0) {
        return skedi_u128_make(UINT64_MAX, UINT64_MAX);
    }
    return skedi_u128_make(skedi_u128_low(work.high), work.low);
}

/* Adds the work that is lost with `count` tasks that are stopped now. */
static void lose(skedi_round_update *u, const int64_t *amounts, uint32_t count,
                 sked_time since)
{
    if (!amounts || since == SKED_UNSET || since >= u->now) return;
    uint64_t passed = (uint64_t)u->now - (uint64_t)since;
    for (size_t k = 0; k < u->round->kinds; k++) {
        u->tally.lost[k] = add_lost(u->tally.lost[k],
                                    work_lost(amounts[k], count, passed));
    }
}

/* Since when work is not saved: what the row says, else what the mark says. */
static sked_time unsaved(const skedi_round_update *u,
                         const skedi_round_key *key, sked_time remembered)
{
    if (key->row == SKEDI_NO_WANTED || !u->in.unsaved_since) return remembered;
    return u->in.unsaved_since[key->row];
}

static int is_strict_row(const skedi_round_update *u, uint32_t row)
{
    return u->in.strict && u->in.strict[row];
}

/* ---- One key ---- */

static void stop_some(skedi_round_update *u, skedi_round_key *key,
                      sked_time deadline, uint32_t count)
{
    if (key->stopped == 0) key->deadline = deadline;
    key->stopped += count;
    u->tally.killed += count;
}

/* Is a mark that is due offered, rather than stopped? */
static int is_lazy(const skedi_round_update *u, uint32_t flags)
{
    return (u->round->flags & SKED_ROUND_FLAG_LAZY) &&
           !(flags & SKED_ROUND_MARK_FLAG_STRICT);
}

static void offer_some(skedi_round_key *key, skedi_round_item *item)
{
    if (item->seen.flags & SKED_ROUND_MARK_FLAG_OFFERED) return;
    item->seen.flags |= SKED_ROUND_MARK_FLAG_OFFERED;
    if (key->offered == 0) key->offered_by = item->seen.deadline;
    key->offered += item->seen.count;
}

/* A claim takes the place of a mark's tasks, as far as they are offered. */
static void step_claim(skedi_round_update *u, skedi_round_key *key, size_t at)
{
    skedi_round_item item = u->round->list.item[at];
    uint32_t taken = 0;

    if (item.seen.flags & SKED_ROUND_MARK_FLAG_OFFERED) {
        taken = item.seen.count < key->wanted ? item.seen.count : key->wanted;
    }
    if (taken > 0) {
        stop_some(u, key, item.seen.deadline, taken);
        lose(u, mark_amounts(u, at), taken, item.unsaved_since);
    }
    key->wanted -= taken;
    item.seen.count -= taken;
    if (item.seen.count > 0) push_mark(u, &item, mark_amounts(u, at));
}

/* How many of a mark's `count` tasks may be stopped now: the last key->held of
 * all `wanted` tasks may not. */
static uint32_t not_held(const skedi_round_key *key, uint32_t count,
                         uint32_t wanted)
{
    uint32_t may = wanted > key->held ? wanted - key->held : 0;

    return may < count ? may : count;
}

/* A mark stands, is due, or is withdrawn, in whole or in part. */
static void step_mark(skedi_round_update *u, skedi_round_key *key, size_t at)
{
    skedi_round_item item = u->round->list.item[at];
    int observes = (u->round->flags & SKED_ROUND_FLAG_OBSERVE) != 0;
    int strict = (item.seen.flags & SKED_ROUND_MARK_FLAG_STRICT) != 0;
    uint32_t count = item.seen.count;
    uint32_t kept = strict || count < key->wanted ? count : key->wanted;
    uint32_t stops = strict ? kept : not_held(key, kept, key->wanted);

    key->wanted -= kept < key->wanted ? kept : key->wanted;
    if (kept < count) {
        push_action(u, (sked_round_action){.key = item.seen.key,
                                           .job = item.seen.job,
                                           .deadline = item.seen.deadline,
                                           .count = count - kept,
                                           .what = SKED_ROUND_ORDER_WITHDRAW});
        u->tally.withdrawn += count - kept;
    }
    if (kept == 0) return;
    item.seen.count = kept;
    item.unsaved_since = unsaved(u, key, item.unsaved_since);
    int due = !observes && item.seen.deadline <= u->now;
    if (due && is_lazy(u, item.seen.flags)) {
        offer_some(key, &item);
    } else if (due && stops > 0) {
        stop_some(u, key, item.seen.deadline, stops);
        lose(u, mark_amounts(u, at), stops, item.unsaved_since);
        item.seen.count -= stops;
        if (item.seen.count == 0) return;
    }
    push_mark(u, &item, mark_amounts(u, at));
}

static sked_time deadline_of(const skedi_round_update *u)
{
    int64_t grace = u->round->grace < 0 ? 0 : u->round->grace;
    sked_time deadline;

    return skedi_i64_add(u->now, grace, &deadline) ? deadline : INT64_MAX;
}

/* Marks the tasks that are wanted beyond all marks. */
static void step_new(skedi_round_update *u, skedi_round_key *key)
{
    uint32_t row = key->row, count = key->wanted;
    skedi_round_item item = {
        .seen = {.key = u->in.key[row],
                 .job = u->in.job ? u->in.job[row] : 0,
                 .deadline = deadline_of(u),
                 .count = count,
                 .flags = is_strict_row(u, row) ? SKED_ROUND_MARK_FLAG_STRICT
                                                : 0},
        .unsaved_since = unsaved(u, key, SKED_UNSET),
    };
    int observes = (u->round->flags & SKED_ROUND_FLAG_OBSERVE) != 0;

    int due = u->round->grace < 0 && !observes;
    if (due && is_lazy(u, item.seen.flags)) {
        offer_some(key, &item);
        push_mark(u, &item, step_row_amounts(u, row));
        return;
    }
    if (due) {
        uint32_t stops = item.seen.flags & SKED_ROUND_MARK_FLAG_STRICT
                             ? count
                             : not_held(key, count, count);
        if (stops > 0) stop_some(u, key, u->now, stops);
        lose(u, step_row_amounts(u, row), stops, item.unsaved_since);
        item.seen.count -= stops;
        if (item.seen.count > 0) push_mark(u, &item, step_row_amounts(u, row));
        return;
    }
    u->round->row[row].told = count;
    u->tally.notified += count;
    push_mark(u, &item, step_row_amounts(u, row));
}

/* One item for all tasks of a key that have a kill order. */
static void step_stopping(skedi_round_update *u, const skedi_round_key *key)
{
    const skedi_round_list *list = &u->round->list;
    int before = key->end > key->to;
    skedi_round_item item = {0};
    const int64_t *amounts = NULL;

    if (!before && key->stopped == 0) return;
    if (key->end > key->from) { /* it was marked */
        item = list->item[key->end - 1];
        amounts = mark_amounts(u, key->end - 1);
    } else {
        item.seen.key = u->in.key[key->row];
        item.seen.job = u->in.job ? u->in.job[key->row] : 0;
        item.unsaved_since = unsaved(u, key, SKED_UNSET);
        amounts = step_row_amounts(u, key->row);
    }
    if (!before) {
        item.seen.count = 0;
        item.seen.deadline = key->deadline;
    }
    item.seen.count += key->stopped;
    item.seen.flags = SKED_ROUND_MARK_FLAG_STOPPING;
    push_mark(u, &item, amounts);
}

/* Notes what the actions by row will say of a key. */
static void note_round_key(skedi_round_update *u, const skedi_round_key *key)
{
    skedi_round_row *row = &u->round->row[key->row];

    row->stopped = key->stopped;
    row->deadline = key->deadline;
    row->offered = key->offered;
    row->offered_by = key->offered_by;
    if (u->claims) {
        row->job = u->round->list.item[key->from].seen.job;
    } else if (u->in.job) {
        row->job = u->in.job[key->row];
    }
}

void skedi_round_step(skedi_round_update *u, skedi_round_key *key)
{
    const skedi_round_item *item = u->round->list.item;

    if (!u->claims && key->end > key->to) {
        uint32_t stopping = item[key->to].seen.count;
        key->wanted -= stopping < key->wanted ? stopping : key->wanted;
    }
    for (size_t at = key->from; at < key->to; at++) {
        if (u->claims)
            step_claim(u, key, at);
        else
            step_mark(u, key, at);
    }
    if (key->wanted > 0) step_new(u, key);
    step_stopping(u, key);
    if (key->row != SKEDI_NO_WANTED) {
        note_round_key(u, key);
        return;
    }
    if (key->stopped == 0) return;
    push_action(u, (sked_round_action){
                       .key = item[key->from].seen.key,
                       .job = item[key->from].seen.job,
                       .deadline = key->deadline,
                       .count = key->stopped,
                       .what = SKED_ROUND_ORDER_KILL,
                       .flags = SKED_ROUND_MARK_FLAG_PREEMPTED |
                                SKED_ROUND_MARK_FLAG_STRICT,
                   });
}

/* One action of a row, if there is any. */
static void push_row(skedi_round_update *u, uint32_t row, uint16_t what,
                     uint32_t count, sked_time deadline)
{
    uint16_t flags = is_strict_row(u, row) ? SKED_ROUND_MARK_FLAG_STRICT : 0;

    if (count == 0) return;
    if (what == SKED_ROUND_ORDER_KILL) flags |= SKED_ROUND_MARK_FLAG_PREEMPTED;
    push_action(u, (sked_round_action){.key = u->in.key[row],
                                       .job = u->round->row[row].job,
                                       .deadline = deadline,
                                       .count = count,
                                       .what = what,
                                       .flags = flags});
}

void skedi_round_push_rows(skedi_round_update *u)
{
    for (uint32_t i = 0; i < u->in.n; i++) {
        const skedi_round_row *row = &u->round->row[i];
        push_row(u, i, SKED_ROUND_ORDER_KILL, row->stopped, row->deadline);
        push_row(u, i, SKED_ROUND_ORDER_OFFER, row->offered, row->offered_by);
        push_row(u, i, SKED_ROUND_ORDER_NOTIFY, row->told, deadline_of(u));
    }
}
