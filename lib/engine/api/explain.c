/*
 * Why a job has nothing more: for each of its open asks the bounds one after
 * the other, as they are asked, with what is needed and what there is.
 */
#include <sched/engine.h>

#include "base/arith.h"
#include "engine/core/asks.h"
#include "engine/core/bans.h"
#include "engine/core/gangs.h"
#include "engine/core/refusal.h"
#include "engine/core/rules.h"
#include "engine/order/books.h"
#include "engine/order/accounts.h"
#include "engine/order/fits.h"
#include "engine/order/rates.h"
#include "engine/order/sets.h"
#include "engine/preempt/rounds.h"

typedef struct reason_list {
    sked_engine_bound *at;
    size_t cap;
    size_t n;
    int bound; /* one that binds was written for this ask */
} reason_list;

static void add_bound(reason_list *list, sked_engine_bound bound, int binds)
{
    bound.binds = binds && !list->bound;
    list->bound |= binds;
    if (list->n < list->cap) list->at[list->n] = bound;
    list->n++;
}

/* The rows from a leaf up to the root; how many. */
static uint32_t path_up(const sked_engine *e, uint32_t row, uint32_t *path)
{
    uint32_t depth = 0;

    path[depth++] = row;
    while (row != 0) path[depth++] = row = (uint32_t)e->rows.parent[row];
    return depth;
}

/* Queues that drain and applications running at each level, from the root
 * down, then the user's. */
static void explain_admission(const sked_engine *e, const engine_job *job,
                              reason_list *list)
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
        if (e->rows.closed[row]) add_bound(list, bound, 1);
        bound.reason = SKED_REASON_MAX_RUNNING;
        bound.need = running + waits;
        bound.bound = e->rows.max_running[row];
        add_bound(list, bound, waits && running >= bound.bound);
    }
    if (!e->opts.max_user_running) return;
    add_bound(list,
              (sked_engine_bound){.reason = SKED_REASON_USER_RUNNING,
                                  .kind = -1,
                                  .need = (int64_t)user->running + waits,
                                  .bound = e->opts.max_user_running,
                                  .partition = SKED_ANY_PARTITION},
              waits && user->running >= e->opts.max_user_running);
}

/* What a step would change the books of a row on its path by. */
static void delta_at(const sked_engine *e, const engine_ask *a, uint32_t row,
                     uint32_t partition, int64_t *delta)
{
    const int64_t *step = engine_row_of(e, &e->shape_step, a->shape);
    uint32_t at = job_at(e, a->job)->row;

    for (uint32_t k = 0; k < e->kinds; k++) delta[k] = step[k];
    for (; at != row; at = (uint32_t)e->rows.parent[at]) {
        skedi_books_climb(e, cell_of(e, at, partition), delta);
    }
}

/* A bound of a queue, and what a step would make of it. */
typedef struct limit_line {
    int64_t need;
    int64_t bound;
} limit_line;

/* The tighter of what a queue may hold of a kind in all and in the partition.
 * There a step that takes what is kept for it counts as used alone. */
static limit_line tighter_limit(const sked_engine *e, uint32_t row,
                                uint32_t partition, uint32_t k, int64_t step,
                                int64_t delta)
{
    size_t at = (size_t)row * e->kinds + k, cell = cell_of(e, row, partition);
    int64_t all = skedi_amount_add(skedi_row_used(e, row, k),
                                   e->rows.reserved[at]);
    int64_t here = delta > 0 ? skedi_amount_add(skedi_booked(e, cell)[k], delta)
                             : skedi_amount_add(
                                   cell_row(e, e->cell_used, cell)[k], step);
    limit_line whole = {skedi_amount_add(all, step), e->rows.ceiling[at]};
    limit_line local = {here, cell_row(e, e->cell_limit, cell)[k]};

    /* No overflow: neither is negative. */
    return whole.bound - whole.need <= local.bound - local.need ? whole : local;
}

/* One queue's limits, kind by kind. */
static void explain_limit(const sked_engine *e, uint32_t ask, uint32_t row,
                          uint32_t partition, reason_list *list)
{
    const engine_ask *a = ask_at(e, ask);
    const int64_t *step = engine_row_of(e, &e->shape_step, a->shape);
    int64_t delta[SKED_MAX_KINDS];
    int never = (skedi_parked_by(e, a) & PARK_LIMIT) != 0;

    delta_at(e, a, row, partition, delta);
    for (uint32_t k = 0; k < e->kinds; k++) {
        limit_line line = tighter_limit(e, row, partition, k, step[k],
                                        delta[k]);
        if (step[k] == 0 || line.bound == SKED_UNLIMITED) continue;
        int64_t ceiling = e->rows.ceiling[(size_t)row * e->kinds + k];
        if (never && step[k] > ceiling) {
            add_bound(list,
                      (sked_engine_bound){.reason = SKED_REASON_NEVER_LIMIT,
                                          .kind = (int32_t)k,
                                          .ask = a->key,
                                          .queue = e->rows.id[row],
                                          .need = step[k],
                                          .bound = ceiling,
                                          .partition = partition},
                      1);
            continue;
        }
        add_bound(list,
                  (sked_engine_bound){.reason = SKED_REASON_QUEUE_LIMIT,
                                      .kind = (int32_t)k,
                                      .ask = a->key,
                                      .queue = e->rows.id[row],
                                      .need = line.need,
                                      .bound = line.bound,
                                      .partition = partition},
                  line.need > line.bound);
    }
}

/* The rates on its path: from when on a task may start by each. */
static void explain_rate(const sked_engine *e, const engine_ask *a,
                         uint32_t row, reason_list *list)
{
    if (!e->rated || e->rows.rate[row].most == SKED_UNLIMITED) return;
    sked_time lapse = skedi_rate_lapse(e, row);
    add_bound(list,
              (sked_engine_bound){.reason = SKED_REASON_RATE,
                                  .kind = -1,
                                  .ask = a->key,
                                  .queue = e->rows.id[row],
                                  .need = lapse,
                                  .bound = e->rows.rate[row].most,
                                  .partition = SKED_ANY_PARTITION},
              lapse > e->now);
}

/* What nodes lack for a step: of those that lack it in the fewest kinds. */
typedef struct node_lack {
    uint32_t kinds; /* so few; 0: none was looked at */
    uint32_t kind;  /* the first of them on any such node */
    int64_t most;   /* that one of these nodes has of it */
} node_lack;

/* Looks at what one more node has. */
static void see_lack(const sked_engine *e, const int64_t *step,
                     const int64_t *there, node_lack *lack)
{
    uint32_t kinds = 0, kind = 0;

    for (uint32_t k = e->kinds; k-- > 0;) {
        if (step[k] == 0 || step[k] <= there[k]) continue;
        kinds++;
        kind = k;
    }
    int nearer = lack->kinds == 0 || kinds < lack->kinds ||
                 (kinds == lack->kinds && kind < lack->kind);
    int same = kinds == lack->kinds && kind == lack->kind;
    if (nearer) *lack = (node_lack){kinds, kind, there[kind]};
    if (same) lack->most = skedi_i64_max(lack->most, there[kind]);
}

/* Does a node of the partition take work, and the ask's rule the node? */
static int is_in_question(const sked_engine *e, const engine_ask *a,
                          uint32_t node, uint32_t partition)
{
    const engine_node *n = node_at(e, node);

    return n->partition == partition && n->state == NODE_OPEN &&
           skedi_shape_takes(e, a->shape, node);
}

/* What the nodes in question lack: of what is free there, or of their
 * capacity. */
static node_lack find_lack(const sked_engine *e, const engine_ask *a,
                           uint32_t partition, const engine_amounts *amounts)
{
    const int64_t *step = engine_row_of(e, &e->shape_step, a->shape);
    node_lack lack = {0};

    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        if (!is_in_question(e, a, n, partition)) continue;
        see_lack(e, step, engine_row_of(e, amounts, n), &lack);
    }
    if (lack.kinds > 0) return lack;
    while (lack.kind < e->kinds && step[lack.kind] == 0) lack.kind++;
    lack.kinds = lack.kind < e->kinds; /* no node: none of the first */
    return lack;
}

/* Says which kind no node has enough of. */
static void add_lack(const sked_engine *e, const engine_ask *a,
                     sked_engine_bound *bound)
{
    const int64_t *step = engine_row_of(e, &e->shape_step, a->shape);
    int never = bound->reason == SKED_REASON_NEVER_NODE;

    if (!never && bound->reason != SKED_REASON_NO_NODE) return;
    node_lack lack = find_lack(e, a, bound->partition,
                               never ? &e->node_capacity : &e->node_free);
    if (lack.kinds == 0) return;
    bound->kind = (int32_t)lack.kind;
    bound->need = step[lack.kind];
    bound->bound = lack.most;
}

/* The node that comes nearest: the one that passes most, and its reason. */
static void explain_nodes(const sked_engine *e, uint32_t ask,
                          uint32_t partition, reason_list *list)
{
    const engine_ask *a = ask_at(e, ask);
    int32_t best = SKED_REASON_NEVER_NODE;
    uint32_t row;

    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        if (!is_in_question(e, a, n, partition)) continue;
        if (best == SKED_REASON_NEVER_NODE &&
            skedi_step_fits(e, a->shape,
                            engine_row_of(e, &e->node_capacity, n))) {
            best = SKED_REASON_NO_NODE;
        }
        int32_t reason = skedi_ask_refusal(e, ask, n, &row);
        if (reason == SKED_REASON_ORDER || best == SKED_REASON_NO_NODE) {
            best = reason;
        }
        if (best == SKED_REASON_ORDER) break;
    }
    int free = best == SKED_REASON_ORDER || best == SKED_REASON_QUEUE_LIMIT ||
               best == SKED_REASON_USER_LIMIT || best == SKED_REASON_MASTERS;
    sked_engine_bound bound = {.reason = free ? SKED_REASON_BEHIND : best,
                               .kind = -1,
                               .ask = a->key,
                               .partition = partition};
    add_lack(e, a, &bound);
    add_bound(list, bound, !list->bound);
}

/* How many tasks of a gang the nodes take together: now, or ever. */
static void explain_gang(const sked_engine *e, uint32_t ask, uint32_t partition,
                         reason_list *list)
{
    const engine_ask *a = ask_at(e, ask);
    int ends = skedi_parked_by(e, a) & (PARK_FALLS | PARK_ENDS) ||
               skedi_gang_is_ending(e, ask);
    uint64_t space = ends ? 0 : skedi_gang_space(e, ask, partition);
    int64_t step = skedi_gang_step(a, a->open);
    int forms = space >= (uint64_t)step;
    int never = !forms && !ends && !skedi_shape_may_fit(e, a->shape, partition);

    add_bound(list,
              (sked_engine_bound){
                  .reason = forms   ? SKED_REASON_BEHIND
                            : never ? SKED_REASON_NEVER_NODE
                                    : SKED_REASON_GANG,
                  .kind = -1,
                  .ask = a->key,
                  .need = step,
                  .bound = (int64_t)space,
                  .partition = partition,
              },
              !list->bound);
}

/* What the user would hold with one step more, and may: it is at its limit when
 * it holds that much, and may pass it by a step. */
static void explain_user(const sked_engine *e, const engine_ask *a,
                         uint32_t partition, reason_list *list)
{
    const engine_job *job = job_at(e, a->job);
    uint32_t kind, account = skedi_account_find(
                       e, (uint32_t)cell_of(e, job->row, partition), job->user);

    if (!e->rows.by_user[job->row] || account == SKEDI_NONE) return;
    int64_t limit = skedi_account_limit(e, account, &kind);
    int64_t used = engine_row_of(e, &e->account_used, account)[kind] +
                   engine_row_of(e, &e->account_paid, account)[kind];
    int64_t step = engine_row_of(e, &e->shape_step, a->shape)[kind];
    add_bound(list,
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
                            uint32_t partition, reason_list *list)
{
    const engine_ask *a = ask_at(e, ask);
    const engine_job *job = job_at(e, a->job);
    uint32_t k = 0;
    int64_t need = 0;

    if (!skedi_masters_refuse(e, ask, partition, &k, &need)) return;
    add_bound(list,
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

/* Of the kind that its queue may claim least of for it: what no others are
 * preempted for. */
static void explain_claim(const sked_engine *e, uint32_t ask,
                          uint32_t partition, reason_list *list)
{
    const engine_ask *a = ask_at(e, ask);
    uint32_t row = job_at(e, a->job)->row;
    const int64_t *step = engine_row_of(e, &e->shape_step, a->shape);
    const int64_t *used = cell_row(e, e->cell_used, cell_of(e, row, partition));
    int64_t claim[SKED_MAX_KINDS];

    if (!e->preempt) return;
    skedi_claim_bounds(e, row, partition, claim);
    for (uint32_t k = 0; k < e->kinds; k++) {
        if (step[k] == 0 || used[k] + step[k] <= claim[k]) continue;
        add_bound(list,
                  (sked_engine_bound){.reason = SKED_REASON_NO_CLAIM,
                                      .kind = (int32_t)k,
                                      .ask = a->key,
                                      .queue = e->rows.id[row],
                                      .need = used[k] + step[k],
                                      .bound = claim[k],
                                      .partition = partition},
                  !list->bound);
        return;
    }
}

/* The host refused it everywhere, or its job. */
static void explain_refusal(const sked_engine *e, const engine_ask *a,
                            uint32_t partition, reason_list *list)
{
    if (!(skedi_parked_by(e, a) & (PARK_ASK | PARK_JOB))) return;
    add_bound(list,
              (sked_engine_bound){.reason = SKED_REASON_REFUSED,
                                  .kind = -1,
                                  .ask = a->key,
                                  .partition = partition},
              1);
}

/* How many nodes its rule takes, of those that take work. */
static void explain_rule(const sked_engine *e, const engine_ask *a,
                         uint32_t partition, reason_list *list)
{
    if (shape_at(e, a->shape)->set == SKEDI_NONE) return;
    int64_t taken = skedi_nodes_taken(e, a->shape, partition);
    add_bound(list,
              (sked_engine_bound){.reason = SKED_REASON_RULE,
                                  .kind = -1,
                                  .ask = a->key,
                                  .need = 1,
                                  .bound = taken,
                                  .partition = partition},
              taken == 0);
}

static void explain_ask(const sked_engine *e, uint32_t ask, uint32_t partition,
                        reason_list *list)
{
    const engine_ask *a = ask_at(e, ask);
    uint32_t path[SKED_MAX_DEPTH];
    uint32_t depth = path_up(e, job_at(e, a->job)->row, path);

    explain_refusal(e, a, partition, list);
    for (uint32_t i = depth; i-- > 0;) explain_rate(e, a, path[i], list);
    while (depth-- > 0) explain_limit(e, ask, path[depth], partition, list);
    explain_masters(e, ask, partition, list);
    explain_user(e, a, partition, list);
    explain_rule(e, a, partition, list);
    if (a->flags & SKED_ASK_SPREAD)
        explain_gang(e, ask, partition, list);
    else
        explain_nodes(e, ask, partition, list);
    explain_claim(e, ask, partition, list);
}

sked_status sked_engine_explain_job(const sked_engine *engine, uint64_t job,
                                    sked_engine_bound *bounds, size_t cap,
                                    size_t *n)
{
    if (!engine || !n || (cap && !bounds)) return SKED_ERR_ARG;
    uint32_t at = skedi_keymap_get(&engine->job_of, job);
    if (at == SKEDI_NONE) return SKED_ERR_NOT_FOUND;

    reason_list list = {bounds, cap, 0, 0};
    explain_admission(engine, job_at(engine, at), &list);
    int held = list.bound;
    for (uint32_t a = job_at(engine, at)->first_ask; a != SKEDI_NONE;
         a = ask_at(engine, a)->next) {
        const engine_ask *ask = ask_at(engine, a);
        for (uint32_t p = 0; p < engine->parts && ask->open > 0; p++) {
            if (ask->partition != p && ask->partition != SKED_ANY_PARTITION) {
                continue;
            }
            list.bound = held;
            explain_ask(engine, a, p, &list);
        }
    }
    *n = list.n;
    return list.n > cap ? SKED_ERR_RANGE : SKED_OK;
}
