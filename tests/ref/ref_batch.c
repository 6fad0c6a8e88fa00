/* See ref_batch.h. */
#include "ref_batch.h"

#include <string.h>

/* ---- Orders ---- */

/* Insertion sort, the largest key first, ties by task. */
static void largest_first(const ref_batch *b, const int64_t *key, int *order)
{
    for (int i = 0; i < b->tasks; i++) {
        int at = i;
        for (; at > 0 && key[order[at - 1]] < key[i]; at--) {
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
}

static int within(const ref_batch *b, int64_t width)
{
    if (width < 1) return 1;
    return width > b->slots ? b->slots : (int)width;
}

/* num / den to the nearest, halves up. */
static int64_t nearest(int64_t num, int64_t den)
{
    return (2 * num + den) / (2 * den);
}

void ref_batch_multi(const ref_batch *b, int clusters, ref_batch_plan *plan)
{
    int64_t less[REF_BATCH_TASKS];

    for (int j = 0; j < b->tasks; j++) {
        less[j] = -b->bytes[j];
        plan->width[j] = within(b, (int64_t)b->slots * clusters / b->tasks);
    }
    largest_first(b, less, plan->order);
    plan->overtake = 0;
}

void ref_batch_greedy(const ref_batch *b, ref_batch_plan *plan)
{
    largest_first(b, b->bytes, plan->order);
    int64_t largest = b->bytes[plan->order[0]];
    for (int j = 0; j < b->tasks; j++) {
        plan->width[j] = within(
            b, largest ? nearest(b->slots * b->bytes[j], 2 * largest) : 0);
    }
    plan->overtake = 0;
}

static void from_both_ends(const ref_batch *b, int64_t sigma_ppm, int *order)
{
    static const int64_t weight[5] = {500000, 1000000, 2000000, 3000000,
                                      4000000};
    int sorted[REF_BATCH_TASKS], head = 0, tail = b->tasks - 1, n = 0;

    largest_first(b, b->blocks, sorted);
    while (head <= tail) {
        order[n++] = sorted[head++];
        for (int64_t sum = 0; head <= tail && sum < sigma_ppm; tail--) {
            sum += weight[b->label[sorted[tail]]];
            order[n++] = sorted[tail];
        }
    }
}

void ref_batch_data_driven(const ref_batch *b, int is_simple, int window,
                           int64_t sigma_ppm, int64_t tau_ppm,
                           ref_batch_plan *plan)
{
    from_both_ends(b, sigma_ppm, plan->order);
    if (is_simple) window = b->tasks;
    for (int from = 0; from < b->tasks; from += window) {
        int to = from + window < b->tasks ? from + window : b->tasks;
        int64_t sum = 0;
        for (int i = from; i < to; i++) sum += b->blocks[plan->order[i]];
        for (int i = from; i < to; i++) {
            int j = plan->order[i];
            int64_t halves = 2 * b->label[j];
            if (!is_simple && b->label[j] == 0) halves = 1;
            /* Over the common denominator sum * nodes * 2,000,000. */
            int64_t den = sum * b->nodes * 2000000;
            int64_t num = b->blocks[j] * (to - from) * b->slots * 2000000 +
                          tau_ppm * halves * sum * b->nodes;
            int64_t width = nearest(num, den);
            int64_t cap = nearest(b->slots * INT64_C(1000000), sigma_ppm);
            if (width > cap) width = cap;
            if (is_simple && width > b->blocks[j]) width = b->blocks[j];
            plan->width[j] = within(b, width);
        }
    }
    plan->overtake = 0;
}

/* ---- Clusters ---- */

/* Of sorted positions from to to - 1. */
static int64_t spread_between(const int64_t *size, int from, int to)
{
    int64_t sum = 0, twice = 0, n = to - from;

    for (int i = from; i < to; i++) sum += size[i];
    for (int i = from; i < to; i++) {
        twice += (n * size[i] - sum) * (n * size[i] - sum);
    }
    return twice / (n * n);
}

static int64_t cut_rest(const int64_t *size, int from, int to, int clusters)
{
    int64_t least = INT64_MAX;

    if (clusters == 1) return spread_between(size, from, to);
    for (int at = from + 1; at <= to - clusters + 1; at++) {
        int64_t cost = spread_between(size, from, at) +
                       cut_rest(size, at, to, clusters - 1);
        if (cost < least) least = cost;
    }
    return least;
}

int64_t ref_batch_spread(const ref_batch *b, int clusters)
{
    int order[REF_BATCH_TASKS];
    int64_t size[REF_BATCH_TASKS];

    largest_first(b, b->bytes, order);
    for (int i = 0; i < b->tasks; i++) {
        size[i] = b->bytes[order[b->tasks - 1 - i]];
    }
    return cut_rest(size, 0, b->tasks, clusters);
}

/* ---- Running ---- */

static int free_slots(const ref_batch *b, const ref_batch_plan *plan,
                      int64_t now)
{
    int taken = 0;

    for (int j = 0; j < b->tasks; j++) {
        if (plan->start[j] >= 0 && plan->end[j] > now) taken += plan->width[j];
    }
    return b->slots - taken;
}

int64_t ref_batch_run(const ref_batch *b, ref_batch_plan *plan)
{
    int64_t end = 0;
    int left = b->tasks;

    for (int j = 0; j < b->tasks; j++) plan->start[j] = -1;
    for (int64_t now = 0; left > 0; now++) {
        int stuck = 0;
        for (int i = 0; i < b->tasks && !stuck; i++) {
            int j = plan->order[i];
            if (plan->start[j] >= 0) continue;
            if (plan->width[j] > free_slots(b, plan, now)) {
                stuck = !plan->overtake;
                continue;
            }
            plan->start[j] = now;
            plan->end[j] = now + b->time[j][plan->width[j]];
            if (plan->end[j] > end) end = plan->end[j];
            left--;
        }
    }
    return end;
}

/* ---- The optimum ---- */

/* Every order of the tasks from position `at` on. */
static void try_orders(const ref_batch *b, ref_batch_plan *plan, int at,
                       int64_t *best)
{
    if (at == b->tasks) {
        int64_t end = ref_batch_run(b, plan);
        if (end < *best) *best = end;
        return;
    }
    for (int i = at; i < b->tasks; i++) {
        int held = plan->order[at];
        plan->order[at] = plan->order[i];
        plan->order[i] = held;
        try_orders(b, plan, at + 1, best);
        plan->order[i] = plan->order[at];
        plan->order[at] = held;
    }
}

int64_t ref_batch_optimum(const ref_batch *b)
{
    ref_batch_plan plan = {.overtake = 0};
    int64_t best = INT64_MAX;
    int at = 0;

    for (int j = 0; j < b->tasks; j++) {
        plan.order[j] = j;
        plan.width[j] = 1;
    }
    while (at < b->tasks) {
        try_orders(b, &plan, 0, &best);
        for (at = 0; at < b->tasks && ++plan.width[at] > b->slots; at++) {
            plan.width[at] = 1;
        }
    }
    return best;
}

/* ---- Bounds ---- */

/* The least work with every task within `num` / slots; -1 when one is not. */
static int64_t work_within(const ref_batch *b, int64_t num)
{
    int64_t sum = 0;

    for (int j = 0; j < b->tasks; j++) {
        int64_t least = -1;
        for (int k = 1; k <= b->slots; k++) {
            int64_t work = k * b->time[j][k];
            if (b->time[j][k] * b->slots > num) continue;
            if (least < 0 || work < least) least = work;
        }
        if (least < 0) return -1;
        sum += least;
    }
    return sum;
}

/* All fractions of ticks with the slots as denominator, from 0: between two of
 * them nothing changes, since times and work are whole. */
ref_batch_dual ref_batch_bound(const ref_batch *b)
{
    ref_batch_dual dual = {0, 0};

    for (;; dual.num++) {
        int64_t work = work_within(b, dual.num);
        if (work >= 0 && work <= dual.num) break;
    }
    dual.whole = (dual.num + b->slots - 1) / b->slots;
    return dual;
}

/* ---- Metrics ---- */

static int64_t use_at(const ref_batch *b, const ref_batch_plan *plan, int64_t t)
{
    int64_t use = 0;

    for (int j = 0; j < b->tasks; j++) {
        if (plan->start[j] <= t && plan->end[j] > t) use += plan->width[j];
    }
    return use;
}

static int is_event(const ref_batch *b, const ref_batch_plan *plan, int64_t t)
{
    for (int j = 0; j < b->tasks; j++) {
        if (plan->start[j] == t || plan->end[j] == t) return 1;
    }
    return 0;
}

static int64_t use_between(const ref_batch *b, const ref_batch_plan *plan,
                           int64_t from, int64_t to)
{
    int64_t sum = 0;

    for (int64_t t = from; t < to; t++) sum += use_at(b, plan, t);
    return sum;
}

static int64_t find_knee(const ref_batch *b, const ref_batch_plan *plan,
                         int64_t end)
{
    int64_t best = INT64_MIN, found = 0;
    const int64_t unit = INT64_C(1) << 30;

    for (int64_t t = 1; t < end; t++) {
        if (!is_event(b, plan, t)) continue;
        int64_t fall = use_between(b, plan, 0, t) * unit / t -
                       use_between(b, plan, t, end) * unit / (end - t);
        if (fall <= best) continue;
        best = fall;
        found = t;
    }
    return found;
}

static int64_t median_of(const ref_batch *b, const ref_batch_plan *plan)
{
    int64_t less[REF_BATCH_TASKS] = {0};
    int order[REF_BATCH_TASKS] = {0};

    for (int j = 0; j < b->tasks; j++) less[j] = plan->end[j] - plan->start[j];
    largest_first(b, less, order);
    return less[order[(b->tasks - 1) / 2]] + less[order[b->tasks / 2]];
}

ref_batch_metrics ref_batch_measure(const ref_batch *b,
                                    const ref_batch_plan *plan, int rule,
                                    int64_t theta_ppm)
{
    ref_batch_metrics m = {0, 0, 0, 0, median_of(b, plan)};
    int64_t last = 0;

    for (int j = 0; j < b->tasks; j++) {
        if (plan->end[j] > m.makespan) m.makespan = plan->end[j];
        if (plan->start[j] > last) last = plan->start[j];
    }
    m.t_hat = last;
    if (rule == 2) {
        m.t_hat = 0;
        for (int64_t t = 0; t < m.makespan; t++) {
            if (use_at(b, plan, t) * 1000000 >= theta_ppm * b->slots) {
                m.t_hat = t + 1;
            }
        }
    }
    if (rule == 3) m.t_hat = find_knee(b, plan, m.makespan);
    m.main_use = use_between(b, plan, 0, m.t_hat);
    m.tail_use = use_between(b, plan, m.t_hat, m.makespan);
    return m;
}
