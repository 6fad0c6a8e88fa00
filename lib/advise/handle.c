/*
 * Creates and frees advice. It is made in two steps: what leaves need, and the
 * tree that gives it to them. Advice has copies of all that it was made from.
 */
#include "advise/handle.h"

#include <string.h>

#include "base/fail.h"
#include "base/versioned.h"

SKEDI_NO_TAIL_PADDING(sked_advice_input, ledger);
SKEDI_NO_TAIL_PADDING(sked_advice_result, allocation);
SKEDI_NO_TAIL_PADDING(sked_advice_finding, total);

enum {
    ADVISE_INPUT_V1 = SKEDI_SIZE_THROUGH(sked_advice_input, ledger),
    ADVICE_SUM_V1 = SKEDI_SIZE_THROUGH(sked_advice_result, allocation),
    ADVISED_V1 = SKEDI_SIZE_THROUGH(sked_advice_finding, total)
};

static sked_status advise_take(sked_advice_input *in, const sked_tree *tree,
                               const sked_advice_input *given, sked_error *err)
{
    sked_status rc = skedi_struct_in(in, sizeof *in, given, ADVISE_INPUT_V1);

    if (rc != SKED_OK) return skedi_fail_version(err, "input");
    if (in->flags & ~(uint32_t)SKED_ADVICE_FLAG_ANYWAY) {
        return skedi_fail_flags(err, "input");
    }
    if (in->guaranteed_tiers > SKED_MAX_TIERS) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "too many guaranteed tiers");
    }
    const char *missing = !in->jobs          ? "input.jobs"
                          : !in->instance    ? "input.instance"
                          : in->jobs->n == 0 ? NULL
                          : !in->amounts     ? "input.amounts"
                          : !in->jobs->start ? "input.jobs.start"
                          : !in->jobs->end   ? "input.jobs.end"
                                             : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (in->kinds != sked_schema_kinds(sked_tree_schema(tree))) {
        return skedi_fail(err, SKED_ERR_SCHEMA, "other kinds than the tree's",
                          (skedi_fault){.got = in->kinds});
    }
    if (!in->other) in->other = "other";
    return SKED_OK;
}

static void advice_release(sked_advice *a)
{
    skedi_mem mem = a->hooks.mem;
    size_t n = a->leaves;

    sked_tree_free(a->target);
    sked_diff_free(a->diff);
    sked_plan_free(a->plan);
    skedi_free(&mem, a->queue, n, sizeof *a->queue);
    skedi_free(&mem, a->tier, n, sizeof *a->tier);
    skedi_free(&mem, a->max_running, n, sizeof *a->max_running);
    skedi_free(&mem, a->allocation, n, sizeof *a->allocation);
    skedi_free(&mem, a->point, n, sizeof *a->point);
    skedi_free(&mem, a->total, n, sizeof *a->total);
    skedi_free(&mem, a, 1, sizeof *a);
}

sked_status sked_advice_new(const sked_tree *tree,
                            const sked_advice_input *input,
                            const sked_host *host, sked_advice **advice,
                            sked_error *err)
{
    sked_advice_input taken;
    skedi_hooks hooks;

    if (advice) *advice = NULL;
    const char *missing = !tree     ? "tree"
                          : !input  ? "input"
                          : !advice ? "advice"
                                    : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = advise_take(&taken, tree, input, err);
    if (rc == SKED_OK) rc = skedi_hooks_in(&hooks, host, err);
    if (rc != SKED_OK) return rc;
    sked_advice *a = skedi_new(&hooks.mem, 1, sizeof *a);
    if (!a) return skedi_fail_memory(err);
    a->hooks = hooks;
    a->host = hooks.host;
    a->host.user_free = NULL;
    rc = skedi_advise_measure(a, &taken, err);
    if (rc == SKED_OK) rc = skedi_advise_target(a, tree, &taken, err);
    if (rc != SKED_OK) {
        advice_release(a);
        return rc;
    }
    *advice = a;
    return SKED_OK;
}

void sked_advice_free(sked_advice *advice)
{
    if (!advice) return;
    sked_host host = advice->hooks.host;
    advice_release(advice);
    skedi_hooks_done(host);
}

/* ---- Reads ---- */

sked_status sked_advice_get_result(const sked_advice *advice,
                                   sked_advice_result *sum)
{
    if (!advice || !sum) return SKED_ERR_ARG;
    sked_status rc = skedi_struct_out(sum->struct_size, ADVICE_SUM_V1);
    if (rc != SKED_OK) return rc;

    sked_advice_result all = advice->sum;
    size_t size = sum->struct_size;
    all.struct_size = sum->struct_size;
    all.leaves = advice->leaves;
    all.changes = sked_diff_count(advice->diff);
    all.held = sked_plan_skipped(advice->plan);
    memcpy(sum, &all, size < sizeof all ? size : sizeof all);
    return SKED_OK;
}

sked_status sked_advice_leaf(const sked_advice *advice, size_t i,
                             sked_advice_finding *leaf)
{
    if (!advice || !leaf) return SKED_ERR_ARG;
    sked_status rc = skedi_struct_out(leaf->struct_size, ADVISED_V1);
    if (rc != SKED_OK) return rc;
    if (i >= advice->leaves || !advice->plan) return SKED_ERR_RANGE;

    const sked_advice_finding one = {
        .struct_size = leaf->struct_size,
        .tier = advice->tier[i],
        .queue = advice->queue[i],
        .threshold_ppm = advice->sum.threshold_ppm[advice->tier[i] - 1],
        .max_running = advice->max_running[i],
        .point = advice->point[i],
        .total = advice->total[i],
    };
    size_t size = leaf->struct_size;
    memcpy(leaf, &one, size < sizeof one ? size : sizeof one);
    return SKED_OK;
}

const sked_tree *sked_advice_tree(const sked_advice *advice)
{
    return advice ? advice->target : NULL;
}

const sked_diff *sked_advice_diff(const sked_advice *advice)
{
    return advice ? advice->diff : NULL;
}

const sked_plan *sked_advice_plan(const sked_advice *advice)
{
    return advice ? advice->plan : NULL;
}

sked_status sked_advice_apply(const sked_advice *advice, sked_tree *tree,
                              const sked_ledger *ledger, sked_error *err)
{
    const char *missing = !advice ? "advice" : !tree ? "tree" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = sked_diff_apply(advice->diff, tree, ledger, err);
    if (rc != SKED_OK) return rc;
    rc = sked_tree_commit(tree, SKED_TREE_COMMIT_LENIENT, err);
    if (rc != SKED_OK) (void)!sked_tree_discard(tree, err);
    return rc;
}
