/* Free amounts over time: <sched/timeline.h>. */
#include "core.h"

CALL(timeline_new)
{
    host *h;
    incol total;
    sked_timeline *timeline = NULL;
    READ("Lx", &total, &h);
    RUN(a, sked_timeline_new(total.at, (uint32_t)total.n, &h->c, &timeline,
                             &a.err));
    return args_handle(&a, H_TIMELINE, timeline);
}

CALL(timeline_copy)
{
    sked_timeline *timeline, *copy = NULL;
    host *h;
    READ("hx", H_TIMELINE, &timeline, &h);
    RUN(a, sked_timeline_copy(timeline, &h->c, &copy, &a.err));
    return args_handle(&a, H_TIMELINE, copy);
}

CALL(timeline_set_total)
{
    sked_timeline *timeline;
    incol total;
    READ("HL", H_TIMELINE, &timeline, &total);
    if (!args_need(&a, &total, "total", sked_timeline_kinds(timeline), 0)) {
        return NULL;
    }
    SHORT(a, sked_timeline_set_total(timeline, total.at, &a.err));
    return args_end(&a, "");
}

CALL(timeline_add)
{
    sked_timeline *timeline;
    sked_time from, until;
    incol amounts;
    uint64_t span = 0;
    READ("HqqL", H_TIMELINE, &timeline, &from, &until, &amounts);
    if (!args_need(&a, &amounts, "amounts", sked_timeline_kinds(timeline), 0)) {
        return NULL;
    }
    SHORT(a, sked_timeline_add(timeline, from, until, amounts.at, &span,
                               &a.err));
    return args_end(&a, "K", (unsigned long long)span);
}

CALL(timeline_earliest)
{
    sked_timeline *timeline;
    sked_time now, start = SKED_UNLIMITED;
    int64_t duration;
    incol amounts;
    READ("HqqL", H_TIMELINE, &timeline, &now, &duration, &amounts);
    if (!args_need(&a, &amounts, "amounts", sked_timeline_kinds(timeline), 0)) {
        return NULL;
    }
    RUN(a, sked_timeline_earliest(timeline, now, duration, amounts.at, &start,
                                  &a.err));
    return args_end(&a, "L", (long long)start);
}

CALL(timeline_least)
{
    sked_timeline *timeline;
    sked_time from, until;
    READ("hqq", H_TIMELINE, &timeline, &from, &until);
    column *out = args_column(&a, "q", 8, sked_timeline_kinds(timeline), -1);
    if (!out) return NULL;
    SHORT(a, sked_timeline_least(timeline, from, until, (int64_t *)out->at,
                                 &a.err));
    return args_end(&a, "O", out);
}

CALL(timeline_steps)
{
    sked_timeline *timeline;
    sked_time from, until;
    size_t n = 0; /* there is at least one step, or the range is at fault */
    READ("hqq", H_TIMELINE, &timeline, &from, &until);
    SHORT(a, sked_timeline_steps(timeline, from, until, NULL, NULL, 0, &n,
                                 &a.err));
    if (n == 0) return args_end(&a, "");
    if (!COLUMNS(a, {"q", 8, n, -1},
                 {"q", 8, n, (Py_ssize_t)sked_timeline_kinds(timeline)})) {
        return NULL;
    }
    RUN(a, sked_timeline_steps(timeline, from, until, MADE(a, sked_time, 0),
                               MADE(a, int64_t, 1), n, &n, &a.err));
    return args_end(&a, "OO", a.out[0], a.out[1]);
}

CALL(timeline_span)
{
    sked_timeline *timeline;
    uint64_t span;
    sked_time from = 0, until = 0;
    READ("hQ", H_TIMELINE, &timeline, &span);
    column *out = args_column(&a, "q", 8, sked_timeline_kinds(timeline), -1);
    if (!out) return NULL;
    SHORT(a, sked_timeline_span(timeline, span, &from, &until,
                                (int64_t *)out->at));
    return args_end(&a, "LLO", (long long)from, (long long)until, out);
}

static const field_of timeline_fields[] = {
    FIELD('u', sked_timeline_input, kinds, "k"),
    FIELD('u', sked_timeline_input, depth, ""),
    FIELD('Q', sked_timeline_input, n_spans, "s"),
    FIELD('Q', sked_timeline_input, n, "n"),
    FIELD('L', sked_timeline_input, total, "k"),
    FIELD('L', sked_timeline_input, from, "s"),
    FIELD('L', sked_timeline_input, until, "s"),
    FIELD('L', sked_timeline_input, held, "sk"),
    FIELD('L', sked_timeline_input, ready, "n"),
    FIELD('L', sked_timeline_input, durations, "n"),
    FIELD('L', sked_timeline_input, amounts, "nk"),
};

CALL(timeline_once)
{
    READ_STRUCT(timeline_fields, sked_timeline_input, in);
    column *starts = args_column(&a, "q", 8, (size_t)in.n, -1);
    if (!starts) return NULL;
    RUN(a, sked_timeline_once(&in, &h->c, (sked_time *)starts->at, &a.err));
    return args_end(&a, "O", starts);
}

PyMethodDef timeline_methods[] = {
    METHOD(timeline_new),   METHOD(timeline_copy),
    METHOD(timeline_add),   METHOD(timeline_set_total),
    METHOD(timeline_least), METHOD(timeline_earliest),
    METHOD(timeline_steps), METHOD(timeline_span),
    METHOD(timeline_once),  {NULL, NULL, 0, NULL},
};
