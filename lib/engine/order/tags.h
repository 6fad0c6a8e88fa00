#ifndef SKEDI_ENGINE_ORDER_TAGS_H
#define SKEDI_ENGINE_ORDER_TAGS_H

/*
 * Tags of asks, and how many tasks with each of them hold something on a node.
 * A tag is known while an ask has it; a tally while it counts anything.
 */

#include "engine/state.h"

/* Are there any tags? */
static inline int skedi_tags_used(const sked_engine *e)
{
    return e->tags.lists.live > 0;
}

/* Memory to count tasks of an ask on one node more. 0: there is none. */
int skedi_tally_reserve(sked_engine *e, uint32_t ask);

/* So many tasks of an ask more (negative: fewer) hold something on a node. Memory
 * was reserved. */
void skedi_tags_count(sked_engine *e, uint32_t ask, uint32_t node, int64_t by);

/* How many tasks with a tag hold something on a node. */
int64_t skedi_tagged_on(const sked_engine *e, uint64_t key, uint32_t node);

/* An ask has these tags from now on, and what runs of it too. SKED_OK or
 * SKED_ERR_NOMEM, and nothing changed. O(tags log tags + what runs of it). */
sked_status skedi_tags_become(sked_engine *e, uint32_t ask,
                              const uint64_t *keys, uint32_t n);

/* The tags of an ask: how many; `*tags` are their numbers, in the order of
 * their keys. */
uint32_t skedi_tags_of(const sked_engine *e, uint32_t ask,
                       const uint32_t **tags);
uint64_t skedi_tag_key(const sked_engine *e, uint32_t tag);

/* An ask goes, of which nothing runs. */
void skedi_tags_forget(sked_engine *e, uint32_t ask);

void skedi_tags_start(sked_engine *e);
void skedi_tags_free(sked_engine *e);

/* Does every tally count what there is? For tests. */
int skedi_tags_are_sound(const sked_engine *e);

#endif
