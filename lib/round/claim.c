/*
 * Offered tasks whose place is taken. A claim is walked with the marks just as
 * a selection is (round/update.c), so that it, too, changes all or nothing.
 */
#include "base/fail.h"
#include "round/step.h"

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

/* Is so much of each row offered? */
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
    return rc == SKED_OK ? skedi_round_apply(&u, err) : rc;
}
