/* What differs between an engine and its host's truth, and what would mend
 * it. */
#include "engine/api/reconcile.h"

#include <string.h>

#include "base/fail.h"
#include "base/versioned.h"
#include "engine/busy.h"
#include "engine/budget.h"
#include "engine/columns.h"
#include "engine/alloc.h"
#include "engine/pending.h"

SKEDI_NO_TAIL_PADDING(sked_engine_difference, reserved);

/* One row of the truth as it is: the engine lacks it. */
static void say_row(engine_recon *r, uint64_t row)
{
    const sked_event *event = skedi_event_at(r->in, row);

    (void)skedi_recon_say(r, event->kind, event->key, SKED_ENGINE_DIFFERS_LACKS,
                          row);
}

static void say_extra(engine_recon *r, int32_t kind, uint64_t key)
{
    (void)skedi_recon_say(r, kind, key, SKED_ENGINE_DIFFERS_EXTRA, UINT64_MAX);
}

/* ---- Is it the same? ---- */

static const int64_t *truth_amounts(const engine_recon *r,
                                    const sked_event *event)
{
    return r->in->amounts + (size_t)(event->amount - 1) * r->e->kinds;
}

static int node_is_same(const engine_recon *r, uint32_t node, uint64_t row)
{
    const sked_event *event = skedi_event_at(r->in, row);
    const engine_node *n = node_at(r->e, node);

    return event->partition == n->partition && event->owner == n->rack;
}

/* Is a job charged where the truth says, whose queues are there? */
static int charge_is_same(const engine_recon *r, const engine_job *job,
                          const sked_event *event)
{
    const engine_charge *charge = job->charge == SKEDI_NONE
                                      ? NULL
                                      : charge_at(r->e, job->charge);
    uint32_t rows[SKED_MAX_LIMIT_TREES];
    int same = skedi_charge_in(r->e, r->in, event, rows, NULL) == SKED_OK;

    for (uint32_t i = 0; i < SKED_MAX_LIMIT_TREES; i++) {
        same &= rows[i] == skedi_charge_row(charge, i);
    }
    return same;
}

static int job_is_same(const engine_recon *r, uint32_t job, uint64_t row)
{
    const sked_event *event = skedi_event_at(r->in, row);
    const engine_job *j = job_at(r->e, job);
    const engine_user *user = (const engine_user *)r->e->users.item + j->user;
    sked_time moment = skedi_event_moment(r->in, event);

    int admitted = (event->flags & SKED_JOB_ADMITTED) != 0;

    return j->state != JOB_ENDED && !(admitted && j->state == JOB_WAITING) &&
           user->key == event->owner && charge_is_same(r, j, event) &&
           j->flags == (event->flags & ~(uint32_t)SKED_JOB_ADMITTED) &&
           (moment == SKED_UNSET || moment == j->submitted);
}

static int places_are_same(const engine_recon *r, const engine_ask *a,
                           const sked_event *event)
{
    const uint64_t *keys = NULL;
    uint32_t n = skedi_event_places(r->in, event->places, &keys), i = 0;
    uint32_t p = extra_of(r->e, a)->places;

    for (; p != SKEDI_NONE && i < n; p = place_at(r->e, p)->next, i++) {
        if (place_at(r->e, p)->rack || place_at(r->e, p)->key != keys[i]) {
            return 0;
        }
    }
    return i == n && (p == SKEDI_NONE || place_at(r->e, p)->rack);
}

/* Nothing of an ask is wanted, and nothing runs. */
static int ask_is_over(const engine_recon *r, uint64_t row)
{
    return r->withdrawn[row] && r->runs[row] == 0;
}

/* So many tasks of a gang over nodes would start together, were all that is left
 * of it open. Those that have ended count as started; where these are as many as
 * it was to start with, it goes on as one that begins with the least. */
static int64_t starts_together(const engine_recon *r, const engine_ask *a,
                               int64_t count)
{
    const engine_extra *own = extra_of(r->e, a);

    if (count > own->spare) return count - own->spare;
    return skedi_i64_min(own->each ? own->each : 1, count);
}

/* Do the engine and the truth say the same of how a gang over nodes starts? */
static int gang_is_same(const engine_recon *r, const engine_ask *a,
                        const sked_event *event)
{
    const sked_event_gang gang = skedi_event_gang(r->in, event);

    if (!(event->flags & SKED_ASK_SPREAD)) return 1; /* flags are compared */
    return skedi_shape_per_node(r->e, a->shape) == gang.per_node &&
           skedi_shape_gang(r->e, a->shape).same == gang.same &&
           starts_together(r, a, event->count) == gang.at_once;
}

/* That it may wait is no part of what it is. */
static int ask_is_same(engine_recon *r, uint32_t ask, uint64_t row)
{
    const sked_event *event = skedi_event_at(r->in, row);
    const engine_ask *a = ask_at(r->e, ask);
    const int64_t *task = engine_row_of(r->e, &r->e->shape_task, a->shape);
    int placed = (r->says[row] & RECON_SAYS_PLACES) != 0; /* by a row */
    uint32_t other = SKED_ASK_WAIT | (placed ? SKED_ASK_STRICT : 0);

    if (ask_is_over(r, row) || a->closed > r->withdrawn[row] ||
        r->job_ends[a->job] || job_at(r->e, a->job)->key != event->owner ||
        a->partition != event->partition || a->priority != event->priority ||
        (a->flags | other) != (event->flags | other) ||
        !gang_is_same(r, a, event) ||
        memcmp(task, truth_amounts(r, event), r->e->kinds * sizeof *task) !=
            0 ||
        (!placed && !places_are_same(r, a, event))) {
        return 0;
    }
    int is_final = a->closed || a->flags & SKED_ASK_GANG;
    return !is_final || skedi_recon_fits(r, ask, row);
}

/* What of the engine does not stay. */
static void judge_engine(engine_recon *r)
{
    sked_engine *e = r->e;

    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        uint32_t row = skedi_keymap_get(&r->nodes, node_at(e, n)->key);
        r->node_goes[n] = row == SKEDI_NONE || !node_is_same(r, n, row);
    }
    for (uint32_t j = 0; j < e->jobs.n; j++) {
        if (job_at(e, j)->state == JOB_FREE_SLOT) continue;
        uint32_t row = skedi_keymap_get(&r->jobs, job_at(e, j)->key);
        r->job_ends[j] = row == SKEDI_NONE || !job_is_same(r, j, row);
    }
    for (uint32_t a = 0; a < e->asks.n; a++) {
        if (!ask_at(e, a)->live) continue;
        uint32_t row = skedi_keymap_get(&r->asks, ask_at(e, a)->key);
        r->ask_ends[a] = row == SKEDI_NONE || !ask_is_same(r, a, row);
    }
    skedi_recon_judge_tags(r);
}

/* ---- What ends ---- */

static void end_asks(engine_recon *r)
{
    for (uint32_t a = 0; a < r->e->asks.n; a++) {
        const engine_ask *ask = ask_at(r->e, a);
        if (!ask->live || ask->closed || !r->ask_ends[a]) continue;
        say_extra(r, SKED_EVENT_ASK_WITHDRAW, ask->key);
    }
}

static void end_groups(engine_recon *r)
{
    for (uint32_t i = 0; i < r->e->groups.n; i++) {
        const engine_group *g = group_at(r->e, i);
        if (g->state == GROUP_FREE_SLOT || !r->ask_ends[g->ask] ||
            r->node_goes[g->node]) {
            continue;
        }
        int proposal = skedi_group_is_proposal(r->e, i);
        sked_event *event = skedi_recon_say(
            r, proposal ? SKED_EVENT_TASK_REFUSE : SKED_EVENT_TASK_FINISH,
            skedi_group_name(r->e, i), SKED_ENGINE_DIFFERS_EXTRA, UINT64_MAX);
        if (event) event->count = skedi_recon_ends(r, i, g->count);
    }
}

static void end_nodes(engine_recon *r)
{
    const sked_engine *e = r->e;

    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        if (r->node_goes[n]) {
            say_extra(r, SKED_EVENT_NODE_DOWN, node_at(e, n)->key);
        }
    }
}

static void end_jobs(engine_recon *r)
{
    for (uint32_t j = 0; j < r->e->jobs.n; j++) {
        const engine_job *job = job_at(r->e, j);
        int there = job->state != JOB_FREE_SLOT && job->state != JOB_ENDED;
        if (there && r->job_ends[j]) {
            say_extra(r, SKED_EVENT_JOB_FINISH, job->key);
        }
    }
}

/* ---- Row by row ---- */

/* Has a node the amounts that the truth says, in kinds that lie on nodes? */
static int node_is_as(const engine_recon *r, uint32_t node,
                      const int64_t *amounts)
{
    const int64_t *own = engine_row_of(r->e, &r->e->node_capacity, node);
    uint32_t k = 0;

    while (k < r->e->kinds &&
           (own[k] == amounts[k] || kind_is_pooled(r->e, k))) {
        k++;
    }
    return k == r->e->kinds;
}

static void see_node_row(engine_recon *r, uint64_t row)
{
    const sked_event *event = skedi_event_at(r->in, row);
    uint32_t node = skedi_keymap_get(&r->e->node_of, event->key);
    int drains = 0, there = node != SKEDI_NONE && !r->node_goes[node];

    if (there) drains = node_at(r->e, node)->state == NODE_DRAINING;
    if (r->phase == RECON_DRAINS && drains != r->drains[row]) {
        (void)skedi_recon_say(
            r, drains ? SKED_EVENT_NODE_RESUME : SKED_EVENT_NODE_DRAIN,
            event->key, SKED_ENGINE_DIFFERS_OTHER, row);
    }
    if (r->phase != RECON_NODES) return;
    if (!there) {
        say_row(r, row);
    } else if (!node_is_as(r, node, truth_amounts(r, event))) {
        (void)skedi_recon_say(r, SKED_EVENT_NODE_CHANGE, event->key,
                              SKED_ENGINE_DIFFERS_OTHER, row);
    }
}

static void see_job_row(engine_recon *r, uint64_t row)
{
    const sked_event *event = skedi_event_at(r->in, row);
    uint32_t job = skedi_keymap_get(&r->e->job_of, event->key);

    if (job == SKEDI_NONE || r->job_ends[job]) {
        say_row(r, row);
        return;
    }
    if (job_at(r->e, job)->queue != event->queue) {
        (void)skedi_recon_say(r, SKED_EVENT_JOB_UPDATE, event->key,
                              SKED_ENGINE_DIFFERS_OTHER, row);
    }
    if (job_at(r->e, job)->priority == event->priority) return;
    sked_event *said = skedi_recon_say(r, SKED_EVENT_JOB_UPDATE, event->key,
                                       SKED_ENGINE_DIFFERS_OTHER, row);
    if (said) said->queue = 0;
}

/* One of which tasks run waits where it would be rejected: nodes may have become
 * smaller since they started, and limits lower. */
static void see_new_ask(engine_recon *r, uint64_t row)
{
    const sked_event *event = skedi_event_at(r->in, row);
    sked_event *said = skedi_recon_say(r, SKED_EVENT_ASK_ADD, event->key,
                                       SKED_ENGINE_DIFFERS_LACKS, row);

    if (said && r->runs[row] > 0) said->flags |= SKED_ASK_WAIT;
}

static void see_row(engine_recon *r, uint64_t row)
{
    const sked_event *event = skedi_event_at(r->in, row);
    int32_t kind = event->kind;
    int tasks = r->phase >= RECON_RUNNING && r->phase <= RECON_EXTRA;

    if (kind == SKED_EVENT_NODE_UP) see_node_row(r, row);
    if (kind == SKED_EVENT_POOL && r->phase == RECON_POOLS) {
        skedi_recon_pool(r, row);
    }
    if (kind == SKED_EVENT_ASK_PLACES || kind == SKED_EVENT_ASK_RACKS) {
        if (r->phase == RECON_PLACES) skedi_recon_places(r, row);
    } else if (r->phase == RECON_TRAITS && skedi_recon_is_trait(event)) {
        skedi_recon_trait(r, row);
    }
    if (kind == SKED_EVENT_JOB_SUBMIT) {
        int admitted = (event->flags & SKED_JOB_ADMITTED) != 0;
        if (r->phase == (admitted ? RECON_ADMITTED : RECON_JOBS)) {
            see_job_row(r, row);
        }
    }
    if (kind != SKED_EVENT_ASK_ADD || ask_is_over(r, row)) return;
    if (tasks) skedi_recon_tasks(r, row);
    if (r->phase == RECON_SAID) skedi_recon_said(r, row);
    if (r->phase == RECON_DROPS || r->phase == RECON_SOFT) {
        skedi_recon_soft(r, row);
    }
    if (r->phase == RECON_ASKS && skedi_recon_ask(r, row) == SKEDI_NONE) {
        see_new_ask(r, row);
    }
}

static void compare(engine_recon *r, sked_engine_difference *out)
{
    r->out = out;
    r->n = 0;
    for (r->phase = 0; r->phase < RECON_PHASES; r->phase++) {
        switch (r->phase) {
        case RECON_WITHDRAW: end_asks(r); break;
        case RECON_END: end_groups(r); break;
        case RECON_DOWN: end_nodes(r); break;
        case RECON_FINISH: end_jobs(r); break;
        default:
            for (uint64_t i = 0; i < r->in->n; i++) see_row(r, i);
        }
    }
}

/* ---- Life ---- */

/* The next `n` items of a block of memory that is zero; or its size so far. */
static size_t block_part(engine_recon *r, size_t at, void *where, size_t n,
                         size_t size)
{
    if (r->block) {
        void *part = (char *)r->block + at;
        memcpy(where, &part, sizeof part);
    }
    return at + (n * size + 7) / 8 * 8;
}

static size_t lay_recon(engine_recon *r)
{
    const sked_engine *e = r->e;
    size_t rows = (size_t)r->in->n + 1, at = 0;

    at = block_part(r, at, &r->runs, rows, sizeof *r->runs);
    at = block_part(r, at, &r->want, e->nodes.n, sizeof *r->want);
    at = block_part(r, at, &r->cover, e->nodes.n, sizeof *r->cover);
    at = block_part(r, at, &r->said, e->nodes.n, sizeof *r->said);
    at = block_part(r, at, &r->first_run, rows, sizeof *r->first_run);
    at = block_part(r, at, &r->next_run, rows, sizeof *r->next_run);
    at = block_part(r, at, &r->first_soft, rows, sizeof *r->first_soft);
    at = block_part(r, at, &r->first_said, rows, sizeof *r->first_said);
    at = block_part(r, at, &r->seen, rows, sizeof *r->seen);
    at = block_part(r, at, &r->terms, rows, sizeof *r->terms);
    at = block_part(r, at, &r->values, rows, sizeof *r->values);
    at = block_part(r, at, &r->soft, rows, 1);
    at = block_part(r, at, &r->pools, SKED_MAX_PARTITIONS, 1);
    at = block_part(r, at, &r->drains, rows, 1);
    at = block_part(r, at, &r->withdrawn, rows, 1);
    at = block_part(r, at, &r->says, rows, 1);
    at = block_part(r, at, &r->node_goes, e->nodes.n, 1);
    at = block_part(r, at, &r->odd, e->nodes.n, 1);
    at = block_part(r, at, &r->job_ends, e->jobs.n, 1);
    return block_part(r, at, &r->ask_ends, e->asks.n, 1);
}

static int open_recon(engine_recon *r)
{
    size_t stride = r->in->stride ? r->in->stride : sizeof(sked_event);
    skedi_keymap *maps[] = {&r->nodes, &r->jobs, &r->asks};

    memcpy(&r->items, &r->in->events, sizeof r->items);
    for (int i = 0; i < 3; i++) {
        skedi_keymap_start(maps[i], &r->items, stride,
                           offsetof(sked_event, key));
    }
    r->bytes = lay_recon(r);
    r->block = skedi_new(&r->e->hooks.mem, r->bytes, 1);
    if (r->block) (void)lay_recon(r);
    return r->block != NULL;
}

static void close_recon(engine_recon *r)
{
    skedi_mem *mem = &r->e->hooks.mem;

    skedi_keymap_free(&r->nodes, mem);
    skedi_keymap_free(&r->jobs, mem);
    skedi_keymap_free(&r->asks, mem);
    skedi_free(mem, r->block, r->bytes, 1);
}

static sked_status reconcile(engine_recon *r, sked_engine_difference *out,
                             size_t cap, size_t *n, sked_error *err)
{
    if (!open_recon(r)) {
        return skedi_fail_memory(err);
    }
    sked_status rc = skedi_recon_read(r, err);
    if (rc == SKED_OK) {
        judge_engine(r);
        rc = skedi_recon_check_new(r, err);
    }
    if (rc == SKED_OK) {
        compare(r, NULL);
        *n = r->n;
        if (r->n <= cap) {
            compare(r, out);
        } else {
            rc = skedi_fail_plain(err, SKED_ERR_RANGE,
                                  "more differs than fits");
        }
    }
    close_recon(r);
    return rc;
}

sked_status sked_engine_reconcile(sked_engine *engine, const sked_events *truth,
                                  sked_engine_difference *differences,
                                  size_t cap, size_t *n, sked_error *err)
{
    sked_events batch;
    sked_error own;

    const char *missing = !engine               ? "engine"
                          : !truth              ? "truth"
                          : !n                  ? "n"
                          : cap && !differences ? "differences"
                                                : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (!err) err = &own;
    sked_status rc = skedi_busy_enter(engine, err);
    if (rc != SKED_OK) return rc;
    rc = skedi_events_in(truth, &batch, err);
    if (rc == SKED_OK && batch.n > INT32_MAX) {
        rc = skedi_fail_plain(err, SKED_ERR_RANGE, "too many rows");
    }
    if (rc == SKED_OK) {
        engine_recon r = {.e = engine, .in = &batch, .now = engine->now};
        rc = reconcile(&r, differences, cap, n, err);
    }
    return skedi_busy_leave(engine, rc);
}
