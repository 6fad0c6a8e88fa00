/*
 * Explanations: why a job waits. For each open ask, the explanation lists the
 * bounds in the order in which a pass checks them. Each bound has a need and a
 * supply.
 *
 * If nodes are the cause, the explanation names the resource that the nearest
 * node lacks.
 *
 * The file also has the functions that read counts, usage and task states.
 */
#include <sched/engine.h>
#include <sched/life.h>
#include <string.h>

#include "base/arith.h"
#include "base/versioned.h"
#include "engine/admission.h"
#include "engine/alloc.h"
#include "engine/engine.h"
#include "engine/budget.h"
#include "engine/domains.h"
#include "engine/exclusion.h"
#include "engine/exclusive.h"
#include "engine/explain.h"
#include "engine/gang.h"
#include "engine/gang_fit.h"
#include "engine/filter.h"
#include "engine/pending.h"
#include "engine/preempt.h"
#include "engine/queue.h"
#include "engine/reservation.h"
#include "engine/rules.h"
#include "engine/ask.h"
#include "engine/work.h"

/* Bounds of queues and of limit trees. */

/* Appends a bound. A full list only counts the bound. The bound is marked as
 * binding if `binds` is set and no earlier bound of the ask binds. */
static void explain_add(explain_list *list, sked_engine_bound bound, int binds)
{
    bound.binds = binds && !list->bound;
    list->bound |= binds;
    if (list->n < list->cap) list->at[list->n] = bound;
    list->n++;
}

/* Returns a bound of kind `k` that the queue of `row` sets on an ask. The
 * reason is SKED_REASON_QUEUE_LIMIT. */
static sked_engine_bound explain_bound(const sked_engine *e,
                                       const engine_ask *a, uint32_t row,
                                       uint32_t partition, uint32_t k,
                                       explain_line line)
{
    return (sked_engine_bound){.reason = SKED_REASON_QUEUE_LIMIT,
                               .kind = (int32_t)k,
                               .ask = a->key,
                               .queue = e->rows.id[row],
                               .need = line.need,
                               .bound = line.bound,
                               .partition = partition};
}

/* Computes in `delta` how the books of `row` change if the ask's leaf holds
 * `step` more. `row` is on the path of this leaf. */
static void explain_delta(const sked_engine *e, const engine_ask *a,
                          uint32_t row, uint32_t partition, const int64_t *step,
                          int64_t *delta)
{
    uint32_t at = job_at(e, a->job)->row;

    for (uint32_t k = 0; k < e->kinds; k++) delta[k] = step[k];
    for (; at != row; at = (uint32_t)e->rows.parent[at]) {
        skedi_books_climb(e, cell_of(e, at, partition), delta);
    }
}

/* Returns the tighter of two limits of kind `k`: the queue's ceiling over all
 * partitions, or its limit in this partition. If `delta` is not positive, the
 * queue's books do not grow: the step uses amounts kept for the queue. The
 * limit in the partition then counts real use instead of the books. */
static explain_line explain_explain_limit(const sked_engine *e, uint32_t row,
                                          uint32_t partition, uint32_t k,
                                          int64_t step, int64_t delta)
{
    size_t at = (size_t)row * e->kinds + k, cell = cell_of(e, row, partition);
    int64_t all = skedi_amount_add(skedi_row_used(e, row, k),
                                   e->rows.reserved[at]);
    int64_t runs = skedi_amount_add(
        cell_row(e, e->cell_used, cell)[k],
        e->keeps ? cell_row(e, e->cell_reserved, cell)[k] : 0);
    int64_t here = delta > 0 ? skedi_amount_add(skedi_booked(e, cell)[k], delta)
                             : skedi_amount_add(runs, step);
    explain_line whole = {skedi_amount_add(all, step), e->rows.ceiling[at]};
    explain_line local = {here, cell_row(e, e->cell_limit, cell)[k]};

    /* The differences cannot overflow: no operand is negative. */
    return whole.bound - whole.need <= local.bound - local.need ? whole : local;
}

/* Writes the rows of a limit tree from the job's row up to the root. Returns
 * the number of rows: 0 if the tree does not charge the job. */
static uint32_t explain_tree_path_up(const sked_engine *e,
                                     const engine_job *job, uint32_t tree,
                                     uint32_t *path)
{
    uint32_t row = SKEDI_NONE, depth = 0;

    if (job->charge != SKEDI_NONE) row = charge_at(e, job->charge)->row[tree];
    for (; row != SKEDI_NONE; row = e->trees.at[tree].parent[row]) {
        path[depth++] = row;
    }
    return depth;
}

/* Returns the queue id of a row of a limit tree. */
static sked_queue_id explain_tree_queue(const engine_limits *t, uint32_t row)
{
    return skedi_tree_image(t->tree)->id[row];
}

/* Adds the limits of running jobs in each limit tree, from the root down. */
static void explain_trees_running(const sked_engine *e, const engine_job *job,
                                  int waits, explain_list *list)
{
    uint32_t path[SKED_MAX_DEPTH];

    for (uint32_t i = 0; i < SKED_MAX_LIMIT_TREES; i++) {
        const engine_limits *t = &e->trees.at[i];
        uint32_t depth = explain_tree_path_up(e, job, i, path);
        while (depth-- > 0) {
            int64_t running = t->running[path[depth]];
            int64_t most = t->max_running[path[depth]];
            if (most == SKED_UNLIMITED) continue;
            explain_add(list,
                        (sked_engine_bound){
                            .reason = SKED_REASON_TREE_1_RUNNING + (int32_t)i,
                            .kind = -1,
                            .queue = explain_tree_queue(t, path[depth]),
                            .need = running + waits,
                            .bound = most,
                            .partition = SKED_ANY_PARTITION},
                        waits && running >= most);
        }
    }
}

/* Adds the limits of one row of a limit tree: a bound for each limited kind in
 * the step. */
static void explain_tree_row(const sked_engine *e, uint32_t tree, uint32_t row,
                             const int64_t *step, sked_engine_bound bound,
                             explain_list *list)
{
    const engine_limits *t = &e->trees.at[tree];

    bound.reason = skedi_tree_reason(tree);
    bound.queue = explain_tree_queue(t, row);
    for (uint32_t k = 0; k < e->kinds; k++) {
        size_t at = (size_t)row * e->kinds + k;
        if (step[k] == 0 || t->limit[at] == SKED_UNLIMITED) continue;
        bound.kind = (int32_t)k;
        bound.need = skedi_amount_add(t->used[at] + t->reserved[at], step[k]);
        bound.bound = t->limit[at];
        explain_add(list, bound, bound.need > bound.bound);
    }
}

/* Adds the limits on the job's path in each limit tree, from the root down.
 * `step` is the amount that the trees would charge. */
static void explain_trees(const sked_engine *e, const engine_ask *a,
                          const int64_t *step, uint32_t partition,
                          explain_list *list)
{
    const sked_engine_bound bound = {.ask = a->key, .partition = partition};
    uint32_t path[SKED_MAX_DEPTH];

    for (uint32_t i = 0; i < SKED_MAX_LIMIT_TREES; i++) {
        uint32_t depth = explain_tree_path_up(e, job_at(e, a->job), i, path);
        while (depth-- > 0) {
            explain_tree_row(e, i, path[depth], step, bound, list);
        }
    }
}

/* Adds the bound that refuses the amount `all` for the ask. The bound belongs
 * to a queue, to a limit tree, or to the masters of the leaf. If a limit tree
 * refuses, the function adds the limits of all trees of the job. If every bound
 * holds the amount, the function adds nothing. */
static void explain_all_of(const sked_engine *e, uint32_t ask,
                           uint32_t partition, const int64_t *all,
                           explain_list *list)
{
    const engine_ask *a = ask_at(e, ask);
    uint32_t row = job_at(e, a->job)->row, k = 0;
    int64_t delta[SKED_MAX_KINDS], need;
    int32_t reason = skedi_exclusive_bound(e, ask, partition, all, &row, &k);
    explain_line line;

    if (reason == SKED_REASON_ORDER) return;
    if (skedi_reason_tree(reason) != SKEDI_NONE) {
        explain_trees(e, a, all, partition, list);
        return;
    }
    if (reason == SKED_REASON_MASTERS) {
        row = job_at(e, a->job)->row;
        (void)skedi_masters_against(e, ask, partition, all, &k, &need);
        line = (explain_line){need, skedi_masters_bound(e, row, partition, k)};
    } else {
        explain_delta(e, a, row, partition, all, delta);
        line = explain_explain_limit(e, row, partition, k, all[k], delta[k]);
    }
    sked_engine_bound bound = explain_bound(e, a, row, partition, k, line);
    bound.reason = reason;
    explain_add(list, bound, 1);
}

/* Nodes: the resource that the nearest node lacks, and node counts for gangs.
 */

/* The lack of the nearest nodes: nodes that lack the step in the fewest kinds.
 */
typedef struct node_lack {
    uint32_t kinds; /* number of these kinds; 0: no node lacks any */
    uint32_t kind;  /* lowest lacking kind of such a node */
    int64_t most;   /* largest amount of `kind` on such a node */
} node_lack;

/* Compares the amounts of one more node with the step. */
static void explain_see_lack(const sked_engine *e, const int64_t *step,
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

/* True if the node is in the partition, the ask's rule takes the node, and the
 * ask does not exclude the node. */
static int explain_is_for_ask(const sked_engine *e, uint32_t ask, uint32_t node,
                              uint32_t partition)
{
    return node_at(e, node)->partition == partition &&
           skedi_shape_takes(e, ask_at(e, ask)->shape, node) &&
           !skedi_ask_excludes(e, ask, node);
}

/* True if explain_is_for_ask() holds and the node is open for work. */
static int explain_is_in_question(const sked_engine *e, uint32_t ask,
                                  uint32_t node, uint32_t partition)
{
    return node_at(e, node)->state == NODE_OPEN &&
           explain_is_for_ask(e, ask, node, partition);
}

/* Returns the amounts that the ask needs on one node: a single task of a gang
 * over nodes, else a whole step. */
static const int64_t *explain_needs_on_node(const sked_engine *e,
                                            const engine_ask *a)
{
    return engine_row_of(
        e, a->flags & SKED_ASK_SPREAD ? &e->shape_task : &e->shape_step,
        a->shape);
}

/* Finds what the nodes for the ask lack. Free amounts of open nodes count, or
 * (`never`) the capacity of all nodes. */
static node_lack explain_find_lack(const sked_engine *e, uint32_t ask,
                                   uint32_t partition, int never)
{
    const engine_amounts *amounts = never ? &e->node_capacity : &e->node_free;
    const int64_t *step = explain_needs_on_node(e, ask_at(e, ask));
    node_lack lack = {0};

    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        if (!explain_is_for_ask(e, ask, n, partition)) continue;
        if (!never && node_at(e, n)->state != NODE_OPEN) continue;
        explain_see_lack(e, step, engine_row_of(e, amounts, n), &lack);
    }
    if (lack.kinds > 0) return lack;
    while (lack.kind < e->kinds && step[lack.kind] == 0) lack.kind++;
    lack.kinds = lack.kind < e->kinds; /* no node: the first kind lacks */
    return lack;
}

/* Fills in the kind that the nearest nodes lack, the need and the largest
 * amount. Changes only bounds with SKED_REASON_NO_NODE or
 * SKED_REASON_NEVER_NODE. */
static void explain_add_lack(const sked_engine *e, uint32_t ask,
                             sked_engine_bound *bound)
{
    const int64_t *step = explain_needs_on_node(e, ask_at(e, ask));
    int never = bound->reason == SKED_REASON_NEVER_NODE;

    if (!never && bound->reason != SKED_REASON_NO_NODE) return;
    node_lack lack = explain_find_lack(e, ask, bound->partition, never);
    if (lack.kinds == 0) return;
    bound->kind = (int32_t)lack.kind;
    bound->need = step[lack.kind];
    bound->bound = lack.most;
}

/* Counts the empty nodes that an exclusive ask could use if only nodes decided.
 * If the bounds refuse each of these nodes, the function adds the bound that
 * refuses the first node. */
static int64_t explain_alone(const sked_engine *e, uint32_t ask,
                             uint32_t partition, explain_list *list)
{
    const engine_ask *a = ask_at(e, ask);
    int64_t all[SKED_MAX_KINDS], n = 0;
    uint32_t first = SKEDI_NONE;
    int may = 0;

    for (uint32_t i = e->first_node; i != SKEDI_NONE; i = node_at(e, i)->next) {
        if (!explain_is_in_question(e, ask, i, partition) ||
            !skedi_node_is_empty(e, i) || !skedi_place_allows(e, ask, i) ||
            !skedi_same_joins(e, ask, i) ||
            !skedi_step_fits(e, a->shape, engine_row_of(e, &e->node_free, i))) {
            continue;
        }
        if (n++ == 0) first = i;
        may |= skedi_exclusive_takes(e, ask, i);
    }
    if (n > 0 && !may) {
        skedi_exclusive_amount(e, ask, first, all);
        explain_all_of(e, ask, partition, all, list);
    }
    return n;
}

/* Returns the least number of tasks that an empty node must hold for the ask.
 * The number is `each` if no task of an exact gang runs and the open tasks are
 * a multiple of `each`. In all other cases the number is 1. */
static uint64_t explain_least_on_node(const sked_engine *e, const engine_ask *a)
{
    uint32_t each = extra_of(e, a)->each;

    return each == 0 || a->first_group != SKEDI_NONE || a->open % each ? 1
                                                                       : each;
}

/* Counts a node by the tasks that the node holds when empty. A node below the
 * least number counts only in `unbounded`. `unbounded` ignores the limit of
 * tasks per node. */
static void explain_count_large(const sked_engine *e, uint32_t ask,
                                uint32_t node, explain_nodes *count)
{
    const engine_ask *a = ask_at(e, ask);
    uint32_t per_node = skedi_shape_per_node(e, a->shape);
    const int64_t *own = engine_row_of(e, &e->node_capacity, node);
    uint32_t all = skedi_fit_times(e, explain_needs_on_node(e, a), own,
                                   INT32_MAX);
    uint64_t n = per_node && per_node < all ? per_node : all;

    if (all == 0) return;
    count->unbounded += all;
    if (n < explain_least_on_node(e, a)) return;
    count->most += n;
    if (skedi_ask_excludes(e, ask, node)) {
        count->excluded++;
    } else if (node_at(e, node)->state == NODE_OPEN) {
        count->large++;
        count->tasks += n;
    } else if (node_at(e, node)->state == NODE_BARRED) {
        count->barred++;
    } else {
        count->draining++;
    }
}

/* Counts the nodes of a partition for an ask, by state and by rule. */
static explain_nodes explain_count(const sked_engine *e, uint32_t ask,
                                   uint32_t partition)
{
    explain_nodes count = {0};

    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        const engine_node *node = node_at(e, n);
        if (node->partition != partition) continue;
        int takes = skedi_shape_takes(e, ask_at(e, ask)->shape, n);
        count.open += node->state == NODE_OPEN;
        count.taken += node->state == NODE_OPEN && takes;
        if (takes) explain_count_large(e, ask, n, &count);
    }
    return count;
}

/* True if all tasks that start at once fit on the nodes that the rule takes.
 * The nodes count as empty. Draining, refused and excluded nodes count too. */
static int explain_would_hold_all(const sked_engine *e, uint32_t ask,
                                  const explain_nodes *count)
{
    const engine_ask *a = ask_at(e, ask);
    int spread = (a->flags & SKED_ASK_SPREAD) != 0;
    int64_t step = spread ? skedi_gang_step(e, a, a->open) : 1;

    return count->most >= (uint64_t)step;
}

/* True if open nodes exist and the rule takes no open node. False if draining
 * or barred nodes would hold the ask, because the ask then waits for these
 * nodes. */
static int explain_rule_binds(const sked_engine *e, uint32_t ask,
                              const explain_nodes *count)
{
    int waits = explain_would_hold_all(e, ask, count) &&
                (count->draining || count->barred);

    return count->open > 0 && count->taken == 0 && !waits;
}

/* Adds the reason why no open node can ever take the ask. Enough nodes may
 * exist, but drain, be barred by the host, or be excluded by the ask. Otherwise
 * the nodes are too small. If the rule takes no open node, explain_rule()
 * already gave the reason, and the function adds nothing. */
static void explain_none(const sked_engine *e, uint32_t ask, uint32_t partition,
                         const explain_nodes *count, explain_list *list)
{
    const engine_ask *a = ask_at(e, ask);
    int spread = (a->flags & SKED_ASK_SPREAD) != 0;
    sked_engine_bound bound = {.reason = SKED_REASON_NEVER_NODE,
                               .kind = -1,
                               .ask = a->key,
                               .partition = partition};
    int64_t step = spread ? skedi_gang_step(e, a, a->open) : 1;
    int enough = explain_would_hold_all(e, ask, count);

    if (enough && count->draining) {
        bound.reason = SKED_REASON_DRAINING;
        bound.need = 1;
        bound.bound = count->draining;
    } else if (enough && count->barred) {
        bound.reason = SKED_REASON_REFUSED;
    } else if (enough && count->excluded) {
        bound.reason = SKED_REASON_EXCLUDED;
        bound.need = step;
        bound.bound = (int64_t)count->tasks;
    } else if (count->open > 0 && count->taken == 0) {
        return;
    } else if (count->unbounded > 0) { /* each task fits on some node */
        bound.need = step;
        bound.bound = (int64_t)count->most;
    } else {
        explain_add_lack(e, ask, &bound);
    }
    explain_add(list, bound, !list->bound);
}

/* Adds the reason of the nearest node. If a node could take the ask, this node
 * is the nearest. Otherwise the nearest node is the first node with a reason
 * other than SKED_REASON_NO_NODE. A refusal by a limit has a line of its own,
 * so the node counts here as free, with SKED_REASON_BEHIND. */
static void explain_explain_nodes(const sked_engine *e, uint32_t ask,
                                  uint32_t partition, explain_list *list)
{
    const engine_ask *a = ask_at(e, ask);
    const explain_nodes count = explain_count(e, ask, partition);
    int32_t best = SKED_REASON_NO_NODE;
    uint32_t row;

    if (count.large == 0) {
        explain_none(e, ask, partition, &count, list);
        return;
    }
    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        if (!explain_is_in_question(e, ask, n, partition)) continue;
        int32_t reason = skedi_ask_refusal(e, ask, n, &row);
        if (reason == SKED_REASON_ORDER || best == SKED_REASON_NO_NODE) {
            best = reason;
        }
        if (best == SKED_REASON_ORDER) break;
    }
    int alone = skedi_ask_is_exclusive(a) &&
                (best == SKED_REASON_NO_NODE || best == SKED_REASON_EXCLUSIVE);
    if (alone) best = SKED_REASON_EXCLUSIVE;
    int64_t empty = alone ? explain_alone(e, ask, partition, list) : 0;
    int free = best == SKED_REASON_ORDER || best == SKED_REASON_QUEUE_LIMIT ||
               best == SKED_REASON_USER_LIMIT || best == SKED_REASON_MASTERS ||
               skedi_reason_tree(best) != SKEDI_NONE;
    sked_engine_bound bound = {.reason = free ? SKED_REASON_BEHIND : best,
                               .kind = -1,
                               .ask = a->key,
                               .need = alone,
                               .bound = empty,
                               .partition = partition};
    explain_add_lack(e, ask, &bound);
    explain_add(list, bound, !list->bound);
}

/* Adds the bound that refuses the nodes of an exclusive gang. The nodes could
 * take the whole gang now, but bounds may not hold the sum of these nodes. */
static void explain_gang_alone(const sked_engine *e, uint32_t ask,
                               uint32_t partition, int64_t step,
                               explain_list *list)
{
    const engine_ask *a = ask_at(e, ask);
    int64_t sum[SKED_MAX_KINDS] = {0}, all[SKED_MAX_KINDS];
    engine_exact exact = {.key = skedi_shape_gang(e, a->shape).same};

    if (!skedi_ask_is_exclusive(a) || skedi_gang_grows(e, a)) return;
    if (exact.key && !skedi_same_look(e, ask, partition, step, &exact.value)) {
        exact.key = 0; /* a shared value is only preferred */
    }
    (void)skedi_exact_forms(e, ask, partition, step, &exact);
    for (uint32_t n = e->first_node; n != SKEDI_NONE && step > 0;
         n = node_at(e, n)->next) {
        if (exact.key && !skedi_node_has(e, n, exact.key, exact.value))
            continue;
        int64_t here = skedi_gang_on(e, ask, n, partition);
        if (extra_of(e, a)->each > 0)
            here = skedi_exact_share(e, ask, n, here, &exact);
        if (here == 0) continue;
        skedi_exclusive_amount(e, ask, n, all);
        for (uint32_t k = 0; k < e->kinds; k++) sum[k] += all[k];
        step -= here;
    }
    explain_all_of(e, ask, partition, sum, list);
}

/* True if the gang's nodes must share a value of an attribute, and no open node
 * for the ask has a value. */
static int explain_lacks_value(const sked_engine *e, uint32_t ask,
                               uint32_t partition)
{
    uint64_t key = skedi_shape_gang(e, ask_at(e, ask)->shape).same;
    engine_domain_walk w;

    if (key == 0 || skedi_same_is_soft(e, ask)) return 0;
    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        if (!explain_is_in_question(e, ask, n, partition)) continue;
        w = skedi_domains_of(e, key);
        if (skedi_domain_next(e, n, &w) != SKEDI_NONE) return 0;
    }
    return 1;
}

/* Returns how many of `may` tasks a gang starts on a node. An exact gang
 * without tasks on the node starts none if `may` is below `each`. */
static int64_t explain_whole_share(const sked_engine *e, uint32_t ask,
                                   uint32_t node, int64_t may)
{
    int64_t each = extra_of(e, ask_at(e, ask))->each;

    return each == 0 || may >= each || skedi_gang_there(e, ask, node) > 0 ? may
                                                                          : 0;
}

/* Returns how many more tasks of a gang the node would take if the gang's
 * reservation on the node were free. */
static int64_t explain_more_on(const sked_engine *e, uint32_t ask,
                               const engine_forming_part *part)
{
    uint32_t node = part->node, shape = ask_at(e, ask)->shape;
    const int64_t *left = engine_row_of(e, &e->node_free, node);
    int64_t free[SKED_MAX_KINDS];

    for (uint32_t k = 0; k < e->kinds; k++) {
        free[k] = left[k] + skedi_forming_amount(e, node, k);
    }
    int64_t fit = skedi_fit_times(e, engine_row_of(e, &e->shape_task, shape),
                                  free, skedi_shape_per_node(e, shape));
    if (skedi_ask_is_exclusive(ask_at(e, ask))) { /* it takes none now */
        return skedi_node_is_unused(e, node) && skedi_place_allows(e, ask, node)
                   ? explain_whole_share(e, ask, node, fit)
                   : 0;
    }
    int64_t all = skedi_gang_allowed(e, ask, node, fit);
    int64_t now = skedi_gang_on(e, ask, node, part->partition);
    return explain_whole_share(e, ask, node, all) -
           explain_whole_share(e, ask, node, now);
}

/* Returns the sum of explain_more_on() over all nodes reserved for the gang.
 * Returns 0 if the reservations belong to another gang. */
static uint64_t explain_reserved_for(const sked_engine *e, uint32_t ask,
                                     uint32_t partition)
{
    int64_t sum = 0;

    if (!skedi_forming_is_of(e, partition, ask)) return 0;
    for (size_t i = 0; i < e->forms.n; i++) {
        const engine_forming_part *part = &e->forms.part[i];
        if (part->partition != partition) continue;
        sum += explain_more_on(e, ask, part);
    }
    return (uint64_t)sum;
}

/* Returns how many tasks of a gang the nodes take if the gang's own
 * reservations count as free. A gang that forms on one attribute value may do
 * better on other nodes: the larger number counts. */
static uint64_t explain_space_with_reserved(const sked_engine *e, uint32_t ask,
                                            uint32_t partition)
{
    uint64_t space = skedi_gang_space(e, ask, partition);
    uint64_t reserved = explain_reserved_for(e, ask, partition);

    if (reserved == 0) return space;
    const engine_forming *f = skedi_forming_of(e, partition);
    if (f->where.same == 0) return space + reserved;
    uint64_t there = reserved +
                     skedi_same_on(e, ask, partition, f->where.value);
    return there > space ? there : space;
}

/* True if a step would fit on some node without the reservation for the forming
 * gang. */
static int explain_forming_is_in_the_way(const sked_engine *e, uint32_t ask,
                                         uint32_t partition)
{
    const engine_ask *a = ask_at(e, ask);
    int64_t free[SKED_MAX_KINDS];

    for (size_t i = 0; i < e->forms.n; i++) {
        uint32_t node = e->forms.part[i].node;
        const int64_t *left = engine_row_of(e, &e->node_free, node);
        if (e->forms.part[i].partition != partition) continue;
        for (uint32_t k = 0; k < e->kinds; k++) {
            free[k] = left[k] + skedi_forming_amount(e, node, k);
        }
        int alone = skedi_ask_is_exclusive(a);
        if ((alone ? skedi_node_is_unused(e, node)
                   : !skedi_step_fits(e, a->shape, left)) &&
            skedi_step_fits(e, a->shape, free) &&
            skedi_place_allows(e, ask, node)) {
            return 1;
        }
    }
    return 0;
}

/* Adds the reservation of the gang that forms in the partition. The line
 * appears for the gang itself, and for an ask that the reservation blocks. The
 * line never binds. */
static void explain_forming(const sked_engine *e, uint32_t ask,
                            uint32_t partition, explain_list *list)
{
    const engine_ask *a = ask_at(e, ask);
    const engine_forming *f = skedi_forming_of(e, partition);
    uint32_t nodes;
    sked_engine_bound bound = {.reason = SKED_REASON_FORMING,
                               .kind = -1,
                               .ask = a->key,
                               .partition = partition};

    if (!f || !skedi_forming_is_of(e, partition, f->ask)) return;
    int64_t tasks = skedi_forming_tasks(e, partition, &nodes);
    if (tasks == 0) return; /* the nodes left */
    if (f->ask == ask) {
        bound.need = skedi_gang_step(e, a, a->open);
        bound.bound = tasks;
    } else if (explain_forming_is_in_the_way(e, ask, partition)) {
        uint32_t row = job_at(e, ask_at(e, f->ask)->job)->row;
        bound.queue = e->rows.id[row];
        bound.need = (int64_t)ask_at(e, f->ask)->key;
        bound.bound = nodes;
    } else {
        return;
    }
    explain_add(list, bound, 0);
}

/* Returns how many tasks of a gang the nodes take, with the gang's own
 * reservations counted as free. An exclusive gang that grows task by task needs
 * an empty node for each task. For this gang the function may add a bound, as
 * explain_alone() does. */
static uint64_t explain_space(const sked_engine *e, uint32_t ask,
                              uint32_t partition, explain_list *list)
{
    const engine_ask *a = ask_at(e, ask);

    if (skedi_ask_is_exclusive(a) && skedi_gang_grows(e, a)) {
        return (uint64_t)explain_alone(e, ask, partition, list);
    }
    return explain_space_with_reserved(e, ask, partition);
}

/* Adds how many tasks of a gang the nodes take together now, or why the nodes
 * can never take the gang. */
static void explain_gang(const sked_engine *e, uint32_t ask, uint32_t partition,
                         explain_list *list)
{
    const engine_ask *a = ask_at(e, ask);
    const explain_nodes count = explain_count(e, ask, partition);
    int ends = skedi_parked_by(e, a) & (PARK_FALLS | PARK_ENDS) ||
               skedi_gang_is_ending(e, ask);
    uint64_t space = ends ? 0 : explain_space(e, ask, partition, list);
    int64_t step = skedi_gang_step(e, a, a->open);
    int forms = space >= (uint64_t)step;
    int one_too_small = count.most < (uint64_t)step &&
                        count.unbounded >= (uint64_t)step;
    sked_engine_bound bound = {.reason = forms ? SKED_REASON_BEHIND
                                               : SKED_REASON_GANG,
                               .kind = -1,
                               .ask = a->key,
                               .need = step,
                               .bound = (int64_t)space,
                               .partition = partition};

    if (forms) explain_gang_alone(e, ask, partition, step, list);
    if (!forms && !ends && !one_too_small && count.tasks < (uint64_t)step) {
        explain_none(e, ask, partition, &count, list);
        return;
    }
    if (!forms && !ends && explain_lacks_value(e, ask, partition)) {
        bound.reason = SKED_REASON_RULE;
        bound.need = 1;
        bound.bound = 0;
    }
    explain_add(list, bound, !list->bound);
}

/*
 * Explanation of a whole job. The bounds of the job come first. The bounds of
 * each open ask follow, in the order in which a pass checks them.
 */

/* Writes the rows from a leaf up to the root. Returns the number of rows. */
static uint32_t explain_path_up(const sked_engine *e, uint32_t row,
                                uint32_t *path)
{
    uint32_t depth = 0;

    path[depth++] = row;
    while (row != 0) path[depth++] = row = (uint32_t)e->rows.parent[row];
    return depth;
}

/* Adds the bound of the job's class if this bound refuses a waiting job.
 * Otherwise the job waits behind other jobs of its leaf:
 * SKED_REASON_NOT_ADMITTED. */
static void explain_class(const sked_engine *e, const engine_job *job,
                          explain_list *list)
{
    uint32_t at = (uint32_t)(job - job_at(e, 0));
    engine_gate_fault fault = {0, 0, 0};

    if (job->state != JOB_WAITING || !gate_of(e, job->row)) return;
    int refused = skedi_gate_refuses(e, at, &fault);
    explain_add(list,
                (sked_engine_bound){.reason = refused
                                                  ? SKED_REASON_CLASS
                                                  : SKED_REASON_NOT_ADMITTED,
                                    .kind = refused ? (int32_t)fault.kind : -1,
                                    .queue = e->rows.id[job->row],
                                    .need = fault.need,
                                    .bound = fault.bound,
                                    .partition = SKED_ANY_PARTITION},
                1);
}

/* Adds the queues that drain and the limits of running jobs: first of each
 * queue from the root down, then of the limit trees, then of the user. */
static void explain_admission(const sked_engine *e, const engine_job *job,
                              explain_list *list)
{
    uint32_t path[SKED_MAX_DEPTH], depth = explain_path_up(e, job->row, path);
    const engine_user *user = (const engine_user *)e->users.item + job->user;
    int waits = job->state == JOB_WAITING;

    while (depth-- > 0) {
        uint32_t row = path[depth];
        int64_t running = e->rows.running[row];
        sked_engine_bound bound = {.reason = SKED_REASON_DRAINING,
                                   .kind = -1,
                                   .queue = e->rows.id[row],
                                   .partition = SKED_ANY_PARTITION};
        if (e->rows.closed[row]) explain_add(list, bound, 1);
        bound.reason = SKED_REASON_MAX_RUNNING;
        bound.need = running + waits;
        bound.bound = e->rows.max_running[row];
        if (bound.bound == SKED_UNLIMITED) continue;
        explain_add(list, bound, waits && running >= bound.bound);
    }
    explain_trees_running(e, job, waits, list);
    if (!e->opts.max_user_running) return;
    explain_add(list,
                (sked_engine_bound){.reason = SKED_REASON_USER_RUNNING,
                                    .kind = -1,
                                    .need = (int64_t)user->running + waits,
                                    .bound = e->opts.max_user_running,
                                    .partition = SKED_ANY_PARTITION},
                waits && user->running >= e->opts.max_user_running);
}

/* Adds the queues on the path, from the root down, for which the host set a
 * weight other than the tree's weight. */
static void explain_weights(const sked_engine *e, const engine_job *job,
                            explain_list *list)
{
    uint32_t path[SKED_MAX_DEPTH], depth = explain_path_up(e, job->row, path),
                                   tree;

    while (depth-- > 0) {
        if (!skedi_weight_differs(e, path[depth], &tree)) continue;
        explain_add(list,
                    (sked_engine_bound){.reason = SKED_REASON_WEIGHT,
                                        .kind = -1,
                                        .queue = e->rows.id[path[depth]],
                                        .need = e->rows.said[path[depth]],
                                        .bound = tree,
                                        .partition = SKED_ANY_PARTITION},
                    0);
    }
}

/* Adds the limits of one queue: a bound for each limited kind in the step. */
static void explain_limit(const sked_engine *e, uint32_t ask, uint32_t row,
                          uint32_t partition, explain_list *list)
{
    const engine_ask *a = ask_at(e, ask);
    const int64_t *step = engine_row_of(e, &e->shape_step, a->shape);
    int64_t delta[SKED_MAX_KINDS];
    int never = (skedi_parked_by(e, a) & PARK_LIMIT) != 0;

    explain_delta(e, a, row, partition, step, delta);
    for (uint32_t k = 0; k < e->kinds; k++) {
        explain_line line = explain_explain_limit(e, row, partition, k, step[k],
                                                  delta[k]);
        sked_engine_bound bound;
        if (step[k] == 0 || line.bound == SKED_UNLIMITED) continue;
        int64_t ceiling = e->rows.ceiling[(size_t)row * e->kinds + k];
        if (never && step[k] > ceiling) {
            line = (explain_line){step[k], ceiling};
            bound = explain_bound(e, a, row, partition, k, line);
            bound.reason = SKED_REASON_NEVER_LIMIT;
            explain_add(list, bound, 1);
            continue;
        }
        bound = explain_bound(e, a, row, partition, k, line);
        explain_add(list, bound, line.need > line.bound);
    }
}

/* Adds the start rate of a queue, with the time from which a task may start. */
static void explain_rate(const sked_engine *e, const engine_ask *a,
                         uint32_t row, explain_list *list)
{
    if (!e->rated || e->rows.rate[row].most == SKED_UNLIMITED) return;
    sked_time lapse = skedi_rate_lapse(e, row);
    explain_add(list,
                (sked_engine_bound){.reason = SKED_REASON_RATE,
                                    .kind = -1,
                                    .ask = a->key,
                                    .queue = e->rows.id[row],
                                    .need = lapse,
                                    .bound = e->rows.rate[row].most,
                                    .partition = SKED_ANY_PARTITION},
                lapse > e->now);
}

/* Adds the user's limit, with the amount that the user would hold after one
 * more step. A user below the limit may exceed the limit by one step. The bound
 * therefore binds only once the user is at the limit. */
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
    explain_add(list,
                (sked_engine_bound){.reason = SKED_REASON_USER_LIMIT,
                                    .kind = (int32_t)kind,
                                    .ask = a->key,
                                    .queue = job->queue,
                                    .need = skedi_amount_add(used, step),
                                    .bound = limit,
                                    .partition = partition},
                skedi_account_is_full(e, account));
}

/* Adds the bound of masters in the leaf, if this bound refuses the ask. */
static void explain_masters(const sked_engine *e, uint32_t ask,
                            uint32_t partition, explain_list *list)
{
    const engine_ask *a = ask_at(e, ask);
    const engine_job *job = job_at(e, a->job);
    uint32_t k = 0;
    int64_t need = 0;

    if (!skedi_masters_refuse(e, ask, partition, &k, &need)) return;
    explain_add(list,
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

/* Adds why nothing is preempted for the ask. The kind is -1 if the job never
 * preempts (SKED_JOB_YIELDS). Otherwise no policy lets the queue claim the
 * whole step, and the kind is a resource whose claim is too small. While shares
 * are stale, the function skips this second case: the next round computes new
 * shares first. */
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
        explain_add(list,
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
    explain_add(list,
                (sked_engine_bound){.reason = SKED_REASON_NO_CLAIM,
                                    .kind = k,
                                    .ask = a->key,
                                    .queue = e->rows.id[row],
                                    .need = need[k],
                                    .bound = claim,
                                    .partition = partition},
                !list->bound);
}

/* Adds a bound if the host refused the ask or the job everywhere. */
static void explain_refusal(const sked_engine *e, const engine_ask *a,
                            uint32_t partition, explain_list *list)
{
    if (!(skedi_parked_by(e, a) & (PARK_ASK | PARK_JOB))) return;
    explain_add(list,
                (sked_engine_bound){.reason = SKED_REASON_REFUSED,
                                    .kind = -1,
                                    .ask = a->key,
                                    .partition = partition},
                1);
}

/* Adds the number of open nodes that the ask's rule takes. */
static void explain_rule(const sked_engine *e, uint32_t ask, uint32_t partition,
                         explain_list *list)
{
    const engine_ask *a = ask_at(e, ask);

    if (shape_at(e, a->shape)->set == SKEDI_NONE) return;
    const explain_nodes count = explain_count(e, ask, partition);
    int binds = explain_rule_binds(e, ask, &count);
    explain_add(list,
                (sked_engine_bound){.reason = SKED_REASON_RULE,
                                    .kind = -1,
                                    .ask = a->key,
                                    .need = 1,
                                    .bound = count.taken,
                                    .partition = partition},
                binds);
}

/* Adds the bounds of one ask in a partition, in the order in which a pass
 * checks them. */
static void explain_ask(const sked_engine *e, uint32_t ask, uint32_t partition,
                        explain_list *list)
{
    const engine_ask *a = ask_at(e, ask);
    uint32_t path[SKED_MAX_DEPTH];
    uint32_t depth = explain_path_up(e, job_at(e, a->job)->row, path);

    explain_refusal(e, a, partition, list);
    for (uint32_t i = depth; i-- > 0;) explain_rate(e, a, path[i], list);
    while (depth-- > 0) explain_limit(e, ask, path[depth], partition, list);
    explain_trees(e, a, engine_row_of(e, &e->shape_step, a->shape), partition,
                  list);
    explain_masters(e, ask, partition, list);
    explain_user(e, a, partition, list);
    explain_rule(e, ask, partition, list);
    if (a->flags & SKED_ASK_SPREAD)
        explain_gang(e, ask, partition, list);
    else
        explain_explain_nodes(e, ask, partition, list);
    explain_forming(e, ask, partition, list);
    explain_claim(e, ask, partition, list);
}

/* True if the ask is explained in the partition. An ask for any partition is
 * explained in each partition that has nodes. If the engine has no nodes, this
 * is partition 0. */
static int explain_is_explained_in(const sked_engine *e, const engine_ask *a,
                                   uint32_t partition)
{
    if (a->partition != SKED_ANY_PARTITION) return a->partition == partition;
    if (e->stats.nodes == 0) return partition == 0;
    return e->partition[partition].nodes > 0;
}

/* Adds all bounds of a job. The list keeps as many bounds as fit. */
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
            if (!explain_is_explained_in(e, ask, p)) continue;
            list->bound = held;
            explain_ask(e, a, p, list);
        }
    }
}

/* The first walk only counts. If the caller's array is too small, the function
 * writes no bound. */
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

/* Counts, task states, usage and free amounts. */

SKEDI_NO_TAIL_PADDING(sked_engine_stats, form_nodes);
SKEDI_NO_TAIL_PADDING(sked_engine_bound, binds);

enum { ENGINE_STATS_V1 = SKEDI_SIZE_THROUGH(sked_engine_stats, bytes) };

sked_status sked_engine_get_stats(const sked_engine *engine,
                                  sked_engine_stats *stats)
{
    if (!engine || !stats) return SKED_ERR_ARG;
    uint32_t theirs = stats->struct_size;
    sked_status rc = skedi_struct_out(theirs, ENGINE_STATS_V1);
    if (rc != SKED_OK) return rc;

    sked_engine_stats now = engine->stats;
    now.struct_size = (uint32_t)skedi_i64_min(theirs, sizeof now);
    now.bytes = engine->hooks.mem.live;
    now.form_nodes = engine->forms.n;
    if (theirs > ENGINE_STATS_V1) skedi_count_over(engine, &now);
    memcpy(stats, &now, now.struct_size);
    return SKED_OK;
}

sked_status sked_engine_task_state(const sked_engine *engine, uint64_t group,
                                   uint32_t *state)
{
    static const uint8_t states[] = {
        SKED_LIFE_STARTED_GONE, SKED_LIFE_STARTED_PROPOSED,
        SKED_LIFE_STARTED_HELD, SKED_LIFE_STARTED_KILLED,
        SKED_LIFE_STARTED_REVOKED};

    if (!engine || !state) return SKED_ERR_ARG;
    uint32_t row = skedi_group_find(engine, group);
    *state = states[row == SKEDI_NONE ? (uint32_t)GROUP_FREE_SLOT
                                      : group_at(engine, row)->state];
    return SKED_OK;
}

/* Adds the open amounts of all asks in or below `row` to `pending`. An ask for
 * any partition counts only if `partition` is SKED_ANY_PARTITION. */
static void explain_add_open(const sked_engine *e, uint32_t row,
                             uint32_t partition, int64_t *pending)
{
    for (uint32_t i = 0; i < e->asks.n; i++) {
        const engine_ask *a = ask_at(e, i);
        if (!a->live || a->open == 0) continue;
        if (partition != SKED_ANY_PARTITION && a->partition != partition) {
            continue;
        }
        uint32_t at = job_at(e, a->job)->row;
        while (at != row && at != 0) at = (uint32_t)e->rows.parent[at];
        if (at != row) continue;
        const int64_t *task = engine_row_of(e, &e->shape_task, a->shape);
        for (uint32_t k = 0; k < e->kinds; k++) {
            pending[k] = skedi_amount_add(pending[k], task[k] * a->open);
        }
    }
}

sked_status sked_engine_usage(const sked_engine *engine, sked_queue_id queue,
                              uint32_t partition, int64_t *usage,
                              int64_t *pending)
{
    if (!engine || !usage) return SKED_ERR_ARG;
    uint32_t row = skedi_image_row(skedi_tree_image(engine->tree), queue);
    if (row == SKEDI_NO_ROW) return SKED_ERR_STALE;
    int all = partition == SKED_ANY_PARTITION;
    if (!all && partition >= engine->parts) return SKED_ERR_ARG;

    for (uint32_t k = 0; k < engine->kinds; k++) {
        usage[k] = all ? skedi_row_used(engine, row, k)
                       : cell_row(engine, engine->cell_used,
                                  cell_of(engine, row, partition))[k];
    }
    if (!pending) return SKED_OK;
    memset(pending, 0, engine->kinds * sizeof *pending);
    explain_add_open(engine, row, partition, pending);
    return SKED_OK;
}

sked_status sked_engine_node_free(const sked_engine *engine, uint64_t node,
                                  int64_t *amounts)
{
    if (!engine || !amounts) return SKED_ERR_ARG;
    uint32_t at = skedi_keymap_get(&engine->node_of, node);
    if (at == SKEDI_NONE) return SKED_ERR_NOT_FOUND;
    const int64_t *free = engine_row_of(engine, &engine->node_free, at);
    for (uint32_t k = 0; k < engine->kinds; k++) {
        amounts[k] = free[k] + skedi_reservation_of(engine, at, k);
        if (kind_is_pooled(engine, k)) amounts[k] = 0;
    }
    return SKED_OK;
}

const char *sked_reason_name(int32_t reason)
{
    switch (reason) {
    case SKED_REASON_NONE: return "";
    case SKED_REASON_ORDER: return "its turn";
    case SKED_REASON_NO_NODE: return "no node has so much free";
    case SKED_REASON_NEVER_NODE: return "no node is large enough";
    case SKED_REASON_QUEUE_LIMIT: return "limit of a queue";
    case SKED_REASON_NEVER_LIMIT: return "larger than the limit of a queue";
    case SKED_REASON_USER_LIMIT: return "limit of the user";
    case SKED_REASON_MAX_RUNNING: return "running applications of a queue";
    case SKED_REASON_USER_RUNNING: return "running applications of the user";
    case SKED_REASON_LOCALITY: return "waits for a node of its list";
    case SKED_REASON_REFUSED: return "the host refused this node";
    case SKED_REASON_DRAINING: return "takes nothing new";
    case SKED_REASON_NODE_LOST: return "the node was lost";
    case SKED_REASON_UNCONFIRMED: return "not confirmed in time";
    case SKED_REASON_CANCELLED: return "cancelled";
    case SKED_REASON_NOT_ADMITTED: return "not admitted yet";
    case SKED_REASON_BEHIND: return "others come first";
    case SKED_REASON_HELD: return "it was reserved for the ask";
    case SKED_REASON_PREEMPTED: return "a queue below its share needs it";
    case SKED_REASON_NEED_GONE: return "no longer needed";
    case SKED_REASON_MASTERS: return "what masters of the leaf may hold";
    case SKED_REASON_PREEMPTED_USER: return "above its user's share";
    case SKED_REASON_PREEMPTED_PRIORITY: return "matters less than what waits";
    case SKED_REASON_PREEMPTED_LIMIT:
        return "below the same limit as a queue below its share";
    case SKED_REASON_NO_CLAIM: return "more than its queue may claim";
    case SKED_REASON_ADOPTED: return "it ran already";
    case SKED_REASON_EXCLUDED: return "the ask does not take this node";
    case SKED_REASON_RULE: return "its rule does not take this node";
    case SKED_REASON_RATE: return "starts of a queue in this second";
    case SKED_REASON_FORMING: return "reserved for a gang that forms";
    case SKED_REASON_WEIGHT: return "its queue has a weight of the host's";
    case SKED_REASON_CLASS: return "what jobs of its class may have";
    case SKED_REASON_GANG: return "all of a gang over nodes at once";
    case SKED_REASON_EXCLUSIVE: return "a node to itself";
    case SKED_REASON_TREE_1_LIMIT: return "limit of a queue of limit tree 1";
    case SKED_REASON_TREE_2_LIMIT: return "limit of a queue of limit tree 2";
    case SKED_REASON_TREE_1_RUNNING:
        return "running jobs of a queue of limit tree 1";
    case SKED_REASON_TREE_2_RUNNING:
        return "running jobs of a queue of limit tree 2";
    case SKED_REASON_OBSERVED: return "a queue below its share would need it";
    }
    return "unknown";
}
