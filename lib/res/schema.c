/*
 * The names and units of resource kinds. A schema is plain data of fixed size:
 * copying is assignment, and two are the same when their contents are.
 */
#include "res/schema.h"

#include <string.h>

#include "base/fail.h"
#include "base/text.h"

static const char *const unit_texts[] = {
    [SKEDI_PIECES] = "1",
    [SKEDI_MILLI] = "m",
    [SKEDI_BYTES] = "B",
};

int skedi_unit_of(const char *text, skedi_unit *unit)
{
    for (int u = SKEDI_PIECES; u <= SKEDI_BYTES; u++) {
        if (strcmp(text, unit_texts[u]) == 0) {
            *unit = (skedi_unit)u;
            return 1;
        }
    }
    *unit = SKEDI_PIECES;
    return *text == 0;
}

const char *skedi_unit_text(skedi_unit unit)
{
    return unit_texts[unit];
}

int skedi_schema_is_name_byte(int c)
{
    return c > ' ' && c != 127 && !strchr("=,;\"#\\", c);
}

static int is_name(const char *name, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (!skedi_schema_is_name_byte((unsigned char)name[i])) return 0;
    }
    return length > 0;
}

static int find_kind(const sked_schema *schema, const char *name, size_t length,
                     uint32_t *kind)
{
    for (uint32_t k = 0; k < schema->n; k++) {
        if (schema->kind[k].length == length &&
            memcmp(schema->kind[k].name, name, length) == 0) {
            *kind = k;
            return 1;
        }
    }
    return 0;
}

/* Appends a kind to a draft. `at` says where; on failure nothing is added. */
static sked_status add_kind(sked_schema *schema, const char *name,
                            size_t length, skedi_unit unit, skedi_fault at,
                            sked_error *err)
{
    uint32_t twin;

    at.kind = (int32_t)schema->n + 1;
    if (schema->n == SKED_MAX_KINDS) {
        at.kind = 0;
        return skedi_fail(err, SKED_ERR_RANGE, "more than 32 kinds", at);
    }
    if (!is_name(name, length)) {
        return skedi_fail(err, SKED_ERR_ARG, "not a name for a kind", at);
    }
    if (length > SKED_KIND_NAME_MAX) {
        return skedi_fail(err, SKED_ERR_RANGE, "name is above 63 bytes", at);
    }
    if (find_kind(schema, name, length, &twin)) {
        return skedi_fail(err, SKED_ERR_EXISTS, "kind comes twice", at);
    }
    skedi_kind *kind = &schema->kind[schema->n++];
    memcpy(kind->name, name, length);
    kind->length = (uint32_t)length;
    kind->unit = unit;
    return SKED_OK;
}

static sked_status check_kinds(const sked_schema *draft, sked_error *err)
{
    if (draft->n > 0) return SKED_OK;
    return skedi_fail_plain(err, SKED_ERR_RANGE, "no kinds");
}

static sked_status draft_from_arrays(sked_schema *draft,
                                     const char *const *names,
                                     const char *const *units, size_t n,
                                     sked_error *err)
{
    sked_status rc = SKED_OK;

    for (size_t k = 0; k < n && rc == SKED_OK; k++) {
        skedi_fault at = {.kind = (int32_t)k + 1};
        skedi_unit unit = SKEDI_PIECES;
        if (!names[k]) {
            return skedi_fail(err, SKED_ERR_ARG, "a kind has no name", at);
        }
        if (units && (!units[k] || !skedi_unit_of(units[k], &unit))) {
            return skedi_fail(err, SKED_ERR_ARG, "unit is none of m, B, 1", at);
        }
        rc = add_kind(draft, names[k], strlen(names[k]), unit, at, err);
    }
    return rc == SKED_OK ? check_kinds(draft, err) : rc;
}

/* Passes a run of bytes that a name may hold. */
static size_t pass_word(skedi_reader *r)
{
    const char *from = r->at;

    while (skedi_schema_is_name_byte(skedi_read_peek(r))) r->at++;
    return (size_t)(r->at - from);
}

/* Passes one `name=unit` and adds it to the draft. */
static sked_status read_kind(sked_schema *draft, skedi_reader *r,
                             sked_error *err)
{
    const char *name = r->at, *unit_at = NULL;
    skedi_fault at = {.line = 1, .column = skedi_read_column(r, name)};
    skedi_unit unit = SKEDI_PIECES;
    char text[2] = {0, 0};
    size_t length = pass_word(r), unit_length = 0;

    if (skedi_read_char(r, '=')) {
        unit_at = r->at;
        unit_length = pass_word(r);
        if (unit_length == 1) text[0] = *unit_at;
    }
    if (length == 0 || (r->at < r->end && *r->at != ' ' && *r->at != '\t')) {
        at.column = skedi_read_column(r, length ? r->at : name);
        return skedi_fail(err, SKED_ERR_SYNTAX, "name=unit expected", at);
    }
    if (unit_length > 1 || !skedi_unit_of(text, &unit)) {
        at.column = skedi_read_column(r, unit_at);
        return skedi_fail(err, SKED_ERR_ARG, "unit is none of m, B, 1", at);
    }
    return add_kind(draft, name, length, unit, at, err);
}

static sked_status draft_from_text(sked_schema *draft, skedi_reader r,
                                   sked_error *err)
{
    sked_status rc = SKED_OK;

    skedi_read_blanks(&r);
    while (rc == SKED_OK && r.at < r.end) {
        rc = read_kind(draft, &r, err);
        skedi_read_blanks(&r);
    }
    return rc == SKED_OK ? check_kinds(draft, err) : rc;
}

void skedi_schema_take(sked_schema *to, const sked_schema *from)
{
    *to = *from;
    to->hooks = (skedi_hooks){0};
}

/* A schema of its own with the kinds of `draft`. */
static sked_status settle(const sked_schema *draft, const sked_host *host,
                          sked_schema **schema, sked_error *err)
{
    skedi_hooks hooks;
    sked_status rc = skedi_hooks_in(&hooks, host, err);

    if (rc != SKED_OK) return rc;
    sked_schema *made = skedi_new(&hooks.mem, 1, sizeof *made);
    if (!made) {
        return skedi_fail_memory(err);
    }
    skedi_schema_take(made, draft);
    made->hooks = hooks;
    *schema = made;
    return SKED_OK;
}

sked_status sked_schema_new(const char *const *names, const char *const *units,
                            size_t n, const sked_host *host,
                            sked_schema **schema, sked_error *err)
{
    sked_schema draft = {.n = 0};

    if (!schema) return skedi_fail_null(err, "schema");
    *schema = NULL;
    if (!names) return skedi_fail_null(err, "names");
    sked_status rc = draft_from_arrays(&draft, names, units, n, err);
    return rc == SKED_OK ? settle(&draft, host, schema, err) : rc;
}

sked_status sked_schema_parse(const char *text, size_t length,
                              const sked_host *host, sked_schema **schema,
                              sked_error *err)
{
    sked_schema draft = {.n = 0};

    if (!schema) return skedi_fail_null(err, "schema");
    *schema = NULL;
    if (!text) return skedi_fail_null(err, "text");
    sked_status rc = draft_from_text(&draft, skedi_read_from(text, length),
                                     err);
    return rc == SKED_OK ? settle(&draft, host, schema, err) : rc;
}

sked_status sked_schema_copy(const sked_schema *schema, const sked_host *host,
                             sked_schema **copy, sked_error *err)
{
    if (!copy) return skedi_fail_null(err, "copy");
    *copy = NULL;
    if (!schema) return skedi_fail_null(err, "schema");
    return settle(schema, host, copy, err);
}

void sked_schema_free(sked_schema *schema)
{
    if (!schema) return;
    skedi_hooks hooks = schema->hooks;
    skedi_free(&hooks.mem, schema, 1, sizeof *schema);
    skedi_hooks_done(hooks.host);
}

size_t sked_schema_kinds(const sked_schema *schema)
{
    return schema ? schema->n : 0;
}

const char *sked_schema_name(const sked_schema *schema, uint32_t kind)
{
    return kind < sked_schema_kinds(schema) ? schema->kind[kind].name : NULL;
}

const char *sked_schema_unit(const sked_schema *schema, uint32_t kind)
{
    if (kind >= sked_schema_kinds(schema)) return NULL;
    return skedi_unit_text(schema->kind[kind].unit);
}

sked_status sked_schema_find(const sked_schema *schema, const char *name,
                             size_t length, uint32_t *kind)
{
    if (!schema || !name || !kind) return SKED_ERR_ARG;
    return find_kind(schema, name, length, kind) ? SKED_OK : SKED_ERR_NOT_FOUND;
}

/* "kind cpu differs", cut where the message ends. */
static sked_status fail_kind(sked_error *err, const char *name, size_t kind)
{
    char line[SKED_KIND_NAME_MAX + 16];
    skedi_writer w = {line, sizeof line, 0};

    skedi_write_text(&w, "kind ");
    skedi_write_text(&w, name);
    skedi_write_text(&w, " differs");
    (void)skedi_write_end(&w); /* names are shorter than the buffer */
    return skedi_fail(err, SKED_ERR_SCHEMA, line,
                      (skedi_fault){.kind = (int32_t)kind + 1});
}

static int same_kind(const skedi_kind *a, const skedi_kind *b)
{
    return a->unit == b->unit && strcmp(a->name, b->name) == 0;
}

sked_status sked_schema_same(const sked_schema *a, const sked_schema *b,
                             sked_error *err)
{
    const char *missing = !a ? "a" : !b ? "b" : NULL;
    if (missing) return skedi_fail_null(err, missing);

    for (size_t k = 0; k < a->n || k < b->n; k++) {
        if (k >= a->n) return fail_kind(err, b->kind[k].name, k);
        if (k >= b->n || !same_kind(&a->kind[k], &b->kind[k])) {
            return fail_kind(err, a->kind[k].name, k);
        }
    }
    return SKED_OK;
}

sked_status sked_schema_format(const sked_schema *schema, char *text,
                               size_t cap, size_t *length)
{
    skedi_writer w = {text, cap, 0};

    if (!schema || (!text && cap > 0)) return SKED_ERR_ARG;
    for (size_t k = 0; k < schema->n; k++) {
        if (k > 0) skedi_write_char(&w, ' ');
        skedi_write_text(&w, schema->kind[k].name);
        skedi_write_char(&w, '=');
        skedi_write_text(&w, skedi_unit_text(schema->kind[k].unit));
    }
    if (length) *length = w.n;
    return skedi_write_end(&w);
}
