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

PyMethodDef admit_methods[] = {
    METHOD(admit),
    METHOD(admit_users),
    {NULL, NULL, 0, NULL},
};
