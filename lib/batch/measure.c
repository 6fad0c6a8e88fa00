/*
 * Use over time, and its metrics. Starts and ends, sorted by time, give the
 * steps of use. Every metric is a sum over steps, so every metric of whole
 * ticks is an exact fraction.
 */
#include "batch/measure.h"

#include "base/arith.h"
#include "base/fail.h"
#include "base/hooks.h"
#include "base/sort.h"
#include "base/versioned.h"

SKEDI_NO_TAIL_PADDING(sked_batch_rule, theta_ppm);
SKEDI_NO_TAIL_PADDING(sked_batch_span, slots);
SKEDI_NO_TAIL_PADDING(sked_batch_metrics, tail_overhead);

enum { BATCH_RULE_V1 = SKEDI_SIZE_THROUGH(sked_batch_rule, theta_ppm) };

/* ---- Steps ---- */

/* Memory for `n` spans: 2 * n steps, and scratch for sorting. */
typedef struct use_steps {
    skedi_keyed *key; /* 4 * n */
    sked_batch_step *step;
    size_t n;
    size_t spans;
} use_steps;

static void steps_drop(use_steps *use, skedi_mem *mem)
{
    skedi_free(mem, use->key, 4 * use->spans, sizeof *use->key);
    skedi_free(mem, use->step, 2 * use->spans, sizeof *use->step);
}

/* Finds use at each moment something starts or ends; on failure nothing is
 * held. */
static sked_status find_steps(use_steps *use, const sked_batch_span *spans,
                              size_t n, skedi_mem *mem)
{
    int64_t slots = 0;

    use->n = 0;
    use->spans = n;
    use->key = skedi_new(mem, 4 * n, sizeof *use->key);
    use->step = skedi_new(mem, 2 * n, sizeof *use->step);
    if (!use->key || !use->step) {
        steps_drop(use, mem);
        return SKED_ERR_NOMEM;
    }
    for (size_t i = 0; i < n; i++) {
        use->key[2 * i] = (skedi_keyed){(uint64_t)spans[i].start, (uint32_t)i,
                                        1};
        use->key[2 * i + 1] = (skedi_keyed){(uint64_t)spans[i].end, (uint32_t)i,
                                            0};
    }
    skedi_sort_keys(use->key, use->key + 2 * n, 2 * n);
    for (size_t i = 0; i < 2 * n; i++) {
        int64_t change = spans[use->key[i].index].slots;
        slots += use->key[i].tag ? change : -change;
        if (i + 1 < 2 * n && use->key[i + 1].key == use->key[i].key) continue;
        use->step[use->n++] = (sked_batch_step){(int64_t)use->key[i].key,
                                                slots};
    }
    return SKED_OK;
}

/* Removes steps that do not change the use. */
static void merge_steps(use_steps *use)
{
    size_t n = 0;
    int64_t before = 0;

    for (size_t i = 0; i < use->n; i++) {
        if (use->step[i].slots == before) continue;
        before = use->step[i].slots;
        use->step[n++] = use->step[i];
    }
    use->n = n;
}

/* ---- t-hat ---- */

static int64_t last_start(const sked_batch_span *spans, size_t n)
{
    int64_t at = 0;

    for (size_t i = 0; i < n; i++) at = skedi_i64_max(at, spans[i].start);
    return at;
}

/* The end of the last piece with theta of the slots in use. */
static int64_t last_above(const use_steps *use, const sked_batch_rule *rule)
{
    int64_t least = rule->theta_ppm * (int64_t)rule->slots;

    for (size_t i = use->n; i-- > 0;) {
        if (use->step[i].slots * SKED_PPM >= least) return use->step[i + 1].at;
    }
    return 0;
}

/* The use until `at`, in slots times ticks. */
static int64_t used_until(const use_steps *use, int64_t at)
{
    int64_t used = 0;

    for (size_t i = 0; i + 1 < use->n && use->step[i].at < at; i++) {
        int64_t to = skedi_i64_min(use->step[i + 1].at, at);
        used += use->step[i].slots * (to - use->step[i].at);
    }
    return used;
}

/* The time at which mean use before, less mean use after, is largest. */
static int64_t steepest_fall(const use_steps *use)
{
    const uint64_t unit = (uint64_t)1 << 30;
    int64_t end = use->step[use->n - 1].at, used = 0, best = INT64_MIN;
    int64_t all = used_until(use, end), found = 0;
    uint64_t rem;

    for (size_t i = 0; i + 1 < use->n; i++) {
        int64_t at = use->step[i].at;
        if (i > 0) used += use->step[i - 1].slots * (at - use->step[i - 1].at);
        if (at == 0) continue;
        int64_t fall = (int64_t)skedi_muldiv((uint64_t)used, unit, (uint64_t)at,
                                             &rem) -
                       (int64_t)skedi_muldiv((uint64_t)(all - used), unit,
                                             (uint64_t)(end - at), &rem);
        if (fall <= best) continue;
        best = fall;
        found = at;
    }
    return found;
}

/* ---- Metrics ---- */

/* Twice the median time. */
static uint64_t median_twice(use_steps *use, const sked_batch_span *spans)
{
    size_t n = use->spans;

    for (size_t i = 0; i < n; i++) {
        uint64_t ticks = (uint64_t)(spans[i].end - spans[i].start);
        use->key[i] = (skedi_keyed){ticks, 0, 0};
    }
    skedi_sort_keys(use->key, use->key + n, n);
    return use->key[(n - 1) / 2].key + use->key[n / 2].key;
}

/* The tail over the median time, both doubled. If a doubled number needs bit
 * 63, both are halved. Both are even then, because only one task alone can take
 * so long. */
static sked_ratio overhead_of(int64_t tail, uint64_t twice)
{
    uint64_t num = 2 * (uint64_t)tail, by = (num | twice) >> 63 ? 2 : 1;

    return (sked_ratio){(int64_t)(num / by), (int64_t)(twice / by)};
}

sked_status skedi_batch_measure_spans(const sked_batch_span *spans, size_t n,
                                      const sked_batch_rule *rule,
                                      skedi_mem *mem, sked_batch_metrics *m)
{
    use_steps use;
    sked_status rc = find_steps(&use, spans, n, mem);

    if (rc != SKED_OK) return rc;
    int64_t end = use.step[use.n - 1].at, hat = last_start(spans, n);
    if (rule->tail == SKED_BATCH_TAIL_THRESHOLD) hat = last_above(&use, rule);
    if (rule->tail == SKED_BATCH_TAIL_KNEE) hat = steepest_fall(&use);
    int64_t slots = rule->slots, main = used_until(&use, hat);
    m->makespan = end;
    m->t_hat = hat;
    m->tail = end - hat;
    m->capacity = used_until(&use, end);
    m->pure_cpu = hat ? (sked_ratio){main, slots * hat} : (sked_ratio){1, 1};
    m->tail_cpu = m->tail ? (sked_ratio){m->capacity - main, slots * m->tail}
                          : (sked_ratio){0, 1};
    m->tail_overhead = overhead_of(m->tail, median_twice(&use, spans));
    steps_drop(&use, mem);
    return SKED_OK;
}

/* ---- Callers' spans ---- */

static sked_status spans_in(const sked_batch_span *spans, size_t n,
                            uint32_t slots, sked_error *err)
{
    if (n < 1 || n > SKED_MAX_QUEUES) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "no spans, or too many");
    }
    for (size_t i = 0; i < n; i++) {
        const sked_batch_span *s = spans + i;
        skedi_fault fault = {.row = (int64_t)i + 1};
        if (s->start < 0 || s->end <= s->start ||
            s->end > SKED_AMOUNT_MAX / (int64_t)slots) {
            fault.got = s->end;
            return skedi_fail(err, SKED_ERR_RANGE, "span: time is out of range",
                              fault);
        }
        if (s->slots < 1 || s->slots > slots) {
            fault.got = s->slots;
            return skedi_fail(err, SKED_ERR_RANGE,
                              "span: slots is out of range", fault);
        }
    }
    return SKED_OK;
}

static sked_status rule_in(sked_batch_rule *rule, const sked_batch_rule *given,
                           sked_error *err)
{
    if (!given) return skedi_fail_null(err, "rule");
    sked_status rc = skedi_struct_in(rule, sizeof *rule, given, BATCH_RULE_V1);
    if (rc != SKED_OK) return skedi_fail_version(err, "rule");
    if (rule->reserved) {
        return skedi_fail_reserved(err, "rule");
    }
    if (!rule->theta_ppm) rule->theta_ppm = SKED_PPM / 2;
    if (rule->slots < 1 || rule->slots > SKED_MAX_BATCH_SLOTS ||
        rule->tail > SKED_BATCH_TAIL_KNEE || rule->theta_ppm < 1 ||
        rule->theta_ppm > SKED_PPM) {
        return skedi_fail_plain(err, SKED_ERR_RANGE,
                                "slots, tail or theta is out of range");
    }
    return SKED_OK;
}

sked_status sked_batch_measure(const sked_batch_span *spans, size_t n,
                               const sked_batch_rule *rule,
                               const sked_host *host,
                               sked_batch_metrics *metrics, sked_error *err)
{
    sked_batch_rule taken;
    skedi_hooks hooks;
    use_steps use;
    int64_t most = 0;

    const char *missing = !spans ? "spans" : !metrics ? "metrics" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = rule_in(&taken, rule, err);
    if (rc == SKED_OK) rc = spans_in(spans, n, taken.slots, err);
    if (rc == SKED_OK) rc = skedi_hooks_in(&hooks, host, err);
    if (rc != SKED_OK) return rc;
    rc = find_steps(&use, spans, n, &hooks.mem);
    if (rc == SKED_OK) {
        for (size_t i = 0; i < use.n; i++) {
            most = skedi_i64_max(most, use.step[i].slots);
        }
        steps_drop(&use, &hooks.mem);
    }
    if (most > (int64_t)taken.slots) {
        return skedi_fail(err, SKED_ERR_RANGE,
                          "more slots in use than there are",
                          (skedi_fault){.got = most, .limit = taken.slots});
    }
    if (rc == SKED_OK) {
        rc = skedi_batch_measure_spans(spans, n, &taken, &hooks.mem, metrics);
    }
    return rc == SKED_OK ? rc : skedi_fail_stopped(err, rc);
}

sked_status sked_batch_utility(const sked_batch_span *spans, size_t n,
                               const sked_host *host, sked_batch_step *steps,
                               size_t cap, size_t *n_steps, sked_error *err)
{
    skedi_hooks hooks;
    use_steps use;

    const char *missing = !spans          ? "spans"
                          : !n_steps      ? "n_steps"
                          : cap && !steps ? "steps"
                                          : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = spans_in(spans, n, SKED_MAX_BATCH_SLOTS, err);
    if (rc == SKED_OK) rc = skedi_hooks_in(&hooks, host, err);
    if (rc != SKED_OK) return rc;
    rc = find_steps(&use, spans, n, &hooks.mem);
    if (rc != SKED_OK) {
        return skedi_fail_stopped(err, rc);
    }
    merge_steps(&use);
    *n_steps = use.n;
    if (use.n > cap) {
        rc = skedi_fail_cap(err, use.n, cap);
    }
    for (size_t i = 0; rc == SKED_OK && i < use.n; i++) steps[i] = use.step[i];
    steps_drop(&use, &hooks.mem);
    return rc;
}
