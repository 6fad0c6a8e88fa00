#ifndef REF_SIM_H
#define REF_SIM_H

#include <sched/sim.h>

/* What a run is made of. */
typedef struct ref_sim_input {
    const sked_tree *tree;
    sked_sim_jobs jobs; /* all columns but `stream` */
    const sked_sim_nodes *nodes;
    size_t n_nodes;
    const sked_sim_failure *failures;
    size_t n_failures;
    const int32_t *attribute_offsets; /* of groups of nodes; NULL: none */
    const sked_rule_attribute *attributes;
    sked_sim_options opts; /* once each, to the end */
    uint32_t kinds;
    sked_time rounds_for; /* with preemption (and round_every_ns): ns for which
                             rounds are held */
    sked_time patience;   /* the run is over when for so long, and one period,
                           node events alone decided nothing */
} ref_sim_input;

typedef struct ref_sim_output {
    sked_decision *record; /* from malloc() */
    size_t n, cap;
    uint64_t beats;       /* node events, all executed */
    uint64_t beats_ahead; /* of them, before the last thing that happened */
    uint64_t unfinished;  /* jobs */
} ref_sim_output;

/*
 * The simulator by its definition: every node event of every node goes through
 * the engine, whatever it may decide, and so does every round of preemption; what
 * ends is found by looking at everything that runs.
 */
void ref_sim(const ref_sim_input *in, ref_sim_output *out);

/* Does a job's rule take the nodes of a model? */
int ref_sim_takes(const ref_sim_input *in, uint32_t i, size_t model);

/* Do empty nodes of one partition hold it: a task, a gang on one of them, or a
 * gang on all of them; of all, or (`by_rule`) of those that the rule takes? */
int ref_sim_fits(const ref_sim_input *in, uint32_t i, int by_rule);

#endif
