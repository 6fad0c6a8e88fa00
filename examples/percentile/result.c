/* From intervals to answers: a history with a queue for each key. */
#include <stdlib.h>
#include <string.h>

#include "percentile.h"

static int no_memory(input_fault *fault)
{
    return input_fail(fault, 0, 0, "does not fit in memory");
}

/* With `instances`, the kinds are the kinds of a workload. */
static int library_fault(const result *r, int instances, const sked_error *err,
                         input_fault *fault)
{
    uint64_t line = err->row >= 0 ? r->in.line[err->row] : 0;

    return input_fail(fault, line, 0, "%s%s", err->message,
                      instances ? print_kind(err->kind) : "");
}

/* The kind to examine: the named kind, or the first kind in use. */
static uint32_t kind_used(const result *r, const percentile_options *o)
{
    static const uint32_t first[] = {KIND_CPU, KIND_GPU, KIND_MEMORY};

    if (r->in.is_units) return 0;
    if (o->kind != KIND_ANY) return (uint32_t)o->kind;
    for (int k = 0; k < KINDS; k++) {
        for (uint32_t i = 0; i < r->in.n; i++) {
            if (r->in.amount[(size_t)i * KINDS + first[k]]) return first[k];
        }
    }
    return KIND_CPU;
}

static void name_unit(result *r, const percentile_options *o, uint32_t kind)
{
    static const char *const units[KINDS] = {"cores", "bytes", "GPUs"};

    r->scale = kind == KIND_MEMORY || o->instance ? "B" : "m";
    r->unit = o->instance           ? "instances"
              : !r->in.is_units     ? units[kind]
              : o->kind != KIND_ANY ? units[o->kind]
              : o->file             ? "units"
                                    : "instances";
}

static int instance_of(const percentile_options *o, int64_t *instance,
                       input_fault *fault)
{
    static const char kinds[] = "cpu=m memory=B gpu=m";
    sked_schema *schema;
    sked_error err;
    sked_status rc = sked_schema_parse(kinds, strlen(kinds), NULL, &schema,
                                       &err);

    if (rc != SKED_OK) return no_memory(fault);
    rc = sked_vec_parse(schema, o->instance, strlen(o->instance), 0, instance,
                        &err);
    sked_schema_free(schema);
    if (rc == SKED_OK) return 1;
    snprintf(fault->file, sizeof fault->file, "--instance");
    return input_fail(fault, err.line, err.column, "%s", err.message);
}

static int history_make(result *r, const percentile_options *o,
                        input_fault *fault)
{
    int64_t instance[KINDS] = {0};
    sked_error err;
    sked_history_options opts = {
        .struct_size = sizeof opts,
        .flags = o->has_window ? SKED_HISTORY_FLAG_WINDOW : 0,
        .queues = r->in.keys.n,
        .kinds = KINDS,
        .kind = kind_used(r, o),
        .from = o->from,
        .to = o->to,
    };

    if (o->instance && !instance_of(o, instance, fault)) return 0;
    name_unit(r, o, opts.kind);
    sked_status rc = sked_history_new(o->instance ? instance : NULL, &opts,
                                      NULL, &r->history, &err);
    if (rc == SKED_OK) return 1;
    if (rc == SKED_ERR_RANGE && o->instance) {
        snprintf(fault->file, sizeof fault->file, "--instance");
    }
    return input_fail(fault, 0, 0, "%s", err.message);
}

static int history_fill(result *r, const percentile_options *o,
                        input_fault *fault)
{
    sked_error err;
    sked_history_input rows = {
        .struct_size = sizeof rows,
        .flags = SKED_HISTORY_INPUT_FLAG_ANY_ORDER,
        .n = r->in.n,
        .queue = r->in.key,
        .start = r->in.start,
        .end = r->in.end,
        .amount = r->in.amount,
    };

    if (sked_history_add(r->history, &rows, &r->counts, &err) != SKED_OK) {
        return library_fault(r, o->instance != NULL, &err, fault);
    }
    if (sked_history_settle(r->history, SKED_HISTORY_END, &err) != SKED_OK) {
        return input_fail(fault, 0, 0, "%s", err.message);
    }
    return 1;
}

/* ---- Rows ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(((const key_row *)a)->name, ((const key_row *)b)->name);
}

/* Does a record count? */
static int counts(const result *r, uint32_t i, const percentile_options *o)
{
    if (r->in.start[i] == r->in.end[i]) return 0;
    return !o->has_window || (r->in.start[i] < o->to && r->in.end[i] > o->from);
}

static void count_records(result *r, const percentile_options *o)
{
    int64_t first = INT64_MAX, last = INT64_MIN;

    for (uint32_t i = 0; i < r->in.n; i++) {
        if (!counts(r, i, o)) continue;
        r->row[r->in.key[i]].records++;
        if (r->in.start[i] < first) first = r->in.start[i];
        if (r->in.end[i] > last) last = r->in.end[i];
    }
    r->span = o->has_window ? o->to - o->from : last > first ? last - first : 0;
}

static int set_tiers(result *r, const percentile_options *o, input_fault *fault)
{
    uint32_t *tier = calloc(r->n + 1, sizeof *tier);

    if (!tier) return no_memory(fault);
    int ok = !o->tiers || tiers_read(&r->in, o->tiers, tier, fault);
    for (uint32_t q = 0; ok && q < r->n; q++) {
        r->row[q].tier = o->file || o->tiers ? tier[q]
                                             : bundled_tier(r->row[q].name);
    }
    free(tier);
    return ok;
}

static int answer(result *r, const percentile_options *o, input_fault *fault)
{
    uint32_t m = o->n_thresholds;
    sked_pctl_queue *total = calloc(r->n + 1, sizeof *total);
    sked_error err;

    if (!total) return no_memory(fault);
    sked_status rc = sked_history_pctl(r->history, NULL, r->n, o->threshold, m,
                                       r->point, total, &err);
    for (uint32_t q = 0; rc == SKED_OK && q < r->n; q++) {
        r->row[q].name = r->in.keys.text[q];
        r->row[q].queue = q;
        r->row[q].total = total[q];
        r->row[q].point = r->point + (size_t)q * m;
    }
    free(total);
    return rc == SKED_OK || input_fail(fault, 0, 0, "%s", err.message);
}

int result_make(result *r, const percentile_options *o, input_fault *fault)
{
    *r = (result){.unit = "units", .scale = "m"};
    if (!usage_read(&r->in, o, fault)) return 0;
    r->n = r->in.keys.n;
    r->row = calloc(r->n + 1, sizeof *r->row);
    r->point = calloc((size_t)r->n * o->n_thresholds + 1, sizeof *r->point);
    if (!r->row || !r->point) return no_memory(fault);
    if (!history_make(r, o, fault)) return 0;
    if (r->n > 0 && !history_fill(r, o, fault)) return 0;
    if (!answer(r, o, fault)) return 0;
    count_records(r, o);
    if (!set_tiers(r, o, fault)) return 0;
    qsort(r->row, r->n, sizeof *r->row, by_name);
    return 1;
}

void result_free(result *r)
{
    sked_history_free(r->history);
    free(r->row);
    free(r->point);
    usage_free(&r->in);
}
