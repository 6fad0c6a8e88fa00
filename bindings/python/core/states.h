/* A pass over the events of a run: what it reads, keeps and finds. states.c has
 * the pass, states_book.c what an event does. */
#ifndef SKED_PYTHON_STATES_H
#define SKED_PYTHON_STATES_H

#include "core.h"

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

/* What one task of a job needs, by the job's row. */
const int64_t *states_task(const work *w, uint32_t row);
/* The i-th event, and the shares after all events of an instant. */
void states_apply(work *w, size_t i);
sked_status states_settle(work *w, const sked_tree *tree, sked_error *err);

#endif
