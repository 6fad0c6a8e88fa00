#include "share_world.h"

#include <string.h>

enum { SPARSE = 0, SMALL = 1, EVEN = 2, WIDE = 3, SHAPES = 4 };

static int64_t draw_amount(test_words *words, int64_t top, unsigned shape)
{
    uint64_t most = (uint64_t)top + 1;

    switch (shape) {
    case SPARSE:
        return test_below(words, 3) ? 0 : (int64_t)test_below(words, most);
    case SMALL: return (int64_t)test_below(words, most / 8 + 2);
    case EVEN: return top / 4;
    default: return (int64_t)test_below(words, most);
    }
}

/* A whole column, or NULL. */
static const int64_t *draw_column(share_world *w, test_words *words,
                                  int64_t *column, int bounded)
{
    unsigned shape = (unsigned)test_below(words, SHAPES);
    uint64_t open = test_below(words, 4);

    if (test_below(words, 3) == 0) return NULL;
    for (size_t i = 0; i < (size_t)w->in.n * w->in.kinds; i++) {
        column[i] = draw_amount(words, w->top, shape);
        if (!bounded && test_below(words, 4) < open) column[i] = SKED_UNLIMITED;
    }
    return column;
}

static void draw_tree(share_world *w, test_words *words)
{
    uint64_t deep = test_below(words, 4);

    w->parent[0] = -1;
    for (uint32_t i = 1; i < w->in.n; i++) {
        uint64_t any = test_below(words, i);
        uint64_t late = i - 1 - test_below(words, i < 3 ? 1 : 3);
        w->parent[i] = (int32_t)(deep == 0 ? 0 : deep == 1 ? late : any);
    }
    for (uint32_t i = 0; i < w->in.n; i++) {
        w->weight[i] = (uint32_t)test_below(words, 6);
        if (test_below(words, 16) == 0) w->weight[i] = UINT32_MAX;
        w->priority[i] = (int32_t)test_below(words, 3) - 1;
        w->state[i] = test_below(words, 8) == 0;
        w->running[i] = test_below(words, 4) == 0;
    }
}

static void draw_options(share_world *w, test_words *words, int32_t scope)
{
    sked_share_options *o = &w->options;

    *o = (sked_share_options){.struct_size = sizeof *o, .scope = scope};
    if (scope == SKED_SHARE_SCOPE_DOMINANT) return;
    o->model = (int32_t)test_below(words, 4);
    o->rounding = (int32_t)test_below(words, 3);
    o->kind = (uint32_t)test_below(words, w->in.kinds);
    if (test_below(words, 3) == 0) o->flags |= SKED_SHARE_FLAG_BANDS;
    if (test_below(words, 3)) return;
    if (o->model == SKED_SHARE_MODEL_ENTITLEMENT ||
        o->model == SKED_SHARE_MODEL_CAPACITY) {
        o->flags |= SKED_SHARE_FLAG_ANTICIPATE;
    } else {
        o->flags |= SKED_SHARE_FLAG_BY_DEMAND;
    }
    if (o->model == SKED_SHARE_MODEL_CAPACITY && test_below(words, 2)) {
        o->flags |= SKED_SHARE_FLAG_GUARANTEED_ONLY;
    }
}

void share_world_draw(share_world *w, test_words *words, uint32_t rows,
                      int64_t top, int32_t scope)
{
    sked_share_input *in = &w->in;

    w->top = top;
    *in = (sked_share_input){.struct_size = sizeof *in};
    in->n = 1 + (uint32_t)test_below(words, rows);
    in->kinds = 1 + (uint32_t)test_below(words, SHARE_WORLD_KINDS);
    draw_tree(w, words);
    draw_options(w, words, scope);
    in->parent = w->parent;
    in->weight = test_below(words, 4) ? w->weight : NULL;
    in->priority = test_below(words, 2) ? w->priority : NULL;
    in->state = test_below(words, 4) ? NULL : w->state;
    in->running = test_below(words, 2) ? NULL : w->running;
    in->guarantee = draw_column(w, words, w->guarantee, 1);
    in->limit = draw_column(w, words, w->limit, 0);
    in->borrow = draw_column(w, words, w->borrow, 0);
    in->lend = draw_column(w, words, w->lend, 0);
    in->demand = draw_column(w, words, w->demand, 1);
    in->usage = draw_column(w, words, w->usage, 1);
    for (uint32_t k = 0; k < in->kinds; k++) {
        int64_t some = (int64_t)test_below(words, 4) * top / 2;
        w->capacity[k] = draw_amount(words, top, WIDE) + some;
        if (w->capacity[k] > SKED_AMOUNT_MAX) w->capacity[k] = SKED_AMOUNT_MAX;
    }
    in->capacity = w->capacity;
}
