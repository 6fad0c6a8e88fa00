/*
 * Refusals of proposals, with their scopes; what lifts them; and sets of nodes
 * that are not to be proposed at all. Each call reserves first, then cannot
 * fail.
 */
#include "engine/core/refuse.h"

#include "base/fail.h"
#include "base/sort.h"
#include "engine/work.h"
#include "engine/exclusion.h"
#include "engine/columns.h"
#include "engine/alloc.h"
#include "engine/reservation.h"
#include "engine/queue.h"
#include "engine/pace.h"
#include "engine/store.h"

enum {
    REFUSE_SCOPES = SKED_REFUSE_ASK | SKED_REFUSE_JOB | SKED_REFUSE_NODE,
    REFUSE_FLAGS = REFUSE_SCOPES | SKED_REFUSE_SOME
};

/* ---- Pairs ---- */

/* Notes that the host refuses this ask on this node. */
static void note_pair(sked_engine *e, const engine_group *g, sked_time until)
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
static uint64_t without_ban(const sked_engine *e, uint32_t job)
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
static int refusal_reserve(sked_engine *e, uint32_t ask, uint32_t flags,
                           uint64_t groups)
{
    skedi_mem *mem = &e->hooks.mem;
    uint64_t bans = 1;

    if (flags & SKED_REFUSE_NODE) bans = groups;
    if (flags & SKED_REFUSE_JOB) bans = without_ban(e, ask_at(e, ask)->job);
    if (flags & REFUSE_SCOPES) groups = 0; /* no pairs of ask and node */
    return skedi_ask_reserve(e, ask) &&
           skedi_pool_reserve(&e->refusals, mem, groups) &&
           skedi_keymap_reserve(&e->refusal_of, mem,
                                (size_t)(e->refusal_of.n + groups)) &&
           skedi_ban_reserve(e, bans);
}

static sked_status moment_has_passed(const sked_engine *e, sked_time until,
                                     sked_error *err)
{
    return skedi_fail(err, SKED_ERR_RANGE, "the moment has passed",
                      (skedi_fault){.got = until, .limit = e->now});
}

static sked_status check_refusal(const sked_engine *e, uint32_t group,
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
        return moment_has_passed(e, until, err);
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
static void note_refusal(sked_engine *e, uint32_t group, uint32_t flags,
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
        note_pair(e, g, until);
    }
}

/* The class of an ask follows what it refuses now, unless the ask went with its
 * last task. Last of all, since it may take the memory that was reserved. */
static void follow_if_there(sked_engine *e, uint32_t ask, uint64_t arrival)
{
    const engine_ask *a = ask_at(e, ask);

    if (a->live && a->arrival == arrival) skedi_refusers_follow(e, ask);
}

/* The first proposal from this group of an ask on, or SKEDI_NONE. */
static uint32_t next_proposal(const sked_engine *e, uint32_t group)
{
    while (group != SKEDI_NONE && !skedi_group_is_proposal(e, group)) {
        group = group_at(e, group)->ask_next;
    }
    return group;
}

/* Refuses all proposals of an ask; what reaches beyond a node is noted once. */
static sked_status refuse_all(sked_engine *e, const sked_event *event,
                              sked_time until, sked_error *err)
{
    uint32_t scope = event->flags & REFUSE_SCOPES, ask, next;
    sked_status rc = skedi_task_ask(e, event, &ask, err);

    if (rc != SKED_OK) return rc;
    if (event->flags != (scope | SKED_TASK_ALL) || scope & (scope - 1)) {
        return skedi_fail_flags(err, "event");
    }
    uint32_t group = next_proposal(e, ask_at(e, ask)->first_group);
    if (group == SKEDI_NONE) {
        return skedi_fail_plain(err, SKED_ERR_STATE,
                                "only a proposal can be refused");
    }
    if (until != SKED_UNSET && until <= e->now) {
        return moment_has_passed(e, until, err);
    }
    if (!refusal_reserve(e, ask, scope, skedi_ask_groups(e, ask)) ||
        !skedi_task_reserve(e, ask)) {
        return skedi_fail_memory(err);
    }
    uint64_t arrival = ask_at(e, ask)->arrival;
    if (scope) note_refusal(e, group, scope, until);
    for (; group != SKEDI_NONE; group = next) {
        next = next_proposal(e, group_at(e, group)->ask_next);
        skedi_pace_work(e);
        if (scope == 0 || scope == SKED_REFUSE_NODE) {
            note_refusal(e, group, scope, until);
        }
        skedi_group_end(e, group, group_at(e, group)->count, GROUP_UNDO);
    }
    follow_if_there(e, ask, arrival);
    return SKED_OK;
}

sked_status skedi_task_refuse(sked_engine *e, const sked_events *batch,
                              const sked_event *event, sked_error *err)
{
    uint32_t group = skedi_group_find(e, event->key);
    sked_time until = skedi_event_moment(batch, event);

    if (event->flags & SKED_TASK_ALL) return refuse_all(e, event, until, err);
    if (group == SKEDI_NONE) {
        return skedi_fail_plain(err, SKED_ERR_STALE, "no such group");
    }
    sked_status rc = check_refusal(e, group, event, until, err);
    if (rc != SKED_OK) return rc;
    if (!refusal_reserve(e, group_at(e, group)->ask, event->flags, 1)) {
        return skedi_fail_memory(err);
    }
    uint32_t count = group_at(e, group)->count;
    if (event->flags & SKED_REFUSE_SOME) count = (uint32_t)event->count;
    uint32_t ask = group_at(e, group)->ask;
    uint64_t arrival = ask_at(e, ask)->arrival;
    note_refusal(e, group, event->flags, until);
    skedi_group_end(e, group, count, GROUP_UNDO);
    follow_if_there(e, ask, arrival);
    return SKED_OK;
}

/* ---- Lifting ---- */

static void allow_ask(sked_engine *e, uint32_t ask)
{
    uint32_t ban = extra_of(e, ask_at(e, ask))->refusals;

    if (ban == SKEDI_NONE) return;
    (void)skedi_pairs_purge(e, ask, 1);
    skedi_refusers_follow(e, ask);
    skedi_ban_time(e, ban, SKED_UNSET);
    skedi_ask_unpark(e, ask, PARK_ASK);
}

static void allow_job(sked_engine *e, uint32_t job)
{
    skedi_job_unbar(e, job);
    for (uint32_t a = job_at(e, job)->first_ask; a != SKEDI_NONE;
         a = ask_at(e, a)->next) {
        skedi_pace_work(e);
        allow_ask(e, a);
    }
}

static void allow_node(sked_engine *e, uint32_t node)
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

static void allow_all(sked_engine *e)
{
    for (uint32_t j = 0; j < e->jobs.n; j++) {
        if (job_at(e, j)->state != JOB_FREE_SLOT) allow_job(e, j);
    }
    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        skedi_node_unbar(e, n);
    }
}

static sked_status not_found(sked_error *err, const char *what)
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
        if (node == SKEDI_NONE) return not_found(err, "no such node");
        allow_node(e, node);
        break;
    case SKED_REFUSE_ASK:
        if (ask == SKEDI_NONE) return not_found(err, "no such ask");
        allow_ask(e, ask);
        break;
    case SKED_REFUSE_JOB:
        if (job == SKEDI_NONE) return not_found(err, "no such job");
        allow_job(e, job);
        break;
    case 0:
        if (event->key == 0) {
            allow_all(e);
            break;
        } /* fall through */
    default: return skedi_fail_flags(err, "event");
    }
    skedi_partition_stir_all(e);
    return SKED_OK;
}

/* ---- Sets of nodes ---- */

/* A row of place lists in order, each key once. 0: no memory. */
static int sorted_places(sked_engine *e, const sked_events *batch, uint32_t row,
                         uint64_t **keys, uint64_t *n)
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

static void set_excluded(sked_engine *e, engine_ban *ban, uint64_t *keys,
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

static uint32_t job_to_exclude(const sked_engine *e, uint64_t key)
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
        job = job_to_exclude(e, event->key);
    else
        ask = skedi_ask_find(e, event->key, err);
    if (whole && job == SKEDI_NONE) return not_found(err, "no such job");
    if (!whole && ask == SKEDI_NONE) return SKED_ERR_NOT_FOUND;
    if (event->places > batch->n_places) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "no such row of places");
    }
    if (!(skedi_ban_reserve(e, whole ? without_ban(e, job) : 1)) ||
        !sorted_places(e, batch, event->places, &keys, &n)) {
        return skedi_fail_memory(err);
    }
    set_excluded(e, whole ? skedi_ban_of_job(e, job) : skedi_ban_of_ask(e, ask),
                 keys, n);
    if (!whole) skedi_refusers_follow(e, ask);
    for (uint32_t a = whole ? job_at(e, job)->first_ask : SKEDI_NONE;
         a != SKEDI_NONE; a = ask_at(e, a)->next) {
        skedi_pace_work(e);
        (void)skedi_ban_of_ask(e, a);
        skedi_refusers_follow(e, a);
    }
    return SKED_OK;
}
