/*
 * Which tasks are surplus. The tasks of an owner (a queue, or a user of a leaf)
 * are protected in an order that does not change while demand is constant: what
 * is fixed or not listed, then by priority, then by amounts; of alike tasks as
 * many as fit into the owner's keep beside those before. The rest is surplus:
 * any of it, and all of it at once, may be preempted.
 */
#include "preempt/surplus.h"

#include <string.h>

#include "base/sort.h"

/* Owners are queues, or users. */
typedef struct surplus_walk {
    const skedi_scene *scene;
    const skedi_surplus *to;
    int users;
} surplus_walk;

static uint32_t owner_of(const surplus_walk *w, const skedi_lot *lot)
{
    return w->users ? lot->user : lot->queue;
}

/* What a unit of a class holds. */
static int64_t *class_unit(const surplus_walk *w, uint32_t class)
{
    return w->to->unit + (size_t) class * w->scene->in.kinds;
}

static int is_of_class(const surplus_walk *w, const skedi_lot *lot,
                       uint32_t class)
{
    const skedi_lot *first = &w->scene->lots[w->to->first[class]];

    return owner_of(w, lot) == owner_of(w, first) &&
           lot->priority == first->priority &&
           memcmp(lot->amount, class_unit(w, class),
                  w->scene->in.kinds * sizeof *lot->amount) == 0;
}

/* ---- Victim classes ---- */

static size_t slot_of_lot(const surplus_walk *w, const uint32_t *slot,
                          size_t mask, const skedi_lot *lot)
{
    uint64_t hash = owner_of(w, lot) * UINT64_C(0x9e3779b97f4a7c15);

    hash = (hash ^ (uint32_t)lot->priority) * UINT64_C(0xbf58476d1ce4e5b9);
    for (uint32_t k = 0; k < w->scene->in.kinds; k++) {
        hash = (hash ^ (uint64_t)lot->amount[k]) * UINT64_C(0x94d049bb133111eb);
        hash ^= hash >> 29;
    }
    size_t at = (size_t)(hash >> 20) & mask;
    while (slot[at] && !is_of_class(w, lot, slot[at] - 1)) at = (at + 1) & mask;
    return at;
}

/* Numbers the classes of all lots, and counts them. */
static void number_class(const surplus_walk *w, skedi_surplus *to,
                         uint32_t *slot, size_t mask)
{
    const skedi_scene *s = w->scene;

    for (uint32_t i = 0; i < s->n_lots; i++) {
        skedi_lot *lot = &s->lots[i];
        size_t at = slot_of_lot(w, slot, mask, lot);
        if (!slot[at]) {
            to->first[to->n] = i;
            memcpy(class_unit(w, to->n), lot->amount,
                   s->in.kinds * sizeof *to->unit);
            slot[at] = ++to->n;
        }
        *(w->users ? &lot->user_class : &lot->class) = slot[at] - 1;
        to->units[slot[at] - 1] += lot->copies;
    }
}

/* ---- Their order ---- */

/* By owner, then the higher priority. */
static uint64_t key_of_lot(const surplus_walk *w, const skedi_lot *lot)
{
    return (uint64_t)owner_of(w, lot) << 32 |
           (uint32_t)(INT32_MAX - (int64_t)lot->priority);
}

/* Which of two classes of one owner and priority is protected first? */
static int compare_by_amounts(const void *ctx, uint32_t x, uint32_t y)
{
    const surplus_walk *w = ctx;
    const int64_t *a = class_unit(w, x), *b = class_unit(w, y);
    uint32_t k = 0, last = w->scene->in.kinds - 1;

    while (k < last && a[k] == b[k]) k++; /* they differ */
    return a[k] < b[k] ? -1 : 1;
}

/* Few classes have the same key, so few are compared. `keys` has memory for
 * twice as many, `scratch` for as many. */
static void order_classes(const surplus_walk *w, uint32_t *order,
                          skedi_keyed *keys, uint32_t *scratch)
{
    uint32_t n = w->to->n;

    for (uint32_t i = 0; i < n; i++) {
        const skedi_lot *lot = &w->scene->lots[w->to->first[i]];
        keys[i] = (skedi_keyed){.key = key_of_lot(w, lot), .index = i};
    }
    skedi_sort_keys(keys, keys + n, n);
    for (uint32_t i = 0; i < n; i++) order[i] = keys[i].index;
    for (uint32_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && keys[to].key == keys[from].key;) to++;
        skedi_sort(order + from, scratch, to - from, compare_by_amounts, w);
    }
}

/* ---- The walk ---- */

/* As many units as fit; what they take is gone. Where nothing may be taken of a
 * kind that they hold, all of them do. */
static int64_t protect_units(const surplus_walk *w, const int64_t *unit,
                             int64_t units, int64_t *left)
{
    uint32_t kinds = w->scene->in.kinds;
    int64_t fit = units;

    for (uint32_t k = 0; k < kinds; k++) {
        if (unit[k] == 0) continue;
        if (left[k] == SKED_UNLIMITED) return units;
        fit = skedi_i64_min(fit, skedi_i64_max(left[k], 0) / unit[k]);
    }
    for (uint32_t k = 0; k < kinds; k++) left[k] -= unit[k] * fit;
    return fit;
}

/* What an owner keeps for classes order[from .. to): not what is fixed. */
static void left_for(const surplus_walk *w, const uint32_t *order,
                     uint32_t from, uint32_t to, int64_t *left)
{
    const sked_preempt_input *in = &w->scene->in;
    const skedi_lot *lot = &w->scene->lots[w->to->first[order[from]]];
    size_t at = (size_t)owner_of(w, lot) * in->kinds;
    const int64_t *keep = (w->users ? in->user_keep : in->keep) + at;
    const int64_t *used = (w->users ? in->user_usage : in->usage) + at;

    for (uint32_t k = 0; k < in->kinds; k++) {
        int64_t sum = 0;
        for (uint32_t i = from; i < to; i++) {
            sum += class_unit(w, order[i])[k] * w->to->units[order[i]];
        }
        left[k] = SKED_UNLIMITED;
        if (keep[k] == SKED_UNLIMITED) continue;
        left[k] = keep[k] - skedi_i64_max(used[k] - sum, 0);
    }
}

static void walk_owners(const surplus_walk *w, const uint32_t *order)
{
    const skedi_scene *s = w->scene;
    int64_t left[SKED_MAX_KINDS];

    for (uint32_t from = 0, to; from < w->to->n; from = to) {
        uint32_t owner = owner_of(w, &s->lots[w->to->first[order[from]]]);
        for (to = from + 1; to < w->to->n; to++) {
            if (owner_of(w, &s->lots[w->to->first[order[to]]]) != owner) break;
        }
        left_for(w, order, from, to, left);
        for (uint32_t i = from; i < to; i++) {
            uint32_t class = order[i];
            int64_t units = w->to->units[class];
            w->to->spare[class] = units - protect_units(w, class_unit(w, class),
                                                        units, left);
        }
    }
}

/* ---- Memory ---- */

static int surplus_reserve(skedi_surplus *to, skedi_mem *mem, size_t n,
                           uint32_t kinds)
{
    to->cap = n + 1;
    to->kinds = kinds;
    return (to->first = skedi_new(mem, n + 1, sizeof *to->first)) &&
           (to->unit = skedi_new(mem, n + 1, kinds * sizeof *to->unit)) &&
           (to->units = skedi_new(mem, n + 1, sizeof *to->units)) &&
           (to->spare = skedi_new(mem, n + 1, sizeof *to->spare)) &&
           (to->order = skedi_new(mem, n + 1, sizeof *to->order));
}

void skedi_surplus_free(skedi_surplus *s, skedi_mem *mem)
{
    skedi_free(mem, s->first, s->cap, sizeof *s->first);
    skedi_free(mem, s->unit, s->cap, s->kinds * sizeof *s->unit);
    skedi_free(mem, s->units, s->cap, sizeof *s->units);
    skedi_free(mem, s->spare, s->cap, sizeof *s->spare);
    skedi_free(mem, s->order, s->cap, sizeof *s->order);
    *s = (skedi_surplus){0};
}

int skedi_surplus_find(skedi_scene *s, skedi_surplus *to, int users)
{
    const surplus_walk w = {s, to, users};
    skedi_mem *mem = &s->hooks.mem;
    size_t slots = 16;

    while (slots < 2 * (size_t)s->n_lots) slots *= 2;
    if (!surplus_reserve(to, mem, s->n_lots, s->in.kinds)) return 0;
    uint32_t *slot = skedi_new(mem, slots, sizeof *slot);
    size_t pairs = 2 * (size_t)s->n_lots + 1;
    skedi_keyed *keys = skedi_new(mem, pairs, sizeof *keys);
    int ok = slot && keys;
    if (ok) {
        number_class(&w, to, slot, slots - 1);
        order_classes(&w, to->order, keys, slot); /* they are numbered */
        walk_owners(&w, to->order);
    }
    skedi_free(mem, slot, slots, sizeof *slot);
    skedi_free(mem, keys, pairs, sizeof *keys);
    return ok;
}

/* ---- By priority ---- */

/* Is a lot of a request's queue? */
static int is_own(const sked_preempt_input *in, const skedi_lot *lot,
                  uint32_t request)
{
    return lot->queue == in->request_queue[request];
}

/* Is a request's task protected before a class (negative), after, or like it?
 */
static int compare_request(const sked_preempt_input *in, uint32_t request,
                           const skedi_lot *lot)
{
    int32_t mine = in->request_priority ? in->request_priority[request] : 0;
    const int64_t *amount = in->request_amount + (size_t)request * in->kinds;

    if (mine != lot->priority) return mine > lot->priority ? -1 : 1;
    for (uint32_t k = 0; k < in->kinds; k++) {
        if (amount[k] != lot->amount[k]) {
            return amount[k] < lot->amount[k] ? -1 : 1;
        }
    }
    return 0;
}

int skedi_surplus_protects(const skedi_scene *s, const int64_t *taken,
                           const int64_t *picked, uint32_t request)
{
    const surplus_walk w = {s, &s->queue_surplus, 0};
    const skedi_surplus *q = &s->queue_surplus;
    const sked_preempt_input *in = &s->in;
    const int64_t *own = in->request_amount + (size_t)request * in->kinds;
    int64_t was[SKED_MAX_KINDS], is[SKED_MAX_KINDS];
    int64_t before = 0, after = 0;
    uint32_t from = 0, to;
    int added = 0;

    while (from < q->n &&
           !is_own(in, &s->lots[q->first[q->order[from]]], request)) {
        from++;
    }
    for (to = from; to < q->n; to++) {
        if (!is_own(in, &s->lots[q->first[q->order[to]]], request)) break;
    }
    if (from == to) return 1;
    left_for(&w, q->order, from, to, was);
    memcpy(is, was, sizeof is);
    for (uint32_t i = from; i < to && before == after; i++) {
        uint32_t class = q->order[i];
        const skedi_lot *lot = &s->lots[q->first[class]];
        int by = compare_request(in, request, lot);
        before = q->units[class] - taken[class];
        after = before - picked[class];
        if (!added && by < 0 && protect_units(&w, own, 1, is) > 0) return 1;
        after += !added && by == 0;
        added |= by <= 0;
        before = protect_units(&w, class_unit(&w, class), before, was);
        after = protect_units(&w, class_unit(&w, class), after, is);
    }
    return after >= before;
}
