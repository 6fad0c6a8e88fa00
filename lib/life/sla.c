/* How many instances an SLA allows to stop: all parts of a host share the
 * count. */
#include "life/sla.h"

#include "base/versioned.h"

SKEDI_NO_TAIL_PADDING(sked_life_sla, reserved);

enum { LIFE_SLA_V1 = SKEDI_SIZE_THROUGH(sked_life_sla, reserved) };

sked_status skedi_life_sla_in(sked_life_sla *sla, const sked_life_sla *theirs,
                              sked_error *err)
{
    if (skedi_struct_in(sla, sizeof *sla, theirs, LIFE_SLA_V1)) {
        return skedi_fail_version(err, "sla");
    }
    if (sla->reserved) return skedi_fail_reserved(err, "sla");
    if (sla->type > SKED_LIFE_TYPE_DAEMON || sla->preemptible > 1 ||
        sla->revocable > 1) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "no such SLA can be");
    }
    return SKED_OK;
}

uint64_t sked_life_gang_of(const sked_life_sla *sla, uint64_t instances)
{
    sked_life_sla s;
    uint64_t gang = 1;

    if (skedi_life_sla_in(&s, sla, NULL) == SKED_OK && s.least_running > 1 &&
        s.type <= SKED_LIFE_TYPE_BATCH && !s.revocable) {
        gang = s.least_running;
    }
    return gang < instances ? gang : instances;
}

sked_status sked_life_count(const sked_life_instance *instances, size_t n,
                            sked_life_stats *counts, sked_error *err)
{
    const char *missing = n && !instances ? "instances"
                          : !counts       ? "counts"
                                          : NULL;
    if (missing) return skedi_fail_null(err, missing);
    *counts = (sked_life_stats){0};
    for (size_t i = 0; i < n; i++) {
        uint32_t is = sked_life_availability_of(&instances[i]);
        if (is == SKED_LIFE_AVAILABILITY_AVAILABLE && !instances[i].told) {
            counts->available++;
        } else if (is == SKED_LIFE_AVAILABILITY_KILLED) {
            counts->killed++;
        } else if (is != SKED_LIFE_AVAILABILITY_INVALID) {
            counts->unavailable++;
        }
    }
    return SKED_OK;
}

uint64_t skedi_life_spare(const sked_life_sla *sla, uint64_t available,
                          uint64_t unavailable)
{
    uint64_t least = sla->least_running, most = sla->most_unavailable;
    uint64_t spare = available;

    if (least) spare = available > least ? available - least : 0;
    if (most) {
        uint64_t more = most > unavailable ? most - unavailable : 0;
        if (more < spare) spare = more;
    }
    return spare;
}

sked_status sked_life_may_stop(const sked_life_sla *sla,
                               const sked_life_stats *counts, uint32_t stopper,
                               uint64_t *count, sked_error *err)
{
    sked_life_sla s;
    sked_status rc = skedi_life_sla_in(&s, sla, err);

    if (rc != SKED_OK) return rc;
    const char *missing = !counts ? "counts" : !count ? "count" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (stopper < SKED_LIFE_STOPPER_UPDATE ||
        stopper > SKED_LIFE_STOPPER_MAINTENANCE) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "no such stopper");
    }
    int never = sla && stopper == SKED_LIFE_STOPPER_PREEMPTION &&
                (!s.preemptible || s.type >= SKED_LIFE_TYPE_STATEFUL);
    *count = never
                 ? 0
                 : skedi_life_spare(&s, counts->available, counts->unavailable);
    return SKED_OK;
}

sked_status sked_life_stop(const sked_life_sla *sla, uint32_t stopper,
                           uint64_t count, sked_life_stats *counts,
                           sked_error *err)
{
    uint64_t may = 0;
    sked_status rc = sked_life_may_stop(sla, counts, stopper, &may, err);

    if (rc != SKED_OK) return rc;
    if (count > may) {
        return skedi_fail(
            err, SKED_ERR_STATE, "the SLA keeps them",
            (skedi_fault){.got = (int64_t)count, .limit = (int64_t)may});
    }
    counts->available -= count;
    counts->unavailable += count;
    return SKED_OK;
}
