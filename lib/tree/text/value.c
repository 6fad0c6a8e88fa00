/*
 * Values of the text form: numbers, durations, ratios and amounts.
 *
 * Durations and ratios are a decimal number times a unit, and must be whole
 * numbers of the smallest unit: 0.5s is 500000000 ns, while 0.3333333 is no
 * whole number of parts per million and is refused rather than rounded. The
 * table of attributes says how the value of each is written. What is read is
 * checked against the table too, so that setting it cannot fail later.
 */
#include "tree/text/value.h"

#include <string.h>

#include "res/amount.h"

/* ---- Numbers ---- */

typedef struct duration_unit {
    char name[4];
    uint64_t ns;
} duration_unit;

/* Largest first: writing takes the first that divides. */
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

/* Which unit the rest of the text is; DURATION_UNITS: none. */
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

sked_status skedi_value_duration(const char *text, size_t n, int64_t *ns)
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

void skedi_write_duration(skedi_writer *w, int64_t ns)
{
    int unit = ns == 0 ? SECONDS : 0;

    while ((uint64_t)ns % duration_units[unit].ns != 0) unit++;
    skedi_write_u64(w, (uint64_t)ns / duration_units[unit].ns);
    skedi_write_text(w, duration_units[unit].name);
}

sked_status skedi_value_ratio(const char *text, size_t n, int64_t *ppm)
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

/* Finds the i-th of words that are separated by blanks, which must be there;
 * returns its length. */
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
