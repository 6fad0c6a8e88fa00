#include "ref_round.h"

#include <string.h>

static void sweep_gone(ref_round *r)
{
    size_t kept = 0;

    for (size_t i = 0; i < r->n; i++) {
        if (!r->task[i].gone) r->task[kept++] = r->task[i];
    }
    r->n = kept;
}

/* The tasks of a key: what is being stopped first, then as they were marked. */
static size_t tasks_of(ref_round *r, uint64_t key, ref_task **out)
{
    size_t n = 0;

    for (int stopping = 1; stopping >= 0; stopping--) {
        for (size_t i = 0; i < r->n; i++) {
            ref_task *t = &r->task[i];
            if (t->key == key && !t->gone && t->stopping == stopping) {
                out[n++] = t;
            }
        }
    }
    return n;
}

static uint16_t observed(const ref_round *r)
{
    return r->options.flags & SKED_ROUND_FLAG_OBSERVE
               ? SKED_ROUND_MARK_FLAG_OBSERVED
               : 0;
}

static sked_round_action *say(ref_round *r, uint16_t what, uint64_t key,
                              uint64_t job, sked_time deadline)
{
    sked_round_action *a = &r->action[r->actions++];

    *a = (sked_round_action){.key = key,
                             .job = job,
                             .deadline = deadline,
                             .what = what,
                             .flags = observed(r)};
    return a;
}

static void lose_task(ref_round *r, const ref_task *t)
{
    if (t->unsaved_since == SKED_UNSET || t->unsaved_since > r->now) return;
    for (size_t k = 0; k < r->options.kinds; k++) {
        r->lost[k] += (double)t->amount[k] *
                      (double)(r->now - t->unsaved_since);
    }
}

/* What is to be said of a row. */
typedef struct ref_said {
    sked_round_action stop, offer, told;
} ref_said;

/* Lazy rounds only offer it. */
static int offers(const ref_round *r, ref_task *t, ref_said *said)
{
    if (!(r->options.flags & SKED_ROUND_FLAG_LAZY) || t->strict) return 0;
    if (t->offered) return 1;
    t->offered = 1;
    if (said->offer.count++ == 0) said->offer.deadline = t->deadline;
    return 1;
}

/* One key, of which `count` tasks are wanted by row `row` (-1: by none). What
 * is to be said by row is put into `said`. */
static void step(ref_round *r, const sked_round_input *w, uint64_t key,
                 long row, ref_said *said)
{
    sked_round_action *stop = &said->stop, *told = &said->told;
    ref_task *list[REF_ROUND_TASKS];
    size_t n = tasks_of(r, key, list);
    uint32_t wanted = row < 0 ? 0 : w->count ? w->count[row] : 1;
    int observes = (r->options.flags & SKED_ROUND_FLAG_OBSERVE) != 0;
    unsigned long let_off = 0;
    uint64_t job = row >= 0 && w->job ? w->job[row] : n ? list[0]->job : 0;

    for (size_t i = 0; i < n; i++) {
        ref_task *t = list[i];
        int keeps = wanted > 0 || t->strict || t->stopping;
        if (wanted > 0) wanted--;
        if (t->stopping) continue;
        if (!keeps) {
            if (let_off != t->batch) {
                say(r, SKED_ROUND_ORDER_WITHDRAW, key, t->job, t->deadline);
            }
            let_off = t->batch;
            r->action[r->actions - 1].count++;
            r->counts.withdrawn++;
            t->gone = 1;
            continue;
        }
        if (row >= 0 && w->unsaved_since) {
            t->unsaved_since = w->unsaved_since[row];
        }
        if (observes || t->deadline > r->now) continue;
        if (offers(r, t, said)) continue;
        if (stop->count == 0) stop->deadline = t->deadline;
        stop->count++;
        r->counts.killed++;
        t->stopping = 1;
        lose_task(r, t);
    }
    if (wanted > 0) r->batches++;
    for (; wanted > 0; wanted--) {
        ref_task *t = &r->task[r->n++];
        int64_t grace = r->options.grace_ns < 0 ? 0 : r->options.grace_ns;
        *t = (ref_task){
            .key = key,
            .job = job,
            .batch = r->batches,
            .deadline = r->now > INT64_MAX - grace ? INT64_MAX : r->now + grace,
            .strict = w->strict && w->strict[row],
            .unsaved_since = w->unsaved_since ? w->unsaved_since[row]
                                              : SKED_UNSET};
        for (size_t k = 0; w->amount && k < r->options.kinds; k++) {
            t->amount[k] = w->amount[(size_t)row * r->options.kinds + k];
        }
        if (r->options.grace_ns < 0 && !observes) {
            if (offers(r, t, said)) continue;
            if (stop->count == 0) stop->deadline = r->now;
            stop->count++;
            r->counts.killed++;
            t->stopping = 1;
            lose_task(r, t);
            continue;
        }
        told->deadline = t->deadline;
        told->count++;
        r->counts.notified++;
    }
}

/* The least key that is marked or wanted and above `last`; 0: none. */
static uint64_t key_after(const ref_round *r, const sked_round_input *w,
                          uint64_t last)
{
    uint64_t least = 0;

    for (size_t i = 0; i < r->n + w->n; i++) {
        uint64_t key = i < r->n ? r->task[i].key : w->key[i - r->n];
        if (key > last && (least == 0 || key < least)) least = key;
    }
    return least;
}

static void say_row(ref_round *r, const sked_round_input *w, uint32_t row,
                    const sked_round_action *a, uint16_t what)
{
    uint16_t flags = w->strict && w->strict[row] ? SKED_ROUND_MARK_FLAG_STRICT
                                                 : 0;

    if (a->count == 0) return;
    sked_round_action *said = say(r, what, w->key[row],
                                  w->job ? w->job[row] : 0, a->deadline);
    said->count = a->count;
    said->flags |= flags;
    if (what == SKED_ROUND_ORDER_KILL)
        said->flags |= SKED_ROUND_MARK_FLAG_PREEMPTED;
}

void ref_round_update(ref_round *r, const sked_round_input *w, sked_time now)
{
    static ref_said said[REF_ROUND_TASKS];
    uint64_t key = 0;

    if (now > r->now) r->now = now;
    memset(said, 0, sizeof said);
    while ((key = key_after(r, w, key)) != 0) {
        long row = -1;
        ref_said own = {.stop = {0}};
        for (uint32_t i = 0; i < w->n; i++) {
            if (w->key[i] == key) row = (long)i;
        }
        ref_task *list[REF_ROUND_TASKS];
        size_t n = tasks_of(r, key, list);
        uint64_t job = 0;
        for (size_t i = n; i-- > 0;) {
            if (!list[i]->stopping) job = list[i]->job;
        }
        step(r, w, key, row, row < 0 ? &own : &said[row]);
        if (own.stop.count > 0) {
            sked_round_action *a = say(r, SKED_ROUND_ORDER_KILL, key, job,
                                       own.stop.deadline);
            a->count = own.stop.count;
            a->flags |= SKED_ROUND_MARK_FLAG_STRICT |
                        SKED_ROUND_MARK_FLAG_PREEMPTED;
        }
        sweep_gone(r);
    }
    for (uint32_t i = 0; i < w->n; i++) {
        say_row(r, w, i, &said[i].stop, SKED_ROUND_ORDER_KILL);
        say_row(r, w, i, &said[i].offer, SKED_ROUND_ORDER_OFFER);
        say_row(r, w, i, &said[i].told, SKED_ROUND_ORDER_NOTIFY);
    }
    r->counts.rounds++;
}

int ref_round_claim(ref_round *r, const uint64_t *keys, const uint32_t *counts,
                    size_t n, sked_time now)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t offered = 0;
        for (size_t t = 0; t < r->n; t++) {
            offered += r->task[t].key == keys[i] && r->task[t].offered &&
                       !r->task[t].stopping;
        }
        if (offered < counts[i]) return 0;
    }
    if (now > r->now) r->now = now;
    for (size_t i = 0; i < n; i++) {
        ref_task *list[REF_ROUND_TASKS];
        size_t m = tasks_of(r, keys[i], list);
        sked_round_action *a = NULL;
        uint64_t job = 0;
        for (size_t t = m; t-- > 0;) {
            if (!list[t]->stopping) job = list[t]->job;
        }
        for (size_t t = 0; t < m && (!a || a->count < counts[i]); t++) {
            if (!list[t]->offered || list[t]->stopping) continue;
            if (!a) {
                a = say(r, SKED_ROUND_ORDER_KILL, keys[i], job,
                        list[t]->deadline);
                a->flags |= SKED_ROUND_MARK_FLAG_PREEMPTED;
            }
            a->count++;
            r->counts.killed++;
            list[t]->stopping = 1;
            lose_task(r, list[t]);
        }
    }
    return 1;
}

void ref_round_ended(ref_round *r, uint64_t key, uint32_t count)
{
    ref_task *list[REF_ROUND_TASKS];
    size_t n = tasks_of(r, key, list);

    for (size_t i = 0; i < n && count > 0; i++, count--) {
        list[i]->gone = 1;
        r->counts.released += !list[i]->stopping;
    }
    sweep_gone(r);
}

size_t ref_round_marks(const ref_round *r, sked_round_mark *marks)
{
    const sked_round_input nothing = {0};
    size_t n = 0;
    uint64_t key = 0;

    while ((key = key_after(r, &nothing, key)) != 0) {
        for (int stopping = 0; stopping <= 1; stopping++) {
            unsigned long batch = 0;
            for (size_t i = 0; i < r->n; i++) {
                const ref_task *t = &r->task[i];
                if (t->key != key || t->stopping != stopping) continue;
                if (batch == 0 || (!stopping && batch != t->batch)) {
                    uint32_t flags = stopping    ? SKED_ROUND_MARK_FLAG_STOPPING
                                     : t->strict ? SKED_ROUND_MARK_FLAG_STRICT
                                     : t->offered ? SKED_ROUND_MARK_FLAG_OFFERED
                                                  : 0;
                    marks[n++] = (sked_round_mark){.key = key,
                                                   .job = t->job,
                                                   .deadline = t->deadline,
                                                   .flags = flags};
                }
                batch = t->batch;
                marks[n - 1].count++;
            }
        }
    }
    return n;
}
