/*
 * Makes lots of candidates: rows whose queue gives nothing to anyone are left out,
 * the others are sorted, and the rows of a gang become one lot. A gang stands where
 * the last of its rows would stand, so it is taken no sooner than the most
 * important task in it.
 */
#include "base/fail.h"
#include "base/sort.h"
#include "preempt/order.h"
#include "preempt/surplus.h"
#include "res/amount.h"

enum { LOT_CHECK = 65536 /* rows between two looks at the cancel flag */ };

static uint32_t gang_of(const sked_preempt_input *in, uint32_t row)
{
    return in->gang ? in->gang[row] : 0;
}

static int is_fixed(const sked_preempt_input *in, uint32_t row)
{
    return in->state && (in->state[row] & SKED_PREEMPT_CANDIDATE_FIXED);
}

/* Is a row of an open queue to be listed: has it tasks, and is it not fixed? A fixed
 * row of a gang is listed, too, since it protects the whole gang; but its amounts
 * are not read. */
static int is_to_be_listed(const skedi_scene *s, uint32_t row)
{
    if (!skedi_row_count(&s->in, row)) return 0;
    return !is_fixed(&s->in, row) || gang_of(&s->in, row) != 0;
}

static sked_status candidate_fault(sked_error *err, sked_status rc,
                                   const char *what, uint32_t row, int64_t got)
{
    return skedi_fail(err, rc, what,
                      (skedi_fault){.row = (int64_t)row + 1, .got = got});
}

/* Lists those of rows [from .. to), for which there is memory. */
static sked_status list_rows(skedi_scene *s, uint32_t from, uint32_t to,
                             sked_error *err)
{
    const uint32_t *queue = s->in.queue;
    uint32_t *rows = s->lot_rows, n = s->n_rows;

    for (uint32_t i = from; i < to; i++) {
        if (queue[i] >= s->in.n_queues) {
            return candidate_fault(err, SKED_ERR_ARG,
                                   "candidate: no such queue", i, queue[i]);
        }
        if (s->open[queue[i]] && is_to_be_listed(s, i)) rows[n++] = i;
    }
    s->n_rows = n;
    return SKED_OK;
}

static sked_status open_rows(skedi_scene *s, sked_error *err)
{
    for (uint32_t i = 0; i < s->in.n; i += LOT_CHECK) {
        uint32_t to = s->in.n - i > LOT_CHECK ? i + LOT_CHECK
                                              : (uint32_t)s->in.n;
        sked_status rc = skedi_hooks_check(&s->hooks, i, s->in.n);
        if (rc != SKED_OK) return skedi_fail_stopped(err, rc);
        if (!skedi_ensure(&s->hooks.mem, (void **)&s->lot_rows, &s->rows_cap,
                          s->n_rows + (size_t)(to - i), sizeof *s->lot_rows)) {
            return skedi_fail_memory(err);
        }
        rc = list_rows(s, i, to, err);
        if (rc != SKED_OK) return rc;
    }
    return SKED_OK;
}

static sked_status row_sound(const sked_preempt_input *in, uint32_t row,
                             sked_error *err)
{
    if (in->node && in->n_nodes && in->node[row] >= in->n_nodes) {
        return candidate_fault(err, SKED_ERR_ARG, "candidate: no such node",
                               row, in->node[row]);
    }
    if (in->job_budget && in->job[row] >= in->n_jobs) {
        return candidate_fault(err, SKED_ERR_ARG, "candidate: no such job", row,
                               in->job[row]);
    }
    int by_user = in->user_usage || in->user_budget;
    if (in->user && by_user && in->user[row] >= in->n_users) {
        return candidate_fault(err, SKED_ERR_ARG, "candidate: no such user",
                               row, in->user[row]);
    }
    if (in->cost && (uint64_t)in->cost[row] > (uint64_t)SKED_AMOUNT_MAX) {
        return candidate_fault(err, SKED_ERR_RANGE, "cost is out of range", row,
                               in->cost[row]);
    }
    return SKED_OK;
}

/* Adds the row's amounts to `sum`: no kind may pass what an amount can be, so
 * that no sum of victims does. */
static sked_status add_row_amounts(const sked_preempt_input *in, uint32_t row,
                                   int64_t *sum, sked_error *err)
{
    const int64_t *amount = in->amount + (size_t)row * in->kinds;

    for (uint32_t k = 0; k < in->kinds; k++) {
        int64_t all = 0;
        int fits = (uint64_t)amount[k] <= (uint64_t)SKED_AMOUNT_MAX &&
                   skedi_i64_mul(amount[k], skedi_row_count(in, row), &all) &&
                   skedi_i64_add(sum[k], all, &sum[k]) &&
                   sum[k] <= SKED_AMOUNT_MAX;
        if (fits) continue;
        return skedi_fail(err, SKED_ERR_RANGE, "amount is out of range",
                          (skedi_fault){.row = (int64_t)row + 1,
                                        .kind = (int32_t)k + 1,
                                        .got = amount[k],
                                        .limit = SKED_AMOUNT_MAX});
    }
    return SKED_OK;
}

static sked_status rows_sound(const skedi_scene *s, uint32_t n, sked_error *err)
{
    int64_t cost = 0, sum[SKED_MAX_KINDS] = {0};

    for (uint32_t i = 0; i < n; i++) {
        uint32_t row = s->lot_rows[i];
        int64_t all = 0;
        if (is_fixed(&s->in, row)) continue;
        sked_status rc = row_sound(&s->in, row, err);
        if (rc == SKED_OK) rc = add_row_amounts(&s->in, row, sum, err);
        if (rc != SKED_OK) return rc;
        int64_t one = s->in.cost ? s->in.cost[row] : 1;
        if (!skedi_i64_mul(one, skedi_row_count(&s->in, row), &all) ||
            !skedi_i64_add(cost, all, &cost) || cost > SKED_AMOUNT_MAX) {
            return candidate_fault(err, SKED_ERR_RANGE,
                                   "costs add up to more "
                                   "than an amount can be",
                                   row, one);
        }
    }
    return SKED_OK;
}

/* Starts a lot with what one row says of its tasks, or the first row of a gang
 * of the gang. */
static skedi_lot lot_of_row(const sked_preempt_input *in, uint32_t row)
{
    return (skedi_lot){
        .amount = in->amount + (size_t)row * in->kinds,
        .cost = skedi_row_cost(in, row),
        .first = row,
        .copies = skedi_row_count(in, row),
        .tasks = 1,
        .marked = (uint32_t)skedi_row_marked(in, row),
        .queue = in->queue[row],
        .user = in->user ? in->user[row] : 0,
        .job = in->job ? in->job[row] : 0,
        .priority = in->priority ? in->priority[row] : 0,
    };
}

static int in_agreement(const skedi_lot *a, const skedi_lot *b)
{
    return a->queue == b->queue && a->user == b->user && a->job == b->job &&
           a->priority == b->priority && a->marked == b->marked;
}

/*
 * The gang whose rows are lot_rows[from .. to): `*usable` is 0 when one of
 * them is fixed.
 */
static sked_status bind_gang(skedi_scene *s, uint32_t from, uint32_t to,
                             skedi_lot *gang, sked_error *err)
{
    const sked_preempt_input *in = &s->in;
    int64_t *sum = s->gang_amount + (size_t)s->n_gangs * in->kinds;
    uint64_t tasks = 0;
    uint32_t fixed = 0;

    *gang = lot_of_row(in, s->lot_rows[from]);
    gang->amount = sum;
    gang->cost = 0;
    gang->first = from;
    gang->rows = to - from;
    for (uint32_t i = from; i < to; i++) {
        uint32_t row = s->lot_rows[i];
        skedi_lot one = lot_of_row(in, row);
        if (!in_agreement(gang, &one)) {
            return candidate_fault(err, SKED_ERR_ARG,
                                   "rows of a gang do not agree", row,
                                   gang_of(in, row));
        }
        tasks += one.copies;
        if (is_fixed(in, row)) {
            fixed = 1;
            continue;
        }
        sked_status rc = add_row_amounts(in, row, sum, err);
        if (rc != SKED_OK) return rc;
        gang->cost += one.cost * one.copies;
    }
    if (tasks > INT32_MAX) {
        return candidate_fault(err, SKED_ERR_RANGE, "a gang is too large",
                               s->lot_rows[from], (int64_t)tasks);
    }
    gang->tasks = (uint32_t)tasks;
    gang->copies = !fixed && tasks > 0;
    return SKED_OK;
}

/* Rows come in their order; `items` hold their gangs, then their places. */
static sked_status bind_gangs(skedi_scene *s, skedi_keyed *items,
                              skedi_keyed *scratch, skedi_lot *lots,
                              sked_error *err)
{
    uint32_t n = s->n_rows, made = 0, gangs = 0;

    for (uint32_t i = 0; i < n; i++) {
        items[i] = (skedi_keyed){gang_of(&s->in, s->lot_rows[i]), i,
                                 s->lot_rows[i]};
    }
    skedi_sort_keys(items, scratch, n);
    for (uint32_t i = 0; i < n; i++) s->lot_rows[i] = items[i].tag;
    s->n_gangs = 0;
    for (uint32_t i = 0, to; i < n; i = to) {
        uint64_t gang = items[i].key;
        for (to = i + 1; gang && to < n && items[to].key == gang;) to++;
        uint32_t last = items[to - 1].index;
        if (!gang) {
            lots[made] = lot_of_row(&s->in, s->lot_rows[i]);
        } else {
            sked_status rc = bind_gang(s, i, to, &lots[made], err);
            if (rc != SKED_OK) return rc;
            s->n_gangs = ++gangs;
        }
        items[made] = (skedi_keyed){last, made, 0};
        made++;
    }
    skedi_sort_keys(items, scratch, made);
    for (uint32_t i = 0; i < made; i++) s->lots[i] = lots[items[i].index];
    s->n_lots = made;
    return SKED_OK;
}

static uint32_t rows_in_gangs(const skedi_scene *s)
{
    uint32_t found = 0;

    for (uint32_t i = 0; i < s->n_rows; i++) {
        found += gang_of(&s->in, s->lot_rows[i]) != 0;
    }
    return found;
}

static sked_status make_lots(skedi_scene *s, sked_error *err)
{
    skedi_mem *mem = &s->hooks.mem;
    uint32_t n = s->n_rows, gangs = rows_in_gangs(s);
    sked_status rc = SKED_OK;

    if (gangs == 0) {
        for (uint32_t i = 0; i < n; i++) {
            s->lots[i] = lot_of_row(&s->in, s->lot_rows[i]);
        }
        s->n_lots = n;
        return SKED_OK;
    }
    skedi_keyed *items = skedi_new(mem, (size_t)n * 2, sizeof *items);
    skedi_lot *lots = skedi_new(mem, n, sizeof *lots);
    s->gang_amount = skedi_new(mem, (size_t)gangs * s->in.kinds,
                               sizeof *s->gang_amount);
    s->gang_cap = gangs;
    if (items && lots && s->gang_amount) {
        rc = bind_gangs(s, items, items + n, lots, err);
    } else {
        rc = skedi_fail_memory(err);
    }
    skedi_free(mem, items, (size_t)n * 2, sizeof *items);
    skedi_free(mem, lots, n, sizeof *lots);
    return rc;
}

sked_status skedi_scene_lots(skedi_scene *s, sked_error *err)
{
    sked_status rc = open_rows(s, err);

    if (rc != SKED_OK || s->n_rows == 0) return rc;
    s->lots = skedi_new(&s->hooks.mem, s->n_rows, sizeof *s->lots);
    if (!s->lots) {
        return skedi_fail_memory(err);
    }
    rc = rows_sound(s, s->n_rows, err);
    if (rc == SKED_OK && s->in.rank) {
        rc = skedi_preempt_rank(s, s->lot_rows, s->n_rows, err);
    }
    if (rc == SKED_OK) rc = make_lots(s, err);
    if (rc != SKED_OK) return rc;
    if (!s->in.n_requests) return SKED_OK; /* by need nothing asks for it */
    int users = (s->in.flags & SKED_PREEMPT_FLAG_BY_USER) != 0;
    if (!skedi_surplus_find(s, &s->queue_surplus, 0) ||
        (users && !skedi_surplus_find(s, &s->user_surplus, 1))) {
        return skedi_fail_memory(err);
    }
    return SKED_OK;
}
