#ifndef LOCALITY_PROGRAM_H
#define LOCALITY_PROGRAM_H

/* Blocks to hosts, from a file of replicas: what the parts of the program
 * share. */

#include <sched/sked.h>

#include "../workload/names.h"
#include "../workload/out.h"

enum { FOUND_SOMETHING = 1, BAD_INPUT = 2 };

enum { BY_EXACT, BY_ONLINE, BY_EQUILIBRIUM, BY_AREA, BY_FORWARD };

typedef struct locality_options {
    const char *file; /* NULL: a small example */
    const char *hosts_file;
    const char *assign;
    const char *plot;
    uint32_t hosts; /* 0: the named hosts */
    int method;     /* BY_* */
    int64_t compute;
    int64_t transfer;
    int decimals; /* of both costs: the unit is 10^-decimals */
    int json;
    int explain;
} locality_options;

/* The file as columns. */
typedef struct blocks {
    names block;
    names host; /* hosts of the files, then hosts without a name */
    uint32_t hosts;
    uint32_t width;    /* replicas in a row */
    uint64_t replicas; /* distinct replicas */
    uint32_t *replica; /* blocks x width */
    int64_t *ticks;    /* by host; NULL without a file of hosts */
    int64_t *committed;
    uint32_t *cores;
    uint32_t *limit;
    uint32_t *rack; /* numbers below `hosts` */
    int has_racks;
} blocks;

/* The answer: the search, the curve and the plan. */
typedef struct answer {
    sked_locality *locality;
    sked_locality_input in;
    int is_exact;
    int is_verified;
    int is_possible; /* the limits leave a place for every block */
    sked_locality_search_result joint;
    sked_locality_point *curve;
    size_t n;
    sked_locality_plan_result plan; /* of the joint point; exact methods only */
} answer;

/* 0: go on; else 1 + the exit status. */
int locality_options_read(locality_options *o, int argc, char **argv);

/* 0: see the fault. */
int blocks_read(blocks *b, const locality_options *o, input_fault *fault);
void blocks_free(blocks *b);

int answer_make(answer *a, const blocks *b, const locality_options *o,
                input_fault *fault);
void answer_free(answer *a);

/* A host's name, or "#n" for the n-th host without a name, from 1; `own` has 16
 * bytes. */
const char *host_name(const blocks *b, uint32_t host, char *own);

void answer_print(FILE *file, const answer *a, const blocks *b,
                  const locality_options *o);
void answer_json(FILE *file, const answer *a, const blocks *b,
                 const locality_options *o);
/* block,host,transfer */
void answer_assign(FILE *file, const answer *a, const blocks *b);
/* The curve as SVG, with the chosen point. */
void answer_plot(FILE *file, const answer *a, const locality_options *o);

#endif
