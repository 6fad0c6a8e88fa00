/*
 * Which queues of two trees are the same, and what each needs.
 *
 * Which are the same, skedi_tree_match() says. Siblings that stay are the
 * longest beginning of the new list in which they all were siblings before, in
 * that order: moving and adding only ever put a queue last, so no other can.
 */
#include "diff/plan.h"

uint32_t skedi_diff_child(const skedi_diff_plan *plan, uint32_t parent,
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

static void nodes_of_old(skedi_diff_plan *plan)
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

static void make_twins(skedi_diff_plan *plan, uint32_t f, uint32_t t)
{
    plan->node_of[t] = f;
    plan->node[f].row = t;
}

static void match_rows(skedi_diff_plan *plan, uint32_t *row_of)
{
    for (uint32_t t = 0; t < plan->now->n; t++) plan->node_of[t] = UINT32_MAX;
    skedi_tree_match(plan->from, plan->to, row_of);
    for (uint32_t f = 0; f < plan->old->n; f++) {
        if (row_of[f] != SKEDI_NO_ROW) make_twins(plan, f, row_of[f]);
    }
}

static uint8_t step_in_place(const skedi_diff_plan *plan, uint32_t t)
{
    const char *name = skedi_tree_text(plan->to, plan->now->name[t]);
    const skedi_diff_node *node = &plan->node[plan->node_of[t]];

    return strcmp(node->name, name) ? SKEDI_STEP_RENAME : SKEDI_STEP_KEEP;
}

/* What the children of one row of `to` need. */
static void children_steps(skedi_diff_plan *plan, uint32_t parent)
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
            plan->step[t] = step_in_place(plan, t);
            plan->waits[t] = plan->waits[parent];
            continue;
        }
        plan->step[t] = f == UINT32_MAX ? SKEDI_STEP_ADD : SKEDI_STEP_PLACE;
        late |= f == UINT32_MAX;
        plan->waits[t] = (uint8_t)late;
    }
}

/* Parents stand in front of their children. */
static void mark_keeps(skedi_diff_plan *plan)
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
    nodes_of_old(plan);
    match_rows(plan, row_of);
    skedi_free(mem, row_of, n, sizeof *row_of);

    plan->step[0] = step_in_place(plan, 0);
    for (uint32_t t = 0; t < plan->now->n; t++) children_steps(plan, t);
    mark_keeps(plan);
}
