/* Several policies of preemption in one engine: in order, with one keep and what
 * a round takes counted for all. [CAP-14] */
#include "engine_scene.h"

#include <sched/tree_text.h>

#include "engine/preempt.h"
#include "engine/state.h"

enum { NEVER = 1000 };

/* The policies after the first, and the list of them. */
typedef struct policies {
    sked_target_options more[2];
    const sked_target_options *list[2];
} policies;

static sked_target_options dialect(int32_t mode)
{
    return (sked_target_options){.struct_size = sizeof(sked_target_options),
                                 .mode = mode,
                                 .ignored_ppm = -1,
                                 .factor_ppm = 1000000,
                                 .per_round_ppm = -1};
}

/* By it queues claim, and none ever gives. */
static sked_target_options never_takes(void)
{
    sked_target_options t = dialect(SKED_TARGET_MODE_ENTITLEMENT);

    t.cycles = NEVER;
    return t;
}

/* Has `s` preempt by `first` and then by so many more. */
static void by_policies(engine_fixture *f, scene *s, sked_target_options first,
                        policies *p, uint64_t more)
{
    s->targets = first;
    for (size_t i = 0; i < 2; i++) p->list[i] = &p->more[i];
    s->preempt.more_targets = p->list;
    s->preempt.n_more_targets = more;
    scene_preempt(f, s);
    memset(p, 0x5a, sizeof *p); /* all of it was copied */
}

/* Queue b starves after so many seconds below its guarantee. */
static void starves_after(engine_fixture *f, const scene *s, int64_t seconds)
{
    engine_set(f, s->b, SKED_QUEUE_PREEMPT_MIN_TIMEOUT,
               seconds * (int64_t)SECOND);
    engine_begin(f, NULL);
}

/* Tasks that are told for an ask in the last round. */
static int64_t told_for(const engine_fixture *f, uint64_t ask)
{
    int64_t n = 0;

    for (size_t i = 0; i < 64; i++) {
        const sked_decision *d = &f->last[i];
        if (d->kind == SKED_DECISION_NOTIFY && d->serves == ask) n += d->count;
    }
    return n;
}

static void the_second_acts_where_the_first_waits(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);
    policies p = {.more = {dialect(SKED_TARGET_MODE_IMBALANCE)}};

    starves_after(f, &s, 100);
    by_policies(f, &s, dialect(SKED_TARGET_MODE_STARVATION), &p, 0);
    scene_fill(f, &s, 8);
    assert_int_equal(scene_hold(f, 3), 0); /* 100 s have not passed */
    p.more[0] = dialect(SKED_TARGET_MODE_IMBALANCE);
    by_policies(f, &s, dialect(SKED_TARGET_MODE_STARVATION), &p, 1);
    assert_true(scene_hold(f, 6) > 0);
    assert_i64(told_for(f, 2), 5);
    assert_int_equal(scene_said(f, SKED_DECISION_NOTIFY)->reason,
                     SKED_REASON_PREEMPTED);
    (void)scene_hold(f, 21);
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 5);
}

/* Ten tasks of `a`, which has 4 for its own; `b` and `c` have 3 each and want
 * them (asks 2 and 3). By imbalance both claim, and `b` comes first; only `c`
 * starves. */
static scene two_claim(engine_fixture *f)
{
    scene s = scene_begin(f);
    sked_queue_id c = engine_queue(f, f->root, "c");

    engine_set(f, s.a, SKED_QUEUE_GUARANTEE_PPM, 400000);
    engine_set(f, s.b, SKED_QUEUE_GUARANTEE_PPM, 300000);
    engine_set(f, c, SKED_QUEUE_GUARANTEE_PPM, 300000);
    engine_set(f, c, SKED_QUEUE_PREEMPT_MIN_TIMEOUT, 0);
    engine_begin(f, NULL);
    scene_fill(f, &s, 3);
    engine_add_job(f, 3, c, 3);
    assert_ok(engine_add_ask(f, 3, 3, 3, 1, 1));
    (void)engine_taken(f);
    return s;
}

/* What claims by one policy takes nothing from what gives by another alone: `b`
 * claims by the first, by which none gives, and does not starve; `c` starves. */
static void claims_take_from_those_that_give_by_their_policy(void **state)
{
    engine_fixture *f = *state;
    scene s = two_claim(f);
    policies p = {.more = {dialect(SKED_TARGET_MODE_STARVATION)}};

    by_policies(f, &s, never_takes(), &p, 1);
    (void)scene_hold(f, 3);
    assert_i64(told_for(f, 3), 3);
    assert_i64(told_for(f, 2), 0);
    for (int64_t t = 6; t < 18; t += 3) assert_int_equal(scene_hold(f, t), 0);
}

/* A fifth of the node may go in a round: what claims by the first policy has
 * it. */
static void the_first_policy_has_the_budget(void **state)
{
    engine_fixture *f = *state;
    scene s = two_claim(f);
    sked_target_options starving = dialect(SKED_TARGET_MODE_STARVATION);
    sked_target_options uneven = dialect(SKED_TARGET_MODE_IMBALANCE);

    starving.per_round_ppm = uneven.per_round_ppm = 200000;
    policies p = {.more = {uneven}};
    by_policies(f, &s, starving, &p, 1);
    (void)scene_hold(f, 3);
    assert_i64(told_for(f, 3), 2);
    assert_i64(told_for(f, 2), 0);
}

static void in_the_other_order_another_has_it(void **state)
{
    engine_fixture *f = *state;
    scene s = two_claim(f);
    sked_target_options starving = dialect(SKED_TARGET_MODE_STARVATION);
    sked_target_options uneven = dialect(SKED_TARGET_MODE_IMBALANCE);

    starving.per_round_ppm = uneven.per_round_ppm = 200000;
    policies p = {.more = {starving}};
    by_policies(f, &s, uneven, &p, 1);
    (void)scene_hold(f, 3);
    assert_i64(told_for(f, 2), 2);
    assert_i64(told_for(f, 3), 0);
}

/* The first has no bound and takes 3, which is more than the second may: it takes
 * nothing before these were told to end. */
static void what_one_takes_counts_in_the_budget_of_all(void **state)
{
    engine_fixture *f = *state;
    scene s = two_claim(f);
    sked_target_options uneven = dialect(SKED_TARGET_MODE_IMBALANCE);

    uneven.per_round_ppm = 200000;
    policies p = {.more = {uneven}};
    by_policies(f, &s, dialect(SKED_TARGET_MODE_STARVATION), &p, 1);
    (void)scene_hold(f, 3);
    assert_i64(told_for(f, 3), 3);
    assert_i64(told_for(f, 2), 0);
    assert_int_equal(scene_hold(f, 6), 0);
    (void)scene_hold(f, 18);
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 3);
    (void)scene_hold(f, 21);
    assert_i64(told_for(f, 2), 2);
    (void)scene_hold(f, 36);
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 2);
    (void)scene_hold(f, 39);
    assert_i64(told_for(f, 2), 1);
}

/* Also where it takes of other queues. Of 20, `a` and `d` run 10 each and keep 7;
 * the tasks of `a` began later, cost less, and go for `c`. A tenth may go in a
 * round by imbalance. */
static void what_goes_of_one_queue_counts_for_others(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);
    sked_queue_id c = engine_queue(f, f->root, "c");
    sked_queue_id d = engine_queue(f, f->root, "d");
    sked_target_options uneven = dialect(SKED_TARGET_MODE_IMBALANCE);

    uneven.per_round_ppm = 100000;
    policies p = {.more = {uneven}};
    engine_set(f, s.a, SKED_QUEUE_GUARANTEE_PPM, 350000);
    engine_set(f, s.b, SKED_QUEUE_GUARANTEE_PPM, 150000);
    engine_set(f, c, SKED_QUEUE_GUARANTEE_PPM, 150000);
    engine_set(f, d, SKED_QUEUE_GUARANTEE_PPM, 350000);
    engine_set(f, c, SKED_QUEUE_PREEMPT_MIN_TIMEOUT, 0);
    engine_begin(f, NULL);
    by_policies(f, &s, dialect(SKED_TARGET_MODE_STARVATION), &p, 1);
    engine_add_node(f, 1, 0, 20, 100);
    engine_add_job(f, 4, d, 1);
    assert_ok(engine_add_ask(f, 4, 4, 10, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    f->now = 2 * (int64_t)SECOND;
    engine_add_job(f, 1, s.a, 1);
    assert_ok(engine_add_ask(f, 1, 1, 10, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    engine_add_job(f, 2, s.b, 1);
    engine_add_job(f, 3, c, 1);
    assert_ok(engine_add_ask(f, 2, 2, 3, 1, 1));
    assert_ok(engine_add_ask(f, 3, 3, 3, 1, 1));
    (void)engine_taken(f);
    (void)scene_hold(f, 3);
    assert_i64(told_for(f, 3), 3);
    assert_int_equal(scene_said(f, SKED_DECISION_NOTIFY)->job, 1);
    assert_i64(told_for(f, 2), 0);
    (void)scene_hold(f, 6);        /* no new notice is before its own */
    assert_i64(told_for(f, 2), 1); /* its part of a budget of 2 */
    assert_int_equal(scene_said(f, SKED_DECISION_NOTIFY)->job, 4);
}

/* The same of what a leaf gives in a round: 2 of the 6 that `a` has too much. */
static void what_one_takes_counts_in_the_takes_of_all(void **state)
{
    engine_fixture *f = *state;
    scene s = two_claim(f);
    sked_target_options uneven = dialect(SKED_TARGET_MODE_IMBALANCE);

    uneven.factor_ppm = 330000;
    policies p = {.more = {uneven}};
    by_policies(f, &s, dialect(SKED_TARGET_MODE_STARVATION), &p, 1);
    (void)scene_hold(f, 3);
    assert_i64(told_for(f, 3), 3);
    assert_i64(told_for(f, 2), 0);
}

/* By imbalance with a dead zone of a half `a` keeps 8 of 10; by starvation alone
 * it would keep 5, and gives 2 where both run. */
static void keeps_the_most(engine_fixture *f, sked_target_options first,
                           sked_target_options second)
{
    scene s = scene_begin(f);
    policies p = {.more = {second}};

    starves_after(f, &s, 0);
    by_policies(f, &s, first, &p, 1);
    scene_fill(f, &s, 8);
    (void)scene_hold(f, 3);
    assert_i64(told_for(f, 2), 2);
    for (int64_t t = 6; t < 18; t += 3) assert_int_equal(scene_hold(f, t), 0);
}

static void a_queue_keeps_the_most_that_a_policy_lets_it(void **state)
{
    sked_target_options wide = dialect(SKED_TARGET_MODE_IMBALANCE);

    wide.ignored_ppm = 500000;
    keeps_the_most(*state, dialect(SKED_TARGET_MODE_STARVATION), wide);
}

static void it_does_so_in_any_order(void **state)
{
    sked_target_options wide = dialect(SKED_TARGET_MODE_IMBALANCE);

    wide.ignored_ppm = 500000;
    keeps_the_most(*state, wide, dialect(SKED_TARGET_MODE_STARVATION));
}

/* A step that has a place by one policy is not planned by another: no task is
 * told twice, and observing rounds say of each once. */
static void a_list_may_only_observe(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);
    policies p = {.more = {dialect(SKED_TARGET_MODE_IMBALANCE),
                           dialect(SKED_TARGET_MODE_ENTITLEMENT)}};

    starves_after(f, &s, 0);
    s.rounds.flags = SKED_ROUND_FLAG_OBSERVE;
    by_policies(f, &s, dialect(SKED_TARGET_MODE_STARVATION), &p, 2);
    scene_fill(f, &s, 8);
    (void)scene_hold(f, 3);
    assert_int_equal(scene_count(f, SKED_DECISION_NOTIFY), 5);
    assert_int_equal(scene_said(f, SKED_DECISION_NOTIFY)->reason,
                     SKED_REASON_OBSERVED);
    assert_int_equal(scene_count(f, SKED_DECISION_RESERVE), 0);
    for (int64_t t = 6; t < 60; t += 3) {
        (void)scene_hold(f, t);
        assert_int_equal(scene_count(f, SKED_DECISION_NOTIFY), 0);
        assert_int_equal(scene_count(f, SKED_DECISION_KILL), 0);
    }
}

/* A tree that was read anew: queues are known by their paths. */
static void commit_text(engine_fixture *f, const char *text)
{
    sked_tree *read = NULL;

    assert_ok(sked_tree_new(f->schema, NULL, NULL, &read, NULL));
    assert_ok(
        sked_tree_parse(read, text, strlen(text), NULL, NULL, 0, NULL, NULL));
    assert_ok(sked_tree_commit(read, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_ok(sked_engine_commit(f->engine, read, f->now, &f->err));
    sked_tree_free(read);
}

/* Each policy has clocks of its own, which go along with commits and are a part
 * of the state. */
static void every_policy_has_clocks(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);
    policies p = {.more = {dialect(SKED_TARGET_MODE_STARVATION)}};

    starves_after(f, &s, 10);
    scene_fill(f, &s, 8);
    by_policies(f, &s, never_takes(), &p, 0);
    uint64_t one = sked_engine_state_digest(f->engine);
    p.more[0] = dialect(SKED_TARGET_MODE_STARVATION);
    by_policies(f, &s, never_takes(), &p, 1);
    uint64_t two = sked_engine_state_digest(f->engine);
    assert_true(one != two);
    assert_int_equal(scene_hold(f, 3), 0);
    commit_text(f, "root\nroot.new guarantee=0%\n"
                   "root.b guarantee=50% preempt_min_timeout=10s\n"
                   "root.a guarantee=50%\n");
    assert_int_equal(scene_hold(f, 6), 0);
    assert_true(scene_hold(f, 13) > 0);
    assert_i64(told_for(f, 2), 5);
}

/* Nothing is guaranteed to `b`, so that it claims by starvation alone, half of its
 * share after a time: until then each round may decide more than the last. */
static void a_round_is_due_where_any_policy_waits(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);
    policies p = {.more = {dialect(SKED_TARGET_MODE_STARVATION)}};

    engine_set(f, s.a, SKED_QUEUE_GUARANTEE_PPM, 0);
    engine_set(f, s.b, SKED_QUEUE_GUARANTEE_PPM, 0);
    engine_set(f, s.b, SKED_QUEUE_PREEMPT_FAIR_TIMEOUT, 10 * (int64_t)SECOND);
    engine_begin(f, NULL);
    by_policies(f, &s, dialect(SKED_TARGET_MODE_IMBALANCE), &p, 1);
    scene_fill(f, &s, 8);
    assert_int_equal(scene_hold(f, 3), 0);
    assert_true(skedi_round_is_due(f->engine));
    assert_true(scene_hold(f, 13) > 0);
    assert_i64(told_for(f, 2), 2);
}

/* By imbalance `b` may claim up to its guarantee of 2, by entitlement up to its
 * share of 5. */
static void why_nothing_is_preempted_names_the_widest_claim(void **state)
{
    static const int64_t needs[] = {2, 3, 6};
    static const int64_t bound[2][3] = {{-1, 2, 2}, {-1, -1, 5}};
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    engine_set(f, s.a, SKED_QUEUE_GUARANTEE_PPM, 200000);
    engine_set(f, s.b, SKED_QUEUE_GUARANTEE_PPM, 200000);
    engine_begin(f, NULL);
    scene_fill(f, &s, 0);
    for (size_t i = 0; i < 3; i++) {
        assert_ok(engine_add_ask(f, 10 + i, 2, 2, needs[i], 1));
        for (uint64_t more = 0; more < 2; more++) {
            sked_engine_bound why[16];
            size_t n;
            int64_t said = -1;
            policies p = {.more = {dialect(SKED_TARGET_MODE_ENTITLEMENT)}};
            by_policies(f, &s, dialect(SKED_TARGET_MODE_IMBALANCE), &p, more);
            assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
            assert_ok(sked_engine_explain_job(f->engine, 2, why, 16, &n));
            for (size_t j = 0; j < n; j++) {
                if (why[j].reason == SKED_REASON_NO_CLAIM) said = why[j].bound;
            }
            assert_i64(said, bound[more][i]);
        }
        assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 10 + i));
    }
}

/* Nothing has changed, and the fault has the row of the policy. */
static void bad_lists_are_refused(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);
    policies p = {.more = {dialect(SKED_TARGET_MODE_IMBALANCE)}};

    by_policies(f, &s, dialect(SKED_TARGET_MODE_STARVATION), &p, 1);
    uint64_t before = sked_engine_state_digest(f->engine);
    struct engine_preempt *own = f->engine->preempt;
    p.more[0] = p.more[1] = dialect(SKED_TARGET_MODE_IMBALANCE);
    p.list[0] = &p.more[0];
    p.list[1] = &p.more[1];
    s.preempt.more_targets = NULL;
    assert_status(SKED_ERR_ARG,
                  sked_engine_preempt(f->engine, &s.preempt, &f->err));
    s.preempt.more_targets = p.list;
    s.preempt.n_more_targets = SKED_MAX_PREEMPT_POLICIES;
    assert_status(SKED_ERR_RANGE,
                  sked_engine_preempt(f->engine, &s.preempt, &f->err));
    assert_i64(f->err.got, SKED_MAX_PREEMPT_POLICIES);
    assert_i64(f->err.limit, SKED_MAX_PREEMPT_POLICIES - 1);
    s.preempt.n_more_targets = 2;
    p.more[1].mode = SKED_TARGET_MODE_ENTITLEMENT + 1;
    assert_status(SKED_ERR_ARG,
                  sked_engine_preempt(f->engine, &s.preempt, &f->err));
    assert_i64(f->err.row, 1);
    p.more[0].factor_ppm = SKED_PPM + 1;
    assert_status(SKED_ERR_RANGE,
                  sked_engine_preempt(f->engine, &s.preempt, &f->err));
    assert_i64(f->err.row, 0);
    p.more[0].struct_size = 1;
    assert_status(SKED_ERR_VERSION,
                  sked_engine_preempt(f->engine, &s.preempt, NULL));
    assert_ptr_equal(f->engine->preempt, own);
    assert_true(sked_engine_state_digest(f->engine) == before);

    p.list[0] = NULL; /* the defaults */
    s.preempt.n_more_targets = 1;
    assert_ok(sked_engine_preempt(f->engine, &s.preempt, &f->err));
}

/* Options of a program that was built before there were lists. */
static void older_options_ask_for_one_policy(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    s.preempt.struct_size = (uint32_t)offsetof(sked_engine_preempt_options,
                                               more_targets);
    s.preempt.n_more_targets = 7;
    scene_preempt(f, &s);
    scene_fill(f, &s, 8);
    (void)scene_hold(f, 3);
    assert_i64(told_for(f, 2), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(the_second_acts_where_the_first_waits),
        engine_case(claims_take_from_those_that_give_by_their_policy),
        engine_case(the_first_policy_has_the_budget),
        engine_case(in_the_other_order_another_has_it),
        engine_case(what_one_takes_counts_in_the_budget_of_all),
        engine_case(what_goes_of_one_queue_counts_for_others),
        engine_case(what_one_takes_counts_in_the_takes_of_all),
        engine_case(a_queue_keeps_the_most_that_a_policy_lets_it),
        engine_case(it_does_so_in_any_order),
        engine_case(a_list_may_only_observe),
        engine_case(every_policy_has_clocks),
        engine_case(a_round_is_due_where_any_policy_waits),
        engine_case(why_nothing_is_preempted_names_the_widest_claim),
        engine_case(bad_lists_are_refused),
        engine_case(older_options_ask_for_one_policy),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
