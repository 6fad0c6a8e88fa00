/* SLAs: how many instances may be stopped, and which stand first. */
#include "life_cases.h"

/* ---- SLA ---- */

/* An update, preemption and maintenance take turns in all orders: together they
 * never break it. [PEL-3] */
static void all_who_stop_keep_one_count(void **state)
{
    sked_life_sla sla = {.struct_size = sizeof sla,
                         .type = SKED_LIFE_TYPE_STATELESS,
                         .preemptible = 1,
                         .least_running = 6,
                         .most_unavailable = 3};
    (void)state;

    for (uint32_t order = 0; order < 81; order++) {
        sked_life_stats c = {10, 0, 0};
        uint64_t may, stopped = 0;
        for (uint32_t turn = 0, left = order; turn < 4; turn++, left /= 3) {
            uint32_t who = SKED_LIFE_STOPPER_UPDATE + left % 3;
            assert_ok(sked_life_may_stop(&sla, &c, who, &may, NULL));
            sked_status rc = sked_life_stop(&sla, who, 2, &c, NULL);
            assert_int_equal(rc == SKED_OK, may >= 2);
            stopped += rc == SKED_OK ? 2 : 0;
            if (rc != SKED_OK && may) {
                assert_ok(sked_life_stop(&sla, who, may, &c, NULL));
                stopped += may;
            }
            assert_true(c.available >= 6 && c.unavailable <= 3);
        }
        assert_int_equal(stopped, 3);
        assert_int_equal(c.available + c.unavailable, 10);
    }
}

static void what_an_sla_lets_go(void **state)
{
    sked_life_sla sla = {.struct_size = sizeof sla};
    sked_life_stats c = {5, 1, 0};
    sked_error err;
    uint64_t n;
    (void)state;

    assert_ok(
        sked_life_may_stop(NULL, &c, SKED_LIFE_STOPPER_PREEMPTION, &n, NULL));
    assert_int_equal(n, 5);
    assert_ok(
        sked_life_may_stop(&sla, &c, SKED_LIFE_STOPPER_PREEMPTION, &n, NULL));
    assert_int_equal(n, 0); /* not preemptible */
    assert_ok(
        sked_life_may_stop(&sla, &c, SKED_LIFE_STOPPER_MAINTENANCE, &n, NULL));
    assert_int_equal(n, 5);
    sla.preemptible = 1;
    assert_ok(
        sked_life_may_stop(&sla, &c, SKED_LIFE_STOPPER_PREEMPTION, &n, NULL));
    assert_int_equal(n, 5);
    sla.type = SKED_LIFE_TYPE_STATEFUL; /* never, whatever is said */
    assert_ok(
        sked_life_may_stop(&sla, &c, SKED_LIFE_STOPPER_PREEMPTION, &n, NULL));
    assert_int_equal(n, 0);
    sla.most_unavailable = 1;
    assert_ok(sked_life_may_stop(&sla, &c, SKED_LIFE_STOPPER_UPDATE, &n, NULL));
    assert_int_equal(n, 0);
    sla.most_unavailable = 3;
    sla.least_running = 4;
    assert_ok(sked_life_may_stop(&sla, &c, SKED_LIFE_STOPPER_UPDATE, &n, NULL));
    assert_int_equal(n, 1);
    sla.least_running = 6;
    assert_ok(sked_life_may_stop(&sla, &c, SKED_LIFE_STOPPER_UPDATE, &n, NULL));
    assert_int_equal(n, 0);
    assert_status(SKED_ERR_STATE,
                  sked_life_stop(&sla, SKED_LIFE_STOPPER_UPDATE, 1, &c, &err));
    assert_i64(err.got, 1);
    assert_i64(err.limit, 0);
    assert_int_equal(c.available, 5);
    assert_status(SKED_ERR_ARG, sked_life_may_stop(&sla, NULL, 1, &n, NULL));
    assert_status(SKED_ERR_ARG, sked_life_may_stop(&sla, &c, 1, NULL, NULL));
    assert_status(SKED_ERR_RANGE, sked_life_may_stop(&sla, &c, 0, &n, NULL));
    assert_status(SKED_ERR_RANGE, sked_life_may_stop(&sla, &c, 4, &n, NULL));
    assert_status(SKED_ERR_RANGE, sked_life_stop(&sla, 4, 1, &c, NULL));
    uint32_t *const fields[] = {&sla.type, &sla.preemptible, &sla.revocable};
    for (size_t i = 0; i < 3; i++) {
        uint32_t was = *fields[i];
        *fields[i] = 5;
        assert_status(SKED_ERR_RANGE,
                      sked_life_may_stop(&sla, &c, 1, &n, NULL));
        *fields[i] = was;
    }
    sla.reserved = 1;
    assert_status(SKED_ERR_ARG, sked_life_may_stop(&sla, &c, 1, &n, NULL));
    sla.reserved = 0;
    sla.struct_size = 8;
    assert_status(SKED_ERR_VERSION, sked_life_may_stop(&sla, &c, 1, &n, NULL));
    assert_int_equal(sked_life_gang_of(&sla, 3), 1);
}

static void instances_are_counted(void **state)
{
    sked_life_instance i[5];
    sked_life_stats c;
    (void)state;

    for (int k = 0; k < 5; k++) i[k] = running();
    i[1].told = 1;
    i[2].goal = SKED_LIFE_TASK_KILLED;
    i[3].goal = SKED_LIFE_TASK_DELETED;
    i[4].state = SKED_LIFE_TASK_STARTING;
    assert_ok(sked_life_count(i, 5, &c, NULL));
    assert_int_equal(c.available, 1);
    assert_int_equal(c.unavailable, 2);
    assert_int_equal(c.killed, 1);
    assert_ok(sked_life_count(NULL, 0, &c, NULL));
    assert_status(SKED_ERR_ARG, sked_life_count(NULL, 1, &c, NULL));
    assert_status(SKED_ERR_ARG, sked_life_count(i, 1, NULL, NULL));
}

static void gangs_stand_first(void **state)
{
    sked_life_sla sla = {.struct_size = sizeof sla, .least_running = 3};
    (void)state;

    assert_int_equal(sked_life_gang_of(&sla, 5), 3);
    assert_int_equal(sked_life_gang_of(&sla, 2), 2);
    assert_int_equal(sked_life_gang_of(&sla, 0), 0);
    assert_int_equal(sked_life_gang_of(NULL, 5), 1);
    sla.revocable = 1;
    assert_int_equal(sked_life_gang_of(&sla, 5), 1);
    sla.revocable = 0;
    sla.type = SKED_LIFE_TYPE_STATELESS;
    assert_int_equal(sked_life_gang_of(&sla, 5), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_who_stop_keep_one_count),
        cmocka_unit_test(what_an_sla_lets_go),
        cmocka_unit_test(instances_are_counted),
        cmocka_unit_test(gangs_stand_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
