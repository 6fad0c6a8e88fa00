/* Does a step fit, by the books, once some tasks have gone? */
#include "host.h"

static int64_t gone_on(const books *b, const fits_gone *gone, uint32_t node,
                       uint32_t k)
{
    int64_t sum = 0;

    for (uint32_t a = 0; gone && a < b->w->asks; a++) {
        sum += gone->tasks[node][a] * b->w->ask[a].amount[k] +
               gone->extra[node][a][k];
    }
    return gone ? sum + b->remains[node][k] : sum; /* these go, too */
}

void fits_go(fits_gone *gone, const books_group *g, int64_t count)
{
    gone->tasks[g->node][g->ask] += count;
    for (uint32_t k = 0; k < WORLD_KINDS; k++) {
        gone->extra[g->node][g->ask][k] += g->more[k] * count;
    }
}

static int64_t gone_below(const books *b, const fits_gone *gone, uint32_t part,
                          int32_t row, uint32_t k)
{
    int64_t sum = 0;

    for (uint32_t n = 0; gone && n < b->w->nodes; n++) {
        if (b->part[n] != part) continue;
        for (uint32_t a = 0; a < b->w->asks; a++) {
            if (gone->tasks[n][a] == 0) continue;
            if (!books_above(b, row, books_leaf(b, (int32_t)a))) continue;
            sum += gone->tasks[n][a] * b->w->ask[a].amount[k] +
                   gone->extra[n][a][k];
        }
    }
    return sum;
}

int fits_node(const books *b, int32_t ask, int32_t node, int64_t steps,
              const fits_gone *gone, int reserved)
{
    uint32_t n = (uint32_t)node;
    int alone = world_is_alone(&b->w->ask[ask]);

    if (alone && (steps > 1 || !books_is_empty(b, n))) return 0;
    for (uint32_t k = 0; k < b->w->kinds; k++) {
        int64_t step = books_step(b, ask, k) * steps;
        int64_t free = b->free[n][k] + gone_on(b, gone, n, k);
        if (reserved) free -= books_held_on(b, n, k, ask);
        if (world_is_pooled(b->w, k)) continue;
        if (step > 0 && step > free) return 0;
    }
    return 1;
}

/* ---- Bounds of queues ---- */

typedef struct fits_asked {
    const books *b;
    const fits_gone *gone;
    uint32_t part, k;
    int reserved;
    int32_t ask, node;
} fits_asked;

static int64_t held_by(const fits_asked *x, int32_t row)
{
    int64_t is = x->b->use[x->part][row][x->k] -
                 gone_below(x->b, x->gone, x->part, row, x->k);

    if (x->reserved) {
        is += books_reserved(x->b, x->part, row, x->k, x->ask, x->node);
    }
    return is;
}

/* What counts as held by each queue: by a parent, what is kept for a child
 * that holds less of it too. */
static void count_held(const fits_asked *x, int64_t held[WORLD_ROWS])
{
    const books *b = x->b;

    for (uint32_t row = b->w->rows; row-- > 0;) {
        held[row] = 0;
        if (world_is_leaf(b->w, row)) held[row] = held_by(x, (int32_t)row);
        for (uint32_t c = row + 1; c < b->w->rows; c++) {
            const shares_row *below = &b->shares[x->part].row[c];
            if (b->w->queue[c].parent != (int32_t)row) continue;
            held[row] += held[c] > below->kept[x->k] ? held[c]
                                                     : below->kept[x->k];
        }
    }
}

/* Amounts bound a queue over all partitions together. */
static int within_all(const fits_asked *x, int32_t row, int64_t step)
{
    int64_t all = step;
    fits_asked each = *x;

    for (each.part = 0; each.part < x->b->w->parts; each.part++) {
        all += held_by(&each, row);
    }
    return all <= books_ceiling(x->b, row, x->k);
}

/* Bounds from the leaf up to `top`. */
static int within(const fits_asked *x, int32_t leaf, int32_t top, int64_t step)
{
    const books *b = x->b;
    int64_t held[WORLD_ROWS], more = step;

    count_held(x, held);
    for (int32_t row = leaf; row >= top; row = b->w->queue[row].parent) {
        const shares_row *r = &b->shares[x->part].row[row];
        int64_t before = held[row] > r->kept[x->k] ? held[row] : r->kept[x->k];
        int64_t cap = shares_bound(&b->shares[x->part], row, x->k);
        if (more > 0 && held[row] + more > cap) return 0;
        if (held_by(x, row) + step > cap) return 0; /* what runs */
        if (!within_all(x, row, step)) return 0;
        int64_t after = held[row] + more;
        more = after > before ? after - before : 0;
    }
    return 1;
}

int fits_up_to(const books *b, int32_t ask, int32_t node, int64_t steps,
               const fits_gone *gone, int reserved, int32_t top)
{
    fits_asked x = {.b = b,
                    .gone = gone,
                    .part = b->part[node],
                    .reserved = reserved,
                    .ask = ask,
                    .node = node};
    int32_t leaf = books_leaf(b, ask);

    for (x.k = 0; x.k < b->w->kinds; x.k++) {
        int64_t step = books_start_step(b, ask, node, x.k) * steps;
        if (step > 0 && !within(&x, leaf, top, step)) return 0;
    }
    return 1;
}

int fits_bounds(const books *b, int32_t ask, int32_t node, int64_t steps,
                const fits_gone *gone, int reserved)
{
    return books_trees_hold(b, ask, node, steps,
                            reserved ? node : BOOKS_NOTHING) &&
           fits_up_to(b, ask, node, steps, gone, reserved, 0);
}

int fits(const books *b, int32_t ask, int32_t node, int64_t steps,
         const fits_gone *gone, int reserved)
{
    return fits_node(b, ask, node, steps, gone, reserved) &&
           fits_bounds(b, ask, node, steps, gone, reserved);
}

int fits_surely(const books *b, int32_t ask, int32_t node,
                const fits_gone *gone)
{
    uint32_t n = (uint32_t)node;

    if (world_is_alone(&b->w->ask[ask]) && !books_is_empty(b, n)) return 0;
    for (uint32_t k = 0; k < b->w->kinds; k++) {
        int64_t step = books_start_step(b, ask, node, k);
        int64_t free = b->free[n][k] + gone_on(b, gone, n, k) -
                       books_held_on(b, n, k, ask) - books_formed(b, n, k, ask);
        if (step > 0 && !world_is_pooled(b->w, k) && step > free) return 0;
    }
    return fits_bounds(b, ask, node, 1, gone, 1);
}
