/* What a timeline answers, refuses and survives. */
#include "test.h"

#include <string.h>

#include "host.h"
#include "timeline/handle.h"

enum { KINDS = 2 };

static const int64_t limit = (int64_t)1 << 62;
static const int64_t pool[KINDS] = {8, 100};

static sked_timeline *make(void)
{
    sked_timeline *line;

    assert_ok(sked_timeline_new(pool, KINDS, NULL, &line, NULL));
    return line;
}

/* Amounts of the first kind; of the second ten times as much. */
static uint64_t add(sked_timeline *line, int64_t from, int64_t until,
                    int64_t amount)
{
    const int64_t amounts[KINDS] = {amount, 10 * amount};
    uint64_t span = 0;

    assert_ok(sked_timeline_add(line, from, until, amounts, &span, NULL));
    assert_ok(sked_timeline_check(line, NULL));
    return span;
}

static int64_t earliest(sked_timeline *line, int64_t now, int64_t duration,
                        int64_t amount)
{
    const int64_t amounts[KINDS] = {amount, 10 * amount};
    int64_t start = -1;

    assert_ok(
        sked_timeline_earliest(line, now, duration, amounts, &start, NULL));
    return start;
}

static int64_t least(const sked_timeline *line, int64_t from, int64_t until)
{
    int64_t amounts[KINDS];

    assert_ok(sked_timeline_least(line, from, until, amounts, NULL));
    return amounts[0];
}

/* ---- Answers ---- */

static void a_gap_is_found_that_is_long_enough(void **state)
{
    sked_timeline *line = make();
    (void)state;

    add(line, 0, 10, 6);
    add(line, 15, 30, 6);
    assert_i64(earliest(line, 0, 5, 2), 0);
    assert_i64(earliest(line, 0, 5, 3), 10);
    assert_i64(earliest(line, 0, 6, 3), 30);
    assert_i64(earliest(line, 12, 3, 8), 12);
    assert_i64(earliest(line, 12, 4, 8), 30);
    assert_i64(earliest(line, -5, 5, 8), -5);
    assert_i64(earliest(line, -5, 6, 8), 30);
    assert_i64(earliest(line, 0, SKED_UNLIMITED, 8), 30);
    assert_i64(earliest(line, 0, 0, 8), 10);
    sked_timeline_free(line);
}

static void what_never_fits_has_no_start(void **state)
{
    sked_timeline *line = make();
    (void)state;

    assert_i64(earliest(line, 0, 1, 9), SKED_UNLIMITED);
    add(line, 100, SKED_UNLIMITED, 3);
    assert_i64(earliest(line, 0, 100, 6), 0);
    assert_i64(earliest(line, 0, 101, 6), SKED_UNLIMITED);
    assert_i64(earliest(line, 0, SKED_UNLIMITED, 5), 0);
    assert_i64(earliest(line, 0, SKED_UNLIMITED, 6), SKED_UNLIMITED);
    sked_timeline_free(line);
}

/* Kinds are free at different moments: both must be free at the same one. */
static void all_kinds_must_be_free_together(void **state)
{
    const int64_t first[KINDS] = {8, 0}, second[KINDS] = {0, 100};
    sked_timeline *line = make();
    int64_t amounts[KINDS];
    (void)state;

    assert_ok(sked_timeline_add(line, 0, 10, first, NULL, NULL));
    assert_ok(sked_timeline_add(line, 10, 20, second, NULL, NULL));
    assert_i64(earliest(line, 0, 1, 1), 20);
    assert_ok(sked_timeline_least(line, 0, 20, amounts, NULL));
    assert_i64(amounts[0], 0);
    assert_i64(amounts[1], 0);
    assert_ok(sked_timeline_least(line, 10, 20, amounts, NULL));
    assert_i64(amounts[0], 8);
    sked_timeline_free(line);
}

static void the_least_of_a_range_counts_its_ends_right(void **state)
{
    sked_timeline *line = make();
    (void)state;

    add(line, 10, 20, 3);
    add(line, 20, 30, 5);
    assert_i64(least(line, 0, 10), 8);
    assert_i64(least(line, 0, 11), 5);
    assert_i64(least(line, 10, 20), 5);
    assert_i64(least(line, 19, 21), 3);
    assert_i64(least(line, 20, 20), 3);
    assert_i64(least(line, 29, 29), 3);
    assert_i64(least(line, 30, SKED_UNLIMITED), 8);
    assert_i64(least(line, 0, SKED_UNLIMITED), 3);
    sked_timeline_free(line);
}

static void spans_may_hold_more_than_the_total(void **state)
{
    const int64_t fewer[KINDS] = {2, 20};
    sked_timeline *line = make();
    (void)state;

    add(line, 0, 10, 6);
    add(line, 5, 10, 6);
    assert_i64(least(line, 0, 10), -4);
    assert_i64(earliest(line, 0, 1, 0), 0);
    assert_i64(earliest(line, 5, 1, 0), 10);
    assert_ok(sked_timeline_set_total(line, fewer, NULL));
    assert_i64(least(line, 0, 10), -10);
    assert_i64(earliest(line, 0, 1, 2), 10);
    assert_i64(earliest(line, 0, 1, 3), SKED_UNLIMITED);
    sked_timeline_free(line);
}

static void steps_differ_from_their_neighbours(void **state)
{
    sked_timeline *line = make();
    int64_t times[4], amounts[4 * KINDS];
    size_t n;
    (void)state;

    add(line, 0, 10, 3);
    add(line, 10, 20, 3); /* nothing changes at 10 */
    add(line, 20, 30, 1);
    assert_ok(sked_timeline_steps(line, 5, SKED_UNLIMITED, times, amounts, 4,
                                  &n, NULL));
    assert_int_equal(n, 3);
    assert_i64(times[0], 5);
    assert_i64(times[1], 20);
    assert_i64(times[2], 30);
    assert_i64(amounts[0], 5);
    assert_i64(amounts[1], 70);
    assert_i64(amounts[2], 7);
    assert_i64(amounts[4], 8);
    assert_ok(sked_timeline_steps(line, 5, 20, times, amounts, 1, &n, NULL));
    assert_int_equal(n, 1);
    times[0] = -1;
    assert_status(SKED_ERR_RANGE, sked_timeline_steps(line, 5, 21, times,
                                                      amounts, 1, &n, NULL));
    assert_int_equal(n, 2);
    assert_i64(times[0], -1);
    assert_status(SKED_ERR_RANGE,
                  sked_timeline_steps(line, 5, 21, NULL, NULL, 0, &n, NULL));
    sked_timeline_free(line);
}

/* Enough spans for inner blocks below inner blocks. */
static void steps_of_many_spans_follow_each_other(void **state)
{
    enum { SPANS = 5000 };
    static int64_t times[2 * SPANS + 1], amounts[(2 * SPANS + 1) * KINDS];
    const int64_t one[KINDS] = {1, 10};
    sked_timeline *line = make();
    size_t n;
    (void)state;

    for (int64_t i = 0; i < SPANS; i++) {
        assert_ok(sked_timeline_add(line, 2 * i, 2 * i + 1, one, NULL, NULL));
    }
    assert_ok(sked_timeline_check(line, NULL));
    assert_ok(sked_timeline_steps(line, 0, SKED_UNLIMITED, times, amounts,
                                  2 * SPANS + 1, &n, NULL));
    assert_int_equal(n, 2 * SPANS);
    for (size_t i = 0; i < n; i++) {
        assert_i64(times[i], (int64_t)i);
        assert_i64(amounts[i * KINDS], i % 2 ? 8 : 7);
    }
    assert_i64(least(line, 1, 2 * SPANS - 7), 7);
    assert_i64(least(line, 2 * SPANS, 4 * SPANS), 8);
    sked_timeline_free(line);
}

/* Each block has room of both kinds, but at no moment both. */
static void a_block_with_room_of_each_kind_may_fit_nothing(void **state)
{
    enum { SPANS = 5000 };
    const int64_t first[KINDS] = {8, 0}, second[KINDS] = {0, 100};
    const int64_t both[KINDS] = {1, 1};
    sked_timeline *line = make();
    int64_t start;
    (void)state;

    for (int64_t i = 0; i < SPANS; i++) {
        assert_ok(sked_timeline_add(line, i, i + 1, i % 2 ? first : second,
                                    NULL, NULL));
    }
    for (int64_t duration = 0; duration < 3; duration++) {
        assert_ok(
            sked_timeline_earliest(line, 0, duration, both, &start, NULL));
        assert_i64(start, SPANS);
        assert_ok(sked_timeline_check(line, NULL));
    }
    sked_timeline_free(line);
}

/* One kind is free at even moments, the other at odd ones. Each block of steps
 * then has enough of both kinds, but no step has. */
static void kinds_that_are_free_in_turns_are_no_gap(void **state)
{
    enum { SPANS = 500 };
    const int64_t first[KINDS] = {8, 0}, second[KINDS] = {0, 100};
    sked_timeline *line = make();
    (void)state;

    for (int64_t i = 0; i < SPANS; i++) {
        assert_ok(sked_timeline_add(line, i, i + 1, i % 2 ? first : second,
                                    NULL, NULL));
    }
    assert_i64(earliest(line, 0, 1, 1), SPANS);
    assert_i64(earliest(line, 7, 3, 8), SPANS);
    sked_timeline_free(line);
}

/* A part of the timeline that is known to have no gap gets one. */
static void a_removal_opens_what_searches_have_passed(void **state)
{
    sked_timeline *line = make();
    uint64_t span[600];
    (void)state;

    for (int i = 0; i < 600; i++) span[i] = add(line, 10 * i, 10 * i + 9, 5);
    for (int i = 0; i < 3; i++) assert_i64(earliest(line, 0, 5, 4), 5999);
    assert_ok(sked_timeline_remove(line, span[300], NULL));
    assert_i64(earliest(line, 0, 11, 4), 2999);
    assert_i64(earliest(line, 0, 12, 4), 5999);
    assert_ok(sked_timeline_remove(line, span[301], NULL));
    assert_i64(earliest(line, 0, 12, 4), 2999);
    assert_i64(earliest(line, 0, 21, 4), 2999);
    assert_i64(earliest(line, 0, 22, 4), 5999);
    assert_ok(sked_timeline_check(line, NULL));
    sked_timeline_free(line);
}

/* ---- Spans ---- */

static void ids_are_given_once(void **state)
{
    sked_timeline *line = make();
    uint64_t a = add(line, 0, 1, 1), b = add(line, 0, 1, 1);
    sked_error err;
    int64_t from, until, amounts[KINDS];
    (void)state;

    assert_true(a != b && a != SKED_TIMELINE_NO_SPAN);
    assert_ok(sked_timeline_remove(line, a, NULL));
    assert_status(SKED_ERR_STALE, sked_timeline_remove(line, a, &err));
    assert_string_equal(err.message, "the span was removed before");
    uint64_t c = add(line, 3, SKED_UNLIMITED, 2);
    assert_true(c != a && c != b);
    assert_status(SKED_ERR_STALE,
                  sked_timeline_span(line, a, &from, NULL, NULL));
    assert_ok(sked_timeline_span(line, c, &from, &until, amounts));
    assert_i64(from, 3);
    assert_i64(until, SKED_UNLIMITED);
    assert_i64(amounts[1], 20);
    assert_ok(sked_timeline_span(line, c, NULL, NULL, NULL));
    assert_status(SKED_ERR_NOT_FOUND,
                  sked_timeline_remove(line, SKED_TIMELINE_NO_SPAN, &err));
    assert_string_equal(err.message, "no span has had this id");
    assert_status(SKED_ERR_NOT_FOUND, sked_timeline_remove(line, b + 99, NULL));
    assert_status(SKED_ERR_NOT_FOUND,
                  sked_timeline_remove(line, b + ((uint64_t)2 << 32), NULL));
    assert_int_equal(sked_timeline_spans(line), 2);
    assert_int_equal(sked_timeline_kinds(line), KINDS);
    sked_timeline_free(line);
}

/* The last generation of a slot: an id would otherwise come back. */
static void a_slot_that_is_used_up_is_left(void **state)
{
    sked_timeline *line = make();
    uint64_t a = add(line, 0, 1, 1);
    (void)state;

    line->rows[SKEDI_SPAN_GENERATION] = UINT32_MAX;
    a |= (uint64_t)UINT32_MAX << 32;
    assert_ok(sked_timeline_remove(line, a, NULL));
    assert_status(SKED_ERR_STALE, sked_timeline_remove(line, a, NULL));
    assert_true((uint32_t)add(line, 0, 1, 1) != (uint32_t)a);
    sked_timeline_free(line);
}

static void an_empty_span_holds_nothing(void **state)
{
    sked_timeline *line = make();
    uint64_t span = add(line, 5, 5, 8);
    (void)state;

    assert_i64(least(line, 0, 10), 8);
    assert_int_equal(sked_timeline_spans(line), 1);
    assert_ok(sked_timeline_remove(line, span, NULL));
    assert_int_equal(sked_timeline_spans(line), 0);
    sked_timeline_free(line);
}

static void a_copy_goes_its_own_way(void **state)
{
    sked_timeline *line = make(), *copy;
    uint64_t gone = add(line, 0, 1, 1), span = add(line, 0, 10, 5);
    (void)state;

    assert_ok(sked_timeline_remove(line, gone, NULL));
    assert_ok(sked_timeline_copy(line, NULL, &copy, NULL));
    assert_true(sked_timeline_digest(line) == sked_timeline_digest(copy));
    assert_true(add(line, 0, 1, 1) == add(copy, 0, 1, 1));
    assert_ok(sked_timeline_remove(copy, span, NULL));
    assert_true(sked_timeline_digest(line) != sked_timeline_digest(copy));
    assert_i64(least(line, 5, 6), 3);
    assert_i64(least(copy, 5, 6), 8);
    sked_timeline_free(copy);
    sked_timeline_free(line);
}

/* ---- The ends of the ranges ---- */

static void the_largest_numbers_are_exact(void **state)
{
    const int64_t most = SKED_AMOUNT_MAX, one = 1;
    sked_timeline *line;
    uint64_t span;
    int64_t got;
    sked_error err;
    (void)state;

    assert_ok(sked_timeline_new(&most, 1, NULL, &line, NULL));
    assert_ok(
        sked_timeline_add(line, -limit + 1, limit - 1, &most, &span, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_timeline_add(line, 7, 8, &one, NULL, &err));
    assert_i64(err.kind, 0);
    assert_i64(err.got, 1);
    assert_i64(err.limit, 0);
    assert_ok(
        sked_timeline_add(line, limit - 1, SKED_UNLIMITED, &most, NULL, NULL));
    assert_ok(sked_timeline_check(line, NULL));
    assert_ok(
        sked_timeline_least(line, -limit + 1, SKED_UNLIMITED, &got, NULL));
    assert_i64(got, 0);
    assert_ok(sked_timeline_remove(line, span, NULL));
    assert_ok(sked_timeline_earliest(line, -limit + 2, INT64_MAX - 1, &one,
                                     &got, NULL));
    assert_i64(got, SKED_UNLIMITED);
    assert_ok(sked_timeline_earliest(line, -limit + 1, 2 * (limit - 1), &one,
                                     &got, NULL));
    assert_i64(got, -limit + 1);
    assert_ok(sked_timeline_check(line, NULL));
    sked_timeline_free(line);
}

/* ---- Refusals ---- */

static void must_refuse(sked_timeline *line, int64_t from, int64_t until,
                        int64_t amount, const char *message)
{
    const int64_t amounts[KINDS] = {0, amount};
    uint64_t digest = sked_timeline_digest(line);
    sked_error err = {0};

    assert_status(SKED_ERR_RANGE,
                  sked_timeline_add(line, from, until, amounts, NULL, &err));
    assert_string_equal(err.message, message);
    assert_true(sked_timeline_digest(line) == digest);
}

static void what_is_out_of_range_is_refused(void **state)
{
    sked_timeline *line = make();
    int64_t amounts[KINDS] = {0, 0}, start = 7;
    sked_error err;
    (void)state;

    must_refuse(line, -limit, 0, 1, "moment is out of range");
    must_refuse(line, 0, limit, 1, "moment is out of range");
    must_refuse(line, SKED_UNLIMITED, SKED_UNLIMITED, 1,
                "moment is out of range");
    must_refuse(line, 1, 0, 1, "until is before from");
    must_refuse(line, 0, 1, -1, "amount is out of range");
    must_refuse(line, 0, 1, SKED_AMOUNT_MAX + 1, "amount is out of range");
    assert_status(SKED_ERR_RANGE, sked_timeline_earliest(
                                      line, limit, 1, amounts, &start, &err));
    assert_i64(err.limit, limit - 1);
    assert_status(SKED_ERR_RANGE,
                  sked_timeline_earliest(line, 0, -1, amounts, &start, NULL));
    assert_status(
        SKED_ERR_STATE,
        sked_timeline_earliest(line, SKED_NOW, 1, amounts, &start, NULL));
    assert_i64(start, 7);
    assert_status(SKED_ERR_RANGE,
                  sked_timeline_least(line, 2, 1, amounts, NULL));
    amounts[1] = -1;
    assert_status(SKED_ERR_RANGE,
                  sked_timeline_earliest(line, 0, 1, amounts, &start, &err));
    assert_i64(err.kind, 1);
    assert_status(SKED_ERR_RANGE, sked_timeline_set_total(line, amounts, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_timeline_reserve(line, ((size_t)1 << 30) + 1, NULL));
    line->n = 1 << 30;
    must_refuse(line, 0, 1, 1, "too many spans");
    line->n = 0;
    sked_timeline_free(line);
}

static void what_is_missing_is_named(void **state)
{
    sked_timeline *line = make(), *made = line;
    const sked_host old = {.struct_size = 1};
    int64_t x[KINDS] = {0};
    size_t n;
    (void)state;

#define MISSES(call) assert_status(SKED_ERR_ARG, call)
    MISSES(sked_timeline_new(NULL, 1, NULL, &made, NULL));
    assert_null(made);
    MISSES(sked_timeline_new(x, 1, NULL, NULL, NULL));
    MISSES(sked_timeline_copy(NULL, NULL, &made, NULL));
    MISSES(sked_timeline_copy(line, NULL, NULL, NULL));
    MISSES(sked_timeline_reserve(NULL, 1, NULL));
    MISSES(sked_timeline_set_total(NULL, x, NULL));
    MISSES(sked_timeline_set_total(line, NULL, NULL));
    MISSES(sked_timeline_add(NULL, 0, 1, x, NULL, NULL));
    MISSES(sked_timeline_add(line, 0, 1, NULL, NULL, NULL));
    MISSES(sked_timeline_remove(NULL, 1, NULL));
    MISSES(sked_timeline_span(NULL, 1, x, x, x));
    MISSES(sked_timeline_earliest(NULL, 0, 1, x, x, NULL));
    MISSES(sked_timeline_earliest(line, 0, 1, NULL, x, NULL));
    MISSES(sked_timeline_earliest(line, 0, 1, x, NULL, NULL));
    MISSES(sked_timeline_least(NULL, 0, 1, x, NULL));
    MISSES(sked_timeline_least(line, 0, 1, NULL, NULL));
    MISSES(sked_timeline_steps(NULL, 0, 1, x, x, 1, &n, NULL));
    MISSES(sked_timeline_steps(line, 0, 1, NULL, x, 1, &n, NULL));
    MISSES(sked_timeline_steps(line, 0, 1, x, NULL, 1, &n, NULL));
    MISSES(sked_timeline_steps(line, 0, 1, x, x, 1, NULL, NULL));
    MISSES(sked_timeline_check(NULL, NULL));
#undef MISSES
    assert_status(SKED_ERR_RANGE,
                  sked_timeline_steps(line, 1, 0, x, x, 1, &n, NULL));
    assert_status(SKED_ERR_RANGE, sked_timeline_new(x, 0, NULL, &made, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_timeline_new(x, SKED_MAX_KINDS + 1, NULL, &made, NULL));
    x[0] = -1;
    assert_status(SKED_ERR_RANGE, sked_timeline_new(x, 1, NULL, &made, NULL));
    assert_status(SKED_ERR_VERSION,
                  sked_timeline_new(pool, 1, &old, &made, NULL));
    assert_status(SKED_ERR_VERSION,
                  sked_timeline_copy(line, &old, &made, NULL));
    sked_timeline_free(NULL);
    assert_int_equal(sked_timeline_spans(NULL), 0);
    assert_int_equal(sked_timeline_kinds(NULL), 0);
    assert_true(sked_timeline_digest(NULL) == 0);
    sked_timeline_free(line);
}

/* ---- Memory ---- */

static sked_time noon(void *user)
{
    (void)user;
    return 12;
}

static void the_clock_is_asked_for_now(void **state)
{
    const sked_host host = {.struct_size = sizeof host, .clock = noon};
    sked_timeline *line;
    (void)state;

    assert_ok(sked_timeline_new(pool, KINDS, &host, &line, NULL));
    assert_i64(earliest(line, SKED_NOW, 1, 1), 12);
    sked_timeline_free(line);
}

/* Entries come and go in every order, and no call asks for memory. */
static void reserved_spans_need_no_memory(void **state)
{
    enum { SPANS = 3000 };
    static uint64_t span[SPANS];
    test_host host = {0};
    sked_host hooks = test_host_hooks(&host);
    sked_timeline *line;
    const int64_t one[KINDS] = {1, 0};
    (void)state;

    assert_ok(sked_timeline_new(pool, KINDS, &hooks, &line, NULL));
    assert_ok(sked_timeline_reserve(line, SPANS, NULL));
    host.trap = 1;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < SPANS; i++) {
            int at = round == 1 ? SPANS - i : i * 7 % SPANS;
            assert_ok(sked_timeline_add(line, 3 * at, 3 * at + 100, one,
                                        &span[i], NULL));
        }
        assert_ok(sked_timeline_check(line, NULL));
        for (int i = 0; i < SPANS; i++) {
            int at = round == 2 ? i : i * 11 % SPANS;
            assert_ok(sked_timeline_remove(line, span[at], NULL));
        }
        assert_ok(sked_timeline_check(line, NULL));
    }
    host.trap = 0;
    sked_timeline_free(line);
    assert_int_equal(host.live, 0);
    assert_int_equal(host.released, 1);
}

/* Adds, a copy and a plan; what fails leaves everything as it was. */
static sked_status life(test_host *host, void *arg)
{
    sked_host hooks = test_host_hooks(host);
    sked_timeline *line, *copy = NULL;
    uint64_t span[100], digest = 0;
    size_t n = 0, spans = *(size_t *)arg;
    sked_status rc = sked_timeline_new(pool, KINDS, &hooks, &line, NULL);

    if (rc != SKED_OK) {
        assert_null(line);
        return rc;
    }
    if (spans > 0) rc = sked_timeline_reserve(line, spans, NULL);
    while (rc == SKED_OK && n < 100) {
        const int64_t one[KINDS] = {1, (int64_t)n % 2};
        digest = sked_timeline_digest(line);
        rc = sked_timeline_add(line, (int64_t)(n * 7 % 50), 60, one, &span[n],
                               NULL);
        n += rc == SKED_OK;
    }
    if (rc != SKED_OK && n < 100 && digest) {
        assert_true(sked_timeline_digest(line) == digest);
    }
    if (rc == SKED_OK) rc = sked_timeline_copy(line, &hooks, &copy, NULL);
    assert_ok(sked_timeline_check(line, NULL));
    while (n > 0) assert_ok(sked_timeline_remove(line, span[--n], NULL));
    sked_timeline_free(copy);
    sked_timeline_free(line);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    size_t none = 0, some = 40;
    (void)state;

    test_sweep(life, &none, 0);
    test_sweep(life, &some, 0);
}

static void a_sealed_timeline_asks_for_no_more(void **state)
{
    test_host host = {0};
    sked_host hooks = test_host_hooks(&host);
    const int64_t one[KINDS] = {1, 1};
    sked_timeline *line;
    size_t n = 0;
    (void)state;

    hooks.flags = SKED_HOST_FLAG_RESERVED_ONLY;
    assert_ok(sked_timeline_new(pool, KINDS, &hooks, &line, NULL));
    assert_ok(sked_timeline_reserve(line, 10, NULL));
    host.trap = 1;
    while (n < 1000 && sked_timeline_add(line, (int64_t)n, (int64_t)n + 5, one,
                                         NULL, NULL) == SKED_OK) {
        n++;
    }
    assert_in_range(n, 10, 999);
    assert_status(SKED_ERR_NOMEM,
                  sked_timeline_add(line, (int64_t)n, 2000, one, NULL, NULL));
    host.trap = 0;
    assert_ok(sked_timeline_check(line, NULL));
    sked_timeline_free(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gap_is_found_that_is_long_enough),
        cmocka_unit_test(what_never_fits_has_no_start),
        cmocka_unit_test(all_kinds_must_be_free_together),
        cmocka_unit_test(the_least_of_a_range_counts_its_ends_right),
        cmocka_unit_test(spans_may_hold_more_than_the_total),
        cmocka_unit_test(steps_differ_from_their_neighbours),
        cmocka_unit_test(steps_of_many_spans_follow_each_other),
        cmocka_unit_test(a_block_with_room_of_each_kind_may_fit_nothing),
        cmocka_unit_test(kinds_that_are_free_in_turns_are_no_gap),
        cmocka_unit_test(a_removal_opens_what_searches_have_passed),
        cmocka_unit_test(the_clock_is_asked_for_now),
        cmocka_unit_test(ids_are_given_once),
        cmocka_unit_test(a_slot_that_is_used_up_is_left),
        cmocka_unit_test(an_empty_span_holds_nothing),
        cmocka_unit_test(a_copy_goes_its_own_way),
        cmocka_unit_test(the_largest_numbers_are_exact),
        cmocka_unit_test(what_is_out_of_range_is_refused),
        cmocka_unit_test(what_is_missing_is_named),
        cmocka_unit_test(reserved_spans_need_no_memory),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_sealed_timeline_asks_for_no_more),
    };

    return cmocka_run_group_tests_name("unit.timeline", tests, NULL, NULL);
}
