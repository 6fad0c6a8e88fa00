/* Ranks by fair tree, from arrays or a tree; the ranking is in fair_rank.c. */
#include "order/fair_tree.h"

#include "base/fail.h"
#include "ledger/handle.h"

static sked_status parents_sound(const uint32_t *parent, size_t n,
                                 sked_error *err)
{
    for (size_t i = 1; i < n; i++) {
        if (parent[i] < i) continue;
        return skedi_fail(
            err, SKED_ERR_ARG, "a parent does not come first",
            (skedi_fault){.row = (int64_t)i + 1, .got = parent[i]});
    }
    return SKED_OK;
}

sked_status sked_fair_tree_ranks(const uint32_t *parent, const uint32_t *shares,
                                 const int64_t *usage, size_t n,
                                 const sked_host *host, uint32_t *ranks,
                                 sked_error *err)
{
    skedi_hooks hooks;
    skedi_fair_nodes nodes = {parent, shares, usage, (uint32_t)n};

    const char *missing = !parent  ? "parent"
                          : !usage ? "usage"
                          : !ranks ? "ranks"
                                   : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (n == 0 || n > INT32_MAX) {
        return skedi_fail(err, SKED_ERR_RANGE, "no such number of nodes",
                          (skedi_fault){.got = (int64_t)n, .limit = INT32_MAX});
    }
    sked_status rc = parents_sound(parent, n, err);
    if (rc == SKED_OK) rc = skedi_hooks_in(&hooks, host, err);
    return rc == SKED_OK ? skedi_fair_rank(&nodes, &hooks, ranks, err) : rc;
}

sked_status sked_fair_tree(const sked_tree *tree, const sked_ledger *ledger,
                           uint32_t kind, const sked_host *host,
                           uint32_t *ranks, size_t cap, size_t *n,
                           sked_error *err)
{
    skedi_hooks hooks;

    const char *missing = !tree ? "tree" : !ledger ? "ledger" : !n ? "n" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    const skedi_image *image = skedi_tree_image(tree);
    if (!skedi_ledger_follows(ledger, image)) {
        return skedi_fail_plain(err, SKED_ERR_STATE,
                                "the ledger follows other rows");
    }
    if (kind >= image->kinds) {
        return skedi_fail(err, SKED_ERR_ARG, "no such kind",
                          (skedi_fault){.got = kind});
    }
    *n = image->n;
    if (cap < image->n) {
        return skedi_fail_cap(err, image->n, cap);
    }
    if (!ranks) return skedi_fail_null(err, "ranks");
    sked_status rc = skedi_hooks_in(&hooks, host, err);
    if (rc != SKED_OK) return rc;
    skedi_fair_nodes nodes = {
        .parent = (const uint32_t *)image->parent, /* the root's is not read */
        .shares = image->weight,
        .usage = skedi_ledger_column(ledger, SKED_LEDGER_HISTORY, kind),
        .n = image->n,
    };
    return skedi_fair_rank(&nodes, &hooks, ranks, err);
}
