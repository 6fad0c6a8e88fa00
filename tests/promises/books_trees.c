/* Trees of limits (engine_limits.h): what is charged there, and may be. */
#include "books.h"

int books_charges(const books *b, int32_t job, uint32_t tree, int32_t row)
{
    int32_t at = (int32_t)b->w->job[job].charged[tree] - 1;

    if (tree >= b->w->trees) return 0;
    while (at > row) at = b->w->bound[tree][at].parent;
    return at == row;
}

int64_t books_charged(const books *b, uint32_t tree, int32_t row, uint32_t k)
{
    int64_t sum = 0;

    for (uint32_t a = 0; a < b->w->asks; a++) {
        if (!books_charges(b, b->w->ask[a].job, tree, row)) continue;
        for (uint32_t n = 0; n < b->w->nodes; n++) {
            sum += b->run[n][a] * b->w->ask[a].amount[k] + b->extra[n][a][k];
        }
    }
    return sum;
}

int64_t books_charged_too(const books *b, uint32_t tree, int32_t row,
                          uint32_t k, int32_t but, int32_t but_node)
{
    int64_t sum = 0;

    for (int32_t a = 0; a < (int32_t)b->w->asks; a++) {
        int64_t tasks = 0;
        if (!books_charges(b, b->w->ask[a].job, tree, row)) continue;
        for (int32_t n = 0; n < (int32_t)b->w->nodes; n++) {
            if (a != but || n != but_node) tasks += b->reserved[n][a];
        }
        /* What starts here is not reserved elsewhere any more. */
        if (a == but && tasks >= b->open[a]) tasks = b->open[a] - 1;
        sum += tasks * b->w->ask[a].amount[k];
    }
    return sum;
}

int64_t books_charged_jobs(const books *b, uint32_t tree, int32_t row)
{
    int64_t n = 0;

    for (int32_t j = 0; j < (int32_t)b->w->jobs; j++) {
        n += b->admitted[j] && !b->cancelled[j] &&
             books_charges(b, j, tree, row);
    }
    return n;
}

/* Is so much more within all limits of a tree? */
static int is_within(const books *b, int32_t ask, uint32_t tree, uint32_t k,
                     int64_t more, int32_t reserved_but)
{
    int32_t row = (int32_t)b->w->job[b->w->ask[ask].job].charged[tree] - 1;

    for (; row >= 0; row = b->w->bound[tree][row].parent) {
        const world_bound *at = &b->w->bound[tree][row];
        int64_t is = books_charged(b, tree, row, k) + more;
        if (!at->limited || at->limit[k] == SKED_UNLIMITED) continue;
        if (reserved_but != BOOKS_NOTHING) {
            is += books_charged_too(b, tree, row, k, ask, reserved_but);
        }
        if (is > at->limit[k]) return 0;
    }
    return 1;
}

int books_trees_hold(const books *b, int32_t ask, int32_t node, int64_t steps,
                     int32_t reserved_but)
{
    for (uint32_t t = 0; t < b->w->trees; t++) {
        for (uint32_t k = 0; k < b->w->kinds; k++) {
            int64_t more = books_start_step(b, ask, node, k) * steps;
            if (more == 0) continue;
            if (!is_within(b, ask, t, k, more, reserved_but)) return 0;
        }
    }
    return 1;
}
