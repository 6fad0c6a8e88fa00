/*
 * Who asks for room in a round. Only tasks that could start once the room is
 * there ask: of jobs that run, within what their queue is owed, their user and
 * the queue's own limits allow.
 */
#include "engine/rounds.h"

#include <string.h>

#include "base/sort.h"
#include "engine/books.h"
#include "engine/line.h"
#include "engine/refusal.h"
#include "engine/seats.h"

/* So many asks of a queue are looked at in a round and partition, and of those
 * that cannot run on every node, which need lists of nodes, so many in all. */
enum { ROUND_ASKS = 64, ROUND_PICKY_ASKS = 256 };

/* ---- Who ---- */

/* Are there rules by which a leaf takes from itself? */
static int asks_inside(const round_part *part)
{
    return (part->in.flags &
            (SKED_PREEMPT_BY_USER | SKED_PREEMPT_BY_PRIORITY)) != 0;
}

/* How many tasks (a gang is one) of `step` go into `room`. */
static int64_t times_in(const sked_engine *e, const int64_t *step,
                        const int64_t *used, const int64_t *bound)
{
    int64_t times = INT32_MAX;

    for (uint32_t k = 0; k < e->kinds; k++) {
        if (step[k] == 0 || bound[k] == SKED_UNLIMITED) continue;
        int64_t room = bound[k] > used[k] ? bound[k] - used[k] : 0;
        times = skedi_i64_min(times, room / step[k]);
    }
    return times;
}

/* A user at the limit asks for nothing; one below it for what takes it there,
 * which the last task may pass. */
static int64_t times_of_user(const sked_engine *e, uint32_t seat,
                             const int64_t *step)
{
    uint32_t k;

    if (seat == SKEDI_NONE) return INT32_MAX;
    int64_t limit = skedi_seat_limit(e, seat, &k);
    int64_t used = engine_row_of(e, &e->seat_used, seat)[k];
    if (used >= limit) return 0;
    if (limit == SKED_UNLIMITED || step[k] == 0) return INT32_MAX;
    return (limit - used - 1) / step[k] + 1;
}

/* Limits over all partitions, where there are several. What would be preempted
 * below the same queue is not counted, so as never to ask in vain. */
static int64_t times_in_ceilings(const sked_engine *e, uint32_t row,
                                 const int64_t *step)
{
    int64_t times = INT32_MAX;

    if (e->parts == 1) return times;
    for (;; row = (uint32_t)e->rows.parent[row]) {
        size_t at = (size_t)row * e->kinds;
        times = skedi_i64_min(
            times, times_in(e, step, e->rows.used + at, e->rows.ceiling + at));
        if (row == 0) return times;
    }
}

/* What asks for nothing needs no room. */
static int needs_room(const sked_engine *e, const int64_t *step)
{
    int64_t sum = 0;

    for (uint32_t k = 0; k < e->kinds; k++) sum |= step[k];
    return sum != 0;
}

/* How many tasks (or gangs) of an entry ask. */
static int64_t askable(const round_state *s, const round_part *part,
                       const engine_entry *x)
{
    const sked_engine *e = s->e;
    const engine_ask *a = ask_at(e, x->ask);
    const int64_t *step = engine_row_of(e, &e->shape_step, a->shape);
    uint32_t row = x->cell / e->parts;
    size_t at = (size_t)row * e->kinds;
    int64_t times = a->flags & SKED_ASK_GANG ? 1 : a->open;

    if (!needs_room(e, step)) return 0;
    times -= s->planned[x->ask];
    if (!asks_inside(part)) {
        times = skedi_i64_min(
            times, times_in(e, step, part->in.usage + at, part->in.share + at));
    }
    times = skedi_i64_min(times, times_in_ceilings(e, row, step));
    return skedi_i64_min(times, times_of_user(e, x->seat, step));
}

/* ---- In which order ---- */

/* Entries of leaves that may ask: those of one after those of another. */
typedef struct round_line {
    const sked_engine *e;
    uint32_t *entry;
    uint32_t *scratch;
    uint32_t n;
} round_line;

static int compare_entries(const void *ctx, uint32_t a, uint32_t b)
{
    const sked_engine *e = ctx;

    if (a == b) return 0;
    return skedi_entry_before(e, a, b) ? -1 : 1;
}

/* The part of its share that a queue uses, of the kind it uses most of. */
static uint64_t shortage_of(const sked_engine *e, const round_part *part,
                            uint32_t row)
{
    skedi_drf_scale scale[SKED_MAX_KINDS];
    size_t at = (size_t)row * e->kinds;

    for (uint32_t k = 0; k < e->kinds; k++) {
        scale[k] = skedi_drf_scale_of(part->in.share[at + k]);
    }
    return skedi_order_share(scale, part->in.usage + at, e->kinds, 1);
}

static int may_ask(const sked_engine *e, const round_part *part, uint32_t row)
{
    const engine_cell *cell = &e->cells[cell_of(e, row, part->partition)];
    int leaf = e->rows.first_child[row] == e->rows.first_child[row + 1];

    if (!leaf || cell->open == 0 || e->rows.closed[row]) return 0;
    return (part->reasons[row] & SKED_TARGET_CLAIMS) || asks_inside(part);
}

/* Adds the first asks of a leaf, in the order of its line. */
static void add_first(round_line *l, const engine_cell *cell)
{
    uint32_t *own = l->entry + l->n, n = 0;

    for (uint32_t p = 0; p < cell->entries; p++) {
        if (cell->steady && n == ROUND_ASKS) break;
        if (skedi_line_has(cell, p)) own[n++] = cell->entry[p];
    }
    if (!cell->steady) {
        skedi_sort(own, l->scratch, n, compare_entries, l->e);
    }
    l->n += n < ROUND_ASKS ? n : ROUND_ASKS;
}

/* Whose queue has the least part of its share goes first, then by row. */
static int line_askers(sked_engine *e, const round_part *part, round_line *l)
{
    uint64_t most = 0;
    uint32_t n = 0;
    skedi_keyed *rows = skedi_round_room(e, (uint64_t)e->rows.n * 2,
                                         sizeof *rows);

    for (uint32_t row = 0; rows && row < e->rows.n; row++) {
        if (!may_ask(e, part, row)) continue;
        most += e->cells[cell_of(e, row, part->partition)].open;
        rows[n] = (skedi_keyed){shortage_of(e, part, row), n, row};
        n++;
    }
    l->entry = skedi_round_room(e, most, sizeof *l->entry);
    l->scratch = skedi_round_room(e, most, sizeof *l->scratch);
    if (!rows || !l->entry || !l->scratch) return 0;
    skedi_sort_keys(rows, rows + e->rows.n, n);
    for (uint32_t i = 0; i < n; i++) {
        add_first(l, &e->cells[cell_of(e, rows[i].tag, part->partition)]);
    }
    return 1;
}

/* ---- The rows ---- */

typedef struct round_requests {
    uint32_t *queue, *count, *user, *from, *place;
    int64_t *amount;
    int32_t *priority;
    uint32_t n, n_places, picky;
} round_requests;

static int requests_room(sked_engine *e, round_part *part, round_requests *rows,
                         uint32_t n)
{
    part->ask = skedi_round_room(e, n, sizeof *part->ask);
    rows->queue = skedi_round_room(e, n, sizeof *rows->queue);
    rows->count = skedi_round_room(e, n, sizeof *rows->count);
    rows->user = skedi_round_room(e, n, sizeof *rows->user);
    rows->from = skedi_round_room(e, (uint64_t)n + 1, sizeof *rows->from);
    rows->amount = skedi_round_room(e, (uint64_t)n * e->kinds,
                                    sizeof *rows->amount);
    rows->priority = skedi_round_room(e, n, sizeof *rows->priority);
    return part->ask && rows->queue && rows->count && rows->user &&
           rows->from && rows->amount && rows->priority;
}

static int is_picky(const engine_ask *a)
{
    return a->places != SKEDI_NONE || a->refusals != SKEDI_NONE;
}

/* Would a node let an ask in? Lazy rounds stop nobody before it does, so there
 * it is enough that it will. */
static int lets_in(const sked_engine *e, uint32_t ask, uint32_t node)
{
    return e->preempt->lazy ? skedi_place_may(e, ask, node)
                            : skedi_place_allows(e, ask, node);
}

/* Lists the nodes that would let a picky ask in; those of others stay empty,
 * which means all. Whom none lets in does not ask. */
static int list_places(const sked_engine *e, const round_part *part,
                       round_requests *rows, uint32_t ask)
{
    uint32_t before = rows->n_places;

    if (!is_picky(ask_at(e, ask))) return 1;
    if (rows->picky == ROUND_PICKY_ASKS) return 0;
    rows->picky++;
    for (uint32_t i = 0; i < part->in.n_nodes; i++) {
        if (lets_in(e, ask, part->node[i])) {
            rows->place[rows->n_places++] = i;
        }
    }
    return rows->n_places > before;
}

static void add_request(const sked_engine *e, round_part *part,
                        round_requests *rows, uint32_t entry, int64_t times)
{
    const engine_entry *x = entry_at(e, entry);
    const engine_ask *a = ask_at(e, x->ask);
    uint32_t i = rows->n;

    rows->from[i] = rows->n_places;
    if (!list_places(e, part, rows, x->ask)) return;
    part->ask[i] = x->ask;
    rows->queue[i] = x->cell / e->parts;
    rows->count[i] = (uint32_t)times;
    rows->user[i] = x->seat == SKEDI_NONE ? 0 : part->seat_row[x->seat];
    rows->priority[i] = job_at(e, a->job)->priority;
    memcpy(rows->amount + (size_t)i * e->kinds,
           engine_row_of(e, &e->shape_step, a->shape),
           e->kinds * sizeof *rows->amount);
    rows->n++;
}

int skedi_round_asks(round_state *s, round_part *part)
{
    sked_engine *e = s->e;
    round_line line = {.e = e};
    round_requests rows = {0};
    uint32_t picky = 0;

    if (!line_askers(e, part, &line)) return 0;
    uint32_t most = line.n;
    for (uint32_t i = 0; i < most && picky < ROUND_PICKY_ASKS; i++) {
        picky += (uint32_t)is_picky(ask_at(e, entry_at(e, line.entry[i])->ask));
    }
    part->picky = picky > 0;
    if (picky && !skedi_round_everywhere(e, part)) return 0;
    rows.place = skedi_round_room(e, (uint64_t)picky * part->in.n_nodes,
                                  sizeof *rows.place);
    if (!rows.place || !requests_room(e, part, &rows, most)) return 0;
    for (uint32_t i = 0; i < most; i++) {
        int64_t times = askable(s, part, entry_at(e, line.entry[i]));
        if (times > 0) add_request(e, part, &rows, line.entry[i], times);
    }
    rows.from[rows.n] = rows.n_places;
    part->in.n_requests = rows.n;
    part->in.request_queue = rows.queue;
    part->in.request_amount = rows.amount;
    part->in.request_count = rows.count;
    part->in.request_user = rows.user;
    part->in.request_priority = rows.priority;
    if (!rows.n_places) return 1;
    part->in.place_offset = rows.from;
    part->in.place = rows.place;
    return 1;
}
