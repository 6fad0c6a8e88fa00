/*
 * Room that is kept: whoever else asks finds it taken; who it is for has it
 * when the node's turn comes, as far as victims have made it.
 */
#include "ref_engine_may.h"

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"

/* What is kept, of one kind: a gang needs the room of the whole. */
int64_t ref_engine_kept_amount(const ref_engine *r, const ref_kept *kept,
                               uint32_t kind)
{
    const ref_ask *a = &r->ask[kept->ask];

    if (a->flags & SKED_ASK_GANG) return kept->count ? a->step[kind] : 0;
    return a->task[kind] * kept->count;
}

/* Free on a node, but for the first `older` of all rooms kept. */
void ref_engine_room_on(const ref_engine *r, size_t node, size_t older,
                        int64_t *amounts)
{
    ref_engine_free_on(r, node, amounts);
    for (size_t i = 0; i < r->rooms && i < older; i++) {
        if (r->kept[i].node != node) continue;
        for (uint32_t k = 0; k < r->kinds; k++) {
            amounts[k] -= ref_engine_kept_amount(r, &r->kept[i], k);
        }
    }
}

size_t ref_engine_kept(const ref_engine *r, size_t ask, size_t node)
{
    for (size_t i = 0; i < r->rooms; i++) {
        if (r->kept[i].ask == ask && r->kept[i].node == node) return i;
    }
    return SIZE_MAX;
}

static void decide_kept(ref_engine *r, const ref_kept *kept, int32_t kind,
                        int32_t reason)
{
    const ref_ask *a = &r->ask[kept->ask];

    (void)ref_engine_decide(
        r, (sked_decision){.kind = kind,
                           .reason = reason,
                           .job = r->job[a->job].key,
                           .ask = a->key,
                           .node = r->node[kept->node].key,
                           .count = kept->count,
                           .queue = r->job[a->job].queue,
                           .detail = kept->until,
                           .kind_at = -1,
                           .partition = r->node[kept->node].partition});
}

void ref_engine_renew(ref_engine *r, size_t kept)
{
    r->kept[kept].until = r->now + r->preempt->keep_for;
    r->kept[kept].renewed = ++r->renewals;
}

void ref_engine_keep(ref_engine *r, size_t ask, size_t node, int64_t count)
{
    ref_kept *kept = MORE(r, kept, rooms);

    kept->ask = ask;
    kept->node = node;
    kept->count = count;
    ref_engine_renew(r, r->rooms - 1);
    decide_kept(r, kept, SKED_DECIDE_RESERVE, SKED_REASON_PREEMPTED);
}

void ref_engine_drop(ref_engine *r, size_t kept)
{
    memmove(r->kept + kept, r->kept + kept + 1,
            (--r->rooms - kept) * sizeof *r->kept);
}

void ref_engine_void(ref_engine *r, size_t kept)
{
    decide_kept(r, &r->kept[kept], SKED_DECIDE_WITHDRAW, SKED_REASON_NEED_GONE);
    ref_engine_drop(r, kept);
}

/* The room of an ask that would end next after one renewed then. */
static size_t next_of_ask(const ref_engine *r, size_t ask, uint64_t renewed)
{
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < r->rooms; i++) {
        const ref_kept *k = &r->kept[i];
        if (k->ask != ask || k->renewed <= renewed) continue;
        if (best == SIZE_MAX || k->renewed < r->kept[best].renewed) best = i;
    }
    return best;
}

/* No more is kept for an ask than it has open. */
void ref_engine_trim(ref_engine *r, size_t ask)
{
    int64_t open = ref_engine_open(&r->ask[ask]);
    uint64_t renewed = 0;
    size_t i;

    while ((i = next_of_ask(r, ask, renewed)) != SIZE_MAX) {
        renewed = r->kept[i].renewed;
        if (open == 0 && r->kept[i].count > 0) {
            ref_engine_drop(r, i);
            continue;
        }
        r->kept[i].count = skedi_i64_min(r->kept[i].count, open);
        open -= r->kept[i].count;
    }
}

void ref_engine_clear(ref_engine *r, size_t node)
{
    for (size_t i = r->rooms; i-- > 0;) {
        if (r->kept[i].node == node) ref_engine_drop(r, i);
    }
}

static int may_serve(const ref_engine *r, size_t kept)
{
    const ref_kept *k = &r->kept[kept];
    ref_books b = ref_books_open_but(r, r->node[k->node].partition, kept);
    int64_t free_there[REF_KINDS];

    ref_engine_room_on(r, k->node, kept, free_there);
    int may = ref_engine_may_run(r, &b, k->ask, k->node, free_there);
    ref_books_close(&b);
    return may;
}

/* Starts what it can of one. 1: cut short. */
static int serve_one(ref_engine *r, size_t kept, size_t first, uint64_t most,
                     uint64_t *started)
{
    uint32_t bound = r->opts.max_per_pass;

    for (;;) {
        size_t ask = r->kept[kept].ask, node = r->kept[kept].node;
        int gang = (r->ask[ask].flags & SKED_ASK_GANG) != 0;
        int64_t step = gang ? ref_engine_open(&r->ask[ask]) : 1;
        if (step == 0 || r->kept[kept].count < step) return 0;
        if (bound && *started >= bound) return 0;
        if (!may_serve(r, kept)) return 0;
        if (ref_engine_is_full(r) || r->n_out >= most) return 1;
        ++*started;
        r->kept[kept].count -= step;
        ref_engine_start(r, ask, node, first);
        r->out[r->n_out - 1].reason = SKED_REASON_HELD;
    }
}

int ref_engine_serve(ref_engine *r, size_t node, uint64_t most,
                     uint64_t *started)
{
    size_t first = r->groups;
    int cut = 0;

    for (size_t i = 0; i < r->rooms && !cut; i++) {
        if (r->kept[i].node != node) continue;
        cut = serve_one(r, i, first, most, started);
    }
    for (size_t i = r->rooms; i-- > 0;) {
        if (r->kept[i].node == node && r->kept[i].count == 0) {
            ref_engine_drop(r, i);
        }
    }
    return cut;
}
