/*
 * A sked_hdrf from creation to its end: nodes are sorted into families, each
 * with a stretch of children and a stretch of blocks for their keys.
 */
#include "base/fail.h"
#include "base/versioned.h"
#include "drf/hdrf_tree.h"

SKEDI_NO_TAIL_PADDING(sked_hdrf_options, reserved);
SKEDI_NO_TAIL_PADDING(sked_hdrf_standing, blocked);

enum { HDRF_OPTIONS_V1 = SKEDI_SIZE_THROUGH(sked_hdrf_options, reserved) };

static sked_status hdrf_options_in(sked_hdrf_options *opts,
                                   const sked_hdrf_options *given,
                                   sked_error *err)
{
    sked_status rc = skedi_struct_in(opts, sizeof *opts, given,
                                     HDRF_OPTIONS_V1);

    if (rc != SKED_OK) return skedi_fail_version(err, "options");
    if (opts->flags) return skedi_fail_flags(err, "options");
    if (opts->reserved) return skedi_fail_reserved(err, "options");
    if (opts->kinds > SKED_MAX_KINDS) {
        return skedi_fail(err, SKED_ERR_RANGE, "too many kinds",
                          (skedi_fault){.got = (int64_t)opts->kinds,
                                        .limit = SKED_MAX_KINDS});
    }
    if (opts->kinds == 0) opts->kinds = 1;
    return SKED_OK;
}

static void hdrf_release(sked_hdrf *tree, skedi_mem *mem)
{
    size_t n = tree->n, kinds = tree->kinds, inners = tree->inners;

    skedi_free(mem, tree->node, n, sizeof *tree->node);
    skedi_free(mem, tree->pending, n, sizeof *tree->pending);
    skedi_free(mem, tree->usage, n * kinds, sizeof *tree->usage);
    skedi_free(mem, tree->demand, n * kinds, sizeof *tree->demand);
    skedi_free(mem, tree->part, n * kinds, sizeof *tree->part);
    skedi_free(mem, tree->direction, n * kinds, sizeof *tree->direction);
    skedi_free(mem, tree->family, inners, sizeof *tree->family);
    skedi_free(mem, tree->rising, inners * kinds, sizeof *tree->rising);
    skedi_free(mem, tree->still, inners * kinds, sizeof *tree->still);
    skedi_free(mem, tree->kid, n, sizeof *tree->kid);
    skedi_free(mem, tree->key, tree->blocks,
               SKEDI_WINNER_BLOCK * sizeof *tree->key);
    skedi_free(mem, tree->winner, tree->blocks, 2 * sizeof *tree->winner);
    skedi_free(mem, tree, 1, sizeof *tree);
}

/* All rows of nodes and leaves; how many families there are is not known. */
static int nodes_reserve(sked_hdrf *tree, skedi_mem *mem)
{
    size_t n = tree->n, kinds = tree->kinds;

    return (tree->node = skedi_new(mem, n, sizeof *tree->node)) &&
           (tree->pending = skedi_new(mem, n, sizeof *tree->pending)) &&
           (tree->usage = skedi_new(mem, n * kinds, sizeof *tree->usage)) &&
           (tree->demand = skedi_new(mem, n * kinds, sizeof *tree->demand)) &&
           (tree->part = skedi_new(mem, n * kinds, sizeof *tree->part)) &&
           (tree->direction = skedi_new(mem, n * kinds,
                                        sizeof *tree->direction)) &&
           (tree->kid = skedi_new(mem, n, sizeof *tree->kid));
}

/* Rows of inner nodes, once these are counted. */
static int inners_reserve(sked_hdrf *tree, skedi_mem *mem)
{
    size_t inners = tree->inners, sums = inners * tree->kinds;

    return (tree->family = skedi_new(mem, inners, sizeof *tree->family)) &&
           (tree->rising = skedi_new(mem, sums, sizeof *tree->rising)) &&
           (tree->still = skedi_new(mem, sums, sizeof *tree->still));
}

/* Blocks of keys, once the families have their sizes. */
static int blocks_reserve(sked_hdrf *tree, skedi_mem *mem)
{
    return (tree->key = skedi_new(mem, tree->blocks,
                                  SKEDI_WINNER_BLOCK * sizeof *tree->key)) &&
           (tree->winner = skedi_new(mem, tree->blocks,
                                     2 * sizeof *tree->winner));
}

/* Parents and weights into the nodes; counts the inner ones. */
static void nodes_fill(sked_hdrf *tree, const uint32_t *parent,
                       const uint32_t *weight)
{
    for (uint32_t i = 0; i < tree->n; i++) {
        tree->node[i] = (skedi_hdrf_node){
            .parent = i ? parent[i] : SKED_HDRF_NONE,
            .weight = weight ? weight[i] : 1,
            .inverse = skedi_drf_inverse(weight ? weight[i] : 1),
            .inner = SKED_HDRF_NONE,
        };
        if (i == 0) continue;
        skedi_hdrf_node *up = &tree->node[parent[i]];
        if (up->inner == SKED_HDRF_NONE) up->inner = tree->inners++;
    }
}

/* Makes players of all children, and gives every family its stretches. */
static void families_fill(sked_hdrf *tree)
{
    uint32_t kids = 0;

    for (uint32_t i = 1; i < tree->n; i++) {
        skedi_hdrf_node *node = &tree->node[i];
        node->player = tree->family[tree->node[node->parent].inner].n++;
    }
    for (uint32_t i = 0; i < tree->inners; i++) {
        skedi_hdrf_family *family = &tree->family[i];
        family->first = kids;
        family->block = tree->blocks;
        family->blocks = skedi_winner_blocks(family->n);
        kids += family->n;
        tree->blocks += family->blocks;
    }
    for (uint32_t i = 1; i < tree->n; i++) {
        const skedi_hdrf_node *node = &tree->node[i];
        uint32_t inner = tree->node[node->parent].inner;
        tree->kid[tree->family[inner].first + node->player] = i;
    }
}

static int hdrf_fill(sked_hdrf *tree, skedi_mem *mem, const uint32_t *parent,
                     const uint32_t *weight)
{
    if (!nodes_reserve(tree, mem)) return 0;
    nodes_fill(tree, parent, weight);
    if (!inners_reserve(tree, mem)) return 0;
    families_fill(tree);
    if (!blocks_reserve(tree, mem)) {
        return 0;
    }
    for (uint32_t i = 0; i < tree->blocks * SKEDI_WINNER_BLOCK; i++) {
        tree->key[i] = SKEDI_WINNER_OUT;
    }
    for (uint32_t k = 0; k < tree->kinds; k++) {
        tree->scale[k] = skedi_drf_scale_of(0);
    }
    (void)skedi_hdrf_refill(tree);
    skedi_hdrf_build(tree);
    return 1;
}

/* Parents first, and no node too deep: one root and no ring. */
static sked_status parents_in(const uint32_t *parent, size_t n, sked_error *err)
{
    if (n == 0) return skedi_fail_plain(err, SKED_ERR_ARG, "n is 0");
    if (n > 1 && !parent) return skedi_fail_null(err, "parent");
    if (n > SKED_MAX_QUEUES) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "too many nodes",
            (skedi_fault){.got = (int64_t)n, .limit = SKED_MAX_QUEUES});
    }
    for (uint32_t i = 1; i < n; i++) {
        uint32_t levels = 2;
        skedi_fault at = {.row = i + INT64_C(1), .got = parent[i]};
        if (parent[i] >= i) {
            return skedi_fail(err, SKED_ERR_ARG, "a parent does not come first",
                              at);
        }
        for (uint32_t up = parent[i]; up != 0; up = parent[up]) levels++;
        if (levels <= SKED_MAX_DEPTH) continue;
        at.got = levels;
        at.limit = SKED_MAX_DEPTH;
        return skedi_fail(err, SKED_ERR_RANGE, "the tree is too deep", at);
    }
    return SKED_OK;
}

sked_status sked_hdrf_new(const uint32_t *parent, const uint32_t *weight,
                          size_t n, const sked_hdrf_options *options,
                          const sked_host *host, sked_hdrf **tree,
                          sked_error *err)
{
    sked_hdrf_options want;
    skedi_hooks hooks;

    if (!tree) return skedi_fail_null(err, "tree");
    *tree = NULL;
    sked_status rc = hdrf_options_in(&want, options, err);
    if (rc == SKED_OK) rc = parents_in(parent, n, err);
    if (rc == SKED_OK) rc = skedi_hooks_in(&hooks, host, err);
    if (rc != SKED_OK) return rc;

    sked_hdrf *made = skedi_new(&hooks.mem, 1, sizeof *made);
    if (!made) return skedi_fail_memory(err);
    made->kinds = want.kinds;
    made->n = (uint32_t)n;
    if (!hdrf_fill(made, &hooks.mem, parent, weight)) {
        hdrf_release(made, &hooks.mem);
        return skedi_fail_memory(err);
    }
    made->hooks = hooks;
    *tree = made;
    return SKED_OK;
}

void sked_hdrf_free(sked_hdrf *tree)
{
    if (!tree) return;
    sked_host host = tree->hooks.host;
    skedi_mem mem = tree->hooks.mem;
    hdrf_release(tree, &mem);
    skedi_hooks_done(host);
}
