#ifndef SKEDI_FAULT_TEXT_H
#define SKEDI_FAULT_TEXT_H

#include "base/text.h"
#include "queue/tree_impl.h"

/* What is wrong, without saying where. */
void skedi_write_fault(skedi_writer *w, const sked_tree *tree,
                       const sked_fault *fault);

#endif
