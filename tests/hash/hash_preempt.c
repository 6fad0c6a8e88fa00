/* Plans of preemption: by need and by request, with little work and much. */
#include <sched/preempt.h>

#include "hash.h"

enum { ROWS = 48, QUEUES = 6, KINDS = 3, NODES = 6, USERS = 4, REQUESTS = 6 };

typedef struct columns {
    int64_t usage[QUEUES * KINDS], share[QUEUES * KINDS], take[QUEUES * KINDS];
    int64_t need[KINDS], budget[KINDS], free[NODES * KINDS];
    int64_t user_usage[USERS * KINDS], user_share[USERS * KINDS];
    int64_t amount[ROWS * KINDS], cost[ROWS], turn[ROWS];
    uint32_t queue[ROWS], node[ROWS], user[ROWS], count[ROWS], gang[ROWS];
    int32_t priority[ROWS];
    uint8_t state[ROWS];
    uint32_t request_queue[REQUESTS], request_user[REQUESTS];
    int32_t request_priority[REQUESTS];
    int64_t request_amount[REQUESTS * KINDS];
} columns;

static void draw(int64_t *amounts, uint32_t n, uint64_t most, uint64_t *random)
{
    for (uint32_t i = 0; i < n; i++) {
        amounts[i] = (int64_t)hash_below(random, most);
    }
}

static void draw_rows(columns *c, uint64_t *random)
{
    draw(c->amount, ROWS * KINDS, 9, random);
    draw(c->cost, ROWS, 1000, random);
    draw(c->turn, ROWS, 5, random);
    for (uint32_t i = 0; i < ROWS; i++) {
        uint64_t bits = hash_random(random);
        c->queue[i] = (uint32_t)(bits % QUEUES);
        c->node[i] = (uint32_t)(bits / 8 % NODES);
        c->user[i] = (uint32_t)(bits / 64 % USERS);
        c->count[i] = 1 + (uint32_t)(bits / 256 % 3);
        c->gang[i] = bits / 1024 % 16 == 0 ? 1 + c->queue[i] : 0;
        c->state[i] = (uint8_t)(bits / 16384 % 8 == 0 ? bits / 131072 % 2 : 0);
        c->priority[i] = c->gang[i] ? 0 : (int32_t)(bits / 262144 % 3);
        if (c->gang[i]) c->user[i] = 0;
        for (uint32_t k = 0; k < KINDS; k++) {
            int64_t all = c->amount[i * KINDS + k] * c->count[i];
            c->usage[c->queue[i] * KINDS + k] += all;
            c->user_usage[c->user[i] * KINDS + k] += all;
        }
    }
}

static void draw_columns(columns *c, uint64_t *random)
{
    draw(c->usage, QUEUES * KINDS, 5, random);
    draw(c->user_usage, USERS * KINDS, 1, random);
    draw_rows(c, random);
    draw(c->take, QUEUES * KINDS, 60, random);
    draw(c->need, KINDS, 60, random);
    draw(c->budget, KINDS, 90, random);
    draw(c->free, NODES * KINDS, 4, random);
    draw(c->user_share, USERS * KINDS, 200, random);
    draw(c->request_amount, REQUESTS * KINDS, 20, random);
    for (uint32_t i = 0; i < QUEUES * KINDS; i++) {
        int64_t percent = (int64_t)hash_below(random, 130);
        c->share[i] = c->usage[i] * percent / 100;
    }
    for (uint32_t r = 0; r < REQUESTS; r++) {
        uint64_t bits = hash_random(random);
        c->request_queue[r] = (uint32_t)(bits % QUEUES);
        c->request_user[r] = (uint32_t)(bits / 8 % USERS);
        c->request_priority[r] = (int32_t)(bits / 64 % 4);
        c->request_amount[r * KINDS] += 1;
    }
}

static uint64_t add_plan(uint64_t h, const sked_preempt_result *plan)
{
    h = hash_add(h, plan->outcome);
    h = hash_add(h, (uint64_t)plan->cost);
    h = hash_add(h, (uint64_t)plan->bound);
    h = hash_add(h, plan->steps);
    for (uint32_t i = 0; i < plan->n_victims; i++) {
        const sked_preempt_victim *v = &plan->victims[i];
        h = hash_add(h, (uint64_t)v->row << 32 | v->count);
        h = hash_add(h, (uint64_t)v->request << 32 | v->reason);
    }
    for (uint32_t i = 0; i < plan->n_placements; i++) {
        const sked_preempt_placement *s = &plan->placements[i];
        h = hash_add(h, (uint64_t)s->request << 32 | s->node);
        h = hash_add(h, (uint64_t)s->count << 32 | s->claim);
    }
    return hash_add_column(hash_add_column(h, plan->after, QUEUES * KINDS),
                           plan->covered, KINDS);
}

static uint64_t add_round(uint64_t h, const columns *c, uint64_t *random)
{
    static const int32_t keys[] = {SKED_RANK_KEY_HOST};
    sked_preempt_victim victims[ROWS * REQUESTS];
    sked_preempt_placement placements[ROWS * REQUESTS];
    int64_t after[QUEUES * KINDS], covered[KINDS];
    uint64_t bits = hash_random(random);
    sked_rank_input rank = {.struct_size = sizeof rank,
                            .n = ROWS,
                            .n_keys = 1,
                            .keys = keys,
                            .host = c->turn};
    sked_preempt_input in = {
        .struct_size = sizeof in,
        .flags = (uint32_t)(bits & 15),
        .kinds = KINDS,
        .n_queues = QUEUES,
        .n_users = USERS,
        .n_nodes = bits & 16 ? NODES : 0,
        .n_requests = bits & 16 ? REQUESTS : 0,
        .n = ROWS,
        .work = bits & 32 ? 20000 : 40,
        .usage = c->usage,
        .share = c->share,
        .take = bits & 64 ? c->take : NULL,
        .need = bits & 16 ? NULL : c->need,
        .budget = bits & 128 ? c->budget : NULL,
        .user_usage = c->user_usage,
        .user_share = c->user_share,
        .queue = c->queue,
        .amount = c->amount,
        .count = c->count,
        .cost = bits & 256 ? c->cost : NULL,
        .rank = bits & 512 ? &rank : NULL,
        .node = c->node,
        .user = c->user,
        .priority = c->priority,
        .gang = bits & 1024 ? c->gang : NULL,
        .state = c->state,
        .request_queue = c->request_queue,
        .request_amount = c->request_amount,
        .request_user = c->request_user,
        .request_priority = c->request_priority,
        .free = c->free,
    };
    sked_preempt_result plan = {.struct_size = sizeof plan,
                                .victims = victims,
                                .placements = placements,
                                .after = after,
                                .covered = covered,
                                .victims_cap = ROWS * REQUESTS,
                                .placements_cap = ROWS * REQUESTS};

    HASH_MUST(sked_preempt_select(&in, NULL, &plan, NULL) == SKED_OK);
    HASH_MUST(sked_preempt_verify(&in, &plan, NULL, NULL) == SKED_OK);
    return add_plan(h, &plan);
}

uint64_t hash_preempt(unsigned size);

uint64_t hash_preempt(unsigned size)
{
    uint64_t h = 0, random = 41;

    for (unsigned i = 0; i < 300 * size; i++) {
        columns c;
        draw_columns(&c, &random);
        h = add_round(h, &c, &random);
        h = add_round(h, &c, &random);
    }
    return h;
}
