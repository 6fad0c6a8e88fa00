/*
 * Shares of random trees by progressive filling: children share no more than
 * their parent has, nothing is above a limit or below what is kept, and the
 * order in which a leaf's profiles are listed does not matter.
 */
#include "test.h"

#include <sched/queue.h>

#include <stdlib.h>
#include <string.h>

#include "base/hooks.h"
#include "share/joint.h"
#include "size.h"

enum { ROWS = 24, KINDS = 3, PROFILES = 80 };

typedef struct tree {
    uint64_t state;
    uint32_t n, kinds, profiles;
    uint32_t up[ROWS], first_child[ROWS + 1], weight[ROWS];
    uint32_t first_profile[ROWS + 1];
    uint8_t order[ROWS], fair_kind[ROWS];
    int64_t capacity[KINDS];
    int64_t task[PROFILES][KINDS];
    int64_t tasks[PROFILES];
    int64_t cap[ROWS][KINDS], guarantee[ROWS][KINDS], kept[ROWS][KINDS];
} tree;

static int64_t draw(tree *t, int64_t n)
{
    t->state ^= t->state << 13;
    t->state ^= t->state >> 7;
    t->state ^= t->state << 17;
    return n > 0 ? (int64_t)(t->state % (uint64_t)n) : 0;
}

static void draw_rows(tree *t)
{
    static const uint8_t orders[] = {
        SKED_ORDER_POLICY_DRF, SKED_ORDER_POLICY_FAIR, SKED_ORDER_POLICY_SHARE,
        SKED_ORDER_POLICY_UTILISATION, SKED_ORDER_POLICY_FIFO};
    uint32_t most = 2 + (uint32_t)draw(t, ROWS - 1);

    t->n = 1;
    for (uint32_t row = 0; row < t->n; row++) {
        int64_t kids = row == 0 ? 1 + draw(t, 6)
                                : (draw(t, 3) == 0) * draw(t, 7);
        t->first_child[row] = t->n;
        for (; kids > 0 && t->n < most; kids--) t->up[t->n++] = row;
        t->order[row] = orders[draw(t, 5)];
        t->fair_kind[row] = (uint8_t)draw(t, t->kinds);
        t->weight[row] = (uint32_t)(draw(t, 10) ? 1 + draw(t, 4) : 0);
        if (draw(t, 12) == 0) t->weight[row] = UINT32_MAX;
    }
    t->first_child[t->n] = t->n;
}

static void draw_profiles(tree *t, int64_t scale)
{
    for (uint32_t row = 0; row < t->n; row++) {
        int leaf = t->first_child[row] == t->first_child[row + 1];
        t->first_profile[row] = t->profiles;
        for (int64_t n = leaf ? draw(t, 4) : 0; n > 0; n--) {
            if (t->profiles == PROFILES) break;
            for (uint32_t k = 0; k < t->kinds; k++) {
                int64_t units = draw(t, 3) ? 1 + draw(t, 12) : 0;
                t->task[t->profiles][k] = units * scale;
            }
            t->tasks[t->profiles++] = draw(t, 4) ? draw(t, 40)
                                                 : draw(t, 1000000);
        }
    }
    t->first_profile[t->n] = t->profiles;
}

/* Guarantees are parts of the parent's; some leaves keep a part of theirs. */
static void draw_bounds(tree *t, int guaranteed, int limited)
{
    for (uint32_t k = 0; k < t->kinds; k++) {
        t->cap[0][k] = t->guarantee[0][k] = t->capacity[k];
        for (uint32_t row = 0; row < t->n; row++) {
            int64_t left = t->guarantee[row][k];
            for (uint32_t c = t->first_child[row]; c < t->first_child[row + 1];
                 c++) {
                int64_t own = guaranteed && draw(t, 2) ? draw(t, left + 1) : 0;
                t->cap[c][k] = limited && draw(t, 4) == 0
                                   ? draw(t, t->capacity[k] + 1)
                                   : SKED_UNLIMITED;
                own = skedi_i64_min(own, t->cap[c][k]);
                t->guarantee[c][k] = own;
                left -= own;
            }
        }
        for (uint32_t row = t->n; row-- > 0;) {
            int leaf = t->first_child[row] == t->first_child[row + 1];
            if (leaf && draw(t, 3) == 0) {
                t->kept[row][k] = t->guarantee[row][k] / 2;
            }
            if (row > 0) t->kept[t->up[row]][k] += t->kept[row][k];
        }
    }
}

static void draw_tree(tree *t, uint64_t seed)
{
    static const int64_t scales[] = {1, 10, 1000, INT64_C(1) << 40};
    int64_t scale;

    memset(t, 0, sizeof *t);
    t->state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    for (int i = 0; i < 8; i++) (void)draw(t, 2);
    t->kinds = 1 + (uint32_t)draw(t, KINDS);
    scale = scales[draw(t, 4)];
    for (uint32_t k = 0; k < t->kinds; k++) {
        t->capacity[k] = draw(t, 20) ? (1 + draw(t, 100)) * scale : 0;
    }
    draw_rows(t);
    draw_profiles(t, scale > 10 ? scale / 10 : 1);
    draw_bounds(t, draw(t, 2) == 0, draw(t, 3) == 0);
}

/* What a leaf could use of a kind within the limits of its path. */
static int64_t most_of(const tree *t, uint32_t row, uint32_t k)
{
    int64_t sum = 0;

    for (uint32_t i = t->first_profile[row]; i < t->first_profile[row + 1];
         i++) {
        sum = skedi_amount_add(sum, t->task[i][k] * t->tasks[i]);
    }
    for (;; row = t->up[row]) {
        sum = skedi_i64_min(sum, t->cap[row][k]);
        if (row == 0) return sum;
    }
}

static void compute(const tree *t, skedi_joint *j, skedi_mem *mem, int turned)
{
    assert_true(skedi_joint_ensure(j, mem, t->n, t->kinds, t->profiles));
    j->first_child = t->first_child;
    j->order = t->order;
    j->fair_kind = t->fair_kind;
    j->weight = t->weight;
    j->capacity = t->capacity;
    memcpy(j->first_profile, t->first_profile,
           (t->n + 1) * sizeof *j->first_profile);
    for (uint32_t row = 0; row < t->n; row++) {
        uint32_t from = t->first_profile[row], to = t->first_profile[row + 1];
        for (uint32_t i = from; i < to; i++) {
            uint32_t of = turned ? from + to - 1 - i : i;
            j->profile[i] = (skedi_joint_profile){.task = t->task[of],
                                                  .tasks = t->tasks[of]};
        }
        for (uint32_t k = 0; k < t->kinds; k++) {
            size_t at = (size_t)k * t->n + row;
            j->cap[at] = t->cap[row][k];
            j->guarantee[at] = t->guarantee[row][k];
            j->kept[at] = t->kept[row][k];
            j->most[at] = most_of(t, row, k);
        }
    }
    skedi_joint_compute(j);
}

static void check_row(const tree *t, const skedi_joint *j, uint32_t row,
                      uint32_t k)
{
    size_t at = (size_t)k * t->n + row;
    int64_t sum = 0;

    for (uint32_t c = t->first_child[row]; c < t->first_child[row + 1]; c++) {
        sum += j->share[(size_t)k * t->n + c];
    }
    assert_true(j->share[at] >= sum);
    assert_true(j->share[at] >= t->kept[row][k]);
    assert_true(j->share[at] <= t->cap[row][k]);
    assert_true(j->claim[at] <= j->share[at]);
}

static void shares_fit_into_their_trees(void **state)
{
    uint64_t trees = test_size(20000, 1000000);
    skedi_mem mem = skedi_mem_of(NULL);
    skedi_joint a = {0}, b = {0};
    static tree t;
    (void)state;

    for (uint64_t seed = 1; seed <= trees; seed++) {
        draw_tree(&t, seed);
        compute(&t, &a, &mem, 0);
        compute(&t, &b, &mem, 1);
        for (uint32_t row = 0; row < t.n; row++) {
            for (uint32_t k = 0; k < t.kinds; k++) check_row(&t, &a, row, k);
        }
        assert_memory_equal(a.share, b.share,
                            (size_t)t.n * t.kinds * sizeof *a.share);
    }
    skedi_joint_free(&a, &mem);
    skedi_joint_free(&b, &mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_fit_into_their_trees),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
