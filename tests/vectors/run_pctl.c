/* Percentile allocation, on arrays and from a history. */
#define _POSIX_C_SOURCE 200809L
#include <sched/history.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"

static int refused(vec_case *c, sked_status rc, const sked_error *err)
{
    snprintf(c->why, sizeof c->why, "%s: %s", sked_status_name(rc),
             err->message);
    return CASE_FAILED;
}

/* The case's units as a history; 0: refused. */
static sked_status by_history(const int64_t *length, const int64_t *amount,
                              size_t n, sked_ratio p, sked_pctl_point *got,
                              sked_error *err)
{
    sked_history *history;
    sked_history_input rows = {.struct_size = sizeof rows,
                               .form = SKED_HISTORY_FORM_UNITS,
                               .n = n,
                               .length = length,
                               .amount = amount};
    sked_status rc = sked_history_new(NULL, NULL, NULL, &history, err);

    if (rc != SKED_OK) return rc;
    rc = sked_history_add(history, &rows, NULL, err);
    if (rc == SKED_OK) {
        rc = sked_history_pctl(history, NULL, 1, &p, 1, got, NULL, err);
    }
    sked_history_free(history);
    return rc;
}

/* A threshold of 0 is answered by the smallest amount that occurs, which is
 * what every threshold gives that is above 0 and small enough. */
static int run_percentile(vec_case *c)
{
    size_t n;
    const int64_t *length = vec_numbers(c, "length", &n);
    const int64_t *amount = vec_numbers(c, "amount", &n);
    sked_ratio p = {vec_number(c, "num", 0), vec_number(c, "den", 1)};
    sked_pctl_point got[2];
    sked_error err;

    if (p.num == 0) p = (sked_ratio){1, INT64_MAX};
    sked_pctl_input in = {.struct_size = sizeof in,
                          .n = n,
                          .length = length,
                          .amount = amount,
                          .threshold = &p,
                          .queues = 1,
                          .thresholds = 1};
    sked_status rc = sked_pctl(&in, NULL, &got[0], NULL, &err);
    if (rc != SKED_OK) return refused(c, rc, &err);
    rc = by_history(length, amount, n, p, &got[1], &err);
    if (rc != SKED_OK) return refused(c, rc, &err);
    if (got[0].amount != got[1].amount) {
        return vec_fail(c, "arrays and history differ");
    }
    return vec_judge(c, "value", &got[0].amount, 1);
}

const vec_runner vec_run_pctl[] = {{"percentile", run_percentile}, {0}};
