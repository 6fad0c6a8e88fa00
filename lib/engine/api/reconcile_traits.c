/* Rows of attributes, rules, tags, places, leasts, pools and what is said of tasks
 * in a truth: what they are of, and whether they can be so. */
#include "base/fail.h"
#include "engine/api/reconcile.h"
#include "engine/work.h"
#include "engine/columns.h"
#include "engine/rules.h"
#include "rule/judge.h"

static sked_status wrong_trait(sked_error *err, sked_status rc,
                               const char *what, uint64_t row)
{
    return skedi_fail(err, rc, what, (skedi_fault){.row = (int64_t)row + 1});
}

uint32_t skedi_recon_thing(const engine_recon *r, const sked_event *event)
{
    const skedi_keymap *map = &r->asks;

    if (event->kind == SKED_EVENT_NODE_ATTRIBUTES) map = &r->nodes;
    if (event->kind == SKED_EVENT_JOB_LEAST) map = &r->jobs;
    return skedi_keymap_get(map, event->key);
}

uint64_t skedi_recon_attributes(const engine_recon *r, const sked_event *event,
                                const sked_rule_attribute **at)
{
    *at = NULL;
    if (event->places == 0) return 0;
    const int32_t *row = r->in->attribute_offsets + event->places - 1;
    if (row[1] > row[0]) *at = r->in->attributes + row[0];
    return (uint64_t)(row[1] - row[0]);
}

/* A rule of an ask, hard or soft: with the ask's others it is no more than one
 * rule may be. */
static sked_status check_rule(engine_recon *r, uint32_t of, uint64_t row,
                              sked_error *err)
{
    sked_rule_input rule;
    sked_status rc = skedi_event_rule(r->in, skedi_event_at(r->in, row), &rule,
                                      err);

    if (rc != SKED_OK) {
        err->row = (int64_t)row;
        return rc;
    }
    const char *wrong = skedi_rule_misfits(r->e, &rule,
                                           skedi_event_at(r->in, of)->flags);
    if (wrong) return wrong_trait(err, SKED_ERR_STATE, wrong, row);
    if (rule.n_terms > SKED_MAX_RULE_TERMS - r->terms[of]) {
        return wrong_trait(err, SKED_ERR_RANGE, "too many terms", row);
    }
    r->terms[of] += (uint32_t)rule.n_terms;
    uint64_t values = skedi_rule_values(&rule);
    if (values > SKED_MAX_RULE_VALUES - r->values[of]) {
        return wrong_trait(err, SKED_ERR_RANGE, "too many values", row);
    }
    r->values[of] += (uint32_t)values;
    return SKED_OK;
}

int skedi_recon_soft_counts(const engine_recon *r, uint64_t row,
                            sked_rule_input *rule)
{
    const sked_event *event = skedi_event_at(r->in, row);
    sked_time until = skedi_event_moment(r->in, event);

    (void)!skedi_event_rule(r->in, event, rule, NULL); /* checked */
    return rule->n_terms > 0 && (until == SKED_UNSET || until > r->now);
}

/* A soft rule, beside those of its ask. */
static sked_status check_soft_rule(engine_recon *r, uint32_t of, uint64_t row,
                                   sked_error *err)
{
    const sked_event *event = skedi_event_at(r->in, row);
    sked_rule_input rule;
    sked_status rc = check_rule(r, of, row, err);

    if (rc != SKED_OK) return rc;
    if (event->places && (event->count < 0 || event->count > INT32_MAX)) {
        return wrong_trait(err, SKED_ERR_RANGE, "weight is out of range", row);
    }
    if (skedi_recon_soft_counts(r, row, &rule)) r->soft[of]++;
    if (r->soft[of] > SKED_MAX_ASK_PREFERENCES) {
        return wrong_trait(err, SKED_ERR_RANGE, "too many soft rules", row);
    }
    r->next_run[row] = r->first_soft[of];
    r->first_soft[of] = (uint32_t)row;
    return SKED_OK;
}

/* The nodes or racks that an ask prefers. */
static sked_status check_preferred_places(const engine_recon *r, uint32_t of,
                                          uint64_t row, sked_error *err)
{
    const sked_event *event = skedi_event_at(r->in, row);
    int rack = event->kind == SKED_EVENT_ASK_RACKS;

    if (event->places > r->in->n_places) {
        return wrong_trait(err, SKED_ERR_ARG, "no such row of places", row);
    }
    if (event->flags & ~(uint32_t)(rack ? 0 : SKED_ASK_STRICT)) {
        return wrong_trait(err, SKED_ERR_ARG, "no flags of places", row);
    }
    sked_status rc = skedi_ask_check_places(
        r->in, event, skedi_event_at(r->in, of)->flags, err);
    if (rc != SKED_OK) err->row = (int64_t)row;
    return rc;
}

static sked_status check_trait(engine_recon *r, uint32_t of, uint64_t row,
                               sked_error *err)
{
    const sked_event *event = skedi_event_at(r->in, row);
    const sked_rule_attribute *at;
    const uint64_t *keys;

    switch (event->kind) {
    case SKED_EVENT_ASK_RULE: return check_rule(r, of, row, err);
    case SKED_EVENT_ASK_PREFER: return check_soft_rule(r, of, row, err);
    case SKED_EVENT_ASK_PLACES:
    case SKED_EVENT_ASK_RACKS: return check_preferred_places(r, of, row, err);
    case SKED_EVENT_JOB_LEAST:
        if (event->count >= 0) return SKED_OK;
        return wrong_trait(err, SKED_ERR_RANGE, "less than no task", row);
    }
    if (event->kind == SKED_EVENT_NODE_ATTRIBUTES) {
        if (event->places > r->in->n_attributes) {
            return wrong_trait(err, SKED_ERR_ARG, "no such row of attributes",
                               row);
        }
        if (skedi_recon_attributes(r, event, &at) <= SKED_MAX_RULE_ATTRIBUTES) {
            return SKED_OK;
        }
        return wrong_trait(err, SKED_ERR_RANGE, "too many attributes", row);
    }
    if (event->places > r->in->n_places) {
        return wrong_trait(err, SKED_ERR_ARG, "no such row of places", row);
    }
    if (skedi_event_places(r->in, event->places, &keys) <= SKED_MAX_ASK_TAGS) {
        return SKED_OK;
    }
    return wrong_trait(err, SKED_ERR_RANGE, "too many tags", row);
}

/* What a row of a trait says, as a bit; 0: it is none. */
static uint8_t trait_bit(const sked_event *event)
{
    switch (event->kind) {
    case SKED_EVENT_NODE_ATTRIBUTES: return RECON_SAYS_ATTRIBUTES;
    case SKED_EVENT_ASK_RULE: return RECON_SAYS_RULE;
    case SKED_EVENT_ASK_TAGS: return RECON_SAYS_TAGS;
    case SKED_EVENT_ASK_PREFER: return RECON_SAYS_SOFT;
    case SKED_EVENT_ASK_PLACES: return RECON_SAYS_PLACES;
    case SKED_EVENT_ASK_RACKS: return RECON_SAYS_RACKS;
    case SKED_EVENT_JOB_LEAST: return RECON_SAYS_LEAST;
    }
    return 0;
}

int skedi_recon_is_trait(const sked_event *event)
{
    return trait_bit(event) != 0;
}

sked_status skedi_recon_link_trait(engine_recon *r, uint64_t row,
                                   sked_error *err)
{
    const sked_event *event = skedi_event_at(r->in, row);
    uint32_t of = skedi_recon_thing(r, event);
    uint8_t bit = trait_bit(event);

    if (of == SKEDI_NONE) {
        return wrong_trait(err, SKED_ERR_NOT_FOUND, "a key of no row", row);
    }
    if (r->says[of] & bit && bit != RECON_SAYS_SOFT) {
        return wrong_trait(err, SKED_ERR_EXISTS, "a key of two rows", row);
    }
    r->says[of] |= bit;
    return check_trait(r, of, row, err);
}

/* ---- When tasks end, and what they cost ---- */

int skedi_recon_is_said(const sked_event *event)
{
    return event->kind == SKED_EVENT_TASK_ENDS ||
           event->kind == SKED_EVENT_TASK_COST;
}

sked_status skedi_recon_link_said(engine_recon *r, uint64_t row,
                                  sked_error *err)
{
    const sked_event *event = skedi_event_at(r->in, row);
    uint32_t ask = skedi_keymap_get(&r->asks, event->owner);

    if (event->flags != SKED_TASK_ON_NODE) {
        return wrong_trait(err, SKED_ERR_ARG, "it names no node and ask", row);
    }
    if (ask == SKEDI_NONE ||
        skedi_keymap_get(&r->nodes, event->key) == SKEDI_NONE) {
        return wrong_trait(err, SKED_ERR_NOT_FOUND, "a key of no row", row);
    }
    if (event->kind == SKED_EVENT_TASK_COST &&
        (event->count < -1 || event->count > INT32_MAX)) {
        return wrong_trait(err, SKED_ERR_RANGE, "count is out of range", row);
    }
    r->next_run[row] = r->first_said[ask];
    r->first_said[ask] = (uint32_t)row;
    return SKED_OK;
}

enum { SEEN_RUNS = 1, SEEN_ENDS = 2, SEEN_COST = 4 };

sked_status skedi_recon_check_said(engine_recon *r, uint64_t ask,
                                   sked_error *err)
{
    const sked_event *event = skedi_event_at(r->in, ask);
    sked_status rc = SKED_OK;
    uint32_t i;

    if (event->kind != SKED_EVENT_ASK_ADD) return SKED_OK;
    for (i = r->first_run[ask]; i != SKEDI_NONE; i = r->next_run[i]) {
        event = skedi_event_at(r->in, i);
        r->seen[skedi_keymap_get(&r->nodes, event->key)] = SEEN_RUNS;
    }
    for (i = r->first_said[ask]; i != SKEDI_NONE && rc == SKED_OK;
         i = r->next_run[i]) {
        event = skedi_event_at(r->in, i);
        uint32_t *seen = &r->seen[skedi_keymap_get(&r->nodes, event->key)];
        uint32_t bit = event->kind == SKED_EVENT_TASK_ENDS ? SEEN_ENDS
                                                           : SEEN_COST;
        if (!(*seen & SEEN_RUNS)) {
            rc = wrong_trait(err, SKED_ERR_NOT_FOUND, "nothing runs there", i);
        } else if (*seen & bit) {
            rc = wrong_trait(err, SKED_ERR_EXISTS, "it is said twice", i);
        }
        *seen |= bit;
    }
    for (i = r->first_run[ask]; i != SKEDI_NONE; i = r->next_run[i]) {
        event = skedi_event_at(r->in, i);
        r->seen[skedi_keymap_get(&r->nodes, event->key)] = 0;
    }
    return rc;
}

/* ---- Pools ---- */

sked_status skedi_recon_link_pool(engine_recon *r, uint64_t row,
                                  sked_error *err)
{
    const sked_event *event = skedi_event_at(r->in, row);
    skedi_fault fault = {.row = (int64_t)row + 1};
    const int64_t *amounts = NULL;
    sked_status rc = skedi_event_amounts(r->e, r->in, event, &amounts, err);

    if (rc != SKED_OK) {
        err->row = (int64_t)row;
        return rc;
    }
    if (event->partition >= SKED_MAX_PARTITIONS) {
        return skedi_fail(err, SKED_ERR_RANGE, "no such partition", fault);
    }
    if (r->pools[event->partition]) {
        return skedi_fail(err, SKED_ERR_EXISTS, "a partition of two rows",
                          fault);
    }
    r->pools[event->partition] = 1;
    for (uint32_t k = 0; k < r->e->kinds; k++) {
        if (amounts[k] == 0 || kind_is_pooled(r->e, k)) continue;
        fault.kind = (int32_t)k + 1;
        fault.got = amounts[k];
        return skedi_fail(err, SKED_ERR_RANGE, "the kind lies on nodes", fault);
    }
    return SKED_OK;
}
