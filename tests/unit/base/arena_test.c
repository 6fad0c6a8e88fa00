#include "test.h"

#include <string.h>

#include <sched/sked.h>

#include "base/arena.h"
#include "host.h"
#include "words.h"

static test_host counted;
static skedi_mem mem;

static int setup(void **state)
{
    (void)state;
    counted = (test_host){0};
    mem = test_host_mem(&counted);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    return counted.live == 0 ? 0 : -1;
}

enum { PIECES = 500 };

/* Each piece is filled with its number; none may change another. */
static void pieces_are_zero_aligned_and_apart(void **state)
{
    static unsigned char *piece[PIECES];
    static size_t size[PIECES];
    skedi_arena arena = {0};
    test_words w = {41};
    (void)state;

    for (int i = 0; i < PIECES; i++) {
        size[i] = test_below(&w, 50) ? (size_t)test_below(&w, 60) : 9000;
        piece[i] = skedi_arena_take(&arena, size[i], &mem);
        assert_true((uintptr_t)piece[i] % 8 == 0);
        for (size_t k = 0; k < size[i]; k++) assert_int_equal(piece[i][k], 0);
        memset(piece[i], i & 255, size[i]);
    }
    for (int i = 0; i < PIECES; i++) {
        for (size_t k = 0; k < size[i]; k++) {
            assert_int_equal(piece[i][k], i & 255);
        }
    }
    skedi_arena_free(&arena, &mem);
}

static void a_rewind_gives_memory_back(void **state)
{
    skedi_arena arena = {0};
    skedi_arena_mark start = skedi_arena_here(&arena);
    (void)state;

    unsigned char *kept = skedi_arena_take(&arena, 16, &mem);
    memset(kept, 3, 16);
    skedi_arena_mark mark = skedi_arena_here(&arena);
    for (int i = 0; i < 100; i++) {
        memset(skedi_arena_take(&arena, 1000, &mem), 9, 1000);
    }
    size_t asked = counted.requests;
    counted.trap = 1;
    skedi_arena_rewind(&arena, mark);
    for (int i = 0; i < 80; i++) {
        unsigned char *p = skedi_arena_take(&arena, 1000, &mem);
        assert_true(p[0] == 0 && p[999] == 0);
    }
    assert_int_equal(kept[15], 3);
    skedi_arena_rewind(&arena, start);
    assert_true(skedi_arena_take(&arena, 8, &mem) == (void *)kept);
    counted.trap = 0;

    skedi_arena_rewind(&arena, start); /* the first chunk is too small now */
    assert_non_null(skedi_arena_take(&arena, 1000000, &mem));
    assert_true(counted.requests == asked + 1);
    skedi_arena_free(&arena, &mem);
}

static void what_is_reserved_is_not_allocated_again(void **state)
{
    skedi_arena arena = {0};
    (void)state;

    assert_non_null(skedi_arena_take(&arena, 4000, &mem));
    assert_true(skedi_arena_reserve(&arena, 50 * 104, &mem));
    counted.trap = 1;
    assert_true(skedi_arena_reserve(&arena, 50 * 104, &mem));
    for (int i = 0; i < 50; i++) {
        assert_non_null(skedi_arena_take(&arena, 99 + (size_t)i % 6, &mem));
    }
    counted.trap = 0;
    skedi_arena_free(&arena, &mem);
}

/* A chunk too small for the piece stays behind the one that holds it. */
static void the_first_chunk_that_fits_is_brought_forward(void **state)
{
    skedi_arena arena = {0};
    skedi_arena_mark start = skedi_arena_here(&arena);
    (void)state;

    assert_non_null(skedi_arena_take(&arena, 16, &mem));
    assert_non_null(skedi_arena_take(&arena, 100000, &mem));
    assert_non_null(skedi_arena_take(&arena, 1000000, &mem));
    skedi_arena_rewind(&arena, start);
    counted.trap = 1;
    unsigned char *first = skedi_arena_take(&arena, 16, &mem);
    memset(first, 7, 16);
    unsigned char *largest = skedi_arena_take(&arena, 1000000, &mem);
    memset(largest, 8, 1000000);
    unsigned char *middle = skedi_arena_take(&arena, 90000, &mem);
    memset(middle, 9, 90000);
    assert_true(first[15] == 7 && largest[0] == 8 && largest[999999] == 8);
    counted.trap = 0;
    skedi_arena_free(&arena, &mem);
}

static void a_failed_piece_changes_nothing(void **state)
{
    skedi_arena arena = {0};
    (void)state;

    counted.fail_from = 1;
    assert_null(skedi_arena_take(&arena, 1, &mem));
    assert_false(skedi_arena_reserve(&arena, 1, &mem));
    assert_null(arena.first);
    counted.fail_from = 0;
    assert_non_null(skedi_arena_take(&arena, 1, &mem));
    assert_null(skedi_arena_take(&arena, SIZE_MAX, &mem));
    assert_null(skedi_arena_take(&arena, SIZE_MAX / 2, &mem));
    assert_false(skedi_arena_reserve(&arena, SIZE_MAX - 8, &mem));
    skedi_arena_free(&arena, &mem);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(pieces_are_zero_aligned_and_apart),
        TEST(a_rewind_gives_memory_back),
        TEST(what_is_reserved_is_not_allocated_again),
        TEST(the_first_chunk_that_fits_is_brought_forward),
        TEST(a_failed_piece_changes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
