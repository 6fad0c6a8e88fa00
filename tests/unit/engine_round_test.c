/* Rounds of preemption in the engine: what worlds against the slow twin found,
 * each fault by itself. */
#include "engine_scene.h"

/* A request for nothing is none; it once made every round fail. */
static void an_ask_for_nothing_asks_no_round(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    scene_preempt(f, &s);
    scene_fill(f, &s, 2);
    assert_ok(engine_say(
        f, (sked_event){.kind = SKED_EVENT_NODE_CHANGE, .key = 1, .amount = 1},
        10, 10));
    assert_ok(engine_add_ask(f, 3, 2, 2, 0, 0));
    (void)scene_hold(f, 3);
    assert_int_equal(scene_count(f, SKED_DECIDE_NOTIFY), 2);
    assert_int_equal(scene_said(f, SKED_DECIDE_RESERVE)->ask, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(an_ask_for_nothing_asks_no_round),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
