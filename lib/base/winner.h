#ifndef SKEDI_WINNER_H
#define SKEDI_WINNER_H

/*
 * A winner tree, also called a tournament tree. Each player has a key, and the
 * tree knows the player with the least key. Each inner node is a copy of the
 * better of its two children. Among equal keys, the lower player wins.
 *
 * Keys are stored in blocks of eight; the widest level thus consists of keys
 * only. A binary tree stands above the blocks. Node 1 is the root and holds the
 * winner. Nodes `blocks` to 2 * blocks - 1 hold the winners of the blocks. The
 * parent of node i is i / 2.
 *
 * A change reads a block, and a sibling per level. The address of the sibling
 * does not depend on the winner. The winner is selected by masks, because a
 * branch would be unpredictable. This is faster than wide nodes that are
 * searched with vector instructions.
 */

#include <stddef.h>
#include <stdint.h>

/* The key of a player that does not take part. */
#define SKEDI_WINNER_OUT UINT64_MAX

enum { SKEDI_WINNER_BLOCK = 8 };

typedef struct skedi_winner {
    uint64_t key;
    uint32_t player;
    uint32_t spare;
} skedi_winner;

/* The arrays of a tree; the user owns the arrays. */
typedef struct skedi_winners {
    uint64_t *key;      /* blocks * SKEDI_WINNER_BLOCK */
    skedi_winner *node; /* 2 * blocks */
    uint32_t blocks;    /* at least 1 */
} skedi_winners;

/* The number of blocks that `n` players fill. */
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

/* The better of two, if the player of `a` is below the player of `b`. */
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

/* Computes all nodes from the keys. */
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
 * Changes the key of a player. The update stops at the first node that does not
 * change. Returns the number of levels visited.
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

/* Does every node hold the winner of its subtree? */
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
