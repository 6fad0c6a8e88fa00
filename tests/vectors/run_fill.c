/* Shares of one family and of a tree, on plain arrays. */
#define _POSIX_C_SOURCE 200809L
#include <sched/fair_tree.h>
#include <sched/fill.h>
#include <sched/share.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"

static uint32_t *narrow(const int64_t *wide, size_t n)
{
    uint32_t *out = vec_room(n, sizeof *out);

    for (size_t i = 0; i < n; i++) out[i] = (uint32_t)wide[i];
    return out;
}

static int refused(vec_case *c, sked_status rc, const sked_error *err)
{
    snprintf(c->why, sizeof c->why, "%s: %s", sked_status_name(rc),
             err->message);
    return CASE_FAILED;
}

static int same_level(vec_case *c, sked_ratio got)
{
    size_t n;
    const int64_t *want = vec_numbers(c, "level", &n);

    if (!n) return 1;
    /* The level is in no lowest terms: compare products, in long double wide
     * enough for the small numbers of these cases. */
    return (long double)got.num * (long double)want[1] ==
           (long double)want[0] * (long double)got.den;
}

static int judge_fill(vec_case *c, const sked_fill_result *got, size_t n)
{
    int64_t leftover = vec_number(c, "leftover", got->leftover);
    int64_t outcome = vec_number(c, "outcome", got->outcome);

    if (got->leftover != leftover || got->outcome != outcome) {
        snprintf(c->why, sizeof c->why, "leftover %lld, outcome %d",
                 (long long)got->leftover, (int)got->outcome);
        return CASE_FAILED;
    }
    if (!same_level(c, got->level)) {
        snprintf(c->why, sizeof c->why, "level %lld/%lld",
                 (long long)got->level.num, (long long)got->level.den);
        return CASE_FAILED;
    }
    return vec_judge(c, "share", got->share, n);
}

static int run_one_fill(vec_case *c)
{
    size_t n, n_demand;
    const int64_t *weight = vec_numbers(c, "weight", &n);
    uint32_t *narrow_weight = narrow(weight, n);
    sked_fill_input in = {
        .struct_size = sizeof in,
        .total = vec_number(c, "total", 0),
        .n = n,
        .guarantee = vec_numbers(c, "guarantee", &n),
        .limit = vec_numbers(c, "limit", &n),
        .demand = vec_numbers(c, "demand", &n_demand),
        .weight = narrow_weight,
    };
    sked_fill_options opts = {
        .struct_size = sizeof opts,
        .flags = (uint32_t)vec_number(c, "flags", 0),
        .form = (int32_t)vec_number(c, "form", 0),
        .rounding = (int32_t)vec_number(c, "rounding", 0),
    };
    sked_fill_result got = {.struct_size = sizeof got,
                            .share = vec_room(n, sizeof(int64_t))};
    sked_error err;
    sked_status rc = sked_fill(&in, &opts, NULL, &got, &err);
    int said = rc == SKED_OK ? judge_fill(c, &got, n) : refused(c, rc, &err);

    free(got.share);
    free(narrow_weight);
    return said;
}

static int32_t *parents_of(vec_case *c, size_t *n)
{
    const int64_t *wide = vec_numbers(c, "parent", n);
    int32_t *out = vec_room(*n, sizeof *out);

    for (size_t i = 0; i < *n; i++) out[i] = (int32_t)wide[i];
    return out;
}

static int run_share(vec_case *c)
{
    size_t n, m;
    int32_t *parent = parents_of(c, &n);
    uint32_t *weight = narrow(vec_numbers(c, "weight", &m), n);
    uint32_t kinds = (uint32_t)vec_number(c, "kinds", 1);
    sked_share_input in = {
        .struct_size = sizeof in,
        .kinds = kinds,
        .n = (uint32_t)n,
        .parent = parent,
        .weight = weight,
        .guarantee = vec_numbers(c, "guarantee", &m),
        .limit = vec_numbers(c, "limit", &m),
        .lend = vec_numbers(c, "lend", &m),
        .running = vec_numbers(c, "running", &m),
        .demand = vec_numbers(c, "demand", &m),
        .usage = vec_numbers(c, "usage", &m),
        .capacity = vec_numbers(c, "capacity", &m),
    };
    sked_share_options opts = {
        .struct_size = sizeof opts,
        .flags = (uint32_t)vec_number(c, "flags", 0),
        .model = (int32_t)vec_number(c, "model", 0),
        .rounding = (int32_t)vec_number(c, "rounding", 0),
    };
    int64_t *share = vec_room(n * kinds, sizeof *share);
    sked_error err;
    sked_status rc = sked_share_once(&in, &opts, NULL, share, &err);
    int said = rc == SKED_OK ? vec_judge(c, "share", share, n * kinds)
                             : refused(c, rc, &err);

    free(share);
    free(weight);
    free(parent);
    return said;
}

/* Weights that remember, then shares by them. */
static int run_time_weight(vec_case *c)
{
    size_t n;
    const int64_t *usage = vec_numbers(c, "usage", &n);
    uint32_t *weight = narrow(vec_numbers(c, "weight", &n), n);
    int64_t *wide = vec_room(n, sizeof *wide),
            *share = vec_room(n, sizeof *share);
    sked_fill_input in = {.struct_size = sizeof in,
                          .total = vec_number(c, "total", 0),
                          .n = n,
                          .amount_weight = wide};
    sked_fill_options opts = {.struct_size = sizeof opts,
                              .rounding = SKED_APPORTION_LARGEST};
    sked_fill_result got = {.struct_size = sizeof got, .share = share};
    sked_error err = {.code = SKED_OK};
    sked_status rc = sked_fill_time_weights(weight, usage, n,
                                            vec_number(c, "whole", 1),
                                            vec_number(c, "k", 0), wide, NULL);
    if (rc == SKED_OK) rc = sked_fill(&in, &opts, NULL, &got, &err);
    int said = rc == SKED_OK ? vec_judge(c, "share", share, n)
                             : refused(c, rc, &err);

    free(share);
    free(wide);
    free(weight);
    return said;
}

static int run_fair_tree(vec_case *c)
{
    size_t n, m;
    const int64_t *up = vec_numbers(c, "parent", &n);
    const int64_t *usage = vec_numbers(c, "usage", &m);
    uint32_t *parent = narrow(up, n);
    uint32_t *shares = narrow(vec_numbers(c, "shares", &m), n);
    uint32_t *ranks = vec_room(n, sizeof *ranks);
    int64_t *wide = vec_room(n, sizeof *wide);
    sked_error err;
    sked_status rc = sked_fair_tree_ranks(parent, shares, usage, n, NULL, ranks,
                                          &err);

    for (size_t i = 0; i < n; i++) wide[i] = ranks[i];
    int said = rc == SKED_OK ? vec_judge(c, "rank", wide, n)
                             : refused(c, rc, &err);
    free(wide);
    free(ranks);
    free(shares);
    free(parent);
    return said;
}

static int run_decay(vec_case *c)
{
    int64_t amount = vec_number(c, "usage", 0);
    sked_status rc = sked_vec_decay(&amount, 1, vec_number(c, "dt", 0),
                                    vec_number(c, "half_life", 0), NULL);

    if (rc != SKED_OK) return vec_fail(c, sked_status_name(rc));
    return vec_judge(c, "left", &amount, 1);
}

const vec_runner vec_run_fill[] = {
    {"fill", run_one_fill},
    {"share", run_share},
    {"time_weight", run_time_weight},
    {"fair_tree", run_fair_tree},
    {"decay", run_decay},
    {NULL, NULL},
};
