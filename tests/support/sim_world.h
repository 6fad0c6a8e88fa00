#ifndef TEST_SIM_WORLD_H
#define TEST_SIM_WORLD_H

#include <sched/sim.h>

#include "host.h"

/* A tree of some leaves below the root and a workload in columns, to be
 * changed before the run is made. */

enum { SIM_WORLD_JOBS = 64, SIM_WORLD_LEAVES = 4, SIM_WORLD_KINDS = 2 };

#define SIM_SECOND INT64_C(1000000000)

typedef struct sim_world {
    test_host host;
    sked_schema *schema;
    sked_tree *tree;
    sked_queue_id leaf[SIM_WORLD_LEAVES];

    sked_time submit[SIM_WORLD_JOBS];
    int64_t run[SIM_WORLD_JOBS];
    int64_t tasks[SIM_WORLD_JOBS];
    int64_t amounts[SIM_WORLD_JOBS * SIM_WORLD_KINDS];
    sked_queue_id queue[SIM_WORLD_JOBS];
    uint64_t user[SIM_WORLD_JOBS];
    int32_t priority[SIM_WORLD_JOBS];
    uint32_t partition[SIM_WORLD_JOBS];
    sked_sim_jobs jobs;

    int64_t node[SIM_WORLD_KINDS];
    sked_sim_nodes nodes;
    sked_sim_options opts;
    sked_sim *sim;
    sked_error err;
} sim_world;

/* One node of 10 cpu and 100 memory, no jobs, a heartbeat a second. */
void sim_world_make(sim_world *w);

/* SKED_OK once the tree is there: for hosts that refuse memory. */
sked_status sim_world_try(sim_world *w);
void sim_world_drop(sim_world *w);

/* One job more: submitted in second `at`, so many tasks of one cpu that run
 * so many seconds, in the first leaf. Returns its row. */
uint32_t sim_world_job(sim_world *w, int64_t at, int64_t tasks, int64_t run);

/* What happened, as one line each: "t kind job task count node reason". */
typedef struct sim_story {
    sked_sim_record *record;
    size_t n, cap;
    size_t stop_at; /* records after which the watcher ends the run; 0: never */
} sim_story;

sked_status sim_story_watch(void *story, const sked_sim_record *record,
                            size_t n);
void sim_story_drop(sim_story *story);

#endif
