/* Tasks of a batch on the hosts of their blocks: by hand, as a table of a whole
 * batch, refusals, memory. */
#include "test.h"

#include <sched/sked.h>

#include <string.h>

#include "host.h"

enum { BLOCKS = 12, HOSTS = 3, SLOTS = 8, TASKS = 3 };

typedef struct scene {
    sked_locality_input in;
    sked_batch_locality_options o;
    sked_batch_locality_result result;
    uint32_t replica[BLOCKS];
    uint32_t limit[HOSTS];
    uint32_t host[BLOCKS];
    uint32_t cores[HOSTS];
    int64_t ticks[SLOTS];
    uint64_t transfers[SLOTS];
} scene;

/* Four blocks: one on host 0, three on host 1, none on host 2. */
static void begin(scene *s)
{
    const uint32_t replica[] = {1, 1, 0, 1};

    memset(s, 0, sizeof *s);
    memcpy(s->replica, replica, sizeof replica);
    memset(s->limit, 255, sizeof s->limit);
    s->in = (sked_locality_input){.struct_size = sizeof s->in,
                                  .blocks = 4,
                                  .hosts = HOSTS,
                                  .replicas = 1,
                                  .replica = s->replica};
    s->o = (sked_batch_locality_options){.struct_size = sizeof s->o,
                                         .slots = SLOTS,
                                         .start = 100,
                                         .block = 10,
                                         .slot = 1,
                                         .transfer = 4};
    s->result = (sked_batch_locality_result){
        .struct_size = sizeof s->result, .host = s->host, .cores = s->cores};
}

static sked_status speedup(scene *s, sked_error *err)
{
    return sked_batch_speedup_from_locality(&s->in, &s->o, NULL, s->ticks,
                                            s->transfers, err);
}

static sked_status locate(scene *s, sked_error *err)
{
    return sked_batch_locate(&s->in, &s->o, NULL, &s->result, err);
}

/* [HSE-7] The first slot goes where most blocks lie, and so on round. */
static void slots_go_where_the_blocks_are(void **state)
{
    scene s;

    (void)state;
    begin(&s);
    assert_ok(speedup(&s, NULL));
    assert_i64(s.ticks[0], 100 + 4 * 10 + 4); /* host 1 reads all, one moved */
    assert_i64((int64_t)s.transfers[0], 1);
    assert_i64(s.ticks[1], 100 + 2 * 10 + 4 + 1); /* two each, one moved */
    assert_i64(s.ticks[2], 100 + 2 * 10 + 4 + 2); /* the third has none */
    assert_i64(s.ticks[3], 100 + 1 * 10 + 4 + 3); /* two cores on host 1 */
    assert_i64((int64_t)s.transfers[3], 1);
    assert_i64(s.ticks[7], 100 + 1 * 10 + 7); /* three, three, two cores */
    s.o.slots = 2;
    assert_ok(locate(&s, NULL));
    assert_i64(s.result.ticks, s.ticks[1]);
    assert_i64(s.result.load, 2);
    assert_i64((int64_t)s.result.transfers, 1);
    assert_i64(s.cores[0], 1);
    assert_i64(s.cores[1], 1);
    assert_i64(s.cores[2], 0);
    assert_i64(s.host[2], 0);
    assert_i64(s.host[0] + s.host[1] + s.host[3], 2); /* one of them on 0 */
    s.result.cores = NULL;
    assert_ok(locate(&s, NULL));
}

/* A host that stands twice in a row has one replica of the block. */
static void replicas_that_stand_twice_count_once(void **state)
{
    const uint32_t none = SKED_LOCALITY_NO_HOST;
    const uint32_t replica[] = {0, 0, 0, 1, none, none, none, none, 1};
    scene s;

    (void)state;
    begin(&s);
    memcpy(s.replica, replica, sizeof replica);
    s.in.blocks = 3;
    s.in.replicas = 3;
    s.o.slots = 1;
    assert_ok(locate(&s, NULL));
    assert_i64(s.cores[0], 0);
    assert_i64(s.cores[1], 1);
    assert_i64((int64_t)s.result.transfers, 1);
    assert_i64(s.result.ticks, 100 + 3 * 10 + 4);
}

/* On one host it is the model of a batch. */
static void one_host_is_the_model(void **state)
{
    scene s;

    (void)state;
    begin(&s);
    memset(s.replica, 0, sizeof s.replica);
    s.in.hosts = 1;
    s.in.blocks = 11;
    assert_ok(sked_batch_speedup_from_locality(&s.in, &s.o, NULL, s.ticks, NULL,
                                               NULL));
    for (int64_t k = 1; k <= SLOTS; k++) {
        assert_i64(s.ticks[k - 1], 100 + 10 * ((11 + k - 1) / k) + k - 1);
    }
    s.in.blocks = 0; /* a tick at least */
    s.o.start = s.o.slot = 0;
    assert_ok(speedup(&s, NULL));
    assert_i64(s.ticks[4], 1);
}

/* [HSE-7] Tables from where blocks lie, a batch planned by them, and each task
 * placed at its width: it takes what the plan says. */
static void a_batch_is_placed_task_by_task(void **state)
{
    static scene s[TASKS];
    int64_t table[TASKS * SLOTS];
    uint64_t blocks[TASKS];
    sked_batch_span spans[TASKS];
    sked_batch_input in = {.struct_size = sizeof in,
                           .tasks = TASKS,
                           .slots = SLOTS,
                           .nodes = HOSTS,
                           .blocks = blocks,
                           .table = table};
    sked_batch_options o = {.struct_size = sizeof o};
    sked_batch_result r = {.struct_size = sizeof r, .spans = spans};

    (void)state;
    for (uint32_t j = 0; j < TASKS; j++) {
        begin(&s[j]);
        s[j].in.blocks = (uint32_t)(blocks[j] = 4 * j + 4);
        for (uint32_t b = 0; b < BLOCKS; b++) {
            s[j].replica[b] = b * b % (j + 1);
        }
        assert_ok(speedup(&s[j], NULL));
        memcpy(table + (size_t)j * SLOTS, s[j].ticks, sizeof s[j].ticks);
    }
    for (uint32_t m = SKED_BATCH_METHOD_MULTI; m <= SKED_BATCH_METHOD_ROBUST;
         m++) {
        o.method = m;
        assert_ok(sked_batch_plan(&in, &o, NULL, &r, NULL));
        for (uint32_t j = 0; j < TASKS; j++) {
            s[j].o.slots = spans[j].slots;
            assert_ok(locate(&s[j], NULL));
            assert_i64(s[j].result.ticks, spans[j].end - spans[j].start);
        }
    }
}

static void refused(scene *s, sked_status why, int64_t row)
{
    sked_error err = {.code = SKED_OK};

    s->ticks[0] = s->result.ticks = 77;
    assert_status(why, speedup(s, &err));
    assert_i64(err.row, row);
    assert_status(why, locate(s, NULL));
    assert_i64(s->ticks[0], 77);
    assert_i64(s->result.ticks, 77);
}

/* Two hundred and fifty-six blocks of 2^56 ticks, one after the other: 2^64. */
static void times_beyond_a_word_are_too_long(void **state)
{
    static const uint32_t replica[256];
    const sked_locality_input in = {.struct_size = sizeof in,
                                    .blocks = 256,
                                    .hosts = 1,
                                    .replicas = 1,
                                    .replica = replica};
    sked_batch_locality_options o = {
        .struct_size = sizeof o, .slots = 1, .block = SKED_MAX_BATCH_WORK};
    int64_t ticks = 77;
    sked_error err;
    (void)state;

    assert_status(SKED_ERR_RANGE, sked_batch_speedup_from_locality(
                                      &in, &o, NULL, &ticks, NULL, &err));
    assert_int_equal(err.row, 0);
    assert_i64(ticks, 77);
    o.block = 1;
    o.slot = SKED_MAX_BATCH_WORK / SKED_MAX_BATCH_SLOTS; /* the most there is */
    assert_ok(
        sked_batch_speedup_from_locality(&in, &o, NULL, &ticks, NULL, &err));
    assert_i64(ticks, 256);
}

static void bad_numbers_are_refused(void **state)
{
    const uint32_t cores[HOSTS] = {1, 1, 1};
    int64_t *field[] = {NULL, NULL, NULL, NULL};
    scene s;

    (void)state;
    for (int i = 0; i < 4; i++) {
        begin(&s);
        field[0] = &s.o.start;
        field[1] = &s.o.block;
        field[2] = &s.o.slot;
        field[3] = &s.o.transfer;
        *field[i] = -1;
        refused(&s, SKED_ERR_RANGE, -1);
        *field[i] = INT64_MAX;
        refused(&s, SKED_ERR_RANGE, -1);
    }
    begin(&s);
    s.o.slots = 0;
    refused(&s, SKED_ERR_RANGE, -1);
    s.o.slots = SKED_MAX_BATCH_SLOTS + 1;
    refused(&s, SKED_ERR_RANGE, -1);
    begin(&s);
    s.o.struct_size = 3;
    refused(&s, SKED_ERR_VERSION, -1);
    begin(&s);
    s.in.struct_size = 3;
    refused(&s, SKED_ERR_VERSION, -1);
    begin(&s);
    s.in.hosts = 0;
    refused(&s, SKED_ERR_RANGE, -1);
    s.in.hosts = SKED_MAX_LOCALITY_HOSTS + 1;
    refused(&s, SKED_ERR_RANGE, -1);
    begin(&s);
    s.in.cores = cores;
    refused(&s, SKED_ERR_ARG, -1);
    begin(&s);
    s.replica[3] = HOSTS;
    refused(&s, SKED_ERR_RANGE, 3);
    begin(&s);
    s.o.block = SKED_MAX_BATCH_WORK; /* four of them */
    refused(&s, SKED_ERR_RANGE, 0);
    begin(&s);
    s.o.slots = 1;
    s.o.block = SKED_MAX_BATCH_WORK / 4 - 1; /* and the start */
    refused(&s, SKED_ERR_RANGE, 0);
    begin(&s);
    memset(s.limit, 0, sizeof s.limit);
    s.limit[2] = 9; /* which gets a slot only at width 3 */
    s.in.limit = s.limit;
    s.o.slots = 2;
    refused(&s, SKED_ERR_RANGE, -1);
}

static void bad_calls_are_refused(void **state)
{
    const sked_host unknown = {.struct_size = 4};
    scene s;

    (void)state;
    begin(&s);
    assert_status(SKED_ERR_ARG, sked_batch_speedup_from_locality(
                                    &s.in, &s.o, NULL, NULL, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_batch_speedup_from_locality(
                                    NULL, &s.o, NULL, s.ticks, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_batch_speedup_from_locality(
                                    &s.in, NULL, NULL, s.ticks, NULL, NULL));
    assert_status(SKED_ERR_VERSION,
                  sked_batch_speedup_from_locality(&s.in, &s.o, &unknown,
                                                   s.ticks, NULL, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_batch_locate(&s.in, &s.o, NULL, NULL, NULL));
    s.result.struct_size = 8;
    assert_status(SKED_ERR_VERSION, locate(&s, NULL));
    begin(&s);
    s.result.host = NULL;
    assert_status(SKED_ERR_ARG, locate(&s, NULL));
    s.in.blocks = 0;
    assert_ok(locate(&s, NULL));
}

/* Limits are kept to beside the widths. */
static void limits_count_too(void **state)
{
    scene s;

    (void)state;
    begin(&s);
    s.limit[1] = 1;
    s.limit[0] = 3;
    s.in.limit = s.limit;
    s.o.slots = 2;
    assert_ok(locate(&s, NULL));
    assert_i64((int64_t)s.result.transfers, 2);
    assert_i64(s.result.load, 3);
}

static sked_status locate_life(test_host *host, void *arg)
{
    sked_host hooks = test_host_hooks(host);
    scene s;

    (void)arg;
    begin(&s);
    hooks.user_free = NULL; /* no handle keeps it */
    s.o.slots = 3;
    sked_status rc = sked_batch_speedup_from_locality(
        &s.in, &s.o, &hooks, s.ticks, s.transfers, NULL);
    if (rc != SKED_OK) return rc;
    return sked_batch_locate(&s.in, &s.o, &hooks, &s.result, NULL);
}

static void every_allocation_may_fail(void **state)
{
    test_host host = {0};
    sked_host hooks = test_host_hooks(&host);
    scene s;

    (void)state;
    test_sweep(locate_life, NULL, 0);
    begin(&s);
    assert_ok(sked_batch_locate(&s.in, &s.o, &hooks, &s.result, NULL));
    assert_i64((int64_t)host.released, 0); /* the caller's as before */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots_go_where_the_blocks_are),
        cmocka_unit_test(replicas_that_stand_twice_count_once),
        cmocka_unit_test(one_host_is_the_model),
        cmocka_unit_test(a_batch_is_placed_task_by_task),
        cmocka_unit_test(times_beyond_a_word_are_too_long),
        cmocka_unit_test(bad_numbers_are_refused),
        cmocka_unit_test(bad_calls_are_refused),
        cmocka_unit_test(limits_count_too),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
