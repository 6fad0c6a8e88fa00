/*
 * Words on lines: the lowest layer of the text form.
 *
 * A word runs to a blank, a '#' or the end of the line; its first '=' parts key
 * from value, and a value may stand in quotes. '\' takes the next byte as it
 * is, a line feed included, so that every name can be written. A byte with no
 * place (NUL anywhere, a bare control byte, a stray quote) spoils its line
 * only: reading goes on with the next one, to find the other faults.
 */
#include "tree/text/lex.h"

#include <string.h>

#include "base/text.h"
#include "tree/text/reading.h"

/* ---- Words ---- */

/* What a byte does where nothing escapes it. */
enum { BYTE_PLAIN, BYTE_BLANK, BYTE_LINE, BYTE_BAD };

void skedi_lex_start(skedi_lexer *lex, const char *text, size_t length)
{
    *lex = (skedi_lexer){text, text, text + length, text, 1};
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) lex->at += 3;
}

static int byte_class(const skedi_lexer *lex)
{
    unsigned char c = (unsigned char)*lex->at;

    if (c == ' ' || c == '\t') return BYTE_BLANK;
    if (c == '\n') return BYTE_LINE;
    if (c == '\r') {
        int last = lex->at + 1 == lex->end || lex->at[1] == '\n';
        return last ? BYTE_BLANK : BYTE_BAD;
    }
    return c < 0x20 || c == 0x7f ? BYTE_BAD : BYTE_PLAIN;
}

/* Steps over a line feed at `at`. */
static void next_line(skedi_lexer *lex)
{
    lex->at++;
    lex->line_start = lex->at;
    lex->line++;
}

static uint32_t column_here(const skedi_lexer *lex)
{
    return (uint32_t)(lex->at - lex->line_start) + 1;
}

static void span_open(const skedi_lexer *lex, skedi_span *span)
{
    *span = (skedi_span){lex->at, 0, lex->line, column_here(lex)};
}

static void span_close(const skedi_lexer *lex, skedi_span *span)
{
    span->length = (size_t)(lex->at - span->raw);
}

static int spoil_line(skedi_lexer *lex, skedi_word *word)
{
    span_open(lex, &word->key);
    while (lex->at < lex->end && *lex->at != '\n') lex->at++;
    return SKEDI_LEX_BAD;
}

/* Steps over '\' and what it escapes; 0 when there is nothing to escape. */
static int step_escape(skedi_lexer *lex)
{
    lex->at++;
    if (lex->at == lex->end || *lex->at == 0) return 0;
    if (*lex->at == '\n') {
        next_line(lex);
    } else {
        lex->at++;
    }
    return 1;
}

/* Runs to the first byte that is none of a word's own, or is in `stops`; 0 when
 * it stands at a byte that must not be there. */
static int run_plain(skedi_lexer *lex, const char *stops)
{
    while (lex->at < lex->end) {
        if (*lex->at == '\\') {
            if (!step_escape(lex)) return 0;
            continue;
        }
        int class = byte_class(lex);
        if (class == BYTE_BAD) return 0;
        if (class != BYTE_PLAIN || strchr(stops, *lex->at)) return 1;
        lex->at++;
    }
    return 1;
}

/* Runs to the closing quote; 0 when the line ends first. */
static int run_quoted(skedi_lexer *lex)
{
    while (lex->at < lex->end && *lex->at != '"') {
        if (*lex->at == '\\') {
            if (!step_escape(lex)) return 0;
            continue;
        }
        int class = byte_class(lex);
        if (class == BYTE_BAD || class == BYTE_LINE) return 0;
        lex->at++;
    }
    return lex->at < lex->end;
}

/* A word must be followed by a blank, a comment or the end of its line. */
static int at_boundary(const skedi_lexer *lex)
{
    if (lex->at == lex->end || *lex->at == '#') return 1;
    return byte_class(lex) == BYTE_BLANK || byte_class(lex) == BYTE_LINE;
}

static int read_quoted(skedi_lexer *lex, skedi_span *value)
{
    lex->at++;
    span_open(lex, value);
    if (!run_quoted(lex)) return 0;
    span_close(lex, value);
    lex->at++;
    return at_boundary(lex);
}

static int read_value(skedi_lexer *lex, skedi_span *value)
{
    lex->at++;
    if (lex->at < lex->end && *lex->at == '"') return read_quoted(lex, value);
    span_open(lex, value);
    if (!run_plain(lex, "\"#")) return 0;
    span_close(lex, value);
    return at_boundary(lex);
}

static int read_word(skedi_lexer *lex, skedi_word *word)
{
    *word = (skedi_word){0};
    span_open(lex, &word->key);
    if (!run_plain(lex, "=\"#")) return spoil_line(lex, word);
    span_close(lex, &word->key);

    int pair = lex->at < lex->end && *lex->at == '=';
    if (pair && word->key.length == 0) return spoil_line(lex, word);
    if (pair && !read_value(lex, &word->value)) return spoil_line(lex, word);
    if (!at_boundary(lex)) return spoil_line(lex, word);
    return SKEDI_LEX_WORD;
}

/* Steps over a comment; 0 at a NUL. */
static int run_comment(skedi_lexer *lex)
{
    while (lex->at < lex->end && *lex->at != '\n') {
        if (*lex->at == 0) return 0;
        lex->at++;
    }
    return 1;
}

int skedi_lex_next(skedi_lexer *lex, skedi_word *word)
{
    while (lex->at < lex->end && byte_class(lex) == BYTE_BLANK) lex->at++;
    if (lex->at < lex->end && *lex->at == '#' && !run_comment(lex)) {
        return spoil_line(lex, word);
    }
    if (lex->at == lex->end) return SKEDI_LEX_END;
    if (*lex->at != '\n') return read_word(lex, word);
    next_line(lex);
    return SKEDI_LEX_LINE;
}

int skedi_lex_byte(const skedi_lexer *lex, const skedi_span *span)
{
    if (span->raw == lex->end || *span->raw == '\n') return -1;
    return (unsigned char)*span->raw;
}

size_t skedi_span_decode(const skedi_span *span, char *out)
{
    size_t n = 0;

    for (size_t i = 0; i < span->length; i++) {
        if (span->raw[i] == '\\') i++;
        out[n++] = span->raw[i];
    }
    out[n] = 0;
    return n;
}

int skedi_span_is(const skedi_span *span, const char *text)
{
    size_t n = 0, length = strlen(text);

    for (size_t i = 0; i < span->length; i++, n++) {
        if (span->raw[i] == '\\') i++;
        if (n == length || span->raw[i] != text[n]) return 0;
    }
    return n == length;
}

size_t skedi_span_raw(const skedi_span *span, size_t i)
{
    size_t raw = 0;

    for (; i > 0 && raw < span->length; i--, raw++) {
        if (span->raw[raw] == '\\') raw++;
    }
    return raw;
}

skedi_span skedi_span_tail(const skedi_span *span, size_t raw)
{
    skedi_span tail = *span;

    for (size_t i = 0; i < raw; i++) {
        tail.column++;
        if (span->raw[i] != '\n') continue;
        tail.column = 1;
        tail.line++;
    }
    tail.raw += raw;
    tail.length -= raw;
    return tail;
}

int skedi_lex_kinds(skedi_lexer *lex, skedi_word *word)
{
    skedi_lexer to = *lex;
    int what = SKEDI_LEX_LINE;

    while (what == SKEDI_LEX_LINE) what = skedi_lex_next(&to, word);
    if (what != SKEDI_LEX_WORD || word->value.raw) return 0;
    if (!skedi_span_is(&word->key, "kinds")) return 0;
    *lex = to;
    return 1;
}

/* ---- The line that names the kinds ---- */

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
                              uint32_t i, sked_error *err)
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
    uint32_t n = 0;

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
    const char *missing = !schema               ? "schema"
                          : length > 0 && !text ? "text"
                                                : NULL;
    if (missing) return skedi_fail_null(err, missing);
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
