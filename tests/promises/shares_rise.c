/*
 * Progressive filling of a whole tree, by events: all amounts rise at fixed
 * speeds until the next event. Events: all tasks of a profile run; a queue reaches
 * a limit, its guarantee or its part; a child catches up with a sibling; another
 * kind becomes the largest. Steps are few, as each event is
 * final or one of a family's order.
 */
#include "shares_rise.h"

#include <float.h>
#include <string.h>

enum { RISE_STEPS_MOST = 4000 };

#define RISE_NEAR 1e-9

/* The place of a child among its siblings, and how fast its value grows. */
typedef struct rise_place {
    int stage; /* -1: at rest; 0: below its guarantee; 1: by its key;
                  2: after all keys */
    double value, grows;
} rise_place;

/* The divisors of a key. */
typedef struct rise_base {
    uint32_t kinds;
    double by[WORLD_KINDS], weight;
} rise_base;

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double slack(double mark)
{
    double size = mark < 0 ? -mark : mark;

    return RISE_NEAR * larger(size, 1e-6);
}

int rise_reaches(double amount, double mark)
{
    return amount >= mark - slack(mark) - 1e-12;
}

static int is_equal(double a, double b)
{
    return rise_reaches(a, b) && rise_reaches(b, a);
}

static uint32_t kinds_of(const rise *r)
{
    return r->s->w->kinds;
}

static int32_t parent_of(const rise *r, uint32_t row)
{
    return r->s->queue[row].parent;
}

static double weight_of(const rise *r, uint32_t row)
{
    int64_t weight = r->s->queue[row].number[SKED_QUEUE_WEIGHT];

    return weight == SKED_UNSET ? 1 : (double)weight;
}

/* ---- Profiles ---- */

static double step_of(const rise *r, uint32_t ask, uint32_t k)
{
    const world_ask *a = &r->s->w->ask[ask];
    int gang = world_is_gang(a) && !(r->twist & RISE_STEPS);

    return (double)(gang ? a->amount[k] * a->count : a->amount[k]);
}

static int is_profile(const rise *r, uint32_t p, uint32_t leaf,
                      const double *task)
{
    return r->leaf[p] == leaf &&
           memcmp(r->task[p], task, sizeof r->task[p]) == 0;
}

static void add_ask(rise *r, uint32_t ask, int64_t tasks)
{
    const world_ask *a = &r->s->w->ask[ask];
    uint32_t leaf = (uint32_t)r->s->w->job[a->job].queue, p = 0;
    double task[WORLD_KINDS] = {0}, any = 0, steps = (double)tasks;

    for (uint32_t k = 0; k < kinds_of(r); k++) {
        task[k] = step_of(r, ask, k);
        any += task[k];
        if (a->amount[k] > 0) {
            steps = (double)(tasks * a->amount[k]) / task[k];
        }
    }
    if (tasks <= 0 || any <= 0) return;
    while (p < r->n && !is_profile(r, p, leaf, task)) p++;
    if (p == r->n) {
        r->leaf[r->n++] = leaf;
        memcpy(r->task[p], task, sizeof task);
    }
    r->wanted[p] += steps;
}

/* The dominant share of amounts. */
static double dominant(const rise *r, const double *amount)
{
    double most = 0;

    for (uint32_t k = 0; k < kinds_of(r); k++) {
        if (amount[k] <= 0) continue;
        if (r->s->capacity[k] <= 0) return DBL_MAX;
        most = larger(most, amount[k] / (double)r->s->capacity[k]);
    }
    return most;
}

/* ---- Amounts held, kinds that have run out ---- */

static void sum_held(rise *r)
{
    const world *w = r->s->w;

    for (uint32_t row = w->rows; row-- > 0;) {
        for (uint32_t k = 0; k < w->kinds; k++) {
            double sum = world_is_leaf(w, row) ? r->use[row][k] : 0;
            for (uint32_t c = row + 1; c < w->rows; c++) {
                if (parent_of(r, c) != (int32_t)row) continue;
                sum += larger(r->held[c][k], (double)r->s->row[c].kept[k]);
            }
            r->held[row][k] = sum;
        }
    }
}

/* Does a rise of a queue count in its parent? */
static int is_beyond_kept(const rise *r, uint32_t row, uint32_t k)
{
    return rise_reaches(r->held[row][k], (double)r->s->row[row].kept[k]);
}

static void block(rise *r)
{
    for (uint32_t row = 0; row < r->s->w->rows; row++) {
        int32_t up = parent_of(r, row);
        r->blocked[row] = 0;
        for (uint32_t k = 0; k < kinds_of(r); k++) {
            int64_t cap = r->s->row[row].cap[k];
            int above = up >= 0 && r->blocked[up] >> k & 1;
            int out = cap != SKED_UNLIMITED &&
                      rise_reaches(r->held[row][k], (double)cap);
            if (out || (above && is_beyond_kept(r, row, k))) {
                r->blocked[row] |= 1u << k;
            }
        }
    }
}

/* ---- Places among siblings ---- */

static rise_base base_of(const rise *r, uint32_t row)
{
    const shares_row *c = &r->s->row[row];
    int32_t up = parent_of(r, row);
    const int64_t *number = r->s->queue[up].number;
    int64_t order = number[SKED_QUEUE_ORDER];
    int64_t fair = number[SKED_QUEUE_FAIR_KIND];
    uint32_t hot = r->hot[up], forced = 0;
    rise_base b = {(1u << kinds_of(r)) - 1, {0}, weight_of(r, row)};

    for (uint32_t k = 0; k < kinds_of(r); k++) {
        if (hot >> k & 1 && c->force[k] > 0) forced |= 1u << k;
        b.by[k] = (double)r->s->capacity[k];
    }
    if (order == SKED_ORDER_POLICY_FAIR) {
        b.kinds = 1u << (fair == SKED_UNSET ? 0 : fair);
        for (uint32_t k = 0; k < kinds_of(r); k++) b.by[k] = 1;
    } else if (order == SKED_ORDER_POLICY_UTILISATION && forced) {
        b.kinds = forced;
        b.weight = 1;
        for (uint32_t k = 0; k < kinds_of(r); k++)
            b.by[k] = (double)c->force[k];
    } else if ((order == SKED_ORDER_POLICY_UTILISATION ||
                order == WORLD_ORDER_SHARE) &&
               hot) {
        b.kinds = hot;
        b.weight = 1;
        for (uint32_t k = 0; k < kinds_of(r); k++) b.by[k] = (double)c->part[k];
    }
    return b;
}

/* Contended kinds in which a child is below its guarantee; without a weight any
 * kinds. No kind, if the child has reached its part of a contended kind in which
 * it rises. */
static uint32_t below_guarantee(const rise *r, uint32_t row)
{
    const shares_row *c = &r->s->row[row];
    uint32_t hot = r->hot[parent_of(r, row)], below = 0;

    for (uint32_t k = 0; k < kinds_of(r); k++) {
        int is_hot = (hot >> k & 1) != 0;
        if (r->d_use[row][k] <= 0) continue;
        if (is_hot && rise_reaches(r->held[row][k], (double)c->part[k])) {
            return 0;
        }
        if (!is_hot && weight_of(r, row) > 0) continue;
        if (!rise_reaches(r->held[row][k], (double)c->force[k])) {
            below |= 1u << k;
        }
    }
    return below;
}

/* The least part of its guarantee, over kinds. */
static rise_place place_below(const rise *r, uint32_t row, uint32_t below)
{
    rise_place at = {0, DBL_MAX, DBL_MAX};

    for (uint32_t k = 0; k < kinds_of(r); k++) {
        double force = (double)r->s->row[row].force[k];
        if (below >> k & 1 && r->held[row][k] / force < at.value) {
            at.value = r->held[row][k] / force;
        }
    }
    for (uint32_t k = 0; k < kinds_of(r); k++) {
        double force = (double)r->s->row[row].force[k];
        if (!(below >> k & 1)) continue;
        if (!is_equal(r->held[row][k] / force, at.value)) continue;
        if (r->d_held[row][k] / force < at.grows) {
            at.grows = r->d_held[row][k] / force;
        }
    }
    return at;
}

static rise_place place_of(const rise *r, uint32_t row)
{
    uint32_t below = below_guarantee(r, row);
    rise_base b = base_of(r, row);
    int held = (r->twist & RISE_KEPT) != 0;
    const double *amount = held ? r->held[row] : r->use[row];
    const double *rate = held ? r->d_held[row] : r->d_use[row];
    rise_place at = {1, 0, 0};

    if (below) return place_below(r, row, below);
    if (b.weight == 0 || weight_of(r, row) == 0) return (rise_place){-1, 0, 0};
    for (uint32_t k = 0; k < kinds_of(r); k++) {
        if (!(b.kinds >> k & 1) || (amount[k] <= 0 && rate[k] <= 0)) continue;
        if (b.by[k] <= 0)
            return (rise_place){2, 0, 0}; /* too much of nothing */
        at.value = larger(at.value, amount[k] / b.by[k] / b.weight);
    }
    for (uint32_t k = 0; k < kinds_of(r); k++) {
        if (!(b.kinds >> k & 1) || rate[k] <= 0) continue;
        if (!is_equal(amount[k] / b.by[k] / b.weight, at.value)) continue;
        at.grows = larger(at.grows, rate[k] / b.by[k] / b.weight);
    }
    return at;
}

/* ---- Who rises, and how ---- */

/* The profiles of a leaf rise with equal dominant shares. */
static void leaf_rises(rise *r, uint32_t row)
{
    double first = DBL_MAX;
    uint8_t live[WORLD_ASKS] = {0};

    for (uint32_t p = 0; p < r->n; p++) {
        double at = r->done[p] * dominant(r, r->task[p]);
        r->rate[p] = r->leaf[p] == row ? 0 : r->rate[p];
        if (r->leaf[p] != row || rise_reaches(r->done[p], r->wanted[p]))
            continue;
        live[p] = 1;
        for (uint32_t k = 0; k < kinds_of(r); k++) {
            if (r->task[p][k] > 0 && r->blocked[row] >> k & 1) live[p] = 0;
        }
        if (live[p] && at < first) first = at;
    }
    for (uint32_t p = 0; p < r->n; p++) {
        double share = dominant(r, r->task[p]), at = r->done[p] * share;
        if (!live[p]) continue;
        if (!is_equal(at, first)) {
            if (at - first < r->ahead[row]) r->ahead[row] = at - first;
            continue;
        }
        r->rises[row] = 1;
        r->rate[p] = 1 / share;
        for (uint32_t k = 0; k < kinds_of(r); k++) {
            r->d_use[row][k] += r->rate[p] * r->task[p][k];
        }
    }
    memcpy(r->d_held[row], r->d_use[row], sizeof r->d_use[row]);
}

static int comes_before(const rise_place *a, const rise_place *b)
{
    if (a->stage != b->stage) return a->stage < b->stage;
    return a->value < b->value && !is_equal(a->value, b->value);
}

static int comes_with(const rise_place *a, const rise_place *b)
{
    return a->stage == b->stage && is_equal(a->value, b->value);
}

/* A child takes part in the rise of its parent. */
static void join(rise *r, uint32_t row, uint32_t c, double part)
{
    r->part[c] = part;
    r->rises[row] = 1;
    for (uint32_t k = 0; k < kinds_of(r); k++) {
        r->d_use[row][k] += part * r->d_use[c][k];
        if (is_beyond_kept(r, c, k)) {
            r->d_held[row][k] += part * r->d_held[c][k];
        }
    }
}

/* The first children rise, and their values stay equal. Children whose values
 * stand still come before the others. */
static void family_rises(rise *r, uint32_t row)
{
    rise_place at[WORLD_ROWS], first = {3, 0, 0};
    uint32_t still = 0, i = 0;

    for (uint32_t c = row + 1; c < r->s->w->rows; c++) {
        at[c] = (rise_place){-1, 0, 0};
        if (parent_of(r, c) != (int32_t)row || !r->rises[c]) continue;
        at[c] = place_of(r, c);
        if (at[c].stage >= 0 && comes_before(&at[c], &first)) first = at[c];
    }
    for (uint32_t c = row + 1; c < r->s->w->rows; c++) {
        if (at[c].stage < 0) continue;
        still += comes_with(&at[c], &first) && at[c].grows <= 0;
    }
    if (still > 1) r->met |= RISE_STILL;
    for (uint32_t c = row + 1; c < r->s->w->rows; c++) {
        if (at[c].stage < 0) continue;
        if (comes_with(&at[c], &first) && (at[c].grows <= 0 || !still)) {
            double by = still ? dominant(r, r->d_use[c]) : at[c].grows;
            double odd = still && r->twist & RISE_STILL ? 1 + 5 * i : 1;
            join(r, row, c, odd / by);
            i++;
        } else if (!still && at[c].stage == first.stage &&
                   !comes_with(&at[c], &first) &&
                   at[c].value - first.value < r->ahead[row]) {
            r->ahead[row] = at[c].value - first.value;
        }
    }
}

static void all_rise(rise *r)
{
    const world *w = r->s->w;

    memset(r->rises, 0, sizeof r->rises);
    memset(r->d_use, 0, sizeof r->d_use);
    memset(r->d_held, 0, sizeof r->d_held);
    memset(r->part, 0, sizeof r->part);
    block(r);
    for (uint32_t row = w->rows; row-- > 0;) {
        r->ahead[row] = DBL_MAX;
        if (world_is_leaf(w, row))
            leaf_rises(r, row);
        else
            family_rises(r, row);
    }
}

/* ---- How long ---- */

static double sooner(double time, double way, double speed)
{
    return speed > 0 && way > 0 && way / speed < time ? way / speed : time;
}

/* The time until a queue reaches a mark. */
static double until_marks(const rise *r, uint32_t row, double speed,
                          double time)
{
    const shares_row *c = &r->s->row[row];

    for (uint32_t k = 0; k < kinds_of(r); k++) {
        const int64_t marks[] = {c->cap[k], c->kept[k], c->force[k],
                                 c->part[k]};
        for (size_t i = 0; i < 4; i++) {
            double mark = (double)marks[i];
            if (marks[i] == SKED_UNLIMITED) continue;
            if (rise_reaches(r->held[row][k], mark)) continue;
            time = sooner(time, mark - r->held[row][k],
                          speed * r->d_held[row][k]);
        }
    }
    return time;
}

/* The time until another kind is the largest or the least. */
static double until_kinks(const rise *r, const double *amount,
                          const double *rate, uint32_t kinds, const double *by,
                          double speed, double time)
{
    for (uint32_t j = 0; j < kinds_of(r); j++) {
        for (uint32_t k = 0; k < kinds_of(r); k++) {
            if (!(kinds >> j & kinds >> k & 1) || by[j] <= 0 || by[k] <= 0)
                continue;
            double a = amount[j] / by[j], b = amount[k] / by[k];
            if (a >= b || is_equal(a, b)) continue;
            time = sooner(time, b - a,
                          speed * (rate[j] / by[j] - rate[k] / by[k]));
        }
    }
    return time;
}

static double until_next(const rise *r, const double *speed)
{
    double time = DBL_MAX;

    for (uint32_t row = 0; row < r->s->w->rows; row++) {
        double force[WORLD_KINDS] = {0};
        rise_base b;
        if (speed[row] <= 0) continue;
        time = until_marks(r, row, speed[row], time);
        if (r->ahead[row] < DBL_MAX) {
            time = sooner(time, r->ahead[row], speed[row]);
        }
        if (row == 0) continue;
        for (uint32_t k = 0; k < kinds_of(r); k++) {
            force[k] = (double)r->s->row[row].force[k];
        }
        b = base_of(r, row);
        time = until_kinks(r, r->use[row], r->d_use[row], b.kinds, b.by,
                           speed[row], time);
        time = until_kinks(r, r->held[row], r->d_held[row], b.kinds, b.by,
                           speed[row], time);
        time = until_kinks(r, r->held[row], r->d_held[row], ~0u, force,
                           speed[row], time);
    }
    for (uint32_t p = 0; p < r->n; p++) {
        time = sooner(time, r->wanted[p] - r->done[p],
                      speed[r->leaf[p]] * r->rate[p]);
    }
    return time;
}

static int step(rise *r)
{
    double speed[WORLD_ROWS] = {1}, time;

    all_rise(r);
    if (!r->rises[0]) return 0;
    for (uint32_t row = 1; row < r->s->w->rows; row++) {
        speed[row] = speed[parent_of(r, row)] * r->part[row];
    }
    time = until_next(r, speed);
    if (time == DBL_MAX) return 0;
    for (uint32_t p = 0; p < r->n; p++) {
        r->done[p] += time * speed[r->leaf[p]] * r->rate[p];
    }
    for (uint32_t row = 0; row < r->s->w->rows; row++) {
        for (uint32_t k = 0; k < kinds_of(r); k++) {
            r->use[row][k] += time * speed[row] * r->d_use[row][k];
        }
    }
    sum_held(r);
    return 1;
}

void rise_fill(rise *r, const shares *s, const shares_demand *d,
               const uint32_t *hot, uint32_t twist)
{
    int steps = 0;

    memset(r, 0, sizeof *r);
    r->s = s;
    r->twist = twist;
    memcpy(r->hot, hot, sizeof r->hot);
    for (uint32_t a = 0; a < s->w->asks; a++) add_ask(r, a, d->tasks[a]);
    sum_held(r);
    while (step(r)) {
        if (++steps == RISE_STEPS_MOST) {
            r->met |= RISE_OPEN;
            return;
        }
    }
}
