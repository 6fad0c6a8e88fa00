/* The checkers of floor 4 find whatever is broken, one thing at a time. */
#include "test.h"

#include <string.h>

#include "drf/handle.h"
#include "drf/hdrf_tree.h"
#include "share/handle.h"
#include "host.h"

enum { CLIENTS = 4 };

static void must_say(sked_status rc, const sked_error *err, const char *want)
{
    assert_status(SKED_ERR_INTERNAL, rc);
    assert_string_equal(err->message, want);
}

/* ---- The DRF sort: three clients of which one is out, and a free slot ---- */

typedef void (*break_drf)(sked_drf *drf);

static void key_of_client(sked_drf *drf)
{
    drf->memory.client[0].key++;
}

static void player_of_client(sked_drf *drf)
{
    drf->memory.client[0].player = drf->memory.client[1].player;
}

static void number_of_players(sked_drf *drf)
{
    drf->next_player = 0;
}

static void key_of_player(sked_drf *drf)
{
    ++*skedi_drf_held_key(drf, 0);
}

static void entry_of_client(sked_drf *drf)
{
    skedi_drf_index_drop(drf, drf->memory.client[0].id);
}

static void number_of_clients(sked_drf *drf)
{
    drf->n++;
}

static void number_of_active(sked_drf *drf)
{
    drf->n_active++;
}

static void first_free_slot(sked_drf *drf)
{
    drf->free_slot = drf->slots;
}

static void ring_of_free_slots(sked_drf *drf)
{
    drf->memory.client[drf->free_slot].player = drf->free_slot;
}

static void free_slots_cut_off(sked_drf *drf)
{
    drf->free_slot = SKED_DRF_NONE;
}

static void best_of_all(sked_drf *drf)
{
    drf->memory.order.node[1].key++;
}

static sked_drf *four_clients(sked_host *host)
{
    const sked_drf_options opts = {.struct_size = sizeof opts};
    const int64_t capacity = 100;
    sked_drf *drf;
    uint32_t slot[CLIENTS];

    assert_ok(sked_drf_new(&opts, host, &drf, NULL));
    assert_ok(sked_drf_set_capacity(drf, &capacity, NULL));
    for (int64_t i = 0; i < CLIENTS; i++) {
        assert_ok(sked_drf_insert(drf, (uint64_t)i + 1, 1, &i, &slot[i], NULL));
    }
    assert_ok(sked_drf_remove(drf, slot[3], NULL));
    assert_ok(sked_drf_activate(drf, slot[2], 0, NULL));
    return drf;
}

static void whatever_breaks_in_the_drf_sort_is_found(void **state)
{
    static const struct {
        break_drf spoil;
        const char *want;
    } each[] = {
        {key_of_client, "a key is not that of the usage"},
        {player_of_client, "a client and its player do not know each other"},
        {number_of_players, "a client and its player do not know each other"},
        {key_of_player, "a player has another key than its client"},
        {entry_of_client, "a client is not found by its key"},
        {number_of_clients, "a count is wrong"},
        {number_of_active, "a count is wrong"},
        {first_free_slot, "free slots go astray"},
        {ring_of_free_slots, "free slots go astray"},
        {free_slots_cut_off, "a free slot is lost"},
        {best_of_all, "a node of the order is not the better of its two"},
    };
    test_host h = {0};
    sked_host host = test_host_hooks(&h);
    sked_error err;

    (void)state;
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        sked_drf *drf = four_clients(&host);
        assert_ok(sked_drf_check(drf, &err));
        each[i].spoil(drf);
        must_say(sked_drf_check(drf, &err), &err, each[i].want);
        sked_drf_free(drf);
    }
    assert_int_equal(h.live, 0);
}

/* ---- Hierarchical DRF: a family of two, one of them a parent of one ---- */

typedef void (*break_hdrf)(sked_hdrf *tree);

static void usage_of_leaf(sked_hdrf *tree)
{
    tree->usage[2]++;
}

static void full_kinds(sked_hdrf *tree)
{
    tree->full ^= 1;
}

static void share_of_node(sked_hdrf *tree)
{
    tree->node[1].share++;
}

static void key_of_node(sked_hdrf *tree)
{
    tree->node[1].key++;
}

static void key_of_kid(sked_hdrf *tree)
{
    tree->key[0] = 0;
}

static void best_of_family(sked_hdrf *tree)
{
    tree->winner[1].player++;
}

static void sum_of_rising(sked_hdrf *tree)
{
    tree->rising[0] = skedi_u128_add(tree->rising[0], skedi_u128_of(1));
}

static void sum_of_blocked(sked_hdrf *tree)
{
    tree->still[0] = skedi_u128_add(tree->still[0], skedi_u128_of(1));
}

static void whatever_breaks_in_a_hierarchy_is_found(void **state)
{
    static const struct {
        break_hdrf spoil;
        const char *want;
    } each[] = {
        {usage_of_leaf, "usage is lost"},
        {full_kinds, "a kind is full, or is not"},
        {share_of_node, "a node is not what follows"},
        {key_of_node, "a node is not what follows"},
        {key_of_kid, "the order of a family is wrong"},
        {best_of_family, "the order of a family is wrong"},
        {sum_of_rising, "a sum is wrong"},
        {sum_of_blocked, "a sum is wrong"},
    };
    static const uint32_t parent[] = {0, 0, 0, 1}, leaf[] = {2, 3};
    const int64_t usage[] = {3, 4}, demand[] = {1, 1}, pending[] = {9, 9};
    const int64_t capacity = 100;
    test_host h = {0};
    sked_host host = test_host_hooks(&h);
    sked_error err;

    (void)state;
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        sked_hdrf *tree;
        assert_ok(sked_hdrf_new(parent, NULL, 4, NULL, &host, &tree, NULL));
        assert_ok(sked_hdrf_set_capacity(tree, &capacity, NULL));
        assert_ok(
            sked_hdrf_set_leaves(tree, leaf, usage, demand, pending, 2, NULL));
        assert_ok(sked_hdrf_check(tree, &err));
        each[i].spoil(tree);
        must_say(sked_hdrf_check(tree, &err), &err, each[i].want);
        sked_hdrf_free(tree);
    }
    assert_int_equal(h.live, 0);
}

/* A key that is wrong together with everything that follows from it. */
static void a_seat_that_left_its_node_is_found(void **state)
{
    static const uint32_t parent[] = {0, 0};
    sked_hdrf *tree;
    sked_error err;

    (void)state;
    assert_ok(sked_hdrf_new(parent, NULL, 2, NULL, NULL, &tree, NULL));
    tree->key[0] = 1;
    skedi_winners own = skedi_hdrf_order(tree, &tree->family[0]);
    skedi_winner_build(&own);
    must_say(sked_hdrf_check(tree, &err), &err,
             "a player has another key than its node");
    sked_hdrf_free(tree);
}

/* ---- Shares: a root with two leaves, 30 and 70 of 100 ---- */

typedef void (*break_share)(sked_share *share);

static skedi_share_results *results_of(sked_share *share)
{
    return &share->results[share->now_results];
}

static void child_below_nothing(sked_share *share)
{
    results_of(share)->share[1] = -1;
}

static void child_above_its_parent(sked_share *share)
{
    results_of(share)->share[1] = 101;
}

static void parent_above_its_children(sked_share *share)
{
    results_of(share)->share[0]++;
}

static void child_below_its_part(sked_share *share)
{
    results_of(share)->share[1]--;
}

static void id_of_row(sked_share *share)
{
    skedi_share_rows_now(share)->id[1] = share->rows[share->now_rows].id[2];
}

static void slot_of_row(sked_share *share)
{
    skedi_share_rows_now(share)->id[1] = 1000;
}

static sked_share *shares_of_two(int32_t scope)
{
    const sked_share_options opts = {.struct_size = sizeof opts,
                                     .scope = scope};
    const int64_t capacity = 100, demand[] = {30, 90};
    sked_schema *schema;
    sked_tree *tree;
    sked_ledger *ledger;
    sked_share *share;
    sked_queue_id id[2];

    assert_ok(sked_schema_parse("cpu", 3, NULL, &schema, NULL));
    assert_ok(sked_tree_new(schema, NULL, NULL, &tree, NULL));
    sked_queue_id root = sked_tree_root(tree);
    assert_ok(sked_tree_add(tree, root, "a", &id[0], NULL));
    assert_ok(sked_tree_add(tree, root, "b", &id[1], NULL));
    assert_ok(sked_tree_commit(tree, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_ok(sked_ledger_new(tree, NULL, NULL, &ledger, NULL));
    assert_ok(sked_ledger_set(ledger, SKED_LEDGER_DEMAND, id, demand, 2, NULL));
    assert_ok(sked_share_new(&opts, NULL, &share, NULL));
    assert_ok(sked_share_compute(share, tree, ledger, &capacity, NULL));
    assert_ok(sked_share_check(share, NULL));
    sked_ledger_free(ledger);
    sked_tree_free(tree);
    sked_schema_free(schema);
    return share;
}

static void whatever_breaks_in_shares_is_found(void **state)
{
    static const struct {
        break_share spoil;
        int32_t scope;
        const char *want;
    } each[] = {
        {child_below_nothing, 0, "children have more than their parent"},
        {child_above_its_parent, 0, "children have more than their parent"},
        {child_below_its_part, 0, "a level that leaves something over"},
        {parent_above_its_children, 0, "a level that leaves something over"},
        {child_below_its_part, SKED_SHARE_SCOPE_DOMINANT,
         "a parent has more than its children"},
        {id_of_row, 0, "an id that leads elsewhere"},
        {slot_of_row, 0, "an id that leads elsewhere"},
    };
    sked_error err;

    (void)state;
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        sked_share *share = shares_of_two(each[i].scope);
        each[i].spoil(share);
        must_say(sked_share_check(share, &err), &err, each[i].want);
        sked_share_free(share);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatever_breaks_in_the_drf_sort_is_found),
        cmocka_unit_test(whatever_breaks_in_a_hierarchy_is_found),
        cmocka_unit_test(a_seat_that_left_its_node_is_found),
        cmocka_unit_test(whatever_breaks_in_shares_is_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
