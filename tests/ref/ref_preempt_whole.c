/* Requests that are gangs over nodes, by trying every set of victims. */
#include "ref_preempt.h"

static uint32_t tasks_of(const sked_preempt_input *in, uint32_t row)
{
    return in->count ? in->count[row] : 1;
}

static int next_set(const sked_preempt_input *in, ref_set *set)
{
    for (uint32_t i = 0; i < in->n; i++) {
        if (set->count[i]++ < tasks_of(in, i)) return 1;
        set->count[i] = 0;
    }
    return 0;
}

/* How many tasks of a request a node takes when the set has gone. */
static int64_t takes(const sked_preempt_input *in, const ref_set *set,
                     uint32_t request, uint32_t node)
{
    int64_t most = in->request_per_node[request];

    for (uint32_t k = 0; k < in->kinds; k++) {
        int64_t asked = in->request_amount[request * in->kinds + k];
        int64_t free = in->free ? in->free[node * in->kinds + k] : 0;
        for (uint32_t i = 0; i < in->n; i++) {
            if (in->node[i] != node) continue;
            free += set->count[i] * in->amount[i * in->kinds + k];
        }
        if (asked > 0 && free / asked < most) most = free / asked;
    }
    return most;
}

static int may_be_on(const sked_preempt_input *in, uint32_t request,
                     uint32_t node)
{
    const uint32_t *from = in->place_offset ? in->place_offset + request : 0;

    if (!from || from[0] == from[1]) return 1;
    for (uint32_t i = from[0]; i < from[1]; i++) {
        if (in->place[i] == node) return 1;
    }
    return 0;
}

static int all_fit(const sked_preempt_input *in, const ref_set *set,
                   uint32_t request)
{
    int64_t left = in->request_count ? in->request_count[request] : 1;

    for (uint32_t n = 0; n < in->n_nodes; n++) {
        if (may_be_on(in, request, n)) left -= takes(in, set, request, n);
    }
    return left <= 0;
}

static int all_are_claims(const sked_preempt_input *in, uint32_t request)
{
    size_t queue = (size_t)in->request_queue[request] * in->kinds;
    int64_t count = in->request_count ? in->request_count[request] : 1;

    for (uint32_t k = 0; k < in->kinds; k++) {
        int64_t all = in->request_amount[request * in->kinds + k] * count;
        if (all && in->usage[queue + k] + all > in->share[queue + k]) return 0;
    }
    return 1;
}

int64_t ref_least_whole(const sked_preempt_input *in, uint32_t request)
{
    ref_set set = {{0}};
    int64_t least = -1;

    if (!all_are_claims(in, request)) return -1;
    do {
        int64_t cost = ref_cost(in, &set);
        if (least >= 0 && cost >= least) continue;
        if (!all_fit(in, &set, request)) continue;
        if (ref_may_go(in, &set, request)) least = cost;
    } while (next_set(in, &set));
    return least;
}
