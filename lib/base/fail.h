#ifndef SKEDI_FAIL_H
#define SKEDI_FAIL_H

#include <sched/base.h>

/* Marks a function that runs only after a failure. The compiler then places the
 * code that leads to the call apart from the code of the common path. In `bench
 * sim.swf`, a 32 KB instruction cache has a twentieth fewer misses. */
#if defined(__GNUC__)
#define SKEDI_COLD __attribute__((cold))
#else
#define SKEDI_COLD
#endif

/* The place and the size of a failure; an unknown field is 0. */
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
 * Fills `err`, which may be NULL, and returns `code`. A failure is then a
 * single line: return skedi_fail(err, SKED_ERR_RANGE, "too deep", fault);
 */
SKEDI_COLD sked_status skedi_fail(sked_error *err, sked_status code,
                                  const char *message, skedi_fault fault);

/* As skedi_fail(), with an empty skedi_fault. */
SKEDI_COLD sked_status skedi_fail_plain(sked_error *err, sked_status code,
                                        const char *message);

/*
 * Common failures. Each has a fixed text from a single table, which follows the
 * parameter's name in the public header. The codes are, in the order below:
 * SKED_ERR_ARG, _VERSION, _ARG, _ARG, _NOMEM, _RANGE.
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

/* The error of a call that ended early. SKED_ERR_NOMEM means a lack of memory;
 * any other code comes from the host. */
SKEDI_COLD sked_status skedi_fail_stopped(sked_error *err, sked_status code);

/* The error of a read function. SKED_OK is returned unchanged. SKED_ERR_ARG,
 * _RANGE, _STALE, _STATE, _VERSION and _NOT_FOUND each have a fixed text. `err`
 * may be NULL. */
sked_status skedi_fail_read(sked_error *err, sked_status rc);

#endif
