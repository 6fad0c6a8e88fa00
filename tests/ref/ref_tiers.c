#include "ref_tiers.h"

#include "ref_wide.h"

/* One choice: a place in each tier's list of thresholds. */
typedef struct tier_choice {
    const sked_tiers_input *in;
    int64_t list[SKED_MAX_TIERS][256];
    uint32_t count[SKED_MAX_TIERS];
    uint32_t first[SKED_MAX_TIERS];
    uint32_t at[SKED_MAX_TIERS];
} tier_choice;

static void list_thresholds(tier_choice *c)
{
    int64_t step = c->in->step_ppm ? c->in->step_ppm : 10000;
    uint32_t before = 0;

    for (uint32_t t = 0; t < c->in->tiers; t++) {
        int64_t p = c->in->low_ppm[t];
        for (; p < c->in->high_ppm[t]; p += step) {
            c->list[t][c->count[t]++] = p;
        }
        c->list[t][c->count[t]++] = c->in->high_ppm[t];
        c->first[t] = before;
        before += c->count[t];
    }
}

static int64_t has(const tier_choice *c, uint32_t t)
{
    return c->in->allocation[c->first[t] + c->at[t]];
}

static ref_wide usage(const tier_choice *c, uint32_t t)
{
    sked_wide u = c->in->usage[t];

    return ref_wide_add(ref_wide_shift(ref_wide_of(u.high), 64),
                        ref_wide_of(u.low));
}

static int used(const tier_choice *c, uint32_t t)
{
    return c->in->usage[t].high > 0 || c->in->usage[t].low > 0;
}

/* usage(a) / has(a) <= usage(b) / has(b). */
static int head_room_falls(const tier_choice *c, uint32_t a, uint32_t b)
{
    return ref_wide_cmp(ref_wide_mul(usage(c, a), (uint64_t)has(c, b)),
                        ref_wide_mul(usage(c, b), (uint64_t)has(c, a))) <= 0;
}

/* Do tiers from `from` on keep both orders? The second one, where `spare` is
 * not SKED_MAX_TIERS, for all but that tier. */
static int keeps_orders(const tier_choice *c, uint32_t from, uint32_t spare)
{
    for (uint32_t a = from; a < c->in->tiers; a++) {
        for (uint32_t b = a + 1; b < c->in->tiers; b++) {
            if (c->list[a][c->at[a]] < c->list[b][c->at[b]]) return 0;
            if (a == spare || !used(c, a) || !used(c, b)) continue;
            if (!head_room_falls(c, a, b)) return 0;
        }
    }
    return 1;
}

/* The next choice for tiers from `from` on, in falling order. 0: no more. */
static int next_choice(tier_choice *c, uint32_t from)
{
    uint32_t t = (uint32_t)c->in->tiers;

    while (t-- > from) {
        if (c->at[t] > 0) {
            c->at[t]--;
            return 1;
        }
        c->at[t] = c->count[t] - 1;
    }
    return 0;
}

static void first_choice(tier_choice *c)
{
    for (uint32_t t = 0; t < c->in->tiers; t++) c->at[t] = c->count[t] - 1;
}

static int any_choice(tier_choice *c, uint32_t from, uint32_t spare)
{
    first_choice(c);
    do {
        if (keeps_orders(c, from, spare)) return 1;
    } while (next_choice(c, from));
    return 0;
}

static int64_t total_of(const tier_choice *c)
{
    int64_t sum = 0;

    for (uint32_t t = 0; t < c->in->tiers; t++) sum += has(c, t);
    return sum;
}

static int64_t least_total(tier_choice *c)
{
    int64_t least = -1;

    first_choice(c);
    do {
        if (!keeps_orders(c, 0, SKED_MAX_TIERS)) continue;
        if (least < 0 || total_of(c) < least) least = total_of(c);
    } while (next_choice(c, 0));
    return least;
}

/* Choices come in falling order, so the first within the total is greatest. */
static void take_greatest(tier_choice *c, int64_t total, sked_tiers_result *r)
{
    first_choice(c);
    while (!keeps_orders(c, 0, SKED_MAX_TIERS) || total_of(c) > total) {
        (void)next_choice(c, 0);
    }
    for (uint32_t t = 0; t < c->in->tiers; t++) {
        r->threshold_ppm[t] = c->list[t][c->at[t]];
        r->allocation[t] = has(c, t);
        r->allocated += has(c, t);
    }
}

void ref_tiers_search(const sked_tiers_input *in, sked_tiers_result *r)
{
    tier_choice c = {.in = in};
    uint32_t t = (uint32_t)in->tiers;

    list_thresholds(&c);
    r->outcome = SKED_TIERS_OK;
    r->tier = 0;
    r->allocated = 0;
    r->smallest = least_total(&c);
    if (r->smallest >= 0) {
        int64_t total = in->total;
        if (r->smallest > total) {
            r->outcome = SKED_TIERS_TOTAL;
            total = r->smallest;
        }
        take_greatest(&c, total, r);
        return;
    }
    while (any_choice(&c, t - 1, SKED_MAX_TIERS)) t--;
    r->tier = t;
    r->outcome = any_choice(&c, t - 1, t - 1) ? SKED_TIERS_RATIOS
                                              : SKED_TIERS_THRESHOLDS;
}
