/*
 * One decision: the best cluster and the next best.
 *
 * Scores are computed in doubles first. Where two differ by more than rounding
 * errors can add up to, the order is certain; else both scores are compared
 * exactly, as fractions. So doubles never decide; they only save most
 * comparisons of 128 and 192 bits.
 */
#include "route/clusters.h"

#define NO_ROW UINT32_MAX

/* A thousand times the relative error that the few roundings can add up to. */
static const double pick_error = 1e-12;

/* What of a job decides between clusters. */
typedef struct route_ask {
    const skedi_route_view *view;
    const int64_t *request;
    const int64_t *available; /* of the first cluster, as the policy reads it */
    size_t step;              /* to the next cluster's */
    const uint32_t *missing;  /* by cluster; NULL: no cost */
    uint32_t kind[SKED_MAX_KINDS]; /* asked for */
    uint32_t n;
} route_ask;

/* A cluster that may be the best. */
typedef struct route_rival {
    uint32_t row;
    int known;    /* 1: `score` is computed */
    double value; /* the score as a double */
    double size;  /* the magnitude of its terms, which bounds its error */
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

/* Can some node there ever hold one instance? */
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

/* What the score divides by; above 0 for whatever fits. */
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

/* The score before its cost, as a double. No branch depends on the figures,
 * since it could not be predicted. */
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

/* num * 10^12 - cost * den, which is the score times 10^12 * den. */
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

/* Is `x` to be taken before `y`? */
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

/* The two best so far. */
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

/* Finds the two best of all eligible clusters, most of which are certainly
 * worse than the next best so far. Returns how many are eligible. */
static uint32_t compare_all(const route_ask *ask, route_best *at)
{
    const skedi_route_view *v = ask->view;
    int all = !v->shape_from && fits_in(ask, v->smallest); /* mostly so */
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

sked_route_answer skedi_route_pick(const skedi_route_view *v, sked_time now,
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
