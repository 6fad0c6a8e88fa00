/*
 * Rows of the host's state: each thing by its key, running tasks beside
 * their ask, attributes, rules, tags and places; and the tasks that differ.
 *
 * Invariant: groups that run cover the tasks that run by the host's rows on
 * their nodes first; proposals cover the rest, each as a whole.
 */

#include "base/fail.h"
#include "engine/alloc.h"
#include "engine/engine.h"
#include "engine/reconcile.h"
#include "engine/budget.h"
#include "engine/columns.h"
#include "engine/domains.h"
#include "engine/filter.h"
#include "engine/rules.h"
#include "engine/soft_rules.h"
#include "engine/work.h"
#include "rule/judge.h"
#include "tree/image.h"

/* Rows of attributes, rules, tags, places, leasts, pools and what is said of tasks
 * in a truth: what they are of, and whether they can be so. */

static sked_status reconcile_wrong_trait(sked_error *err, sked_status rc,
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

static uint64_t reconcile_recon_attributes(const engine_recon *r,
                                           const sked_event *event,
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
static sked_status reconcile_check_rule(engine_recon *r, uint32_t of,
                                        uint64_t row, sked_error *err)
{
    sked_rule_input rule;
    sked_status rc = skedi_event_rule(r->in, skedi_event_at(r->in, row), &rule,
                                      err);

    if (rc != SKED_OK) {
        err->row = (int64_t)row;
        return rc;
    }
    const char *reconcile_wrong = skedi_rule_misfits(
        &rule, skedi_event_at(r->in, of)->flags);
    if (reconcile_wrong)
        return reconcile_wrong_trait(err, SKED_ERR_STATE, reconcile_wrong, row);
    if (rule.n_terms > SKED_MAX_RULE_TERMS - r->terms[of]) {
        return reconcile_wrong_trait(err, SKED_ERR_RANGE, "too many terms",
                                     row);
    }
    r->terms[of] += (uint32_t)rule.n_terms;
    uint64_t values = skedi_rule_values(&rule);
    if (values > SKED_MAX_RULE_VALUES - r->values[of]) {
        return reconcile_wrong_trait(err, SKED_ERR_RANGE, "too many values",
                                     row);
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
static sked_status reconcile_check_soft_rule(engine_recon *r, uint32_t of,
                                             uint64_t row, sked_error *err)
{
    const sked_event *event = skedi_event_at(r->in, row);
    sked_rule_input rule;
    sked_status rc = reconcile_check_rule(r, of, row, err);

    if (rc != SKED_OK) return rc;
    if (event->places && (event->count < 0 || event->count > INT32_MAX)) {
        return reconcile_wrong_trait(err, SKED_ERR_RANGE,
                                     "weight is out of range", row);
    }
    if (skedi_recon_soft_counts(r, row, &rule)) r->soft[of]++;
    if (r->soft[of] > SKED_MAX_ASK_PREFERENCES) {
        return reconcile_wrong_trait(err, SKED_ERR_RANGE, "too many soft rules",
                                     row);
    }
    r->next_run[row] = r->first_soft[of];
    r->first_soft[of] = (uint32_t)row;
    return SKED_OK;
}

/* The nodes or racks that an ask prefers. */
static sked_status reconcile_check_preferred_places(const engine_recon *r,
                                                    uint32_t of, uint64_t row,
                                                    sked_error *err)
{
    const sked_event *event = skedi_event_at(r->in, row);
    int rack = event->kind == SKED_EVENT_ASK_RACKS;

    if (event->places > r->in->n_places) {
        return reconcile_wrong_trait(err, SKED_ERR_ARG, "no such row of places",
                                     row);
    }
    if (event->flags & ~(uint32_t)(rack ? 0 : SKED_ASK_STRICT)) {
        return reconcile_wrong_trait(err, SKED_ERR_ARG, "no flags of places",
                                     row);
    }
    sked_status rc = skedi_ask_check_places(
        r->in, event, skedi_event_at(r->in, of)->flags, err);
    if (rc != SKED_OK) err->row = (int64_t)row;
    return rc;
}

static sked_status reconcile_check_trait(engine_recon *r, uint32_t of,
                                         uint64_t row, sked_error *err)
{
    const sked_event *event = skedi_event_at(r->in, row);
    const sked_rule_attribute *at;
    const uint64_t *keys;

    switch (event->kind) {
    case SKED_EVENT_ASK_RULE: return reconcile_check_rule(r, of, row, err);
    case SKED_EVENT_ASK_PREFER:
        return reconcile_check_soft_rule(r, of, row, err);
    case SKED_EVENT_ASK_PLACES:
    case SKED_EVENT_ASK_RACKS:
        return reconcile_check_preferred_places(r, of, row, err);
    case SKED_EVENT_JOB_LEAST:
        if (event->count >= 0) return SKED_OK;
        return reconcile_wrong_trait(err, SKED_ERR_RANGE, "less than no task",
                                     row);
    }
    if (event->kind == SKED_EVENT_NODE_ATTRIBUTES) {
        if (event->places > r->in->n_attributes) {
            return reconcile_wrong_trait(err, SKED_ERR_ARG,
                                         "no such row of attributes", row);
        }
        if (reconcile_recon_attributes(r, event, &at) <=
            SKED_MAX_RULE_ATTRIBUTES) {
            return SKED_OK;
        }
        return reconcile_wrong_trait(err, SKED_ERR_RANGE, "too many attributes",
                                     row);
    }
    if (event->places > r->in->n_places) {
        return reconcile_wrong_trait(err, SKED_ERR_ARG, "no such row of places",
                                     row);
    }
    if (skedi_event_places(r->in, event->places, &keys) <= SKED_MAX_ASK_TAGS) {
        return SKED_OK;
    }
    return reconcile_wrong_trait(err, SKED_ERR_RANGE, "too many tags", row);
}

/* What a row of a trait says, as a bit; 0: it is none. */
static uint8_t reconcile_trait_bit(const sked_event *event)
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
    return reconcile_trait_bit(event) != 0;
}

static sked_status reconcile_recon_link_trait(engine_recon *r, uint64_t row,
                                              sked_error *err)
{
    const sked_event *event = skedi_event_at(r->in, row);
    uint32_t of = skedi_recon_thing(r, event);
    uint8_t bit = reconcile_trait_bit(event);

    if (of == SKEDI_NONE) {
        return reconcile_wrong_trait(err, SKED_ERR_NOT_FOUND, "a key of no row",
                                     row);
    }
    if (r->says[of] & bit && bit != RECON_SAYS_SOFT) {
        return reconcile_wrong_trait(err, SKED_ERR_EXISTS, "a key of two rows",
                                     row);
    }
    r->says[of] |= bit;
    return reconcile_check_trait(r, of, row, err);
}

/* ---- When tasks end, and what they cost ---- */

/* Rows of when tasks end and what they cost: reads one; are all of an ask of
 * tasks that run, each once? Says what differs in those of an ask. */
static int reconcile_recon_is_said(const sked_event *event)
{
    return event->kind == SKED_EVENT_TASK_ENDS ||
           event->kind == SKED_EVENT_TASK_COST;
}

static sked_status reconcile_recon_link_said(engine_recon *r, uint64_t row,
                                             sked_error *err)
{
    const sked_event *event = skedi_event_at(r->in, row);
    uint32_t ask = skedi_keymap_get(&r->asks, event->owner);

    if (event->flags != SKED_TASK_ON_NODE) {
        return reconcile_wrong_trait(err, SKED_ERR_ARG,
                                     "it names no node and ask", row);
    }
    if (ask == SKEDI_NONE ||
        skedi_keymap_get(&r->nodes, event->key) == SKEDI_NONE) {
        return reconcile_wrong_trait(err, SKED_ERR_NOT_FOUND, "a key of no row",
                                     row);
    }
    if (event->kind == SKED_EVENT_TASK_COST &&
        (event->count < -1 || event->count > INT32_MAX)) {
        return reconcile_wrong_trait(err, SKED_ERR_RANGE,
                                     "count is out of range", row);
    }
    r->next_run[row] = r->first_said[ask];
    r->first_said[ask] = (uint32_t)row;
    return SKED_OK;
}

enum { SEEN_RUNS = 1, SEEN_ENDS = 2, SEEN_COST = 4 };

static sked_status reconcile_recon_check_said(engine_recon *r, uint64_t ask,
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
            rc = reconcile_wrong_trait(err, SKED_ERR_NOT_FOUND,
                                       "nothing runs there", i);
        } else if (*seen & bit) {
            rc = reconcile_wrong_trait(err, SKED_ERR_EXISTS, "it is said twice",
                                       i);
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

static sked_status reconcile_recon_link_pool(engine_recon *r, uint64_t row,
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

/* The rows of a host's truth: each thing by its key, what runs beside its
 * ask. */

static sked_status reconcile_wrong(sked_error *err, sked_status rc,
                                   const char *what, uint64_t row)
{
    return skedi_fail(err, rc, what, (skedi_fault){.row = (int64_t)row + 1});
}

/* The map of rows of one kind, or NULL for what has no key of its own. */
static skedi_keymap *reconcile_map_of(engine_recon *r, int32_t kind)
{
    return kind == SKED_EVENT_NODE_UP      ? &r->nodes
           : kind == SKED_EVENT_JOB_SUBMIT ? &r->jobs
           : kind == SKED_EVENT_ASK_ADD    ? &r->asks
                                           : NULL;
}

/* Rows by key, and the latest time. */
static sked_status reconcile_index_row(engine_recon *r, uint64_t row,
                                       sked_error *err)
{
    const sked_event *event = skedi_event_at(r->in, row);
    skedi_keymap *map = reconcile_map_of(r, event->kind);

    r->first_run[row] = r->first_soft[row] = SKEDI_NONE;
    r->first_said[row] = SKEDI_NONE;
    sked_status rc = skedi_engine_time(r->e, event->time, err);
    if (rc != SKED_OK) {
        err->row = (int64_t)row;
        return rc;
    }
    if (event->time > r->now) r->now = event->time;
    if (!map) {
        int fits = event->kind == SKED_EVENT_NODE_DRAIN ||
                   event->kind == SKED_EVENT_ASK_WITHDRAW ||
                   event->kind == SKED_EVENT_TASK_RUNNING ||
                   event->kind == SKED_EVENT_POOL ||
                   reconcile_recon_is_said(event) ||
                   skedi_recon_is_trait(event);
        if (fits) return SKED_OK;
        return reconcile_wrong(err, SKED_ERR_ARG, "no row of a truth", row);
    }
    if (!event->key) return reconcile_wrong(err, SKED_ERR_ARG, "no key", row);
    if (event->kind == SKED_EVENT_NODE_UP && event->places) {
        return reconcile_wrong(err, SKED_ERR_ARG,
                               "attributes have a row of their own", row);
    }
    if (skedi_keymap_get(map, event->key) != SKEDI_NONE) {
        return reconcile_wrong(err, SKED_ERR_EXISTS, "a key of two rows", row);
    }
    if (!skedi_keymap_reserve(map, &r->e->hooks.mem, map->n + 1)) {
        return reconcile_wrong(err, SKED_ERR_NOMEM, "no memory to compare",
                               row);
    }
    skedi_keymap_put(map, event->key, (uint32_t)row);
    return SKED_OK;
}

static sked_status reconcile_link_job(const engine_recon *r, uint64_t row,
                                      sked_error *err)
{
    const sked_event *event = skedi_event_at(r->in, row);
    uint32_t at = skedi_image_row(skedi_tree_image(r->e->tree), event->queue);
    uint32_t charged[SKED_MAX_LIMIT_TREES];

    if (at == SKEDI_NO_ROW || !row_is_leaf(r->e, at)) {
        return reconcile_wrong(err, SKED_ERR_STALE, "no such queue", row);
    }
    if (skedi_charge_in(r->e, r->in, event, charged, NULL) == SKED_OK) {
        return SKED_OK;
    }
    return reconcile_wrong(err, SKED_ERR_STALE, "no such queue of a limit tree",
                           row);
}

static sked_status reconcile_link_ask(const engine_recon *r, uint64_t row,
                                      sked_error *err)
{
    const sked_event *event = skedi_event_at(r->in, row);

    if (skedi_keymap_get(&r->jobs, event->owner) == SKEDI_NONE) {
        return reconcile_wrong(err, SKED_ERR_NOT_FOUND, "no such job", row);
    }
    if (event->count < skedi_ask_least(event) || event->count > INT32_MAX) {
        return reconcile_wrong(err, SKED_ERR_RANGE, "count is out of range",
                               row);
    }
    if (event->places > r->in->n_places) {
        return reconcile_wrong(err, SKED_ERR_ARG, "no such row of places", row);
    }
    return SKED_OK;
}

/* What runs, beside its ask. */
static sked_status reconcile_link_run(engine_recon *r, uint64_t row,
                                      sked_error *err)
{
    const sked_event *event = skedi_event_at(r->in, row);
    uint32_t ask = skedi_keymap_get(&r->asks, event->owner);

    if (ask == SKEDI_NONE) {
        return reconcile_wrong(err, SKED_ERR_NOT_FOUND, "no such ask", row);
    }
    if (skedi_keymap_get(&r->nodes, event->key) == SKEDI_NONE) {
        return reconcile_wrong(err, SKED_ERR_NOT_FOUND, "no such node", row);
    }
    const sked_event *of = skedi_event_at(r->in, ask);
    if (event->count < 1 || event->count > of->count - r->runs[ask]) {
        return reconcile_wrong(err, SKED_ERR_RANGE,
                               "more runs than the ask has", row);
    }
    int whole = (of->flags & (SKED_ASK_GANG | SKED_ASK_SPREAD)) ==
                SKED_ASK_GANG;
    if (whole && event->count != of->count) {
        return reconcile_wrong(err, SKED_ERR_STATE, "a gang runs as a whole",
                               row);
    }
    if (of->flags & SKED_ASK_EXCLUSIVE && event->amount > 0) {
        return reconcile_wrong(err, SKED_ERR_STATE,
                               "the task holds all of its node", row);
    }
    if (of->flags & SKED_ASK_EXCLUSIVE && event->count > 1 &&
        skedi_event_gang(r->in, of).per_node <= 1) {
        return reconcile_wrong(err, SKED_ERR_RANGE,
                               "one task has a node to itself", row);
    }
    r->runs[ask] += event->count;
    r->next_run[row] = r->first_run[ask];
    r->first_run[ask] = (uint32_t)row;
    return SKED_OK;
}

/* Marks the row that a key is of. */
static sked_status reconcile_mark(const skedi_keymap *map, uint8_t *marks,
                                  uint64_t key, uint64_t row, sked_error *err)
{
    uint32_t of = skedi_keymap_get(map, key);

    if (of == SKEDI_NONE) {
        return reconcile_wrong(err, SKED_ERR_NOT_FOUND, "a key of no row", row);
    }
    marks[of] = 1;
    return SKED_OK;
}

/* From the last row to the first, so that lists of runs are in order. */
static sked_status reconcile_link_row(engine_recon *r, uint64_t row,
                                      sked_error *err)
{
    const sked_event *event = skedi_event_at(r->in, row);
    const int64_t *amounts;
    sked_status rc = SKED_OK;

    if (event->kind == SKED_EVENT_TASK_RUNNING)
        return reconcile_link_run(r, row, err);
    if (event->kind == SKED_EVENT_JOB_SUBMIT)
        return reconcile_link_job(r, row, err);
    if (skedi_recon_is_trait(event))
        return reconcile_recon_link_trait(r, row, err);
    if (reconcile_recon_is_said(event))
        return reconcile_recon_link_said(r, row, err);
    if (event->kind == SKED_EVENT_POOL) {
        return reconcile_recon_link_pool(r, row, err);
    }
    if (event->kind == SKED_EVENT_NODE_DRAIN) {
        return reconcile_mark(&r->nodes, r->drains, event->key, row, err);
    }
    if (event->kind == SKED_EVENT_ASK_WITHDRAW) {
        return reconcile_mark(&r->asks, r->withdrawn, event->key, row, err);
    }
    if (event->kind == SKED_EVENT_ASK_ADD) rc = reconcile_link_ask(r, row, err);
    if (rc == SKED_OK) {
        rc = skedi_event_amounts(r->e, r->in, event, &amounts, err);
        if (rc != SKED_OK) err->row = (int64_t)row;
    }
    return rc;
}

sked_status skedi_recon_read(engine_recon *r, sked_error *err)
{
    sked_status rc = SKED_OK;

    for (uint64_t i = 0; i < r->in->n && rc == SKED_OK; i++) {
        rc = reconcile_index_row(r, i, err);
    }
    for (uint64_t i = r->in->n; i-- > 0 && rc == SKED_OK;) {
        rc = reconcile_link_row(r, i, err);
    }
    for (uint64_t i = 0; i < r->in->n && rc == SKED_OK; i++) {
        rc = reconcile_recon_check_said(r, i, err);
    }
    return rc;
}

sked_event *skedi_recon_say(engine_recon *r, int32_t kind, uint64_t key,
                            int32_t how, uint64_t row)
{
    sked_engine_difference *d = r->out ? &r->out[r->n] : NULL;

    r->n++;
    if (!d) return NULL;
    *d = (sked_engine_difference){
        .moment = SKED_UNSET, .task = SKED_UNSET, .row = row, .how = how};
    if (row != UINT64_MAX) {
        const sked_event *from = skedi_event_at(r->in, row);
        d->event = *from;
        d->moment = skedi_event_moment(r->in, from);
        d->task = skedi_event_task(r->in, from);
        d->gang = skedi_event_gang(r->in, from);
        if (kind == SKED_EVENT_JOB_SUBMIT) {
            d->charge = skedi_event_charge(r->in, from);
        }
        int timed = kind == SKED_EVENT_JOB_SUBMIT ||
                    kind == SKED_EVENT_TASK_RUNNING;
        if (timed && d->moment == SKED_UNSET) d->moment = from->time;
    }
    d->event.time = r->now;
    d->event.kind = kind;
    d->event.key = key;
    return &d->event;
}

uint32_t skedi_recon_ask(const engine_recon *r, uint64_t row)
{
    uint32_t ask = skedi_keymap_get(&r->e->ask_of,
                                    skedi_event_at(r->in, row)->key);

    return ask == SKEDI_NONE || r->ask_ends[ask] ? SKEDI_NONE : ask;
}

/* Attributes of nodes, rules and tags of asks, and what preemption leaves to jobs,
 * beside those of the truth. */

/* ---- Comparing ---- */

static uint64_t reconcile_times_there(const sked_rule_attribute *at, uint64_t n,
                                      sked_rule_attribute one)
{
    uint64_t times = 0;

    for (uint64_t i = 0; i < n; i++) {
        times += at[i].key == one.key && at[i].value == one.value;
    }
    return times;
}

/* In any order. */
static int reconcile_attributes_are_same(const engine_recon *r, uint32_t node,
                                         const sked_event *event)
{
    const engine_traits none = {NULL, 0};
    const engine_traits *own = r->e->rules.used ? &r->e->rules.traits[node]
                                                : &none;
    const sked_rule_attribute *at;
    uint64_t n = reconcile_recon_attributes(r, event, &at), i = 0;

    while (i < n && n == own->n &&
           reconcile_times_there(at, n, at[i]) ==
               reconcile_times_there(own->at, n, at[i])) {
        i++;
    }
    return i == n && n == own->n;
}

static int reconcile_rule_is_same(const engine_recon *r, uint32_t ask,
                                  const sked_event *event)
{
    const engine_preferred *list = skedi_soft_of(r->e, ask);
    uint32_t own = shape_at(r->e, ask_at(r->e, ask)->shape)->set;
    sked_rule_input rule;

    (void)!skedi_event_rule(r->in, event, &rule, NULL); /* checked */
    return skedi_set_is(r->e, list ? list->own : own, &rule);
}

static int reconcile_tags_are_same(const engine_recon *r, uint32_t ask,
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
static int reconcile_trait_is_none(const engine_recon *r,
                                   const sked_event *event)
{
    const sked_rule_attribute *at;
    const uint64_t *keys;
    sked_rule_input rule;

    switch (event->kind) {
    case SKED_EVENT_NODE_ATTRIBUTES:
        return reconcile_recon_attributes(r, event, &at) == 0;
    case SKED_EVENT_ASK_TAGS:
        return skedi_event_places(r->in, event->places, &keys) == 0;
    case SKED_EVENT_JOB_LEAST: return event->count == 0;
    default:
        (void)!skedi_event_rule(r->in, event, &rule, NULL);
        return rule.n_terms == 0;
    }
}

/* What the engine has that a row is of and that stays, or SKEDI_NONE. */
static uint32_t reconcile_thing_of_engine(const engine_recon *r,
                                          const sked_event *event)
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

static int reconcile_trait_is_same(const engine_recon *r, uint32_t at,
                                   const sked_event *event)
{
    switch (event->kind) {
    case SKED_EVENT_NODE_ATTRIBUTES:
        return reconcile_attributes_are_same(r, at, event);
    case SKED_EVENT_JOB_LEAST: return job_at(r->e, at)->least == event->count;
    case SKED_EVENT_ASK_RULE: return reconcile_rule_is_same(r, at, event);
    default: return reconcile_tags_are_same(r, at, event);
    }
}

/* Does what is said of an ask matter? Of one that is withdrawn its tags do, as
 * long as tasks of it run, since rules count these. */
static int reconcile_is_of_use(const engine_recon *r, const sked_event *event)
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
        uint32_t ask = reconcile_thing_of_engine(r, event);
        if (ask == SKEDI_NONE || !ask_at(r->e, ask)->closed) continue;
        r->ask_ends[ask] = !reconcile_tags_are_same(r, ask, event);
    }
}

void skedi_recon_trait(engine_recon *r, uint64_t row)
{
    const sked_event *event = skedi_event_at(r->in, row);
    int of_ask = event->kind == SKED_EVENT_ASK_RULE ||
                 event->kind == SKED_EVENT_ASK_TAGS;

    if (event->kind == SKED_EVENT_ASK_PREFER)
        return; /* all of an ask at once */
    if (of_ask && !reconcile_is_of_use(r, event)) return;
    uint32_t at = reconcile_thing_of_engine(r, event);
    int same = at == SKEDI_NONE ? reconcile_trait_is_none(r, event)
                                : reconcile_trait_is_same(r, at, event);
    if (same) return;
    (void)skedi_recon_say(r, event->kind, event->key,
                          at == SKEDI_NONE ? SKED_ENGINE_DIFFERS_LACKS
                                           : SKED_ENGINE_DIFFERS_OTHER,
                          row);
}

/*
 * What is open and what runs of an ask. Groups that run cover what runs by the
 * truth on their nodes, then proposals do, each as a whole; what is not covered
 * the engine is to adopt, and what is left of the groups is over.
 */

/* What would become of an ask that stays. */
typedef struct recon_plan {
    int64_t before;   /* open once nodes are gone */
    int64_t open;     /* and once tasks are adopted */
    int64_t proposed; /* tasks of proposals that stay such */
    int64_t extra;    /* tasks that do not run by the truth */
    int64_t adopted;  /* tasks to be adopted, at one place after the other */
    uint32_t places;  /* so many of them */
} recon_plan;

uint32_t skedi_recon_node(const engine_recon *r, uint32_t row)
{
    const sked_event *event = skedi_event_at(r->in, row);
    uint32_t node = skedi_keymap_get(&r->e->node_of, event->key);

    return node == SKEDI_NONE || r->node_goes[node] ? SKEDI_NONE : node;
}

/* So many tasks of a group are wanted where they are. */
static int64_t reconcile_cover_with(engine_recon *r, uint32_t group)
{
    const engine_group *g = group_at(r->e, group);
    int whole = skedi_group_is_proposal(r->e, group);
    int64_t covered = skedi_i64_min(r->want[g->node], g->count);

    if (whole && covered < g->count) covered = 0;
    r->want[g->node] -= covered;
    r->cover[g->node] += covered;
    return covered;
}

int64_t skedi_recon_ends(const engine_recon *r, uint32_t group, int64_t count)
{
    return count + skedi_remains_of(r->e, skedi_group_name(r->e, group));
}

static void reconcile_end_group(engine_recon *r, uint32_t group, int64_t count)
{
    sked_event *event = skedi_recon_say(r, SKED_EVENT_TASK_FINISH,
                                        skedi_group_name(r->e, group),
                                        SKED_ENGINE_DIFFERS_EXTRA, UINT64_MAX);

    if (event) event->count = skedi_recon_ends(r, group, count);
}

/* Goes through the groups of an ask that are proposals, or that are not. */
static void reconcile_cover_groups(engine_recon *r, uint32_t ask, int proposals,
                                   recon_plan *plan)
{
    for (uint32_t g = ask_at(r->e, ask)->first_group; g != SKEDI_NONE;
         g = group_at(r->e, g)->ask_next) {
        int64_t count = group_at(r->e, g)->count;
        if (skedi_group_is_proposal(r->e, g) != proposals) continue;
        if (r->node_goes[group_at(r->e, g)->node]) {
            plan->open += count;
            continue;
        }
        int64_t left = count - reconcile_cover_with(r, g);
        if (proposals && left == 0 && r->phase == RECON_RUNNING) {
            (void)skedi_recon_say(r, SKED_EVENT_TASK_CONFIRM,
                                  skedi_group_name(r->e, g),
                                  SKED_ENGINE_DIFFERS_OTHER, UINT64_MAX);
        }
        if (proposals) {
            plan->proposed += left;
        } else if (left > 0) {
            plan->extra += left;
            if (r->phase == RECON_EXTRA) reconcile_end_group(r, g, left);
        }
    }
}

/* Says what runs that the engine does not know of. */
static void reconcile_adopt_run(engine_recon *r, uint32_t run, int64_t count,
                                int fresh)
{
    const sked_event *row = skedi_event_at(r->in, run);
    sked_event *event = skedi_recon_say(r, SKED_EVENT_TASK_RUNNING, row->key,
                                        SKED_ENGINE_DIFFERS_LACKS, run);

    if (!event) return;
    sked_engine_difference *d = (sked_engine_difference *)(void *)event;
    event->count = count;
    /* The engine gave numbers of its own to what it knew. */
    if (!fresh) d->task = SKED_UNSET;
}

/* What is not covered of one row: it is adopted. */
static void reconcile_adopt_rest(engine_recon *r, uint32_t run, int fresh,
                                 recon_plan *plan)
{
    int64_t count = skedi_event_at(r->in, run)->count;
    uint32_t node = skedi_recon_node(r, run);

    if (node != SKEDI_NONE && !fresh) {
        int64_t covered = skedi_i64_min(r->cover[node], count);
        r->cover[node] -= covered;
        count -= covered;
    }
    if (count == 0) return;
    if (r->phase == RECON_RUNNING) reconcile_adopt_run(r, run, count, fresh);
    plan->adopted += count;
    plan->places++;
    plan->open -= skedi_i64_min(plan->open, count);
}

/* The whole of one ask, of which what belongs to this phase is said. */
static recon_plan reconcile_plan_ask(engine_recon *r, uint32_t ask,
                                     uint64_t row)
{
    recon_plan plan = {.open = ask_at(r->e, ask)->open};

    for (uint32_t i = r->first_run[row]; i != SKEDI_NONE; i = r->next_run[i]) {
        uint32_t node = skedi_recon_node(r, i);
        if (node == SKEDI_NONE) continue;
        r->want[node] += skedi_event_at(r->in, i)->count;
    }
    reconcile_cover_groups(r, ask, 0, &plan);
    reconcile_cover_groups(r, ask, 1, &plan);
    plan.before = plan.open;
    for (uint32_t i = r->first_run[row]; i != SKEDI_NONE; i = r->next_run[i]) {
        reconcile_adopt_rest(r, i, 0, &plan);
    }
    for (uint32_t i = r->first_run[row]; i != SKEDI_NONE; i = r->next_run[i]) {
        uint32_t node = skedi_recon_node(r, i);
        if (node != SKEDI_NONE) r->want[node] = r->cover[node] = 0;
    }
    return plan;
}

/* So many should be open by the truth, beside what is proposed. */
static int64_t reconcile_open_by_truth(const engine_recon *r, uint64_t row,
                                       const recon_plan *plan)
{
    int64_t open = skedi_event_at(r->in, row)->count - r->runs[row];

    return skedi_i64_max(open - plan->proposed, 0);
}

int skedi_recon_fits(engine_recon *r, uint32_t ask, uint64_t row)
{
    recon_plan plan = reconcile_plan_ask(r, ask, row);

    if (ask_at(r->e, ask)->closed) return plan.adopted == 0;
    if (plan.extra > 0) return 0;
    if (!r->withdrawn[row] &&
        plan.open != reconcile_open_by_truth(r, row, &plan)) {
        return 0;
    }
    /* A node that goes would take the rest of such a gang with it. */
    int falls = ask_at(r->e, ask)->flags & SKED_ASK_TOGETHER &&
                plan.before != ask_at(r->e, ask)->open;
    return plan.places == 0 || (plan.adopted == plan.before && !falls);
}

int skedi_recon_moves(engine_recon *r, uint32_t ask, uint64_t row)
{
    recon_plan plan = reconcile_plan_ask(r, ask, row);

    return plan.places > 0 || plan.before != ask_at(r->e, ask)->open;
}

/* Another number of tasks is open, or none are wanted any more. */
static void reconcile_see_count(engine_recon *r, uint32_t ask, uint64_t row,
                                const recon_plan *plan)
{
    uint64_t key = skedi_event_at(r->in, row)->key;
    int closed = ask != SKEDI_NONE && ask_at(r->e, ask)->closed;

    if (r->withdrawn[row]) {
        if (closed) return;
        (void)skedi_recon_say(r, SKED_EVENT_ASK_WITHDRAW, key,
                              SKED_ENGINE_DIFFERS_OTHER, row);
        return;
    }
    if (ask == SKEDI_NONE) return;
    int64_t open = reconcile_open_by_truth(r, row, plan);
    if (plan->open == open) return;
    sked_event *event = skedi_recon_say(r, SKED_EVENT_ASK_CHANGE, key,
                                        SKED_ENGINE_DIFFERS_OTHER, row);
    if (event) event->count = open;
}

void skedi_recon_tasks(engine_recon *r, uint64_t row)
{
    uint32_t ask = skedi_recon_ask(r, row);
    recon_plan plan = {0};

    for (uint32_t i = r->first_run[row]; ask == SKEDI_NONE && i != SKEDI_NONE;
         i = r->next_run[i]) {
        reconcile_adopt_rest(r, i, 1, &plan);
    }
    if (ask != SKEDI_NONE) plan = reconcile_plan_ask(r, ask, row);
    if (r->phase == RECON_COUNTS) reconcile_see_count(r, ask, row, &plan);
}
