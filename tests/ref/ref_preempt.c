#include "ref_preempt.h"

#include <string.h>

static uint32_t tasks_of(const sked_preempt_input *in, uint32_t row)
{
    return in->count ? in->count[row] : 1;
}

static int marked(const sked_preempt_input *in, uint32_t row)
{
    return in->state && (in->state[row] & SKED_PREEMPT_CANDIDATE_MARKED);
}

static const int64_t *keep_of(const sked_preempt_input *in)
{
    return in->keep ? in->keep : in->share;
}

static int64_t take_of(const sked_preempt_input *in, size_t at)
{
    int64_t over = in->usage[at] - keep_of(in)[at];

    if (in->take) return in->take[at];
    return over > 0 ? over : 0;
}

/* Is keep looked at in a kind? By need only in those that are needed. */
static int is_judged(const sked_preempt_input *in, uint32_t k)
{
    return in->n_requests > 0 || in->need[k] > 0;
}

/* A queue gives when in some such kind it has more than it keeps, and take. */
static int gives(const sked_preempt_input *in, uint32_t q)
{
    for (uint32_t k = 0; k < in->kinds; k++) {
        size_t at = q * in->kinds + k;
        if (is_judged(in, k) && in->usage[at] > keep_of(in)[at] &&
            take_of(in, at) > 0)
            return 1;
    }
    return 0;
}

static int64_t amount_of(const sked_preempt_input *in, uint32_t row, uint32_t k)
{
    return in->amount[row * in->kinds + k];
}

/* ---- Surplus ---- */

static int is_fixed(const sked_preempt_input *in, uint32_t row)
{
    return in->state && (in->state[row] & SKED_PREEMPT_CANDIDATE_FIXED);
}

/* Is row `b` of what goes together with row `a`? */
static int goes_with(const sked_preempt_input *in, uint32_t a, uint32_t b)
{
    if (!in->gang || !in->gang[a]) return a == b;
    return in->gang[a] == in->gang[b] && tasks_of(in, b) > 0;
}

/* Copies (tasks, or a whole gang) that a row stands for: a gang is the first
 * row of it that has tasks, and none of it where one of them is fixed. */
static uint32_t copies_of(const sked_preempt_input *in, uint32_t row)
{
    int is_gang = in->gang && in->gang[row];

    if (!tasks_of(in, row)) return 0;
    for (uint32_t i = 0; i < in->n; i++) {
        if (!goes_with(in, row, i)) continue;
        if (is_fixed(in, i) || i < row) return 0;
    }
    return is_gang ? 1 : tasks_of(in, row);
}

/* What one copy holds. */
static int64_t copy_amount(const sked_preempt_input *in, uint32_t row,
                           uint32_t k)
{
    int64_t sum = 0;

    if (!in->gang || !in->gang[row]) return amount_of(in, row, k);
    for (uint32_t i = 0; i < in->n; i++) {
        if (goes_with(in, row, i)) sum += tasks_of(in, i) * amount_of(in, i, k);
    }
    return sum;
}

/* Below 0: copies of row `a` are protected before those of `b`; 0: alike. */
static int protected_first(const sked_preempt_input *in, uint32_t a, uint32_t b)
{
    int32_t of_a = in->priority ? in->priority[a] : 0;
    int32_t of_b = in->priority ? in->priority[b] : 0;

    if (of_a != of_b) return of_a > of_b ? -1 : 1;
    for (uint32_t k = 0; k < in->kinds; k++) {
        int64_t x = copy_amount(in, a, k), y = copy_amount(in, b, k);
        if (x != y) return x < y ? -1 : 1;
    }
    return 0;
}

/* What queue `q` keeps of a kind for its candidates. */
static int64_t left_for(const sked_preempt_input *in, uint32_t q, uint32_t k)
{
    size_t at = q * in->kinds + k;
    int64_t others = in->usage[at];

    if (keep_of(in)[at] == SKED_UNLIMITED) return SKED_UNLIMITED;
    for (uint32_t i = 0; i < in->n; i++) {
        if (in->queue[i] == q)
            others -= copies_of(in, i) * copy_amount(in, i, k);
    }
    return keep_of(in)[at] - (others > 0 ? others : 0);
}

/* Protects one copy if it fits into what is left; where nothing may be taken
 * of a kind that it holds, it is protected beside the rest. */
static int protect(const sked_preempt_input *in, uint32_t row, int64_t *left)
{
    for (uint32_t k = 0; k < in->kinds; k++) {
        if (copy_amount(in, row, k) > 0 && left[k] == SKED_UNLIMITED) return 1;
    }
    for (uint32_t k = 0; k < in->kinds; k++) {
        int64_t x = copy_amount(in, row, k);
        if (x > 0 && x > left[k]) return 0;
    }
    for (uint32_t k = 0; k < in->kinds; k++) {
        if (left[k] != SKED_UNLIMITED) left[k] -= copy_amount(in, row, k);
    }
    return 1;
}

/* By row, how many copies of queue `q` are surplus; one by one, in the order in
 * which they are protected. */
static void find_surplus(const sked_preempt_input *in, uint32_t q,
                         uint32_t *surplus)
{
    int64_t left[SKED_MAX_KINDS];
    uint8_t done[REF_MOST_ROWS] = {0};

    for (uint32_t k = 0; k < in->kinds; k++) left[k] = left_for(in, q, k);
    memset(surplus, 0, REF_MOST_ROWS * sizeof *surplus);
    for (;;) {
        uint32_t next = (uint32_t)in->n;
        for (uint32_t i = 0; i < in->n; i++) {
            if (in->queue[i] != q || done[i]) continue;
            if (next == in->n || protected_first(in, i, next) < 0) next = i;
        }
        if (next == in->n) return;
        done[next] = 1;
        for (uint32_t c = 0; c < copies_of(in, next); c++) {
            surplus[next] += !protect(in, next, left);
        }
    }
}

/* Does the set take no more copies of any sort than are surplus? */
static int is_surplus(const sked_preempt_input *in, const ref_set *set,
                      uint32_t q)
{
    uint32_t surplus[REF_MOST_ROWS];

    find_surplus(in, q, surplus);
    for (uint32_t i = 0; i < in->n; i++) {
        int64_t left = 0;
        if (in->queue[i] != q || !copies_of(in, i)) continue;
        for (uint32_t j = 0; j < in->n; j++) {
            if (in->queue[j] != q || protected_first(in, i, j)) continue;
            int is_gang = in->gang && in->gang[j];
            if (!copies_of(in, j)) continue;
            left += surplus[j];
            left -= is_gang ? set->count[j] > 0 : set->count[j];
        }
        if (left < 0) return 0;
    }
    return 1;
}

/* ---- Between queues ---- */

/* What the set takes of queue `q`. */
static int64_t taken_of(const sked_preempt_input *in, const ref_set *set,
                        uint32_t q, uint32_t k)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < in->n; i++) {
        if (in->queue[i] == q) sum += set->count[i] * amount_of(in, i, k);
    }
    return sum;
}

/* Copies (tasks, or a whole gang) that the set takes of a queue. */
static uint32_t copies_of_queue(const sked_preempt_input *in,
                                const ref_set *set, uint32_t q)
{
    uint32_t copies = 0;

    for (uint32_t i = 0; i < in->n; i++) {
        int again = 0;
        if (in->queue[i] != q || !set->count[i]) continue;
        for (uint32_t j = 0; in->gang && in->gang[i] && j < i; j++) {
            again |= in->gang[j] == in->gang[i] && set->count[j] > 0;
        }
        copies += in->gang && in->gang[i] ? !again : set->count[i];
    }
    return copies;
}

static int queue_may(const sked_preempt_input *in, const ref_set *set,
                     uint32_t q)
{
    uint32_t copies = copies_of_queue(in, set, q);
    int beyond = 0;

    if (copies == 0) return 1;
    if (!gives(in, q)) return 0;
    if (in->n_requests && !is_surplus(in, set, q)) return 0;
    for (uint32_t k = 0; k < in->kinds; k++) {
        int64_t taken = taken_of(in, set, q, k);
        size_t at = q * in->kinds + k;
        int falls = taken > 0 && in->usage[at] - taken < keep_of(in)[at];
        if (!in->n_requests && is_judged(in, k) && falls) return 0;
        beyond |= in->usage[at] > keep_of(in)[at] && taken > take_of(in, at);
    }
    return !(in->n_requests && in->take && beyond && copies > 1);
}

/* A gang goes whole or not at all; a fixed row never. */
static int row_may(const sked_preempt_input *in, const ref_set *set, uint32_t i)
{
    if (set->count[i] == 0) return 1;
    if (is_fixed(in, i)) return 0;
    for (uint32_t j = 0; in->gang && in->gang[i] && j < in->n; j++) {
        if (in->gang[j] != in->gang[i] || !tasks_of(in, j)) continue;
        if (set->count[j] != tasks_of(in, j)) return 0;
        if (is_fixed(in, j)) return 0;
    }
    return 1;
}

/* Is all that is not marked within one budget? `who` NULL: the round's. */
static int within_budget(const sked_preempt_input *in, const ref_set *set,
                         const uint32_t *who, const int64_t *budget, size_t at)
{
    uint32_t k = (uint32_t)(at % in->kinds);
    int64_t sum = 0;

    for (uint32_t i = 0; i < in->n; i++) {
        if ((who && who[i] != at / in->kinds) || marked(in, i)) continue;
        sum += set->count[i] * amount_of(in, i, k);
    }
    return sum <= budget[at];
}

static int budgets_hold(const sked_preempt_input *in, const ref_set *set)
{
    for (uint32_t k = 0; k < in->kinds; k++) {
        if (in->budget && !within_budget(in, set, NULL, in->budget, k)) {
            return 0;
        }
        if (in->partition_budget &&
            !within_budget(in, set, NULL, in->partition_budget, k)) {
            return 0;
        }
        for (size_t q = 0; in->queue_budget && q < in->n_queues; q++) {
            if (!within_budget(in, set, in->queue, in->queue_budget,
                               q * in->kinds + k)) {
                return 0;
            }
        }
        for (size_t u = 0; in->user_budget && u < in->n_users; u++) {
            if (!within_budget(in, set, in->user, in->user_budget,
                               u * in->kinds + k)) {
                return 0;
            }
        }
    }
    for (uint32_t j = 0; in->job_budget && j < in->n_jobs; j++) {
        int64_t tasks = 0;
        for (uint32_t i = 0; i < in->n; i++) {
            if (in->job[i] == j && !marked(in, i)) tasks += set->count[i];
        }
        if (tasks > in->job_budget[j]) return 0;
    }
    return 1;
}

int ref_may_go(const sked_preempt_input *in, const ref_set *set,
               uint32_t request)
{
    for (uint32_t i = 0; i < in->n; i++) {
        if (!row_may(in, set, i)) return 0;
        if (request != SKED_NO_ROW && set->count[i] &&
            in->queue[i] == in->request_queue[request]) {
            return 0;
        }
    }
    for (uint32_t q = 0; q < in->n_queues; q++) {
        if (!queue_may(in, set, q)) return 0;
    }
    return budgets_hold(in, set);
}

int64_t ref_cost(const sked_preempt_input *in, const ref_set *set)
{
    int64_t cost = 0;

    for (uint32_t i = 0; i < in->n; i++) {
        if (marked(in, i)) continue;
        cost += set->count[i] * (in->cost ? in->cost[i] : 1);
    }
    return cost;
}

void ref_covered(const sked_preempt_input *in, const ref_set *set,
                 int64_t *covered)
{
    for (uint32_t k = 0; k < in->kinds; k++) {
        covered[k] = 0;
        for (uint32_t q = 0; q < in->n_queues; q++) {
            int64_t taken = taken_of(in, set, q, k);
            int64_t take = take_of(in, q * in->kinds + k);
            covered[k] += taken < take ? taken : take;
        }
        if (covered[k] > in->need[k]) covered[k] = in->need[k];
    }
}

static int covers(const sked_preempt_input *in, const ref_set *set,
                  const int64_t *need)
{
    int64_t covered[SKED_MAX_KINDS];

    ref_covered(in, set, covered);
    for (uint32_t k = 0; k < in->kinds; k++) {
        if (covered[k] < need[k]) return 0;
    }
    return 1;
}

/* Does `more` cover more than `set` in some kind? */
static int covers_more(const sked_preempt_input *in, const ref_set *set,
                       const ref_set *more)
{
    int64_t before[SKED_MAX_KINDS], after[SKED_MAX_KINDS];

    ref_covered(in, set, before);
    ref_covered(in, more, after);
    return memcmp(before, after, in->kinds * sizeof *before) != 0;
}

/* One more task of a row; of a gang all of it, at its last row in order. */
static int add_copy(const sked_preempt_input *in, const uint32_t *order,
                    uint32_t at, ref_set *set)
{
    uint32_t row = order[at];

    if (!in->gang || !in->gang[row]) {
        return set->count[row]++ < tasks_of(in, row);
    }
    for (uint32_t i = at + 1; i < in->n; i++) {
        if (in->gang[order[i]] == in->gang[row] && tasks_of(in, order[i])) {
            return 0;
        }
    }
    for (uint32_t i = 0; i < in->n; i++) {
        if (in->gang[i] != in->gang[row]) continue;
        if (set->count[i]) return 0; /* it went before */
        set->count[i] = tasks_of(in, i);
    }
    return 1;
}

void ref_walk(const sked_preempt_input *in, const uint32_t *order, ref_set *set)
{
    memset(set, 0, sizeof *set);
    for (uint32_t at = 0; at < in->n; at++) {
        for (;;) {
            ref_set more = *set;
            if (!add_copy(in, order, at, &more) ||
                !ref_may_go(in, &more, SKED_NO_ROW) ||
                !covers_more(in, set, &more)) {
                break;
            }
            *set = more;
        }
    }
}

/* The next set of all there are; 0 after the last. */
static int next_set(const sked_preempt_input *in, ref_set *set)
{
    for (uint32_t i = 0; i < in->n; i++) {
        if (set->count[i] < tasks_of(in, i)) {
            set->count[i]++;
            return 1;
        }
        set->count[i] = 0;
    }
    return 0;
}

int64_t ref_least_cost(const sked_preempt_input *in, const int64_t *need)
{
    ref_set set = {{0}};
    int64_t least = -1;

    do {
        int64_t cost = ref_cost(in, &set);
        if (least >= 0 && cost >= least) continue;
        if (!covers(in, &set, need)) continue;
        if (ref_may_go(in, &set, SKED_NO_ROW)) least = cost;
    } while (next_set(in, &set));
    return least;
}

/* Does the node hold one task of the request when the set has gone? */
static int holds(const sked_preempt_input *in, const ref_set *set,
                 uint32_t request, uint32_t node)
{
    for (uint32_t k = 0; k < in->kinds; k++) {
        int64_t free = in->free ? in->free[node * in->kinds + k] : 0;
        for (uint32_t i = 0; i < in->n; i++) {
            if (in->n_nodes && in->node[i] != node) continue;
            free += set->count[i] * amount_of(in, i, k);
        }
        if (free < in->request_amount[request * in->kinds + k]) return 0;
    }
    return 1;
}

static int fits_somewhere(const sked_preempt_input *in, const ref_set *set,
                          uint32_t request)
{
    const uint32_t *from = in->place_offset ? in->place_offset + request : NULL;

    if (!from || from[0] == from[1]) {
        for (uint32_t n = 0; n < (in->n_nodes ? in->n_nodes : 1); n++) {
            if (holds(in, set, request, n)) return 1;
        }
        return 0;
    }
    for (uint32_t i = from[0]; i < from[1]; i++) {
        if (holds(in, set, request, in->place[i])) return 1;
    }
    return 0;
}

static int is_claim(const sked_preempt_input *in, uint32_t request)
{
    size_t queue = (size_t)in->request_queue[request] * in->kinds;

    for (uint32_t k = 0; k < in->kinds; k++) {
        int64_t asked = in->request_amount[request * in->kinds + k];
        if (asked && in->usage[queue + k] + asked > in->share[queue + k]) {
            return 0;
        }
    }
    return 1;
}

int64_t ref_least_placement(const sked_preempt_input *in, uint32_t request)
{
    ref_set set = {{0}};
    int64_t least = -1;

    if (!is_claim(in, request)) return -1;
    do {
        int64_t cost = ref_cost(in, &set);
        if (least >= 0 && cost >= least) continue;
        if (!fits_somewhere(in, &set, request)) continue;
        if (ref_may_go(in, &set, request)) least = cost;
    } while (next_set(in, &set));
    return least;
}
