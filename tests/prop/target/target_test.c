/*
 * Targets against their twin over random trees; laws that keep preemption from
 * going back and forth; the handle against the arrays, round after round.
 */
#include "test.h"

#include <sched/target.h>

#include <stdlib.h>
#include <string.h>

#include "cluster.h"
#include "forest.h"
#include "ref_target.h"
#include "share_world.h"
#include "size.h"
#include "target_world.h"

static int64_t any_timeout(test_words *w)
{
    return test_below(w, 4) ? (int64_t)test_below(w, 30) : SKED_UNLIMITED;
}

static sked_time any_since(test_words *w)
{
    return test_below(w, 2) ? (sked_time)test_below(w, 120) : SKED_UNSET;
}

static void draw_row(world *w, uint32_t row)
{
    w->from[row] = test_below(&w->words, 6) > 0;
    w->min_timeout[row] = any_timeout(&w->words);
    w->fair_timeout[row] = any_timeout(&w->words);
    w->threshold[row] = any_part(&w->words, SKED_PPM);
    w->min_since[row] = any_since(&w->words);
    w->fair_since[row] = any_since(&w->words);
    w->rounds[row] = (uint32_t)test_below(&w->words, 6);
}

/* Wants more than there is, as clusters do where something is preempted. */
static void draw_full(world *w)
{
    sked_share_input *in = &w->w.in;

    for (uint32_t k = 0; k < in->kinds; k++) {
        int64_t used = 0;
        for (uint32_t i = 0; in->usage && i < in->n; i++) {
            used += in->usage[i * in->kinds + k];
        }
        if (used > 0 && test_below(&w->words, 4)) {
            w->w.capacity[k] = used + (int64_t)test_below(&w->words, 3);
        }
    }
}

static void draw_world(world *w, uint32_t rows, int64_t top)
{
    uint64_t there = test_word(&w->words) | test_word(&w->words);

    share_world_draw(&w->w, &w->words, rows, top, SKED_SHARE_SCOPE_KINDS);
    draw_full(w);
    draw_options(w);
    for (uint32_t row = 0; row < w->w.in.n; row++) draw_row(w, row);
    w->in = (sked_target_once_input){
        .struct_size = sizeof w->in,
        .now = (sked_time)test_below(&w->words, 150),
        .queues = &w->w.in};
    if (there & 1) w->in.preempt_from = w->from;
    if (there & 2) w->in.min_timeout_ns = w->min_timeout;
    if (there & 4) w->in.fair_timeout_ns = w->fair_timeout;
    if (there & 8) w->in.fair_threshold_ppm = w->threshold;
    if (there & 16) w->in.min_since = w->min_since;
    if (there & 32) w->in.fair_since = w->fair_since;
    if (there & 64) w->in.rounds = w->rounds;
}

static void assert_column(const char *what, size_t instance, const int64_t *got,
                          const int64_t *want, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (got[i] == want[i]) continue;
        fail_msg("instance %zu: %s at %zu is %lld, not %lld", instance, what, i,
                 (long long)got[i], (long long)want[i]);
    }
}

static void assert_found(const world *w, size_t instance)
{
    static const char *const names[] = {"share", "excess", "keep",
                                        "take",  "owed",   "first"};
    static const char *const sums[] = {"need", "budget", "free"};
    size_t n = w->w.in.n, kinds = w->w.in.kinds;

    for (size_t c = 0; c < 6; c++) {
        assert_column(names[c], instance, w->got.cells[c], w->want.cells[c],
                      n * kinds);
    }
    for (size_t c = 0; c < 3; c++) {
        assert_column(sums[c], instance, w->got.total[c], w->want.total[c],
                      kinds);
    }
    assert_column("min_since", instance, w->got.min_since, w->want.min_since,
                  n);
    assert_column("fair_since", instance, w->got.fair_since, w->want.fair_since,
                  n);
    for (size_t row = 0; row < n; row++) {
        if (w->got.reasons[row] != w->want.reasons[row]) {
            fail_msg("instance %zu: reasons at %zu are %x, not %x", instance,
                     row, w->got.reasons[row], w->want.reasons[row]);
        }
        assert_int_equal(w->got.rounds[row], w->want.rounds[row]);
    }
}

static world *world_new(uint64_t seed)
{
    world *w = calloc(1, sizeof *w);

    assert_non_null(w);
    w->words.state = seed;
    return w;
}

static void targets_are_as_the_words_say(void **state)
{
    world *w = world_new(1);
    (void)state;

    for (size_t i = 0; i < test_size(4000, 200000); i++) {
        int64_t top = i % 2 ? 1 + (int64_t)test_below(&w->words, 60) : 1 << 22;
        draw_world(w, i % 8 ? 12 : ROWS, top);
        found_of(&w->got);
        found_of(&w->want);
        assert_ok(
            sked_target_once(&w->in, &w->options, NULL, &w->got.to, NULL));
        sked_target_options o = ref_target_options(w->options);
        ref_target(&w->in, &o, top > 100, &w->want.to);
        assert_found(w, i);
    }
    free(w);
}

/* ---- Laws ---- */

static int64_t used_at(const world *w, size_t i)
{
    return w->w.in.usage ? w->w.in.usage[i] : 0;
}

/* No queue gives and claims of one kind; what is taken leaves the share, what
 * is claimed does not pass it, and the two meet within the budget. */
static void assert_laws(const world *w)
{
    size_t n = w->w.in.n, kinds = w->w.in.kinds;
    int64_t takes[SHARE_WORLD_KINDS] = {0};

    for (size_t i = 0; i < n * kinds; i++) {
        const int64_t share = w->got.cells[0][i], keep = w->got.cells[2][i];
        int64_t take = w->got.cells[3][i], owed = w->got.cells[4][i];
        assert_true(take == 0 || owed == 0);
        assert_true(take >= 0 && owed >= 0);
        if (take > 0) assert_true(used_at(w, i) - take >= keep);
        if (owed > 0) assert_true(used_at(w, i) + owed <= share);
        assert_true(keep >= share);
        if (take > 0) assert_i64(keep, share);
        assert_true(w->got.cells[5][i] <= w->got.cells[1][i]);
        takes[i % kinds] += take;
    }
    for (size_t k = 0; k < kinds; k++) {
        assert_true(takes[k] <= w->got.total[1][k]);
        assert_true(w->got.total[0][k] <= takes[k]);
        assert_true(w->got.total[0][k] >= 0);
    }
}

static void no_queue_gives_and_claims_of_one_kind(void **state)
{
    world *w = world_new(2);
    (void)state;

    for (size_t i = 0; i < test_size(6000, 300000); i++) {
        int64_t top = INT64_C(1) << test_below(&w->words, 55);
        draw_world(w, i % 4 ? 12 : ROWS, top);
        found_of(&w->got);
        assert_ok(
            sked_target_once(&w->in, &w->options, NULL, &w->got.to, NULL));
        assert_laws(w);
    }
    free(w);
}

/*
 * Takes what is to be taken, hands it to those who claim, and looks again with
 * unchanged demand: who gave once never claims back what it gave, and it comes
 * to an end. Units are tasks here, and all kinds but the first are dropped.
 * What a draining queue gives it never wants again, so demand changes by that:
 * others may then have back what they gave, but it ends all the same.
 */
static void apply_round(world *w, int64_t *usage, int64_t *given)
{
    size_t n = w->w.in.n;
    int64_t need = w->got.total[0][0], free_now = w->got.total[2][0];
    int64_t left = need;

    for (size_t row = 0; row < n && left > 0; row++) {
        int64_t take = w->got.cells[3][row];
        take = take < left ? take : left;
        usage[row] -= take;
        given[row] += take;
        left -= take;
        free_now += take;
    }
    for (size_t row = 0; row < n && free_now > 0; row++) {
        int64_t owed = w->got.cells[4][row];
        if (owed == 0) continue;
        owed = owed < free_now ? owed : free_now;
        if (given[row] > 0 && !w->w.in.state) {
            fail_msg("row %zu takes back what it gave", row);
        }
        usage[row] += owed;
        free_now -= owed;
    }
}

static void nothing_goes_back_and_forth(void **state)
{
    world *w = world_new(3);
    static int64_t usage[MOST], demand[MOST], given[MOST];
    (void)state;

    for (size_t i = 0; i < test_size(3000, 150000); i++) {
        draw_world(w, 10, 1 + (int64_t)test_below(&w->words, 30));
        sked_share_input *in = &w->w.in;
        in->kinds = 1;
        w->options.kind = 0;
        w->options.scope = 0;
        int64_t sum = 0, total = 0;
        for (size_t row = 0; row < in->n; row++) {
            usage[row] = used_at(w, row);
            demand[row] = in->demand ? in->demand[row] : 0;
            if (demand[row] < usage[row]) demand[row] = usage[row];
            given[row] = 0;
        }
        in->usage = usage;
        in->demand = demand;
        for (size_t row = 0; row < in->n; row++) {
            int leaf = 1;
            for (size_t k = 1; k < in->n; k++) {
                if (in->parent[k] == (int32_t)row) leaf = 0;
            }
            if (leaf) sum += usage[row];
        }
        if (w->w.capacity[0] < sum) w->w.capacity[0] = sum;
        size_t rounds = 0;
        do {
            found_of(&w->got);
            assert_ok(
                sked_target_once(&w->in, &w->options, NULL, &w->got.to, NULL));
            memcpy(w->min_since, w->got.min_since, sizeof w->min_since);
            memcpy(w->fair_since, w->got.fair_since, sizeof w->fair_since);
            memcpy(w->rounds, w->got.rounds, sizeof w->rounds);
            w->in.min_since = w->min_since;
            w->in.fair_since = w->fair_since;
            w->in.rounds = w->rounds;
            w->in.now += 7;
            total = w->got.total[0][0];
            apply_round(w, usage, given);
        } while (++rounds < 12 || (total > 0 && rounds < 400));
        assert_i64(total, 0);
    }
    free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(targets_are_as_the_words_say),
        cmocka_unit_test(no_queue_gives_and_claims_of_one_kind),
        cmocka_unit_test(nothing_goes_back_and_forth),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
