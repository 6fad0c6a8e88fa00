/*
 * From the path on a line to its queue in the draft.
 *
 * A slot's line says whether the text has named it: all are set to 0 before
 * the first line. A queue that is there and not named yet is kept, back at its
 * defaults. Its place among its siblings is left alone as long as the text
 * names them in the order in which they stand, so that reading a text again
 * does not move a queue.
 */
#include "tree/text/reading.h"

#include <string.h>

#include "base/hash.h"
#include "tree/users.h"

/* ---- What every part of the reader does ---- */

sked_fault skedi_reading_fault(const skedi_reading *r, int32_t code,
                               const skedi_span *span, size_t i)
{
    skedi_span at = skedi_span_tail(span, skedi_span_raw(span, i));
    sked_fault fault = {
        .code = code,
        .severity = SKED_SEVERITY_ERROR,
        .queue = r->known,
        .kind = -1,
        .line = at.line,
        .column = at.column,
    };

    return fault;
}

void skedi_reading_tell(skedi_reading *r, sked_fault fault)
{
    if (r->n == 0) r->first = fault;
    if (r->n < r->cap) r->faults[r->n] = fault;
    r->n++;
}

void skedi_reading_tell_byte(skedi_reading *r, const skedi_span *span)
{
    sked_fault fault = skedi_reading_fault(r, SKED_FAULT_SYNTAX, span, 0);

    fault.got = skedi_lex_byte(&r->lex, span);
    skedi_reading_tell(r, fault);
}

void skedi_reading_tell_end(skedi_reading *r, const skedi_span *span)
{
    skedi_span end = skedi_span_tail(span, span->length);

    skedi_reading_tell_byte(r, &end);
}

sked_status skedi_reading_reserve(skedi_reading *r, size_t bytes)
{
    void *at = r->decoded;

    if (!skedi_ensure(&r->tree->hooks.mem, &at, &r->decoded_cap, bytes + 2,
                      1)) {
        return skedi_fail_memory(r->err);
    }
    r->decoded = at;
    return SKED_OK;
}

sked_status skedi_tree_put_users(sked_tree *tree, uint32_t slot,
                                 const char *list, sked_error *err)
{
    skedi_draft *draft = &tree->draft;
    skedi_slot *q = &draft->slot[slot];
    size_t bytes = skedi_users_bytes(list);

    const char *old = skedi_tree_users(tree, q->users);

    if (!old && !list) return SKED_OK;
    if (!skedi_tree_text_ensure(tree, bytes)) {
        return skedi_fail_memory(err);
    }
    draft->text_bytes += (uint64_t)bytes - skedi_users_bytes(old);
    q->users = list ? skedi_tree_text_put(tree, list, bytes) : 0;
    skedi_draft_touch(draft, slot, SKEDI_TOUCH_TEXT);
    skedi_tree_note(tree, SKEDI_EDIT_USER, slot,
                    list ? skedi_hash_of(list, bytes, 0) : 0);
    return SKED_OK;
}

/* ---- The path ---- */

/* The piece at `*at`, which moves behind the dot that ends it; 0: no more. */
static int piece_next(const skedi_span *path, size_t *at, skedi_piece *piece)
{
    size_t i = *at;

    if (i > path->length) return 0;
    for (; i < path->length && path->raw[i] != '.'; i++) {
        if (path->raw[i] == '\\') i++;
    }
    *piece = (skedi_piece){path->raw + *at, i - *at, 1};
    *at = i + 1;
    return 1;
}

static skedi_span piece_span(const skedi_span *path, skedi_piece piece)
{
    skedi_span span = skedi_span_tail(path, (size_t)(piece.at - path->raw));

    span.length = piece.length;
    return span;
}

static void tell_at(skedi_reading *r, int32_t code, const skedi_span *path,
                    skedi_piece piece)
{
    skedi_span span = piece_span(path, piece);

    skedi_reading_tell(r, skedi_reading_fault(r, code, &span, 0));
}

static void tell_bound(skedi_reading *r, int32_t code, const skedi_span *path,
                       int64_t got, int64_t limit)
{
    sked_fault fault = skedi_reading_fault(r, code, path, 0);

    fault.got = got;
    fault.limit = limit;
    skedi_reading_tell(r, fault);
}

sked_status skedi_reading_reset(skedi_reading *r, sked_queue_id id)
{
    sked_status rc = skedi_tree_put_users(r->tree, (uint32_t)id, NULL, r->err);

    for (size_t i = 0; i < SKEDI_ATTRS && rc == SKED_OK; i++) {
        const skedi_attr *attr = skedi_attr_at(i);
        switch (attr->shape) {
        case SKEDI_SHAPE_NUMBER:
            rc = sked_tree_set(r->tree, id, attr->id, SKED_UNSET, r->err);
            break;
        case SKEDI_SHAPE_AMOUNTS:
            rc = sked_tree_set_vec(r->tree, id, attr->id, NULL, r->err);
            break;
        default: rc = sked_tree_set_text(r->tree, id, attr->id, NULL, r->err);
        }
    }
    return rc;
}

/* The text has named the queue, on that line. */
static void mark_line(skedi_reading *r, uint32_t slot, uint32_t line)
{
    skedi_draft *draft = &r->tree->draft;
    const skedi_draft *before = &r->bracket.before;
    uint32_t was = slot < before->n_slots ? before->slot[slot].line : 0;

    draft->slot[slot].line = line;
    if (was != line) skedi_draft_touch(draft, slot, SKEDI_TOUCH_TEXT);
    r->slot = slot;
    if (slot != 0) r->n_queues++;
}

/* Does `slot` stand behind the siblings that the text named before it? */
static int is_in_order(skedi_reading *r, uint32_t parent, uint32_t slot)
{
    const skedi_slot *at = r->tree->draft.slot;
    uint32_t from = r->cursor[parent]; /* as old as its child */

    if (from == SKEDI_NO_SLOT) return 0;
    uint32_t s = from == 0 ? at[parent].first : at[from - 1].next;
    while (s != SKEDI_NO_SLOT && s != slot) s = at[s].next;
    r->cursor[parent] = s == SKEDI_NO_SLOT ? s : s + 1;
    return s == slot;
}

static sked_status keep_queue(skedi_reading *r, uint32_t slot, uint32_t line)
{
    const skedi_draft *draft = &r->tree->draft;
    uint32_t parent = draft->slot[slot].parent;

    mark_line(r, slot, line);
    if (slot != 0 && !is_in_order(r, parent, slot)) {
        sked_status rc = sked_tree_move(r->tree, r->known,
                                        skedi_slot_id(draft, parent), r->err);
        if (rc != SKED_OK) return rc;
    }
    return skedi_reading_reset(r, r->known);
}

static sked_status add_queue(skedi_reading *r, uint32_t parent,
                             const skedi_span *name)
{
    sked_queue_id id;

    sked_status rc = skedi_reading_reserve(r, name->length);
    if (rc != SKED_OK) return rc;
    (void)skedi_span_decode(name, r->decoded);
    rc = sked_tree_add(r->tree, skedi_slot_id(&r->tree->draft, parent),
                       r->decoded, &id, r->err);
    if (rc != SKED_OK) return rc;
    if (parent < r->n_cursor) r->cursor[parent] = SKEDI_NO_SLOT;
    mark_line(r, (uint32_t)id, name->line);
    return SKED_OK;
}

/* The queue is below `parent`, which the text has named. */
static sked_status place_queue(skedi_reading *r, const skedi_span *path,
                               uint32_t parent, skedi_piece piece)
{
    const skedi_draft *draft = &r->tree->draft;
    uint32_t slot = skedi_draft_child(r->tree, parent, piece);
    int64_t levels = draft->slot[parent].depth + INT64_C(2);
    skedi_span name = piece_span(path, piece);

    if (slot != SKEDI_NO_SLOT && draft->slot[slot].line) {
        tell_bound(r, SKED_FAULT_DUPLICATE_QUEUE, path, 0,
                   draft->slot[slot].line);
        return SKED_OK;
    }
    if (slot != SKEDI_NO_SLOT) r->known = skedi_slot_id(draft, slot);
    if (levels > r->bracket.max_depth) {
        tell_bound(r, SKED_FAULT_TOO_DEEP, path, levels, r->bracket.max_depth);
        return SKED_OK;
    }
    if (r->n_queues == r->bracket.max_queues) {
        tell_bound(r, SKED_FAULT_TOO_MANY, path, r->n_queues + INT64_C(1),
                   r->bracket.max_queues);
        return SKED_OK;
    }
    if (slot != SKEDI_NO_SLOT) return keep_queue(r, slot, path->line);
    return add_queue(r, parent, &name);
}

/* A line about the root itself. The first line of all may give it a name. */
static sked_status place_root(skedi_reading *r, const skedi_span *path,
                              int is_first)
{
    skedi_piece piece = {path->raw, path->length, 1};
    const skedi_slot *root = &r->tree->draft.slot[0];
    int same = skedi_piece_is(piece, skedi_tree_text(r->tree, root->name));

    if (!same && !is_first) {
        tell_at(r, SKED_FAULT_ROOT, path, piece);
        return SKED_OK;
    }
    r->known = skedi_slot_id(&r->tree->draft, 0);
    if (root->line) {
        tell_bound(r, SKED_FAULT_DUPLICATE_QUEUE, path, 0, root->line);
        return SKED_OK;
    }
    sked_status rc = skedi_reading_reserve(r, path->length);
    if (rc != SKED_OK) return rc;
    (void)skedi_span_decode(path, r->decoded);
    rc = sked_tree_rename(r->tree, r->known, r->decoded, r->err);
    return rc == SKED_OK ? keep_queue(r, 0, path->line) : rc;
}

/* Goes down to the parent; SKEDI_NO_SLOT: told what is wrong. `*last` is the
 * piece that names the queue. */
static uint32_t find_parent(skedi_reading *r, const skedi_span *path,
                            skedi_piece *last)
{
    const skedi_draft *draft = &r->tree->draft;
    skedi_piece piece;
    uint32_t slot = 0;
    size_t at = 0;

    (void)piece_next(path, &at, &piece);
    if (!skedi_piece_is(piece, skedi_tree_text(r->tree, draft->slot->name))) {
        tell_at(r, SKED_FAULT_ROOT, path, piece);
        return SKEDI_NO_SLOT;
    }
    (void)piece_next(path, &at, last);
    while (piece_next(path, &at, &piece)) {
        slot = skedi_draft_child(r->tree, slot, *last);
        if (slot == SKEDI_NO_SLOT || !draft->slot[slot].line) {
            tell_at(r, SKED_FAULT_MISSING_PARENT, path, *last);
            return SKEDI_NO_SLOT;
        }
        *last = piece;
    }
    return slot;
}

/* How many pieces a path has; 0: told that one is empty. */
static size_t count_pieces(skedi_reading *r, const skedi_span *path)
{
    skedi_piece piece;
    size_t at = 0, n = 0;

    while (piece_next(path, &at, &piece)) {
        n++;
        if (piece.length > 0) continue;
        skedi_span dot = piece_span(path, piece);
        skedi_reading_tell_byte(r, &dot);
        return 0;
    }
    return n;
}

sked_status skedi_reading_path(skedi_reading *r, const skedi_span *path)
{
    int is_first = r->first_line == 0;
    skedi_piece last;

    r->first_line = path->line;
    r->slot = SKEDI_NO_SLOT;
    r->known = SKED_NO_QUEUE;
    r->said = 0;
    size_t pieces = count_pieces(r, path);
    if (pieces == 0) return SKED_OK;
    if (pieces == 1) return place_root(r, path, is_first);
    uint32_t parent = find_parent(r, path, &last);
    if (parent == SKEDI_NO_SLOT) return SKED_OK;
    return place_queue(r, path, parent, last);
}
