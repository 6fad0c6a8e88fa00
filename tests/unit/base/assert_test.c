/* Assertions trap in builds that ask for them, and cost nothing in others. */
#define SKEDI_DEBUG
#include "base/assert.h"

#include "test.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void checked(int value)
{
    SKEDI_ASSERT(value == 1);
}

#undef SKEDI_DEBUG
#undef SKEDI_ASSERT_H
#undef SKEDI_ASSERT
#include "base/assert.h"

static int evaluated;

static int look(void)
{
    evaluated++;
    return 0;
}

/* The status of a process that asserts value == 1. */
static int end_of(int value)
{
    int status = -1;
    pid_t child = fork();

    if (child == 0) {
        const struct rlimit no_core = {0, 0};

        setrlimit(RLIMIT_CORE, &no_core);
        signal(SIGILL, SIG_DFL); /* cmocka catches both */
        signal(SIGTRAP, SIG_DFL);
        checked(value);
        _exit(0);
    }
    assert_true(child > 0);
    assert_int_equal(child, waitpid(child, &status, 0));
    return status;
}

static void a_false_condition_ends_a_debug_build(void **state)
{
    (void)state;
    assert_int_equal(0, end_of(1));
    assert_int_not_equal(0, end_of(2));
}

static void a_release_never_evaluates_the_condition(void **state)
{
    (void)state;
    SKEDI_ASSERT(look());
    assert_int_equal(0, evaluated);
    assert_int_equal(0, look());
    assert_int_equal(1, evaluated);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_false_condition_ends_a_debug_build),
        cmocka_unit_test(a_release_never_evaluates_the_condition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
