/* An engine's life: made from nothing but a tree, told whether it preempts and
 * what its users are called, freed with all it has. */
#include <sched/engine_preempt.h>

#include <stddef.h>

#include "base/fail.h"
#include "base/versioned.h"
#include "engine/api/apply.h"
#include "engine/api/log.h"
#include "engine/busy.h"
#include "engine/exclusion.h"
#include "engine/admission.h"
#include "engine/queue.h"
#include "engine/work.h"
#include "engine/reservation.h"
#include "engine/alloc.h"
#include "engine/domains.h"
#include "engine/nodes.h"
#include "engine/budget.h"
#include "engine/order/wants.h"
#include "engine/order/sets.h"
#include "engine/soft_rules.h"
#include "engine/store.h"
#include "engine/preempt/rounds.h"

SKEDI_NO_TAIL_PADDING(sked_engine_options, form_for_ns);

enum {
    ENGINE_OPTIONS_V1 = SKEDI_SIZE_THROUGH(sked_engine_options, pooled),
    ENGINE_UNTAKEN = 1048576
};

static sked_status options_numbers(const sked_engine_options *o,
                                   sked_error *err)
{
    const struct {
        int64_t number, most;
        const char *words;
    } fields[] = {
        {o->confirm_within_ns, SKED_AMOUNT_MAX,
         "options.confirm_within_ns is out of range"},
        {o->node_delay_ns, SKED_AMOUNT_MAX,
         "options.node_delay_ns is out of range"},
        {o->rack_delay_ns, SKED_AMOUNT_MAX,
         "options.rack_delay_ns is out of range"},
        {o->pass_part_ppm, SKED_PPM, "options.pass_part_ppm is out of range"},
        {o->form_for_ns, SKED_AMOUNT_MAX,
         "options.form_for_ns is out of range"},
    };

    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (fields[i].number >= 0 && fields[i].number <= fields[i].most) {
            continue;
        }
        return skedi_fail(
            err, SKED_ERR_RANGE, fields[i].words,
            (skedi_fault){.got = fields[i].number, .limit = fields[i].most});
    }
    return SKED_OK;
}

static sked_status take_options(sked_engine_options *to, uint32_t kinds,
                                const sked_engine_options *opts,
                                sked_error *err)
{
    sked_status rc = skedi_struct_in(to, sizeof *to, opts, ENGINE_OPTIONS_V1);

    if (rc != SKED_OK) {
        return skedi_fail_version(err, "options");
    }
    if (to->flags & ~(uint32_t)SKED_ENGINE_FLAG_WAIT) {
        return skedi_fail_flags(err, "options");
    }
    if (kinds < 32 && to->pooled >> kinds) {
        return skedi_fail_plain(err, SKED_ERR_ARG,
                                "options.pooled names no kind");
    }
    rc = options_numbers(to, err);
    if (rc != SKED_OK) return rc;
    if (to->reserved) return skedi_fail_reserved(err, "options");
    if (!to->max_untaken) to->max_untaken = ENGINE_UNTAKEN;
    return SKED_OK;
}

static void start_pools(sked_engine *e)
{
    skedi_pool_start(&e->nodes, sizeof(engine_node));
    skedi_pool_start(&e->jobs, sizeof(engine_job));
    skedi_pool_start(&e->asks, sizeof(engine_ask));
    skedi_pool_start(&e->extras, sizeof(engine_extra));
    skedi_pool_start(&e->groups, sizeof(engine_group));
    skedi_pool_start(&e->entries, sizeof(engine_entry));
    skedi_pool_start(&e->ranges, sizeof(engine_range));
    skedi_pool_start(&e->places, sizeof(engine_place));
    skedi_pool_start(&e->refusals, sizeof(engine_refusal));
    skedi_pool_start(&e->bans, sizeof(engine_ban));
    skedi_pool_start(&e->users, sizeof(engine_user));
    skedi_pool_start(&e->accounts, sizeof(engine_account));
    skedi_pool_start(&e->wants, sizeof(engine_want));
    skedi_pool_start(&e->shapes, sizeof(engine_shape));
    skedi_pool_start(&e->reservations, sizeof(engine_reservation));
    skedi_pool_start(&e->notices, sizeof(engine_notice));
    skedi_pool_start(&e->remains, sizeof(engine_remains));
    skedi_keymap_start(&e->node_of, &e->nodes.item, sizeof(engine_node),
                       offsetof(engine_node, key));
    skedi_keymap_start(&e->job_of, &e->jobs.item, sizeof(engine_job),
                       offsetof(engine_job, key));
    skedi_keymap_start(&e->ask_of, &e->asks.item, sizeof(engine_ask),
                       offsetof(engine_ask, key));
    skedi_keymap_start(&e->user_of, &e->users.item, sizeof(engine_user),
                       offsetof(engine_user, key));
    skedi_keymap_start(&e->account_of, &e->accounts.item,
                       sizeof(engine_account), offsetof(engine_account, name));
    skedi_keymap_start(&e->shape_of, &e->shapes.item, sizeof(engine_shape),
                       offsetof(engine_shape, name));
    skedi_soft_start(e);
    skedi_tags_start(e);
    skedi_domains_start(e);
    skedi_predicates_start(e);
    skedi_pool_start(&e->rules.sets, sizeof(engine_rule_set));
    skedi_keymap_start(&e->rules.set_of, &e->rules.sets.item,
                       sizeof(engine_rule_set),
                       offsetof(engine_rule_set, name));
    skedi_keymap_start(&e->want_of, &e->wants.item, sizeof(engine_want),
                       offsetof(engine_want, name));
    skedi_keymap_start(&e->notice_of, &e->notices.item, sizeof(engine_notice),
                       offsetof(engine_notice, group));
    skedi_keymap_start(&e->remains_of, &e->remains.item, sizeof(engine_remains),
                       offsetof(engine_remains, group));
    skedi_keymap_start(&e->refusal_of, &e->refusals.item,
                       sizeof(engine_refusal), offsetof(engine_refusal, name));
    skedi_fits_start(e);
    skedi_pool_start(&e->trees.charges, sizeof(engine_charge));
    e->first_parked = e->first_gate = SKEDI_NONE;
    e->first_node = e->last_node = e->resume_node = SKEDI_NONE;
    e->first_proposed = e->last_proposed = SKEDI_NONE;
    e->first_killed = SKEDI_NONE;
    e->first_reservation = e->last_reservation = SKEDI_NONE;
    e->out_from = e->out_next = e->logged = 1;
    e->now = INT64_MIN;
    skedi_hash_start(&e->digest, 0);
}

sked_status skedi_engine_own_tree(const sked_engine *e, const sked_tree *tree,
                                  sked_tree **copy, sked_error *err)
{
    sked_host host = e->hooks.host;

    host.user_free = NULL;
    host.trace = NULL;
    return sked_tree_copy(tree, &host, copy, err);
}

sked_status sked_engine_new(const sked_tree *tree,
                            const sked_engine_options *options,
                            const sked_host *host, sked_engine **engine,
                            sked_error *err)
{
    sked_engine_options taken;
    skedi_hooks hooks;
    sked_tree *copy = NULL;

    if (engine) *engine = NULL;
    const char *missing = !tree ? "tree" : !engine ? "engine" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    uint32_t kinds = skedi_tree_image(tree)->kinds;
    sked_status rc = take_options(&taken, kinds, options, err);
    if (rc == SKED_OK) rc = skedi_hooks_in(&hooks, host, err);
    if (rc != SKED_OK) return rc;
    sked_engine *e = skedi_new(&hooks.mem, 1, sizeof *e);
    if (!e) return skedi_fail_memory(err);
    e->hooks = hooks;
    e->opts = taken;
    e->kinds = kinds;
    e->delays = taken.node_delay_ns || taken.rack_delay_ns ||
                taken.node_misses || taken.rack_misses;
    start_pools(e);
    rc = skedi_engine_own_tree(e, tree, &copy, err);
    if (rc == SKED_OK && !skedi_grid_build(e, copy, NULL, 1)) {
        rc = skedi_fail_memory(err);
    }
    if (rc != SKED_OK) {
        sked_tree_free(copy);
        e->hooks.host.user_free = NULL;
        sked_engine_free(e);
        return rc;
    }
    *engine = e;
    return SKED_OK;
}

void sked_engine_free(sked_engine *e)
{
    if (!e || e->busy) return;
    skedi_mem *mem = &e->hooks.mem;
    engine_pool *pools[] = {
        &e->nodes,   &e->jobs,         &e->asks,     &e->groups, &e->entries,
        &e->ranges,  &e->places,       &e->refusals, &e->users,  &e->accounts,
        &e->shapes,  &e->reservations, &e->notices,  &e->wants,  &e->bans,
        &e->remains, &e->extras};
    engine_amounts *amounts[] = {
        &e->node_capacity, &e->node_free,    &e->job_used,   &e->job_open,
        &e->account_used,  &e->account_paid, &e->shape_step, &e->shape_task,
        &e->remains_task,  &e->node_turn};
    skedi_keymap *maps[] = {&e->node_of,   &e->job_of,     &e->ask_of,
                            &e->user_of,   &e->account_of, &e->shape_of,
                            &e->notice_of, &e->want_of,    &e->refusal_of,
                            &e->remains_of};

    for (uint32_t u = 0; u < e->users.n; u++) skedi_user_unname(e, u);
    skedi_bans_free(e);
    skedi_sets_free(e);
    skedi_soft_free(e);
    skedi_tags_free(e);
    skedi_domains_free(e);
    skedi_preempt_free(e);
    skedi_gates_free(e);
    if (e->rows.n) skedi_grid_free(e);
    skedi_fits_free(e);
    skedi_ranks_free(e);
    skedi_trees_free(e);
    sked_tree_free(e->tree);
    for (size_t i = 0; i < sizeof pools / sizeof *pools; i++) {
        skedi_pool_free(pools[i], mem);
    }
    for (size_t i = 0; i < sizeof amounts / sizeof *amounts; i++) {
        skedi_amounts_free(e, amounts[i]);
    }
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        skedi_keymap_free(maps[i], mem);
    }
    skedi_joint_free(&e->joint, mem);
    skedi_free(mem, e->out, e->out_cap, sizeof *e->out);
    skedi_free(mem, e->entry_next, e->entry_next_cap, sizeof *e->entry_next);
    skedi_free(mem, e->waiting, e->waiting_cap, sizeof *e->waiting);
    skedi_free(mem, e->set_aside, e->aside_cap, sizeof *e->set_aside);
    skedi_free(mem, e->forms.gang, e->forms.cap, sizeof *e->forms.gang);
    skedi_free(mem, e->forms.part, e->forms.parts_cap, sizeof *e->forms.part);
    skedi_hooks last = e->hooks;
    skedi_free(&last.mem, e, 1, sizeof *e);
    skedi_hooks_done(last.host);
}

sked_status sked_engine_preempt(sked_engine *engine,
                                const sked_engine_preempt_options *options,
                                sked_error *err)
{
    if (!engine) return skedi_fail_null(err, "engine");
    sked_status rc = skedi_busy_enter(engine, err);
    if (rc != SKED_OK) return rc;
    rc = skedi_preempt_set(engine, options, err);
    if (rc == SKED_OK) skedi_log_notes(engine);
    return skedi_busy_leave(engine, rc);
}

sked_status sked_engine_name_user(sked_engine *engine, uint64_t user,
                                  const char *name, sked_error *err)
{
    if (!engine) return skedi_fail_null(err, "engine");
    if (user == UINT64_MAX) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "no user has this key");
    }
    sked_status rc = skedi_busy_enter(engine, err);
    if (rc != SKED_OK) return rc;
    if (!skedi_user_name(engine, user, name)) {
        rc = skedi_fail_memory(err);
    }
    return skedi_busy_leave(engine, rc);
}
