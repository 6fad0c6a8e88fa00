/*
 * Takes an input in. Every number is checked: no end of a slot passes 2^62, and
 * every replica names an existing host.
 */
#include "locality/handle.h"

#include "base/fail.h"
#include "base/versioned.h"

SKEDI_NO_TAIL_PADDING(sked_locality_input, limit);

enum {
    LOCALITY_INPUT_V1 = SKEDI_SIZE_THROUGH(sked_locality_input, limit),
    BLOCKS_A_CHECK = 1 << 18
};

/* For rows of nothing. */
static const uint32_t no_replicas[] = {SKED_LOCALITY_NO_HOST};

static sked_status bad_host(sked_error *err, uint32_t h, const char *what,
                            int64_t got, int64_t limit)
{
    return skedi_fail(
        err, SKED_ERR_RANGE, what,
        (skedi_fault){.row = (int64_t)h + 1, .got = got, .limit = limit});
}

/* Checks a host's speed: its last block ends by 2^62. */
static sked_status check_speed(const skedi_blocks *in, uint32_t h,
                               sked_error *err)
{
    int64_t ticks = in->ticks ? in->ticks[h] : 1;
    int64_t committed = in->committed ? in->committed[h] : 0;
    uint32_t cores = in->cores ? in->cores[h] : 1;

    if (ticks < 1) return bad_host(err, h, "ticks is below 1", ticks, 1);
    if (committed < 0 || committed > SKED_AMOUNT_MAX) {
        return bad_host(err, h, "committed is not 0 to 2^62", committed,
                        SKED_AMOUNT_MAX);
    }
    if (cores < 1) return bad_host(err, h, "cores is 0", 0, 1);
    int64_t waves = (int64_t)in->blocks / cores + 1;
    if (ticks > (SKED_AMOUNT_MAX - committed) / waves) {
        return bad_host(err, h, "the last block would end after 2^62", ticks,
                        (SKED_AMOUNT_MAX - committed) / waves);
    }
    return SKED_OK;
}

static sked_status check_sizes(const sked_locality_input *in, sked_error *err)
{
    if (in->blocks > SKED_MAX_LOCALITY_BLOCKS) {
        return skedi_fail(err, SKED_ERR_RANGE, "blocks is above 2^31 - 1",
                          (skedi_fault){.got = (int64_t)in->blocks,
                                        .limit = SKED_MAX_LOCALITY_BLOCKS});
    }
    if (in->hosts < 1 || in->hosts > SKED_MAX_LOCALITY_HOSTS) {
        return skedi_fail(err, SKED_ERR_RANGE, "hosts is not 1 to 2^24",
                          (skedi_fault){.got = (int64_t)in->hosts,
                                        .limit = SKED_MAX_LOCALITY_HOSTS});
    }
    if (in->replicas > SKED_MAX_LOCALITY_REPLICAS ||
        (in->replicas && in->blocks > SIZE_MAX / 4 / in->replicas)) {
        return skedi_fail(err, SKED_ERR_RANGE, "replicas is above 254",
                          (skedi_fault){.got = (int64_t)in->replicas,
                                        .limit = SKED_MAX_LOCALITY_REPLICAS});
    }
    return SKED_OK;
}

sked_status skedi_loc_take(skedi_blocks *in, const sked_locality_input *given,
                           sked_error *err)
{
    sked_locality_input all;

    if (!given) return skedi_fail_null(err, "input");
    sked_status rc = skedi_struct_in(&all, sizeof all, given,
                                     LOCALITY_INPUT_V1);
    if (rc != SKED_OK) {
        return skedi_fail_version(err, "input");
    }
    if (all.flags) {
        return skedi_fail_flags(err, "input");
    }
    rc = check_sizes(&all, err);
    if (rc != SKED_OK) return rc;
    *in = (skedi_blocks){(uint32_t)all.blocks,
                         (uint32_t)all.hosts,
                         (uint32_t)all.replicas,
                         all.replica,
                         all.ticks,
                         all.committed,
                         all.cores,
                         all.limit};
    const char *missing = in->blocks && in->replicas && !in->replica
                              ? "input.replica"
                              : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (!in->replica) in->replica = no_replicas;
    if (skedi_slots_of(in).equal) return SKED_OK;
    for (uint32_t h = 0; h < in->hosts && rc == SKED_OK; h++) {
        rc = check_speed(in, h, err);
    }
    return rc;
}

sked_status skedi_loc_bad_replica(const skedi_blocks *in, uint32_t block,
                                  sked_error *err)
{
    const uint32_t *row = in->replica + (size_t)block * in->replicas;
    uint32_t k = 0;

    while (row[k] < in->hosts || row[k] == SKED_LOCALITY_NO_HOST) k++;
    return skedi_fail(err, SKED_ERR_RANGE, "a replica is on no host",
                      (skedi_fault){.row = (int64_t)block + 1,
                                    .got = row[k],
                                    .limit = in->hosts});
}

/* Does a row name hosts, or lost replicas, only? */
static int is_row_good(const uint32_t *row, uint32_t width, uint32_t hosts)
{
    int good = 1;

    for (uint32_t k = 0; k < width; k++) {
        good &= row[k] < hosts || row[k] == SKED_LOCALITY_NO_HOST;
    }
    return good;
}

sked_status skedi_loc_check_replicas(const skedi_blocks *in,
                                     const skedi_hooks *hooks, sked_error *err)
{
    for (uint32_t b = 0; b < in->blocks; b++) {
        const uint32_t *row = in->replica + (size_t)b * in->replicas;
        if (!is_row_good(row, in->replicas, in->hosts)) {
            return skedi_loc_bad_replica(in, b, err);
        }
        if (b % BLOCKS_A_CHECK) continue;
        sked_status rc = skedi_hooks_check(hooks, b, in->blocks);
        if (rc != SKED_OK) return skedi_loc_stopped(rc, err);
    }
    return SKED_OK;
}

sked_status skedi_loc_stopped(sked_status rc, sked_error *err)
{
    return skedi_fail_stopped(err, rc);
}

/* Checks by the counts that the choices belong to the input. */
static int counts_agree(const sked_locality *l, const skedi_blocks *in,
                        uint32_t *counts)
{
    for (uint32_t b = 0; b < in->blocks; b++) {
        const uint32_t *row = in->replica + (size_t)b * in->replicas;
        uint8_t k = l->choice[b];
        if (k != SKED_LOCALITY_NO_REPLICA && row[k] == SKED_LOCALITY_NO_HOST)
            return 0;
        counts[k == SKED_LOCALITY_NO_REPLICA ? in->hosts : row[k]]++;
    }
    for (uint32_t h = 0; h <= in->hosts; h++) {
        if (counts[h] != l->count[h]) return 0;
    }
    return 1;
}

static sked_status match_input(const sked_locality *l, const skedi_blocks *in,
                               skedi_hooks *hooks, sked_error *err)
{
    size_t n = (size_t)in->hosts + 1;
    int same = in->blocks == l->blocks && in->hosts == l->hosts &&
               in->replicas == l->width;
    uint32_t *counts = same ? skedi_new(&hooks->mem, n, sizeof *counts) : NULL;

    if (same && !counts) return skedi_loc_stopped(SKED_ERR_NOMEM, err);
    same = same && counts_agree(l, in, counts);
    skedi_free(&hooks->mem, counts, n, sizeof *counts);
    if (same) return SKED_OK;
    return skedi_fail_plain(err, SKED_ERR_ARG,
                            "input is not the one of the placement");
}

sked_status skedi_loc_take_match(const sked_locality *locality,
                                 const sked_locality_input *input,
                                 const sked_host *host, skedi_blocks *in,
                                 skedi_hooks *hooks, sked_error *err)
{
    if (!locality) {
        return skedi_fail_null(err, "locality");
    }
    if (!locality->level) {
        return skedi_fail_plain(err, SKED_ERR_STATE,
                                "the placement is not exact");
    }
    sked_status rc = skedi_loc_take(in, input, err);
    if (rc == SKED_OK) rc = skedi_hooks_in(hooks, host, err);
    if (rc == SKED_OK) rc = skedi_loc_check_replicas(in, hooks, err);
    return rc == SKED_OK ? match_input(locality, in, hooks, err) : rc;
}
