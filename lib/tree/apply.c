/*
 * Committing in place: no queue came, went or moved, so the image in force
 * keeps its rows and takes over what was touched. Everything that can fail
 * comes first.
 */
#include "tree/fault.h"

static void rest_fill(int64_t *at, size_t n, int64_t rest)
{
    for (size_t i = 0; i < n; i++) at[i] = rest;
}

/* Shows columns that the draft uses for the first time. */
static void columns_show(skedi_image *image, uint32_t used)
{
    for (uint32_t i = 0; i < SKEDI_NUMBERS; i++) {
        if (image->number[i] || !(used & SKEDI_TOUCH_NUMBER(i))) continue;
        image->number[i] = image->number_memory[i];
        rest_fill(image->number[i], image->n,
                  skedi_attr_rest(skedi_attr_at(i)));
    }
    for (uint32_t i = 0; i < SKEDI_AMOUNTS; i++) {
        if (image->amount[i] || !(used & SKEDI_TOUCH_AMOUNT(i))) continue;
        image->amount[i] = image->amount_memory[i];
        rest_fill(image->amount[i], (size_t)image->n * image->kinds,
                  skedi_attr_rest(skedi_attr_at(SKEDI_NUMBERS + i)));
    }
}

/* Puts a value in its place; is it another one? */
static int put_value(int64_t *at, int64_t value)
{
    int other = *at != value;

    *at = value;
    return other;
}

/* Is any number of the row another one? What was set and set back is not. */
static int row_numbers(skedi_image *image, uint32_t row,
                       const skedi_draft *draft, uint32_t slot)
{
    uint32_t touched = draft->slot[slot].touched;
    int other = 0;

    for (uint32_t i = 0; i < SKEDI_NUMBERS; i++) {
        if (!(touched & SKEDI_TOUCH_NUMBER(i))) continue;
        other |= put_value(&image->number[i][row], draft->number[i].at[slot]);
    }
    return other;
}

static int row_amounts(skedi_image *image, uint32_t row,
                       const skedi_draft *draft, uint32_t slot)
{
    uint32_t touched = draft->slot[slot].touched;
    int other = 0;

    for (uint32_t i = 0; i < SKEDI_AMOUNTS; i++) {
        if (!(touched & SKEDI_TOUCH_AMOUNT(i))) continue;
        const int64_t *from = skedi_draft_amounts(draft, i, slot);
        for (size_t k = 0; k < image->kinds; k++) {
            int64_t *at = &image->amount[i][k * image->n + row];
            other |= put_value(at, from[k]);
        }
    }
    return other;
}

static void row_apply(sked_tree *tree, skedi_image *image, uint32_t slot)
{
    skedi_slot *q = &tree->draft.slot[slot];
    uint32_t row = image->row_of[slot];

    if (q->flags & SKEDI_SLOT_REKEYED) { /* renamed: the old name is there */
        skedi_names_forget(tree, slot);
        q->flags &= (uint8_t)~SKEDI_SLOT_REKEYED;
    }
    int other = row_numbers(image, row, &tree->draft, slot);
    other |= row_amounts(image, row, &tree->draft, slot);
    skedi_image_put(image, row, &tree->draft, slot);
    if (other) {
        skedi_changes_add(&tree->changes, image->version, image->key, row);
    }
}

static sked_status apply_check(sked_tree *tree, int32_t mode, sked_error *err)
{
    if (mode != SKED_TREE_COMMIT_STRICT) return SKED_OK;
    if (tree->clean && !skedi_faults_touched(tree)) return SKED_OK;
    return skedi_faults_refuse(tree, skedi_tree_live(tree), err);
}

/* Everything that a commit in place has memory for; 0: no memory. */
static int apply_ensure(sked_tree *tree, int texts)
{
    skedi_image *image = &tree->image[tree->live];
    skedi_mem *mem = &tree->hooks.mem;
    const skedi_draft *draft = &tree->draft;

    return skedi_image_ensure(image, mem, image->n, image->n_slots,
                              draft->used) &&
           skedi_changes_reserve(&tree->changes, mem, draft->n_touched) &&
           (!texts || skedi_tree_texts_ensure(tree));
}

/* Every row that was touched, and what is told of them. */
static void rows_apply(sked_tree *tree, skedi_image *image)
{
    const skedi_draft *draft = &tree->draft;
    uint64_t told = tree->changes.n;

    for (uint32_t s = draft->touched; s != SKEDI_NO_SLOT;
         s = draft->slot[s].touched_next) {
        row_apply(tree, image, s);
    }
    if (tree->changes.n == told && image->key != draft->key) { /* no row did */
        skedi_changes_add(&tree->changes, image->version, image->key,
                          SKEDI_CHANGES_NO_ROW);
    }
}

sked_status skedi_tree_apply(sked_tree *tree, int32_t mode, sked_error *err)
{
    skedi_image *image = &tree->image[tree->live];
    skedi_draft *draft = &tree->draft;
    int texts = skedi_tree_texts_stale(tree);
    sked_status rc = apply_check(tree, mode, err);

    if (rc != SKED_OK) return rc;
    if (!apply_ensure(tree, texts)) {
        return skedi_fail_memory(err);
    }

    columns_show(image, draft->used);
    image->version++;
    rows_apply(tree, image);
    image->file = draft->file;
    image->key = draft->key;
    if (texts) skedi_tree_texts_move(tree, image);
    tree->mark = skedi_texts_mark(skedi_tree_texts(tree));
    tree->clean = mode == SKED_TREE_COMMIT_STRICT;
    skedi_draft_untouch(draft);
    return SKED_OK;
}
