/*
 * What admitted jobs of a leaf have, by class, is added up as it changes; a
 * bound is asked with one job more. The lines are in admit.c.
 */
#include "engine/core/gates.h"

#include <string.h>

#include "base/wide.h"

/* The amounts of one bound (GATE_*). */
static const int64_t *gate_bound(const engine_gate *gate, int which)
{
    return gate->bound + (size_t)which * SKED_MAX_KINDS;
}

/* The amounts of one sum, which may be more than an amount can be. */
static sked_wide *gate_sum(engine_gate *gate, int which)
{
    return gate->sum + (size_t)which * SKED_MAX_KINDS;
}

/* ---- Bounds ---- */

static int64_t job_needs(const sked_engine *e, uint32_t job, uint32_t k)
{
    return engine_row_of(e, &e->job_used, job)[k] +
           engine_row_of(e, &e->job_open, job)[k];
}

/* With a job, would its class stay within a bound in every kind? All work
 * counts against the entitlement but what is revocable. */
static int gate_holds(const sked_engine *e, engine_gate *gate, int bound,
                      uint32_t job, engine_gate_fault *fault)
{
    static const int held[GATE_BOUNDS] = {
        [GATE_ENTITLEMENT] = SKED_ADMIT_HELD_ALL,
        [GATE_SLACK] = SKED_ADMIT_HELD_REVOCABLE,
        [GATE_RESERVATION] = SKED_ADMIT_HELD_FIXED,
        [GATE_CONTROLLERS] = SKED_ADMIT_HELD_CONTROLLER,
    };
    const int64_t *most = gate_bound(gate, bound);

    for (uint32_t k = 0; k < e->kinds; k++) {
        skedi_u128 sum = skedi_wide_in(gate_sum(gate, held[bound])[k]);
        if (bound == GATE_ENTITLEMENT) {
            sked_wide apart = gate_sum(gate, SKED_ADMIT_HELD_REVOCABLE)[k];
            sum = skedi_u128_sub(sum, skedi_wide_in(apart));
        }
        int far = skedi_u128_cmp(sum, skedi_u128_of(SKED_AMOUNT_MAX)) > 0;
        int64_t own = far ? SKED_AMOUNT_MAX : (int64_t)skedi_u128_low(sum);
        int64_t need = skedi_amount_add(own, job_needs(e, job, k));
        if (most[k] == SKED_UNLIMITED || (!far && need <= most[k])) continue;
        *fault = (engine_gate_fault){k, need, most[k]};
        return 0;
    }
    return 1;
}

int skedi_job_open_tasks(const sked_engine *e, uint32_t job)
{
    int64_t n = 0;

    for (uint32_t a = job_at(e, job)->first_ask; a != SKEDI_NONE && n < 2;
         a = ask_at(e, a)->next) {
        n += ask_at(e, a)->open;
    }
    return n > 1 ? 2 : (int)n;
}

int skedi_gate_refuses(const sked_engine *e, uint32_t job,
                       engine_gate_fault *fault)
{
    const engine_job *j = job_at(e, job);
    engine_gate *gate = gate_of(e, j->row);

    if (!gate) return 0;
    if (j->flags & SKED_JOB_REVOCABLE) {
        return !gate_holds(e, gate, GATE_SLACK, job, fault);
    }
    if (!gate_holds(e, gate, GATE_ENTITLEMENT, job, fault)) {
        return 1;
    }
    if (j->flags & SKED_JOB_CONTROLLER && skedi_job_open_tasks(e, job) == 1 &&
        !gate_holds(e, gate, GATE_CONTROLLERS, job, fault)) {
        return 1;
    }
    if (!(j->flags & SKED_JOB_FIXED) || !gate->preempts) return 0;
    return !gate_holds(e, gate, GATE_RESERVATION, job, fault);
}

uint8_t skedi_gate_line(const engine_gate *gate, const engine_job *job)
{
    if (job->flags & SKED_JOB_FIXED && gate->preempts) {
        return SKED_ADMIT_LINE_FIXED;
    }
    if (job->flags & SKED_JOB_CONTROLLER) return SKED_ADMIT_LINE_CONTROLLER;
    return job->flags & SKED_JOB_REVOCABLE ? SKED_ADMIT_LINE_REVOCABLE
                                           : SKED_ADMIT_LINE_ALL;
}

/* ---- Sums ---- */

static void add_to_sums(const sked_engine *e, const engine_job *job,
                        engine_gate *gate, const int64_t *delta, int64_t count)
{
    const int in[SKED_ADMIT_HELD_SUMS] = {
        [SKED_ADMIT_HELD_ALL] = 1,
        [SKED_ADMIT_HELD_FIXED] = (job->flags & SKED_JOB_FIXED) != 0,
        [SKED_ADMIT_HELD_CONTROLLER] = (job->flags & SKED_JOB_CONTROLLER) != 0,
        [SKED_ADMIT_HELD_REVOCABLE] = (job->flags & SKED_JOB_REVOCABLE) != 0,
    };

    for (int which = 0; which < SKED_ADMIT_HELD_SUMS; which++) {
        for (uint32_t k = 0; in[which] && k < e->kinds; k++) {
            sked_wide *to = &gate_sum(gate, which)[k];
            skedi_u128 sum = skedi_wide_in(*to);
            int64_t by = delta[k] * count;
            skedi_u128 size = skedi_u128_of(by < 0 ? 0 - (uint64_t)by
                                                   : (uint64_t)by);
            *to = skedi_wide_of(by < 0 ? skedi_u128_sub(sum, size)
                                       : skedi_u128_add(sum, size));
        }
    }
}

void skedi_gate_stale(sked_engine *e, uint32_t row)
{
    engine_gate *gate = gate_of(e, row);

    if (!gate || gate->stale) return;
    gate->stale = 1;
    gate->next = e->first_gate;
    e->first_gate = row;
}

void skedi_gate_count(sked_engine *e, uint32_t job, int by)
{
    engine_job *j = job_at(e, job);
    engine_gate *gate = gate_of(e, j->row);
    int64_t needs[SKED_MAX_KINDS];

    if (!gate) return;
    for (uint32_t k = 0; k < e->kinds; k++) needs[k] = job_needs(e, job, k);
    add_to_sums(e, j, gate, needs, by);
    j->counted = by > 0;
    skedi_gate_stale(e, j->row);
}

void skedi_gate_follow(sked_engine *e, uint32_t job, const int64_t *delta,
                       int64_t count)
{
    engine_job *j = job_at(e, job);
    engine_gate *gate = gate_of(e, j->row);

    if (!gate) return;
    if (j->counted) add_to_sums(e, j, gate, delta, count);
    skedi_gate_stale(e, j->row);
    if (j->state != JOB_WAITING || !j->hidden) return;
    j->hidden = 0; /* and again 1 when nothing of it is open */
    j->shown_next = gate->shown;
    gate->shown = job;
}

/* ---- Gates ---- */

engine_gate *skedi_gate_new(sked_engine *e)
{
    engine_gate *gate = skedi_new(&e->hooks.mem, 1, sizeof *gate);

    if (gate) gate->shown = SKEDI_NONE;
    return gate;
}

void skedi_gate_free(sked_engine *e, engine_gate *gate)
{
    skedi_free(&e->hooks.mem, gate, gate != NULL, sizeof *gate);
}

void skedi_gates_carry(sked_engine *e, const sked_engine *old,
                       const uint32_t *row_of)
{
    e->first_gate = SKEDI_NONE;
    for (uint32_t job = 0; e->gates && job < e->jobs.n; job++) {
        job_at(e, job)->counted = 0;
    }
    for (uint32_t row = 0; e->gates && row < old->rows.n; row++) {
        uint32_t to = row_of ? row_of[row] : row;
        engine_gate *gate = old->rows.gate[row];
        if (!gate) continue;
        int stays = to != SKEDI_NO_ROW && row_is_leaf(e, to);
        if (stays) {
            memset(gate->sum, 0, sizeof gate->sum);
            gate->stale = 0;
            gate->shown = SKEDI_NONE;
            e->rows.gate[to] = gate;
        } else {
            skedi_gate_free(e, gate);
            e->gates--;
        }
    }
}

void skedi_gates_free(sked_engine *e)
{
    for (uint32_t row = 0; e->gates && row < e->rows.n; row++) {
        skedi_gate_free(e, e->rows.gate[row]);
    }
}

/* Adds what a job has to sums of its own. */
static void sum_job(const sked_engine *e, uint32_t job, engine_gate *sums)
{
    int64_t needs[SKED_MAX_KINDS];

    for (uint32_t k = 0; k < e->kinds; k++) needs[k] = job_needs(e, job, k);
    add_to_sums(e, job_at(e, job), sums, needs, 1);
}

int skedi_gate_is_sound(const sked_engine *e, uint32_t row)
{
    const engine_gate *gate = gate_of(e, row);
    engine_gate sums = {0};

    if (!gate) return 1;
    for (uint32_t job = 0; job < e->jobs.n; job++) {
        const engine_job *j = job_at(e, job);
        if (j->state == JOB_FREE_SLOT || j->row != row) continue;
        if (j->counted != (j->state == JOB_RUNNING)) return 0;
        if (j->counted) sum_job(e, job, &sums);
    }
    return memcmp(sums.sum, gate->sum, sizeof sums.sum) == 0;
}
