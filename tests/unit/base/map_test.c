#include "test.h"

#include <string.h>

#include <sched/sked.h>

#include "base/map.h"
#include "host.h"
#include "words.h"

enum { NAMES = 400 };

/* Value v is known by scope v % 3 and two bytes, or one that many share. */
typedef struct names {
    char bytes[NAMES][2];
    size_t length[NAMES];
} names;

static names all;
static test_host counted;
static skedi_mem mem;

static skedi_key key_of(uint32_t value)
{
    return (skedi_key){value % 3, all.bytes[value], all.length[value]};
}

static int is_key(const void *ctx, uint32_t value, const skedi_key *key)
{
    const names *n = ctx;

    return key->scope == value % 3 && key->length == n->length[value] &&
           memcmp(key->bytes, n->bytes[value], key->length) == 0;
}

static int setup(void **state)
{
    (void)state;
    counted = (test_host){0};
    mem = test_host_mem(&counted);
    for (uint32_t i = 0; i < NAMES; i++) {
        all.bytes[i][0] = (char)(i / 3 % 128);
        all.bytes[i][1] = (char)(i / 3 / 128);
        all.length[i] = 2;
    }
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    return counted.live == 0 ? 0 : -1;
}

static skedi_map empty_map(uint64_t seed)
{
    return (skedi_map){.seed = seed, .is = is_key, .ctx = &all};
}

static void an_empty_map_finds_nothing(void **state)
{
    skedi_map map = empty_map(1);
    (void)state;

    assert_true(skedi_map_find(&map, key_of(1)) == SKEDI_MAP_NONE);
    skedi_map_remove(&map, key_of(1));
    skedi_map_clear(&map);
    skedi_map_free(&map, &mem);
}

/* Small maps fill up and wrap round, so holes close over the end too. */
static void any_mix_of_changes_finds_what_is_in(void **state)
{
    test_words w = {31};
    (void)state;

    for (uint64_t seed = 0; seed < 60; seed++) {
        skedi_map map = empty_map(seed);
        int in[NAMES] = {0};
        uint32_t names_now = seed % 2 ? 5 : NAMES;
        assert_true(skedi_map_reserve(&map, names_now, &mem));
        counted.trap = 1;
        for (int i = 0; i < 1500; i++) {
            uint32_t v = (uint32_t)test_below(&w, names_now);
            if (!in[v]) {
                skedi_map_add(&map, key_of(v), v);
            } else {
                skedi_map_remove(&map, key_of(v));
                skedi_map_remove(&map, key_of(v));
            }
            in[v] = !in[v];
            v = (uint32_t)test_below(&w, names_now);
            assert_true(skedi_map_find(&map, key_of(v)) ==
                        (in[v] ? v : SKEDI_MAP_NONE));
        }
        for (uint32_t v = 0; v < names_now; v++) {
            assert_true(skedi_map_find(&map, key_of(v)) ==
                        (in[v] ? v : SKEDI_MAP_NONE));
        }
        skedi_map_clear(&map);
        assert_true(skedi_map_find(&map, key_of(0)) == SKEDI_MAP_NONE);
        counted.trap = 0;
        skedi_map_free(&map, &mem);
    }
}

static void growing_keeps_every_key(void **state)
{
    skedi_map map = empty_map(7);
    (void)state;

    for (uint32_t v = 0; v < NAMES; v++) {
        assert_true(skedi_map_reserve(&map, v + 1, &mem));
        skedi_map_add(&map, key_of(v), v);
        assert_true(map.n <= map.cap / 4 * 3);
    }
    for (uint32_t v = 0; v < NAMES; v++) {
        assert_int_equal(skedi_map_find(&map, key_of(v)), v);
    }
    skedi_map_free(&map, &mem);
}

static int is_no_key(const void *ctx, uint32_t value, const skedi_key *key)
{
    (void)ctx;
    (void)value;
    (void)key;
    return 0;
}

/* 32 bits of hash are not the key: who is asked has the last word. */
static void the_callers_no_is_believed(void **state)
{
    skedi_map map = empty_map(7);
    (void)state;

    assert_true(skedi_map_reserve(&map, 3, &mem));
    skedi_map_add(&map, key_of(2), 2);
    map.is = is_no_key;
    assert_true(skedi_map_find(&map, key_of(2)) == SKEDI_MAP_NONE);
    skedi_map_free(&map, &mem);
}

static void a_failed_reserve_changes_nothing(void **state)
{
    skedi_map map = empty_map(7);
    (void)state;

    assert_true(skedi_map_reserve(&map, 3, &mem));
    skedi_map_add(&map, key_of(2), 2);
    counted.fail_from = 1;
    assert_false(skedi_map_reserve(&map, 100, &mem));
    assert_false(skedi_map_reserve(&map, SIZE_MAX, &mem));
    assert_int_equal(skedi_map_find(&map, key_of(2)), 2);
    skedi_map_free(&map, &mem);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_empty_map_finds_nothing),
        TEST(any_mix_of_changes_finds_what_is_in),
        TEST(growing_keeps_every_key),
        TEST(the_callers_no_is_believed),
        TEST(a_failed_reserve_changes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
