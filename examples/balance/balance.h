#ifndef BALANCE_PROGRAM_H
#define BALANCE_PROGRAM_H

/* Workflows and clusters from files: what the parts of the program share. */

#include <sched/sked.h>

#include "../workload/names.h"
#include "../workload/out.h"

enum { FOUND_SOMETHING = 1, BAD_INPUT = 2 };

/* The task of the program. */
enum { DO_BALANCE, DO_SPLIT, DO_EVACUATE, DO_STRIPE };

enum { KINDS = 3 }; /* cores, memory, GPUs */

typedef struct balance_options {
    const char *file;     /* workflows, or hosts of racks; NULL: an example */
    const char *clusters; /* NULL: the example's */
    const char *zone;     /* for DO_EVACUATE */
    int what;             /* DO_* */
    uint32_t parts;       /* for DO_STRIPE */
    uint32_t max_moves;   /* 0: no bound */
    int64_t percentile_ppm;
    int64_t ceiling_ppm;
    int csv;
} balance_options;

/* The files as columns: amounts in thousandths and bytes. */
typedef struct inputs {
    names cluster;
    names zone;
    names workflow; /* or hosts, for DO_STRIPE */
    names rack;
    int64_t *capacity; /* clusters x KINDS */
    int64_t *instance; /* clusters x KINDS */
    int has_instance;  /* is an instance said of a cluster? */
    uint32_t *zone_of; /* clusters */
    uint64_t buckets;  /* at least 1 */
    int64_t *usage;    /* workflows x buckets x KINDS */
    uint32_t *home;    /* workflows */
    uint32_t *tier;    /* workflows */
    uint8_t *allowed;  /* workflows x clusters; NULL: everywhere */
    uint32_t *rack_of; /* hosts */
} inputs;

/* 0: go on; else the exit status plus one. */
int balance_options_read(balance_options *o, int argc, char **argv);

/* 0: see the fault. */
int inputs_read(inputs *in, const balance_options *o, input_fault *fault);
void inputs_free(inputs *in);

/* Computes and prints. 0: see the fault; `*found`: a workflow has no place, or
 * a cluster is above the ceiling. */
int balance_run(const inputs *in, const balance_options *o, int *found,
                input_fault *fault);
int split_run(const inputs *in, const balance_options *o, input_fault *fault);
int evacuate_run(const inputs *in, const balance_options *o, int *found,
                 input_fault *fault);
int stripe_run(const inputs *in, const balance_options *o, input_fault *fault);

#endif
