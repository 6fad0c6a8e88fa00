/*
 * The first few of an order without sorting the rest: radix selection.
 *
 * Byte after byte, from the top of the first word on, rows still undecided are
 * counted by the value of that byte. With v the value at which the wanted
 * number is reached, rows below v are taken, rows above v are dropped, and rows
 * at v stay undecided. Undecided rows keep their order throughout, so rows that
 * are alike in every word are taken by position.
 */
#include "rank/order.h"

/* The undecided rows, and how many of them are still wanted. */
typedef struct undecided {
    skedi_keyed *items;
    uint32_t n;
    uint32_t wanted; /* at most n */
    uint32_t *taken;
    uint32_t n_taken;
} undecided;

static void take_first(undecided *u)
{
    for (uint32_t i = 0; i < u->wanted; i++) {
        u->taken[u->n_taken++] = u->items[i].index;
    }
    u->n = u->wanted = 0;
}

/* Decides by the byte at `shift`. */
static void decide(undecided *u, unsigned shift)
{
    uint32_t count[256] = {0}, below = 0, kept = 0;
    uint64_t last = 0;

    for (uint32_t i = 0; i < u->n; i++) {
        count[u->items[i].key >> shift & 255]++;
    }
    while (below + count[last] < u->wanted) below += count[last++];
    for (uint32_t i = 0; i < u->n; i++) {
        uint64_t byte = u->items[i].key >> shift & 255;
        if (byte < last) u->taken[u->n_taken++] = u->items[i].index;
        if (byte == last) u->items[kept++] = u->items[i];
    }
    u->n = kept;
    u->wanted -= below;
}

/* Bits that a word may have set, in whole bytes. */
static unsigned word_bits(const skedi_rank *rank, uint32_t word)
{
    unsigned bits = 0;

    for (uint32_t f = 0; f < rank->fields; f++) {
        if (rank->field[f].word == word) bits += rank->field[f].bits;
    }
    return (bits + 7) / 8 * 8;
}

/* By position, as sorting wants them. */
static void by_position(skedi_keyed *items, uint32_t *taken, uint32_t n,
                        uint32_t top)
{
    uint32_t at = 0;

    for (uint32_t i = 0; i < n; i++) items[i].tag = 0;
    for (uint32_t i = 0; i < top; i++) items[taken[i]].tag = 1;
    for (uint32_t i = 0; i < n; i++) {
        if (items[i].tag) taken[at++] = i;
    }
}

sked_status skedi_rank_select(const skedi_rank *rank, skedi_keyed *items,
                              uint32_t *taken, uint32_t top,
                              const skedi_hooks *hooks)
{
    uint32_t n = (uint32_t)rank->in.n;
    undecided u = {.items = items, .n = n, .wanted = top, .taken = taken};

    for (uint32_t word = 0; word < rank->words; word++) {
        if (u.wanted == u.n) break;
        sked_status rc = skedi_rank_load(rank, word, u.items, u.n, hooks);
        if (rc != SKED_OK) return rc;
        for (unsigned shift = word_bits(rank, word);
             shift > 0 && u.wanted < u.n;) {
            shift -= 8;
            decide(&u, shift);
        }
    }
    take_first(&u);
    by_position(items, taken, n, top);
    return SKED_OK;
}
