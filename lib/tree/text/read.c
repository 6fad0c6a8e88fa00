/*
 * Reading a tree from text: word by word into a copy of the draft, which takes
 * the draft's place at the end or is thrown away. Faults are collected on the
 * way; with a single one, nothing is kept.
 *
 * Every value is judged even when the path of its line was at fault; it is only
 * not set then. Queues that were there and are not named are taken out last,
 * when it is known that they were not. Until then their line is 0.
 */
#include "tree/text/reading.h"

#include <string.h>

#include "base/sort.h"
#include "tree/text/write.h"
#include "tree/text/value.h"
#include "tree/users.h"

/* ---- From key=value to an attribute ---- */

/* The attribute of that name and the bit that stands for it; NULL: none. Of
 * two with one name, that with amounts. */
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
    sked_fault fault = skedi_reading_fault(r, SKED_FAULT_BAD_VALUE, value,
                                           why.at);

    if (attr) fault.attribute = attr->id;
    fault.got = why.got;
    fault.limit = why.limit;
    fault.kind = why.kind - 1;
    skedi_reading_tell(r, fault);
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
        skedi_reading_tell(
            r, skedi_reading_fault(r, SKED_FAULT_UNKNOWN_KEY, &word->key, 0));
        return SKED_OK;
    }
    if (!skedi_value_number(skedi_attr_at(SKEDI_AT_WEIGHT), &r->tree->schema,
                            text, n, &weight, &why)) {
        tell_value(r, NULL, &word->value, why);
        return SKED_OK;
    }
    return skedi_reading_user(r, &word->key, user, (uint32_t)weight);
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

sked_status skedi_reading_pair(skedi_reading *r, const skedi_word *word)
{
    uint32_t bit;

    if (!word->value.raw) {
        skedi_reading_tell_end(r, &word->key);
        return SKED_OK;
    }
    sked_status rc = skedi_reading_reserve(r, word->key.length +
                                                  word->value.length);
    if (rc != SKED_OK) return rc;
    if (is_user(&word->key)) return set_user(r, word);

    const skedi_attr *attr = attr_named(&word->key, &bit);
    int32_t code = attr ? SKED_FAULT_DUPLICATE_KEY : SKED_FAULT_UNKNOWN_KEY;
    if (!attr || r->said & bit) {
        sked_fault fault = skedi_reading_fault(r, code, &word->key, 0);
        if (attr) fault.attribute = attr->id;
        skedi_reading_tell(r, fault);
        return SKED_OK;
    }
    r->said |= bit;
    if (skedi_attr_part(attr) && is_percentage(&word->value)) {
        attr = skedi_attr_part(attr);
    }
    return set_attr(r, attr, &word->value);
}

/* ---- Users ----
 *
 * The users that one line names are gathered, and put into the draft as one
 * list when the line ends: setting them one by one would write the list anew
 * for each.
 */

static const char *said_name(const skedi_reading *r, uint32_t i)
{
    return r->user_bytes + r->users[i].name;
}

sked_status skedi_reading_user(skedi_reading *r, const skedi_span *key,
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

/* Marks the users that were named before. */
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
        skedi_reading_tell(r, skedi_reading_fault(r, SKED_FAULT_DUPLICATE_KEY,
                                                  &r->users[i].key, 0));
    }
}

/* Puts the list, in the order of names. */
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
    sked_status rc = skedi_tree_put_users(r->tree, r->slot, list, r->err);
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

sked_status skedi_reading_line_ends(skedi_reading *r)
{
    skedi_mem *mem = &r->tree->hooks.mem;
    size_t n = 2 * r->n_users; /* an order, and memory to sort it */

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

void skedi_reading_free(skedi_reading *r)
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

/* Every word from here to the end of the text. */
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
            rc = skedi_reading_line_ends(r);
            line_begins = 1;
            continue;
        }
        if (line_begins) r->known = SKED_NO_QUEUE;
        if (what == SKEDI_LEX_BAD) {
            skedi_reading_tell_byte(r, &word.key);
        } else if (line_begins && word.value.raw) {
            skedi_reading_tell_end(r, &word.key);
            r->slot = SKEDI_NO_SLOT;
        } else if (line_begins) {
            rc = skedi_reading_path(r, &word.key);
        } else {
            rc = skedi_reading_pair(r, &word);
        }
        line_begins = 0;
    }
    return rc == SKED_OK ? skedi_reading_line_ends(r) : rc;
}

/* Removes the queues that the text does not name. The ledger is above this
 * folder: a text has no ledger, and no queue counts as busy. */
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

/* Judges the draft that came out, and tidies it. */
static sked_status finish_reading(skedi_reading *r)
{
    if (r->n > 0) return fail_first(r);
    return drop_unnamed(r);
}

/* What a root that is left out is: at its defaults, from no line. */
static sked_status start_root(skedi_reading *r)
{
    r->n_queues = 1;
    skedi_draft_touch(&r->tree->draft, 0, SKEDI_TOUCH_TEXT);
    return skedi_reading_reset(r, skedi_slot_id(&r->tree->draft, 0));
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
    skedi_reading_free(r);
    return rc;
}

/* Faults are told with the name of the text even when it was refused. */
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
