/* Who gives way: <sched/rank.h>, <sched/preempt.h>, <sched/round.h>. */
#include "core.h"

#include <stddef.h>
#include <string.h>

#define VICTIM "T{I:row:I:count:I:request:I:reason:q:cost:}"
#define SEAT "T{I:request:I:node:I:count:I:claim:}"
#define ACTION "T{Q:key:Q:job:q:deadline:I:count:H:what:H:flags:}"
#define MARK "T{Q:key:Q:job:q:deadline:I:count:I:flags:}"

/* ---- Ranks ---- */

static const field_of rank_fields[] = {
    FIELD('u', sked_rank_columns, flags, ""),
    FIELD('u', sked_rank_columns, n, "n"),
    FIELD('u', sked_rank_columns, n_keys, "k"),
    FIELD('I', sked_rank_columns, keys, "k"),
    FIELD('B', sked_rank_columns, state, "n"),
    FIELD('B', sked_rank_columns, preemptible, "n"),
    FIELD('I', sked_rank_columns, priority, "n"),
    FIELD('L', sked_rank_columns, started, "n"),
    FIELD('L', sked_rank_columns, checkpoint, "n"),
    FIELD('L', sked_rank_columns, restart_cost, "n"),
    FIELD('U', sked_rank_columns, restarts, "n"),
    FIELD('B', sked_rank_columns, master, "n"),
    FIELD('L', sked_rank_columns, submitted, "n"),
    FIELD('L', sked_rank_columns, host, "n"),
};

CALL(rank_order)
{
    host *h;
    PyObject *dict;
    uint32_t top;
    size_t dim[128] = {0};
    STRUCT_WITH(sked_rank_columns, in, 0);
    READ("Oux", &dict, &top, &h);
    if (!args_struct(&a, dict, rank_fields, COUNT(rank_fields), &in, dim)) {
        return NULL;
    }
    if (top == 0 || top > in.n) top = in.n;
    column *out = args_column(&a, "I", 4, top, -1);
    if (!out) return NULL;
    RUN(a, sked_rank_order(&in, top, &h->c, (uint32_t *)out->at, &a.err));
    return args_end(&a, "O", out);
}

CALL(rank_preset)
{
    int32_t preset, keys[32];
    size_t n = 0;
    READ("i", &preset);
    SHORT(a, sked_rank_preset(preset, keys, 32, &n));
    column *out = args_column(&a, "i", 4, n, -1);
    if (!out) return NULL;
    memcpy(out->at, keys, n * sizeof *keys);
    return args_end(&a, "O", out);
}

/* ---- Plans ---- */

#define P(type, name, dims) FIELD(type, sked_preempt_problem, name, dims)

/* Dimensions: k kinds, q queues, u users, j jobs, m nodes, r requests. */
static const field_of problem_fields[] = {
    P('u', flags, ""),
    P('u', kinds, "k"),
    P('u', n_queues, "q"),
    P('u', n_users, "u"),
    P('u', n_jobs, "j"),
    P('u', n_nodes, "m"),
    P('u', n_requests, "r"),
    P('u', n, "n"),
    P('u', asked, ""),
    P('Q', work, ""),
    P('L', usage, "qk"),
    P('L', share, "qk"),
    P('L', keep, "qk"),
    P('L', take, "qk"),
    P('L', queue_budget, "qk"),
    P('L', need, "k"),
    P('L', budget, "k"),
    P('L', partition_budget, "k"),
    P('L', user_usage, "uk"),
    P('L', user_share, "uk"),
    P('L', user_keep, "uk"),
    P('L', user_budget, "uk"),
    P('L', job_budget, "j"),
    P('U', queue, "n"),
    P('L', amount, "nk"),
    P('U', count, "n"),
    P('L', cost, "n"),
    P('U', node, "n"),
    P('U', job, "n"),
    P('U', user, "n"),
    P('I', priority, "n"),
    P('U', gang, "n"),
    P('B', state, "n"),
    P('U', request_queue, "r"),
    P('L', request_amount, "rk"),
    P('U', request_count, "r"),
    P('U', request_user, "r"),
    P('I', request_priority, "r"),
    P('U', place_offset, "r+"),
};

/* A problem and what it points to. */
typedef struct problem_in {
    sked_preempt_problem c;
    sked_rank_columns rank;
    size_t dim[128];
} problem_in;

/* Offsets that rise, to no more than there are places. */
static int places_in(args *a, problem_in *p, const incol *place)
{
    const uint32_t *at = p->c.place_offset;
    size_t n = at ? at[p->c.n_requests] : 0;

    for (uint32_t i = 0; at && i < p->c.n_requests; i++) {
        if (at[i] > at[i + 1]) n = SIZE_MAX;
    }
    p->c.place = place->at;
    return args_need(a, place, "place", n, !at);
}

static int problem_read(args *a, PyObject *dict, PyObject *rank,
                        const incol *place, const incol *free, problem_in *p)
{
    memset(p, 0, sizeof *p);
    p->c.struct_size = sizeof p->c;
    p->rank.struct_size = sizeof p->rank;
    if (!args_struct(a, dict, problem_fields, COUNT(problem_fields), &p->c,
                     p->dim)) {
        return 0;
    }
    if (rank != Py_None) {
        size_t dim[128] = {0};
        if (!args_struct(a, rank, rank_fields, COUNT(rank_fields), &p->rank,
                         dim)) {
            return 0;
        }
        p->c.rank = &p->rank;
    }
    size_t nodes = p->dim['m'] ? p->dim['m'] : 1;
    p->c.free = free->at;
    return args_need(a, free, "free", nodes * p->dim['k'], 1) &&
           places_in(a, p, place);
}

/* Room for every task, at most; the library says how much there is. */
CALL(preempt_select)
{
    host *h;
    PyObject *dict, *rank;
    incol place, free;
    size_t victims, seats;
    problem_in p;
    STRUCT_WITH(sked_preempt_plan, out, 0);
    READ("OOULxnn", &dict, &rank, &place, &free, &h, &victims, &seats);
    if (!problem_read(&a, dict, rank, &place, &free, &p)) return NULL;
    column *victim = args_column(&a, VICTIM, sizeof(sked_preempt_victim),
                                 victims, -1);
    column *seat = victim ? args_column(&a, SEAT, sizeof(sked_preempt_seat),
                                        seats, -1)
                          : NULL;
    column *after = seat ? args_column(&a, "q", 8, p.dim['q'],
                                       (Py_ssize_t)p.dim['k'])
                         : NULL;
    column *covered = after ? args_column(&a, "q", 8, p.dim['k'], -1) : NULL;
    if (!covered) return NULL;
    out.victims = (sked_preempt_victim *)victim->at;
    out.seats = (sked_preempt_seat *)seat->at;
    out.after = (int64_t *)after->at;
    out.covered = (int64_t *)covered->at;
    out.victims_cap = (uint32_t)victims;
    out.seats_cap = (uint32_t)seats;
    RUN(a, sked_preempt_select(&p.c, &h->c, &out, &a.err));
    if (a.rc == SKED_ERR_RANGE &&
        (out.n_victims > victims || out.n_seats > seats)) {
        a.rc = SKED_OK; /* said by the numbers: ask again with more room */
        return args_end(&a, "II", (unsigned)out.n_victims,
                        (unsigned)out.n_seats);
    }
    victim->shape[0] = (Py_ssize_t)out.n_victims;
    seat->shape[0] = (Py_ssize_t)out.n_seats;
    return args_end(&a, "OOOOIKKKLL", victim, seat, after, covered,
                    (unsigned)out.outcome, out.tasks, out.served, out.steps,
                    (long long)out.cost, (long long)out.bound);
}

CALL(preempt_verify)
{
    host *h;
    PyObject *dict, *rank;
    incol place, free, victim, seat;
    problem_in p;
    STRUCT_WITH(sked_preempt_plan, plan, 0);
    READ("OOULxRR", &dict, &rank, &place, &free, &h, &victim, &seat);
    if (!problem_read(&a, dict, rank, &place, &free, &p)) return NULL;
    plan.n_victims = plan.victims_cap = (uint32_t)(victim.n /
                                                   sizeof(sked_preempt_victim));
    plan.n_seats = plan.seats_cap = (uint32_t)(seat.n /
                                               sizeof(sked_preempt_seat));
    plan.victims = victim.at;
    plan.seats = seat.at;
    RUN(a, sked_preempt_verify(&p.c, &h->c, &plan, &a.err));
    return args_end(&a, "");
}

/* ---- Rounds ---- */

CALL(round_new)
{
    host *h;
    sked_round *round = NULL;
    STRUCT_WITH(sked_round_options, o, 0);
    READ("xuuq", &h, &o.flags, &o.kinds, &o.grace);
    SHORT(a, sked_round_new(&h->c, &o, &round, &a.err));
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

CALL(round_reserve)
{
    sked_round *round;
    size_t marks;
    READ("Hn", H_ROUND, &round, &marks);
    RUN(a, sked_round_reserve(round, marks, &a.err));
    return args_end(&a, "");
}

static const field_of wanted_fields[] = {
    FIELD('u', sked_round_wanted, flags, ""),
    FIELD('u', sked_round_wanted, n, "n"),
    FIELD('K', sked_round_wanted, key, "n"),
    FIELD('U', sked_round_wanted, count, "n"),
    FIELD('K', sked_round_wanted, job, "n"),
    FIELD('L', sked_round_wanted, amount, "nk"),
    FIELD('L', sked_round_wanted, unsaved_since, "n"),
    FIELD('B', sked_round_wanted, strict, "n"),
};

CALL(round_update_at)
{
    sked_round *round;
    PyObject *dict;
    int64_t now;
    size_t dim[128] = {0};
    STRUCT_WITH(sked_round_wanted, in, 0);
    READ("HnOq", H_ROUND, &round, &dim['k'], &dict, &now);
    if (!args_struct(&a, dict, wanted_fields, COUNT(wanted_fields), &in, dim)) {
        return NULL;
    }
    RUN(a, sked_round_update_at(round, &in, now, &a.err));
    return args_end(&a, "");
}

CALL(round_update)
{
    sked_round *round;
    PyObject *dict;
    size_t dim[128] = {0};
    STRUCT_WITH(sked_round_wanted, in, 0);
    READ("HnO", H_ROUND, &round, &dim['k'], &dict);
    if (!args_struct(&a, dict, wanted_fields, COUNT(wanted_fields), &in, dim)) {
        return NULL;
    }
    RUN(a, sked_round_update(round, &in, &a.err));
    return args_end(&a, "");
}

CALL(round_ended)
{
    sked_round *round;
    incol keys, counts;
    READ("HKU", H_ROUND, &round, &keys, &counts);
    if (!args_need(&a, &counts, "counts", keys.n, 1)) return NULL;
    RUN(a, sked_round_ended(round, keys.at, counts.at, keys.n));
    return args_end(&a, "");
}

CALL(round_take)
{
    sked_round *round;
    size_t cap, n = 0;
    READ("Hn", H_ROUND, &round, &cap);
    column *out = args_column(&a, ACTION, sizeof(sked_round_action), cap, -1);
    if (!out) return NULL;
    SHORT(a, sked_round_take(round, (sked_round_action *)out->at, cap, &n));
    out->shape[0] = (Py_ssize_t)n;
    return args_end(&a, "O", out);
}

CALL(round_marks)
{
    sked_round *round;
    size_t n = 0;
    READ("h", H_ROUND, &round);
    SHORT(a, sked_round_marks(round, NULL, 0, &n));
    column *out = args_column(&a, MARK, sizeof(sked_round_mark), n, -1);
    if (!out) return NULL;
    SHORT(a, sked_round_marks(round, (sked_round_mark *)out->at, n, &n));
    return args_end(&a, "O", out);
}

CALL(round_marked)
{
    sked_round *round;
    uint64_t key;
    READ("hQ", H_ROUND, &round, &key);
    return args_end(&a, "I", (unsigned)sked_round_marked(round, key));
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
    column *marks = amounts
                        ? args_column(&a, MARK, sizeof(sked_round_mark), n, -1)
                        : NULL;
    if (!marks) return NULL;
    SHORT(a, sked_round_contract(round, job, contract, (int64_t *)amounts->at,
                                 (sked_round_mark *)marks->at, n, &n));
    amounts->shape[0] = (Py_ssize_t)(kinds < SKED_MAX_KINDS ? kinds
                                                            : SKED_MAX_KINDS);
    return args_end(&a, "OO", amounts, marks);
}

CALL(round_next)
{
    sked_round *round;
    READ("h", H_ROUND, &round);
    return args_end(&a, "L", (long long)sked_round_next(round));
}

CALL(round_counted)
{
    sked_round *round;
    STRUCT_WITH(sked_round_counts, c, 0);
    READ("h", H_ROUND, &round);
    SHORT(a, sked_round_counted(round, &c));
    return args_end(&a, "{sKsKsKsKsK}", "rounds", c.rounds, "notified",
                    c.notified, "killed", c.killed, "withdrawn", c.withdrawn,
                    "released", c.released);
}

CALL(round_lost)
{
    sked_round *round;
    int32_t kind;
    uint64_t high = 0, low = 0;
    READ("hi", H_ROUND, &round, &kind);
    SHORT(a, sked_round_lost(round, kind, &high, &low));
    return args_end(&a, "KK", high, low);
}

CALL(round_digest)
{
    sked_round *round;
    READ("h", H_ROUND, &round);
    return args_end(&a, "K", (unsigned long long)sked_round_digest(round));
}

CALL(round_check)
{
    sked_round *round;
    READ("h", H_ROUND, &round);
    RUN(a, sked_round_check(round, &a.err));
    return args_end(&a, "");
}

PyMethodDef preempt_methods[] = {
    METHOD(rank_order),     METHOD(rank_preset),     METHOD(preempt_select),
    METHOD(preempt_verify), METHOD(round_new),       METHOD(round_copy),
    METHOD(round_reserve),  METHOD(round_update_at), METHOD(round_update),
    METHOD(round_ended),    METHOD(round_take),      METHOD(round_marks),
    METHOD(round_marked),   METHOD(round_contract),  METHOD(round_next),
    METHOD(round_counted),  METHOD(round_lost),      METHOD(round_digest),
    METHOD(round_check),    {NULL, NULL, 0, NULL},
};
