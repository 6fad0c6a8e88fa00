#include "test.h"

#include <string.h>

#include <sched/sked.h>

#include "base/hooks.h"
#include "host.h"

static skedi_hooks taken(const sked_host *host)
{
    skedi_hooks hooks;

    assert_ok(skedi_hooks_in(&hooks, host, NULL));
    return hooks;
}

static void no_host_means_every_default(void **state)
{
    skedi_hooks hooks = taken(NULL);
    sked_time now = SKED_NOW;
    sked_error err;
    (void)state;

    assert_ok(skedi_hooks_check(&hooks, 1, 2));
    skedi_hooks_log(&hooks, SKED_LOG_ERROR, "nobody hears", NULL);
    skedi_hooks_trace(&hooks, (sked_trace){.what = SKED_TRACE_PICK});
    assert_status(SKED_ERR_STATE, skedi_hooks_now(&hooks, &now, &err));
    assert_string_equal(err.message, "host has no clock");
    skedi_hooks_done(hooks.host);
}

static void a_host_of_an_unknown_shape_is_refused(void **state)
{
    sked_host host = {.struct_size = 3};
    skedi_hooks hooks;
    sked_error err;
    (void)state;

    assert_status(SKED_ERR_VERSION, skedi_hooks_in(&hooks, &host, &err));
    assert_string_equal(err.message, "host has an unknown struct_size");
    host = (sked_host){.struct_size = sizeof host, .flags = 2};
    assert_status(SKED_ERR_ARG, skedi_hooks_in(&hooks, &host, &err));
    assert_string_equal(err.message, "host has unknown flags");
}

static sked_status answering(void *user, uint64_t done, uint64_t total)
{
    assert_true(done == 3 && total == 9);
    return *(sked_status *)user;
}

static void a_non_zero_answer_stops_the_call(void **state)
{
    sked_status said = SKED_OK;
    skedi_hooks hooks = taken(&(sked_host){.struct_size = sizeof(sked_host),
                                           .user = &said,
                                           .progress = answering});
    (void)state;

    assert_ok(skedi_hooks_check(&hooks, 3, 9));
    said = SKED_STOPPED;
    assert_status(SKED_ERR_CANCELLED, skedi_hooks_check(&hooks, 3, 9));
    said = -1000;
    assert_int_equal(skedi_hooks_check(&hooks, 3, 9), -1000);
    said = -1999;
    assert_int_equal(skedi_hooks_check(&hooks, 3, 9), -1999);
    said = -2000;
    assert_status(SKED_ERR_CANCELLED, skedi_hooks_check(&hooks, 3, 9));
    said = -999;
    assert_status(SKED_ERR_CANCELLED, skedi_hooks_check(&hooks, 3, 9));
}

static sked_status noting(void *user, uint64_t done, uint64_t total)
{
    assert_true(done == 5);
    *(uint64_t *)user = total;
    return SKED_OK;
}

static void a_total_that_is_passed_grows(void **state)
{
    uint64_t total = 0;
    skedi_hooks hooks = taken(&(sked_host){
        .struct_size = sizeof(sked_host), .user = &total, .progress = noting});
    (void)state;

    assert_ok(skedi_hooks_check(&hooks, 5, 0));
    assert_true(total == 5);
    assert_ok(skedi_hooks_check(&hooks, 5, 6));
    assert_true(total == 6);
}

static void the_flag_stops_the_call(void **state)
{
    int32_t flag = 0;
    skedi_hooks hooks = taken(
        &(sked_host){.struct_size = sizeof(sked_host), .cancel = &flag});
    (void)state;

    assert_ok(skedi_hooks_check(&hooks, 0, 0));
    flag = -5;
    assert_status(SKED_ERR_CANCELLED, skedi_hooks_check(&hooks, 0, 0));
}

static sked_time at_noon(void *user)
{
    (void)user;
    return 43200;
}

static void the_clock_is_the_hosts(void **state)
{
    skedi_hooks hooks = taken(
        &(sked_host){.struct_size = sizeof(sked_host), .clock = at_noon});
    sked_time now = SKED_NOW;
    (void)state;

    assert_ok(skedi_hooks_now(&hooks, &now, NULL));
    assert_i64(now, 43200);
}

typedef struct heard {
    char line[300];
    int32_t level;
    int lines;
    sked_trace record;
} heard;

static void listen(void *user, int32_t level, const char *line)
{
    heard *h = user;

    assert_true(strlen(line) < sizeof h->line);
    strcpy(h->line, line);
    h->level = level;
    h->lines++;
}

static void follow(void *user, const sked_trace *record)
{
    ((heard *)user)->record = *record;
}

static sked_host listener(heard *h)
{
    return (sked_host){.struct_size = sizeof(sked_host),
                       .user = h,
                       .log = listen,
                       .trace = follow};
}

static void lines_are_filtered_by_level(void **state)
{
    heard h = {.lines = 0};
    sked_host host = listener(&h);
    skedi_hooks hooks = taken(&host);
    (void)state;

    skedi_hooks_log(&hooks, SKED_LOG_INFO, "too quiet", NULL);
    assert_int_equal(h.lines, 0);
    skedi_hooks_log(&hooks, SKED_LOG_WARNING, "loud", NULL);
    assert_int_equal(h.lines, 1);
    assert_int_equal(h.level, SKED_LOG_WARNING);
    assert_string_equal(h.line, "loud");

    host.log_level = SKED_LOG_DEBUG;
    hooks = taken(&host);
    skedi_hooks_log(&hooks, SKED_LOG_DEBUG, "x", NULL);
    assert_int_equal(h.lines, 2);
}

static void a_line_may_end_in_any_number(void **state)
{
    heard h = {.lines = 0};
    sked_host host = listener(&h);
    skedi_hooks hooks = taken(&host);
    int64_t number = INT64_MIN;
    char longest[400];
    (void)state;

    skedi_hooks_log(&hooks, SKED_LOG_ERROR, "n", &number);
    assert_string_equal(h.line, "n -9223372036854775808");
    number = 0;
    skedi_hooks_log(&hooks, SKED_LOG_ERROR, "n", &number);
    assert_string_equal(h.line, "n 0");

    memset(longest, 'x', sizeof longest);
    longest[399] = 0;
    number = INT64_MAX;
    skedi_hooks_log(&hooks, SKED_LOG_ERROR, longest, &number);
    assert_int_equal(strlen(h.line), 200 + 1 + 19);
}

static void a_record_says_how_long_it_is(void **state)
{
    heard h = {.lines = 0};
    sked_host host = listener(&h);
    skedi_hooks hooks = taken(&host);
    (void)state;

    skedi_hooks_trace(
        &hooks, (sked_trace){.what = SKED_TRACE_SHARE, .queue = 3, .a = 4});
    assert_int_equal(h.record.struct_size, sizeof(sked_trace));
    assert_true(h.record.queue == 3 && h.record.a == 4);
}

static void user_is_given_back_once(void **state)
{
    test_host counted = {0};
    sked_host host = test_host_hooks(&counted);
    (void)state;

    skedi_hooks_done(taken(&host).host);
    assert_int_equal(counted.released, 1);
}

static void without_the_flag_a_reserve_seals_nothing(void **state)
{
    skedi_hooks hooks = taken(NULL);
    (void)state;

    skedi_hooks_open(&hooks);
    assert_ok(skedi_hooks_seal(&hooks, SKED_OK));
    assert_false(hooks.mem.sealed);
}

static void the_first_reserve_that_succeeds_seals(void **state)
{
    test_host counted = {0};
    sked_host host = test_host_hooks(&counted);
    host.flags = SKED_HOST_FLAG_RESERVED_ONLY;
    skedi_hooks hooks = taken(&host);
    (void)state;

    skedi_hooks_open(&hooks);
    assert_status(SKED_ERR_NOMEM, skedi_hooks_seal(&hooks, SKED_ERR_NOMEM));
    assert_false(hooks.mem.sealed);

    skedi_hooks_open(&hooks);
    void *p = skedi_new(&hooks.mem, 5, 1);
    assert_ok(skedi_hooks_seal(&hooks, SKED_OK));
    counted.trap = 1;
    assert_null(skedi_new(&hooks.mem, 1, 1));

    counted.trap = 0;
    skedi_hooks_open(&hooks); /* a later reserve may ask again */
    p = skedi_grow(&hooks.mem, p, 5, 9, 1);
    assert_non_null(p);
    assert_status(SKED_ERR_NOMEM, skedi_hooks_seal(&hooks, SKED_ERR_NOMEM));
    assert_true(hooks.mem.sealed); /* and shuts again, done or not */

    skedi_free(&hooks.mem, p, 9, 1);
    assert_i64((int64_t)counted.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_host_means_every_default),
        cmocka_unit_test(a_host_of_an_unknown_shape_is_refused),
        cmocka_unit_test(a_non_zero_answer_stops_the_call),
        cmocka_unit_test(a_total_that_is_passed_grows),
        cmocka_unit_test(the_flag_stops_the_call),
        cmocka_unit_test(the_clock_is_the_hosts),
        cmocka_unit_test(lines_are_filtered_by_level),
        cmocka_unit_test(a_line_may_end_in_any_number),
        cmocka_unit_test(a_record_says_how_long_it_is),
        cmocka_unit_test(user_is_given_back_once),
        cmocka_unit_test(without_the_flag_a_reserve_seals_nothing),
        cmocka_unit_test(the_first_reserve_that_succeeds_seals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
