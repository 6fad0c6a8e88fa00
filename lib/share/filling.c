/*
 * Each row has a clock of its own, its *path parameter* t: the row's amounts
 * are a function of t, whatever its siblings do. A family relates the clocks of
 * its children: while a child rises, dt of the parent is `rate` times dt of the
 * child. With `rate` the speed of the child's key, all rising children keep one
 * key, the *level* of the family, and t of the parent grows as the level does.
 *
 * Invariants between events, of a row p and its child c:
 *   c RISING   c's key is p's level; c stands in p's heap of rising children by
 *              the moment of c's next event; p.speed includes c.speed / rate
 *   c RESTING  c is ahead of p's level; c stands in p's heap of resting
 *              children by (stage, key, still)
 *   c HELD     c has no turn (weight 0), but tasks below it could rise
 *   c DONE     nothing below c can rise any more
 * A rising child is brought up to date when an event concerns it; its amounts
 * hold at parameter c.t, which is the parent's c.since_up.
 *
 * A child whose key does not grow while the child rises (a parent whose largest
 * kind has stopped) comes before children of the same key. Then the family is
 * `still`: its level stands, only such children rise, and the clock of the
 * parent runs by their dominant shares.
 */
#include "share/filling.h"

#include <string.h>

#include <sched/queue.h>

typedef skedi_real real;

enum { CHILD_RISING = 1, CHILD_RESTING, CHILD_HELD, CHILD_DONE };
enum { STAGE_OWED, STAGE_KEY };

/* Events of a row by itself; 0: one of its family comes first. */
enum {
    EVENT_FAMILY,
    EVENT_CAP,
    EVENT_KEPT,
    EVENT_OWED,
    EVENT_PART,
    EVENT_LEAD
};

struct skedi_fill_row_state {
    real t;        /* own clock */
    real since_up; /* the parent's clock at `t`, while it rises */
    real rate;     /* of the parent's clock, for one of the own */
    real slow;     /* 1 / rate */
    real in;       /* of the own clock from `t` to the next event */
    real key;      /* while it rests */
    real level;    /* of the family, at clock `since` */
    real since;
    uint32_t up;
    uint32_t rising; /* children in each state */
    uint32_t resting;
    uint32_t held;
    uint32_t full;    /* kinds that have run out here */
    uint32_t counted; /* kinds of which it holds what is kept for it */
    uint32_t served;  /* its guarantee */
    uint32_t parted;  /* its part */
    uint32_t stale;   /* kinds of which the speed is to be added up anew */
    uint8_t state;
    uint8_t stage; /* within the parent's family */
    uint8_t lead;  /* the kind that its key goes by */
    uint8_t still; /* its key does not grow while it rises */
    uint8_t family_stage;
    uint8_t family_still;
    uint8_t event;
    uint8_t event_kind;
    uint8_t marked;
    uint8_t forced; /* kind and 1: found to lead by an event */
    uint8_t unused[2];
};

typedef struct filling {
    skedi_joint *j;
    skedi_fill_row_state *row;
    real *speed;    /* row x kinds: amounts for one of the row's clock */
    real *factor;   /* row x kinds: what the key multiplies amounts with */
    real *when;     /* node: the parent's clock at its next event */
    uint32_t *heap; /* node: rising children, from the family's first place */
    uint32_t *rest; /* row: resting children likewise */
    uint32_t *slot; /* node: its place in either heap */
    uint8_t *profile_state;
    uint32_t kinds;
    uint32_t rows;
} filling;

/* Profiles are nodes behind the rows. */
static uint32_t node_of_profile(const filling *f, uint32_t profile)
{
    return f->rows + profile;
}

static int row_is_family_of_rows(const filling *f, uint32_t row)
{
    return f->j->first_child[row] < f->j->first_child[row + 1];
}

/* The first place of a family in the heaps. */
static uint32_t family_base(const filling *f, uint32_t row)
{
    return row_is_family_of_rows(f, row)
               ? f->j->first_child[row]
               : node_of_profile(f, f->j->first_profile[row]);
}

static real *held_at(const filling *f, uint32_t row, uint32_t k)
{
    return &f->j->held[(size_t)row * f->kinds + k];
}

static real *speed_at(const filling *f, uint32_t row, uint32_t k)
{
    return &f->speed[(size_t)row * f->kinds + k];
}

static int64_t bound_of(const filling *f, const int64_t *column, uint32_t row,
                        uint32_t k)
{
    return column[(size_t)k * f->rows + row];
}

static const int64_t *profile_task(const filling *f, uint32_t profile)
{
    return f->j->profile[profile].task;
}

/* ---- Heaps ---- */

typedef int (*node_before_fn)(const filling *f, uint32_t a, uint32_t b);

static int rises_before(const filling *f, uint32_t a, uint32_t b)
{
    int order = skedi_real_cmp(f->when[a], f->when[b]);

    return order ? order < 0 : a < b;
}

static int rests_before(const filling *f, uint32_t a, uint32_t b)
{
    const skedi_fill_row_state *x = &f->row[a], *y = &f->row[b];
    int order;

    if (x->stage != y->stage) return x->stage < y->stage;
    order = skedi_real_cmp(x->key, y->key);
    if (order) return order < 0;
    if (x->still != y->still) return x->still > y->still;
    return a < b;
}

static void heap_move(const filling *f, uint32_t *heap, uint32_t n, uint32_t at,
                      node_before_fn before)
{
    uint32_t node = heap[at];

    while (at > 0 && before(f, node, heap[(at - 1) / 2])) {
        heap[at] = heap[(at - 1) / 2];
        f->slot[heap[at]] = at;
        at = (at - 1) / 2;
    }
    for (uint32_t child = 2 * at + 1; child < n; child = 2 * at + 1) {
        if (child + 1 < n && before(f, heap[child + 1], heap[child])) child++;
        if (!before(f, heap[child], node)) break;
        heap[at] = heap[child];
        f->slot[heap[at]] = at;
        at = child;
    }
    heap[at] = node;
    f->slot[node] = at;
}

static void heap_add(const filling *f, uint32_t *heap, uint32_t *n,
                     uint32_t node, node_before_fn before)
{
    heap[*n] = node;
    (*n)++;
    heap_move(f, heap, *n, *n - 1, before);
}

static void heap_take(const filling *f, uint32_t *heap, uint32_t *n,
                      uint32_t node, node_before_fn before)
{
    uint32_t at = f->slot[node], last = heap[*n - 1];

    (*n)--;
    if (last == node) return;
    heap[at] = last;
    f->slot[last] = at;
    heap_move(f, heap, *n, at, before);
}

/* ---- Clocks ---- */

static void row_advance(filling *f, uint32_t row, real dt)
{
    skedi_fill_row_state *r = &f->row[row];

    if (dt.m == 0) return;
    for (uint32_t k = 0; k < f->kinds; k++) {
        real speed = *speed_at(f, row, k);
        if (speed.m == 0) continue;
        real *held = held_at(f, row, k);
        *held = skedi_real_add(*held, skedi_real_mul(speed, dt));
    }
    r->t = skedi_real_add(r->t, dt);
}

/* Brings a rising row up to its parent's clock. */
static void row_sync(filling *f, uint32_t row)
{
    skedi_fill_row_state *r = &f->row[row];
    real up = f->row[r->up].t;

    row_advance(f, row,
                skedi_real_mul(skedi_real_sub(up, r->since_up), r->slow));
    r->since_up = up;
}

static real family_level(const skedi_fill_row_state *p)
{
    if (p->family_still) return p->level;
    return skedi_real_add(p->level, skedi_real_sub(p->t, p->since));
}

/* ---- Speeds ---- */

/* Adds what a rising child adds to its parent's speeds. */
static void speed_add_child(filling *f, uint32_t up, uint32_t child,
                            uint32_t kinds)
{
    const skedi_fill_row_state *c = &f->row[child];

    for (kinds &= c->counted; kinds; kinds &= kinds - 1) {
        uint32_t k = skedi_ctz64(kinds);
        real speed = *speed_at(f, child, k);
        if (speed.m == 0) continue;
        real *to = speed_at(f, up, k);
        *to = skedi_real_add(*to, skedi_real_mul(speed, c->slow));
    }
}

static real profile_slow(const filling *f, uint32_t profile)
{
    return f->j->profile[profile].slow;
}

static void speed_add_profile(filling *f, uint32_t leaf, uint32_t profile,
                              uint32_t kinds)
{
    const int64_t *task = profile_task(f, profile);

    for (uint32_t k = 0; k < f->kinds; k++) {
        if (task[k] == 0 || !(kinds >> k & 1)) continue;
        real *to = speed_at(f, leaf, k);
        real add = skedi_real_mul(skedi_real_of((uint64_t)task[k]),
                                  profile_slow(f, profile));
        *to = skedi_real_add(*to, add);
    }
}

/* Takes a speed out. A sum that shrinks to a small part of what it was has lost
 * its precision and is added up anew. */
static void speed_take(filling *f, uint32_t up, uint32_t k, real speed)
{
    real *from = speed_at(f, up, k);
    real rest = skedi_real_sub(*from, speed);

    if (rest.m == 0 || rest.e < from->e - 12) {
        f->row[up].stale |= UINT32_C(1) << k;
    }
    *from = rest;
}

static void speed_take_child(filling *f, uint32_t up, uint32_t child)
{
    const skedi_fill_row_state *c = &f->row[child];

    for (uint32_t k = 0; k < f->kinds; k++) {
        real speed = *speed_at(f, child, k);
        if (speed.m == 0 || !(c->counted >> k & 1)) continue;
        speed_take(f, up, k, skedi_real_mul(speed, c->slow));
    }
}

static void speed_take_profile(filling *f, uint32_t leaf, uint32_t profile)
{
    const int64_t *task = profile_task(f, profile);

    for (uint32_t k = 0; k < f->kinds; k++) {
        if (task[k] == 0) continue;
        speed_take(f, leaf, k,
                   skedi_real_mul(skedi_real_of((uint64_t)task[k]),
                                  profile_slow(f, profile)));
    }
}

/* Adds stale speeds up anew. */
static void speed_renew(filling *f, uint32_t row)
{
    skedi_fill_row_state *r = &f->row[row];
    uint32_t base = family_base(f, row);

    if (!r->stale) return;
    for (uint32_t k = 0; k < f->kinds; k++) {
        if (r->stale >> k & 1) *speed_at(f, row, k) = (real){0, 0, 0};
    }
    for (uint32_t i = 0; i < r->rising; i++) {
        uint32_t node = f->heap[base + i];
        if (node < f->rows)
            speed_add_child(f, row, node, r->stale);
        else
            speed_add_profile(f, row, node - f->rows, r->stale);
    }
    r->stale = 0;
}

/* The speed of the dominant share; 1 where nothing counts. */
static real speed_dominant(const filling *f, uint32_t row)
{
    real most = {0, 0, 0};

    for (uint32_t k = 0; k < f->kinds; k++) {
        real speed = *speed_at(f, row, k);
        if (speed.m == 0 || f->j->capacity[k] <= 0) continue;
        speed = skedi_real_div(speed,
                               skedi_real_of((uint64_t)f->j->capacity[k]));
        if (skedi_real_below(most, speed)) most = speed;
    }
    return most.m ? most : skedi_real_power(0);
}

/* ---- Stages and keys ---- */

/* Contended kinds of its family in which a row rises and is below its
 * guarantee; none once it has its part of one in which it rises. */
static uint32_t kinds_owed(const filling *f, uint32_t row)
{
    const skedi_fill_row_state *r = &f->row[row];
    uint32_t rises = 0;

    for (uint32_t k = 0; k < f->kinds; k++) {
        if (speed_at(f, row, k)->m) rises |= UINT32_C(1) << k;
    }
    rises &= f->j->contended[r->up];
    return rises & r->parted ? 0 : rises & ~r->served;
}

/* A kind's part of the key, and its speed. */
static real key_part(const filling *f, uint32_t row, uint32_t k, int speed)
{
    real of = speed ? *speed_at(f, row, k) : *held_at(f, row, k);

    if (f->row[row].stage == STAGE_OWED) {
        int64_t owed = bound_of(f, f->j->guarantee, row, k);
        return skedi_real_div(of, skedi_real_of((uint64_t)owed));
    }
    return skedi_real_mul(of, f->factor[(size_t)row * f->kinds + k]);
}

/* Kinds that the key goes by in the stage in which the row is. */
static uint32_t key_kinds(const filling *f, uint32_t row)
{
    uint32_t kinds = 0;

    if (f->row[row].stage == STAGE_OWED) return kinds_owed(f, row);
    for (uint32_t k = 0; k < f->kinds; k++) {
        if (f->factor[(size_t)row * f->kinds + k].m) kinds |= UINT32_C(1) << k;
    }
    return kinds;
}

/* Are two keys one, but for rounding? */
static int keys_meet(real a, real b)
{
    real most = skedi_real_below(a, b) ? b : a;
    real gap = skedi_real_sub(most, skedi_real_below(a, b) ? a : b);

    return gap.m == 0 || gap.e < most.e - 40;
}

/* Does kind `k` lead rather than `lead`? The least part of a guarantee leads,
 * the largest part of a key; of equal ones the one that leads from here on. */
static int leads(const filling *f, uint32_t row, uint32_t k, uint32_t lead)
{
    int owed = f->row[row].stage == STAGE_OWED;
    real a = key_part(f, row, k, 0), b = key_part(f, row, lead, 0);

    if (keys_meet(a, b)) {
        a = key_part(f, row, k, 1);
        b = key_part(f, row, lead, 1);
    }
    return owed ? skedi_real_below(a, b) : skedi_real_below(b, a);
}

/* Stage, leading kind and speed of the key. */
static void find_key(filling *f, uint32_t row)
{
    skedi_fill_row_state *r = &f->row[row];
    uint32_t kinds;

    r->stage = kinds_owed(f, row) ? STAGE_OWED : STAGE_KEY;
    kinds = key_kinds(f, row);
    r->still = 1;
    r->lead = 0;
    if (r->forced) kinds = UINT32_C(1) << (r->forced - 1);
    r->forced = 0;
    if (!kinds) return;
    r->lead = (uint8_t)skedi_ctz64(kinds);
    for (kinds &= kinds - 1; kinds; kinds &= kinds - 1) {
        uint32_t k = skedi_ctz64(kinds);
        if (leads(f, row, k, r->lead)) r->lead = (uint8_t)k;
    }
    r->still = key_part(f, row, r->lead, 1).m == 0;
}

/* ---- The next event ---- */

typedef struct own_event {
    real in; /* of the own clock from now */
    uint32_t kind;
    uint8_t type; /* EVENT_FAMILY: there is none */
} own_event;

static void offer_event(own_event *e, uint8_t type, uint32_t kind, real in)
{
    if (e->type && !skedi_real_below(in, e->in)) return;
    *e = (own_event){in, kind, type};
}

/* When a row comes to an amount of a kind. */
static void offer_amount(const filling *f, own_event *e, uint32_t row,
                         uint8_t type, uint32_t k, int64_t amount)
{
    real gap = skedi_real_sub(skedi_real_of((uint64_t)amount),
                              *held_at(f, row, k));

    offer_event(e, type, k, skedi_real_div(gap, *speed_at(f, row, k)));
}

static void offer_bounds(const filling *f, own_event *e, uint32_t row,
                         uint32_t k)
{
    const skedi_fill_row_state *r = &f->row[row];
    const skedi_joint *j = f->j;
    int64_t cap = bound_of(f, j->cap, row, k);
    uint32_t bit = UINT32_C(1) << k;

    if (!(r->full & bit) && cap <= SKED_AMOUNT_MAX) {
        offer_amount(f, e, row, EVENT_CAP, k, cap);
    }
    if (!(r->counted & bit)) {
        offer_amount(f, e, row, EVENT_KEPT, k, bound_of(f, j->kept, row, k));
    }
    if (row == 0 || !(j->contended[r->up] & bit)) return;
    if (!(r->served & bit)) {
        offer_amount(f, e, row, EVENT_OWED, k,
                     bound_of(f, j->guarantee, row, k));
    }
    if (!(r->parted & bit) && r->stage == STAGE_OWED) {
        offer_amount(f, e, row, EVENT_PART, k, bound_of(f, j->part, row, k));
    }
}

/* When another kind begins to lead the key. */
static void offer_leads(const filling *f, own_event *e, uint32_t row)
{
    const skedi_fill_row_state *r = &f->row[row];
    uint32_t kinds = key_kinds(f, row), lead = r->lead;
    int owed = r->stage == STAGE_OWED;

    if (!(kinds & (kinds - 1))) return;
    real x = key_part(f, row, lead, 0), v = key_part(f, row, lead, 1);
    for (; kinds; kinds &= kinds - 1) {
        uint32_t k = skedi_ctz64(kinds);
        real y, w;
        if (k == lead) continue;
        y = key_part(f, row, k, 0);
        w = key_part(f, row, k, 1);
        real gap = owed ? skedi_real_sub(y, x) : skedi_real_sub(x, y);
        real gain = owed ? skedi_real_sub(v, w) : skedi_real_sub(w, v);
        if (gain.m == 0 || keys_meet(v, w)) continue;
        offer_event(e, EVENT_LEAD, k, skedi_real_div(gap, gain));
    }
}

/* From the row's clock until the resting child that comes first is caught up
 * with. 0: that does not happen as long as others rise. */
static int family_join_in(const filling *f, uint32_t row, real *in)
{
    const skedi_fill_row_state *r = &f->row[row];

    if (!r->resting || r->family_still) return 0;
    const skedi_fill_row_state *c = &f->row[f->rest[family_base(f, row)]];
    if (c->stage != r->family_stage) return 0;
    *in = skedi_real_sub(c->key, family_level(r));
    return 1;
}

/* From the row's clock until the first rising child has its event. A small step
 * of a child is not taken from large clocks, where it would be lost. */
static real family_rise_in(const filling *f, uint32_t row)
{
    const skedi_fill_row_state *r = &f->row[row];
    uint32_t node = f->heap[family_base(f, row)];

    if (node >= f->rows) return skedi_real_sub(f->when[node], r->t);
    const skedi_fill_row_state *c = &f->row[node];
    return skedi_real_sub(skedi_real_mul(c->in, c->rate),
                          skedi_real_sub(r->t, c->since_up));
}

/* Finds the next event of a row whose speeds and key are up to date. */
static void find_next(filling *f, uint32_t row)
{
    skedi_fill_row_state *r = &f->row[row];
    own_event e = {.type = EVENT_FAMILY};
    real join;

    for (uint32_t k = 0; k < f->kinds; k++) {
        if (speed_at(f, row, k)->m) offer_bounds(f, &e, row, k);
    }
    if (row > 0) offer_leads(f, &e, row);
    if (r->rising) {
        real family = family_rise_in(f, row);
        if (family_join_in(f, row, &join) && skedi_real_below(join, family)) {
            family = join;
        }
        if (!e.type || !skedi_real_below(e.in, family)) {
            e = (own_event){.in = family, .type = EVENT_FAMILY};
        }
    }
    r->in = e.in;
    r->event = e.type;
    r->event_kind = (uint8_t)e.kind;
}

/* ---- Families ---- */

static void child_when(const filling *f, uint32_t child)
{
    const skedi_fill_row_state *c = &f->row[child];

    f->when[child] = skedi_real_add(c->since_up,
                                    skedi_real_mul(c->in, c->rate));
}

/* The speed of a child in its family: of its key, or in a still family of its
 * dominant share. */
static void child_set_rate(filling *f, uint32_t child)
{
    skedi_fill_row_state *c = &f->row[child];

    c->rate = c->still ? speed_dominant(f, child)
                       : key_part(f, child, c->lead, 1);
    c->slow = skedi_real_div(skedi_real_power(0), c->rate);
}

static void child_start(filling *f, uint32_t up, uint32_t child)
{
    skedi_fill_row_state *p = &f->row[up], *c = &f->row[child];
    uint32_t base = family_base(f, up);

    heap_take(f, f->rest + base, &p->resting, child, rests_before);
    c->state = CHILD_RISING;
    c->since_up = p->t;
    child_set_rate(f, child);
    child_when(f, child);
    heap_add(f, f->heap + base, &p->rising, child, rises_before);
    speed_add_child(f, up, child, ~p->stale);
}

/* All rising children rest at the level of their family. */
static void family_halt(filling *f, uint32_t up)
{
    skedi_fill_row_state *p = &f->row[up];
    uint32_t base = family_base(f, up), n = p->rising;
    real level = family_level(p);

    p->rising = 0;
    p->stale = UINT32_MAX;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t child = f->heap[base + i];
        skedi_fill_row_state *c = &f->row[child];
        row_sync(f, child);
        c->state = CHILD_RESTING;
        c->key = level;
        heap_add(f, f->rest + base, &p->resting, child, rests_before);
    }
}

/* Does a resting child come before those that rise? */
static int rest_precedes(const skedi_fill_row_state *p,
                         const skedi_fill_row_state *c)
{
    if (c->stage != p->family_stage) return c->stage < p->family_stage;
    int order = skedi_real_cmp(c->key, family_level(p));
    return order < 0 || (order == 0 && c->still && !p->family_still);
}

/* Lets those children rise that come first. */
static void family_settle(filling *f, uint32_t up)
{
    skedi_fill_row_state *p = &f->row[up];
    uint32_t base = family_base(f, up);

    if (!row_is_family_of_rows(f, up)) return;
    while (p->resting) {
        uint32_t child = f->rest[base];
        const skedi_fill_row_state *c = &f->row[child];
        if (p->rising && rest_precedes(p, c)) {
            family_halt(f, up);
            continue;
        }
        if (!p->rising) {
            p->family_stage = c->stage;
            p->family_still = c->still;
            p->level = c->key;
            /* No child refers to the clock: it begins anew, since small steps
             * would be lost beside a long past. */
            p->t = p->since = (real){0, 0, 0};
        } else if (c->stage != p->family_stage || c->still != p->family_still ||
                   skedi_real_cmp(c->key, family_level(p)) > 0) {
            return;
        }
        child_start(f, up, child);
    }
}

static void child_leave(filling *f, uint32_t up, uint32_t child)
{
    skedi_fill_row_state *p = &f->row[up], *c = &f->row[child];
    uint32_t base = family_base(f, up);

    if (c->state == CHILD_RISING)
        heap_take(f, f->heap + base, &p->rising, child, rises_before);
    else if (c->state == CHILD_RESTING)
        heap_take(f, f->rest + base, &p->resting, child, rests_before);
    else if (c->state == CHILD_HELD)
        p->held--;
}

static void child_rest(filling *f, uint32_t up, uint32_t child, real key)
{
    skedi_fill_row_state *p = &f->row[up], *c = &f->row[child];

    child_leave(f, up, child);
    c->state = CHILD_RESTING;
    c->key = key;
    heap_add(f, f->rest + family_base(f, up), &p->resting, child, rests_before);
}

/* A row whose family has been settled takes its place in its parent's. Its
 * speed is not in the parent's. */
static void child_place(filling *f, uint32_t child)
{
    skedi_fill_row_state *c = &f->row[child];
    uint32_t up = c->up;
    skedi_fill_row_state *p = &f->row[up];
    uint8_t stage = c->stage, still = c->still;

    speed_renew(f, child);
    find_key(f, child);
    if (!c->rising) {
        child_leave(f, up, child);
        c->state = c->held ? CHILD_HELD : CHILD_DONE;
        p->held += c->state == CHILD_HELD;
        return;
    }
    find_next(f, child);
    if (c->stage == STAGE_KEY && f->j->weight[child] == 0) {
        child_leave(f, up, child);
        c->state = CHILD_HELD;
        p->held++;
    } else if (c->state != CHILD_RISING || c->stage != stage) {
        child_rest(f, up, child, key_part(f, child, c->lead, 0));
    } else if (c->still != still) {
        child_rest(f, up, child, family_level(p));
    } else {
        child_set_rate(f, child);
        child_when(f, child);
        heap_move(f, f->heap + family_base(f, up), p->rising, f->slot[child],
                  rises_before);
        speed_add_child(f, up, child, ~p->stale);
    }
}

/* ---- Kinds that run out ---- */

static void profile_stop(filling *f, uint32_t leaf, uint32_t profile)
{
    skedi_fill_row_state *r = &f->row[leaf];
    uint32_t node = node_of_profile(f, profile);

    heap_take(f, f->heap + family_base(f, leaf), &r->rising, node,
              rises_before);
    f->profile_state[profile] = CHILD_DONE;
}

/* Profiles of a leaf that need a kind stop where they are. */
static void leaf_stop(filling *f, uint32_t leaf, uint32_t k)
{
    for (uint32_t i = f->j->first_profile[leaf];
         i < f->j->first_profile[leaf + 1]; i++) {
        if (f->profile_state[i] != CHILD_RISING || !profile_task(f, i)[k]) {
            continue;
        }
        f->j->profile[i].end = skedi_real_mul(f->row[leaf].t,
                                              profile_slow(f, i));
        profile_stop(f, leaf, i);
    }
    f->row[leaf].stale = UINT32_MAX;
}

/* Marks a child below a row at which a kind has run out, if the child is
 * concerned: up to what is kept for it, it rises all the same. */
static void mark_child(filling *f, uint32_t child, uint32_t k)
{
    skedi_fill_row_state *c = &f->row[child];

    if (c->state == CHILD_DONE || !(c->counted >> k & 1)) return;
    if (c->state == CHILD_RISING) row_sync(f, child);
    c->marked = 1;
}

/* Profiles of a marked row stop; its children are marked where concerned. */
static void stop_row(filling *f, uint32_t row, uint32_t k)
{
    const skedi_joint *j = f->j;

    if (!row_is_family_of_rows(f, row)) leaf_stop(f, row, k);
    for (uint32_t c = j->first_child[row]; c < j->first_child[row + 1]; c++) {
        mark_child(f, c, k);
    }
    f->row[row].stale = UINT32_MAX;
}

/* A kind has run out for all below a row. Descendants stand level by level:
 * marks go down, then rows take their places again from the leaves up. The row
 * itself is left to the caller. */
static void stop_below(filling *f, uint32_t top, uint32_t k)
{
    const skedi_joint *j = f->j;
    uint32_t first[SKED_MAX_DEPTH + 2], last[SKED_MAX_DEPTH + 2], n = 0;

    f->row[top].marked = 1;
    for (uint32_t from = top, to = top + 1; from < to;) {
        first[n] = from;
        last[n++] = to;
        for (uint32_t row = from; row < to; row++) {
            if (f->row[row].marked) stop_row(f, row, k);
        }
        from = j->first_child[from];
        to = j->first_child[to];
    }
    while (n-- > 1) {
        for (uint32_t row = last[n]; row-- > first[n];) {
            if (!f->row[row].marked) continue;
            f->row[row].marked = 0;
            family_settle(f, row);
            child_place(f, row);
        }
    }
    f->row[top].marked = 0;
}

/* Has a kind run out above a row that holds what is kept for it? */
static int is_full_above(const filling *f, uint32_t row, uint32_t k)
{
    uint32_t bit = UINT32_C(1) << k;

    while (row > 0) {
        row = f->row[row].up;
        if (f->row[row].full & bit) return 1;
        if (!(f->row[row].counted & bit)) return 0;
    }
    return 0;
}

/* ---- Events ---- */

static void own_event_happens(filling *f, uint32_t row)
{
    skedi_fill_row_state *r = &f->row[row];
    const skedi_joint *j = f->j;
    uint32_t k = r->event_kind, bit = UINT32_C(1) << k;
    const int64_t *exact = NULL;

    switch (r->event) {
    case EVENT_CAP: exact = j->cap, r->full |= bit; break;
    case EVENT_KEPT: exact = j->kept, r->counted |= bit; break;
    case EVENT_OWED: exact = j->guarantee, r->served |= bit; break;
    case EVENT_PART: exact = j->part, r->parted |= bit; break;
    default: r->forced = (uint8_t)(k + 1); return;
    }
    *held_at(f, row, k) = skedi_real_of((uint64_t)bound_of(f, exact, row, k));
    if (r->event == EVENT_CAP ||
        (r->event == EVENT_KEPT && is_full_above(f, row, k))) {
        stop_below(f, row, k);
    }
}

static void profile_ends(filling *f, uint32_t leaf, uint32_t profile)
{
    skedi_joint_profile *p = &f->j->profile[profile];

    speed_take_profile(f, leaf, profile);
    p->end = skedi_real_of((uint64_t)p->tasks);
    p->whole = 1;
    profile_stop(f, leaf, profile);
}

/* A family reaches the key of a child that rests. */
static int family_joins(filling *f, uint32_t row)
{
    skedi_fill_row_state *r = &f->row[row];
    real join;

    if (!family_join_in(f, row, &join) ||
        skedi_real_below(family_rise_in(f, row), join)) {
        return 0;
    }
    r->level = f->row[f->rest[family_base(f, row)]].key;
    r->since = r->t;
    return 1;
}

/* Goes down to the row whose event comes first, and lets it happen. */
static uint32_t next_event(filling *f)
{
    uint32_t row = 0;

    row_advance(f, 0, f->row[0].in);
    while (f->row[row].event == EVENT_FAMILY && !family_joins(f, row)) {
        uint32_t node = f->heap[family_base(f, row)];
        if (node >= f->rows) {
            profile_ends(f, row, node - f->rows);
            return row;
        }
        speed_take_child(f, row, node);
        skedi_fill_row_state *c = &f->row[node];
        row_advance(f, node, c->in);
        c->since_up = f->row[row].t;
        row = node;
    }
    if (f->row[row].event != EVENT_FAMILY) own_event_happens(f, row);
    return row;
}

/* Rows from one up to the root take their places again. */
static void place_path(filling *f, uint32_t row)
{
    for (; row > 0; row = f->row[row].up) {
        family_settle(f, row);
        child_place(f, row);
    }
    family_settle(f, 0);
    speed_renew(f, 0);
    find_next(f, 0);
}

/* ---- The beginning ---- */

static void open_amounts(filling *f, uint32_t row)
{
    const skedi_joint *j = f->j;
    skedi_fill_row_state *r = &f->row[row];

    for (uint32_t k = 0; k < f->kinds; k++) {
        real held = {0, 0, 0};
        uint32_t bit = UINT32_C(1) << k;
        for (uint32_t c = j->first_child[row]; c < j->first_child[row + 1];
             c++) {
            real kept = skedi_real_of((uint64_t)bound_of(f, j->kept, c, k));
            real own = *held_at(f, c, k);
            held = skedi_real_add(held,
                                  skedi_real_below(own, kept) ? kept : own);
            f->row[c].up = row;
        }
        *held_at(f, row, k) = held;
        *speed_at(f, row, k) = (real){0, 0, 0};
        int64_t cap = bound_of(f, j->cap, row, k);
        int64_t whole = skedi_real_floor(held, INT64_MAX);
        if (whole >= cap) r->full |= bit;
        if (whole >= bound_of(f, j->kept, row, k)) r->counted |= bit;
        if (whole >= bound_of(f, j->guarantee, row, k)) r->served |= bit;
        if (whole >= bound_of(f, j->part, row, k)) r->parted |= bit;
    }
}

/* What the key of a row multiplies its amounts with, kind by kind. A base of 0
 * counts as 2^-64 of a unit. */
static void open_factors(filling *f, uint32_t row)
{
    const skedi_joint *j = f->j;
    uint32_t up = f->row[row].up, hot = j->contended[up], kinds = UINT32_MAX;
    uint32_t weight = j->weight[row] ? j->weight[row] : 1;
    const int64_t *base = NULL;

    switch (j->order[up]) {
    case SKED_ORDER_POLICY_FAIR: kinds = UINT32_C(1) << j->fair_kind[up]; break;
    case SKED_ORDER_POLICY_UTILISATION:
        kinds = 0;
        for (uint32_t k = 0; k < f->kinds; k++) {
            int64_t owed = bound_of(f, j->guarantee, row, k);
            if (owed > 0) kinds |= hot & UINT32_C(1) << k;
        }
        base = j->guarantee;
        if (kinds) break; /* fallthrough */
    case SKED_ORDER_POLICY_SHARE:
        kinds = hot ? hot : UINT32_MAX;
        base = j->part;
        break;
    default: break;
    }
    for (uint32_t k = 0; k < f->kinds; k++) {
        real *factor = &f->factor[(size_t)row * f->kinds + k];
        int64_t of = base ? bound_of(f, base, row, k) : j->capacity[k];
        real whole = of > 0 ? skedi_real_of((uint64_t)of)
                            : skedi_real_power(-64);
        if (!base) whole = skedi_real_mul(whole, skedi_real_of(weight));
        *factor = (real){0, 0, 0};
        if (!(kinds >> k & 1)) continue;
        *factor = skedi_real_div(skedi_real_power(0), whole);
    }
}

/* Kinds that a profile needs. */
static uint32_t profile_kinds(const filling *f, const int64_t *task)
{
    uint32_t kinds = 0;

    for (uint32_t k = 0; k < f->kinds; k++) {
        if (task[k] > 0) kinds |= UINT32_C(1) << k;
    }
    return kinds;
}

/* The tasks of a profile rise by their dominant share. */
static void open_profile(filling *f, uint32_t leaf, uint32_t profile,
                         uint32_t blocked)
{
    skedi_joint_profile *p = &f->j->profile[profile];
    uint32_t needs = profile_kinds(f, p->task);
    uint32_t node = node_of_profile(f, profile);
    real most = {0, 0, 0};

    p->end = (real){0, 0, 0};
    f->profile_state[profile] = CHILD_DONE;
    if (!needs || p->tasks <= 0 || needs & blocked) return;
    for (; needs; needs &= needs - 1) {
        uint32_t k = skedi_ctz64(needs);
        real part = skedi_real_div(skedi_real_of((uint64_t)p->task[k]),
                                   skedi_real_of((uint64_t)f->j->capacity[k]));
        if (skedi_real_below(most, part)) most = part;
    }
    p->slow = skedi_real_div(skedi_real_power(0), most);
    f->profile_state[profile] = CHILD_RISING;
    f->when[node] = skedi_real_mul(skedi_real_of((uint64_t)p->tasks), most);
    heap_add(f, f->heap + family_base(f, leaf), &f->row[leaf].rising, node,
             rises_before);
}

/* Kinds that have run out for a row before anything rises. */
static uint32_t blocked_kinds(const filling *f, uint32_t row)
{
    uint32_t kinds = f->row[row].full, counted = f->row[row].counted;

    while (row > 0) {
        row = f->row[row].up;
        kinds |= f->row[row].full & counted;
        counted &= f->row[row].counted;
    }
    return kinds;
}

static void open_rows(filling *f)
{
    const skedi_joint *j = f->j;

    memset(f->row, 0, f->rows * sizeof *f->row);
    for (uint32_t row = f->rows; row-- > 0;) open_amounts(f, row);
    for (uint32_t row = f->rows; row-- > 0;) {
        f->row[row].stale = UINT32_MAX;
        if (row > 0) open_factors(f, row);
        uint32_t blocked = j->first_profile[row] < j->first_profile[row + 1]
                               ? blocked_kinds(f, row)
                               : 0;
        for (uint32_t i = j->first_profile[row]; i < j->first_profile[row + 1];
             i++) {
            open_profile(f, row, i, blocked);
        }
        family_settle(f, row);
        if (row > 0) child_place(f, row);
    }
    speed_renew(f, 0);
    find_next(f, 0);
}

/* ---- Memory ---- */

static size_t filling_words(size_t rows, size_t kinds, size_t profiles)
{
    return rows * kinds * 2 + rows + profiles;
}

size_t skedi_filling_bytes(size_t rows, size_t kinds, size_t profiles)
{
    return rows * sizeof(skedi_fill_row_state) +
           filling_words(rows, kinds, profiles) * sizeof(real) +
           (2 * (rows + profiles) + rows) * sizeof(uint32_t) + profiles;
}

static filling filling_of(skedi_joint *j, void *scratch)
{
    filling f = {.j = j, .kinds = j->kinds, .rows = j->rows, .row = scratch};
    size_t nodes = (size_t)j->rows + j->profiles;
    size_t columns = (size_t)j->rows * j->kinds;

    f.speed = (real *)(void *)(f.row + j->rows);
    f.factor = f.speed + columns;
    f.when = f.factor + columns;
    f.heap = (uint32_t *)(void *)(f.when + nodes);
    f.slot = f.heap + nodes;
    f.rest = f.slot + nodes;
    f.profile_state = (uint8_t *)(f.rest + j->rows);
    return f;
}

void skedi_filling_run(skedi_joint *j, void *scratch)
{
    filling f = filling_of(j, scratch);

    /* Many times as many events as any tree was seen to need: rounding alone
     * cannot make the loop endless. */
    uint64_t most = 64 +
                    64 * ((uint64_t)j->rows * (j->kinds + 1) + j->profiles);

    open_rows(&f);
    while (f.row[0].rising > 0 && most-- > 0) place_path(&f, next_event(&f));
    /* Rows without a turn keep tasks that could rise. */
    for (uint32_t row = 0; row < j->rows; row++) {
        for (uint32_t i = j->first_profile[row]; i < j->first_profile[row + 1];
             i++) {
            if (f.profile_state[i] != CHILD_RISING) continue;
            j->profile[i].end = skedi_real_mul(f.row[row].t,
                                               profile_slow(&f, i));
        }
    }
}
