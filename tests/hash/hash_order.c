/* Orders of children and applications, tags, ranks by fair tree. */
#include <sched/fair_tree.h>
#include <sched/order.h>

#include "hash.h"

enum { MOST = 40, KINDS = 3 };

typedef struct columns {
    int64_t usage[MOST * KINDS];
    int64_t other[MOST * KINDS];
    int64_t share[MOST * KINDS];
    int64_t capacity[KINDS];
    int64_t key[MOST];
    uint32_t weight[MOST];
    int32_t priority[MOST];
    uint32_t user[MOST];
    sked_order_key tag[MOST];
} columns;

static void draw(int64_t *amounts, uint32_t n, uint64_t *random)
{
    for (uint32_t i = 0; i < n; i++) {
        uint64_t bits = hash_below(random, 62);
        amounts[i] = (int64_t)(hash_random(random) >> (63 - bits));
    }
}

static void draw_columns(columns *c, uint32_t n, uint64_t *random)
{
    draw(c->usage, MOST * KINDS, random);
    draw(c->other, n * KINDS, random);
    draw(c->share, n * KINDS, random);
    draw(c->capacity, KINDS, random);
    draw(c->key, n, random);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t bits = hash_below(random, 33);
        c->weight[i] = (uint32_t)(hash_random(random) >> 31 >> (33 - bits));
        c->priority[i] = (int32_t)hash_below(random, 3) - 1;
        c->user[i] = (uint32_t)hash_below(random, 4);
    }
}

static uint64_t add_order(uint64_t h, const uint32_t *order,
                          const sked_order_key *keys, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        h = hash_add(h, order[i]);
        h = hash_add(h, keys[i].high);
        h = hash_add(h, keys[i].low);
    }
    return h;
}

static uint64_t add_children(uint64_t h, const columns *c, uint32_t n,
                             uint64_t *random)
{
    uint32_t order[MOST];
    sked_order_key keys[MOST];
    size_t count;
    sked_order_children_input in = {.struct_size = sizeof in,
                                    .kinds = KINDS,
                                    .n = n,
                                    .weight = c->weight,
                                    .priority = c->priority,
                                    .usage = c->usage,
                                    .guarantee = c->other,
                                    .capacity = c->capacity};

    in.order = (int32_t)hash_below(random, 7);
    in.flags = (uint32_t)hash_below(random, 4);
    if (in.order == SKED_ORDER_POLICY_SHARE || hash_below(random, 2)) {
        in.share = c->share;
    }
    in.seed = hash_random(random);
    HASH_MUST(sked_order_children(&in, NULL, order, keys, &count, NULL) ==
              SKED_OK);
    return add_order(h, order, keys, count);
}

static uint64_t add_apps(uint64_t h, const columns *c, uint32_t n,
                         uint64_t *random)
{
    uint32_t order[MOST];
    sked_order_key keys[MOST];
    size_t count;
    sked_order_apps_input in = {.struct_size = sizeof in,
                                .kinds = KINDS,
                                .n = n,
                                .users = 4,
                                .submitted = c->key,
                                .priority = c->priority,
                                .weight = c->weight,
                                .usage = c->usage,
                                .pending = c->other,
                                .user = c->user,
                                .user_usage = c->usage,
                                .capacity = c->capacity};

    in.order = (int32_t)hash_below(random, 5);
    HASH_MUST(sked_order_apps(&in, NULL, order, keys, &count, NULL) == SKED_OK);
    return add_order(h, order, keys, count);
}

static uint64_t add_ranks(uint64_t h, const columns *c, uint32_t n,
                          uint64_t *random)
{
    uint32_t parent[MOST] = {0}, ranks[MOST];
    int64_t usage[MOST];

    for (uint32_t i = 0; i < n; i++) {
        usage[i] = c->usage[i] >> 8;
        if (i > 0) parent[i] = (uint32_t)hash_below(random, i);
    }
    HASH_MUST(sked_fair_tree_ranks(parent, c->weight, usage, n, NULL, ranks,
                                   NULL) == SKED_OK);
    for (uint32_t i = 0; i < n; i++) h = hash_add(h, ranks[i]);
    return h;
}

uint64_t hash_order(unsigned size);

uint64_t hash_order(unsigned size)
{
    uint64_t h = 0, random = 12;
    columns c;

    for (unsigned i = 0; i < 4000 * size; i++) {
        uint32_t n = 1 + (uint32_t)hash_below(&random, MOST);
        draw_columns(&c, n, &random);
        h = add_children(h, &c, n, &random);
        h = add_apps(h, &c, n, &random);
        h = add_ranks(h, &c, n, &random);
    }
    return h;
}
