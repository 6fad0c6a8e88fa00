/*
 * What a run measures. Usage and demand are in a ledger, by leaf. Whenever time
 * goes on after a change, shares are brought up to date, and it is judged anew
 * which queues have theirs, for those that the change may concern (judge.c).
 */
#include "sim/run.h"

#include <string.h>

#include "base/fail.h"

/* ---- Shares ---- */

/* Carries the changes of leaves since the last call into the ledger. */
static sked_status tell_ledger(sked_sim *sim, sked_error *err)
{
    size_t kinds = sim->kinds;
    sked_status rc = SKED_OK;

    while (rc == SKED_OK && sim->n_moved > 0) {
        const sim_moved *m = &sim->moved[--sim->n_moved];
        int64_t *move = sim->move + m->row * kinds * 2;
        rc = sked_ledger_add(sim->ledger, SKED_LEDGER_USAGE, &m->queue, move, 1,
                             err);
        if (rc == SKED_OK) {
            rc = sked_ledger_add(sim->ledger, SKED_LEDGER_DEMAND, &m->queue,
                                 move + kinds, 1, err);
        }
        memset(move, 0, kinds * 2 * sizeof *move);
        sim->has_moved[m->row] = 0;
    }
    return rc;
}

static uint64_t families_filled(const sked_sim *sim)
{
    sked_share_stats stats = {.struct_size = sizeof stats};

    (void)!sked_share_get_stats(sim->share, &stats);
    return stats.families;
}

static sked_status read_shares(sked_sim *sim)
{
    sked_status rc = SKED_OK;
    size_t n;

    for (uint32_t k = 0; k < sim->kinds && rc == SKED_OK; k++) {
        rc = sked_share_column(sim->share, k,
                               sim->fair + (size_t)k * sim->n_rows, sim->n_rows,
                               &n, NULL);
    }
    skedi_judge_all(sim);
    return rc;
}

static sked_status update_shares(sked_sim *sim, sked_error *err)
{
    uint64_t families = families_filled(sim);
    sked_status rc = tell_ledger(sim, err);

    if (rc == SKED_OK) {
        rc = sked_share_update(sim->share, sim->tree, sim->ledger,
                               sim->capacity, err);
    }
    /* A tree of one queue has no family. */
    if (rc == SKED_OK &&
        (families_filled(sim) != families || sim->n_rows == 1)) {
        rc = read_shares(sim);
    }
    sim->shares_due = 0;
    return rc;
}

sked_status skedi_measure_time(sked_sim *sim, sked_time to, sked_error *err)
{
    sked_status rc = SKED_OK;

    if (to <= sim->measured) return SKED_OK;
    if (!(sim->opts.flags & SKED_SIM_FLAG_NO_SHARES)) {
        if (sim->shares_due) rc = update_shares(sim, err);
        if (rc != SKED_OK) return rc;
        skedi_judge_queues(sim);
    }
    sim->measured = to;
    return skedi_measure_sample(sim, to);
}

/* ---- Books ---- */

/* Notes for the ledger that a leaf's usage and demand change by so many tasks.
 * Not needed without shares. */
static sked_status move_ledger(sked_sim *sim, uint32_t job, int64_t held,
                               int64_t wanted)
{
    const sim_job *j = &sim->jobs[job];
    const int64_t *task = sim->amounts + (size_t)j->given * sim->kinds;
    int64_t *move = sim->move + (size_t)j->row * sim->kinds * 2;

    if (sim->opts.flags & SKED_SIM_FLAG_NO_SHARES) return SKED_OK;
    skedi_below_move(sim, job, wanted - held);
    sim->shares_due = 1;
    skedi_judge_note(sim, j->row);
    if (!sim->has_moved[j->row]) {
        sim->has_moved[j->row] = 1;
        sim->moved[sim->n_moved++] = (sim_moved){j->row, 0, j->queue};
    }
    for (uint32_t k = 0; k < sim->kinds; k++) {
        int64_t *demand = &move[sim->kinds + k];
        move[k] += task[k] * held;
        if (!skedi_i64_add(*demand, task[k] * wanted, demand)) {
            return SKED_ERR_RANGE;
        }
    }
    return SKED_OK;
}

/* So many tasks more, or fewer, run in the queues of a path. */
static void move_usage(sked_sim *sim, uint32_t job, int64_t tasks)
{
    const int64_t *task = sim->amounts +
                          (size_t)sim->jobs[job].given * sim->kinds;

    for (uint32_t row = sim->jobs[job].row;; row = (uint32_t)sim->parent[row]) {
        int64_t *usage = sim->usage + (size_t)row * sim->kinds;
        int64_t *peak = sim->peak + (size_t)row * sim->kinds;
        for (uint32_t k = 0; k < sim->kinds; k++) {
            usage[k] += task[k] * tasks;
            if (usage[k] > peak[k]) peak[k] = usage[k];
        }
        if (row == 0) return;
    }
}

sked_status skedi_measure_demand(sked_sim *sim, uint32_t job)
{
    return move_ledger(sim, job, 0, sim->jobs[job].tasks);
}

/* Adds amount * tasks * ns. */
static void sum_work(sked_wide *sum, int64_t amount, int64_t tasks, int64_t ns)
{
    skedi_u128 done = skedi_u128_mul((uint64_t)amount * (uint64_t)tasks,
                                     (uint64_t)ns);
    skedi_u128 all = skedi_u128_add(skedi_u128_make(sum->high, sum->low), done);

    sum->high = skedi_u128_high(all);
    sum->low = skedi_u128_low(all);
}

/* Work done: so many tasks for so long, on the path. */
static void note_work(sked_sim *sim, uint32_t job, int64_t tasks, int64_t ns)
{
    const int64_t *task = sim->amounts +
                          (size_t)sim->jobs[job].given * sim->kinds;

    for (uint32_t k = 0; k < sim->kinds; k++) {
        for (uint32_t row = sim->jobs[job].row;;
             row = (uint32_t)sim->parent[row]) {
            sum_work(sim->work + (size_t)row * sim->kinds + k, task[k], tasks,
                     ns);
            if (row == 0) break;
        }
    }
}

/* Of the tasks that start, those from number `first` on end at one time. */
static void push_end(sked_sim *sim, const sked_decision *d, int64_t first,
                     int64_t count, int64_t transfer)
{
    uint32_t job = (uint32_t)d->job - 1;

    if (count == 0) return;
    skedi_ends_push(sim, (sim_end){
                             .at = d->time + sim->jobs[job].run + transfer,
                             .order = ++sim->started,
                             .group = d->group,
                             .task = d->task + first,
                             .line = sim_line_of(job, transfer > 0),
                             .count = (uint32_t)count,
                             .node = (uint32_t)d->node - 1,
                         });
}

static sked_status note_start(sked_sim *sim, const sked_decision *d)
{
    uint32_t job = (uint32_t)d->job - 1;
    sim_job *j = &sim->jobs[job];
    uint32_t node = (uint32_t)d->node - 1;
    int64_t transfer = skedi_places_transfer(sim, job);

    if (!skedi_ends_reserve(sim)) return SKED_ERR_NOMEM;
    if (d->time > SKED_AMOUNT_MAX - j->run - transfer) return SKED_ERR_RANGE;
    if (j->delay < 0) j->delay = d->time - j->submit;
    j->state = SIM_RUNS;
    int64_t away = skedi_places_start(sim, job, node, d->count);
    push_end(sim, d, 0, d->count - away, 0);
    push_end(sim, d, d->count - away, away, transfer);
    move_usage(sim, job, d->count);
    return move_ledger(sim, job, d->count, 0);
}

static sked_status note_finish(sked_sim *sim, const sked_decision *d)
{
    uint32_t job = (uint32_t)d->job - 1;

    note_work(sim, job, d->count, sim->jobs[job].run + d->detail);
    sim->result.tasks_finished += (uint64_t)d->count;
    sim->result.end = skedi_i64_max(sim->result.end, d->time);
    move_usage(sim, job, -d->count);
    return move_ledger(sim, job, -d->count, -d->count);
}

static sked_status note_lost(sked_sim *sim, const sked_decision *d)
{
    uint32_t job = (uint32_t)d->job - 1;

    skedi_places_undo(sim, job, (uint32_t)d->node - 1, d->count);
    move_usage(sim, job, -d->count);
    return move_ledger(sim, job, -d->count, 0);
}

static void lose_work(sked_sim *sim, uint32_t job, int64_t tasks, int64_t ns)
{
    const int64_t *task = sim->amounts +
                          (size_t)sim->jobs[job].given * sim->kinds;

    for (uint32_t k = 0; k < sim->kinds; k++) {
        sum_work(sim->lost + k, task[k], tasks, ns);
    }
}

/* A kill order, which the host carries out once it has read all decisions. */
static sked_status note_kill(sked_sim *sim, const sked_decision *d)
{
    int64_t ran;
    sked_status rc = skedi_round_kill(sim, d, &ran);

    if (rc != SKED_OK) return rc;
    lose_work(sim, (uint32_t)d->job - 1, d->count, ran);
    return note_lost(sim, d);
}

static sked_status note_reject(sked_sim *sim, const sked_decision *d)
{
    uint32_t job = (uint32_t)d->job - 1;

    sim->jobs[job].state = SIM_REJECTED;
    sim->result.rejected++;
    return move_ledger(sim, job, 0, -sim->jobs[job].tasks);
}

/* ---- Records ---- */

/* The next field of a record that lies half in one word and half in the next. */
static uint64_t *put_across(uint64_t *at, uint64_t field)
{
    *at++ |= field << 32;
    *at = field >> 32;
    return at;
}

/* The fields of the decision log, in their widths: the kind has 32 bits, so
 * what follows it straddles words, up to the reason, which has 32 as well. */
static void digest_record(skedi_hash *hash, const sked_decision *d,
                          uint64_t sequence, const int64_t *amount,
                          uint32_t kinds)
{
    uint64_t words[8 + SKED_MAX_KINDS], *at = words;

    *at++ = sequence;
    *at++ = (uint64_t)d->time;
    *at = (uint32_t)d->kind;
    at = put_across(at, d->job);
    at = put_across(at, (uint64_t)d->task);
    at = put_across(at, (uint64_t)d->count);
    at = put_across(at, d->queue);
    at = put_across(at, d->node);
    for (uint32_t k = 0; k < kinds; k++) {
        at = put_across(at, (uint64_t)amount[k]);
    }
    *at++ |= (uint64_t)(uint32_t)d->reason << 32;
    skedi_hash_words(hash, words, (size_t)(at - words));
}

sked_status skedi_measure_flush(sked_sim *sim)
{
    size_t n = sim->n_records;

    sim->n_records = 0;
    if (!sim->watch || !n) return SKED_OK;
    sked_status said = sim->watch(sim->watcher, sim->records, n);
    return said == SKED_OK ? SKED_OK : skedi_hooks_stop(said);
}

static sked_status book_record(sked_sim *sim, const sked_decision *d)
{
    switch (d->kind) {
    case SKED_DECISION_ALLOCATE: return note_start(sim, d);
    case SKED_SIM_KIND_FINISH: return note_finish(sim, d);
    case SKED_DECISION_REJECT: return note_reject(sim, d);
    case SKED_DECISION_LOST: return note_lost(sim, d);
    case SKED_DECISION_KILL: return note_kill(sim, d);
    case SKED_DECISION_NOTIFY:
        sim->result.notified += (uint64_t)d->count;
        return SKED_OK;
    case SKED_DECISION_WITHDRAW:
        if (d->group) sim->result.withdrawn += (uint64_t)d->count;
        return SKED_OK;
    }
    return SKED_OK;
}

sked_status skedi_measure_record(sked_sim *sim, const sked_decision *decision)
{
    const sim_job *job = &sim->jobs[decision->job - 1];
    sked_status rc = book_record(sim, decision);

    if (rc != SKED_OK) return rc;
    sim->result.decisions++;
    digest_record(&sim->digest, decision, sim->result.decisions,
                  sim->amounts + (size_t)job->given * sim->kinds, sim->kinds);
    if (!sim->watch) return SKED_OK;
    sked_sim_record *record = &sim->records[sim->n_records++];
    *record = (sked_sim_record){*decision, job->given, job->copy};
    record->decision.sequence = sim->result.decisions;
    return sim->n_records == SIM_RECORDS ? skedi_measure_flush(sim) : SKED_OK;
}
