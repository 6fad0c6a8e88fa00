/*
 * Admission: which waiting job a leaf lets in next.
 *
 * A tournament over the tree has the best waiting job below each row: the best
 * tier first, then the highest priority, then the earliest submission. A leaf
 * may admit by classes (entitled, slack, reservation, controllers): the bounds
 * are compared with sums over its admitted jobs.
 *
 * Invariants: a sum changes with each job that comes, grows or ends; a user is
 * known from the first job until the last one has ended.
 */
#include <string.h>

#include "base/wide.h"
#include "engine/admission.h"
#include "engine/budget.h"
#include "engine/alloc.h"
#include "engine/work.h"
#include "engine/decision.h"
#include "engine/exclusion.h"
#include "engine/wants.h"
#include "engine/pace.h"
#include "engine/pending.h"
#include "engine/reservation.h"
#include "engine/store.h"

/*
 * What admitted jobs of a leaf have, by class, is added up as it changes; a
 * bound is asked with one job more. The lines are in admit.c.
 */

/* The amounts of one bound (GATE_*). */
static const int64_t *admission_gate_bound(const engine_gate *gate, int which)
{
    return gate->bound + (size_t)which * SKED_MAX_KINDS;
}

/* The amounts of one sum, which may be more than an amount can be. */
static sked_wide *admission_gate_sum(engine_gate *gate, int which)
{
    return gate->sum + (size_t)which * SKED_MAX_KINDS;
}

/* ---- Bounds ---- */

static int64_t admission_job_needs(const sked_engine *e, uint32_t job,
                                   uint32_t k)
{
    return engine_row_of(e, &e->job_used, job)[k] +
           engine_row_of(e, &e->job_open, job)[k];
}

/* With a job, would its class stay within a bound in every kind? All work
 * counts against the entitlement but what is revocable. */
static int admission_gate_holds(const sked_engine *e, engine_gate *gate,
                                int bound, uint32_t job,
                                engine_gate_fault *fault)
{
    static const int held[GATE_BOUNDS] = {
        [GATE_ENTITLEMENT] = SKED_ADMIT_HELD_ALL,
        [GATE_SLACK] = SKED_ADMIT_HELD_REVOCABLE,
        [GATE_RESERVATION] = SKED_ADMIT_HELD_FIXED,
        [GATE_CONTROLLERS] = SKED_ADMIT_HELD_CONTROLLER,
    };
    const int64_t *most = admission_gate_bound(gate, bound);

    for (uint32_t k = 0; k < e->kinds; k++) {
        skedi_u128 sum = skedi_wide_in(
            admission_gate_sum(gate, held[bound])[k]);
        if (bound == GATE_ENTITLEMENT) {
            sked_wide apart = admission_gate_sum(gate,
                                                 SKED_ADMIT_HELD_REVOCABLE)[k];
            sum = skedi_u128_sub(sum, skedi_wide_in(apart));
        }
        int far = skedi_u128_cmp(sum, skedi_u128_of(SKED_AMOUNT_MAX)) > 0;
        int64_t own = far ? SKED_AMOUNT_MAX : (int64_t)skedi_u128_low(sum);
        int64_t need = skedi_amount_add(own, admission_job_needs(e, job, k));
        if (most[k] == SKED_UNLIMITED || (!far && need <= most[k])) continue;
        *fault = (engine_gate_fault){k, need, most[k]};
        return 0;
    }
    return 1;
}

/* How many open tasks a job has; 2 stands for more than one. */
static int admission_job_open_tasks(const sked_engine *e, uint32_t job)
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
        return !admission_gate_holds(e, gate, GATE_SLACK, job, fault);
    }
    if (!admission_gate_holds(e, gate, GATE_ENTITLEMENT, job, fault)) {
        return 1;
    }
    if (j->flags & SKED_JOB_CONTROLLER &&
        admission_job_open_tasks(e, job) == 1 &&
        !admission_gate_holds(e, gate, GATE_CONTROLLERS, job, fault)) {
        return 1;
    }
    if (!(j->flags & SKED_JOB_FIXED) || !gate->preempts) return 0;
    return !admission_gate_holds(e, gate, GATE_RESERVATION, job, fault);
}

/* The line of a job's class; SKED_ADMIT_LINE_ALL where it has none. */
static uint8_t admission_gate_line(const engine_gate *gate,
                                   const engine_job *job)
{
    if (job->flags & SKED_JOB_FIXED && gate->preempts) {
        return SKED_ADMIT_LINE_FIXED;
    }
    if (job->flags & SKED_JOB_CONTROLLER) return SKED_ADMIT_LINE_CONTROLLER;
    return job->flags & SKED_JOB_REVOCABLE ? SKED_ADMIT_LINE_REVOCABLE
                                           : SKED_ADMIT_LINE_ALL;
}

/* ---- Sums ---- */

static void admission_add_to_sums(const sked_engine *e, const engine_job *job,
                                  engine_gate *gate, const int64_t *delta,
                                  int64_t count)
{
    const int in[SKED_ADMIT_HELD_SUMS] = {
        [SKED_ADMIT_HELD_ALL] = 1,
        [SKED_ADMIT_HELD_FIXED] = (job->flags & SKED_JOB_FIXED) != 0,
        [SKED_ADMIT_HELD_CONTROLLER] = (job->flags & SKED_JOB_CONTROLLER) != 0,
        [SKED_ADMIT_HELD_REVOCABLE] = (job->flags & SKED_JOB_REVOCABLE) != 0,
    };

    for (int which = 0; which < SKED_ADMIT_HELD_SUMS; which++) {
        for (uint32_t k = 0; in[which] && k < e->kinds; k++) {
            sked_wide *to = &admission_gate_sum(gate, which)[k];
            skedi_u128 sum = skedi_wide_in(*to);
            int64_t by = delta[k] * count;
            skedi_u128 size = skedi_u128_of(by < 0 ? 0 - (uint64_t)by
                                                   : (uint64_t)by);
            *to = skedi_wide_of(by < 0 ? skedi_u128_sub(sum, size)
                                       : skedi_u128_add(sum, size));
        }
    }
}

/* The lines of a leaf are to be looked at again. */
static void admission_gate_stale(sked_engine *e, uint32_t row)
{
    engine_gate *gate = gate_of(e, row);

    if (!gate || gate->stale) return;
    gate->stale = 1;
    gate->next = e->first_gate;
    e->first_gate = row;
}

/* A job is admitted (1), or not any more (-1). */
static void admission_gate_count(sked_engine *e, uint32_t job, int by)
{
    engine_job *j = job_at(e, job);
    engine_gate *gate = gate_of(e, j->row);
    int64_t needs[SKED_MAX_KINDS];

    if (!gate) return;
    for (uint32_t k = 0; k < e->kinds; k++)
        needs[k] = admission_job_needs(e, job, k);
    admission_add_to_sums(e, j, gate, needs, by);
    j->counted = by > 0;
    admission_gate_stale(e, j->row);
}

void skedi_gate_follow(sked_engine *e, uint32_t job, const int64_t *delta,
                       int64_t count)
{
    engine_job *j = job_at(e, job);
    engine_gate *gate = gate_of(e, j->row);

    if (!gate) return;
    if (j->counted) admission_add_to_sums(e, j, gate, delta, count);
    admission_gate_stale(e, j->row);
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
static void admission_sum_job(const sked_engine *e, uint32_t job,
                              engine_gate *sums)
{
    int64_t needs[SKED_MAX_KINDS];

    for (uint32_t k = 0; k < e->kinds; k++)
        needs[k] = admission_job_needs(e, job, k);
    admission_add_to_sums(e, job_at(e, job), sums, needs, 1);
}

/* Does a gate agree with the jobs of its leaf? For tests. */
static int admission_gate_is_sound(const sked_engine *e, uint32_t row)
{
    const engine_gate *gate = gate_of(e, row);
    engine_gate sums = {0};

    if (!gate) return 1;
    for (uint32_t job = 0; job < e->jobs.n; job++) {
        const engine_job *j = job_at(e, job);
        if (j->state == JOB_FREE_SLOT || j->row != row) continue;
        if (j->counted != (j->state == JOB_RUNNING)) return 0;
        if (j->counted) admission_sum_job(e, job, &sums);
    }
    return memcmp(sums.sum, gate->sum, sizeof sums.sum) == 0;
}

/*
 * Which job is admitted next: that of the best tier, then of the highest
 * priority, then of the earliest submission. A tournament over the tree has the
 * best job below each row. A row offers its best job to its parent only while
 * one more application may run in it and it does not drain; a job is offered
 * only while its user may have one more, and its trees of limits one.
 */

static uint32_t admission_tier_rank(const sked_engine *e, uint32_t job)
{
    uint32_t tier = e->rows.tier[job_at(e, job)->row];

    return tier ? tier : UINT32_MAX; /* without a tier: after all tiers */
}

/* Is waiting job `a` ahead of `b`? */
static int admission_job_before(const sked_engine *e, uint32_t a, uint32_t b)
{
    const engine_job *x = job_at(e, a), *y = job_at(e, b);
    uint32_t m = admission_tier_rank(e, a), n = admission_tier_rank(e, b);

    if (m != n) return m < n;
    if (x->priority != y->priority) return x->priority > y->priority;
    if (x->submitted != y->submitted) return x->submitted < y->submitted;
    return x->arrival < y->arrival;
}

typedef struct admit_line {
    const sked_engine *e;
    uint32_t row;
} admit_line;

static int admission_waiter_before(const void *line, uint32_t a, uint32_t b)
{
    const admit_line *l = line;
    const uint32_t *waiter = l->e->rows.waiter[l->row];

    return admission_job_before(l->e, waiter[a], waiter[b]);
}

static int admission_branch_before(const void *line, uint32_t a, uint32_t b)
{
    const admit_line *l = line;
    const engine_rows *rows = &l->e->rows;
    uint32_t first = rows->first_child[l->row];
    uint32_t x = rows->best[first + a], y = rows->best[first + b];

    return admission_job_before(l->e, x, y);
}

/* The place of the first waiting job of a leaf whose line is among these, or
 * SKEDI_NO_PLACE. */
static uint32_t admission_wait_first(const sked_engine *e, uint32_t row,
                                     uint64_t among)
{
    admit_line line = {e, row};

    return skedi_tourney_first(&e->rows.wait[row], among,
                               admission_waiter_before, &line);
}

/* The first waiting job of a line, or SKEDI_NONE. */
static uint32_t admission_first_in_line(const sked_engine *e, uint32_t row,
                                        int line)
{
    uint32_t at = admission_wait_first(e, row, (uint64_t)1 << line);

    return at == SKEDI_NO_PLACE ? SKEDI_NONE : e->rows.waiter[row][at];
}

/* The place of the job that the lines of a leaf let in first, or
 * SKEDI_NO_PLACE. */
static uint32_t admission_first_by_lines(const sked_engine *e, uint32_t row)
{
    static const int turn[] = {SKED_ADMIT_LINE_FIXED,
                               SKED_ADMIT_LINE_CONTROLLER,
                               SKED_ADMIT_LINE_REVOCABLE, SKED_ADMIT_LINE_ALL};
    engine_gate_fault fault;

    for (int i = 0; i < 4; i++) {
        uint32_t job = admission_first_in_line(e, row, turn[i]);
        if (job != SKEDI_NONE && !skedi_gate_refuses(e, job, &fault)) {
            return job_at(e, job)->place;
        }
    }
    return SKEDI_NO_PLACE;
}

/* The best job below that may be admitted as far as rows below go. */
static uint32_t admission_best_below(const sked_engine *e, uint32_t row)
{
    const engine_rows *rows = &e->rows;
    admit_line line = {e, row};
    int leaf = row_is_leaf(e, row);
    uint32_t at = gate_of(e, row)
                      ? admission_first_by_lines(e, row)
                      : skedi_tourney_first(&rows->wait[row], 1,
                                            leaf ? admission_waiter_before
                                                 : admission_branch_before,
                                            &line);

    if (at == SKEDI_NO_PLACE || rows->running[row] >= rows->max_running[row] ||
        rows->closed[row]) {
        return SKEDI_NONE;
    }
    return leaf ? rows->waiter[row][at]
                : rows->best[rows->first_child[row] + at];
}

/* Finds the best waiting job of a row and of the rows above it anew. */
static void admission_wait_climb(sked_engine *e, uint32_t row)
{
    engine_rows *rows = &e->rows;

    for (;;) {
        rows->best[row] = admission_best_below(e, row);
        if (row == 0) return;
        uint32_t up = (uint32_t)rows->parent[row];
        admit_line line = {e, up};
        int there = rows->best[row] != SKEDI_NONE;
        skedi_tourney_set(&rows->wait[up], row - rows->first_child[up], there,
                          1, admission_branch_before, &line);
        row = up;
    }
}

int skedi_wait_reserve(sked_engine *e, uint32_t row, uint32_t more)
{
    engine_rows *rows = &e->rows;
    void *grown = rows->waiter[row];
    size_t want = (size_t)rows->waiters[row] + more;

    if (!skedi_tourney_reserve(&rows->wait[row], &e->hooks.mem,
                               (uint32_t)want)) {
        return 0;
    }
    if (!skedi_ensure(&e->hooks.mem, &grown, &rows->waiter_cap[row], want,
                      sizeof(uint32_t))) {
        return 0;
    }
    rows->waiter[row] = grown;
    return 1;
}

static uint64_t admission_waiter_mask(const sked_engine *e, uint32_t job)
{
    const engine_user *users = e->users.item;
    uint64_t most = e->opts.max_user_running;

    if (most && users[job_at(e, job)->user].running >= most) return 0;
    if (job_at(e, job)->charge != SKEDI_NONE && !skedi_charge_may_run(e, job))
        return 0;
    return skedi_gate_mask(job_at(e, job));
}

static engine_user *admission_user_of_job(const sked_engine *e, uint32_t job)
{
    return (engine_user *)e->users.item + job_at(e, job)->user;
}

/* A job's line changed, or its place in it. */
static void admission_wait_mark(sked_engine *e, uint32_t job)
{
    uint32_t row = job_at(e, job)->row;
    admit_line line = {e, row};

    skedi_tourney_set(&e->rows.wait[row], job_at(e, job)->place, 1,
                      admission_waiter_mask(e, job), admission_waiter_before,
                      &line);
    admission_gate_stale(e, row);
}

void skedi_wait_show(sked_engine *e, uint32_t job)
{
    admission_wait_mark(e, job);
    admission_wait_climb(e, job_at(e, job)->row);
}

void skedi_wait_join(sked_engine *e, uint32_t job)
{
    engine_job *j = job_at(e, job);
    uint32_t place = e->rows.waiters[j->row]++;

    e->rows.waiter[j->row][place] = job;
    j->place = place;
    j->state = JOB_WAITING;
    j->hidden = 0;
    e->stats.jobs_waiting++;
    uint32_t *first = &admission_user_of_job(e, job)->first_waiting;
    j->user_prev = SKEDI_NONE;
    j->user_next = *first;
    if (*first != SKEDI_NONE) job_at(e, *first)->user_prev = job;
    *first = job;
    skedi_wait_show(e, job);
}

static void admission_leave_user(sked_engine *e, uint32_t job)
{
    const engine_job *j = job_at(e, job);

    if (j->user_prev == SKEDI_NONE) {
        admission_user_of_job(e, job)->first_waiting = j->user_next;
    } else {
        job_at(e, j->user_prev)->user_next = j->user_next;
    }
    if (j->user_next != SKEDI_NONE) {
        job_at(e, j->user_next)->user_prev = j->user_prev;
    }
}

void skedi_wait_leave(sked_engine *e, uint32_t job)
{
    engine_job *j = job_at(e, job);
    uint32_t row = j->row, last = --e->rows.waiters[row];
    uint32_t *waiter = e->rows.waiter[row];
    admit_line line = {e, row};
    uint32_t moved = waiter[last];

    skedi_tourney_set(&e->rows.wait[row], last, 0, 0, admission_waiter_before,
                      &line);
    e->stats.jobs_waiting--;
    admission_gate_stale(e, row);
    admission_leave_user(e, job);
    if (moved != job) { /* the last one takes the place */
        waiter[j->place] = moved;
        job_at(e, moved)->place = j->place;
        skedi_wait_show(e, moved);
    } else {
        admission_wait_climb(e, row);
    }
}

/* Shows the waiting jobs that are charged in a row or below it. Of each level
 * the rows below stand side by side. */
static void admission_show_charged(sked_engine *e, uint32_t tree, uint32_t row)
{
    const engine_limits *t = &e->trees.at[tree];
    const skedi_image *image = skedi_tree_image(t->tree);
    uint32_t from = row, to = row + 1;

    while (from < to) {
        for (uint32_t r = from; r < to; r++) {
            for (uint32_t c = t->charge[r]; c != SKEDI_NONE;
                 c = charge_at(e, c)->next[tree]) {
                uint32_t job = charge_at(e, c)->job;
                if (job_at(e, job)->state != JOB_WAITING) continue;
                skedi_wait_show(e, job);
            }
        }
        from = image->first_child[from];
        to = image->first_child[to];
    }
}

/* One running job more (1) or less (-1) in the trees of limits. Where a queue
 * comes to its bound, or leaves it, its waiting jobs show or hide. */
static void admission_count_charged(sked_engine *e, uint32_t job, int by)
{
    const engine_charge *charge = skedi_charge_of(e, job);

    for (uint32_t i = 0; i < SKED_MAX_LIMIT_TREES; i++) {
        const engine_limits *t = &e->trees.at[i];
        uint32_t row = skedi_charge_row(charge, i);
        for (; row != SKEDI_NONE; row = t->parent[row]) {
            int was_full = t->running[row] >= t->max_running[row];
            t->running[row] += by;
            int is_full = t->running[row] >= t->max_running[row];
            if (was_full == is_full || e->stats.jobs_waiting == 0) continue;
            admission_show_charged(e, i, row);
        }
    }
}

void skedi_job_count(sked_engine *e, uint32_t job, int by)
{
    engine_job *j = job_at(e, job);
    engine_user *user = admission_user_of_job(e, job);
    uint64_t before = user->running, most = e->opts.max_user_running;

    admission_gate_count(e, job, by);
    user->running += (uint64_t)(int64_t)by;
    for (uint32_t row = j->row;; row = (uint32_t)e->rows.parent[row]) {
        e->rows.running[row] += by;
        if (row == 0) break;
    }
    if (j->charge != SKEDI_NONE) admission_count_charged(e, job, by);
    if (e->stats.jobs_waiting == 0) return; /* no job is shown anywhere */
    admission_wait_climb(e, j->row);
    /* The user's waiting jobs show or hide as its count comes to the bound or
     * leaves it: O(waiting jobs of the user). */
    if (!most || (before < most) == (user->running < most)) return;
    for (uint32_t i = user->first_waiting; i != SKEDI_NONE;
         i = job_at(e, i)->user_next) {
        skedi_wait_show(e, i);
    }
}

/* ---- Lines of classes ---- */

/* Moves jobs to the lines of their classes, and hides those of which nothing
 * is open. */
static void admission_gate_settle(sked_engine *e, uint32_t row)
{
    engine_gate *gate = gate_of(e, row);
    engine_gate_fault fault;
    uint32_t job;

    while ((job = gate->shown) != SKEDI_NONE) {
        gate->shown = job_at(e, job)->shown_next;
        if (job_at(e, job)->state == JOB_WAITING) admission_wait_mark(e, job);
    }
    for (int line = SKED_ADMIT_LINE_REVOCABLE; line >= 0; line--) {
        while ((job = admission_first_in_line(e, row, line)) != SKEDI_NONE) {
            engine_job *j = job_at(e, job);
            uint8_t own = admission_gate_line(gate, j);
            int none = admission_job_open_tasks(e, job) == 0;
            if (!none && (line != SKED_ADMIT_LINE_ALL || own == line ||
                          !skedi_gate_refuses(e, job, &fault))) {
                break;
            }
            if (none)
                j->hidden = 1;
            else
                j->line = own;
            admission_wait_mark(e, job);
        }
    }
}

/* Looks again at the lines of leaves that admit by classes where something
 * changed; gives a leaf another gate (NULL: none). */
static void admission_gates_settle(sked_engine *e)
{
    while (e->first_gate != SKEDI_NONE) {
        uint32_t row = e->first_gate;
        engine_gate *gate = gate_of(e, row);
        admission_gate_settle(e, row);
        admission_wait_climb(e, row);
        e->first_gate = gate->next; /* it is on top while it is stale */
        gate->stale = 0;
    }
}

void skedi_gate_put(sked_engine *e, uint32_t row, engine_gate *gate)
{
    engine_gate *old = e->rows.gate[row];

    admission_gates_settle(e);
    e->gates += gate != NULL;
    e->gates -= old != NULL;
    skedi_gate_free(e, old);
    e->rows.gate[row] = gate;
    for (uint32_t job = 0; job < e->jobs.n; job++) {
        engine_job *j = job_at(e, job);
        if (j->state == JOB_FREE_SLOT || j->row != row) continue;
        j->counted = j->hidden = j->line = 0;
        if (j->state == JOB_RUNNING) admission_gate_count(e, job, 1);
        if (j->state == JOB_WAITING) admission_wait_mark(e, job);
    }
    admission_wait_climb(e, row);
}

/* Memory to admit a job: for the decision and all its entries. 0: no memory. */
static int admission_admit_reserve(sked_engine *e, uint32_t job)
{
    uint64_t entries = 0;

    return skedi_out_reserve(e, 1) &&
           skedi_entries_reserve_of(e, job, job_at(e, job)->row, &entries) &&
           skedi_entry_rows_reserve(e, entries) &&
           skedi_wants_reserve(e, entries);
}

/* Lets a job run that stands in no waiting list. */
static void admission_let_run(sked_engine *e, uint32_t job, int32_t reason)
{
    engine_job *j = job_at(e, job);

    j->state = JOB_RUNNING;
    skedi_job_count(e, job, 1);
    (void)skedi_out_add(e, (sked_decision){.kind = SKED_DECISION_ADMIT,
                                           .reason = reason,
                                           .job = j->key,
                                           .queue = j->queue,
                                           .kind_at = -1});
    for (uint32_t a = j->first_ask; a != SKEDI_NONE; a = ask_at(e, a)->next) {
        skedi_pace_work(e);
        if (skedi_ask_stands(e, ask_at(e, a))) skedi_entries_add(e, a);
    }
}

/* May one more job run in every queue on its path, for its user and in its
 * trees of limits? */
static int admission_counts_allow(const sked_engine *e, uint32_t job)
{
    uint32_t row = job_at(e, job)->row;

    for (;; row = (uint32_t)e->rows.parent[row]) {
        if (e->rows.running[row] >= e->rows.max_running[row] ||
            e->rows.closed[row]) {
            return 0;
        }
        if (row == 0) return admission_waiter_mask(e, job) != 0;
    }
}

void skedi_wait_begin(sked_engine *e, uint32_t job, int admitted)
{
    if (admitted) {
        admission_let_run(e, job, SKED_REASON_ADOPTED);
    } else if (!gate_of(e, job_at(e, job)->row) && e->stats.jobs_waiting == 0 &&
               admission_counts_allow(e, job) && !skedi_out_full(e)) {
        admission_let_run(e, job, SKED_REASON_ORDER);
    } else {
        skedi_wait_join(e, job);
    }
}

void skedi_job_readmit(sked_engine *e, uint32_t job)
{
    for (uint32_t i = e->first_reservation, next; i != SKEDI_NONE; i = next) {
        next = reservation_at(e, i)->later;
        if (ask_at(e, reservation_at(e, i)->ask)->job == job) {
            skedi_reservation_drop(e, i);
        }
    }
    for (uint32_t a = job_at(e, job)->first_ask; a != SKEDI_NONE;
         a = ask_at(e, a)->next) {
        skedi_pace_work(e);
        skedi_entries_remove(e, a);
    }
    skedi_job_count(e, job, -1);
    job_at(e, job)->line = SKED_ADMIT_LINE_ALL;
    skedi_wait_join(e, job);
}

void skedi_job_admit(sked_engine *e, uint32_t job, int32_t reason)
{
    skedi_wait_leave(e, job);
    admission_let_run(e, job, reason);
}

sked_status skedi_jobs_admit_all(sked_engine *e)
{
    if (e->gates) admission_gates_settle(e);
    while (e->rows.best[0] != SKEDI_NONE && !skedi_out_full(e)) {
        uint32_t job = e->rows.best[0];
        if (!admission_admit_reserve(e, job)) return SKED_ERR_NOMEM;
        skedi_job_admit(e, job, SKED_REASON_ORDER);
        if (e->gates) admission_gates_settle(e);
    }
    return SKED_OK;
}

int skedi_wait_is_sound(const sked_engine *e, uint32_t row)
{
    const engine_rows *rows = &e->rows;
    admit_line line = {e, row};
    int leaf = row_is_leaf(e, row);

    if (!admission_gate_is_sound(e, row)) return 0;
    /* What ran out of time before an event that failed is settled by the next. */
    int stale = gate_of(e, row) && gate_of(e, row)->stale;
    if (!stale && rows->best[row] != admission_best_below(e, row)) return 0;
    for (uint32_t i = 0; leaf && i < rows->waiters[row]; i++) {
        uint32_t job = rows->waiter[row][i];
        if (job_at(e, job)->place != i || job_at(e, job)->row != row ||
            skedi_tourney_mask(&rows->wait[row], i) !=
                admission_waiter_mask(e, job)) {
            return 0;
        }
    }
    return skedi_tourney_is_sound(
        &rows->wait[row],
        leaf ? admission_waiter_before : admission_branch_before, &line);
}

/* Users: known from their first job, or from being named, until the end. */

uint32_t skedi_user_take(sked_engine *e, uint64_t key)
{
    uint32_t user = skedi_keymap_get(&e->user_of, key);

    if (user != SKEDI_NONE) return user;
    user = skedi_pool_take(&e->users);
    ((engine_user *)e->users.item)[user] = (engine_user){
        .key = key, .first_waiting = SKEDI_NONE, .first_account = SKEDI_NONE};
    skedi_keymap_put(&e->user_of, key, user);
    return user;
}

int skedi_user_reserve(sked_engine *e)
{
    return skedi_pool_reserve(&e->users, &e->hooks.mem, 1) &&
           skedi_keymap_reserve(&e->user_of, &e->hooks.mem, e->user_of.n + 1);
}

void skedi_user_unname(sked_engine *e, uint32_t user)
{
    engine_user *u = (engine_user *)e->users.item + user;

    if (u->name) skedi_free(&e->hooks.mem, u->name, strlen(u->name) + 1, 1);
    u->name = NULL;
}

/* A copy of a name, NULL for none; 0: no memory. */
static int admission_copy_name(sked_engine *e, const char *name, char **copy)
{
    size_t bytes = name ? strlen(name) + 1 : 0;

    *copy = NULL;
    if (bytes < 2) return 1;
    *copy = skedi_new(&e->hooks.mem, bytes, 1);
    if (*copy) memcpy(*copy, name, bytes);
    return *copy != NULL;
}

int skedi_user_name(sked_engine *e, uint64_t key, const char *name)
{
    char *copy;

    if (!skedi_user_reserve(e) || !admission_copy_name(e, name, &copy))
        return 0;
    uint32_t user = skedi_user_take(e, key);
    skedi_user_unname(e, user);
    ((engine_user *)e->users.item)[user].name = copy;
    skedi_accounts_reweigh(e, user);
    return 1;
}
