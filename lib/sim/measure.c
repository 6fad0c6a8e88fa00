/*
 * Measurements of a run: usage and demand by leaf in a ledger, the queues with
 * their fair share, the queues below their guarantee, delays, kills.
 *
 * Shares are brought up to date whenever time goes on after a change. A queue
 * is judged again only if something on its path changed.
 */
#include <string.h>

#include "base/arith.h"
#include "base/fail.h"
#include "engine/probe.h"
#include "sim/run.h"

/*
 * Queues below their guarantee. A queue is below if, in some partition, the
 * queue has open tasks and uses less than its guarantee of each kind that these
 * tasks want. Example: a queue has its guaranteed cores, and its tasks wait for
 * cores. The queue is not below its guarantee because of unused guaranteed
 * memory.
 */

int skedi_below_reserve(sked_sim *sim)
{
    size_t cells = (size_t)sim->n_rows * sim->n_lanes;
    const skedi_image *image = skedi_tree_image(sim->tree);

    sim->open = skedi_new(&sim->hooks.mem, cells * sim->kinds,
                          sizeof *sim->open);
    sim->promises = skedi_new(&sim->hooks.mem, sim->n_rows, 1);
    if (!sim->open || !sim->promises) return 0;
    for (uint32_t row = 0; row < sim->n_rows; row++) {
        const int64_t *parts = image->number[SKEDI_AT_GUARANTEE_PPM];
        sim->promises[row] = parts && parts[row] != SKED_UNSET;
        for (uint32_t k = 0; k < sim->kinds; k++) {
            const int64_t *own = skedi_image_amounts(image, SKEDI_AT_GUARANTEE,
                                                     k);
            sim->promises[row] |= own && own[row] > 0;
        }
    }
    return 1;
}

void skedi_below_free(sked_sim *sim)
{
    size_t cells = (size_t)sim->n_rows * sim->n_lanes;

    skedi_free(&sim->hooks.mem, sim->open, cells * sim->kinds,
               sizeof *sim->open);
    skedi_free(&sim->hooks.mem, sim->promises, sim->n_rows, 1);
}

static void sim_move_lane(sked_sim *sim, uint32_t job, uint32_t lane,
                          int64_t tasks)
{
    const sim_job *j = &sim->jobs[job];
    const int64_t *task = sim->amounts + (size_t)j->given * sim->kinds;

    for (uint32_t row = j->row;; row = (uint32_t)sim->parent[row]) {
        size_t cell = (size_t)row * sim->n_lanes + lane;
        int64_t *open = sim->open + cell * sim->kinds;
        for (uint32_t k = 0; sim->promises[row] && k < sim->kinds; k++) {
            (void)skedi_i64_add(open[k], task[k] * tasks, &open[k]);
        }
        if (row == 0) return;
    }
}

/* Adds `tasks` open tasks of a job; `tasks` may be negative. */
static void sim_below_move(sked_sim *sim, uint32_t job, int64_t tasks)
{
    uint32_t partition = sim->jobs[job].partition;

    for (uint32_t lane = 0; tasks && lane < sim->n_lanes; lane++) {
        if (partition == lane || partition == SKED_ANY_PARTITION) {
            sim_move_lane(sim, job, lane, tasks);
        }
    }
}

static int sim_is_below_in(const sked_sim *sim, uint32_t row, uint32_t lane)
{
    size_t cell = (size_t)row * sim->n_lanes + lane;
    const int64_t *open = sim->open + cell * sim->kinds, *used, *promised;
    int below = 0;

    if (!skedi_probe_usage(sim->engine, row, lane, &used, &promised)) return 0;
    for (uint32_t k = 0; k < sim->kinds; k++) {
        if (open[k] <= 0 || promised[k] == 0) continue;
        if (used[k] >= promised[k]) return 0;
        below = 1;
    }
    return below;
}

static int sim_is_below(const sked_sim *sim, uint32_t row)
{
    if (!sim->promises[row]) return 0;
    for (uint32_t lane = 0; lane < sim->n_lanes; lane++) {
        if (sim_is_below_in(sim, row, lane)) return 1;
    }
    return 0;
}

/*
 * Queues with at least their fair share. The answer for a queue can change only
 * for three reasons: the queue changed (then its path is noted), shares were
 * computed again, or nodes came or went. The time up to the next change counts
 * for the present answer.
 */

/* Columns of the ledger, kind by kind. */
typedef struct sim_books {
    const int64_t *usage[SKED_MAX_KINDS];
    const int64_t *demand[SKED_MAX_KINDS];
} sim_books;

static sim_books sim_books_of(const sked_sim *sim)
{
    sim_books books = {{NULL}, {NULL}};

    for (uint32_t k = 0; k < sim->kinds; k++) {
        books.usage[k] = sked_ledger_view(sim->ledger, SKED_LEDGER_USAGE, k,
                                          NULL);
        books.demand[k] = sked_ledger_view(sim->ledger, SKED_LEDGER_DEMAND, k,
                                           NULL);
    }
    return books;
}

/* The kind of which a row has the largest part; -1: the row has none of any
 * kind. */
static int32_t sim_largest_of(const sked_sim *sim, const int64_t *const *column,
                              uint32_t row)
{
    uint64_t most = 0, whole = 1;
    int32_t lead = -1;

    for (uint32_t k = 0; k < sim->kinds; k++) {
        uint64_t x = (uint64_t)column[k][row];
        uint64_t c = (uint64_t)sim->capacity[k];
        if (c == 0 || skedi_cmp_mul(x, whole, most, c) <= 0) continue;
        most = x;
        whole = c;
        lead = (int32_t)k;
    }
    return lead;
}

/* The kind of which a queue uses, or else wants, the largest part. */
static uint32_t sim_leading_of(const sked_sim *sim, const sim_books *books,
                               uint32_t row)
{
    int32_t lead = sim_largest_of(sim, books->usage, row);

    if (lead < 0) lead = sim_largest_of(sim, books->demand, row);
    return lead < 0 ? 0 : (uint32_t)lead;
}

static uint32_t sim_answer_of(const sked_sim *sim, const sim_books *books,
                              uint32_t row)
{
    uint32_t k = sim_leading_of(sim, books, row);
    uint32_t answer = sim_is_below(sim, row) ? SIM_BELOW : 0;

    if (books->demand[k][row] == 0) return answer;
    if (books->usage[k][row] < sim->fair[(size_t)k * sim->n_rows + row]) {
        return answer | SIM_STARVED;
    }
    return answer | SIM_FAIR;
}

/* Counts the time up to now for the present answer. */
static void sim_count_time(sked_sim *sim, uint32_t row)
{
    sim_queue *q = &sim->queues[row];
    int64_t passed = sim->measured - q->since;

    if (q->answer & SIM_FAIR) q->fair += passed;
    if (q->answer & SIM_STARVED) q->starved += passed;
    if (q->answer & SIM_BELOW) q->below += passed;
    q->since = sim->measured;
}

static void sim_judge_queue(sked_sim *sim, const sim_books *books, uint32_t row)
{
    sim_count_time(sim, row);
    sim->queues[row].answer = sim_answer_of(sim, books, row);
    sim->queues[row].is_noted = 0;
}

/* Notes a queue that changed, and all queues above. */
static void sim_judge_note(sked_sim *sim, uint32_t row)
{
    while (!sim->queues[row].is_noted) { /* else all above are, too */
        sim->queues[row].is_noted = 1;
        sim->noted[sim->n_noted++] = row;
        if (row > 0) row = (uint32_t)sim->parent[row];
    }
}

void skedi_judge_all(sked_sim *sim)
{
    sim->judge_all = 1;
}

/* Judges the noted queues; the new answers count from `measured` on. */
static void sim_judge_queues(sked_sim *sim)
{
    if (!sim->judge_all && sim->n_noted == 0) return;
    sim_books books = sim_books_of(sim);

    if (sim->judge_all) {
        for (uint32_t r = 0; r < sim->n_rows; r++)
            sim_judge_queue(sim, &books, r);
    } else {
        for (uint32_t i = 0; i < sim->n_noted; i++) {
            sim_judge_queue(sim, &books, sim->noted[i]);
        }
    }
    sim->n_noted = 0;
    sim->judge_all = 0;
}

void skedi_judge_end(sked_sim *sim)
{
    for (uint32_t r = 0; r < sim->n_rows; r++) sim_count_time(sim, r);
}

/* Notes tasks to kill at the end of the round; `*ran` is their run time. */
static sked_status sim_round_kill(sked_sim *sim, const sked_decision *d,
                                  int64_t *ran)
{
    void *grown = sim->kills;

    if (!skedi_ensure(&sim->hooks.mem, &grown, &sim->kills_cap,
                      sim->n_kills + 1, sizeof *sim->kills)) {
        return SKED_ERR_NOMEM;
    }
    sim->kills = grown;
    sim->kills[sim->n_kills++] = (sim_kill){d->group, (uint32_t)d->count,
                                            (uint32_t)d->node - 1};
    sim->result.killed += (uint64_t)d->count;
    *ran = d->time - skedi_probe_since(sim->engine, d->group);
    return SKED_OK;
}

/*
 * The measurements of a run. Usage and demand are in a ledger, by leaf. When
 * time goes on after a change, the run computes shares again and judges the
 * queues that the change may concern.
 */

/* ---- Shares ---- */

/* Carries the changes of leaves since the last call into the ledger. */
static sked_status sim_tell_ledger(sked_sim *sim, sked_error *err)
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

static uint64_t sim_families_filled(const sked_sim *sim)
{
    sked_share_stats stats = {.struct_size = sizeof stats};

    (void)!sked_share_get_stats(sim->share, &stats);
    return stats.families;
}

static sked_status sim_read_shares(sked_sim *sim)
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

static sked_status sim_update_shares(sked_sim *sim, sked_error *err)
{
    uint64_t families = sim_families_filled(sim);
    sked_status rc = sim_tell_ledger(sim, err);

    if (rc == SKED_OK) {
        rc = sked_share_update(sim->share, sim->tree, sim->ledger,
                               sim->capacity, err);
    }
    /* A tree with only a root has no family. */
    if (rc == SKED_OK &&
        (sim_families_filled(sim) != families || sim->n_rows == 1)) {
        rc = sim_read_shares(sim);
    }
    sim->shares_due = 0;
    return rc;
}

sked_status skedi_measure_time(sked_sim *sim, sked_time to, sked_error *err)
{
    sked_status rc = SKED_OK;

    if (to <= sim->measured) return SKED_OK;
    if (!(sim->opts.flags & SKED_SIM_FLAG_NO_SHARES)) {
        if (sim->shares_due) rc = sim_update_shares(sim, err);
        if (rc != SKED_OK) return rc;
        sim_judge_queues(sim);
    }
    sim->measured = to;
    return skedi_measure_sample(sim, to);
}

/* ---- Books ---- */

/* Notes for the ledger: a leaf's usage changes by `held` tasks and its demand
 * by `wanted` tasks. A run without shares needs no notes. */
static sked_status sim_move_ledger(sked_sim *sim, uint32_t job, int64_t held,
                                   int64_t wanted)
{
    const sim_job *j = &sim->jobs[job];
    const int64_t *task = sim->amounts + (size_t)j->given * sim->kinds;
    int64_t *move = sim->move + (size_t)j->row * sim->kinds * 2;

    if (sim->opts.flags & SKED_SIM_FLAG_NO_SHARES) return SKED_OK;
    sim_below_move(sim, job, wanted - held);
    sim->shares_due = 1;
    sim_judge_note(sim, j->row);
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

/* Adds the usage of `tasks` tasks to the queues of a path; `tasks` may be
 * negative. */
static void sim_move_usage(sked_sim *sim, uint32_t job, int64_t tasks)
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
    return sim_move_ledger(sim, job, 0, sim->jobs[job].tasks);
}

/* Adds amount * tasks * ns. */
static void sim_sum_work(sked_wide *sum, int64_t amount, int64_t tasks,
                         int64_t ns)
{
    skedi_u128 done = skedi_u128_mul((uint64_t)amount * (uint64_t)tasks,
                                     (uint64_t)ns);
    skedi_u128 all = skedi_u128_add(skedi_u128_make(sum->high, sum->low), done);

    sum->high = skedi_u128_high(all);
    sum->low = skedi_u128_low(all);
}

/* Adds `tasks` tasks that ran for `ns`, to the work on the path. */
static void sim_note_work(sked_sim *sim, uint32_t job, int64_t tasks,
                          int64_t ns)
{
    const int64_t *task = sim->amounts +
                          (size_t)sim->jobs[job].given * sim->kinds;

    for (uint32_t k = 0; k < sim->kinds; k++) {
        for (uint32_t row = sim->jobs[job].row;;
             row = (uint32_t)sim->parent[row]) {
            sim_sum_work(sim->work + (size_t)row * sim->kinds + k, task[k],
                         tasks, ns);
            if (row == 0) break;
        }
    }
}

/* Queues the end of `count` tasks of a start, from number `first` on. */
static void sim_push_end(sked_sim *sim, const sked_decision *d, int64_t first,
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

static sked_status sim_note_start(sked_sim *sim, const sked_decision *d)
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
    sim_push_end(sim, d, 0, d->count - away, 0);
    sim_push_end(sim, d, d->count - away, away, transfer);
    sim_move_usage(sim, job, d->count);
    return sim_move_ledger(sim, job, d->count, 0);
}

static sked_status sim_note_finish(sked_sim *sim, const sked_decision *d)
{
    uint32_t job = (uint32_t)d->job - 1;

    sim_note_work(sim, job, d->count, sim->jobs[job].run + d->detail);
    sim->result.tasks_finished += (uint64_t)d->count;
    sim->result.end = skedi_i64_max(sim->result.end, d->time);
    sim_move_usage(sim, job, -d->count);
    return sim_move_ledger(sim, job, -d->count, -d->count);
}

static sked_status sim_note_lost(sked_sim *sim, const sked_decision *d)
{
    uint32_t job = (uint32_t)d->job - 1;

    skedi_places_undo(sim, job, (uint32_t)d->node - 1, d->count);
    sim_move_usage(sim, job, -d->count);
    return sim_move_ledger(sim, job, -d->count, 0);
}

static void sim_lose_work(sked_sim *sim, uint32_t job, int64_t tasks,
                          int64_t ns)
{
    const int64_t *task = sim->amounts +
                          (size_t)sim->jobs[job].given * sim->kinds;

    for (uint32_t k = 0; k < sim->kinds; k++) {
        sim_sum_work(sim->lost + k, task[k], tasks, ns);
    }
}

/* Notes a kill order. The host kills the tasks after reading all decisions. */
static sked_status sim_note_kill(sked_sim *sim, const sked_decision *d)
{
    int64_t ran;
    sked_status rc = sim_round_kill(sim, d, &ran);

    if (rc != SKED_OK) return rc;
    sim_lose_work(sim, (uint32_t)d->job - 1, d->count, ran);
    return sim_note_lost(sim, d);
}

static sked_status sim_note_reject(sked_sim *sim, const sked_decision *d)
{
    uint32_t job = (uint32_t)d->job - 1;

    sim->jobs[job].state = SIM_REJECTED;
    sim->result.rejected++;
    return sim_move_ledger(sim, job, 0, -sim->jobs[job].tasks);
}

/* ---- Records ---- */

/* Writes the next field of a record: half into this word, half into the
 * next. */
static uint64_t *sim_put_across(uint64_t *at, uint64_t field)
{
    *at++ |= field << 32;
    *at = field >> 32;
    return at;
}

/* Hashes the fields of the decision log in their widths. The kind has 32 bits,
 * so each later field straddles two words, up to the reason, which also has 32
 * bits. */
static void sim_digest_record(skedi_hash *hash, const sked_decision *d,
                              uint64_t sequence, const int64_t *amount,
                              uint32_t kinds)
{
    uint64_t words[8 + SKED_MAX_KINDS], *at = words;

    *at++ = sequence;
    *at++ = (uint64_t)d->time;
    *at = (uint32_t)d->kind;
    at = sim_put_across(at, d->job);
    at = sim_put_across(at, (uint64_t)d->task);
    at = sim_put_across(at, (uint64_t)d->count);
    at = sim_put_across(at, d->queue);
    at = sim_put_across(at, d->node);
    for (uint32_t k = 0; k < kinds; k++) {
        at = sim_put_across(at, (uint64_t)amount[k]);
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

static sked_status sim_book_record(sked_sim *sim, const sked_decision *d)
{
    switch (d->kind) {
    case SKED_DECISION_ALLOCATE: return sim_note_start(sim, d);
    case SKED_SIM_KIND_FINISH: return sim_note_finish(sim, d);
    case SKED_DECISION_REJECT: return sim_note_reject(sim, d);
    case SKED_DECISION_LOST: return sim_note_lost(sim, d);
    case SKED_DECISION_KILL: return sim_note_kill(sim, d);
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
    sked_status rc = sim_book_record(sim, decision);

    if (rc != SKED_OK) return rc;
    sim->result.decisions++;
    sim_digest_record(&sim->digest, decision, sim->result.decisions,
                      sim->amounts + (size_t)job->given * sim->kinds,
                      sim->kinds);
    if (!sim->watch) return SKED_OK;
    sked_sim_record *record = &sim->records[sim->n_records++];
    *record = (sked_sim_record){*decision, job->given, job->copy};
    record->decision.sequence = sim->result.decisions;
    return sim->n_records == SIM_RECORDS ? skedi_measure_flush(sim) : SKED_OK;
}

/* Exact percentiles of delays, queue by queue. */

/* The percentile by nearest rank: the smallest delay that at least `percent`
 * percent of the delays do not exceed. n >= 1. */
static int64_t sim_nearest_rank(const sked_sim *sim, const skedi_keyed *sorted,
                                size_t n, unsigned percent)
{
    size_t rank = (n * percent + 99) / 100;

    return sim->jobs[sorted[rank - 1].index].delay;
}

static sked_sim_delay sim_delay_of(const sked_sim *sim,
                                   const skedi_keyed *sorted, size_t n)
{
    skedi_u128 sum = skedi_u128_of(0);
    uint64_t rem;

    if (n == 0) return (sked_sim_delay){-1, -1, -1, -1, -1, 0};
    for (size_t i = 0; i < n; i++) {
        uint64_t delay = (uint64_t)sim->jobs[sorted[i].index].delay;
        sum = skedi_u128_add(sum, skedi_u128_of(delay));
    }
    return (sked_sim_delay){
        .p50 = sim_nearest_rank(sim, sorted, n, 50),
        .p95 = sim_nearest_rank(sim, sorted, n, 95),
        .p99 = sim_nearest_rank(sim, sorted, n, 99),
        .max = sim->jobs[sorted[n - 1].index].delay,
        .mean = (int64_t)skedi_u128_low(skedi_u128_div(sum, n, &rem)),
        .n = n,
    };
}

/* The row's ancestor (or itself) on a level, or SIM_NONE. */
static uint32_t sim_row_on_level(const sked_sim *sim, const uint8_t *depth,
                                 uint32_t row, uint32_t level)
{
    if (depth[row] < level) return SIM_NONE;
    while (depth[row] > level) row = (uint32_t)sim->parent[row];
    return row;
}

/* Sorts by delay, then (a stable sort) by queue, level by level, because a job
 * counts in every queue above its leaf. */
void skedi_measure_delays(sked_sim *sim)
{
    const skedi_image *image = skedi_tree_image(sim->tree);
    skedi_keyed *all = sim->ranked, *spare = all + sim->jobs_cap;
    size_t n = 0;

    for (uint32_t i = 0; i < sim->n_jobs; i++) {
        if (sim->jobs[i].delay < 0) continue;
        all[n++] = (skedi_keyed){(uint64_t)sim->jobs[i].delay, i, 0};
    }
    skedi_sort_keys(all, spare, n);
    for (uint32_t row = 0; row < sim->n_rows; row++) {
        sim->queues[row].delay = sim_delay_of(sim, all, 0);
    }
    for (uint32_t level = 0; level < image->levels; level++) {
        for (size_t i = 0; i < n; i++) {
            all[i].key = (uint64_t)sim->jobs[all[i].index].delay;
        }
        skedi_sort_keys(all, spare, n);
        for (size_t i = 0; i < n; i++) {
            all[i].key = sim_row_on_level(sim, image->depth,
                                          sim->jobs[all[i].index].row, level);
        }
        skedi_sort_keys(all, spare, n);
        for (size_t from = 0, to; from < n; from = to) {
            for (to = from; to < n && all[to].key == all[from].key;) to++;
            if (all[from].key == SIM_NONE) continue;
            sim->queues[all[from].key].delay = sim_delay_of(sim, all + from,
                                                            to - from);
        }
    }
}
