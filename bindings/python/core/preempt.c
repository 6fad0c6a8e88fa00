/* Who gives way: <sched/rank.h>, <sched/preempt.h>. */
#include "core.h"

#include <stddef.h>
#include <string.h>

/* ---- Ranks ---- */

static const field_of rank_fields[] = {
    FIELD('u', sked_rank_input, flags, ""),
    FIELD('Q', sked_rank_input, n, "n"),
    FIELD('Q', sked_rank_input, n_keys, "k"),
    FIELD('I', sked_rank_input, keys, "k"),
    FIELD('B', sked_rank_input, state, "n"),
    FIELD('B', sked_rank_input, preemptible, "n"),
    FIELD('I', sked_rank_input, priority, "n"),
    FIELD('L', sked_rank_input, started, "n"),
    FIELD('L', sked_rank_input, checkpoint, "n"),
    FIELD('L', sked_rank_input, restart_cost, "n"),
    FIELD('U', sked_rank_input, restarts, "n"),
    FIELD('B', sked_rank_input, master, "n"),
    FIELD('L', sked_rank_input, submitted, "n"),
    FIELD('L', sked_rank_input, host, "n"),
};

CALL(rank_order)
{
    host *h;
    PyObject *dict;
    uint32_t top;
    size_t dim[128] = {0};
    STRUCT_WITH(sked_rank_input, in, 0);
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
    SHORT(a, sked_rank_preset(preset, keys, 32, &n, &a.err));
    column *out = args_column(&a, "i", 4, n, -1);
    if (!out) return NULL;
    memcpy(out->at, keys, n * sizeof *keys);
    return args_end(&a, "O", out);
}

/* ---- Plans ---- */

#define P(type, name, dims) FIELD(type, sked_preempt_input, name, dims)

/* Dimensions: k kinds, q queues, u users, j jobs, m nodes, r requests. */
static const field_of problem_fields[] = {
    P('u', flags, ""),
    P('u', kinds, "k"),
    P('Q', n_queues, "q"),
    P('Q', n_users, "u"),
    P('Q', n_jobs, "j"),
    P('Q', n_nodes, "m"),
    P('Q', n_requests, "r"),
    P('Q', n, "n"),
    P('u', reserved, ""),
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
    P('U', request_per_node, "r"),
    P('U', place_offset, "r+"),
};

/* A problem and what it points to. */
typedef struct problem_in {
    sked_preempt_input c;
    sked_rank_input rank;
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

/* Memory for every task, at most; the library says how much there is. */
CALL(preempt_select)
{
    host *h;
    PyObject *dict, *rank;
    incol place, free;
    size_t victims, placements;
    problem_in p;
    STRUCT_WITH(sked_preempt_result, out, 0);
    READ("OOULxnn", &dict, &rank, &place, &free, &h, &victims, &placements);
    if (!problem_read(&a, dict, rank, &place, &free, &p)) return NULL;
    column *victim = args_column(&a, ROW_PREEMPT_VICTIM,
                                 sizeof(sked_preempt_victim), victims, -1);
    column *placement = victim ? args_column(&a, ROW_PREEMPT_PLACEMENT,
                                             sizeof(sked_preempt_placement),
                                             placements, -1)
                               : NULL;
    column *after = placement ? args_column(&a, "q", 8, p.dim['q'],
                                            (Py_ssize_t)p.dim['k'])
                              : NULL;
    column *covered = after ? args_column(&a, "q", 8, p.dim['k'], -1) : NULL;
    if (!covered) return NULL;
    out.victims = (sked_preempt_victim *)victim->at;
    out.placements = (sked_preempt_placement *)placement->at;
    out.after = (int64_t *)after->at;
    out.covered = (int64_t *)covered->at;
    out.victims_cap = victims;
    out.placements_cap = placements;
    RUN(a, sked_preempt_select(&p.c, &h->c, &out, &a.err));
    if (a.rc == SKED_ERR_RANGE &&
        (out.n_victims > victims || out.n_placements > placements)) {
        a.rc = SKED_OK; /* said by the numbers: ask again with longer columns */
        return args_end(&a, "II", (unsigned)out.n_victims,
                        (unsigned)out.n_placements);
    }
    victim->shape[0] = (Py_ssize_t)out.n_victims;
    placement->shape[0] = (Py_ssize_t)out.n_placements;
    return args_end(&a, "OOOOIKKKLL", victim, placement, after, covered,
                    (unsigned)out.outcome, out.tasks, out.served, out.steps,
                    (long long)out.cost, (long long)out.bound);
}

CALL(preempt_verify)
{
    host *h;
    PyObject *dict, *rank;
    incol place, free, victim, placement;
    problem_in p;
    STRUCT_WITH(sked_preempt_result, plan, 0);
    READ("OOULxRR", &dict, &rank, &place, &free, &h, &victim, &placement);
    if (!problem_read(&a, dict, rank, &place, &free, &p)) return NULL;
    plan.n_victims = plan.victims_cap = victim.n / sizeof(sked_preempt_victim);
    plan.n_placements = plan.placements_cap = placement.n /
                                              sizeof(sked_preempt_placement);
    plan.victims = victim.at;
    plan.placements = placement.at;
    RUN(a, sked_preempt_verify(&p.c, &plan, &h->c, &a.err));
    return args_end(&a, "");
}

PyMethodDef preempt_methods[] = {
    METHOD(rank_order),     METHOD(rank_preset),   METHOD(preempt_select),
    METHOD(preempt_verify), {NULL, NULL, 0, NULL},
};
