/* ADAPT as it is written down: at every moment at which something ends, the
 * time by which all could be done, a part of it, and the fewest slots for it. */
#include "ref_batch.h"

#include <string.h>

typedef struct adapt_run {
    const ref_batch *b;
    ref_batch_plan *plan;
    int order[REF_BATCH_TASKS]; /* most work first */
    int state[REF_BATCH_TASKS]; /* 0 waits, 1 runs, 2 is done */
    int64_t expect[REF_BATCH_TASKS];
    int64_t now;
    int free;
} adapt_run;

/* Is a width faster than all smaller ones? */
static int is_useful(const ref_batch *b, int j, int k)
{
    for (int i = 1; i < k; i++) {
        if (b->time[j][i] <= b->time[j][k]) return 0;
    }
    return 1;
}

/* The fewest useful slots that take no longer, or else the fastest. */
static int fewest(const ref_batch *b, int j, int64_t ticks)
{
    int last = 1;

    for (int k = 1; k <= b->slots; k++) {
        if (!is_useful(b, j, k)) continue;
        last = k;
        if (b->time[j][k] <= ticks) break;
    }
    return last;
}

static int64_t least_work(const ref_batch *b, int j)
{
    int64_t least = b->time[j][1];

    for (int k = 2; k <= b->slots; k++) {
        if (k * b->time[j][k] < least) least = k * b->time[j][k];
    }
    return least;
}

static int is_enough(const adapt_run *r, int64_t until)
{
    int64_t need = 0, there = r->b->slots * (until - r->now);

    for (int j = 0; j < r->b->tasks; j++) {
        int64_t end = r->expect[j] < until ? r->expect[j] : until;
        int k = fewest(r->b, j, until - r->now);
        if (r->state[j] == 0) need += k * r->b->time[j][k];
        if (r->state[j] == 1) there -= r->plan->width[j] * (end - r->now);
    }
    return need <= there;
}

static int64_t by_when(const adapt_run *r)
{
    int64_t low = r->now, latest = r->now;

    for (int j = 0; j < r->b->tasks; j++) {
        int64_t fastest = r->now + r->b->time[j][fewest(r->b, j, 0)];
        if (r->state[j] == 0 && fastest > low) low = fastest;
        if (r->state[j] == 1 && r->expect[j] > latest) latest = r->expect[j];
    }
    int64_t high = latest > low ? latest : low;
    while (!is_enough(r, high)) high += (high - r->now) / 4 + 1;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (is_enough(r, middle)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return high > latest ? high : latest;
}

/* The next useful width of a task, or 0. */
static int next_width(const ref_batch *b, int j, int k)
{
    for (k++; k <= b->slots; k++) {
        if (is_useful(b, j, k)) return k;
    }
    return 0;
}

/* The longest of those begun that can have more slots gets them. */
static int widen_one(adapt_run *r, const int *begun, int n)
{
    int best = -1, width = 0;

    for (int i = 0; i < n; i++) {
        int j = begun[i], k = r->plan->width[j];
        int more = next_width(r->b, j, k);
        if (!more || more - k > r->free) continue;
        if (best >= 0 &&
            r->b->time[j][k] <= r->b->time[best][r->plan->width[best]]) {
            continue;
        }
        best = j;
        width = more;
    }
    if (best < 0) return 0;
    r->free -= width - r->plan->width[best];
    r->plan->width[best] = width;
    return 1;
}

static void start_some(adapt_run *r, int64_t eta_ppm)
{
    int begun[REF_BATCH_TASKS], n = 0, waiting = 0;
    int64_t target;

    for (int j = 0; j < r->b->tasks; j++) waiting += r->state[j] == 0;
    if (!waiting || !r->free) return;
    for (int j = 0; j < r->b->tasks; j++) {
        if (r->state[j] != 1) continue;
        int64_t late = (r->now - r->plan->start[j]) / 50;
        if (late < 1) late = 1;
        if (r->expect[j] < r->now + late) r->expect[j] = r->now + late;
    }
    target = (by_when(r) - r->now) * eta_ppm / 1000000;
    for (int i = 0; i < r->b->tasks; i++) {
        int j = r->order[i], k = fewest(r->b, j, target);
        if (r->state[j] != 0 || k > r->free) continue;
        r->state[j] = 1;
        r->plan->width[j] = k;
        r->free -= k;
        begun[n++] = j;
    }
    if (n == waiting) {
        while (widen_one(r, begun, n)) continue;
    }
    for (int i = 0; i < n; i++) {
        int j = begun[i];
        r->plan->start[j] = r->now;
        r->plan->end[j] = r->expect[j] = r->now +
                                         r->b->time[j][r->plan->width[j]];
    }
}

int64_t ref_batch_adapt(const ref_batch *b, int64_t eta_ppm,
                        ref_batch_plan *plan)
{
    adapt_run r = {.b = b, .plan = plan, .free = b->slots};
    int done = 0;

    for (int i = 0; i < b->tasks; i++) {
        int at = i;
        for (; at > 0 && least_work(b, r.order[at - 1]) < least_work(b, i);
             at--) {
            r.order[at] = r.order[at - 1];
        }
        r.order[at] = i;
    }
    while (done < b->tasks) {
        start_some(&r, eta_ppm);
        int64_t next = INT64_MAX;
        for (int j = 0; j < b->tasks; j++) {
            if (r.state[j] == 1 && plan->end[j] < next) next = plan->end[j];
        }
        r.now = next;
        for (int j = 0; j < b->tasks; j++) {
            if (r.state[j] != 1 || plan->end[j] != next) continue;
            r.state[j] = 2;
            r.free += plan->width[j];
            done++;
        }
    }
    return r.now;
}
