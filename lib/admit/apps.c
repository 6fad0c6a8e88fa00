/* How many applications a leaf and one of its users may have. */
#include "admit/parts.h"
#include "base/fail.h"
#include "base/versioned.h"

SKEDI_NO_TAIL_PADDING(sked_admit_apps_input, factor_ppm);
SKEDI_NO_TAIL_PADDING(sked_admit_apps_result, user);

enum {
    ADMIT_APPS_V1 = SKEDI_SIZE_THROUGH(sked_admit_apps_input, factor_ppm),
    ADMIT_APPS_RESULT_V1 = SKEDI_SIZE_THROUGH(sked_admit_apps_result, user)
};

static int is_app_number(int64_t n)
{
    return n >= 0 && n <= SKED_AMOUNT_MAX;
}

static sked_status app_bounds_said(sked_admit_apps_input *in,
                                   const sked_admit_apps_input *input,
                                   sked_error *err)
{
    sked_status rc = skedi_struct_in(in, sizeof *in, input, ADMIT_APPS_V1);

    if (rc != SKED_OK) return skedi_fail_version(err, "input");
    if (in->reserved) return skedi_fail_reserved(err, "input");
    if (!skedi_admit_is_part(in->part_ppm, in->factor_ppm)) {
        return skedi_fail_plain(err, SKED_ERR_RANGE,
                                "part_ppm or factor_ppm is out of range");
    }
    int is_set = in->leaf != SKED_UNSET;
    if (is_set ? !is_app_number(in->leaf) : !is_app_number(in->total)) {
        return skedi_fail_plain(err, SKED_ERR_RANGE,
                                is_set ? "leaf is out of range"
                                       : "total is out of range");
    }
    if (!is_set && (in->part.num < 0 || in->part.den <= 0 ||
                    in->part.num > in->part.den)) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "part is out of range");
    }
    return SKED_OK;
}

/* Times two parts, rounded down once. */
static int64_t apps_of_user(const sked_admit_apps_input *in, int64_t leaf)
{
    uint64_t ppm = (uint64_t)SKED_PPM;

    if (in->factor_ppm == SKED_UNLIMITED) return leaf;
    skedi_u128 times = skedi_u128_mul((uint64_t)in->part_ppm,
                                      (uint64_t)in->factor_ppm);
    return (int64_t)skedi_admit_part((uint64_t)leaf, skedi_u128_low(times),
                                     ppm * ppm, 0);
}

sked_status sked_admit_apps(const sked_admit_apps_input *input,
                            sked_admit_apps_result *result, sked_error *err)
{
    sked_admit_apps_input in;

    const char *missing = !input ? "input" : !result ? "result" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_struct_out(result->struct_size,
                                      ADMIT_APPS_RESULT_V1);
    if (rc != SKED_OK) return skedi_fail_version(err, "result");
    rc = app_bounds_said(&in, input, err);
    if (rc != SKED_OK) return rc;
    int64_t leaf = in.leaf;
    if (leaf == SKED_UNSET) {
        leaf = (int64_t)skedi_admit_part((uint64_t)in.total,
                                         (uint64_t)in.part.num,
                                         (uint64_t)in.part.den, 0);
    }
    result->reserved = 0;
    result->leaf = leaf;
    result->user = skedi_i64_min(leaf, apps_of_user(&in, leaf));
    return SKED_OK;
}
