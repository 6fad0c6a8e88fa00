/*
 * Rounds of preemption: life, reads, and tasks that end. round/step.c has the
 * selections.
 */
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/versioned.h"
#include "round/state.h"

/* Invariants of rounds, and their digest. */

/* ---- Digest ---- */

static void hash_mark(skedi_hash *hash, const skedi_round_item *item)
{
    skedi_hash_u64(hash, item->seen.key);
    skedi_hash_u64(hash, item->seen.job);
    skedi_hash_u64(hash, (uint64_t)item->seen.deadline);
    skedi_hash_u32(hash, item->seen.count);
    skedi_hash_u32(hash, item->seen.flags);
    skedi_hash_u64(hash, (uint64_t)item->unsaved_since);
}

/* The number of an order in digests, from 1 on. */
static uint32_t order_number(const sked_round_action *action)
{
    if (action->what == SKED_ROUND_ORDER_OFFER) return 4;
    return action->what - SKED_ROUND_ORDER_NOTIFY + 1u;
}

static void hash_action(skedi_hash *hash, const sked_round_action *action)
{
    skedi_hash_u64(hash, action->key);
    skedi_hash_u64(hash, action->job);
    skedi_hash_u64(hash, (uint64_t)action->deadline);
    skedi_hash_u32(hash, action->count);
    skedi_hash_u32(hash, order_number(action));
    skedi_hash_u32(hash, action->flags);
}

static void hash_tally(skedi_hash *hash, const sked_round *round)
{
    const skedi_round_tally *t = &round->tally;

    skedi_hash_u64(hash, t->rounds);
    skedi_hash_u64(hash, t->notified);
    skedi_hash_u64(hash, t->killed);
    skedi_hash_u64(hash, t->withdrawn);
    skedi_hash_u64(hash, t->released);
    for (size_t k = 0; k < round->kinds; k++) {
        skedi_hash_u64(hash, skedi_u128_high(t->lost[k]));
        skedi_hash_u64(hash, skedi_u128_low(t->lost[k]));
    }
}

uint64_t sked_round_digest(const sked_round *round)
{
    skedi_hash hash;

    if (!round) return 0;
    skedi_hash_start(&hash, 0);
    skedi_hash_u64(&hash, (uint64_t)round->now);
    skedi_hash_u64(&hash, round->list.n);
    for (size_t i = 0; i < round->list.n; i++) {
        hash_mark(&hash, &round->list.item[i]);
        for (size_t k = 0; k < round->kinds; k++) {
            size_t at = i * round->kinds + k;
            skedi_hash_u64(&hash, (uint64_t)round->list.amount[at]);
        }
    }
    for (size_t i = round->first_action; i < round->actions; i++) {
        hash_action(&hash, &round->action[i]);
    }
    hash_tally(&hash, round);
    return skedi_hash_end(&hash);
}

/* ---- Invariants ---- */

/* Finds the fault between a mark and the mark before; NULL: no fault. */
static const char *pair_fault(const sked_round_mark *before,
                              const sked_round_mark *mark)
{
    if (mark->key == 0 || mark->count == 0) return "a mark of no task";
    if (mark->flags & (mark->flags - 1)) return "a mark of two states";
    if (mark->flags & ~(uint32_t)(SKED_ROUND_MARK_FLAG_STRICT |
                                  SKED_ROUND_MARK_FLAG_STOPPING |
                                  SKED_ROUND_MARK_FLAG_OFFERED)) {
        return "a mark with other flags";
    }
    if (!before || before->key < mark->key) return NULL;
    if (before->key > mark->key) return "marks are not in order";
    if (before->flags & SKED_ROUND_MARK_FLAG_STOPPING)
        return "what is stopped is last";
    if (mark->flags & SKED_ROUND_MARK_FLAG_STOPPING) return NULL;
    return before->deadline > mark->deadline ? "an older mark is due later"
                                             : NULL;
}

static const char *round_fault(const sked_round *round)
{
    const skedi_round_list *list = &round->list;
    const sked_round_mark *before = NULL;

    for (size_t i = 0; i < list->n; i++) {
        const char *fault = pair_fault(before, &list->item[i].seen);
        if (fault) return fault;
        before = &list->item[i].seen;
        for (size_t k = 0; k < round->kinds; k++) {
            int64_t amount = list->amount[i * round->kinds + k];
            if (amount < 0 || amount > SKED_AMOUNT_MAX) {
                return "amount is out of range";
            }
        }
    }
    if (round->first_action > round->actions ||
        round->actions > round->action_cap) {
        return "more actions taken than there were";
    }
    return NULL;
}

sked_status sked_round_check(const sked_round *round, sked_error *err)
{
    if (!round) return skedi_fail_null(err, "round");
    const char *fault = round_fault(round);
    return fault ? skedi_fail_plain(err, SKED_ERR_INTERNAL, fault) : SKED_OK;
}

SKEDI_NO_TAIL_PADDING(sked_round_options, grace_ns);
SKEDI_NO_TAIL_PADDING(sked_round_stats, released);
_Static_assert(sizeof(sked_round_action) == 32, "actions are frozen");
_Static_assert(sizeof(sked_round_mark) == 32, "marks are frozen");

enum {
    ROUND_OPTIONS_V1 = SKEDI_SIZE_THROUGH(sked_round_options, grace_ns),
    ROUND_COUNTS_V1 = SKEDI_SIZE_THROUGH(sked_round_stats, released),
    ROUND_ALL_FLAGS = SKED_ROUND_FLAG_OBSERVE | SKED_ROUND_FLAG_LAZY
};

/* 15 s, the value of YARN. */
static const int64_t default_grace = INT64_C(15000000000);

/* ---- Memory ---- */

static int list_ensure(skedi_round_list *list, skedi_mem *mem, size_t n,
                       size_t kinds)
{
    if (n > SIZE_MAX / sizeof(int64_t) / kinds) return 0;
    return skedi_ensure(mem, (void **)&list->item, &list->item_cap, n,
                        sizeof *list->item) &&
           skedi_ensure(mem, (void **)&list->amount, &list->amount_cap,
                        n * kinds, sizeof *list->amount);
}

static void list_free(skedi_round_list *list, skedi_mem *mem)
{
    skedi_free(mem, list->item, list->item_cap, sizeof *list->item);
    skedi_free(mem, list->amount, list->amount_cap, sizeof *list->amount);
}

/* Moves actions to the front after half of them were taken. */
static void pack_actions(sked_round *round)
{
    size_t left = round->actions - round->first_action;

    if (round->first_action == 0 || round->first_action < left) return;
    if (left > 0) {
        memmove(round->action, round->action + round->first_action,
                left * sizeof *round->action);
    }
    round->first_action = 0;
    round->actions = left;
}

int skedi_round_ensure(sked_round *round, size_t marks, size_t n)
{
    skedi_mem *mem = &round->hooks.mem;
    size_t all = marks + n;

    pack_actions(round);
    /* One key may have tasks to stop, tasks to continue and tasks to tell. */
    return list_ensure(&round->next, mem, all + n, round->kinds) &&
           skedi_ensure(mem, (void **)&round->action, &round->action_cap,
                        round->actions + all + 2 * n, sizeof *round->action) &&
           skedi_ensure(mem, (void **)&round->order, &round->order_cap, n,
                        sizeof *round->order) &&
           skedi_ensure(mem, (void **)&round->scratch, &round->scratch_cap, n,
                        sizeof *round->scratch) &&
           skedi_ensure(mem, (void **)&round->row, &round->row_cap, n,
                        sizeof *round->row);
}

/* ---- Life ---- */

static void round_drop(sked_round *round)
{
    skedi_mem mem = round->hooks.mem;

    list_free(&round->list, &mem);
    list_free(&round->next, &mem);
    skedi_free(&mem, round->action, round->action_cap, sizeof *round->action);
    skedi_free(&mem, round->order, round->order_cap, sizeof *round->order);
    skedi_free(&mem, round->scratch, round->scratch_cap,
               sizeof *round->scratch);
    skedi_free(&mem, round->row, round->row_cap, sizeof *round->row);
    skedi_free(&mem, round, 1, sizeof *round);
}

static sked_status round_options_in(sked_round_options *options,
                                    const sked_round_options *from,
                                    sked_error *err)
{
    sked_status rc = skedi_struct_in(options, sizeof *options, from,
                                     ROUND_OPTIONS_V1);

    if (rc != SKED_OK) {
        return skedi_fail_version(err, "options");
    }
    if (options->flags & ~(uint32_t)ROUND_ALL_FLAGS) {
        return skedi_fail_flags(err, "options");
    }
    if (options->reserved) return skedi_fail_reserved(err, "options");
    if (options->kinds > SKED_MAX_KINDS || options->grace_ns < -1) {
        return skedi_fail_plain(err, SKED_ERR_RANGE,
                                "kinds or grace is out of range");
    }
    if (options->kinds == 0) options->kinds = 1;
    if (options->grace_ns == 0) options->grace_ns = default_grace;
    return SKED_OK;
}

sked_status sked_round_new(const sked_round_options *options,
                           const sked_host *host, sked_round **round,
                           sked_error *err)
{
    skedi_hooks hooks;
    sked_round_options own;

    if (!round) return skedi_fail_null(err, "round");
    *round = NULL;
    sked_status rc = skedi_hooks_in(&hooks, host, err);
    if (rc == SKED_OK) rc = round_options_in(&own, options, err);
    if (rc != SKED_OK) return rc;
    sked_round *made = skedi_new(&hooks.mem, 1, sizeof *made);
    if (!made) {
        return skedi_fail_memory(err);
    }
    made->hooks = hooks;
    made->flags = own.flags;
    made->kinds = own.kinds;
    made->grace = own.grace_ns;
    made->now = INT64_MIN;
    *round = made;
    return SKED_OK;
}

void sked_round_free(sked_round *round)
{
    if (!round) return;
    sked_host host = round->hooks.host;
    round_drop(round);
    skedi_hooks_done(host);
}

/* Copies the contents of `from` into a round with enough memory. */
static void round_fill(sked_round *to, const sked_round *from)
{
    size_t n = from->list.n, left = from->actions - from->first_action;

    to->flags = from->flags;
    to->grace = from->grace;
    to->now = from->now;
    to->tally = from->tally;
    to->list.n = n;
    to->actions = left;
    if (n > 0) {
        memcpy(to->list.item, from->list.item, n * sizeof *to->list.item);
        memcpy(to->list.amount, from->list.amount,
               n * from->kinds * sizeof *to->list.amount);
    }
    if (left > 0) {
        memcpy(to->action, from->action + from->first_action,
               left * sizeof *to->action);
    }
}

sked_status sked_round_copy(const sked_round *round, const sked_host *host,
                            sked_round **copy, sked_error *err)
{
    sked_round *made;

    if (!copy) return skedi_fail_null(err, "copy");
    *copy = NULL;
    if (!round) return skedi_fail_null(err, "round");
    sked_status rc = sked_round_new(NULL, host, &made, err);
    if (rc != SKED_OK) return rc;
    skedi_mem *mem = &made->hooks.mem;
    made->kinds = round->kinds;
    if (!list_ensure(&made->list, mem, round->list.n, made->kinds) ||
        !skedi_ensure(mem, (void **)&made->action, &made->action_cap,
                      round->actions - round->first_action,
                      sizeof *made->action)) {
        round_drop(made);
        return skedi_fail_memory(err);
    }
    round_fill(made, round);
    *copy = made;
    return SKED_OK;
}

sked_status sked_round_reserve(sked_round *round, size_t marks, sked_error *err)
{
    if (!round) return skedi_fail_null(err, "round");
    if (marks > INT32_MAX) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "more than a selection has",
            (skedi_fault){.got = (int64_t)marks, .limit = INT32_MAX});
    }
    skedi_hooks_open(&round->hooks);
    /* The two lists change places with each selection. */
    int ok = list_ensure(&round->list, &round->hooks.mem, 3 * marks,
                         round->kinds) &&
             skedi_round_ensure(round, marks, marks);
    return skedi_hooks_seal(&round->hooks,
                            ok ? SKED_OK : skedi_fail_memory(err));
}

/* ---- Ending tasks ---- */

/* Takes up to `count` tasks off one mark; returns the rest of `count`. */
static uint32_t end_some(sked_round *round, size_t at, uint32_t count)
{
    sked_round_mark *mark = &round->list.item[at].seen;
    uint32_t gone = count < mark->count ? count : mark->count;

    mark->count -= gone;
    if (!(mark->flags & SKED_ROUND_MARK_FLAG_STOPPING))
        round->tally.released += gone;
    return count - gone;
}

static void end_key(sked_round *round, uint64_t key, uint32_t count)
{
    const skedi_round_item *item = round->list.item;
    size_t from = skedi_round_find(&round->list, key), to = from;

    while (to < round->list.n && item[to].seen.key == key) to++;
    if (to > from && item[to - 1].seen.flags & SKED_ROUND_MARK_FLAG_STOPPING) {
        count = end_some(round, to - 1, count);
    }
    for (; from < to && count > 0; from++) {
        count = end_some(round, from, count);
    }
}

/* Closes the gaps of marks without tasks. */
static void pack_marks(skedi_round_list *list, size_t kinds)
{
    size_t kept = 0;

    for (size_t i = 0; i < list->n; i++) {
        if (list->item[i].seen.count == 0) continue;
        list->item[kept] = list->item[i];
        for (size_t k = 0; k < kinds; k++) {
            list->amount[kept * kinds + k] = list->amount[i * kinds + k];
        }
        kept++;
    }
    list->n = kept;
}

sked_status sked_round_end(sked_round *round, const uint64_t *keys,
                           const uint32_t *counts, size_t n, sked_error *err)
{
    const char *missing = !round ? "round" : n > 0 && !keys ? "keys" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    for (size_t i = 0; i < n; i++) {
        end_key(round, keys[i], counts ? counts[i] : 1);
    }
    pack_marks(&round->list, round->kinds);
    return SKED_OK;
}

/* ---- Reads ---- */

sked_status sked_round_take(sked_round *round, sked_round_action *actions,
                            size_t cap, size_t *n, sked_error *err)
{
    if (!round) return skedi_fail_null(err, "round");
    if (!n) return skedi_fail_null(err, "n");
    if (cap && !actions) return skedi_fail_null(err, "actions");
    size_t left = round->actions - round->first_action;
    *n = left < cap ? left : cap;
    if (*n > 0) {
        memcpy(actions, round->action + round->first_action,
               *n * sizeof *actions);
    }
    round->first_action += *n;
    return SKED_OK;
}

sked_status sked_round_marks(const sked_round *round, sked_round_mark *marks,
                             size_t cap, size_t *n)
{
    if (!round || !n || (cap > 0 && !marks)) return SKED_ERR_ARG;
    *n = round->list.n;
    if (cap < *n) return SKED_ERR_RANGE;
    for (size_t i = 0; i < *n; i++) marks[i] = round->list.item[i].seen;
    return SKED_OK;
}

uint32_t sked_round_mark_count(const sked_round *round, uint64_t key)
{
    uint32_t sum = 0;

    if (!round) return 0;
    const skedi_round_list *list = &round->list;
    for (size_t i = skedi_round_find(list, key); i < list->n; i++) {
        if (list->item[i].seen.key != key) break;
        sum += list->item[i].seen.count;
    }
    return sum;
}

/* Is a mark in this contract of this job? */
static int is_in_contract(const sked_round_mark *mark, uint64_t job, int strict)
{
    return mark->job == job && !(mark->flags & SKED_ROUND_MARK_FLAG_STOPPING) &&
           ((mark->flags & SKED_ROUND_MARK_FLAG_STRICT) != 0) == strict;
}

/* Adds what a mark's tasks hold, as far as an amount goes. */
static void add_item_amounts(const sked_round *round, size_t at,
                             int64_t *amounts)
{
    uint32_t count = round->list.item[at].seen.count;

    for (size_t k = 0; k < round->kinds; k++) {
        int64_t one = round->list.amount[at * round->kinds + k], all;
        if (!skedi_i64_mul(one, count, &all)) all = SKED_UNLIMITED;
        amounts[k] = skedi_amount_add(amounts[k], all);
    }
}

sked_status sked_round_contract(const sked_round *round, uint64_t job,
                                int32_t contract, int64_t *amounts,
                                sked_round_mark *marks, size_t cap, size_t *n)
{
    int strict = contract == SKED_ROUND_CONTRACT_STRICT;

    if (!round || !n || (cap > 0 && !marks) ||
        (!strict && contract != SKED_ROUND_CONTRACT_NEGOTIABLE)) {
        return SKED_ERR_ARG;
    }
    const skedi_round_list *list = &round->list;
    *n = 0;
    for (size_t i = 0; i < list->n; i++) {
        *n += (size_t)is_in_contract(&list->item[i].seen, job, strict);
    }
    if (cap < *n) return SKED_ERR_RANGE;
    for (size_t k = 0; amounts && k < round->kinds; k++) amounts[k] = 0;
    for (size_t i = 0, at = 0; i < list->n; i++) {
        if (!is_in_contract(&list->item[i].seen, job, strict)) continue;
        marks[at++] = list->item[i].seen;
        if (amounts) add_item_amounts(round, i, amounts);
    }
    return SKED_OK;
}

sked_time sked_round_next(const sked_round *round)
{
    sked_time least = SKED_UNLIMITED;

    for (size_t i = 0; round && i < round->list.n; i++) {
        const sked_round_mark *mark = &round->list.item[i].seen;
        uint32_t untimed = SKED_ROUND_MARK_FLAG_STOPPING |
                           SKED_ROUND_MARK_FLAG_OFFERED;
        if (mark->flags & untimed) continue;
        least = mark->deadline < least ? mark->deadline : least;
    }
    return least;
}

sked_status sked_round_get_stats(const sked_round *round,
                                 sked_round_stats *counts)
{
    if (!round || !counts) return SKED_ERR_ARG;
    sked_status rc = skedi_struct_out(counts->struct_size, ROUND_COUNTS_V1);
    if (rc != SKED_OK) return rc;
    counts->reserved = 0;
    counts->rounds = round->tally.rounds;
    counts->notified = round->tally.notified;
    counts->killed = round->tally.killed;
    counts->withdrawn = round->tally.withdrawn;
    counts->released = round->tally.released;
    return SKED_OK;
}

sked_status sked_round_lost_work(const sked_round *round, uint32_t kind,
                                 sked_wide *work)
{
    if (!round || !work || kind >= round->kinds) return SKED_ERR_ARG;
    work->high = skedi_u128_high(round->tally.lost[kind]);
    work->low = skedi_u128_low(round->tally.lost[kind]);
    return SKED_OK;
}
