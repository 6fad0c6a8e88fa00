/*
 * A decision: the best cluster and the next best.
 *
 * Scores are computed in doubles first. If two scores differ by more than the
 * possible sum of rounding errors, their order is certain. Otherwise both
 * scores are compared exactly, as fractions. Doubles never decide; they only
 * save most comparisons of 128 and 192 bits.
 */
#include <sched/route.h>

#include <string.h>

#include "base/fail.h"
#include "base/hooks.h"
#include "base/sort.h"
#include "route/clusters.h"

/*
 * Splits a cluster rack by rack: the machines are in the order of their racks,
 * and every part takes each parts-th machine. Machines of a rack are neighbours
 * in this order, so two parts differ by at most one machine of the rack.
 */

enum { STRIPE_PARTS = 65536 };

/* Adds a rack of `n` machines to the parts that get a machine of the rack;
 * `first` is the part of the first machine. */
static void rack_reached(uint32_t *reach, uint32_t parts, uint32_t first,
                         uint32_t n)
{
    for (uint32_t p = 0; p < parts && p < n; p++) {
        reach[(first + p) % parts] += n;
    }
}

static void deal_out(const skedi_keyed *order, uint32_t n, uint32_t parts,
                     uint32_t *part, uint32_t *reach)
{
    uint32_t from = 0;

    for (uint32_t p = 0; reach && p < parts; p++) reach[p] = 0;
    for (uint32_t i = 0; i < n; i++) {
        part[order[i].index] = i % parts;
        if (i + 1 < n && order[i + 1].key == order[i].key) continue;
        if (reach) rack_reached(reach, parts, from % parts, i + 1 - from);
        from = i + 1;
    }
}

sked_status sked_route_stripe(const uint32_t *rack, size_t n, uint32_t parts,
                              const sked_host *host, uint32_t *part,
                              uint32_t *reach, sked_error *err)
{
    skedi_hooks hooks;

    const char *missing = n && !rack ? "rack" : n && !part ? "part" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (parts < 1 || parts > STRIPE_PARTS || n > INT32_MAX) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "too many, or no parts");
    }
    sked_status rc = skedi_hooks_in(&hooks, host, err);
    if (rc != SKED_OK) return rc;
    skedi_keyed *order = skedi_new(&hooks.mem, n, 2 * sizeof *order);
    if (!order) return skedi_fail_memory(err);
    for (uint32_t i = 0; i < n; i++) order[i] = (skedi_keyed){rack[i], i, 0};
    skedi_sort_keys(order, order + n, n);
    deal_out(order, (uint32_t)n, parts, part, reach);
    skedi_free(&hooks.mem, order, n, 2 * sizeof *order);
    return SKED_OK;
}

/* Checks every invariant of a router against its columns. */

/* True if x is between the least amount and the cluster's capacity. */
static int stays_within(int64_t x, int64_t capacity)
{
    return x >= -SKED_AMOUNT_MAX && x <= capacity;
}

/* Checks a cluster: capacity, available amounts, available amounts by queue. */
static const char *cluster_fault(const sked_route *router, uint32_t row)
{
    const skedi_clusters *c = &router->clusters;
    size_t kinds = router->view.kinds;

    if (c->id[row] == SKED_ROUTE_NO_CLUSTER) return "an id is 0";
    if (row > 0 && c->id[row - 1] >= c->id[row]) return "ids do not ascend";
    if (c->shape_from[row] > c->shape_from[row + 1])
        return "offsets of shapes go down";
    for (size_t k = 0; k < kinds; k++) {
        int64_t capacity = c->capacity[row * kinds + k];
        if (capacity < 0 || capacity > SKED_AMOUNT_MAX)
            return "a capacity is out of range";
        for (size_t q = 0; q <= c->queues; q++) {
            int64_t x = q == 0
                            ? c->available[row * kinds + k]
                            : c->in_queue[((q - 1) * c->n + row) * kinds + k];
            if (!stays_within(x, capacity))
                return "what is available is out of range";
            if (x < router->lowest[k]) return "less is available than is noted";
        }
    }
    return NULL;
}

/* Checks the sums over all clusters. */
static const char *totals_fault(const sked_route *router)
{
    skedi_route_view anew = router->view;
    uint32_t bad = 0;

    if (!skedi_route_totals(&anew, &bad))
        return "capacities add up to too much";
    for (uint32_t k = 0; k < anew.kinds; k++) {
        if (anew.total[k] != router->view.total[k] ||
            anew.smallest[k] != router->view.smallest[k]) {
            return "a sum of capacities is wrong";
        }
    }
    return NULL;
}

sked_status sked_route_check(const sked_route *router, sked_error *err)
{
    if (!router) return skedi_fail_null(err, "router");
    const skedi_clusters *c = &router->clusters;
    const char *what = NULL;
    uint32_t row = 0;

    if (c->n != router->view.n) what = "the view is of other clusters";
    while (!what && row < c->n) what = cluster_fault(router, row++);
    if (!what && c->n) {
        row = 0;
        what = totals_fault(router);
        if (c->shape_from[0] || c->shape_from[c->n] != c->n_shapes)
            what = "shapes are not all of clusters";
    }
    if (!what) return SKED_OK;
    return skedi_fail(err, SKED_ERR_INTERNAL, what,
                      (skedi_fault){.row = (int64_t)row});
}

#define NO_ROW UINT32_MAX

/* A thousand times the largest relative error of the few roundings. */
static const double pick_error = 1e-12;

/* The properties of a job that decide between clusters. */
typedef struct route_ask {
    const skedi_route_view *view;
    const int64_t *request;
    const int64_t *available;      /* first cluster's, by the policy */
    size_t step;                   /* to the next cluster's */
    const uint32_t *missing;       /* by cluster; NULL: no cost */
    uint32_t kind[SKED_MAX_KINDS]; /* asked for */
    uint32_t n;
} route_ask;

/* A cluster that may be the best. */
typedef struct route_rival {
    uint32_t row;
    int known;    /* 1: `score` is computed */
    double value; /* the score as a double */
    double size;  /* magnitude of the terms; bounds the error */
    sked_route_score score;
} route_rival;

static route_ask ask_of(const skedi_route_view *v, const sked_route_jobs *jobs,
                        uint32_t i)
{
    size_t queue = jobs->queue ? jobs->queue[i] : 0;
    route_ask ask = {.view = v,
                     .request = jobs->request + (size_t)i * v->kinds,
                     .available = v->available,
                     .step = v->kinds};

    if (v->opts.policy == SKED_ROUTE_POLICY_QUEUE_ABSOLUTE && v->in_queue) {
        ask.available = v->in_queue + queue * v->queue_step;
        ask.step = v->cluster_step;
    }
    if (v->opts.policy == SKED_ROUTE_POLICY_LOCALITY && jobs->missing) {
        ask.missing = jobs->missing + (size_t)i * v->n;
    }
    for (uint32_t k = 0; k < v->kinds; k++) {
        if (ask.request[k] > 0) ask.kind[ask.n++] = k;
    }
    return ask;
}

static int fits_in(const route_ask *ask, const int64_t *node)
{
    int fits = 1;

    for (uint32_t a = 0; a < ask->n; a++) {
        fits &= ask->request[ask->kind[a]] <= node[ask->kind[a]];
    }
    return fits;
}

/* True if some node of the cluster can ever hold an instance. */
static int is_eligible(const route_ask *ask, uint32_t row)
{
    const skedi_route_view *v = ask->view;

    if (!fits_in(ask, v->capacity + (size_t)row * v->kinds)) return 0;
    if (!v->shape_from) return 1;
    for (uint32_t s = v->shape_from[row]; s < v->shape_from[row + 1]; s++) {
        if (fits_in(ask, v->shapes + (size_t)s * v->kinds)) return 1;
    }
    return 0;
}

/* The divisor of the score; above 0 for every job that fits. */
static int64_t divisor(const skedi_route_view *v, uint32_t row, uint32_t kind)
{
    if (v->opts.policy != SKED_ROUTE_POLICY_RELATIVE) return v->total[kind];
    return v->capacity[(size_t)row * v->kinds + kind];
}

static int64_t cost_of(const route_ask *ask, uint32_t row)
{
    if (!ask->missing) return 0;
    return ask->missing[row] * ask->view->opts.locality_weight_ppm;
}

/* The score before its cost, as a double. The loop has no branch on the
 * figures, because such a branch would be unpredictable. */
static double guess_least(const route_ask *ask, const int64_t *available,
                          uint32_t row)
{
    const skedi_route_view *v = ask->view;
    const int64_t *capacity = v->capacity + (size_t)row * v->kinds;
    int relative = v->opts.policy == SKED_ROUTE_POLICY_RELATIVE;
    double least = ask->n ? 1e300 : 0;

    for (uint32_t a = 0; a < ask->n; a++) {
        uint32_t k = ask->kind[a];
        double part = (double)available[k];
        if (relative)
            part /= (double)capacity[k];
        else
            part *= v->inverse[k];
        least = part < least ? part : least;
    }
    return least;
}

/* The sign of a / of_a - b / of_b. */
static int compare_parts(int64_t a, int64_t of_a, int64_t b, int64_t of_b)
{
    if (a < 0 && b < 0) {
        return skedi_cmp_mul((uint64_t)-b, (uint64_t)of_a, (uint64_t)-a,
                             (uint64_t)of_b);
    }
    if (a < 0 || b < 0) return a < 0 ? -1 : 1;
    return skedi_cmp_mul((uint64_t)a, (uint64_t)of_b, (uint64_t)b,
                         (uint64_t)of_a);
}

static sked_route_score route_score_of(const route_ask *ask, uint32_t row)
{
    const skedi_route_view *v = ask->view;
    const int64_t *available = ask->available + row * ask->step;
    sked_route_score score = {.den = 1, .cost = cost_of(ask, row), .kind = -1};

    for (uint32_t a = 0; a < ask->n; a++) {
        uint32_t k = ask->kind[a];
        int64_t den = divisor(v, row, k);
        if (a == 0 ||
            compare_parts(available[k], den, score.num, score.den) < 0) {
            score.num = available[k];
            score.den = den;
            score.kind = (int32_t)k;
        }
    }
    return score;
}

/* num * 10^12 - cost * den: the score times 10^12 * den. */
static skedi_i128 scaled_score(const sked_route_score *x)
{
    skedi_i128 had = skedi_i128_scale(skedi_i128_of(x->num),
                                      INT64_C(1000000000000));

    return skedi_i128_sub(had,
                          skedi_i128_scale(skedi_i128_of(x->cost), x->den));
}

static int compare_scores(const sked_route_score *x, const sked_route_score *y)
{
    if (x->cost == y->cost) {
        return compare_parts(x->num, x->den, y->num, y->den);
    }
    skedi_i128 a = scaled_score(x), b = scaled_score(y);
    int sign = skedi_i128_sign(a), other = skedi_i128_sign(b);
    if (sign != other) return sign > other ? 1 : -1;
    int larger = skedi_u192_cmp(
        skedi_u192_mul(skedi_i128_magnitude(a), (uint64_t)y->den),
        skedi_u192_mul(skedi_i128_magnitude(b), (uint64_t)x->den));
    return sign < 0 ? -larger : larger;
}

/* True if `x` ranks before `y`. */
static int is_better(const route_ask *ask, route_rival *x, route_rival *y)
{
    if (y->row == NO_ROW) return 1;
    double ahead = x->value - y->value,
           doubt = (x->size + y->size) * pick_error;
    if (ahead > doubt) return 1;
    if (ahead < -doubt) return 0;
    if (!x->known) x->score = route_score_of(ask, x->row);
    if (!y->known) y->score = route_score_of(ask, y->row);
    x->known = y->known = 1;
    int order = compare_scores(&x->score, &y->score);
    if (order != 0) return order > 0;
    return route_id(ask->view, x->row) < route_id(ask->view, y->row);
}

static int64_t age_of(const skedi_route_view *v, uint32_t row, sked_time now)
{
    sked_time then = v->time ? v->time[row] : 0;
    int64_t age;

    if (skedi_i64_sub(now, then, &age)) return age;
    return now > then ? INT64_MAX : INT64_MIN;
}

/* The two best clusters up to now. */
typedef struct route_best {
    route_rival best;
    route_rival next;
} route_best;

static void take_if_better(const route_ask *ask, route_best *at,
                           route_rival rival)
{
    if (is_better(ask, &rival, &at->best)) {
        at->next = at->best;
        at->best = rival;
    } else if (is_better(ask, &rival, &at->next)) {
        at->next = rival;
    }
}

/* Finds the two best of all eligible clusters. Most clusters are certainly
 * worse than the next best up to now. Returns the number of eligible
 * clusters. */
static uint32_t compare_all(const route_ask *ask, route_best *at)
{
    const skedi_route_view *v = ask->view;
    int all = !v->shape_from && fits_in(ask, v->smallest); /* the common case */
    uint32_t eligible = 0;

    for (uint32_t c = 0; c < v->n; c++) {
        if (!all && !is_eligible(ask, c)) continue;
        double least = guess_least(ask, ask->available + c * ask->step, c);
        double cost = (double)cost_of(ask, c) * 1e-12;
        double size = (least < 0 ? -least : least) + cost;
        eligible++;
        if (at->next.row != NO_ROW &&
            least - cost <
                at->next.value - (size + at->next.size) * pick_error) {
            continue;
        }
        take_if_better(
            ask, at,
            (route_rival){.row = c, .value = least - cost, .size = size});
    }
    return eligible;
}

static uint32_t count_stale(const route_ask *ask, sked_time now)
{
    const skedi_route_view *v = ask->view;
    uint32_t stale = 0;

    for (uint32_t c = 0; v->opts.max_age_ns > 0 && c < v->n; c++) {
        stale += age_of(v, c, now) > v->opts.max_age_ns && is_eligible(ask, c);
    }
    return stale;
}

/* Picks the cluster of job `i`; `*row` is the cluster's row, or NO_ROW. */
static sked_route_answer route_pick(const skedi_route_view *v, sked_time now,
                                    const sked_route_jobs *jobs, uint32_t i,
                                    uint32_t *row)
{
    route_ask ask = ask_of(v, jobs, i);
    route_best at = {{.row = NO_ROW}, {.row = NO_ROW}};
    sked_route_answer answer = {.cluster = SKED_ROUTE_NO_CLUSTER};

    answer.eligible = compare_all(&ask, &at);
    answer.stale = count_stale(&ask, now);
    *row = at.best.row;
    if (at.best.row == NO_ROW) return answer;
    answer.cluster = route_id(v, at.best.row);
    answer.score = route_score_of(&ask, at.best.row);
    answer.age_ns = age_of(v, at.best.row, now);
    if (at.next.row == NO_ROW) return answer;
    answer.runner_up = route_id(v, at.next.row);
    answer.runner_score = route_score_of(&ask, at.next.row);
    return answer;
}

/*
 * Routes jobs to clusters: through a handle, with or without charges, and on a
 * caller's columns. A stopped call gives back all charges. The largest possible
 * charge is checked before the call begins. No amount therefore leaves its
 * range, and giving back is exact.
 */

enum { JOBS_PER_CHECK = 64 };

static int64_t instances_of(const sked_route_jobs *jobs, uint32_t i)
{
    return jobs->instances ? jobs->instances[i] : 1;
}

/* Changes an available amount, and updates the least amount of its kind. */
static void change_available(sked_route *router, size_t kind,
                             int64_t *available, int64_t by)
{
    *available += by;
    router->lowest[kind] = skedi_i64_min(router->lowest[kind], *available);
}

/* Charges a job's request to its cluster (`sign` -1), or gives the request
 * back. */
static void charge_job(sked_route *router, const sked_route_jobs *jobs,
                       uint32_t i, uint32_t row, int64_t sign)
{
    skedi_clusters *c = &router->clusters;
    size_t kinds = router->view.kinds, queue = jobs->queue ? jobs->queue[i] : 0;
    const int64_t *request = jobs->request + i * kinds;
    int64_t times = sign * instances_of(jobs, i);

    for (size_t k = 0; k < kinds; k++) {
        int64_t all = times * request[k];
        change_available(router, k, &c->available[row * kinds + k], all);
        if (c->queues) {
            size_t cell = (queue * c->n + row) * kinds + k;
            change_available(router, k, &c->in_queue[cell], all);
        }
    }
}

/* Checks that amounts stay in range even if one cluster gets all jobs. */
static sked_status check_charges(const sked_route *router,
                                 const sked_route_jobs *jobs, sked_error *err)
{
    size_t kinds = router->view.kinds;

    for (size_t k = 0; k < kinds; k++) {
        int64_t lowest = router->lowest[k];
        for (uint32_t i = 0; i < jobs->n; i++) {
            lowest -= instances_of(jobs, i) * jobs->request[i * kinds + k];
            if (lowest >= -SKED_AMOUNT_MAX) continue;
            return skedi_fail(
                err, SKED_ERR_RANGE, "more than can be charged",
                (skedi_fault){.row = (int64_t)i + 1, .kind = (int32_t)k + 1});
        }
    }
    return SKED_OK;
}

static void uncharge(sked_route *router, const sked_route_jobs *jobs,
                     const sked_route_answer *answers, uint32_t n)
{
    const skedi_clusters *c = &router->clusters;

    while (n-- > 0) {
        uint32_t row = 0;
        if (answers[n].cluster == SKED_ROUTE_NO_CLUSTER) continue;
        while (c->id[row] != answers[n].cluster) row++;
        charge_job(router, jobs, n, row, 1);
    }
}

/* Routes every job; charges `charged`, unless `charged` is NULL. */
static sked_status route_jobs(const sked_route *router, sked_route *charged,
                              sked_time now, const sked_route_jobs *jobs,
                              sked_route_answer *answers, sked_error *err)
{
    sked_status rc = SKED_OK, said = SKED_OK;

    for (uint32_t i = 0; i < jobs->n; i++) {
        uint32_t row;
        if (i % JOBS_PER_CHECK == 0) {
            said = skedi_hooks_check(&router->hooks, i, jobs->n);
        }
        if (said != SKED_OK) {
            if (charged) uncharge(charged, jobs, answers, i);
            return skedi_fail_stopped(err, said);
        }
        answers[i] = route_pick(&router->view, now, jobs, i, &row);
        if (answers[i].stale) rc = SKED_STALE;
        if (charged && answers[i].cluster != SKED_ROUTE_NO_CLUSTER) {
            charge_job(charged, jobs, i, row, -1);
        }
    }
    return rc;
}

/* Checks the jobs of a call; reads the clock if the host passed no time. */
static sked_status decide_in(const sked_route *router,
                             const sked_route_jobs *jobs,
                             const sked_route_answer *answers, sked_time *now,
                             sked_route_jobs *in, sked_error *err)
{
    const char *missing = !router    ? "router"
                          : !jobs    ? "jobs"
                          : !answers ? "answers"
                                     : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_hooks_now(&router->hooks, now, err);
    if (rc == SKED_OK) rc = skedi_route_jobs_in(in, &router->view, jobs, err);
    return rc;
}

sked_status sked_route_decide(const sked_route *router,
                              const sked_route_jobs *jobs, sked_time now,
                              sked_route_answer *answers, sked_error *err)
{
    sked_route_jobs in;

    sked_status rc = decide_in(router, jobs, answers, &now, &in, err);
    if (rc == SKED_OK) rc = route_jobs(router, NULL, now, &in, answers, err);
    return rc;
}

sked_status sked_route_charge(sked_route *router, const sked_route_jobs *jobs,
                              sked_time now, sked_route_answer *answers,
                              sked_error *err)
{
    int64_t lowest[SKED_MAX_KINDS];
    sked_route_jobs in;
    sked_status rc = decide_in(router, jobs, answers, &now, &in, err);

    if (rc == SKED_OK) rc = check_charges(router, &in, err);
    if (rc != SKED_OK) return rc;
    memcpy(lowest, router->lowest, sizeof lowest);
    rc = route_jobs(router, router, now, &in, answers, err);
    if (rc < 0) memcpy(router->lowest, lowest, sizeof lowest);
    return rc;
}

/* The view of the caller's columns; the columns are valid. */
static skedi_route_view view_of_snapshot(const sked_route_input *in,
                                         const sked_route_options *opts)
{
    size_t kinds = opts->kinds;

    return (skedi_route_view){
        .n = (uint32_t)in->n,
        .kinds = opts->kinds,
        .queues = in->in_queue ? (uint32_t)in->queues : 0,
        .id = in->id,
        .time = in->time,
        .capacity = in->capacity,
        .available = in->available,
        .in_queue = in->in_queue ? in->in_queue : in->available,
        .queue_step = in->in_queue ? kinds : 0,
        .cluster_step = in->in_queue ? (size_t)in->queues * kinds : kinds,
        .shape_from = in->shape_from,
        .shapes = in->shapes,
        .opts = *opts,
    };
}

sked_status sked_route_once(const sked_route_input *input,
                            const sked_route_jobs *jobs, sked_time now,
                            const sked_route_options *options,
                            const sked_host *host, sked_route_answer *answers,
                            sked_error *err)
{
    sked_route_options taken;
    sked_route_input in;
    sked_route_jobs asked;
    uint32_t bad = 0;
    skedi_hooks hooks;

    const char *missing = !input     ? "input"
                          : !jobs    ? "jobs"
                          : !answers ? "answers"
                                     : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_hooks_in(&hooks, host, err);
    if (rc == SKED_OK) rc = skedi_hooks_now(&hooks, &now, err);
    if (rc == SKED_OK) rc = skedi_route_options_in(&taken, options, err);
    if (rc == SKED_OK) rc = skedi_snapshot_in(&in, input, taken.kinds, err);
    if (rc == SKED_OK) rc = skedi_route_ids_once(&in, err);
    if (rc != SKED_OK) return rc;
    skedi_route_view view = view_of_snapshot(&in, &taken);
    if (!skedi_route_totals(&view, &bad)) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "the clusters add up to more",
            (skedi_fault){.kind = (int32_t)bad + 1, .limit = SKED_AMOUNT_MAX});
    }
    rc = skedi_route_jobs_in(&asked, &view, jobs, err);
    if (rc != SKED_OK) return rc;
    for (uint32_t i = 0; i < asked.n; i++) {
        uint32_t row;
        answers[i] = route_pick(&view, now, &asked, i, &row);
        if (answers[i].stale) rc = SKED_STALE;
    }
    return rc;
}
