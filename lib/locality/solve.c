/*
 * Making a placement: the greedy pass, sweeps while they pay, and then the
 * splitting, which needs no good start but is quicker with one.
 */
#include "locality/flow.h"

#include <string.h>

#include "base/arith.h"
#include "base/fail.h"
#include "base/versioned.h"

SKEDI_NO_TAIL_PADDING(sked_locality_options, method);

enum {
    LOCALITY_OPTIONS_V1 = SKEDI_SIZE_THROUGH(sked_locality_options, method),
    SWEEPS_MOST = 6
};

/* ---- Sweeps ---- */

/* Equal hosts whose counts leave next to nothing to sweep. */
static int is_even(const skedi_loc *w)
{
    uint32_t blocks = w->in->blocks, least = UINT32_MAX, most = 0;
    uint32_t mean = blocks / w->hosts + (blocks % w->hosts > 0);
    uint64_t excess = 0;

    if (!w->slots.equal || w->count[w->hosts]) return 0;
    for (uint32_t h = 0; h < w->hosts; h++) {
        uint32_t n = w->count[h];
        if (n < least) least = n;
        if (n > most) most = n;
        if (n > mean) excess += n - mean;
    }
    return most - least <= 1 || excess <= blocks / 4000;
}

static sked_status sweep_while_it_pays(skedi_loc *w)
{
    sked_status rc = SKED_OK;

    for (int i = 0; i < SWEEPS_MOST && rc == SKED_OK && !is_even(w); i++) {
        uint64_t moved;
        rc = skedi_loc_sweep(w, &moved);
        if (moved <= w->in->blocks / 200) break;
    }
    return rc;
}

/* ---- The methods ---- */

static int reserve_flow(skedi_loc *w)
{
    skedi_mem *mem = &w->hooks->mem;
    size_t n = (size_t)w->hosts + 1;

    if (!w->slots.equal) {
        w->weight = skedi_new(mem, n, sizeof *w->weight);
        if (!w->weight) return 0;
    }
    return skedi_loc_lists_reserve(w) &&
           (w->order = skedi_new(mem, n, sizeof *w->order)) &&
           (w->queue = skedi_new(mem, n, sizeof *w->queue)) &&
           (w->other = skedi_new(mem, n, sizeof *w->other)) &&
           (w->at = skedi_new(mem, n, sizeof *w->at)) &&
           (w->fits = skedi_new(mem, n, sizeof *w->fits)) &&
           (w->depth = skedi_new(mem, n, sizeof *w->depth)) &&
           (w->path = skedi_new(mem, n, sizeof *w->path));
}

static void drop_flow(skedi_loc *w)
{
    skedi_mem *mem = &w->hooks->mem;
    size_t n = (size_t)w->hosts + 1;

    skedi_loc_classes_drop(w);
    skedi_loc_lists_drop(w);
    skedi_free(mem, w->weight, n, sizeof *w->weight);
    skedi_free(mem, w->order, n, sizeof *w->order);
    skedi_free(mem, w->queue, n, sizeof *w->queue);
    skedi_free(mem, w->other, n, sizeof *w->other);
    skedi_free(mem, w->at, n, sizeof *w->at);
    skedi_free(mem, w->fits, n, sizeof *w->fits);
    skedi_free(mem, w->depth, n, sizeof *w->depth);
    skedi_free(mem, w->path, n, sizeof *w->path);
}

/* Speeds against the fastest, from 1 to 2^20. */
static void weigh_hosts(skedi_loc *w)
{
    const int64_t *ticks = w->slots.ticks;
    int64_t least = ticks ? ticks[0] : 1;

    for (uint32_t h = 0; ticks && h < w->hosts; h++) {
        least = skedi_i64_min(least, ticks[h]);
    }
    for (uint32_t h = 0; h < w->hosts; h++) {
        uint64_t cores = w->slots.cores ? w->slots.cores[h] : 1, rem;
        uint64_t top = (cores < 1024 ? cores : 1024) * 1024;
        uint64_t weight = skedi_muldiv(top, (uint64_t)least,
                                       ticks ? (uint64_t)ticks[h] : 1, &rem);
        w->weight[h] = weight ? (uint32_t)weight : 1;
    }
    w->weight[w->hosts] = 1;
}

static sked_status solve_exactly(skedi_loc *w, sked_error *err)
{
    sked_status rc = skedi_loc_greedy(w, err);
    if (rc != SKED_OK) return rc;

    rc = sweep_while_it_pays(w);
    if (rc == SKED_OK) rc = reserve_flow(w) ? SKED_OK : SKED_ERR_NOMEM;
    if (rc == SKED_OK && w->weight) weigh_hosts(w);
    if (rc == SKED_OK) rc = skedi_loc_split(w);
    if (rc == SKED_OK) skedi_loc_classes_settle(w);
    drop_flow(w);
    return rc == SKED_OK ? rc : skedi_loc_stopped(rc, err);
}

/* Every block on its first replica that takes one more. */
static sked_status place_first(skedi_loc *w, sked_error *err)
{
    const uint32_t *row = w->in->replica;

    for (uint32_t b = 0; b < w->in->blocks; b++, row += w->width) {
        w->choice[b] = SKED_LOCALITY_NO_REPLICA;
        for (uint32_t k = 0; k < w->width; k++) {
            uint32_t h = row[k];
            if (h == SKED_LOCALITY_NO_HOST) continue;
            if (h >= w->hosts) return skedi_loc_bad_replica(w->in, b, err);
            if (w->count[h] == skedi_slots_limit(&w->slots, h)) continue;
            w->choice[b] = (uint8_t)k;
            break;
        }
        w->count[skedi_loc_host_of(w, b)]++;
    }
    return SKED_OK;
}

static sked_status solve_by_moves(skedi_loc *w, sked_error *err)
{
    sked_status rc = skedi_loc_check_replicas(w->in, w->hooks, err);
    uint64_t moved = 1;

    if (rc == SKED_OK) rc = place_first(w, err);
    if (rc != SKED_OK) return rc;
    w->plain = 0;
    while (moved && rc == SKED_OK) rc = skedi_loc_sweep(w, &moved);
    return rc == SKED_OK ? rc : skedi_loc_stopped(rc, err);
}

sked_status skedi_loc_solve(skedi_loc *w, uint32_t method, sked_error *err)
{
    w->slots = skedi_slots_of(w->in);
    w->hosts = w->in->hosts;
    w->width = w->in->replicas;
    w->plain = w->slots.equal && w->width == 3;
    w->in_order = method != SKED_LOCALITY_METHOD_EXACT;
    if (method == SKED_LOCALITY_METHOD_EQUILIBRIUM)
        return solve_by_moves(w, err);
    if (method == SKED_LOCALITY_METHOD_ONLINE) return skedi_loc_greedy(w, err);
    return solve_exactly(w, err);
}

/* ---- The handle ---- */

static void *copy_of(skedi_mem *mem, const void *from, size_t n, size_t size)
{
    void *to = skedi_new(mem, n, size);

    if (to && n) memcpy(to, from, n * size);
    return to;
}

/* Columns of its own, so that the input may go. */
static int keep_columns(sked_locality *l, const skedi_blocks *in)
{
    skedi_mem *mem = &l->hooks.mem;
    size_t n = in->hosts;

    l->slots = skedi_slots_of(in);
    if (in->ticks) {
        l->slots.ticks = l->ticks = copy_of(mem, in->ticks, n, 8);
    }
    if (in->committed) {
        l->slots.committed = l->committed = copy_of(mem, in->committed, n, 8);
    }
    if (in->cores) {
        l->slots.cores = l->cores = copy_of(mem, in->cores, n, 4);
    }
    if (in->limit) {
        l->slots.limit = l->limit = copy_of(mem, in->limit, n, 4);
    }
    return (l->ticks || !in->ticks) && (l->committed || !in->committed) &&
           (l->cores || !in->cores) && (l->limit || !in->limit);
}

static int reserve_answer(sked_locality *l, const skedi_blocks *in)
{
    skedi_mem *mem = &l->hooks.mem;
    size_t n = (size_t)in->hosts + 1;

    return keep_columns(l, in) && (l->choice = skedi_new(mem, in->blocks, 1)) &&
           (l->count = skedi_new(mem, n, sizeof *l->count)) &&
           (l->method != SKED_LOCALITY_METHOD_EXACT ||
            (l->level = skedi_new(mem, n, sizeof *l->level)));
}

/* Everything but the hooks' `user`. */
static void drop_locality(sked_locality *l)
{
    skedi_mem mem = l->hooks.mem;
    size_t n = l->hosts;

    skedi_free(&mem, l->ticks, n, sizeof *l->ticks);
    skedi_free(&mem, l->committed, n, sizeof *l->committed);
    skedi_free(&mem, l->cores, n, sizeof *l->cores);
    skedi_free(&mem, l->limit, n, sizeof *l->limit);
    skedi_free(&mem, l->choice, l->blocks, 1);
    skedi_free(&mem, l->count, n + 1, sizeof *l->count);
    skedi_free(&mem, l->level, n + 1, sizeof *l->level);
    skedi_free(&mem, l, 1, sizeof *l);
}

static sked_status take_method(sked_locality_options *o,
                               const sked_locality_options *given,
                               sked_error *err)
{
    sked_status rc = skedi_struct_in(o, sizeof *o, given, LOCALITY_OPTIONS_V1);

    if (rc != SKED_OK) {
        return skedi_fail_version(err, "options");
    }
    if (o->method > SKED_LOCALITY_METHOD_EQUILIBRIUM) {
        return skedi_fail(
            err, SKED_ERR_ARG, "method is none of ours",
            (skedi_fault){.got = o->method,
                          .limit = SKED_LOCALITY_METHOD_EQUILIBRIUM});
    }
    return SKED_OK;
}

static sked_status make_locality(sked_locality *l, const skedi_blocks *in,
                                 sked_error *err)
{
    skedi_loc w = {.in = in, .hooks = &l->hooks};

    l->blocks = in->blocks;
    l->hosts = in->hosts;
    l->width = in->replicas;
    if (!reserve_answer(l, in)) return skedi_loc_stopped(SKED_ERR_NOMEM, err);
    w.choice = l->choice;
    w.count = l->count;
    w.level = l->level;
    sked_status rc = skedi_loc_solve(&w, l->method, err);
    if (rc == SKED_OK) skedi_loc_find_ends(l);
    return rc;
}

sked_status sked_locality_new(const sked_locality_input *input,
                              const sked_locality_options *options,
                              const sked_host *host, sked_locality **locality,
                              sked_error *err)
{
    skedi_blocks in;
    sked_locality_options o;
    skedi_hooks hooks;
    sked_status rc = skedi_loc_take(&in, input, err);

    if (rc == SKED_OK) rc = take_method(&o, options, err);
    if (rc == SKED_OK && !locality) {
        rc = skedi_fail_null(err, "locality");
    }
    if (rc == SKED_OK) rc = skedi_hooks_in(&hooks, host, err);
    if (rc != SKED_OK) return rc;
    sked_locality *l = skedi_new(&hooks.mem, 1, sizeof *l);
    if (!l) return skedi_loc_stopped(SKED_ERR_NOMEM, err);
    l->hooks = hooks;
    l->method = o.method;
    rc = make_locality(l, &in, err);
    if (rc == SKED_OK) {
        *locality = l;
    } else {
        drop_locality(l);
    }
    return rc;
}

void sked_locality_free(sked_locality *locality)
{
    if (!locality) return;
    sked_host host = locality->hooks.host;
    drop_locality(locality);
    skedi_hooks_done(host);
}
