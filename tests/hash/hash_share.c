/* Shares of random trees: every model, scope, flag and rounding. */
#include "hash.h"

#include <sched/sked.h>

enum { ROWS = 40, KINDS = 2, CELLS = ROWS * KINDS };

typedef struct hash_tree {
    int32_t parent[ROWS];
    uint32_t weight[ROWS];
    int32_t priority[ROWS];
    uint8_t state[ROWS];
    int64_t guarantee[CELLS];
    int64_t limit[CELLS];
    int64_t borrow[CELLS];
    int64_t lend[CELLS];
    int64_t demand[CELLS];
    int64_t usage[CELLS];
    int64_t capacity[KINDS];
    int64_t share[CELLS];
} hash_tree;

static void draw_cells(uint64_t *state, int64_t *cells, unsigned bits,
                       int bounded)
{
    for (unsigned i = 0; i < CELLS; i++) {
        uint64_t x = hash_random(state);
        cells[i] = (int64_t)(x >> (64 - bits));
        if (!bounded && x % 3 == 0) cells[i] = SKED_UNLIMITED;
    }
}

static void draw_tree(uint64_t *state, hash_tree *t)
{
    unsigned bits = 3 + (unsigned)hash_below(state, 50);

    t->parent[0] = -1;
    for (unsigned i = 0; i < ROWS; i++) {
        uint64_t up = hash_below(state, i ? i : 1);
        uint64_t rest = hash_random(state);
        if (i) t->parent[i] = (int32_t)up;
        t->weight[i] = rest % 16 ? (uint32_t)(rest >> 8 & 7) : UINT32_MAX;
        t->priority[i] = (int32_t)(rest >> 16 & 1);
        t->state[i] = (rest >> 24 & 15) == 0;
    }
    draw_cells(state, t->guarantee, bits > 4 ? bits - 3 : 1, 1);
    draw_cells(state, t->limit, bits + 1, 0);
    draw_cells(state, t->borrow, bits, 0);
    draw_cells(state, t->lend, bits, 0);
    draw_cells(state, t->demand, bits, 1);
    draw_cells(state, t->usage, bits, 1);
    for (unsigned k = 0; k < KINDS; k++) {
        t->capacity[k] = (int64_t)(hash_random(state) >> (64 - bits)) * 8;
    }
}

static sked_share_options draw_options(uint64_t *state)
{
    uint64_t x = hash_random(state);
    sked_share_options o = {.struct_size = sizeof o};

    o.rounding = (int32_t)(x % 3);
    o.scope = (int32_t)((x >> 8) % 8 == 0);
    o.kind = (uint32_t)(x >> 16 & 1);
    if ((x >> 24) % 8 == 0) {
        o.scope = SKED_SHARE_SCOPE_DOMINANT;
        return o;
    }
    o.model = (int32_t)(x >> 32 & 3);
    if (x >> 40 & 1) o.flags |= SKED_SHARE_FLAG_BANDS;
    if (x >> 41 & 1) {
        int asks = o.model == SKED_SHARE_MODEL_ENTITLEMENT ||
                   o.model == SKED_SHARE_MODEL_CAPACITY;
        o.flags |= asks ? SKED_SHARE_FLAG_ANTICIPATE
                        : SKED_SHARE_FLAG_BY_DEMAND;
    }
    return o;
}

uint64_t hash_share(unsigned size);

uint64_t hash_share(unsigned size)
{
    static hash_tree t;
    uint64_t state = 1999, h = 0;

    for (unsigned i = 0; i < 600 * size; i++) {
        draw_tree(&state, &t);
        sked_share_options options = draw_options(&state);
        sked_share_input in = {
            .struct_size = sizeof in,
            .kinds = KINDS,
            .n = ROWS,
            .parent = t.parent,
            .weight = t.weight,
            .priority = t.priority,
            .guarantee = t.guarantee,
            .limit = t.limit,
            .borrow = t.borrow,
            .lend = t.lend,
            .demand = t.demand,
            .usage = t.usage,
            .state = t.state,
            .capacity = t.capacity,
        };
        HASH_MUST(sked_share_once(&in, &options, NULL, t.share, NULL) ==
                  SKED_OK);
        h = hash_add_column(h, t.share, CELLS);
    }
    return h;
}
