#ifndef SKEDI_ENGINE_ORDER_PREDICATES_H
#define SKEDI_ENGINE_ORDER_PREDICATES_H

/*
 * Predicates of the host's (SKED_RULE_OP_HOST): a byte for each one that a rule
 * in use names, and each node, which is asked for once for each version of the
 * node. A predicate lives as long as a set has a term of it.
 */

#include "engine/state.h"

/* Is none in use? */
static inline int skedi_predicates_none(const sked_engine *e)
{
    return e->rules.predicates.pool.live == 0;
}

/* What the host said of a node: an enum sked_rule_answer. The predicate is in
 * use. */
int32_t skedi_predicate_says(const sked_engine *e, uint64_t key, uint32_t node);

/* One more term uses a predicate; for a new one the host is asked about all
 * nodes. SKED_OK, SKED_ERR_NOMEM, SKED_ERR_ARG (no such answer) or what the
 * host's refusal comes to; then nothing changed. */
sked_status skedi_predicate_use(sked_engine *e, uint64_t key);
void skedi_predicate_unuse(sked_engine *e, uint64_t key);

/* Asks the host for all predicates about a node of which a version is about to
 * begin, by the host's key. Nothing that is known changes by it; returns as
 * skedi_predicate_use(). */
sked_status skedi_predicates_ask(sked_engine *e, uint64_t node);

/* Says in `err` why asking the host failed with `rc`, which it returns. */
sked_status skedi_predicates_fail(sked_error *err, sked_status rc);

/* The version has begun: what the host answered last holds of the node from now
 * on. `came` 1: the node is new, and no answers held of it before. */
void skedi_predicates_keep(sked_engine *e, uint32_t node, int came);

/* A node goes; its answers count in no digest any more. */
void skedi_predicates_lose_node(sked_engine *e, uint32_t node);

/* Memory for every node that there is memory for. 0: there is none. */
int skedi_predicates_node_reserve(sked_engine *e);

/* A hash of what the host said of all nodes. */
uint64_t skedi_predicate_digest(const sked_engine *e, uint64_t key);

void skedi_predicates_start(sked_engine *e);
void skedi_predicates_free(sked_engine *e);

/* Does a predicate that is in use have an answer for every node, and its
 * digest? For tests. */
int skedi_predicates_are_sound(const sked_engine *e);

#endif
