/* Units of records in one call, by a temporary history. */
#include "base/versioned.h"
#include "history/state.h"

SKEDI_NO_TAIL_PADDING(sked_history_result, counts);

enum {
    ONCE_OPTIONS_V1 = SKEDI_SIZE_THROUGH(sked_history_options, to),
    ONCE_COLUMNS_V1 = SKEDI_SIZE_THROUGH(sked_history_result, counts)
};

/* Creates a history that keeps units in spite of the caller's options; the
 * temporary history does not free the host's `user`. */
static sked_status new_keeping(const sked_host *host,
                               const sked_history_options *opts,
                               sked_history **history, sked_error *err)
{
    sked_history_options keep;
    skedi_hooks hooks;
    sked_status rc = skedi_struct_in(&keep, sizeof keep, opts, ONCE_OPTIONS_V1);

    if (rc != SKED_OK) {
        return skedi_fail_version(err, "options");
    }
    rc = skedi_hooks_in(&hooks, host, err);
    if (rc != SKED_OK) return rc;
    keep.struct_size = sizeof keep;
    keep.flags |= SKED_HISTORY_FLAG_KEEP;
    hooks.host.struct_size = sizeof hooks.host;
    hooks.host.user_free = NULL;
    return sked_history_new(NULL, &keep, &hooks.host, history, err);
}

static void copy_units(const sked_history *history, uint64_t *first,
                       int64_t *length, int64_t *amount)
{
    size_t at = 0, n;

    for (uint32_t q = 0; q < history->queues; q++) {
        first[q] = at;
        if (history->queue[q].n_units == 0) continue;
        (void)!sked_history_units(history, q, length + at,
                                  amount + at * history->kinds, SIZE_MAX, &n,
                                  NULL);
        at += n;
    }
    first[history->queues] = at;
}

static size_t count_units(const sked_history *history)
{
    size_t n = 0;

    for (uint32_t q = 0; q < history->queues; q++) {
        n += history->queue[q].n_units;
    }
    return n;
}

static sked_status units_out(const sked_history *history,
                             sked_history_result *units, sked_error *err)
{
    units->n = count_units(history);
    if (units->n > units->cap) {
        return skedi_fail_plain(err, SKED_ERR_RANGE,
                                "the columns are too small");
    }
    copy_units(history, units->first, units->length, units->amount);
    return SKED_OK;
}

sked_status sked_history_once(const sked_history_input *input,
                              const sked_history_options *options,
                              const sked_host *host, sked_history_result *units,
                              sked_error *err)
{
    sked_history *history;

    const char *missing = !units                         ? "units"
                          : !units->first                ? "units.first"
                          : units->cap && !units->length ? "units.length"
                          : units->cap && !units->amount ? "units.amount"
                                                         : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_struct_out(units->struct_size, ONCE_COLUMNS_V1);
    if (rc != SKED_OK) {
        return skedi_fail_version(err, "units");
    }
    rc = new_keeping(host, options, &history, err);
    if (rc != SKED_OK) return rc;
    rc = sked_history_add(history, input, &units->counts, err);
    if (rc == SKED_OK) {
        rc = sked_history_settle(history, SKED_HISTORY_END, err);
    }
    if (rc == SKED_OK) rc = units_out(history, units, err);
    sked_history_free(history);
    return rc;
}
