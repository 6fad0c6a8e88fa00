/*
 * Instances by dominant resource. Cross products find the largest v_k /
 * instance_k; only the largest is divided, once, and rounded up.
 */
#include "pctl/instance.h"

#include <string.h>

#include "base/fail.h"

sked_status skedi_measure_in(skedi_measure *m, const int64_t *instance,
                             uint32_t kinds, uint32_t kind, uint32_t parts,
                             sked_error *err)
{
    int64_t most = 0;

    *m = (skedi_measure){.kinds = kinds, .kind = kind};
    if (kind >= kinds) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "no such kind");
    }
    if (!instance) return SKED_OK;
    m->parts = parts ? parts : 1;
    memcpy(m->instance, instance, kinds * sizeof *instance);
    for (uint32_t k = 0; k < kinds; k++) {
        int64_t x = instance[k];
        skedi_fault fault = {.kind = (int32_t)k + 1, .got = x};
        most |= x;
        if (x == 0 || (x >= (int64_t)m->parts && x <= SKED_AMOUNT_MAX)) {
            continue;
        }
        return skedi_fail(err, SKED_ERR_RANGE, "instance is out of range",
                          fault);
    }
    if (most > 0) return SKED_OK;
    return skedi_fail_plain(err, SKED_ERR_RANGE, "the instance has nothing");
}

uint32_t skedi_measure_leader(const skedi_measure *m, const int64_t *vec)
{
    uint32_t best = m->kind;
    uint64_t num = 0, den = 1;

    if (m->parts == 0) return best;
    for (uint32_t k = 0; k < m->kinds; k++) {
        uint64_t v = (uint64_t)vec[k], has = (uint64_t)m->instance[k];
        if (v == 0 || skedi_cmp_mul(v, den, num, has) <= 0) continue;
        best = k;
        num = v;
        den = has;
    }
    return best;
}

uint64_t skedi_measure_of(const skedi_measure *m, const int64_t *vec,
                          uint32_t leader)
{
    uint64_t v = (uint64_t)vec[leader], rem;

    if (m->parts == 0 || v == 0) return v;
    uint64_t whole = skedi_muldiv(v, m->parts, (uint64_t)m->instance[leader],
                                  &rem);
    return whole + (rem > 0);
}

int32_t skedi_measure_lacks(const skedi_measure *m, const int64_t *vec)
{
    if (m->parts == 0) return -1;
    for (uint32_t k = 0; k < m->kinds; k++) {
        if (vec[k] > 0 && m->instance[k] == 0) return (int32_t)k;
    }
    return -1;
}

/* Checks a row of amounts: in range, and of kinds that the instance has. */
static sked_status vector_in(const skedi_measure *m, const int64_t *vec,
                             size_t row, sked_error *err)
{
    for (uint32_t k = 0; k < m->kinds; k++) {
        skedi_fault fault = {.row = (int64_t)row + 1,
                             .kind = (int32_t)k + 1,
                             .got = vec[k],
                             .limit = SKED_AMOUNT_MAX};
        if (vec[k] < 0 || vec[k] > SKED_AMOUNT_MAX) {
            return skedi_fail(err, SKED_ERR_RANGE, "amount is out of range",
                              fault);
        }
        if (vec[k] == 0 || m->instance[k] > 0) continue;
        return skedi_fail(err, SKED_ERR_RANGE,
                          "the instance has nothing of this kind", fault);
    }
    return SKED_OK;
}

sked_status sked_pctl_instances(const int64_t *instance, uint32_t kinds,
                                uint32_t parts, const int64_t *vec, size_t n,
                                int64_t *instances, uint8_t *kind,
                                sked_error *err)
{
    skedi_measure m;

    const char *missing = !instance         ? "instance"
                          : n && !vec       ? "vec"
                          : n && !instances ? "instances"
                                            : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (kinds < 1 || kinds > SKED_MAX_KINDS) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "no or too many kinds");
    }
    sked_status rc = skedi_measure_in(&m, instance, kinds, 0, parts, err);
    for (size_t i = 0; rc == SKED_OK && i < n; i++) {
        const int64_t *row = vec + i * kinds;
        rc = vector_in(&m, row, i, err);
        if (rc != SKED_OK) break;
        uint32_t leader = skedi_measure_leader(&m, row);
        instances[i] = (int64_t)skedi_measure_of(&m, row, leader);
        if (kind) kind[i] = (uint8_t)leader;
    }
    return rc;
}
