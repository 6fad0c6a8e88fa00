/*
 * Puts moves, renames, additions and removals in an order in which each can be
 * applied when its turn comes.
 *
 * Queues are put in place in the row order of the new tree (breadth first). So
 * the new parent of a queue is in place already, with all its ancestors: it
 * cannot be below the queue itself, and siblings come to stand in their order.
 * Moves that wait for no addition come first, then renames without a move, then
 * additions with the moves that wait for them.
 *
 * Another queue may have the name that is needed. If that queue is to be
 * renamed without a move, it is renamed first, after those whose names it waits
 * for; in a circle of renames one queue steps aside, under a temporary name
 * that no queue has. If it is to be removed with all below it, it is removed
 * now. Else it steps aside.
 */
#include "diff/plan.h"

#define NO_NODE UINT32_MAX

static const char *new_name(const skedi_diff_plan *plan, uint32_t t)
{
    return skedi_tree_text(plan->to, plan->now->name[t]);
}

/* Emits a move or a rename, and carries it out in the plan. */
static void move_node(skedi_diff_plan *plan, uint32_t at, uint32_t parent,
                      const char *name)
{
    skedi_diff_node *node = &plan->node[at];
    skedi_diff_record record = {.op = SKED_DIFF_MOVE};

    record.path = skedi_diff_path(plan, at, NULL);
    record.after = skedi_diff_path(plan, parent, name);
    skedi_diff_emit(plan, record);

    skedi_names_drop(&plan->names, node->hash, at);
    node->parent = parent;
    node->name = name;
    node->hash = skedi_diff_hash(parent, name);
    skedi_names_put(&plan->names, node->hash, at);
}

static void remove_node(skedi_diff_plan *plan, uint32_t at)
{
    skedi_diff_record record = {.op = SKED_DIFF_REMOVE};

    record.path = skedi_diff_path(plan, at, NULL);
    skedi_diff_emit(plan, record);
    skedi_names_drop(&plan->names, plan->node[at].hash, at);
    plan->node[at].done = 1;
}

/* The i-th temporary name for a queue called `name`: name~i. */
static const char *spare_name(skedi_diff_plan *plan, const char *name,
                              uint32_t i)
{
    size_t cap = strlen(name) + 16;
    skedi_writer w = {NULL, cap, 0};

    w.text = skedi_arena_take(&plan->arena, cap, &plan->diff->hooks.mem);
    if (!w.text) {
        plan->rc = SKED_ERR_NOMEM;
        return NULL;
    }
    skedi_write_text(&w, name);
    skedi_write_char(&w, '~');
    skedi_write_u64(&w, i);
    return w.text; /* zeros follow */
}

/* Gives a queue a temporary name. */
static void step_aside(skedi_diff_plan *plan, uint32_t at)
{
    uint32_t parent = plan->node[at].parent;
    const char *name = plan->node[at].name, *spare = NULL;

    for (uint32_t i = 1; plan->rc == SKED_OK; i++) {
        skedi_arena_mark mark = skedi_arena_here(&plan->arena);
        spare = spare_name(plan, name, i);
        if (spare && skedi_diff_child(plan, parent, spare) == NO_NODE) break;
        skedi_arena_rewind(&plan->arena, mark);
    }
    if (plan->rc == SKED_OK) move_node(plan, at, parent, spare);
}

static int awaits_rename(const skedi_diff_plan *plan, uint32_t at)
{
    const skedi_diff_node *node = &plan->node[at];

    return node->row != SKEDI_NO_ROW && !node->done &&
           plan->step[node->row] == SKEDI_STEP_RENAME;
}

/* Makes a queue that awaits no rename leave its name to another. */
static void give_way(skedi_diff_plan *plan, uint32_t at)
{
    if (plan->node[at].keeps) {
        step_aside(plan, at);
    } else {
        remove_node(plan, at);
    }
}

/* The sibling that has the name which `at` is to get; NO_NODE: none. */
static uint32_t rename_block(const skedi_diff_plan *plan, uint32_t at)
{
    const skedi_diff_node *node = &plan->node[at];

    return skedi_diff_child(plan, node->parent, new_name(plan, node->row));
}

/* Renames `at` in place, after those whose names are in the way. */
static void rename_chain(skedi_diff_plan *plan, uint32_t at)
{
    uint32_t last = at, block = rename_block(plan, at);

    plan->node[at].link = NO_NODE;
    while (block != NO_NODE && block != at && awaits_rename(plan, block)) {
        plan->node[block].link = last;
        last = block;
        block = rename_block(plan, last);
    }
    if (block == at) {
        step_aside(plan, at);
    } else if (block != NO_NODE) {
        give_way(plan, block);
    }
    for (; last != NO_NODE && plan->rc == SKED_OK;
         last = plan->node[last].link) {
        skedi_diff_node *node = &plan->node[last];
        move_node(plan, last, node->parent, new_name(plan, node->row));
        node->done = 1;
    }
}

/* Sees to it that no child of `parent` but `self` is called `name`. */
static void clear_name(skedi_diff_plan *plan, uint32_t self, uint32_t parent,
                       const char *name)
{
    uint32_t block = skedi_diff_child(plan, parent, name);

    if (block == NO_NODE || block == self) return;
    if (awaits_rename(plan, block)) {
        rename_chain(plan, block);
    } else {
        give_way(plan, block);
    }
}

/* Puts the queue of row `t` last below its parent. */
static void place_row(skedi_diff_plan *plan, uint32_t t)
{
    uint32_t at = plan->node_of[t];
    uint32_t parent = plan->node_of[plan->now->parent[t]];
    const char *name = new_name(plan, t);

    clear_name(plan, at, parent, name);
    if (plan->rc != SKED_OK) return;
    /* A rename in place leaves it where it is: then it moves to itself. */
    if (plan->node[at].parent == parent &&
        strcmp(plan->node[at].name, name) != 0) {
        move_node(plan, at, parent, name);
    }
    move_node(plan, at, parent, name);
}

static void add_row(skedi_diff_plan *plan, uint32_t t)
{
    uint32_t parent = plan->node_of[plan->now->parent[t]];
    uint32_t at = (uint32_t)plan->n_nodes;
    const char *name = new_name(plan, t);
    skedi_diff_record record = {.op = SKED_DIFF_ADD};

    clear_name(plan, NO_NODE, parent, name);
    plan->node[at] = (skedi_diff_node){
        .name = name,
        .parent = parent,
        .hash = skedi_diff_hash(parent, name),
        .row = t,
        .keeps = 1,
    };
    plan->n_nodes++;
    plan->node_of[t] = at;
    skedi_names_put(&plan->names, plan->node[at].hash, at);
    record.path = skedi_diff_path(plan, at, NULL);
    skedi_diff_emit(plan, record);
}

/* Renames the root, whose name is in no queue's way. */
static void rename_root(skedi_diff_plan *plan)
{
    skedi_diff_record record = {.op = SKED_DIFF_MOVE};

    if (plan->step[0] == SKEDI_STEP_KEEP) return;
    record.path = skedi_diff_path(plan, 0, NULL);
    plan->node[0].name = new_name(plan, 0);
    record.after = skedi_diff_path(plan, 0, NULL);
    skedi_diff_emit(plan, record);
    plan->node[0].done = 1;
}

void skedi_diff_shape(skedi_diff_plan *plan)
{
    uint32_t n = plan->now->n;

    rename_root(plan);
    for (uint32_t t = 1; t < n && plan->rc == SKED_OK; t++) {
        skedi_diff_check(plan);
        if (plan->step[t] == SKEDI_STEP_PLACE && !plan->waits[t]) {
            place_row(plan, t);
        }
    }
    for (uint32_t t = 1; t < n && plan->rc == SKED_OK; t++) {
        skedi_diff_check(plan);
        if (plan->step[t] != SKEDI_STEP_RENAME) continue;
        if (awaits_rename(plan, plan->node_of[t])) {
            rename_chain(plan, plan->node_of[t]);
        }
    }
    for (uint32_t t = 1; t < n && plan->rc == SKED_OK; t++) {
        skedi_diff_check(plan);
        if (plan->step[t] == SKEDI_STEP_ADD) add_row(plan, t);
        if (plan->step[t] == SKEDI_STEP_PLACE && plan->waits[t]) {
            place_row(plan, t);
        }
    }
}

void skedi_diff_remove(skedi_diff_plan *plan)
{
    for (uint32_t f = 1; f < plan->old->n && plan->rc == SKED_OK; f++) {
        const skedi_diff_node *node = &plan->node[f];
        skedi_diff_check(plan);
        if (node->row != SKEDI_NO_ROW || node->done) continue;
        if (plan->node[node->parent].row == SKEDI_NO_ROW) continue;
        remove_node(plan, f);
    }
}
