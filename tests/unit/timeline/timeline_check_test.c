/* The check finds whatever is broken: each fault is made by hand. */
#include "test.h"

#include <string.h>

#include "timeline/handle.h"
#include "timeline/search.h"

static const int64_t pool = 8;
enum { SPANS = 600 };

/* Three levels, with known gaps in leaves and above. */
static int make_line(void **state)
{
    sked_timeline *line;
    int64_t start;
    const int64_t amount = 5;

    assert_ok(sked_timeline_new(&pool, 1, NULL, &line, NULL));
    for (int64_t i = 0; i < SPANS; i++) {
        assert_ok(
            sked_timeline_add(line, 10 * i, 10 * i + 9, &amount, NULL, NULL));
    }
    for (int i = 0; i < 3; i++) {
        assert_ok(sked_timeline_earliest(line, 5, 3, &amount, &start, NULL));
        assert_i64(start, 10 * SPANS - 1);
    }
    assert_true(line->steps.levels == 3);
    assert_ok(sked_timeline_check(line, NULL));
    *state = line;
    return 0;
}

static int drop_line(void **state)
{
    sked_timeline_free(*state);
    return 0;
}

static void must_find(const sked_timeline *line, const char *fault)
{
    sked_error err;

    assert_status(SKED_ERR_INTERNAL, sked_timeline_check(line, &err));
    assert_string_equal(err.message, fault);
}

static int64_t *root_of(sked_timeline *line)
{
    return skedi_inner(&line->steps, line->steps.root);
}

/* The first child of the root, and the second leaf below. */
static int64_t *inner_of(sked_timeline *line)
{
    return skedi_inner(&line->steps,
                       skedi_inner_child(&line->steps, root_of(line))[0]);
}

static int64_t *leaf_of(sked_timeline *line)
{
    return skedi_leaf(&line->steps,
                      skedi_inner_child(&line->steps, inner_of(line))[1]);
}

/* Changes a number, expects the fault, and puts the number back. */
static void must_find_at(sked_timeline *line, int64_t *at, int64_t wrong,
                         const char *fault)
{
    int64_t right = *at;

    *at = wrong;
    must_find(line, fault);
    *at = right;
    assert_ok(sked_timeline_check(line, NULL));
}

static void faults_of_the_tree(void **state)
{
    sked_timeline *line = *state;
    int64_t *inner = inner_of(line), *leaf = leaf_of(line);
    uint32_t *refs = skedi_leaf_refs(&line->steps, leaf);

    must_find_at(line, leaf, SKEDI_STEPS_LEAST - 1, "a block has a wrong size");
    must_find_at(line, &skedi_steps_time(inner)[1], 7,
                 "a first moment is wrong");
    must_find_at(line, &skedi_inner_sum(inner, 0)[1], 7, "a sum is wrong");
    must_find_at(line, &skedi_inner_high(inner, 0)[1], 7, "a sum is wrong");
    must_find_at(line, &skedi_inner_low(inner, 0)[1], -7, "a sum is wrong");
    must_find_at(line, &skedi_inner_low(root_of(line), 0)[1], -7,
                 "a sum is wrong");
    must_find_at(line, &skedi_steps_time(leaf)[2], 0, "moments do not ascend");
    refs[2]--;
    must_find(line, "an entry has no span");
    refs[2] += 2;
    must_find(line, "an end of a span is missing");
    refs[2]--;
    must_find_at(line, &line->steps.high[0], 9, "the peak is wrong");
}

static void faults_of_a_tree_of_one_leaf(void **state)
{
    sked_timeline *line;
    const int64_t one = 1;
    (void)state;

    assert_ok(sked_timeline_new(&pool, 1, NULL, &line, NULL));
    assert_ok(sked_timeline_add(line, 3, 5, &one, NULL, NULL));
    int64_t *leaf = skedi_leaf(&line->steps, line->steps.root);
    must_find_at(line, &skedi_steps_time(leaf)[2], 3, "moments do not ascend");
    must_find_at(line, &skedi_steps_time(leaf)[2], 6,
                 "the steps are not those of the spans");
    sked_timeline_free(line);
}

static void faults_of_the_table(void **state)
{
    sked_timeline *line = *state;
    size_t width = SKEDI_SPAN_AMOUNTS + 1;
    int64_t *row = line->rows + 7 * width;
    uint64_t id = (uint64_t)row[SKEDI_SPAN_GENERATION] << 32 | 7;

    must_find_at(line, &row[SKEDI_SPAN_AMOUNTS], 4,
                 "the steps are not those of the spans");
    must_find_at(line, &row[SKEDI_SPAN_GENERATION], 2,
                 "the number of spans is wrong");
    line->free = 7;
    must_find(line, "a free slot has a span");
    line->free = SPANS + 3;
    must_find(line, "a free slot has a span");
    line->free = SKEDI_SPAN_NO_SLOT;
    assert_ok(sked_timeline_remove(line, id, NULL));
    assert_ok(sked_timeline_check(line, NULL));
    must_find_at(line, &row[SKEDI_SPAN_FROM], 7, "a free slot is there twice");
}

/* The first row with a length that a search has learned. */
static int64_t *known_gap(sked_timeline *line, uint32_t level, int64_t *block)
{
    for (uint32_t row = 0; row < SKEDI_STEPS_GAPS; row++) {
        int64_t *gap = skedi_steps_gap(&line->steps, level, block, row);
        if (gap[0] < INT64_MAX) return gap;
    }
    fail_msg("no gap is known");
    return NULL;
}

static void faults_of_known_gaps(void **state)
{
    sked_timeline *line = *state;
    int64_t *inner = inner_of(line), *root = root_of(line);
    int64_t *second = skedi_inner(&line->steps,
                                  skedi_inner_child(&line->steps, root)[1]);

    must_find_at(line, known_gap(line, 0, leaf_of(line)), 0,
                 "a known gap is too short");
    must_find_at(line, known_gap(line, 1, second), 0,
                 "a known gap is too short");
    must_find_at(line, known_gap(line, 1, second) + 1, pool,
                 "a known gap is too short");
    must_find_at(line, &skedi_inner_reach(&line->steps, inner)[1], -1,
                 "a known gap is out of reach");
    must_find_at(line, &skedi_inner_reach(&line->steps, root)[1], -1,
                 "a known gap is out of reach");
    known_gap(line, 1, second)[0] = INT64_MAX;
    must_find_at(line, &skedi_inner_reach(&line->steps, root)[1], -1,
                 "a child reaches farther than its block");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(faults_of_the_tree, make_line,
                                        drop_line),
        cmocka_unit_test(faults_of_a_tree_of_one_leaf),
        cmocka_unit_test_setup_teardown(faults_of_the_table, make_line,
                                        drop_line),
        cmocka_unit_test_setup_teardown(faults_of_known_gaps, make_line,
                                        drop_line),
    };

    return cmocka_run_group_tests_name("unit.timeline_check", tests, NULL,
                                       NULL);
}
