/* Calls the library: a plan for each method, or a sweep. */
#include <stdlib.h>

#include "batch.h"

static const int64_t sigma_ppm[SIGMAS] = {1000000, 2000000, 3000000, 5000000,
                                          10000000};
static const int64_t tau_ppm[TAUS] = {5000000, 10000000, 15000000};

/* A failure of the library; a row is a line of the file but for the header. */
static int refused(const sked_error *err, input_fault *fault)
{
    if (err->row < 0) return input_fail(fault, 0, 0, "%s", err->message);
    return input_fail(fault, 0, 0, "task %lld: %s", (long long)err->row + 1,
                      err->message);
}

static sked_batch_input input_of(const answers *a, const batch_options *o)
{
    return (sked_batch_input){
        .struct_size = sizeof(sked_batch_input),
        .tasks = a->in.n,
        .slots = o->cores,
        .nodes = o->nodes,
        .start = o->start,
        .block = o->block,
        .slot = o->slot,
        .bytes = a->in.bytes,
        .blocks = a->in.has_blocks ? a->in.blocks : NULL,
        .label = a->in.has_label ? a->in.label : NULL,
        .multiplier_ppm = a->in.multiplier,
        .actual_ppm = a->actual,
    };
}

/* The published order of the methods: the slowest first, ours behind. */
static uint32_t method_at(uint32_t i)
{
    static const uint32_t order[METHODS] = {
        SKED_BATCH_METHOD_MULTI,       SKED_BATCH_METHOD_GREEDY,
        SKED_BATCH_METHOD_DATA_DRIVEN, SKED_BATCH_METHOD_ANNEALING,
        SKED_BATCH_METHOD_DYNAMIC,     SKED_BATCH_METHOD_SIMPLE,
        SKED_BATCH_METHOD_BEST,        SKED_BATCH_METHOD_ADAPT};

    return order[i];
}

static int plan_one(answers *a, const batch_options *o, uint32_t method,
                    input_fault *fault)
{
    sked_batch_input in = input_of(a, o);
    sked_batch_options options = o->plan;
    answer *to = &a->all[a->n];
    sked_error err;

    options.method = method;
    to->spans = malloc(a->in.n * sizeof *to->spans);
    if (!to->spans) return input_fail(fault, 0, 0, "does not fit in memory");
    a->n++;
    to->method = method;
    to->result = (sked_batch_result){.struct_size = sizeof to->result,
                                     .spans = to->spans};
    if (sked_batch_plan(&in, &options, NULL, &to->result, &err) == SKED_OK) {
        return 1;
    }
    return refused(&err, fault);
}

static int sweep(answers *a, const batch_options *o, input_fault *fault)
{
    sked_batch_input in = input_of(a, o);
    sked_batch_options options = o->plan;
    sked_batch_grid grid = {.struct_size = sizeof grid,
                            .n_sigma = SIGMAS,
                            .n_tau = TAUS,
                            .sigma_ppm = sigma_ppm,
                            .tau_ppm = tau_ppm};
    sked_error err;

    options.method = o->method;
    if (sked_batch_sweep(&in, &grid, &options, NULL, a->cells, &err) ==
        SKED_OK) {
        return 1;
    }
    return refused(&err, fault);
}

int answers_make(answers *a, const batch_options *o, input_fault *fault)
{
    snprintf(fault->file, sizeof fault->file, "%s",
             o->file ? o->file : "bundled");
    if (!tasks_read(&a->in, o, fault)) return 0;
    a->actual = malloc(a->in.n * sizeof *a->actual);
    if (!a->actual || sked_batch_noise(o->plan.noise_ppm, o->plan.seed, a->in.n,
                                       a->actual, NULL) != SKED_OK) {
        return input_fail(fault, 0, 0, "does not fit in memory");
    }
    if (o->sweep) return sweep(a, o, fault);
    if (o->method) return plan_one(a, o, o->method, fault);
    for (uint32_t i = 0; i < METHODS; i++) {
        if (!plan_one(a, o, method_at(i), fault)) return 0;
    }
    return 1;
}

void answers_free(answers *a)
{
    for (uint32_t i = 0; i < a->n; i++) free(a->all[i].spans);
    free(a->actual);
    tasks_free(&a->in);
}
