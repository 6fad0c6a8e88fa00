/*
 * A walk over a node goes by the order of asks. So what comes before the gang
 * takes what it likes of what was reserved there; when the gang's turn comes it
 * counts all that is reserved for it as free, and where it cannot start, its
 * part on this node is what the node takes by then. What comes behind it finds
 * the rest. Parts on other nodes stay until their own walks.
 */
#include "engine/core/forms.h"

#include "engine/core/exact.h"
#include "engine/core/exclusive.h"
#include "engine/core/formable.h"
#include "engine/core/gangs.h"
#include "engine/core/share.h"
#include "engine/order/fits.h"
#include "engine/steps.h"

/* Does the gang still stand in a line of the partition, and lack tasks? */
static int still_forms(const sked_engine *e, const engine_forming *f,
                       uint32_t partition)
{
    const engine_ask *a = ask_at(e, f->ask);

    if (!a->live || a->arrival != f->arrival || a->open == 0 ||
        skedi_gang_grows(e, a)) {
        return 0;
    }
    uint32_t x = a->first_entry;
    while (x != SKEDI_NONE && entry_at(e, x)->cell % e->parts != partition) {
        x = entry_next(e, x);
    }
    return x != SKEDI_NONE;
}

/* Is its time over? Then nothing is reserved for it for as long. */
static int rests(const sked_engine *e, engine_forming *f)
{
    int64_t most = e->opts.form_for_ns;
    uint64_t formed = (uint64_t)e->now - (uint64_t)f->since;

    if (most == 0 || formed < (uint64_t)most) return 0;
    f->resting = f->arrival;
    f->rests = e->now +
               skedi_i64_min(most, INT64_MAX - skedi_i64_max(e->now, 0));
    return 1;
}

void skedi_forming_look_at(sked_engine *e, uint32_t partition)
{
    engine_forming *f = skedi_forming_of(e, partition);

    if (f && (!still_forms(e, f, partition) || rests(e, f)))
        skedi_forming_drop(e, partition);
}

void skedi_forming_begin_walk(sked_engine *e, uint32_t partition, uint32_t node)
{
    e->forms.first = SKEDI_NONE;
    e->forms.came = 0;
    e->forms.all = node == SKEDI_NONE;
    for (size_t i = 0; i < e->forms.n; i++) {
        engine_forming_part *part = &e->forms.part[i];
        if (part->partition != partition) continue;
        if (node != SKEDI_NONE && part->node != node) continue;
        skedi_forming_give(e, part, 1);
    }
}

/* How many tasks of the gang of a partition go to nodes such as this one, beyond
 * what is reserved on others of them: of an exact one that is nodes that have
 * some of it, or those that have none. */
static int64_t tasks_for(const sked_engine *e, uint32_t partition,
                         uint32_t node)
{
    uint32_t ask = e->forms.gang[partition].ask;
    const engine_ask *a = ask_at(e, ask);
    int exact = extra_of(e, a)->each > 0;
    int some = exact && skedi_gang_there(e, ask, node) > 0;
    int64_t left = skedi_gang_step(e, a, a->open);

    if (exact) {
        int64_t made = skedi_exact_made(e, ask, partition, left);
        left = some ? made : left - made;
    }
    for (size_t i = 0; i < e->forms.n; i++) {
        const engine_forming_part *part = &e->forms.part[i];
        if (part->partition != partition || part->node == node) continue;
        if (exact && (skedi_gang_there(e, ask, part->node) > 0) != some)
            continue;
        left -= part->count;
    }
    return left;
}

/* Reserves on a node what it takes of what the gang lacks beyond other parts.
 */
static void reserve_on(sked_engine *e, uint32_t partition, uint32_t node)
{
    const engine_forming *f = &e->forms.gang[partition];
    int64_t count = skedi_forming_takes_on(e, f->ask, node, &f->where,
                                           tasks_for(e, partition, node));
    uint32_t nodes;

    (void)skedi_forming_tasks(e, partition, &nodes);
    if (!skedi_forming_on(e, node) && nodes >= e->opts.form_nodes) count = 0;
    skedi_forming_set(e, partition, node, count);
}

/* The same on all nodes, in the order of adding. */
static void reserve_each(sked_engine *e, uint32_t partition)
{
    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        if (node_at(e, n)->partition != partition) continue;
        if (!skedi_forming_reserve(e)) return; /* the rest is free */
        reserve_on(e, partition, n);
    }
}

/* Makes an ask the gang of a partition, with nothing reserved for it yet. */
static void begin_for(sked_engine *e, uint32_t ask, uint32_t partition)
{
    engine_forming *f = &e->forms.gang[partition];
    const engine_ask *a = ask_at(e, ask);
    const int64_t *task = engine_row_of(e, &e->shape_task, a->shape);
    int again = skedi_forming_is_of(e, partition, ask);

    skedi_forming_drop(e, partition);
    f->ask = ask;
    f->arrival = a->arrival;
    f->alone = skedi_ask_is_exclusive(a) != 0;
    if (!again) f->since = e->now;
    f->where = e->forms.where;
    e->stats.formings += !again;
    for (uint32_t k = 0; k < e->kinds; k++) f->task[k] = task[k];
}

static void give_parts(sked_engine *e, uint32_t partition, int given)
{
    for (size_t i = 0; i < e->forms.n; i++) {
        if (e->forms.part[i].partition != partition) continue;
        skedi_forming_give(e, &e->forms.part[i], given);
    }
}

/* Reserves for a gang whose turn has come and that cannot start; it becomes the
 * gang of the partition if it is not. */
static void take_turn(sked_engine *e, uint32_t ask, uint32_t partition,
                      uint32_t node)
{
    int own = skedi_forming_is_of(e, partition, ask);

    if (!own || e->forms.all) begin_for(e, ask, partition);
    e->forms.came = 1;
    if (e->forms.all) {
        reserve_each(e, partition);
    } else {
        reserve_on(e, partition, node);
        give_parts(e, partition, 0);
    }
}

int skedi_forming_forms(sked_engine *e, uint32_t ask, uint32_t node, int *again)
{
    uint32_t partition = node_at(e, node)->partition;
    const engine_forming *f = skedi_forming_of(e, partition);
    int own = skedi_forming_is_of(e, partition, ask);

    if (own && !e->forms.came) give_parts(e, partition, 1);
    skedi_fits_refresh(e);
    if (skedi_gang_forms(e, ask, partition, again)) return 1;
    *again = 1;
    if (e->forms.came) return 0;
    engine_forming_where where = own ? f->where : (engine_forming_where){0};
    int may = skedi_forming_may(e, ask, partition, own, &where);
    int here = own || e->forms.all || skedi_forming_is_at(e, node, &where);
    if (may && here && e->forms.first == SKEDI_NONE) {
        e->forms.first = ask;
        e->forms.where = where;
    }
    if (own && !may) {
        skedi_forming_drop(e, partition);
    } else if (own || (may && here && (!f || e->forms.all))) {
        take_turn(e, e->forms.first, partition, node);
    }
    return 0;
}

void skedi_forming_started(sked_engine *e, uint32_t ask)
{
    for (uint32_t p = 0; p < e->forms.cap; p++) {
        if (skedi_forming_is_of(e, p, ask)) skedi_forming_drop(e, p);
    }
}

void skedi_forming_end_walk(sked_engine *e, uint32_t partition, uint32_t node,
                            int cut)
{
    const engine_forming *f = skedi_forming_of(e, partition);
    uint32_t nodes;

    for (size_t i = f ? e->forms.n : 0; i-- > 0;) {
        engine_forming_part *part = &e->forms.part[i];
        if (part->partition != partition || !part->given) continue;
        int64_t count = part->count;
        if (node == SKEDI_NONE || part->node == node) {
            count = cut ? skedi_forming_takes_on(e, f->ask, part->node,
                                                 &f->where, count)
                        : 0;
        }
        skedi_forming_set(e, partition, part->node, count);
    }
    if (f && skedi_forming_tasks(e, partition, &nodes) == 0)
        skedi_forming_drop(e, partition);
}

uint64_t skedi_forming_mark(const sked_engine *e, uint32_t partition)
{
    const engine_forming *f = skedi_forming_of(e, partition);
    uint64_t sum = f ? f->arrival : 0;

    for (size_t i = 0; i < e->forms.n; i++) {
        const engine_forming_part *part = &e->forms.part[i];
        uint64_t word = (uint64_t)part->node << 32 | part->count;
        if (part->partition == partition) sum += skedi_random_split(&word);
    }
    return sum;
}
