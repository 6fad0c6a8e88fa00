#ifndef SKED_TEST_H
#define SKED_TEST_H

/*
 * A kit that finds bugs in a scheduler of yours, for tests and fuzzers.
 *
 * The kit is in headers alone and is no part of the library. One source file of
 * your test defines SKED_TEST_IMPLEMENTATION before the include, and the test
 * links the library, because the judge of <sched/audit.h> finds what a manager
 * did wrong:
 *
 *     #define SKED_TEST_IMPLEMENTATION
 *     #include <sched/sked_test.h>
 *
 *     sked_test_search()   draws cases until a property breaks, then shrinks
 *     sked_test_bytes()    one case read from a fuzzer's bytes
 *     sked_test_replay()   one case from recorded choices
 *
 * A property reads choices and says whether the property holds. Two properties
 * are ready: sked_test_division() for a division among siblings, and
 * sked_test_manager() for a scheduler behind a table of five callbacks. The
 * same seed gives the same run. docs/testing-your-scheduler.md has the
 * invariants, and examples/test_your_scheduler.c is a whole test.
 */

#include <sched/audit.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Choices ---- */

enum {
    SKED_TEST_MOST_CHOICES = 4096, /* later choices of a case are 0 */
    SKED_TEST_MOST_MARKS = 1024,
    SKED_TEST_MOST_TEXT = 16384
};

/*
 * A source of choices. Choices come from a generator, from bytes or from an
 * array, and are recorded. A shorter or smaller record is a plainer case, so
 * a property draws the plainest value for 0. Treat the fields as private.
 */
typedef struct sked_test_choices {
    uint64_t random; /* state of the generator */
    int source;      /* 0 generator, 1 array, 2 bytes */
    int length;      /* about how many steps to draw, from the generator */
    const uint64_t *given;
    size_t n_given;
    const uint8_t *bytes;
    size_t n_bytes;
    size_t n;
    size_t n_marks;
    uint64_t taken[SKED_TEST_MOST_CHOICES];
    uint32_t mark[SKED_TEST_MOST_MARKS];
} sked_test_choices;

/* A number from 0 to `most`. */
uint64_t sked_test_choose(sked_test_choices *c, uint64_t most);

/* 1 for one more element of a list that has `mean` elements on average, else
 * 0. Each element begins with this call, so that the shrinker can remove the
 * element as a whole. */
int sked_test_more(sked_test_choices *c, unsigned mean);

/* One of `n` values, from a table whose first value is the plainest. */
int64_t sked_test_pick(sked_test_choices *c, const int64_t *values, size_t n);

/*
 * A verdict about a case. `invariant` is the name of the broken
 * invariant, a constant, or NULL. `size` is the number of steps or rows. `text`
 * tells the case when `wants_text` is not 0.
 */
typedef struct sked_test_story {
    const char *invariant;
    size_t size;
    int wants_text;
    size_t n;
    char text[SKED_TEST_MOST_TEXT];
} sked_test_story;

/* Adds a formatted line to the text, as printf() does. Text that does not fit
 * is left out. */
void sked_test_say(sked_test_story *story, const char *format, ...);

/* A property: draws a case, tries the case, and fills the story. */
typedef void (*sked_test_fn)(void *arg, sked_test_choices *c,
                             sked_test_story *story);

/* A case that breaks an invariant, made as small as the shrinker can. */
typedef struct sked_test_bug {
    const char *invariant; /* NULL: none was found */
    uint64_t seed;
    uint64_t runs;    /* cases tried until the first that fails */
    uint64_t shrinks; /* cases tried after that */
    size_t size;      /* steps or rows of the smallest case */
    size_t n;         /* choices of the smallest case */
    uint64_t choice[SKED_TEST_MOST_CHOICES];
    sked_test_story story;
} sked_test_bug;

/*
 * Tries up to `runs` cases drawn from `seed`. Returns 1 and fills `bug` when a
 * case breaks an invariant, 0 when all hold, and -1 without memory. A case that
 * fails once and not in eight more runs breaks same_again.
 */
int sked_test_search(sked_test_fn property, void *arg, uint64_t runs,
                     uint64_t seed, sked_test_bug *bug);

/* The same for one case read from `size` bytes, for LLVMFuzzerTestOneInput().
 * Any bytes are a case. */
int sked_test_bytes(sked_test_fn property, void *arg, const uint8_t *data,
                    size_t size, sked_test_bug *bug);

/* The same for the case of `n` recorded choices, without shrinking. */
int sked_test_replay(sked_test_fn property, void *arg, const uint64_t *choice,
                     size_t n, sked_test_bug *bug);

/* ---- Divisions ---- */

enum { SKED_TEST_MOST_CLAIMS = 64 };

/* A claim of one sibling. Limit and demand beat the guarantee. A claim of
 * weight 0 has its guarantee only. SKED_UNLIMITED: no limit, or endless
 * demand. */
typedef struct sked_test_claim {
    int64_t guarantee;
    int64_t limit;
    int64_t demand;
    uint32_t weight;
    uint32_t reserved;
} sked_test_claim;

/* A division: writes the units of `n` claims. Returns 0, or another number for
 * a failure. */
typedef int (*sked_test_share_fn)(void *arg, int64_t total,
                                  const sked_test_claim *claims, size_t n,
                                  int64_t *units);

enum sked_test_division_flag {
    SKED_TEST_LARGEST_REMAINDER = 1, /* must equal this method, with ties */
    SKED_TEST_WEBSTER = 2            /* must equal this method, with ties */
};

/* The subject of sked_test_division(). */
typedef struct sked_test_division_subject {
    sked_test_share_fn share;
    void *arg;
    uint32_t flags; /* enum sked_test_division_flag */
} sked_test_division_subject;

/*
 * Checks units against what a division must give: adds_up, within_bounds,
 * wastes_nothing, within_one_unit, no_better_move, nobody_envies, and what
 * `flags` demand. Returns the name of the first invariant that breaks, or NULL.
 * `n` is at most SKED_TEST_MOST_CLAIMS, amounts at most 2^61 + 3, the sum of the
 * guarantees below 2^63, and the total below 2^62.
 */
const char *sked_test_units(int64_t total, const sked_test_claim *claims,
                            size_t n, const int64_t *units, uint32_t flags);

/* Checks one family: the invariants of sked_test_units(), and those that need
 * more than one call of the division. Returns a name or NULL. */
const char *sked_test_family(const sked_test_division_subject *subject,
                             int64_t total, const sked_test_claim *claims,
                             size_t n);

/*
 * Draws a total and 1 to SKED_TEST_MOST_CLAIMS claims. Returns how many. Draws
 * reach for mistakes: weight 0, demand 0, equal rows, guarantees above the
 * total, and amounts around 2^31, 2^32, 2^53, 2^60 and 2^61.
 */
size_t sked_test_draw_family(sked_test_choices *c, int64_t *total,
                             sked_test_claim *claims);

/* The property: `arg` is a sked_test_division_subject. */
void sked_test_division(void *arg, sked_test_choices *c,
                        sked_test_story *story);

/* Writes the division by largest remainder, or Webster's, earlier claims
 * first. The same bounds as sked_test_units(). */
void sked_test_largest_remainder(int64_t total, const sked_test_claim *claims,
                                 size_t n, int64_t *units);
void sked_test_webster(int64_t total, const sked_test_claim *claims, size_t n,
                       int64_t *units);

/* ---- Managers ---- */

enum {
    SKED_TEST_KINDS = 3,
    SKED_TEST_USERS = 4,   /* 1 to 3 are drawn; 0: none */
    SKED_TEST_QUEUES = 14, /* 1 to 13 */
    SKED_TEST_NODES = 28,  /* 1 to 27 */
    SKED_TEST_JOBS = 64,   /* 1 to 63 */
    SKED_TEST_DECISIONS = 300
};

/* Promises of a manager. A rule that is not promised is neither drawn nor
 * judged. */
enum sked_test_rule {
    SKED_TEST_GUARANTEES = 1,
    SKED_TEST_SHARES = 2, /* by weight, dominant share in several kinds */
    SKED_TEST_LIMITS = 4,
    SKED_TEST_USER_LIMITS = 8,
    SKED_TEST_PRIORITIES = 16,
    SKED_TEST_FIFO = 32, /* equal priorities by order of submission */
    SKED_TEST_GANGS = 64,
    SKED_TEST_PARTITIONS = 128,
    SKED_TEST_PREEMPTION = 256, /* kills serve guarantees */
    SKED_TEST_RESTARTS = 512,
    SKED_TEST_REASONS = 1024, /* `why` is true */
    SKED_TEST_TREES = 2048,   /* queues below queues */
    SKED_TEST_VECTORS = 4096, /* tasks and nodes of two or three kinds */
    /* Capacity of nodes and no idle node, which are always judged. Alone:
     * nothing else is promised. */
    SKED_TEST_CAPACITY = 8192,
    SKED_TEST_RESERVATIONS = 16384, /* jobs that begin later, see `begin` */
    SKED_TEST_ALL_RULES = 16383 - 1024
};

/* Why no further task of a job starts now. */
enum sked_test_why {
    SKED_TEST_WHY_UNKNOWN = 0,   /* no answer: not judged */
    SKED_TEST_WHY_NO_NODE = 1,   /* no node fits what the job needs */
    SKED_TEST_WHY_LIMIT = 2,     /* a queue of the path is at its limit */
    SKED_TEST_WHY_USER_LIMIT = 3 /* the user is at a limit in the path */
};

/* A queue. Queues have the numbers 1, 2, ...; parents have smaller ones. */
typedef struct sked_test_queue {
    int parent; /* 0: at the top */
    int has_guarantee;
    int has_limit;
    int has_user_limit[SKED_TEST_USERS];
    int64_t weight;
    int64_t guarantee[SKED_TEST_KINDS];
    int64_t limit[SKED_TEST_KINDS];
    int64_t user_limit[SKED_TEST_USERS][SKED_TEST_KINDS];
} sked_test_queue;

/* The queues, known from the beginning; queue[0] is empty. */
typedef struct sked_test_cluster {
    int kinds;
    int preempts;
    int queues; /* the largest number */
    sked_test_queue queue[SKED_TEST_QUEUES];
} sked_test_cluster;

enum sked_test_state {
    SKED_TEST_UP = 0,
    SKED_TEST_DRAINED = 1, /* takes no new task */
    SKED_TEST_DOWN = 2     /* the tasks of the node are told as lost, after */
};

/* The state of a node, each time it changes. */
typedef struct sked_test_node {
    int node;
    int state; /* enum sked_test_state */
    int partition;
    int64_t amounts[SKED_TEST_KINDS];
} sked_test_node;

/*
 * A job of identical tasks. After a restart, tasks may run already.
 *
 * With SKED_TEST_RESERVATIONS, some jobs of one task have a time `begin`. The
 * task may not start earlier. The manager may reserve the start, by a decision
 * of type RESERVE, and must then start the task in time. A reservation ends when
 * its node stops or becomes smaller. `reserved_node` and `reserved_at` are for a
 * manager that restarts.
 */
typedef struct sked_test_job {
    int job;
    int queue;
    int user;
    int priority;
    int gang;      /* above 1: so many run together, or none */
    int partition; /* 0: any */
    int waiting;
    int64_t amounts[SKED_TEST_KINDS];
    int running[SKED_TEST_NODES]; /* by node */
    sked_time begin;              /* 0: at once */
    int reserved_node;            /* 0: no reservation */
    sked_time reserved_at;
} sked_test_job;

enum sked_test_how {
    SKED_TEST_DONE = 0,
    SKED_TEST_LOST = 1,  /* the tasks wait again */
    SKED_TEST_CANCEL = 2 /* waiting tasks leave; no node */
};

/* Tasks that end. */
typedef struct sked_test_end {
    int job;
    int node;
    int count;
    int how; /* enum sked_test_how */
} sked_test_end;

enum sked_test_decision_type {
    SKED_TEST_START = 1,
    SKED_TEST_KILL = 2,
    SKED_TEST_RESERVE = 3 /* a task of the job starts on the node by `at` */
};

/* A decision takes effect at once: killed tasks wait again. */
typedef struct sked_test_decision {
    int type; /* enum sked_test_decision_type */
    int job;
    int node;
    int count;
    int by;       /* KILL: for tasks of this job, or 0 */
    sked_time at; /* RESERVE: the latest start */
} sked_test_decision;

/* The answer of `decide` from a manager that has failed. */
#define SKED_TEST_FAILED ((size_t)-1)

/*
 * A manager. `begin` returns the manager of an empty cluster, or NULL for a
 * failure; `finish` (may be NULL) frees it. `decide` writes up to `cap`
 * decisions and returns how many; the kit asks until there are none. `why` (may
 * be NULL) tells why tasks of a job wait: enum sked_test_why. `arg` goes to
 * `begin`. A manager that has failed answers `decide` with SKED_TEST_FAILED.
 */
typedef struct sked_test_manager_subject {
    void *(*begin)(void *arg, const sked_test_cluster *cluster);
    void (*node)(void *manager, sked_time now, const sked_test_node *node);
    void (*submit)(void *manager, sked_time now, const sked_test_job *job);
    void (*end)(void *manager, sked_time now, const sked_test_end *end);
    size_t (*decide)(void *manager, sked_time now, sked_test_decision *out,
                     size_t cap);
    int (*why)(void *manager, sked_time now, int job);
    void (*finish)(void *manager);
    void *arg;
    uint32_t rules; /* enum sked_test_rule; 0: SKED_TEST_ALL_RULES, which are
                       all but REASONS and RESERVATIONS */
} sked_test_manager_subject;

/*
 * The property: draws a tree and a cluster, drives the manager that `arg`, a
 * sked_test_manager_subject, describes, and lets sked_audit judge the history
 * with every bound at 0. Besides the names of sked_audit_name(), an invariant
 * is manager_runs, decisions_are_known, comes_to_rest, starts_too_early or
 * reasons_are_true.
 */
void sked_test_manager(void *arg, sked_test_choices *c, sked_test_story *story);

#ifdef __cplusplus
}
#endif

#ifdef SKED_TEST_IMPLEMENTATION
#include <sched/testing/choices.h>
#include <sched/testing/divisions.h>
#include <sched/testing/managers.h>
#endif

#endif
