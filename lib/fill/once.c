/*
 * The one-shot call: checks every number before anything is written, lays the
 * columns out as the kernel wants them, and fills once or twice. Scratch is
 * one block from the host, cut into the kernel's part and up to three columns.
 */
#include "fill/solve.h"

#include "base/fail.h"
#include "base/hooks.h"
#include "base/versioned.h"

SKEDI_NO_TAIL_PADDING(sked_fill_input, reserved);
SKEDI_NO_TAIL_PADDING(sked_fill_options, rounding);
SKEDI_NO_TAIL_PADDING(sked_fill_result, bound);

enum {
    FILL_INPUT_V1 = SKEDI_SIZE_THROUGH(sked_fill_input, reserved),
    FILL_OPTIONS_V1 = SKEDI_SIZE_THROUGH(sked_fill_options, rounding),
    FILL_RESULT_V1 = SKEDI_SIZE_THROUGH(sked_fill_result, bound)
};

/* Everything one call holds. */
typedef struct fill_call {
    skedi_hooks hooks;
    sked_fill_input in;
    sked_fill_options opts;
    size_t n;
    skedi_fill_work work;
    int64_t *floor; /* guarantee, at most the roof */
    int64_t *roof;  /* the smaller of limit and demand; then what is above */
    int64_t *more;  /* shares of the second filling */
} fill_call;

static sked_status column_check(const int64_t *column, size_t n, int unlimited,
                                const char *what, sked_error *err)
{
    for (size_t i = 0; column && i < n; i++) {
        int64_t x = column[i];
        if (x >= 0 && x <= SKED_AMOUNT_MAX) continue;
        if (unlimited && x == SKED_UNLIMITED) continue;
        return skedi_fail(err, SKED_ERR_RANGE, what,
                          (skedi_fault){.got = x,
                                        .limit = x < 0 ? 0 : SKED_AMOUNT_MAX,
                                        .row = (int64_t)i + 1});
    }
    return SKED_OK;
}

static sked_status columns_check(const sked_fill_input *in, size_t n,
                                 sked_error *err)
{
    sked_status rc = column_check(in->guarantee, n, 0,
                                  "guarantee is out of range", err);

    if (rc == SKED_OK) {
        rc = column_check(in->limit, n, 1, "limit is out of range", err);
    }
    if (rc == SKED_OK) {
        rc = column_check(in->demand, n, 1, "demand is out of range", err);
    }
    if (rc == SKED_OK) {
        rc = column_check(in->amount_weight, n, 0, "weight is out of range",
                          err);
    }
    return rc;
}

static sked_status options_check(const sked_fill_options *opts, sked_error *err)
{
    if (opts->flags & ~(uint32_t)SKED_FILL_FLAG_ANTICIPATE) {
        return skedi_fail_flags(err, "options");
    }
    if (opts->form != SKED_FILL_FORM_RATIO &&
        opts->form != SKED_FILL_FORM_OVER_GUARANTEE) {
        return skedi_fail(err, SKED_ERR_ARG, "form is unknown",
                          (skedi_fault){.got = opts->form});
    }
    if (opts->rounding < SKED_APPORTION_WEBSTER ||
        opts->rounding > SKED_APPORTION_PREFIX) {
        return skedi_fail(err, SKED_ERR_ARG, "rounding is unknown",
                          (skedi_fault){.got = opts->rounding});
    }
    return SKED_OK;
}

static sked_status input_check(const sked_fill_input *in, sked_error *err)
{
    if (in->flags) return skedi_fail_flags(err, "input");
    if (in->reserved) return skedi_fail_reserved(err, "input");
    if (in->weight && in->amount_weight) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "two weight columns");
    }
    if (in->n > INT32_MAX) {
        return skedi_fail(err, SKED_ERR_RANGE, "too many rows",
                          (skedi_fault){.limit = INT32_MAX});
    }
    if (in->total < 0 || in->total > SKED_AMOUNT_MAX) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "total is out of range",
            (skedi_fault){.got = in->total, .limit = SKED_AMOUNT_MAX});
    }
    return columns_check(in, (size_t)in->n, err);
}

/* Takes the three structs in, whatever version their caller has. */
static sked_status call_open(fill_call *call, const sked_host *host,
                             const sked_fill_input *in,
                             const sked_fill_options *opts,
                             const sked_fill_result *result, sked_error *err)
{
    sked_status rc = skedi_hooks_in(&call->hooks, host, err);

    if (rc != SKED_OK) return rc;
    const char *missing = !in ? "input" : !result ? "result" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    rc = skedi_struct_in(&call->in, sizeof call->in, in, FILL_INPUT_V1);
    if (rc != SKED_OK) return skedi_fail_version(err, "input");
    rc = skedi_struct_in(&call->opts, sizeof call->opts, opts, FILL_OPTIONS_V1);
    if (rc != SKED_OK) return skedi_fail_version(err, "options");
    rc = skedi_struct_out(result->struct_size, FILL_RESULT_V1);
    if (rc != SKED_OK) return skedi_fail_version(err, "result");
    missing = call->in.n && !result->share ? "result.share" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    rc = options_check(&call->opts, err);
    if (rc == SKED_OK) rc = input_check(&call->in, err);
    call->n = (size_t)call->in.n;
    return rc;
}

static void call_close(fill_call *call)
{
    size_t n = call->n;

    skedi_free(&call->hooks.mem, call->work.scratch, skedi_fill_scratch(n), 1);
    skedi_free(&call->hooks.mem, call->floor, n, sizeof *call->floor);
    skedi_free(&call->hooks.mem, call->roof, n, sizeof *call->roof);
    skedi_free(&call->hooks.mem, call->more, n, sizeof *call->more);
}

/* All of the call's memory, or none that matters: the caller closes. */
static int call_reserve(fill_call *call)
{
    skedi_mem *mem = &call->hooks.mem;
    size_t n = call->n, scratch = skedi_fill_scratch(n);

    if (!scratch || !(call->work.scratch = skedi_new(mem, scratch, 1)) ||
        !(call->floor = skedi_new(mem, n, sizeof *call->floor)) ||
        !(call->roof = skedi_new(mem, n, sizeof *call->roof))) {
        return 0;
    }
    if (!(call->opts.flags & SKED_FILL_FLAG_ANTICIPATE)) return 1;
    return (call->more = skedi_new(mem, n, sizeof *call->more)) != NULL;
}

static int64_t value_or(const int64_t *column, size_t i, int64_t otherwise)
{
    return column ? column[i] : otherwise;
}

static int64_t lesser(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Lays out floor and roof. Returns the sum of floors, or -1 above the total. */
static int64_t lay_columns(fill_call *call)
{
    const sked_fill_input *in = &call->in;
    int64_t left = in->total;

    for (size_t i = 0; i < call->n; i++) {
        int64_t limit = value_or(in->limit, i, SKED_UNLIMITED);
        int64_t demand = value_or(in->demand, i, SKED_UNLIMITED);
        call->roof[i] = lesser(limit, demand);
        call->floor[i] = lesser(value_or(in->guarantee, i, 0), call->roof[i]);
        left = left < call->floor[i] ? -1 : left - call->floor[i];
    }
    return left < 0 ? -1 : in->total - left;
}

static skedi_fill_in rows_of(const fill_call *call, const int64_t *lo)
{
    return (skedi_fill_in){
        .lo = lo,
        .hi = call->roof,
        .weight = call->in.weight,
        .wide = call->in.amount_weight,
        .n = call->n,
    };
}

static void write_bounds(const fill_call *call, const skedi_fill_in *rows,
                         const skedi_fill_level *level, uint8_t *bound)
{
    const sked_fill_input *in = &call->in;

    for (size_t i = 0; bound && i < call->n; i++) {
        bound[i] = skedi_fill_bound(rows, level, i);
        if (bound[i] == SKED_BOUND_LIMIT &&
            value_or(in->demand, i, SKED_UNLIMITED) <=
                value_or(in->limit, i, SKED_UNLIMITED)) {
            bound[i] = SKED_BOUND_DEMAND;
        }
    }
}

static sked_ratio ratio_of(const skedi_fill_level *level)
{
    uint64_t den = skedi_u128_low(level->den);
    int fits = skedi_u128_high(level->den) == 0 && den <= INT64_MAX;

    if (!fits) return (sked_ratio){(int64_t)level->num, 0};
    return (sked_ratio){(int64_t)level->num, (int64_t)den};
}

static void columns_add(int64_t *a, const int64_t *b, size_t n)
{
    for (size_t i = 0; i < n; i++) a[i] += b[i];
}

/* Offers what is left once more, up to the limit. */
static void anticipate(fill_call *call, sked_fill_result *result)
{
    skedi_fill_in rows = rows_of(call, NULL);
    skedi_fill_level level;

    for (size_t i = 0; i < call->n; i++) {
        int64_t limit = value_or(call->in.limit, i, SKED_UNLIMITED);
        call->roof[i] = limit - result->share[i];
    }
    skedi_fill_solve(&call->work, &rows, result->leftover, NULL, &level);
    skedi_fill_emit(&call->work, &rows, &level, call->opts.rounding,
                    call->more);
    columns_add(result->share, call->more, call->n);
    result->leftover = level.leftover;
}

/* The level of the form asked for, and the rows it is the level of. */
static void call_solve(fill_call *call, skedi_fill_in *rows, int *over,
                       skedi_fill_level *level)
{
    int64_t floors = lay_columns(call);

    *over = call->opts.form == SKED_FILL_FORM_OVER_GUARANTEE && floors >= 0;
    *rows = rows_of(call, *over ? NULL : call->floor);
    for (size_t i = 0; *over && i < call->n; i++) {
        call->roof[i] -= call->floor[i];
    }
    skedi_fill_solve(&call->work, rows, call->in.total - (*over ? floors : 0),
                     NULL, level);
}

static void call_emit(fill_call *call, const skedi_fill_in *rows, int over,
                      const skedi_fill_level *level, sked_fill_result *result)
{
    result->outcome = level->outcome;
    result->leftover = level->leftover;
    result->level = ratio_of(level);
    skedi_fill_emit(&call->work, rows, level, call->opts.rounding,
                    result->share);
    write_bounds(call, rows, level, result->bound);
    if (over) columns_add(result->share, call->floor, call->n);
    if (level->leftover && call->more) anticipate(call, result);
}

sked_status sked_fill(const sked_fill_input *input,
                      const sked_fill_options *options, const sked_host *host,
                      sked_fill_result *result, sked_error *err)
{
    fill_call call = {.n = 0};
    sked_status rc = call_open(&call, host, input, options, result, err);
    if (rc != SKED_OK) return rc;

    if (call_reserve(&call)) {
        skedi_fill_in rows;
        skedi_fill_level level;
        int over;
        call_solve(&call, &rows, &over, &level);
        rc = skedi_hooks_check(&call.hooks, 1, 2);
        if (rc == SKED_OK) call_emit(&call, &rows, over, &level, result);
    } else {
        rc = SKED_ERR_NOMEM;
    }
    if (rc != SKED_OK) skedi_fail_plain(err, rc, "no shares were computed");
    call_close(&call);
    return rc;
}
