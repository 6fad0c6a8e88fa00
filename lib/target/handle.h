#ifndef SKEDI_TARGET_HANDLE_H
#define SKEDI_TARGET_HANDLE_H

#include "target/state.h"
#include "tree/image.h"

/* How long queues have stood as they stand, in one partition: in the rows of
 * the last round, by id and birth (tree/image.h), so that any commit can be
 * followed. */
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
    skedi_targets last; /* what the last round found; n is 0 before the first */
    skedi_target_clocks *clocks; /* by partition */
    size_t partitions;
};

/* Memory for the clocks of `n` queues; 0: no memory. To be freed in any
 * case. */
int skedi_target_clocks_make(skedi_target_clocks *clocks, skedi_mem *mem,
                             size_t n);
void skedi_target_clocks_free(skedi_target_clocks *clocks, skedi_mem *mem);

/* The clocks of all partitions, as they were. */
typedef struct skedi_target_past {
    skedi_target_clocks *clocks;
    size_t partitions;
} skedi_target_past;

/* Notes them as they are; 0: no memory. To be forgotten in any case. */
int skedi_target_note(sked_target *target, skedi_target_past *past);
/* Puts them back, after rounds that came to nothing. */
void skedi_target_restore(sked_target *target, skedi_target_past *past);
void skedi_target_forget(sked_target *target, skedi_target_past *past);

/* Did the last round find a queue with a time-out that runs and has not passed?
 * Such a queue may claim by another, and more once this one has passed. */
static inline int skedi_target_ticks(const sked_target *target)
{
    return target->last.ticks;
}

/* There is nothing in a partition, so no queue is below or above anything there:
 * its clocks stand still, and begin anew. */
void skedi_target_rest(sked_target *target, uint32_t partition);

/* The clocks of the queues of `old` belong to those of `now` from here on: of
 * each row of `old` the row there, or SKEDI_NO_ROW. */
void skedi_target_rekey(sked_target *target, const skedi_image *old,
                        const skedi_image *now, const uint32_t *row_of);

#endif
