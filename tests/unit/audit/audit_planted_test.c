/*
 * Planted anomalies: histories of a few rows with one wrong thing in each, and
 * beside them the same with the wrong thing mended. Each anomaly must be found
 * by its name and once; the mended history must be clean. Rules that wait are
 * off, but for the one in question: an idle node is often a story of its own.
 */
#include "audit_planted.h"

#include <stdio.h>

enum { CASES = sizeof cases / sizeof *cases };

static sked_audit *judge(const planted *p, const char *rows, sked_time *last)
{
    static audit_text t;
    uint32_t kinds = p->kinds ? p->kinds : 1;
    sked_audit_options o = {
        .struct_size = sizeof o, .flags = p->flags, .kinds = kinds};
    int64_t *const bound[] = {&o.guarantee_ns, &o.inversion_ns, &o.share_ns,
                              &o.kill_ns,      &o.gang_ns,      &o.reserve_ns,
                              &o.lost_ns,      &o.idle_ns};
    static const int32_t rule[] = {
        SKED_AUDIT_CODE_GUARANTEE_UNSERVED, SKED_AUDIT_CODE_PRIORITY_INVERSION,
        SKED_AUDIT_CODE_SHARES_OFF,         SKED_AUDIT_CODE_KILL_IN_VAIN,
        SKED_AUDIT_CODE_GANG_PART,          SKED_AUDIT_CODE_RESERVED_LATE,
        SKED_AUDIT_CODE_WORK_LOST,          SKED_AUDIT_CODE_NODE_IDLE};
    sked_audit *a;
    size_t done;
    sked_error err = {0};

    for (size_t i = 0; i < sizeof rule / sizeof *rule; i++) {
        int mine = rule[i] == p->code ||
                   (rule[i] == SKED_AUDIT_CODE_PRIORITY_INVERSION &&
                    p->code == SKED_AUDIT_CODE_ORDER_BROKEN);
        *bound[i] = mine ? p->wait : SKED_UNLIMITED;
    }
    audit_read(&t, rows, kinds);
    assert_ok(sked_audit_new(&o, NULL, &a, NULL));
    sked_status rc = sked_audit_add(a, t.row, t.n, t.amounts, t.vectors, &done,
                                    &err);
    if (rc != SKED_OK) {
        fail_msg("%s: row %lld: %s", p->name, (long long)err.row, err.message);
    }
    *last = t.row[t.n - 1].time;
    assert_ok(sked_audit_end(a, *last, NULL));
    return a;
}

static void tell(const planted *p, const sked_audit *a, const char *what)
{
    char text[512];

    for (size_t i = 0; i < sked_audit_count(a, 0); i++) {
        assert_ok(sked_audit_format(a, i, text, sizeof text, NULL));
        print_message("  %s\n", text);
    }
    fail_msg("%s: %s", p->name, what);
}

static void each_planted_anomaly_is_found(void **state)
{
    (void)state;
    assert_true(CASES >= 80);
    for (size_t i = 0; i < CASES; i++) {
        const planted *p = &cases[i];
        sked_audit_anomaly x = {.struct_size = sizeof x};
        sked_time last;
        sked_audit *a = judge(p, p->rows, &last);

        if (sked_audit_count(a, p->code) == 0) tell(p, a, "not found");
        if (sked_audit_count(a, 0) != 1) tell(p, a, "more than one was found");
        assert_ok(sked_audit_get(a, 0, &x));
        if (p->subject && x.subject != p->subject) tell(p, a, "of another");
        assert_true(x.rows >= 1 && x.rows <= SKED_MAX_AUDIT_STORY);
        for (uint32_t r = 0; r < x.rows; r++) {
            assert_true(x.row[r] < sked_audit_rows(a));
            assert_true(r == 0 || x.row[r - 1] < x.row[r]);
        }
        assert_true(x.from <= x.at && x.at <= last);
        sked_audit_free(a);
    }
}

static void each_mended_history_is_clean(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        const planted *p = &cases[i];
        sked_time last;
        if (!p->mended) continue;
        sked_audit *a = judge(p, p->mended, &last);
        if (sked_audit_count(a, 0) != 0)
            tell(p, a, "the mended one is not clean");
        sked_audit_free(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_planted_anomaly_is_found),
        cmocka_unit_test(each_mended_history_is_clean),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
