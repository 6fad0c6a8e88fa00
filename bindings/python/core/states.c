/*
 * What every queue was doing between any two events of a run: a pass over the
 * events of <sched/sim.h>, with shares by <sched/share.h>. reporting/states.py
 * says what the columns mean; rows of jobs, nodes and queues are its own.
 */
#include "core.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { SUBMIT = 0, CAUSES = 5 };
enum { BY_LIMIT, BY_SHARE, BY_FULL, BY_FIT, BY_ORDER };

typedef struct states_in {
    uint32_t struct_size;
    uint32_t gang;
    uint32_t parts; /* of the cluster; a row's may be that: any */
    uint64_t n, jobs, rows, leaves, nodes, bounds, kinds, on_path;
    int64_t patience, end, last; /* last: submission */
    const int64_t *time, *count;
    const int32_t *kind;
    const uint64_t *job, *node; /* from 1, as records have them */
    const uint32_t *given;      /* by job: its row */
    const int64_t *tasks, *amounts;
    const uint32_t *leaf, *part;
    const uint64_t *id;
    const uint32_t *row;   /* by leaf: where shares have it */
    const int64_t *free;   /* by node and kind */
    const uint32_t *place; /* by node: its partition */
    const int64_t *capacity, *limit, *running;
    const uint32_t *first, *bound; /* of a leaf: those on its path */
} states_in;

/* A stretch below a share, as it goes out. */
typedef struct stretch {
    int64_t start, end, lack;
    uint32_t leaf, holder; /* UINT32_MAX: none */
    uint32_t kind, reserved;
} stretch;

#define STRETCH "T{q:start:q:end:q:lack:I:leaf:I:holder:I:kind:I:reserved:}"

/* One that goes on: since when, and what each leaf had beyond its share. */
typedef struct going {
    int64_t since, lack;
    int32_t kind; /* -1: none */
    double *over;
} going;

typedef struct work {
    states_in in;
    sked_ledger *ledger;
    sked_share *share;
    int64_t *usage, *open, *shares, *column; /* leaf x kind; column: by row */
    int64_t *move;                           /* leaf x (usage, wanted) x kind */
    uint8_t *has_moved, *started;
    uint32_t *moved, n_moved;
    int64_t *waiting, *held, *left;        /* by leaf; by job; by job */
    uint32_t *head, *tail, *next;          /* lines of jobs by leaf; from 1 */
    int64_t *part_free, *whole;            /* partition x kind; the last: any */
    int64_t *free, *on_node, *runs, *used; /* used: bound x kind */
    uint32_t *fits;                        /* by leaf: a node that did */
    int64_t *need, *amounts;
    uint64_t *moved_ids;
    double *over;     /* leaf x kind: amount x ns beyond the share */
    uint8_t *is_over; /* by kind: some leaf has more than its share now */
    going *going;
    stretch *found;
    size_t n_found, found_cap;
    size_t rows_of_tree;
    /* What goes out. */
    int64_t *below, *line, *idle; /* below: leaf x all, of that in pieces */
    double *causes, *held_for;    /* leaf x kind: amount x ns, up to `last` */
    size_t n_line;
    uint64_t n_idle;
} work;

/* What an event does to usage, demand, lines of jobs and nodes; and shares. */

/* ---- Events ---- */

/* What one task of a job needs, by the job's row. */
static const int64_t *states_task(const work *w, uint32_t row)
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

static void states_apply(work *w, size_t i)
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

/* The i-th event, and the shares after all events of an instant. */
static sked_status states_settle(work *w, const sked_tree *tree,
                                 sked_error *err)
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

static const field_of fields[] = {
    FIELD('u', states_in, gang, ""),      FIELD('u', states_in, parts, ""),
    FIELD('Q', states_in, n, "n"),        FIELD('Q', states_in, jobs, "j"),
    FIELD('Q', states_in, rows, "r"),     FIELD('Q', states_in, leaves, "l"),
    FIELD('Q', states_in, nodes, "m"),    FIELD('Q', states_in, bounds, "b"),
    FIELD('Q', states_in, kinds, "k"),    FIELD('Q', states_in, on_path, "p"),
    FIELD('q', states_in, patience, ""),  FIELD('q', states_in, end, ""),
    FIELD('q', states_in, last, ""),      FIELD('L', states_in, time, "n"),
    FIELD('L', states_in, count, "n"),    FIELD('I', states_in, kind, "n"),
    FIELD('K', states_in, job, "n"),      FIELD('K', states_in, node, "n"),
    FIELD('U', states_in, given, "j"),    FIELD('L', states_in, tasks, "r"),
    FIELD('L', states_in, amounts, "rk"), FIELD('U', states_in, leaf, "r"),
    FIELD('U', states_in, part, "r"),     FIELD('K', states_in, id, "l"),
    FIELD('U', states_in, row, "l"),      FIELD('L', states_in, free, "mk"),
    FIELD('U', states_in, place, "m"),    FIELD('L', states_in, capacity, "k"),
    FIELD('L', states_in, limit, "bk"),   FIELD('L', states_in, running, "b"),
    FIELD('U', states_in, first, "l+"),   FIELD('U', states_in, bound, "p"),
};

/* ---- Below a share ---- */

/* The kind of which a leaf uses, or else wants, the largest part. */
static size_t leading(const work *w, size_t leaf)
{
    size_t kinds = w->in.kinds, lead = 0;
    double most = 0;

    for (int wanted = 0; wanted < 2 && most == 0; wanted++) {
        for (size_t k = 0; k < kinds; k++) {
            int64_t x = w->usage[leaf * kinds + k];
            if (wanted) x += w->open[leaf * kinds + k];
            if (w->in.capacity[k] <= 0 || x <= 0) continue;
            double part = (double)x / (double)w->in.capacity[k];
            if (part > most) {
                most = part;
                lead = k;
            }
        }
    }
    return lead;
}

static int is_below(const work *w, size_t leaf, size_t k)
{
    size_t at = leaf * w->in.kinds + k;

    return w->open[at] > 0 && w->usage[at] < w->shares[at];
}

static uint32_t holder_of(const work *w, const going *g)
{
    uint32_t best = UINT32_MAX;
    double most = 0;

    for (uint32_t i = 0; i < w->in.leaves; i++) {
        double more = w->over[i * w->in.kinds + (size_t)g->kind] - g->over[i];
        if (more > most) {
            most = more;
            best = i;
        }
    }
    return best;
}

static sked_status finish(work *w, uint32_t leaf, int64_t now)
{
    going *g = &w->going[leaf];

    if (g->kind < 0) return SKED_OK;
    if (now - g->since > w->in.patience) {
        if (w->n_found == w->found_cap) {
            size_t cap = w->found_cap * 2 + 64;
            stretch *more = realloc(w->found, cap * sizeof *more);
            if (!more) return SKED_ERR_NOMEM;
            w->found = more;
            w->found_cap = cap;
        }
        w->found[w->n_found++] = (stretch){
            g->since,          now, g->lack, leaf, holder_of(w, g),
            (uint32_t)g->kind, 0};
    }
    free(g->over);
    g->over = NULL;
    g->kind = -1;
    return SKED_OK;
}

static sked_status begin(work *w, uint32_t leaf, size_t kind, int64_t now)
{
    double *over = malloc(w->in.leaves * sizeof *over);

    if (!over) return SKED_ERR_NOMEM;
    for (size_t i = 0; i < w->in.leaves; i++) {
        over[i] = w->over[i * w->in.kinds + kind];
    }
    w->going[leaf] = (going){now, 0, (int32_t)kind, over};
    return SKED_OK;
}

static sked_status look_below(work *w, uint32_t leaf, int64_t now, int64_t to)
{
    size_t kind = leading(w, leaf);
    int below = is_below(w, leaf, kind);
    going *g = &w->going[leaf];
    sked_status rc = SKED_OK;

    if (g->kind >= 0 && (!below || g->kind != (int32_t)kind)) {
        rc = finish(w, leaf, now);
    }
    if (!below || rc != SKED_OK) return rc;
    if (g->kind < 0) rc = begin(w, leaf, kind, now);
    size_t at = leaf * w->in.kinds + kind;
    int64_t less = w->shares[at] - w->usage[at];
    if (less > w->open[at]) less = w->open[at];
    if (less > g->lack) g->lack = less;
    w->below[2 * leaf] += to - now;
    return rc;
}

/* What leaves have, until the last submission, and have beyond their shares;
 * of which kinds there is such. */
static void note_held(work *w, int64_t now, int64_t to)
{
    size_t n = w->in.leaves * w->in.kinds;
    int64_t passed = to - now, end = to < w->in.last ? to : w->in.last;

    memset(w->is_over, 0, w->in.kinds);
    for (size_t i = 0; i < n; i++) {
        if (end > now) {
            w->held_for[i] += (double)w->usage[i] * (double)(end - now);
        }
        if (w->usage[i] > w->shares[i]) {
            w->over[i] += (double)(w->usage[i] - w->shares[i]) * (double)passed;
            w->is_over[i % w->in.kinds] = 1;
        }
    }
}

/* ---- Causes ---- */

static int is_limited(const work *w, uint32_t leaf)
{
    size_t kinds = w->in.kinds;

    for (uint32_t i = w->in.first[leaf]; i < w->in.first[leaf + 1]; i++) {
        size_t b = w->in.bound[i];
        if (w->runs[b] >= w->in.running[b]) return 1;
        for (size_t k = 0; k < kinds; k++) {
            if (w->used[b * kinds + k] + w->need[k] >
                w->in.limit[b * kinds + k])
                return 1;
        }
    }
    return 0;
}

/* Of a kind that is needed less is free than that, or a twentieth at most. */
static int is_short(const work *w, uint32_t part, size_t k)
{
    int64_t left = w->part_free[part * w->in.kinds + k];

    return w->need[k] > 0 &&
           (left < w->need[k] || left <= w->whole[part * w->in.kinds + k] / 20);
}

static int fits_node(const work *w, uint32_t part, size_t node)
{
    if (part != w->in.parts && w->in.place[node] != part) return 0;
    for (size_t k = 0; k < w->in.kinds; k++) {
        if (w->free[node * w->in.kinds + k] < w->need[k]) return 0;
    }
    return 1;
}

static int fits_any(work *w, uint32_t leaf, uint32_t part)
{
    if (fits_node(w, part, w->fits[leaf])) return 1;
    for (uint32_t node = 0; node < w->in.nodes; node++) {
        if (fits_node(w, part, node)) {
            w->fits[leaf] = node;
            return 1;
        }
    }
    return 0;
}

/* What holds the jobs of a leaf that waits, by its oldest. `in_pieces`: its
 * queue's share is free, but nowhere as much at once as that one needs. */
static int cause(work *w, uint32_t leaf, int *in_pieces)
{
    int is_full = 0, less = 0, own = 0;

    while (w->started[w->head[leaf]]) w->head[leaf] = w->next[w->head[leaf]];
    uint32_t row = w->in.given[w->head[leaf] - 1];
    uint32_t part = w->in.part[row];
    int64_t tasks = w->in.gang ? w->in.tasks[row] : 1;
    for (size_t k = 0; k < w->in.kinds; k++) {
        w->need[k] = states_task(w, row)[k] * tasks;
    }
    if (is_limited(w, leaf)) return BY_LIMIT;
    if (part > w->in.parts) return BY_FIT; /* no node is in it */
    for (size_t k = 0; k < w->in.kinds; k++) {
        if (!is_short(w, part, k)) continue;
        is_full = 1;
        own |= is_below(w, leaf, k);
        less |= w->is_over[k] && is_below(w, leaf, k); /* others are over */
    }
    *in_pieces = own && !less;
    if (is_full) return less ? BY_SHARE : BY_FULL;
    if (fits_any(w, leaf, part)) return BY_ORDER;
    *in_pieces = 1;
    return BY_FIT;
}

/* ---- The pass ---- */

static sked_status look(work *w, int64_t now, int64_t to)
{
    int64_t all = 0;
    sked_status rc = SKED_OK;

    for (uint32_t leaf = 0; leaf < w->in.leaves && rc == SKED_OK; leaf++) {
        rc = look_below(w, leaf, now, to);
    }
    note_held(w, now, to);
    for (uint32_t leaf = 0; leaf < w->in.leaves; leaf++) {
        int64_t n = w->waiting[leaf];
        if (n == 0) continue;
        all += n;
        int in_pieces = 0;
        int why = cause(w, leaf, &in_pieces);
        w->causes[leaf * CAUSES + (size_t)why] += (double)n *
                                                  (double)(to - now);
        if (w->going[leaf].kind >= 0 && in_pieces) {
            w->below[2 * leaf + 1] += to - now;
        }
    }
    w->idle[w->n_idle] += to - now;
    if (!w->n_line || w->line[2 * w->n_line - 1] != all) {
        w->line[2 * w->n_line] = now;
        w->line[2 * w->n_line + 1] = all;
        w->n_line++;
    }
    return rc;
}

static sked_status go(work *w, const sked_tree *tree, sked_error *err)
{
    const int64_t *time = w->in.time;
    sked_status rc = SKED_OK;

    for (size_t i = 0; i < w->in.n && rc == SKED_OK;) {
        int64_t now = time[i];
        while (i < w->in.n && time[i] == now) states_apply(w, i++);
        rc = states_settle(w, tree, err);
        int64_t to = i < w->in.n ? time[i] : now > w->in.end ? now : w->in.end;
        if (rc == SKED_OK) rc = look(w, now, to);
    }
    for (uint32_t leaf = 0; leaf < w->in.leaves && rc == SKED_OK; leaf++) {
        rc = finish(w, leaf, w->in.end);
    }
    return rc;
}

/* ---- Memory ---- */

typedef struct part_of {
    void **at;
    size_t n, item;
} part_of;

#define PART(to, count)                                                        \
    {                                                                          \
        (void **)&(to), (count), sizeof *(to)                                  \
    }
enum { PARTS = 26 };

static void parts_of(work *w, part_of *out)
{
    const states_in *in = &w->in;
    size_t cells = in->leaves * in->kinds, places = in->parts + (size_t)1;
    const part_of parts[PARTS] = {
        PART(w->usage, cells),
        PART(w->open, cells),
        PART(w->shares, cells),
        PART(w->column, w->rows_of_tree),
        PART(w->move, cells * 2),
        PART(w->has_moved, in->leaves),
        PART(w->started, in->jobs + 1),
        PART(w->moved, in->leaves),
        PART(w->waiting, in->leaves),
        PART(w->held, in->jobs + 1),
        PART(w->left, in->jobs + 1),
        PART(w->head, in->leaves),
        PART(w->tail, in->leaves),
        PART(w->next, in->jobs + 1),
        PART(w->part_free, places * in->kinds),
        PART(w->whole, places * in->kinds),
        PART(w->free, in->nodes * in->kinds),
        PART(w->on_node, in->nodes),
        PART(w->runs, in->bounds),
        PART(w->used, in->bounds * in->kinds),
        PART(w->fits, in->leaves),
        PART(w->need, in->kinds),
        PART(w->amounts, cells),
        PART(w->moved_ids, in->leaves),
        PART(w->over, cells),
        PART(w->is_over, in->kinds),
    };
    memcpy(out, parts, sizeof parts);
}

static void set_free(work *w)
{
    size_t kinds = w->in.kinds;

    memcpy(w->free, w->in.free, w->in.nodes * kinds * sizeof *w->free);
    for (size_t node = 0; node < w->in.nodes; node++) {
        for (size_t k = 0; k < kinds; k++) {
            int64_t x = w->in.free[node * kinds + k];
            w->part_free[w->in.place[node] * kinds + k] += x;
            w->part_free[w->in.parts * kinds + k] += x;
        }
    }
    memcpy(w->whole, w->part_free,
           (w->in.parts + (size_t)1) * kinds * sizeof *w->whole);
    w->n_idle = w->in.nodes;
}

static sked_status prepare(work *w, const sked_tree *tree,
                           const sked_host *host, sked_error *err)
{
    sked_share_options how = {.struct_size = sizeof how,
                              .model = SKED_SHARE_MODEL_INSTANTANEOUS};
    part_of parts[PARTS];
    sked_status rc = sked_ledger_new(tree, NULL, host, &w->ledger, err);

    w->rows_of_tree = sked_tree_count(tree);
    if (rc == SKED_OK) rc = sked_share_new(&how, host, &w->share, err);
    parts_of(w, parts);
    for (int i = 0; i < PARTS && rc == SKED_OK; i++) {
        *parts[i].at = calloc(parts[i].n + 1, parts[i].item);
        if (!*parts[i].at) rc = SKED_ERR_NOMEM;
    }
    if (rc != SKED_OK) return rc;
    w->going = calloc(w->in.leaves + 1, sizeof *w->going);
    if (!w->going) return SKED_ERR_NOMEM;
    for (size_t i = 0; i < w->in.leaves; i++) {
        w->going[i].kind = -1;
        if (w->in.row[i] >= w->rows_of_tree) return SKED_ERR_STALE;
    }
    set_free(w);
    return SKED_OK;
}

static void clear(work *w)
{
    part_of parts[PARTS];

    parts_of(w, parts);
    for (int i = 0; i < PARTS; i++) free(*parts[i].at);
    for (size_t i = 0; w->going && i < w->in.leaves; i++) {
        free(w->going[i].over);
    }
    free(w->going);
    free(w->found);
    sked_share_free(w->share);
    sked_ledger_free(w->ledger);
}

/* ---- The call ---- */

/* No number leads outside of another column. */
static int is_sound(const states_in *in)
{
    int ok = 1;

    for (size_t i = 0; i < in->jobs; i++) ok &= in->given[i] < in->rows;
    for (size_t i = 0; i < in->rows; i++) ok &= in->leaf[i] < in->leaves;
    for (size_t i = 0; i < in->nodes; i++) ok &= in->place[i] < in->parts;
    for (size_t i = 0; i < in->on_path; i++) ok &= in->bound[i] < in->bounds;
    for (size_t i = 0; i < in->leaves; i++) {
        ok &= in->first[i] <= in->first[i + 1];
    }
    ok &= in->first[0] == 0 && in->first[in->leaves] == in->on_path;
    for (size_t i = 0; ok && i < in->n; i++) {
        int placed = in->kind[i] != SUBMIT &&
                     in->kind[i] != SKED_DECISION_REJECT;
        ok = in->job[i] >= 1 && in->job[i] <= in->jobs &&
             (!placed || (in->node[i] >= 1 && in->node[i] <= in->nodes)) &&
             (i == 0 || in->time[i] >= in->time[i - 1]);
    }
    return ok;
}

static PyObject *states_end(args *a, work *w)
{
    column *found = args_column(a, STRETCH, sizeof(stretch), w->n_found, -1);

    if (!found) {
        clear(w);
        return NULL;
    }
    if (w->n_found) memcpy(found->at, w->found, w->n_found * sizeof(stretch));
    PyObject *out = args_end(a, "OOOOOOn", (PyObject *)found, a->out[0],
                             a->out[1], a->out[2], a->out[3], a->out[4],
                             (Py_ssize_t)w->n_line);
    clear(w);
    return out;
}

CALL(states)
{
    host *h;
    const sked_tree *tree;
    PyObject *dict;
    work w = {.n_line = 0};
    size_t dim[128] = {0};
    READ("hxO", H_TREE, (void **)&tree, &h, &dict);
    w.in.struct_size = sizeof w.in;
    if (!args_struct(&a, dict, fields, COUNT(fields), &w.in, dim)) return NULL;
    if (!w.in.first || !w.in.nodes || !is_sound(&w.in)) {
        PyErr_SetString(PyExc_ValueError, "columns that do not fit together");
        return args_fail(&a);
    }
    if (!COLUMNS(a, {"q", 8, w.in.leaves, 2}, {"d", 8, w.in.leaves, CAUSES},
                 {"q", 8, w.in.n + 1, 2}, {"q", 8, w.in.nodes + 1, -1},
                 {"d", 8, w.in.leaves, (Py_ssize_t)w.in.kinds})) {
        return NULL;
    }
    w.below = MADE(a, int64_t, 0);
    w.causes = MADE(a, double, 1);
    w.line = MADE(a, int64_t, 2);
    w.idle = MADE(a, int64_t, 3);
    w.held_for = MADE(a, double, 4);
    args_go(&a);
    a.rc = prepare(&w, tree, &h->c, &a.err);
    if (a.rc == SKED_OK) a.rc = go(&w, tree, &a.err);
    args_back(&a);
    return states_end(&a, &w);
}

PyMethodDef states_methods[] = {METHOD(states), {NULL, NULL, 0, NULL}};
