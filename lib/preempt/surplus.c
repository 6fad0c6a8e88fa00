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

/* What makes tasks alike. */
typedef struct surplus_sort {
    uint32_t owner;
    int32_t priority;
    const int64_t *unit;
} surplus_sort;

static surplus_sort sort_of_lot(const surplus_walk *w, const skedi_lot *lot)
{
    return (surplus_sort){w->users ? lot->user : lot->queue, lot->priority,
                          lot->amount};
}

static surplus_sort sort_of_request(const surplus_walk *w, uint32_t request)
{
    const sked_preempt_input *in = &w->scene->in;

    return (surplus_sort){in->request_queue[request],
                          in->request_priority ? in->request_priority[request]
                                               : 0,
                          in->request_amount + (size_t)request * in->kinds};
}

/* What a unit of a class holds. */
static int64_t *class_unit(const surplus_walk *w, uint32_t class)
{
    return w->to->unit + (size_t) class * w->scene->in.kinds;
}

static int is_of_class(const surplus_walk *w, const surplus_sort *sort,
                       uint32_t class)
{
    return sort->owner == w->to->owner[class] &&
           sort->priority == w->to->priority[class] &&
           memcmp(sort->unit, class_unit(w, class),
                  w->scene->in.kinds * sizeof *sort->unit) == 0;
}

/* ---- Victim classes ---- */

/* Classes while they are found, by a hash of what makes tasks alike. */
typedef struct surplus_slots {
    uint32_t *slot; /* 1 + the class; 0: none */
    size_t mask;
} surplus_slots;

static size_t slot_of_sort(const surplus_walk *w, const surplus_slots *slots,
                           const surplus_sort *sort)
{
    uint64_t hash = sort->owner * UINT64_C(0x9e3779b97f4a7c15);
    const uint32_t *slot = slots->slot;

    hash = (hash ^ (uint32_t)sort->priority) * UINT64_C(0xbf58476d1ce4e5b9);
    for (uint32_t k = 0; k < w->scene->in.kinds; k++) {
        hash = (hash ^ (uint64_t)sort->unit[k]) * UINT64_C(0x94d049bb133111eb);
        hash ^= hash >> 29;
    }
    size_t at = (size_t)(hash >> 20) & slots->mask;
    while (slot[at] && !is_of_class(w, sort, slot[at] - 1)) {
        at = (at + 1) & slots->mask;
    }
    return at;
}

/* The class of tasks, which is made where there is none. */
static uint32_t class_of_sort(const surplus_walk *w, skedi_surplus *to,
                              const surplus_slots *slots,
                              const surplus_sort *sort)
{
    uint32_t *slot = &slots->slot[slot_of_sort(w, slots, sort)];

    if (!*slot) {
        to->owner[to->n] = sort->owner;
        to->priority[to->n] = sort->priority;
        memcpy(class_unit(w, to->n), sort->unit,
               w->scene->in.kinds * sizeof *to->unit);
        *slot = ++to->n;
    }
    return *slot - 1;
}

/* Numbers the classes of all lots, and counts them; then those of requests. */
static void number_classes(const surplus_walk *w, skedi_surplus *to,
                           const surplus_slots *slots)
{
    const skedi_scene *s = w->scene;

    for (uint32_t i = 0; i < s->n_lots; i++) {
        skedi_lot *lot = &s->lots[i];
        surplus_sort sort = sort_of_lot(w, lot);
        uint32_t class = class_of_sort(w, to, slots, &sort);
        *(w->users ? &lot->user_class : &lot->class) = class;
        to->units[class] += lot->copies;
    }
    for (uint32_t r = 0; to->of_request && r < s->in.n_requests; r++) {
        surplus_sort sort = sort_of_request(w, r);
        to->of_request[r] = class_of_sort(w, to, slots, &sort);
    }
}

/* ---- Their order ---- */

/* By owner, then the higher priority. */
static uint64_t key_of_class(const skedi_surplus *s, uint32_t class)
{
    return (uint64_t)s->owner[class] << 32 |
           (uint32_t)(INT32_MAX - (int64_t)s->priority[class]);
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
        keys[i] = (skedi_keyed){.key = key_of_class(w->to, i), .index = i};
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
    size_t at = (size_t)w->to->owner[order[from]] * in->kinds;
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

/* Where the classes of the owner of order[from] end. */
static uint32_t end_of_owner(const skedi_surplus *s, uint32_t from)
{
    uint32_t to = from + 1;

    while (to < s->n && s->owner[s->order[to]] == s->owner[s->order[from]]) {
        to++;
    }
    return to;
}

static void walk_owners(const surplus_walk *w, const uint32_t *order)
{
    int64_t left[SKED_MAX_KINDS];

    for (uint32_t from = 0, to; from < w->to->n; from = to) {
        to = end_of_owner(w->to, from);
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
    return (!to->requests ||
            (to->of_request = skedi_new(mem, to->requests,
                                        sizeof *to->of_request))) &&
           (to->owner = skedi_new(mem, n + 1, sizeof *to->owner)) &&
           (to->priority = skedi_new(mem, n + 1, sizeof *to->priority)) &&
           (to->unit = skedi_new(mem, n + 1, kinds * sizeof *to->unit)) &&
           (to->units = skedi_new(mem, n + 1, sizeof *to->units)) &&
           (to->spare = skedi_new(mem, n + 1, sizeof *to->spare)) &&
           (to->order = skedi_new(mem, n + 1, sizeof *to->order));
}

void skedi_surplus_free(skedi_surplus *s, skedi_mem *mem)
{
    skedi_free(mem, s->owner, s->cap, sizeof *s->owner);
    skedi_free(mem, s->priority, s->cap, sizeof *s->priority);
    skedi_free(mem, s->unit, s->cap, s->kinds * sizeof *s->unit);
    skedi_free(mem, s->units, s->cap, sizeof *s->units);
    skedi_free(mem, s->spare, s->cap, sizeof *s->spare);
    skedi_free(mem, s->order, s->cap, sizeof *s->order);
    skedi_free(mem, s->of_request, s->requests, sizeof *s->of_request);
    *s = (skedi_surplus){0};
}

int skedi_surplus_find(skedi_scene *s, skedi_surplus *to, int users)
{
    const surplus_walk w = {s, to, users};
    skedi_mem *mem = &s->hooks.mem;
    int by_priority = (s->in.flags & SKED_PREEMPT_FLAG_BY_PRIORITY) != 0;
    surplus_slots slots = {.slot = NULL};
    size_t most = s->n_lots, n = 16;

    to->requests = by_priority && !users ? (size_t)s->in.n_requests : 0;
    most += to->requests;
    while (n < 2 * most) n *= 2;
    if (!surplus_reserve(to, mem, most, s->in.kinds)) return 0;
    slots.slot = skedi_new(mem, n, sizeof *slots.slot);
    slots.mask = n - 1;
    size_t pairs = 2 * most + 1;
    skedi_keyed *keys = skedi_new(mem, pairs, sizeof *keys);
    int ok = slots.slot && keys;
    if (ok) {
        number_classes(&w, to, &slots);
        order_classes(&w, to->order, keys, slots.slot); /* they are numbered */
        walk_owners(&w, to->order);
    }
    skedi_free(mem, slots.slot, n, sizeof *slots.slot);
    skedi_free(mem, keys, pairs, sizeof *keys);
    return ok;
}

/* ---- By priority ---- */

/* Where the classes of an owner, or of those after it, begin in the order. */
static uint32_t begin_of_owner(const skedi_surplus *s, uint32_t owner)
{
    uint32_t low = 0, high = s->n;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->owner[s->order[middle]] < owner) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

int skedi_surplus_protects(const skedi_scene *s,
                           const skedi_surplus_change *change, uint32_t queue)
{
    const skedi_surplus *q = &s->queue_surplus;
    const surplus_walk w = {s, q, 0};
    int64_t was[SKED_MAX_KINDS], is[SKED_MAX_KINDS];
    int64_t before = 0, after = 0;
    uint32_t from = begin_of_owner(q, queue);

    if (from == q->n || q->owner[q->order[from]] != queue) return 1;
    uint32_t to = end_of_owner(q, from);
    left_for(&w, q->order, from, to, was);
    memcpy(is, was, sizeof is);
    for (uint32_t i = from; i < to && before == after; i++) {
        uint32_t class = q->order[i];
        before = q->units[class] - change->taken[class];
        before += change->served ? change->served[class] : 0;
        after = before - change->picked[class] + change->added[class];
        before = protect_units(&w, class_unit(&w, class), before, was);
        after = protect_units(&w, class_unit(&w, class), after, is);
    }
    return after >= before;
}
