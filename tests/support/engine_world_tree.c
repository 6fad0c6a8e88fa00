/* The trees of random worlds, and how their engines are set. */
#include "engine_world.h"

#include <stdio.h>
#include <string.h>

#include "forest.h"
#include "test.h"

static void set_number(engine_world *w, sked_tree *tree, sked_queue_id queue,
                       int32_t attribute, uint64_t most)
{
    (void)!sked_tree_set(tree, queue, attribute,
                         (int64_t)world_below(w, most + 1), NULL);
}

/* Many parts are wide, or nothing would run. */
static void set_part(engine_world *w, sked_tree *tree, sked_queue_id queue,
                     int32_t attribute)
{
    uint64_t low = world_below(w, 4) ? SKED_PPM / 2 : 0;

    (void)!sked_tree_set(tree, queue, attribute,
                         (int64_t)(low + world_below(w, SKED_PPM - low + 1)),
                         NULL);
}

static void set_amounts(engine_world *w, sked_tree *tree, sked_queue_id queue,
                        int32_t attribute, uint64_t most)
{
    int64_t amounts[WORLD_KINDS];

    for (int k = 0; k < WORLD_KINDS; k++) {
        int bounded = attribute == SKED_QUEUE_GUARANTEE || world_below(w, 2);
        amounts[k] = bounded ? (int64_t)world_below(w, most + 1)
                             : SKED_UNLIMITED;
    }
    (void)!sked_tree_set_vec(tree, queue, attribute, amounts, NULL);
}

static void set_user_weight(engine_world *w, sked_tree *tree,
                            sked_queue_id queue)
{
    char name[] = "u0";

    name[1] = (char)('0' + world_below(w, 5));
    (void)!sked_tree_set_user_weight(tree, queue, name,
                                     (int64_t)world_below(w, 4), NULL);
}

static void set_preemption(engine_world *w, sked_tree *tree,
                           sked_queue_id queue)
{
    switch (world_below(w, 4)) {
    case 0: set_number(w, tree, queue, SKED_QUEUE_PREEMPT_FROM, 1); break;
    case 1:
        (void)!sked_tree_set(tree, queue, SKED_QUEUE_PREEMPT_MIN_TIMEOUT,
                             (int64_t)world_below(w, 40) * w->tick, NULL);
        break;
    case 2:
        (void)!sked_tree_set(tree, queue, SKED_QUEUE_PREEMPT_FAIR_TIMEOUT,
                             (int64_t)world_below(w, 60) * w->tick, NULL);
        break;
    default: set_part(w, tree, queue, SKED_QUEUE_PREEMPT_FAIR_THRESHOLD);
    }
}

static void set_rate(engine_world *w, sked_tree *tree, sked_queue_id queue)
{
    int64_t rate = 1 + (int64_t)world_below(w, world_below(w, 8) ? 6 : 100);

    (void)!sked_tree_set(tree, queue, SKED_QUEUE_START_RATE,
                         world_below(w, 8) ? rate : SKED_UNSET, NULL);
}

static void set_something(engine_world *w, sked_tree *tree, sked_queue_id queue)
{
    if (w->preempts && world_below(w, 3)) {
        set_preemption(w, tree, queue);
        return;
    }
    if (w->rated && world_below(w, 3) == 0) {
        set_rate(w, tree, queue);
        return;
    }
    switch (world_below(w, 19)) {
    case 0: set_number(w, tree, queue, SKED_QUEUE_WEIGHT, 4); break;
    case 1:
    case 2:
    case 3:
        set_number(w, tree, queue, SKED_QUEUE_ORDER, SKED_ORDER_POLICY_SHARE);
        break;
    case 4: set_number(w, tree, queue, SKED_QUEUE_FAIR_KIND, 2); break;
    case 5:
    case 6: set_number(w, tree, queue, SKED_QUEUE_APPS, 4); break;
    case 7:
        if (world_below(w, 2)) {
            set_number(w, tree, queue, SKED_QUEUE_MAX_RUNNING, 12);
        }
        break;
    case 8: set_number(w, tree, queue, SKED_QUEUE_USER_LIMIT, SKED_PPM); break;
    case 9: set_number(w, tree, queue, SKED_QUEUE_PRIORITY, 3); break;
    case 10: set_number(w, tree, queue, SKED_QUEUE_TIER, 2); break;
    case 11: set_part(w, tree, queue, SKED_QUEUE_GUARANTEE_PPM); break;
    case 12: set_part(w, tree, queue, SKED_QUEUE_LIMIT_PPM); break;
    case 13: set_amounts(w, tree, queue, SKED_QUEUE_GUARANTEE, 100); break;
    case 14: set_amounts(w, tree, queue, SKED_QUEUE_LIMIT, 400); break;
    case 15: set_amounts(w, tree, queue, SKED_QUEUE_LEND, 60); break;
    case 16: set_part(w, tree, queue, SKED_QUEUE_AM_SHARE); break;
    case 17:
        set_number(w, tree, queue, SKED_QUEUE_USER_FACTOR, 2 * SKED_PPM);
        break;
    default:
        if (world_below(w, 2))
            set_user_weight(w, tree, queue);
        else
            set_amounts(w, tree, queue, SKED_QUEUE_BORROW, 200);
    }
}

static void add_queue(engine_world *w, sked_tree *tree)
{
    char name[16];
    sked_queue_id id;

    if (w->queues == WORLD_QUEUES) return;
    (void)snprintf(name, sizeof name, "q%llu",
                   (unsigned long long)test_word(&w->words) % 100000);
    if (sked_tree_add(tree, world_queue(w), name, &id, NULL) != SKED_OK) return;
    w->queue[w->queues++] = id;
}

void world_edit(engine_world *w, sked_tree *tree, size_t steps)
{
    for (size_t i = 0; i < steps; i++) {
        sked_queue_id queue = world_queue(w);
        switch (world_below(w, 24)) {
        case 0: add_queue(w, tree); break;
        case 1: (void)!sked_tree_move(tree, queue, world_queue(w), NULL); break;
        case 2:
            if (world_below(w, 6)) break;
            (void)!sked_tree_remove(tree, queue, NULL, SKED_TREE_REMOVE_REFUSE,
                                    NULL);
            break;
        case 3:
            (void)!sked_tree_set(
                tree, queue, SKED_QUEUE_STATE,
                world_below(w, 6) ? SKED_UNSET : SKED_STATE_DRAINING, NULL);
            break;
        default: set_something(w, tree, queue);
        }
    }
    assert_ok(sked_tree_commit(tree, SKED_TREE_COMMIT_LENIENT, NULL));
}

void world_start(engine_world *w, uint64_t seed, size_t queues, uint32_t nodes)
{
    memset(w, 0, sizeof *w);
    w->words.state = seed;
    w->tree = forest_tree(NULL, NULL);
    assert_non_null(w->tree);
    w->queue[w->queues++] = sked_tree_root(w->tree);
    while (w->queues < queues) add_queue(w, w->tree);
    w->nodes = nodes;
    w->users = 5;
    w->partitions = 1 + (uint32_t)world_below(w, 4);
    w->tick = 1;
    for (size_t i = 0; i < 2 * queues; i++) {
        set_something(w, w->tree, world_queue(w));
    }
    assert_ok(sked_tree_commit(w->tree, SKED_TREE_COMMIT_LENIENT, NULL));
}

void world_end(engine_world *w)
{
    sked_tree_free(w->tree);
    for (int i = 0; i < SKED_MAX_LIMIT_TREES; i++) {
        sked_tree_free(w->limits[i]);
    }
}

void world_crowd(engine_world *w)
{
    w->crowded = 1;
    w->partitions = 1;
}

void world_contend(engine_world *w)
{
    w->preempts = 1;
    w->partitions = world_below(w, 3) ? 1 : 1 + (uint32_t)world_below(w, 3);
    w->tick = world_below(w, 2) ? 1 : INT64_C(1000000000);
    for (size_t i = 1; i < w->queues; i++) {
        sked_queue_id queue = w->queue[i];
        if (world_below(w, 3)) {
            (void)!sked_tree_set(w->tree, queue, SKED_QUEUE_GUARANTEE_PPM,
                                 (int64_t)world_below(w, 5) * SKED_PPM / 10,
                                 NULL);
        }
        if (world_below(w, 4) == 0) set_preemption(w, w->tree, queue);
        (void)!sked_tree_set(w->tree, queue, SKED_QUEUE_LIMIT_PPM, SKED_UNSET,
                             NULL);
    }
    assert_ok(sked_tree_commit(w->tree, SKED_TREE_COMMIT_LENIENT, NULL));
}

void world_rate(engine_world *w)
{
    w->rated = 1;
    w->tick = INT64_C(1000000000) / (1 + (int64_t)world_below(w, 40));
    for (size_t i = 0; i < w->queues; i++) {
        if (world_below(w, 2)) set_rate(w, w->tree, w->queue[i]);
    }
    assert_ok(sked_tree_commit(w->tree, SKED_TREE_COMMIT_LENIENT, NULL));
}

/* One of three settings: none, the default, or a part. */
static int64_t draw_part(engine_world *w)
{
    uint64_t what = world_below(w, 3);

    return what == 0 ? -1 : what == 1 ? 0 : (int64_t)world_below(w, SKED_PPM);
}

/* Only what the dialect has is said. */
static void draw_targets(engine_world *w)
{
    sked_target_options *t = &w->targets;

    *t = (sked_target_options){
        .struct_size = sizeof *t,
        .flags = (uint32_t)world_below(w, 2) * SKED_TARGET_FLAG_PRIORITY,
        .mode = (int32_t)world_below(w, 3),
        .ignored_ppm = world_below(w, 2) ? -1 : draw_part(w),
        .factor_ppm = world_below(w, 2) ? SKED_PPM
                                        : (int64_t)world_below(w, SKED_PPM),
        .per_round_ppm = world_below(w, 2) ? -1 : draw_part(w),
    };
    if (t->mode == SKED_TARGET_MODE_IMBALANCE && world_below(w, 2)) {
        t->flags |= (uint32_t)world_below(w, 8);
    }
    if (t->mode == SKED_TARGET_MODE_STARVATION && world_below(w, 3)) {
        t->utilisation_ppm = -1;
    }
    if (t->mode == SKED_TARGET_MODE_ENTITLEMENT) {
        t->cycles = 1 + (uint32_t)world_below(w, 3);
    }
}

const sked_engine_preempt_options *world_preemption(engine_world *w)
{
    static const uint32_t flags[] = {SKED_PREEMPT_FLAG_BY_USER,
                                     SKED_PREEMPT_FLAG_BY_PRIORITY};
    sked_engine_preempt_options *p = &w->preemption;

    draw_targets(w);
    w->rounds = (sked_round_options){
        .struct_size = sizeof w->rounds,
        .flags = world_below(w, 10) ? 0 : SKED_ROUND_FLAG_OBSERVE,
        .grace_ns = world_below(w, 5)
                        ? 1 + (int64_t)world_below(w, 60) * w->tick
                        : -1,
    };
    *p = (sked_engine_preempt_options){
        .struct_size = sizeof *p,
        .work = world_below(w, 4) ? 0 : 1 + world_below(w, 20),
        .keep_for_ns = 1 + (int64_t)world_below(w, 60) * w->tick,
        .targets = &w->targets,
        .rounds = &w->rounds,
    };
    for (int i = 0; i < 2; i++) {
        if (world_below(w, 3) == 0) p->flags |= flags[i];
    }
    return p;
}

void world_bound_users(engine_world *w)
{
    w->users = 3;
    w->partitions = 1 + (uint32_t)world_below(w, 2);
    for (size_t i = 0; i < w->queues; i++) {
        sked_queue_id queue = w->queue[i];
        if (world_below(w, 2)) {
            set_number(w, w->tree, queue, SKED_QUEUE_MAX_RUNNING, 12);
        }
        if (world_below(w, 8)) {
            set_number(w, w->tree, queue, SKED_QUEUE_USER_LIMIT, SKED_PPM / 4);
        }
        if (world_below(w, 2)) {
            set_number(w, w->tree, queue, SKED_QUEUE_USER_FACTOR, SKED_PPM);
            set_part(w, w->tree, queue, SKED_QUEUE_GUARANTEE_PPM);
        }
        set_number(w, w->tree, queue, SKED_QUEUE_APPS, 4);
        if (world_below(w, 2)) {
            (void)!sked_tree_set(w->tree, queue, SKED_QUEUE_APPS,
                                 SKED_APPS_USER_FAIR, NULL);
        }
        for (int user = 0; user < 3; user++) {
            set_user_weight(w, w->tree, queue);
        }
    }
    assert_ok(sked_tree_commit(w->tree, SKED_TREE_COMMIT_LENIENT, NULL));
}

sked_engine_options world_options(engine_world *w)
{
    sked_engine_options o = {.struct_size = sizeof o};

    o.seed = world_below(w, 3);
    if (world_below(w, 2))
        o.confirm_within_ns = 1 + (int64_t)world_below(w, 60);
    if (world_below(w, 2)) o.node_delay_ns = (int64_t)world_below(w, 40);
    if (world_below(w, 2)) o.rack_delay_ns = (int64_t)world_below(w, 40);
    if (world_below(w, 4) == 0)
        o.max_per_pass = 1 + (uint32_t)world_below(w, 3);
    /* Draws of an option that is gone: seeds stand for the same worlds. */
    if (world_below(w, 4) == 0) (void)world_below(w, 4);
    if (world_below(w, 3) == 0) o.max_untaken = 1 + (uint32_t)world_below(w, 6);
    if (world_below(w, 2)) o.max_user_running = 1 + (uint32_t)world_below(w, 8);
    if (w->hosted && world_below(w, 5) == 0) o.flags = SKED_ENGINE_FLAG_WAIT;
    if (w->hosted && world_below(w, 4) == 0) {
        w->pooled = o.pooled = 1 + (uint32_t)world_below(w, 2);
    }
    if (w->forms) o.form_nodes = 1 + (uint32_t)world_below(w, 4);
    if (w->forms && world_below(w, 2))
        o.form_for_ns = 1 + (int64_t)world_below(w, 60);
    if (w->forms && w->placing) o.max_per_pass = 0;
    if (!w->preempts) return o;
    o.confirm_within_ns *= 4 * w->tick; /* or nothing runs for long */
    o.node_delay_ns *= w->tick;
    o.rack_delay_ns *= w->tick;
    if (world_below(w, 4)) o.max_untaken = o.max_user_running = 0;
    return o;
}
