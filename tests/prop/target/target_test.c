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

enum { ROWS = SHARE_WORLD_ROWS, MOST = ROWS * SHARE_WORLD_KINDS };

/* Room for a result. */
typedef struct found {
    int64_t cells[6][MOST];
    uint32_t reasons[ROWS];
    sked_time min_since[ROWS];
    sked_time fair_since[ROWS];
    uint32_t rounds[ROWS];
    int64_t total[3][SHARE_WORLD_KINDS];
    sked_target_result to;
} found;

static void found_of(found *f)
{
    memset(f, 0, sizeof *f);
    f->to = (sked_target_result){.struct_size = sizeof f->to,
                                 .share = f->cells[0],
                                 .excess = f->cells[1],
                                 .keep = f->cells[2],
                                 .take = f->cells[3],
                                 .owed = f->cells[4],
                                 .first = f->cells[5],
                                 .reasons = f->reasons,
                                 .min_since = f->min_since,
                                 .fair_since = f->fair_since,
                                 .rounds = f->rounds,
                                 .need = f->total[0],
                                 .budget = f->total[1],
                                 .free = f->total[2]};
}

typedef struct world {
    share_world w;
    test_words words;
    sked_target_once_input in;
    sked_target_options options;
    uint8_t from[ROWS];
    int64_t min_timeout[ROWS];
    int64_t fair_timeout[ROWS];
    int64_t threshold[ROWS];
    sked_time min_since[ROWS];
    sked_time fair_since[ROWS];
    uint32_t rounds[ROWS];
    found got;
    found want;
} world;

static int64_t any_part(test_words *w, int64_t most)
{
    switch (test_below(w, 4)) {
    case 0: return 0;
    case 1: return most;
    default: return (int64_t)test_below(w, (uint64_t)most) + 1;
    }
}

static void draw_options(world *w)
{
    sked_target_options *o = &w->options;
    uint64_t flags = test_below(&w->words, 8);

    *o = (sked_target_options){.struct_size = sizeof *o};
    o->mode = (int32_t)test_below(&w->words, 3);
    o->flags = (uint32_t)flags;
    if (o->mode != SKED_TARGET_MODE_IMBALANCE)
        o->flags &= SKED_TARGET_FLAG_PRIORITY;
    if (o->mode == SKED_TARGET_MODE_STARVATION) {
        o->scope = (int32_t)test_below(&w->words, 2);
        o->kind = (int32_t)test_below(&w->words, w->w.in.kinds);
        o->utilisation_ppm = any_part(&w->words, SKED_PPM) - 1;
    }
    if (o->mode == SKED_TARGET_MODE_ENTITLEMENT) {
        o->cycles = (uint32_t)test_below(&w->words, 4);
    }
    o->ignored_ppm = any_part(&w->words, SKED_PPM) - 1;
    o->factor_ppm = any_part(&w->words, SKED_PPM);
    o->per_round_ppm = any_part(&w->words, SKED_PPM);
    if (test_below(&w->words, 4) == 0) o->per_round_ppm = -1;
}

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

/* In one kind nobody gives and claims; what is taken leaves the share, what is
 * claimed does not pass it, and the two meet within the budget. */
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
        assert_true(keep == SKED_UNLIMITED || keep == share);
        assert_true(w->got.cells[5][i] <= w->got.cells[1][i]);
        takes[i % kinds] += take;
    }
    for (size_t k = 0; k < kinds; k++) {
        assert_true(takes[k] <= w->got.total[1][k]);
        assert_true(w->got.total[0][k] <= takes[k]);
        assert_true(w->got.total[0][k] >= 0);
    }
}

static void nobody_gives_and_claims_of_one_kind(void **state)
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

/* ---- The handle ---- */

/* What the tree and the ledger say, as arrays. */
typedef struct laid {
    sked_share_input q;
    int32_t parent[ROWS];
    uint32_t weight[ROWS];
    int32_t priority[ROWS];
    uint8_t states[ROWS];
    uint8_t from[ROWS];
    int64_t running[ROWS];
    int64_t number[4][ROWS];
    int64_t amount[6][MOST];
} laid;

static void lay_out(laid *l, const sked_tree *tree, const sked_ledger *ledger,
                    const int64_t *capacity)
{
    const int32_t what[] = {SKED_QUEUE_GUARANTEE, SKED_QUEUE_LIMIT,
                            SKED_QUEUE_BORROW, SKED_QUEUE_LEND};
    int64_t row_of[ROWS];
    sked_queue_id ids[ROWS];
    size_t n;

    memset(l, 0, sizeof *l);
    assert_ok(sked_tree_ids(tree, ids, ROWS, &n));
    assert_ok(sked_tree_rows(tree, l->parent, NULL, NULL, ROWS, &n));
    for (int k = 0; k < 3; k++) {
        for (int c = 0; c < 4; c++) {
            assert_ok(sked_tree_column_vec(tree, what[c], k, capacity[k],
                                           row_of, ROWS, &n));
            for (size_t i = 0; i < n; i++) {
                l->amount[c][i * 3 + (size_t)k] = row_of[i];
            }
        }
    }
    for (size_t i = 0; i < n; i++) {
        int64_t v;
        assert_ok(sked_tree_effective(tree, ids[i], SKED_QUEUE_WEIGHT, &v));
        l->weight[i] = (uint32_t)v;
        assert_ok(sked_tree_effective(tree, ids[i], SKED_QUEUE_PRIORITY, &v));
        l->priority[i] = (int32_t)v;
        assert_ok(sked_tree_effective(tree, ids[i], SKED_QUEUE_STATE, &v));
        l->states[i] = (uint8_t)v;
        assert_ok(
            sked_tree_effective(tree, ids[i], SKED_QUEUE_PREEMPT_FROM, &v));
        l->from[i] = v != 0;
        for (int c = 1; c < 4; c++) {
            assert_ok(sked_tree_effective(
                tree, ids[i], SKED_QUEUE_PREEMPT_FROM + c, &l->number[c][i]));
        }
        assert_ok(sked_ledger_get(ledger, SKED_LEDGER_USAGE, ids[i],
                                  &l->amount[4][i * 3]));
        assert_ok(sked_ledger_get(ledger, SKED_LEDGER_DEMAND, ids[i],
                                  &l->amount[5][i * 3]));
        assert_ok(sked_ledger_get(ledger, SKED_LEDGER_RUNNING, ids[i],
                                  &l->running[i]));
    }
    l->q = (sked_share_input){.struct_size = sizeof l->q,
                              .kinds = 3,
                              .n = (uint32_t)n,
                              .parent = l->parent,
                              .weight = l->weight,
                              .priority = l->priority,
                              .guarantee = l->amount[0],
                              .limit = l->amount[1],
                              .borrow = l->amount[2],
                              .lend = l->amount[3],
                              .usage = l->amount[4],
                              .demand = l->amount[5],
                              .running = l->running,
                              .state = l->states,
                              .capacity = capacity};
}

static void fill_ledger(sked_ledger *ledger, const sked_tree *tree,
                        test_words *w)
{
    sked_queue_id leaves[ROWS];
    size_t n;

    assert_ok(sked_tree_leaves(tree, leaves, ROWS, &n));
    for (size_t i = 0; i < n; i++) {
        int64_t usage[3], demand[3], running = (int64_t)test_below(w, 2);
        for (size_t k = 0; k < 3; k++) {
            usage[k] = (int64_t)test_below(w, 3) * (int64_t)test_below(w, 500);
            demand[k] = usage[k] + (int64_t)test_below(w, 400);
        }
        assert_ok(sked_ledger_set(ledger, SKED_LEDGER_USAGE, &leaves[i], usage,
                                  1, NULL));
        assert_ok(sked_ledger_set(ledger, SKED_LEDGER_DEMAND, &leaves[i],
                                  demand, 1, NULL));
        assert_ok(sked_ledger_set(ledger, SKED_LEDGER_RUNNING, &leaves[i],
                                  &running, 1, NULL));
    }
}

static void assert_view(const sked_target *t, int32_t column,
                        const int64_t *want, size_t cells)
{
    size_t n;
    const int64_t *got = sked_target_view(t, column, &n);

    assert_non_null(got);
    assert_int_equal(n * 3, cells);
    assert_memory_equal(got, want, cells * sizeof *got);
}

/* One round of both; clocks of the arrays are kept by row, as no row moves. */
static void compare_round(sked_target *t, const sked_target_options *o,
                          const sked_tree *tree, const sked_ledger *ledger,
                          sked_time now, found *f)
{
    const int64_t capacity[] = {700, 900, 1100};
    static laid l;
    sked_target_input in = {.struct_size = sizeof in,
                            .tree = tree,
                            .capacity = capacity,
                            .ledger = ledger};
    sked_target_once_input arrays = {.struct_size = sizeof arrays,
                                     .now = now,
                                     .queues = &l.q,
                                     .preempt_from = l.from,
                                     .min_timeout_ns = l.number[1],
                                     .fair_timeout_ns = l.number[2],
                                     .fair_threshold_ppm = l.number[3],
                                     .min_since = f->min_since,
                                     .fair_since = f->fair_since,
                                     .rounds = f->rounds};

    lay_out(&l, tree, ledger, capacity);
    assert_ok(sked_target_compute(t, &in, now, NULL));
    assert_ok(sked_target_check(t, NULL));
    assert_ok(sked_target_once(&arrays, o, NULL, &f->to, NULL));
    for (int32_t c = SKED_TARGET_COLUMN_SHARE; c <= SKED_TARGET_COLUMN_FIRST;
         c++) {
        assert_view(t, c, f->cells[c - 1], (size_t)l.q.n * 3);
    }
    assert_memory_equal(sked_target_reasons(t, NULL), f->reasons,
                        l.q.n * sizeof *f->reasons);
    assert_memory_equal(sked_target_total(t, SKED_TARGET_TOTAL_NEED, NULL),
                        f->total[0], 3 * sizeof(int64_t));
}

static void a_handle_finds_what_the_arrays_find(void **state)
{
    test_words w = {4};
    static world draws;
    static found f;
    (void)state;

    draws.words.state = 5;
    draws.w.in.kinds = 3;
    for (size_t i = 0; i < test_size(150, 5000); i++) {
        sked_tree_options small = {.struct_size = sizeof small,
                                   .max_queues = ROWS};
        sked_tree *tree = forest_tree(NULL, &small);
        sked_ledger *ledger;
        sked_target *t;
        forest_edit(tree, &w, 60, FOREST_PLAIN);
        assert_ok(sked_tree_commit(tree, SKED_TREE_COMMIT_LENIENT, NULL));
        assert_ok(sked_ledger_new(tree, NULL, NULL, &ledger, NULL));
        draw_options(&draws);
        assert_ok(sked_target_new(&draws.options, NULL, &t, NULL));
        found_of(&f);
        for (size_t row = 0; row < ROWS; row++) {
            f.min_since[row] = f.fair_since[row] = SKED_UNSET;
        }
        for (sked_time now = 0; now < 6; now++) {
            fill_ledger(ledger, tree, &w);
            compare_round(t, &draws.options, tree, ledger,
                          now * INT64_C(20000000000), &f);
        }
        sked_target_free(t);
        sked_ledger_free(ledger);
        sked_tree_free(tree);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(targets_are_as_the_words_say),
        cmocka_unit_test(nobody_gives_and_claims_of_one_kind),
        cmocka_unit_test(nothing_goes_back_and_forth),
        cmocka_unit_test(a_handle_finds_what_the_arrays_find),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
