/*
 * Locations of blocks, from files that the workload names, and the number of
 * blocks that each node reads. Job by job, the plan is the cheapest of load and
 * transfers, if a wave of tasks costs their run time. Blocks that the plan
 * transfers have no place; their tasks run on any free node after the other
 * tasks have their places.
 *
 * A host is the number of a node, counted from 0 through the specs. If no file
 * names a host by a number, hosts are nodes in the order of their first names.
 */
#include <stdlib.h>
#include <string.h>

#include "../workload/decimal.h"
#include "replay.h"

typedef struct replica_rows {
    uint32_t *block;
    uint32_t *host; /* SKED_LOCALITY_NO_HOST: lost */
    size_t n, cap;
} replica_rows;

/* ---- A file ---- */

static int add_row(replica_rows *r, uint32_t block, uint32_t host)
{
    if (r->n == r->cap) {
        size_t cap = r->cap * 2 + 256;
        uint32_t *blocks = realloc(r->block, cap * sizeof *blocks);
        if (blocks) r->block = blocks;
        uint32_t *hosts = realloc(r->host, cap * sizeof *hosts);
        if (hosts) r->host = hosts;
        if (!blocks || !hosts) return 0;
        r->cap = cap;
    }
    r->block[r->n] = block;
    r->host[r->n++] = host;
    return 1;
}

static int header_column(const text_row *header, const char *name,
                         input_fault *fault)
{
    for (size_t i = 0; i < header->n; i++) {
        const text_field *f = &header->fields[i];
        if (f->length == strlen(name) && !memcmp(f->text, name, f->length)) {
            return (int)i;
        }
    }
    (void)input_fail(fault, header->line, 0, "no column %s", name);
    return -1;
}

static int read_rows(replay_plan *plan, input *text, replica_rows *rows,
                     names *blocks, input_fault *fault)
{
    row_reader reader = row_reader_of(text);
    text_row line;
    int more = row_next_csv(&reader, &line, fault);

    if (more == 0) return input_fail(fault, 1, 0, "no header line");
    if (more < 0) return 0;
    size_t width = line.n;
    int block_at = header_column(&line, "block", fault);
    int host_at = block_at < 0 ? -1 : header_column(&line, "host", fault);
    if (host_at < 0) return 0;
    while ((more = row_next_csv(&reader, &line, fault)) > 0) {
        if (line.n != width) {
            return input_fail(fault, line.line, 0,
                              "%zu fields where the header has %zu", line.n,
                              width);
        }
        const text_field *b = &line.fields[block_at];
        const text_field *h = &line.fields[host_at];
        if (b->length == 0) {
            return input_fail(fault, b->line, b->column, "block is empty");
        }
        uint32_t block = names_number(blocks, b->text, b->length);
        uint32_t host = SKED_LOCALITY_NO_HOST;
        if (h->length) host = names_number(&plan->hosts, h->text, h->length);
        if (block == NAMES_FULL || (h->length && host == NAMES_FULL) ||
            !add_row(rows, block, host)) {
            return fault_memory(fault);
        }
    }
    return more == 0;
}

/* Makes rows as wide as the largest number of replicas of a block. */
static int make_table(block_file *file, const replica_rows *rows,
                      uint32_t blocks, input_fault *fault)
{
    uint32_t *n = calloc((size_t)blocks + 1, sizeof *n);

    if (!n) return fault_memory(fault);
    for (size_t i = 0; i < rows->n; i++) {
        if (++n[rows->block[i]] > file->width) file->width++;
    }
    file->blocks = blocks;
    size_t places = (size_t)blocks * file->width;
    file->replica = malloc(places * sizeof *file->replica + 1);
    if (!file->replica || file->width > SKED_MAX_LOCALITY_REPLICAS) {
        free(n);
        return file->replica
                   ? input_fail(fault, 0, 0, "a block has too many replicas")
                   : fault_memory(fault);
    }
    memset(file->replica, 255, places * sizeof *file->replica);
    for (size_t i = 0; i < rows->n; i++) {
        uint32_t b = rows->block[i];
        file->replica[(size_t)b * file->width + --n[b]] = rows->host[i];
    }
    free(n);
    return 1;
}

static int read_file(replay_plan *plan, const char *path, block_file *file,
                     input_fault *fault)
{
    replica_rows rows = {0};
    names blocks = {0};
    input text = {0};
    int ok = input_read(&text, path, fault) &&
             read_rows(plan, &text, &rows, &blocks, fault);

    if (ok && blocks.n == 0) ok = input_fail(fault, 0, 0, "has no block");
    ok = ok && make_table(file, &rows, blocks.n, fault);
    free(rows.block);
    free(rows.host);
    names_free(&blocks);
    input_free(&text);
    return ok;
}

/* A name in the workload's folder, unless the name is a whole path. */
static char *path_beside(const char *file, const char *name)
{
    const char *slash = file && *name != '/' ? strrchr(file, '/') : NULL;
    size_t folder = slash ? (size_t)(slash - file) + 1 : 0;
    char *path = malloc(folder + strlen(name) + 1);

    if (!path) return NULL;
    if (folder) memcpy(path, file, folder);
    memcpy(path + folder, name, strlen(name) + 1);
    return path;
}

/* A job with blocks has as many tasks. */
static int count_tasks(replay_plan *plan, input_fault *fault)
{
    for (uint32_t i = 0; i < plan->work.n; i++) {
        workload_job *job = &plan->work.jobs[i];
        if (!job->blocks) continue;
        int64_t blocks = plan->files[job->blocks - 1].blocks;
        if (job->tasks != 1 && job->tasks != blocks) {
            return input_fail(fault, job->line, job->tasks_at,
                              "%lld tasks, and %lld blocks",
                              (long long)job->tasks, (long long)blocks);
        }
        job->tasks = blocks;
    }
    return 1;
}

static int is_only_read(const char *path, const replay_options *o,
                        input_fault *fault)
{
    return (!out_is_same(path, o->json) && !out_is_same(path, o->csv) &&
            !out_is_same(path, o->decisions)) ||
           input_fail(fault, 0, 0, "is an output, too");
}

int data_read(replay_plan *plan, const replay_options *o, input_fault *fault)
{
    const names *files = &plan->work.files;
    char own[sizeof fault->file];

    if (files->n == 0) return 1;
    memcpy(own, fault->file, sizeof own);
    plan->files = calloc(files->n, sizeof *plan->files);
    if (!plan->files) return fault_memory(fault);
    for (uint32_t i = 0; i < files->n; i++) {
        char *path = path_beside(o->workload, files->text[i]);
        if (!path) return fault_memory(fault);
        snprintf(fault->file, sizeof fault->file, "%s", path);
        int ok = is_only_read(path, o, fault) &&
                 read_file(plan, path, &plan->files[i], fault);
        free(path);
        if (!ok) return 0;
    }
    memcpy(fault->file, own, sizeof own);
    return count_tasks(plan, fault);
}

/* ---- Hosts to nodes ---- */

/* The value of a name that is a whole number; -1: any other name. */
static int64_t number_of_name(const char *name)
{
    int64_t n = 0;

    if (!*name || strspn(name, "0123456789") != strlen(name)) return -1;
    return decimal_read(name, strlen(name), 0, DECIMAL_NEAREST, &n) ==
                   DECIMAL_OK
               ? n
               : INT64_MAX;
}

/* By number in `hosts`: the node. */
static int map_hosts(const replay_plan *plan, uint32_t *node,
                     input_fault *fault)
{
    uint32_t numbers = 0;

    for (uint32_t i = 0; i < plan->hosts.n; i++) {
        numbers += number_of_name(plan->hosts.text[i]) >= 0;
    }
    for (uint32_t i = 0; i < plan->hosts.n; i++) {
        int64_t n = numbers ? number_of_name(plan->hosts.text[i]) : i;
        if (n < 0 || n >= plan->n_nodes) {
            return input_fail(fault, 0, 0,
                              "blocks on host %.80s, which is not among %u "
                              "nodes",
                              plan->hosts.text[i], plan->n_nodes);
        }
        node[i] = (uint32_t)n;
    }
    return 1;
}

/* ---- A job's plan ---- */

/* The temporary data of a job's plan, by node. */
typedef struct job_nodes {
    uint32_t *node; /* by number in `hosts` */
    uint32_t *cores;
    uint32_t *limit;
    uint32_t *reads; /* blocks of the job */
} job_nodes;

/* How many tasks of a job a node takes at once. */
static int64_t tasks_on(const replay_plan *plan, uint32_t job, uint32_t spec)
{
    const int64_t *task = plan->amounts + (size_t)job * plan->kinds;
    int64_t most = INT32_MAX;

    if (plan->partition[job] != SKED_ANY_PARTITION &&
        plan->partition[job] != plan->nodes[spec].partition) {
        return 0;
    }
    for (uint32_t k = 0; k < plan->kinds; k++) {
        if (task[k] == 0) continue;
        int64_t fit = plan->nodes[spec].amounts[k] / task[k];
        if (fit < most) most = fit;
    }
    return most;
}

static void size_nodes(const replay_plan *plan, uint32_t job, job_nodes *n)
{
    uint32_t at = 0;

    for (uint32_t s = 0; s < plan->n_specs; s++) {
        int64_t fit = tasks_on(plan, job, s);
        for (uint32_t c = 0; c < plan->nodes[s].count; c++, at++) {
            n->cores[at] = fit ? (uint32_t)fit : 1;
            n->limit[at] = fit ? UINT32_MAX : 0;
            n->reads[at] = 0;
        }
    }
}

/* Counts the blocks that stay local at the cheapest point. */
static sked_status plan_job(const replay_plan *plan, uint32_t job,
                            const uint32_t *replica, job_nodes *n,
                            uint32_t *where, sked_error *err)
{
    const block_file *file = &plan->files[plan->work.jobs[job].blocks - 1];
    sked_locality_input in = {.struct_size = sizeof in,
                              .blocks = file->blocks,
                              .hosts = plan->n_nodes,
                              .replicas = file->width,
                              .replica = replica,
                              .cores = n->cores,
                              .limit = n->limit};
    sked_locality_search_options search = {
        .struct_size = sizeof search,
        .compute = (uint64_t)plan->run[job],
        .transfer = (uint64_t)plan->transfer[job]};
    sked_locality_search_result found = {.struct_size = sizeof found};
    sked_locality_plan_options o = {
        .struct_size = sizeof o, .in_rack = 1, .beyond = 1};
    sked_locality_plan_result result = {.struct_size = sizeof result,
                                        .host = where};
    sked_locality *made = NULL;
    sked_status rc = sked_locality_new(&in, NULL, NULL, &made, err);

    if (rc == SKED_OK) rc = sked_locality_search(made, &search, &found, err);
    o.load = found.point.load;
    if (rc == SKED_OK) {
        rc = sked_locality_plan(made, &in, &o, NULL, &result, err);
    }
    sked_locality_free(made);
    for (uint32_t b = 0; rc == SKED_OK && b < file->blocks; b++) {
        const uint32_t *row = replica + (size_t)b * file->width;
        uint32_t k = 0;
        while (k < file->width && row[k] != where[b]) k++;
        n->reads[where[b]] += k < file->width;
    }
    return rc;
}

/* Appends the job's places. If all blocks of a job move, a place with 0 blocks
 * tells the run that the job has blocks. */
static int list_places(replay_plan *plan, uint32_t job, const job_nodes *n)
{
    size_t want = plan->n_places + plan->n_nodes;

    if (want > plan->place_cap) {
        size_t cap = want * 2;
        uint32_t *place = realloc(plan->place, cap * sizeof *place);
        if (place) plan->place = place;
        uint32_t *tasks = realloc(plan->place_tasks, cap * sizeof *tasks);
        if (tasks) plan->place_tasks = tasks;
        if (!place || !tasks || cap > INT32_MAX) return 0;
        plan->place_cap = cap;
    }
    size_t first = plan->n_places;
    for (uint32_t h = 0; h < plan->n_nodes; h++) {
        int last = h + 1 == plan->n_nodes && plan->n_places == first;
        if (!n->reads[h] && !last) continue;
        plan->place[plan->n_places] = h;
        plan->place_tasks[plan->n_places++] = n->reads[h];
    }
    plan->place_first[job + 1] = (int32_t)plan->n_places;
    return 1;
}

static int place_job(replay_plan *plan, uint32_t job, job_nodes *n,
                     input_fault *fault)
{
    const workload_job *own = &plan->work.jobs[job];
    sked_error err;

    plan->place_first[job + 1] = plan->place_first[job];
    if (!own->blocks) return 1;
    const block_file *file = &plan->files[own->blocks - 1];
    size_t places = (size_t)file->blocks * file->width;
    uint32_t *replica = malloc(places * sizeof *replica + 1);
    uint32_t *where = malloc(file->blocks * sizeof *where);
    int ok = replica && where;
    for (size_t i = 0; ok && i < places; i++) {
        uint32_t h = file->replica[i];
        replica[i] = h == SKED_LOCALITY_NO_HOST ? h : n->node[h];
    }
    if (!ok) {
        (void)fault_memory(fault);
    } else {
        size_nodes(plan, job, n);
        sked_status rc = plan_job(plan, job, replica, n, where, &err);
        /* With too few places, no node holds a task; the run reports this. */
        ok = (rc == SKED_OK || rc == SKED_ERR_RANGE) &&
             list_places(plan, job, n);
        if (!ok)
            (void)input_fail(fault, own->line, own->blocks_at, "%s",
                             rc == SKED_OK ? "does not fit in memory"
                                           : err.message);
    }
    free(replica);
    free(where);
    return ok;
}

int data_place(replay_plan *plan, const replay_options *o, input_fault *fault)
{
    job_nodes n = {0};
    size_t hosts = plan->n_nodes, jobs = (size_t)plan->work.n + 1;

    if (!plan->files) return 1;
    plan->place_first = calloc(jobs, sizeof *plan->place_first);
    plan->transfer = calloc(jobs, sizeof *plan->transfer);
    n.node = calloc((size_t)plan->hosts.n + 1, sizeof *n.node);
    n.cores = calloc(hosts, sizeof *n.cores);
    n.limit = calloc(hosts, sizeof *n.limit);
    n.reads = calloc(hosts, sizeof *n.reads);
    int ok = plan->place_first && plan->transfer && n.node && n.cores &&
             n.limit && n.reads;
    if (!ok) (void)fault_memory(fault);
    ok = ok && map_hosts(plan, n.node, fault);
    for (uint32_t i = 0; ok && i < plan->work.n; i++) {
        plan->transfer[i] = o->transfer;
        ok = place_job(plan, i, &n, fault);
    }
    free(n.node);
    free(n.cores);
    free(n.limit);
    free(n.reads);
    return ok;
}

void data_free(replay_plan *plan)
{
    for (uint32_t i = 0; plan->files && i < plan->work.files.n; i++) {
        free(plan->files[i].replica);
    }
    free(plan->files);
    names_free(&plan->hosts);
    free(plan->place_first);
    free(plan->place);
    free(plan->place_tasks);
    free(plan->transfer);
}
