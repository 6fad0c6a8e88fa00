/* Vectors in text: a list of kind=amount. */
#include "base/fail.h"
#include "res/amount.h"

#include <string.h>

enum { KIND_UNSAID = INT32_C(-1) };

/* The text under reading, and the place of a failure. */
typedef struct vec_reader {
    skedi_reader r;
    const sked_schema *schema;
    sked_error *err;
} vec_reader;

static sked_status fail_at(const vec_reader *v, sked_status rc, const char *why,
                           const char *at, int32_t kind)
{
    return skedi_fail(v->err, rc, why,
                      (skedi_fault){.line = 1,
                                    .column = skedi_read_column(&v->r, at),
                                    .kind = kind + 1});
}

/* Passes `name =` and finds the kind. */
static sked_status read_kind_name(vec_reader *v, uint32_t *kind)
{
    const char *from = v->r.at;

    while (skedi_schema_is_name_byte(skedi_read_peek(&v->r))) v->r.at++;
    size_t length = (size_t)(v->r.at - from);
    if (length == 0) {
        return fail_at(v, SKED_ERR_SYNTAX, "name of a kind expected", from,
                       KIND_UNSAID);
    }
    if (sked_schema_find(v->schema, from, length, kind) != SKED_OK) {
        return fail_at(v, SKED_ERR_NOT_FOUND, "no such kind", from,
                       KIND_UNSAID);
    }
    skedi_read_blanks(&v->r);
    if (!skedi_read_char(&v->r, '=')) {
        return fail_at(v, SKED_ERR_SYNTAX, "'=' expected", v->r.at,
                       (int32_t)*kind);
    }
    skedi_read_blanks(&v->r);
    return SKED_OK;
}

/* Passes one kind=amount; `*said` has the bits of the kinds already passed. */
static sked_status read_item(vec_reader *v, int64_t *vec, uint32_t *said)
{
    const char *from = v->r.at, *why;
    uint32_t kind;

    sked_status rc = read_kind_name(v, &kind);
    if (rc != SKED_OK) return rc;
    if (*said >> kind & 1) {
        return fail_at(v, SKED_ERR_EXISTS, "kind comes twice", from,
                       (int32_t)kind);
    }
    *said |= (uint32_t)1 << kind;
    rc = skedi_amount_read(&v->r, v->schema->kind[kind].unit, SKEDI_EXACT,
                           &vec[kind], &why);
    if (rc != SKED_OK) return fail_at(v, rc, why, v->r.at, (int32_t)kind);
    skedi_read_blanks(&v->r);
    return SKED_OK;
}

static sked_status read_items(vec_reader *v, int64_t *vec)
{
    uint32_t said = 0;

    skedi_read_blanks(&v->r);
    if (v->r.at == v->r.end) return SKED_OK;
    for (;;) {
        sked_status rc = read_item(v, vec, &said);
        if (rc != SKED_OK || v->r.at == v->r.end) return rc;
        if (!skedi_read_char(&v->r, ',') && !skedi_read_char(&v->r, ';')) {
            return fail_at(v, SKED_ERR_SYNTAX, "',' or the end expected",
                           v->r.at, KIND_UNSAID);
        }
        skedi_read_blanks(&v->r);
    }
}

sked_status sked_vec_parse(const sked_schema *schema, const char *text,
                           size_t length, int64_t missing, int64_t *vec,
                           sked_error *err)
{
    int64_t found[SKED_MAX_KINDS];

    const char *null = !schema ? "schema"
                       : !text ? "text"
                       : !vec  ? "vec"
                               : NULL;
    if (null) return skedi_fail_null(err, null);
    for (size_t k = 0; k < schema->n; k++) found[k] = missing;
    vec_reader v = {skedi_read_from(text, length), schema, err};
    sked_status rc = read_items(&v, found);
    if (rc == SKED_OK) memcpy(vec, found, schema->n * sizeof *vec);
    return rc;
}

sked_status sked_vec_format(const sked_schema *schema, const int64_t *vec,
                            int32_t form, char *text, size_t cap,
                            size_t *length)
{
    skedi_writer w = {text, cap, 0};

    if (length) *length = 0;
    if (!schema || !vec || (!text && cap > 0) ||
        (form != SKED_FORM_SHORT && form != SKED_FORM_LOG)) {
        return SKED_ERR_ARG;
    }
    for (size_t k = 0; k < schema->n; k++) {
        if (vec[k] == SKED_UNSET) continue;
        if (!skedi_is_amount(vec[k])) return SKED_ERR_RANGE;
        if (w.n > 0) skedi_write_char(&w, form == SKED_FORM_LOG ? ';' : ',');
        skedi_write_text(&w, schema->kind[k].name);
        skedi_write_char(&w, '=');
        skedi_amount_write(&w, schema->kind[k].unit, vec[k], form);
    }
    if (length) *length = w.n;
    return skedi_write_end(&w);
}
