/*
 * The state of an engine as one number: all primary facts, by the keys of
 * the host. Items of one sort may have any numbers, so each has a hash of its
 * own and the hashes are added up. Kill orders for a job are part of the
 * facts.
 */
#include <sched/engine_preempt.h>
#include <string.h>

#include "engine/admission.h"
#include "engine/alloc.h"
#include "engine/budget.h"
#include "engine/decision.h"
#include "engine/domains.h"
#include "engine/exclusion.h"
#include "engine/gang.h"
#include "engine/pending.h"
#include "engine/preempt.h"
#include "engine/reservation.h"
#include "engine/soft_rules.h"
#include "round/state.h"

/*
 * What an engine will decide, as one number: everything primary, by the host's
 * keys. Things of a sort may stand in any order of numbers, so each has a hash
 * of its own and these are added up.
 */

/* A set of nodes, and until when something is refused as a whole. */
static void digest_hash_ban(const sked_engine *e, skedi_hash *hash,
                            uint32_t ban)
{
    if (ban == SKEDI_NONE) return;
    const engine_ban *b = ban_at(e, ban);
    if (!b->barred && !b->parked && b->n_excluded == 0) return;
    skedi_hash_u64(hash, (uint64_t)b->until);
    skedi_hash_u32(hash, b->barred);
    skedi_hash_u32(hash, b->parked);
    for (uint64_t i = 0; i < b->n_excluded; i++) {
        skedi_hash_u64(hash, b->excluded[i]);
    }
}

/* Attributes in any order, repeated ones counted. */
static uint64_t digest_traits(const sked_engine *e, uint32_t node)
{
    const engine_traits *own = &e->rules.traits[node];
    uint64_t sum = 0;
    skedi_hash hash;

    for (uint64_t i = 0; i < own->n; i++) {
        skedi_hash_start(&hash, own->at[i].key);
        skedi_hash_u64(&hash, (uint64_t)own->at[i].value);
        sum += skedi_hash_end(&hash);
    }
    return sum;
}

static uint64_t digest_node(const sked_engine *e, uint32_t node)
{
    const engine_node *n = node_at(e, node);
    const engine_remains *remains = e->remains.item;
    skedi_hash hash;

    skedi_hash_start(&hash, 1);
    skedi_hash_u64(&hash, n->key);
    skedi_hash_u64(&hash, n->rack);
    skedi_hash_u32(&hash, n->partition);
    skedi_hash_u32(&hash, n->state);
    for (uint32_t k = 0; k < e->kinds; k++) {
        skedi_hash_u64(&hash,
                       (uint64_t)engine_row_of(e, &e->node_capacity, node)[k]);
        skedi_hash_u64(&hash,
                       (uint64_t)engine_row_of(e, &e->node_free, node)[k]);
    }
    digest_hash_ban(e, &hash, n->ban);
    for (uint32_t i = n->first_remains; i != SKEDI_NONE; i = remains[i].next) {
        skedi_hash_u64(&hash, remains[i].group);
        skedi_hash_u32(&hash, remains[i].count);
        if (remains[i].hold) skedi_hash_u32(&hash, remains[i].hold);
        for (uint32_t k = 0; k < e->kinds; k++) {
            skedi_hash_u64(&hash,
                           (uint64_t)engine_row_of(e, &e->remains_task, i)[k]);
        }
    }
    uint64_t traits = e->rules.used ? digest_traits(e, node) : 0;
    if (traits) skedi_hash_u64(&hash, traits);
    return skedi_hash_end(&hash);
}

/* The limit trees that a job is charged in. */
static void digest_hash_charge(const sked_engine *e, skedi_hash *hash,
                               uint32_t charge)
{
    for (uint32_t i = 0; charge != SKEDI_NONE && i < SKED_MAX_LIMIT_TREES;
         i++) {
        uint32_t row = charge_at(e, charge)->row[i];
        const sked_tree *tree = e->trees.at[i].tree;
        if (row == SKEDI_NONE) continue;
        skedi_hash_u32(hash, i);
        skedi_hash_u64(hash, skedi_tree_image(tree)->id[row]);
    }
}

static uint64_t digest_job(const sked_engine *e, const engine_job *job)
{
    const engine_user *user = (const engine_user *)e->users.item + job->user;
    skedi_hash hash;

    skedi_hash_start(&hash, 2);
    skedi_hash_u64(&hash, job->key);
    skedi_hash_u64(&hash, job->arrival);
    skedi_hash_u64(&hash, (uint64_t)job->submitted);
    skedi_hash_u64(&hash, job->queue);
    skedi_hash_u64(&hash, (uint64_t)job->tasks);
    skedi_hash_u64(&hash, user->key);
    skedi_hash_u32(&hash, (uint32_t)job->priority);
    skedi_hash_u32(&hash, job->flags);
    skedi_hash_u32(&hash, job->state);
    if (job->line) skedi_hash_u32(&hash, job->line);
    if (job->least) skedi_hash_u64(&hash, (uint64_t)job->least);
    digest_hash_charge(e, &hash, job->charge);
    digest_hash_ban(e, &hash, job->ban);
    return skedi_hash_end(&hash);
}

/* The refusals of an ask that hold. */
static uint64_t digest_refusals(const sked_engine *e, const engine_ask *a)
{
    const engine_refusal *refusals = e->refusals.item;
    uint64_t sum = 0;

    if (extra_of(e, a)->refusals == SKEDI_NONE) return 0;
    for (uint32_t r = ban_at(e, extra_of(e, a)->refusals)->refusals;
         r != SKEDI_NONE; r = refusals[r].next) {
        const engine_node *n = node_at(e, refusals[r].node);
        if (!skedi_refusal_holds(e, a, &refusals[r])) continue;
        int timed = refusals[r].until != SKED_UNSET;
        sum += skedi_hash_of(&refusals[r].until,
                             timed ? sizeof refusals[r].until : 0, n->key);
    }
    return sum;
}

/* A rule. */
static void digest_hash_set(const sked_engine *e, skedi_hash *hash,
                            uint32_t set)
{
    if (set == SKEDI_NONE) return;
    skedi_hash_u64(hash, set_at(e, set)->name);
}

static void digest_hash_soft(const sked_engine *e, skedi_hash *hash,
                             uint32_t ask)
{
    const engine_preferred *list = skedi_soft_of(e, ask);

    if (!list) return;
    digest_hash_set(e, hash, list->own);
    for (uint32_t i = 0; i < list->n; i++) {
        digest_hash_set(e, hash, list->at[i].set);
        skedi_hash_u64(hash, (uint64_t)list->at[i].until);
        skedi_hash_u32(hash, list->at[i].weight);
    }
}

static uint64_t digest_ask(const sked_engine *e, const engine_ask *a)
{
    const engine_range *ranges = e->ranges.item;
    const int64_t *task = engine_row_of(e, &e->shape_task, a->shape);
    const int64_t *step = engine_row_of(e, &e->shape_step, a->shape);
    skedi_hash hash;

    skedi_hash_start(&hash, 3);
    skedi_hash_u64(&hash, a->key);
    skedi_hash_u64(&hash, job_at(e, a->job)->key);
    skedi_hash_u64(&hash, a->arrival);
    if (e->delays) {
        skedi_hash_u64(&hash, (uint64_t)skedi_ask_waits_since(e, a));
    }
    skedi_hash_u32(&hash, a->partition);
    skedi_hash_u32(&hash, (uint32_t)a->priority);
    skedi_hash_u32(&hash, a->flags);
    skedi_hash_u32(&hash, a->closed);
    if (a->flags & SKED_ASK_SPREAD) {
        skedi_hash_u32(&hash, skedi_shape_per_node(e, a->shape));
        skedi_hash_u32(&hash, extra_of(e, a)->spare);
        skedi_hash_u64(&hash, skedi_shape_gang(e, a->shape).same);
    }
    for (uint32_t k = 0; k < e->kinds; k++) {
        skedi_hash_u64(&hash, (uint64_t)task[k]);
        skedi_hash_u64(&hash, (uint64_t)step[k]);
    }
    if (a->open > 0) {
        skedi_hash_u64(&hash, (uint64_t)a->first);
        skedi_hash_u64(&hash, (uint64_t)(a->open - extra_of(e, a)->behind));
    }
    for (uint32_t r = extra_of(e, a)->ranges; r != SKEDI_NONE;
         r = ranges[r].next) {
        skedi_hash_u64(&hash, (uint64_t)ranges[r].from);
        skedi_hash_u64(&hash, (uint64_t)ranges[r].count);
    }
    for (uint32_t p = extra_of(e, a)->places; p != SKEDI_NONE;
         p = place_at(e, p)->next) {
        skedi_hash_u64(&hash, place_at(e, p)->key);
        if (place_at(e, p)->rack) skedi_hash_u32(&hash, UINT32_MAX);
        if (place_at(e, p)->left == PLACE_ANY) continue;
        skedi_hash_u32(&hash, (uint32_t)place_at(e, p)->left);
    }
    skedi_hash_u64(&hash, digest_refusals(e, a));
    digest_hash_ban(e, &hash, extra_of(e, a)->refusals);
    digest_hash_set(e, &hash, shape_at(e, a->shape)->set);
    digest_hash_soft(e, &hash, (uint32_t)(a - ask_at(e, 0)));
    const uint32_t *tags;
    uint32_t tagged = skedi_tags_of(e, (uint32_t)(a - ask_at(e, 0)), &tags);
    for (uint32_t i = 0; i < tagged; i++) {
        skedi_hash_u64(&hash, skedi_tag_key(e, tags[i]));
    }
    return skedi_hash_end(&hash);
}

static uint64_t digest_group(const sked_engine *e, uint32_t group)
{
    const engine_group *g = group_at(e, group);
    skedi_hash hash;

    skedi_hash_start(&hash, 4);
    skedi_hash_u64(&hash, ask_at(e, g->ask)->key);
    skedi_hash_u64(&hash, node_at(e, g->node)->key);
    skedi_hash_u64(&hash, (uint64_t)g->task);
    skedi_hash_u64(&hash, (uint64_t)g->deadline_from);
    skedi_hash_u32(&hash, g->count);
    skedi_hash_u32(&hash, g->state);
    skedi_hash_u32(&hash, g->generation);
    skedi_hash_u32(&hash, group);
    for (uint32_t k = 0; g->shape != SKEDI_NONE && k < e->kinds; k++) {
        skedi_hash_u64(&hash, (uint64_t)skedi_group_task(e, g)[k]);
    }
    if (g->hold) skedi_hash_u32(&hash, g->hold);
    return skedi_hash_end(&hash);
}

static uint64_t digest_notice(const engine_notice *n)
{
    skedi_hash hash;

    if (!n->group) return 0;
    skedi_hash_start(&hash, 7);
    skedi_hash_u64(&hash, n->group);
    skedi_hash_u64(&hash, (uint64_t)n->saved);
    skedi_hash_u32(&hash, n->dying);
    if (n->ends != SKED_UNSET) skedi_hash_u64(&hash, (uint64_t)n->ends);
    if (n->cost >= 0) skedi_hash_u32(&hash, (uint32_t)n->cost);
    return skedi_hash_end(&hash);
}

/* The reservations on a node, in order. */
static uint64_t digest_reservations(const sked_engine *e, const engine_node *n)
{
    skedi_hash hash;

    skedi_hash_start(&hash, 6);
    skedi_hash_u64(&hash, n->key);
    for (uint32_t i = n->first_reservation; i != SKEDI_NONE;
         i = reservation_at(e, i)->next) {
        const engine_reservation *k = reservation_at(e, i);
        skedi_hash_u64(&hash, ask_at(e, k->ask)->key);
        skedi_hash_u64(&hash, (uint64_t)k->until);
        skedi_hash_u32(&hash, k->count);
    }
    return skedi_hash_end(&hash);
}

/* Weights that the host said. */
static uint64_t digest_weights(const sked_engine *e)
{
    uint64_t sum = 0;

    for (uint32_t row = 1; row < e->rows.n; row++) {
        skedi_hash hash;
        if (!e->rows.said[row]) continue;
        skedi_hash_start(&hash, 45);
        skedi_hash_u64(&hash, e->rows.id[row]);
        skedi_hash_u32(&hash, e->rows.said[row]);
        sum += skedi_hash_end(&hash);
    }
    return sum;
}

/* The count of a rate, while the count still bounds starts. */
static uint64_t digest_rate(const sked_engine *e, uint32_t row)
{
    const engine_rate *r = &e->rows.rate[row];
    skedi_hash hash;

    if (r->most == SKED_UNLIMITED || r->count == 0) return 0;
    skedi_hash_start(&hash, 13);
    skedi_hash_u64(&hash, e->rows.id[row]);
    skedi_hash_u64(&hash, (uint64_t)r->begin);
    skedi_hash_u64(&hash, (uint64_t)r->count);
    return skedi_hash_end(&hash);
}

/* By what a leaf admits jobs. */
static uint64_t digest_gate(const sked_engine *e, uint32_t row)
{
    const engine_gate *gate = gate_of(e, row);
    skedi_hash hash;

    if (!gate) return 0;
    skedi_hash_start(&hash, 15);
    skedi_hash_u64(&hash, e->rows.id[row]);
    skedi_hash_u32(&hash, gate->preempts);
    for (uint32_t i = 0; i < GATE_BOUNDS * SKED_MAX_KINDS; i++) {
        skedi_hash_u64(&hash, (uint64_t)gate->bound[i]);
    }
    return skedi_hash_end(&hash);
}

static uint64_t digest_user(const engine_user *user)
{
    if (!user->name) return 0;
    return skedi_hash_of(user->name, strlen(user->name), user->key);
}

static uint64_t digest_things(const sked_engine *e)
{
    const engine_user *users = e->users.item;
    const engine_notice *notices = e->notices.item;
    uint64_t sum = 0;

    for (uint32_t i = 0; i < e->jobs.n; i++) {
        if (job_at(e, i)->state != JOB_FREE_SLOT) {
            sum += digest_job(e, job_at(e, i));
        }
    }
    for (uint32_t i = 0; i < e->asks.n; i++) {
        if (ask_at(e, i)->live) sum += digest_ask(e, ask_at(e, i));
    }
    for (uint32_t i = 0; i < e->groups.n; i++) {
        if (group_at(e, i)->state != GROUP_FREE_SLOT) sum += digest_group(e, i);
    }
    for (uint32_t row = 0; e->gates && row < e->rows.n; row++) {
        sum += digest_gate(e, row);
    }
    for (uint32_t row = 0; e->rated && row < e->rows.n; row++) {
        sum += digest_rate(e, row);
    }
    for (uint32_t i = 0; i < e->users.n; i++) sum += digest_user(&users[i]);
    for (uint32_t i = 0; i < e->notices.n; i++) {
        sum += digest_notice(&notices[i]);
    }
    return sum;
}

/* The pools of partitions. */
static uint64_t digest_pools(const sked_engine *e)
{
    skedi_hash hash;

    skedi_hash_start(&hash, 11);
    for (size_t i = 0; i < (size_t)e->parts * e->kinds; i++) {
        if (!kind_is_pooled(e, (uint32_t)(i % e->kinds)) || !e->capacity[i]) {
            continue;
        }
        skedi_hash_u64(&hash, i);
        skedi_hash_u64(&hash, (uint64_t)e->capacity[i]);
    }
    return skedi_hash_end(&hash);
}

/* Reservations of gangs that form, by partition, and the gangs that rest. */
static uint64_t digest_forming(const sked_engine *e)
{
    skedi_hash hash;

    skedi_hash_start(&hash, 11);
    for (uint32_t p = 0; p < e->forms.cap; p++) {
        const engine_forming *f = &e->forms.gang[p];
        if (f->arrival == 0 && f->resting == 0) continue;
        skedi_hash_u32(&hash, p);
        skedi_hash_u64(&hash, f->arrival);
        skedi_hash_u64(&hash, f->arrival ? (uint64_t)f->since : 0);
        skedi_hash_u64(&hash, f->arrival ? f->where.same : 0);
        skedi_hash_u64(&hash, f->arrival ? (uint64_t)f->where.value : 0);
        skedi_hash_u64(&hash, f->resting);
        skedi_hash_u64(&hash, (uint64_t)f->rests);
    }
    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        const engine_forming_part *part = skedi_forming_on(e, n);
        if (!part) continue;
        skedi_hash_u64(&hash, node_at(e, n)->key);
        skedi_hash_u32(&hash, part->count);
    }
    return skedi_hash_end(&hash);
}

/* What rounds remember. */
static void digest_preemption(const sked_engine *e, skedi_hash *hash)
{
    const struct engine_preempt *own = e->preempt;

    for (uint32_t i = 0; i < own->policies; i++) {
        skedi_hash_u64(hash, sked_target_digest(own->target[i]));
    }
    skedi_hash_u64(hash, sked_round_digest(own->round));
    skedi_hash_u64(hash, (uint64_t)own->last_round);
    skedi_hash_u64(hash, skedi_started_digest(e));
}

uint64_t sked_engine_state_digest(const sked_engine *engine)
{
    const sked_engine *e = engine;
    skedi_hash hash;

    if (!e) return 0;
    skedi_hash_start(&hash, 0);
    skedi_hash_u64(&hash, sked_tree_digest(e->tree));
    for (uint32_t i = 0; i < SKED_MAX_LIMIT_TREES; i++) {
        const sked_tree *tree = e->trees.at[i].tree;
        if (!tree) continue;
        skedi_hash_u32(&hash, i);
        skedi_hash_u64(&hash, sked_tree_digest(tree));
    }
    skedi_hash_u64(&hash, (uint64_t)e->now);
    skedi_hash_u64(&hash, e->out_from);
    skedi_hash_u64(&hash, e->out_next);
    skedi_hash_u64(&hash, e->stats.allocated);
    skedi_hash_u64(&hash, e->stats.heartbeats);
    skedi_hash_u32(&hash, e->generations);
    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        skedi_hash_u64(&hash, digest_node(e, n));
        if (node_at(e, n)->first_reservation == SKEDI_NONE) continue;
        skedi_hash_u64(&hash, digest_reservations(e, node_at(e, n)));
    }
    if (e->resume_node != SKEDI_NONE && e->resume_node != e->first_node) {
        /* where the next pass goes on */
        skedi_hash_u64(&hash, node_at(e, e->resume_node)->key);
    }
    skedi_hash_u64(&hash, digest_things(e));
    if (skedi_forming_is_on(e)) skedi_hash_u64(&hash, digest_forming(e));
    if (e->opts.pooled) skedi_hash_u64(&hash, digest_pools(e));
    uint64_t weights = digest_weights(e);
    if (weights) skedi_hash_u64(&hash, weights);
    if (e->preempt) digest_preemption(e, &hash);
    return skedi_hash_end(&hash);
}

uint64_t sked_engine_digest(const sked_engine *engine)
{
    return engine ? skedi_out_digest(engine) : 0;
}

/*
 * What a job is asked to free. Of a group the last tasks got kill orders; the
 * marks are of those before them, the oldest mark of the last of these.
 */

_Static_assert(sizeof(sked_engine_notice) == 56, "notices are frozen");

typedef struct contract_walk {
    const sked_engine *e;
    sked_engine_notice *notices; /* NULL: only counts */
    int64_t *amounts;            /* or NULL */
    size_t n;
    int strict;
} contract_walk;

/* `count` tasks of a group that end before task number `end`. */
static void digest_add_notice(contract_walk *w, uint32_t group, int64_t end,
                              int64_t count)
{
    const sked_engine *e = w->e;
    const engine_group *g = group_at(e, group);
    const engine_ask *a = ask_at(e, g->ask);
    const int64_t *task = skedi_group_task(e, g);

    if (w->notices) {
        w->notices[w->n] = (sked_engine_notice){
            .ask = a->key,
            .node = node_at(e, g->node)->key,
            .group = skedi_group_name(e, group),
            .task = end - count,
            .count = count,
            .deadline = SKED_UNSET,
            .partition = node_at(e, g->node)->partition,
        };
    }
    int64_t times = skedi_group_times(g, count);
    w->n++;
    for (uint32_t k = 0; w->amounts && k < e->kinds; k++) {
        w->amounts[k] = skedi_amount_add(w->amounts[k], task[k] * times);
    }
}

static void digest_add_marks(contract_walk *w, uint32_t group, int64_t end)
{
    const skedi_round_list *list = &w->e->preempt->round->list;
    uint64_t name = skedi_group_name(w->e, group);

    for (size_t i = skedi_round_find(list, name); i < list->n; i++) {
        const sked_round_mark *mark = &list->item[i].seen;
        if (mark->key != name) return;
        digest_add_notice(w, group, end, mark->count);
        end -= mark->count;
        if (!w->notices) continue;
        w->notices[w->n - 1].deadline = mark->deadline;
    }
}

static void digest_add_of_group(contract_walk *w, uint32_t group)
{
    const engine_group *g = group_at(w->e, group);
    uint32_t dying = skedi_group_dying(w->e, group);
    int64_t end = g->task + g->count;

    if (!w->strict) {
        digest_add_marks(w, group, end - dying);
    } else if (dying > 0) {
        digest_add_notice(w, group, end, dying);
    }
}

static void digest_walk_contract(contract_walk *w, uint32_t job)
{
    const sked_engine *e = w->e;

    for (uint32_t a = job_at(e, job)->first_ask; a != SKEDI_NONE;
         a = ask_at(e, a)->next) {
        for (uint32_t g = ask_at(e, a)->first_group; g != SKEDI_NONE;
             g = group_at(e, g)->ask_next) {
            digest_add_of_group(w, g);
        }
    }
}

sked_status sked_engine_contract(const sked_engine *engine, uint64_t job,
                                 int32_t contract, int64_t *amounts,
                                 sked_engine_notice *notices, size_t cap,
                                 size_t *n)
{
    contract_walk w = {.e = engine,
                       .strict = contract == SKED_ROUND_CONTRACT_STRICT};

    if (!engine || !n || (cap > 0 && !notices) ||
        (!w.strict && contract != SKED_ROUND_CONTRACT_NEGOTIABLE)) {
        return SKED_ERR_ARG;
    }
    uint32_t at = skedi_keymap_get(&engine->job_of, job);
    if (at == SKEDI_NONE) return SKED_ERR_NOT_FOUND;
    if (engine->preempt) digest_walk_contract(&w, at);
    *n = w.n;
    if (cap < w.n) return SKED_ERR_RANGE;
    for (uint32_t k = 0; amounts && k < engine->kinds; k++) amounts[k] = 0;
    w.notices = notices;
    w.amounts = amounts;
    w.n = 0;
    if (*n > 0) digest_walk_contract(&w, at);
    return SKED_OK;
}
