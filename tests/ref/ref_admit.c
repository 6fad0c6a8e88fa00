#include "ref_admit.h"

#include <string.h>

/* Who waits, in the order of arrival; rows of all lines together. */
typedef struct standing {
    const sked_admit_input *pool;
    ref_admit *out;
    uint32_t row[REF_ADMIT_GANGS];
    uint32_t n;
    int shrunk[REF_ADMIT_GANGS];
} standing;

/* Where the first of a line stands; n: there is none. */
static uint32_t first_of(const standing *s, uint8_t line)
{
    uint32_t best = s->n;

    for (uint32_t i = 0; i < s->n; i++) {
        if (s->out->line[s->row[i]] != line) continue;
        if (best == s->n ||
            s->pool->priority[s->row[i]] > s->pool->priority[s->row[best]]) {
            best = i;
        }
    }
    return best;
}

static uint32_t leave(standing *s, uint32_t at)
{
    uint32_t row = s->row[at];

    memmove(s->row + at, s->row + at + 1, (s->n - at - 1) * sizeof *s->row);
    s->n--;
    return row;
}

static void go_last(standing *s, uint32_t at)
{
    uint32_t row = leave(s, at);

    s->row[s->n++] = row;
}

static int64_t held_of(const standing *s, int sum, uint32_t k)
{
    return s->out->held[(uint32_t)sum * s->pool->kinds + k];
}

static int enters(const standing *s, uint32_t row)
{
    const sked_admit_input *p = s->pool;

    for (uint32_t k = 0; k < p->kinds; k++) {
        int64_t need = p->need[row * p->kinds + k];
        int64_t all = held_of(s, SKED_ADMIT_HELD_ALL, k);
        int64_t revocable = held_of(s, SKED_ADMIT_HELD_REVOCABLE, k);
        int64_t own = all > revocable ? all - revocable : 0;
        if (p->kind[row] & SKED_ADMIT_GANG_REVOCABLE) {
            if (revocable + need > p->slack[k]) return 0;
            continue;
        }
        if (own + need > p->entitlement[k]) return 0;
        if (p->kind[row] & SKED_ADMIT_GANG_CONTROLLER && p->tasks[row] == 1 &&
            p->controllers &&
            held_of(s, SKED_ADMIT_HELD_CONTROLLER, k) + need >
                p->controllers[k]) {
            return 0;
        }
        if (p->kind[row] & SKED_ADMIT_GANG_FIXED &&
            p->flags & SKED_ADMIT_FLAG_PREEMPTION &&
            held_of(s, SKED_ADMIT_HELD_FIXED, k) + need > p->reservation[k]) {
            return 0;
        }
    }
    return 1;
}

static void enter(standing *s, uint32_t row)
{
    const sked_admit_input *p = s->pool;
    const uint32_t flag[] = {0, SKED_ADMIT_GANG_FIXED,
                             SKED_ADMIT_GANG_CONTROLLER,
                             SKED_ADMIT_GANG_REVOCABLE};

    for (uint32_t h = 0; h < SKED_ADMIT_HELD_SUMS; h++) {
        if (h > 0 && !(p->kind[row] & flag[h])) continue;
        for (uint32_t k = 0; k < p->kinds; k++) {
            s->out->held[h * p->kinds + k] += p->need[row * p->kinds + k];
        }
    }
    s->out->order[s->out->admitted++] = row;
    s->out->outcome[row] = SKED_ADMIT_OUTCOME_IN;
}

/* One gang of a line; 0: the line stops. */
static int step(standing *s, uint8_t line)
{
    const sked_admit_input *p = s->pool;
    uint32_t at = first_of(s, line);

    if (at == s->n) return 0;
    uint32_t row = s->row[at];
    if (p->state[row] == SKED_ADMIT_STATE_EMPTY) {
        (void)leave(s, at);
        s->out->outcome[row] = SKED_ADMIT_OUTCOME_GONE;
        return 1;
    }
    if (p->state[row] == SKED_ADMIT_STATE_SHRUNK && !s->shrunk[row]) {
        s->shrunk[row] = 1;
        s->out->outcome[row] = SKED_ADMIT_OUTCOME_LAST;
        go_last(s, at);
        return 1;
    }
    if (enters(s, row)) {
        enter(s, leave(s, at));
        return 1;
    }
    uint8_t own = p->kind[row] & SKED_ADMIT_GANG_FIXED &&
                          p->flags & SKED_ADMIT_FLAG_PREEMPTION
                      ? SKED_ADMIT_LINE_FIXED
                  : p->kind[row] & SKED_ADMIT_GANG_CONTROLLER
                      ? SKED_ADMIT_LINE_CONTROLLER
                  : p->kind[row] & SKED_ADMIT_GANG_REVOCABLE
                      ? SKED_ADMIT_LINE_REVOCABLE
                      : SKED_ADMIT_LINE_ALL;
    if (line != SKED_ADMIT_LINE_ALL || own == SKED_ADMIT_LINE_ALL) {
        s->out->outcome[row] = SKED_ADMIT_OUTCOME_FULL;
        return 0;
    }
    s->out->outcome[row] = SKED_ADMIT_OUTCOME_MOVED;
    s->out->line[row] = own;
    go_last(s, at);
    return 1;
}

void ref_admit_once(const sked_admit_input *pool, ref_admit *out)
{
    static const uint8_t turns[] = {
        SKED_ADMIT_LINE_FIXED, SKED_ADMIT_LINE_CONTROLLER,
        SKED_ADMIT_LINE_REVOCABLE, SKED_ADMIT_LINE_ALL};
    standing s = {.pool = pool, .out = out, .n = (uint32_t)pool->n};
    uint32_t left = pool->most ? pool->most : UINT32_MAX;

    memset(out, 0, sizeof *out);
    memcpy(out->line, pool->line, pool->n);
    memcpy(out->held, pool->held,
           SKED_ADMIT_HELD_SUMS * pool->kinds * sizeof *out->held);
    for (uint32_t i = 0; i < pool->n; i++) s.row[i] = i;
    for (size_t t = 0; t < 4; t++) {
        while (left > 0 && step(&s, turns[t])) left--;
    }
    out->waiting = s.n;
    memcpy(out->order + out->admitted, s.row, s.n * sizeof *s.row);
}
