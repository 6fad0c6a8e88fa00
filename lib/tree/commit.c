/*
 * Publishes the draft. A tree has two images, which are commits laid out by
 * row; the live image is in force.
 *
 * If a queue came, went or moved, the commit builds every row anew in the other
 * image. The commit first reserves memory, then fills and checks rows and
 * columns. The images are swapped last, when no step can fail any more.
 *
 * If no queue came, went or moved, the commit changes the live image in place.
 */
#include <string.h>

#include "tree/fault.h"
#include "tree/handle.h"
#include "tree/users.h"

/* Copying a queue of the draft into its row of an image. */

/* Copies only the texts of a queue. */
static void image_put_texts(skedi_image *image, uint32_t row,
                            const skedi_slot *q)
{
    image->name[row] = q->name;
    image->label[row] = q->label;
    image->users[row] = q->users;
    image->line[row] = q->line;
}

/* Copies the texts and the most-read columns of a queue from the draft. */
static void image_put(skedi_image *image, uint32_t row,
                      const skedi_draft *draft, uint32_t slot)
{
    image_put_texts(image, row, &draft->slot[slot]);
    image->weight[row] = (uint32_t)skedi_draft_number(draft, SKEDI_AT_WEIGHT,
                                                      slot);
    image->priority[row] = (int32_t)skedi_draft_number(draft, SKEDI_AT_PRIORITY,
                                                       slot);
    image->order[row] = (uint8_t)skedi_draft_number(draft, SKEDI_AT_ORDER,
                                                    slot);
    image->fair_kind[row] = (uint8_t)skedi_draft_number(
        draft, SKEDI_AT_FAIR_KIND, slot);
    image->apps[row] = (uint8_t)skedi_draft_number(draft, SKEDI_AT_APPS, slot);
    image->state[row] = (uint8_t)skedi_draft_number(draft, SKEDI_AT_STATE,
                                                    slot);
}

/*
 * Texts that no queue uses any more stay in the store that draft and commit
 * share. When the unused texts take too much of the store, a commit copies the
 * used texts to the second store and swaps the stores.
 */

static skedi_text text_moved(sked_tree *tree, skedi_text text, size_t bytes)
{
    skedi_texts *to = &tree->texts[!tree->text_live];

    return text ? skedi_texts_put(to, skedi_tree_text(tree, text), bytes) : 0;
}

static void tree_texts_move(sked_tree *tree, skedi_image *image)
{
    skedi_draft *draft = &tree->draft;

    for (uint32_t r = 0; r < image->n; r++) {
        skedi_slot *q = &draft->slot[(uint32_t)image->id[r]];
        q->name = text_moved(tree, q->name,
                             skedi_tree_text_size(tree, q->name));
        q->label = text_moved(tree, q->label,
                              skedi_tree_text_size(tree, q->label));
        q->users = text_moved(
            tree, q->users,
            skedi_users_bytes(skedi_tree_users(tree, q->users)));
        image->name[r] = q->name;
        image->label[r] = q->label;
        image->users[r] = q->users;
    }
    draft->file = text_moved(tree, draft->file,
                             skedi_tree_text_size(tree, draft->file));
    image->file = draft->file;
    tree->text_live = !tree->text_live;
}

/* Do unused texts take too much memory? If 1, the next commit copies the used
 * texts to the other store. */
static int tree_texts_stale(const sked_tree *tree)
{
    uint64_t used = skedi_texts_used(skedi_tree_texts(tree));
    uint64_t named = tree->draft.text_bytes + 1;

    if (named >= SKEDI_TEXT_SPARE || used <= named) return 0;
    if (skedi_texts_spare(skedi_tree_texts(tree)) < tree->reserved_text) {
        return 1;
    }
    return used - named > named + 4096;
}

/* Clears the other store and reserves memory for the used texts. Returns 0
 * without memory. tree_texts_move() copies the texts later. */
static int tree_texts_ensure(sked_tree *tree)
{
    skedi_texts *to = &tree->texts[!tree->text_live];

    skedi_texts_clear(to);
    /* Existing texts fit into memory, hence their sum fits a size_t. */
    return skedi_texts_ensure(to, &tree->hooks.mem,
                              (size_t)tree->draft.text_bytes + 1);
}

/*
 * Commits in place. No queue came, went or moved; the live image therefore
 * keeps its rows and copies only the touched values. Every step that can fail
 * comes first.
 */

static void rest_fill(int64_t *at, size_t n, int64_t rest)
{
    for (size_t i = 0; i < n; i++) at[i] = rest;
}

/* Shows the columns that the draft uses for the first time. */
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

/* Stores a value; returns 1 if the value changed. */
static int put_value(int64_t *at, int64_t value)
{
    int other = *at != value;

    *at = value;
    return other;
}

/* Copies the touched numbers of a row; returns 1 if any changed. A value that
 * was set and then set back does not count. */
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

    if (q->flags & SKEDI_SLOT_REKEYED) { /* renamed: drop the old name */
        skedi_names_forget(tree, slot);
        q->flags &= (uint8_t)~SKEDI_SLOT_REKEYED;
    }
    int other = row_numbers(image, row, &tree->draft, slot);
    other |= row_amounts(image, row, &tree->draft, slot);
    image_put(image, row, &tree->draft, slot);
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

/* Reserves all memory of a commit in place; 0: no memory. */
static int apply_ensure(sked_tree *tree, int texts)
{
    skedi_image *image = &tree->image[tree->live];
    skedi_mem *mem = &tree->hooks.mem;
    const skedi_draft *draft = &tree->draft;

    return skedi_image_ensure(image, mem, image->n, image->n_slots,
                              draft->used) &&
           skedi_changes_reserve(&tree->changes, mem, draft->n_touched) &&
           (!texts || tree_texts_ensure(tree));
}

/* Copies every touched row and records the changes. */
static void rows_apply(sked_tree *tree, skedi_image *image)
{
    const skedi_draft *draft = &tree->draft;
    uint64_t told = tree->changes.n;

    for (uint32_t s = draft->touched; s != SKEDI_NO_SLOT;
         s = draft->slot[s].touched_next) {
        row_apply(tree, image, s);
    }
    if (tree->changes.n == told && image->key != draft->key) { /* no row */
        skedi_changes_add(&tree->changes, image->version, image->key,
                          SKEDI_CHANGES_NO_ROW);
    }
}

static sked_status tree_apply(sked_tree *tree, int32_t mode, sked_error *err)
{
    skedi_image *image = &tree->image[tree->live];
    skedi_draft *draft = &tree->draft;
    int texts = tree_texts_stale(tree);
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
    if (texts) tree_texts_move(tree, image);
    tree->mark = skedi_texts_mark(skedi_tree_texts(tree));
    tree->clean = mode == SKED_TREE_COMMIT_STRICT;
    skedi_draft_untouch(draft);
    return SKED_OK;
}

enum { CHECK_EVERY = 4096 };

/* Fills the rows from the draft, breadth first: ids, parents, texts. */
static sked_status rows_fill(skedi_image *image, const sked_tree *tree)
{
    const skedi_draft *draft = &tree->draft;
    uint32_t tail = 1, leaves = 0;

    image->n = draft->n;
    image->id[0] = skedi_slot_id(draft, 0);
    image->parent[0] = -1;
    for (uint32_t row = 0; row < image->n; row++) {
        uint32_t slot = (uint32_t)image->id[row];
        image->row_of[slot] = row;
        image->birth[row] = draft->slot[slot].birth;
        image_put_texts(image, row, &draft->slot[slot]);
        image->depth[row] = draft->slot[slot].depth;
        image->first_child[row] = tail;
        if (!draft->slot[slot].n_children) image->leaf[leaves++] = row;
        for (uint32_t s = draft->slot[slot].first; s != SKEDI_NO_SLOT;
             s = draft->slot[s].next) {
            image->parent[tail] = (int32_t)row;
            image->id[tail++] = skedi_slot_id(draft, s);
        }
        if ((row + 1) % CHECK_EVERY) continue;
        sked_status rc = skedi_hooks_check(&tree->hooks, row + 1, image->n);
        if (rc != SKED_OK) return rc;
    }
    image->first_child[image->n] = tail;
    image->n_leaves = leaves;
    return SKED_OK;
}

static void levels_fill(skedi_image *image)
{
    image->levels = image->depth[image->n - 1] + 1u;
    image->level[0] = 0;
    for (uint32_t d = 1; d <= image->levels; d++) {
        image->level[d] = image->first_child[image->level[d - 1]];
    }
}

/* Fills the most-read columns. They are narrower than the attribute columns,
 * and exist even if every queue has the default. */
static void weights_fill(skedi_image *image)
{
    const int64_t *from = image->number[SKEDI_AT_WEIGHT];

    for (uint32_t r = 0; r < image->n; r++) {
        image->weight[r] = from ? (uint32_t)from[r] : 1;
    }
    from = image->number[SKEDI_AT_PRIORITY];
    for (uint32_t r = 0; r < image->n; r++) {
        image->priority[r] = from ? (int32_t)from[r] : 0;
    }
}

static void words_fill(uint8_t *to, const skedi_image *image, uint32_t index)
{
    const int64_t *from = image->number[index];

    if (!from) memset(to, 0, image->n);
    for (uint32_t r = 0; from && r < image->n; r++) to[r] = (uint8_t)from[r];
}

static void number_fill(skedi_image *image, const skedi_draft *draft,
                        uint32_t index)
{
    const int64_t *from = draft->number[index].at;
    int64_t *to = image->number_memory[index];

    for (uint32_t r = 0; r < image->n; r++)
        to[r] = from[(uint32_t)image->id[r]];
    image->number[index] = to;
}

static void amount_fill(skedi_image *image, const skedi_draft *draft,
                        uint32_t index)
{
    const int64_t *from = draft->amount[index].at;
    int64_t *to = image->amount_memory[index];
    size_t n = image->n, kinds = draft->kinds;

    for (size_t r = 0; r < n; r++) {
        const int64_t *own = from + (uint32_t)image->id[r] * kinds;
        for (size_t k = 0; k < kinds; k++) to[k * n + r] = own[k];
    }
    image->amount[index] = to;
}

static void columns_fill(skedi_image *image, const skedi_draft *draft)
{
    for (uint32_t i = 0; i < SKEDI_NUMBERS; i++) {
        image->number[i] = NULL;
        if (draft->used & SKEDI_TOUCH_NUMBER(i)) number_fill(image, draft, i);
    }
    for (uint32_t i = 0; i < SKEDI_AMOUNTS; i++) {
        image->amount[i] = NULL;
        if (draft->used & SKEDI_TOUCH_AMOUNT(i)) amount_fill(image, draft, i);
    }
    weights_fill(image);
    words_fill(image->order, image, SKEDI_AT_ORDER);
    words_fill(image->fair_kind, image, SKEDI_AT_FAIR_KIND);
    words_fill(image->apps, image, SKEDI_AT_APPS);
    words_fill(image->state, image, SKEDI_AT_STATE);
}

static sked_status image_fill(skedi_image *image, const sked_tree *tree,
                              sked_error *err)
{
    const skedi_draft *draft = &tree->draft;

    memset(image->row_of, 0xff, image->slot_cap * sizeof *image->row_of);
    image->n_slots = draft->n_slots;
    sked_status rc = rows_fill(image, tree);
    if (rc != SKED_OK) return skedi_fail_stopped(err, rc);
    levels_fill(image);
    columns_fill(image, draft);
    image->file = draft->file;
    image->key = draft->key;
    return SKED_OK;
}

/* Do two images have the same queues in the same rows? */
static int same_rows(const skedi_image *a, const skedi_image *b)
{
    size_t n = a->n;

    return a->n == b->n && !memcmp(a->id, b->id, n * sizeof *a->id) &&
           !memcmp(a->first_child, b->first_child,
                   (n + 1) * sizeof *a->first_child);
}

static uint64_t shape_key_of(const skedi_image *image)
{
    uint64_t key = image->n;

    for (uint32_t r = 0; r < image->n; r++) {
        key = skedi_key_mix(key, image->id[r]);
        key = skedi_key_mix(key, image->birth[r]);
        key = skedi_key_mix(key, image->first_child[r]);
    }
    return key;
}

/* Updates the slots of the draft to the new image. Slots and name entries that
 * only the old image needed are freed. The old image and its texts must still
 * be in place. */
static void slots_follow(sked_tree *tree)
{
    skedi_draft *draft = &tree->draft;

    for (uint32_t s = draft->n_slots; s-- > 0;) {
        skedi_slot *q = &draft->slot[s];
        int gone = !(q->flags & SKEDI_SLOT_LIVE);
        if (gone && !(q->flags & SKEDI_SLOT_SHOWN)) continue;
        if (gone || q->flags & SKEDI_SLOT_REKEYED) skedi_names_forget(tree, s);
        q->flags = SKEDI_SLOT_LIVE | SKEDI_SLOT_SHOWN;
        if (gone) skedi_draft_give(draft, s);
    }
}

/* Reserves the memory of a commit; with `texts`, also memory in the other store
 * of texts. */
static int publish_ensure(sked_tree *tree, int texts)
{
    skedi_draft *draft = &tree->draft;
    skedi_mem *mem = &tree->hooks.mem;
    size_t n = draft->n;
    skedi_image *next = &tree->image[!tree->live];

    if (n > next->cap && next->cap > 0) n += n / 8;
    if (!skedi_image_ensure(next, mem, n, draft->cap, draft->used)) return 0;
    return !texts || tree_texts_ensure(tree);
}

static void image_number(skedi_image *next, const skedi_image *last)
{
    int same = last->n > 0 && same_rows(next, last);

    next->version = last->version + 1;
    next->shape = last->shape + !same;
    next->shape_key = same ? last->shape_key : shape_key_of(next);
}

sked_status skedi_tree_publish(sked_tree *tree, int32_t mode, sked_error *err)
{
    skedi_image *next = &tree->image[!tree->live];
    int texts = tree_texts_stale(tree);

    if (!publish_ensure(tree, texts)) {
        return skedi_fail_memory(err);
    }
    sked_status rc = image_fill(next, tree, err);
    if (rc != SKED_OK) return rc;
    if (mode == SKED_TREE_COMMIT_STRICT) {
        rc = skedi_faults_refuse(tree, next, err);
        if (rc != SKED_OK) return rc;
    }

    image_number(next, skedi_tree_live(tree));
    slots_follow(tree);
    if (texts) tree_texts_move(tree, next);
    tree->live = !tree->live;
    tree->mark = skedi_texts_mark(skedi_tree_texts(tree));
    tree->clean = mode == SKED_TREE_COMMIT_STRICT;
    skedi_changes_start(&tree->changes, next->version);
    skedi_draft_untouch(&tree->draft);
    return SKED_OK;
}

/* Tells the host of a commit. */
static void report_commit(const sked_tree *tree, uint32_t changes)
{
    const skedi_image *image = skedi_tree_live(tree);
    int64_t version = (int64_t)image->version;
    sked_trace record = {
        .what = SKED_TRACE_COMMIT,
        .queue = image->id[0],
        .a = version,
        .b = (int64_t)image->n,
        .c = (int64_t)changes,
    };

    skedi_hooks_log(&tree->hooks, SKED_LOG_INFO, "tree committed, version",
                    &version);
    skedi_hooks_trace(&tree->hooks, record);
}

sked_status sked_tree_commit(sked_tree *tree, int32_t mode, sked_error *err)
{
    if (!tree) return skedi_fail_null(err, "tree");
    if (mode != SKED_TREE_COMMIT_LENIENT && mode != SKED_TREE_COMMIT_STRICT) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "no such mode");
    }
    uint32_t changes = tree->draft.n_touched;
    sked_status rc = skedi_hooks_check(&tree->hooks, 0, tree->draft.n);
    if (rc != SKED_OK) return skedi_fail_stopped(err, rc);

    rc = tree->draft.reshaped ? skedi_tree_publish(tree, mode, err)
                              : tree_apply(tree, mode, err);
    if (rc == SKED_OK) report_commit(tree, changes);
    return rc;
}
