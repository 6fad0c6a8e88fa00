/*
 * Percentile allocation against its slow twin, which sorts: random units with
 * few or many amounts, narrow or wide, sizes around every threshold of the
 * ways that are taken; many queues and threads against one at a time.
 */
#include "test.h"

#include <sched/sked.h>

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "host.h"
#include "pctl/bracket.h"
#include "ref_pctl.h"
#include "size.h"

enum { MOST_THRESHOLDS = 40 };

static skedi_random rng;

static uint64_t below(uint64_t n)
{
    return skedi_random_below(&rng, n);
}

/* Up to `bits` bits, small ones as likely as large ones. */
static int64_t any_width(unsigned bits)
{
    unsigned by = (unsigned)below(bits + 1);

    return by ? (int64_t)(skedi_random_next(&rng) >> (64 - by)) : 0;
}

typedef struct column {
    int64_t *length;
    int64_t *amount;
    size_t n;
} column;

static column new_column(size_t n)
{
    column c = {malloc((n + 1) * sizeof *c.length),
                malloc((n + 1) * sizeof *c.amount), n};

    return c;
}

static void drop_column(column *c)
{
    free(c->length);
    free(c->amount);
}

/* One amount of a family of units: counts, ties, clusters, any width. */
static int64_t draw_amount(unsigned shape, int64_t base)
{
    switch (shape % 6) {
    case 0: return (int64_t)below(8);
    case 1: return (int64_t)below(3000);
    case 2: return any_width(62);
    case 3: return base + (int64_t)below(50);
    case 4: return below(3) ? base : any_width(61);
    default: return below(2) ? (int64_t)below(40000) + base : 0;
    }
}

static void draw_units(column *c, unsigned shape)
{
    int64_t base = any_width(60);
    unsigned bits = 63;

    for (size_t m = c->n; m > 1; m /= 2) bits--;
    for (size_t i = 0; i < c->n; i++) {
        c->amount[i] = draw_amount(shape, base);
        c->length[i] = shape % 5 == 0   ? any_width(bits)
                       : shape % 5 == 1 ? 60
                                        : (int64_t)below(1000);
    }
}

static sked_ratio draw_threshold(void)
{
    int64_t den = 1 + any_width(below(4) ? 10 : 62);

    return (sked_ratio){1 + (int64_t)below((uint64_t)den), den};
}

static void assert_same_point(const sked_pctl_point *got,
                              const sked_pctl_point *want)
{
    assert_i64(got->amount, want->amount);
    assert_i64(got->lower, want->lower);
    assert_i64(got->higher, want->higher);
    assert_i64(got->covered.num, want->covered.num);
    assert_i64(got->covered.den, want->covered.den);
    assert_true(got->waste.low == want->waste.low);
    assert_true(got->waste.high == want->waste.high);
}

static void assert_same_total(const sked_pctl_queue *got,
                              const sked_pctl_queue *want)
{
    assert_i64(got->in_use, want->in_use);
    assert_i64(got->vacant, want->vacant);
    assert_i64(got->least, want->least);
    assert_i64(got->peak, want->peak);
    assert_true(got->usage.low == want->usage.low);
    assert_true(got->usage.high == want->usage.high);
}

static sked_pctl_input input_of(const column *c, const sked_ratio *threshold,
                                uint32_t thresholds)
{
    return (sked_pctl_input){.struct_size = sizeof(sked_pctl_input),
                             .flags = SKED_PCTL_FLAG_USAGE,
                             .n = c->n,
                             .length = c->length,
                             .amount = c->amount,
                             .threshold = threshold,
                             .queues = 1,
                             .thresholds = thresholds};
}

static void try_units(const column *c, uint32_t m, const sked_host *host)
{
    sked_ratio threshold[MOST_THRESHOLDS];
    sked_pctl_point got[MOST_THRESHOLDS], want[MOST_THRESHOLDS];
    sked_pctl_queue got_total, want_total;

    for (uint32_t j = 0; j < m; j++) threshold[j] = draw_threshold();
    sked_pctl_input in = input_of(c, threshold, m);
    assert_ok(sked_pctl(&in, host, got, &got_total, NULL));
    ref_pctl(c->length, c->amount, c->n, threshold, m, want, &want_total);
    assert_same_total(&got_total, &want_total);
    for (uint32_t j = 0; j < m; j++) assert_same_point(&got[j], &want[j]);
}

static void selecting_is_sorting(void **state)
{
    test_host host = {0};
    sked_host hooks = test_host_hooks(&host);

    (void)state;
    for (size_t t = 0; t < test_size(3000, 100000); t++) {
        size_t n = below(30) ? below(120) : below(3000);
        column c = new_column(n);
        draw_units(&c, (unsigned)below(30));
        try_units(&c, 1 + (uint32_t)below(below(4) ? 3 : MOST_THRESHOLDS),
                  &hooks);
        drop_column(&c);
    }
    assert_i64((int64_t)host.live, 0);
}

static void large_queues_are_done_by_a_sample(void **state)
{
    static const size_t sizes[] = {32767, 32768, 32769, 65536,
                                   65537, 70001, 140000};

    (void)state;
    for (size_t t = 0; t < test_size(30, 600); t++) {
        column c = new_column(sizes[t % 7]);
        draw_units(&c, (unsigned)t);
        try_units(&c, 1 + (uint32_t)below(below(3) ? 6 : 18), NULL);
        drop_column(&c);
    }
}

/* A list that is too small only costs passes. */
static void with_little_memory_the_answers_are_the_same(void **state)
{
    (void)state;
    for (size_t t = 0; t < test_size(300, 10000); t++) {
        test_host host = {0};
        skedi_mem mem = test_host_mem(&host);
        skedi_select_memory *memory = skedi_new(&mem, 1, sizeof *memory);
        column c = new_column(1100 + below(3000));
        skedi_units_sum sum = skedi_units_none();
        sked_pctl_queue total;
        sked_pctl_point want;
        draw_units(&c, (unsigned)below(30));
        c.amount[0] = c.length[0] = 1;
        assert_true(skedi_select_reserve(memory, 1024 + below(500), &mem));
        skedi_units u = {c.length, c.amount, c.n};
        for (size_t at = 0; at < u.n; at += SKEDI_UNITS_BLOCK) {
            skedi_units block = skedi_units_at(&u, at);
            assert_true(skedi_units_add(&sum, &block));
        }
        sked_ratio p = draw_threshold();
        skedi_spot spot = {.need = skedi_select_need(sum.all - sum.vacant, p)};
        skedi_select(&u, &sum, &spot, 1, memory);
        ref_pctl(c.length, c.amount, c.n, &p, 1, &want, &total);
        assert_i64((int64_t)spot.amount, want.amount);
        assert_i64((int64_t)spot.covered, want.covered.num);
        assert_i64((int64_t)spot.lower, want.lower);
        assert_i64((int64_t)spot.higher, want.higher);
        skedi_select_free(memory, &mem);
        skedi_free(&mem, memory, 1, sizeof *memory);
        drop_column(&c);
        assert_i64((int64_t)host.live, 0);
    }
}

/* ---- Reserved or on demand ---- */

/* What `reserved` cost in price.den-ths of what one on demand costs. */
static int64_t cost_by_unit(const column *c, int64_t window, sked_ratio price,
                            int64_t reserved)
{
    int64_t cost = price.num * reserved * window;

    for (size_t i = 0; i < c->n; i++) {
        int64_t beyond = c->amount[i] - reserved;
        if (beyond > 0) cost += price.den * beyond * c->length[i];
    }
    return cost;
}

static void check_cost(const column *c, int64_t window, sked_ratio price,
                       const sked_pctl_reserved_cost *got)
{
    int64_t exact = cost_by_unit(c, window, price, got->amount);

    assert_i64((int64_t)got->cost.low, (exact + price.den - 1) / price.den);
    assert_i64((int64_t)got->reserved_amount.low, got->amount * window);
    assert_i64((int64_t)got->demand.low,
               cost_by_unit(c, window, (sked_ratio){0, 1}, got->amount));
}

static sked_history *history_of_units(const column *c)
{
    sked_history *history;
    sked_history_input rows = {.struct_size = sizeof rows,
                               .form = SKED_HISTORY_FORM_UNITS,
                               .n = c->n,
                               .length = c->length,
                               .amount = c->amount};

    assert_ok(sked_history_new(NULL, NULL, NULL, &history, NULL));
    assert_ok(sked_history_add(history, &rows, NULL, NULL));
    return history;
}

/* [MON-14] No other number is cheaper; of the cheapest it is the smallest. */
static void the_cheapest_number_is_reserved(void **state)
{
    (void)state;
    for (size_t t = 0; t < test_size(1500, 50000); t++) {
        column c = new_column(below(20));
        int64_t window = 0, over = 0, peak = 0;
        sked_ratio price = {0, 1 + (int64_t)below(30)};
        sked_pctl_reserved_result plan, again;
        price.num = 1 + (int64_t)below((uint64_t)price.den);
        for (size_t i = 0; i < c.n; i++) {
            c.amount[i] = (int64_t)below(12);
            c.length[i] = (int64_t)below(20);
            window += c.length[i];
            if (c.length[i] && c.amount[i] > peak) peak = c.amount[i];
        }
        if (below(2)) window += (int64_t)below(100);
        assert_ok(sked_pctl_reserved(c.length, c.amount, c.n, window, price,
                                     NULL, &plan, NULL));
        int64_t best = cost_by_unit(&c, window, price, plan.cheapest.amount);
        for (int64_t r = 0; r <= 13; r++) {
            int64_t cost = cost_by_unit(&c, window, price, r);
            assert_true(cost >= best);
            if (cost == best) assert_true(r >= plan.cheapest.amount);
        }
        for (size_t i = 0; i < c.n; i++) {
            if (c.amount[i] > plan.cheapest.amount) over += c.length[i];
        }
        assert_i64(plan.exceeded, over);
        assert_i64(plan.window, window);
        assert_i64(plan.peak.amount, peak);
        assert_i64(plan.none.amount, 0);
        check_cost(&c, window, price, &plan.cheapest);
        check_cost(&c, window, price, &plan.peak);
        check_cost(&c, window, price, &plan.none);
        sked_history *h = history_of_units(&c);
        assert_ok(sked_history_reserved(h, 0, window, price, &again, NULL));
        assert_memory_equal(&plan, &again, sizeof plan);
        sked_history_free(h);
        drop_column(&c);
    }
}

/* Many queues: as one at a time, whoever does them. */
static void queues_and_threads_do_not_matter(void **state)
{
    enum { QUEUES = 700, M = 3 };
    static uint64_t first[QUEUES + 1];
    static sked_pctl_point one[QUEUES * M], many[QUEUES * M];
    static sked_pctl_queue one_total[QUEUES], many_total[QUEUES];
    sked_host host = {.struct_size = sizeof host, .threads = 3};
    sked_ratio threshold[M] = {{1, 2}, {19, 20}, {1, 1}};

    (void)state;
    column c = new_column(300000);
    draw_units(&c, 5);
    for (size_t q = 1; q < QUEUES; q++) {
        uint64_t at = first[q - 1] + below(below(20) ? 300 : 40000);
        first[q] = at < c.n ? at : c.n;
    }
    first[QUEUES] = c.n;
    sked_pctl_input in = input_of(&c, threshold, M);
    in.first = first;
    in.queues = QUEUES;
    assert_ok(sked_pctl(&in, &host, many, many_total, NULL));
    for (size_t q = 0; q < QUEUES; q++) {
        column part = {c.length + first[q], c.amount + first[q],
                       (size_t)(first[q + 1] - first[q])};
        sked_pctl_input alone = input_of(&part, threshold, M);
        assert_ok(sked_pctl(&alone, NULL, one + q * M, &one_total[q], NULL));
    }
    assert_memory_equal(one_total, many_total, sizeof one_total);
    assert_memory_equal(one, many, sizeof one);
    drop_column(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(selecting_is_sorting),
        cmocka_unit_test(large_queues_are_done_by_a_sample),
        cmocka_unit_test(with_little_memory_the_answers_are_the_same),
        cmocka_unit_test(the_cheapest_number_is_reserved),
        cmocka_unit_test(queues_and_threads_do_not_matter),
    };

    skedi_random_seed(&rng, 20, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
