/* Applications and masters in fractions of wide numbers, with one division. */
#include "ref_admit.h"

#include "ref_wide.h"

enum { PPM = 1000000 };

/* A product over another one, rounded up or down, at most SKED_AMOUNT_MAX. */
static uint64_t quotient(const uint64_t *over, size_t n, const uint64_t *under,
                         size_t m, int up)
{
    ref_wide top = ref_wide_of(1), bottom = ref_wide_of(1);
    ref_wide most = ref_wide_of((uint64_t)SKED_AMOUNT_MAX);

    for (size_t i = 0; i < n; i++) top = ref_wide_mul(top, over[i]);
    for (size_t i = 0; i < m; i++) bottom = ref_wide_mul(bottom, under[i]);
    ref_wide part = ref_wide_div(top, bottom);
    ref_wide rest = ref_wide_mod(top, bottom);
    if (up && ref_wide_cmp(rest, ref_wide_of(0)) > 0) {
        part = ref_wide_add(part, ref_wide_of(1));
    }
    return ref_wide_cmp(part, most) > 0 ? (uint64_t)SKED_AMOUNT_MAX
                                        : ref_wide_word(part, 0);
}

void ref_admit_apps(const sked_admit_apps_input *in, int64_t *leaf,
                    int64_t *user)
{
    uint64_t of_all[] = {(uint64_t)in->total, (uint64_t)in->part.num};
    uint64_t den[] = {(uint64_t)in->part.den}, ppm[] = {PPM, PPM};

    *leaf = in->leaf == SKED_UNSET ? (int64_t)quotient(of_all, 2, den, 1, 0)
                                   : in->leaf;
    *user = *leaf;
    if (in->factor_ppm == SKED_UNLIMITED) return;
    uint64_t of_leaf[] = {(uint64_t)*leaf, (uint64_t)in->part_ppm,
                          (uint64_t)in->factor_ppm};
    int64_t own = (int64_t)quotient(of_leaf, 3, ppm, 2, 0);
    if (own < *leaf) *user = own;
}

static int64_t stepped(uint64_t amount, int64_t step)
{
    uint64_t up = (amount + (uint64_t)step - 1) / (uint64_t)step *
                  (uint64_t)step;

    return up > (uint64_t)SKED_AMOUNT_MAX ? SKED_AMOUNT_MAX : (int64_t)up;
}

void ref_admit_masters(const sked_admit_masters_input *in, int64_t *leaf,
                       int64_t *user)
{
    uint64_t active = in->active ? in->active : 1, num = 1, den = active;
    int holds = 1;

    if ((uint64_t)in->part_ppm * active > PPM) {
        num = (uint64_t)in->part_ppm;
        den = PPM;
    }
    num *= in->weight;
    if (num > den) num = den;
    for (uint32_t k = 0; k < in->kinds; k++) {
        holds &= in->guarantee[k] <= in->limit[k];
    }
    for (uint32_t k = 0; k < in->kinds; k++) {
        uint64_t has = (uint64_t)(holds ? in->limit : in->guarantee)[k];
        uint64_t all[] = {has, (uint64_t)in->share_ppm}, ppm[] = {PPM};
        leaf[k] = stepped(quotient(all, 2, ppm, 1, 1), in->step[k]);
        user[k] = leaf[k];
        if (in->factor_ppm == SKED_UNLIMITED) continue;
        uint64_t own[] = {(uint64_t)in->guarantee[k], (uint64_t)in->share_ppm,
                          num, (uint64_t)in->factor_ppm};
        uint64_t under[] = {PPM, den, PPM};
        int64_t most = stepped(quotient(own, 4, under, 3, 1), in->step[k]);
        if (most < leaf[k]) user[k] = most;
    }
}
