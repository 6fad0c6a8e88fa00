#ifndef SKEDI_ENGINE_DOMAINS_H
#define SKEDI_ENGINE_DOMAINS_H

/*
 * Domains of nodes, and tasks counted by tag.
 */

#include "engine/state.h"

/*
 * Tags of asks, and tallies: how many tasks with a tag there are somewhere. A
 * tag is known while an ask has it, a tally while it counts anything. Where is
 * a number: of a node, or with SKEDI_IN_DOMAIN of the nodes that share a value
 * of an attribute (domains.h).
 */

/* Are there any tags? */
static inline int skedi_tags_used(const sked_engine *e)
{
    return e->tags.lists.live > 0;
}

#define SKEDI_IN_DOMAIN (UINT32_C(1) << 31)

/* How many tasks with a tag are there? */
int64_t skedi_tally_get(const sked_engine *e, uint64_t key, uint32_t where);

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

/*
 * Where tasks with tags are: on nodes, and in domains, which are the nodes of a
 * partition that share a value of an attribute. Domains are known of the
 * attributes by which some rule counts, or of which the nodes of a gang share a
 * value; a node is in one for each value it has.
 */

/* Memory to count tasks of an ask on a node. 0: there is none. */
int skedi_work_reserve(sked_engine *e, uint32_t ask, uint32_t node);

/* The same on any so many nodes at once. */
int skedi_work_reserve_any(sked_engine *e, uint32_t ask, uint64_t nodes);

/* Adds `by` tasks (negative: takes) of an ask to the counts of a node. Memory was
 * reserved. */
void skedi_work_count(sked_engine *e, uint32_t ask, uint32_t node, int64_t by);

/* An ask has these tags from now on, and what runs of it, too. SKED_OK or
 * SKED_ERR_NOMEM, and nothing changed. O(tags^2 + what runs of it). */
sked_status skedi_work_tag(sked_engine *e, uint32_t ask, const uint64_t *keys,
                           uint32_t n);

/* What a term of work asks for (rule/judge.h), of a node. O(values of the key
 * that the node has; of SPREAD: that there are). */
int64_t skedi_work_of_term(const sked_engine *e, uint32_t node,
                           const sked_rule_term *term, const int64_t *values,
                           int64_t *least);

/* Of a term SPREAD, how many tasks there are for the value with fewest among
 * those that the node does not have; INT64_MAX: it has them all. O(values of
 * the key * those that it has). */
int64_t skedi_work_of_others(const sked_engine *e, uint32_t node,
                             const sked_rule_term *term, const int64_t *values);

/* One more rule or fit goes by an attribute (0: no memory, and nothing
 * changed), or one less. O(nodes + what runs) for the first and the last. */
int skedi_domains_use(sked_engine *e, uint64_t key);
void skedi_domains_unuse(sked_engine *e, uint64_t key);

/* Memory for a node (SKEDI_NONE: a new one) to join the domains of these
 * attributes; of the attributes that it has, in another partition. 0: no
 * memory. */
int skedi_domains_reserve(sked_engine *e, uint32_t node,
                          const sked_rule_attribute *at, uint64_t n);
int skedi_domains_reserve_again(sked_engine *e, uint32_t node);

/* A node leaves all its domains; joins those of its attributes and partition,
 * for which memory was reserved. O(what runs there). */
void skedi_domains_leave(sked_engine *e, uint32_t node);
void skedi_domains_join(sked_engine *e, uint32_t node);

/* A walk over the domains that a node is in: of one key, or (NULL) of all. */
typedef struct engine_domain_walk {
    const engine_domain_key *only;
    const engine_domain_key *key; /* of the pair that was found */
    int64_t value;
    uint64_t next;
} engine_domain_walk;

/* Begins a walk over the domains of a key that is in use; the next domain of a
 * node, or SKEDI_NONE. */
engine_domain_walk skedi_domains_of(const sked_engine *e, uint64_t key);
uint32_t skedi_domain_next(const sked_engine *e, uint32_t node,
                           engine_domain_walk *w);

static inline engine_domain *skedi_domain_at(const sked_engine *e,
                                             uint32_t domain)
{
    return (engine_domain *)e->domains.all.item + domain;
}

void skedi_domains_start(sked_engine *e);
void skedi_domains_free(sked_engine *e);

#endif
