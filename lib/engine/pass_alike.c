/*
 * How many identical tasks of an ask one step starts at once, and the search
 * for the next entry when classes are mixed.
 *
 * A queue that starts a task moves back in the order of its family, or stays.
 * So the next queue in each family bounds how long a queue stays first.
 *
 * Invariant: starting many tasks at once gives the decisions of starting them
 * one by one.
 */

#include "engine/alloc.h"
#include "engine/budget.h"
#include "engine/pass.h"
#include "engine/decision.h"
#include "engine/domains.h"
#include "engine/exclusion.h"
#include "engine/gang.h"
#include "engine/gang_fit.h"
#include "engine/queue.h"
#include "engine/pending.h"
#include "engine/soft_rules.h"
#include "engine/ask.h"
#include "engine/work.h"
#include "rule/judge.h"

/*
 * A queue that is given something comes later in the order of its family, or
 * stays where it is: no key becomes less, no standing better. So the next one
 * in each family says how long a queue stays first there, and nothing that
 * comes behind that one has to be looked at.
 */

/* Does one place alone offer something? */
static int pass_offers_alone(const skedi_tourney *t, uint64_t fit)
{
    uint32_t first = skedi_tourney_next(t, 0, fit);

    return first != SKEDI_NO_PLACE &&
           skedi_tourney_next(t, first + 1, fit) == SKEDI_NO_PLACE;
}

/* The place that comes first in a tournament without another one. */
static uint32_t pass_first_without(skedi_tourney *t, uint32_t place,
                                   uint64_t fit, skedi_before_fn before,
                                   const void *family)
{
    uint64_t mask = skedi_tourney_mask(t, place);

    skedi_tourney_show(t, place, 0);
    uint32_t next = skedi_tourney_first(t, fit, before, family);
    skedi_tourney_show(t, place, mask);
    return next;
}

/* Notes what comes after a child by the order of its family; or, where children
 * are below their guarantees, among these. 0: another child comes first. */
static int pass_find_by_order(sked_engine *e, uint32_t up, uint32_t partition,
                              uint64_t fit, uint32_t place, engine_rival *rival)
{
    skedi_tourney *t = &e->cells[cell_of(e, up, partition)].turn;
    engine_family family = skedi_family_of(e, up, partition);

    if (skedi_tourney_first(t, fit, skedi_child_before, &family) != place)
        return 0;
    rival->place = pass_first_without(t, place, fit, skedi_child_before,
                                      &family);
    if (rival->place != SKEDI_NO_PLACE)
        rival->key = family.first[rival->place * family.step];
    return 1;
}

static int pass_find_below(sked_engine *e, uint32_t up, uint32_t partition,
                           uint64_t fit, uint32_t place, engine_rival *rival)
{
    skedi_tourney *t = &e->cell_standing[cell_of(e, up, partition)].below;
    engine_standings family = skedi_standings_of(e, up, partition);

    if (skedi_tourney_first(t, fit, skedi_standing_before, &family) != place)
        return 0;
    rival->is_below = 1;
    rival->place = pass_first_without(t, place, fit, skedi_standing_before,
                                      &family);
    if (rival->place != SKEDI_NO_PLACE)
        rival->key = family.first[rival->place * family.step].owed;
    return 1;
}

/* Is a child of this queue below its guarantee by some of these classes? Then only
 * these come first, in the child, too. */
static int pass_is_any_below(const sked_engine *e, uint32_t up,
                             uint32_t partition, uint64_t fit)
{
    size_t cell = cell_of(e, up, partition);

    return e->rows.promising[up] &&
           (skedi_tourney_all(&e->cell_standing[cell].below) & fit) != 0;
}

/* Notes what comes next in the family of a child. 0: the child does not come
 * first, or does by chance. */
static int pass_find_rival(sked_engine *e, uint32_t row, uint32_t partition,
                           uint64_t fit, engine_rival *rival)
{
    uint32_t up = (uint32_t)e->rows.parent[row];
    uint32_t place = row - e->rows.first_child[up];
    int32_t order = e->rows.order[up];

    *rival = (engine_rival){.row = row, .place = SKEDI_NO_PLACE};
    if (order == SKED_ORDER_POLICY_RANDOM) return 0;
    if (!pass_is_any_below(e, up, partition, fit)) {
        return pass_find_by_order(e, up, partition, fit, place, rival);
    }
    if (e->lends || order == SKED_ORDER_POLICY_PRIORITY) return 0;
    return pass_find_below(e, up, partition, fit, place, rival);
}

/* Finds the rivals of the entry that comes first by the classes of `fit`. 0:
 * starts of the entry may change what comes first in ways that rivals do not
 * tell. O(depth log siblings). */
static int pass_rivals_find(sked_engine *e, uint32_t entry, uint64_t fit,
                            engine_rivals *rivals)
{
    uint32_t cell = entry_at(e, entry)->cell, partition = cell % e->parts;
    const engine_cell *leaf = &e->cells[cell];
    int mixed = e->shared &&
                (e->partition[partition].classes & fit & SKEDI_MIXED_CLASSES);

    rivals->entry = entry;
    rivals->n = 0;
    /* A queue below its guarantee goes first by some classes only: by all of
     * them another ask may come before this one. */
    if (leaf->steady ? skedi_line_first(e, leaf, fit) != entry
                     : !pass_offers_alone(&leaf->turn, fit)) {
        return 0;
    }
    for (uint32_t row = cell / e->parts; row > 0;) {
        uint32_t up = (uint32_t)e->rows.parent[row];
        if (!pass_offers_alone(&e->cells[cell_of(e, up, partition)].turn,
                               fit) ||
            pass_is_any_below(e, up, partition, fit)) {
            engine_rival *rival = &rivals->at[rivals->n++];
            if (mixed || !pass_find_rival(e, row, partition, fit, rival))
                return 0;
        }
        row = up;
    }
    return 1;
}

/* The books of a cell hold so much more, or less, for the time of a question.
 */
static void pass_suppose(sked_engine *e, size_t cell, const int64_t *more,
                         int by)
{
    for (uint32_t k = 0; k < e->kinds; k++) {
        cell_row(e, e->cell_used, cell)[k] += by * more[k];
        if (e->shared) cell_row(e, e->cell_booked, cell)[k] += by * more[k];
    }
}

/* Does the child come before its rival by what its books say now? */
static int pass_comes_first(const sked_engine *e, const engine_rival *rival,
                            uint32_t partition, uint32_t shape)
{
    uint32_t up = (uint32_t)e->rows.parent[rival->row];
    uint32_t place = rival->row - e->rows.first_child[up];
    sked_order_key key;

    if (rival->is_below) {
        if (!skedi_standing_has(e, rival->row, partition, shape)) return 0;
        if (rival->place == SKEDI_NO_PLACE) return 1;
        key = skedi_standing_key(e, rival->row, partition);
    } else {
        key = skedi_cell_key(e, rival->row, up, partition);
    }
    int order = skedi_order_compare(key, rival->key);
    return order ? order < 0 : place < rival->place;
}

/* Does the entry still come first when its queues hold so much more? If it
 * does, so it does with every part of that. O(families with a rival). */
static int pass_rivals_wait(sked_engine *e, const engine_rivals *rivals,
                            const int64_t *more)
{
    const engine_entry *x = entry_at(e, rivals->entry);
    uint32_t partition = x->cell % e->parts, shape = ask_at(e, x->ask)->shape;
    int wait = 1;

    for (uint32_t i = 0; wait && i < rivals->n; i++) {
        size_t cell = cell_of(e, rivals->at[i].row, partition);
        pass_suppose(e, cell, more, 1);
        wait = pass_comes_first(e, &rivals->at[i], partition, shape);
        pass_suppose(e, cell, more, -1);
    }
    return wait;
}

/*
 * Tasks of one ask that start one after the other on a node, whatever else is
 * looked at in between, start at once: as many as the node and every bound
 * hold, and as leave the ask first. Each of these questions is asked of what
 * the walk itself goes by, as if so many had started; once the answer is no it
 * stays so, so a search by doubling finds how many. Tasks that take nothing
 * move no key and fill no bound in amounts, so what came first stays first.
 */

/* Does the first open task go on from the group that was decided last? */
static int pass_continues_group(sked_engine *e, uint32_t ask, uint32_t node)
{
    const sked_decision *last = skedi_out_last(e);

    return last && last->ask == ask_at(e, ask)->key &&
           last->node == node_at(e, node)->key &&
           last->task + last->count == skedi_ask_first(e, ask);
}

/* Do starts of an ask change nothing but what it holds, what is open and what
 * it counts? */
static int pass_starts_are_plain(const sked_engine *e, uint32_t entry)
{
    const engine_ask *a = ask_at(e, entry_at(e, entry)->ask);

    if (a->open <= 1 || extra_of(e, a)->paid > 0 || a->reserved) return 0;
    return !(a->flags & SKED_ASK_GANG) || skedi_gang_grows(e, a);
}

/* ---- What is counted ---- */

/* Does an ask have a tag? */
static int pass_has_tag(const sked_engine *e, uint32_t ask, uint64_t key)
{
    const uint32_t *tags = NULL;
    uint32_t n = skedi_tags_of(e, ask, &tags);

    while (n > 0 && skedi_tag_key(e, tags[n - 1]) != key) n--;
    return n > 0;
}

/* How many tasks more may be counted before the answer of a term can change. Of
 * a spread only the other values bound that: if this value has the fewest
 * tasks, the least of all grows with it. */
static int64_t pass_changes_after(const sked_engine *e, uint32_t node,
                                  const sked_rule_term *t,
                                  const int64_t *values)
{
    int64_t least = 0, count = skedi_work_of_term(e, node, t, values, &least);

    switch (t->op) {
    case SKED_RULE_OP_AT_MOST:
        return count > t->value ? INT64_MAX : t->value - count + 1;
    case SKED_RULE_OP_AT_LEAST:
        return count >= t->value ? INT64_MAX : t->value - count;
    }
    if (count < 0 || count - t->value >= least) return INT64_MAX;
    least = skedi_work_of_others(e, node, t, values);
    return least == INT64_MAX ? least : t->value - (count - least);
}

/* How many tasks of an ask may start on a node before the answer of a rule that
 * counts them can change: 1 where another rule than the ask's counts, too. */
static int64_t pass_counted_left(const sked_engine *e, uint32_t ask,
                                 uint32_t node)
{
    uint32_t own = shape_at(e, ask_at(e, ask)->shape)->set;
    const uint32_t *tags;
    int64_t left = INT64_MAX;

    if (!e->rules.counting || skedi_tags_of(e, ask, &tags) == 0) return left;
    if (e->rules.counting > 1 || own == SKEDI_NONE || !set_at(e, own)->counts ||
        skedi_soft_of(e, ask)) {
        return 1;
    }
    const engine_rule_set *set = set_at(e, own);
    for (uint32_t i = 0; i < set->n_terms; i++) {
        const sked_rule_term *t = &set->terms[i];
        if (!skedi_rule_is_of_work(t) || !pass_has_tag(e, ask, t->key))
            continue;
        const int64_t *values = t->n > 0 ? set->values + t->first : NULL;
        left = skedi_i64_min(left, pass_changes_after(e, node, t, values));
    }
    return left;
}

int skedi_alike_elsewhere(const sked_engine *e, uint32_t ask)
{
    uint32_t own = shape_at(e, ask_at(e, ask)->shape)->set;
    const uint32_t *tags;

    if (!e->rules.counting || skedi_tags_of(e, ask, &tags) == 0) return 0;
    for (uint32_t i = 0; own != SKEDI_NONE && i < set_at(e, own)->n_terms;
         i++) {
        if (skedi_rule_is_by_key(&set_at(e, own)->terms[i])) return 1;
    }
    return 0;
}

/* How many may start at most, by what is counted of an ask on a node. */
static int64_t pass_most_by_counts(const sked_engine *e, uint32_t ask,
                                   uint32_t node, int64_t most)
{
    const engine_ask *a = ask_at(e, ask);

    most = skedi_i64_min(most, skedi_place_left(e, ask, node));
    most = skedi_i64_min(most, pass_counted_left(e, ask, node));
    if (most <= 1 || !(a->flags & SKED_ASK_GANG)) return most;
    return skedi_gang_allowed(e, ask, node, most);
}

/* ---- What bounds it ---- */

int skedi_takes_nothing(const sked_engine *e, uint32_t shape)
{
    const int64_t *task = engine_row_of(e, &e->shape_task, shape);
    int64_t any = 0;

    for (uint32_t k = 0; k < e->kinds; k++) any |= task[k];
    return any == 0;
}

/* Is the draw of some family on the path another one after a start? */
static int pass_is_drawn(const sked_engine *e, uint32_t row)
{
    while (row > 0) {
        row = (uint32_t)e->rows.parent[row];
        if (e->rows.order[row] == SKED_ORDER_POLICY_RANDOM) return 1;
    }
    return 0;
}

/* An entry of which tasks are to start, with what more of them would take. */
typedef struct alike_starts {
    uint32_t entry;
    engine_rivals rivals;
} alike_starts;

/* Would the user of an entry still be below its limit with so much more? No
 * where its leaf would then measure users by another kind, since what follows
 * from that does not grow with the amount. */
static int pass_user_may(const sked_engine *e, uint32_t entry,
                         const int64_t *more)
{
    const engine_entry *x = entry_at(e, entry);
    const int64_t *held = cell_row(e, e->cell_used, x->cell);
    int64_t used[SKED_MAX_KINDS], own[SKED_MAX_KINDS];

    if (x->account == SKEDI_NONE) return 1;
    for (uint32_t k = 0; k < e->kinds; k++) {
        used[k] = held[k] + more[k];
        own[k] = skedi_account_held(e, x->account, k) + more[k];
    }
    uint32_t partition = x->cell % e->parts;
    if (skedi_lead_of(e, partition, used) != skedi_lead_of(e, partition, held))
        return 0;
    const engine_without then = {.used = used, .own = own};
    return !skedi_account_would_fill(e, x->account, &then);
}

/* Do the queues and trees of limits hold so much more? */
static int pass_limits_hold(const sked_engine *e, uint32_t entry,
                            const int64_t *more)
{
    const engine_entry *x = entry_at(e, entry);
    uint32_t job = ask_at(e, x->ask)->job, kind;

    return skedi_limit_against(e, x->cell / e->parts, x->cell % e->parts, more,
                               &kind) == SKEDI_NONE &&
           skedi_trees_bound(e, job, more, NULL).tree == SKEDI_NONE;
}

/* May one more start, and does it come first, after so many? Where it may not
 * after some number, it may not after more. */
static int pass_one_more(sked_engine *e, const alike_starts *s, int64_t after)
{
    uint32_t shape = ask_at(e, entry_at(e, s->entry)->ask)->shape;
    const int64_t *task = engine_row_of(e, &e->shape_task, shape);
    int64_t before[SKED_MAX_KINDS], with[SKED_MAX_KINDS];

    for (uint32_t k = 0; k < e->kinds; k++) {
        before[k] = task[k] * after;
        with[k] = before[k] + task[k];
    }
    return pass_limits_hold(e, s->entry, with) &&
           pass_user_may(e, s->entry, before) &&
           pass_rivals_wait(e, &s->rivals, before);
}

/* How many tasks start before one may not start or does not come first: from 1,
 * which does, to `most`. Asks O(log of that number) questions. */
static int64_t pass_count_starts(sked_engine *e, const alike_starts *s,
                                 int64_t most)
{
    int64_t after = 0, jump = 1;
    int grows = 1;

    while (jump > 0) {
        if (after + jump < most && pass_one_more(e, s, after + jump))
            after += jump;
        else
            grows = 0;
        jump = grows ? jump * 2 : jump / 2;
    }
    return after + 1;
}

/* `most`, or the fewer tasks that together take less than the largest amount,
 * so that sums with what is held stay within 64 bits. */
static int64_t pass_most_by_amounts(const sked_engine *e, const int64_t *task,
                                    int64_t most)
{
    for (uint32_t k = 0; k < e->kinds; k++) {
        if (task[k] == 0) continue;
        most = skedi_i64_min(most, (SKED_AMOUNT_MAX - 1) / task[k]);
    }
    return most;
}

/* How many of an entry that takes something start; at most `most`. */
static int64_t pass_most_by_order(sked_engine *e, uint32_t entry, uint64_t fit,
                                  int64_t most)
{
    const engine_entry *x = entry_at(e, entry);
    const engine_ask *a = ask_at(e, x->ask);
    alike_starts starts = {.entry = entry};

    /* The bound of masters moves with the demand of others, and a start of one
     * user may unblock another user. */
    if (e->mastered && a->flags & SKED_ASK_MASTER) return 1;
    if (x->account != SKEDI_NONE && e->cells[x->cell].blocked != SKEDI_NONE)
        return 1;
    if (!pass_rivals_find(e, entry, fit, &starts.rivals)) return 1;
    if (x->account == SKEDI_NONE && !e->cells[x->cell].under_bound &&
        job_at(e, a->job)->charge == SKEDI_NONE && starts.rivals.n == 0) {
        return most;
    }
    return pass_count_starts(e, &starts, most);
}

uint32_t skedi_alike_many(sked_engine *e, uint32_t entry, uint32_t node,
                          uint64_t fit, uint64_t most, int passes)
{
    const engine_entry *x = entry_at(e, entry);
    const engine_ask *a = ask_at(e, x->ask);
    const int64_t *free = engine_row_of(e, &e->node_free, node);
    const int64_t *task = engine_row_of(e, &e->shape_task, a->shape);

    if (!pass_starts_are_plain(e, entry)) return 1;
    if (!pass_continues_group(e, x->ask, node)) return 1;
    int nothing = skedi_takes_nothing(e, a->shape);
    if (nothing && pass_is_drawn(e, x->cell / e->parts)) return 1;
    int64_t count = skedi_i64_min(skedi_ask_run(e, x->ask),
                                  INT32_MAX - skedi_out_last(e)->count);
    uint64_t left = skedi_rate_left(e, x->cell / e->parts);
    if (most < (uint64_t)count) count = (int64_t)most;
    if (left < (uint64_t)count) count = (int64_t)left;
    if (count <= 1) return 1;
    count = skedi_fit_times(e, task, free, (uint32_t)count);
    count = pass_most_by_counts(e, x->ask, node, count);
    if (nothing || count <= 1) return (uint32_t)skedi_i64_max(count, 1);
    if (passes) fit = skedi_classes_fit(e, x->cell % e->parts, fit, free);
    count = pass_most_by_amounts(e, task, count);
    return (uint32_t)pass_most_by_order(e, entry, fit, count);
}

/*
 * A search with the children of every family in the order in which they would
 * be served, each as one that is below its guarantee and as one that is not.
 * Its depth is that of the tree.
 */

typedef struct engine_descent {
    sked_engine *e;
    uint32_t partition;
    uint32_t n; /* queues above that go first for being below */
    uint32_t below[SKED_MAX_DEPTH + 1];
} engine_descent;

static uint32_t pass_descend_row(engine_descent *d, uint32_t row, uint64_t fit);

/* ---- Leaves ---- */

/* Is an entry one by which all queues above it that go first do so? */
static int pass_puts_them_first(const engine_descent *d, uint32_t entry)
{
    uint32_t shape = ask_at(d->e, entry_at(d->e, entry)->ask)->shape;

    for (uint32_t i = 0; i < d->n; i++) {
        if (!skedi_standing_has(d->e, d->below[i], d->partition, shape)) {
            return 0;
        }
    }
    return 1;
}

/* The first entry of a leaf by `fit` that will do; SKEDI_NONE. */
static uint32_t pass_descend_leaf(const engine_descent *d, uint32_t row,
                                  uint64_t fit)
{
    const sked_engine *e = d->e;
    const engine_cell *cell = &e->cells[cell_of(e, row, d->partition)];
    uint32_t best = SKEDI_NONE;

    if (d->n == 0) return skedi_line_first(e, cell, fit);
    for (uint32_t at = skedi_line_next(cell, 0, fit); at != SKEDI_NO_PLACE;
         at = skedi_line_next(cell, at + 1, fit)) {
        uint32_t entry = cell->entry[at];
        if (!pass_puts_them_first(d, entry)) continue;
        if (cell->steady) return entry;
        if (best == SKEDI_NONE || skedi_entry_before(e, entry, best)) {
            best = entry;
        }
    }
    return best;
}

/* ---- Families ---- */

/* A child in one of its two standings. */
typedef struct engine_turn {
    sked_order_key key;
    uint32_t row;
    uint32_t behind;  /* 0: it goes first for being below; 1: by the order */
    uint32_t urgency; /* with order `priority` */
} engine_turn;

static int pass_turn_before(const engine_turn *a, const engine_turn *b)
{
    if (a->urgency != b->urgency) return a->urgency < b->urgency;
    if (a->behind != b->behind) return a->behind < b->behind;
    int order = skedi_order_compare(a->key, b->key);
    return order ? order < 0 : a->row < b->row;
}

static engine_turn pass_turn_of(const engine_descent *d, uint32_t row,
                                uint32_t up, uint32_t behind)
{
    const sked_engine *e = d->e;
    size_t cell = cell_of(e, row, d->partition);
    engine_turn turn = {.row = row, .behind = behind};

    turn.key = behind ? e->cell_order[cell] : e->cell_standing[cell].owed;
    if (behind && e->rows.order[up] == SKED_ORDER_POLICY_RANDOM) {
        turn.key.low = skedi_chance_of(e, row, d->partition);
    }
    if (e->rows.order[up] == SKED_ORDER_POLICY_PRIORITY) {
        turn.urgency = skedi_order_urgency(e->rows.priority[row]);
    }
    return turn;
}

/* The next turn of a family after `last` (NULL: the first) by a class in `fit`.
 * 0: there is none. */
static int pass_next_turn(const engine_descent *d, uint32_t up, uint64_t fit,
                          const engine_turn *last, engine_turn *next)
{
    size_t cell = cell_of(d->e, up, d->partition);
    uint32_t from = d->e->rows.first_child[up];
    int any = 0;

    for (uint32_t behind = 0; behind < 2; behind++) {
        const skedi_tourney *t = behind ? &d->e->cells[cell].turn
                                        : &d->e->cell_standing[cell].below;
        if (!(skedi_tourney_all(t) & fit)) continue;
        for (uint32_t at = skedi_tourney_next(t, 0, fit); at != SKEDI_NO_PLACE;
             at = skedi_tourney_next(t, at + 1, fit)) {
            engine_turn turn = pass_turn_of(d, from + at, up, behind);
            if (last && !pass_turn_before(last, &turn)) continue;
            if (any && !pass_turn_before(&turn, next)) continue;
            *next = turn;
            any = 1;
        }
    }
    return any;
}

static uint32_t pass_descend_turn(engine_descent *d, const engine_turn *turn,
                                  uint32_t up, uint64_t fit)
{
    const skedi_tourney
        *below = &d->e->cell_standing[cell_of(d->e, up, d->partition)].below;
    uint32_t place = turn->row - d->e->rows.first_child[up];

    d->e->stats.queues_visited++;
    if (turn->behind) return pass_descend_row(d, turn->row, fit);
    d->below[d->n++] = turn->row;
    uint32_t found = pass_descend_row(d, turn->row,
                                      fit & skedi_tourney_mask(below, place));
    d->n--;
    return found;
}

static uint32_t pass_descend_row(engine_descent *d, uint32_t row, uint64_t fit)
{
    engine_turn turn, last;
    uint32_t found = SKEDI_NONE;

    fit &= ~d->e->cells[cell_of(d->e, row, d->partition)].full;
    if (row_is_leaf(d->e, row)) return pass_descend_leaf(d, row, fit);
    int any = pass_next_turn(d, row, fit, NULL, &turn);
    while (any && found == SKEDI_NONE) {
        found = pass_descend_turn(d, &turn, row, fit);
        last = turn;
        any = pass_next_turn(d, row, fit, &last, &turn);
    }
    return found;
}

uint32_t skedi_descend(sked_engine *e, uint32_t partition, uint64_t fit)
{
    engine_descent d = {.e = e, .partition = partition};

    return pass_descend_row(&d, 0, fit);
}
