/*
 * Webster's rule after rounding. Unit j of a row (from j to j + 1) has the key
 * (2j + 1) / weight, and the total goes to the least keys. Rounding half up at
 * a level r serves exactly the units with keys up to 2r. Missing units are
 * therefore the next keys above; surplus units are the last keys below.
 *
 * The repair first searches a window: r moved by a few units of the whole
 * family. If the window holds too few or too many keys, a second exact level
 * bounds the keys. Rounding moves the sum by at most n / 2. The level for n / 2
 * units more (less) therefore has all wanted keys, and at most 2n.
 */
#include "fill/paths.h"

/* A level to look up to or down to: units with half keys within num / den. */
typedef struct repair_edge {
    uint64_t num;
    skedi_u128 den;
} repair_edge;

/* (2j + 1) / weight against twice the edge. */
static int unit_cmp(uint64_t j, uint64_t weight, const repair_edge *edge)
{
    return skedi_fill_cmp(edge->den, 2 * j + 1,
                          skedi_u128_mul(2 * weight, edge->num));
}

static skedi_fill_key unit_key(uint64_t j, uint64_t weight, size_t i)
{
    return (skedi_fill_key){2 * j + 1, weight, (uint32_t)i, 0};
}

/* The wanted units: between the shares and an edge. */
typedef struct repair_search {
    const skedi_fill_in *in;
    skedi_fill_view view;
    const int64_t *share;
    int up;
    repair_edge edge;
} repair_search;

/* Lists the units of row `i`, nearest first, `cap` at most. */
static size_t row_units(const repair_search *s, size_t i, skedi_fill_key *keys,
                        size_t cap)
{
    skedi_fill_row row = s->view(s->in, i);
    uint64_t j = (uint64_t)s->share[i];
    size_t m = 0;

    if (s->up) {
        for (; m < cap && j < row.hi; j++) {
            if (unit_cmp(j, row.weight, &s->edge) > 0) break;
            keys[m++] = unit_key(j, row.weight, i);
        }
    } else {
        for (; m < cap && j > row.lo; j--) {
            if (unit_cmp(j - 1, row.weight, &s->edge) < 0) break;
            keys[m++] = unit_key(j - 1, row.weight, i);
        }
    }
    return m;
}

/*
 * Lists the units of all rows; returns `cap` if the units are too many. Units
 * are taken back from the last rows first.
 */
static size_t collect(const repair_search *s, skedi_fill_key *keys, size_t cap)
{
    size_t m = 0, n = s->in->n;

    for (size_t k = 0; k < n && m < cap; k++) {
        size_t i = s->up ? k : n - 1 - k;
        m += row_units(s, i, &keys[m], cap - m);
    }
    return m;
}

/* The level moved by `by` units of the family. */
static repair_edge edge_near(const skedi_fill_level *level, int up, uint64_t by)
{
    uint64_t down = level->num > by ? level->num - by : 0;

    return (repair_edge){up ? level->num + by : down, level->den};
}

/* The level at which n / 2 + 1 units more (less) are used, or the extreme
 * level. */
static repair_edge edge_far(skedi_fill_work *work, const skedi_fill_in *in,
                            const skedi_fill_level *level, int up)
{
    int64_t half = (int64_t)(in->n / 2 + 1);
    repair_edge all = {(uint64_t)up, skedi_u128_of((uint64_t)!up)};
    skedi_fill_level far;

    if (!up && level->total < half) return all;
    skedi_fill_solve_plain(work, in, skedi_fill_view_of(level),
                           level->total + (up ? half : -half), &far);
    if (far.outcome != SKED_FILL_OUTCOME_OK) return all;
    return (repair_edge){far.num, far.den};
}

static size_t magnitude(int64_t x)
{
    return (size_t)(x < 0 ? -x : x);
}

void skedi_fill_repair(skedi_fill_work *work, const skedi_fill_in *in,
                       const skedi_fill_level *level, int64_t extra,
                       int64_t *share)
{
    if (extra == 0) return;

    skedi_fill_key *keys = work->scratch;
    int up = extra > 0;
    size_t want = magnitude(extra), cap = 2 * in->n;
    repair_search s = {in, skedi_fill_view_of(level), share, up,
                       edge_near(level, up, 2 * (uint64_t)want + 16)};
    size_t m = collect(&s, keys, cap);

    if (m < want || m == cap) {
        s.edge = edge_far(work, in, level, up);
        m = collect(&s, keys, cap);
        work->stats.wide_repairs++;
    }
    skedi_fill_give(work, keys, m, want, up ? 1 : -1, share);
}

/* The only unit of a row in the window. The unit is on the right side. */
static skedi_fill_key noted_unit(const repair_search *s, size_t i)
{
    uint64_t j = (uint64_t)s->share[i] - (s->up ? 0 : 1);

    return unit_key(j, skedi_fill_weight(s->in, i), i);
}

int skedi_fill_repair_near(skedi_fill_work *work, const skedi_fill_in *in,
                           const skedi_fill_cut *cut, int64_t extra,
                           int64_t *share)
{
    skedi_fill_level level = {.num = cut->num};
    skedi_fill_key *keys = work->scratch;
    int up = extra > 0;
    size_t want = magnitude(extra), cap = in->n, m = 0;

    level.den = skedi_u128_of(cut->den);
    repair_search s = {in, skedi_fill_row_at, share, up,
                       edge_near(&level, up, (uint64_t)cut->slope / 2)};
    for (size_t k = 0; want && k < cut->m && m < cap; k++) {
        uint32_t note = cut->rows[up ? k : cut->m - 1 - k];
        size_t i = note & ~SKEDI_FILL_SERVED;
        uint64_t reach = skedi_fill_weight(in, i) * (uint64_t)cut->slope;
        if (reach >= cut->den) {
            m += row_units(&s, i, &keys[m], cap - m);
        } else if (up == !(note & SKEDI_FILL_SERVED)) {
            keys[m++] = noted_unit(&s, i);
        }
    }
    if (m < want || m == cap) return 0;
    skedi_fill_give(work, keys, m, want, up ? 1 : -1, share);
    return 1;
}
