#include "test.h"

#include <sched/sked.h>

typedef struct named {
    sked_status code;
    const char *name;
} named;

#define NAMED(code)                                                            \
    {                                                                          \
        code, #code                                                            \
    }

static const named codes[] = {
    NAMED(SKED_OK),
    NAMED(SKED_STOPPED),
    NAMED(SKED_STALE),
    NAMED(SKED_ERR_ARG),
    NAMED(SKED_ERR_NOMEM),
    NAMED(SKED_ERR_RANGE),
    NAMED(SKED_ERR_EXISTS),
    NAMED(SKED_ERR_STALE),
    NAMED(SKED_ERR_STATE),
    NAMED(SKED_ERR_VERSION),
    NAMED(SKED_ERR_NOT_FOUND),
    NAMED(SKED_ERR_SYNTAX),
    NAMED(SKED_ERR_CORRUPT),
    NAMED(SKED_ERR_CANCELLED),
    NAMED(SKED_ERR_INVALID),
    NAMED(SKED_ERR_SCHEMA),
    NAMED(SKED_ERR_FULL),
    NAMED(SKED_ERR_INTERNAL),
};

static void every_code_has_its_name(void **state)
{
    (void)state;

    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        assert_string_equal(sked_status_name(codes[i].code), codes[i].name);
    }
    assert_string_equal(sked_status_name(-1234), "SKED_ERR_UNKNOWN");
}

static void the_library_is_of_the_headers_version(void **state)
{
    (void)state;
    assert_int_equal(sked_version(), SKED_VERSION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_has_its_name),
        cmocka_unit_test(the_library_is_of_the_headers_version),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
