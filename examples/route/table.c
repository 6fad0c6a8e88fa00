/* The policies side by side. */
#include "route.h"

const char *const route_policy_name[ROUTE_POLICIES] = {
    "absolute", "relative", "queue-absolute", "locality-aware"};

static double minutes(int64_t ns)
{
    return (double)ns / 60e9;
}

void route_table(FILE *file, const route_plan *plan,
                 const route_result *results)
{
    uint32_t best = 0;

    fprintf(file, "%u jobs over %u clusters; delays in minutes\n\n", plan->n,
            plan->n_clusters);
    fprintf(file, "%-15s %8s %8s %8s %8s %8s %7s  %s\n", "policy", "mean",
            "p50", "p95", "p99", "max", "away", "jobs by cluster");
    for (uint32_t p = 0; p < ROUTE_POLICIES; p++) {
        const route_result *r = &results[p];
        fprintf(file, "%-15s %8.2f %8.2f %8.2f %8.2f %8.2f %6.1f%%  ",
                route_policy_name[p], minutes(r->all.mean), minutes(r->all.p50),
                minutes(r->all.p95), minutes(r->all.p99), minutes(r->all.max),
                100.0 * r->remote / plan->n);
        for (uint32_t c = 0; c < plan->n_clusters; c++) {
            fprintf(file, "%s%u", c ? " + " : "", r->jobs[c]);
        }
        if (r->nowhere) fprintf(file, ", %u fit nowhere", r->nowhere);
        fputc('\n', file);
        if (p < SKED_ROUTE_POLICY_LOCALITY &&
            r->all.mean < results[best].all.mean) {
            best = p;
        }
    }
    fprintf(file, "\nlowest mean delay of the first three: %s\n",
            route_policy_name[best]);
}

void route_csv(FILE *file, const route_plan *plan, const route_result *results)
{
    fputs("policy,jobs,mean_s,p50_s,p95_s,p99_s,max_s,away,nowhere,end_s,"
          "digest",
          file);
    for (uint32_t c = 0; c < plan->n_clusters; c++) {
        fprintf(file, ",jobs_%u", c + 1);
    }
    fputc('\n', file);
    for (uint32_t p = 0; p < ROUTE_POLICIES; p++) {
        const route_result *r = &results[p];
        fprintf(file, "%s,%lld,%.3f,%.3f,%.3f,%.3f,%.3f,%u,%u,%.3f,%016llx",
                route_policy_name[p], (long long)r->all.n,
                (double)r->all.mean / 1e9, (double)r->all.p50 / 1e9,
                (double)r->all.p95 / 1e9, (double)r->all.p99 / 1e9,
                (double)r->all.max / 1e9, r->remote, r->nowhere,
                (double)r->end / 1e9, (unsigned long long)r->digest);
        for (uint32_t c = 0; c < plan->n_clusters; c++) {
            fprintf(file, ",%u", r->jobs[c]);
        }
        fputc('\n', file);
    }
}
