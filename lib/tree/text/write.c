/*
 * Writing queues as text. A whole commit is the kinds, then a line for each
 * queue, a queue before what is below it and siblings in their order.
 * Attributes stand in the order of their table, users' weights last, so that
 * equal trees are equal bytes.
 */
#include "tree/text/write.h"

#include <string.h>

#include "tree/path_text.h"
#include "tree/text/value.h"
#include "tree/users.h"

/* ---- The attributes of one queue, from wherever they are held ---- */

static const skedi_attr *amounts_attr(uint32_t index)
{
    return skedi_attr_at(SKEDI_NUMBERS + index);
}

static void fill_kinds(int64_t *amounts, size_t n, int64_t value)
{
    for (size_t k = 0; k < n; k++) amounts[k] = value;
}

void skedi_values_rest(skedi_values *v, const sked_schema *schema)
{
    v->schema = schema;
    for (uint32_t i = 0; i < SKEDI_NUMBERS; i++) {
        v->number[i] = skedi_attr_rest(skedi_attr_at(i));
    }
    for (uint32_t i = 0; i < SKEDI_AMOUNTS; i++) {
        fill_kinds(v->amounts[i], schema->n, skedi_attr_rest(amounts_attr(i)));
    }
    v->label = "";
    v->users = NULL;
}

void skedi_values_of_row(skedi_values *v, const sked_tree *tree, uint32_t row)
{
    const skedi_image *image = skedi_tree_live(tree);

    skedi_values_rest(v, &tree->schema);
    for (uint32_t i = 0; i < SKEDI_NUMBERS; i++) {
        v->number[i] = skedi_image_number(image, i, row);
    }
    for (uint32_t i = 0; i < SKEDI_AMOUNTS; i++) {
        for (uint32_t k = 0; k < image->kinds; k++) {
            const int64_t *by_row = skedi_image_amounts(image, i, k);
            if (by_row) v->amounts[i][k] = by_row[row];
        }
    }
    v->label = skedi_tree_text(tree, image->label[row]);
    v->users = skedi_tree_users(tree, image->users[row]);
}

void skedi_values_of_slot(skedi_values *v, const sked_tree *tree, uint32_t slot)
{
    const skedi_draft *draft = &tree->draft;

    skedi_values_rest(v, &tree->schema);
    for (uint32_t i = 0; i < SKEDI_NUMBERS; i++) {
        v->number[i] = skedi_draft_number(draft, i, slot);
    }
    for (uint32_t i = 0; i < SKEDI_AMOUNTS; i++) {
        const int64_t *own = skedi_draft_amounts(draft, i, slot);
        if (own) memcpy(v->amounts[i], own, draft->kinds * sizeof *own);
    }
    v->label = skedi_tree_text(tree, draft->slot[slot].label);
    v->users = skedi_tree_users(tree, draft->slot[slot].users);
}

int skedi_values_is_set(const skedi_values *v, const skedi_attr *attr)
{
    uint32_t index = skedi_attr_index(attr);
    int64_t rest = skedi_attr_rest(attr);

    if (attr->shape == SKEDI_SHAPE_TEXT) return *v->label != 0;
    if (attr->shape == SKEDI_SHAPE_NUMBER) return v->number[index] != rest;
    for (uint32_t k = 0; k < v->schema->n; k++) {
        if (v->amounts[index][k] != rest) return 1;
    }
    return 0;
}

void skedi_values_write(skedi_writer *w, const skedi_values *v,
                        const skedi_attr *attr)
{
    uint32_t index = skedi_attr_index(attr);

    switch (attr->shape) {
    case SKEDI_SHAPE_NUMBER:
        skedi_write_number(w, attr, v->schema, v->number[index]);
        return;
    case SKEDI_SHAPE_AMOUNTS:
        skedi_write_amounts(w, attr, v->schema, v->amounts[index]);
        return;
    default: skedi_write_text(w, v->label);
    }
}

static int is_part(const skedi_attr *attr)
{
    return attr->id == SKED_QUEUE_GUARANTEE_PPM ||
           attr->id == SKED_QUEUE_LIMIT_PPM;
}

static int same_attr(const skedi_values *a, const skedi_values *b,
                     const skedi_attr *attr)
{
    uint32_t i = skedi_attr_index(attr);

    switch (attr->shape) {
    case SKEDI_SHAPE_NUMBER: return a->number[i] == b->number[i];
    case SKEDI_SHAPE_AMOUNTS:
        return memcmp(a->amounts[i], b->amounts[i],
                      a->schema->n * sizeof(int64_t)) == 0;
    default: return strcmp(a->label, b->label) == 0;
    }
}

int skedi_values_same(const skedi_values *a, const skedi_values *b,
                      const skedi_attr *attr)
{
    const skedi_attr *part = skedi_attr_part(attr);

    if (is_part(attr)) return 1;
    if (part && !same_attr(a, b, part)) return 0;
    return same_attr(a, b, attr);
}

void skedi_values_say(skedi_writer *w, const skedi_values *v,
                      const skedi_attr *attr)
{
    const skedi_attr *part = skedi_attr_part(attr);

    if (part && skedi_values_is_set(v, part)) attr = part;
    if (skedi_values_is_set(v, attr)) skedi_values_write(w, v, attr);
}

/* ---- A whole commit ---- */

/* The row after `row`, queues before what is below them; 0: no more. */
static uint32_t row_after(const skedi_image *image, uint32_t row)
{
    if (!skedi_image_is_leaf(image, row)) return image->first_child[row];
    while (row != 0) {
        uint32_t parent = (uint32_t)image->parent[row];
        if (row + 1 < image->first_child[parent + 1]) return row + 1;
        row = parent;
    }
    return 0;
}

static void write_key(skedi_writer *w, const char *name)
{
    skedi_write_char(w, ' ');
    skedi_write_text(w, name);
    skedi_write_char(w, '=');
}

static void write_attr(skedi_writer *w, const skedi_values *v,
                       const skedi_attr *attr)
{
    if (!skedi_values_is_set(v, attr)) return;
    write_key(w, attr->name);
    if (attr->said == SKEDI_SAID_VECTOR) skedi_write_char(w, '"');
    if (attr->said == SKEDI_SAID_TEXT) {
        skedi_write_value(w, v->label);
    } else {
        skedi_values_write(w, v, attr);
    }
    if (attr->said == SKEDI_SAID_VECTOR) skedi_write_char(w, '"');
}

static void write_users(skedi_writer *w, const char *list)
{
    const char *user;
    uint32_t weight;

    for (size_t at = 0; skedi_users_next(list, &at, &user, &weight);) {
        skedi_write_text(w, " " SKEDI_USER_TEXT);
        skedi_write_name(w, user, 0);
        skedi_write_char(w, '=');
        skedi_write_u64(w, weight);
    }
}

static void write_row(skedi_writer *w, const sked_tree *tree, uint32_t row)
{
    skedi_values v;

    skedi_values_of_row(&v, tree, row);
    skedi_write_image_path(w, tree, row);
    for (size_t i = 0; i < SKEDI_ATTRS; i++) {
        write_attr(w, &v, skedi_attr_at(i));
    }
    write_users(w, v.users);
    skedi_write_char(w, '\n');
}

static void write_kinds(skedi_writer *w, const sked_schema *schema)
{
    skedi_write_text(w, "kinds");
    for (uint32_t k = 0; k < sked_schema_kinds(schema); k++) {
        write_key(w, sked_schema_name(schema, k));
        skedi_write_text(w, sked_schema_unit(schema, k));
    }
    skedi_write_char(w, '\n');
}

sked_status sked_tree_format(const sked_tree *tree, char *text, size_t cap,
                             size_t *n)
{
    skedi_writer w = {text, cap, 0};
    uint32_t row = 0;

    if (n) *n = 0;
    if (!tree || (!text && cap > 0)) return SKED_ERR_ARG;
    write_kinds(&w, &tree->schema);
    do {
        write_row(&w, tree, row);
        row = row_after(skedi_tree_live(tree), row);
    } while (row != 0);
    if (n) *n = w.n;
    return skedi_write_end(&w);
}
