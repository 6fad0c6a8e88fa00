/* Asks: how many alike tasks of a job, and where they may run. */
#include "engine/core/asks.h"

#include "base/fail.h"
#include "engine/exclusion.h"
#include "engine/columns.h"
#include "engine/reservation.h"
#include "engine/gang.h"
#include "engine/alloc.h"
#include "engine/core/jobs.h"
#include "engine/core/open.h"
#include "engine/decision.h"
#include "engine/core/places.h"
#include "engine/core/totals.h"
#include "engine/queue.h"
#include "engine/pending.h"
#include "engine/domains.h"
#include "engine/gang_fit.h"
#include "engine/order/sets.h"
#include "engine/budget.h"
#include "engine/pace.h"
#include "engine/store.h"

enum {
    ASK_PLACE_FLAGS = SKED_ASK_PLACE_FIRST | SKED_ASK_PLACE_PACK |
                      SKED_ASK_PLACE_SPREAD | SKED_ASK_PLACE_FRAGMENT |
                      SKED_ASK_PLACE_SCORE,
    ASK_FLAGS = SKED_ASK_GANG | SKED_ASK_STRICT | SKED_ASK_MASTER |
                SKED_ASK_KEEP | SKED_ASK_WAIT | SKED_ASK_SPREAD |
                SKED_ASK_TOGETHER | SKED_ASK_PREFER_SAME | SKED_ASK_EXCLUSIVE |
                SKED_ASK_EXACT | ASK_PLACE_FLAGS
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

/* A new ask, as its event says it. */
typedef struct ask_said {
    const sked_event *event;
    const int64_t *task;  /* amounts of a task */
    sked_event_gang gang; /* as it starts; all 0: it is none over nodes */
    int64_t at_once;      /* so many of its tasks start together */
    int64_t first;        /* number of its first task */
    uint32_t job;
} ask_said;

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
    int32_t reason;  /* SKED_REASON_NONE: it can */
    uint32_t row;    /* the queue whose limit is too low, or SKEDI_NONE */
    uint32_t parked; /* PARK_*: it waits until that is otherwise */
} ask_verdict;

/* Is an ask that can never run to wait instead of being rejected? */
static int ask_waits(const sked_engine *e, const sked_event *event)
{
    return (e->opts.flags & SKED_ENGINE_FLAG_WAIT) != 0 ||
           (event->flags & SKED_ASK_WAIT) != 0;
}

static sked_status judge_ask(sked_engine *e, const ask_said *said,
                             ask_verdict *verdict)
{
    int64_t step[SKED_MAX_KINDS];
    const sked_event *event = said->event;
    uint32_t per_node = said->gang.per_node;
    sked_status rc = SKED_OK;
    int fits = 1;

    for (uint32_t k = 0; k < e->kinds; k++) {
        step[k] = said->task[k] * said->at_once;
    }
    *verdict = (ask_verdict){SKED_REASON_NONE, SKEDI_NONE, 0};
    verdict->row = skedi_never_under_limit(e, job_at(e, said->job)->row, step);
    if (verdict->row != SKEDI_NONE) {
        verdict->reason = SKED_REASON_NEVER_LIMIT;
        verdict->parked |= PARK_LIMIT;
        if (!ask_waits(e, event)) return SKED_OK;
    }
    if (per_node) {
        int exact = (event->flags & SKED_ASK_EXACT) != 0;
        fits = skedi_fit_may(e,
                             &(engine_spread){said->task, said->at_once,
                                              per_node, exact ? per_node : 0},
                             event->partition);
    } else {
        rc = may_ever_fit(e, event->partition, step, &fits);
    }
    if (fits) return rc;
    verdict->parked |= PARK_NODE;
    if (verdict->row == SKEDI_NONE) verdict->reason = SKED_REASON_NEVER_NODE;
    return rc;
}

/* Memory for partitions up to the one that an ask names. */
static int named_reserve(sked_engine *e, uint32_t partition)
{
    int any = partition == SKED_ANY_PARTITION;

    return skedi_partition_reserve(e, any ? 0 : partition);
}

static sked_status reject_ask(sked_engine *e, uint32_t job,
                              const sked_event *event, ask_verdict verdict,
                              sked_error *err)
{
    const engine_job *j = job_at(e, job);
    int leaf = verdict.row == SKEDI_NONE;

    if (!named_reserve(e, event->partition) || !skedi_out_reserve(e, 1)) {
        return skedi_fail_memory(err);
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

int64_t skedi_ask_least(const sked_event *event)
{
    return !(event->flags & SKED_ASK_KEEP) || event->flags & SKED_ASK_GANG;
}

/* What an ask's event says of it, but for its places and how a gang starts. */
static sked_status check_ask(const sked_events *batch, const sked_event *event,
                             sked_error *err)
{
    int any = event->partition == SKED_ANY_PARTITION;
    uint32_t mode = event->flags & ASK_PLACE_FLAGS;

    if (event->flags & ~(uint32_t)ASK_FLAGS || mode & (mode - 1)) {
        return skedi_fail_flags(err, "event");
    }
    if (event->flags & SKED_ASK_SPREAD && !(event->flags & SKED_ASK_GANG)) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "only a gang is spread");
    }
    if (event->flags & SKED_ASK_TOGETHER && !(event->flags & SKED_ASK_SPREAD)) {
        return skedi_fail_plain(err, SKED_ERR_ARG,
                                "only a gang over nodes ends together");
    }
    if (event->count < skedi_ask_least(event) || event->count > INT32_MAX) {
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

sked_status skedi_ask_check(const sked_events *batch, const sked_event *event,
                            sked_error *err)
{
    sked_status rc = check_ask(batch, event, err);

    if (rc == SKED_OK) {
        rc = skedi_gang_check(event, skedi_event_gang(batch, event), err);
    }
    if (rc == SKED_OK) {
        rc = skedi_ask_check_places(batch, event, event->flags, err);
    }
    return rc;
}

/* Tasks that share a node which nothing else shares may ask for nothing of a
 * kind that lies on no node. SKED_OK or SKED_ERR_ARG. */
static sked_status check_shared(const sked_engine *e, const ask_said *said,
                                sked_error *err)
{
    for (uint32_t k = 0; k < e->kinds; k++) {
        if (said->task[k] == 0 || !kind_is_pooled(e, k)) continue;
        return skedi_fail(
            err, SKED_ERR_ARG,
            "tasks that share a node have nothing that lies on "
            "no node",
            (skedi_fault){.got = said->task[k], .kind = (int32_t)k + 1});
    }
    return SKED_OK;
}

/* Memory for the domains of the attribute of which a gang's nodes are to share
 * a value. The attribute counts as used by that, until make_gang(). */
static int same_reserve(sked_engine *e, uint64_t same)
{
    return same == 0 || (skedi_sets_start(e) && skedi_domains_use(e, same));
}

static int ask_reserve(sked_engine *e, const ask_said *said, int banned)
{
    skedi_mem *mem = &e->hooks.mem;
    uint32_t partition = said->event->partition;
    int spread = said->gang.per_node != 0;

    return named_reserve(e, partition) && skedi_shape_reserve(e, 1) &&
           (!spread || skedi_fit_reserve(e, 1)) && skedi_extras_reserve(e, 1) &&
           skedi_ask_rows_reserve(e, 1) && skedi_ranges_reserve(e, 1) &&
           skedi_trees_reserve(e) &&
           skedi_keymap_reserve(&e->ask_of, mem, e->ask_of.n + 1) &&
           skedi_entries_reserve_in(e, job_at(e, said->job)->row, partition) &&
           (!banned || skedi_ban_reserve(e, 1)) &&
           same_reserve(e, said->gang.same);
}

static uint32_t make_ask(sked_engine *e, const ask_said *said)
{
    uint32_t ask = skedi_pool_take(&e->asks);
    const sked_event *event = said->event;
    const engine_gang gang = {said->gang.same, said->gang.per_node};
    engine_job *job = job_at(e, said->job);

    *ask_at(e, ask) = (engine_ask){
        .key = event->key,
        .arrival = ++e->arrivals,
        .job = said->job,
        .next = job->first_ask,
        .prev = SKEDI_NONE,
        .shape = skedi_shape_take(e, said->task, said->at_once, SKEDI_NONE,
                                  gang),
        .first_entry = SKEDI_NONE,
        .first_group = SKEDI_NONE,
        .extra = SKEDI_NONE,
        .partition = event->partition,
        .priority = event->priority,
        .flags = event->flags & 0xFFFFFF,
        .live = 1,
    };
    if (job->first_ask != SKEDI_NONE) ask_at(e, job->first_ask)->prev = ask;
    job->first_ask = ask;
    job->tasks = said->first;
    skedi_total_see(e, said->task);
    skedi_keymap_put(&e->ask_of, event->key, ask);
    return ask;
}

/* What only a gang over nodes has beside the ask. */
static void make_gang(sked_engine *e, uint32_t ask, const ask_said *said)
{
    int64_t later = said->event->count - said->at_once;

    if (later > 0) skedi_extra_take(e, ask)->spare = (uint32_t)later;
    if (said->event->flags & SKED_ASK_EXACT) {
        skedi_extra_take(e, ask)->each = said->gang.per_node;
    }
    if (said->gang.same) skedi_domains_unuse(e, said->gang.same);
}

/* A new ask that can never run as things are (`parked`), may fall, or is of a
 * job that has a ban, has a ban, too. Memory was reserved. */
static void ban_new(sked_engine *e, uint32_t ask, uint32_t parked)
{
    uint32_t of_job = job_at(e, ask_at(e, ask)->job)->ban;

    (void)skedi_ban_of_ask(e, ask);
    if (of_job != SKEDI_NONE && ban_at(e, of_job)->barred) parked |= PARK_JOB;
    if (parked) skedi_ask_park(e, ask, parked);
    skedi_refusers_follow(e, ask);
}

/* The number of an ask's first task: SKED_OK, or SKED_ERR_RANGE unless it is
 * above all that the job had. */
static sked_status first_number(const sked_engine *e, const sked_events *batch,
                                ask_said *said, sked_error *err)
{
    int64_t next = job_at(e, said->job)->tasks;

    said->first = skedi_event_task(batch, said->event);
    if (said->first == SKED_UNSET) said->first = next;
    if (said->first >= next && said->first <= SKED_AMOUNT_MAX) return SKED_OK;
    return skedi_fail(err, SKED_ERR_RANGE, "number of a task is out of range",
                      (skedi_fault){.got = said->first, .limit = next});
}

/* What the event says, checked by itself and against the engine. */
static sked_status hear_ask(sked_engine *e, const sked_events *batch,
                            const sked_event *event, ask_said *said,
                            sked_error *err)
{
    if (!event->key) return skedi_fail_plain(err, SKED_ERR_ARG, "no key");
    if (skedi_keymap_get(&e->ask_of, event->key) != SKEDI_NONE) {
        return skedi_fail_plain(err, SKED_ERR_EXISTS, "ask key is taken");
    }
    sked_status rc = skedi_ask_check(batch, event, err);
    if (rc != SKED_OK) return rc;
    said->event = event;
    said->gang = skedi_event_gang(batch, event);
    said->at_once = said->gang.per_node            ? said->gang.at_once
                    : event->flags & SKED_ASK_GANG ? event->count
                                                   : 1;
    said->job = skedi_keymap_get(&e->job_of, event->owner);
    if (said->job == SKEDI_NONE || job_at(e, said->job)->state == JOB_ENDED) {
        return skedi_fail_plain(err, SKED_ERR_NOT_FOUND, "no such job");
    }
    rc = skedi_event_amounts(e, batch, event, &said->task, err);
    if (rc == SKED_OK && event->flags & SKED_ASK_EXCLUSIVE &&
        said->gang.per_node > 1) {
        rc = check_shared(e, said, err);
    }
    if (rc == SKED_OK) rc = first_number(e, batch, said, err);
    if (rc == SKED_OK &&
        !skedi_total_is_amount(e, said->job, said->task, event->count, err)) {
        rc = SKED_ERR_RANGE;
    }
    return rc;
}

sked_status skedi_ask_add(sked_engine *e, const sked_events *batch,
                          const sked_event *event, sked_error *err)
{
    const uint64_t *keys = NULL;
    ask_verdict verdict;
    ask_said said;
    sked_status rc = hear_ask(e, batch, event, &said, err);

    if (rc != SKED_OK) return rc;
    rc = judge_ask(e, &said, &verdict);
    if (rc != SKED_OK) return skedi_fail_stopped(err, rc);
    if (verdict.reason != SKED_REASON_NONE && !ask_waits(e, event)) {
        return reject_ask(e, said.job, event, verdict, err);
    }

    uint32_t n_places = skedi_event_places(batch, event->places, &keys);
    /* One that may fall has the memory for that from the start. */
    int banned = verdict.parked != 0 ||
                 job_at(e, said.job)->ban != SKEDI_NONE ||
                 event->flags & SKED_ASK_TOGETHER;
    if (!skedi_pool_reserve(&e->places, &e->hooks.mem, n_places) ||
        !ask_reserve(e, &said, banned)) {
        return skedi_fail_memory(err);
    }
    uint32_t ask = make_ask(e, &said);
    if (said.gang.per_node) make_gang(e, ask, &said);
    skedi_ask_list_places(e, ask, batch, event->places, 0);
    if (banned) ban_new(e, ask, verdict.parked);
    if (event->count > 0) skedi_ask_open(e, ask, event->count);
    return SKED_OK;
}

uint32_t skedi_ask_find(const sked_engine *e, uint64_t key, sked_error *err)
{
    uint32_t ask = skedi_keymap_get(&e->ask_of, key);
    int gone = ask == SKEDI_NONE || ask_at(e, ask)->closed;

    if (gone) (void)skedi_fail_plain(err, SKED_ERR_NOT_FOUND, "no such ask");
    return gone ? SKEDI_NONE : ask;
}

sked_status skedi_ask_change(sked_engine *e, const sked_event *event,
                             sked_error *err)
{
    uint32_t ask = skedi_ask_find(e, event->key, err);

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
        !skedi_total_is_amount(
            e, a->job, engine_row_of(e, &e->shape_task, a->shape), more, err)) {
        return SKED_ERR_RANGE;
    }
    if (!skedi_ask_reserve(e, ask)) {
        return skedi_fail_memory(err);
    }
    if (a->extra != SKEDI_NONE) extra_at(e, a->extra)->epoch++;
    skedi_ban_changed(e, extra_of(e, a)->refusals);
    skedi_partition_stir_all(e);
    (void)skedi_pairs_purge(e, ask, 0);
    skedi_refusers_follow(e, ask);
    if (more != 0) skedi_ask_open(e, ask, more);
    skedi_ask_settle(e, ask);
    return SKED_OK;
}

sked_status skedi_ask_places(sked_engine *e, const sked_events *batch,
                             const sked_event *event, sked_error *err)
{
    uint32_t ask = skedi_ask_find(e, event->key, err);
    uint32_t rack = event->kind == SKED_EVENT_ASK_RACKS;
    const uint64_t *keys = NULL;

    if (ask == SKEDI_NONE) return SKED_ERR_NOT_FOUND;
    if (event->places > batch->n_places) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "no such row of places");
    }
    if (event->flags & ~(uint32_t)(rack ? 0 : SKED_ASK_STRICT)) {
        return skedi_fail_flags(err, "event");
    }
    engine_ask *a = ask_at(e, ask);
    sked_status rc = skedi_ask_check_places(batch, event, a->flags, err);
    if (rc != SKED_OK) return rc;
    uint32_t n = skedi_event_places(batch, event->places, &keys);
    if (!skedi_pool_reserve(&e->places, &e->hooks.mem, n) ||
        !skedi_extras_reserve(e, n > 0)) {
        return skedi_fail_memory(err);
    }
    if (!rack)
        a->flags = ((a->flags & ~(uint32_t)SKED_ASK_STRICT) | event->flags) &
                   0xFFFFFF;
    skedi_ask_drop_places(e, ask, rack);
    skedi_ask_list_places(e, ask, batch, event->places, rack);
    skedi_partition_stir_all(e);
    return SKED_OK;
}

sked_status skedi_ask_withdraw(sked_engine *e, const sked_event *event,
                               sked_error *err)
{
    uint32_t ask = skedi_ask_find(e, event->key, err);

    if (ask == SKEDI_NONE) return SKED_ERR_NOT_FOUND;
    skedi_ask_close(e, ask);
    return SKED_OK;
}
