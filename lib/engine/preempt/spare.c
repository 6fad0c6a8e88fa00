/*
 * Which tasks are surplus. Of an owner (a leaf, or one of its users) tasks are
 * protected in an order that does not move while demand is constant: what is
 * fixed, then what is not revocable, then by priority, then by amounts. Tasks
 * that are alike are one rank, of which as many are protected as fit into what
 * the owner keeps beside those before. The rest is surplus: any of it, and all
 * of it at once, may go. So the counts of protected tasks of each rank,
 * compared in that order, never become less when surplus is taken; and they
 * become more for an owner that is served within what it keeps.
 *
 * Tasks are alike by the kinds that bind their owner. A kind that its family is
 * not short of never does: what it runs fits its share of it, whatever that is.
 */
#include <string.h>

#include "base/sort.h"
#include "engine/core/groups.h"
#include "engine/core/notices.h"
#include "engine/order/shares.h"
#include "engine/preempt/owners.h"

int skedi_victim_class_is_gang(const sked_engine *e, const victim_class *class)
{
    if (class->gang) return 1;
    return memcmp(engine_row_of(e, &e->shape_step, class->shape),
                  engine_row_of(e, &e->shape_task, class->shape),
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

    if (row == 0 || part->account_keep) return UINT32_MAX;
    kinds = skedi_contended(e, (uint32_t)e->rows.parent[row], part->partition);
    /* What runs may be beyond a cap. */
    for (uint32_t k = 0; k < e->kinds; k++) {
        if (part->held[at + k] > part->keep[at + k]) kinds |= UINT32_C(1) << k;
    }
    return kinds;
}

static int compare_amounts(const sked_engine *e, const int64_t *x,
                           const int64_t *y, uint32_t kinds)
{
    for (uint32_t k = 0; k < e->kinds; k++) {
        if (x[k] != y[k] && kinds >> k & 1) return x[k] > y[k] ? -1 : 1;
    }
    return 0;
}

/* Masters are protected before others, and last those who lose nothing. */
static uint32_t safety_of(uint32_t terms)
{
    return (terms & CLASS_MASTER) | (~terms & CLASS_KEEPS);
}

/* What a unit of a class holds. */
static void unit_of(const sked_engine *e, const victim_class *class,
                    int64_t *unit)
{
    uint32_t shape = class->shape;

    for (uint32_t k = 0; k < e->kinds; k++) {
        unit[k] = class->gang ? engine_row_of(e, &e->shape_task, shape)[k] *
                                    class->tasks
                              : engine_row_of(e, &e->shape_step, shape)[k];
    }
}

/* Which of two classes of one owner is protected first? 0: they are alike. */
static int class_order(const sked_engine *e, const victim_class *a,
                       const victim_class *b, uint32_t kinds)
{
    int one = skedi_victim_class_is_gang(e, a),
        other = skedi_victim_class_is_gang(e, b);

    if ((a->terms ^ b->terms) & CLASS_REVOCABLE) {
        return b->terms & CLASS_REVOCABLE ? -1 : 1;
    }
    if (a->priority != b->priority) return a->priority > b->priority ? -1 : 1;
    if (a->terms != b->terms) {
        return (int)safety_of(b->terms) - (int)safety_of(a->terms);
    }
    if (one != other) return other - one;
    int by = compare_amounts(e, engine_row_of(e, &e->shape_task, a->shape),
                             engine_row_of(e, &e->shape_task, b->shape), kinds);
    if (by) return by;
    int64_t x[SKED_MAX_KINDS], y[SKED_MAX_KINDS];
    unit_of(e, a, x);
    unit_of(e, b, y);
    return compare_amounts(e, x, y, kinds);
}

static int compare_owned(const void *ctx, uint32_t a, uint32_t b)
{
    const round_part *part = ctx;
    const sked_engine *e = part->e;
    const victim_class *x = victim_class_at(&e->preempt->classes, a);
    const victim_class *y = victim_class_at(&e->preempt->classes, b);

    if (x->cell != y->cell) return x->cell < y->cell ? -1 : 1;
    if (x->account != y->account) return x->account < y->account ? -1 : 1;
    return class_order(e, x, y, part->binds[x->cell / e->parts]);
}

int skedi_row_gives(const round_part *part, uint32_t row)
{
    uint32_t reasons = 0;

    for (uint32_t i = 0; i < part->e->preempt->policies; i++) {
        reasons |= part->policy[i].reasons[row];
    }
    return (reasons & ROUND_GIVING) != 0;
}

/* Does it matter what a leaf has to spare? */
static int matters(const round_part *part, uint32_t row)
{
    uint32_t inside = SKED_PREEMPT_FLAG_BY_USER | SKED_PREEMPT_FLAG_BY_PRIORITY;
    const sked_engine *e = part->e;

    if (skedi_row_gives(part, row)) return 1;
    return e->preempt->opts.flags & inside && part->allowed[row] &&
           e->cells[cell_of(e, row, part->partition)].open > 0;
}

/* Lists the classes by owner, in the order of protection. 0: no memory. */
static int list_owned(round_part *part)
{
    sked_engine *e = part->e;
    const victim_classes *classes = &e->preempt->classes;
    uint32_t n = 0, row = 0, *scratch;

    part->order = skedi_round_reserve(e, classes->pool.n, sizeof *part->order);
    scratch = skedi_round_reserve(e, classes->pool.n, sizeof *scratch);
    part->from = skedi_round_reserve(e, (uint64_t)e->rows.n + 1,
                                     sizeof *part->from);
    part->binds = skedi_round_reserve(e, e->rows.n, sizeof *part->binds);
    if (!part->order || !scratch || !part->from || !part->binds) return 0;
    for (uint32_t i = 0; i < e->rows.n; i++) {
        if (row_is_leaf(e, i)) part->binds[i] = kinds_that_bind(part, i);
    }
    for (uint32_t i = 0; i < classes->pool.n; i++) {
        const victim_class *class = victim_class_at(classes, i);
        if (!class->name || class->cell % e->parts != part->partition) continue;
        if (matters(part, class->cell / e->parts)) part->order[n++] = i;
    }
    skedi_sort(part->order, scratch, n, compare_owned, part);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t own = victim_class_at(classes, part->order[i])->cell /
                       e->parts;
        while (row <= own) part->from[row++] = i;
    }
    while (row <= e->rows.n) part->from[row++] = n;
    return 1;
}

/* ---- How many run ---- */

/* Counts the tasks of classes that run: those that got kill orders, or end in
 * time, do not. */
static void count_live(round_part *part)
{
    const sked_engine *e = part->e;
    const victim_classes *classes = &e->preempt->classes;
    const engine_notice *notice = e->notices.item;

    for (uint32_t i = 0; i < classes->pool.n; i++) {
        part->live[i] = victim_class_at(classes, i)->tasks;
    }
    for (uint32_t i = 0; i < e->notices.n; i++) {
        uint32_t g = skedi_group_find(e, notice[i].group);
        if (g == SKEDI_NONE || !classes->place[g].class) continue;
        part->live[skedi_victim_class_of(classes, g)] -= skedi_group_times(
            group_at(e, g), skedi_round_going(e, g));
    }
    for (uint32_t i = 0; i < classes->pool.n; i++) {
        const victim_class *class = victim_class_at(classes, i);
        if (!class->name) continue;
        part->revocable |= (class->terms & CLASS_REVOCABLE) != 0;
        if (class->gang && !skedi_unit_is_whole(e, i)) part->live[i] = 0;
    }
}

/* Units of a class: tasks, or gangs, of which what is left counts as one. */
static int64_t live_units(const round_part *part, uint32_t class)
{
    const sked_engine *e = part->e;
    const victim_classes *classes = &e->preempt->classes;
    int64_t n = 0;

    if (victim_class_at(classes, class)->gang) return part->live[class] > 0;
    if (!skedi_victim_class_is_gang(e, victim_class_at(classes, class)))
        return part->live[class];
    for (uint32_t g = victim_class_at(classes, class)->last; g != SKEDI_NONE;
         g = classes->place[g].before) {
        n += skedi_round_going(e, g) == 0 && part->s->taken[g] == 0;
    }
    return n;
}

/* ---- The walk ---- */

/* An owner: from its first class up to its last. */
typedef struct spare_owner {
    uint32_t from, to;
    uint32_t kinds;               /* that bind it */
    int64_t left[SKED_MAX_KINDS]; /* of what it keeps */
} spare_owner;

/* The owner whose classes begin there. What it uses beyond these is fixed and
 * is protected first; what is to start by its turn does not count yet. */
static spare_owner owner_at(const round_part *part, uint32_t from)
{
    const sked_engine *e = part->e;
    const victim_classes *classes = &e->preempt->classes;
    const victim_class *first = victim_class_at(classes, part->order[from]);
    uint32_t row = first->cell / e->parts;
    spare_owner o = {.from = from, .to = from, .kinds = part->binds[row]};
    int user = first->account != SKEDI_NONE;
    const int64_t *used = user ? part->account_used +
                                     (size_t)first->account * e->kinds
                               : part->held + (size_t)row * e->kinds;
    const int64_t *keep = user ? part->account_keep +
                                     (size_t)first->account * e->kinds
                               : part->keep + (size_t)row * e->kinds;

    const int64_t *turn = user ? part->account_turn +
                                     (size_t)first->account * e->kinds
                               : part->leaf_turn + (size_t)row * e->kinds;

    for (uint32_t k = 0; k < e->kinds; k++) {
        o.left[k] = keep[k] - used[k] + turn[k];
    }
    for (; o.to < part->from[row + 1]; o.to++) {
        const victim_class *class = victim_class_at(classes, part->order[o.to]);
        if (class->account != first->account) break;
        const int64_t *task = engine_row_of(e, &e->shape_task, class->shape);
        for (uint32_t k = 0; k < e->kinds; k++) {
            o.left[k] += task[k] * part->live[part->order[o.to]];
        }
    }
    return o;
}

/* As many of `units` as fit; what they take is gone. */
static int64_t protect(const sked_engine *e, spare_owner *o,
                       const victim_class *class, int64_t units)
{
    int64_t unit[SKED_MAX_KINDS];

    unit_of(e, class, unit);
    int64_t n = skedi_i64_min(units, times_in(e, unit, o->left, o->kinds));

    for (uint32_t k = 0; k < e->kinds; k++) o->left[k] -= unit[k] * n;
    return n;
}

/* As many of `units` as begin within what the owner keeps: the last one may end
 * beyond it, and then nothing is left. A kind that has run out stops units that
 * need it. */
static int64_t protect_begun(const sked_engine *e, spare_owner *o,
                             const victim_class *class, int64_t units)
{
    int64_t unit[SKED_MAX_KINDS];
    int64_t n = protect(e, o, class, units);
    int begins = n < units;

    unit_of(e, class, unit);
    for (uint32_t k = 0; k < e->kinds; k++) {
        if (unit[k] > 0 && o->kinds >> k & 1) begins &= o->left[k] > 0;
    }
    if (!begins) return n;
    for (uint32_t k = 0; k < e->kinds; k++) {
        o->left[k] = skedi_i64_max(o->left[k] - unit[k], 0);
    }
    return n + 1;
}

/* The end of the rank of an owner's classes that begins there. */
static uint32_t rank_end(const round_part *part, const spare_owner *o,
                         uint32_t from)
{
    const victim_classes *classes = &part->e->preempt->classes;
    const victim_class *first = victim_class_at(classes, part->order[from]);
    uint32_t i = from + 1;

    while (i < o->to &&
           class_order(part->e, first, victim_class_at(classes, part->order[i]),
                       o->kinds) == 0) {
        i++;
    }
    return i;
}

/* What of a rank, from one class up to another, is surplus. */
static void spare_rank(round_part *part, spare_owner *o, spare_owner *begun,
                       uint32_t from, uint32_t to)
{
    const victim_classes *classes = &part->e->preempt->classes;
    uint32_t first = part->order[from];
    int64_t units = 0;

    for (uint32_t i = from; i < to; i++) {
        part->rank[part->order[i]] = first;
        units += live_units(part, part->order[i]);
    }
    const victim_class *class = victim_class_at(classes, first);
    part->spare[first] = units - protect(part->e, o, class, units);
    part->above[first] = skedi_i64_min(
        part->spare[first],
        units - protect_begun(part->e, begun, class, units));
}

int skedi_round_spare(round_part *part)
{
    sked_engine *e = part->e;
    const victim_classes *classes = &e->preempt->classes;

    if (!skedi_victim_classes_ready(e) || !list_owned(part)) return 0;
    part->spare = skedi_round_reserve(e, classes->pool.n, sizeof *part->spare);
    part->rank = skedi_round_reserve(e, classes->pool.n, sizeof *part->rank);
    part->live = skedi_round_reserve(e, classes->pool.n, sizeof *part->live);
    part->above = skedi_round_reserve(e, classes->pool.n, sizeof *part->above);
    if (!part->spare || !part->above || !part->rank || !part->live) return 0;
    for (uint32_t i = 0; i < classes->pool.n; i++) part->rank[i] = i;
    count_live(part);
    for (uint32_t i = 0; i < part->from[e->rows.n];) {
        spare_owner o = owner_at(part, i), begun = o;
        while (i < o.to) {
            uint32_t end = rank_end(part, &o, i);
            spare_rank(part, &o, &begun, i, end);
            i = end;
        }
    }
    return 1;
}

/* Does a step claim more than what is guaranteed to its leaf? */
static int is_beyond(const round_part *part, const plan_want *want)
{
    const sked_engine *e = part->e;
    const int64_t *claim = cell_row(e, e->cell_claim,
                                    cell_of(e, want->leaf, part->partition));
    const int64_t *held = part->held + (size_t)want->leaf * e->kinds;
    int beyond = 0;

    for (uint32_t k = 0; k < e->kinds && want->rule == PLAN_CLAIM; k++) {
        beyond |= want->step[k] > 0 && want->step[k] > claim[k] - held[k];
    }
    return beyond;
}

int64_t skedi_spare_for(const round_part *part, const plan_want *want,
                        uint32_t class)
{
    uint32_t rank = part->rank[class];

    return is_beyond(part, want)
               ? skedi_i64_min(part->spare[rank], part->above[rank])
               : part->spare[rank];
}

/* ---- Within a leaf ---- */

/* Units of a class among the picks of a plan. */
static int64_t units_picked(const round_list *picks, uint32_t class, int gang)
{
    const plan_pick *pick = picks->item;
    int64_t n = 0;

    for (size_t i = 0; i < picks->n; i++) {
        if (pick[i].class == class && pick[i].count) {
            n += gang ? 1 : pick[i].count;
        }
    }
    return n;
}

/* What a step will be among the classes of its owner. */
static victim_class class_of_want(const round_part *part, const plan_want *want)
{
    const sked_engine *e = part->e;
    const engine_ask *a = ask_at(e, want->ask);

    return (victim_class){
        .shape = a->shape,
        .priority = want->priority,
        .terms = skedi_victim_terms(e, a),
    };
}

/* The owner of what a rule may take of a step's leaf; 0: it has no class. */
static int owner_of_want(const round_part *part, const plan_want *want,
                         spare_owner *o)
{
    const sked_engine *e = part->e;
    int by_user = part->account_keep && want->account != SKEDI_NONE;
    uint32_t end = part->from[want->leaf + 1];
    int found = 0;

    for (uint32_t i = part->from[want->leaf]; !found && i < end; i = o->to) {
        *o = owner_at(part, i);
        uint32_t account = victim_class_at(&e->preempt->classes, part->order[i])
                               ->account;
        found = !by_user || account == want->account;
    }
    return found;
}

/* Units of a rank, from one class up to another: those that stay go to
 * `*after`, these and those of the picks of a plan to `*before`. */
static void count_rank(const round_part *part, const round_list *picks,
                       uint32_t from, uint32_t to, int64_t *before,
                       int64_t *after)
{
    const sked_engine *e = part->e;

    *before = *after = 0;
    for (uint32_t i = from; i < to; i++) {
        uint32_t class = part->order[i];
        int gang = skedi_victim_class_is_gang(
            e, victim_class_at(&e->preempt->classes, class));
        *after += live_units(part, class);
        *before += units_picked(picks, class, gang);
    }
    *before += *after;
}

int skedi_protects(round_part *part, const plan_want *want,
                   const round_list *picks)
{
    const sked_engine *e = part->e;
    const victim_classes *classes = &e->preempt->classes;
    spare_owner was, is;
    victim_class own = class_of_want(part, want);
    int added = job_at(e, ask_at(e, want->ask)->job)->flags & SKED_JOB_FIXED;

    if (added || !owner_of_want(part, want, &was)) return 1;
    is = was;
    for (uint32_t i = was.from, end; i < was.to; i = end) {
        const victim_class *k = victim_class_at(classes, part->order[i]);
        int by = class_order(e, &own, k, was.kinds);
        int64_t before, after;
        end = rank_end(part, &was, i);
        count_rank(part, picks, i, end, &before, &after);
        if (!added && by < 0) { /* a rank that it begins */
            if (protect(e, &is, &own, 1) > 0) return 1;
            added = 1;
        }
        if (!added && by == 0) {
            after++;
            added = 1;
        }
        before = protect(e, &was, k, before);
        after = protect(e, &is, k, after);
        if (before != after) return after > before;
    }
    return 1;
}
