/*
 * Lists through an array beside the groups. What is lost with a task of a class
 * never grows less with the time since its work was safe, so groups in the
 * order of that time stand in the order of their costs. Time never runs back:
 * what joins does so at the end, but for what joins again with another cost.
 * Nothing here may fail where groups start and end, so without memory the lists
 * are given up and made anew by the next round.
 */
#include "engine/preempt/classes.h"

#include "base/hash.h"
#include "base/sort.h"
#include "engine/core/groups.h"
#include "engine/core/notices.h"
#include "engine/pool.h"
#include "engine/preempt/rounds.h"

enum { CLASS_MASTER_TIMES = 1024, CLASS_LONGEST_SECONDS = 1 << 20 };

/* ---- Costs ---- */

/* The part of a partition that a task of a shape holds of a kind at most. */
static int64_t part_of_partition(const sked_engine *e, uint32_t partition,
                                 uint32_t shape)
{
    const int64_t *task = engine_row_of(e, &e->shape_task, shape);
    const int64_t *capacity = e->capacity + (size_t)partition * e->kinds;
    int64_t most = 0;

    for (uint32_t k = 0; k < e->kinds; k++) {
        uint64_t rem, part = 0;
        if (capacity[k] > 0 && task[k] <= capacity[k]) {
            part = skedi_muldiv((uint64_t)task[k], (uint64_t)SKED_PPM,
                                (uint64_t)capacity[k], &rem);
        }
        most = skedi_i64_max(most, (int64_t)part);
    }
    return most;
}

static int64_t cost_in_class(const sked_engine *e, uint32_t group,
                             const victim_class *class)
{
    int64_t span = e->now - skedi_group_saved(e, group);

    if (class->host_cost >= 0) return class->host_cost;
    if (class->terms & CLASS_KEEPS) return 1;
    span = skedi_i64_min(span / INT64_C(1000000000), CLASS_LONGEST_SECONDS);
    int64_t cost = class->part * span + 1;
    return class->terms & CLASS_MASTER ? cost * CLASS_MASTER_TIMES : cost;
}

uint32_t skedi_victim_terms(const sked_engine *e, const engine_ask *ask)
{
    uint32_t flags = job_at(e, ask->job)->flags;

    return (flags & SKED_JOB_KEEPS ? CLASS_KEEPS : 0u) |
           (ask->flags & SKED_ASK_MASTER ? CLASS_MASTER : 0u) |
           (flags & SKED_JOB_REVOCABLE ? CLASS_REVOCABLE : 0u);
}

int64_t skedi_victim_class_cost(sked_engine *e, victim_class *class,
                                uint32_t group)
{
    if (class->measured != e->recounts) {
        class->part = part_of_partition(e, class->cell % e->parts,
                                        class->shape);
        class->measured = e->recounts;
    }
    return cost_in_class(e, group, class);
}

/* ---- Lists ---- */

void skedi_victim_classes_start(victim_classes *classes)
{
    *classes = (victim_classes){.stale = 1};
    skedi_pool_start(&classes->pool, sizeof(victim_class));
    skedi_keymap_start(&classes->of, &classes->pool.item, sizeof(victim_class),
                       offsetof(victim_class, name));
}

void skedi_victim_classes_free(victim_classes *classes, skedi_mem *mem)
{
    skedi_pool_free(&classes->pool, mem);
    skedi_keymap_free(&classes->of, mem);
    skedi_free(mem, classes->place, classes->places, sizeof *classes->place);
}

static int classes_reserve(sked_engine *e)
{
    victim_classes *classes = &e->preempt->classes;
    skedi_mem *mem = &e->hooks.mem;

    if (classes->places < e->groups.cap) {
        class_place *place = skedi_grow(mem, classes->place, classes->places,
                                        e->groups.cap, sizeof *place);
        if (!place) return 0;
        classes->place = place;
        classes->places = e->groups.cap;
    }
    return skedi_pool_reserve(&classes->pool, mem, 1) &&
           skedi_keymap_reserve(&classes->of, mem, classes->of.n + 1);
}

/* What a group has in common with its siblings. */
static victim_class class_like(const sked_engine *e, uint32_t group)
{
    const engine_group *g = group_at(e, group);
    const engine_ask *a = ask_at(e, g->ask);
    const engine_job *job = job_at(e, a->job);
    int by_user = (e->preempt->opts.flags & SKED_PREEMPT_FLAG_BY_USER) != 0;

    return (victim_class){
        .cell = (uint32_t)cell_of(e, job->row, node_at(e, g->node)->partition),
        .shape = skedi_group_shape(e, g),
        .account = by_user ? g->account : SKEDI_NONE,
        .priority = job->priority,
        .terms = skedi_victim_terms(e, a),
        .host_cost = skedi_group_cost(e, group),
        .last = SKEDI_NONE,
        .gang = a->flags & SKED_ASK_SPREAD ? g->ask + 1 : 0,
    };
}

static int same_class(const victim_class *a, const victim_class *b)
{
    return a->cell == b->cell && a->shape == b->shape &&
           a->account == b->account && a->priority == b->priority &&
           a->terms == b->terms && a->host_cost == b->host_cost &&
           a->gang == b->gang;
}

static uint64_t class_name(const victim_class *class)
{
    skedi_hash hash;

    skedi_hash_start(&hash, 0);
    skedi_hash_u32(&hash, class->cell);
    skedi_hash_u32(&hash, class->shape);
    skedi_hash_u32(&hash, class->account);
    skedi_hash_u32(&hash, (uint32_t) class->priority);
    skedi_hash_u32(&hash, class->terms);
    skedi_hash_u32(&hash, (uint32_t) class->host_cost);
    skedi_hash_u32(&hash, class->gang);
    return skedi_hash_end(&hash) | 1;
}

/* The class of a group, found or made; memory was reserved. Victim classes with
 * one hash stand under odd names that follow each other. */
static uint32_t class_of_group(sked_engine *e, uint32_t group)
{
    victim_classes *classes = &e->preempt->classes;
    victim_class like = class_like(e, group);
    uint32_t class;

    like.name = class_name(&like);
    while ((class = skedi_keymap_get(&classes->of, like.name)) != SKEDI_NONE) {
        if (same_class(victim_class_at(classes, class), &like)) return class;
        like.name += 2;
    }
    class = skedi_pool_take(&classes->pool);
    *victim_class_at(classes, class) = like;
    skedi_keymap_put(&classes->of, like.name, class);
    return class;
}

int skedi_gang_in_rounds(const sked_engine *e, uint32_t ask)
{
    return e->preempt->opts.gangs > 0 &&
           extra_of(e, ask_at(e, ask))->spare == 0;
}

int skedi_may_be_victim(const sked_engine *e, uint32_t group)
{
    const engine_group *g = group_at(e, group);

    if (g->state != GROUP_PROPOSED && g->state != GROUP_HELD) return 0;
    if (ask_at(e, g->ask)->flags & SKED_ASK_SPREAD &&
        !skedi_gang_in_rounds(e, g->ask)) {
        return 0;
    }
    return !(job_at(e, ask_at(e, g->ask)->job)->flags & SKED_JOB_FIXED);
}

/* Behind all that were safe no later, which as a rule is at the end. */
static void stand_by_safety(sked_engine *e, victim_class *k, uint32_t class,
                            uint32_t group)
{
    class_place *place = e->preempt->classes.place;
    uint32_t before = k->last, after = SKEDI_NONE;

    while (before != SKEDI_NONE &&
           skedi_group_saved(e, before) > skedi_group_saved(e, group)) {
        after = before;
        before = place[before].before;
    }
    place[group] = (class_place){class + 1, before, after};
    if (before != SKEDI_NONE) place[before].after = group;
    if (after != SKEDI_NONE)
        place[after].before = group;
    else
        k->last = group;
}

void skedi_victim_class_join(sked_engine *e, uint32_t group)
{
    if (e->preempt->classes.stale) return;
    victim_classes *classes = &e->preempt->classes;
    if (!classes_reserve(e)) {
        classes->stale = 1;
        return;
    }
    if (!skedi_may_be_victim(e, group)) {
        classes->place[group] = (class_place){0};
        return;
    }
    uint32_t class = class_of_group(e, group);
    victim_class *k = victim_class_at(classes, class);
    stand_by_safety(e, k, class, group);
    k->groups++;
    k->tasks += skedi_group_times(group_at(e, group),
                                  group_at(e, group)->count);
}

void skedi_victim_class_move(sked_engine *e, uint32_t group, int64_t by)
{
    if (e->preempt->classes.stale) return;
    victim_classes *classes = &e->preempt->classes;
    if (classes->place[group].class) {
        victim_class_at(classes, skedi_victim_class_of(classes, group))
            ->tasks += by;
    }
}

void skedi_victim_class_leave(sked_engine *e, uint32_t group)
{
    if (e->preempt->classes.stale) return;
    victim_classes *classes = &e->preempt->classes;
    class_place *p = &classes->place[group];
    if (!p->class) return;
    uint32_t class = p->class - 1;
    victim_class *k = victim_class_at(classes, class);
    if (p->before != SKEDI_NONE) classes->place[p->before].after = p->after;
    if (p->after != SKEDI_NONE) classes->place[p->after].before = p->before;
    if (k->last == group) k->last = p->before;
    p->class = 0;
    k->tasks -= skedi_group_times(group_at(e, group),
                                  group_at(e, group)->count);
    if (--k->groups > 0) return;
    skedi_keymap_remove(&classes->of, k->name);
    skedi_pool_give(&classes->pool, class);
}

/* ---- Anew ---- */

/* All groups, in the order in which they would have joined; how many. */
static uint32_t groups_by_safety(const sked_engine *e, skedi_keyed *items)
{
    uint32_t n = 0;

    for (uint32_t g = 0; g < e->groups.n; g++) {
        if (group_at(e, g)->state == GROUP_FREE_SLOT) continue;
        items[n] = (skedi_keyed){skedi_key_signed(skedi_group_saved(e, g)), n,
                                 g};
        n++;
    }
    skedi_sort_keys(items, items + e->groups.n, n);
    return n;
}

int skedi_victim_classes_ready(sked_engine *e)
{
    victim_classes *classes = &e->preempt->classes;

    if (!classes->stale) return 1;
    skedi_victim_classes_free(classes, &e->hooks.mem);
    skedi_victim_classes_start(classes);
    skedi_keyed *items = skedi_round_reserve(e, (uint64_t)e->groups.n * 2,
                                             sizeof *items);
    if (!items) return 0;
    uint32_t n = groups_by_safety(e, items);
    classes->stale = 0;
    for (uint32_t i = 0; i < n && !classes->stale; i++) {
        skedi_victim_class_join(e, items[i].tag);
    }
    return !classes->stale;
}
