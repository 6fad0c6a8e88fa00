#ifndef BENCH_DINIC_H
#define BENCH_DINIC_H

/*
 * Block locality as it was published: source, blocks, hosts, sink, and a flow
 * by Dinic's algorithm from nothing for each load that is looked at.
 */

#include <stddef.h>
#include <stdint.h>

typedef struct dinic_problem {
    uint32_t blocks;
    uint32_t hosts;
    uint32_t replicas;
    const uint32_t *replica;
} dinic_problem;

typedef struct dinic_answer {
    int64_t load;
    uint64_t transfers;
    int flows;
} dinic_answer;

/* Blocks less the flow, with that load. */
uint64_t dinic_transfers(const dinic_problem *p, uint32_t load);

/* Halving for the least load with no transfer. */
dinic_answer dinic_least_load(const dinic_problem *p);

/* The least load, then halving over whether the cost still falls. */
dinic_answer dinic_area(const dinic_problem *p, uint64_t compute,
                        uint64_t transfer);

/* Queues in front of the blocks: how many each may run, and each host. */
typedef struct dinic_shares {
    uint32_t queues;
    const uint32_t *queue; /* by block */
    const uint32_t *share; /* by queue */
    uint32_t slots;        /* of a host */
} dinic_shares;

/* The most local blocks with these shares. */
uint64_t dinic_local(const dinic_problem *p, const dinic_shares *s);

/* Steps of so many transfers, up to a load of one above the mean. */
dinic_answer dinic_forward(const dinic_problem *p, uint64_t step);

#endif
