/*
 * What the host said stands in rows by node, as bits of sets do. One row more
 * than there are nodes takes what is said of a node before its event has
 * changed anything, so that a host which refuses leaves all as it was.
 */
#include "engine/order/predicates.h"

#include <stddef.h>
#include <string.h>

#include "base/fail.h"
#include "engine/pace.h"
#include "engine/store.h"
#include "rule/judge.h"

enum { PREDICATES_AT_FIRST = 8 };

static engine_predicate *predicate_at(const sked_engine *e, uint32_t predicate)
{
    return (engine_predicate *)e->rules.predicates.pool.item + predicate;
}

static uint32_t predicate_of(const sked_engine *e, uint64_t key)
{
    return skedi_keymap_get(&e->rules.predicates.of, key);
}

/* The answers about a node; in the row `cap` those of the version that is about
 * to begin. */
static uint8_t *answers_on(const sked_engine *e, size_t node)
{
    const engine_predicates *all = &e->rules.predicates;

    return all->said + node * all->width;
}

int32_t skedi_predicate_says(const sked_engine *e, uint64_t key, uint32_t node)
{
    return answers_on(e, node)[predicate_of(e, key)];
}

static uint64_t answer_hash(const sked_engine *e, uint32_t node, uint8_t answer)
{
    skedi_hash hash;

    skedi_hash_start(&hash, node_at(e, node)->key);
    skedi_hash_u32(&hash, answer);
    return skedi_hash_end(&hash);
}

/* ---- Memory ---- */

/* Rows of so many bytes for so many nodes and one, with what there is. 0: no
 * memory. */
static int widen_said(sked_engine *e, size_t cap, size_t width)
{
    engine_predicates *all = &e->rules.predicates;
    uint8_t *said = skedi_new(&e->hooks.mem, cap + 1, width);

    if (!said) return 0;
    for (size_t n = 0; all->said && n < all->cap; n++) {
        memcpy(said + n * width, answers_on(e, n), all->width);
    }
    if (all->said)
        skedi_free(&e->hooks.mem, all->said, all->cap + 1, all->width);
    all->said = said;
    all->cap = cap;
    all->width = width;
    return 1;
}

int skedi_predicates_node_reserve(sked_engine *e)
{
    const engine_predicates *all = &e->rules.predicates;

    if (!all->said || e->nodes.cap <= all->cap) return 1;
    return widen_said(e, e->nodes.cap, all->width);
}

/* Memory for one more. 0: there is none. */
static int predicate_reserve(sked_engine *e)
{
    engine_predicates *all = &e->rules.predicates;
    size_t width = all->width ? all->width : PREDICATES_AT_FIRST;

    if (all->pool.live == width) width *= 2;
    return skedi_pool_reserve(&all->pool, &e->hooks.mem, 1) &&
           skedi_keymap_reserve(&all->of, &e->hooks.mem, all->of.n + 1) &&
           ((all->said && width == all->width) ||
            widen_said(e, e->nodes.cap, width));
}

/* ---- Asking ---- */

/* Asks the host one question. SKED_OK, SKED_ERR_ARG (no such answer) or why the
 * host stopped it. */
static sked_status ask_host(sked_engine *e, uint64_t predicate, uint64_t node,
                            uint8_t *said)
{
    const sked_host *host = &e->hooks.host;
    int32_t answer = -1;
    sked_status rc = host->judge(host->user, predicate, node, &answer);

    if (rc != SKED_OK) return skedi_hooks_stop(rc);
    if (!skedi_rule_is_answer(answer)) return SKED_ERR_ARG;
    *said = (uint8_t)answer;
    return skedi_pace_look(e);
}

/* Makes a predicate that no rule had yet, and asks the host about all nodes. As
 * skedi_predicate_use(). */
static sked_status make_predicate(sked_engine *e, uint64_t key)
{
    engine_predicates *all = &e->rules.predicates;
    uint64_t digest = 0;

    if (!predicate_reserve(e)) return SKED_ERR_NOMEM;
    uint32_t at = skedi_pool_take(&all->pool);
    *predicate_at(e, at) = (engine_predicate){.key = key};
    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        uint8_t *said = &answers_on(e, n)[at];
        sked_status rc = ask_host(e, key, node_at(e, n)->key, said);
        if (rc != SKED_OK) {
            skedi_pool_give(&all->pool, at);
            return rc;
        }
        digest += answer_hash(e, n, *said);
    }
    predicate_at(e, at)->digest = digest;
    skedi_keymap_put(&all->of, key, at);
    return SKED_OK;
}

sked_status skedi_predicate_use(sked_engine *e, uint64_t key)
{
    sked_status rc = SKED_OK;

    if (predicate_of(e, key) == SKEDI_NONE) rc = make_predicate(e, key);
    if (rc == SKED_OK) predicate_at(e, predicate_of(e, key))->uses++;
    return rc;
}

void skedi_predicate_unuse(sked_engine *e, uint64_t key)
{
    uint32_t at = predicate_of(e, key);

    if (--predicate_at(e, at)->uses > 0) return;
    skedi_keymap_remove(&e->rules.predicates.of, key);
    skedi_pool_give(&e->rules.predicates.pool, at);
}

sked_status skedi_predicates_ask(sked_engine *e, uint64_t node)
{
    const engine_predicates *all = &e->rules.predicates;
    sked_status rc = SKED_OK;

    for (uint32_t p = 0; rc == SKED_OK && p < all->pool.n; p++) {
        if (!predicate_at(e, p)->uses) continue;
        rc = ask_host(e, predicate_at(e, p)->key, node,
                      &answers_on(e, all->cap)[p]);
    }
    return rc;
}

sked_status skedi_predicates_fail(sked_error *err, sked_status rc)
{
    if (rc != SKED_ERR_ARG) return skedi_fail_stopped(err, rc);
    return skedi_fail_plain(err, rc, "the host's answer is none");
}

/* ---- Nodes ---- */

/* Adds the answers about a node to the digests (`by` 1), or takes them off
 * (-1). */
static void count_answers(sked_engine *e, uint32_t node, int by)
{
    for (uint32_t p = 0; p < e->rules.predicates.pool.n; p++) {
        engine_predicate *one = predicate_at(e, p);
        if (!one->uses) continue;
        uint64_t hash = answer_hash(e, node, answers_on(e, node)[p]);
        one->digest += by < 0 ? 0 - hash : hash;
    }
}

void skedi_predicates_keep(sked_engine *e, uint32_t node, int came)
{
    const engine_predicates *all = &e->rules.predicates;

    if (skedi_predicates_none(e)) return;
    if (!came) count_answers(e, node, -1);
    memcpy(answers_on(e, node), answers_on(e, all->cap), all->width);
    count_answers(e, node, 1);
}

void skedi_predicates_lose_node(sked_engine *e, uint32_t node)
{
    if (!skedi_predicates_none(e)) count_answers(e, node, -1);
}

/* ---- Life ---- */

uint64_t skedi_predicate_digest(const sked_engine *e, uint64_t key)
{
    return predicate_at(e, predicate_of(e, key))->digest;
}

void skedi_predicates_start(sked_engine *e)
{
    engine_predicates *all = &e->rules.predicates;

    skedi_pool_start(&all->pool, sizeof(engine_predicate));
    skedi_keymap_start(&all->of, &all->pool.item, sizeof(engine_predicate),
                       offsetof(engine_predicate, key));
}

void skedi_predicates_free(sked_engine *e)
{
    engine_predicates *all = &e->rules.predicates;
    skedi_mem *mem = &e->hooks.mem;

    if (all->said) skedi_free(mem, all->said, all->cap + 1, all->width);
    skedi_pool_free(&all->pool, mem);
    skedi_keymap_free(&all->of, mem);
}

/* How many terms of sets name a predicate? */
static uint32_t terms_with(const sked_engine *e, uint64_t key)
{
    uint32_t uses = 0;

    for (uint32_t s = 0; s < e->rules.sets.n; s++) {
        const engine_rule_set *set = set_at(e, s);
        for (uint32_t i = 0; set->uses && i < set->n_terms; i++) {
            uses += set->terms[i].op == SKED_RULE_OP_HOST &&
                    set->terms[i].key == key;
        }
    }
    return uses;
}

int skedi_predicates_are_sound(const sked_engine *e)
{
    const engine_predicates *all = &e->rules.predicates;
    uint32_t live = 0;

    for (uint32_t p = 0; p < all->pool.n; p++) {
        const engine_predicate *one = predicate_at(e, p);
        uint64_t digest = 0;
        if (!one->uses) continue;
        live++;
        if (one->uses != terms_with(e, one->key)) return 0;
        for (uint32_t n = e->first_node; n != SKEDI_NONE;
             n = node_at(e, n)->next) {
            if (!skedi_rule_is_answer(answers_on(e, n)[p])) return 0;
            digest += answer_hash(e, n, answers_on(e, n)[p]);
        }
        if (digest != one->digest || predicate_of(e, one->key) != p) return 0;
    }
    return live == all->pool.live && live == all->of.n;
}
