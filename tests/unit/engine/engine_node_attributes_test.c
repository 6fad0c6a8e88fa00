/* What a node is may be said as it comes up. [PEL-4] */
#include "engine_rules.h"

/* A node comes up in a zone and with a model. */
static sked_status come_up(engine_fixture *f, uint64_t key, uint32_t places)
{
    static const sked_rule_attribute pairs[] = {{MODEL, 5}, {ZONE, 2}};
    static const int32_t offsets[] = {0, 2};
    const int64_t amounts[] = {4, 4};
    const sked_event event = {.kind = SKED_EVENT_NODE_UP,
                              .time = f->now,
                              .key = key,
                              .amount = 1,
                              .places = places};
    const sked_events batch = {.struct_size = sizeof batch,
                               .events = &event,
                               .n = 1,
                               .amounts = amounts,
                               .n_amounts = 1,
                               .attribute_offsets = offsets,
                               .attributes = pairs,
                               .n_attributes = 1};

    return sked_engine_apply(f->engine, &batch, NULL, &f->err);
}

/* What it is can be said as it comes up; all that fails leaves no trace. */
static void a_node_comes_up_as_what_it_is(void **state)
{
    engine_fixture *f = *state;
    sked_status rc = SKED_ERR_NOMEM;
    const uint64_t tag = 7;
    const sked_rule_term spread = {.op = SKED_RULE_OP_AT_MOST,
                                   .key = 7,
                                   .value = 1,
                                   .first = 1,
                                   .n = 1}; /* by attribute 2: the model */

    (void)engine_alone(f, NULL, 4, 4, 1);
    assert_ok(engine_add_ask(f, 1, 1, 1, 1, 1));
    assert_ok(engine_add_ask(f, 2, 1, 9, 1, 1));
    assert_ok(tagged(f, 2, &tag, 1));
    assert_ok(go_by(f, 2, &spread, 1));
    assert_ok(only_zone(f, 1, 2));
    (void)engine_taken(f);
    uint64_t before = sked_engine_state_digest(f->engine);
    assert_status(SKED_ERR_ARG, come_up(f, 2, 2));
    for (size_t i = 1; rc != SKED_OK; i++) {
        assert_true(before == sked_engine_state_digest(f->engine));
        f->host.fail_at = f->host.requests + i;
        rc = come_up(f, 2, 1);
        f->host.fail_at = 0;
        assert_ok(sked_engine_check(f->engine, NULL));
    }
    assert_ok(come_up(f, 3, 1));
    starts(f, 2, 3); /* ask 1, and two of ask 2 for its model */
    starts(f, 3, 0);
    assert_ok(sked_engine_check(f->engine, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(a_node_comes_up_as_what_it_is),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
