/*
 * Turns preemption on and off. What lib/preempt makes, once or in each round,
 * lives in buffers that are reused from round to round: a round like the last
 * one needs no memory from the host.
 */
#include "base/fail.h"
#include "base/sort.h"
#include "base/versioned.h"
#include "engine/core/grid.h"
#include "engine/preempt/rounds.h"

SKEDI_NO_TAIL_PADDING(sked_engine_preempt_options, n_more_targets);

enum {
    ENGINE_PREEMPTION_V1 = SKEDI_SIZE_THROUGH(sked_engine_preempt_options,
                                              rounds),
    ROUND_KEEP_SECONDS = 10,
    ROUND_GRACE_SECONDS = 15,
    ROUND_FLAGS = SKED_PREEMPT_FLAG_BY_USER | SKED_PREEMPT_FLAG_BY_PRIORITY |
                  SKED_PREEMPT_FLAG_PLAIN
};

static sked_status take_preemption(struct engine_preempt *to,
                                   const sked_engine_preempt_options *opts,
                                   sked_error *err)
{
    sked_status rc = skedi_struct_in(&to->opts, sizeof to->opts, opts,
                                     ENGINE_PREEMPTION_V1);

    if (rc != SKED_OK) return skedi_fail_version(err, "options");
    if (to->opts.flags & SKED_PREEMPT_FLAG_OVERSHOOT) {
        return skedi_fail_plain(err, SKED_ERR_ARG,
                                "overshooting would preempt in turns");
    }
    if (to->opts.flags & ~(uint32_t)ROUND_FLAGS) {
        return skedi_fail_flags(err, "options");
    }
    if (to->opts.keep_for_ns < 0 ||
        to->opts.keep_for_ns > SKED_AMOUNT_MAX / 4) {
        return skedi_fail(err, SKED_ERR_RANGE,
                          "options.keep_for_ns is out of range",
                          (skedi_fault){.got = to->opts.keep_for_ns,
                                        .limit = SKED_AMOUNT_MAX / 4});
    }
    size_t n;
    if (sked_rank_preset(to->opts.rank, to->keys, ROUND_RANK_KEYS, &n, err) !=
        SKED_OK) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "options.rank is no order");
    }
    to->n_keys = (uint32_t)n;
    if (to->opts.n_more_targets > 0 && !to->opts.more_targets) {
        return skedi_fail_null(err, "more_targets");
    }
    if (to->opts.n_more_targets >= SKED_MAX_PREEMPT_POLICIES) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "too many policies",
            (skedi_fault){.got = (int64_t)to->opts.n_more_targets,
                          .limit = SKED_MAX_PREEMPT_POLICIES - 1});
    }
    return SKED_OK;
}

static int64_t seconds(int64_t n)
{
    return n * INT64_C(1000000000);
}

/* ---- The host of its parts ---- */

/* Targets and rounds may be long lists, and ask for nothing but memory and
 * whether to go on. */
static void *preempt_resize(void *user, void *ptr, size_t old_size, size_t size)
{
    struct engine_preempt *p = user;

    return skedi_recycle_resize(&p->recycle, &p->engine->hooks.mem, ptr,
                                old_size, size);
}

static sked_status preempt_progress(void *user, uint64_t done, uint64_t total)
{
    const struct engine_preempt *p = user;
    const sked_host *host = &p->engine->hooks.host;

    return host->progress(host->user, done, total);
}

static void make_host(struct engine_preempt *p, sked_engine *e)
{
    const sked_host *own = &e->hooks.host;

    p->engine = e;
    p->host = (sked_host){
        .struct_size = sizeof p->host,
        .user = p,
        .resize = preempt_resize,
        .progress = own->progress ? preempt_progress : NULL,
        .cancel = own->cancel,
    };
}

/* ---- On and off ---- */

/* Adds a policy behind those that there are. */
static sked_status add_policy(struct engine_preempt *to,
                              const sked_target_options *targets,
                              sked_error *err)
{
    sked_status rc = sked_target_new(targets, &to->host,
                                     &to->target[to->policies], err);

    if (rc == SKED_OK) to->policies++;
    return rc;
}

/* All of them; a fault names the row of `more_targets`. */
static sked_status make_policies(struct engine_preempt *to, sked_error *err)
{
    sked_status rc = add_policy(to, to->opts.targets, err);

    for (uint64_t i = 0; i < to->opts.n_more_targets && rc == SKED_OK; i++) {
        rc = add_policy(to, to->opts.more_targets[i], err);
        if (rc != SKED_OK && err) err->row = (int64_t)i;
    }
    return rc;
}

static sked_status make_parts(struct engine_preempt *to, sked_error *err)
{
    sked_status rc = make_policies(to, err);
    sked_round_options rounds = {.struct_size = sizeof rounds};
    if (to->opts.rounds) rounds = *to->opts.rounds;
    if (rounds.grace_ns == 0) rounds.grace_ns = seconds(ROUND_GRACE_SECONDS);
    if (rc == SKED_OK) rc = sked_round_new(&rounds, &to->host, &to->round, err);
    if (rc != SKED_OK) return rc;
    to->watches = (rounds.flags & SKED_ROUND_FLAG_OBSERVE) != 0;
    to->lazy = (rounds.flags & SKED_ROUND_FLAG_LAZY) != 0;
    if (to->lazy && to->opts.gangs > 0) {
        return skedi_fail_plain(err, SKED_ERR_ARG,
                                "lazy rounds reserve for no gangs over nodes");
    }
    to->untold = rounds.grace_ns < 0 && !to->watches;
    to->keep_for = to->opts.keep_for_ns ? to->opts.keep_for_ns
                                        : seconds(ROUND_KEEP_SECONDS);
    to->grace = skedi_i64_max(rounds.grace_ns, 0);
    to->keep_for += to->grace;
    to->opts.targets = NULL;
    to->opts.rounds = NULL;
    to->opts.more_targets = NULL;
    return SKED_OK;
}

static void free_preempt(struct engine_preempt *p)
{
    sked_engine *e = p->engine;
    skedi_mem *mem = &e->hooks.mem;

    for (uint32_t i = 0; i < p->policies; i++) sked_target_free(p->target[i]);
    sked_round_free(p->round);
    skedi_recycle_free(&p->recycle, mem);
    skedi_arena_free(&p->arena, mem);
    skedi_free(mem, p->pairs.item, p->pairs.cap, sizeof(round_pair));
    skedi_free(mem, p->placements.item, p->placements.cap,
               sizeof(round_placement));
    skedi_free(mem, p->victims.item, p->victims.cap, sizeof(round_victim));
    skedi_free(mem, p->picks.item, p->picks.cap, sizeof(plan_pick));
    skedi_free(mem, p->keyed.item, p->keyed.cap, sizeof(skedi_keyed));
    skedi_free(mem, p->sorted.item, p->sorted.cap, sizeof(plan_pick));
    skedi_free(mem, p->ranks.item, p->ranks.cap, sizeof(uint64_t));
    skedi_free(mem, p->best.item, p->best.cap, sizeof(plan_pick));
    skedi_free(mem, p->keeps.item, p->keeps.cap, sizeof(int64_t));
    skedi_free(mem, p->claims.item, p->claims.cap, sizeof(int64_t));
    skedi_free(mem, p->givers.item, p->givers.cap, 1);
    skedi_free(mem, p->started.item, p->started.cap, sizeof(int64_t));
    skedi_heap_free(&p->heap, mem);
    skedi_heap_free(&p->nodes, mem);
    skedi_victim_classes_free(&p->classes, mem);
    skedi_vacant_free(&p->vacant, mem, e->kinds);
    skedi_wanted_free(&p->wanted, mem, e->kinds);
    skedi_free(mem, p, 1, sizeof *p);
}

void skedi_preempt_free(sked_engine *e)
{
    if (e->preempt) free_preempt(e->preempt);
    skedi_preempt_watch(e, NULL);
}

sked_status skedi_preempt_set(sked_engine *engine,
                              const sked_engine_preempt_options *opts,
                              sked_error *err)
{
    if (skedi_round_is_out(engine)) {
        return skedi_fail_plain(err, SKED_ERR_STATE, "notices are out");
    }
    if (!opts) {
        skedi_preempt_free(engine);
        return SKED_OK;
    }
    struct engine_preempt *p = skedi_new(&engine->hooks.mem, 1, sizeof *p);
    if (!p) return skedi_fail_memory(err);
    make_host(p, engine);
    skedi_victim_classes_start(&p->classes);
    sked_status rc = take_preemption(p, opts, err);
    if (rc == SKED_OK) rc = make_parts(p, err);
    if (rc != SKED_OK) {
        free_preempt(p);
        return rc;
    }
    struct engine_preempt *before = engine->preempt;
    skedi_preempt_watch(engine, p);
    if (!engine->shared &&
        !skedi_grid_build(engine, engine->tree, NULL, engine->parts)) {
        skedi_preempt_watch(engine, before);
        free_preempt(p);
        return skedi_fail_memory(err);
    }
    if (before) free_preempt(before);
    return SKED_OK;
}
