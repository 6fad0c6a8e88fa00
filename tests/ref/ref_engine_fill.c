/* What the twin starts on one node. */
#include "ref_engine_forms.h"

#include "base/arith.h"
#include "ref_wide.h"

int ref_engine_turn_over(const ref_engine *r, size_t node,
                         const int64_t *before, uint64_t started)
{
    int64_t free[REF_KINDS];

    if (r->opts.max_per_pass && started >= r->opts.max_per_pass) return 1;
    if (!r->opts.pass_part_ppm) return 0;
    ref_engine_free_on(r, node, free);
    for (uint32_t k = 0; k < r->kinds; k++) {
        if (ref_engine_pooled(r, k) || before[k] <= free[k]) continue;
        ref_wide taken = ref_wide_mul(
            ref_wide_of((uint64_t)(before[k] - free[k])), (uint64_t)SKED_PPM);
        ref_wide part = ref_wide_mul(
            ref_wide_of((uint64_t)skedi_i64_max(before[k], 0)),
            (uint64_t)r->opts.pass_part_ppm);
        if (ref_wide_cmp(taken, part) > 0) return 1;
    }
    return 0;
}

/* 1: it was cut short. */
static int fill(ref_engine *r, size_t node, const int64_t *before,
                uint64_t most, uint64_t *started)
{
    size_t first = r->groups;

    for (;;) {
        size_t ask = ref_engine_pick(r, &node, 1);
        if (ask == SIZE_MAX) return 0;
        int gang = ref_engine_lacks(&r->ask[ask]) > 0;
        uint32_t partition = r->node[node].partition;
        if (gang && r->opts.form_nodes > 0 &&
            !ref_forming_turn(r, ask, partition, node)) {
            continue;
        }
        if (ref_engine_turn_over(r, node, before, *started)) return 0;
        if (ref_engine_is_full(r) || r->n_out >= most) return 1;
        ++*started;
        size_t bare = ref_forming_bare(r);
        ref_engine_start(r, ask, node, first);
        if (gang) first = r->groups; /* nothing goes on from its groups */
        if (gang) ref_forming_started(r, ask);
        ref_forming_look_again(r, bare);
    }
}

int ref_engine_fill(ref_engine *r, size_t node, uint64_t budget)
{
    uint64_t started = 0, most = r->n_out + budget;
    uint32_t partition = r->node[node].partition;
    int64_t before[REF_KINDS];

    if (budget == UINT64_MAX) most = UINT64_MAX;
    ref_engine_shares(r, partition);
    if (r->node[node].drains || r->node[node].barred) return 0;
    ref_engine_free_on(r, node, before);
    ref_forming_begin(r, partition, node);
    int cut = fill(r, node, before, most, &started);
    int full = ref_engine_turn_over(r, node, before, started);
    ref_forming_end(r, partition, node, cut || full);
    return cut;
}
