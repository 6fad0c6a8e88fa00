/* Asks: how many alike tasks of a job, and where they may run. */
#include "engine/asks.h"

#include "base/fail.h"
#include "engine/books.h"
#include "engine/entries.h"
#include "engine/groups.h"
#include "engine/jobs.h"
#include "engine/open.h"
#include "engine/out.h"
#include "engine/pace.h"
#include "engine/pool.h"
#include "engine/shapes.h"

enum {
    ASK_FLAGS = SKED_ASK_GANG | SKED_ASK_STRICT | SKED_ASK_MASTER |
                SKED_ASK_KEEP
};

sked_status skedi_event_amounts(const sked_engine *e, const sked_events *batch,
                                const sked_event *event,
                                const int64_t **amounts, sked_error *err)
{
    if (event->amount == 0 || event->amount > batch->n_amounts) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "no such row of amounts");
    }
    const int64_t *row = batch->amounts +
                         (size_t)(event->amount - 1) * e->kinds;
    *amounts = row;
    for (uint32_t k = 0; k < e->kinds; k++) {
        if (row[k] >= 0 && row[k] <= SKED_AMOUNT_MAX) continue;
        return skedi_fail(err, SKED_ERR_RANGE, "amount is out of range",
                          (skedi_fault){.got = row[k],
                                        .limit = SKED_AMOUNT_MAX,
                                        .kind = (int32_t)k + 1});
    }
    return SKED_OK;
}

/* Is there a queue on the path that can never hold the step? The lowest. */
static uint32_t never_under_limit(const sked_engine *e, uint32_t row,
                                  const int64_t *step)
{
    for (;; row = (uint32_t)e->rows.parent[row]) {
        const int64_t *ceiling = e->rows.ceiling + (size_t)row * e->kinds;
        if (!skedi_amounts_fit(e, step, ceiling)) return row;
        if (row == 0) return SKEDI_NONE;
    }
}

/* Could an empty node of the partition hold the step (`*fits`)? Yes while there
 * is none. SKED_OK, or why the host stopped the search. */
static sked_status may_ever_fit(sked_engine *e, uint32_t partition,
                                const int64_t *step, int *fits)
{
    int any = 0;

    *fits = 1;
    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        uint32_t own = node_at(e, n)->partition;
        sked_status rc = skedi_pace_look(e);
        if (rc != SKED_OK) return rc;
        if (partition != SKED_ANY_PARTITION && own != partition) continue;
        any = 1;
        if (skedi_amounts_fit(e, step,
                              engine_row_of(e, &e->node_capacity, n))) {
            return SKED_OK;
        }
    }
    *fits = !any;
    return SKED_OK;
}

/* Whether an ask can ever run, and if not, why. */
typedef struct ask_verdict {
    int32_t reason; /* SKED_REASON_NONE: it can */
    uint32_t row;   /* the queue whose limit is too low, or SKEDI_NONE */
} ask_verdict;

static sked_status judge_ask(sked_engine *e, const sked_event *event,
                             uint32_t job, const int64_t *task,
                             ask_verdict *verdict)
{
    int64_t step[SKED_MAX_KINDS];
    int64_t times = event->flags & SKED_ASK_GANG ? event->count : 1;
    int fits = 1;

    for (uint32_t k = 0; k < e->kinds; k++) step[k] = task[k] * times;
    *verdict = (ask_verdict){SKED_REASON_NONE, SKEDI_NONE};
    verdict->row = never_under_limit(e, job_at(e, job)->row, step);
    if (verdict->row != SKEDI_NONE) {
        verdict->reason = SKED_REASON_NEVER_LIMIT;
        return SKED_OK;
    }
    sked_status rc = may_ever_fit(e, event->partition, step, &fits);
    if (!fits) verdict->reason = SKED_REASON_NEVER_NODE;
    return rc;
}

/* Room for partitions up to the one that an ask names. */
static int named_room(sked_engine *e, uint32_t partition)
{
    int any = partition == SKED_ANY_PARTITION;

    return skedi_partition_room(e, any ? 0 : partition);
}

static sked_status reject_ask(sked_engine *e, uint32_t job,
                              const sked_event *event, ask_verdict verdict,
                              sked_error *err)
{
    const engine_job *j = job_at(e, job);
    int leaf = verdict.row == SKEDI_NONE;

    if (!named_room(e, event->partition) || !skedi_out_room(e, 1)) {
        return skedi_fail_plain(err, SKED_ERR_NOMEM, "no room to reject it");
    }
    (void)skedi_out_add(
        e, (sked_decision){.kind = SKED_DECISION_REJECT,
                           .reason = verdict.reason,
                           .job = j->key,
                           .ask = event->key,
                           .queue = leaf ? j->queue : e->rows.id[verdict.row],
                           .kind_at = -1});
    return SKED_OK;
}

static sked_status check_ask(const sked_engine *e, const sked_events *batch,
                             const sked_event *event, sked_error *err)
{
    int any = event->partition == SKED_ANY_PARTITION;

    if (!event->key) return skedi_fail_plain(err, SKED_ERR_ARG, "no key");
    if (skedi_keymap_get(&e->ask_of, event->key) != SKEDI_NONE) {
        return skedi_fail_plain(err, SKED_ERR_EXISTS, "ask key is taken");
    }
    if (event->flags & ~(uint32_t)ASK_FLAGS) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "unknown flags");
    }
    if (event->count < 1 || event->count > INT32_MAX) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "count is out of range",
            (skedi_fault){.got = event->count, .limit = INT32_MAX});
    }
    if (!any && event->partition >= SKED_MAX_PARTITIONS) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "no such partition");
    }
    if (event->places > batch->n_places) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "no such row of places");
    }
    return SKED_OK;
}

/* All that a job has and wants must be amounts, with `more` tasks of this. */
static int total_is_amount(const sked_engine *e, uint32_t job,
                           const int64_t *task, int64_t more, sked_error *err)
{
    const int64_t *open = engine_row_of(e, &e->job_open, job);
    const int64_t *used = engine_row_of(e, &e->job_used, job);
    int64_t product;

    for (uint32_t k = 0; k < e->kinds; k++) {
        if (skedi_i64_mul(task[k], more, &product) &&
            product <= SKED_AMOUNT_MAX - open[k] - used[k]) {
            continue;
        }
        (void)skedi_fail(err, SKED_ERR_RANGE, "tasks are out of range together",
                         (skedi_fault){.got = task[k],
                                       .limit = SKED_AMOUNT_MAX,
                                       .kind = (int32_t)k + 1});
        return 0;
    }
    return 1;
}

/* The nodes of a row of the place lists. */
static uint32_t places_of(const sked_events *batch, uint32_t row,
                          const uint64_t **keys)
{
    if (row == 0) return 0;
    int32_t from = batch->place_offsets[row - 1],
            to = batch->place_offsets[row];
    *keys = batch->places + from;
    return to > from ? (uint32_t)(to - from) : 0;
}

static int ask_room(sked_engine *e, uint32_t job, uint32_t partition)
{
    skedi_mem *mem = &e->hooks.mem;

    return named_room(e, partition) && skedi_shape_room(e, 1) &&
           skedi_pool_room(&e->asks, mem, 1) &&
           skedi_pool_room(&e->ranges, mem, 1) &&
           skedi_keymap_reserve(&e->ask_of, mem, e->ask_of.n + 1) &&
           skedi_entries_room_in(e, job_at(e, job)->row, partition);
}

static uint32_t make_ask(sked_engine *e, const sked_event *event, uint32_t job,
                         const int64_t *task)
{
    uint32_t ask = skedi_pool_take(&e->asks);
    int64_t times = event->flags & SKED_ASK_GANG ? event->count : 1;

    *ask_at(e, ask) = (engine_ask){
        .key = event->key,
        .arrival = ++e->arrivals,
        .job = job,
        .next = job_at(e, job)->first_ask,
        .prev = SKEDI_NONE,
        .shape = skedi_shape_take(e, task, times),
        .ranges = SKEDI_NONE,
        .first_entry = SKEDI_NONE,
        .places = SKEDI_NONE,
        .refusals = SKEDI_NONE,
        .first_group = SKEDI_NONE,
        .partition = event->partition,
        .priority = event->priority,
        .flags = event->flags,
        .live = 1,
    };
    uint32_t next = ask_at(e, ask)->next;
    if (next != SKEDI_NONE) ask_at(e, next)->prev = ask;
    job_at(e, job)->first_ask = ask;
    skedi_keymap_put(&e->ask_of, event->key, ask);
    return ask;
}

/* In front of the nodes that an ask would like. Room was reserved. */
static void list_place(sked_engine *e, uint32_t ask, uint64_t key)
{
    uint32_t place = skedi_pool_take(&e->places);

    *place_at(e, place) = (engine_place){.key = key,
                                         .next = ask_at(e, ask)->places};
    ask_at(e, ask)->places = place;
}

sked_status skedi_ask_add(sked_engine *e, const sked_events *batch,
                          const sked_event *event, sked_error *err)
{
    uint32_t job = skedi_keymap_get(&e->job_of, event->owner);
    sked_status rc = check_ask(e, batch, event, err);
    const uint64_t *keys = NULL;
    const int64_t *task;

    if (rc != SKED_OK) return rc;
    if (job == SKEDI_NONE || job_at(e, job)->state == JOB_ENDED) {
        return skedi_fail_plain(err, SKED_ERR_NOT_FOUND, "no such job");
    }
    rc = skedi_event_amounts(e, batch, event, &task, err);
    if (rc != SKED_OK) return rc;
    if (!total_is_amount(e, job, task, event->count, err)) {
        return SKED_ERR_RANGE;
    }
    ask_verdict verdict;
    rc = judge_ask(e, event, job, task, &verdict);
    if (rc != SKED_OK) return skedi_fail_plain(err, rc, "stopped by the host");
    if (verdict.reason != SKED_REASON_NONE) {
        return reject_ask(e, job, event, verdict, err);
    }

    uint32_t n_places = places_of(batch, event->places, &keys);
    if (!skedi_pool_room(&e->places, &e->hooks.mem, n_places) ||
        !ask_room(e, job, event->partition)) {
        return skedi_fail_plain(err, SKED_ERR_NOMEM, "no room for an ask");
    }
    uint32_t ask = make_ask(e, event, job, task);
    while (n_places-- > 0) list_place(e, ask, keys[n_places]);
    skedi_ask_open(e, ask, event->count);
    return SKED_OK;
}

static uint32_t find_ask(const sked_engine *e, uint64_t key, sked_error *err)
{
    uint32_t ask = skedi_keymap_get(&e->ask_of, key);
    int gone = ask == SKEDI_NONE || ask_at(e, ask)->closed;

    if (gone) (void)skedi_fail_plain(err, SKED_ERR_NOT_FOUND, "no such ask");
    return gone ? SKEDI_NONE : ask;
}

sked_status skedi_ask_change(sked_engine *e, const sked_event *event,
                             sked_error *err)
{
    uint32_t ask = find_ask(e, event->key, err);

    if (ask == SKEDI_NONE) return SKED_ERR_NOT_FOUND;
    engine_ask *a = ask_at(e, ask);
    if (event->count < 0 || event->count > INT32_MAX) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "count is out of range",
            (skedi_fault){.got = event->count, .limit = INT32_MAX});
    }
    if (a->flags & SKED_ASK_GANG) {
        return skedi_fail_plain(err, SKED_ERR_STATE,
                                "a gang is asked for as a whole");
    }
    int64_t more = event->count - a->open;
    if (more > 0 &&
        !total_is_amount(e, a->job, engine_row_of(e, &e->shape_task, a->shape),
                         more, err)) {
        return SKED_ERR_RANGE;
    }
    if (!skedi_ask_room(e, ask)) {
        return skedi_fail_plain(err, SKED_ERR_NOMEM, "no room for tasks");
    }
    a->epoch++;
    skedi_partition_stir_all(e);
    if (more != 0) skedi_ask_open(e, ask, more);
    skedi_ask_settle(e, ask);
    return SKED_OK;
}

sked_status skedi_ask_withdraw(sked_engine *e, const sked_event *event,
                               sked_error *err)
{
    uint32_t ask = find_ask(e, event->key, err);

    if (ask == SKEDI_NONE) return SKED_ERR_NOT_FOUND;
    skedi_ask_close(e, ask);
    return SKED_OK;
}
