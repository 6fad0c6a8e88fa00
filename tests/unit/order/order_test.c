/* Orders one by one: what is refused, known answers, memory over a tree. */
#include "test.h"

#include <sched/fair_tree.h>
#include <sched/order.h>

#include <string.h>

#include "order/handle.h"
#include "host.h"

/* ---- Plain arrays ---- */

static sked_status order_of(const sked_order_children_input *in,
                            uint32_t *positions)
{
    size_t n;

    return sked_order_children(in, NULL, positions, NULL, &n, NULL);
}

static void columns_that_say_too_little_are_refused(void **state)
{
    const int64_t one[1] = {1}, bad[1] = {-1};
    uint32_t got[1];
    size_t n;
    sked_error err;
    (void)state;

    for (int32_t order = 0; order <= SKED_ORDER_POLICY_HOST + 1; order++) {
        sked_order_children_input in = {
            .struct_size = sizeof in, .order = order, .kinds = 1, .n = 1};
        int needs = order == SKED_ORDER_POLICY_DRF ||
                    order == SKED_ORDER_POLICY_UTILISATION ||
                    order == SKED_ORDER_POLICY_PRIORITY ||
                    order == SKED_ORDER_POLICY_SHARE ||
                    order == SKED_ORDER_POLICY_HOST;
        int known = order <= SKED_ORDER_POLICY_SHARE ||
                    order == SKED_ORDER_POLICY_HOST;
        assert_status(known && !needs ? SKED_OK : SKED_ERR_ARG,
                      order_of(&in, got));
    }
    sked_order_children_input in = {.struct_size = sizeof in,
                                    .order = SKED_ORDER_POLICY_FAIR,
                                    .kinds = 1,
                                    .n = 1,
                                    .usage = bad};
    assert_status(SKED_ERR_RANGE,
                  sked_order_children(&in, NULL, got, NULL, &n, &err));
    assert_i64(err.row, 0);
    in.usage = one;
    assert_ok(order_of(&in, got));
    in.kind = 1;
    assert_status(SKED_ERR_ARG, order_of(&in, got));
    in.kind = -1;
    assert_status(SKED_ERR_ARG, order_of(&in, got));
    in.kind = 0;
    in.flags = 4;
    assert_status(SKED_ERR_ARG, order_of(&in, got));
    in.flags = 0;
    in.kinds = 0;
    assert_status(SKED_ERR_RANGE, order_of(&in, got));
    in.kinds = SKED_MAX_KINDS + 1;
    assert_status(SKED_ERR_RANGE, order_of(&in, got));
    in.kinds = 1;
    in.n = (uint32_t)INT32_MAX + 1;
    assert_status(SKED_ERR_RANGE, order_of(&in, got));
    in.n = 1;
    in.struct_size = 8;
    assert_status(SKED_ERR_VERSION, order_of(&in, got));
    assert_status(SKED_ERR_ARG, order_of(NULL, got));
    assert_status(SKED_ERR_ARG, order_of(&in, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_order_children(&in, NULL, got, NULL, NULL, NULL));
}

static void every_column_that_is_read_is_checked(void **state)
{
    const int64_t one[1] = {1}, bad[1] = {SKED_AMOUNT_MAX + 1};
    uint32_t got[1];
    sked_order_children_input in = {.struct_size = sizeof in,
                                    .order = SKED_ORDER_POLICY_DRF,
                                    .kinds = 1,
                                    .n = 1,
                                    .capacity = bad};
    (void)state;

    assert_status(SKED_ERR_RANGE, order_of(&in, got));
    in.order = SKED_ORDER_POLICY_UTILISATION;
    assert_status(SKED_ERR_RANGE, order_of(&in, got));
    in.parent = one;
    assert_ok(order_of(&in, got));
    in.guarantee = bad;
    assert_status(SKED_ERR_RANGE, order_of(&in, got));
    in.order = SKED_ORDER_POLICY_FIFO; /* looks at nothing */
    assert_ok(order_of(&in, got));
}

static void a_tag_needs_a_child_and_a_capacity(void **state)
{
    const int64_t one[1] = {1}, bad[1] = {-1};
    sked_order_key tag;
    sked_order_children_input in = {.struct_size = sizeof in,
                                    .order = SKED_ORDER_POLICY_DEFICIT,
                                    .kinds = 1,
                                    .n = 1,
                                    .capacity = one};
    (void)state;

    assert_ok(sked_order_tag_after(&in, 0, one, &tag, NULL));
    assert_true(tag.high == (uint64_t)1 << 32 && tag.low == 0);
    assert_status(SKED_ERR_ARG, sked_order_tag_after(&in, 1, one, &tag, NULL));
    assert_status(SKED_ERR_ARG, sked_order_tag_after(&in, 0, NULL, &tag, NULL));
    assert_status(SKED_ERR_ARG, sked_order_tag_after(&in, 0, one, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_order_tag_after(NULL, 0, one, &tag, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_order_tag_after(&in, 0, bad, &tag, NULL));
    in.capacity = bad;
    assert_status(SKED_ERR_RANGE,
                  sked_order_tag_after(&in, 0, one, &tag, NULL));
    in.capacity = NULL;
    assert_status(SKED_ERR_ARG, sked_order_tag_after(&in, 0, one, &tag, NULL));
}

static void applications_that_say_too_little_are_refused(void **state)
{
    const int64_t one[1] = {1}, bad[1] = {-1};
    const uint32_t user[1] = {1};
    uint32_t got[1];
    size_t n;
    sked_error err;
    sked_order_apps_input in = {.struct_size = sizeof in, .kinds = 1, .n = 1};
    (void)state;

    for (in.order = -1; in.order <= SKED_APPS_HOST + 1; in.order++) {
        int known = in.order == SKED_APPS_FIFO ||
                    in.order == SKED_APPS_PRIORITY;
        assert_status(known ? SKED_OK : SKED_ERR_ARG,
                      sked_order_apps(&in, NULL, got, NULL, &n, NULL));
    }
    in.order = SKED_APPS_USER_FAIR;
    in.capacity = one;
    assert_status(SKED_ERR_ARG,
                  sked_order_apps(&in, NULL, got, NULL, &n, NULL));
    in.user = user;
    in.users = 1;
    assert_status(SKED_ERR_RANGE,
                  sked_order_apps(&in, NULL, got, NULL, &n, &err));
    assert_i64(err.got, 1);
    in.users = 2;
    assert_ok(sked_order_apps(&in, NULL, got, NULL, &n, NULL));
    in.order = SKED_APPS_FAIR;
    in.usage = bad;
    assert_status(SKED_ERR_RANGE,
                  sked_order_apps(&in, NULL, got, NULL, &n, NULL));
    in.usage = NULL;
    in.capacity = bad;
    assert_status(SKED_ERR_RANGE,
                  sked_order_apps(&in, NULL, got, NULL, &n, NULL));
    in.order = SKED_APPS_FIFO;
    in.flags = 1;
    assert_status(SKED_ERR_ARG,
                  sked_order_apps(&in, NULL, got, NULL, &n, NULL));
    in.flags = 0;
    in.kinds = 33;
    assert_status(SKED_ERR_RANGE,
                  sked_order_apps(&in, NULL, got, NULL, &n, NULL));
    in.struct_size = 1;
    assert_status(SKED_ERR_VERSION,
                  sked_order_apps(&in, NULL, got, NULL, &n, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_order_apps(NULL, NULL, got, NULL, &n, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_order_apps(&in, NULL, NULL, NULL, &n, NULL));
}

/* Within its guarantee a queue of low priority goes before one beyond. */
static void within_first_puts_guarantees_before_priorities(void **state)
{
    const int64_t usage[3] = {9, 2, 12}, guarantee[3] = {10, 10, 10};
    const int64_t capacity[1] = {30};
    const int32_t priority[3] = {1, 0, 5};
    uint32_t got[3];
    sked_order_children_input in = {.struct_size = sizeof in,
                                    .order = SKED_ORDER_POLICY_PRIORITY,
                                    .kinds = 1,
                                    .n = 3,
                                    .priority = priority,
                                    .usage = usage,
                                    .guarantee = guarantee,
                                    .capacity = capacity};
    (void)state;

    assert_ok(order_of(&in, got));
    assert_true(got[0] == 2 && got[1] == 0 && got[2] == 1);
    in.flags = SKED_ORDER_FLAG_WITHIN_FIRST;
    assert_ok(order_of(&in, got));
    assert_true(got[0] == 0 && got[1] == 1 && got[2] == 2);
}

/* ---- Fair tree ---- */

static void nodes_that_are_no_tree_are_refused(void **state)
{
    const uint32_t parent[3] = {9, 0, 2};
    const int64_t usage[3] = {0, SKED_AMOUNT_MAX, 1}, bad[1] = {-1};
    uint32_t ranks[3];
    sked_error err;
    (void)state;

    assert_status(SKED_ERR_ARG, sked_fair_tree_ranks(parent, NULL, usage, 3,
                                                     NULL, ranks, &err));
    assert_i64(err.row, 2);
    assert_status(SKED_ERR_RANGE, sked_fair_tree_ranks(parent, NULL, usage, 0,
                                                       NULL, ranks, NULL));
    assert_status(SKED_ERR_RANGE, sked_fair_tree_ranks(parent, NULL, bad, 1,
                                                       NULL, ranks, &err));
    assert_i64(err.row, 0);
    assert_status(SKED_ERR_ARG, sked_fair_tree_ranks(NULL, NULL, usage, 2, NULL,
                                                     ranks, NULL));
    assert_status(SKED_ERR_ARG, sked_fair_tree_ranks(parent, NULL, NULL, 2,
                                                     NULL, ranks, NULL));
    assert_status(SKED_ERR_ARG, sked_fair_tree_ranks(parent, NULL, usage, 2,
                                                     NULL, NULL, NULL));
    const uint32_t star[3] = {0, 0, 0};
    assert_status(SKED_ERR_RANGE, sked_fair_tree_ranks(star, NULL, usage, 3,
                                                       NULL, ranks, NULL));
    assert_ok(sked_fair_tree_ranks(star, NULL, usage, 1, NULL, ranks, NULL));
    assert_i64(ranks[0], 1);
}

/* A chain of a hundred thousand accounts, and two users at its end. */
static void depth_is_no_matter(void **state)
{
    enum { N = 100002 };
    static uint32_t parent[N], ranks[N];
    static int64_t usage[N];
    (void)state;

    for (uint32_t i = 1; i < N; i++) parent[i] = i - 1;
    parent[N - 1] = N - 3;
    usage[N - 1] = 7;
    assert_ok(sked_fair_tree_ranks(parent, NULL, usage, N, NULL, ranks, NULL));
    assert_i64(ranks[N - 2], 2);
    assert_i64(ranks[N - 1], 1);
    assert_i64(ranks[N - 3], 0);
}

/* ---- Over a tree ---- */

typedef struct world {
    test_host host;
    sked_tree *tree;
    sked_ledger *ledger;
    sked_order *order;
    sked_queue_id root, a, b, c;
    int64_t capacity[2];
    sked_order_input view;
} world;

static sked_queue_id add(world *w, sked_queue_id up, const char *name)
{
    sked_queue_id id = SKED_NO_QUEUE;

    assert_ok(sked_tree_add(w->tree, up, name, &id, NULL));
    return id;
}

static void commit(world *w)
{
    assert_ok(sked_tree_commit(w->tree, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_ok(sked_ledger_follow(w->ledger, w->tree, NULL));
}

static int setup(void **state)
{
    static world w;
    const char *const names[2] = {"cpu", "memory"};
    sked_schema *schema;

    w = (world){.capacity = {100, 1000}};
    sked_host hooks = test_host_hooks(&w.host);
    assert_ok(sked_schema_new(names, NULL, 2, NULL, &schema, NULL));
    assert_ok(sked_tree_new(schema, NULL, NULL, &w.tree, NULL));
    sked_schema_free(schema);
    assert_ok(sked_ledger_new(w.tree, NULL, NULL, &w.ledger, NULL));
    w.root = sked_tree_root(w.tree);
    w.a = add(&w, w.root, "a");
    w.b = add(&w, w.root, "b");
    w.c = add(&w, w.root, "c");
    commit(&w);
    assert_ok(sked_order_new(NULL, &hooks, &w.order, NULL));
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
    return w->host.live == 0 ? 0 : -1;
}

static void use(world *w, sked_queue_id queue, int64_t usage, int64_t demand)
{
    const int64_t has[2] = {usage, 0}, wants[2] = {demand, 0};

    assert_ok(
        sked_ledger_set(w->ledger, SKED_LEDGER_USAGE, &queue, has, 1, NULL));
    assert_ok(
        sked_ledger_set(w->ledger, SKED_LEDGER_DEMAND, &queue, wants, 1, NULL));
}

static void order_by(world *w, int64_t policy)
{
    assert_ok(sked_tree_set(w->tree, w->root, SKED_QUEUE_ORDER, policy, NULL));
    commit(w);
}

static void must_list(world *w, sked_queue_id first, sked_queue_id second,
                      sked_queue_id third)
{
    const sked_queue_id want[3] = {first, second, third};
    sked_queue_id ids[3] = {0}, next;
    size_t n;

    assert_ok(sked_order_next(w->order, &w->view, w->root, &next, NULL));
    assert_true(next == first);
    assert_ok(sked_order_list(w->order, &w->view, w->root, ids, 3, &n, NULL));
    for (size_t i = 0; i < 3; i++) assert_true(ids[i] == want[i]);
}

static void a_parent_serves_its_children_in_its_order(void **state)
{
    world *w = *state;
    const int64_t guarantee[2] = {40, 400};

    use(w, w->a, 20, 50);
    use(w, w->b, 10, 50);
    use(w, w->c, 30, 50);
    order_by(w, SKED_ORDER_POLICY_FIFO);
    must_list(w, w->a, w->b, w->c);
    order_by(w, SKED_ORDER_POLICY_DRF);
    must_list(w, w->b, w->a, w->c);
    assert_ok(sked_tree_set(w->tree, w->c, SKED_QUEUE_WEIGHT, 4, NULL));
    order_by(w, SKED_ORDER_POLICY_FAIR); /* 20, 10, 7.5 */
    must_list(w, w->c, w->b, w->a);
    assert_ok(sked_tree_set_vec(w->tree, w->a, SKED_QUEUE_GUARANTEE, guarantee,
                                NULL));
    order_by(w, SKED_ORDER_POLICY_UTILISATION); /* 20/40, 10/16, 30/66 */
    must_list(w, w->c, w->a, w->b);
    assert_ok(sked_tree_set(w->tree, w->b, SKED_QUEUE_PRIORITY, 1, NULL));
    order_by(w, SKED_ORDER_POLICY_PRIORITY);
    must_list(w, w->b, w->c, w->a);
}

/* Half of the root's, a tenth of that: 5 of 100; a sibling gets by weight. */
static void guarantees_count_where_nobody_has_a_weight(void **state)
{
    world *w = *state;
    const int64_t small[2] = {20, 200}, large[2] = {80, 800};
    const sked_queue_id ids[3] = {w->a, w->b, w->c};

    for (size_t i = 0; i < 3; i++) {
        assert_ok(sked_tree_set(w->tree, ids[i], SKED_QUEUE_WEIGHT, 0, NULL));
        assert_ok(sked_tree_set_vec(w->tree, ids[i], SKED_QUEUE_GUARANTEE,
                                    i == 2 ? large : small, NULL));
    }
    use(w, w->a, 19, 50);
    use(w, w->b, 10, 50);
    use(w, w->c, 20, 50);
    order_by(w, SKED_ORDER_POLICY_UTILISATION); /* 95 %, 50 %, 25 % */
    must_list(w, w->c, w->b, w->a);
    order_by(w, SKED_ORDER_POLICY_PRIORITY);
    must_list(w, w->c, w->b, w->a);
}

static void parts_go_down_the_path(void **state)
{
    world *w = *state;
    sked_queue_id x = add(w, w->a, "x"), y = add(w, w->a, "y");
    sked_queue_id ids[2];
    size_t n;

    assert_ok(
        sked_tree_set(w->tree, w->a, SKED_QUEUE_GUARANTEE_PPM, 500000, NULL));
    assert_ok(
        sked_tree_set(w->tree, x, SKED_QUEUE_GUARANTEE_PPM, 100000, NULL));
    assert_ok(sked_tree_set(w->tree, w->a, SKED_QUEUE_ORDER,
                            SKED_ORDER_POLICY_UTILISATION, NULL));
    commit(w);
    use(w, x, 4, 9);   /* 4/5 */
    use(w, y, 19, 30); /* 19/25 */
    assert_ok(sked_order_list(w->order, &w->view, w->a, ids, 2, &n, NULL));
    assert_true(ids[0] == y && ids[1] == x);
    use(w, y, 21, 30);
    assert_ok(sked_order_list(w->order, &w->view, w->a, ids, 2, &n, NULL));
    assert_true(ids[0] == x && ids[1] == y);

    /* Nothing said anywhere: a third of the capacity, half of that. */
    sked_queue_id p = add(w, w->b, "p"), q = add(w, w->b, "q");
    const int64_t said[2] = {15, 0};
    assert_ok(sked_tree_set_vec(w->tree, p, SKED_QUEUE_GUARANTEE, said, NULL));
    assert_ok(sked_tree_set(w->tree, w->b, SKED_QUEUE_ORDER,
                            SKED_ORDER_POLICY_UTILISATION, NULL));
    commit(w);
    use(w, p, 15, 99);
    use(w, q, 15, 99); /* 15/16 */
    assert_ok(sked_order_list(w->order, &w->view, w->b, ids, 2, &n, NULL));
    assert_true(ids[0] == q);
}

static void only_who_wants_more_is_eligible(void **state)
{
    world *w = *state;
    sked_queue_id ids[3];
    uint8_t eligible[4] = {1, 0, 0, 1};
    size_t n;

    use(w, w->a, 5, 6);
    use(w, w->b, 5, 5);
    use(w, w->c, 5, 6);
    assert_ok(sked_order_list(w->order, &w->view, w->root, ids, 3, &n, NULL));
    assert_i64((int64_t)n, 2);
    assert_ok(sked_tree_set(w->tree, w->a, SKED_QUEUE_STATE,
                            SKED_STATE_DRAINING, NULL));
    commit(w);
    assert_ok(sked_order_next(w->order, &w->view, w->root, ids, NULL));
    assert_true(ids[0] == w->c);
    w->view.eligible = eligible;
    assert_ok(sked_order_next(w->order, &w->view, w->root, ids, NULL));
    assert_true(ids[0] == w->c);
    eligible[3] = 0;
    assert_ok(sked_order_next(w->order, &w->view, w->root, ids, NULL));
    assert_true(ids[0] == SKED_NO_QUEUE);
    assert_ok(sked_order_list(w->order, &w->view, w->root, NULL, 0, &n, NULL));
    assert_i64((int64_t)n, 0);
}

static sked_queue_id turn(world *w, int64_t cost)
{
    const int64_t amounts[2] = {cost, 0};
    sked_queue_id child;

    assert_ok(sked_order_next(w->order, &w->view, w->root, &child, NULL));
    assert_ok(sked_order_charge(w->order, &w->view, child, amounts, NULL));
    return child;
}

static void deficit_gives_turns_by_weight(void **state)
{
    world *w = *state;
    int turns_of_a = 0;

    assert_ok(sked_tree_set(w->tree, w->a, SKED_QUEUE_WEIGHT, 3, NULL));
    order_by(w, SKED_ORDER_POLICY_DEFICIT);
    use(w, w->a, 0, 9);
    use(w, w->b, 0, 9);
    for (int i = 0; i < 400; i++) turns_of_a += turn(w, 7) == w->a;
    assert_i64(turns_of_a, 300);
}

/* Whoever comes back neither saved up turns nor owes any. */
static void a_pause_earns_and_costs_nothing(void **state)
{
    world *w = *state;
    int turns_of_b = 0;

    order_by(w, SKED_ORDER_POLICY_DEFICIT);
    use(w, w->a, 0, 9);
    use(w, w->c, 0, 9);
    for (int i = 0; i < 100; i++) (void)turn(w, 10);
    use(w, w->b, 0, 9);
    for (int i = 0; i < 30; i++) turns_of_b += turn(w, 10) == w->b;
    assert_in_range(turns_of_b, 10, 11); /* a third, give or take a tie */
}

static void a_moved_queue_starts_level(void **state)
{
    world *w = *state;
    sked_order_key tag;

    order_by(w, SKED_ORDER_POLICY_DEFICIT);
    use(w, w->a, 0, 9);
    (void)turn(w, 50);
    assert_ok(sked_order_tag(w->order, w->a, &tag));
    assert_true(tag.high > 0);
    use(w, w->a, 0, 0);
    assert_ok(sked_tree_move(w->tree, w->a, w->b, NULL));
    assert_ok(sked_tree_set(w->tree, w->b, SKED_QUEUE_ORDER,
                            SKED_ORDER_POLICY_DEFICIT, NULL));
    commit(w);
    use(w, w->a, 0, 9);
    sked_queue_id next;
    assert_ok(sked_order_next(w->order, &w->view, w->b, &next, NULL));
    const int64_t nothing[2] = {0, 0};
    assert_ok(sked_order_charge(w->order, &w->view, w->a, nothing, NULL));
    assert_ok(sked_order_tag(w->order, w->a, &tag));
    assert_true(tag.high == 0 && tag.low == 0);
}

static void a_refused_list_remembers_nothing(void **state)
{
    world *w = *state;
    sked_queue_id ids[2];
    size_t n;

    order_by(w, SKED_ORDER_POLICY_DEFICIT);
    use(w, w->b, 0, 9);
    (void)turn(w, 50);
    use(w, w->b, 0, 0);
    sked_queue_id below = add(w, w->b, "below");
    assert_ok(sked_tree_move(w->tree, w->b, w->c, NULL));
    assert_ok(sked_tree_set(w->tree, w->b, SKED_QUEUE_ORDER,
                            SKED_ORDER_POLICY_DEFICIT, NULL));
    commit(w);
    use(w, below, 0, 9);
    uint64_t before = sked_order_digest(w->order);
    assert_status(SKED_ERR_RANGE,
                  sked_order_list(w->order, &w->view, w->b, ids, 0, &n, NULL));
    assert_true(sked_order_digest(w->order) == before);
    assert_ok(sked_order_list(w->order, &w->view, w->b, ids, 2, &n, NULL));
    assert_true(ids[0] == below && sked_order_digest(w->order) != before);
}

static void tags_near_the_end_are_counted_anew(void **state)
{
    world *w = *state;
    sked_order_key of_a, of_b;
    int turns_of_a = 0;

    order_by(w, SKED_ORDER_POLICY_DEFICIT);
    use(w, w->a, 0, 9);
    use(w, w->b, 0, 9);
    (void)turn(w, 1);
    (void)turn(w, 1);
    const sked_queue_id ids[3] = {w->root, w->a, w->b};
    for (size_t i = 0; i < 3; i++) {
        skedi_order_memory *memory = &w->order->memory[(uint32_t)ids[i]];
        memory->tag.high += UINT64_MAX - ((uint64_t)1 << 31);
        memory->level.high += UINT64_MAX - ((uint64_t)1 << 31);
    }
    for (int i = 0; i < 200; i++) turns_of_a += turn(w, 1) == w->a;
    assert_i64(turns_of_a, 100);
    assert_ok(sked_order_tag(w->order, w->a, &of_a));
    assert_ok(sked_order_tag(w->order, w->b, &of_b));
    assert_true(of_a.high < (uint64_t)1 << 33 && of_b.high < (uint64_t)1 << 33);

    /* A cost beyond all tags stops at the last. */
    const int64_t all[2] = {SKED_AMOUNT_MAX, 0};
    w->capacity[0] = 1;
    for (int i = 0; i < 3; i++) {
        assert_ok(sked_order_charge(w->order, &w->view, w->a, all, NULL));
    }
    assert_ok(sked_order_tag(w->order, w->a, &of_a));
    assert_true(of_a.high == UINT64_MAX && of_a.low == 0);
    assert_true(turn(w, 1) == w->b);
}

static void weight_nought_waits_for_all_others(void **state)
{
    world *w = *state;

    assert_ok(sked_tree_set(w->tree, w->a, SKED_QUEUE_WEIGHT, 0, NULL));
    order_by(w, SKED_ORDER_POLICY_DEFICIT);
    use(w, w->a, 0, 9);
    use(w, w->b, 0, 9);
    for (int i = 0; i < 5; i++) assert_true(turn(w, 30) == w->b);
    use(w, w->b, 0, 0);
    for (int i = 0; i < 5; i++) assert_true(turn(w, 30) == w->a);
    use(w, w->b, 0, 9);
    assert_true(turn(w, 30) == w->b);
}

/* One draw a child: who is taken, and the last one fills the gap. */
static uint64_t next_draw(void *user)
{
    static const uint64_t third = UINT64_MAX / 3;
    uint64_t *at = user;

    return (*at)++ == 0 ? third + 1 : 0; /* 1 of 3, then 0, 0 */
}

static void chance_draws_as_written(void **state)
{
    world *w = *state;
    uint64_t at = 0;
    sked_host host = {
        .struct_size = sizeof host, .user = &at, .random = next_draw};
    sked_order *order;
    sked_queue_id ids[3];
    size_t n;

    order_by(w, SKED_ORDER_POLICY_RANDOM);
    use(w, w->a, 0, 1);
    use(w, w->b, 0, 1);
    use(w, w->c, 0, 1);
    assert_ok(sked_order_new(NULL, &host, &order, NULL));
    assert_ok(sked_order_list(order, &w->view, w->root, ids, 3, &n, NULL));
    assert_true(ids[0] == w->b && ids[1] == w->a && ids[2] == w->c);
    at = 0;
    assert_ok(sked_order_next(order, &w->view, w->root, ids, NULL));
    assert_true(ids[0] == w->b);
    sked_order_free(order);
}

static void a_copy_goes_on_as_the_first_would(void **state)
{
    world *w = *state;
    sked_order *copy;
    sked_queue_id here[3], there[3];
    size_t n;

    order_by(w, SKED_ORDER_POLICY_DEFICIT);
    use(w, w->a, 0, 9);
    use(w, w->b, 0, 9);
    for (int i = 0; i < 3; i++) (void)turn(w, 20);
    assert_ok(sked_order_copy(w->order, NULL, &copy, NULL));
    assert_true(sked_order_digest(copy) == sked_order_digest(w->order));
    order_by(w, SKED_ORDER_POLICY_RANDOM);
    use(w, w->c, 0, 9);
    for (int i = 0; i < 20; i++) {
        assert_ok(
            sked_order_list(w->order, &w->view, w->root, here, 3, &n, NULL));
        assert_ok(sked_order_list(copy, &w->view, w->root, there, 3, &n, NULL));
        assert_memory_equal(here, there, sizeof here);
    }
    sked_order_free(copy);
}

/* The same numbers in the same places, but other queues: all start level. */
static void queues_of_another_tree_start_level(void **state)
{
    world *w = *state;
    const int64_t cost[2] = {7, 0};
    sked_order_input there = w->view;
    sked_tree *tree = NULL;
    sked_ledger *ledger = NULL;
    sked_queue_id ids[3], next;
    sked_order_key tag[2];

    order_by(w, SKED_ORDER_POLICY_DEFICIT);
    use(w, w->a, 0, 9);
    use(w, w->b, 0, 9);
    for (int i = 0; i < 3; i++) (void)turn(w, 20); /* a, b, a */
    assert_ok(
        sked_tree_new(sked_tree_schema(w->tree), NULL, NULL, &tree, NULL));
    sked_queue_id root = sked_tree_root(tree);
    for (int i = 0; i < 3; i++) {
        assert_ok(sked_tree_add(tree, root, (const char *[]){"x", "y", "z"}[i],
                                &ids[i], NULL));
    }
    assert_true(ids[0] == w->a && ids[1] == w->b);
    assert_ok(sked_tree_set(tree, root, SKED_QUEUE_ORDER,
                            SKED_ORDER_POLICY_DEFICIT, NULL));
    assert_ok(sked_tree_commit(tree, SKED_TREE_COMMIT_LENIENT, NULL));

    assert_status(
        SKED_ERR_STATE,
        sked_order_next(w->order,
                        &(sked_order_input){.struct_size = sizeof there,
                                            .tree = tree,
                                            .ledger = w->ledger,
                                            .capacity = there.capacity},
                        root, &next, NULL));
    assert_ok(sked_ledger_new(tree, NULL, NULL, &ledger, NULL));
    there.tree = tree;
    there.ledger = ledger;
    for (int i = 0; i < 2; i++) { /* a was served more than b */
        assert_ok(sked_order_charge(w->order, &there, ids[i], cost, NULL));
        assert_ok(sked_order_tag(w->order, ids[i], &tag[i]));
    }
    assert_memory_equal(&tag[0], &tag[1], sizeof tag[0]);
    sked_ledger_free(ledger);
    sked_tree_free(tree);
}

static void views_that_lack_something_are_refused(void **state)
{
    world *w = *state;
    sked_queue_id ids[3];
    int64_t amounts[2] = {1, 1};
    size_t n;
    sked_order *made;
    sked_order_options opts = {.struct_size = sizeof opts, .flags = 4};
    sked_host strange = {.struct_size = sizeof strange, .flags = 64};
    sked_order_key tag;

    use(w, w->a, 0, 1);
    assert_status(SKED_ERR_ARG, sked_order_new(&opts, NULL, &made, NULL));
    opts.struct_size = 1;
    assert_status(SKED_ERR_VERSION, sked_order_new(&opts, NULL, &made, NULL));
    assert_status(SKED_ERR_ARG, sked_order_new(NULL, &strange, &made, NULL));
    assert_status(SKED_ERR_ARG, sked_order_new(NULL, NULL, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_order_copy(NULL, NULL, &made, NULL));
    assert_status(SKED_ERR_ARG, sked_order_copy(w->order, NULL, NULL, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_order_copy(w->order, &strange, &made, NULL));
    sked_order_free(NULL);
    assert_status(SKED_ERR_ARG, sked_order_reserve(NULL, 1, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_order_reserve(w->order, SKED_MAX_QUEUES + 1, NULL));
    assert_status(SKED_ERR_ARG, sked_order_tag(NULL, w->a, &tag));
    assert_status(SKED_ERR_ARG, sked_order_tag(w->order, w->a, NULL));
    assert_true(sked_order_digest(NULL) == 0);

    assert_status(SKED_ERR_ARG,
                  sked_order_list(NULL, &w->view, w->root, ids, 3, &n, NULL));
    assert_status(SKED_ERR_ARG, sked_order_list(w->order, &w->view, w->root,
                                                NULL, 3, &n, NULL));
    assert_status(SKED_ERR_ARG, sked_order_list(w->order, &w->view, w->root,
                                                ids, 3, NULL, NULL));
    assert_status(SKED_ERR_RANGE, sked_order_list(w->order, &w->view, w->root,
                                                  ids, 0, &n, NULL));
    assert_i64((int64_t)n, 1);
    assert_status(SKED_ERR_ARG,
                  sked_order_next(NULL, &w->view, w->root, ids, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_order_next(w->order, &w->view, w->root, NULL, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_order_next(w->order, NULL, w->root, ids, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_order_next(w->order, &w->view, w->a, ids, NULL));
    assert_status(SKED_ERR_STALE,
                  sked_order_next(w->order, &w->view, 77, ids, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_order_charge(NULL, &w->view, w->a, amounts, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_order_charge(w->order, &w->view, w->a, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_order_charge(w->order, &w->view, w->root,
                                                  amounts, NULL));
    assert_status(SKED_ERR_STALE,
                  sked_order_charge(w->order, &w->view, 77, amounts, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_order_charge(w->order, NULL, w->a, amounts, NULL));
    amounts[1] = -1;
    assert_status(SKED_ERR_RANGE,
                  sked_order_charge(w->order, &w->view, w->a, amounts, NULL));

    w->capacity[0] = -1;
    assert_status(SKED_ERR_RANGE,
                  sked_order_next(w->order, &w->view, w->root, ids, NULL));
    w->view.struct_size = 4;
    assert_status(SKED_ERR_VERSION,
                  sked_order_next(w->order, &w->view, w->root, ids, NULL));
    w->view.struct_size = sizeof w->view;
    w->view.ledger = NULL;
    assert_status(SKED_ERR_ARG,
                  sked_order_next(w->order, &w->view, w->root, ids, NULL));
    w->view.ledger = w->ledger;
    w->view.flags = 1;
    assert_status(SKED_ERR_ARG,
                  sked_order_next(w->order, &w->view, w->root, ids, NULL));
    w->view.flags = 0;
    w->view.tree = NULL;
    assert_status(SKED_ERR_ARG,
                  sked_order_next(w->order, &w->view, w->root, ids, NULL));
    w->view.tree = w->tree;
    w->view.capacity = NULL;
    assert_status(SKED_ERR_ARG,
                  sked_order_next(w->order, &w->view, w->root, ids, NULL));
    w->view.capacity = w->capacity;
    (void)add(w, w->root, "late");
    assert_ok(sked_tree_commit(w->tree, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_status(SKED_ERR_STATE,
                  sked_order_next(w->order, &w->view, w->root, ids, NULL));
}

static void ranks_follow_the_history(void **state)
{
    world *w = *state;
    const int64_t past[2] = {8, 0}, less[2] = {2, 0};
    uint32_t ranks[4];
    size_t n;

    assert_ok(
        sked_ledger_set(w->ledger, SKED_LEDGER_HISTORY, &w->a, past, 1, NULL));
    assert_ok(
        sked_ledger_set(w->ledger, SKED_LEDGER_HISTORY, &w->b, less, 1, NULL));
    assert_ok(sked_fair_tree(w->tree, w->ledger, 0, NULL, ranks, 4, &n, NULL));
    assert_i64((int64_t)n, 4);
    assert_true(ranks[0] == 0 && ranks[1] == 1 && ranks[2] == 2 &&
                ranks[3] == 3);

    assert_status(SKED_ERR_ARG,
                  sked_fair_tree(NULL, w->ledger, 0, NULL, ranks, 4, &n, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_fair_tree(w->tree, NULL, 0, NULL, ranks, 4, &n, NULL));
    assert_status(SKED_ERR_ARG, sked_fair_tree(w->tree, w->ledger, 0, NULL,
                                               ranks, 4, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_fair_tree(w->tree, w->ledger, 0, NULL,
                                               NULL, 4, &n, NULL));
    assert_status(SKED_ERR_ARG, sked_fair_tree(w->tree, w->ledger, 2, NULL,
                                               ranks, 4, &n, NULL));
    assert_status(SKED_ERR_ARG, sked_fair_tree(w->tree, w->ledger, -1, NULL,
                                               ranks, 4, &n, NULL));
    assert_status(SKED_ERR_RANGE, sked_fair_tree(w->tree, w->ledger, 0, NULL,
                                                 ranks, 3, &n, NULL));
    (void)add(w, w->root, "late");
    assert_ok(sked_tree_commit(w->tree, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_status(SKED_ERR_STATE, sked_fair_tree(w->tree, w->ledger, 0, NULL,
                                                 ranks, 9, &n, NULL));
}

/* ---- Memory and stopping ---- */

static sked_status plain_calls(test_host *h, void *arg)
{
    sked_host hooks = test_host_hooks(h);
    const int64_t capacity[1] = {9}, usage[3] = {3, 1, 2};
    const uint32_t parent[3] = {0, 0, 0};
    uint32_t got[3];
    size_t n;
    sked_order_children_input in = {.struct_size = sizeof in,
                                    .kinds = 1,
                                    .n = 3,
                                    .usage = usage,
                                    .capacity = capacity};
    sked_order_apps_input apps = {
        .struct_size = sizeof apps, .kinds = 1, .n = 3};
    (void)arg;

    sked_status rc = sked_order_children(&in, &hooks, got, NULL, &n, NULL);
    if (rc == SKED_OK) rc = sked_order_apps(&apps, &hooks, got, NULL, &n, NULL);
    if (rc == SKED_OK) {
        rc = sked_fair_tree_ranks(parent, NULL, usage, 3, &hooks, got, NULL);
    }
    return rc;
}

static sked_status handle_calls(test_host *h, void *arg)
{
    world *w = arg;
    sked_host hooks = test_host_hooks(h);
    sked_order *order, *copy = NULL;
    sked_queue_id ids[3];
    const int64_t amounts[2] = {3, 3};
    size_t n;
    sked_status rc = sked_order_new(NULL, &hooks, &order, NULL);

    if (rc != SKED_OK) return rc;
    rc = sked_order_list(order, &w->view, w->root, ids, 3, &n, NULL);
    if (rc == SKED_OK) {
        rc = sked_order_charge(order, &w->view, w->b, amounts, NULL);
    }
    if (rc == SKED_OK) rc = sked_order_copy(order, &hooks, &copy, NULL);
    if (rc == SKED_OK) rc = sked_order_reserve(order, 100, NULL);
    sked_order_free(copy);
    sked_order_free(order);
    return rc;
}

static sked_status charge_first(test_host *h, void *arg)
{
    world *w = arg;
    sked_host hooks = test_host_hooks(h);
    sked_order *order;
    const int64_t amounts[2] = {3, 3};
    sked_status rc = sked_order_new(NULL, &hooks, &order, NULL);

    if (rc != SKED_OK) return rc;
    rc = sked_order_charge(order, &w->view, w->b, amounts, NULL);
    sked_order_free(order);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    world *w = *state;

    use(w, w->a, 0, 9);
    use(w, w->b, 0, 9);
    order_by(w, SKED_ORDER_POLICY_DEFICIT);
    test_sweep(plain_calls, NULL, 0);
    test_sweep(handle_calls, w, 0);
    test_sweep(charge_first, w, 0);
}

static void passes_within_the_reserve_never_allocate(void **state)
{
    world *w = *state;

    use(w, w->a, 0, 9);
    use(w, w->b, 0, 9);
    order_by(w, SKED_ORDER_POLICY_DEFICIT);
    assert_ok(sked_order_reserve(w->order, 4, NULL));
    w->host.trap = 1;
    for (int i = 0; i < 9; i++) (void)turn(w, 9);
    must_list(w, w->b, w->a, SKED_NO_QUEUE);
    w->host.trap = 0;
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_that_say_too_little_are_refused),
        cmocka_unit_test(every_column_that_is_read_is_checked),
        cmocka_unit_test(a_tag_needs_a_child_and_a_capacity),
        cmocka_unit_test(applications_that_say_too_little_are_refused),
        cmocka_unit_test(within_first_puts_guarantees_before_priorities),
        cmocka_unit_test(nodes_that_are_no_tree_are_refused),
        cmocka_unit_test(depth_is_no_matter),
        TEST(a_parent_serves_its_children_in_its_order),
        TEST(guarantees_count_where_nobody_has_a_weight),
        TEST(parts_go_down_the_path),
        TEST(only_who_wants_more_is_eligible),
        TEST(deficit_gives_turns_by_weight),
        TEST(a_pause_earns_and_costs_nothing),
        TEST(a_moved_queue_starts_level),
        TEST(a_refused_list_remembers_nothing),
        TEST(tags_near_the_end_are_counted_anew),
        TEST(weight_nought_waits_for_all_others),
        TEST(chance_draws_as_written),
        TEST(a_copy_goes_on_as_the_first_would),
        TEST(queues_of_another_tree_start_level),
        TEST(views_that_lack_something_are_refused),
        TEST(ranks_follow_the_history),
        TEST(every_allocation_may_fail),
        TEST(passes_within_the_reserve_never_allocate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
