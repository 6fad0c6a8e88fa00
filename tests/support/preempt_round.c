#include "preempt_round.h"

#include <string.h>

#include "test.h"

void preempt_by_need(preempt_round *w)
{
    memset(w, 0, sizeof *w);
    for (int k = 0; k < KINDS; k++) {
        w->usage[k] = 12;
        w->share[k] = 6;
        w->usage[KINDS + k] = 2;
        w->share[KINDS + k] = 2;
        w->share[2 * KINDS + k] = 6;
        w->need[k] = 3;
        w->request_amount[k] = 2;
    }
    for (uint32_t i = 0; i < 14; i++) {
        w->queue[i] = i < 12 ? 0 : 1;
        w->node[i] = i / 2;
        w->count[i] = 1;
        w->cost[i] = 14 - i;
        for (uint32_t k = 0; k < KINDS; k++) w->amount[i * KINDS + k] = 1;
    }
    w->in = (sked_preempt_input){.struct_size = sizeof w->in,
                                 .kinds = KINDS,
                                 .n_queues = 3,
                                 .n = 14,
                                 .usage = w->usage,
                                 .share = w->share,
                                 .need = w->need,
                                 .queue = w->queue,
                                 .amount = w->amount,
                                 .cost = w->cost};
    w->plan = (sked_preempt_result){.struct_size = sizeof w->plan,
                                    .victims = w->victims,
                                    .placements = w->placements,
                                    .after = w->after,
                                    .covered = w->covered,
                                    .victims_cap = PREEMPT_ROOM,
                                    .placements_cap = PREEMPT_ROOM};
}

void preempt_by_request(preempt_round *w)
{
    preempt_by_need(w);
    w->in.need = NULL;
    w->in.n_nodes = 7;
    w->in.node = w->node;
    w->in.n_requests = 1;
    w->in.request_queue = w->request_queue;
    w->in.request_amount = w->request_amount;
    w->in.free = w->free;
    w->request_queue[0] = 2;
    w->request_count[0] = 1;
    w->in.request_count = w->request_count;
}

void preempt_by_user(preempt_round *w)
{
    w->request_queue[0] = 0;
    w->request_user[0] = 1;
    for (int k = 0; k < 2 * KINDS; k++) w->user_share[k] = 6;
    w->in.user = w->user;
    w->in.request_user = w->request_user;
    w->in.n_users = 2;
    w->in.user_usage = w->user_usage;
    w->in.user_share = w->user_share;
    w->in.flags = SKED_PREEMPT_FLAG_BY_USER;
}

sked_status preempt_select(preempt_round *w)
{
    return sked_preempt_select(&w->in, NULL, &w->plan, &w->err);
}

void preempt_plan_holds(preempt_round *w)
{
    assert_ok(preempt_select(w));
    assert_ok(sked_preempt_verify(&w->in, &w->plan, NULL, &w->err));
}

void preempt_plan_of(preempt_round *w, uint32_t n)
{
    w->plan.n_victims = n;
    for (uint32_t i = 0; i < n; i++) {
        w->victims[i] = (sked_preempt_victim){
            .row = i,
            .count = 1,
            .request = SKED_NO_ROW,
            .reason = SKED_PREEMPT_REASON_OVER};
    }
}
