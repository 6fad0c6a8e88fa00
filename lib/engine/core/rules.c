/*
 * A rule is a part of the shape of an ask, so that all that goes by shapes (the
 * classes of a pass, what asks are alike in a round) goes by rules too. What
 * runs of an ask keeps the shape with which it was started.
 */
#include "engine/core/rules.h"

#include "engine/exclusion.h"

#include "base/fail.h"
#include "engine/work.h"
#include "engine/columns.h"
#include "engine/queue.h"
#include "engine/domains.h"
#include "engine/pending.h"
#include "engine/gang_fit.h"
#include "engine/order/sets.h"
#include "engine/soft_rules.h"
#include "engine/pace.h"
#include "engine/store.h"
#include "engine/watch.h"
#include "rule/judge.h"

/* ---- Nodes ---- */

/* Adds an attribute to `n` that are in order, by key and then by value. */
static void put_in_order(sked_rule_attribute *at, uint64_t n,
                         sked_rule_attribute one)
{
    for (; n > 0; n--) {
        const sked_rule_attribute *last = &at[n - 1];
        if (last->key < one.key) break;
        if (last->key == one.key && last->value <= one.value) break;
        at[n] = *last;
    }
    at[n] = one;
}

sked_status skedi_event_attributes(sked_engine *e, const sked_events *batch,
                                   const sked_event *event,
                                   sked_rule_attribute **at, uint64_t *n,
                                   sked_error *err)
{
    *at = NULL;
    *n = 0;
    if (event->places > batch->n_attributes) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "no such row of attributes");
    }
    if (event->places == 0) return SKED_OK;
    const int32_t *row = batch->attribute_offsets + event->places - 1;
    *n = (uint64_t)(row[1] - row[0]);
    if (*n > SKED_MAX_RULE_ATTRIBUTES) {
        return skedi_fail(err, SKED_ERR_RANGE, "too many attributes",
                          (skedi_fault){.got = (int64_t)*n,
                                        .limit = SKED_MAX_RULE_ATTRIBUTES});
    }
    if (*n == 0) return SKED_OK;
    *at = skedi_new(&e->hooks.mem, (size_t)*n, sizeof **at);
    if (!*at) {
        return skedi_fail_memory(err);
    }
    for (uint64_t i = 0; i < *n; i++) {
        put_in_order(*at, i, batch->attributes[(uint64_t)row[0] + i]);
    }
    return SKED_OK;
}

/* Has a gang whose nodes are to share a value tasks on a node? Then what the
 * node is says where others of it may start, in every partition. */
static int has_sharing(const sked_engine *e, uint32_t node)
{
    for (uint32_t g = node_at(e, node)->first_group; g != SKEDI_NONE;
         g = group_at(e, g)->next) {
        const engine_ask *a = ask_at(e, group_at(e, g)->ask);
        if (skedi_shape_gang(e, a->shape).same) return 1;
    }
    return 0;
}

sked_status skedi_node_attributes(sked_engine *e, const sked_events *batch,
                                  const sked_event *event, sked_error *err)
{
    uint32_t node = skedi_keymap_get(&e->node_of, event->key);
    sked_rule_attribute *at;
    uint64_t n;

    if (node == SKEDI_NONE) {
        return skedi_fail_plain(err, SKED_ERR_NOT_FOUND, "no such node");
    }
    if (!skedi_sets_start(e)) {
        return skedi_fail_memory(err);
    }
    sked_status rc = skedi_event_attributes(e, batch, event, &at, &n, err);
    if (rc != SKED_OK) return rc;
    rc = skedi_domains_reserve(e, node, at, n) ? SKED_OK : SKED_ERR_NOMEM;
    if (rc == SKED_OK) rc = skedi_predicates_ask(e, event->key);
    if (rc != SKED_OK) {
        skedi_free(&e->hooks.mem, at, (size_t)n, sizeof *at);
        return skedi_predicates_fail(err, rc);
    }
    skedi_domains_leave(e, node);
    skedi_soft_see_node(e, node, -1);
    skedi_node_become(e, node, at, n);
    skedi_soft_see_node(e, node, 1);
    skedi_domains_join(e, node);
    node_at(e, node)->seen = 0;
    if (has_sharing(e, node)) skedi_partition_stir_all(e);
    skedi_watch_node(e, node);
    return SKED_OK;
}

/* ---- Asks ---- */

const char *skedi_rule_misfits(const sked_engine *e,
                               const sked_rule_input *rule, uint32_t flags)
{
    if (skedi_rule_counts(rule) && flags & SKED_ASK_SPREAD) {
        return "the rule of a gang over nodes counts tasks";
    }
    if (skedi_rule_asks_host(rule) && !e->hooks.host.judge) {
        return "the host has no hook that judges nodes";
    }
    return NULL;
}

sked_status skedi_event_rule(const sked_events *batch, const sked_event *event,
                             sked_rule_input *rule, sked_error *err)
{
    *rule = (sked_rule_input){.struct_size = sizeof *rule};
    if (event->places > batch->n_rules) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "no such row of rules");
    }
    if (event->places == 0) return SKED_OK;
    const int32_t *row = batch->rule_offsets + event->places - 1;
    rule->n_terms = (uint64_t)(row[1] - row[0]);
    if (rule->n_terms > 0) rule->terms = batch->rule_terms + row[0];
    rule->values = batch->rule_values;
    rule->n_values = batch->n_rule_values;
    return skedi_rule_check(rule, err);
}

/* Groups of an ask keep the shape that they have, whatever the ask's is next.
 */
static void pin_groups(sked_engine *e, uint32_t ask)
{
    uint32_t shape = ask_at(e, ask)->shape;

    for (uint32_t i = ask_at(e, ask)->first_group; i != SKEDI_NONE;
         i = group_at(e, i)->ask_next) {
        skedi_pace_work(e);
        if (group_at(e, i)->shape != SKEDI_NONE) continue;
        group_at(e, i)->shape = shape;
        shape_at(e, shape)->uses++;
    }
}

/* Lets an ask go by another set. It leaves its lines for that and comes back
 * where it stood; its queues were never without work by it, so their tags of
 * order `deficit` stay. Memory was reserved. */
static void move_to_set(sked_engine *e, uint32_t ask, uint32_t set)
{
    engine_ask *a = ask_at(e, ask);
    uint32_t before = a->shape;
    const int64_t *own = engine_row_of(e, &e->shape_task, before);
    const int64_t *step = engine_row_of(e, &e->shape_step, before);
    int listed = a->first_entry != SKEDI_NONE;
    int64_t task[SKED_MAX_KINDS], times = 1;

    for (uint32_t k = 0; k < e->kinds; k++) {
        task[k] = own[k];
        if (own[k] > 0) times = step[k] / own[k];
    }
    if (shape_at(e, before)->fit != SKEDI_NONE) {
        times = shape_at(e, before)->times;
    }
    pin_groups(e, ask);
    e->keeping = 1;
    if (listed) skedi_entries_remove(e, ask);
    a->shape = skedi_shape_take(e, task, times, set,
                                skedi_shape_gang(e, before));
    skedi_shape_give(e, before);
    if (listed) skedi_entries_add(e, ask);
    e->keeping = 0;
}

/* Memory for an ask to go by another set. 0: there is none. */
static int other_set_reserve(sked_engine *e, uint32_t ask)
{
    return skedi_shape_reserve(e, 1) && skedi_fit_reserve(e, 1) &&
           skedi_entries_reserve(e, ask) && skedi_sets_start(e);
}

/* Are so many terms and values of all rules of an ask no more than one rule may
 * have? SKED_OK or SKED_ERR_RANGE. */
static sked_status check_sum(uint64_t terms, uint64_t values, sked_error *err)
{
    if (terms > SKED_MAX_RULE_TERMS) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "too many terms",
            (skedi_fault){.got = (int64_t)terms, .limit = SKED_MAX_RULE_TERMS});
    }
    if (values <= SKED_MAX_RULE_VALUES) return SKED_OK;
    return skedi_fail(
        err, SKED_ERR_RANGE, "too many values",
        (skedi_fault){.got = (int64_t)values, .limit = SKED_MAX_RULE_VALUES});
}

/* May a rule be that of an ask beside its soft rules, or (`soft` 1) a soft rule
 * beside its rule and its other soft rules? SKED_OK, SKED_ERR_STATE, or
 * SKED_ERR_RANGE: they have too many terms or values together. */
static sked_status check_beside(const sked_engine *e, uint32_t ask,
                                const sked_rule_input *rule, int soft,
                                sked_error *err)
{
    const engine_preferred *list = skedi_soft_of(e, ask);
    uint32_t own = shape_at(e, ask_at(e, ask)->shape)->set;
    uint64_t terms = rule->n_terms, values = skedi_rule_values(rule);

    const char *wrong = skedi_rule_misfits(e, rule, ask_at(e, ask)->flags);
    if (wrong) return skedi_fail_plain(err, SKED_ERR_STATE, wrong);
    if (list) own = list->own;
    if (soft && own != SKEDI_NONE) {
        terms += set_at(e, own)->n_terms;
        values += set_at(e, own)->n_values;
    }
    for (uint32_t i = 0; list && i < list->n; i++) {
        terms += set_at(e, list->at[i].set)->n_terms;
        values += set_at(e, list->at[i].set)->n_values;
    }
    return check_sum(terms, values, err);
}

sked_status skedi_ask_rule(sked_engine *e, const sked_events *batch,
                           const sked_event *event, sked_error *err)
{
    uint32_t ask = skedi_ask_find(e, event->key, err), set = SKEDI_NONE;
    sked_rule_input rule;

    if (ask == SKEDI_NONE) return SKED_ERR_NOT_FOUND;
    sked_status rc = skedi_event_rule(batch, event, &rule, err);
    if (rc == SKED_OK) rc = check_beside(e, ask, &rule, 0, err);
    if (rc != SKED_OK) return rc;
    if (!other_set_reserve(e, ask)) return skedi_fail_memory(err);
    if (rule.n_terms) rc = skedi_set_make(e, &rule, &set);
    if (rc != SKED_OK) return skedi_predicates_fail(err, rc);
    engine_preferred *soft = skedi_soft_of(e, ask);
    if (soft) {
        skedi_soft_rule(e, soft, set);
    } else if (set != shape_at(e, ask_at(e, ask)->shape)->set) {
        move_to_set(e, ask, set);
        skedi_refusers_follow(e, ask);
    }
    return SKED_OK;
}

/* ---- Soft rules ---- */

/* The weight and the moment of a soft rule of an event. SKED_OK or
 * SKED_ERR_RANGE. */
static sked_status read_preference(const sked_engine *e, uint32_t ask,
                                   const sked_events *batch,
                                   const sked_event *event,
                                   engine_preference *one, sked_error *err)
{
    const engine_preferred *list = skedi_soft_of(e, ask);
    sked_time until = skedi_event_moment(batch, event);

    if (event->count < 0 || event->count > INT32_MAX) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "weight is out of range",
            (skedi_fault){.got = event->count, .limit = INT32_MAX});
    }
    if (until != SKED_UNSET && until <= e->now) {
        return skedi_fail(err, SKED_ERR_RANGE, "the moment has passed",
                          (skedi_fault){.got = until, .limit = e->now});
    }
    if (list && list->n == SKED_MAX_ASK_PREFERENCES) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "too many soft rules",
            (skedi_fault){.got = SKED_MAX_ASK_PREFERENCES + INT64_C(1),
                          .limit = SKED_MAX_ASK_PREFERENCES});
    }
    *one = (engine_preference){.until = until,
                               .weight = (uint32_t)event->count};
    return SKED_OK;
}

sked_status skedi_ask_prefer(sked_engine *e, const sked_events *batch,
                             const sked_event *event, sked_error *err)
{
    uint32_t ask = skedi_ask_find(e, event->key, err);
    sked_rule_input rule;
    engine_preference one;

    if (ask == SKEDI_NONE) return SKED_ERR_NOT_FOUND;
    if (event->places == 0) {
        engine_preferred *list = skedi_soft_of(e, ask);
        if (list) skedi_soft_clear(e, list);
        return SKED_OK;
    }
    sked_status rc = skedi_event_rule(batch, event, &rule, err);
    if (rc == SKED_OK) rc = check_beside(e, ask, &rule, 1, err);
    if (rc == SKED_OK) rc = read_preference(e, ask, batch, event, &one, err);
    if (rc != SKED_OK || rule.n_terms == 0) return rc;
    if (!skedi_soft_reserve(e) || !skedi_sets_start(e)) {
        return skedi_fail_memory(err);
    }
    rc = skedi_set_make(e, &rule, &one.set);
    if (rc != SKED_OK) return skedi_predicates_fail(err, rc);
    skedi_soft_add(e, ask, one);
    return SKED_OK;
}

/* Lets the ask of a list go by its soft rules that are in force. */
static sked_status settle_soft(sked_engine *e, engine_preferred *list)
{
    uint32_t sets[SKED_MAX_ASK_PREFERENCES + 1], set;
    uint32_t ask = (uint32_t)(list->name - 1);
    uint32_t n = skedi_soft_count(e, list, sets);

    if (!other_set_reserve(e, ask) ||
        skedi_set_join(e, sets, n, &set) != SKED_OK) {
        return SKED_ERR_NOMEM;
    }
    if (set != shape_at(e, ask_at(e, ask)->shape)->set) {
        move_to_set(e, ask, set);
        skedi_refusers_follow(e, ask);
    }
    skedi_soft_settled(e, list);
    return SKED_OK;
}

sked_status skedi_soft_settle(sked_engine *e)
{
    sked_status rc = SKED_OK;

    for (uint32_t l = 0; e->soft.stale && l < e->soft.lists.n; l++) {
        if (!preferred_at(e, l)->stale) continue;
        rc = settle_soft(e, preferred_at(e, l));
        if (rc != SKED_OK) return rc;
    }
    return rc;
}

/* ---- Tags ---- */

sked_status skedi_ask_tags(sked_engine *e, const sked_events *batch,
                           const sked_event *event, sked_error *err)
{
    uint32_t ask = skedi_ask_find(e, event->key, err);
    const uint64_t *keys = NULL;

    if (ask == SKEDI_NONE) return SKED_ERR_NOT_FOUND;
    if (event->places > batch->n_places) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "no such row of places");
    }
    uint32_t n = skedi_event_places(batch, event->places, &keys);
    if (n > SKED_MAX_ASK_TAGS) {
        return skedi_fail(err, SKED_ERR_RANGE, "too many tags",
                          (skedi_fault){.got = n, .limit = SKED_MAX_ASK_TAGS});
    }
    if (skedi_work_tag(e, ask, keys, n) == SKED_OK) return SKED_OK;
    return skedi_fail_memory(err);
}
