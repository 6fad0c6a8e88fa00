/* Orders by shares that the caller gives, and guarantees served first. */
#include "test.h"

#include <sched/order.h>

#include <stddef.h>
#include <string.h>

/* ---- Plain arrays ---- */

enum { CHILDREN = 4 };

static const int64_t capacity[1] = {100};

static sked_order_children_input columns(int32_t order, const int64_t *usage,
                                         const int64_t *guarantee,
                                         const int64_t *share)
{
    return (sked_order_children_input){
        .struct_size = sizeof(sked_order_children_input),
        .order = order,
        .kinds = 1,
        .n = CHILDREN,
        .usage = usage,
        .guarantee = guarantee,
        .capacity = capacity,
        .share = share};
}

static void must_stand(const sked_order_children_input *in, const char *want)
{
    uint32_t got[CHILDREN];
    sked_order_key keys[CHILDREN];
    size_t n;

    assert_ok(sked_order_children(in, NULL, got, keys, &n, NULL));
    assert_i64((int64_t)n, CHILDREN);
    for (size_t i = 0; i < n; i++) assert_i64(got[i], want[i] - 'a');
}

/* 6/10, 3/4, nothing, and infinite. */
static void the_least_used_share_goes_first(void **state)
{
    const int64_t usage[CHILDREN] = {6, 3, 0, 1}, share[CHILDREN] = {10, 4};
    const int64_t guarantee[CHILDREN] = {1, 100, 1, 100};
    uint32_t got[CHILDREN];
    sked_order_key keys[CHILDREN];
    size_t n;
    sked_order_children_input in = columns(SKED_ORDER_POLICY_SHARE, usage,
                                           guarantee, share);
    (void)state;

    must_stand(&in, "cabd");
    assert_ok(sked_order_children(&in, NULL, got, keys, &n, NULL));
    assert_true(keys[0].high == 0 && keys[0].low == 0);
    assert_true(keys[2].high == 0 && keys[2].low == UINT64_C(3) << 60);
    assert_true(keys[3].high == INT32_MAX && keys[3].low == UINT64_MAX);
}

static void shares_that_are_wanting_are_refused(void **state)
{
    const int64_t usage[CHILDREN] = {1, 2, 3, 4};
    const int64_t bad[CHILDREN] = {1, 1, -1, 1};
    sked_order_children_input in = columns(SKED_ORDER_POLICY_SHARE, usage, NULL,
                                           NULL);
    uint32_t got[CHILDREN];
    size_t n;
    sked_error err;
    (void)state;

    assert_status(SKED_ERR_ARG,
                  sked_order_children(&in, NULL, got, NULL, &n, &err));
    assert_non_null(strstr(err.message, "share"));
    in.share = bad;
    assert_status(SKED_ERR_RANGE,
                  sked_order_children(&in, NULL, got, NULL, &n, &err));
    assert_i64(err.row, 2);
    in.order = SKED_ORDER_POLICY_UTILISATION;
    assert_status(SKED_ERR_RANGE,
                  sked_order_children(&in, NULL, got, NULL, &n, NULL));
    in.order = SKED_ORDER_POLICY_DRF; /* does not look at them */
    must_stand(&in, "abcd");
    in.flags = SKED_ORDER_FLAG_GUARANTEE_FIRST;
    assert_status(SKED_ERR_RANGE,
                  sked_order_children(&in, NULL, got, NULL, &n, NULL));
    in.share = NULL;
    in.guarantee = bad;
    assert_status(SKED_ERR_RANGE,
                  sked_order_children(&in, NULL, got, NULL, &n, NULL));
    in.guarantee = NULL;
    in.usage = bad;
    in.order = SKED_ORDER_POLICY_FIFO;
    assert_status(SKED_ERR_RANGE,
                  sked_order_children(&in, NULL, got, NULL, &n, NULL));
    in.flags = 0;
    must_stand(&in, "abcd");
    in.reserved = 1;
    assert_status(SKED_ERR_ARG,
                  sked_order_children(&in, NULL, got, NULL, &n, NULL));
}

/* A caller compiled before there were shares gives none. */
static void older_columns_give_no_shares(void **state)
{
    const int64_t usage[CHILDREN] = {4, 3, 2, 1}, share[CHILDREN] = {8, 4, 2};
    sked_order_children_input in = columns(SKED_ORDER_POLICY_UTILISATION, usage,
                                           NULL, share);
    uint32_t got[CHILDREN];
    size_t n;
    (void)state;

    must_stand(&in, "abcd");
    in.struct_size = offsetof(sked_order_children_input, share);
    must_stand(&in, "dcba");
    in.order = SKED_ORDER_POLICY_SHARE;
    assert_status(SKED_ERR_ARG,
                  sked_order_children(&in, NULL, got, NULL, &n, NULL));
}

/* 5/10 and 2/8 by guarantee, 3/4 and 1/10 by share. */
static void without_a_guarantee_the_share_counts(void **state)
{
    const int64_t usage[CHILDREN] = {5, 2, 3, 1};
    const int64_t guarantee[CHILDREN] = {10, 8, 0, 0};
    const int64_t share[CHILDREN] = {1, 1, 4, 10};
    sked_order_children_input in = columns(SKED_ORDER_POLICY_UTILISATION, usage,
                                           guarantee, share);
    (void)state;

    must_stand(&in, "dbac");
    in.order = SKED_ORDER_POLICY_PRIORITY;
    must_stand(&in, "dbac");
    in.guarantee = NULL; /* 5, 2, 3/4, 1/10 */
    must_stand(&in, "dcba");
    in.share = NULL; /* a quarter of the capacity each */
    must_stand(&in, "dbca");
}

/* `a` and `c` are below what they are guaranteed, by 1/2 and 1/4. */
static void guarantees_go_before_any_order(void **state)
{
    const int64_t usage[CHILDREN] = {5, 0, 2, 9};
    const int64_t guarantee[CHILDREN] = {10, 0, 8, 9}, key[CHILDREN] = {1, 9};
    const int64_t share[CHILDREN] = {100, 100, 100, 100};
    static const struct {
        int32_t order;
        const char *want;
    } orders[] = {{SKED_ORDER_POLICY_DRF, "cabd"},
                  {SKED_ORDER_POLICY_FAIR, "cabd"},
                  {SKED_ORDER_POLICY_UTILISATION, "cabd"},
                  {SKED_ORDER_POLICY_FIFO, "cabd"},
                  {SKED_ORDER_POLICY_PRIORITY, "cabd"},
                  {SKED_ORDER_POLICY_SHARE, "cabd"},
                  {SKED_ORDER_POLICY_HOST, "cadb"}};
    (void)state;

    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        sked_order_children_input in = columns(orders[i].order, usage,
                                               guarantee, share);
        in.key = key;
        in.flags = SKED_ORDER_FLAG_GUARANTEE_FIRST;
        must_stand(&in, orders[i].want);
    }
}

/* What is below goes by its guarantee; chance orders the two others. */
static void chance_orders_those_behind(void **state)
{
    const int64_t usage[CHILDREN] = {5, 0, 2, 9};
    const int64_t guarantee[CHILDREN] = {10, 0, 8, 9};
    sked_order_children_input in = columns(SKED_ORDER_POLICY_RANDOM, usage,
                                           guarantee, NULL);
    int seen[CHILDREN] = {0};
    (void)state;

    in.flags = SKED_ORDER_FLAG_GUARANTEE_FIRST;
    for (in.seed = 0; in.seed < 64; in.seed++) {
        uint32_t got[CHILDREN];
        size_t n;
        assert_ok(sked_order_children(&in, NULL, got, NULL, &n, NULL));
        assert_true(got[0] == 2 && got[1] == 0);
        assert_true(got[2] + got[3] == 4);
        seen[got[2]]++;
    }
    assert_true(seen[1] > 16 && seen[3] > 16);
}

/* A guarantee may be used up to the share, and no further. */
static void the_share_bounds_what_goes_first(void **state)
{
    const int64_t usage[CHILDREN] = {1, 5, 5, 5};
    const int64_t guarantee[CHILDREN] = {0, 10, 10, 0};
    const int64_t share[CHILDREN] = {9, 4, 5, 9};
    sked_order_children_input in = columns(SKED_ORDER_POLICY_DRF, usage,
                                           guarantee, share);
    (void)state;

    in.flags = SKED_ORDER_FLAG_GUARANTEE_FIRST;
    must_stand(&in, "cabd");
    in.share = NULL;
    must_stand(&in, "bcad");
    in.usage = NULL; /* so much the more */
    must_stand(&in, "bcad");
    in.guarantee = NULL;
    must_stand(&in, "abcd");
}

/* Among equal priorities alone; what is used without end, or nearly so, still
 * goes last. */
static void priorities_go_before_guarantees(void **state)
{
    const int64_t usage[CHILDREN] = {9, 1, SKED_AMOUNT_MAX, 8};
    const int64_t guarantee[CHILDREN] = {9, 10, 1, 8};
    const int32_t priority[CHILDREN] = {1, 0, 0, 0};
    const uint32_t weight[CHILDREN] = {0, 0, 0, 0};
    int64_t none[CHILDREN] = {9, 10, 1, 0};
    sked_order_children_input in = columns(SKED_ORDER_POLICY_PRIORITY, usage,
                                           guarantee, NULL);
    (void)state;

    in.flags = SKED_ORDER_FLAG_GUARANTEE_FIRST;
    in.priority = priority;
    must_stand(&in, "abdc");
    in.guarantee = none; /* `d` has none, and no weight */
    in.weight = weight;
    must_stand(&in, "abcd");
    in.flags |= SKED_ORDER_FLAG_WITHIN_FIRST;
    must_stand(&in, "bacd");
}

/* ---- Over a tree ---- */

typedef struct world {
    sked_tree *tree;
    sked_ledger *ledger;
    sked_order *order;
    sked_queue_id root, child[3];
    int64_t capacity[2];
    int64_t share[4 * 2];
    sked_order_input view;
} world;

static int setup(void **state)
{
    static world w;
    const char *const names[2] = {"cpu", "memory"};
    const char *const queues[3] = {"a", "b", "c"};
    const int64_t wants[2] = {1000, 0};
    sked_order_options opts = {.struct_size = sizeof opts,
                               .flags = SKED_ORDER_FLAG_GUARANTEE_FIRST};
    sked_schema *schema;

    w = (world){.capacity = {100, 1000}};
    assert_ok(sked_schema_new(names, NULL, 2, NULL, &schema, NULL));
    assert_ok(sked_tree_new(schema, NULL, NULL, &w.tree, NULL));
    sked_schema_free(schema);
    w.root = sked_tree_root(w.tree);
    for (int i = 0; i < 3; i++) {
        assert_ok(sked_tree_add(w.tree, w.root, queues[i], &w.child[i], NULL));
    }
    assert_ok(sked_tree_commit(w.tree, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_ok(sked_ledger_new(w.tree, NULL, NULL, &w.ledger, NULL));
    for (int i = 0; i < 3; i++) {
        assert_ok(sked_ledger_set(w.ledger, SKED_LEDGER_DEMAND, &w.child[i],
                                  wants, 1, NULL));
    }
    assert_ok(sked_order_new(&opts, NULL, &w.order, NULL));
    w.view = (sked_order_input){.struct_size = sizeof w.view,
                                .tree = w.tree,
                                .ledger = w.ledger,
                                .capacity = w.capacity};
    *state = &w;
    return 0;
}

static int teardown(void **state)
{
    world *w = *state;

    sked_order_free(w->order);
    sked_ledger_free(w->ledger);
    sked_tree_free(w->tree);
    return 0;
}

static void use(world *w, int child, int64_t usage)
{
    const int64_t has[2] = {usage, 0};

    assert_ok(sked_ledger_set(w->ledger, SKED_LEDGER_USAGE, &w->child[child],
                              has, 1, NULL));
}

static void order_by(world *w, int64_t policy)
{
    assert_ok(sked_tree_set(w->tree, w->root, SKED_QUEUE_ORDER, policy, NULL));
    assert_ok(sked_tree_commit(w->tree, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_ok(sked_ledger_follow(w->ledger, w->tree, NULL));
}

static void guarantee(world *w, int child, int64_t amount)
{
    const int64_t amounts[2] = {amount, 0};

    assert_ok(sked_tree_set_vec(w->tree, w->child[child], SKED_QUEUE_GUARANTEE,
                                amounts, NULL));
}

static void must_list(world *w, sked_order *order, const char *want)
{
    sked_queue_id ids[3], next;
    size_t n;

    assert_ok(sked_order_next(order, &w->view, w->root, &next, NULL));
    assert_true(next == w->child[want[0] - 'a']);
    assert_ok(sked_order_list(order, &w->view, w->root, ids, 3, &n, NULL));
    assert_i64((int64_t)n, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_true(ids[i] == w->child[want[i] - 'a']);
    }
}

/* Rows 1 to 3 are the children. */
static void share_of(world *w, int64_t a, int64_t b, int64_t c)
{
    const int64_t cpu[3] = {a, b, c};

    for (size_t i = 0; i < 3; i++) w->share[2 * (i + 1)] = cpu[i];
    w->view.share = w->share;
}

static void a_tree_by_shares_needs_them(void **state)
{
    world *w = *state;
    sked_queue_id next = 7;
    sked_order *plain;
    sked_error err;

    assert_ok(sked_order_new(NULL, NULL, &plain, NULL));
    for (int i = 0; i < 3; i++) use(w, i, 10);
    order_by(w, SKED_ORDER_POLICY_SHARE);
    assert_status(SKED_ERR_ARG,
                  sked_order_next(plain, &w->view, w->root, &next, &err));
    assert_true(err.queue == w->root && next == SKED_NO_QUEUE);
    assert_non_null(strstr(err.message, "share"));
    share_of(w, 11, 0, 20);
    must_list(w, plain, "cab");
    w->view.struct_size = offsetof(sked_order_input, share);
    assert_status(SKED_ERR_ARG,
                  sked_order_next(plain, &w->view, w->root, &next, NULL));
    w->view.struct_size = sizeof w->view;
    w->share[2 * 2 + 1] = -1;
    assert_status(SKED_ERR_RANGE,
                  sked_order_next(plain, &w->view, w->root, &next, &err));
    assert_true(err.row == 2 && err.kind == 1);
    assert_status(SKED_ERR_RANGE,
                  sked_order_next(plain, &w->view, w->root, &next, NULL));
    order_by(w, SKED_ORDER_POLICY_FIFO); /* does not look at them */
    must_list(w, plain, "abc");
    sked_order_free(plain);
}

/* `b` and `c` are below what they are guaranteed, until their shares fall. */
static void a_tree_serves_guarantees_first_when_asked(void **state)
{
    world *w = *state;
    sked_order *plain;

    assert_ok(sked_order_new(NULL, NULL, &plain, NULL));
    use(w, 0, 1);
    use(w, 1, 9);
    use(w, 2, 10);
    guarantee(w, 1, 10);
    guarantee(w, 2, 40);
    order_by(w, SKED_ORDER_POLICY_DRF);
    must_list(w, plain, "abc");
    must_list(w, w->order, "cba");
    share_of(w, 50, 9, 9);
    must_list(w, w->order, "bac");
    order_by(w, SKED_ORDER_POLICY_UTILISATION); /* 1/50, 9/10, 10/40 */
    must_list(w, plain, "acb");
    must_list(w, w->order, "bac");
    sked_order_free(plain);
}

/* A turn by guarantee draws nothing; the others are drawn among. */
static void chance_waits_for_guarantees(void **state)
{
    world *w = *state;
    uint64_t before;
    int seen[3] = {0};

    guarantee(w, 1, 10);
    order_by(w, SKED_ORDER_POLICY_RANDOM);
    before = sked_order_digest(w->order);
    for (int i = 0; i < 120; i++) {
        sked_queue_id next;
        assert_ok(sked_order_next(w->order, &w->view, w->root, &next, NULL));
        if (i < 20) {
            assert_true(next == w->child[1]);
            assert_true(sked_order_digest(w->order) == before);
        }
        if (i == 20) use(w, 1, 10);
        for (int c = 0; i > 20 && c < 3; c++) seen[c] += next == w->child[c];
    }
    for (int c = 0; c < 3; c++) assert_in_range(seen[c], 16, 50);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_used_share_goes_first),
        cmocka_unit_test(shares_that_are_wanting_are_refused),
        cmocka_unit_test(older_columns_give_no_shares),
        cmocka_unit_test(without_a_guarantee_the_share_counts),
        cmocka_unit_test(guarantees_go_before_any_order),
        cmocka_unit_test(chance_orders_those_behind),
        cmocka_unit_test(the_share_bounds_what_goes_first),
        cmocka_unit_test(priorities_go_before_guarantees),
        TEST(a_tree_by_shares_needs_them),
        TEST(a_tree_serves_guarantees_first_when_asked),
        TEST(chance_waits_for_guarantees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
