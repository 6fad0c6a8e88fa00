#ifndef SKED_BASE_H
#define SKED_BASE_H

/*
 * Shared by all headers: linkage, status codes, errors, identifiers,
 * numbers and time.
 *
 * The smallest use:
 *
 *     sked_error err;
 *     if (sked_tree_commit(tree, SKED_TREE_COMMIT_STRICT, &err) < 0)
 *         fprintf(stderr, "%s\n", err.message);
 *
 * Threads, for the whole library: two handles share nothing, so any two
 * threads may use any two handles. On one handle, calls with a `const` handle
 * may overlap; a call without `const` must run alone. The library starts a
 * thread only if a host asks for threads (host.h), and no answer depends on
 * threads.
 */

#include <stddef.h>
#include <stdint.h>

#include <sched/version.h>

#if defined(SKED_STATIC)
#define SKED_LINKAGE
#elif defined(_WIN32) && defined(SKED_BUILDING)
#define SKED_LINKAGE __declspec(dllexport)
#elif defined(_WIN32)
#define SKED_LINKAGE __declspec(dllimport)
#elif defined(__GNUC__)
#define SKED_LINKAGE __attribute__((visibility("default")))
#else
#define SKED_LINKAGE
#endif

#if defined(__GNUC__)
#define SKED_MUST_CHECK __attribute__((warn_unused_result))
#else
#define SKED_MUST_CHECK
#endif

/* SKED_API: exported, cannot fail. SKED_TRY: exported, result must be read. */
#define SKED_API SKED_LINKAGE
#define SKED_TRY SKED_LINKAGE SKED_MUST_CHECK

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Outcome of a call. 0: it was done. Positive: it was done, with something to
 * know about the answer. Negative: it failed, and nothing changed. Values from
 * -1999 to -1000 belong to the host: what a hook returns in that range comes
 * back from the call unchanged.
 */
typedef int32_t sked_status;

enum sked_status_code {
    SKED_OK = 0,
    SKED_STOPPED = 1,        /* a run ended early; what it did so far holds */
    SKED_STALE = 2,          /* answered, but from figures older than allowed */
    SKED_ERR_ARG = -1,       /* a pointer or value the contract rules out */
    SKED_ERR_NOMEM = -2,     /* no memory: allocator, limit, or reserve */
    SKED_ERR_RANGE = -3,     /* a number outside what the field can hold */
    SKED_ERR_EXISTS = -4,    /* the name or key is taken */
    SKED_ERR_STALE = -5,     /* the id names a removed object */
    SKED_ERR_STATE = -6,     /* right call, wrong moment (see the call) */
    SKED_ERR_VERSION = -7,   /* a struct asks for an unknown version */
    SKED_ERR_NOT_FOUND = -8, /* no such name, path, key or kind */
    SKED_ERR_SYNTAX = -9,    /* text with a syntax fault: line and column */
    SKED_ERR_CORRUPT = -10,  /* saved bytes that fail their own checks */
    SKED_ERR_CANCELLED = -11, /* the host's cancel flag or progress hook */
    SKED_ERR_INVALID = -12,   /* a draft with faults: ask for the list */
    SKED_ERR_SCHEMA = -13,    /* handles over different resource kinds */
    SKED_ERR_FULL = -14,      /* the output is full: take it, and go on */
    SKED_ERR_INTERNAL = -99   /* an invariant broke: please report it */
};

/*
 * Names one queue of one tree, and the same queue in copies of that tree. A
 * tree gives out each id once, thus recognises each stale id of its own. In
 * another tree the same number may name another queue. The same holds for a
 * copy, for ids given out after copying: a call with such an id cannot know. A
 * call with a whole tree can, and its comment says what happens.
 */
typedef uint64_t sked_queue_id;

#define SKED_NO_QUEUE ((sked_queue_id)0)

/* Nanoseconds on the host's clock; only differences carry meaning. */
typedef int64_t sked_time;

/* Given as the time of a call, it asks the host's clock. */
#define SKED_NOW INT64_MIN

/*
 * Amounts of a resource are int64 counts of its kind's smallest unit, from 0
 * to SKED_AMOUNT_MAX. SKED_UNLIMITED stands for "no bound" where a field says
 * so, SKED_UNSET for "not said, take the default".
 *
 * A kind is a uint32_t, its position in the schema. An answer that may name no
 * kind is an int32_t: -1 means no kind.
 */
#define SKED_AMOUNT_MAX ((int64_t)1 << 62)
#define SKED_UNLIMITED INT64_MAX
#define SKED_UNSET INT64_MIN

/* Ratios and percentages in settings: parts per million; this is one whole. */
#define SKED_PPM INT64_C(1000000)

enum {
    SKED_MAX_KINDS = 32,       /* resource kinds in one schema */
    SKED_MAX_QUEUES = 1048576, /* queues in one tree, root included */
    SKED_MAX_DEPTH = 64        /* levels of a tree, root included */
};

/* An exact fraction; `den` 0 stands for infinity. */
typedef struct sked_ratio {
    int64_t num;
    int64_t den;
} sked_ratio;

/* A sum of amounts times lengths, exact: high * 2^64 + low. */
typedef struct sked_wide {
    uint64_t high;
    uint64_t low;
} sked_wide;

/*
 * The error of a call, as text for a person and as fields for a binding.
 * Optional everywhere: pass NULL to skip it. Filled only when a call fails, and
 * then wholly. The layout is frozen for the life of the SONAME.
 */
typedef struct sked_error {
    sked_status code;
    int32_t kind;        /* the resource kind at fault, or -1 */
    sked_queue_id queue; /* the queue at fault, or SKED_NO_QUEUE */
    int64_t got;         /* the offending value, when there is one */
    int64_t limit;       /* the bound it broke, when there is one */
    int64_t row;         /* the element of a column at fault, or -1 */
    uint32_t line;       /* position in a text, from 1; 0 when there is none */
    uint32_t column;     /* in bytes, from 1 */
    uint8_t reserved[16];
    char message[192]; /* what is wrong, without the numbers above: one line, no
                          full stop, NUL-terminated. Python and Go say it as
                          "count is out of range (row 3: 12 above 10)" */
} sked_error;

/* "SKED_ERR_STALE" for -5; "SKED_ERR_UNKNOWN" for a code we never return. */
SKED_API const char *sked_status_name(sked_status code);

/* SKED_VERSION of the library that is loaded, not of this header. */
SKED_API uint32_t sked_version(void);

#ifdef __cplusplus
}
#endif

#endif
