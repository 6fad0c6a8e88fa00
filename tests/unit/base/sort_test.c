#include "test.h"

#include <stdlib.h>
#include <string.h>

#include <sched/sked.h>

#include "base/sort.h"
#include "words.h"

typedef struct keys {
    const uint64_t *key;
    size_t asked;
} keys;

/* Counts what it is asked, so that cost can be asserted. */
static int by_key(const void *ctx, uint32_t a, uint32_t b)
{
    keys *k = *(keys *const *)ctx;

    k->asked++;
    return (k->key[a] > k->key[b]) - (k->key[a] < k->key[b]);
}

typedef enum shape {
    RANDOM,
    FEW,
    RISING,
    FALLING,
    NEARLY,
    ALIKE, /* but in their last bits, and one far off */
    SHAPES
} shape;

static uint64_t key_at(shape s, test_words *w, size_t i, size_t n)
{
    switch (s) {
    case FEW: return test_below(w, 3);
    case RISING: return i / 3;
    case FALLING: return n - i;
    case NEARLY: return i == n / 2 ? 0 : i;
    case ALIKE: return i ? test_below(w, n) : UINT64_MAX;
    default: return test_rough(w);
    }
}

enum { MOST = 3000 };

static const size_t sizes[] = {0,  1,  2,  3,   11,  12,  13,  23,   24,  25,
                               63, 64, 65, 127, 128, 129, 383, 1000, MOST};

static uint64_t key[MOST];
static uint32_t items[MOST], scratch[MOST];

/* Sorted, stable and a permutation all at once: key, then place, rises. */
static void check_order(size_t n)
{
    for (size_t i = 1; i < n; i++) {
        uint32_t a = items[i - 1], b = items[i];
        assert_true(key[a] < key[b] || (key[a] == key[b] && a < b));
    }
}

static void sorting_by_comparison_is_stable(void **state)
{
    test_words w = {11};
    (void)state;

    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        for (int s = 0; s < SHAPES; s++) {
            size_t n = sizes[k];
            keys all = {.key = key};
            keys *ctx = &all;
            for (size_t i = 0; i < n; i++) {
                key[i] = key_at((shape)s, &w, i, n);
                items[i] = (uint32_t)i;
            }
            skedi_sort(items, scratch, n, by_key, &ctx);
            check_order(n);
            if (s == RISING && n > 0) assert_true(all.asked == n - 1);
            assert_true(all.asked <= 1 + n * 22);
        }
    }
}

static void sorting_keys_is_stable(void **state)
{
    static skedi_keyed pairs[MOST], room[MOST];
    test_words w = {12};
    (void)state;

    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        for (int s = 0; s < SHAPES; s++) {
            size_t n = sizes[k];
            for (size_t i = 0; i < n; i++) {
                key[i] = key_at((shape)s, &w, i, n);
                if (s == FEW) key[i] <<= 56;
                pairs[i] = (skedi_keyed){key[i], (uint32_t)i, (uint32_t)~i};
            }
            skedi_sort_keys(pairs, room, n);
            for (size_t i = 0; i < n; i++) {
                items[i] = pairs[i].index;
                assert_true(pairs[i].key == key[items[i]]);
                assert_true(pairs[i].tag == ~items[i]);
            }
            check_order(n);
        }
    }
}

static void signed_keys_keep_their_order(void **state)
{
    static const int64_t rising[] = {INT64_MIN, -2, -1, 0, 1, INT64_MAX};
    (void)state;

    for (int i = 1; i < 6; i++) {
        assert_true(skedi_key_signed(rising[i - 1]) <
                    skedi_key_signed(rising[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorting_by_comparison_is_stable),
        cmocka_unit_test(sorting_keys_is_stable),
        cmocka_unit_test(signed_keys_keep_their_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
