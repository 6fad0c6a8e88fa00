/*
 * Hosts with books of their own: targets, a plan for them, and what starts
 * then, round after round, by request and by need, in every dialect. Random
 * trees with limits, borrowing bounds, guarantees and weights of 0 on every
 * level, up to three kinds of which one may be plentiful, and backlogs of up to
 * a thousand times the capacity. While demand stays as it is,
 *   - kills come to an end,
 *   - and then no claim is left that free amounts and surplus could serve.
 * By need, worlds in which tasks of one leaf differ are set apart.
 */
#include "test.h"

#include <sched/preempt.h>
#include <sched/target.h>

#include <string.h>

#include "size.h"
#include "words.h"

enum { ROWS = 9, KINDS = 3, CELLS = ROWS * KINDS, ROUNDS = 2000, TASKS = 400 };
enum { CLASSES = 2 * ROWS }; /* of alike tasks, up to two a leaf */

typedef struct books {
    uint32_t rows, kinds, classes;
    int32_t parent[ROWS];
    uint32_t weight[ROWS];
    uint8_t leaf[ROWS];
    uint32_t number[ROWS]; /* of a leaf, among the leaves */
    uint32_t leaves;
    int64_t guarantee[CELLS], limit[CELLS], borrow[CELLS];
    int64_t capacity[KINDS];
    uint32_t row[CLASSES]; /* the leaf of a class */
    int64_t amount[CLASSES * KINDS];
    int64_t want[CLASSES], run[CLASSES];
    sked_target_options options;
    int by_need;
    int unlike; /* some leaf has tasks of two shapes */
    sked_time since[ROWS], fair_since[ROWS];
    uint32_t rounds[ROWS];
    int64_t used[CELLS]; /* with all that is below */
    int64_t claim[CELLS], keep[CELLS], take[CELLS], owed[CELLS];
    int64_t need[KINDS], free[KINDS];
    int64_t held[KINDS]; /* of what is free, for leaves that are owed */
} books;

/* ---- Worlds ---- */

static int64_t upto(test_words *w, int64_t most)
{
    return (int64_t)test_below(w, (uint64_t)most + 1);
}

static void draw_tree(books *b, test_words *w)
{
    b->kinds = 1 + (uint32_t)test_below(w, KINDS);
    b->rows = 3 + (uint32_t)test_below(w, ROWS - 2);
    for (uint32_t k = 0; k < b->kinds; k++) {
        b->capacity[k] = 5 + upto(w, 40);
        if (test_below(w, 4) == 0) b->capacity[k] *= 20;
    }
    for (uint32_t row = 0; row < b->rows; row++) {
        b->parent[row] = row ? (int32_t)test_below(w, row) : -1;
        b->leaf[row] = 1;
        b->weight[row] = (uint32_t)test_below(w, 5);
        if (row) b->leaf[b->parent[row]] = 0;
        for (uint32_t k = 0; k < b->kinds; k++) {
            size_t at = row * b->kinds + k;
            b->limit[at] = b->borrow[at] = SKED_UNLIMITED;
            if (row == 0) continue;
            if (test_below(w, 3) == 0) b->limit[at] = upto(w, b->capacity[k]);
            if (test_below(w, 8) == 0) b->borrow[at] = upto(w, b->capacity[k]);
            if (test_below(w, 2))
                b->guarantee[at] = upto(w, b->capacity[k]) / 2;
        }
    }
}

static void draw_classes(books *b, test_words *w)
{
    static const int64_t far[] = {1, 4, 30, 1000};

    for (uint32_t row = 0; row < b->rows; row++) {
        uint32_t shapes = test_below(w, 4) ? 1 : 2;
        if (!b->leaf[row]) continue;
        b->number[row] = b->leaves++;
        if (shapes > 1) b->unlike = 1;
        for (uint32_t i = 0; i < shapes; i++) {
            uint32_t c = b->classes++;
            int64_t *amount = b->amount + c * b->kinds;
            b->row[c] = row;
            for (uint32_t k = 0; k < b->kinds; k++) {
                amount[k] = test_below(w, 4) ? upto(w, 6) : 0;
            }
            amount[test_below(w, b->kinds)] += 1;
            b->want[c] = upto(w, 12) * far[test_below(w, 4)];
        }
    }
}

static void draw_options(books *b, test_words *w)
{
    sked_target_options *o = &b->options;

    *o = (sked_target_options){.struct_size = sizeof *o,
                               .mode = (int32_t)test_below(w, 3),
                               .factor_ppm = SKED_PPM,
                               .per_round_ppm = -1};
    o->ignored_ppm = test_below(w, 2) ? -1 : (int64_t)test_below(w, SKED_PPM);
    if (o->mode == SKED_TARGET_MODE_IMBALANCE) {
        o->flags = (uint32_t)test_below(w, 2) * SKED_TARGET_FLAG_BALANCE |
                   (uint32_t)test_below(w, 2) * SKED_TARGET_FLAG_BY_WEIGHT;
    }
    if (o->mode == SKED_TARGET_MODE_STARVATION) o->utilisation_ppm = -1;
    if (o->mode == SKED_TARGET_MODE_ENTITLEMENT) {
        o->cycles = 1 + (uint32_t)test_below(w, 2);
    }
    for (uint32_t row = 0; row < ROWS; row++) {
        b->since[row] = b->fair_since[row] = SKED_UNSET;
    }
}

/* ---- What runs ---- */

static void change(books *b, uint32_t class, int64_t tasks)
{
    b->run[class] += tasks;
    for (int32_t at = (int32_t)b->row[class]; at >= 0; at = b->parent[at]) {
        for (uint32_t k = 0; k < b->kinds; k++) {
            b->used[(uint32_t)at * b->kinds + k] +=
                b->amount[class * b->kinds + k] * tasks;
        }
    }
}

/* May one more task start, in what is free but for what is held, and within
 * every limit? */
static int may_start(const books *b, uint32_t class, const int64_t *held)
{
    if (b->run[class] >= b->want[class]) return 0;
    for (int32_t up = (int32_t)b->row[class]; up >= 0; up = b->parent[up]) {
        for (uint32_t k = 0; k < b->kinds; k++) {
            size_t at = (uint32_t)up * b->kinds + k;
            int64_t amount = b->amount[class * b->kinds + k];
            int64_t most = up ? b->limit[at] : b->capacity[k] - held[k];
            if (up && b->borrow[at] != SKED_UNLIMITED &&
                b->guarantee[at] + b->borrow[at] < most) {
                most = b->guarantee[at] + b->borrow[at];
            }
            if (amount && amount > most - b->used[at]) return 0;
        }
    }
    return 1;
}

static int64_t start_what_fits(books *b, uint32_t late, test_words *w)
{
    uint32_t turn = (uint32_t)test_below(w, b->classes);
    int64_t started = 0;

    for (uint32_t i = 0; i < b->classes; i++) {
        uint32_t c = (i * 5 + turn) % b->classes;
        if (b->classes % 5 == 0) c = (i + turn) % b->classes;
        if (late >> c & 1) continue;
        for (; may_start(b, c, b->held); started++) change(b, c, 1);
    }
    return started;
}

/* ---- A round ---- */

static void find_targets(books *b, sked_time now)
{
    static const int64_t zero[ROWS];
    static const int64_t whole[ROWS] = {SKED_PPM, SKED_PPM, SKED_PPM,
                                        SKED_PPM, SKED_PPM, SKED_PPM,
                                        SKED_PPM, SKED_PPM, SKED_PPM};
    int64_t demand[CELLS] = {0};
    sked_share_input queues = {.struct_size = sizeof queues,
                               .kinds = b->kinds,
                               .n = b->rows,
                               .parent = b->parent,
                               .weight = b->weight,
                               .guarantee = b->guarantee,
                               .limit = b->limit,
                               .borrow = b->borrow,
                               .demand = demand,
                               .usage = b->used,
                               .capacity = b->capacity};
    sked_target_once_input in = {.struct_size = sizeof in,
                                 .now = now,
                                 .queues = &queues,
                                 .min_timeout_ns = zero,
                                 .fair_timeout_ns = zero,
                                 .fair_threshold_ppm = whole,
                                 .min_since = b->since,
                                 .fair_since = b->fair_since,
                                 .rounds = b->rounds};
    sked_target_result to = {.struct_size = sizeof to,
                             .keep = b->keep,
                             .take = b->take,
                             .owed = b->owed,
                             .claim = b->claim,
                             .need = b->need,
                             .free = b->free,
                             .min_since = b->since,
                             .fair_since = b->fair_since,
                             .rounds = b->rounds};

    for (uint32_t i = 0; i < b->classes * b->kinds; i++) {
        uint32_t c = i / b->kinds;
        demand[b->row[c] * b->kinds + i % b->kinds] += b->amount[i] *
                                                       b->want[c];
    }
    assert_ok(sked_target_once(&in, &b->options, NULL, &to, NULL));
}

static int is_claim(const books *b, uint32_t class)
{
    for (uint32_t k = 0; k < b->kinds; k++) {
        size_t at = b->row[class] * b->kinds + k;
        int64_t amount = b->amount[class * b->kinds + k];
        if (amount && b->used[at] + amount > b->claim[at]) return 0;
    }
    return b->run[class] < b->want[class];
}

/* By need, what is freed goes to those that it is freed for: to leaves that are
 * owed something of every kind of which they want more. */
static void hold_what_is_owed(books *b)
{
    memset(b->held, 0, sizeof b->held);
    for (uint32_t row = 0; b->by_need && row < b->rows; row++) {
        int uses = b->leaf[row];
        for (uint32_t i = 0; i < b->classes * b->kinds; i++) {
            uint32_t c = i / b->kinds, k = i % b->kinds;
            if (b->row[c] != row || b->run[c] == b->want[c]) continue;
            uses &= !b->amount[i] || b->owed[row * b->kinds + k] > 0;
        }
        for (uint32_t k = 0; uses && k < b->kinds; k++) {
            b->held[k] += b->owed[row * b->kinds + k];
        }
    }
}

/* Columns of a plan's problem: leaves side by side, and classes that run. */
typedef struct problem {
    sked_preempt_input in;
    int64_t usage[CELLS], share[CELLS], keep[CELLS], take[CELLS];
    uint32_t queue[CLASSES], count[CLASSES], asks[CLASSES], many[CLASSES];
} problem;

static void problem_of(problem *p, const books *b)
{
    *p = (problem){.in = {.struct_size = sizeof p->in,
                          .kinds = b->kinds,
                          .n_queues = b->leaves,
                          .n = b->classes,
                          .usage = p->usage,
                          .share = p->share,
                          .keep = p->keep,
                          .queue = p->queue,
                          .count = p->count,
                          .amount = b->amount}};
    for (uint32_t i = 0; i < b->rows * b->kinds; i++) {
        uint32_t row = i / b->kinds, k = i % b->kinds;
        size_t at = b->number[row] * b->kinds + k;
        if (!b->leaf[row]) continue;
        p->usage[at] = b->used[i];
        p->share[at] = b->claim[i];
        p->keep[at] = b->keep[i];
        p->take[at] = b->take[i];
    }
    for (uint32_t c = 0; c < b->classes; c++) {
        int64_t waits = b->want[c] - b->run[c];
        p->queue[c] = p->asks[c] = b->number[b->row[c]];
        p->count[c] = (uint32_t)b->run[c];
        p->many[c] = (uint32_t)(waits < TASKS ? waits : TASKS);
    }
    if (b->by_need) {
        p->in.need = b->need;
        p->in.take = p->take;
        return;
    }
    p->in.n_requests = b->classes;
    p->in.request_queue = p->asks;
    p->in.request_amount = b->amount;
    p->in.request_count = p->many;
    p->in.free = b->free;
}

/* Ends victims, and starts what they end for; how many end. What is planned
 * starts whatever limit of a queue above is passed by it until that queue's
 * own surplus has gone. */
static uint64_t plan_round(books *b, uint64_t *served)
{
    problem p;
    sked_error err;
    sked_preempt_victim victims[CLASSES * CLASSES];
    sked_preempt_placement placements[CLASSES];
    sked_preempt_result plan = {.struct_size = sizeof plan,
                                .victims = victims,
                                .placements = placements,
                                .victims_cap = CLASSES * CLASSES,
                                .placements_cap = CLASSES};

    problem_of(&p, b);
    assert_ok(sked_preempt_select(&p.in, NULL, &plan, &err));
    if (sked_preempt_verify(&p.in, &plan, NULL, &err) != SKED_OK) {
        fail_msg("row %d: %s", (int)err.row, err.message);
    }
    for (uint64_t i = 0; i < plan.n_victims; i++) {
        change(b, victims[i].row, -(int64_t)victims[i].count);
    }
    for (uint64_t i = 0; i < plan.n_placements; i++) {
        change(b, placements[i].request, placements[i].count);
    }
    *served = plan.served;
    return plan.tasks;
}

static int64_t start_claims(books *b)
{
    const int64_t none[KINDS] = {0};
    int64_t started = 0;

    for (uint32_t c = 0; c < b->classes; c++) {
        while (is_claim(b, c) && may_start(b, c, none)) {
            change(b, c, 1);
            started++;
        }
    }
    return started;
}

/* ---- At rest ---- */

/* What of a class its leaf does not protect: by amounts, the smallest first.
 */
static int64_t surplus_of(const books *b, uint32_t class)
{
    uint32_t order[2], n = 0;
    int64_t left[KINDS], spare = 0;

    for (uint32_t c = 0; c < b->classes; c++) {
        if (b->row[c] == b->row[class]) order[n++] = c;
    }
    for (uint32_t k = 0, differ = 0; n == 2 && k < b->kinds && !differ; k++) {
        int64_t a = b->amount[order[0] * b->kinds + k];
        int64_t z = b->amount[order[1] * b->kinds + k];
        differ = a != z;
        if (a > z) {
            uint32_t first = order[0];
            order[0] = order[1];
            order[1] = first;
        }
    }
    memcpy(left, b->keep + b->row[class] * b->kinds, b->kinds * sizeof *left);
    for (uint32_t i = 0; i < n; i++) {
        const int64_t *amount = b->amount + order[i] * b->kinds;
        int64_t fit = b->run[order[i]];
        for (uint32_t k = 0; k < b->kinds; k++) {
            if (amount[k] && left[k] / amount[k] < fit) {
                fit = left[k] / amount[k];
            }
        }
        for (uint32_t k = 0; k < b->kinds; k++) left[k] -= fit * amount[k];
        if (order[i] == class) spare = b->run[class] - fit;
    }
    return spare;
}

/* No claim is left that free amounts and surplus of other leaves hold. */
static int unserved(const books *b)
{
    for (uint32_t c = 0; c < b->classes; c++) {
        int serves = is_claim(b, c);
        for (uint32_t k = 0; serves && k < b->kinds; k++) {
            int64_t there = b->capacity[k] - b->used[k];
            for (uint32_t v = 0; v < b->classes; v++) {
                if (b->row[v] == b->row[c]) continue;
                there += surplus_of(b, v) * b->amount[v * b->kinds + k];
            }
            int64_t amount = b->amount[c * b->kinds + k];
            serves = !amount || amount <= there;
        }
        if (serves) return 1;
    }
    return 0;
}

/* ---- The laws ---- */

static void draw_books(books *b, int by_need, test_words *w)
{
    memset(b, 0, sizeof *b);
    b->by_need = by_need;
    draw_tree(b, w);
    draw_classes(b, w);
    draw_options(b, w);
    (void)start_what_fits(b, (uint32_t)test_word(w), w);
}

/* What the runs of a test came to. */
typedef struct tally {
    uint64_t kills, killing, served, unserved, loops, unlike;
} tally;

/* Rounds until nothing moves; did it come to rest? */
static int comes_to_rest(books *b, tally *t, test_words *w)
{
    uint64_t quiet = 0, kills = 0;

    for (int round = 0; round < ROUNDS && quiet < 4; round++) {
        uint64_t served = 0;
        find_targets(b, round + 1);
        uint64_t ended = plan_round(b, &served);
        hold_what_is_owed(b);
        int64_t started = b->by_need ? start_claims(b) : (int64_t)served;
        started += start_what_fits(b, 0, w);
        kills += ended;
        t->served += ended > 0 && started > 0;
        quiet = ended || started ? 0 : quiet + 1;
    }
    t->kills += kills;
    t->killing += kills > 0;
    return quiet >= 4;
}

static tally run_worlds(int by_need, uint32_t flags, size_t worlds,
                        uint64_t seed)
{
    test_words w = {seed};
    tally t = {0};

    for (size_t i = 0; i < worlds; i++) {
        books b;
        draw_books(&b, by_need, &w);
        b.options.flags |= flags;
        int rests = comes_to_rest(&b, &t, &w);
        t.loops += !rests;
        t.unlike += !rests && by_need && b.unlike;
        if (rests && !by_need) t.unserved += (uint64_t)unserved(&b);
    }
    return t;
}

static void kills_by_request_end(void **state)
{
    size_t few = test_size(800, 80000);
    tally t = run_worlds(0, 0, test_size(10000, 1000000), 31);
    (void)state;

    assert_i64((int64_t)t.loops, 0);
    assert_i64((int64_t)t.unserved, 0);
    assert_true(t.killing > few && t.served > few);
}

static void kills_by_need_end(void **state)
{
    size_t few = test_size(800, 80000);
    tally t = run_worlds(1, 0, test_size(10000, 1000000), 32);
    (void)state;

    assert_i64((int64_t)(t.loops - t.unlike), 0);
    assert_true(t.unlike <= test_size(0, 50));
    assert_true(t.killing > few && t.served > few);
}

/* The laws are not empty: where each kind counts by itself, tasks end again and
 * again for what a limit of another kind keeps out. */
static void by_kind_kills_go_on(void **state)
{
    tally t = run_worlds(1, SKED_TARGET_FLAG_BY_KIND, 1000, 33);
    (void)state;

    assert_true(t.loops > 50);
}

/* Tasks of two shapes: one a round is served; and by need, it never ends. */
static void worlds_of_unlike_tasks_take_long(void **state)
{
    tally slow = run_worlds(0, 0, 1, UINT64_C(0x7e89ece1ff0b6e70));
    tally need = run_worlds(1, 0, 1, UINT64_C(0x386993a51a7efe77));
    (void)state;

    assert_true(slow.loops == 0 && slow.kills > 200 && need.unlike == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds_of_unlike_tasks_take_long),
        cmocka_unit_test(kills_by_request_end),
        cmocka_unit_test(kills_by_need_end),
        cmocka_unit_test(by_kind_kills_go_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
