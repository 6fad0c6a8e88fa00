/*
 * Batches against their slow twin: methods, running, bounds, the optimum,
 * clusters, metrics; and laws that hold for every batch.
 */
#include "test.h"

#include <sched/batch_run.h>

#include <string.h>

#include "base/random.h"
#include "batch/live.h"
#include "batch_world.h"
#include "ref_batch.h"
#include "size.h"

static skedi_random rng;

static int64_t below(int64_t n)
{
    return (int64_t)skedi_random_below(&rng, (uint64_t)n);
}

/* A batch both ways. */
typedef struct pair {
    ref_batch ref;
    uint64_t bytes[REF_BATCH_TASKS];
    uint64_t blocks[REF_BATCH_TASKS];
    uint8_t label[REF_BATCH_TASKS];
    int64_t table[REF_BATCH_TASKS * REF_BATCH_SLOTS];
    sked_batch_input in;
} pair;

static void some_times(pair *p, int j)
{
    int64_t wave = 1 + below(4), cost = below(3), work = 1 + below(30);
    int anyhow = below(3) == 0;

    for (int k = 1; k <= p->ref.slots; k++) {
        int64_t ticks = wave * ((p->ref.blocks[j] + k - 1) / k) +
                        cost * (k - 1);
        if (anyhow) ticks = 1 + below(work);
        p->ref.time[j][k] = ticks;
        p->table[j * p->ref.slots + k - 1] = ticks;
    }
}

static void make_pair(pair *p, int tasks, int slots)
{
    memset(p, 0, sizeof *p);
    p->ref.tasks = 1 + (int)below(tasks);
    p->ref.slots = 1 + (int)below(slots);
    p->ref.nodes = 1 + (int)below(p->ref.slots);
    for (int j = 0; j < p->ref.tasks; j++) {
        p->ref.bytes[j] = below(3) ? below(1000) : 7 * below(3);
        p->ref.blocks[j] = 1 + below(20);
        p->ref.label[j] = (int)below(SKED_MAX_BATCH_LABELS);
        p->bytes[j] = (uint64_t)p->ref.bytes[j];
        p->blocks[j] = (uint64_t)p->ref.blocks[j];
        p->label[j] = (uint8_t)p->ref.label[j];
        some_times(p, j);
    }
    p->in = (sked_batch_input){.struct_size = sizeof p->in,
                               .tasks = (uint32_t)p->ref.tasks,
                               .slots = (uint32_t)p->ref.slots,
                               .nodes = (uint32_t)p->ref.nodes,
                               .bytes = p->bytes,
                               .blocks = p->blocks,
                               .label = p->label,
                               .table = p->table};
}

/* Plans, and checks what holds for every schedule. */
static sked_batch_result
plan_soundly(const pair *p, const sked_batch_options *o, sked_batch_span *spans)
{
    sked_batch_result r = {.struct_size = sizeof r, .spans = spans};

    assert_ok(sked_batch_plan(&p->in, o, NULL, &r, NULL));
    for (int j = 0; j < p->ref.tasks; j++) {
        int64_t used = 0;
        assert_i64(spans[j].end - spans[j].start,
                   p->ref.time[j][spans[j].slots]);
        for (int i = 0; i < p->ref.tasks; i++) {
            if (spans[i].start > spans[j].start) continue;
            if (spans[i].end > spans[j].start) used += spans[i].slots;
        }
        assert_true(used <= p->ref.slots);
    }
    assert_i64(r.believed, r.metrics.makespan);
    assert_true(r.bound <= r.believed);
    return r;
}

/* ---- Methods ---- */

static void ref_method(const pair *p, const sked_batch_options *o,
                       ref_batch_plan *plan)
{
    switch (o->method) {
    case SKED_BATCH_METHOD_MULTI:
        ref_batch_multi(&p->ref, (int)o->clusters, plan);
        break;
    case SKED_BATCH_METHOD_GREEDY: ref_batch_greedy(&p->ref, plan); break;
    default:
        ref_batch_data_driven(&p->ref, o->method == SKED_BATCH_METHOD_SIMPLE,
                              (int)o->window, o->sigma_ppm, o->tau_ppm, plan);
    }
}

static void methods_are_those_of_the_twin(void **state)
{
    static const uint32_t methods[] = {
        SKED_BATCH_METHOD_MULTI, SKED_BATCH_METHOD_GREEDY,
        SKED_BATCH_METHOD_DATA_DRIVEN, SKED_BATCH_METHOD_SIMPLE};
    (void)state;

    for (size_t i = 0; i < test_size(20000, 200000); i++) {
        pair p;
        ref_batch_plan plan;
        sked_batch_span spans[REF_BATCH_TASKS];
        sked_batch_options o = {
            .struct_size = sizeof o,
            .method = methods[i % 4],
            .clusters = 1 + (uint32_t)below(6),
            .window = 1 + (uint32_t)below(4),
            .sigma_ppm = 1 + below(below(2) ? 12000000 : 5),
            .tau_ppm = 1 + below(below(2) ? 20000000 : 2000000)};
        if (below(2)) o.tau_ppm = 500000 * (1 + below(9));
        make_pair(&p, REF_BATCH_TASKS, REF_BATCH_SLOTS);
        ref_method(&p, &o, &plan);
        int64_t end = ref_batch_run(&p.ref, &plan);
        assert_i64(plan_soundly(&p, &o, spans).believed, end);
        for (int j = 0; j < p.ref.tasks; j++) {
            assert_int_equal(spans[j].slots, plan.width[j]);
            assert_i64(spans[j].start, plan.start[j]);
        }
    }
}

static void adapting_is_that_of_the_twin(void **state)
{
    (void)state;
    for (size_t i = 0; i < test_size(20000, 200000); i++) {
        pair p;
        ref_batch_plan plan;
        sked_batch_span spans[REF_BATCH_TASKS];
        sked_batch_options o = {.struct_size = sizeof o,
                                .method = SKED_BATCH_METHOD_ADAPT,
                                .eta_ppm = below(3) ? 1 + below(1000000)
                                                    : 1000000};
        make_pair(&p, REF_BATCH_TASKS, REF_BATCH_SLOTS);
        int64_t end = ref_batch_adapt(&p.ref, o.eta_ppm, &plan);
        assert_i64(plan_soundly(&p, &o, spans).believed, end);
        for (int j = 0; j < p.ref.tasks; j++) {
            assert_int_equal(spans[j].slots, plan.width[j]);
            assert_i64(spans[j].start, plan.start[j]);
        }
    }
}

/* Strict and with overtaking, on any order and any widths. */
static void running_is_that_of_the_twin(void **state)
{
    (void)state;
    for (size_t i = 0; i < test_size(20000, 200000); i++) {
        pair p;
        skedi_batch b;
        skedi_batch_plan plan;
        skedi_batch_bench bench;
        ref_batch_plan slow;
        int64_t end[REF_BATCH_TASKS];
        make_pair(&p, REF_BATCH_TASKS, REF_BATCH_SLOTS);
        assert_ok(skedi_batch_in(&b, &p.in, SKEDI_BATCH_BELIEVED, NULL, NULL));
        assert_true(skedi_batch_plan_take(&b, &plan));
        assert_true(skedi_batch_bench_take(&b, &bench));
        plan.overtake = slow.overtake = (int)below(2);
        for (int j = 0; j < p.ref.tasks; j++) {
            int at = (int)below(j + 1);
            slow.order[j] = slow.order[at];
            slow.order[at] = j;
            slow.width[j] = 1 + (int)below(p.ref.slots);
            skedi_batch_widen(&b, &plan, (uint32_t)j, (uint32_t)slow.width[j]);
        }
        for (int j = 0; j < p.ref.tasks; j++) {
            plan.order[j] = (uint32_t)slow.order[j];
        }
        assert_i64(skedi_batch_makespan(&b, &bench, &plan, end),
                   ref_batch_run(&p.ref, &slow));
        for (int j = 0; j < p.ref.tasks; j++) assert_i64(end[j], slow.end[j]);
        skedi_batch_drop(&b);
    }
}

static void clusters_are_the_best_division(void **state)
{
    (void)state;
    for (size_t i = 0; i < test_size(500, 10000); i++) {
        pair p;
        sked_batch_span spans[REF_BATCH_TASKS];
        uint32_t cluster[REF_BATCH_TASKS];
        sked_batch_options o = {.struct_size = sizeof o,
                                .method = SKED_BATCH_METHOD_MULTI};
        sked_batch_result r = {
            .struct_size = sizeof r, .spans = spans, .cluster = cluster};
        make_pair(&p, REF_BATCH_TASKS, 4);
        o.clusters = 1 + (uint32_t)below(p.ref.tasks);
        assert_ok(sked_batch_plan(&p.in, &o, NULL, &r, NULL));
        int64_t cost = 0;
        for (uint32_t c = 0; c < o.clusters; c++) {
            int64_t n = 0, sum = 0, squares = 0;
            for (int j = 0; j < p.ref.tasks; j++) {
                if (cluster[j] != c) continue;
                n++;
                sum += p.ref.bytes[j];
                squares += p.ref.bytes[j] * p.ref.bytes[j];
            }
            assert_true(n > 0);
            cost += (n * squares - sum * sum) / n;
        }
        assert_i64(cost, ref_batch_spread(&p.ref, (int)o.clusters));
    }
}

/* ---- Bounds and the optimum ---- */

static void bounds_are_those_of_the_twin(void **state)
{
    (void)state;
    for (size_t i = 0; i < test_size(1500, 30000); i++) {
        pair p;
        sked_batch_bounds b = {.struct_size = sizeof b};
        make_pair(&p, REF_BATCH_TASKS, REF_BATCH_SLOTS);
        ref_batch_dual dual = ref_batch_bound(&p.ref);
        assert_ok(sked_batch_bound(&p.in, NULL, &b, NULL));
        assert_i64(b.dual.num * p.ref.slots, dual.num * b.dual.den);
        assert_true(b.area.num * b.dual.den <= b.dual.num * b.area.den);
        assert_true(b.path * b.dual.den <= b.dual.num);
        assert_true(b.functions >= dual.whole);
        assert_i64(b.best, b.functions);
    }
}

/* [HSE-12] No bound above the optimum, no plan below it, and BEST finds it
 * nearly always. */
static void the_optimum_lies_between(void **state)
{
    size_t n = test_size(250, 2000), found = 0;
    (void)state;

    for (size_t i = 0; i < n; i++) {
        pair p;
        sked_batch_span spans[REF_BATCH_TASKS];
        sked_batch_bounds b = {.struct_size = sizeof b};
        sked_batch_options o = {.struct_size = sizeof o, .seed = i};
        make_pair(&p, 4, 4);
        int64_t optimum = ref_batch_optimum(&p.ref);
        assert_ok(sked_batch_bound(&p.in, NULL, &b, NULL));
        assert_true(b.best <= optimum);
        for (uint32_t m = 1; m <= SKED_BATCH_METHOD_AUTO; m++) {
            o.method = m;
            o.max_tries = m == SKED_BATCH_METHOD_BEST ? 4000 : 100;
            int64_t end = plan_soundly(&p, &o, spans).believed;
            assert_true(end >= optimum);
            if (m == SKED_BATCH_METHOD_BEST) found += end == optimum;
        }
    }
    assert_true(found * 100 >= n * 95);
}

/* One slot more, for which the times are as they were. */
static void a_slot_more_never_raises_the_bound(void **state)
{
    (void)state;
    for (size_t i = 0; i < test_size(60, 600); i++) {
        batch_world w;
        int64_t before = INT64_MAX;
        batch_world_make(&w, 72, 0, i);
        for (uint32_t slots = 60; slots < 72; slots++) {
            sked_batch_bounds b = {.struct_size = sizeof b};
            w.input.slots = slots;
            w.input.tasks = 12;
            assert_ok(sked_batch_bound(&w.input, NULL, &b, NULL));
            int64_t whole = (b.dual.num + b.dual.den - 1) / b.dual.den;
            assert_true(whole <= before);
            before = whole;
        }
    }
}

static void scaling_times_scales_everything(void **state)
{
    static const uint32_t methods[] = {
        SKED_BATCH_METHOD_MULTI, SKED_BATCH_METHOD_GREEDY,
        SKED_BATCH_METHOD_DATA_DRIVEN, SKED_BATCH_METHOD_SIMPLE};
    (void)state;

    for (size_t i = 0; i < test_size(500, 5000); i++) {
        pair p;
        sked_batch_span one[REF_BATCH_TASKS], more[REF_BATCH_TASKS];
        sked_batch_options o = {.struct_size = sizeof o,
                                .method = methods[i % 4]};
        sked_batch_result r = {.struct_size = sizeof r, .spans = more};
        make_pair(&p, REF_BATCH_TASKS, REF_BATCH_SLOTS);
        int64_t factor = 2 + below(1000000);
        sked_batch_result before = plan_soundly(&p, &o, one);
        for (int k = 0; k < p.ref.tasks * p.ref.slots; k++) {
            p.table[k] *= factor;
        }
        assert_ok(sked_batch_plan(&p.in, &o, NULL, &r, NULL));
        assert_i64(r.believed, before.believed * factor);
        assert_i64(r.metrics.t_hat, before.metrics.t_hat * factor);
        assert_i64(r.metrics.capacity, before.metrics.capacity * factor);
        for (int j = 0; j < p.ref.tasks; j++) {
            assert_i64(more[j].start, one[j].start * factor);
            assert_int_equal(more[j].slots, one[j].slots);
        }
    }
}

/* ---- Metrics ---- */

/* [HSE-9] */
static void metrics_are_those_of_the_twin(void **state)
{
    (void)state;
    for (size_t i = 0; i < test_size(10000, 60000); i++) {
        pair p;
        ref_batch_plan plan;
        sked_batch_span spans[REF_BATCH_TASKS];
        sked_batch_metrics m;
        sked_batch_step steps[2 * REF_BATCH_TASKS];
        size_t n;
        make_pair(&p, REF_BATCH_TASKS, REF_BATCH_SLOTS);
        sked_batch_rule rule = {.struct_size = sizeof rule,
                                .slots = (uint32_t)p.ref.slots,
                                .tail = 1 + (uint32_t)below(3),
                                .theta_ppm = 1 + below(1000000)};
        ref_batch_greedy(&p.ref, &plan);
        plan.overtake = (int)below(2);
        (void)ref_batch_run(&p.ref, &plan);
        for (int j = 0; j < p.ref.tasks; j++) {
            spans[j] = (sked_batch_span){plan.start[j], plan.end[j],
                                         (uint32_t)j, (uint32_t)plan.width[j]};
        }
        ref_batch_metrics want = ref_batch_measure(
            &p.ref, &plan, (int)rule.tail, rule.theta_ppm);
        assert_ok(sked_batch_measure(spans, p.in.tasks, &rule, NULL, &m, NULL));
        assert_i64(m.makespan, want.makespan);
        assert_i64(m.t_hat, want.t_hat);
        assert_i64(m.tail, want.makespan - want.t_hat);
        assert_i64(m.capacity, want.main_use + want.tail_use);
        if (want.t_hat) assert_i64(m.pure_cpu.num, want.main_use);
        assert_i64(m.pure_cpu.den, want.t_hat ? p.ref.slots * want.t_hat : 1);
        assert_i64(m.tail_cpu.num, want.tail_use);
        assert_i64(m.tail_overhead.num, 2 * m.tail);
        assert_i64(m.tail_overhead.den, want.median_twice);
        assert_ok(sked_batch_utility(spans, p.in.tasks, NULL, steps,
                                     sizeof steps / sizeof *steps, &n, NULL));
        int64_t area = 0;
        for (size_t k = 0; k + 1 < n; k++) {
            assert_true(steps[k].slots != steps[k + 1].slots);
            area += steps[k].slots * (steps[k + 1].at - steps[k].at);
        }
        assert_i64(area, m.capacity);
        assert_i64(steps[n - 1].slots, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_are_those_of_the_twin),
        cmocka_unit_test(adapting_is_that_of_the_twin),
        cmocka_unit_test(running_is_that_of_the_twin),
        cmocka_unit_test(clusters_are_the_best_division),
        cmocka_unit_test(bounds_are_those_of_the_twin),
        cmocka_unit_test(the_optimum_lies_between),
        cmocka_unit_test(a_slot_more_never_raises_the_bound),
        cmocka_unit_test(scaling_times_scales_everything),
        cmocka_unit_test(metrics_are_those_of_the_twin),
    };

    skedi_random_seed(&rng, 20, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
