#ifndef SKEDI_TREE_TEXT_VALUE_H
#define SKEDI_TREE_TEXT_VALUE_H

#include "base/text.h"
#include "tree/attr.h"

/*
 * Numbers of the text form. A reader must consume all `n` bytes. A reader
 * returns SKED_OK, SKED_ERR_SYNTAX (not a number) or SKED_ERR_RANGE (too large,
 * or finer than the attribute's unit). Every written value reads back as the
 * same number.
 */

/* A whole number, '-' allowed. */
sked_status skedi_value_int(const char *text, size_t n, int64_t *value);

/* Writes parts per million as a percentage; the text form reads 0.5 or 50%. */
void skedi_write_ratio(skedi_writer *w, int64_t ppm);

/* Place and reason of an invalid value: the number and the bound, if any, the
 * kind + 1, and the byte offset in the value. */
typedef struct skedi_misfit {
    int64_t got;
    int64_t limit;
    int32_t kind;
    uint32_t at;
} skedi_misfit;

/*
 * Reads a value of a number attribute in the attribute's notation. Returns 1,
 * or 0 with `why` if the attribute does not accept the value.
 */
int skedi_value_number(const skedi_attr *attr, const sked_schema *schema,
                       const char *text, size_t n, int64_t *value,
                       skedi_misfit *why);
void skedi_write_number(skedi_writer *w, const skedi_attr *attr,
                        const sked_schema *schema, int64_t value);

/* As above, for amounts. A kind without an amount gets the default. */
int skedi_value_amounts(const skedi_attr *attr, const sked_schema *schema,
                        const char *text, size_t n, int64_t *amounts,
                        skedi_misfit *why);
void skedi_write_amounts(skedi_writer *w, const skedi_attr *attr,
                         const sked_schema *schema, const int64_t *amounts);

/* The key of a user's weight, without the name. */
#define SKEDI_USER_TEXT "user_weight."

enum { SKEDI_USER_KEY = sizeof SKEDI_USER_TEXT - 1 };

/* guarantee=40% and guarantee="cpu=20" share a key but are two attributes.
 * Returns the attribute with the part for the attribute with amounts; NULL for
 * all others. */
const skedi_attr *skedi_attr_part(const skedi_attr *attr);

/* Writes a value, in quotes if needed. */
void skedi_write_value(skedi_writer *w, const char *value);

#endif
