/*
 * How much of what a leaf wants could run: its tasks hold several kinds at
 * once, so what keeps them out in one kind keeps them out in all.
 *
 * What a leaf wants beyond its usage is one vector here, whatever tasks it is
 * made of. It counts in the ratio in which the kind that runs out first would
 * hold it, rounded down: alike tasks hold s of one kind and t of another, so m
 * of them that fit into c of the first hold m t <= floor(c t / s) of the
 * second. So no task that fits is left out, and less than one task that does
 * not fit is counted. What is used counts whole: it runs.
 */
#include "base/fail.h"
#include "target/state.h"

/* Of the kinds in which something is open, the one of which `left` is the least
 * part of it; `kinds`: nothing is open. */
static size_t first_to_run_out(const int64_t *open, const int64_t *left,
                               size_t kinds)
{
    size_t first = kinds;

    for (size_t k = 0; k < kinds; k++) {
        if (open[k] <= 0) continue;
        if (first < kinds &&
            skedi_cmp_mul((uint64_t)left[k], (uint64_t)open[first],
                          (uint64_t)left[first], (uint64_t)open[k]) >= 0) {
            continue;
        }
        first = k;
    }
    return first;
}

void skedi_targets_fit(const int64_t *open, const int64_t *left, size_t kinds,
                       int64_t *fits)
{
    size_t first = first_to_run_out(open, left, kinds);

    for (size_t k = 0; k < kinds; k++) {
        uint64_t rest;
        fits[k] = 0;
        if (open[k] <= 0) continue;
        fits[k] = (int64_t)skedi_muldiv((uint64_t)open[k],
                                        (uint64_t)left[first],
                                        (uint64_t)open[first], &rest);
    }
}

/* ---- What the caps of a path leave ---- */

int64_t skedi_targets_cap(const skedi_targets *t, size_t row, size_t k,
                          int64_t guarantee)
{
    const sked_share_input *q = &t->queues;
    int64_t borrow = skedi_targets_told(t, q->borrow, row, k, SKED_UNLIMITED);
    int64_t limit = skedi_targets_told(t, q->limit, row, k, SKED_UNLIMITED);

    return skedi_i64_min(limit, skedi_amount_add(guarantee, borrow));
}

/* The most that a row may hold of each kind, by itself and by all above it. One of
 * weight 0 has no more than its guarantee, lifted by those below it (which stands
 * here in the place of its cap), where shares go by weights. */
static void find_caps(const skedi_targets *t, size_t row)
{
    int imbalance = t->options.mode == SKED_TARGET_MODE_IMBALANCE;
    const int64_t *given = skedi_targets_column(
        t, imbalance ? SKEDI_TARGET_FORCE : SKEDI_TARGET_GUARANTEE);
    int64_t *caps = skedi_targets_column(t, SKEDI_TARGET_CAPS);
    int weightless = !imbalance && t->queues.weight &&
                     t->queues.weight[row] == 0;
    const int64_t *above = row > 0
                               ? caps + (size_t)t->queues.parent[row] * t->kinds
                               : t->queues.capacity;

    for (size_t k = 0; k < t->kinds; k++) {
        size_t at = row * t->kinds + k;
        int64_t cap = skedi_targets_cap(t, row, k, given[at]);
        if (weightless) cap = skedi_i64_min(cap, caps[at]);
        caps[at] = skedi_i64_min(above[k], cap);
    }
}

/* ---- What counts of a leaf ---- */

typedef struct fit_leaf {
    int64_t used[SKED_MAX_KINDS];
    int64_t open[SKED_MAX_KINDS]; /* wanted beyond that */
    int64_t left[SKED_MAX_KINDS]; /* of what the caps leave */
} fit_leaf;

static void read_leaf(const skedi_targets *t, size_t row, fit_leaf *leaf)
{
    size_t at = row * t->kinds;
    const int64_t *demand = skedi_targets_column(t, SKEDI_TARGET_DEMAND) + at;
    const int64_t *caps = skedi_targets_column(t, SKEDI_TARGET_CAPS) + at;

    for (size_t k = 0; k < t->kinds; k++) {
        int64_t used = skedi_targets_told(t, t->queues.usage, row, k, 0);
        leaf->used[k] = used;
        leaf->open[k] = demand[k] - used;
        leaf->left[k] = skedi_amount_sub(caps[k], used);
    }
}

/* No more of the demand than its caps let run together. */
static void fit_demand(const skedi_targets *t, size_t row, const fit_leaf *leaf)
{
    int64_t *demand = skedi_targets_column(t, SKEDI_TARGET_DEMAND) +
                      row * t->kinds;
    int64_t fits[SKED_MAX_KINDS];

    skedi_targets_fit(leaf->open, leaf->left, t->kinds, fits);
    for (size_t k = 0; k < t->kinds; k++) {
        demand[k] = leaf->used[k] + skedi_i64_min(leaf->open[k], fits[k]);
    }
}

/* Where shares do not go by demand, they go no further than the caps let what
 * the leaf wants grow in its own ratio; what it uses, if it wants no more. A
 * kind in which it wants and has nothing is not bounded. */
static void fit_limit(const skedi_targets *t, size_t row, fit_leaf *leaf)
{
    size_t at = row * t->kinds;
    int64_t *limit = skedi_targets_column(t, SKEDI_TARGET_LIMITS) + at;
    const int64_t *own = skedi_targets_column(t, SKEDI_TARGET_GUARANTEE) + at;
    int64_t fits[SKED_MAX_KINDS], any = 0;

    for (size_t k = 0; k < t->kinds; k++) any |= leaf->open[k];
    for (size_t k = 0; !any && k < t->kinds; k++) {
        leaf->left[k] = skedi_amount_add(leaf->left[k], leaf->used[k]);
        leaf->open[k] = leaf->used[k];
        leaf->used[k] = 0;
    }
    skedi_targets_fit(leaf->open, leaf->left, t->kinds, fits);
    for (size_t k = 0; k < t->kinds; k++) {
        int lends = skedi_targets_told(t, t->queues.lend, row, k,
                                       SKED_UNLIMITED) == SKED_UNLIMITED;
        if (leaf->open[k] <= 0) continue;
        int64_t most = leaf->used[k] + fits[k];
        if (!lends) most = skedi_i64_max(most, own[k]);
        limit[k] = skedi_i64_min(limit[k], most);
    }
}

sked_status skedi_targets_fit_leaves(skedi_targets *t)
{
    int64_t *limit = skedi_targets_column(t, SKEDI_TARGET_LIMITS);
    sked_status rc = SKED_OK;
    fit_leaf leaf;

    for (size_t row = 0; row < t->n && rc == SKED_OK; row++) {
        if (row % SKEDI_TARGET_LOOK == 0) {
            rc = skedi_hooks_check(t->hooks, row, t->n);
        }
        for (size_t k = 0; k < t->kinds; k++) {
            limit[row * t->kinds + k] = skedi_targets_told(
                t, t->queues.limit, row, k, SKED_UNLIMITED);
        }
        if (t->options.flags & SKED_TARGET_FLAG_BY_KIND) continue;
        find_caps(t, row);
        if (!t->leaf[row]) continue;
        read_leaf(t, row, &leaf);
        fit_demand(t, row, &leaf);
        if (t->options.mode == SKED_TARGET_MODE_STARVATION) {
            fit_limit(t, row, &leaf);
        }
    }
    return rc;
}

/* ---- What is needed ---- */

void skedi_targets_need(skedi_targets *t, size_t row, const int64_t *owed)
{
    int64_t open[SKED_MAX_KINDS] = {0}, fits[SKED_MAX_KINDS];
    int plain = t->in.share || t->options.flags & SKED_TARGET_FLAG_BY_KIND;

    for (size_t k = 0; k < t->kinds; k++) {
        int64_t used = skedi_targets_told(t, t->queues.usage, row, k, 0);
        int64_t told = skedi_targets_told(t, t->queues.demand, row, k, 0);
        open[k] = skedi_targets_owes_kind(t, k) ? skedi_amount_sub(told, used)
                                                : 0;
    }
    if (!plain) skedi_targets_fit(open, owed, t->kinds, fits);
    for (size_t k = 0; k < t->kinds; k++) {
        int64_t part = plain ? owed[k] : skedi_i64_min(owed[k], fits[k]);
        t->need[k] = skedi_amount_add(t->need[k], part);
    }
}
