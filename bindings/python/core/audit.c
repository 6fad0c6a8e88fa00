/* The judge of histories: <sched/audit.h>. Rows come as records of ROW_AUDIT_ROW
 * and a table of amounts with `kinds` columns. */
#include "core.h"

CALL(audit_new)
{
    host *h;
    sked_audit *out = NULL;
    STRUCT_WITH(sked_audit_options, o, 0);
    incol bounds;
    READ("xuuuQL", &h, &o.kinds, &o.flags, &o.turns, &o.most, &bounds);
    if (!args_need(&a, &bounds, "bounds", 8, 0)) return NULL;
    const int64_t *b = bounds.at;
    o.guarantee_ns = b[0];
    o.inversion_ns = b[1];
    o.share_ns = b[2];
    o.kill_ns = b[3];
    o.gang_ns = b[4];
    o.reserve_ns = b[5];
    o.lost_ns = b[6];
    o.idle_ns = b[7];
    SHORT(a, sked_audit_new(&o, &h->c, &out, &a.err));
    return args_handle(&a, H_AUDIT, out);
}

CALL(audit_add)
{
    sked_audit *audit;
    incol rows, amounts;
    size_t kinds, done = 0;
    READ("HRLn", H_AUDIT, &audit, &rows, &amounts, &kinds);
    if (rows.n % sizeof(sked_audit_row) || kinds == 0 || amounts.n % kinds) {
        PyErr_SetString(PyExc_ValueError, "rows or amounts are not whole");
        return args_fail(&a);
    }
    RUN(a, sked_audit_add(audit, rows.at, rows.n / sizeof(sked_audit_row),
                          amounts.at, amounts.n / kinds, &done, &a.err));
    return args_end(&a, "n", (Py_ssize_t)done);
}

CALL(audit_get)
{
    sked_audit *audit;
    size_t i;
    STRUCT_WITH(sked_audit_anomaly, x, 0);
    READ("hn", H_AUDIT, &audit, &i);
    SHORT(a, sked_audit_get(audit, i, &x));
    uint32_t n = a.rc == SKED_OK ? x.rows : 0;
    column *rows = args_column(&a, "Q", 8, n, -1);
    if (!rows) return NULL;
    for (uint32_t r = 0; r < n; r++) ((uint64_t *)rows->at)[r] = x.row[r];
    return args_end(&a, "iLLKKKLLiO", (int)x.code, (long long)x.from,
                    (long long)x.at, (unsigned long long)x.subject,
                    (unsigned long long)x.other, (unsigned long long)x.tasks,
                    (long long)x.got, (long long)x.limit, (int)x.kind, rows);
}

CALL(audit_format)
{
    sked_audit *audit;
    size_t i, n = 0;
    char text[512];
    READ("hn", H_AUDIT, &audit, &i);
    SHORT(a, sked_audit_format(audit, i, text, sizeof text, &n));
    return args_end(&a, "s#", text, (Py_ssize_t)(n < 511 ? n : 511));
}

CALL(audit_name)
{
    int32_t code;
    READ("i", &code);
    return args_end(&a, "s", sked_audit_name(code));
}

PyMethodDef audit_methods[] = {
    METHOD(audit_new),    METHOD(audit_add),  METHOD(audit_get),
    METHOD(audit_format), METHOD(audit_name), {NULL, NULL, 0, NULL},
};
