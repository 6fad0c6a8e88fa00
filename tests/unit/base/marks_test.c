#include "test.h"

#include <sched/sked.h>

#include "base/marks.h"
#include "base/random.h"
#include "host.h"

typedef struct world {
    test_host host;
    skedi_mem mem;
    skedi_marks marks;
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

    skedi_marks_free(&w->mem, &w->marks);
    return w->host.live == 0 ? 0 : -1;
}

static void an_empty_set_has_no_least_number(void **state)
{
    world *w = *state;

    assert_true(skedi_marks_reserve(&w->mem, &w->marks, 5000));
    assert_int_equal(skedi_marks_first(&w->marks), SKEDI_MARKS_END);
    assert_int_equal(skedi_marks_last(&w->marks), SKEDI_MARKS_END);
    assert_int_equal(skedi_marks_from(&w->marks, 5000), SKEDI_MARKS_END);
    skedi_marks_drop(&w->marks, 77); /* which was never in it */
    assert_int_equal(skedi_marks_first(&w->marks), SKEDI_MARKS_END);
}

static void behind_the_last_word_there_is_none(void **state)
{
    world *w = *state;

    assert_true(skedi_marks_reserve(&w->mem, &w->marks, 4095));
    skedi_marks_add(&w->marks, 4094);
    assert_int_equal(skedi_marks_from(&w->marks, 4094), 4094);
    assert_int_equal(skedi_marks_from(&w->marks, 4095), SKEDI_MARKS_END);
}

/* On both sides of the borders of words and of words of words. */
static void numbers_at_borders_are_found_from_either_side(void **state)
{
    static const uint32_t border[] = {0,    1,    63,   64,   127,  128, 4095,
                                      4096, 4097, 4159, 4160, 8191, 8192};
    world *w = *state;

    assert_true(skedi_marks_reserve(&w->mem, &w->marks, 8192));
    for (size_t i = 0; i < sizeof border / sizeof *border; i++) {
        uint32_t at = border[i];
        skedi_marks_add(&w->marks, at);
        assert_int_equal(skedi_marks_first(&w->marks), at);
        assert_int_equal(skedi_marks_last(&w->marks), at);
        assert_int_equal(skedi_marks_from(&w->marks, at), at);
        if (at > 0) assert_int_equal(skedi_marks_from(&w->marks, at - 1), at);
        if (at < 8192) {
            assert_int_equal(skedi_marks_from(&w->marks, at + 1),
                             SKEDI_MARKS_END);
        }
        skedi_marks_drop(&w->marks, at);
    }
}

enum { NUMBERS = 9000 };

static uint32_t slow_from(const uint8_t *in, uint32_t from)
{
    while (from <= NUMBERS && !in[from]) from++;
    return from <= NUMBERS ? from : SKEDI_MARKS_END;
}

static uint32_t slow_last(const uint8_t *in)
{
    uint32_t at = NUMBERS + 1;

    while (at > 0 && !in[at - 1]) at--;
    return at > 0 ? at - 1 : SKEDI_MARKS_END;
}

static void equals_a_walk_over_all_numbers(void **state)
{
    static uint8_t in[NUMBERS + 1];
    world *w = *state;
    skedi_random random;

    skedi_random_seed(&random, 7, NULL);
    assert_true(skedi_marks_reserve(&w->mem, &w->marks, NUMBERS));
    for (int step = 0; step < 4000; step++) {
        uint32_t i = (uint32_t)skedi_random_below(&random, NUMBERS + 1);
        uint32_t from = (uint32_t)skedi_random_below(&random, NUMBERS + 1);
        int add = step / 1000 % 2 == 0 && step % 3 > 0;
        in[i] = (uint8_t)add;
        if (add)
            skedi_marks_add(&w->marks, i);
        else
            skedi_marks_drop(&w->marks, i);
        if (step / 1000 % 2) {
            uint32_t first = skedi_marks_first(&w->marks);
            assert_int_equal(first, slow_from(in, 0));
            if (first != SKEDI_MARKS_END) {
                skedi_marks_drop(&w->marks, first);
                in[first] = 0;
            }
        }
        assert_int_equal(skedi_marks_from(&w->marks, from),
                         slow_from(in, from));
        assert_int_equal(skedi_marks_last(&w->marks), slow_last(in));
    }
}

static void more_memory_keeps_the_set_as_does_less(void **state)
{
    world *w = *state;

    assert_true(skedi_marks_reserve(&w->mem, &w->marks, 100));
    skedi_marks_add(&w->marks, 99);
    assert_true(skedi_marks_reserve(&w->mem, &w->marks, 50));
    assert_int_equal(w->marks.cap, 100);
    assert_true(skedi_marks_reserve(&w->mem, &w->marks, 10000));
    skedi_marks_add(&w->marks, 9999);
    assert_int_equal(skedi_marks_first(&w->marks), 99);
    assert_int_equal(skedi_marks_last(&w->marks), 9999);
}

static void without_memory_the_set_is_as_it_was(void **state)
{
    world *w = *state;

    assert_true(skedi_marks_reserve(&w->mem, &w->marks, 100));
    skedi_marks_add(&w->marks, 64);
    for (size_t at = 1; at <= 2; at++) {
        w->host.fail_at = w->host.requests + at;
        assert_false(skedi_marks_reserve(&w->mem, &w->marks, 10000));
        assert_int_equal(w->marks.cap, 100);
        assert_int_equal(skedi_marks_first(&w->marks), 64);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_empty_set_has_no_least_number),
        TEST(behind_the_last_word_there_is_none),
        TEST(numbers_at_borders_are_found_from_either_side),
        TEST(equals_a_walk_over_all_numbers),
        TEST(more_memory_keeps_the_set_as_does_less),
        TEST(without_memory_the_set_is_as_it_was),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
