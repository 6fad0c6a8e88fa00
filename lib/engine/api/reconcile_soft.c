/* Soft rules of asks and the places that they prefer, beside those of the
 * truth; and what partitions have of kinds that lie on no node. */
#include "engine/api/reconcile.h"
#include "engine/columns.h"
#include "engine/rules.h"
#include "engine/order/sets.h"
#include "engine/soft_rules.h"

/* ---- Soft rules ---- */

/* The rows of an ask's soft rules, the heaviest first; how many. */
static uint32_t soft_of_truth(const engine_recon *r, uint64_t row,
                              uint32_t *rows)
{
    sked_rule_input rule;
    uint32_t n = 0;

    for (uint32_t i = r->first_soft[row]; i != SKEDI_NONE; i = r->next_run[i]) {
        int64_t weight = skedi_event_at(r->in, i)->count;
        if (!skedi_recon_soft_counts(r, i, &rule)) continue;
        uint32_t at = n++;
        for (; at > 0 && skedi_event_at(r->in, rows[at - 1])->count < weight;
             at--) {
            rows[at] = rows[at - 1];
        }
        rows[at] = i;
    }
    return n;
}

/* Has the engine this soft rule as a row says it? */
static int soft_is_as(const engine_recon *r, const engine_preference *own,
                      uint64_t row)
{
    const sked_event *event = skedi_event_at(r->in, row);
    sked_rule_input rule;

    (void)skedi_recon_soft_counts(r, row, &rule);
    return (int64_t)own->weight == event->count &&
           own->until == skedi_event_moment(r->in, event) &&
           skedi_set_is(r->e, own->set, &rule);
}

/* What expires by the time of the differences is no part of what there is. */
static int soft_is_same(const engine_recon *r, uint32_t ask, uint64_t row)
{
    const engine_preferred *list = skedi_soft_of(r->e, ask);
    uint32_t rows[SKED_MAX_ASK_PREFERENCES], at = 0;
    uint32_t n = soft_of_truth(r, row, rows);

    for (uint32_t i = 0; list && i < list->n; i++) {
        const engine_preference *own = &list->at[i];
        if (own->until != SKED_UNSET && own->until <= r->now) continue;
        if (at == n || !soft_is_as(r, own, rows[at])) return 0;
        at++;
    }
    return at == n;
}

void skedi_recon_soft(engine_recon *r, uint64_t row)
{
    uint64_t key = skedi_event_at(r->in, row)->key;
    uint32_t ask = skedi_recon_ask(r, row);
    sked_rule_input rule;

    if (!(r->says[row] & RECON_SAYS_SOFT) || r->withdrawn[row]) return;
    if (ask != SKEDI_NONE && soft_is_same(r, ask, row)) return;
    if (r->phase == RECON_DROPS) {
        if (ask == SKEDI_NONE || !skedi_soft_of(r->e, ask)) return;
        (void)skedi_recon_say(r, SKED_EVENT_ASK_PREFER, key,
                              SKED_ENGINE_DIFFERS_OTHER, UINT64_MAX);
        return;
    }
    for (uint32_t i = r->first_soft[row]; i != SKEDI_NONE; i = r->next_run[i]) {
        if (!skedi_recon_soft_counts(r, i, &rule)) continue;
        (void)skedi_recon_say(r, SKED_EVENT_ASK_PREFER, key,
                              ask == SKEDI_NONE ? SKED_ENGINE_DIFFERS_LACKS
                                                : SKED_ENGINE_DIFFERS_OTHER,
                              i);
    }
}

/* ---- Places ---- */

/* Are the nodes or racks of an ask, and their tasks left, those of a row? */
static int places_are_as(const engine_recon *r, uint32_t ask,
                         const sked_event *event)
{
    const engine_ask *a = ask_at(r->e, ask);
    uint32_t rack = event->kind == SKED_EVENT_ASK_RACKS, i = 0;
    const uint64_t *keys = NULL;
    uint32_t n = skedi_event_places(r->in, event->places, &keys);
    const uint32_t *tasks = r->in->place_tasks;

    for (uint32_t p = extra_of(r->e, a)->places; p != SKEDI_NONE;
         p = place_at(r->e, p)->next) {
        const engine_place *place = place_at(r->e, p);
        if (place->rack != rack) continue;
        if (i == n || place->key != keys[i]) return 0;
        size_t at = (size_t)(keys - r->in->places) + i;
        int64_t left = tasks ? tasks[at] : PLACE_ANY;
        if (skedi_i64_max(place->left, 0) != left) return 0;
        i++;
    }
    return i == n && (rack || (a->flags & SKED_ASK_STRICT) == event->flags);
}

/* Has an ask that is told anew what a row says, without the row? */
static int places_are_told(const engine_recon *r, const sked_event *event,
                           const sked_event *ask)
{
    const uint64_t *keys;
    uint32_t n = skedi_event_places(r->in, event->places, &keys);

    if (event->kind == SKED_EVENT_ASK_RACKS) return n == 0;
    return n == 0 && skedi_event_places(r->in, ask->places, &keys) == 0 &&
           (ask->flags & SKED_ASK_STRICT) == event->flags;
}

void skedi_recon_places(engine_recon *r, uint64_t row)
{
    const sked_event *event = skedi_event_at(r->in, row);
    uint32_t of = skedi_recon_thing(r, event);

    if (r->withdrawn[of]) return;
    uint32_t ask = skedi_recon_ask(r, of);
    /* Tasks that start or are open again count at their places. */
    int same = ask == SKEDI_NONE
                   ? places_are_told(r, event, skedi_event_at(r->in, of))
                   : places_are_as(r, ask, event) &&
                         !skedi_recon_moves(r, ask, of);
    if (same) return;
    (void)skedi_recon_say(r, event->kind, event->key,
                          ask == SKEDI_NONE ? SKED_ENGINE_DIFFERS_LACKS
                                            : SKED_ENGINE_DIFFERS_OTHER,
                          row);
}

/* ---- Pools ---- */

void skedi_recon_pool(engine_recon *r, uint64_t row)
{
    const sked_event *event = skedi_event_at(r->in, row);
    const int64_t *amounts = r->in->amounts +
                             (size_t)(event->amount - 1) * r->e->kinds;
    int same = 1;

    for (uint32_t k = 0; k < r->e->kinds; k++) {
        size_t at = (size_t)event->partition * r->e->kinds + k;
        if (!kind_is_pooled(r->e, k)) continue;
        same &= amounts[k] ==
                (event->partition < r->e->parts ? r->e->capacity[at] : 0);
    }
    if (same) return;
    (void)skedi_recon_say(r, SKED_EVENT_POOL, event->key,
                          SKED_ENGINE_DIFFERS_OTHER, row);
}
