/*
 * Who asks for room in a round: tasks that could start once the room is there,
 * of queues that claim, those with the least part of their share first, in the
 * order of their lines. And who might give: what runs on nodes that take work,
 * by nodes, the newest first.
 */
#include "ref_engine_round.h"

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "queue/attr.h"

/* So many asks of a queue are looked at, and in all so many that cannot run
 * everywhere. */
enum { FIRST_ASKS = 64, PICKY_ASKS = 256 };

static int takes_from_itself(const ref_plan *p)
{
    return (p->in.flags & (SKED_PREEMPT_BY_USER | SKED_PREEMPT_BY_PRIORITY)) !=
           0;
}

/* ---- Whose turn it is to ask ---- */

/* The largest part of its share that a queue uses of a kind: of what is alike
 * four times the share and more, of what it has no share of the most. */
typedef struct part_of_share {
    uint64_t used, share;
} part_of_share;

static int part_above(part_of_share a, part_of_share b)
{
    if (a.share == 0 || b.share == 0) return a.share == 0 && b.share != 0;
    return skedi_cmp_mul(a.used, b.share, b.used, a.share) > 0;
}

static part_of_share part_used(const ref_engine *r, const ref_plan *p,
                               uint32_t row)
{
    part_of_share most = {0, 1};

    for (uint32_t k = 0; k < r->kinds; k++) {
        part_of_share own = {(uint64_t)p->usage[row * r->kinds + k],
                             (uint64_t)p->in.share[row * r->kinds + k]};
        if (own.used == 0) continue;
        if (own.share > 0 && own.used / 4 >= own.share) {
            own = (part_of_share){4, 1};
        }
        if (part_above(own, most)) most = own;
    }
    return most;
}

static int drains(const ref_plan *p, uint32_t row)
{
    for (int32_t at = (int32_t)row; at >= 0; at = p->books.image->parent[at]) {
        if (p->books.image->state[at] == SKED_STATE_DRAINING) return 1;
    }
    return 0;
}

/* The claiming queue that comes next; UINT32_MAX. */
static uint32_t next_queue(const ref_engine *r, const ref_plan *p,
                           uint8_t *done)
{
    uint32_t best = UINT32_MAX;

    for (uint32_t row = 0; row < p->books.image->n; row++) {
        int asks = (p->reasons[row] & SKED_TARGET_CLAIMS) != 0 ||
                   takes_from_itself(p);
        if (done[row] || !asks || drains(p, row)) continue;
        if (!skedi_image_is_leaf(p->books.image, row)) continue;
        if (best == UINT32_MAX ||
            part_above(part_used(r, p, best), part_used(r, p, row))) {
            best = row;
        }
    }
    if (best != UINT32_MAX) done[best] = 1;
    return best;
}

/* The open asks of a leaf in the order of its line; how many. */
static size_t line_of(const ref_engine *r, const ref_plan *p, uint32_t row,
                      size_t *line)
{
    uint8_t *may = calloc(r->asks + 1, 1);
    uint32_t *job = calloc(r->jobs + 1, sizeof *job);
    size_t n = 0;

    if (!may || !job) abort();
    for (size_t i = 0; i < r->asks; i++) {
        may[i] = (uint8_t)(ref_engine_in_line(r, &r->ask[i], p->partition) &&
                           ref_plan_row(r, p, r->ask[i].job) == row);
    }
    size_t jobs = ref_engine_jobs_in_order(r, &p->books, row, may, job);
    for (size_t j = 0; j < jobs; j++) {
        for (;;) { /* by priority, then as they came */
            size_t best = SIZE_MAX;
            for (size_t i = 0; i < r->asks; i++) {
                if (!may[i] || r->ask[i].job != job[j]) continue;
                if (best == SIZE_MAX ||
                    r->ask[i].priority > r->ask[best].priority) {
                    best = i;
                }
            }
            if (best == SIZE_MAX) break;
            may[best] = 0;
            line[n++] = best;
        }
    }
    free(may);
    free(job);
    return n;
}

/* ---- How many ask ---- */

static int64_t times_within(int64_t step, int64_t used, int64_t bound)
{
    if (step == 0 || bound == SKED_UNLIMITED) return INT32_MAX;
    return bound > used ? (bound - used) / step : 0;
}

/* Within limits over all partitions, where there are several. */
static int64_t times_in_limits(const ref_engine *r, const ref_plan *p,
                               const ref_ask *a)
{
    const skedi_image *image = p->books.image;
    int64_t times = INT32_MAX;

    if (r->parts == 1) return times;
    for (int32_t row = (int32_t)ref_plan_row(r, p, a->job); row >= 0;
         row = image->parent[row]) {
        for (uint32_t k = 0; k < r->kinds; k++) {
            int64_t most = ref_engine_ceiling(&p->books, (uint32_t)row, k);
            int64_t used = p->books.all[(uint32_t)row * r->kinds + k];
            times = skedi_i64_min(times, times_within(a->step[k], used, most));
        }
    }
    return times;
}

/* A user below the limit asks for what takes it there, which the last task may
 * pass. */
static int64_t times_of_user(const ref_engine *r, const ref_plan *p,
                             const ref_ask *a)
{
    const ref_job *job = &r->job[a->job];
    int64_t own[REF_KINDS], times = 0;
    uint32_t kind;
    int64_t limit = ref_engine_user_limit(r, &p->books, job, &kind);

    if (limit == SKED_UNLIMITED) return INT32_MAX;
    ref_engine_user_used(r, job->user, job->queue, p->partition, own);
    if (own[kind] >= limit) return 0;
    if (a->step[kind] == 0) return INT32_MAX;
    while (times < INT32_MAX && own[kind] < limit) {
        own[kind] += a->step[kind];
        times++;
    }
    return times;
}

/* What asks for nothing needs no room. */
static int needs_room(const ref_engine *r, const ref_ask *a)
{
    int64_t sum = 0;

    for (uint32_t k = 0; k < r->kinds; k++) sum |= a->step[k];
    return sum != 0;
}

static int64_t times_asked(const ref_engine *r, const ref_plan *p, size_t ask)
{
    const ref_ask *a = &r->ask[ask];
    size_t at = (size_t)ref_plan_row(r, p, a->job) * r->kinds;
    int64_t times = a->flags & SKED_ASK_GANG ? 1 : ref_engine_open(a);

    if (!needs_room(r, a)) return 0;
    times -= p->planned[ask];
    for (uint32_t k = 0; k < r->kinds && !takes_from_itself(p); k++) {
        times = skedi_i64_min(times, times_within(a->step[k], p->usage[at + k],
                                                  p->in.share[at + k]));
    }
    times = skedi_i64_min(times, times_in_limits(r, p, a));
    return skedi_i64_min(times, times_of_user(r, p, a));
}

/* ---- Requests ---- */

typedef struct request_columns {
    uint32_t *queue, *count, *user, *from, *place;
    int64_t *amount;
    int32_t *priority;
    uint32_t places, picky;
} request_columns;

/* The nodes that would have it, where not all would. 0: none. */
static int list_places(const ref_engine *r, const ref_plan *p,
                       request_columns *c, size_t ask)
{
    uint32_t before = c->places, all = p->in.n_nodes, n = 0;

    for (uint32_t i = 0; i < all; i++) {
        n += (uint32_t)ref_engine_place_is_right(r, ask, p->node[i]);
    }
    if (n == all) return 1;
    if (c->picky++ >= PICKY_ASKS) return 0;
    for (uint32_t i = 0; i < all; i++) {
        if (!ref_engine_place_is_right(r, ask, p->node[i])) continue;
        c->place[c->places++] = i;
    }
    return c->places > before;
}

static void add_request(const ref_engine *r, ref_plan *p, request_columns *c,
                        size_t ask, int64_t times)
{
    const ref_ask *a = &r->ask[ask];
    uint32_t i = p->in.n_requests;

    c->from[i] = c->places;
    if (!list_places(r, p, c, ask)) return;
    p->ask[i] = ask;
    c->queue[i] = ref_plan_row(r, p, a->job);
    c->count[i] = (uint32_t)times;
    c->user[i] = p->user_row[a->job];
    c->priority[i] = r->job[a->job].priority;
    memcpy(c->amount + (size_t)i * r->kinds, a->step,
           r->kinds * sizeof *c->amount);
    p->in.n_requests++;
}

void ref_plan_requests(const ref_engine *r, ref_plan *p)
{
    size_t most = r->asks + 1, *line = ref_plan_room(p, most, sizeof *line);
    uint8_t *done = ref_plan_room(p, p->books.image->n, 1);
    request_columns c = {
        ref_plan_room(p, most, 4),
        ref_plan_room(p, most, 4),
        ref_plan_room(p, most, 4),
        ref_plan_room(p, most + 1, 4),
        ref_plan_room(p, most * p->in.n_nodes, 4),
        ref_plan_room(p, most * r->kinds, 8),
        ref_plan_room(p, most, 4),
        0,
        0,
    };
    uint32_t row;

    p->ask = ref_plan_room(p, most, sizeof *p->ask);
    while ((row = next_queue(r, p, done)) != UINT32_MAX) {
        size_t n = line_of(r, p, row, line);
        for (size_t i = 0; i < n && i < FIRST_ASKS; i++) {
            int64_t times = times_asked(r, p, line[i]);
            if (times > 0) add_request(r, p, &c, line[i], times);
        }
    }
    c.from[p->in.n_requests] = c.places;
    p->in.request_queue = c.queue;
    p->in.request_amount = c.amount;
    p->in.request_count = c.count;
    p->in.request_user = c.user;
    p->in.request_priority = c.priority;
    p->in.place_offset = c.places ? c.from : NULL;
    p->in.place = c.places ? c.place : NULL;
}
