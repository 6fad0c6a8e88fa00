/*
 * Invariants of an engine, computed anew from jobs, asks and groups and
 * compared with what the engine keeps.
 */
#include <sched/engine.h>

#include "base/fail.h"
#include "engine/alloc.h"
#include "engine/budget.h"
#include "engine/check.h"
#include "engine/domains.h"
#include "engine/exclusion.h"
#include "engine/filter.h"
#include "engine/gang_fit.h"
#include "engine/nodes.h"
#include "engine/wants.h"
#include "engine/pending.h"
#include "engine/preempt.h"
#include "engine/queue.h"
#include "engine/reservation.h"
#include "engine/soft_rules.h"
#include "engine/work.h"
#include "rule/judge.h"

/*
 * Recomputes the amounts that head room counts, the demand of leaves, the
 * children below a guarantee, and the flags of guarantees and bounds.
 */

/* The reserved amount of a kind in the cell of a leaf. */
static int64_t check_reserved_in(const sked_engine *e, size_t cell, uint32_t k)
{
    int64_t sum = 0;

    for (uint32_t i = e->first_reservation; i != SKEDI_NONE;
         i = reservation_at(e, i)->later) {
        const engine_reservation *reserved = reservation_at(e, i);
        uint32_t row = job_at(e, ask_at(e, reserved->ask)->job)->row;
        uint32_t partition = node_at(e, reserved->node)->partition;
        if (cell_of(e, row, partition) != cell) continue;
        sum += skedi_reservation_amount(e, i, k);
    }
    return sum;
}

static sked_status check_booked(const sked_engine *e, size_t cell,
                                sked_error *err)
{
    uint32_t row = (uint32_t)(cell / e->parts);
    uint32_t partition = (uint32_t)(cell % e->parts);

    for (uint32_t k = 0; k < e->kinds; k++) {
        int64_t held = 0;
        if (row_is_leaf(e, row)) {
            held = cell_row(e, e->cell_used, cell)[k] +
                   check_reserved_in(e, cell, k);
        }
        for (uint32_t c = e->rows.first_child[row];
             c < e->rows.first_child[row + 1]; c++) {
            size_t at = cell_of(e, c, partition) * e->kinds + k;
            held += skedi_i64_max(e->cell_booked[at], e->cell_kept[at]);
        }
        if (held != cell_row(e, e->cell_booked, cell)[k]) {
            return skedi_engine_broken(err, "what counts as held by a queue",
                                       row);
        }
    }
    return SKED_OK;
}

/* Checks the reserved amounts of a cell and below. */
static sked_status check_reserved(const sked_engine *e, size_t cell,
                                  sked_error *err)
{
    uint32_t row = (uint32_t)(cell / e->parts);
    uint32_t partition = (uint32_t)(cell % e->parts);

    for (uint32_t k = 0; k < e->kinds; k++) {
        int64_t sum = row_is_leaf(e, row) ? check_reserved_in(e, cell, k) : 0;
        for (uint32_t c = e->rows.first_child[row];
             c < e->rows.first_child[row + 1]; c++) {
            sum += cell_row(e, e->cell_reserved, cell_of(e, c, partition))[k];
        }
        if (sum != cell_row(e, e->cell_reserved, cell)[k]) {
            return skedi_engine_broken(err, "what is reserved in a queue", row);
        }
    }
    return SKED_OK;
}

/* Tasks of a shape that run in a cell or are open for it. */
static int64_t check_wanted_of(const sked_engine *e, const engine_want *w)
{
    int64_t tasks = 0;

    for (uint32_t i = 0; i < e->entries.n; i++) {
        const engine_entry *x = entry_at(e, i);
        if (!x->live || x->cell != w->cell) continue;
        const engine_ask *a = ask_at(e, x->ask);
        if (a->shape == w->shape) tasks += a->open;
    }
    for (uint32_t i = 0; i < e->groups.n; i++) {
        const engine_group *g = group_at(e, i);
        if (g->state == GROUP_FREE_SLOT) continue;
        const engine_ask *a = ask_at(e, g->ask);
        uint32_t partition = node_at(e, g->node)->partition;
        size_t cell = cell_of(e, job_at(e, a->job)->row, partition);
        int same = skedi_group_shape(e, g) == w->shape;
        if (cell == w->cell && same) tasks += skedi_group_times(g, g->count);
    }
    return tasks;
}

static sked_status check_wants(const sked_engine *e, sked_error *err)
{
    int64_t tasks = 0;
    uint64_t wanted = 0;

    for (uint32_t i = 0; i < e->wants.n; i++) {
        const engine_want *w = want_at(e, i);
        if (!w->name) continue;
        if (w->tasks <= 0 || w->tasks != check_wanted_of(e, w)) {
            return skedi_engine_broken(err, "what a leaf wants", w->cell);
        }
        tasks += w->tasks;
    }
    for (uint32_t i = 0; i < e->entries.n; i++) {
        const engine_entry *x = entry_at(e, i);
        if (x->live) wanted += (uint64_t)ask_at(e, x->ask)->open;
    }
    for (uint32_t i = 0; i < e->groups.n; i++) {
        const engine_group *g = group_at(e, i);
        if (g->state == GROUP_FREE_SLOT) continue;
        wanted += (uint64_t)skedi_group_times(g, g->count);
    }
    if (wanted != (uint64_t)tasks) {
        return skedi_engine_broken(err, "what leaves want", tasks);
    }
    return SKED_OK;
}

static sked_status check_below(const sked_engine *e, size_t cell,
                               sked_error *err)
{
    uint32_t row = (uint32_t)(cell / e->parts);

    if (!e->rows.promising[row]) return SKED_OK;
    engine_standings family = skedi_standings_of(e, row,
                                                 (uint32_t)(cell % e->parts));
    if (skedi_tourney_is_sound(&e->cell_standing[cell].below,
                               skedi_standing_before, &family)) {
        return SKED_OK;
    }
    return skedi_engine_broken(err, "queues below their guarantee", row);
}

static sked_status check_masters(const sked_engine *e, size_t cell,
                                 sked_error *err)
{
    int64_t sum[SKED_MAX_KINDS] = {0};

    for (uint32_t i = 0; i < e->groups.n; i++) {
        const engine_group *g = group_at(e, i);
        if (g->state == GROUP_FREE_SLOT) continue;
        const engine_ask *a = ask_at(e, g->ask);
        uint32_t partition = node_at(e, g->node)->partition;
        if (!(a->flags & SKED_ASK_MASTER) ||
            cell_of(e, job_at(e, a->job)->row, partition) != cell) {
            continue;
        }
        for (uint32_t k = 0; k < e->kinds; k++) {
            sum[k] += skedi_group_task(e, g)[k] *
                      skedi_group_times(g, g->count);
        }
    }
    for (uint32_t k = 0; k < e->kinds; k++) {
        if (sum[k] != cell_row(e, e->cell_masters, cell)[k]) {
            return skedi_engine_broken(err, "what masters hold",
                                       (int64_t)(cell / e->parts));
        }
    }
    return SKED_OK;
}

/* Is some amount of a cell not `none`? */
static int check_has_some(const sked_engine *e, const int64_t *amounts,
                          int64_t none)
{
    for (uint32_t k = 0; k < e->kinds; k++) {
        if (amounts[k] != none) return 1;
    }
    return 0;
}

/* Has a queue a limit in a partition, or a ceiling, in some kind? */
static int check_has_bound(const sked_engine *e, uint32_t row,
                           uint32_t partition)
{
    size_t cell = cell_of(e, row, partition);
    const int64_t *ceiling = e->rows.ceiling + (size_t)row * e->kinds;

    return check_has_some(e, cell_row(e, e->cell_limit, cell),
                          SKED_UNLIMITED) ||
           check_has_some(e, ceiling, SKED_UNLIMITED);
}

/* Checks the flags of guarantees and of bounds on the path. */
static sked_status check_flags(const sked_engine *e, size_t cell,
                               sked_error *err)
{
    uint32_t row = (uint32_t)(cell / e->parts);
    uint32_t partition = (uint32_t)(cell % e->parts);
    const int64_t *promised = cell_row(e, e->cell_promised, cell);
    int under_bound = 0;

    if (e->partition[partition].dirty) return SKED_OK;
    for (int32_t up = (int32_t)row; up >= 0; up = e->rows.parent[up]) {
        under_bound |= check_has_bound(e, (uint32_t)up, partition);
    }
    if (e->cells[cell].bounded != check_has_bound(e, row, partition) ||
        e->cells[cell].under_bound != under_bound) {
        return skedi_engine_broken(err, "whether a queue has a bound", row);
    }
    if (e->cells[cell].promised != check_has_some(e, promised, 0)) {
        return skedi_engine_broken(err, "whether a queue has a guarantee", row);
    }
    return SKED_OK;
}

static sked_status check_cells(const sked_engine *e, sked_error *err)
{
    sked_status rc = SKED_OK;

    for (size_t cell = 0; cell < (size_t)e->rows.n * e->parts; cell++) {
        if (rc == SKED_OK) rc = check_flags(e, cell, err);
        if (!e->shared) continue;
        if (rc == SKED_OK) rc = check_booked(e, cell, err);
        if (rc == SKED_OK && e->keeps) rc = check_reserved(e, cell, err);
        if (rc == SKED_OK) rc = check_below(e, cell, err);
        if (rc == SKED_OK && e->mastered) rc = check_masters(e, cell, err);
    }
    return rc == SKED_OK && e->shared ? check_wants(e, err) : rc;
}

/*
 * Every open ask stands in exactly the lines it belongs to, with the key and
 * the bits that it would get now; every tournament is as if it were played
 * anew.
 */

static int check_is_parent(const sked_engine *e, uint32_t row)
{
    return e->rows.first_child[row] != e->rows.first_child[row + 1];
}

static sked_status check_family(const sked_engine *e, uint32_t row, uint32_t p,
                                sked_error *err)
{
    const engine_cell *above = &e->cells[cell_of(e, row, p)];
    engine_family family = skedi_family_of(e, row, p);
    uint32_t first = e->rows.first_child[row];
    uint64_t open = 0;

    for (uint32_t c = first; c < e->rows.first_child[row + 1]; c++) {
        size_t at = cell_of(e, c, p);
        const engine_cell *cell = &e->cells[at];
        uint32_t place = c - first;
        sked_order_key key = skedi_cell_key(e, c, row, p);
        open += cell->open;
        if (skedi_tourney_has(&above->turn, place) != (cell->open > 0)) {
            return skedi_engine_broken(err, "a queue among its siblings", c);
        }
        if (cell->open && skedi_tourney_mask(&above->turn, place) !=
                              skedi_cell_offer(e, at, c)) {
            return skedi_engine_broken(err, "what a queue offers", c);
        }
        if (!e->partition[p].dirty &&
            skedi_order_compare(key, e->cell_order[at]) != 0) {
            return skedi_engine_broken(err, "key of a queue", c);
        }
    }
    if (open != above->open) {
        return skedi_engine_broken(err, "open asks below a queue", row);
    }
    if (!skedi_tourney_is_sound(&above->turn, skedi_child_before, &family)) {
        return skedi_engine_broken(err, "order of siblings", row);
    }
    return SKED_OK;
}

static sked_status check_line(const sked_engine *e, uint32_t row, uint32_t p,
                              sked_error *err)
{
    size_t at = cell_of(e, row, p);
    const engine_cell *cell = &e->cells[at];
    uint64_t there = 0;

    for (uint32_t place = 0; place < cell->entries; place++) {
        if (!skedi_line_has(cell, place)) continue;
        uint32_t entry = cell->entry[place];
        const engine_entry *x = entry_at(e, entry);
        there++;
        if (!x->live || x->cell != at || x->place != place) {
            return skedi_engine_broken(err, "an entry in its line", entry);
        }
        if (skedi_line_mask(cell, place) != skedi_entry_mask(e, entry)) {
            return skedi_engine_broken(err, "bits of an entry", entry);
        }
        if (!e->partition[p].dirty && x->key != skedi_entry_key(e, entry)) {
            return skedi_engine_broken(err, "key of an entry", entry);
        }
    }
    if (there != cell->open) {
        return skedi_engine_broken(err, "open asks of a leaf", row);
    }
    if (!skedi_line_is_sound(e, cell)) {
        return skedi_engine_broken(err, "order of a leaf", row);
    }
    return SKED_OK;
}

/* The entries of each ask, in each partition where it may run. */
static sked_status check_entries(const sked_engine *e, sked_error *err)
{
    for (uint32_t i = 0; i < e->asks.n; i++) {
        const engine_ask *a = ask_at(e, i);
        uint32_t n = 0;
        if (!a->live) continue;
        uint32_t row = job_at(e, a->job)->row;
        uint32_t want = a->partition == SKED_ANY_PARTITION ? e->parts : 1;
        for (uint32_t x = a->first_entry; x != SKEDI_NONE;
             x = entry_next(e, x)) {
            uint32_t p = entry_at(e, x)->cell % e->parts;
            int right = entry_at(e, x)->ask == i &&
                        entry_at(e, x)->cell / e->parts == row &&
                        (want > 1 || e->parts == 1 || p == a->partition);
            if (!right) return skedi_engine_broken(err, "an entry", x);
            n++;
        }
        if (n != 0 && n != want) {
            return skedi_engine_broken(err, "entries of an ask", i);
        }
    }
    return SKED_OK;
}

/* Does no entry's step take less than the least of its class? */
static int check_least_holds(const sked_engine *e, uint32_t p, uint8_t class,
                             uint32_t shape)
{
    const int64_t *least = e->least + ((size_t)p * 64 + class) * e->kinds;
    const int64_t *step = skedi_shape_part(e, shape);

    for (uint32_t k = 0; k < e->kinds; k++) {
        if (step[k] < least[k]) return 0;
        if (step[k] > least[k] && class < SKEDI_MIXED_CLASS) return 0;
    }
    return 1;
}

/* Are as many shapes listed as there is a place for, each of the class, each
 * once? `shapes`: how many the class has. */
static int check_mixture_holds(const engine_partition *part, uint32_t class,
                               uint32_t shapes)
{
    const engine_mixture *mix = &part->mixed[class - SKEDI_MIXED_CLASS];

    if (mix->shapes != shapes || mix->listed > shapes) return 0;
    for (uint32_t i = 0; i < mix->listed; i++) {
        if (part->class_of[mix->shape[i]] != class) return 0;
        for (uint32_t j = 0; j < i; j++) {
            if (mix->shape[j] == mix->shape[i]) return 0;
        }
    }
    return 1;
}

static sked_status check_mixtures(const engine_partition *part, sked_error *err)
{
    uint32_t shapes[64] = {0};

    for (size_t s = 0; s < part->class_cap; s++) {
        if (part->class_of[s] < 64) shapes[part->class_of[s]]++;
    }
    for (uint32_t c = SKEDI_MIXED_CLASS; c < 64; c++) {
        if (check_mixture_holds(part, c, shapes[c])) continue;
        return skedi_engine_broken(err, "shapes of a mixed class", c);
    }
    return SKED_OK;
}

/* How many entries each class and shape of a partition has. */
static sked_status check_classes(const sked_engine *e, uint32_t p,
                                 sked_error *err)
{
    const engine_partition *part = &e->partition[p];
    uint32_t of_class[64] = {0};

    for (uint32_t i = 0; i < e->entries.n; i++) {
        const engine_entry *x = entry_at(e, i);
        if (!x->live || x->cell % e->parts != p) continue;
        uint32_t shape = skedi_class_shape(e, ask_at(e, x->ask));
        uint8_t class = part->class_of[shape];
        if (class > 63 || !check_least_holds(e, p, class, shape)) {
            return skedi_engine_broken(err, "class of an entry", i);
        }
        of_class[class]++;
    }
    for (uint32_t c = 0; c < 64; c++) {
        if (of_class[c] != part->class_count[c] ||
            (part->classes >> c & 1) != (of_class[c] > 0)) {
            return skedi_engine_broken(err, "entries of a class", c);
        }
    }
    return check_mixtures(part, err);
}

/* What is held against classes is remembered where it is looked for. */
static sked_status check_strikes(const sked_engine *e, uint32_t row, uint32_t p,
                                 sked_error *err)
{
    const engine_cell *cell = &e->cells[cell_of(e, row, p)];
    int held = cell->full || cell->turned;

    if (cell->full & ~e->partition[p].struck || (held && !e->rows.tight[row])) {
        return skedi_engine_broken(err, "full classes of a queue", row);
    }
    return SKED_OK;
}

/* Lines of leaves, families of parents, classes. */
static sked_status check_lines(const sked_engine *e, sked_error *err)
{
    sked_status rc = check_entries(e, err);

    for (uint32_t p = 0; rc == SKED_OK && p < e->parts; p++) {
        rc = check_classes(e, p, err);
        for (uint32_t row = 0; rc == SKED_OK && row < e->rows.n; row++) {
            rc = check_is_parent(e, row) ? check_family(e, row, p, err)
                                         : check_line(e, row, p, err);
            if (rc == SKED_OK) rc = check_strikes(e, row, p, err);
        }
    }
    return rc;
}

/* The data of preemption, computed again. */

/* Each in the order in which their work was safe, each once. */
static sked_status check_victim_classes(const sked_engine *e, sked_error *err)
{
    const victim_classes *classes = &e->preempt->classes;
    uint64_t listed = 0, victims = 0;

    for (uint32_t i = 0; i < classes->pool.n; i++) {
        const victim_class *class = victim_class_at(classes, i);
        uint32_t after = SKEDI_NONE, n = 0;
        if (!class->name) continue;
        for (uint32_t g = class->last; g != SKEDI_NONE && n <= class->groups;
             g = classes->place[g].before, n++) {
            uint32_t shape = skedi_group_shape(e, group_at(e, g));
            int in_turn = after == SKEDI_NONE ||
                          skedi_group_saved(e, g) <=
                              skedi_group_saved(e, after);
            if (classes->place[g].class != i + 1 ||
                classes->place[g].after != after || shape != class->shape ||
                !in_turn) {
                return skedi_engine_broken(err, "a group among its siblings",
                                           g);
            }
            after = g;
        }
        if (n != class->groups)
            return skedi_engine_broken(err, "a victim class", i);
        listed += n;
    }
    for (uint32_t g = 0; g < e->groups.n; g++) {
        victims += skedi_may_be_victim(e, g) != 0;
    }
    if (listed == victims) return SKED_OK;
    return skedi_engine_broken(err, "groups without a victim class",
                               (int64_t)victims);
}

static sked_status check_wanted(const sked_engine *e, sked_error *err)
{
    const engine_wanted *w = &e->preempt->wanted;

    for (size_t cell = 0; cell < w->cells; cell++) {
        int64_t sum[SKED_MAX_KINDS] = {0};
        for (uint32_t i = 0; i < e->entries.n; i++) {
            const engine_entry *x = entry_at(e, i);
            if (!x->live || x->cell != cell) continue;
            const engine_ask *a = ask_at(e, x->ask);
            const int64_t *task = engine_row_of(e, &e->shape_task, a->shape);
            for (uint32_t k = 0; k < e->kinds; k++) sum[k] += task[k] * a->open;
        }
        for (uint32_t k = 0; k < e->kinds; k++) {
            if (sum[k] == w->sum[cell * e->kinds + k]) continue;
            return skedi_engine_broken(err, "what is wanted of a queue",
                                       (int64_t)cell);
        }
    }
    return SKED_OK;
}

static sked_status check_vacant(const sked_engine *e, sked_error *err)
{
    const engine_vacant *v = &e->preempt->vacant;

    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        size_t block = n / VACANT_NODES;
        if (block >= v->blocks || v->moved[block]) continue;
        for (uint32_t k = 0; k < e->kinds; k++) {
            int64_t free = engine_row_of(e, &e->node_free, n)[k];
            if (free <= v->most[block * e->kinds + k]) continue;
            return skedi_engine_broken(err, "what is free of a block", n);
        }
    }
    return SKED_OK;
}

/* Groups that were killed with their jobs are listed, and no others. */
static sked_status check_killed(const sked_engine *e, sked_error *err)
{
    uint64_t listed = 0, killed = 0, revoked = 0;

    for (uint32_t g = skedi_group_next_doomed(e, SKEDI_NONE);
         g != SKEDI_NONE && listed <= e->groups.n;
         g = skedi_group_next_doomed(e, g)) {
        listed++;
    }
    for (uint32_t g = 0; g < e->groups.n; g++) {
        killed += group_at(e, g)->state >= GROUP_KILLED;
        revoked += group_at(e, g)->state == GROUP_REVOKED;
    }
    if (listed == killed && e->revoked == revoked) return SKED_OK;
    return skedi_engine_broken(err, "list of killed groups", (int64_t)killed);
}

/* Checks the data of preemption. */
static sked_status check_rounds(const sked_engine *e, sked_error *err)
{
    sked_status rc = check_killed(e, err);

    if (rc != SKED_OK || !e->preempt) return rc;
    if (!e->preempt->classes.stale) rc = check_victim_classes(e, err);
    if (rc == SKED_OK && e->preempt->wanted.ready) rc = check_wanted(e, err);
    return rc == SKED_OK ? check_vacant(e, err) : rc;
}

/* What users hold in leaves, how many of their jobs run, which ones wait. */

/* What others got kill orders for a user to have of a kind. */
static int64_t check_paid_for_account(const sked_engine *e, uint32_t account,
                                      uint32_t k)
{
    int64_t sum = 0;

    for (uint32_t i = e->first_reservation; i != SKEDI_NONE;
         i = reservation_at(e, i)->later) {
        const engine_reservation *reserved = reservation_at(e, i);
        if (skedi_reservation_account(e, reserved) != account) continue;
        sum += skedi_reservation_paid(e, i, k);
    }
    return sum;
}

static sked_status check_account(const sked_engine *e, uint32_t account,
                                 sked_error *err)
{
    const engine_account *s = account_at(e, account);
    uint32_t p = s->cell % e->parts, row = s->cell / e->parts;
    uint32_t groups = 0, entries = 0;
    int64_t used[SKED_MAX_KINDS] = {0};

    for (uint32_t i = 0; i < e->groups.n; i++) {
        const engine_group *g = group_at(e, i);
        if (g->state == GROUP_FREE_SLOT) continue;
        const engine_ask *a = ask_at(e, g->ask);
        const engine_job *job = job_at(e, a->job);
        if (job->user != s->user || job->row != row ||
            node_at(e, g->node)->partition != p) {
            continue;
        }
        groups++;
        for (uint32_t k = 0; k < e->kinds; k++) {
            used[k] += skedi_group_task(e, g)[k] *
                       skedi_group_times(g, g->count);
        }
    }
    for (uint32_t x = s->first; x != SKEDI_NONE;
         x = entry_at(e, x)->account_next) {
        entries += entry_at(e, x)->account == account;
    }
    for (uint32_t k = 0; k < e->kinds; k++) {
        if (used[k] != engine_row_of(e, &e->account_used, account)[k]) {
            return skedi_engine_broken(err, "what a user holds", account);
        }
        if (check_paid_for_account(e, account, k) !=
            engine_row_of(e, &e->account_paid, account)[k]) {
            return skedi_engine_broken(err, "what is paid for a user", account);
        }
    }
    if (!e->partition[p].dirty &&
        e->cells[s->cell].lead != skedi_cell_lead(e, s->cell)) {
        return skedi_engine_broken(err, "the kind users count in", account);
    }
    if (groups != s->groups || entries != s->entries) {
        return skedi_engine_broken(err, "tasks and asks of a user", account);
    }
    if (s->blocked && !e->partition[p].dirty &&
        !skedi_account_is_full(e, account)) {
        return skedi_engine_broken(err, "a user blocked for nothing", account);
    }
    return SKED_OK;
}

/* Accounts by user, and the weights of those with open asks by cell. */
static sked_status check_accounts(const sked_engine *e, sked_error *err)
{
    uint64_t listed = 0, weight = 0, cells = 0;

    for (uint32_t u = 0; u < e->users.n; u++) {
        const engine_user *user = (const engine_user *)e->users.item + u;
        for (uint32_t s = user->first_account; s != SKEDI_NONE;
             s = account_at(e, s)->user_next) {
            sked_status rc = check_account(e, s, err);
            if (rc != SKED_OK) return rc;
            listed++;
            if (account_at(e, s)->entries) weight += account_at(e, s)->weight;
        }
    }
    for (size_t c = 0; c < (size_t)e->rows.n * e->parts; c++) {
        cells += e->cells[c].account_weight;
    }
    if (listed != e->accounts.live || weight != cells) {
        return skedi_engine_broken(err, "lists of accounts", e->accounts.live);
    }
    return SKED_OK;
}

/* Users: accounts, running jobs, jobs that wait. */
static sked_status check_users(const sked_engine *e, sked_error *err)
{
    sked_status rc = check_accounts(e, err);

    for (uint32_t u = 0; rc == SKED_OK && u < e->users.n; u++) {
        const engine_user *user = (const engine_user *)e->users.item + u;
        uint64_t running = 0, waiting = 0, listed = 0;
        for (uint32_t i = 0; i < e->jobs.n; i++) {
            const engine_job *job = job_at(e, i);
            running += job->state == JOB_RUNNING && job->user == u;
            waiting += job->state == JOB_WAITING && job->user == u;
        }
        for (uint32_t i = user->first_waiting; i != SKEDI_NONE;
             i = job_at(e, i)->user_next) {
            listed += job_at(e, i)->user == u;
        }
        if (running != user->running || waiting != listed) {
            rc = skedi_engine_broken(err, "jobs of a user", u);
        }
    }
    for (uint32_t row = 0; rc == SKED_OK && row < e->rows.n; row++) {
        if (!skedi_wait_is_sound(e, row)) {
            rc = skedi_engine_broken(err, "waiting jobs of a queue", row);
        }
    }
    return rc;
}

/* Tallies of tasks by tag against the groups, domains against the nodes. */

static const engine_domain_key *check_domain_key_of(const sked_engine *e,
                                                    uint32_t i)
{
    const engine_domain_key *key = (engine_domain_key *)e->domains.keys.item +
                                   i;

    return skedi_keymap_get(&e->domains.key_of, key->key) == i ? key : NULL;
}

static const engine_domain *check_domain_of(const sked_engine *e, uint32_t i)
{
    return (engine_domain *)e->domains.all.item + i;
}

/* Tasks with a tag on a node, counted. */
static int64_t check_tagged_on(const sked_engine *e, uint32_t tag,
                               uint32_t node)
{
    int64_t count = 0;

    for (uint32_t i = node_at(e, node)->first_group; i != SKEDI_NONE;
         i = group_at(e, i)->next) {
        const uint32_t *tags;
        uint32_t n = skedi_tags_of(e, group_at(e, i)->ask, &tags);
        for (uint32_t t = 0; t < n; t++) {
            if (tags[t] == tag) count += group_at(e, i)->count;
        }
    }
    return count;
}

static int check_is_in(const sked_engine *e, uint32_t node, uint64_t key,
                       const engine_domain *domain)
{
    const engine_traits *own = &e->rules.traits[node];
    int in = 0;

    if (node_at(e, node)->partition != domain->partition) return 0;
    for (uint64_t i = 0; i < own->n; i++) {
        in |= own->at[i].key == key && own->at[i].value == domain->value;
    }
    return in;
}

/* Are a tag's tallies right, by node and in one key's domains? `*live` counts
 * them. */
static int check_tag_is_sound(const sked_engine *e, uint32_t tag,
                              const engine_domain_key *key, uint32_t *live)
{
    uint64_t name = skedi_tag_key(e, tag);

    for (uint32_t i = 0; i < key->n; i++) {
        const engine_domain *d = check_domain_of(e, key->at[i]);
        int64_t sum = 0;
        for (uint32_t n = e->first_node; n != SKEDI_NONE;
             n = node_at(e, n)->next) {
            if (check_is_in(e, n, key->key, d))
                sum += check_tagged_on(e, tag, n);
        }
        int64_t said = skedi_tally_get(e, name, key->at[i] | SKEDI_IN_DOMAIN);
        if (sum != said) return 0;
        *live += sum > 0;
    }
    return 1;
}

static int check_tag_on_nodes_is_sound(const sked_engine *e, uint32_t tag,
                                       uint32_t *live)
{
    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        int64_t count = check_tagged_on(e, tag, n);
        if (count != skedi_tally_get(e, skedi_tag_key(e, tag), n)) return 0;
        *live += count > 0;
    }
    return 1;
}

/* How many terms of rules count by an attribute, and gangs share a value of it? */
static uint32_t check_uses_of_attribute(const sked_engine *e, uint64_t key)
{
    uint32_t uses = 0;

    for (uint32_t s = 0; s < e->rules.sets.n; s++) {
        const engine_rule_set *set = set_at(e, s);
        for (uint32_t i = 0; set->uses && i < set->n_terms; i++) {
            const sked_rule_term *t = &set->terms[i];
            uses += skedi_rule_is_by_key(t) &&
                    (uint64_t)set->values[t->first] == key;
        }
    }
    for (uint32_t f = 0; f < e->fits.pool.n; f++) {
        const engine_fit *fit = fit_at(e, f); /* of none `same` is 0 */
        uses += fit->uses && fit->same && fit->same == key;
    }
    return uses;
}

/* Are the domains of a key in order, each with its nodes? */
static int check_key_is_sound(const sked_engine *e,
                              const engine_domain_key *key)
{
    uint64_t pairs = 0, held = 0;

    for (uint32_t i = 0; i < key->n; i++) {
        const engine_domain *d = check_domain_of(e, key->at[i]);
        const engine_domain *before = i ? check_domain_of(e, key->at[i - 1])
                                        : d;
        uint32_t nodes = 0;
        if (i && (before->partition > d->partition ||
                  (before->partition == d->partition &&
                   before->value >= d->value))) {
            return 0;
        }
        for (uint32_t n = e->first_node; n != SKEDI_NONE;
             n = node_at(e, n)->next) {
            nodes += (uint32_t)check_is_in(e, n, key->key, d);
        }
        if (nodes == 0 || nodes != d->nodes) return 0;
        held += nodes;
    }
    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        const engine_traits *own = &e->rules.traits[n];
        for (uint64_t i = 0; i < own->n; i++) {
            int again = i && own->at[i].key == own->at[i - 1].key &&
                        own->at[i].value == own->at[i - 1].value;
            pairs += own->at[i].key == key->key && !again;
        }
    }
    return pairs == held && key->uses == check_uses_of_attribute(e, key->key);
}

/* Tallies of tasks by tag, and where they are counted. */
static sked_status check_work(const sked_engine *e, sked_error *err)
{
    uint32_t live = 0;
    int ok = 1;

    for (uint32_t k = 0; k < e->domains.keys.n; k++) {
        const engine_domain_key *key = check_domain_key_of(e, k);
        if (key) ok &= check_key_is_sound(e, key);
    }
    for (uint32_t t = 0; ok && t < e->tags.known.n; t++) {
        uint64_t name = skedi_tag_key(e, t);
        if (skedi_keymap_get(&e->tags.tag_of, name) != t) continue;
        ok &= check_tag_on_nodes_is_sound(e, t, &live);
        for (uint32_t k = 0; k < e->domains.keys.n; k++) {
            const engine_domain_key *key = check_domain_key_of(e, k);
            if (key) ok &= check_tag_is_sound(e, t, key, &live);
        }
    }
    ok &= live == e->tags.tallies.live;
    return ok ? SKED_OK : skedi_engine_broken(err, "tasks by tag", 0);
}

/*
 * The invariants, computed anew from jobs, asks and groups, and held against
 * the books.
 */

/* Each open number of an ask in one range, and the groups of each node its
 * own. */
static sked_status check_ask_books(const sked_engine *e, sked_error *err)
{
    const engine_range *ranges = e->ranges.item;
    uint32_t extras = 0;

    for (uint32_t i = 0; i < e->asks.n; i++) {
        const engine_ask *a = ask_at(e, i);
        int64_t behind = 0;
        if (!a->live) continue;
        int64_t all = extra_of(e, a)->behind;
        uint32_t last = SKEDI_NONE;
        extras += a->extra != SKEDI_NONE;
        for (uint32_t r = extra_of(e, a)->ranges; r != SKEDI_NONE;
             r = ranges[r].next) {
            if (ranges[r].count <= 0)
                return skedi_engine_broken(err, "an empty range", i);
            behind += ranges[r].count;
            last = r;
        }
        if (behind != all || (a->open > 0 ? a->open <= all : all > 0) ||
            (last != SKEDI_NONE && last != extra_of(e, a)->last))
            return skedi_engine_broken(err, "open tasks of an ask", i);
        int over = a->closed || !(a->flags & SKED_ASK_KEEP);
        if (over && a->open == 0 && a->first_group == SKEDI_NONE) {
            return skedi_engine_broken(err, "an ask that is over", i);
        }
        if (skedi_ask_stands(e, a) != (a->first_entry != SKEDI_NONE)) {
            return skedi_engine_broken(err, "entries of an ask", i);
        }
    }
    if (extras == e->extras.live) return SKED_OK;
    return skedi_engine_broken(err, "extras of asks", extras);
}

/* Each job's list has its asks, and no others; each knows both neighbours. */
static sked_status check_ask_lists(const sked_engine *e, sked_error *err)
{
    uint64_t listed = 0;

    for (uint32_t j = 0; j < e->jobs.n; j++) {
        uint32_t before = SKEDI_NONE;
        if (job_at(e, j)->state == JOB_FREE_SLOT) continue;
        for (uint32_t a = job_at(e, j)->first_ask; a != SKEDI_NONE;
             before = a, a = ask_at(e, a)->next) {
            if (ask_at(e, a)->job != j || ask_at(e, a)->prev != before) {
                return skedi_engine_broken(err, "asks of a job", j);
            }
            listed++;
        }
    }
    if (listed == e->asks.live) return SKED_OK;
    return skedi_engine_broken(err, "lists of asks", e->asks.live);
}

static sked_status check_node_books(const sked_engine *e, sked_error *err)
{
    int64_t released[SKED_MAX_KINDS] = {0};

    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        const int64_t *capacity = engine_row_of(e, &e->node_capacity, n);
        const int64_t *free = engine_row_of(e, &e->node_free, n);
        int64_t remains[SKED_MAX_KINDS] = {0};
        skedi_remains_sum(e, n, remains);
        for (uint32_t k = 0; k < e->kinds; k++) {
            int64_t used = 0;
            for (uint32_t g = node_at(e, n)->first_group; g != SKEDI_NONE;
                 g = group_at(e, g)->next) {
                const engine_group *group = group_at(e, g);
                used += skedi_group_task(e, group)[k] *
                        skedi_group_times(group, group->count);
            }
            used += skedi_reservation_of(e, n, k) + remains[k];
            released[k] += remains[k];
            if (capacity[k] - used != free[k]) {
                return skedi_engine_broken(err, "free amounts of a node", n);
            }
        }
    }
    for (uint32_t k = 0; k < e->kinds; k++) {
        if (released[k] == e->released[k]) continue;
        return skedi_engine_broken(err, "what released tasks hold", k);
    }
    return SKED_OK;
}

/* Parents hold what their children hold, cell by cell and in all. */
static sked_status check_queue_books(const sked_engine *e, sked_error *err)
{
    for (uint32_t row = 0; row < e->rows.n; row++) {
        uint32_t first = e->rows.first_child[row];
        uint32_t end = e->rows.first_child[row + 1];
        for (uint32_t k = 0; k < e->kinds; k++) {
            int64_t used = skedi_row_used(e, row, k), below = 0;
            for (uint32_t c = first; c < end; c++) {
                below += skedi_row_used(e, c, k);
            }
            if (e->rows.used[(size_t)row * e->kinds + k] !=
                (e->rows.wide[row] ? used : 0)) {
                return skedi_engine_broken(err, "usage of a queue", row);
            }
            if (first < end && below != used) {
                return skedi_engine_broken(err, "usage of a parent", row);
            }
        }
    }
    return SKED_OK;
}

/* Each leaf's usage is that of its jobs. */
static sked_status check_job_books(const sked_engine *e, sked_error *err)
{
    for (uint32_t k = 0; k < e->kinds; k++) {
        int64_t jobs = 0;
        for (uint32_t i = 0; i < e->jobs.n; i++) {
            if (job_at(e, i)->state == JOB_FREE_SLOT) continue;
            jobs += engine_row_of(e, &e->job_used, i)[k];
        }
        if (jobs != skedi_row_used(e, 0, k))
            return skedi_engine_broken(err, "usage of jobs", k);
    }
    for (uint32_t row = 0; row < e->rows.n; row++) {
        int64_t running = 0;
        for (uint32_t i = 0; i < e->jobs.n; i++) {
            const engine_job *job = job_at(e, i);
            if (job->state != JOB_RUNNING) continue;
            uint32_t at = job->row;
            while (at > row) at = (uint32_t)e->rows.parent[at];
            running += at == row;
        }
        if (running != e->rows.running[row]) {
            return skedi_engine_broken(err, "running applications of a queue",
                                       row);
        }
    }
    return SKED_OK;
}

/* Groups on the lists of their node and their ask, proposals in order. */
static sked_status check_lists(const sked_engine *e, sked_error *err)
{
    uint64_t on_nodes = 0, on_asks = 0, proposed = 0, listed = 0;

    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        for (uint32_t g = node_at(e, n)->first_group; g != SKEDI_NONE;
             g = group_at(e, g)->next) {
            on_nodes += group_at(e, g)->node == n;
            proposed += (uint64_t)skedi_group_is_proposal(e, g);
        }
    }
    for (uint32_t i = 0; i < e->asks.n; i++) {
        uint32_t own = 0;
        if (!ask_at(e, i)->live) continue;
        for (uint32_t g = ask_at(e, i)->first_group; g != SKEDI_NONE;
             g = group_at(e, g)->ask_next) {
            own += group_at(e, g)->ask == i;
        }
        on_asks += own;
    }
    for (uint32_t g = e->first_proposed; g != SKEDI_NONE;
         g = group_at(e, g)->later) {
        uint32_t later = group_at(e, g)->later;
        listed++;
        if (later != SKEDI_NONE &&
            group_at(e, later)->deadline_from < group_at(e, g)->deadline_from) {
            return skedi_engine_broken(err, "order of proposals", g);
        }
    }
    if (on_nodes != e->groups.live || on_asks != e->groups.live ||
        proposed != listed) {
        return skedi_engine_broken(err, "lists of groups", e->groups.live);
    }
    return SKED_OK;
}

/* Each ban belongs to what it says; those that wait for something are
 * listed. */
static sked_status check_bans(const sked_engine *e, sked_error *err)
{
    uint32_t listed = 0, ready = 0;

    for (uint32_t i = 0; i < e->bans.n; i++) {
        const engine_ban *b = ban_at(e, i);
        if (b->what == BAN_FREE_SLOT) continue;
        if (!skedi_ban_is_sound(e, i)) {
            return skedi_engine_broken(err, "what is refused", i);
        }
        listed += b->listed;
        ready += (b->parked & (PARK_READY | PARK_FALLS)) != 0;
    }
    if (!skedi_weights_are_sound(e)) {
        return skedi_engine_broken(err, "weights of queues", 0);
    }
    if (!skedi_heap_is_sound(&e->wakes)) {
        return skedi_engine_broken(err, "nodes by their next look", 0);
    }
    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        if (skedi_refusers_are_sound(e, n)) continue;
        return skedi_engine_broken(err, "classes that refuse a node", n);
    }
    for (uint32_t i = e->first_parked; i != SKEDI_NONE;
         i = ban_at(e, i)->next) {
        listed -= ban_at(e, i)->listed;
    }
    if (listed == 0 && ready == e->ready) return SKED_OK;
    return skedi_engine_broken(err, "asks that wait to stand in line", listed);
}

/* What the counters say, and that every key leads to its thing. */
static sked_status check_counts(const sked_engine *e, sked_error *err)
{
    uint64_t jobs = 0, waiting = 0, asks = 0, open = 0, running = 0;

    for (uint32_t i = 0; i < e->jobs.n; i++) {
        const engine_job *job = job_at(e, i);
        if (job->state == JOB_FREE_SLOT) continue;
        jobs++;
        waiting += job->state == JOB_WAITING;
        running += (uint64_t)job->running;
        if (skedi_keymap_get(&e->job_of, job->key) != i) {
            return skedi_engine_broken(err, "key of a job", i);
        }
    }
    for (uint32_t i = 0; i < e->asks.n; i++) {
        const engine_ask *a = ask_at(e, i);
        if (!a->live) continue;
        asks += a->open > 0;
        open += (uint64_t)a->open;
        if (skedi_keymap_get(&e->ask_of, a->key) != i) {
            return skedi_engine_broken(err, "key of an ask", i);
        }
    }
    int same = jobs == e->stats.jobs && waiting == e->stats.jobs_waiting &&
               asks == e->stats.asks && open == e->stats.open_tasks &&
               running == e->stats.running_tasks &&
               e->stats.nodes == e->nodes.live &&
               e->stats.groups == e->groups.live;
    return same ? SKED_OK : skedi_engine_broken(err, "counters", 0);
}

sked_status sked_engine_check(const sked_engine *engine, sked_error *err)
{
    if (!engine) return skedi_fail_null(err, "engine");

    sked_status rc = check_ask_books(engine, err);
    if (rc == SKED_OK) rc = check_ask_lists(engine, err);
    if (rc == SKED_OK) rc = check_node_books(engine, err);
    if (rc == SKED_OK) rc = check_queue_books(engine, err);
    if (rc == SKED_OK) rc = check_job_books(engine, err);
    if (rc == SKED_OK) rc = check_lists(engine, err);
    if (rc == SKED_OK) rc = check_counts(engine, err);
    if (rc == SKED_OK) rc = check_bans(engine, err);
    if (rc == SKED_OK && !skedi_fits_are_sound(engine)) {
        rc = skedi_engine_broken(err, "tasks that nodes take", 0);
    }
    if (rc == SKED_OK && !skedi_ranks_are_sound(engine)) {
        rc = skedi_engine_broken(err, "orders of nodes", 0);
    }
    if (rc == SKED_OK && !skedi_sets_are_sound(engine)) {
        rc = skedi_engine_broken(err, "nodes of a rule", 0);
    }
    if (rc == SKED_OK && !skedi_soft_is_sound(engine)) {
        rc = skedi_engine_broken(err, "soft rules", 0);
    }
    if (rc == SKED_OK && !skedi_forming_is_sound(engine)) {
        rc = skedi_engine_broken(err, "reserved for gangs that form", 0);
    }
    if (rc == SKED_OK) rc = check_work(engine, err);
    if (rc == SKED_OK) rc = check_lines(engine, err);
    if (rc == SKED_OK) rc = check_users(engine, err);
    if (rc == SKED_OK) rc = check_cells(engine, err);
    if (rc == SKED_OK) rc = skedi_check_trees(engine, err);
    if (rc == SKED_OK) rc = check_rounds(engine, err);
    return rc;
}
