/* Draws worlds: each attribute and each event with a chance of its own. */
#include "world.h"

#include <string.h>

uint64_t world_below(world_source *s, uint64_t n)
{
    uint64_t z;

    if (s->at) {
        uint64_t low = s->at < s->end ? *s->at++ : 0;
        uint64_t high = n > 256 && s->at < s->end ? *s->at++ : 0;
        return (high << 8 | low) % n;
    }
    z = s->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (z ^ z >> 31) % n;
}

int world_percent(world_source *s, uint64_t chance)
{
    return world_below(s, 100) < chance;
}

int64_t world_from(world_source *s, int64_t least, int64_t most)
{
    return least + (int64_t)world_below(s, (uint64_t)(most - least + 1));
}

int world_is_leaf(const world *w, uint32_t row)
{
    for (uint32_t i = row + 1; i < w->rows; i++) {
        if (w->queue[i].parent == (int32_t)row) return 0;
    }
    return row != 0;
}

int world_is_gang(const world_ask *a)
{
    return (a->flags & (SKED_ASK_GANG | SKED_ASK_SPREAD)) == SKED_ASK_GANG;
}

int world_is_elastic(const world_ask *a)
{
    return (a->flags & SKED_ASK_SPREAD) != 0 && a->at_once != 0;
}

int world_is_bound(const world_ask *a)
{
    return a->same && !(a->flags & SKED_ASK_PREFER_SAME);
}

int world_is_alone(const world_ask *a)
{
    return (a->flags & SKED_ASK_EXCLUSIVE) != 0;
}

int world_is_pooled(const world *w, uint32_t kind)
{
    return w->options.pooled >> kind & 1;
}

int world_is_late(const world *w, uint32_t ask)
{
    return w->job[w->ask[ask].job].late;
}

/* ---- The cluster ---- */

static void draw_nodes(world *w, world_source *s)
{
    static const int64_t units[] = {1, 1, 3, 20};
    int64_t unit = units[world_below(s, 4)];

    w->kinds = 1 + (uint32_t)world_below(s, WORLD_KINDS);
    w->plenty = w->kinds > 1 && world_percent(s, 40)
                    ? (int32_t)world_below(s, w->kinds)
                    : -1;
    w->parts = world_percent(s, 20) ? 2 : 1;
    w->nodes = world_percent(s, 45) ? w->parts
                                    : w->parts + (uint32_t)world_below(s, 4);
    for (uint32_t n = 0; n < w->nodes; n++) {
        world_node *node = &w->node[n];
        node->partition = n % w->parts;
        node->rack = world_below(s, 3);
        for (uint32_t k = 0; k < w->kinds; k++) {
            node->capacity[k] = world_from(s, 4, 16) * unit;
            if ((int32_t)k == w->plenty) node->capacity[k] *= 50;
        }
        if (world_percent(s, 6)) node->then = NODE_DRAINS;
        if (world_percent(s, 5)) node->then = NODE_IS_LOST;
    }
}

static void draw_options(world *w, world_source *s)
{
    sked_engine_options *o = &w->options;

    o->struct_size = sizeof *o;
    o->seed = world_below(s, 1000);
    if (world_percent(s, 8)) o->confirm_within_ns = 5 * WORLD_STEP;
    if (world_percent(s, 20))
        o->node_delay_ns = world_from(s, 1, 3) * WORLD_STEP;
    if (world_percent(s, 20))
        o->rack_delay_ns = world_from(s, 1, 3) * WORLD_STEP;
    if (world_percent(s, 10))
        o->node_delay_ns = world_from(s, 1, 4) * WORLD_STEP;
    if (world_percent(s, 10)) o->max_per_pass = (uint32_t)world_from(s, 1, 4);
    if (world_percent(s, 7))
        o->max_user_running = (uint32_t)world_from(s, 1, 3);
    w->beats = (uint8_t)world_percent(s, 30);
    w->slow = (uint8_t)world_percent(s, 30);
    w->recommit = (uint8_t)world_percent(s, 15);
}

/* ---- Preemption ---- */

static void draw_targets(sked_target_options *t, world_source *s)
{
    t->struct_size = sizeof *t;
    t->mode = (int32_t)world_below(s, 3);
    if (t->mode == SKED_TARGET_MODE_IMBALANCE && world_percent(s, 25)) {
        t->flags |= SKED_TARGET_FLAG_BALANCE;
    }
    if (world_percent(s, 8)) t->flags |= SKED_TARGET_FLAG_PRIORITY;
    if (t->mode == SKED_TARGET_MODE_IMBALANCE && world_percent(s, 15)) {
        t->flags |= SKED_TARGET_FLAG_BY_WEIGHT;
    }
    if (t->mode == SKED_TARGET_MODE_ENTITLEMENT) {
        t->cycles = (uint32_t)world_from(s, 1, 3);
    }
    t->ignored_ppm = world_percent(s, 50) ? -1 : world_from(s, 0, 3) * 100000;
    t->factor_ppm = world_percent(s, 70) ? SKED_PPM
                                         : world_from(s, 0, 3) * 200000;
    t->per_round_ppm = world_percent(s, 75) ? -1 : world_from(s, 0, 3) * 200000;
    if (t->mode != SKED_TARGET_MODE_STARVATION) return;
    t->utilisation_ppm = world_percent(s, 65) ? -1
                                              : world_from(s, 0, 2) * 300000;
}

static void draw_preemption(world *w, world_source *s)
{
    w->preempts = (uint8_t)world_percent(s, w->mode == WORLD_ENDS ? 40 : 85);
    draw_targets(&w->targets, s);
    w->rounds = (sked_round_options){.struct_size = sizeof w->rounds};
    w->rounds.grace_ns = world_percent(s, 40)
                             ? -1
                             : world_from(s, 1, 3) * WORLD_STEP;
    if (world_percent(s, 6)) w->rounds.flags |= SKED_ROUND_FLAG_OBSERVE;
    if (world_percent(s, 20)) w->rounds.grace_ns = -1;
    if (world_percent(s, 25)) w->flags |= SKED_PREEMPT_FLAG_BY_USER;
    if (world_percent(s, 30)) w->flags |= SKED_PREEMPT_FLAG_BY_PRIORITY;
    (void)world_percent(s, 10); /* two draws that keep the worlds of a seed */
    (void)world_below(s, 4);
}

void world_draw_policies(world *w, world_source *s)
{
    if (!world_percent(s, 50)) return;
    w->more_policies = (uint32_t)world_from(s, 1, WORLD_POLICIES - 1);
    for (uint32_t i = 0; i < w->more_policies; i++) {
        draw_targets(&w->more_targets[i], s);
    }
}

uint32_t world_policies(const world *w)
{
    return 1 + w->more_policies;
}

const sked_target_options *world_policy(const world *w, uint32_t i)
{
    return i ? &w->more_targets[i - 1] : &w->targets;
}

/* A leaf's tasks are alike; in half of the worlds all are. */
static void draw_alike(world *w, world_source *s)
{
    int all = world_percent(s, 50);

    for (uint32_t a = 1; a < w->asks; a++) {
        for (uint32_t b = 0; b < a; b++) {
            if (!all &&
                w->job[w->ask[a].job].queue != w->job[w->ask[b].job].queue) {
                continue;
            }
            for (uint32_t k = 0; k < w->kinds; k++) {
                w->ask[a].amount[k] = w->ask[b].amount[k];
            }
            break;
        }
    }
    w->alike = (uint8_t)all;
}

/* Nothing but queues keeps work from its share, and all orders lead to it. */
static void calm_down(world *w, world_source *s, int share)
{
    static const int64_t orders[] = {
        SKED_ORDER_POLICY_DRF, SKED_ORDER_POLICY_FAIR,
        SKED_ORDER_POLICY_UTILISATION, SKED_ORDER_POLICY_UTILISATION,
        WORLD_ORDER_SHARE};

    w->calm = 1;
    w->nodes = w->parts = 1;
    w->node[0].then = NODE_STAYS;
    w->options.max_per_pass = 0;
    draw_alike(w, s);
    for (uint32_t a = 0; a < w->asks; a++) {
        w->ask[a].places = w->ask[a].partition = 0;
        w->ask[a].flags &= ~(uint32_t)(SKED_ASK_GANG | SKED_ASK_STRICT);
    }
    for (uint32_t row = 0; row < w->rows; row++) {
        int64_t *number = w->queue[row].number;
        number[SKED_QUEUE_USER_LIMIT] = SKED_UNSET;
        number[SKED_QUEUE_USER_FACTOR] = SKED_UNSET;
        number[SKED_QUEUE_AM_SHARE] = SKED_UNSET;
        if (world_is_leaf(w, row)) continue;
        number[SKED_QUEUE_ORDER] = orders[world_below(s, share ? 5 : 4)];
    }
    for (uint32_t i = 0; i < w->edits; i++) {
        if (w->edit[i].attribute == SKED_QUEUE_ORDER) {
            w->edit[i].value = SKED_ORDER_POLICY_FAIR;
        }
    }
}

void world_draw(world *w, world_source *s, int share)
{
    static const int32_t modes[] = {WORLD_STAYS, WORLD_STAYS, WORLD_STAYS,
                                    WORLD_ENDS,  WORLD_ENDS,  WORLD_CHANGES};

    memset(w, 0, sizeof *w);
    w->seed = world_below(s, UINT64_MAX);
    w->mode = modes[world_below(s, 6)];
    w->ends = 100000 + (uint32_t)world_below(s, 3) * 150000;
    draw_nodes(w, s);
    world_draw_tree(w, s, share);
    world_draw_work(w, s);
    draw_options(w, s);
    draw_preemption(w, s);
    if (w->mode == WORLD_ENDS && world_percent(s, 60)) calm_down(w, s, share);
}
