/*
 * The counts of a node stand in one row, so that a node that changed is one
 * place in memory however many sorts of gangs wait. A count is 0 where the node
 * takes nothing new or the rule does not take it.
 */
#include <stddef.h>
#include <string.h>

#include "base/assert.h"
#include "engine/domains.h"
#include "engine/gang_fit.h"
#include "engine/filter.h"
#include "engine/store.h"

/* ---- Counting ---- */

uint32_t skedi_fit_times(const sked_engine *e, const int64_t *task,
                         const int64_t *amounts, uint32_t most)
{
    int64_t times = most;

    for (uint32_t k = 0; k < e->kinds; k++) {
        if (task[k] == 0) continue;
        times = skedi_i64_min(times, skedi_i64_max(amounts[k], 0) / task[k]);
    }
    return (uint32_t)times;
}

static uint32_t gang_count_on(const sked_engine *e, uint32_t fit, uint32_t node)
{
    const engine_fit *f = fit_at(e, fit);

    if (node_at(e, node)->state != NODE_OPEN) return 0;
    if (!skedi_set_takes(e, f->set, node)) return 0;
    return skedi_fit_times(e, engine_row_of(e, &e->fits.task, fit),
                           engine_row_of(e, &e->node_free, node), f->per_node);
}

static void gang_note_count(sked_engine *e, uint32_t fit, uint32_t node)
{
    SKEDI_ASSERT(node < e->fits.cap);
    engine_partition *part = &e->partition[node_at(e, node)->partition];
    uint32_t *at = &e->fits.on[(size_t)node * e->fits.width + fit];
    uint32_t before = *at;

    *at = gang_count_on(e, fit, node);
    part->fit_sum[fit] += (uint64_t)*at - before;
    if (part->fit_sum[fit] < part->fit_wanted[fit]) return;
    part->fit_wanted[fit] = UINT64_MAX;
    part->changes++;
}

void skedi_fits_count(sked_engine *e)
{
    uint32_t node = e->fits.moved;

    while (node != SKEDI_NONE) {
        engine_node *n = node_at(e, node);
        uint32_t next = n->moved - 1;
        n->moved = 0;
        for (uint32_t f = 0; f < e->fits.pool.n; f++) {
            if (fit_at(e, f)->uses) gang_note_count(e, f, node);
        }
        node = next == node ? SKEDI_NONE : next;
    }
    e->fits.moved = SKEDI_NONE;
}

void skedi_fits_see_node(sked_engine *e, uint32_t node)
{
    engine_fits *f = &e->fits;

    if (f->pool.live == 0) return;
    memset(f->on + (size_t)node * f->width, 0, f->width * sizeof *f->on);
    skedi_fits_touch(e, node);
}

/* Tasks that nodes of a partition hold when they are empty; `*any`: 1 when
 * there is a node. */
static uint64_t gang_tasks_when_empty(const sked_engine *e,
                                      const engine_spread *gang,
                                      uint32_t partition, int *any)
{
    int even = gang->each > 0 && gang->tasks % gang->each == 0;
    uint64_t sum = 0;

    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        const int64_t *own = engine_row_of(e, &e->node_capacity, n);
        if (node_at(e, n)->partition != partition) continue;
        *any = 1;
        uint32_t here = skedi_fit_times(e, gang->task, own, gang->per_node);
        sum += even && here < gang->each ? 0 : here;
    }
    return sum;
}

int skedi_fit_may(const sked_engine *e, const engine_spread *gang,
                  uint32_t partition)
{
    int all = partition == SKED_ANY_PARTITION, any = 0;
    uint32_t p = all ? 0 : partition, end = all ? e->parts : partition + 1;

    while (p < end &&
           gang_tasks_when_empty(e, gang, p, &any) < (uint64_t)gang->tasks) {
        p++;
    }
    return p < end || !any;
}

int skedi_shape_may_fit(const sked_engine *e, uint32_t shape,
                        uint32_t partition, uint32_t each)
{
    const engine_shape *s = shape_at(e, shape);

    if (s->fit == SKEDI_NONE) return 1;
    const engine_spread gang = {engine_row_of(e, &e->shape_task, shape),
                                s->times, fit_at(e, s->fit)->per_node, each};
    return skedi_fit_may(e, &gang, partition);
}

void skedi_fit_turn_away(sked_engine *e, uint32_t shape, uint32_t partition,
                         uint64_t wanted)
{
    uint32_t fit = shape_at(e, shape)->fit;
    uint64_t *least = &e->partition[partition].fit_wanted[fit];

    if (wanted < *least) *least = wanted;
}

void skedi_fits_sum(sked_engine *e)
{
    for (uint32_t f = 0; f < e->fits.pool.n; f++) {
        for (uint32_t p = 0; p < e->parts; p++) {
            e->partition[p].fit_sum[f] = 0;
            e->partition[p].fit_wanted[f] = UINT64_MAX;
        }
        for (uint32_t n = e->first_node; fit_at(e, f)->uses && n != SKEDI_NONE;
             n = node_at(e, n)->next) {
            e->partition[node_at(e, n)->partition]
                .fit_sum[f] += e->fits.on[(size_t)n * e->fits.width + f];
        }
    }
}

/* ---- Memory ---- */

/* Rows of so many counts for so many nodes, with what there is. 0: no
 * memory. */
static int gang_widen_counts(sked_engine *e, size_t cap, size_t width)
{
    engine_fits *f = &e->fits;

    if (cap == f->cap && width == f->width) return 1;
    uint32_t *on = skedi_new(&e->hooks.mem, cap * width, sizeof *on);
    if (!on) return 0;
    for (size_t n = 0; n < f->cap && f->width > 0; n++) {
        memcpy(on + n * width, f->on + n * f->width, f->width * sizeof *on);
    }
    skedi_free(&e->hooks.mem, f->on, f->cap * f->width, sizeof *on);
    f->on = on;
    f->cap = cap;
    f->width = width;
    return 1;
}

int skedi_fits_node_reserve(sked_engine *e)
{
    return e->fits.width == 0 ||
           gang_widen_counts(e, e->nodes.cap, e->fits.width);
}

int skedi_fits_partition_reserve(sked_engine *e, engine_partition *part)
{
    size_t cap = e->fits.pool.cap, old = part->fit_cap;
    skedi_mem *mem = &e->hooks.mem;

    if (old >= cap) return 1;
    uint64_t *sum = skedi_new(mem, cap, sizeof *sum);
    uint64_t *wanted = sum ? skedi_new(mem, cap, sizeof *wanted) : NULL;
    if (!wanted) {
        skedi_free(mem, sum, cap, sizeof *sum);
        return 0;
    }
    for (size_t i = 0; i < old; i++) {
        sum[i] = part->fit_sum[i];
        wanted[i] = part->fit_wanted[i];
    }
    skedi_fits_partition_free(e, part);
    part->fit_sum = sum;
    part->fit_wanted = wanted;
    part->fit_cap = cap;
    return 1;
}

void skedi_fits_partition_free(sked_engine *e, engine_partition *part)
{
    size_t size = sizeof *part->fit_sum;

    skedi_free(&e->hooks.mem, part->fit_sum, part->fit_cap, size);
    skedi_free(&e->hooks.mem, part->fit_wanted, part->fit_cap, size);
}

int skedi_fit_reserve(sked_engine *e, uint64_t more)
{
    engine_fits *f = &e->fits;
    skedi_mem *mem = &e->hooks.mem;

    if (!skedi_pool_reserve(&f->pool, mem, more) ||
        !skedi_amounts_reserve(e, &f->task, &f->pool) ||
        !skedi_keymap_reserve(&f->of, mem, f->of.n + (size_t)more) ||
        !gang_widen_counts(e, e->nodes.cap, f->pool.cap)) {
        return 0;
    }
    for (uint32_t p = 0; p < e->parts; p++) {
        if (!skedi_fits_partition_reserve(e, &e->partition[p])) return 0;
    }
    return 1;
}

void skedi_fits_start(sked_engine *e)
{
    skedi_pool_start(&e->fits.pool, sizeof(engine_fit));
    skedi_keymap_start(&e->fits.of, &e->fits.pool.item, sizeof(engine_fit),
                       offsetof(engine_fit, name));
    e->fits.moved = SKEDI_NONE;
}

void skedi_fits_free(sked_engine *e)
{
    engine_fits *f = &e->fits;

    skedi_free(&e->hooks.mem, f->on, f->cap * f->width, sizeof *f->on);
    skedi_amounts_free(e, &f->task);
    skedi_pool_free(&f->pool, &e->hooks.mem);
    skedi_keymap_free(&f->of, &e->hooks.mem);
}

/* ---- Fits ---- */

static uint64_t gang_fit_hash(const sked_engine *e, const int64_t *task,
                              uint32_t set, engine_gang gang)
{
    skedi_hash hash;

    skedi_hash_start(&hash, gang.per_node);
    if (gang.same) skedi_hash_u64(&hash, gang.same);
    skedi_hash_u32(&hash, set);
    for (uint32_t k = 0; k < e->kinds; k++) {
        skedi_hash_u64(&hash, (uint64_t)task[k]);
    }
    return skedi_hash_end(&hash) | 1;
}

uint32_t skedi_fit_take(sked_engine *e, const int64_t *task, uint32_t set,
                        engine_gang gang)
{
    uint64_t name = gang_fit_hash(e, task, set, gang);
    size_t size = e->kinds * sizeof *task;
    uint32_t fit;

    /* Fits with one hash stand under odd names that follow each other. */
    while ((fit = skedi_keymap_get(&e->fits.of, name)) != SKEDI_NONE) {
        engine_fit *f = fit_at(e, fit);
        const int64_t *own = engine_row_of(e, &e->fits.task, fit);
        if (f->set == set && f->per_node == gang.per_node &&
            f->same == gang.same && memcmp(own, task, size) == 0) {
            f->uses++;
            return fit;
        }
        name += 2;
    }
    fit = skedi_pool_take(&e->fits.pool);
    *fit_at(e, fit) = (engine_fit){.name = name,
                                   .uses = 1,
                                   .set = set,
                                   .per_node = gang.per_node,
                                   .same = gang.same};
    if (gang.same) (void)skedi_domains_use(e, gang.same); /* one more */
    memcpy(engine_row_of(e, &e->fits.task, fit), task, size);
    skedi_keymap_put(&e->fits.of, name, fit);
    for (uint32_t p = 0; p < e->parts; p++) {
        e->partition[p].fit_sum[fit] = 0;
        e->partition[p].fit_wanted[fit] = UINT64_MAX;
    }
    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        e->fits.on[(size_t)n * e->fits.width + fit] = 0;
        gang_note_count(e, fit, n);
    }
    return fit;
}

void skedi_fit_give(sked_engine *e, uint32_t fit)
{
    uint64_t same = fit_at(e, fit)->same;

    if (--fit_at(e, fit)->uses > 0) return;
    if (same) skedi_domains_unuse(e, same);
    skedi_keymap_remove(&e->fits.of, fit_at(e, fit)->name);
    skedi_pool_give(&e->fits.pool, fit);
}

/* ---- Whether that is so ---- */

/* Is a node's count right, or listed to be made anew? */
static int gang_count_is_right(const sked_engine *e, uint32_t fit,
                               uint32_t node)
{
    uint32_t on = e->fits.on[(size_t)node * e->fits.width + fit];

    return node_at(e, node)->moved || on == gang_count_on(e, fit, node);
}

/* Do the counts of a partition's nodes come to its sum? */
static int gang_sum_is_right(const sked_engine *e, uint32_t fit,
                             uint32_t partition)
{
    uint64_t sum = 0;

    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        if (node_at(e, n)->partition != partition) continue;
        if (!gang_count_is_right(e, fit, n)) return 0;
        sum += e->fits.on[(size_t)n * e->fits.width + fit];
    }
    return sum == e->partition[partition].fit_sum[fit];
}

int skedi_fits_are_sound(const sked_engine *e)
{
    for (uint32_t f = 0; f < e->fits.pool.n; f++) {
        uint32_t uses = 0;
        for (uint32_t i = 0; i < e->shapes.n; i++) {
            uses += shape_at(e, i)->uses > 0 && shape_at(e, i)->fit == f;
        }
        if (uses != fit_at(e, f)->uses) return 0;
        for (uint32_t p = 0; uses > 0 && p < e->parts; p++) {
            if (!gang_sum_is_right(e, f, p)) return 0;
        }
    }
    return 1;
}
