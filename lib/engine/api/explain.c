/*
 * Why a job has nothing more: for each of its open asks the bounds one after
 * the other, as they are asked, with what is needed and what there is.
 */
#include <sched/engine.h>

#include "base/arith.h"
#include "engine/api/explain_nodes.h"
#include "engine/work.h"
#include "engine/exclusion.h"
#include "engine/gang.h"
#include "engine/admission.h"
#include "engine/rules.h"
#include "engine/queue.h"
#include "engine/budget.h"
#include "engine/gang_fit.h"
#include "engine/order/sets.h"
#include "engine/preempt/owners.h"

/* The rows from a leaf up to the root; how many. */
static uint32_t path_up(const sked_engine *e, uint32_t row, uint32_t *path)
{
    uint32_t depth = 0;

    path[depth++] = row;
    while (row != 0) path[depth++] = row = (uint32_t)e->rows.parent[row];
    return depth;
}

/* The bound of its class; or that others of its leaf's lines go first. */
static void explain_class(const sked_engine *e, const engine_job *job,
                          explain_list *list)
{
    uint32_t at = (uint32_t)(job - job_at(e, 0));
    engine_gate_fault fault = {0, 0, 0};

    if (job->state != JOB_WAITING || !gate_of(e, job->row)) return;
    int refused = skedi_gate_refuses(e, at, &fault);
    skedi_explain_add(
        list,
        (sked_engine_bound){.reason = refused ? SKED_REASON_CLASS
                                              : SKED_REASON_NOT_ADMITTED,
                            .kind = refused ? (int32_t)fault.kind : -1,
                            .queue = e->rows.id[job->row],
                            .need = fault.need,
                            .bound = fault.bound,
                            .partition = SKED_ANY_PARTITION},
        1);
}

/* Queues that drain and applications running at each level, from the root
 * down, then the user's. */
static void explain_admission(const sked_engine *e, const engine_job *job,
                              explain_list *list)
{
    uint32_t path[SKED_MAX_DEPTH], depth = path_up(e, job->row, path);
    const engine_user *user = (const engine_user *)e->users.item + job->user;
    int waits = job->state == JOB_WAITING;

    while (depth-- > 0) {
        uint32_t row = path[depth];
        int64_t running = e->rows.running[row];
        sked_engine_bound bound = {.reason = SKED_REASON_DRAINING,
                                   .kind = -1,
                                   .queue = e->rows.id[row],
                                   .partition = SKED_ANY_PARTITION};
        if (e->rows.closed[row]) skedi_explain_add(list, bound, 1);
        bound.reason = SKED_REASON_MAX_RUNNING;
        bound.need = running + waits;
        bound.bound = e->rows.max_running[row];
        skedi_explain_add(list, bound, waits && running >= bound.bound);
    }
    skedi_explain_trees_running(e, job, waits, list);
    if (!e->opts.max_user_running) return;
    skedi_explain_add(
        list,
        (sked_engine_bound){.reason = SKED_REASON_USER_RUNNING,
                            .kind = -1,
                            .need = (int64_t)user->running + waits,
                            .bound = e->opts.max_user_running,
                            .partition = SKED_ANY_PARTITION},
        waits && user->running >= e->opts.max_user_running);
}

/* Weights on its path, from the root down, that are the host's. */
static void explain_weights(const sked_engine *e, const engine_job *job,
                            explain_list *list)
{
    uint32_t path[SKED_MAX_DEPTH], depth = path_up(e, job->row, path), tree;

    while (depth-- > 0) {
        if (!skedi_weight_differs(e, path[depth], &tree)) continue;
        skedi_explain_add(list,
                          (sked_engine_bound){.reason = SKED_REASON_WEIGHT,
                                              .kind = -1,
                                              .queue = e->rows.id[path[depth]],
                                              .need = e->rows.said[path[depth]],
                                              .bound = tree,
                                              .partition = SKED_ANY_PARTITION},
                          0);
    }
}

/* One queue's limits, kind by kind. */
static void explain_limit(const sked_engine *e, uint32_t ask, uint32_t row,
                          uint32_t partition, explain_list *list)
{
    const engine_ask *a = ask_at(e, ask);
    const int64_t *step = engine_row_of(e, &e->shape_step, a->shape);
    int64_t delta[SKED_MAX_KINDS];
    int never = (skedi_parked_by(e, a) & PARK_LIMIT) != 0;

    skedi_explain_delta(e, a, row, partition, step, delta);
    for (uint32_t k = 0; k < e->kinds; k++) {
        explain_line line = skedi_explain_limit(e, row, partition, k, step[k],
                                                delta[k]);
        sked_engine_bound bound;
        if (step[k] == 0 || line.bound == SKED_UNLIMITED) continue;
        int64_t ceiling = e->rows.ceiling[(size_t)row * e->kinds + k];
        if (never && step[k] > ceiling) {
            line = (explain_line){step[k], ceiling};
            bound = skedi_explain_bound(e, a, row, partition, k, line);
            bound.reason = SKED_REASON_NEVER_LIMIT;
            skedi_explain_add(list, bound, 1);
            continue;
        }
        bound = skedi_explain_bound(e, a, row, partition, k, line);
        skedi_explain_add(list, bound, line.need > line.bound);
    }
}

/* The rates on its path: from when on a task may start by each. */
static void explain_rate(const sked_engine *e, const engine_ask *a,
                         uint32_t row, explain_list *list)
{
    if (!e->rated || e->rows.rate[row].most == SKED_UNLIMITED) return;
    sked_time lapse = skedi_rate_lapse(e, row);
    skedi_explain_add(list,
                      (sked_engine_bound){.reason = SKED_REASON_RATE,
                                          .kind = -1,
                                          .ask = a->key,
                                          .queue = e->rows.id[row],
                                          .need = lapse,
                                          .bound = e->rows.rate[row].most,
                                          .partition = SKED_ANY_PARTITION},
                      lapse > e->now);
}

/* What the user would hold with one step more, and may: it is at its limit when
 * it holds that much, and may pass it by a step. */
static void explain_user(const sked_engine *e, const engine_ask *a,
                         uint32_t partition, explain_list *list)
{
    const engine_job *job = job_at(e, a->job);
    uint32_t kind, account = skedi_account_find(
                       e, (uint32_t)cell_of(e, job->row, partition), job->user);

    if (!e->rows.by_user[job->row] || account == SKEDI_NONE) return;
    int64_t limit = skedi_account_limit(e, account, &kind);
    int64_t used = skedi_account_held(e, account, kind);
    int64_t step = engine_row_of(e, &e->shape_step, a->shape)[kind];
    skedi_explain_add(list,
                      (sked_engine_bound){.reason = SKED_REASON_USER_LIMIT,
                                          .kind = (int32_t)kind,
                                          .ask = a->key,
                                          .queue = job->queue,
                                          .need = skedi_amount_add(used, step),
                                          .bound = limit,
                                          .partition = partition},
                      skedi_account_is_full(e, account));
}

/* What masters of the leaf may hold. */
static void explain_masters(const sked_engine *e, uint32_t ask,
                            uint32_t partition, explain_list *list)
{
    const engine_ask *a = ask_at(e, ask);
    const engine_job *job = job_at(e, a->job);
    uint32_t k = 0;
    int64_t need = 0;

    if (!skedi_masters_refuse(e, ask, partition, &k, &need)) return;
    skedi_explain_add(
        list,
        (sked_engine_bound){
            .reason = SKED_REASON_MASTERS,
            .kind = (int32_t)k,
            .ask = a->key,
            .queue = job->queue,
            .need = need,
            .bound = skedi_masters_bound(e, job->row, partition, k),
            .partition = partition,
        },
        1);
}

/* Of no kind where its job never preempts; else of one of which no policy lets
 * its queue claim as much: nothing is preempted for it. Of kinds nothing is said
 * while shares are due to be made anew: the next round goes by others. */
static void explain_claim(const sked_engine *e, uint32_t ask,
                          uint32_t partition, explain_list *list)
{
    const engine_ask *a = ask_at(e, ask);
    uint32_t row = job_at(e, a->job)->row;
    const int64_t *step = engine_row_of(e, &e->shape_step, a->shape);
    const int64_t *used = cell_row(e, e->cell_used, cell_of(e, row, partition));
    int64_t need[SKED_MAX_KINDS], claim;
    const engine_partition *part = &e->partition[partition];

    if (!e->preempt) return;
    if (job_at(e, a->job)->flags & SKED_JOB_YIELDS) {
        skedi_explain_add(list,
                          (sked_engine_bound){.reason = SKED_REASON_NO_CLAIM,
                                              .kind = -1,
                                              .ask = a->key,
                                              .partition = partition},
                          !list->bound);
        return;
    }
    if (!part->fresh || part->moved || part->dirty) return;
    for (uint32_t k = 0; k < e->kinds; k++) {
        need[k] = step[k] > 0 ? skedi_amount_add(used[k], step[k]) : 0;
    }
    int32_t k = skedi_claim_lacks(e, row, partition, need, &claim);
    if (k < 0) return;
    skedi_explain_add(list,
                      (sked_engine_bound){.reason = SKED_REASON_NO_CLAIM,
                                          .kind = k,
                                          .ask = a->key,
                                          .queue = e->rows.id[row],
                                          .need = need[k],
                                          .bound = claim,
                                          .partition = partition},
                      !list->bound);
}

/* The host refused it everywhere, or its job. */
static void explain_refusal(const sked_engine *e, const engine_ask *a,
                            uint32_t partition, explain_list *list)
{
    if (!(skedi_parked_by(e, a) & (PARK_ASK | PARK_JOB))) return;
    skedi_explain_add(list,
                      (sked_engine_bound){.reason = SKED_REASON_REFUSED,
                                          .kind = -1,
                                          .ask = a->key,
                                          .partition = partition},
                      1);
}

/* How many nodes its rule takes, of those that take work. */
static void explain_rule(const sked_engine *e, uint32_t ask, uint32_t partition,
                         explain_list *list)
{
    const engine_ask *a = ask_at(e, ask);

    if (shape_at(e, a->shape)->set == SKEDI_NONE) return;
    const explain_nodes count = skedi_explain_count(e, ask, partition);
    int binds = skedi_explain_rule_binds(e, ask, &count);
    skedi_explain_add(list,
                      (sked_engine_bound){.reason = SKED_REASON_RULE,
                                          .kind = -1,
                                          .ask = a->key,
                                          .need = 1,
                                          .bound = count.taken,
                                          .partition = partition},
                      binds);
}

static void explain_ask(const sked_engine *e, uint32_t ask, uint32_t partition,
                        explain_list *list)
{
    const engine_ask *a = ask_at(e, ask);
    uint32_t path[SKED_MAX_DEPTH];
    uint32_t depth = path_up(e, job_at(e, a->job)->row, path);

    explain_refusal(e, a, partition, list);
    for (uint32_t i = depth; i-- > 0;) explain_rate(e, a, path[i], list);
    while (depth-- > 0) explain_limit(e, ask, path[depth], partition, list);
    skedi_explain_trees(e, a, engine_row_of(e, &e->shape_step, a->shape),
                        partition, list);
    explain_masters(e, ask, partition, list);
    explain_user(e, a, partition, list);
    explain_rule(e, ask, partition, list);
    if (a->flags & SKED_ASK_SPREAD)
        skedi_explain_gang(e, ask, partition, list);
    else
        skedi_explain_nodes(e, ask, partition, list);
    skedi_explain_forming(e, ask, partition, list);
    explain_claim(e, ask, partition, list);
}

/* Is an ask explained in a partition? One for any is in each that has nodes, or
 * where there is no node in the first. */
static int is_explained_in(const sked_engine *e, const engine_ask *a,
                           uint32_t partition)
{
    if (a->partition != SKED_ANY_PARTITION) return a->partition == partition;
    if (e->stats.nodes == 0) return partition == 0;
    return e->partition[partition].nodes > 0;
}

/* All bounds of a job, of which `list` takes as many as fit. */
static void explain_all(const sked_engine *e, const engine_job *job,
                        explain_list *list)
{
    explain_admission(e, job, list);
    explain_class(e, job, list);
    explain_weights(e, job, list);
    int held = list->bound;
    for (uint32_t a = job->first_ask; a != SKEDI_NONE; a = ask_at(e, a)->next) {
        const engine_ask *ask = ask_at(e, a);
        for (uint32_t p = 0; p < e->parts && ask->open > 0; p++) {
            if (!is_explained_in(e, ask, p)) continue;
            list->bound = held;
            explain_ask(e, a, p, list);
        }
    }
}

/* They are counted first: nothing is written where not all fit. */
sked_status sked_engine_explain_job(const sked_engine *engine, uint64_t job,
                                    sked_engine_bound *bounds, size_t cap,
                                    size_t *n)
{
    if (!engine || !n || (cap && !bounds)) return SKED_ERR_ARG;
    uint32_t at = skedi_keymap_get(&engine->job_of, job);
    if (at == SKEDI_NONE) return SKED_ERR_NOT_FOUND;

    explain_list count = {NULL, 0, 0, 0}, list = {bounds, cap, 0, 0};
    explain_all(engine, job_at(engine, at), &count);
    *n = count.n;
    if (count.n > cap) return SKED_ERR_RANGE;
    explain_all(engine, job_at(engine, at), &list);
    return SKED_OK;
}
