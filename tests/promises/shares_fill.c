/* Shares by demand: what families come to when they are filled level by
 * level, guarantees first. */
#include "shares.h"

#include <string.h>

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static double weight_of(const shares *s, uint32_t row)
{
    int64_t weight = s->queue[row].number[SKED_QUEUE_WEIGHT];

    return weight == SKED_UNSET ? 1 : (double)weight;
}

/* ---- What leaves can use ---- */

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

/* What all tasks below a queue hold together. */
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

/* The most of kind `k` with so much of kind `j`, which is short: by the task
 * with the most of the one for the other. */
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
    const shares_demand *d;
    int64_t low[WORLD_ROWS][WORLD_KINDS]; /* floors that can be used jointly */
    uint32_t n;
    uint32_t row[WORLD_ROWS];
    double key[WORLD_ROWS];
    double level[WORLD_ROWS]; /* where it stays; below 0: it goes on */
} family;

static int contended(const shares_row *up, uint32_t k)
{
    return up->wanted[k] > up->share[k];
}

/* What lacks a unit by rounding only has it: as a part of the whole, so that
 * those that gain one at the same level go on doing so. */
static double nudged(const shares *s, uint32_t row, double is)
{
    uint32_t down = s->way & 1;

    if (s->way > 1 && s->way <= 3) down ^= row & 1;
    if (s->way > 3) down ^= row >> 1 & 1;
    return is * (down ? 1 - 1e-12 : 1 + 1e-12);
}

/* An amount by weights alone, between floors and tops, rounded down in the
 * end. */
static void by_weight(const family *f, int64_t total, const int64_t *floor,
                      const int64_t *top, int64_t *to)
{
    double low = 0, high = 4.0 * (double)(total + 1);

    for (int step = 0; step <= 64; step++) {
        double r = step < 64 ? (low + high) / 2 : low, sum = 0;
        for (uint32_t i = 0; i < f->n; i++) {
            double is = r * weight_of(f->s, f->row[i]);
            if (is > (double)top[i]) is = (double)top[i];
            if (is < (double)floor[i]) is = (double)floor[i];
            to[i] = (int64_t)nudged(f->s, f->row[i], is);
            sum += is;
        }
        if (sum > (double)total)
            high = r;
        else
            low = r;
    }
}

/* Kind by kind. */
static void parts_of(const family *f, const shares_row *up, uint32_t k)
{
    int64_t floor[WORLD_ROWS] = {0}, top[WORLD_ROWS] = {0};
    int64_t to[WORLD_ROWS] = {0};

    for (uint32_t i = 0; i < f->n; i++) {
        floor[i] = f->s->row[f->row[i]].bottom[k];
        top[i] = f->s->row[f->row[i]].top[k];
    }
    by_weight(f, up->share[k], floor, top, to);
    for (uint32_t i = 0; i < f->n; i++) f->s->row[f->row[i]].part[k] = to[i];
}

/* Keys go to 2. */
static double ratio(int64_t a, double b)
{
    if (a == 0) return 0;
    return (double)a >= 2 * b ? 2 : (double)a / b;
}

static double key_of(const family *f, uint32_t row, const shares_row *up,
                     int64_t order, int64_t kind)
{
    const shares *s = f->s;
    const shares_row *c = &s->row[row];
    double drf = 0, share = 0, use = 0, weight = weight_of(s, row);

    for (uint32_t k = 0; k < s->w->kinds; k++) {
        double is = ratio(c->hi[k], weight * (double)s->capacity[k]);
        if (is > drf) drf = is;
        if (!contended(up, k)) continue;
        if (ratio(c->hi[k], (double)c->part[k]) > share) {
            share = ratio(c->hi[k], (double)c->part[k]);
        }
        if (c->bottom[k] > 0 && ratio(c->hi[k], (double)c->bottom[k]) > use) {
            use = ratio(c->hi[k], (double)c->bottom[k]);
        }
    }
    if (order == SKED_ORDER_POLICY_FAIR && c->hi[kind] > 0) {
        return ratio(c->hi[kind], weight * (double)s->capacity[kind]);
    }
    if (order == SKED_ORDER_POLICY_UTILISATION && use > 0) return use;
    if (order == SKED_ORDER_POLICY_UTILISATION || order == WORLD_ORDER_SHARE) {
        return share > 0 ? share : drf;
    }
    return drf;
}

static int64_t amount_at(const family *f, uint32_t i, uint32_t k, double level)
{
    const shares_row *c = &f->s->row[f->row[i]];
    double is = f->key[i] > 0 ? (double)c->hi[k] * level / f->key[i] : 0;

    if (!contended(&f->s->row[f->s->queue[f->row[i]].parent], k)) {
        return c->top[k];
    }
    if (f->level[i] >= 0 && level > f->level[i]) {
        return amount_at(f, i, k, f->level[i]);
    }
    if (is >= (double)c->hi[k]) return most(f->low[i][k], c->hi[k]);
    return most(f->low[i][k], (int64_t)nudged(f->s, f->row[i], is));
}

/* Kinds of which there is not enough at this level, a bit each. */
static uint32_t lacking(const family *f, const shares_row *up, double level)
{
    uint32_t kinds = 0;

    for (uint32_t k = 0; k < f->s->w->kinds; k++) {
        int64_t sum = 0;
        for (uint32_t i = 0; i < f->n; i++) sum += amount_at(f, i, k, level);
        if (sum > up->share[k]) kinds |= 1u << k;
    }
    return kinds;
}

/* The same, not rounded. */
static double unrounded_at(const family *f, uint32_t i, uint32_t k,
                           double level)
{
    const shares_row *c = &f->s->row[f->row[i]];
    double is = f->key[i] > 0 ? (double)c->hi[k] * level / f->key[i] : 0;

    if (f->level[i] >= 0) return (double)amount_at(f, i, k, level);
    if (is > (double)c->hi[k]) is = (double)c->hi[k];
    return is > (double)f->low[i][k] ? is : (double)f->low[i][k];
}

/* The level at which a kind ends that does not suffice at level `high`, were
 * amounts not rounded. */
static double end_of(const family *f, const shares_row *up, uint32_t k,
                     double high)
{
    double low = 0;

    for (int step = 0; step < 60; step++) {
        double mid = (low + high) / 2, sum = 0;
        for (uint32_t i = 0; i < f->n; i++) sum += unrounded_at(f, i, k, mid);
        if (sum > (double)up->share[k])
            high = mid;
        else
            low = mid;
    }
    return low;
}

static void doubt(const family *f)
{
    for (uint32_t i = 0; i < f->n; i++) f->s->row[f->row[i]].loose = 1;
}

/* Of kinds that do not suffice at one level, since amounts are whole, those that
 * would end first. Ends that are nearly one are a matter of precision. */
static uint32_t first_of(const family *f, const shares_row *up, uint32_t kinds,
                         double high)
{
    double end[WORLD_KINDS], least_end = high;
    uint32_t first = 0;

    if ((kinds & (kinds - 1)) == 0) return kinds;
    for (uint32_t k = 0; k < f->s->w->kinds; k++) {
        end[k] = kinds >> k & 1 ? end_of(f, up, k, high) : high * 2;
        if (end[k] < least_end) least_end = end[k];
    }
    for (uint32_t k = 0; k < f->s->w->kinds; k++) {
        if (end[k] > least_end + 1e-9) continue;
        first |= 1u << k;
        if (end[k] > least_end + 1e-14) doubt(f);
    }
    return first;
}

/* Who would have more of these kinds at a higher level stays where it is. */
static int stop(family *f, uint32_t kinds, double level)
{
    int stopped = 0;

    for (uint32_t i = 0; i < f->n; i++) {
        const shares_row *c = &f->s->row[f->row[i]];
        int more = 0;
        for (uint32_t k = 0; k < f->s->w->kinds && f->level[i] < 0; k++) {
            if (!(kinds >> k & 1) || c->hi[k] == 0) continue;
            more |= amount_at(f, i, k, level) < most(f->low[i][k], c->hi[k]);
        }
        if (!more) continue;
        f->level[i] = level;
        stopped = 1;
    }
    return stopped;
}

static void fill(family *f, const shares_row *up)
{
    double low = 0, end = 0;

    for (uint32_t i = 0; i < f->n; i++) {
        if (f->key[i] > end) end = f->key[i];
    }
    while (lacking(f, up, end)) {
        double high = end;
        for (int step = 0; step < 60; step++) {
            double mid = (low + high) / 2;
            if (lacking(f, up, mid))
                high = mid;
            else
                low = mid;
        }
        uint32_t gone = first_of(f, up, lacking(f, up, high * (1 + 1e-11)),
                                 high);
        if (!stop(f, gone, low)) break;
    }
    for (uint32_t i = 0; i < f->n; i++) {
        shares_row *c = &f->s->row[f->row[i]];
        double level = f->level[i] >= 0 ? f->level[i] : end;
        for (uint32_t k = 0; k < f->s->w->kinds; k++) {
            c->share[k] = amount_at(f, i, k, level);
        }
    }
}

/* ---- Floors ---- */

/* No more of a contended kind than tasks can use with the parts of others. */
static void cut_floors(family *f, uint32_t i, const shares_row *up)
{
    const shares_row *c = &f->s->row[f->row[i]];

    for (uint32_t k = 0; k < f->s->w->kinds; k++) {
        int64_t low = c->bottom[k];
        for (uint32_t j = 0; j < f->s->w->kinds && contended(up, k); j++) {
            if (j == k || !contended(up, j) || c->part[j] >= c->hi[j]) continue;
            low = least(low,
                        most_beside(f->s, f->d, f->row[i], k, j, c->part[j]));
        }
        f->low[i][k] = most(least(c->kept[k], c->bottom[k]), low);
    }
}

/* The other kinds come along with the one that is guaranteed most. */
static void lift_floors(family *f, uint32_t i, const shares_row *up)
{
    const shares_row *c = &f->s->row[f->row[i]];
    double lift = 0, bound = 1e18;

    for (uint32_t k = 0; k < f->s->w->kinds; k++) {
        if (!contended(up, k) || c->hi[k] == 0) continue;
        double own = (double)f->low[i][k] / (double)c->hi[k];
        double part = (double)c->part[k] / (double)c->hi[k];
        if (own > lift) lift = own;
        if (part < bound) bound = part;
    }
    if (bound < lift) lift = bound;
    for (uint32_t k = 0; k < f->s->w->kinds; k++) {
        int64_t low = (int64_t)((double)c->hi[k] * lift + 1e-9);
        if (contended(up, k)) f->low[i][k] = most(f->low[i][k], low);
    }
}

static family family_of(shares *s, const shares_demand *d, uint32_t row)
{
    family f = {.s = s, .d = d};

    for (uint32_t c = row + 1; c < s->w->rows; c++) {
        if (s->queue[c].parent == (int32_t)row) f.row[f.n++] = c;
    }
    return f;
}

/* ---- What of a share is guaranteed ---- */

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
    uint32_t any = 0;

    for (uint32_t i = 0; i < f->n; i++) any |= kinds_forced(s, f->row[i]);
    for (uint32_t i = 0; i < f->n; i++) {
        shares_row *c = &s->row[f->row[i]];
        c->named = kinds_forced(s, f->row[i]) | (s->row[row].named & ~any);
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

static void share_family(shares *s, const shares_demand *d, uint32_t row)
{
    family f = family_of(s, d, row);
    shares_row *up = &s->row[row];
    int64_t order = s->queue[row].number[SKED_QUEUE_ORDER];
    int64_t kind = s->queue[row].number[SKED_QUEUE_FAIR_KIND];

    for (uint32_t k = 0; k < s->w->kinds; k++) {
        int64_t sum = 0;
        for (uint32_t i = 0; i < f.n; i++) sum += s->row[f.row[i]].bottom[k];
        for (uint32_t i = 0; i < f.n && sum > up->share[k]; i++) {
            int64_t *at = &s->row[f.row[i]].bottom[k];
            *at = *at * up->share[k] / sum;
        }
        parts_of(&f, up, k);
    }
    for (uint32_t i = 0; i < f.n; i++) {
        f.key[i] = key_of(&f, f.row[i], up, order,
                          kind == SKED_UNSET ? 0 : kind);
        f.level[i] = weight_of(s, f.row[i]) == 0 ? 0 : -1;
        cut_floors(&f, i, up);
        lift_floors(&f, i, up);
    }
    fill(&f, up);
    claim_family(&f, row);
}

static void renew(shares *s, const shares_demand *d)
{
    const world *w = s->w;

    for (uint32_t row = w->rows; row-- > 0;) {
        shares_row *r = &s->row[row];
        int leaf = world_is_leaf(w, row);
        if (leaf) leaf_hi(s, d, row);
        for (uint32_t k = 0; k < w->kinds; k++) {
            int64_t sum = 0;
            r->wanted[k] = 0;
            for (uint32_t c = row + 1; c < w->rows; c++) {
                if (s->queue[c].parent != (int32_t)row) continue;
                sum += s->row[c].top[k];
                r->wanted[k] += s->row[c].top[k];
            }
            if (!leaf) r->hi[k] = least(r->cap[k], sum);
            r->top[k] = most(r->hi[k], r->kept[k]);
            r->bottom[k] = most(least(r->force[k], r->hi[k]), r->kept[k]);
        }
    }
    memcpy(s->row[0].share, s->row[0].hi, sizeof s->row[0].share);
    s->row[0].named = 0;
    for (uint32_t row = 0; row < w->rows; row++) {
        if (!world_is_leaf(w, row)) share_family(s, d, row);
    }
}

static int differ(int64_t a, int64_t b)
{
    return a > b + 1 || b > a + 1;
}

/* Marks rows of which something comes out otherwise in another way. */
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

void shares_renew(shares *s, const shares_demand *d)
{
    static shares other;

    s->way = 0;
    s->loose = 0;
    for (uint32_t row = 0; row < s->w->rows; row++) s->row[row].loose = 0;
    renew(s, d);
    other = *s;
    for (other.way = 1; other.way < 6; other.way++) {
        renew(&other, d);
        compare(s, &other);
    }
}
