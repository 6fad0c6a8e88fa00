#include "test.h"

#include <string.h>

#include <sched/sked.h>

#include "base/hooks.h"
#include "host.h"

typedef struct world {
    test_host host;
    skedi_mem mem;
} world;

static int setup(void **state)
{
    static world w;

    w = (world){0};
    w.mem = test_host_mem(&w.host);
    *state = &w;
    return 0;
}

static int teardown(void **state)
{
    world *w = *state;

    return w->host.live == 0 && w->host.blocks == 0 && w->mem.live == 0 ? 0
                                                                        : -1;
}

static void new_memory_is_zero(void **state)
{
    world *w = *state;
    unsigned char *p = skedi_new(&w->mem, 10, 8);

    for (int i = 0; i < 80; i++) assert_int_equal(p[i], 0);
    assert_i64((int64_t)w->mem.live, 80);
    skedi_free(&w->mem, p, 10, 8);
    skedi_free(&w->mem, NULL, 10, 8);
}

static void grown_memory_keeps_the_old_and_zeroes_the_new(void **state)
{
    world *w = *state;
    unsigned char *p = skedi_new(&w->mem, 0, 4);

    assert_non_null(p);
    assert_i64((int64_t)w->mem.live, 1);
    p = skedi_grow(&w->mem, p, 0, 2, 4);
    memset(p, 7, 8);
    p = skedi_grow(&w->mem, p, 2, 4, 4);
    for (int i = 0; i < 16; i++) assert_int_equal(p[i], i < 8 ? 7 : 0);
    w->host.trap = 1;
    assert_true(skedi_grow(&w->mem, p, 4, 4, 4) == (void *)p);
    w->host.trap = 0;
    p = skedi_grow(&w->mem, p, 4, 0, 4);
    assert_i64((int64_t)w->mem.live, 1);
    skedi_free(&w->mem, p, 0, 4);
}

static void a_refused_shrink_leaves_the_block(void **state)
{
    world *w = *state;
    void *p = skedi_new(&w->mem, 10, 8);

    w->host.refuse_shrink = 1;
    assert_null(skedi_grow(&w->mem, p, 10, 5, 8));
    assert_i64((int64_t)w->mem.live, 80);
    skedi_free(&w->mem, p, 10, 8);
}

static void a_size_that_wraps_is_refused(void **state)
{
    world *w = *state;

    assert_null(skedi_new(&w->mem, SIZE_MAX / 4 + 1, 4));
    assert_i64((int64_t)w->host.requests, 0);
}

static void a_failed_request_changes_nothing(void **state)
{
    world *w = *state;
    unsigned char *p = skedi_new(&w->mem, 4, 1);
    size_t cap = 4;
    void *room = p;

    memset(p, 9, 4);
    w->host.fail_from = 1;
    assert_null(skedi_grow(&w->mem, p, 4, 5, 1));
    assert_false(skedi_ensure(&w->mem, &room, &cap, 5, 1));
    assert_true(room == p && cap == 4 && p[3] == 9);
    assert_i64((int64_t)w->mem.live, 4);
    skedi_free(&w->mem, p, 4, 1);
}

static void the_limit_is_kept_to_the_byte(void **state)
{
    world *w = *state;

    w->mem = skedi_mem_of(&(sked_host){
        .resize = w->mem.resize, .user = w->mem.user, .memory_limit = 100});
    char *p = skedi_new(&w->mem, 60, 1), *q = skedi_new(&w->mem, 40, 1);
    assert_non_null(q);
    assert_null(skedi_new(&w->mem, 1, 1));
    assert_null(skedi_grow(&w->mem, p, 60, 61, 1));
    p = skedi_grow(&w->mem, p, 60, 50, 1);
    p = skedi_grow(&w->mem, p, 50, 60, 1);
    assert_non_null(p);
    assert_i64((int64_t)w->host.requests, 3);
    skedi_free(&w->mem, p, 60, 1);
    skedi_free(&w->mem, q, 40, 1);
}

static void memory_grows_by_half_at_least(void **state)
{
    world *w = *state;
    void *room = NULL;
    size_t cap = 0, before = 0;

    for (size_t n = 1; n < 5000; n++) {
        assert_true(skedi_ensure(&w->mem, &room, &cap, n, 4));
        assert_true(cap >= n);
    }
    before = w->host.requests;
    assert_true(before < 20);
    assert_true(skedi_ensure(&w->mem, &room, &cap, 1000000, 4));
    assert_i64((int64_t)cap, 1000000);
    skedi_free(&w->mem, room, cap, 4);
}

static void sealed_memory_is_not_asked_for(void **state)
{
    world *w = *state;
    char *p = skedi_new(&w->mem, 10, 1);

    w->mem.sealed = 1;
    assert_null(skedi_new(&w->mem, 1, 1));
    assert_null(skedi_grow(&w->mem, p, 10, 11, 1));
    p = skedi_grow(&w->mem, p, 10, 8, 1);
    assert_i64((int64_t)w->host.requests, 1);
    skedi_free(&w->mem, p, 8, 1);
}

static void without_a_host_the_c_library_serves(void **state)
{
    skedi_mem mem = skedi_mem_of(NULL);
    (void)state;

    char *p = skedi_new(&mem, 10, 1);
    p = skedi_grow(&mem, p, 10, 100, 1);
    assert_non_null(p);
    skedi_free(&mem, p, 100, 1);
    assert_i64((int64_t)mem.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(new_memory_is_zero, setup, teardown),
        cmocka_unit_test_setup_teardown(
            grown_memory_keeps_the_old_and_zeroes_the_new, setup, teardown),
        cmocka_unit_test_setup_teardown(a_refused_shrink_leaves_the_block,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(a_size_that_wraps_is_refused, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_failed_request_changes_nothing, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(the_limit_is_kept_to_the_byte, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(memory_grows_by_half_at_least, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(sealed_memory_is_not_asked_for, setup,
                                        teardown),
        cmocka_unit_test(without_a_host_the_c_library_serves),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
