#ifndef SKEDI_WINNER_H
#define SKEDI_WINNER_H

/*
 * A winner tree: of `n` seats with a key each, which has the least? Equal keys
 * go to the lower seat.
 *
 * Nodes 1 to 2n - 1; seat i is node n + i, the parent of node i is i / 2, and
 * every inner node is a copy of the better of its children, so node 1 is the
 * answer. Keys stand in the nodes: a change walks one path and looks at one
 * neighbour a level, whose address does not depend on who wins; the winner is
 * taken by masks, since a branch on it cannot be predicted. That makes it
 * faster than wider nodes searched with vector instructions.
 */

#include <stddef.h>
#include <stdint.h>

/* The key of a seat that takes no part. */
#define SKEDI_WINNER_OUT UINT64_MAX

typedef struct skedi_winner {
    uint64_t key;
    uint32_t seat;
    uint32_t spare;
} skedi_winner;

static inline skedi_winner skedi_winner_of(skedi_winner a, skedi_winner b)
{
    uint64_t second = (uint64_t)(b.key < a.key) | ((uint64_t)(b.key == a.key) &
                                                   (uint64_t)(b.seat < a.seat));
    uint64_t mask = 0 - second;

    a.key ^= (a.key ^ b.key) & mask;
    a.seat ^= (a.seat ^ b.seat) & (uint32_t)mask;
    return a;
}

/* Makes all inner nodes, once the seats have their keys. n is not 0. */
static inline void skedi_winner_build(skedi_winner *tree, uint32_t n)
{
    for (uint32_t i = n - 1; i > 0; i--) {
        tree[i] = skedi_winner_of(tree[2 * i], tree[2 * i + 1]);
    }
}

/* A seat's key, for skedi_winner_build(). */
static inline void skedi_winner_put(skedi_winner *tree, uint32_t n,
                                    uint32_t seat, uint64_t key)
{
    tree[n + seat] = (skedi_winner){.key = key, .seat = seat};
}

/*
 * Gives a seat another key; returns how many levels that reached: it stops
 * where nothing changes.
 */
static inline unsigned skedi_winner_set(skedi_winner *tree, uint32_t n,
                                        uint32_t seat, uint64_t key)
{
    uint32_t at = n + seat;
    skedi_winner best = {.key = key, .seat = seat};
    unsigned levels = 1;

    tree[at].key = key;
    for (; at > 1; levels++) {
        best = skedi_winner_of(best, tree[at ^ 1]);
        at /= 2;
        if (tree[at].key == best.key && tree[at].seat == best.seat) break;
        tree[at] = best;
    }
    return levels;
}

#endif
