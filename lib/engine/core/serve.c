/* Starts what nodes are reserved for, before anything else starts there. */
#include "engine/core/serve.h"

#include "engine/core/groups.h"
#include "engine/core/kept.h"
#include "engine/core/out.h"
#include "engine/core/refusal.h"
#include "engine/pool.h"
#include "engine/watch.h"

/* Gives back the head room of all reservations, or takes it again. What is
 * served has to fit what is really held: other plans may still wait for their
 * victims, and would wait for each other. What is not paid for leaves others
 * what is. */
static void book_head_room(sked_engine *e, uint32_t kept, int by)
{
    int leaves = kept_at(e, kept)->paid == 0;

    for (uint32_t i = e->first_kept; e->shared && i != SKEDI_NONE;
         i = kept_at(e, i)->later) {
        const engine_kept *k = kept_at(e, i);
        int64_t count = (int64_t)k->count - (leaves ? k->paid : 0);
        skedi_kept_in_queues(e, k, by * count);
    }
}

/* May a reservation be used now? What is paid for waits for no other node, and
 * its user's bound, which moves with what others hold, was asked at the
 * kill. */
static int may_serve(sked_engine *e, uint32_t kept)
{
    const engine_kept *k = kept_at(e, kept);
    uint32_t leaf = job_at(e, ask_at(e, k->ask)->job)->row, row;
    uint32_t partition = node_at(e, k->node)->partition;
    int bounded = e->cells[cell_of(e, leaf, partition)].hemmed;

    if (bounded) book_head_room(e, kept, -1);
    int32_t reason = skedi_ask_refusal(e, k->ask, k->node, &row);
    if (bounded) book_head_room(e, kept, 1);
    if (reason == SKED_REASON_ORDER) return 1;
    if (k->paid == 0 || !skedi_place_may(e, k->ask, k->node)) return 0;
    return reason == SKED_REASON_LOCALITY || reason == SKED_REASON_USER_LIMIT;
}

/* Do victims run until what they hold is all that a reservation lacks? */
static int waits_for_victims(const sked_engine *e)
{
    return e->watch && e->watch->reservation_waits;
}

/* Starts what it can of one, whose room is given back for the time being. */
static sked_status serve_one(sked_engine *e, uint32_t kept, uint64_t last,
                             uint64_t *started)
{
    uint32_t most = e->opts.max_per_pass;

    for (;;) {
        const engine_kept *k = kept_at(e, kept);
        const engine_ask *a = ask_at(e, k->ask);
        uint32_t step = a->flags & SKED_ASK_GANG ? (uint32_t)a->open : 1;
        if (a->first_entry == SKEDI_NONE) return SKED_OK;
        if (e->rows.closed[job_at(e, a->job)->row]) return SKED_OK;
        if (k->count < step || (most && *started >= most)) return SKED_OK;
        if (!may_serve(e, kept)) {
            return waits_for_victims(e)
                       ? e->watch->reservation_waits(e, kept, last)
                       : SKED_OK;
        }
        if (skedi_out_full(e) || last == e->stats.decisions) {
            return SKED_STOPPED;
        }
        if (!skedi_pool_room(&e->groups, &e->hooks.mem, 1) ||
            !skedi_out_room(e, 1)) {
            return SKED_ERR_NOMEM;
        }
        ++*started;
        skedi_kept_use(e, kept, step);
        skedi_group_start(e, k->ask, skedi_kept_seat(e, k), k->node, step);
        skedi_out_last(e)->reason = SKED_REASON_HELD;
    }
}

/* So many tasks' room for each of a node, taken or given back. */
static void book_all(sked_engine *e, uint32_t node, int by)
{
    for (uint32_t i = node_at(e, node)->first_kept; i != SKEDI_NONE;
         i = kept_at(e, i)->next) {
        skedi_kept_on_node(e, kept_at(e, i),
                           by * (int64_t)kept_at(e, i)->count);
    }
}

/* What others were told to end for is served before the rest. */
static void put_paid_first(sked_engine *e, uint32_t node)
{
    uint32_t *front = &node_at(e, node)->first_kept, *at = front;

    while (*at != SKEDI_NONE) {
        uint32_t i = *at;
        engine_kept *k = kept_at(e, i);
        if (k->paid > 0 && at != front) {
            *at = k->next;
            k->next = *front;
            *front = i;
        } else {
            at = &k->next;
        }
        if (k->paid > 0) front = &k->next;
    }
}

sked_status skedi_kept_serve(sked_engine *e, uint32_t node, uint64_t last,
                             uint64_t *started)
{
    sked_status rc = SKED_OK;
    uint32_t i, next;
    int lazy = waits_for_victims(e);

    put_paid_first(e, node);
    i = node_at(e, node)->first_kept;
    book_all(e, node, -1);
    for (; i != SKEDI_NONE && rc == SKED_OK; i = next) {
        rc = serve_one(e, i, last, started);
        next = kept_at(e, i)->next;
        /* One that still waits for its victims keeps no other from what is free
         * by now: once all victims have ended there is enough for all. Lazy
         * rounds end none before what they are for could start. */
        if (lazy) skedi_kept_on_node(e, kept_at(e, i), kept_at(e, i)->count);
    }
    if (!lazy) book_all(e, node, 1);
    for (; lazy && i != SKEDI_NONE; i = kept_at(e, i)->next) {
        skedi_kept_on_node(e, kept_at(e, i), kept_at(e, i)->count);
    }
    for (i = node_at(e, node)->first_kept; i != SKEDI_NONE; i = next) {
        next = kept_at(e, i)->next;
        if (kept_at(e, i)->count == 0) skedi_kept_drop(e, i);
    }
    skedi_out_close(e); /* what follows is not by what was kept */
    return rc;
}
