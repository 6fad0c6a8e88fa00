/* Tallies of tasks by tag against the groups, domains against the nodes. */
#include "engine/api/check.h"

#include "engine/domains.h"
#include "engine/gang_fit.h"
#include "engine/order/sets.h"
#include "rule/judge.h"

static const engine_domain_key *domain_key_of(const sked_engine *e, uint32_t i)
{
    const engine_domain_key *key = (engine_domain_key *)e->domains.keys.item +
                                   i;

    return skedi_keymap_get(&e->domains.key_of, key->key) == i ? key : NULL;
}

static const engine_domain *domain_of(const sked_engine *e, uint32_t i)
{
    return (engine_domain *)e->domains.all.item + i;
}

/* Tasks with a tag on a node, counted. */
static int64_t tagged_on(const sked_engine *e, uint32_t tag, uint32_t node)
{
    int64_t count = 0;

    for (uint32_t i = node_at(e, node)->first_group; i != SKEDI_NONE;
         i = group_at(e, i)->next) {
        const uint32_t *tags;
        uint32_t n = skedi_tags_of(e, group_at(e, i)->ask, &tags);
        for (uint32_t t = 0; t < n; t++) {
            if (tags[t] == tag) count += group_at(e, i)->count;
        }
    }
    return count;
}

static int is_in(const sked_engine *e, uint32_t node, uint64_t key,
                 const engine_domain *domain)
{
    const engine_traits *own = &e->rules.traits[node];
    int in = 0;

    if (node_at(e, node)->partition != domain->partition) return 0;
    for (uint64_t i = 0; i < own->n; i++) {
        in |= own->at[i].key == key && own->at[i].value == domain->value;
    }
    return in;
}

/* Are a tag's tallies right, by node and in one key's domains? `*live` counts
 * them. */
static int tag_is_sound(const sked_engine *e, uint32_t tag,
                        const engine_domain_key *key, uint32_t *live)
{
    uint64_t name = skedi_tag_key(e, tag);

    for (uint32_t i = 0; i < key->n; i++) {
        const engine_domain *d = domain_of(e, key->at[i]);
        int64_t sum = 0;
        for (uint32_t n = e->first_node; n != SKEDI_NONE;
             n = node_at(e, n)->next) {
            if (is_in(e, n, key->key, d)) sum += tagged_on(e, tag, n);
        }
        int64_t said = skedi_tally_get(e, name, key->at[i] | SKEDI_IN_DOMAIN);
        if (sum != said) return 0;
        *live += sum > 0;
    }
    return 1;
}

static int tag_on_nodes_is_sound(const sked_engine *e, uint32_t tag,
                                 uint32_t *live)
{
    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        int64_t count = tagged_on(e, tag, n);
        if (count != skedi_tally_get(e, skedi_tag_key(e, tag), n)) return 0;
        *live += count > 0;
    }
    return 1;
}

/* How many terms of rules count by an attribute, and gangs share a value of it? */
static uint32_t uses_of_attribute(const sked_engine *e, uint64_t key)
{
    uint32_t uses = 0;

    for (uint32_t s = 0; s < e->rules.sets.n; s++) {
        const engine_rule_set *set = set_at(e, s);
        for (uint32_t i = 0; set->uses && i < set->n_terms; i++) {
            const sked_rule_term *t = &set->terms[i];
            uses += skedi_rule_is_by_key(t) &&
                    (uint64_t)set->values[t->first] == key;
        }
    }
    for (uint32_t f = 0; f < e->fits.pool.n; f++) {
        const engine_fit *fit = fit_at(e, f); /* of none `same` is 0 */
        uses += fit->uses && fit->same && fit->same == key;
    }
    return uses;
}

/* Are the domains of a key in order, each with its nodes? */
static int key_is_sound(const sked_engine *e, const engine_domain_key *key)
{
    uint64_t pairs = 0, held = 0;

    for (uint32_t i = 0; i < key->n; i++) {
        const engine_domain *d = domain_of(e, key->at[i]);
        const engine_domain *before = i ? domain_of(e, key->at[i - 1]) : d;
        uint32_t nodes = 0;
        if (i && (before->partition > d->partition ||
                  (before->partition == d->partition &&
                   before->value >= d->value))) {
            return 0;
        }
        for (uint32_t n = e->first_node; n != SKEDI_NONE;
             n = node_at(e, n)->next) {
            nodes += (uint32_t)is_in(e, n, key->key, d);
        }
        if (nodes == 0 || nodes != d->nodes) return 0;
        held += nodes;
    }
    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        const engine_traits *own = &e->rules.traits[n];
        for (uint64_t i = 0; i < own->n; i++) {
            int again = i && own->at[i].key == own->at[i - 1].key &&
                        own->at[i].value == own->at[i - 1].value;
            pairs += own->at[i].key == key->key && !again;
        }
    }
    return pairs == held && key->uses == uses_of_attribute(e, key->key);
}

sked_status skedi_check_work(const sked_engine *e, sked_error *err)
{
    uint32_t live = 0;
    int ok = 1;

    for (uint32_t k = 0; k < e->domains.keys.n; k++) {
        const engine_domain_key *key = domain_key_of(e, k);
        if (key) ok &= key_is_sound(e, key);
    }
    for (uint32_t t = 0; ok && t < e->tags.known.n; t++) {
        uint64_t name = skedi_tag_key(e, t);
        if (skedi_keymap_get(&e->tags.tag_of, name) != t) continue;
        ok &= tag_on_nodes_is_sound(e, t, &live);
        for (uint32_t k = 0; k < e->domains.keys.n; k++) {
            const engine_domain_key *key = domain_key_of(e, k);
            if (key) ok &= tag_is_sound(e, t, key, &live);
        }
    }
    ok &= live == e->tags.tallies.live;
    return ok ? SKED_OK : skedi_engine_broken(err, "tasks by tag", 0);
}
