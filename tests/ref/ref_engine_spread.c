/* Gangs over nodes: computed anew each time from what every node has. */
#include "ref_engine_forms.h"
#include "ref_engine_alone.h"
#include "ref_engine_may.h"

#include <stdlib.h>

#include "base/arith.h"

int64_t ref_engine_lacks(const ref_ask *a)
{
    int64_t open = ref_engine_open(a);

    if (!a->per_node) return 0;
    if (open > a->later || !(a->flags & SKED_ASK_EXACT) || open == 0) {
        return skedi_i64_max(open - a->later, 0);
    }
    return open % a->per_node ? open % a->per_node : a->per_node;
}

/* How many tasks of an ask so much holds. */
static int64_t tasks_in(const ref_engine *r, const ref_ask *a,
                        const int64_t *amounts)
{
    int64_t n = 0;

    while (n < a->per_node && n < ref_engine_open(a)) {
        for (uint32_t k = 0; k < r->kinds; k++) {
            if (a->task[k] == 0) continue;
            if (amounts[k] / a->task[k] <= n) return n;
        }
        n++;
    }
    return n;
}

/* How many of an ask are on a node. */
int64_t ref_engine_there_on(const ref_engine *r, size_t ask, size_t node)
{
    int64_t sum = 0;

    for (size_t i = 0; i < r->groups; i++) {
        const ref_group *g = &r->group[i];
        int there = g->state != REF_OVER && g->ask == ask && g->node == node;
        if (there) sum += g->count;
    }
    return sum;
}

/* How many more it may have on a node. */
static int64_t left_on(const ref_engine *r, size_t ask, size_t node)
{
    int64_t left = r->ask[ask].per_node;

    return left == 0 ? 1 /* no such gang */
                     : left - ref_engine_there_on(r, ask, node);
}

int ref_engine_has_value(const ref_engine *r, size_t node, uint64_t key,
                         int64_t value)
{
    for (size_t i = 0; i < r->node[node].n_attributes; i++) {
        const sked_rule_attribute *own = &r->node[node].attributes[i];
        if (own->key == key && own->value == value) return 1;
    }
    return 0;
}

int ref_engine_runs_within(const ref_engine *r, size_t ask, int64_t value)
{
    for (size_t i = 0; i < r->groups; i++) {
        const ref_group *g = &r->group[i];
        if (g->state == REF_OVER || g->ask != ask) continue;
        if (!ref_engine_has_value(r, g->node, r->ask[ask].same, value))
            return 0;
    }
    return 1;
}

int ref_engine_next_value(const ref_engine *r, size_t node, uint64_t key,
                          const int64_t *above, int64_t *value)
{
    int any = 0;

    for (size_t i = 0; i < r->node[node].n_attributes; i++) {
        const sked_rule_attribute *own = &r->node[node].attributes[i];
        if (own->key != key || (above && own->value <= *above)) continue;
        if (any && own->value >= *value) continue;
        *value = own->value;
        any = 1;
    }
    return any;
}

/* Does it only prefer nodes that share a value? */
static int is_soft(const ref_engine *r, size_t ask)
{
    return (r->ask[ask].flags & SKED_ASK_PREFER_SAME) != 0;
}

int ref_engine_grows_on(const ref_engine *r, size_t ask, size_t node)
{
    uint64_t key = r->ask[ask].same;
    int64_t value = 0, last = 0;
    const int64_t *above = NULL;

    if (left_on(r, ask, node) <= 0) return 0;
    if (key == 0 || is_soft(r, ask)) return 1;
    while (ref_engine_next_value(r, node, key, above, &value)) {
        if (ref_engine_runs_within(r, ask, value)) return 1;
        last = value;
        above = &last;
    }
    return 0;
}

/* How many of its tasks a node takes now. */
int64_t ref_engine_tasks_on(const ref_engine *r, size_t ask, size_t node,
                            uint32_t partition)
{
    const ref_node *n = &r->node[node];
    int64_t free[REF_KINDS];

    if (n->gone || n->drains || n->barred || n->partition != partition) {
        return 0;
    }
    if (!ref_engine_lets(r, ask, node)) return 0;
    ref_engine_open_on(r, node, free);
    int64_t fit = tasks_in(r, &r->ask[ask], free);
    return skedi_i64_max(skedi_i64_min(fit, left_on(r, ask, node)), 0);
}

/* Gives each node (or those with the value) as many as it takes, in order. */
static int64_t deal_any(const ref_engine *r, size_t ask, uint32_t partition,
                        const int64_t *value, int64_t *on)
{
    int64_t left = ref_engine_lacks(&r->ask[ask]);

    for (size_t n = 0; n < r->nodes && left > 0; n++) {
        on[n] = 0;
        if (value && !ref_engine_has_value(r, n, r->ask[ask].same, *value))
            continue;
        on[n] = skedi_i64_min(ref_engine_tasks_on(r, ask, n, partition), left);
        left -= on[n];
    }
    return left;
}

/* Gives nodes where some are already up to `made` of what is left, other ones
 * `each` or nothing, and one of them `part`. What stays is returned. */
static int64_t deal_parts(const ref_engine *r, size_t ask, uint32_t partition,
                          const int64_t *value, int64_t *on, int64_t made,
                          int64_t part)
{
    int64_t each = r->ask[ask].per_node;
    int64_t left = ref_engine_lacks(&r->ask[ask]) - made - part;

    for (size_t n = 0; n < r->nodes; n++) {
        on[n] = 0;
        if (value && !ref_engine_has_value(r, n, r->ask[ask].same, *value))
            continue;
        int64_t may = ref_engine_tasks_on(r, ask, n, partition);
        if (ref_engine_there_on(r, ask, n) > 0) {
            on[n] = skedi_i64_min(may, made);
            made -= on[n];
        } else if (left > 0 && may >= each) {
            on[n] = each;
            left -= each;
        } else if (part > 0 && may >= part) {
            on[n] = part;
            part = 0;
        }
    }
    return left + made + part;
}

/* What nodes lack of an exact gang by what they have of it. Nothing where no
 * task of it may ever come, as things stand: there is nothing to wait for. */
static int64_t lacking(const ref_engine *r, size_t ask, uint32_t partition)
{
    int64_t sum = 0;

    if (r->ask[ask].flags & SKED_ASK_EXCLUSIVE) return 0;
    for (size_t n = 0; n < r->nodes; n++) {
        int64_t there = ref_engine_there_on(r, ask, n);
        if (there == 0 || r->node[n].partition != partition) continue;
        if (!ref_engine_may_come(r, ask, n)) continue;
        sum += skedi_i64_max(r->ask[ask].per_node - there, 0);
    }
    return sum;
}

int64_t ref_engine_made(const ref_engine *r, size_t ask, uint32_t partition)
{
    int64_t all = ref_engine_lacks(&r->ask[ask]);
    int64_t made = skedi_i64_min(lacking(r, ask, partition), all);

    while (made > 0 && (all - made) % r->ask[ask].per_node) made--;
    return made;
}

/* As many as can be go where some are, so that nodes take the rest whole. */
static int64_t deal_exact(const ref_engine *r, size_t ask, uint32_t partition,
                          const int64_t *value, int64_t *on)
{
    int64_t each = r->ask[ask].per_node, all = ref_engine_lacks(&r->ask[ask]);
    int64_t most = skedi_i64_min(all, each * (int64_t)r->nodes);

    for (int64_t made = most; made >= 0; made--) {
        if ((all - made) % each) continue;
        if (deal_parts(r, ask, partition, value, on, made, 0) == 0) return 0;
    }
    if (all % each == 0 || lacking(r, ask, partition) >= all % each) return 1;
    return deal_parts(r, ask, partition, value, on, 0, all % each);
}

/* How many of what an ask lacks each node takes, or (`value`) each that has it;
 * 0: they do not take all. */
static int deal(const ref_engine *r, size_t ask, uint32_t partition,
                const int64_t *value, int64_t *on)
{
    for (size_t n = 0; n < r->nodes; n++) on[n] = 0;
    return (r->ask[ask].flags & SKED_ASK_EXACT
                ? deal_exact(r, ask, partition, value, on)
                : deal_any(r, ask, partition, value, on)) <= 0;
}

static int64_t *new_deal(const ref_engine *r)
{
    int64_t *on = calloc(r->nodes + 1, sizeof *on);

    if (!on) abort();
    return on;
}

static int enough(const ref_engine *r, size_t ask, uint32_t partition,
                  const int64_t *value)
{
    int64_t *on = new_deal(r);
    int may = deal(r, ask, partition, value, on);

    free(on);
    return may;
}

/* The value that an ask starts at. 0: there is none. */
static int find_value(const ref_engine *r, size_t ask, uint32_t partition,
                      int64_t *value)
{
    for (size_t n = 0; n < r->nodes; n++) {
        const int64_t *above = NULL;
        int64_t last;
        if (ref_engine_tasks_on(r, ask, n, partition) == 0) continue;
        while (ref_engine_next_value(r, n, r->ask[ask].same, above, value)) {
            if (ref_engine_runs_within(r, ask, *value) &&
                enough(r, ask, partition, value)) {
                return 1;
            }
            last = *value;
            above = &last;
        }
    }
    return 0;
}

int ref_engine_forms(const ref_engine *r, size_t ask, uint32_t partition)
{
    int64_t value;

    if (r->ask[ask].same && !is_soft(r, ask)) {
        return find_value(r, ask, partition, &value);
    }
    return enough(r, ask, partition, NULL);
}

int ref_engine_could_form_in(const ref_engine *r, size_t ask, int64_t tasks,
                             uint32_t partition, const int64_t *value)
{
    const ref_ask *a = &r->ask[ask];
    int any = 0, even = a->flags & SKED_ASK_EXACT && tasks % a->per_node == 0;
    int64_t sum = 0;

    for (size_t n = 0; n < r->nodes; n++) {
        even &= ref_engine_there_on(r, ask, n) == 0;
    }
    for (size_t i = 0; i < r->nodes; i++) {
        const ref_node *n = &r->node[i];
        if (n->gone || n->partition != partition) continue;
        any = 1;
        if (value && !ref_engine_has_value(r, i, a->same, *value)) continue;
        int64_t most = INT32_MAX;
        for (uint32_t k = 0; k < r->kinds; k++) {
            if (a->task[k] == 0) continue;
            most = skedi_i64_min(most, n->capacity[k] / a->task[k]);
        }
        if (even && most < a->per_node) continue;
        sum += skedi_i64_min(most, a->per_node);
    }
    return !any || sum >= tasks;
}

int ref_engine_could_form(const ref_engine *r, size_t ask, int64_t tasks)
{
    const ref_ask *a = &r->ask[ask];
    int any = 0, could = 0;

    for (uint32_t p = 0; p < REF_PARTS; p++) {
        if (a->partition != p && a->partition != SKED_ANY_PARTITION) continue;
        int here = 0;
        for (size_t i = 0; i < r->nodes; i++) {
            here |= !r->node[i].gone && r->node[i].partition == p;
        }
        any |= here;
        could |= here && ref_engine_could_form_in(r, ask, tasks, p, NULL);
    }
    return could || !any;
}

const int64_t *ref_engine_all_at_once(const ref_engine *r, size_t ask,
                                      uint32_t partition, int64_t *all)
{
    int64_t value = 0, one[REF_KINDS], *on = new_deal(r);
    uint64_t same = r->ask[ask].same;

    for (uint32_t k = 0; k < r->kinds; k++) all[k] = 0;
    if (same && !find_value(r, ask, partition, &value)) same = 0;
    if (!deal(r, ask, partition, same ? &value : NULL, on)) abort();
    for (size_t n = 0; n < r->nodes; n++) {
        if (on[n] == 0) continue;
        ref_engine_all_of(r, &r->ask[ask], n, one);
        for (uint32_t k = 0; k < r->kinds; k++) all[k] += one[k];
    }
    free(on);
    return all;
}

void ref_engine_start_all(ref_engine *r, size_t ask, uint32_t partition)
{
    sked_time since = r->ask[ask].since; /* the wait of all of it */
    uint64_t same = r->ask[ask].same;
    int64_t value = 0, *on = new_deal(r);

    if (same && !find_value(r, ask, partition, &value)) {
        if (!is_soft(r, ask)) abort();
        same = 0;
    }

    if (!deal(r, ask, partition, same ? &value : NULL, on)) abort();
    for (size_t n = 0; n < r->nodes; n++) {
        if (on[n] == 0) continue;
        while (on[n] > 0) {
            int64_t run = skedi_i64_min(r->ask[ask].ranges[0].count, on[n]);
            ref_engine_group(r, ask, n, run, SKED_REASON_GANG);
            on[n] -= run;
        }
        if (ref_engine_open(&r->ask[ask]) == 0) break;
        r->ask[ask].since = since;
    }
    free(on);
    ref_engine_reform(r, &r->ask[ask]);
}

void ref_engine_reform(ref_engine *r, ref_ask *a)
{
    if (!a->per_node || ref_engine_open(a) == 0) return;
    int64_t times = skedi_i64_max(ref_engine_lacks(a), 1);
    if (times == a->times) return;
    a->times = times;
    for (uint32_t k = 0; k < r->kinds; k++) a->step[k] = a->task[k] * times;
    for (uint32_t p = 0; p < REF_PARTS; p++) {
        r->shares[p].moved |= ref_engine_in_line(r, a, p);
    }
    for (size_t i = 0; i < r->groups; i++) {
        const ref_group *g = &r->group[i];
        if (g->state == REF_OVER || &r->ask[g->ask] != a) continue;
        r->shares[r->node[g->node].partition].moved = 1;
    }
}

/* Has it groups in one of two states? */
static int has_groups(const ref_engine *r, size_t ask, int one, int other)
{
    for (size_t i = 0; i < r->groups; i++) {
        const ref_group *g = &r->group[i];
        if (g->ask == ask && (g->state == one || g->state == other)) return 1;
    }
    return 0;
}

void ref_engine_lost(ref_engine *r, size_t ask)
{
    ref_ask *a = &r->ask[ask];

    if (!(a->flags & SKED_ASK_TOGETHER) || ref_engine_open(a) <= a->later)
        return;
    if (!has_groups(r, ask, REF_PROPOSED, REF_HELD)) return;
    if (a->falls != REF_FALLS) a->fell = ++r->falls;
    a->falls = REF_FALLS;
}

void ref_engine_ended(ref_engine *r, size_t ask)
{
    ref_ask *a = &r->ask[ask];

    if (a->falls != REF_ENDS) return;
    if (has_groups(r, ask, REF_KILLED, REF_REVOKED)) return;
    a->falls = 0;
}

/* The one that fell last is told first. */
void ref_engine_fall(ref_engine *r)
{
    for (;;) {
        size_t last = SIZE_MAX;
        for (size_t i = 0; i < r->asks; i++) {
            const ref_ask *a = &r->ask[i];
            if (a->forgotten || a->falls != REF_FALLS) continue;
            if (last == SIZE_MAX || a->fell > r->ask[last].fell) last = i;
        }
        if (last == SIZE_MAX) return;
        if (!r->ask[last].closed) {
            ref_engine_kill(r, last, SKED_REASON_GANG);
        }
        r->ask[last].falls = REF_ENDS;
        ref_engine_ended(r, last);
    }
}
