/*
 * The plan of a diff: which queues of two trees are the same, what each
 * needs, and an order in which moves, renames, additions and removals can be
 * applied one by one.
 */

#include "diff/plan.h"
#include "tree/path_text.h"

/*
 * Which queues of two trees are the same, and what each needs.
 *
 * Which are the same, skedi_tree_match() says. Siblings that stay are the
 * longest beginning of the new list in which they all were siblings before, in
 * that order: moving and adding only ever put a queue last, so no other can.
 */

/* The node below `parent` of that name; UINT32_MAX: none. */
static uint32_t diff_child(const skedi_diff_plan *plan, uint32_t parent,
                           const char *name)
{
    uint32_t hash = skedi_diff_hash(parent, name), found;

    for (size_t at = hash; skedi_names_next(&plan->names, hash, &at, &found);) {
        const skedi_diff_node *node = &plan->node[found];
        if (node->parent == parent && strcmp(node->name, name) == 0) {
            return found;
        }
    }
    return UINT32_MAX;
}

static void diff_nodes_of_old(skedi_diff_plan *plan)
{
    for (uint32_t f = 0; f < plan->old->n; f++) {
        skedi_diff_node *node = &plan->node[f];
        node->parent = (uint32_t)plan->old->parent[f];
        node->name = skedi_tree_text(plan->from, plan->old->name[f]);
        node->hash = skedi_diff_hash(node->parent, node->name);
        node->row = SKEDI_NO_ROW;
        skedi_names_put(&plan->names, node->hash, f);
    }
    plan->n_nodes = plan->old->n;
}

static void diff_make_twins(skedi_diff_plan *plan, uint32_t f, uint32_t t)
{
    plan->node_of[t] = f;
    plan->node[f].row = t;
}

static void diff_match_rows(skedi_diff_plan *plan, uint32_t *row_of)
{
    for (uint32_t t = 0; t < plan->now->n; t++) plan->node_of[t] = UINT32_MAX;
    skedi_tree_match(plan->from, plan->to, row_of);
    for (uint32_t f = 0; f < plan->old->n; f++) {
        if (row_of[f] != SKEDI_NO_ROW) diff_make_twins(plan, f, row_of[f]);
    }
}

static uint8_t diff_step_in_place(const skedi_diff_plan *plan, uint32_t t)
{
    const char *name = skedi_tree_text(plan->to, plan->now->name[t]);
    const skedi_diff_node *node = &plan->node[plan->node_of[t]];

    return strcmp(node->name, name) ? SKEDI_STEP_RENAME : SKEDI_STEP_KEEP;
}

/* What the children of one row of `to` need. */
static void diff_children_steps(skedi_diff_plan *plan, uint32_t parent)
{
    const uint32_t *first = plan->now->first_child;
    uint32_t home = plan->node_of[parent], last = 0;
    int keeping = home != UINT32_MAX, late = plan->waits[parent];

    for (uint32_t t = first[parent]; t < first[parent + 1]; t++) {
        uint32_t f = plan->node_of[t];
        keeping = keeping && f != UINT32_MAX && f > last &&
                  plan->node[f].parent == home;
        if (keeping) {
            last = f;
            plan->step[t] = diff_step_in_place(plan, t);
            plan->waits[t] = plan->waits[parent];
            continue;
        }
        plan->step[t] = f == UINT32_MAX ? SKEDI_STEP_ADD : SKEDI_STEP_PLACE;
        late |= f == UINT32_MAX;
        plan->waits[t] = (uint8_t)late;
    }
}

/* Parents stand in front of their children. */
static void diff_mark_keeps(skedi_diff_plan *plan)
{
    for (uint32_t f = plan->old->n; f-- > 1;) {
        skedi_diff_node *node = &plan->node[f];
        node->keeps |= node->row != SKEDI_NO_ROW;
        plan->node[node->parent].keeps |= node->keeps;
    }
}

void skedi_diff_match(skedi_diff_plan *plan)
{
    skedi_mem *mem = &plan->diff->hooks.mem;
    uint32_t n = plan->old->n;

    uint32_t *row_of = skedi_new(mem, n, sizeof *row_of);
    if (!row_of) {
        plan->rc = SKED_ERR_NOMEM;
        return;
    }
    diff_nodes_of_old(plan);
    diff_match_rows(plan, row_of);
    skedi_free(mem, row_of, n, sizeof *row_of);

    plan->step[0] = diff_step_in_place(plan, 0);
    for (uint32_t t = 0; t < plan->now->n; t++) diff_children_steps(plan, t);
    diff_mark_keeps(plan);
}

/* Writing changes down: their records and their texts. */

enum { DIFF_CHECK = 4096 };

skedi_writer skedi_diff_text_start(const sked_diff *diff)
{
    skedi_writer w = {diff->bytes + diff->bytes_used,
                      diff->bytes_cap - diff->bytes_used, 0};

    return w;
}

int skedi_diff_text_end(sked_diff *diff, const skedi_writer *w, size_t *at,
                        sked_status *rc)
{
    void *bytes = diff->bytes;
    size_t used = diff->bytes_used;

    if (w->n == 0) { /* the empty text is there */
        *at = 0;
        return 1;
    }
    if (w->n < w->cap) {
        diff->bytes[used + w->n] = 0;
        diff->bytes_used += w->n + 1;
        *at = used;
        return 1;
    }
    if (!skedi_ensure(&diff->hooks.mem, &bytes, &diff->bytes_cap,
                      used + w->n + 1, 1)) {
        *rc = SKED_ERR_NOMEM;
        return 1;
    }
    diff->bytes = bytes;
    return 0;
}

/* Names from `node` up to the root, then down again into the text. */
static void diff_write_node_path(skedi_writer *w, const skedi_diff_plan *plan,
                                 uint32_t node)
{
    uint32_t above[4 * SKED_MAX_DEPTH]; /* deeper than any step can go */
    size_t n = 0;

    for (; node != 0; node = plan->node[node].parent) above[n++] = node;
    skedi_write_name(w, plan->node[0].name, 1);
    while (n-- > 0) {
        skedi_write_char(w, '.');
        skedi_write_name(w, plan->node[above[n]].name, 1);
    }
}

size_t skedi_diff_path(skedi_diff_plan *plan, uint32_t node, const char *name)
{
    skedi_writer w;
    size_t at = 0;

    do {
        w = skedi_diff_text_start(plan->diff);
        diff_write_node_path(&w, plan, node);
        if (name) skedi_write_char(&w, '.');
        if (name) skedi_write_name(&w, name, 1);
    } while (plan->rc == SKED_OK &&
             !skedi_diff_text_end(plan->diff, &w, &at, &plan->rc));
    return at;
}

void skedi_diff_emit(skedi_diff_plan *plan, skedi_diff_record record)
{
    sked_diff *diff = plan->diff;
    void *records = diff->record;

    if (plan->rc != SKED_OK) return;
    if (!skedi_ensure(&diff->hooks.mem, &records, &diff->cap, diff->n + 1,
                      sizeof record)) {
        plan->rc = SKED_ERR_NOMEM;
        return;
    }
    diff->record = records;
    diff->record[diff->n++] = record;
}

void skedi_diff_check(skedi_diff_plan *plan)
{
    /* Three passes over the new rows, one over the old, one for attributes. */
    uint64_t total = 4 * (uint64_t)plan->now->n + plan->old->n;

    if (++plan->steps % DIFF_CHECK != 0) return;
    plan->rc = skedi_hooks_check(&plan->diff->hooks, plan->steps, total);
}

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

#define NO_NODE UINT32_MAX

static const char *diff_new_name(const skedi_diff_plan *plan, uint32_t t)
{
    return skedi_tree_text(plan->to, plan->now->name[t]);
}

/* Emits a move or a rename, and carries it out in the plan. */
static void diff_move_node(skedi_diff_plan *plan, uint32_t at, uint32_t parent,
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

static void diff_remove_node(skedi_diff_plan *plan, uint32_t at)
{
    skedi_diff_record record = {.op = SKED_DIFF_REMOVE};

    record.path = skedi_diff_path(plan, at, NULL);
    skedi_diff_emit(plan, record);
    skedi_names_drop(&plan->names, plan->node[at].hash, at);
    plan->node[at].done = 1;
}

/* The i-th temporary name for a queue called `name`: name~i. */
static const char *diff_spare_name(skedi_diff_plan *plan, const char *name,
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
static void diff_step_aside(skedi_diff_plan *plan, uint32_t at)
{
    uint32_t parent = plan->node[at].parent;
    const char *name = plan->node[at].name, *spare = NULL;

    for (uint32_t i = 1; plan->rc == SKED_OK; i++) {
        skedi_arena_mark mark = skedi_arena_here(&plan->arena);
        spare = diff_spare_name(plan, name, i);
        if (spare && diff_child(plan, parent, spare) == NO_NODE) break;
        skedi_arena_rewind(&plan->arena, mark);
    }
    if (plan->rc == SKED_OK) diff_move_node(plan, at, parent, spare);
}

static int diff_awaits_rename(const skedi_diff_plan *plan, uint32_t at)
{
    const skedi_diff_node *node = &plan->node[at];

    return node->row != SKEDI_NO_ROW && !node->done &&
           plan->step[node->row] == SKEDI_STEP_RENAME;
}

/* Makes a queue that awaits no rename leave its name to another. */
static void diff_give_way(skedi_diff_plan *plan, uint32_t at)
{
    if (plan->node[at].keeps) {
        diff_step_aside(plan, at);
    } else {
        diff_remove_node(plan, at);
    }
}

/* The sibling that has the name which `at` is to get; NO_NODE: none. */
static uint32_t diff_rename_block(const skedi_diff_plan *plan, uint32_t at)
{
    const skedi_diff_node *node = &plan->node[at];

    return diff_child(plan, node->parent, diff_new_name(plan, node->row));
}

/* Renames `at` in place, after those whose names are in the way. */
static void diff_rename_chain(skedi_diff_plan *plan, uint32_t at)
{
    uint32_t last = at, block = diff_rename_block(plan, at);

    plan->node[at].link = NO_NODE;
    while (block != NO_NODE && block != at && diff_awaits_rename(plan, block)) {
        plan->node[block].link = last;
        last = block;
        block = diff_rename_block(plan, last);
    }
    if (block == at) {
        diff_step_aside(plan, at);
    } else if (block != NO_NODE) {
        diff_give_way(plan, block);
    }
    for (; last != NO_NODE && plan->rc == SKED_OK;
         last = plan->node[last].link) {
        skedi_diff_node *node = &plan->node[last];
        diff_move_node(plan, last, node->parent,
                       diff_new_name(plan, node->row));
        node->done = 1;
    }
}

/* Sees to it that no child of `parent` but `self` is called `name`. */
static void diff_clear_name(skedi_diff_plan *plan, uint32_t self,
                            uint32_t parent, const char *name)
{
    uint32_t block = diff_child(plan, parent, name);

    if (block == NO_NODE || block == self) return;
    if (diff_awaits_rename(plan, block)) {
        diff_rename_chain(plan, block);
    } else {
        diff_give_way(plan, block);
    }
}

/* Puts the queue of row `t` last below its parent. */
static void diff_place_row(skedi_diff_plan *plan, uint32_t t)
{
    uint32_t at = plan->node_of[t];
    uint32_t parent = plan->node_of[plan->now->parent[t]];
    const char *name = diff_new_name(plan, t);

    diff_clear_name(plan, at, parent, name);
    if (plan->rc != SKED_OK) return;
    /* A rename in place leaves it where it is: then it moves to itself. */
    if (plan->node[at].parent == parent &&
        strcmp(plan->node[at].name, name) != 0) {
        diff_move_node(plan, at, parent, name);
    }
    diff_move_node(plan, at, parent, name);
}

static void diff_add_row(skedi_diff_plan *plan, uint32_t t)
{
    uint32_t parent = plan->node_of[plan->now->parent[t]];
    uint32_t at = (uint32_t)plan->n_nodes;
    const char *name = diff_new_name(plan, t);
    skedi_diff_record record = {.op = SKED_DIFF_ADD};

    diff_clear_name(plan, NO_NODE, parent, name);
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
static void diff_rename_root(skedi_diff_plan *plan)
{
    skedi_diff_record record = {.op = SKED_DIFF_MOVE};

    if (plan->step[0] == SKEDI_STEP_KEEP) return;
    record.path = skedi_diff_path(plan, 0, NULL);
    plan->node[0].name = diff_new_name(plan, 0);
    record.after = skedi_diff_path(plan, 0, NULL);
    skedi_diff_emit(plan, record);
    plan->node[0].done = 1;
}

void skedi_diff_shape(skedi_diff_plan *plan)
{
    uint32_t n = plan->now->n;

    diff_rename_root(plan);
    for (uint32_t t = 1; t < n && plan->rc == SKED_OK; t++) {
        skedi_diff_check(plan);
        if (plan->step[t] == SKEDI_STEP_PLACE && !plan->waits[t]) {
            diff_place_row(plan, t);
        }
    }
    for (uint32_t t = 1; t < n && plan->rc == SKED_OK; t++) {
        skedi_diff_check(plan);
        if (plan->step[t] != SKEDI_STEP_RENAME) continue;
        if (diff_awaits_rename(plan, plan->node_of[t])) {
            diff_rename_chain(plan, plan->node_of[t]);
        }
    }
    for (uint32_t t = 1; t < n && plan->rc == SKED_OK; t++) {
        skedi_diff_check(plan);
        if (plan->step[t] == SKEDI_STEP_ADD) diff_add_row(plan, t);
        if (plan->step[t] == SKEDI_STEP_PLACE && plan->waits[t]) {
            diff_place_row(plan, t);
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
        diff_remove_node(plan, f);
    }
}
