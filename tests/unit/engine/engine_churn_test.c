/*
 * [LNK-1] One queue churns: its tasks are short, so that it is always the
 * least used one by the time that room comes free, while its sibling's tasks
 * are long and leave it with more in use. Least utilisation first then locks
 * the sibling out while the churn lasts. Order `random` does not.
 *
 * One node of ten places; queue `slow` holds four of them by tasks that never
 * end, `fast` has the other six and ends them all, one each heartbeat; both
 * want more all the time, and nothing is guaranteed to either. Of 1,000 places
 * that come free:
 *
 *     order        taken by slow    longest wait of slow
 *     utilisation        1                 999 turns
 *     random             6                   3 turns
 *
 * (`slow` can take six at most, the rest of the places; after that it wants
 * more, but there is nothing to be had.)
 */
#include "engine_fixture.h"

typedef struct churn {
    uint64_t taken;   /* by `slow` */
    uint64_t longest; /* turns that `slow` waited while room came free */
} churn;

enum { TURNS = 1000 };

/* Groups of `fast` that run, the oldest first. */
typedef struct churn_queue {
    uint64_t group[4096];
    size_t first;
    size_t n;
} churn_queue;

static void hear(engine_fixture *f, churn_queue *fast, churn *c, uint64_t turn,
                 uint64_t *last)
{
    size_t n = engine_taken(f);

    for (size_t i = 0; i < n; i++) {
        const sked_decision *d = &f->last[i];
        if (d->kind != SKED_DECISION_ALLOCATE) continue;
        assert_i64(d->count, 1);
        if (d->ask == 2) {
            fast->group[fast->n++] = d->group;
            continue;
        }
        c->taken++;
        uint64_t waited = turn - *last;
        if (turn > 0 && waited > c->longest) c->longest = waited;
        *last = turn;
    }
}

static churn run_churn(engine_fixture *f, int32_t order)
{
    static churn_queue fast;
    sked_queue_id slow = engine_queue(f, f->root, "slow");
    sked_queue_id quick = engine_queue(f, f->root, "fast");
    churn c = {0, 0};
    uint64_t last = 0;

    memset(&fast, 0, sizeof fast);
    engine_set(f, f->root, SKED_QUEUE_ORDER, order);
    sked_engine_options o = {
        .struct_size = sizeof o, .seed = 1, .max_per_pass = 1};
    engine_begin(f, &o);
    engine_add_node(f, 1, 0, 10, 10);
    engine_add_job(f, 1, slow, 0);
    engine_add_job(f, 2, quick, 0);
    assert_ok(engine_add_ask(f, 1, 1, 4, 1, 1));
    for (int i = 0; i < 4; i++) {
        assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    }
    assert_ok(engine_add_ask(f, 2, 2, 2000, 1, 1));
    for (int i = 0; i < 6; i++) {
        assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    }
    hear(f, &fast, &c, 0, &last);
    c.taken = 0;
    assert_ok(engine_add_ask(f, 3, 1, 2000, 1, 1));
    for (uint64_t turn = 1; turn <= TURNS && fast.first < fast.n; turn++) {
        assert_ok(
            engine_end(f, SKED_EVENT_TASK_FINISH, fast.group[fast.first++], 1));
        assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
        hear(f, &fast, &c, turn, &last);
        if (fast.first < fast.n && turn - last > c.longest) {
            c.longest = turn - last;
        }
    }
    return c;
}

static void least_utilisation_locks_a_queue_out(void **state)
{
    churn c = run_churn(*state, SKED_ORDER_POLICY_UTILISATION);

    assert_true(c.longest > 900);
}

static void chance_does_not(void **state)
{
    churn c = run_churn(*state, SKED_ORDER_POLICY_RANDOM);

    assert_i64((int64_t)c.taken, 6);
    assert_true(c.longest < 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(least_utilisation_locks_a_queue_out),
        engine_case(chance_does_not),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
