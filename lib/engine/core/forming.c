/*
 * Such amounts are taken from what a node has free, and from nothing else:
 * limits were asked for the whole gang when its turn came, and are asked again.
 * There are as many parts as the engine's options allow, so one list does.
 */
#include "engine/core/forming.h"

#include "engine/gang_fit.h"
#include "engine/order/ranks.h"
#include "engine/store.h"
#include "engine/watch.h"

/* Memory for so many parts in all, and for a gang of each partition. */
static int parts_to(sked_engine *e, size_t n)
{
    void *gangs = e->forms.gang, *parts = e->forms.part;
    size_t had = e->forms.cap;

    if (had < e->parts) {
        if (!skedi_ensure(&e->hooks.mem, &gangs, &e->forms.cap, e->parts,
                          sizeof *e->forms.gang)) {
            return 0;
        }
        e->forms.gang = gangs;
        for (size_t i = had; i < e->forms.cap; i++) {
            e->forms.gang[i] = (engine_forming){0};
        }
    }
    if (!skedi_ensure(&e->hooks.mem, &parts, &e->forms.parts_cap, n,
                      sizeof *e->forms.part)) {
        return 0;
    }
    e->forms.part = parts;
    return 1;
}

int skedi_forming_reserve(sked_engine *e)
{
    return parts_to(e, e->forms.n + 1);
}

int skedi_forming_reserve_all(sked_engine *e, uint64_t nodes)
{
    uint64_t most = (uint64_t)e->opts.form_nodes * e->parts;

    return most == 0 || parts_to(e, (size_t)(nodes < most ? nodes : most) + 1);
}

engine_forming *skedi_forming_of(const sked_engine *e, uint32_t partition)
{
    int any = partition < e->forms.cap && e->forms.gang[partition].arrival != 0;

    return any ? &e->forms.gang[partition] : NULL;
}

engine_forming_part *skedi_forming_on(const sked_engine *e, uint32_t node)
{
    for (size_t i = 0; i < e->forms.n; i++) {
        if (e->forms.part[i].node == node) return &e->forms.part[i];
    }
    return NULL;
}

/* What a part reserves of a kind. */
static int64_t amount_of(const sked_engine *e, const engine_forming_part *part,
                         uint32_t kind)
{
    const engine_forming *f = &e->forms.gang[part->partition];

    return f->alone ? engine_row_of(e, &e->node_capacity, part->node)[kind]
                    : f->task[kind] * part->count;
}

int64_t skedi_forming_amount(const sked_engine *e, uint32_t node, uint32_t kind)
{
    const engine_forming_part *part = skedi_forming_on(e, node);

    return !part || part->given ? 0 : amount_of(e, part, kind);
}

int64_t skedi_forming_tasks(const sked_engine *e, uint32_t partition,
                            uint32_t *nodes)
{
    int64_t tasks = 0;

    *nodes = 0;
    for (size_t i = 0; i < e->forms.n; i++) {
        if (e->forms.part[i].partition != partition) continue;
        tasks += e->forms.part[i].count;
        ++*nodes;
    }
    return tasks;
}

static void book_part(sked_engine *e, const engine_forming_part *part, int by)
{
    int64_t *free = engine_row_of(e, &e->node_free, part->node);

    for (uint32_t k = 0; k < e->kinds; k++) {
        free[k] -= amount_of(e, part, k) * by;
    }
    skedi_watch_node(e, part->node);
    skedi_node_touch(e, part->node);
    node_at(e, part->node)->seen = 0; /* others may have it, or it more */
}

void skedi_forming_give(sked_engine *e, engine_forming_part *part, int given)
{
    if ((part->given != 0) == given) return;
    part->given = given != 0;
    book_part(e, part, given ? -1 : 1);
}

/* The last one of the list takes its place. */
static void remove_part(sked_engine *e, engine_forming_part *part)
{
    skedi_forming_give(e, part, 1);
    *part = e->forms.part[--e->forms.n];
}

void skedi_forming_set(sked_engine *e, uint32_t partition, uint32_t node,
                       int64_t count)
{
    engine_forming_part *part = skedi_forming_on(e, node);

    if (part && part->count == count) {
        skedi_forming_give(e, part, 0);
        return;
    }
    if (part) remove_part(e, part);
    if (count == 0) return;
    part = &e->forms.part[e->forms.n++];
    *part = (engine_forming_part){partition, node, (uint32_t)count, 1};
    skedi_forming_give(e, part, 0);
}

void skedi_forming_drop(sked_engine *e, uint32_t partition)
{
    for (size_t i = e->forms.n; i-- > 0;) {
        if (e->forms.part[i].partition == partition)
            remove_part(e, &e->forms.part[i]);
    }
    if (partition < e->forms.cap) e->forms.gang[partition].arrival = 0;
}

void skedi_forming_clear(sked_engine *e, uint32_t node)
{
    engine_forming_part *part = skedi_forming_on(e, node);

    if (part) remove_part(e, part);
}

void skedi_forming_drop_all(sked_engine *e)
{
    for (uint32_t p = 0; p < e->forms.cap; p++) skedi_forming_drop(e, p);
}

void skedi_forming_give_all(sked_engine *e, int given)
{
    for (size_t i = 0; i < e->forms.n; i++) {
        skedi_forming_give(e, &e->forms.part[i], given);
    }
}

int skedi_forming_is_sound(const sked_engine *e)
{
    for (size_t i = 0; i < e->forms.n; i++) {
        const engine_forming_part *part = &e->forms.part[i];
        const engine_node *n = node_at(e, part->node);
        uint32_t nodes;
        int known = skedi_forming_of(e, part->partition) != NULL &&
                    skedi_forming_on(e, part->node) == part;
        (void)skedi_forming_tasks(e, part->partition, &nodes);
        if (!known || part->count == 0 || part->given) return 0;
        if (n->state != NODE_OPEN || n->partition != part->partition) return 0;
        if (nodes > e->opts.form_nodes) return 0;
    }
    return 1;
}
