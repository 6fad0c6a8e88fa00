/* Draws the queues of a world. */
#include "world.h"

#include <string.h>

static void add_queue(world *w, int32_t parent)
{
    world_queue *q = &w->queue[w->rows++];

    q->parent = parent;
    for (int i = 0; i < WORLD_NUMBERS; i++) q->number[i] = SKED_UNSET;
    for (int i = 0; i < WORLD_USERS; i++) q->user_weight[i] = SKED_UNSET;
}

/* Level by level; the first queue of each level is split again. */
static void draw_shape(world *w, world_source *s)
{
    uint32_t depth = 1 + (uint32_t)world_below(s, 4), first = 0;

    add_queue(w, -1);
    for (uint32_t level = 1; level <= depth; level++) {
        uint32_t end = w->rows;
        for (uint32_t row = first; row < end; row++) {
            uint64_t children = 2 + world_below(s, level == 1 ? 3 : 2);
            if (row != first && !world_percent(s, 30)) continue;
            while (children-- > 0 && w->rows < WORLD_ROWS) {
                add_queue(w, (int32_t)row);
            }
        }
        first = end;
    }
}

/* The partition's capacity: what a queue's amounts are drawn from. */
static int64_t capacity_of(const world *w, uint32_t k)
{
    int64_t sum = 0;

    for (uint32_t n = 0; n < w->nodes; n++) sum += w->node[n].capacity[k];
    return sum / w->parts;
}

static void draw_amounts(world *w, world_source *s, uint32_t row,
                         int32_t attribute, int64_t most_percent)
{
    int32_t at = attribute - SKED_QUEUE_GUARANTEE;
    world_queue *q = &w->queue[row];

    q->has[at] = 1;
    for (uint32_t k = 0; k < w->kinds; k++) {
        int64_t part = world_from(s, 0, most_percent);
        q->amount[at][k] = capacity_of(w, k) * part / 100;
        if (attribute == SKED_QUEUE_LIMIT && world_percent(s, 25)) {
            q->amount[at][k] = SKED_UNLIMITED;
        }
        if (attribute == SKED_QUEUE_GUARANTEE && world_percent(s, 20)) {
            q->amount[at][k] = 0;
        }
    }
}

/* `modest`: what siblings are guaranteed fits their parent, as a rule. */
static void draw_bounds(world *w, world_source *s, uint32_t row, int modest)
{
    int64_t *number = w->queue[row].number;
    int level = w->queue[row].parent > 0;

    if (world_percent(s, 60)) {
        if (world_percent(s, 45)) {
            number[SKED_QUEUE_GUARANTEE_PPM] = world_from(s, 0,
                                                          modest ? 4 : 10) *
                                               100000;
        } else {
            draw_amounts(w, s, row, SKED_QUEUE_GUARANTEE,
                         modest ? 40 / (1 + level) : 80);
        }
    }
    if (world_percent(s, 25)) {
        if (world_percent(s, 50)) {
            number[SKED_QUEUE_LIMIT_PPM] = world_from(s, 1, 10) * 100000;
        } else {
            draw_amounts(w, s, row, SKED_QUEUE_LIMIT, 90);
        }
    }
    if (world_percent(s, 10)) draw_amounts(w, s, row, SKED_QUEUE_BORROW, 40);
    if (world_percent(s, 10)) draw_amounts(w, s, row, SKED_QUEUE_LEND, 30);
}

static void draw_numbers(world *w, world_source *s, uint32_t row)
{
    int64_t *number = w->queue[row].number;

    if (world_percent(s, 40)) number[SKED_QUEUE_WEIGHT] = world_from(s, 1, 4);
    if (world_percent(s, 5)) number[SKED_QUEUE_WEIGHT] = 0;
    if (world_percent(s, 6))
        number[SKED_QUEUE_MAX_RUNNING] = world_from(s, 0, 3);
    if (world_percent(s, 20)) number[SKED_QUEUE_PRIORITY] = world_from(s, 0, 2);
    if (world_percent(s, 5))
        number[SKED_QUEUE_PREEMPT_FROM] = world_from(s, 0, 1);
    if (world_percent(s, 2)) number[SKED_QUEUE_STATE] = SKED_STATE_DRAINING;
    if (world_percent(s, 40)) {
        number[SKED_QUEUE_PREEMPT_MIN_TIMEOUT] = world_from(s, 0, 3) *
                                                 WORLD_STEP;
    }
    if (world_percent(s, 25)) {
        number[SKED_QUEUE_PREEMPT_FAIR_TIMEOUT] = world_from(s, 0, 3) *
                                                  WORLD_STEP;
    }
    if (world_percent(s, 15)) {
        number[SKED_QUEUE_PREEMPT_FAIR_THRESHOLD] = world_from(s, 0, 10) *
                                                    100000;
    }
}

static void draw_leaf(world *w, world_source *s, uint32_t row)
{
    int64_t *number = w->queue[row].number;

    number[SKED_QUEUE_APPS] = world_from(s, SKED_APPS_FIFO,
                                         SKED_APPS_USER_FAIR);
    if (world_percent(s, 8))
        number[SKED_QUEUE_AM_SHARE] = world_from(s, 0, 5) * 100000;
    if (world_percent(s, 8)) {
        int64_t tenths = world_from(s, 0, 9);
        number[SKED_QUEUE_USER_LIMIT] = tenths * 100000;
        if (tenths % 3 == 2)
            number[SKED_QUEUE_USER_FACTOR] = (tenths + 1) * 100000;
    }
    for (int u = 0; u < WORLD_USERS; u++) {
        if (world_percent(s, 6))
            w->queue[row].user_weight[u] = world_from(s, 1, 3);
    }
}

static void draw_edits(world *w, world_source *s)
{
    static const int32_t which[] = {
        SKED_QUEUE_PREEMPT_FROM,  SKED_QUEUE_LIMIT_PPM, SKED_QUEUE_WEIGHT,
        SKED_QUEUE_GUARANTEE_PPM, SKED_QUEUE_ORDER,     SKED_QUEUE_STATE};

    while (w->edits < WORLD_EDITS && world_percent(s, 15)) {
        world_edit *edit = &w->edit[w->edits++];
        edit->queue = (int32_t)world_from(s, 1, (int64_t)w->rows - 1);
        edit->attribute = which[world_below(s, 6)];
        edit->value = world_from(s, 1, 4);
        switch (edit->attribute) {
        case SKED_QUEUE_PREEMPT_FROM: edit->value = 0; break;
        case SKED_QUEUE_STATE: edit->value = SKED_STATE_DRAINING; break;
        case SKED_QUEUE_LIMIT_PPM:
        case SKED_QUEUE_GUARANTEE_PPM: edit->value *= 200000; break;
        default: break;
        }
    }
}

void world_draw_tree(world *w, world_source *s, int share)
{
    static const int64_t orders[] = {
        SKED_ORDER_POLICY_DRF,         SKED_ORDER_POLICY_FAIR,
        SKED_ORDER_POLICY_UTILISATION, SKED_ORDER_POLICY_PRIORITY,
        SKED_ORDER_POLICY_FIFO,        SKED_ORDER_POLICY_RANDOM,
        SKED_ORDER_POLICY_RANDOM,      WORLD_ORDER_SHARE};
    int modest = world_percent(s, 60);

    draw_shape(w, s);
    if (world_percent(s, 50)) { /* which all inherit */
        w->queue[0].number[SKED_QUEUE_PREEMPT_MIN_TIMEOUT] = world_from(s, 0,
                                                                        2) *
                                                             WORLD_STEP;
    }
    for (uint32_t row = 0; row < w->rows; row++) {
        int64_t *number = w->queue[row].number;
        if (row > 0) {
            draw_bounds(w, s, row, modest);
            draw_numbers(w, s, row);
        }
        if (world_is_leaf(w, row)) {
            draw_leaf(w, s, row);
            continue;
        }
        number[SKED_QUEUE_ORDER] = orders[world_from(s, 0, share ? 7 : 6)];
        if (world_percent(s, 50)) {
            number[SKED_QUEUE_FAIR_KIND] = (int64_t)world_below(s, w->kinds);
        }
    }
    draw_edits(w, s);
}

/* ---- Trees of unlike width ---- */

/* A leaf of the root beside a parent of 3 to 8 leaves; or three to four levels,
 * each with a wide family. */
static void draw_wide_shape(world *w, world_source *s)
{
    int64_t leaves = world_from(s, 3, 8), deep = world_percent(s, 40);
    int32_t at = 0;

    w->rows = 0;
    add_queue(w, -1);
    for (int64_t level = deep ? world_from(s, 2, 3) : 1; level > 0; level--) {
        int32_t wide = (int32_t)w->rows;
        add_queue(w, at);
        add_queue(w, at);
        at = wide + (int32_t)world_below(s, 2);
    }
    while (leaves-- > 0 && w->rows < WORLD_ROWS) add_queue(w, at);
}

/* Weights are equal and bounds few, so that shares follow from the orders. */
static void draw_wide_queue(world *w, world_source *s, uint32_t row, int share)
{
    static const int64_t orders[] = {SKED_ORDER_POLICY_DRF,
                                     SKED_ORDER_POLICY_UTILISATION,
                                     SKED_ORDER_POLICY_FAIR, WORLD_ORDER_SHARE};
    int64_t *number = w->queue[row].number;

    if (row > 0) {
        if (world_percent(s, 25)) draw_bounds(w, s, row, 1);
        draw_numbers(w, s, row);
        if (world_percent(s, 80)) number[SKED_QUEUE_WEIGHT] = SKED_UNSET;
    }
    if (world_is_leaf(w, row)) {
        draw_leaf(w, s, row);
        return;
    }
    number[SKED_QUEUE_ORDER] = orders[world_below(s, share ? 4 : 3)];
    if (world_percent(s, 30)) {
        number[SKED_QUEUE_FAIR_KIND] = (int64_t)world_below(s, w->kinds);
    }
}

/* Jobs go from leaf to leaf, so that most leaves want something. */
static void spread_jobs(world *w, world_source *s)
{
    uint32_t row = (uint32_t)world_below(s, w->rows);

    for (uint32_t j = 0; j < w->jobs; j++) {
        do row = (row + 1) % w->rows;
        while (!world_is_leaf(w, row));
        w->job[j].queue = (int32_t)row;
    }
}

/* Some plain asks want a part of what they could have. */
static void draw_small(world *w, world_source *s)
{
    const uint32_t counted = SKED_ASK_GANG | SKED_ASK_SPREAD | SKED_ASK_MASTER;

    for (uint32_t a = 0; a < w->asks; a++) {
        world_ask *ask = &w->ask[a];
        int64_t part = world_from(s, 3, 40);
        if (ask->flags & counted || ask->adopt || ask->at_once) continue;
        if (!world_percent(s, 40)) continue;
        ask->count = 1 + world_tasks_held(w, ask) * part / 100;
    }
}

static void draw_wide_calm(world *w)
{
    for (uint32_t row = 0; row < w->rows; row++) {
        int64_t *number = w->queue[row].number;
        number[SKED_QUEUE_USER_LIMIT] = SKED_UNSET;
        number[SKED_QUEUE_USER_FACTOR] = SKED_UNSET;
        number[SKED_QUEUE_AM_SHARE] = SKED_UNSET;
    }
    world_lead_to_shares(w);
}

void world_draw_wide(world *w, world_source *s, int share)
{
    if (!world_percent(s, 20)) return;
    memset(w->queue, 0, sizeof w->queue);
    draw_wide_shape(w, s);
    for (uint32_t row = 0; row < w->rows; row++) {
        draw_wide_queue(w, s, row, share);
    }
    spread_jobs(w, s);
    if (world_percent(s, 50)) draw_small(w, s);
    for (uint32_t i = 0; i < w->edits; i++) {
        w->edit[i].queue = 1 + (w->edit[i].queue - 1) % ((int32_t)w->rows - 1);
    }
    for (uint32_t i = 0; i < w->says; i++) {
        int32_t *queue = &w->say[i].queue;
        *queue = 1 + (*queue - 1) % ((int32_t)w->rows - 1);
        if (w->queue[*queue].number[SKED_QUEUE_WEIGHT] == 0) {
            w->queue[*queue].number[SKED_QUEUE_WEIGHT] = SKED_UNSET;
        }
    }
    if (w->calm) draw_wide_calm(w);
}

int world_has_share(void)
{
    static const char *const kinds[] = {"a"};
    sked_schema *schema = NULL;
    sked_tree *tree = NULL;
    int has = 0;

    if (!sked_schema_new(kinds, NULL, 1, NULL, &schema, NULL) &&
        !sked_tree_new(schema, NULL, NULL, &tree, NULL)) {
        has = sked_tree_set(tree, sked_tree_root(tree), SKED_QUEUE_ORDER,
                            WORLD_ORDER_SHARE, NULL) == SKED_OK;
    }
    sked_tree_free(tree);
    sked_schema_free(schema);
    return has;
}
