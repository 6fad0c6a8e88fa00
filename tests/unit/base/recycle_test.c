#include "test.h"

#include <string.h>

#include "base/recycle.h"
#include "host.h"
#include "words.h"

static test_host counted;
static skedi_mem mem;
static skedi_recycle recycle;

static int setup(void **state)
{
    (void)state;
    counted = (test_host){0};
    mem = test_host_mem(&counted);
    recycle = (skedi_recycle){0};
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    skedi_recycle_free(&recycle, &mem);
    return counted.live == 0 ? 0 : -1;
}

static void *resize(void *ptr, size_t old_size, size_t size)
{
    return skedi_recycle_resize(&recycle, &mem, ptr, old_size, size);
}

enum { BLOCKS = 100 };

/* Blocks grow, shrink and go; none changes another, and contents go along. */
static void blocks_keep_their_contents(void **state)
{
    static unsigned char *block[BLOCKS];
    static size_t size[BLOCKS];
    test_words w = {61};
    (void)state;

    for (int i = 0; i < 20000; i++) {
        size_t at = (size_t)test_below(&w, BLOCKS);
        size_t want = (size_t)test_below(&w, 3) ? (size_t)test_below(&w, 200)
                                                : 0;
        size_t both = size[at] < want ? size[at] : want;
        block[at] = resize(block[at], size[at], want);
        assert_true((block[at] == NULL) == (want == 0));
        for (size_t b = 0; b < both; b++) assert_true(block[at][b] == at);
        if (want) memset(block[at], (int)at, want);
        size[at] = want;
    }
    for (size_t i = 0; i < BLOCKS; i++) {
        if (block[i]) (void)resize(block[i], size[i], 0);
    }
}

/* What was freed is used again: nothing is asked of the host any more. */
static void the_same_work_asks_for_nothing(void **state)
{
    size_t asked = 0;
    (void)state;

    for (size_t turn = 0; turn < 10; turn++) {
        void *a = resize(NULL, 0, 1000), *b = resize(NULL, 0, 40);
        b = resize(b, 40, 700 + turn);
        (void)resize(a, 1000, 0);
        (void)resize(b, 700 + turn, 0);
        if (turn == 0) asked = counted.requests;
    }
    assert_true(asked > 0);
    assert_i64((int64_t)counted.requests, (int64_t)asked);
}

static void without_memory_the_old_block_stays(void **state)
{
    (void)state;

    unsigned char *block = resize(NULL, 0, 16);
    block[15] = 7;
    counted.fail_at = counted.requests + 1;
    assert_null(resize(block, 16, 17));
    assert_i64(block[15], 7);
    assert_null(resize(NULL, 0, SIZE_MAX));
    (void)resize(block, 16, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(blocks_keep_their_contents, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(the_same_work_asks_for_nothing, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(without_memory_the_old_block_stays,
                                        setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
