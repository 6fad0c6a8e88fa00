/*
 * Percentile allocation of many queues. Queues are dealt to tasks, and each
 * task has a memory and solves its queues one by one. The calling thread solves
 * large queues alone, and checks the host's flag at intervals.
 */
#include <sched/pctl.h>

#include "base/fail.h"
#include "base/par.h"
#include "base/versioned.h"
#include "pctl/bracket.h"

SKEDI_NO_TAIL_PADDING(sked_pctl_input, thresholds);
SKEDI_NO_TAIL_PADDING(sked_pctl_queue, usage);
SKEDI_NO_TAIL_PADDING(sked_pctl_point, waste);

enum {
    PCTL_INPUT_V1 = SKEDI_SIZE_THROUGH(sked_pctl_input, thresholds),
    PCTL_THRESHOLDS = 1000,
    PCTL_TASKS = 64,      /* at most, and memories */
    PCTL_ROUND = 1 << 20, /* units between two looks at the flag */
    PCTL_LEAST = 64       /* least queues for a task */
};

/* A call, and the queues of the present round. */
typedef struct pctl_call {
    sked_pctl_input in;
    sked_pctl_point *point;
    sked_pctl_queue *total;
    skedi_hooks hooks;
    skedi_select_memory *memory; /* `tasks` memories */
    skedi_spot *spot;            /* `thresholds` for each task */
    size_t *bad;                 /* by task: 1 + first refused queue; 0: none */
    size_t tasks;
    size_t from; /* queues of this round */
    size_t to;
} pctl_call;

static size_t first_unit(const sked_pctl_input *in, size_t queue)
{
    if (in->first) return (size_t)in->first[queue];
    return queue ? (size_t)in->n : 0;
}

static skedi_units units_of(const sked_pctl_input *in, size_t queue)
{
    size_t from = first_unit(in, queue), to = first_unit(in, queue + 1);

    if (from == to) return (skedi_units){NULL, NULL, 0};
    return (skedi_units){in->length + from, in->amount + from, to - from};
}

/* ---- What is asked ---- */

sked_status skedi_thresholds_in(const sked_ratio *p, size_t n, sked_error *err)
{
    for (size_t j = 0; j < n; j++) {
        skedi_fault fault = {
            .row = (int64_t)j + 1, .got = p[j].num, .limit = p[j].den};
        if (p[j].num > 0 && p[j].num <= p[j].den) continue;
        return skedi_fail(err, SKED_ERR_RANGE, "threshold is out of range",
                          fault);
    }
    return SKED_OK;
}

static sked_status firsts_in(const sked_pctl_input *in, sked_error *err)
{
    if (!in->first) {
        if (in->queues == 1) return SKED_OK;
        return skedi_fail_null(err, "first");
    }
    int rises = in->first[0] == 0 && in->first[in->queues] == in->n;
    for (size_t q = 0; q < in->queues; q++) {
        rises &= in->first[q] <= in->first[q + 1];
    }
    if (rises) return SKED_OK;
    return skedi_fail_plain(err, SKED_ERR_ARG, "first does not rise to n");
}

static sked_status pctl_input_in(sked_pctl_input *in,
                                 const sked_pctl_input *given, sked_error *err)
{
    sked_status rc = skedi_struct_in(in, sizeof *in, given, PCTL_INPUT_V1);

    if (rc != SKED_OK) {
        return skedi_fail_version(err, "input");
    }
    if (in->flags & ~(uint32_t)SKED_PCTL_FLAG_USAGE) {
        return skedi_fail_flags(err, "input");
    }
    const char *missing = !in->threshold         ? "input.threshold"
                          : in->n && !in->length ? "input.length"
                          : in->n && !in->amount ? "input.amount"
                                                 : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (!in->queues || !in->thresholds) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "no queues or thresholds");
    }
    if (in->queues > SKED_MAX_QUEUES || in->thresholds > PCTL_THRESHOLDS ||
        in->n > SIZE_MAX / sizeof(int64_t)) {
        return skedi_fail_plain(err, SKED_ERR_RANGE,
                                "too many rows, queues or thresholds");
    }
    rc = skedi_thresholds_in(in->threshold, (size_t)in->thresholds, err);
    return rc == SKED_OK ? firsts_in(in, err) : rc;
}

/* ---- A queue ---- */

static sked_pctl_queue total_of(const skedi_units_sum *sum)
{
    return (sked_pctl_queue){
        .in_use = (int64_t)(sum->all - sum->vacant),
        .vacant = (int64_t)sum->vacant,
        .least = sum->peak ? (int64_t)sum->least : 0,
        .peak = (int64_t)sum->peak,
    };
}

static sked_pctl_point point_of(const skedi_spot *spot, uint64_t in_use,
                                const skedi_units *units, uint32_t flags)
{
    sked_pctl_point p = {
        .amount = (int64_t)spot->amount,
        .lower = (int64_t)spot->lower,
        .higher = (int64_t)spot->higher,
        .covered = {(int64_t)spot->covered, (int64_t)in_use},
    };

    if (!(flags & SKED_PCTL_FLAG_USAGE)) return p;
    skedi_u128 memory = skedi_u128_mul(spot->amount, spot->covered);
    skedi_u128 used = skedi_units_usage(units, spot->amount);
    p.waste = skedi_wide_of(skedi_u128_sub(memory, used));
    return p;
}

/*
 * Sums and, with brackets, lists. `hooks` is NULL on other threads than the
 * caller's. SKED_ERR_RANGE: a unit is out of range.
 */
static sked_status sum_units(const skedi_units *units, skedi_units_sum *sum,
                             skedi_brackets *b, skedi_select_memory *memory,
                             const skedi_hooks *hooks)
{
    *sum = skedi_units_none();
    for (size_t at = 0; at < units->n; at += SKEDI_UNITS_BLOCK) {
        skedi_units block = skedi_units_at(units, at);
        if (hooks && at % PCTL_ROUND == 0 && at > 0) {
            sked_status rc = skedi_hooks_check(hooks, at, units->n);
            if (rc != SKED_OK) return rc;
        }
        if (!skedi_units_add(sum, &block)) return SKED_ERR_RANGE;
        if (b) skedi_brackets_add(b, &block, memory);
    }
    memory->work.visits += units->n;
    return SKED_OK;
}

/* Answers the spots by brackets if the guess was right, the other spots by
 * counting. */
static void answer_spots(const skedi_units *units, const skedi_units_sum *sum,
                         const skedi_brackets *b, skedi_spot *spot, size_t n,
                         skedi_select_memory *memory)
{
    if (memory->sorted[0]) {
        skedi_select_sorted(units, spot, n, memory);
        return;
    }
    if (!b) {
        skedi_select(units, sum, spot, n, memory);
        return;
    }
    for (size_t j = 0; j < n; j++) {
        if (!skedi_brackets_answer(b, units, &spot[j], memory)) {
            spot[j].amount = 0; /* no answer is 0 */
        }
    }
    for (size_t j = 0; j < n; j++) {
        if (spot[j].amount == 0) skedi_select(units, sum, &spot[j], 1, memory);
    }
}

static sked_status queue_solve(const pctl_call *call, size_t q, size_t task,
                               const skedi_hooks *hooks)
{
    const sked_pctl_input *in = &call->in;
    size_t n = (size_t)in->thresholds;
    skedi_select_memory *memory = &call->memory[task];
    skedi_spot *spot = call->spot + task * n;
    sked_pctl_point *point = call->point + q * n;
    skedi_units units = units_of(in, q);
    skedi_brackets brackets, *b = NULL;
    skedi_units_sum sum;

    if (units.n >= SKEDI_SELECT_LARGE && n <= SKEDI_BRACKETS &&
        skedi_brackets_guess(&brackets, &units, in->threshold, n, memory)) {
        b = &brackets;
    }
    sked_status rc = sum_units(&units, &sum, b, memory, hooks);
    if (rc != SKED_OK) return rc;
    sked_pctl_queue total = total_of(&sum);
    uint64_t in_use = (uint64_t)total.in_use;
    for (size_t j = 0; j < n; j++) {
        point[j] = (sked_pctl_point){.covered = {0, 1}};
        spot[j].need = skedi_select_need(in_use, in->threshold[j]);
    }
    if (in_use) answer_spots(&units, &sum, b, spot, n, memory);
    for (size_t j = 0; in_use && j < n; j++) {
        point[j] = point_of(&spot[j], in_use, &units, in->flags);
    }
    if (call->total) {
        int wanted = (in->flags & SKED_PCTL_FLAG_USAGE) != 0;
        skedi_u128 usage = wanted ? skedi_units_usage(&units, UINT64_MAX)
                                  : skedi_u128_of(0);
        total.usage = skedi_wide_of(usage);
        call->total[q] = total;
    }
    return SKED_OK;
}

/* ---- All queues ---- */

/* Solves queue `from + k * count / tasks` up to the next task's first queue. */
static void solve_share(void *arg, size_t task)
{
    pctl_call *call = arg;
    size_t count = call->to - call->from, each = count / call->tasks + 1;
    size_t from = task * each < count ? task * each : count;
    size_t to = from + each < count ? from + each : count;

    for (size_t q = call->from + from; q < call->from + to; q++) {
        if (queue_solve(call, q, task, NULL) == SKED_OK) continue;
        if (!call->bad[task]) call->bad[task] = q + 1;
    }
}

/* The end of the next round: a large queue has a round to itself. */
static size_t round_end(const sked_pctl_input *in, size_t from)
{
    size_t units = first_unit(in, from), to = from + 1;

    while (to < in->queues && first_unit(in, to + 1) - units <= PCTL_ROUND) {
        to++;
    }
    return to;
}

static sked_status units_refused(const pctl_call *call, size_t q,
                                 sked_error *err)
{
    skedi_units units = units_of(&call->in, q);

    return skedi_units_fault(&units, first_unit(&call->in, q), err);
}

static sked_status round_solve(pctl_call *call, sked_error *err)
{
    sked_status rc = SKED_OK;
    size_t bad = 0;

    if (call->to - call->from == 1) {
        rc = queue_solve(call, call->from, 0, &call->hooks);
        if (rc != SKED_ERR_RANGE) return rc;
        return units_refused(call, call->from, err);
    }
    for (size_t t = 0; t < call->tasks; t++) call->bad[t] = 0;
    rc = skedi_par_for(&call->hooks, call->tasks, solve_share, call);
    if (rc != SKED_OK) return rc;
    for (size_t t = 0; t < call->tasks && !bad; t++) bad = call->bad[t];
    return bad ? units_refused(call, bad - 1, err) : SKED_OK;
}

static sked_status solve_all(pctl_call *call, sked_error *err)
{
    for (size_t q = 0; q < call->in.queues; q = call->to) {
        sked_status rc = skedi_hooks_check(&call->hooks, q, call->in.queues);
        if (rc != SKED_OK) {
            return skedi_fail_stopped(err, rc);
        }
        call->from = q;
        call->to = round_end(&call->in, q);
        rc = round_solve(call, err);
        if (rc == SKED_ERR_RANGE) return rc;
        if (rc != SKED_OK) {
            return skedi_fail_stopped(err, rc);
        }
    }
    return SKED_OK;
}

static size_t largest_queue(const sked_pctl_input *in)
{
    size_t most = 0;

    for (size_t q = 0; q < in->queues; q++) {
        size_t n = first_unit(in, q + 1) - first_unit(in, q);
        most = n > most ? n : most;
    }
    return most;
}

static size_t tasks_wanted(const sked_pctl_input *in, const sked_host *host)
{
    size_t most = host->parallel ? PCTL_TASKS : host->threads;
    size_t worth = (size_t)in->queues / PCTL_LEAST + 1;

    most = most < PCTL_TASKS ? most : PCTL_TASKS;
    if (most < 1) most = 1;
    return worth < most ? worth : most;
}

static int pctl_reserve(pctl_call *call)
{
    skedi_mem *mem = &call->hooks.mem;
    size_t largest = largest_queue(&call->in);
    size_t cap = skedi_select_cap(largest);
    int sorts = call->in.thresholds > SKEDI_SELECT_MANY && largest < UINT32_MAX;
    size_t spots = call->tasks * (size_t)call->in.thresholds;

    call->memory = skedi_new(mem, call->tasks, sizeof *call->memory);
    call->bad = skedi_new(mem, call->tasks, sizeof *call->bad);
    call->spot = skedi_new(mem, spots, sizeof *call->spot);
    if (!call->memory || !call->bad || !call->spot) return 0;
    for (size_t t = 0; t < call->tasks; t++) {
        skedi_select_memory *memory = &call->memory[t];
        if (!skedi_select_reserve(memory, cap, mem)) return 0;
        if (sorts && !skedi_select_reserve_sorted(memory, largest, mem))
            return 0;
    }
    return 1;
}

static void call_release(pctl_call *call)
{
    skedi_mem *mem = &call->hooks.mem;

    for (size_t t = 0; call->memory && t < call->tasks; t++) {
        skedi_select_free(&call->memory[t], mem);
    }
    skedi_free(mem, call->memory, call->tasks, sizeof *call->memory);
    skedi_free(mem, call->bad, call->tasks, sizeof *call->bad);
    skedi_free(mem, call->spot, call->tasks * (size_t)call->in.thresholds,
               sizeof *call->spot);
}

sked_status sked_pctl(const sked_pctl_input *input, const sked_host *host,
                      sked_pctl_point *point, sked_pctl_queue *total,
                      sked_error *err)
{
    pctl_call call = {.point = point, .total = total};

    const char *missing = !input ? "input" : !point ? "point" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = pctl_input_in(&call.in, input, err);
    if (rc == SKED_OK) rc = skedi_hooks_in(&call.hooks, host, err);
    if (rc != SKED_OK) return rc;

    call.tasks = tasks_wanted(&call.in, &call.hooks.host);
    rc = pctl_reserve(&call) ? solve_all(&call, err) : skedi_fail_memory(err);
    call_release(&call);
    return rc;
}
