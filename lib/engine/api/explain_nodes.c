/* Of all nodes, what the one lacks that comes nearest; and how many there are for
 * gangs. */
#include "engine/api/explain_nodes.h"

#include "engine/exclusion.h"
#include "engine/gang.h"
#include "engine/exclusive.h"
#include "engine/reservation.h"
#include "engine/domains.h"
#include "engine/gang_fit.h"
#include "engine/order/sets.h"
#include "engine/pending.h"
#include "engine/steps.h"

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

/* Is a node of the partition, does the ask's rule take it, and does the ask not
 * exclude it? */
static int is_for_ask(const sked_engine *e, uint32_t ask, uint32_t node,
                      uint32_t partition)
{
    return node_at(e, node)->partition == partition &&
           skedi_shape_takes(e, ask_at(e, ask)->shape, node) &&
           !skedi_ask_excludes(e, ask, node);
}

/* Does such a node take work? */
static int is_in_question(const sked_engine *e, uint32_t ask, uint32_t node,
                          uint32_t partition)
{
    return node_at(e, node)->state == NODE_OPEN &&
           is_for_ask(e, ask, node, partition);
}

/* What a task takes, of a gang on one node all of it. */
static const int64_t *needs_on_node(const sked_engine *e, const engine_ask *a)
{
    return engine_row_of(
        e, a->flags & SKED_ASK_SPREAD ? &e->shape_task : &e->shape_step,
        a->shape);
}

/* What the nodes in question lack of what is free there; or (`never`), those that
 * drain as well, of their capacity. */
static node_lack find_lack(const sked_engine *e, uint32_t ask,
                           uint32_t partition, int never)
{
    const engine_amounts *amounts = never ? &e->node_capacity : &e->node_free;
    const int64_t *step = needs_on_node(e, ask_at(e, ask));
    node_lack lack = {0};

    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        if (!is_for_ask(e, ask, n, partition)) continue;
        if (!never && node_at(e, n)->state != NODE_OPEN) continue;
        see_lack(e, step, engine_row_of(e, amounts, n), &lack);
    }
    if (lack.kinds > 0) return lack;
    while (lack.kind < e->kinds && step[lack.kind] == 0) lack.kind++;
    lack.kinds = lack.kind < e->kinds; /* no node: none of the first */
    return lack;
}

/* Says which kind no node has enough of. */
static void add_lack(const sked_engine *e, uint32_t ask,
                     sked_engine_bound *bound)
{
    const int64_t *step = needs_on_node(e, ask_at(e, ask));
    int never = bound->reason == SKED_REASON_NEVER_NODE;

    if (!never && bound->reason != SKED_REASON_NO_NODE) return;
    node_lack lack = find_lack(e, ask, bound->partition, never);
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
        if (!is_in_question(e, ask, i, partition) ||
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
        skedi_explain_all_of(e, ask, partition, all, list);
    }
    return n;
}

/* So few tasks of an ask does an empty node take at least. */
static uint64_t least_on_node(const sked_engine *e, const engine_ask *a)
{
    uint32_t each = extra_of(e, a)->each;

    return each == 0 || a->first_group != SKEDI_NONE || a->open % each ? 1
                                                                       : each;
}

/* Counts a node that would hold `n` tasks when it is empty. */
static void count_large(const sked_engine *e, uint32_t ask, uint32_t node,
                        explain_nodes *count)
{
    const engine_ask *a = ask_at(e, ask);
    uint32_t per_node = skedi_shape_per_node(e, a->shape);
    const int64_t *own = engine_row_of(e, &e->node_capacity, node);
    uint32_t all = skedi_fit_times(e, needs_on_node(e, a), own, INT32_MAX);
    uint64_t n = per_node && per_node < all ? per_node : all;

    if (all == 0) return;
    count->unbounded += all;
    if (n < least_on_node(e, a)) return;
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

explain_nodes skedi_explain_count(const sked_engine *e, uint32_t ask,
                                  uint32_t partition)
{
    explain_nodes count = {0};

    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        const engine_node *node = node_at(e, n);
        if (node->partition != partition) continue;
        int takes = skedi_shape_takes(e, ask_at(e, ask)->shape, n);
        count.open += node->state == NODE_OPEN;
        count.taken += node->state == NODE_OPEN && takes;
        if (takes) count_large(e, ask, n, &count);
    }
    return count;
}

/* Would all that starts at once fit on nodes that its rule takes, whatever else
 * keeps it from them? */
static int would_hold_all(const sked_engine *e, uint32_t ask,
                          const explain_nodes *count)
{
    const engine_ask *a = ask_at(e, ask);
    int spread = (a->flags & SKED_ASK_SPREAD) != 0;
    int64_t step = spread ? skedi_gang_step(e, a, a->open) : 1;

    return count->most >= (uint64_t)step;
}

int skedi_explain_rule_binds(const sked_engine *e, uint32_t ask,
                             const explain_nodes *count)
{
    int waits = would_hold_all(e, ask, count) &&
                (count->draining || count->barred);

    return count->open > 0 && count->taken == 0 && !waits;
}

/* No node that takes work would ever do for an ask: those that drain would, or
 * that the host refused, or that the ask excludes; or none is large enough. Where
 * its rule takes none of those that take work, that has been said. */
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
    int enough = would_hold_all(e, ask, count);

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
    } else if (count->unbounded > 0) { /* each task fits some node */
        bound.need = step;
        bound.bound = (int64_t)count->most;
    } else {
        add_lack(e, ask, &bound);
    }
    skedi_explain_add(list, bound, !list->bound);
}

void skedi_explain_nodes(const sked_engine *e, uint32_t ask, uint32_t partition,
                         explain_list *list)
{
    const engine_ask *a = ask_at(e, ask);
    const explain_nodes count = skedi_explain_count(e, ask, partition);
    int32_t best = SKED_REASON_NO_NODE;
    uint32_t row;

    if (count.large == 0) {
        explain_none(e, ask, partition, &count, list);
        return;
    }
    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        if (!is_in_question(e, ask, n, partition)) continue;
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
    add_lack(e, ask, &bound);
    skedi_explain_add(list, bound, !list->bound);
}

/* Where nodes take all of an exclusive gang, but bounds do not hold all of
 * these. */
static void explain_gang_alone(const sked_engine *e, uint32_t ask,
                               uint32_t partition, int64_t step,
                               explain_list *list)
{
    const engine_ask *a = ask_at(e, ask);
    int64_t sum[SKED_MAX_KINDS] = {0}, all[SKED_MAX_KINDS];
    engine_exact exact = {.key = skedi_shape_gang(e, a->shape).same};

    if (!skedi_ask_is_exclusive(a) || skedi_gang_grows(e, a)) return;
    if (exact.key && !skedi_same_look(e, ask, partition, step, &exact.value)) {
        exact.key = 0; /* it only prefers nodes that share one */
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
    skedi_explain_all_of(e, ask, partition, sum, list);
}

/* Is its gang to share a value of an attribute that no node in question has? */
static int lacks_value(const sked_engine *e, uint32_t ask, uint32_t partition)
{
    uint64_t key = skedi_shape_gang(e, ask_at(e, ask)->shape).same;
    engine_domain_walk w;

    if (key == 0 || skedi_same_is_soft(e, ask)) return 0;
    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        if (!is_in_question(e, ask, n, partition)) continue;
        w = skedi_domains_of(e, key);
        if (skedi_domain_next(e, n, &w) != SKEDI_NONE) return 0;
    }
    return 1;
}

/* Of so many tasks of a gang that a node may have, those that it takes: of an
 * exact one as many at once, or none. */
static int64_t whole_share(const sked_engine *e, uint32_t ask, uint32_t node,
                           int64_t may)
{
    int64_t each = extra_of(e, ask_at(e, ask))->each;

    return each == 0 || may >= each || skedi_gang_there(e, ask, node) > 0 ? may
                                                                          : 0;
}

/* How many tasks of a gang a node takes beside those that it takes now, were
 * nothing reserved there for it. */
static int64_t more_on(const sked_engine *e, uint32_t ask,
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
    if (skedi_ask_is_exclusive(ask_at(e, ask))) { /* it takes nothing now */
        return skedi_node_is_unused(e, node) && skedi_place_allows(e, ask, node)
                   ? whole_share(e, ask, node, fit)
                   : 0;
    }
    int64_t all = skedi_gang_allowed(e, ask, node, fit);
    int64_t now = skedi_gang_on(e, ask, node, part->partition);
    return whole_share(e, ask, node, all) - whole_share(e, ask, node, now);
}

/* The same of all nodes of which something is reserved for it. */
static uint64_t reserved_for(const sked_engine *e, uint32_t ask,
                             uint32_t partition)
{
    int64_t sum = 0;

    if (!skedi_forming_is_of(e, partition, ask)) return 0;
    for (size_t i = 0; i < e->forms.n; i++) {
        const engine_forming_part *part = &e->forms.part[i];
        if (part->partition != partition) continue;
        sum += more_on(e, ask, part);
    }
    return (uint64_t)sum;
}

/* How many tasks of a gang nodes take now, and beside these what is reserved
 * for it. */
static uint64_t space_with_reserved(const sked_engine *e, uint32_t ask,
                                    uint32_t partition)
{
    uint64_t space = skedi_gang_space(e, ask, partition);
    uint64_t reserved = reserved_for(e, ask, partition);

    if (reserved == 0) return space;
    const engine_forming *f = skedi_forming_of(e, partition);
    if (f->where.same == 0) return space + reserved;
    uint64_t there = reserved +
                     skedi_same_on(e, ask, partition, f->where.value);
    return there > space ? there : space;
}

/* Would a step fit some node if nothing were reserved there for a gang that
 * forms? */
static int forming_is_in_the_way(const sked_engine *e, uint32_t ask,
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

void skedi_explain_forming(const sked_engine *e, uint32_t ask,
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
    if (tasks == 0) return; /* its nodes have gone */
    if (f->ask == ask) {
        bound.need = skedi_gang_step(e, a, a->open);
        bound.bound = tasks;
    } else if (forming_is_in_the_way(e, ask, partition)) {
        uint32_t row = job_at(e, ask_at(e, f->ask)->job)->row;
        bound.queue = e->rows.id[row];
        bound.need = (int64_t)ask_at(e, f->ask)->key;
        bound.bound = nodes;
    } else {
        return;
    }
    skedi_explain_add(list, bound, 0);
}

/* How many tasks of a gang nodes take, with what is reserved for it; of one that
 * grows task by task, each on a node of its own, as far as nodes go, and which
 * bound does not hold the first where bounds hold none. */
static uint64_t explain_space(const sked_engine *e, uint32_t ask,
                              uint32_t partition, explain_list *list)
{
    const engine_ask *a = ask_at(e, ask);

    if (skedi_ask_is_exclusive(a) && skedi_gang_grows(e, a)) {
        return (uint64_t)explain_alone(e, ask, partition, list);
    }
    return space_with_reserved(e, ask, partition);
}

void skedi_explain_gang(const sked_engine *e, uint32_t ask, uint32_t partition,
                        explain_list *list)
{
    const engine_ask *a = ask_at(e, ask);
    const explain_nodes count = skedi_explain_count(e, ask, partition);
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
    if (!forms && !ends && lacks_value(e, ask, partition)) {
        bound.reason = SKED_REASON_RULE;
        bound.need = 1;
        bound.bound = 0;
    }
    skedi_explain_add(list, bound, !list->bound);
}
