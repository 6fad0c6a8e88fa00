/*
 * Differences between an engine and the state that its host reports, and the
 * events that would mend them.
 *
 * Invariant: an event that would be refused by itself is refused here, before
 * the host has applied any difference.
 */
#include <string.h>

#include "base/fail.h"
#include "base/versioned.h"
#include "engine/alloc.h"
#include "engine/budget.h"
#include "engine/engine.h"
#include "engine/columns.h"
#include "engine/filter.h"
#include "engine/pending.h"
#include "engine/reconcile.h"
#include "engine/rules.h"
#include "engine/soft_rules.h"
#include "engine/work.h"

/*
 * What an engine is to be told anew: a row that its event would be refused for by
 * itself is refused here, before the host has applied any of the differences.
 */

/* Is a moment, or the time of a row without one, none to come, and (`since`) not
 * too long ago? */
static sked_status reconcile_check_moment(const engine_recon *r,
                                          const sked_event *event,
                                          sked_time since, sked_error *err)
{
    sked_time moment = skedi_event_moment(r->in, event);

    if (moment == SKED_UNSET) moment = event->time;
    if (moment > r->now) {
        return skedi_fail(err, SKED_ERR_RANGE, "the moment is later than now",
                          (skedi_fault){.got = moment, .limit = r->now});
    }
    if (moment >= since) return SKED_OK;
    return skedi_fail(err, SKED_ERR_RANGE, "began too long ago",
                      (skedi_fault){.got = moment, .limit = since});
}

static sked_status reconcile_check_new_node(const engine_recon *r,
                                            const sked_event *event,
                                            sked_error *err)
{
    uint32_t node = skedi_keymap_get(&r->e->node_of, event->key);

    if (node != SKEDI_NONE && !r->node_goes[node]) return SKED_OK;
    if (event->partition < SKED_MAX_PARTITIONS) return SKED_OK;
    return skedi_fail_plain(err, SKED_ERR_RANGE, "no such partition");
}

static sked_status reconcile_check_new_job(const engine_recon *r,
                                           const sked_event *event,
                                           sked_error *err)
{
    uint32_t job = skedi_keymap_get(&r->e->job_of, event->key);

    if (job != SKEDI_NONE && !r->job_ends[job]) return SKED_OK;
    sked_status rc = skedi_job_check(event, err);
    return rc == SKED_OK ? reconcile_check_moment(r, event, INT64_MIN, err)
                         : rc;
}

/* Tasks of an ask that is told anew. */
static sked_status reconcile_check_new_run(const engine_recon *r,
                                           const sked_event *event,
                                           sked_error *err)
{
    uint32_t of = skedi_keymap_get(&r->asks, event->owner);
    int64_t since = r->now < INT64_MIN + SKED_TIME_JUMP_MAX
                        ? INT64_MIN
                        : r->now - SKED_TIME_JUMP_MAX;

    if (skedi_recon_ask(r, of) != SKEDI_NONE) return SKED_OK;
    return reconcile_check_moment(r, event, since, err);
}

static sked_status reconcile_check_new_row(const engine_recon *r, uint64_t row,
                                           sked_error *err)
{
    const sked_event *event = skedi_event_at(r->in, row);

    switch (event->kind) {
    case SKED_EVENT_NODE_UP: return reconcile_check_new_node(r, event, err);
    case SKED_EVENT_JOB_SUBMIT: return reconcile_check_new_job(r, event, err);
    case SKED_EVENT_TASK_RUNNING: return reconcile_check_new_run(r, event, err);
    case SKED_EVENT_ASK_ADD: break;
    default: return SKED_OK;
    }
    int over = r->withdrawn[row] && r->runs[row] == 0;
    if (over || skedi_recon_ask(r, row) != SKEDI_NONE) return SKED_OK;
    return skedi_ask_check(r->in, event, err);
}

/* Could what is to be told anew be told? The engine was judged. SKED_OK,
 * SKED_ERR_ARG, SKED_ERR_EXISTS or SKED_ERR_RANGE. */
static sked_status reconcile_recon_check_new(const engine_recon *r,
                                             sked_error *err)
{
    sked_status rc = SKED_OK;

    for (uint64_t i = 0; i < r->in->n && rc == SKED_OK; i++) {
        rc = reconcile_check_new_row(r, i, err);
        if (rc != SKED_OK) err->row = (int64_t)i;
    }
    return rc;
}

/*
 * When tasks that run end, and what they cost, beside what the truth says. A row
 * is of all that an ask runs on a node, so it differs where a group that runs
 * there, or will, has something else.
 */

/* A moment that has passed by the time of the differences says nothing. */
static int64_t reconcile_moment_ahead(const engine_recon *r, sked_time moment)
{
    return moment < r->now ? SKED_UNSET : moment;
}

/* What a row says, or the engine of a group: a moment or a cost. */
static int64_t reconcile_value_of_row(const engine_recon *r,
                                      const sked_event *event)
{
    if (event->kind == SKED_EVENT_TASK_COST) return event->count;
    return reconcile_moment_ahead(r, skedi_event_moment(r->in, event));
}

static int64_t reconcile_value_of_group(const engine_recon *r, uint32_t group,
                                        int32_t kind)
{
    const engine_notice *notice = skedi_notice_find(r->e, group);

    if (kind == SKED_EVENT_TASK_COST) return notice ? notice->cost : -1;
    return notice ? reconcile_moment_ahead(r, notice->ends) : SKED_UNSET;
}

enum { ODD_RUNS = 1, ODD_PROPOSED = 2 };

/* What the engine's groups have: of those that run how many tasks as rows say. */
static void reconcile_see_groups(engine_recon *r, uint32_t ask, int32_t kind)
{
    for (uint32_t g = ask_at(r->e, ask)->first_group; g != SKEDI_NONE;
         g = group_at(r->e, g)->ask_next) {
        const engine_group *group = group_at(r->e, g);
        int proposal = skedi_group_is_proposal(r->e, g);
        if (r->said[group->node] == 0) continue;
        const sked_event *row = skedi_event_at(r->in, r->said[group->node] - 1);
        if (reconcile_value_of_group(r, g, kind) !=
            reconcile_value_of_row(r, row)) {
            r->odd[group->node] |= proposal ? ODD_PROPOSED : ODD_RUNS;
        } else if (!proposal) {
            r->cover[group->node] += group->count;
        }
    }
}

/* Has all that is to run there what the row says, without it? */
static int reconcile_said_is_same(const engine_recon *r, uint32_t node,
                                  const sked_event *event)
{
    int64_t none = event->kind == SKED_EVENT_TASK_COST ? -1 : SKED_UNSET;
    int is_none = reconcile_value_of_row(r, event) == none;

    if (node == SKEDI_NONE) return is_none;
    if (r->odd[node] & ODD_RUNS) return 0;
    return r->want[node] <= r->cover[node] ||
           (is_none && !(r->odd[node] & ODD_PROPOSED));
}

/* Says one kind of rows of an ask, where they differ. */
static void reconcile_say_kind(engine_recon *r, uint32_t ask, uint64_t row,
                               int32_t kind)
{
    for (uint32_t i = r->first_said[row]; i != SKEDI_NONE; i = r->next_run[i]) {
        const sked_event *event = skedi_event_at(r->in, i);
        uint32_t node = ask == SKEDI_NONE ? ask : skedi_recon_node(r, i);
        if (event->kind != kind || reconcile_said_is_same(r, node, event))
            continue;
        (void)skedi_recon_say(r, kind, event->key,
                              node == SKEDI_NONE ? SKED_ENGINE_DIFFERS_LACKS
                                                 : SKED_ENGINE_DIFFERS_OTHER,
                              i);
        if (r->out && kind == SKED_EVENT_TASK_ENDS) {
            r->out[r->n - 1].moment = reconcile_value_of_row(r, event);
        }
    }
}

static void reconcile_compare_kind(engine_recon *r, uint32_t ask, uint64_t row,
                                   int32_t kind)
{
    uint32_t node, i;

    for (i = r->first_run[row]; i != SKEDI_NONE; i = r->next_run[i]) {
        node = skedi_recon_node(r, i);
        if (node != SKEDI_NONE)
            r->want[node] += skedi_event_at(r->in, i)->count;
    }
    for (i = r->first_said[row]; i != SKEDI_NONE; i = r->next_run[i]) {
        node = skedi_recon_node(r, i);
        if (node == SKEDI_NONE) continue;
        if (skedi_event_at(r->in, i)->kind == kind) r->said[node] = i + 1;
    }
    if (ask != SKEDI_NONE) reconcile_see_groups(r, ask, kind);
    reconcile_say_kind(r, ask, row, kind);
    for (i = r->first_run[row]; i != SKEDI_NONE; i = r->next_run[i]) {
        node = skedi_recon_node(r, i);
        if (node == SKEDI_NONE) continue;
        r->want[node] = r->cover[node] = 0;
        r->said[node] = r->odd[node] = 0;
    }
}

/* Rows of when tasks end and what they cost: reads one; are all of an ask of
 * tasks that run, each once? Says what differs in those of an ask. */
static void reconcile_recon_said(engine_recon *r, uint64_t row)
{
    uint32_t ask = skedi_recon_ask(r, row);

    if (r->first_said[row] == SKEDI_NONE) return;
    reconcile_compare_kind(r, ask, row, SKED_EVENT_TASK_ENDS);
    reconcile_compare_kind(r, ask, row, SKED_EVENT_TASK_COST);
}

/* Soft rules of asks and the places that they prefer, beside those of the
 * truth; and what partitions have of kinds that lie on no node. */

/* ---- Soft rules ---- */

/* The rows of an ask's soft rules, the heaviest first; how many. */
static uint32_t reconcile_soft_of_truth(const engine_recon *r, uint64_t row,
                                        uint32_t *rows)
{
    sked_rule_input rule;
    uint32_t n = 0;

    for (uint32_t i = r->first_soft[row]; i != SKEDI_NONE; i = r->next_run[i]) {
        int64_t weight = skedi_event_at(r->in, i)->count;
        if (!skedi_recon_soft_counts(r, i, &rule)) continue;
        uint32_t at = n++;
        for (; at > 0 && skedi_event_at(r->in, rows[at - 1])->count < weight;
             at--) {
            rows[at] = rows[at - 1];
        }
        rows[at] = i;
    }
    return n;
}

/* Has the engine this soft rule as a row says it? */
static int reconcile_soft_is_as(const engine_recon *r,
                                const engine_preference *own, uint64_t row)
{
    const sked_event *event = skedi_event_at(r->in, row);
    sked_rule_input rule;

    (void)skedi_recon_soft_counts(r, row, &rule);
    return (int64_t)own->weight == event->count &&
           own->until == skedi_event_moment(r->in, event) &&
           skedi_set_is(r->e, own->set, &rule);
}

/* What expires by the time of the differences is no part of what there is. */
static int reconcile_soft_is_same(const engine_recon *r, uint32_t ask,
                                  uint64_t row)
{
    const engine_preferred *list = skedi_soft_of(r->e, ask);
    uint32_t rows[SKED_MAX_ASK_PREFERENCES], at = 0;
    uint32_t n = reconcile_soft_of_truth(r, row, rows);

    for (uint32_t i = 0; list && i < list->n; i++) {
        const engine_preference *own = &list->at[i];
        if (own->until != SKED_UNSET && own->until <= r->now) continue;
        if (at == n || !reconcile_soft_is_as(r, own, rows[at])) return 0;
        at++;
    }
    return at == n;
}

/* Says what differs in the soft rules of an ask's row; in the nodes or racks that
 * a row says; in what a partition has. Reads a row of such. */
static void reconcile_recon_soft(engine_recon *r, uint64_t row)
{
    uint64_t key = skedi_event_at(r->in, row)->key;
    uint32_t ask = skedi_recon_ask(r, row);
    sked_rule_input rule;

    if (!(r->says[row] & RECON_SAYS_SOFT) || r->withdrawn[row]) return;
    if (ask != SKEDI_NONE && reconcile_soft_is_same(r, ask, row)) return;
    if (r->phase == RECON_DROPS) {
        if (ask == SKEDI_NONE || !skedi_soft_of(r->e, ask)) return;
        (void)skedi_recon_say(r, SKED_EVENT_ASK_PREFER, key,
                              SKED_ENGINE_DIFFERS_OTHER, UINT64_MAX);
        return;
    }
    for (uint32_t i = r->first_soft[row]; i != SKEDI_NONE; i = r->next_run[i]) {
        if (!skedi_recon_soft_counts(r, i, &rule)) continue;
        (void)skedi_recon_say(r, SKED_EVENT_ASK_PREFER, key,
                              ask == SKEDI_NONE ? SKED_ENGINE_DIFFERS_LACKS
                                                : SKED_ENGINE_DIFFERS_OTHER,
                              i);
    }
}

/* ---- Places ---- */

/* Are the nodes or racks of an ask, and their tasks left, those of a row? */
static int reconcile_places_are_as(const engine_recon *r, uint32_t ask,
                                   const sked_event *event)
{
    const engine_ask *a = ask_at(r->e, ask);
    uint32_t rack = event->kind == SKED_EVENT_ASK_RACKS, i = 0;
    const uint64_t *keys = NULL;
    uint32_t n = skedi_event_places(r->in, event->places, &keys);
    const uint32_t *tasks = r->in->place_tasks;

    for (uint32_t p = extra_of(r->e, a)->places; p != SKEDI_NONE;
         p = place_at(r->e, p)->next) {
        const engine_place *place = place_at(r->e, p);
        if (place->rack != rack) continue;
        if (i == n || place->key != keys[i]) return 0;
        size_t at = (size_t)(keys - r->in->places) + i;
        int64_t left = tasks ? tasks[at] : PLACE_ANY;
        if (skedi_i64_max(place->left, 0) != left) return 0;
        i++;
    }
    return i == n && (rack || (a->flags & SKED_ASK_STRICT) == event->flags);
}

/* Has an ask that is told anew what a row says, without the row? */
static int reconcile_places_are_told(const engine_recon *r,
                                     const sked_event *event,
                                     const sked_event *ask)
{
    const uint64_t *keys;
    uint32_t n = skedi_event_places(r->in, event->places, &keys);

    if (event->kind == SKED_EVENT_ASK_RACKS) return n == 0;
    return n == 0 && skedi_event_places(r->in, ask->places, &keys) == 0 &&
           (ask->flags & SKED_ASK_STRICT) == event->flags;
}

static void reconcile_recon_places(engine_recon *r, uint64_t row)
{
    const sked_event *event = skedi_event_at(r->in, row);
    uint32_t of = skedi_recon_thing(r, event);

    if (r->withdrawn[of]) return;
    uint32_t ask = skedi_recon_ask(r, of);
    /* Tasks that start or are open again count at their places. */
    int same = ask == SKEDI_NONE ? reconcile_places_are_told(
                                       r, event, skedi_event_at(r->in, of))
                                 : reconcile_places_are_as(r, ask, event) &&
                                       !skedi_recon_moves(r, ask, of);
    if (same) return;
    (void)skedi_recon_say(r, event->kind, event->key,
                          ask == SKEDI_NONE ? SKED_ENGINE_DIFFERS_LACKS
                                            : SKED_ENGINE_DIFFERS_OTHER,
                          row);
}

/* ---- Pools ---- */

static void reconcile_recon_pool(engine_recon *r, uint64_t row)
{
    const sked_event *event = skedi_event_at(r->in, row);
    const int64_t *amounts = r->in->amounts +
                             (size_t)(event->amount - 1) * r->e->kinds;
    int same = 1;

    for (uint32_t k = 0; k < r->e->kinds; k++) {
        size_t at = (size_t)event->partition * r->e->kinds + k;
        if (!kind_is_pooled(r->e, k)) continue;
        same &= amounts[k] ==
                (event->partition < r->e->parts ? r->e->capacity[at] : 0);
    }
    if (same) return;
    (void)skedi_recon_say(r, SKED_EVENT_POOL, event->key,
                          SKED_ENGINE_DIFFERS_OTHER, row);
}

/* What differs between an engine and its host's truth, and what would mend
 * it. */

SKEDI_NO_TAIL_PADDING(sked_engine_difference, reserved);

/* One row of the truth as it is: the engine lacks it. */
static void reconcile_say_row(engine_recon *r, uint64_t row)
{
    const sked_event *event = skedi_event_at(r->in, row);

    (void)skedi_recon_say(r, event->kind, event->key, SKED_ENGINE_DIFFERS_LACKS,
                          row);
}

static void reconcile_say_extra(engine_recon *r, int32_t kind, uint64_t key)
{
    (void)skedi_recon_say(r, kind, key, SKED_ENGINE_DIFFERS_EXTRA, UINT64_MAX);
}

/* ---- Is it the same? ---- */

static const int64_t *reconcile_truth_amounts(const engine_recon *r,
                                              const sked_event *event)
{
    return r->in->amounts + (size_t)(event->amount - 1) * r->e->kinds;
}

static int reconcile_node_is_same(const engine_recon *r, uint32_t node,
                                  uint64_t row)
{
    const sked_event *event = skedi_event_at(r->in, row);
    const engine_node *n = node_at(r->e, node);

    return event->partition == n->partition && event->owner == n->rack;
}

/* Is a job charged where the truth says, whose queues are there? */
static int reconcile_charge_is_same(const engine_recon *r,
                                    const engine_job *job,
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

static int reconcile_job_is_same(const engine_recon *r, uint32_t job,
                                 uint64_t row)
{
    const sked_event *event = skedi_event_at(r->in, row);
    const engine_job *j = job_at(r->e, job);
    const engine_user *user = (const engine_user *)r->e->users.item + j->user;
    sked_time moment = skedi_event_moment(r->in, event);

    int admitted = (event->flags & SKED_JOB_ADMITTED) != 0;

    return j->state != JOB_ENDED && !(admitted && j->state == JOB_WAITING) &&
           user->key == event->owner && reconcile_charge_is_same(r, j, event) &&
           j->flags == (event->flags & ~(uint32_t)SKED_JOB_ADMITTED) &&
           (moment == SKED_UNSET || moment == j->submitted);
}

static int reconcile_places_are_same(const engine_recon *r, const engine_ask *a,
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
static int reconcile_ask_is_over(const engine_recon *r, uint64_t row)
{
    return r->withdrawn[row] && r->runs[row] == 0;
}

/* So many tasks of a gang over nodes would start together, were all that is left
 * of it open. Those that have ended count as started; where these are as many as
 * it was to start with, it goes on as one that begins with the least. */
static int64_t reconcile_starts_together(const engine_recon *r,
                                         const engine_ask *a, int64_t count)
{
    const engine_extra *own = extra_of(r->e, a);

    if (count > own->spare) return count - own->spare;
    return skedi_i64_min(own->each ? own->each : 1, count);
}

/* Do the engine and the truth say the same of how a gang over nodes starts? */
static int reconcile_gang_is_same(const engine_recon *r, const engine_ask *a,
                                  const sked_event *event)
{
    const sked_event_gang gang = skedi_event_gang(r->in, event);

    if (!(event->flags & SKED_ASK_SPREAD)) return 1; /* flags are compared */
    return skedi_shape_per_node(r->e, a->shape) == gang.per_node &&
           skedi_shape_gang(r->e, a->shape).same == gang.same &&
           reconcile_starts_together(r, a, event->count) == gang.at_once;
}

/* That it may wait is no part of what it is. */
static int reconcile_ask_is_same(engine_recon *r, uint32_t ask, uint64_t row)
{
    const sked_event *event = skedi_event_at(r->in, row);
    const engine_ask *a = ask_at(r->e, ask);
    const int64_t *task = engine_row_of(r->e, &r->e->shape_task, a->shape);
    int placed = (r->says[row] & RECON_SAYS_PLACES) != 0; /* by a row */
    uint32_t other = SKED_ASK_WAIT | (placed ? SKED_ASK_STRICT : 0);

    if (reconcile_ask_is_over(r, row) || a->closed > r->withdrawn[row] ||
        r->job_ends[a->job] || job_at(r->e, a->job)->key != event->owner ||
        a->partition != event->partition || a->priority != event->priority ||
        (a->flags | other) != (event->flags | other) ||
        !reconcile_gang_is_same(r, a, event) ||
        memcmp(task, reconcile_truth_amounts(r, event),
               r->e->kinds * sizeof *task) != 0 ||
        (!placed && !reconcile_places_are_same(r, a, event))) {
        return 0;
    }
    int is_final = a->closed || a->flags & SKED_ASK_GANG;
    return !is_final || skedi_recon_fits(r, ask, row);
}

/* What of the engine does not stay. */
static void reconcile_judge_engine(engine_recon *r)
{
    sked_engine *e = r->e;

    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        uint32_t row = skedi_keymap_get(&r->nodes, node_at(e, n)->key);
        r->node_goes[n] = row == SKEDI_NONE ||
                          !reconcile_node_is_same(r, n, row);
    }
    for (uint32_t j = 0; j < e->jobs.n; j++) {
        if (job_at(e, j)->state == JOB_FREE_SLOT) continue;
        uint32_t row = skedi_keymap_get(&r->jobs, job_at(e, j)->key);
        r->job_ends[j] = row == SKEDI_NONE || !reconcile_job_is_same(r, j, row);
    }
    for (uint32_t a = 0; a < e->asks.n; a++) {
        if (!ask_at(e, a)->live) continue;
        uint32_t row = skedi_keymap_get(&r->asks, ask_at(e, a)->key);
        r->ask_ends[a] = row == SKEDI_NONE || !reconcile_ask_is_same(r, a, row);
    }
    skedi_recon_judge_tags(r);
}

/* ---- What ends ---- */

static void reconcile_end_asks(engine_recon *r)
{
    for (uint32_t a = 0; a < r->e->asks.n; a++) {
        const engine_ask *ask = ask_at(r->e, a);
        if (!ask->live || ask->closed || !r->ask_ends[a]) continue;
        reconcile_say_extra(r, SKED_EVENT_ASK_WITHDRAW, ask->key);
    }
}

static void reconcile_end_groups(engine_recon *r)
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

static void reconcile_end_nodes(engine_recon *r)
{
    const sked_engine *e = r->e;

    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        if (r->node_goes[n]) {
            reconcile_say_extra(r, SKED_EVENT_NODE_DOWN, node_at(e, n)->key);
        }
    }
}

static void reconcile_end_jobs(engine_recon *r)
{
    for (uint32_t j = 0; j < r->e->jobs.n; j++) {
        const engine_job *job = job_at(r->e, j);
        int there = job->state != JOB_FREE_SLOT && job->state != JOB_ENDED;
        if (there && r->job_ends[j]) {
            reconcile_say_extra(r, SKED_EVENT_JOB_FINISH, job->key);
        }
    }
}

/* ---- Row by row ---- */

/* Has a node the amounts that the truth says, in kinds that lie on nodes? */
static int reconcile_node_is_as(const engine_recon *r, uint32_t node,
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

static void reconcile_see_node_row(engine_recon *r, uint64_t row)
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
        reconcile_say_row(r, row);
    } else if (!reconcile_node_is_as(r, node,
                                     reconcile_truth_amounts(r, event))) {
        (void)skedi_recon_say(r, SKED_EVENT_NODE_CHANGE, event->key,
                              SKED_ENGINE_DIFFERS_OTHER, row);
    }
}

static void reconcile_see_job_row(engine_recon *r, uint64_t row)
{
    const sked_event *event = skedi_event_at(r->in, row);
    uint32_t job = skedi_keymap_get(&r->e->job_of, event->key);

    if (job == SKEDI_NONE || r->job_ends[job]) {
        reconcile_say_row(r, row);
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
static void reconcile_see_new_ask(engine_recon *r, uint64_t row)
{
    const sked_event *event = skedi_event_at(r->in, row);
    sked_event *said = skedi_recon_say(r, SKED_EVENT_ASK_ADD, event->key,
                                       SKED_ENGINE_DIFFERS_LACKS, row);

    if (said && r->runs[row] > 0) said->flags |= SKED_ASK_WAIT;
}

static void reconcile_see_row(engine_recon *r, uint64_t row)
{
    const sked_event *event = skedi_event_at(r->in, row);
    int32_t kind = event->kind;
    int tasks = r->phase >= RECON_RUNNING && r->phase <= RECON_EXTRA;

    if (kind == SKED_EVENT_NODE_UP) reconcile_see_node_row(r, row);
    if (kind == SKED_EVENT_POOL && r->phase == RECON_POOLS) {
        reconcile_recon_pool(r, row);
    }
    if (kind == SKED_EVENT_ASK_PLACES || kind == SKED_EVENT_ASK_RACKS) {
        if (r->phase == RECON_PLACES) reconcile_recon_places(r, row);
    } else if (r->phase == RECON_TRAITS && skedi_recon_is_trait(event)) {
        skedi_recon_trait(r, row);
    }
    if (kind == SKED_EVENT_JOB_SUBMIT) {
        int admitted = (event->flags & SKED_JOB_ADMITTED) != 0;
        if (r->phase == (admitted ? RECON_ADMITTED : RECON_JOBS)) {
            reconcile_see_job_row(r, row);
        }
    }
    if (kind != SKED_EVENT_ASK_ADD || reconcile_ask_is_over(r, row)) return;
    if (tasks) skedi_recon_tasks(r, row);
    if (r->phase == RECON_SAID) reconcile_recon_said(r, row);
    if (r->phase == RECON_DROPS || r->phase == RECON_SOFT) {
        reconcile_recon_soft(r, row);
    }
    if (r->phase == RECON_ASKS && skedi_recon_ask(r, row) == SKEDI_NONE) {
        reconcile_see_new_ask(r, row);
    }
}

static void reconcile_compare(engine_recon *r, sked_engine_difference *out)
{
    r->out = out;
    r->n = 0;
    for (r->phase = 0; r->phase < RECON_PHASES; r->phase++) {
        switch (r->phase) {
        case RECON_WITHDRAW: reconcile_end_asks(r); break;
        case RECON_END: reconcile_end_groups(r); break;
        case RECON_DOWN: reconcile_end_nodes(r); break;
        case RECON_FINISH: reconcile_end_jobs(r); break;
        default:
            for (uint64_t i = 0; i < r->in->n; i++) reconcile_see_row(r, i);
        }
    }
}

/* ---- Life ---- */

/* The next `n` items of a block of memory that is zero; or its size so far. */
static size_t reconcile_block_part(engine_recon *r, size_t at, void *where,
                                   size_t n, size_t size)
{
    if (r->block) {
        void *part = (char *)r->block + at;
        memcpy(where, &part, sizeof part);
    }
    return at + (n * size + 7) / 8 * 8;
}

static size_t reconcile_lay_recon(engine_recon *r)
{
    const sked_engine *e = r->e;
    size_t rows = (size_t)r->in->n + 1, at = 0;

    at = reconcile_block_part(r, at, &r->runs, rows, sizeof *r->runs);
    at = reconcile_block_part(r, at, &r->want, e->nodes.n, sizeof *r->want);
    at = reconcile_block_part(r, at, &r->cover, e->nodes.n, sizeof *r->cover);
    at = reconcile_block_part(r, at, &r->said, e->nodes.n, sizeof *r->said);
    at = reconcile_block_part(r, at, &r->first_run, rows, sizeof *r->first_run);
    at = reconcile_block_part(r, at, &r->next_run, rows, sizeof *r->next_run);
    at = reconcile_block_part(r, at, &r->first_soft, rows,
                              sizeof *r->first_soft);
    at = reconcile_block_part(r, at, &r->first_said, rows,
                              sizeof *r->first_said);
    at = reconcile_block_part(r, at, &r->seen, rows, sizeof *r->seen);
    at = reconcile_block_part(r, at, &r->terms, rows, sizeof *r->terms);
    at = reconcile_block_part(r, at, &r->values, rows, sizeof *r->values);
    at = reconcile_block_part(r, at, &r->soft, rows, 1);
    at = reconcile_block_part(r, at, &r->pools, SKED_MAX_PARTITIONS, 1);
    at = reconcile_block_part(r, at, &r->drains, rows, 1);
    at = reconcile_block_part(r, at, &r->withdrawn, rows, 1);
    at = reconcile_block_part(r, at, &r->says, rows, 1);
    at = reconcile_block_part(r, at, &r->node_goes, e->nodes.n, 1);
    at = reconcile_block_part(r, at, &r->odd, e->nodes.n, 1);
    at = reconcile_block_part(r, at, &r->job_ends, e->jobs.n, 1);
    return reconcile_block_part(r, at, &r->ask_ends, e->asks.n, 1);
}

static int reconcile_open_recon(engine_recon *r)
{
    size_t stride = r->in->stride ? r->in->stride : sizeof(sked_event);
    skedi_keymap *maps[] = {&r->nodes, &r->jobs, &r->asks};

    memcpy(&r->items, &r->in->events, sizeof r->items);
    for (int i = 0; i < 3; i++) {
        skedi_keymap_start(maps[i], &r->items, stride,
                           offsetof(sked_event, key));
    }
    r->bytes = reconcile_lay_recon(r);
    r->block = skedi_new(&r->e->hooks.mem, r->bytes, 1);
    if (r->block) (void)reconcile_lay_recon(r);
    return r->block != NULL;
}

static void reconcile_close_recon(engine_recon *r)
{
    skedi_mem *mem = &r->e->hooks.mem;

    skedi_keymap_free(&r->nodes, mem);
    skedi_keymap_free(&r->jobs, mem);
    skedi_keymap_free(&r->asks, mem);
    skedi_free(mem, r->block, r->bytes, 1);
}

static sked_status reconcile_reconcile(engine_recon *r,
                                       sked_engine_difference *out, size_t cap,
                                       size_t *n, sked_error *err)
{
    if (!reconcile_open_recon(r)) {
        return skedi_fail_memory(err);
    }
    sked_status rc = skedi_recon_read(r, err);
    if (rc == SKED_OK) {
        reconcile_judge_engine(r);
        rc = reconcile_recon_check_new(r, err);
    }
    if (rc == SKED_OK) {
        reconcile_compare(r, NULL);
        *n = r->n;
        if (r->n <= cap) {
            reconcile_compare(r, out);
        } else {
            rc = skedi_fail_plain(err, SKED_ERR_RANGE,
                                  "more differs than fits");
        }
    }
    reconcile_close_recon(r);
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
    if (rc == SKED_OK) {
        engine_recon r = {.e = engine, .in = &batch, .now = engine->now};
        rc = reconcile_reconcile(&r, differences, cap, n, err);
    }
    return skedi_busy_leave(engine, rc);
}
