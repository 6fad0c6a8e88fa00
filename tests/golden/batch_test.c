/*
 * The study of scheduling approaches for batch processing: what its tables say
 * of themselves, and what they come to again on batches like its own.
 */
#include "test.h"

#include <sched/batch.h>

#include <math.h>

#include "batch_world.h"

enum { BATCHES = 40, FEWER = 8, PIECES = 256 };

typedef struct mean_answer {
    double makespan;
    double t_hat;
    double pure;
    double tail_overhead;
    double tail_cpu;
    double capacity;
    double bound;
} mean_answer;

static double part_of(sked_ratio r)
{
    return (double)r.num / (double)r.den;
}

static void add_answer(mean_answer *mean, const sked_batch_result *r,
                       double batches)
{
    const sked_batch_metrics *m = &r->metrics;

    mean->makespan += (double)m->makespan / 1e6 / batches;
    mean->t_hat += (double)m->t_hat / 1e6 / batches;
    mean->pure += 100 * part_of(m->pure_cpu) / batches;
    mean->tail_overhead += part_of(m->tail_overhead) / batches;
    mean->tail_cpu += 100 * part_of(m->tail_cpu) / batches;
    mean->capacity += (double)m->capacity / 1e6 / batches;
    mean->bound += (double)m->makespan / (double)r->bound / batches;
}

/* The mean over so many batches of one method. */
static mean_answer mean_of(uint32_t method, uint32_t slots, double noise,
                           uint64_t batches)
{
    mean_answer mean = {0};

    for (uint64_t s = 0; s < batches; s++) {
        batch_world w;
        sked_batch_span spans[BATCH_WORLD_TASKS];
        sked_batch_options o = {.struct_size = sizeof o,
                                .method = method,
                                .seed = s,
                                .noise_ppm = (int64_t)(noise * 1e6)};
        sked_batch_result r = {.struct_size = sizeof r, .spans = spans};
        batch_world_make(&w, slots, noise, s + 1);
        assert_ok(sked_batch_plan(&w.input, &o, NULL, &r, NULL));
        add_answer(&mean, &r, (double)batches);
    }
    return mean;
}

static void assert_near(double got, double want, double give)
{
    if (fabs(got - want) <= give) return;
    fail_msg("%g is not %g, give or take %g", got, want, give);
}

/* ---- The document's own tables ---- */

/* A row of "Summary of the results" and of "Tail metrics"; times in ms. */
typedef struct published_row {
    int64_t time;
    int64_t main;
    int64_t tail;
    uint32_t pure; /* hundredths of a per cent */
    uint32_t tail_cpu;
    double overhead;
    double capacity; /* core seconds */
    double slots;    /* that these figures imply */
} published_row;

static const published_row published[] = {
    {445536, 417083, 28452, 7954, 3670, 2.82, 25340.807954, 74.1},
    {442393, 321111, 121281, 7617, 6867, 6.81, 24944.507181, 76.1},
    {996852, 567060, 429790, 9607, 264, 129.69, 33792.451026, 60.8},
    {520334, 485182, 35151, 8296, 6492, 1.87, 30531.777603, 71.8},
    {482046, 413250, 68795, 7562, 2755, 10.38, 25617.325310, 77.3},
    {428741, 377707, 51033, 8401, 7877, 20.52, 22410.507381, 62.7},
};

/* A schedule on 10,000 slots with the use and the median that a row says: the
 * main part in pieces of the median, then one piece of the tail. */
static size_t schedule_of_row(const published_row *row, sked_batch_span *spans)
{
    int64_t median = (int64_t)((double)row->tail / row->overhead + 0.5);
    size_t n = 0;

    for (int64_t at = 0; at < row->main; at += median) {
        int64_t end = at + median < row->main ? at + median : row->main;
        spans[n] = (sked_batch_span){at, end, (uint32_t)n, row->pure};
        n++;
    }
    spans[n] = (sked_batch_span){row->main, row->main + row->tail, (uint32_t)n,
                                 row->tail_cpu};
    return n + 1;
}

static void the_tail_metrics_are_those_of_the_document(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        const published_row *row = published + i;
        sked_batch_span spans[PIECES];
        sked_batch_rule rule = {.struct_size = sizeof rule, .slots = 10000};
        sked_batch_metrics m;
        size_t n = schedule_of_row(row, spans);
        assert_ok(sked_batch_measure(spans, n, &rule, NULL, &m, NULL));
        assert_i64(m.t_hat, row->main);
        assert_i64(m.tail, row->tail);
        assert_near((double)m.makespan, (double)row->time, 2);
        assert_i64(m.pure_cpu.num * 10000, m.pure_cpu.den * row->pure);
        assert_i64(m.tail_cpu.num * 10000, m.tail_cpu.den * row->tail_cpu);
        assert_near(part_of(m.tail_overhead), row->overhead,
                    row->overhead / 1000);
        /* capacity = slots * time * use, so the row says how many slots. */
        double use = (double)m.capacity / 10000 / (double)m.makespan;
        assert_near(row->capacity / use / (double)m.makespan * 1000, row->slots,
                    0.06);
    }
}

/* ---- The methods, on batches like the document's ---- */

/* What our specification of the methods came to when it was written, noise
 * 25 %: time, main, pure, overhead, tail CPU, capacity; per cents, seconds. */
typedef struct method_row {
    uint32_t method;
    double time, main, pure, overhead, tail_cpu, capacity;
} method_row;

static const method_row on_72_slots[] = {
    {SKED_BATCH_METHOD_MULTI, 1446.8, 136.6, 97.2, 78.55, 22.4, 26344},
    {SKED_BATCH_METHOD_GREEDY, 526.7, 319.8, 96.7, 3.49, 24.8, 25837},
    {SKED_BATCH_METHOD_DATA_DRIVEN, 467.0, 428.7, 96.0, 4.99, 58.8, 30932},
    {SKED_BATCH_METHOD_SIMPLE, 442.1, 392.0, 95.6, 6.27, 58.6, 28590},
};

static void methods_without_search_come_to_their_numbers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof on_72_slots / sizeof *on_72_slots; i++) {
        const method_row *row = on_72_slots + i;
        mean_answer a = mean_of(row->method, 72, 0.25, BATCHES);
        assert_near(a.makespan, row->time, 0.1);
        assert_near(a.t_hat, row->main, 0.1);
        assert_near(a.pure, row->pure, 0.1);
        assert_near(a.tail_overhead, row->overhead, 0.02);
        assert_near(a.tail_cpu, row->tail_cpu, 0.1);
        assert_near(a.capacity, row->capacity, 2);
    }
}

/* Their orders depend on the stream of random numbers: 2 %. */
static void annealing_comes_near_its_numbers(void **state)
{
    (void)state;
    mean_answer a = mean_of(SKED_BATCH_METHOD_ANNEALING, 72, 0.25, BATCHES);
    assert_near(a.makespan, 485.6, 10);
    assert_near(a.capacity, 25837, 2);
    a = mean_of(SKED_BATCH_METHOD_DYNAMIC, 72, 0.25, BATCHES);
    assert_near(a.makespan, 476.4, 10);
    assert_near(a.capacity, 25837, 2);
}

/* MultiBatch, Greedy, Data-driven, Annealing, Dynamic, Simple: 997 > 520 > 482
 * > 446 > 442 > 429 s. */
static void the_published_ranking_holds_on_240_slots(void **state)
{
    static const uint32_t order[] = {
        SKED_BATCH_METHOD_MULTI,       SKED_BATCH_METHOD_GREEDY,
        SKED_BATCH_METHOD_DATA_DRIVEN, SKED_BATCH_METHOD_ANNEALING,
        SKED_BATCH_METHOD_DYNAMIC,     SKED_BATCH_METHOD_SIMPLE};
    double before = 1e9;
    (void)state;

    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        mean_answer a = mean_of(order[i], 240, 0.25, BATCHES);
        assert_true(a.makespan < before);
        before = a.makespan;
    }
    assert_near(before, 493.1, 0.1);
}

/* ---- Over noise ---- */

enum { NOISES = 5 };

/* Makespan over the bound of one who knows the times, the geometric mean of 40
 * batches, without noise and with 10, 20, 25 and 40 %: on 72 slots, then on
 * 240. */
typedef struct noise_row {
    uint32_t method;
    int64_t eta_ppm;
    double over[2 * NOISES];
} noise_row;

static const noise_row over_noise[] = {
    {SKED_BATCH_METHOD_MULTI,
     0,
     {3.60, 3.62, 3.65, 3.67, 3.71, 3.79, 3.83, 3.86, 3.88, 3.93}},
    {SKED_BATCH_METHOD_GREEDY,
     0,
     {1.39, 1.40, 1.44, 1.48, 1.65, 1.54, 1.56, 1.64, 1.70, 1.91}},
    {SKED_BATCH_METHOD_DATA_DRIVEN,
     0,
     {1.33, 1.32, 1.32, 1.33, 1.33, 1.60, 1.60, 1.60, 1.60, 1.62}},
    {SKED_BATCH_METHOD_SIMPLE,
     0,
     {1.24, 1.24, 1.25, 1.25, 1.25, 1.38, 1.38, 1.39, 1.40, 1.42}},
    {SKED_BATCH_METHOD_ADAPT,
     1000000,
     {1.019, 1.091, 1.234, 1.326, 1.654, 1.035, 1.138, 1.347, 1.467, 1.918}},
    {SKED_BATCH_METHOD_ADAPT,
     800000,
     {1.034, 1.036, 1.067, 1.108, 1.320, 1.052, 1.052, 1.085, 1.125, 1.337}},
    {SKED_BATCH_METHOD_ADAPT,
     600000,
     {1.056, 1.058, 1.060, 1.060, 1.097, 1.046, 1.062, 1.069, 1.071, 1.117}},
    {SKED_BATCH_METHOD_ADAPT,
     400000,
     {1.080, 1.083, 1.082, 1.085, 1.097, 1.094, 1.098, 1.098, 1.100, 1.114}},
};

static double over_bound(const noise_row *row, uint32_t slots, double noise)
{
    double sum = 0;

    for (uint64_t s = 0; s < BATCHES; s++) {
        batch_world w;
        sked_batch_span spans[BATCH_WORLD_TASKS];
        sked_batch_options o = {.struct_size = sizeof o,
                                .method = row->method,
                                .eta_ppm = row->eta_ppm};
        sked_batch_result r = {.struct_size = sizeof r, .spans = spans};
        batch_world_make(&w, slots, noise, s + 1);
        assert_ok(sked_batch_plan(&w.input, &o, NULL, &r, NULL));
        sum += log((double)r.metrics.makespan / (double)r.bound);
    }
    return exp(sum / BATCHES);
}

/* The ratios of what is not drawn at random, give or take one in the last
 * digit; of ADAPT, whose decisions hang on the last ticks of when all could be
 * done, half a per cent. */
static void ratios_over_noise_are_those_of_the_table(void **state)
{
    static const double noise[NOISES] = {0, 0.1, 0.2, 0.25, 0.4};
    (void)state;

    for (size_t i = 0; i < sizeof over_noise / sizeof *over_noise; i++) {
        const noise_row *row = over_noise + i;
        double give = row->eta_ppm ? 0.0055 : 0.01;
        for (int k = 0; k < 2 * NOISES; k++) {
            double got = over_bound(row, k < NOISES ? 72 : 240,
                                    noise[k % NOISES]);
            assert_near(got, row->over[k], give);
        }
    }
}

/* ---- Sigma and tau ---- */

enum { SIGMAS = 5, TAUS = 3 };

static const int64_t sigmas[SIGMAS] = {1000000, 2000000, 3000000, 5000000,
                                       10000000};
static const int64_t taus[TAUS] = {5000000, 10000000, 15000000};

static void mean_sweep(uint32_t slots, double time[SIGMAS * TAUS])
{
    for (int i = 0; i < SIGMAS * TAUS; i++) time[i] = 0;
    for (uint64_t s = 0; s < BATCHES; s++) {
        batch_world w;
        sked_batch_cell cells[SIGMAS * TAUS];
        sked_batch_grid grid = {.struct_size = sizeof grid,
                                .n_sigma = SIGMAS,
                                .n_tau = TAUS,
                                .sigma_ppm = sigmas,
                                .tau_ppm = taus};
        batch_world_make(&w, slots, 0.25, s + 1);
        assert_ok(sked_batch_sweep(&w.input, &grid, NULL, NULL, cells, NULL));
        for (int i = 0; i < SIGMAS * TAUS; i++) {
            assert_i64(cells[i].sigma_ppm, sigmas[i / TAUS]);
            assert_i64(cells[i].tau_ppm, taus[i % TAUS]);
            time[i] += (double)cells[i].metrics.makespan / 1e6 / BATCHES;
        }
    }
}

/* Of the published 15 cells sigma 3 and tau 15 is the best, 428 s; so here. */
static void three_and_fifteen_is_the_best_cell(void **state)
{
    static const double on_240[SIGMAS * TAUS] = {611, 627, 632, 572, 568,
                                                 544, 530, 509, 493, 577,
                                                 563, 563, 935, 934, 934};
    static const double on_72[SIGMAS * TAUS] = {
        499.3, 527.4, 562.2, 460.6, 476.7, 461.3, 451.6, 446.9,
        442.1, 550.7, 552.0, 550.8, 949.7, 949.5, 949.5};
    double time[SIGMAS * TAUS];
    (void)state;

    mean_sweep(240, time);
    for (int i = 0; i < SIGMAS * TAUS; i++) {
        assert_near(time[i], on_240[i], 1);
        assert_true(i == 8 || time[i] > time[8]);
    }
    mean_sweep(72, time);
    for (int i = 0; i < SIGMAS * TAUS; i++) {
        assert_near(time[i], on_72[i], 0.1);
        assert_true(i == 8 || time[i] > time[8]);
    }
}

/* ---- Beyond ---- */

static void the_best_is_within_three_per_cent_of_the_bound(void **state)
{
    (void)state;
    assert_true(mean_of(SKED_BATCH_METHOD_BEST, 72, 0, FEWER).bound < 1.03);
    assert_true(mean_of(SKED_BATCH_METHOD_BEST, 240, 0, FEWER).bound < 1.03);
}

static void adapting_stays_near_the_bound_under_noise(void **state)
{
    (void)state;
    assert_true(mean_of(SKED_BATCH_METHOD_ADAPT, 72, 0.25, FEWER).bound < 1.12);
    assert_true(mean_of(SKED_BATCH_METHOD_ADAPT, 240, 0.25, FEWER).bound <
                1.12);
}

/* On 40 batches ROBUST comes to 1.129 times the bound and AUTO to 1.059; BEST,
 * which is 1.013 without noise, to 1.33. */
static void plans_for_noise_stay_near_the_bound(void **state)
{
    (void)state;
    assert_true(mean_of(SKED_BATCH_METHOD_ROBUST, 72, 0.25, 2).bound < 1.17);
    assert_true(mean_of(SKED_BATCH_METHOD_AUTO, 72, 0.25, 2).bound < 1.2);
    assert_true(mean_of(SKED_BATCH_METHOD_AUTO, 72, 0, 2).bound < 1.03);
    assert_true(mean_of(SKED_BATCH_METHOD_BEST, 72, 0.25, 2).bound > 1.2);
}

/* ---- Vectors of the specification ---- */

/* Times of ceil(blocks / width) + width - 1, and the optimum by exhaustion. */
typedef struct small_batch {
    uint32_t slots, tasks;
    uint64_t blocks[4];
    sked_ratio area, dual;
    int64_t path, optimum;
} small_batch;

static const small_batch vectors[] = {
    {3, 3, {9, 3, 5}, {17, 3}, {20, 3}, 5, 8},
    {4, 4, {3, 11, 8, 3}, {25, 4}, {30, 4}, 6, 8},
    {3, 3, {9, 4, 7}, {20, 3}, {23, 3}, 5, 9},
    {4, 4, {7, 12, 12, 9}, {40, 4}, {44, 4}, 6, 12},
};

static void vectors_have_their_bounds_and_optima(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        const small_batch *v = vectors + i;
        sked_batch_span spans[4];
        sked_batch_input in = {.struct_size = sizeof in,
                               .tasks = v->tasks,
                               .slots = v->slots,
                               .block = 1,
                               .slot = 1,
                               .blocks = v->blocks};
        sked_batch_bounds bounds = {.struct_size = sizeof bounds};
        sked_batch_result r = {.struct_size = sizeof r, .spans = spans};
        assert_ok(sked_batch_bound(&in, NULL, &bounds, NULL));
        assert_i64(bounds.area.num * v->area.den,
                   v->area.num * bounds.area.den);
        assert_i64(bounds.dual.num * v->dual.den,
                   v->dual.num * bounds.dual.den);
        assert_i64(bounds.path, v->path);
        assert_true(bounds.best <= v->optimum);
        assert_ok(sked_batch_plan(&in, NULL, NULL, &r, NULL));
        assert_i64(r.metrics.makespan, v->optimum);
    }
}

static void the_metric_vector_holds(void **state)
{
    static const sked_batch_span spans[] = {
        {0, 10, 0, 2}, {0, 4, 1, 2}, {4, 7, 2, 2}};
    sked_batch_rule rule = {.struct_size = sizeof rule, .slots = 4};
    sked_batch_metrics m;
    (void)state;

    assert_ok(sked_batch_measure(spans, 3, &rule, NULL, &m, NULL));
    assert_i64(m.makespan, 10);
    assert_i64(m.t_hat, 4);
    assert_i64(m.tail, 6);
    assert_i64(m.pure_cpu.num, m.pure_cpu.den);
    assert_i64(m.tail_cpu.num * 4, m.tail_cpu.den * 3);
    assert_i64(m.tail_overhead.num * 2, m.tail_overhead.den * 3);
    assert_i64(m.capacity, 34);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tail_metrics_are_those_of_the_document),
        cmocka_unit_test(methods_without_search_come_to_their_numbers),
        cmocka_unit_test(annealing_comes_near_its_numbers),
        cmocka_unit_test(the_published_ranking_holds_on_240_slots),
        cmocka_unit_test(ratios_over_noise_are_those_of_the_table),
        cmocka_unit_test(three_and_fifteen_is_the_best_cell),
        cmocka_unit_test(the_best_is_within_three_per_cent_of_the_bound),
        cmocka_unit_test(adapting_stays_near_the_bound_under_noise),
        cmocka_unit_test(plans_for_noise_stay_near_the_bound),
        cmocka_unit_test(vectors_have_their_bounds_and_optima),
        cmocka_unit_test(the_metric_vector_holds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
