/*
 * Verifies a plan. The plan is taken row by row into the same book as in
 * planning; a step that the rules do not allow is a fault. The placements are
 * then compared with the free resources, and every victim is tested for being
 * spare.
 */
#include "base/fail.h"
#include "base/sort.h"
#include "base/versioned.h"
#include "preempt/sketch.h"
#include "preempt/nodes.h"
#include "preempt/surplus.h"

#define NO_LOT UINT32_MAX

enum {
    VERIFIED_PLAN_V1 = SKEDI_SIZE_THROUGH(sked_preempt_result, n_placements)
};

typedef struct trial {
    skedi_scene scene;
    skedi_book book;
    skedi_nodes nodes;
    const sked_preempt_result *plan;
    uint32_t *lot_of; /* by candidate; NO_LOT */
    uint32_t *named;  /* by candidate: its tasks in the plan */
    uint32_t *by_lot; /* rows of a gang in the plan */
    /* By class of the queues: copies taken by priority, and by other rules. */
    int64_t *by_priority, *otherwise;
    uint8_t *rules;   /* by queue: a bit (1 << reason) for each rule inside the
                       queue */
    uint64_t *placed; /* by request: tasks */
    uint8_t
        *has_claim; /* by request: 1: a placement as a claim; 2: one within */
    sked_error *err;
} trial;

static sked_status broken(const trial *t, const char *rule, size_t row,
                          uint32_t kind)
{
    return skedi_fail(
        t->err, SKED_ERR_INVALID, rule,
        (skedi_fault){.row = (int64_t)row + 1, .kind = (int32_t)kind});
}

/* ---- Memory ---- */

static int trial_reserve(trial *t)
{
    skedi_mem *mem = &t->scene.hooks.mem;
    size_t n = (size_t)t->scene.in.n + (size_t)1,
           lots = t->scene.n_rows + (size_t)1;
    size_t requests = (size_t)t->scene.in.n_requests + (size_t)1;
    size_t queues = (size_t)t->scene.in.n_queues + (size_t)1;
    size_t classes = t->scene.queue_surplus.n + (size_t)1;

    return skedi_book_open(&t->book, &t->scene) &&
           (t->lot_of = skedi_new(mem, n, sizeof *t->lot_of)) &&
           (t->named = skedi_new(mem, n, sizeof *t->named)) &&
           (t->by_lot = skedi_new(mem, lots, sizeof *t->by_lot)) &&
           (t->by_priority = skedi_new(mem, classes, sizeof(int64_t))) &&
           (t->otherwise = skedi_new(mem, classes, sizeof(int64_t))) &&
           (t->rules = skedi_new(mem, queues, 1)) &&
           (t->placed = skedi_new(mem, requests, sizeof *t->placed)) &&
           (t->has_claim = skedi_new(mem, requests, 1));
}

static void trial_drop(trial *t)
{
    skedi_mem *mem = &t->scene.hooks.mem;
    size_t n = (size_t)t->scene.in.n + (size_t)1,
           lots = t->scene.n_rows + (size_t)1;
    size_t requests = (size_t)t->scene.in.n_requests + (size_t)1;
    size_t queues = (size_t)t->scene.in.n_queues + (size_t)1;
    size_t classes = t->scene.queue_surplus.n + (size_t)1;

    skedi_book_close(&t->book, &t->scene);
    skedi_free(mem, t->lot_of, n, sizeof *t->lot_of);
    skedi_free(mem, t->named, n, sizeof *t->named);
    skedi_free(mem, t->by_lot, lots, sizeof *t->by_lot);
    skedi_free(mem, t->by_priority, classes, sizeof(int64_t));
    skedi_free(mem, t->otherwise, classes, sizeof(int64_t));
    skedi_free(mem, t->rules, queues, 1);
    skedi_free(mem, t->placed, requests, sizeof *t->placed);
    skedi_free(mem, t->has_claim, requests, 1);
    if (t->nodes.scene) skedi_nodes_close(&t->nodes);
    skedi_scene_drop(&t->scene);
}

static void map_lots(trial *t)
{
    for (uint32_t i = 0; i < t->scene.in.n; i++) t->lot_of[i] = NO_LOT;
    for (uint32_t i = 0; i < t->scene.n_lots; i++) {
        const skedi_lot *lot = &t->scene.lots[i];
        for (uint32_t r = 0; r < (lot->rows ? lot->rows : 1); r++) {
            t->lot_of[skedi_lot_row(&t->scene, lot, r)] = i;
        }
    }
}

/* ---- Victims ---- */

static sked_status row_holds(trial *t, size_t i)
{
    const sked_preempt_victim *v = &t->plan->victims[i];
    const sked_preempt_input *in = &t->scene.in;

    if (v->row >= in->n) return broken(t, "victim: no such row", i, 0);
    if (t->lot_of[v->row] == NO_LOT) {
        return broken(t, "victim may not be taken", i, 0);
    }
    if (v->count == 0) return broken(t, "victim of no tasks", i, 0);
    if (v->count > skedi_row_count(in, v->row) - t->named[v->row]) {
        return broken(t, "more tasks than the row has", i, 0);
    }
    t->named[v->row] += v->count;
    if (!in->n_requests) {
        return v->request == SKED_NO_ROW &&
                       v->reason == SKED_PREEMPT_REASON_OVER
                   ? SKED_OK
                   : broken(t, "victim for no need", i, 0);
    }
    return v->request < in->n_requests
               ? SKED_OK
               : broken(t, "victim: no such request", i, 0);
}

/* Checks the reason of the victim. */
static sked_status reason_holds(trial *t, size_t i)
{
    const sked_preempt_victim *v = &t->plan->victims[i];
    const sked_preempt_input *in = &t->scene.in;
    const skedi_lot *lot = &t->scene.lots[t->lot_of[v->row]];

    if (!in->n_requests) return SKED_OK;
    if (v->reason != SKED_PREEMPT_REASON_OVER) {
        uint32_t rule = skedi_rule_inside(in, v->request, lot);
        return rule != 0 && rule == v->reason
                   ? SKED_OK
                   : broken(t, "no rule of the leaf allows it", i, 0);
    }
    return in->request_queue[v->request] != lot->queue
               ? SKED_OK
               : broken(t, "a queue cannot claim from itself", i, 0);
}

/* Notes the rule by which copies of a lot go. */
static void note_rule(trial *t, const skedi_lot *lot, uint32_t rule,
                      uint32_t copies)
{
    int by_priority = rule == SKED_PREEMPT_REASON_PRIORITY;

    (by_priority ? t->by_priority : t->otherwise)[lot->class] += copies;
    if (rule == SKED_PREEMPT_REASON_OVER) return;
    t->rules[lot->queue] |= (uint8_t)(1 << rule);
}

/* Takes one row. Rows of a gang come one by one; the first row takes the gang,
 * the last row completes the gang. */
static sked_status take_row(trial *t, size_t i)
{
    const sked_preempt_victim *v = &t->plan->victims[i];
    uint32_t at = t->lot_of[v->row], copies = v->count;
    skedi_lot *lot = &t->scene.lots[at];

    if (lot->rows) {
        if (v->count != skedi_row_count(&t->scene.in, v->row)) {
            return broken(t, "a gang goes whole", i, 0);
        }
        if (t->by_lot[at]++ > 0) return SKED_OK;
        copies = 1;
    }
    if (skedi_book_most(&t->book, lot, v->reason) < copies) {
        return broken(t, "beyond keep, take or budget", i, 0);
    }
    skedi_book_take(&t->book, lot, v->reason, copies);
    note_rule(t, lot, v->reason, copies);
    if (t->scene.in.n_requests) skedi_nodes_free(&t->nodes, lot, copies);
    return SKED_OK;
}

static sked_status victims_hold(trial *t)
{
    sked_status rc = SKED_OK;

    for (size_t i = 0; rc == SKED_OK && i < t->plan->n_victims; i++) {
        rc = row_holds(t, i);
        if (rc == SKED_OK) rc = reason_holds(t, i);
        if (rc == SKED_OK) rc = take_row(t, i);
    }
    for (size_t i = 0; rc == SKED_OK && i < t->plan->n_victims; i++) {
        uint32_t at = t->lot_of[t->plan->victims[i].row];
        const skedi_lot *lot = &t->scene.lots[at];
        if (lot->rows && t->by_lot[at] != lot->rows) {
            rc = broken(t, "a gang goes whole", i, 0);
        }
    }
    return rc;
}

/* ---- Placements ---- */

static int is_place_of(const sked_preempt_input *in, uint32_t request,
                       uint32_t node)
{
    uint32_t from = in->place_offset ? in->place_offset[request] : 0;
    uint32_t to = in->place_offset ? in->place_offset[request + 1] : 0;

    if (node >= (in->n_nodes ? in->n_nodes : 1)) return 0;
    if (from == to) return 1; /* any node */
    for (uint32_t i = from; i < to; i++) {
        if (in->place[i] == node) return 1;
    }
    return 0;
}

static sked_status placement_holds(trial *t, size_t i)
{
    const sked_preempt_placement *placement = &t->plan->placements[i];
    const sked_preempt_input *in = &t->scene.in;

    if (placement->request >= in->n_requests) {
        return broken(t, "placement: no such request", i, 0);
    }
    if (!is_place_of(in, placement->request, placement->node)) {
        return broken(t, "placement: not a place of the request", i, 0);
    }
    t->placed[placement->request] += placement->count;
    uint32_t asked = in->request_count ? in->request_count[placement->request]
                                       : 1;
    if (placement->count == 0 || placement->claim > 1 ||
        t->placed[placement->request] > asked) {
        return broken(t, "placement: more tasks than were asked for", i, 0);
    }
    const int64_t *amount = in->request_amount +
                            (size_t)placement->request * in->kinds;
    if (skedi_nodes_fit(&t->nodes, placement->node, amount, placement->count) <
        placement->count) {
        return broken(t, "placement: the node does not hold it", i, 0);
    }
    if (placement->claim &&
        skedi_book_claims(&t->book, placement->request, placement->count) <
            placement->count) {
        return broken(t, "placement: beyond the queue's share", i, 0);
    }
    for (uint32_t k = 0; k < in->kinds; k++) {
        t->nodes.free[(size_t)placement->node * in->kinds + k] -= amount[k] *
                                                                  placement
                                                                      ->count;
    }
    skedi_book_serve(&t->book, placement->request, placement->claim != 0,
                     placement->count);
    t->has_claim[placement->request] |= placement->claim ? 1 : 2;
    return SKED_OK;
}

/* ---- Gangs over nodes ---- */

/* A placement of a gang, by request and node. */
static int is_of_gang(const trial *t, size_t i)
{
    return skedi_per_node(&t->scene.in, t->plan->placements[i].request) > 0;
}

/* Checks the number of tasks of gangs on each node. 0: the placement `*at` has
 * too many. */
static int nodes_of_gangs_hold(const trial *t, const skedi_keyed *order,
                               size_t n, size_t *at)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < n; i++) {
        const sked_preempt_placement *p = &t->plan->placements[order[i].index];
        if (i > 0 && order[i].key != order[i - 1].key) sum = 0;
        sum += p->count;
        *at = order[i].index;
        if (is_of_gang(t, *at) &&
            sum > skedi_per_node(&t->scene.in, p->request)) {
            return 0;
        }
    }
    return 1;
}

/* A gang over nodes is placed as a claim, whole, and within its number of tasks
 * a node. */
static sked_status gangs_hold(trial *t)
{
    const sked_preempt_input *in = &t->scene.in;
    skedi_mem *mem = &t->scene.hooks.mem;
    size_t n = (size_t)t->plan->n_placements, at = 0;

    if (!in->request_per_node) return SKED_OK;
    for (size_t i = 0; i < n; i++) {
        const sked_preempt_placement *p = &t->plan->placements[i];
        uint32_t asked = in->request_count ? in->request_count[p->request] : 1;
        if (!is_of_gang(t, i)) continue;
        if (!p->claim) {
            return broken(t, "placement: a gang over nodes claims", i, 0);
        }
        if (t->placed[p->request] != asked) {
            return broken(t, "placement: only a part of a gang", i, 0);
        }
    }
    skedi_keyed *order = skedi_new(mem, 2 * n + 1, sizeof *order);
    if (!order) return skedi_plan_failed(SKED_ERR_NOMEM, t->err);
    for (size_t i = 0; i < n; i++) {
        const sked_preempt_placement *p = &t->plan->placements[i];
        order[i] = (skedi_keyed){.key = (uint64_t)p->request << 32 | p->node,
                                 .index = (uint32_t)i};
    }
    skedi_sort_keys(order, order + n, n);
    int hold = nodes_of_gangs_hold(t, order, n, &at);
    skedi_free(mem, order, 2 * n + 1, sizeof *order);
    return hold ? SKED_OK
                : broken(t, "placement: too many of a gang on a node", at, 0);
}

/* Checks that the victim's request has a placement by the same rule. */
static sked_status victim_is_for(const trial *t, size_t i)
{
    const sked_preempt_victim *v = &t->plan->victims[i];
    int claim = v->reason == SKED_PREEMPT_REASON_OVER;

    if (!(t->has_claim[v->request] & (claim ? 1 : 2))) {
        return broken(t, "its request has no placement", i, 0);
    }
    if (v->reason == SKED_PREEMPT_REASON_USER &&
        skedi_book_user_over(&t->book, v->request)) {
        return broken(t, "its request's user has more than a share", i, 0);
    }
    return SKED_OK;
}

/*
 * If tasks of a leaf go by priority, checks that the leaf protects no less with
 * all placements and without the victims. A leaf that also gives by user is not
 * checked, because the rule may cost the leaf protected tasks.
 */
static sked_status priorities_hold(trial *t)
{
    const skedi_surplus_change change = {.taken = t->otherwise,
                                         .picked = t->by_priority,
                                         .added = t->book.class_served};

    for (size_t i = 0; i < t->plan->n_victims; i++) {
        const sked_preempt_victim *v = &t->plan->victims[i];
        uint32_t queue = t->scene.in.queue[v->row];
        if (t->rules[queue] != 1 << SKED_PREEMPT_REASON_PRIORITY) continue;
        t->rules[queue] = 0; /* once is enough */
        if (skedi_surplus_protects(&t->scene, &change, queue)) continue;
        return broken(t, "less is protected in its leaf", i, 0);
    }
    return SKED_OK;
}

static sked_status placements_hold(trial *t)
{
    sked_status rc = SKED_OK;

    if (!t->scene.in.n_requests) {
        return t->plan->n_placements
                   ? broken(t, "placement: no such request", 0, 0)
                   : SKED_OK;
    }
    for (size_t i = 0; rc == SKED_OK && i < t->plan->n_placements; i++) {
        rc = placement_holds(t, i);
    }
    if (rc == SKED_OK) rc = gangs_hold(t);
    for (size_t i = 0; rc == SKED_OK && i < t->plan->n_victims; i++) {
        rc = victim_is_for(t, i);
    }
    return rc == SKED_OK ? priorities_hold(t) : rc;
}

/* ---- No spare victims ---- */

/* By need: the amount of a kind that the queues cover. */
static int64_t covered_of(const trial *t, uint32_t kind)
{
    const sked_preempt_input *in = &t->scene.in;
    int64_t sum = 0;

    for (uint32_t q = 0; q < in->n_queues; q++) {
        size_t at = (size_t)q * in->kinds + kind;
        sum = skedi_amount_add(
            sum, skedi_i64_min(t->book.taken[at], skedi_take_of(in, at)));
    }
    return sum;
}

/* Checks that the cover would be too small without one copy. */
static int is_needed(const trial *t, const skedi_lot *lot,
                     const int64_t *covered)
{
    const sked_preempt_input *in = &t->scene.in;

    for (uint32_t i = 0; i < t->scene.n_needed; i++) {
        uint32_t k = t->scene.needed[i];
        size_t at = (size_t)lot->queue * in->kinds + k;
        int64_t take = skedi_take_of(in, at), taken = t->book.taken[at];
        int64_t loss = skedi_i64_min(taken, take) -
                       skedi_i64_min(taken - lot->amount[k], take);
        if (loss > 0 && covered[k] - loss < in->need[k]) return 1;
    }
    return 0;
}

static sked_status none_spare(trial *t)
{
    const sked_preempt_input *in = &t->scene.in;
    int64_t covered[SKED_MAX_KINDS] = {0};

    if (in->flags & SKED_PREEMPT_FLAG_PLAIN) return SKED_OK;
    for (uint32_t k = 0; !in->n_requests && k < in->kinds; k++) {
        covered[k] = covered_of(t, k);
    }
    for (size_t i = 0; i < t->plan->n_victims; i++) {
        skedi_lot *lot = &t->scene.lots[t->lot_of[t->plan->victims[i].row]];
        int spare = in->n_requests ? skedi_nodes_spare(&t->nodes, lot, 1) > 0
                                   : !is_needed(t, lot, covered);
        if (spare) return broken(t, "a victim that can be spared", i, 0);
    }
    return SKED_OK;
}

/* ---- */

static sked_status trial_open(trial *t, const sked_preempt_input *input,
                              const sked_host *host)
{
    const sked_preempt_result *plan = t->plan;
    sked_status rc = skedi_scene_read(&t->scene, input, host, t->err);

    if (rc != SKED_OK) return rc;
    if (!plan) return skedi_fail_plain(t->err, SKED_ERR_ARG, "no plan");
    rc = skedi_struct_out(plan->struct_size, VERIFIED_PLAN_V1);
    if (rc != SKED_OK) {
        return skedi_fail_version(t->err, "plan");
    }
    if ((!plan->victims && plan->n_victims) ||
        (!plan->placements && plan->n_placements)) {
        return skedi_fail_plain(t->err, SKED_ERR_ARG, "plan lacks its arrays");
    }
    rc = skedi_scene_lots(&t->scene, t->err);
    if (rc != SKED_OK) return rc;
    if (!trial_reserve(t)) return skedi_plan_failed(SKED_ERR_NOMEM, t->err);
    map_lots(t);
    return t->scene.in.n_requests
               ? skedi_nodes_open(&t->nodes, &t->scene, t->err)
               : SKED_OK;
}

sked_status sked_preempt_verify(const sked_preempt_input *input,
                                const sked_preempt_result *plan,
                                const sked_host *host, sked_error *err)
{
    trial t = {.plan = plan, .err = err};
    sked_status rc = trial_open(&t, input, host);

    if (rc == SKED_OK) rc = victims_hold(&t);
    if (rc == SKED_OK) rc = placements_hold(&t);
    if (rc == SKED_OK) rc = none_spare(&t);
    trial_drop(&t);
    return rc;
}
