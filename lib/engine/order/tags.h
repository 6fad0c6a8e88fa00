#ifndef SKEDI_ENGINE_ORDER_TAGS_H
#define SKEDI_ENGINE_ORDER_TAGS_H

/*
 * Tags of asks, and tallies: how many tasks with a tag there are somewhere. A
 * tag is known while an ask has it, a tally while it counts anything. Where is
 * a number: of a node, or with SKEDI_IN_DOMAIN of the nodes that share a value
 * of an attribute (domains.h).
 */

#include "engine/state.h"

/* Are there any tags? */
static inline int skedi_tags_used(const sked_engine *e)
{
    return e->tags.lists.live > 0;
}

#define SKEDI_IN_DOMAIN (UINT32_C(1) << 31)

/* Memory for so many tallies more. 0: there is none. */
int skedi_tallies_reserve(sked_engine *e, uint64_t more);

/* So many tasks with a tag more (negative: fewer) are there. Memory was
 * reserved. */
void skedi_tally_add(sked_engine *e, uint32_t tag, uint32_t where, int64_t by);

/* How many tasks with a tag are there? */
int64_t skedi_tally_get(const sked_engine *e, uint64_t key, uint32_t where);

/* Memory for one more list of `n` tags, which is for skedi_tags_become(). 0: no
 * memory. */
int skedi_tags_reserve(sked_engine *e, uint32_t n, uint32_t **tags);

/* An ask has these tags from now on; memory was reserved. Tallies of what runs
 * stay as they are. O(tags). */
void skedi_tags_become(sked_engine *e, uint32_t ask, const uint64_t *keys,
                       uint32_t n, uint32_t *tags);

/* Each key once, in order; returns how many. */
uint32_t skedi_tags_sort(const uint64_t *keys, uint32_t n, uint64_t *sorted);

/* The tags of an ask: how many; `*tags` are their numbers, in the order of
 * their keys. */
uint32_t skedi_tags_of(const sked_engine *e, uint32_t ask,
                       const uint32_t **tags);
uint64_t skedi_tag_key(const sked_engine *e, uint32_t tag);

/* Forgets the tags of an ask, which goes, and of which nothing runs. */
void skedi_tags_forget(sked_engine *e, uint32_t ask);

void skedi_tags_start(sked_engine *e);
void skedi_tags_free(sked_engine *e);

#endif
