/*
 * Routing against its slow twin: random snapshots and jobs, handle and plain
 * arrays, replicas, charges, clusters that come, go and fall silent.
 */
#include "test.h"

#include <sched/sked.h>

#include <string.h>

#include "base/random.h"
#include "host.h"
#include "ref_route.h"
#include "size.h"

enum { MAX_CLUSTERS = 9, MAX_QUEUES = 4, MAX_KINDS = 4, MAX_JOBS = 12 };

static skedi_random rng;

static uint64_t below(uint64_t n)
{
    return skedi_random_below(&rng, n);
}

typedef struct world {
    sked_route_options opts;
    sked_route_input snapshot;
    sked_route_jobs jobs;
    uint64_t id[MAX_CLUSTERS];
    sked_time time[MAX_CLUSTERS];
    int64_t capacity[MAX_CLUSTERS * MAX_KINDS];
    int64_t available[MAX_CLUSTERS * MAX_KINDS];
    int64_t in_queue[MAX_CLUSTERS * MAX_QUEUES * MAX_KINDS];
    uint32_t shape_from[MAX_CLUSTERS + 1];
    int64_t shapes[MAX_CLUSTERS * 3 * MAX_KINDS];
    int64_t request[MAX_JOBS * MAX_KINDS];
    int64_t instances[MAX_JOBS];
    uint32_t queue[MAX_JOBS];
    uint32_t missing[MAX_JOBS * MAX_CLUSTERS];
    int64_t big;
} world;

static int64_t up_to(int64_t most)
{
    return (int64_t)below((uint64_t)most + 1);
}

/* Often the whole, often below zero, often alike. */
static int64_t some_of(int64_t capacity)
{
    switch (below(5)) {
    case 0: return capacity;
    case 1: return -up_to(capacity);
    case 2: return capacity / 2;
    default: return up_to(capacity);
    }
}

static void make_shapes(world *w, uint32_t i)
{
    uint32_t kinds = w->opts.kinds, n = (uint32_t)below(4);

    w->shape_from[i + 1] = w->shape_from[i] + n;
    for (uint32_t at = w->shape_from[i]; at < w->shape_from[i + 1]; at++) {
        for (uint32_t k = 0; k < kinds; k++) {
            w->shapes[at * kinds + k] = up_to(w->big / 8);
        }
    }
}

static void make_clusters(world *w)
{
    uint32_t kinds = w->opts.kinds, n = (uint32_t)below(MAX_CLUSTERS + 1);
    uint32_t queues = 1 + (uint32_t)below(MAX_QUEUES);
    uint64_t id = below(3) * 100 + 90;

    for (uint32_t i = 0; i < n; i++) {
        id += i % 2 ? 7 : UINT64_MAX - 3; /* up and down, never twice */
        w->id[i] = id;
        w->time[i] = (sked_time)below(100);
        make_shapes(w, i);
        for (uint32_t k = 0; k < kinds; k++) {
            int64_t most = below(6) ? up_to(w->big / MAX_CLUSTERS) : 0;
            w->capacity[i * kinds + k] = most;
            w->available[i * kinds + k] = some_of(most);
            for (uint32_t q = 0; q < queues; q++) {
                w->in_queue[(i * queues + q) * kinds + k] = some_of(most);
            }
        }
    }
    w->snapshot = (sked_route_input){
        .struct_size = sizeof w->snapshot,
        .n = n,
        .queues = queues,
        .id = below(4) ? w->id : NULL,
        .time = w->time,
        .capacity = w->capacity,
        .available = w->available,
        .in_queue = below(3) ? w->in_queue : NULL,
        .shape_from = below(2) ? w->shape_from : NULL,
        .shapes = w->shapes,
    };
}

static void make_jobs(world *w)
{
    uint32_t kinds = w->opts.kinds, n = (uint32_t)below(MAX_JOBS + 1);
    uint32_t clusters = (uint32_t)w->snapshot.n;

    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < kinds; k++) {
            w->request[i * kinds + k] = below(3) ? up_to(w->big / 64) : 0;
        }
        w->instances[i] = (int64_t)below(3);
        w->queue[i] = (uint32_t)below(w->snapshot.queues);
        for (uint32_t c = 0; c < clusters; c++) {
            w->missing[i * clusters + c] = below(3) ? (uint32_t)below(1000001)
                                                    : 500000;
        }
    }
    w->jobs = (sked_route_jobs){
        .struct_size = sizeof w->jobs,
        .n = n,
        .request = w->request,
        .instances = below(4) ? w->instances : NULL,
        .queue = below(4) ? w->queue : NULL,
        .missing = below(4) ? w->missing : NULL,
    };
}

static void make_world(world *w)
{
    static const int64_t sizes[] = {100, 1000, 1000000, (int64_t)1 << 50,
                                    SKED_AMOUNT_MAX};

    memset(w, 0, sizeof *w);
    w->big = sizes[below(5)];
    w->opts = (sked_route_options){
        .struct_size = sizeof w->opts,
        .kinds = 1 + (uint32_t)below(MAX_KINDS),
        .policy = (int32_t)below(4),
        .max_age_ns = (int64_t)below(2) * 50,
        .locality_weight_ppm = (int64_t)(below(2) * below(1000000001)),
    };
    make_clusters(w);
    make_jobs(w);
}

static void compare(const world *w, const sked_route_answer *answers)
{
    for (uint32_t i = 0; i < w->jobs.n; i++) {
        uint64_t want[2];
        uint32_t fits = 0;
        ref_route(&w->snapshot, &w->opts, &w->jobs, i, want);
        for (uint32_t c = 0; c < w->snapshot.n; c++) {
            fits += (uint32_t)ref_route_fits(&w->snapshot, w->opts.kinds,
                                             &w->jobs, i, c);
        }
        assert_i64((int64_t)answers[i].cluster, (int64_t)want[0]);
        assert_i64((int64_t)answers[i].runner_up, (int64_t)want[1]);
        assert_i64(answers[i].eligible, fits);
    }
}

/* The handle numbers clusters by id: brings `missing` into that order. */
static void missing_by_id(const world *w, const sked_route *router,
                          uint32_t *out)
{
    uint64_t ids[MAX_CLUSTERS];
    size_t n;

    assert_ok(sked_route_clusters(router, ids, MAX_CLUSTERS, &n));
    assert_i64((int64_t)n, (int64_t)w->snapshot.n);
    for (uint32_t i = 0; i < w->jobs.n; i++) {
        for (size_t at = 0; at < n; at++) {
            uint32_t c = 0;
            while (w->snapshot.id ? w->id[c] != ids[at] : c + 1 != ids[at]) c++;
            out[i * n + at] = w->missing[i * n + c];
        }
    }
}

/*
 * Scores that are a unit apart, or none, where a unit is far below what doubles
 * can tell: one kind, parts alike, or costs that make up for what there is.
 */
static void make_near_ties(world *w)
{
    const int64_t million = 1000000, whole = million * 1000000000;
    int64_t part = (int64_t)below(500), sign = below(2) ? 1 : -1, all = 0;
    uint32_t n = 2 + (uint32_t)below(MAX_CLUSTERS - 1);

    do make_world(w);
    while (w->opts.policy == SKED_ROUTE_POLICY_QUEUE_ABSOLUTE);
    w->opts.kinds = 1;
    w->opts.locality_weight_ppm = 0;
    for (uint32_t c = 0; c < n; c++) {
        w->capacity[c] = whole * (1 + (int64_t)below(300));
        w->missing[c] = (uint32_t)below(900);
        all += w->capacity[c];
    }
    for (uint32_t c = 0; c < n; c++) {
        int64_t of = w->opts.policy == SKED_ROUTE_POLICY_RELATIVE
                         ? w->capacity[c]
                         : whole;
        int64_t has = sign * (of / 1000 * part) + (int64_t)below(3) - 1;
        if (w->opts.policy == SKED_ROUTE_POLICY_LOCALITY) {
            has = sign * (whole / 4) + (int64_t)below(3) - 1 +
                  all / million * w->missing[c];
        }
        w->available[c] = has < w->capacity[c] ? has : w->capacity[c];
    }
    w->snapshot.n = n;
    w->snapshot.id = NULL;
    w->snapshot.in_queue = NULL;
    w->snapshot.shape_from = NULL;
    w->request[0] = 1;
    w->jobs.n = 1;
    w->jobs.instances = NULL;
    w->jobs.missing = w->missing;
}

static void a_unit_decides_where_doubles_cannot(void **state)
{
    (void)state;
    skedi_random_seed(&rng, 5, NULL);
    for (size_t life = 0; life < test_size(4000, 40000); life++) {
        sked_route_answer answer;
        world w;
        make_near_ties(&w);
        w.opts.max_age_ns = 0;
        assert_ok(sked_route_once(&w.snapshot, &w.jobs, 0, &w.opts, NULL,
                                  &answer, NULL));
        compare(&w, &answer);
    }
}

/* [LNK-8] */
static void both_tiers_answer_as_the_definition_does(void **state)
{
    (void)state;
    skedi_random_seed(&rng, 1, NULL);
    for (size_t life = 0; life < test_size(4000, 40000); life++) {
        sked_route_answer plain[MAX_JOBS], held[MAX_JOBS];
        uint32_t missing[MAX_JOBS * MAX_CLUSTERS];
        test_host host = {0};
        sked_host hooks = test_host_hooks(&host);
        sked_route *router;
        world w;
        make_world(&w);
        sked_status rc = sked_route_once(&w.snapshot, &w.jobs, 60, &w.opts,
                                         NULL, plain, NULL);
        assert_true(rc == SKED_OK || rc == SKED_STALE);
        compare(&w, plain);
        assert_ok(sked_route_new(&w.opts, &hooks, &router, NULL));
        assert_ok(sked_route_replace(router, &w.snapshot, NULL));
        missing_by_id(&w, router, missing);
        if (w.jobs.missing) w.jobs.missing = missing;
        assert_status(rc, sked_route_decide(router, &w.jobs, 60, held, NULL));
        assert_memory_equal(plain, held, w.jobs.n * sizeof *held);
        sked_route_free(router);
        assert_i64((int64_t)host.live, 0);
    }
}

/* Takes job `i` off the snapshot, as charging does off its copy. */
static void take_off(world *w, uint32_t i, uint64_t cluster)
{
    uint32_t c = 0, kinds = w->opts.kinds,
             queues = (uint32_t)w->snapshot.queues;
    uint32_t q = w->jobs.queue ? w->queue[i] : 0;
    int64_t times = w->jobs.instances ? w->instances[i] : 1;

    if (cluster == SKED_ROUTE_NO_CLUSTER) return;
    while (w->snapshot.id ? w->id[c] != cluster : c + 1 != cluster) c++;
    for (uint32_t k = 0; k < kinds; k++) {
        int64_t all = times * w->request[i * kinds + k];
        w->available[c * kinds + k] -= all;
        w->in_queue[(c * queues + q) * kinds + k] -= all;
    }
}

static void charging_is_routing_one_by_one(void **state)
{
    (void)state;
    skedi_random_seed(&rng, 2, NULL);
    for (size_t life = 0; life < test_size(2000, 20000); life++) {
        sked_route_answer answers[MAX_JOBS];
        sked_route *router;
        int64_t left[MAX_KINDS];
        world w;
        make_world(&w);
        w.jobs.missing = NULL;
        assert_ok(sked_route_new(&w.opts, NULL, &router, NULL));
        assert_ok(sked_route_replace(router, &w.snapshot, NULL));
        sked_status rc = sked_route_charge(router, &w.jobs, 0, answers, NULL);
        if (rc == SKED_ERR_RANGE) { /* near the ends of what amounts hold */
            assert_true(w.big > 1000000);
            sked_route_free(router);
            continue;
        }
        assert_ok(rc);
        for (uint32_t i = 0; i < w.jobs.n; i++) {
            uint64_t want[2];
            ref_route(&w.snapshot, &w.opts, &w.jobs, i, want);
            assert_i64((int64_t)answers[i].cluster, (int64_t)want[0]);
            take_off(&w, i, want[0]);
        }
        for (uint32_t c = 0; c < w.snapshot.n; c++) {
            uint64_t id = w.snapshot.id ? w.id[c] : c + 1;
            assert_ok(sked_route_available(router, id, left));
            assert_memory_equal(left, w.available + c * w.opts.kinds,
                                w.opts.kinds * sizeof *left);
        }
        sked_route_free(router);
    }
}

/* [LNK-9] Cluster by cluster, in any order, some twice, or at once: the
 * same. */
static void replicas_agree_however_they_learned(void **state)
{
    (void)state;
    skedi_random_seed(&rng, 3, NULL);
    for (size_t life = 0; life < test_size(1000, 10000); life++) {
        sked_route *whole, *bit_by_bit;
        world w;
        do make_world(&w);
        while (!w.snapshot.id || w.snapshot.n == 0);
        w.snapshot.shape_from = NULL;
        assert_ok(sked_route_new(&w.opts, NULL, &whole, NULL));
        assert_ok(sked_route_new(&w.opts, NULL, &bit_by_bit, NULL));
        assert_ok(sked_route_replace(whole, &w.snapshot, NULL));
        uint32_t kinds = w.opts.kinds, n = (uint32_t)w.snapshot.n;
        for (uint32_t step = 0; step < 2 * n; step++) {
            uint32_t i = step < n ? n - 1 - step : (uint32_t)below(n);
            sked_route_input one = w.snapshot;
            one.n = 1;
            one.id += i;
            one.time += i;
            one.capacity += i * kinds;
            one.available += i * kinds;
            if (one.in_queue) one.in_queue += i * one.queues * kinds;
            if (step >= n && below(2)) {
                assert_ok(sked_route_remove(bit_by_bit, *one.id, NULL));
            }
            assert_ok(sked_route_update(bit_by_bit, &one, NULL));
        }
        assert_true(sked_route_digest(whole) == sked_route_digest(bit_by_bit));
        sked_route_free(whole);
        sked_route_free(bit_by_bit);
    }
}

/* [LNK-11] */
static void racks_are_dealt_out_evenly(void **state)
{
    (void)state;
    skedi_random_seed(&rng, 4, NULL);
    for (size_t life = 0; life < test_size(1000, 10000); life++) {
        uint32_t rack[60], part[60], reach[7], n = (uint32_t)below(61);
        uint32_t parts = 1 + (uint32_t)below(7), racks = 1 + (uint32_t)below(9);
        for (uint32_t i = 0; i < n; i++) rack[i] = (uint32_t)below(racks) * 77;
        assert_ok(sked_route_stripe(rack, n, parts, NULL, part, reach, NULL));
        for (uint32_t p = 0; p < parts; p++) {
            uint32_t near = 0, mine = 0;
            for (uint32_t i = 0; i < n; i++) {
                uint32_t same = 0;
                for (uint32_t j = 0; j < n; j++) {
                    same += rack[j] == rack[i] && part[j] == p;
                }
                near += same > 0;
                mine += part[i] == p;
            }
            assert_i64(reach[p], near);
            assert_true(mine == n / parts || mine == n / parts + 1);
        }
        for (uint32_t r = 0; r < racks; r++) {
            uint32_t count[7] = {0}, all = 0;
            for (uint32_t i = 0; i < n; i++) {
                count[part[i]] += rack[i] == r * 77;
                all += rack[i] == r * 77;
            }
            for (uint32_t p = 0; p < parts; p++) {
                assert_true(count[p] == all / parts ||
                            count[p] == all / parts + 1);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_tiers_answer_as_the_definition_does),
        cmocka_unit_test(a_unit_decides_where_doubles_cannot),
        cmocka_unit_test(charging_is_routing_one_by_one),
        cmocka_unit_test(replicas_agree_however_they_learned),
        cmocka_unit_test(racks_are_dealt_out_evenly),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
