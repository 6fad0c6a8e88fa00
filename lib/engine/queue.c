/*
 * * Usage of queues in each partition (cells), and the order of siblings.
 *
 * A charge changes every cell on the path from a leaf to the root. On the way
 * up each cell makes its key anew and plays its place in the tournament of its
 * parent again. Children below their guarantee play in a second tournament.
 *
 * Invariants: the usage of a cell is the sum over its children, or over the
 * groups of a leaf. A set bit in `full` means that no step of the class fits
 * the head room of the cell.
 */

#include "base/assert.h"
#include "base/bits.h"
#include "base/fail.h"
#include "engine/budget.h"
#include "engine/shares.h"
#include "engine/pending.h"
#include "engine/queue.h"

/* Keys of entries, and the usage by which users are ordered. */

int skedi_entry_before(const sked_engine *e, uint32_t a, uint32_t b)
{
    const engine_entry *x = entry_at(e, a), *y = entry_at(e, b);

    if (x->key != y->key) return x->key < y->key;
    const engine_ask *m = ask_at(e, x->ask), *n = ask_at(e, y->ask);
    if (m->job != n->job) {
        const engine_job *i = job_at(e, m->job), *j = job_at(e, n->job);
        if (i->submitted != j->submitted) return i->submitted < j->submitted;
        return i->arrival < j->arrival;
    }
    if (m->priority != n->priority) return m->priority > n->priority;
    return m->arrival < n->arrival;
}

int skedi_entry_compare(const void *engine, uint32_t a, uint32_t b)
{
    return skedi_entry_before(engine, a, b) ? -1 : 1;
}

uint64_t skedi_entry_key(const sked_engine *e, uint32_t entry)
{
    const engine_entry *x = entry_at(e, entry);
    const engine_ask *ask = ask_at(e, x->ask);
    uint32_t row = x->cell / e->parts, partition = x->cell % e->parts;
    const skedi_drf_scale *scale = e->scale + (size_t)partition * e->kinds;
    const int64_t *what;
    uint32_t weight = 1;

    switch (e->rows.apps[row]) {
    case SKED_APPS_PRIORITY:
        return skedi_order_urgency(job_at(e, ask->job)->priority);
    case SKED_APPS_FAIR: what = engine_row_of(e, &e->job_used, ask->job); break;
    case SKED_APPS_SIZE: what = engine_row_of(e, &e->job_open, ask->job); break;
    case SKED_APPS_USER_FAIR:
        what = engine_row_of(e, &e->account_used, x->account);
        weight = account_at(e, x->account)->weight;
        break;
    default: return 0;
    }
    return skedi_order_share(scale, what, e->kinds, weight);
}

uint64_t skedi_entry_mask(const sked_engine *e, uint32_t entry)
{
    const engine_entry *x = entry_at(e, entry);
    const engine_partition *part = &e->partition[x->cell % e->parts];
    uint32_t shape = skedi_class_shape(e, ask_at(e, x->ask));

    if (x->stopped ||
        (x->account != SKEDI_NONE && account_at(e, x->account)->blocked)) {
        return 0;
    }
    return (uint64_t)1 << part->class_of[shape];
}

uint32_t skedi_lead_of(const sked_engine *e, uint32_t partition,
                       const int64_t *used)
{
    const int64_t *capacity = e->capacity + (size_t)partition * e->kinds;
    uint32_t lead = 0;

    for (uint32_t k = 1; k < e->kinds; k++) {
        if (used[k] == 0) continue;
        if (used[lead] == 0 ||
            skedi_cmp_mul((uint64_t)used[k], (uint64_t)capacity[lead],
                          (uint64_t)used[lead], (uint64_t)capacity[k]) > 0) {
            lead = k;
        }
    }
    return lead;
}

uint32_t skedi_cell_lead(const sked_engine *e, uint32_t cell)
{
    return skedi_lead_of(e, cell % e->parts, cell_row(e, e->cell_used, cell));
}

/* A child's classes change with what it holds and what it offers, so its place
 * is played again whenever either does. */

/* Up to what a child goes before the others: its guarantee, within its share.
 */
static int64_t queue_owed_amount(const sked_engine *e, size_t at)
{
    return skedi_i64_min(e->cell_force[at], e->cell_share[at]);
}

/* Kinds in which a child is below its guarantee, and more is contended. */
static uint32_t queue_standing_below(const sked_engine *e, uint32_t row,
                                     uint32_t partition)
{
    uint32_t up = (uint32_t)e->rows.parent[row], below = 0;
    size_t at = cell_of(e, row, partition) * e->kinds;
    uint32_t kinds = skedi_contended(e, up, partition);

    for (; kinds; kinds &= kinds - 1) {
        uint32_t k = skedi_ctz64(kinds);
        if (e->cell_booked[at + k] < queue_owed_amount(e, at + k)) {
            below |= UINT32_C(1) << k;
        }
    }
    return below;
}

/* Does a step that needs one of the kinds `below` stay within the share? */
static int queue_keeps_to_share(const sked_engine *e, uint32_t row,
                                uint32_t partition, uint32_t below,
                                uint32_t shape)
{
    uint32_t up = (uint32_t)e->rows.parent[row];
    uint32_t kinds = skedi_contended(e, up, partition), needs = 0;
    size_t at = cell_of(e, row, partition) * e->kinds;
    const int64_t *step = engine_row_of(e, &e->shape_step, shape);

    for (; kinds; kinds &= kinds - 1) {
        uint32_t k = skedi_ctz64(kinds);
        if (step[k] == 0) continue;
        if (step[k] > e->cell_share[at + k] - e->cell_booked[at + k]) return 0;
        needs |= UINT32_C(1) << k;
    }
    return (needs & below) != 0;
}

int skedi_standing_has(const sked_engine *e, uint32_t row, uint32_t partition,
                       uint32_t shape)
{
    uint32_t below = queue_standing_below(e, row, partition);

    return below && queue_keeps_to_share(e, row, partition, below, shape);
}

/* The classes by which a child goes before the others. Shapes of a mixed class
 * differ, so its bit stands for all that may. */
static uint64_t queue_owed_classes(const sked_engine *e, uint32_t row,
                                   uint32_t partition, uint32_t below)
{
    uint64_t offer = skedi_cell_offer(e, cell_of(e, row, partition), row);
    uint64_t classes = offer & SKEDI_MIXED_CLASSES;

    for (uint64_t left = offer & ~classes; left; left &= left - 1) {
        unsigned class = skedi_ctz64(left);
        uint32_t shape = e->partition[partition].shape[class];
        if (queue_keeps_to_share(e, row, partition, below, shape)) {
            classes |= (uint64_t)1 << class;
        }
    }
    return classes;
}

/* The least part held of what is guaranteed, in the kinds it is below in; with
 * order `priority` behind its priority. */
static sked_order_key queue_owed_key(const sked_engine *e, uint32_t row,
                                     uint32_t up, uint32_t partition,
                                     uint32_t below)
{
    size_t at = cell_of(e, row, partition) * e->kinds;
    sked_order_key key = {.low = UINT64_MAX};

    for (; below; below &= below - 1) {
        uint32_t k = skedi_ctz64(below);
        uint64_t rem, held = (uint64_t)e->cell_booked[at + k];
        skedi_u128 part = skedi_u128_div(
            skedi_u128_shl(skedi_u128_of(held), 62),
            (uint64_t)e->cell_force[at + k], &rem);
        if (skedi_u128_low(part) < key.low) key.low = skedi_u128_low(part);
    }
    if (e->rows.order[up] == SKED_ORDER_POLICY_PRIORITY) {
        key.high = skedi_order_urgency(e->rows.priority[row]);
    }
    return key;
}

sked_order_key skedi_standing_key(const sked_engine *e, uint32_t row,
                                  uint32_t partition)
{
    uint32_t up = (uint32_t)e->rows.parent[row];

    return queue_owed_key(e, row, up, partition,
                          queue_standing_below(e, row, partition));
}

int skedi_standing_before(const void *family, uint32_t a, uint32_t b)
{
    const engine_standings *f = family;
    sked_order_key x = f->first[a * f->step].owed;
    sked_order_key y = f->first[b * f->step].owed;
    int order = skedi_order_compare(x, y);

    return order ? order < 0 : a < b;
}

/* Plays the place of `row` among those below their guarantee again. */
static void queue_standing_play(sked_engine *e, uint32_t row, uint32_t up,
                                uint32_t partition)
{
    size_t cell = cell_of(e, row, partition);
    engine_standings family = skedi_standings_of(e, up, partition);
    skedi_tourney *t = &e->cell_standing[cell_of(e, up, partition)].below;
    uint32_t place = row - e->rows.first_child[up];
    uint32_t below = e->cells[cell].open
                         ? queue_standing_below(e, row, partition)
                         : 0;
    uint64_t classes = below ? queue_owed_classes(e, row, partition, below) : 0;

    if (!classes && !skedi_tourney_has(t, place)) return;
    if (classes) {
        e->cell_standing[cell].owed = queue_owed_key(e, row, up, partition,
                                                     below);
    }
    skedi_tourney_set(t, place, classes != 0, classes, skedi_standing_before,
                      &family);
}

/*
 * Usage of queues in each partition (cells), and the order of siblings.
 *
 * A charge changes every cell on the path from a leaf to the root. On the way
 * up each cell makes its key anew and plays its place in the tournament of its
 * parent again. Weights that the host sets count at once.
 *
 * Invariants: the usage of a cell is the sum over its children, or over the
 * groups of a leaf; a set bit in `full` means that no step of the class fits
 * the head room of the cell.
 */

/*
 * A cell's books change along one path. On the way up every cell makes its key
 * anew and plays its place in its parent's tournament again.
 */

/* Is the child in place `a` ahead of the one in `b`? The outcome is random, so
 * it is computed without a branch; ties are rare. */
static inline int queue_child_before(const void *family, uint32_t a, uint32_t b)
{
    const engine_family *f = family;
    sked_order_key x = f->first[a * f->step];
    sked_order_key y = f->first[b * f->step];
    int before = x.high < y.high;

    if (x.high == y.high) before = x.low != y.low ? x.low < y.low : a < b;
    return before;
}

int skedi_child_before(const void *family, uint32_t a, uint32_t b)
{
    return queue_child_before(family, a, b);
}

uint32_t skedi_family_search(const sked_engine *e, uint32_t row,
                             uint32_t partition, uint64_t fit)
{
    const skedi_tourney *t = &e->cells[cell_of(e, row, partition)].turn;
    engine_family family = skedi_family_of(e, row, partition);

    return skedi_tourney_search_by(t, fit, queue_child_before, &family);
}

uint64_t skedi_chance_of(const sked_engine *e, uint32_t row, uint32_t partition)
{
    uint64_t state = e->opts.seed ^ e->stats.allocated;

    state ^= (uint64_t)partition << 48;
    uint64_t mixed = skedi_random_split(&state) ^ e->rows.id[row];
    return skedi_random_split(&mixed);
}

/* The rule by which the children of `row` are ordered in a partition. */
static skedi_order_rule queue_family_rule(const sked_engine *e, uint32_t row,
                                          uint32_t partition)
{
    size_t cell = cell_of(e, row, partition);

    return (skedi_order_rule){
        .order = e->rows.order[row],
        .kind = e->rows.fair_kind[row],
        .kinds = e->kinds,
        .scale = e->scale + (size_t)partition * e->kinds,
        .parent = cell_row(e, e->cell_promised, cell),
        .weights = 1,
    };
}

/* The usage of a queue, and the amounts that usage is measured against: its
 * guarantee in the contended kinds in which the queue has a guarantee, else its
 * part by weight of the contended kinds, or of all kinds. Other kinds stay 0. */
static void queue_measure(const sked_engine *e, uint32_t row, uint32_t up,
                          uint32_t partition, int64_t *used, int64_t *whole)
{
    size_t at = cell_of(e, row, partition) * e->kinds;
    uint32_t contended = e->cells[cell_of(e, up, partition)].contended;
    uint32_t kinds = contended, named = 0;

    for (uint32_t k = 0; k < e->kinds; k++) {
        used[k] = whole[k] = 0;
        if (e->cell_force[at + k] > 0) named |= UINT32_C(1) << k;
    }
    if (e->rows.order[up] == SKED_ORDER_POLICY_SHARE) named = 0;
    kinds &= named;
    const int64_t *of = kinds ? e->cell_force : e->cell_part;
    if (!kinds) kinds = contended ? contended : UINT32_MAX;
    for (uint32_t k = 0; k < e->kinds; k++) {
        if (!(kinds >> k & 1)) continue;
        used[k] = e->cell_used[at + k];
        whole[k] = of[at + k];
    }
}

/* The key of a cell by an order that is not the usual one. */
static sked_order_key queue_unusual_key(const sked_engine *e, uint32_t row,
                                        uint32_t up, uint32_t partition)
{
    size_t cell = cell_of(e, row, partition);
    skedi_order_rule rule = queue_family_rule(e, up, partition);
    int64_t used[SKED_MAX_KINDS], whole[SKED_MAX_KINDS];
    skedi_order_child child = {
        .usage = cell_row(e, e->cell_used, cell),
        .weight = e->rows.weight[row],
        .priority = e->rows.priority[row],
    };

    if (rule.order == SKED_ORDER_POLICY_RANDOM) return (sked_order_key){0, 0};
    if (rule.order == SKED_ORDER_POLICY_SHARE ||
        skedi_order_by_parts(rule.order)) {
        queue_measure(e, row, up, partition, used, whole);
        child.usage = used;
        child.guarantee = whole;
        child.weight = 0; /* where nothing is given, usage is without end */
        if (rule.order == SKED_ORDER_POLICY_SHARE)
            rule.order = SKED_ORDER_POLICY_UTILISATION;
    }
    return skedi_order_key(&rule, &child);
}

static inline sked_order_key queue_cell_key(const sked_engine *e, uint32_t row,
                                            uint32_t up, uint32_t partition)
{
    const int64_t *used = cell_row(e, e->cell_used, cell_of(e, row, partition));

    if (e->rows.order[up] != SKED_ORDER_POLICY_DRF) {
        return queue_unusual_key(e, row, up, partition);
    }
    return (sked_order_key){
        .high = skedi_drf_key(e->scale + (size_t)partition * e->kinds, used,
                              e->kinds, e->rows.weight[row],
                              e->rows.inverse[row])};
}

sked_order_key skedi_cell_key(const sked_engine *e, uint32_t row, uint32_t up,
                              uint32_t partition)
{
    return queue_cell_key(e, row, up, partition);
}

/* Plays the place of `row` in its parent's tournament again. */
static inline void queue_play_place(sked_engine *e, uint32_t row, uint32_t up,
                                    uint32_t partition)
{
    engine_family family = skedi_family_of(e, up, partition);
    size_t cell = cell_of(e, row, partition);

    e->stats.queues_visited++;
    skedi_tourney_set_by(&e->cells[cell_of(e, up, partition)].turn,
                         row - e->rows.first_child[up], e->cells[cell].open > 0,
                         skedi_cell_offer(e, cell, row), queue_child_before,
                         &family);
    if (e->rows.promising[up]) queue_standing_play(e, row, up, partition);
}

void skedi_cell_play(sked_engine *e, uint32_t row, uint32_t partition)
{
    uint32_t up = (uint32_t)e->rows.parent[row];
    size_t cell = cell_of(e, row, partition);

    e->cell_order[cell] = queue_cell_key(e, row, up, partition);
    queue_play_place(e, row, up, partition);
}

void skedi_cell_show(sked_engine *e, uint32_t row, uint32_t partition)
{
    for (; row > 0; row = (uint32_t)e->rows.parent[row]) {
        uint32_t up = (uint32_t)e->rows.parent[row];
        uint32_t place = row - e->rows.first_child[up];
        size_t cell = cell_of(e, row, partition);
        skedi_tourney *turn = &e->cells[cell_of(e, up, partition)].turn;
        uint64_t offer = skedi_cell_offer(e, cell, row);
        int there = e->cells[cell].open > 0;
        if (skedi_tourney_has(turn, place) != there) {
            queue_play_place(e, row, up, partition);
            continue;
        }
        if (!there || skedi_tourney_mask(turn, place) == offer) {
            return;
        }
        e->stats.queues_visited++;
        skedi_tourney_show(turn, place, offer);
        if (e->rows.promising[up]) queue_standing_play(e, row, up, partition);
    }
}

static void queue_book_row(int64_t *to, const int64_t *delta, uint32_t kinds)
{
    for (uint32_t k = 0; k < kinds; k++) to[k] += delta[k];
}

void skedi_books_climb(const sked_engine *e, size_t cell, int64_t *delta)
{
    if (!e->lends) return;
    const int64_t *booked = skedi_booked(e, cell);
    const int64_t *kept = cell_row(e, e->cell_kept, cell);

    for (uint32_t k = 0; k < e->kinds; k++) {
        delta[k] = skedi_i64_max(booked[k] + delta[k], kept[k]) -
                   skedi_i64_max(booked[k], kept[k]);
    }
}

/* Charges usage, from a leaf up. */
static void queue_book_held(sked_engine *e, uint32_t leaf, uint32_t partition,
                            const int64_t *delta)
{
    int64_t more[SKED_MAX_KINDS], above[SKED_MAX_KINDS];

    for (uint32_t k = 0; k < e->kinds; k++) more[k] = delta[k];
    for (uint32_t row = leaf;; row = (uint32_t)e->rows.parent[row]) {
        size_t cell = cell_of(e, row, partition);
        for (uint32_t k = 0; k < e->kinds; k++) above[k] = more[k];
        skedi_books_climb(e, cell, above);
        queue_book_row(cell_row(e, e->cell_booked, cell), more, e->kinds);
        for (uint32_t k = 0; k < e->kinds; k++) more[k] = above[k];
        if (row == 0) return;
    }
}

void skedi_head_open(sked_engine *e, uint32_t row)
{
    if (!e->rows.tight[row]) return;
    e->rows.tight[row] = 0;
    for (uint32_t p = 0; p < e->parts; p++) {
        engine_cell *cell = &e->cells[cell_of(e, row, p)];
        if (!cell->full && !cell->turned) continue;
        cell->full = 0;
        cell->turned = 0;
        skedi_partition_stir(e, p);
        skedi_cell_show(e, row, p);
    }
}

/* Something was given back in a leaf. */
static void queue_open_path(sked_engine *e, uint32_t leaf)
{
    for (uint32_t row = leaf;; row = (uint32_t)e->rows.parent[row]) {
        skedi_head_open(e, row);
        if (row == 0) return;
    }
}

void skedi_books_strike(sked_engine *e, uint32_t row, uint32_t partition,
                        uint64_t class)
{
    engine_cell *cell = &e->cells[cell_of(e, row, partition)];

    e->rows.tight[row] = 1;
    if (class & SKEDI_MIXED_CLASSES) {
        cell->turned = 1;
        return;
    }
    cell->full |= class;
    e->partition[partition].struck |= class;
    skedi_cell_show(e, row, partition);
}

void skedi_books_unstrike(sked_engine *e, uint32_t partition, uint64_t classes)
{
    for (uint32_t row = 0; row < e->rows.n; row++) {
        e->cells[cell_of(e, row, partition)].full &= ~classes;
    }
    e->partition[partition].struck &= ~classes;
}

void skedi_cell_renew_lead(sked_engine *e, uint32_t leaf, uint32_t partition)
{
    size_t cell = cell_of(e, leaf, partition);

    if (!e->rows.by_user[leaf]) return;
    e->cells[cell].lead = (uint8_t)skedi_cell_lead(e, (uint32_t)cell);
}

void skedi_books_charge(sked_engine *e, uint32_t leaf, uint32_t partition,
                        const int64_t *delta, int back)
{
    SKEDI_ASSERT(row_is_leaf(e, leaf));
    uint32_t kinds = e->kinds;

    if (e->shared) queue_book_held(e, leaf, partition, delta);
    for (uint32_t row = leaf;; row = (uint32_t)e->rows.parent[row]) {
        size_t cell = cell_of(e, row, partition);
        queue_book_row(cell_row(e, e->cell_used, cell), delta, kinds);
        if (e->rows.wide[row]) {
            queue_book_row(e->rows.used + (size_t)row * kinds, delta, kinds);
        }
        if (row == 0) break;
        skedi_cell_play(e, row, partition);
    }
    skedi_cell_renew_lead(e, leaf, partition);
    if (back) queue_open_path(e, leaf);
}

void skedi_books_reserve(sked_engine *e, uint32_t leaf, uint32_t partition,
                         const int64_t *delta)
{
    SKEDI_ASSERT(row_is_leaf(e, leaf));
    queue_book_held(e, leaf, partition, delta);
    for (uint32_t row = leaf;; row = (uint32_t)e->rows.parent[row]) {
        if (e->keeps) {
            queue_book_row(
                cell_row(e, e->cell_reserved, cell_of(e, row, partition)),
                delta, e->kinds);
        }
        if (e->rows.wide[row]) {
            queue_book_row(e->rows.reserved + (size_t)row * e->kinds, delta,
                           e->kinds);
        }
        if (row == 0) break;
        uint32_t up = (uint32_t)e->rows.parent[row];
        if (e->rows.promising[up]) queue_standing_play(e, row, up, partition);
    }
    queue_open_path(e, leaf);
}

void skedi_books_masters(sked_engine *e, uint32_t leaf, uint32_t partition,
                         const int64_t *delta)
{
    if (!e->mastered) return;
    queue_book_row(cell_row(e, e->cell_masters, cell_of(e, leaf, partition)),
                   delta, e->kinds);
}

int64_t skedi_row_used(const sked_engine *e, uint32_t row, uint32_t k)
{
    int64_t used = 0;

    for (uint32_t p = 0; p < e->parts; p++) {
        used += cell_row(e, e->cell_used, cell_of(e, row, p))[k];
    }
    return used;
}

/*
 * A weight counts in the keys of orders, which are made anew at once, and in
 * shares, which the next pass makes anew. Only a weight of 0 is a bound, and
 * none becomes 0 here.
 */

static uint32_t queue_weight_of_tree(const sked_engine *e, uint32_t row)
{
    return skedi_tree_image(e->tree)->weight[row];
}

static void queue_count_weight(engine_rows *rows, uint32_t row, uint32_t weight)
{
    uint64_t *sum = &rows->weights[rows->parent[row]];

    *sum += weight;
    *sum -= rows->weight[row];
    rows->weight[row] = weight;
    rows->inverse[row] = skedi_drf_inverse(weight);
}

static sked_status queue_check_weight(const sked_engine *e,
                                      const sked_event *event, uint32_t row,
                                      sked_error *err)
{
    skedi_fault fault = {.queue = event->queue};

    if (row == SKEDI_NO_ROW) {
        return skedi_fail(err, SKED_ERR_STALE, "no such queue", fault);
    }
    if (event->count < 0 || event->count > UINT32_MAX) {
        fault.got = event->count;
        fault.limit = UINT32_MAX;
        return skedi_fail(err, SKED_ERR_RANGE, "weight is out of range", fault);
    }
    if (row == 0 || queue_weight_of_tree(e, row) == 0) {
        return skedi_fail(err, SKED_ERR_STATE, "the queue has no weight",
                          fault);
    }
    return SKED_OK;
}

sked_status skedi_queue_weight(sked_engine *e, const sked_event *event,
                               sked_error *err)
{
    uint32_t row = skedi_image_row(skedi_tree_image(e->tree), event->queue);
    sked_status rc = queue_check_weight(e, event, row, err);

    if (rc != SKED_OK) return rc;
    uint32_t weight = (uint32_t)event->count;
    e->rows.said[row] = weight;
    queue_count_weight(&e->rows, row,
                       weight ? weight : queue_weight_of_tree(e, row));
    for (uint32_t p = 0; p < e->parts; p++) {
        e->partition[p].fresh = 0;
        if (!e->partition[p].dirty) skedi_cell_play(e, row, p);
        skedi_partition_stir(e, p);
    }
    e->epochs++; /* a round looks at it, too */
    return SKED_OK;
}

int skedi_weight_differs(const sked_engine *e, uint32_t row, uint32_t *tree)
{
    *tree = queue_weight_of_tree(e, row);
    return row != 0 && e->rows.said[row] && e->rows.said[row] != *tree;
}

void skedi_weights_carry(sked_engine *e, const sked_engine *old,
                         const uint32_t *row_of)
{
    for (uint32_t row = 1; row < old->rows.n; row++) {
        uint32_t to = row_of ? row_of[row] : row, said = old->rows.said[row];
        if (!said || to == SKEDI_NO_ROW || e->rows.weight[to] == 0) continue;
        e->rows.said[to] = said;
        queue_count_weight(&e->rows, to, said);
    }
}

int skedi_weights_are_sound(const sked_engine *e)
{
    const engine_rows *r = &e->rows;

    for (uint32_t row = 0; row < r->n; row++) {
        uint32_t weight = row && r->said[row] ? r->said[row]
                                              : queue_weight_of_tree(e, row);
        uint64_t sum = 0;
        for (uint32_t c = r->first_child[row]; c < r->first_child[row + 1];
             c++) {
            sum += r->weight[c];
        }
        if (r->weight[row] != weight || sum != r->weights[row]) return 0;
    }
    return 1;
}
