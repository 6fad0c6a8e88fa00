/*
 * Is a placement decreasingly minimal? One pass over the blocks and one over
 * the hosts, from the definition of the proof in <sched/locality.h> and nothing
 * else: what is wrong with a solver must not be wrong here too.
 */
#include "locality/handle.h"

#include "base/fail.h"

static sked_status invalid(sked_error *err, const char *message, uint32_t row)
{
    return skedi_fail(err, SKED_ERR_INVALID, message,
                      (skedi_fault){.row = (int64_t)row + 1});
}

/* A block without a place: full hosts, of the highest level, are all it has. */
static sked_status verify_unplaced(const skedi_blocks *in,
                                   const int64_t *levels,
                                   const uint32_t *counts, uint32_t b,
                                   sked_error *err)
{
    const uint32_t *row = in->replica + (size_t)b * in->replicas;

    for (uint32_t k = 0; k < in->replicas; k++) {
        if (row[k] == SKED_LOCALITY_NO_HOST) continue;
        if (!in->limit || counts[row[k]] < in->limit[row[k]]) {
            return invalid(err, "a block is unplaced beside a free place", b);
        }
        if (levels[row[k]] < SKED_UNLIMITED - 2) {
            return invalid(err, "a full host is not of the highest level", b);
        }
    }
    return SKED_OK;
}

static sked_status verify_block(const skedi_blocks *in, const uint8_t *choice,
                                const int64_t *levels, const uint32_t *counts,
                                uint32_t b, sked_error *err)
{
    const uint32_t *row = in->replica + (size_t)b * in->replicas;

    if (choice[b] == SKED_LOCALITY_NO_REPLICA) {
        return verify_unplaced(in, levels, counts, b, err);
    }
    for (uint32_t k = 0; k < in->replicas; k++) {
        if (row[k] == SKED_LOCALITY_NO_HOST) continue;
        if (levels[row[k]] < levels[row[choice[b]]]) {
            return invalid(err, "a block could be on a host of lower level", b);
        }
    }
    return SKED_OK;
}

static sked_status verify_host(const skedi_slots *s, uint32_t h, uint32_t n,
                               int64_t level, sked_error *err)
{
    int64_t next = level >= SKEDI_NEVER - 1 ? SKEDI_NEVER : level + 1;

    if (n < skedi_slots_by(s, h, level)) {
        return invalid(err, "a host holds less than its level", h);
    }
    if (n > skedi_slots_by(s, h, next)) {
        return invalid(err, "a host holds more than its level and one", h);
    }
    return SKED_OK;
}

/* Blocks by host, from the choices. */
static sked_status count_choices(const skedi_blocks *in, const uint8_t *choice,
                                 uint32_t *counts, sked_error *err)
{
    for (uint32_t b = 0; b < in->blocks; b++) {
        const uint32_t *row = in->replica + (size_t)b * in->replicas;
        if (choice[b] == SKED_LOCALITY_NO_REPLICA) continue;
        if (choice[b] >= in->replicas ||
            row[choice[b]] == SKED_LOCALITY_NO_HOST) {
            return invalid(err, "a block is placed on no replica", b);
        }
        counts[row[choice[b]]]++;
    }
    return SKED_OK;
}

static sked_status verify_all(const skedi_blocks *in, const uint8_t *choice,
                              const int64_t *levels, uint32_t *counts,
                              sked_error *err)
{
    skedi_slots slots = skedi_slots_of(in);
    sked_status rc = count_choices(in, choice, counts, err);

    for (uint32_t b = 0; b < in->blocks && rc == SKED_OK; b++) {
        rc = verify_block(in, choice, levels, counts, b, err);
    }
    for (uint32_t h = 0; h < in->hosts && rc == SKED_OK; h++) {
        rc = verify_host(&slots, h, counts[h], levels[h], err);
    }
    return rc;
}

sked_status sked_locality_verify(const sked_locality_input *input,
                                 const uint8_t *choice, const int64_t *levels,
                                 const sked_host *host, sked_error *err)
{
    skedi_blocks in;
    skedi_hooks hooks;
    sked_status rc = skedi_loc_take(&in, input, err);

    if (rc != SKED_OK) return rc;
    const char *missing = in.blocks && !choice ? "choice"
                          : !levels            ? "levels"
                                               : NULL;
    if (missing) return skedi_fail_null(err, missing);
    rc = skedi_hooks_in(&hooks, host, err);
    if (rc == SKED_OK) rc = skedi_loc_check_replicas(&in, &hooks, err);
    if (rc != SKED_OK) return rc;
    uint32_t *counts = skedi_new(&hooks.mem, in.hosts, sizeof *counts);
    if (!counts) return skedi_loc_stopped(SKED_ERR_NOMEM, err);
    rc = verify_all(&in, choice, levels, counts, err);
    skedi_free(&hooks.mem, counts, in.hosts, sizeof *counts);
    return rc;
}
