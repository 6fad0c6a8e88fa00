/*
 * From the exact placement to the one that is wanted: blocks that end too late
 * are transferred at least cost, or as many blocks as can be stay where a plan
 * in force has them. Either start costs nothing, so that only what is left over
 * must be routed.
 */
#include "locality/transport.h"

#include <string.h>

#include "base/arith.h"
#include "base/fail.h"
#include "base/versioned.h"

SKEDI_NO_TAIL_PADDING(sked_locality_plan_options, beyond);
SKEDI_NO_TAIL_PADDING(sked_locality_plan_result, cost);

enum {
    PLAN_OPTIONS_V1 = SKEDI_SIZE_THROUGH(sked_locality_plan_options, beyond),
    PLAN_RESULT_V1 = SKEDI_SIZE_THROUGH(sked_locality_plan_result, cost)
};

static const skedi_transport_option no_option = {UINT32_MAX, 0};

/* ---- Transfers ---- */

static uint32_t rack_of(const skedi_transport *t, uint32_t h)
{
    return t->rack ? t->rack[h] : 0;
}

/* A replica's host, a replica's rack, anywhere. */
static skedi_transport_option transfer_option(const skedi_transport *t,
                                              uint32_t b, uint32_t i)
{
    const uint32_t width = t->in->replicas;
    const uint32_t *row = t->in->replica + (size_t)b * width;

    if (i == 2 * width) {
        return (skedi_transport_option){t->nodes - 1, t->beyond};
    }
    uint32_t h = row[i < width ? i : i - width];
    if (h == SKED_LOCALITY_NO_HOST) return no_option;
    if (i < width) return (skedi_transport_option){h, 0};
    return (skedi_transport_option){t->hosts + 1 + rack_of(t, h), t->in_rack};
}

static int64_t transfer_cost(const skedi_transport *t, uint32_t b, uint32_t h)
{
    const uint32_t *row = t->in->replica + (size_t)b * t->in->replicas;
    int64_t cost = t->beyond;

    for (uint32_t k = 0; k < t->in->replicas; k++) {
        if (row[k] == h) return 0;
        if (row[k] == SKED_LOCALITY_NO_HOST) continue;
        if (rack_of(t, row[k]) == rack_of(t, h)) cost = t->in_rack;
    }
    return cost;
}

/* Hosts by rack; and that all may hold what ends by the load. */
static void lay_out_racks(skedi_transport *t, const skedi_slots *slots,
                          int64_t load)
{
    uint32_t *first = t->rack_first;

    for (uint32_t h = 0; h < t->hosts; h++) {
        t->low[h] = t->high[h] = skedi_slots_by(slots, h, load);
        first[rack_of(t, h) + 2]++;
    }
    for (uint32_t r = 0; r < t->racks; r++) first[r + 2] += first[r + 1];
    for (uint32_t h = 0; h < t->hosts; h++) {
        t->member[first[rack_of(t, h) + 1]++] = h;
    }
}

static void hand_out_plan(const skedi_transport *t,
                          sked_locality_plan_result *result)
{
    uint64_t n[3] = {0};

    for (uint32_t b = 0; b < t->in->blocks; b++) {
        const uint32_t *row = t->in->replica + (size_t)b * t->in->replicas;
        uint32_t h = t->where[b];
        int kind = 2;
        for (uint32_t k = 0; k < t->in->replicas && kind; k++) {
            if (row[k] == h) kind = 0;
            if (kind && row[k] != SKED_LOCALITY_NO_HOST &&
                rack_of(t, row[k]) == rack_of(t, h)) {
                kind = 1;
            }
        }
        n[kind]++;
        result->host[b] = h;
    }
    skedi_u128 cost = skedi_u128_add(skedi_u128_mul(n[1], (uint64_t)t->in_rack),
                                     skedi_u128_mul(n[2], (uint64_t)t->beyond));
    result->local = n[0];
    result->in_rack = n[1];
    result->beyond = n[2];
    result->cost = (sked_wide){skedi_u128_high(cost), skedi_u128_low(cost)};
}

static sked_status run_plan(skedi_transport *t, const sked_locality *l,
                            int64_t load)
{
    if (!skedi_transport_reserve(t)) return SKED_ERR_NOMEM;
    lay_out_racks(t, &l->slots, load);
    for (uint32_t b = 0; b < t->in->blocks; b++) {
        uint8_t k = l->choice[b];
        const uint32_t *row = t->in->replica + (size_t)b * t->in->replicas;
        skedi_transport_start(
            t, b, k == SKED_LOCALITY_NO_REPLICA ? UINT32_MAX : row[k]);
    }
    return skedi_transport_run(t);
}

/* ---- As little change as can be ---- */

static int64_t lowest_level(const skedi_transport *t, const uint32_t *row)
{
    int64_t lowest = SKEDI_NEVER;

    for (uint32_t k = 0; k < t->in->replicas; k++) {
        if (row[k] == SKED_LOCALITY_NO_HOST) continue;
        lowest = skedi_i64_min(lowest, t->level[row[k]]);
    }
    return lowest;
}

/* The replicas of lowest level, by the proof; nowhere, if it is the highest. */
static skedi_transport_option stay_option(const skedi_transport *t, uint32_t b,
                                          uint32_t i)
{
    const uint32_t *row = t->in->replica + (size_t)b * t->in->replicas;
    int64_t lowest = lowest_level(t, row);

    if (i == t->in->replicas) {
        if (lowest < SKEDI_NEVER - 2) return no_option;
        return (skedi_transport_option){t->hosts,
                                        t->present[b] != SKED_LOCALITY_NO_HOST};
    }
    if (row[i] == SKED_LOCALITY_NO_HOST || t->level[row[i]] > lowest)
        return no_option;
    return (skedi_transport_option){row[i], row[i] != t->present[b]};
}

static int64_t stay_cost(const skedi_transport *t, uint32_t b, uint32_t h)
{
    return h == t->hosts ? t->present[b] != SKED_LOCALITY_NO_HOST
                         : h != t->present[b];
}

/* Where a block may stay for nothing. */
static uint32_t stay_at(const skedi_transport *t, uint32_t b)
{
    for (uint32_t i = 0; i < t->options; i++) {
        skedi_transport_option o = stay_option(t, b, i);
        if (o.node != UINT32_MAX && o.cost == 0) return o.node;
    }
    return UINT32_MAX;
}

sked_status skedi_loc_stay(skedi_transport *t, const skedi_slots *slots,
                           uint32_t unplaced)
{
    t->hosts = t->in->hosts;
    t->nodes = t->hosts + 1;
    t->options = t->in->replicas + 1;
    t->option = stay_option;
    t->cost = stay_cost;
    t->extra = (int64_t)t->in->blocks + 1;
    if (!skedi_transport_reserve(t)) return SKED_ERR_NOMEM;
    for (uint32_t h = 0; h < t->hosts; h++) {
        int64_t p = t->level[h];
        t->low[h] = skedi_slots_by(slots, h, p);
        t->high[h] = skedi_slots_by(slots, h,
                                    p >= SKEDI_NEVER - 1 ? SKEDI_NEVER : p + 1);
    }
    t->low[t->hosts] = t->high[t->hosts] = unplaced;
    for (uint32_t b = 0; b < t->in->blocks; b++) {
        skedi_transport_start(t, b, stay_at(t, b));
    }
    return skedi_transport_run(t);
}

/* A block's position of a host in its row. */
static uint8_t position_of(const skedi_blocks *in, uint32_t b, uint32_t h)
{
    const uint32_t *row = in->replica + (size_t)b * in->replicas;
    uint32_t k = 0;

    if (h == in->hosts) return SKED_LOCALITY_NO_REPLICA;
    while (row[k] != h) k++;
    return (uint8_t)k;
}

static void hand_out_stay(const skedi_transport *t, uint8_t *choice,
                          uint64_t *moved)
{
    *moved = 0;
    for (uint32_t b = 0; b < t->in->blocks; b++) {
        choice[b] = position_of(t->in, b, t->where[b]);
        *moved += (uint64_t)stay_cost(t, b, t->where[b]);
    }
}

/* ---- The calls ---- */

static sked_status check_racks(const sked_locality_plan_options *o,
                               uint32_t hosts, sked_error *err)
{
    for (uint32_t h = 0; o->rack && h < hosts; h++) {
        if (o->rack[h] < hosts) continue;
        return skedi_fail(err, SKED_ERR_RANGE, "rack is not below hosts",
                          (skedi_fault){.row = (int64_t)h + 1,
                                        .got = o->rack[h],
                                        .limit = hosts});
    }
    return SKED_OK;
}

static sked_status take_plan(sked_locality_plan_options *o,
                             const sked_locality_plan_options *given,
                             const sked_locality_plan_result *result,
                             const sked_locality *l, sked_error *err)
{
    const char *missing = !given                       ? "options"
                          : !result                    ? "result"
                          : l->blocks && !result->host ? "result.host"
                                                       : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_struct_in(o, sizeof *o, given, PLAN_OPTIONS_V1);
    if (rc != SKED_OK) return skedi_fail_version(err, "options");
    rc = skedi_struct_out(result->struct_size, PLAN_RESULT_V1);
    if (rc != SKED_OK) return skedi_fail_version(err, "result");
    if (o->flags) {
        return skedi_fail_flags(err, "options");
    }
    if (o->in_rack < 0 || o->beyond < o->in_rack ||
        o->beyond > SKED_MAX_LOCALITY_COST) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "costs are not 0 <= in_rack <= beyond <= 2^56",
            (skedi_fault){.got = o->beyond, .limit = SKED_MAX_LOCALITY_COST});
    }
    if (l->floor == SKED_UNLIMITED) {
        return skedi_fail_plain(err, SKED_ERR_RANGE,
                                "limits leave fewer places than blocks");
    }
    if (o->load < l->floor) {
        return skedi_fail(err, SKED_ERR_RANGE, "load is below the floor",
                          (skedi_fault){.got = o->load, .limit = l->floor});
    }
    return check_racks(o, l->hosts, err);
}

sked_status sked_locality_plan(const sked_locality *locality,
                               const sked_locality_input *input,
                               const sked_locality_plan_options *options,
                               const sked_host *host,
                               sked_locality_plan_result *result,
                               sked_error *err)
{
    skedi_blocks in;
    sked_locality_plan_options o;
    skedi_hooks hooks;
    sked_status rc = skedi_loc_take_match(locality, input, host, &in, &hooks,
                                          err);

    if (rc == SKED_OK) rc = take_plan(&o, options, result, locality, err);
    if (rc != SKED_OK) return rc;
    skedi_transport t = {.in = &in, .hooks = &hooks, .hosts = in.hosts};
    t.rack = o.rack;
    t.racks = o.rack ? in.hosts : 1;
    t.nodes = in.hosts + 1 + t.racks + 1;
    t.options = 2 * in.replicas + 1;
    t.option = transfer_option;
    t.cost = transfer_cost;
    t.in_rack = o.in_rack;
    t.beyond = o.beyond;
    rc = run_plan(&t, locality, o.load);
    if (rc == SKED_OK) {
        hand_out_plan(&t, result);
    } else {
        (void)skedi_loc_stopped(rc, err);
    }
    skedi_transport_drop(&t);
    return rc;
}

sked_status sked_locality_restore(const sked_locality *locality,
                                  const sked_locality_input *input,
                                  const uint32_t *present,
                                  const sked_host *host, uint8_t *choice,
                                  uint64_t *moved, sked_error *err)
{
    skedi_blocks in;
    skedi_hooks hooks;
    sked_status rc = skedi_loc_take_match(locality, input, host, &in, &hooks,
                                          err);

    if (rc != SKED_OK) return rc;
    const char *missing = in.blocks && !present  ? "present"
                          : in.blocks && !choice ? "choice"
                          : !moved               ? "moved"
                                                 : NULL;
    if (missing) return skedi_fail_null(err, missing);
    skedi_transport t = {.in = &in,
                         .hooks = &hooks,
                         .level = locality->level,
                         .present = present};
    rc = skedi_loc_stay(&t, &locality->slots, locality->count[in.hosts]);
    if (rc == SKED_OK) {
        hand_out_stay(&t, choice, moved);
    } else {
        (void)skedi_loc_stopped(rc, err);
    }
    skedi_transport_drop(&t);
    return rc;
}
