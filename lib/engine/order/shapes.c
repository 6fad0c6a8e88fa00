/*
 * A shape is what a task and what one step of an ask take, and from which
 * nodes; asks that are alike in these share it. In a partition with open asks
 * of the shape it has a class, which is free again when the last of them has
 * gone.
 */
#include "engine/order/shapes.h"

#include <string.h>

#include "engine/queue.h"
#include "engine/order/fits.h"
#include "engine/order/sets.h"
#include "engine/store.h"

static uint64_t shape_hash(const sked_engine *e, const int64_t *task,
                           int64_t times, uint32_t set)
{
    skedi_hash hash;

    skedi_hash_start(&hash, (uint64_t)times);
    if (set != SKEDI_NONE) skedi_hash_u32(&hash, set);
    for (uint32_t k = 0; k < e->kinds; k++) {
        skedi_hash_u64(&hash, (uint64_t)task[k]);
    }
    return skedi_hash_end(&hash) | 1;
}

/* Does a shape have such gangs over nodes, of as many tasks; or are both no
 * gangs over nodes? */
static int same_spread(const sked_engine *e, uint32_t shape, int64_t times,
                       engine_gang gang)
{
    const engine_gang own = skedi_shape_gang(e, shape);

    if (own.per_node != gang.per_node || own.same != gang.same) return 0;
    return gang.per_node == 0 || shape_at(e, shape)->times == times;
}

static int same_shape(const sked_engine *e, uint32_t shape, const int64_t *task,
                      int64_t times)
{
    const int64_t *own = engine_row_of(e, &e->shape_task, shape);
    const int64_t *step = engine_row_of(e, &e->shape_step, shape);

    for (uint32_t k = 0; k < e->kinds; k++) {
        if (own[k] != task[k] || step[k] != task[k] * times) return 0;
    }
    return 1;
}

static int class_reserve(sked_engine *e, engine_partition *part)
{
    size_t cap = e->shapes.cap, old = part->class_cap;
    skedi_mem *mem = &e->hooks.mem;

    if (old >= cap) return 1;
    uint32_t *count = skedi_new(mem, cap, sizeof *count);
    uint8_t *class_of = count ? skedi_new(mem, cap, 1) : NULL;
    if (!class_of) {
        skedi_free(mem, count, cap, sizeof *count);
        return 0;
    }
    memset(class_of, SKEDI_NO_CLASS, cap);
    if (old) {
        memcpy(class_of, part->class_of, old);
        memcpy(count, part->shape_count, old * sizeof *count);
    }
    skedi_free(mem, part->class_of, old, 1);
    skedi_free(mem, part->shape_count, old, sizeof *count);
    part->class_of = class_of;
    part->shape_count = count;
    part->class_cap = cap;
    return 1;
}

int skedi_shape_reserve(sked_engine *e, uint64_t more)
{
    if (!skedi_pool_reserve(&e->shapes, &e->hooks.mem, more) ||
        !skedi_amounts_reserve(e, &e->shape_step, &e->shapes) ||
        !skedi_amounts_reserve(e, &e->shape_task, &e->shapes)) {
        return 0;
    }
    for (uint32_t p = 0; p < e->parts; p++) {
        engine_partition *part = &e->partition[p];
        if (!class_reserve(e, part)) return 0;
    }
    return skedi_keymap_reserve(&e->shape_of, &e->hooks.mem,
                                e->shape_of.n + (size_t)more);
}

uint32_t skedi_shape_take(sked_engine *e, const int64_t *task, int64_t times,
                          uint32_t set, engine_gang gang)
{
    uint64_t name = shape_hash(e, task, times, set) +
                    2 * (gang.per_node + gang.same * 31);
    uint32_t shape;

    /* Shapes with one hash stand under odd names that follow each other. */
    while ((shape = skedi_keymap_get(&e->shape_of, name)) != UINT32_MAX) {
        engine_shape *known = shape_at(e, shape);
        if (known->bucket == 0 && known->set == set &&
            same_spread(e, shape, times, gang) &&
            same_shape(e, shape, task, times)) {
            known->uses++;
            return shape;
        }
        name += 2;
    }
    shape = skedi_pool_take(&e->shapes);
    *shape_at(e, shape) = (engine_shape){.name = name,
                                         .uses = 1,
                                         .set = set,
                                         .fit = SKEDI_NONE,
                                         .plain = SKEDI_NONE,
                                         .times = (uint32_t)times};
    if (gang.per_node) {
        uint32_t fit = skedi_fit_take(e, task, set, gang);
        shape_at(e, shape)->fit = fit;
    }
    if (set != SKEDI_NONE) set_at(e, set)->uses++;
    for (uint32_t k = 0; k < e->kinds; k++) {
        engine_row_of(e, &e->shape_task, shape)[k] = task[k];
        engine_row_of(e, &e->shape_step, shape)[k] = task[k] * times;
    }
    skedi_keymap_put(&e->shape_of, name, shape);
    return shape;
}

static uint32_t make_bucket(sked_engine *e, uint32_t plain, uint32_t bucket,
                            uint64_t name)
{
    uint32_t shape = skedi_pool_take(&e->shapes);
    engine_shape *of = shape_at(e, plain);
    size_t size = e->kinds * sizeof(int64_t);

    *shape_at(e, shape) = (engine_shape){.name = name,
                                         .uses = 1,
                                         .set = of->set,
                                         .fit = of->fit,
                                         .times = of->times,
                                         .plain = plain,
                                         .bucket = bucket,
                                         .first = SKEDI_NONE};
    of->uses++;
    if (of->set != SKEDI_NONE) set_at(e, of->set)->uses++;
    if (of->fit != SKEDI_NONE) fit_at(e, of->fit)->uses++;
    memcpy(engine_row_of(e, &e->shape_task, shape),
           engine_row_of(e, &e->shape_task, plain), size);
    memcpy(engine_row_of(e, &e->shape_step, shape),
           engine_row_of(e, &e->shape_step, plain), size);
    skedi_keymap_put(&e->shape_of, name, shape);
    return shape;
}

uint32_t skedi_shape_bucket(sked_engine *e, uint32_t plain, uint32_t bucket)
{
    skedi_hash hash;
    uint32_t shape;

    skedi_hash_start(&hash, bucket);
    skedi_hash_u32(&hash, plain);
    uint64_t name = (skedi_hash_end(&hash) | 1) - 2;
    while ((shape = skedi_keymap_get(&e->shape_of, name += 2)) != UINT32_MAX) {
        engine_shape *known = shape_at(e, shape);
        if (known->bucket == bucket && known->plain == plain) {
            known->uses++;
            return shape;
        }
    }
    return make_bucket(e, plain, bucket, name);
}

void skedi_shape_give(sked_engine *e, uint32_t shape)
{
    engine_shape *known = shape_at(e, shape);

    uint32_t plain = known->plain;

    if (--known->uses > 0) return;
    skedi_keymap_remove(&e->shape_of, known->name);
    if (known->fit != SKEDI_NONE) skedi_fit_give(e, known->fit);
    if (known->set != SKEDI_NONE) skedi_set_give(e, known->set);
    skedi_pool_give(&e->shapes, shape);
    if (plain != SKEDI_NONE) skedi_shape_give(e, plain);
}

/* ---- Classes ---- */

static int64_t *least_of(const sked_engine *e, uint32_t partition,
                         uint32_t class)
{
    return e->least + ((size_t)partition * 64 + class) * e->kinds;
}

/* Eight times the logarithm of an amount to base 2, about. */
static int32_t log_of_amount(int64_t amount)
{
    uint64_t all = (uint64_t)amount + 1;
    int32_t bits = 63 - (int32_t)skedi_clz64(all);

    return bits * 8 + (int32_t)((all << (63 - bits) >> 60) & 7);
}

/* How far a step is from the least of a class, in all kinds together. */
static int64_t step_distance(const sked_engine *e, const int64_t *least,
                             const int64_t *step)
{
    int64_t sum = 0;

    for (uint32_t k = 0; k < e->kinds; k++) {
        int32_t by = log_of_amount(least[k]) - log_of_amount(step[k]);
        sum += by < 0 ? -by : by;
    }
    return sum;
}

/* The mixed class that a shape joins: one of its own if there is one, else the
 * one that it is nearest to. */
static uint32_t class_near(const sked_engine *e, uint32_t partition,
                           uint32_t shape)
{
    uint64_t free = ~e->partition[partition].classes & SKEDI_MIXED_CLASSES;
    const int64_t *step = skedi_shape_part(e, shape);
    uint32_t best = SKEDI_MIXED_CLASS;
    int64_t least = INT64_MAX;

    if (free) return skedi_ctz64(free);
    for (uint32_t class = SKEDI_MIXED_CLASS; class < 64; class ++) {
        int64_t far = step_distance(e, least_of(e, partition, class), step);
        if (far >= least) continue;
        best = class;
        least = far;
    }
    return best;
}

/* Lowers the least step of a class to that of a shape that joins it. */
static void lower_least(sked_engine *e, uint32_t partition, uint32_t class,
                        uint32_t shape)
{
    const int64_t *step = skedi_shape_part(e, shape);
    int64_t *least = least_of(e, partition, class);
    int first = e->partition[partition].class_count[class] == 0;

    for (uint32_t k = 0; k < e->kinds; k++) {
        least[k] = first ? step[k] : skedi_i64_min(least[k], step[k]);
    }
}

/* A class for a shape: a free one of its own that is struck from no queue, or
 * else a mixed one. */
static uint32_t class_free(sked_engine *e, uint32_t partition, uint32_t shape)
{
    engine_partition *part = &e->partition[partition];
    uint64_t free = ~(part->classes | SKEDI_MIXED_CLASSES);

    if (!free) return class_near(e, partition, shape);
    if (!(free & ~part->struck)) skedi_books_unstrike(e, partition, free);
    return skedi_ctz64(free & ~part->struck);
}

static engine_mixture *mixture_at(engine_partition *part, uint32_t class)
{
    return &part->mixed[class - SKEDI_MIXED_CLASS];
}

/* A shape has its first entry of a mixed class. */
static void list_shape(engine_mixture *mix, uint32_t shape)
{
    mix->shapes++;
    if (mix->listed < SKEDI_LISTED_SHAPES) mix->shape[mix->listed++] = shape;
}

/* The last entry of a shape has gone. */
static void unlist_shape(engine_mixture *mix, uint32_t shape)
{
    mix->shapes--;
    for (uint32_t i = 0; i < mix->listed; i++) {
        if (mix->shape[i] != shape) continue;
        mix->shape[i] = mix->shape[--mix->listed];
        return;
    }
}

void skedi_class_take(sked_engine *e, uint32_t partition, uint32_t shape)
{
    engine_partition *part = &e->partition[partition];
    uint32_t class = part->class_of[shape];

    if (class == SKEDI_NO_CLASS) {
        class = class_free(e, partition, shape);
        part->class_of[shape] = (uint8_t) class;
        part->classes |= (uint64_t)1 << class;
        if (shape_at(e, shape)->bucket) part->apart |= (uint64_t)1 << class;
        part->shape[class] = shape;
        lower_least(e, partition, class, shape);
        if (class >= SKEDI_MIXED_CLASS) {
            list_shape(mixture_at(part, class), shape);
        }
    }
    part->class_count[class]++;
    part->shape_count[shape]++;
}

void skedi_class_give(engine_partition *part, uint32_t shape)
{
    uint32_t class = part->class_of[shape];

    if (--part->shape_count[shape] == 0) {
        part->class_of[shape] = SKEDI_NO_CLASS;
        if (class >= SKEDI_MIXED_CLASS) {
            unlist_shape(mixture_at(part, class), shape);
        }
    }
    if (--part->class_count[class] == 0) {
        part->classes &= ~((uint64_t)1 << class);
        part->apart &= ~((uint64_t)1 << class);
    }
}

/* Does a shape of a mixed class fit, or is not every shape of it listed? */
static int mixture_fits(const sked_engine *e, const engine_mixture *mix,
                        const int64_t *free)
{
    if (mix->listed < mix->shapes) return 1;
    for (uint32_t i = 0; i < mix->listed; i++) {
        if (skedi_step_fits(e, mix->shape[i], free)) return 1;
    }
    return 0;
}

uint64_t skedi_classes_fit(const sked_engine *e, uint32_t partition,
                           uint64_t among, const int64_t *free)
{
    const engine_mixture *mixed = e->partition[partition].mixed;
    uint64_t fit = 0;

    for (uint64_t left = among; left; left &= left - 1) {
        unsigned class = skedi_ctz64(left);
        if (!skedi_amounts_fit(e, least_of(e, partition, class), free))
            continue;
        if (class >= SKEDI_MIXED_CLASS &&
            !mixture_fits(e, &mixed[class - SKEDI_MIXED_CLASS], free)) {
            continue;
        }
        fit |= (uint64_t)1 << class;
    }
    return fit;
}
