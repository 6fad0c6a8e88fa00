#include "ref_plan.h"

#include <stdio.h>
#include <string.h>

static int counts(const sked_plan_jobs *jobs, uint32_t job)
{
    if (jobs->from == 0 && jobs->to == 0) return 1;
    sked_time start = jobs->start[job], end = jobs->end[job];
    if (start == end) return start >= jobs->from && start < jobs->to;
    return start < jobs->to && end > jobs->from;
}

static void append(char *path, const sked_plan_jobs *jobs, uint32_t job,
                   int32_t level)
{
    size_t n = strlen(path);
    uint32_t tier = jobs->tier ? jobs->tier[job] : (uint32_t)jobs->tiers;

    if (level == SKED_PLAN_LEVEL_TIER) {
        snprintf(path + n, REF_PLAN_PATH - n, ".%s",
                 jobs->setting[tier - 1].name);
        return;
    }
    const int32_t *at = jobs->offset[level] + job;
    snprintf(path + n, REF_PLAN_PATH - n, ".%.*s", (int)(at[1] - at[0]),
             jobs->text[level] + at[0]);
}

static uint32_t find_or_add(ref_plan *r, const char *path, int leaf,
                            uint32_t job)
{
    uint32_t i = 0;

    while (i < r->n && strcmp(r->path[i], path)) i++;
    if (i < r->n) return i;
    snprintf(r->path[i], REF_PLAN_PATH, "%s", path);
    r->leaf[i] = SKED_PLAN_NO_LEAF;
    r->tier[i] = 255;
    if (leaf) {
        r->first[r->leaves] = job;
        r->leaf[i] = r->leaves++;
    }
    r->n++;
    return i;
}

static uint32_t add_job(ref_plan *r, const sked_plan_jobs *jobs, uint32_t job)
{
    char path[REF_PLAN_PATH] = "root";
    uint32_t tier = jobs->tier ? jobs->tier[job] : (uint32_t)jobs->tiers;
    uint32_t at = 0;

    for (uint32_t l = 0; l < jobs->levels; l++) {
        append(path, jobs, job, jobs->level[l]);
        at = find_or_add(r, path, l + 1 == jobs->levels, job);
        r->jobs[at]++;
        if (tier < r->tier[at]) r->tier[at] = tier;
    }
    return r->leaf[at];
}

static int is_below(const char *path, const char *above)
{
    size_t n = strlen(above);

    return strncmp(path, above, n) == 0 && path[n] == '.';
}

void ref_plan_make(ref_plan *r, const sked_plan_jobs *jobs,
                   const int64_t *allocation, uint32_t *leaf_of)
{
    memset(r, 0, sizeof *r);
    for (uint32_t i = 0; i < jobs->n; i++) {
        leaf_of[i] = counts(jobs, i) ? add_job(r, jobs, i) : SKED_PLAN_NO_LEAF;
    }
    for (uint32_t i = 0; allocation && i < r->n; i++) {
        if (r->leaf[i] == SKED_PLAN_NO_LEAF) continue;
        int64_t has = allocation[r->leaf[i]];
        r->weight[i] = has > 0 ? has : 1;
        for (uint32_t j = 0; j < r->n; j++) {
            if (is_below(r->path[i], r->path[j])) r->weight[j] += r->weight[i];
        }
    }
}
