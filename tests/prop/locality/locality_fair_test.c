/*
 * Locality under fairness against flows on the graph with all its nodes: the
 * most local blocks, for joint plans and for those made apart, and the bound.
 */
#include "test.h"

#include <sched/sked.h>

#include <string.h>

#include "base/random.h"
#include "host.h"
#include "ref_locality_fair.h"
#include "size.h"

enum { B = 24, H = 8, Q = 5, R = 4 };

static skedi_random rng;

static uint32_t below(uint64_t n)
{
    return (uint32_t)skedi_random_below(&rng, n);
}

typedef struct world {
    sked_locality_fair_input in;
    uint32_t replica[B * R];
    uint32_t queue[B];
    uint32_t share[Q];
    uint32_t slots[H];
} world;

/* Replicas anywhere, or more on the first hosts; some are lost. Where queues
 * are entitled to more than there are slots, their shares are cut. */
static void make_world(world *w)
{
    uint32_t slots = 0, wants = 0, have[Q] = {0}, mode = below(3);

    memset(w, 0, sizeof *w);
    w->in = (sked_locality_fair_input){.struct_size = sizeof w->in,
                                       .blocks = below(B + 1),
                                       .hosts = 1 + below(H),
                                       .queues = 1 + below(Q),
                                       .replicas = below(R + 1),
                                       .replica = w->replica,
                                       .share = w->share};
    const uint32_t hosts = (uint32_t)w->in.hosts;
    for (uint32_t i = 0; i < w->in.blocks * w->in.replicas; i++) {
        uint32_t h = below(hosts);
        if (mode == 1) h = h * h / hosts;
        w->replica[i] = mode == 2 && below(4) == 0 ? SKED_LOCALITY_NO_HOST : h;
    }
    for (uint32_t b = 0; b < w->in.blocks; b++) {
        w->queue[b] = below(w->in.queues);
        have[w->queue[b]]++;
    }
    if (w->in.queues > 1 || below(2)) w->in.queue = w->queue;
    for (uint32_t h = 0; h < H; h++) w->slots[h] = below(6);
    if (below(4)) w->in.slots = w->slots;
    for (uint32_t h = 0; h < w->in.hosts; h++) {
        slots += w->in.slots ? w->slots[h] : 1;
    }
    for (uint32_t q = 0; q < w->in.queues; q++) {
        uint32_t share = below(10), want = share < have[q] ? share : have[q];
        if (wants + want > slots) share = want = slots - wants;
        w->share[q] = share;
        wants += want;
    }
}

typedef struct answer {
    sked_locality_fair_result result;
    uint32_t host[B];
    uint32_t queue_local[Q];
    uint8_t queue_cut[Q];
    uint8_t host_cut[H];
} answer;

static void solve(const world *w, uint32_t method, uint32_t phases, answer *a)
{
    test_host host = {0};
    sked_host hooks = test_host_hooks(&host);
    sked_locality_fair_options o = {
        .struct_size = sizeof o, .method = method, .phases = phases};

    memset(a, 0, sizeof *a);
    a->result = (sked_locality_fair_result){
        .struct_size = sizeof a->result,
        .host = a->host,
        .queue_local = below(2) ? a->queue_local : NULL,
        .queue_cut = a->queue_cut,
        .host_cut = a->host_cut};
    assert_ok(sked_locality_fair(&w->in, &o, &hooks, &a->result, NULL));
    assert_ok(sked_locality_fair_verify(&w->in, &a->result, &hooks, NULL));
    assert_i64((int64_t)host.live, 0);
    if (!a->result.queue_local) return;
    uint64_t local = 0;
    for (uint32_t q = 0; q < w->in.queues; q++) local += a->queue_local[q];
    assert_i64((int64_t)local, (int64_t)a->result.local);
}

/* [HSE-1] [HSE-2] Every queue gets its share, and no plan has more local
 * blocks; planned apart the choice is as good as the first blocks allow. */
static void most_blocks_are_local(void **state)
{
    size_t lives = test_size(100000, 400000);
    uint64_t joint = 0, apart = 0;
    answer a;
    world w;

    (void)state;
    skedi_random_seed(&rng, 11, NULL);
    for (size_t life = 0; life < lives; life++) {
        make_world(&w);
        uint64_t most = ref_locality_fair(&w.in, 0);
        solve(&w, SKED_LOCALITY_FAIR_JOINT, 0, &a);
        assert_i64((int64_t)a.result.local, (int64_t)most);
        assert_i64((int64_t)a.result.bound, (int64_t)most);
        joint += most;
        solve(&w, SKED_LOCALITY_FAIR_APART, 0, &a);
        assert_i64((int64_t)a.result.local,
                   (int64_t)ref_locality_fair(&w.in, 1));
        assert_true(a.result.bound >= most);
        apart += a.result.local;
    }
    print_message("local: %llu, apart %llu\n", (unsigned long long)joint,
                  (unsigned long long)apart);
    assert_true(apart < joint);
}

/* After so many flows the gap is as small as promised, and the bound holds. */
static void a_few_flows_keep_to_their_gap(void **state)
{
    size_t lives = test_size(20000, 100000);
    answer a;
    world w;

    (void)state;
    skedi_random_seed(&rng, 12, NULL);
    for (size_t life = 0; life < lives; life++) {
        uint32_t phases = 1 + below(4), r = (phases + 1) / 2;
        make_world(&w);
        uint64_t most = ref_locality_fair(&w.in, 0);
        solve(&w, SKED_LOCALITY_FAIR_JOINT, phases, &a);
        assert_true(a.result.local <= most && most <= a.result.bound);
        assert_true(a.result.local * (r + 1) >= most * r);
        assert_true(a.result.phases <= phases);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(most_blocks_are_local),
        cmocka_unit_test(a_few_flows_keep_to_their_gap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
