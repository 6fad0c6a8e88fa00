#ifndef SKEDI_TREE_TEXT_FAULT_H
#define SKEDI_TREE_TEXT_FAULT_H

#include "base/text.h"
#include "tree/handle.h"

/* What is wrong, without saying where. */
void skedi_write_fault(skedi_writer *w, const sked_tree *tree,
                       const sked_fault *fault);

#endif
