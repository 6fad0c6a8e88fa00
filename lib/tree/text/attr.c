/*
 * Values of the text form by attribute: the table of attributes says how each
 * is said, here it is read and written. What is read is checked against the
 * table too, so that setting it cannot be refused.
 */
#include "tree/text/value.h"

#include <string.h>

#include "res/amount.h"

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

/* The i-th of words with a blank between, of which there are as many; its
 * length. */
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
    size_t kind;

    sked_status rc = sked_schema_find(schema, text, n, &kind);
    if (rc == SKED_OK) *value = (int64_t)kind;
    return rc;
}

static sked_status read_said(const skedi_attr *attr, const sked_schema *schema,
                             const char *text, size_t n, int64_t *value)
{
    switch (attr->said) {
    case SKEDI_SAID_WORD: return read_choice(attr, text, n, value);
    case SKEDI_SAID_RATIO: return skedi_value_ratio(text, n, value);
    case SKEDI_SAID_DURATION: return skedi_value_duration(text, n, value);
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
    case SKEDI_SAID_DURATION: skedi_write_duration(w, value); return;
    case SKEDI_SAID_KIND:
        skedi_write_text(w, sked_schema_name(schema, (size_t)value));
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
