#ifndef VECTORS_CASE_H
#define VECTORS_CASE_H

/* One known answer: a line that compact.py wrote. */

#include <stddef.h>
#include <stdint.h>

enum { CASE_FIELDS = 32 };

/* "?" in a field: anything. */
#define CASE_ANY INT64_MIN

typedef struct vec_case {
    char *call; /* "-": no call; `rule` says why not */
    char *file;
    char *kind;
    char *id;
    char *rule; /* "-": the answer must be the one given */
    char *name[CASE_FIELDS];
    char *text[CASE_FIELDS];
    int64_t *number[CASE_FIELDS]; /* of text, once asked for */
    size_t n;
    char why[256]; /* what was got and expected, when it fails */
} vec_case;

/* The later ones win when a case is several lines. */
enum { CASE_UNSUPPORTED, CASE_PASSED, CASE_BY_RULE, CASE_FAILED, CASE_ENDS };

/* Cuts `line` (which it changes) into a case. 0: not a case. */
int vec_case_cut(vec_case *c, char *line);

/* Lets go of the numbers. */
void vec_case_free(vec_case *c);

/* The text of a field, or NULL. */
const char *vec_text(const vec_case *c, const char *name);

/* The numbers of a field and how many; NULL when there is no such field. */
const int64_t *vec_numbers(vec_case *c, const char *name, size_t *n);

/* The first number of a field, or `missing`. */
int64_t vec_number(vec_case *c, const char *name, int64_t missing);

/* Zeroed memory that is checked, so that runners can be short. */
void *vec_room(size_t n, size_t size);

/* A failure with its reason: the first place where two columns differ. */
int vec_differ(vec_case *c, const char *what, const int64_t *got,
               const int64_t *want, size_t n);

/*
 * Judges `got` against the field `what`, the answer that is known. Whether or
 * not they are the same, `got` must hold to what was worked out independently:
 * be the field `exact`, lie between `low` and `high`, add to `sum`, as far as
 * these are there. Then, the same: passed; not, but the case names a rule: by
 * rule.
 */
int vec_judge(vec_case *c, const char *what, const int64_t *got, size_t n);

/* Notes the reason of a failure. */
int vec_fail(vec_case *c, const char *why);

/* Passed, or by rule where the case names one. */
int vec_by_rule(const vec_case *c, int same);

typedef struct vec_runner {
    const char *call;
    int (*run)(vec_case *c); /* CASE_* */
} vec_runner;

/* By group, each ended by a NULL call. */
extern const vec_runner vec_run_fill[];
extern const vec_runner vec_run_drf[];
extern const vec_runner vec_run_res[];
extern const vec_runner vec_run_order[];
extern const vec_runner vec_run_pctl[];
extern const vec_runner vec_run_tree[];
extern const vec_runner vec_run_target[];
extern const vec_runner vec_run_victims[];
extern const vec_runner vec_run_admit[];
extern const vec_runner vec_run_life[];
extern const vec_runner vec_run_rule[];
extern const vec_runner vec_run_host[];

#endif
