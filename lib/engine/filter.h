#ifndef SKEDI_ENGINE_FILTER_H
#define SKEDI_ENGINE_FILTER_H

#include "engine/state.h"

/*
 * What nodes are, and the sets of nodes that rules take: a bit for each node
 * and set, worked out when one of them comes or changes. Terms that count
 * work are evaluated when a start needs them. A set lives as long as a shape or a soft
 * rule goes by it.
 */

/* Does a rule that says something of work take a node, with what is there
 * now? O(its terms). */
int skedi_set_takes_now(const sked_engine *e, uint32_t set, uint32_t node);

/* Does the rule of a shape say something of work? */
static inline int skedi_shape_counts(const sked_engine *e, uint32_t shape)
{
    uint32_t set = shape_at(e, shape)->set;

    return set != SKEDI_NONE && set_at(e, set)->counts;
}

/* Does a set (SKEDI_NONE: of all nodes) take a node, as far as it speaks of
 * nodes? */
static inline int skedi_set_may_take(const sked_engine *e, uint32_t set,
                                     uint32_t node)
{
    if (set == SKEDI_NONE) return 1;
    return e->rules.takes[(size_t)node * e->rules.words + set / 64] >>
               (set % 64) &
           1;
}

/* Does it take the node now? */
static inline int skedi_set_takes(const sked_engine *e, uint32_t set,
                                  uint32_t node)
{
    if (set != SKEDI_NONE && set_at(e, set)->counts) {
        return skedi_set_takes_now(e, set, node);
    }
    return skedi_set_may_take(e, set, node);
}

/* Does a shape take a node, as far as its rule goes? */
static inline int skedi_shape_takes(const sked_engine *e, uint32_t shape,
                                    uint32_t node)
{
    return skedi_set_takes(e, shape_at(e, shape)->set, node);
}

/* Memory for what is kept of every node that there is memory for; from then on
 * it is (`used`). 0: no memory. */
int skedi_sets_start(sked_engine *e);
int skedi_sets_node_reserve(sked_engine *e);

/* Is a set (SKEDI_NONE: of all nodes) the one of this rule, which was checked?
 */
int skedi_set_is(const sked_engine *e, uint32_t set,
                 const sked_rule_input *rule);

/* The set of a rule that was checked. A new set has no use yet. 0: no memory.
 * Cost of a new set: O(nodes). */
int skedi_set_make(sked_engine *e, const sked_rule_input *rule, uint32_t *set);
void skedi_set_give(sked_engine *e, uint32_t set);

/* The set of the nodes that all of `n` sets take; of none SKEDI_NONE, of one
 * the set itself. 0: no memory. */
int skedi_set_join(sked_engine *e, const uint32_t *sets, uint32_t n,
                   uint32_t *set);

/* Computes the bits of a node whose attributes are new. */
void skedi_sets_see_node(sked_engine *e, uint32_t node);

/* Gives a node new attributes; the engine owns them. */
void skedi_node_become(sked_engine *e, uint32_t node, sked_rule_attribute *at,
                       uint64_t n);

/* A node goes: it leaves its domains, and its attributes are freed. */
void skedi_sets_lose_node(sked_engine *e, uint32_t node);

void skedi_sets_free(sked_engine *e);

/* Is every bit as its rule says? For tests. */
int skedi_sets_are_sound(const sked_engine *e);

#endif
