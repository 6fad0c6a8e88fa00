#include "test.h"

#include <string.h>

#include <sched/sked.h>

#include "base/fail.h"

static void a_failure_carries_its_facts(void **state)
{
    sked_error err;
    (void)state;

    memset(&err, 0xff, sizeof err);
    assert_status(SKED_ERR_RANGE, skedi_fail(&err, SKED_ERR_RANGE, "too deep",
                                             (skedi_fault){.queue = 9,
                                                           .got = 65,
                                                           .limit = 64,
                                                           .row = 4,
                                                           .kind = 2,
                                                           .line = 7,
                                                           .column = 8}));
    assert_status(SKED_ERR_RANGE, err.code);
    assert_true(err.queue == 9 && err.got == 65 && err.limit == 64);
    assert_true(err.row == 3 && err.kind == 1);
    assert_true(err.line == 7 && err.column == 8);
    assert_string_equal(err.message, "too deep");
}

static void what_is_not_known_says_so(void **state)
{
    sked_error err;
    (void)state;

    assert_status(SKED_ERR_ARG, skedi_fail_plain(&err, SKED_ERR_ARG, "no"));
    assert_true(err.row == -1 && err.kind == -1 && err.line == 0);
    assert_true(err.queue == SKED_NO_QUEUE);
    assert_status(SKED_ERR_ARG, skedi_fail_plain(NULL, SKED_ERR_ARG, "no"));
}

static void a_long_message_is_cut(void **state)
{
    sked_error err;
    char longest[400];
    (void)state;

    memset(longest, 'x', sizeof longest);
    longest[399] = 0;
    (void)skedi_fail_plain(&err, SKED_ERR_ARG, longest);
    assert_int_equal(strlen(err.message), sizeof err.message - 1);
}

/* One fault, one wording, one code: the whole table. */
static void faults_that_all_know_have_one_wording(void **state)
{
    static const struct {
        sked_status (*say)(sked_error *err, const char *parameter);
        sked_status code;
        const char *words;
    } of_a_parameter[] = {
        {skedi_fail_null, SKED_ERR_ARG, "tree is NULL"},
        {skedi_fail_version, SKED_ERR_VERSION,
         "tree has an unknown struct_size"},
        {skedi_fail_flags, SKED_ERR_ARG, "tree has unknown flags"},
        {skedi_fail_reserved, SKED_ERR_ARG, "tree.reserved is not 0"},
    };
    char longest[400];
    sked_error err;
    (void)state;

    memset(longest, 'x', sizeof longest);
    longest[399] = 0;
    for (size_t i = 0; i < sizeof of_a_parameter / sizeof *of_a_parameter;
         i++) {
        assert_status(of_a_parameter[i].code,
                      of_a_parameter[i].say(&err, "tree"));
        assert_status(of_a_parameter[i].code, err.code);
        assert_string_equal(err.message, of_a_parameter[i].words);
        assert_status(of_a_parameter[i].code,
                      of_a_parameter[i].say(NULL, "tree"));
        (void)of_a_parameter[i].say(&err, longest);
        assert_int_equal(strlen(err.message), sizeof err.message - 1);
        assert_string_equal(
            strstr(err.message, of_a_parameter[i].words + strlen("tree")),
            of_a_parameter[i].words + strlen("tree"));
    }
    assert_status(SKED_ERR_NOMEM, skedi_fail_memory(&err));
    assert_string_equal(err.message, "no memory");
    assert_status(SKED_ERR_RANGE, skedi_fail_cap(&err, 9, 4));
    assert_string_equal(err.message, "cap is too small");
    assert_true(err.got == 9 && err.limit == 4);
    assert_status(SKED_ERR_RANGE, skedi_fail_cap(NULL, 9, 4));
    assert_status(SKED_ERR_NOMEM, skedi_fail_stopped(&err, SKED_ERR_NOMEM));
    assert_string_equal(err.message, "no memory");
    assert_status(-77, skedi_fail_stopped(&err, -77));
    assert_string_equal(err.message, "stopped by the host");
    assert_status(-77, err.code);
}

static void a_read_fails_in_the_words_of_its_code(void **state)
{
    static const sked_status codes[] = {SKED_ERR_ARG,     SKED_ERR_RANGE,
                                        SKED_ERR_STALE,   SKED_ERR_STATE,
                                        SKED_ERR_VERSION, SKED_ERR_NOT_FOUND};
    static const char *const words[] = {
        "an argument is NULL or out of range",   "cap is too small",
        "the id names nothing that is there",    "there is no such answer yet",
        "the struct has an unknown struct_size", "there is no such thing",
    };
    enum { CODES = sizeof codes / sizeof *codes };
    sked_error err[CODES] = {{0}};
    (void)state;

    for (size_t i = 0; i < CODES; i++) {
        assert_status(codes[i], skedi_fail_read(&err[i], codes[i]));
        assert_status(codes[i], err[i].code);
        assert_string_equal(err[i].message, words[i]);
    }
    assert_status(SKED_ERR_STALE, skedi_fail_read(NULL, SKED_ERR_STALE));
    assert_ok(skedi_fail_read(&err[0], SKED_OK));
    assert_status(codes[0], err[0].code);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_carries_its_facts),
        cmocka_unit_test(what_is_not_known_says_so),
        cmocka_unit_test(a_long_message_is_cut),
        cmocka_unit_test(faults_that_all_know_have_one_wording),
        cmocka_unit_test(a_read_fails_in_the_words_of_its_code),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
