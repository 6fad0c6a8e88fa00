/*
 * Reads a tree from text, word by word, into a copy of the draft. At the end
 * the copy replaces the draft or is discarded. Faults are collected on the way;
 * if any fault occurred, the copy is discarded.
 *
 * Every value is checked even if the path of its line is invalid; the value is
 * then not set. Queues of the old draft that the text does not name are removed
 * last, after the whole text was read. Until a queue is named, its line is 0.
 */
#include <string.h>

#include "base/hash.h"
#include "base/sort.h"
#include "tree/text/reading.h"
#include "tree/text/value.h"
#include "tree/text/write.h"
#include "tree/users.h"

static sked_status reading_user(skedi_reading *r, const skedi_span *key,
                                const char *name, uint32_t weight);

/*
 * From the path on a line to the queue in the draft.
 *
 * The line of a slot tells whether the text has named the queue: every line is
 * set to 0 before reading. A queue that exists and was not named yet is kept,
 * with all attributes reset to their defaults. If the text names siblings in
 * their existing order, their places stay unchanged. Reading the same text
 * again therefore moves no queue.
 */

/* ---- Shared functions of the reader ---- */

/* A fault of `code` at the decoded byte `i` of `span`. */
static sked_fault reading_fault(const skedi_reading *r, int32_t code,
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

/* Counts a fault and stores the fault if the list is not full. */
static void reading_tell(skedi_reading *r, sked_fault fault)
{
    if (r->n == 0) r->first = fault;
    if (r->n < r->cap) r->faults[r->n] = fault;
    r->n++;
}

static void reading_tell_byte(skedi_reading *r, const skedi_span *span)
{
    sked_fault fault = reading_fault(r, SKED_FAULT_SYNTAX, span, 0);

    fault.got = skedi_lex_byte(&r->lex, span);
    reading_tell(r, fault);
}

/* Reports the byte after a span as invalid. */
static void reading_tell_end(skedi_reading *r, const skedi_span *span)
{
    skedi_span end = skedi_span_tail(span, span->length);

    reading_tell_byte(r, &end);
}

/* Reserves memory in r->decoded for `bytes` and two NULs. */
static sked_status reading_reserve(skedi_reading *r, size_t bytes)
{
    void *at = r->decoded;

    if (!skedi_ensure(&r->tree->hooks.mem, &at, &r->decoded_cap, bytes + 2,
                      1)) {
        return skedi_fail_memory(r->err);
    }
    r->decoded = at;
    return SKED_OK;
}

/* Replaces the users of a queue; `list` NULL: removes all users. */
static sked_status tree_put_users(sked_tree *tree, uint32_t slot,
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

/* Reads the piece at `*at` and moves `*at` past the next dot; 0: no more
 * pieces. */
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

    reading_tell(r, reading_fault(r, code, &span, 0));
}

static void tell_bound(skedi_reading *r, int32_t code, const skedi_span *path,
                       int64_t got, int64_t limit)
{
    sked_fault fault = reading_fault(r, code, path, 0);

    fault.got = got;
    fault.limit = limit;
    reading_tell(r, fault);
}

/* Resets every attribute of a queue to its default. */
static sked_status reading_reset(skedi_reading *r, sked_queue_id id)
{
    sked_status rc = tree_put_users(r->tree, (uint32_t)id, NULL, r->err);

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

/* Marks the queue as named on `line`. */
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

/* Does `slot` follow the siblings that the text named earlier? */
static int is_in_order(skedi_reading *r, uint32_t parent, uint32_t slot)
{
    const skedi_slot *at = r->tree->draft.slot;
    uint32_t from = r->cursor[parent]; /* `parent` is as old as its child */

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
    return reading_reset(r, r->known);
}

static sked_status add_queue(skedi_reading *r, uint32_t parent,
                             const skedi_span *name)
{
    sked_queue_id id;

    sked_status rc = reading_reserve(r, name->length);
    if (rc != SKED_OK) return rc;
    (void)skedi_span_decode(name, r->decoded);
    rc = sked_tree_add(r->tree, skedi_slot_id(&r->tree->draft, parent),
                       r->decoded, &id, r->err);
    if (rc != SKED_OK) return rc;
    if (parent < r->n_cursor) r->cursor[parent] = SKEDI_NO_SLOT;
    mark_line(r, (uint32_t)id, name->line);
    return SKED_OK;
}

/* Keeps or adds a queue below `parent`, which the text has named. */
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

/* Handles a line for the root. The first line of the text may rename the
 * root. */
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
    sked_status rc = reading_reserve(r, path->length);
    if (rc != SKED_OK) return rc;
    (void)skedi_span_decode(path, r->decoded);
    rc = sked_tree_rename(r->tree, r->known, r->decoded, r->err);
    return rc == SKED_OK ? keep_queue(r, 0, path->line) : rc;
}

/* Finds the parent of a path's queue; SKEDI_NO_SLOT: a fault was reported.
 * `*last` is the name of the queue. */
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

/* The number of pieces of a path; 0: an empty piece was reported. */
static size_t count_pieces(skedi_reading *r, const skedi_span *path)
{
    skedi_piece piece;
    size_t at = 0, n = 0;

    while (piece_next(path, &at, &piece)) {
        n++;
        if (piece.length > 0) continue;
        skedi_span dot = piece_span(path, piece);
        reading_tell_byte(r, &dot);
        return 0;
    }
    return n;
}

/* Finds or adds the queue of a line and stores the slot in r->slot. */
static sked_status reading_path(skedi_reading *r, const skedi_span *path)
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

/* ---- From key=value to an attribute ---- */

/* The attribute with this name, and its bit; NULL: none. If two attributes
 * share the name, returns the attribute with amounts. */
static const skedi_attr *attr_named(const skedi_span *key, uint32_t *bit)
{
    for (size_t i = SKEDI_ATTRS; i-- > 0;) {
        const skedi_attr *attr = skedi_attr_at(i);
        if (!skedi_span_is(key, attr->name)) continue;
        *bit = (uint32_t)1 << i;
        return attr;
    }
    return NULL;
}

static void tell_value(skedi_reading *r, const skedi_attr *attr,
                       const skedi_span *value, skedi_misfit why)
{
    sked_fault fault = reading_fault(r, SKED_FAULT_BAD_VALUE, value, why.at);

    if (attr) fault.attribute = attr->id;
    fault.got = why.got;
    fault.limit = why.limit;
    fault.kind = why.kind - 1;
    reading_tell(r, fault);
}

static sked_queue_id line_queue(const skedi_reading *r)
{
    return skedi_slot_id(&r->tree->draft, r->slot);
}

static sked_status set_number(skedi_reading *r, const skedi_attr *attr,
                              const skedi_span *value, size_t n)
{
    skedi_misfit why;
    int64_t x;

    if (!skedi_value_number(attr, &r->tree->schema, r->decoded, n, &x, &why)) {
        tell_value(r, attr, value, why);
        return SKED_OK;
    }
    if (r->slot == SKEDI_NO_SLOT) return SKED_OK;
    return sked_tree_set(r->tree, line_queue(r), attr->id, x, r->err);
}

static sked_status set_amounts(skedi_reading *r, const skedi_attr *attr,
                               const skedi_span *value, size_t n)
{
    int64_t x[SKED_MAX_KINDS];
    skedi_misfit why;

    if (!skedi_value_amounts(attr, &r->tree->schema, r->decoded, n, x, &why)) {
        tell_value(r, attr, value, why);
        return SKED_OK;
    }
    if (r->slot == SKEDI_NO_SLOT) return SKED_OK;
    return sked_tree_set_vec(r->tree, line_queue(r), attr->id, x, r->err);
}

static sked_status set_text(skedi_reading *r, const skedi_attr *attr)
{
    if (r->slot == SKEDI_NO_SLOT) return SKED_OK;
    return sked_tree_set_text(r->tree, line_queue(r), attr->id, r->decoded,
                              r->err);
}

static sked_status set_attr(skedi_reading *r, const skedi_attr *attr,
                            const skedi_span *value)
{
    size_t n = skedi_span_decode(value, r->decoded);

    switch (attr->shape) {
    case SKEDI_SHAPE_NUMBER: return set_number(r, attr, value, n);
    case SKEDI_SHAPE_AMOUNTS: return set_amounts(r, attr, value, n);
    default: return set_text(r, attr);
    }
}

static sked_status set_user(skedi_reading *r, const skedi_word *word)
{
    size_t length = skedi_span_decode(&word->key, r->decoded);
    const char *user = r->decoded + SKEDI_USER_KEY;
    char *text = r->decoded + length + 1;
    size_t n = skedi_span_decode(&word->value, text);
    skedi_misfit why;
    int64_t weight;

    if (length == SKEDI_USER_KEY) {
        reading_tell(r,
                     reading_fault(r, SKED_FAULT_UNKNOWN_KEY, &word->key, 0));
        return SKED_OK;
    }
    if (!skedi_value_number(skedi_attr_at(SKEDI_AT_WEIGHT), &r->tree->schema,
                            text, n, &weight, &why)) {
        tell_value(r, NULL, &word->value, why);
        return SKED_OK;
    }
    return reading_user(r, &word->key, user, (uint32_t)weight);
}

static int is_user(const skedi_span *key)
{
    return key->length >= SKEDI_USER_KEY &&
           memcmp(key->raw, SKEDI_USER_TEXT, SKEDI_USER_KEY) == 0;
}

static int is_percentage(const skedi_span *value)
{
    return value->length > 0 && value->raw[value->length - 1] == '%';
}

/* Sets the attribute of a key=value word. Users are set when the line ends. */
static sked_status reading_pair(skedi_reading *r, const skedi_word *word)
{
    uint32_t bit;

    if (!word->value.raw) {
        reading_tell_end(r, &word->key);
        return SKED_OK;
    }
    sked_status rc = reading_reserve(r, word->key.length + word->value.length);
    if (rc != SKED_OK) return rc;
    if (is_user(&word->key)) return set_user(r, word);

    const skedi_attr *attr = attr_named(&word->key, &bit);
    int32_t code = attr ? SKED_FAULT_DUPLICATE_KEY : SKED_FAULT_UNKNOWN_KEY;
    if (!attr || r->said & bit) {
        sked_fault fault = reading_fault(r, code, &word->key, 0);
        if (attr) fault.attribute = attr->id;
        reading_tell(r, fault);
        return SKED_OK;
    }
    r->said |= bit;
    if (skedi_attr_part(attr) && is_percentage(&word->value)) {
        attr = skedi_attr_part(attr);
    }
    return set_attr(r, attr, &word->value);
}

/*
 * ---- Users ----
 *
 * The users of a line are collected, and stored in the draft as a single list
 * when the line ends. Setting each user alone would rewrite the list for each
 * user.
 */

static const char *said_name(const skedi_reading *r, uint32_t i)
{
    return r->user_bytes + r->users[i].name;
}

static sked_status reading_user(skedi_reading *r, const skedi_span *key,
                                const char *name, uint32_t weight)
{
    skedi_mem *mem = &r->tree->hooks.mem;
    void *users = r->users, *bytes = r->user_bytes;
    size_t n = strlen(name) + 1;

    int size = skedi_ensure(mem, &users, &r->users_cap, r->n_users + 1,
                            sizeof *r->users);
    r->users = users;
    size = size && skedi_ensure(mem, &bytes, &r->user_bytes_cap,
                                r->user_bytes_used + n, 1);
    r->user_bytes = bytes;
    if (!size) {
        return skedi_fail_memory(r->err);
    }
    r->users[r->n_users++] = (skedi_said_user){r->user_bytes_used, weight, 0,
                                               *key};
    memcpy(r->user_bytes + r->user_bytes_used, name, n);
    r->user_bytes_used += n;
    return SKED_OK;
}

static int by_name(const void *ctx, uint32_t a, uint32_t b)
{
    const skedi_reading *r = ctx;

    return strcmp(said_name(r, a), said_name(r, b));
}

/* Marks the users that the line named before. */
static void mark_repeats(skedi_reading *r, const uint32_t *order)
{
    for (size_t i = 1; i < r->n_users; i++) {
        if (by_name(r, order[i - 1], order[i]) != 0) continue;
        r->users[order[i]].again = 1;
    }
}

static void tell_repeats(skedi_reading *r)
{
    for (size_t i = 0; i < r->n_users; i++) {
        if (!r->users[i].again) continue;
        reading_tell(
            r, reading_fault(r, SKED_FAULT_DUPLICATE_KEY, &r->users[i].key, 0));
    }
}

/* Stores the list, in the order of names. */
static sked_status put_said(skedi_reading *r, const uint32_t *order)
{
    skedi_mem *mem = &r->tree->hooks.mem;
    size_t size = skedi_users_bytes_of(r->n_users, r->user_bytes_used), at = 0;

    char *list = skedi_new(mem, size, 1);
    if (!list) {
        return skedi_fail_memory(r->err);
    }
    for (size_t i = 0; i < r->n_users; i++) {
        at = skedi_users_append(list, at, said_name(r, order[i]),
                                r->users[order[i]].weight);
    }
    sked_status rc = tree_put_users(r->tree, r->slot, list, r->err);
    skedi_free(mem, list, size, 1);
    return rc;
}

static sked_status put_sorted(skedi_reading *r, uint32_t *order)
{
    for (size_t i = 0; i < r->n_users; i++) order[i] = (uint32_t)i;
    skedi_sort(order, order + r->n_users, r->n_users, by_name, r);
    mark_repeats(r, order);
    tell_repeats(r);
    if (r->slot == SKEDI_NO_SLOT || r->n > 0) return SKED_OK;
    return put_said(r, order);
}

/* Stores the users of the finished line in the draft. */
static sked_status reading_line_ends(skedi_reading *r)
{
    skedi_mem *mem = &r->tree->hooks.mem;
    size_t n = 2 * r->n_users; /* an order, and scratch to sort the order */

    if (n == 0) return SKED_OK;
    uint32_t *order = skedi_new(mem, n, sizeof *order);
    if (!order) {
        return skedi_fail_memory(r->err);
    }
    sked_status rc = put_sorted(r, order);
    skedi_free(mem, order, n, sizeof *order);
    r->n_users = 0;
    r->user_bytes_used = 0;
    return rc;
}

/* Frees all memory except the bracket's. */
static void reading_free(skedi_reading *r)
{
    skedi_mem *mem = &r->tree->hooks.mem;

    skedi_free(mem, r->cursor, r->n_cursor, sizeof *r->cursor);
    skedi_free(mem, r->decoded, r->decoded_cap, 1);
    skedi_free(mem, r->users, r->users_cap, sizeof *r->users);
    skedi_free(mem, r->user_bytes, r->user_bytes_cap, 1);
}

/* ---- The text ---- */

enum { WORDS_A_CHECK = 4096 };

static sked_status check_host(skedi_reading *r, uint64_t word)
{
    if (word % WORDS_A_CHECK != WORDS_A_CHECK - 1) return SKED_OK;
    uint64_t total = (uint64_t)(r->lex.end - r->lex.start);
    uint64_t left = (uint64_t)(r->lex.end - r->lex.at);
    sked_status rc = skedi_hooks_check(&r->tree->hooks, total - left, total);
    if (rc == SKED_OK) return rc;
    return skedi_fail_stopped(r->err, rc);
}

/* Reads all words up to the end of the text. */
static sked_status read_words(skedi_reading *r)
{
    sked_status rc = SKED_OK;
    skedi_word word;
    int line_begins = 1, what;

    for (uint64_t n = 0; rc == SKED_OK; n++) {
        rc = check_host(r, n);
        if (rc != SKED_OK) break;
        what = skedi_lex_next(&r->lex, &word);
        if (what == SKEDI_LEX_END) break;
        if (what == SKEDI_LEX_LINE) {
            rc = reading_line_ends(r);
            line_begins = 1;
            continue;
        }
        if (line_begins) r->known = SKED_NO_QUEUE;
        if (what == SKEDI_LEX_BAD) {
            reading_tell_byte(r, &word.key);
        } else if (line_begins && word.value.raw) {
            reading_tell_end(r, &word.key);
            r->slot = SKEDI_NO_SLOT;
        } else if (line_begins) {
            rc = reading_path(r, &word.key);
        } else {
            rc = reading_pair(r, &word);
        }
        line_begins = 0;
    }
    return rc == SKED_OK ? reading_line_ends(r) : rc;
}

/* Removes the queues that the text does not name. A text has no ledger, because
 * the ledger is in a layer above; hence no queue counts as busy. */
static sked_status drop_unnamed(skedi_reading *r)
{
    skedi_draft *draft = &r->tree->draft;
    sked_status rc = SKED_OK;
    uint32_t slot = skedi_draft_next(draft, 0, 0, 0);

    while (slot != SKEDI_NO_SLOT && rc == SKED_OK) {
        int named = draft->slot[slot].line != 0;
        uint32_t next = skedi_draft_next(draft, 0, slot, !named);
        if (!named) {
            rc = skedi_tree_open(r->tree, skedi_slot_id(draft, slot), 0, &slot,
                                 r->err);
            if (rc == SKED_OK) skedi_tree_cut(r->tree, slot);
        }
        slot = next;
    }
    return rc;
}

static sked_status fail_first(skedi_reading *r)
{
    char message[sizeof r->err->message];
    skedi_writer w = {message, sizeof message, 0};
    skedi_fault at = {
        .queue = r->first.queue,
        .got = r->first.got,
        .limit = r->first.limit,
        .kind = r->first.kind + 1,
        .line = r->first.line,
        .column = r->first.column,
    };

    skedi_write_fault(&w, r->tree, &r->first);
    (void)skedi_write_end(&w);
    return skedi_fail(r->err, SKED_ERR_SYNTAX, message, at);
}

/* Fails with the first fault, or removes the unnamed queues. */
static sked_status finish_reading(skedi_reading *r)
{
    if (r->n > 0) return fail_first(r);
    return drop_unnamed(r);
}

/* Resets the root: a root without a line has its defaults and no line
 * number. */
static sked_status start_root(skedi_reading *r)
{
    r->n_queues = 1;
    skedi_draft_touch(&r->tree->draft, 0, SKEDI_TOUCH_TEXT);
    return reading_reset(r, skedi_slot_id(&r->tree->draft, 0));
}

static sked_status run_reading(skedi_reading *r)
{
    skedi_draft *draft = &r->tree->draft;

    r->n_cursor = draft->n_slots;
    r->cursor = skedi_new(&r->tree->hooks.mem, r->n_cursor, sizeof *r->cursor);
    if (!r->cursor) {
        return skedi_fail_memory(r->err);
    }
    for (uint32_t s = 0; s < draft->n_slots; s++) draft->slot[s].line = 0;
    sked_status rc = start_root(r);
    if (rc == SKED_OK) rc = read_words(r);
    return rc == SKED_OK ? finish_reading(r) : rc;
}

static sked_status read_bracketed(skedi_reading *r, const char *file)
{
    sked_status rc = skedi_bracket_open(&r->bracket, r->tree, r->err);

    if (rc != SKED_OK) return rc;
    rc = run_reading(r);
    if (rc == SKED_OK && !skedi_tree_set_file(r->tree, file)) {
        rc = skedi_fail_memory(r->err);
    }
    skedi_bracket_close(&r->bracket, r->tree, rc);
    reading_free(r);
    return rc;
}

/* Stores the text's name even if the text is refused, because faults are
 * printed with the name. */
static sked_status read_text(skedi_reading *r, const char *file)
{
    sked_tree *tree = r->tree;
    skedi_mem *mem = &tree->hooks.mem;
    size_t n = strlen(file) + 1;

    sked_status rc = skedi_kinds_check(&r->lex, &tree->schema, r->err);
    if (rc != SKED_OK) return rc;
    char *told = skedi_new(mem, n, 1);
    if (!told) {
        return skedi_fail_memory(r->err);
    }
    memcpy(told, file, n);
    rc = read_bracketed(r, file);
    if (rc == SKED_OK || rc == SKED_ERR_SYNTAX) {
        char *old = tree->told;
        size_t old_n = tree->told_size;
        tree->told = told;
        tree->told_size = n;
        told = old;
        n = old_n;
    }
    skedi_free(mem, told, n, 1);
    return rc;
}

static sked_status read_check(const sked_tree *tree, const char *text,
                              size_t length, const sked_fault *faults,
                              size_t cap, sked_error *err)
{
    const char *missing = !tree                 ? "tree"
                          : length > 0 && !text ? "text"
                          : cap > 0 && !faults  ? "faults"
                                                : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (length >= UINT32_MAX) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "the text is too long");
    }
    if (tree->confined != skedi_slot_id(&tree->draft, 0)) {
        return skedi_fail_plain(err, SKED_ERR_STATE,
                                "the tree is confined to a part");
    }
    return SKED_OK;
}

sked_status sked_tree_parse(sked_tree *tree, const char *text, size_t length,
                            const char *file, sked_fault *faults, size_t cap,
                            size_t *n, sked_error *err)
{
    skedi_reading r = {.tree = tree, .err = err, .faults = faults, .cap = cap};

    if (n) *n = 0;
    sked_status rc = read_check(tree, text, length, faults, cap, err);
    if (rc != SKED_OK) return rc;
    skedi_lex_start(&r.lex, text ? text : "", length);
    rc = read_text(&r, file ? file : "");
    if (n) *n = r.n;
    return rc;
}
