/* The twin whole: life, events, passes, commits. */
#include "ref_engine_forms.h"
#include "ref_engine.h"

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/hash.h"
#include "tree/image.h"

ref_engine *ref_engine_new(const sked_tree *tree,
                           const sked_engine_options *opts)
{
    ref_engine *r = calloc(1, sizeof *r);

    if (!r || sked_tree_copy(tree, NULL, &r->base, NULL) != SKED_OK) abort();
    ref_engine_weigh(r);
    if (opts) r->opts = *opts;
    if (!r->opts.max_untaken) r->opts.max_untaken = 1048576;
    r->kinds = skedi_tree_image(tree)->kinds;
    r->now = INT64_MIN;
    r->resume = SIZE_MAX;
    r->parts = 1;
    if (r->kinds > REF_KINDS) abort();
    return r;
}

void ref_engine_free(ref_engine *r)
{
    for (size_t i = 0; i < r->asks; i++) {
        free(r->ask[i].ranges);
        ref_engine_forget_places(&r->ask[i].nodes);
        ref_engine_forget_places(&r->ask[i].racks);
        ref_engine_forget_rule(&r->ask[i].rule);
        ref_engine_forget_soft(&r->ask[i]);
        free(r->ask[i].tags);
    }
    for (size_t i = 0; i < r->nodes; i++) free(r->node[i].attributes);
    void *rooms[] = {r->node, r->job, r->ask,    r->group, r->slot, r->refusal,
                     r->user, r->out, r->remain, r->rate,  r->gate};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) free(rooms[i]);
    ref_engine_forget_shares(r);
    sked_tree_free(r->tree);
    sked_tree_free(r->base);
    free(r->said);
    for (int i = 0; i < SKED_MAX_LIMIT_TREES; i++) {
        sked_tree_free(r->limits[i]);
    }
    free(r);
}

static void heartbeat(ref_engine *r, size_t node)
{
    (void)ref_engine_fill(r, node, UINT64_MAX);
}

/* What preemption leaves: the twin has none. */
static sked_status least(const ref_engine *r, const sked_event *event)
{
    size_t at = ref_engine_job(r, event->key);

    if (at == SIZE_MAX || r->job[at].state == REF_ENDED) {
        return SKED_ERR_NOT_FOUND;
    }
    return event->count < 0 ? SKED_ERR_RANGE : SKED_OK;
}

static sked_status apply(ref_engine *r, const sked_events *batch,
                         const sked_event *event)
{
    size_t node;

    switch (event->kind) {
    case SKED_EVENT_TICK:
    case SKED_EVENT_ROUND: return SKED_OK;
    case SKED_EVENT_NODE_UP:
    case SKED_EVENT_NODE_CHANGE:
    case SKED_EVENT_NODE_DRAIN:
    case SKED_EVENT_NODE_RESUME: return ref_engine_node_event(r, batch, event);
    case SKED_EVENT_NODE_MOVE: return ref_engine_node_move(r, event);
    case SKED_EVENT_NODE_DOWN: return ref_engine_node_down(r, event);
    case SKED_EVENT_QUEUE_WEIGHT: return ref_engine_weight(r, event);
    case SKED_EVENT_POOL: return ref_engine_pool(r, batch, event);
    case SKED_EVENT_HEARTBEAT:
        node = ref_engine_node(r, event->key);
        if (node == SIZE_MAX) return SKED_ERR_NOT_FOUND;
        heartbeat(r, node);
        return SKED_OK;
    case SKED_EVENT_ALLOW: return ref_engine_allow(r, event);
    case SKED_EVENT_ASK_EXCLUDE:
    case SKED_EVENT_JOB_EXCLUDE: return ref_engine_exclude(r, batch, event);
    case SKED_EVENT_NODE_ATTRIBUTES:
        return ref_engine_attributes(r, batch, event);
    case SKED_EVENT_ASK_RULE: return ref_engine_rule(r, batch, event);
    case SKED_EVENT_ASK_PREFER: return ref_engine_prefer(r, batch, event);
    case SKED_EVENT_ASK_PLACES:
    case SKED_EVENT_ASK_RACKS: return ref_engine_places(r, batch, event);
    case SKED_EVENT_ASK_TAGS: return ref_engine_tags(r, batch, event);
    case SKED_EVENT_TASK_RUNNING: return ref_engine_running(r, batch, event);
    case SKED_EVENT_JOB_SUBMIT: return ref_engine_job_submit(r, batch, event);
    case SKED_EVENT_JOB_UPDATE: return ref_engine_job_update(r, event);
    case SKED_EVENT_JOB_LEAST: return least(r, event);
    case SKED_EVENT_JOB_CANCEL:
    case SKED_EVENT_JOB_FINISH: return ref_engine_job_end(r, event);
    case SKED_EVENT_ASK_ADD: return ref_engine_ask_add(r, batch, event);
    case SKED_EVENT_ASK_CHANGE:
    case SKED_EVENT_ASK_WITHDRAW: return ref_engine_ask_change(r, event);
    case SKED_EVENT_TASK_RESIZE:
    case SKED_EVENT_TASK_CONFIRM:
    case SKED_EVENT_TASK_REFUSE:
    case SKED_EVENT_TASK_FINISH:
    case SKED_EVENT_TASK_FAIL:
    case SKED_EVENT_TASK_LOST:
    case SKED_EVENT_TASK_KILLED:
    case SKED_EVENT_TASK_RELEASED:
    case SKED_EVENT_TASK_ENDS:
    case SKED_EVENT_TASK_COST:
    case SKED_EVENT_TASK_SAVED: return ref_engine_task(r, batch, event);
    }
    return SKED_ERR_ARG;
}

/* Is that too far ahead of what is known? */
static int is_too_far(const ref_engine *r, sked_time now)
{
    if (r->now <= 0) return now > SKED_TIME_FIRST_MAX;
    return now > r->now && now - r->now > SKED_TIME_JUMP_MAX;
}

sked_status ref_engine_event(ref_engine *r, const sked_events *batch,
                             const sked_event *event)
{
    if (is_too_far(r, event->time)) return SKED_ERR_RANGE;
    if (ref_engine_is_full(r)) return SKED_ERR_FULL;
    ref_engine_admit(r);
    ref_engine_expire(r, event->time);
    sked_time before = r->now;
    r->now = skedi_i64_max(r->now, event->time);
    sked_status rc = apply(r, batch, event);
    if (rc == SKED_OK) {
        r->events++;
        ref_forming_look(r);
        ref_engine_fall(r);
        ref_engine_admit(r);
    } else {
        r->now = before;
    }
    ref_engine_look_at_wants(r);
    return rc;
}

sked_status ref_engine_advance(ref_engine *r, sked_time now)
{
    if (is_too_far(r, now)) return SKED_ERR_RANGE;
    ref_engine_admit(r);
    ref_engine_expire(r, now);
    r->now = skedi_i64_max(r->now, now);
    return SKED_OK;
}

sked_status ref_engine_pass(ref_engine *r, sked_time now, uint64_t budget)
{
    uint64_t before = r->n_out;

    if (ref_engine_advance(r, now) != SKED_OK) return SKED_ERR_RANGE;
    for (size_t i = r->resume == SIZE_MAX ? 0 : r->resume; i < r->nodes; i++) {
        uint64_t made = r->n_out - before;
        if (r->node[i].gone) continue;
        uint64_t left = made < budget ? budget - made : 0;
        if (ref_engine_fill(r, i, budget ? left : UINT64_MAX)) {
            r->resume = i;
            ref_engine_look_at_wants(r);
            return SKED_STOPPED;
        }
    }
    r->resume = SIZE_MAX;
    ref_engine_look_at_wants(r);
    return SKED_OK;
}

sked_status ref_engine_commit(ref_engine *r, const sked_tree *tree,
                              sked_time now)
{
    const skedi_image *next = skedi_tree_image(tree);

    if (is_too_far(r, now)) return SKED_ERR_RANGE;
    for (size_t i = 0; i < r->jobs; i++) {
        uint32_t row = skedi_image_row(next, r->job[i].queue);
        if (r->job[i].state == REF_FORGOTTEN) continue;
        if (row == SKEDI_NO_ROW || !skedi_image_is_leaf(next, row)) {
            return SKED_ERR_STATE;
        }
    }
    ref_engine_forget_shares(r);
    sked_tree_free(r->base);
    if (sked_tree_copy(tree, NULL, &r->base, NULL) != SKED_OK) abort();
    ref_engine_weigh(r);
    ref_engine_rates_commit(r);
    ref_engine_gates_commit(r);
    r->now = skedi_i64_max(r->now, now);
    for (size_t i = 0; i < r->jobs; i++) ref_engine_see_limits(r, i);
    ref_engine_admit(r);
    return SKED_OK;
}

void ref_engine_name_user(ref_engine *r, uint64_t key, const char *name)
{
    ref_user *user = NULL;

    for (size_t i = 0; i < r->users; i++) {
        if (r->user[i].key == key) user = &r->user[i];
    }
    if (!user) user = MORE(r, user, users);
    user->key = key;
    memset(user->name, 0, sizeof user->name);
    if (name) memcpy(user->name, name, strlen(name) + 1);
}

void ref_engine_take(ref_engine *r, uint64_t n)
{
    r->taken += n;
}

uint64_t ref_engine_digest(const ref_engine *r)
{
    skedi_hash h;

    skedi_hash_start(&h, 0);
    for (size_t i = 0; i < r->n_out; i++) {
        const sked_decision *d = &r->out[i];
        uint64_t words[] = {
            d->sequence,
            (uint64_t)d->time,
            (uint64_t)(uint32_t)d->kind | (uint64_t)(uint32_t)d->reason << 32,
            d->job,
            d->ask,
            d->node,
            d->group,
            (uint64_t)d->task,
            (uint64_t)d->count,
            d->queue,
            (uint64_t)d->detail,
            (uint64_t)(uint32_t)d->kind_at | (uint64_t)d->partition << 32};
        for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
            skedi_hash_u64(&h, words[w]);
        }
    }
    return skedi_hash_end(&h);
}
