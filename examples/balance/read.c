/*
 * The files as columns. Clusters, workflows and hosts are numbered in order of
 * appearance. Rows of workflows are kept as a list until all buckets are known,
 * because each curve has an amount for every bucket.
 */
#include <stdlib.h>
#include <string.h>

#include "../workload/decimal.h"
#include "balance.h"

enum { MOST_BUCKETS = 1 << 20, MOST_CELLS = 1 << 27 };

/* Two busy clusters in zone east, an idle cluster in zone west. */
static const char example_clusters[] =
    "cluster,zone,cpu,mem_bytes,instance_cpu,instance_mem_bytes\n"
    "east-1,east,100,400e9,16,32e9\neast-2,east,100,400e9,16,128e9\n"
    "west-1,west,120,480e9,16,64e9\n";
static const char example_workflows[] =
    "workflow,home,tier,bucket,cpu,mem_bytes,allowed\n"
    "reports,east-1,1,0,50,80e9,\nreports,east-1,1,1,60,90e9,\n"
    "search,east-1,1,0,40,60e9,east-2\nsearch,east-1,1,1,50,60e9,east-2\n"
    "ads,east-2,2,0,30,200e9,\nads,east-2,2,1,20,150e9,\n"
    "logs,west-1,3,0,10,20e9,\nlogs,west-1,3,1,10,20e9,\n";
static const char example_hosts[] =
    "host,rack\na1,a\na2,a\na3,a\na4,a\nb1,b\nb2,b\nb3,b\nc1,c\n";

enum { C_NAME, C_ZONE, C_CAPACITY, C_INSTANCE = 5, CLUSTER_COLUMNS = 8 };
static const char *const cluster_column[CLUSTER_COLUMNS] = {
    "cluster",
    "zone",
    "cpu",
    "mem_bytes",
    "gpu",
    "instance_cpu",
    "instance_mem_bytes",
    "instance_gpu"};

enum {
    W_NAME,
    W_HOME,
    W_AMOUNT,
    W_BUCKET = 5,
    W_TIER,
    W_ALLOWED,
    WORKFLOW_COLUMNS
};
static const char *const workflow_column[WORKFLOW_COLUMNS] = {
    "workflow", "home", "cpu", "mem_bytes", "gpu", "bucket", "tier", "allowed"};

static const char *const host_column[2] = {"host", "rack"};

/* Decimals that are kept of an amount: cores and GPUs in thousandths. */
static const int decimals[KINDS] = {3, 0, 3};

typedef struct usage_row {
    uint32_t workflow;
    uint32_t bucket;
    int64_t amount[KINDS];
} usage_row;

typedef struct usage_list {
    usage_row *row;
    size_t n;
    size_t cap;
} usage_list;

static int no_memory(input_fault *fault)
{
    return input_fail(fault, 0, 0, "does not fit in memory");
}

/* The array with `n` rows; rows beyond the old length are zero. NULL: no
 * memory, and the old array is unchanged. */
static void *grown(void *old, size_t had, size_t n, size_t size)
{
    char *made = realloc(old, n * size);

    if (made && n > had) memset(made + had * size, 0, (n - had) * size);
    return made;
}

/* A number of a column; `*out` stays if the column or its text is missing. */
static int read_amount(const text_row *row, int at, const char *name, int scale,
                       int64_t most, int64_t *out, input_fault *fault)
{
    int64_t value;

    if (at < 0) return 1;
    const text_field *f = &row->fields[at];
    int code = decimal_read(f->text, f->length, scale, DECIMAL_UP, &value);
    if (code == DECIMAL_EMPTY) return 1;
    if (code != DECIMAL_OK) {
        return input_fail(fault, f->line, f->column, "%s %s", name,
                          decimal_fault(code));
    }
    if (value > most) {
        return input_fail(fault, f->line, f->column, "%s is above %lld", name,
                          (long long)most);
    }
    *out = value;
    return 1;
}

/* ---- Clusters ---- */

static int grow_clusters(inputs *in, uint32_t n)
{
    size_t had = n, cells = (size_t)n * KINDS;
    void *capacity = grown(in->capacity, cells, cells + KINDS,
                           sizeof *in->capacity);
    if (capacity) in->capacity = capacity;
    void *instance = grown(in->instance, cells, cells + KINDS,
                           sizeof *in->instance);
    if (instance) in->instance = instance;
    void *zone = grown(in->zone_of, had, had + 1, sizeof *in->zone_of);
    if (zone) in->zone_of = zone;
    return capacity && instance && zone;
}

static int read_cluster(inputs *in, const text_row *row, const int *at,
                        input_fault *fault)
{
    const text_field *f = &row->fields[at[C_NAME]];
    uint32_t n = in->cluster.n;

    if (f->length == 0 || n == SKED_MAX_CLUSTERS) {
        return input_fail(fault, f->line, f->column,
                          f->length == 0 ? "cluster is empty"
                                         : "more than 1024 clusters");
    }
    if (names_find(&in->cluster, f->text, f->length) != NAMES_FULL) {
        return input_fail(fault, f->line, f->column, "cluster stands twice");
    }
    if (names_number(&in->cluster, f->text, f->length) == NAMES_FULL ||
        !grow_clusters(in, n)) {
        return no_memory(fault);
    }
    const text_field none = {"", 0, f->line, 0};
    const text_field *z = at[C_ZONE] < 0 ? &none : &row->fields[at[C_ZONE]];
    in->zone_of[n] = names_number(&in->zone, z->text, z->length);
    if (in->zone_of[n] == NAMES_FULL) return no_memory(fault);
    for (int k = 0; k < KINDS; k++) {
        int64_t *capacity = &in->capacity[(size_t)n * KINDS + (size_t)k];
        int64_t *instance = &in->instance[(size_t)n * KINDS + (size_t)k];
        if (!read_amount(row, at[C_CAPACITY + k],
                         cluster_column[C_CAPACITY + k], decimals[k],
                         SKED_AMOUNT_MAX, capacity, fault) ||
            !read_amount(row, at[C_INSTANCE + k],
                         cluster_column[C_INSTANCE + k], decimals[k],
                         SKED_AMOUNT_MAX, instance, fault)) {
            return 0;
        }
        in->has_instance |= *instance > 0;
    }
    return 1;
}

static int read_clusters(inputs *in, input *text, input_fault *fault)
{
    row_reader reader = row_reader_of(text);
    text_row row;
    int at[CLUSTER_COLUMNS], more = 0;
    int ok = row_header(&reader, &row, fault) &&
             row_columns(&row, cluster_column, CLUSTER_COLUMNS, 1, at, fault);
    size_t width = row.n;

    while (ok && (more = row_next_width(&reader, &row, width, fault)) > 0) {
        ok = read_cluster(in, &row, at, fault);
    }
    if (ok && more == 0 && in->cluster.n == 0) {
        return input_fail(fault, 0, 0, "has no cluster");
    }
    return ok && more == 0;
}

/* ---- Workflows ---- */

static int grow_workflows(inputs *in, uint32_t n)
{
    size_t clusters = in->cluster.n;
    void *home = grown(in->home, n, (size_t)n + 1, sizeof *in->home);
    if (home) in->home = home;
    void *tier = grown(in->tier, n, (size_t)n + 1, sizeof *in->tier);
    if (tier) in->tier = tier;
    void *allowed = grown(in->allowed, n * clusters, (n + 1) * clusters, 1);
    if (allowed) in->allowed = allowed;
    return home && tier && allowed;
}

/* The cluster of that name; NAMES_FULL: see the fault. */
static uint32_t cluster_of(const inputs *in, const text_field *f,
                           const char *text, size_t length, input_fault *fault)
{
    uint32_t found = names_find(&in->cluster, text, length);

    if (found == NAMES_FULL) {
        (void)input_fail(fault, f->line, f->column, "no cluster is named %.*s",
                         (int)(length < 80 ? length : 80), text);
    }
    return found;
}

/* The clusters of a list a|b; an empty list allows all of them. */
static int read_allowed(inputs *in, uint32_t w, const text_row *row, int at,
                        input_fault *fault)
{
    uint8_t *allowed = in->allowed + (size_t)w * in->cluster.n;
    const text_field *f = at < 0 ? NULL : &row->fields[at];

    if (!f || f->length == 0) {
        memset(allowed, 1, in->cluster.n);
        return 1;
    }
    for (size_t start = 0; start <= f->length;) {
        size_t end = start;
        while (end < f->length && f->text[end] != '|') end++;
        uint32_t c = cluster_of(in, f, f->text + start, end - start, fault);
        if (c == NAMES_FULL) return 0;
        allowed[c] = 1;
        start = end + 1;
    }
    return 1;
}

/* A new workflow: home, tier, allowed clusters. */
static int read_workflow(inputs *in, uint32_t w, const text_row *row,
                         const int *at, input_fault *fault)
{
    const text_field *home = &row->fields[at[W_HOME]];
    int64_t tier = 1;

    if (!grow_workflows(in, w)) return no_memory(fault);
    in->home[w] = cluster_of(in, home, home->text, home->length, fault);
    if (in->home[w] == NAMES_FULL ||
        !read_amount(row, at[W_TIER], "tier", 0, SKED_MAX_TIERS, &tier,
                     fault)) {
        return 0;
    }
    if (tier < 1) return input_fail(fault, row->line, 0, "tier is below 1");
    in->tier[w] = (uint32_t)tier;
    return read_allowed(in, w, row, at[W_ALLOWED], fault);
}

static int add_usage(usage_list *l, const usage_row *row)
{
    if (l->n == l->cap) {
        size_t cap = l->cap ? l->cap * 2 : 256;
        usage_row *made = realloc(l->row, cap * sizeof *made);
        if (!made) return 0;
        l->row = made;
        l->cap = cap;
    }
    l->row[l->n++] = *row;
    return 1;
}

/* Later rows of a workflow repeat its home or leave the home out. */
static int agrees(const inputs *in, uint32_t w, const text_row *row,
                  const int *at, input_fault *fault)
{
    const text_field *home = &row->fields[at[W_HOME]];

    if (home->length == 0) return 1;
    uint32_t c = cluster_of(in, home, home->text, home->length, fault);
    if (c == NAMES_FULL) return 0;
    return c == in->home[w] ||
           input_fail(fault, home->line, home->column,
                      "home is another than in an earlier row");
}

static int read_usage(inputs *in, usage_list *l, const text_row *row,
                      const int *at, input_fault *fault)
{
    const text_field *f = &row->fields[at[W_NAME]];
    usage_row made = {0};
    int64_t bucket = 0;
    uint32_t known = in->workflow.n;

    if (f->length == 0) {
        return input_fail(fault, f->line, f->column, "workflow is empty");
    }
    made.workflow = names_number(&in->workflow, f->text, f->length);
    if (made.workflow == NAMES_FULL) return no_memory(fault);
    if (made.workflow >= (1u << 20)) {
        return input_fail(fault, f->line, 0, "more than 2^20 workflows");
    }
    if (!(made.workflow == known
              ? read_workflow(in, made.workflow, row, at, fault)
              : agrees(in, made.workflow, row, at, fault)) ||
        !read_amount(row, at[W_BUCKET], "bucket", 0, MOST_BUCKETS - 1, &bucket,
                     fault)) {
        return 0;
    }
    made.bucket = (uint32_t)bucket;
    for (int k = 0; k < KINDS; k++) {
        if (!read_amount(row, at[W_AMOUNT + k], workflow_column[W_AMOUNT + k],
                         decimals[k], SKED_AMOUNT_MAX, &made.amount[k],
                         fault)) {
            return 0;
        }
    }
    if (made.bucket >= in->buckets) in->buckets = (uint64_t)made.bucket + 1;
    return add_usage(l, &made) || no_memory(fault);
}

/* Curves of all buckets from the list of rows. */
static int make_curves(inputs *in, const usage_list *l, input_fault *fault)
{
    uint64_t cells = (uint64_t)in->workflow.n * in->buckets;

    if (in->workflow.n == 0) return input_fail(fault, 0, 0, "has no workflow");
    if (cells > MOST_CELLS) {
        return input_fail(fault, 0, 0,
                          "workflows times buckets are above 2^27");
    }
    in->usage = calloc((size_t)cells * KINDS, sizeof *in->usage);
    if (!in->usage) return no_memory(fault);
    for (size_t i = 0; i < l->n; i++) {
        const usage_row *r = &l->row[i];
        int64_t *to = in->usage +
                      (r->workflow * in->buckets + r->bucket) * KINDS;
        for (int k = 0; k < KINDS; k++) {
            if (to[k] > SKED_AMOUNT_MAX - r->amount[k]) {
                return input_fail(fault, 0, 0,
                                  "usage of %s adds up to more "
                                  "than 2^62 units",
                                  workflow_column[2 + k]);
            }
            to[k] += r->amount[k];
        }
    }
    return 1;
}

static int read_workflows(inputs *in, input *text, input_fault *fault)
{
    row_reader reader = row_reader_of(text);
    text_row row;
    usage_list list = {0};
    int at[WORKFLOW_COLUMNS], more = 0;
    int ok = row_header(&reader, &row, fault) &&
             row_columns(&row, workflow_column, WORKFLOW_COLUMNS, 2, at, fault);
    size_t width = row.n;

    in->buckets = 1;
    while (ok && (more = row_next_width(&reader, &row, width, fault)) > 0) {
        ok = read_usage(in, &list, &row, at, fault);
    }
    ok = ok && more == 0 && make_curves(in, &list, fault);
    free(list.row);
    return ok;
}

/* ---- Hosts of racks ---- */

static int read_hosts(inputs *in, input *text, input_fault *fault)
{
    row_reader reader = row_reader_of(text);
    text_row row;
    int at[2], more = 0;
    size_t cap = 0;
    int ok = row_header(&reader, &row, fault) &&
             row_columns(&row, host_column, 2, 2, at, fault);
    size_t width = row.n;

    while (ok && (more = row_next_width(&reader, &row, width, fault)) > 0) {
        const text_field *f = &row.fields[at[0]], *r = &row.fields[at[1]];
        uint32_t known = in->workflow.n;
        uint32_t h = names_number(&in->workflow, f->text, f->length);
        if (h != NAMES_FULL && (f->length == 0 || h < known)) {
            return input_fail(fault, f->line, f->column,
                              f->length == 0 ? "host is empty"
                                             : "host stands twice");
        }
        if (h != NAMES_FULL && h == cap) {
            void *made = grown(in->rack_of, cap, cap * 2 + 64,
                               sizeof *in->rack_of);
            if (made) in->rack_of = made;
            cap = made ? cap * 2 + 64 : cap;
        }
        uint32_t rack = names_number(&in->rack, r->text, r->length);
        if (h == NAMES_FULL || h >= cap || rack == NAMES_FULL) {
            return no_memory(fault);
        }
        in->rack_of[h] = rack;
    }
    if (ok && more == 0 && in->workflow.n == 0) {
        return input_fail(fault, 0, 0, "has no host");
    }
    return ok && more == 0;
}

/* ---- Files ---- */

/* Reads the file at `path`, or the example if `path` is NULL. */
static int read_one(inputs *in, const char *path, const char *example,
                    int (*read)(inputs *, input *, input_fault *),
                    input_fault *fault)
{
    input text = {0};
    int ok = path ? input_read(&text, path, fault)
                  : input_copy(&text, example, fault);

    ok = ok && read(in, &text, fault);
    input_free(&text);
    return ok;
}

int inputs_read(inputs *in, const balance_options *o, input_fault *fault)
{
    *in = (inputs){0};
    if (o->what == DO_STRIPE) {
        return read_one(in, o->file, example_hosts, read_hosts, fault);
    }
    return read_one(in, o->clusters, example_clusters, read_clusters, fault) &&
           read_one(in, o->file, example_workflows, read_workflows, fault);
}

void inputs_free(inputs *in)
{
    names_free(&in->cluster);
    names_free(&in->zone);
    names_free(&in->workflow);
    names_free(&in->rack);
    free(in->capacity);
    free(in->instance);
    free(in->zone_of);
    free(in->usage);
    free(in->home);
    free(in->tier);
    free(in->allowed);
    free(in->rack_of);
}
