/* What the host will not have, and what waits to be possible. */
#include "ref_engine.h"

#include <string.h>

static int is_in(const ref_nodes *nodes, uint64_t key)
{
    for (size_t i = 0; i < nodes->n; i++) {
        if (nodes->key[i] == key) return 1;
    }
    return 0;
}

int ref_engine_refused(const ref_engine *r, size_t ask, size_t node)
{
    const ref_ask *a = &r->ask[ask];

    for (size_t i = 0; i < r->refusals; i++) {
        const ref_refusal *x = &r->refusal[i];
        if (x->ask != ask || x->node != node || x->lifted) continue;
        if (x->until != SKED_UNSET
                ? r->now < x->until
                : x->ask_changes == a->changes &&
                      x->node_changes == r->node[node].changes) {
            return 1;
        }
    }
    return is_in(&a->excluded, r->node[node].key) ||
           is_in(&r->job[a->job].excluded, r->node[node].key);
}

static void refuse_pair(ref_engine *r, size_t ask, size_t node, sked_time until)
{
    for (size_t i = 0; i < r->refusals; i++) {
        ref_refusal *x = &r->refusal[i];
        if (x->ask == ask && x->node == node) x->lifted = 1;
    }
    *MORE(r, refusal, refusals) = (ref_refusal){
        .ask = ask,
        .node = node,
        .ask_changes = r->ask[ask].changes,
        .node_changes = r->node[node].changes,
        .until = until,
    };
}

static void note(ref_engine *r, const ref_group *g, uint32_t flags,
                 sked_time until)
{
    ref_ask *a = &r->ask[g->ask];

    if (flags & SKED_REFUSE_NODE) {
        r->node[g->node].barred = 1;
        r->node[g->node].until = until;
    } else if (flags & SKED_REFUSE_JOB) {
        /* Its other asks are meant, too, whether or not this one goes on. */
        r->job[a->job].barred = 1;
        r->job[a->job].until = until;
    } else if (a->closed) {
        return;
    } else if (flags & SKED_REFUSE_ASK) {
        a->barred = 1;
        a->until = until;
    } else {
        refuse_pair(r, g->ask, g->node, until);
    }
}

sked_status ref_engine_refuse(ref_engine *r, const sked_events *batch,
                              const sked_event *event, size_t group)
{
    const ref_group *g = &r->group[group];
    sked_time until = ref_engine_word(batch, event, batch->moments);
    int scopes = !!(event->flags & SKED_REFUSE_ASK) +
                 !!(event->flags & SKED_REFUSE_JOB) +
                 !!(event->flags & SKED_REFUSE_NODE);
    int64_t count = g->count;

    if (event->flags > 15 || scopes > 1) return SKED_ERR_ARG;
    if (g->state != REF_PROPOSED && g->state != REF_REVOKED) {
        return SKED_ERR_STATE;
    }
    if (until != SKED_UNSET && until <= r->now) return SKED_ERR_RANGE;
    if (event->flags & SKED_REFUSE_SOME) {
        int gang = (r->ask[g->ask].flags & SKED_ASK_GANG) != 0 &&
                   !r->ask[g->ask].per_node;
        if (event->count < 1 || event->count > count ||
            (gang && event->count != count)) {
            return SKED_ERR_RANGE;
        }
        count = event->count;
    }
    note(r, g, event->flags, until);
    ref_engine_end(r, group, count, 1, 0);
    return SKED_OK;
}

static void allow_node(ref_engine *r, size_t node)
{
    r->node[node].barred = 0;
    r->node[node].until = SKED_UNSET;
}

static void allow_ask(ref_engine *r, size_t ask)
{
    r->ask[ask].barred = 0;
    r->ask[ask].until = SKED_UNSET;
}

static void allow_job(ref_engine *r, size_t job)
{
    r->job[job].barred = 0;
    r->job[job].until = SKED_UNSET;
    for (size_t i = 0; i < r->asks; i++) {
        if (r->ask[i].job == job && !r->ask[i].forgotten) allow_ask(r, i);
    }
}

/* Pairs of an ask, a job's asks or a node are lifted; SIZE_MAX: of all. */
static void lift_pairs(ref_engine *r, size_t ask, size_t job, size_t node)
{
    for (size_t i = 0; i < r->refusals; i++) {
        ref_refusal *x = &r->refusal[i];
        if ((ask == SIZE_MAX || x->ask == ask) &&
            (node == SIZE_MAX || x->node == node) &&
            (job == SIZE_MAX || r->ask[x->ask].job == job)) {
            x->lifted = 1;
        }
    }
}

sked_status ref_engine_allow(ref_engine *r, const sked_event *event)
{
    size_t at = SIZE_MAX;

    if (event->flags == SKED_REFUSE_NODE) {
        at = ref_engine_node(r, event->key);
        if (at == SIZE_MAX) return SKED_ERR_NOT_FOUND;
        allow_node(r, at);
        lift_pairs(r, SIZE_MAX, SIZE_MAX, at);
    } else if (event->flags == SKED_REFUSE_ASK) {
        at = ref_engine_ask(r, event->key);
        if (at == SIZE_MAX) return SKED_ERR_NOT_FOUND;
        allow_ask(r, at);
        lift_pairs(r, at, SIZE_MAX, SIZE_MAX);
    } else if (event->flags == SKED_REFUSE_JOB) {
        at = ref_engine_job(r, event->key);
        if (at == SIZE_MAX) return SKED_ERR_NOT_FOUND;
        allow_job(r, at);
        lift_pairs(r, SIZE_MAX, at, SIZE_MAX);
    } else if (event->flags == 0 && event->key == 0) {
        for (size_t i = 0; i < r->nodes; i++) allow_node(r, i);
        for (size_t i = 0; i < r->jobs; i++) {
            if (r->job[i].state != REF_FORGOTTEN) allow_job(r, i);
        }
        lift_pairs(r, SIZE_MAX, SIZE_MAX, SIZE_MAX);
    } else {
        return SKED_ERR_ARG;
    }
    return SKED_OK;
}

sked_status ref_engine_exclude(ref_engine *r, const sked_events *batch,
                               const sked_event *event)
{
    int whole = event->kind == SKED_EVENT_JOB_EXCLUDE;
    size_t job = ref_engine_job(r, event->key);
    size_t ask = ref_engine_ask(r, event->key);
    ref_nodes set = {0};

    if (whole && (job == SIZE_MAX || r->job[job].state == REF_ENDED)) {
        return SKED_ERR_NOT_FOUND;
    }
    if (!whole && (ask == SIZE_MAX || r->ask[ask].closed)) {
        return SKED_ERR_NOT_FOUND;
    }
    if (event->places > batch->n_places) return SKED_ERR_ARG;
    if (event->places > 0) {
        int32_t from = batch->place_offsets[event->places - 1];
        set.n = (size_t)(batch->place_offsets[event->places] - from);
        memcpy(set.key, batch->places + from, set.n * sizeof *set.key);
    }
    if (whole)
        r->job[job].excluded = set;
    else
        r->ask[ask].excluded = set;
    return SKED_OK;
}

/* ---- What is otherwise by itself ---- */

static int is_due(int barred, sked_time until, sked_time now)
{
    return barred && until != SKED_UNSET && until <= now;
}

void ref_engine_lapse(ref_engine *r, sked_time now)
{
    for (size_t i = 0; i < r->nodes; i++) {
        if (is_due(r->node[i].barred, r->node[i].until, now)) allow_node(r, i);
    }
    for (size_t i = 0; i < r->asks; i++) {
        if (is_due(r->ask[i].barred, r->ask[i].until, now)) allow_ask(r, i);
    }
    for (size_t i = 0; i < r->jobs; i++) {
        ref_job *job = &r->job[i];
        if (!is_due(job->barred, job->until, now)) continue;
        job->barred = 0;
        job->until = SKED_UNSET;
    }
    ref_engine_look_at_wants(r);
}

void ref_engine_see_node(ref_engine *r, size_t node)
{
    for (size_t i = 0; i < r->asks; i++) {
        ref_ask *a = &r->ask[i];
        if (a->forgotten || !a->no_node) continue;
        a->no_node = !ref_engine_fits_node(r, a, node);
    }
}

void ref_engine_see_limits(ref_engine *r, size_t job)
{
    for (size_t i = 0; i < r->asks; i++) {
        ref_ask *a = &r->ask[i];
        if (a->job != job || a->forgotten || !a->no_limit) continue;
        a->no_limit = ref_engine_never_below(r, a) >= 0;
    }
}
