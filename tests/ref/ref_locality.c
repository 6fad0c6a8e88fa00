#include "ref_locality.h"

#include <string.h>

static const uint32_t *row_of(const sked_locality_input *in, uint32_t b)
{
    return in->replica + (size_t)b * in->replicas;
}

int64_t ref_locality_end(const sked_locality_input *in, uint32_t h, uint32_t j)
{
    int64_t at = in->committed ? in->committed[h] : 0;
    uint32_t cores = in->cores ? in->cores[h] : 1;

    if (in->limit && j > in->limit[h]) return SKED_UNLIMITED;
    for (uint32_t done = 0; done < j; done += cores) {
        at += in->ticks ? in->ticks[h] : 1;
    }
    return at;
}

uint32_t ref_locality_fits(const sked_locality_input *in, uint32_t h,
                           int64_t load)
{
    uint32_t n = 0;

    while (n < in->blocks && ref_locality_end(in, h, n + 1) <= load) n++;
    return n;
}

/* ---- Flows ---- */

typedef struct flow {
    const sked_locality_input *in;
    uint32_t fits[REF_HOSTS];
    uint32_t count[REF_HOSTS];
    int host[REF_BLOCKS]; /* -1: none */
    int seen[REF_HOSTS];
} flow;

/* Finds a host for `b`, moving others out of the way: as Kuhn did. */
static int find_host(flow *f, uint32_t b)
{
    const uint32_t *row = row_of(f->in, b);

    for (uint32_t k = 0; k < f->in->replicas; k++) {
        uint32_t h = row[k];
        if (h == SKED_LOCALITY_NO_HOST || f->seen[h]) continue;
        f->seen[h] = 1;
        if (f->count[h] < f->fits[h]) {
            f->count[h]++;
            f->host[b] = (int)h;
            return 1;
        }
        for (uint32_t c = 0; c < f->in->blocks; c++) {
            if (f->host[c] != (int)h || !find_host(f, c)) continue;
            f->host[b] = (int)h; /* what left made way: the count stays */
            return 1;
        }
    }
    return 0;
}

uint64_t ref_locality_transfers(const sked_locality_input *in, int64_t load)
{
    flow f = {.in = in};
    uint64_t left = 0;

    for (uint32_t h = 0; h < in->hosts; h++) {
        f.fits[h] = ref_locality_fits(in, h, load);
    }
    for (uint32_t b = 0; b < in->blocks; b++) f.host[b] = -1;
    for (uint32_t b = 0; b < in->blocks; b++) {
        memset(f.seen, 0, sizeof f.seen);
        left += !find_host(&f, b);
    }
    return left;
}

int64_t ref_locality_floor(const sked_locality_input *in, int64_t most)
{
    for (int64_t load = 0; load <= most; load++) {
        uint64_t fits = 0;
        for (uint32_t h = 0; h < in->hosts; h++) {
            fits += ref_locality_fits(in, h, load);
        }
        if (fits >= in->blocks) return load;
    }
    return SKED_UNLIMITED;
}

/* ---- Costs ---- */

static int64_t cost_at(const sked_locality_input *in,
                       const sked_locality_plan_options *o, uint32_t b,
                       uint32_t h)
{
    int64_t cost = o->beyond;

    for (uint32_t k = 0; k < in->replicas; k++) {
        uint32_t g = row_of(in, b)[k];
        if (g == h) return 0;
        if (g == SKED_LOCALITY_NO_HOST) continue;
        if (!o->rack || o->rack[g] == o->rack[h]) cost = o->in_rack;
    }
    return cost;
}

/* One more block, by the cheapest chain of moves. Its cost; -1: none. */
static int64_t add_cheapest(flow *f, const sked_locality_plan_options *o,
                            uint32_t b)
{
    const uint32_t n = (uint32_t)f->in->hosts;
    int64_t cost[REF_HOSTS];
    uint32_t by[REF_HOSTS];
    int from[REF_HOSTS], best = -1, changed = 1;

    for (uint32_t h = 0; h < n; h++) {
        cost[h] = cost_at(f->in, o, b, h);
        by[h] = b;
        from[h] = -1;
    }
    while (changed) {
        changed = 0;
        for (uint32_t c = 0; c < b; c++) {
            uint32_t h = (uint32_t)f->host[c];
            int64_t without = cost[h] - cost_at(f->in, o, c, h);
            for (uint32_t g = 0; g < n; g++) {
                int64_t more = without + cost_at(f->in, o, c, g);
                if (more >= cost[g]) continue;
                cost[g] = more;
                by[g] = c;
                from[g] = (int)h;
                changed = 1;
            }
        }
    }
    for (uint32_t h = 0; h < n; h++) {
        if (f->count[h] >= f->fits[h]) continue;
        if (best < 0 || cost[h] < cost[best]) best = (int)h;
    }
    if (best < 0) return -1;
    int64_t paid = cost[best];
    f->count[best]++;
    for (int h = best; h >= 0; h = from[h]) f->host[by[h]] = h;
    return paid;
}

int64_t ref_locality_cost(const sked_locality_input *in,
                          const sked_locality_plan_options *o)
{
    flow f = {.in = in};
    int64_t sum = 0;

    for (uint32_t h = 0; h < in->hosts; h++) {
        f.fits[h] = ref_locality_fits(in, h, o->load);
    }
    for (uint32_t b = 0; b < in->blocks; b++) {
        int64_t paid = add_cheapest(&f, o, b);
        if (paid < 0) return -1;
        sum += paid;
    }
    return sum;
}

/* ---- All placements ---- */

typedef struct all {
    const sked_locality_input *in;
    const int64_t *size;
    const uint32_t *present;
    uint32_t host[REF_BLOCKS];
    int64_t best;             /* of what is looked for */
    int64_t ends[REF_BLOCKS]; /* of the best placement, latest first */
} all;

/* Ends of all blocks, latest first, unplaced ones never: the order of
 * placements that are good for every load. */
static void sorted_ends(const all *a, int64_t *ends)
{
    uint32_t count[REF_HOSTS] = {0};

    for (uint32_t b = 0; b < a->in->blocks; b++) {
        uint32_t h = a->host[b], i = b;
        int64_t end = h == SKED_LOCALITY_NO_HOST
                          ? SKED_UNLIMITED
                          : ref_locality_end(a->in, h, ++count[h]);
        for (; i > 0 && ends[i - 1] < end; i--) ends[i] = ends[i - 1];
        ends[i] = end;
    }
}

static void look_at_moves(all *a)
{
    int64_t ends[REF_BLOCKS], moved = 0;
    uint32_t i = 0, count[REF_HOSTS] = {0};

    for (uint32_t b = 0; b < a->in->blocks; b++) {
        moved += a->host[b] != a->present[b];
        if (a->host[b] == SKED_LOCALITY_NO_HOST) continue;
        uint32_t h = a->host[b];
        if (a->in->limit && ++count[h] > a->in->limit[h]) return;
    }
    sorted_ends(a, ends);
    while (i < a->in->blocks && ends[i] == a->ends[i]) i++;
    int same = i == a->in->blocks;
    if (!same && ends[i] > a->ends[i]) return;
    if (same && moved >= a->best) return;
    a->best = moved;
    memcpy(a->ends, ends, sizeof ends);
}

static void look_at_sizes(all *a)
{
    int64_t sum[REF_HOSTS] = {0}, most = 0;

    for (uint32_t b = 0; b < a->in->blocks; b++) {
        if (a->host[b] == SKED_LOCALITY_NO_HOST) continue;
        sum[a->host[b]] += a->size[b];
    }
    for (uint32_t h = 0; h < a->in->hosts; h++) {
        if (sum[h] > most) most = sum[h];
    }
    if (most < a->best) a->best = most;
}

static void try_all(all *a, uint32_t b)
{
    const uint32_t *row = row_of(a->in, b);
    int lost = 1;

    if (b == a->in->blocks) {
        (a->size ? look_at_sizes : look_at_moves)(a);
        return;
    }
    for (uint32_t k = 0; k < a->in->replicas; k++) {
        if (row[k] == SKED_LOCALITY_NO_HOST) continue;
        lost = 0;
        a->host[b] = row[k];
        try_all(a, b + 1);
    }
    if (!lost && !a->in->limit) return;
    a->host[b] = SKED_LOCALITY_NO_HOST;
    try_all(a, b + 1);
}

uint64_t ref_locality_moves(const sked_locality_input *in,
                            const uint32_t *present)
{
    all a = {.in = in, .present = present, .best = INT64_MAX};

    for (int i = 0; i < REF_BLOCKS; i++) a.ends[i] = SKED_UNLIMITED;
    try_all(&a, 0);
    return (uint64_t)a.best;
}

int64_t ref_locality_sized(const sked_locality_input *in, const int64_t *size)
{
    all a = {.in = in, .size = size, .best = INT64_MAX};

    try_all(&a, 0);
    return a.best;
}
