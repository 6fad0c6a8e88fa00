/*
 * The plan of a diff: the queues that two trees share, the changes that each
 * queue needs, and an order in which moves, renames, additions and removals can
 * be applied one by one.
 */
#include "diff/plan.h"

#include <string.h>

#include "diff/handle.h"
#include "tree/path_text.h"
#include "tree/text/value.h"
#include "tree/users.h"

/* A diff as lines for people. */

static const char nothing_set[] = "default";

/* A value in the text form; the word alone means no value. */
static void write_side(skedi_writer *w, const char *value)
{
    if (!*value) {
        skedi_write_text(w, nothing_set);
    } else if (strcmp(value, nothing_set) == 0) {
        skedi_write_char(w, '"');
        skedi_write_text(w, value);
        skedi_write_char(w, '"');
    } else {
        skedi_write_value(w, value);
    }
}

static void write_change(skedi_writer *w, const sked_diff *diff,
                         const skedi_diff_record *record)
{
    static const char sign[] = " +->~"; /* by enum sked_diff_op */

    skedi_write_char(w, sign[record->op]);
    skedi_write_char(w, ' ');
    skedi_write_text(w, diff->bytes + record->path);
    if (record->op == SKED_DIFF_MOVE) {
        skedi_write_char(w, ' ');
        skedi_write_text(w, diff->bytes + record->after);
    }
    if (record->op == SKED_DIFF_SET) {
        skedi_write_char(w, ' ');
        skedi_write_text(w, diff->bytes + record->key);
        skedi_write_text(w, ": ");
        write_side(w, diff->bytes + record->before);
        skedi_write_text(w, " -> ");
        write_side(w, diff->bytes + record->after);
    }
    skedi_write_char(w, '\n');
}

sked_status sked_diff_format(const sked_diff *diff, char *text, size_t cap,
                             size_t *n)
{
    skedi_writer w = {text, cap, 0};

    if (n) *n = 0;
    if (!diff || (!text && cap > 0)) return SKED_ERR_ARG;
    for (size_t i = 0; i < diff->n; i++) {
        write_change(&w, diff, &diff->record[i]);
    }
    if (n) *n = w.n;
    return skedi_write_end(&w);
}

/*
 * Finds the queues that two trees share, and the change that each queue needs.
 * skedi_tree_match() finds the shared queues.
 *
 * Some siblings stay in place. They are the longest beginning of the new list
 * whose queues were siblings before, in the same order. No other queue can stay
 * in place, because a move or an addition always puts a queue last.
 */

/* The child of `parent` with the name `name`; UINT32_MAX: none. */
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

/* Finds the changes of the children of a row of `to`. */
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

static skedi_writer diff_text_start(const sked_diff *diff)
{
    skedi_writer w = {diff->bytes + diff->bytes_used,
                      diff->bytes_cap - diff->bytes_used, 0};

    return w;
}

/*
 * Writes a text into a diff: start, write, end. When end returns 0, the memory
 * was too small and has grown, and the caller repeats the three calls. On
 * SKED_OK, `*at` is the position of the text.
 */
static int diff_text_end(sked_diff *diff, const skedi_writer *w, size_t *at,
                         sked_status *rc)
{
    void *bytes = diff->bytes;
    size_t used = diff->bytes_used;

    if (w->n == 0) { /* position 0 holds the empty text */
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

/* Writes the path of a node, or, with `name`, the path of a child of the
 * node. */
static size_t diff_path(skedi_diff_plan *plan, uint32_t node, const char *name)
{
    skedi_writer w;
    size_t at = 0;

    do {
        w = diff_text_start(plan->diff);
        diff_write_node_path(&w, plan, node);
        if (name) skedi_write_char(&w, '.');
        if (name) skedi_write_name(&w, name, 1);
    } while (plan->rc == SKED_OK &&
             !diff_text_end(plan->diff, &w, &at, &plan->rc));
    return at;
}

/* Adds a record, unless something failed before. */
static void diff_emit(skedi_diff_plan *plan, skedi_diff_record record)
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

/* Asks the host now and then whether to go on. */
static void diff_check(skedi_diff_plan *plan)
{
    /* Three passes over the new rows, one over the old, and one for
     * attributes. */
    uint64_t total = 4 * (uint64_t)plan->now->n + plan->old->n;

    if (++plan->steps % DIFF_CHECK != 0) return;
    plan->rc = skedi_hooks_check(&plan->diff->hooks, plan->steps, total);
}

/*
 * Puts moves, renames, additions and removals in an order in which each change
 * can be applied in its turn.
 *
 * Queues take their places in the row order of the new tree (breadth first).
 * The new parent of a queue is then already in place, with all ancestors. The
 * parent therefore cannot be below the queue, and siblings come into their new
 * order. Moves that wait for no addition come first, then renames without a
 * move, then additions with the moves that wait for additions.
 *
 * Another queue may have the needed name. If the other queue awaits a rename
 * without a move, the plan renames the other queue first, after the queues that
 * block that rename. In a circle of renames one queue steps aside, under a
 * temporary name that no queue has. If the other queue is removed with all
 * queues below, the plan removes the other queue now. In all other cases the
 * other queue steps aside.
 */

#define NO_NODE UINT32_MAX

static const char *diff_new_name(const skedi_diff_plan *plan, uint32_t t)
{
    return skedi_tree_text(plan->to, plan->now->name[t]);
}

/* Emits a move or a rename, and makes the change in the plan. */
static void diff_move_node(skedi_diff_plan *plan, uint32_t at, uint32_t parent,
                           const char *name)
{
    skedi_diff_node *node = &plan->node[at];
    skedi_diff_record record = {.op = SKED_DIFF_MOVE};

    record.path = diff_path(plan, at, NULL);
    record.after = diff_path(plan, parent, name);
    diff_emit(plan, record);

    skedi_names_drop(&plan->names, node->hash, at);
    node->parent = parent;
    node->name = name;
    node->hash = skedi_diff_hash(parent, name);
    skedi_names_put(&plan->names, node->hash, at);
}

static void diff_remove_node(skedi_diff_plan *plan, uint32_t at)
{
    skedi_diff_record record = {.op = SKED_DIFF_REMOVE};

    record.path = diff_path(plan, at, NULL);
    diff_emit(plan, record);
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

/* Frees the name of a queue that awaits no rename. */
static void diff_give_way(skedi_diff_plan *plan, uint32_t at)
{
    if (plan->node[at].keeps) {
        diff_step_aside(plan, at);
    } else {
        diff_remove_node(plan, at);
    }
}

/* The sibling that has the new name of `at`; NO_NODE: none. */
static uint32_t diff_rename_block(const skedi_diff_plan *plan, uint32_t at)
{
    const skedi_diff_node *node = &plan->node[at];

    return diff_child(plan, node->parent, diff_new_name(plan, node->row));
}

/* Renames `at` in place, after the queues that block the rename. */
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

/* Makes `name` free below `parent`, except for `self`. */
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

/* Puts the queue of row `t` last below the queue's parent. */
static void diff_place_row(skedi_diff_plan *plan, uint32_t t)
{
    uint32_t at = plan->node_of[t];
    uint32_t parent = plan->node_of[plan->now->parent[t]];
    const char *name = diff_new_name(plan, t);

    diff_clear_name(plan, at, parent, name);
    if (plan->rc != SKED_OK) return;
    /* A rename in place does not change the order, so a move to the same parent
     * follows. */
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
    record.path = diff_path(plan, at, NULL);
    diff_emit(plan, record);
}

/* Renames the root, whose name is in no queue's way. */
static void diff_rename_root(skedi_diff_plan *plan)
{
    skedi_diff_record record = {.op = SKED_DIFF_MOVE};

    if (plan->step[0] == SKEDI_STEP_KEEP) return;
    record.path = diff_path(plan, 0, NULL);
    plan->node[0].name = diff_new_name(plan, 0);
    record.after = diff_path(plan, 0, NULL);
    diff_emit(plan, record);
    plan->node[0].done = 1;
}

void skedi_diff_shape(skedi_diff_plan *plan)
{
    uint32_t n = plan->now->n;

    diff_rename_root(plan);
    for (uint32_t t = 1; t < n && plan->rc == SKED_OK; t++) {
        diff_check(plan);
        if (plan->step[t] == SKEDI_STEP_PLACE && !plan->waits[t]) {
            diff_place_row(plan, t);
        }
    }
    for (uint32_t t = 1; t < n && plan->rc == SKED_OK; t++) {
        diff_check(plan);
        if (plan->step[t] != SKEDI_STEP_RENAME) continue;
        if (diff_awaits_rename(plan, plan->node_of[t])) {
            diff_rename_chain(plan, plan->node_of[t]);
        }
    }
    for (uint32_t t = 1; t < n && plan->rc == SKED_OK; t++) {
        diff_check(plan);
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
        diff_check(plan);
        if (node->row != SKEDI_NO_ROW || node->done) continue;
        if (plan->node[node->parent].row == SKEDI_NO_ROW) continue;
        diff_remove_node(plan, f);
    }
}

/* The changes of attributes, in the order of the attribute table, users
 * last. */

/* Writes a text into the diff. */
typedef void (*text_fn)(skedi_writer *w, const void *what, const void *which);

static size_t put_with(skedi_diff_plan *plan, text_fn put, const void *what,
                       const void *which)
{
    skedi_writer w;
    size_t at = 0;

    do {
        w = diff_text_start(plan->diff);
        put(&w, what, which);
    } while (plan->rc == SKED_OK &&
             !diff_text_end(plan->diff, &w, &at, &plan->rc));
    return at;
}

static void write_attr_value(skedi_writer *w, const void *what,
                             const void *which)
{
    skedi_values_say(w, what, which);
}

static void write_attr_name(skedi_writer *w, const void *what,
                            const void *which)
{
    (void)what;
    skedi_write_text(w, ((const skedi_attr *)which)->name);
}

static void write_user_key(skedi_writer *w, const void *what, const void *which)
{
    (void)which;
    skedi_write_text(w, SKEDI_USER_TEXT);
    skedi_write_name(w, what, 0);
}

/* A weight, or nothing for -1. */
static void write_weight(skedi_writer *w, const void *what, const void *which)
{
    const int64_t *weight = what;

    (void)which;
    if (*weight >= 0) skedi_write_i64(w, *weight);
}

static void say_attr(skedi_diff_plan *plan, size_t path,
                     const skedi_values *old, const skedi_values *now,
                     const skedi_attr *attr)
{
    skedi_diff_record record = {.op = SKED_DIFF_SET, .path = path};

    record.key = put_with(plan, write_attr_name, NULL, attr);
    record.before = put_with(plan, write_attr_value, old, attr);
    record.after = put_with(plan, write_attr_value, now, attr);
    diff_emit(plan, record);
}

static void say_user(skedi_diff_plan *plan, size_t path, const char *user,
                     int64_t before, int64_t after)
{
    skedi_diff_record record = {.op = SKED_DIFF_SET, .path = path};

    record.key = put_with(plan, write_user_key, user, NULL);
    record.before = put_with(plan, write_weight, &before, NULL);
    record.after = put_with(plan, write_weight, &after, NULL);
    diff_emit(plan, record);
}

/* A list of users, read from first to last. */
typedef struct user_walk {
    const char *list;
    const char *user; /* NULL: no more */
    size_t at;
    int64_t weight;
} user_walk;

static void user_step(user_walk *walk)
{
    uint32_t weight = 0;

    if (!skedi_users_next(walk->list, &walk->at, &walk->user, &weight)) {
        walk->user = NULL;
    }
    walk->weight = weight;
}

/* Both lists are in the order of names. */
static void set_users(skedi_diff_plan *plan, size_t path, const char *old_list,
                      const char *new_list)
{
    user_walk old = {.list = old_list}, now = {.list = new_list};

    user_step(&old);
    user_step(&now);
    while ((old.user || now.user) && plan->rc == SKED_OK) {
        int order = 0;
        if (old.user && now.user) order = strcmp(old.user, now.user);
        if (!now.user || order < 0) {
            say_user(plan, path, old.user, old.weight, -1);
            user_step(&old);
        } else if (!old.user || order > 0) {
            say_user(plan, path, now.user, -1, now.weight);
            user_step(&now);
        } else {
            if (old.weight != now.weight) {
                say_user(plan, path, old.user, old.weight, now.weight);
            }
            user_step(&old);
            user_step(&now);
        }
    }
}

static int same_users(const char *a, const char *b)
{
    size_t n = skedi_users_bytes(a);

    return n == skedi_users_bytes(b) && (n == 0 || memcmp(a, b, n) == 0);
}

static void set_values(skedi_diff_plan *plan, uint32_t node,
                       const skedi_values *old, const skedi_values *now)
{
    size_t path = 0;

    for (size_t i = 0; i < SKEDI_ATTRS && plan->rc == SKED_OK; i++) {
        const skedi_attr *attr = skedi_attr_at(i);
        if (skedi_values_same(old, now, attr)) continue;
        if (!path) path = diff_path(plan, node, NULL);
        say_attr(plan, path, old, now, attr);
    }
    if (same_users(old->users, now->users)) return;
    if (!path) path = diff_path(plan, node, NULL);
    set_users(plan, path, old->users, now->users);
}

void skedi_diff_set(skedi_diff_plan *plan)
{
    skedi_values old, now;

    for (uint32_t t = 0; t < plan->now->n && plan->rc == SKED_OK; t++) {
        uint32_t node = plan->node_of[t];
        diff_check(plan);
        skedi_values_of_row(&now, plan->to, t);
        if (node < plan->old->n) {
            skedi_values_of_row(&old, plan->from, node);
        } else {
            skedi_values_rest(&old, &plan->to->schema);
        }
        set_values(plan, node, &old, &now);
    }
}
