/* What the host says, and what is decided of it. Passes: ref_engine_pick.c */
#include "ref_engine.h"

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/hash.h"
#include "queue/attr.h"
#include "queue/image.h"

void *ref_engine_more(void *items, size_t *n, size_t size)
{
    char *moved = realloc(items, (*n + 1) * size);

    if (!moved) abort();
    memset(moved + *n * size, 0, size);
    ++*n;
    return moved;
}

int64_t ref_engine_open(const ref_ask *ask)
{
    int64_t open = 0;

    for (size_t i = 0; i < ask->n_ranges; i++) open += ask->ranges[i].count;
    return open;
}

ref_tag *ref_engine_tag(ref_engine *r, sked_queue_id queue)
{
    for (size_t i = 0; i < r->tags; i++) {
        if (r->tag[i].queue == queue) return &r->tag[i];
    }
    ref_tag *tag = MORE(r, tag, tags);
    tag->queue = queue;
    return tag;
}

int ref_engine_is_full(const ref_engine *r)
{
    return r->n_out - r->taken >= r->opts.max_untaken;
}

sked_decision *ref_engine_decide(ref_engine *r, sked_decision d)
{
    sked_decision *at = MORE(r, out, n_out);

    *at = d;
    at->sequence = r->n_out;
    at->time = r->now;
    return at;
}

void ref_engine_capacity(const ref_engine *r, uint32_t partition,
                         int64_t *capacity)
{
    memset(capacity, 0, r->kinds * sizeof *capacity);
    for (size_t i = 0; i < r->nodes; i++) {
        if (r->node[i].gone || r->node[i].partition != partition) continue;
        for (uint32_t k = 0; k < r->kinds; k++) {
            capacity[k] += r->node[i].capacity[k];
        }
    }
}

void ref_engine_free_on(const ref_engine *r, size_t node, int64_t *amounts)
{
    memcpy(amounts, r->node[node].capacity, r->kinds * sizeof *amounts);
    for (size_t i = 0; i < r->groups; i++) {
        const ref_group *g = &r->group[i];
        if (g->state == REF_OVER || g->node != node) continue;
        for (uint32_t k = 0; k < r->kinds; k++) {
            amounts[k] -= r->ask[g->ask].task[k] * g->count;
        }
    }
}

void ref_engine_usage(const ref_engine *r, uint32_t row, uint32_t partition,
                      int64_t *usage)
{
    memset(usage, 0, r->kinds * sizeof *usage);
    for (size_t i = 0; i < r->groups; i++) {
        const ref_group *g = &r->group[i];
        const ref_ask *a = &r->ask[g->ask];
        if (g->state == REF_OVER ||
            (partition != SKED_ANY_PARTITION &&
             r->node[g->node].partition != partition) ||
            !ref_engine_runs_below(r, &r->job[a->job], row)) {
            continue;
        }
        for (uint32_t k = 0; k < r->kinds; k++) {
            usage[k] += a->task[k] * g->count;
        }
    }
}

ref_engine *ref_engine_new(const sked_tree *tree,
                           const sked_engine_options *opts)
{
    ref_engine *r = calloc(1, sizeof *r);

    if (!r || sked_tree_copy(tree, NULL, &r->tree, NULL) != SKED_OK) abort();
    if (opts) r->opts = *opts;
    if (!r->opts.max_untaken) r->opts.max_untaken = 1048576;
    r->kinds = skedi_tree_image(tree)->kinds;
    r->now = INT64_MIN;
    r->resume = SIZE_MAX;
    if (r->kinds > REF_KINDS) abort();
    return r;
}

void ref_engine_free(ref_engine *r)
{
    for (size_t i = 0; i < r->asks; i++) {
        free(r->ask[i].ranges);
        free(r->ask[i].places);
    }
    void *rooms[] = {r->node,    r->job,  r->ask, r->group, r->slot,
                     r->refusal, r->user, r->tag, r->out};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) free(rooms[i]);
    sked_tree_free(r->tree);
    free(r);
}

/* ---- Admission ---- */

static uint64_t running_in(const ref_engine *r, uint32_t row)
{
    uint64_t n = 0;

    for (size_t i = 0; i < r->jobs; i++) {
        n += r->job[i].state == REF_RUNS &&
             ref_engine_runs_below(r, &r->job[i], row);
    }
    return n;
}

static int may_admit(const ref_engine *r, const ref_job *job)
{
    const skedi_image *image = skedi_tree_image(r->tree);
    uint64_t users = 0;

    for (size_t i = 0; i < r->jobs; i++) {
        users += r->job[i].state == REF_RUNS && r->job[i].user == job->user;
    }
    if (r->opts.max_user_running && users >= r->opts.max_user_running) return 0;
    for (int32_t row = (int32_t)skedi_image_row(image, job->queue); row >= 0;
         row = image->parent[row]) {
        int64_t most = skedi_image_effective(image, SKEDI_AT_MAX_RUNNING,
                                             (uint32_t)row);
        if (image->state[row] == SKED_STATE_DRAINING ||
            (int64_t)running_in(r, (uint32_t)row) >= most) {
            return 0;
        }
    }
    return 1;
}

static int64_t tier_of(const ref_engine *r, const ref_job *job)
{
    const skedi_image *image = skedi_tree_image(r->tree);
    int64_t tier = skedi_image_effective(image,
                                         SKED_QUEUE_TIER - SKED_QUEUE_WEIGHT,
                                         skedi_image_row(image, job->queue));

    return tier ? tier : INT64_MAX;
}

static int goes_before(const ref_engine *r, const ref_job *a, const ref_job *b)
{
    int64_t x = tier_of(r, a), y = tier_of(r, b);

    if (x != y) return x < y;
    if (a->priority != b->priority) return a->priority > b->priority;
    if (a->submitted != b->submitted) return a->submitted < b->submitted;
    return a < b;
}

static void admit(ref_engine *r)
{
    for (;;) {
        ref_job *best = NULL;
        if (ref_engine_is_full(r)) return;
        for (size_t i = 0; i < r->jobs; i++) {
            ref_job *job = &r->job[i];
            if (job->state != REF_WAITS || !may_admit(r, job)) continue;
            if (!best || goes_before(r, job, best)) best = job;
        }
        if (!best) return;
        best->state = REF_RUNS;
        (void)ref_engine_decide(r, (sked_decision){.kind = SKED_DECIDE_ADMIT,
                                                   .reason = SKED_REASON_ORDER,
                                                   .job = best->key,
                                                   .queue = best->queue,
                                                   .kind_at = -1});
        ref_engine_work(r, best, 1);
    }
}

/* ---- Nodes ---- */

static size_t node_with(const ref_engine *r, uint64_t key)
{
    for (size_t i = 0; i < r->nodes; i++) {
        if (!r->node[i].gone && r->node[i].key == key) return i;
    }
    return SIZE_MAX;
}

static const int64_t *amounts_of(const ref_engine *r, const sked_events *batch,
                                 const sked_event *event, sked_status *rc)
{
    *rc = SKED_ERR_ARG;
    if (event->amount == 0 || event->amount > batch->n_amounts) return NULL;
    const int64_t *row = batch->amounts + (event->amount - 1) * r->kinds;
    *rc = SKED_ERR_RANGE;
    for (uint32_t k = 0; k < r->kinds; k++) {
        if (row[k] < 0 || row[k] > SKED_AMOUNT_MAX) return NULL;
    }
    *rc = SKED_OK;
    return row;
}

/* Would all capacities, and all that may come to be used, be amounts, had the
 * node (SIZE_MAX: a new one) this capacity? */
static int sums_fit(const ref_engine *r, size_t node, const int64_t *capacity)
{
    int64_t used[REF_KINDS], free[REF_KINDS];

    ref_engine_usage(r, 0, SKED_ANY_PARTITION, used);
    for (uint32_t k = 0; k < r->kinds; k++) {
        uint64_t all = (uint64_t)capacity[k], most = (uint64_t)used[k];
        if (node == SIZE_MAX) most += (uint64_t)capacity[k];
        for (size_t i = 0; i < r->nodes; i++) {
            if (r->node[i].gone) continue;
            ref_engine_free_on(r, i, free);
            if (i == node)
                free[k] += capacity[k] - r->node[i].capacity[k];
            else
                all += (uint64_t)r->node[i].capacity[k];
            most += (uint64_t)skedi_i64_max(free[k], 0);
        }
        if (all > (uint64_t)SKED_AMOUNT_MAX ||
            most > (uint64_t)SKED_AMOUNT_MAX) {
            return 0;
        }
    }
    return 1;
}

static sked_status node_event(ref_engine *r, const sked_events *batch,
                              const sked_event *event)
{
    size_t at = node_with(r, event->key);
    int up = event->kind == SKED_EVENT_NODE_UP;
    sked_status rc;
    const int64_t *amounts;

    if (!up && at == SIZE_MAX) return SKED_ERR_NOT_FOUND;
    if (event->kind == SKED_EVENT_NODE_DRAIN) {
        r->node[at].drains = 1;
        return SKED_OK;
    }
    amounts = amounts_of(r, batch, event, &rc);
    if (!amounts) return rc;
    if (up) {
        if (!event->key) return SKED_ERR_ARG;
        if (event->partition >= SKED_MAX_PARTITIONS) return SKED_ERR_RANGE;
        if (at != SIZE_MAX) return SKED_ERR_EXISTS;
        if (!sums_fit(r, SIZE_MAX, amounts)) return SKED_ERR_RANGE;
        ref_node *node = MORE(r, node, nodes);
        node->key = event->key;
        node->rack = event->owner;
        node->partition = event->partition;
        at = r->nodes - 1;
    }
    if (!up && !sums_fit(r, at, amounts)) return SKED_ERR_RANGE;
    memcpy(r->node[at].capacity, amounts, r->kinds * sizeof *amounts);
    r->node[at].drains = 0;
    r->node[at].changes++;
    return SKED_OK;
}

static sked_status node_down(ref_engine *r, const sked_event *event)
{
    size_t at = node_with(r, event->key);

    if (at == SIZE_MAX) return SKED_ERR_NOT_FOUND;
    for (size_t i = r->groups; i-- > 0;) {
        const ref_group *g = &r->group[i];
        if (g->state == REF_OVER || g->node != at) continue;
        const ref_job *job = &r->job[r->ask[g->ask].job];
        (void)ref_engine_decide(
            r, (sked_decision){.kind = SKED_DECIDE_LOST,
                               .reason = SKED_REASON_NODE_LOST,
                               .job = job->key,
                               .ask = r->ask[g->ask].key,
                               .node = event->key,
                               .group = g->name,
                               .task = g->task,
                               .count = g->count,
                               .queue = job->queue,
                               .kind_at = -1,
                               .partition = r->node[at].partition});
        ref_engine_end(r, i, g->count, 1, 1);
    }
    if (r->resume == at) r->resume = SIZE_MAX;
    r->node[at].gone = 1;
    return SKED_OK;
}

/* ---- Jobs ---- */

static size_t job_with(const ref_engine *r, uint64_t key)
{
    for (size_t i = 0; i < r->jobs; i++) {
        if (r->job[i].state != REF_FORGOTTEN && r->job[i].key == key) return i;
    }
    return SIZE_MAX;
}

static sked_status leaf_of(const ref_engine *r, sked_queue_id queue)
{
    const skedi_image *image = skedi_tree_image(r->tree);
    uint32_t row = skedi_image_row(image, queue);

    if (row == SKEDI_NO_ROW) return SKED_ERR_STALE;
    return skedi_image_is_leaf(image, row) ? SKED_OK : SKED_ERR_ARG;
}

static sked_status job_submit(ref_engine *r, const sked_event *event)
{
    if (!event->key || event->owner == UINT64_MAX ||
        event->flags &
            ~(uint32_t)(SKED_JOB_RETRY | SKED_JOB_FIXED | SKED_JOB_KEEPS)) {
        return SKED_ERR_ARG;
    }
    if (job_with(r, event->key) != SIZE_MAX) return SKED_ERR_EXISTS;
    sked_status rc = leaf_of(r, event->queue);
    if (rc != SKED_OK) return rc;
    ref_job *job = MORE(r, job, jobs);
    job->key = event->key;
    job->user = event->owner;
    job->submitted = r->now;
    job->queue = event->queue;
    job->priority = event->priority;
    job->flags = event->flags;
    return SKED_OK;
}

/* Out of the old leaf, then into the new one. */
static sked_status job_update(ref_engine *r, const sked_event *event)
{
    size_t at = job_with(r, event->key);

    if (at == SIZE_MAX || r->job[at].state == REF_ENDED) {
        return SKED_ERR_NOT_FOUND;
    }
    ref_job *job = &r->job[at];
    if (!event->queue) {
        job->priority = event->priority;
        return SKED_OK;
    }
    sked_status rc = leaf_of(r, event->queue);
    if (rc != SKED_OK || job->queue == event->queue) return rc;
    int state = job->state;
    job->state = REF_WAITS;
    ref_engine_work(r, job, 1);
    job->queue = event->queue;
    job->state = state;
    ref_engine_work(r, job, 1);
    return SKED_OK;
}

static int runs_anything(const ref_engine *r, size_t job)
{
    for (size_t i = 0; i < r->groups; i++) {
        if (r->group[i].state != REF_OVER &&
            r->ask[r->group[i].ask].job == job) {
            return 1;
        }
    }
    return 0;
}

static void job_over(ref_engine *r, size_t job)
{
    r->job[job].state = REF_ENDED;
    for (size_t i = 0; i < r->asks; i++) {
        if (r->ask[i].job == job && !r->ask[i].forgotten) {
            ref_engine_close(r, i);
        }
    }
    ref_engine_work(r, &r->job[job], 1);
    if (!runs_anything(r, job)) r->job[job].state = REF_FORGOTTEN;
}

static void kill_groups(ref_engine *r, size_t ask)
{
    for (size_t i = r->groups; i-- > 0;) {
        ref_group *g = &r->group[i];
        if (g->state == REF_OVER || g->ask != ask) continue;
        const ref_job *job = &r->job[r->ask[ask].job];
        g->state = REF_KILLED;
        (void)ref_engine_decide(
            r, (sked_decision){.kind = SKED_DECIDE_KILL,
                               .reason = SKED_REASON_CANCELLED,
                               .job = job->key,
                               .ask = r->ask[ask].key,
                               .node = r->node[g->node].key,
                               .group = g->name,
                               .task = g->task,
                               .count = g->count,
                               .queue = job->queue,
                               .kind_at = -1,
                               .partition = r->node[g->node].partition});
    }
}

static sked_status job_end(ref_engine *r, const sked_event *event)
{
    size_t at = job_with(r, event->key);

    if (at == SIZE_MAX || r->job[at].state == REF_ENDED) {
        return SKED_ERR_NOT_FOUND;
    }
    if (event->kind == SKED_EVENT_JOB_FINISH && runs_anything(r, at)) {
        return SKED_ERR_STATE;
    }
    for (size_t i = r->asks; i-- > 0;) {
        if (r->ask[i].job == at && !r->ask[i].forgotten) kill_groups(r, i);
    }
    job_over(r, at);
    return SKED_OK;
}

/* ---- Asks ---- */

static size_t ask_with(const ref_engine *r, uint64_t key)
{
    for (size_t i = 0; i < r->asks; i++) {
        if (!r->ask[i].forgotten && r->ask[i].key == key) return i;
    }
    return SIZE_MAX;
}

static int fits_step(const ref_engine *r, const ref_ask *a, const int64_t *room)
{
    for (uint32_t k = 0; k < r->kinds; k++) {
        if (a->step[k] > 0 && a->step[k] > room[k]) return 0;
    }
    return 1;
}

/* The lowest queue on the path whose limit, in amounts, is below one step. */
static int32_t never_below(const ref_engine *r, const ref_ask *a)
{
    const skedi_image *image = skedi_tree_image(r->tree);
    int32_t row = (int32_t)skedi_image_row(image, r->job[a->job].queue);

    for (; row >= 0; row = image->parent[row]) {
        const int64_t *parts = image->number[SKEDI_AT_GUARANTEE_PPM];
        int64_t most[REF_KINDS];
        for (uint32_t k = 0; k < r->kinds; k++) {
            const int64_t *limit = skedi_image_amounts(image, SKEDI_AT_LIMIT,
                                                       k);
            const int64_t *borrow = skedi_image_amounts(image, SKEDI_AT_BORROW,
                                                        k);
            const int64_t *own = skedi_image_amounts(image, SKEDI_AT_GUARANTEE,
                                                     k);
            int amounts = !parts || parts[row] == SKED_UNSET;
            most[k] = limit ? limit[row] : SKED_UNLIMITED;
            if (row == 0 || !amounts || !borrow ||
                borrow[row] == SKED_UNLIMITED) {
                continue;
            }
            most[k] = skedi_i64_min(most[k],
                                    borrow[row] + (own ? own[row] : 0));
        }
        if (!fits_step(r, a, most)) return row;
    }
    return -1;
}

static int some_node_fits(const ref_engine *r, const ref_ask *a)
{
    int any = 0;

    for (size_t i = 0; i < r->nodes; i++) {
        const ref_node *node = &r->node[i];
        if (node->gone || (a->partition != SKED_ANY_PARTITION &&
                           a->partition != node->partition)) {
            continue;
        }
        any = 1;
        if (fits_step(r, a, node->capacity)) return 1;
    }
    return !any;
}

/* All that a job has and wants, with `more` tasks of this, as amounts. */
static int is_amount(const ref_engine *r, size_t job, const int64_t *task,
                     int64_t more)
{
    for (uint32_t k = 0; k < r->kinds; k++) {
        int64_t sum = 0, product;
        for (size_t i = 0; i < r->asks; i++) {
            if (r->ask[i].job == job) {
                sum += r->ask[i].task[k] * ref_engine_open(&r->ask[i]);
            }
        }
        for (size_t i = 0; i < r->groups; i++) {
            const ref_group *g = &r->group[i];
            if (g->state == REF_OVER || r->ask[g->ask].job != job) continue;
            sum += r->ask[g->ask].task[k] * g->count;
        }
        if (!skedi_i64_mul(task[k], more, &product) ||
            product > SKED_AMOUNT_MAX - sum) {
            return 0;
        }
    }
    return 1;
}

static sked_status check_ask(const ref_engine *r, const sked_events *batch,
                             const sked_event *event)
{
    int any = event->partition == SKED_ANY_PARTITION;

    if (!event->key) return SKED_ERR_ARG;
    if (ask_with(r, event->key) != SIZE_MAX) return SKED_ERR_EXISTS;
    if (event->flags &
        ~(uint32_t)(SKED_ASK_GANG | SKED_ASK_STRICT | SKED_ASK_MASTER)) {
        return SKED_ERR_ARG;
    }
    if (event->count < 1 || event->count > INT32_MAX) return SKED_ERR_RANGE;
    if (!any && event->partition >= SKED_MAX_PARTITIONS) return SKED_ERR_RANGE;
    if (event->places > batch->n_places) return SKED_ERR_ARG;
    return SKED_OK;
}

static void reject(ref_engine *r, size_t ask, int32_t reason, int32_t row)
{
    const ref_ask *a = &r->ask[ask];
    sked_queue_id queue = r->job[a->job].queue;

    if (row >= 0) queue = skedi_tree_image(r->tree)->id[row];
    (void)ref_engine_decide(r, (sked_decision){.kind = SKED_DECIDE_REJECT,
                                               .reason = reason,
                                               .job = r->job[a->job].key,
                                               .ask = a->key,
                                               .queue = queue,
                                               .kind_at = -1});
    ref_engine_close(r, ask);
}

/* Numbers that are new go behind those that are open. */
static void open_new(ref_engine *r, size_t ask, int64_t count)
{
    ref_ask *a = &r->ask[ask];
    int none = ref_engine_open(a) == 0;

    a->ranges = ref_engine_more(a->ranges, &a->n_ranges, sizeof *a->ranges);
    a->ranges[a->n_ranges - 1] = (ref_range){r->job[a->job].tasks, count};
    r->job[a->job].tasks += count;
    if (none) ref_engine_wait(r, a);
    ref_engine_work(r, &r->job[a->job], 1);
}

static void copy_places(ref_ask *a, const sked_events *batch, uint32_t row)
{
    if (row == 0) return;
    int32_t from = batch->place_offsets[row - 1];
    a->n_places = (size_t)(batch->place_offsets[row] - from);
    a->places = malloc((a->n_places + 1) * sizeof *a->places);
    if (!a->places) abort();
    memcpy(a->places, batch->places + from, a->n_places * sizeof *a->places);
}

static sked_status ask_add(ref_engine *r, const sked_events *batch,
                           const sked_event *event)
{
    sked_status rc = check_ask(r, batch, event);
    size_t job = job_with(r, event->owner);

    if (rc != SKED_OK) return rc;
    if (job == SIZE_MAX || r->job[job].state == REF_ENDED) {
        return SKED_ERR_NOT_FOUND;
    }
    const int64_t *task = amounts_of(r, batch, event, &rc);
    if (!task) return rc;
    if (!is_amount(r, job, task, event->count)) return SKED_ERR_RANGE;
    ref_ask *a = MORE(r, ask, asks);
    size_t at = r->asks - 1;
    a->key = event->key;
    a->job = job;
    a->partition = event->partition;
    a->priority = event->priority;
    a->flags = event->flags;
    int64_t times = event->flags & SKED_ASK_GANG ? event->count : 1;
    for (uint32_t k = 0; k < r->kinds; k++) {
        a->task[k] = task[k];
        a->step[k] = task[k] * times;
    }
    copy_places(a, batch, event->places);
    int32_t row = never_below(r, a);
    if (row >= 0) {
        reject(r, at, SKED_REASON_NEVER_LIMIT, row);
    } else if (!some_node_fits(r, a)) {
        reject(r, at, SKED_REASON_NEVER_NODE, -1);
    } else {
        open_new(r, at, event->count);
    }
    return SKED_OK;
}

static sked_status ask_change(ref_engine *r, const sked_event *event)
{
    size_t at = ask_with(r, event->key);

    if (at == SIZE_MAX || r->ask[at].closed) return SKED_ERR_NOT_FOUND;
    ref_ask *a = &r->ask[at];
    if (event->kind == SKED_EVENT_ASK_WITHDRAW) {
        ref_engine_close(r, at);
        return SKED_OK;
    }
    if (event->count < 0 || event->count > INT32_MAX) return SKED_ERR_RANGE;
    if (a->flags & SKED_ASK_GANG) return SKED_ERR_STATE;
    int64_t more = event->count - ref_engine_open(a);
    if (more > 0 && !is_amount(r, a->job, a->task, more)) return SKED_ERR_RANGE;
    a->changes++;
    if (more > 0) open_new(r, at, more);
    while (more < 0) {
        ref_range *last = &a->ranges[a->n_ranges - 1];
        int64_t gone = skedi_i64_min(last->count, -more);
        last->count -= gone;
        more += gone;
        if (last->count == 0) a->n_ranges--;
    }
    ref_engine_work(r, &r->job[a->job], 1);
    return SKED_OK;
}

/* ---- All of it ---- */

static void heartbeat(ref_engine *r, size_t node)
{
    r->beats[r->node[node].partition]++;
    r->all_beats++;
    (void)ref_engine_fill(r, node, UINT64_MAX);
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
    case SKED_EVENT_NODE_DRAIN: return node_event(r, batch, event);
    case SKED_EVENT_NODE_DOWN: return node_down(r, event);
    case SKED_EVENT_HEARTBEAT:
        node = node_with(r, event->key);
        if (node == SIZE_MAX) return SKED_ERR_NOT_FOUND;
        heartbeat(r, node);
        return SKED_OK;
    case SKED_EVENT_JOB_SUBMIT: return job_submit(r, event);
    case SKED_EVENT_JOB_UPDATE: return job_update(r, event);
    case SKED_EVENT_JOB_CANCEL:
    case SKED_EVENT_JOB_FINISH: return job_end(r, event);
    case SKED_EVENT_ASK_ADD: return ask_add(r, batch, event);
    case SKED_EVENT_ASK_CHANGE:
    case SKED_EVENT_ASK_WITHDRAW: return ask_change(r, event);
    case SKED_EVENT_TASK_CONFIRM:
    case SKED_EVENT_TASK_REFUSE:
    case SKED_EVENT_TASK_FINISH:
    case SKED_EVENT_TASK_FAIL:
    case SKED_EVENT_TASK_LOST:
    case SKED_EVENT_TASK_KILLED:
    case SKED_EVENT_TASK_SAVED: return ref_engine_task(r, event);
    }
    return SKED_ERR_ARG;
}

sked_status ref_engine_event(ref_engine *r, const sked_events *batch,
                             const sked_event *event)
{
    if (ref_engine_is_full(r)) return SKED_STOPPED;
    admit(r);
    ref_engine_expire(r, event->time);
    sked_time before = r->now;
    r->now = skedi_i64_max(r->now, event->time);
    sked_status rc = apply(r, batch, event);
    if (rc == SKED_OK)
        admit(r);
    else
        r->now = before;
    return rc;
}

sked_status ref_engine_pass(ref_engine *r, sked_time now, uint64_t budget)
{
    uint64_t before = r->n_out;

    admit(r);
    ref_engine_expire(r, now);
    r->now = skedi_i64_max(r->now, now);
    for (size_t i = r->resume == SIZE_MAX ? 0 : r->resume; i < r->nodes; i++) {
        uint64_t made = r->n_out - before;
        if (r->node[i].gone) continue;
        if (ref_engine_fill(r, i, budget ? budget - made : UINT64_MAX)) {
            r->resume = i;
            return SKED_STOPPED;
        }
    }
    r->resume = SIZE_MAX;
    return SKED_OK;
}

sked_status ref_engine_commit(ref_engine *r, const sked_tree *tree,
                              sked_time now)
{
    const skedi_image *next = skedi_tree_image(tree);
    const skedi_image *old = skedi_tree_image(r->tree);

    for (size_t i = 0; i < r->jobs; i++) {
        uint32_t row = skedi_image_row(next, r->job[i].queue);
        if (r->job[i].state == REF_FORGOTTEN) continue;
        if (row == SKEDI_NO_ROW || !skedi_image_is_leaf(next, row)) {
            return SKED_ERR_STATE;
        }
    }
    for (uint32_t row = 1; row < old->n; row++) {
        uint32_t to = skedi_image_row(next, old->id[row]);
        if (to == SKEDI_NO_ROW ||
            old->id[old->parent[row]] == next->id[next->parent[to]]) {
            continue;
        }
        ref_tag up = *ref_engine_tag(r, next->id[next->parent[to]]);
        memcpy(ref_engine_tag(r, old->id[row])->tag, up.level, sizeof up.level);
    }
    sked_tree_free(r->tree);
    if (sked_tree_copy(tree, NULL, &r->tree, NULL) != SKED_OK) abort();
    for (size_t i = 0; i < r->tags; i++) {
        memset(r->tag[i].work, 0, sizeof r->tag[i].work);
    }
    for (size_t i = 0; i < r->jobs; i++) {
        if (r->job[i].state == REF_RUNS) ref_engine_work(r, &r->job[i], 0);
    }
    r->now = skedi_i64_max(r->now, now);
    admit(r);
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
