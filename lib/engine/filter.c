/*
 * * Sets of nodes: one bit for each node and each rule in use.
 *
 * Equal rules are equal bytes (their values are packed) and share a set. The
 * bits of a node stand in one row, so a pass over the node looks at one or two
 * words however many rules there are.
 *
 * Invariants: a bit is current with the attributes of its node and with the
 * tasks that the rule counts. A set exists while an ask or a running task uses
 * the set.
 */
#include <string.h>

#include "engine/domains.h"
#include "engine/filter.h"
#include "engine/gang_fit.h"
#include "engine/pace.h"
#include "engine/store.h"
#include "rule/judge.h"

/* ---- Nodes ---- */

typedef struct set_spot {
    const sked_engine *e;
    uint32_t node;
} set_spot;

static int64_t filter_count_at_spot(const void *arg, const sked_rule_input *in,
                                    const sked_rule_term *t, int64_t *least)
{
    const set_spot *spot = arg;
    const int64_t *values = t->n > 0 ? in->values + t->first : NULL;

    return skedi_work_of_term(spot->e, spot->node, t, values, least);
}

/* Does a set take a node, by the terms that `flags` name (SKED_RULE_FLAG_*)? */
static int filter_set_says(const sked_engine *e, const engine_rule_set *s,
                           uint32_t node, uint32_t flags)
{
    const engine_traits *own = &e->rules.traits[node];
    const set_spot spot = {e, node};
    const skedi_rule_view view = {filter_count_at_spot, NULL, &spot};
    const sked_rule_input in = {
        .flags = flags,
        .terms = s->terms,
        .n_terms = s->n_terms,
        .values = s->values,
        .n_values = s->n_values,
        .node = own->at,
        .n_node = own->n,
    };

    return skedi_rule_answer(&in, &view) != SKED_RULE_ANSWER_NO;
}

int skedi_set_takes_now(const sked_engine *e, uint32_t set, uint32_t node)
{
    return filter_set_says(e, set_at(e, set), node,
                           SKED_RULE_FLAG_NODE | SKED_RULE_FLAG_WORK);
}

static void filter_note_node(sked_engine *e, uint32_t set, uint32_t node)
{
    uint64_t *word = &e->rules.takes[(size_t)node * e->rules.words + set / 64];
    uint64_t bit = (uint64_t)1 << set % 64;

    *word &= ~bit;
    if (filter_set_says(e, set_at(e, set), node, SKED_RULE_FLAG_NODE))
        *word |= bit;
}

void skedi_sets_see_node(sked_engine *e, uint32_t node)
{
    for (uint32_t s = 0; s < e->rules.sets.n; s++) {
        if (!set_at(e, s)->uses) continue;
        skedi_pace_work(e);
        filter_note_node(e, s, node);
    }
}

static void filter_drop_traits(sked_engine *e, uint32_t node)
{
    engine_traits *own = &e->rules.traits[node];

    skedi_free(&e->hooks.mem, own->at, (size_t)own->n, sizeof *own->at);
    *own = (engine_traits){0};
}

void skedi_node_become(sked_engine *e, uint32_t node, sked_rule_attribute *at,
                       uint64_t n)
{
    filter_drop_traits(e, node);
    e->rules.traits[node] = (engine_traits){at, n};
    skedi_sets_see_node(e, node);
    skedi_fits_touch(e, node);
}

void skedi_sets_lose_node(sked_engine *e, uint32_t node)
{
    if (!e->rules.used) return;
    skedi_domains_leave(e, node);
    filter_drop_traits(e, node);
}

/* ---- Memory ---- */

/* Widens the table to `words` words a row and `cap` nodes. 0: no memory. */
static int filter_widen_takes(sked_engine *e, size_t cap, uint32_t words)
{
    engine_rules *r = &e->rules;
    uint64_t *takes = NULL;

    if (cap > 0) {
        takes = skedi_new(&e->hooks.mem, cap * words, sizeof *takes);
        if (!takes) return 0;
    }
    for (size_t n = 0; n < r->cap; n++) {
        memcpy(takes + n * words, r->takes + n * r->words,
               r->words * sizeof *takes);
    }
    skedi_free(&e->hooks.mem, r->takes, r->cap * r->words, sizeof *takes);
    r->takes = takes;
    r->words = words;
    return 1;
}

int skedi_sets_node_reserve(sked_engine *e)
{
    engine_rules *r = &e->rules;
    size_t cap = e->nodes.cap;

    if (!r->used) return 1;
    if (cap <= r->cap) return 1;
    engine_traits *traits = skedi_new(&e->hooks.mem, cap, sizeof *traits);
    if (!traits || !filter_widen_takes(e, cap, r->words)) {
        skedi_free(&e->hooks.mem, traits, cap, sizeof *traits);
        return 0;
    }
    if (r->cap) memcpy(traits, r->traits, r->cap * sizeof *traits);
    skedi_free(&e->hooks.mem, r->traits, r->cap, sizeof *traits);
    r->traits = traits;
    r->cap = cap;
    return 1;
}

int skedi_sets_start(sked_engine *e)
{
    int before = e->rules.used;

    if (!e->rules.words) e->rules.words = 1;
    e->rules.used = 1;
    if (skedi_sets_node_reserve(e)) return 1;
    e->rules.used = before;
    return 0;
}

/* Memory for one set more, its map and its bits. */
static int filter_set_reserve(sked_engine *e)
{
    engine_rules *r = &e->rules;
    skedi_mem *mem = &e->hooks.mem;
    uint32_t words = r->words;

    while (r->sets.live + 1 > words * 64) words *= 2;
    return skedi_pool_reserve(&r->sets, mem, 1) &&
           skedi_keymap_reserve(&r->set_of, mem, r->set_of.n + 1) &&
           (words == r->words || filter_widen_takes(e, r->cap, words));
}

/* ---- Sets ---- */

static uint64_t filter_set_hash(const engine_rule_set *s)
{
    skedi_hash hash;

    skedi_hash_start(&hash, s->n_values);
    for (uint32_t i = 0; i < s->n_terms; i++) {
        skedi_hash_u64(&hash, s->terms[i].key);
        skedi_hash_u64(&hash, (uint64_t)s->terms[i].value);
        skedi_hash_u32(&hash, s->terms[i].op);
        skedi_hash_u32(&hash, (uint32_t)s->terms[i].n);
    }
    for (uint32_t i = 0; i < s->n_values; i++) {
        skedi_hash_u64(&hash, (uint64_t)s->values[i]);
    }
    return skedi_hash_end(&hash) | 1;
}

static int filter_same_rule(const engine_rule_set *a, const engine_rule_set *b)
{
    return a->n_terms == b->n_terms && a->n_values == b->n_values &&
           memcmp(a->terms, b->terms, a->n_terms * sizeof *a->terms) == 0 &&
           (a->n_values == 0 ||
            memcmp(a->values, b->values, a->n_values * sizeof *a->values) == 0);
}

static void filter_free_rule(sked_engine *e, const engine_rule_set *s)
{
    skedi_free(&e->hooks.mem, s->terms, s->n_terms, sizeof *s->terms);
    skedi_free(&e->hooks.mem, s->values, s->n_values, sizeof *s->values);
}

/* The first `n` terms of a rule release the attributes by which they count. */
static void filter_unuse_keys(sked_engine *e, const engine_rule_set *s,
                              uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const sked_rule_term *t = &s->terms[i];
        if (!skedi_rule_is_by_key(t)) continue;
        skedi_domains_unuse(e, (uint64_t)s->values[t->first]);
    }
}

/* Uses the attributes by which the terms of a rule count, or none of them. 0: no
 * memory. */
static int filter_use_keys(sked_engine *e, const engine_rule_set *s)
{
    for (uint32_t i = 0; i < s->n_terms; i++) {
        const sked_rule_term *t = &s->terms[i];
        if (!skedi_rule_is_by_key(t)) continue;
        if (skedi_domains_use(e, (uint64_t)s->values[t->first])) continue;
        filter_unuse_keys(e, s, i);
        return 0;
    }
    return 1;
}

/* A copy of a rule of one term at least, with its values packed. 0: no
 * memory. */
static int filter_pack_rule(sked_engine *e, const sked_rule_input *rule,
                            engine_rule_set *s)
{
    uint32_t at = 0;

    *s = (engine_rule_set){.n_terms = (uint32_t)rule->n_terms,
                           .n_values = (uint32_t)skedi_rule_values(rule)};
    s->terms = skedi_new(&e->hooks.mem, s->n_terms, sizeof *s->terms);
    if (s->n_values) {
        s->values = skedi_new(&e->hooks.mem, s->n_values, sizeof *s->values);
    }
    if (!s->terms || (s->n_values && !s->values)) {
        filter_free_rule(e, s);
        return 0;
    }
    for (uint32_t i = 0; i < s->n_terms; i++) {
        uint32_t n = (uint32_t)skedi_rule_names(&rule->terms[i]);
        s->terms[i] = rule->terms[i];
        if (n == 0) continue;
        memcpy(s->values + at, rule->values + s->terms[i].first,
               n * sizeof *s->values);
        s->terms[i].first = at;
        at += n;
    }
    return 1;
}

/* The set of a packed rule. The new set owns the rule; a known set frees it. 0:
 * no memory. */
static int filter_take_set(sked_engine *e, engine_rule_set made, uint32_t *set)
{
    const sked_rule_input rule = {.terms = made.terms, .n_terms = made.n_terms};

    made.name = filter_set_hash(&made);
    /* Sets with one hash stand under odd names that follow each other. */
    while ((*set = skedi_keymap_get(&e->rules.set_of, made.name)) !=
           SKEDI_NONE) {
        if (filter_same_rule(set_at(e, *set), &made)) {
            filter_free_rule(e, &made);
            return 1;
        }
        made.name += 2;
    }
    if (!filter_use_keys(e, &made)) {
        filter_free_rule(e, &made);
        return 0;
    }
    made.counts = (uint32_t)skedi_rule_counts(&rule);
    e->rules.counting += made.counts;
    *set = skedi_pool_take(&e->rules.sets);
    *set_at(e, *set) = made;
    skedi_keymap_put(&e->rules.set_of, made.name, *set);
    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        skedi_pace_work(e);
        filter_note_node(e, *set, n);
    }
    return 1;
}

/* Do two terms, with their values, ask the same? */
static int filter_same_term(const sked_rule_term *a, const int64_t *values_of_a,
                            const sked_rule_term *b, const int64_t *values_of_b)
{
    uint32_t n = (uint32_t)skedi_rule_names(a);

    return a->op == b->op && a->key == b->key && a->value == b->value &&
           a->n == b->n &&
           (n == 0 || memcmp(values_of_a + a->first, values_of_b + b->first,
                             n * sizeof *values_of_a) == 0);
}

int skedi_set_is(const sked_engine *e, uint32_t set,
                 const sked_rule_input *rule)
{
    const engine_rule_set *s = set == SKEDI_NONE ? NULL : set_at(e, set);
    uint64_t n = s ? s->n_terms : 0, i = 0;

    if (n != rule->n_terms) return 0;
    while (i < n && filter_same_term(&s->terms[i], s->values, &rule->terms[i],
                                     rule->values)) {
        i++;
    }
    return i == n;
}

int skedi_set_make(sked_engine *e, const sked_rule_input *rule, uint32_t *set)
{
    engine_rule_set made;

    return filter_set_reserve(e) && filter_pack_rule(e, rule, &made) &&
           filter_take_set(e, made, set);
}

/* Puts a rule behind what is packed; there is memory for it. */
static void filter_append_rule(engine_rule_set *s, const engine_rule_set *more)
{
    for (uint32_t i = 0; i < more->n_terms; i++) {
        sked_rule_term *t = &s->terms[s->n_terms++];
        *t = more->terms[i];
        if (skedi_rule_names(t)) t->first += s->n_values;
    }
    if (more->n_values) {
        memcpy(s->values + s->n_values, more->values,
               more->n_values * sizeof *s->values);
    }
    s->n_values += more->n_values;
}

int skedi_set_join(sked_engine *e, const uint32_t *sets, uint32_t n,
                   uint32_t *set)
{
    engine_rule_set made = {0};
    uint32_t n_terms = 0, n_values = 0;

    *set = n ? sets[0] : SKEDI_NONE;
    if (n < 2) return 1;
    for (uint32_t i = 0; i < n; i++) {
        n_terms += set_at(e, sets[i])->n_terms;
        n_values += set_at(e, sets[i])->n_values;
    }
    if (!filter_set_reserve(e)) return 0;
    made.terms = skedi_new(&e->hooks.mem, n_terms, sizeof *made.terms);
    if (made.terms && n_values) {
        made.values = skedi_new(&e->hooks.mem, n_values, sizeof *made.values);
    }
    if (!made.terms || (n_values && !made.values)) {
        skedi_free(&e->hooks.mem, made.terms, n_terms, sizeof *made.terms);
        return 0;
    }
    for (uint32_t i = 0; i < n; i++)
        filter_append_rule(&made, set_at(e, sets[i]));
    return filter_take_set(e, made, set);
}

void skedi_set_give(sked_engine *e, uint32_t set)
{
    engine_rule_set *s = set_at(e, set);

    if (--s->uses > 0) return;
    e->rules.counting -= s->counts;
    filter_unuse_keys(e, s, s->n_terms);
    skedi_keymap_remove(&e->rules.set_of, s->name);
    filter_free_rule(e, s);
    skedi_pool_give(&e->rules.sets, set);
}

void skedi_sets_free(sked_engine *e)
{
    engine_rules *r = &e->rules;
    skedi_mem *mem = &e->hooks.mem;

    for (uint32_t n = 0; n < r->cap; n++) filter_drop_traits(e, n);
    for (uint32_t i = 0; i < r->sets.n; i++) {
        if (set_at(e, i)->uses) filter_free_rule(e, set_at(e, i));
    }
    skedi_free(mem, r->traits, r->cap, sizeof *r->traits);
    skedi_free(mem, r->takes, r->cap * r->words, sizeof *r->takes);
    skedi_pool_free(&r->sets, mem);
    skedi_keymap_free(&r->set_of, mem);
}

/* Shapes and soft rules that go by a set. */
static uint32_t filter_uses_of(const sked_engine *e, uint32_t set)
{
    uint32_t uses = 0;

    for (uint32_t i = 0; i < e->soft.lists.n; i++) {
        const engine_preferred *list = preferred_at(e, i);
        uses += list->name && list->own == set;
        for (uint32_t p = 0; list->name && p < list->n; p++) {
            uses += list->at[p].set == set;
        }
    }
    for (uint32_t i = 0; i < e->shapes.n; i++) {
        uses += shape_at(e, i)->uses > 0 && shape_at(e, i)->set == set;
    }
    return uses;
}

int skedi_sets_are_sound(const sked_engine *e)
{
    const engine_rules *r = &e->rules;
    uint32_t live = 0, counting = 0;

    for (uint32_t s = 0; s < r->sets.n; s++) {
        if (set_at(e, s)->uses != filter_uses_of(e, s)) return 0;
        if (!set_at(e, s)->uses) continue;
        live++;
        counting += set_at(e, s)->counts;
        for (uint32_t n = e->first_node; n != SKEDI_NONE;
             n = node_at(e, n)->next) {
            uint64_t word = r->takes[(size_t)n * r->words + s / 64];
            int said = (int)(word >> s % 64 & 1);
            if (said !=
                filter_set_says(e, set_at(e, s), n, SKED_RULE_FLAG_NODE)) {
                return 0;
            }
        }
    }
    return live == r->sets.live && counting == r->counting;
}
