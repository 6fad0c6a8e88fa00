/* Rounds against their twin, task by task, over random selections. */
#include "test.h"

#include <sched/round.h>

#include <stdlib.h>
#include <string.h>

#include "ref_round.h"
#include "size.h"
#include "words.h"

enum { ROWS = 6, KEYS = 9, MOST = 64 };

typedef struct selection {
    sked_round_input in;
    uint64_t key[ROWS];
    uint32_t count[ROWS];
    uint64_t job[ROWS];
    int64_t amount[ROWS * REF_ROUND_KINDS];
    sked_time unsaved[ROWS];
    uint8_t strict[ROWS];
} selection;

static void draw_selection(selection *s, test_words *w, uint32_t kinds)
{
    uint32_t first = (uint32_t)test_below(w, KEYS);

    s->in = (sked_round_input){.struct_size = sizeof s->in,
                               .n = (uint32_t)test_below(w, ROWS + 1),
                               .key = s->key};
    for (uint32_t i = 0; i < s->in.n; i++) {
        s->key[i] = 1 + (first + i * 5) % KEYS; /* no two alike: 9 and 5 */
        s->count[i] = 1 + (uint32_t)test_below(w, 5);
        s->job[i] = s->key[i] % 3;
        s->unsaved[i] = test_below(w, 4) ? (sked_time)test_below(w, 90)
                                         : SKED_UNSET;
        s->strict[i] = test_below(w, 4) == 0;
        for (uint32_t k = 0; k < kinds; k++) {
            s->amount[i * kinds + k] = (int64_t)s->key[i] * 10 + k;
        }
    }
    if (test_below(w, 4)) s->in.count = s->count;
    s->in.job = s->job;
    s->in.amount = s->amount;
    if (test_below(w, 4)) s->in.unsaved_since = s->unsaved;
    if (test_below(w, 3) == 0) s->in.strict = s->strict;
}

static void assert_actions(sked_round *round, ref_round *twin)
{
    sked_round_action got[MOST];
    size_t n, at = 0;

    do {
        assert_ok(sked_round_take(round, got, 3, &n, NULL));
        for (size_t i = 0; i < n; i++, at++) {
            const sked_round_action *want = &twin->action[at];
            assert_true(at < twin->actions);
            assert_i64(got[i].what, want->what);
            assert_i64((int64_t)got[i].key, (int64_t)want->key);
            assert_i64((int64_t)got[i].job, (int64_t)want->job);
            assert_i64(got[i].count, want->count);
            assert_i64(got[i].deadline, want->deadline);
            assert_i64(got[i].flags, want->flags);
        }
    } while (n > 0);
    assert_int_equal(at, twin->actions);
    twin->actions = 0;
}

static void assert_marks(const sked_round *round, const ref_round *twin)
{
    sked_round_mark got[MOST], want[MOST];
    size_t n, m = ref_round_marks(twin, want);

    assert_ok(sked_round_marks(round, got, MOST, &n));
    assert_int_equal(n, m);
    for (size_t i = 0; i < n; i++) {
        assert_i64((int64_t)got[i].key, (int64_t)want[i].key);
        assert_i64((int64_t)got[i].job, (int64_t)want[i].job);
        assert_i64(got[i].count, want[i].count);
        assert_i64(got[i].flags, want[i].flags);
        if (got[i].flags & SKED_ROUND_MARK_FLAG_STOPPING)
            continue; /* of the
                                                                       first */
        assert_i64(got[i].deadline, want[i].deadline);
    }
    assert_ok(sked_round_check(round, NULL));
}

static void assert_counts(const sked_round *round, const ref_round *twin)
{
    sked_round_stats got = {.struct_size = sizeof got};
    sked_wide lost;

    assert_ok(sked_round_get_stats(round, &got));
    assert_true(got.rounds == twin->counts.rounds);
    assert_true(got.notified == twin->counts.notified);
    assert_true(got.killed == twin->counts.killed);
    assert_true(got.withdrawn == twin->counts.withdrawn);
    assert_true(got.released == twin->counts.released);
    for (uint32_t k = 0; k < twin->options.kinds; k++) {
        assert_ok(sked_round_lost_work(round, k, &lost));
        assert_true(lost.high == 0 && (double)lost.low == twin->lost[k]);
    }
}

static void end_some(sked_round *round, ref_round *twin, test_words *w)
{
    uint64_t keys[3];
    uint32_t counts[3];
    size_t n = test_below(w, 4);

    for (size_t i = 0; i < n; i++) {
        keys[i] = 1 + test_below(w, KEYS);
        counts[i] = (uint32_t)test_below(w, 4);
    }
    int each = test_below(w, 2) == 0;
    assert_ok(sked_round_end(round, keys, each ? NULL : counts, n, NULL));
    for (size_t i = 0; i < n; i++) {
        ref_round_ended(twin, keys[i], each ? 1 : counts[i]);
    }
}

/* Takes what may be on offer, or too much, which changes nothing. */
static void claim_some(sked_round *round, ref_round *twin, test_words *w,
                       sked_time now)
{
    uint32_t first = (uint32_t)test_below(w, KEYS), offered = 0;
    uint64_t keys[2];
    uint32_t counts[2];
    size_t n = test_below(w, 3);

    for (size_t i = 0; i < n; i++) {
        keys[i] = 1 + (first + i) % KEYS;
        offered = sked_round_offer_count(round, keys[i]);
        counts[i] = 1 + (uint32_t)test_below(w, offered + (offered < 2));
    }
    uint64_t before = sked_round_digest(round);
    sked_status rc = sked_round_claim(round, keys, counts, n, now, NULL);
    if (ref_round_claim(twin, keys, counts, n, now)) {
        assert_ok(rc);
        return;
    }
    assert_status(SKED_ERR_STATE, rc);
    assert_true(sked_round_digest(round) == before);
}

static void play(test_words *w, ref_round *twin, size_t steps)
{
    static const int64_t graces[] = {-1, 1, 5, 20, INT64_MAX};
    sked_round_options options = {
        .struct_size = sizeof options,
        .flags = (test_below(w, 6) ? 0 : SKED_ROUND_FLAG_OBSERVE) |
                 (test_below(w, 2) ? 0 : SKED_ROUND_FLAG_LAZY),
        .kinds = 1 + (uint32_t)test_below(w, REF_ROUND_KINDS),
        .grace_ns = graces[test_below(w, 5)]};
    sked_round *round;
    selection s;
    sked_time now = 0;

    memset(twin, 0, sizeof *twin);
    twin->options = options;
    twin->now = INT64_MIN;
    assert_ok(sked_round_new(&options, NULL, &round, NULL));
    for (size_t i = 0; i < steps; i++) {
        draw_selection(&s, w, options.kinds);
        now += (sked_time)test_below(w, 8) - 1;
        assert_ok(sked_round_update(round, &s.in, now, NULL));
        ref_round_update(twin, &s.in, now);
        assert_actions(round, twin);
        assert_marks(round, twin);
        assert_counts(round, twin);
        end_some(round, twin, w);
        assert_marks(round, twin);
        claim_some(round, twin, w, now);
        assert_actions(round, twin);
        assert_marks(round, twin);
        assert_counts(round, twin);
    }
    sked_round_free(round);
}

static void rounds_do_as_the_words_say(void **state)
{
    ref_round *twin = malloc(sizeof *twin);
    test_words w = {1};
    (void)state;

    assert_non_null(twin);
    for (size_t i = 0; i < test_size(300, 20000); i++) play(&w, twin, 40);
    free(twin);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_do_as_the_words_say),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
