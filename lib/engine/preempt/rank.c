/*
 * The order of candidates where no cost is looked at (SKED_PREEMPT_FLAG_PLAIN):
 * the preset that was asked for, among those that may go on one node.
 */
#include "engine/core/groups.h"
#include "engine/core/notices.h"
#include "engine/preempt/rounds.h"

typedef struct rank_rows {
    int32_t *priority;
    uint8_t *state, *master;
    sked_time *started, *saved, *submitted;
    int64_t *host;
    uint32_t *position;
} rank_rows;

static int rank_rows_reserve(sked_engine *e, rank_rows *rows, size_t n)
{
    rows->priority = skedi_round_reserve(e, n, sizeof *rows->priority);
    rows->state = skedi_round_reserve(e, n, 1);
    rows->master = skedi_round_reserve(e, n, 1);
    rows->started = skedi_round_reserve(e, n, sizeof *rows->started);
    rows->saved = skedi_round_reserve(e, n, sizeof *rows->saved);
    rows->submitted = skedi_round_reserve(e, n, sizeof *rows->submitted);
    rows->host = skedi_round_reserve(e, n, sizeof *rows->host);
    rows->position = skedi_round_reserve(e, n, sizeof *rows->position);
    return rows->priority && rows->state && rows->master && rows->started &&
           rows->saved && rows->submitted && rows->host && rows->position;
}

static void read_candidates(const sked_engine *e, const plan_pick *pick,
                            rank_rows *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const engine_group *g = group_at(e, pick[i].group);
        const engine_ask *a = ask_at(e, g->ask);
        const engine_job *job = job_at(e, a->job);
        rows->priority[i] = job->priority;
        rows->state[i] = g->state == GROUP_PROPOSED ? SKED_RANK_STATE_PLACING
                                                    : SKED_RANK_STATE_RUNNING;
        rows->master[i] = (a->flags & SKED_ASK_MASTER) != 0;
        rows->started[i] = g->deadline_from;
        rows->saved[i] = skedi_group_saved(e, pick[i].group);
        rows->submitted[i] = job->submitted;
        rows->host[i] = skedi_i64_max(skedi_group_cost(e, pick[i].group), 0);
    }
}

int skedi_rank_picks(round_part *part, uint64_t *keys)
{
    sked_engine *e = part->e;
    struct engine_preempt *own = e->preempt;
    skedi_arena_mark here = skedi_arena_here(&own->arena);
    const plan_pick *pick = own->picks.item;
    size_t n = own->picks.n;
    rank_rows rows;
    int ok = rank_rows_reserve(e, &rows, n);

    if (ok) {
        read_candidates(e, pick, &rows, n);
        const sked_rank_input in = {
            .struct_size = sizeof in,
            .n = (uint32_t)n,
            .n_keys = own->n_keys,
            .keys = own->keys,
            .state = rows.state,
            .priority = rows.priority,
            .started = rows.started,
            .checkpoint = rows.saved,
            .master = rows.master,
            .submitted = rows.submitted,
            .host = rows.host,
        };
        sked_host host = own->host; /* tasks of one node are soon sorted */
        host.progress = NULL;
        host.cancel = NULL;
        ok = sked_rank_order(&in, 0, &host, rows.position, NULL) == SKED_OK;
    }
    /* Those told already go first, then what is revocable. */
    for (size_t i = 0; ok && i < n; i++) {
        uint32_t at = rows.position[i];
        keys[at] = pick[at].marked ? 0 : 1 + i + (pick[at].last ? n : 0);
    }
    skedi_arena_rewind(&own->arena, here);
    return ok;
}
