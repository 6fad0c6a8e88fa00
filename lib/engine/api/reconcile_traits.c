/* Rows of attributes, rules and tags in a truth: what they are of, and whether
 * they can be so. */
#include "base/fail.h"
#include "engine/api/reconcile.h"
#include "engine/core/columns.h"
#include "engine/core/rules.h"
#include "rule/judge.h"

/* What rows say of one thing, as bits. */
enum { SAYS_ATTRIBUTES = 1, SAYS_RULE = 2, SAYS_TAGS = 4 };

static sked_status wrong_trait(sked_error *err, sked_status rc,
                               const char *what, uint64_t row)
{
    return skedi_fail(err, rc, what, (skedi_fault){.row = (int64_t)row + 1});
}

uint32_t skedi_recon_thing(const engine_recon *r, const sked_event *event)
{
    return skedi_keymap_get(
        event->kind == SKED_EVENT_NODE_ATTRIBUTES ? &r->nodes : &r->asks,
        event->key);
}

uint64_t skedi_recon_attributes(const engine_recon *r, const sked_event *event,
                                const sked_rule_attribute **at)
{
    *at = NULL;
    if (event->places == 0) return 0;
    const int32_t *row = r->in->attribute_offsets + event->places - 1;
    *at = r->in->attributes + row[0];
    return (uint64_t)(row[1] - row[0]);
}

static sked_status check_rule(const engine_recon *r, uint32_t of, uint64_t row,
                              sked_error *err)
{
    sked_rule_input rule;
    sked_status rc = skedi_event_rule(r->in, skedi_event_at(r->in, row), &rule,
                                      err);

    if (rc != SKED_OK) {
        err->row = (int64_t)row;
    } else if (skedi_rule_counts(&rule) &&
               skedi_event_at(r->in, of)->flags & SKED_ASK_SPREAD) {
        rc = wrong_trait(err, SKED_ERR_STATE,
                         "the rule of a gang over nodes counts tasks", row);
    }
    return rc;
}

static sked_status check_trait(const engine_recon *r, uint32_t of, uint64_t row,
                               sked_error *err)
{
    const sked_event *event = skedi_event_at(r->in, row);
    const sked_rule_attribute *at;
    const uint64_t *keys;

    if (event->kind == SKED_EVENT_ASK_RULE) return check_rule(r, of, row, err);
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

int skedi_recon_is_trait(const sked_event *event)
{
    return event->kind == SKED_EVENT_NODE_ATTRIBUTES ||
           event->kind == SKED_EVENT_ASK_RULE ||
           event->kind == SKED_EVENT_ASK_TAGS;
}

sked_status skedi_recon_link_trait(engine_recon *r, uint64_t row,
                                   sked_error *err)
{
    const sked_event *event = skedi_event_at(r->in, row);
    uint32_t of = skedi_recon_thing(r, event);
    uint8_t bit = event->kind == SKED_EVENT_NODE_ATTRIBUTES ? SAYS_ATTRIBUTES
                  : event->kind == SKED_EVENT_ASK_RULE      ? SAYS_RULE
                                                            : SAYS_TAGS;

    if (of == SKEDI_NONE) {
        return wrong_trait(err, SKED_ERR_NOT_FOUND, "a key of no row", row);
    }
    if (r->says[of] & bit) {
        return wrong_trait(err, SKED_ERR_EXISTS, "a key of two rows", row);
    }
    r->says[of] |= bit;
    return check_trait(r, of, row, err);
}
