/*
 * Creates and frees advice, in two steps: the needs of leaves, and the tree
 * that meets the needs. Advice has copies of all its inputs.
 */
#include <sched/advise.h>

#include <string.h>

#include "base/arith.h"
#include "base/fail.h"
#include "base/hooks.h"
#include "base/sort.h"
#include "base/versioned.h"
#include "plan/leaves.h"
#include "tree/handle.h"

/* Advice, and the functions that make advice. */

struct sked_advice {
    skedi_hooks hooks;
    sked_host host; /* for handles inside: without user_free */
    sked_tree *target;
    sked_diff *diff;
    sked_plan *plan; /* NULL: nothing could be chosen */
    sked_queue_id below;
    sked_queue_id other;
    sked_advice_result sum;
    sked_queue_id *queue; /* by leaf, in the target */
    uint8_t *tier;
    int64_t *max_running;
    int64_t *allocation;
    sked_pctl_point *point;
    sked_pctl_queue *total;
    uint32_t leaves;
    int chosen; /* 1: allocations exist */
};

/*
 * The needs of each leaf: the jobs of the window as intervals of a history, the
 * thresholds of the tiers, and the number of concurrent applications.
 */

static const int64_t low_default = 500000;

/* The temporary columns of a call. */
typedef struct measuring {
    sked_advice *a;
    const sked_advice_input *in;
    sked_history *history;
    uint32_t *leaf;  /* by job; outside the window: `leaves` */
    uint32_t *first; /* by leaf */
    size_t leaves;
} measuring;

static sked_status no_memory(sked_error *err)
{
    return skedi_fail_memory(err);
}

/* The leaf of each job. */
static sked_status measure_leaves(measuring *m, sked_error *err)
{
    sked_advice *a = m->a;
    skedi_mem *mem = &a->hooks.mem;
    uint64_t n = m->in->jobs->n;

    if (n > INT32_MAX) {
        return skedi_fail(err, SKED_ERR_RANGE, "too many jobs",
                          (skedi_fault){.got = (int64_t)n, .limit = INT32_MAX});
    }
    m->leaf = skedi_new(mem, (size_t)n, sizeof *m->leaf);
    if (!m->leaf) return no_memory(err);
    sked_status rc = sked_plan_leaves(m->in->jobs, &a->host, m->leaf, NULL,
                                      NULL, 0, &m->leaves, err);
    if (rc == SKED_ERR_RANGE && m->leaves) rc = SKED_OK; /* only counted */
    if (rc != SKED_OK) return rc;
    a->leaves = (uint32_t)m->leaves;
    a->queue = skedi_new(mem, m->leaves, sizeof *a->queue);
    a->tier = skedi_new(mem, m->leaves, sizeof *a->tier);
    a->max_running = skedi_new(mem, m->leaves, sizeof *a->max_running);
    a->allocation = skedi_new(mem, m->leaves, sizeof *a->allocation);
    a->point = skedi_new(mem, m->leaves, sizeof *a->point);
    a->total = skedi_new(mem, m->leaves, sizeof *a->total);
    if (!a->queue || !a->tier || !a->max_running || !a->allocation ||
        !a->point || !a->total) {
        return no_memory(err);
    }
    rc = sked_plan_leaves(m->in->jobs, &a->host, m->leaf, NULL, a->tier,
                          m->leaves, &m->leaves, err);
    for (uint32_t i = 0; rc == SKED_OK && i < n; i++) {
        if (m->leaf[i] == SKED_PLAN_NO_LEAF) m->leaf[i] = a->leaves;
    }
    return rc;
}

/* The jobs' history, settled. */
static sked_status take_history(measuring *m, sked_error *err)
{
    const sked_plan_jobs *jobs = m->in->jobs;
    int window = jobs->from != 0 || jobs->to != 0;
    sked_history_options opts = {.struct_size = sizeof opts,
                                 .flags = window ? SKED_HISTORY_FLAG_WINDOW : 0,
                                 .queues = m->a->leaves + 1,
                                 .kinds = m->in->kinds,
                                 .from = jobs->from,
                                 .to = jobs->to};
    sked_history_input rows = {.struct_size = sizeof rows,
                               .flags = SKED_HISTORY_INPUT_FLAG_ANY_ORDER,
                               .form = SKED_HISTORY_FORM_INTERVALS,
                               .n = jobs->n,
                               .queue = m->leaf,
                               .start = jobs->start,
                               .end = jobs->end,
                               .amount = m->in->amounts};
    sked_status rc = sked_history_new(m->in->instance, &opts, &m->a->host,
                                      &m->history, err);

    if (rc == SKED_OK && jobs->n) {
        rc = sked_history_add(m->history, &rows, NULL, err);
    }
    if (rc == SKED_OK) {
        rc = sked_history_settle(m->history, SKED_HISTORY_END, err);
    }
    return rc;
}

/* Allocates to every leaf its need at the upper bound of its tier. */
static sked_status take_upper(measuring *m, const int64_t *high,
                              sked_error *err)
{
    sked_advice *a = m->a;
    sked_advice_result *sum = &a->sum;
    sked_status rc = SKED_OK;

    for (uint32_t t = 0; t < sum->tiers; t++) sum->threshold_ppm[t] = high[t];
    for (uint32_t i = 0; rc == SKED_OK && i < a->leaves; i++) {
        const sked_ratio part = {high[a->tier[i] - 1], SKED_PPM};
        int64_t *all = &sum->allocation[a->tier[i] - 1];
        rc = sked_history_pctl(m->history, &i, 1, &part, 1, &a->point[i], NULL,
                               err);
        *all = skedi_amount_add(*all, a->point[i].amount);
        sum->allocated = skedi_amount_add(sum->allocated, a->point[i].amount);
    }
    return rc;
}

/* Chooses the thresholds of the tiers and the allocations. */
static sked_status take_tiers_plan(measuring *m, sked_error *err)
{
    sked_advice *a = m->a;
    sked_advice_result *sum = &a->sum;
    int64_t low[SKED_MAX_TIERS], high[SKED_MAX_TIERS];
    sked_tiers_result result = {.struct_size = sizeof result,
                                .threshold_ppm = sum->threshold_ppm,
                                .allocation = sum->allocation};

    sum->tiers = m->in->jobs->tiers ? m->in->jobs->tiers : 3;
    for (uint32_t t = 0; t < sum->tiers; t++) {
        low[t] = m->in->low_ppm ? m->in->low_ppm[t] : low_default;
        high[t] = m->in->high_ppm ? m->in->high_ppm[t] : SKED_PPM;
    }
    sked_tiers_plan_input request = {.struct_size = sizeof request,
                                     .tiers = sum->tiers,
                                     .queues = a->leaves,
                                     .step_ppm = m->in->step_ppm,
                                     .total = m->in->instances,
                                     .low_ppm = low,
                                     .high_ppm = high,
                                     .tier = a->tier};
    sked_status rc = sked_tiers_plan(m->history, &request, &a->host, &result,
                                     a->point, err);
    if (rc != SKED_OK) return rc;
    sum->outcome = result.outcome;
    sum->tier = result.tier;
    sum->allocated = result.allocated;
    sum->smallest = result.smallest;
    a->chosen = result.tier == 0 || m->in->flags & SKED_ADVICE_FLAG_ANYWAY;
    if (result.tier && a->chosen) rc = take_upper(m, high, err);
    for (uint32_t i = 0; a->chosen && i < a->leaves; i++) {
        a->allocation[i] = a->point[i].amount;
    }
    return rc;
}

/* In use, peak and usage of each leaf. */
static sked_status take_totals(measuring *m, sked_error *err)
{
    const sked_ratio all = {1, 1};
    sked_pctl_point peak;
    sked_status rc = SKED_OK;

    for (uint32_t i = 0; rc == SKED_OK && i < m->a->leaves; i++) {
        rc = sked_history_pctl(m->history, &i, 1, &all, 1, &peak,
                               &m->a->total[i], err);
    }
    return rc;
}

static sked_status take_running(measuring *m, sked_error *err)
{
    const sked_plan_jobs *jobs = m->in->jobs;

    if (!m->a->leaves) return SKED_OK;
    for (uint32_t i = 0; i < jobs->n; i++) {
        if (m->leaf[i] == m->a->leaves) m->leaf[i] = SKED_PLAN_NO_LEAF;
    }
    sked_plan_running_input running = {.struct_size = sizeof running,
                                       .queues = m->a->leaves,
                                       .n = jobs->n,
                                       .queue = m->leaf,
                                       .start = jobs->start,
                                       .end = jobs->end,
                                       .from = jobs->from,
                                       .to = jobs->to,
                                       .part_ppm = m->in->running_part_ppm,
                                       .head_room_ppm = m->in->head_room_ppm};
    return sked_plan_running(&running, &m->a->host, m->a->max_running, err);
}

/* Computes from the history the allocation and the number of applications of
 * each leaf. */
static sked_status advise_measure(sked_advice *a, const sked_advice_input *in,
                                  sked_error *err)
{
    measuring m = {.a = a, .in = in};
    sked_status rc = measure_leaves(&m, err);

    if (rc == SKED_OK) rc = take_history(&m, err);
    if (rc == SKED_OK) rc = take_tiers_plan(&m, err);
    if (rc == SKED_OK) rc = take_totals(&m, err);
    if (rc == SKED_OK) rc = take_running(&m, err);
    sked_history_free(m.history);
    skedi_free(&a->hooks.mem, m.leaf, (size_t)in->jobs->n, sizeof *m.leaf);
    return rc;
}

/*
 * Makes the tree that gives leaves their needs. The plan is applied to a copy
 * of the present tree. The leaf for all other jobs is then added, and
 * guarantees are set.
 */

/* The temporary data of a call. */
typedef struct targeting {
    sked_advice *a;
    const sked_tree *tree;
    const sked_advice_input *in;
    skedi_plan_leaves s;
    sked_queue_id *id; /* by node */
    uint32_t *row;     /* by node */
    int64_t *sum;      /* node x kinds: guarantees */
    uint8_t *used;     /* by row of the tree */
} targeting;

static uint32_t below_row(const sked_tree *tree, sked_queue_id below)
{
    if (below == SKED_NO_QUEUE) return 0;
    return skedi_image_row(skedi_tree_image(tree), below);
}

/*
 * Finds the queue in `tree` for every node of a structure below `below`;
 * SKED_NO_QUEUE: no queue. `id` and `row` have an entry for each node.
 */
static void advise_find(const sked_tree *tree, sked_queue_id below,
                        const skedi_plan_leaves *s, sked_queue_id *id,
                        uint32_t *row)
{
    const skedi_image *image = skedi_tree_image(tree);

    for (uint32_t i = 0; i < s->n; i++) {
        const skedi_plan_node *node = &s->node[i];
        uint32_t up = node->parent ? row[node->parent - 1]
                                   : below_row(tree, below);
        skedi_piece piece = {node->name, node->length, 0};
        row[i] = SKEDI_NO_ROW;
        if (up != SKEDI_NO_ROW) row[i] = skedi_image_child(tree, up, piece);
        id[i] = row[i] == SKEDI_NO_ROW ? SKED_NO_QUEUE : image->id[row[i]];
    }
}

/* ---- The plan ---- */

/* The leaf for all other jobs counts as used, whatever the jobs say. */
static sked_status mark_used(targeting *t, sked_error *err)
{
    uint32_t rows = skedi_tree_image(t->tree)->n, row = SKEDI_NO_ROW;
    uint32_t below = below_row(t->tree, t->in->below);

    t->used = skedi_new(&t->a->hooks.mem, rows, sizeof *t->used);
    if (!t->used) {
        return skedi_fail_memory(err);
    }
    if (t->in->used) memcpy(t->used, t->in->used, rows);
    if (below != SKEDI_NO_ROW) {
        row = skedi_image_child(t->tree, below, skedi_piece_of(t->in->other));
    }
    if (row != SKEDI_NO_ROW) t->used[row] = 1;
    return SKED_OK;
}

static sked_status apply_plan(targeting *t, sked_error *err)
{
    sked_advice *a = t->a;
    sked_plan_input plan = {.struct_size = sizeof plan,
                            .leaves = a->leaves,
                            .below = t->in->below,
                            .dead_band_ppm = t->in->dead_band_ppm,
                            .jobs = t->in->jobs,
                            .allocation = a->allocation,
                            .max_running = a->max_running,
                            .used = t->used,
                            .ledger = t->in->ledger};
    sked_status rc = sked_plan_new(t->tree, &plan, &a->host, &a->plan, err);

    if (rc == SKED_OK) rc = sked_plan_apply(a->plan, a->target, NULL, err);
    if (rc != SKED_OK) return rc;
    return sked_tree_commit(a->target, SKED_TREE_COMMIT_LENIENT, err);
}

static sked_status add_other(targeting *t, sked_error *err)
{
    sked_advice *a = t->a;
    const skedi_image *image = skedi_tree_image(a->target);
    uint32_t below = below_row(a->target, t->in->below);
    uint32_t row = skedi_image_child(a->target, below,
                                     skedi_piece_of(t->in->other));

    if (row != SKEDI_NO_ROW) {
        a->other = image->id[row];
        return SKED_OK;
    }
    return sked_tree_add(a->target, image->id[below], t->in->other, &a->other,
                         err);
}

/* ---- Guarantees ---- */

/* Sums the guarantees of leaves of the first tiers, up to their parents. */
static sked_status sum_guarantees(targeting *t, sked_error *err)
{
    size_t kinds = t->in->kinds;

    for (uint32_t i = t->s.n; i-- > 0;) {
        const skedi_plan_node *node = &t->s.node[i];
        int64_t *sum = t->sum + i * kinds;
        int leaf = node->leaf != SKED_PLAN_NO_LEAF;
        for (size_t k = 0; k < kinds; k++) {
            int64_t own = 0;
            if (leaf && node->tier <= t->in->guaranteed_tiers &&
                !skedi_i64_mul(t->a->allocation[node->leaf], t->in->instance[k],
                               &own)) {
                own = SKED_UNLIMITED;
            }
            sum[k] = skedi_amount_add(sum[k], own);
            if (sum[k] == SKED_UNLIMITED) {
                return skedi_fail(err, SKED_ERR_RANGE,
                                  "guarantees are more than amounts can be",
                                  (skedi_fault){.kind = (int32_t)k + 1});
            }
            if (!node->parent) continue;
            int64_t *up = t->sum + (node->parent - 1) * kinds;
            up[k] = skedi_amount_add(up[k], sum[k]);
        }
    }
    return SKED_OK;
}

static int is_nothing(const int64_t *amounts, size_t kinds)
{
    for (size_t k = 0; k < kinds; k++) {
        if (amounts[k]) return 0;
    }
    return 1;
}

static sked_status set_guarantees(targeting *t, sked_error *err)
{
    sked_status rc = SKED_OK;
    size_t kinds = t->in->kinds;

    if (!t->in->guaranteed_tiers || t->a->sum.outcome != SKED_TIERS_OK) {
        return SKED_OK;
    }
    rc = sum_guarantees(t, err);
    for (uint32_t i = 0; rc == SKED_OK && i < t->s.n; i++) {
        const int64_t *sum = t->sum + i * kinds;
        rc = sked_tree_set_vec(t->a->target, t->id[i], SKED_QUEUE_GUARANTEE,
                               is_nothing(sum, kinds) ? NULL : sum, err);
    }
    return rc;
}

/* ---- Together ---- */

static sked_status targeting_reserve(targeting *t, sked_error *err)
{
    skedi_mem *mem = &t->a->hooks.mem;
    sked_status rc = skedi_plan_leaves_build(&t->s, t->in->jobs, &t->a->host,
                                             err);

    if (rc != SKED_OK) return rc;
    t->id = skedi_new(mem, t->s.n, sizeof *t->id);
    t->row = skedi_new(mem, t->s.n, sizeof *t->row);
    t->sum = skedi_new(mem, t->s.n, t->in->kinds * sizeof *t->sum);
    if (t->id && t->row && t->sum) return mark_used(t, err);
    return skedi_fail_memory(err);
}

static void targeting_release(targeting *t)
{
    skedi_mem *mem = &t->a->hooks.mem;

    skedi_free(mem, t->id, t->s.n, sizeof *t->id);
    skedi_free(mem, t->row, t->s.n, sizeof *t->row);
    skedi_free(mem, t->sum, t->s.n, t->in->kinds * sizeof *t->sum);
    skedi_free(mem, t->used, skedi_tree_image(t->tree)->n, sizeof *t->used);
    skedi_plan_leaves_release(&t->s);
}

/* Makes all changes to the copy. */
static sked_status edit_target(targeting *t, sked_error *err)
{
    sked_advice *a = t->a;
    sked_status rc = targeting_reserve(t, err);

    if (rc == SKED_OK) rc = apply_plan(t, err);
    if (rc == SKED_OK) rc = add_other(t, err);
    if (rc == SKED_OK) {
        advise_find(a->target, a->below, &t->s, t->id, t->row);
        for (uint32_t i = 0; i < t->s.n; i++) {
            if (t->s.node[i].leaf == SKED_PLAN_NO_LEAF) continue;
            a->queue[t->s.node[i].leaf] = t->id[i];
        }
        rc = set_guarantees(t, err);
    }
    if (rc == SKED_OK) {
        rc = sked_tree_commit(a->target, SKED_TREE_COMMIT_LENIENT, err);
    }
    targeting_release(t);
    return rc;
}

/* Makes the target tree from the needs, and the changes from the present
 * tree. */
static sked_status advise_target(sked_advice *a, const sked_tree *tree,
                                 const sked_advice_input *in, sked_error *err)
{
    targeting t = {.a = a, .tree = tree, .in = in};
    sked_status rc = sked_tree_copy(tree, &a->host, &a->target, err);

    a->below = in->below;
    if (rc == SKED_OK) rc = sked_tree_discard(a->target, err);
    if (rc == SKED_OK && a->chosen) rc = edit_target(&t, err);
    if (rc != SKED_OK) return rc;
    return sked_diff_new(tree, a->target, &a->host, &a->diff, err);
}

/*
 * Replays the same work under two trees. A watcher notes for each job the start
 * of the first task and the end of the last task. Delays by tier and runs that
 * meet their SLO follow from these times.
 */

enum {
    ADVISE_CHECK_V1 = SKEDI_SIZE_THROUGH(sked_advice_prove_input, success_ppm),
    PROVE_JOBS_V1 = SKEDI_SIZE_THROUGH(sked_sim_jobs, stream)
};

SKEDI_NO_TAIL_PADDING(sked_advice_prove_input, attributes);
SKEDI_NO_TAIL_PADDING(sked_advice_side, delay);

/* A proof: columns by job. */
typedef struct proving {
    const sked_advice *a;
    sked_advice_prove_input in;
    skedi_hooks hooks;
    sked_host host;
    uint32_t n;
    sked_queue_id *queue; /* in the advice's tree */
    int64_t *delay;       /* -1: not started */
    int64_t *left;        /* tasks that have not ended */
    sked_time *end;       /* last end among the job's tasks */
    sked_time *from;      /* of the SLO: see runs_of() */
    skedi_keyed *sorted;  /* twice */
    int64_t *slo;         /* by workflow: the longest of any job */
} proving;

/* ---- Input ---- */

static sked_status check_take(proving *p, const sked_advice_prove_input *in,
                              sked_error *err)
{
    sked_status rc = skedi_struct_in(&p->in, sizeof p->in, in, ADVISE_CHECK_V1);

    if (rc != SKED_OK) return skedi_fail_version(err, "input");
    in = &p->in;
    if (in->reserved) return skedi_fail_reserved(err, "input");
    const char *missing = !in->jobs           ? "input.jobs"
                          : !in->names        ? "input.names"
                          : !in->tier         ? "input.tier"
                          : in->jobs->n == 0  ? NULL
                          : !in->workflow     ? "input.workflow"
                          : !in->slo_ns       ? "input.slo_ns"
                          : !in->jobs->submit ? "input.jobs.submit"
                          : !in->jobs->queue  ? "input.jobs.queue"
                                              : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (in->names->n != in->jobs->n) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "not one name for each job");
    }
    if (in->options && in->options->multiplier_ppm &&
        in->options->multiplier_ppm != SKED_PPM) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "jobs must not be copied");
    }
    if (in->jobs->n > INT32_MAX || in->workflows > INT32_MAX) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "too many rows");
    }
    p->n = (uint32_t)in->jobs->n;
    for (uint32_t i = 0; i < p->n; i++) {
        skedi_fault fault = {.row = (int64_t)i + 1, .got = in->slo_ns[i]};
        if (in->slo_ns[i] < 1 || in->slo_ns[i] > SKED_AMOUNT_MAX / 2 ||
            in->workflow[i] >= in->workflows) {
            return skedi_fail(err, SKED_ERR_RANGE, "no such workflow or SLO",
                              fault);
        }
    }
    for (uint32_t w = 0; w < in->workflows; w++) {
        if (in->tier[w] >= 1 && in->tier[w] <= SKED_MAX_TIERS) continue;
        return skedi_fail(err, SKED_ERR_RANGE, "no such tier",
                          (skedi_fault){.row = (int64_t)w + 1});
    }
    return SKED_OK;
}

static void proving_release(proving *p)
{
    skedi_mem *mem = &p->hooks.mem;

    skedi_free(mem, p->queue, p->n, sizeof *p->queue);
    skedi_free(mem, p->delay, p->n, sizeof *p->delay);
    skedi_free(mem, p->left, p->n, sizeof *p->left);
    skedi_free(mem, p->end, p->n, sizeof *p->end);
    skedi_free(mem, p->from, p->n, sizeof *p->from);
    skedi_free(mem, p->sorted, p->n, 2 * sizeof *p->sorted);
    skedi_free(mem, p->slo, (size_t)p->in.workflows, sizeof *p->slo);
}

static sked_status proving_reserve(proving *p, sked_error *err)
{
    skedi_mem *mem = &p->hooks.mem;

    p->queue = skedi_new(mem, p->n, sizeof *p->queue);
    p->delay = skedi_new(mem, p->n, sizeof *p->delay);
    p->left = skedi_new(mem, p->n, sizeof *p->left);
    p->end = skedi_new(mem, p->n, sizeof *p->end);
    p->from = skedi_new(mem, p->n, sizeof *p->from);
    p->sorted = skedi_new(mem, p->n, 2 * sizeof *p->sorted);
    p->slo = skedi_new(mem, (size_t)p->in.workflows, sizeof *p->slo);
    if (p->queue && p->delay && p->left && p->end && p->from && p->sorted &&
        p->slo) {
        return SKED_OK;
    }
    return skedi_fail_memory(err);
}

/* ---- Queues in the advice's tree ---- */

static sked_queue_id queue_of_job(const proving *p, const skedi_plan_leaves *s,
                                  const uint32_t *row, uint32_t job)
{
    const skedi_image *image = skedi_tree_image(p->a->target);
    int64_t node = skedi_plan_leaf_of(s, job);

    if (node == SKEDI_NO_NODE || row[node] == SKEDI_NO_ROW) return p->a->other;
    if (!skedi_image_is_leaf(image, row[node])) return p->a->other;
    return image->id[row[node]];
}

static sked_status find_job_queues(proving *p, sked_error *err)
{
    sked_plan_jobs names = *p->in.names;
    skedi_mem *mem = &p->hooks.mem;
    skedi_plan_leaves s = {.n = 0};

    if (!p->a->plan) { /* the tree did not change */
        if (p->n) {
            memcpy(p->queue, p->in.jobs->queue, p->n * sizeof *p->queue);
        }
        return SKED_OK;
    }
    names.from = names.to = 0;
    sked_status rc = skedi_plan_leaves_build(&s, &names, &p->host, err);
    if (rc == SKED_OK) {
        sked_queue_id *id = skedi_new(mem, s.n, sizeof *id);
        uint32_t *row = skedi_new(mem, s.n, sizeof *row);
        if (id && row) {
            advise_find(p->a->target, p->a->below, &s, id, row);
            for (uint32_t i = 0; i < p->n; i++) {
                p->queue[i] = queue_of_job(p, &s, row, i);
            }
        } else {
            rc = skedi_fail_memory(err);
        }
        skedi_free(mem, id, s.n, sizeof *id);
        skedi_free(mem, row, s.n, sizeof *row);
    }
    skedi_plan_leaves_release(&s);
    return rc;
}

/* ---- A side ---- */

static sked_status note_records(void *user, const sked_sim_record *record,
                                size_t n)
{
    proving *p = user;

    for (size_t i = 0; i < n; i++) {
        const sked_decision *d = &record[i].decision;
        uint32_t job = record[i].job;
        if (d->kind == SKED_DECISION_ALLOCATE && p->delay[job] < 0) {
            p->delay[job] = d->time - p->in.jobs->submit[job];
        }
        if (d->kind != SKED_SIM_KIND_FINISH) continue;
        p->left[job] -= d->count;
        if (d->time > p->end[job]) p->end[job] = d->time;
    }
    return SKED_OK;
}

static sked_status run_work(proving *p, const sked_tree *tree,
                            const sked_queue_id *queue, sked_advice_side *side,
                            sked_error *err)
{
    sked_sim_jobs jobs;
    sked_sim_result total = {.struct_size = sizeof total};
    sked_sim *sim = NULL;

    if (skedi_struct_in(&jobs, sizeof jobs, p->in.jobs, PROVE_JOBS_V1) !=
        SKED_OK) {
        return skedi_fail_version(err, "jobs");
    }
    jobs.struct_size = sizeof jobs;
    jobs.queue = queue;
    for (uint32_t i = 0; i < p->n; i++) {
        p->delay[i] = -1;
        p->left[i] = jobs.tasks ? jobs.tasks[i] : 1;
        p->end[i] = jobs.submit[i];
    }
    sked_status rc = sked_sim_new(
        &(sked_sim_input){.struct_size = sizeof(sked_sim_input),
                          .tree = tree,
                          .jobs = &jobs,
                          .nodes = p->in.nodes,
                          .n_nodes = p->in.n_nodes,
                          .attribute_offsets = p->in.attribute_offsets,
                          .attributes = p->in.attributes},
        p->in.options, &p->host, &sim, err);
    if (rc == SKED_OK) rc = sked_sim_run(sim, note_records, p, err);
    if (rc == SKED_STOPPED) {
        rc = skedi_fail_stopped(err, SKED_ERR_CANCELLED);
    }
    if (rc == SKED_OK) rc = sked_sim_get_result(sim, &total, err);
    sked_sim_free(sim);
    side->digest = total.digest;
    side->jobs = total.jobs;
    side->end = total.end;
    return rc;
}

/*
 * Makes runs for sked_slo_count(). sked_slo_count() knows an SLO for each
 * workflow, while here each job has an SLO. Each run becomes an interval [from,
 * end). The interval is at most as long as the workflow's longest SLO if and
 * only if the run met the job's SLO. The interval of an unfinished run is
 * longer.
 */
static void runs_of(proving *p, sked_advice_side *side)
{
    memset(p->slo, 0, (size_t)p->in.workflows * sizeof *p->slo);
    for (uint32_t i = 0; i < p->n; i++) {
        int64_t *most = &p->slo[p->in.workflow[i]];
        *most = skedi_i64_max(*most, p->in.slo_ns[i]);
    }
    for (uint32_t w = 0; w < p->in.workflows; w++) {
        if (p->slo[w] == 0) p->slo[w] = 1; /* no run */
    }
    for (uint32_t i = 0; i < p->n; i++) {
        int64_t slo = p->in.slo_ns[i], most = p->slo[p->in.workflow[i]];
        p->from[i] = p->in.jobs->submit[i] + slo - most;
        if (p->left[i] == 0) continue;
        p->end[i] = p->in.jobs->submit[i] + slo + 1;
        side->unfinished++;
    }
}

/* The percentile by nearest rank. */
static int64_t ranked(const skedi_keyed *sorted, size_t n, size_t percent)
{
    return (int64_t)sorted[(n * percent + 99) / 100 - 1].key;
}

static sked_sim_delay tier_delay(proving *p, uint32_t tier)
{
    skedi_u128 sum = skedi_u128_of(0);
    skedi_keyed *sorted = p->sorted;
    size_t n = 0;
    uint64_t rem;

    for (uint32_t i = 0; i < p->n; i++) {
        if (p->delay[i] < 0 || p->in.tier[p->in.workflow[i]] != tier) continue;
        sorted[n++] = (skedi_keyed){(uint64_t)p->delay[i], i, 0};
        sum = skedi_u128_add(sum, skedi_u128_of((uint64_t)p->delay[i]));
    }
    if (n == 0) return (sked_sim_delay){-1, -1, -1, -1, -1, 0};
    skedi_sort_keys(sorted, sorted + p->n, n);
    return (sked_sim_delay){
        .p50 = ranked(sorted, n, 50),
        .p95 = ranked(sorted, n, 95),
        .p99 = ranked(sorted, n, 99),
        .max = ranked(sorted, n, 100),
        .mean = (int64_t)skedi_u128_low(skedi_u128_div(sum, n, &rem)),
        .n = n,
    };
}

static sked_status judge(proving *p, sked_advice_side *side, sked_error *err)
{
    sked_slo_input slo = {.struct_size = sizeof slo,
                          .workflows = p->in.workflows,
                          .n = p->n,
                          .slo_ns = p->slo,
                          .tier = p->in.tier,
                          .workflow = p->in.workflow,
                          .start = p->from,
                          .end = p->end,
                          .success_ppm = p->in.success_ppm};
    uint32_t *runs = skedi_new(&p->hooks.mem, (size_t)p->in.workflows,
                               sizeof *runs);
    uint32_t *met = skedi_new(&p->hooks.mem, (size_t)p->in.workflows,
                              sizeof *met);
    sked_slo_result result = {.struct_size = sizeof result,
                              .runs = runs,
                              .met = met,
                              .tier = side->tier};
    sked_status rc = SKED_ERR_NOMEM;

    if (runs && met) {
        runs_of(p, side);
        rc = sked_slo_count(&slo, &p->host, &result, err);
        for (uint32_t t = 0; t < SKED_MAX_TIERS; t++) {
            side->delay[t] = tier_delay(p, t + 1);
        }
    } else {
        (void)skedi_fail_stopped(err, rc);
    }
    skedi_free(&p->hooks.mem, runs, (size_t)p->in.workflows, sizeof *runs);
    skedi_free(&p->hooks.mem, met, (size_t)p->in.workflows, sizeof *met);
    return rc;
}

sked_status sked_advice_prove(const sked_advice *advice, const sked_tree *tree,
                              const sked_advice_prove_input *input,
                              sked_advice_side side[2], sked_error *err)
{
    proving p = {.a = advice};
    sked_advice_side found[2];

    const char *missing = !advice  ? "advice"
                          : !tree  ? "tree"
                          : !input ? "input"
                          : !side  ? "side"
                                   : NULL;
    if (missing) return skedi_fail_null(err, missing);
    memset(found, 0, sizeof found);
    sked_status rc = check_take(&p, input, err);
    if (rc != SKED_OK) return rc;
    p.host = advice->host;
    rc = skedi_hooks_in(&p.hooks, &p.host, err);
    if (rc == SKED_OK) rc = proving_reserve(&p, err);
    if (rc == SKED_OK) rc = find_job_queues(&p, err);
    for (int i = 0; rc == SKED_OK && i < 2; i++) {
        const sked_queue_id *queue = i ? p.queue : p.in.jobs->queue;
        rc = run_work(&p, i ? advice->target : tree, queue, &found[i], err);
        if (rc == SKED_OK) rc = judge(&p, &found[i], err);
    }
    proving_release(&p);
    if (rc == SKED_OK) memcpy(side, found, sizeof found);
    return rc;
}

SKEDI_NO_TAIL_PADDING(sked_advice_input, ledger);
SKEDI_NO_TAIL_PADDING(sked_advice_result, allocation);
SKEDI_NO_TAIL_PADDING(sked_advice_finding, total);

enum {
    ADVISE_INPUT_V1 = SKEDI_SIZE_THROUGH(sked_advice_input, ledger),
    ADVICE_SUM_V1 = SKEDI_SIZE_THROUGH(sked_advice_result, allocation),
    ADVISED_V1 = SKEDI_SIZE_THROUGH(sked_advice_finding, total)
};

static sked_status advise_take(sked_advice_input *in, const sked_tree *tree,
                               const sked_advice_input *given, sked_error *err)
{
    sked_status rc = skedi_struct_in(in, sizeof *in, given, ADVISE_INPUT_V1);

    if (rc != SKED_OK) return skedi_fail_version(err, "input");
    if (in->flags & ~(uint32_t)SKED_ADVICE_FLAG_ANYWAY) {
        return skedi_fail_flags(err, "input");
    }
    if (in->guaranteed_tiers > SKED_MAX_TIERS) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "too many guaranteed tiers");
    }
    const char *missing = !in->jobs          ? "input.jobs"
                          : !in->instance    ? "input.instance"
                          : in->jobs->n == 0 ? NULL
                          : !in->amounts     ? "input.amounts"
                          : !in->jobs->start ? "input.jobs.start"
                          : !in->jobs->end   ? "input.jobs.end"
                                             : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (in->kinds != sked_schema_kinds(sked_tree_schema(tree))) {
        return skedi_fail(err, SKED_ERR_SCHEMA, "other kinds than the tree's",
                          (skedi_fault){.got = in->kinds});
    }
    if (!in->other) in->other = "other";
    return SKED_OK;
}

static void advice_release(sked_advice *a)
{
    skedi_mem mem = a->hooks.mem;
    size_t n = a->leaves;

    sked_tree_free(a->target);
    sked_diff_free(a->diff);
    sked_plan_free(a->plan);
    skedi_free(&mem, a->queue, n, sizeof *a->queue);
    skedi_free(&mem, a->tier, n, sizeof *a->tier);
    skedi_free(&mem, a->max_running, n, sizeof *a->max_running);
    skedi_free(&mem, a->allocation, n, sizeof *a->allocation);
    skedi_free(&mem, a->point, n, sizeof *a->point);
    skedi_free(&mem, a->total, n, sizeof *a->total);
    skedi_free(&mem, a, 1, sizeof *a);
}

sked_status sked_advice_new(const sked_tree *tree,
                            const sked_advice_input *input,
                            const sked_host *host, sked_advice **advice,
                            sked_error *err)
{
    sked_advice_input taken;
    skedi_hooks hooks;

    if (advice) *advice = NULL;
    const char *missing = !tree     ? "tree"
                          : !input  ? "input"
                          : !advice ? "advice"
                                    : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = advise_take(&taken, tree, input, err);
    if (rc == SKED_OK) rc = skedi_hooks_in(&hooks, host, err);
    if (rc != SKED_OK) return rc;
    sked_advice *a = skedi_new(&hooks.mem, 1, sizeof *a);
    if (!a) return skedi_fail_memory(err);
    a->hooks = hooks;
    a->host = hooks.host;
    a->host.user_free = NULL;
    rc = advise_measure(a, &taken, err);
    if (rc == SKED_OK) rc = advise_target(a, tree, &taken, err);
    if (rc != SKED_OK) {
        advice_release(a);
        return rc;
    }
    *advice = a;
    return SKED_OK;
}

void sked_advice_free(sked_advice *advice)
{
    if (!advice) return;
    sked_host host = advice->hooks.host;
    advice_release(advice);
    skedi_hooks_done(host);
}

/* ---- Reads ---- */

sked_status sked_advice_get_result(const sked_advice *advice,
                                   sked_advice_result *sum)
{
    if (!advice || !sum) return SKED_ERR_ARG;
    sked_status rc = skedi_struct_out(sum->struct_size, ADVICE_SUM_V1);
    if (rc != SKED_OK) return rc;

    sked_advice_result all = advice->sum;
    size_t size = sum->struct_size;
    all.struct_size = sum->struct_size;
    all.leaves = advice->leaves;
    all.changes = sked_diff_count(advice->diff);
    all.held = sked_plan_skipped(advice->plan);
    memcpy(sum, &all, size < sizeof all ? size : sizeof all);
    return SKED_OK;
}

sked_status sked_advice_leaf(const sked_advice *advice, size_t i,
                             sked_advice_finding *leaf)
{
    if (!advice || !leaf) return SKED_ERR_ARG;
    sked_status rc = skedi_struct_out(leaf->struct_size, ADVISED_V1);
    if (rc != SKED_OK) return rc;
    if (i >= advice->leaves || !advice->plan) return SKED_ERR_RANGE;

    const sked_advice_finding one = {
        .struct_size = leaf->struct_size,
        .tier = advice->tier[i],
        .queue = advice->queue[i],
        .threshold_ppm = advice->sum.threshold_ppm[advice->tier[i] - 1],
        .max_running = advice->max_running[i],
        .point = advice->point[i],
        .total = advice->total[i],
    };
    size_t size = leaf->struct_size;
    memcpy(leaf, &one, size < sizeof one ? size : sizeof one);
    return SKED_OK;
}

const sked_tree *sked_advice_tree(const sked_advice *advice)
{
    return advice ? advice->target : NULL;
}

const sked_diff *sked_advice_diff(const sked_advice *advice)
{
    return advice ? advice->diff : NULL;
}

const sked_plan *sked_advice_plan(const sked_advice *advice)
{
    return advice ? advice->plan : NULL;
}

sked_status sked_advice_apply(const sked_advice *advice, sked_tree *tree,
                              const sked_ledger *ledger, sked_error *err)
{
    const char *missing = !advice ? "advice" : !tree ? "tree" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = sked_diff_apply(advice->diff, tree, ledger, err);
    if (rc != SKED_OK) return rc;
    rc = sked_tree_commit(tree, SKED_TREE_COMMIT_LENIENT, err);
    if (rc != SKED_OK) (void)!sked_tree_discard(tree, err);
    return rc;
}
