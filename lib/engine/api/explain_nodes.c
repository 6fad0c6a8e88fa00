/* Of all nodes, what the one lacks that comes nearest; and how many there are for
 * gangs. */
#include "engine/api/explain_nodes.h"

#include "engine/core/bans.h"
#include "engine/core/exclusive.h"
#include "engine/core/gangs.h"
#include "engine/core/refusal.h"
#include "engine/core/same.h"
#include "engine/order/fits.h"
#include "engine/order/sets.h"
#include "engine/order/shapes.h"

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

/* Nodes that an ask could have to itself as far as nodes go; where bounds hold
 * none of them, which does not hold the first. */
static int64_t explain_alone(const sked_engine *e, uint32_t ask,
                             uint32_t partition, explain_list *list)
{
    const engine_ask *a = ask_at(e, ask);
    int64_t all[SKED_MAX_KINDS], n = 0;
    uint32_t first = SKEDI_NONE;
    int may = 0;

    for (uint32_t i = e->first_node; i != SKEDI_NONE; i = node_at(e, i)->next) {
        if (!is_in_question(e, a, i, partition) || !skedi_node_is_empty(e, i) ||
            !skedi_place_allows(e, ask, i) ||
            !skedi_step_fits(e, a->shape, engine_row_of(e, &e->node_free, i))) {
            continue;
        }
        if (n++ == 0) first = i;
        may |= skedi_exclusive_takes(e, ask, i);
    }
    if (n > 0 && !may) {
        skedi_exclusive_amount(e, ask, first, all);
        skedi_explain_all_of(e, ask, partition, all, list);
    }
    return n;
}

void skedi_explain_nodes(const sked_engine *e, uint32_t ask, uint32_t partition,
                         explain_list *list)
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
    add_lack(e, a, &bound);
    skedi_explain_add(list, bound, !list->bound);
}

/* Where nodes take all of an exclusive gang, but bounds do not hold all of
 * these. Of one whose nodes share a value nothing is said: it depends on which. */
static void explain_gang_alone(const sked_engine *e, uint32_t ask,
                               uint32_t partition, int64_t step,
                               explain_list *list)
{
    const engine_ask *a = ask_at(e, ask);
    int64_t sum[SKED_MAX_KINDS] = {0}, all[SKED_MAX_KINDS];

    if (!skedi_ask_is_exclusive(a) || skedi_gang_grows(e, a)) return;
    if (skedi_shape_gang(e, a->shape).same) return;
    for (uint32_t n = e->first_node; n != SKEDI_NONE && step > 0;
         n = node_at(e, n)->next) {
        int64_t here = skedi_gang_on(e, ask, n, partition);
        if (here == 0) continue;
        skedi_exclusive_amount(e, ask, n, all);
        for (uint32_t k = 0; k < e->kinds; k++) sum[k] += all[k];
        step -= here;
    }
    skedi_explain_all_of(e, ask, partition, sum, list);
}

void skedi_explain_gang(const sked_engine *e, uint32_t ask, uint32_t partition,
                        explain_list *list)
{
    const engine_ask *a = ask_at(e, ask);
    int ends = skedi_parked_by(e, a) & (PARK_FALLS | PARK_ENDS) ||
               skedi_gang_is_ending(e, ask);
    uint64_t space = ends ? 0 : skedi_gang_space(e, ask, partition);
    int64_t step = skedi_gang_step(e, a, a->open);
    int forms = space >= (uint64_t)step;
    if (forms) explain_gang_alone(e, ask, partition, step, list);
    int never = !forms && !ends && !skedi_shape_may_fit(e, a->shape, partition);

    skedi_explain_add(list,
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
