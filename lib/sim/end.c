/*
 * The queue of running tasks by end time, then by start order. All tasks of a
 * job have the same run time, so the tasks end in the order of their starts.
 * Each job has two lines of tasks: tasks with local data, and tasks that
 * transferred data first. A heap holds the first task of each line, so the heap
 * is small if jobs have many tasks.
 */
#include "sim/run.h"

enum { END_WAYS = 4 };

/* A line is a circular list: the last links to the first. */
int skedi_ends_begin(sked_sim *sim)
{
    size_t lines = (size_t)sim->n_jobs * 2;

    sim->last_end = skedi_new(&sim->hooks.mem, lines, sizeof *sim->last_end);
    if (!sim->last_end) return 0;
    for (size_t i = 0; i < lines; i++) sim->last_end[i] = SIM_NONE;
    sim->free_end = SIM_NONE;
    return 1;
}

void skedi_ends_free(sked_sim *sim)
{
    skedi_mem *mem = &sim->hooks.mem;

    skedi_free(mem, sim->last_end, (size_t)sim->n_jobs * 2,
               sizeof *sim->last_end);
    skedi_free(mem, sim->ends, sim->ends_cap, sizeof *sim->ends);
    skedi_free(mem, sim->firsts, sim->firsts_cap, sizeof *sim->firsts);
}

int skedi_ends_reserve(sked_sim *sim)
{
    void *ends = sim->ends, *firsts = sim->firsts;

    if (!skedi_ensure(&sim->hooks.mem, &ends, &sim->ends_cap,
                      (size_t)sim->ends_used + 2, sizeof *sim->ends)) {
        return 0;
    }
    sim->ends = ends;
    if (!skedi_ensure(&sim->hooks.mem, &firsts, &sim->firsts_cap,
                      sim->n_firsts + 2, sizeof *sim->firsts)) {
        return 0;
    }
    sim->firsts = firsts;
    return 1;
}

/* ---- The heap of lines ---- */

static int first_before(const sim_first *a, const sim_first *b)
{
    return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static sim_first first_of(const sked_sim *sim, uint32_t end)
{
    const sim_end *e = &sim->ends[end];

    return (sim_first){.at = e->at, .order = e->order, .line = e->line};
}

static void raise_first(sked_sim *sim, sim_first first)
{
    size_t at = sim->n_firsts++;

    while (at > 0 && first_before(&first, &sim->firsts[(at - 1) / END_WAYS])) {
        sim->firsts[at] = sim->firsts[(at - 1) / END_WAYS];
        at = (at - 1) / END_WAYS;
    }
    sim->firsts[at] = first;
}

/* Replaces the line at the top of the heap. */
static void sink_first(sked_sim *sim, sim_first first)
{
    size_t at = 0, n = sim->n_firsts;

    for (;;) {
        size_t least = END_WAYS * at + 1, end = least + END_WAYS;
        if (least >= n) break;
        for (size_t kid = least + 1; kid < end && kid < n; kid++) {
            if (first_before(&sim->firsts[kid], &sim->firsts[least])) {
                least = kid;
            }
        }
        if (!first_before(&sim->firsts[least], &first)) break;
        sim->firsts[at] = sim->firsts[least];
        at = least;
    }
    sim->firsts[at] = first;
}

/* ---- The lines ---- */

static uint32_t take_end(sked_sim *sim)
{
    uint32_t slot = sim->free_end;

    if (slot == SIM_NONE) return sim->ends_used++;
    sim->free_end = sim->ends[slot].next;
    return slot;
}

void skedi_ends_push(sked_sim *sim, sim_end end)
{
    uint32_t slot = take_end(sim), last = sim->last_end[end.line];

    sim->n_ends++;
    sim->last_end[end.line] = slot;
    sim->ends[slot] = end;
    if (last == SIM_NONE) {
        sim->ends[slot].next = slot;
        raise_first(sim, first_of(sim, slot));
    } else {
        sim->ends[slot].next = sim->ends[last].next;
        sim->ends[last].next = slot;
    }
}

sim_end skedi_ends_pop(sked_sim *sim)
{
    uint32_t line = sim->firsts[0].line, last = sim->last_end[line];
    uint32_t slot = sim->ends[last].next;
    sim_end end = sim->ends[slot];

    sim->n_ends--;
    sim->ends[slot].next = sim->free_end;
    sim->free_end = slot;
    if (slot != last) {
        sim->ends[last].next = end.next;
        sink_first(sim, first_of(sim, end.next));
        return end;
    }
    sim->last_end[line] = SIM_NONE;
    sim->n_firsts--;
    if (sim->n_firsts > 0) sink_first(sim, sim->firsts[sim->n_firsts]);
    return end;
}
