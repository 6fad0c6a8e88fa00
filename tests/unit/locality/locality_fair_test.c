/* Locality under fairness: small plans by hand, refusals, wrong plans. */
#include "test.h"

#include <sched/sked.h>

#include <string.h>

#include "host.h"

/* Four blocks of two queues on three hosts of one slot. Queue 0 has blocks on
 * hosts 0, 0 and 1, queue 1 one on host 0. */
typedef struct small {
    sked_locality_fair_input in;
    sked_locality_fair_result result;
    uint32_t replica[4];
    uint32_t queue[4];
    uint32_t share[2];
    uint32_t slots[3];
    uint32_t host[4];
    uint32_t queue_local[2];
    uint8_t queue_cut[2];
    uint8_t host_cut[3];
} small;

static void make_small(small *s)
{
    memset(s, 0, sizeof *s);
    memcpy(s->replica, (uint32_t[]){0, 0, 1, 0}, sizeof s->replica);
    memcpy(s->queue, (uint32_t[]){0, 0, 0, 1}, sizeof s->queue);
    memcpy(s->share, (uint32_t[]){1, 1}, sizeof s->share);
    memcpy(s->slots, (uint32_t[]){1, 1, 1}, sizeof s->slots);
    s->in = (sked_locality_fair_input){.struct_size = sizeof s->in,
                                       .blocks = 4,
                                       .hosts = 3,
                                       .queues = 2,
                                       .replicas = 1,
                                       .replica = s->replica,
                                       .queue = s->queue,
                                       .share = s->share,
                                       .slots = s->slots};
    s->result = (sked_locality_fair_result){.struct_size = sizeof s->result,
                                            .host = s->host,
                                            .queue_local = s->queue_local,
                                            .queue_cut = s->queue_cut,
                                            .host_cut = s->host_cut};
}

static sked_status solve(small *s, uint32_t method)
{
    sked_locality_fair_options o = {.struct_size = sizeof o, .method = method};

    return sked_locality_fair(&s->in, &o, NULL, &s->result, NULL);
}

/* Queue 0 gives host 0 up for a block that waits and lies on host 1. */
static void a_queue_runs_other_blocks_of_its_own(void **state)
{
    small s;

    (void)state;
    make_small(&s);
    assert_ok(solve(&s, SKED_LOCALITY_FAIR_JOINT));
    assert_i64((int64_t)s.result.local, 2);
    assert_i64((int64_t)s.result.transfers, 0);
    assert_i64((int64_t)s.result.bound, 2);
    assert_i64(s.host[2], 1);
    assert_i64(s.host[3], 0);
    assert_i64(s.host[0], SKED_LOCALITY_NO_HOST);
    assert_i64(s.queue_local[0], 1);
    assert_i64(s.queue_local[1], 1);
    make_small(&s); /* its first block is on host 0 as well: one transfer */
    assert_ok(solve(&s, SKED_LOCALITY_FAIR_APART));
    assert_i64((int64_t)s.result.local, 1);
    assert_i64((int64_t)s.result.transfers, 1);
    assert_i64((int64_t)s.result.bound, 2);
    assert_i64(s.host[2], SKED_LOCALITY_NO_HOST);
    assert_ok(sked_locality_fair_verify(&s.in, &s.result, NULL, NULL));
}

/* A share is never traded for locality, nor passed. */
static void shares_are_kept_to(void **state)
{
    small s;

    (void)state;
    make_small(&s);
    s.share[0] = 0;
    s.share[1] = 9;
    assert_ok(solve(&s, 0));
    assert_i64((int64_t)(s.result.local + s.result.transfers), 1);
    assert_i64(s.host[3], 0);
    make_small(&s);
    s.share[0] = 3;
    s.share[1] = 0;
    assert_ok(solve(&s, 0));
    assert_i64((int64_t)s.result.local, 2);
    assert_i64((int64_t)s.result.transfers, 1);
}

static void nothing_is_planned_too(void **state)
{
    small s;

    (void)state;
    make_small(&s);
    s.in.blocks = 0;
    s.result.host = NULL;
    assert_ok(solve(&s, 0));
    assert_i64((int64_t)s.result.local, 0);
    assert_i64((int64_t)s.result.bound, 0);
    assert_ok(sked_locality_fair_verify(&s.in, &s.result, NULL, NULL));
    make_small(&s); /* no replica is left */
    s.in.replicas = 0;
    s.in.replica = NULL;
    s.in.queue = NULL;
    s.in.slots = NULL;
    s.share[0] = 2;
    assert_ok(sked_locality_fair(&s.in, NULL, NULL, &s.result, NULL));
    assert_i64((int64_t)s.result.transfers, 2);
    assert_i64((int64_t)s.result.bound, 0);
    assert_ok(sked_locality_fair_verify(&s.in, &s.result, NULL, NULL));
}

static void refused(small *s, sked_status why, int64_t row)
{
    sked_error err = {.code = SKED_OK};

    memset(s->host, 7, sizeof s->host);
    assert_status(why,
                  sked_locality_fair(&s->in, NULL, NULL, &s->result, &err));
    assert_i64(err.row, row);
    assert_i64(s->host[0], 0x07070707);
    assert_status(why,
                  sked_locality_fair_verify(&s->in, &s->result, NULL, NULL));
}

static void bad_input_is_refused(void **state)
{
    small s;

    (void)state;
    make_small(&s);
    s.in.struct_size = 4;
    refused(&s, SKED_ERR_VERSION, -1);
    make_small(&s);
    s.in.flags = 1;
    refused(&s, SKED_ERR_ARG, -1);
    make_small(&s);
    s.in.share = NULL;
    refused(&s, SKED_ERR_ARG, -1);
    make_small(&s);
    s.in.replica = NULL;
    refused(&s, SKED_ERR_ARG, -1);
    make_small(&s);
    s.in.blocks = UINT32_MAX;
    refused(&s, SKED_ERR_RANGE, -1);
    make_small(&s);
    s.in.hosts = 0;
    refused(&s, SKED_ERR_RANGE, -1);
    s.in.hosts = UINT32_MAX;
    refused(&s, SKED_ERR_RANGE, -1);
    make_small(&s);
    s.in.queues = 0;
    refused(&s, SKED_ERR_RANGE, -1);
    s.in.queues = UINT32_MAX;
    refused(&s, SKED_ERR_RANGE, -1);
    make_small(&s);
    s.in.replicas = 255;
    refused(&s, SKED_ERR_RANGE, -1);
    s.in.replicas = (uint32_t)1 << 31;
    refused(&s, SKED_ERR_RANGE, -1);
    make_small(&s);
    s.queue[2] = 2;
    refused(&s, SKED_ERR_RANGE, 2);
    make_small(&s);
    s.replica[1] = 3;
    refused(&s, SKED_ERR_RANGE, 1);
    make_small(&s);
    s.share[0] = 3;
    refused(&s, SKED_ERR_RANGE, -1); /* four blocks, three slots */
}

static void bad_calls_are_refused(void **state)
{
    sked_locality_fair_options o = {.struct_size = sizeof o, .method = 2};
    small s;

    (void)state;
    make_small(&s);
    assert_status(SKED_ERR_ARG,
                  sked_locality_fair(NULL, NULL, NULL, &s.result, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_locality_fair(&s.in, &o, NULL, &s.result, NULL));
    o = (sked_locality_fair_options){.struct_size = sizeof o, .reserved = 1};
    assert_status(SKED_ERR_ARG,
                  sked_locality_fair(&s.in, &o, NULL, &s.result, NULL));
    o.struct_size = 3;
    assert_status(SKED_ERR_VERSION,
                  sked_locality_fair(&s.in, &o, NULL, &s.result, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_locality_fair(&s.in, NULL, NULL, NULL, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_locality_fair_verify(&s.in, NULL, NULL, NULL));
    s.result.host = NULL;
    refused(&s, SKED_ERR_ARG, -1);
    make_small(&s);
    s.result.queue_cut = NULL;
    refused(&s, SKED_ERR_ARG, -1);
    make_small(&s);
    s.result.host_cut = NULL;
    refused(&s, SKED_ERR_ARG, -1);
    make_small(&s);
    s.result.struct_size = 8;
    assert_status(SKED_ERR_VERSION, solve(&s, 0));
}

static void wrong(const small *s, const char *why)
{
    sked_error err = {.code = SKED_OK};

    assert_status(SKED_ERR_INVALID,
                  sked_locality_fair_verify(&s->in, &s->result, NULL, &err));
    assert_string_equal(err.message, why);
}

static void a_wrong_plan_is_seen_through(void **state)
{
    small s, right;

    (void)state;
    make_small(&s);
    assert_ok(solve(&s, 0));
    assert_ok(sked_locality_fair_verify(&s.in, &s.result, NULL, NULL));
    right = s;
    s.host[2] = 3;
    wrong(&s, "a block runs on no host");
    s.host[2] = right.host[2];
    s.host[1] = 2;
    wrong(&s, "a queue runs more or less than its share");
    s.host[1] = right.host[1];
    s.host[3] = 1;
    wrong(&s, "a host runs more than its slots");
    s.host[3] = 2;
    wrong(&s, "local blocks or transfers are miscounted");
    s.host[3] = right.host[3];
    s.result.bound++;
    wrong(&s, "the bound is not that of the cut");
    s.result.bound--;
    s.queue_cut[0] ^= 1;
    wrong(&s, "the bound is not that of the cut");
}

static sked_status fair_life(test_host *host, void *arg)
{
    sked_host hooks = test_host_hooks(host);
    small s;

    (void)arg;
    make_small(&s);
    sked_status rc = sked_locality_fair(&s.in, NULL, &hooks, &s.result, NULL);
    if (rc != SKED_OK) return rc;
    return sked_locality_fair_verify(&s.in, &s.result, &hooks, NULL);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_sweep(fair_life, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_queue_runs_other_blocks_of_its_own),
        cmocka_unit_test(shares_are_kept_to),
        cmocka_unit_test(nothing_is_planned_too),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(bad_calls_are_refused),
        cmocka_unit_test(a_wrong_plan_is_seen_through),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
