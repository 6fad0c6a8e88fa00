/* Ledgers: sums, decay, what follows a commit. */
#include <sched/ledger.h>

#include "hash.h"

enum { KINDS = 3, WIDE = 4 };

static sked_tree *make_tree(sked_queue_id leaves[WIDE * WIDE])
{
    const char *const names[KINDS] = {"cpu", "memory", "gpu"};
    sked_schema *schema;
    sked_tree *tree;

    HASH_MUST(sked_schema_new(names, NULL, KINDS, NULL, &schema, NULL) ==
              SKED_OK);
    HASH_MUST(sked_tree_new(schema, NULL, NULL, &tree, NULL) == SKED_OK);
    sked_schema_free(schema);
    for (int i = 0; i < WIDE; i++) {
        char name[2] = {(char)('a' + i), 0};
        sked_queue_id up;
        HASH_MUST(sked_tree_add(tree, sked_tree_root(tree), name, &up, NULL) ==
                  SKED_OK);
        for (int j = 0; j < WIDE; j++) {
            name[0] = (char)('p' + j);
            HASH_MUST(sked_tree_add(tree, up, name, &leaves[i * WIDE + j],
                                    NULL) == SKED_OK);
        }
    }
    HASH_MUST(sked_tree_commit(tree, SKED_TREE_COMMIT_LENIENT, NULL) ==
              SKED_OK);
    return tree;
}

static uint64_t edit(uint64_t h, sked_ledger *ledger, uint64_t *random,
                     const sked_queue_id *leaves)
{
    sked_queue_id queues[3];
    int64_t amounts[3 * KINDS];
    int32_t column = 1 + (int32_t)hash_below(random, 4);
    uint64_t bits = 1 + hash_below(random, 60);

    for (int i = 0; i < 3; i++) queues[i] = leaves[hash_below(random, 16)];
    for (int i = 0; i < 3 * KINDS; i++) {
        amounts[i] = (int64_t)(hash_random(random) >> (64 - bits));
    }
    sked_status rc = sked_ledger_set(ledger, column, queues, amounts, 3, NULL);
    h = hash_add(h, (uint64_t)(int64_t)rc);
    HASH_MUST(sked_ledger_decay(ledger, (sked_time)hash_below(random, 1000),
                                NULL) == SKED_OK);
    return hash_add(h, sked_ledger_digest(ledger));
}

uint64_t hash_ledger(unsigned size);

uint64_t hash_ledger(unsigned size)
{
    uint64_t h = 0, random = 11;
    sked_queue_id leaves[WIDE * WIDE];
    sked_tree *tree = make_tree(leaves);
    sked_ledger_options opts = {.struct_size = sizeof opts,
                                .half_life_ns = 500};
    sked_ledger *ledger;

    HASH_MUST(sked_ledger_new(tree, &opts, NULL, &ledger, NULL) == SKED_OK);
    for (unsigned i = 0; i < 4000 * size; i++) {
        h = edit(h, ledger, &random, leaves);
        if (i % 500) continue;
        sked_queue_id to = hash_below(&random, 2) ? sked_tree_root(tree)
                                                  : leaves[0];
        /* Refused where a leaf would become a parent: part of the answer. */
        if (to == sked_tree_root(tree)) {
            sked_status rc = sked_tree_move(tree, leaves[i / 500 % 16], to,
                                            NULL);
            h = hash_add(h, (uint64_t)(int64_t)rc);
        }
        HASH_MUST(sked_tree_commit(tree, SKED_TREE_COMMIT_LENIENT, NULL) ==
                  SKED_OK);
        HASH_MUST(sked_ledger_follow(ledger, tree, NULL) == SKED_OK);
    }
    sked_ledger_free(ledger);
    sked_tree_free(tree);
    return h;
}
