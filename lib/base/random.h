#ifndef SKEDI_RANDOM_H
#define SKEDI_RANDOM_H

#include <sched/host.h>

/*
 * Random numbers: the host's hook if set, else xoshiro256** 1.0 seeded by four
 * steps of splitmix64. The stream of a seed is part of the contract: results
 * that depend on the stream never change within a version.
 */
typedef struct skedi_random {
    uint64_t s[4];
    uint64_t (*hook)(void *user);
    void *user;
} skedi_random;

/* `host` may be NULL. */
void skedi_random_seed(skedi_random *random, uint64_t seed,
                       const sked_host *host);

/* 64 random bits. */
uint64_t skedi_random_next(skedi_random *random);

/*
 * A number from 0 to n - 1, uniformly distributed; n is not 0. The result is
 * the upper word of n times 64 random bits. If a draw would favour a value, the
 * function draws again: nearly always 1 draw, at most 64, hence a broken hook
 * cannot hang.
 */
uint64_t skedi_random_below(skedi_random *random, uint64_t n);

/* Advances the state of splitmix64 and returns its output; for hashing small
 * seeds. */
uint64_t skedi_random_split(uint64_t *state);

#endif
