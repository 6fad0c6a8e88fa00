/*
 * Of the tasks that an exact gang lacks, as many as can start on nodes that
 * have some of it, up to `each` on a node, so that the rest is a multiple of
 * `each` and goes to nodes that have none. What is left over of such a multiple
 * has a node of its own only where the nodes that have some lack fewer tasks
 * than that, since others of the gang have ended, or since they take nothing
 * more of it: they drain, say, or are in another partition by now.
 */
#include "engine/core/exact.h"

#include "engine/core/exclusive.h"
#include "engine/core/refusal.h"
#include "engine/core/share.h"
#include "engine/steps.h"

/* What nodes could take of a gang. */
typedef struct exact_sum {
    int64_t lacking; /* tasks that nodes with some of it, and that may take
                        more, lack of `each` */
    int64_t made;    /* of these: that they take now */
    int64_t whole;   /* nodes with none that take all of a node's */
    int64_t parted;  /* nodes with none that take what is left over */
} exact_sum;

/* How many tasks a node with `there` of a gang lacks of `each`: 0, where it
 * takes none of it however much it has free. */
static int64_t lacking_on(const sked_engine *e, uint32_t ask, uint32_t node,
                          uint32_t partition, int64_t there)
{
    const engine_ask *a = ask_at(e, ask);
    const engine_node *n = node_at(e, node);

    if (there == 0 || skedi_ask_is_exclusive(a)) return 0;
    if (n->partition != partition || n->state != NODE_OPEN) return 0;
    if (!skedi_place_may(e, ask, node)) return 0;
    return skedi_i64_max(extra_of(e, a)->each - there, 0);
}

static exact_sum sum_nodes(const sked_engine *e, uint32_t ask,
                           uint32_t partition, int64_t tasks,
                           const engine_exact *exact)
{
    int64_t each = extra_of(e, ask_at(e, ask))->each;
    exact_sum sum = {0};

    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        int64_t there = skedi_gang_there(e, ask, n);
        sum.lacking += lacking_on(e, ask, n, partition, there);
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

/* As many of the tasks as nodes with some of it take, so that the rest is a
 * multiple of `each`; -1: they take fewer than are left over of one. */
static int64_t made_of(int64_t tasks, int64_t each, int64_t most)
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
    exact_sum sum = sum_nodes(e, ask, partition, tasks, exact);
    int64_t over = tasks % each, made = made_of(tasks, each, sum.made);
    exact->part = 0;
    if (made >= 0) {
        exact->made = made;
    } else if (sum.lacking >= over) {
        return 0; /* they are to go where others are */
    } else {
        exact->made = 0;
        exact->part = over;
    }
    exact->whole = (tasks - exact->made) / each;
    return sum.whole >= exact->whole &&
           (exact->part == 0 || sum.parted > exact->whole);
}

int64_t skedi_exact_made(const sked_engine *e, uint32_t ask, uint32_t partition,
                         int64_t tasks)
{
    int64_t lacking = 0;

    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        int64_t there = skedi_gang_there(e, ask, n);
        lacking += lacking_on(e, ask, n, partition, there);
    }
    int64_t made = made_of(tasks, extra_of(e, ask_at(e, ask))->each, lacking);
    return skedi_i64_max(made, 0);
}

uint64_t skedi_exact_most(const sked_engine *e, uint32_t ask,
                          uint32_t partition, uint64_t key, int64_t value)
{
    const engine_ask *a = ask_at(e, ask);
    int64_t each = extra_of(e, a)->each, step = skedi_gang_step(e, a, a->open);
    engine_exact exact = {.key = key, .value = value};
    int forms = skedi_exact_forms(e, ask, partition, step, &exact);
    exact_sum sum = sum_nodes(e, ask, partition, step, &exact);
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
