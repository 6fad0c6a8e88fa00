/*
 * Lazy rounds: victims that are due run on until the ask for which their room
 * is kept would really start on their node, had it that room. Only then are
 * they told to end; the ask has the room as soon as the host says that they
 * did.
 *
 * What is on its way counts as there: what tasks that were told to end hold on
 * this node, and what they use of limits. So the same need ends nobody twice.
 */
#include "engine/groups.h"
#include "engine/kept.h"
#include "engine/notices.h"
#include "engine/out.h"
#include "engine/refusal.h"
#include "engine/rounds.h"
#include "engine/seats.h"
#include "engine/walk.h"

/* A room that is kept, step by step (of one task, or a whole gang). */
typedef struct lazy_room {
    sked_engine *e;
    engine_kept *kept;
    const int64_t *step;
    int64_t free[SKED_MAX_KINDS]; /* with what is on its way, or tried */
    int64_t ahead;                /* steps that have room already */
    uint32_t seat;                /* of the ask's user, or SKEDI_NONE */
} lazy_room;

static round_pair *pair_at(const sked_engine *e, uint32_t i)
{
    return &e->preempt->pair[i];
}

/* The group of a pair; SKEDI_NONE: gone, or moved on. */
static uint32_t pair_group(const lazy_room *l, const round_pair *pair)
{
    uint32_t group = skedi_group_find(l->e, pair->group);

    if (group == SKEDI_NONE) return group;
    return group_at(l->e, group)->node == l->kept->node ? group : SKEDI_NONE;
}

/* How many tasks of a pair may be told to end now. */
static uint32_t pair_most(const lazy_room *l, const round_pair *pair)
{
    uint32_t offered = sked_round_offered(l->e->preempt->round, pair->group);

    if (pair_group(l, pair) == SKEDI_NONE) return 0;
    return offered < pair->count ? offered : pair->count;
}

static const int64_t *pair_task(const lazy_room *l, const round_pair *pair)
{
    const engine_group *g = group_at(l->e, pair_group(l, pair));

    return engine_row_of(l->e, &l->e->shape_task, ask_at(l->e, g->ask)->shape);
}

static int pair_is_gang(const lazy_room *l, const round_pair *pair)
{
    const engine_group *g = group_at(l->e, pair_group(l, pair));

    return (ask_at(l->e, g->ask)->flags & SKED_ASK_GANG) != 0;
}

/* ---- Who ---- */

/* Tries so many tasks of a pair more, or fewer. */
static void try_tasks(lazy_room *l, round_pair *pair, int64_t count)
{
    const int64_t *task = pair_task(l, pair);

    pair->tried = (uint32_t)(pair->tried + count);
    for (uint32_t k = 0; k < l->e->kinds; k++) l->free[k] += task[k] * count;
}

/* So many tasks of a pair bring what is still lacking of a kind that they
 * hold; 0: they hold none. */
static int64_t tasks_lacking(const lazy_room *l, const round_pair *pair)
{
    const int64_t *task = pair_task(l, pair);
    int64_t most = 0;

    for (uint32_t k = 0; k < l->e->kinds; k++) {
        int64_t lacks = l->step[k] > 0 ? l->step[k] - l->free[k] : 0;
        if (lacks <= 0 || task[k] == 0) continue;
        most = skedi_i64_max(most, (lacks - 1) / task[k] + 1);
    }
    return most;
}

/* So many of the tried tasks can be spared. */
static int64_t tasks_spare(const lazy_room *l, const round_pair *pair)
{
    const int64_t *task = pair_task(l, pair);
    int64_t least = pair->tried;

    for (uint32_t k = 0; k < l->e->kinds; k++) {
        if (l->step[k] == 0 || task[k] == 0) continue;
        least = skedi_i64_min(least, (l->free[k] - l->step[k]) / task[k]);
    }
    return least;
}

static int step_fits(const lazy_room *l)
{
    for (uint32_t k = 0; k < l->e->kinds; k++) {
        if (l->step[k] > 0 && l->step[k] > l->free[k]) return 0;
    }
    return 1;
}

/* Tries victims until the step fits, and spares whom it can. 0: it cannot. */
static int try_victims(lazy_room *l)
{
    sked_engine *e = l->e;

    for (uint32_t i = l->kept->makers; i != SKEDI_NONE;
         i = pair_at(e, i)->next) {
        round_pair *pair = pair_at(e, i);
        uint32_t most = pair_most(l, pair);
        pair->tried = 0;
        if (most == 0 || step_fits(l)) continue;
        int64_t lacking = tasks_lacking(l, pair);
        if (lacking > most || (lacking > 0 && pair_is_gang(l, pair))) {
            lacking = most;
        }
        try_tasks(l, pair, lacking);
    }
    if (!step_fits(l)) return 0;
    for (uint32_t i = l->kept->makers; i != SKEDI_NONE;
         i = pair_at(e, i)->next) {
        round_pair *pair = pair_at(e, i);
        if (pair->tried == 0) continue;
        int64_t spare = tasks_spare(l, pair);
        if (spare < pair->tried && pair_is_gang(l, pair)) spare = 0;
        try_tasks(l, pair, -spare);
    }
    return 1;
}

/* ---- Would it start? ---- */

static uint32_t group_row(const sked_engine *e, uint32_t group)
{
    return job_at(e, ask_at(e, group_at(e, group)->ask)->job)->row;
}

static int row_is_below(const sked_engine *e, uint32_t row, uint32_t above)
{
    while (row > above) row = (uint32_t)e->rows.parent[row];
    return row == above;
}

/* What those on their way and those tried give back below a queue, or of a
 * seat where `row` is SKEDI_NONE. */
static void add_credit(const lazy_room *l, uint32_t row, int64_t *credit)
{
    const sked_engine *e = l->e;

    for (uint32_t g = node_at(e, l->kept->node)->first_group; g != SKEDI_NONE;
         g = group_at(e, g)->next) {
        if (row == SKEDI_NONE ? group_at(e, g)->seat == l->seat
                              : row_is_below(e, group_row(e, g), row)) {
            skedi_round_add_dying(e, g, credit, 1);
        }
    }
    for (uint32_t i = l->kept->makers; i != SKEDI_NONE;
         i = pair_at(e, i)->next) {
        const round_pair *pair = pair_at(e, i);
        if (pair->tried == 0) continue;
        uint32_t g = pair_group(l, pair);
        if (row == SKEDI_NONE ? group_at(e, g)->seat != l->seat
                              : !row_is_below(e, group_row(e, g), row)) {
            continue;
        }
        const int64_t *task = pair_task(l, pair);
        for (uint32_t k = 0; k < e->kinds; k++) {
            credit[k] += task[k] * pair->tried;
        }
    }
}

/* Does a bound hold all steps so far and this one, less what is given back? */
static int bound_lets(const lazy_room *l, const int64_t *used,
                      const int64_t *bound, const int64_t *credit)
{
    for (uint32_t k = 0; k < l->e->kinds; k++) {
        if (l->step[k] == 0 || bound[k] == SKED_UNLIMITED) continue;
        int64_t more = l->step[k] * (l->ahead + 1) - credit[k];
        if (more > bound[k] - used[k]) return 0;
    }
    return 1;
}

static int row_lets(const lazy_room *l, uint32_t row)
{
    const sked_engine *e = l->e;
    uint32_t partition = node_at(e, l->kept->node)->partition;
    size_t cell = cell_of(e, row, partition), wide = (size_t)row * e->kinds;
    int64_t credit[SKED_MAX_KINDS] = {0};

    if (!e->cells[cell].bounded) return 1;
    add_credit(l, row, credit);
    if (e->rows.wide[row] &&
        !bound_lets(l, e->rows.used + wide, e->rows.ceiling + wide, credit)) {
        return 0;
    }
    return bound_lets(l, cell_row(e, e->cell_used, cell),
                      cell_row(e, e->cell_limit, cell), credit);
}

/* How many tasks of a group are on their way, or tried. */
static int64_t giving(const lazy_room *l, uint32_t group)
{
    const sked_engine *e = l->e;
    int64_t n = skedi_group_dying(e, group);

    for (uint32_t i = l->kept->makers; i != SKEDI_NONE;
         i = pair_at(e, i)->next) {
        const round_pair *pair = pair_at(e, i);
        if (pair->tried && pair_group(l, pair) == group) n += pair->tried;
    }
    return n;
}

/* Is a group the first of its user here that gives? */
static int gives_first(const lazy_room *l, uint32_t group)
{
    const sked_engine *e = l->e;
    uint32_t g = node_at(e, l->kept->node)->first_group;

    for (; g != group; g = group_at(e, g)->next) {
        int same = group_at(e, g)->seat == group_at(e, group)->seat;
        if (same && giving(l, g) > 0) return 0;
    }
    return giving(l, group) > 0;
}

/* What users of the leaf weigh who ask for nothing, but will for what they
 * give. */
static uint64_t weight_to_come(const lazy_room *l)
{
    const sked_engine *e = l->e;
    uint64_t sum = 0;

    for (uint32_t g = node_at(e, l->kept->node)->first_group; g != SKEDI_NONE;
         g = group_at(e, g)->next) {
        uint32_t seat = group_at(e, g)->seat;
        if (seat == SKEDI_NONE || seat_at(e, seat)->entries > 0) continue;
        int same = seat_at(e, seat)->cell == seat_at(e, l->seat)->cell;
        if (same && gives_first(l, g)) sum += seat_at(e, seat)->weight;
    }
    return sum;
}

/* Is its user below the limit before this step, when the others gave? */
static int user_lets(const lazy_room *l)
{
    const sked_engine *e = l->e;
    int64_t used[SKED_MAX_KINDS] = {0}, own[SKED_MAX_KINDS] = {0};

    if (l->seat == SKEDI_NONE) return 1;
    uint32_t cell = seat_at(e, l->seat)->cell;
    add_credit(l, cell / e->parts, used);
    add_credit(l, SKEDI_NONE, own);
    for (uint32_t k = 0; k < e->kinds; k++) {
        int64_t more = l->step[k] * l->ahead;
        used[k] = cell_row(e, e->cell_used, cell)[k] + more - used[k];
        own[k] = engine_row_of(e, &e->seat_used, l->seat)[k] + more - own[k];
    }
    const engine_without then = {used, own, weight_to_come(l)};
    return !skedi_seat_would_fill(e, l->seat, &then);
}

/* All but the room of the tried is there. */
static int would_start(const lazy_room *l)
{
    const sked_engine *e = l->e;
    uint32_t row = job_at(e, ask_at(e, l->kept->ask)->job)->row;

    if (!user_lets(l)) return 0;
    for (;; row = (uint32_t)e->rows.parent[row]) {
        if (!row_lets(l, row)) return 0;
        if (row == 0) return 1;
    }
}

/* ---- All of it ---- */

/* Has those that were tried told to end. */
static sked_status end_tried(lazy_room *l, uint64_t last)
{
    sked_engine *e = l->e;

    for (uint32_t i = l->kept->makers; i != SKEDI_NONE;
         i = pair_at(e, i)->next) {
        round_pair *pair = pair_at(e, i);
        if (pair->tried == 0) continue;
        if (skedi_out_full(e) || last == e->stats.decisions) {
            return SKED_STOPPED;
        }
        sked_status rc = skedi_round_claim(e, pair_group(l, pair), pair->tried);
        if (rc != SKED_OK) return rc;
        pair->count -= pair->tried;
        pair->tried = 0;
    }
    return SKED_OK;
}

static void begin_room(lazy_room *l)
{
    sked_engine *e = l->e;
    uint32_t node = l->kept->node;
    const engine_ask *a = ask_at(e, l->kept->ask);
    const engine_job *job = job_at(e, a->job);
    uint32_t cell = (uint32_t)cell_of(e, job->row, node_at(e, node)->partition);
    const int64_t *free = engine_row_of(e, &e->node_free, node);

    l->step = engine_row_of(e, &e->shape_step, a->shape);
    l->seat = SKEDI_NONE;
    if (e->rows.by_user[job->row])
        l->seat = skedi_seat_find(e, cell, job->user);
    for (uint32_t k = 0; k < e->kinds; k++) l->free[k] = free[k];
    for (uint32_t g = node_at(e, node)->first_group; g != SKEDI_NONE;
         g = group_at(e, g)->next) {
        skedi_round_add_dying(e, g, l->free, 1);
    }
}

sked_status skedi_lazy_serve(sked_engine *e, uint32_t kept, uint64_t last)
{
    lazy_room l = {.e = e, .kept = kept_at(e, kept)};
    const engine_ask *a = ask_at(e, l.kept->ask);
    int64_t tasks = a->flags & SKED_ASK_GANG ? a->open : 1;

    if (!e->preempt->lazy) return SKED_OK;
    if (!skedi_place_allows(e, l.kept->ask, l.kept->node)) {
        skedi_walk_wake(e, l.kept->ask, l.kept->node);
        return SKED_OK;
    }
    begin_room(&l);
    while ((l.ahead + 1) * tasks <= l.kept->count) {
        if (!try_victims(&l) || !would_start(&l)) return SKED_OK;
        sked_status rc = end_tried(&l, last);
        if (rc != SKED_OK) return rc;
        for (uint32_t k = 0; k < e->kinds; k++) l.free[k] -= l.step[k];
        l.ahead++;
    }
    return SKED_OK;
}
