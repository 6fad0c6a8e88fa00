/* What an event does to usage, demand, lines of jobs and nodes; and shares. */
#include "states.h"

#include <string.h>

/* ---- Events ---- */

const int64_t *states_task(const work *w, uint32_t row)
{
    return w->in.amounts + (size_t)row * w->in.kinds;
}

/* So many tasks more run, so many more are wanted (run or wait). */
static void move(work *w, uint32_t row, int64_t held, int64_t wanted)
{
    size_t kinds = w->in.kinds;
    uint32_t leaf = w->in.leaf[row];
    const int64_t *task = states_task(w, row);

    if (!w->has_moved[leaf]) {
        w->has_moved[leaf] = 1;
        w->moved[w->n_moved++] = leaf;
    }
    for (size_t k = 0; k < kinds; k++) {
        w->usage[leaf * kinds + k] += task[k] * held;
        w->open[leaf * kinds + k] += task[k] * (wanted - held);
        w->move[leaf * kinds * 2 + k] += task[k] * held;
        w->move[leaf * kinds * 2 + kinds + k] += task[k] * wanted;
    }
    for (uint32_t i = w->in.first[leaf]; i < w->in.first[leaf + 1]; i++) {
        int64_t *used = w->used + (size_t)w->in.bound[i] * kinds;
        for (size_t k = 0; k < kinds; k++) used[k] += task[k] * held;
    }
}

static void job_runs(work *w, uint32_t leaf, int64_t jobs)
{
    for (uint32_t i = w->in.first[leaf]; i < w->in.first[leaf + 1]; i++) {
        w->runs[w->in.bound[i]] += jobs;
    }
}

static void submit(work *w, uint64_t job, uint32_t row)
{
    uint32_t leaf = w->in.leaf[row];

    move(w, row, 0, w->in.tasks[row]);
    w->left[job] = w->in.tasks[row];
    w->waiting[leaf]++;
    if (w->tail[leaf]) {
        w->next[w->tail[leaf]] = (uint32_t)job;
    } else {
        w->head[leaf] = (uint32_t)job;
    }
    w->tail[leaf] = (uint32_t)job;
}

static void leave_line(work *w, uint64_t job, uint32_t leaf)
{
    if (w->started[job]) return;
    w->started[job] = 1;
    w->waiting[leaf]--;
}

static void hold(work *w, uint32_t row, uint64_t node, int64_t count)
{
    size_t kinds = w->in.kinds;
    const int64_t *task = states_task(w, row);
    int64_t before = w->on_node[node];

    for (size_t k = 0; k < kinds; k++) {
        w->free[node * kinds + k] -= task[k] * count;
        w->part_free[w->in.place[node] * kinds + k] -= task[k] * count;
        w->part_free[w->in.parts * kinds + k] -= task[k] * count;
    }
    w->on_node[node] += count;
    if (before == 0) w->n_idle--;
    if (w->on_node[node] == 0) w->n_idle++;
}

static void start(work *w, uint64_t job, uint32_t row, size_t i)
{
    leave_line(w, job, w->in.leaf[row]);
    move(w, row, w->in.count[i], 0);
    if (w->held[job] == 0) job_runs(w, w->in.leaf[row], 1);
    w->held[job] += w->in.count[i];
    hold(w, row, w->in.node[i] - 1, w->in.count[i]);
}

static void end(work *w, uint64_t job, uint32_t row, size_t i)
{
    int64_t n = w->in.count[i];
    int64_t done = w->in.kind[i] == SKED_SIM_KIND_FINISH ? n : 0;

    move(w, row, -n, -done);
    w->held[job] -= n;
    w->left[job] -= done;
    if (w->held[job] == 0) job_runs(w, w->in.leaf[row], -1);
    hold(w, row, w->in.node[i] - 1, -n);
}

void states_apply(work *w, size_t i)
{
    uint64_t job = w->in.job[i];
    uint32_t row = w->in.given[job - 1];

    switch (w->in.kind[i]) {
    case SUBMIT: submit(w, job, row); break;
    case SKED_DECISION_ALLOCATE: start(w, job, row, i); break;
    case SKED_DECISION_REJECT:
        move(w, row, 0, -w->in.tasks[row]);
        leave_line(w, job, w->in.leaf[row]);
        break;
    default: end(w, job, row, i); break;
    }
}

/* ---- Shares ---- */

static sked_status tell(work *w, sked_error *err)
{
    size_t kinds = w->in.kinds;
    uint32_t n = w->n_moved;
    sked_status rc = SKED_OK;

    for (int part = 0; part < 2 && rc == SKED_OK; part++) {
        for (uint32_t i = 0; i < n; i++) {
            w->moved_ids[i] = w->in.id[w->moved[i]];
            memcpy(w->amounts + i * kinds,
                   w->move + (w->moved[i] * 2 + (size_t)part) * kinds,
                   kinds * sizeof *w->amounts);
        }
        rc = sked_ledger_add(w->ledger,
                             part ? SKED_LEDGER_DEMAND : SKED_LEDGER_USAGE,
                             w->moved_ids, w->amounts, n, err);
    }
    for (uint32_t i = 0; i < n; i++) {
        memset(w->move + w->moved[i] * 2 * kinds, 0,
               2 * kinds * sizeof *w->move);
        w->has_moved[w->moved[i]] = 0;
    }
    w->n_moved = 0;
    return rc;
}

sked_status states_settle(work *w, const sked_tree *tree, sked_error *err)
{
    size_t n;
    sked_status rc = tell(w, err);

    if (rc == SKED_OK) {
        rc = sked_share_update(w->share, tree, w->ledger, w->in.capacity, err);
    }
    for (size_t k = 0; k < w->in.kinds && rc == SKED_OK; k++) {
        rc = sked_share_column(w->share, (uint32_t)k, w->column,
                               w->rows_of_tree, &n, err);
        for (size_t i = 0; i < w->in.leaves && rc == SKED_OK; i++) {
            w->shares[i * w->in.kinds + k] = w->column[w->in.row[i]];
        }
    }
    return rc;
}
