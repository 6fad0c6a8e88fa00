/*
 * Taking the input of locality under fairness in: every number checked, so that
 * no column is read beyond its end and no sum overflows.
 */
#include "locality/fair.h"

#include "base/fail.h"
#include "base/versioned.h"

SKEDI_NO_TAIL_PADDING(sked_locality_fair_input, slots);

enum {
    FAIR_INPUT_V1 = SKEDI_SIZE_THROUGH(sked_locality_fair_input, slots),
    FAIR_BLOCKS_A_CHECK = 1 << 18
};

static const uint32_t no_row[] = {SKED_LOCALITY_NO_HOST};

static sked_status fair_size(sked_error *err, const char *what, uint64_t got,
                             uint32_t limit)
{
    return skedi_fail(err, SKED_ERR_RANGE, what,
                      (skedi_fault){.got = (int64_t)got, .limit = limit});
}

static sked_status fair_sizes_in(const sked_locality_fair_input *in,
                                 sked_error *err)
{
    if (in->blocks > SKED_MAX_LOCALITY_BLOCKS) {
        return fair_size(err, "blocks is above 2^31 - 1", in->blocks,
                         SKED_MAX_LOCALITY_BLOCKS);
    }
    if (in->hosts < 1 || in->hosts > SKED_MAX_LOCALITY_HOSTS) {
        return fair_size(err, "hosts is not 1 to 2^24", in->hosts,
                         SKED_MAX_LOCALITY_HOSTS);
    }
    if (in->queues < 1 || in->queues > SKED_MAX_LOCALITY_FAIR_QUEUES) {
        return fair_size(err, "queues is not 1 to 2^24", in->queues,
                         SKED_MAX_LOCALITY_FAIR_QUEUES);
    }
    if (in->replicas > SKED_MAX_LOCALITY_REPLICAS ||
        (in->replicas && in->blocks > SIZE_MAX / 4 / in->replicas)) {
        return fair_size(err, "replicas is above 254", in->replicas,
                         SKED_MAX_LOCALITY_REPLICAS);
    }
    return SKED_OK;
}

static sked_status fair_row(sked_error *err, const char *what, uint32_t block,
                            uint32_t got, uint32_t limit)
{
    return skedi_fail(
        err, SKED_ERR_RANGE, what,
        (skedi_fault){.row = (int64_t)block + 1, .got = got, .limit = limit});
}

static sked_status fair_blocks_in(const skedi_fair_blocks *in,
                                  const skedi_hooks *hooks, sked_error *err)
{
    sked_status rc = SKED_OK;

    for (uint32_t b = 0; b < in->blocks && rc == SKED_OK; b++) {
        const uint32_t *row = in->replica + (size_t)b * in->replicas;
        uint32_t q = fair_queue_of(in, b);
        if (q >= in->queues) {
            return fair_row(err, "a block is of no queue", b, q,
                            in->queues - 1);
        }
        for (uint32_t k = 0; k < in->replicas; k++) {
            if (row[k] < in->hosts || row[k] == SKED_LOCALITY_NO_HOST) continue;
            return fair_row(err, "a replica is on no host", b, row[k],
                            in->hosts - 1);
        }
        if (b % FAIR_BLOCKS_A_CHECK) continue;
        rc = skedi_hooks_check(hooks, b, in->blocks);
        if (rc != SKED_OK) rc = skedi_fail_stopped(err, rc);
    }
    return rc;
}

sked_status skedi_fair_take(skedi_fair_blocks *in,
                            const sked_locality_fair_input *given,
                            const sked_host *host, skedi_hooks *hooks,
                            sked_error *err)
{
    sked_locality_fair_input all;

    if (!given) return skedi_fail_null(err, "input");
    sked_status rc = skedi_struct_in(&all, sizeof all, given, FAIR_INPUT_V1);
    if (rc != SKED_OK) {
        return skedi_fail_version(err, "input");
    }
    if (all.flags) {
        return skedi_fail_flags(err, "input");
    }
    rc = fair_sizes_in(&all, err);
    if (rc != SKED_OK) return rc;
    *in = (skedi_fair_blocks){(uint32_t)all.blocks,
                              (uint32_t)all.hosts,
                              (uint32_t)all.queues,
                              (uint32_t)all.replicas,
                              all.replica,
                              all.queue,
                              all.share,
                              all.slots};
    const char *missing = !in->share ? "input.share"
                          : in->blocks && in->replicas && !in->replica
                              ? "input.replica"
                              : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (!in->replica) in->replica = no_row;
    rc = skedi_hooks_in(hooks, host, err);
    return rc == SKED_OK ? fair_blocks_in(in, hooks, err) : rc;
}

sked_status skedi_fair_wants(const skedi_fair_blocks *in, uint32_t *wants,
                             sked_error *err)
{
    uint64_t wanted = 0, slots = 0;

    for (uint32_t b = 0; b < in->blocks; b++) {
        uint32_t q = fair_queue_of(in, b);
        if (wants[q] == in->share[q]) continue;
        wants[q]++;
        wanted++;
    }
    for (uint32_t h = 0; h < in->hosts; h++) {
        slots += in->slots ? in->slots[h] : 1;
    }
    if (wanted <= slots) return SKED_OK;
    return skedi_fail(
        err, SKED_ERR_RANGE,
        "the queues are entitled to more than there are slots",
        (skedi_fault){.got = (int64_t)wanted, .limit = (int64_t)slots});
}

sked_status skedi_fair_columns(uint32_t blocks,
                               const sked_locality_fair_result *result,
                               sked_error *err)
{
    const char *missing = !result                   ? "result"
                          : !result->queue_cut      ? "result.queue_cut"
                          : !result->host_cut       ? "result.host_cut"
                          : blocks && !result->host ? "result.host"
                                                    : NULL;
    return missing ? skedi_fail_null(err, missing) : SKED_OK;
}
