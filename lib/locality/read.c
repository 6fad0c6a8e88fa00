/*
 * What a placement says: every figure is read off the loads of its hosts.
 */
#include "locality/handle.h"

#include "base/fail.h"

const uint8_t *sked_locality_choice(const sked_locality *locality)
{
    return locality ? locality->choice : NULL;
}

const uint32_t *sked_locality_host_blocks(const sked_locality *locality)
{
    return locality ? locality->count : NULL;
}

const int64_t *sked_locality_levels(const sked_locality *locality)
{
    return locality ? locality->level : NULL;
}

uint64_t sked_locality_unplaced(const sked_locality *locality)
{
    return locality ? locality->count[locality->hosts] : 0;
}

int64_t sked_locality_floor(const sked_locality *locality)
{
    return locality ? locality->floor : 0;
}

int64_t sked_locality_least_load(const sked_locality *locality)
{
    return locality ? locality->least : 0;
}

/* Can all hosts together end all blocks by then? */
static int ends_all(const sked_locality *l, int64_t time)
{
    uint64_t blocks = 0;

    for (uint32_t h = 0; h < l->hosts && blocks < l->blocks; h++) {
        blocks += skedi_slots_by(&l->slots, h, time);
    }
    return blocks >= l->blocks;
}

/* The least load that ends all blocks, by halving; nothing ends after 2^62. */
static int64_t find_floor(const sked_locality *l)
{
    int64_t low = 0, high = SKED_AMOUNT_MAX;

    if (l->slots.equal) {
        return l->blocks / l->hosts + (l->blocks % l->hosts > 0);
    }
    if (!ends_all(l, high)) return SKED_UNLIMITED;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (ends_all(l, middle)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

void skedi_loc_find_ends(sked_locality *l)
{
    l->floor = l->least = find_floor(l);
    for (uint32_t h = 0; h < l->hosts; h++) {
        if (l->count[h] == 0) continue;
        int64_t end = skedi_slot_end(&l->slots, h, l->count[h]);
        if (end > l->least) l->least = end;
    }
}

uint64_t sked_locality_transfers(const sked_locality *locality, int64_t load)
{
    if (!locality) return 0;
    uint64_t m = locality->count[locality->hosts];
    for (uint32_t h = 0; h < locality->hosts; h++) {
        uint32_t fits = skedi_slots_by(&locality->slots, h, load);
        if (locality->count[h] > fits) m += locality->count[h] - fits;
    }
    return m;
}

int64_t sked_locality_load(const sked_locality *locality, uint64_t transfers)
{
    if (!locality) return 0;
    int64_t low = locality->floor, high = locality->least;
    if (low == SKED_UNLIMITED ||
        sked_locality_transfers(locality, high) > transfers) {
        return SKED_UNLIMITED;
    }
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (sked_locality_transfers(locality, middle) <= transfers) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/* ---- The bottleneck ---- */

sked_status sked_locality_bottleneck(const sked_locality *locality,
                                     int64_t load, uint32_t *hosts, size_t cap,
                                     size_t *n, uint64_t *blocks,
                                     sked_error *err)
{
    const char *missing = !locality       ? "locality"
                          : !n            ? "n"
                          : !blocks       ? "blocks"
                          : cap && !hosts ? "hosts"
                                          : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (!locality->level) {
        return skedi_fail_plain(err, SKED_ERR_STATE,
                                "the placement is not exact");
    }
    size_t found = 0;
    uint64_t sum = locality->count[locality->hosts];
    if (load > SKEDI_NEVER - 2) load = SKEDI_NEVER - 2; /* the highest level */
    for (uint32_t h = 0; h < locality->hosts; h++) {
        if (locality->level[h] < load) continue;
        found++;
        sum += locality->count[h];
    }
    *n = found;
    if (found > cap) {
        return skedi_fail_cap(err, found, cap);
    }
    for (uint32_t h = 0; h < locality->hosts; h++) {
        if (locality->level[h] >= load) *hosts++ = h;
    }
    *blocks = sum;
    return SKED_OK;
}
