/* Notify, wait, kill: <sched/round.h>. */
#include "core.h"

#include <stddef.h>
#include <string.h>

CALL(round_new)
{
    host *h;
    sked_round *round = NULL;
    STRUCT_WITH(sked_round_options, o, 0);
    READ("xuuq", &h, &o.flags, &o.kinds, &o.grace_ns);
    SHORT(a, sked_round_new(&o, &h->c, &round, &a.err));
    return args_handle(&a, H_ROUND, round);
}

CALL(round_copy)
{
    sked_round *round, *copy = NULL;
    host *h;
    READ("hx", H_ROUND, &round, &h);
    RUN(a, sked_round_copy(round, &h->c, &copy, &a.err));
    return args_handle(&a, H_ROUND, copy);
}

static const field_of wanted_fields[] = {
    FIELD('u', sked_round_input, flags, ""),
    FIELD('Q', sked_round_input, n, "n"),
    FIELD('K', sked_round_input, key, "n"),
    FIELD('U', sked_round_input, count, "n"),
    FIELD('K', sked_round_input, job, "n"),
    FIELD('L', sked_round_input, amount, "nk"),
    FIELD('L', sked_round_input, unsaved_since, "n"),
    FIELD('B', sked_round_input, strict, "n"),
    FIELD('U', sked_round_input, held, "n"),
};

CALL(round_update)
{
    sked_round *round;
    PyObject *dict;
    int64_t now;
    size_t dim[128] = {0};
    STRUCT_WITH(sked_round_input, in, 0);
    READ("HnOq", H_ROUND, &round, &dim['k'], &dict, &now);
    if (!args_struct(&a, dict, wanted_fields, COUNT(wanted_fields), &in, dim)) {
        return NULL;
    }
    RUN(a, sked_round_update(round, &in, now, &a.err));
    return args_end(&a, "");
}

CALL(round_end)
{
    sked_round *round;
    incol keys, counts;
    READ("HKU", H_ROUND, &round, &keys, &counts);
    if (!args_need(&a, &counts, "counts", keys.n, 1)) return NULL;
    RUN(a, sked_round_end(round, keys.at, counts.at, keys.n, &a.err));
    return args_end(&a, "");
}

CALL(round_claim)
{
    sked_round *round;
    incol keys, counts;
    int64_t now;
    READ("HKUq", H_ROUND, &round, &keys, &counts, &now);
    if (!args_need(&a, &counts, "counts", keys.n, 1)) return NULL;
    RUN(a, sked_round_claim(round, keys.at, counts.at, keys.n, now, &a.err));
    return args_end(&a, "");
}

CALL(round_take)
{
    sked_round *round;
    size_t cap, n = 0;
    READ("Hn", H_ROUND, &round, &cap);
    column *out = args_column(&a, ROW_ROUND_ACTION, sizeof(sked_round_action),
                              cap, -1);
    if (!out) return NULL;
    SHORT(a, sked_round_take(round, (sked_round_action *)out->at, cap, &n,
                             &a.err));
    out->shape[0] = (Py_ssize_t)n;
    return args_end(&a, "O", out);
}

CALL(round_marks)
{
    sked_round *round;
    size_t n = 0;
    READ("h", H_ROUND, &round);
    SHORT(a, sked_round_marks(round, NULL, 0, &n));
    column *out = args_column(&a, ROW_ROUND_MARK, sizeof(sked_round_mark), n,
                              -1);
    if (!out) return NULL;
    SHORT(a, sked_round_marks(round, (sked_round_mark *)out->at, n, &n));
    return args_end(&a, "O", out);
}

CALL(round_contract)
{
    sked_round *round;
    uint64_t job;
    int32_t contract;
    size_t n = 0, kinds;
    READ("hQin", H_ROUND, &round, &job, &contract, &kinds);
    SHORT(a, sked_round_contract(round, job, contract, NULL, NULL, 0, &n));
    column *amounts = args_column(&a, "q", 8, SKED_MAX_KINDS, -1);
    column *marks = amounts ? args_column(&a, ROW_ROUND_MARK,
                                          sizeof(sked_round_mark), n, -1)
                            : NULL;
    if (!marks) return NULL;
    SHORT(a, sked_round_contract(round, job, contract, (int64_t *)amounts->at,
                                 (sked_round_mark *)marks->at, n, &n));
    amounts->shape[0] = (Py_ssize_t)(kinds < SKED_MAX_KINDS ? kinds
                                                            : SKED_MAX_KINDS);
    return args_end(&a, "OO", amounts, marks);
}

CALL(round_get_stats)
{
    sked_round *round;
    STRUCT_WITH(sked_round_stats, c, 0);
    READ("h", H_ROUND, &round);
    SHORT(a, sked_round_get_stats(round, &c));
    return args_end(&a, "{sKsKsKsKsK}", "rounds", c.rounds, "notified",
                    c.notified, "killed", c.killed, "withdrawn", c.withdrawn,
                    "released", c.released);
}

CALL(round_lost_work)
{
    sked_round *round;
    uint32_t kind;
    sked_wide lost = {0, 0};
    READ("hu", H_ROUND, &round, &kind);
    SHORT(a, sked_round_lost_work(round, kind, &lost));
    return args_end(&a, "KK", lost.high, lost.low);
}

PyMethodDef round_methods[] = {
    METHOD(round_new),      METHOD(round_copy),      METHOD(round_update),
    METHOD(round_end),      METHOD(round_take),      METHOD(round_marks),
    METHOD(round_contract), METHOD(round_get_stats), METHOD(round_lost_work),
    METHOD(round_claim),    {NULL, NULL, 0, NULL},
};
