#ifndef SKED_LIFE_SECRETS_H
#define SKED_LIFE_SECRETS_H

/*
 * References to secrets. Tasks may see a secret; the library may not. A
 * reference is any number but 0 that the host can turn into a secret. The
 * library hands a reference back at launch and puts it nowhere else: no log,
 * trace, error, digest, snapshot or diagram has a reference, and memory with a
 * reference is overwritten before it is freed. [PEL-19] The smallest use:
 *
 *     sked_life_secrets_set(secrets, job, task, reference, &err);
 *     sked_life_secrets_launch(secrets, job, task, count, references, &err);
 */

#include <sched/host.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sked_life_secrets sked_life_secrets;

/* As a task: all tasks of the job without a secret of their own. */
#define SKED_LIFE_EVERY_TASK UINT64_MAX

/* Creates an empty table of references, which the caller owns. `host` may be
 * NULL. Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM or SKED_ERR_VERSION. */
SKED_TRY sked_status sked_life_secrets_new(const sked_host *host,
                                           sked_life_secrets **secrets,
                                           sked_error *err);

/* Overwrites and frees. NULL is allowed. */
SKED_API void sked_life_secrets_free(sked_life_secrets *secrets);

/*
 * Sets the reference of a task of a job, in place of the earlier reference; 0
 * removes the reference. Task numbers are the numbers of decisions
 * (decision.h).
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_NOMEM. Cost: O(1) expected.
 */
SKED_TRY sked_status sked_life_secrets_set(sked_life_secrets *secrets,
                                           uint64_t job, uint64_t task,
                                           uint64_t reference, sked_error *err);

/*
 * Reads, at launch, the references of `count` tasks, numbers from `task` on, as
 * in SKED_DECISION_ALLOCATE; 0 for tasks without a reference.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (task + count). Cost:
 * O(count) expected.
 */
SKED_TRY sked_status sked_life_secrets_launch(const sked_life_secrets *secrets,
                                              uint64_t job, uint64_t task,
                                              size_t count,
                                              uint64_t *references,
                                              sked_error *err);

/* Removes all references of a job that is over. Cost: O(references). */
SKED_API void sked_life_secrets_forget(sked_life_secrets *secrets,
                                       uint64_t job);

#ifdef __cplusplus
}
#endif

#endif
