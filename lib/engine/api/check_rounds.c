/* What an engine that preempts keeps up besides, computed anew. */
#include "engine/api/check.h"
#include "engine/alloc.h"
#include "engine/reservation.h"
#include "engine/preempt/rounds.h"

/* Each in the order in which their work was safe, each once. */
static sked_status check_victim_classes(const sked_engine *e, sked_error *err)
{
    const victim_classes *classes = &e->preempt->classes;
    uint64_t listed = 0, victims = 0;

    for (uint32_t i = 0; i < classes->pool.n; i++) {
        const victim_class *class = victim_class_at(classes, i);
        uint32_t after = SKEDI_NONE, n = 0;
        if (!class->name) continue;
        for (uint32_t g = class->last; g != SKEDI_NONE && n <= class->groups;
             g = classes->place[g].before, n++) {
            uint32_t shape = skedi_group_shape(e, group_at(e, g));
            int in_turn = after == SKEDI_NONE ||
                          skedi_group_saved(e, g) <=
                              skedi_group_saved(e, after);
            if (classes->place[g].class != i + 1 ||
                classes->place[g].after != after || shape != class->shape ||
                !in_turn) {
                return skedi_engine_broken(err, "a group among its siblings",
                                           g);
            }
            after = g;
        }
        if (n != class->groups)
            return skedi_engine_broken(err, "a victim class", i);
        listed += n;
    }
    for (uint32_t g = 0; g < e->groups.n; g++) {
        victims += skedi_may_be_victim(e, g) != 0;
    }
    if (listed == victims) return SKED_OK;
    return skedi_engine_broken(err, "groups without a victim class",
                               (int64_t)victims);
}

static sked_status check_wanted(const sked_engine *e, sked_error *err)
{
    const engine_wanted *w = &e->preempt->wanted;

    for (size_t cell = 0; cell < w->cells; cell++) {
        int64_t sum[SKED_MAX_KINDS] = {0};
        for (uint32_t i = 0; i < e->entries.n; i++) {
            const engine_entry *x = entry_at(e, i);
            if (!x->live || x->cell != cell) continue;
            const engine_ask *a = ask_at(e, x->ask);
            const int64_t *task = engine_row_of(e, &e->shape_task, a->shape);
            for (uint32_t k = 0; k < e->kinds; k++) sum[k] += task[k] * a->open;
        }
        for (uint32_t k = 0; k < e->kinds; k++) {
            if (sum[k] == w->sum[cell * e->kinds + k]) continue;
            return skedi_engine_broken(err, "what is wanted of a queue",
                                       (int64_t)cell);
        }
    }
    return SKED_OK;
}

static sked_status check_vacant(const sked_engine *e, sked_error *err)
{
    const engine_vacant *v = &e->preempt->vacant;

    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        size_t block = n / VACANT_NODES;
        if (block >= v->blocks || v->moved[block]) continue;
        for (uint32_t k = 0; k < e->kinds; k++) {
            int64_t free = engine_row_of(e, &e->node_free, n)[k];
            if (free <= v->most[block * e->kinds + k]) continue;
            return skedi_engine_broken(err, "what is free of a block", n);
        }
    }
    return SKED_OK;
}

/* Groups that were killed with their jobs are listed, and no others. */
static sked_status check_killed(const sked_engine *e, sked_error *err)
{
    uint64_t listed = 0, killed = 0, revoked = 0;

    for (uint32_t g = skedi_group_next_doomed(e, SKEDI_NONE);
         g != SKEDI_NONE && listed <= e->groups.n;
         g = skedi_group_next_doomed(e, g)) {
        listed++;
    }
    for (uint32_t g = 0; g < e->groups.n; g++) {
        killed += group_at(e, g)->state >= GROUP_KILLED;
        revoked += group_at(e, g)->state == GROUP_REVOKED;
    }
    if (listed == killed && e->revoked == revoked) return SKED_OK;
    return skedi_engine_broken(err, "list of killed groups", (int64_t)killed);
}

sked_status skedi_check_rounds(const sked_engine *e, sked_error *err)
{
    sked_status rc = check_killed(e, err);

    if (rc != SKED_OK || !e->preempt) return rc;
    if (!e->preempt->classes.stale) rc = check_victim_classes(e, err);
    if (rc == SKED_OK && e->preempt->wanted.ready) rc = check_wanted(e, err);
    return rc == SKED_OK ? check_vacant(e, err) : rc;
}
