/*
 * Who might give in a round: groups of alike tasks on nodes that take work, of
 * queues that are to give something or that take from themselves.
 */
#include "engine/rounds.h"

#include <string.h>

#include "engine/groups.h"
#include "engine/notices.h"

/* Columns of candidates that the problem only reads. */
typedef struct round_rows {
    uint32_t *queue, *count, *node, *user, *gang;
    int64_t *amount, *cost;
    int32_t *priority;
    uint8_t *state, *phase, *master;
    sked_time *started, *saved, *submitted;
    uint32_t n;
} round_rows;

static int may_give(const sked_engine *e, const round_part *part, uint32_t row)
{
    uint32_t inside = SKED_PREEMPT_BY_USER | SKED_PREEMPT_BY_PRIORITY;

    if (part->reasons[row] & SKED_TARGET_GIVES) return 1;
    return e->preempt->opts.flags & inside &&
           e->cells[cell_of(e, row, part->partition)].open > 0;
}

/* The tasks of a group that may still be chosen. */
static uint32_t choosable(const sked_engine *e, const round_part *part,
                          uint32_t group)
{
    const engine_group *g = group_at(e, group);

    if (g->state == GROUP_FREE_SLOT || g->state >= GROUP_KILLED) return 0;
    if (part->place[g->node] == SKEDI_NONE) return 0;
    if (!may_give(e, part, job_at(e, ask_at(e, g->ask)->job)->row)) return 0;
    return g->count - skedi_group_dying(e, group);
}

static void add_candidate(const sked_engine *e, round_part *part,
                          round_rows *to, uint32_t group, uint32_t count,
                          int marked)
{
    const engine_group *g = group_at(e, group);
    const engine_ask *a = ask_at(e, g->ask);
    const engine_job *job = job_at(e, a->job);
    uint32_t i = to->n++;
    int fixed = (job->flags & SKED_JOB_FIXED) != 0;

    part->group[i] = group;
    to->queue[i] = job->row;
    to->count[i] = count;
    to->node[i] = part->place[g->node];
    to->user[i] = g->seat == SKEDI_NONE ? 0 : part->seat_row[g->seat];
    to->gang[i] = a->flags & SKED_ASK_GANG ? group + 1 : 0;
    memcpy(to->amount + (size_t)i * e->kinds,
           engine_row_of(e, &e->shape_task, a->shape),
           e->kinds * sizeof *to->amount);
    to->cost[i] = skedi_victim_cost(e, group);
    to->priority[i] = job->priority;
    to->state[i] = (uint8_t)((fixed ? SKED_CANDIDATE_FIXED : 0) |
                             (marked ? SKED_CANDIDATE_MARKED : 0));
    to->phase[i] = g->state == GROUP_PROPOSED ? SKED_RANK_PLACING
                                              : SKED_RANK_RUNNING;
    to->master[i] = (a->flags & SKED_ASK_MASTER) != 0;
    to->started[i] = g->deadline_from;
    to->saved[i] = skedi_group_saved(e, group);
    to->submitted[i] = job->submitted;
}

static int rows_room(sked_engine *e, round_part *part, round_rows *rows,
                     uint32_t n)
{
    part->group = skedi_round_room(e, n, sizeof *part->group);
    rows->queue = skedi_round_room(e, n, sizeof *rows->queue);
    rows->count = skedi_round_room(e, n, sizeof *rows->count);
    rows->node = skedi_round_room(e, n, sizeof *rows->node);
    rows->user = skedi_round_room(e, n, sizeof *rows->user);
    rows->gang = skedi_round_room(e, n, sizeof *rows->gang);
    rows->amount = skedi_round_room(e, (uint64_t)n * e->kinds,
                                    sizeof *rows->amount);
    rows->cost = skedi_round_room(e, n, sizeof *rows->cost);
    rows->priority = skedi_round_room(e, n, sizeof *rows->priority);
    rows->state = skedi_round_room(e, n, 1);
    rows->phase = skedi_round_room(e, n, 1);
    rows->master = skedi_round_room(e, n, 1);
    rows->started = skedi_round_room(e, n, sizeof *rows->started);
    rows->saved = skedi_round_room(e, n, sizeof *rows->saved);
    rows->submitted = skedi_round_room(e, n, sizeof *rows->submitted);
    return part->group && rows->queue && rows->count && rows->node &&
           rows->user && rows->gang && rows->amount && rows->cost &&
           rows->priority && rows->state && rows->phase && rows->master &&
           rows->started && rows->saved && rows->submitted;
}

static void link_rows(const sked_engine *e, round_part *part,
                      const round_rows *rows)
{
    part->rank = (sked_rank_columns){
        .struct_size = sizeof part->rank,
        .n = rows->n,
        .n_keys = e->preempt->n_keys,
        .keys = e->preempt->keys,
        .state = rows->phase,
        .priority = rows->priority,
        .started = rows->started,
        .checkpoint = rows->saved,
        .master = rows->master,
        .submitted = rows->submitted,
    };
    part->in.n = rows->n;
    part->in.queue = rows->queue;
    part->in.count = rows->count;
    part->in.node = rows->node;
    part->in.user = rows->user;
    part->in.gang = rows->gang;
    part->in.amount = rows->amount;
    part->in.cost = rows->cost;
    part->in.priority = rows->priority;
    part->in.state = rows->state;
    part->in.rank = &part->rank;
}

static uint32_t count_candidates(const sked_engine *e, const round_part *part)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < part->in.n_nodes; i++) {
        for (uint32_t g = node_at(e, part->node[i])->first_group;
             g != SKEDI_NONE; g = group_at(e, g)->next) {
            n += choosable(e, part, g) > 0;
        }
    }
    return n;
}

/* Those that are under notice, then the others of a group. */
static void add_group(const sked_engine *e, round_part *part, round_rows *rows,
                      uint32_t group)
{
    uint32_t count = choosable(e, part, group);
    int64_t under = sked_round_marked(e->preempt->round,
                                      skedi_group_name(e, group));
    uint32_t marked = under < count ? (uint32_t)under : count;

    if (marked) add_candidate(e, part, rows, group, marked, 1);
    if (count > marked) add_candidate(e, part, rows, group, count - marked, 0);
}

/* By nodes in the order of adding, the newest group of a node first. */
int skedi_round_candidates(sked_engine *e, round_part *part)
{
    round_rows rows = {0};

    if (!rows_room(e, part, &rows, 2 * count_candidates(e, part))) return 0;
    for (uint32_t i = 0; i < part->in.n_nodes; i++) {
        for (uint32_t g = node_at(e, part->node[i])->first_group;
             g != SKEDI_NONE; g = group_at(e, g)->next) {
            add_group(e, part, &rows, g);
        }
    }
    link_rows(e, part, &rows);
    return 1;
}
