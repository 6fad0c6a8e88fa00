/* Updates: actions and workflows; what is refused, saved and loaded; failures
 * of memory. */
#include "life_update_scene.h"

/* ---- The course of it ---- */

static void actions_and_workflows(void **state)
{
    int same = 9;
    (void)state;

    assert_int_equal(sked_life_update_action(0, 0, 0), SKED_LIFE_ACTION_RELOAD);
    assert_int_equal(sked_life_update_action(9, 0, 0), SKED_LIFE_ACTION_RELOAD);
    assert_int_equal(
        sked_life_update_action(SKED_LIFE_UPDATE_STATE_PAUSED, 6, 6),
        SKED_LIFE_ACTION_NOTE);
    const uint32_t rolls = SKED_LIFE_UPDATE_STATE_ROLLING_FORWARD;
    assert_int_equal(sked_life_update_action(rolls, 5, 6),
                     SKED_LIFE_ACTION_RUN);
    assert_int_equal(sked_life_update_action(rolls, 6, 6),
                     SKED_LIFE_ACTION_COMPLETE);
    assert_ok(sked_life_overwrite(1, rolls, 1, 0, &same, NULL));
    assert_int_equal(same, 0);
    assert_ok(sked_life_overwrite(1, rolls, 1, 1, &same, NULL));
    assert_int_equal(same, 1);
    assert_status(SKED_ERR_STATE,
                  sked_life_overwrite(1, rolls, 2, 0, &same, NULL));
    assert_status(SKED_ERR_STATE,
                  sked_life_overwrite(4, rolls, 1, 0, &same, NULL));
    assert_ok(sked_life_overwrite(4, SKED_LIFE_UPDATE_STATE_ABORTED, 2, 1,
                                  &same, NULL));
    assert_int_equal(same, 0);
    assert_ok(sked_life_overwrite(1, 8, 1, 0, &same, NULL)); /* rolled back */
    assert_status(SKED_ERR_RANGE,
                  sked_life_overwrite(0, rolls, 1, 0, &same, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_life_overwrite(1, rolls, 0, 0, &same, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_life_overwrite(5, rolls, 1, 0, &same, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_life_overwrite(1, rolls, 5, 0, &same, NULL));
    assert_status(SKED_ERR_RANGE, sked_life_overwrite(1, 0, 1, 0, &same, NULL));
    assert_status(SKED_ERR_RANGE, sked_life_overwrite(1, 9, 1, 0, &same, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_life_overwrite(1, rolls, 1, 0, NULL, NULL));
}

/* ---- What is refused ---- */

static void no_way_is_refused(void **state)
{
    scene s;
    sked_error err;
    (void)state;

    begin_scene(&s, 3)->sla.least_running = 3;
    assert_status(SKED_ERR_RANGE, try_begin(&s, &err));
    assert_string_equal(err.message,
                        "the SLA lets none stop, and none may overlap");
    assert_null(s.u);
    s.o.overlap = 1;
    assert_ok(try_begin(&s, NULL));
    close_scene(&s);
    s.to[0] = 0;
    assert_status(SKED_ERR_RANGE, try_begin(&s, &err));
    assert_string_equal(err.message, "fewer than the SLA needs");
    assert_i64(err.got, 2);
    s.to[0] = 2;
    s.from[1] = s.to[1] = 0;
    assert_status(SKED_ERR_RANGE, try_begin(&s, &err));
    assert_int_equal(err.row, 1);
}

static void settings_are_checked(void **state)
{
    scene s;
    sked_life_update_input in = {.struct_size = sizeof in};
    (void)state;

    begin_scene(&s, 2);
    s.o.flags = 16;
    assert_status(SKED_ERR_RANGE, try_begin(&s, NULL));
    s.o.flags = 0;
    s.o.reserved = 1;
    assert_status(SKED_ERR_ARG, try_begin(&s, NULL));
    s.o.reserved = 0;
    s.o.canary_ns = -1;
    assert_status(SKED_ERR_RANGE, try_begin(&s, NULL));
    s.o.canary_ns = 0;
    s.o.within_ns = -1;
    assert_status(SKED_ERR_RANGE, try_begin(&s, NULL));
    s.o.within_ns = 0;
    s.sla.type = 9;
    assert_status(SKED_ERR_RANGE, try_begin(&s, NULL));
    s.sla.type = 0;
    s.sla.struct_size = 3;
    assert_status(SKED_ERR_VERSION, try_begin(&s, NULL));
    s.o.struct_size = 3;
    assert_status(SKED_ERR_VERSION, try_begin(&s, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_life_update_new(&in, NULL, NULL, &s.u, NULL));
    in.n = 1;
    assert_status(SKED_ERR_ARG,
                  sked_life_update_new(&in, NULL, NULL, &s.u, NULL));
    in.from = s.from;
    assert_status(SKED_ERR_ARG,
                  sked_life_update_new(&in, NULL, NULL, &s.u, NULL));
    in.to = s.to;
    in.reserved = 1;
    assert_status(SKED_ERR_ARG,
                  sked_life_update_new(&in, NULL, NULL, &s.u, NULL));
    in.reserved = 0;
    in.n = SKED_MAX_LIFE_INSTANCES + 1;
    assert_status(SKED_ERR_RANGE,
                  sked_life_update_new(&in, NULL, NULL, &s.u, NULL));
    in.struct_size = 3;
    assert_status(SKED_ERR_VERSION,
                  sked_life_update_new(&in, NULL, NULL, &s.u, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_life_update_new(NULL, NULL, NULL, &s.u, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_life_update_new(&in, NULL, NULL, NULL, NULL));
    sked_life_update_free(NULL);
}

static void steps_and_reads_are_checked(void **state)
{
    scene s;
    sked_error err;
    sked_life_update_stats r = {.struct_size = 1};
    uint8_t phase[2];
    size_t n;
    (void)state;

    begin_scene(&s, 2);
    open_scene(&s);
    assert_status(SKED_ERR_RANGE,
                  sked_life_update_step(s.u, s.is, 1, 0, s.order, 2, &n, NULL));
    s.is[1].health = 9;
    assert_status(SKED_ERR_RANGE,
                  sked_life_update_step(s.u, s.is, 2, 0, s.order, 2, &n, &err));
    assert_int_equal(err.row, 1);
    assert_state(&s, SKED_LIFE_UPDATE_STATE_INITIALIZED, SKED_LIFE_WHY_NONE);
    assert_status(SKED_ERR_ARG, sked_life_update_step(NULL, s.is, 2, 0, s.order,
                                                      2, &n, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_life_update_step(s.u, NULL, 2, 0, s.order, 2, &n, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_life_update_step(s.u, s.is, 2, 0, NULL, 2, &n, NULL));
    assert_status(SKED_ERR_ARG, sked_life_update_step(s.u, s.is, 2, 0, s.order,
                                                      2, NULL, NULL));
    assert_status(SKED_ERR_VERSION, sked_life_update_get_stats(s.u, &r, NULL));
    assert_status(SKED_ERR_ARG, sked_life_update_get_stats(NULL, &r, NULL));
    assert_status(SKED_ERR_ARG, sked_life_update_get_stats(s.u, NULL, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_life_update_phases(s.u, phase, 1, &n, NULL));
    assert_int_equal(n, 2);
    assert_status(SKED_ERR_ARG,
                  sked_life_update_phases(NULL, phase, 1, &n, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_life_update_phases(s.u, NULL, 1, &n, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_life_update_phases(s.u, phase, 2, NULL, NULL));
    close_scene(&s);
}

/* ---- Saved and loaded ---- */

static void what_is_saved_goes_on(void **state)
{
    scene s, twin;
    uint8_t bytes[1024], again[1024];
    size_t n, m;
    (void)state;

    begin_scene(&s, 5)->o.batch = 2;
    s.o.overlap = 1;
    s.o.max_failures = 1;
    s.o.flags = SKED_LIFE_UPDATE_FLAG_ROLLBACK;
    s.sla.most_unavailable = 3;
    s.sla.priority = -4;
    open_scene(&s);
    for (int turn = 0; turn < 12; turn++) {
        assert_status(SKED_ERR_RANGE,
                      sked_life_update_save(s.u, bytes, 10, &n, NULL));
        assert_ok(sked_life_update_save(s.u, bytes, sizeof bytes, &n, NULL));
        twin = s;
        assert_ok(sked_life_update_load(bytes, n, NULL, &twin.u, NULL));
        step(&s);
        step(&twin);
        assert_int_equal(s.orders, twin.orders);
        assert_memory_equal(s.order, twin.order, s.orders * sizeof *s.order);
        assert_ok(sked_life_update_save(s.u, bytes, sizeof bytes, &n, NULL));
        assert_ok(sked_life_update_save(twin.u, again, sizeof again, &m, NULL));
        assert_int_equal(n, m);
        assert_memory_equal(bytes, again, n);
        close_scene(&twin);
        settle(&s, turn == 4);
    }
    assert_true(read_scene(&s).at.state >= SKED_LIFE_UPDATE_STATE_SUCCEEDED);
    assert_status(SKED_ERR_ARG,
                  sked_life_update_save(NULL, bytes, 9, &n, NULL));
    assert_status(SKED_ERR_ARG, sked_life_update_save(s.u, NULL, 9, &n, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_life_update_save(s.u, bytes, 9, NULL, NULL));
    close_scene(&s);
}

/* Changes a word and makes the digest fit. */
static sked_status load_changed(const uint8_t *bytes, size_t n, size_t word,
                                uint64_t value)
{
    uint8_t copy[1024];
    sked_life_update *u = NULL;
    size_t at = 8 * word;

    memcpy(copy, bytes, n);
    for (int i = 0; i < 8; i++)
        copy[at + (size_t)i] = (uint8_t)(value >> 8 * i);
    uint64_t digest = skedi_hash_of(copy, n - 8, 0);
    for (int i = 0; i < 8; i++) {
        copy[n - 8 + (size_t)i] = (uint8_t)(digest >> 8 * i);
    }
    sked_status rc = sked_life_update_load(copy, n, NULL, &u, NULL);
    sked_life_update_free(u);
    return rc;
}

static void changed_bytes_are_refused(void **state)
{
    static const struct {
        size_t word;
        uint64_t value;
    } bad[] = {
        {0, 1},                      /* another magic */
        {1, 0},                      /* no rows */
        {1, 5},                      /* more than there are */
        {1, UINT64_MAX},             /* and far more */
        {2, 16},                     /* flags */
        {5, UINT64_MAX},             /* a time below 0 */
        {7, 9},                      /* a type */
        {10, 0},                     /* no state */
        {10, 9},                     /* none that there is */
        {10, 4},                     /* paused, before that nowhere */
        {10, 4 | UINT64_C(4) << 32}, /* or paused */
        {10, 2 | UINT64_C(7) << 32}, /* from what was over */
        {11, 6},                     /* why */
        {11, UINT64_C(2) << 32},     /* backward */
        {12, 2},                     /* watched */
        {12, UINT64_C(1) << 32},     /* beyond it */
        {15, 1},                     /* what is not used */
        {21, UINT64_C(8) << 32},     /* a phase */
        {22, 7},                     /* an order */
        {22, UINT64_C(4) << 32},     /* owed */
    };
    scene s;
    uint8_t bytes[1024];
    size_t n;
    (void)state;

    begin_scene(&s, 2);
    open_scene(&s);
    assert_ok(sked_life_update_save(s.u, bytes, sizeof bytes, &n, NULL));
    close_scene(&s);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (load_changed(bytes, n, bad[i].word, bad[i].value) !=
            SKED_ERR_CORRUPT) {
            fail_msg("word %zu", bad[i].word);
        }
    }
    assert_ok(load_changed(bytes, n, 10, 4 | UINT64_C(1) << 32));
    for (size_t i = 0; i < n; i++) { /* any bit */
        bytes[i] ^= 1;
        assert_status(SKED_ERR_CORRUPT,
                      sked_life_update_load(bytes, n, NULL, &s.u, NULL));
        bytes[i] ^= 1;
        assert_status(SKED_ERR_CORRUPT,
                      sked_life_update_load(bytes, i, NULL, &s.u, NULL));
    }
    memset(bytes + 144, 0, 16); /* a row without a version */
    assert_status(SKED_ERR_CORRUPT, load_changed(bytes, n, 18, 0));
    assert_status(SKED_ERR_ARG,
                  sked_life_update_load(NULL, n, NULL, &s.u, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_life_update_load(bytes, n, NULL, NULL, NULL));
}

/* ---- Memory ---- */

static sked_status live_updates(test_host *h, void *arg)
{
    sked_host host = test_host_hooks(h);
    const uint64_t from[] = {1, 1, 0}, to[] = {2, 0, 2};
    uint8_t bytes[1024];
    sked_life_update *u = NULL, *twin = NULL;
    sked_life_update_input in = {
        .struct_size = sizeof in, .from = from, .to = to, .n = 3};
    size_t n;
    (void)arg;

    sked_status rc = sked_life_update_new(&in, NULL, &host, &u, NULL);
    if (rc == SKED_OK) {
        assert_ok(sked_life_update_save(u, bytes, sizeof bytes, &n, NULL));
        rc = sked_life_update_load(bytes, n, &host, &twin, NULL);
    }
    size_t made = (size_t)(u != NULL) + (twin != NULL);
    assert_int_equal(h->released, 0); /* by none that could not be made */
    sked_life_update_free(u);
    sked_life_update_free(twin);
    assert_int_equal(h->released, made);
    return rc;
}

static void updates_survive_every_failure(void **state)
{
    sked_host bad = {.struct_size = 1};
    scene s;
    (void)state;

    test_sweep(live_updates, NULL, 0);
    begin_scene(&s, 1);
    sked_life_update_input in = {
        .struct_size = sizeof in, .from = s.from, .to = s.to, .n = 1};
    assert_status(SKED_ERR_VERSION,
                  sked_life_update_new(&in, NULL, &bad, &s.u, NULL));
    test_host h = {0};
    sked_host host = test_host_hooks(&h);
    s.from[0] = s.to[0] = 0;
    assert_status(SKED_ERR_RANGE,
                  sked_life_update_new(&in, NULL, &host, &s.u, NULL));
    assert_int_equal(h.released + h.live, 0);
}

/* One that was begun beside another may come only after the update has turned
 * back: it is told to go all the same. */
static void what_is_on_its_way_is_dropped_too(void **state)
{
    scene s;
    (void)state;

    begin_scene(&s, 3)->o.overlap = UINT32_MAX;
    s.o.max_failures = 1;
    s.o.flags = SKED_LIFE_UPDATE_FLAG_ROLLBACK;
    open_scene(&s);
    step(&s);
    s.is[1].beside = SKED_LIFE_BESIDE_FAILED;
    s.cap = 2;
    step(&s); /* one order does not fit */
    assert_int_equal(s.orders, 2);
    s.is[1].beside = SKED_LIFE_BESIDE_NONE;
    step(&s);
    assert_int_equal(s.orders, 1);
    assert_int_equal(s.order[0].kind, SKED_LIFE_ORDER_DROP);
    assert_int_equal(s.order[0].row, 2);
    step(&s);
    assert_int_equal(s.orders, 0);
    assert_state(&s, SKED_LIFE_UPDATE_STATE_ROLLED_BACK,
                 SKED_LIFE_WHY_FAILURES);
    close_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(actions_and_workflows),
        cmocka_unit_test(no_way_is_refused),
        cmocka_unit_test(settings_are_checked),
        cmocka_unit_test(steps_and_reads_are_checked),
        cmocka_unit_test(what_is_on_its_way_is_dropped_too),
        cmocka_unit_test(what_is_saved_goes_on),
        cmocka_unit_test(changed_bytes_are_refused),
        cmocka_unit_test(updates_survive_every_failure),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
