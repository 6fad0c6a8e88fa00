/*
 * Writing the last commit as text: the kinds, then a line for each queue, a
 * queue before what is below it and siblings in their order. Attributes stand
 * in the order of their table, users' weights last, so that equal trees are
 * equal bytes.
 */
#include "tree/path_text.h"
#include "tree/text/value.h"
#include "tree/users.h"
#include "tree/text/values.h"

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
    for (size_t k = 0; k < sked_schema_kinds(schema); k++) {
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
