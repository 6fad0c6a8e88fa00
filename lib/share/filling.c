/*
 * Progressive filling of a tree, as a simulation of events.
 *
 * Clocks. Each row has its own clock, the path parameter t. The amounts of a
 * row are a function of its t alone; siblings have no effect. A family relates
 * the clocks of its children: while a child rises, dt of the parent is `rate`
 * times dt of the child. `rate` is the speed of the child's key. All rising
 * children therefore have the same key, the level of the family, and t of the
 * parent grows as fast as the level.
 *
 * Invariants between events, for a row p and its child c:
 *   c RISING   The key of c is the level of p. c is in p's heap of rising
 *              children, ordered by the time of the next event of c. p.speed
 *              includes c.speed / rate.
 *   c RESTING  c is at or above the level of p, or in a later stage. c is in
 *              p's heap of resting children, ordered by (stage, key, still).
 *   c HELD     c has no turn (weight 0), but tasks below c could rise.
 *   c DONE     No task below c can rise any more.
 * The amounts of a rising child are updated only when an event concerns the
 * child. The amounts are valid at c.t, when the parent's clock was c.since_up.
 *
 * Each row has two lanes of amounts. The first lane holds the used amounts,
 * raised to the kept amount of each descendant; limits apply to the first lane.
 * The second lane holds the used amounts alone; keys use the second lane.
 *
 * Stages. In each family, children below a guarantee come first (OWED), then
 * children by key (BY_KEY). Children that use a kind of which their part is 0
 * come last (LAST), all of them together.
 *
 * Still families. The key of a child may stay constant while the child rises,
 * because the largest kind of the child has stopped. A still child precedes
 * other children with the same key. While still children rise, the family is
 * `still`: its level is constant, only still children rise, and the clock of
 * the parent runs by the dominant shares of the children.
 */
#include "share/filling.h"

#include <string.h>

#include <sched/queue.h>

enum { FILL_RISING = 1, FILL_RESTING, FILL_HELD, FILL_DONE };
enum { FILL_OWED, FILL_BY_KEY, FILL_LAST };

/* Types of a row's own next event. FAMILY (0): a family event comes first. */
enum {
    FILL_EVENT_FAMILY,
    FILL_EVENT_CAP,
    FILL_EVENT_KEPT,
    FILL_EVENT_OWED,
    FILL_EVENT_PART,
    FILL_EVENT_LEAD
};

struct skedi_fill_row_state {
    skedi_real t;        /* own clock */
    skedi_real since_up; /* parent's clock at `t`, while rising */
    skedi_real rate;     /* ticks of the parent's clock for one own tick */
    skedi_real slow;     /* 1 / rate */
    skedi_real in;       /* own ticks from `t` to the next event */
    skedi_real key;      /* while resting */
    skedi_real level;    /* of the family, at clock `since` */
    skedi_real since;
    uint32_t up;
    uint32_t rising; /* children in each state */
    uint32_t resting;
    uint32_t held;
    uint32_t full;     /* kinds at the cap of the row */
    uint32_t counted;  /* kinds with the kept amount reached */
    uint32_t served;   /* kinds with the guarantee reached */
    uint32_t parted;   /* kinds with the part reached */
    uint32_t baseless; /* kinds of the key with base 0 */
    uint64_t stale;    /* lanes with a speed to sum again */
    uint8_t state;
    uint8_t stage; /* within the parent's family */
    uint8_t lead;  /* kind that determines the key */
    uint8_t still; /* 1: constant key while rising */
    uint8_t family_stage;
    uint8_t family_still;
    uint8_t event;
    uint8_t event_kind;
    uint8_t marked;
    uint8_t forced; /* kind + 1 of an event of type LEAD */
    uint8_t unused[2];
};

typedef struct filling {
    skedi_joint *j;
    skedi_fill_row_state *row;
    skedi_real *speed;  /* row x lanes: amounts for one tick of the row */
    skedi_real *factor; /* row x kinds: factors of the amounts in the key */
    skedi_real *when;   /* node: parent's clock at the next event */
    uint32_t *heap;     /* node: rising children, by family */
    uint32_t *rest;     /* row: resting children, by family */
    uint32_t *slot;     /* node: place in either heap */
    uint8_t *profile_state;
    uint32_t kinds;
    uint32_t rows;
} filling;

/* Nodes are the rows, followed by the profiles. */
static uint32_t filling_node_of_profile(const filling *f, uint32_t profile)
{
    return f->rows + profile;
}

static int filling_row_is_family_of_rows(const filling *f, uint32_t row)
{
    return f->j->first_child[row] < f->j->first_child[row + 1];
}

/* Returns the first place of a family in the heaps. */
static uint32_t filling_family_base(const filling *f, uint32_t row)
{
    return filling_row_is_family_of_rows(f, row)
               ? f->j->first_child[row]
               : filling_node_of_profile(f, f->j->first_profile[row]);
}

static skedi_real *filling_held_at(const filling *f, uint32_t row,
                                   uint32_t lane)
{
    return &f->j->held[(size_t)row * f->kinds * 2 + lane];
}

static skedi_real *filling_speed_at(const filling *f, uint32_t row,
                                    uint32_t lane)
{
    return &f->speed[(size_t)row * f->kinds * 2 + lane];
}

static int64_t filling_bound_of(const filling *f, const int64_t *column,
                                uint32_t row, uint32_t k)
{
    return column[(size_t)k * f->rows + row];
}

static const int64_t *filling_profile_task(const filling *f, uint32_t profile)
{
    return f->j->profile[profile].task;
}

/* ---- Heaps ---- */

typedef int (*filling_before_fn)(const filling *f, uint32_t a, uint32_t b);

static int filling_rises_before(const filling *f, uint32_t a, uint32_t b)
{
    int order = skedi_real_cmp(f->when[a], f->when[b]);

    return order ? order < 0 : a < b;
}

static int filling_rests_before(const filling *f, uint32_t a, uint32_t b)
{
    const skedi_fill_row_state *x = &f->row[a], *y = &f->row[b];
    int order;

    if (x->stage != y->stage) return x->stage < y->stage;
    order = skedi_real_cmp(x->key, y->key);
    if (order) return order < 0;
    if (x->still != y->still) return x->still > y->still;
    return a < b;
}

static void filling_heap_move(const filling *f, uint32_t *heap, uint32_t n,
                              uint32_t at, filling_before_fn before)
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

static void filling_heap_add(const filling *f, uint32_t *heap, uint32_t *n,
                             uint32_t node, filling_before_fn before)
{
    heap[*n] = node;
    (*n)++;
    filling_heap_move(f, heap, *n, *n - 1, before);
}

static void filling_heap_take(const filling *f, uint32_t *heap, uint32_t *n,
                              uint32_t node, filling_before_fn before)
{
    uint32_t at = f->slot[node], last = heap[*n - 1];

    (*n)--;
    if (last == node) return;
    heap[at] = last;
    f->slot[last] = at;
    filling_heap_move(f, heap, *n, at, before);
}

/* ---- Clocks ---- */

static void filling_row_advance(filling *f, uint32_t row, skedi_real dt)
{
    skedi_fill_row_state *r = &f->row[row];

    if (dt.m == 0) return;
    for (uint32_t i = 0; i < 2 * f->kinds; i++) {
        skedi_real speed = *filling_speed_at(f, row, i);
        if (speed.m == 0) continue;
        skedi_real *held = filling_held_at(f, row, i);
        *held = skedi_real_add(*held, skedi_real_mul(speed, dt));
    }
    r->t = skedi_real_add(r->t, dt);
}

/* Updates a rising row to the parent's clock. */
static void filling_row_sync(filling *f, uint32_t row)
{
    skedi_fill_row_state *r = &f->row[row];
    skedi_real up = f->row[r->up].t;
    skedi_real dt = skedi_real_mul(skedi_real_sub(up, r->since_up), r->slow);

    filling_row_advance(f, row, dt);
    r->in = skedi_real_sub(r->in, dt);
    r->since_up = up;
}

static skedi_real filling_family_level(const skedi_fill_row_state *p)
{
    if (p->family_still) return p->level;
    return skedi_real_add(p->level, skedi_real_sub(p->t, p->since));
}

/* ---- Speeds ---- */

/* Adds the speed of a rising child to the speeds of the parent, in the lanes of
 * `set`. Below the kept amount, a child adds no speed to the first lane. */
static void filling_speed_add_child(filling *f, uint32_t up, uint32_t child,
                                    uint64_t set)
{
    const skedi_fill_row_state *c = &f->row[child];

    for (uint32_t i = 0; i < 2 * f->kinds; i++) {
        skedi_real speed = *filling_speed_at(f, child, i);
        if (speed.m == 0 || !(set >> i & 1)) continue;
        if (i < f->kinds && !(c->counted >> i & 1)) continue;
        skedi_real *to = filling_speed_at(f, up, i);
        *to = skedi_real_add(*to, skedi_real_mul(speed, c->slow));
    }
}

static skedi_real filling_profile_slow(const filling *f, uint32_t profile)
{
    return f->j->profile[profile].slow;
}

static void filling_speed_add_profile(filling *f, uint32_t leaf,
                                      uint32_t profile, uint64_t set)
{
    const int64_t *task = filling_profile_task(f, profile);

    for (uint32_t i = 0; i < 2 * f->kinds; i++) {
        uint32_t k = i % f->kinds;
        if (task[k] == 0 || !(set >> i & 1)) continue;
        skedi_real *to = filling_speed_at(f, leaf, i);
        skedi_real add = skedi_real_mul(skedi_real_of((uint64_t)task[k]),
                                        filling_profile_slow(f, profile));
        *to = skedi_real_add(*to, add);
    }
}

/* Subtracts a speed. If the rest is below 2^-12 of the sum, the difference has
 * lost precision, and the lane is marked to sum again. */
static void filling_speed_take(filling *f, uint32_t up, uint32_t lane,
                               skedi_real speed)
{
    skedi_real *from = filling_speed_at(f, up, lane);
    skedi_real rest = skedi_real_sub(*from, speed);

    if (rest.m == 0 || rest.e < from->e - 12) {
        f->row[up].stale |= UINT64_C(1) << lane;
    }
    *from = rest;
}

static void filling_speed_take_child(filling *f, uint32_t up, uint32_t child)
{
    const skedi_fill_row_state *c = &f->row[child];

    for (uint32_t i = 0; i < 2 * f->kinds; i++) {
        skedi_real speed = *filling_speed_at(f, child, i);
        if (speed.m == 0) continue;
        if (i < f->kinds && !(c->counted >> i & 1)) continue;
        filling_speed_take(f, up, i, skedi_real_mul(speed, c->slow));
    }
}

static void filling_speed_take_profile(filling *f, uint32_t leaf,
                                       uint32_t profile)
{
    const int64_t *task = filling_profile_task(f, profile);

    for (uint32_t i = 0; i < 2 * f->kinds; i++) {
        uint32_t k = i % f->kinds;
        if (task[k] == 0) continue;
        filling_speed_take(f, leaf, i,
                           skedi_real_mul(skedi_real_of((uint64_t)task[k]),
                                          filling_profile_slow(f, profile)));
    }
}

/* Sums the stale speeds of a row again. */
static void filling_speed_renew(filling *f, uint32_t row)
{
    skedi_fill_row_state *r = &f->row[row];
    uint32_t base = filling_family_base(f, row);

    if (!r->stale) return;
    for (uint32_t i = 0; i < 2 * f->kinds; i++) {
        if (r->stale >> i & 1)
            *filling_speed_at(f, row, i) = (skedi_real){0, 0, 0};
    }
    for (uint32_t i = 0; i < r->rising; i++) {
        uint32_t node = f->heap[base + i];
        if (node < f->rows)
            filling_speed_add_child(f, row, node, r->stale);
        else
            filling_speed_add_profile(f, row, node - f->rows, r->stale);
    }
    r->stale = 0;
}

/* Returns the speed of the dominant share, or 1 if no kind has a speed. */
static skedi_real filling_speed_dominant(const filling *f, uint32_t row)
{
    skedi_real most = {0, 0, 0};

    for (uint32_t k = 0; k < f->kinds; k++) {
        skedi_real speed = *filling_speed_at(f, row, f->kinds + k);
        if (speed.m == 0 || f->j->capacity[k] <= 0) continue;
        speed = skedi_real_div(speed,
                               skedi_real_of((uint64_t)f->j->capacity[k]));
        if (skedi_real_below(most, speed)) most = speed;
    }
    return most.m ? most : skedi_real_power(0);
}

/* ---- Stages and keys ---- */

/* True if two values are equal except for rounding. */
static int filling_meets(skedi_real a, skedi_real b)
{
    skedi_real most = skedi_real_below(a, b) ? b : a;
    skedi_real gap = skedi_real_sub(most, skedi_real_below(a, b) ? a : b);

    return gap.m == 0 || gap.e < most.e - 40;
}

/* True if a row holds an amount of a kind, except for rounding. The bits
 * `served` and `parted` say the same of exact amounts; but a row that comes back
 * to the stage OWED may be above its part, and the last event of a guarantee may
 * be a rounding error away. */
static int filling_has(const filling *f, uint32_t row, uint32_t k,
                       const int64_t *column)
{
    skedi_real amount = skedi_real_of(
        (uint64_t)filling_bound_of(f, column, row, k));
    skedi_real held = *filling_held_at(f, row, k);

    return !skedi_real_below(held, amount) || filling_meets(held, amount);
}

/* Returns the kinds in which a row rises, is contended and is below its
 * guarantee. Returns 0 if the row has reached its part in a contended kind in
 * which the row rises. A row at its cap of a kind rises no further in the kind,
 * although the event of the cap may come next. */
static uint32_t filling_kinds_owed(const filling *f, uint32_t row)
{
    const skedi_fill_row_state *r = &f->row[row];
    uint32_t rises = 0;

    for (uint32_t k = 0; k < f->kinds; k++) {
        if (filling_speed_at(f, row, f->kinds + k)->m &&
            !filling_has(f, row, k, f->j->cap)) {
            rises |= UINT32_C(1) << k;
        }
    }
    uint32_t contended = rises & f->j->contended[r->up];
    /* A child without weight rises only up to its guarantee, in any kind. */
    uint32_t owed = (f->j->weight[row] ? contended : rises) & ~r->served;
    for (uint32_t left = owed; left; left &= left - 1) {
        uint32_t k = skedi_ctz64(left);
        if (filling_has(f, row, k, f->j->guarantee))
            owed &= ~(UINT32_C(1) << k);
    }
    for (uint32_t left = owed ? contended : 0; left; left &= left - 1) {
        uint32_t k = skedi_ctz64(left);
        if (r->parted >> k & 1 || filling_has(f, row, k, f->j->part)) return 0;
    }
    return owed;
}

/* Returns the part of the key for a kind, or the speed of the part. In the
 * stage OWED the part is the fraction of the guarantee. */
static skedi_real filling_key_part(const filling *f, uint32_t row, uint32_t k,
                                   int speed)
{
    if (f->row[row].stage == FILL_LAST) return (skedi_real){0, 0, 0};
    uint32_t lane = f->row[row].stage == FILL_OWED ? k : f->kinds + k;
    skedi_real of = speed ? *filling_speed_at(f, row, lane)
                          : *filling_held_at(f, row, lane);

    if (f->row[row].stage == FILL_OWED) {
        int64_t owed = filling_bound_of(f, f->j->guarantee, row, k);
        return skedi_real_div(of, skedi_real_of((uint64_t)owed));
    }
    return skedi_real_mul(of, f->factor[(size_t)row * f->kinds + k]);
}

/* Returns the kinds of the key in the current stage. */
static uint32_t filling_key_kinds(const filling *f, uint32_t row)
{
    uint32_t kinds = 0;

    if (f->row[row].stage == FILL_OWED) return filling_kinds_owed(f, row);
    if (f->row[row].stage == FILL_LAST) return 0;
    for (uint32_t k = 0; k < f->kinds; k++) {
        if (f->factor[(size_t)row * f->kinds + k].m) kinds |= UINT32_C(1) << k;
    }
    return kinds;
}

/* True if kind `k` leads instead of `lead`. In the stage OWED the smallest part
 * leads, else the largest part. If the parts are equal, the speeds decide,
 * because the speeds determine the order from now on. */
static int filling_leads(const filling *f, uint32_t row, uint32_t k,
                         uint32_t lead)
{
    int owed = f->row[row].stage == FILL_OWED;
    skedi_real a = filling_key_part(f, row, k, 0),
               b = filling_key_part(f, row, lead, 0);

    if (filling_meets(a, b)) {
        a = filling_key_part(f, row, k, 1);
        b = filling_key_part(f, row, lead, 1);
    }
    return owed ? skedi_real_below(a, b) : skedi_real_below(b, a);
}

/* True if a row holds a kind of its key with base 0, or rises in the kind. Any
 * amount is too much then, so the row comes after all siblings. */
static int filling_uses_baseless(const filling *f, uint32_t row)
{
    for (uint32_t left = f->row[row].baseless; left; left &= left - 1) {
        uint32_t lane = f->kinds + skedi_ctz64(left);
        if (filling_held_at(f, row, lane)->m ||
            filling_speed_at(f, row, lane)->m) {
            return 1;
        }
    }
    return 0;
}

/* Finds the stage, the leading kind and whether the key is still. */
static void filling_find_key(filling *f, uint32_t row)
{
    skedi_fill_row_state *r = &f->row[row];
    uint32_t kinds;

    r->stage = FILL_BY_KEY;
    if (filling_kinds_owed(f, row))
        r->stage = FILL_OWED;
    else if (filling_uses_baseless(f, row))
        r->stage = FILL_LAST;
    kinds = filling_key_kinds(f, row);
    r->still = 1;
    r->lead = 0;
    if (r->forced) kinds = UINT32_C(1) << (r->forced - 1);
    r->forced = 0;
    if (!kinds) return;
    r->lead = (uint8_t)skedi_ctz64(kinds);
    for (kinds &= kinds - 1; kinds; kinds &= kinds - 1) {
        uint32_t k = skedi_ctz64(kinds);
        if (filling_leads(f, row, k, r->lead)) r->lead = (uint8_t)k;
    }
    r->still = filling_key_part(f, row, r->lead, 1).m == 0;
}

/* ---- The next event ---- */

typedef struct filling_event {
    skedi_real in; /* own ticks from now */
    uint32_t kind;
    uint8_t type; /* FILL_EVENT_FAMILY: no event */
} filling_event;

static void filling_offer_event(filling_event *e, uint8_t type, uint32_t kind,
                                skedi_real in)
{
    if (e->type && !skedi_real_below(in, e->in)) return;
    *e = (filling_event){in, kind, type};
}

/* Offers the event of reaching an amount of a kind. */
static void filling_offer_amount(const filling *f, filling_event *e,
                                 uint32_t row, uint8_t type, uint32_t k,
                                 int64_t amount)
{
    skedi_real gap = skedi_real_sub(skedi_real_of((uint64_t)amount),
                                    *filling_held_at(f, row, k));

    filling_offer_event(e, type, k,
                        skedi_real_div(gap, *filling_speed_at(f, row, k)));
}

static void filling_offer_bounds(const filling *f, filling_event *e,
                                 uint32_t row, uint32_t k)
{
    const skedi_fill_row_state *r = &f->row[row];
    const skedi_joint *j = f->j;
    int64_t cap = filling_bound_of(f, j->cap, row, k);
    uint32_t bit = UINT32_C(1) << k;

    if (!(r->full & bit) && cap <= SKED_AMOUNT_MAX) {
        filling_offer_amount(f, e, row, FILL_EVENT_CAP, k, cap);
    }
    if (!(r->counted & bit)) {
        filling_offer_amount(f, e, row, FILL_EVENT_KEPT, k,
                             filling_bound_of(f, j->kept, row, k));
    }
    if (row == 0 || !(j->contended[r->up] & bit)) return;
    if (!(r->served & bit)) {
        filling_offer_amount(f, e, row, FILL_EVENT_OWED, k,
                             filling_bound_of(f, j->guarantee, row, k));
    }
    if (!(r->parted & bit) && r->stage == FILL_OWED &&
        !filling_has(f, row, k, j->part)) {
        filling_offer_amount(f, e, row, FILL_EVENT_PART, k,
                             filling_bound_of(f, j->part, row, k));
    }
}

/* Offers the events of another kind taking the lead of the key. */
static void filling_offer_leads(const filling *f, filling_event *e,
                                uint32_t row)
{
    const skedi_fill_row_state *r = &f->row[row];
    uint32_t kinds = filling_key_kinds(f, row), lead = r->lead;
    int owed = r->stage == FILL_OWED;

    if (!(kinds & (kinds - 1))) return;
    skedi_real x = filling_key_part(f, row, lead, 0),
               v = filling_key_part(f, row, lead, 1);
    for (; kinds; kinds &= kinds - 1) {
        uint32_t k = skedi_ctz64(kinds);
        skedi_real y, w;
        if (k == lead) continue;
        y = filling_key_part(f, row, k, 0);
        w = filling_key_part(f, row, k, 1);
        skedi_real gap = owed ? skedi_real_sub(y, x) : skedi_real_sub(x, y);
        skedi_real gain = owed ? skedi_real_sub(v, w) : skedi_real_sub(w, v);
        if (gain.m == 0 || filling_meets(v, w)) continue;
        filling_offer_event(e, FILL_EVENT_LEAD, k, skedi_real_div(gap, gain));
    }
}

/* Computes the ticks until the level reaches the first resting child. Returns 0
 * if the level cannot reach the child while other children rise. */
static int filling_family_join_in(const filling *f, uint32_t row,
                                  skedi_real *in)
{
    const skedi_fill_row_state *r = &f->row[row];

    if (!r->resting || r->family_still) return 0;
    const skedi_fill_row_state
        *c = &f->row[f->rest[filling_family_base(f, row)]];
    if (c->stage != r->family_stage) return 0;
    *in = skedi_real_sub(c->key, filling_family_level(r));
    return 1;
}

/* Returns the ticks until the first event of a rising child. The code scales
 * the child's own step, because the difference of two large clocks would lose a
 * small step. */
static skedi_real filling_family_rise_in(const filling *f, uint32_t row)
{
    const skedi_fill_row_state *r = &f->row[row];
    uint32_t node = f->heap[filling_family_base(f, row)];

    if (node >= f->rows) return skedi_real_sub(f->when[node], r->t);
    const skedi_fill_row_state *c = &f->row[node];
    return skedi_real_sub(skedi_real_mul(c->in, c->rate),
                          skedi_real_sub(r->t, c->since_up));
}

/* Finds the next event of a row. The speeds and the key must be current. */
static void filling_find_next(filling *f, uint32_t row)
{
    skedi_fill_row_state *r = &f->row[row];
    filling_event e = {.type = FILL_EVENT_FAMILY};
    skedi_real join;

    for (uint32_t k = 0; k < f->kinds; k++) {
        if (filling_speed_at(f, row, k)->m) filling_offer_bounds(f, &e, row, k);
        /* A child may have stopped by itself just where the cap is. */
        if (r->rising && !(r->full >> k & 1) &&
            filling_has(f, row, k, f->j->cap)) {
            filling_offer_event(&e, FILL_EVENT_CAP, k, (skedi_real){0, 0, 0});
        }
    }
    if (row > 0) filling_offer_leads(f, &e, row);
    if (r->rising) {
        skedi_real family = filling_family_rise_in(f, row);
        if (filling_family_join_in(f, row, &join) &&
            skedi_real_below(join, family)) {
            family = join;
        }
        if (!e.type || !skedi_real_below(e.in, family)) {
            e = (filling_event){.in = family, .type = FILL_EVENT_FAMILY};
        }
    }
    r->in = e.in;
    r->event = e.type;
    r->event_kind = (uint8_t)e.kind;
}

/* ---- Families ---- */

static void filling_child_when(const filling *f, uint32_t child)
{
    const skedi_fill_row_state *c = &f->row[child];

    f->when[child] = skedi_real_add(c->since_up,
                                    skedi_real_mul(c->in, c->rate));
}

/* Sets the rate of a child in its family: the speed of the key. For a still
 * child, the rate is the speed of the dominant share. */
static void filling_child_set_rate(filling *f, uint32_t child)
{
    skedi_fill_row_state *c = &f->row[child];

    c->rate = c->still ? filling_speed_dominant(f, child)
                       : filling_key_part(f, child, c->lead, 1);
    c->slow = skedi_real_div(skedi_real_power(0), c->rate);
}

static void filling_child_start(filling *f, uint32_t up, uint32_t child)
{
    skedi_fill_row_state *p = &f->row[up], *c = &f->row[child];
    uint32_t base = filling_family_base(f, up);

    filling_heap_take(f, f->rest + base, &p->resting, child,
                      filling_rests_before);
    c->state = FILL_RISING;
    c->since_up = p->t;
    filling_child_set_rate(f, child);
    filling_child_when(f, child);
    filling_heap_add(f, f->heap + base, &p->rising, child,
                     filling_rises_before);
    filling_speed_add_child(f, up, child, ~p->stale);
}

/* Moves all rising children to rest at the level of the family. */
static void filling_family_halt(filling *f, uint32_t up)
{
    skedi_fill_row_state *p = &f->row[up];
    uint32_t base = filling_family_base(f, up), n = p->rising;
    skedi_real level = filling_family_level(p);

    p->rising = 0;
    p->stale = UINT64_MAX;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t child = f->heap[base + i];
        skedi_fill_row_state *c = &f->row[child];
        filling_row_sync(f, child);
        c->state = FILL_RESTING;
        c->key = level;
        filling_heap_add(f, f->rest + base, &p->resting, child,
                         filling_rests_before);
    }
}

/* True if a resting child precedes the rising children. */
static int filling_rest_precedes(const skedi_fill_row_state *p,
                                 const skedi_fill_row_state *c)
{
    if (c->stage != p->family_stage) return c->stage < p->family_stage;
    int order = skedi_real_cmp(c->key, filling_family_level(p));
    return order < 0 || (order == 0 && c->still && !p->family_still);
}

/* Starts the first children of a family. */
static void filling_family_settle(filling *f, uint32_t up)
{
    skedi_fill_row_state *p = &f->row[up];
    uint32_t base = filling_family_base(f, up);

    if (!filling_row_is_family_of_rows(f, up)) return;
    while (p->resting) {
        uint32_t child = f->rest[base];
        const skedi_fill_row_state *c = &f->row[child];
        if (p->rising && filling_rest_precedes(p, c)) {
            filling_family_halt(f, up);
            continue;
        }
        if (!p->rising) {
            p->family_stage = c->stage;
            p->family_still = c->still;
            p->level = c->key;
            /* No child refers to the clock, so the clock restarts at 0. A large
             * clock would lose small steps. */
            p->t = p->since = (skedi_real){0, 0, 0};
        } else if (c->stage != p->family_stage || c->still != p->family_still ||
                   skedi_real_cmp(c->key, filling_family_level(p)) > 0) {
            return;
        }
        filling_child_start(f, up, child);
    }
}

static void filling_child_leave(filling *f, uint32_t up, uint32_t child)
{
    skedi_fill_row_state *p = &f->row[up], *c = &f->row[child];
    uint32_t base = filling_family_base(f, up);

    if (c->state == FILL_RISING)
        filling_heap_take(f, f->heap + base, &p->rising, child,
                          filling_rises_before);
    else if (c->state == FILL_RESTING)
        filling_heap_take(f, f->rest + base, &p->resting, child,
                          filling_rests_before);
    else if (c->state == FILL_HELD)
        p->held--;
}

static void filling_child_rest(filling *f, uint32_t up, uint32_t child,
                               skedi_real key)
{
    skedi_fill_row_state *p = &f->row[up], *c = &f->row[child];

    filling_child_leave(f, up, child);
    c->state = FILL_RESTING;
    c->key = key;
    filling_heap_add(f, f->rest + filling_family_base(f, up), &p->resting,
                     child, filling_rests_before);
}

/* Places a row with a settled family in the family of the parent. The caller
 * has subtracted the speed of the row from the parent. */
static void filling_child_place(filling *f, uint32_t child)
{
    skedi_fill_row_state *c = &f->row[child];
    uint32_t up = c->up;
    skedi_fill_row_state *p = &f->row[up];
    uint8_t stage = c->stage, still = c->still;

    filling_speed_renew(f, child);
    filling_find_key(f, child);
    if (!c->rising) {
        filling_child_leave(f, up, child);
        c->state = c->held ? FILL_HELD : FILL_DONE;
        p->held += c->state == FILL_HELD;
        return;
    }
    filling_find_next(f, child);
    if (c->stage != FILL_OWED && f->j->weight[child] == 0) {
        filling_child_leave(f, up, child);
        c->state = FILL_HELD;
        p->held++;
    } else if (c->state != FILL_RISING || c->stage != stage) {
        filling_child_rest(f, up, child,
                           filling_key_part(f, child, c->lead, 0));
    } else if (c->still != still) {
        filling_child_rest(f, up, child, filling_family_level(p));
    } else {
        filling_child_set_rate(f, child);
        filling_child_when(f, child);
        filling_heap_move(f, f->heap + filling_family_base(f, up), p->rising,
                          f->slot[child], filling_rises_before);
        filling_speed_add_child(f, up, child, ~p->stale);
    }
}

/* ---- Full kinds ---- */

static void filling_profile_stop(filling *f, uint32_t leaf, uint32_t profile)
{
    skedi_fill_row_state *r = &f->row[leaf];
    uint32_t node = filling_node_of_profile(f, profile);

    filling_heap_take(f, f->heap + filling_family_base(f, leaf), &r->rising,
                      node, filling_rises_before);
    f->profile_state[profile] = FILL_DONE;
}

/* Stops the profiles of a leaf with a need of kind `k` at the current time. */
static void filling_leaf_stop(filling *f, uint32_t leaf, uint32_t k)
{
    for (uint32_t i = f->j->first_profile[leaf];
         i < f->j->first_profile[leaf + 1]; i++) {
        if (f->profile_state[i] != FILL_RISING ||
            !filling_profile_task(f, i)[k]) {
            continue;
        }
        f->j->profile[i].end = skedi_real_mul(f->row[leaf].t,
                                              filling_profile_slow(f, i));
        filling_profile_stop(f, leaf, i);
    }
    f->row[leaf].stale = UINT64_MAX;
}

/* Marks a child below a row with a full kind. A child below its kept amount is
 * not concerned: the parent has already counted the kept amount. */
static void filling_mark_child(filling *f, uint32_t child, uint32_t k)
{
    skedi_fill_row_state *c = &f->row[child];

    if (c->state == FILL_DONE || !(c->counted >> k & 1)) return;
    if (c->state == FILL_RISING) filling_row_sync(f, child);
    c->marked = 1;
}

/* Stops the profiles of a marked row and marks the concerned children. */
static void filling_stop_row(filling *f, uint32_t row, uint32_t k)
{
    const skedi_joint *j = f->j;

    if (!filling_row_is_family_of_rows(f, row)) filling_leaf_stop(f, row, k);
    for (uint32_t c = j->first_child[row]; c < j->first_child[row + 1]; c++) {
        filling_mark_child(f, c, k);
    }
    f->row[row].stale = UINT64_MAX;
}

/* Stops kind `k` below a full row. The rows of each level are contiguous. The
 * first loop marks rows from the top down. The second loop places the marked
 * rows again, from the leaves up. The caller places `top`. */
static void filling_stop_below(filling *f, uint32_t top, uint32_t k)
{
    const skedi_joint *j = f->j;
    uint32_t first[SKED_MAX_DEPTH + 2], last[SKED_MAX_DEPTH + 2], n = 0;

    f->row[top].marked = 1;
    for (uint32_t from = top, to = top + 1; from < to;) {
        first[n] = from;
        last[n++] = to;
        for (uint32_t row = from; row < to; row++) {
            if (f->row[row].marked) filling_stop_row(f, row, k);
        }
        from = j->first_child[from];
        to = j->first_child[to];
    }
    while (n-- > 1) {
        for (uint32_t row = last[n]; row-- > first[n];) {
            if (!f->row[row].marked) continue;
            f->row[row].marked = 0;
            filling_family_settle(f, row);
            filling_child_place(f, row);
        }
    }
    f->row[top].marked = 0;
}

/* True if kind `k` is full at an ancestor, and the rows up to the ancestor have
 * reached their kept amounts. */
static int filling_is_full_above(const filling *f, uint32_t row, uint32_t k)
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

static void filling_event_happens(filling *f, uint32_t row)
{
    skedi_fill_row_state *r = &f->row[row];
    const skedi_joint *j = f->j;
    uint32_t k = r->event_kind, bit = UINT32_C(1) << k;
    const int64_t *exact = NULL;

    switch (r->event) {
    case FILL_EVENT_CAP: exact = j->cap, r->full |= bit; break;
    case FILL_EVENT_KEPT: exact = j->kept, r->counted |= bit; break;
    case FILL_EVENT_OWED: exact = j->guarantee, r->served |= bit; break;
    case FILL_EVENT_PART: exact = j->part, r->parted |= bit; break;
    default: r->forced = (uint8_t)(k + 1); return;
    }
    *filling_held_at(f, row, k) = skedi_real_of(
        (uint64_t)filling_bound_of(f, exact, row, k));
    if (r->event == FILL_EVENT_CAP ||
        (r->event == FILL_EVENT_KEPT && filling_is_full_above(f, row, k))) {
        filling_stop_below(f, row, k);
    }
}

static void filling_profile_ends(filling *f, uint32_t leaf, uint32_t profile)
{
    skedi_joint_profile *p = &f->j->profile[profile];

    filling_speed_take_profile(f, leaf, profile);
    p->end = skedi_real_of((uint64_t)p->tasks);
    p->whole = 1;
    filling_profile_stop(f, leaf, profile);
}

/* Sets the level to the key of the first resting child, if the level reaches
 * the child before the next event of a rising child. Returns 1 if done. */
static int filling_family_joins(filling *f, uint32_t row)
{
    skedi_fill_row_state *r = &f->row[row];
    skedi_real join;

    if (!filling_family_join_in(f, row, &join) ||
        skedi_real_below(filling_family_rise_in(f, row), join)) {
        return 0;
    }
    r->level = f->row[f->rest[filling_family_base(f, row)]].key;
    r->since = r->t;
    return 1;
}

/* Descends to the row with the first event and applies the event. Returns the
 * row. */
static uint32_t filling_next_event(filling *f)
{
    uint32_t row = 0;

    filling_row_advance(f, 0, f->row[0].in);
    while (f->row[row].event == FILL_EVENT_FAMILY &&
           !filling_family_joins(f, row)) {
        uint32_t node = f->heap[filling_family_base(f, row)];
        if (node >= f->rows) {
            filling_profile_ends(f, row, node - f->rows);
            return row;
        }
        filling_speed_take_child(f, row, node);
        skedi_fill_row_state *c = &f->row[node];
        filling_row_advance(f, node, c->in);
        c->since_up = f->row[row].t;
        row = node;
    }
    if (f->row[row].event != FILL_EVENT_FAMILY) filling_event_happens(f, row);
    return row;
}

/* Places the rows from `row` up to the root again. */
static void filling_place_path(filling *f, uint32_t row)
{
    for (; row > 0; row = f->row[row].up) {
        filling_family_settle(f, row);
        filling_child_place(f, row);
    }
    filling_family_settle(f, 0);
    filling_speed_renew(f, 0);
    filling_find_next(f, 0);
}

/* ---- Initial state ---- */

static void filling_open_amounts(filling *f, uint32_t row)
{
    const skedi_joint *j = f->j;
    skedi_fill_row_state *r = &f->row[row];

    for (uint32_t k = 0; k < f->kinds; k++) {
        skedi_real held = {0, 0, 0};
        *filling_held_at(f, row, f->kinds + k) = held;
        uint32_t bit = UINT32_C(1) << k;
        for (uint32_t c = j->first_child[row]; c < j->first_child[row + 1];
             c++) {
            skedi_real kept = skedi_real_of(
                (uint64_t)filling_bound_of(f, j->kept, c, k));
            skedi_real own = *filling_held_at(f, c, k);
            held = skedi_real_add(held,
                                  skedi_real_below(own, kept) ? kept : own);
            f->row[c].up = row;
        }
        *filling_held_at(f, row, k) = held;
        int64_t cap = filling_bound_of(f, j->cap, row, k);
        int64_t whole = skedi_real_floor(held, INT64_MAX);
        if (whole >= cap) r->full |= bit;
        if (whole >= filling_bound_of(f, j->kept, row, k)) r->counted |= bit;
        if (whole >= filling_bound_of(f, j->guarantee, row, k))
            r->served |= bit;
        if (whole >= filling_bound_of(f, j->part, row, k)) r->parted |= bit;
    }
}

/* Sets the factors of a row's amounts in the key, and the kinds whose base is 0. */
static void filling_open_factors(filling *f, uint32_t row)
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
            int64_t owed = filling_bound_of(f, j->guarantee, row, k);
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
        skedi_real *factor = &f->factor[(size_t)row * f->kinds + k];
        int64_t of = base ? filling_bound_of(f, base, row, k) : j->capacity[k];
        *factor = (skedi_real){0, 0, 0};
        if (!(kinds >> k & 1)) continue;
        if (of <= 0) {
            f->row[row].baseless |= UINT32_C(1) << k;
            continue;
        }
        skedi_real whole = skedi_real_of((uint64_t)of);
        if (!base) whole = skedi_real_mul(whole, skedi_real_of(weight));
        *factor = skedi_real_div(skedi_real_power(0), whole);
    }
}

/* Returns the kinds with a positive amount in a task. */
static uint32_t filling_profile_kinds(const filling *f, const int64_t *task)
{
    uint32_t kinds = 0;

    for (uint32_t k = 0; k < f->kinds; k++) {
        if (task[k] > 0) kinds |= UINT32_C(1) << k;
    }
    return kinds;
}

/* Starts a profile, unless a needed kind is blocked. The clock of a leaf is the
 * dominant share of each of its profiles. */
static void filling_open_profile(filling *f, uint32_t leaf, uint32_t profile,
                                 uint32_t blocked)
{
    skedi_joint_profile *p = &f->j->profile[profile];
    uint32_t needs = filling_profile_kinds(f, p->task);
    uint32_t node = filling_node_of_profile(f, profile);
    skedi_real most = {0, 0, 0};

    p->end = (skedi_real){0, 0, 0};
    f->profile_state[profile] = FILL_DONE;
    if (!needs || p->tasks <= 0 || needs & blocked) return;
    for (; needs; needs &= needs - 1) {
        uint32_t k = skedi_ctz64(needs);
        skedi_real part = skedi_real_div(
            skedi_real_of((uint64_t)p->task[k]),
            skedi_real_of((uint64_t)f->j->capacity[k]));
        if (skedi_real_below(most, part)) most = part;
    }
    p->slow = skedi_real_div(skedi_real_power(0), most);
    f->profile_state[profile] = FILL_RISING;
    f->when[node] = skedi_real_mul(skedi_real_of((uint64_t)p->tasks), most);
    filling_heap_add(f, f->heap + filling_family_base(f, leaf),
                     &f->row[leaf].rising, node, filling_rises_before);
}

/* Returns the full kinds of a row and of its ancestors at the start. */
static uint32_t filling_blocked_kinds(const filling *f, uint32_t row)
{
    uint32_t kinds = f->row[row].full, counted = f->row[row].counted;

    while (row > 0) {
        row = f->row[row].up;
        kinds |= f->row[row].full & counted;
        counted &= f->row[row].counted;
    }
    return kinds;
}

static void filling_open_rows(filling *f)
{
    const skedi_joint *j = f->j;

    memset(f->row, 0, f->rows * sizeof *f->row);
    for (uint32_t row = f->rows; row-- > 0;) filling_open_amounts(f, row);
    for (uint32_t row = f->rows; row-- > 0;) {
        f->row[row].stale = UINT64_MAX;
        if (row > 0) filling_open_factors(f, row);
        uint32_t blocked = j->first_profile[row] < j->first_profile[row + 1]
                               ? filling_blocked_kinds(f, row)
                               : 0;
        for (uint32_t i = j->first_profile[row]; i < j->first_profile[row + 1];
             i++) {
            filling_open_profile(f, row, i, blocked);
        }
        filling_family_settle(f, row);
        if (row > 0) filling_child_place(f, row);
    }
    filling_speed_renew(f, 0);
    filling_find_next(f, 0);
}

/* ---- Memory ---- */

static size_t filling_words(size_t rows, size_t kinds, size_t profiles)
{
    return rows * kinds * 3 + rows + profiles;
}

size_t skedi_filling_bytes(size_t rows, size_t kinds, size_t profiles)
{
    return rows * sizeof(skedi_fill_row_state) +
           filling_words(rows, kinds, profiles) * sizeof(skedi_real) +
           (2 * (rows + profiles) + rows) * sizeof(uint32_t) + profiles;
}

static filling filling_of(skedi_joint *j, void *scratch)
{
    filling f = {.j = j, .kinds = j->kinds, .rows = j->rows, .row = scratch};
    size_t nodes = (size_t)j->rows + j->profiles;
    size_t columns = (size_t)j->rows * j->kinds;

    f.speed = (skedi_real *)(void *)(f.row + j->rows);
    f.factor = f.speed + 2 * columns;
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

    /* Most trees need 2 or 3 events a row or profile. The bound only keeps
     * rounding errors from causing an endless loop. */
    uint64_t most = 64 +
                    64 * ((uint64_t)j->rows * (j->kinds + 1) + j->profiles);

    filling_open_rows(&f);
    while (f.row[0].rising > 0 && most-- > 0)
        filling_place_path(&f, filling_next_event(&f));
    /* Rows and profiles below rows without a turn still have state RISING. Rows
     * stand behind their parents, whose clocks stand still by then. */
    for (uint32_t row = 0; row < j->rows; row++) {
        if (row > 0 && f.row[row].state == FILL_RISING)
            filling_row_sync(&f, row);
        for (uint32_t i = j->first_profile[row]; i < j->first_profile[row + 1];
             i++) {
            if (f.profile_state[i] != FILL_RISING) continue;
            j->profile[i].end = skedi_real_mul(f.row[row].t,
                                               filling_profile_slow(&f, i));
        }
    }
}
