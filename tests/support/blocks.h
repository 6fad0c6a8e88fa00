#ifndef TEST_BLOCKS_H
#define TEST_BLOCKS_H

/*
 * Blocks with replicas on hosts, drawn from a seed with whole numbers only, so
 * that they are the same everywhere. Needs nothing but the C library: the
 * benchmarks use it too.
 */

#include <sched/locality.h>

/* Numbers of 64 bits, and below n (SplitMix64, by the upper half). */
uint64_t blocks_random(uint64_t *state);
uint32_t blocks_below(uint64_t *state, uint32_t n);

/* `replica` has blocks x replicas places. Each replica of a block on another
 * host, all hosts alike. */
void blocks_uniform(uint32_t *replica, uint32_t blocks, uint32_t hosts,
                    uint32_t replicas, uint64_t seed);

enum { BLOCKS_GROUPS = 4 };

/*
 * Groups of hosts that hold more than their part: group i has `hosts[i]` hosts
 * of its own, and `blocks[i]` blocks with all three replicas on these; all other
 * blocks have one replica at least outside of all groups. Among the first
 * `early` blocks none belongs to a group. Hosts are numbered at random.
 */
typedef struct blocks_groups {
    uint32_t n;
    uint32_t hosts[BLOCKS_GROUPS];
    uint32_t blocks[BLOCKS_GROUPS];
    uint32_t early;
    uint64_t seed;
} blocks_groups;

void blocks_grouped(uint32_t *replica, uint32_t blocks, uint32_t hosts,
                    const blocks_groups *groups);

/* The ten published cases: 30,000 blocks, 200 hosts, three replicas; made so
 * that the least load and the transfers at 150 and 151 are those printed. */
enum { CASE_BLOCKS = 30000, CASE_HOSTS = 200, CASES = 10 };
void blocks_case(uint32_t *replica, unsigned i);

/* The published trace: as many, made so that its eight rows hold. */
void blocks_trace(uint32_t *replica);

#endif
