/*
 * A class stands for asks of one shape, or of several that are listed; the asks
 * of each stand in a list, the one that came last first. So a class that was
 * found to refuse a node does so still when those do that came since.
 */
#include "engine/core/refusers.h"

#include <string.h>

#include "base/bits.h"
#include "engine/core/bans.h"
#include "engine/core/refusal.h"
#include "engine/pending.h"

void skedi_refusers_follow(sked_engine *e, uint32_t ask)
{
    const engine_ask *a = ask_at(e, ask);
    uint32_t own = extra_of(e, a)->refusals, of_job = job_at(e, a->job)->ban;
    uint64_t which = 0;

    if (own == SKEDI_NONE) return;
    if (skedi_ask_avoids(e, a)) {
        which = ban_at(e, own)->which;
        if (of_job != SKEDI_NONE) which += ban_at(e, of_job)->which;
        which = 1 + (which >> 32) % SKEDI_REFUSER_BUCKETS;
    }
    skedi_entries_bucket(e, ask, (uint32_t)which);
}

/* What was found so far in one look at a node's classes. */
typedef struct engine_asked {
    engine_refusers found;
    uint32_t takes; /* an ask that takes the node */
    int moved;      /* 1: some ask has another class now */
} engine_asked;

/* How many shapes a class has, all of asks that refuse nodes; they are in
 * `shapes`. 0: it has other shapes, or some that are not listed. */
static uint32_t refusing_shapes(const sked_engine *e, uint32_t partition,
                                uint32_t class, uint32_t *shapes)
{
    const engine_partition *part = &e->partition[partition];
    uint32_t n = 1;

    shapes[0] = part->shape[class];
    if (class >= SKEDI_MIXED_CLASS) {
        const engine_mixture *mix = &part->mixed[class - SKEDI_MIXED_CLASS];
        if (mix->listed < mix->shapes) return 0;
        n = mix->listed;
        memcpy(shapes, mix->shape, n * sizeof *shapes);
    }
    for (uint32_t i = 0; i < n; i++) {
        if (shape_at(e, shapes[i])->bucket == 0) return 0;
    }
    return n;
}

/* Does an ask refuse the node? Notes until when. An ask of which refusals have
 * lapsed moves to the class of those that are left, and counts as one that
 * does. */
static int ask_refuses(sked_engine *e, uint32_t ask, uint32_t node,
                       engine_asked *so_far)
{
    sked_time until;
    int changes;

    e->stats.asks_visited++;
    if (skedi_ask_refuses(e, ask, node, &until, &changes)) {
        engine_refusers *found = &so_far->found;
        found->until = skedi_i64_min(found->until, until);
        if (changes) found->epoch = node_at(e, node)->epoch;
        return 1;
    }
    so_far->takes = ask;
    if (!skedi_pairs_purge(e, ask, 0)) return 0;
    skedi_refusers_follow(e, ask);
    so_far->moved = 1;
    return 1;
}

/* Do all asks of a shape that came into line after `since` refuse the node? */
static int shape_refuses(sked_engine *e, uint32_t shape, uint32_t node,
                         uint64_t since, engine_asked *so_far)
{
    uint32_t partition = node_at(e, node)->partition, next;

    for (uint32_t i = shape_at(e, shape)->first; i != SKEDI_NONE; i = next) {
        const engine_ask *a = ask_at(e, i);
        if (extra_of(e, a)->joined <= since) return 1;
        next = extra_of(e, a)->sooner;
        if (a->partition != partition && a->partition != SKED_ANY_PARTITION) {
            continue;
        }
        if (!ask_refuses(e, i, node, so_far)) return 0;
    }
    return 1;
}

/* Adds a class to those that refuse a node, if it does. */
static void add_class(sked_engine *e, uint32_t node, uint32_t class,
                      engine_asked *so_far)
{
    const engine_node *n = node_at(e, node);
    uint64_t bit = (uint64_t)1 << class;
    uint64_t since = so_far->found.classes & bit ? n->refusers.joins : 0;
    uint32_t shapes[SKEDI_LISTED_SHAPES];
    uint32_t shape_n = refusing_shapes(e, n->partition, class, shapes);

    so_far->found.classes &= ~bit;
    for (uint32_t i = 0; i < shape_n; i++) {
        if (shape_refuses(e, shapes[i], node, since, so_far)) continue;
        skedi_entries_recent(e, so_far->takes); /* asked first the next time */
        return;
    }
    if (shape_n > 0) so_far->found.classes |= bit;
}

/* Does what a node remembers hold, but for what came since? */
static int still_holds(const sked_engine *e, const engine_node *n)
{
    const engine_refusers *r = &n->refusers;

    return r->classes && e->now < r->until &&
           (r->epoch == 0 || r->epoch == n->epoch);
}

uint64_t skedi_refusers_of(sked_engine *e, uint32_t node, uint64_t among,
                           int *moved)
{
    engine_node *n = node_at(e, node);
    uint64_t joins = e->joins, apart = e->partition[n->partition].apart;
    engine_asked so_far = {.found.until = INT64_MAX};

    if (still_holds(e, n)) so_far.found = n->refusers;
    so_far.found.classes &= apart;
    apart &= among | so_far.found.classes;
    for (; apart; apart &= apart - 1) {
        add_class(e, node, skedi_ctz64(apart), &so_far);
    }
    *moved = so_far.moved;
    n->refusers = so_far.found;
    n->refusers.joins = joins;
    if (n->refusers.classes && n->refusers.until < INT64_MAX) {
        n->wake_time = skedi_i64_min(n->wake_time, n->refusers.until);
        n->wake_beats = 0; /* time alone decides */
    }
    return n->refusers.classes;
}

int skedi_refusers_are_sound(const sked_engine *e, uint32_t node)
{
    const engine_node *n = node_at(e, node);

    if (!still_holds(e, n)) return 1;
    for (uint32_t i = 0; i < e->entries.n; i++) {
        const engine_entry *x = entry_at(e, i);
        if (!x->live || x->cell % e->parts != n->partition) continue;
        const engine_ask *a = ask_at(e, x->ask);
        uint32_t class = e->partition[n->partition]
                             .class_of[skedi_class_shape(e, a)];
        sked_time until;
        int changes;
        if (!(n->refusers.classes >> class & 1)) continue;
        if (shape_at(e, skedi_class_shape(e, a))->bucket == 0) continue;
        if (extra_of(e, a)->joined > n->refusers.joins) continue;
        if (!skedi_ask_refuses(e, x->ask, node, &until, &changes)) return 0;
        if (until < n->refusers.until || (changes && !n->refusers.epoch)) {
            return 0;
        }
    }
    return 1;
}
