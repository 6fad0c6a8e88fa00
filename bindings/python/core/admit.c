/* Who is let into a pool, and what its users may have: <sched/admit.h>. */
#include "core.h"

#include <stddef.h>

#define A(type, name, dims) FIELD(type, sked_admit_input, name, dims)

/* Dimensions: k kinds, n gangs; h is always the number of sums. */
static const field_of admit_fields[] = {
    A('u', flags, ""),        A('u', kinds, "k"),       A('Q', n, "n"),
    A('u', most, ""),         A('L', entitlement, "k"), A('L', slack, "k"),
    A('L', reservation, "k"), A('L', controllers, "k"), A('L', held, "hk"),
    A('L', need, "nk"),       A('U', tasks, "n"),       A('I', priority, "n"),
    A('B', kind, "n"),        A('B', line, "n"),        A('B', state, "n"),
};

CALL(admit)
{
    host *h;
    PyObject *dict;
    size_t dim[128] = {0};
    STRUCT_WITH(sked_admit_input, in, 0);
    STRUCT_WITH(sked_admit_result, out, 0);
    READ("Ox", &dict, &h);
    dim['h'] = SKED_ADMIT_HELD_SUMS;
    if (!args_struct(&a, dict, admit_fields, COUNT(admit_fields), &in, dim)) {
        return NULL;
    }
    size_t n = in.n, sums = SKED_ADMIT_HELD_SUMS * (size_t)in.kinds;
    column *outcome = args_column(&a, "B", 1, n, -1);
    column *line = outcome ? args_column(&a, "B", 1, n, -1) : NULL;
    column *order = line ? args_column(&a, "I", 4, n, -1) : NULL;
    column *held = order ? args_column(&a, "q", 8, sums, -1) : NULL;
    if (!held) return NULL;
    out.outcome = (uint8_t *)outcome->at;
    out.line = (uint8_t *)line->at;
    out.order = (uint32_t *)order->at;
    out.held = (int64_t *)held->at;
    RUN(a, sked_admit(&in, &h->c, &out, &a.err));
    return args_end(&a, "OOOOII", outcome, line, order, held,
                    (unsigned)out.admitted, (unsigned)out.waiting);
}

#define U(type, name, dims) FIELD(type, sked_admit_users_input, name, dims)

/* Dimensions: k kinds, n users. */
static const field_of user_fields[] = {
    U('u', kinds, "k"),     U('Q', n, "n"),         U('q', part_ppm, ""),
    U('q', factor_ppm, ""), U('L', guarantee, "k"), U('L', limit, "k"),
    U('L', step, "k"),      U('L', used, "nk"),     U('L', wanted, "nk"),
    U('U', weight, "n"),
};

CALL(admit_users)
{
    PyObject *dict;
    size_t dim[128] = {0};
    STRUCT_WITH(sked_admit_users_input, in, 0);
    STRUCT_WITH(sked_admit_users_result, out, 0);
    READ("O", &dict);
    if (!args_struct(&a, dict, user_fields, COUNT(user_fields), &in, dim)) {
        return NULL;
    }
    size_t n = in.n, rows = n * (size_t)in.kinds;
    column *bound = args_column(&a, "q", 8, rows, -1);
    column *wanted = bound ? args_column(&a, "q", 8, rows, -1) : NULL;
    column *may = wanted ? args_column(&a, "B", 1, n, -1) : NULL;
    if (!may) return NULL;
    out.bound = (int64_t *)bound->at;
    out.wanted = (int64_t *)wanted->at;
    out.may = (uint8_t *)may->at;
    RUN(a, sked_admit_users(&in, &out, &a.err));
    return args_end(&a, "OOO", bound, wanted, may);
}

CALL(admit_apps)
{
    STRUCT_WITH(sked_admit_apps_input, in, 0);
    STRUCT_WITH(sked_admit_apps_result, out, 0);
    READ("qqqqqq", &in.total, &in.part.num, &in.part.den, &in.leaf,
         &in.part_ppm, &in.factor_ppm);
    RUN(a, sked_admit_apps(&in, &out, &a.err));
    return args_end(&a, "LL", (long long)out.leaf, (long long)out.user);
}

#define M(type, name, dims) FIELD(type, sked_admit_masters_input, name, dims)

/* Dimensions: k kinds. */
static const field_of master_fields[] = {
    M('u', kinds, "k"),     M('L', guarantee, "k"), M('L', limit, "k"),
    M('L', step, "k"),      M('q', share_ppm, ""),  M('q', part_ppm, ""),
    M('q', factor_ppm, ""), M('u', active, ""),     M('u', weight, ""),
};

CALL(admit_masters)
{
    PyObject *dict;
    size_t dim[128] = {0};
    STRUCT_WITH(sked_admit_masters_input, in, 0);
    STRUCT_WITH(sked_admit_masters_result, out, 0);
    READ("O", &dict);
    if (!args_struct(&a, dict, master_fields, COUNT(master_fields), &in, dim)) {
        return NULL;
    }
    column *leaf = args_column(&a, "q", 8, in.kinds, -1);
    column *user = leaf ? args_column(&a, "q", 8, in.kinds, -1) : NULL;
    if (!user) return NULL;
    out.leaf = (int64_t *)leaf->at;
    out.user = (int64_t *)user->at;
    RUN(a, sked_admit_masters(&in, &out, &a.err));
    return args_end(&a, "OO", leaf, user);
}

PyMethodDef admit_methods[] = {
    METHOD(admit),       METHOD(admit_apps),    METHOD(admit_masters),
    METHOD(admit_users), {NULL, NULL, 0, NULL},
};
