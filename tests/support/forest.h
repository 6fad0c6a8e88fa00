#ifndef TEST_FOREST_H
#define TEST_FOREST_H

#include <sched/tree_text.h>

#include "words.h"

/* Random trees, and what two trees have in common. */

enum {
    FOREST_PLAIN = 0, /* names of one letter, so that they often collide */
    FOREST_ODD = 1    /* names of any bytes, '.' and line feeds included */
};

/* Kinds cpu, memory and gpu, counted in m, B and 1. */
sked_schema *forest_schema(const sked_host *host);

/* An empty tree over those kinds. `opts` may be NULL. */
sked_tree *forest_tree(const sked_host *host, const sked_tree_options *opts);

/* Makes `steps` random edits of the draft: queues come, move, are renamed and
 * go, attributes are set and unset. Some are refused. */
void forest_edit(sked_tree *tree, test_words *words, unsigned steps, int names);

/* Do the last commits say the same, ids apart? If not, the first row that
 * differs is in `*row`. */
int forest_same(const sked_tree *a, const sked_tree *b, size_t *row);

/* The text of the last commit, from malloc(). */
char *forest_text(const sked_tree *tree);

#endif
