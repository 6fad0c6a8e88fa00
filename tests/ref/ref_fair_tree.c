/* The fair tree by its definition: children by what they are due over what they
 * used, those that are equal as one group. */
#include <stdlib.h>

#include "ref_order.h"
#include "ref_wide.h"

static uint32_t shares_at(const uint32_t *shares, uint32_t i)
{
    return shares ? shares[i] : 1;
}

typedef struct tree {
    const uint32_t *parent;
    const uint32_t *shares;
    uint32_t n;
    int64_t *usage;     /* own or all below */
    uint64_t *siblings; /* shares of all children */
    uint32_t *kids;
    uint32_t *ranks;
    uint32_t rank;
    uint32_t left;
} tree;

/* a / b against c / d: whole parts, then what is left, turned around. */
static int compare_ratios(ref_wide a, ref_wide b, ref_wide c, ref_wide d)
{
    for (int turn = 1;; turn = -turn) {
        int whole = ref_wide_cmp(ref_wide_div(a, b), ref_wide_div(c, d));
        if (whole) return turn * whole;
        ref_wide x = ref_wide_mod(a, b), y = ref_wide_mod(c, d);
        int left_x = ref_wide_cmp(x, ref_wide_of(0));
        int left_y = ref_wide_cmp(y, ref_wide_of(0));
        if (!left_x || !left_y) return turn * (left_x - left_y);
        a = b;
        b = x;
        c = d;
        d = y;
    }
}

/* By S / U: infinite with shares and no usage, 0 without shares. */
static int compare_levels(const tree *t, uint32_t a, uint32_t b)
{
    uint32_t of[2] = {a, b};
    ref_wide num[2], den[2];
    int class[2];

    for (int i = 0; i < 2; i++) {
        uint32_t up = t->parent[of[i]];
        uint64_t shares = shares_at(t->shares, of[i]);
        num[i] = ref_wide_mul(ref_wide_of(shares), (uint64_t)t->usage[up]);
        den[i] = ref_wide_mul(ref_wide_of(t->siblings[up]),
                              (uint64_t)t->usage[of[i]]);
        class[i] = shares == 0 ? 0 : t->usage[of[i]] == 0 ? 2 : 1;
    }
    if (class[0] != class[1] || class[0] != 1) return class[0] - class[1];
    return compare_ratios(num[0], den[0], num[1], den[1]);
}

static int is_user(const tree *t, uint32_t i)
{
    return t->kids[i] == 0;
}

/* The next of those in `open`: the best; users before accounts. */
static uint32_t best_of(const tree *t, const uint8_t *open)
{
    uint32_t best = t->n;

    for (uint32_t i = 1; i < t->n; i++) {
        if (!open[i]) continue;
        int better = best == t->n ? 1 : compare_levels(t, i, best);
        if (better == 0) better = is_user(t, i) && !is_user(t, best);
        if (better > 0) best = i;
    }
    return best;
}

/* Ranks the children of all in `group`, together. */
static void rank_group(tree *t, const uint8_t *group, int tied)
{
    uint8_t *open = calloc(t->n, 1), *merged = calloc(t->n, 1);
    uint32_t before = t->n;

    for (uint32_t i = 1; i < t->n; i++) open[i] = group[t->parent[i]];
    for (;;) {
        uint32_t next = best_of(t, open);
        if (next == t->n) break;
        if (before != t->n) tied = compare_levels(t, before, next) == 0;
        before = next;
        if (is_user(t, next)) {
            if (!tied) t->rank = t->left;
            t->ranks[next] = t->rank;
            t->left--;
            open[next] = 0;
            continue;
        }
        for (uint32_t i = 1; i < t->n; i++) {
            merged[i] = open[i] && !is_user(t, i) &&
                        compare_levels(t, i, next) == 0;
            if (merged[i]) open[i] = 0;
        }
        rank_group(t, merged, tied);
    }
    free(open);
    free(merged);
}

void ref_fair_tree(const uint32_t *parent, const uint32_t *shares,
                   const int64_t *usage, uint32_t n, uint32_t *ranks)
{
    tree t = {.parent = parent, .shares = shares, .n = n, .ranks = ranks};
    uint8_t *group = calloc(n, 1);

    t.usage = calloc(n, sizeof *t.usage);
    t.siblings = calloc(n, sizeof *t.siblings);
    t.kids = calloc(n, sizeof *t.kids);
    for (uint32_t i = 1; i < n; i++) {
        t.kids[parent[i]]++;
        t.siblings[parent[i]] += shares_at(shares, i);
    }
    for (uint32_t i = 0; i < n; i++) {
        ranks[i] = 0;
        if (!is_user(&t, i)) continue;
        t.left++;
        t.usage[i] += usage[i];
        for (uint32_t at = i; at != 0;) {
            at = parent[at];
            t.usage[at] += usage[i];
        }
    }
    group[0] = 1;
    if (n == 1) ranks[0] = 1;
    rank_group(&t, group, 0);
    free(group);
    free(t.usage);
    free(t.siblings);
    free(t.kids);
}
