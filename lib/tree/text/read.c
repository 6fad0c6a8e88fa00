/*
 * Reading a tree from text: word by word into a copy of the draft, which takes
 * the draft's place at the end or is thrown away. Faults are collected on the
 * way; with a single one, nothing is kept.
 *
 * Queues that were there and are not named are taken out last, when it is
 * known that they were not. Until then their line is 0.
 */
#include <string.h>

#include "tree/text/fault.h"
#include "tree/text/reading.h"

enum { WORDS_A_CHECK = 4096 };

static sked_status check_host(skedi_reading *r, uint64_t word)
{
    if (word % WORDS_A_CHECK != WORDS_A_CHECK - 1) return SKED_OK;
    uint64_t total = (uint64_t)(r->lex.end - r->lex.start);
    uint64_t left = (uint64_t)(r->lex.end - r->lex.at);
    sked_status rc = skedi_hooks_check(&r->tree->hooks, total - left, total);
    if (rc == SKED_OK) return rc;
    return skedi_fail_plain(r->err, rc, "reading was cancelled");
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

/* Takes out what the text has not named. */
static sked_status drop_unnamed(skedi_reading *r)
{
    skedi_draft *draft = &r->tree->draft;
    sked_status rc = SKED_OK;
    uint32_t slot = skedi_draft_next(draft, 0, 0, 0);

    while (slot != SKEDI_NO_SLOT && rc == SKED_OK) {
        int named = draft->slot[slot].line != 0;
        uint32_t next = skedi_draft_next(draft, 0, slot, !named);
        if (!named) {
            rc = sked_tree_remove(r->tree, skedi_slot_id(draft, slot), NULL,
                                  SKED_TREE_REMOVE_REFUSE, r->err);
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
        return skedi_fail_plain(r->err, SKED_ERR_NOMEM, "no room to read");
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
        rc = skedi_fail_plain(r->err, SKED_ERR_NOMEM, "no room for a name");
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
        return skedi_fail_plain(r->err, SKED_ERR_NOMEM, "no room for a name");
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
    if (!tree || (!text && length > 0) || (!faults && cap > 0)) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "an argument is NULL");
    }
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
