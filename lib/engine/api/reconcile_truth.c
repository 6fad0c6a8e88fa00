/* The rows of a host's truth: each thing by its key, what runs beside its
 * ask. */
#include "base/fail.h"
#include "engine/api/reconcile.h"
#include "engine/api/apply.h"
#include "engine/work.h"
#include "engine/budget.h"
#include "engine/columns.h"
#include "tree/image.h"

static sked_status wrong(sked_error *err, sked_status rc, const char *what,
                         uint64_t row)
{
    return skedi_fail(err, rc, what, (skedi_fault){.row = (int64_t)row + 1});
}

/* The map of rows of one kind, or NULL for what has no key of its own. */
static skedi_keymap *map_of(engine_recon *r, int32_t kind)
{
    return kind == SKED_EVENT_NODE_UP      ? &r->nodes
           : kind == SKED_EVENT_JOB_SUBMIT ? &r->jobs
           : kind == SKED_EVENT_ASK_ADD    ? &r->asks
                                           : NULL;
}

/* Rows by key, and the latest time. */
static sked_status index_row(engine_recon *r, uint64_t row, sked_error *err)
{
    const sked_event *event = skedi_event_at(r->in, row);
    skedi_keymap *map = map_of(r, event->kind);

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
                   skedi_recon_is_said(event) || skedi_recon_is_trait(event);
        if (fits) return SKED_OK;
        return wrong(err, SKED_ERR_ARG, "no row of a truth", row);
    }
    if (!event->key) return wrong(err, SKED_ERR_ARG, "no key", row);
    if (event->kind == SKED_EVENT_NODE_UP && event->places) {
        return wrong(err, SKED_ERR_ARG, "attributes have a row of their own",
                     row);
    }
    if (skedi_keymap_get(map, event->key) != SKEDI_NONE) {
        return wrong(err, SKED_ERR_EXISTS, "a key of two rows", row);
    }
    if (!skedi_keymap_reserve(map, &r->e->hooks.mem, map->n + 1)) {
        return wrong(err, SKED_ERR_NOMEM, "no memory to compare", row);
    }
    skedi_keymap_put(map, event->key, (uint32_t)row);
    return SKED_OK;
}

static sked_status link_job(const engine_recon *r, uint64_t row,
                            sked_error *err)
{
    const sked_event *event = skedi_event_at(r->in, row);
    uint32_t at = skedi_image_row(skedi_tree_image(r->e->tree), event->queue);
    uint32_t charged[SKED_MAX_LIMIT_TREES];

    if (at == SKEDI_NO_ROW || !row_is_leaf(r->e, at)) {
        return wrong(err, SKED_ERR_STALE, "no such queue", row);
    }
    if (skedi_charge_in(r->e, r->in, event, charged, NULL) == SKED_OK) {
        return SKED_OK;
    }
    return wrong(err, SKED_ERR_STALE, "no such queue of a limit tree", row);
}

static sked_status link_ask(const engine_recon *r, uint64_t row,
                            sked_error *err)
{
    const sked_event *event = skedi_event_at(r->in, row);

    if (skedi_keymap_get(&r->jobs, event->owner) == SKEDI_NONE) {
        return wrong(err, SKED_ERR_NOT_FOUND, "no such job", row);
    }
    if (event->count < skedi_ask_least(event) || event->count > INT32_MAX) {
        return wrong(err, SKED_ERR_RANGE, "count is out of range", row);
    }
    if (event->places > r->in->n_places) {
        return wrong(err, SKED_ERR_ARG, "no such row of places", row);
    }
    return SKED_OK;
}

/* What runs, beside its ask. */
static sked_status link_run(engine_recon *r, uint64_t row, sked_error *err)
{
    const sked_event *event = skedi_event_at(r->in, row);
    uint32_t ask = skedi_keymap_get(&r->asks, event->owner);

    if (ask == SKEDI_NONE) {
        return wrong(err, SKED_ERR_NOT_FOUND, "no such ask", row);
    }
    if (skedi_keymap_get(&r->nodes, event->key) == SKEDI_NONE) {
        return wrong(err, SKED_ERR_NOT_FOUND, "no such node", row);
    }
    const sked_event *of = skedi_event_at(r->in, ask);
    if (event->count < 1 || event->count > of->count - r->runs[ask]) {
        return wrong(err, SKED_ERR_RANGE, "more runs than the ask has", row);
    }
    int whole = (of->flags & (SKED_ASK_GANG | SKED_ASK_SPREAD)) ==
                SKED_ASK_GANG;
    if (whole && event->count != of->count) {
        return wrong(err, SKED_ERR_STATE, "a gang runs as a whole", row);
    }
    if (of->flags & SKED_ASK_EXCLUSIVE && event->amount > 0) {
        return wrong(err, SKED_ERR_STATE, "the task holds all of its node",
                     row);
    }
    if (of->flags & SKED_ASK_EXCLUSIVE && event->count > 1 &&
        skedi_event_gang(r->in, of).per_node <= 1) {
        return wrong(err, SKED_ERR_RANGE, "one task has a node to itself", row);
    }
    r->runs[ask] += event->count;
    r->next_run[row] = r->first_run[ask];
    r->first_run[ask] = (uint32_t)row;
    return SKED_OK;
}

/* Marks the row that a key is of. */
static sked_status mark(const skedi_keymap *map, uint8_t *marks, uint64_t key,
                        uint64_t row, sked_error *err)
{
    uint32_t of = skedi_keymap_get(map, key);

    if (of == SKEDI_NONE) {
        return wrong(err, SKED_ERR_NOT_FOUND, "a key of no row", row);
    }
    marks[of] = 1;
    return SKED_OK;
}

/* From the last row to the first, so that lists of runs are in order. */
static sked_status link_row(engine_recon *r, uint64_t row, sked_error *err)
{
    const sked_event *event = skedi_event_at(r->in, row);
    const int64_t *amounts;
    sked_status rc = SKED_OK;

    if (event->kind == SKED_EVENT_TASK_RUNNING) return link_run(r, row, err);
    if (event->kind == SKED_EVENT_JOB_SUBMIT) return link_job(r, row, err);
    if (skedi_recon_is_trait(event)) return skedi_recon_link_trait(r, row, err);
    if (skedi_recon_is_said(event)) return skedi_recon_link_said(r, row, err);
    if (event->kind == SKED_EVENT_POOL) {
        return skedi_recon_link_pool(r, row, err);
    }
    if (event->kind == SKED_EVENT_NODE_DRAIN) {
        return mark(&r->nodes, r->drains, event->key, row, err);
    }
    if (event->kind == SKED_EVENT_ASK_WITHDRAW) {
        return mark(&r->asks, r->withdrawn, event->key, row, err);
    }
    if (event->kind == SKED_EVENT_ASK_ADD) rc = link_ask(r, row, err);
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
        rc = index_row(r, i, err);
    }
    for (uint64_t i = r->in->n; i-- > 0 && rc == SKED_OK;) {
        rc = link_row(r, i, err);
    }
    for (uint64_t i = 0; i < r->in->n && rc == SKED_OK; i++) {
        rc = skedi_recon_check_said(r, i, err);
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
