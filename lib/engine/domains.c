/*
 * Domains, and counts of tasks by tag: facts beyond attributes that rules ask of
 * nodes. A domain is the nodes of a partition that share the value of an
 * attribute.
 *
 * Invariants: the domains of a key stand in order of partition and value, so a
 * search halves them. A count by tag exists while tasks with the tag run.
 */
#include <stddef.h>
#include <string.h>

#include "base/fail.h"
#include "engine/domains.h"
#include "engine/queue.h"
#include "engine/pace.h"
#include "engine/store.h"
#include "engine/watch.h"
#include "rule/judge.h"

/*
 * Tags are numbered while some ask has them, so that a tag and a place together
 * are one key of the map of tallies. What an ask has stands beside it, by its
 * number: most asks have none, and none are looked for before there are any.
 */

static engine_tag *domain_tag_at(const sked_engine *e, uint32_t tag)
{
    return (engine_tag *)e->tags.known.item + tag;
}

static engine_tag_list *domain_tag_list_of(const sked_engine *e, uint32_t ask)
{
    uint32_t list = skedi_keymap_get(&e->tags.list_of, (uint64_t)ask + 1);

    if (list == SKEDI_NONE) return NULL;
    return (engine_tag_list *)e->tags.lists.item + list;
}

uint32_t skedi_tags_of(const sked_engine *e, uint32_t ask,
                       const uint32_t **tags)
{
    const engine_tag_list *list = NULL;

    if (skedi_tags_used(e)) list = domain_tag_list_of(e, ask);
    if (!list) return 0;
    *tags = list->tag;
    return list->n;
}

uint64_t skedi_tag_key(const sked_engine *e, uint32_t tag)
{
    return domain_tag_at(e, tag)->key;
}

/* ---- Tallies ---- */

static uint64_t domain_tally_name(uint32_t tag, uint32_t where)
{
    return (uint64_t)tag << 32 | where;
}

static engine_tally *domain_tally_at(const sked_engine *e, uint32_t tally)
{
    return (engine_tally *)e->tags.tallies.item + tally;
}

/* Memory for so many tallies more. 0: there is none. */
static int domain_tallies_reserve(sked_engine *e, uint64_t more)
{
    return skedi_pool_reserve(&e->tags.tallies, &e->hooks.mem, more) &&
           skedi_keymap_reserve(&e->tags.tally_of, &e->hooks.mem,
                                e->tags.tally_of.n + (size_t)more);
}

/* Adds `by` tasks (negative: takes) to a count by tag. Memory was reserved. */
static void domain_tally_add(sked_engine *e, uint32_t tag, uint32_t where,
                             int64_t by)
{
    uint64_t name = domain_tally_name(tag, where);
    uint32_t tally = skedi_keymap_get(&e->tags.tally_of, name);

    if (tally == SKEDI_NONE) {
        tally = skedi_pool_take(&e->tags.tallies);
        *domain_tally_at(e, tally) = (engine_tally){.name = name};
        skedi_keymap_put(&e->tags.tally_of, name, tally);
    }
    domain_tally_at(e, tally)->count += by;
    if (domain_tally_at(e, tally)->count > 0) return;
    skedi_keymap_remove(&e->tags.tally_of, name);
    skedi_pool_give(&e->tags.tallies, tally);
}

int64_t skedi_tally_get(const sked_engine *e, uint64_t key, uint32_t where)
{
    uint32_t tag = skedi_keymap_get(&e->tags.tag_of, key);

    if (tag == SKEDI_NONE) return 0;
    uint32_t tally = skedi_keymap_get(&e->tags.tally_of,
                                      domain_tally_name(tag, where));
    return tally == SKEDI_NONE ? 0 : domain_tally_at(e, tally)->count;
}

/* ---- What asks have ---- */

uint32_t skedi_tags_sort(const uint64_t *keys, uint32_t n, uint64_t *sorted)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = kept;
        while (at > 0 && sorted[at - 1] > keys[i]) at--;
        if (at > 0 && sorted[at - 1] == keys[i]) continue;
        memmove(sorted + at + 1, sorted + at, (kept - at) * sizeof *sorted);
        sorted[at] = keys[i];
        kept++;
    }
    return kept;
}

static void domain_use_tag(sked_engine *e, uint64_t key, uint32_t *number)
{
    *number = skedi_keymap_get(&e->tags.tag_of, key);
    if (*number == SKEDI_NONE) {
        *number = skedi_pool_take(&e->tags.known);
        *domain_tag_at(e, *number) = (engine_tag){.key = key};
        skedi_keymap_put(&e->tags.tag_of, key, *number);
    }
    domain_tag_at(e, *number)->uses++;
}

static void domain_drop_list(sked_engine *e, engine_tag_list *list)
{
    for (uint32_t i = 0; i < list->n; i++) {
        engine_tag *tag = domain_tag_at(e, list->tag[i]);
        if (--tag->uses > 0) continue;
        skedi_keymap_remove(&e->tags.tag_of, tag->key);
        skedi_pool_give(&e->tags.known, list->tag[i]);
    }
    skedi_free(&e->hooks.mem, list->tag, list->n, sizeof *list->tag);
    skedi_keymap_remove(&e->tags.list_of, list->name);
    skedi_pool_give(&e->tags.lists,
                    (uint32_t)(list - (engine_tag_list *)e->tags.lists.item));
}

void skedi_tags_forget(sked_engine *e, uint32_t ask)
{
    engine_tag_list *list = NULL;

    if (skedi_tags_used(e)) list = domain_tag_list_of(e, ask);
    if (list) domain_drop_list(e, list);
}

/* Memory for one more list of `n` tags, which is for domain_tags_become(). 0: no
 * memory. */
static int domain_tags_reserve(sked_engine *e, uint32_t n, uint32_t **tags)
{
    skedi_mem *mem = &e->hooks.mem;
    engine_tags *t = &e->tags;

    *tags = NULL;
    if (!skedi_pool_reserve(&t->lists, mem, 1) ||
        !skedi_keymap_reserve(&t->list_of, mem, t->list_of.n + 1) ||
        !skedi_pool_reserve(&t->known, mem, n) ||
        !skedi_keymap_reserve(&t->tag_of, mem, t->tag_of.n + n)) {
        return 0;
    }
    if (n) *tags = skedi_new(mem, n, sizeof **tags);
    return n == 0 || *tags != NULL;
}

/* An ask has these tags from now on; memory was reserved. Tallies of what runs
 * stay as they are. O(tags). */
static void domain_tags_become(sked_engine *e, uint32_t ask,
                               const uint64_t *keys, uint32_t n, uint32_t *tags)
{
    skedi_tags_forget(e, ask);
    if (n == 0) return;
    for (uint32_t i = 0; i < n; i++) domain_use_tag(e, keys[i], &tags[i]);
    uint32_t list = skedi_pool_take(&e->tags.lists);
    ((engine_tag_list *)e->tags.lists.item)[list] = (engine_tag_list){
        .name = (uint64_t)ask + 1, .tag = tags, .n = n};
    skedi_keymap_put(&e->tags.list_of, (uint64_t)ask + 1, list);
}

/* ---- Life ---- */

void skedi_tags_start(sked_engine *e)
{
    engine_tags *t = &e->tags;

    skedi_pool_start(&t->known, sizeof(engine_tag));
    skedi_pool_start(&t->lists, sizeof(engine_tag_list));
    skedi_pool_start(&t->tallies, sizeof(engine_tally));
    skedi_keymap_start(&t->tag_of, &t->known.item, sizeof(engine_tag),
                       offsetof(engine_tag, key));
    skedi_keymap_start(&t->list_of, &t->lists.item, sizeof(engine_tag_list),
                       offsetof(engine_tag_list, name));
    skedi_keymap_start(&t->tally_of, &t->tallies.item, sizeof(engine_tally),
                       offsetof(engine_tally, name));
}

void skedi_tags_free(sked_engine *e)
{
    engine_tags *t = &e->tags;
    skedi_mem *mem = &e->hooks.mem;

    for (uint32_t i = 0; i < t->lists.n; i++) {
        const engine_tag_list *list = (engine_tag_list *)t->lists.item + i;
        skedi_free(mem, list->tag, list->n, sizeof *list->tag);
    }
    skedi_pool_free(&t->known, mem);
    skedi_pool_free(&t->lists, mem);
    skedi_pool_free(&t->tallies, mem);
    skedi_keymap_free(&t->tag_of, mem);
    skedi_keymap_free(&t->list_of, mem);
    skedi_keymap_free(&t->tally_of, mem);
}

/*
 * The domains of a key stand in order, so that one is found by halving and
 * those of a partition are a run. Values of a node stand in order, too, and one
 * that is said twice counts once.
 */

static engine_domain_key *domain_key_at(const sked_engine *e, uint32_t key)
{
    return (engine_domain_key *)e->domains.keys.item + key;
}

static engine_domain_key *domain_key_in_use(const sked_engine *e, uint64_t key)
{
    uint32_t number = skedi_keymap_get(&e->domains.key_of, key);

    return number == SKEDI_NONE ? NULL : domain_key_at(e, number);
}

/* ---- Finding ---- */

/* Where a domain of a key stands, or would. */
static uint32_t domain_slot(const sked_engine *e, const engine_domain_key *key,
                            uint32_t partition, int64_t value)
{
    uint32_t from = 0, to = key->n;

    while (from < to) {
        uint32_t at = from + (to - from) / 2;
        const engine_domain *d = skedi_domain_at(e, key->at[at]);
        if (d->partition < partition ||
            (d->partition == partition && d->value < value)) {
            from = at + 1;
        } else {
            to = at;
        }
    }
    return from;
}

static uint32_t domain_find_domain(const sked_engine *e,
                                   const engine_domain_key *key,
                                   uint32_t partition, int64_t value)
{
    uint32_t slot = domain_slot(e, key, partition, value);

    if (slot == key->n) return SKEDI_NONE;
    const engine_domain *d = skedi_domain_at(e, key->at[slot]);
    int same = d->partition == partition && d->value == value;
    return same ? key->at[slot] : SKEDI_NONE;
}

/* The next pair of a node's that makes it one of a domain. 0: no more. */
static int domain_next_pair(const sked_engine *e, const sked_rule_attribute *at,
                            uint64_t n, engine_domain_walk *w)
{
    while (w->next < n) {
        uint64_t i = w->next++;
        if (i > 0 && at[i].key == at[i - 1].key &&
            at[i].value == at[i - 1].value) {
            continue;
        }
        w->key = domain_key_in_use(e, at[i].key);
        w->value = at[i].value;
        if (w->key && (!w->only || w->only == w->key)) return 1;
    }
    return 0;
}

uint32_t skedi_domain_next(const sked_engine *e, uint32_t node,
                           engine_domain_walk *w)
{
    const engine_traits *own = &e->rules.traits[node];

    if (!e->domains.keys.live || !domain_next_pair(e, own->at, own->n, w)) {
        return SKEDI_NONE;
    }
    return domain_find_domain(e, w->key, node_at(e, node)->partition, w->value);
}

engine_domain_walk skedi_domains_of(const sked_engine *e, uint64_t key)
{
    return (engine_domain_walk){.only = domain_key_in_use(e, key)};
}

/* ---- Counting ---- */

int skedi_work_reserve(sked_engine *e, uint32_t ask, uint32_t node)
{
    const uint32_t *tags;
    uint64_t n = skedi_tags_of(e, ask, &tags), places = 1;
    engine_domain_walk w = {0};

    if (n == 0) return 1;
    while (skedi_domain_next(e, node, &w) != SKEDI_NONE) places++;
    return domain_tallies_reserve(e, n * places);
}

int skedi_work_reserve_any(sked_engine *e, uint32_t ask, uint64_t nodes)
{
    const uint32_t *tags;
    uint64_t n = skedi_tags_of(e, ask, &tags);

    return n == 0 || domain_tallies_reserve(e, n * (nodes + e->domains.all.n));
}

void skedi_work_count(sked_engine *e, uint32_t ask, uint32_t node, int64_t by)
{
    const uint32_t *tags;
    uint32_t n = skedi_tags_of(e, ask, &tags), domain;
    engine_domain_walk w = {0};

    if (n == 0) return;
    for (uint32_t i = 0; i < n; i++) domain_tally_add(e, tags[i], node, by);
    while ((domain = skedi_domain_next(e, node, &w)) != SKEDI_NONE) {
        for (uint32_t i = 0; i < n; i++) {
            domain_tally_add(e, tags[i], domain | SKEDI_IN_DOMAIN, by);
        }
    }
    node_at(e, node)->seen = 0;
    if (e->domains.keys.live) {
        skedi_partition_stir(e, node_at(e, node)->partition);
    }
}

/* All that runs of an ask is counted (1), or no longer (-1). */
static void domain_count_groups(sked_engine *e, uint32_t ask, int by)
{
    for (uint32_t i = ask_at(e, ask)->first_group; i != SKEDI_NONE;
         i = group_at(e, i)->ask_next) {
        const engine_group *g = group_at(e, i);
        skedi_pace_work(e);
        skedi_work_count(e, ask, g->node, by * (int64_t)g->count);
        skedi_watch_node(e, g->node);
    }
}

sked_status skedi_work_tag(sked_engine *e, uint32_t ask, const uint64_t *keys,
                           uint32_t n)
{
    uint64_t sorted[SKED_MAX_ASK_TAGS], places = 0;
    uint32_t *tags;

    n = skedi_tags_sort(keys, n, sorted);
    for (uint32_t i = ask_at(e, ask)->first_group; i != SKEDI_NONE;
         i = group_at(e, i)->ask_next) {
        engine_domain_walk w = {0};
        do places++;
        while (skedi_domain_next(e, group_at(e, i)->node, &w) != SKEDI_NONE);
    }
    if (!domain_tallies_reserve(e, n * places) ||
        !domain_tags_reserve(e, n, &tags)) {
        return SKED_ERR_NOMEM;
    }
    domain_count_groups(e, ask, -1);
    domain_tags_become(e, ask, sorted, n, tags);
    domain_count_groups(e, ask, 1);
    return SKED_OK;
}

/* ---- Domains that come and go ---- */

/* How many tallies the tasks on a node need at most in one domain. */
static uint64_t domain_tags_on_node(const sked_engine *e, uint32_t node)
{
    uint64_t n = 0;

    for (uint32_t i = node_at(e, node)->first_group;
         skedi_tags_used(e) && i != SKEDI_NONE; i = group_at(e, i)->next) {
        const uint32_t *tags;
        n += skedi_tags_of(e, group_at(e, i)->ask, &tags);
    }
    return n;
}

/* Adds the tasks on a node to a domain (`by` 1), or takes them away (-1). */
static void domain_count_node_in(sked_engine *e, uint32_t node, uint32_t domain,
                                 int by)
{
    for (uint32_t i = node_at(e, node)->first_group;
         skedi_tags_used(e) && i != SKEDI_NONE; i = group_at(e, i)->next) {
        const engine_group *g = group_at(e, i);
        const uint32_t *tags;
        uint32_t n = skedi_tags_of(e, g->ask, &tags);
        for (uint32_t t = 0; t < n; t++) {
            domain_tally_add(e, tags[t], domain | SKEDI_IN_DOMAIN,
                             by * (int64_t)g->count);
        }
    }
}

static uint32_t domain_make_domain(sked_engine *e, engine_domain_key *key,
                                   uint32_t partition, int64_t value)
{
    uint32_t slot = domain_slot(e, key, partition, value);
    uint32_t domain = skedi_pool_take(&e->domains.all);

    *skedi_domain_at(e, domain) = (engine_domain){.value = value,
                                                  .partition = partition};
    memmove(key->at + slot + 1, key->at + slot,
            (key->n - slot) * sizeof *key->at);
    key->at[slot] = domain;
    key->n++;
    return domain;
}

static void domain_drop_domain(sked_engine *e, engine_domain_key *key,
                               uint32_t domain)
{
    const engine_domain *d = skedi_domain_at(e, domain);
    uint32_t slot = domain_slot(e, key, d->partition, d->value);

    key->n--;
    memmove(key->at + slot, key->at + slot + 1,
            (key->n - slot) * sizeof *key->at);
    skedi_pool_give(&e->domains.all, domain);
}

/* A node joins its domains, of one key or (NULL) of all. */
static void domain_join_domains(sked_engine *e, uint32_t node,
                                const engine_domain_key *only)
{
    const engine_traits *own = &e->rules.traits[node];
    uint32_t partition = node_at(e, node)->partition;
    engine_domain_walk w = {.only = only};

    while (domain_next_pair(e, own->at, own->n, &w)) {
        engine_domain_key *key = domain_key_in_use(e, w.key->key);
        uint32_t domain = domain_find_domain(e, key, partition, w.value);
        if (domain == SKEDI_NONE) {
            domain = domain_make_domain(e, key, partition, w.value);
        }
        skedi_domain_at(e, domain)->nodes++;
        domain_count_node_in(e, node, domain, 1);
    }
    skedi_partition_stir(e, partition);
}

static void domain_leave_domains(sked_engine *e, uint32_t node,
                                 const engine_domain_key *only)
{
    engine_domain_walk w = {.only = only};
    uint32_t domain;

    while ((domain = skedi_domain_next(e, node, &w)) != SKEDI_NONE) {
        domain_count_node_in(e, node, domain, -1);
        if (--skedi_domain_at(e, domain)->nodes > 0) continue;
        domain_drop_domain(e, domain_key_in_use(e, w.key->key), domain);
    }
    skedi_partition_stir(e, node_at(e, node)->partition);
}

void skedi_domains_join(sked_engine *e, uint32_t node)
{
    if (e->domains.keys.live) domain_join_domains(e, node, NULL);
}

void skedi_domains_leave(sked_engine *e, uint32_t node)
{
    if (e->domains.keys.live) domain_leave_domains(e, node, NULL);
}

/* Memory for so many domains of a key more. 0: there is none. */
static int domain_key_reserve(sked_engine *e, engine_domain_key *key,
                              uint64_t more)
{
    void *at = key->at;

    if (!skedi_ensure(&e->hooks.mem, &at, &key->cap, key->n + (size_t)more,
                      sizeof *key->at)) {
        return 0;
    }
    key->at = at;
    return 1;
}

int skedi_domains_reserve(sked_engine *e, uint32_t node,
                          const sked_rule_attribute *at, uint64_t n)
{
    engine_domain_walk w = {0};
    uint64_t places = 0;

    if (!e->domains.keys.live) return 1;
    while (domain_next_pair(e, at, n, &w)) {
        places++;
        if (!domain_key_reserve(e, domain_key_in_use(e, w.key->key), places))
            return 0;
    }
    return skedi_pool_reserve(&e->domains.all, &e->hooks.mem, places) &&
           (node == SKEDI_NONE ||
            domain_tallies_reserve(e, places * domain_tags_on_node(e, node)));
}

int skedi_domains_reserve_again(sked_engine *e, uint32_t node)
{
    if (!e->rules.used) return 1;
    return skedi_domains_reserve(e, node, e->rules.traits[node].at,
                                 e->rules.traits[node].n);
}

/* Memory for all nodes to join the domains of a new key. 0: no memory. */
static int domain_key_joins_reserve(sked_engine *e, engine_domain_key *key)
{
    uint64_t places = 0, tallies = 0;

    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        const engine_traits *own = &e->rules.traits[n];
        engine_domain_walk w = {.only = key};
        skedi_pace_work(e);
        uint64_t before = places;
        while (domain_next_pair(e, own->at, own->n, &w)) places++;
        if (places > before)
            tallies += (places - before) * domain_tags_on_node(e, n);
    }
    return domain_key_reserve(e, key, places) &&
           skedi_pool_reserve(&e->domains.all, &e->hooks.mem, places) &&
           domain_tallies_reserve(e, tallies);
}

static void domain_forget_key(sked_engine *e, engine_domain_key *key)
{
    skedi_free(&e->hooks.mem, key->at, key->cap, sizeof *key->at);
    skedi_keymap_remove(&e->domains.key_of, key->key);
    skedi_pool_give(&e->domains.keys, (uint32_t)(key - domain_key_at(e, 0)));
}

int skedi_domains_use(sked_engine *e, uint64_t name)
{
    skedi_mem *mem = &e->hooks.mem;
    engine_domain_key *key = domain_key_in_use(e, name);

    if (!key) {
        if (!skedi_pool_reserve(&e->domains.keys, mem, 1) ||
            !skedi_keymap_reserve(&e->domains.key_of, mem,
                                  e->domains.key_of.n + 1)) {
            return 0;
        }
        uint32_t number = skedi_pool_take(&e->domains.keys);
        key = domain_key_at(e, number);
        *key = (engine_domain_key){.key = name};
        skedi_keymap_put(&e->domains.key_of, name, number);
        if (!domain_key_joins_reserve(e, key)) {
            domain_forget_key(e, key);
            return 0;
        }
        for (uint32_t n = e->first_node; n != SKEDI_NONE;
             n = node_at(e, n)->next) {
            skedi_pace_work(e);
            domain_join_domains(e, n, key);
        }
    }
    key->uses++;
    return 1;
}

void skedi_domains_unuse(sked_engine *e, uint64_t name)
{
    engine_domain_key *key = domain_key_in_use(e, name);

    if (--key->uses > 0) return;
    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        domain_leave_domains(e, n, key);
    }
    domain_forget_key(e, key);
}

/* ---- Answers ---- */

static int64_t domain_tasks_with_value(const sked_engine *e, uint64_t tag,
                                       const engine_domain_key *key,
                                       uint32_t partition, int64_t value)
{
    uint32_t domain = domain_find_domain(e, key, partition, value);

    if (domain == SKEDI_NONE) return 0;
    return skedi_tally_get(e, tag, domain | SKEDI_IN_DOMAIN);
}

/* How many tasks with the tag of a spread the value with fewest has. */
static int64_t domain_fewest(const sked_engine *e, const engine_domain_key *key,
                             uint32_t partition, const sked_rule_term *t,
                             const int64_t *values)
{
    int64_t least = INT64_MAX;

    for (uint32_t i = 1; i < t->n; i++) {
        int64_t count = domain_tasks_with_value(e, t->key, key, partition,
                                                values[i]);
        least = skedi_i64_min(least, count);
    }
    if (t->n > 1) return least;
    for (uint32_t i = domain_slot(e, key, partition, INT64_MIN); i < key->n;
         i++) {
        if (skedi_domain_at(e, key->at[i])->partition != partition) break;
        int64_t count = skedi_tally_get(e, t->key,
                                        key->at[i] | SKEDI_IN_DOMAIN);
        least = skedi_i64_min(least, count);
    }
    return least;
}

static int domain_is_listed(const sked_rule_term *t, const int64_t *values,
                            int64_t value)
{
    for (uint32_t i = 1; i < t->n; i++) {
        if (values[i] == value) return 1;
    }
    return t->n == 1;
}

/* Is a node in a domain with this value? */
static int domain_is_there(const sked_engine *e, uint32_t node,
                           const engine_domain_key *key, int64_t value)
{
    engine_domain_walk w = {.only = key};

    while (skedi_domain_next(e, node, &w) != SKEDI_NONE) {
        if (w.value == value) return 1;
    }
    return 0;
}

int64_t skedi_work_of_others(const sked_engine *e, uint32_t node,
                             const sked_rule_term *t, const int64_t *values)
{
    const engine_domain_key *key = domain_key_in_use(e, (uint64_t)values[0]);
    uint32_t partition = node_at(e, node)->partition;
    int64_t least = INT64_MAX;

    for (uint32_t i = 1; i < t->n; i++) {
        if (domain_is_there(e, node, key, values[i])) continue;
        int64_t count = domain_tasks_with_value(e, t->key, key, partition,
                                                values[i]);
        least = skedi_i64_min(least, count);
    }
    if (t->n > 1) return least;
    for (uint32_t i = domain_slot(e, key, partition, INT64_MIN); i < key->n;
         i++) {
        const engine_domain *d = skedi_domain_at(e, key->at[i]);
        if (d->partition != partition) break;
        if (domain_is_there(e, node, key, d->value)) continue;
        int64_t count = skedi_tally_get(e, t->key,
                                        key->at[i] | SKEDI_IN_DOMAIN);
        least = skedi_i64_min(least, count);
    }
    return least;
}

int64_t skedi_work_of_term(const sked_engine *e, uint32_t node,
                           const sked_rule_term *t, const int64_t *values,
                           int64_t *least)
{
    int spread = t->op == SKED_RULE_OP_SPREAD;
    int64_t most = spread ? -1 : 0;

    if (t->n == 0) return skedi_tally_get(e, t->key, node);
    engine_domain_walk w = {.only = domain_key_in_use(e, (uint64_t)values[0])};
    uint32_t domain;
    while ((domain = skedi_domain_next(e, node, &w)) != SKEDI_NONE) {
        if (!domain_is_listed(t, values, w.value)) continue;
        int64_t count = skedi_tally_get(e, t->key, domain | SKEDI_IN_DOMAIN);
        most = skedi_i64_max(most, count);
    }
    if (spread) {
        *least = domain_fewest(e, w.only, node_at(e, node)->partition, t,
                               values);
    }
    return most;
}

/* ---- Life ---- */

void skedi_domains_start(sked_engine *e)
{
    engine_domains *d = &e->domains;

    skedi_pool_start(&d->keys, sizeof(engine_domain_key));
    skedi_pool_start(&d->all, sizeof(engine_domain));
    skedi_keymap_start(&d->key_of, &d->keys.item, sizeof(engine_domain_key),
                       offsetof(engine_domain_key, key));
}

void skedi_domains_free(sked_engine *e)
{
    engine_domains *d = &e->domains;
    skedi_mem *mem = &e->hooks.mem;

    for (uint32_t i = 0; i < d->keys.n; i++) {
        const engine_domain_key *key = domain_key_at(e, i);
        skedi_free(mem, key->at, key->cap, sizeof *key->at);
    }
    skedi_pool_free(&d->keys, mem);
    skedi_pool_free(&d->all, mem);
    skedi_keymap_free(&d->key_of, mem);
}
