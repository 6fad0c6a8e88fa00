/*
 * Targets of arrays: options, checks, memory, and one round.
 */
#include <string.h>

#include "base/fail.h"
#include "base/versioned.h"
#include "share/setup.h"
#include "target/state.h"

SKEDI_NO_TAIL_PADDING(sked_target_options, utilisation_ppm);
SKEDI_NO_TAIL_PADDING(sked_target_once_input, keep);
SKEDI_NO_TAIL_PADDING(sked_target_result, claim);

enum {
    TARGET_OPTIONS_V1 = SKEDI_SIZE_THROUGH(sked_target_options,
                                           utilisation_ppm),
    TARGET_ARRAYS_V1 = SKEDI_SIZE_THROUGH(sked_target_once_input, rounds),
    TARGET_RESULT_V1 = SKEDI_SIZE_THROUGH(sked_target_result, free),
    TARGET_QUEUES_V1 = SKEDI_SIZE_THROUGH(sked_share_input, capacity),
    TARGET_FLAGS = SKED_TARGET_FLAG_BALANCE | SKED_TARGET_FLAG_PRIORITY |
                   SKED_TARGET_FLAG_BY_WEIGHT | SKED_TARGET_FLAG_BY_KIND
};

/* ---- Options ---- */

/* Checks that the dialect has every option. */
static int target_options_fit(const sked_target_options *o)
{
    const uint32_t own = SKED_TARGET_FLAG_BALANCE | SKED_TARGET_FLAG_BY_WEIGHT;
    int starvation = o->mode == SKED_TARGET_MODE_STARVATION;

    if (o->mode < SKED_TARGET_MODE_IMBALANCE ||
        o->mode > SKED_TARGET_MODE_ENTITLEMENT ||
        o->flags & ~(uint32_t)TARGET_FLAGS) {
        return 0;
    }
    if (o->flags & own && o->mode != SKED_TARGET_MODE_IMBALANCE) return 0;
    if (o->scope != SKED_SHARE_SCOPE_KINDS &&
        o->scope != SKED_SHARE_SCOPE_ONE_KIND) {
        return 0;
    }
    if ((o->scope || o->utilisation_ppm) && !starvation) return 0;
    return !o->cycles || o->mode == SKED_TARGET_MODE_ENTITLEMENT;
}

static sked_status target_parts_in_range(const sked_target_options *o,
                                         sked_error *err)
{
    const struct {
        int64_t value;
        int64_t least;
        int64_t most;
    } part[] = {
        {o->ignored_ppm, -1, UINT32_MAX}, {o->factor_ppm, 0, SKED_PPM},
        {o->per_round_ppm, -1, SKED_PPM}, {o->utilisation_ppm, -1, UINT32_MAX},
        {o->kind, 0, SKED_MAX_KINDS - 1},
    };

    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        if (part[i].value >= part[i].least && part[i].value <= part[i].most) {
            continue;
        }
        return skedi_fail(
            err, SKED_ERR_RANGE, "an option is out of range",
            (skedi_fault){.got = part[i].value, .limit = part[i].most});
    }
    return SKED_OK;
}

static int64_t or_default(int64_t said, int64_t otherwise)
{
    return said ? said : otherwise;
}

static void target_defaults(sked_target_options *o)
{
    int imbalance = o->mode == SKED_TARGET_MODE_IMBALANCE;

    o->ignored_ppm = or_default(o->ignored_ppm, imbalance ? SKED_PPM / 10 : -1);
    if (o->ignored_ppm < 0) o->ignored_ppm = 0;
    o->factor_ppm = or_default(o->factor_ppm,
                               imbalance ? SKED_PPM / 5 : SKED_PPM);
    o->per_round_ppm = or_default(o->per_round_ppm,
                                  imbalance ? SKED_PPM / 10 : -1);
    o->utilisation_ppm = or_default(o->utilisation_ppm, SKED_PPM / 5 * 4);
    o->cycles = o->cycles ? o->cycles : 5;
}

sked_status skedi_target_options_in(sked_target_options *options,
                                    const sked_target_options *from,
                                    sked_error *err)
{
    sked_status rc = skedi_struct_in(options, sizeof *options, from,
                                     TARGET_OPTIONS_V1);

    if (rc != SKED_OK) {
        return skedi_fail_version(err, "options");
    }
    if (!target_options_fit(options)) {
        return skedi_fail_plain(err, SKED_ERR_ARG,
                                "an option that this dialect does not have");
    }
    rc = target_parts_in_range(options, err);
    if (rc == SKED_OK) target_defaults(options);
    return rc;
}

/* ---- Arrays ---- */

static sked_status leaves_within(const skedi_targets *t, const int64_t *column,
                                 int64_t most, sked_error *err)
{
    for (size_t i = 0; column && i < t->n * t->kinds; i++) {
        size_t row = i / t->kinds;
        int fits = column[i] >= 0 && column[i] <= most;
        if (fits || !t->leaf[row]) continue;
        return skedi_fail(err, SKED_ERR_RANGE, "amount is out of range",
                          (skedi_fault){
                              .row = (int64_t)row + 1,
                              .kind = (int32_t)(i % t->kinds) + 1,
                              .got = column[i],
                              .limit = most,
                          });
    }
    return SKED_OK;
}

static sked_status leaf_amounts(const skedi_targets *t, const int64_t *column,
                                sked_error *err)
{
    return leaves_within(t, column, SKED_AMOUNT_MAX, err);
}

static sked_status leaf_bounds(const skedi_targets *t, const int64_t *column,
                               sked_error *err)
{
    return leaves_within(t, column, SKED_UNLIMITED, err);
}

/* Numbers from 0 to `most`, or no bound. */
static sked_status target_numbers(const skedi_targets *t, const int64_t *column,
                                  int64_t most, const char *what,
                                  sked_error *err)
{
    for (size_t row = 0; column && row < t->n; row++) {
        if (column[row] >= 0 && column[row] <= most) continue;
        return skedi_fail(err, SKED_ERR_ARG, what,
                          (skedi_fault){.row = (int64_t)row + 1,
                                        .got = column[row],
                                        .limit = most});
    }
    return SKED_OK;
}

/* Checks that the leaves' usage of each kind sums up to an amount. Takes, and
 * their cuts to the budget, are sums of usage. */
static sked_status usage_adds_up(const skedi_targets *t, sked_error *err)
{
    for (size_t k = 0; t->queues.usage && k < t->kinds; k++) {
        int64_t sum = 0;
        for (size_t row = 0; row < t->n; row++) {
            if (!t->leaf[row]) continue;
            sum = skedi_amount_add(sum, t->queues.usage[row * t->kinds + k]);
            if (sum <= SKED_AMOUNT_MAX) continue;
            return skedi_fail(
                err, SKED_ERR_RANGE, "a sum is too large",
                (skedi_fault){.row = (int64_t)row + 1, .kind = (int32_t)k + 1});
        }
    }
    return SKED_OK;
}

static sked_status targets_sound(const skedi_targets *t, sked_error *err)
{
    sked_status rc = leaf_amounts(t, t->queues.usage, err);

    /* The computation of shares checks sums by itself. */
    if (rc == SKED_OK && t->in.share) rc = usage_adds_up(t, err);
    if (rc == SKED_OK) rc = leaf_amounts(t, t->queues.demand, err);
    if (rc == SKED_OK) rc = leaf_bounds(t, t->in.share, err);
    if (rc == SKED_OK) rc = leaf_bounds(t, t->in.claim, err);
    if (rc == SKED_OK) rc = leaf_bounds(t, t->in.keep, err);
    if (rc == SKED_OK) {
        rc = target_numbers(t, t->in.min_timeout_ns, SKED_UNLIMITED,
                            "time-out is out of range", err);
    }
    if (rc == SKED_OK) {
        rc = target_numbers(t, t->in.fair_timeout_ns, SKED_UNLIMITED,
                            "time-out is out of range", err);
    }
    if (rc == SKED_OK) {
        rc = target_numbers(t, t->in.fair_threshold_ppm, SKED_PPM,
                            "not a threshold", err);
    }
    return rc;
}

static sked_status targets_in(skedi_targets *t,
                              const sked_target_once_input *in, sked_error *err)
{
    sked_status rc = skedi_struct_in(&t->in, sizeof t->in, in,
                                     TARGET_ARRAYS_V1);

    if (rc == SKED_OK && t->in.queues) {
        rc = skedi_struct_in(&t->queues, sizeof t->queues, t->in.queues,
                             TARGET_QUEUES_V1);
    }
    if (rc != SKED_OK) {
        return skedi_fail_version(err, "input");
    }
    if (t->in.flags || !t->in.queues) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "no queues, or flags");
    }
    if (!t->in.share != !t->in.claim || !t->in.share != !t->in.keep) {
        return skedi_fail_plain(err, SKED_ERR_ARG,
                                "share, claim and keep go together");
    }
    rc = skedi_share_check_arrays(&t->queues, err);
    if (rc == SKED_OK && t->options.kind >= t->queues.kinds) {
        rc = skedi_fail_plain(err, SKED_ERR_RANGE, "no such kind");
    }
    t->n = (size_t)t->queues.n;
    t->kinds = t->queues.kinds;
    return rc;
}

static int targets_reserve(skedi_targets *t)
{
    skedi_mem *mem = &t->hooks->mem;
    size_t cells = t->n * t->kinds * SKEDI_TARGET_COLUMNS; /* < 2^29 */

    return (t->cells = skedi_new(mem, cells, sizeof *t->cells)) &&
           (t->leaf = skedi_new(mem, t->n, sizeof *t->leaf)) &&
           (t->allowed = skedi_new(mem, t->n, sizeof *t->allowed)) &&
           (t->reasons = skedi_new(mem, t->n, sizeof *t->reasons)) &&
           (t->rounds = skedi_new(mem, t->n, sizeof *t->rounds)) &&
           (t->min_since = skedi_new(mem, t->n, sizeof *t->min_since)) &&
           (t->fair_since = skedi_new(mem, t->n, sizeof *t->fair_since));
}

void skedi_targets_free(skedi_targets *t)
{
    skedi_mem *mem = &t->hooks->mem;

    skedi_free(mem, t->cells, t->n * t->kinds * SKEDI_TARGET_COLUMNS,
               sizeof *t->cells);
    skedi_free(mem, t->leaf, t->n, sizeof *t->leaf);
    skedi_free(mem, t->allowed, t->n, sizeof *t->allowed);
    skedi_free(mem, t->reasons, t->n, sizeof *t->reasons);
    skedi_free(mem, t->rounds, t->n, sizeof *t->rounds);
    skedi_free(mem, t->min_since, t->n, sizeof *t->min_since);
    skedi_free(mem, t->fair_since, t->n, sizeof *t->fair_since);
}

/* Marks the leaves, and the queues that may be preempted. */
static void lay_out_targets(skedi_targets *t)
{
    const uint8_t *from = t->in.preempt_from;

    for (size_t row = 0; row < t->n; row++) {
        int32_t up = t->queues.parent[row];
        t->leaf[row] = 1;
        t->allowed[row] = !from || from[row];
        if (up < 0) continue;
        t->leaf[up] = 0;
        t->allowed[row] = t->allowed[row] && t->allowed[up];
    }
}

sked_status skedi_targets_start(skedi_targets *t,
                                const sked_target_once_input *in,
                                sked_error *err)
{
    sked_status rc = targets_in(t, in, err);

    if (rc != SKED_OK) {
        t->n = t->kinds = 0; /* nothing to free */
        return rc;
    }
    if (!targets_reserve(t)) {
        return skedi_fail_memory(err);
    }
    lay_out_targets(t);
    return targets_sound(t, err);
}

sked_status skedi_targets_round(skedi_targets *t,
                                const sked_target_once_input *in,
                                sked_error *err)
{
    sked_status rc = skedi_targets_start(t, in, err);

    if (rc != SKED_OK) return rc;
    rc = skedi_targets_want(t);
    if (rc != SKED_OK) {
        return skedi_fail_stopped(err, rc);
    }
    if (!t->in.share) rc = skedi_targets_share(t, err);
    if (rc == SKED_OK) skedi_targets_bound(t);
    if (rc != SKED_OK) return rc;
    rc = skedi_targets_judge(t);
    return rc == SKED_OK ? rc : skedi_fail_stopped(err, rc);
}

/* ---- The call ---- */

static void put(void *to, const void *from, size_t bytes)
{
    if (to) memcpy(to, from, bytes);
}

static void write_result(const skedi_targets *t, const sked_target_result *r)
{
    size_t cells = t->n * t->kinds * sizeof(int64_t);
    size_t times = t->n * sizeof(sked_time);
    size_t kinds = t->kinds * sizeof(int64_t);

    put(r->share, skedi_targets_column(t, SKEDI_TARGET_SHARES), cells);
    put(r->excess, skedi_targets_column(t, SKEDI_TARGET_EXCESSES), cells);
    put(r->keep, skedi_targets_column(t, SKEDI_TARGET_KEEPS), cells);
    put(r->take, skedi_targets_column(t, SKEDI_TARGET_TAKES), cells);
    put(r->owed, skedi_targets_column(t, SKEDI_TARGET_OWES), cells);
    put(r->first, skedi_targets_column(t, SKEDI_TARGET_FIRSTS), cells);
    put(r->reasons, t->reasons, t->n * sizeof *t->reasons);
    put(r->min_since, t->min_since, times);
    put(r->fair_since, t->fair_since, times);
    put(r->rounds, t->rounds, t->n * sizeof *t->rounds);
    put(r->need, t->need, kinds);
    put(r->budget, t->budget, kinds);
    put(r->free, t->free, kinds);
    put(r->claim, skedi_targets_column(t, SKEDI_TARGET_CLAIMS), cells);
}

sked_status sked_target_once(const sked_target_once_input *input,
                             const sked_target_options *options,
                             const sked_host *host, sked_target_result *result,
                             sked_error *err)
{
    skedi_hooks hooks;
    skedi_targets t = {.hooks = &hooks};
    sked_target_result to;

    const char *missing = !input ? "input" : !result ? "result" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_hooks_in(&hooks, host, err);
    if (rc == SKED_OK) rc = skedi_target_options_in(&t.options, options, err);
    if (rc != SKED_OK) return rc;
    rc = skedi_struct_in(&to, sizeof to, result, TARGET_RESULT_V1);
    if (rc != SKED_OK) {
        return skedi_fail_version(err, "result");
    }
    rc = skedi_targets_round(&t, input, err);
    if (rc == SKED_OK) write_result(&t, &to);
    skedi_targets_free(&t);
    return rc;
}
