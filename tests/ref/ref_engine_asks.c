/* Asks: how many alike tasks of a job are wanted, and where. */
#include "ref_engine_forms.h"
#include "ref_engine.h"
#include "ref_engine_sums.h"
#include "ref_engine_alone.h"

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "tree/attr.h"
#include "tree/image.h"

enum {
    MODES = SKED_ASK_PLACE_FIRST | SKED_ASK_PLACE_PACK | SKED_ASK_PLACE_SPREAD |
            SKED_ASK_PLACE_FRAGMENT | SKED_ASK_PLACE_SCORE
};

size_t ref_engine_ask(const ref_engine *r, uint64_t key)
{
    for (size_t i = 0; i < r->asks; i++) {
        if (!r->ask[i].forgotten && r->ask[i].key == key) return i;
    }
    return SIZE_MAX;
}

static int fits_step(const ref_engine *r, const ref_ask *a, const int64_t *left)
{
    for (uint32_t k = 0; k < r->kinds; k++) {
        if (a->step[k] > 0 && a->step[k] > left[k]) return 0;
    }
    return 1;
}

/* The lowest queue on the path whose limit, in amounts, is below one step. */
int32_t ref_engine_never_below(const ref_engine *r, const ref_ask *a)
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

int ref_engine_fits_node(const ref_engine *r, const ref_ask *a, size_t node)
{
    int here = a->partition == SKED_ANY_PARTITION ||
               a->partition == r->node[node].partition;

    for (uint32_t k = 0; a->per_node && k < r->kinds; k++) {
        if (a->task[k] > r->node[node].capacity[k]) return 0;
    }
    if (here && a->per_node) {
        return ref_engine_could_form(r, (size_t)(a - r->ask), a->times);
    }
    return here && fits_step(r, a, r->node[node].capacity);
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

/* What a job holds and would want if all that runs of it were open again; but for
 * one group, which may be SIZE_MAX. */
static int64_t job_total(const ref_engine *r, size_t job, size_t but,
                         uint32_t k)
{
    int64_t sum = 0;

    for (size_t i = 0; i < r->asks; i++) {
        if (r->ask[i].job != job) continue;
        sum = skedi_amount_add(sum,
                               r->ask[i].task[k] * ref_engine_open(&r->ask[i]));
    }
    for (size_t i = 0; i < r->groups; i++) {
        const ref_group *g = &r->group[i];
        const ref_ask *a = &r->ask[g->ask];
        if (i == but || g->state == REF_OVER || a->job != job) continue;
        int64_t held = g->amount[k] * ref_engine_times(r, g);
        int64_t again = a->closed ? 0 : a->task[k] * g->count;
        sum = skedi_amount_add(sum, held > again ? held : again);
    }
    return sum;
}

int ref_engine_sum_is_amount(const ref_engine *r, const ref_more *more)
{
    for (uint32_t k = 0; k < r->kinds; k++) {
        int64_t wanted, held = 0;
        if (!skedi_i64_mul(more->asked[k], more->tasks, &wanted)) return 0;
        if (more->held && !skedi_i64_mul(more->held[k], more->times, &held))
            return 0;
        if (held > wanted) wanted = held;
        int64_t there = job_total(r, more->job, more->but, k);
        if (there > SKED_AMOUNT_MAX || wanted > SKED_AMOUNT_MAX) return 0;
        there -= more->asked[k] * more->taken;
        if (wanted > SKED_AMOUNT_MAX - there) return 0;
    }
    return 1;
}

int ref_engine_is_amount(const ref_engine *r, size_t job, const int64_t *task,
                         int64_t more)
{
    const ref_more open = {
        .asked = task, .tasks = more, .job = job, .but = SIZE_MAX};

    return ref_engine_sum_is_amount(r, &open);
}

static sked_status judge_places(const sked_events *batch,
                                const sked_event *event, uint32_t flags)
{
    if (!batch->place_tasks || event->places == 0) return SKED_OK;
    for (int32_t i = batch->place_offsets[event->places - 1];
         i < batch->place_offsets[event->places]; i++) {
        if (flags & SKED_ASK_GANG && batch->place_tasks[i] != INT32_MAX) {
            return SKED_ERR_ARG;
        }
        if (batch->place_tasks[i] > INT32_MAX) return SKED_ERR_RANGE;
    }
    return SKED_OK;
}

static sked_status check_ask(const ref_engine *r, const sked_events *batch,
                             const sked_event *event)
{
    int any = event->partition == SKED_ANY_PARTITION;

    if (!event->key) return SKED_ERR_ARG;
    if (ref_engine_ask(r, event->key) != SIZE_MAX) return SKED_ERR_EXISTS;
    if (event->flags &
        ~(uint32_t)(SKED_ASK_GANG | SKED_ASK_STRICT | SKED_ASK_MASTER |
                    SKED_ASK_KEEP | SKED_ASK_WAIT | SKED_ASK_SPREAD |
                    SKED_ASK_TOGETHER | SKED_ASK_PREFER_SAME |
                    SKED_ASK_EXCLUSIVE | SKED_ASK_EXACT | MODES)) {
        return SKED_ERR_ARG;
    }
    uint32_t modes = 0;
    for (uint32_t flags = event->flags & MODES; flags; flags >>= 1) {
        modes += flags & 1;
    }
    if (modes > 1) return SKED_ERR_ARG;
    uint32_t kind = event->flags & (SKED_ASK_SPREAD | SKED_ASK_GANG);
    if (kind == SKED_ASK_SPREAD) return SKED_ERR_ARG;
    if (event->flags & SKED_ASK_TOGETHER && !(kind & SKED_ASK_SPREAD)) {
        return SKED_ERR_ARG;
    }
    int none = event->flags & SKED_ASK_KEEP && !(kind & SKED_ASK_GANG);
    if (event->count < !none || event->count > INT32_MAX) return SKED_ERR_RANGE;
    if (!any && event->partition >= SKED_MAX_PARTITIONS) return SKED_ERR_RANGE;
    if (event->places > batch->n_places) return SKED_ERR_ARG;
    if (event->flags & SKED_ASK_PREFER_SAME &&
        !(kind & SKED_ASK_SPREAD && batch->gangs && batch->gangs->same)) {
        return SKED_ERR_ARG;
    }
    if (kind & SKED_ASK_SPREAD && batch->gangs) {
        const sked_event_gang *gang = batch->gangs;
        if (gang->per_node > INT32_MAX) return SKED_ERR_RANGE;
        if (gang->at_once > event->count) return SKED_ERR_RANGE;
    }
    if (event->flags & SKED_ASK_EXCLUSIVE && kind) {
        const sked_event_gang *gang = batch->gangs;
        if (!(kind & SKED_ASK_SPREAD)) return SKED_ERR_ARG;
        if (gang && gang->per_node != 1 && gang->at_once &&
            gang->at_once < event->count) {
            return SKED_ERR_ARG;
        }
    }
    if (event->flags & SKED_ASK_EXACT) {
        const sked_event_gang *gang = batch->gangs;
        if (!(kind & SKED_ASK_SPREAD) || !gang) return SKED_ERR_ARG;
        if (gang->per_node == 0 || gang->per_node == INT32_MAX ||
            event->count % gang->per_node || gang->at_once % gang->per_node) {
            return SKED_ERR_ARG;
        }
    }
    return judge_places(batch, event, event->flags);
}

static void reject(ref_engine *r, size_t ask, int32_t reason, int32_t row)
{
    const ref_ask *a = &r->ask[ask];
    sked_queue_id queue = r->job[a->job].queue;

    if (row >= 0) queue = skedi_tree_image(r->tree)->id[row];
    (void)ref_engine_decide(r, (sked_decision){.kind = SKED_DECISION_REJECT,
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
    int64_t from = r->job[a->job].tasks;
    ref_range *last = a->n_ranges ? &a->ranges[a->n_ranges - 1] : NULL;

    if (count == 0) return;
    if (last && last->from + last->count == from) {
        last->count += count;
    } else {
        a->ranges = ref_engine_more(a->ranges, &a->n_ranges, sizeof *a->ranges);
        a->ranges[a->n_ranges - 1] = (ref_range){from, count};
    }
    r->job[a->job].tasks += count;
    if (none) ref_engine_wait(r, a);
}

void ref_engine_forget_places(ref_places *places)
{
    free(places->key);
    free(places->tasks);
    free(places->started);
    *places = (ref_places){0};
}

static void copy_places(ref_places *to, const sked_events *batch, uint32_t row)
{
    ref_engine_forget_places(to);
    if (row == 0) return;
    int32_t from = batch->place_offsets[row - 1];
    to->n = (size_t)(batch->place_offsets[row] - from);
    to->key = malloc((to->n + 1) * sizeof *to->key);
    if (!to->key) abort();
    memcpy(to->key, batch->places + from, to->n * sizeof *to->key);
    if (!batch->place_tasks) return;
    to->tasks = calloc(to->n + 1, sizeof *to->tasks);
    to->started = calloc(to->n + 1, sizeof *to->started);
    if (!to->tasks || !to->started) abort();
    for (size_t i = 0; i < to->n; i++) {
        to->tasks[i] = batch->place_tasks[(size_t)from + i];
    }
}

sked_status ref_engine_places(ref_engine *r, const sked_events *batch,
                              const sked_event *event)
{
    size_t ask = ref_engine_ask(r, event->key);
    int racks = event->kind == SKED_EVENT_ASK_RACKS;

    if (ask == SIZE_MAX || r->ask[ask].closed) return SKED_ERR_NOT_FOUND;
    ref_ask *a = &r->ask[ask];
    if (event->places > batch->n_places) return SKED_ERR_ARG;
    if (event->flags && (racks || event->flags != SKED_ASK_STRICT)) {
        return SKED_ERR_ARG;
    }
    sked_status rc = judge_places(batch, event, a->flags);
    if (rc != SKED_OK) return rc;
    if (!racks) {
        a->flags &= ~(uint32_t)SKED_ASK_STRICT;
        a->flags |= event->flags;
    }
    copy_places(racks ? &a->racks : &a->nodes, batch, event->places);
    return SKED_OK;
}

sked_status ref_engine_ask_add(ref_engine *r, const sked_events *batch,
                               const sked_event *event)
{
    sked_status rc = check_ask(r, batch, event);
    size_t job = ref_engine_job(r, event->owner);

    if (rc != SKED_OK) return rc;
    if (job == SIZE_MAX || r->job[job].state == REF_ENDED) {
        return SKED_ERR_NOT_FOUND;
    }
    const int64_t *task = ref_engine_amounts(r, batch, event, &rc);
    if (!task) return rc;
    int bunch = event->flags & SKED_ASK_EXCLUSIVE &&
                event->flags & SKED_ASK_SPREAD &&
                !(batch->gangs && batch->gangs->per_node == 1);
    for (uint32_t k = 0; bunch && k < r->kinds; k++) {
        if (ref_engine_pooled(r, k) && task[k] > 0) return SKED_ERR_ARG;
    }
    int64_t first = ref_engine_word(batch, event, batch->tasks);
    if (first == SKED_UNSET) first = r->job[job].tasks;
    if (first < r->job[job].tasks || first > SKED_AMOUNT_MAX) {
        return SKED_ERR_RANGE;
    }
    if (!ref_engine_is_amount(r, job, task, event->count)) {
        return SKED_ERR_RANGE;
    }
    if (event->partition != SKED_ANY_PARTITION) {
        ref_engine_name_partition(r, event->partition);
    }
    ref_ask *a = MORE(r, ask, asks);
    size_t at = r->asks - 1;
    a->key = event->key;
    a->job = job;
    a->partition = event->partition;
    a->priority = event->priority;
    a->flags = event->flags;
    a->until = SKED_UNSET;
    int64_t times = event->flags & SKED_ASK_GANG ? event->count : 1;
    a->gang = event->flags & SKED_ASK_GANG ? event->count : 0;
    if (event->flags & SKED_ASK_SPREAD) {
        const sked_event_gang *gang = batch->gangs;
        a->per_node = gang && gang->per_node ? gang->per_node : INT32_MAX;
        if (gang && gang->at_once) times = gang->at_once;
        a->later = event->count - times;
        a->same = gang ? gang->same : 0;
        a->times = times;
    }
    for (uint32_t k = 0; k < r->kinds; k++) {
        a->task[k] = task[k];
        a->step[k] = task[k] * times;
    }
    copy_places(&a->nodes, batch, event->places);
    int32_t row = ref_engine_never_below(r, a);
    int fits = a->per_node ? ref_engine_could_form(r, at, times)
                           : some_node_fits(r, a);
    if (r->opts.flags & SKED_ENGINE_FLAG_WAIT || a->flags & SKED_ASK_WAIT) {
        a->no_limit = row >= 0;
        a->no_node = !fits;
        r->job[job].tasks = first;
        open_new(r, at, event->count);
    } else if (row >= 0) {
        reject(r, at, SKED_REASON_NEVER_LIMIT, row);
    } else if (!fits) {
        reject(r, at, SKED_REASON_NEVER_NODE, -1);
    } else {
        r->job[job].tasks = first;
        open_new(r, at, event->count);
    }
    return SKED_OK;
}

/* The range with the highest numbers. */
static size_t highest_range(const ref_ask *a)
{
    size_t at = 0;

    for (size_t i = 1; i < a->n_ranges; i++) {
        if (a->ranges[i].from > a->ranges[at].from) at = i;
    }
    return at;
}

void ref_engine_drop(ref_ask *a, int64_t count)
{
    while (count > 0) {
        size_t at = highest_range(a);
        ref_range *x = &a->ranges[at];
        int64_t gone = skedi_i64_min(x->count, count);
        x->count -= gone;
        count -= gone;
        if (x->count > 0) continue;
        memmove(x, x + 1, (--a->n_ranges - at) * sizeof *x);
    }
}

sked_status ref_engine_ask_change(ref_engine *r, const sked_event *event)
{
    size_t at = ref_engine_ask(r, event->key);

    if (at == SIZE_MAX || r->ask[at].closed) return SKED_ERR_NOT_FOUND;
    ref_ask *a = &r->ask[at];
    if (event->kind == SKED_EVENT_ASK_WITHDRAW) {
        ref_engine_close(r, at);
        return SKED_OK;
    }
    if (event->count < 0 || event->count > INT32_MAX) return SKED_ERR_RANGE;
    if (a->flags & SKED_ASK_GANG) return SKED_ERR_STATE;
    int64_t more = event->count - ref_engine_open(a);
    if (more > 0 && !ref_engine_is_amount(r, a->job, a->task, more)) {
        return SKED_ERR_RANGE;
    }
    a->changes++;
    if (a->until == SKED_UNSET) a->barred = 0;
    if (more > 0) open_new(r, at, more);
    ref_engine_drop(a, -more);
    ref_engine_settle(r, at);
    return SKED_OK;
}
