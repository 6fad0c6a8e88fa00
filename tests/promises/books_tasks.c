/* Tasks that hold other amounts than their asks say, that are over for their
 * queues alone, or of which it is known when they end. */
#include "books.h"

void books_shift(books *b, int32_t ask, int32_t node, const int64_t *more,
                 int64_t count)
{
    const world *w = b->w;
    uint32_t part = b->part[node];

    for (uint32_t k = 0; k < w->kinds; k++) {
        int64_t much = more[k] * count;
        b->extra[node][ask][k] += much;
        b->free[node][k] -= much;
        for (int32_t row = books_leaf(b, ask); row >= 0;
             row = w->queue[row].parent) {
            b->use[part][row][k] += much;
        }
    }
}

void books_resize(books *b, books_group *g, const int64_t *more)
{
    books_shift(b, g->ask, g->node, g->more, -g->count);
    for (uint32_t k = 0; k < b->w->kinds; k++) g->more[k] = more[k];
    books_shift(b, g->ask, g->node, g->more, g->count);
}

void books_fill(books *b, books_group *g)
{
    int64_t more[WORLD_KINDS] = {0};

    for (uint32_t k = 0; k < b->w->kinds; k++) {
        more[k] = books_start_step(b, g->ask, g->node, k) -
                  b->w->ask[g->ask].amount[k];
    }
    books_resize(b, g, more);
}

void books_release(books *b, books_group *g)
{
    int64_t amount[WORLD_KINDS];
    int32_t node = g->node;

    for (uint32_t k = 0; k < b->w->kinds; k++) {
        amount[k] = (b->w->ask[g->ask].amount[k] + g->more[k]) * g->count;
    }
    books_end(b, g, g->count, 0);
    for (uint32_t k = 0; k < b->w->kinds; k++) {
        b->free[node][k] -= amount[k];
        b->remains[node][k] += amount[k];
    }
}

void books_leave(books *b, int32_t node, const int64_t *amount)
{
    for (uint32_t k = 0; k < b->w->kinds; k++) {
        b->free[node][k] += amount[k];
        b->remains[node][k] -= amount[k];
    }
}

int books_are_odd(const books *b)
{
    for (uint32_t i = 0; i < b->groups; i++) {
        for (uint32_t k = 0; b->group[i].count > 0 && k < b->w->kinds; k++) {
            if (b->group[i].more[k] != 0) return 1;
        }
    }
    return 0;
}

int books_ends_soon(const books *b, const books_group *g)
{
    int64_t grace = b->w->rounds.grace_ns;

    if (!b->w->preempts || g->until == 0 || g->until < b->now) return 0;
    return g->until - b->now <= (grace < 0 ? 0 : grace);
}

int64_t books_ending(const books *b, const books_group *g)
{
    return books_ends_soon(b, g) ? g->count : g->ending;
}

int books_await(const books *b)
{
    int any = 0;

    for (uint32_t i = 0; i < b->groups; i++) {
        any |= b->group[i].count > 0 && b->group[i].until != 0;
    }
    for (uint32_t n = 0; n < b->w->nodes; n++) {
        for (uint32_t k = 0; k < b->w->kinds; k++) {
            any |= b->remains[n][k] != 0;
        }
    }
    return any;
}
