/*
 * Rebalancing: the search says where workflows are to be; from
 * home to there, the moves are then put into the order in which each gains
 * most.
 */
#include "balance/state.h"

#include <string.h>

#include "base/fail.h"
#include "base/versioned.h"

enum { RESULT_V1 = SKEDI_SIZE_THROUGH(sked_balance_result, utilisation) };

/* ---- Moves ---- */

/* The objective after one of the moves that are left, and both scores. */
typedef struct balance_step {
    sked_balance_objective after;
    int64_t score[2];
    uint32_t workflow;
} balance_step;

static balance_step step_of_move(skedi_balance *b, uint32_t w, uint32_t to)
{
    const uint32_t at[2] = {b->where[w], to};
    balance_step step = {.workflow = w};

    step.score[0] = skedi_balance_score(
        b, (skedi_balance_change){at[0], SKEDI_NO_MOVER, w});
    step.score[1] = skedi_balance_score(
        b, (skedi_balance_change){to, w, SKEDI_NO_MOVER});
    step.after = skedi_balance_after(
        b, at, step.score, balance_cost(b, w, to) - balance_cost(b, w, at[0]));
    return step;
}

/* The move that gains most; there is one. */
static sked_status best_step(skedi_balance *b, const uint32_t *target,
                             balance_step *best)
{
    sked_status rc = SKED_OK;

    best->workflow = SKEDI_NO_MOVER;
    for (uint32_t w = 0; w < b->in.workflows && rc == SKED_OK; w++) {
        if (target[w] == b->where[w]) continue;
        balance_step step = step_of_move(b, w, target[w]);
        if (best->workflow == SKEDI_NO_MOVER ||
            balance_is_less(step.after, best->after)) {
            *best = step;
        }
        rc = skedi_hooks_check(&b->hooks, w, b->in.workflows);
    }
    return rc;
}

static sked_balance_move take_step(skedi_balance *b, const uint32_t *target,
                                   const balance_step *step)
{
    uint32_t w = step->workflow, from = b->where[w], to = target[w];
    sked_balance_objective before = b->objective;

    skedi_balance_move(b, w, to, step->score[0], step->score[1]);
    return (sked_balance_move){
        .workflow = w,
        .from = from,
        .to = to,
        .gain = {before.excess - b->objective.excess,
                 before.sum - b->objective.sum},
        .from_utilisation = b->score[from],
        .to_utilisation = b->score[to],
        .from_allocation = skedi_balance_instances(b, from),
        .to_allocation = skedi_balance_instances(b, to),
    };
}

/* ---- A call ---- */

sked_status skedi_balance_find(skedi_balance_found *f)
{
    skedi_balance *b = &f->b;
    size_t n = (size_t)b->in.workflows;

    f->before = b->objective;
    sked_status rc = skedi_balance_bound(b, &f->bound);
    if (rc == SKED_OK) rc = skedi_balance_search(b, &f->complete);
    if (rc != SKED_OK) return rc;
    f->tries = b->tries;
    f->n_moves = b->moved;
    f->target = skedi_new(&b->hooks.mem, n, sizeof *f->target);
    if (!f->target) return SKED_ERR_NOMEM;
    if (n) memcpy(f->target, b->where, n * sizeof *f->target);
    return SKED_OK;
}

/* Everyone home again, then move by move. */
static sked_status list_moves(skedi_balance_found *f)
{
    skedi_balance *b = &f->b;
    balance_step step = {.workflow = SKEDI_NO_MOVER};
    sked_status rc = SKED_OK;

    f->moves = skedi_new(&b->hooks.mem, f->n_moves, sizeof *f->moves);
    if (!f->moves) return SKED_ERR_NOMEM;
    for (uint32_t w = 0; w < b->in.workflows; w++) {
        if (b->where[w] == b->in.home[w]) continue;
        step = step_of_move(b, w, b->in.home[w]);
        skedi_balance_move(b, w, b->in.home[w], step.score[0], step.score[1]);
    }
    for (uint32_t i = 0; i < f->n_moves && rc == SKED_OK; i++) {
        rc = best_step(b, f->target, &step);
        if (rc == SKED_OK) f->moves[i] = take_step(b, f->target, &step);
    }
    return rc;
}

void skedi_balance_hand_out(const skedi_balance_found *f,
                            sked_balance_result *result)
{
    const skedi_balance *b = &f->b;
    uint32_t *cluster = result->cluster;
    int64_t *utilisation = result->utilisation;

    if (b->in.workflows) {
        memcpy(cluster, f->target, (size_t)b->in.workflows * sizeof *cluster);
    }
    if (utilisation) {
        memcpy(utilisation, b->score,
               (size_t)b->in.clusters * sizeof *utilisation);
    }
    result->moves = f->n_moves;
    result->complete = f->complete;
    result->tries = f->tries;
    result->before = f->before;
    result->after = b->objective;
    result->bound = f->bound;
}

void skedi_balance_drop_found(skedi_balance_found *f)
{
    skedi_mem *mem = &f->b.hooks.mem;

    skedi_free(mem, f->moves, f->n_moves, sizeof *f->moves);
    skedi_free(mem, f->target, (size_t)f->b.in.workflows, sizeof *f->target);
    skedi_balance_drop(&f->b);
}

sked_status skedi_balance_result_in(const sked_balance_input *in,
                                    const sked_balance_result *result,
                                    sked_error *err)
{
    const char *missing = !result                             ? "result"
                          : in->workflows && !result->cluster ? "result.cluster"
                                                              : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_struct_out(result->struct_size, RESULT_V1);
    return rc == SKED_OK ? rc : skedi_fail_version(err, "result");
}

sked_status sked_balance(const sked_balance_input *input, const sked_host *host,
                         sked_balance_result *result, sked_balance_move *moves,
                         size_t cap, sked_error *err)
{
    skedi_balance_found f = {.complete = 0};
    sked_balance_input taken;
    sked_status rc = skedi_balance_take(&taken, input, err);

    if (rc == SKED_OK) rc = skedi_balance_result_in(&taken, result, err);
    if (rc == SKED_OK) rc = skedi_balance_in(&f.b, &taken, host, NULL, err);
    if (rc != SKED_OK) return rc;
    rc = skedi_balance_find(&f);
    if (rc == SKED_OK && moves && f.n_moves <= cap) rc = list_moves(&f);
    if (rc != SKED_OK) {
        (void)skedi_fail_stopped(err, rc);
    } else if (moves && f.n_moves > cap) {
        rc = skedi_fail(err, SKED_ERR_RANGE, "more moves than `cap`",
                        (skedi_fault){.got = f.n_moves, .limit = (int64_t)cap});
    } else {
        if (f.moves) memcpy(moves, f.moves, f.n_moves * sizeof *moves);
        skedi_balance_hand_out(&f, result);
    }
    skedi_balance_drop_found(&f);
    return rc;
}
