/* Invariants of rounds, and their digest. */
#include "base/fail.h"
#include "base/hash.h"
#include "round/state.h"

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

/* Orders as digests number them, from 1 on. */
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

/* What is wrong between a mark and the one before it; NULL: nothing. */
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
