/*
 * What a selection does to the marks there are.
 *
 * Marks stand by key and the rows of a selection are brought into that order,
 * so both are walked together, one key after the other. The marks that remain
 * are written to a list beside the one in force, actions behind those not yet
 * taken; memory for all of it is there before the walk begins. Until the two
 * lists are swapped at the end nothing that can be seen has changed, so the
 * walk may be cancelled at any point.
 */
#include "base/fail.h"
#include "base/versioned.h"
#include "round/step.h"

SKEDI_NO_TAIL_PADDING(sked_round_input, held);

enum {
    ROUND_WANTED_V1 = SKEDI_SIZE_THROUGH(sked_round_input, strict),
    ROUND_CHECK = 65536 /* keys between two looks at the cancel flag */
};

/* ---- What the caller gave ---- */

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

/* ---- All of them ---- */

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
        skedi_round_step(u, &key);
        at = key.end;
        row += key.row != SKEDI_NO_WANTED;
    }
    return SKED_OK;
}

sked_status skedi_round_apply(skedi_round_update *u, sked_error *err)
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
    skedi_round_push_rows(u);

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
    return rc == SKED_OK ? skedi_round_apply(&u, err) : rc;
}
