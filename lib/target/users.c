/* What the users of one leaf may hold. */
#include "base/fail.h"
#include "base/versioned.h"
#include "target/state.h"

SKEDI_NO_TAIL_PADDING(sked_target_users_input, demand);

enum { TARGET_USERS_V1 = SKEDI_SIZE_THROUGH(sked_target_users_input, demand) };

static sked_status users_amount(int64_t amount, size_t row, size_t k,
                                sked_error *err)
{
    if (amount >= 0 && amount <= SKED_AMOUNT_MAX) return SKED_OK;
    return skedi_fail(err, SKED_ERR_RANGE, "amount is out of range",
                      (skedi_fault){.row = (int64_t)row,
                                    .kind = (int32_t)k + 1,
                                    .got = amount,
                                    .limit = SKED_AMOUNT_MAX});
}

static sked_status users_amounts(const sked_target_users_input *in,
                                 sked_error *err)
{
    sked_status rc = SKED_OK;

    for (size_t k = 0; rc == SKED_OK && k < in->kinds; k++) {
        rc = users_amount(in->total[k], 0, k, err);
        for (size_t row = 0; rc == SKED_OK && row < in->n; row++) {
            size_t at = row * in->kinds + k;
            rc = users_amount(in->usage[at], row + 1, k, err);
            if (rc != SKED_OK || !in->demand) continue;
            rc = users_amount(in->demand[at], row + 1, k, err);
        }
    }
    return rc;
}

static sked_status users_in(sked_target_users_input *users,
                            const sked_target_users_input *in, sked_error *err)
{
    sked_status rc = skedi_struct_in(users, sizeof *users, in, TARGET_USERS_V1);

    if (rc != SKED_OK) {
        return skedi_fail_version(err, "input");
    }
    const char *missing = !users->total                   ? "input.total"
                          : users->n > 0 && !users->usage ? "input.usage"
                                                          : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (users->kinds < 1 || users->kinds > SKED_MAX_KINDS ||
        users->n > INT32_MAX || users->limit_ppm < 0 ||
        users->limit_ppm > SKED_PPM) {
        return skedi_fail_plain(err, SKED_ERR_RANGE,
                                "kinds, n or limit is out of range");
    }
    return users_amounts(users, err);
}

static int is_active_user(const sked_target_users_input *in, size_t row)
{
    int any = 0;

    for (size_t k = 0; k < in->kinds; k++) {
        size_t at = row * in->kinds + k;
        any |= in->usage[at] > 0 || (in->demand && in->demand[at] > 0);
    }
    return any;
}

static uint64_t user_weight(const sked_target_users_input *in, size_t row)
{
    return in->weight ? in->weight[row] : 1;
}

/* floor(total * weight * ppm / 10^6), at most the total. */
static int64_t user_limit_of(const sked_target_users_input *in, int64_t total,
                             uint64_t weight)
{
    uint64_t part = weight * (uint64_t)in->limit_ppm, rest; /* < 2^52 */

    if (part >= (uint64_t)SKED_PPM) return total;
    return (int64_t)skedi_muldiv((uint64_t)total, part, (uint64_t)SKED_PPM,
                                 &rest);
}

static int64_t user_share(const sked_target_users_input *in, int64_t total,
                          uint64_t weight, uint64_t sum)
{
    uint64_t rest;
    int64_t limit = user_limit_of(in, total, weight);

    if (sum == 0) return limit;
    int64_t part = (int64_t)skedi_muldiv((uint64_t)total, weight, sum, &rest);
    return skedi_i64_max(part, limit);
}

sked_status sked_target_share_users(const sked_target_users_input *input,
                                    int64_t *share, int64_t *keep,
                                    sked_error *err)
{
    sked_target_users_input users;
    uint64_t sum = 0;

    const char *missing = !input   ? "input"
                          : !share ? "share"
                          : !keep  ? "keep"
                                   : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = users_in(&users, input, err);
    if (rc != SKED_OK) return rc;
    for (size_t row = 0; row < users.n; row++) {
        if (is_active_user(&users, row)) sum += user_weight(&users, row);
    }
    for (size_t row = 0; row < users.n; row++) {
        int active = is_active_user(&users, row), over = 0;
        uint64_t weight = user_weight(&users, row);
        for (size_t k = 0; k < users.kinds; k++) {
            size_t at = row * users.kinds + k;
            share[at] = active ? user_share(&users, users.total[k], weight, sum)
                               : 0;
            over |= users.usage[at] > share[at];
        }
        for (size_t k = 0; k < users.kinds; k++) {
            size_t at = row * users.kinds + k;
            keep[at] = over ? share[at] : SKED_UNLIMITED;
        }
    }
    return SKED_OK;
}
