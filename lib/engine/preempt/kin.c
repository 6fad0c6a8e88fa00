/*
 * Lists through an array beside the groups. What is lost with a task grows with
 * the time since its work was safe, at one rate for all kin; so does it in
 * whole seconds, never out of order. Time never runs back: what joins does
 * so at the end. Nothing here may fail where groups start and end, so without
 * memory the lists are given up and made anew by the next round.
 */
#include "engine/preempt/kin.h"

#include "base/hash.h"
#include "base/sort.h"
#include "engine/core/groups.h"
#include "engine/core/notices.h"
#include "engine/pool.h"
#include "engine/preempt/rounds.h"

enum { KIN_MASTER_TIMES = 1024, KIN_LONGEST_SECONDS = 1 << 20 };

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

static int64_t cost_by_part(const sked_engine *e, uint32_t group, int64_t part,
                            uint32_t terms)
{
    int64_t span = e->now - skedi_group_saved(e, group);

    if (terms & KIN_KEEPS) return 1;
    span = skedi_i64_min(span / INT64_C(1000000000), KIN_LONGEST_SECONDS);
    int64_t cost = part * span + 1;
    return terms & KIN_MASTER ? cost * KIN_MASTER_TIMES : cost;
}

static uint32_t ask_terms(const sked_engine *e, const engine_ask *ask)
{
    int keeps = (job_at(e, ask->job)->flags & SKED_JOB_KEEPS) != 0;
    int master = (ask->flags & SKED_ASK_MASTER) != 0;

    return (keeps ? KIN_KEEPS : 0) | (master ? KIN_MASTER : 0);
}

int64_t skedi_kin_cost(sked_engine *e, engine_kin *kin, uint32_t group)
{
    if (kin->measured != e->recounts) {
        kin->part = part_of_partition(e, kin->cell % e->parts, kin->shape);
        kin->measured = e->recounts;
    }
    return cost_by_part(e, group, kin->part, kin->terms);
}

/* ---- Lists ---- */

void skedi_kins_start(engine_kins *kins)
{
    *kins = (engine_kins){.stale = 1};
    skedi_pool_start(&kins->pool, sizeof(engine_kin));
    skedi_keymap_start(&kins->of, &kins->pool.item, sizeof(engine_kin),
                       offsetof(engine_kin, name));
}

void skedi_kins_free(engine_kins *kins, skedi_mem *mem)
{
    skedi_pool_free(&kins->pool, mem);
    skedi_keymap_free(&kins->of, mem);
    skedi_free(mem, kins->place, kins->places, sizeof *kins->place);
}

static int kins_room(sked_engine *e)
{
    engine_kins *kins = &e->preempt->kins;
    skedi_mem *mem = &e->hooks.mem;

    if (kins->places < e->groups.cap) {
        kin_place *place = skedi_grow(mem, kins->place, kins->places,
                                      e->groups.cap, sizeof *place);
        if (!place) return 0;
        kins->place = place;
        kins->places = e->groups.cap;
    }
    return skedi_pool_room(&kins->pool, mem, 1) &&
           skedi_keymap_reserve(&kins->of, mem, kins->of.n + 1);
}

/* What a group has in common with its siblings. */
static engine_kin kin_like(const sked_engine *e, uint32_t group)
{
    const engine_group *g = group_at(e, group);
    const engine_ask *a = ask_at(e, g->ask);
    const engine_job *job = job_at(e, a->job);
    int by_user = (e->preempt->opts.flags & SKED_PREEMPT_FLAG_BY_USER) != 0;

    return (engine_kin){
        .cell = (uint32_t)cell_of(e, job->row, node_at(e, g->node)->partition),
        .shape = skedi_group_shape(e, g),
        .seat = by_user ? g->seat : SKEDI_NONE,
        .priority = job->priority,
        .terms = ask_terms(e, a),
        .last = SKEDI_NONE,
    };
}

static int same_kin(const engine_kin *a, const engine_kin *b)
{
    return a->cell == b->cell && a->shape == b->shape && a->seat == b->seat &&
           a->priority == b->priority && a->terms == b->terms;
}

static uint64_t kin_name(const engine_kin *kin)
{
    skedi_hash hash;

    skedi_hash_start(&hash, 0);
    skedi_hash_u32(&hash, kin->cell);
    skedi_hash_u32(&hash, kin->shape);
    skedi_hash_u32(&hash, kin->seat);
    skedi_hash_u32(&hash, (uint32_t)kin->priority);
    skedi_hash_u32(&hash, kin->terms);
    return skedi_hash_end(&hash) | 1;
}

/* The kin of a group, found or made; room was reserved. Kin with one hash stand
 * under odd names that follow each other. */
static uint32_t kin_of_group(sked_engine *e, uint32_t group)
{
    engine_kins *kins = &e->preempt->kins;
    engine_kin like = kin_like(e, group);
    uint32_t kin;

    like.name = kin_name(&like);
    while ((kin = skedi_keymap_get(&kins->of, like.name)) != SKEDI_NONE) {
        if (same_kin(kin_at(kins, kin), &like)) return kin;
        like.name += 2;
    }
    kin = skedi_pool_take(&kins->pool);
    *kin_at(kins, kin) = like;
    skedi_keymap_put(&kins->of, like.name, kin);
    return kin;
}

int skedi_may_be_victim(const sked_engine *e, uint32_t group)
{
    const engine_group *g = group_at(e, group);

    if (g->state != GROUP_PROPOSED && g->state != GROUP_HELD) return 0;
    return !(job_at(e, ask_at(e, g->ask)->job)->flags & SKED_JOB_FIXED);
}

void skedi_kin_join(sked_engine *e, uint32_t group)
{
    if (e->preempt->kins.stale) return;
    engine_kins *kins = &e->preempt->kins;
    if (!kins_room(e)) {
        kins->stale = 1;
        return;
    }
    if (!skedi_may_be_victim(e, group)) {
        kins->place[group] = (kin_place){0};
        return;
    }
    uint32_t kin = kin_of_group(e, group);
    engine_kin *k = kin_at(kins, kin);
    kins->place[group] = (kin_place){kin + 1, k->last, SKEDI_NONE};
    if (k->last != SKEDI_NONE) kins->place[k->last].after = group;
    k->last = group;
    k->groups++;
    k->tasks += group_at(e, group)->count;
}

void skedi_kin_move(sked_engine *e, uint32_t group, int64_t by)
{
    if (e->preempt->kins.stale) return;
    engine_kins *kins = &e->preempt->kins;
    if (kins->place[group].kin) {
        kin_at(kins, skedi_kin_of(kins, group))->tasks += by;
    }
}

void skedi_kin_leave(sked_engine *e, uint32_t group)
{
    if (e->preempt->kins.stale) return;
    engine_kins *kins = &e->preempt->kins;
    kin_place *p = &kins->place[group];
    if (!p->kin) return;
    uint32_t kin = p->kin - 1;
    engine_kin *k = kin_at(kins, kin);
    if (p->before != SKEDI_NONE) kins->place[p->before].after = p->after;
    if (p->after != SKEDI_NONE) kins->place[p->after].before = p->before;
    if (k->last == group) k->last = p->before;
    p->kin = 0;
    k->tasks -= group_at(e, group)->count;
    if (--k->groups > 0) return;
    skedi_keymap_remove(&kins->of, k->name);
    skedi_pool_give(&kins->pool, kin);
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

int skedi_kins_ready(sked_engine *e)
{
    engine_kins *kins = &e->preempt->kins;

    if (!kins->stale) return 1;
    skedi_kins_free(kins, &e->hooks.mem);
    skedi_kins_start(kins);
    skedi_keyed *items = skedi_round_room(e, (uint64_t)e->groups.n * 2,
                                          sizeof *items);
    if (!items) return 0;
    uint32_t n = groups_by_safety(e, items);
    kins->stale = 0;
    for (uint32_t i = 0; i < n && !kins->stale; i++) {
        skedi_kin_join(e, items[i].tag);
    }
    return !kins->stale;
}
