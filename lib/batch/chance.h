#ifndef SKEDI_BATCH_CHANCE_H
#define SKEDI_BATCH_CHANCE_H

/* Logarithms, normal and log-normal numbers in fixed point, for annealing and
 * noise: the same bits on every machine. */

#include "base/random.h"

enum { SKEDI_CHANCE_WHOLE = 32 }; /* places of a fixed-point logarithm */

/* True if annealing at this temperature accepts a change that is worse by
 * `worse`. The probability is exp(-worse / temperature), or 1 if `worse` is not
 * above 0. */
int skedi_chance_accepts(skedi_random *random, int64_t worse,
                         int64_t temperature);

/* exp(s * N - s * s / 2) in ppm with s = noise_ppm, from 1/64 to 64. */
int64_t skedi_chance_factor(skedi_random *random, int64_t noise_ppm);

#endif
