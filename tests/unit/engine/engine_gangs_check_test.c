/* Gangs over nodes where memory is lacking, or what is counted is wrong. */
#include "engine_gangs.h"

#include "engine/state.h"

/* What a step of the test below does. */
typedef sked_status step_of(engine_fixture *f);

static sked_status ask_for_forty(engine_fixture *f)
{
    return add_gang(f, 1, 40, 0);
}

static sked_status tag_it(engine_fixture *f)
{
    const uint64_t tags[] = {1, 2, 3, 4};

    return tagged(f, 1, tags, 4);
}

static sked_status pass_over_all(engine_fixture *f)
{
    return sked_engine_pass(f->engine, f->now, 0, NULL);
}

static sked_status new_partition(engine_fixture *f)
{
    return engine_say(
        f,
        (sked_event){
            .kind = SKED_EVENT_NODE_UP, .key = 99, .partition = 5, .amount = 1},
        1, 1);
}

static sked_status lost_node(engine_fixture *f)
{
    return engine_tell(f, SKED_EVENT_NODE_DOWN, 1);
}

/* Whatever memory is lacking, nothing happened; then it does. */
static void lacking_memory_changes_nothing(void **state)
{
    engine_fixture *f = *state;
    step_of *const steps[] = {ask_for_forty, tag_it, pass_over_all,
                              new_partition, lost_node};

    nodes_of_four(f, NULL, 3);
    for (uint64_t n = 4; n < 40; n++) engine_add_node(f, n, 0, 1, 1);
    for (size_t i = 0; i < 5; i++) {
        uint64_t before = sked_engine_state_digest(f->engine);
        sked_status rc = SKED_ERR_NOMEM;
        for (size_t k = 1; rc != SKED_OK; k++) {
            f->host.requests = 0;
            f->host.fail_at = k;
            rc = steps[i](f);
            f->host.fail_at = 0;
            assert_true(rc == SKED_OK || rc == SKED_ERR_NOMEM);
            assert_true(rc == SKED_OK ||
                        sked_engine_state_digest(f->engine) == before);
            assert_ok(sked_engine_check(f->engine, NULL));
        }
    }
    assert_int_equal(engine_taken(f), 31 + 1);
}

/* Gangs whose tasks differ count by themselves where their hashes are equal. */
static void fits_of_one_hash_are_told_apart(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_options opts = {.struct_size = sizeof opts,
                                      .flags = SKED_ENGINE_FLAG_WAIT};

    nodes_of_four(f, &opts, 2);
    assert_ok(add_gang(f, 1, 12, 3)); /* six fit */
    skedi_keymap *map = &f->engine->fits.of;
    uint32_t first = f->engine->fits.pool.n - 1;
    uint64_t own = fit_at(f->engine, first)->name;
    assert_ok(add_gang(f, 2, 12, 2));
    uint64_t other = fit_at(f->engine, first + 1)->name;
    assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 2));
    skedi_keymap_remove(map, own);
    fit_at(f->engine, first)->name = other; /* as if it were its own */
    skedi_keymap_put(map, other, first);
    assert_ok(add_gang(f, 2, 4, 2));
    assert_int_equal(skedi_keymap_get(map, other + 2), first + 1);
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_taken(f), 2);
    assert_i64(f->last[0].count, 2);
    assert_i64(f->last[1].count, 2);
    skedi_keymap_remove(map, other);
    fit_at(f->engine, first)->name = own;
    skedi_keymap_put(map, own, first);
    assert_ok(sked_engine_check(f->engine, NULL));
}

/* The check finds what nodes take wrongly. */
static void counts_of_fits_are_checked(void **state)
{
    engine_fixture *f = *state;
    sked_error err = {0};
    const sked_engine_options opts = {.struct_size = sizeof opts,
                                      .flags = SKED_ENGINE_FLAG_WAIT};

    nodes_of_four(f, &opts, 2);
    assert_ok(add_gang(f, 1, 12, 3));
    starts_no_part(f, 1);
    fit_at(f->engine, 0)->uses++;
    assert_status(SKED_ERR_INTERNAL, sked_engine_check(f->engine, &err));
    assert_string_equal(err.message, "tasks that nodes take");
    fit_at(f->engine, 0)->uses--;
    assert_ok(sked_engine_check(f->engine, NULL));
}

static void its_reason_has_a_name(void **state)
{
    (void)state;
    assert_string_equal(sked_reason_name(SKED_REASON_GANG),
                        "all of a gang over nodes at once");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(lacking_memory_changes_nothing),
        engine_case(fits_of_one_hash_are_told_apart),
        engine_case(counts_of_fits_are_checked),
        cmocka_unit_test(its_reason_has_a_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
