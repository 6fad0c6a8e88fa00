/* Life of a tree, and what its last commit says of rows, names, values. */
#include <stdio.h>
#include <string.h>

#include "tree_fixture.h"
#include "tree/image.h"
#include "tree/handle.h"

static void a_new_tree_has_its_root_only(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id id, root = sked_tree_root(f->tree);
    size_t n;

    assert_true(root != SKED_NO_QUEUE);
    assert_int_equal(sked_tree_count(f->tree), 1);
    assert_int_equal(sked_tree_version(f->tree), 1);
    assert_int_equal(sked_tree_shape(f->tree), 1);
    assert_string_equal(sked_tree_name(f->tree, root), "root");
    assert_int_equal(sked_schema_kinds(sked_tree_schema(f->tree)), 2);
    assert_ok(sked_tree_ids(f->tree, &id, 1, &n));
    assert_true(id == root);
    assert_ok(sked_tree_leaves(f->tree, &id, 1, &n));
    assert_true(id == root);
    assert_ok(sked_tree_parent(f->tree, root, &id));
    assert_true(id == SKED_NO_QUEUE);
}

static void a_tree_is_refused_for_what_it_cannot_be(void **state)
{
    tree_fixture *f = *state;
    sked_tree_options opts = {.struct_size = sizeof opts, .flags = 1};
    sked_host host = {.struct_size = 7};
    sked_tree *tree = f->tree;

    assert_status(SKED_ERR_ARG, sked_tree_new(NULL, NULL, NULL, &tree, NULL));
    assert_null(tree);
    assert_status(SKED_ERR_ARG,
                  sked_tree_new(f->schema, NULL, NULL, NULL, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_tree_new(f->schema, &opts, NULL, &tree, NULL));
    opts = (sked_tree_options){.struct_size = sizeof opts, .max_depth = 65};
    assert_status(SKED_ERR_RANGE,
                  sked_tree_new(f->schema, &opts, NULL, &tree, NULL));
    opts = (sked_tree_options){.struct_size = sizeof opts,
                               .max_queues = SKED_MAX_QUEUES + 1};
    assert_status(SKED_ERR_RANGE,
                  sked_tree_new(f->schema, &opts, NULL, &tree, NULL));
    opts.struct_size = 3;
    assert_status(SKED_ERR_VERSION,
                  sked_tree_new(f->schema, &opts, NULL, &tree, NULL));
    assert_status(SKED_ERR_VERSION,
                  sked_tree_new(f->schema, NULL, &host, &tree, NULL));
    assert_null(tree);
    sked_tree_free(NULL);
}

static void edits_show_after_the_commit_only(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id ads = tree_add(f, f->root, "ads"), found;
    int64_t weight;

    tree_set(f, ads, SKED_QUEUE_WEIGHT, 3);
    assert_int_equal(sked_tree_count(f->tree), 1);
    assert_null(sked_tree_name(f->tree, ads));
    assert_status(SKED_ERR_NOT_FOUND,
                  sked_tree_find(f->tree, "root.ads", &found, NULL));
    assert_ok(sked_tree_find_draft(f->tree, "root.ads", &found, NULL));
    assert_true(found == ads);
    tree_commit(f);

    assert_ok(sked_tree_find(f->tree, "root.ads", &found, NULL));
    assert_true(found == ads);
    assert_ok(sked_tree_get(f->tree, ads, SKED_QUEUE_WEIGHT, &weight));
    assert_i64(weight, 3);
}

static void rows_stand_breadth_first(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id a = tree_add(f, f->root, "a"), x = tree_add(f, a, "x");
    sked_queue_id b = tree_add(f, f->root, "b"), y = tree_add(f, b, "y");
    sked_queue_id z = tree_add(f, a, "z");
    const sked_queue_id want[] = {f->root, a, b, x, z, y};
    sked_queue_id ids[6];
    size_t n;

    tree_commit(f);

    assert_ok(sked_tree_ids(f->tree, ids, 6, &n));
    assert_int_equal(n, 6);
    assert_memory_equal(ids, want, sizeof want);
    assert_ok(sked_tree_leaves(f->tree, ids, 3, &n));
    assert_memory_equal(ids, want + 3, 3 * sizeof *want);
    assert_ok(sked_tree_children(f->tree, a, ids, 2, &n));
    assert_memory_equal(ids, want + 3, 2 * sizeof *want);
}

static void versions_count_commits_shapes_only_new_rows(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id a = tree_add(f, f->root, "a");

    tree_commit(f);
    assert_int_equal(sked_tree_version(f->tree), 2);
    assert_int_equal(sked_tree_shape(f->tree), 2);

    tree_set(f, a, SKED_QUEUE_WEIGHT, 2);
    assert_ok(sked_tree_rename(f->tree, a, "b", NULL));
    tree_commit(f);
    assert_int_equal(sked_tree_version(f->tree), 3);
    assert_int_equal(sked_tree_shape(f->tree), 2);

    sked_queue_id gone = tree_add(f, f->root, "c");
    assert_ok(sked_tree_remove(f->tree, gone, NULL, 0, NULL));
    tree_commit(f); /* built anew, to the same rows */
    assert_int_equal(sked_tree_shape(f->tree), 2);
}

static void reads_say_how_many_there_are(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id id = 77;
    int32_t row;
    int64_t value = 77;
    size_t n = 0;

    tree_add(f, f->root, "a");
    tree_add(f, f->root, "b");
    tree_commit(f);
    assert_status(SKED_ERR_RANGE, sked_tree_ids(f->tree, &id, 1, &n));
    assert_int_equal(n, 3);
    assert_status(SKED_ERR_RANGE, sked_tree_leaves(f->tree, &id, 1, &n));
    assert_int_equal(n, 2);
    assert_status(SKED_ERR_RANGE,
                  sked_tree_children(f->tree, f->root, &id, 1, &n));
    assert_status(SKED_ERR_RANGE,
                  sked_tree_rows(f->tree, &row, NULL, NULL, 1, &n));
    assert_status(SKED_ERR_RANGE,
                  sked_tree_column(f->tree, SKED_QUEUE_TIER, &value, 1, &n));
    assert_status(SKED_ERR_RANGE, sked_tree_column_vec(f->tree, SKED_QUEUE_LEND,
                                                       0, 0, &value, 1, &n));
    assert_int_equal(n, 3);
    assert_true(id == 77 && value == 77);
    assert_ok(sked_tree_rows(f->tree, NULL, NULL, NULL, 3, &n));
}

static void null_arguments_are_refused(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id id;
    int64_t value;
    uint32_t line;
    size_t n;

    assert_true(sked_tree_root(NULL) == SKED_NO_QUEUE);
    assert_true(!sked_tree_version(NULL) && !sked_tree_shape(NULL));
    assert_true(!sked_tree_count(NULL) && !sked_tree_digest(NULL));
    assert_null(sked_tree_schema(NULL));
    assert_null(sked_tree_name(NULL, f->root));
    assert_null(sked_tree_get_text(NULL, f->root, SKED_QUEUE_LABEL));
    assert_null(sked_tree_get_text(f->tree, f->root, SKED_QUEUE_WEIGHT));
    assert_status(SKED_ERR_ARG, sked_tree_ids(f->tree, NULL, 1, &n));
    assert_status(SKED_ERR_ARG, sked_tree_ids(NULL, &id, 1, &n));
    assert_status(SKED_ERR_ARG, sked_tree_leaves(f->tree, &id, 1, NULL));
    assert_status(SKED_ERR_ARG, sked_tree_children(NULL, 1, &id, 1, &n));
    assert_status(SKED_ERR_ARG, sked_tree_rows(NULL, NULL, NULL, NULL, 1, &n));
    assert_status(SKED_ERR_ARG, sked_tree_row(f->tree, f->root, NULL));
    assert_status(SKED_ERR_ARG, sked_tree_parent(f->tree, f->root, NULL));
    assert_status(SKED_ERR_ARG, sked_tree_line(f->tree, f->root, NULL));
    assert_status(SKED_ERR_ARG, sked_tree_line(NULL, f->root, &line));
    assert_status(SKED_ERR_ARG, sked_tree_path(NULL, f->root, NULL, 0, &n));
    assert_status(SKED_ERR_ARG, sked_tree_path(f->tree, f->root, NULL, 9, &n));
    assert_status(SKED_ERR_ARG, sked_tree_find(f->tree, NULL, &id, NULL));
    assert_status(SKED_ERR_ARG, sked_tree_find_draft(f->tree, "a", NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_tree_get(f->tree, f->root, 0, &value));
    assert_status(SKED_ERR_ARG, sked_tree_effective(f->tree, f->root, 1, NULL));
    assert_status(SKED_ERR_ARG, sked_tree_get_vec(f->tree, f->root, 1, &value));
    assert_status(SKED_ERR_ARG, sked_tree_column(f->tree, 32, &value, 1, &n));
    assert_status(SKED_ERR_ARG, sked_tree_column(f->tree, 1, NULL, 1, &n));
    assert_status(SKED_ERR_ARG,
                  sked_tree_column_vec(f->tree, 32, 2, 0, &value, 1, &n));
    assert_status(SKED_ERR_ARG,
                  sked_tree_column_vec(f->tree, 32, 0, -1, &value, 1, &n));
    assert_status(SKED_ERR_ARG,
                  sked_tree_column_vec(f->tree, 1, 0, 0, &value, 1, &n));
    assert_status(SKED_ERR_ARG,
                  sked_tree_column_vec(f->tree, 32, 0, 0, NULL, 1, &n));
    assert_status(SKED_ERR_ARG,
                  sked_tree_user_weight(f->tree, f->root, NULL, &value));
    assert_status(SKED_ERR_ARG, sked_tree_check(NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_tree_copy(NULL, NULL, NULL, NULL));
}

static void stale_ids_are_caught_by_every_read(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id a = tree_add(f, f->root, "a"), id;
    int64_t value;
    uint32_t line;
    size_t n;

    tree_commit(f);
    assert_ok(
        sked_tree_remove(f->tree, a, NULL, SKED_TREE_REMOVE_REFUSE, NULL));
    tree_commit(f);
    assert_true(tree_add(f, f->root, "b") != a); /* in the same slot */
    tree_commit(f);

    const sked_queue_id gone[] = {a, SKED_NO_QUEUE, UINT64_MAX, a + 100};
    for (size_t i = 0; i < 4; i++) {
        sked_queue_id q = gone[i];
        assert_status(SKED_ERR_STALE, sked_tree_row(f->tree, q, &n));
        assert_status(SKED_ERR_STALE, sked_tree_parent(f->tree, q, &id));
        assert_status(SKED_ERR_STALE,
                      sked_tree_children(f->tree, q, &id, 1, &n));
        assert_status(SKED_ERR_STALE, sked_tree_path(f->tree, q, NULL, 0, &n));
        assert_status(SKED_ERR_STALE, sked_tree_line(f->tree, q, &line));
        assert_status(SKED_ERR_STALE, sked_tree_get(f->tree, q, 1, &value));
        assert_status(SKED_ERR_STALE,
                      sked_tree_effective(f->tree, q, 1, &value));
        assert_status(SKED_ERR_STALE,
                      sked_tree_get_vec(f->tree, q, 32, &value));
        assert_status(SKED_ERR_STALE,
                      sked_tree_user_weight(f->tree, q, "u", &value));
        assert_null(sked_tree_name(f->tree, q));
        assert_null(sked_tree_get_text(f->tree, q, SKED_QUEUE_LABEL));
    }
}

static void a_worn_out_slot_is_never_used_again(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id a = tree_add(f, f->root, "a");

    f->tree->draft.slot[(uint32_t)a].generation = UINT32_MAX;
    a = (sked_queue_id)UINT32_MAX << 32 | (uint32_t)a;
    tree_commit(f);
    assert_ok(
        sked_tree_remove(f->tree, a, NULL, SKED_TREE_REMOVE_REFUSE, NULL));
    tree_commit(f);

    assert_true((uint32_t)tree_add(f, f->root, "b") != (uint32_t)a);
}

/* [CAP-1] [CAP-2] */
static void parts_resolve_against_the_capacity(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id a = tree_add(f, f->root, "a"), b = tree_add(f, f->root, "b");
    sked_queue_id x = tree_add(f, a, "x");
    const int64_t guarantee[] = {0, 333, 667, 166};
    const int64_t limit[] = {SKED_UNLIMITED, 600, SKED_UNLIMITED, 300};
    int64_t column[4];
    size_t n;

    tree_set(f, a, SKED_QUEUE_GUARANTEE_PPM, 333333);
    tree_set(f, b, SKED_QUEUE_GUARANTEE_PPM, 667000);
    tree_set(f, x, SKED_QUEUE_GUARANTEE_PPM, 500000);
    tree_set(f, a, SKED_QUEUE_LIMIT_PPM, 600000);
    tree_set(f, x, SKED_QUEUE_LIMIT_PPM, 500000);
    tree_commit(f);

    assert_ok(sked_tree_column_vec(f->tree, SKED_QUEUE_GUARANTEE, 0, 1000,
                                   column, 4, &n));
    assert_memory_equal(column, guarantee, sizeof guarantee);
    assert_ok(sked_tree_column_vec(f->tree, SKED_QUEUE_LIMIT, 1, 1000, column,
                                   4, &n));
    assert_memory_equal(column, limit, sizeof limit);
}

/* [MON-11] */
static void preemption_settings_are_inherited(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id a = tree_add(f, f->root, "a"), x = tree_add(f, a, "x");
    int64_t value;

    tree_set(f, f->root, SKED_QUEUE_PREEMPT_FAIR_THRESHOLD, 400000);
    tree_set(f, a, SKED_QUEUE_PREEMPT_FROM, 0);
    tree_set(f, x, SKED_QUEUE_PREEMPT_FROM, 1);
    tree_set(f, x, SKED_QUEUE_PREEMPT_MIN_TIMEOUT, 15);
    tree_commit(f);

    assert_ok(sked_tree_effective(f->tree, x, SKED_QUEUE_PREEMPT_FAIR_THRESHOLD,
                                  &value));
    assert_i64(value, 400000);
    assert_ok(sked_tree_effective(f->tree, x, SKED_QUEUE_PREEMPT_FROM, &value));
    assert_i64(value, 0);
    assert_ok(sked_tree_effective(f->tree, x, SKED_QUEUE_PREEMPT_MIN_TIMEOUT,
                                  &value));
    assert_i64(value, 15);
    assert_ok(sked_tree_effective(f->tree, a, SKED_QUEUE_PREEMPT_MIN_TIMEOUT,
                                  &value));
    assert_i64(value, SKED_UNLIMITED);
}

static void what_was_read_stays_until_the_next_commit(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id a = tree_add(f, f->root, "first");
    char name[200];

    tree_commit(f);
    const char *held = sked_tree_name(f->tree, a);
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = 0;
    for (char c = 'a'; c <= 'z'; c++) {
        name[0] = c;
        assert_ok(sked_tree_rename(f->tree, a, name, NULL));
    }
    assert_string_equal(held, "first");
    tree_commit(f);
    assert_string_equal(sked_tree_name(f->tree, a), name);
}

static void a_copy_goes_its_own_way(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id a = tree_add(f, f->root, "a"), b, c;
    sked_tree *copy;

    tree_commit(f);
    b = tree_add(f, a, "b");
    assert_ok(sked_tree_copy(f->tree, NULL, &copy, NULL));
    assert_true(sked_tree_digest(copy) == sked_tree_digest(f->tree));
    assert_ok(sked_tree_commit(copy, SKED_TREE_COMMIT_STRICT, NULL));
    assert_string_equal(sked_tree_name(copy, b), "b");
    assert_null(sked_tree_name(f->tree, b));
    assert_ok(sked_tree_add(copy, a, "c", &c, NULL));
    assert_true(sked_tree_digest(copy) != sked_tree_digest(f->tree));
    sked_tree_free(copy);
}

/* Ids agree in two trees that went the same way; what they mean is told apart
 * by the history of each queue. */
static void births_tell_whether_ids_mean_the_same(void **state)
{
    tree_fixture *f = *state;
    sked_tree *other;
    sked_queue_id a = tree_add(f, f->root, "a"), b;

    tree_commit(f);
    assert_ok(sked_tree_new(f->schema, NULL, NULL, &other, NULL));
    assert_ok(sked_tree_add(other, sked_tree_root(other), "b", &b, NULL));
    assert_ok(sked_tree_commit(other, SKED_TREE_COMMIT_STRICT, NULL));

    assert_true(a == b);
    assert_true(skedi_tree_image(f->tree)->birth[0] ==
                skedi_tree_image(other)->birth[0]);
    assert_true(skedi_tree_image(f->tree)->birth[1] !=
                skedi_tree_image(other)->birth[1]);
    assert_true(skedi_tree_image(f->tree)->shape_key !=
                skedi_tree_image(other)->shape_key);
    assert_true(skedi_tree_image(f->tree)->key != skedi_tree_image(other)->key);
    sked_tree_free(other);
}

static void changes_are_known_row_by_row(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id a = tree_add(f, f->root, "a"), b = tree_add(f, f->root, "b");
    uint32_t rows[4];
    size_t n;

    tree_commit(f);
    tree_set(f, b, SKED_QUEUE_WEIGHT, 2);
    tree_commit(f);
    tree_set(f, a, SKED_QUEUE_WEIGHT, 3);
    assert_ok(sked_tree_rename(f->tree, b, "c", NULL)); /* no share changes */
    tree_commit(f);

    assert_true(skedi_tree_changes_since(f->tree, 2, rows, 4, &n));
    assert_int_equal(n, 2);
    assert_true(rows[0] == 2 && rows[1] == 1);
    assert_true(skedi_tree_changes_since(f->tree, 3, rows, 4, &n));
    assert_true(n == 1 && rows[0] == 1);
    assert_true(skedi_tree_changes_since(f->tree, 4, rows, 4, &n));
    assert_int_equal(n, 0);
    assert_false(skedi_tree_changes_since(f->tree, 1, rows, 4, &n));
    assert_false(skedi_tree_changes_since(f->tree, 5, rows, 4, &n));
    assert_false(skedi_tree_changes_since(f->tree, 2, rows, 1, &n));
}

static void old_changes_are_forgotten_in_order(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id a = tree_add(f, f->root, "a");
    uint32_t rows[512];
    size_t n;

    tree_commit(f);
    for (int64_t i = 0; i < 400; i++) {
        tree_set(f, a, SKED_QUEUE_PRIORITY, i + 1);
        tree_commit(f);
    }
    uint64_t now = sked_tree_version(f->tree);
    for (uint64_t back = 0; back < 256; back++) {
        assert_true(
            skedi_tree_changes_since(f->tree, now - back, rows, 512, &n));
        assert_int_equal(n, back);
    }
    assert_false(skedi_tree_changes_since(f->tree, now - 300, rows, 512, &n));
}

static void traced(void *user, const sked_trace *record)
{
    *(sked_trace *)user = *record;
}

static void a_commit_leaves_a_trace(void **state)
{
    tree_fixture *f = *state;
    sked_trace seen = {0};
    sked_host host = {
        .struct_size = sizeof host, .user = &seen, .trace = traced};
    sked_tree *tree;

    assert_ok(sked_tree_new(f->schema, NULL, &host, &tree, NULL));
    assert_ok(sked_tree_set(tree, sked_tree_root(tree), 7, 5, NULL));
    assert_ok(sked_tree_commit(tree, SKED_TREE_COMMIT_STRICT, NULL));
    assert_int_equal(seen.what, SKED_TRACE_COMMIT);
    assert_i64(seen.a, 2);
    assert_i64(seen.b, 1);
    assert_i64(seen.c, 1);
    sked_tree_free(tree);
}

static void logged(void *user, int32_t level, const char *line)
{
    char *seen = user;

    assert_int_equal(level, SKED_LOG_INFO);
    snprintf(seen, 80, "%s", line);
}

static void a_commit_is_logged_with_its_version(void **state)
{
    tree_fixture *f = *state;
    char seen[80] = "";
    sked_host host = {.struct_size = sizeof host,
                      .user = seen,
                      .log = logged,
                      .log_level = SKED_LOG_INFO};
    sked_tree *tree;

    assert_ok(sked_tree_new(f->schema, NULL, &host, &tree, NULL));
    assert_ok(sked_tree_set(tree, sked_tree_root(tree), 7, 5, NULL));
    assert_string_equal(seen, "");
    assert_ok(sked_tree_commit(tree, SKED_TREE_COMMIT_STRICT, NULL));
    assert_string_equal(seen, "tree committed, version 2");
    sked_tree_free(tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_case(a_new_tree_has_its_root_only),
        tree_case(a_tree_is_refused_for_what_it_cannot_be),
        tree_case(edits_show_after_the_commit_only),
        tree_case(rows_stand_breadth_first),
        tree_case(versions_count_commits_shapes_only_new_rows),
        tree_case(reads_say_how_many_there_are),
        tree_case(null_arguments_are_refused),
        tree_case(stale_ids_are_caught_by_every_read),
        tree_case(a_worn_out_slot_is_never_used_again),
        tree_case(parts_resolve_against_the_capacity),
        tree_case(preemption_settings_are_inherited),
        tree_case(what_was_read_stays_until_the_next_commit),
        tree_case(a_copy_goes_its_own_way),
        tree_case(births_tell_whether_ids_mean_the_same),
        tree_case(changes_are_known_row_by_row),
        tree_case(old_changes_are_forgotten_in_order),
        tree_case(a_commit_leaves_a_trace),
        tree_case(a_commit_is_logged_with_its_version),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
