/*
 * Whatever the columns hold: a call either refuses them, or its plan verifies,
 * adds up, and stays within what there is. Where several sets would do, asking
 * with less work never gives a plan that breaks a rule either.
 */
#include <sched/preempt.h>

#include <stdlib.h>
#include <string.h>

#include "input.h"

enum { ROWS = 12, QUEUES = 4, KINDS = 3, NODES = 3, USERS = 3, REQUESTS = 3 };

#define MUST(cond) ((cond) ? (void)0 : abort())

typedef struct columns {
    int64_t usage[QUEUES * KINDS], share[QUEUES * KINDS];
    int64_t keep[QUEUES * KINDS], take[QUEUES * KINDS];
    int64_t queue_budget[QUEUES * KINDS];
    int64_t need[KINDS], budget[KINDS];
    int64_t user_usage[USERS * KINDS], user_share[USERS * KINDS];
    int64_t job_budget[USERS];
    int64_t amount[ROWS * KINDS], cost[ROWS], turn[ROWS];
    uint32_t queue[ROWS], node[ROWS], user[ROWS], count[ROWS], gang[ROWS];
    int32_t priority[ROWS];
    uint8_t state[ROWS];
    uint32_t request_queue[REQUESTS], request_user[REQUESTS];
    uint32_t request_count[REQUESTS], place_offset[REQUESTS + 1];
    uint32_t request_per_node[REQUESTS];
    uint32_t place[REQUESTS * NODES];
    int32_t request_priority[REQUESTS];
    int64_t request_amount[REQUESTS * KINDS];
    int64_t free[NODES * KINDS];
} columns;

static int64_t amount(fuzz_input *in)
{
    uint64_t shape = fuzz_u64(in, 1);

    if (shape < 224) return (int64_t)shape % 24;
    if (shape < 236) return SKED_UNLIMITED;
    if (shape < 244) return SKED_AMOUNT_MAX - (int64_t)(shape - 236);
    return (int64_t)fuzz_u64(in, 8);
}

static void draw(int64_t *amounts, size_t n, fuzz_input *in)
{
    for (size_t i = 0; i < n; i++) amounts[i] = amount(in);
}

/* Usage is what the rows add up to and some more, or else anything. */
static void draw_rows(columns *c, fuzz_input *in)
{
    draw(c->usage, QUEUES * KINDS, in);
    for (uint32_t i = 0; i < ROWS; i++) {
        uint32_t bits = (uint32_t)fuzz_u64(in, 2);
        c->queue[i] = bits % QUEUES;
        c->node[i] = bits / 4 % NODES;
        c->user[i] = bits / 16 % USERS;
        c->count[i] = 1 + bits / 64 % 3;
        c->gang[i] = bits / 256 % 8 == 0 ? 1 + c->queue[i] : 0;
        c->state[i] = (uint8_t)(bits / 2048 % 8 == 0 ? bits / 16384 % 4 : 0);
        c->priority[i] = (int32_t)(bits / 4096 % 3);
        c->cost[i] = amount(in);
        c->turn[i] = (int64_t)fuzz_u64(in, 1) % 4;
        draw(c->amount + i * KINDS, KINDS, in);
        if (c->gang[i]) c->user[i] = 0;
        if (c->gang[i]) c->priority[i] = 0;
        for (uint32_t k = 0; k < KINDS; k++) {
            int64_t one = c->amount[i * KINDS + k];
            int64_t *usage = &c->usage[c->queue[i] * KINDS + k];
            if (one < 0 || one > 1000 || *usage > 1000) continue;
            *usage += one * c->count[i];
        }
    }
}

static void draw_columns(columns *c, fuzz_input *in)
{
    draw(c->share, QUEUES * KINDS, in);
    draw(c->keep, QUEUES * KINDS, in);
    draw(c->take, QUEUES * KINDS, in);
    draw(c->queue_budget, QUEUES * KINDS, in);
    draw(c->need, KINDS, in);
    draw(c->budget, KINDS, in);
    draw(c->user_usage, USERS * KINDS, in);
    draw(c->user_share, USERS * KINDS, in);
    draw(c->job_budget, USERS, in);
    draw(c->free, NODES * KINDS, in);
    draw(c->request_amount, REQUESTS * KINDS, in);
    draw_rows(c, in);
    c->place_offset[0] = 0;
    for (uint32_t r = 0; r < REQUESTS; r++) {
        uint32_t bits = (uint32_t)fuzz_u64(in, 2);
        c->request_queue[r] = bits % QUEUES;
        c->request_user[r] = bits / 4 % USERS;
        c->request_count[r] = bits / 16 % 4;
        c->request_per_node[r] = bits / 1024 % 3;
        c->request_priority[r] = (int32_t)(bits / 64 % 4);
        c->place_offset[r + 1] = c->place_offset[r] + bits / 256 % 3;
        for (uint32_t n = 0; n < NODES; n++) {
            c->place[r * NODES + n] = (bits / 1024 + n) % NODES;
        }
    }
}

static sked_preempt_input problem_of(const columns *c, fuzz_input *in,
                                     const sked_rank_input *rank)
{
    uint32_t bits = (uint32_t)fuzz_u64(in, 3);
    int requests = (bits & 3) > 0;

    return (sked_preempt_input){
        .struct_size = sizeof(sked_preempt_input),
        .flags = bits >> 2 & 15,
        .kinds = KINDS,
        .n_queues = QUEUES,
        .n_users = USERS,
        .n_jobs = USERS,
        .n_nodes = requests && (bits >> 6 & 3) ? NODES : 0,
        .n_requests = requests ? REQUESTS : 0,
        .n = ROWS,
        .work = fuzz_u64(in, 1) * 16,
        .usage = c->usage,
        .share = c->share,
        .keep = bits >> 8 & 1 ? c->keep : NULL,
        .take = bits >> 9 & 1 ? c->take : NULL,
        .queue_budget = bits >> 10 & 1 ? c->queue_budget : NULL,
        .need = requests && bits >> 11 & 1 ? NULL : c->need,
        .budget = bits >> 12 & 1 ? c->budget : NULL,
        .user_usage = c->user_usage,
        .user_share = c->user_share,
        .job_budget = bits >> 13 & 1 ? c->job_budget : NULL,
        .queue = c->queue,
        .amount = c->amount,
        .count = bits >> 14 & 1 ? c->count : NULL,
        .cost = bits >> 15 & 1 ? c->cost : NULL,
        .rank = bits >> 16 & 1 ? rank : NULL,
        .node = c->node,
        .job = c->user,
        .user = c->user,
        .priority = c->priority,
        .gang = bits >> 17 & 1 ? c->gang : NULL,
        .state = c->state,
        .request_queue = c->request_queue,
        .request_amount = c->request_amount,
        .request_count = c->request_count,
        .request_user = c->request_user,
        .request_priority = c->request_priority,
        .place_offset = requests && (bits >> 6 & 3) == 1 ? c->place_offset
                                                         : NULL,
        .place = c->place,
        .free = c->free,
        .request_per_node = requests && (bits >> 6 & 3) > 1
                                ? c->request_per_node
                                : NULL,
    };
}

/* What the plan says of itself is what its rows add up to. */
static void must_add_up(const sked_preempt_input *in,
                        const sked_preempt_result *plan)
{
    int64_t cost = 0;
    uint64_t tasks = 0, served = 0;

    for (uint32_t i = 0; i < plan->n_victims; i++) {
        cost += plan->victims[i].cost;
        tasks += plan->victims[i].count;
    }
    for (uint32_t i = 0; i < plan->n_placements; i++)
        served += plan->placements[i].count;
    MUST(cost == plan->cost && tasks == plan->tasks && served == plan->served);
    MUST(in->n_requests || plan->bound <= plan->cost);
    for (uint32_t i = 0; i < QUEUES * KINDS; i++) MUST(plan->after[i] >= 0);
    for (uint32_t k = 0; k < KINDS; k++) MUST(plan->covered[k] >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int32_t keys[] = {SKED_RANK_KEY_HOST};
    fuzz_input in = {data, data + size};
    columns c;
    sked_preempt_victim victims[4 * ROWS];
    sked_preempt_placement placements[4 * ROWS];
    int64_t after[QUEUES * KINDS], covered[KINDS];
    sked_preempt_result plan = {.struct_size = sizeof plan,
                                .victims = victims,
                                .placements = placements,
                                .after = after,
                                .covered = covered,
                                .victims_cap = 4 * ROWS,
                                .placements_cap = 4 * ROWS};

    draw_columns(&c, &in);
    sked_rank_input rank = {.struct_size = sizeof rank,
                            .n = ROWS,
                            .n_keys = 1,
                            .keys = keys,
                            .host = c.turn};
    do {
        sked_preempt_input problem = problem_of(&c, &in, &rank);
        sked_error err;
        if (sked_preempt_select(&problem, NULL, &plan, &err) != SKED_OK) {
            continue;
        }
        MUST(sked_preempt_verify(&problem, &plan, NULL, &err) == SKED_OK);
        must_add_up(&problem, &plan);
    } while (fuzz_more(&in));
    return 0;
}
