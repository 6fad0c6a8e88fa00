#ifndef TEST_RECONCILE_SAME_H
#define TEST_RECONCILE_SAME_H

/* What two engines know of nodes and asks, looked at without any comparison of
 * the library's. */
#include "test.h"

#include "engine/order/sets.h"
#include "engine/order/soft.h"
#include "engine/order/tags.h"

/* The number of a set's rule. */
static inline uint32_t rule_of(const sked_engine *e, uint32_t set)
{
    return set == SKEDI_NONE ? 0 : (uint32_t)set_at(e, set)->terms[0].value;
}

static inline void same_set(const sked_engine *a, uint32_t one,
                            const sked_engine *b, uint32_t other)
{
    assert_int_equal(rule_of(a, one), rule_of(b, other));
}

static inline void same_places(const sked_engine *a, uint32_t p,
                               const sked_engine *b, uint32_t q)
{
    for (; p != SKEDI_NONE && q != SKEDI_NONE;
         p = place_at(a, p)->next, q = place_at(b, q)->next) {
        assert_true(place_at(a, p)->key == place_at(b, q)->key);
        assert_int_equal(place_at(a, p)->rack, place_at(b, q)->rack);
        assert_int_equal(place_at(a, p)->left, place_at(b, q)->left);
    }
    assert_int_equal(p, q);
}

static inline void same_ask(const sked_engine *a, uint32_t one,
                            const sked_engine *b, uint32_t other)
{
    const engine_preferred *x = skedi_soft_of(a, one);
    const engine_preferred *y = skedi_soft_of(b, other);
    const uint32_t *tags, *others;
    uint32_t n = skedi_tags_of(a, one, &tags), soft = x ? x->n : 0;

    same_set(a, x ? x->own : shape_at(a, ask_at(a, one)->shape)->set, b,
             y ? y->own : shape_at(b, ask_at(b, other)->shape)->set);
    assert_int_equal(soft, y ? y->n : 0);
    for (uint32_t i = 0; i < soft; i++) {
        assert_int_equal(x->at[i].weight, y->at[i].weight);
        same_set(a, x->at[i].set, b, y->at[i].set);
    }
    assert_int_equal(skedi_tags_of(b, other, &others), n);
    for (uint32_t i = 0; i < n; i++) {
        assert_true(skedi_tag_key(a, tags[i]) == skedi_tag_key(b, others[i]));
    }
    same_places(a, extra_of(a, ask_at(a, one))->places, b,
                extra_of(b, ask_at(b, other))->places);
}

/* Nodes and asks are what they are on the other side, whatever a comparison
 * said. */
static inline void same_traits(const sked_engine *a, const sked_engine *b)
{
    if (!a->rules.used) return;
    for (uint32_t i = a->first_node; i != SKEDI_NONE; i = node_at(a, i)->next) {
        uint32_t there = skedi_keymap_get(&b->node_of, node_at(a, i)->key);
        const engine_traits none = {NULL, 0}, *x = &a->rules.traits[i];
        const engine_traits *y = b->rules.used ? &b->rules.traits[there]
                                               : &none;
        assert_true(x->n == y->n);
        for (uint64_t k = 0; k < x->n; k++) {
            assert_i64(x->at[k].value, y->at[k].value);
        }
    }
    for (uint32_t i = 0; i < a->asks.n; i++) {
        const engine_ask *ask = ask_at(a, i);
        if (!ask->live || ask->closed) continue;
        if (job_at(a, ask->job)->state == JOB_ENDED) continue;
        uint32_t there = skedi_keymap_get(&b->ask_of, ask->key);
        assert_true(there != SKEDI_NONE);
        same_ask(a, i, b, there);
    }
}

#endif
