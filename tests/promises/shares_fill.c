/*
 * Shares by demand (docs/design/shares.md). Demand is joint; E and contended
 * kinds follow from S; S is the end of a progressive filling of the whole tree
 * (shares_rise.c), repeated with the E and contended kinds of the filling before.
 */
#include "shares_rise.h"

#include <string.h>

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t weight_of(const shares *s, uint32_t row)
{
    int64_t weight = s->queue[row].number[SKED_QUEUE_WEIGHT];

    return weight == SKED_UNSET ? 1 : weight;
}

/* ---- Joint demand of leaves ---- */

/* The least that any queue from this one up may hold of a kind. */
static int64_t path_cap(const shares *s, uint32_t row, uint32_t k)
{
    int64_t cap = s->row[row].cap[k];

    for (int32_t up = s->queue[row].parent; up >= 0; up = s->queue[up].parent) {
        cap = least(cap, s->row[up].cap[k]);
    }
    return cap;
}

static int is_below(const shares *s, uint32_t ask, uint32_t row)
{
    int32_t q = s->w->job[s->w->ask[ask].job].queue;

    while (q > (int32_t)row) q = s->queue[q].parent;
    return q == (int32_t)row;
}

/* The amount that all tasks below a queue hold together. */
static int64_t sum_of(const shares *s, const shares_demand *d, uint32_t row,
                      uint32_t k)
{
    int64_t sum = 0;

    for (uint32_t a = 0; a < s->w->asks; a++) {
        const world_ask *x = &s->w->ask[a];
        if (!is_below(s, a, row)) continue;
        sum += d->tasks[a] * x->amount[k];
    }
    return sum;
}

/* The most of kind `k` beside the bound of kind `j`, by the task with the most
 * of `k` for its `j`. */
static int64_t most_beside(const shares *s, const shares_demand *d,
                           uint32_t row, uint32_t k, uint32_t j, int64_t bound)
{
    int64_t free = 0, best = 0;

    for (uint32_t a = 0; a < s->w->asks; a++) {
        const world_ask *x = &s->w->ask[a];
        if (!is_below(s, a, row) || d->tasks[a] == 0) continue;
        if (x->amount[j] == 0)
            free += d->tasks[a] * x->amount[k];
        else
            best = most(best, bound * x->amount[k] / x->amount[j]);
    }
    return free + best;
}

static void leaf_hi(shares *s, const shares_demand *d, uint32_t row)
{
    for (uint32_t k = 0; k < s->w->kinds; k++) {
        int64_t hi = least(sum_of(s, d, row, k), path_cap(s, row, k));
        for (uint32_t j = 0; j < s->w->kinds; j++) {
            int64_t bound = path_cap(s, row, j);
            if (j == k || sum_of(s, d, row, j) <= bound) continue;
            hi = least(hi, most_beside(s, d, row, k, j, bound));
        }
        s->row[row].hi[k] = hi;
    }
}

/* ---- One family ---- */

typedef struct family {
    shares *s;
    uint32_t n;
    uint32_t row[WORLD_ROWS];
} family;

static family family_of(shares *s, uint32_t row)
{
    family f = {.s = s};

    for (uint32_t c = row + 1; c < s->w->rows; c++) {
        if (s->queue[c].parent == (int32_t)row) f.row[f.n++] = c;
    }
    return f;
}

/* weight * x / w between floor and top, times w. */
static int64_t times_at(int64_t weight, int64_t x, int64_t w, int64_t floor,
                        int64_t top)
{
    return most(least(weight * x, top * w), floor * w);
}

/* The sum of a family at the level x / w, times w. */
static int64_t used_at(const family *f, const int64_t *floor,
                       const int64_t *top, int64_t x, int64_t w)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < f->n; i++) {
        int64_t weight = weight_of(f->s, f->row[i]);
        sum += weight ? times_at(weight, x, w, floor[i], top[i]) : floor[i] * w;
    }
    return sum;
}

/* The highest level x / w at which a child reaches its floor or its top while
 * the family gets no more than the total. */
static void last_turn(const family *f, int64_t total, const int64_t *floor,
                      const int64_t *top, int64_t *x, int64_t *w)
{
    *x = 0;
    *w = 1;
    for (uint32_t i = 0; i < 2 * f->n; i++) {
        int64_t at = i < f->n ? floor[i] : top[i - f->n];
        int64_t weight = weight_of(f->s, f->row[i % f->n]);
        if (weight == 0 || at * *w <= *x * weight) continue;
        if (used_at(f, floor, top, at, weight) > total * weight) continue;
        *x = at;
        *w = weight;
    }
}

/* An amount by weights, between floors and tops, in whole units rounded down. */
static void by_weight(const family *f, int64_t total, const int64_t *floor,
                      const int64_t *top, int64_t *to)
{
    int64_t x, w, rises = 0, left;

    last_turn(f, total, floor, top, &x, &w);
    left = total * w - used_at(f, floor, top, x, w);
    for (uint32_t i = 0; i < f->n; i++) {
        int64_t weight = weight_of(f->s, f->row[i]);
        if (floor[i] * w <= weight * x && weight * x < top[i] * w)
            rises += weight;
    }
    if (left > 0 && rises > 0) { /* x / w += left / w / rises */
        x = x * rises + left;
        w *= rises;
    }
    for (uint32_t i = 0; i < f->n; i++) {
        int64_t weight = weight_of(f->s, f->row[i]);
        to[i] = weight ? times_at(weight, x, w, floor[i], top[i]) / w
                       : floor[i];
    }
}

/* E of a family in one kind. `bottom` is the floor of each child, cut in one
 * ratio if floors add up to more than the parent's amount. */
static void parts_of(const family *f, int64_t has, uint32_t k)
{
    int64_t floor[WORLD_ROWS] = {0}, top[WORLD_ROWS] = {0};
    int64_t to[WORLD_ROWS] = {0}, sum = 0;

    for (uint32_t i = 0; i < f->n; i++) {
        const shares_row *c = &f->s->row[f->row[i]];
        floor[i] = most(least(c->force[k], c->hi[k]), c->kept[k]);
        top[i] = c->top[k];
        sum += floor[i];
    }
    for (uint32_t i = 0; i < f->n; i++) {
        if (sum > has) floor[i] = floor[i] * has / sum;
        f->s->row[f->row[i]].bottom[k] = floor[i];
    }
    by_weight(f, has, floor, top, to);
    for (uint32_t i = 0; i < f->n; i++) f->s->row[f->row[i]].part[k] = to[i];
}

/* ---- The guaranteed part of a share ---- */

static uint32_t kinds_forced(const shares *s, uint32_t row)
{
    uint32_t kinds = 0;

    for (uint32_t k = 0; k < s->w->kinds; k++) {
        if (s->row[row].force[k] > 0) kinds |= 1u << k;
    }
    return kinds;
}

/* What the parent's is, shared likewise; the root's children by themselves. */
static void claim_family(const family *f, uint32_t row)
{
    int64_t floor[WORLD_ROWS] = {0}, top[WORLD_ROWS] = {0};
    int64_t to[WORLD_ROWS] = {0};
    shares *s = f->s;

    for (uint32_t i = 0; i < f->n; i++) {
        shares_row *c = &s->row[f->row[i]];
        c->named = kinds_forced(s, f->row[i]) | s->row[row].named;
    }
    for (uint32_t k = 0; k < s->w->kinds; k++) {
        for (uint32_t i = 0; i < f->n; i++) {
            const shares_row *c = &s->row[f->row[i]];
            uint32_t kinds = kinds_forced(s, f->row[i]);
            floor[i] = least(c->force[k], c->share[k]);
            top[i] = c->share[k];
            to[i] = kinds && !(kinds >> k & 1) ? top[i] : floor[i];
        }
        if (row > 0) by_weight(f, s->row[row].claim[k], floor, top, to);
        for (uint32_t i = 0; i < f->n; i++) s->row[f->row[i]].claim[k] = to[i];
    }
}

/* ---- The whole tree ---- */

/* One way to read the definition, and the points that the fillings met. */
typedef struct way {
    uint32_t twist;  /* RISE_* */
    int start_wide;  /* the first filling takes all kinds for contended */
    int wide_margin; /* a kind is contended only by more than one unit */
    uint32_t met;    /* RISE_* */
    int fillings;    /* it took */
    int border;      /* a kind is or is not contended by one unit */
} way;

static void renew_wants(shares *s, const shares_demand *d)
{
    const world *w = s->w;

    for (uint32_t row = w->rows; row-- > 0;) {
        shares_row *r = &s->row[row];
        int leaf = world_is_leaf(w, row);
        if (leaf) leaf_hi(s, d, row);
        for (uint32_t k = 0; k < w->kinds; k++) {
            r->wanted[k] = 0;
            for (uint32_t c = row + 1; c < w->rows; c++) {
                if (s->queue[c].parent != (int32_t)row) continue;
                r->wanted[k] += s->row[c].top[k];
            }
            if (!leaf) r->hi[k] = least(r->cap[k], r->wanted[k]);
            r->top[k] = most(r->hi[k], r->kept[k]);
        }
    }
    memcpy(s->row[0].share, s->row[0].hi, sizeof s->row[0].share);
}

/* E and contended kinds that follow from S. `first`: S is not known, and E of a
 * parent stands for its S. */
static void renew_parts(shares *s, way *is, int first, uint32_t *hot)
{
    for (uint32_t row = 0; row < s->w->rows; row++) {
        family f = family_of(s, row);
        shares_row *up = &s->row[row];
        hot[row] = 0;
        for (uint32_t k = 0; f.n > 0 && k < s->w->kinds; k++) {
            int64_t above = up->wanted[k] - up->share[k];
            if (above > is->wide_margin) hot[row] |= 1u << k;
            if (row > 0 && (above == 1 || above == -1)) is->border = 1;
            parts_of(&f, up->share[k], k);
            for (uint32_t i = 0; first && i < f.n; i++) {
                shares_row *c = &s->row[f.row[i]];
                c->share[k] = hot[row] >> k & 1 ? c->part[k] : c->top[k];
            }
        }
    }
}

/* Whole units, rounded down after an addition of 2^-16 units. */
static int64_t whole(double amount)
{
    return (int64_t)(amount + 1.0 / 65536);
}

static void take_shares(shares *s, const rise *r)
{
    for (uint32_t row = 1; row < s->w->rows; row++) {
        shares_row *c = &s->row[row];
        uint32_t hot = r->hot[s->queue[row].parent];
        for (uint32_t k = 0; k < s->w->kinds; k++) {
            c->share[k] = hot >> k & 1
                              ? most(whole(r->held[row][k]), c->kept[k])
                              : c->top[k];
        }
    }
}

static int differ(int64_t a, int64_t b)
{
    return a > b + 1 || b > a + 1;
}

/* Marks rows whose share or claim differs between two ways. */
static void compare(shares *s, const shares *other)
{
    for (uint32_t row = 0; row < s->w->rows; row++) {
        const shares_row *b = &other->row[row];
        shares_row *a = &s->row[row];
        a->loose |= b->loose;
        for (uint32_t k = 0; k < s->w->kinds; k++) {
            a->loose |= differ(a->share[k], b->share[k]);
            a->loose |= differ(a->claim[k], b->claim[k]);
        }
        s->loose |= a->loose;
    }
}

static void renew_claims(shares *s)
{
    s->row[0].named = 0;
    for (uint32_t row = 0; row < s->w->rows; row++) {
        family f = family_of(s, row);
        if (f.n > 0) claim_family(&f, row);
    }
}

/* One filling, repeated three times at most. If the last filling still moves an
 * amount, shares are loose. */
static void renew(shares *s, const shares_demand *d, way *is)
{
    static rise r;
    static shares before;
    uint32_t hot[WORLD_ROWS], next[WORLD_ROWS];
    int same = 0;

    renew_wants(s, d);
    renew_parts(s, is, 1, hot);
    for (uint32_t row = 0; is->start_wide && row < s->w->rows; row++) {
        hot[row] = (1u << s->w->kinds) - 1;
    }
    for (is->fillings = 0; is->fillings < 4 && !same; is->fillings++) {
        rise_fill(&r, s, d, hot, is->twist);
        is->met |= r.met;
        before = *s;
        take_shares(s, &r);
        renew_parts(s, is, 0, next);
        same = memcmp(hot, next, sizeof hot) == 0;
        for (uint32_t row = 1; row < s->w->rows; row++) {
            same &= !memcmp(s->row[row].part, before.row[row].part,
                            sizeof before.row[row].part);
        }
        memcpy(hot, next, sizeof hot);
    }
    renew_claims(s);
    if (same) return;
    memcpy(before.row[0].claim, s->row[0].claim, sizeof before.row[0].claim);
    renew_claims(&before);
    compare(s, &before);
}

static int keeps(const shares *s)
{
    int64_t any = 0;

    for (uint32_t row = 0; row < s->w->rows; row++) {
        for (uint32_t k = 0; k < s->w->kinds; k++) any |= s->row[row].kept[k];
    }
    return any != 0;
}

static int has_gangs(const world *w)
{
    int any = 0;

    for (uint32_t a = 0; a < w->asks; a++) any |= world_is_gang(&w->ask[a]);
    return any;
}

static void renew_all(shares *s, const shares_demand *d)
{
    static shares other;
    way base = {0};

    s->loose = 0;
    for (uint32_t row = 0; row < s->w->rows; row++) s->row[row].loose = 0;
    renew(s, d, &base);
    const way ways[] = {
        {.start_wide = base.fillings > 1},
        {.wide_margin = base.border},
        {.twist = base.met & RISE_STILL},
        {.twist = keeps(s) ? RISE_KEPT : 0},
        {.twist = has_gangs(s->w) ? RISE_STEPS : 0},
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        way is = ways[i];
        if (!is.start_wide && !is.wide_margin && !is.twist) continue;
        other = *s;
        for (uint32_t row = 0; row < s->w->rows; row++)
            other.row[row].loose = 0;
        other.loose = 0;
        renew(&other, d, &is);
        compare(s, &other);
    }
    if (base.met & RISE_OPEN) s->loose = 1;
}

/* Shares, and all inputs of these shares. Demand seldom changes from one call
 * to the next. */
typedef struct memo {
    shares in, out;
    shares_demand d;
    world_queue queue[WORLD_ROWS];
    world_job job[WORLD_JOBS];
    world_ask ask[WORLD_ASKS];
} memo;

static int is_made(const memo *m, const shares *s, const shares_demand *d)
{
    const world *w = s->w;

    return memcmp(&m->in, s, sizeof *s) == 0 &&
           memcmp(&m->d, d, sizeof *d) == 0 &&
           memcmp(m->queue, s->queue, w->rows * sizeof *s->queue) == 0 &&
           memcmp(m->job, w->job, sizeof w->job) == 0 &&
           memcmp(m->ask, w->ask, sizeof w->ask) == 0;
}

void shares_renew(shares *s, const shares_demand *d)
{
    static memo made[2 * WORLD_PARTS];
    static uint32_t next;
    memo *m = &made[next];

    for (uint32_t i = 0; i < 2 * WORLD_PARTS; i++) {
        if (!is_made(&made[i], s, d)) continue;
        *s = made[i].out;
        return;
    }
    m->in = *s;
    m->d = *d;
    memcpy(m->queue, s->queue, s->w->rows * sizeof *s->queue);
    memcpy(m->job, s->w->job, sizeof m->job);
    memcpy(m->ask, s->w->ask, sizeof m->ask);
    renew_all(s, d);
    m->out = *s;
    next = (next + 1) % (2 * WORLD_PARTS);
}
