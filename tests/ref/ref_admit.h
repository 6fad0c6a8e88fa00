#ifndef REF_ADMIT_H
#define REF_ADMIT_H

/*
 * Admission as its words say: four lists, from which the first of the highest
 * priority is taken and to whose ends others go. The twin of
 * lib/admit/admit.c.
 */

#include <sched/admit.h>

enum { REF_ADMIT_GANGS = 64, REF_ADMIT_KINDS = 3 };

typedef struct ref_admit {
    uint8_t outcome[REF_ADMIT_GANGS];
    uint8_t line[REF_ADMIT_GANGS];
    uint32_t order[REF_ADMIT_GANGS];
    int64_t held[SKED_ADMIT_HELD_SUMS * REF_ADMIT_KINDS];
    uint32_t admitted, waiting;
} ref_admit;

/* All columns of the pool are there. */
void ref_admit_once(const sked_admit_input *pool, ref_admit *out);

/* What users of a leaf may have, in steps of the words. All columns are there.
 * The twin of lib/admit/admit.c. */
void ref_admit_users(const sked_admit_users_input *in, int64_t *bound,
                     int64_t *wanted, uint8_t *may);

/* The twins of lib/admit/admit.c and lib/admit/admit.c; all columns are there. */
void ref_admit_apps(const sked_admit_apps_input *in, int64_t *leaf,
                    int64_t *user);
void ref_admit_masters(const sked_admit_masters_input *in, int64_t *leaf,
                       int64_t *user);

#endif
