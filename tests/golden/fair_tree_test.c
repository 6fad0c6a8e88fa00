/*
 * Fair tree on the cases by which it is explained: what ties, what is merged,
 * and who comes last.
 */
#include "test.h"

#include <sched/fair_tree.h>

enum { MOST = 12 };

/* Ranks as printed, for the leaves; 0 for accounts. */
static void must_rank(const uint32_t *parent, const uint32_t *shares,
                      const int64_t *usage, const uint32_t *want, size_t n)
{
    uint32_t ranks[MOST];

    assert_ok(
        sked_fair_tree_ranks(parent, shares, usage, n, NULL, ranks, NULL));
    for (size_t i = 0; i < n; i++) assert_i64(ranks[i], want[i]);
}

/* A and B stand alike, so their users are ranked in one list. */
static void tied_accounts_rank_their_users_together(void **state)
{
    const uint32_t parent[] = {0, 0, 1, 1, 0, 4, 4};
    const uint32_t shares[] = {1, 1, 1, 3, 1, 1, 1};
    const int64_t usage[] = {0, 0, 10, 10, 0, 5, 15};
    const uint32_t want[] = {0, 0, 1, 3, 0, 4, 2};
    (void)state;

    must_rank(parent, shares, usage, want, 7);
}

static void tied_users_share_a_rank(void **state)
{
    const uint32_t parent[] = {0, 0, 0, 0}, shares[] = {1, 1, 1, 1};
    const int64_t usage[] = {0, 10, 10, 30};
    const uint32_t want[] = {0, 3, 3, 1};
    (void)state;

    must_rank(parent, shares, usage, want, 4);
}

static void without_shares_one_is_last(void **state)
{
    const uint32_t parent[] = {0, 0, 0, 0}, shares[] = {1, 0, 1, 1};
    const int64_t usage[] = {0, 0, 90, 10};
    const uint32_t want[] = {0, 1, 2, 3};
    (void)state;

    must_rank(parent, shares, usage, want, 4);
}

static void a_user_may_tie_with_an_account(void **state)
{
    const uint32_t parent[] = {0, 0, 0, 2, 2, 0};
    const uint32_t shares[] = {1, 1, 1, 1, 1, 2};
    const int64_t usage[] = {0, 20, 0, 10, 10, 40};
    const uint32_t want[] = {0, 4, 0, 4, 4, 4};
    (void)state;

    must_rank(parent, shares, usage, want, 6);
}

static void every_user_of_a_better_account_comes_first(void **state)
{
    const uint32_t parent[] = {0, 0, 1, 1, 0, 4, 0, 6, 6, 6};
    const uint32_t shares[] = {1, 8, 1, 3, 9, 1, 8, 4, 2, 2};
    const int64_t usage[] = {0, 0, 12, 22, 0, 40, 0, 26, 39, 42};
    const uint32_t want[] = {0, 0, 5, 6, 0, 4, 0, 3, 2, 1};
    (void)state;

    must_rank(parent, shares, usage, want, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tied_accounts_rank_their_users_together),
        cmocka_unit_test(tied_users_share_a_rank),
        cmocka_unit_test(without_shares_one_is_last),
        cmocka_unit_test(a_user_may_tie_with_an_account),
        cmocka_unit_test(every_user_of_a_better_account_comes_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
