/* The documents' own examples of shares, with the numbers printed there. */
#include "test.h"

#include <sched/share.h>

enum { MOST = 12, ROOM = 100 };

/* A tree of one kind: everything by row, the root first. */
typedef struct example {
    uint32_t n;
    int32_t parent[MOST];
    uint32_t weight[MOST];
    int64_t guarantee[MOST];
    int64_t limit[MOST];
    int64_t demand[MOST];
    int64_t capacity;
    int64_t want[MOST];
} example;

static void shares_are_as_printed(const example *e, int32_t model,
                                  uint32_t flags)
{
    int64_t got[MOST], limit[MOST];
    sked_share_options options = {
        .struct_size = sizeof options, .flags = flags, .model = model};
    sked_share_input in = {
        .struct_size = sizeof in,
        .kinds = 1,
        .n = e->n,
        .parent = e->parent,
        .weight = e->weight,
        .guarantee = e->guarantee,
        .limit = limit,
        .demand = e->demand,
        .capacity = &e->capacity,
    };

    for (uint32_t i = 0; i < e->n; i++) {
        limit[i] = e->limit[i] ? e->limit[i] : SKED_UNLIMITED;
    }
    assert_ok(sked_share_once(&in, &options, NULL, got, NULL));
    for (uint32_t i = 0; i < e->n; i++) assert_i64(got[i], e->want[i]);
}

/* [PEL-10] 100 units, three pools of reservation 20, limit 100, share 1: the
 * guide prints 10, 45, 45, then 33 1/3 each. In thousandths. */
static void the_guides_pools_have_10_45_45_then_a_third_each(void **state)
{
    example e = {
        .n = 4,
        .parent = {-1, 0, 0, 0},
        .weight = {1, 1, 1, 1},
        .guarantee = {0, 20000, 20000, 20000},
        .limit = {100000, 100000, 100000, 100000},
        .demand = {0, 10000, 80000, 80000},
        .capacity = 100000,
        .want = {100000, 10000, 45000, 45000},
    };
    (void)state;

    shares_are_as_printed(&e, SKED_SHARE_MODEL_ENTITLEMENT, 0);
    e.demand[1] = 50000;
    e.want[1] = 33334;
    e.want[2] = e.want[3] = 33333;
    shares_are_as_printed(&e, SKED_SHARE_MODEL_ENTITLEMENT, 0);
}

/* [PEL-11] Its two stages: up to the reservation 5 from each lender, the rest
 * to equality: 6 2/3 more from each. */
static void what_comes_back_first_fills_the_reservation(void **state)
{
    example e = {
        .n = 4,
        .parent = {-1, 0, 0, 0},
        .weight = {1, 1, 1, 1},
        .guarantee = {0, 20000, 20000, 20000},
        .demand = {0, 20000, 80000, 80000},
        .capacity = 100000,
        .want = {100000, 20000, 45000 - 5000, 45000 - 5000},
    };
    (void)state;

    shares_are_as_printed(&e, SKED_SHARE_MODEL_ENTITLEMENT, 0);
}

/* [MON-10] A child gets its weight over the sum of its siblings' weights of
 * what its parent has. */
static void weights_divide_what_the_parent_has(void **state)
{
    example e = {
        .n = 5,
        .parent = {-1, 0, 0, 1, 1},
        .weight = {1, 3, 1, 2, 1},
        .capacity = 1000,
        .want = {1000, 750, 250, 500, 250},
    };
    (void)state;

    shares_are_as_printed(&e, SKED_SHARE_MODEL_STEADY, 0);
}

/* [MON-13] What one queue leaves idle is used by the others meanwhile. [CAP-1]
 * When it asks, each has at least its capacity again. [CAP-2] No queue passes
 * its maximum. */
static void idle_capacity_is_used_by_others_up_to_their_maximum(void **state)
{
    example e = {
        .n = 4,
        .parent = {-1, 0, 0, 0},
        .weight = {1, 1, 1, 1},
        .guarantee = {0, 20, 30, 50},
        .demand = {0, ROOM, ROOM, 0},
        .capacity = ROOM,
        .want = {100, 40, 60, 0},
    };
    const example home = {.demand = {0, ROOM, ROOM, ROOM},
                          .want = {100, 20, 30, 50}};
    (void)state;

    shares_are_as_printed(&e, SKED_SHARE_MODEL_CAPACITY, 0);
    e.limit[2] = 40;
    e.want[1] = 60;
    e.want[2] = 40;
    shares_are_as_printed(&e, SKED_SHARE_MODEL_CAPACITY, 0);
    for (size_t i = 0; i < 4; i++) {
        e.demand[i] = home.demand[i];
        e.want[i] = home.want[i];
    }
    shares_are_as_printed(&e, SKED_SHARE_MODEL_CAPACITY, 0);
}

/* [PEL-8] Anticipation meets a limit, and nothing is lost. */
static void what_demand_leaves_over_is_offered_up_to_the_limit(void **state)
{
    const example e = {
        .n = 3,
        .parent = {-1, 0, 0},
        .weight = {1, 1, 1},
        .guarantee = {0, 20, 20},
        .limit = {100, 30, 100},
        .demand = {0, 10, 5},
        .capacity = 100,
        .want = {100, 30, 70},
    };
    (void)state;

    shares_are_as_printed(&e, SKED_SHARE_MODEL_ENTITLEMENT,
                          SKED_SHARE_FLAG_ANTICIPATE);
}

/* A guarantee two levels down lifts its parent. */
static void a_guarantee_below_lifts_those_above(void **state)
{
    const example e = {
        .n = 6,
        .parent = {-1, 0, 0, 0, 1, 1},
        .weight = {1, 1, 1, 1, 1, 1},
        .guarantee = {0, 0, 0, 0, 70, 0},
        .demand = {0, 0, 100, 100, 100, 100},
        .capacity = 100,
        .want = {100, 70, 15, 15, 70, 0},
    };
    (void)state;

    shares_are_as_printed(&e, SKED_SHARE_MODEL_INSTANTANEOUS,
                          SKED_SHARE_FLAG_BY_DEMAND);
}

static void dominant_shares(const int32_t *parent, uint32_t n,
                            const int64_t *demand, const int64_t *capacity,
                            int64_t *got)
{
    sked_share_options options = {.struct_size = sizeof options,
                                  .scope = SKED_SHARE_SCOPE_DOMINANT};
    sked_share_input in = {
        .struct_size = sizeof in,
        .kinds = 2,
        .n = n,
        .parent = parent,
        .demand = demand,
        .capacity = capacity,
    };

    assert_ok(sked_share_once(&in, &options, NULL, got, NULL));
}

/* The DRF paper: 9 CPU, 18 GB; A's tasks take <1, 4>, B's <3, 1>: 3 tasks of A
 * and 2 of B. In thousandths. */
static void the_drf_papers_users_run_3_and_2_tasks(void **state)
{
    const int32_t parent[] = {-1, 0, 0};
    const int64_t demand[] = {0, 0, 100000, 400000, 300000, 100000};
    const int64_t capacity[] = {9000, 18000};
    const int64_t want[] = {9000, 14000, 3000, 12000, 6000, 2000};
    int64_t got[6];
    (void)state;

    dominant_shares(parent, 3, demand, capacity, got);
    for (size_t i = 0; i < 6; i++) {
        assert_true(got[i] >= want[i] - 2 && got[i] <= want[i] + 2);
    }
}

/* n1 <1,1> against n2 = {<1,0>, <0,1>}: half each, where collapsed weights
 * give n2 a third. */
static void complementary_children_have_their_branchs_half(void **state)
{
    const int32_t parent[] = {-1, 0, 0, 2, 2};
    const int64_t demand[] = {0, 0, 1200, 1200, 0, 0, 1200, 0, 0, 1200};
    const int64_t capacity[] = {1200, 1200};
    const int64_t want[] = {1200, 1200, 600, 600, 600, 600, 600, 0, 0, 600};
    int64_t got[10];
    (void)state;

    dominant_shares(parent, 5, demand, capacity, got);
    for (size_t i = 0; i < 10; i++) assert_i64(got[i], want[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_guides_pools_have_10_45_45_then_a_third_each),
        cmocka_unit_test(what_comes_back_first_fills_the_reservation),
        cmocka_unit_test(weights_divide_what_the_parent_has),
        cmocka_unit_test(idle_capacity_is_used_by_others_up_to_their_maximum),
        cmocka_unit_test(what_demand_leaves_over_is_offered_up_to_the_limit),
        cmocka_unit_test(a_guarantee_below_lifts_those_above),
        cmocka_unit_test(the_drf_papers_users_run_3_and_2_tasks),
        cmocka_unit_test(complementary_children_have_their_branchs_half),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
