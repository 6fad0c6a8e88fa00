/* The nodes of a run: as --nodes says, or as many as make the load. */
#include <string.h>

#include "replay.h"

enum { MAX_NODES = 1048576 };

/* ---- --nodes ---- */

static int read_specs(replay_plan *plan, const replay_options *o,
                      input_fault *fault)
{
    sked_error err;
    uint32_t numbers = 0;

    snprintf(fault->file, sizeof fault->file, "--nodes");
    for (uint32_t s = 0; s < o->n_specs; s++) {
        node_spec *spec = &plan->specs[s];
        uint32_t number = numbers;
        *spec = o->specs[s];
        if (sked_vec_parse(plan->schema, spec->text, spec->length, 0,
                           spec->amount, &err) != SKED_OK) {
            return fault_library(fault, &err);
        }
        for (uint32_t t = 0; t < s; t++) {
            if (!strcmp(plan->specs[t].partition, spec->partition)) {
                number = plan->nodes[t].partition;
            }
        }
        numbers += number == numbers;
        plan->nodes[s] = (sked_sim_nodes){
            .count = spec->count, .partition = number, .amounts = spec->amount};
    }
    plan->n_specs = o->n_specs;
    return 1;
}

/* ---- --load ---- */

/* Last minus first submission; when all come at once, the longest run. */
static uint64_t span_of_load(const replay_plan *plan)
{
    int64_t span = plan_span(plan), longest = 1;

    for (uint32_t i = 0; i < plan->work.n; i++) {
        if (plan->run[i] > longest) longest = plan->run[i];
    }
    return (uint64_t)(span ? span : longest);
}

static int64_t largest_task(const replay_plan *plan, uint32_t k)
{
    int64_t most = 0;

    for (uint32_t i = 0; i < plan->work.n; i++) {
        int64_t a = plan->amounts[(size_t)i * plan->kinds + k];
        if (a > most) most = a;
    }
    return most;
}

/* The work of a kind in millionths, as the load is. */
static wide scaled_work(const replay_plan *plan, uint32_t k)
{
    return wide_times(plan->total_work[k], 1000000);
}

/* Does no task exceed 1/32 of the need, work / (load * span), in any kind? */
static int is_small(const replay_plan *plan, const int64_t *task, uint64_t span,
                    uint64_t load)
{
    for (uint32_t k = 0; k < plan->kinds; k++) {
        wide all = wide_times(wide_of((uint64_t)task[k], 0), 32);
        all = wide_times(wide_times(all, span), load);
        if (wide_compare(all, scaled_work(plan, k)) > 0) return 0;
    }
    return 1;
}

/* The largest over kinds of ceil(work / (load * span * node)). Rounding up
 * after each division gives what one division would. */
static wide count_for(const replay_plan *plan, const int64_t *node,
                      uint64_t span, uint64_t load)
{
    wide count = wide_of(1, 0);

    for (uint32_t k = 0; k < plan->kinds; k++) {
        if (!node[k]) continue;
        wide n = wide_divide_up(scaled_work(plan, k), load);
        n = wide_divide_up(wide_divide_up(n, span), (uint64_t)node[k]);
        if (wide_compare(n, count) > 0) count = n;
    }
    return count;
}

static int derive_nodes(replay_plan *plan, const replay_options *o,
                        input_fault *fault)
{
    node_spec *spec = &plan->specs[0];
    uint64_t span = span_of_load(plan), load = (uint64_t)o->load;

    *spec = (node_spec){.count = 1};
    for (uint32_t k = 0; k < plan->kinds; k++) {
        spec->amount[k] = largest_task(plan, k);
    }
    if (is_small(plan, spec->amount, span, load)) {
        for (uint32_t k = 0; k < plan->kinds; k++) {
            if (spec->amount[k] > SKED_AMOUNT_MAX / 32) {
                return input_fail(fault, 0, 0, "tasks too large for --load");
            }
            spec->amount[k] *= 32;
        }
    }
    wide count = count_for(plan, spec->amount, span, load);
    if (wide_compare(count, wide_of(MAX_NODES, 0)) > 0) {
        return input_fail(fault, 0, 0,
                          "--load %.6g takes more than %d nodes: use --nodes",
                          (double)o->load / 1e6, MAX_NODES);
    }
    spec->count = (uint32_t)count.word[0];
    plan->nodes[0] = (sked_sim_nodes){.count = spec->count,
                                      .amounts = spec->amount};
    plan->n_specs = 1;
    return 1;
}

/* ---- Together ---- */

static int add_up(replay_plan *plan, input_fault *fault)
{
    uint64_t nodes = 0;

    for (uint32_t s = 0; s < plan->n_specs; s++) {
        nodes += plan->nodes[s].count;
        for (uint32_t k = 0; k < plan->kinds; k++) {
            int64_t each = plan->specs[s].amount[k];
            int64_t left = SKED_AMOUNT_MAX - plan->capacity[k];
            if (each > left / (int64_t)plan->nodes[s].count) {
                return input_fail(fault, 0, 0, "more than 2^62 units of %s",
                                  sked_schema_name(plan->schema, k));
            }
            plan->capacity[k] += each * (int64_t)plan->nodes[s].count;
        }
    }
    if (nodes > MAX_NODES) {
        return input_fail(fault, 0, 0, "more than %d nodes", MAX_NODES);
    }
    plan->n_nodes = (uint32_t)nodes;
    return 1;
}

/* The number of a partition's name; one without nodes has the number behind
 * all, except that a job that names none may go anywhere then. */
static uint32_t partition_number(const replay_plan *plan, const char *name)
{
    uint32_t numbers = 0;

    for (uint32_t s = 0; s < plan->n_specs; s++) {
        if (!strcmp(plan->specs[s].partition, name)) {
            return plan->nodes[s].partition;
        }
        if (plan->nodes[s].partition >= numbers) {
            numbers = plan->nodes[s].partition + 1;
        }
    }
    return *name ? numbers : SKED_ANY_PARTITION;
}

/* Partitions count only where --nodes names one. */
static void assign_partitions(replay_plan *plan)
{
    int named = 0;

    for (uint32_t s = 0; s < plan->n_specs; s++) {
        named |= plan->specs[s].partition[0] != 0;
    }
    for (uint32_t i = 0; named && i < plan->work.n; i++) {
        uint32_t name = plan->work.jobs[i].partition;
        plan->partition[i] = partition_number(plan,
                                              plan->work.partitions.text[name]);
    }
}

int cluster_make(replay_plan *plan, const replay_options *o, input_fault *fault)
{
    int ok = o->n_specs ? read_specs(plan, o, fault)
                        : derive_nodes(plan, o, fault);

    if (!ok || !add_up(plan, fault)) return 0;
    assign_partitions(plan);
    return 1;
}
