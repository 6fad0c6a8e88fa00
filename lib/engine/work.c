/*
 * Jobs and asks as the host reports them: how many identical tasks, where
 * they may run, which nodes they prefer.
 *
 * Invariants: each event reserves memory first and cannot fail afterwards. The
 * amounts of all tasks of a job stay below the largest amount.
 */

#include "base/fail.h"
#include "engine/alloc.h"
#include "engine/budget.h"
#include "engine/columns.h"
#include "engine/nodes.h"
#include "engine/decision.h"
#include "engine/domains.h"
#include "engine/exclusion.h"
#include "engine/gang.h"
#include "engine/gang_fit.h"
#include "engine/filter.h"
#include "engine/wants.h"
#include "engine/pace.h"
#include "engine/pending.h"
#include "engine/queue.h"
#include "engine/reservation.h"
#include "engine/store.h"
#include "engine/watch.h"
#include "engine/work.h"

/* What is said of a gang over nodes, and of no other ask. */

/* May tasks of a gang share nodes that nothing else shares? Such nodes are
 * taken whole when the gang starts, and a task that starts later would take a
 * whole node more. SKED_OK or SKED_ERR_ARG. */
static sked_status work_check_bunch(const sked_event *event,
                                    sked_event_gang gang, sked_error *err)
{
    if (!(event->flags & SKED_ASK_SPREAD)) {
        return skedi_fail_plain(err, SKED_ERR_ARG,
                                "only a gang over nodes has nodes to itself");
    }
    if (gang.at_once == event->count) return SKED_OK;
    return skedi_fail(err, SKED_ERR_ARG,
                      "an elastic gang has one task on a node of its own",
                      (skedi_fault){.got = gang.per_node, .limit = 1});
}

/* Are its count and what starts together multiples of `per_node`? SKED_OK or
 * SKED_ERR_ARG. */
static sked_status work_check_exact(const sked_event *event,
                                    sked_event_gang gang, sked_error *err)
{
    if (!(event->flags & SKED_ASK_SPREAD) || gang.per_node == INT32_MAX) {
        return skedi_fail_plain(err, SKED_ERR_ARG,
                                "an exact gang is over nodes, with per_node");
    }
    int whole = event->count % gang.per_node == 0;
    if (whole && gang.at_once % gang.per_node == 0) return SKED_OK;
    return skedi_fail(
        err, SKED_ERR_ARG,
        whole ? "at_once is no multiple of per_node"
              : "count is no multiple of per_node",
        (skedi_fault){.got = whole ? (int64_t)gang.at_once : event->count,
                      .limit = gang.per_node});
}

/* Can an ask start as its flags and its row of gangs say? SKED_OK, SKED_ERR_ARG
 * or SKED_ERR_RANGE. */
static sked_status work_gang_check(const sked_event *event,
                                   sked_event_gang gang, sked_error *err)
{
    if (gang.per_node > INT32_MAX) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "per_node is out of range",
            (skedi_fault){.got = gang.per_node, .limit = INT32_MAX});
    }
    if (gang.at_once > event->count) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "at_once is out of range",
            (skedi_fault){.got = gang.at_once, .limit = event->count});
    }
    if (event->flags & SKED_ASK_EXCLUSIVE && event->flags & SKED_ASK_GANG &&
        gang.per_node != 1) {
        sked_status rc = work_check_bunch(event, gang, err);
        if (rc != SKED_OK) return rc;
    }
    if (event->flags & SKED_ASK_PREFER_SAME && !gang.same) {
        return skedi_fail_plain(err, SKED_ERR_ARG,
                                "a value of no attribute is preferred");
    }
    return event->flags & SKED_ASK_EXACT ? work_check_exact(event, gang, err)
                                         : SKED_OK;
}

/* Nodes and racks that asks would like: one list for each ask, nodes first as
 * they were said, then racks. */

sked_status skedi_ask_check_places(const sked_events *batch,
                                   const sked_event *event, uint32_t flags,
                                   sked_error *err)
{
    const uint64_t *keys = NULL;
    uint32_t n = skedi_event_places(batch, event->places, &keys);

    if (!batch->place_tasks || n == 0) return SKED_OK;
    const uint32_t *tasks = batch->place_tasks + (keys - batch->places);
    for (uint32_t i = 0; i < n; i++) {
        if (tasks[i] != PLACE_ANY && flags & SKED_ASK_GANG) {
            return skedi_fail_plain(err, SKED_ERR_ARG,
                                    "tasks of a gang are not counted by place");
        }
        if (tasks[i] <= PLACE_ANY) continue;
        return skedi_fail(err, SKED_ERR_RANGE, "place_tasks is out of range",
                          (skedi_fault){.got = tasks[i], .limit = PLACE_ANY});
    }
    return SKED_OK;
}

/* The link before the first rack of an ask. */
static uint32_t *work_before_racks(sked_engine *e, uint32_t ask)
{
    uint32_t *at = &skedi_extra_take(e, ask)->places;

    while (*at != SKEDI_NONE && !place_at(e, *at)->rack) {
        at = &place_at(e, *at)->next;
    }
    return at;
}

/* Puts the places of a row, in the order given, in front of an ask's places of
 * this sort: nodes, or (`rack` 1) racks. Memory was reserved. */
static void work_ask_list_places(sked_engine *e, uint32_t ask,
                                 const sked_events *batch, uint32_t row,
                                 uint32_t rack)
{
    const uint64_t *keys = NULL;
    uint32_t n = skedi_event_places(batch, row, &keys);
    uint32_t *at;

    if (n == 0) return;
    at = rack ? work_before_racks(e, ask) : &skedi_extra_take(e, ask)->places;
    while (n-- > 0) {
        size_t of = (size_t)(keys - batch->places) + n;
        uint32_t place = skedi_pool_take(&e->places);
        *place_at(e, place) = (engine_place){
            .key = keys[n],
            .left = batch->place_tasks ? (int32_t)batch->place_tasks[of]
                                       : PLACE_ANY,
            .rack = rack,
            .next = *at,
        };
        *at = place;
    }
}

/* Lets go of the nodes, or the racks, of an ask. */
static void work_ask_drop_places(sked_engine *e, uint32_t ask, uint32_t rack)
{
    uint32_t *at;

    if (extra_of(e, ask_at(e, ask))->places == SKEDI_NONE) return;
    at = rack ? work_before_racks(e, ask) : &skedi_extra_take(e, ask)->places;
    while (*at != SKEDI_NONE && place_at(e, *at)->rack == rack) {
        uint32_t place = *at;
        *at = place_at(e, place)->next;
        skedi_pool_give(&e->places, place);
    }
}

/*
 * The sum over the groups of a job is no column: no task holds less than
 * nothing or asks for more than any task ever did, which in nearly all jobs says
 * that the sum is far from the largest amount.
 */

/* What tasks of a group hold, or want when they are open again. */
static int64_t work_group_counts(const sked_engine *e, const engine_group *g,
                                 uint32_t k)
{
    const engine_ask *a = ask_at(e, g->ask);
    int64_t asked = engine_row_of(e, &e->shape_task, a->shape)[k];
    int64_t held = skedi_group_task(e, g)[k];
    int64_t again = a->closed ? 0 : asked * g->count;

    return skedi_i64_max(held * skedi_group_times(g, g->count), again);
}

/* Adds what all groups of a job count to a sum, but for those that change. */
static int64_t work_add_groups(const sked_engine *e, const engine_more *more,
                               uint32_t k, int64_t sum)
{
    for (uint32_t a = job_at(e, more->job)->first_ask; a != SKEDI_NONE;
         a = ask_at(e, a)->next) {
        for (uint32_t g = ask_at(e, a)->first_group; g != SKEDI_NONE;
             g = group_at(e, g)->ask_next) {
            if (g == more->group) continue;
            sum = skedi_amount_add(sum,
                                   work_group_counts(e, group_at(e, g), k));
        }
    }
    return sum;
}

/* No less than the groups of a job count, worked out at once. */
static int64_t work_add_bound(const sked_engine *e, uint32_t job, uint32_t k,
                              int64_t sum)
{
    int64_t again;

    if (!skedi_i64_mul(e->most_asked, job_at(e, job)->running, &again)) {
        return SKED_UNLIMITED;
    }
    sum = skedi_amount_add(sum, engine_row_of(e, &e->job_used, job)[k]);
    return skedi_amount_add(sum, again);
}

/* Does a kind of what comes stay an amount with all that there is? */
static int work_kind_is_amount(const sked_engine *e, const engine_more *more,
                               uint32_t k)
{
    int64_t wanted, held = 0;
    int64_t sum = engine_row_of(e, &e->job_open, more->job)[k] -
                  more->asked[k] * more->taken;

    if (!skedi_i64_mul(more->asked[k], more->tasks, &wanted)) return 0;
    if (more->held && !skedi_i64_mul(more->held[k], more->times, &held)) {
        return 0;
    }
    sum = skedi_amount_add(sum, skedi_i64_max(wanted, held));
    return work_add_bound(e, more->job, k, sum) != SKED_UNLIMITED ||
           work_add_groups(e, more, k, sum) != SKED_UNLIMITED;
}

/* Is every sum below 2^62 at a glance, since no task has an amount of more than 40
 * bits, and there are not 2^20 of them? Saves 1 % of `bench sim.swf`. */
static int work_is_small(const sked_engine *e, const engine_more *more)
{
    const int64_t *open = engine_row_of(e, &e->job_open, more->job);
    const int64_t *used = engine_row_of(e, &e->job_used, more->job);
    int64_t amounts = e->most_asked, sums = 0;

    for (uint32_t k = 0; k < e->kinds; k++) {
        amounts |= more->asked[k];
        sums |= open[k] | used[k];
    }
    return !more->held && amounts >> 40 == 0 && sums >> 59 == 0 &&
           (more->tasks | job_at(e, more->job)->running) >> 20 == 0;
}

int skedi_more_is_amount(const sked_engine *e, const engine_more *more,
                         sked_error *err)
{
    const int64_t *task = more->held ? more->held : more->asked;
    uint32_t k = 0;

    if (work_is_small(e, more)) return 1;
    while (k < e->kinds && work_kind_is_amount(e, more, k)) k++;
    if (k == e->kinds) return 1;
    (void)skedi_fail(err, SKED_ERR_RANGE, "tasks are out of range together",
                     (skedi_fault){.got = task[k],
                                   .limit = SKED_AMOUNT_MAX,
                                   .kind = (int32_t)k + 1});
    return 0;
}

/* The same of so many more open tasks. */
static int work_total_is_amount(const sked_engine *e, uint32_t job,
                                const int64_t *task, int64_t tasks,
                                sked_error *err)
{
    const engine_more more = {
        .asked = task, .tasks = tasks, .job = job, .group = SKEDI_NONE};

    return skedi_more_is_amount(e, &more, err);
}

/* Tasks of these amounts are asked for. */
static void work_total_see(sked_engine *e, const int64_t *task)
{
    for (uint32_t k = 0; k < e->kinds; k++) {
        e->most_asked = skedi_i64_max(e->most_asked, task[k]);
    }
}

/* Asks: how many alike tasks of a job, and where they may run. */

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
static sked_status work_may_ever_fit(sked_engine *e, uint32_t partition,
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
static int work_ask_waits(const sked_engine *e, const sked_event *event)
{
    return (e->opts.flags & SKED_ENGINE_FLAG_WAIT) != 0 ||
           (event->flags & SKED_ASK_WAIT) != 0;
}

static sked_status work_judge_ask(sked_engine *e, const ask_said *said,
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
        if (!work_ask_waits(e, event)) return SKED_OK;
    }
    if (per_node) {
        int exact = (event->flags & SKED_ASK_EXACT) != 0;
        fits = skedi_fit_may(e,
                             &(engine_spread){said->task, said->at_once,
                                              per_node, exact ? per_node : 0},
                             event->partition);
    } else {
        rc = work_may_ever_fit(e, event->partition, step, &fits);
    }
    if (fits) return rc;
    verdict->parked |= PARK_NODE;
    if (verdict->row == SKEDI_NONE) verdict->reason = SKED_REASON_NEVER_NODE;
    return rc;
}

/* Memory for partitions up to the one that an ask names. */
static int work_named_reserve(sked_engine *e, uint32_t partition)
{
    int any = partition == SKED_ANY_PARTITION;

    return skedi_partition_reserve(e, any ? 0 : partition);
}

static sked_status work_reject_ask(sked_engine *e, uint32_t job,
                                   const sked_event *event, ask_verdict verdict,
                                   sked_error *err)
{
    const engine_job *j = job_at(e, job);
    int leaf = verdict.row == SKEDI_NONE;

    if (!work_named_reserve(e, event->partition) || !skedi_out_reserve(e, 1)) {
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
static sked_status work_check_ask(const sked_events *batch,
                                  const sked_event *event, sked_error *err)
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
    sked_status rc = work_check_ask(batch, event, err);

    if (rc == SKED_OK) {
        rc = work_gang_check(event, skedi_event_gang(batch, event), err);
    }
    if (rc == SKED_OK) {
        rc = skedi_ask_check_places(batch, event, event->flags, err);
    }
    return rc;
}

/* Tasks that share a node which nothing else shares may ask for nothing of a
 * kind that lies on no node. SKED_OK or SKED_ERR_ARG. */
static sked_status work_check_shared(const sked_engine *e, const ask_said *said,
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
 * a value. The attribute counts as used by that, until work_make_gang(). */
static int work_same_reserve(sked_engine *e, uint64_t same)
{
    return same == 0 || (skedi_sets_start(e) && skedi_domains_use(e, same));
}

static int work_ask_reserve(sked_engine *e, const ask_said *said, int banned)
{
    skedi_mem *mem = &e->hooks.mem;
    uint32_t partition = said->event->partition;
    int spread = said->gang.per_node != 0;

    return work_named_reserve(e, partition) && skedi_shape_reserve(e, 1) &&
           (!spread || skedi_fit_reserve(e, 1)) && skedi_extras_reserve(e, 1) &&
           skedi_ask_rows_reserve(e, 1) && skedi_ranges_reserve(e, 1) &&
           skedi_trees_reserve(e) &&
           skedi_keymap_reserve(&e->ask_of, mem, e->ask_of.n + 1) &&
           skedi_entries_reserve_in(e, job_at(e, said->job)->row, partition) &&
           (!banned || skedi_ban_reserve(e, 1)) &&
           work_same_reserve(e, said->gang.same);
}

static uint32_t work_make_ask(sked_engine *e, const ask_said *said)
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
    work_total_see(e, said->task);
    skedi_keymap_put(&e->ask_of, event->key, ask);
    return ask;
}

/* What only a gang over nodes has beside the ask. */
static void work_make_gang(sked_engine *e, uint32_t ask, const ask_said *said)
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
static void work_ban_new(sked_engine *e, uint32_t ask, uint32_t parked)
{
    uint32_t of_job = job_at(e, ask_at(e, ask)->job)->ban;

    (void)skedi_ban_of_ask(e, ask);
    if (of_job != SKEDI_NONE && ban_at(e, of_job)->barred) parked |= PARK_JOB;
    if (parked) skedi_ask_park(e, ask, parked);
    skedi_refusers_follow(e, ask);
}

/* The number of an ask's first task: SKED_OK, or SKED_ERR_RANGE unless it is
 * above all that the job had. */
static sked_status work_first_number(const sked_engine *e,
                                     const sked_events *batch, ask_said *said,
                                     sked_error *err)
{
    int64_t next = job_at(e, said->job)->tasks;

    said->first = skedi_event_task(batch, said->event);
    if (said->first == SKED_UNSET) said->first = next;
    if (said->first >= next && said->first <= SKED_AMOUNT_MAX) return SKED_OK;
    return skedi_fail(err, SKED_ERR_RANGE, "number of a task is out of range",
                      (skedi_fault){.got = said->first, .limit = next});
}

/* What the event says, checked by itself and against the engine. */
static sked_status work_hear_ask(sked_engine *e, const sked_events *batch,
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
        rc = work_check_shared(e, said, err);
    }
    if (rc == SKED_OK) rc = work_first_number(e, batch, said, err);
    if (rc == SKED_OK &&
        !work_total_is_amount(e, said->job, said->task, event->count, err)) {
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
    sked_status rc = work_hear_ask(e, batch, event, &said, err);

    if (rc != SKED_OK) return rc;
    rc = work_judge_ask(e, &said, &verdict);
    if (rc != SKED_OK) return skedi_fail_stopped(err, rc);
    if (verdict.reason != SKED_REASON_NONE && !work_ask_waits(e, event)) {
        return work_reject_ask(e, said.job, event, verdict, err);
    }

    uint32_t n_places = skedi_event_places(batch, event->places, &keys);
    /* One that may fall has the memory for that from the start. */
    int banned = verdict.parked != 0 ||
                 job_at(e, said.job)->ban != SKEDI_NONE ||
                 event->flags & SKED_ASK_TOGETHER;
    if (!skedi_pool_reserve(&e->places, &e->hooks.mem, n_places) ||
        !work_ask_reserve(e, &said, banned)) {
        return skedi_fail_memory(err);
    }
    uint32_t ask = work_make_ask(e, &said);
    if (said.gang.per_node) work_make_gang(e, ask, &said);
    work_ask_list_places(e, ask, batch, event->places, 0);
    if (banned) work_ban_new(e, ask, verdict.parked);
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
        !work_total_is_amount(
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
    work_ask_drop_places(e, ask, rack);
    work_ask_list_places(e, ask, batch, event->places, rack);
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

/* What hosts say of jobs. Each call reserves first, then cannot fail. */

enum {
    JOB_FLAGS = SKED_JOB_RETRY | SKED_JOB_FIXED | SKED_JOB_KEEPS |
                SKED_JOB_ONCE | SKED_JOB_READMIT | SKED_JOB_CONTROLLER |
                SKED_JOB_REVOCABLE | SKED_JOB_YIELDS,
    JOB_TOLD = JOB_FLAGS | SKED_JOB_ADMITTED
};

static int work_job_reserve(sked_engine *e, uint32_t row)
{
    skedi_mem *mem = &e->hooks.mem;

    return skedi_pool_reserve(&e->jobs, mem, 1) &&
           skedi_amounts_reserve(e, &e->job_used, &e->jobs) &&
           skedi_amounts_reserve(e, &e->job_open, &e->jobs) &&
           skedi_user_reserve(e) &&
           skedi_keymap_reserve(&e->job_of, mem, e->job_of.n + 1) &&
           skedi_charge_reserve(e) && skedi_wait_reserve(e, row, 1) &&
           skedi_out_reserve(e, 1);
}

sked_status skedi_job_leaf(const sked_engine *e, sked_queue_id queue,
                           uint32_t *row, sked_error *err)
{
    *row = skedi_image_row(skedi_tree_image(e->tree), queue);
    skedi_fault fault = {.queue = queue};

    if (*row == SKEDI_NO_ROW) {
        return skedi_fail(err, SKED_ERR_STALE, "no such queue", fault);
    }
    if (row_is_leaf(e, *row)) return SKED_OK;
    return skedi_fail(err, SKED_ERR_ARG, "jobs live in leaves", fault);
}

/* When a job was first submitted. SKED_OK, or SKED_ERR_RANGE if that is later
 * than now. */
static sked_status work_first_submitted(const sked_engine *e,
                                        const sked_events *batch,
                                        const sked_event *event,
                                        sked_time *moment, sked_error *err)
{
    *moment = skedi_event_moment(batch, event);
    if (*moment == SKED_UNSET) *moment = e->now;
    if (*moment <= e->now) return SKED_OK;
    return skedi_fail(err, SKED_ERR_RANGE, "submitted later than now",
                      (skedi_fault){.got = *moment, .limit = e->now});
}

sked_status skedi_job_check(const sked_event *event, sked_error *err)
{
    if (!event->key) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "a job needs a key");
    }
    if (event->owner == UINT64_MAX) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "no user has this key");
    }
    if (event->flags & ~(uint32_t)JOB_TOLD) {
        return skedi_fail_flags(err, "event");
    }
    return SKED_OK;
}

sked_status skedi_job_submit(sked_engine *e, const sked_events *batch,
                             const sked_event *event, sked_error *err)
{
    sked_time submitted;
    uint32_t row, charged[SKED_MAX_LIMIT_TREES];
    sked_status rc = skedi_job_check(event, err);

    if (rc != SKED_OK) return rc;
    if (skedi_keymap_get(&e->job_of, event->key) != SKEDI_NONE) {
        return skedi_fail_plain(err, SKED_ERR_EXISTS, "job key is taken");
    }
    rc = skedi_job_leaf(e, event->queue, &row, err);
    if (rc == SKED_OK)
        rc = work_first_submitted(e, batch, event, &submitted, err);
    if (rc == SKED_OK) rc = skedi_charge_in(e, batch, event, charged, err);
    if (rc != SKED_OK) return rc;
    if (!work_job_reserve(e, row)) {
        return skedi_fail_memory(err);
    }
    uint32_t job = skedi_pool_take(&e->jobs);
    *job_at(e, job) = (engine_job){
        .key = event->key,
        .arrival = ++e->arrivals,
        .submitted = submitted,
        .queue = event->queue,
        .row = row,
        .user = skedi_user_take(e, event->owner),
        .first_ask = SKEDI_NONE,
        .ban = SKEDI_NONE,
        .priority = event->priority,
        .flags = event->flags & JOB_FLAGS,
    };
    for (uint32_t k = 0; k < e->kinds; k++) {
        engine_row_of(e, &e->job_used, job)[k] = 0;
        engine_row_of(e, &e->job_open, job)[k] = 0;
    }
    skedi_charge_take(e, job, charged);
    skedi_keymap_put(&e->job_of, event->key, job);
    e->stats.jobs++;
    skedi_wait_begin(e, job, (event->flags & SKED_JOB_ADMITTED) != 0);
    return SKED_OK;
}

static uint32_t work_find_job(const sked_engine *e, uint64_t key,
                              sked_error *err)
{
    uint32_t job = skedi_keymap_get(&e->job_of, key);
    int gone = job == SKEDI_NONE || job_at(e, job)->state == JOB_ENDED;

    if (gone) (void)skedi_fail_plain(err, SKED_ERR_NOT_FOUND, "no such job");
    return gone ? SKEDI_NONE : job;
}

/* Asks the host's hooks while all asks and groups of a job are counted, before
 * anything of it changes. SKED_OK, or why the host stopped it. */
static sked_status work_look_over(sked_engine *e, uint32_t job, sked_error *err)
{
    sked_status rc = SKED_OK;

    for (uint32_t a = job_at(e, job)->first_ask; a != SKEDI_NONE;
         a = ask_at(e, a)->next) {
        if (rc == SKED_OK) rc = skedi_pace_look(e);
        for (uint32_t g = ask_at(e, a)->first_group;
             rc == SKED_OK && g != SKEDI_NONE; g = group_at(e, g)->ask_next) {
            rc = skedi_pace_look(e);
        }
        if (rc != SKED_OK) {
            return skedi_fail_stopped(err, rc);
        }
    }
    return SKED_OK;
}

/* Takes a job, its open asks and its books out of its leaf. */
static void work_lift_job(sked_engine *e, uint32_t job)
{
    if (job_at(e, job)->state == JOB_WAITING) {
        skedi_wait_leave(e, job);
        return;
    }
    for (uint32_t a = job_at(e, job)->first_ask; a != SKEDI_NONE;
         a = ask_at(e, a)->next) {
        skedi_pace_work(e);
        skedi_entries_remove(e, a);
    }
    skedi_groups_rebook(e, job, -1);
    skedi_job_count(e, job, -1);
}

/* Puts them into its leaf. */
static void work_lower_job(sked_engine *e, uint32_t job)
{
    if (job_at(e, job)->state == JOB_WAITING) {
        skedi_wait_join(e, job);
        return;
    }
    skedi_job_count(e, job, 1);
    skedi_groups_rebook(e, job, 1);
    for (uint32_t a = job_at(e, job)->first_ask; a != SKEDI_NONE;
         a = ask_at(e, a)->next) {
        skedi_pace_work(e);
        if (skedi_ask_stands(e, ask_at(e, a))) skedi_entries_add(e, a);
    }
}

/* Memory for all of a job in another leaf, where it waits or runs. Its entries
 * go before they come, and its groups take at most one account in each
 * partition; what it wants there may be new, and still wanted by others where
 * it was. */
static int work_move_reserve(sked_engine *e, uint32_t job, uint32_t row)
{
    uint64_t entries = 0;
    uint32_t accounts = e->rows.by_user[row] ? e->parts : 0;

    if (job_at(e, job)->state == JOB_WAITING)
        return skedi_wait_reserve(e, row, 1);
    return skedi_account_reserve(e, accounts) &&
           skedi_entries_reserve_of(e, job, row, &entries) &&
           skedi_wants_reserve(e, entries + job_at(e, job)->groups);
}

static sked_status work_move_job(sked_engine *e, uint32_t job,
                                 sked_queue_id queue, sked_error *err)
{
    uint32_t row;
    sked_status rc = skedi_job_leaf(e, queue, &row, err);

    if (rc != SKED_OK || row == job_at(e, job)->row) return rc;
    rc = work_look_over(e, job, err);
    if (rc != SKED_OK) return rc;
    if (!work_move_reserve(e, job, row)) {
        return skedi_fail_memory(err);
    }
    skedi_reservation_of_job(e, job, -1);
    work_lift_job(e, job);
    job_at(e, job)->row = row;
    job_at(e, job)->queue = queue;
    job_at(e, job)->line = SKED_ADMIT_LINE_ALL;
    work_lower_job(e, job);
    skedi_bans_see_limits(e, job);
    skedi_reservation_of_job(e, job, 1);
    return SKED_OK;
}

sked_status skedi_job_update(sked_engine *e, const sked_event *event,
                             sked_error *err)
{
    uint32_t job = work_find_job(e, event->key, err);

    if (job == SKEDI_NONE) return SKED_ERR_NOT_FOUND;
    sked_status rc = event->queue ? work_move_job(e, job, event->queue, err)
                                  : work_look_over(e, job, err);
    if (rc != SKED_OK) return rc;
    skedi_ban_changed(e, job_at(e, job)->ban);
    if (event->queue) return SKED_OK;
    job_at(e, job)->priority = event->priority;
    skedi_watch_groups(e);
    skedi_entries_rekey(e, job);
    if (job_at(e, job)->state == JOB_WAITING) skedi_wait_show(e, job);
    return SKED_OK;
}

/* Ends a job: nothing more of it is wanted. */
static void work_end_job(sked_engine *e, uint32_t job)
{
    engine_job *j = job_at(e, job);
    int waiting = j->state == JOB_WAITING;

    if (waiting) skedi_wait_leave(e, job);
    j->state = JOB_ENDED;
    j->groups++; /* keeps it until the end of this call */
    for (uint32_t a = j->first_ask, next; a != SKEDI_NONE; a = next) {
        next = ask_at(e, a)->next;
        skedi_pace_work(e);
        skedi_ask_close(e, a);
    }
    if (!waiting) skedi_job_count(e, job, -1);
    j->groups--;
    skedi_job_settle(e, job);
}

/* Ends a job: all its groups get kill orders. SKED_OK, SKED_ERR_NOMEM, or why
 * the host stopped it; then nothing changed. */
static sked_status work_kill_job(sked_engine *e, uint32_t job, sked_error *err)
{
    sked_status rc = work_look_over(e, job, err);

    if (rc != SKED_OK) return rc;
    if (!skedi_out_reserve(e, job_at(e, job)->groups)) {
        return skedi_fail_memory(err);
    }
    for (uint32_t a = job_at(e, job)->first_ask; a != SKEDI_NONE;
         a = ask_at(e, a)->next) {
        for (uint32_t g = ask_at(e, a)->first_group; g != SKEDI_NONE;
             g = group_at(e, g)->ask_next) {
            skedi_pace_work(e);
            if (!skedi_group_is_doomed(e, g))
                skedi_group_kill(e, g, SKED_REASON_CANCELLED);
        }
    }
    work_end_job(e, job);
    return SKED_OK;
}

sked_status skedi_job_cancel(sked_engine *e, const sked_event *event,
                             sked_error *err)
{
    uint32_t job = work_find_job(e, event->key, err);

    if (job == SKEDI_NONE) return SKED_ERR_NOT_FOUND;
    return work_kill_job(e, job, err);
}

sked_status skedi_job_finish(sked_engine *e, const sked_event *event,
                             sked_error *err)
{
    uint32_t job = work_find_job(e, event->key, err);

    if (job == SKEDI_NONE) return SKED_ERR_NOT_FOUND;
    if (job_at(e, job)->held > 0) {
        return skedi_fail(err, SKED_ERR_STATE, "the job has tasks running",
                          (skedi_fault){.got = job_at(e, job)->running});
    }
    return work_kill_job(e, job, err);
}

sked_status skedi_job_least(sked_engine *e, const sked_event *event,
                            sked_error *err)
{
    uint32_t job = work_find_job(e, event->key, err);

    if (job == SKEDI_NONE) return SKED_ERR_NOT_FOUND;
    if (event->count < 0) {
        return skedi_fail(err, SKED_ERR_RANGE, "less than no task",
                          (skedi_fault){.got = event->count});
    }
    job_at(e, job)->least = event->count;
    if (event->count > 0) e->leasts = 1;
    skedi_watch_least(e);
    return SKED_OK;
}
