/*
 * Placements against flows that grow by one path at a time, and against all
 * placements there are: every curve, every cheapest point, every plan.
 */
#include "test.h"

#include <sched/sked.h>

#include <string.h>

#include "base/random.h"
#include "blocks.h"
#include "host.h"
#include "ref_locality.h"
#include "size.h"
#include "locality_world.h"

/* Replicas anywhere, more on the first hosts, along a line, or some lost. */
static void draw_replicas(world *w)
{
    const uint32_t hosts = (uint32_t)w->in.hosts, mode = below(4);

    for (uint32_t i = 0; i < w->in.blocks * w->in.replicas; i++) {
        uint32_t h = below(hosts), b = i / (uint32_t)w->in.replicas;
        if (mode == 1) h = h * h / hosts;
        if (mode == 2) h = i % 2 ? b % hosts : h / 2;
        if (mode == 3 && below(5) == 0) h = SKED_LOCALITY_NO_HOST;
        w->replica[i] = h;
    }
}

static void make_world(world *w, uint32_t blocks, int unequal)
{
    uint32_t columns = unequal ? 1 + below(15) : 0;

    memset(w, 0, sizeof *w);
    w->in = (sked_locality_input){.struct_size = sizeof w->in,
                                  .blocks = below(blocks + 1),
                                  .hosts = 1 + below(H),
                                  .replicas = 1 + below(R),
                                  .replica = w->replica};
    draw_replicas(w);
    for (uint32_t h = 0; h < H; h++) {
        w->ticks[h] = 1 + below(7);
        w->committed[h] = below(20);
        w->cores[h] = 1 + below(4);
        w->limit[h] = below(12);
    }
    if (columns & 1) w->in.ticks = w->ticks;
    if (columns & 2) w->in.committed = w->committed;
    if (columns & 4) w->in.limit = w->limit;
    if (columns & 8) w->in.cores = w->cores;
}

/* ---- Curves ---- */

/* [HSE-2] Every load from 0 to one that all blocks with a place end by. */
static int64_t check_transfers(const world *w, const sked_locality *l)
{
    uint64_t unplaced = sked_locality_unplaced(l), m = UINT64_MAX;
    int64_t load = 0;

    for (; load == 0 || m > unplaced; load++) {
        m = ref_locality_transfers(&w->in, load);
        assert_i64((int64_t)sked_locality_transfers(l, load), (int64_t)m);
    }
    assert_i64((int64_t)ref_locality_transfers(&w->in, 10000),
               (int64_t)unplaced);
    return load;
}

/* [HSE-1] [HSE-3] The points are those where the true curve falls. */
static size_t check_curve(const world *w, const sked_locality *l, int64_t end,
                          sked_locality_point *point)
{
    int64_t floor = ref_locality_floor(&w->in, 400), load = floor;
    size_t n = 0, at = 0;
    sked_error err;

    assert_i64(sked_locality_floor(l), floor);
    if (floor == SKED_UNLIMITED) {
        assert_i64(sked_locality_least_load(l), SKED_UNLIMITED);
        assert_status(SKED_ERR_RANGE,
                      sked_locality_curve(l, point, POINTS, &n, &err));
        return 0;
    }
    assert_ok(sked_locality_curve(l, point, POINTS, &n, NULL));
    for (; load <= end || load == floor; load++) {
        uint64_t m = ref_locality_transfers(&w->in, load);
        if (load > floor && m == point[at - 1].transfers) continue;
        assert_true(at < n);
        assert_i64(point[at].load, load);
        assert_i64((int64_t)point[at++].transfers, (int64_t)m);
    }
    assert_i64((int64_t)at, (int64_t)n);
    assert_i64(sked_locality_least_load(l), point[n - 1].load);
    return n;
}

/* [HSE-2] The other way round. */
static void check_loads(const sked_locality *l,
                        const sked_locality_point *point, size_t n)
{
    for (uint64_t m = 0; m <= B; m++) {
        int64_t want = SKED_UNLIMITED;
        for (size_t i = n; i-- > 0;) {
            if (point[i].transfers <= m) want = point[i].load;
        }
        assert_i64(sked_locality_load(l, m), want);
    }
}

/* [HSE-3] */
static void check_cheapest(const world *w, const sked_locality *l,
                           const sked_locality_point *point, size_t n)
{
    sked_locality_search_options o = {
        .struct_size = sizeof o, .compute = below(12), .transfer = below(6)};
    sked_locality_search_result r = {.struct_size = sizeof r};
    uint64_t best = UINT64_MAX;
    int64_t load = 0;

    for (size_t i = 0; i < n; i++) {
        uint64_t cost = (uint64_t)point[i].load * o.compute +
                        point[i].transfers * o.transfer;
        if (cost > best) continue;
        best = cost;
        load = point[i].load;
    }
    for (o.method = 0; o.method <= SKED_LOCALITY_SEARCH_FORWARD; o.method++) {
        if (o.method == SKED_LOCALITY_SEARCH_AREA &&
            (w->in.ticks || w->in.committed || w->in.cores || w->in.limit)) {
            assert_status(SKED_ERR_ARG, sked_locality_search(l, &o, &r, NULL));
            continue;
        }
        o.step = 1 + below(4);
        assert_ok(sked_locality_search(l, &o, &r, NULL));
        assert_i64((int64_t)r.point.transfers,
                   (int64_t)sked_locality_transfers(l, r.point.load));
        assert_true(r.cost.low >= best && r.cost.high == 0);
        if (o.method == SKED_LOCALITY_SEARCH_FORWARD) continue;
        assert_i64((int64_t)r.cost.low, (int64_t)best);
        assert_i64(r.point.load, load);
    }
}

/* [HSE-1] Who is at the bottleneck holds what is nowhere else. */
static void check_bottleneck(const world *w, const sked_locality *l)
{
    uint32_t hosts[H];
    uint64_t blocks = 0, closed = 0, fits = 0;
    int64_t load = 1 + below(12);
    size_t n;

    assert_ok(sked_locality_bottleneck(l, load, hosts, H, &n, &blocks, NULL));
    for (size_t i = 0; i < n; i++) {
        fits += ref_locality_fits(&w->in, hosts[i], load);
    }
    for (uint32_t b = 0; b < w->in.blocks; b++) {
        uint32_t inside = 0;
        for (uint32_t k = 0; k < w->in.replicas; k++) {
            uint32_t h = w->replica[b * w->in.replicas + k], found = 0;
            for (size_t i = 0; i < n; i++) found |= hosts[i] == h;
            inside += found || h == SKED_LOCALITY_NO_HOST;
        }
        closed += inside == w->in.replicas;
    }
    assert_i64((int64_t)blocks, (int64_t)closed);
    assert_i64((int64_t)(blocks - fits),
               (int64_t)sked_locality_transfers(l, load));
}

static void check_world(const world *w)
{
    static sked_locality_point point[POINTS];
    test_host host = {0};
    sked_locality *l = solve(w, &host);
    int64_t end = check_transfers(w, l);
    size_t n = check_curve(w, l, end, point);

    if (n) {
        check_loads(l, point, n);
        check_cheapest(w, l, point, n);
    }
    check_bottleneck(w, l);
    sked_locality_free(l);
    assert_i64((int64_t)host.live, 0);
    assert_i64((int64_t)host.released, 1);
}

static void curves_are_those_of_flows(void **state)
{
    size_t lives = test_size(100000, 400000);
    world w;

    (void)state;
    skedi_random_seed(&rng, 1, NULL);
    for (size_t life = 0; life < lives; life++) {
        make_world(&w, B, 0);
        check_world(&w);
    }
}

/* [HSE-6] */
static void curves_of_unequal_hosts_are_those_of_flows(void **state)
{
    size_t lives = test_size(20000, 100000);
    world w;

    (void)state;
    skedi_random_seed(&rng, 2, NULL);
    for (size_t life = 0; life < lives; life++) {
        make_world(&w, B, 1);
        check_world(&w);
    }
}

/* [HSE-4] A method is never better than the exact one, sorted from the top. */
static void no_method_is_better_than_exact(void **state)
{
    sked_locality_options o = {.struct_size = sizeof o};
    world w;

    (void)state;
    skedi_random_seed(&rng, 3, NULL);
    for (size_t life = 0; life < test_size(5000, 50000); life++) {
        test_host host = {0};
        make_world(&w, B, (int)below(2));
        sked_locality *l = solve(&w, &host), *other = NULL;
        o.method = 1 + below(2);
        assert_ok(sked_locality_new(&w.in, &o, NULL, &other, NULL));
        assert_null(sked_locality_levels(other));
        for (int64_t load = 0; load < 60; load++) {
            assert_true(sked_locality_transfers(l, load) <=
                        sked_locality_transfers(other, load));
        }
        sked_locality_free(l);
        sked_locality_free(other);
    }
}

/* ---- Plans ---- */

static void check_plan(const world *w, const sked_locality_plan_options *o,
                       const sked_locality_plan_result *r)
{
    uint32_t count[H] = {0};
    int64_t cost = 0;

    for (uint32_t b = 0; b < w->in.blocks; b++) {
        int64_t mine = o->beyond;
        assert_true(r->host[b] < w->in.hosts);
        count[r->host[b]]++;
        for (uint32_t k = 0; k < w->in.replicas && mine; k++) {
            uint32_t h = w->replica[b * w->in.replicas + k];
            if (h == SKED_LOCALITY_NO_HOST) continue;
            if (!o->rack || o->rack[h] == o->rack[r->host[b]])
                mine = o->in_rack;
            if (h == r->host[b]) mine = 0;
        }
        cost += mine;
    }
    for (uint32_t h = 0; h < w->in.hosts; h++) {
        assert_true(count[h] <= ref_locality_fits(&w->in, h, o->load));
    }
    assert_i64((int64_t)r->cost.low, cost);
    assert_i64((int64_t)(r->local + r->in_rack + r->beyond),
               (int64_t)w->in.blocks);
}

/* [HSE-6] Racks: as cheap as one shortest path after the other makes it. */
static void plans_cost_least(void **state)
{
    uint32_t rack[H], where[B];
    sked_locality_plan_result r = {.struct_size = sizeof r, .host = where};
    world w;

    (void)state;
    skedi_random_seed(&rng, 4, NULL);
    for (size_t life = 0; life < test_size(10000, 100000); life++) {
        sked_locality_plan_options o = {.struct_size = sizeof o};
        test_host host = {0};
        sked_host hooks = test_host_hooks(&host);
        make_world(&w, B, life % 4 == 0);
        for (uint32_t h = 0; h < H; h++) rack[h] = below(1 + w.in.hosts / 2);
        if (below(4)) o.rack = rack;
        o.in_rack = below(6);
        o.beyond = o.in_rack + below(10);
        sked_locality *l = solve(&w, &host);
        if (sked_locality_floor(l) != SKED_UNLIMITED) {
            o.load = sked_locality_floor(l) + below(3);
            assert_ok(sked_locality_plan(l, &w.in, &o, &hooks, &r, NULL));
            check_plan(&w, &o, &r);
            assert_i64((int64_t)r.cost.low, ref_locality_cost(&w.in, &o));
        }
        sked_locality_free(l);
        assert_i64((int64_t)host.live, 0);
    }
}

/* [HSE-5] As good for every load, and the fewest blocks elsewhere. */
static void the_least_is_moved(void **state)
{
    uint32_t present[B];
    uint8_t choice[B];
    uint64_t moved;
    world w;

    (void)state;
    skedi_random_seed(&rng, 5, NULL);
    for (size_t life = 0; life < test_size(5000, 50000); life++) {
        test_host host = {0};
        sked_host hooks = test_host_hooks(&host);
        make_world(&w, 6, life % 2 == 0);
        if (w.in.replicas > 3) w.in.replicas = 3;
        for (uint32_t b = 0; b < w.in.blocks; b++) {
            present[b] = below(4) ? w.replica[b * w.in.replicas] : below(H);
        }
        sked_locality *l = solve(&w, &host);
        assert_ok(sked_locality_restore(l, &w.in, present, &hooks, choice,
                                        &moved, NULL));
        assert_ok(sked_locality_verify(&w.in, choice, sked_locality_levels(l),
                                       NULL, NULL));
        assert_i64((int64_t)moved, (int64_t)ref_locality_moves(&w.in, present));
        sked_locality_free(l);
        assert_i64((int64_t)host.live, 0);
    }
}

/* [HSE-6] No sum is below the bound, nor the best below it, and nearly all
 * answers are the best there is. */
static void sums_of_sizes_keep_to_their_bound(void **state)
{
    size_t lives = test_size(3000, 30000), best_ones = 0;
    uint8_t choice[B];
    int64_t size[B];
    world w;

    (void)state;
    skedi_random_seed(&rng, 6, NULL);
    for (size_t life = 0; life < lives; life++) {
        sked_locality_sized_result r = {.struct_size = sizeof r,
                                        .choice = choice};
        test_host host = {0};
        sked_host hooks = test_host_hooks(&host);
        make_world(&w, 8, 0);
        if (w.in.replicas > 3) w.in.replicas = 3;
        for (uint32_t b = 0; b < B; b++) size[b] = below(3) ? 128 : below(128);
        sked_locality *l = solve(&w, &host);
        assert_ok(sked_locality_sized(l, &w.in, size, &hooks, &r, NULL));
        int64_t best = ref_locality_sized(&w.in, size), sum[H] = {0}, most = 0;
        for (uint32_t b = 0; b < w.in.blocks; b++) {
            if (choice[b] == SKED_LOCALITY_NO_REPLICA) continue;
            sum[w.replica[b * w.in.replicas + choice[b]]] += size[b];
        }
        for (int h = 0; h < H; h++) most = sum[h] > most ? sum[h] : most;
        assert_i64((int64_t)r.most, most);
        assert_true((int64_t)r.bound <= best && best <= most);
        best_ones += best == most;
        sked_locality_free(l);
        assert_i64((int64_t)host.live, 0);
    }
    print_message("best: %zu of %zu\n", best_ones, lives);
    assert_true(best_ones * 100 >= lives * 85);
}

/* Of how many blocks has each host a replica? Where it stands twice in a row, it
 * has one. */
static void count_held(const world *w, uint32_t held[H])
{
    for (uint32_t i = 0; i < w->in.blocks * w->in.replicas; i++) {
        uint32_t h = w->replica[i];
        uint32_t first = i - i % (uint32_t)w->in.replicas;
        while (first < i && w->replica[first] != h) first++;
        if (h != SKED_LOCALITY_NO_HOST && first == i) held[h]++;
    }
}

/* [HSE-7] What a task of a batch takes at a width is the cheapest of all loads,
 * with the width's slots as cores of the hosts that hold most of it. */
static void tasks_take_the_cheapest_point(void **state)
{
    uint32_t cores[H], limit[H], slots = 2 * H;
    int64_t ticks[2 * H];
    world w;

    (void)state;
    skedi_random_seed(&rng, 7, NULL);
    for (size_t life = 0; life < test_size(2000, 20000); life++) {
        sked_batch_locality_options o = {.struct_size = sizeof o,
                                         .slots = slots,
                                         .start = 1 + below(9),
                                         .block = below(9),
                                         .slot = below(3),
                                         .transfer = below(9)};
        make_world(&w, B, 0);
        assert_ok(sked_batch_speedup_from_locality(&w.in, &o, NULL, ticks, NULL,
                                                   NULL));
        uint32_t k = 1 + below(slots), hosts = (uint32_t)w.in.hosts,
                 held[H] = {0};
        count_held(&w, held);
        for (uint32_t h = 0; h < hosts; h++) {
            uint32_t before = 0; /* hosts that come first */
            for (uint32_t g = 0; g < hosts; g++) {
                before += held[g] > held[h] || (held[g] == held[h] && g < h);
            }
            cores[h] = k / hosts + (before < k % hosts);
            limit[h] = cores[h] ? UINT32_MAX : 0;
            if (cores[h] == 0) cores[h] = 1;
        }
        w.in.cores = cores;
        w.in.limit = limit;
        int64_t best = INT64_MAX;
        for (int64_t load = ref_locality_floor(&w.in, B); load <= B; load++) {
            int64_t cost = load * o.block +
                           o.transfer *
                               (int64_t)ref_locality_transfers(&w.in, load);
            if (cost < best) best = cost;
        }
        assert_i64(ticks[k - 1], o.start + o.slot * (k - 1) + best);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curves_are_those_of_flows),
        cmocka_unit_test(curves_of_unequal_hosts_are_those_of_flows),
        cmocka_unit_test(no_method_is_better_than_exact),
        cmocka_unit_test(plans_cost_least),
        cmocka_unit_test(the_least_is_moved),
        cmocka_unit_test(sums_of_sizes_keep_to_their_bound),
        cmocka_unit_test(tasks_take_the_cheapest_point),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
