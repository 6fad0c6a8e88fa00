/*
 * The book keeps the sums that the rules of preempt.h and the budgets need, as
 * lots are taken and given back. The planner takes only what the book allows,
 * and the verifier asks the same book.
 */
#include "preempt/scene.h"

/* ---- Memory ---- */

static size_t queue_cells(const sked_preempt_input *in)
{
    return (size_t)in->n_queues * in->kinds + 1;
}

static size_t user_cells(const sked_preempt_input *in)
{
    return (size_t)in->n_users * in->kinds + 1;
}

static size_t class_cells(const skedi_surplus *surplus)
{
    return surplus->n + (size_t)1;
}

int skedi_book_open(skedi_book *b, skedi_scene *s)
{
    skedi_mem *mem = &s->hooks.mem;
    const sked_preempt_input *in = &s->in;
    size_t queues = queue_cells(in), users = user_cells(in);

    *b = (skedi_book){.in = in, .scene = s};
    return (b->taken = skedi_new(mem, queues, sizeof(int64_t))) &&
           (b->served = skedi_new(mem, queues, sizeof(int64_t))) &&
           (b->queue_spent = skedi_new(mem, queues, sizeof(int64_t))) &&
           (b->gave = skedi_new(mem, (size_t)in->n_queues + 1,
                                sizeof(uint32_t))) &&
           (b->class_taken = skedi_new(mem, class_cells(&s->queue_surplus),
                                       sizeof(int64_t))) &&
           (b->class_served = skedi_new(mem, class_cells(&s->queue_surplus),
                                        sizeof(int64_t))) &&
           (b->user_class_taken = skedi_new(mem, class_cells(&s->user_surplus),
                                            sizeof(int64_t))) &&
           (b->user_served = skedi_new(mem, users, sizeof(int64_t))) &&
           (b->user_spent = skedi_new(mem, users, sizeof(int64_t))) &&
           (b->job_spent = skedi_new(mem, (size_t)in->n_jobs + 1,
                                     sizeof(int64_t)));
}

void skedi_book_close(skedi_book *b, skedi_scene *s)
{
    skedi_mem *mem = &s->hooks.mem;
    const sked_preempt_input *in = &s->in;
    size_t queues = queue_cells(in), users = user_cells(in);

    skedi_free(mem, b->taken, queues, sizeof(int64_t));
    skedi_free(mem, b->served, queues, sizeof(int64_t));
    skedi_free(mem, b->queue_spent, queues, sizeof(int64_t));
    skedi_free(mem, b->gave, (size_t)in->n_queues + 1, sizeof(uint32_t));
    skedi_free(mem, b->class_taken, class_cells(&s->queue_surplus),
               sizeof(int64_t));
    skedi_free(mem, b->class_served, class_cells(&s->queue_surplus),
               sizeof(int64_t));
    skedi_free(mem, b->user_class_taken, class_cells(&s->user_surplus),
               sizeof(int64_t));
    skedi_free(mem, b->user_served, users, sizeof(int64_t));
    skedi_free(mem, b->user_spent, users, sizeof(int64_t));
    skedi_free(mem, b->job_spent, (size_t)in->n_jobs + 1, sizeof(int64_t));
}

/* ---- How much may be taken ---- */

/* `most`, or fewer copies of `each` when that is all that fits in `left`. */
static uint32_t within(uint32_t most, int64_t left, int64_t each)
{
    if (each == 0) return most;
    if (left < each) return 0;
    return left / each < most ? (uint32_t)(left / each) : most;
}

/* The same, the last one being allowed to reach beyond. */
static uint32_t within_or_over(uint32_t most, int64_t left, int64_t each)
{
    if (each == 0) return most;
    if (left <= 0) return 0;
    int64_t copies = (left - 1) / each + 1;
    return copies < most ? (uint32_t)copies : most;
}

/* By request a queue gives no more than its take of the kinds of which it uses
 * more than its keep, except that one copy may be larger. */
static uint32_t within_take(const skedi_book *b, const skedi_lot *lot,
                            uint32_t most)
{
    const sked_preempt_input *in = b->in;
    uint32_t left = most;

    if (!in->n_requests || !in->take) return most;
    for (uint32_t i = 0; i < b->scene->n_judged; i++) {
        uint32_t k = b->scene->judged[i];
        size_t at = (size_t)lot->queue * in->kinds + k;
        if (in->usage[at] <= in->keep[at]) continue;
        if (b->taken[at] > in->take[at]) return 0;
        left = within(left, in->take[at] - b->taken[at], lot->amount[k]);
    }
    return left == 0 && b->gave[lot->queue] == 0 && most > 0 ? 1 : left;
}

/* Keep judged kind by kind, in the wanted kinds; with overshoot, the last copy
 * may bring the queue below it. */
static uint32_t within_wanted(const skedi_book *b, const skedi_lot *lot,
                              uint32_t most)
{
    const sked_preempt_input *in = b->in;
    int over = (in->flags & SKED_PREEMPT_FLAG_OVERSHOOT) != 0;

    for (uint32_t i = 0; i < b->scene->n_judged && most > 0; i++) {
        uint32_t k = b->scene->judged[i];
        size_t at = (size_t)lot->queue * in->kinds + k;
        int64_t left = in->usage[at] - b->taken[at] - in->keep[at];
        most = over ? within_or_over(most, left, lot->amount[k])
                    : within(most, left, lot->amount[k]);
    }
    return most;
}

/* `most`, or fewer where fewer of the class are left. */
static uint32_t within_spare(const skedi_surplus *s, const int64_t *taken,
                             uint32_t class, uint32_t most)
{
    int64_t left = s->spare[class] - taken[class];

    return left < most ? (uint32_t)skedi_i64_max(left, 0) : most;
}

/* The victim rule between queues. */
static uint32_t within_keep(const skedi_book *b, const skedi_lot *lot,
                            uint32_t most)
{
    if (!b->scene->gives[lot->queue]) return 0;
    most = b->scene->by_kind ? within_wanted(b, lot, most)
                             : within_spare(&b->scene->queue_surplus,
                                            b->class_taken, lot->class, most);
    return within_take(b, lot, most);
}

static uint32_t within_budgets(const skedi_book *b, const skedi_lot *lot,
                               uint32_t most)
{
    const sked_preempt_input *in = b->in;

    if (lot->marked) return most;
    for (uint32_t k = 0; k < in->kinds && most > 0; k++) {
        size_t q = (size_t)lot->queue * in->kinds + k;
        size_t u = (size_t)lot->user * in->kinds + k;
        int64_t each = lot->amount[k];
        if (in->budget) {
            most = within(most, in->budget[k] - b->spent[k], each);
        }
        if (in->partition_budget) {
            most = within(most, in->partition_budget[k] - b->spent[k], each);
        }
        if (in->queue_budget) {
            most = within(most, in->queue_budget[q] - b->queue_spent[q], each);
        }
        if (in->user_budget) {
            most = within(most, in->user_budget[u] - b->user_spent[u], each);
        }
    }
    if (!in->job_budget) return most;
    return within(most, in->job_budget[lot->job] - b->job_spent[lot->job],
                  lot->tasks);
}

uint32_t skedi_book_most(const skedi_book *b, const skedi_lot *lot,
                         uint32_t rule)
{
    uint32_t most = lot->copies - lot->taken;

    if (rule == SKED_PREEMPT_REASON_OVER) most = within_keep(b, lot, most);
    if (rule == SKED_PREEMPT_REASON_USER) {
        most = within_spare(&b->scene->user_surplus, b->user_class_taken,
                            lot->user_class, most);
    }
    if (rule == SKED_PREEMPT_REASON_PRIORITY && b->sparing) {
        most = within_spare(&b->scene->queue_surplus, b->class_taken,
                            lot->class, most);
    }
    return most > 0 ? within_budgets(b, lot, most) : 0;
}

/* ---- Taking and giving back ---- */

static int has_budget(const sked_preempt_input *in, uint32_t k)
{
    return (in->budget && in->budget[k] != SKED_UNLIMITED) ||
           (in->partition_budget && in->partition_budget[k] != SKED_UNLIMITED);
}

/* Only what has a budget is counted as spent, so no sum passes one. */
static void book_spend(skedi_book *b, const skedi_lot *lot, int64_t copies)
{
    const sked_preempt_input *in = b->in;

    for (uint32_t k = 0; k < in->kinds; k++) {
        int64_t x = lot->amount[k] * copies;
        size_t q = (size_t)lot->queue * in->kinds + k;
        size_t u = (size_t)lot->user * in->kinds + k;
        if (has_budget(in, k)) b->spent[k] += x;
        if (in->queue_budget && in->queue_budget[q] != SKED_UNLIMITED) {
            b->queue_spent[q] += x;
        }
        if (in->user_budget && in->user_budget[u] != SKED_UNLIMITED) {
            b->user_spent[u] += x;
        }
    }
    if (in->job_budget) b->job_spent[lot->job] += lot->tasks * copies;
}

static void book_change(skedi_book *b, skedi_lot *lot, uint32_t rule,
                        int64_t copies)
{
    const sked_preempt_input *in = b->in;

    b->class_taken[lot->class] += copies;
    b->user_class_taken[lot->user_class] += copies;
    if (rule == SKED_PREEMPT_REASON_OVER) {
        for (uint32_t k = 0; k < in->kinds; k++) {
            b->taken[(size_t)lot->queue * in->kinds + k] += lot->amount[k] *
                                                            copies;
        }
        b->gave[lot->queue] = (uint32_t)(b->gave[lot->queue] + copies);
    }
    lot->taken = (uint32_t)(lot->taken + copies);
    if (!lot->marked) book_spend(b, lot, copies);
}

void skedi_book_take(skedi_book *b, skedi_lot *lot, uint32_t rule,
                     uint32_t copies)
{
    book_change(b, lot, rule, copies);
}

void skedi_book_give_back(skedi_book *b, skedi_lot *lot, uint32_t rule,
                          uint32_t copies)
{
    book_change(b, lot, rule, -(int64_t)copies);
}

/* ---- Requests ---- */

/* How many more of `amount` stay within `share`, in every kind asked for. */
static uint32_t within_share(const int64_t *amount, const int64_t *usage,
                             const int64_t *served, const int64_t *share,
                             uint32_t kinds, uint32_t most)
{
    for (uint32_t k = 0; k < kinds; k++) {
        if (amount[k] > 0 && served[k] == SKED_UNLIMITED) return 0;
        if (amount[k] > 0) {
            most = within(most, share[k] - usage[k] - served[k], amount[k]);
        }
    }
    return most;
}

uint32_t skedi_book_claims(const skedi_book *b, uint32_t request, uint32_t most)
{
    const sked_preempt_input *in = b->in;
    size_t at = (size_t)in->request_queue[request] * in->kinds;

    return within_share(in->request_amount + (size_t)request * in->kinds,
                        in->usage + at, b->served + at, in->share + at,
                        in->kinds, most);
}

uint32_t skedi_book_user_claims(const skedi_book *b, uint32_t request,
                                uint32_t most)
{
    const sked_preempt_input *in = b->in;
    size_t at = (size_t)in->request_user[request] * in->kinds;

    return within_share(in->request_amount + (size_t)request * in->kinds,
                        in->user_usage + at, b->user_served + at,
                        in->user_share + at, in->kinds, most);
}

int skedi_book_user_over(const skedi_book *b, uint32_t request)
{
    const sked_preempt_input *in = b->in;
    const int64_t *amount = in->request_amount + (size_t)request * in->kinds;
    size_t at = (size_t)in->request_user[request] * in->kinds;

    for (uint32_t k = 0; k < in->kinds; k++) {
        int64_t served = b->user_served[at + k];
        if (amount[k] == 0) continue;
        if (served == SKED_UNLIMITED ||
            in->user_share[at + k] - in->user_usage[at + k] < served) {
            return 1;
        }
    }
    return 0;
}

/* Does a lot hold a kind of which nothing is to be taken from its queue? */
static int is_spared(const sked_preempt_input *in, const skedi_lot *lot)
{
    const int64_t *keep = in->keep + (size_t)lot->queue * in->kinds;

    for (uint32_t k = 0; k < in->kinds; k++) {
        if (lot->amount[k] > 0 && keep[k] == SKED_UNLIMITED) return 1;
    }
    return 0;
}

uint32_t skedi_rule_inside(const sked_preempt_input *in, uint32_t request,
                           const skedi_lot *lot)
{
    int by_user = (in->flags & SKED_PREEMPT_FLAG_BY_USER) != 0;
    int by_priority = (in->flags & SKED_PREEMPT_FLAG_BY_PRIORITY) != 0;

    if (in->request_queue[request] != lot->queue) return 0;
    if (is_spared(in, lot)) return 0;
    if (by_user && in->request_user[request] != lot->user) {
        return SKED_PREEMPT_REASON_USER;
    }
    int32_t mine = in->request_priority ? in->request_priority[request] : 0;
    return by_priority && lot->priority < mine ? SKED_PREEMPT_REASON_PRIORITY
                                               : 0;
}

void skedi_book_serve(skedi_book *b, uint32_t request, int claim,
                      uint32_t count)
{
    const sked_preempt_input *in = b->in;
    const int64_t *amount = in->request_amount + (size_t)request * in->kinds;
    size_t queue = (size_t)in->request_queue[request] * in->kinds;
    const uint32_t *class = b->scene->queue_surplus.of_request;

    if (class) b->class_served[class[request]] += count;
    for (uint32_t k = 0; k < in->kinds; k++) {
        if (claim) b->served[queue + k] += amount[k] * count;
        if (!in->request_user || !in->user_usage) continue;
        size_t user = (size_t)in->request_user[request] * in->kinds + k;
        b->user_served[user] = skedi_amount_add(b->user_served[user],
                                                amount[k] * count);
    }
}
