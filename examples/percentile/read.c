/*
 * The two forms of input: jobs with start and end, told by their columns, and
 * time units. Both become intervals; a key's units follow each other from 0 on.
 */
#include <stdlib.h>
#include <string.h>

#include "../workload/decimal.h"
#include "percentile.h"

enum { START, END, TASKS, CPU, MEMORY, GPU, KEY, LENGTH, AMOUNT, COLUMNS };

static const char *const column_name[COLUMNS] = {
    "start_s", "end_s", "tasks",    "cpu",   "mem_bytes",
    "gpu",     "key",   "length_s", "amount"};

enum { MOST_KEYS = 16 /* columns that make a key */, KEY_BYTES = 4096 };

typedef struct usage_reader {
    usage *in;
    input_fault *fault;
    int place[COLUMNS]; /* in a row, or -1 */
    int by[MOST_KEYS];  /* columns of the key */
    size_t n_by;
    size_t width;
    int64_t *clock; /* of each key, for units */
    uint32_t clocks;
} usage_reader;

static int no_memory(input_fault *fault)
{
    return input_fail(fault, 0, 0, "does not fit in memory");
}

/* ---- Columns ---- */

static int is_text(const text_field *f, const char *text, size_t length)
{
    return f->length == length && !memcmp(f->text, text, length);
}

static int column_at(const text_row *header, const char *text, size_t length)
{
    for (size_t i = 0; i < header->n; i++) {
        if (is_text(&header->fields[i], text, length)) return (int)i;
    }
    return -1;
}

static int find_columns(usage_reader *r, const text_row *header)
{
    for (int c = 0; c < COLUMNS; c++) {
        size_t length = strlen(column_name[c]);
        r->place[c] = column_at(header, column_name[c], length);
        for (size_t i = (size_t)(r->place[c] + 1); i < header->n; i++) {
            const text_field *f = &header->fields[i];
            if (r->place[c] < 0 || !is_text(f, column_name[c], length)) {
                continue;
            }
            return input_fail(r->fault, f->line, f->column,
                              "column %s stands twice", column_name[c]);
        }
    }
    return 1;
}

static int find_key(usage_reader *r, const text_row *header, const char *by)
{
    for (;;) {
        size_t length = strcspn(by, "|");
        int at = column_at(header, by, length);
        if (at < 0) {
            return input_fail(r->fault, header->line, 0, "no column %.*s",
                              (int)length, by);
        }
        if (r->n_by == MOST_KEYS) {
            return input_fail(r->fault, header->line, 0,
                              "more than %d columns in --by", MOST_KEYS);
        }
        r->by[r->n_by++] = at;
        if (!by[length]) return 1;
        by += length + 1;
    }
}

static int read_header(usage_reader *r, const text_row *header,
                       const percentile_options *o)
{
    if (!find_columns(r, header)) return 0;
    r->width = header->n;
    r->in->is_units = r->place[LENGTH] >= 0 && r->place[AMOUNT] >= 0;
    if (r->in->is_units) {
        if (o->instance) {
            return input_fail(r->fault, 0, 0,
                              "time units do not go with --instance");
        }
        return find_key(r, header, o->by ? o->by : "key");
    }
    for (int c = START; c <= END; c++) {
        if (r->place[c] >= 0) continue;
        return input_fail(r->fault, header->line, 0, "no column %s",
                          column_name[c]);
    }
    return find_key(r, header, o->by ? o->by : "queue");
}

/* ---- Rows ---- */

static int grow(usage *in)
{
    uint32_t cap = in->cap ? in->cap * 2 : 1024;
    void *key = realloc(in->key, cap * sizeof *in->key);
    if (key) in->key = key;
    void *line = realloc(in->line, cap * sizeof *in->line);
    if (line) in->line = line;
    void *start = realloc(in->start, cap * sizeof *in->start);
    if (start) in->start = start;
    void *end = realloc(in->end, cap * sizeof *in->end);
    if (end) in->end = end;
    void *amount = realloc(in->amount, KINDS * cap * sizeof *in->amount);
    if (amount) in->amount = amount;
    if (!key || !line || !start || !end || !amount) return 0;
    in->cap = cap;
    return 1;
}

/* The key of a row: its columns joined by '|'. */
static int key_of(usage_reader *r, const text_row *row, uint32_t *key)
{
    char text[KEY_BYTES];
    size_t n = 0;

    for (size_t i = 0; i < r->n_by; i++) {
        const text_field *f = &row->fields[r->by[i]];
        if (n + f->length + 1 > sizeof text) {
            return input_fail(r->fault, f->line, f->column, "key is too long");
        }
        if (i > 0) text[n++] = '|';
        memcpy(text + n, f->text, f->length);
        n += f->length;
    }
    *key = names_number(&r->in->keys, text, n);
    if (*key == NAMES_FULL) return no_memory(r->fault);
    if (*key < SKED_MAX_QUEUES) return 1;
    return input_fail(r->fault, row->line, 0, "more than %d keys",
                      SKED_MAX_QUEUES);
}

/* A number of a column. 1: read; -1: there is none; 0: see the fault. */
static int number_of(const usage_reader *r, const text_row *row, int column,
                     int scale, int64_t *out)
{
    int rounding = column == CPU || column == GPU || column == MEMORY ||
                           column == AMOUNT
                       ? DECIMAL_UP
                       : DECIMAL_NEAREST;

    if (r->place[column] < 0) return -1;
    const text_field *f = &row->fields[r->place[column]];
    int code = decimal_read(f->text, f->length, scale, rounding, out);
    if (code == DECIMAL_OK) return 1;
    if (code == DECIMAL_EMPTY) return -1;
    return input_fail(r->fault, f->line, f->column, "%s %s",
                      column_name[column], decimal_fault(code));
}

static int tasks_of(const usage_reader *r, const text_row *row, int64_t *tasks)
{
    int got = number_of(r, row, TASKS, 3, tasks);

    if (got < 0) *tasks = 1000;
    if (got == 0) return 0;
    if (*tasks % 1000) {
        const text_field *f = &row->fields[r->place[TASKS]];
        return input_fail(r->fault, f->line, f->column,
                          "tasks is not a whole number");
    }
    *tasks /= 1000;
    return 1;
}

/* The amounts of all tasks of a row; a row without amounts has a core a
 * task. */
static int amounts_of(const usage_reader *r, const text_row *row,
                      int64_t *amount)
{
    static const int scale[KINDS] = {3, 0, 3};
    int64_t tasks;
    int said = 0;

    if (!tasks_of(r, row, &tasks)) return 0;
    for (int k = 0; k < KINDS; k++) {
        int got = number_of(r, row, CPU + k, scale[k], &amount[k]);
        if (got == 0) return 0;
        said |= got > 0;
        if (got < 0) amount[k] = 0;
    }
    if (!said) amount[KIND_CPU] = 1000;
    for (int k = 0; k < KINDS; k++) {
        if (tasks && amount[k] > SKED_AMOUNT_MAX / tasks) {
            return input_fail(r->fault, row->line, 0,
                              "the tasks want more than 2^62 units of %s",
                              column_name[CPU + k]);
        }
        amount[k] *= tasks;
    }
    return 1;
}

static int read_interval(usage_reader *r, const text_row *row)
{
    usage *in = r->in;
    uint32_t i = in->n;
    int starts = number_of(r, row, START, 9, &in->start[i]);
    int ends = number_of(r, row, END, 9, &in->end[i]);

    if (!starts || !ends) return 0;
    if (starts < 0 || ends < 0) {
        in->left_out++;
        return 1;
    }
    if (in->end[i] < in->start[i]) {
        const text_field *f = &row->fields[r->place[END]];
        return input_fail(r->fault, f->line, f->column,
                          "end_s is before start_s");
    }
    if (!amounts_of(r, row, in->amount + (size_t)i * KINDS)) return 0;
    in->n++;
    return key_of(r, row, &in->key[i]);
}

/* Room for the clock of a key. */
static int clock_for(usage_reader *r, uint32_t key)
{
    uint32_t clocks = r->clocks;

    if (key < clocks) return 1;
    while (clocks <= key) clocks = clocks ? clocks * 2 : 64;
    int64_t *grown = realloc(r->clock, clocks * sizeof *grown);
    if (!grown) return no_memory(r->fault);
    memset(grown + r->clocks, 0, (clocks - r->clocks) * sizeof *grown);
    r->clock = grown;
    r->clocks = clocks;
    return 1;
}

static int read_unit(usage_reader *r, const text_row *row)
{
    usage *in = r->in;
    uint32_t i = in->n;
    int64_t length = 0, *amount = in->amount + (size_t)i * KINDS;
    int lasts = number_of(r, row, LENGTH, 9, &length);
    int holds = number_of(r, row, AMOUNT, 3, &amount[0]);

    if (!lasts || !holds) return 0;
    if (lasts < 0 || holds < 0) {
        in->left_out++;
        return 1;
    }
    amount[1] = amount[2] = 0;
    if (!key_of(r, row, &in->key[i]) || !clock_for(r, in->key[i])) return 0;
    int64_t *clock = &r->clock[in->key[i]];
    if (length >= SKED_AMOUNT_MAX - *clock) {
        return input_fail(r->fault, row->line, 0,
                          "the lengths are larger than 2^62 ns");
    }
    in->start[i] = *clock;
    in->end[i] = *clock += length;
    in->n++;
    return 1;
}

static int read_row(usage_reader *r, const text_row *row)
{
    if (row->n != r->width) {
        return input_fail(r->fault, row->line, 0,
                          "%zu fields where the header has %zu", row->n,
                          r->width);
    }
    if (r->in->n == r->in->cap && !grow(r->in)) return no_memory(r->fault);
    r->in->line[r->in->n] = (uint32_t)row->line;
    return r->in->is_units ? read_unit(r, row) : read_interval(r, row);
}

static int read_rows(usage_reader *r, input *text, const percentile_options *o)
{
    row_reader reader = row_reader_of(text);
    text_row row;
    int more = row_next_csv(&reader, &row, r->fault);

    if (more == 0) return input_fail(r->fault, 1, 0, "no header line");
    if (more < 0 || !read_header(r, &row, o)) return 0;
    while ((more = row_next_csv(&reader, &row, r->fault)) > 0) {
        if (!read_row(r, &row)) return 0;
    }
    return more == 0;
}

int usage_read(usage *in, const percentile_options *o, input_fault *fault)
{
    usage_reader r = {.in = in, .fault = fault};
    input text = {0};

    *in = (usage){0};
    int ok = o->file ? input_read(&text, o->file, fault)
                     : input_copy(&text, bundled_units, fault);
    ok = ok && read_rows(&r, &text, o);
    free(r.clock);
    input_free(&text);
    if (!ok) usage_free(in);
    return ok;
}

void usage_free(usage *in)
{
    names_free(&in->keys);
    free(in->key);
    free(in->line);
    free(in->start);
    free(in->end);
    free(in->amount);
    *in = (usage){0};
}

/* ---- Tiers ---- */

static int read_tier(const text_row *row, int at_key, int at_tier,
                     const usage *in, uint32_t *tier, input_fault *fault)
{
    const text_field *key = &row->fields[at_key], *f = &row->fields[at_tier];
    uint32_t number = names_find(&in->keys, key->text, key->length);

    if (f->length != 1 || *f->text < '1' || *f->text > '0' + MOST_TIERS) {
        return input_fail(fault, f->line, f->column,
                          "tier is not a number from 1 to %d", MOST_TIERS);
    }
    if (number != NAMES_FULL) tier[number] = (uint32_t)(*f->text - '0');
    return 1;
}

static int tiers_parse(const usage *in, input *text, uint32_t *tier,
                       input_fault *fault)
{
    row_reader reader = row_reader_of(text);
    text_row row;
    int more = row_next_csv(&reader, &row, fault);

    if (more == 0) return input_fail(fault, 1, 0, "no header line");
    if (more < 0) return 0;
    int key = column_at(&row, "key", 3), at = column_at(&row, "tier", 4);
    size_t width = row.n;
    if (key < 0 || at < 0) {
        return input_fail(fault, row.line, 0, "no column %s",
                          key < 0 ? "key" : "tier");
    }
    while ((more = row_next_csv(&reader, &row, fault)) > 0) {
        if (row.n != width) {
            return input_fail(fault, row.line, 0,
                              "%zu fields where the header has %zu", row.n,
                              width);
        }
        if (!read_tier(&row, key, at, in, tier, fault)) return 0;
    }
    return more == 0;
}

int tiers_read(const usage *in, const char *path, uint32_t *tier,
               input_fault *fault)
{
    input text = {0};
    int ok = input_read(&text, path, fault) &&
             tiers_parse(in, &text, tier, fault);

    input_free(&text);
    return ok;
}
