#ifndef TEST_TARGET_WORLD_H
#define TEST_TARGET_WORLD_H

/* Families of queues for the laws of targets, drawn at random. */
#include "test.h"

#include <sched/target.h>

#include <string.h>

#include "cluster.h"
#include "forest.h"
#include "ref_target.h"
#include "share_world.h"
#include "size.h"

enum { ROWS = SHARE_WORLD_ROWS, MOST = ROWS * SHARE_WORLD_KINDS };

/* Room for a result. */
typedef struct found {
    int64_t cells[6][MOST];
    uint32_t reasons[ROWS];
    sked_time min_since[ROWS];
    sked_time fair_since[ROWS];
    uint32_t rounds[ROWS];
    int64_t total[3][SHARE_WORLD_KINDS];
    sked_target_result to;
} found;

static inline void found_of(found *f)
{
    memset(f, 0, sizeof *f);
    f->to = (sked_target_result){.struct_size = sizeof f->to,
                                 .share = f->cells[0],
                                 .excess = f->cells[1],
                                 .keep = f->cells[2],
                                 .take = f->cells[3],
                                 .owed = f->cells[4],
                                 .first = f->cells[5],
                                 .reasons = f->reasons,
                                 .min_since = f->min_since,
                                 .fair_since = f->fair_since,
                                 .rounds = f->rounds,
                                 .need = f->total[0],
                                 .budget = f->total[1],
                                 .free = f->total[2]};
}

typedef struct world {
    share_world w;
    test_words words;
    sked_target_once_input in;
    sked_target_options options;
    uint8_t from[ROWS];
    int64_t min_timeout[ROWS];
    int64_t fair_timeout[ROWS];
    int64_t threshold[ROWS];
    sked_time min_since[ROWS];
    sked_time fair_since[ROWS];
    uint32_t rounds[ROWS];
    found got;
    found want;
} world;

static inline int64_t any_part(test_words *w, int64_t most)
{
    switch (test_below(w, 4)) {
    case 0: return 0;
    case 1: return most;
    default: return (int64_t)test_below(w, (uint64_t)most) + 1;
    }
}

static inline void draw_options(world *w)
{
    sked_target_options *o = &w->options;
    uint64_t flags = test_below(&w->words, 16);

    *o = (sked_target_options){.struct_size = sizeof *o};
    o->mode = (int32_t)test_below(&w->words, 3);
    o->flags = (uint32_t)flags;
    if (o->mode != SKED_TARGET_MODE_IMBALANCE)
        o->flags &= SKED_TARGET_FLAG_PRIORITY | SKED_TARGET_FLAG_BY_KIND;
    if (o->mode == SKED_TARGET_MODE_STARVATION) {
        o->scope = (int32_t)test_below(&w->words, 2);
        o->kind = (uint32_t)test_below(&w->words, w->w.in.kinds);
        o->utilisation_ppm = any_part(&w->words, SKED_PPM) - 1;
    }
    if (o->mode == SKED_TARGET_MODE_ENTITLEMENT) {
        o->cycles = (uint32_t)test_below(&w->words, 4);
    }
    o->ignored_ppm = any_part(&w->words, SKED_PPM) - 1;
    o->factor_ppm = any_part(&w->words, SKED_PPM);
    o->per_round_ppm = any_part(&w->words, SKED_PPM);
    if (test_below(&w->words, 4) == 0) o->per_round_ppm = -1;
}

#endif
