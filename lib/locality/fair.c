/*
 * Locality under fairness: a greedy start, blocking flows (fair_flow.c), the
 * cut that bounds what they found, and transfers for what queues lack.
 *
 * Every set of nodes, taken by level from a last search, is one cut, and the
 * least of them is handed out: when nothing more can be reached it is as large
 * as the flow.
 */
#include "locality/fair.h"

#include <string.h>

#include "base/fail.h"
#include "base/versioned.h"

SKEDI_NO_TAIL_PADDING(sked_locality_fair_options, reserved);
SKEDI_NO_TAIL_PADDING(sked_locality_fair_result, host_cut);

enum {
    FAIR_OPTIONS_V1 = SKEDI_SIZE_THROUGH(sked_locality_fair_options, reserved),
    FAIR_RESULT_V1 = SKEDI_SIZE_THROUGH(sked_locality_fair_result, host_cut)
};

static int fair_reserve(skedi_fair *w)
{
    skedi_mem *mem = &w->hooks->mem;
    size_t blocks = w->in->blocks, nodes = w->nodes;

    return (w->where = skedi_new(mem, blocks, sizeof *w->where)) &&
           (w->next = skedi_new(mem, blocks, sizeof *w->next)) &&
           (w->prev = skedi_new(mem, blocks, sizeof *w->prev)) &&
           (w->first = skedi_new(mem, nodes, sizeof *w->first)) &&
           (w->left = skedi_new(mem, nodes, sizeof *w->left)) &&
           (w->all = skedi_new(mem, nodes, sizeof *w->all)) &&
           (w->level = skedi_new(mem, nodes, sizeof *w->level)) &&
           (w->at = skedi_new(mem, nodes, sizeof *w->at)) &&
           (w->arc = skedi_new(mem, nodes, sizeof *w->arc)) &&
           (w->found = skedi_new(mem, nodes, sizeof *w->found)) &&
           (w->path = skedi_new(mem, nodes, sizeof *w->path)) &&
           (w->change = skedi_new(mem, nodes + 2, sizeof *w->change));
}

static void fair_drop(skedi_fair *w)
{
    skedi_mem *mem = &w->hooks->mem;
    size_t blocks = w->in->blocks, nodes = w->nodes;

    skedi_free(mem, w->where, blocks, sizeof *w->where);
    skedi_free(mem, w->next, blocks, sizeof *w->next);
    skedi_free(mem, w->prev, blocks, sizeof *w->prev);
    skedi_free(mem, w->first, nodes, sizeof *w->first);
    skedi_free(mem, w->left, nodes, sizeof *w->left);
    skedi_free(mem, w->all, nodes, sizeof *w->all);
    skedi_free(mem, w->level, nodes, sizeof *w->level);
    skedi_free(mem, w->at, nodes, sizeof *w->at);
    skedi_free(mem, w->arc, nodes, sizeof *w->arc);
    skedi_free(mem, w->found, nodes, sizeof *w->found);
    skedi_free(mem, w->path, nodes, sizeof *w->path);
    skedi_free(mem, w->change, nodes + 2, sizeof *w->change);
}

/* ---- The start ---- */

/* The host of a block's replicas with most free slots; SKED_LOCALITY_NO_HOST:
 * none. */
static uint32_t freest_replica(const skedi_fair *w, uint32_t block)
{
    const skedi_fair_blocks *in = w->in;
    const uint32_t *row = in->replica + (size_t)block * in->replicas;
    const uint32_t *left = w->left + in->queues;
    uint32_t best = SKED_LOCALITY_NO_HOST, most = 0;

    for (uint32_t k = 0; k < in->replicas; k++) {
        if (row[k] == SKED_LOCALITY_NO_HOST || left[row[k]] <= most) continue;
        best = row[k];
        most = left[best];
    }
    return best;
}

/* Each block where most slots are free. Done apart, blocks beyond the first
 * that their queue runs are in no list and stay out of everything. */
static void fair_start(skedi_fair *w, int apart)
{
    const skedi_fair_blocks *in = w->in;
    uint32_t *seen = w->path; /* by queue: blocks so far; scratch here */

    memset(seen, 0, in->queues * sizeof *seen);
    for (uint32_t b = 0; b < in->blocks; b++) {
        uint32_t q = fair_queue_of(in, b);
        int out = apart && seen[q] == w->all[q];
        seen[q] += !out;
        w->next[b] = (uint32_t)out;
        w->where[b] = SKED_LOCALITY_NO_HOST;
        if (out || w->left[q] == 0) continue;
        uint32_t h = freest_replica(w, b);
        if (h == SKED_LOCALITY_NO_HOST) continue;
        w->where[b] = h;
        w->left[q]--;
        w->left[in->queues + h]--;
    }
    for (uint32_t b = in->blocks; b-- > 0;) {
        if (w->next[b]) continue;
        skedi_fair_link(w, b,
                        w->where[b] == SKED_LOCALITY_NO_HOST
                            ? fair_queue_of(in, b)
                            : in->queues + w->where[b]);
    }
}

/* ---- The cut ---- */

/* Cuts from `from` to, not at, `to` have `amount` more; the cut numbered i
 * leaves out the nodes of levels below i. */
static void add_to_cuts(skedi_fair *w, uint32_t from, uint32_t to,
                        int64_t amount)
{
    if (from >= to) return;
    w->change[from] += amount;
    w->change[to] -= amount;
}

/* A block counts where its queue is left out and one of its hosts is not. */
static void add_block_to_cuts(skedi_fair *w, uint32_t block)
{
    const skedi_fair_blocks *in = w->in;
    const uint32_t *row = in->replica + (size_t)block * in->replicas;
    int32_t deepest = -1;

    for (uint32_t k = 0; k < in->replicas; k++) {
        if (row[k] == SKED_LOCALITY_NO_HOST) continue;
        int32_t level = w->level[in->queues + row[k]];
        if (level > deepest) deepest = level;
    }
    add_to_cuts(w, (uint32_t)w->level[fair_queue_of(in, block)] + 1,
                (uint32_t)(deepest + 1), 1);
}

/* The least cut: its number. */
static uint32_t least_cut(skedi_fair *w, uint64_t *bound)
{
    uint32_t reached, best = 0;
    int64_t sum = 0, least = INT64_MAX;

    (void)skedi_fair_search(w, 1, &reached);
    uint32_t deepest = reached ? (uint32_t)w->level[w->found[reached - 1]] : 0;
    for (uint32_t v = 0; v < w->nodes; v++) { /* out of reach: beyond all */
        if (w->level[v] < 0) w->level[v] = (int32_t)deepest + 1;
        uint32_t level = (uint32_t)w->level[v] + 1;
        if (v < w->in->queues) {
            add_to_cuts(w, 0, level, w->all[v]);
        } else {
            add_to_cuts(w, level, deepest + 2, w->all[v]);
        }
    }
    for (uint32_t b = 0; b < w->in->blocks; b++) add_block_to_cuts(w, b);
    for (uint32_t i = 0; i <= deepest + 1; i++) {
        sum += w->change[i];
        if (sum >= least) continue;
        least = sum;
        best = i;
    }
    *bound = (uint64_t)least;
    return best;
}

/* ---- Transfers, and what is handed out ---- */

/* What queues lack goes to slots that are left, in order. */
static void transfer_rest(skedi_fair *w)
{
    const skedi_fair_blocks *in = w->in;
    uint32_t host = 0;

    for (uint32_t q = 0; q < in->queues; q++) {
        uint32_t next;
        for (uint32_t i = w->first[q]; i && w->left[q]; i = next) {
            next = w->next[i - 1];
            while (w->left[in->queues + host] == 0) host++;
            w->where[i - 1] = host;
            w->left[in->queues + host]--;
            w->left[q]--;
        }
    }
}

static void hand_out_fair(skedi_fair *w, uint32_t used,
                          sked_locality_fair_result *result)
{
    const skedi_fair_blocks *in = w->in;
    uint32_t cut = least_cut(w, &result->bound);

    result->phases = used;
    result->local = result->transfers = 0;
    for (uint32_t q = 0; q < in->queues; q++) {
        result->local += w->all[q] - w->left[q];
        result->transfers += w->left[q];
        if (result->queue_local) {
            result->queue_local[q] = w->all[q] - w->left[q];
        }
        result->queue_cut[q] = w->level[q] >= (int32_t)cut;
    }
    for (uint32_t h = 0; h < in->hosts; h++) {
        result->host_cut[h] = w->level[in->queues + h] < (int32_t)cut;
    }
    transfer_rest(w);
    if (in->blocks == 0) return;
    memcpy(result->host, w->where, in->blocks * sizeof *w->where);
}

static sked_status solve_fair(skedi_fair *w,
                              const sked_locality_fair_options *o,
                              sked_locality_fair_result *result,
                              sked_error *err)
{
    const skedi_fair_blocks *in = w->in;
    uint32_t used;

    if (!fair_reserve(w)) {
        return skedi_fail_memory(err);
    }
    sked_status rc = skedi_fair_wants(in, w->all, err);
    if (rc != SKED_OK) return rc;
    for (uint32_t h = 0; h < in->hosts; h++) {
        w->all[in->queues + h] = in->slots ? in->slots[h] : 1;
    }
    memcpy(w->left, w->all, w->nodes * sizeof *w->left);
    fair_start(w, o->method == SKED_LOCALITY_FAIR_APART);
    rc = skedi_fair_flow(w, o->phases, &used);
    if (rc != SKED_OK) return skedi_fail_stopped(err, rc);
    hand_out_fair(w, used, result);
    return SKED_OK;
}

sked_status sked_locality_fair(const sked_locality_fair_input *input,
                               const sked_locality_fair_options *options,
                               const sked_host *host,
                               sked_locality_fair_result *result,
                               sked_error *err)
{
    skedi_fair_blocks in;
    sked_locality_fair_options o;
    skedi_hooks hooks;
    sked_status rc = skedi_struct_in(&o, sizeof o, options, FAIR_OPTIONS_V1);

    if (rc != SKED_OK) return skedi_fail_version(err, "options");
    if (o.reserved) return skedi_fail_reserved(err, "options");
    if (o.method > SKED_LOCALITY_FAIR_APART) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "no such method");
    }
    rc = skedi_fair_take(&in, input, host, &hooks, err);
    if (rc != SKED_OK) return rc;
    rc = skedi_fair_columns(in.blocks, result, err);
    if (rc != SKED_OK) return rc;
    rc = skedi_struct_out(result->struct_size, FAIR_RESULT_V1);
    if (rc != SKED_OK) return skedi_fail_version(err, "result");
    skedi_fair w = {.in = &in, .hooks = &hooks, .nodes = in.queues + in.hosts};
    rc = solve_fair(&w, &o, result, err);
    fair_drop(&w);
    return rc;
}
