/*
 * Histories out of bytes, mostly of keys that exist. The judge takes any rows:
 * it refuses some, and what it finds are rows of the history, in order. The
 * same rows one by one give the same anomalies.
 */
#include <sched/audit.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"

enum { KINDS = 2, ROWS = 400, VECTORS = 16 };

#define MUST(cond) ((cond) ? (void)0 : must_fail(#cond, __LINE__))

static void must_fail(const char *what, int line)
{
    fprintf(stderr, "fuzz_audit.c:%d: %s does not hold\n", line, what);
    abort();
}

/* A bound of time: at once, short, or none. */
static int64_t bound(fuzz_input *in)
{
    uint64_t x = fuzz_u64(in, 1);

    return x % 4 == 3 ? SKED_UNLIMITED : (int64_t)(x % 4);
}

static sked_audit *judge(fuzz_input in)
{
    sked_audit_options o = {.struct_size = sizeof o, .kinds = KINDS};
    sked_audit *a;

    o.flags = (uint32_t)fuzz_u64(&in, 1) & SKED_AUDIT_FLAG_PREEMPTS;
    o.turns = (uint32_t)fuzz_u64(&in, 1) % 3 ? 0 : 2;
    o.most = fuzz_u64(&in, 1) % 4 ? 0 : 3;
    o.guarantee_ns = bound(&in);
    o.inversion_ns = bound(&in);
    o.share_ns = bound(&in);
    o.kill_ns = bound(&in);
    o.gang_ns = bound(&in);
    o.reserve_ns = bound(&in);
    o.lost_ns = bound(&in);
    o.idle_ns = bound(&in);
    MUST(sked_audit_new(&o, NULL, &a, NULL) == SKED_OK);
    return a;
}

static sked_audit_row row_of(fuzz_input *in, sked_time *now)
{
    uint64_t how = fuzz_u64(in, 1);
    sked_audit_row row = {.amounts = -1};

    *now += (sked_time)(how % 4 == 0 ? how / 16 : 0);
    row.time = *now;
    row.type = (int32_t)(fuzz_u64(in, 1) % 17);
    row.key = fuzz_u64(in, 1) % 8;
    row.of = fuzz_u64(in, 1) % 8;
    row.on = fuzz_u64(in, 1) % 4;
    row.value = (int8_t)fuzz_u64(in, 1);
    row.count = (int64_t)(fuzz_u64(in, 1) % 8);
    row.flags = how % 8 == 1 ? (uint32_t)(how / 8 % 4) : 0;
    if (how & 128) row.amounts = (int32_t)(how / 8 % (VECTORS + 1));
    return row;
}

static void read_out(const sked_audit *a, sked_time last)
{
    sked_audit_anomaly x = {.struct_size = sizeof x};
    uint64_t sum = 0;
    char text[512];

    for (int32_t c = 1; c < SKED_MAX_AUDIT_CODES; c++) {
        sum += sked_audit_count(a, c);
    }
    MUST(sum == sked_audit_count(a, 0));
    for (size_t i = 0; sked_audit_get(a, i, &x) == SKED_OK; i++) {
        MUST(i < sum);
        MUST(x.rows >= 1 && x.rows <= SKED_MAX_AUDIT_STORY);
        MUST(x.from <= x.at && x.at <= last);
        for (uint32_t r = 0; r < x.rows; r++) {
            MUST(x.row[r] < sked_audit_rows(a));
            MUST(r == 0 || x.row[r - 1] < x.row[r]);
        }
        MUST(sked_audit_format(a, i, text, sizeof text, NULL) == SKED_OK);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, data + size};
    int64_t amounts[VECTORS * KINDS];
    sked_audit *whole = judge(in), *single = judge(in);
    sked_time now = 0;
    size_t done;

    for (int i = 0; i < 11; i++) (void)fuzz_u64(&in, 1);
    for (int i = 0; i < VECTORS * KINDS; i++) {
        uint64_t x = fuzz_u64(&in, 1);
        amounts[i] = x == 255   ? SKED_AMOUNT_MAX
                     : x == 254 ? SKED_UNLIMITED
                                : (int64_t)(x % 16);
    }
    static sked_audit_row rows[ROWS];
    size_t n = 0;
    while (n < ROWS && fuzz_more(&in)) {
        rows[n] = row_of(&in, &now);
        sked_status rc = sked_audit_add(single, &rows[n], 1, amounts, VECTORS,
                                        &done, NULL);
        MUST((rc == SKED_OK) == (done == 1));
        if (rc == SKED_OK) n++;
    }
    MUST(sked_audit_add(whole, rows, n, amounts, VECTORS, &done, NULL) ==
         SKED_OK);
    MUST(done == n && sked_audit_rows(whole) == n);
    MUST(sked_audit_end(single, now, NULL) == SKED_OK);
    MUST(sked_audit_end(whole, now, NULL) == SKED_OK);
    read_out(single, now);
    read_out(whole, now);
    sked_audit_free(single);
    sked_audit_free(whole);
    return 0;
}
