#include "engine_world.h"

#include <stdio.h>
#include <string.h>

#include "forest.h"
#include "test.h"

#include "queue/image.h"

static uint64_t below(engine_world *w, uint64_t n)
{
    return test_below(&w->words, n);
}

/* ---- Trees ---- */

static sked_queue_id any_queue(engine_world *w)
{
    return w->queue[below(w, w->queues)];
}

/* A leaf of the last commit, as a rule. */
static sked_queue_id any_leaf(engine_world *w)
{
    const skedi_image *image = skedi_tree_image(w->tree);
    uint64_t at = below(w, image->n_leaves);

    return below(w, 30) ? image->id[image->leaf[at]] : any_queue(w);
}

/* One of the keys given out lately, or any, or none. */
static uint64_t recent_key(engine_world *w, uint64_t last, uint64_t window)
{
    uint64_t back = below(w, 20) ? below(w, window) : below(w, last + 2);

    return back < last ? last - back : 0;
}

/* The next key as a rule, or one that may be taken. */
static uint64_t fresh_key(engine_world *w, uint64_t *last)
{
    return below(w, 10) ? ++*last : recent_key(w, *last, 8);
}

static void set_number(engine_world *w, sked_tree *tree, sked_queue_id queue,
                       int32_t attribute, uint64_t most)
{
    (void)!sked_tree_set(tree, queue, attribute, (int64_t)below(w, most + 1),
                         NULL);
}

/* Many parts are wide, or nothing would run. */
static void set_part(engine_world *w, sked_tree *tree, sked_queue_id queue,
                     int32_t attribute)
{
    uint64_t low = below(w, 4) ? SKED_PPM / 2 : 0;

    (void)!sked_tree_set(tree, queue, attribute,
                         (int64_t)(low + below(w, SKED_PPM - low + 1)), NULL);
}

static void set_amounts(engine_world *w, sked_tree *tree, sked_queue_id queue,
                        int32_t attribute, uint64_t most)
{
    int64_t amounts[WORLD_KINDS];

    for (int k = 0; k < WORLD_KINDS; k++) {
        int bounded = attribute == SKED_QUEUE_GUARANTEE || below(w, 2);
        amounts[k] = bounded ? (int64_t)below(w, most + 1) : SKED_UNLIMITED;
    }
    (void)!sked_tree_set_vec(tree, queue, attribute, amounts, NULL);
}

static void set_user_weight(engine_world *w, sked_tree *tree,
                            sked_queue_id queue)
{
    char name[] = "u0";

    name[1] = (char)('0' + below(w, 5));
    (void)!sked_tree_set_user_weight(tree, queue, name, (int64_t)below(w, 4),
                                     NULL);
}

static void set_something(engine_world *w, sked_tree *tree, sked_queue_id queue)
{
    switch (below(w, 16)) {
    case 0: set_number(w, tree, queue, SKED_QUEUE_WEIGHT, 4); break;
    case 1:
    case 2:
    case 3: set_number(w, tree, queue, SKED_QUEUE_ORDER, 6); break;
    case 4: set_number(w, tree, queue, SKED_QUEUE_FAIR_KIND, 2); break;
    case 5:
    case 6: set_number(w, tree, queue, SKED_QUEUE_APPS, 4); break;
    case 7:
        if (below(w, 2)) {
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
    default:
        if (below(w, 2))
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
    if (sked_tree_add(tree, any_queue(w), name, &id, NULL) != SKED_OK) return;
    w->queue[w->queues++] = id;
}

void world_edit(engine_world *w, sked_tree *tree, size_t steps)
{
    for (size_t i = 0; i < steps; i++) {
        sked_queue_id queue = any_queue(w);
        switch (below(w, 24)) {
        case 0: add_queue(w, tree); break;
        case 1: (void)!sked_tree_move(tree, queue, any_queue(w), NULL); break;
        case 2:
            if (below(w, 6)) break;
            (void)!sked_tree_remove(tree, queue, NULL, SKED_REMOVE_REFUSE,
                                    NULL);
            break;
        case 3:
            (void)!sked_tree_set(tree, queue, SKED_QUEUE_STATE,
                                 below(w, 6) ? SKED_UNSET : SKED_STATE_DRAINING,
                                 NULL);
            break;
        default: set_something(w, tree, queue);
        }
    }
    assert_ok(sked_tree_commit(tree, SKED_COMMIT_LENIENT, NULL));
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
    w->partitions = 1 + (uint32_t)below(w, 4);
    for (size_t i = 0; i < 2 * queues; i++) {
        set_something(w, w->tree, any_queue(w));
    }
    assert_ok(sked_tree_commit(w->tree, SKED_COMMIT_LENIENT, NULL));
}

void world_end(engine_world *w)
{
    sked_tree_free(w->tree);
}

void world_crowd(engine_world *w)
{
    w->crowded = 1;
    w->partitions = 1;
}

void world_bound_users(engine_world *w)
{
    w->users = 3;
    w->partitions = 1 + (uint32_t)below(w, 2);
    for (size_t i = 0; i < w->queues; i++) {
        sked_queue_id queue = w->queue[i];
        if (below(w, 2)) {
            set_number(w, w->tree, queue, SKED_QUEUE_MAX_RUNNING, 12);
        }
        if (below(w, 8)) {
            set_number(w, w->tree, queue, SKED_QUEUE_USER_LIMIT, SKED_PPM / 4);
        }
        set_number(w, w->tree, queue, SKED_QUEUE_APPS, 4);
        if (below(w, 2)) {
            (void)!sked_tree_set(w->tree, queue, SKED_QUEUE_APPS,
                                 SKED_APPS_USER_FAIR, NULL);
        }
        for (int user = 0; user < 3; user++) {
            set_user_weight(w, w->tree, queue);
        }
    }
    assert_ok(sked_tree_commit(w->tree, SKED_COMMIT_LENIENT, NULL));
}

sked_engine_options world_options(engine_world *w)
{
    sked_engine_options o = {.struct_size = sizeof o};

    o.seed = below(w, 3);
    if (below(w, 2)) o.confirm_within = 1 + (int64_t)below(w, 60);
    if (below(w, 2)) o.node_delay = (int64_t)below(w, 40);
    if (below(w, 2)) o.rack_delay = (int64_t)below(w, 40);
    if (below(w, 2)) o.node_misses = (uint32_t)below(w, 6);
    if (below(w, 2)) o.rack_misses = (uint32_t)below(w, 6);
    if (below(w, 4) == 0) o.max_per_pass = 1 + (uint32_t)below(w, 3);
    if (below(w, 3) == 0) o.max_untaken = 1 + (uint32_t)below(w, 6);
    if (below(w, 2)) o.max_user_running = 1 + (uint32_t)below(w, 8);
    return o;
}

/* ---- Events ---- */

static void draw_amounts(engine_world *w, uint64_t most)
{
    for (int k = 0; k < WORLD_KINDS; k++) {
        w->amounts[k] = below(w, 3) ? (int64_t)below(w, most + 1) : 0;
    }
    if (below(w, 300) == 0) w->amounts[below(w, WORLD_KINDS)] = INT64_MIN;
    if (below(w, 300) == 0) w->amounts[below(w, WORLD_KINDS)] = SKED_AMOUNT_MAX;
    w->event.amount = below(w, 300) ? 1 : (uint32_t)below(w, 4);
}

static void draw_places(engine_world *w)
{
    uint32_t n = (uint32_t)below(w, 4);

    if (below(w, 3)) return;
    w->event.places = below(w, 100) ? 1 : 2;
    for (uint32_t i = 0; i < n; i++) w->places[i] = 1 + below(w, w->nodes + 1);
    w->offsets[1] = (int32_t)n;
}

static void draw_node(engine_world *w)
{
    static const int32_t kinds[] = {
        SKED_EVENT_NODE_UP,     SKED_EVENT_NODE_UP,   SKED_EVENT_NODE_UP,
        SKED_EVENT_NODE_UP,     SKED_EVENT_NODE_DOWN, SKED_EVENT_NODE_CHANGE,
        SKED_EVENT_NODE_CHANGE, SKED_EVENT_NODE_DRAIN};

    w->event.kind = kinds[below(w, 8)];
    w->event.key = below(w, 40) ? 1 + below(w, w->nodes) : 0;
    w->event.owner = below(w, 4);
    w->event.partition = (uint32_t)below(w, w->partitions);
    draw_amounts(w, 60);
}

static void draw_job(engine_world *w)
{
    uint64_t what = below(w, w->crowded && below(w, 8) ? 15 : 20);

    w->event.kind = what < 11   ? SKED_EVENT_JOB_SUBMIT
                    : what < 15 ? SKED_EVENT_JOB_UPDATE
                    : what < 17 ? SKED_EVENT_JOB_CANCEL
                                : SKED_EVENT_JOB_FINISH;
    w->event.key = what < 11 ? fresh_key(w, &w->jobs)
                             : recent_key(w, w->jobs, 16);
    w->event.owner = below(w, 200) ? below(w, w->users) : UINT64_MAX;
    w->event.flags = below(w, 100) ? (uint32_t)below(w, 2) : 64;
    w->event.priority = (int32_t)below(w, 4) - 2;
    int priority = w->event.kind == SKED_EVENT_JOB_UPDATE && below(w, 2);
    if (!priority) w->event.queue = any_leaf(w);
}

static void draw_ask(engine_world *w)
{
    uint64_t what = below(w, 20);

    w->event.kind = what < 14   ? SKED_EVENT_ASK_ADD
                    : what < 18 ? SKED_EVENT_ASK_CHANGE
                                : SKED_EVENT_ASK_WITHDRAW;
    w->event.key = what < 14 ? fresh_key(w, &w->asks)
                             : recent_key(w, w->asks, 24);
    w->event.owner = recent_key(w, w->jobs, 16);
    w->event.count = 1 + (int64_t)below(w, below(w, 4) ? 6 : 20);
    if (below(w, 200) == 0) {
        uint64_t power = below(w, 40); /* more than an ask may have, or few: */
        power += power > 8 ? 22 : 0;   /* the twin starts them one by one */
        w->event.count = INT64_C(1) << power;
    }
    w->event.priority = (int32_t)below(w, 3);
    w->event.partition = (uint32_t)below(w, w->partitions);
    if (below(w, 4) == 0) w->event.partition = SKED_ANY_PARTITION;
    if (below(w, 400) == 0) w->event.partition = SKED_MAX_PARTITIONS;
    if (below(w, 5) == 0) w->event.flags |= SKED_ASK_GANG;
    if (below(w, 12) == 0) w->event.flags |= SKED_ASK_STRICT;
    if (below(w, 200) == 0) w->event.flags |= 64;
    draw_amounts(w, w->crowded ? 40 : below(w, 5) ? 6 : 30);
    draw_places(w);
}

static void draw_task(engine_world *w)
{
    uint64_t what = below(w, 20);
    world_group none = {below(w, 5), 1};
    world_group *g = w->groups ? &w->group[below(w, w->groups)] : &none;

    w->event.kind = what < 5    ? SKED_EVENT_TASK_CONFIRM
                    : what < 8  ? SKED_EVENT_TASK_REFUSE
                    : what < 16 ? SKED_EVENT_TASK_FINISH
                    : what < 18 ? SKED_EVENT_TASK_FAIL
                                : SKED_EVENT_TASK_LOST;
    w->event.key = g->name;
    w->event.count = below(w, 3) ? g->count : (int64_t)below(w, 4);
    if (what < 5) return;
    g->count -= w->event.count;
    if (g->count > 0 || below(w, 8) == 0) return;
    *g = w->group[w->groups ? w->groups - 1 : 0];
    if (w->groups) w->groups--;
}

void world_next(engine_world *w)
{
    uint64_t what = below(w, 100);

    w->event = (sked_event){.kind = SKED_EVENT_TICK};
    w->offsets[0] = w->offsets[1] = 0;
    w->batch = (sked_events){
        .struct_size = sizeof w->batch,
        .events = &w->event,
        .n = 1,
        .amounts = w->amounts,
        .n_amounts = 1,
        .place_offsets = w->offsets,
        .places = w->places,
        .n_places = 1,
    };
    if (below(w, 3) == 0) w->now += (sked_time)below(w, 12);
    if (w->crowded && below(w, 3) > 0) what = 70;
    w->event.time = below(w, 20) ? w->now : w->now - (sked_time)below(w, 20);
    if (w->begun < w->nodes) {
        draw_node(w);
        w->event.kind = SKED_EVENT_NODE_UP;
        w->event.key = ++w->begun;
    } else if (what < 40) {
        w->event.kind = SKED_EVENT_HEARTBEAT;
        w->event.key = 1 + below(w, w->nodes);
    } else if (what < 48) {
        draw_node(w);
    } else if (what < 60) {
        draw_job(w);
    } else if (what < 78) {
        draw_ask(w);
    } else if (what < 98) {
        draw_task(w);
    } else if (what < 99) {
        w->event.kind = (int32_t)below(w, 40) - 10;
    }
}

void world_hear(engine_world *w, const sked_decision *decision)
{
    if (decision->kind != SKED_DECIDE_ALLOCATE) return;
    size_t at = w->groups < WORLD_GROUPS ? w->groups++
                                         : (size_t)below(w, WORLD_GROUPS);
    w->group[at] = (world_group){decision->group, decision->count};
}
