#ifndef TEST_RECONCILE_SAME_H
#define TEST_RECONCILE_SAME_H

/* What two engines know, looked at without any comparison of the library's. */
#include "reconcile_truth.h"

#include "engine/filter.h"
#include "engine/soft_rules.h"
#include "engine/domains.h"

/* ---- Nodes and asks, piece by piece ---- */

static inline void same_term(const engine_rule_set *a, const sked_rule_term *x,
                             const engine_rule_set *b, const sked_rule_term *y)
{
    assert_int_equal(x->op, y->op);
    assert_true(x->key == y->key && x->value == y->value && x->n == y->n);
    if (x->op == SKED_RULE_OP_AND || x->op == SKED_RULE_OP_OR) return;
    for (uint64_t i = 0; i < x->n; i++) {
        assert_i64(a->values[x->first + i], b->values[y->first + i]);
    }
}

static inline void same_set(const sked_engine *a, uint32_t one,
                            const sked_engine *b, uint32_t other)
{
    assert_int_equal(one == SKEDI_NONE, other == SKEDI_NONE);
    if (one == SKEDI_NONE) return;
    const engine_rule_set *x = set_at(a, one), *y = set_at(b, other);
    assert_int_equal(x->n_terms, y->n_terms);
    for (uint32_t i = 0; i < x->n_terms; i++) {
        same_term(x, &x->terms[i], y, &y->terms[i]);
    }
}

static inline void same_places(const sked_engine *a, uint32_t p,
                               const sked_engine *b, uint32_t q)
{
    for (; p != SKEDI_NONE && q != SKEDI_NONE;
         p = place_at(a, p)->next, q = place_at(b, q)->next) {
        const engine_place *x = place_at(a, p), *y = place_at(b, q);
        assert_true(x->key == y->key);
        assert_int_equal(x->rack, y->rack);
        assert_int_equal(x->left > 0 ? x->left : 0, y->left > 0 ? y->left : 0);
    }
    assert_int_equal(p, q);
}

/* The next soft rule that has not expired, from `*at` on; NULL: there is none. */
static inline const engine_preference *
next_soft(const twins *t, const engine_preferred *list, uint32_t *at)
{
    while (list && *at < list->n) {
        const engine_preference *one = &list->at[(*at)++];
        if (one->until == SKED_UNSET || one->until > t->now) return one;
    }
    return NULL;
}

static inline void same_soft(const twins *t, const sked_engine *a,
                             const engine_preferred *x, const sked_engine *b,
                             const engine_preferred *y)
{
    const engine_preference *p, *q;
    uint32_t i = 0, k = 0;

    while ((p = next_soft(t, x, &i)) != NULL) {
        q = next_soft(t, y, &k);
        assert_non_null(q);
        assert_int_equal(p->weight, q->weight);
        assert_i64(p->until, q->until);
        same_set(a, p->set, b, q->set);
    }
    assert_null(next_soft(t, y, &k));
}

static inline void same_tags(const sked_engine *a, uint32_t one,
                             const sked_engine *b, uint32_t other)
{
    const uint32_t *tags, *others;
    uint32_t n = skedi_tags_of(a, one, &tags);

    assert_int_equal(skedi_tags_of(b, other, &others), n);
    for (uint32_t i = 0; i < n; i++) {
        assert_true(skedi_tag_key(a, tags[i]) == skedi_tag_key(b, others[i]));
    }
}

static inline void same_rules(const twins *t, const sked_engine *a,
                              uint32_t one, const sked_engine *b,
                              uint32_t other)
{
    const engine_preferred *x = skedi_soft_of(a, one);
    const engine_preferred *y = skedi_soft_of(b, other);

    same_set(a, x ? x->own : shape_at(a, ask_at(a, one)->shape)->set, b,
             y ? y->own : shape_at(b, ask_at(b, other)->shape)->set);
    same_soft(t, a, x, b, y);
}

/* The same pairs, each as often. */
static inline void same_attributes(const engine_traits *x,
                                   const engine_traits *y)
{
    assert_true(x->n == y->n);
    for (uint64_t i = 0; i < x->n; i++) {
        uint64_t here = 0, there = 0;
        for (uint64_t k = 0; k < x->n; k++) {
            here += x->at[k].key == x->at[i].key &&
                    x->at[k].value == x->at[i].value;
            there += y->at[k].key == x->at[i].key &&
                     y->at[k].value == x->at[i].value;
        }
        assert_true(here == there);
    }
}

static inline void same_node(const sked_engine *a, uint32_t one,
                             const sked_engine *b, uint32_t other)
{
    static const engine_traits none = {NULL, 0};

    assert_true(other != SKEDI_NONE);
    const engine_node *x = node_at(a, one), *y = node_at(b, other);
    assert_true(x->rack == y->rack && x->partition == y->partition);
    assert_int_equal(x->state == NODE_DRAINING, y->state == NODE_DRAINING);
    for (uint32_t k = 0; k < KINDS; k++) {
        assert_i64(engine_row_of(a, &a->node_capacity, one)[k],
                   engine_row_of(b, &b->node_capacity, other)[k]);
    }
    same_attributes(a->rules.used ? &a->rules.traits[one] : &none,
                    b->rules.used ? &b->rules.traits[other] : &none);
}

/* So many tasks of an ask run on a node; `*odd`: how many of them the engine was
 * told something else of than `value`. */
static inline int64_t tasks_there(const twins *t, const sked_engine *e,
                                  uint32_t ask, uint64_t node, int32_t kind,
                                  int64_t value, int64_t *odd)
{
    int64_t n = 0;

    *odd = 0;
    for (uint32_t g = ask_at(e, ask)->first_group; g != SKEDI_NONE;
         g = group_at(e, g)->ask_next) {
        const engine_group *group = group_at(e, g);
        if (node_at(e, group->node)->key != node) continue;
        if (skedi_group_is_proposal(e, g)) continue;
        n += group->count;
        if (told_of(t, e, g, kind) != value) *odd += group->count;
    }
    return n;
}

static inline void same_tasks(const twins *t, const sked_engine *a,
                              uint32_t one, const sked_engine *b,
                              uint32_t other)
{
    int64_t odd;

    for (uint32_t g = ask_at(a, one)->first_group; g != SKEDI_NONE;
         g = group_at(a, g)->ask_next) {
        uint64_t node = node_at(a, group_at(a, g)->node)->key;
        if (skedi_group_is_proposal(a, g)) continue;
        for (int32_t kind = SKED_EVENT_TASK_ENDS; kind <= SKED_EVENT_TASK_COST;
             kind++) {
            int64_t value = told_of(t, a, g, kind);
            int64_t n = tasks_there(t, a, one, node, kind, value, &odd);
            assert_i64(tasks_there(t, b, other, node, kind, value, &odd), n);
            if (may(t, HAS_SAID) && told_alike(t, a, g, kind))
                assert_i64(odd, 0);
        }
    }
}

static inline void same_ask(twins *t, const sked_engine *a, uint32_t one,
                            const sked_engine *b)
{
    const engine_ask *x = ask_at(a, one);
    uint32_t other = skedi_keymap_get(&b->ask_of, x->key);

    if (x->closed && x->first_group == SKEDI_NONE) return;
    if (other == SKEDI_NONE) { /* nothing of it but proposals: it is over */
        assert_true(x->closed);
        return;
    }
    const engine_ask *y = ask_at(b, other);
    assert_int_equal(x->flags | SKED_ASK_WAIT, y->flags | SKED_ASK_WAIT);
    assert_int_equal(x->priority, y->priority);
    assert_int_equal(x->partition, y->partition);
    same_tasks(t, a, one, b, other);
    if (may(t, HAS_TRAITS)) same_tags(a, one, b, other);
    if (x->closed) return;
    if (may(t, HAS_TRAITS)) same_rules(t, a, one, b, other);
    same_places(a, extra_of(a, x)->places, b, extra_of(b, y)->places);
}

static inline void same_job(twins *t, const sked_engine *a, uint32_t one,
                            const sked_engine *b)
{
    const engine_job *x = job_at(a, one);
    uint32_t other = skedi_keymap_get(&b->job_of, x->key);

    assert_true(other != SKEDI_NONE);
    const engine_job *y = job_at(b, other);
    assert_true(x->queue == y->queue);
    assert_int_equal(x->priority, y->priority);
    assert_int_equal(x->flags, y->flags);
    assert_i64(x->submitted, y->submitted);
    if (may(t, HAS_LEAST)) assert_i64(x->least, y->least);
    for (uint32_t i = 0; i < SKED_MAX_LIMIT_TREES; i++) {
        assert_int_equal(skedi_charge_row(skedi_charge_of(a, one), i),
                         skedi_charge_row(skedi_charge_of(b, other), i));
    }
}

/* All that a truth has is on the other side as it is here, whatever a comparison
 * said. */
static inline void same_things(twins *t, const sked_engine *a,
                               const sked_engine *b)
{
    for (uint32_t i = a->first_node; i != SKEDI_NONE; i = node_at(a, i)->next) {
        same_node(a, i, b, skedi_keymap_get(&b->node_of, node_at(a, i)->key));
    }
    for (uint32_t i = 0; i < a->jobs.n; i++) {
        uint32_t state = job_at(a, i)->state;
        if (state == JOB_FREE_SLOT || state == JOB_ENDED) continue;
        same_job(t, a, i, b);
    }
    for (uint32_t i = 0; i < a->asks.n; i++) {
        const engine_ask *ask = ask_at(a, i);
        if (!ask->live || job_at(a, ask->job)->state == JOB_ENDED) continue;
        same_ask(t, a, i, b);
    }
    for (uint32_t p = 0; may(t, HAS_POOLS) && p < 2; p++) {
        size_t at = (size_t)p * KINDS + KINDS - 1;
        assert_i64(p < a->parts ? a->capacity[at] : 0,
                   p < b->parts ? b->capacity[at] : 0);
    }
}

/* ---- What both answer ---- */

/* What is in the way of a job; the bound of a user that is not may be left out
 * where no ask of the user is in line. */
static inline size_t explain(const sked_engine *e, uint64_t job,
                             sked_engine_bound *bounds)
{
    size_t n, kept = 0;

    assert_ok(sked_engine_explain_job(e, job, bounds, 256, &n));
    for (size_t i = 0; i < n; i++) {
        int spare = bounds[i].reason == SKED_REASON_USER_LIMIT &&
                    !bounds[i].binds;
        if (!spare) bounds[kept++] = bounds[i];
    }
    return kept;
}

static inline void same_explanation(const sked_engine *a, const sked_engine *b,
                                    uint64_t job)
{
    static sked_engine_bound x[256], y[256];
    size_t n = explain(a, job, x);

    assert_int_equal(explain(b, job, y), n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(x[i].reason, y[i].reason);
        assert_int_equal(x[i].kind, y[i].kind);
        assert_int_equal(x[i].partition, y[i].partition);
        assert_int_equal(x[i].binds, y[i].binds);
        assert_true(x[i].ask == y[i].ask && x[i].queue == y[i].queue);
        assert_i64(x[i].need, y[i].need);
        assert_i64(x[i].bound, y[i].bound);
    }
}

static inline void same_usage(const twins *t, const sked_engine *a,
                              const sked_engine *b)
{
    int64_t x[KINDS], y[KINDS];

    for (int i = 0; i < LEAVES; i++) {
        assert_ok(
            sked_engine_usage(a, t->leaf[i], SKED_ANY_PARTITION, x, NULL));
        assert_ok(
            sked_engine_usage(b, t->leaf[i], SKED_ANY_PARTITION, y, NULL));
        assert_memory_equal(x, y, sizeof x);
    }
    for (uint32_t i = 0; may(t, HAS_CHARGES) && i < SKED_MAX_LIMIT_TREES; i++) {
        for (int q = 0; q < 2; q++) {
            int64_t run, ran;
            assert_ok(
                sked_engine_limits_usage(a, i + 1, t->limited[i][q], x, &run));
            assert_ok(
                sked_engine_limits_usage(b, i + 1, t->limited[i][q], y, &ran));
            assert_memory_equal(x, y, sizeof x);
            assert_i64(run, ran);
        }
    }
}

/* Do both know the same partitions, and limits there by what these have? What had
 * a node once is explained, too, and limits follow only when work is looked at. */
static inline int are_explained(const sked_engine *a, const sked_engine *b)
{
    int same = a->parts == b->parts;

    for (uint32_t p = 0; same && p < a->parts; p++) {
        same = !a->partition[p].dirty && !b->partition[p].dirty;
    }
    return same;
}

/* What is free, what is used, and why each job has nothing more: for how many
 * jobs. */
static inline size_t same_answers(const twins *t)
{
    size_t n = 0;
    const sked_engine *a = t->one.engine, *b = t->other.engine;
    int64_t x[KINDS], y[KINDS];

    for (uint32_t i = a->first_node; i != SKEDI_NONE; i = node_at(a, i)->next) {
        assert_ok(sked_engine_node_free(a, node_at(a, i)->key, x));
        assert_ok(sked_engine_node_free(b, node_at(a, i)->key, y));
        assert_memory_equal(x, y, sizeof x);
    }
    same_usage(t, a, b);
    if (!are_explained(a, b)) return 0;
    for (uint32_t i = 0; i < a->jobs.n; i++) {
        uint32_t state = job_at(a, i)->state;
        if (state == JOB_FREE_SLOT || state == JOB_ENDED) continue;
        same_explanation(a, b, job_at(a, i)->key);
        n++;
    }
    return n;
}

#endif
