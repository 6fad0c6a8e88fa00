/*
 * The handle of a diff: a list of records, and a heap of bytes with the texts
 * of the records. A diff keeps no pointer into the trees that it compares.
 */
#include "diff/handle.h"

#include <string.h>

#include "base/versioned.h"
#include "diff/plan.h"
#include "tree/bracket.h"
#include "tree/path_text.h"
#include "tree/text/lex.h"
#include "tree/text/value.h"
#include "tree/users.h"

/*
 * Applies a diff change by change, through the same edits that a host can call.
 * A bracket undoes all edits when an edit is refused.
 */

enum { CHANGES_A_CHECK = 4096 };

typedef struct diff_apply {
    const sked_diff *diff;
    sked_tree *tree;
    const struct sked_ledger *ledger;
    sked_error *err;
    char *text; /* memory for any text of the diff */
} diff_apply;

/* The texts of a change. */
typedef struct change_text {
    const char *path;
    const char *key;
    const char *before;
    const char *after;
} change_text;

static sked_status find_path(const diff_apply *a, const char *path,
                             sked_queue_id *queue)
{
    return sked_tree_find_draft(a->tree, path, queue, a->err);
}

/* Splits a path into the path of the parent, in a->text, and the name without
 * escapes, behind the path. NULL: the path is a root's path, and a->text holds
 * the name. */
static const char *split_path(diff_apply *a, const char *path)
{
    size_t dot = 0, n = 0, from = 0;

    for (size_t i = 0; path[i]; i++) {
        if (path[i] == '.') dot = i;
        if (path[i] == '\\') i++;
    }
    if (dot > 0) {
        memcpy(a->text, path, dot);
        a->text[dot] = 0;
        from = dot + 1;
    }
    for (size_t i = from; path[i]; i++) {
        if (path[i] == '\\') i++;
        a->text[from + n++] = path[i];
    }
    a->text[from + n] = 0;
    return dot > 0 ? a->text + from : NULL;
}

/* A diff adds only queues below a parent, never a root. */
static sked_status apply_add(diff_apply *a, const change_text *change)
{
    const char *name = split_path(a, change->path);
    sked_queue_id parent;

    sked_status rc = find_path(a, a->text, &parent);
    if (rc != SKED_OK) return rc;
    return sked_tree_add(a->tree, parent, name, NULL, a->err);
}

static sked_status apply_remove(diff_apply *a, const change_text *change)
{
    sked_queue_id queue;

    sked_status rc = find_path(a, change->path, &queue);
    if (rc != SKED_OK) return rc;
    return sked_tree_remove(a->tree, queue, a->ledger, SKED_TREE_REMOVE_REFUSE,
                            a->err);
}

static sked_status apply_move(diff_apply *a, const change_text *change)
{
    const skedi_draft *draft = &a->tree->draft;
    sked_queue_id queue, parent;

    sked_status rc = find_path(a, change->path, &queue);
    if (rc != SKED_OK) return rc;
    const char *name = split_path(a, change->after);
    uint32_t slot = (uint32_t)queue;
    if (!name) { /* refused like a used name, unless queue is the root */
        return sked_tree_rename(a->tree, queue, a->text, a->err);
    }
    rc = find_path(a, a->text, &parent);
    if (rc != SKED_OK) return rc;
    int stays = skedi_slot_id(draft, draft->slot[slot].parent) == parent;
    if (stays && strcmp(change->path, change->after) != 0) {
        return sked_tree_rename(a->tree, queue, name, a->err);
    }
    return skedi_tree_place(a->tree, queue, parent, name, a->err);
}

static sked_status refuse_before(diff_apply *a, sked_queue_id queue)
{
    skedi_fault at = {.queue = queue};

    return skedi_fail(a->err, SKED_ERR_STATE, "the value before is another",
                      at);
}

/* The attribute of a key; of two attributes with one name, the attribute with
 * amounts. */
static const skedi_attr *attr_of_key(const char *key)
{
    size_t i = SKEDI_ATTRS;

    while (i-- > 0 && strcmp(skedi_attr_at(i)->name, key) != 0) continue;
    return skedi_attr_at(i);
}

/* True if the queue has the value that the change expects. */
static int holds_before(diff_apply *a, uint32_t slot, const skedi_attr *attr,
                        const char *before)
{
    skedi_writer w = {a->text, a->diff->bytes_used, 0};
    skedi_values v;

    skedi_values_of_slot(&v, a->tree, slot);
    skedi_values_say(&w, &v, attr);
    return w.n == strlen(before) && memcmp(a->text, before, w.n) == 0;
}

static sked_status set_default(diff_apply *a, sked_queue_id queue,
                               const skedi_attr *attr)
{
    const skedi_attr *part = skedi_attr_part(attr);
    sked_status rc = SKED_OK;

    if (part) {
        rc = sked_tree_set(a->tree, queue, part->id, SKED_UNSET, a->err);
    }
    if (rc != SKED_OK) return rc;
    switch (attr->shape) {
    case SKEDI_SHAPE_NUMBER:
        return sked_tree_set(a->tree, queue, attr->id, SKED_UNSET, a->err);
    case SKEDI_SHAPE_AMOUNTS:
        return sked_tree_set_vec(a->tree, queue, attr->id, NULL, a->err);
    default: return sked_tree_set_text(a->tree, queue, attr->id, NULL, a->err);
    }
}

/* The diff wrote the value for the same kinds, so the value is well-formed. */
static sked_status set_said(diff_apply *a, sked_queue_id queue,
                            const skedi_attr *attr, const char *value)
{
    const sked_schema *schema = &a->tree->schema;
    int64_t amounts[SKED_MAX_KINDS] = {0}, number = 0;
    size_t n = strlen(value);
    skedi_misfit why;

    switch (attr->shape) {
    case SKEDI_SHAPE_NUMBER:
        (void)skedi_value_number(attr, schema, value, n, &number, &why);
        return sked_tree_set(a->tree, queue, attr->id, number, a->err);
    case SKEDI_SHAPE_AMOUNTS:
        (void)skedi_value_amounts(attr, schema, value, n, amounts, &why);
        return sked_tree_set_vec(a->tree, queue, attr->id, amounts, a->err);
    default: return sked_tree_set_text(a->tree, queue, attr->id, value, a->err);
    }
}

static sked_status apply_attr(diff_apply *a, sked_queue_id queue,
                              const change_text *change)
{
    const skedi_attr *attr = attr_of_key(change->key);
    const skedi_attr *part = skedi_attr_part(attr);
    size_t n = strlen(change->after);

    if (!holds_before(a, (uint32_t)queue, attr, change->before)) {
        return refuse_before(a, queue);
    }
    if (n == 0) return set_default(a, queue, attr);
    if (part && change->after[n - 1] == '%') attr = part;
    return set_said(a, queue, attr, change->after);
}

/* A weight in a change; `none` for an empty text. */
static int64_t said_weight(const char *text, int64_t none)
{
    int64_t weight = none;

    if (*text) (void)skedi_value_int(text, strlen(text), &weight);
    return weight;
}

/* `key` stands at the user's name. */
static sked_status apply_user(diff_apply *a, sked_queue_id queue,
                              const change_text *change,
                              const skedi_reader *key)
{
    const skedi_slot *q = &a->tree->draft.slot[(uint32_t)queue];
    skedi_span name = {.raw = key->at, .length = (size_t)(key->end - key->at)};

    (void)skedi_span_decode(&name, a->text);
    int64_t held = skedi_users_find(skedi_tree_users(a->tree, q->users),
                                    a->text);
    if (held != said_weight(change->before, -1)) return refuse_before(a, queue);
    return sked_tree_set_user_weight(a->tree, queue, a->text,
                                     said_weight(change->after, SKED_UNSET),
                                     a->err);
}

static sked_status apply_set(diff_apply *a, const change_text *change)
{
    sked_queue_id queue;

    sked_status rc = find_path(a, change->path, &queue);
    if (rc != SKED_OK) return rc;
    skedi_reader key = skedi_read_from(change->key, strlen(change->key));
    if (skedi_read_word(&key, SKEDI_USER_TEXT)) {
        return apply_user(a, queue, change, &key);
    }
    return apply_attr(a, queue, change);
}

static sked_status apply_change(diff_apply *a, size_t i)
{
    const skedi_diff_record *record = &a->diff->record[i];
    const char *bytes = a->diff->bytes;
    change_text change = {bytes + record->path, bytes + record->key,
                          bytes + record->before, bytes + record->after};

    switch (record->op) {
    case SKED_DIFF_ADD: return apply_add(a, &change);
    case SKED_DIFF_REMOVE: return apply_remove(a, &change);
    case SKED_DIFF_MOVE: return apply_move(a, &change);
    default: return apply_set(a, &change);
    }
}

static sked_status check_cancel(diff_apply *a, size_t i)
{
    if (i % CHANGES_A_CHECK != CHANGES_A_CHECK - 1) return SKED_OK;
    sked_status rc = skedi_hooks_check(&a->tree->hooks, i, a->diff->n);
    if (rc == SKED_OK) return rc;
    return skedi_fail_stopped(a->err, rc);
}

static sked_status apply_changes(diff_apply *a)
{
    sked_status rc = SKED_OK;

    for (size_t i = 0; i < a->diff->n && rc == SKED_OK; i++) {
        rc = check_cancel(a, i);
        if (rc != SKED_OK) break;
        rc = apply_change(a, i);
        if (rc != SKED_OK && a->err) a->err->row = (int64_t)i;
    }
    return rc;
}

static sked_status apply_bracketed(diff_apply *a)
{
    skedi_bracket bracket;

    sked_status rc = skedi_bracket_open(&bracket, a->tree, a->err);
    if (rc != SKED_OK) return rc;
    rc = apply_changes(a);
    if (rc == SKED_OK) rc = skedi_bracket_fits(&bracket, a->tree, a->err);
    skedi_bracket_close(&bracket, a->tree, rc);
    return rc;
}

sked_status sked_diff_apply(const sked_diff *diff, sked_tree *tree,
                            const struct sked_ledger *ledger, sked_error *err)
{
    diff_apply a = {diff, tree, ledger, err, NULL};

    const char *missing = !diff ? "diff" : !tree ? "tree" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = sked_schema_same(&diff->schema, &tree->schema, err);
    if (rc != SKED_OK || diff->n == 0) return rc;
    a.text = skedi_new(&tree->hooks.mem, diff->bytes_used, 1);
    if (!a.text) {
        return skedi_fail_memory(err);
    }
    rc = apply_bracketed(&a);
    skedi_free(&tree->hooks.mem, a.text, diff->bytes_used, 1);
    return rc;
}

SKEDI_NO_TAIL_PADDING(sked_diff_change, after);

enum { CHANGE_V1 = SKEDI_SIZE_THROUGH(sked_diff_change, after) };

static sked_status plan_reserve(skedi_diff_plan *plan)
{
    skedi_mem *mem = &plan->diff->hooks.mem;
    size_t n = plan->now->n;
    void *bytes = NULL;

    plan->node_cap = n + plan->old->n;
    plan->node = skedi_new(mem, plan->node_cap, sizeof *plan->node);
    plan->node_of = skedi_new(mem, n, sizeof *plan->node_of);
    plan->step = skedi_new(mem, n, sizeof *plan->step);
    plan->waits = skedi_new(mem, n, sizeof *plan->waits);
    int ok = plan->node && plan->node_of && plan->step && plan->waits &&
             skedi_names_ensure(&plan->names, mem, plan->node_cap) &&
             skedi_ensure(mem, &bytes, &plan->diff->bytes_cap, 64, 1);
    plan->diff->bytes = bytes;
    plan->diff->bytes_used = 1; /* the empty text */
    return ok ? SKED_OK : SKED_ERR_NOMEM;
}

static void plan_free(skedi_diff_plan *plan)
{
    skedi_mem *mem = &plan->diff->hooks.mem;
    size_t n = plan->now->n;

    skedi_free(mem, plan->node, plan->node_cap, sizeof *plan->node);
    skedi_free(mem, plan->node_of, n, sizeof *plan->node_of);
    skedi_free(mem, plan->step, n, sizeof *plan->step);
    skedi_free(mem, plan->waits, n, sizeof *plan->waits);
    skedi_names_free(&plan->names, mem);
    skedi_arena_free(&plan->arena, mem);
}

static sked_status plan_run(skedi_diff_plan *plan)
{
    plan->rc = plan_reserve(plan);
    if (plan->rc == SKED_OK) skedi_diff_match(plan);
    if (plan->rc == SKED_OK) skedi_diff_shape(plan);
    if (plan->rc == SKED_OK) skedi_diff_set(plan);
    if (plan->rc == SKED_OK) skedi_diff_remove(plan);
    return plan->rc;
}

static void diff_release(sked_diff *diff)
{
    skedi_mem mem = diff->hooks.mem;

    skedi_free(&mem, diff->record, diff->cap, sizeof *diff->record);
    skedi_free(&mem, diff->bytes, diff->bytes_cap, 1);
    skedi_free(&mem, diff, 1, sizeof *diff);
}

/* A diff without records, over the kinds of `tree`. */
static sked_status diff_start(const sked_tree *tree, const sked_host *host,
                              sked_diff **made, sked_error *err)
{
    skedi_hooks hooks;

    sked_status rc = skedi_hooks_in(&hooks, host, err);
    if (rc != SKED_OK) return rc;
    sked_diff *diff = skedi_new(&hooks.mem, 1, sizeof *diff);
    if (!diff) return skedi_fail_memory(err);
    diff->hooks = hooks;
    skedi_schema_take(&diff->schema, &tree->schema);
    *made = diff;
    return SKED_OK;
}

sked_status sked_diff_new(const sked_tree *from, const sked_tree *to,
                          const sked_host *host, sked_diff **diff,
                          sked_error *err)
{
    skedi_diff_plan plan = {.from = from, .to = to};

    if (diff) *diff = NULL;
    const char *missing = !from ? "from" : !to ? "to" : !diff ? "diff" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = sked_schema_same(&from->schema, &to->schema, err);
    if (rc == SKED_OK) rc = diff_start(from, host, &plan.diff, err);
    if (rc != SKED_OK) return rc;

    plan.old = skedi_tree_live(from);
    plan.now = skedi_tree_live(to);
    rc = plan_run(&plan);
    plan_free(&plan);
    if (rc == SKED_OK) {
        *diff = plan.diff;
        return SKED_OK;
    }
    diff_release(plan.diff);
    return skedi_fail_stopped(err, rc);
}

void sked_diff_free(sked_diff *diff)
{
    if (!diff) return;
    sked_host host = diff->hooks.host;
    diff_release(diff);
    skedi_hooks_done(host);
}

size_t sked_diff_count(const sked_diff *diff)
{
    return diff ? diff->n : 0;
}

sked_status sked_diff_get(const sked_diff *diff, size_t i,
                          sked_diff_change *change)
{
    if (!diff || !change) return SKED_ERR_ARG;
    sked_status rc = skedi_struct_out(change->struct_size, CHANGE_V1);
    if (rc != SKED_OK) return rc;
    if (i >= diff->n) return SKED_ERR_RANGE;

    const skedi_diff_record *record = &diff->record[i];
    change->op = record->op;
    change->path = diff->bytes + record->path;
    change->key = diff->bytes + record->key;
    change->before = diff->bytes + record->before;
    change->after = diff->bytes + record->after;
    return SKED_OK;
}
