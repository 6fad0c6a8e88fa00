#ifndef SKEDI_RANDOM_H
#define SKEDI_RANDOM_H

#include <sched/host.h>

/*
 * Random numbers: the host's hook where there is one, else xoshiro256** 1.0
 * seeded by four steps of splitmix64. The stream that a seed gives is part of
 * the contract: answers that depend on it never change within a version.
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
 * 0 to n - 1, each as likely as the other; n is not 0. Takes the upper word
 * of n times 64 random bits and draws again where that would favour a value:
 * one draw nearly always, never more than 64, so a broken hook cannot hang.
 */
uint64_t skedi_random_below(skedi_random *random, uint64_t n);

/* The next state of splitmix64 and its output: for hashing small seeds. */
uint64_t skedi_random_split(uint64_t *state);

#endif
