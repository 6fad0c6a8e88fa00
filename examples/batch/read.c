/* Tasks from CSV, columns by name in any order. */
#include <stdlib.h>
#include <string.h>

#include "../workload/decimal.h"
#include "batch.h"

enum { TASK, BYTES, BLOCKS, LABEL, MULTIPLIER, COLUMNS };

static const char *const column_name[COLUMNS] = {"task", "bytes", "blocks",
                                                 "label", "multiplier"};

typedef struct task_reader {
    tasks *in;
    input_fault *fault;
    int place[COLUMNS]; /* in a row, or -1 */
    size_t width;
} task_reader;

static int no_memory(input_fault *fault)
{
    return input_fail(fault, 0, 0, "does not fit in memory");
}

static int read_header(task_reader *r, const text_row *header)
{
    if (!row_columns(header, column_name, COLUMNS, BYTES + 1, r->place,
                     r->fault)) {
        return 0;
    }
    r->width = header->n;
    r->in->has_blocks = r->place[BLOCKS] >= 0;
    r->in->has_label = r->place[LABEL] >= 0;
    return 1;
}

/* ---- Rows ---- */

static int grow_column(void **column, size_t n, size_t size)
{
    void *more = realloc(*column, n * size);

    if (more) *column = more;
    return more != NULL;
}

static int has_place(tasks *in)
{
    if (in->n < in->cap) return 1;
    uint32_t cap = in->cap ? 2 * in->cap : 64;
    if (!grow_column((void **)&in->bytes, cap, sizeof *in->bytes) ||
        !grow_column((void **)&in->blocks, cap, sizeof *in->blocks) ||
        !grow_column((void **)&in->label, cap, sizeof *in->label) ||
        !grow_column((void **)&in->multiplier, cap, sizeof *in->multiplier)) {
        return 0;
    }
    in->cap = cap;
    return 1;
}

/* A number of `scale` places from `low` to `high`; `missing` without one. */
static int read_number(const task_reader *r, const text_row *row, int c,
                       int scale, const int64_t bounds[2], int64_t *out)
{
    if (r->place[c] < 0) return 1;
    const text_field *f = &row->fields[r->place[c]];
    int code = decimal_read(f->text, f->length, scale, DECIMAL_UP, out);
    if (code != DECIMAL_OK) {
        return input_fail(r->fault, f->line, f->column, "%s %s", column_name[c],
                          decimal_fault(code));
    }
    if (*out >= bounds[0] && *out <= bounds[1]) return 1;
    return input_fail(r->fault, f->line, f->column, "%s is out of range",
                      column_name[c]);
}

static int read_name(task_reader *r, const text_row *row)
{
    const text_field *f = &row->fields[r->place[TASK]];

    if (names_number(&r->in->name, f->text, f->length) == NAMES_FULL) {
        return no_memory(r->fault);
    }
    if (r->in->name.n > r->in->n) return 1;
    return input_fail(r->fault, f->line, f->column, "this task stands twice");
}

static int read_task(task_reader *r, const text_row *row)
{
    static const int64_t sizes[2] = {0, SKED_AMOUNT_MAX};
    static const int64_t blocks_in[2] = {1, SKED_MAX_BATCH_BLOCKS};
    static const int64_t labels[2] = {0, SKED_MAX_BATCH_LABELS - 1};
    static const int64_t factors[2] = {1, 1000000000};
    int64_t bytes = 0, blocks = 1, label = 0, multiplier = SKED_PPM;
    tasks *in = r->in;

    if (in->n == SKED_MAX_BATCH_TASKS) {
        return input_fail(r->fault, row->line, 0, "more than %d tasks",
                          SKED_MAX_BATCH_TASKS);
    }
    if (!has_place(in)) return no_memory(r->fault);
    if (!read_name(r, row) || !read_number(r, row, BYTES, 0, sizes, &bytes) ||
        !read_number(r, row, BLOCKS, 0, blocks_in, &blocks) ||
        !read_number(r, row, LABEL, 0, labels, &label) ||
        !read_number(r, row, MULTIPLIER, 6, factors, &multiplier)) {
        return 0;
    }
    in->bytes[in->n] = (uint64_t)bytes;
    in->blocks[in->n] = (uint64_t)blocks;
    in->label[in->n] = (uint8_t)label;
    in->multiplier[in->n++] = multiplier;
    return 1;
}

/* ---- Whole ---- */

static int parse_tasks(tasks *in, input *text, input_fault *fault)
{
    task_reader r = {.in = in, .fault = fault};
    row_reader reader = row_reader_of(text);
    text_row row;
    int more;

    if (!row_header(&reader, &row, fault) || !read_header(&r, &row)) return 0;
    while ((more = row_next_width(&reader, &row, r.width, fault)) > 0) {
        if (!read_task(&r, &row)) return 0;
    }
    if (more == 0 && in->n == 0) return input_fail(fault, 0, 0, "no tasks");
    return more == 0;
}

int tasks_read(tasks *in, const batch_options *o, input_fault *fault)
{
    input text = {0};

    *in = (tasks){.n = 0};
    int ok = o->file ? input_read(&text, o->file, fault)
                     : input_copy(&text, bundled_tasks, fault);
    if (!ok) return 0;
    ok = parse_tasks(in, &text, fault);
    input_free(&text);
    return ok;
}

void tasks_free(tasks *in)
{
    names_free(&in->name);
    free(in->bytes);
    free(in->blocks);
    free(in->label);
    free(in->multiplier);
}
