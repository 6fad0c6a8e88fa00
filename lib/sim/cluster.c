/* Copies the cluster of the input: nodes in the order of their events, failures
 * by time. */
#include <string.h>

#include "base/fail.h"
#include "sim/lane.h"
#include "sim/run.h"

enum { SIM_MAX_NODES = 1048576 };

/* Adds nodes to the capacity of the cluster; 0: it would be no amount. */
static int add_capacity(sked_sim *sim, const sked_sim_nodes *nodes)
{
    for (uint32_t k = 0; k < sim->kinds; k++) {
        int64_t own = nodes->amounts[k], all;
        if (own < 0 || own > SKED_AMOUNT_MAX ||
            !skedi_i64_mul(own, nodes->count, &all) ||
            all > SKED_AMOUNT_MAX - sim->capacity[k]) {
            return 0;
        }
        sim->capacity[k] += all;
    }
    return 1;
}

static sked_status check_nodes_of(sked_sim *sim, const sked_sim_nodes *nodes,
                                  size_t n, uint64_t *total, uint32_t *parts,
                                  sked_error *err)
{
    *total = *parts = 0;
    for (size_t i = 0; i < n; i++) {
        skedi_fault fault = {.row = (int64_t)i + 1};
        if (!nodes[i].amounts || nodes[i].reserved) {
            return skedi_fail(err, SKED_ERR_ARG, "no amounts", fault);
        }
        if (nodes[i].partition >= SKED_MAX_PARTITIONS) {
            return skedi_fail(err, SKED_ERR_RANGE, "no such partition", fault);
        }
        if (!add_capacity(sim, &nodes[i])) {
            return skedi_fail(err, SKED_ERR_RANGE, "amounts are out of range",
                              fault);
        }
        *total += nodes[i].count;
        if (nodes[i].partition >= *parts) *parts = nodes[i].partition + 1;
        if (*total > SIM_MAX_NODES) {
            return skedi_fail(err, SKED_ERR_RANGE, "too many nodes", fault);
        }
    }
    return SKED_OK;
}

sked_status skedi_sim_take_nodes(sked_sim *sim, const sked_sim_nodes *nodes,
                                 size_t n, sked_error *err)
{
    skedi_mem *mem = &sim->hooks.mem;
    uint64_t total;
    uint32_t parts, at = 0;
    sked_status rc = check_nodes_of(sim, nodes, n, &total, &parts, err);

    if (rc != SKED_OK) return rc;
    size_t all = (size_t)total; /* check_nodes_of() bounds it */
    sim->n_nodes = (uint32_t)total;
    sim->n_lanes = parts;
    sim->node_amounts = skedi_new(mem, all, sim->kinds * sizeof(int64_t));
    sim->node_partition = skedi_new(mem, all, sizeof(uint32_t));
    sim->node_rack = skedi_new(mem, all, sizeof(uint32_t));
    sim->node_place = skedi_new(mem, all, sizeof(uint32_t));
    sim->node_up = skedi_new(mem, all, 1);
    sim->lanes = skedi_new(mem, parts, sizeof *sim->lanes);
    if (!sim->node_amounts || !sim->node_partition || !sim->node_rack ||
        !sim->node_place || !sim->node_up || !sim->lanes ||
        !skedi_marks_reserve(mem, &sim->reserved, all)) {
        return skedi_fail_memory(err);
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t first = at; /* no group has more racks than nodes */
        for (uint32_t c = 0; c < nodes[i].count; c++, at++) {
            sim->node_partition[at] = nodes[i].partition;
            sim->node_up[at] = 1;
            if (nodes[i].racks) {
                sim->node_rack[at] = first + c % nodes[i].racks + 1;
            }
            memcpy(sim->node_amounts + (size_t)at * sim->kinds,
                   nodes[i].amounts, sim->kinds * sizeof(int64_t));
        }
    }
    if (skedi_lanes_build(sim)) return SKED_OK;
    return skedi_fail_memory(err);
}

static sked_status check_failures(const sked_sim *sim,
                                  const sked_sim_failure *in, size_t n,
                                  sked_error *err)
{
    for (size_t i = 0; i < n; i++) {
        if (in[i].node < sim->n_nodes && !in[i].reserved && in[i].at >= 0 &&
            in[i].at <= SKED_AMOUNT_MAX / 2 &&
            in[i].until <= SKED_AMOUNT_MAX / 2 &&
            (!in[i].until || in[i].until > in[i].at)) {
            continue;
        }
        return skedi_fail(err, SKED_ERR_RANGE, "no such failure",
                          (skedi_fault){.row = (int64_t)i + 1});
    }
    return SKED_OK;
}

/* Nodes go down and come back by time, at one instant in the order as given. */
sked_status skedi_sim_take_failures(sked_sim *sim, const sked_sim_failure *in,
                                    size_t n, sked_error *err)
{
    skedi_mem *mem = &sim->hooks.mem;
    uint32_t to = 0;

    sked_status rc = check_failures(sim, in, n, err);
    if (rc != SKED_OK) return rc;
    sim->changes_cap = n * 2;
    sim->changes = skedi_new(mem, n * 2, sizeof *sim->changes);
    skedi_keyed *order = skedi_new(mem, n * 4, sizeof *order);
    if (!sim->changes || !order) {
        skedi_free(mem, order, n * 4, sizeof *order);
        return skedi_fail_memory(err);
    }
    for (uint32_t i = 0; i < n; i++) {
        order[to++] = (skedi_keyed){skedi_key_signed(in[i].at), i * 2, 0};
        if (!in[i].until) continue;
        order[to++] = (skedi_keyed){skedi_key_signed(in[i].until), i * 2 + 1,
                                    0};
    }
    skedi_sort_keys(order, order + n * 2, to);
    for (uint32_t i = 0; i < to; i++) {
        const sked_sim_failure *own = &in[order[i].index / 2];
        int back = order[i].index & 1;
        sim->changes[i] = (sim_change){
            .at = back ? own->until : own->at, .node = own->node, .back = back};
    }
    sim->n_changes = to;
    skedi_free(mem, order, n * 4, sizeof *order);
    return SKED_OK;
}
