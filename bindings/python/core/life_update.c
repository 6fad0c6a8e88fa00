/* Updates: <sched/life_update.h>. */
#include "life.h"

#include <stddef.h>

#define O(type, name) FIELD(type, sked_life_update_options, name, "")
static const field_of update_fields[] = {
    O('u', flags),   O('u', batch),  O('u', max_failures), O('u', max_attempts),
    O('u', overlap), O('u', canary), O('q', canary_ns),    O('q', within_ns),
};

/* Columns from, to and zone (or None); options; an SLA or None. */
CALL(life_update_new)
{
    host *h;
    incol from, to, zone;
    PyObject *dict, *promise;
    sked_life_update *out = NULL;
    size_t dim[128] = {0};
    STRUCT_WITH(sked_life_update_options, o, 0);
    STRUCT_WITH(sked_life_sla, sla, 0);
    READ("xKKUOO", &h, &from, &to, &zone, &dict, &promise);
    if (!args_need(&a, &to, "to", from.n, 0) ||
        !args_need(&a, &zone, "zone", from.n, 1) ||
        !args_struct(&a, dict, update_fields, COUNT(update_fields), &o, dim)) {
        return NULL;
    }
    if (promise != Py_None) {
        if (!args_struct(&a, promise, life_sla_fields, LIFE_SLA_FIELDS, &sla,
                         dim)) {
            return NULL;
        }
        o.sla = &sla;
    }
    STRUCT_WITH(sked_life_update_input, in, .from = from.at, .to = to.at,
                .zone = zone.at, .n = from.n);
    RUN(a, sked_life_update_new(&in, &o, &h->c, &out, &a.err));
    return args_handle(&a, H_LIFE_UPDATE, out);
}

CALL(life_update_step)
{
    sked_life_update *u;
    incol in;
    sked_time now;
    const sked_life_instance *i;
    size_t n = 0, cap;
    READ("HRqn", H_LIFE_UPDATE, &u, &in, &now, &cap);
    if (!instances_in(&a, &in, SIZE_MAX, &i)) return NULL;
    size_t rows = in.n / sizeof *i;
    if (cap > 2 * rows) cap = 2 * rows;
    column *out = args_column(&a, ROW_LIFE_ORDER, sizeof(sked_life_order), cap,
                              -1);
    if (!out) return NULL;
    RUN(a, sked_life_update_step(u, i, rows, now, (sked_life_order *)out->at,
                                 cap, &n, &a.err));
    return args_first(&a, out, n);
}

/* State, before, why, total, done, failed, progress, waiting, zone. */
CALL(life_update_get_stats)
{
    sked_life_update *u;
    STRUCT_WITH(sked_life_update_stats, r, 0);
    READ("h", H_LIFE_UPDATE, &u);
    SHORT(a, sked_life_update_get_stats(u, &r, &a.err));
    return args_end(&a, "IIIKKKKKI", (unsigned)r.at.state,
                    (unsigned)r.at.before, (unsigned)r.why,
                    (unsigned long long)r.total, (unsigned long long)r.done,
                    (unsigned long long)r.failed,
                    (unsigned long long)r.progress,
                    (unsigned long long)r.waiting, (unsigned)r.zone);
}

CALL(life_update_phases)
{
    sked_life_update *u;
    size_t n = 0;
    READ("h", H_LIFE_UPDATE, &u);
    (void)!sked_life_update_phases(u, NULL, 0, &n, NULL);
    column *out = args_column(&a, "B", 1, n, -1);
    if (!out) return NULL;
    SHORT(a, sked_life_update_phases(u, (uint8_t *)out->at, n, &n, &a.err));
    return args_end(&a, "O", out);
}

CALL(life_update_save)
{
    sked_life_update *u;
    size_t n = 0;
    READ("h", H_LIFE_UPDATE, &u);
    (void)!sked_life_update_save(u, NULL, 0, &n, NULL);
    column *out = args_column(&a, "B", 1, n, -1);
    if (!out) return NULL;
    RUN(a, sked_life_update_save(u, (uint8_t *)out->at, n, &n, &a.err));
    return args_end(&a, "O", out);
}

CALL(life_update_load)
{
    host *h;
    incol in;
    sked_life_update *out = NULL;
    READ("xR", &h, &in);
    RUN(a, sked_life_update_load(in.at, in.n, &h->c, &out, &a.err));
    return args_handle(&a, H_LIFE_UPDATE, out);
}

CALL(life_update_action)
{
    uint32_t state;
    uint64_t processed, total;
    READ("uQQ", &state, &processed, &total);
    a.rc = SKED_OK;
    return args_end(&a, "I",
                    (unsigned)sked_life_update_action(state, processed, total));
}

CALL(life_update_judge)
{
    incol in;
    uint64_t target;
    uint32_t attempts;
    const sked_life_instance *i;
    READ("RQu", &in, &target, &attempts);
    if (!instances_in(&a, &in, 1, &i)) return NULL;
    a.rc = SKED_OK;
    return args_end(&a, "I",
                    (unsigned)sked_life_update_judge(i, target, attempts));
}

CALL(life_overwrite)
{
    uint32_t live, state, wanted;
    int32_t equal;
    int same = 0;
    READ("uuui", &live, &state, &wanted, &equal);
    SHORT(a, sked_life_overwrite(live, state, wanted, equal, &same, &a.err));
    return args_end(&a, "i", same);
}

PyMethodDef life_update_methods[] = {
    METHOD(life_update_new),       METHOD(life_update_step),
    METHOD(life_update_get_stats), METHOD(life_update_phases),
    METHOD(life_update_save),      METHOD(life_update_load),
    METHOD(life_update_action),    METHOD(life_update_judge),
    METHOD(life_overwrite),        {NULL, NULL, 0, NULL},
};
