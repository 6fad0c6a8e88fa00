/* Admission to a pool: what became of each gang, who waits where, what is
 * held. */
#include <sched/admit.h>

#include <stdlib.h>

#include "case.h"

enum { LINES = 4, MOST_KINDS = 8 };

/* A column of small numbers. */
static void *narrow(vec_case *c, const char *name, size_t size)
{
    size_t n;
    const int64_t *wide = vec_numbers(c, name, &n);
    uint8_t *bytes = vec_room(n, size);
    uint32_t *words = (uint32_t *)(void *)bytes;

    for (size_t i = 0; i < n; i++) {
        if (size == 1)
            bytes[i] = (uint8_t)wide[i];
        else
            words[i] = (uint32_t)wide[i];
    }
    return bytes;
}

/* Numbers of the answer, behind each other. */
static void count_waiting(const sked_admit_input *in,
                          const sked_admit_result *out, int64_t *got)
{
    got[0] = out->admitted;
    for (uint32_t i = 0; i < out->waiting; i++) {
        uint32_t row = out->order[out->admitted + i];
        got[1 + out->line[row]]++;
        for (uint32_t k = 0; k < in->kinds; k++) {
            got[1 + LINES + SKED_ADMIT_HELD_SUMS * in->kinds + k] +=
                in->need[row * in->kinds + k];
        }
    }
}

static int run_admit(vec_case *c)
{
    size_t m, n = (size_t)vec_number(c, "n", 0);
    uint32_t kinds = (uint32_t)vec_number(c, "kinds", 1);
    size_t rest = 1 + LINES + (SKED_ADMIT_HELD_SUMS + 1) * (size_t)kinds;
    int64_t *got = vec_room(rest + n, sizeof *got);
    uint8_t *kind = narrow(c, "kind", 1), *line = narrow(c, "line", 1);
    uint8_t *state = narrow(c, "state", 1), *outcome = vec_room(n, 1);
    uint8_t *after = vec_room(n, 1);
    uint32_t *tasks = narrow(c, "tasks", 4), *order = vec_room(n, 4);
    int32_t *priority = narrow(c, "priority", 4);
    sked_admit_input in = {
        .struct_size = sizeof in,
        .flags = (uint32_t)vec_number(c, "flags", 0),
        .kinds = kinds,
        .n = (uint32_t)n,
        .most = (uint32_t)vec_number(c, "most", 0),
        .entitlement = vec_numbers(c, "entitlement", &m),
        .slack = vec_numbers(c, "slack", &m),
        .reservation = vec_numbers(c, "reservation", &m),
        .controllers = vec_numbers(c, "controllers", &m),
        .held = vec_numbers(c, "held", &m),
        .need = vec_numbers(c, "need", &m),
        .tasks = tasks,
        .priority = priority,
        .kind = kind,
        .line = line,
        .state = state,
    };
    sked_admit_result out = {.struct_size = sizeof out,
                             .outcome = outcome,
                             .line = after,
                             .order = order,
                             .held = got + 1 + LINES};
    sked_error err;
    sked_status rc = sked_admit(&in, NULL, &out, &err);
    int said = vec_fail(c, rc == SKED_OK ? "" : err.message);
    if (rc == SKED_OK) {
        count_waiting(&in, &out, got);
        for (size_t i = 0; i < n; i++) got[rest + i] = outcome[i];
        said = vec_judge(c, "want", got, rest + n);
    }
    void *const rooms[] = {got,   kind,  line,  state,   outcome,
                           after, tasks, order, priority};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) free(rooms[i]);
    return said;
}

/* Bounds of users, which of them may have more, what they want within them. */
static int run_users(vec_case *c)
{
    size_t m, n = (size_t)vec_number(c, "n", 0);
    uint32_t kinds = (uint32_t)vec_number(c, "kinds", 1);
    size_t rows = n * (size_t)kinds, all = rows + n + (size_t)kinds;
    int64_t *got = vec_room(all, sizeof *got);
    int64_t *within = vec_room(rows, sizeof *within);
    uint32_t *weight = narrow(c, "weight", 4);
    uint8_t *may = vec_room(n, 1);
    sked_admit_users_input in = {
        .struct_size = sizeof in,
        .kinds = kinds,
        .n = n,
        .part_ppm = vec_number(c, "part", 0),
        .factor_ppm = vec_number(c, "factor", SKED_UNLIMITED),
        .guarantee = vec_numbers(c, "guarantee", &m),
        .limit = vec_numbers(c, "limit", &m),
        .step = vec_numbers(c, "step", &m),
        .used = vec_numbers(c, "used", &m),
        .wanted = vec_numbers(c, "wanted", &m),
        .weight = weight,
    };
    sked_admit_users_result out = {
        .struct_size = sizeof out, .bound = got, .wanted = within, .may = may};
    sked_error err;
    sked_status rc = sked_admit_users(&in, &out, &err);
    int said = vec_fail(c, rc == SKED_OK ? "" : err.message);
    if (rc == SKED_OK) {
        for (size_t i = 0; i < n; i++) got[rows + i] = may[i];
        for (size_t i = 0; i < rows; i++) {
            got[rows + n + i % kinds] += within[i];
        }
        said = vec_judge(c, "want", got, all);
    }
    free(got);
    free(within);
    free(weight);
    free(may);
    return said;
}

/* How many applications a leaf and one user may have. */
static int run_app_bounds(vec_case *c)
{
    sked_admit_apps_input in = {
        .struct_size = sizeof in,
        .total = vec_number(c, "total", 0),
        .part = {vec_number(c, "num", 0), vec_number(c, "den", 1)},
        .leaf = vec_number(c, "leaf", SKED_UNSET),
        .part_ppm = vec_number(c, "part", 0),
        .factor_ppm = vec_number(c, "factor", SKED_UNLIMITED)};
    sked_admit_apps_result out = {.struct_size = sizeof out};
    sked_error err;

    if (sked_admit_apps(&in, &out, &err) != SKED_OK) {
        return vec_fail(c, err.message);
    }
    const int64_t got[] = {out.leaf, out.user};
    return vec_judge(c, "want", got, 2);
}

/* What masters of a leaf and of one user may hold. */
static int run_master_bounds(vec_case *c)
{
    size_t m;
    uint32_t kinds = (uint32_t)vec_number(c, "kinds", 1);
    int64_t got[2 * SKED_MAX_KINDS];
    sked_admit_masters_input in = {
        .struct_size = sizeof in,
        .kinds = kinds,
        .guarantee = vec_numbers(c, "guarantee", &m),
        .limit = vec_numbers(c, "limit", &m),
        .step = vec_numbers(c, "step", &m),
        .share_ppm = vec_number(c, "share", 0),
        .part_ppm = vec_number(c, "part", 0),
        .factor_ppm = vec_number(c, "factor", SKED_UNLIMITED),
        .active = (uint32_t)vec_number(c, "active", 0),
        .weight = (uint32_t)vec_number(c, "weight", 1)};
    sked_admit_masters_result out = {
        .struct_size = sizeof out, .leaf = got, .user = got + kinds};
    sked_error err;

    if (sked_admit_masters(&in, &out, &err) != SKED_OK) {
        return vec_fail(c, err.message);
    }
    return vec_judge(c, "want", got, 2 * (size_t)kinds);
}

const vec_runner vec_run_admit[] = {
    {"admit", run_admit},
    {"users", run_users},
    {"app_bounds", run_app_bounds},
    {"master_bounds", run_master_bounds},
    {NULL, NULL},
};
