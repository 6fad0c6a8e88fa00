/*
 * Words on lines: the lowest layer of the text form.
 *
 * A word ends at a blank, a '#' or the end of the line. The first '=' separates
 * key and value; a value may be in quotes. '\' escapes the next byte, even a
 * line feed, hence every name can be written. An invalid byte (a NUL, an
 * unescaped control byte, a stray quote) invalidates only its line. Reading
 * continues with the next line to find further faults.
 */
#include "tree/text/lex.h"

#include <string.h>

#include "base/text.h"
#include "res/amount.h"
#include "tree/text/reading.h"
#include "tree/text/value.h"

/*
 * Values of the text form: numbers, durations, ratios and amounts.
 *
 * Durations and ratios are a decimal number times a unit. The product must be a
 * whole number of the smallest unit: 0.5s is 500000000 ns. 0.3333333 is not a
 * whole number of parts per million and is refused, not rounded. The table of
 * attributes gives the notation of each value. The reader also checks each
 * value against the table, hence setting a value cannot fail later.
 */

/* ---- Numbers ---- */

typedef struct duration_unit {
    char name[4];
    uint64_t ns;
} duration_unit;

/* Largest first: writing uses the first unit that divides the value. */
static const duration_unit duration_units[] = {
    {"d", UINT64_C(86400000000000)},
    {"h", UINT64_C(3600000000000)},
    {"m", UINT64_C(60000000000)},
    {"s", UINT64_C(1000000000)},
    {"ms", 1000000},
    {"us", 1000},
    {"ns", 1},
};

enum {
    DURATION_UNITS = sizeof duration_units / sizeof *duration_units,
    SECONDS = 3, /* the unit in which 0 is written: 0s */
    PERCENT = 10000
};

sked_status skedi_value_int(const char *text, size_t n, int64_t *value)
{
    skedi_reader r = skedi_read_from(text, n);
    uint64_t size;

    int minus = skedi_read_char(&r, '-');
    sked_status rc = skedi_read_u64(&r, &size);
    if (rc != SKED_OK) return rc;
    if (r.at != r.end) return SKED_ERR_SYNTAX;
    if (size > INT64_MAX) return SKED_ERR_RANGE;
    *value = minus ? -(int64_t)size : (int64_t)size;
    return SKED_OK;
}

/* The unit that the rest of the text names; DURATION_UNITS: none. */
static int unit_here(skedi_reader *r)
{
    int i = 0;

    for (; i < DURATION_UNITS; i++) {
        skedi_reader to = *r;
        if (!skedi_read_word(&to, duration_units[i].name)) continue;
        if (to.at == to.end) break;
    }
    return i;
}

static sked_status value_duration(const char *text, size_t n, int64_t *ns)
{
    skedi_reader r = skedi_read_from(text, n);
    skedi_decimal x;
    uint64_t sum = 0;

    sked_status rc = skedi_read_decimal(&r, &x);
    if (rc != SKED_OK) return rc;
    int unit = unit_here(&r);
    if (unit < DURATION_UNITS) {
        rc = skedi_decimal_times(x, duration_units[unit].ns, SKEDI_EXACT,
                                 INT64_MAX - 1, &sum);
    } else if (n != 1 || *text != '0') {
        rc = SKED_ERR_SYNTAX;
    }
    if (rc == SKED_OK) *ns = (int64_t)sum;
    return rc;
}

/* Writes a duration of 0 to INT64_MAX - 1 ns, as a whole number of the largest
 * possible unit. */
static void write_duration(skedi_writer *w, int64_t ns)
{
    int unit = ns == 0 ? SECONDS : 0;

    while ((uint64_t)ns % duration_units[unit].ns != 0) unit++;
    skedi_write_u64(w, (uint64_t)ns / duration_units[unit].ns);
    skedi_write_text(w, duration_units[unit].name);
}

static sked_status value_ratio(const char *text, size_t n, int64_t *ppm)
{
    skedi_reader r = skedi_read_from(text, n);
    skedi_decimal x;
    uint64_t sum;

    sked_status rc = skedi_read_decimal(&r, &x);
    if (rc != SKED_OK) return rc;
    uint64_t scale = skedi_read_char(&r, '%') ? PERCENT : SKED_PPM;
    if (r.at != r.end) return SKED_ERR_SYNTAX;
    rc = skedi_decimal_times(x, scale, SKEDI_EXACT, INT64_MAX - 1, &sum);
    if (rc == SKED_OK) *ppm = (int64_t)sum;
    return rc;
}

void skedi_write_ratio(skedi_writer *w, int64_t ppm)
{
    skedi_write_decimal(w, (uint64_t)ppm / PERCENT, (uint64_t)ppm % PERCENT, 4);
    skedi_write_char(w, '%');
}

/* ---- Values by attribute ---- */

static const char no_bound[] = "unlimited";

static int is_no_bound(const char *text, size_t n)
{
    return n == sizeof no_bound - 1 && memcmp(text, no_bound, n) == 0;
}

static size_t word_length(const char *words)
{
    size_t n = 0;

    while (words[n] && words[n] != ' ') n++;
    return n;
}

/* Finds the i-th of the words separated by blanks; the word must exist. Returns
 * the length of the word. */
static size_t word_at(const char *words, int64_t i, const char **word)
{
    for (; i > 0; i--) words += word_length(words) + 1;
    *word = words;
    return word_length(words);
}

static sked_status read_choice(const skedi_attr *attr, const char *text,
                               size_t n, int64_t *value)
{
    const char *word;

    for (int64_t i = 0; i <= attr->high; i++) {
        if (word_at(attr->words, i, &word) != n) continue;
        if (memcmp(word, text, n) != 0) continue;
        *value = i;
        return SKED_OK;
    }
    return SKED_ERR_SYNTAX;
}

static sked_status read_kind_word(const sked_schema *schema, const char *text,
                                  size_t n, int64_t *value)
{
    uint32_t kind;

    sked_status rc = sked_schema_find(schema, text, n, &kind);
    if (rc == SKED_OK) *value = (int64_t)kind;
    return rc;
}

static sked_status read_said(const skedi_attr *attr, const sked_schema *schema,
                             const char *text, size_t n, int64_t *value)
{
    switch (attr->said) {
    case SKEDI_SAID_WORD: return read_choice(attr, text, n, value);
    case SKEDI_SAID_RATIO: return value_ratio(text, n, value);
    case SKEDI_SAID_DURATION: return value_duration(text, n, value);
    case SKEDI_SAID_KIND: return read_kind_word(schema, text, n, value);
    default: return skedi_value_int(text, n, value);
    }
}

int skedi_value_number(const skedi_attr *attr, const sked_schema *schema,
                       const char *text, size_t n, int64_t *value,
                       skedi_misfit *why)
{
    int64_t x;

    *why = (skedi_misfit){0};
    if (attr->unlimited && is_no_bound(text, n)) {
        *value = SKED_UNLIMITED;
        return 1;
    }
    if (read_said(attr, schema, text, n, &x) != SKED_OK) return 0;
    uint32_t kinds = (uint32_t)sked_schema_kinds(schema);
    if (x == SKED_UNLIMITED || !skedi_attr_takes(attr, kinds, x)) {
        why->got = x;
        why->limit = x < attr->low ? attr->low : attr->high;
        return 0;
    }
    *value = x;
    return 1;
}

void skedi_write_number(skedi_writer *w, const skedi_attr *attr,
                        const sked_schema *schema, int64_t value)
{
    const char *word;
    size_t n;

    if (value == SKED_UNLIMITED) {
        skedi_write_text(w, no_bound);
        return;
    }
    switch (attr->said) {
    case SKEDI_SAID_WORD:
        n = word_at(attr->words, value, &word);
        skedi_write_bytes(w, word, n);
        return;
    case SKEDI_SAID_RATIO: skedi_write_ratio(w, value); return;
    case SKEDI_SAID_DURATION: write_duration(w, value); return;
    case SKEDI_SAID_KIND:
        skedi_write_text(w, sked_schema_name(schema, (uint32_t)value));
        return;
    default: skedi_write_i64(w, value);
    }
}

static void fill_amounts(int64_t *amounts, size_t n, int64_t value)
{
    for (size_t k = 0; k < n; k++) amounts[k] = value;
}

int skedi_value_amounts(const skedi_attr *attr, const sked_schema *schema,
                        const char *text, size_t n, int64_t *amounts,
                        skedi_misfit *why)
{
    size_t kinds = sked_schema_kinds(schema);
    sked_error err;

    *why = (skedi_misfit){0};
    if (attr->unlimited && is_no_bound(text, n)) {
        fill_amounts(amounts, kinds, SKED_UNLIMITED);
        return 1;
    }
    if (sked_vec_parse(schema, text, n, attr->fallback, amounts, &err) !=
        SKED_OK) {
        why->kind = err.kind + 1;
        why->at = err.column ? err.column - 1 : 0;
        return 0;
    }
    for (size_t k = 0; k < kinds; k++) {
        if (skedi_attr_takes(attr, (uint32_t)kinds, amounts[k])) continue;
        why->kind = (int32_t)k + 1;
        return 0;
    }
    return 1;
}

void skedi_write_amounts(skedi_writer *w, const skedi_attr *attr,
                         const sked_schema *schema, const int64_t *amounts)
{
    size_t said = 0;

    for (size_t k = 0; k < schema->n; k++) {
        const skedi_kind *kind = &schema->kind[k];
        if (amounts[k] == attr->fallback) continue;
        if (said++) skedi_write_char(w, ',');
        skedi_write_text(w, kind->name);
        skedi_write_char(w, '=');
        skedi_amount_write(w, kind->unit, amounts[k], SKED_FORM_SHORT);
    }
}

const skedi_attr *skedi_attr_part(const skedi_attr *attr)
{
    switch (attr->id) {
    case SKED_QUEUE_GUARANTEE: return skedi_attr_at(SKEDI_AT_GUARANTEE_PPM);
    case SKED_QUEUE_LIMIT: return skedi_attr_at(SKEDI_AT_LIMIT_PPM);
    default: return NULL;
    }
}

static int is_control(char c)
{
    return (unsigned char)c < 0x20 || c == 0x7f;
}

static int is_plain(const char *value)
{
    size_t n = 0;

    for (; value[n]; n++) {
        if (strchr(" =\"#\\", value[n]) || is_control(value[n])) return 0;
    }
    return n > 0;
}

void skedi_write_value(skedi_writer *w, const char *value)
{
    if (is_plain(value)) {
        skedi_write_text(w, value);
        return;
    }
    skedi_write_char(w, '"');
    for (; *value; value++) {
        int special = *value == '"' || *value == '\\' || is_control(*value);
        if (special) skedi_write_char(w, '\\');
        skedi_write_char(w, *value);
    }
    skedi_write_char(w, '"');
}

/* ---- Words ---- */

/* The class of an unescaped byte. */
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

/* Skips a line feed at `at`. */
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

/* Skips '\' and the escaped byte; 0: no byte follows. */
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

/* Skips to the first byte that is not part of a word, or is in `stops`. Returns
 * 0 at an invalid byte. */
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

/* Skips to the closing quote; 0: the line ends first. */
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

/* Is a blank, a comment or the end of the line next? A word must end here. */
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

/* Skips a comment; 0: at a NUL. */
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

/* If the first word of the text is `kinds`, skips the word and returns 1.
 * Otherwise the lexer stays at the start and the function returns 0. */
static int lex_kinds(skedi_lexer *lex, skedi_word *word)
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

/* Fails with the kind in the message. If the tree has the kind, `err` has the
 * kind, too. */
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

/* Checks that `word` names the i-th kind and its unit. */
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

    if (!lex_kinds(&to, &word)) return SKED_OK;
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

/* Finds the first word after `kinds` and the end of the last word. */
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
    if (!lex_kinds(&lex, &first)) {
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
