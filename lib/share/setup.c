/*
 * Options, shapes, and one kind as a whole: two sweeps over the families,
 * which stand in the order of their parents' rows and so level by level: from
 * the last level up, and forwards from the root down.
 */
#include "share/setup.h"

#include <string.h>

#include "base/fail.h"
#include "base/versioned.h"

SKEDI_NO_TAIL_PADDING(sked_share_options, kind);

enum {
    SHARE_OPTIONS_V1 = SKEDI_SIZE_THROUGH(sked_share_options, kind),
    SHARE_FLAGS = SKED_SHARE_FLAG_BANDS | SKED_SHARE_FLAG_ANTICIPATE |
                  SKED_SHARE_FLAG_GUARANTEED_ONLY | SKED_SHARE_FLAG_BY_DEMAND,
    QUEUES_A_CHECK = 4096
};

static int is_within(int32_t value, int32_t last)
{
    return value >= 0 && value <= last;
}

/* Does a flag speak of this model? */
static int flags_fit(const sked_share_options *o)
{
    int capacity = o->model == SKED_SHARE_MODEL_CAPACITY;
    int asks = capacity || o->model == SKED_SHARE_MODEL_ENTITLEMENT;

    if (o->flags & ~(uint32_t)SHARE_FLAGS) return 0;
    if (o->scope == SKED_SHARE_SCOPE_DOMINANT && (o->flags || o->model))
        return 0;
    if (o->flags & SKED_SHARE_FLAG_ANTICIPATE && !asks) return 0;
    if (o->flags & SKED_SHARE_FLAG_GUARANTEED_ONLY && !capacity) return 0;
    return !(o->flags & SKED_SHARE_FLAG_BY_DEMAND) || !asks;
}

sked_status skedi_share_options_in(sked_share_options *options,
                                   skedi_share_model *model,
                                   const sked_share_options *from,
                                   sked_error *err)
{
    sked_status rc = skedi_struct_in(options, sizeof *options, from,
                                     SHARE_OPTIONS_V1);

    if (rc != SKED_OK) {
        return skedi_fail_version(err, "options");
    }
    if (!is_within(options->model, SKED_SHARE_MODEL_CAPACITY) ||
        !is_within(options->scope, SKED_SHARE_SCOPE_DOMINANT) ||
        !is_within(options->rounding, SKED_APPORTION_PREFIX)) {
        return skedi_fail_plain(err, SKED_ERR_ARG,
                                "no such model, scope or rounding");
    }
    if (!flags_fit(options)) {
        return skedi_fail_plain(
            err, SKED_ERR_ARG, "a flag that this model or scope does not have");
    }
    if (options->kind >= SKED_MAX_KINDS) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "no such kind",
            (skedi_fault){.got = options->kind, .limit = SKED_MAX_KINDS - 1});
    }
    *model = (skedi_share_model){
        .model = options->model,
        .by_demand = (options->flags & SKED_SHARE_FLAG_BY_DEMAND) != 0,
        .anticipate = (options->flags & SKED_SHARE_FLAG_ANTICIPATE) != 0,
        .all_weigh = !(options->flags & SKED_SHARE_FLAG_GUARANTEED_ONLY),
        .bands = (options->flags & SKED_SHARE_FLAG_BANDS) != 0,
    };
    return SKED_OK;
}

/* ---- Shapes ---- */

void skedi_share_shape_free(skedi_share_shape_memory *memory, skedi_mem *mem)
{
    if (memory->families) {
        skedi_free(mem, memory->families, memory->rows,
                   sizeof *memory->families);
    }
    if (memory->family) {
        skedi_free(mem, memory->family, memory->rows, sizeof *memory->family);
    }
    if (memory->member) {
        skedi_free(mem, memory->member, memory->rows, sizeof *memory->member);
    }
    *memory = (skedi_share_shape_memory){0};
}

int skedi_share_shape_ensure(skedi_share_shape_memory *memory, skedi_mem *mem,
                             size_t rows)
{
    skedi_share_shape_memory next = {.rows = rows};

    if (rows <= memory->rows) return 1;
    next.families = skedi_new(mem, rows, sizeof *next.families);
    next.family = skedi_new(mem, rows, sizeof *next.family);
    next.member = skedi_new(mem, rows, sizeof *next.member);
    if (!next.families || !next.family || !next.member) {
        skedi_share_shape_free(&next, mem);
        return 0;
    }
    skedi_share_shape_free(memory, mem);
    *memory = next;
    return 1;
}

skedi_share_shape skedi_share_shape_of(skedi_share_shape_memory *memory,
                                       const int32_t *parent, size_t rows)
{
    uint32_t n = 0, widest = 1;
    skedi_family *f = NULL;

    for (size_t row = 0; row < rows; row++)
        memory->family[row] = SKEDI_NO_FAMILY;
    memory->member[0] = SKEDI_NO_FAMILY;
    for (uint32_t row = 1; row < rows; row++) {
        uint32_t up = (uint32_t)parent[row];
        if (!f || f->parent != up) {
            f = &memory->families[n];
            *f = (skedi_family){.parent = up, .first = row};
            memory->family[up] = n++;
        }
        memory->member[row] = n - 1;
        if (++f->count > widest) widest = f->count;
    }
    for (uint32_t i = 1; i < n; i++) {
        memory->families[memory->member[memory->families[i].parent]].mixed = 1;
    }
    return (skedi_share_shape){
        .families = memory->families,
        .family = memory->family,
        .member = memory->member,
        .n = (uint32_t)rows,
        .n_families = n,
        .widest = widest,
    };
}

/* ---- One kind ---- */

sked_status skedi_share_step(skedi_share_progress *progress, uint64_t queues)
{
    progress->done += queues;
    if (!progress->hooks || progress->done - progress->asked < QUEUES_A_CHECK) {
        return SKED_OK;
    }
    progress->asked = progress->done;
    /* Raises repeat until nothing moves: their total is not known before. */
    uint64_t done = progress->done < progress->total ? progress->done
                                                     : progress->total;
    return skedi_hooks_check(progress->hooks, done, progress->total);
}

/* The families of each level: from[l] up to from[l + 1]. Their number. */
static uint32_t height_levels(const skedi_share_shape *shape, uint32_t *from)
{
    uint32_t levels = 0, to = shape->n_families > 0, i = 0;

    from[0] = 0;
    while (i < to) {
        const skedi_family *last = &shape->families[to - 1];
        uint32_t end = last->first + last->count; /* of the children's rows */
        from[++levels] = i = to;
        while (to < shape->n_families && shape->families[to].parent < end) to++;
    }
    return levels;
}

/* Sums from the leaves up; but within a level forwards, as memory likes it. */
static sked_status sum_whole(const skedi_share_kind *kind,
                             skedi_family_memory *memory,
                             skedi_share_progress *progress)
{
    uint32_t from[SKED_MAX_DEPTH + 2];
    uint32_t levels = height_levels(kind->shape, from);
    sked_status rc = SKED_OK;

    while (levels-- > 0) {
        for (uint32_t i = from[levels]; i < from[levels + 1]; i++) {
            (void)skedi_family_sum(kind, memory, i);
            rc = skedi_share_step(progress, kind->shape->families[i].count);
            if (rc != SKED_OK) return rc;
        }
    }
    return rc;
}

sked_status skedi_share_whole(const skedi_share_kind *kind,
                              skedi_family_memory *memory,
                              skedi_share_progress *progress)
{
    const skedi_share_shape *shape = kind->shape;
    sked_status rc = sum_whole(kind, memory, progress);

    if (rc != SKED_OK) return rc;
    kind->share[0] = skedi_share_of_root(kind);
    for (uint32_t i = 0; i < shape->n_families && rc == SKED_OK; i++) {
        skedi_family_refill(kind, memory, i);
        progress->families++;
        progress->queues += shape->families[i].count;
        rc = skedi_share_step(progress, shape->families[i].count);
    }
    return rc;
}
