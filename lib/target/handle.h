#ifndef SKEDI_TARGET_HANDLE_H
#define SKEDI_TARGET_HANDLE_H

#include "target/state.h"
#include "tree/image.h"

/* The times since which queues are in their present state, in one partition.
 * The clocks stand in the rows of the last round, by id and birth
 * (tree/image.h), so any commit can be followed. */
typedef struct skedi_target_clocks {
    sked_queue_id *id;
    uint64_t *birth;
    sked_time *min_since;
    sked_time *fair_since;
    uint32_t *rounds;
    size_t n;
    sked_time now; /* of the last round */
} skedi_target_clocks;

struct sked_target {
    skedi_hooks hooks;
    sked_target_options options;
    skedi_targets last; /* results of the last round; n is 0 before the first
                           round */
    skedi_target_clocks *clocks; /* by partition */
    size_t partitions;
};

/* Memory for the clocks of `n` queues; 0: no memory. To be freed in any
 * case. */
int skedi_target_clocks_make(skedi_target_clocks *clocks, skedi_mem *mem,
                             size_t n);
void skedi_target_clocks_free(skedi_target_clocks *clocks, skedi_mem *mem);

/* A copy of the clocks of all partitions. */
typedef struct skedi_target_past {
    skedi_target_clocks *clocks;
    size_t partitions;
} skedi_target_past;

/* Copies the clocks; 0: no memory. The caller forgets the copy in any case. */
int skedi_target_note(sked_target *target, skedi_target_past *past);
/* Puts the copied clocks back, after rounds without effect. */
void skedi_target_restore(sked_target *target, skedi_target_past *past);
void skedi_target_forget(sked_target *target, skedi_target_past *past);

/* Checks that the last round found a queue with a running time-out. The queue
 * may already claim by its other time-out, and may claim more after the running
 * time-out. */
static inline int skedi_target_ticks(const sked_target *target)
{
    return target->last.ticks;
}

/* Stops the clocks of an empty partition. No queue is below or above any amount
 * in an empty partition. The clocks later begin again. */
void skedi_target_rest(sked_target *target, uint32_t partition);

/* Moves the clocks of the queues of `old` to the queues of `now`. `row_of` has
 * for each row of `old` the row of `now`, or SKEDI_NO_ROW. */
void skedi_target_rekey(sked_target *target, const skedi_image *old,
                        const skedi_image *now, const uint32_t *row_of);

#endif
