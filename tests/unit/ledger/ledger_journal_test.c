/* The journal of a ledger: what changed, and for how long it is told. */
#include "test.h"

#include <sched/ledger.h>
#include <sched/tree.h>

#include "host.h"
#include "ledger/handle.h"
#include "ledger_world.h"

static void the_journal_tells_what_changed(void **state)
{
    world *w = *state;
    skedi_ledger_mark mark = skedi_ledger_now(w->ledger);
    uint32_t rows[4];
    size_t n, ads;

    assert_ok(sked_tree_row(w->tree, w->ads, &ads));
    set(w, SKED_LEDGER_DEMAND, w->ads, 1, 1);
    set(w, SKED_LEDGER_USAGE, w->ads, 1, 0);
    set(w, SKED_LEDGER_USAGE, w->web, 0, 0);   /* nothing new */
    set(w, SKED_LEDGER_HISTORY, w->web, 5, 5); /* no reader follows it */

    assert_true(skedi_ledger_changes_since(w->ledger, mark, rows, 4, &n));
    assert_i64((int64_t)n, 1);
    assert_i64(rows[0], (int64_t)ads);
    assert_false(skedi_ledger_changes_since(w->ledger, mark, rows, 0, &n));
}

static void the_journal_forgets_and_says_so(void **state)
{
    world *w = *state;
    skedi_ledger_mark mark = skedi_ledger_now(w->ledger), mid;
    uint32_t rows[4];
    size_t n;

    for (int i = 1; i <= 64; i++) {
        set(w, SKED_LEDGER_DEMAND, i % 2 ? w->ads : w->web, i, 0);
    }
    assert_true(skedi_ledger_changes_since(w->ledger, mark, rows, 4, &n));
    assert_i64((int64_t)n, 2);
    mid = skedi_ledger_now(w->ledger);
    set(w, SKED_LEDGER_DEMAND, w->ops, 1, 0);
    assert_false(skedi_ledger_changes_since(w->ledger, mark, rows, 4, &n));
    assert_true(skedi_ledger_changes_since(w->ledger, mid, rows, 4, &n));
    assert_i64((int64_t)n, 1);
}

static void a_mark_is_good_for_its_own_history_only(void **state)
{
    world *w = *state;
    sked_ledger *copy;
    const int64_t amounts[KINDS] = {9, 9};
    uint32_t rows[4];
    size_t n;

    set(w, SKED_LEDGER_DEMAND, w->ads, 1, 0);
    assert_ok(sked_ledger_copy(w->ledger, NULL, &copy, NULL));
    skedi_ledger_mark mark = skedi_ledger_now(w->ledger);
    assert_true(skedi_ledger_changes_since(copy, mark, rows, 4, &n));
    assert_i64((int64_t)n, 0);
    set(w, SKED_LEDGER_DEMAND, w->web, 1, 0);
    assert_ok(
        sked_ledger_set(copy, SKED_LEDGER_DEMAND, &w->ops, amounts, 1, NULL));
    mark = skedi_ledger_now(w->ledger);
    assert_false(skedi_ledger_changes_since(copy, mark, rows, 4, &n));
    sked_ledger_free(copy);
}

static void a_larger_journal_keeps_what_it_told(void **state)
{
    world *w = *state;
    skedi_ledger_mark mark = skedi_ledger_now(w->ledger);
    uint32_t rows[4];
    size_t n;

    set(w, SKED_LEDGER_DEMAND, w->ads, 1, 0);
    set(w, SKED_LEDGER_DEMAND, w->ops, 1, 0);
    assert_ok(sked_ledger_reserve(w->ledger, 1000, NULL));
    assert_ok(sked_ledger_reserve(w->ledger, 10, NULL)); /* it has the room */
    assert_true(skedi_ledger_changes_since(w->ledger, mark, rows, 4, &n));
    assert_i64((int64_t)n, 2);
    must_have(w, SKED_LEDGER_DEMAND, w->root, 2, 0);
    assert_ok(sked_ledger_check(w->ledger, NULL));
}

static void follow_takes_memory_only_when_it_must(void **state)
{
    world *w = *state;
    sked_host hooks = test_host_hooks(&w->host);
    sked_ledger *ledger;

    hooks.flags = SKED_HOST_FLAG_RESERVED_ONLY;
    assert_ok(sked_ledger_new(w->tree, NULL, &hooks, &ledger, NULL));
    assert_ok(sked_ledger_reserve(ledger, 8, NULL));
    w->host.trap = 1;
    (void)add(w->tree, w->root, "ml");
    (void)add(w->tree, w->eng, "ml");
    assert_ok(sked_tree_commit(w->tree, SKED_TREE_COMMIT_STRICT, NULL));
    assert_ok(sked_ledger_follow(ledger, w->tree, NULL));
    (void)add(w->tree, w->root, "last");
    assert_ok(sked_tree_commit(w->tree, SKED_TREE_COMMIT_STRICT, NULL));
    assert_ok(sked_ledger_follow(ledger, w->tree, NULL));
    w->host.trap = 0;
    (void)add(w->tree, w->root, "too many");
    assert_ok(sked_tree_commit(w->tree, SKED_TREE_COMMIT_STRICT, NULL));
    assert_status(SKED_ERR_NOMEM, sked_ledger_follow(ledger, w->tree, NULL));
    assert_ok(sked_ledger_reserve(ledger, 9, NULL));
    assert_ok(sked_ledger_follow(ledger, w->tree, NULL));
    sked_ledger_free(ledger);
}

/* The checker sees what edits never make. */
static void the_check_finds_what_is_broken(void **state)
{
    world *w = *state;
    skedi_ledger_plan *plan = &w->ledger->live;
    sked_error err;

    plan->cells[0] = 1;
    assert_status(SKED_ERR_INTERNAL, sked_ledger_check(w->ledger, &err));
    assert_string_equal(err.message, "a sum is wrong");
    plan->cells[0] = -1;
    assert_status(SKED_ERR_INTERNAL, sked_ledger_check(w->ledger, &err));
    assert_string_equal(err.message, "amount is out of range");
    plan->cells[0] = 0;
    plan->rows[1].leaf = 1;
    assert_status(SKED_ERR_INTERNAL, sked_ledger_check(w->ledger, &err));
    assert_string_equal(err.message, "a leaf has children");
    plan->rows[1].leaf = 0;
    plan->rows[1].parent = 3;
    assert_status(SKED_ERR_INTERNAL, sked_ledger_check(w->ledger, &err));
    assert_string_equal(err.message, "a parent does not come first");
    plan->rows[1].parent = 0;
    plan->rows[1].id++;
    assert_status(SKED_ERR_INTERNAL, sked_ledger_check(w->ledger, &err));
    assert_string_equal(err.message, "an id does not lead to its row");
    plan->rows[1].id--;
    assert_ok(sked_ledger_check(w->ledger, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ledger_case(the_journal_tells_what_changed),
        ledger_case(the_journal_forgets_and_says_so),
        ledger_case(a_mark_is_good_for_its_own_history_only),
        ledger_case(a_larger_journal_keeps_what_it_told),
        ledger_case(follow_takes_memory_only_when_it_must),
        ledger_case(the_check_finds_what_is_broken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
