/*
 * The decision log. A log has millions of rows: numbers are written by hand,
 * and repeated texts (paths, amounts) are formatted once.
 */
#include <string.h>

#include "replay.h"

static void print_number(FILE *file, uint64_t number)
{
    char digits[20];
    size_t at = sizeof digits;

    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    fwrite(digits + at, 1, sizeof digits - at, file);
}

/* "id", or "id#2" for copies: the sign needs no quotes. */
void log_job(FILE *file, const char *id, uint32_t copy)
{
    int quoted = strpbrk(id, ",\"\n\r") != NULL;

    if (quoted) fputc('"', file);
    for (; *id; id++) {
        if (*id == '"') fputc('"', file);
        fputc(*id, file);
    }
    if (copy) {
        fputc('#', file);
        print_number(file, (uint64_t)copy + 1);
    }
    if (quoted) fputc('"', file);
}

static const char *kind_name(int32_t kind)
{
    switch (kind) {
    case SKED_DECISION_ADMIT: return "admit";
    case SKED_DECISION_REJECT: return "reject";
    case SKED_DECISION_ALLOCATE: return "allocate";
    case SKED_DECISION_RESERVE: return "reserve";
    case SKED_DECISION_NOTIFY: return "notify";
    case SKED_DECISION_KILL: return "kill";
    case SKED_DECISION_WITHDRAW: return "withdraw";
    case SKED_DECISION_EXPIRE: return "expire";
    case SKED_DECISION_REQUEUE: return "requeue";
    case SKED_DECISION_LOST: return "lost";
    }
    return "finish";
}

void log_header(FILE *file)
{
    fputs("seq,time_ns,kind,job,task,count,queue,node,amount,reason\n", file);
}

/* The amount of a task of the job; often the same job as in the row before. */
static const char *amount_of(decision_log *log, uint32_t job)
{
    const replay_plan *plan = log->plan;
    const int64_t *amounts = plan->amounts + (size_t)job * plan->kinds;
    size_t n;

    if (log->known == job + 1) return log->amount;
    log->known = job + 1;
    if (sked_vec_format(plan->schema, amounts, SKED_FORM_LOG, log->amount,
                        sizeof log->amount, &n) != SKED_OK) {
        log->amount[0] = 0;
    }
    return log->amount;
}

/* A reservation is for the tasks of a job, but for no particular task. */
static int names_tasks(const sked_decision *d)
{
    int room = d->kind == SKED_DECISION_RESERVE ||
               (d->kind == SKED_DECISION_WITHDRAW && !d->group);

    return d->node != 0 && !room;
}

static void print_record(decision_log *log, const sked_sim_record *record)
{
    const replay_plan *plan = log->plan;
    const sked_decision *d = &record->decision;
    FILE *file = log->file;
    int placed = d->node != 0; /* 0: about the whole job */

    print_number(file, d->sequence);
    fputc(',', file);
    print_number(file, (uint64_t)d->time);
    fputc(',', file);
    fputs(kind_name(d->kind), file);
    fputc(',', file);
    log_job(file, plan->work.ids.text[plan->work.jobs[record->job].id],
            record->copy);
    fputc(',', file);
    if (names_tasks(d)) print_number(file, (uint64_t)d->task);
    fputc(',', file);
    if (placed) print_number(file, (uint64_t)d->count);
    fputc(',', file);
    print_field(file, plan->row_path[plan->row[record->job]]);
    fputc(',', file);
    if (placed) print_number(file, d->node - 1);
    fputc(',', file);
    fputs(amount_of(log, record->job), file);
    fputc(',', file);
    fputs(sked_reason_name(d->reason), file);
    fputc('\n', file);
}

sked_status log_watch(void *user, const sked_sim_record *record, size_t n)
{
    decision_log *log = user;

    for (size_t i = 0; i < n; i++) print_record(log, &record[i]);
    return ferror(log->file) ? SKED_STOPPED : SKED_OK;
}
