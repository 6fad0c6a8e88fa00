/* Admission by classes: everything added up anew for each look at a job. */
#include "ref_engine.h"
#include "ref_engine_alone.h"

#include <string.h>

#include "tree/image.h"

enum { ENTITLEMENT, SLACK, RESERVATION, CONTROLLERS };

static ref_gate *find(const ref_engine *r, sked_queue_id queue)
{
    for (size_t i = 0; i < r->gates; i++) {
        if (r->gate[i].queue == queue && r->gate[i].on) return &r->gate[i];
    }
    return NULL;
}

static int64_t tasks_open(const ref_engine *r, const ref_job *job)
{
    int64_t n = 0;

    for (size_t a = 0; a < r->asks; a++) {
        if (&r->job[r->ask[a].job] == job) n += ref_engine_open(&r->ask[a]);
    }
    return n;
}

static int64_t needs(const ref_engine *r, const ref_job *job, uint32_t k)
{
    int64_t sum = 0;

    for (size_t a = 0; a < r->asks; a++) {
        if (&r->job[r->ask[a].job] != job) continue;
        sum += ref_engine_open(&r->ask[a]) * r->ask[a].task[k];
    }
    for (size_t g = 0; g < r->groups; g++) {
        const ref_group *group = &r->group[g];
        if (group->state == REF_OVER) continue;
        if (&r->job[r->ask[group->ask].job] != job) continue;
        sum += ref_engine_times(r, group) * group->amount[k];
    }
    return sum;
}

/* With this job, do admitted ones of the leaf that have the flags `with`, and not
 * `without`, stay within a bound? */
static int stays(const ref_engine *r, const ref_gate *gate, const ref_job *job,
                 uint32_t with, uint32_t without, int bound)
{
    for (uint32_t k = 0; k < r->kinds; k++) {
        int64_t sum = needs(r, job, k);
        for (size_t i = 0; i < r->jobs; i++) {
            const ref_job *other = &r->job[i];
            if (other->state != REF_RUNS || other->queue != gate->queue ||
                (other->flags & with) != with || other->flags & without) {
                continue;
            }
            sum += needs(r, other, k);
        }
        if (gate->bound[bound][k] == SKED_UNLIMITED) continue;
        if (sum > gate->bound[bound][k]) return 0;
    }
    return 1;
}

static int lets(const ref_engine *r, const ref_gate *gate, const ref_job *job)
{
    if (job->flags & SKED_JOB_REVOCABLE) {
        return stays(r, gate, job, SKED_JOB_REVOCABLE, 0, SLACK);
    }
    int may = stays(r, gate, job, 0, SKED_JOB_REVOCABLE, ENTITLEMENT);
    if (job->flags & SKED_JOB_CONTROLLER && tasks_open(r, job) == 1) {
        may &= stays(r, gate, job, SKED_JOB_CONTROLLER, 0, CONTROLLERS);
    }
    if (job->flags & SKED_JOB_FIXED && gate->preempts) {
        may &= stays(r, gate, job, SKED_JOB_FIXED, 0, RESERVATION);
    }
    return may;
}

/* The first job of a line that asks for something and of which its user, and its
 * trees of limits, may run one more. */
static ref_job *first_of(ref_engine *r, const ref_gate *gate, int line)
{
    ref_job *best = NULL;

    for (size_t i = 0; i < r->jobs; i++) {
        ref_job *job = &r->job[i];
        if (job->state != REF_WAITS || job->queue != gate->queue ||
            job->line != line || tasks_open(r, job) == 0 ||
            !ref_engine_user_may_run(r, job) ||
            !ref_engine_trees_admit(r, job)) {
            continue;
        }
        if (!best || ref_engine_goes_before(r, job, best)) best = job;
    }
    return best;
}

static int own_line(const ref_gate *gate, const ref_job *job)
{
    if (job->flags & SKED_JOB_FIXED && gate->preempts) return 1;
    if (job->flags & SKED_JOB_CONTROLLER) return 2;
    return job->flags & SKED_JOB_REVOCABLE ? 3 : 0;
}

void ref_engine_gates_settle(ref_engine *r)
{
    for (size_t i = 0; i < r->gates; i++) {
        const ref_gate *gate = &r->gate[i];
        ref_job *job;
        while (gate->on && (job = first_of(r, gate, 0)) != NULL) {
            if (lets(r, gate, job) || own_line(gate, job) == 0) break;
            job->line = own_line(gate, job);
        }
    }
}

int ref_engine_gate_offers(ref_engine *r, const ref_job *job)
{
    static const int lines[] = {1, 2, 3, 0};
    const ref_gate *gate = find(r, job->queue);

    for (int i = 0; gate && i < 4; i++) {
        const ref_job *first = first_of(r, gate, lines[i]);
        if (first && lets(r, gate, first)) return first == job;
    }
    return !gate;
}

sked_status ref_engine_admit_by(ref_engine *r, sked_queue_id queue,
                                sked_time now,
                                const sked_engine_admit_options *options)
{
    const skedi_image *image = skedi_tree_image(r->tree);
    uint32_t row = skedi_image_row(image, queue);

    if (row == SKEDI_NO_ROW) return SKED_ERR_STALE;
    if (!skedi_image_is_leaf(image, row)) return SKED_ERR_ARG;
    sked_status rc = ref_engine_advance(r, now);
    if (rc != SKED_OK) return rc;
    ref_gate *gate = find(r, queue);
    if (!gate) gate = MORE(r, gate, gates);
    gate->queue = queue;
    gate->on = options != NULL;
    for (int b = 0; options && b < 4; b++) {
        const int64_t *said[] = {options->entitlement, options->slack,
                                 options->reservation, options->controllers};
        for (uint32_t k = 0; k < r->kinds; k++) {
            int64_t rest = b == CONTROLLERS ? SKED_UNLIMITED : 0;
            gate->bound[b][k] = said[b] ? said[b][k] : rest;
        }
    }
    if (options) gate->preempts = options->flags != 0;
    for (size_t i = 0; i < r->jobs; i++) {
        if (r->job[i].queue == queue) r->job[i].line = 0;
    }
    ref_engine_admit(r);
    return SKED_OK;
}

void ref_engine_gates_commit(ref_engine *r)
{
    const skedi_image *image = skedi_tree_image(r->tree);

    for (size_t i = 0; i < r->gates; i++) {
        uint32_t row = skedi_image_row(image, r->gate[i].queue);
        if (row == SKEDI_NO_ROW || !skedi_image_is_leaf(image, row)) {
            r->gate[i].on = 0;
        }
    }
}
