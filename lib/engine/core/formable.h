#ifndef SKEDI_ENGINE_CORE_FORMABLE_H
#define SKEDI_ENGINE_CORE_FORMABLE_H

/* For which gangs over nodes something may be reserved while they form, and on
 * which nodes. */

#include "engine/core/forming.h"

/* Has a node the value on which a gang forms? */
int skedi_forming_is_at(const sked_engine *e, uint32_t node,
                        const engine_forming_where *where);

/*
 * May something be reserved in a partition for a gang that cannot start? Where
 * its nodes are to share a value it forms on one whose nodes could hold it when
 * they are empty: on that of `where` (`own` 1), or on the one whose nodes take
 * most of it now, the least of several, which is then in `where`. O(nodes *
 * their values).
 */
int skedi_forming_may(const sked_engine *e, uint32_t ask, uint32_t partition,
                      int own, engine_forming_where *where);

/* How many of the `left` tasks of a gang a node takes where it forms; of an
 * exact one that has none there as many as each node takes, or all that is left
 * over, or none. */
int64_t skedi_forming_takes_on(const sked_engine *e, uint32_t ask,
                               uint32_t node, const engine_forming_where *where,
                               int64_t left);

#endif
