/*
 * Which tasks are surplus. Of an owner (a leaf, or one of its users) tasks are
 * protected in an order that does not move while demand is constant: what is
 * fixed, then by priority, then by amounts; of tasks that are alike as many as
 * fit into what the owner keeps beside those before. The rest is surplus: any
 * of it, and all of it at once, may go. So how many of each class are
 * protected, compared in that order, is never made less by taking surplus; and
 * who is served within what it keeps has more of them than before.
 *
 * Tasks are alike by the kinds that bind their owner. A kind that its family is
 * not short of never does: what it runs fits its share of it, whatever that is.
 */
#include <string.h>

#include "base/sort.h"
#include "engine/core/groups.h"
#include "engine/core/notices.h"
#include "engine/order/shares.h"
#include "engine/preempt/rounds.h"

int skedi_kin_is_gang(const sked_engine *e, const engine_kin *kin)
{
    return memcmp(engine_row_of(e, &e->shape_step, kin->shape),
                  engine_row_of(e, &e->shape_task, kin->shape),
                  e->kinds * sizeof(int64_t)) != 0;
}

/* How many units go into what is there, by some kinds. */
static int64_t times_in(const sked_engine *e, const int64_t *unit,
                        const int64_t *there, uint32_t kinds)
{
    int64_t times = INT64_MAX;

    for (uint32_t k = 0; k < e->kinds; k++) {
        if (unit[k] == 0 || !(kinds >> k & 1)) continue;
        times = skedi_i64_min(times, skedi_i64_max(there[k], 0) / unit[k]);
    }
    return times;
}

/* ---- The order of protection ---- */

/* The kinds that bind an owner in a leaf: users share out all of them. */
static uint32_t kinds_that_bind(const round_part *part, uint32_t row)
{
    const sked_engine *e = part->e;
    size_t at = (size_t)row * e->kinds;
    uint32_t kinds = 0;

    if (row == 0 || part->seat_keep) return UINT32_MAX;
    kinds = skedi_contended(e, (uint32_t)e->rows.parent[row], part->partition);
    for (uint32_t k = 0; k < e->kinds;
         k++) { /* what runs may be beyond a cap */
        if (part->held[at + k] > part->keep[at + k]) kinds |= UINT32_C(1) << k;
    }
    return kinds;
}

static int compare_amounts(const sked_engine *e, const engine_amounts *of,
                           uint32_t a, uint32_t b, uint32_t kinds)
{
    const int64_t *x = engine_row_of(e, of, a), *y = engine_row_of(e, of, b);

    for (uint32_t k = 0; k < e->kinds; k++) {
        if (x[k] != y[k] && kinds >> k & 1) return x[k] > y[k] ? -1 : 1;
    }
    return 0;
}

/* Masters are protected before others, and last those who lose nothing. */
static uint32_t safety_of(uint32_t terms)
{
    return terms ^ KIN_KEEPS;
}

/* Which of two kin of one owner is protected first? 0: they are alike. */
static int kin_order(const sked_engine *e, const engine_kin *a,
                     const engine_kin *b, uint32_t kinds)
{
    int one = skedi_kin_is_gang(e, a), other = skedi_kin_is_gang(e, b);

    if (a->priority != b->priority) return a->priority > b->priority ? -1 : 1;
    if (a->terms != b->terms) {
        return (int)safety_of(b->terms) - (int)safety_of(a->terms);
    }
    if (one != other) return other - one;
    int by = compare_amounts(e, &e->shape_task, a->shape, b->shape, kinds);
    if (by) return by;
    return compare_amounts(e, &e->shape_step, a->shape, b->shape, kinds);
}

static int compare_owned(const void *ctx, uint32_t a, uint32_t b)
{
    const round_part *part = ctx;
    const sked_engine *e = part->e;
    const engine_kin *x = kin_at(&e->preempt->kins, a);
    const engine_kin *y = kin_at(&e->preempt->kins, b);

    if (x->cell != y->cell) return x->cell < y->cell ? -1 : 1;
    if (x->seat != y->seat) return x->seat < y->seat ? -1 : 1;
    return kin_order(e, x, y, part->binds[x->cell / e->parts]);
}

/* Does it matter what a leaf has to spare? */
static int matters(const round_part *part, uint32_t row)
{
    uint32_t inside = SKED_PREEMPT_FLAG_BY_USER | SKED_PREEMPT_FLAG_BY_PRIORITY;
    const sked_engine *e = part->e;

    if (part->reasons[row] & ROUND_GIVING) return 1;
    return e->preempt->opts.flags & inside && part->allowed[row] &&
           e->cells[cell_of(e, row, part->partition)].open > 0;
}

static int list_owned(round_part *part)
{
    sked_engine *e = part->e;
    const engine_kins *kins = &e->preempt->kins;
    uint32_t n = 0, row = 0, *scratch;

    part->order = skedi_round_room(e, kins->pool.n, sizeof *part->order);
    scratch = skedi_round_room(e, kins->pool.n, sizeof *scratch);
    part->from = skedi_round_room(e, (uint64_t)e->rows.n + 1,
                                  sizeof *part->from);
    part->binds = skedi_round_room(e, e->rows.n, sizeof *part->binds);
    if (!part->order || !scratch || !part->from || !part->binds) return 0;
    for (uint32_t i = 1; i < e->rows.n; i++) {
        if (row_is_leaf(e, i)) part->binds[i] = kinds_that_bind(part, i);
    }
    for (uint32_t i = 0; i < kins->pool.n; i++) {
        const engine_kin *kin = kin_at(kins, i);
        if (!kin->name || kin->cell % e->parts != part->partition) continue;
        if (matters(part, kin->cell / e->parts)) part->order[n++] = i;
    }
    skedi_sort(part->order, scratch, n, compare_owned, part);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t own = kin_at(kins, part->order[i])->cell / e->parts;
        while (row <= own) part->from[row++] = i;
    }
    while (row <= e->rows.n) part->from[row++] = n;
    return 1;
}

/* ---- How many run ---- */

/* Tasks that were told to end do not. */
static void count_live(round_part *part)
{
    const sked_engine *e = part->e;
    const engine_kins *kins = &e->preempt->kins;
    const engine_notice *notice = e->notices.item;

    for (uint32_t i = 0; i < kins->pool.n; i++) {
        part->live[i] = kin_at(kins, i)->tasks;
    }
    for (uint32_t i = 0; i < e->notices.n; i++) {
        uint32_t g = notice[i].dying ? skedi_group_find(e, notice[i].group)
                                     : SKEDI_NONE;
        if (g == SKEDI_NONE || !kins->place[g].kin) continue;
        part->live[skedi_kin_of(kins, g)] -= notice[i].dying;
    }
}

/* Units of a kin: tasks, or gangs, of which what is left counts as one. */
static int64_t live_units(const round_part *part, uint32_t kin)
{
    const sked_engine *e = part->e;
    const engine_kins *kins = &e->preempt->kins;
    int64_t n = 0;

    if (!skedi_kin_is_gang(e, kin_at(kins, kin))) return part->live[kin];
    for (uint32_t g = kin_at(kins, kin)->last; g != SKEDI_NONE;
         g = kins->place[g].before) {
        n += skedi_group_dying(e, g) == 0 && part->s->taken[g] == 0;
    }
    return n;
}

/* ---- The walk ---- */

/* An owner: from its first kin up to its last. */
typedef struct spare_owner {
    uint32_t from, to;
    uint32_t kinds;               /* that bind it */
    int64_t left[SKED_MAX_KINDS]; /* of what it keeps */
} spare_owner;

/* The owner whose groups begin there. What none of them hold is fixed, and goes
 * first and whole; what may start by its turn is not there yet. */
static spare_owner owner_at(const round_part *part, uint32_t from)
{
    const sked_engine *e = part->e;
    const engine_kins *kins = &e->preempt->kins;
    const engine_kin *first = kin_at(kins, part->order[from]);
    uint32_t row = first->cell / e->parts;
    spare_owner o = {.from = from, .to = from, .kinds = part->binds[row]};
    int user = first->seat != SKEDI_NONE;
    const int64_t *used = user
                              ? part->seat_used + (size_t)first->seat * e->kinds
                              : part->held + (size_t)row * e->kinds;
    const int64_t *keep = user
                              ? part->seat_keep + (size_t)first->seat * e->kinds
                              : part->keep + (size_t)row * e->kinds;

    const int64_t *turn = user
                              ? part->seat_turn + (size_t)first->seat * e->kinds
                              : part->leaf_turn + (size_t)row * e->kinds;

    for (uint32_t k = 0; k < e->kinds; k++) {
        o.left[k] = keep[k] - used[k] + turn[k];
    }
    for (; o.to < part->from[row + 1]; o.to++) {
        const engine_kin *kin = kin_at(kins, part->order[o.to]);
        if (kin->seat != first->seat) break;
        const int64_t *task = engine_row_of(e, &e->shape_task, kin->shape);
        for (uint32_t k = 0; k < e->kinds; k++) {
            o.left[k] += task[k] * part->live[part->order[o.to]];
        }
    }
    return o;
}

/* As many of `units` as fit; what they take is gone. */
static int64_t protect(const sked_engine *e, spare_owner *o, uint32_t shape,
                       int64_t units)
{
    const int64_t *unit = engine_row_of(e, &e->shape_step, shape);
    int64_t n = skedi_i64_min(units, times_in(e, unit, o->left, o->kinds));

    for (uint32_t k = 0; k < e->kinds; k++) o->left[k] -= unit[k] * n;
    return n;
}

/* The end of the class of an owner's kin that begins there. */
static uint32_t class_end(const round_part *part, const spare_owner *o,
                          uint32_t from)
{
    const engine_kins *kins = &part->e->preempt->kins;
    const engine_kin *first = kin_at(kins, part->order[from]);
    uint32_t i = from + 1;

    while (i < o->to && kin_order(part->e, first, kin_at(kins, part->order[i]),
                                  o->kinds) == 0) {
        i++;
    }
    return i;
}

/* What of a class, from one kin up to another, is surplus. */
static void spare_class(round_part *part, spare_owner *o, uint32_t from,
                        uint32_t to)
{
    const engine_kins *kins = &part->e->preempt->kins;
    uint32_t first = part->order[from];
    int64_t units = 0;

    for (uint32_t i = from; i < to; i++) {
        part->class[part->order[i]] = first;
        units += live_units(part, part->order[i]);
    }
    part->spare[first] = units -
                         protect(part->e, o, kin_at(kins, first)->shape, units);
}

int skedi_round_spare(round_part *part)
{
    sked_engine *e = part->e;
    const engine_kins *kins = &e->preempt->kins;

    if (!skedi_kins_ready(e) || !list_owned(part)) return 0;
    part->spare = skedi_round_room(e, kins->pool.n, sizeof *part->spare);
    part->class = skedi_round_room(e, kins->pool.n, sizeof *part->class);
    part->live = skedi_round_room(e, kins->pool.n, sizeof *part->live);
    if (!part->spare || !part->class || !part->live) return 0;
    for (uint32_t i = 0; i < kins->pool.n; i++) part->class[i] = i;
    count_live(part);
    for (uint32_t i = 0; i < part->from[e->rows.n];) {
        spare_owner o = owner_at(part, i);
        while (i < o.to) {
            uint32_t end = class_end(part, &o, i);
            spare_class(part, &o, i, end);
            i = end;
        }
    }
    return 1;
}

/* ---- Within a leaf ---- */

/* Units of a kin among the picks of a plan. */
static int64_t units_picked(const round_list *picks, uint32_t kin, int gang)
{
    const plan_pick *pick = picks->item;
    int64_t n = 0;

    for (size_t i = 0; i < picks->n; i++) {
        if (pick[i].kin == kin && pick[i].count) {
            n += gang ? 1 : pick[i].count;
        }
    }
    return n;
}

/* What a step will be among the kin of its owner. */
static engine_kin kin_of_want(const round_part *part, const plan_want *want)
{
    const sked_engine *e = part->e;
    const engine_ask *a = ask_at(e, want->ask);
    int keeps = (job_at(e, a->job)->flags & SKED_JOB_KEEPS) != 0;

    return (engine_kin){
        .shape = a->shape,
        .priority = want->priority,
        .terms = (keeps ? KIN_KEEPS : 0u) | (want->master ? KIN_MASTER : 0u),
    };
}

/* The owner of what a rule may take of a step's leaf; 0: it has no kin. */
static int owner_of_want(const round_part *part, const plan_want *want,
                         spare_owner *o)
{
    const sked_engine *e = part->e;
    int by_user = part->seat_keep && want->seat != SKEDI_NONE;
    uint32_t i = part->from[want->leaf];

    while (i < part->from[want->leaf + 1]) {
        *o = owner_at(part, i);
        uint32_t seat = kin_at(&e->preempt->kins, part->order[i])->seat;
        if (!by_user || seat == want->seat) return 1;
        i = o->to;
    }
    return 0;
}

/* Units of a class, from one kin up to another: those that stay, and with the
 * picks of a plan. */
static void count_class(const round_part *part, const round_list *picks,
                        uint32_t from, uint32_t to, int64_t *before,
                        int64_t *after)
{
    const sked_engine *e = part->e;

    *before = *after = 0;
    for (uint32_t i = from; i < to; i++) {
        uint32_t kin = part->order[i];
        int gang = skedi_kin_is_gang(e, kin_at(&e->preempt->kins, kin));
        *after += live_units(part, kin);
        *before += units_picked(picks, kin, gang);
    }
    *before += *after;
}

int skedi_protects(round_part *part, const plan_want *want,
                   const round_list *picks)
{
    const sked_engine *e = part->e;
    const engine_kins *kins = &e->preempt->kins;
    spare_owner was, is;
    engine_kin own = kin_of_want(part, want);
    int added = job_at(e, ask_at(e, want->ask)->job)->flags & SKED_JOB_FIXED;

    if (added || !owner_of_want(part, want, &was)) return 1;
    is = was;
    for (uint32_t i = was.from, end; i < was.to; i = end) {
        const engine_kin *k = kin_at(kins, part->order[i]);
        int by = kin_order(e, &own, k, was.kinds);
        int64_t before, after;
        end = class_end(part, &was, i);
        count_class(part, picks, i, end, &before, &after);
        if (!added && by < 0) { /* a class that it begins */
            if (protect(e, &is, own.shape, 1) > 0) return 1;
            added = 1;
        }
        if (!added && by == 0) {
            after++;
            added = 1;
        }
        before = protect(e, &was, k->shape, before);
        after = protect(e, &is, k->shape, after);
        if (before != after) return after > before;
    }
    return 1;
}
