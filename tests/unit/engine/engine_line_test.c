/* Long lines of a leaf whose order does not change: who comes between, who
 * leaves, and that they are served in order, as a sorted list has them. */
#include "engine_fixture.h"

#include <stdlib.h>

#include "base/random.h"
#include "engine/pending.h"

enum { LINE_JOBS = 700, LINE_STEPS = 6000, LINE_MOST = 6 };

/* The asks of each job that are open, oldest first. */
typedef struct line_twin {
    uint64_t ask[LINE_JOBS][LINE_MOST];
    unsigned n[LINE_JOBS];
    uint64_t next_key;
} line_twin;

static void add(engine_fixture *f, line_twin *t, unsigned job)
{
    if (t->n[job] == LINE_MOST) return;
    uint64_t key = ++t->next_key;
    assert_ok(engine_add_ask(f, key, job + 1, 1, 1, 1));
    t->ask[job][t->n[job]++] = key;
}

static void drop(engine_fixture *f, line_twin *t, unsigned job, unsigned which)
{
    if (which >= t->n[job]) return;
    assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, t->ask[job][which]));
    t->n[job]--;
    for (unsigned i = which; i < t->n[job]; i++) {
        t->ask[job][i] = t->ask[job][i + 1];
    }
}

static unsigned upto(uint64_t *state, unsigned n)
{
    return (unsigned)(skedi_random_split(state) % n);
}

static size_t take(engine_fixture *f, sked_decision *decisions)
{
    size_t n;

    assert_ok(sked_engine_take(f->engine, decisions, 64, &n, NULL));
    return n;
}

/* A node takes everything: in the order of jobs, then of asks. */
static void assert_served_in_order(engine_fixture *f, const line_twin *t)
{
    sked_decision decisions[64];
    unsigned total = 0, i = 0, job = 0;

    for (unsigned j = 0; j < LINE_JOBS; j++) total += t->n[j];
    while (take(f, decisions) > 0) continue; /* admissions */
    engine_add_node(f, 1, 0, total, total);
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    for (size_t n; (n = take(f, decisions)) > 0;) {
        for (size_t d = 0; d < n; d++, i++) {
            while (i == t->n[job]) {
                job++;
                i = 0;
            }
            assert_int_equal(decisions[d].ask, t->ask[job][i]);
            total--;
        }
    }
    assert_int_equal(total, 0);
}

static void start_jobs(engine_fixture *f, int32_t apps)
{
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");

    engine_set(f, leaf, SKED_QUEUE_APPS, apps);
    engine_begin(f, NULL);
    for (uint64_t j = 1; j <= LINE_JOBS; j++) engine_add_job(f, j, leaf, 0);
}

static void long_lines_keep_their_order(void **state)
{
    engine_fixture *f = *state;
    line_twin *t = calloc(1, sizeof *t);
    uint64_t random = 7;

    assert_non_null(t);
    start_jobs(f, SKED_APPS_FIFO);
    for (unsigned step = 0; step < LINE_STEPS; step++) {
        unsigned job = upto(&random, LINE_JOBS);
        /* Grows, then always in front of all others, then goes. */
        if (step < LINE_STEPS / 2)
            add(f, t, job);
        else if (step < LINE_STEPS / 2 + 600)
            add(f, t, job % 150);
        else
            drop(f, t, job, upto(&random, LINE_MOST));
        if (step % 500 == 0) assert_ok(sked_engine_check(f->engine, NULL));
    }
    assert_ok(sked_engine_check(f->engine, NULL));
    assert_served_in_order(f, t);
    free(t);
}

/* Holes go when there are more of them than asks. */
static void an_emptied_line_closes_up(void **state)
{
    engine_fixture *f = *state;
    line_twin *t = calloc(1, sizeof *t);

    assert_non_null(t);
    start_jobs(f, SKED_APPS_FIFO);
    for (unsigned j = 0; j < LINE_JOBS; j++) add(f, t, j);
    const engine_cell *cell = &f->engine->cells[cell_of(f->engine, 1, 0)];
    for (unsigned j = 0; j + 1 < LINE_JOBS; j++) {
        uint32_t entries = cell->entries;
        if (j % 10 == 5) continue;
        drop(f, t, j, 0);
        assert_true(cell->entries <= 2 * cell->there + 16);
        if (cell->entries + 1 >= entries) continue; /* it did not close up */
        assert_int_equal(cell->entries, cell->there);
        assert_ok(sked_engine_check(f->engine, NULL));
    }
    assert_int_equal(cell->there, 70 + 1);
    assert_true(cell->entries <= 2 * cell->there + 16);
    assert_ok(sked_engine_check(f->engine, NULL));
    assert_served_in_order(f, t);
    free(t);
}

/* A job whose priority rises goes to the front of the line, with all asks. */
static void a_new_priority_moves_a_job(void **state)
{
    engine_fixture *f = *state;
    line_twin *t = calloc(1, sizeof *t);

    assert_non_null(t);
    start_jobs(f, SKED_APPS_PRIORITY);
    for (unsigned j = 0; j < LINE_JOBS; j++) add(f, t, j);
    for (unsigned j = 0; j < LINE_JOBS; j++) { /* the last becomes the first */
        assert_ok(engine_say(f,
                             (sked_event){.kind = SKED_EVENT_JOB_UPDATE,
                                          .key = j + 1,
                                          .priority = (int32_t)j},
                             1, 1));
    }
    assert_ok(sked_engine_check(f->engine, NULL));
    for (unsigned j = 0; j < LINE_JOBS / 2; j++) {
        uint64_t ask = t->ask[j][0];
        t->ask[j][0] = t->ask[LINE_JOBS - 1 - j][0];
        t->ask[LINE_JOBS - 1 - j][0] = ask;
    }
    assert_served_in_order(f, t);
    free(t);
}

/* Another tree, and every line is made anew, in order. */
static void a_new_tree_sorts_the_lines(void **state)
{
    engine_fixture *f = *state;
    line_twin *t = calloc(1, sizeof *t);
    uint64_t random = 11;

    assert_non_null(t);
    start_jobs(f, SKED_APPS_FIFO);
    for (unsigned i = 0; i < 1500; i++) add(f, t, upto(&random, LINE_JOBS));
    for (unsigned i = 0; i < 300; i++) drop(f, t, upto(&random, LINE_JOBS), 0);
    for (unsigned i = 0; i < 600; i++) add(f, t, upto(&random, LINE_JOBS));
    assert_ok(sked_engine_commit(f->engine, f->tree, 0, NULL));
    assert_ok(sked_engine_check(f->engine, NULL));
    assert_served_in_order(f, t);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(long_lines_keep_their_order),
        engine_case(an_emptied_line_closes_up),
        engine_case(a_new_priority_moves_a_job),
        engine_case(a_new_tree_sorts_the_lines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
