/* Trees of limits where memory is lacking, or what is counted is wrong. */
#include "engine_limits.h"

#include "engine/budget.h"
#include "engine/state.h"

/* What a step of the test below does. */
typedef sked_status step_of(limits_trees *t);

static sked_status commit_first(limits_trees *t)
{
    return sked_engine_commit_limits(t->f->engine, 1, t->tree[0], t->f->now,
                                     &t->f->err);
}

static sked_status submit_charged(limits_trees *t)
{
    return limits_submit(t, 9, t->account, t->service);
}

static sked_status add_ask(limits_trees *t)
{
    return engine_say(t->f,
                      (sked_event){.kind = SKED_EVENT_ASK_ADD,
                                   .key = 9,
                                   .owner = 9,
                                   .count = 4,
                                   .amount = 1,
                                   .partition = SKED_ANY_PARTITION},
                      2, 0);
}

static sked_status pass_over_all(limits_trees *t)
{
    return sked_engine_pass(t->f->engine, t->f->now, 0, NULL);
}

/* A step is made once nothing is lacking; before, whatever was lacking, it
 * changed nothing. */
static void step_in_need(limits_trees *t, step_of *step, int from)
{
    engine_fixture *f = t->f;
    uint64_t before = sked_engine_state_digest(f->engine);
    sked_status rc = SKED_ERR_NOMEM;

    for (size_t k = 1; rc != SKED_OK; k++) {
        f->host.requests = 0;
        f->host.fail_at = from ? 0 : k;
        f->host.fail_from = from ? k : 0;
        rc = step(t);
        f->host.fail_at = f->host.fail_from = 0;
        assert_true(rc == SKED_OK || rc == SKED_ERR_NOMEM);
        assert_true(rc == SKED_OK ||
                    sked_engine_state_digest(f->engine) == before);
        assert_ok(sked_engine_check(f->engine, NULL));
    }
}

static void live_in_need(void **state, int from)
{
    engine_fixture *f = *state;
    step_of *const steps[] = {submit_charged, add_ask, commit_first,
                              pass_over_all, commit_first};
    limits_trees t = limits_begin(f);

    limits_bound(&t, 0, t.account, 5);
    assert_ok(limits_commit(&t, 1));
    for (uint64_t job = 1; job <= 3; job++) {
        assert_ok(limits_submit(&t, job, t.account, t.service));
        limits_ask(&t, job, 2, 1, 0);
    }
    assert_i64(limits_pass(&t), 5);
    limits_bound(&t, 0, t.account, 9);
    for (size_t i = 0; i < 5; i++) step_in_need(&t, steps[i], from);
    assert_i64(limits_charged(&t, 1, t.account, NULL), 8);
    limits_end(&t);
}

static void lacking_memory_once_changes_nothing(void **state)
{
    live_in_need(state, 0);
}

static void lacking_memory_for_long_changes_nothing(void **state)
{
    live_in_need(state, 1);
}

/* The first tree of an engine, without the k-th thing that it asks memory for. */
static void a_first_tree_in_need(void **state)
{
    engine_fixture *f = *state;
    limits_trees t = {.f = f};

    t.leaf = engine_queue(f, f->root, "leaf");
    engine_begin(f, NULL);
    assert_ok(sked_tree_new(f->schema, NULL, NULL, &t.tree[0], NULL));
    assert_ok(sked_tree_commit(t.tree[0], SKED_TREE_COMMIT_STRICT, NULL));
    engine_add_job(f, 1, t.leaf, 1);
    assert_ok(engine_add_ask(f, 1, 1, 1, 1, 0));
    step_in_need(&t, commit_first, 0);
    assert_non_null(f->engine->trees.at[0].tree);
    sked_tree_free(t.tree[0]);
}

static void found(const engine_fixture *f, const char *what)
{
    sked_error err = {.code = SKED_OK};

    assert_status(SKED_ERR_INTERNAL, sked_engine_check(f->engine, &err));
    assert_string_equal(err.message, what);
}

/* Books that were changed behind the engine's back are found. */
static void wrong_books_are_found(void **state)
{
    static const char kept_out[] = "asks that a tree of limits keeps out";
    engine_fixture *f = *state;
    limits_trees t = limits_begin(f);

    limits_bound(&t, 0, t.account, 1);
    assert_ok(limits_commit(&t, 1));
    for (uint64_t job = 1; job <= 2; job++) {
        assert_ok(limits_submit(&t, job, t.account, t.service));
        limits_ask(&t, job, 2, 1, 0);
    }
    assert_i64(limits_pass(&t), 1);
    sked_engine *e = f->engine;
    engine_limits *first = &e->trees.at[0];
    uint32_t row = first->n - 1, ask = first->stop[row];
    assert_true(ask != SKEDI_NONE);

    first->used[(size_t)row * e->kinds]++;
    found(f, "usage in a tree of limits");
    first->used[(size_t)row * e->kinds]--;

    e->trees.stop[ask].row = 0;
    found(f, kept_out);
    e->trees.stop[ask].row = row;

    uint32_t charge = first->charge[row],
             before = charge_at(e, charge)->prev[0];
    charge_at(e, charge)->prev[0] = charge;
    found(f, kept_out);
    charge_at(e, charge)->prev[0] = before;

    first->stop[row] = SKEDI_NONE; /* its asks stand in no list */
    found(f, kept_out);
    first->stop[row] = ask;
    limits_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(lacking_memory_once_changes_nothing),
        engine_case(lacking_memory_for_long_changes_nothing),
        engine_case(a_first_tree_in_need),
        engine_case(wrong_books_are_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
