/* Trees from random edits: digests, rows, columns with parts, faults. */
#include "hash.h"

#include <sched/fault.h>

enum { MOST = 200, KINDS = 3, FAULTS = 8192, HASHED = 64 };

static int64_t some_amount(uint64_t *state)
{
    uint64_t x = hash_random(state);

    return (int64_t)(x >> (2 + x % 62));
}

static void edit(sked_tree *tree, sked_queue_id *ids, uint64_t *state)
{
    uint64_t what = hash_below(state, 8);
    uint64_t at = hash_below(state, MOST);
    uint64_t other = hash_below(state, MOST);
    char name[] = {(char)('a' + at % 26), (char)('a' + other % 26), 0};
    int64_t amounts[KINDS];
    sked_status rc;

    switch (what) {
    case 0: rc = sked_tree_move(tree, ids[at], ids[other], NULL); break;
    case 1: rc = sked_tree_remove(tree, ids[at], NULL, 0, NULL); break;
    case 2:
    case 3:
        rc = sked_tree_set(tree, ids[at], 1 + (int32_t)(other % 16),
                           some_amount(state), NULL);
        break;
    case 4:
        for (int k = 0; k < KINDS; k++) amounts[k] = some_amount(state);
        rc = sked_tree_set_vec(tree, ids[at], 32 + (int32_t)(other % 4),
                               amounts, NULL);
        break;
    default: rc = sked_tree_add(tree, ids[other], name, &ids[at], NULL); break;
    }
    (void)rc; /* what fails changes nothing, which the digest shows */
}

static uint64_t add_answers(uint64_t h, const sked_tree *tree, int64_t capacity)
{
    int64_t column[MOST];
    static sked_fault faults[FAULTS];
    size_t n;

    h = hash_add(h, sked_tree_digest(tree));
    h = hash_add(h, sked_tree_version(tree));
    h = hash_add(h, sked_tree_shape(tree));
    for (int32_t a = 0; a < 8; a++) {
        HASH_MUST(sked_tree_column_vec(tree, 32 + a / 2, a & 1, capacity,
                                       column, MOST, &n) == SKED_OK);
        h = hash_add_column(h, column, n);
        HASH_MUST(sked_tree_column(tree, 8 + a, column, MOST, &n) == SKED_OK);
        h = hash_add_column(h, column, n);
    }
    HASH_MUST(sked_tree_faults(tree, faults, FAULTS, &n) == SKED_OK);
    h = hash_add(h, n);
    for (size_t i = 0; i < n && i < HASHED; i++) {
        h = hash_add(h, faults[i].queue);
        h = hash_add(h, (uint64_t)faults[i].got);
        h = hash_add(h, (uint64_t)faults[i].code);
    }
    return h;
}

uint64_t hash_tree(unsigned size);

uint64_t hash_tree(unsigned size)
{
    static const char *const kinds[KINDS] = {"cpu", "memory", "gpu"};
    sked_tree_options opts = {.struct_size = sizeof opts, .max_queues = MOST};
    sked_queue_id ids[MOST];
    sked_schema *schema;
    sked_tree *tree;
    uint64_t state = 7, h = 0;

    HASH_MUST(sked_schema_new(kinds, NULL, KINDS, NULL, &schema, NULL) ==
              SKED_OK);
    HASH_MUST(sked_tree_new(schema, &opts, NULL, &tree, NULL) == SKED_OK);
    for (int i = 0; i < MOST; i++) ids[i] = sked_tree_root(tree);
    for (unsigned i = 0; i < size * 300; i++) {
        uint64_t edits = hash_below(&state, 60);
        int32_t mode = (int32_t)hash_below(&state, 2);
        for (uint64_t e = 0; e < edits; e++) edit(tree, ids, &state);
        h = hash_add(h, (uint64_t)sked_tree_commit(tree, mode, NULL));
        h = add_answers(h, tree, some_amount(&state));
    }
    sked_tree_free(tree);
    sked_schema_free(schema);
    return h;
}
