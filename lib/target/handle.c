/*
 * Targets round by round: what is remembered between rounds, and reads of the
 * last one. The rounds themselves are target/round.c.
 */
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "target/handle.h"

/* ---- Clocks ---- */

void skedi_target_clocks_free(skedi_target_clocks *clocks, skedi_mem *mem)
{
    size_t n = clocks->n;

    skedi_free(mem, clocks->id, n, sizeof *clocks->id);
    skedi_free(mem, clocks->birth, n, sizeof *clocks->birth);
    skedi_free(mem, clocks->min_since, n, sizeof *clocks->min_since);
    skedi_free(mem, clocks->fair_since, n, sizeof *clocks->fair_since);
    skedi_free(mem, clocks->rounds, n, sizeof *clocks->rounds);
    *clocks = (skedi_target_clocks){0};
}

int skedi_target_clocks_make(skedi_target_clocks *clocks, skedi_mem *mem,
                             size_t n)
{
    *clocks = (skedi_target_clocks){.n = n};
    return (clocks->id = skedi_new(mem, n, sizeof *clocks->id)) &&
           (clocks->birth = skedi_new(mem, n, sizeof *clocks->birth)) &&
           (clocks->min_since = skedi_new(mem, n, sizeof(sked_time))) &&
           (clocks->fair_since = skedi_new(mem, n, sizeof(sked_time))) &&
           (clocks->rounds = skedi_new(mem, n, sizeof *clocks->rounds));
}

static int clocks_copy(skedi_target_clocks *to, const skedi_target_clocks *from,
                       skedi_mem *mem)
{
    size_t n = from->n;

    if (!skedi_target_clocks_make(to, mem, n)) return 0;
    to->now = from->now;
    if (n == 0) return 1;
    memcpy(to->id, from->id, n * sizeof *to->id);
    memcpy(to->birth, from->birth, n * sizeof *to->birth);
    memcpy(to->min_since, from->min_since, n * sizeof *to->min_since);
    memcpy(to->fair_since, from->fair_since, n * sizeof *to->fair_since);
    memcpy(to->rounds, from->rounds, n * sizeof *to->rounds);
    return 1;
}

/* ---- The past ---- */

static void past_free(skedi_target_past *past, skedi_mem *mem)
{
    for (size_t i = 0; past->clocks && i < past->partitions; i++) {
        skedi_target_clocks_free(&past->clocks[i], mem);
    }
    skedi_free(mem, past->clocks, past->partitions, sizeof *past->clocks);
    *past = (skedi_target_past){0};
}

static int past_of(const sked_target *target, skedi_target_past *past,
                   skedi_mem *mem)
{
    past->partitions = target->partitions;
    past->clocks = skedi_new(mem, past->partitions, sizeof *past->clocks);
    if (!past->clocks) return 0;
    for (size_t i = 0; i < past->partitions; i++) {
        if (!clocks_copy(&past->clocks[i], &target->clocks[i], mem)) return 0;
    }
    return 1;
}

int skedi_target_note(sked_target *target, skedi_target_past *past)
{
    return past_of(target, past, &target->hooks.mem);
}

void skedi_target_restore(sked_target *target, skedi_target_past *past)
{
    skedi_target_past now = {target->clocks, target->partitions};

    target->clocks = past->clocks;
    target->partitions = past->partitions;
    *past = now;
}

void skedi_target_forget(sked_target *target, skedi_target_past *past)
{
    past_free(past, &target->hooks.mem);
}

void skedi_target_rekey(sked_target *target, const skedi_image *old,
                        const skedi_image *now, const uint32_t *row_of)
{
    for (size_t p = 0; p < target->partitions; p++) {
        skedi_target_clocks *c = &target->clocks[p];
        for (size_t i = 0; i < c->n; i++) {
            uint32_t row = skedi_image_same(old, c->id[i], c->birth[i]);
            if (row == SKEDI_NO_ROW || row_of[row] == SKEDI_NO_ROW) continue;
            c->id[i] = now->id[row_of[row]];
            c->birth[i] = now->birth[row_of[row]];
        }
    }
}

void skedi_target_rest(sked_target *target, uint32_t partition)
{
    if (partition >= target->partitions) return;
    skedi_target_clocks *c = &target->clocks[partition];
    for (size_t i = 0; i < c->n; i++) {
        c->min_since[i] = c->fair_since[i] = SKED_UNSET;
        c->rounds[i] = 0;
    }
}

/* ---- Life ---- */

static void target_drop(sked_target *target)
{
    skedi_mem mem = target->hooks.mem;

    skedi_target_past all = {target->clocks, target->partitions};
    past_free(&all, &mem);
    target->hooks.mem = mem;
    skedi_targets_free(&target->last);
    mem = target->hooks.mem;
    skedi_free(&mem, target, 1, sizeof *target);
}

sked_status sked_target_new(const sked_target_options *options,
                            const sked_host *host, sked_target **target,
                            sked_error *err)
{
    skedi_hooks hooks;
    sked_target_options own;

    if (!target) return skedi_fail_null(err, "target");
    *target = NULL;
    sked_status rc = skedi_hooks_in(&hooks, host, err);
    if (rc == SKED_OK) rc = skedi_target_options_in(&own, options, err);
    if (rc != SKED_OK) return rc;
    sked_target *made = skedi_new(&hooks.mem, 1, sizeof *made);
    if (!made) {
        return skedi_fail_memory(err);
    }
    made->hooks = hooks;
    made->options = own;
    made->last.hooks = &made->hooks;
    *target = made;
    return SKED_OK;
}

void sked_target_free(sked_target *target)
{
    if (!target) return;
    sked_host host = target->hooks.host;
    target_drop(target);
    skedi_hooks_done(host);
}

/* What the last round found is not taken along: only what goes on. */
static int copy_into(sked_target *made, const sked_target *target)
{
    skedi_target_past past = {0};
    int all = past_of(target, &past, &made->hooks.mem);

    made->clocks = past.clocks;
    made->partitions = past.clocks ? past.partitions : 0;
    return all;
}

sked_status sked_target_copy(const sked_target *target, const sked_host *host,
                             sked_target **copy, sked_error *err)
{
    sked_target *made;

    if (!copy) return skedi_fail_null(err, "copy");
    *copy = NULL;
    if (!target) return skedi_fail_null(err, "target");
    sked_status rc = sked_target_new(NULL, host, &made, err);
    if (rc != SKED_OK) return rc;
    made->options = target->options;
    if (!copy_into(made, target)) {
        target_drop(made);
        return skedi_fail_memory(err);
    }
    *copy = made;
    return SKED_OK;
}

/* ---- Reads ---- */

const int64_t *sked_target_view(const sked_target *target, int32_t column,
                                size_t *n)
{
    static const int cells[] = {
        [SKED_TARGET_COLUMN_SHARE] = SKEDI_TARGET_SHARES,
        [SKED_TARGET_COLUMN_EXCESS] = SKEDI_TARGET_EXCESSES,
        [SKED_TARGET_COLUMN_KEEP] = SKEDI_TARGET_KEEPS,
        [SKED_TARGET_COLUMN_TAKE] = SKEDI_TARGET_TAKES,
        [SKED_TARGET_COLUMN_OWED] = SKEDI_TARGET_OWES,
        [SKED_TARGET_COLUMN_FIRST] = SKEDI_TARGET_FIRSTS,
        [SKED_TARGET_COLUMN_CLAIM] = SKEDI_TARGET_CLAIMS,
    };
    int known = column >= SKED_TARGET_COLUMN_SHARE &&
                column <= SKED_TARGET_COLUMN_CLAIM;

    if (n) *n = target ? target->last.n : 0;
    if (!target || !target->last.n || !known) return NULL;
    return skedi_targets_column(&target->last, cells[column]);
}

const uint32_t *sked_target_reasons(const sked_target *target, size_t *n)
{
    if (n) *n = target ? target->last.n : 0;
    return target && target->last.n ? target->last.reasons : NULL;
}

const int64_t *sked_target_total(const sked_target *target, int32_t total,
                                 size_t *n)
{
    if (n) *n = target ? target->last.kinds : 0;
    if (!target || !target->last.n) return NULL;
    switch (total) {
    case SKED_TARGET_TOTAL_NEED: return target->last.need;
    case SKED_TARGET_TOTAL_BUDGET: return target->last.budget;
    case SKED_TARGET_TOTAL_FREE: return target->last.free;
    default: return NULL;
    }
}

sked_status sked_target_clock(const sked_target *target, uint32_t partition,
                              sked_queue_id queue, sked_time *min_since,
                              sked_time *fair_since, uint32_t *rounds)
{
    if (!target) return SKED_ERR_ARG;
    if (partition >= target->partitions) return SKED_ERR_NOT_FOUND;
    const skedi_target_clocks *c = &target->clocks[partition];
    for (size_t i = 0; i < c->n; i++) {
        if (c->id[i] != queue) continue;
        if (min_since) *min_since = c->min_since[i];
        if (fair_since) *fair_since = c->fair_since[i];
        if (rounds) *rounds = c->rounds[i];
        return SKED_OK;
    }
    return SKED_ERR_NOT_FOUND;
}

uint64_t sked_target_digest(const sked_target *target)
{
    skedi_hash hash;

    if (!target) return 0;
    skedi_hash_start(&hash, 0);
    skedi_hash_u64(&hash, target->partitions);
    for (size_t p = 0; p < target->partitions; p++) {
        const skedi_target_clocks *c = &target->clocks[p];
        skedi_hash_u64(&hash, c->n);
        skedi_hash_u64(&hash, (uint64_t)c->now);
        for (size_t i = 0; i < c->n; i++) {
            skedi_hash_u64(&hash, c->id[i]);
            skedi_hash_u64(&hash, (uint64_t)c->min_since[i]);
            skedi_hash_u64(&hash, (uint64_t)c->fair_since[i]);
            skedi_hash_u32(&hash, c->rounds[i]);
        }
    }
    return skedi_hash_end(&hash);
}
