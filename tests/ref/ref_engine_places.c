/* Which nodes an ask prefers, and for how long it waits for them. */
#include "ref_engine.h"

/* Has the i-th place data of tasks that did not start there? */
static int place_counts(const ref_places *places, size_t i)
{
    return !places->tasks || places->tasks[i] == INT32_MAX ||
           places->started[i] < places->tasks[i];
}

/* Is there any that has? */
static int some_counts(const ref_places *places)
{
    for (size_t i = 0; i < places->n; i++) {
        if (place_counts(places, i)) return 1;
    }
    return 0;
}

/* What is said of a key: nothing (-1), that it has tasks left, or not. */
static int said_of(const ref_places *places, uint64_t key)
{
    for (size_t i = 0; i < places->n; i++) {
        if (places->key[i] == key) return place_counts(places, i);
    }
    return -1;
}

/* Is a node in a rack that the ask would like: by name, or as that of a node
 * which it names? */
static int in_rack(const ref_engine *r, const ref_ask *a, const ref_node *node)
{
    if (node->rack == 0) return 0;
    if (a->racks.n) return said_of(&a->racks, node->rack) == 1;
    for (size_t n = 0; n < r->nodes; n++) {
        if (r->node[n].gone || r->node[n].rack != node->rack) continue;
        if (said_of(&a->nodes, r->node[n].key) == 1) return 1;
    }
    return 0;
}

int ref_engine_place_is_right(const ref_engine *r, const ref_ask *a,
                              const ref_node *node)
{
    uint64_t waited = (uint64_t)r->now - (uint64_t)a->since;
    int strict = (a->flags & SKED_ASK_STRICT) != 0;
    int used_up = node->rack && said_of(&a->racks, node->rack) == 0;

    if (a->nodes.n + a->racks.n == 0) return 1;
    if (said_of(&a->nodes, node->key) == 1 && !used_up) return 1;
    uint64_t delay = (uint64_t)r->opts.node_delay_ns;
    if (!some_counts(&a->nodes)) delay = 0;
    int near = in_rack(r, a, node);
    if (strict && !(near && a->racks.n)) return 0;
    if (near && waited >= delay) return 1;
    if (near && strict) return 0;
    if (!some_counts(&a->nodes) && !some_counts(&a->racks)) return 1;
    return waited >= delay + (uint64_t)r->opts.rack_delay_ns;
}

int ref_engine_distance(const ref_engine *r, const ref_ask *a,
                        const ref_node *node)
{
    int used_up = node->rack && said_of(&a->racks, node->rack) == 0;

    if (a->nodes.n + a->racks.n == 0) return 0;
    if (said_of(&a->nodes, node->key) == 1 && !used_up) return 0;
    return in_rack(r, a, node) ? 1 : 2;
}
