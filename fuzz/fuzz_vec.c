/*
 * Text of vectors, and arithmetic on them. Whatever the bytes, a text that is
 * read is written in both forms and read back as itself; sums and differences
 * undo each other; a scaled amount is the quotient it claims to be; and every
 * order turns round when its arguments do.
 */
#include <sched/sked.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"

enum { KINDS = 4, TEXT = 256 };

#define MUST(cond) ((cond) ? (void)0 : must_fail(#cond, __LINE__))

static void must_fail(const char *what, int line)
{
    fprintf(stderr, "fuzz_vec.c:%d: %s does not hold\n", line, what);
    abort();
}

static void reread(const sked_schema *schema, const int64_t *vec, int32_t form)
{
    char text[TEXT];
    int64_t back[KINDS];
    size_t n;

    MUST(sked_vec_format(schema, vec, form, text, TEXT, &n) == SKED_OK);
    MUST(n == strlen(text));
    MUST(sked_vec_parse(schema, text, n, SKED_UNSET, back, NULL) == SKED_OK);
    MUST(memcmp(back, vec, sizeof back) == 0);
}

/* The rest of the input as text, if it is one. */
static void check_text(const sked_schema *schema, const fuzz_input *in)
{
    int64_t vec[KINDS];
    sked_error err = {.code = SKED_OK};
    size_t n = (size_t)(in->end - in->at);

    sked_status rc = sked_vec_parse(schema, (const char *)in->at, n, SKED_UNSET,
                                    vec, &err);
    MUST(rc == err.code);
    if (rc != SKED_OK) {
        MUST(err.line == 1 && err.column >= 1 && err.column <= n + 1);
        return;
    }
    reread(schema, vec, SKED_FORM_SHORT);
    reread(schema, vec, SKED_FORM_LOG);
}

static void read_amounts(fuzz_input *in, int64_t *vec)
{
    for (int k = 0; k < KINDS; k++) {
        uint64_t x = fuzz_u64(in, 8);
        vec[k] = x == UINT64_MAX ? SKED_UNLIMITED
                                 : (int64_t)(x >> (2 + (x & 63) % 62));
    }
}

static void check_sums(const int64_t *a, const int64_t *b)
{
    int64_t sum[KINDS], back[KINDS];

    if (sked_vec_add(a, b, KINDS, sum, NULL) != SKED_OK) return;
    MUST(sked_vec_fits(a, sum, KINDS) && sked_vec_fits(b, sum, KINDS));
    if (sked_vec_subtract(sum, b, KINDS, back, NULL) != SKED_OK) return;
    for (int k = 0; k < KINDS; k++) {
        MUST(back[k] == a[k] || sum[k] == SKED_UNLIMITED);
    }
}

static void check_scale(const int64_t *a, sked_ratio by)
{
    int64_t down[KINDS], up[KINDS], near[KINDS];

    if (sked_vec_scale(a, by, SKED_ROUNDING_UP, KINDS, up, NULL) != SKED_OK)
        return;
    MUST(sked_vec_scale(a, by, SKED_ROUNDING_DOWN, KINDS, down, NULL) ==
         SKED_OK);
    MUST(sked_vec_scale(a, by, SKED_ROUNDING_NEAREST, KINDS, near, NULL) ==
         SKED_OK);
    for (int k = 0; k < KINDS; k++) {
        if (a[k] == SKED_UNLIMITED) continue;
        sked_ratio low = {down[k], by.num}, exact = {a[k], by.den};
        sked_ratio high = {up[k], by.num};
        MUST(up[k] - down[k] <= 1);
        MUST(near[k] == up[k] || near[k] == down[k]);
        if (by.num == 0) continue;
        MUST(sked_ratio_compare(low, exact) <= 0);
        MUST(sked_ratio_compare(exact, high) <= 0);
    }
}

static void check_orders(const int64_t *capacity, const int64_t *a,
                         const int64_t *b, uint32_t weight)
{
    sked_vec_weighted x = {a, weight, 0}, y = {b, 7, 0};
    sked_ratio share_a, share_b;

    MUST(sked_vec_compare(a, b, KINDS) == -sked_vec_compare(b, a, KINDS));
    MUST(sked_vec_compare_shares(capacity, a, b, KINDS) ==
         -sked_vec_compare_shares(capacity, b, a, KINDS));
    MUST(sked_vec_compare_dominant(capacity, &x, &y, KINDS) ==
         -sked_vec_compare_dominant(capacity, &y, &x, KINDS));
    sked_vec_dominant(capacity, a, KINDS, &share_a, NULL);
    sked_vec_dominant(capacity, b, KINDS, &share_b, NULL);
    x.weight = 7;
    MUST(sked_vec_compare_dominant(capacity, &x, &y, KINDS) ==
         sked_ratio_compare(share_a, share_b));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char kinds[] = "cpu=m memory=B gpu disk=B";
    fuzz_input in = {data, data + size};
    int64_t a[KINDS], b[KINDS], capacity[KINDS];
    sked_schema *schema;

    MUST(sked_schema_parse(kinds, sizeof kinds - 1, NULL, &schema, NULL) ==
         SKED_OK);
    check_text(schema, &in);
    read_amounts(&in, a);
    read_amounts(&in, b);
    read_amounts(&in, capacity);
    sked_ratio by = {(int64_t)(fuzz_u64(&in, 8) >> 2),
                     (int64_t)(fuzz_u64(&in, 8) >> 2)};
    reread(schema, a, SKED_FORM_SHORT);
    check_sums(a, b);
    check_scale(a, by);
    check_orders(capacity, a, b, (uint32_t)fuzz_u64(&in, 4));
    sked_schema_free(schema);
    return 0;
}
