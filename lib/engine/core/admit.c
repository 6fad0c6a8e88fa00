/*
 * Which job is admitted next: that of the best tier, then of the highest
 * priority, then of the earliest submission. A tournament over the tree has the
 * best job below each row. A row offers its best job to its parent only while
 * one more application may run in it and it does not drain; a job is offered
 * only while its user may have one more, and its trees of limits one.
 */
#include "engine/exclusion.h"
#include "engine/core/gates.h"
#include "engine/budget.h"
#include "engine/core/groups.h"
#include "engine/core/jobs.h"
#include "engine/decision.h"
#include "engine/reservation.h"
#include "engine/pending.h"
#include "engine/order/wants.h"
#include "engine/pace.h"
#include "engine/store.h"

static uint32_t tier_rank(const sked_engine *e, uint32_t job)
{
    uint32_t tier = e->rows.tier[job_at(e, job)->row];

    return tier ? tier : UINT32_MAX; /* without a tier: after all tiers */
}

int skedi_job_before(const sked_engine *e, uint32_t a, uint32_t b)
{
    const engine_job *x = job_at(e, a), *y = job_at(e, b);
    uint32_t m = tier_rank(e, a), n = tier_rank(e, b);

    if (m != n) return m < n;
    if (x->priority != y->priority) return x->priority > y->priority;
    if (x->submitted != y->submitted) return x->submitted < y->submitted;
    return x->arrival < y->arrival;
}

typedef struct admit_line {
    const sked_engine *e;
    uint32_t row;
} admit_line;

static int waiter_before(const void *line, uint32_t a, uint32_t b)
{
    const admit_line *l = line;
    const uint32_t *waiter = l->e->rows.waiter[l->row];

    return skedi_job_before(l->e, waiter[a], waiter[b]);
}

static int branch_before(const void *line, uint32_t a, uint32_t b)
{
    const admit_line *l = line;
    const engine_rows *rows = &l->e->rows;
    uint32_t first = rows->first_child[l->row];
    uint32_t x = rows->best[first + a], y = rows->best[first + b];

    return skedi_job_before(l->e, x, y);
}

/* The place of the first waiting job of a leaf whose line is among these, or
 * SKEDI_NO_PLACE. */
static uint32_t wait_first(const sked_engine *e, uint32_t row, uint64_t among)
{
    admit_line line = {e, row};

    return skedi_tourney_first(&e->rows.wait[row], among, waiter_before, &line);
}

/* The first waiting job of a line, or SKEDI_NONE. */
static uint32_t first_in_line(const sked_engine *e, uint32_t row, int line)
{
    uint32_t at = wait_first(e, row, (uint64_t)1 << line);

    return at == SKEDI_NO_PLACE ? SKEDI_NONE : e->rows.waiter[row][at];
}

/* The place of the job that the lines of a leaf let in first, or
 * SKEDI_NO_PLACE. */
static uint32_t first_by_lines(const sked_engine *e, uint32_t row)
{
    static const int turn[] = {SKED_ADMIT_LINE_FIXED,
                               SKED_ADMIT_LINE_CONTROLLER,
                               SKED_ADMIT_LINE_REVOCABLE, SKED_ADMIT_LINE_ALL};
    engine_gate_fault fault;

    for (int i = 0; i < 4; i++) {
        uint32_t job = first_in_line(e, row, turn[i]);
        if (job != SKEDI_NONE && !skedi_gate_refuses(e, job, &fault)) {
            return job_at(e, job)->place;
        }
    }
    return SKEDI_NO_PLACE;
}

/* The best job below that may be admitted as far as rows below go. */
static uint32_t best_below(const sked_engine *e, uint32_t row)
{
    const engine_rows *rows = &e->rows;
    admit_line line = {e, row};
    int leaf = row_is_leaf(e, row);
    uint32_t at = gate_of(e, row)
                      ? first_by_lines(e, row)
                      : skedi_tourney_first(
                            &rows->wait[row], 1,
                            leaf ? waiter_before : branch_before, &line);

    if (at == SKEDI_NO_PLACE || rows->running[row] >= rows->max_running[row] ||
        rows->closed[row]) {
        return SKEDI_NONE;
    }
    return leaf ? rows->waiter[row][at]
                : rows->best[rows->first_child[row] + at];
}

void skedi_wait_climb(sked_engine *e, uint32_t row)
{
    engine_rows *rows = &e->rows;

    for (;;) {
        rows->best[row] = best_below(e, row);
        if (row == 0) return;
        uint32_t up = (uint32_t)rows->parent[row];
        admit_line line = {e, up};
        int there = rows->best[row] != SKEDI_NONE;
        skedi_tourney_set(&rows->wait[up], row - rows->first_child[up], there,
                          1, branch_before, &line);
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

static uint64_t waiter_mask(const sked_engine *e, uint32_t job)
{
    const engine_user *users = e->users.item;
    uint64_t most = e->opts.max_user_running;

    if (most && users[job_at(e, job)->user].running >= most) return 0;
    if (job_at(e, job)->charge != SKEDI_NONE && !skedi_charge_may_run(e, job))
        return 0;
    return skedi_gate_mask(job_at(e, job));
}

static engine_user *user_of_job(const sked_engine *e, uint32_t job)
{
    return (engine_user *)e->users.item + job_at(e, job)->user;
}

/* A job's line changed, or its place in it. */
static void wait_mark(sked_engine *e, uint32_t job)
{
    uint32_t row = job_at(e, job)->row;
    admit_line line = {e, row};

    skedi_tourney_set(&e->rows.wait[row], job_at(e, job)->place, 1,
                      waiter_mask(e, job), waiter_before, &line);
    skedi_gate_stale(e, row);
}

void skedi_wait_show(sked_engine *e, uint32_t job)
{
    wait_mark(e, job);
    skedi_wait_climb(e, job_at(e, job)->row);
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
    uint32_t *first = &user_of_job(e, job)->first_waiting;
    j->user_prev = SKEDI_NONE;
    j->user_next = *first;
    if (*first != SKEDI_NONE) job_at(e, *first)->user_prev = job;
    *first = job;
    skedi_wait_show(e, job);
}

static void leave_user(sked_engine *e, uint32_t job)
{
    const engine_job *j = job_at(e, job);

    if (j->user_prev == SKEDI_NONE) {
        user_of_job(e, job)->first_waiting = j->user_next;
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

    skedi_tourney_set(&e->rows.wait[row], last, 0, 0, waiter_before, &line);
    e->stats.jobs_waiting--;
    skedi_gate_stale(e, row);
    leave_user(e, job);
    if (moved != job) { /* the last one takes the place */
        waiter[j->place] = moved;
        job_at(e, moved)->place = j->place;
        skedi_wait_show(e, moved);
    } else {
        skedi_wait_climb(e, row);
    }
}

/* Shows the waiting jobs that are charged in a row or below it. Of each level
 * the rows below stand side by side. */
static void show_charged(sked_engine *e, uint32_t tree, uint32_t row)
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
static void count_charged(sked_engine *e, uint32_t job, int by)
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
            show_charged(e, i, row);
        }
    }
}

void skedi_job_count(sked_engine *e, uint32_t job, int by)
{
    engine_job *j = job_at(e, job);
    engine_user *user = user_of_job(e, job);
    uint64_t before = user->running, most = e->opts.max_user_running;

    skedi_gate_count(e, job, by);
    user->running += (uint64_t)(int64_t)by;
    for (uint32_t row = j->row;; row = (uint32_t)e->rows.parent[row]) {
        e->rows.running[row] += by;
        if (row == 0) break;
    }
    if (j->charge != SKEDI_NONE) count_charged(e, job, by);
    if (e->stats.jobs_waiting == 0) return; /* no job is shown anywhere */
    skedi_wait_climb(e, j->row);
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
static void gate_settle(sked_engine *e, uint32_t row)
{
    engine_gate *gate = gate_of(e, row);
    engine_gate_fault fault;
    uint32_t job;

    while ((job = gate->shown) != SKEDI_NONE) {
        gate->shown = job_at(e, job)->shown_next;
        if (job_at(e, job)->state == JOB_WAITING) wait_mark(e, job);
    }
    for (int line = SKED_ADMIT_LINE_REVOCABLE; line >= 0; line--) {
        while ((job = first_in_line(e, row, line)) != SKEDI_NONE) {
            engine_job *j = job_at(e, job);
            uint8_t own = skedi_gate_line(gate, j);
            int none = skedi_job_open_tasks(e, job) == 0;
            if (!none && (line != SKED_ADMIT_LINE_ALL || own == line ||
                          !skedi_gate_refuses(e, job, &fault))) {
                break;
            }
            if (none)
                j->hidden = 1;
            else
                j->line = own;
            wait_mark(e, job);
        }
    }
}

void skedi_gates_settle(sked_engine *e)
{
    while (e->first_gate != SKEDI_NONE) {
        uint32_t row = e->first_gate;
        engine_gate *gate = gate_of(e, row);
        gate_settle(e, row);
        skedi_wait_climb(e, row);
        e->first_gate = gate->next; /* it is on top while it is stale */
        gate->stale = 0;
    }
}

void skedi_gate_put(sked_engine *e, uint32_t row, engine_gate *gate)
{
    engine_gate *old = e->rows.gate[row];

    skedi_gates_settle(e);
    e->gates += gate != NULL;
    e->gates -= old != NULL;
    skedi_gate_free(e, old);
    e->rows.gate[row] = gate;
    for (uint32_t job = 0; job < e->jobs.n; job++) {
        engine_job *j = job_at(e, job);
        if (j->state == JOB_FREE_SLOT || j->row != row) continue;
        j->counted = j->hidden = j->line = 0;
        if (j->state == JOB_RUNNING) skedi_gate_count(e, job, 1);
        if (j->state == JOB_WAITING) wait_mark(e, job);
    }
    skedi_wait_climb(e, row);
}

int skedi_admit_reserve(sked_engine *e, uint32_t job)
{
    uint64_t entries = 0;

    return skedi_out_reserve(e, 1) &&
           skedi_entries_reserve_of(e, job, job_at(e, job)->row, &entries) &&
           skedi_entry_rows_reserve(e, entries) &&
           skedi_wants_reserve(e, entries);
}

/* Lets a job run that stands in no waiting list. */
static void let_run(sked_engine *e, uint32_t job, int32_t reason)
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
static int counts_allow(const sked_engine *e, uint32_t job)
{
    uint32_t row = job_at(e, job)->row;

    for (;; row = (uint32_t)e->rows.parent[row]) {
        if (e->rows.running[row] >= e->rows.max_running[row] ||
            e->rows.closed[row]) {
            return 0;
        }
        if (row == 0) return waiter_mask(e, job) != 0;
    }
}

void skedi_wait_begin(sked_engine *e, uint32_t job, int admitted)
{
    if (admitted) {
        let_run(e, job, SKED_REASON_ADOPTED);
    } else if (!gate_of(e, job_at(e, job)->row) && e->stats.jobs_waiting == 0 &&
               counts_allow(e, job) && !skedi_out_full(e)) {
        let_run(e, job, SKED_REASON_ORDER);
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
    let_run(e, job, reason);
}

sked_status skedi_jobs_admit_all(sked_engine *e)
{
    if (e->gates) skedi_gates_settle(e);
    while (e->rows.best[0] != SKEDI_NONE && !skedi_out_full(e)) {
        uint32_t job = e->rows.best[0];
        if (!skedi_admit_reserve(e, job)) return SKED_ERR_NOMEM;
        skedi_job_admit(e, job, SKED_REASON_ORDER);
        if (e->gates) skedi_gates_settle(e);
    }
    return SKED_OK;
}

int skedi_wait_is_sound(const sked_engine *e, uint32_t row)
{
    const engine_rows *rows = &e->rows;
    admit_line line = {e, row};
    int leaf = row_is_leaf(e, row);

    if (!skedi_gate_is_sound(e, row)) return 0;
    /* What ran out of time before an event that failed is settled by the next. */
    int stale = gate_of(e, row) && gate_of(e, row)->stale;
    if (!stale && rows->best[row] != best_below(e, row)) return 0;
    for (uint32_t i = 0; leaf && i < rows->waiters[row]; i++) {
        uint32_t job = rows->waiter[row][i];
        if (job_at(e, job)->place != i || job_at(e, job)->row != row ||
            skedi_tourney_mask(&rows->wait[row], i) != waiter_mask(e, job)) {
            return 0;
        }
    }
    return skedi_tourney_is_sound(&rows->wait[row],
                                  leaf ? waiter_before : branch_before, &line);
}
