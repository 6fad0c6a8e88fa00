#ifndef SHARE_WORLD_H
#define SHARE_WORLD_H

#include <sched/share.h>

#include "words.h"

/*
 * Random trees as arrays, for laws and twins. Every column may be missing;
 * amounts come from shapes that meet each other's bounds often.
 */
enum { SHARE_WORLD_ROWS = 64, SHARE_WORLD_KINDS = 3 };

typedef struct share_world {
    sked_share_input in;
    sked_share_options options;
    int64_t top; /* amounts stay about below this */
    int32_t parent[SHARE_WORLD_ROWS];
    uint32_t weight[SHARE_WORLD_ROWS];
    int32_t priority[SHARE_WORLD_ROWS];
    uint8_t state[SHARE_WORLD_ROWS];
    int64_t running[SHARE_WORLD_ROWS];
    int64_t guarantee[SHARE_WORLD_ROWS * SHARE_WORLD_KINDS];
    int64_t limit[SHARE_WORLD_ROWS * SHARE_WORLD_KINDS];
    int64_t borrow[SHARE_WORLD_ROWS * SHARE_WORLD_KINDS];
    int64_t lend[SHARE_WORLD_ROWS * SHARE_WORLD_KINDS];
    int64_t demand[SHARE_WORLD_ROWS * SHARE_WORLD_KINDS];
    int64_t usage[SHARE_WORLD_ROWS * SHARE_WORLD_KINDS];
    int64_t capacity[SHARE_WORLD_KINDS];
} share_world;

/* A tree of up to `rows` rows with amounts around `top`, and options for the
 * given scope. */
void share_world_draw(share_world *w, test_words *words, uint32_t rows,
                      int64_t top, int32_t scope);

#endif
