/*
 * Replays the same work under two trees. A watcher notes for each job when its
 * first task started and when its last one ended; from these follow delays by
 * tier, and which runs meet their SLO.
 */
#include <string.h>

#include "advise/handle.h"
#include "base/arith.h"
#include "base/fail.h"
#include "base/sort.h"
#include "base/versioned.h"
#include "tree/handle.h"

enum {
    ADVISE_CHECK_V1 = SKEDI_SIZE_THROUGH(sked_advice_prove_input, success_ppm),
    PROVE_JOBS_V1 = SKEDI_SIZE_THROUGH(sked_sim_jobs, stream)
};

SKEDI_NO_TAIL_PADDING(sked_advice_prove_input, attributes);
SKEDI_NO_TAIL_PADDING(sked_advice_side, delay);

/* One proof: columns by job. */
typedef struct proving {
    const sked_advice *a;
    sked_advice_prove_input in;
    skedi_hooks hooks;
    sked_host host;
    uint32_t n;
    sked_queue_id *queue; /* in the advice's tree */
    int64_t *delay;       /* -1: not started */
    int64_t *left;        /* tasks that have not ended */
    sked_time *end;       /* of the last task so far */
    sked_time *from;      /* of the SLO: see runs_of() */
    skedi_keyed *sorted;  /* twice */
    int64_t *slo;         /* by workflow: the longest of any job */
} proving;

/* ---- What comes in ---- */

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

    if (!p->a->plan) { /* the tree is as it was */
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
            skedi_advise_find(p->a->target, p->a->below, &s, id, row);
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

/* ---- One side ---- */

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
 * Runs for sked_slo_count(), which knows one SLO for each workflow, while here
 * each job has its own. Each run becomes an interval [from, end) which is no
 * longer than its workflow's longest SLO if and only if the run took no longer
 * than its own. The interval of a run that did not end is longer.
 */
static void runs_of(proving *p, sked_advice_side *side)
{
    memset(p->slo, 0, (size_t)p->in.workflows * sizeof *p->slo);
    for (uint32_t i = 0; i < p->n; i++) {
        int64_t *most = &p->slo[p->in.workflow[i]];
        *most = skedi_i64_max(*most, p->in.slo_ns[i]);
    }
    for (uint32_t w = 0; w < p->in.workflows; w++) {
        if (p->slo[w] == 0) p->slo[w] = 1; /* it has no run */
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
