/*
 * Orders against their definitions: keys and orders of random families and
 * leaves. Least utilisation locks a queue out; order `random` cures that.
 */
#include "test.h"

#include <sched/order.h>

#include <string.h>

#include "host.h"
#include "ref_order.h"
#include "size.h"
#include "words.h"

enum { MOST = 70, KINDS = 4 };

static int64_t any_amount(test_words *w)
{
    switch (test_below(w, 6)) {
    case 0: return (int64_t)test_below(w, 3);
    case 1: return SKED_AMOUNT_MAX - (int64_t)test_below(w, 3);
    case 2: return 1000 * (int64_t)test_below(w, 20);
    default: return (int64_t)(test_rough(w) >> 2);
    }
}

static uint32_t any_weight(test_words *w)
{
    switch (test_below(w, 5)) {
    case 0: return (uint32_t)test_below(w, 3);
    case 1: return UINT32_MAX - (uint32_t)test_below(w, 2);
    case 2: return (uint32_t)test_rough(w);
    default: return 1 + (uint32_t)test_below(w, 8);
    }
}

/* A random family, and the room its columns stand in. */
typedef struct family {
    sked_order_children_input in;
    uint8_t eligible[MOST];
    uint32_t weight[MOST];
    int32_t priority[MOST];
    int64_t usage[MOST * KINDS];
    int64_t guarantee[MOST * KINDS];
    int64_t share[MOST * KINDS];
    int64_t parent[KINDS];
    int64_t capacity[KINDS];
    int64_t key[MOST];
} family;

static void draw_rows(family *f, test_words *w, uint32_t i)
{
    f->eligible[i] = test_below(w, 4) > 0;
    f->weight[i] = any_weight(w);
    f->priority[i] = (int32_t)test_rough(w) %
                     (test_below(w, 2) ? 3 : INT32_MAX);
    f->key[i] = (int64_t)test_rough(w);
    int promised = test_below(w, 4) > 0;
    for (uint32_t k = 0; k < f->in.kinds; k++) {
        uint32_t at = i * f->in.kinds + k;
        f->usage[at] = any_amount(w);
        f->guarantee[at] = promised && test_below(w, 2) ? any_amount(w) : 0;
        f->share[at] = test_below(w, 4) ? any_amount(w) : 0;
        if (test_below(w, 8) == 0) f->share[at] = f->usage[at];
    }
}

static void draw_family(family *f, test_words *w, int32_t order)
{
    f->in = (sked_order_children_input){
        .struct_size = sizeof f->in,
        .flags = (uint32_t)test_below(w, 4),
        .order = order,
        .kinds = 1 + (uint32_t)test_below(w, KINDS),
        .n = (uint32_t)test_below(w, test_below(w, 4) ? 8 : MOST),
        .seed = test_word(w),
    };
    f->in.kind = (uint32_t)test_below(w, f->in.kinds);
    for (uint32_t i = 0; i < f->in.n; i++) draw_rows(f, w, i);
    for (uint32_t k = 0; k < f->in.kinds; k++) {
        f->parent[k] = any_amount(w);
        f->capacity[k] = any_amount(w);
    }
    f->in.capacity = f->capacity;
    f->in.key = f->key;
    if (order == SKED_ORDER_POLICY_SHARE || test_below(w, 2))
        f->in.share = f->share;
    if (test_below(w, 4)) f->in.eligible = f->eligible;
    if (test_below(w, 4)) f->in.weight = f->weight;
    if (test_below(w, 4)) f->in.priority = f->priority;
    if (test_below(w, 8)) f->in.usage = f->usage;
    if (test_below(w, 4)) f->in.guarantee = f->guarantee;
    if (test_below(w, 2)) f->in.parent = f->parent;
}

static int same_key(sked_order_key a, sked_order_key b)
{
    return a.high == b.high && a.low == b.low;
}

static int less_or_equal(sked_order_key a, sked_order_key b)
{
    return a.high != b.high ? a.high < b.high : a.low <= b.low;
}

/* The exact numbers never contradict two neighbours, and where they are the
 * same so are the keys. */
static void must_agree(const sked_order_children_input *in,
                       const uint32_t *order, const sked_order_key *keys,
                       size_t i)
{
    int exact = ref_order_exact(in, order[i - 1], order[i]);

    assert_true(less_or_equal(keys[i - 1], keys[i]));
    if (same_key(keys[i - 1], keys[i])) assert_true(order[i - 1] < order[i]);
    if (exact > 0) assert_true(same_key(keys[i - 1], keys[i]));
    if (exact == 0) assert_true(same_key(keys[i - 1], keys[i]));
    if (in->order == SKED_ORDER_POLICY_FAIR &&
        !(in->flags & SKED_ORDER_FLAG_GUARANTEE_FIRST)) {
        assert_i64(exact == 0, same_key(keys[i - 1], keys[i]));
    }
}

static void check_family(const family *f)
{
    uint32_t got[MOST], want[MOST];
    sked_order_key keys[MOST];
    size_t n = 99;

    assert_ok(sked_order_children(&f->in, NULL, got, keys, &n, NULL));
    assert_i64((int64_t)n, ref_order_children(&f->in, want));
    for (size_t i = 0; i < n; i++) {
        assert_i64(got[i], want[i]);
        assert_true(same_key(keys[i], ref_order_key(&f->in, got[i])));
        if (i > 0) must_agree(&f->in, got, keys, i);
    }
}

static void children_stand_as_the_words_say(void **state)
{
    static const int32_t orders[] = {
        SKED_ORDER_POLICY_DRF,         SKED_ORDER_POLICY_FAIR,
        SKED_ORDER_POLICY_UTILISATION, SKED_ORDER_POLICY_PRIORITY,
        SKED_ORDER_POLICY_FIFO,        SKED_ORDER_POLICY_SHARE,
        SKED_ORDER_POLICY_HOST};
    test_words w = {1};
    family f;
    (void)state;

    for (size_t round = test_size(3000, 100000); round > 0; round--) {
        draw_family(&f, &w, orders[round % 7]);
        check_family(&f);
    }
}

/* ---- Applications ---- */

typedef struct leaf {
    sked_order_apps_input in;
    uint8_t eligible[MOST];
    sked_time submitted[MOST];
    int32_t priority[MOST];
    uint32_t weight[MOST];
    int64_t usage[MOST * KINDS];
    int64_t pending[MOST * KINDS];
    uint32_t user[MOST];
    int64_t user_usage[MOST * KINDS];
    uint32_t user_weight[MOST];
    int64_t capacity[KINDS];
    int64_t key[MOST];
} leaf;

static void draw_leaf(leaf *l, test_words *w, int32_t order)
{
    l->in = (sked_order_apps_input){
        .struct_size = sizeof l->in,
        .order = order,
        .kinds = 1 + (uint32_t)test_below(w, KINDS),
        .n = (uint32_t)test_below(w, test_below(w, 4) ? 8 : MOST),
        .users = 1 + (uint32_t)test_below(w, 5),
        .capacity = l->capacity,
        .user = l->user,
        .key = l->key,
    };
    for (uint32_t i = 0; i < MOST; i++) {
        l->eligible[i] = test_below(w, 4) > 0;
        l->submitted[i] = (sked_time)test_below(w, 3) - 1;
        l->priority[i] = (int32_t)test_below(w, 3) - 1;
        l->weight[i] = any_weight(w);
        l->user[i] = (uint32_t)test_below(w, l->in.users);
        l->user_weight[i] = any_weight(w);
        l->key[i] = (int64_t)test_below(w, 3) - 1;
    }
    for (uint32_t i = 0; i < MOST * KINDS; i++) {
        l->usage[i] = any_amount(w);
        l->pending[i] = any_amount(w);
        l->user_usage[i] = any_amount(w);
    }
    for (uint32_t k = 0; k < KINDS; k++) l->capacity[k] = any_amount(w);
    if (test_below(w, 4)) l->in.eligible = l->eligible;
    if (test_below(w, 4)) l->in.submitted = l->submitted;
    if (test_below(w, 4)) l->in.priority = l->priority;
    if (test_below(w, 4)) l->in.weight = l->weight;
    if (test_below(w, 8)) l->in.usage = l->usage;
    if (test_below(w, 8)) l->in.pending = l->pending;
    if (test_below(w, 8)) l->in.user_usage = l->user_usage;
    if (test_below(w, 4)) l->in.user_weight = l->user_weight;
}

static void applications_stand_as_the_words_say(void **state)
{
    static const int32_t orders[] = {SKED_APPS_FIFO,      SKED_APPS_FAIR,
                                     SKED_APPS_PRIORITY,  SKED_APPS_SIZE,
                                     SKED_APPS_USER_FAIR, SKED_APPS_HOST};
    test_words w = {3};
    leaf l;
    uint32_t got[MOST], want[MOST];
    (void)state;

    for (size_t round = test_size(3000, 100000); round > 0; round--) {
        size_t n;
        draw_leaf(&l, &w, orders[round % 6]);
        assert_ok(sked_order_apps(&l.in, NULL, got, NULL, &n, NULL));
        assert_i64((int64_t)n, ref_order_apps(&l.in, want));
        assert_memory_equal(got, want, n * sizeof *got);
    }
}

/* ---- Chance ---- */

/* Every permutation of four of five children comes about equally often. */
static void chance_prefers_no_permutation(void **state)
{
    enum { ROUNDS = 24000 };
    static const uint8_t eligible[5] = {1, 1, 0, 1, 1};
    uint32_t count[5 * 125] = {0}, order[5], seen = 0;
    sked_order_children_input in = {.struct_size = sizeof in,
                                    .order = SKED_ORDER_POLICY_RANDOM,
                                    .kinds = 1,
                                    .n = 5,
                                    .eligible = eligible};
    (void)state;

    for (in.seed = 0; in.seed < ROUNDS; in.seed++) {
        size_t n;
        assert_ok(sked_order_children(&in, NULL, order, NULL, &n, NULL));
        assert_i64((int64_t)n, 4);
        count[order[0] * 125 + order[1] * 25 + order[2] * 5 + order[3]]++;
    }
    for (size_t i = 0; i < 625; i++) {
        if (count[i] == 0) continue;
        seen++; /* 1000 expected; 31 is one standard deviation */
        assert_in_range(count[i], 840, 1160);
    }
    assert_i64(seen, 24);
}

/* ---- Waiting ---- */

/*
 * [LNK-1] Ten slots, two queues that want them all. Tasks of `quick` last one
 * tick, those of `slow` two hundred. `slow` holds more than its guarantee when
 * `quick` comes: least utilisation then gives `quick` every slot that falls
 * free, because what it uses falls as fast as it is given, for as long as the
 * tasks of `slow` run.
 */
typedef struct churn {
    sked_order_children_input in;
    int64_t usage[2];
    int64_t guarantee[2];
    int64_t capacity;
    int passed_over; /* turns of `quick` in a row */
    int longest;
} churn;

enum { QUICK = 0, SLOW = 1 };

static void churn_turn(churn *c)
{
    uint32_t order[2];
    sked_order_key keys[2];
    size_t n;

    assert_ok(sked_order_children(&c->in, NULL, order, keys, &n, NULL));
    c->in.seed++;
    c->usage[order[0]]++;
    c->passed_over = order[0] == QUICK ? c->passed_over + 1 : 0;
    if (c->passed_over > c->longest) c->longest = c->passed_over;
}

static int longest_wait(int32_t order)
{
    churn c = {.capacity = 10, .guarantee = {8, 2}, .usage = {0, 6}};

    c.in = (sked_order_children_input){.struct_size = sizeof c.in,
                                       .order = order,
                                       .kinds = 1,
                                       .n = 2,
                                       .usage = c.usage,
                                       .guarantee = c.guarantee,
                                       .capacity = &c.capacity};
    for (int tick = 1; tick <= 2000; tick++) {
        c.usage[QUICK] = 0;
        if (tick % 200 == 0) c.usage[SLOW]--;
        while (c.usage[QUICK] + c.usage[SLOW] < c.capacity) churn_turn(&c);
    }
    return c.longest;
}

static void churn_locks_out_and_is_cured(void **state)
{
    (void)state;

    assert_true(longest_wait(SKED_ORDER_POLICY_UTILISATION) > 1000);
    assert_true(longest_wait(SKED_ORDER_POLICY_RANDOM) < 20);
}

/* ---- Fair tree ---- */

static void fair_trees_rank_as_defined(void **state)
{
    test_words w = {5};
    uint32_t parent[40], shares[40], got[40], want[40];
    int64_t usage[40];
    (void)state;

    for (size_t round = test_size(2000, 50000); round > 0; round--) {
        uint32_t n = 1 + (uint32_t)test_below(&w, 40);
        int64_t most = test_below(&w, 4) ? 5 : SKED_AMOUNT_MAX / 40;
        for (uint32_t i = 0; i < n; i++) {
            uint32_t near = i < 4 || test_below(&w, 2) ? 0 : i - 4;
            parent[i] = i ? near + (uint32_t)test_below(&w, i - near) : 0;
            shares[i] = any_weight(&w) % (test_below(&w, 4) ? 3 : UINT32_MAX);
            usage[i] = (int64_t)test_below(&w, (uint64_t)most);
        }
        const uint32_t *weights = test_below(&w, 4) ? shares : NULL;
        assert_ok(
            sked_fair_tree_ranks(parent, weights, usage, n, NULL, got, NULL));
        ref_fair_tree(parent, weights, usage, n, want);
        assert_memory_equal(got, want, n * sizeof *got);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(children_stand_as_the_words_say),
        cmocka_unit_test(applications_stand_as_the_words_say),
        cmocka_unit_test(chance_prefers_no_permutation),
        cmocka_unit_test(churn_locks_out_and_is_cured),
        cmocka_unit_test(fair_trees_rank_as_defined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
