/* Answers as a table and as JSON. Ratios have six places. */
#include "batch.h"

static const char *rule_name(const batch_options *o)
{
    static const char *const rule[] = {"drain", "drain", "threshold", "knee"};

    return rule[o->plan.tail];
}

static double ratio_of(sked_ratio r)
{
    return (double)r.num / (double)r.den;
}

/* Ticks as seconds, exactly. */
static void print_ticks(FILE *file, int64_t ticks)
{
    char digits[16];
    int n = 6;

    fprintf(file, "%lld", (long long)(ticks / TICKS));
    if (ticks % TICKS == 0) return;
    snprintf(digits, sizeof digits, "%06lld", (long long)(ticks % TICKS));
    while (digits[n - 1] == '0') n--;
    fprintf(file, ".%.*s", n, digits);
}

static double seconds(int64_t ticks)
{
    return (double)ticks / TICKS;
}

/* ---- Tables ---- */

static void print_plans(FILE *file, const answers *a)
{
    fputs("method          time  x bound     main     tail  pure %  tail %"
          "  overhead  capacity\n",
          file);
    for (uint32_t i = 0; i < a->n; i++) {
        const sked_batch_result *r = &a->all[i].result;
        const sked_batch_metrics *m = &r->metrics;
        fprintf(file, "%-11s %8.1f %8.3f %8.1f %8.1f %7.1f %7.1f %9.2f %9.0f\n",
                method_name(a->all[i].method), seconds(m->makespan),
                (double)m->makespan / (double)r->bound, seconds(m->t_hat),
                seconds(m->tail), 100 * ratio_of(m->pure_cpu),
                100 * ratio_of(m->tail_cpu), ratio_of(m->tail_overhead),
                seconds(m->capacity));
    }
}

static void print_cells(FILE *file, const answers *a)
{
    fputs("sigma  tau     time     main     tail  pure %  tail %\n", file);
    for (int i = 0; i < SIGMAS * TAUS; i++) {
        const sked_batch_cell *c = &a->cells[i];
        fprintf(file, "%5lld %4lld %8.1f %8.1f %8.1f %7.1f %7.1f\n",
                (long long)(c->sigma_ppm / SKED_PPM),
                (long long)(c->tau_ppm / SKED_PPM),
                seconds(c->metrics.makespan), seconds(c->metrics.t_hat),
                seconds(c->metrics.tail), 100 * ratio_of(c->metrics.pure_cpu),
                100 * ratio_of(c->metrics.tail_cpu));
    }
}

void table_print(FILE *file, const answers *a, const batch_options *o)
{
    fprintf(file, "%u tasks on %u cores of %u nodes; t-hat by %s", a->in.n,
            o->cores, o->nodes, rule_name(o));
    if (!o->sweep) {
        fprintf(file, "; nothing ends before %.1f s",
                seconds(a->all[0].result.bound));
    }
    fputs("\n\n", file);
    if (o->sweep) {
        print_cells(file, a);
    } else {
        print_plans(file, a);
    }
}

/* ---- JSON ---- */

static void json_ticks(FILE *file, const char *key, int64_t ticks)
{
    fprintf(file, ",\"%s\":", key);
    print_ticks(file, ticks);
}

static void json_metrics(FILE *file, const sked_batch_metrics *m)
{
    json_ticks(file, "t_hat_s", m->t_hat);
    json_ticks(file, "main_s", m->t_hat);
    json_ticks(file, "tail_s", m->tail);
    fprintf(file, ",\"pure_cpu\":%.6f,\"tail_cpu\":%.6f,\"tail_overhead\":%.6f",
            ratio_of(m->pure_cpu), ratio_of(m->tail_cpu),
            ratio_of(m->tail_overhead));
    json_ticks(file, "efficiency_capacity", m->capacity);
}

static void json_plan(FILE *file, const answers *a, const answer *plan,
                      const batch_options *o)
{
    const sked_batch_result *r = &plan->result;

    fprintf(file, "{\"method\":\"%s\"", method_name(plan->method));
    json_ticks(file, "makespan_s", r->metrics.makespan);
    json_ticks(file, "lower_bound_s", r->bound);
    fprintf(file, ",\"ratio\":%.6f,\"t_hat_rule\":\"%s\"",
            (double)r->metrics.makespan / (double)r->bound, rule_name(o));
    json_metrics(file, &r->metrics);
    json_ticks(file, "believed_s", r->believed);
    fputs(",\"tasks\":[", file);
    for (uint32_t j = 0; j < a->in.n; j++) {
        const sked_batch_span *s = &plan->spans[j];
        fputs(j ? ",\n{\"task\":" : "\n{\"task\":", file);
        print_string(file, a->in.name.text[j]);
        json_ticks(file, "start_s", s->start);
        json_ticks(file, "end_s", s->end);
        fprintf(file, ",\"cores\":%u}", s->slots);
    }
    fputs("]}", file);
}

static void json_cell(FILE *file, const sked_batch_cell *c)
{
    fprintf(file, "{\"sigma\":%lld,\"tau\":%lld",
            (long long)(c->sigma_ppm / SKED_PPM),
            (long long)(c->tau_ppm / SKED_PPM));
    json_ticks(file, "makespan_s", c->metrics.makespan);
    json_metrics(file, &c->metrics);
    fputc('}', file);
}

void json_print(FILE *file, const answers *a, const batch_options *o)
{
    if (o->method && !o->sweep) {
        json_plan(file, a, &a->all[0], o);
        fputc('\n', file);
        return;
    }
    fputs("[", file);
    for (uint32_t i = 0; i < a->n; i++) {
        if (i) fputs(",\n", file);
        json_plan(file, a, &a->all[i], o);
    }
    for (int i = 0; o->sweep && i < SIGMAS * TAUS; i++) {
        if (i) fputs(",\n", file);
        json_cell(file, &a->cells[i]);
    }
    fputs("]\n", file);
}
