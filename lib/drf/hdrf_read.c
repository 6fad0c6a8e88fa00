/* Reading a sked_hdrf: a node, a digest of all, and whether all is sound. */
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "drf/hdrf_tree.h"

sked_status sked_hdrf_share(const sked_hdrf *tree, uint32_t node,
                            sked_hdrf_standing *standing)
{
    if (!tree || !standing) return SKED_ERR_ARG;
    if (node >= tree->n) return SKED_ERR_NOT_FOUND;

    skedi_hdrf_read(tree, node, standing);
    return SKED_OK;
}

sked_status sked_hdrf_usage(const sked_hdrf *tree, uint32_t leaf,
                            int64_t *usage, int64_t *pending)
{
    if (!tree || !usage) return SKED_ERR_ARG;
    if (!skedi_hdrf_is_leaf(tree, leaf)) return SKED_ERR_NOT_FOUND;

    memcpy(usage, tree->usage + skedi_hdrf_row(tree, leaf),
           tree->kinds * sizeof *usage);
    if (pending) *pending = tree->pending[leaf];
    return SKED_OK;
}

static void hash_amounts(skedi_hash *hash, const int64_t *row, uint32_t kinds)
{
    for (uint32_t k = 0; k < kinds; k++) {
        skedi_hash_u64(hash, (uint64_t)row[k]);
    }
}

uint64_t sked_hdrf_digest(const sked_hdrf *tree)
{
    skedi_hash hash;

    skedi_hash_start(&hash, 0);
    if (!tree) return skedi_hash_end(&hash);
    skedi_hash_u32(&hash, tree->kinds);
    skedi_hash_u32(&hash, tree->n);
    skedi_hash_u32(&hash, tree->said_full);
    hash_amounts(&hash, tree->capacity, tree->kinds);
    for (uint32_t i = 0; i < tree->n; i++) {
        const skedi_hdrf_node *node = &tree->node[i];
        skedi_hash_u32(&hash, node->parent);
        skedi_hash_u32(&hash, node->weight);
        if (node->inner != SKED_HDRF_NONE) continue;
        skedi_hash_u32(&hash, node->blocked & SKEDI_HDRF_SAID);
        skedi_hash_u64(&hash, (uint64_t)tree->pending[i]);
        hash_amounts(&hash, tree->usage + skedi_hdrf_row(tree, i), tree->kinds);
        hash_amounts(&hash, tree->demand + skedi_hdrf_row(tree, i),
                     tree->kinds);
    }
    return skedi_hash_end(&hash);
}

/* Does the usage of the leaves add up, and what follows from it? */
static const char *usage_fault(const sked_hdrf *tree)
{
    uint32_t full = tree->said_full;

    for (uint32_t k = 0; k < tree->kinds; k++) {
        skedi_u128 sum = skedi_u128_of(0);
        for (uint32_t i = 0; i < tree->n; i++) {
            uint64_t mine = (uint64_t)tree->usage[skedi_hdrf_row(tree, i) + k];
            sum = skedi_u128_add(sum, skedi_u128_of(mine));
        }
        skedi_u128 capacity = skedi_u128_of((uint64_t)tree->capacity[k]);
        if (skedi_u128_cmp(sum, tree->used[k]) != 0) return "usage is lost";
        full |= (uint32_t)(skedi_u128_cmp(sum, capacity) >= 0) << k;
    }
    return full == tree->full ? NULL : "a kind is full, or is not";
}

sked_status sked_hdrf_check(const sked_hdrf *tree, sked_error *err)
{
    if (!tree) return skedi_fail_null(err, "tree");

    const char *fault = usage_fault(tree);
    if (!fault) fault = skedi_hdrf_fault(tree);
    if (!fault) return SKED_OK;
    return skedi_fail_plain(err, SKED_ERR_INTERNAL, fault);
}
