/* What is reserved for a gang over nodes that forms. */
#include "ref_engine_forms.h"
#include "ref_engine_alone.h"
#include "ref_engine_may.h"

#include "base/arith.h"

static int is_of(const ref_engine *r, size_t node, uint32_t partition)
{
    return r->node[node].formed > 0 && r->node[node].formed_in == partition;
}

void ref_forming_drop(ref_engine *r, uint32_t partition)
{
    for (size_t n = 0; n < r->nodes; n++) {
        if (is_of(r, n, partition)) r->node[n].formed = 0;
    }
    r->forming[partition].on = 0;
}

void ref_forming_started(ref_engine *r, size_t ask)
{
    for (uint32_t p = 0; p < r->parts; p++) {
        if (r->forming[p].on && r->forming[p].ask == ask) {
            ref_forming_drop(r, p);
        }
    }
}

size_t ref_forming_bare(const ref_engine *r)
{
    size_t bare = 0;

    for (size_t n = 0; n < r->nodes; n++) {
        size_t i = 0;
        while (i < r->groups &&
               (r->group[i].state == REF_OVER || r->group[i].node != n)) {
            i++;
        }
        bare += i == r->groups;
    }
    return bare;
}

void ref_forming_look_again(ref_engine *r, size_t bare)
{
    if (ref_forming_bare(r) == bare) return;
    for (size_t i = 0; i < r->asks; i++) {
        if (ref_engine_alone(&r->ask[i])) r->ask[i].passed = 0;
    }
}

static int still_forms(const ref_engine *r, uint32_t partition)
{
    const ref_ask *a = &r->ask[r->forming[partition].ask];

    return !a->forgotten && ref_engine_open(a) > 0 && ref_engine_lacks(a) > 0 &&
           ref_engine_in_line(r, a, partition);
}

void ref_forming_begin(ref_engine *r, uint32_t partition, size_t node)
{
    ref_forming *f = &r->forming[partition];
    int64_t most = r->opts.form_for_ns;

    for (size_t i = 0; i < r->asks; i++) r->ask[i].passed = 0;
    r->form_first = SIZE_MAX;
    r->form_came = 0;
    if (r->opts.form_nodes == 0 || !f->on) return;
    int over = most > 0 && r->now - f->since >= most;
    if (over && still_forms(r, partition)) {
        f->resting = f->ask + 1;
        f->rests = r->now + most;
    }
    if (over || !still_forms(r, partition)) ref_forming_drop(r, partition);
    for (size_t n = 0; n < r->nodes; n++) {
        if (!is_of(r, n, partition)) continue;
        if (node == SIZE_MAX || node == n) r->node[n].formed_given = 1;
    }
}

/* Why an ask whose tasks have nodes to themselves may not start: would bounds
 * not hold as many of the smallest nodes, kind by kind, as it needs? */
static int bounds_refuse(const ref_engine *r, size_t ask, uint32_t partition)
{
    const ref_ask *a = &r->ask[ask];
    int64_t each = a->flags & SKED_ASK_EXACT ? a->per_node : 1;
    int64_t lacks = ref_engine_lacks(a), all[REF_KINDS], sum[REF_KINDS];
    int64_t nodes = lacks / each + (lacks % each > 0);
    int any = 0;

    for (size_t n = 0; n < r->nodes; n++) {
        int fits = !r->node[n].gone && r->node[n].partition == partition;
        for (uint32_t k = 0; k < r->kinds; k++) {
            int64_t own = r->node[n].capacity[k];
            if (a->task[k] == 0) continue;
            fits &= own / a->task[k] >= (lacks % each ? lacks % each : each);
        }
        if (!fits) continue;
        ref_engine_all_of(r, a, n, all);
        for (uint32_t k = 0; k < r->kinds; k++) {
            sum[k] = any ? skedi_i64_min(sum[k], all[k]) : all[k];
        }
        any = 1;
    }
    for (uint32_t k = 0; k < r->kinds; k++) {
        if (!any || (sum[k] > 0 && nodes > SKED_AMOUNT_MAX / sum[k])) return 1;
        sum[k] *= nodes;
    }
    return !ref_engine_bounds_hold(r, ask, partition, sum);
}

/* Of `left` tasks. */
static int64_t takes_on(const ref_engine *r, size_t ask, size_t node,
                        uint32_t partition, const int64_t *value, int64_t left)
{
    const ref_ask *a = &r->ask[ask];
    if (value && !ref_engine_has_value(r, node, a->same, *value)) return 0;
    int64_t may = ref_engine_tasks_on(r, ask, node, partition);
    int begun = ref_engine_there_on(r, ask, node) > 0;

    may = skedi_i64_max(skedi_i64_min(may, left), 0);
    if (!(a->flags & SKED_ASK_EXACT) || begun) return may;
    if (may >= a->per_node) return a->per_node;
    return may == left ? may : 0;
}

static int is_shared(const ref_ask *a)
{
    return a->same != 0 && !(a->flags & SKED_ASK_PREFER_SAME);
}

/* How many tasks of an ask the nodes of a value take; -1: they could not hold
 * it. */
static int64_t taken_at(const ref_engine *r, size_t ask, uint32_t partition,
                        int64_t value)
{
    int64_t sum = 0;

    if (!ref_engine_runs_within(r, ask, value) ||
        !ref_engine_could_form_in(r, ask, r->ask[ask].times, partition,
                                  &value)) {
        return -1;
    }
    for (size_t n = 0; n < r->nodes; n++) {
        sum += takes_on(r, ask, n, partition, &value, r->ask[ask].times);
    }
    return sum;
}

/* The value on which an ask forms; 0: there is none. */
static int best_value(const ref_engine *r, size_t ask, uint32_t partition,
                      int64_t *best)
{
    int64_t most = -1, value = 0, last = 0;

    for (size_t n = 0; n < r->nodes; n++) {
        const int64_t *above = NULL;
        if (r->node[n].gone || r->node[n].partition != partition) continue;
        while (ref_engine_next_value(r, n, r->ask[ask].same, above, &value)) {
            int64_t here = taken_at(r, ask, partition, value);
            if (here > most || (here == most && here >= 0 && value < *best)) {
                most = here;
                *best = value;
            }
            last = value;
            above = &last;
        }
    }
    return most >= 0;
}

static int may_form(const ref_engine *r, size_t ask, uint32_t partition,
                    int64_t *value)
{
    const ref_ask *a = &r->ask[ask];
    const ref_forming *f = &r->forming[partition];

    if (f->resting == ask + 1 && r->now < f->rests) return 0;
    if (ref_engine_alone(a) && (ref_engine_forms(r, ask, partition) ||
                                bounds_refuse(r, ask, partition))) {
        return 0;
    }
    if (!ref_engine_could_form_in(r, ask, a->times, partition, NULL)) return 0;
    if (!is_shared(a)) return 1;
    if (f->on && f->ask == ask) {
        return taken_at(r, ask, partition, f->value) >= 0;
    }
    return best_value(r, ask, partition, value);
}

static void reserve_on(ref_engine *r, size_t ask, uint32_t partition,
                       size_t node)
{
    int64_t left = ref_engine_lacks(&r->ask[ask]);
    int had = is_of(r, node, partition), begun = 0;
    int exact = (r->ask[ask].flags & SKED_ASK_EXACT) != 0;
    uint32_t nodes = 0;

    if (exact) {
        int64_t made = ref_engine_made(r, ask, partition);
        begun = ref_engine_there_on(r, ask, node) > 0;
        left = begun ? made : left - made;
    }
    for (size_t n = 0; n < r->nodes; n++) {
        if (!is_of(r, n, partition)) continue;
        nodes++;
        int like = !exact || (ref_engine_there_on(r, ask, n) > 0) == begun;
        if (n != node && like) left -= r->node[n].formed;
    }
    r->node[node].formed_given = 1;
    const ref_forming *f = &r->forming[partition];
    int64_t may = takes_on(r, ask, node, partition,
                           f->shared ? &f->value : NULL, left);
    if (!had && nodes >= r->opts.form_nodes) may = 0;
    r->node[node].formed = may;
    r->node[node].formed_in = partition;
    r->node[node].formed_given = 0;
}

static void give_all(ref_engine *r, uint32_t partition, int given)
{
    for (size_t n = 0; n < r->nodes; n++) {
        if (is_of(r, n, partition)) r->node[n].formed_given = given;
    }
}

static int starts(const ref_engine *r, size_t ask, uint32_t partition)
{
    int64_t all[REF_KINDS];

    if (!ref_engine_forms(r, ask, partition)) return 0;
    return !ref_engine_alone(&r->ask[ask]) ||
           ref_engine_bounds_hold(
               r, ask, partition,
               ref_engine_all_at_once(r, ask, partition, all));
}

int ref_forming_turn(ref_engine *r, size_t ask, uint32_t partition, size_t node)
{
    ref_forming *f = &r->forming[partition];
    int own = f->on && f->ask == ask, all = node == SIZE_MAX;

    if (own && !r->form_came) give_all(r, partition, 1);
    if (starts(r, ask, partition)) return 1;
    r->ask[ask].passed = 1;
    if (r->form_came) return 0;
    int64_t value = own ? f->value : 0;
    int may = may_form(r, ask, partition, &value);
    int here = own || all || !is_shared(&r->ask[ask]) ||
               ref_engine_has_value(r, node, r->ask[ask].same, value);
    if (may && here && r->form_first == SIZE_MAX) {
        r->form_first = ask;
        r->form_value = value;
    }
    if (own && !may) ref_forming_drop(r, partition);
    if (!(own && may) && !(may && here && (!f->on || all))) return 0;
    int again = f->on && f->ask == r->form_first;
    if (!again || all) ref_forming_drop(r, partition);
    if (!again) {
        f->since = r->now;
        f->ask = r->form_first;
        f->shared = is_shared(&r->ask[f->ask]);
        f->value = r->form_value;
        r->formings++;
    }
    f->on = r->form_came = 1;
    for (size_t n = 0; n < r->nodes; n++) {
        if (r->node[n].gone || r->node[n].partition != partition) continue;
        if (all || n == node) reserve_on(r, f->ask, partition, n);
    }
    give_all(r, partition, 0);
    return 0;
}

void ref_forming_end(ref_engine *r, uint32_t partition, size_t node, int cut)
{
    ref_forming *f = &r->forming[partition];
    const int64_t *value = f->shared ? &f->value : NULL;
    int any = 0;

    for (size_t n = 0; f->on && n < r->nodes; n++) {
        if (!is_of(r, n, partition)) continue;
        if (r->node[n].formed_given && (node == SIZE_MAX || node == n)) {
            int64_t left = r->node[n].formed;
            r->node[n].formed = cut ? takes_on(r, f->ask, n, partition, value,
                                               left)
                                    : 0;
        }
        r->node[n].formed_given = 0;
        any |= r->node[n].formed > 0;
    }
    if (f->on && !any) ref_forming_drop(r, partition);
}

void ref_forming_look(ref_engine *r)
{
    for (size_t i = 0; i < r->nodes; i++) {
        ref_node *n = &r->node[i];
        if (n->gone || n->drains || n->barred || n->partition != n->formed_in) {
            n->formed = 0;
        }
    }
}
