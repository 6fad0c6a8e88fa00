#ifndef TEST_HONOUR_SCENE_H
#define TEST_HONOUR_SCENE_H

#include "test.h"

#include <sched/sked.h>

#include "base/hash.h"

/*
 * A tree of three leaves with a ledger, and runs of the engine and the
 * simulator over it: everything answered is noted in a hash, so that two trees
 * can be told apart by what they lead to.
 */
enum { KINDS = 2, LEAVES = 3 };

typedef struct scene {
    sked_schema *schema;
    sked_tree *tree;
    sked_ledger *ledger;
    sked_queue_id leaf[LEAVES];
    skedi_hash hash;
} scene;

extern const int64_t scene_capacity[KINDS];

/* Makes the scene with the tree of that text. */
void scene_begin(scene *s, const char *text);

/* Frees it, and returns the hash of what was noted. */
uint64_t scene_end(scene *s);

void note(scene *s, const int64_t *numbers, size_t n);

/* Runs in all three modes of targets. */
void by_engine(scene *s);
void by_sim(scene *s);

#endif
