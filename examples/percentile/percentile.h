#ifndef PERCENTILE_H
#define PERCENTILE_H

/* Percentile allocation of recorded usage: what the parts share. */

#include <sched/sked.h>

#include "../workload/names.h"
#include "../workload/out.h"
#include "../workload/print.h"
#include "../workload/rows.h"
#include "../workload/wide.h"

enum {
    BAD_INPUT = 2,
    MOST_THRESHOLDS = 100,
    MOST_TIERS = 9,
    KINDS = 3 /* of the common CSV: cpu, memory, gpu */
};

enum { KIND_CPU, KIND_MEMORY, KIND_GPU, KIND_ANY /* the first that occurs */ };

enum { FORM_TABLE, FORM_CSV, FORM_JSON };

typedef struct percentile_options {
    const char *file; /* NULL: the bundled units */
    const char *by;
    const char *instance; /* NULL: one kind is looked at */
    const char *tiers;
    const char *plot;
    int kind; /* KIND_* */
    int form; /* FORM_* */
    int has_window;
    int64_t from; /* ns on the file's clock */
    int64_t to;
    uint32_t n_thresholds;
    sked_ratio threshold[MOST_THRESHOLDS];
} percentile_options;

/* The columns of intervals from the file. */
typedef struct usage {
    names keys;
    uint32_t n;
    uint32_t cap;
    uint32_t *key;
    uint32_t *line; /* of the file */
    int64_t *start;
    int64_t *end;
    int64_t *amount;   /* rows of KINDS */
    int is_units;      /* the file has time units: amounts are the first kind */
    uint64_t left_out; /* rows without start or end */
} usage;

/* Everything that is known of a key. */
typedef struct key_row {
    const char *name;
    uint32_t queue; /* its number in the history */
    uint32_t tier;  /* 0: none was said */
    uint64_t records;
    sked_pctl_queue total;
    const sked_pctl_point *point; /* by threshold */
    int64_t proposed;             /* threshold, in ppm; 0: none is */
    int64_t weight;               /* with it */
} key_row;

typedef struct result {
    usage in;
    sked_history *history;
    sked_history_stats counts;
    int64_t span;      /* of the window, or from the first start to the end */
    const char *unit;  /* "cores", "GPUs", "bytes", "instances", "units" */
    const char *scale; /* "m": amounts are thousandths; "B": whole */
    uint32_t n;
    key_row *row; /* by name */
    sked_pctl_point *point;
} result;

/* ---- options.c ---- */

/* 0: go on; else the exit status plus one. */
int options_read(percentile_options *o, int argc, char **argv);

/* "p99.5" of a threshold; `name` has 32 bytes. */
const char *threshold_name(sked_ratio threshold, char *name);

/* ---- read.c ---- */

/* Reads the file, or the bundled units. 0: see the fault, `in` is empty. */
int usage_read(usage *in, const percentile_options *o, input_fault *fault);
void usage_free(usage *in);

/* The tier of every key, from a file "key,tier"; `tier` has one for each. */
int tiers_read(const usage *in, const char *path, uint32_t *tier,
               input_fault *fault);

/* ---- result.c ---- */

int result_make(result *r, const percentile_options *o, input_fault *fault);
void result_free(result *r);

/* ---- print.c ---- */

void table_print(FILE *file, const result *r, const percentile_options *o);
void csv_print(FILE *file, const result *r, const percentile_options *o);
void json_print(FILE *file, const result *r, const percentile_options *o);

/* A sum of amount times ns in units and seconds, exactly. */
void print_wide(FILE *file, const result *r, sked_wide sum);

/* ---- proposal.c ---- */

/* Thresholds and weights for the tiers. 1: printed; 0: none is possible (said
 * as well); -1: see the fault. */
int proposal_print(FILE *file, const result *r, input_fault *fault);

/* The same into the rows of the result. */
int proposal_make(result *r, input_fault *fault);

/* ---- figure.c ---- */

extern const char bundled_units[];

/* The tier of a key of the bundled units. */
uint32_t bundled_tier(const char *key);

/* The table of the text that the bundled units retell. */
void figure_print(FILE *file, const result *r);

/* ---- plot.c ---- */

/* A curve for each key as SVG. 0: no memory. */
int plot_print(FILE *file, const result *r, const percentile_options *o);

#endif
