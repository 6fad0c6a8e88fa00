/* Vectors: text both ways, arithmetic, shares, decay. */
#include "hash.h"

#include <sched/sked.h>

enum { KINDS = 3, TEXT = 200 };

/* Amounts of every length, now and then none or all. */
static int64_t amount(uint64_t *state)
{
    uint64_t bits = hash_below(state, 66);
    uint64_t x = hash_random(state);

    if (bits == 65) return SKED_UNLIMITED;
    return bits < 3 ? 0 : (int64_t)(x >> (66 - bits));
}

static void draw(uint64_t *state, int64_t *vec)
{
    for (int k = 0; k < KINDS; k++) vec[k] = amount(state);
}

static uint64_t add_text(uint64_t h, const sked_schema *kinds,
                         const int64_t *vec)
{
    for (int32_t form = SKED_FORM_SHORT; form <= SKED_FORM_LOG; form++) {
        char text[TEXT];
        int64_t back[KINDS];
        size_t n;
        HASH_MUST(sked_vec_format(kinds, vec, form, text, TEXT, &n) == SKED_OK);
        HASH_MUST(sked_vec_parse(kinds, text, n, 0, back, NULL) == SKED_OK);
        HASH_MUST(sked_vec_compare(vec, back, KINDS) == 0);
        h = hash_add_text(h, text);
    }
    return h;
}

/* What a call that may refuse made of `out`. */
static uint64_t add_outcome(uint64_t h, sked_status rc, const int64_t *out)
{
    return hash_add_column(hash_add(h, (uint64_t)(int64_t)rc), out, KINDS);
}

static uint64_t add_arithmetic(uint64_t h, const int64_t *a, const int64_t *b,
                               sked_ratio by)
{
    int64_t out[KINDS] = {0};

    h = add_outcome(h, sked_vec_add(a, b, KINDS, out, NULL), out);
    h = add_outcome(h, sked_vec_subtract(a, b, KINDS, out, NULL), out);
    for (int32_t r = SKED_ROUNDING_REFUSE; r <= SKED_ROUNDING_NEAREST; r++) {
        h = add_outcome(h, sked_vec_scale(a, by, r, KINDS, out, NULL), out);
        h = add_outcome(h, sked_vec_round(a, b, r, KINDS, out, NULL), out);
    }
    h = add_outcome(h, sked_vec_decay(out, KINDS, by.num, by.den, NULL), out);
    return hash_add(h, (uint64_t)sked_vec_count(b, a, KINDS));
}

static uint64_t add_shares(uint64_t h, const int64_t *capacity,
                           const int64_t *a, const int64_t *b, uint32_t weight)
{
    sked_vec_weighted x = {a, weight, 0}, y = {b, 1000, 0};
    sked_ratio share;
    int32_t kind;

    sked_vec_dominant(capacity, a, KINDS, &share, &kind);
    h = hash_add(hash_add(h, (uint64_t)share.num), (uint64_t)share.den);
    h = hash_add(h, (uint64_t)(kind + 1));
    int order = sked_vec_compare_dominant(capacity, &x, &y, KINDS);
    h = hash_add(h, (uint64_t)(order + 1));
    order = sked_vec_compare_shares(capacity, a, b, KINDS);
    return hash_add(h, (uint64_t)(order + 1));
}

uint64_t hash_res(unsigned size);

uint64_t hash_res(unsigned size)
{
    static const char text[] = "cpu=m memory=B gpu";
    uint64_t state = 5, h = 0;
    sked_schema *kinds;

    HASH_MUST(sked_schema_parse(text, sizeof text - 1, NULL, &kinds, NULL) ==
              SKED_OK);
    for (unsigned i = 0; i < size * 5000; i++) {
        int64_t a[KINDS], b[KINDS], capacity[KINDS];
        draw(&state, a);
        draw(&state, b);
        draw(&state, capacity);
        int64_t num = (int64_t)(hash_random(&state) >> 24);
        int64_t den = (int64_t)(hash_random(&state) >> 24) + 1;
        uint32_t weight = (uint32_t)hash_below(&state, 3000);
        h = add_text(h, kinds, a);
        h = add_arithmetic(h, a, b, (sked_ratio){num, den});
        h = add_shares(h, capacity, a, b, weight);
    }
    sked_schema_free(kinds);
    return h;
}
