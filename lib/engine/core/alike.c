/*
 * Tasks of one ask that start one after the other on a node, whatever else is
 * looked at in between, start at once: as many as the node and every bound
 * hold, and as leave the ask first. Each of these questions is asked of what
 * the walk itself goes by, as if so many had started; once the answer is no it
 * stays so, so a search by doubling finds how many. Tasks that take nothing
 * move no key and fill no bound in amounts, so what came first stays first.
 */
#include "engine/core/alike.h"

#include "engine/alloc.h"
#include "engine/work.h"
#include "engine/decision.h"
#include "engine/exclusion.h"
#include "engine/core/rivals.h"
#include "engine/gang.h"
#include "engine/budget.h"
#include "engine/domains.h"
#include "engine/gang_fit.h"
#include "engine/order/keys.h"
#include "engine/pending.h"
#include "engine/soft_rules.h"
#include "engine/steps.h"
#include "rule/judge.h"

/* Does the first open task go on from the group that was decided last? */
static int continues_group(sked_engine *e, uint32_t ask, uint32_t node)
{
    const sked_decision *last = skedi_out_last(e);

    return last && last->ask == ask_at(e, ask)->key &&
           last->node == node_at(e, node)->key &&
           last->task + last->count == skedi_ask_first(e, ask);
}

/* Do starts of an ask change nothing but what it holds, what is open and what
 * it counts? */
static int starts_are_plain(const sked_engine *e, uint32_t entry)
{
    const engine_ask *a = ask_at(e, entry_at(e, entry)->ask);

    if (a->open <= 1 || extra_of(e, a)->paid > 0 || a->reserved) return 0;
    return !(a->flags & SKED_ASK_GANG) || skedi_gang_grows(e, a);
}

/* ---- What is counted ---- */

/* Does an ask have a tag? */
static int has_tag(const sked_engine *e, uint32_t ask, uint64_t key)
{
    const uint32_t *tags = NULL;
    uint32_t n = skedi_tags_of(e, ask, &tags);

    while (n > 0 && skedi_tag_key(e, tags[n - 1]) != key) n--;
    return n > 0;
}

/* How many tasks more may be counted before the answer of a term can change. Of
 * a spread only the other values bound that: if this value has the fewest
 * tasks, the least of all grows with it. */
static int64_t changes_after(const sked_engine *e, uint32_t node,
                             const sked_rule_term *t, const int64_t *values)
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
static int64_t counted_left(const sked_engine *e, uint32_t ask, uint32_t node)
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
        if (!skedi_rule_is_of_work(t) || !has_tag(e, ask, t->key)) continue;
        const int64_t *values = t->n > 0 ? set->values + t->first : NULL;
        left = skedi_i64_min(left, changes_after(e, node, t, values));
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
static int64_t most_by_counts(const sked_engine *e, uint32_t ask, uint32_t node,
                              int64_t most)
{
    const engine_ask *a = ask_at(e, ask);

    most = skedi_i64_min(most, skedi_place_left(e, ask, node));
    most = skedi_i64_min(most, counted_left(e, ask, node));
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
static int is_drawn(const sked_engine *e, uint32_t row)
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
static int user_may(const sked_engine *e, uint32_t entry, const int64_t *more)
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
static int limits_hold(const sked_engine *e, uint32_t entry,
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
static int one_more(sked_engine *e, const alike_starts *s, int64_t after)
{
    uint32_t shape = ask_at(e, entry_at(e, s->entry)->ask)->shape;
    const int64_t *task = engine_row_of(e, &e->shape_task, shape);
    int64_t before[SKED_MAX_KINDS], with[SKED_MAX_KINDS];

    for (uint32_t k = 0; k < e->kinds; k++) {
        before[k] = task[k] * after;
        with[k] = before[k] + task[k];
    }
    return limits_hold(e, s->entry, with) && user_may(e, s->entry, before) &&
           skedi_rivals_wait(e, &s->rivals, before);
}

/* How many tasks start before one may not start or does not come first: from 1,
 * which does, to `most`. Asks O(log of that number) questions. */
static int64_t count_starts(sked_engine *e, const alike_starts *s, int64_t most)
{
    int64_t after = 0, jump = 1;
    int grows = 1;

    while (jump > 0) {
        if (after + jump < most && one_more(e, s, after + jump))
            after += jump;
        else
            grows = 0;
        jump = grows ? jump * 2 : jump / 2;
    }
    return after + 1;
}

/* `most`, or the fewer tasks that together take less than the largest amount,
 * so that sums with what is held stay within 64 bits. */
static int64_t most_by_amounts(const sked_engine *e, const int64_t *task,
                               int64_t most)
{
    for (uint32_t k = 0; k < e->kinds; k++) {
        if (task[k] == 0) continue;
        most = skedi_i64_min(most, (SKED_AMOUNT_MAX - 1) / task[k]);
    }
    return most;
}

/* How many of an entry that takes something start; at most `most`. */
static int64_t most_by_order(sked_engine *e, uint32_t entry, uint64_t fit,
                             int64_t most)
{
    const engine_entry *x = entry_at(e, entry);
    const engine_ask *a = ask_at(e, x->ask);
    alike_starts starts = {.entry = entry};

    /* The tags of order `deficit` move with every start, the bound of masters
     * with what others want, and what one user is given may let in another. */
    if (e->rows.tagged || (e->mastered && a->flags & SKED_ASK_MASTER)) return 1;
    if (x->account != SKEDI_NONE && e->cells[x->cell].blocked != SKEDI_NONE)
        return 1;
    if (!skedi_rivals_find(e, entry, fit, &starts.rivals)) return 1;
    if (x->account == SKEDI_NONE && !e->cells[x->cell].under_bound &&
        job_at(e, a->job)->charge == SKEDI_NONE && starts.rivals.n == 0) {
        return most;
    }
    return count_starts(e, &starts, most);
}

uint32_t skedi_alike_many(sked_engine *e, uint32_t entry, uint32_t node,
                          uint64_t fit, uint64_t most, int passes)
{
    const engine_entry *x = entry_at(e, entry);
    const engine_ask *a = ask_at(e, x->ask);
    const int64_t *free = engine_row_of(e, &e->node_free, node);
    const int64_t *task = engine_row_of(e, &e->shape_task, a->shape);

    if (!starts_are_plain(e, entry)) return 1;
    if (!continues_group(e, x->ask, node)) return 1;
    int nothing = skedi_takes_nothing(e, a->shape);
    if (nothing && is_drawn(e, x->cell / e->parts)) return 1;
    int64_t count = skedi_i64_min(skedi_ask_run(e, x->ask),
                                  INT32_MAX - skedi_out_last(e)->count);
    uint64_t left = skedi_rate_left(e, x->cell / e->parts);
    if (most < (uint64_t)count) count = (int64_t)most;
    if (left < (uint64_t)count) count = (int64_t)left;
    if (count <= 1) return 1;
    count = skedi_fit_times(e, task, free, (uint32_t)count);
    count = most_by_counts(e, x->ask, node, count);
    if (nothing || count <= 1) return (uint32_t)skedi_i64_max(count, 1);
    if (passes) fit = skedi_classes_fit(e, x->cell % e->parts, fit, free);
    count = most_by_amounts(e, task, count);
    return (uint32_t)most_by_order(e, entry, fit, count);
}
