/*
 * The common CSV: columns by name, in any order. The run time of a job is the
 * first of these that its row has: run_s, end_s - start_s, ";run=S" after the
 * job_id, the default. The name of a job is the job_id up to the first ';', or
 * the line number if the job_id is empty or repeated.
 */
#include "workload.h"

#include <stdio.h>
#include <string.h>

#include "decimal.h"

enum column {
    SUBMIT_S,
    START_S,
    END_S,
    USER,
    GROUP,
    QUEUE,
    TASKS,
    CPU,
    MEM_BYTES,
    GPU,
    JOB_ID,
    PARTITION,
    PRIORITY,
    RUN_S,
    TIER,
    SLO_S,
    WORKFLOW,
    BLOCKS,
    NEEDS,
    COLUMNS
};

static const char *const column_name[COLUMNS] = {
    "submit_s", "start_s",   "end_s",    "user",      "group",
    "queue",    "tasks",     "cpu",      "mem_bytes", "gpu",
    "job_id",   "partition", "priority", "run_s",     "tier",
    "slo_s",    "workflow",  "blocks",   "needs"};

typedef struct csv_reader {
    workload *w;
    const workload_options *options;
    input_fault *fault;
    int place[COLUMNS]; /* in a row, or -1 */
    size_t width;       /* fields of the header */
    uint32_t data_line;
} csv_reader;

static const text_field no_field = {"", 0, 0, 0};

static const text_field *get(const csv_reader *r, const text_row *line,
                             enum column c)
{
    return r->place[c] < 0 ? &no_field : &line->fields[r->place[c]];
}

static int same_text(const text_field *f, const char *text)
{
    return strlen(text) == f->length && !memcmp(f->text, text, f->length);
}

static int find_column(const text_field *f)
{
    int c = 0;

    while (c < COLUMNS && !same_text(f, column_name[c])) c++;
    return c;
}

static int read_header(csv_reader *r, const text_row *line)
{
    for (int c = 0; c < COLUMNS; c++) r->place[c] = -1;
    r->width = line->n;
    for (size_t i = 0; i < line->n; i++) {
        const text_field *f = &line->fields[i];
        int c = find_column(f);
        if (c == COLUMNS) {
            if (names_number(&r->w->ignored, f->text, f->length) ==
                NAMES_FULL) {
                return input_fail(r->fault, 0, 0, "does not fit in memory");
            }
        } else if (r->place[c] >= 0) {
            return input_fail(r->fault, f->line, f->column,
                              "column %s stands twice", column_name[c]);
        } else {
            r->place[c] = (int)i;
        }
    }
    if (r->place[SUBMIT_S] < 0 && r->place[START_S] < 0) {
        return input_fail(r->fault, line->line, 0,
                          "no column submit_s or start_s");
    }
    return 1;
}

/* A number of a column; `missing` when the field is empty. */
static int read_number(const csv_reader *r, const text_row *line, enum column c,
                       int scale, int64_t missing, int64_t *out)
{
    const text_field *f = get(r, line, c);
    int rounding = c == CPU || c == GPU || c == MEM_BYTES ? DECIMAL_UP
                                                          : DECIMAL_NEAREST;
    int code = decimal_read(f->text, f->length, scale, rounding, out);

    if (code == DECIMAL_EMPTY) *out = missing;
    if (code == DECIMAL_OK || code == DECIMAL_EMPTY) return 1;
    return input_fail(r->fault, f->line, f->column, "%s %s", column_name[c],
                      decimal_fault(code));
}

/* A whole number, perhaps negative, for priorities and tiers. */
static int read_whole(const csv_reader *r, const text_row *line, enum column c,
                      int64_t low, int64_t high, int64_t *out)
{
    const text_field *f = get(r, line, c);
    int negative = f->length > 0 && f->text[0] == '-';
    int64_t value = 0;
    int code = decimal_read(f->text + negative, f->length - (size_t)negative, 3,
                            DECIMAL_UP, &value);

    *out = 0;
    if (code == DECIMAL_EMPTY && !negative) return 1;
    if (code == DECIMAL_OK && value % 1000 == 0) {
        *out = negative ? -(value / 1000) : value / 1000;
        if (*out >= low && *out <= high) return 1;
    }
    return input_fail(r->fault, f->line, f->column,
                      "%s is not a whole number from %lld to %lld",
                      column_name[c], (long long)low, (long long)high);
}

static int read_name(const csv_reader *r, const text_row *line, enum column c,
                     names *all, uint32_t *out)
{
    const text_field *f = get(r, line, c);
    const char *text = f->length ? f->text : "default";
    size_t length = f->length ? f->length : strlen(text);

    if ((c == PARTITION || c == WORKFLOW) && !f->length) length = 0;
    *out = names_number(all, text, length);
    return *out != NAMES_FULL ||
           input_fail(r->fault, 0, 0, "does not fit in memory");
}

/* The value of ";run=" after a job_id, if any. */
static int run_behind_id(const text_field *f, text_field *run)
{
    const char *at = f->text, *end = f->text + f->length;

    while ((at = memchr(at, ';', (size_t)(end - at)))) {
        at++;
        if (end - at < 4 || memcmp(at, "run=", 4) != 0) continue;
        at += 4;
        const char *stop = memchr(at, ';', (size_t)(end - at));
        *run = *f;
        run->column += (uint64_t)(at - f->text);
        run->text = at;
        run->length = (size_t)((stop ? stop : end) - at);
        return 1;
    }
    return 0;
}

/* Seconds between the recorded start and end; -1 without both. */
static int span_of(const csv_reader *r, const text_row *line, workload_job *job)
{
    job->run = -1;
    if (job->start < 0 || job->end < 0) return 1;
    if (job->end < job->start) {
        const text_field *f = get(r, line, END_S);
        return input_fail(r->fault, f->line, f->column,
                          "end_s is before start_s");
    }
    job->run = job->end - job->start;
    return 1;
}

/* The field says how long a job runs. */
static int is_not_long(const csv_reader *r, const text_field *f,
                       const workload_job *job)
{
    return job->run <= WORKLOAD_LONGEST ||
           input_fail(r->fault, f->line, f->column,
                      "a run of more than 2^60 ns (36 years)");
}

static int read_run(const csv_reader *r, const text_row *line,
                    workload_job *job)
{
    int64_t said;
    text_field behind;

    if (!span_of(r, line, job)) return 0;
    if (!read_number(r, line, RUN_S, 9, -1, &said)) return 0;
    if (said >= 0) job->run = said;
    if (job->run >= 0) {
        return is_not_long(r, get(r, line, said >= 0 ? RUN_S : END_S), job);
    }
    if (run_behind_id(get(r, line, JOB_ID), &behind)) {
        int code = decimal_read(behind.text, behind.length, 9, DECIMAL_NEAREST,
                                &job->run);
        if (code == DECIMAL_OK) return is_not_long(r, &behind, job);
        return input_fail(r->fault, behind.line, behind.column,
                          "run= behind the job_id %s", decimal_fault(code));
    }
    if (r->options->default_run) job->run = r->options->default_run;
    return 1;
}

static int read_times(const csv_reader *r, const text_row *line,
                      workload_job *job)
{
    if (!read_number(r, line, SUBMIT_S, 9, -1, &job->submit) ||
        !read_number(r, line, START_S, 9, -1, &job->start) ||
        !read_number(r, line, END_S, 9, -1, &job->end) ||
        !read_number(r, line, SLO_S, 9, -1, &job->slo)) {
        return 0;
    }
    const text_field *f = get(r, line, job->submit < 0 ? START_S : SUBMIT_S);
    if (job->submit < 0) job->submit = job->start;
    if (job->submit > WORKLOAD_LATEST) {
        return input_fail(r->fault, f->line, f->column,
                          "a submission after 2^61 ns (73 years)");
    }
    return read_run(r, line, job);
}

static int read_amounts(const csv_reader *r, const text_row *line,
                        workload_job *job)
{
    const int64_t *fallback = r->options->default_task;
    int64_t *to = job->amount;

    if (!read_number(r, line, CPU, 3, -1, &to[WORKLOAD_CPU]) ||
        !read_number(r, line, MEM_BYTES, 0, -1, &to[WORKLOAD_MEMORY]) ||
        !read_number(r, line, GPU, 3, -1, &to[WORKLOAD_GPU])) {
        return 0;
    }
    int said = 0, has_default = 0;
    for (int k = 0; k < WORKLOAD_KINDS; k++) {
        said |= to[k] >= 0;
        has_default |= fallback[k] > 0;
        if (to[k] < 0) to[k] = 0;
    }
    if (said) return 1;
    for (int k = 0; k < WORKLOAD_KINDS; k++) to[k] = fallback[k];
    if (!has_default) to[WORKLOAD_CPU] = 1000;
    return 1;
}

/* The name of a job: its id up to ';', or the line number. */
static int read_id(const csv_reader *r, const text_row *line, workload_job *job)
{
    const text_field *f = get(r, line, JOB_ID);
    const char *stop = f->length ? memchr(f->text, ';', f->length) : NULL;
    size_t length = stop ? (size_t)(stop - f->text) : f->length;
    uint32_t known = r->w->ids.n;
    char number[16];

    if (length) {
        job->id = names_number(&r->w->ids, f->text, length);
        if (r->w->ids.n > known) return 1;
    }
    snprintf(number, sizeof number, "%u", r->data_line);
    job->id = names_number(&r->w->ids, number, strlen(number));
    return job->id != NAMES_FULL ||
           input_fail(r->fault, 0, 0, "does not fit in memory");
}

/* Reads an optional text: its number, plus 1; 0: empty. */
static int read_optional(const csv_reader *r, const text_row *line,
                         enum column c, names *all, uint32_t *out)
{
    const text_field *f = get(r, line, c);
    uint32_t number = 0;

    if (!f->length) return 1;
    number = names_number(all, f->text, f->length);
    *out = number + 1;
    return number != NAMES_FULL ||
           input_fail(r->fault, 0, 0, "does not fit in memory");
}

static int read_words(const csv_reader *r, const text_row *line,
                      workload_job *job)
{
    int64_t priority, tier;

    if (!read_name(r, line, QUEUE, &r->w->queues, &job->queue) ||
        !read_name(r, line, GROUP, &r->w->groups, &job->group) ||
        !read_name(r, line, USER, &r->w->users, &job->user) ||
        !read_name(r, line, PARTITION, &r->w->partitions, &job->partition) ||
        !read_name(r, line, WORKFLOW, &r->w->apps, &job->app) ||
        !read_optional(r, line, BLOCKS, &r->w->files, &job->blocks) ||
        !read_optional(r, line, NEEDS, &r->w->rules, &job->needs) ||
        !read_whole(r, line, PRIORITY, INT32_MIN, INT32_MAX, &priority) ||
        !read_whole(r, line, TIER, 0, 255, &tier)) {
        return 0;
    }
    job->priority = (int32_t)priority;
    job->tier = (uint32_t)tier;
    return 1;
}

/* Why a well-formed job is left out, or SKIPPED_REASONS. */
static int skip_reason(const workload_job *job)
{
    if (job->tasks == 0) return SKIPPED_NO_TASKS;
    if (job->submit < 0) return SKIPPED_NO_SUBMIT;
    if (job->run < 0) return SKIPPED_NO_RUN_TIME;
    if (job->run == 0) return SKIPPED_ZERO_RUN_TIME;
    return SKIPPED_REASONS;
}

/* Notes the columns of the job's fields in the file, for messages. */
static void note_places(const csv_reader *r, const text_row *line,
                        workload_job *job)
{
    job->row = r->data_line;
    job->line = (uint32_t)line->line;
    job->queue_at = (uint32_t)get(r, line, QUEUE)->column;
    job->group_at = (uint32_t)get(r, line, GROUP)->column;
    job->user_at = (uint32_t)get(r, line, USER)->column;
    job->tasks_at = (uint32_t)get(r, line, TASKS)->column;
    job->blocks_at = (uint32_t)get(r, line, BLOCKS)->column;
    job->needs_at = (uint32_t)get(r, line, NEEDS)->column;
}

static int read_tasks(const csv_reader *r, const text_row *line,
                      workload_job *job)
{
    const text_field *f = get(r, line, TASKS);

    if (!read_number(r, line, TASKS, 3, 1000, &job->tasks)) return 0;
    if (job->tasks % 1000) {
        return input_fail(r->fault, f->line, f->column,
                          "tasks is not a whole number");
    }
    job->tasks /= 1000;
    return 1;
}

static int read_job(csv_reader *r, const text_row *line)
{
    workload_job *job = workload_add(r->w);

    if (!job) return input_fail(r->fault, 0, 0, "does not fit in memory");
    r->data_line++;
    if (line->n != r->width) {
        return input_fail(r->fault, line->line, 0,
                          "%zu fields where the header has %zu", line->n,
                          r->width);
    }
    note_places(r, line, job);
    if (!read_times(r, line, job) || !read_amounts(r, line, job) ||
        !read_tasks(r, line, job) || !read_words(r, line, job) ||
        !read_id(r, line, job)) {
        return 0;
    }
    int reason = skip_reason(job);
    if (reason != SKIPPED_REASONS) {
        r->w->skipped[reason]++;
        r->w->n--;
    }
    return 1;
}

int workload_parse_csv(workload *w, input *in, const workload_options *options,
                       input_fault *fault)
{
    csv_reader r = {.w = w, .options = options, .fault = fault};
    row_reader reader = row_reader_of(in);
    text_row line;
    int more = row_next_csv(&reader, &line, fault);

    if (more == 0) return input_fail(fault, 1, 0, "no header line");
    if (more < 0 || !read_header(&r, &line)) return 0;
    while ((more = row_next_csv(&reader, &line, fault)) > 0) {
        if (!read_job(&r, &line)) return 0;
    }
    return more == 0;
}
