#ifndef SKEDI_TREE_TEXT_VALUE_H
#define SKEDI_TREE_TEXT_VALUE_H

#include "base/text.h"
#include "tree/attr.h"

/*
 * Numbers of the text form. A reader takes the whole of `n` bytes and returns
 * SKED_OK, SKED_ERR_SYNTAX (no such number) or SKED_ERR_RANGE (too large, or
 * finer than the attribute counts). The reader reads each written value back as
 * the same number.
 */

/* A whole number, '-' allowed. */
sked_status skedi_value_int(const char *text, size_t n, int64_t *value);

/* 0.5 or 50%: parts per million. Written as a percentage. */
void skedi_write_ratio(skedi_writer *w, int64_t ppm);

/* Place and reason of an invalid value: the offending number and the bound,
 * when there are any, the kind + 1, and the byte of the value. */
typedef struct skedi_misfit {
    int64_t got;
    int64_t limit;
    int32_t kind;
    uint32_t at;
} skedi_misfit;

/*
 * A value of a number attribute, by what the attribute says of itself. 1, or 0
 * with `why` when it takes no such value.
 */
int skedi_value_number(const skedi_attr *attr, const sked_schema *schema,
                       const char *text, size_t n, int64_t *value,
                       skedi_misfit *why);
void skedi_write_number(skedi_writer *w, const skedi_attr *attr,
                        const sked_schema *schema, int64_t value);

/* The same for amounts; kinds that are not said take the default. */
int skedi_value_amounts(const skedi_attr *attr, const sked_schema *schema,
                        const char *text, size_t n, int64_t *amounts,
                        skedi_misfit *why);
void skedi_write_amounts(skedi_writer *w, const skedi_attr *attr,
                         const sked_schema *schema, const int64_t *amounts);

/* The key of a user's weight, before the name. */
#define SKEDI_USER_TEXT "user_weight."

enum { SKEDI_USER_KEY = sizeof SKEDI_USER_TEXT - 1 };

/* guarantee=40% and guarantee="cpu=20" have one key and two attributes: for
 * that with amounts, the one with the part; NULL for all others. */
const skedi_attr *skedi_attr_part(const skedi_attr *attr);

/* A value, in quotes where it needs them. */
void skedi_write_value(skedi_writer *w, const char *value);

#endif
