/*
 * Which queues have at least their fair share. The answer for a queue can
 * change only when something of it changed (then its path is noted), when
 * shares were computed again, or when nodes came or went; until then the time
 * that passes counts for the present answer.
 */
#include "base/arith.h"
#include "sim/run.h"

/* Columns of the ledger, kind by kind. */
typedef struct sim_books {
    const int64_t *usage[SKED_MAX_KINDS];
    const int64_t *demand[SKED_MAX_KINDS];
} sim_books;

static sim_books books_of(const sked_sim *sim)
{
    sim_books books = {{NULL}, {NULL}};

    for (uint32_t k = 0; k < sim->kinds; k++) {
        books.usage[k] = sked_ledger_view(sim->ledger, SKED_LEDGER_USAGE, k,
                                          NULL);
        books.demand[k] = sked_ledger_view(sim->ledger, SKED_LEDGER_DEMAND, k,
                                           NULL);
    }
    return books;
}

/* The kind of which a row has the largest part, or -1: it has nothing. */
static int32_t largest_of(const sked_sim *sim, const int64_t *const *column,
                          uint32_t row)
{
    uint64_t most = 0, whole = 1;
    int32_t lead = -1;

    for (uint32_t k = 0; k < sim->kinds; k++) {
        uint64_t x = (uint64_t)column[k][row];
        uint64_t c = (uint64_t)sim->capacity[k];
        if (c == 0 || skedi_cmp_mul(x, whole, most, c) <= 0) continue;
        most = x;
        whole = c;
        lead = (int32_t)k;
    }
    return lead;
}

/* The kind of which a queue uses, or else wants, the largest part. */
static uint32_t leading_of(const sked_sim *sim, const sim_books *books,
                           uint32_t row)
{
    int32_t lead = largest_of(sim, books->usage, row);

    if (lead < 0) lead = largest_of(sim, books->demand, row);
    return lead < 0 ? 0 : (uint32_t)lead;
}

static uint32_t answer_of(const sked_sim *sim, const sim_books *books,
                          uint32_t row)
{
    uint32_t k = leading_of(sim, books, row);
    uint32_t answer = skedi_is_below(sim, row) ? SIM_BELOW : 0;

    if (books->demand[k][row] == 0) return answer;
    if (books->usage[k][row] < sim->fair[(size_t)k * sim->n_rows + row]) {
        return answer | SIM_STARVED;
    }
    return answer | SIM_FAIR;
}

/* Counts the time up to now for the present answer. */
static void count_time(sked_sim *sim, uint32_t row)
{
    sim_queue *q = &sim->queues[row];
    int64_t passed = sim->measured - q->since;

    if (q->answer & SIM_FAIR) q->fair += passed;
    if (q->answer & SIM_STARVED) q->starved += passed;
    if (q->answer & SIM_BELOW) q->below += passed;
    q->since = sim->measured;
}

static void judge_queue(sked_sim *sim, const sim_books *books, uint32_t row)
{
    count_time(sim, row);
    sim->queues[row].answer = answer_of(sim, books, row);
    sim->queues[row].is_noted = 0;
}

void skedi_judge_note(sked_sim *sim, uint32_t row)
{
    while (!sim->queues[row].is_noted) { /* else all above are, too */
        sim->queues[row].is_noted = 1;
        sim->noted[sim->n_noted++] = row;
        if (row > 0) row = (uint32_t)sim->parent[row];
    }
}

void skedi_judge_all(sked_sim *sim)
{
    sim->judge_all = 1;
}

void skedi_judge_queues(sked_sim *sim)
{
    if (!sim->judge_all && sim->n_noted == 0) return;
    sim_books books = books_of(sim);

    if (sim->judge_all) {
        for (uint32_t r = 0; r < sim->n_rows; r++) judge_queue(sim, &books, r);
    } else {
        for (uint32_t i = 0; i < sim->n_noted; i++) {
            judge_queue(sim, &books, sim->noted[i]);
        }
    }
    sim->n_noted = 0;
    sim->judge_all = 0;
}

void skedi_judge_end(sked_sim *sim)
{
    for (uint32_t r = 0; r < sim->n_rows; r++) count_time(sim, r);
}
