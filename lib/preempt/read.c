/*
 * Reads a problem. Every required column is present, every amount is in range,
 * and every number names an existing row. Candidates are left to
 * preempt/surplus.c, because most candidates are never read.
 */
#include "base/fail.h"
#include "base/versioned.h"
#include "preempt/surplus.h"
#include "res/amount.h"

SKEDI_NO_TAIL_PADDING(sked_preempt_input, request_per_node);

enum {
    PREEMPT_PROBLEM_V1 = SKEDI_SIZE_THROUGH(sked_preempt_input, free),
    PREEMPT_FLAGS = SKED_PREEMPT_FLAG_BY_USER | SKED_PREEMPT_FLAG_BY_PRIORITY |
                    SKED_PREEMPT_FLAG_PLAIN | SKED_PREEMPT_FLAG_OVERSHOOT
};

static sked_status sizes_sound(const sked_preempt_input *in, sked_error *err)
{
    const uint64_t most[] = {in->n_users, in->n_jobs, in->n_nodes,
                             in->n_requests, in->n};

    if (in->flags & ~(uint32_t)PREEMPT_FLAGS) {
        return skedi_fail_flags(err, "input");
    }
    if (in->reserved) return skedi_fail_reserved(err, "input");
    if (in->kinds < 1 || in->kinds > SKED_MAX_KINDS) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "kinds is out of range");
    }
    if (in->n_queues > SKED_MAX_QUEUES) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "too many queues");
    }
    for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
        if (most[i] <= INT32_MAX) continue;
        return skedi_fail_plain(err, SKED_ERR_RANGE, "too many rows");
    }
    return SKED_OK;
}

static sked_status lacks(sked_error *err, const char *what)
{
    return skedi_fail_plain(err, SKED_ERR_ARG, what);
}

/* Checks the columns that requests and their candidates require. */
static sked_status request_columns(const sked_preempt_input *in,
                                   sked_error *err)
{
    int by_user = (in->flags & SKED_PREEMPT_FLAG_BY_USER) != 0;

    if (!in->share || !in->request_queue || !in->request_amount) {
        return lacks(err, "requests lack share, queue or amount");
    }
    if (in->n_nodes && in->n && !in->node) {
        return lacks(err, "candidates lack their nodes");
    }
    if (in->place_offset && (!in->place || !in->n_nodes)) {
        return lacks(err, "places lack their nodes");
    }
    if (in->request_per_node && !in->n_nodes) {
        return lacks(err, "gangs over nodes lack their nodes");
    }
    if (by_user && (!in->user_usage || !in->user_share || !in->request_user ||
                    (in->n && !in->user))) {
        return lacks(err, "users lack usage, share or rows");
    }
    return SKED_OK;
}

static sked_status columns_there(const sked_preempt_input *in, sked_error *err)
{
    if (in->n_queues && (!in->usage || (!in->keep && !in->share))) {
        return lacks(err, "queues lack usage, share or keep");
    }
    if (in->n && (!in->queue || !in->amount)) {
        return lacks(err, "candidates lack queue or amount");
    }
    if (in->n &&
        ((in->job_budget && !in->job) || (in->user_budget && !in->user))) {
        return lacks(err, "budgets lack the rows they speak of");
    }
    if (!in->n_requests && !in->need) {
        return lacks(err, "neither need nor requests");
    }
    return in->n_requests ? request_columns(in, err) : SKED_OK;
}

/* One column of amounts; `open`: SKED_UNLIMITED is allowed. */
typedef struct amount_column {
    const int64_t *amount;
    size_t rows;
    int open;
    const char *fault;
} amount_column;

static sked_status column_sound(const amount_column *c, uint32_t kinds,
                                sked_error *err)
{
    for (size_t i = 0; c->amount && i < c->rows * kinds; i++) {
        int64_t x = c->amount[i];
        if (skedi_is_amount(x) && (c->open || x != SKED_UNLIMITED)) continue;
        return skedi_fail(err, SKED_ERR_RANGE, c->fault,
                          (skedi_fault){.kind = (int32_t)(i % kinds) + 1,
                                        .row = (int64_t)(i / kinds) + 1,
                                        .got = x,
                                        .limit = SKED_AMOUNT_MAX});
    }
    return SKED_OK;
}

static sked_status amounts_sound(const sked_preempt_input *in, sked_error *err)
{
    size_t queues = (size_t)in->n_queues, users = (size_t)in->n_users;
    size_t nodes = in->n_nodes ? (size_t)in->n_nodes : 1;
    const amount_column columns[] = {
        {in->usage, queues, 0, "usage is out of range"},
        {in->share, queues, 1, "share is out of range"},
        {in->keep, queues, 1, "keep is out of range"},
        {in->take, queues, 1, "take is out of range"},
        {in->queue_budget, queues, 1, "queue budget is out of range"},
        {in->need, 1, 0, "need is out of range"},
        {in->budget, 1, 1, "budget is out of range"},
        {in->partition_budget, 1, 1, "partition's budget is out of range"},
        {in->user_usage, users, 0, "user's usage is out of range"},
        {in->user_share, users, 1, "user's share is out of range"},
        {in->user_keep, users, 1, "user's keep is out of range"},
        {in->user_budget, users, 1, "user's budget is out of range"},
        {in->request_amount, (size_t)in->n_requests, 0,
         "request is out of range"},
        {in->free, nodes, 0, "free is out of range"},
    };
    const amount_column jobs = {in->job_budget, (size_t)in->n_jobs, 1,
                                "job's budget is out of range"};
    sked_status rc = column_sound(&jobs, 1, err);

    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        if (rc != SKED_OK) return rc;
        rc = column_sound(&columns[i], in->kinds, err);
    }
    return rc;
}

static sked_status no_such(sked_error *err, const char *what, uint32_t row,
                           uint32_t got, uint32_t limit)
{
    return skedi_fail(
        err, SKED_ERR_ARG, what,
        (skedi_fault){.row = (int64_t)row + 1, .got = got, .limit = limit});
}

static sked_status places_sound(const sked_preempt_input *in, uint32_t row,
                                sked_error *err)
{
    uint32_t from = in->place_offset[row], to = in->place_offset[row + 1];

    if (from > to || to > INT32_MAX) {
        return no_such(err, "places end before they begin", row, to, from);
    }
    for (uint32_t i = from; i < to; i++) {
        if (in->place[i] < in->n_nodes) continue;
        return no_such(err, "request: no such node", row, in->place[i],
                       (uint32_t)in->n_nodes);
    }
    return SKED_OK;
}

static int asks_nothing(const sked_preempt_input *in, uint32_t row)
{
    const int64_t *amount = in->request_amount + (size_t)row * in->kinds;

    for (uint32_t k = 0; k < in->kinds; k++) {
        if (amount[k] > 0) return 0;
    }
    return 1;
}

static sked_status request_sound(const sked_preempt_input *in, uint32_t row,
                                 sked_error *err)
{
    if (in->request_queue[row] >= in->n_queues) {
        return no_such(err, "request: no such queue", row,
                       in->request_queue[row], (uint32_t)in->n_queues);
    }
    if (in->request_user && in->user_usage &&
        in->request_user[row] >= in->n_users) {
        return no_such(err, "request: no such user", row, in->request_user[row],
                       (uint32_t)in->n_users);
    }
    if (asks_nothing(in, row)) {
        return no_such(err, "request asks for nothing", row, 0, 0);
    }
    return in->place_offset ? places_sound(in, row, err) : SKED_OK;
}

/* By need, and with the flags of other systems, keep is judged in the wanted
 * kinds. */
static void find_judged(skedi_scene *s)
{
    const sked_preempt_input *in = &s->in;
    uint32_t others = SKED_PREEMPT_FLAG_PLAIN | SKED_PREEMPT_FLAG_OVERSHOOT;

    s->by_kind = !in->n_requests || (in->flags & others);
    for (uint32_t k = 0; k < in->kinds; k++) {
        int64_t wanted = in->need ? in->need[k] : 0;
        for (uint32_t r = 0; !in->need && r < in->n_requests; r++) {
            wanted |= in->request_amount[(size_t)r * in->kinds + k];
        }
        if (!s->by_kind || wanted) s->judged[s->n_judged++] = k;
        if (in->need && in->need[k] > 0) s->needed[s->n_needed++] = k;
    }
}

/* A queue gives if it may give and has more than its keep of a judged kind. */
static int queue_gives(const skedi_scene *s, size_t queue)
{
    const sked_preempt_input *in = &s->in;

    for (uint32_t i = 0; i < s->n_judged; i++) {
        size_t at = queue * in->kinds + s->judged[i];
        if (in->usage[at] > in->keep[at] && skedi_take_of(in, at) > 0) return 1;
    }
    return 0;
}

static sked_status find_givers(skedi_scene *s, sked_error *err)
{
    const sked_preempt_input *in = &s->in;
    int inner = (in->flags & (SKED_PREEMPT_FLAG_BY_USER |
                              SKED_PREEMPT_FLAG_BY_PRIORITY)) != 0;

    s->gives = skedi_new(&s->hooks.mem, (size_t)in->n_queues + 1, 1);
    s->open = skedi_new(&s->hooks.mem, (size_t)in->n_queues + 1, 1);
    if (!s->gives || !s->open) {
        return skedi_fail_memory(err);
    }
    find_judged(s);
    for (uint32_t q = 0; q < in->n_queues; q++) {
        s->gives[q] = (uint8_t)queue_gives(s, q);
        s->open[q] = s->gives[q];
    }
    for (uint32_t r = 0; inner && r < in->n_requests; r++) {
        s->open[in->request_queue[r]] = 1;
    }
    return SKED_OK;
}

sked_status skedi_scene_read(skedi_scene *s, const sked_preempt_input *problem,
                             const sked_host *host, sked_error *err)
{
    *s = (skedi_scene){0};
    sked_status rc = skedi_hooks_in(&s->hooks, host, err);
    if (rc != SKED_OK) return rc;
    if (!problem) return skedi_fail_null(err, "input");
    rc = skedi_struct_in(&s->in, sizeof s->in, problem, PREEMPT_PROBLEM_V1);
    if (rc != SKED_OK) {
        return skedi_fail_version(err, "input");
    }
    rc = sizes_sound(&s->in, err);
    if (rc == SKED_OK) rc = columns_there(&s->in, err);
    if (rc == SKED_OK) rc = amounts_sound(&s->in, err);
    for (uint32_t i = 0; rc == SKED_OK && i < s->in.n_requests; i++) {
        rc = request_sound(&s->in, i, err);
    }
    if (!s->in.keep) s->in.keep = s->in.share;
    if (!s->in.user_keep) s->in.user_keep = s->in.user_share;
    if (!s->in.work) s->in.work = SKED_PREEMPT_WORK;
    return rc == SKED_OK ? find_givers(s, err) : rc;
}

void skedi_scene_drop(skedi_scene *s)
{
    skedi_mem *mem = &s->hooks.mem;
    size_t queues = (size_t)s->in.n_queues + (size_t)1;

    skedi_free(mem, s->gives, queues, 1);
    skedi_free(mem, s->open, queues, 1);
    skedi_surplus_free(&s->queue_surplus, mem);
    skedi_surplus_free(&s->user_surplus, mem);
    skedi_free(mem, s->lots, s->n_rows, sizeof *s->lots);
    skedi_free(mem, s->lot_rows, s->rows_cap, sizeof *s->lot_rows);
    skedi_free(mem, s->gang_amount, (size_t)s->gang_cap * s->in.kinds,
               sizeof *s->gang_amount);
}
