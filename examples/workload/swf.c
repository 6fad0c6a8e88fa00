/*
 * The Standard Workload Format: 18 numbers a line. Processors become tasks of
 * one core; -1 means "not known".
 */
#include "workload.h"

#include <stdio.h>
#include <string.h>

#include "decimal.h"

enum {
    SWF_JOB = 0,
    SWF_SUBMIT = 1,
    SWF_WAIT = 2,
    SWF_RUN = 3,
    SWF_PROCS = 4,
    SWF_ASKED_PROCS = 7,
    SWF_ASKED_RUN = 8,
    SWF_USER = 11,
    SWF_GROUP = 12,
    SWF_APP = 13,
    SWF_QUEUE = 14,
    SWF_PARTITION = 15,
    SWF_FIELDS = 18
};

typedef struct swf_reader {
    workload *w;
    const workload_options *options;
    input_fault *fault;
    uint32_t data_line;
} swf_reader;

/* Reads a number, or -1 if the value is not known. */
static int read_field(const swf_reader *r, const text_row *line, size_t at,
                      int scale, int64_t *out)
{
    const text_field *f = &line->fields[at];
    int code = decimal_read(f->text, f->length, scale, DECIMAL_NEAREST, out);

    if (code == DECIMAL_OK) return 1;
    if (code == DECIMAL_NEGATIVE) {
        *out = -1;
        return 1;
    }
    return input_fail(r->fault, f->line, f->column, "field %zu %s", at + 1,
                      decimal_fault(code));
}

/* A time, no later or longer than `most`. */
static int read_time(const swf_reader *r, const text_row *line, size_t at,
                     int64_t most, int64_t *out)
{
    const text_field *f = &line->fields[at];

    if (!read_field(r, line, at, 9, out)) return 0;
    return *out <= most ||
           input_fail(r->fault, f->line, f->column,
                      "field %zu is more than 2^%d ns (%d years)", at + 1,
                      most == WORKLOAD_LATEST ? 61 : 60,
                      most == WORKLOAD_LATEST ? 73 : 36);
}

/* The number at the start of a header's value; 0: no number. */
static int64_t count_of(const char *text)
{
    int64_t count = 0;

    text += strspn(text, " \t");
    size_t length = strspn(text, "0123456789");
    (void)!decimal_read(text, length, 0, DECIMAL_NEAREST, &count);
    return count;
}

/* Reads comments such as "; MaxProcs: 128". */
static void read_comment(workload *w, const text_field *f)
{
    char text[128];
    size_t n = f->length < sizeof text ? f->length : sizeof text - 1;
    const char *at;

    memcpy(text, f->text, n);
    text[n] = 0;
    if ((at = strstr(text, "MaxProcs:"))) w->max_procs = count_of(at + 9);
    if ((at = strstr(text, "MaxNodes:"))) w->max_nodes = count_of(at + 9);
}

static int is_known(const text_field *f)
{
    return f->length > 0 && f->text[0] != '-';
}

static int read_numbered_name(const swf_reader *r, const text_row *line,
                              size_t at, names *all, uint32_t *out)
{
    const text_field *f = &line->fields[at];

    *out = is_known(f) ? names_number(all, f->text, f->length)
                       : names_number(all, "default", 7);
    return *out != NAMES_FULL ||
           input_fail(r->fault, 0, 0, "does not fit in memory");
}

static int read_names(const swf_reader *r, const text_row *line,
                      workload_job *job)
{
    size_t queue = SWF_QUEUE;
    char number[16];
    uint32_t known = r->w->ids.n;
    const text_field *id = &line->fields[SWF_JOB];
    const text_field *app = &line->fields[SWF_APP];

    if (!is_known(&line->fields[queue])) queue = SWF_PARTITION;
    if (!is_known(&line->fields[queue])) queue = SWF_USER;
    job->queue_at = (uint32_t)line->fields[queue].column;
    job->group_at = (uint32_t)line->fields[SWF_GROUP].column;
    job->user_at = (uint32_t)line->fields[SWF_USER].column;
    job->tasks_at = (uint32_t)line->fields[SWF_PROCS].column;
    if (!read_numbered_name(r, line, queue, &r->w->queues, &job->queue) ||
        !read_numbered_name(r, line, SWF_GROUP, &r->w->groups, &job->group) ||
        !read_numbered_name(r, line, SWF_USER, &r->w->users, &job->user)) {
        return 0;
    }
    job->partition = names_number(&r->w->partitions, "", 0);
    job->app = names_number(&r->w->apps, app->text,
                            is_known(app) ? app->length : 0);
    job->id = names_number(&r->w->ids, id->text, id->length);
    if (r->w->ids.n == known) {
        snprintf(number, sizeof number, "%u", r->data_line);
        job->id = names_number(&r->w->ids, number, strlen(number));
    }
    return (job->partition != NAMES_FULL && job->id != NAMES_FULL &&
            job->app != NAMES_FULL) ||
           input_fail(r->fault, 0, 0, "does not fit in memory");
}

static int read_numbers(const swf_reader *r, const text_row *line,
                        workload_job *job)
{
    int64_t wait, asked;

    if (!read_time(r, line, SWF_SUBMIT, WORKLOAD_LATEST, &job->submit) ||
        !read_time(r, line, SWF_WAIT, WORKLOAD_LATEST, &wait) ||
        !read_time(r, line, SWF_RUN, WORKLOAD_LONGEST, &job->run) ||
        !read_field(r, line, SWF_PROCS, 0, &job->tasks) ||
        !read_field(r, line, SWF_ASKED_PROCS, 0, &asked) ||
        !read_field(r, line, SWF_ASKED_RUN, 9, &job->slo)) {
        return 0;
    }
    if (job->tasks <= 0) job->tasks = asked;
    job->start = wait >= 0 && job->submit >= 0 ? job->submit + wait : -1;
    job->end = job->start >= 0 && job->run >= 0 ? job->start + job->run : -1;
    job->amount[WORKLOAD_CPU] = 1000;
    return 1;
}

static int read_line(swf_reader *r, const text_row *line)
{
    workload_job *job = workload_add(r->w);
    int reason = SKIPPED_REASONS;

    if (!job) return input_fail(r->fault, 0, 0, "does not fit in memory");
    job->row = ++r->data_line;
    job->line = (uint32_t)line->line;
    if (line->n < SWF_FIELDS) {
        return input_fail(r->fault, line->line, 0, "%zu fields, not %d",
                          line->n, SWF_FIELDS);
    }
    if (!read_numbers(r, line, job) || !read_names(r, line, job)) return 0;
    if (job->tasks <= 0) reason = SKIPPED_NO_TASKS;
    if (job->run <= 0) reason = SKIPPED_ZERO_RUN_TIME;
    if (job->submit < 0) reason = SKIPPED_NO_SUBMIT;
    if (job->run < 0) reason = SKIPPED_NO_RUN_TIME;
    if (reason != SKIPPED_REASONS) {
        r->w->skipped[reason]++;
        r->w->n--;
    }
    return 1;
}

int workload_parse_swf(workload *w, input *in, const workload_options *options,
                       input_fault *fault)
{
    swf_reader r = {.w = w, .options = options, .fault = fault};
    row_reader reader = row_reader_of(in);
    text_row line;
    int more;

    while ((more = row_next_swf(&reader, &line, fault)) > 0) {
        if (line.fields[0].text[0] == ';') {
            read_comment(w, &line.fields[0]);
        } else if (!read_line(&r, &line)) {
            return 0;
        }
    }
    return more == 0;
}
