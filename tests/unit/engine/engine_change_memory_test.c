/* Changes of nodes that ask for memory: where it is lacking nothing changed. */
#include "engine_exclusive.h"
#include "engine_gangs.h"

/* What a step of the test below does. */
typedef sked_status step_of(engine_fixture *f);

static sked_status grow_node(engine_fixture *f)
{
    return engine_say(
        f, (sked_event){.kind = SKED_EVENT_NODE_CHANGE, .key = 1, .amount = 1},
        6, 120);
}

static sked_status node_in_new_zone(engine_fixture *f)
{
    return in_zone(f, 40, 77);
}

static void step_in_need(engine_fixture *f, step_of *step)
{
    uint64_t before = sked_engine_state_digest(f->engine);
    sked_status rc = SKED_ERR_NOMEM;

    for (size_t k = 1; rc != SKED_OK; k++) {
        f->host.requests = 0;
        f->host.fail_at = k;
        rc = step(f);
        f->host.fail_at = 0;
        assert_true(rc == SKED_OK || rc == SKED_ERR_NOMEM);
        assert_true(rc == SKED_OK ||
                    sked_engine_state_digest(f->engine) == before);
        assert_ok(sked_engine_check(f->engine, NULL));
    }
}

/* A task that has a node to itself grows with the node. */
static void a_node_with_one_task_grows_or_not(void **state)
{
    engine_fixture *f = *state;

    nodes_of_four(f, NULL, 1);
    assert_ok(ask_alone(f, 1, 1, 1, 0));
    starts(f, 1, 1);
    for (uint64_t ask = 2; ask < 200; ask++) { /* pools at their ends */
        assert_ok(engine_add_ask(f, ask, 1, 1, 2, (int64_t)ask / 2));
        step_in_need(f, grow_node);
        assert_ok(engine_say(
            f,
            (sked_event){.kind = SKED_EVENT_NODE_CHANGE, .key = 1, .amount = 1},
            4, 100));
    }
    assert_i64(cpu_free(f, 1), 0);
}

/* Domains of a key that gangs go by come as their nodes do. */
static void a_new_domain_comes_or_not(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_options opts = {.struct_size = sizeof opts,
                                      .flags = SKED_ENGINE_FLAG_WAIT};

    nodes_of_four(f, &opts, 1);
    assert_ok(in_zone(f, 1, 1));
    assert_ok(add_gang_so(f, 1, 40, (sked_event_gang){.same = ZONE}));
    for (uint64_t n = 2; n < 40; n++) {
        engine_add_node(f, n, 0, 1, 1);
        assert_ok(in_zone(f, n, (int64_t)n));
        engine_add_node(f, 40, 0, 1, 1);
        step_in_need(f, node_in_new_zone);
        assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 40));
    }
}

/* A gang comes to form on node 1, and others are looked at behind it, if memory
 * does not end with a request: then nothing has changed, or the row counts. */
static sked_status form_in_need(size_t request, int *formed)
{
    const sked_engine_options opts = {.struct_size = sizeof opts,
                                      .form_nodes = 1};
    const sked_event beat = {.kind = SKED_EVENT_HEARTBEAT, .key = 1};
    const sked_events batch = {
        .struct_size = sizeof batch, .events = &beat, .n = 1};
    uint64_t done = 0;
    void *state;
    (void)engine_setup(&state);
    engine_fixture *f = state;

    nodes_of_four(f, &opts, 2);
    assert_ok(engine_add_ask(f, 50, 1, 3, 1, 1));
    assert_ok(engine_say(
        f,
        (sked_event){
            .kind = SKED_EVENT_TASK_RUNNING, .key = 2, .owner = 50, .count = 3},
        0, 0));
    for (uint64_t ask = 1; ask <= 40; ask++) {
        assert_ok(add_gang(f, ask, 4, 2));
    }
    uint64_t before = sked_engine_state_digest(f->engine);
    f->host.requests = 0;
    f->host.fail_at = request;
    sked_status rc = sked_engine_apply(f->engine, &batch, &done, &f->err);
    f->host.fail_at = 0;
    if (rc != SKED_OK && done == 0) {
        assert_true(sked_engine_state_digest(f->engine) == before);
    }
    *formed += rc != SKED_OK && done == 1;
    (void)engine_teardown(&state);
    return rc;
}

static void a_row_in_which_a_gang_forms_counts(void **state)
{
    int formed = 0;
    size_t request = 1;
    (void)state;

    while (form_in_need(request, &formed) != SKED_OK) request++;
    assert_true(formed > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(a_node_with_one_task_grows_or_not),
        engine_case(a_new_domain_comes_or_not),
        cmocka_unit_test(a_row_in_which_a_gang_forms_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
