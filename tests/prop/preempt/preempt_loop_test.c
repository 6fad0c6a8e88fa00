/*
 * Nothing is preempted in turns. Random clusters go through rounds of share,
 * plan, apply and reschedule while demand stays as it is, and:
 *
 *   - a task that was preempted never has others preempted for it, so each
 *     need is served once;
 *   - once a queue gave a task that holds a short kind, nothing of it that
 *     asks for that kind is a claim again;
 *   - what a plan says fits, fits; and rounds come to an end.
 */
#include <string.h>

#include "preempt_cluster.h"

static void draw_cluster(cluster *c, test_words *w, uint32_t nodes)
{
    int units = test_below(w, 3) == 0;

    memset(c, 0, sizeof *c);
    c->kinds = 1 + (uint32_t)test_below(w, KINDS);
    c->rows = 3 + (uint32_t)test_below(w, ROWS - 2);
    c->nodes = 1 + (uint32_t)test_below(w, nodes);
    c->tasks = 4 + (uint32_t)test_below(w, TASKS - 3);
    c->model = (int32_t[]){SKED_SHARE_MODEL_ENTITLEMENT,
                           SKED_SHARE_MODEL_INSTANTANEOUS,
                           SKED_SHARE_MODEL_CAPACITY}[test_below(w, 3)];
    c->dead_zone = test_below(w, 2) ? (int)test_below(w, 50) : -1;
    draw_nodes(c, units, w);
    draw_tree(c, w);
    find_leaves(c, w);
    memcpy(c->free, c->node, sizeof c->free);
    draw_tasks(c, units, w);
    fill_unfairly(c, w);
}

/* ---- Shares: the same in every round ---- */

static void compute_shares(cluster *c, int first)
{
    int64_t demand[ROWS * KINDS] = {0}, usage[ROWS * KINDS] = {0};
    int64_t running[ROWS] = {0}, before[ROWS * KINDS], all[ROWS * KINDS];
    sked_share_input in = {.struct_size = sizeof in,
                           .kinds = c->kinds,
                           .n = c->rows,
                           .parent = c->parent,
                           .weight = c->weight,
                           .guarantee = c->guarantee,
                           .limit = c->limit,
                           .demand = demand,
                           .usage = usage,
                           .running = running,
                           .capacity = c->capacity};
    sked_share_options opts = {.struct_size = sizeof opts,
                               .flags = c->model ==
                                                SKED_SHARE_MODEL_INSTANTANEOUS
                                            ? SKED_SHARE_FLAG_BY_DEMAND
                                            : 0,
                               .model = c->model};

    for (uint32_t i = 0; i < c->tasks; i++) {
        uint32_t row = (uint32_t)c->leaf_row[c->leaf[i]];
        running[row] = 1;
        for (uint32_t k = 0; k < c->kinds; k++) {
            int64_t amount = c->amount[i * c->kinds + k];
            demand[row * c->kinds + k] += amount;
            if (c->at[i] != PENDING) usage[row * c->kinds + k] += amount;
        }
    }
    memcpy(before, c->share, sizeof before);
    assert_ok(sked_share_once(&in, &opts, NULL, all, NULL));
    for (uint32_t q = 0; q < c->leaves; q++) {
        memcpy(c->share + q * c->kinds,
               all + (uint32_t)c->leaf_row[q] * c->kinds,
               c->kinds * sizeof *all);
    }
    if (!first) assert_memory_equal(before, c->share, sizeof before);
}

/* ---- A round's problem ---- */

static void set_keeps(round_room *r, const cluster *c, test_words *w)
{
    for (uint32_t q = 0; q < c->leaves; q++) {
        for (uint32_t k = 0; k < c->kinds; k++) {
            size_t at = q * c->kinds + k;
            int64_t own = c->guarantee[(uint32_t)c->leaf_row[q] * c->kinds + k];
            int64_t zone = c->dead_zone < 0 ? 0 : c->dead_zone;
            int64_t more = (own * (100 + zone) + 99) / 100;
            r->share[at] = c->share[at];
            r->keep[at] = more > c->share[at] ? more : c->share[at];
            if (c->untouchable[q] == SPARED) r->keep[at] = SKED_UNLIMITED;
            if (c->untouchable[q] == WHOLE && c->usage[at] > r->keep[at]) {
                r->keep[at] = c->usage[at];
            }
            r->take[at] = 1 + upto(w, 6); /* eased, one way or another */
        }
    }
}

static void list_tasks(round_room *r, const cluster *c, test_words *w)
{
    sked_preempt_input *in = &r->in;
    uint32_t turn = (uint32_t)test_below(w, c->tasks);

    for (uint32_t j = 0; j < c->tasks; j++) {
        uint32_t i = (j + turn) % c->tasks;
        const int64_t *amount = c->amount + i * c->kinds;
        size_t size = c->kinds * sizeof *amount;
        if (c->at[i] == PENDING) {
            uint32_t at = (uint32_t)in->n_requests++;
            memcpy(r->request_amount + at * c->kinds, amount, size);
            r->request_queue[at] = c->leaf[i];
            r->request_priority[at] = c->priority[i];
            r->request_task[at] = i;
        } else {
            uint32_t at = (uint32_t)in->n++;
            memcpy(r->amount + at * c->kinds, amount, size);
            r->queue[at] = c->leaf[i];
            r->node[at] = (uint32_t)c->at[i];
            r->gang[at] = c->was_killed[i] ? 0 : c->gang[i];
            r->cost[at] = c->cost[i];
            r->priority[at] = c->priority[i];
            r->task[at] = i;
        }
    }
}

/* A gang of which part never ran, or was killed, is no gang any more. */
static void dissolve_gangs(round_room *r, const cluster *c)
{
    for (uint32_t a = 0; a < r->in.n; a++) {
        for (uint32_t i = 0; r->gang[a] && i < c->tasks; i++) {
            int split = c->at[i] == PENDING || c->was_killed[i] ||
                        c->leaf[i] != r->queue[a] ||
                        c->priority[i] != r->priority[a];
            if (c->gang[i] == r->gang[a] && split) r->gang[a] = 0;
        }
    }
    for (uint32_t a = 0; a < r->in.n; a++) {
        int whole = 0;
        for (uint32_t i = 0; r->gang[a] && i < c->tasks; i++) {
            whole += c->gang[i] == r->gang[a];
        }
        for (uint32_t b = 0; r->gang[a] && b < r->in.n; b++) {
            whole -= r->gang[b] == r->gang[a];
        }
        assert_i64(whole, 0);
    }
}

static void make_problem(round_room *r, const cluster *c, test_words *w)
{
    memset(&r->in, 0, sizeof r->in);
    r->in = (sked_preempt_input){.struct_size = sizeof r->in,
                                 .kinds = c->kinds,
                                 .n_queues = c->leaves,
                                 .n_nodes = c->nodes,
                                 .usage = c->usage,
                                 .share = r->share,
                                 .keep = r->keep,
                                 .queue = r->queue,
                                 .amount = r->amount,
                                 .cost = r->cost,
                                 .node = r->node,
                                 .priority = r->priority,
                                 .gang = r->gang,
                                 .request_queue = r->request_queue,
                                 .request_amount = r->request_amount,
                                 .request_priority = r->request_priority,
                                 .free = c->free};
    set_keeps(r, c, w);
    list_tasks(r, c, w);
    dissolve_gangs(r, c);
    if (test_below(w, 2)) r->in.take = r->take;
    r->plan = (sked_preempt_result){.struct_size = sizeof r->plan,
                                    .victims = r->victims,
                                    .placements = r->placements,
                                    .victims_cap = TASKS,
                                    .placements_cap = TASKS};
}

static void plan_round(round_room *r)
{
    sked_error err;

    assert_ok(sked_preempt_select(&r->in, NULL, &r->plan, &err));
    if (sked_preempt_verify(&r->in, &r->plan, NULL, &err) != SKED_OK) {
        fail_msg("row %d: %s", (int)err.row, err.message);
    }
}

/* ---- What happens to a plan ---- */

/* A victim goes: its queue gives every kind it holds that is asked for. */
static void kill_task(cluster *c, const round_room *r, uint32_t row)
{
    uint32_t task = r->task[row];

    if (c->at[task] == PENDING) return;
    assert_int_not_equal(c->untouchable[c->leaf[task]], SPARED);
    for (uint32_t k = 0; k < c->kinds; k++) {
        int64_t asked = 0;
        for (uint32_t i = 0; i < r->in.n_requests; i++) {
            asked |= r->request_amount[i * c->kinds + k];
        }
        if (asked && c->amount[task * c->kinds + k]) {
            c->gave[c->leaf[task] * c->kinds + k] = 1;
        }
    }
    c->was_killed[task] = 1;
    move(c, task, PENDING);
}

/* Did the task's queue give some kind that the task asks for? */
static int gave_what_it_asks(const cluster *c, uint32_t task)
{
    for (uint32_t k = 0; k < c->kinds; k++) {
        if (c->amount[task * c->kinds + k] &&
            c->gave[c->leaf[task] * c->kinds + k]) {
            return 1;
        }
    }
    return 0;
}

/* A gang that was killed comes back task by task: that is other demand. */
static int has_gangs(const cluster *c)
{
    for (uint32_t i = 0; i < c->tasks; i++) {
        if (c->gang[i]) return 1;
    }
    return 0;
}

/* Is the task one that a round may have others preempted for? */
static void must_be_first_time(const cluster *c, uint32_t task)
{
    if (c->was_killed[task] && !has_gangs(c)) {
        fail_msg("a preempted task preempts");
    }
}

/* Applies the plan, or (`part`) only some victims of it; then placements fit only
 * as far as they do. */
static void apply(cluster *c, const round_room *r, int part, test_words *w)
{
    for (uint32_t i = 0; !r->in.flags && i < r->plan.n_placements; i++) {
        const sked_preempt_placement *s = &r->placements[i];
        if (s->claim) must_be_first_time(c, r->request_task[s->request]);
    }
    for (uint32_t i = 0; i < r->plan.n_victims; i++) {
        if (part && test_below(w, 2)) continue;
        kill_task(c, r, r->victims[i].row);
    }
    for (uint32_t i = 0; i < r->plan.n_placements; i++) {
        const sked_preempt_placement *s = &r->placements[i];
        uint32_t task = r->request_task[s->request];
        assert_true(part || fits(c, task, s->node));
        if (fits(c, task, s->node)) move(c, task, (int32_t)s->node);
    }
}

/* Whoever comes by gets what is free. */
static void reschedule(cluster *c, test_words *w)
{
    uint32_t turn = (uint32_t)test_below(w, c->tasks);

    for (uint32_t j = 0; j < c->tasks; j++) {
        uint32_t i = (j * 7 + turn) % c->tasks;
        for (uint32_t n = 0; n < c->nodes && c->at[i] == PENDING; n++) {
            if (fits(c, i, n)) move(c, i, (int32_t)n);
        }
    }
}

/* ---- The laws ---- */

/* Rounds by request until two in a row take nothing; returns the victims. */
static uint32_t run_by_request(cluster *c, test_words *w, uint32_t flags)
{
    round_room r;
    uint32_t quiet = 0, victims = 0;

    for (int round = 0; quiet < 2; round++) {
        int part = test_below(w, 5) == 0;
        assert_true(round < ROUNDS);
        compute_shares(c, round == 0);
        make_problem(&r, c, w);
        r.in.flags = flags;
        if (r.in.n_requests == 0) break;
        plan_round(&r);
        victims += (uint32_t)r.plan.n_victims;
        quiet = r.plan.n_victims ? 0 : quiet + 1;
        apply(c, &r, part, w);
        reschedule(c, w);
    }
    return victims;
}

static void no_need_is_preempted_for_twice(void **state)
{
    test_words w = {21};
    uint64_t victims = 0;
    (void)state;

    for (size_t i = 0; i < test_size(10000, 1000000); i++) {
        cluster c;
        draw_cluster(&c, &w, NODES);
        victims += run_by_request(&c, &w, 0);
    }
    assert_true(victims > test_size(2000, 2000));
}

/* Inside leaves too: there a task may come back, but never in turns. */
static void priorities_come_to_rest(void **state)
{
    test_words w = {22};
    uint64_t victims = 0;
    (void)state;

    for (size_t i = 0; i < test_size(5000, 100000); i++) {
        cluster c;
        draw_cluster(&c, &w, NODES);
        for (uint32_t q = 0; q < c.leaves; q++) {
            c.untouchable[q] = test_below(&w, 6) ? WHOLE : SPARED;
        }
        victims += run_by_request(&c, &w, SKED_PREEMPT_FLAG_BY_PRIORITY);
    }
    assert_true(victims > test_size(2000, 2000));
}

/* The laws above are not empty: with overshoot, as others do it, a queue has
 * others preempted for what it gave. */
static void overshoot_can_go_in_turns(void **state)
{
    test_words w = {24};
    uint64_t again = 0;
    (void)state;

    for (size_t i = 0; i < 2000; i++) {
        cluster c;
        round_room r;
        draw_cluster(&c, &w, NODES);
        for (int round = 0; round < 12; round++) {
            compute_shares(&c, round == 0);
            make_problem(&r, &c, &w);
            r.in.flags = SKED_PREEMPT_FLAG_OVERSHOOT;
            if (r.in.n_requests == 0) break;
            plan_round(&r);
            for (uint32_t s = 0; s < r.plan.n_placements; s++) {
                uint32_t task = r.request_task[r.placements[s].request];
                again += r.plan.n_victims && gave_what_it_asks(&c, task);
            }
            apply(&c, &r, 0, &w);
            reschedule(&c, &w);
        }
    }
    assert_true(again > 10);
}

/* What whole claims lack in sum; each is noted in `claims`. */
static int64_t need_of(round_room *r, const cluster *c, uint8_t *claims)
{
    int64_t served[ROWS * KINDS] = {0}, any = 0;

    for (uint32_t k = 0; k < c->kinds; k++) r->need[k] = -c->free[k];
    for (uint32_t i = 0; i < r->in.n_requests; i++) {
        const int64_t *amount = r->request_amount + i * c->kinds;
        size_t queue = r->request_queue[i] * c->kinds;
        claims[i] = 1;
        for (uint32_t k = 0; k < c->kinds; k++) {
            claims[i] &= !amount[k] ||
                         c->usage[queue + k] + served[queue + k] + amount[k] <=
                             c->share[queue + k];
        }
        for (uint32_t k = 0; claims[i] && k < c->kinds; k++) {
            served[queue + k] += amount[k];
            r->need[k] += amount[k];
        }
    }
    for (uint32_t k = 0; k < c->kinds; k++) {
        if (r->need[k] < 0) r->need[k] = 0;
        any |= r->need[k];
    }
    return any;
}

/* Without nodes: what is covered is served, and is no need again. */
static void a_covered_need_is_gone(void **state)
{
    test_words w = {23};
    uint64_t covered = 0, victims = 0;
    (void)state;

    for (size_t i = 0; i < test_size(10000, 1000000); i++) {
        cluster c;
        round_room r;
        uint8_t claims[TASKS];
        int was_covered = 0;
        draw_cluster(&c, &w, 1);
        for (int round = 0; round < 12; round++) {
            compute_shares(&c, round == 0);
            make_problem(&r, &c, &w);
            int64_t any = need_of(&r, &c, claims);
            /* Who gave a large task may lack a small one. */
            assert_true(!was_covered || any == 0 || round < 11);
            if (any == 0) break;
            uint32_t requests = (uint32_t)r.in.n_requests;
            r.in.need = r.need;
            r.in.n_requests = r.in.n_nodes = 0;
            plan_round(&r);
            r.in.n_requests = requests;
            was_covered = r.plan.outcome == SKED_PREEMPT_OUTCOME_COVERED;
            covered += (uint64_t)was_covered;
            victims += (uint32_t)r.plan.n_victims;
            apply(&c, &r, 0, &w);
            for (uint32_t q = 0; q < requests; q++) {
                uint32_t task = r.request_task[q];
                if (!claims[q]) continue;
                if (was_covered) must_be_first_time(&c, task);
                assert_true(!was_covered || fits(&c, task, 0));
                if (fits(&c, task, 0)) move(&c, task, 0);
            }
            reschedule(&c, &w);
        }
    }
    assert_true(covered > test_size(1000, 1000) &&
                victims > test_size(1000, 1000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_need_is_preempted_for_twice),
        cmocka_unit_test(priorities_come_to_rest),
        cmocka_unit_test(a_covered_need_is_gone),
        cmocka_unit_test(overshoot_can_go_in_turns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
