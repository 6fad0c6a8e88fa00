/*
 * Reads two files: replicas, one in a row, and hosts with their properties. The
 * replicas become a table of blocks. Blocks and hosts are numbered in order of
 * appearance. Hosts from the file of hosts come first.
 */
#include <stdlib.h>
#include <string.h>

#include "../workload/decimal.h"
#include "locality.h"

/* Nine blocks, most of them on the first two hosts alone. */
static const char example[] =
    "block,host\nb1,ant\nb1,bee\nb2,ant\nb2,bee\nb3,ant\nb3,bee\nb4,bee\n"
    "b4,ant\nb5,ant\nb6,bee\nb7,ant\nb7,bee\nb8,bee\nb8,cat\nb9,cat\nb9,dog\n";

enum { HOST_COLUMNS = 6 };

static const char *const host_column[HOST_COLUMNS] = {
    "host", "ticks", "committed", "cores", "quota", "rack"};

static int no_memory(input_fault *fault)
{
    return input_fail(fault, 0, 0, "does not fit in memory");
}

/* Returns the place of a column, -1 without the column, or -2 if the column
 * stands twice (see the fault). */
static int find_column(const text_row *header, const char *word,
                       input_fault *fault)
{
    int at = -1;

    for (size_t i = 0; i < header->n; i++) {
        const text_field *f = &header->fields[i];
        if (!field_is(f, word)) continue;
        if (at >= 0) {
            (void)input_fail(fault, f->line, f->column,
                             "column %s stands twice", word);
            return -2;
        }
        at = (int)i;
    }
    return at;
}

/* Reads the header and the place of each column. The header must have the first
 * `needed` columns. */
static int read_header(row_reader *reader, const char *const *word, int words,
                       int needed, int *at, text_row *header,
                       input_fault *fault)
{
    if (!row_header(reader, header, fault)) return 0;
    for (int i = 0; i < words; i++) {
        at[i] = find_column(header, word[i], fault);
        if (at[i] == -2) return 0;
        if (at[i] < 0 && i < needed) {
            return input_fail(fault, header->line, 0, "no column %s", word[i]);
        }
    }
    return 1;
}

/* ---- Hosts ---- */

/* Makes the columns longer. New hosts get the default values. */
static int grow_hosts(blocks *b, uint32_t old, uint32_t want)
{
    size_t n = want;
    void *ticks = realloc(b->ticks, n * sizeof *b->ticks);
    if (ticks) b->ticks = ticks;
    void *committed = realloc(b->committed, n * sizeof *b->committed);
    if (committed) b->committed = committed;
    void *cores = realloc(b->cores, n * sizeof *b->cores);
    if (cores) b->cores = cores;
    void *limit = realloc(b->limit, n * sizeof *b->limit);
    if (limit) b->limit = limit;
    void *rack = realloc(b->rack, n * sizeof *b->rack);
    if (rack) b->rack = rack;
    if (!ticks || !committed || !cores || !limit || !rack) return 0;
    for (uint32_t h = old; h < want; h++) {
        b->ticks[h] = b->cores[h] = 1;
        b->committed[h] = b->rack[h] = 0;
        b->limit[h] = UINT32_MAX;
    }
    return 1;
}

/* Reads a whole number from `least` to `most`. An empty field leaves `*out` as
 * before. */
static int read_whole(const text_field *f, const char *name, int64_t least,
                      int64_t most, int64_t *out, input_fault *fault)
{
    int64_t n;
    int code = decimal_read(f->text, f->length, 0, DECIMAL_NEAREST, &n);

    if (code == DECIMAL_EMPTY) return 1;
    if (code != DECIMAL_OK) {
        return input_fail(fault, f->line, f->column, "%s %s", name,
                          decimal_fault(code));
    }
    if (memchr(f->text, '.', f->length)) {
        return input_fail(fault, f->line, f->column, "%s is not a whole number",
                          name);
    }
    if (n < least || n > most) {
        return input_fail(fault, f->line, f->column, "%s is not %lld to %lld",
                          name, (long long)least, (long long)most);
    }
    *out = n;
    return 1;
}

/* Reads the row of host `h`. */
static int read_host(blocks *b, uint32_t h, const text_row *row, const int *at,
                     names *racks, input_fault *fault)
{
    int64_t value[HOST_COLUMNS] = {0, 1, 0, 1, UINT32_MAX, 0};

    for (int i = 1; i < HOST_COLUMNS - 1; i++) {
        int64_t most = i < 3 ? SKED_AMOUNT_MAX : UINT32_MAX;
        if (at[i] < 0) continue;
        if (!read_whole(&row->fields[at[i]], host_column[i], i % 2, most,
                        &value[i], fault)) {
            return 0;
        }
    }
    b->ticks[h] = value[1];
    b->committed[h] = value[2];
    b->cores[h] = (uint32_t)value[3];
    b->limit[h] = (uint32_t)value[4];
    if (at[5] < 0) return 1;
    const text_field *f = &row->fields[at[5]];
    uint32_t rack = names_number(racks, f->text, f->length);
    if (rack == NAMES_FULL) return no_memory(fault);
    b->rack[h] = rack;
    b->has_racks = 1;
    return 1;
}

static int read_host_rows(blocks *b, input *text, input_fault *fault)
{
    row_reader reader = row_reader_of(text);
    text_row row;
    names racks = {0};
    int at[HOST_COLUMNS], more = 0;
    uint32_t cap = 0;
    int ok = read_header(&reader, host_column, HOST_COLUMNS, 1, at, &row,
                         fault);
    size_t width = row.n;

    while (ok && (more = row_next_width(&reader, &row, width, fault)) > 0) {
        const text_field *f = &row.fields[at[0]];
        uint32_t known = b->host.n;
        uint32_t h = names_number(&b->host, f->text, f->length);
        if (h == NAMES_FULL) {
            ok = no_memory(fault);
        } else if (f->length == 0 || h < known) {
            ok = input_fail(fault, f->line, f->column,
                            f->length ? "host stands twice" : "host is empty");
        } else if (h >= cap) {
            ok = grow_hosts(b, cap, cap * 2 + 64) || no_memory(fault);
            cap = cap * 2 + 64;
        }
        if (ok) ok = read_host(b, h, &row, at, &racks, fault);
    }
    names_free(&racks);
    return ok && more == 0;
}

static int read_hosts_file(blocks *b, const char *path, input_fault *fault)
{
    input text = {0};
    int ok = input_read(&text, path, fault) && read_host_rows(b, &text, fault);

    input_free(&text);
    return ok;
}

/* ---- Replicas ---- */

typedef struct replica_list {
    uint32_t *block;
    uint32_t *host; /* SKED_LOCALITY_NO_HOST: lost */
    size_t n;
    size_t cap;
} replica_list;

static int add_replica(replica_list *l, uint32_t block, uint32_t host)
{
    if (l->n == l->cap) {
        size_t cap = l->cap ? l->cap * 2 : 1024;
        void *grown = realloc(l->block, cap * sizeof *l->block);
        if (!grown) return 0;
        l->block = grown;
        grown = realloc(l->host, cap * sizeof *l->host);
        if (!grown) return 0;
        l->host = grown;
        l->cap = cap;
    }
    l->block[l->n] = block;
    l->host[l->n++] = host;
    return 1;
}

static int read_replica(blocks *b, replica_list *l, const text_field *block,
                        const text_field *host, input_fault *fault)
{
    uint32_t known = b->host.n, h = SKED_LOCALITY_NO_HOST;

    if (block->length == 0) {
        return input_fail(fault, block->line, block->column, "block is empty");
    }
    uint32_t n = names_number(&b->block, block->text, block->length);
    if (host->length) h = names_number(&b->host, host->text, host->length);
    if (n == NAMES_FULL || (host->length && h == NAMES_FULL)) {
        return no_memory(fault);
    }
    if (host->length && b->ticks && h >= known) {
        return input_fail(fault, host->line, host->column,
                          "host is not in the file of hosts");
    }
    if (n >= SKED_MAX_LOCALITY_BLOCKS || b->host.n > SKED_MAX_LOCALITY_HOSTS) {
        return input_fail(fault, block->line, 0, "too many blocks or hosts");
    }
    return add_replica(l, n, h) || no_memory(fault);
}

static int read_replica_rows(blocks *b, replica_list *l, input *text,
                             input_fault *fault)
{
    static const char *const column[] = {"block", "host"};
    row_reader reader = row_reader_of(text);
    text_row row;
    int at[2], more = 0;
    int ok = read_header(&reader, column, 2, 2, at, &row, fault);
    size_t width = row.n;

    while (ok && (more = row_next_width(&reader, &row, width, fault)) > 0) {
        ok = read_replica(b, l, &row.fields[at[0]], &row.fields[at[1]], fault);
    }
    return ok && more == 0;
}

/* Makes the table: rows are as wide as the block with most replicas, and name
 * each host once. */
static int make_table(blocks *b, const replica_list *l, input_fault *fault)
{
    uint32_t *n = calloc((size_t)b->block.n + 1, sizeof *n);
    int ok = n != NULL;

    for (size_t i = 0; ok && i < l->n; i++) {
        uint32_t have = ++n[l->block[i]];
        if (have > b->width) b->width = have;
    }
    if (ok && b->width > SKED_MAX_LOCALITY_REPLICAS) {
        free(n);
        return input_fail(fault, 0, 0, "a block has more than %d replicas",
                          SKED_MAX_LOCALITY_REPLICAS);
    }
    size_t places = (size_t)b->block.n * b->width;
    b->replica = ok ? malloc(places * sizeof *b->replica + 1) : NULL;
    if (b->replica) {
        memset(b->replica, 255, places * sizeof *b->replica);
        memset(n, 0, ((size_t)b->block.n + 1) * sizeof *n);
    }
    for (size_t i = 0; b->replica && i < l->n; i++) {
        uint32_t *row = b->replica + (size_t)l->block[i] * b->width, k = 0;
        if (l->host[i] == SKED_LOCALITY_NO_HOST) continue;
        while (k < n[l->block[i]] && row[k] != l->host[i]) k++;
        if (k < n[l->block[i]]) continue;
        row[n[l->block[i]]++] = l->host[i];
        b->replicas++;
    }
    free(n);
    return b->replica ? 1 : no_memory(fault);
}

static int count_hosts(blocks *b, const locality_options *o, input_fault *fault)
{
    b->hosts = o->hosts ? o->hosts : b->host.n;
    if (b->hosts < b->host.n) {
        return input_fail(fault, 0, 0, "names %u hosts, more than --hosts",
                          b->host.n);
    }
    if (b->hosts == 0) return input_fail(fault, 0, 0, "names no host");
    if (!b->ticks) return 1;
    return grow_hosts(b, b->host.n, b->hosts) || no_memory(fault);
}

int blocks_read(blocks *b, const locality_options *o, input_fault *fault)
{
    replica_list list = {0};
    input text = {0};

    *b = (blocks){0};
    int ok = !o->hosts_file || read_hosts_file(b, o->hosts_file, fault);
    if (ok) {
        ok = o->file ? input_read(&text, o->file, fault)
                     : input_copy(&text, example, fault);
    }
    ok = ok && read_replica_rows(b, &list, &text, fault) &&
         count_hosts(b, o, fault) && make_table(b, &list, fault);
    free(list.block);
    free(list.host);
    input_free(&text);
    return ok;
}

void blocks_free(blocks *b)
{
    names_free(&b->block);
    names_free(&b->host);
    free(b->replica);
    free(b->ticks);
    free(b->committed);
    free(b->cores);
    free(b->limit);
    free(b->rack);
}
