/*
 * The level of a family is guessed in doubles, kind by kind, and then found
 * exactly: the last whole level at which the kind still suffices. What is read
 * off at it does not depend on the guess.
 */
#include "share/joint_family.h"

enum { JOINT_GUESSES = 40, JOINT_GUARD = 44 };

/* What a row has of a kind at a level. */
static inline int64_t joint_amount(const skedi_joint *j, size_t at,
                                   uint32_t row, uint64_t level)
{
    uint64_t key = j->key[row], rem;
    int64_t amount = j->most[at];

    if (key == 0) return j->floor[at];
    if (level < key) {
        amount = (int64_t)skedi_muldiv((uint64_t)amount, level, key, &rem);
    }
    return skedi_i64_max(amount, j->floor[at]);
}

/* Does what the family has of a kind suffice at a level? */
static int level_fits(const joint_family *f, uint32_t k, uint64_t level)
{
    const skedi_joint *j = f->j;
    int64_t left = j->share[joint_at(j, k, f->parent)];

    for (uint32_t c = f->from; c < f->to; c++) {
        size_t at = joint_at(j, k, c);
        left -= j->stays[c] ? j->share[at] : joint_amount(j, at, c, level);
        if (left < 0) return 0;
    }
    return 1;
}

/* What is used of a kind at a level, and what the next unit of it takes, about;
 * in doubles. */
static double guess_used(const joint_family *f, uint32_t k, double level,
                         double *slope)
{
    const skedi_joint *j = f->j;
    double used = 0;

    *slope = 0;
    for (uint32_t c = f->from; c < f->to; c++) {
        size_t at = joint_at(j, k, c);
        double most = (double)j->most[at], key = (double)j->key[c];
        double least = (double)j->floor[at];
        if (j->stays[c] || j->key[c] == 0) {
            used += (double)(j->stays[c] ? j->share[at] : j->floor[at]);
            continue;
        }
        double amount = level < key ? most / key * level : most;
        if (level < key && amount >= least) *slope += most / key;
        used += amount > least ? amount : least;
    }
    return used;
}

/* About the level at which a kind is used up, between two. */
static uint64_t guess_joint_level(const joint_family *f, uint32_t k,
                                  uint64_t from, uint64_t to)
{
    double has = (double)f->j->share[joint_at(f->j, k, f->parent)];
    double low = (double)from, high = (double)to, at = low, slope;

    for (int i = 0; i < JOINT_GUESSES && low < high; i++) {
        double used = guess_used(f, k, at, &slope);
        if (used <= has)
            low = at;
        else
            high = at;
        double next = slope > 0 ? at + (has - used) / slope : high;
        if (!(next > low && next < high)) next = low + (high - low) / 2;
        if (next == at) break;
        at = next;
    }
    return at < (double)to ? (uint64_t)at : to;
}

/* The last level up to `to` at which a kind suffices; it does at `from`. */
static uint64_t last_level(const joint_family *f, uint32_t k, uint64_t from,
                           uint64_t to)
{
    if (level_fits(f, k, to)) return to;
    uint64_t guess = guess_joint_level(f, k, from, to);
    uint64_t step = (guess >> JOINT_GUARD) + 1;
    uint64_t low = guess, high = to;

    for (; low > from && !level_fits(f, k, low); step *= 2) {
        high = low;
        low = low - from > step ? low - step : from;
    }
    for (step = (guess >> JOINT_GUARD) + 1; high - low > step; step *= 2) {
        if (!level_fits(f, k, low + step)) {
            high = low + step;
            break;
        }
        low += step;
    }
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (level_fits(f, k, middle))
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* ---- Rising ---- */

/* The largest key of the children that still rise; 0: there is none. */
static uint64_t highest_key(const joint_family *f)
{
    uint64_t most = 0;

    for (uint32_t c = f->from; c < f->to; c++) {
        if (!f->j->stays[c] && f->j->key[c] > most) most = f->j->key[c];
    }
    return most;
}

static void settle_row(const joint_family *f, uint32_t c, uint64_t level)
{
    skedi_joint *j = f->j;

    j->stays[c] = 1;
    for (uint32_t k = 0; k < j->kinds; k++) {
        size_t at = joint_at(j, k, c);
        j->share[at] = joint_amount(j, at, c, level);
    }
}

/* Settles the children that need more of what has run out at a level; returns
 * how many. */
static uint32_t settle_short(const joint_family *f, uint64_t level,
                             uint32_t gone)
{
    const skedi_joint *j = f->j;
    uint32_t n = 0;

    for (uint32_t c = f->from; c < f->to; c++) {
        int more = 0;
        for (uint32_t k = 0; !j->stays[c] && k < j->kinds; k++) {
            size_t at = joint_at(j, k, c);
            if (!(gone >> k & 1)) continue;
            more |= joint_amount(j, at, c, level) <
                    joint_amount(j, at, c, j->key[c]);
        }
        if (more) settle_row(f, c, level);
        n += (uint32_t)more;
    }
    return n;
}

/* Does a kind suffice at a level, if amounts are not rounded? Parts of a unit
 * are counted in 2^-32. */
static int level_flows(const joint_family *f, uint32_t k, uint64_t level)
{
    const skedi_joint *j = f->j;
    const uint64_t unit = UINT64_C(1) << 32;
    int64_t left = j->share[joint_at(j, k, f->parent)];
    uint64_t parts = 0, rem;

    for (uint32_t c = f->from; c < f->to; c++) {
        size_t at = joint_at(j, k, c);
        int rises = !j->stays[c] && level < j->key[c];
        left -= j->stays[c] ? j->share[at] : joint_amount(j, at, c, level);
        if (left < 0) return 0;
        if (!rises) continue;
        int64_t whole = (int64_t)skedi_muldiv((uint64_t)j->most[at], level,
                                              j->key[c], &rem);
        if (whole < j->floor[at]) continue;
        parts += skedi_muldiv(rem, unit, j->key[c], &rem);
    }
    return parts / unit + (parts % unit > 0) <= (uint64_t)left;
}

/* The last level at which a kind suffices so, before one at which it does not
 * suffice. */
static uint64_t level_of_end(const joint_family *f, uint32_t k, uint64_t before)
{
    uint64_t low = 0, high = before;

    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (level_flows(f, k, middle))
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Contended kinds that have run out by a level at which they do not suffice.
 * Amounts are rounded down, so several may do so at one level that end one
 * after the other: of these, those that end first. */
static uint32_t gone_at(const joint_family *f, uint64_t level)
{
    uint32_t gone = 0, first = 0;
    uint64_t least = UINT64_MAX;

    for (uint32_t k = 0; k < f->j->kinds; k++) {
        if (!(f->contended >> k & 1) || level_fits(f, k, level)) continue;
        gone |= UINT32_C(1) << k;
    }
    if ((gone & (gone - 1)) == 0) return gone;
    for (uint32_t k = 0; k < f->j->kinds; k++) {
        if (!(gone >> k & 1)) continue;
        uint64_t end = level_of_end(f, k, level);
        if (end < least) first = 0;
        if (end <= least) first |= UINT32_C(1) << k;
        if (end < least) least = end;
    }
    return first;
}

void skedi_joint_raise(const joint_family *f)
{
    uint64_t level = 0, top;
    uint32_t settled = 1;

    while (settled && level < (top = highest_key(f))) {
        uint64_t last = top;
        for (uint32_t k = 0; k < f->j->kinds; k++) {
            if (f->contended >> k & 1) last = last_level(f, k, level, last);
        }
        level = last;
        settled = level < top ? settle_short(f, level, gone_at(f, level + 1))
                              : 0;
    }
    for (uint32_t c = f->from; c < f->to; c++) {
        if (!f->j->stays[c]) settle_row(f, c, level);
    }
}
