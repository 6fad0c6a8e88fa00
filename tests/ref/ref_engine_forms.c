/* What is reserved for a gang over nodes that forms. */
#include "ref_engine_forms.h"
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

static int may_form(const ref_engine *r, size_t ask, uint32_t partition)
{
    const ref_ask *a = &r->ask[ask];
    const ref_forming *f = &r->forming[partition];

    if (f->resting == ask + 1 && r->now < f->rests) return 0;
    if (a->flags & SKED_ASK_EXCLUSIVE) return 0;
    if (a->same && !(a->flags & SKED_ASK_PREFER_SAME)) return 0;
    return ref_engine_could_form_in(r, ask, a->times, partition);
}

static int64_t takes_on(const ref_engine *r, size_t ask, size_t node,
                        uint32_t partition)
{
    const ref_ask *a = &r->ask[ask];
    int64_t may = ref_engine_tasks_on(r, ask, node, partition);
    int begun = ref_engine_there_on(r, ask, node) > 0;

    if (!(a->flags & SKED_ASK_EXACT) || begun) return may;
    return may >= a->per_node ? a->per_node : 0;
}

static void reserve_on(ref_engine *r, size_t ask, uint32_t partition,
                       size_t node)
{
    int64_t others = 0, had = is_of(r, node, partition);
    uint32_t nodes = 0;

    for (size_t n = 0; n < r->nodes; n++) {
        if (!is_of(r, n, partition)) continue;
        nodes++;
        if (n != node) others += r->node[n].formed;
    }
    r->node[node].formed_given = 1;
    int64_t may = takes_on(r, ask, node, partition);
    may = skedi_i64_min(may, ref_engine_lacks(&r->ask[ask]) - others);
    if (!had && nodes >= r->opts.form_nodes) may = 0;
    r->node[node].formed = skedi_i64_max(may, 0);
    r->node[node].formed_in = partition;
    r->node[node].formed_given = 0;
}

static void give_all(ref_engine *r, uint32_t partition, int given)
{
    for (size_t n = 0; n < r->nodes; n++) {
        if (is_of(r, n, partition)) r->node[n].formed_given = given;
    }
}

int ref_forming_turn(ref_engine *r, size_t ask, uint32_t partition, size_t node)
{
    ref_forming *f = &r->forming[partition];
    int own = f->on && f->ask == ask, all = node == SIZE_MAX;

    if (own && !r->form_came) give_all(r, partition, 1);
    if (ref_engine_forms(r, ask, partition)) return 1;
    r->ask[ask].passed = 1;
    if (r->form_came) return 0;
    int may = may_form(r, ask, partition);
    if (may && r->form_first == SIZE_MAX) r->form_first = ask;
    if (own && !may) ref_forming_drop(r, partition);
    if (!(own && may) && !(may && (!f->on || all))) return 0;
    int again = f->on && f->ask == r->form_first;
    if (!again || all) ref_forming_drop(r, partition);
    if (!again) {
        f->since = r->now;
        f->ask = r->form_first;
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
    int any = 0;

    for (size_t n = 0; f->on && n < r->nodes; n++) {
        if (!is_of(r, n, partition)) continue;
        if (r->node[n].formed_given && (node == SIZE_MAX || node == n)) {
            int64_t may = cut ? takes_on(r, f->ask, n, partition) : 0;
            r->node[n].formed = skedi_i64_min(r->node[n].formed, may);
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
