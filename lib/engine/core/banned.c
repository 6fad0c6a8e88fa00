/* What the host refused an ask, and what it excludes. */
#include "engine/core/asks.h"
#include "engine/core/bans.h"
#include "engine/core/refusal.h"
#include "engine/order/sets.h"

int skedi_refusal_holds(const sked_engine *e, const engine_ask *ask,
                        const engine_refusal *refusal)
{
    const engine_node *n = node_at(e, refusal->node);

    if (refusal->until != SKED_UNSET) {
        return e->now < refusal->until && refusal->node_epoch == n->arrival;
    }
    return refusal->ask_epoch == extra_of(e, ask)->epoch &&
           refusal->node_epoch == n->epoch;
}

static const engine_refusal *find_pair(const sked_engine *e,
                                       const engine_ask *ask, uint32_t node)
{
    const engine_refusal *pairs = e->refusals.item;
    uint32_t number = (uint32_t)(ask - ask_at(e, 0));
    uint32_t pair = skedi_keymap_get(&e->refusal_of,
                                     skedi_pair_name(number, node));

    return pair == SKEDI_NONE ? NULL : &pairs[pair];
}

static int is_excluded(const engine_ban *ban, uint64_t key)
{
    uint64_t from = 0, to = ban->n_excluded;

    while (from < to) {
        uint64_t at = from + (to - from) / 2;
        if (ban->excluded[at] == key) return 1;
        if (ban->excluded[at] < key)
            from = at + 1;
        else
            to = at;
    }
    return 0;
}

int skedi_ask_excludes(const sked_engine *e, uint32_t ask, uint32_t node)
{
    const engine_ask *a = ask_at(e, ask);
    uint32_t own = extra_of(e, a)->refusals, of_job = job_at(e, a->job)->ban;
    uint64_t key = node_at(e, node)->key;

    return (own != SKEDI_NONE && is_excluded(ban_at(e, own), key)) ||
           (of_job != SKEDI_NONE && is_excluded(ban_at(e, of_job), key));
}

int32_t skedi_ban_reason(const sked_engine *e, const engine_ask *ask,
                         uint32_t node)
{
    const engine_ban *ban = ban_at(e, extra_of(e, ask)->refusals);
    uint32_t at = (uint32_t)(ask - ask_at(e, 0));
    const engine_refusal *pair = ban->pairs ? find_pair(e, ask, node) : NULL;

    if (pair && skedi_refusal_holds(e, ask, pair)) return SKED_REASON_REFUSED;
    return skedi_ask_excludes(e, at, node) ? SKED_REASON_EXCLUDED
                                           : SKED_REASON_ORDER;
}

sked_time skedi_refused_until(const sked_engine *e, uint32_t ask, uint32_t node)
{
    const engine_refusal *pair = find_pair(e, ask_at(e, ask), node);
    int timed = pair && pair->until != SKED_UNSET;

    return timed ? pair->until : INT64_MAX;
}

int skedi_ask_refuses(const sked_engine *e, uint32_t ask, uint32_t node,
                      sked_time *until, int *changes)
{
    const engine_ask *a = ask_at(e, ask);

    *until = INT64_MAX;
    *changes = 0;
    if (extra_of(e, a)->refusals == SKEDI_NONE) return 0;
    if (skedi_ask_excludes(e, ask, node)) return 1;
    const engine_refusal *pair = find_pair(e, a, node);
    if (!pair || !skedi_refusal_holds(e, a, pair)) return 0;
    *changes = pair->until == SKED_UNSET;
    if (!*changes) *until = pair->until;
    return 1;
}

int skedi_ask_is_banned(const sked_engine *e, const engine_ask *ask,
                        uint32_t node)
{
    return extra_of(e, ask)->refusals != SKEDI_NONE &&
           skedi_ban_reason(e, ask, node) != SKED_REASON_ORDER;
}
