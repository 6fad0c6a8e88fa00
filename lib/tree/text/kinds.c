/* The line of a text that names its resource kinds. */
#include "tree/text/reading.h"

#include <string.h>

#include "base/text.h"

/* Fails with the kind in the message and, when it is the tree's, in `err`. */
static sked_status fail_kinds(sked_error *err, const char *why,
                              const char *name, size_t length, skedi_fault at)
{
    char message[sizeof err->message];
    skedi_writer w = {message, sizeof message, 0};

    skedi_write_text(&w, why);
    skedi_write_char(&w, ' ');
    skedi_write_bytes(&w, name, length);
    (void)skedi_write_end(&w);
    return skedi_fail(err, SKED_ERR_SCHEMA, message, at);
}

static int unit_is(const skedi_span *value, const char *unit)
{
    if (value->length == 0) return strcmp(unit, "1") == 0; /* pieces */
    return skedi_span_is(value, unit);
}

/* Is the next word of the line the i-th kind? */
static sked_status check_kind(const skedi_word *word, const sked_schema *schema,
                              size_t i, sked_error *err)
{
    skedi_fault at = {.line = word->key.line, .column = word->key.column};

    if (i < sked_schema_kinds(schema)) {
        at.kind = (int32_t)i + 1;
        if (skedi_span_is(&word->key, sked_schema_name(schema, i)) &&
            unit_is(&word->value, sked_schema_unit(schema, i))) {
            return SKED_OK;
        }
    }
    return fail_kinds(err,
                      "the tree does not have, in this place and unit, the "
                      "kind",
                      word->key.raw, word->key.length, at);
}

sked_status skedi_kinds_check(skedi_lexer *lex, const sked_schema *schema,
                              sked_error *err)
{
    skedi_word word;
    skedi_lexer to = *lex;
    size_t n = 0;

    if (!skedi_lex_kinds(&to, &word)) return SKED_OK;
    skedi_fault at = {.line = word.key.line, .column = word.key.column};
    for (;; n++) {
        int what = skedi_lex_next(&to, &word);
        if (what == SKEDI_LEX_BAD) return SKED_OK;
        if (what != SKEDI_LEX_WORD) break;
        sked_status rc = check_kind(&word, schema, n, err);
        if (rc != SKED_OK) return rc;
    }
    if (n < sked_schema_kinds(schema)) {
        const char *name = sked_schema_name(schema, n);
        at.kind = (int32_t)n + 1;
        return fail_kinds(err, "the text lacks the kind", name, strlen(name),
                          at);
    }
    *lex = to;
    return SKED_OK;
}

/* From the first word behind `kinds` to the end of the last. */
static sked_status kinds_extent(skedi_lexer *lex, skedi_word *first,
                                const char **end, sked_error *err)
{
    skedi_word word;
    int n = 0, what;

    while ((what = skedi_lex_next(lex, &word)) == SKEDI_LEX_WORD) {
        const skedi_span *last = word.value.raw ? &word.value : &word.key;
        if (n++ == 0) *first = word;
        *end = last->raw + last->length;
    }
    if (what != SKEDI_LEX_BAD && n > 0) return SKED_OK;
    skedi_fault at = {.line = lex->line};
    if (what == SKEDI_LEX_BAD) {
        at.line = word.key.line;
        at.column = word.key.column;
    }
    return skedi_fail(err, SKED_ERR_SYNTAX, "the kinds line names no kinds",
                      at);
}

sked_status sked_tree_parse_schema(const char *text, size_t length,
                                   const sked_host *host, sked_schema **schema,
                                   sked_error *err)
{
    skedi_lexer lex;
    skedi_word first;
    const char *end = NULL;

    if (schema) *schema = NULL;
    if (!schema || (!text && length > 0)) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "an argument is NULL");
    }
    if (length >= UINT32_MAX) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "the text is too long");
    }
    skedi_lex_start(&lex, text ? text : "", length);
    if (!skedi_lex_kinds(&lex, &first)) {
        return skedi_fail_plain(err, SKED_ERR_NOT_FOUND,
                                "the text does not begin with its kinds");
    }
    sked_status rc = kinds_extent(&lex, &first, &end, err);
    if (rc != SKED_OK) return rc;
    rc = sked_schema_parse(first.key.raw, (size_t)(end - first.key.raw), host,
                           schema, err);
    if (rc == SKED_OK || !err || !err->line) return rc;
    err->line = first.key.line;
    err->column += first.key.column - 1;
    return rc;
}
