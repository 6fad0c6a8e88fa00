/* What the twin starts on one node. */
#include "ref_engine_forms.h"

int ref_engine_turn_over(const ref_engine *r, uint64_t started)
{
    return r->opts.max_per_pass && started >= r->opts.max_per_pass;
}

/* 1: it was cut short. */
static int fill(ref_engine *r, size_t node, uint64_t most, uint64_t *started)
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
        if (ref_engine_turn_over(r, *started)) return 0;
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

    if (budget == UINT64_MAX) most = UINT64_MAX;
    ref_engine_shares(r, partition);
    if (r->node[node].drains || r->node[node].barred) return 0;
    ref_forming_begin(r, partition, node);
    int cut = fill(r, node, most, &started);
    int full = ref_engine_turn_over(r, started);
    ref_forming_end(r, partition, node, cut || full);
    return cut;
}
