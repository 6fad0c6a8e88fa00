#ifndef SKEDI_ENGINE_ADMISSION_H
#define SKEDI_ENGINE_ADMISSION_H

/*
 * Admission of jobs: sums by class, and jobs that wait for a leaf to let them
 * in.
 */

#include "engine/state.h"

/*
 * Admission by classes (engine_admit.h): what the admitted jobs of a leaf have,
 * by class, and which of its waiting jobs their bounds let in.
 */

/* A bound that keeps a job out. */
typedef struct engine_gate_fault {
    uint32_t kind;
    int64_t need; /* with it there would be */
    int64_t bound;
} engine_gate_fault;

/* The leaf's gate, or NULL. */
static inline engine_gate *gate_of(const sked_engine *e, uint32_t row)
{
    return e->gates ? e->rows.gate[row] : NULL;
}

/* Does a bound of its class keep a waiting job out? Which, in `*fault`. */
int skedi_gate_refuses(const sked_engine *e, uint32_t job,
                       engine_gate_fault *fault);

/* What a job has, or wants, changed by so much, `count` times: the gate of its
 * leaf follows, where leaves have gates. */
void skedi_gate_follow(sked_engine *e, uint32_t job, const int64_t *delta,
                       int64_t count);
static inline void skedi_gate_moved(sked_engine *e, uint32_t job,
                                    const int64_t *delta, int64_t count)
{
    if (e->gates) skedi_gate_follow(e, job, delta, count);
}

/* The bit of the line in which a waiting job stands; 0: it is hidden. */
static inline uint64_t skedi_gate_mask(const engine_job *job)
{
    return job->hidden ? 0 : (uint64_t)1 << job->line;
}

/* Moves the gates of the old grid to the new one, with nothing counted; frees
 * all gates. */
void skedi_gates_carry(sked_engine *e, const sked_engine *old,
                       const uint32_t *row_of);
void skedi_gates_free(sked_engine *e);

/* Makes a gate that is to be filled in (NULL: no memory); frees one. */
engine_gate *skedi_gate_new(sked_engine *e);
void skedi_gate_free(sked_engine *e, engine_gate *gate);

#endif
