/*
 * Steps one key of a selection: marks stand, become due or are withdrawn, and
 * further tasks are marked. Results go to the next list and to the end of the
 * actions. The host sees no change.
 */
#include "base/fail.h"
#include "base/versioned.h"
#include "round/state.h"

#define SKEDI_NO_WANTED UINT32_MAX

/* The state of one selection during the walk. */
typedef struct skedi_round_update {
    sked_round *round;
    sked_round_input in;
    sked_time now;
    int claims; /* 1: rows are tasks whose place is taken, not victims wanted */
    size_t actions;
    skedi_round_tally tally;
} skedi_round_update;

/* One key: its marks, and the wanted number of tasks. */
typedef struct skedi_round_key {
    size_t from; /* marks without a kill order are items from .. to - 1 */
    size_t to;
    size_t end; /* `to`, or to + 1: the item with the kill orders follows */
    uint32_t row;
    uint32_t wanted; /* wanted tasks without a mark until now */
    uint32_t held;   /* number of these tasks that must not be stopped yet */
    uint32_t stopped;
    uint32_t offered;
    sked_time deadline;   /* of the first stopped mark */
    sked_time offered_by; /* of the first offered mark */
} skedi_round_key;

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

/* Adds the lost work of `count` tasks stopped now. */
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

/* The time since which work is unsaved: from the row, or else from the mark. */
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

/* ---- A key ---- */

static void stop_some(skedi_round_update *u, skedi_round_key *key,
                      sked_time deadline, uint32_t count)
{
    if (key->stopped == 0) key->deadline = deadline;
    key->stopped += count;
    u->tally.killed += count;
}

/* Checks that a due mark is offered instead of stopped. */
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

/* A claim takes the place of a mark's offered tasks. */
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

/* The number of a mark's `count` tasks that may be stopped now. The last
 * key->held of all `wanted` tasks may not be stopped. */
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

/* Marks the wanted tasks beyond all existing marks. */
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

/* Writes one item for all tasks of a key with a kill order. */
static void step_stopping(skedi_round_update *u, const skedi_round_key *key)
{
    const skedi_round_list *list = &u->round->list;
    int before = key->end > key->to;
    skedi_round_item item = {0};
    const int64_t *amounts = NULL;

    if (!before && key->stopped == 0) return;
    if (key->end > key->from) { /* the key has a mark */
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

/* Notes the numbers of a key for the actions by row. */
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

/* Carries one key over to the next list. */
static void round_step(skedi_round_update *u, skedi_round_key *key)
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

/* Adds an action of a row if `count` is not 0. */
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

/* Adds the actions of a selection by row. */
static void round_push_rows(skedi_round_update *u)
{
    for (uint32_t i = 0; i < u->in.n; i++) {
        const skedi_round_row *row = &u->round->row[i];
        push_row(u, i, SKED_ROUND_ORDER_KILL, row->stopped, row->deadline);
        push_row(u, i, SKED_ROUND_ORDER_OFFER, row->offered, row->offered_by);
        push_row(u, i, SKED_ROUND_ORDER_NOTIFY, row->told, deadline_of(u));
    }
}

/*
 * Applies a selection to the existing marks.
 *
 * Marks are sorted by key, and the rows of a selection are sorted the same way.
 * The walk takes both together, one key after the other. Remaining marks are
 * written to a list beside the list in force. New actions go behind the actions
 * that the host has not taken yet. All memory is reserved before the walk
 * begins. The two lists are swapped at the end. The host sees no change before
 * the swap, so the walk may be cancelled at any point.
 */

SKEDI_NO_TAIL_PADDING(sked_round_input, held);

enum {
    ROUND_WANTED_V1 = SKEDI_SIZE_THROUGH(sked_round_input, strict),
    ROUND_CHECK = 65536 /* keys between two looks at the cancel flag */
};

/* ---- The caller's input ---- */

static sked_status wanted_said(const sked_round_input *in, sked_error *err)
{
    if (in->flags || (in->n > 0 && !in->key)) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "no keys, or flags");
    }
    if (in->n > INT32_MAX) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "too many rows",
            (skedi_fault){.got = (int64_t)in->n, .limit = INT32_MAX});
    }
    for (uint32_t i = 0; i < in->n; i++) {
        if (in->key[i] && (!in->count || in->count[i])) continue;
        return skedi_fail(err, SKED_ERR_ARG, "a key or a count is 0",
                          (skedi_fault){.row = i + INT64_C(1)});
    }
    return SKED_OK;
}

static sked_status wanted_amounts(const skedi_round_update *u, sked_error *err)
{
    size_t kinds = u->round->kinds;
    size_t cells = u->in.amount ? (size_t)u->in.n * kinds : 0;

    for (size_t i = 0; i < cells; i++) {
        int64_t amount = u->in.amount[i];
        if (amount >= 0 && amount <= SKED_AMOUNT_MAX) continue;
        return skedi_fail(err, SKED_ERR_RANGE, "amount is out of range",
                          (skedi_fault){.row = (int64_t)(i / kinds) + 1,
                                        .kind = (int32_t)(i % kinds) + 1,
                                        .got = amount,
                                        .limit = SKED_AMOUNT_MAX});
    }
    return SKED_OK;
}

static sked_status wanted_in(skedi_round_update *u, const sked_round_input *in,
                             sked_error *err)
{
    sked_status rc = skedi_struct_in(&u->in, sizeof u->in, in, ROUND_WANTED_V1);

    if (rc != SKED_OK) {
        return skedi_fail_version(err, "input");
    }
    rc = wanted_said(&u->in, err);
    return rc == SKED_OK ? wanted_amounts(u, err) : rc;
}

/* Brings the rows in the order of their keys. */
static sked_status sort_wanted(skedi_round_update *u, sked_error *err)
{
    skedi_keyed *order = u->round->order;

    for (uint32_t i = 0; i < u->in.n; i++) {
        order[i] = (skedi_keyed){.key = u->in.key[i], .index = i};
        u->round->row[i] = (skedi_round_row){0};
    }
    skedi_sort_keys(order, u->round->scratch, (size_t)u->in.n);
    for (uint32_t i = 1; i < u->in.n; i++) {
        if (order[i].key != order[i - 1].key) continue;
        return skedi_fail(err, SKED_ERR_EXISTS, "a key stands in two rows",
                          (skedi_fault){.row = order[i].index + INT64_C(1)});
    }
    return SKED_OK;
}

/* ---- The walk ---- */

/* The next key of the walk; `row` is the next in the order of the selection. */
static skedi_round_key next_key(const skedi_round_update *u, size_t at,
                                uint32_t row)
{
    const skedi_round_list *list = &u->round->list;
    const skedi_keyed *order = u->round->order;
    int more = row < u->in.n;
    uint64_t wanted = more ? order[row].key : 0;
    uint64_t name = at < list->n && (!more || list->item[at].seen.key < wanted)
                        ? list->item[at].seen.key
                        : wanted;
    skedi_round_key key = {.from = at, .to = at, .row = SKEDI_NO_WANTED};

    while (key.to < list->n && list->item[key.to].seen.key == name) key.to++;
    key.end = key.to;
    if (key.to > at &&
        list->item[key.to - 1].seen.flags & SKED_ROUND_MARK_FLAG_STOPPING) {
        key.to--;
    }
    if (more && wanted == name) {
        key.row = order[row].index;
        key.wanted = u->in.count ? u->in.count[key.row] : 1;
        key.held = u->in.held ? u->in.held[key.row] : 0;
    }
    return key;
}

static sked_status walk_keys(skedi_round_update *u)
{
    size_t at = 0, walked = 0;
    uint32_t row = 0;

    u->round->next.n = 0;
    while (at < u->round->list.n || row < u->in.n) {
        if (walked++ % ROUND_CHECK == 0) {
            sked_status rc = skedi_hooks_check(&u->round->hooks, row, u->in.n);
            if (rc != SKED_OK) return rc;
        }
        skedi_round_key key = next_key(u, at, row);
        round_step(u, &key);
        at = key.end;
        row += key.row != SKEDI_NO_WANTED;
    }
    return SKED_OK;
}

/* Takes a selection, or claims, over all marks in, once what was given is
 * known to be good; in round/step.c. */
static sked_status round_apply(skedi_round_update *u, sked_error *err)
{
    sked_round *round = u->round;

    if (!skedi_round_ensure(round, round->list.n, (size_t)u->in.n)) {
        return skedi_fail_memory(err);
    }
    u->actions = round->actions;
    u->tally = round->tally;
    sked_status rc = sort_wanted(u, err);
    if (rc != SKED_OK) return rc;
    rc = walk_keys(u);
    if (rc != SKED_OK) return skedi_fail_stopped(err, rc);
    round_push_rows(u);

    skedi_round_list item = round->list;
    round->list = round->next;
    round->next = item;
    round->actions = u->actions;
    round->tally = u->tally;
    round->tally.rounds += !u->claims;
    round->now = u->now;
    return SKED_OK;
}

sked_status sked_round_update(sked_round *round, const sked_round_input *input,
                              sked_time now, sked_error *err)
{
    skedi_round_update u = {.round = round};

    const char *missing = !round ? "round" : !input ? "input" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_hooks_now(&round->hooks, &now, err);
    if (rc != SKED_OK) return rc;
    u.now = now > round->now ? now : round->now;
    rc = wanted_in(&u, input, err);
    return rc == SKED_OK ? round_apply(&u, err) : rc;
}

/*
 * Claims of offered tasks. A claim walks the marks as a selection does
 * (round/step.c), and therefore also changes all or no marks.
 */

uint32_t sked_round_offer_count(const sked_round *round, uint64_t key)
{
    uint32_t sum = 0;

    if (!round) return 0;
    const skedi_round_list *list = &round->list;
    for (size_t i = skedi_round_find(list, key); i < list->n; i++) {
        const sked_round_mark *mark = &list->item[i].seen;
        if (mark->key != key) break;
        if (mark->flags & SKED_ROUND_MARK_FLAG_OFFERED) sum += mark->count;
    }
    return sum;
}

/* Checks that each row's number of tasks is offered. */
static sked_status claims_said(const skedi_round_update *u, sked_error *err)
{
    for (uint32_t i = 0; i < u->in.n; i++) {
        uint32_t count = u->in.count ? u->in.count[i] : 1;
        uint32_t offered = sked_round_offer_count(u->round, u->in.key[i]);
        skedi_fault fault = {
            .row = i + INT64_C(1), .got = count, .limit = offered};
        if (u->in.key[i] == 0 || count == 0) {
            return skedi_fail(err, SKED_ERR_ARG, "a key or a count is 0",
                              fault);
        }
        if (count > offered) {
            return skedi_fail(err, SKED_ERR_STATE, "fewer tasks are offered",
                              fault);
        }
    }
    return SKED_OK;
}

sked_status sked_round_claim(sked_round *round, const uint64_t *keys,
                             const uint32_t *counts, size_t n, sked_time now,
                             sked_error *err)
{
    skedi_round_update u = {.round = round, .claims = 1};

    const char *missing = !round ? "round" : n > 0 && !keys ? "keys" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (n > INT32_MAX) {
        return skedi_fail(err, SKED_ERR_RANGE, "too many rows",
                          (skedi_fault){.got = (int64_t)n, .limit = INT32_MAX});
    }
    sked_status rc = skedi_hooks_now(&round->hooks, &now, err);
    if (rc != SKED_OK) return rc;
    u.now = now > round->now ? now : round->now;
    u.in.n = (uint32_t)n;
    u.in.key = keys;
    u.in.count = counts;
    rc = claims_said(&u, err);
    return rc == SKED_OK ? round_apply(&u, err) : rc;
}
