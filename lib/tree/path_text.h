#ifndef SKEDI_TREE_PATH_TEXT_H
#define SKEDI_TREE_PATH_TEXT_H

#include "base/text.h"
#include "tree/handle.h"

/*
 * Paths in the text form: the names from the root downwards, separated by '.'.
 * A '\' escapes each byte of a name that has a meaning in a line of text.
 */
void skedi_write_draft_path(skedi_writer *w, const sked_tree *tree,
                            uint32_t slot);
void skedi_write_image_path(skedi_writer *w, const sked_tree *tree,
                            uint32_t row);

/* A name as a part of a path (`dots`: '.' is escaped too) or of a key. */
void skedi_write_name(skedi_writer *w, const char *name, int dots);

#endif
