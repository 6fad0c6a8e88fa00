#ifndef SKED_RES_H
#define SKED_RES_H

/*
 * Resources: which kinds there are, and amounts of them. [PEL-2] [MON-2]
 *
 * The smallest use:
 *
 *     const char *names[] = {"cpu", "memory"}, *units[] = {"m", "B"};
 *     sked_schema_new(names, units, 2, NULL, &schema, &err);
 *
 * A schema names the kinds (cpu, memory, gpu ...) and the unit that each is
 * counted in. A vector is a plain array of int64_t, one amount a kind in the
 * order of the schema: an allocation for each would cost more than the
 * arithmetic, and a row of a column is a vector without being copied.
 *
 * Amounts go from 0 to SKED_AMOUNT_MAX; SKED_UNLIMITED is above them all and
 * stays SKED_UNLIMITED whatever is added to it or subtracted from it.
 * Everything here is exact: shares are compared as fractions, and no double
 * decides.
 *
 * No function on vectors allocates. An output may be the same array as an
 * input. `n` is the number of kinds, at most SKED_MAX_KINDS; where no cost is
 * said it is O(n).
 */

#include <sched/base.h>
#include <sched/host.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Schemas ---- */

typedef struct sked_schema sked_schema;

enum {
    SKED_KIND_NAME_MAX = 63 /* bytes of a kind's name */
};

/*
 * Creates a schema of `n` kinds, 1 to SKED_MAX_KINDS. Each unit is one of
 *
 *     "m"  thousandths: text says 2.5 or 2500m, the amount is 2500
 *     "B"  bytes: text says 4GiB, 500M, 1073741824
 *     "1"  pieces: text says 8 or 2K; "" means the same
 *
 * and `units` NULL means that all kinds are counted in pieces. Names differ,
 * and contain no blank, no control byte and none of = , ; " # \. Everything is
 * copied; the caller owns `*schema`, which is NULL on failure. `host` may be
 * NULL.
 *
 * Returns SKED_OK, SKED_ERR_ARG (a text that is no name or no unit),
 * SKED_ERR_NOMEM, SKED_ERR_RANGE (too few or many kinds, or too long a name),
 * SKED_ERR_EXISTS (a name comes twice) or SKED_ERR_VERSION; `err` names the
 * kind. Cost: O(n^2).
 */
SKED_TRY sked_status sked_schema_new(const char *const *names,
                                     const char *const *units, size_t n,
                                     const sked_host *host,
                                     sked_schema **schema, sked_error *err);

/*
 * The same from a text such as `cpu=m memory=B gpu=m`: pairs of a name and a
 * unit, with blanks between them; a name alone is counted in pieces.
 *
 * Returns SKED_OK, SKED_ERR_ARG (a text that is no name or no unit),
 * SKED_ERR_NOMEM, SKED_ERR_RANGE (no kinds, too many, or too long a name),
 * SKED_ERR_EXISTS (a name comes twice), SKED_ERR_VERSION or SKED_ERR_SYNTAX;
 * `err` has line 1 and the column.
 */
SKED_TRY sked_status sked_schema_parse(const char *text, size_t length,
                                       const sked_host *host,
                                       sked_schema **schema, sked_error *err);

/*
 * A schema with the same kinds and a host of its own.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM or SKED_ERR_VERSION.
 */
SKED_TRY sked_status sked_schema_copy(const sked_schema *schema,
                                      const sked_host *host, sked_schema **copy,
                                      sked_error *err);

/* Frees the schema. NULL is allowed. */
SKED_API void sked_schema_free(sked_schema *schema);

/* How many kinds there are; 0 for NULL. */
SKED_API size_t sked_schema_kinds(const sked_schema *schema);

/* Name or unit ("m", "B", "1") of a kind, valid as long as the schema is; NULL
 * when there is no such kind. */
SKED_API const char *sked_schema_name(const sked_schema *schema, uint32_t kind);
SKED_API const char *sked_schema_unit(const sked_schema *schema, uint32_t kind);

/*
 * The kind of that name, in `*kind`.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_NOT_FOUND.
 */
SKED_TRY sked_status sked_schema_find(const sked_schema *schema,
                                      const char *name, size_t length,
                                      uint32_t *kind);

/*
 * Are the kinds the same, with the same units, in the same order?
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_SCHEMA; `err` has the first kind
 * that differs and says its name.
 */
SKED_TRY sked_status sked_schema_same(const sked_schema *a,
                                      const sked_schema *b, sked_error *err);

/*
 * Writes the text that sked_schema_parse() reads as this schema, such as
 * `cpu=m memory=B gpu=1`: at most `cap` bytes with a NUL; `*length` is the
 * number it needs without the NUL.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (`cap` too small).
 */
SKED_TRY sked_status sked_schema_format(const sked_schema *schema, char *text,
                                        size_t cap, size_t *length);

/* ---- Text ---- */

/* How an amount that is no whole number of units is taken. */
enum sked_rounding {
    SKED_ROUNDING_REFUSE = 0, /* SKED_ERR_RANGE */
    SKED_ROUNDING_DOWN = 1,
    SKED_ROUNDING_UP = 2,
    SKED_ROUNDING_NEAREST = 3 /* halves up */
};

/* Forms of text. */
enum sked_form {
    SKED_FORM_SHORT = 0, /* cpu=2.5,memory=4GiB: the shortest, for people */
    SKED_FORM_LOG = 1    /* cpu=2500m;memory=4294967296: one unit a kind */
};

enum {
    SKED_AMOUNT_TEXT_MAX = 32 /* bytes that hold any amount in text, with a
                                 NUL */
};

/*
 * Reads one amount of a kind counted in `unit`: digits, perhaps '.' and
 * digits, perhaps a suffix, or `unlimited`. Suffixes are K (or k) M G T P E
 * for powers of 1000 and Ki Mi Gi Ti Pi Ei for powers of 1024, each perhaps
 * with a B behind when the unit is "B", and m when it is "m". The whole of
 * `text` must be one amount.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (negative, above
 * SKED_AMOUNT_MAX, finer than the unit with SKED_ROUNDING_REFUSE, or with so
 * many decimals, above 18, that rounding would be a guess) or SKED_ERR_SYNTAX;
 * `err` has line 1 and the column.
 */
SKED_TRY sked_status sked_amount_parse(const char *unit, const char *text,
                                       size_t length, int32_t rounding,
                                       int64_t *amount, sked_error *err);

/*
 * Writes one amount so that it reads back the same, SKED_UNLIMITED as
 * `unlimited`, into SKED_AMOUNT_TEXT_MAX bytes with a NUL. `form` is enum
 * sked_form.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (not an amount).
 */
SKED_TRY sked_status sked_amount_format(const char *unit, int64_t amount,
                                        int32_t form, char *text);

/*
 * Reads a vector such as `cpu=2.5,memory=4GiB,gpu=1`. ',' or ';' separates
 * kinds, and blanks may stand around everything. Each kind may come once; kinds
 * that do not come get `missing` (0, SKED_UNLIMITED, SKED_UNSET or any amount),
 * which in an empty text are all. Amounts are exact: one that is finer than its
 * unit is refused.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (negative, too large, too
 * fine), SKED_ERR_EXISTS (a kind comes twice), SKED_ERR_NOT_FOUND (no such
 * kind) or SKED_ERR_SYNTAX; `err` has line 1, the column and the kind.
 */
SKED_TRY sked_status sked_vec_parse(const sked_schema *schema, const char *text,
                                    size_t length, int64_t missing,
                                    int64_t *vec, sked_error *err);

/*
 * Writes a vector so that it reads back the same; kinds that are SKED_UNSET are
 * left out. Writes at most `cap` bytes with a NUL; `*length` (may be NULL) is
 * the number it needs without the NUL. `form` is enum sked_form.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (`cap` too small, and
 * `*length` is set; or not an amount, and it is 0).
 */
SKED_TRY sked_status sked_vec_format(const sked_schema *schema,
                                     const int64_t *vec, int32_t form,
                                     char *text, size_t cap, size_t *length);

/* ---- Arithmetic: a failed call leaves `out` as it was ---- */

/*
 * out = a + b. SKED_UNLIMITED stays.
 *
 * Returns SKED_OK, or SKED_ERR_RANGE when a sum passes SKED_AMOUNT_MAX.
 */
SKED_TRY sked_status sked_vec_add(const int64_t *a, const int64_t *b, size_t n,
                                  int64_t *out, sked_error *err);

/*
 * out = a - b. SKED_UNLIMITED less anything stays.
 *
 * Returns SKED_OK, or SKED_ERR_RANGE when a difference is negative, as any
 * amount less SKED_UNLIMITED is.
 */
SKED_TRY sked_status sked_vec_subtract(const int64_t *a, const int64_t *b,
                                       size_t n, int64_t *out, sked_error *err);

/* out = what `a` has beyond `b`: a - b, and 0 where b is more. */
SKED_API void sked_vec_excess(const int64_t *a, const int64_t *b, size_t n,
                              int64_t *out);

/* out = the lesser, or the greater, of each pair of amounts. */
SKED_API void sked_vec_min(const int64_t *a, const int64_t *b, size_t n,
                           int64_t *out);
SKED_API void sked_vec_max(const int64_t *a, const int64_t *b, size_t n,
                           int64_t *out);

/*
 * out = a * by, each amount rounded as `rounding` says; SKED_UNLIMITED stays.
 *
 * Returns SKED_OK, SKED_ERR_ARG (by.den is 0, or `by` negative) or
 * SKED_ERR_RANGE (above SKED_AMOUNT_MAX, or no whole number with
 * SKED_ROUNDING_REFUSE).
 */
SKED_TRY sked_status sked_vec_scale(const int64_t *a, sked_ratio by,
                                    int32_t rounding, size_t n, int64_t *out,
                                    sked_error *err);

/*
 * out = a in whole steps, up or down (SKED_ROUNDING_UP, SKED_ROUNDING_DOWN). A
 * step of 0 leaves the kind as it is; SKED_UNLIMITED stays.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (above SKED_AMOUNT_MAX).
 */
SKED_TRY sked_status sked_vec_round(const int64_t *a, const int64_t *step,
                                    int32_t rounding, size_t n, int64_t *out,
                                    sked_error *err);

/*
 * Normalises a request, as YARN does: `asked` is raised to `least`, then to
 * whole steps, then lowered to `most`. A step of 0 does not round; where `most`
 * is below `least`, the answer is `most`.
 *
 * Returns SKED_OK or SKED_ERR_RANGE (a step passes SKED_AMOUNT_MAX).
 */
SKED_TRY sked_status sked_vec_normalise(const int64_t *asked,
                                        const int64_t *least,
                                        const int64_t *most,
                                        const int64_t *step, size_t n,
                                        int64_t *out, sked_error *err);

/* ---- Comparing ---- */

/* -1, 0 or 1 by the first kind that differs: a total order. */
SKED_API int sked_vec_compare(const int64_t *a, const int64_t *b, size_t n);

/* How amounts of two vectors compare: a set of bits. */
enum sked_vec_relations {
    SKED_VEC_LESS = 1,
    SKED_VEC_EQUAL = 2,
    SKED_VEC_MORE = 4
};

/*
 * A bit is set when `a` is less than, equal to, or more than `b` in at least
 * one kind. Only kinds whose bit is set in `kinds` count (UINT32_MAX: all);
 * when there are none the answer is 0.
 */
SKED_API uint32_t sked_vec_relation(const int64_t *a, const int64_t *b,
                                    size_t n, uint32_t kinds);

/* The kinds of which there is more than 0, as bits. */
SKED_API uint32_t sked_vec_asked(const int64_t *vec, size_t n);

/* 1 when demand <= free in every kind. */
SKED_API int sked_vec_fits(const int64_t *demand, const int64_t *free,
                           size_t n);

/* The same for the kinds that are asked for: a demand of 0 fits free amounts
 * that are overdrawn (below 0) too. */
SKED_API int sked_vec_fits_asked(const int64_t *demand, const int64_t *free,
                                 size_t n);

/*
 * How many times `demand` fits in `free`: the least over the kinds asked for of
 * free / demand. SKED_UNLIMITED when nothing is asked for, or all of it is
 * there without bound.
 */
SKED_API int64_t sked_vec_count(const int64_t *demand, const int64_t *free,
                                size_t n);

/* ---- Dominant shares ---- */

/* a against b: -1, 0 or 1, exactly. Neither is negative; den 0 is infinite. */
SKED_API int sked_ratio_compare(sked_ratio a, sked_ratio b);

/* The ratio as a double, for reports: its relative error is below 2^-51. 1/0 is
 * infinity. */
SKED_API double sked_ratio_double(sked_ratio ratio);

/*
 * The dominant share of `usage`: the largest of usage over capacity, in lowest
 * terms, and the kind it is of (may be NULL); the first of equals. A kind that
 * is not used does not count; one that is used but has no capacity makes the
 * share infinite (1/0). Nothing used: 0/1 and kind -1. [MON-2]
 */
SKED_API void sked_vec_dominant(const int64_t *capacity, const int64_t *usage,
                                size_t n, sked_ratio *share, int32_t *kind);

/* A vector and the weight that its dominant share is divided by. Weight 0
 * makes any use infinite. */
typedef struct sked_vec_weighted {
    const int64_t *vec;
    uint32_t weight;
    uint32_t reserved; /* 0; where some compilers pad. It is not looked at */
} sked_vec_weighted;

/* -1, 0 or 1 by dominant share over weight, exactly. */
SKED_API int sked_vec_compare_dominant(const int64_t *capacity,
                                       const sked_vec_weighted *a,
                                       const sked_vec_weighted *b, size_t n);

/*
 * -1, 0 or 1 by the largest share, equal ones by the next largest, and so on;
 * kinds without capacity do not count. When no kind has any, the vector that
 * is nowhere less and somewhere more is greater, and others are equal. Amounts
 * may be below 0 here, as free amounts that are overdrawn are.
 */
SKED_API int sked_vec_compare_shares(const int64_t *capacity, const int64_t *a,
                                     const int64_t *b, size_t n);

/* ---- Columns: `rows` holds `count` vectors, one after the other ---- */

/*
 * out = the sum of the rows; SKED_UNLIMITED stays.
 *
 * Returns SKED_OK, or SKED_ERR_RANGE when a sum passes SKED_AMOUNT_MAX.
 */
SKED_TRY sked_status sked_vec_sum(const int64_t *rows, size_t count, size_t n,
                                  int64_t *out, sked_error *err);

/* fits[i] = 1 where `demand` fits row i, else 0. Returns how many rows it fits.
 * Cost: O(count * n). */
SKED_API size_t sked_vec_fits_rows(const int64_t *demand, const int64_t *rows,
                                   size_t count, size_t n, uint8_t *fits);

/*
 * Exponential decay, in place: the amounts halve every `half_life_ns`, and
 * this is what they are `elapsed_ns` later. Only integers are used, so the
 * answer is the same on every machine. elapsed_ns / half_life_ns is cut to 32
 * binary places, and each of them that is set cuts the amount to whole units:
 * one call takes away up to 41 units too many, or too few by less than 2^-32 of
 * the amount. So use small units and long intervals. SKED_UNLIMITED stays.
 *
 * Returns SKED_OK, or SKED_ERR_ARG (elapsed_ns < 0 or half_life_ns < 1), and
 * then nothing has changed.
 */
SKED_TRY sked_status sked_vec_decay(int64_t *amounts, size_t n,
                                    int64_t elapsed_ns, int64_t half_life_ns,
                                    sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
