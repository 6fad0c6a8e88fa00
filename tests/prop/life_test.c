/*
 * Updates, all of them that are small: every order in which stops, starts,
 * failures, steps and words of a user may come is gone through, for up to six
 * instances and three failures. At each point the SLA holds; no way goes round,
 * so each one ends; where it ends the update is over, and every instance has the
 * version it should. Between any two points the update is saved and loaded.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "life_setting.h"

/* ---- Going through all of it ---- */

/* The place of a point among those seen; `*fresh`: it was not. */
static size_t place_of(search *x, const point *p, int *fresh)
{
    uint64_t digest = skedi_hash_of(p, sizeof *p, 7) | 1;
    size_t at = digest >> 1 & (SEEN - 1);

    while (x->seen[at] && x->seen[at] != digest) at = (at + 1) & (SEEN - 1);
    *fresh = !x->seen[at];
    x->seen[at] = digest;
    return at;
}

/* The update looks, and the host hears. 1 if anything is another. */
static int step(const setting *s, point *p)
{
    sked_life_instance is[ROWS];
    sked_life_order orders[2 * ROWS];
    size_t n;
    point before = *p;
    sked_life_update *u = load(p, s->n);

    for (uint32_t i = 0; i < s->n; i++) is[i] = instance_of(&p->row[i]);
    assert_ok(sked_life_update_step(u, is, s->n, p->late * s->canary_ns, orders,
                                    2 * ROWS, &n, NULL));
    for (size_t i = 0; i < n; i++) hear(&p->row[orders[i].row], &orders[i]);
    save(p, u);
    sked_life_update_free(u);
    return memcmp(&before, p, sizeof before) != 0;
}

static int tell(const setting *s, point *p, uint32_t event)
{
    point before = *p;
    sked_life_update *u = load(p, s->n);

    assert_ok(sked_life_update_tell(u, event, NULL));
    save(p, u);
    sked_life_update_free(u);
    return memcmp(&before, p, sizeof before) != 0;
}

/* Only then does it matter what time it is. */
static int is_watching(const setting *s, const point *p)
{
    sked_life_update *u = load(p, s->n);
    sked_life_update_stats r = {.struct_size = sizeof r};

    assert_ok(sked_life_update_get_stats(u, &r, NULL));
    sked_life_update_free(u);
    return r.at.state == SKED_LIFE_UPDATE_STATE_ROLLING_FORWARD &&
           r.why == SKED_LIFE_WHY_CANARY && p->late < 2;
}

/* The k-th thing that may happen next: 1 if it may, and `p` is what comes. */
static int happen(const setting *s, uint32_t k, point *p)
{
    if (k == 0) return step(s, p);
    if (k <= 2 * s->n) {
        real *r = &p->row[(k - 1) / 2];
        int fails = (int)((k - 1) % 2);
        if (fails && !p->failures) return 0;
        p->failures = (uint8_t)(p->failures - fails);
        return carry_on(r, fails);
    }
    k -= 2 * s->n;
    if (k == 1 && p->pauses) {
        p->pauses--;
        return tell(s, p, SKED_LIFE_EVENT_PAUSE);
    }
    if (k == 2 && s->pauses > p->pauses) {
        return tell(s, p, SKED_LIFE_EVENT_RESUME);
    }
    if (k == 3 && p->aborts) {
        p->aborts--;
        return tell(s, p, SKED_LIFE_EVENT_ABORT);
    }
    if (k == 4 && s->canary_ns && is_watching(s, p)) {
        p->late++;
        return 1;
    }
    return 0;
}

static void go(search *x, const point *p)
{
    int fresh, ends = 1;
    size_t at = place_of(x, p, &fresh);

    assert_false(x->open[at]); /* no way goes round */
    if (!fresh) return;
    x->open[at] = 1;
    x->points++;
    assert_true(x->points < SEEN / 2);
    check_promise(x, p);
    for (uint32_t k = 0; k <= 2 * x->s->n + 4; k++) {
        point next = *p;
        if (!happen(x->s, k, &next)) continue;
        ends = 0;
        go(x, &next);
    }
    if (ends) check_end(x, p);
    x->open[at] = 0;
}

static search explore(const setting *s)
{
    search x = {.s = s};
    point p;
    uint64_t from[ROWS], to[ROWS];
    uint32_t zone[ROWS];
    sked_life_sla sla = {.struct_size = sizeof sla,
                         .least_running = s->least,
                         .most_unavailable = s->most};
    sked_life_update_options o = {.struct_size = sizeof o,
                                  .flags = s->flags,
                                  .batch = s->batch,
                                  .max_failures = s->max_failures,
                                  .max_attempts = 1,
                                  .overlap = s->overlap,
                                  .canary = s->canary,
                                  .sla = &sla,
                                  .canary_ns = s->canary_ns};
    sked_life_update_input in = {.struct_size = sizeof in,
                                 .from = from,
                                 .to = to,
                                 .zone = zone,
                                 .n = s->n};
    sked_life_update *u = NULL;

    memset(&p, 0, sizeof p);
    for (uint32_t i = 0; i < s->n; i++) {
        from[i] = s->from[i];
        to[i] = s->to[i];
        zone[i] = s->zone[i];
        p.row[i] = (real){.version = s->from[i],
                          .desired = s->from[i],
                          .up = s->from[i] != 0,
                          .target = s->from[i]};
    }
    p.failures = (uint8_t)s->failures;
    p.pauses = (uint8_t)s->pauses;
    p.aborts = (uint8_t)s->aborts;
    assert_ok(sked_life_update_new(&in, &o, NULL, &u, NULL));
    save(&p, u);
    sked_life_update_free(u);
    x.seen = calloc(SEEN, sizeof *x.seen);
    x.open = calloc(SEEN, 1);
    assert_non_null(x.seen);
    assert_non_null(x.open);
    go(&x, &p);
    free(x.seen);
    free(x.open);
    if (getenv("LIFE_SAY")) {
        printf("n %u batch %u fail %u max %u flags %u overlap %u most %u least "
               "%u: %llu points, most down %llu\n",
               s->n, s->batch, s->failures, s->max_failures, s->flags,
               s->overlap, s->most, s->least, (unsigned long long)x.points,
               (unsigned long long)x.most_down);
    }
    return x;
}

/* `n` instances that are changed. */
static setting change(uint32_t n)
{
    setting s = {.n = n, .failures = 3};

    for (uint32_t i = 0; i < n; i++) {
        s.from[i] = 1;
        s.to[i] = 2;
    }
    return s;
}

static void six_instances_and_three_failures(void **state)
{
    (void)state;
    for (uint32_t batch = 1; batch <= 3; batch++) {
        for (uint32_t max = 0; max <= 3; max++) {
            for (uint32_t back = 0; back < 2; back++) {
                setting s = change(ROWS);
                s.batch = batch;
                s.max_failures = max;
                s.flags = back * SKED_LIFE_UPDATE_FLAG_ROLLBACK;
                s.most = 2;
                search x = explore(&s);
                assert_true(x.most_down <= 2);
                assert_true(x.ends[SKED_LIFE_UPDATE_STATE_SUCCEEDED] > 0);
                if (!max) continue;
                assert_true(x.ends[back ? SKED_LIFE_UPDATE_STATE_ROLLED_BACK
                                        : SKED_LIFE_UPDATE_STATE_FAILED] > 0);
            }
        }
    }
}

/* Nothing is promised: only a batch keeps all from going at once. */
static void without_an_sla_the_batch_bounds(void **state)
{
    (void)state;
    for (uint32_t batch = 0; batch <= 3; batch++) {
        setting s = change(batch ? ROWS : 4);
        s.batch = batch;
        s.max_failures = 1;
        s.flags = SKED_LIFE_UPDATE_FLAG_ROLLBACK;
        search x = explore(&s);
        assert_true(x.ends[SKED_LIFE_UPDATE_STATE_SUCCEEDED] > 0);
        assert_true(x.ends[SKED_LIFE_UPDATE_STATE_ROLLED_BACK] > 0);
        /* A rollback that fails is not rolled back again. */
        assert_true(x.ends[SKED_LIFE_UPDATE_STATE_FAILED] > 0);
        if (!batch) assert_int_equal(x.most_down, 4);
    }
}

/* Started beside those that they replace: nothing ever goes down. */
static void overlap_keeps_all_of_them(void **state)
{
    (void)state;
    for (uint32_t overlap = 1; overlap <= 3; overlap++) {
        for (uint32_t flags = 0; flags < 16; flags++) {
            setting s = change(4);
            if (flags &
                (SKED_LIFE_UPDATE_FLAG_PAUSE | SKED_LIFE_UPDATE_FLAG_ZONES))
                continue;
            s.flags = flags;
            s.overlap = overlap == 3 ? UINT32_MAX : overlap;
            s.least = 4;
            s.max_failures = 2;
            search x = explore(&s);
            assert_int_equal(x.most_down, 0);
            assert_true(x.ends[SKED_LIFE_UPDATE_STATE_SUCCEEDED] > 0);
            assert_true(x.ends[flags & SKED_LIFE_UPDATE_FLAG_ROLLBACK
                                   ? SKED_LIFE_UPDATE_STATE_ROLLED_BACK
                                   : SKED_LIFE_UPDATE_STATE_FAILED] > 0);
        }
    }
}

/* Some are added, some changed, some removed, under all that may be promised. */
static void added_changed_and_removed(void **state)
{
    static const uint8_t from[] = {1, 1, 1, 0, 0, 1};
    static const uint8_t to[] = {2, 2, 1, 2, 2, 0};
    (void)state;

    for (uint32_t least = 0; least <= 4; least++) {
        for (uint32_t most = 0; most <= 1; most++) {
            for (uint32_t overlap = 0; overlap <= 1; overlap++) {
                setting s = {.n = ROWS, .failures = 3, .batch = 2};
                memcpy(s.from, from, sizeof from);
                memcpy(s.to, to, sizeof to);
                s.flags = SKED_LIFE_UPDATE_FLAG_ROLLBACK;
                s.max_failures = 2;
                s.least = least;
                s.most = most;
                s.overlap = overlap;
                search x = explore(&s);
                assert_true(x.ends[SKED_LIFE_UPDATE_STATE_SUCCEEDED] > 0);
                assert_true(x.ends[SKED_LIFE_UPDATE_STATE_ROLLED_BACK] > 0);
            }
        }
    }
}

static void a_job_begins_and_ends(void **state)
{
    (void)state;
    for (uint32_t end = 0; end < 2; end++) {
        setting s = {.n = 5, .failures = 3, .batch = 2, .max_failures = 2};
        memset(end ? s.from : s.to, 1, s.n);
        s.flags = SKED_LIFE_UPDATE_FLAG_ROLLBACK;
        s.least = end ? 0 : 5;
        search x = explore(&s);
        assert_true(x.ends[SKED_LIFE_UPDATE_STATE_SUCCEEDED] > 0);
        assert_int_equal(x.ends[SKED_LIFE_UPDATE_STATE_ROLLED_BACK] > 0, !end);
    }
}

/* Said at any moment, by a user. */
static void paused_resumed_and_aborted(void **state)
{
    (void)state;
    for (uint32_t overlap = 0; overlap < 2; overlap++) {
        setting s = change(4);
        s.failures = 2;
        s.pauses = 1;
        s.aborts = 1;
        s.batch = 2;
        s.most = 2;
        s.overlap = overlap;
        s.max_failures = 2;
        s.flags = SKED_LIFE_UPDATE_FLAG_ROLLBACK;
        search x = explore(&s);
        assert_true(x.ends[SKED_LIFE_UPDATE_STATE_ABORTED] > 0);
        assert_true(x.ends[SKED_LIFE_UPDATE_STATE_SUCCEEDED] > 0);
        assert_true(x.ends[SKED_LIFE_UPDATE_STATE_ROLLED_BACK] > 0);
    }
}

static void canaries_go_first(void **state)
{
    (void)state;
    for (int64_t ns = 0; ns <= 5; ns += 5) {
        setting s = change(5);
        s.canary = 2;
        s.canary_ns = ns;
        s.pauses = !ns; /* and with it what goes on from there */
        s.batch = 2;
        s.most = 2;
        s.max_failures = 1;
        s.flags = SKED_LIFE_UPDATE_FLAG_ROLLBACK;
        search x = explore(&s);
        assert_true(x.ends[SKED_LIFE_UPDATE_STATE_SUCCEEDED] > 0);
        assert_true(x.ends[SKED_LIFE_UPDATE_STATE_ROLLED_BACK] > 0);
    }
}

static void zone_by_zone(void **state)
{
    static const uint8_t zone[] = {2, 0, 1, 0, 2, 1};
    (void)state;

    for (uint32_t flags = 4; flags < 16; flags++) {
        setting s = change(ROWS);
        if (flags & SKED_LIFE_UPDATE_FLAG_PAUSE ||
            !(flags & SKED_LIFE_UPDATE_FLAG_ZONES)) {
            continue;
        }
        memcpy(s.zone, zone, sizeof zone);
        s.flags = flags;
        s.most = 2;
        s.overlap = flags & SKED_LIFE_UPDATE_FLAG_TOGETHER ? 2 : 0;
        s.max_failures = 2;
        search x = explore(&s);
        assert_true(x.ends[SKED_LIFE_UPDATE_STATE_SUCCEEDED] > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(six_instances_and_three_failures),
        cmocka_unit_test(without_an_sla_the_batch_bounds),
        cmocka_unit_test(overlap_keeps_all_of_them),
        cmocka_unit_test(added_changed_and_removed),
        cmocka_unit_test(a_job_begins_and_ends),
        cmocka_unit_test(paused_resumed_and_aborted),
        cmocka_unit_test(canaries_go_first),
        cmocka_unit_test(zone_by_zone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
