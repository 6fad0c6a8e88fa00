/*
 * Events that say which nodes an ask may use: attributes of nodes, rules,
 * tags, lists of nodes, rejected proposals and their scopes.
 *
 * A rule is a part of the profile of an ask, so classes and profiles cover
 * rules too. A running task keeps the profile with which the task was started.
 *
 * Invariant: each event reserves memory first and cannot fail afterwards.
 */

#include "base/fail.h"
#include "base/sort.h"
#include "engine/alloc.h"
#include "engine/columns.h"
#include "engine/domains.h"
#include "engine/exclusion.h"
#include "engine/gang_fit.h"
#include "engine/filter.h"
#include "engine/pace.h"
#include "engine/pending.h"
#include "engine/queue.h"
#include "engine/reservation.h"
#include "engine/rules.h"
#include "engine/soft_rules.h"
#include "engine/store.h"
#include "engine/watch.h"
#include "engine/work.h"
#include "rule/judge.h"

/*
 * A rule is a part of the shape of an ask, so that all that goes by shapes (the
 * classes of a pass, what asks are alike in a round) goes by rules too. What
 * runs of an ask keeps the shape with which it was started.
 */

/* ---- Nodes ---- */

/* Adds an attribute to `n` that are in order, by key and then by value. */
static void rule_put_in_order(sked_rule_attribute *at, uint64_t n,
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
        rule_put_in_order(*at, i, batch->attributes[(uint64_t)row[0] + i]);
    }
    return SKED_OK;
}

/* Has a gang whose nodes are to share a value tasks on a node? Then what the
 * node is says where others of it may start, in every partition. */
static int rule_has_sharing(const sked_engine *e, uint32_t node)
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
    if (!skedi_domains_reserve(e, node, at, n)) {
        skedi_free(&e->hooks.mem, at, (size_t)n, sizeof *at);
        return skedi_fail_memory(err);
    }
    skedi_domains_leave(e, node);
    skedi_soft_see_node(e, node, -1);
    skedi_node_become(e, node, at, n);
    skedi_soft_see_node(e, node, 1);
    skedi_domains_join(e, node);
    node_at(e, node)->seen = 0;
    if (rule_has_sharing(e, node)) skedi_partition_stir_all(e);
    skedi_watch_node(e, node);
    return SKED_OK;
}

/* ---- Asks ---- */

const char *skedi_rule_misfits(const sked_rule_input *rule, uint32_t flags)
{
    if (skedi_rule_counts(rule) && flags & SKED_ASK_SPREAD) {
        return "the rule of a gang over nodes counts tasks";
    }
    if (skedi_rule_asks_host(rule)) return "a rule of an engine asks the host";
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
static void rule_pin_groups(sked_engine *e, uint32_t ask)
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

/* Gives an ask another set of rules. The ask leaves the pending lists and
 * returns to its place in them. Memory was reserved. */
static void rule_move_to_set(sked_engine *e, uint32_t ask, uint32_t set)
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
    rule_pin_groups(e, ask);
    e->keeping = 1;
    if (listed) skedi_entries_remove(e, ask);
    a->shape = skedi_shape_take(e, task, times, set,
                                skedi_shape_gang(e, before));
    skedi_shape_give(e, before);
    if (listed) skedi_entries_add(e, ask);
    e->keeping = 0;
}

/* Memory for an ask to go by another set. 0: there is none. */
static int rule_other_set_reserve(sked_engine *e, uint32_t ask)
{
    return skedi_shape_reserve(e, 1) && skedi_fit_reserve(e, 1) &&
           skedi_entries_reserve(e, ask) && skedi_sets_start(e);
}

/* Are so many terms and values of all rules of an ask no more than one rule may
 * have? SKED_OK or SKED_ERR_RANGE. */
static sked_status rule_check_sum(uint64_t terms, uint64_t values,
                                  sked_error *err)
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
static sked_status rule_check_beside(const sked_engine *e, uint32_t ask,
                                     const sked_rule_input *rule, int soft,
                                     sked_error *err)
{
    const engine_preferred *list = skedi_soft_of(e, ask);
    uint32_t own = shape_at(e, ask_at(e, ask)->shape)->set;
    uint64_t terms = rule->n_terms, values = skedi_rule_values(rule);

    const char *wrong = skedi_rule_misfits(rule, ask_at(e, ask)->flags);
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
    return rule_check_sum(terms, values, err);
}

sked_status skedi_ask_rule(sked_engine *e, const sked_events *batch,
                           const sked_event *event, sked_error *err)
{
    uint32_t ask = skedi_ask_find(e, event->key, err), set = SKEDI_NONE;
    sked_rule_input rule;

    if (ask == SKEDI_NONE) return SKED_ERR_NOT_FOUND;
    sked_status rc = skedi_event_rule(batch, event, &rule, err);
    if (rc == SKED_OK) rc = rule_check_beside(e, ask, &rule, 0, err);
    if (rc != SKED_OK) return rc;
    if (!rule_other_set_reserve(e, ask)) return skedi_fail_memory(err);
    if (rule.n_terms && !skedi_set_make(e, &rule, &set)) {
        return skedi_fail_memory(err);
    }
    engine_preferred *soft = skedi_soft_of(e, ask);
    if (soft) {
        skedi_soft_rule(e, soft, set);
    } else if (set != shape_at(e, ask_at(e, ask)->shape)->set) {
        rule_move_to_set(e, ask, set);
        skedi_refusers_follow(e, ask);
    }
    return SKED_OK;
}

/* ---- Soft rules ---- */

/* The weight and the moment of a soft rule of an event. SKED_OK or
 * SKED_ERR_RANGE. */
static sked_status rule_read_preference(const sked_engine *e, uint32_t ask,
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
    if (rc == SKED_OK) rc = rule_check_beside(e, ask, &rule, 1, err);
    if (rc == SKED_OK)
        rc = rule_read_preference(e, ask, batch, event, &one, err);
    if (rc != SKED_OK || rule.n_terms == 0) return rc;
    if (!skedi_soft_reserve(e) || !skedi_sets_start(e)) {
        return skedi_fail_memory(err);
    }
    if (!skedi_set_make(e, &rule, &one.set)) return skedi_fail_memory(err);
    skedi_soft_add(e, ask, one);
    return SKED_OK;
}

/* Lets the ask of a list go by its soft rules that are in force. */
static sked_status rule_settle_soft(sked_engine *e, engine_preferred *list)
{
    uint32_t sets[SKED_MAX_ASK_PREFERENCES + 1], set;
    uint32_t ask = (uint32_t)(list->name - 1);
    uint32_t n = skedi_soft_count(e, list, sets);

    if (!rule_other_set_reserve(e, ask) || !skedi_set_join(e, sets, n, &set)) {
        return SKED_ERR_NOMEM;
    }
    if (set != shape_at(e, ask_at(e, ask)->shape)->set) {
        rule_move_to_set(e, ask, set);
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
        rc = rule_settle_soft(e, preferred_at(e, l));
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

/*
 * Refusals of proposals, with their scopes; what lifts them; and sets of nodes
 * that are not to be proposed at all. Each call reserves first, then cannot
 * fail.
 */

enum {
    REFUSE_SCOPES = SKED_REFUSE_ASK | SKED_REFUSE_JOB | SKED_REFUSE_NODE,
    REFUSE_FLAGS = REFUSE_SCOPES | SKED_REFUSE_SOME
};

/* ---- Pairs ---- */

/* Notes that the host refuses this ask on this node. */
static void rule_note_pair(sked_engine *e, const engine_group *g,
                           sked_time until)
{
    engine_ban *ban = skedi_ban_of_ask(e, g->ask);
    engine_refusal *pairs = e->refusals.item;
    uint64_t name = skedi_pair_name(g->ask, g->node);

    if (ban->pairs >= ban->purge_at) (void)skedi_pairs_purge(e, g->ask, 0);
    uint32_t pair = skedi_keymap_get(&e->refusal_of, name);
    if (pair == SKEDI_NONE) {
        pair = skedi_pool_take(&e->refusals);
        pairs[pair] = (engine_refusal){.name = name, .next = ban->refusals};
        ban->refusals = pair;
        ban->pairs++;
        ban->which += skedi_ban_part(g->node);
        skedi_keymap_put(&e->refusal_of, name, pair);
    }
    pairs[pair].node = g->node;
    const engine_node *n = node_at(e, g->node);
    pairs[pair].node_epoch = until == SKED_UNSET ? n->epoch : n->arrival;
    pairs[pair].ask_epoch = extra_of(e, ask_at(e, g->ask))->epoch;
    pairs[pair].until = until;
}

/* ---- Refusing ---- */

/* How many of a job and its asks have no ban yet. When a job has a ban, so have
 * all its asks: an ask without one need not look at its job's. */
static uint64_t rule_without_ban(const sked_engine *e, uint32_t job)
{
    uint64_t bans = job_at(e, job)->ban == SKEDI_NONE;

    for (uint32_t a = job_at(e, job)->first_ask; a != SKEDI_NONE;
         a = ask_at(e, a)->next) {
        bans += extra_of(e, ask_at(e, a))->refusals == SKEDI_NONE;
    }
    return bans;
}

/* Memory to refuse so many groups of an ask: bans of their nodes, of the job
 * and its asks, or of the ask. */
static int rule_refusal_reserve(sked_engine *e, uint32_t ask, uint32_t flags,
                                uint64_t groups)
{
    skedi_mem *mem = &e->hooks.mem;
    uint64_t bans = 1;

    if (flags & SKED_REFUSE_NODE) bans = groups;
    if (flags & SKED_REFUSE_JOB)
        bans = rule_without_ban(e, ask_at(e, ask)->job);
    if (flags & REFUSE_SCOPES) groups = 0; /* no pairs of ask and node */
    return skedi_ask_reserve(e, ask) &&
           skedi_pool_reserve(&e->refusals, mem, groups) &&
           skedi_keymap_reserve(&e->refusal_of, mem,
                                (size_t)(e->refusal_of.n + groups)) &&
           skedi_ban_reserve(e, bans);
}

static sked_status rule_moment_has_passed(const sked_engine *e, sked_time until,
                                          sked_error *err)
{
    return skedi_fail(err, SKED_ERR_RANGE, "the moment has passed",
                      (skedi_fault){.got = until, .limit = e->now});
}

static sked_status rule_check_refusal(const sked_engine *e, uint32_t group,
                                      const sked_event *event, sked_time until,
                                      sked_error *err)
{
    uint32_t scope = event->flags & REFUSE_SCOPES;
    const engine_group *g = group_at(e, group);

    if (event->flags & ~(uint32_t)REFUSE_FLAGS || scope & (scope - 1)) {
        return skedi_fail_flags(err, "event");
    }
    if (!skedi_group_is_proposal(e, group)) {
        return skedi_fail_plain(err, SKED_ERR_STATE,
                                "only a proposal can be refused");
    }
    if (until != SKED_UNSET && until <= e->now) {
        return rule_moment_has_passed(e, until, err);
    }
    if (!(event->flags & SKED_REFUSE_SOME)) return SKED_OK;
    int gang = skedi_ask_is_whole(ask_at(e, g->ask));
    if (event->count < 1 || event->count > g->count ||
        (gang && event->count < g->count)) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "the group has not so many",
            (skedi_fault){.got = event->count, .limit = g->count});
    }
    return SKED_OK;
}

/* Notes a refusal as far as its flags say that it reaches: of a withdrawn ask,
 * and of a job that is over, nothing is proposed again as it is. */
static void rule_note_refusal(sked_engine *e, uint32_t group, uint32_t flags,
                              sked_time until)
{
    const engine_group *g = group_at(e, group);
    uint32_t job = ask_at(e, g->ask)->job;

    if (flags & SKED_REFUSE_NODE) {
        skedi_node_bar(e, g->node, until);
        skedi_reservation_clear(e, g->node);
    } else if (flags & SKED_REFUSE_JOB) {
        if (job_at(e, job)->state != JOB_ENDED) skedi_job_bar(e, job, until);
    } else if (ask_at(e, g->ask)->closed) {
        return;
    } else if (flags & SKED_REFUSE_ASK) {
        skedi_ask_park(e, g->ask, PARK_ASK);
        skedi_ban_time(e, extra_of(e, ask_at(e, g->ask))->refusals, until);
    } else {
        rule_note_pair(e, g, until);
    }
}

/* The class of an ask follows what it refuses now, unless the ask went with its
 * last task. Last of all, since it may take the memory that was reserved. */
static void rule_follow_if_there(sked_engine *e, uint32_t ask, uint64_t arrival)
{
    const engine_ask *a = ask_at(e, ask);

    if (a->live && a->arrival == arrival) skedi_refusers_follow(e, ask);
}

/* The first proposal from this group of an ask on, or SKEDI_NONE. */
static uint32_t rule_next_proposal(const sked_engine *e, uint32_t group)
{
    while (group != SKEDI_NONE && !skedi_group_is_proposal(e, group)) {
        group = group_at(e, group)->ask_next;
    }
    return group;
}

/* Refuses all proposals of an ask; what reaches beyond a node is noted once. */
static sked_status rule_refuse_all(sked_engine *e, const sked_event *event,
                                   sked_time until, sked_error *err)
{
    uint32_t scope = event->flags & REFUSE_SCOPES, ask, next;
    sked_status rc = skedi_task_ask(e, event, &ask, err);

    if (rc != SKED_OK) return rc;
    if (event->flags != (scope | SKED_TASK_ALL) || scope & (scope - 1)) {
        return skedi_fail_flags(err, "event");
    }
    uint32_t group = rule_next_proposal(e, ask_at(e, ask)->first_group);
    if (group == SKEDI_NONE) {
        return skedi_fail_plain(err, SKED_ERR_STATE,
                                "only a proposal can be refused");
    }
    if (until != SKED_UNSET && until <= e->now) {
        return rule_moment_has_passed(e, until, err);
    }
    if (!rule_refusal_reserve(e, ask, scope, skedi_ask_groups(e, ask)) ||
        !skedi_task_reserve(e, ask)) {
        return skedi_fail_memory(err);
    }
    uint64_t arrival = ask_at(e, ask)->arrival;
    if (scope) rule_note_refusal(e, group, scope, until);
    for (; group != SKEDI_NONE; group = next) {
        next = rule_next_proposal(e, group_at(e, group)->ask_next);
        skedi_pace_work(e);
        if (scope == 0 || scope == SKED_REFUSE_NODE) {
            rule_note_refusal(e, group, scope, until);
        }
        skedi_group_end(e, group, group_at(e, group)->count, GROUP_UNDO);
    }
    rule_follow_if_there(e, ask, arrival);
    return SKED_OK;
}

sked_status skedi_task_refuse(sked_engine *e, const sked_events *batch,
                              const sked_event *event, sked_error *err)
{
    uint32_t group = skedi_group_find(e, event->key);
    sked_time until = skedi_event_moment(batch, event);

    if (event->flags & SKED_TASK_ALL)
        return rule_refuse_all(e, event, until, err);
    if (group == SKEDI_NONE) {
        return skedi_fail_plain(err, SKED_ERR_STALE, "no such group");
    }
    sked_status rc = rule_check_refusal(e, group, event, until, err);
    if (rc != SKED_OK) return rc;
    if (!rule_refusal_reserve(e, group_at(e, group)->ask, event->flags, 1)) {
        return skedi_fail_memory(err);
    }
    uint32_t count = group_at(e, group)->count;
    if (event->flags & SKED_REFUSE_SOME) count = (uint32_t)event->count;
    uint32_t ask = group_at(e, group)->ask;
    uint64_t arrival = ask_at(e, ask)->arrival;
    rule_note_refusal(e, group, event->flags, until);
    skedi_group_end(e, group, count, GROUP_UNDO);
    rule_follow_if_there(e, ask, arrival);
    return SKED_OK;
}

/* ---- Lifting ---- */

static void rule_allow_ask(sked_engine *e, uint32_t ask)
{
    uint32_t ban = extra_of(e, ask_at(e, ask))->refusals;

    if (ban == SKEDI_NONE) return;
    (void)skedi_pairs_purge(e, ask, 1);
    skedi_refusers_follow(e, ask);
    skedi_ban_time(e, ban, SKED_UNSET);
    skedi_ask_unpark(e, ask, PARK_ASK);
}

static void rule_allow_job(sked_engine *e, uint32_t job)
{
    skedi_job_unbar(e, job);
    for (uint32_t a = job_at(e, job)->first_ask; a != SKEDI_NONE;
         a = ask_at(e, a)->next) {
        skedi_pace_work(e);
        rule_allow_ask(e, a);
    }
}

static void rule_allow_node(sked_engine *e, uint32_t node)
{
    engine_refusal *pairs = e->refusals.item;

    skedi_node_unbar(e, node);
    for (uint32_t i = 0; i < e->bans.n; i++) {
        engine_ban *ban = ban_at(e, i);
        if (ban->what != BAN_OF_ASK) continue;
        skedi_pace_work(e);
        uint32_t *at = &ban->refusals;
        uint64_t name = skedi_pair_name(ban->owner, node);
        if (skedi_keymap_get(&e->refusal_of, name) == SKEDI_NONE) continue;
        while (pairs[*at].node != node) at = &pairs[*at].next;
        skedi_pair_forget(e, ban, at);
        skedi_refusers_follow(e, ban->owner);
    }
}

static void rule_allow_all(sked_engine *e)
{
    for (uint32_t j = 0; j < e->jobs.n; j++) {
        if (job_at(e, j)->state != JOB_FREE_SLOT) rule_allow_job(e, j);
    }
    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        skedi_node_unbar(e, n);
    }
}

static sked_status rule_not_found(sked_error *err, const char *what)
{
    return skedi_fail_plain(err, SKED_ERR_NOT_FOUND, what);
}

sked_status skedi_allow(sked_engine *e, const sked_event *event,
                        sked_error *err)
{
    uint32_t node = skedi_keymap_get(&e->node_of, event->key);
    uint32_t ask = skedi_keymap_get(&e->ask_of, event->key);
    uint32_t job = skedi_keymap_get(&e->job_of, event->key);

    switch (event->flags) {
    case SKED_REFUSE_NODE:
        if (node == SKEDI_NONE) return rule_not_found(err, "no such node");
        rule_allow_node(e, node);
        break;
    case SKED_REFUSE_ASK:
        if (ask == SKEDI_NONE) return rule_not_found(err, "no such ask");
        rule_allow_ask(e, ask);
        break;
    case SKED_REFUSE_JOB:
        if (job == SKEDI_NONE) return rule_not_found(err, "no such job");
        rule_allow_job(e, job);
        break;
    case 0:
        if (event->key == 0) {
            rule_allow_all(e);
            break;
        } /* fall through */
    default: return skedi_fail_flags(err, "event");
    }
    skedi_partition_stir_all(e);
    return SKED_OK;
}

/* ---- Sets of nodes ---- */

/* A row of place lists in order, each key once. 0: no memory. */
static int rule_sorted_places(sked_engine *e, const sked_events *batch,
                              uint32_t row, uint64_t **keys, uint64_t *n)
{
    skedi_mem *mem = &e->hooks.mem;
    const uint64_t *from = NULL;
    size_t all = skedi_event_places(batch, row, &from), kept = 0;

    *keys = NULL;
    *n = 0;
    if (all == 0) return 1;
    skedi_keyed *items = skedi_new(mem, 2 * all, sizeof *items);
    if (!items) return 0;
    for (size_t i = 0; i < all; i++) {
        items[i] = (skedi_keyed){from[i], (uint32_t)i, 0};
    }
    skedi_sort_keys(items, items + all, all);
    for (size_t i = 0; i < all; i++) {
        if (i == 0 || items[i].key != items[kept - 1].key) {
            items[kept++] = items[i];
        }
    }
    *keys = skedi_new(mem, kept, sizeof **keys);
    for (size_t i = 0; *keys && i < kept; i++) (*keys)[i] = items[i].key;
    skedi_free(mem, items, 2 * all, sizeof *items);
    *n = kept;
    return *keys != NULL;
}

static void rule_set_excluded(sked_engine *e, engine_ban *ban, uint64_t *keys,
                              uint64_t n)
{
    for (uint64_t i = 0; i < ban->n_excluded; i++) {
        ban->which -= skedi_ban_part(ban->excluded[i]);
    }
    skedi_free(&e->hooks.mem, ban->excluded, (size_t)ban->n_excluded,
               sizeof *ban->excluded);
    ban->excluded = keys;
    ban->n_excluded = n;
    for (uint64_t i = 0; i < n; i++) ban->which += skedi_ban_part(keys[i]);
    skedi_partition_stir_all(e);
}

static uint32_t rule_job_to_exclude(const sked_engine *e, uint64_t key)
{
    uint32_t job = skedi_keymap_get(&e->job_of, key);
    int gone = job == SKEDI_NONE || job_at(e, job)->state == JOB_ENDED;

    return gone ? SKEDI_NONE : job;
}

sked_status skedi_exclude(sked_engine *e, const sked_events *batch,
                          const sked_event *event, sked_error *err)
{
    int whole = event->kind == SKED_EVENT_JOB_EXCLUDE;
    uint32_t job = SKEDI_NONE, ask = SKEDI_NONE;
    uint64_t *keys, n;

    if (whole)
        job = rule_job_to_exclude(e, event->key);
    else
        ask = skedi_ask_find(e, event->key, err);
    if (whole && job == SKEDI_NONE) return rule_not_found(err, "no such job");
    if (!whole && ask == SKEDI_NONE) return SKED_ERR_NOT_FOUND;
    if (event->places > batch->n_places) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "no such row of places");
    }
    if (!(skedi_ban_reserve(e, whole ? rule_without_ban(e, job) : 1)) ||
        !rule_sorted_places(e, batch, event->places, &keys, &n)) {
        return skedi_fail_memory(err);
    }
    rule_set_excluded(
        e, whole ? skedi_ban_of_job(e, job) : skedi_ban_of_ask(e, ask), keys,
        n);
    if (!whole) skedi_refusers_follow(e, ask);
    for (uint32_t a = whole ? job_at(e, job)->first_ask : SKEDI_NONE;
         a != SKEDI_NONE; a = ask_at(e, a)->next) {
        skedi_pace_work(e);
        (void)skedi_ban_of_ask(e, a);
        skedi_refusers_follow(e, a);
    }
    return SKED_OK;
}
