/* The invariant checker finds whatever is broken, one thing at a time. */
#include "tree_fixture.h"

#include "tree/handle.h"

typedef struct broken_tree {
    skedi_draft *draft;
    skedi_image *image;
    skedi_slot *a, *x;
} broken_tree;

typedef void (*break_fn)(broken_tree *t);

static void parent_of_x(broken_tree *t)
{
    t->x->parent = 0;
}

static void prev_of_x(broken_tree *t)
{
    t->x->prev = 0;
}

static void depth_of_x(broken_tree *t)
{
    t->x->depth++;
}

static void life_of_x(broken_tree *t)
{
    t->x->flags = SKEDI_SLOT_SHOWN;
}

static void last_of_a(broken_tree *t)
{
    t->a->last = SKEDI_NO_SLOT;
}

static void children_of_a(broken_tree *t)
{
    t->a->n_children++;
}

static void name_of_x(broken_tree *t)
{
    t->x->name = 0;
}

static void hash_of_x(broken_tree *t)
{
    t->x->hash++;
}

static void entry_of_x(broken_tree *t)
{
    skedi_names_drop(&t->draft->names, t->x->hash, 2);
}

static void entries(broken_tree *t)
{
    t->draft->names.n++;
}

static void count_of_queues(broken_tree *t)
{
    t->draft->n++;
}

static void count_of_texts(broken_tree *t)
{
    t->draft->text_bytes++;
}

static void count_of_touched(broken_tree *t)
{
    t->draft->n_touched++;
}

static void mark_of_touched(broken_tree *t)
{
    t->x->touched = 1;
}

static void shown_of_x(broken_tree *t)
{
    t->x->flags = SKEDI_SLOT_LIVE;
}

static void use_of_free(broken_tree *t)
{
    t->draft->slot[3].flags = SKEDI_SLOT_REKEYED;
}

static void list_of_free(broken_tree *t)
{
    t->draft->free = SKEDI_NO_SLOT;
}

static void row_of_x(broken_tree *t)
{
    t->image->row_of[2] = 1;
}

static void order_of_children(broken_tree *t)
{
    t->image->first_child[0] = 9;
}

static void parent_of_root(broken_tree *t)
{
    t->image->parent[0] = 0;
}

static void parent_of_row(broken_tree *t)
{
    t->image->parent[1] = 2;
}

static void family_of_row(broken_tree *t)
{
    t->image->parent[2] = 0;
}

static void depth_of_row(broken_tree *t)
{
    t->image->depth[2] = 1;
}

static void weight_of_row(broken_tree *t)
{
    t->image->weight[1]++;
}

static void priority_of_row(broken_tree *t)
{
    t->image->priority[1]++;
}

static void state_of_row(broken_tree *t)
{
    t->image->state[1]++;
}

static void order_of_row(broken_tree *t)
{
    t->image->order[1]++;
}

static void leaf_of_row(broken_tree *t)
{
    t->image->leaf[0] = 1;
}

static void start_of_level(broken_tree *t)
{
    t->image->level[1] = 2;
}

static void count_of_leaves(broken_tree *t)
{
    t->image->n_leaves++;
}

static void end_of_levels(broken_tree *t)
{
    t->image->level[3]++;
}

static const break_fn breaks[] = {
    parent_of_x,      prev_of_x,       depth_of_x,        life_of_x,
    last_of_a,        children_of_a,   name_of_x,         hash_of_x,
    entry_of_x,       entries,         count_of_queues,   count_of_texts,
    count_of_touched, mark_of_touched, shown_of_x,        use_of_free,
    list_of_free,     row_of_x,        order_of_children, parent_of_root,
    parent_of_row,    family_of_row,   depth_of_row,      weight_of_row,
    priority_of_row,  state_of_row,    order_of_row,      leaf_of_row,
    start_of_level,   count_of_leaves, end_of_levels,
};

/* root.a.x in slots 0, 1, 2, and slot 3 free. */
static void make(tree_fixture *f)
{
    sked_queue_id a = tree_add(f, f->root, "a");

    tree_add(f, a, "x");
    sked_queue_id gone = tree_add(f, f->root, "gone");
    assert_ok(sked_tree_remove(f->tree, gone, NULL, 0, NULL));
    tree_commit(f);
    assert_ok(sked_tree_check(f->tree, NULL));
}

static void every_broken_invariant_is_found(void **state)
{
    for (size_t i = 0; i < sizeof breaks / sizeof *breaks; i++) {
        tree_fixture f = *(tree_fixture *)*state;
        sked_error err;
        assert_ok(sked_tree_new(f.schema, NULL, NULL, &f.tree, NULL));
        f.root = sked_tree_root(f.tree);
        make(&f);
        broken_tree t = {
            .draft = &f.tree->draft,
            .image = &f.tree->image[f.tree->live],
            .a = &f.tree->draft.slot[1],
            .x = &f.tree->draft.slot[2],
        };
        breaks[i](&t);
        if (sked_tree_check(f.tree, &err) != SKED_ERR_INTERNAL) {
            fail_msg("break %zu is not found", i);
        }
        assert_true(err.message[0] != 0);
        sked_tree_free(f.tree);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_case(every_broken_invariant_is_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
