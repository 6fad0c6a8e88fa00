/* Runs of the simulator: digests over every record, delays, books. */
#include "hash.h"

#include <sched/sked.h>

enum { SIM_HASH_JOBS = 300, SIM_HASH_LEAVES = 6 };

typedef struct sim_hash_sample {
    sked_tree *tree;
    sked_queue_id leaf[SIM_HASH_LEAVES];
    sked_time submit[SIM_HASH_JOBS];
    int64_t run[SIM_HASH_JOBS];
    int64_t tasks[SIM_HASH_JOBS];
    int64_t amounts[SIM_HASH_JOBS * 2];
    sked_queue_id queue[SIM_HASH_JOBS];
    uint64_t user[SIM_HASH_JOBS];
    uint32_t partition[SIM_HASH_JOBS];
} sim_hash_sample;

static void sim_hash_tree(sim_hash_sample *s, uint64_t *state)
{
    static const int64_t order[] = {
        SKED_ORDER_POLICY_DRF, SKED_ORDER_POLICY_FAIR, SKED_ORDER_POLICY_RANDOM,
        SKED_ORDER_POLICY_SHARE, SKED_ORDER_POLICY_UTILISATION};
    sked_schema *schema;
    char name[2] = {'a', 0};

    HASH_MUST(sked_schema_parse("cpu=m memory=B", 14, NULL, &schema, NULL) ==
              SKED_OK);
    HASH_MUST(sked_tree_new(schema, NULL, NULL, &s->tree, NULL) == SKED_OK);
    for (int i = 0; i < SIM_HASH_LEAVES; i++, name[0]++) {
        HASH_MUST(sked_tree_add(s->tree, sked_tree_root(s->tree), name,
                                &s->leaf[i], NULL) == SKED_OK);
        HASH_MUST(sked_tree_set(s->tree, s->leaf[i], SKED_QUEUE_WEIGHT,
                                1 + (int64_t)hash_below(state, 4),
                                NULL) == SKED_OK);
    }
    HASH_MUST(sked_tree_set(s->tree, sked_tree_root(s->tree), SKED_QUEUE_ORDER,
                            order[hash_below(state, 5)], NULL) == SKED_OK);
    HASH_MUST(sked_tree_commit(s->tree, 0, NULL) == SKED_OK);
    sked_schema_free(schema);
}

static void sim_hash_jobs(sim_hash_sample *s, uint64_t *state)
{
    for (int i = 0; i < SIM_HASH_JOBS; i++) {
        s->submit[i] = (int64_t)hash_below(state, 200000000000);
        s->run[i] = 1 + (int64_t)hash_below(state, 60000000000);
        s->tasks[i] = 1 + (int64_t)hash_below(state, 15);
        s->amounts[2 * i] = (int64_t)hash_below(state, 5);
        s->amounts[2 * i + 1] = 1 + (int64_t)hash_below(state, 9);
        s->queue[i] = s->leaf[hash_below(state, SIM_HASH_LEAVES)];
        s->user[i] = hash_below(state, 9);
        s->partition[i] = hash_below(state, 9) ? (uint32_t)hash_below(state, 2)
                                               : SKED_ANY_PARTITION;
    }
}

static uint64_t sim_hash_run(const sim_hash_sample *s, uint64_t *state)
{
    const int64_t node[2] = {16, 40};
    sked_sim_jobs jobs = {.struct_size = sizeof jobs,
                          .n = SIM_HASH_JOBS,
                          .submit = s->submit,
                          .run_ns = s->run,
                          .tasks = s->tasks,
                          .amounts = s->amounts,
                          .queue = s->queue,
                          .user = s->user,
                          .partition = s->partition};
    sked_sim_nodes nodes[2] = {{.count = 9, .amounts = node},
                               {.count = 5, .partition = 1, .amounts = node}};
    sked_sim_failure failure = {50000000000, 90000000000, 3, 0};
    sked_sim_options opts = {.struct_size = sizeof opts,
                             .seed = hash_random(state),
                             .heartbeat_ns = 1000000000,
                             .multiplier_ppm = 1300000,
                             .cost_event_ns = 1000000};
    sked_sim_result r = {.struct_size = sizeof r};
    sked_sim_queue q = {.struct_size = sizeof q};
    sked_wide work[2];
    uint64_t h;
    sked_sim *sim;

    if (hash_below(state, 3) == 0)
        opts.flags = SKED_SIM_FLAG_GANG;
    else if (hash_below(state, 3) == 0) {
        opts.flags = SKED_SIM_FLAG_GANG | SKED_SIM_FLAG_SPREAD;
        opts.per_node = (uint32_t)hash_below(state, 4);
    }
    HASH_MUST(
        sked_sim_new(&(sked_sim_input){.struct_size = sizeof(sked_sim_input),
                                       .tree = s->tree,
                                       .jobs = &jobs,
                                       .nodes = nodes,
                                       .n_nodes = 2,
                                       .failures = &failure,
                                       .n_failures = 1},
                     &opts, NULL, &sim, NULL) == SKED_OK);
    HASH_MUST(sked_sim_run(sim, NULL, NULL, NULL) == SKED_OK);
    HASH_MUST(sked_sim_get_result(sim, &r, NULL) == SKED_OK);
    HASH_MUST(sked_sim_get_queue(sim, s->leaf[0], &q, NULL, work, NULL) ==
              SKED_OK);
    h = hash_add(r.digest, (uint64_t)r.delay.p95);
    h = hash_add(h, r.heartbeats + r.heartbeats_skipped);
    h = hash_add(h, (uint64_t)q.starved_ns);
    h = hash_add(h, work[0].low);
    sked_sim_free(sim);
    return h;
}

uint64_t hash_sim(unsigned size);

uint64_t hash_sim(unsigned size)
{
    static sim_hash_sample s;
    uint64_t state = 1701, h = 0;

    for (unsigned run = 0; run < 5 * size; run++) {
        sim_hash_tree(&s, &state);
        sim_hash_jobs(&s, &state);
        h = hash_add(h, sim_hash_run(&s, &state));
        sked_tree_free(s.tree);
    }
    return h;
}
