/*
 * A round of preemption in words. Three queues share four nodes: A is
 * guaranteed 20 GB, B 30 and C 50. While C had little to do, A and B took what
 * was idle; now C's application asks for three tasks of 10 GB.
 */
#include <sched/sked.h>

#include <stdio.h>
#include <stdlib.h>

enum { QUEUES = 3, TASKS = 16, NODES = 4, ROOT = 1, ASKED = 3 };

static const char *const queue_name[QUEUES] = {"A", "B", "C"};

/* Running tasks: node, size, and minutes since the last checkpoint. */
static const struct {
    const char *name;
    uint32_t queue;
    uint32_t node;
    int64_t gigabytes;
    int64_t minutes;
} task[TASKS] = {
    {"app1-1", 0, 0, 5, 40},  {"app1-2", 0, 0, 5, 35},
    {"app1-3", 0, 1, 5, 30},  {"app1-4", 0, 2, 5, 25},
    {"app2-1", 0, 1, 5, 5},   {"app2-2", 0, 2, 5, 8},
    {"app2-3", 0, 3, 5, 12},  {"app3-1", 1, 0, 10, 20},
    {"app3-2", 1, 1, 10, 15}, {"app3-3", 1, 2, 10, 50},
    {"app3-4", 1, 3, 10, 10}, {"app3-5", 1, 3, 5, 3},
    {"app4-1", 2, 0, 5, 9},   {"app4-2", 2, 1, 5, 9},
    {"app4-3", 2, 2, 5, 9},   {"app4-4", 2, 3, 5, 9},
};

/* Columns for the library, and what it answers. */
typedef struct scene {
    int64_t usage[QUEUES], guarantee[ROOT + QUEUES], demand[ROOT + QUEUES];
    int64_t share[ROOT + QUEUES], keep[ROOT + QUEUES], take[ROOT + QUEUES];
    int64_t owed[ROOT + QUEUES], need[1];
    int64_t amount[TASKS], cost[TASKS];
    uint32_t queue[TASKS], node[TASKS];
    sked_preempt_victim victims[TASKS];
    sked_preempt_placement placements[TASKS];
    int64_t after[QUEUES];
    sked_preempt_result plan;
} scene;

static void must(sked_status rc, const sked_error *err)
{
    if (rc == SKED_OK) return;
    fprintf(stderr, "%s: %s\n", sked_status_name(rc), err->message);
    exit(1);
}

static void read_tasks(scene *s)
{
    for (uint32_t i = 0; i < TASKS; i++) {
        s->queue[i] = task[i].queue;
        s->node[i] = task[i].node;
        s->amount[i] = task[i].gigabytes;
        s->cost[i] = task[i].minutes;
        s->usage[task[i].queue] += task[i].gigabytes;
    }
}

/* Who is over, who is owed: the capacity scheduler's rule, all at once. */
static void find_targets(scene *s)
{
    static const int32_t parent[ROOT + QUEUES] = {-1, 0, 0, 0};
    static const int64_t capacity[1] = {100};
    int64_t usage[ROOT + QUEUES] = {0};
    sked_error err;

    for (int q = 0; q < QUEUES; q++) usage[ROOT + q] = s->usage[q];
    for (int q = 0; q < QUEUES; q++) s->demand[ROOT + q] = s->usage[q];
    s->demand[ROOT + 2] += ASKED * 10;
    s->guarantee[ROOT] = 20;
    s->guarantee[ROOT + 1] = 30;
    s->guarantee[ROOT + 2] = 50;
    sked_share_input queues = {.struct_size = sizeof queues,
                               .kinds = 1,
                               .n = ROOT + QUEUES,
                               .parent = parent,
                               .guarantee = s->guarantee,
                               .demand = s->demand,
                               .usage = usage,
                               .capacity = capacity};
    sked_target_once_input in = {.struct_size = sizeof in, .queues = &queues};
    sked_target_options opts = {.struct_size = sizeof opts,
                                .ignored_ppm = -1,
                                .factor_ppm = SKED_PPM,
                                .per_round_ppm = -1};
    sked_target_result out = {.struct_size = sizeof out,
                              .share = s->share,
                              .keep = s->keep,
                              .take = s->take,
                              .owed = s->owed,
                              .need = s->need};
    must(sked_target_once(&in, &opts, NULL, &out, &err), &err);
}

static void tell_targets(const scene *s)
{
    printf("Four nodes of 25 GB, all of it in use.\n");
    for (int q = 0; q < QUEUES; q++) {
        int at = ROOT + q;
        printf("  %s is guaranteed %2d GB and uses %d: ", queue_name[q],
               (int)s->guarantee[at], (int)s->usage[q]);
        if (s->take[at] > 0) {
            printf("over by %d, and has %d left\n", (int)s->take[at],
                   (int)s->keep[at]);
        } else {
            printf("wants %d more, and is owed %d\n",
                   (int)(s->demand[at] - s->usage[q]), (int)s->owed[at]);
        }
    }
}

static sked_preempt_input problem_of(scene *s)
{
    s->plan = (sked_preempt_result){.struct_size = sizeof s->plan,
                                    .victims = s->victims,
                                    .placements = s->placements,
                                    .after = s->after,
                                    .victims_cap = TASKS,
                                    .placements_cap = TASKS};
    return (sked_preempt_input){.struct_size = sizeof(sked_preempt_input),
                                .kinds = 1,
                                .n_queues = QUEUES,
                                .n = TASKS,
                                .usage = s->usage,
                                .share = s->share + ROOT,
                                .keep = s->keep + ROOT,
                                .need = s->need,
                                .queue = s->queue,
                                .amount = s->amount,
                                .cost = s->cost,
                                .node = s->node};
}

/* A node where the tasks fit, at the least cost. */
static void plan_for_requests(scene *s)
{
    static const uint32_t asks[1] = {2}, count[1] = {ASKED};
    static const int64_t size[1] = {10};
    sked_preempt_input in = problem_of(s);
    sked_error err;

    in.n_nodes = NODES;
    in.n_requests = 1;
    in.request_queue = asks;
    in.request_count = count;
    in.request_amount = size;
    must(sked_preempt_select(&in, NULL, &s->plan, &err), &err);
    must(sked_preempt_verify(&in, &s->plan, NULL, &err), &err);
}

static void tell_plan(const scene *s)
{
    const sked_preempt_result *plan = &s->plan;

    printf("\nFor three tasks of 10 GB of C's:\n");
    for (uint32_t i = 0; i < plan->n_placements; i++) {
        uint32_t node = s->placements[i].node;
        printf("  on node %d, %d of them\n", (int)node + 1,
               (int)s->placements[i].count);
        for (uint32_t v = 0; v < plan->n_victims; v++) {
            uint32_t row = s->victims[v].row;
            if (s->node[row] != node) continue;
            printf("    %s goes: %d GB of %s, which has more than it keeps; "
                   "%d minutes are lost\n",
                   task[row].name, (int)s->amount[row],
                   queue_name[s->queue[row]], (int)s->victims[v].cost);
        }
    }
    printf("  %d tasks, %d minutes; no step could be cheaper by more than %d\n",
           (int)plan->tasks, (int)plan->cost, (int)(plan->cost - plan->bound));
    printf("  then");
    for (int q = 0; q < QUEUES; q++) {
        printf(" %s has %d", queue_name[q], (int)s->after[q]);
    }
    printf(" GB\n");
}

/* The plain walk counts gigabytes and knows neither nodes nor costs. */
static void tell_plain_walk(scene *s)
{
    sked_preempt_input in = problem_of(s);
    int64_t freed[NODES] = {0};
    int fit = 0;
    sked_error err;

    in.flags = SKED_PREEMPT_FLAG_PLAIN;
    must(sked_preempt_select(&in, NULL, &s->plan, &err), &err);
    for (uint32_t v = 0; v < s->plan.n_victims; v++) {
        freed[s->node[s->victims[v].row]] += s->amount[s->victims[v].row];
    }
    for (int n = 0; n < NODES; n++) fit += (int)(freed[n] / 10);
    printf("\nThe plain walk takes tasks as they come until 30 GB are free:\n"
           "  %d tasks, %d minutes, and %d of the three fit on a node\n",
           (int)s->plan.tasks, (int)s->plan.cost, fit);
}

int main(void)
{
    static scene s;

    read_tasks(&s);
    find_targets(&s);
    tell_targets(&s);
    plan_for_requests(&s);
    tell_plan(&s);
    int all = s.plan.served == ASKED;
    tell_plain_walk(&s);
    return all ? 0 : 1;
}
