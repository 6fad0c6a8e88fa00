/* The order of candidates against its words, whole and cut short. */
#include "test.h"

#include <sched/rank.h>

#include <string.h>

#include "host.h"
#include "ref_rank.h"
#include "size.h"
#include "words.h"

enum { MOST = 300, KEYS = SKED_RANK_KEY_HOST };

typedef struct crowd {
    sked_rank_input in;
    int32_t keys[KEYS];
    uint8_t state[MOST];
    uint8_t preemptible[MOST];
    int32_t priority[MOST];
    sked_time started[MOST];
    sked_time checkpoint[MOST];
    int64_t restart_cost[MOST];
    uint32_t restarts[MOST];
    uint8_t master[MOST];
    sked_time submitted[MOST];
    int64_t host[MOST];
} crowd;

/* Narrow values make ties, wide ones fill words; now and then the ends. */
static int64_t any_number(test_words *w, unsigned width)
{
    switch (test_below(w, 12)) {
    case 0: return INT64_MIN;
    case 1: return INT64_MAX;
    default: return (int64_t)(test_word(w) >> (63 - width)) - (1 << 3);
    }
}

static void draw_candidate(crowd *c, test_words *w, uint32_t i, unsigned width)
{
    c->state[i] = (uint8_t)test_below(w, 3);
    c->preemptible[i] = (uint8_t)test_below(w, 3);
    c->priority[i] = (int32_t)any_number(w, width);
    c->started[i] = any_number(w, width);
    c->checkpoint[i] = any_number(w, width);
    c->restart_cost[i] = any_number(w, width);
    c->restarts[i] = (uint32_t)any_number(w, width);
    c->master[i] = (uint8_t)test_below(w, 3);
    c->submitted[i] = any_number(w, width);
    c->host[i] = any_number(w, width);
}

static void draw_keys(crowd *c, test_words *w)
{
    c->in.n_keys = (uint32_t)test_below(w, KEYS + 1);
    for (int32_t i = 0; i < KEYS; i++) c->keys[i] = i + 1;
    for (uint32_t i = 0; i < c->in.n_keys; i++) {
        uint32_t at = i + (uint32_t)test_below(w, KEYS - i);
        int32_t key = c->keys[at];
        c->keys[at] = c->keys[i];
        c->keys[i] = key;
    }
    c->in.keys = c->keys;
}

static void draw_crowd(crowd *c, test_words *w, uint32_t n)
{
    uint64_t there = test_word(w) | test_word(w);
    unsigned width = (unsigned)test_below(w, 63);

    memset(&c->in, 0, sizeof c->in);
    c->in.struct_size = sizeof c->in;
    c->in.n = n;
    draw_keys(c, w);
    for (uint32_t i = 0; i < n; i++) draw_candidate(c, w, i, width);
    if (there & 1) c->in.state = c->state;
    if (there & 2) c->in.preemptible = c->preemptible;
    if (there & 4) c->in.priority = c->priority;
    if (there & 8) c->in.started = c->started;
    if (there & 16) c->in.checkpoint = c->checkpoint;
    if (there & 32) c->in.restart_cost = c->restart_cost;
    if (there & 64) c->in.restarts = c->restarts;
    if (there & 128) c->in.master = c->master;
    if (there & 256) c->in.submitted = c->submitted;
    if (there & 512) c->in.host = c->host;
}

static void candidates_stand_as_the_words_say(void **state)
{
    static crowd c;
    uint32_t got[MOST], want[MOST];
    test_words w = {1};
    (void)state;

    for (size_t round = 0; round < test_size(3000, 100000); round++) {
        uint32_t n = (uint32_t)test_below(&w, test_below(&w, 8) ? 12 : MOST);
        draw_crowd(&c, &w, n);
        assert_ok(sked_rank_order(&c.in, 0, NULL, got, NULL));
        ref_rank_order(&c.in, want);
        for (uint32_t i = 0; i < n; i++) assert_i64(got[i], want[i]);
    }
}

static void the_first_few_are_the_first_of_all(void **state)
{
    static crowd c;
    uint32_t got[MOST], want[MOST];
    test_words w = {2};
    (void)state;

    for (size_t round = 0; round < test_size(3000, 100000); round++) {
        uint32_t n = 1 + (uint32_t)test_below(&w, MOST - 1);
        uint32_t top = 1 + (uint32_t)test_below(&w, test_below(&w, 2) ? 4 : n);
        draw_crowd(&c, &w, n);
        assert_ok(sked_rank_order(&c.in, 0, NULL, want, NULL));
        memset(got, 0xff, sizeof got);
        assert_ok(sked_rank_order(&c.in, top, NULL, got, NULL));
        for (uint32_t i = 0; i < n && i < top; i++) assert_i64(got[i], want[i]);
        if (top < n) assert_i64(got[top], UINT32_MAX);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(candidates_stand_as_the_words_say),
        cmocka_unit_test(the_first_few_are_the_first_of_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
