/* Random worlds with trees of limits. */
#include "engine_world.h"

#include <stdio.h>

#include "forest.h"
#include "test.h"

static sked_queue_id limited_queue(engine_world *w, int which)
{
    return w->limited[which][world_below(w, w->n_limited[which])];
}

static void add_limited(engine_world *w, int which, sked_tree *tree)
{
    size_t *n = &w->n_limited[which];
    char name[16];
    sked_queue_id id;

    if (*n == WORLD_LIMITS) return;
    (void)snprintf(name, sizeof name, "l%u", (unsigned)*n);
    if (sked_tree_add(tree, limited_queue(w, which), name, &id, NULL) !=
        SKED_OK) {
        return;
    }
    w->limited[which][(*n)++] = id;
}

/* Some are so low that little starts, or nothing. */
static void set_limits(engine_world *w, sked_tree *tree, sked_queue_id queue)
{
    int64_t amounts[WORLD_KINDS];

    for (int k = 0; k < WORLD_KINDS; k++) {
        uint64_t most = world_below(w, 4) ? 120 : 20;
        amounts[k] = world_below(w, 3) ? (int64_t)world_below(w, most)
                                       : SKED_UNLIMITED;
    }
    (void)!sked_tree_set_vec(tree, queue, SKED_QUEUE_LIMIT, amounts, NULL);
}

void world_edit_limits(engine_world *w, int which, sked_tree *tree)
{
    for (uint64_t steps = 1 + world_below(w, 4); steps > 0; steps--) {
        sked_queue_id queue = limited_queue(w, which);
        switch (world_below(w, 8)) {
        case 0: add_limited(w, which, tree); break;
        case 1:
            (void)!sked_tree_move(tree, queue, limited_queue(w, which), NULL);
            break;
        case 2:
            if (world_below(w, 4)) break;
            (void)!sked_tree_remove(tree, queue, NULL, SKED_TREE_REMOVE_REFUSE,
                                    NULL);
            break;
        case 3:
        case 4:
            (void)!sked_tree_set(tree, queue, SKED_QUEUE_MAX_RUNNING,
                                 world_below(w, 3) ? SKED_UNLIMITED
                                                   : (int64_t)world_below(w, 9),
                                 NULL);
            break;
        default: set_limits(w, tree, queue);
        }
    }
    assert_ok(sked_tree_commit(tree, SKED_TREE_COMMIT_LENIENT, NULL));
}

void world_limit(engine_world *w)
{
    for (int i = 0; i < SKED_MAX_LIMIT_TREES; i++) {
        sked_tree *tree = forest_tree(NULL, NULL);
        assert_non_null(tree);
        w->limited[i][w->n_limited[i]++] = sked_tree_root(tree);
        for (int n = 0; n < 6; n++) add_limited(w, i, tree);
        for (int n = 0; n < 4; n++) set_limits(w, tree, limited_queue(w, i));
        world_edit_limits(w, i, tree);
        w->limits[i] = tree;
    }
}

void world_draw_charge(engine_world *w)
{
    w->charge = (sked_event_charge){SKED_NO_QUEUE, SKED_NO_QUEUE};
    w->batch.charges = &w->charge;
    if (world_below(w, 4)) w->charge.first = limited_queue(w, 0);
    if (world_below(w, 4)) w->charge.second = limited_queue(w, 1);
    if (world_below(w, 100) == 0) w->charge.second = UINT64_C(1) << 60;
    if (world_below(w, 20) == 0) w->batch.charges = NULL;
}
