/*
 * What a job is asked to free. Of a group the last tasks got kill orders; the
 * marks are of those before them, the oldest mark of the last of these.
 */
#include "engine/alloc.h"
#include "engine/preempt/rounds.h"
#include "round/state.h"

_Static_assert(sizeof(sked_engine_notice) == 56, "notices are frozen");

typedef struct contract_walk {
    const sked_engine *e;
    sked_engine_notice *notices; /* NULL: only counts */
    int64_t *amounts;            /* or NULL */
    size_t n;
    int strict;
} contract_walk;

/* `count` tasks of a group that end before task number `end`. */
static void add_notice(contract_walk *w, uint32_t group, int64_t end,
                       int64_t count)
{
    const sked_engine *e = w->e;
    const engine_group *g = group_at(e, group);
    const engine_ask *a = ask_at(e, g->ask);
    const int64_t *task = skedi_group_task(e, g);

    if (w->notices) {
        w->notices[w->n] = (sked_engine_notice){
            .ask = a->key,
            .node = node_at(e, g->node)->key,
            .group = skedi_group_name(e, group),
            .task = end - count,
            .count = count,
            .deadline = SKED_UNSET,
            .partition = node_at(e, g->node)->partition,
        };
    }
    int64_t times = skedi_group_times(g, count);
    w->n++;
    for (uint32_t k = 0; w->amounts && k < e->kinds; k++) {
        w->amounts[k] = skedi_amount_add(w->amounts[k], task[k] * times);
    }
}

static void add_marks(contract_walk *w, uint32_t group, int64_t end)
{
    const skedi_round_list *list = &w->e->preempt->round->list;
    uint64_t name = skedi_group_name(w->e, group);

    for (size_t i = skedi_round_find(list, name); i < list->n; i++) {
        const sked_round_mark *mark = &list->item[i].seen;
        if (mark->key != name) return;
        add_notice(w, group, end, mark->count);
        end -= mark->count;
        if (!w->notices) continue;
        w->notices[w->n - 1].deadline = mark->deadline;
        w->notices[w->n - 1].flags = mark->flags & SKED_ROUND_MARK_FLAG_OFFERED;
    }
}

static void add_of_group(contract_walk *w, uint32_t group)
{
    const engine_group *g = group_at(w->e, group);
    uint32_t dying = skedi_group_dying(w->e, group);
    int64_t end = g->task + g->count;

    if (!w->strict) {
        add_marks(w, group, end - dying);
    } else if (dying > 0) {
        add_notice(w, group, end, dying);
    }
}

static void walk_contract(contract_walk *w, uint32_t job)
{
    const sked_engine *e = w->e;

    for (uint32_t a = job_at(e, job)->first_ask; a != SKEDI_NONE;
         a = ask_at(e, a)->next) {
        for (uint32_t g = ask_at(e, a)->first_group; g != SKEDI_NONE;
             g = group_at(e, g)->ask_next) {
            add_of_group(w, g);
        }
    }
}

sked_status sked_engine_contract(const sked_engine *engine, uint64_t job,
                                 int32_t contract, int64_t *amounts,
                                 sked_engine_notice *notices, size_t cap,
                                 size_t *n)
{
    contract_walk w = {.e = engine,
                       .strict = contract == SKED_ROUND_CONTRACT_STRICT};

    if (!engine || !n || (cap > 0 && !notices) ||
        (!w.strict && contract != SKED_ROUND_CONTRACT_NEGOTIABLE)) {
        return SKED_ERR_ARG;
    }
    uint32_t at = skedi_keymap_get(&engine->job_of, job);
    if (at == SKEDI_NONE) return SKED_ERR_NOT_FOUND;
    if (engine->preempt) walk_contract(&w, at);
    *n = w.n;
    if (cap < w.n) return SKED_ERR_RANGE;
    for (uint32_t k = 0; amounts && k < engine->kinds; k++) amounts[k] = 0;
    w.notices = notices;
    w.amounts = amounts;
    w.n = 0;
    if (*n > 0) walk_contract(&w, at);
    return SKED_OK;
}
