/* Rules: comparisons, logic of three values, and what is refused. [PEL-4] */
#include "test.h"

#include <sched/rule.h>

enum { RACK = 1, MODEL = 2, TAINT = 3, WEB = 4, VOLUME = 5 };

#define ONE(op_, key_, value_)                                                 \
    ((sked_rule_term){                                                         \
        .op = SKED_RULE_OP_##op_, .key = (key_), .value = (value_)})
#define JOIN(op_, n_) ((sked_rule_term){.op = SKED_RULE_OP_##op_, .n = (n_)})
#define BY(op_, tag_, value_, first_, n_)                                      \
    ((sked_rule_term){.op = SKED_RULE_OP_##op_,                                \
                      .key = (tag_),                                           \
                      .value = (value_),                                       \
                      .first = (first_),                                       \
                      .n = (n_)})
#define AMONG(key_, first_, n_)                                                \
    ((sked_rule_term){                                                         \
        .op = SKED_RULE_OP_IN, .key = (key_), .first = (first_), .n = (n_)})

/* A node in rack 7 with two models of GPU, on which three tasks run. */
static const sked_rule_attribute the_node[] = {
    {RACK, 7}, {MODEL, 40}, {MODEL, 80}};
static const sked_rule_attribute the_work[] = {{9, 1}, {WEB, 3}};
static const int64_t the_values[] = {5, 40, 100, 7};

static sked_rule_input the_input(const sked_rule_term *terms, uint64_t n)
{
    return (sked_rule_input){
        .struct_size = sizeof(sked_rule_input),
        .flags = SKED_RULE_FLAG_NODE | SKED_RULE_FLAG_WORK,
        .terms = terms,
        .n_terms = n,
        .values = the_values,
        .n_values = 4,
        .node = the_node,
        .n_node = 3,
        .work = the_work,
        .n_work = 2,
    };
}

static int32_t answer_of(const sked_rule_term *terms, uint64_t n,
                         uint32_t flags)
{
    sked_rule_input in = the_input(terms, n);
    int32_t answer = -1;

    in.flags = flags;
    assert_ok(sked_rule_judge(&in, &answer, NULL));
    return answer;
}

static void each_comparison_says_what_it_says(void **state)
{
    const struct {
        sked_rule_term term;
        int32_t answer;
    } cases[] = {
        {ONE(EQUAL, RACK, 7), 1},     {ONE(EQUAL, RACK, 8), 0},
        {ONE(EQUAL, MODEL, 80), 1},   {ONE(EQUAL, TAINT, 0), 0},
        {ONE(NOT, RACK, 7), 0},       {ONE(NOT, RACK, 8), 1},
        {ONE(NOT, MODEL, 40), 0},     {ONE(NOT, TAINT, 0), 1},
        {ONE(LESS, MODEL, 41), 1},    {ONE(LESS, MODEL, 40), 0},
        {ONE(LESS, TAINT, 100), 0},   {ONE(GREATER, MODEL, 79), 1},
        {ONE(GREATER, MODEL, 80), 0}, {ONE(GREATER, TAINT, -1), 0},
        {ONE(EXISTS, RACK, 0), 1},    {ONE(EXISTS, TAINT, 0), 0},
        {ONE(ABSENT, RACK, 0), 0},    {ONE(ABSENT, TAINT, 0), 1},
        {AMONG(MODEL, 0, 2), 1},      {AMONG(MODEL, 2, 2), 0},
        {AMONG(RACK, 3, 1), 1},       {AMONG(TAINT, 0, 4), 0},
        {ONE(AT_MOST, WEB, 3), 1},    {ONE(AT_MOST, WEB, 2), 0},
        {ONE(AT_LEAST, WEB, 3), 1},   {ONE(AT_LEAST, WEB, 4), 0},
        {ONE(AT_MOST, TAINT, 0), 1},  {ONE(AT_LEAST, TAINT, 1), 0},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int work = cases[i].term.op >= SKED_RULE_OP_AT_MOST;
        assert_int_equal(answer_of(&cases[i].term, 1, 3), cases[i].answer);
        assert_int_equal(answer_of(&cases[i].term, 1, work ? 1 : 2),
                         SKED_RULE_ANSWER_PASS);
        assert_int_equal(answer_of(&cases[i].term, 1, work ? 2 : 1),
                         cases[i].answer);
    }
}

/* All pairs of answers: AND and OR, what does not apply neutral. */
static void answers_join_in_three_values(void **state)
{
    const sked_rule_term of[] = {ONE(EQUAL, RACK, 8), ONE(EQUAL, RACK, 7),
                                 ONE(AT_MOST, WEB, 0)};
    static const int32_t both[3][3] = {{0, 0, 0}, {0, 1, 1}, {0, 1, 2}};
    static const int32_t any[3][3] = {{0, 1, 0}, {1, 1, 1}, {0, 1, 2}};
    (void)state;

    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) {
            sked_rule_term terms[] = {of[a], of[b], JOIN(AND, 2)};
            assert_int_equal(answer_of(terms, 3, 1), both[a][b]);
            assert_int_equal(answer_of(terms, 2, 1), both[a][b]);
            terms[2] = JOIN(OR, 2);
            assert_int_equal(answer_of(terms, 3, 1), any[a][b]);
        }
    }
    assert_int_equal(answer_of(NULL, 0, 3), SKED_RULE_ANSWER_PASS);
}

/* a and (b or c), and what is left over. */
static void rules_nest(void **state)
{
    sked_rule_term terms[] = {ONE(EQUAL, RACK, 7),   ONE(EQUAL, MODEL, 1),
                              ONE(EQUAL, MODEL, 80), JOIN(OR, 2),
                              JOIN(AND, 2),          ONE(ABSENT, TAINT, 0)};
    (void)state;

    assert_int_equal(answer_of(terms, 5, 1), 1);
    assert_int_equal(answer_of(terms, 6, 1), 1);
    terms[2].value = 81;
    assert_int_equal(answer_of(terms, 6, 1), 0);
    terms[0].value = 1; /* (a or b) or c, of one each */
    terms[1].value = 40;
    terms[4] = JOIN(OR, 2);
    assert_int_equal(answer_of(terms, 6, 1), 1);
}

static int32_t by_tally(sked_rule_term term, int64_t count, int64_t least,
                        const int64_t *values)
{
    const sked_rule_tally tallies[] = {
        {WEB, TAINT, 99, 0}, {9, RACK, 99, 0}, {WEB, RACK, count, least}};
    sked_rule_input in = the_input(&term, 1);
    int32_t answer = -1;

    in.values = values;
    in.n_values = 3;
    in.tallies = tallies;
    in.n_tallies = 3;
    assert_ok(sked_rule_judge(&in, &answer, NULL));
    return answer;
}

/* By rack tallies count, not what runs on the node; a spread is over the values
 * that it lists, or all. */
static void work_is_counted_by_attributes(void **state)
{
    const int64_t in_rack[] = {RACK, 5, 7}, other[] = {RACK, 5, 6};
    const int64_t tainted[] = {TAINT, 5, 7};
    (void)state;

    assert_int_equal(by_tally(BY(AT_MOST, WEB, 2, 0, 1), 2, 0, in_rack), 1);
    assert_int_equal(by_tally(BY(AT_MOST, WEB, 2, 0, 1), 3, 0, in_rack), 0);
    assert_int_equal(by_tally(BY(AT_LEAST, WEB, 4, 0, 1), 4, 0, in_rack), 1);
    assert_int_equal(by_tally(BY(AT_LEAST, WEB, 4, 0, 1), 3, 0, in_rack), 0);
    assert_int_equal(by_tally(BY(AT_LEAST, 77, 1, 0, 1), 3, 0, in_rack), 0);
    assert_int_equal(by_tally(BY(AT_LEAST, WEB, 4, 0, 0), 9, 0, in_rack), 0);
    for (uint32_t n = 1; n <= 3; n += 2) {
        sked_rule_term spread = BY(SPREAD, WEB, 2, 0, n);
        assert_int_equal(by_tally(spread, 5, 4, in_rack), 1);
        assert_int_equal(by_tally(spread, 5, 3, in_rack), 0);
        assert_int_equal(by_tally(spread, 5, INT64_MIN, in_rack), 0);
        assert_int_equal(by_tally(spread, 5, 4, other), n == 1);
        assert_int_equal(by_tally(spread, 0, 0, tainted), 0);
    }
}

/* As many terms as there may be, all joined at once or one by one. */
static void the_longest_rules_are_judged(void **state)
{
    static sked_rule_term terms[SKED_MAX_RULE_TERMS];
    (void)state;

    for (uint32_t i = 0; i < SKED_MAX_RULE_TERMS; i++) {
        terms[i] = ONE(EQUAL, RACK, i == 500 ? 7 : 8);
    }
    terms[SKED_MAX_RULE_TERMS - 1] = JOIN(OR, SKED_MAX_RULE_TERMS - 1);
    assert_int_equal(answer_of(terms, SKED_MAX_RULE_TERMS, 1), 1);
    for (uint32_t i = 2; i < SKED_MAX_RULE_TERMS; i += 2) {
        terms[i] = JOIN(OR, 2);
    }
    terms[501] = ONE(EQUAL, RACK, 7);
    assert_int_equal(answer_of(terms, SKED_MAX_RULE_TERMS - 1, 1), 1);
    terms[501].value = 8;
    assert_int_equal(answer_of(terms, SKED_MAX_RULE_TERMS - 1, 1), 0);
}

static void refused(const sked_rule_term *terms, uint64_t n, sked_status rc,
                    int64_t row, const char *what)
{
    sked_rule_input in = the_input(terms, n);
    sked_error err;
    int32_t answer = 77;

    assert_status(rc, sked_rule_judge(&in, &answer, &err));
    assert_int_equal(answer, 77);
    assert_i64(err.row, row);
    assert_string_equal(err.message, what);
}

static void what_is_no_rule_is_refused(void **state)
{
    const char *field = "the term does not read this field";
    const char *joins = "the term joins other answers";
    sked_rule_term fine = ONE(EQUAL, RACK, 7), t[2] = {fine, fine};
    (void)state;

#define WRONG(term, rc, what)                                                  \
    do {                                                                       \
        t[1] = (term);                                                         \
        refused(t, 2, rc, 1, what);                                            \
    } while (0)
    WRONG(((sked_rule_term){.op = 0}), SKED_ERR_ARG, "no such comparison");
    WRONG(((sked_rule_term){.op = 14}), SKED_ERR_ARG, "no such comparison");
    WRONG(ONE(HOST, VOLUME, 1), SKED_ERR_ARG, field);
    WRONG(BY(HOST, VOLUME, 0, 0, 1), SKED_ERR_ARG, field);
    WRONG(BY(HOST, VOLUME, 0, 1, 0), SKED_ERR_ARG, field);
    WRONG(JOIN(AND, 0), SKED_ERR_ARG, joins);
    WRONG(JOIN(OR, 2), SKED_ERR_ARG, joins);
    WRONG(((sked_rule_term){.op = 1, .n = 1, .key = 1}), SKED_ERR_ARG, field);
    WRONG(((sked_rule_term){.op = 1, .n = 1, .value = 1}), SKED_ERR_ARG, field);
    WRONG(((sked_rule_term){.op = 2, .n = 1, .first = 1}), SKED_ERR_ARG, field);
    WRONG(((sked_rule_term){.op = 3, .n = 1}), SKED_ERR_ARG, field);
    WRONG(((sked_rule_term){.op = 3, .first = 1}), SKED_ERR_ARG, field);
    WRONG(ONE(EXISTS, RACK, 1), SKED_ERR_ARG, field);
    WRONG(ONE(ABSENT, RACK, 1), SKED_ERR_ARG, field);
    WRONG(AMONG(RACK, 0, 0), SKED_ERR_ARG, field);
    WRONG(((sked_rule_term){.op = 5, .n = 1, .value = 1}), SKED_ERR_ARG, field);
    WRONG(AMONG(RACK, 3, 2), SKED_ERR_RANGE, "no such values");
    WRONG(AMONG(RACK, 5, 1), SKED_ERR_RANGE, "no such values");
    WRONG(AMONG(RACK, UINT32_MAX, UINT32_MAX), SKED_ERR_RANGE,
          "no such values");
    WRONG(ONE(AT_MOST, WEB, -1), SKED_ERR_RANGE, "count is out of range");
    WRONG(ONE(AT_LEAST, WEB, -1), SKED_ERR_RANGE, "count is out of range");
    WRONG(BY(AT_MOST, WEB, 1, 0, 2), SKED_ERR_ARG, field);
    WRONG(BY(AT_MOST, WEB, 1, 4, 1), SKED_ERR_RANGE, "no such values");
    WRONG(BY(AT_LEAST, WEB, 1, 1, 0), SKED_ERR_ARG, field);
    WRONG(BY(SPREAD, WEB, 1, 0, 0), SKED_ERR_ARG, field);
    WRONG(BY(SPREAD, WEB, 0, 0, 1), SKED_ERR_RANGE, "count is out of range");
    WRONG(BY(SPREAD, WEB, 1, 2, 3), SKED_ERR_RANGE, "no such values");
}

/* What the host said is an answer like others, of the node. */
static void the_host_answers(void **state)
{
    const sked_rule_term joined[] = {ONE(HOST, VOLUME, 0), ONE(EQUAL, RACK, 8),
                                     JOIN(OR, 2)};
    sked_rule_attribute said[] = {{WEB, 0}, {VOLUME, 1}};
    sked_rule_input in = the_input(joined, 1);
    int32_t answer;
    sked_error err;
    (void)state;

    in.answers = said;
    in.n_answers = 2;
    for (int32_t a = SKED_RULE_ANSWER_NO; a <= SKED_RULE_ANSWER_PASS; a++) {
        said[1].value = a;
        in.n_terms = 1;
        in.flags = SKED_RULE_FLAG_NODE;
        assert_ok(sked_rule_judge(&in, &answer, NULL));
        assert_int_equal(answer, a);
        in.n_terms = 3;
        assert_ok(sked_rule_judge(&in, &answer, NULL));
        assert_int_equal(answer, a == SKED_RULE_ANSWER_YES);
        in.flags = SKED_RULE_FLAG_WORK;
        assert_ok(sked_rule_judge(&in, &answer, NULL));
        assert_int_equal(answer, SKED_RULE_ANSWER_PASS);
    }
    in.n_answers = 1; /* nothing of the volume */
    assert_ok(sked_rule_judge(&in, &answer, NULL));
    in.flags = SKED_RULE_FLAG_NODE;
    assert_status(SKED_ERR_ARG, sked_rule_judge(&in, &answer, &err));
    assert_i64(err.row, 0);
    assert_string_equal(err.message,
                        "the host has no answer for the predicate");
    in.n_answers = 2;
    said[1].value = 3;
    assert_status(SKED_ERR_ARG, sked_rule_judge(&in, &answer, &err));
    assert_i64(err.row, 1);
    assert_string_equal(err.message, "no such answer");
    in.answers = NULL;
    assert_status(SKED_ERR_ARG, sked_rule_judge(&in, &answer, &err));
    assert_string_equal(err.message, "input.answers is NULL");
}

static void what_is_no_input_is_refused(void **state)
{
    sked_rule_term term = ONE(EQUAL, RACK, 7);
    sked_rule_input in = the_input(&term, 1);
    int32_t answer;
    (void)state;

    assert_status(SKED_ERR_ARG, sked_rule_judge(NULL, &answer, NULL));
    assert_status(SKED_ERR_ARG, sked_rule_judge(&in, NULL, NULL));
    in.struct_size = 8;
    assert_status(SKED_ERR_VERSION, sked_rule_judge(&in, &answer, NULL));
#define WITHOUT(field)                                                         \
    in = the_input(&term, 1);                                                  \
    in.field = NULL;                                                           \
    assert_status(SKED_ERR_ARG, sked_rule_judge(&in, &answer, NULL))
    WITHOUT(terms);
    WITHOUT(values);
    WITHOUT(node);
    WITHOUT(work);
    in = the_input(&term, 1);
    in.n_tallies = 1;
    assert_status(SKED_ERR_ARG, sked_rule_judge(&in, &answer, NULL));
    in = the_input(&term, 1);
    in.flags = 4;
    assert_status(SKED_ERR_ARG, sked_rule_judge(&in, &answer, NULL));
    in = the_input(&term, SKED_MAX_RULE_TERMS + 1);
    assert_status(SKED_ERR_RANGE, sked_rule_judge(&in, &answer, NULL));
}

/* The column of values may be that of many rules. */
static void only_values_that_it_names_count(void **state)
{
    static int64_t many[SKED_MAX_RULE_VALUES + 2];
    const sked_rule_term all[] = {{.op = SKED_RULE_OP_IN,
                                   .key = 1,
                                   .n = SKED_MAX_RULE_VALUES,
                                   .first = 2},
                                  {.op = SKED_RULE_OP_IN, .key = 1, .n = 1}};
    sked_error err;
    int32_t answer;

    (void)state;
    sked_rule_input in = the_input(&all[1], 1);
    in.values = many;
    in.n_values = SKED_MAX_RULE_VALUES + 2;
    assert_ok(sked_rule_judge(&in, &answer, NULL));
    in.terms = all;
    assert_ok(sked_rule_judge(&in, &answer, NULL));
    in.n_terms = 2;
    assert_status(SKED_ERR_RANGE, sked_rule_judge(&in, &answer, &err));
    assert_i64(err.got, SKED_MAX_RULE_VALUES + 1);
    assert_i64(err.limit, SKED_MAX_RULE_VALUES);
}

static void a_node_has_no_more_attributes_than_in_an_engine(void **state)
{
    static const sked_rule_attribute many[SKED_MAX_RULE_ATTRIBUTES + 1] = {{0}};
    const sked_rule_term term = {.op = SKED_RULE_OP_EXISTS};
    sked_error err;
    int32_t answer;

    (void)state;
    sked_rule_input in = the_input(&term, 1);
    in.node = many;
    in.n_node = SKED_MAX_RULE_ATTRIBUTES;
    assert_ok(sked_rule_judge(&in, &answer, NULL));
    assert_int_equal(answer, SKED_RULE_ANSWER_YES);
    in.n_node = SKED_MAX_RULE_ATTRIBUTES + 1;
    assert_status(SKED_ERR_RANGE, sked_rule_judge(&in, &answer, &err));
    assert_i64(err.limit, SKED_MAX_RULE_ATTRIBUTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_comparison_says_what_it_says),
        cmocka_unit_test(answers_join_in_three_values),
        cmocka_unit_test(rules_nest),
        cmocka_unit_test(work_is_counted_by_attributes),
        cmocka_unit_test(the_longest_rules_are_judged),
        cmocka_unit_test(what_is_no_rule_is_refused),
        cmocka_unit_test(the_host_answers),
        cmocka_unit_test(what_is_no_input_is_refused),
        cmocka_unit_test(only_values_that_it_names_count),
        cmocka_unit_test(a_node_has_no_more_attributes_than_in_an_engine),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
