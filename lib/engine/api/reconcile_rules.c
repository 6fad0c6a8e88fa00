/* Attributes of nodes, rules and tags of asks, and what preemption leaves to jobs,
 * beside those of the truth. */
#include "engine/api/reconcile.h"
#include "engine/columns.h"
#include "engine/rules.h"
#include "engine/order/sets.h"
#include "engine/soft_rules.h"
#include "engine/domains.h"

/* ---- Comparing ---- */

static uint64_t times_there(const sked_rule_attribute *at, uint64_t n,
                            sked_rule_attribute one)
{
    uint64_t times = 0;

    for (uint64_t i = 0; i < n; i++) {
        times += at[i].key == one.key && at[i].value == one.value;
    }
    return times;
}

/* In any order. */
static int attributes_are_same(const engine_recon *r, uint32_t node,
                               const sked_event *event)
{
    const engine_traits none = {NULL, 0};
    const engine_traits *own = r->e->rules.used ? &r->e->rules.traits[node]
                                                : &none;
    const sked_rule_attribute *at;
    uint64_t n = skedi_recon_attributes(r, event, &at), i = 0;

    while (i < n && n == own->n &&
           times_there(at, n, at[i]) == times_there(own->at, n, at[i])) {
        i++;
    }
    return i == n && n == own->n;
}

static int rule_is_same(const engine_recon *r, uint32_t ask,
                        const sked_event *event)
{
    const engine_preferred *list = skedi_soft_of(r->e, ask);
    uint32_t own = shape_at(r->e, ask_at(r->e, ask)->shape)->set;
    sked_rule_input rule;

    (void)!skedi_event_rule(r->in, event, &rule, NULL); /* checked */
    return skedi_set_is(r->e, list ? list->own : own, &rule);
}

static int tags_are_same(const engine_recon *r, uint32_t ask,
                         const sked_event *event)
{
    uint64_t sorted[SKED_MAX_ASK_TAGS];
    const uint64_t *keys = NULL;
    const uint32_t *tags = NULL;
    uint32_t n = skedi_event_places(r->in, event->places, &keys), i = 0;
    uint32_t own = skedi_tags_of(r->e, ask, &tags);

    n = skedi_tags_sort(keys, n, sorted);
    while (i < n && n == own && skedi_tag_key(r->e, tags[i]) == sorted[i]) i++;
    return i == n && n == own;
}

/* What is new has no attribute, rule or tag, and no least. */
static int trait_is_none(const engine_recon *r, const sked_event *event)
{
    const sked_rule_attribute *at;
    const uint64_t *keys;
    sked_rule_input rule;

    switch (event->kind) {
    case SKED_EVENT_NODE_ATTRIBUTES:
        return skedi_recon_attributes(r, event, &at) == 0;
    case SKED_EVENT_ASK_TAGS:
        return skedi_event_places(r->in, event->places, &keys) == 0;
    case SKED_EVENT_JOB_LEAST: return event->count == 0;
    default:
        (void)!skedi_event_rule(r->in, event, &rule, NULL);
        return rule.n_terms == 0;
    }
}

/* What the engine has that a row is of and that stays, or SKEDI_NONE. */
static uint32_t thing_of_engine(const engine_recon *r, const sked_event *event)
{
    uint32_t at;

    switch (event->kind) {
    case SKED_EVENT_NODE_ATTRIBUTES:
        at = skedi_keymap_get(&r->e->node_of, event->key);
        return at != SKEDI_NONE && r->node_goes[at] ? SKEDI_NONE : at;
    case SKED_EVENT_JOB_LEAST:
        at = skedi_keymap_get(&r->e->job_of, event->key);
        return at != SKEDI_NONE && r->job_ends[at] ? SKEDI_NONE : at;
    default: return skedi_recon_ask(r, skedi_recon_thing(r, event));
    }
}

static int trait_is_same(const engine_recon *r, uint32_t at,
                         const sked_event *event)
{
    switch (event->kind) {
    case SKED_EVENT_NODE_ATTRIBUTES: return attributes_are_same(r, at, event);
    case SKED_EVENT_JOB_LEAST: return job_at(r->e, at)->least == event->count;
    case SKED_EVENT_ASK_RULE: return rule_is_same(r, at, event);
    default: return tags_are_same(r, at, event);
    }
}

/* Does what is said of an ask matter? Of one that is withdrawn its tags do, as
 * long as tasks of it run, since rules count these. */
static int is_of_use(const engine_recon *r, const sked_event *event)
{
    uint32_t row = skedi_recon_thing(r, event);

    return !r->withdrawn[row] ||
           (event->kind == SKED_EVENT_ASK_TAGS && r->runs[row] > 0);
}

void skedi_recon_judge_tags(engine_recon *r)
{
    for (uint64_t i = 0; i < r->in->n; i++) {
        const sked_event *event = skedi_event_at(r->in, i);
        if (event->kind != SKED_EVENT_ASK_TAGS) continue;
        uint32_t ask = thing_of_engine(r, event);
        if (ask == SKEDI_NONE || !ask_at(r->e, ask)->closed) continue;
        r->ask_ends[ask] = !tags_are_same(r, ask, event);
    }
}

void skedi_recon_trait(engine_recon *r, uint64_t row)
{
    const sked_event *event = skedi_event_at(r->in, row);
    int of_ask = event->kind == SKED_EVENT_ASK_RULE ||
                 event->kind == SKED_EVENT_ASK_TAGS;

    if (event->kind == SKED_EVENT_ASK_PREFER)
        return; /* all of an ask at once */
    if (of_ask && !is_of_use(r, event)) return;
    uint32_t at = thing_of_engine(r, event);
    int same = at == SKEDI_NONE ? trait_is_none(r, event)
                                : trait_is_same(r, at, event);
    if (same) return;
    (void)skedi_recon_say(r, event->kind, event->key,
                          at == SKEDI_NONE ? SKED_ENGINE_DIFFERS_LACKS
                                           : SKED_ENGINE_DIFFERS_OTHER,
                          row);
}
