/*
 * Tags are numbered while some ask has them, so that a tag and a place together
 * are one key of the map of tallies. What an ask has stands beside it, by its
 * number: most asks have none, and none are looked for before there are any.
 */
#include "engine/order/tags.h"

#include <stddef.h>
#include <string.h>

#include "engine/store.h"

static engine_tag *tag_at(const sked_engine *e, uint32_t tag)
{
    return (engine_tag *)e->tags.known.item + tag;
}

static engine_tag_list *tag_list_of(const sked_engine *e, uint32_t ask)
{
    uint32_t list = skedi_keymap_get(&e->tags.list_of, (uint64_t)ask + 1);

    if (list == SKEDI_NONE) return NULL;
    return (engine_tag_list *)e->tags.lists.item + list;
}

uint32_t skedi_tags_of(const sked_engine *e, uint32_t ask,
                       const uint32_t **tags)
{
    const engine_tag_list *list = NULL;

    if (skedi_tags_used(e)) list = tag_list_of(e, ask);
    if (!list) return 0;
    *tags = list->tag;
    return list->n;
}

uint64_t skedi_tag_key(const sked_engine *e, uint32_t tag)
{
    return tag_at(e, tag)->key;
}

/* ---- Tallies ---- */

static uint64_t tally_name(uint32_t tag, uint32_t where)
{
    return (uint64_t)tag << 32 | where;
}

static engine_tally *tally_at(const sked_engine *e, uint32_t tally)
{
    return (engine_tally *)e->tags.tallies.item + tally;
}

int skedi_tallies_reserve(sked_engine *e, uint64_t more)
{
    return skedi_pool_reserve(&e->tags.tallies, &e->hooks.mem, more) &&
           skedi_keymap_reserve(&e->tags.tally_of, &e->hooks.mem,
                                e->tags.tally_of.n + (size_t)more);
}

void skedi_tally_add(sked_engine *e, uint32_t tag, uint32_t where, int64_t by)
{
    uint64_t name = tally_name(tag, where);
    uint32_t tally = skedi_keymap_get(&e->tags.tally_of, name);

    if (tally == SKEDI_NONE) {
        tally = skedi_pool_take(&e->tags.tallies);
        *tally_at(e, tally) = (engine_tally){.name = name};
        skedi_keymap_put(&e->tags.tally_of, name, tally);
    }
    tally_at(e, tally)->count += by;
    if (tally_at(e, tally)->count > 0) return;
    skedi_keymap_remove(&e->tags.tally_of, name);
    skedi_pool_give(&e->tags.tallies, tally);
}

int64_t skedi_tally_get(const sked_engine *e, uint64_t key, uint32_t where)
{
    uint32_t tag = skedi_keymap_get(&e->tags.tag_of, key);

    if (tag == SKEDI_NONE) return 0;
    uint32_t tally = skedi_keymap_get(&e->tags.tally_of,
                                      tally_name(tag, where));
    return tally == SKEDI_NONE ? 0 : tally_at(e, tally)->count;
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

static void use_tag(sked_engine *e, uint64_t key, uint32_t *number)
{
    *number = skedi_keymap_get(&e->tags.tag_of, key);
    if (*number == SKEDI_NONE) {
        *number = skedi_pool_take(&e->tags.known);
        *tag_at(e, *number) = (engine_tag){.key = key};
        skedi_keymap_put(&e->tags.tag_of, key, *number);
    }
    tag_at(e, *number)->uses++;
}

static void drop_list(sked_engine *e, engine_tag_list *list)
{
    for (uint32_t i = 0; i < list->n; i++) {
        engine_tag *tag = tag_at(e, list->tag[i]);
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

    if (skedi_tags_used(e)) list = tag_list_of(e, ask);
    if (list) drop_list(e, list);
}

int skedi_tags_reserve(sked_engine *e, uint32_t n, uint32_t **tags)
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

void skedi_tags_become(sked_engine *e, uint32_t ask, const uint64_t *keys,
                       uint32_t n, uint32_t *tags)
{
    skedi_tags_forget(e, ask);
    if (n == 0) return;
    for (uint32_t i = 0; i < n; i++) use_tag(e, keys[i], &tags[i]);
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
