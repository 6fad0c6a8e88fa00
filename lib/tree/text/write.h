#ifndef SKEDI_TREE_TEXT_WRITE_H
#define SKEDI_TREE_TEXT_WRITE_H

#include "base/text.h"
#include "tree/handle.h"
#include "res/schema.h"

/*
 * The attributes of a queue in draft or commit, for writing and comparing.
 * Texts are borrowed from the tree.
 */
typedef struct skedi_values {
    const sked_schema *schema;
    int64_t number[SKEDI_NUMBERS];
    int64_t amounts[SKEDI_AMOUNTS][SKED_MAX_KINDS];
    const char *label;
    const char *users; /* users.h; NULL: none */
} skedi_values;

void skedi_values_of_row(skedi_values *v, const sked_tree *tree, uint32_t row);
void skedi_values_of_slot(skedi_values *v, const sked_tree *tree,
                          uint32_t slot);

/* Sets every attribute to rest. */
void skedi_values_rest(skedi_values *v, const sked_schema *schema);

/*
 * Compares a key of two queues. A key such as guarantee has two attributes:
 * amounts and a part. For the attribute with amounts, both attributes are
 * compared. For the attribute with the part, the result is always 1.
 */
int skedi_values_same(const skedi_values *a, const skedi_values *b,
                      const skedi_attr *attr);

/* Writes the value of the key, or no text if the value is the default. */
void skedi_values_say(skedi_writer *w, const skedi_values *v,
                      const skedi_attr *attr);

/* Writes a fault without its place. */
void skedi_write_fault(skedi_writer *w, const sked_tree *tree,
                       const sked_fault *fault);

#endif
