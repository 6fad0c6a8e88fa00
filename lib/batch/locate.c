/*
 * Places one task of a batch on the hosts that store its blocks. A width
 * becomes cores of hosts; lib/locality finds the cheapest load and transfers
 * for those cores.
 */
#include <string.h>

#include "base/arith.h"
#include "base/fail.h"
#include "base/hooks.h"
#include "base/sort.h"
#include "base/versioned.h"

#include <sched/batch.h>

SKEDI_NO_TAIL_PADDING(sked_batch_locality_options, transfer);
SKEDI_NO_TAIL_PADDING(sked_batch_locality_result, cores);

enum {
    LOCATE_OPTIONS_V1 = SKEDI_SIZE_THROUGH(sked_batch_locality_options,
                                           transfer),
    LOCATE_RESULT_V1 = SKEDI_SIZE_THROUGH(sked_batch_locality_result, cores)
};

typedef struct locating {
    sked_locality_input in; /* `cores` and `limit` are the columns below */
    const uint32_t *limit;  /* of the input */
    sked_batch_locality_options o;
    skedi_hooks hooks;
    sked_host host; /* for handles in here: `user` is not theirs to give back */
    uint32_t *cores;
    uint32_t *limits;
    skedi_keyed *order; /* hosts, most replicas first */
    skedi_keyed *scratch;
    sked_locality *placed;
} locating;

/* ---- Input ---- */

static sked_status locate_options_in(locating *w, sked_error *err)
{
    const sked_batch_locality_options *o = &w->o;
    const int64_t most = SKED_MAX_BATCH_WORK;

    if (o->slots < 1 || o->slots > SKED_MAX_BATCH_SLOTS || o->start < 0 ||
        o->block < 0 || o->slot < 0 || o->transfer < 0 || o->start > most ||
        o->block > most || o->slot > most / SKED_MAX_BATCH_SLOTS ||
        o->transfer > most) {
        return skedi_fail_plain(err, SKED_ERR_RANGE,
                                "slots, start, block, slot or transfer is out "
                                "of range");
    }
    return SKED_OK;
}

static int locate_take(locating *w)
{
    size_t n = (size_t)w->in.hosts;

    return (w->cores = skedi_new(&w->hooks.mem, n, sizeof *w->cores)) &&
           (w->limits = skedi_new(&w->hooks.mem, n, sizeof *w->limits)) &&
           (w->order = skedi_new(&w->hooks.mem, n, sizeof *w->order)) &&
           (w->scratch = skedi_new(&w->hooks.mem, n, sizeof *w->scratch));
}

static void locate_drop(locating *w)
{
    size_t n = (size_t)w->in.hosts;

    sked_locality_free(w->placed);
    skedi_free(&w->hooks.mem, w->cores, n, sizeof *w->cores);
    skedi_free(&w->hooks.mem, w->limits, n, sizeof *w->limits);
    skedi_free(&w->hooks.mem, w->order, n, sizeof *w->order);
    skedi_free(&w->hooks.mem, w->scratch, n, sizeof *w->scratch);
}

/* Sorts hosts by the number of blocks with a replica there, then by host
 * number. An earlier placement has checked the replicas. */
static void order_hosts(locating *w)
{
    const uint32_t hosts = (uint32_t)w->in.hosts, *row = w->in.replica;
    uint32_t *seen = w->limits; /* the last block counted, plus 1; scratch */

    for (uint32_t h = 0; h < hosts; h++) {
        w->order[h] = (skedi_keyed){UINT64_MAX, h, 0};
        seen[h] = 0;
    }
    for (uint32_t b = 0; b < w->in.blocks; b++) {
        for (uint64_t k = 0; k < w->in.replicas; k++) {
            uint32_t h = *row++;
            if (h == SKED_LOCALITY_NO_HOST || seen[h] == b + 1) continue;
            seen[h] = b + 1;
            w->order[h].key--;
        }
    }
    skedi_sort_keys(w->order, w->scratch, hosts);
}

/* ---- A width ---- */

/* Cores of the i-th host in order. */
static uint32_t cores_at(const locating *w, uint32_t i, uint32_t width)
{
    const uint32_t hosts = (uint32_t)w->in.hosts;

    return width / hosts + (i < width % hosts);
}

static void spread_over_hosts(locating *w, uint32_t width)
{
    for (uint32_t i = 0; i < w->in.hosts; i++) {
        uint32_t h = w->order[i].index, cores = cores_at(w, i, width);
        w->cores[h] = cores ? cores : 1;
        w->limits[h] = cores == 0 ? 0 : w->limit ? w->limit[h] : UINT32_MAX;
    }
}

/* Too long by the model; the width is in `err`. */
static sked_status too_long(uint32_t width, sked_error *err)
{
    return skedi_fail(
        err, SKED_ERR_RANGE, "a time above the limit",
        (skedi_fault){.row = (int64_t)width, .limit = SKED_MAX_BATCH_WORK});
}

static sked_status ticks_of_point(const locating *w, uint32_t width,
                                  sked_wide cost, int64_t *ticks,
                                  sked_error *err)
{
    int64_t rest = w->o.start + w->o.slot * (int64_t)(width - 1);

    if (cost.high || cost.low > (uint64_t)SKED_MAX_BATCH_WORK ||
        rest > SKED_MAX_BATCH_WORK - (int64_t)cost.low) {
        return too_long(width, err);
    }
    *ticks = skedi_i64_max(1, rest + (int64_t)cost.low);
    return SKED_OK;
}

/* Places the blocks at a width; returns the point and its duration. */
static sked_status locate_at(locating *w, uint32_t width,
                             sked_locality_point *point, int64_t *ticks,
                             sked_error *err)
{
    sked_locality_search_options o = {.struct_size = sizeof o,
                                      .compute = (uint64_t)w->o.block,
                                      .transfer = (uint64_t)w->o.transfer};
    sked_locality_search_result r = {.struct_size = sizeof r};

    spread_over_hosts(w, width);
    sked_locality_free(w->placed);
    w->placed = NULL;
    sked_status rc = sked_locality_new(&w->in, NULL, &w->host, &w->placed, err);
    if (rc == SKED_OK) rc = sked_locality_search(w->placed, &o, &r, err);
    if (rc != SKED_OK) return rc;
    *point = r.point;
    return ticks_of_point(w, width, r.cost, ticks, err);
}

/* Takes everything in, and the order of the hosts. */
static sked_status locate_begin(locating *w, const sked_locality_input *input,
                                const sked_batch_locality_options *options,
                                const sked_host *host, sked_error *err)
{
    const char *missing = !input ? "input" : !options ? "options" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_struct_in(&w->o, sizeof w->o, options,
                                     LOCATE_OPTIONS_V1);
    if (rc != SKED_OK) return skedi_fail_version(err, "options");
    rc = locate_options_in(w, err);
    if (rc == SKED_OK) rc = skedi_hooks_in(&w->hooks, host, err);
    if (rc != SKED_OK) return rc;
    w->host = w->hooks.host;
    w->host.struct_size = sizeof w->host;
    w->host.user_free = NULL;
    rc = sked_locality_new(input, NULL, &w->host, &w->placed, err);
    if (rc != SKED_OK) return rc;
    w->in = *input;
    w->in.struct_size = sizeof w->in;
    if (input->cores) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "input has cores");
    }
    if (!locate_take(w)) return skedi_fail_memory(err);
    order_hosts(w);
    w->limit = input->limit;
    w->in.limit = w->limits;
    w->in.cores = w->cores;
    return SKED_OK;
}

/* ---- The calls ---- */

static sked_status try_widths(locating *w, int64_t *ticks, uint64_t *transfers,
                              sked_error *err)
{
    sked_status rc = SKED_OK;

    for (uint32_t k = 1; k <= w->o.slots && rc == SKED_OK; k++) {
        sked_locality_point point;
        rc = locate_at(w, k, &point, &ticks[k - 1], err);
        if (rc == SKED_OK) transfers[k - 1] = point.transfers;
    }
    return rc;
}

sked_status
sked_batch_speedup_from_locality(const sked_locality_input *input,
                                 const sked_batch_locality_options *options,
                                 const sked_host *host, int64_t *ticks,
                                 uint64_t *transfers, sked_error *err)
{
    locating w = {.placed = NULL};

    if (!ticks) return skedi_fail_null(err, "ticks");
    sked_status rc = locate_begin(&w, input, options, host, err);
    size_t n = w.o.slots;
    int64_t *time = NULL;
    uint64_t *moved = NULL;
    if (rc == SKED_OK) {
        time = skedi_new(&w.hooks.mem, n, sizeof *time);
        moved = skedi_new(&w.hooks.mem, n, sizeof *moved);
        rc = time && moved ? try_widths(&w, time, moved, err)
                           : skedi_fail_memory(err);
    }
    if (rc == SKED_OK) memcpy(ticks, time, n * sizeof *time);
    if (rc == SKED_OK && transfers) memcpy(transfers, moved, n * sizeof *moved);
    skedi_free(&w.hooks.mem, time, n, sizeof *time);
    skedi_free(&w.hooks.mem, moved, n, sizeof *moved);
    locate_drop(&w);
    return rc;
}

static sked_status locate_result_in(const sked_locality_input *input,
                                    const sked_batch_locality_result *result,
                                    sked_error *err)
{
    const char *missing = !result ? "result"
                          : input && input->blocks && !result->host
                              ? "result.host"
                              : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_struct_out(result->struct_size, LOCATE_RESULT_V1);
    return rc == SKED_OK ? rc : skedi_fail_version(err, "result");
}

/* Finds the point, then a plan that keeps to the point. */
static sked_status place_blocks(locating *w, sked_batch_locality_result *result,
                                sked_error *err)
{
    sked_locality_point point;
    int64_t ticks;
    sked_locality_plan_result plan = {.struct_size = sizeof plan,
                                      .host = result->host};
    sked_status rc = locate_at(w, w->o.slots, &point, &ticks, err);

    if (rc != SKED_OK) return rc;
    sked_locality_plan_options o = {
        .struct_size = sizeof o, .load = point.load, .in_rack = 1, .beyond = 1};
    rc = sked_locality_plan(w->placed, &w->in, &o, &w->host, &plan, err);
    if (rc != SKED_OK) return rc;
    result->ticks = ticks;
    result->load = point.load;
    result->transfers = point.transfers;
    for (uint32_t i = 0; result->cores && i < w->in.hosts; i++) {
        result->cores[w->order[i].index] = cores_at(w, i, w->o.slots);
    }
    return SKED_OK;
}

sked_status sked_batch_locate(const sked_locality_input *input,
                              const sked_batch_locality_options *options,
                              const sked_host *host,
                              sked_batch_locality_result *result,
                              sked_error *err)
{
    locating w = {.placed = NULL};
    sked_status rc = locate_result_in(input, result, err);

    if (rc != SKED_OK) return rc;
    rc = locate_begin(&w, input, options, host, err);
    if (rc == SKED_OK) rc = place_blocks(&w, result, err);
    locate_drop(&w);
    return rc;
}
