/* Rounds of targets that fail or are stopped half way. */
#include "target_cases.h"

/* ---- Memory, cancelling ---- */

typedef struct sweep {
    tree_fixture *f;
    grown *g;
} sweep;

static sked_status compute_once_more(sked_target *t, test_host *h, sweep *s,
                                     uint32_t partition)
{
    uint64_t before = sked_target_digest(t);
    const int64_t *need = sked_target_total(t, SKED_TARGET_TOTAL_NEED, NULL);
    int64_t held = need ? *need : 0;
    sked_status rc = at(t, s->f, s->g, partition, partition + 40);
    (void)h;

    if (rc == SKED_OK) return rc;
    assert_true(sked_target_digest(t) == before);
    need = sked_target_total(t, SKED_TARGET_TOTAL_NEED, NULL);
    assert_i64(need ? *need : 0, held);
    return rc;
}

static sked_status target_scenario(test_host *h, void *arg)
{
    sked_host hooks = test_host_hooks(h);
    sked_target *t = NULL, *copy = NULL;

    sked_status rc = sked_target_new(NULL, &hooks, &t, NULL);
    if (rc == SKED_OK) rc = compute_once_more(t, h, arg, 0);
    if (rc == SKED_OK) rc = compute_once_more(t, h, arg, 2);
    if (rc == SKED_OK) rc = compute_once_more(t, h, arg, 2);
    if (rc == SKED_OK) rc = sked_target_copy(t, &hooks, &copy, NULL);
    sked_target_free(copy);
    sked_target_free(t);
    return rc;
}

static void a_round_that_fails_changes_nothing(void **state)
{
    tree_fixture *f = *state;
    grown g = grow(f);
    sweep s = {f, &g};

    test_sweep(target_scenario, &s, 0);
    sked_ledger_free(g.ledger);
}

enum { STOPPED_HERE = -1077 };

static sked_status stop_after(void *user, uint64_t done, uint64_t total)
{
    uint32_t *left = user;
    (void)done;
    (void)total;

    return (*left)-- == 0 ? STOPPED_HERE : SKED_OK;
}

static void a_round_is_stopped_at_any_look(void **state)
{
    tree_fixture *f = *state;
    grown g = grow(f);
    uint32_t left = 0, looks = 0;
    sked_host host = {
        .struct_size = sizeof host, .user = &left, .progress = stop_after};
    sked_target *t = NULL;
    sked_status rc = STOPPED_HERE;

    assert_ok(sked_target_new(NULL, &host, &t, NULL));
    left = UINT32_MAX;
    assert_ok(at(t, f, &g, 0, 40));
    uint64_t before = sked_target_digest(t);
    for (; rc == STOPPED_HERE; looks++) {
        left = looks;
        assert_true(sked_target_digest(t) == before);
        rc = at(t, f, &g, 0, 50);
    }
    assert_ok(rc);
    assert_true(looks > 6);
    sked_target_free(t);
    sked_ledger_free(g.ledger);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_case(a_round_that_fails_changes_nothing),
        tree_case(a_round_is_stopped_at_any_look),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
