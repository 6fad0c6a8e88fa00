/* What users of a leaf may have, by how many of them are active. */
#include <sched/admit.h>

#include "admit/parts.h"
#include "base/fail.h"
#include "base/versioned.h"

SKEDI_NO_TAIL_PADDING(sked_admit_users_input, weight);
SKEDI_NO_TAIL_PADDING(sked_admit_users_result, may);

enum {
    ADMIT_USERS_V1 = SKEDI_SIZE_THROUGH(sked_admit_users_input, weight),
    ADMIT_USERS_RESULT_V1 = SKEDI_SIZE_THROUGH(sked_admit_users_result, may)
};

/* ---- What may be wrong ---- */

/* `row` counts from 1; 0: of the leaf. */
static sked_status users_range(int64_t got, int64_t limit, size_t row,
                               uint32_t kind, sked_error *err)
{
    return skedi_fail(err, SKED_ERR_RANGE, "amount is out of range",
                      (skedi_fault){.row = (int64_t)row,
                                    .kind = (int32_t)kind + 1,
                                    .got = got,
                                    .limit = limit});
}

/* Amounts of the leaf, of which one that is `none` is no bound; or NULL. */
static sked_status users_leaf(const int64_t *amounts, uint32_t kinds,
                              int64_t least, int64_t none, sked_error *err)
{
    for (uint32_t k = 0; amounts && k < kinds; k++) {
        int64_t a = amounts[k];
        if (a == none || (a >= least && a <= SKED_AMOUNT_MAX)) continue;
        return users_range(a, SKED_AMOUNT_MAX, 0, k, err);
    }
    return SKED_OK;
}

/* Amounts of users, which together are amounts, too. */
static sked_status users_column(const sked_admit_users_input *in,
                                const int64_t *amounts, sked_error *err)
{
    for (uint32_t k = 0; amounts && k < in->kinds; k++) {
        int64_t left = SKED_AMOUNT_MAX;
        for (size_t i = 0; i < in->n; i++) {
            int64_t a = amounts[i * in->kinds + k];
            if (a < 0 || a > left) return users_range(a, left, i + 1, k, err);
            left -= a;
        }
    }
    return SKED_OK;
}

static sked_status users_said(sked_admit_users_input *in,
                              const sked_admit_users_input *input,
                              sked_error *err)
{
    sked_status rc = skedi_struct_in(in, sizeof *in, input, ADMIT_USERS_V1);

    if (rc != SKED_OK) return skedi_fail_version(err, "input");
    if (in->kinds == 0 || in->kinds > SKED_MAX_KINDS || in->n > INT32_MAX) {
        return skedi_fail_plain(err, SKED_ERR_RANGE,
                                "kinds or n is out of range");
    }
    if (!skedi_admit_is_part(in->part_ppm, in->factor_ppm)) {
        return skedi_fail_plain(err, SKED_ERR_RANGE,
                                "part_ppm or factor_ppm is out of range");
    }
    rc = users_leaf(in->guarantee, in->kinds, 0, 0, err);
    if (rc == SKED_OK) rc = users_leaf(in->step, in->kinds, 1, 1, err);
    if (rc == SKED_OK) {
        rc = users_leaf(in->limit, in->kinds, 0, SKED_UNLIMITED, err);
    }
    if (rc == SKED_OK) rc = users_column(in, in->used, err);
    return rc == SKED_OK ? users_column(in, in->wanted, err) : rc;
}

/* ---- The bounds ---- */

/* One kind of a leaf. Nothing here is above 2^63. */
typedef struct users_kind {
    uint64_t step;
    uint64_t part[2]; /* by weight, of weight 1: of all, of active users */
    uint64_t least;   /* part_ppm of what there is to divide */
    uint64_t most;    /* SKED_AMOUNT_MAX: as good as no bound */
} users_kind;

static int user_is_active(const sked_admit_users_input *in, size_t user)
{
    int64_t any = 0;

    for (uint32_t k = 0; in->wanted && k < in->kinds; k++) {
        any |= in->wanted[user * in->kinds + k];
    }
    return any != 0;
}

static uint64_t users_weight(const sked_admit_users_input *in, size_t user)
{
    return in->weight ? in->weight[user] : 1;
}

static uint64_t users_most(const sked_admit_users_input *in, uint32_t k,
                           uint64_t step, uint64_t whole)
{
    if (in->factor_ppm != SKED_UNLIMITED && in->guarantee &&
        in->guarantee[k] > 0) {
        return skedi_admit_part(whole, (uint64_t)in->factor_ppm,
                                (uint64_t)SKED_PPM, 0);
    }
    if (!in->limit || in->limit[k] == SKED_UNLIMITED) {
        return (uint64_t)SKED_AMOUNT_MAX;
    }
    return skedi_admit_stepped((uint64_t)in->limit[k], step, 0);
}

/* Of all users, and of active ones. */
typedef struct users_sums {
    uint64_t used[2][SKED_MAX_KINDS];
    uint64_t weight[2];
} users_sums;

static void users_add(const sked_admit_users_input *in, users_sums *sums)
{
    for (size_t i = 0; i < in->n; i++) {
        for (int a = 0; a <= user_is_active(in, i); a++) {
            sums->weight[a] += users_weight(in, i);
            for (uint32_t k = 0; in->used && k < in->kinds; k++) {
                sums->used[a][k] += (uint64_t)in->used[i * in->kinds + k];
            }
        }
    }
}

static users_kind users_of_kind(const sked_admit_users_input *in,
                                const users_sums *sums, uint32_t k)
{
    uint64_t step = in->step ? (uint64_t)in->step[k] : 1, whole = step;

    if (in->guarantee && (uint64_t)in->guarantee[k] > whole) {
        whole = (uint64_t)in->guarantee[k];
    }
    uint64_t all = sums->used[0][k],
             of[2] = {all + step, sums->used[1][k] + step};
    if (all < whole) of[0] = whole;
    users_kind u = {.step = step,
                    .least = skedi_admit_part(of[0], (uint64_t)in->part_ppm,
                                              (uint64_t)SKED_PPM, 1),
                    .most = users_most(in, k, step, whole)};
    for (int a = 0; a < 2; a++) {
        if (sums->weight[a] == 0) continue;
        u.part[a] = skedi_admit_part(of[a], 1, sums->weight[a], 1);
    }
    return u;
}

static int64_t user_bound(const users_kind *u, int active, uint64_t weight)
{
    uint64_t bound = u->part[active] > u->least ? u->part[active] : u->least;

    if (bound > u->most) bound = u->most;
    bound = skedi_admit_part(skedi_admit_stepped(bound, u->step, 1), weight, 1,
                             0);
    return (int64_t)skedi_admit_stepped(bound, u->step, 0);
}

static void users_write(const sked_admit_users_input *in, size_t user,
                        const users_kind *u, sked_admit_users_result *result)
{
    int active = user_is_active(in, user), may = active;

    for (uint32_t k = 0; k < in->kinds; k++) {
        size_t at = user * in->kinds + k;
        int64_t used = in->used ? in->used[at] : 0;
        int64_t wanted = in->wanted ? in->wanted[at] : 0;
        int64_t bound = user_bound(&u[k], active, users_weight(in, user));
        int64_t left = skedi_i64_max(bound - used, 0);
        if (wanted > 0 && used > bound) may = 0;
        if (result->bound) result->bound[at] = bound;
        if (result->wanted) result->wanted[at] = skedi_i64_min(wanted, left);
    }
    if (result->may) result->may[user] = (uint8_t)may;
}

sked_status sked_admit_users(const sked_admit_users_input *input,
                             sked_admit_users_result *result, sked_error *err)
{
    sked_admit_users_input in;
    users_sums sums = {{{0}}, {0}};
    users_kind kinds[SKED_MAX_KINDS];

    const char *missing = !input ? "input" : !result ? "result" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_struct_out(result->struct_size,
                                      ADMIT_USERS_RESULT_V1);
    if (rc != SKED_OK) return skedi_fail_version(err, "result");
    rc = users_said(&in, input, err);
    if (rc != SKED_OK) return rc;
    users_add(&in, &sums);
    for (uint32_t k = 0; k < in.kinds; k++) {
        kinds[k] = users_of_kind(&in, &sums, k);
    }
    result->reserved = 0;
    for (size_t i = 0; i < in.n; i++) users_write(&in, i, kinds, result);
    return SKED_OK;
}
