#ifndef REPLAY_H
#define REPLAY_H

/* Simulates a day of a cluster in seconds: declarations shared by all parts. */

#include <sched/locality.h>
#include <sched/sim.h>

#include "../workload/out.h"
#include "../workload/print.h"
#include "../workload/wide.h"
#include "../workload/workload.h"

/* Largest number of columns in the chart of the report, one sample each. */
enum { REPORT_SAMPLES = 60 };

enum { REPLAY_SPECS = 1024, REPLAY_SWEEP = 64, REPLAY_BAD_INPUT = 2 };

/* "N x cpu=48,memory=187GiB @partition zone=a". */
typedef struct node_spec {
    uint32_t count;
    char partition[64];
    const char *text; /* the amounts */
    size_t length;
    const char *attributes; /* "key=value key=value", or NULL */
    int64_t amount[SKED_MAX_KINDS];
} node_spec;

/* Options of --preempt. */
typedef struct preempt_options {
    int32_t dialects[SKED_MAX_PREEMPT_POLICIES]; /* in order */
    uint32_t policies;           /* number of policies; 0: off */
    sked_target_options targets; /* for all policies */
    sked_target_options policy[SKED_MAX_PREEMPT_POLICIES];
    const sked_target_options *more[SKED_MAX_PREEMPT_POLICIES];
    sked_round_options rounds;
    sked_engine_preempt_options engine;
    int64_t every;   /* ns between rounds; 0: the library's default */
    int64_t timeout; /* ns, for trees without a timeout */
} preempt_options;

typedef struct replay_options {
    const char *workload; /* NULL: the bundled workload */
    const char *tree;     /* NULL: one leaf for each queue */
    const char *queue_by;
    node_spec specs[REPLAY_SPECS];
    uint32_t n_specs;
    int64_t load;   /* ppm */
    int32_t policy; /* SKED_ORDER_*, or -1: the tree's own */
    int32_t apps;
    int32_t
        place; /* 0: nodes find tasks; else enum sked_engine_place_mode - 1 */
    int gang;
    int spread;        /* over nodes */
    int exact;         /* exactly `per_node` tasks on each node */
    uint32_t per_node; /* 0: any number */
    preempt_options preempt;
    int64_t heartbeat;
    int is_beaten; /* 1: `heartbeat` is set */
    int64_t until;
    int64_t sweep[REPLAY_SWEEP]; /* multipliers in ppm */
    uint32_t n_sweep;
    int is_sweep;
    int is_multiplied;
    uint64_t seed;
    uint32_t threads;
    const char *default_task;
    int64_t transfer; /* ns that a task runs longer without its block */
    int64_t
        node_delay; /* ns that tasks wait for their blocks; -1: `transfer` */
    workload_options input;
    const char *json;
    const char *csv;
    const char *decisions;
    const char *jobs;
    const char *example; /* a folder, or NULL */
    int quiet;
} replay_options;

/* A file of blocks, with the hosts of each replica. */
typedef struct block_file {
    uint32_t blocks;
    uint32_t width;    /* replicas in a row */
    uint32_t *replica; /* blocks x width: numbers in `hosts`,
                          SKED_LOCALITY_NO_HOST */
} block_file;

/* Attributes of nodes, and rules of jobs over the attributes. */
typedef struct replay_rules {
    names keys;                 /* of attributes */
    names values;               /* values other than whole numbers */
    int32_t *attribute_offsets; /* by spec, and one more */
    sked_rule_attribute *attributes;
    size_t n_attributes, attributes_cap;
    int32_t *rule_offsets;
    sked_rule_term *terms;
    size_t n_rules, n_terms, terms_cap;
    uint32_t *row;    /* by number of a text plus 1: its rule, from 1 */
    uint32_t *of_job; /* rule of each job, from 1; 0: none */
} replay_rules;

/* The complete input, ready to run. */
typedef struct replay_plan {
    workload work;
    sked_schema *schema;
    sked_tree *tree;
    uint32_t kinds;
    int32_t kind_of[WORKLOAD_KINDS]; /* in the schema, or -1 */

    size_t n_rows;          /* queues of the tree, as its rows */
    sked_queue_id *row_id;  /* by row */
    char **row_path;        /* by row, as text */
    names paths;            /* of the jobs' queues, each once */
    sked_queue_id *leaf_of; /* by number in `paths` */

    /* columns of the jobs */
    sked_time *submit;
    int64_t *run;
    int64_t *tasks;
    int64_t *amounts;
    sked_queue_id *queue;
    uint32_t *row; /* of the queue */
    uint64_t *user;
    int32_t *priority;
    uint32_t *partition;

    sked_sim_nodes nodes[REPLAY_SPECS];
    node_spec specs[REPLAY_SPECS];
    uint32_t n_specs;
    /* places of blocks, if any job has blocks */
    names hosts;          /* of the files of blocks */
    block_file *files;    /* by number in work.files */
    int32_t *place_first; /* by job, and one more */
    uint32_t *place;      /* nodes */
    uint32_t *place_tasks;
    int64_t *transfer; /* by job */
    size_t n_places, place_cap;

    replay_rules rules;
    int64_t capacity[SKED_MAX_KINDS];
    wide total_work[SKED_MAX_KINDS];
    uint32_t n_nodes;
} replay_plan;

/* One run with its multiplier. */
typedef struct replay_run {
    sked_sim *sim;
    sked_sim_result result;
    int64_t multiplier;
    double wall_s;
} replay_run;

/* ---- options.c ---- */

/* 0: go on; else the exit status plus one (help and version were printed, or
 * a fault was told on stderr). */
int options_read(replay_options *o, int argc, char **argv);

/* An option and its value; readers return 0, or the exit status plus one. */
typedef struct argument {
    const char *name;
    const char *value;
} argument;

int bad(const char *name, const char *why);
int read_scaled(const argument *a, int scale, int64_t *out);
int read_span(const argument *a, int64_t *out); /* seconds, as ns */
int read_count(const argument *a, int64_t most, int64_t *out);
int read_word(const argument *a, const char *const *words, int32_t *out);

/* ---- preempt.c ---- */

void preempt_defaults(preempt_options *p);

/* Reads an option that begins with --preempt. -1: unknown option. */
int preempt_read(const argument *a, preempt_options *p);

/* Makes the tree and the options ready for a run. 0: see the fault. */
int preempt_prepare(sked_tree *tree, preempt_options *p, input_fault *fault);

/* ---- plan.c ---- */

/* Reads workload and tree and lays the cluster out. 0: see the fault. */
int plan_make(replay_plan *plan, replay_options *o, input_fault *fault);
void plan_free(replay_plan *plan);

/* Makes `run->sim` for the multiplier of `run`. 0: see the fault. */
int plan_prepare(const replay_plan *plan, const replay_options *o,
                 replay_run *run, const sked_host *host, input_fault *fault);

int fault_memory(input_fault *fault);
int fault_library(input_fault *fault, const sked_error *err);

/* Last minus first submission, in ns. */
int64_t plan_span(const replay_plan *plan);

/* ---- queues.c ---- */

/* Makes the tree: from --tree, bundled, or with a leaf for each value. */
int queues_make(replay_plan *plan, const replay_options *o, input_fault *fault);

/* Says which guarantees below the root add to more than the cluster has. The
 * run goes on. */
void queues_tell_capacity(const replay_plan *plan);

/* Finds the leaf of each job. A missing leaf is a fault. */
int queues_assign(replay_plan *plan, const replay_options *o,
                  input_fault *fault);

/* ---- cluster.c ---- */

/* Makes the nodes: from --nodes, or enough nodes for the load. Finds the
 * partition of each job among the partitions of the nodes. */
int cluster_make(replay_plan *plan, const replay_options *o,
                 input_fault *fault);

/* ---- rules.c ---- */

/* Reads the attributes of the nodes and the rules of the jobs. */
int rules_read(replay_plan *plan, input_fault *fault);
void rules_free(replay_plan *plan);

/* ---- data.c ---- */

/* Reads the files of blocks. A job with a file has a task for each block. */
int data_read(replay_plan *plan, const replay_options *o, input_fault *fault);

/* Plans how many blocks of each job a node reads. Needs the nodes. */
int data_place(replay_plan *plan, const replay_options *o, input_fault *fault);
void data_free(replay_plan *plan);

/* ---- bundled.c ---- */

/* The tree and the nodes of the bundled workload. */
const char *bundled_tree(void);
void bundled_nodes(replay_options *o);

/* Writes workload.csv and tree.txt, and prints the command that runs them. */
int bundled_write(const char *folder, input_fault *fault);

/* ---- log.c ---- */

typedef struct decision_log {
    const replay_plan *plan;
    FILE *file;
    uint32_t known; /* job + 1 whose amount stands in `amount` */
    char amount[2048];
} decision_log;

void log_header(FILE *file);
sked_status log_watch(void *user, const sked_sim_record *record, size_t n);

/* Prints the name of a job as one field, for a copy with a suffix. */
void log_job(FILE *file, const char *id, uint32_t copy);

/* ---- ran.c ---- */

typedef struct ran_times {
    sked_time start; /* of the first task, or -1 */
    sked_time end;   /* of the last ended task, or -1 */
    int64_t ended;   /* tasks */
} ran_times;

/* When jobs ran: copy c of job i at [c * jobs + i]. */
typedef struct ran_jobs {
    const replay_plan *plan;
    ran_times *times;
    uint32_t copies;
} ran_jobs;

/* Takes one record of a run. 0: no memory. */
int ran_take(ran_jobs *ran, const sked_sim_record *record);

/* Writes the workload with the times of a run, as common CSV. */
void ran_print(FILE *file, const ran_jobs *ran);
void ran_free(ran_jobs *ran);

/* ---- json.c, table.c, report.c ---- */

void json_print(FILE *file, const replay_plan *plan, const replay_run *run);
void csv_print(FILE *file, const replay_plan *plan, const replay_run *run);
void report_print(FILE *file, const replay_plan *plan, const replay_options *o,
                  const replay_run *run);

#endif
