/* Preemption: targets, the order of candidates, rounds. */
#include <sched/rank.h>
#include <sched/round.h>
#include <sched/target.h>

#include <stdlib.h>
#include <string.h>

#include "case.h"

/* Numbers of a field in another width; NULL: no such field. */
static void *in_width(vec_case *c, const char *name, size_t size)
{
    size_t n;
    const int64_t *from = vec_numbers(c, name, &n);
    char *to = from ? vec_room(n, size) : NULL;

    for (size_t i = 0; from && i < n; i++) {
        uint8_t byte = (uint8_t)from[i];
        int32_t narrow = (int32_t)from[i];
        memcpy(to + i * size, size == 1 ? (void *)&byte : (void *)&narrow,
               size);
    }
    return to;
}

/* ---- Targets ---- */

/* What a call hands over and gets back. */
typedef struct targets {
    sked_share_input queues;
    sked_target_once_input in;
    sked_target_options options;
    sked_target_result to;
    int32_t *parent;
    uint32_t *weight;
    uint8_t *from;
    size_t cells;
} targets;

static sked_target_result result_of(size_t n, size_t kinds)
{
    return (sked_target_result){
        .struct_size = sizeof(sked_target_result),
        .share = vec_room(n * kinds, sizeof(int64_t)),
        .excess = vec_room(n * kinds, sizeof(int64_t)),
        .take = vec_room(n * kinds, sizeof(int64_t)),
        .first = vec_room(n * kinds, sizeof(int64_t)),
        .reasons = vec_room(n, sizeof(uint32_t)),
    };
}

static sked_target_options options_of(vec_case *c)
{
    return (sked_target_options){
        .struct_size = sizeof(sked_target_options),
        /* The systems that these answers are of look at each kind by itself. */
        .flags = (uint32_t)vec_number(c, "flags", 0) | SKED_TARGET_FLAG_BY_KIND,
        .mode = (int32_t)vec_number(c, "dialect", 0),
        .cycles = (uint32_t)vec_number(c, "cycles", 0),
        .ignored_ppm = vec_number(c, "ignored", 0),
        .factor_ppm = vec_number(c, "factor", 0),
        .per_round_ppm = vec_number(c, "per_round", 0),
        .utilisation_ppm = vec_number(c, "utilisation", 0),
    };
}

static void targets_of(vec_case *c, targets *t)
{
    size_t n, m, kinds = (size_t)vec_number(c, "kinds", 1);

    (void)vec_numbers(c, "parent", &n);
    t->parent = in_width(c, "parent", sizeof *t->parent);
    t->weight = in_width(c, "weight", sizeof *t->weight);
    t->from = in_width(c, "from", 1);
    t->queues = (sked_share_input){
        .struct_size = sizeof t->queues,
        .kinds = (uint32_t)kinds,
        .n = (uint32_t)n,
        .parent = t->parent,
        .weight = t->weight,
        .guarantee = vec_numbers(c, "guarantee", &m),
        .limit = vec_numbers(c, "limit", &m),
        .demand = vec_numbers(c, "demand", &m),
        .usage = vec_numbers(c, "usage", &m),
        .capacity = vec_numbers(c, "capacity", &m),
    };
    t->in = (sked_target_once_input){
        .struct_size = sizeof t->in,
        .queues = &t->queues,
        .preempt_from = t->from,
        .min_timeout_ns = vec_numbers(c, "min_timeout", &m),
        .fair_timeout_ns = vec_numbers(c, "fair_timeout", &m),
        .fair_threshold_ppm = vec_numbers(c, "threshold", &m),
    };
    t->options = options_of(c);
    t->to = result_of(n, kinds);
    t->cells = n * kinds;
}

static void targets_free(targets *t)
{
    free(t->parent);
    free(t->weight);
    free(t->from);
    free(t->to.share);
    free(t->to.excess);
    free(t->to.take);
    free(t->to.first);
    free(t->to.reasons);
}

/* Which column a call judges. */
static int64_t *judged(const vec_case *c, const targets *t)
{
    if (strcmp(c->call, "target_share") == 0) return t->to.share;
    if (strcmp(c->call, "target_excess") == 0) return t->to.excess;
    return strcmp(c->call, "target_take") == 0 ? t->to.take : t->to.first;
}

static int run_column(vec_case *c)
{
    targets t;
    sked_error err;

    targets_of(c, &t);
    sked_status rc = sked_target_once(&t.in, &t.options, NULL, &t.to, &err);
    int said = rc == SKED_OK ? vec_judge(c, "want", judged(c, &t), t.cells)
                             : vec_fail(c, err.message);
    targets_free(&t);
    return said;
}

/* Who may claim now, by row; or how many. */
static int run_claims(vec_case *c)
{
    targets t;
    sked_error err;
    int64_t sum = 0;

    targets_of(c, &t);
    sked_status rc = sked_target_once(&t.in, &t.options, NULL, &t.to, &err);
    for (size_t i = 0; i < t.queues.n; i++) {
        int claims = (t.to.reasons[i] & SKED_TARGET_REASON_CLAIMS) != 0;
        t.to.share[i] = claims;
        sum += claims;
    }
    int each = strcmp(c->call, "target_claims") == 0;
    int said = rc != SKED_OK ? vec_fail(c, err.message)
               : each        ? vec_judge(c, "want", t.to.share, t.queues.n)
                             : vec_judge(c, "want", &sum, 1);
    targets_free(&t);
    return said;
}

/* A queue round by round: is it due at the end, and for how many rounds in a
 * row is it over? */
static int run_over_rounds(vec_case *c)
{
    enum { MOST = 32 };
    size_t n, m, kinds = (size_t)vec_number(c, "kinds", 1);
    const int64_t *alloc = vec_numbers(c, "alloc", &n);
    const int64_t *ent = vec_numbers(c, "ent", &m);
    const int32_t parent[] = {-1, 0};
    int64_t usage[2 * MOST] = {0}, limit[2 * MOST], capacity[MOST];
    uint32_t rounds[2] = {0}, reasons[2] = {0};
    sked_status rc = SKED_OK;
    sked_share_input queues = {.struct_size = sizeof queues,
                               .kinds = (uint32_t)kinds,
                               .n = 2,
                               .parent = parent,
                               .limit = limit,
                               .usage = usage,
                               .capacity = capacity};
    sked_target_once_input in = {
        .struct_size = sizeof in, .queues = &queues, .rounds = rounds};
    sked_target_options options = {
        .struct_size = sizeof options,
        .flags = SKED_TARGET_FLAG_BY_KIND,
        .mode = SKED_TARGET_MODE_ENTITLEMENT,
        .cycles = (uint32_t)vec_number(c, "cycles", 0)};
    sked_target_result to = {
        .struct_size = sizeof to, .rounds = rounds, .reasons = reasons};

    for (size_t at = 0; at + kinds <= n && rc == SKED_OK; at += kinds) {
        for (size_t k = 0; k < kinds; k++) {
            usage[kinds + k] = alloc[at + k];
            limit[k] = capacity[k] = SKED_AMOUNT_MAX;
            limit[kinds + k] = ent[at + k];
        }
        rc = sked_target_once(&in, &options, NULL, &to, NULL);
    }
    int64_t got[] = {(reasons[1] & SKED_TARGET_REASON_GIVES) != 0, rounds[1]};
    return rc == SKED_OK ? vec_judge(c, "want", got, 2)
                         : vec_fail(c, sked_status_name(rc));
}

/* ---- Order ---- */

static int run_rank(vec_case *c)
{
    size_t n_keys, m, n = (size_t)vec_number(c, "n", 0);
    uint32_t top = (uint32_t)vec_number(c, "top", 0);
    int32_t *keys = in_width(c, "keys", sizeof *keys);
    int32_t *priority = in_width(c, "priority", sizeof *priority);
    uint8_t *state = in_width(c, "state", 1);
    uint32_t *found = vec_room(n, sizeof *found);
    int64_t *wide = vec_room(n, sizeof *wide);
    sked_error err;

    (void)vec_numbers(c, "keys", &n_keys);
    sked_rank_input in = {.struct_size = sizeof in,
                          .n = (uint32_t)n,
                          .n_keys = (uint32_t)n_keys,
                          .keys = keys,
                          .state = state,
                          .priority = priority,
                          .started = vec_numbers(c, "started", &m)};
    sked_status rc = sked_rank_order(&in, top, NULL, found, &err);
    for (size_t i = 0; i < top; i++) wide[i] = found[i];
    int said = rc == SKED_OK ? vec_judge(c, "want", wide, top)
                             : vec_fail(c, err.message);
    free(keys);
    free(priority);
    free(state);
    free(found);
    free(wide);
    return said;
}

/* ---- Rounds ---- */

/* How many tasks are told of, or stopped where there is no grace, although all
 * are wanted several times. */
static int run_told(vec_case *c)
{
    size_t n = (size_t)vec_number(c, "n", 0), m;
    const int64_t *names = vec_numbers(c, "keys", &m);
    uint64_t *keys = vec_room(n, sizeof *keys);
    sked_round_options options = {.struct_size = sizeof options,
                                  .grace_ns = vec_number(c, "grace", 0)};
    sked_round_input in = {
        .struct_size = sizeof in, .n = (uint32_t)n, .key = keys};
    sked_round_stats counts = {.struct_size = sizeof counts};
    sked_round *round = NULL;
    sked_status rc = sked_round_new(&options, NULL, &round, NULL);

    for (size_t i = 0; i < n; i++) keys[i] = (uint64_t)names[i];
    for (int64_t i = 0; i < vec_number(c, "times", 1) && rc == SKED_OK; i++) {
        rc = sked_round_update(round, &in, i, NULL);
    }
    if (rc == SKED_OK) rc = sked_round_get_stats(round, &counts);
    sked_round_free(round);
    free(keys);
    int64_t got = (int64_t)(counts.notified + counts.killed);
    return rc == SKED_OK ? vec_judge(c, "want", &got, 1)
                         : vec_fail(c, sked_status_name(rc));
}

/* A contract: its tasks, told of once; how many least tasks their sum holds;
 * how many of them are exactly these. */
static sked_status contract_of(vec_case *c, sked_round *round, int64_t *got)
{
    size_t n = (size_t)vec_number(c, "rows", 0), m, strict, told = 0;
    const int64_t *least = vec_numbers(c, "least", &m);
    size_t kinds = m;
    uint64_t *keys = vec_room(n, sizeof *keys);
    sked_round_mark *marks = vec_room(n, sizeof *marks);
    sked_round_action *actions = vec_room(2 * n, sizeof *actions);
    int64_t *sum = vec_room(kinds, sizeof *sum);
    sked_round_input in = {.struct_size = sizeof in,
                           .n = (uint32_t)n,
                           .key = keys,
                           .amount = vec_numbers(c, "amount", &m)};
    sked_status rc = SKED_OK;

    for (size_t i = 0; i < n; i++) keys[i] = i + 1;
    for (sked_time now = 0; now < 2 && rc == SKED_OK; now++) {
        rc = sked_round_update(round, &in, now, NULL);
    }
    if (rc == SKED_OK) rc = sked_round_take(round, actions, 2 * n, &told, NULL);
    if (rc == SKED_OK) {
        rc = sked_round_contract(round, 0, SKED_ROUND_CONTRACT_STRICT, NULL,
                                 marks, n, &strict);
    }
    if (rc == SKED_OK) {
        rc = sked_round_contract(round, 0, SKED_ROUND_CONTRACT_NEGOTIABLE, sum,
                                 marks, n, &m);
    }
    got[0] = told == m ? (int64_t)m : -1;
    for (size_t k = 0; k < kinds && rc == SKED_OK; k++) {
        int64_t count = (sum[k] + least[k] - 1) / least[k];
        got[1] = count > got[1] ? count : got[1];
    }
    if (rc == SKED_OK) got[2] = (int64_t)strict;
    free(keys);
    free(marks);
    free(actions);
    free(sum);
    return rc;
}

static int run_contract(vec_case *c)
{
    sked_round_options options = {.struct_size = sizeof options,
                                  .kinds = (uint32_t)vec_number(c, "kinds", 1)};
    sked_round *round = NULL;
    int64_t got[3] = {0};
    sked_status rc = sked_round_new(&options, NULL, &round, NULL);

    if (rc == SKED_OK) rc = contract_of(c, round, got);
    sked_round_free(round);
    return rc == SKED_OK ? vec_judge(c, "want", got, 3)
                         : vec_fail(c, sked_status_name(rc));
}

const vec_runner vec_run_target[] = {
    {"target_share", run_column},
    {"target_excess", run_column},
    {"target_take", run_column},
    {"target_first", run_column},
    {"target_claims", run_claims},
    {"target_starved", run_claims},
    {"over_rounds", run_over_rounds},
    {"rank", run_rank},
    {"told", run_told},
    {"contract", run_contract},
    {NULL, NULL},
};
