/* How many values rules name: one alone, and all of an ask together. [PEL-4] */
#include <sched/engine_reconcile.h>

#include "engine_rules.h"

enum { VALUES = 70000 };

static int64_t values[VALUES];
static uint64_t n_values; /* of the batch */

#define IN_FIRST(n_)                                                           \
    ((sked_rule_term){.op = SKED_RULE_OP_IN, .key = ZONE, .n = (n_)})

/* An ask goes by terms of a batch with more values than one rule may name. */
static sked_status say_rule(engine_fixture *f, sked_event event,
                            const sked_rule_term *terms, int32_t n)
{
    const int32_t offsets[] = {0, n};
    sked_events batch = {.struct_size = sizeof batch,
                         .events = &event,
                         .n = 1,
                         .rule_offsets = offsets,
                         .rule_terms = terms,
                         .n_rules = 1,
                         .rule_values = values,
                         .n_rule_values = n_values};

    event.time = f->now;
    event.key = 1;
    event.places = 1;
    return sked_engine_apply(f->engine, &batch, NULL, &f->err);
}

static sked_status hard(engine_fixture *f, const sked_rule_term *terms,
                        int32_t n)
{
    return say_rule(f, (sked_event){.kind = SKED_EVENT_ASK_RULE}, terms, n);
}

static sked_status soft(engine_fixture *f, uint64_t n)
{
    return say_rule(f, (sked_event){.kind = SKED_EVENT_ASK_PREFER, .count = 1},
                    &IN_FIRST(n), 1);
}

static void ask_and_nodes(engine_fixture *f, uint64_t n)
{
    n_values = n;
    for (size_t i = 0; i < VALUES; i++) values[i] = (int64_t)i;
    three_nodes(f, NULL);
    assert_ok(engine_add_ask(f, 1, 1, 9, 1, 1));
}

static void too_many_values(engine_fixture *f, sked_status rc, int64_t got)
{
    assert_status(SKED_ERR_RANGE, rc);
    assert_string_equal(f->err.message, "too many values");
    assert_i64(f->err.got, got);
    assert_i64(f->err.limit, SKED_MAX_RULE_VALUES);
}

static void values_of_other_rules_do_not_count(void **state)
{
    engine_fixture *f = *state;
    sked_rule_term one = IN_FIRST(1);
    const sked_rule_term halves[] = {IN_FIRST(32768), IN_FIRST(32768)};
    const sked_rule_term more[] = {IN_FIRST(32768), IN_FIRST(32769)};

    ask_and_nodes(f, VALUES);
    one.first = VALUES - 1;
    assert_ok(hard(f, &one, 1));
    starts(f, 2, 0);
    assert_ok(hard(f, halves, 2));
    uint64_t before = sked_engine_state_digest(f->engine);
    too_many_values(f, hard(f, more, 2), SKED_MAX_RULE_VALUES + 1);
    too_many_values(f, hard(f, &IN_FIRST(VALUES), 1), VALUES);
    assert_status(SKED_ERR_RANGE, hard(f, &IN_FIRST(VALUES + 1), 1));
    assert_string_equal(f->err.message, "no such values");
    assert_true(before == sked_engine_state_digest(f->engine));
    starts(f, 2, 4);
    assert_ok(sked_engine_check(f->engine, NULL));
}

static void rules_and_soft_rules_have_values_enough_together(void **state)
{
    engine_fixture *f = *state;
    const int64_t most = SKED_MAX_RULE_VALUES;

    ask_and_nodes(f, SKED_MAX_RULE_VALUES);
    assert_ok(hard(f, &IN_FIRST(30000), 1));
    assert_ok(soft(f, 20000));
    assert_ok(soft(f, (uint64_t)most - 50000));
    uint64_t before = sked_engine_state_digest(f->engine);
    too_many_values(f, soft(f, 1), most + 1);
    too_many_values(f, hard(f, &IN_FIRST(30001), 1), most + 1);
    assert_true(before == sked_engine_state_digest(f->engine));
    assert_ok(hard(f, &IN_FIRST(29999), 1));
    assert_ok(soft(f, 1));
    starts(f, 1, 4);
    assert_ok(sked_engine_check(f->engine, NULL));
}

static void a_truth_has_no_more(void **state)
{
    static const int64_t amounts[] = {1, 1};
    engine_fixture *f = *state;
    const sked_rule_term terms[] = {IN_FIRST(40000), IN_FIRST(25536),
                                    IN_FIRST(1)};
    const int32_t offsets[] = {0, 1, 2, 3};
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    sked_engine_difference d[8];
    const sked_event rows[] = {
        {.kind = SKED_EVENT_JOB_SUBMIT, .key = 1, .queue = leaf, .owner = 1},
        {.kind = SKED_EVENT_ASK_ADD,
         .key = 1,
         .owner = 1,
         .count = 1,
         .amount = 1},
        {.kind = SKED_EVENT_ASK_RULE, .key = 1, .places = 1},
        {.kind = SKED_EVENT_ASK_PREFER, .key = 1, .places = 2, .count = 1},
        {.kind = SKED_EVENT_ASK_PREFER, .key = 1, .places = 3, .count = 1}};
    sked_events truth = {.struct_size = sizeof truth,
                         .events = rows,
                         .n = 4,
                         .amounts = amounts,
                         .n_amounts = 1,
                         .rule_offsets = offsets,
                         .rule_terms = terms,
                         .n_rules = 3,
                         .rule_values = values,
                         .n_rule_values = SKED_MAX_RULE_VALUES};
    size_t n;

    engine_begin(f, NULL);
    assert_ok(sked_engine_reconcile(f->engine, &truth, d, 8, &n, &f->err));
    assert_int_equal(n, 4);
    truth.n = 5;
    assert_status(SKED_ERR_RANGE,
                  sked_engine_reconcile(f->engine, &truth, d, 8, &n, &f->err));
    assert_string_equal(f->err.message, "too many values");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(values_of_other_rules_do_not_count),
        engine_case(rules_and_soft_rules_have_values_enough_together),
        engine_case(a_truth_has_no_more),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
