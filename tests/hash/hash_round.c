/* The order of candidates, and rounds that notify, wait, kill. */
#include <sched/rank.h>
#include <sched/round.h>

#include "hash.h"

enum { MOST = 200, ROWS = 12, KEYS = 20 };

typedef struct crowd {
    int32_t keys[SKED_RANK_KEY_HOST];
    uint8_t state[MOST];
    uint8_t preemptible[MOST];
    uint8_t master[MOST];
    int32_t priority[MOST];
    uint32_t restarts[MOST];
    sked_time started[MOST];
    sked_time checkpoint[MOST];
    sked_time submitted[MOST];
    int64_t cost[MOST];
    int64_t host[MOST];
} crowd;

static int64_t draw_number(uint64_t *random)
{
    uint64_t bits = hash_below(random, 64);

    return (int64_t)(hash_random(random) >> bits) - 4;
}

static void draw_crowd(crowd *c, uint32_t n, uint64_t *random)
{
    for (uint32_t i = 0; i < n; i++) {
        uint64_t x = hash_random(random);
        c->state[i] = (uint8_t)(x & 3);
        c->preemptible[i] = (uint8_t)(x >> 4 & 1);
        c->master[i] = (uint8_t)(x >> 5 & 1);
        c->priority[i] = (int32_t)(x >> 8 & 7) - 3;
        c->restarts[i] = (uint32_t)(x >> 16 & 7);
        c->started[i] = draw_number(random);
        c->checkpoint[i] = draw_number(random);
        c->submitted[i] = draw_number(random);
        c->cost[i] = draw_number(random);
        c->host[i] = draw_number(random);
    }
}

static uint64_t add_rank(uint64_t h, crowd *c, uint64_t *random)
{
    uint32_t n = (uint32_t)hash_below(random, MOST) + 1;
    uint32_t top = (uint32_t)hash_below(random, n + 1);
    uint32_t n_keys = (uint32_t)hash_below(random, SKED_RANK_KEY_HOST + 1);
    uint32_t found[MOST];
    int32_t first = (int32_t)hash_below(random, SKED_RANK_KEY_HOST);
    sked_rank_input in = {.struct_size = sizeof in,
                          .n = n,
                          .n_keys = n_keys,
                          .keys = c->keys,
                          .state = c->state,
                          .preemptible = c->preemptible,
                          .priority = c->priority,
                          .started = c->started,
                          .checkpoint = c->checkpoint,
                          .restart_cost = c->cost,
                          .restarts = c->restarts,
                          .master = c->master,
                          .submitted = c->submitted,
                          .host = c->host};

    draw_crowd(c, n, random);
    for (int32_t i = 0; i < SKED_RANK_KEY_HOST; i++) {
        c->keys[i] = (first + i * 3) % SKED_RANK_KEY_HOST + 1;
    }
    HASH_MUST(sked_rank_order(&in, top, NULL, found, NULL) == SKED_OK);
    for (uint32_t i = 0; i < (top ? top : n); i++) h = hash_add(h, found[i]);
    return h;
}

static uint64_t add_selection(uint64_t h, sked_round *round, sked_time now,
                              uint64_t *random)
{
    uint64_t key[ROWS], first = hash_below(random, KEYS);
    uint32_t count[ROWS], n = (uint32_t)hash_below(random, ROWS);
    int64_t amount[ROWS];
    sked_time since[ROWS];
    uint8_t strict[ROWS];
    sked_round_input in = {.struct_size = sizeof in,
                           .n = n,
                           .key = key,
                           .count = count,
                           .job = key,
                           .amount = amount,
                           .unsaved_since = since,
                           .strict = strict};

    for (uint32_t i = 0; i < n; i++) {
        uint64_t x = hash_random(random);
        key[i] = 1 + (first + i * 7) % KEYS;
        count[i] = 1 + (uint32_t)(x & 3);
        amount[i] = (int64_t)(x >> 24);
        since[i] = (int64_t)(x >> 8 & 63);
        strict[i] = (x >> 16 & 7) == 0;
    }
    HASH_MUST(sked_round_update(round, &in, now, NULL) == SKED_OK);
    HASH_MUST(sked_round_check(round, NULL) == SKED_OK);
    return hash_add(h, sked_round_digest(round));
}

static uint64_t add_rounds(uint64_t h, uint64_t *random)
{
    sked_round_options options = {
        .struct_size = sizeof options,
        .grace_ns = 1 + (int64_t)hash_below(random, 30),
    };
    sked_round_action action[64];
    sked_round *round;
    size_t n;

    HASH_MUST(sked_round_new(&options, NULL, &round, NULL) == SKED_OK);
    for (sked_time now = 0; now < 40; now++) {
        uint64_t gone = 1 + hash_below(random, KEYS);
        h = add_selection(h, round, now * 3, random);
        HASH_MUST(sked_round_end(round, &gone, NULL, 1, NULL) == SKED_OK);
        HASH_MUST(sked_round_take(round, action, 64, &n, NULL) == SKED_OK);
        for (size_t i = 0; i < n; i++) {
            h = hash_add(h, action[i].key);
            h = hash_add(h, action[i].count);
            h = hash_add(h, action[i].what - SKED_ROUND_ORDER_NOTIFY + 1u);
            h = hash_add(h, (uint64_t)action[i].deadline);
        }
    }
    sked_round_free(round);
    return h;
}

uint64_t hash_round(unsigned size);

uint64_t hash_round(unsigned size)
{
    static crowd c;
    uint64_t random = 22, h = 0;

    for (unsigned i = 0; i < 300 * size; i++) h = add_rank(h, &c, &random);
    for (unsigned i = 0; i < 30 * size; i++) h = add_rounds(h, &random);
    return h;
}
