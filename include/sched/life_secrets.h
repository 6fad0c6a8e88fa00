#ifndef SKED_LIFE_SECRETS_H
#define SKED_LIFE_SECRETS_H

/*
 * References to what a task may see and we may not: any numbers but 0 that the
 * host can turn into secrets. They come back at launch and go nowhere else: no
 * log, trace, error, digest, snapshot or diagram has them, and memory that held
 * one is overwritten before it is given back. [PEL-19]
 */

#include <sched/host.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sked_life_secrets sked_life_secrets;

/* The secret of every task of a job that has none of its own. */
#define SKED_LIFE_EVERY_TASK UINT64_MAX

/* Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM or SKED_ERR_VERSION. */
SKED_TRY sked_status sked_life_secrets_new(const sked_host *host,
                                           sked_life_secrets **secrets,
                                           sked_error *err);

/* Overwrites and frees. NULL is allowed. */
SKED_API void sked_life_secrets_free(sked_life_secrets *secrets);

/*
 * The secret of a task of a job, in place of the one it had; 0 takes it back.
 * The numbers of tasks are those of decisions (decision.h).
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_NOMEM. Cost: O(1) expected.
 */
SKED_TRY sked_status sked_life_secrets_set(sked_life_secrets *secrets,
                                           uint64_t job, uint64_t task,
                                           uint64_t reference, sked_error *err);

/*
 * At launch: the secrets of `count` tasks from `task` on, as a decision to
 * allocate says them; 0 for those without one.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (task + count). Cost:
 * O(count) expected.
 */
SKED_TRY sked_status sked_life_secrets_launch(const sked_life_secrets *secrets,
                                              uint64_t job, uint64_t task,
                                              size_t count,
                                              uint64_t *references,
                                              sked_error *err);

/* The job is over: takes back all its secrets. Cost: O(secrets). */
SKED_API void sked_life_secrets_forget(sked_life_secrets *secrets,
                                       uint64_t job);

#ifdef __cplusplus
}
#endif

#endif
