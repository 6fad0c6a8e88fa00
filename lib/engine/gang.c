/*
 * Gangs: decides whether enough tasks of an ask can start at the same moment,
 * and on which nodes.
 *
 * A trial walks over the nodes of a partition in the order of adding and counts
 * how many tasks each node takes (the share of the node). If the sum reaches
 * the tasks that the gang lacks, all of them start in the same pass. Otherwise
 * no task starts. A gang that cannot start may keep reserved amounts on nodes
 * while the gang forms.
 *
 * Invariants: a trial changes only scratch counts of domains, and notes how
 * many tasks must fit before the partition tries again. A gang starts within
 * one pass or not at all, and two gangs never block each other.
 */

#include "engine/exclusion.h"
#include "engine/exclusive.h"
#include "engine/reservation.h"
#include "engine/alloc.h"
#include "engine/work.h"
#include "engine/decision.h"
#include "engine/gang.h"
#include "engine/domains.h"
#include "engine/gang_fit.h"
#include "engine/pending.h"
#include "engine/wants.h"
#include "engine/store.h"
#include "engine/ask.h"

/* Limits on a node beside free amounts: refusals, preferred nodes, tasks of the
 * gang on the node, and whether the node must be empty. */

/* True if a gang may start all tasks that fit on a node, on every node. */
static int gang_takes_all(const sked_engine *e, uint32_t ask)
{
    const engine_ask *a = ask_at(e, ask);
    int counted = a->first_group != SKEDI_NONE &&
                  skedi_shape_per_node(e, a->shape) < INT32_MAX;

    return !skedi_ask_avoids(e, a) && extra_of(e, a)->places == SKEDI_NONE &&
           !counted && skedi_shape_gang(e, a->shape).same == 0 &&
           extra_of(e, a)->each == 0 && !skedi_ask_is_exclusive(a);
}

int64_t skedi_gang_there(const sked_engine *e, uint32_t ask, uint32_t node)
{
    int64_t count = 0;

    for (uint32_t g = node_at(e, node)->first_group; g != SKEDI_NONE;
         g = group_at(e, g)->next) {
        if (group_at(e, g)->ask == ask) count += group_at(e, g)->count;
    }
    return count;
}

int64_t skedi_gang_allowed(const sked_engine *e, uint32_t ask, uint32_t node,
                           int64_t fit)
{
    int64_t left = skedi_shape_per_node(e, ask_at(e, ask)->shape);

    if (fit == 0 || !skedi_place_allows(e, ask, node)) return 0;
    if (!skedi_exclusive_takes(e, ask, node)) return 0;
    if (left == INT32_MAX) return fit;
    left -= skedi_gang_there(e, ask, node);
    return skedi_i64_max(skedi_i64_min(fit, left), 0);
}

int skedi_node_has(const sked_engine *e, uint32_t node, uint64_t key,
                   int64_t value)
{
    const engine_traits *own = &e->rules.traits[node];
    uint64_t from = 0, to = own->n;

    while (from < to) {
        uint64_t at = from + (to - from) / 2;
        const sked_rule_attribute *pair = &own->at[at];
        if (pair->key == key && pair->value == value) return 1;
        if (pair->key < key || (pair->key == key && pair->value < value))
            from = at + 1;
        else
            to = at;
    }
    return 0;
}

int64_t skedi_gang_on(const sked_engine *e, uint32_t ask, uint32_t node,
                      uint32_t partition)
{
    uint32_t shape = ask_at(e, ask)->shape;
    const engine_node *n = node_at(e, node);

    if (n->partition != partition || n->state != NODE_OPEN) return 0;
    return skedi_gang_allowed(
        e, ask, node,
        skedi_fit_times(e, engine_row_of(e, &e->shape_task, shape),
                        engine_row_of(e, &e->node_free, node),
                        skedi_shape_per_node(e, shape)));
}

/*
 * Exact gangs (SKED_ASK_EXACT). First, missing tasks go to nodes that already
 * hold tasks of the gang, up to `each` on a node. The number of these tasks
 * leaves a multiple of `each`. The rest goes to nodes without tasks of the
 * gang.
 *
 * The remainder of tasks / `each` gets a node of its own only if the nodes with
 * tasks lack fewer tasks than the remainder. This happens after other tasks of
 * the gang ended. This also happens if the nodes with tasks drain or are in
 * another partition by now.
 */

/* What the nodes of a partition could take of an exact gang. Nodes with tasks
 * are the nodes that hold tasks of the gang; gang_lacking_on() defines what a
 * node lacks. */
typedef struct exact_sum {
    int64_t lacking; /* tasks that nodes with tasks lack */
    int64_t made;    /* tasks that nodes with tasks take now */
    int64_t whole;   /* nodes without tasks that take `each` */
    int64_t parted;  /* nodes without tasks that take the remainder */
} exact_sum;

/* Returns how many tasks a node with `there` tasks of a gang lacks of `each`.
 * Returns 0 if the node takes no task of the gang, however much is free. */
static int64_t gang_lacking_on(const sked_engine *e, uint32_t ask,
                               uint32_t node, uint32_t partition, int64_t there)
{
    const engine_ask *a = ask_at(e, ask);
    const engine_node *n = node_at(e, node);

    if (there == 0 || skedi_ask_is_exclusive(a)) return 0;
    if (n->partition != partition || n->state != NODE_OPEN) return 0;
    if (!skedi_place_may(e, ask, node)) return 0;
    return skedi_i64_max(extra_of(e, a)->each - there, 0);
}

/* Sums what the nodes of a partition could take of an exact gang. O(nodes +
 * groups there). */
static exact_sum gang_sum_nodes(const sked_engine *e, uint32_t ask,
                                uint32_t partition, int64_t tasks,
                                const engine_exact *exact)
{
    int64_t each = extra_of(e, ask_at(e, ask))->each;
    exact_sum sum = {0};

    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        int64_t there = skedi_gang_there(e, ask, n);
        sum.lacking += gang_lacking_on(e, ask, n, partition, there);
        if (exact->key && !skedi_node_has(e, n, exact->key, exact->value))
            continue;
        int64_t may = skedi_gang_on(e, ask, n, partition);
        if (there > 0) {
            sum.made += may;
        } else {
            sum.whole += may >= each;
            sum.parted += may > 0 && may >= tasks % each;
        }
    }
    return sum;
}

/* Returns how many of `tasks` go to nodes with tasks of the gang: the largest
 * number up to `most` that leaves a multiple of `each`. Returns -1 if `most` is
 * less than the remainder. */
static int64_t gang_made_of(int64_t tasks, int64_t each, int64_t most)
{
    int64_t over = tasks % each;

    most = skedi_i64_min(most, tasks);
    return most < over ? -1 : over + (most - over) / each * each;
}

int skedi_exact_forms(const sked_engine *e, uint32_t ask, uint32_t partition,
                      int64_t tasks, engine_exact *exact)
{
    int64_t each = extra_of(e, ask_at(e, ask))->each;

    if (each == 0) return 1;
    exact_sum sum = gang_sum_nodes(e, ask, partition, tasks, exact);
    int64_t over = tasks % each, made = gang_made_of(tasks, each, sum.made);
    exact->part = 0;
    if (made >= 0) {
        exact->made = made;
    } else if (sum.lacking >= over) {
        return 0; /* the remainder waits for these nodes */
    } else {
        exact->made = 0;
        exact->part = over;
    }
    exact->whole = (tasks - exact->made) / each;
    return sum.whole >= exact->whole &&
           (exact->part == 0 || sum.parted > exact->whole);
}

/* Returns how many of the missing `tasks` of an exact gang go to nodes that
 * hold tasks of the gang, once enough is free. The other tasks go to nodes
 * without tasks of the gang. O(nodes + groups there). */
static int64_t gang_exact_made(const sked_engine *e, uint32_t ask,
                               uint32_t partition, int64_t tasks)
{
    int64_t lacking = 0;

    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        int64_t there = skedi_gang_there(e, ask, n);
        lacking += gang_lacking_on(e, ask, n, partition, there);
    }
    int64_t made = gang_made_of(tasks, extra_of(e, ask_at(e, ask))->each,
                                lacking);
    return skedi_i64_max(made, 0);
}

/* Returns how many missing tasks of an exact gang the nodes take now. If `key`
 * is not 0, only nodes with this value of the attribute count. O(nodes + groups
 * there). */
static uint64_t gang_exact_most(const sked_engine *e, uint32_t ask,
                                uint32_t partition, uint64_t key, int64_t value)
{
    const engine_ask *a = ask_at(e, ask);
    int64_t each = extra_of(e, a)->each, step = skedi_gang_step(e, a, a->open);
    engine_exact exact = {.key = key, .value = value};
    int forms = skedi_exact_forms(e, ask, partition, step, &exact);
    exact_sum sum = gang_sum_nodes(e, ask, partition, step, &exact);
    int64_t made = skedi_i64_min(sum.made, step);

    if (forms) return (uint64_t)step;
    sum.whole = skedi_i64_min(sum.whole, (step - made) / each);
    return (uint64_t)skedi_i64_min(made + sum.whole * each, step - 1);
}

int64_t skedi_exact_share(const sked_engine *e, uint32_t ask, uint32_t node,
                          int64_t may, engine_exact *exact)
{
    int64_t each = extra_of(e, ask_at(e, ask))->each, here = 0;

    if (skedi_gang_there(e, ask, node) > 0) {
        here = skedi_i64_min(may, exact->made);
        exact->made -= here;
    } else if (may >= each && exact->whole > 0) {
        here = each;
        exact->whole--;
    } else if (exact->part > 0 && may >= exact->part) {
        here = exact->part;
        exact->part = 0;
    }
    return here;
}

/*
 * Shared attribute values. The functions compare values in scratch counts of
 * the values' domains. The engine keeps domains for every attribute that the
 * nodes of some gang share.
 */

int skedi_same_has(const sked_engine *e, uint32_t ask, uint64_t key,
                   int64_t value)
{
    uint32_t g = ask_at(e, ask)->first_group;

    while (g != SKEDI_NONE &&
           skedi_node_has(e, group_at(e, g)->node, key, value)) {
        g = group_at(e, g)->ask_next;
    }
    return g == SKEDI_NONE;
}

int skedi_same_joins(const sked_engine *e, uint32_t ask, uint32_t node)
{
    uint64_t key = skedi_shape_gang(e, ask_at(e, ask)->shape).same;

    if (key == 0 || skedi_same_is_soft(e, ask)) return 1;
    engine_domain_walk w = skedi_domains_of(e, key);
    while (skedi_domain_next(e, node, &w) != SKEDI_NONE) {
        if (skedi_same_has(e, ask, key, w.value)) return 1;
    }
    return 0;
}

/* Returns the first reservation of an ask from `at` on, or SKEDI_NONE. */
static uint32_t gang_next_reserved(const sked_engine *e, uint32_t ask,
                                   uint32_t at)
{
    while (at != SKEDI_NONE && reservation_at(e, at)->ask != ask) {
        at = reservation_at(e, at)->later;
    }
    return at;
}

int skedi_same_reserved(const sked_engine *e, uint32_t ask)
{
    uint64_t key = skedi_shape_gang(e, ask_at(e, ask)->shape).same;
    uint32_t first = gang_next_reserved(e, ask, e->first_reservation);

    if (key == 0 || skedi_same_is_soft(e, ask) || first == SKEDI_NONE) return 1;
    engine_domain_walk w = skedi_domains_of(e, key);
    while (skedi_domain_next(e, reservation_at(e, first)->node, &w) !=
           SKEDI_NONE) {
        uint32_t at = first;
        while (at != SKEDI_NONE &&
               skedi_node_has(e, reservation_at(e, at)->node, key, w.value)) {
            at = gang_next_reserved(e, ask, reservation_at(e, at)->later);
        }
        if (at == SKEDI_NONE && skedi_same_has(e, ask, key, w.value)) return 1;
    }
    return 0;
}

/* Adds `tasks` to the scratch of all domains of a node, or clears the scratch
 * if `tasks` is 0. */
static void gang_weigh_node(sked_engine *e, uint32_t node, uint64_t key,
                            int64_t tasks)
{
    engine_domain_walk w = skedi_domains_of(e, key);
    uint32_t domain;

    while ((domain = skedi_domain_next(e, node, &w)) != SKEDI_NONE) {
        engine_domain *d = skedi_domain_at(e, domain);
        d->tasks = tasks == 0 ? 0 : d->tasks + (uint64_t)tasks;
    }
}

/* Counts in the scratch of each domain how many tasks of an ask the nodes take.
 */
static void gang_weigh_all(sked_engine *e, uint32_t ask, uint32_t partition)
{
    uint64_t key = skedi_shape_gang(e, ask_at(e, ask)->shape).same;
    uint32_t n;

    for (n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        gang_weigh_node(e, n, key, 0);
    }
    for (n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        int64_t here = skedi_gang_on(e, ask, n, partition);
        if (here > 0) gang_weigh_node(e, n, key, here);
    }
}

/* Finds the first value of a node for which two conditions hold: nodes with
 * this value take `tasks` more tasks, and each node with tasks of the ask has
 * the value. Returns 0 if the node has no such value. */
static int gang_value_of_node(const sked_engine *e, uint32_t ask, uint32_t node,
                              int64_t tasks, int64_t *value)
{
    uint64_t key = skedi_shape_gang(e, ask_at(e, ask)->shape).same;
    engine_domain_walk w = skedi_domains_of(e, key);
    uint32_t domain;

    while ((domain = skedi_domain_next(e, node, &w)) != SKEDI_NONE) {
        if (skedi_domain_at(e, domain)->tasks < (uint64_t)tasks) continue;
        if (!skedi_same_has(e, ask, key, w.value)) continue;
        engine_exact exact = {.key = key, .value = w.value};
        if (!skedi_exact_forms(e, ask, node_at(e, node)->partition, tasks,
                               &exact)) {
            skedi_domain_at(e, domain)->tasks = 0; /* skipped from now on */
            continue;
        }
        *value = w.value;
        return 1;
    }
    return 0;
}

uint64_t skedi_same_on(const sked_engine *e, uint32_t ask, uint32_t partition,
                       int64_t value)
{
    uint64_t key = skedi_shape_gang(e, ask_at(e, ask)->shape).same, sum = 0;

    if (!skedi_same_has(e, ask, key, value)) return 0;
    if (extra_of(e, ask_at(e, ask))->each > 0) {
        return gang_exact_most(e, ask, partition, key, value);
    }
    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        if (!skedi_node_has(e, n, key, value)) continue;
        sum += (uint64_t)skedi_gang_on(e, ask, n, partition);
    }
    return sum;
}

/* Returns the most tasks that the nodes of a single value take now. O(nodes *
 * values). */
static uint64_t gang_same_most(const sked_engine *e, uint32_t ask,
                               uint32_t partition)
{
    uint64_t key = skedi_shape_gang(e, ask_at(e, ask)->shape).same, most = 0;
    const engine_domain_key *all = skedi_domains_of(e, key).only;

    for (uint32_t i = 0; i < all->n; i++) {
        const engine_domain *d = skedi_domain_at(e, all->at[i]);
        if (d->partition != partition) continue;
        uint64_t sum = skedi_same_on(e, ask, partition, d->value);
        if (sum > most) most = sum;
    }
    return most;
}

/* Finds a value whose nodes take `tasks` tasks of an ask. Returns 0 if no value
 * exists. O(nodes * (log values + groups of the ask)). */
static int gang_same_find(sked_engine *e, uint32_t ask, uint32_t partition,
                          int64_t tasks, int64_t *value)
{
    gang_weigh_all(e, ask, partition);
    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        if (skedi_gang_on(e, ask, n, partition) == 0) continue;
        if (gang_value_of_node(e, ask, n, tasks, value)) return 1;
    }
    return 0;
}

int skedi_same_look(const sked_engine *e, uint32_t ask, uint32_t partition,
                    int64_t tasks, int64_t *value)
{
    uint64_t key = skedi_shape_gang(e, ask_at(e, ask)->shape).same;

    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        engine_domain_walk w = skedi_domains_of(e, key);
        if (skedi_gang_on(e, ask, n, partition) == 0) continue;
        while (skedi_domain_next(e, n, &w) != SKEDI_NONE) {
            *value = w.value;
            if (skedi_same_on(e, ask, partition, w.value) >= (uint64_t)tasks)
                return 1;
        }
    }
    return 0;
}

/*
 * Start of a gang. Nodes are filled in the order of adding, each with as many
 * tasks as the node takes. Tasks are alike: if any choice of nodes works, this
 * choice works. A gang starts within one pass or not at all, and no task starts
 * before. Two gangs therefore never block each other. The extra tasks of an
 * elastic gang start like tasks of any ask.
 */

uint64_t skedi_gang_space(const sked_engine *e, uint32_t ask,
                          uint32_t partition)
{
    if (skedi_shape_gang(e, ask_at(e, ask)->shape).same &&
        !skedi_same_is_soft(e, ask)) {
        return gang_same_most(e, ask, partition);
    }
    if (extra_of(e, ask_at(e, ask))->each > 0) {
        return gang_exact_most(e, ask, partition, 0, 0);
    }
    uint64_t sum = 0;
    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        sum += (uint64_t)skedi_gang_on(e, ask, n, partition);
    }
    return sum;
}

int skedi_gang_class_try(sked_engine *e, uint32_t shape, uint32_t partition)
{
    uint32_t times = shape_at(e, shape)->times;

    if (skedi_fit_sum(e, shape, partition) >= times) return 1;
    skedi_fit_turn_away(e, shape, partition, times);
    return 0;
}

int skedi_gang_is_ending(const sked_engine *e, uint32_t ask)
{
    uint32_t g = e->notices.n > 0 ? ask_at(e, ask)->first_group : SKEDI_NONE;

    while (g != SKEDI_NONE && skedi_group_dying(e, g) == 0) {
        g = group_at(e, g)->ask_next;
    }
    return g != SKEDI_NONE;
}

/* A walk that gives the tasks of a gang to nodes. */
typedef struct gang_walk {
    uint32_t ask;
    uint32_t partition;
    uint32_t shape;
    uint32_t node;      /* the next node of the walk */
    int all;            /* 1: a node may start all tasks that fit */
    engine_exact exact; /* shares of nodes, and the shared value */
    int64_t left;       /* tasks without a node */
} gang_walk;

/* Begins a walk for the tasks of the gang that start at once. */
static gang_walk gang_begin(sked_engine *e, uint32_t ask, uint32_t partition)
{
    const engine_ask *a = ask_at(e, ask);
    gang_walk w = {.ask = ask,
                   .partition = partition,
                   .shape = a->shape,
                   .node = e->first_node,
                   .all = gang_takes_all(e, ask),
                   .exact.key = skedi_shape_gang(e, a->shape).same,
                   .left = skedi_gang_step(e, a, a->open)};

    if (w.exact.key &&
        !gang_same_find(e, ask, partition, w.left, &w.exact.value)) {
        w.exact.key = 0; /* a shared value is only preferred */
    }
    (void)skedi_exact_forms(e, ask, partition, w.left, &w.exact);
    return w;
}

/* Returns the next node that takes tasks, and the number of tasks in `*count`.
 * The caller knows that the nodes take all tasks of the walk. */
static uint32_t gang_next(const sked_engine *e, gang_walk *w, int64_t *count)
{
    for (;;) {
        uint32_t node = w->node;
        w->node = node_at(e, node)->next;
        if (node_at(e, node)->partition != w->partition) continue;
        if (w->exact.key &&
            !skedi_node_has(e, node, w->exact.key, w->exact.value)) {
            continue;
        }
        int64_t fit = skedi_fit_on(e, w->shape, node);
        if (!w->all) fit = skedi_gang_allowed(e, w->ask, node, fit);
        if (extra_of(e, ask_at(e, w->ask))->each > 0) {
            fit = skedi_exact_share(e, w->ask, node, fit, &w->exact);
        }
        *count = skedi_i64_min(fit, w->left);
        w->left -= *count;
        if (*count > 0) return node;
    }
}

/* True if bounds hold all nodes on which an exclusive gang would start. Always
 * true for other gangs. */
static int gang_is_within(sked_engine *e, uint32_t ask, uint32_t partition)
{
    int64_t sum[SKED_MAX_KINDS] = {0}, all[SKED_MAX_KINDS], count;
    gang_walk w;
    uint32_t row, kind;

    if (!skedi_ask_is_exclusive(ask_at(e, ask))) return 1;
    w = gang_begin(e, ask, partition);
    while (w.left > 0) {
        skedi_exclusive_amount(e, ask, gang_next(e, &w, &count), all);
        for (uint32_t k = 0; k < e->kinds; k++) sum[k] += all[k];
    }
    return skedi_exclusive_bound(e, ask, partition, sum, &row, &kind) ==
           SKED_REASON_ORDER;
}

int skedi_gang_forms(sked_engine *e, uint32_t ask, uint32_t partition,
                     int *again)
{
    const engine_ask *a = ask_at(e, ask);

    if (!skedi_gang_class_try(e, a->shape, partition)) return 0;
    if (skedi_gang_is_ending(e, ask)) {
        *again = 1;
        return 0;
    }
    if (gang_takes_all(e, ask)) return 1;
    int64_t step = skedi_gang_step(e, a, a->open), value;
    int shared = skedi_shape_gang(e, a->shape).same &&
                 !skedi_same_is_soft(e, ask);
    int forms = shared ? gang_same_find(e, ask, partition, step, &value)
                       : skedi_gang_space(e, ask, partition) >= (uint64_t)step;
    forms = forms && gang_is_within(e, ask, partition);
    *again |= !forms;
    return forms;
}

int skedi_gang_grows_on(const sked_engine *e, uint32_t ask, uint32_t node)
{
    return skedi_gang_allowed(e, ask, node, 1) > 0 &&
           skedi_same_joins(e, ask, node);
}

int skedi_gang_joins(const sked_engine *e, uint32_t ask, uint32_t node,
                     int64_t count)
{
    const engine_ask *a = ask_at(e, ask);
    int64_t most = skedi_shape_per_node(e, a->shape), there;

    if (a->first_group == SKEDI_NONE) return 1;
    there = skedi_gang_there(e, ask, node);
    if (most < INT32_MAX && there + count > most) return 0;
    if (extra_of(e, a)->each > 0 && there == 0 && count < most) return 0;
    return skedi_same_joins(e, ask, node);
}

/* Returns how many groups a gang makes: one on each node, and another for each
 * gap in the task numbers on the node. */
static uint64_t gang_groups_of(sked_engine *e, uint32_t ask, uint32_t partition)
{
    gang_walk w = gang_begin(e, ask, partition);
    uint32_t range = extra_of(e, ask_at(e, ask))->ranges;
    int64_t count, run = skedi_ask_run(e, ask);
    uint64_t n = 0;

    while (w.left > 0) {
        (void)gang_next(e, &w, &count);
        for (; count > 0; n++) {
            if (run == 0) run = skedi_range_pass(e, &range);
            int64_t here = skedi_i64_min(run, count);
            run -= here;
            count -= here;
        }
    }
    return n;
}

void skedi_gang_fill(sked_engine *e, uint32_t ask, uint32_t account,
                     uint32_t node, int64_t count, int32_t reason)
{
    sked_time since = skedi_ask_waits_since(e, ask_at(e, ask));

    while (count > 0) {
        int64_t run = skedi_i64_min(skedi_ask_run(e, ask), count);
        skedi_out_close(e); /* each group is a decision of its own */
        skedi_group_start(e, ask, account, node, (uint32_t)run, reason);
        count -= run;
    }
    if (e->delays && ask_at(e, ask)->open > 0) e->waiting[ask] = since;
}

/* Reserves memory for the groups of a gang and, if `rest` is 1, for the shape
 * of the tasks that stay open. Each exclusive group may need a new shape.
 * Returns 0 if memory fails. */
static int gang_reserve(sked_engine *e, uint32_t ask, uint64_t groups, int rest)
{
    uint64_t wants = groups + 2 * (uint64_t)e->parts;

    return skedi_pool_reserve(&e->groups, &e->hooks.mem, groups) &&
           skedi_exclusive_reserve(e, ask, groups + (uint64_t)rest) &&
           skedi_work_reserve_any(e, ask, groups) &&
           skedi_out_reserve(e, (size_t)groups) &&
           (!rest ||
            (skedi_ask_reserve(e, ask) && skedi_wants_reserve(e, wants)));
}

sked_status skedi_gang_start(sked_engine *e, uint32_t ask, uint32_t account,
                             uint32_t partition)
{
    uint64_t groups = gang_groups_of(e, ask, partition);
    gang_walk w = gang_begin(e, ask, partition);
    int64_t count;

    int rest = extra_of(e, ask_at(e, ask))->spare > 0;
    if (!gang_reserve(e, ask, groups, rest)) return SKED_ERR_NOMEM;
    while (w.left > 0) {
        uint32_t node = gang_next(e, &w, &count);
        skedi_gang_fill(e, ask, account, node, count, SKED_REASON_GANG);
    }
    skedi_out_close(e);
    skedi_ask_reform(e, ask);
    return SKED_OK;
}

/* Reservations for a gang that forms. The checks here look at all nodes at
 * once. The engine checks at each turn whether the gang may start, and the
 * results here therefore need not be exact. */

/* True if the node has the value on which a gang forms. True for every node if
 * the gang needs no value. */
static int gang_forming_is_at(const sked_engine *e, uint32_t node,
                              const engine_forming_where *where)
{
    return where->same == 0 ||
           skedi_node_has(e, node, where->same, where->value);
}

/* Returns how many of the `left` tasks of a gang a node takes while the gang
 * forms. On a node without tasks of the gang, an exact gang takes `each` tasks,
 * or all `left` tasks if fewer are left, or none. */
static int64_t gang_forming_takes_on(const sked_engine *e, uint32_t ask,
                                     uint32_t node,
                                     const engine_forming_where *where,
                                     int64_t left)
{
    int64_t each = extra_of(e, ask_at(e, ask))->each;

    if (!gang_forming_is_at(e, node, where)) return 0;
    int64_t may = skedi_gang_on(e, ask, node, node_at(e, node)->partition);
    may = skedi_i64_min(may, skedi_i64_max(left, 0));
    if (each == 0 || skedi_gang_there(e, ask, node) > 0) return may;
    return may >= each ? each : may == left ? may : 0;
}

/* ---- Whole nodes ---- */

/* Computes the least amounts of a gang that has whole nodes. For each kind, the
 * result is the smallest amount of any suitable node, times a number of nodes.
 * An exact gang counts a node for each `each` tasks, rounded up; another gang
 * counts a node for each task. A suitable node can hold, when empty, the
 * smallest part of the gang. Returns 0 if the result is too large for an
 * amount. */
static int gang_least_of_nodes(const sked_engine *e, uint32_t ask,
                               uint32_t partition, int64_t *sum)
{
    const engine_ask *a = ask_at(e, ask);
    const int64_t *task = engine_row_of(e, &e->shape_task, a->shape);
    int64_t each = skedi_i64_max(extra_of(e, a)->each, 1);
    int64_t step = skedi_gang_step(e, a, a->open), all[SKED_MAX_KINDS];
    uint32_t need = (uint32_t)(step % each ? step % each : each);
    int holds = 1;

    for (uint32_t k = 0; k < e->kinds; k++) sum[k] = SKED_AMOUNT_MAX;
    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        const int64_t *own = engine_row_of(e, &e->node_capacity, n);
        if (node_at(e, n)->partition != partition) continue;
        if (skedi_fit_times(e, task, own, need) < need) continue;
        skedi_exclusive_amount(e, ask, n, all);
        for (uint32_t k = 0; k < e->kinds; k++)
            sum[k] = skedi_i64_min(sum[k], all[k]);
    }
    for (uint32_t k = 0; k < e->kinds; k++) {
        holds &= skedi_i64_mul(sum[k], (step + each - 1) / each, &sum[k]) &&
                 sum[k] <= SKED_AMOUNT_MAX;
    }
    return holds;
}

/* True if bounds may hold the nodes of a gang that has whole nodes. False if
 * the nodes take the gang now, because then only bounds keep the gang from
 * starting. */
static int gang_bounds_may_hold(const sked_engine *e, uint32_t ask,
                                uint32_t partition)
{
    const engine_ask *a = ask_at(e, ask);
    uint64_t step = (uint64_t)skedi_gang_step(e, a, a->open);
    int64_t sum[SKED_MAX_KINDS];
    uint32_t row, kind;

    return skedi_gang_space(e, ask, partition) < step &&
           gang_least_of_nodes(e, ask, partition, sum) &&
           skedi_exclusive_bound(e, ask, partition, sum, &row, &kind) ==
               SKED_REASON_ORDER;
}

/* ---- One value ---- */

/* Returns how many tasks of a gang an empty node holds. The result is 0 for a
 * node below `each`, if the gang is exact, no task runs, and the gang's size is
 * a multiple of `each`. */
static int64_t gang_holds_when_empty(const sked_engine *e, uint32_t ask,
                                     uint32_t node)
{
    const engine_ask *a = ask_at(e, ask);
    int64_t each = a->first_group == SKEDI_NONE ? extra_of(e, a)->each : 0;
    int64_t here = skedi_fit_times(e,
                                   engine_row_of(e, &e->shape_task, a->shape),
                                   engine_row_of(e, &e->node_capacity, node),
                                   skedi_shape_per_node(e, a->shape));
    int even = each > 0 && shape_at(e, a->shape)->times % each == 0;

    return even && here < each ? 0 : here;
}

/* Counts for each value, in the scratch of its domains, how many tasks of a
 * gang the nodes take now and hold when empty. */
static void gang_weigh_values(const sked_engine *e, uint32_t ask,
                              uint32_t partition, const engine_domain_key *key)
{
    const engine_forming_where any = {0};
    int64_t step = shape_at(e, ask_at(e, ask)->shape)->times;

    for (uint32_t i = 0; i < key->n; i++) {
        engine_domain *d = skedi_domain_at(e, key->at[i]);
        d->tasks = d->holds = 0;
    }
    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        if (node_at(e, n)->partition != partition) continue;
        int64_t now = gang_forming_takes_on(e, ask, n, &any, step);
        int64_t holds = gang_holds_when_empty(e, ask, n);
        engine_domain_walk w = {.only = key};
        uint32_t domain;
        while ((domain = skedi_domain_next(e, n, &w)) != SKEDI_NONE) {
            skedi_domain_at(e, domain)->tasks += (uint64_t)now;
            skedi_domain_at(e, domain)->holds += (uint64_t)holds;
        }
    }
}

/* Finds the value on which a gang forms, as in gang_forming_may(). Returns 0 if
 * no value fits. */
static int gang_find_value(const sked_engine *e, uint32_t ask,
                           uint32_t partition, int own,
                           engine_forming_where *where)
{
    uint64_t step = shape_at(e, ask_at(e, ask)->shape)->times, most = 0;
    const engine_domain_key *all = skedi_domains_of(e, where->same).only;
    int found = 0;

    gang_weigh_values(e, ask, partition, all);
    for (uint32_t i = 0; i < all->n; i++) {
        const engine_domain *d = skedi_domain_at(e, all->at[i]);
        if (d->partition != partition || d->holds < step) continue;
        if (own ? d->value != where->value : found && d->tasks <= most)
            continue;
        if (!skedi_same_has(e, ask, where->same, d->value)) continue;
        where->value = d->value;
        most = d->tasks;
        found = 1;
    }
    return found;
}

/*
 * True if the engine may reserve for a gang that cannot start. If the gang's
 * nodes must share a value, the nodes of this value must be able to hold the
 * gang when empty. With `own` 1 the value is the value in `where`. Otherwise
 * the value whose nodes take the most tasks now is written to `where`; if
 * several values take the most, the least value is taken. O(nodes * values of a
 * node).
 */
static int gang_forming_may(const sked_engine *e, uint32_t ask,
                            uint32_t partition, int own,
                            engine_forming_where *where)
{
    const engine_ask *a = ask_at(e, ask);
    const engine_forming *f = &e->forms.gang[partition];
    uint32_t each = a->first_group == SKEDI_NONE ? extra_of(e, a)->each : 0;

    if (a->reserved) return 0; /* a round reserved for the whole gang */
    if (f->resting == a->arrival && e->now < f->rests) return 0;
    if (skedi_gang_is_ending(e, ask)) return 0;
    if (!skedi_shape_may_fit(e, a->shape, partition, each)) return 0;
    if (skedi_ask_is_exclusive(a) && !gang_bounds_may_hold(e, ask, partition))
        return 0;
    if (skedi_same_is_soft(e, ask)) return 1;
    where->same = skedi_shape_gang(e, a->shape).same;
    return where->same == 0 || gang_find_value(e, ask, partition, own, where);
}

/*
 * A walk over a node follows the order of asks. Asks before the gang may use
 * the amounts that the gang reserved on the node. At the gang's turn, all
 * reservations of the gang count as free. If the gang cannot start, the gang
 * reserves what the node takes at this moment. Asks after the gang use the
 * rest. Reservations on other nodes stay until a walk over these nodes.
 */

/* True if the gang lacks tasks and stands in a line of the partition. A gang
 * that only grows lacks no tasks. */
static int gang_still_forms(const sked_engine *e, const engine_forming *f,
                            uint32_t partition)
{
    const engine_ask *a = ask_at(e, f->ask);

    if (!a->live || a->arrival != f->arrival || a->open == 0 ||
        skedi_gang_grows(e, a)) {
        return 0;
    }
    uint32_t x = a->first_entry;
    while (x != SKEDI_NONE && entry_at(e, x)->cell % e->parts != partition) {
        x = entry_next(e, x);
    }
    return x != SKEDI_NONE;
}

/* True if a reservation has lasted for `form_for_ns`. The function then notes
 * until when the gang gets no other reservation: the same time again. */
static int gang_end_if_over(const sked_engine *e, engine_forming *f)
{
    int64_t most = e->opts.form_for_ns;
    uint64_t formed = (uint64_t)e->now - (uint64_t)f->since;

    if (most == 0 || formed < (uint64_t)most) return 0;
    f->resting = f->arrival;
    f->rests = e->now +
               skedi_i64_min(most, INT64_MAX - skedi_i64_max(e->now, 0));
    return 1;
}

void skedi_forming_look_at(sked_engine *e, uint32_t partition)
{
    engine_forming *f = skedi_forming_of(e, partition);

    if (f && (!gang_still_forms(e, f, partition) || gang_end_if_over(e, f)))
        skedi_forming_drop(e, partition);
}

void skedi_forming_begin_walk(sked_engine *e, uint32_t partition, uint32_t node)
{
    e->forms.first = SKEDI_NONE;
    e->forms.came = 0;
    e->forms.all = node == SKEDI_NONE;
    for (size_t i = 0; i < e->forms.n; i++) {
        engine_forming_part *part = &e->forms.part[i];
        if (part->partition != partition) continue;
        if (node != SKEDI_NONE && part->node != node) continue;
        skedi_forming_give(e, part, 1);
    }
}

/* Returns how many tasks of the partition's gang go to nodes like this node,
 * beyond the reservations on other nodes of the same sort. An exact gang has
 * two sorts of nodes: with and without tasks of the gang. */
static int64_t gang_tasks_for(const sked_engine *e, uint32_t partition,
                              uint32_t node)
{
    uint32_t ask = e->forms.gang[partition].ask;
    const engine_ask *a = ask_at(e, ask);
    int exact = extra_of(e, a)->each > 0;
    int some = exact && skedi_gang_there(e, ask, node) > 0;
    int64_t left = skedi_gang_step(e, a, a->open);

    if (exact) {
        int64_t made = gang_exact_made(e, ask, partition, left);
        left = some ? made : left - made;
    }
    for (size_t i = 0; i < e->forms.n; i++) {
        const engine_forming_part *part = &e->forms.part[i];
        if (part->partition != partition || part->node == node) continue;
        if (exact && (skedi_gang_there(e, ask, part->node) > 0) != some)
            continue;
        left -= part->count;
    }
    return left;
}

/* Reserves the node for as many missing tasks as the node takes. Tasks with
 * reservations on other nodes are not missing. A node beyond `form_nodes` gets
 * no reservation. */
static void gang_reserve_on(sked_engine *e, uint32_t partition, uint32_t node)
{
    const engine_forming *f = &e->forms.gang[partition];
    int64_t count = gang_forming_takes_on(e, f->ask, node, &f->where,
                                          gang_tasks_for(e, partition, node));
    uint32_t nodes;

    (void)skedi_forming_tasks(e, partition, &nodes);
    if (!skedi_forming_on(e, node) && nodes >= e->opts.form_nodes) count = 0;
    skedi_forming_set(e, partition, node, count);
}

/* Calls gang_reserve_on() for all nodes of the partition, in the order of
 * adding. */
static void gang_reserve_each(sked_engine *e, uint32_t partition)
{
    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        if (node_at(e, n)->partition != partition) continue;
        if (!skedi_forming_reserve(e)) return; /* no memory for more */
        gang_reserve_on(e, partition, n);
    }
}

/* Makes an ask the forming gang of a partition, without reservations. */
static void gang_begin_for(sked_engine *e, uint32_t ask, uint32_t partition)
{
    engine_forming *f = &e->forms.gang[partition];
    const engine_ask *a = ask_at(e, ask);
    const int64_t *task = engine_row_of(e, &e->shape_task, a->shape);
    int again = skedi_forming_is_of(e, partition, ask);

    skedi_forming_drop(e, partition);
    f->ask = ask;
    f->arrival = a->arrival;
    f->alone = skedi_ask_is_exclusive(a) != 0;
    if (!again) f->since = e->now;
    f->where = e->forms.where;
    e->stats.formings += !again;
    for (uint32_t k = 0; k < e->kinds; k++) f->task[k] = task[k];
}

/* Frees the reservations of a partition's gang for now (`given` is 1), or takes
 * the amounts again (0). */
static void gang_give_parts(sked_engine *e, uint32_t partition, int given)
{
    for (size_t i = 0; i < e->forms.n; i++) {
        if (e->forms.part[i].partition != partition) continue;
        skedi_forming_give(e, &e->forms.part[i], given);
    }
}

/* Reserves for a gang whose turn came and that cannot start. The gang becomes
 * the forming gang of the partition if needed. */
static void gang_take_turn(sked_engine *e, uint32_t ask, uint32_t partition,
                           uint32_t node)
{
    int own = skedi_forming_is_of(e, partition, ask);

    if (!own || e->forms.all) gang_begin_for(e, ask, partition);
    e->forms.came = 1;
    if (e->forms.all) {
        gang_reserve_each(e, partition);
    } else {
        gang_reserve_on(e, partition, node);
        gang_give_parts(e, partition, 0);
    }
}

int skedi_forming_forms(sked_engine *e, uint32_t ask, uint32_t node, int *again)
{
    uint32_t partition = node_at(e, node)->partition;
    const engine_forming *f = skedi_forming_of(e, partition);
    int own = skedi_forming_is_of(e, partition, ask);

    if (own && !e->forms.came) gang_give_parts(e, partition, 1);
    skedi_fits_refresh(e);
    if (skedi_gang_forms(e, ask, partition, again)) return 1;
    *again = 1;
    if (e->forms.came) return 0;
    engine_forming_where where = own ? f->where : (engine_forming_where){0};
    int may = gang_forming_may(e, ask, partition, own, &where);
    int here = own || e->forms.all || gang_forming_is_at(e, node, &where);
    if (may && here && e->forms.first == SKEDI_NONE) {
        e->forms.first = ask;
        e->forms.where = where;
    }
    if (own && !may) {
        skedi_forming_drop(e, partition);
    } else if (own || (may && here && (!f || e->forms.all))) {
        gang_take_turn(e, e->forms.first, partition, node);
    }
    return 0;
}

void skedi_forming_started(sked_engine *e, uint32_t ask)
{
    for (uint32_t p = 0; p < e->forms.cap; p++) {
        if (skedi_forming_is_of(e, p, ask)) skedi_forming_drop(e, p);
    }
}

void skedi_forming_end_walk(sked_engine *e, uint32_t partition, uint32_t node,
                            int cut)
{
    const engine_forming *f = skedi_forming_of(e, partition);
    uint32_t nodes;

    for (size_t i = f ? e->forms.n : 0; i-- > 0;) {
        engine_forming_part *part = &e->forms.part[i];
        if (part->partition != partition || !part->given) continue;
        int64_t count = part->count;
        if (node == SKEDI_NONE || part->node == node) {
            count = cut ? gang_forming_takes_on(e, f->ask, part->node,
                                                &f->where, count)
                        : 0;
        }
        skedi_forming_set(e, partition, part->node, count);
    }
    if (f && skedi_forming_tasks(e, partition, &nodes) == 0)
        skedi_forming_drop(e, partition);
}

uint64_t skedi_forming_mark(const sked_engine *e, uint32_t partition)
{
    const engine_forming *f = skedi_forming_of(e, partition);
    uint64_t sum = f ? f->arrival : 0;

    for (size_t i = 0; i < e->forms.n; i++) {
        const engine_forming_part *part = &e->forms.part[i];
        uint64_t word = (uint64_t)part->node << 32 | part->count;
        if (part->partition == partition) sum += skedi_random_split(&word);
    }
    return sum;
}
