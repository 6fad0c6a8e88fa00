#ifndef SKEDI_FAIL_H
#define SKEDI_FAIL_H

#include <sched/base.h>

/* Runs only where something fails. Compilers that are told so keep what leads there
 * apart from what every event runs: a twentieth fewer misses of a 32 KB
 * instruction cache in `bench sim.swf`. */
#if defined(__GNUC__)
#define SKEDI_COLD __attribute__((cold))
#else
#define SKEDI_COLD
#endif

/* Where a failure happened and by how much; zero for whatever is unknown. */
typedef struct skedi_fault {
    sked_queue_id queue;
    int64_t got;
    int64_t limit;
    int64_t row;  /* index in the column + 1 */
    int32_t kind; /* resource kind + 1 */
    uint32_t line;
    uint32_t column;
} skedi_fault;

/*
 * Fills `err` (which may be NULL) and returns `code`, so that a failure reads
 * as one line: return skedi_fail(err, SKED_ERR_RANGE, "too deep", fault);
 */
SKEDI_COLD sked_status skedi_fail(sked_error *err, sked_status code,
                                  const char *message, skedi_fault fault);

/* The same, for failures with nothing to point at. */
SKEDI_COLD sked_status skedi_fail_plain(sked_error *err, sked_status code,
                                        const char *message);

/*
 * Faults that many modules know, each in one wording, from one table: what is
 * wrong with a parameter, by its name in the public header. The code follows
 * from the fault: SKED_ERR_ARG, _VERSION, _ARG, _ARG; _NOMEM; _RANGE.
 */
SKEDI_COLD sked_status skedi_fail_null(sked_error *err, const char *parameter);
SKEDI_COLD sked_status skedi_fail_version(sked_error *err,
                                          const char *parameter);
SKEDI_COLD sked_status skedi_fail_flags(sked_error *err, const char *parameter);
SKEDI_COLD sked_status skedi_fail_reserved(sked_error *err,
                                           const char *parameter);
SKEDI_COLD sked_status skedi_fail_memory(sked_error *err);
SKEDI_COLD sked_status skedi_fail_cap(sked_error *err, uint64_t there,
                                      size_t cap);

/* A call that ended early: with SKED_ERR_NOMEM for want of memory, with any
 * other code because the host said so. */
SKEDI_COLD sked_status skedi_fail_stopped(sked_error *err, sked_status code);

/* What a read answers: SKED_OK as it is, a failure in the wording of its code,
 * which is SKED_ERR_ARG, _RANGE, _STALE, _STATE, _VERSION or _NOT_FOUND. `err`
 * may be NULL. */
sked_status skedi_fail_read(sked_error *err, sked_status rc);

#endif
