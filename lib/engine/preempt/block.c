/* What is in the way of a step: the trees of limits, bounds from the lowest up,
 * the node last. */
#include <string.h>

#include "engine/core/refusal.h"
#include "engine/order/accounts.h"
#include "engine/order/shapes.h"
#include "engine/order/trees.h"
#include "engine/order/shares.h"
#include "engine/preempt/rounds.h"

static int note_lack(const sked_engine *e, const int64_t *have,
                     const int64_t *bound, const int64_t *more, int64_t *lack)
{
    int any = 0;

    for (uint32_t k = 0; k < e->kinds; k++) {
        if (more[k] == 0 || bound[k] == SKED_UNLIMITED) continue;
        int64_t over = have[k] + more[k] - bound[k];
        if (over <= 0) continue;
        lack[k] = skedi_i64_max(lack[k], over);
        any = 1;
    }
    return any;
}

/* The lowest queue on the path whose bounds the step would pass. */
static int block_of_rows(const round_part *part, const plan_want *want,
                         plan_block *block)
{
    const sked_engine *e = part->e;
    int64_t more[SKED_MAX_KINDS];

    memcpy(more, want->step, e->kinds * sizeof *more);
    for (uint32_t row = want->leaf;; row = (uint32_t)e->rows.parent[row]) {
        size_t at = (size_t)row * e->kinds;
        size_t cell = cell_of(e, row, part->partition);
        const int64_t *held = part->held + at;
        const int64_t *kept = cell_row(e, e->cell_kept, cell);
        int any = note_lack(e, held, cell_row(e, e->cell_limit, cell), more,
                            block->lack);
        /* What runs may be more than what is booked allows for (refusal.c). */
        if (e->lends) {
            any |= note_lack(e, part->bare + at,
                             cell_row(e, e->cell_limit, cell), want->step,
                             block->lack);
        }
        if (e->rows.wide[row]) {
            any |= note_lack(e, part->s->wide + at, e->rows.ceiling + at,
                             want->step, block->lack);
        }
        if (any) {
            block->what = BLOCK_ROW;
            block->row = row;
            return 1;
        }
        if (row == 0) return 0;
        for (uint32_t k = 0; k < e->kinds; k++) {
            more[k] = skedi_i64_max(held[k] + more[k], kept[k]) -
                      skedi_i64_max(held[k], kept[k]);
        }
    }
}

/* The bound of a user moves with what the leaf uses, so it is asked twice: with
 * all that is planned for others, and before any of that has started. */
static int user_blocks(const round_part *part, const plan_want *want)
{
    const sked_engine *e = part->e;
    size_t leaf = (size_t)want->leaf * e->kinds;
    size_t account = (size_t)want->account * e->kinds;
    int64_t sure[SKED_MAX_KINDS];

    if (want->account == SKEDI_NONE) return 0;
    for (uint32_t k = 0; k < e->kinds; k++) {
        sure[k] = part->held[leaf + k] - part->leaf_new[leaf + k] +
                  part->account_new[account + k];
    }
    engine_without then = {part->held + leaf, part->account_used + account,
                           part->coming[want->leaf]};
    if (skedi_account_would_fill(e, want->account, &then)) return 1;
    then.used = sure;
    return skedi_account_would_fill(e, want->account, &then);
}

/* Masters hold as much of a leaf as they may, and some do. */
static int masters_block(const round_part *part, const plan_want *want,
                         int64_t *lack)
{
    const sked_engine *e = part->e;
    const int64_t *held = part->masters + (size_t)want->leaf * e->kinds;
    int64_t some = 0;
    int any = 0;

    if (!want->master || !e->mastered) return 0;
    if (e->rows.am_share[want->leaf] == SKED_UNLIMITED) return 0;
    for (uint32_t k = 0; k < e->kinds; k++) some |= held[k];
    for (uint32_t k = 0; some && k < e->kinds; k++) {
        int64_t bound = skedi_masters_bound(e, want->leaf, part->partition, k);
        if (want->step[k] == 0 || held[k] + want->step[k] <= bound) continue;
        lack[k] = held[k] + want->step[k] - bound;
        any = 1;
    }
    return any;
}

/* Does a limit of another tree not hold the step beside what is used there and
 * planned? */
static int tree_blocks(const round_part *part, const plan_want *want)
{
    uint32_t job = ask_at(part->e, want->ask)->job;

    if (want->charged || !part->s->charged) return 0;
    return skedi_trees_bound(part->e, job, want->step, part->s->charged).tree !=
           SKEDI_NONE;
}

plan_block skedi_plan_block(round_part *part, const plan_want *want,
                            uint32_t node)
{
    const sked_engine *e = part->e;
    plan_block block = {BLOCK_NONE, want->leaf, {0}};

    if (tree_blocks(part, want)) {
        block.what = BLOCK_TREE;
        return block;
    }
    if (block_of_rows(part, want, &block)) return block;
    if (!want->follows && user_blocks(part, want)) {
        block.what = BLOCK_USER;
        memcpy(block.lack, want->step, e->kinds * sizeof *block.lack);
        return block;
    }
    if (masters_block(part, want, block.lack)) {
        block.what = BLOCK_MASTERS;
        return block;
    }
    if (node == SKEDI_NONE) return block;
    const int64_t *free = skedi_books_free(part, node);
    for (uint32_t k = 0; k < e->kinds; k++) {
        if (want->step[k] <= free[k] || want->step[k] == 0) continue;
        block.lack[k] = want->step[k] - free[k];
        block.what = BLOCK_NODE;
        block.row = 0;
    }
    return block;
}

plan_want skedi_plan_want(const round_part *part, uint32_t ask,
                          uint32_t account, uint32_t rule)
{
    const sked_engine *e = part->e;
    const engine_ask *a = ask_at(e, ask);
    const engine_job *job = job_at(e, a->job);
    uint32_t each = extra_of(e, a)->each; /* go to one node together */

    return (plan_want){
        .ask = ask,
        .leaf = job->row,
        .account = account,
        .rule = rule,
        .tasks = each                    ? each
                 : skedi_ask_is_whole(a) ? (uint32_t)a->open
                                         : 1,
        .inner = SKEDI_NONE,
        .priority = job->priority,
        .master = (a->flags & SKED_ASK_MASTER) != 0,
        .step = each ? e->preempt->units + (size_t)a->shape * e->kinds
                     : skedi_shape_part(e, a->shape),
        .only = SKEDI_NONE,
    };
}

void skedi_plan_one(const round_part *part, plan_want *want)
{
    want->tasks = 1;
    want->step = skedi_shape_part(part->e, ask_at(part->e, want->ask)->shape);
}

plan_want skedi_placed_want(const round_part *part,
                            const round_placement *placement)
{
    const sked_engine *e = part->e;
    uint32_t ask = placement->ask;
    uint32_t user = skedi_account_of_ask(e, ask, part->partition);
    plan_want want = skedi_plan_want(part, ask, user, PLAN_CLAIM);

    want.follows = placement->span == 0;
    if (placement->count < extra_of(e, ask_at(e, ask))->each) {
        skedi_plan_one(part, &want);
    }
    return want;
}
