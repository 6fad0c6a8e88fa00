/*
 * From a good placement to the decreasingly minimal one. A part is a set of
 * hosts with bounds low < high, every host of which holds no less than ends by
 * `low` and no more than ends by `high`; no block of it could go to a lower
 * part. A flow at a threshold in between settles what can be: hosts that can
 * still be reached from those that hold too much form the upper part, the
 * others the lower one. A part in which no threshold is left is done, and where
 * it was found is its level, the proof.
 */
#include "locality/handle.h"

#include "base/arith.h"

#include <string.h>

typedef struct split_part {
    uint32_t from; /* in w->order */
    uint32_t to;
    int64_t low;
    int64_t high;
    uint32_t halvings;
} split_part;

typedef struct split_stack {
    split_part *part;
    size_t n;
    size_t cap;
} split_stack;

/* What the loads of a part say now. */
typedef struct split_loads {
    int64_t least;  /* all hosts could end one more only after this */
    int64_t most;   /* the last end; INT64_MIN: no block at all */
    int64_t middle; /* an average between the two, fast hosts weighing more */
} split_loads;

static int64_t last_end(const skedi_loc *w, uint32_t h)
{
    uint32_t n = w->count[h];

    return n ? skedi_slot_end(&w->slots, h, n) : INT64_MIN;
}

static void find_range(const skedi_loc *w, const split_part *p, split_loads *l)
{
    l->least = SKEDI_NEVER;
    l->most = INT64_MIN;
    for (uint32_t i = p->from; i < p->to; i++) {
        uint32_t h = w->order[i];
        int64_t last = last_end(w, h);
        int64_t next = skedi_slot_end(&w->slots, h, w->count[h] + 1);
        if (last > l->most) l->most = last;
        if (next != SKEDI_NEVER) next--;
        if (next < l->least) l->least = next;
    }
    if (l->most > p->high) l->most = p->high;
    if (l->least < p->low) l->least = p->low;
}

/* The mean of the last ends, counted from `least`. */
static void find_middle(const skedi_loc *w, const split_part *p, split_loads *l)
{
    skedi_u128 sum = skedi_u128_of(0);
    uint64_t weights = 0, rem;

    for (uint32_t i = p->from; i < p->to; i++) {
        uint32_t h = w->order[i];
        int64_t last = last_end(w, h);
        uint64_t weight = w->weight ? w->weight[h] : 1;
        weights += weight;
        if (last <= l->least) continue;
        sum = skedi_u128_add(
            sum, skedi_u128_mul(weight, (uint64_t)last - (uint64_t)l->least));
    }
    sum = skedi_u128_div(sum, weights, &rem);
    l->middle = l->least + (int64_t)skedi_u128_low(sum);
}

/* A threshold strictly between least and most, where there is one. */
static int64_t next_threshold(const skedi_loc *w, split_part *p, split_loads *l)
{
    int64_t at;

    if (l->most == SKEDI_NEVER) {
        at = SKEDI_NEVER - 1; /* settle what is unplaced before all else */
    } else if (p->halvings & 1) {
        at = l->least + (l->most - l->least) / 2;
    } else {
        find_middle(w, p, l);
        at = l->middle;
    }
    p->halvings++;
    if (at <= l->least) at = l->least + 1;
    return at < l->most ? at : l->most - 1;
}

static int push_part(skedi_loc *w, split_stack *s, split_part part)
{
    void *at = s->part;

    if (!skedi_ensure(&w->hooks->mem, &at, &s->cap, s->n + 1,
                      sizeof *s->part)) {
        return 0;
    }
    s->part = at;
    s->part[s->n++] = part;
    return 1;
}

static void leave_part(skedi_loc *w, const split_part *p)
{
    for (uint32_t i = p->from; i < p->to; i++) {
        w->depth[w->order[i]] = SKEDI_LOC_OUTSIDE;
    }
}

/* Those that were not reached to the front: where the others begin. */
static uint32_t partition_part(skedi_loc *w, const split_part *p)
{
    uint32_t low = p->from, n = 0;

    for (uint32_t i = p->from; i < p->to; i++) {
        uint32_t h = w->order[i];
        if (w->depth[h] < 0) {
            w->order[low++] = h;
        } else {
            w->other[n++] = h;
        }
    }
    memcpy(w->order + low, w->other, n * sizeof *w->other);
    return low;
}

/* Flows at thresholds until the part is done or falls into two. */
static sked_status split_one(skedi_loc *w, split_stack *s, split_part p)
{
    split_loads l;

    for (;;) {
        find_range(w, &p, &l);
        if (l.most == INT64_MIN || l.least >= l.most - 1) break;
        int64_t at = next_threshold(w, &p, &l);
        uint32_t reached = 0;
        sked_status rc = skedi_loc_flow(w, p.from, p.to, at, &reached);
        if (rc != SKED_OK) return rc;
        if (reached > 0 && reached < p.to - p.from) {
            uint32_t upper = partition_part(w, &p);
            split_part lower = {p.from, upper, p.low, at, p.halvings};
            split_part higher = {upper, p.to, at, p.high, p.halvings};
            leave_part(w, &p);
            return push_part(w, s, lower) && push_part(w, s, higher)
                       ? SKED_OK
                       : SKED_ERR_NOMEM;
        }
        leave_part(w, &p);
        if (reached) {
            p.low = at;
        } else {
            p.high = at;
        }
    }
    int64_t level = l.least < p.high - 1 ? l.least : p.high - 1;
    for (uint32_t i = p.from; i < p.to; i++) w->level[w->order[i]] = level;
    return SKED_OK;
}

sked_status skedi_loc_split(skedi_loc *w)
{
    split_stack s = {0};
    uint32_t unplaced = w->count[w->hosts] > 0;
    split_part all = {0, w->hosts + unplaced, 0,
                      unplaced ? SKEDI_NEVER : SKEDI_NEVER - 1, 0};
    sked_status rc = SKED_OK;

    for (uint32_t h = 0; h <= w->hosts; h++) {
        w->order[h] = h;
        w->depth[h] = SKEDI_LOC_OUTSIDE;
    }
    if (!push_part(w, &s, all)) rc = SKED_ERR_NOMEM;
    while (s.n > 0 && rc == SKED_OK) rc = split_one(w, &s, s.part[--s.n]);
    skedi_free(&w->hooks->mem, s.part, s.cap, sizeof *s.part);
    return rc;
}
