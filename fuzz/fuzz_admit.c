/*
 * A pool of whatever the bytes say, walked until nothing more comes of it: what
 * is held grows by what is admitted and by nothing else, nobody is lost, and
 * bounds hold for whoever was below them.
 */
#include <sched/admit.h>

#include <stdlib.h>
#include <string.h>

#include "input.h"

enum { GANGS = 24, KINDS = 2 };

#define MUST(cond) ((cond) ? (void)0 : abort())

typedef struct fuzz_pool {
    int64_t bound[4][KINDS];
    int64_t held[SKED_ADMIT_HELD_SUMS * KINDS];
    int64_t need[GANGS * KINDS];
    uint32_t tasks[GANGS];
    int32_t priority[GANGS];
    uint8_t kind[GANGS], line[GANGS], state[GANGS];
} fuzz_pool;

static void read_pool(fuzz_pool *p, fuzz_input *in, uint32_t n)
{
    for (uint32_t b = 0; b < 4; b++) {
        for (uint32_t k = 0; k < KINDS; k++) {
            p->bound[b][k] = (int64_t)fuzz_u64(in, 1);
        }
    }
    for (uint32_t i = 0; i < SKED_ADMIT_HELD_SUMS * KINDS; i++) {
        p->held[i] = (int64_t)fuzz_u64(in, 1);
    }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < KINDS; k++) {
            p->need[i * KINDS + k] = (int64_t)fuzz_u64(in, 1) % 40;
        }
        p->tasks[i] = 1 + (uint32_t)fuzz_u64(in, 1) % 2;
        p->priority[i] = (int32_t)fuzz_u64(in, 1) % 4;
        p->kind[i] = (uint8_t)(fuzz_u64(in, 1) % 9);
        p->line[i] = (uint8_t)(fuzz_u64(in, 1) % 5);
        p->state[i] = (uint8_t)(fuzz_u64(in, 1) % 3);
    }
}

static void must_hold(const fuzz_pool *p, const sked_admit_result *r,
                      const uint8_t *outcome, const uint32_t *order,
                      const int64_t *held, uint32_t n)
{
    int64_t sum[KINDS] = {p->held[0], p->held[1]};
    uint8_t seen[GANGS] = {0};

    for (uint32_t i = 0; i < n; i++) {
        MUST(order[i] < n && !seen[order[i]]);
        seen[order[i]] = 1;
        int in = outcome[order[i]] == SKED_ADMIT_OUTCOME_IN;
        int gone = outcome[order[i]] == SKED_ADMIT_OUTCOME_GONE;
        MUST(in == (i < r->admitted));
        MUST(gone == (i >= r->admitted + r->waiting));
        for (uint32_t k = 0; in && k < KINDS; k++) {
            sum[k] += p->need[order[i] * KINDS + k];
        }
    }
    for (uint32_t k = 0; k < KINDS; k++) {
        MUST(held[k] == sum[k]);
        int64_t revocable = held[SKED_ADMIT_HELD_REVOCABLE * KINDS + k];
        if (p->held[SKED_ADMIT_HELD_REVOCABLE * KINDS + k] <= p->bound[1][k]) {
            MUST(revocable <= p->bound[1][k]);
        }
    }
}

/* Amounts of any size, some of which are none. */
static void read_amounts(fuzz_input *in, int64_t *to, size_t n)
{
    for (size_t i = 0; i < n; i++) to[i] = (int64_t)fuzz_u64(in, 1);
    if (fuzz_u64(in, 1) % 8 == 0) to[0] = (int64_t)fuzz_u64(in, 8);
}

/* Whatever bounds are, users stay within them but for what they have. */
static void must_bound(fuzz_input *in)
{
    int64_t guarantee[KINDS], limit[KINDS], step[KINDS];
    int64_t used[GANGS * KINDS], wanted[GANGS * KINDS];
    int64_t bound[GANGS * KINDS], within[GANGS * KINDS];
    uint8_t may[GANGS];
    size_t n = (size_t)fuzz_u64(in, 1) % (GANGS + 1);
    sked_admit_users_input users = {.struct_size = sizeof users,
                                    .kinds = KINDS,
                                    .n = n,
                                    .part_ppm = (int64_t)fuzz_u64(in, 4),
                                    .factor_ppm = (int64_t)fuzz_u64(in, 4),
                                    .guarantee = guarantee,
                                    .limit = limit,
                                    .step = step,
                                    .used = used,
                                    .wanted = wanted};
    sked_admit_users_result result = {.struct_size = sizeof result,
                                      .bound = bound,
                                      .wanted = within,
                                      .may = may};

    read_amounts(in, guarantee, KINDS);
    read_amounts(in, limit, KINDS);
    read_amounts(in, step, KINDS);
    read_amounts(in, used, n ? n * KINDS : 1);
    read_amounts(in, wanted, n ? n * KINDS : 1);
    if (sked_admit_users(&users, &result, NULL) != SKED_OK) return;
    for (size_t i = 0; i < n * KINDS; i++) {
        MUST(bound[i] >= 0 && bound[i] <= SKED_AMOUNT_MAX);
        MUST(bound[i] % step[i % KINDS] == 0);
        MUST(within[i] >= 0 && within[i] <= wanted[i]);
        MUST(within[i] == 0 || used[i] + within[i] <= bound[i]);
        if (may[i / KINDS] && wanted[i] > 0) MUST(used[i] <= bound[i]);
    }
}

/* Whatever they are, applications and masters of a user are among the leaf's. */
static void must_bound_apps(fuzz_input *in)
{
    int64_t guarantee[KINDS], limit[KINDS], step[KINDS], leaf[KINDS];
    int64_t user[KINDS];
    sked_admit_apps_input apps = {.struct_size = sizeof apps,
                                  .part_ppm = (int64_t)fuzz_u64(in, 4),
                                  .factor_ppm = (int64_t)fuzz_u64(in, 4)};
    sked_admit_apps_result most = {.struct_size = sizeof most};
    sked_admit_masters_input masters = {.struct_size = sizeof masters,
                                        .kinds = KINDS,
                                        .guarantee = guarantee,
                                        .limit = limit,
                                        .step = step,
                                        .share_ppm = (int64_t)fuzz_u64(in, 3),
                                        .part_ppm = apps.part_ppm,
                                        .factor_ppm = apps.factor_ppm,
                                        .active = (uint32_t)fuzz_u64(in, 4),
                                        .weight = (uint32_t)fuzz_u64(in, 4)};
    sked_admit_masters_result result = {
        .struct_size = sizeof result, .leaf = leaf, .user = user};

    apps.total = (int64_t)fuzz_u64(in, 8);
    apps.part.num = (int64_t)fuzz_u64(in, 8);
    apps.part.den = (int64_t)fuzz_u64(in, 8);
    apps.leaf = fuzz_u64(in, 1) % 2 ? SKED_UNSET : (int64_t)fuzz_u64(in, 8);
    read_amounts(in, guarantee, KINDS);
    read_amounts(in, limit, KINDS);
    read_amounts(in, step, KINDS);
    if (sked_admit_apps(&apps, &most, NULL) == SKED_OK) {
        MUST(most.leaf >= 0 && most.user >= 0 && most.user <= most.leaf);
    }
    if (sked_admit_masters(&masters, &result, NULL) != SKED_OK) return;
    for (uint32_t k = 0; k < KINDS; k++) {
        MUST(user[k] >= 0 && user[k] <= leaf[k] && leaf[k] <= SKED_AMOUNT_MAX);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static fuzz_pool p;
    fuzz_input in = {data, data + size};
    uint32_t n = (uint32_t)fuzz_u64(&in, 1) % (GANGS + 1);
    uint8_t outcome[GANGS], line[GANGS];
    uint32_t order[GANGS];
    int64_t held[SKED_ADMIT_HELD_SUMS * KINDS];
    sked_admit_input pool = {.struct_size = sizeof pool,
                             .flags = (uint32_t)fuzz_u64(&in, 1) % 2,
                             .kinds = KINDS,
                             .n = n,
                             .most = (uint32_t)fuzz_u64(&in, 1) % 16,
                             .entitlement = p.bound[0],
                             .slack = p.bound[1],
                             .reservation = p.bound[2],
                             .controllers = p.bound[3],
                             .held = p.held,
                             .need = p.need,
                             .tasks = p.tasks,
                             .priority = p.priority,
                             .kind = p.kind,
                             .line = p.line,
                             .state = p.state};
    sked_admit_result result = {.struct_size = sizeof result,
                                .outcome = outcome,
                                .line = line,
                                .order = order,
                                .held = held};

    memset(&p, 0, sizeof p);
    read_pool(&p, &in, n);
    if (fuzz_more(&in)) must_bound(&in);
    if (fuzz_more(&in)) must_bound_apps(&in);
    sked_status rc = sked_admit(&pool, NULL, &result, NULL);
    for (uint32_t i = 0; i < n; i++) {
        if (p.kind[i] < 8 && p.line[i] < 4) continue;
        MUST(rc == SKED_ERR_ARG);
        return 0;
    }
    MUST(rc == SKED_OK);
    must_hold(&p, &result, outcome, order, held, n);
    return 0;
}
