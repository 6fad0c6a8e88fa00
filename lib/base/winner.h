#ifndef SKEDI_WINNER_H
#define SKEDI_WINNER_H

/*
 * A winner tree (a tournament tree of which every inner node is a copy of the
 * better of its two children): of many players with a key each, it knows the
 * one with the least key. Of equal keys the lower player wins.
 *
 * Keys stand in blocks of eight, so that the widest part of the structure is
 * only keys. Above the blocks is a binary tree: node 1 is the root and the
 * answer, nodes `blocks` to 2 * blocks - 1 are the winners of the blocks, and
 * the parent of node i is i / 2. A change looks at one block and at one sibling
 * a level, whose address does not depend on which of the two wins, and the
 * winner is taken by masks, since a branch on it cannot be predicted. That is
 * faster than wide nodes searched with vector instructions.
 */

#include <stddef.h>
#include <stdint.h>

/* The key of a player that takes no part. */
#define SKEDI_WINNER_OUT UINT64_MAX

enum { SKEDI_WINNER_BLOCK = 8 };

typedef struct skedi_winner {
    uint64_t key;
    uint32_t player;
    uint32_t spare;
} skedi_winner;

/* The arrays of a tree, which its user owns. */
typedef struct skedi_winners {
    uint64_t *key;      /* blocks * SKEDI_WINNER_BLOCK */
    skedi_winner *node; /* 2 * blocks */
    uint32_t blocks;    /* at least 1 */
} skedi_winners;

/* How many blocks `n` players fill. */
static inline uint32_t skedi_winner_blocks(uint32_t n)
{
    return n / SKEDI_WINNER_BLOCK + (n % SKEDI_WINNER_BLOCK != 0);
}

static inline skedi_winner skedi_winner_of(skedi_winner a, skedi_winner b)
{
    uint64_t second = (uint64_t)(b.key < a.key) |
                      ((uint64_t)(b.key == a.key) &
                       (uint64_t)(b.player < a.player));
    uint64_t mask = 0 - second;

    a.key ^= (a.key ^ b.key) & mask;
    a.player ^= (a.player ^ b.player) & (uint32_t)mask;
    return a;
}

/* The better of two, where the player of `a` is below that of `b`. */
static inline skedi_winner skedi_winner_ordered(skedi_winner a, skedi_winner b)
{
    uint64_t mask = 0 - (uint64_t)(b.key < a.key);

    a.key ^= (a.key ^ b.key) & mask;
    a.player ^= (a.player ^ b.player) & (uint32_t)mask;
    return a;
}

static inline skedi_winner skedi_winner_at(const uint64_t *key, uint32_t player)
{
    skedi_winner w = {key[player], player, 0};

    return w;
}

/* The winner of the eight players of a block. */
static inline skedi_winner skedi_winner_in(const uint64_t *key, uint32_t block)
{
    uint32_t s = block * SKEDI_WINNER_BLOCK;
    skedi_winner a = skedi_winner_ordered(skedi_winner_at(key, s),
                                          skedi_winner_at(key, s + 1));
    skedi_winner b = skedi_winner_ordered(skedi_winner_at(key, s + 2),
                                          skedi_winner_at(key, s + 3));
    skedi_winner c = skedi_winner_ordered(skedi_winner_at(key, s + 4),
                                          skedi_winner_at(key, s + 5));
    skedi_winner d = skedi_winner_ordered(skedi_winner_at(key, s + 6),
                                          skedi_winner_at(key, s + 7));

    return skedi_winner_ordered(skedi_winner_ordered(a, b),
                                skedi_winner_ordered(c, d));
}

/* Computes all nodes, once every player has its key. */
static inline void skedi_winner_build(const skedi_winners *w)
{
    for (uint32_t i = 0; i < w->blocks; i++) {
        w->node[w->blocks + i] = skedi_winner_in(w->key, i);
    }
    for (uint32_t i = w->blocks - 1; i > 0; i--) {
        w->node[i] = skedi_winner_of(w->node[2 * i], w->node[2 * i + 1]);
    }
}

/*
 * Gives a player another key; returns how many nodes that reached: it stops
 * where nothing changes.
 */
static inline unsigned skedi_winner_set(const skedi_winners *w, uint32_t player,
                                        uint64_t key)
{
    uint32_t block = player / SKEDI_WINNER_BLOCK;
    uint32_t at = w->blocks + block;
    unsigned levels = 1;

    w->key[player] = key;
    skedi_winner best = skedi_winner_in(w->key, block);
    while (w->node[at].key != best.key || w->node[at].player != best.player) {
        w->node[at] = best;
        if (at == 1) break;
        best = skedi_winner_of(best, w->node[at ^ 1]);
        at /= 2;
        levels++;
    }
    return levels;
}

/* Is every node the winner of what is below it? */
static inline int skedi_winner_sound(const skedi_winners *w)
{
    for (uint32_t i = 1; i < 2 * w->blocks; i++) {
        skedi_winner best = i < w->blocks
                                ? skedi_winner_of(w->node[2 * i],
                                                  w->node[2 * i + 1])
                                : skedi_winner_in(w->key, i - w->blocks);
        if (best.key != w->node[i].key || best.player != w->node[i].player) {
            return 0;
        }
    }
    return 1;
}

#endif
