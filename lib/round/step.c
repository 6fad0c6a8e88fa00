/*
 * One key of a selection: what of its marks goes on, is due, is let off, and
 * what is marked anew. Results go to the next list and to the end of the
 * actions; nothing that can be seen changes.
 */
#include "round/step.h"

static void push_action(skedi_round_update *u, sked_round_action action)
{
    int observes = (u->round->flags & SKED_ROUND_FLAG_OBSERVE) != 0;

    if (observes) action.flags |= SKED_ROUND_MARK_FLAG_OBSERVED;
    u->round->action[u->actions++] = action;
}

/* Adds a mark to the next list; amounts NULL: nothing. */
static void push_mark(skedi_round_update *u, const skedi_round_held *held,
                      const int64_t *amounts)
{
    skedi_round_list *next = &u->round->next;
    size_t kinds = u->round->kinds;

    for (size_t k = 0; k < kinds; k++) {
        next->amount[next->n * kinds + k] = amounts ? amounts[k] : 0;
    }
    next->held[next->n++] = *held;
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

/* A sum that ends at 2^128 - 1. */
static skedi_u128 add_lost(skedi_u128 sum, skedi_u128 more)
{
    skedi_u128 all = skedi_u128_add(sum, more);

    if (skedi_u128_cmp(all, sum) >= 0) return all;
    return skedi_u128_make(UINT64_MAX, UINT64_MAX);
}

/* Counts what `count` tasks lose that are stopped now. */
static void lose(skedi_round_update *u, const int64_t *amounts, uint32_t count,
                 sked_time since)
{
    if (!amounts || since == SKED_UNSET || since >= u->now) return;
    uint64_t passed = (uint64_t)u->now - (uint64_t)since;
    for (size_t k = 0; k < u->round->kinds; k++) {
        int64_t all;
        if (!skedi_i64_mul(amounts[k], count, &all)) all = SKED_UNLIMITED;
        u->tally.lost[k] = add_lost(u->tally.lost[k],
                                    skedi_u128_mul((uint64_t)all, passed));
    }
}

/* From when on its work is not saved: what the row says, else what the mark
 * remembers. */
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

static void offer_some(skedi_round_key *key, skedi_round_held *held)
{
    if (held->seen.flags & SKED_ROUND_MARK_FLAG_OFFERED) return;
    held->seen.flags |= SKED_ROUND_MARK_FLAG_OFFERED;
    if (key->offered == 0) key->offered_by = held->seen.deadline;
    key->offered += held->seen.count;
}

/* The place of a mark's tasks is taken, as far as they are offered. */
static void step_claim(skedi_round_update *u, skedi_round_key *key, size_t at)
{
    skedi_round_held held = u->round->list.held[at];
    uint32_t taken = 0;

    if (held.seen.flags & SKED_ROUND_MARK_FLAG_OFFERED) {
        taken = held.seen.count < key->wanted ? held.seen.count : key->wanted;
    }
    if (taken > 0) {
        stop_some(u, key, held.seen.deadline, taken);
        lose(u, mark_amounts(u, at), taken, held.unsaved_since);
    }
    key->wanted -= taken;
    held.seen.count -= taken;
    if (held.seen.count > 0) push_mark(u, &held, mark_amounts(u, at));
}

/* How many of `count` tasks, of which `wanted` and as yet others were wanted,
 * may be stopped now: those that are held stand last. */
static uint32_t not_held(const skedi_round_key *key, uint32_t count,
                         uint32_t wanted)
{
    uint32_t may = wanted > key->held ? wanted - key->held : 0;

    return may < count ? may : count;
}

/* A mark goes on, is due, or is let off, in whole or in part. */
static void step_mark(skedi_round_update *u, skedi_round_key *key, size_t at)
{
    skedi_round_held held = u->round->list.held[at];
    int observes = (u->round->flags & SKED_ROUND_FLAG_OBSERVE) != 0;
    int strict = (held.seen.flags & SKED_ROUND_MARK_FLAG_STRICT) != 0;
    uint32_t count = held.seen.count;
    uint32_t kept = strict || count < key->wanted ? count : key->wanted;
    uint32_t stops = strict ? kept : not_held(key, kept, key->wanted);

    key->wanted -= kept < key->wanted ? kept : key->wanted;
    if (kept < count) {
        push_action(u, (sked_round_action){.key = held.seen.key,
                                           .job = held.seen.job,
                                           .deadline = held.seen.deadline,
                                           .count = count - kept,
                                           .what = SKED_ROUND_ORDER_WITHDRAW});
        u->tally.withdrawn += count - kept;
    }
    if (kept == 0) return;
    held.seen.count = kept;
    held.unsaved_since = unsaved(u, key, held.unsaved_since);
    int due = !observes && held.seen.deadline <= u->now;
    if (due && is_lazy(u, held.seen.flags)) {
        offer_some(key, &held);
    } else if (due && stops > 0) {
        stop_some(u, key, held.seen.deadline, stops);
        lose(u, mark_amounts(u, at), stops, held.unsaved_since);
        held.seen.count -= stops;
        if (held.seen.count == 0) return;
    }
    push_mark(u, &held, mark_amounts(u, at));
}

static sked_time deadline_of(const skedi_round_update *u)
{
    int64_t grace = u->round->grace < 0 ? 0 : u->round->grace;
    sked_time deadline;

    return skedi_i64_add(u->now, grace, &deadline) ? deadline : INT64_MAX;
}

/* What is wanted beyond all marks. */
static void step_new(skedi_round_update *u, skedi_round_key *key)
{
    uint32_t row = key->row, count = key->wanted;
    skedi_round_held held = {
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
    if (due && is_lazy(u, held.seen.flags)) {
        offer_some(key, &held);
        push_mark(u, &held, step_row_amounts(u, row));
        return;
    }
    if (due) {
        uint32_t stops = held.seen.flags & SKED_ROUND_MARK_FLAG_STRICT
                             ? count
                             : not_held(key, count, count);
        if (stops > 0) stop_some(u, key, u->now, stops);
        lose(u, step_row_amounts(u, row), stops, held.unsaved_since);
        held.seen.count -= stops;
        if (held.seen.count > 0) push_mark(u, &held, step_row_amounts(u, row));
        return;
    }
    u->round->row[row].told = count;
    u->tally.notified += count;
    push_mark(u, &held, step_row_amounts(u, row));
}

/* What is being stopped of a key, all in one. */
static void step_stopping(skedi_round_update *u, const skedi_round_key *key)
{
    const skedi_round_list *list = &u->round->list;
    int before = key->end > key->to;
    skedi_round_held held = {0};
    const int64_t *amounts = NULL;

    if (!before && key->stopped == 0) return;
    if (key->end > key->from) { /* it was marked */
        held = list->held[key->end - 1];
        amounts = mark_amounts(u, key->end - 1);
    } else {
        held.seen.key = u->in.key[key->row];
        held.seen.job = u->in.job ? u->in.job[key->row] : 0;
        held.unsaved_since = unsaved(u, key, SKED_UNSET);
        amounts = step_row_amounts(u, key->row);
    }
    if (!before) {
        held.seen.count = 0;
        held.seen.deadline = key->deadline;
    }
    held.seen.count += key->stopped;
    held.seen.flags = SKED_ROUND_MARK_FLAG_STOPPING;
    push_mark(u, &held, amounts);
}

/* For the actions by row. */
static void note_round_key(skedi_round_update *u, const skedi_round_key *key)
{
    skedi_round_row *row = &u->round->row[key->row];

    row->stopped = key->stopped;
    row->deadline = key->deadline;
    row->offered = key->offered;
    row->offered_by = key->offered_by;
    if (u->claims) {
        row->job = u->round->list.held[key->from].seen.job;
    } else if (u->in.job) {
        row->job = u->in.job[key->row];
    }
}

void skedi_round_step(skedi_round_update *u, skedi_round_key *key)
{
    const skedi_round_held *held = u->round->list.held;

    if (!u->claims && key->end > key->to) {
        uint32_t stopping = held[key->to].seen.count;
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
                       .key = held[key->from].seen.key,
                       .job = held[key->from].seen.job,
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
