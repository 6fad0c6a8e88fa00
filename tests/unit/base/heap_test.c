#include "test.h"

#include <sched/sked.h>

#include "base/heap.h"
#include "base/sort.h"
#include "host.h"
#include "words.h"

typedef struct world {
    test_host host;
    skedi_mem mem;
    skedi_heap heap;
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

    skedi_heap_free(&w->heap, &w->mem);
    return w->host.live == 0 ? 0 : -1;
}

static void reserve(world *w, size_t ids)
{
    assert_true(skedi_heap_reserve(&w->heap, ids, &w->mem));
}

static void equal_keys_leave_by_id(void **state)
{
    world *w = *state;

    reserve(w, 40);
    assert_null(skedi_heap_top(&w->heap));
    for (uint32_t i = 0; i < 40; i++) {
        skedi_heap_set(&w->heap, i * 7 % 40, i * 7 % 40 / 20);
    }
    for (uint32_t i = 0; i < 40; i++) {
        assert_int_equal(skedi_heap_top(&w->heap)->id, i);
        assert_int_equal(skedi_heap_key(&w->heap, i), i / 20);
        skedi_heap_remove(&w->heap, i);
    }
    assert_null(skedi_heap_top(&w->heap));
}

enum { IDS = 70 };

/* The least (key, id) by looking at all of them; IDS when there is none. */
static uint32_t slow_top(const uint64_t *key, const int *in)
{
    uint32_t best = IDS;

    for (uint32_t i = 0; i < IDS; i++) {
        if (in[i] && (best == IDS || key[i] < key[best])) best = i;
    }
    return best;
}

static void every_change_leaves_the_least_on_top(void **state)
{
    world *w = *state;
    test_words words = {21};
    uint64_t key[IDS];
    int in[IDS] = {0};

    reserve(w, 3);
    reserve(w, IDS);
    reserve(w, 5);
    w->host.trap = 1;
    for (int i = 0; i < 60000; i++) {
        uint32_t id = (uint32_t)test_below(&words, IDS);
        if (test_below(&words, 5) < 3) {
            key[id] = test_below(&words, i % 3 ? 20 : UINT64_MAX);
            in[id] = 1;
            skedi_heap_set(&w->heap, id, key[id]);
        } else {
            in[id] = 0;
            skedi_heap_remove(&w->heap, id);
        }
        if (test_below(&words, 3000) == 0) {
            skedi_heap_clear(&w->heap);
            for (int k = 0; k < IDS; k++) in[k] = 0;
        }
        const skedi_heap_item *top = skedi_heap_top(&w->heap);
        assert_int_equal(top ? top->id : IDS, slow_top(key, in));
        assert_int_equal(skedi_heap_has(&w->heap, id), in[id]);
        assert_true(skedi_heap_is_sound(&w->heap));
    }
    w->host.trap = 0;
}

static void a_heap_that_is_out_of_order_is_not_sound(void **state)
{
    world *w = *state;

    reserve(w, 9);
    for (uint32_t i = 0; i < 9; i++) skedi_heap_set(&w->heap, i, i);
    w->heap.item[8].key = 0;
    w->heap.item[2].key = 9;
    assert_false(skedi_heap_is_sound(&w->heap));
    w->heap.item[2].key = 2;
    w->heap.place[3] = 1;
    assert_false(skedi_heap_is_sound(&w->heap));
}

static void growing_keeps_what_is_in(void **state)
{
    world *w = *state;

    for (uint32_t i = 0; i < 200; i++) {
        reserve(w, i + 1);
        skedi_heap_set(&w->heap, i, skedi_key_signed(-(int64_t)i));
        assert_int_equal(skedi_heap_top(&w->heap)->id, i);
    }
    assert_true(skedi_heap_is_sound(&w->heap));
}

static void a_failed_reserve_changes_nothing(void **state)
{
    world *w = *state;

    reserve(w, 8);
    skedi_heap_set(&w->heap, 5, 50);
    for (size_t k = 1; k <= 2; k++) {
        w->host.fail_at = w->host.requests + k;
        assert_false(skedi_heap_reserve(&w->heap, 100, &w->mem));
        assert_int_equal(w->heap.ids, 8);
        assert_true(skedi_heap_is_sound(&w->heap));
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(equal_keys_leave_by_id),
        TEST(every_change_leaves_the_least_on_top),
        TEST(a_heap_that_is_out_of_order_is_not_sound),
        TEST(growing_keeps_what_is_in),
        TEST(a_failed_reserve_changes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
