/*
 * The handle: its life, and the reads of its results.
 */
#include <string.h>

#include "base/fail.h"
#include "base/versioned.h"
#include "share/handle.h"

SKEDI_NO_TAIL_PADDING(sked_share_stats, passes);

enum { SHARE_STATS_V1 = SKEDI_SIZE_THROUGH(sked_share_stats, passes) };

/* ---- Life ---- */

static uint32_t lanes_of(const sked_host *host)
{
    uint32_t count = host->threads;

    if (host->parallel && count < 2) count = SKEDI_SHARE_LANES / 2;
    if (count > SKEDI_SHARE_LANES) count = SKEDI_SHARE_LANES;
    return count ? count : 1;
}

sked_status sked_share_new(const sked_share_options *options,
                           const sked_host *host, sked_share **share,
                           sked_error *err)
{
    skedi_hooks hooks;
    sked_share_options own;
    skedi_share_model model;

    if (!share) return skedi_fail_null(err, "share");
    *share = NULL;
    sked_status rc = skedi_hooks_in(&hooks, host, err);
    if (rc == SKED_OK) {
        rc = skedi_share_options_in(&own, &model, options, err);
    }
    if (rc != SKED_OK) return rc;
    sked_share *made = skedi_new(&hooks.mem, 1, sizeof *made);
    if (!made) return skedi_fail_memory(err);
    made->hooks = hooks;
    made->options = own;
    made->model = model;
    made->lanes = lanes_of(&hooks.host);
    made->stats.struct_size = sizeof made->stats;
    *share = made;
    return SKED_OK;
}

void sked_share_free(sked_share *share)
{
    if (!share) return;
    sked_host host = share->hooks.host;
    skedi_mem mem;

    skedi_share_memory_drop(share);
    mem = share->hooks.mem;
    skedi_free(&mem, share, 1, sizeof *share);
    skedi_hooks_done(host);
}

sked_status sked_share_reserve(sked_share *share, size_t queues, uint32_t kinds,
                               sked_error *err)
{
    if (!share) return skedi_fail_null(err, "share");
    if (queues > SKED_MAX_QUEUES || kinds > SKED_MAX_KINDS) {
        return skedi_fail_plain(err, SKED_ERR_RANGE,
                                "too many queues or kinds");
    }
    skedi_share_size size = {
        .queues = queues,
        .slots = SKEDI_SLOTS_A_QUEUE * queues,
        .families = queues,
        .widest = queues,
        .kinds = kinds,
        .parted = 1,
    };
    skedi_hooks_open(&share->hooks);
    int fits = skedi_share_make_all(share, &size);
    return skedi_hooks_seal(&share->hooks,
                            fits ? SKED_OK : skedi_fail_memory(err));
}

/* ---- Shares ---- */

static uint32_t row_of_queue(const skedi_share_rows *rows, sked_queue_id id)
{
    uint32_t slot = (uint32_t)id;

    if (slot >= rows->n_slots) return SKEDI_NO_ROW;
    uint32_t row = rows->row_of[slot];
    return row != SKEDI_NO_ROW && rows->id[row] == id ? row : SKEDI_NO_ROW;
}

static sked_status find_row(const sked_share *share, sked_queue_id queue,
                            uint32_t *row)
{
    if (!share->any) return SKED_ERR_STATE;
    *row = row_of_queue(skedi_share_rows_seen(share), queue);
    if (*row == SKEDI_NO_ROW) return SKED_ERR_STALE;
    return skedi_share_is_current(share, *row) ? SKED_OK : SKED_ERR_STATE;
}

void skedi_share_write(const sked_share *share, uint32_t row, int64_t *amounts)
{
    const skedi_share_rows *rows = skedi_share_rows_seen(share);
    const int64_t *cells = skedi_share_results_seen(share)->share;

    for (uint32_t k = 0; k < rows->kinds; k++) {
        amounts[k] = cells[(size_t)k * rows->shape.n + row];
    }
}

sked_status sked_share_get(const sked_share *share, sked_queue_id queue,
                           int64_t *amounts, sked_error *err)
{
    uint32_t row;

    if (!share) return skedi_fail_null(err, "share");
    if (!amounts) return skedi_fail_null(err, "amounts");
    sked_status rc = find_row(share, queue, &row);
    if (rc == SKED_OK) skedi_share_write(share, row, amounts);
    return skedi_fail_read(err, rc);
}

sked_status skedi_share_ask(const sked_share *share, uint32_t kind, size_t cap,
                            size_t *n)
{
    if (!share || !n) return SKED_ERR_ARG;
    *n = 0;
    if (!share->any) return SKED_ERR_STATE;
    const skedi_share_rows *rows = skedi_share_rows_seen(share);
    *n = rows->shape.n;
    if (kind >= rows->kinds) return SKED_ERR_ARG;
    if (!skedi_share_is_complete(share)) return SKED_ERR_STATE;
    return cap < *n ? SKED_ERR_RANGE : SKED_OK;
}

sked_status sked_share_column(const sked_share *share, uint32_t kind,
                              int64_t *by_row, size_t cap, size_t *n,
                              sked_error *err)
{
    sked_status rc = skedi_share_ask(share, kind, cap, n);

    if (rc != SKED_OK) return skedi_fail_read(err, rc);
    if (!by_row) return skedi_fail_null(err, "by_row");
    memcpy(by_row, skedi_share_results_seen(share)->share + (size_t)kind * *n,
           *n * sizeof *by_row);
    return SKED_OK;
}

/* ---- Levels ---- */

/* The level as a fraction of 64-bit numbers. The function halves both numbers
 * until both fit. Halving occurs only if weights or floors are sums of huge
 * amounts. */
static sked_ratio level_ratio(const skedi_fill_level *level)
{
    skedi_u128 den = level->den;
    uint64_t num = level->num;

    if (level->outcome == SKED_FILL_OUTCOME_SATURATED)
        return (sked_ratio){1, 0};
    while (skedi_u128_high(den) || skedi_u128_low(den) > INT64_MAX) {
        den = skedi_u128_shr(den, 1);
        num /= 2;
    }
    return (sked_ratio){(int64_t)num, (int64_t)skedi_u128_low(den)};
}

/* Checks a family's level: it must follow from the children and the total. */
static int is_solved(const sked_share *share, uint32_t family, uint32_t kind)
{
    const skedi_share_todo *todo = &share->todo[family];
    uint32_t due = todo->known == 0 ? todo->dirty : 0;

    return !((due | skedi_share_moved(share, family)) >> kind & 1);
}

sked_status sked_share_level(const sked_share *share, sked_queue_id queue,
                             uint32_t kind, sked_ratio *level, sked_error *err)
{
    uint32_t row;

    if (!share) return skedi_fail_null(err, "share");
    if (!level) return skedi_fail_null(err, "level");
    sked_status rc = find_row(share, queue, &row);
    if (rc != SKED_OK) return skedi_fail_read(err, rc);
    const skedi_share_rows *rows = skedi_share_rows_seen(share);
    uint32_t family = rows->shape.family[row];
    if (family == SKEDI_NO_FAMILY || kind >= rows->kinds ||
        share->options.scope == SKED_SHARE_SCOPE_DOMINANT) {
        return skedi_fail_read(err, SKED_ERR_ARG);
    }
    size_t at = (size_t)kind * rows->shape.n_families + family;
    if (!is_solved(share, family, kind))
        return skedi_fail_read(err, SKED_ERR_STATE);
    *level = level_ratio(&skedi_share_results_seen(share)->state[at].level);
    return SKED_OK;
}

sked_status sked_share_get_stats(const sked_share *share,
                                 sked_share_stats *stats)
{
    uint32_t theirs;

    if (!share || !stats) return SKED_ERR_ARG;
    theirs = stats->struct_size;
    sked_status rc = skedi_struct_out(theirs, SHARE_STATS_V1);
    if (rc != SKED_OK) return rc;
    uint32_t known = sizeof share->stats;
    memcpy(stats, &share->stats, theirs < known ? theirs : known);
    stats->struct_size = theirs;
    for (uint32_t i = 0; i < share->lanes; i++) {
        stats->levels += share->memory[i].levels;
        stats->passes += share->memory[i].fill.stats.passes;
    }
    return SKED_OK;
}
