/*
 * Creates, copies, reserves and frees a tree. A new tree has a committed root.
 */
#include <sched/tree.h>

#include <string.h>

#include "base/bits.h"
#include "base/versioned.h"
#include "tree/handle.h"

SKEDI_NO_TAIL_PADDING(sked_tree_options, max_queues);

enum { OPTIONS_V1 = SKEDI_SIZE_THROUGH(sked_tree_options, max_queues) };

_Static_assert(sizeof(sked_fault) == 64, "sked_fault is frozen");

/* Frees the handle last. `mem` is a copy, because the allocator must outlive
 * the handle. */
static void tree_release(sked_tree *tree)
{
    skedi_mem mem = tree->hooks.mem;

    skedi_draft_free(&tree->draft, &mem);
    for (uint32_t i = 0; i < 2; i++) {
        skedi_image_free(&tree->image[i], &mem);
        skedi_texts_free(&tree->texts[i], &mem);
    }
    skedi_changes_free(&tree->changes, &mem);
    skedi_free(&mem, tree->told, tree->told_size, 1);
    skedi_free(&mem, tree, 1, sizeof *tree);
}

/* Creates a handle with its own copy of the schema, and no queue. */
static sked_status tree_start(const sked_schema *schema, const sked_host *host,
                              sked_tree **made, sked_error *err)
{
    skedi_hooks hooks;
    sked_status rc = skedi_hooks_in(&hooks, host, err);

    if (rc != SKED_OK) return rc;
    sked_tree *tree = skedi_new(&hooks.mem, 1, sizeof *tree);
    if (!tree) return skedi_fail_memory(err);
    tree->hooks = hooks;
    tree->draft.kinds = (uint32_t)sked_schema_kinds(schema);
    tree->image[0].kinds = tree->image[1].kinds = tree->draft.kinds;

    skedi_schema_take(&tree->schema, schema);
    *made = tree;
    return SKED_OK;
}

static sked_status options_in(const sked_tree_options *opts,
                              sked_tree_options *into, sked_error *err)
{
    skedi_fault at = {0};
    sked_status rc = skedi_struct_in(into, sizeof *into, opts, OPTIONS_V1);

    if (rc != SKED_OK) {
        return skedi_fail_version(err, "options");
    }
    if (into->flags) {
        return skedi_fail_flags(err, "options");
    }
    if (!into->max_depth) into->max_depth = SKED_MAX_DEPTH;
    if (!into->max_queues) into->max_queues = SKED_MAX_QUEUES;
    if (into->max_depth > SKED_MAX_DEPTH) {
        at.got = into->max_depth;
        at.limit = SKED_MAX_DEPTH;
        return skedi_fail(err, SKED_ERR_RANGE, "max_depth is too large", at);
    }
    if (into->max_queues > SKED_MAX_QUEUES) {
        at.got = into->max_queues;
        at.limit = SKED_MAX_QUEUES;
        return skedi_fail(err, SKED_ERR_RANGE, "max_queues is too large", at);
    }
    return SKED_OK;
}

/* Adds and commits the root. */
static sked_status root_add(sked_tree *tree, sked_error *err)
{
    static const char name[] = "root";
    skedi_draft *draft = &tree->draft;
    skedi_mem *mem = &tree->hooks.mem;

    draft->free = draft->touched = SKEDI_NO_SLOT;
    if (!skedi_draft_ensure(draft, mem, 8) ||
        !skedi_tree_text_ensure(tree, sizeof name)) {
        return skedi_fail_memory(err);
    }
    uint32_t root = skedi_draft_take(draft);
    draft->slot[root].name = skedi_tree_text_put(tree, name, sizeof name);
    draft->text_bytes = sizeof name;
    tree->confined = skedi_slot_id(draft, root);
    return skedi_tree_publish(tree, SKED_TREE_COMMIT_STRICT, err);
}

sked_status sked_tree_new(const sked_schema *schema,
                          const sked_tree_options *options,
                          const sked_host *host, sked_tree **tree,
                          sked_error *err)
{
    sked_tree_options limits;
    sked_tree *made = NULL;

    if (tree) *tree = NULL;
    const char *missing = !schema ? "schema" : !tree ? "tree" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = options_in(options, &limits, err);
    if (rc == SKED_OK) rc = tree_start(schema, host, &made, err);
    if (rc != SKED_OK) return rc;

    made->max_depth = limits.max_depth;
    made->max_queues = limits.max_queues;
    rc = root_add(made, err);
    if (rc != SKED_OK) {
        tree_release(made);
        return rc;
    }
    *tree = made;
    return SKED_OK;
}

void sked_tree_free(sked_tree *tree)
{
    if (!tree) return;
    sked_host host = tree->hooks.host;
    tree_release(tree);
    skedi_hooks_done(host);
}

const sked_schema *sked_tree_schema(const sked_tree *tree)
{
    return tree ? &tree->schema : NULL;
}

static int contents_copy(sked_tree *into, const sked_tree *from)
{
    skedi_mem *mem = &into->hooks.mem;

    return skedi_texts_copy(&into->texts[0], mem, skedi_tree_texts(from)) &&
           skedi_image_copy(&into->image[0], mem, skedi_tree_live(from)) &&
           skedi_draft_copy(&into->draft, mem, &from->draft);
}

sked_status sked_tree_copy(const sked_tree *tree, const sked_host *host,
                           sked_tree **copy, sked_error *err)
{
    sked_tree *made = NULL;

    if (copy) *copy = NULL;
    const char *missing = !tree ? "tree" : !copy ? "copy" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = tree_start(&tree->schema, host, &made, err);
    if (rc != SKED_OK) return rc;
    if (!contents_copy(made, tree)) {
        tree_release(made);
        return skedi_fail_memory(err);
    }

    made->max_depth = tree->max_depth;
    made->max_queues = tree->max_queues;
    made->mark = tree->mark;
    made->confined = tree->confined;
    made->clean = tree->clean;
    skedi_changes_start(&made->changes, skedi_tree_live(tree)->version);
    *copy = made;
    return SKED_OK;
}

/* Reserves every column of the draft, used or not. Slots of queues removed
 * since the last commit are not free before the next commit. */
static int draft_reserve(sked_tree *tree, size_t queues)
{
    skedi_draft *draft = &tree->draft;
    skedi_mem *mem = &tree->hooks.mem;

    if (!skedi_draft_ensure(draft, mem, queues)) return 0;
    for (uint32_t i = 0; i < SKEDI_NUMBERS; i++) {
        if (!skedi_draft_number_ensure(draft, mem, i)) return 0;
    }
    for (uint32_t i = 0; i < SKEDI_AMOUNTS; i++) {
        if (!skedi_draft_amount_ensure(draft, mem, i)) return 0;
    }
    return 1;
}

/* Reserves every column in both images. The live image is first copied to the
 * other image, because growing the rows loses their content. */
static int images_reserve(sked_tree *tree, size_t queues)
{
    const uint32_t all = SKEDI_TOUCH_TEXT - 1;
    skedi_mem *mem = &tree->hooks.mem;

    for (uint32_t i = 0; i < 2; i++) {
        skedi_image *next = &tree->image[!tree->live];
        if (!skedi_image_ensure(next, mem, queues, tree->draft.cap, all)) {
            return 0;
        }
        skedi_image_assign(next, skedi_tree_live(tree));
        tree->live = !tree->live;
    }
    return 1;
}

static int texts_reserve(sked_tree *tree, size_t text)
{
    for (uint32_t i = 0; i < 2; i++) {
        if (!skedi_texts_ensure(&tree->texts[i], &tree->hooks.mem, text * 2)) {
            return 0;
        }
    }
    return 1;
}

static int tree_reserve_all(sked_tree *tree, size_t queues, size_t text)
{
    size_t rows = skedi_tree_live(tree)->n;

    if (rows < queues) rows = queues;
    if (!draft_reserve(tree, rows * 2) || !images_reserve(tree, rows)) return 0;
    return texts_reserve(tree, text) &&
           skedi_changes_reserve(&tree->changes, &tree->hooks.mem, rows);
}

sked_status sked_tree_reserve(sked_tree *tree, size_t queues, size_t text,
                              sked_error *err)
{
    if (!tree) return skedi_fail_null(err, "tree");
    skedi_fault at = {.got = (int64_t)queues, .limit = tree->max_queues};
    if (queues > tree->max_queues) {
        return skedi_fail(err, SKED_ERR_RANGE, "too many queues", at);
    }
    at.got = (int64_t)text;
    at.limit = SKEDI_TEXT_SPARE / 4;
    if (text > SKEDI_TEXT_SPARE / 4) {
        return skedi_fail(err, SKED_ERR_RANGE, "too much text", at);
    }

    sked_status rc = SKED_OK;
    skedi_hooks_open(&tree->hooks);
    if (!tree_reserve_all(tree, queues, text)) {
        rc = skedi_fail_memory(err);
    } else if (text > tree->reserved_text) {
        tree->reserved_text = text;
    }
    return skedi_hooks_seal(&tree->hooks, rc);
}
