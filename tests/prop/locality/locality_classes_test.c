/*
 * Many blocks of few rows, which are placed class by class: every curve against
 * what sets of hosts must hold, counted over all sets of them.
 */
#include "test.h"

#include <sched/sked.h>

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "host.h"
#include "locality/flow.h"
#include "size.h"

enum { BLOCKS = 65536, HOSTS = 7, ROWS = 12, WIDTH = 4 };

static skedi_random rng;

static uint32_t below(uint64_t n)
{
    return (uint32_t)skedi_random_below(&rng, n);
}

typedef struct world {
    sked_locality_input in;
    uint32_t *replica;
    uint32_t row[ROWS][WIDTH];
    uint32_t times[ROWS];
    int64_t ticks[HOSTS];
    int64_t committed[HOSTS];
    uint32_t cores[HOSTS];
    uint32_t limit[HOSTS];
} world;

static void make_hosts(world *w)
{
    uint32_t columns = below(3) ? 0 : 1 + below(15);

    for (uint32_t h = 0; h < HOSTS; h++) {
        w->ticks[h] = 1 + below(7);
        w->committed[h] = below(20000);
        w->cores[h] = 1 + below(4);
        w->limit[h] = below(3) ? below(BLOCKS / 2) : UINT32_MAX;
    }
    if (columns & 1) w->in.ticks = w->ticks;
    if (columns & 2) w->in.committed = w->committed;
    if (columns & 4) w->in.limit = w->limit;
    if (columns & 8) w->in.cores = w->cores;
}

/* Rows of few hosts, along a line or lost here and there; the blocks of each
 * one after the other, which a greedy pass does badly with, or mixed. */
static void make_world(world *w)
{
    uint32_t rows = 1 + below(ROWS), left = BLOCKS, mode = below(3), at = 0;
    const uint32_t hosts = 1 + below(HOSTS);

    w->in = (sked_locality_input){.struct_size = sizeof w->in,
                                  .blocks = BLOCKS,
                                  .hosts = hosts,
                                  .replicas = 1 + below(WIDTH),
                                  .replica = w->replica};
    for (uint32_t c = 0; c < rows; c++) {
        w->times[c] = c + 1 < rows ? below(left / 2 + 1) : left;
        left -= w->times[c];
        for (uint32_t k = 0; k < w->in.replicas; k++) {
            uint32_t h = below(hosts);
            if (mode == 1) h = (c + k) % hosts;
            if (mode == 2 && below(6) == 0) h = SKED_LOCALITY_NO_HOST;
            w->row[c][k] = h;
        }
    }
    for (uint32_t c = 0; c < rows; c++) {
        for (uint32_t i = 0; i < w->times[c]; i++) {
            memcpy(w->replica + (size_t)at++ * w->in.replicas, w->row[c],
                   w->in.replicas * sizeof *w->replica);
        }
    }
    for (uint32_t c = rows; c < ROWS; c++) w->times[c] = 0;
    make_hosts(w);
}

/* What must be on a set of hosts and is not ended by `load`, at worst over all
 * sets: by the theorem of Hall and Koenig, the fewest transfers. */
static int64_t fewest_transfers(const world *w, int64_t load)
{
    const skedi_blocks in = {.hosts = (uint32_t)w->in.hosts,
                             .ticks = w->in.ticks,
                             .committed = w->in.committed,
                             .cores = w->in.cores,
                             .limit = w->in.limit};
    const skedi_slots slots = skedi_slots_of(&in);
    int64_t worst = 0;

    for (uint32_t set = 0; set < UINT32_C(1) << w->in.hosts; set++) {
        int64_t must = 0;
        for (uint32_t c = 0; c < ROWS; c++) {
            int inside = 1;
            for (uint32_t k = 0; k < w->in.replicas; k++) {
                uint32_t h = w->row[c][k];
                inside &= h == SKED_LOCALITY_NO_HOST || (set >> h & 1);
            }
            if (inside) must += w->times[c];
        }
        for (uint32_t h = 0; h < w->in.hosts; h++) {
            if (set >> h & 1) must -= skedi_slots_by(&slots, h, load);
        }
        if (must > worst) worst = must;
    }
    return worst;
}

static void check_world(const world *w)
{
    test_host host = {0};
    sked_host hooks = test_host_hooks(&host);
    sked_locality *l = NULL;

    assert_ok(sked_locality_new(&w->in, NULL, &hooks, &l, NULL));
    assert_ok(sked_locality_verify(&w->in, sked_locality_choice(l),
                                   sked_locality_levels(l), NULL, NULL));
    int64_t most = 16 * BLOCKS;
    for (int i = 0; i < 40; i++) {
        int64_t load = below((uint64_t)most);
        assert_i64((int64_t)sked_locality_transfers(l, load),
                   fewest_transfers(w, load));
        most = load < 10 ? 16 * BLOCKS : load;
    }
    int64_t least = sked_locality_least_load(l);
    if (least != SKED_UNLIMITED && least > 0) {
        int64_t lost = (int64_t)sked_locality_unplaced(l);
        assert_i64(fewest_transfers(w, least), lost);
        int64_t before = fewest_transfers(w, least - 1);
        assert_true(before > lost || least == sked_locality_floor(l));
    }
    sked_locality_free(l);
}

static void curves_are_those_of_sets(void **state)
{
    world w = {.replica = malloc(sizeof(uint32_t) * BLOCKS * WIDTH)};
    (void)state;

    assert_non_null(w.replica);
    skedi_random_seed(&rng, 3, 0);
    for (size_t i = test_size(150, 2000); i-- > 0;) {
        make_world(&w);
        check_world(&w);
    }
    free(w.replica);
}

/* ---- When there are classes ---- */

/* A chain of hosts, more blocks on the first: what is too much there must
 * travel far. Its memory tells whether blocks were listed one by one. */
static size_t memory_of_chain(uint32_t *replica, uint32_t hosts)
{
    const sked_locality_input in = {.struct_size = sizeof in,
                                    .blocks = BLOCKS,
                                    .hosts = hosts,
                                    .replicas = WIDTH,
                                    .replica = replica};
    test_host host = {0};
    sked_host hooks = test_host_hooks(&host);
    sked_locality *l = NULL;

    assert_ok(sked_locality_new(&in, NULL, &hooks, &l, NULL));
    assert_ok(sked_locality_verify(&in, sked_locality_choice(l),
                                   sked_locality_levels(l), NULL, NULL));
    sked_locality_free(l);
    return host.most;
}

static uint32_t *make_chain(uint32_t hosts)
{
    uint32_t *replica = malloc(sizeof *replica * BLOCKS * WIDTH);

    assert_non_null(replica);
    for (uint32_t b = 0; b < BLOCKS; b++) {
        uint32_t h = below(below(hosts - 1) + 1);
        for (uint32_t k = 0; k < WIDTH; k++) {
            replica[(size_t)b * WIDTH + k] = h + (k & 1);
        }
    }
    return replica;
}

/* In lists a block takes its row and a number more. */
enum { LISTED = BLOCKS * (WIDTH + 1) * 4 };

static void alike_rows_are_classes(void **state)
{
    uint32_t *replica = make_chain(100);
    (void)state;

    assert_true(memory_of_chain(replica, 100) < LISTED);
    free(replica);
}

/* One block in sixteen, those of the sample, has the same row; all others have
 * rows of their own. */
static void a_sample_may_be_wrong(void **state)
{
    uint32_t *replica = make_chain(60000);
    (void)state;

    for (uint32_t b = 0; b < BLOCKS; b += 16) {
        for (uint32_t k = 0; k < WIDTH; k++) {
            replica[(size_t)b * WIDTH + k] = k & 1;
        }
    }
    for (uint32_t b = 0; b < BLOCKS; b++) {
        if (b % 16 == 0) continue;
        replica[(size_t)b * WIDTH] = b % 60000;
    }
    assert_true(memory_of_chain(replica, 60000) > LISTED);
    free(replica);
}

/* Rows that were made to collide in the table cost no more than lists. */
static void rows_that_collide_are_listed(void **state)
{
    enum { ALL = 30000 };
    uint32_t *replica = make_chain(100), seen[1024][2], n = 0;
    (void)state;

    for (uint32_t a = 0; n < 1024 && a < ALL; a++) {
        for (uint32_t b = a + 1; n < 1024 && b < ALL; b++) {
            const uint32_t row[WIDTH] = {a, b, a, b};
            if (skedi_loc_row_hash(row, WIDTH) & 0x3fff) continue;
            seen[n][0] = a;
            seen[n++][1] = b;
        }
    }
    assert_int_equal(n, 1024);
    for (uint32_t b = 0; b < BLOCKS; b++) {
        uint32_t row = below(below(1023) + 1);
        for (uint32_t k = 0; k < WIDTH; k++) {
            replica[(size_t)b * WIDTH + k] = seen[row][k & 1];
        }
    }
    assert_true(memory_of_chain(replica, ALL) > LISTED);
    free(replica);
}

/* ---- No memory ---- */

static sked_status one_life(test_host *host, void *arg)
{
    const sked_locality_input in = {.struct_size = sizeof in,
                                    .blocks = BLOCKS,
                                    .hosts = 100,
                                    .replicas = WIDTH,
                                    .replica = arg};
    sked_host hooks = test_host_hooks(host);
    sked_locality *l = NULL;
    sked_status rc = sked_locality_new(&in, NULL, &hooks, &l, NULL);

    sked_locality_free(l);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    uint32_t *replica = make_chain(100);
    (void)state;

    test_sweep(one_life, replica, 60);
    free(replica);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curves_are_those_of_sets),
        cmocka_unit_test(alike_rows_are_classes),
        cmocka_unit_test(a_sample_may_be_wrong),
        cmocka_unit_test(rows_that_collide_are_listed),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
