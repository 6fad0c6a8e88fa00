/* An assignment in force stays exact while blocks come and go and hosts are lost. */
#include "test.h"

#include <sched/sked.h>

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "blocks.h"
#include "host.h"
#include "ref_locality.h"
#include "size.h"
#include "locality_world.h"

/* ---- In force ---- */

typedef struct force {
    sked_locality_live *live;
    uint32_t hosts;
    uint32_t width;
    uint32_t row[B][R]; /* by number */
    uint32_t host[B];   /* as the moves say */
    uint8_t there[B];
} force;

/* What is there as an input: numbers that are spare have no replica. */
static void input_of(const force *f, world *w)
{
    memset(w, 0, sizeof *w);
    w->in = (sked_locality_input){.struct_size = sizeof w->in,
                                  .blocks = B,
                                  .hosts = f->hosts,
                                  .replicas = f->width,
                                  .replica = w->replica};
    for (uint32_t b = 0; b < B; b++) {
        for (uint32_t k = 0; k < f->width; k++) {
            w->replica[b * f->width + k] = f->there[b] ? f->row[b][k]
                                                       : SKED_LOCALITY_NO_HOST;
        }
    }
}

static int by_size_down(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x < y) - (x > y);
}

/* Takes the moves; returns how many blocks that stayed have another host. */
static uint64_t take_moves(force *f, uint32_t but)
{
    sked_locality_move move[B];
    uint64_t moved = 0;
    size_t n;

    do {
        assert_ok(sked_locality_live_take(f->live, move, 3, &n, NULL));
        for (size_t i = 0; i < n; i++) {
            assert_i64(f->host[move[i].block], move[i].from);
            assert_true(move[i].from != move[i].to);
            f->host[move[i].block] = move[i].to;
            moved += move[i].block != but;
        }
    } while (n == 3);
    for (uint32_t b = 0; b < B; b++) {
        assert_i64(sked_locality_live_host(f->live, b), f->host[b]);
    }
    return moved;
}

/* Loads as a fresh placement has them, blocks where they have replicas, and no
 * more blocks moved than must have been. */
static void check_force(force *f, const uint32_t *before, uint32_t but)
{
    uint32_t want[H], got[H], counted[H] = {0}, present[B];
    uint64_t moved = take_moves(f, but), least;
    uint8_t choice[B];
    test_host host = {0};
    world w;

    input_of(f, &w);
    sked_locality *l = solve(&w, &host);
    memcpy(got, sked_locality_live_loads(f->live), f->hosts * sizeof *got);
    memcpy(want, sked_locality_host_blocks(l), f->hosts * sizeof *want);
    for (uint32_t b = 0; b < B; b++) {
        uint32_t found = f->host[b] == SKED_LOCALITY_NO_HOST;
        for (uint32_t k = 0; k < f->width && f->there[b]; k++) {
            found |= f->row[b][k] == f->host[b];
        }
        assert_true(found);
        if (f->host[b] != SKED_LOCALITY_NO_HOST) counted[f->host[b]]++;
        present[b] = b == but ? SKED_LOCALITY_NO_HOST : before[b];
    }
    assert_memory_equal(counted, got, f->hosts * sizeof *got);
    qsort(got, f->hosts, sizeof *got, by_size_down);
    qsort(want, f->hosts, sizeof *want, by_size_down);
    assert_memory_equal(got, want, f->hosts * sizeof *got);
    assert_i64(sked_locality_live_least_load(f->live), want[0]);
    uint32_t load = below(want[0] + 1);
    uint64_t spare = 0; /* numbers, which the input has as blocks */
    for (uint32_t b = 0; b < B; b++) spare += !f->there[b];
    assert_i64((int64_t)sked_locality_live_transfers(f->live, load),
               (int64_t)(sked_locality_transfers(l, load) - spare));
    assert_ok(
        sked_locality_restore(l, &w.in, present, NULL, choice, &least, NULL));
    if (but < B && choice[but] != SKED_LOCALITY_NO_REPLICA) least--;
    assert_i64((int64_t)moved, (int64_t)least);
    sked_locality_free(l);
}

static void add_block(force *f)
{
    uint32_t row[R], before[B], block, n = below(f->width + 1);
    sked_status rc;

    memcpy(before, f->host, sizeof before);
    for (uint32_t k = 0; k < n; k++) {
        row[k] = below(9) ? below(f->hosts) : SKED_LOCALITY_NO_HOST;
        if (below(2) && row[k] != SKED_LOCALITY_NO_HOST) row[k] /= 2;
    }
    rc = sked_locality_live_add(f->live, row, n, &block, NULL);
    assert_ok(rc);
    assert_true(block < B && !f->there[block]);
    f->there[block] = 1;
    for (uint32_t k = 0; k < R; k++) {
        f->row[block][k] = k < n ? row[k] : SKED_LOCALITY_NO_HOST;
    }
    check_force(f, before, block);
}

static void remove_block(force *f, uint32_t block)
{
    uint32_t before[B];

    memcpy(before, f->host, sizeof before);
    assert_ok(sked_locality_live_remove(f->live, block, NULL));
    f->there[block] = 0;
    before[block] = SKED_LOCALITY_NO_HOST;
    check_force(f, before, block);
}

static void lose_host(force *f)
{
    uint32_t before[B], lost = below(f->hosts);

    memcpy(before, f->host, sizeof before);
    assert_ok(sked_locality_live_down(f->live, lost, NULL));
    for (uint32_t b = 0; b < B; b++) {
        for (uint32_t k = 0; k < f->width; k++) {
            if (f->row[b][k] == lost) f->row[b][k] = SKED_LOCALITY_NO_HOST;
        }
    }
    check_force(f, before, B);
}

/* [HSE-5] After every change, by the fewest moves there are. */
static void what_is_in_force_stays_exact(void **state)
{
    force f;

    (void)state;
    skedi_random_seed(&rng, 7, NULL);
    for (size_t life = 0; life < test_size(400, 4000); life++) {
        test_host host = {0};
        sked_host hooks = test_host_hooks(&host);
        memset(&f, 0, sizeof f);
        f.hosts = 1 + below(H);
        f.width = 1 + below(R);
        for (int b = 0; b < B; b++) f.host[b] = SKED_LOCALITY_NO_HOST;
        assert_ok(
            sked_locality_live_new(f.hosts, f.width, &hooks, &f.live, NULL));
        for (int i = 0; i < 100; i++) {
            uint32_t block = below(B), there = 0;
            for (int b = 0; b < B; b++) there += f.there[b];
            if (below(25) == 0) {
                lose_host(&f);
            } else if (f.there[block]) {
                remove_block(&f, block);
            } else if (there < B) {
                add_block(&f);
            }
        }
        sked_locality_live_free(f.live);
        assert_i64((int64_t)host.live, 0);
        assert_i64((int64_t)host.released, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_in_force_stays_exact),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
