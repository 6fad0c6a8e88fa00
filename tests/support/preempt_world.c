#include "preempt_world.h"

#include <string.h>

static int64_t upto(test_words *w, uint64_t most)
{
    return (int64_t)test_below(w, most + 1);
}

static void draw_amounts(int64_t *amounts, size_t n, uint64_t most,
                         test_words *w)
{
    for (size_t i = 0; i < n; i++) amounts[i] = upto(w, most);
}

static void draw_row(preempt_world *p, uint32_t i, int alike, test_words *w)
{
    const sked_preempt_input *in = &p->in;

    p->queue[i] = (uint32_t)test_below(w, in->n_queues);
    p->count[i] = test_below(w, 5) ? 1 : (uint32_t)test_below(w, 4);
    p->cost[i] = upto(w, alike ? 1 : 9);
    p->turn[i] = upto(w, 5);
    p->node[i] = in->n_nodes ? (uint32_t)test_below(w, in->n_nodes) : 0;
    p->user[i] = (uint32_t)test_below(w, WORLD_USERS);
    p->job[i] = (uint32_t)test_below(w, WORLD_JOBS);
    p->priority[i] = (int32_t)test_below(w, 3);
    p->state[i] = (uint8_t)(test_below(w, 6) == 0
                                ? SKED_PREEMPT_CANDIDATE_MARKED
                            : test_below(w, 8) == 0
                                ? SKED_PREEMPT_CANDIDATE_FIXED
                                : 0);
    draw_amounts(p->amount + i * in->kinds, in->kinds, alike ? 1 : 5, w);
}

/* Some rows become gangs, of one owner each. */
static void bind_rows(preempt_world *p, test_words *w)
{
    for (uint32_t i = 0; i < p->in.n; i++) {
        uint32_t with = (uint32_t)test_below(w, p->in.n);
        p->gang[i] = 0;
        if (with >= i || test_below(w, 3)) continue;
        if (!p->gang[with]) p->gang[with] = with + 1;
        p->gang[i] = p->gang[with];
        p->queue[i] = p->queue[with];
        p->user[i] = p->user[with];
        p->job[i] = p->job[with];
        p->priority[i] = p->priority[with];
        p->state[i] = (uint8_t)((p->state[i] & SKED_PREEMPT_CANDIDATE_FIXED) |
                                (p->state[with] &
                                 SKED_PREEMPT_CANDIDATE_MARKED));
    }
}

/* Queues use what their rows hold, and what cannot be taken. */
static void draw_queues(preempt_world *p, test_words *w)
{
    const sked_preempt_input *in = &p->in;
    size_t cells = (size_t)in->n_queues * in->kinds;

    draw_amounts(p->usage, cells, 3, w);
    draw_amounts(p->user_usage, (size_t)WORLD_USERS * in->kinds, 1, w);
    for (uint32_t i = 0; i < in->n; i++) {
        for (uint32_t k = 0; k < in->kinds; k++) {
            int64_t all = p->count[i] * p->amount[i * in->kinds + k];
            p->usage[p->queue[i] * in->kinds + k] += all;
            p->user_usage[p->user[i] * in->kinds + k] += all;
        }
    }
    for (size_t i = 0; i < cells; i++) {
        p->share[i] = upto(w, 12);
        p->keep[i] = test_below(w, 6) ? p->share[i] + upto(w, 2)
                                      : SKED_UNLIMITED;
        p->take[i] = test_below(w, 5) ? upto(w, 6) : SKED_UNLIMITED;
        p->queue_budget[i] = test_below(w, 2) ? upto(w, 9) : SKED_UNLIMITED;
    }
    draw_amounts(p->user_share, (size_t)WORLD_USERS * in->kinds, 9, w);
    draw_amounts(p->user_budget, (size_t)WORLD_USERS * in->kinds, 9, w);
    draw_amounts(p->job_budget, WORLD_JOBS, 3, w);
}

static void draw_requests(preempt_world *p, test_words *w)
{
    const sked_preempt_input *in = &p->in;
    uint32_t at = 0;

    for (uint32_t r = 0; r < in->n_requests; r++) {
        p->request_queue[r] = (uint32_t)test_below(w, in->n_queues);
        for (uint32_t k = 0; r % 2 == 0 && k < in->kinds; k++) {
            size_t cell = p->request_queue[r] * in->kinds + k;
            p->share[cell] = p->usage[cell] + 3 + upto(w, 5);
        }
        p->request_count[r] = 1 + (uint32_t)test_below(w, 2);
        p->request_user[r] = (uint32_t)test_below(w, WORLD_USERS);
        p->request_priority[r] = (int32_t)test_below(w, 4);
        draw_amounts(p->request_amount + r * in->kinds, in->kinds, 5, w);
        p->request_amount[r * in->kinds + test_below(w, in->kinds)] = 1 +
                                                                      upto(w,
                                                                           5);
        p->place_offset[r] = at;
        for (uint32_t n = 0; n < in->n_nodes; n++) {
            if (test_below(w, 3))
                p->place[at++] = (uint32_t)in->n_nodes - 1 - n;
        }
    }
    p->place_offset[in->n_requests] = at;
}

/* Columns that may be left out are, now and then. */
static void point_at_columns(preempt_world *p, test_words *w)
{
    sked_preempt_input *in = &p->in;

    in->usage = p->usage;
    in->share = p->share;
    in->queue = p->queue;
    in->amount = p->amount;
    if (in->n_nodes) in->node = p->node;
    if (test_below(w, 4)) in->count = p->count;
    if (test_below(w, 4)) in->cost = p->cost;
    if (test_below(w, 2)) in->keep = p->keep;
    if (test_below(w, 2)) in->take = p->take;
    if (test_below(w, 4) == 0) in->queue_budget = p->queue_budget;
    if (test_below(w, 4) == 0) in->budget = p->budget;
    if (test_below(w, 4) == 0) in->partition_budget = p->partition_budget;
    in->user = p->user;
    if (test_below(w, 6) == 0) in->user_budget = p->user_budget;
    in->job = p->job;
    if (test_below(w, 4) == 0) in->job_budget = p->job_budget;
    in->priority = p->priority;
    if (test_below(w, 3) == 0) in->gang = p->gang;
    if (test_below(w, 3)) in->state = p->state;
    if (test_below(w, 3)) in->rank = &p->rank;
    if (test_below(w, 4)) in->free = p->free;
}

static void point_at_requests(preempt_world *p, test_words *w)
{
    sked_preempt_input *in = &p->in;

    in->request_queue = p->request_queue;
    in->request_amount = p->request_amount;
    in->request_user = p->request_user;
    in->request_priority = p->request_priority;
    in->user_usage = p->user_usage;
    in->user_share = p->user_share;
    if (test_below(w, 2)) in->request_count = p->request_count;
    if (in->n_nodes && test_below(w, 2)) {
        in->place_offset = p->place_offset;
        in->place = p->place;
    }
}

void preempt_world_draw(preempt_world *p, test_words *w, uint32_t requests)
{
    static const int32_t by_turn[] = {SKED_RANK_KEY_HOST};
    int alike = test_below(w, 3) == 0;

    p->in = (sked_preempt_input){
        .struct_size = sizeof p->in,
        .kinds = 1 + (uint32_t)test_below(w, WORLD_KINDS),
        .n_queues = 1 + (uint32_t)test_below(w, WORLD_QUEUES),
        .n_users = WORLD_USERS,
        .n_jobs = WORLD_JOBS,
        .n_nodes = requests ? (uint32_t)test_below(w, WORLD_NODES + 1) : 0,
        .n_requests = requests ? 1 + (uint32_t)test_below(w, requests) : 0,
        .n = (uint32_t)test_below(w, WORLD_ROWS + 1),
    };
    for (uint32_t i = 0; i < p->in.n; i++) draw_row(p, i, alike, w);
    bind_rows(p, w);
    draw_queues(p, w);
    draw_amounts(p->need, p->in.kinds, 8, w);
    draw_amounts(p->budget, p->in.kinds, 12, w);
    draw_amounts(p->partition_budget, p->in.kinds, 12, w);
    draw_amounts(p->free, (size_t)WORLD_NODES * p->in.kinds, 2, w);
    draw_requests(p, w);
    point_at_columns(p, w);
    if (requests) point_at_requests(p, w);
    if (!requests || test_below(w, 4) == 0) p->in.need = p->need;
    p->rank = (sked_rank_input){.struct_size = sizeof p->rank,
                                .n = p->in.n,
                                .n_keys = 1,
                                .keys = by_turn,
                                .host = p->turn};
    p->plan = (sked_preempt_result){.struct_size = sizeof p->plan,
                                    .victims = p->victims,
                                    .placements = p->placements,
                                    .after = p->after,
                                    .covered = p->covered,
                                    .victims_cap = WORLD_VICTIMS,
                                    .placements_cap = WORLD_VICTIMS};
}

void preempt_world_gangs(preempt_world *p, test_words *w, int all)
{
    if (p->in.n_nodes == 0) return;
    for (uint32_t r = 0; r < p->in.n_requests; r++) {
        uint32_t most = 1 + (uint32_t)test_below(w, 3);
        p->request_per_node[r] = all || test_below(w, 2) ? most : 0;
        p->request_count[r] = 1 + (uint32_t)test_below(w, 4);
        for (uint32_t k = 0; k < p->in.kinds && test_below(w, 3); k++) {
            int64_t *asked = &p->request_amount[r * p->in.kinds + k];
            *asked = *asked > 0 ? (*asked + 1) / 2 : 0;
        }
    }
    p->in.request_per_node = p->request_per_node;
    p->in.request_count = p->request_count;
}

void preempt_world_order(const preempt_world *p, uint32_t *order)
{
    for (uint32_t i = 0; i < p->in.n; i++) {
        uint32_t at = i;
        while (p->in.rank && at > 0 && p->turn[order[at - 1]] > p->turn[i]) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = i;
    }
}
