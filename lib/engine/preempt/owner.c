/*
 * Which queues claim and which give in a round, policy by policy: each policy
 * looks at the same queues, with the same keeps, and by its own clocks.
 */
#include <string.h>

#include "base/fail.h"
#include "engine/order/shares.h"
#include "engine/preempt/owners.h"
#include "target/handle.h"

/* What queues have, or have and want; parents' are left as they are. */
static int64_t *usage_by_row(round_part *part)
{
    const sked_engine *e = part->e;
    size_t cells = (size_t)e->rows.n * e->kinds;
    int64_t *rows = skedi_round_reserve(part->e, cells, sizeof *rows);

    if (rows) memcpy(rows, part->held, cells * sizeof *rows);
    return rows;
}

/* What queues use and want. More than an amount can be counts as the largest:
 * no capacity is more. NULL: no memory. */
static int64_t *demand_by_row(round_part *part)
{
    sked_engine *e = part->e;
    size_t cells = (size_t)e->rows.n * e->kinds;
    int64_t *rows = skedi_round_reserve(e, cells, sizeof *rows);

    for (uint32_t row = 0; rows && row < e->rows.n; row++) {
        memcpy(rows + (size_t)row * e->kinds,
               cell_row(e, e->cell_used, cell_of(e, row, part->partition)),
               e->kinds * sizeof *rows);
    }
    if (!rows || !skedi_wanted_add(e, part->partition, rows)) return NULL;
    for (size_t i = 0; i < cells; i++) {
        rows[i] = skedi_i64_min(rows[i], SKED_AMOUNT_MAX);
    }
    return rows;
}

/* Shares by row. NULL: no memory. */
static int64_t *share_by_row(const round_part *part)
{
    sked_engine *e = part->e;
    size_t cells = (size_t)e->rows.n * e->kinds;
    int64_t *share = skedi_round_reserve(e, cells, sizeof *share);

    for (uint32_t row = 0; share && row < e->rows.n; row++) {
        memcpy(share + (size_t)row * e->kinds,
               cell_row(e, e->cell_share, cell_of(e, row, part->partition)),
               e->kinds * sizeof *share);
    }
    return share;
}

/* Memory for what policies say, and how far leaves may claim by each once they
 * are due. 0: no memory. */
static int open_policies(round_part *part, int64_t **claim)
{
    sked_engine *e = part->e;
    uint32_t n = e->preempt->policies;
    size_t cells = (size_t)e->rows.n * e->kinds;

    part->policy = skedi_round_reserve(e, n, sizeof *part->policy);
    part->took = skedi_round_reserve(e, cells, sizeof *part->took);
    part->gave = skedi_round_reserve(e, e->rows.n, sizeof *part->gave);
    if (!part->policy || !part->took || !part->gave) return 0;
    part->by = part->policy;
    for (uint32_t i = 0; i < n; i++) {
        round_policy *p = &part->policy[i];
        claim[i] = skedi_round_reserve(e, cells, sizeof *claim[i]);
        p->named = skedi_round_reserve(e, e->rows.n, sizeof *p->named);
        if (!claim[i] || !p->named) return 0;
    }
    return 1;
}

/* What a round may take by a policy. 0: no memory. */
static int take_budget(const round_part *part, const sked_target *target,
                       round_policy *policy)
{
    sked_engine *e = part->e;
    size_t cells = (size_t)e->rows.n * e->kinds;
    const int64_t *budget = sked_target_total(target, SKED_TARGET_TOTAL_BUDGET,
                                              NULL);
    int64_t *take = skedi_round_reserve(e, cells, sizeof *take);

    if (!take) return 0;
    memcpy(take, sked_target_view(target, SKED_TARGET_COLUMN_TAKE, NULL),
           cells * sizeof *take);
    for (uint32_t k = 0; k < e->kinds; k++) {
        policy->budget[k] = skedi_i64_min(budget[k], SKED_AMOUNT_MAX);
    }
    policy->take = take;
    return 1;
}

/* Time-outs lift claims to a part of the share, which orders that lead to none
 * would not give back: below these, claims reach up to guarantees alone. */
static int cap_claims(const round_part *part, const sked_target *target,
                      const int64_t *most, round_policy *policy)
{
    sked_engine *e = part->e;
    size_t cells = (size_t)e->rows.n * e->kinds;
    int64_t *claim = skedi_round_reserve(e, cells, sizeof *claim);

    if (!claim) return 0;
    memcpy(claim, sked_target_view(target, SKED_TARGET_COLUMN_CLAIM, NULL),
           cells * sizeof *claim);
    for (uint32_t row = 0; row < e->rows.n; row++) {
        if (!row_is_leaf(e, row) || !skedi_is_below_other_order(e, row))
            continue;
        for (uint32_t k = 0; k < e->kinds; k++) {
            size_t at = (size_t)row * e->kinds + k;
            claim[at] = skedi_i64_min(claim[at], most[at]);
        }
    }
    policy->claim = claim;
    return 1;
}

/* What a policy finds, with its clocks moved. */
static sked_status judge_by(const round_part *part, uint32_t policy,
                            const sked_target_input *in, sked_error *err)
{
    sked_target *target = part->e->preempt->target[policy];
    round_policy *p = &part->policy[policy];
    sked_status rc = sked_target_compute(target, in, part->e->now, err);

    if (rc != SKED_OK) return rc;
    p->reasons = sked_target_reasons(target, NULL);
    return cap_claims(part, target, in->claim, p) &&
                   take_budget(part, target, p)
               ? SKED_OK
               : SKED_ERR_NOMEM;
}

/* ---- Lazy rounds ---- */

static int reserve_keeps(sked_engine *e)
{
    struct engine_preempt *own = e->preempt;
    skedi_mem *mem = &e->hooks.mem;
    size_t cells = (size_t)e->rows.n * e->parts, all = cells * own->policies;

    return skedi_ensure(mem, &own->keeps.item, &own->keeps.cap,
                        cells * e->kinds, sizeof(int64_t)) &&
           skedi_ensure(mem, &own->claims.item, &own->claims.cap,
                        all * e->kinds, sizeof(int64_t)) &&
           skedi_ensure(mem, &own->givers.item, &own->givers.cap, all, 1);
}

/* What lazy rounds take by between rounds. Partitions follow each other: those
 * that no round saw stand behind, or give nothing. */
static int remember_keeps(const round_part *part)
{
    sked_engine *e = part->e;
    struct engine_preempt *own = e->preempt;
    size_t rows = e->rows.n, kinds = e->kinds, first = rows * part->partition;

    if (!own->lazy) return 1;
    if (!reserve_keeps(e)) return 0;
    int64_t *keeps = own->keeps.item, *claims = own->claims.item;
    uint8_t *givers = own->givers.item;
    if (own->keeps.n < first + rows) {
        size_t had = own->keeps.n * own->policies;
        memset(givers + had, 0, (first + rows) * own->policies - had);
        own->keeps.n = first + rows;
    }
    memcpy(keeps + first * kinds, part->keep, rows * kinds * sizeof *keeps);
    for (uint32_t i = 0; i < own->policies; i++) {
        const round_policy *p = &part->policy[i];
        size_t cell = first * own->policies + rows * i;
        memcpy(claims + cell * kinds, p->claim, rows * kinds * sizeof *claims);
        for (uint32_t row = 0; row < rows; row++, cell++) {
            int gives = (p->reasons[row] & ROUND_GIVING) != 0;
            givers[cell] = (uint8_t)((gives ? ROUND_GIVES : 0) |
                                     (part->allowed[row] ? ROUND_ALLOWED : 0));
        }
    }
    return 1;
}

/* ---- All of them ---- */

sked_status skedi_round_owners(round_part *part, sked_error *err)
{
    sked_engine *e = part->e;
    int64_t *claim[SKED_MAX_PREEMPT_POLICIES] = {0};
    size_t cells = (size_t)e->rows.n * e->kinds;
    int64_t *keep = skedi_round_reserve(e, cells, sizeof *keep);
    sked_target_input in = {
        .struct_size = sizeof in,
        .partition = part->partition,
        .tree = e->tree,
        .usage = usage_by_row(part),
        .demand = demand_by_row(part),
        .running = e->rows.running,
        .capacity = e->capacity + (size_t)part->partition * e->kinds,
        .keep = keep,
    };
    sked_status rc = SKED_OK;

    skedi_shares_renew(e, part->partition);
    in.share = share_by_row(part);
    if (!in.usage || !in.demand || !in.share || !keep ||
        !open_policies(part, claim)) {
        return SKED_ERR_NOMEM;
    }
    skedi_bound_leaves(part, claim, keep);
    for (uint32_t i = 0; i < e->preempt->policies && rc == SKED_OK; i++) {
        in.claim = claim[i];
        rc = judge_by(part, i, &in, err);
    }
    if (rc != SKED_OK) return rc;
    /* All policies find the same of these. */
    const sked_target *target = e->preempt->target[0];
    part->allowed = target->last.allowed;
    part->share = sked_target_view(target, SKED_TARGET_COLUMN_SHARE, NULL);
    part->excess = sked_target_view(target, SKED_TARGET_COLUMN_EXCESS, NULL);
    part->keep = skedi_targets_column(&target->last, SKEDI_TARGET_BOUNDS);
    return remember_keeps(part) ? SKED_OK : SKED_ERR_NOMEM;
}
