/*
 * Data that the engine keeps current between rounds: victim classes, open
 * amounts of each leaf, and the amounts that leaves have started since the last
 * round.
 *
 * A victim class is all groups of a queue and partition that hold the same
 * amounts and end under the same terms. The cost of a task never shrinks with
 * the time since its work was safe. Groups in the order of this time are
 * therefore in the order of their costs.
 *
 * Invariants: each group that may be a victim is in exactly one class, unless
 * the classes are stale. A sum above the largest amount counts as unlimited
 * until a round adds up all sums again.
 */
#include <string.h>

#include "base/hash.h"
#include "base/sort.h"
#include "engine/alloc.h"
#include "engine/preempt.h"
#include "engine/store.h"
#include "round/state.h"
#include "target/handle.h"

/* Shared by all parts of rounds: memory of a round, and marks. */

void *skedi_round_reserve(sked_engine *e, uint64_t n, size_t size)
{
    if (n > SIZE_MAX / size / 2) return NULL;
    return skedi_arena_take(&e->preempt->arena, (size_t)n * size + 8,
                            &e->hooks.mem);
}

void *skedi_round_push(sked_engine *e, round_list *list, size_t size)
{
    if (list->n >= UINT32_MAX / 2 ||
        !skedi_ensure(&e->hooks.mem, &list->item, &list->cap, list->n + 1,
                      size)) {
        return NULL;
    }
    return (char *)list->item + list->n++ * size;
}

size_t skedi_round_marks(const sked_engine *e)
{
    size_t n = 0;

    if (e->preempt) (void)!sked_round_marks(e->preempt->round, NULL, 0, &n);
    return n;
}

int skedi_round_is_out(const sked_engine *e)
{
    return e->first_reservation != SKEDI_NONE || skedi_round_marks(e) > 0;
}

void skedi_round_unmark(sked_engine *e, uint32_t group, uint32_t count)
{
    uint64_t name = skedi_group_name(e, group);

    if (sked_round_mark_count(e->preempt->round, name) == 0) return;
    (void)!sked_round_end(e->preempt->round, &name, &count, 1, NULL);
}

/*
 * Victim classes. Each class is a doubly linked list of groups, with the links
 * in an array beside the groups (`place`). The groups are in the order of the
 * time when their work was last safe, and thus in the order of their costs.
 * Time never runs back, so a group usually joins at the end of the list. Only a
 * group that joins again with another cost may join earlier.
 *
 * The start or end of a group must not fail here. If memory is lacking, the
 * classes become stale, and the next round rebuilds all lists.
 */

enum { CLASS_MASTER_TIMES = 1024, CLASS_LONGEST_SECONDS = 1 << 20 };

/* ---- Costs ---- */

/* Returns the largest part of a partition's capacity that a task holds of any
 * kind, in ppm. A kind with less capacity than the task holds counts 0. */
static int64_t preempt_part_of_partition(const sked_engine *e,
                                         uint32_t partition, uint32_t shape)
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

static int64_t preempt_cost_in_class(const sked_engine *e, uint32_t group,
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
        class->part = preempt_part_of_partition(e, class->cell % e->parts,
                                                class->shape);
        class->measured = e->recounts;
    }
    return preempt_cost_in_class(e, group, class);
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

static int preempt_classes_reserve(sked_engine *e)
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

/* Returns the attributes that all groups of a class have in common. */
static victim_class preempt_class_like(const sked_engine *e, uint32_t group)
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

static int preempt_same_class(const victim_class *a, const victim_class *b)
{
    return a->cell == b->cell && a->shape == b->shape &&
           a->account == b->account && a->priority == b->priority &&
           a->terms == b->terms && a->host_cost == b->host_cost &&
           a->gang == b->gang;
}

static uint64_t preempt_class_name(const victim_class *class)
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

/* Returns the class of a group, and creates the class if needed. The caller has
 * reserved memory. Classes with equal hashes have successive odd names. */
static uint32_t preempt_class_of_group(sked_engine *e, uint32_t group)
{
    victim_classes *classes = &e->preempt->classes;
    victim_class like = preempt_class_like(e, group);
    uint32_t class;

    like.name = preempt_class_name(&like);
    while ((class = skedi_keymap_get(&classes->of, like.name)) != SKEDI_NONE) {
        if (preempt_same_class(victim_class_at(classes, class), &like))
            return class;
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

/* Inserts a group behind all groups whose work was safe at the same time or
 * earlier. The place is usually the end of the list. */
static void preempt_stand_by_safety(sked_engine *e, victim_class *k,
                                    uint32_t class, uint32_t group)
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
    if (!preempt_classes_reserve(e)) {
        classes->stale = 1;
        return;
    }
    if (!skedi_may_be_victim(e, group)) {
        classes->place[group] = (class_place){0};
        return;
    }
    uint32_t class = preempt_class_of_group(e, group);
    victim_class *k = victim_class_at(classes, class);
    preempt_stand_by_safety(e, k, class, group);
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

/* ---- Rebuild ---- */

/* Lists all groups by the time when their work was last safe. Returns their
 * number. */
static uint32_t preempt_groups_by_safety(const sked_engine *e,
                                         skedi_keyed *items)
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
    uint32_t n = preempt_groups_by_safety(e, items);
    classes->stale = 0;
    for (uint32_t i = 0; i < n && !classes->stale; i++) {
        skedi_victim_class_join(e, items[i].tag);
    }
    return !classes->stale;
}

/*
 * Open amounts of leaves. The sums follow every change of an entry. A sum above
 * SKED_AMOUNT_MAX counts as SKED_UNLIMITED. From then on each round adds up all
 * sums again, until no sum is above SKED_AMOUNT_MAX.
 */

void skedi_wanted_free(engine_wanted *w, skedi_mem *mem, uint32_t kinds)
{
    skedi_free(mem, w->sum, w->cells * kinds, sizeof *w->sum);
    *w = (engine_wanted){0};
}

/* Adds the amounts of `by` tasks of an ask. 0: a sum is above SKED_AMOUNT_MAX.
 */
static int preempt_move_sum(const sked_engine *e, const engine_ask *a,
                            int64_t by, int64_t *sum)
{
    const int64_t *task = engine_row_of(e, &e->shape_task, a->shape);
    int fits = 1;

    for (uint32_t k = 0; k < e->kinds; k++) {
        if (by < 0) {
            sum[k] += task[k] * by;
        } else {
            sum[k] = skedi_amount_add(sum[k], task[k] * by);
        }
        fits &= sum[k] <= SKED_AMOUNT_MAX;
    }
    return fits;
}

void skedi_wanted_move(sked_engine *e, uint32_t ask, int64_t by)
{
    if (!e->preempt->wanted.ready) return;
    engine_wanted *w = &e->preempt->wanted;
    const engine_ask *a = ask_at(e, ask);

    for (uint32_t x = a->first_entry; x != SKEDI_NONE; x = entry_next(e, x)) {
        int64_t *sum = w->sum + (size_t)entry_at(e, x)->cell * e->kinds;
        w->ready &= preempt_move_sum(e, a, by, sum);
    }
}

/* Adds up all open amounts again. 0: no memory. */
static int preempt_add_up_wanted(sked_engine *e)
{
    size_t cells = (size_t)e->rows.n * e->parts;

    engine_wanted *w = &e->preempt->wanted;

    skedi_wanted_free(w, &e->hooks.mem, e->kinds);
    w->sum = skedi_new(&e->hooks.mem, cells * e->kinds, sizeof *w->sum);
    if (!w->sum) return 0;
    w->cells = cells;
    w->ready = 1;
    int fits = 1;
    for (uint32_t i = 0; i < e->entries.n; i++) {
        const engine_entry *x = entry_at(e, i);
        if (!x->live) continue;
        const engine_ask *a = ask_at(e, x->ask);
        fits &= preempt_move_sum(e, a, a->open,
                                 w->sum + (size_t)x->cell * e->kinds);
    }
    w->ready = fits;
    return 1;
}

int skedi_wanted_add(sked_engine *e, uint32_t partition, int64_t *rows)
{
    const engine_wanted *w = &e->preempt->wanted;

    if (!w->ready && !preempt_add_up_wanted(e)) return 0;
    for (uint32_t row = 0; row < e->rows.n; row++) {
        size_t cell = cell_of(e, row, partition);
        if (!e->cells[cell].open || !row_is_leaf(e, row)) continue;
        for (uint32_t k = 0; k < e->kinds; k++) {
            int64_t *to = &rows[(size_t)row * e->kinds + k];
            *to = skedi_amount_add(*to, w->sum[cell * e->kinds + k]);
        }
    }
    return 1;
}

/*
 * Starts by turn since the last round. A leaf is likely to start as much again
 * before the next round, without any victim. A round therefore holds back newly
 * due steps of the leaf, up to the amounts that the leaf has started. A step is
 * newly due in one round only, so its kill orders wait for one round at most.
 *
 *   policy         step                      held back
 *   imbalance      any claim                 as many steps as the starts cover
 *   entitlement    above the guarantee       as many steps as the starts cover
 *   entitlement    within the guarantee      all newly due steps, or none
 *   starvation     any claim                 never
 *
 * Steps that take victims of their own leaf are never held back, nor are steps
 * that start together (gangs over nodes). A round that only observes, or gives
 * no notices, holds back no steps.
 */

/* Returns the index of the sums of a leaf in a partition. Sums are stored
 * partition by partition. A new partition is appended. */
static size_t preempt_sums_at(const sked_engine *e, uint32_t row,
                              uint32_t partition)
{
    return ((size_t)partition * e->rows.n + row) * e->kinds;
}

/* Returns the sums for the leaf of an ask and the partition of a node. */
static int64_t *preempt_sums_of(const sked_engine *e, int64_t *sums,
                                uint32_t ask, uint32_t node)
{
    uint32_t row = job_at(e, ask_at(e, ask)->job)->row;

    return sums + preempt_sums_at(e, row, node_at(e, node)->partition);
}

/* True if starts on a node are counted. Counting begins with the first round,
 * and again with the first round after a commit. A round covers the partitions
 * up to the last partition with nodes. */
static int preempt_is_counted(const sked_engine *e, uint32_t node)
{
    return preempt_sums_at(e, 0, node_at(e, node)->partition) <
           e->preempt->started.n;
}

void skedi_started_note(sked_engine *e, uint32_t ask, uint32_t node,
                        int64_t count)
{
    const int64_t *task = engine_row_of(e, &e->shape_task,
                                        ask_at(e, ask)->shape);

    if (!preempt_is_counted(e, node)) return;
    int64_t *sum = preempt_sums_of(e, e->preempt->started.item, ask, node);
    for (uint32_t k = 0; k < e->kinds; k++) {
        sum[k] = skedi_amount_add(sum[k], task[k] * count);
    }
}

int skedi_started_ready(sked_engine *e)
{
    round_list *started = &e->preempt->started;
    size_t had = started->n, n = 0;

    for (uint32_t p = 0; p < e->parts; p++) {
        if (e->partition[p].nodes > 0) n = preempt_sums_at(e, 0, p + 1);
    }
    if (n <= had) return 1;
    if (!skedi_ensure(&e->hooks.mem, &started->item, &started->cap, n,
                      sizeof(int64_t))) {
        return 0;
    }
    started->n = n;
    memset((int64_t *)started->item + had, 0, (n - had) * sizeof(int64_t));
    return 1;
}

uint64_t skedi_started_digest(const sked_engine *e)
{
    const int64_t *item = e->preempt->started.item;
    uint64_t sum = 0;

    for (size_t i = 0; i < e->preempt->started.n; i++) {
        size_t leaf = i / e->kinds;
        skedi_hash hash;
        if (!item[i]) continue;
        skedi_hash_start(&hash, 17);
        skedi_hash_u64(&hash, e->rows.id[leaf % e->rows.n]);
        skedi_hash_u32(&hash, (uint32_t)(leaf / e->rows.n));
        skedi_hash_u32(&hash, (uint32_t)(i % e->kinds));
        skedi_hash_u64(&hash, (uint64_t)item[i]);
        sum += skedi_hash_end(&hash);
    }
    return sum;
}

void skedi_started_restart(sked_engine *e)
{
    round_list *started = &e->preempt->started;

    if (started->n > 0) memset(started->item, 0, started->n * sizeof(int64_t));
    e->preempt->last_round = e->now;
}

/* ---- Kill orders that wait ---- */

enum round_wait skedi_started_waits(const round_part *part,
                                    const plan_want *want)
{
    const sked_engine *e = part->e;
    uint32_t policy = (uint32_t)(part->by - part->policy);
    const int64_t *held = part->held + (size_t)want->leaf * e->kinds;
    const int64_t *force = cell_row(e, e->cell_force,
                                    cell_of(e, want->leaf, part->partition));
    int beyond = 0;

    if (want->rule != PLAN_CLAIM) return ROUND_WAIT_NOT;
    for (uint32_t k = 0; k < e->kinds; k++) {
        beyond |= want->step[k] > 0 && held[k] + want->step[k] > force[k];
    }
    switch (e->preempt->target[policy]->options.mode) {
    case SKED_TARGET_MODE_IMBALANCE: return ROUND_WAIT_PART;
    case SKED_TARGET_MODE_ENTITLEMENT:
        return beyond ? ROUND_WAIT_PART : ROUND_WAIT_WHOLE;
    default: return ROUND_WAIT_NOT;
    }
}

/* True if the notices of all victims of a placement ran out by the last round.
 */
static int preempt_is_overdue(const sked_engine *e,
                              const round_placement *placement)
{
    const skedi_round_list *list = &e->preempt->round->list;
    const round_victim *v = e->preempt->victims.item;

    for (uint32_t i = 0; i < placement->victims; i++) {
        uint64_t name = skedi_group_name(e, v[placement->first + i].group);
        size_t at = skedi_round_find(list, name);
        if (at == list->n || list->item[at].seen.key != name) return 0;
        if (list->item[at].seen.deadline > e->preempt->last_round) return 0;
    }
    return 1;
}

/* True if a placement on one node has become due since the last round. */
static int preempt_is_newly_due(const sked_engine *e,
                                const round_placement *placement)
{
    return placement->due && placement->victims && !placement->made &&
           placement->span == 1 && !preempt_is_overdue(e, placement);
}

static int64_t *preempt_sums_for(const sked_engine *e, int64_t *sums,
                                 const round_placement *placement)
{
    return preempt_sums_of(e, sums, placement->ask, placement->node);
}

static void preempt_add_step(const sked_engine *e, int64_t *sum,
                             const round_placement *placement, int64_t by)
{
    const int64_t *task = engine_row_of(e, &e->shape_task,
                                        ask_at(e, placement->ask)->shape);

    for (uint32_t k = 0; k < e->kinds; k++) {
        sum[k] += by * task[k] * placement->count;
    }
}

static int preempt_is_no_more(const sked_engine *e, const int64_t *need,
                              const int64_t *left)
{
    for (uint32_t k = 0; k < e->kinds; k++) {
        if (need[k] > left[k]) return 0;
    }
    return 1;
}

/* Holds back newly due steps of ROUND_WAIT_PART, the last planned first, up to
 * the amounts that their leaf has started. */
static void preempt_hold_parts(sked_engine *e, int64_t *left)
{
    round_placement *all = e->preempt->placements.item;

    for (size_t i = e->preempt->placements.n; i-- > 0;) {
        round_placement *placement = &all[i];
        int64_t step[SKED_MAX_KINDS] = {0};
        if (placement->waits != ROUND_WAIT_PART ||
            !preempt_is_newly_due(e, placement)) {
            continue;
        }
        int64_t *sum = preempt_sums_for(e, left, placement);
        preempt_add_step(e, step, placement, 1);
        if (!preempt_is_no_more(e, step, sum)) continue;
        preempt_add_step(e, sum, placement, -1);
        placement->due = 0;
    }
}

/* Holds back all newly due steps of ROUND_WAIT_WHOLE of a leaf, or none. The
 * steps wait if `left` covers all newly due steps of the leaf. */
static void preempt_hold_wholes(sked_engine *e, const int64_t *left,
                                int64_t *need)
{
    round_placement *all = e->preempt->placements.item;
    size_t n = e->preempt->placements.n;

    memset(need, 0, e->preempt->started.n * sizeof *need);
    for (size_t i = 0; i < n; i++) {
        if (preempt_is_newly_due(e, &all[i])) {
            preempt_add_step(e, preempt_sums_for(e, need, &all[i]), &all[i], 1);
        }
    }
    for (size_t i = 0; i < n; i++) {
        const int64_t *all_due = preempt_sums_for(e, need, &all[i]);
        if (all[i].waits != ROUND_WAIT_WHOLE ||
            !preempt_is_newly_due(e, &all[i]))
            continue;
        if (preempt_is_no_more(e, all_due, left + (all_due - need)))
            all[i].due = 0;
    }
}

int skedi_started_hold(sked_engine *e)
{
    const struct engine_preempt *own = e->preempt;
    size_t n = own->started.n;

    if (own->watches || own->untold) return 1;
    int64_t *left = skedi_round_reserve(e, 2 * n, sizeof *left);
    if (!left) return 0;
    if (n > 0) memcpy(left, own->started.item, n * sizeof *left);
    preempt_hold_parts(e, left);
    preempt_hold_wholes(e, left, left + n);
    return 1;
}
