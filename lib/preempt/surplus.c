/*
 * Finds the surplus tasks. The tasks of an owner (a queue, or a user of a leaf)
 * are protected in an order that stays the same while demand is constant: tasks
 * that are fixed or not listed, then by priority, then by amounts. Alike tasks
 * are protected up to the number that fits into the rest of the owner's keep.
 * All other tasks are surplus. Any surplus task, and all surplus tasks at once,
 * may be preempted.
 */
#include "preempt/surplus.h"

#include <string.h>

#include "base/fail.h"
#include "base/sort.h"
#include "base/versioned.h"
#include "preempt/scene.h"
#include "res/amount.h"

/*
 * The book keeps the sums for the rules of preempt.h and for the budgets, as
 * lots are taken and given back. The planner takes only as the book allows, and
 * the verifier asks the same book.
 */

/* ---- Memory ---- */

static size_t queue_cells(const sked_preempt_input *in)
{
    return (size_t)in->n_queues * in->kinds + 1;
}

static size_t user_cells(const sked_preempt_input *in)
{
    return (size_t)in->n_users * in->kinds + 1;
}

static size_t class_cells(const skedi_surplus *surplus)
{
    return surplus->n + (size_t)1;
}

int skedi_book_open(skedi_book *b, skedi_scene *s)
{
    skedi_mem *mem = &s->hooks.mem;
    const sked_preempt_input *in = &s->in;
    size_t queues = queue_cells(in), users = user_cells(in);

    *b = (skedi_book){.in = in, .scene = s};
    return (b->taken = skedi_new(mem, queues, sizeof(int64_t))) &&
           (b->served = skedi_new(mem, queues, sizeof(int64_t))) &&
           (b->queue_spent = skedi_new(mem, queues, sizeof(int64_t))) &&
           (b->gave = skedi_new(mem, (size_t)in->n_queues + 1,
                                sizeof(uint32_t))) &&
           (b->class_taken = skedi_new(mem, class_cells(&s->queue_surplus),
                                       sizeof(int64_t))) &&
           (b->class_served = skedi_new(mem, class_cells(&s->queue_surplus),
                                        sizeof(int64_t))) &&
           (b->user_class_taken = skedi_new(mem, class_cells(&s->user_surplus),
                                            sizeof(int64_t))) &&
           (b->user_served = skedi_new(mem, users, sizeof(int64_t))) &&
           (b->user_spent = skedi_new(mem, users, sizeof(int64_t))) &&
           (b->job_spent = skedi_new(mem, (size_t)in->n_jobs + 1,
                                     sizeof(int64_t)));
}

void skedi_book_close(skedi_book *b, skedi_scene *s)
{
    skedi_mem *mem = &s->hooks.mem;
    const sked_preempt_input *in = &s->in;
    size_t queues = queue_cells(in), users = user_cells(in);

    skedi_free(mem, b->taken, queues, sizeof(int64_t));
    skedi_free(mem, b->served, queues, sizeof(int64_t));
    skedi_free(mem, b->queue_spent, queues, sizeof(int64_t));
    skedi_free(mem, b->gave, (size_t)in->n_queues + 1, sizeof(uint32_t));
    skedi_free(mem, b->class_taken, class_cells(&s->queue_surplus),
               sizeof(int64_t));
    skedi_free(mem, b->class_served, class_cells(&s->queue_surplus),
               sizeof(int64_t));
    skedi_free(mem, b->user_class_taken, class_cells(&s->user_surplus),
               sizeof(int64_t));
    skedi_free(mem, b->user_served, users, sizeof(int64_t));
    skedi_free(mem, b->user_spent, users, sizeof(int64_t));
    skedi_free(mem, b->job_spent, (size_t)in->n_jobs + 1, sizeof(int64_t));
}

/* ---- Allowed copies ---- */

/* `most`, or the number of copies of `each` that fits into `left`, if less. */
static uint32_t within(uint32_t most, int64_t left, int64_t each)
{
    if (each == 0) return most;
    if (left < each) return 0;
    return left / each < most ? (uint32_t)(left / each) : most;
}

/* The same, but the last copy may reach beyond. */
static uint32_t within_or_over(uint32_t most, int64_t left, int64_t each)
{
    if (each == 0) return most;
    if (left <= 0) return 0;
    int64_t copies = (left - 1) / each + 1;
    return copies < most ? (uint32_t)copies : most;
}

/* By request, a queue gives no more than its take of the kinds in which its
 * usage exceeds its keep. One copy may be larger than the take. */
static uint32_t within_take(const skedi_book *b, const skedi_lot *lot,
                            uint32_t most)
{
    const sked_preempt_input *in = b->in;
    uint32_t left = most;

    if (!in->n_requests || !in->take) return most;
    for (uint32_t i = 0; i < b->scene->n_judged; i++) {
        uint32_t k = b->scene->judged[i];
        size_t at = (size_t)lot->queue * in->kinds + k;
        if (in->usage[at] <= in->keep[at]) continue;
        if (b->taken[at] > in->take[at]) return 0;
        left = within(left, in->take[at] - b->taken[at], lot->amount[k]);
    }
    return left == 0 && b->gave[lot->queue] == 0 && most > 0 ? 1 : left;
}

/* Judges keep kind by kind, in the wanted kinds. With overshoot, the last copy
 * may bring the queue below its keep. */
static uint32_t within_wanted(const skedi_book *b, const skedi_lot *lot,
                              uint32_t most)
{
    const sked_preempt_input *in = b->in;
    int over = (in->flags & SKED_PREEMPT_FLAG_OVERSHOOT) != 0;

    for (uint32_t i = 0; i < b->scene->n_judged && most > 0; i++) {
        uint32_t k = b->scene->judged[i];
        size_t at = (size_t)lot->queue * in->kinds + k;
        int64_t left = in->usage[at] - b->taken[at] - in->keep[at];
        most = over ? within_or_over(most, left, lot->amount[k])
                    : within(most, left, lot->amount[k]);
    }
    return most;
}

/* `most`, or the rest of the class if less. */
static uint32_t within_spare(const skedi_surplus *s, const int64_t *taken,
                             uint32_t class, uint32_t most)
{
    int64_t left = s->spare[class] - taken[class];

    return left < most ? (uint32_t)skedi_i64_max(left, 0) : most;
}

/* The victim rule between queues. */
static uint32_t within_keep(const skedi_book *b, const skedi_lot *lot,
                            uint32_t most)
{
    if (!b->scene->gives[lot->queue]) return 0;
    most = b->scene->by_kind ? within_wanted(b, lot, most)
                             : within_spare(&b->scene->queue_surplus,
                                            b->class_taken, lot->class, most);
    return within_take(b, lot, most);
}

static uint32_t within_budgets(const skedi_book *b, const skedi_lot *lot,
                               uint32_t most)
{
    const sked_preempt_input *in = b->in;

    if (lot->marked) return most;
    for (uint32_t k = 0; k < in->kinds && most > 0; k++) {
        size_t q = (size_t)lot->queue * in->kinds + k;
        size_t u = (size_t)lot->user * in->kinds + k;
        int64_t each = lot->amount[k];
        if (in->budget) {
            most = within(most, in->budget[k] - b->spent[k], each);
        }
        if (in->partition_budget) {
            most = within(most, in->partition_budget[k] - b->spent[k], each);
        }
        if (in->queue_budget) {
            most = within(most, in->queue_budget[q] - b->queue_spent[q], each);
        }
        if (in->user_budget) {
            most = within(most, in->user_budget[u] - b->user_spent[u], each);
        }
    }
    if (!in->job_budget) return most;
    return within(most, in->job_budget[lot->job] - b->job_spent[lot->job],
                  lot->tasks);
}

uint32_t skedi_book_most(const skedi_book *b, const skedi_lot *lot,
                         uint32_t rule)
{
    uint32_t most = lot->copies - lot->taken;

    if (rule == SKED_PREEMPT_REASON_OVER) most = within_keep(b, lot, most);
    if (rule == SKED_PREEMPT_REASON_USER) {
        most = within_spare(&b->scene->user_surplus, b->user_class_taken,
                            lot->user_class, most);
    }
    if (rule == SKED_PREEMPT_REASON_PRIORITY && b->sparing) {
        most = within_spare(&b->scene->queue_surplus, b->class_taken,
                            lot->class, most);
    }
    return most > 0 ? within_budgets(b, lot, most) : 0;
}

/* ---- Taking and giving back ---- */

static int has_budget(const sked_preempt_input *in, uint32_t k)
{
    return (in->budget && in->budget[k] != SKED_UNLIMITED) ||
           (in->partition_budget && in->partition_budget[k] != SKED_UNLIMITED);
}

/* Amounts are counted as spent only for a budget with a bound. No sum therefore
 * passes its budget. */
static void book_spend(skedi_book *b, const skedi_lot *lot, int64_t copies)
{
    const sked_preempt_input *in = b->in;

    for (uint32_t k = 0; k < in->kinds; k++) {
        int64_t x = lot->amount[k] * copies;
        size_t q = (size_t)lot->queue * in->kinds + k;
        size_t u = (size_t)lot->user * in->kinds + k;
        if (has_budget(in, k)) b->spent[k] += x;
        if (in->queue_budget && in->queue_budget[q] != SKED_UNLIMITED) {
            b->queue_spent[q] += x;
        }
        if (in->user_budget && in->user_budget[u] != SKED_UNLIMITED) {
            b->user_spent[u] += x;
        }
    }
    if (in->job_budget) b->job_spent[lot->job] += lot->tasks * copies;
}

static void book_change(skedi_book *b, skedi_lot *lot, uint32_t rule,
                        int64_t copies)
{
    const sked_preempt_input *in = b->in;

    b->class_taken[lot->class] += copies;
    b->user_class_taken[lot->user_class] += copies;
    if (rule == SKED_PREEMPT_REASON_OVER) {
        for (uint32_t k = 0; k < in->kinds; k++) {
            b->taken[(size_t)lot->queue * in->kinds + k] += lot->amount[k] *
                                                            copies;
        }
        b->gave[lot->queue] = (uint32_t)(b->gave[lot->queue] + copies);
    }
    lot->taken = (uint32_t)(lot->taken + copies);
    if (!lot->marked) book_spend(b, lot, copies);
}

void skedi_book_take(skedi_book *b, skedi_lot *lot, uint32_t rule,
                     uint32_t copies)
{
    book_change(b, lot, rule, copies);
}

void skedi_book_give_back(skedi_book *b, skedi_lot *lot, uint32_t rule,
                          uint32_t copies)
{
    book_change(b, lot, rule, -(int64_t)copies);
}

/* ---- Requests ---- */

/* The number of further `amount` within `share`, in every requested kind. */
static uint32_t within_share(const int64_t *amount, const int64_t *usage,
                             const int64_t *served, const int64_t *share,
                             uint32_t kinds, uint32_t most)
{
    for (uint32_t k = 0; k < kinds; k++) {
        if (amount[k] > 0 && served[k] == SKED_UNLIMITED) return 0;
        if (amount[k] > 0) {
            most = within(most, share[k] - usage[k] - served[k], amount[k]);
        }
    }
    return most;
}

uint32_t skedi_book_claims(const skedi_book *b, uint32_t request, uint32_t most)
{
    const sked_preempt_input *in = b->in;
    size_t at = (size_t)in->request_queue[request] * in->kinds;

    return within_share(in->request_amount + (size_t)request * in->kinds,
                        in->usage + at, b->served + at, in->share + at,
                        in->kinds, most);
}

uint32_t skedi_book_user_claims(const skedi_book *b, uint32_t request,
                                uint32_t most)
{
    const sked_preempt_input *in = b->in;
    size_t at = (size_t)in->request_user[request] * in->kinds;

    return within_share(in->request_amount + (size_t)request * in->kinds,
                        in->user_usage + at, b->user_served + at,
                        in->user_share + at, in->kinds, most);
}

int skedi_book_user_over(const skedi_book *b, uint32_t request)
{
    const sked_preempt_input *in = b->in;
    const int64_t *amount = in->request_amount + (size_t)request * in->kinds;
    size_t at = (size_t)in->request_user[request] * in->kinds;

    for (uint32_t k = 0; k < in->kinds; k++) {
        int64_t served = b->user_served[at + k];
        if (amount[k] == 0) continue;
        if (served == SKED_UNLIMITED ||
            in->user_share[at + k] - in->user_usage[at + k] < served) {
            return 1;
        }
    }
    return 0;
}

/* Checks for a kind in the lot of which the lot's queue gives nothing. */
static int is_spared(const sked_preempt_input *in, const skedi_lot *lot)
{
    const int64_t *keep = in->keep + (size_t)lot->queue * in->kinds;

    for (uint32_t k = 0; k < in->kinds; k++) {
        if (lot->amount[k] > 0 && keep[k] == SKED_UNLIMITED) return 1;
    }
    return 0;
}

uint32_t skedi_rule_inside(const sked_preempt_input *in, uint32_t request,
                           const skedi_lot *lot)
{
    int by_user = (in->flags & SKED_PREEMPT_FLAG_BY_USER) != 0;
    int by_priority = (in->flags & SKED_PREEMPT_FLAG_BY_PRIORITY) != 0;

    if (in->request_queue[request] != lot->queue) return 0;
    if (is_spared(in, lot)) return 0;
    if (by_user && in->request_user[request] != lot->user) {
        return SKED_PREEMPT_REASON_USER;
    }
    int32_t mine = in->request_priority ? in->request_priority[request] : 0;
    return by_priority && lot->priority < mine ? SKED_PREEMPT_REASON_PRIORITY
                                               : 0;
}

void skedi_book_serve(skedi_book *b, uint32_t request, int claim,
                      uint32_t count)
{
    const sked_preempt_input *in = b->in;
    const int64_t *amount = in->request_amount + (size_t)request * in->kinds;
    size_t queue = (size_t)in->request_queue[request] * in->kinds;
    const uint32_t *class = b->scene->queue_surplus.of_request;

    if (class) b->class_served[class[request]] += count;
    for (uint32_t k = 0; k < in->kinds; k++) {
        if (claim) b->served[queue + k] += amount[k] * count;
        if (!in->request_user || !in->user_usage) continue;
        size_t user = (size_t)in->request_user[request] * in->kinds + k;
        b->user_served[user] = skedi_amount_add(b->user_served[user],
                                                amount[k] * count);
    }
}

/*
 * Orders the candidates that may be taken. Most candidates may not be taken.
 * The keys of the others are copied into short columns, and the short columns
 * are ranked.
 */

enum {
    PREEMPT_RANK_V1 = SKEDI_SIZE_THROUGH(sked_rank_input, host),
    RANKED_COLUMNS = 10
};

/* A caller's column, and the place of its part. */
typedef struct ranked_column {
    const void *from;
    unsigned char *to;
    size_t size;
} ranked_column;

static void list_columns(ranked_column *c, const sked_rank_input *in)
{
    const ranked_column all[RANKED_COLUMNS] = {
        {in->state, NULL, sizeof *in->state},
        {in->preemptible, NULL, sizeof *in->preemptible},
        {in->priority, NULL, sizeof *in->priority},
        {in->started, NULL, sizeof *in->started},
        {in->checkpoint, NULL, sizeof *in->checkpoint},
        {in->restart_cost, NULL, sizeof *in->restart_cost},
        {in->restarts, NULL, sizeof *in->restarts},
        {in->master, NULL, sizeof *in->master},
        {in->submitted, NULL, sizeof *in->submitted},
        {in->host, NULL, sizeof *in->host},
    };

    memcpy(c, all, sizeof all);
}

/* Puts the parts in place of the columns. */
static void show_columns(const ranked_column *c, sked_rank_input *part)
{
    part->state = c[0].to;
    part->preemptible = c[1].to;
    part->priority = (const void *)c[2].to;
    part->started = (const void *)c[3].to;
    part->checkpoint = (const void *)c[4].to;
    part->restart_cost = (const void *)c[5].to;
    part->restarts = (const void *)c[6].to;
    part->master = c[7].to;
    part->submitted = (const void *)c[8].to;
    part->host = (const void *)c[9].to;
}

static void copy_rows(const ranked_column *c, const uint32_t *rows, uint32_t n)
{
    const unsigned char *from = c->from;

    for (uint32_t i = 0; i < n; i++) {
        memcpy(c->to + i * c->size, from + rows[i] * c->size, c->size);
    }
}

static int copy_columns(ranked_column *c, const uint32_t *rows, uint32_t n,
                        skedi_mem *mem)
{
    for (int i = 0; i < RANKED_COLUMNS; i++) {
        if (!c[i].from) continue;
        c[i].to = skedi_new(mem, n, c[i].size);
        if (!c[i].to) return 0;
        copy_rows(&c[i], rows, n);
    }
    return 1;
}

/* Replaces `positions` in the parts by rows of the whole. */
static void write_order(uint32_t *rows, const uint32_t *positions,
                        uint32_t *held, uint32_t n)
{
    memcpy(held, rows, n * sizeof *held);
    for (uint32_t i = 0; i < n; i++) rows[i] = held[positions[i]];
}

/* Puts rows of candidates, sorted by row, into the order of in.rank. */
static sked_status preempt_rank(skedi_scene *s, uint32_t *rows, uint32_t n,
                                sked_error *err)
{
    skedi_mem *mem = &s->hooks.mem;
    ranked_column columns[RANKED_COLUMNS];
    sked_rank_input part;
    sked_status rc = skedi_struct_in(&part, sizeof part, s->in.rank,
                                     PREEMPT_RANK_V1);

    if (rc != SKED_OK || part.n != s->in.n) {
        return skedi_fail_plain(err, rc == SKED_OK ? SKED_ERR_ARG : rc,
                                "rank is not over these candidates");
    }
    list_columns(columns, &part);
    part.n = n;
    uint32_t *memory = skedi_new(mem, (size_t)n * 2, sizeof *memory);
    if (!memory || !copy_columns(columns, rows, n, mem)) {
        rc = skedi_fail_memory(err);
    } else {
        show_columns(columns, &part);
        rc = sked_rank_order(&part, 0, &s->hooks.host, memory, err);
        if (rc == SKED_OK) write_order(rows, memory, memory + n, n);
    }
    for (int i = 0; i < RANKED_COLUMNS; i++) {
        skedi_free(mem, columns[i].to, n, columns[i].size);
    }
    skedi_free(mem, memory, (size_t)n * 2, sizeof *memory);
    return rc;
}

/* Owners are queues, or users. */
typedef struct surplus_walk {
    const skedi_scene *scene;
    const skedi_surplus *to;
    int users;
} surplus_walk;

/* Tasks are alike if all fields are equal. */
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

/* The amounts of a unit of a class. */
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

/* A hash table of classes, by the fields that make tasks alike. */
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

/* The class of tasks. Makes a new class if none exists. */
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

/* Numbers the classes of all lots and counts their copies; then numbers the
 * classes of requests. */
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

/* ---- The order of classes ---- */

/* By owner, then the higher priority. */
static uint64_t key_of_class(const skedi_surplus *s, uint32_t class)
{
    return (uint64_t)s->owner[class] << 32 |
           (uint32_t)(INT32_MAX - (int64_t)s->priority[class]);
}

/* Compares two classes of one owner and priority: which class is protected
 * first? */
static int compare_by_amounts(const void *ctx, uint32_t x, uint32_t y)
{
    const surplus_walk *w = ctx;
    const int64_t *a = class_unit(w, x), *b = class_unit(w, y);
    uint32_t k = 0, last = w->scene->in.kinds - 1;

    while (k < last && a[k] == b[k]) k++; /* the units differ */
    return a[k] < b[k] ? -1 : 1;
}

/* Few classes have the same key, so few classes are compared. `keys` has memory
 * for 2 n entries, `scratch` for n. */
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

/* Protects as many units as fit, and takes their amounts off `left`. All units
 * are protected if the owner gives nothing of a kind that the units hold. */
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

/* The amount that an owner keeps for classes order[from .. to), without the
 * fixed tasks. */
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

/* The end of the classes of the owner of order[from]. */
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

static int surplus_find(skedi_scene *s, skedi_surplus *to, int users)
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
        order_classes(&w, to->order, keys, slots.slot); /* the classes are
                                                           numbered */
        walk_owners(&w, to->order);
    }
    skedi_free(mem, slots.slot, n, sizeof *slots.slot);
    skedi_free(mem, keys, pairs, sizeof *keys);
    return ok;
}

/* ---- By priority ---- */

/* The beginning of the classes of an owner, or of the next owner, in the order.
 */
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

/*
 * Makes lots of candidates. Rows of queues that give nothing are left out, the
 * other rows are sorted, and the rows of a gang become one lot. A gang stands
 * at the place of its last row. The gang is therefore taken no sooner than its
 * most important task.
 */

enum { LOT_CHECK = 65536 /* rows between two looks at the cancel flag */ };

static uint32_t gang_of(const sked_preempt_input *in, uint32_t row)
{
    return in->gang ? in->gang[row] : 0;
}

static int is_fixed(const sked_preempt_input *in, uint32_t row)
{
    return in->state && (in->state[row] & SKED_PREEMPT_CANDIDATE_FIXED);
}

/* Checks that a row of an open queue is listed: the row has tasks and is not
 * fixed. A fixed row of a gang is also listed, because the row protects the
 * whole gang. Its amounts are not read. */
static int is_to_be_listed(const skedi_scene *s, uint32_t row)
{
    if (!skedi_row_count(&s->in, row)) return 0;
    return !is_fixed(&s->in, row) || gang_of(&s->in, row) != 0;
}

static sked_status candidate_fault(sked_error *err, sked_status rc,
                                   const char *what, uint32_t row, int64_t got)
{
    return skedi_fail(err, rc, what,
                      (skedi_fault){.row = (int64_t)row + 1, .got = got});
}

/* Lists the usable rows of [from .. to); the memory is reserved. */
static sked_status list_rows(skedi_scene *s, uint32_t from, uint32_t to,
                             sked_error *err)
{
    const uint32_t *queue = s->in.queue;
    uint32_t *rows = s->lot_rows, n = s->n_rows;

    for (uint32_t i = from; i < to; i++) {
        if (queue[i] >= s->in.n_queues) {
            return candidate_fault(err, SKED_ERR_ARG,
                                   "candidate: no such queue", i, queue[i]);
        }
        if (s->open[queue[i]] && is_to_be_listed(s, i)) rows[n++] = i;
    }
    s->n_rows = n;
    return SKED_OK;
}

static sked_status open_rows(skedi_scene *s, sked_error *err)
{
    for (uint32_t i = 0; i < s->in.n; i += LOT_CHECK) {
        uint32_t to = s->in.n - i > LOT_CHECK ? i + LOT_CHECK
                                              : (uint32_t)s->in.n;
        sked_status rc = skedi_hooks_check(&s->hooks, i, s->in.n);
        if (rc != SKED_OK) return skedi_fail_stopped(err, rc);
        if (!skedi_ensure(&s->hooks.mem, (void **)&s->lot_rows, &s->rows_cap,
                          s->n_rows + (size_t)(to - i), sizeof *s->lot_rows)) {
            return skedi_fail_memory(err);
        }
        rc = list_rows(s, i, to, err);
        if (rc != SKED_OK) return rc;
    }
    return SKED_OK;
}

static sked_status row_sound(const sked_preempt_input *in, uint32_t row,
                             sked_error *err)
{
    if (in->node && in->n_nodes && in->node[row] >= in->n_nodes) {
        return candidate_fault(err, SKED_ERR_ARG, "candidate: no such node",
                               row, in->node[row]);
    }
    if (in->job_budget && in->job[row] >= in->n_jobs) {
        return candidate_fault(err, SKED_ERR_ARG, "candidate: no such job", row,
                               in->job[row]);
    }
    int by_user = in->user_usage || in->user_budget;
    if (in->user && by_user && in->user[row] >= in->n_users) {
        return candidate_fault(err, SKED_ERR_ARG, "candidate: no such user",
                               row, in->user[row]);
    }
    if (in->cost && (uint64_t)in->cost[row] > (uint64_t)SKED_AMOUNT_MAX) {
        return candidate_fault(err, SKED_ERR_RANGE, "cost is out of range", row,
                               in->cost[row]);
    }
    return SKED_OK;
}

/* Adds the row's amounts to `sum`. No kind may pass the largest amount; sums of
 * victims then cannot overflow either. */
static sked_status add_row_amounts(const sked_preempt_input *in, uint32_t row,
                                   int64_t *sum, sked_error *err)
{
    const int64_t *amount = in->amount + (size_t)row * in->kinds;

    for (uint32_t k = 0; k < in->kinds; k++) {
        int64_t all = 0;
        int fits = (uint64_t)amount[k] <= (uint64_t)SKED_AMOUNT_MAX &&
                   skedi_i64_mul(amount[k], skedi_row_count(in, row), &all) &&
                   skedi_i64_add(sum[k], all, &sum[k]) &&
                   sum[k] <= SKED_AMOUNT_MAX;
        if (fits) continue;
        return skedi_fail(err, SKED_ERR_RANGE, "amount is out of range",
                          (skedi_fault){.row = (int64_t)row + 1,
                                        .kind = (int32_t)k + 1,
                                        .got = amount[k],
                                        .limit = SKED_AMOUNT_MAX});
    }
    return SKED_OK;
}

static sked_status rows_sound(const skedi_scene *s, uint32_t n, sked_error *err)
{
    int64_t cost = 0, sum[SKED_MAX_KINDS] = {0};

    for (uint32_t i = 0; i < n; i++) {
        uint32_t row = s->lot_rows[i];
        int64_t all = 0;
        if (is_fixed(&s->in, row)) continue;
        sked_status rc = row_sound(&s->in, row, err);
        if (rc == SKED_OK) rc = add_row_amounts(&s->in, row, sum, err);
        if (rc != SKED_OK) return rc;
        int64_t one = s->in.cost ? s->in.cost[row] : 1;
        if (!skedi_i64_mul(one, skedi_row_count(&s->in, row), &all) ||
            !skedi_i64_add(cost, all, &cost) || cost > SKED_AMOUNT_MAX) {
            return candidate_fault(err, SKED_ERR_RANGE,
                                   "costs add up to more "
                                   "than an amount can be",
                                   row, one);
        }
    }
    return SKED_OK;
}

/* Starts a lot from a row, or a gang from its first row. */
static skedi_lot lot_of_row(const sked_preempt_input *in, uint32_t row)
{
    return (skedi_lot){
        .amount = in->amount + (size_t)row * in->kinds,
        .cost = skedi_row_cost(in, row),
        .first = row,
        .copies = skedi_row_count(in, row),
        .tasks = 1,
        .marked = (uint32_t)skedi_row_marked(in, row),
        .queue = in->queue[row],
        .user = in->user ? in->user[row] : 0,
        .job = in->job ? in->job[row] : 0,
        .priority = in->priority ? in->priority[row] : 0,
    };
}

static int in_agreement(const skedi_lot *a, const skedi_lot *b)
{
    return a->queue == b->queue && a->user == b->user && a->job == b->job &&
           a->priority == b->priority && a->marked == b->marked;
}

/*
 * Makes a gang of rows lot_rows[from .. to). A gang with a fixed row gets no
 * copies.
 */
static sked_status bind_gang(skedi_scene *s, uint32_t from, uint32_t to,
                             skedi_lot *gang, sked_error *err)
{
    const sked_preempt_input *in = &s->in;
    int64_t *sum = s->gang_amount + (size_t)s->n_gangs * in->kinds;
    uint64_t tasks = 0;
    uint32_t fixed = 0;

    *gang = lot_of_row(in, s->lot_rows[from]);
    gang->amount = sum;
    gang->cost = 0;
    gang->first = from;
    gang->rows = to - from;
    for (uint32_t i = from; i < to; i++) {
        uint32_t row = s->lot_rows[i];
        skedi_lot one = lot_of_row(in, row);
        if (!in_agreement(gang, &one)) {
            return candidate_fault(err, SKED_ERR_ARG,
                                   "rows of a gang do not agree", row,
                                   gang_of(in, row));
        }
        tasks += one.copies;
        if (is_fixed(in, row)) {
            fixed = 1;
            continue;
        }
        sked_status rc = add_row_amounts(in, row, sum, err);
        if (rc != SKED_OK) return rc;
        gang->cost += one.cost * one.copies;
    }
    if (tasks > INT32_MAX) {
        return candidate_fault(err, SKED_ERR_RANGE, "a gang is too large",
                               s->lot_rows[from], (int64_t)tasks);
    }
    gang->tasks = (uint32_t)tasks;
    gang->copies = !fixed && tasks > 0;
    return SKED_OK;
}

/* Takes rows in their order; `items` hold the rows' gangs, then the lots'
 * places. */
static sked_status bind_gangs(skedi_scene *s, skedi_keyed *items,
                              skedi_keyed *scratch, skedi_lot *lots,
                              sked_error *err)
{
    uint32_t n = s->n_rows, made = 0, gangs = 0;

    for (uint32_t i = 0; i < n; i++) {
        items[i] = (skedi_keyed){gang_of(&s->in, s->lot_rows[i]), i,
                                 s->lot_rows[i]};
    }
    skedi_sort_keys(items, scratch, n);
    for (uint32_t i = 0; i < n; i++) s->lot_rows[i] = items[i].tag;
    s->n_gangs = 0;
    for (uint32_t i = 0, to; i < n; i = to) {
        uint64_t gang = items[i].key;
        for (to = i + 1; gang && to < n && items[to].key == gang;) to++;
        uint32_t last = items[to - 1].index;
        if (!gang) {
            lots[made] = lot_of_row(&s->in, s->lot_rows[i]);
        } else {
            sked_status rc = bind_gang(s, i, to, &lots[made], err);
            if (rc != SKED_OK) return rc;
            s->n_gangs = ++gangs;
        }
        items[made] = (skedi_keyed){last, made, 0};
        made++;
    }
    skedi_sort_keys(items, scratch, made);
    for (uint32_t i = 0; i < made; i++) s->lots[i] = lots[items[i].index];
    s->n_lots = made;
    return SKED_OK;
}

static uint32_t rows_in_gangs(const skedi_scene *s)
{
    uint32_t found = 0;

    for (uint32_t i = 0; i < s->n_rows; i++) {
        found += gang_of(&s->in, s->lot_rows[i]) != 0;
    }
    return found;
}

static sked_status make_lots(skedi_scene *s, sked_error *err)
{
    skedi_mem *mem = &s->hooks.mem;
    uint32_t n = s->n_rows, gangs = rows_in_gangs(s);
    sked_status rc = SKED_OK;

    if (gangs == 0) {
        for (uint32_t i = 0; i < n; i++) {
            s->lots[i] = lot_of_row(&s->in, s->lot_rows[i]);
        }
        s->n_lots = n;
        return SKED_OK;
    }
    skedi_keyed *items = skedi_new(mem, (size_t)n * 2, sizeof *items);
    skedi_lot *lots = skedi_new(mem, n, sizeof *lots);
    s->gang_amount = skedi_new(mem, (size_t)gangs * s->in.kinds,
                               sizeof *s->gang_amount);
    s->gang_cap = gangs;
    if (items && lots && s->gang_amount) {
        rc = bind_gangs(s, items, items + n, lots, err);
    } else {
        rc = skedi_fail_memory(err);
    }
    skedi_free(mem, items, (size_t)n * 2, sizeof *items);
    skedi_free(mem, lots, n, sizeof *lots);
    return rc;
}

sked_status skedi_scene_lots(skedi_scene *s, sked_error *err)
{
    sked_status rc = open_rows(s, err);

    if (rc != SKED_OK || s->n_rows == 0) return rc;
    s->lots = skedi_new(&s->hooks.mem, s->n_rows, sizeof *s->lots);
    if (!s->lots) {
        return skedi_fail_memory(err);
    }
    rc = rows_sound(s, s->n_rows, err);
    if (rc == SKED_OK && s->in.rank) {
        rc = preempt_rank(s, s->lot_rows, s->n_rows, err);
    }
    if (rc == SKED_OK) rc = make_lots(s, err);
    if (rc != SKED_OK) return rc;
    if (!s->in.n_requests) return SKED_OK; /* by need, surplus has no use */
    int users = (s->in.flags & SKED_PREEMPT_FLAG_BY_USER) != 0;
    if (!surplus_find(s, &s->queue_surplus, 0) ||
        (users && !surplus_find(s, &s->user_surplus, 1))) {
        return skedi_fail_memory(err);
    }
    return SKED_OK;
}
