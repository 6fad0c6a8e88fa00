/*
 * Each ranking is a treap: a search tree by value that is a heap by a number
 * which a node has by chance, so that its depth is O(log nodes) as a rule. A
 * node is in one partition, so the trees of all partitions share one array.
 */
#include "engine/order/ranks.h"

#include <string.h>

#include "engine/pending.h"

/* ---- One ranking ---- */

static int64_t *most_at(const sked_engine *e, const engine_ranking *r,
                        uint32_t node)
{
    return r->most + (size_t)node * e->kinds;
}

static int comes_sooner(const engine_rank *a, const engine_rank *b)
{
    if (a->value != b->value) return a->value < b->value;
    return a->arrival < b->arrival;
}

/* A number by chance, the same on every machine. */
static uint64_t rank_chance(uint32_t node)
{
    uint64_t x = ((uint64_t)node + 1) * UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    return x ^ x >> 31;
}

static void sum_rank(const sked_engine *e, engine_ranking *r, uint32_t node)
{
    const uint32_t below[2] = {r->node[node].left, r->node[node].right};
    int64_t *most = most_at(e, r, node);

    memcpy(most, engine_row_of(e, &e->node_free, node),
           e->kinds * sizeof *most);
    for (int i = 0; i < 2; i++) {
        if (below[i] == SKEDI_NONE) continue;
        const int64_t *theirs = most_at(e, r, below[i]);
        for (uint32_t k = 0; k < e->kinds; k++) {
            most[k] = skedi_i64_max(most[k], theirs[k]);
        }
    }
}

/* Cuts a tree into what comes before a node and what comes after it. */
static void split_ranks(const sked_engine *e, engine_ranking *r, uint32_t root,
                        uint32_t node, uint32_t *left, uint32_t *right)
{
    if (root == SKEDI_NONE) {
        *left = *right = SKEDI_NONE;
        return;
    }
    engine_rank *top = &r->node[root];
    if (comes_sooner(top, &r->node[node])) {
        split_ranks(e, r, top->right, node, &top->right, right);
        *left = root;
    } else {
        split_ranks(e, r, top->left, node, left, &top->left);
        *right = root;
    }
    sum_rank(e, r, root);
}

static uint32_t join_ranks(const sked_engine *e, engine_ranking *r,
                           uint32_t left, uint32_t right)
{
    if (left == SKEDI_NONE) return right;
    if (right == SKEDI_NONE) return left;
    if (rank_chance(left) > rank_chance(right)) {
        uint32_t rest = r->node[left].right;
        r->node[left].right = join_ranks(e, r, rest, right);
        sum_rank(e, r, left);
        return left;
    }
    uint32_t rest = r->node[right].left;
    r->node[right].left = join_ranks(e, r, left, rest);
    sum_rank(e, r, right);
    return right;
}

static uint32_t insert_rank(const sked_engine *e, engine_ranking *r,
                            uint32_t root, uint32_t node)
{
    engine_rank *own = &r->node[node];

    if (root == SKEDI_NONE || rank_chance(node) > rank_chance(root)) {
        split_ranks(e, r, root, node, &own->left, &own->right);
        root = node;
    } else {
        engine_rank *top = &r->node[root];
        uint32_t *down = comes_sooner(own, top) ? &top->left : &top->right;
        *down = insert_rank(e, r, *down, node);
    }
    sum_rank(e, r, root);
    return root;
}

static uint32_t remove_rank(const sked_engine *e, engine_ranking *r,
                            uint32_t root, uint32_t node)
{
    engine_rank *top = &r->node[root];

    if (root == node) return join_ranks(e, r, top->left, top->right);
    uint32_t *down = comes_sooner(&r->node[node], top) ? &top->left
                                                       : &top->right;
    *down = remove_rank(e, r, *down, node);
    sum_rank(e, r, root);
    return root;
}

static int64_t node_value(const sked_engine *e, const engine_ranking *r,
                          uint32_t node)
{
    const int64_t *free = engine_row_of(e, &e->node_free, node);

    if (r->by == ENGINE_RANK_LEAST) return free[r->kind];
    if (r->by == ENGINE_RANK_MOST) return -free[r->kind];
    return r->by == ENGINE_RANK_SCORE ? ~e->ranks.score[node] : 0;
}

static void rank_enter(const sked_engine *e, engine_ranking *r, uint32_t node)
{
    const engine_node *n = node_at(e, node);

    if (n->state != NODE_OPEN) return;
    uint32_t *root = &r->root[n->partition];
    r->node[node] = (engine_rank){.value = node_value(e, r, node),
                                  .arrival = n->arrival,
                                  .partition = n->partition};
    *root = insert_rank(e, r, *root, node);
}

static void rank_leave(const sked_engine *e, engine_ranking *r, uint32_t node)
{
    uint32_t partition = r->node[node].partition;

    if (partition == SKEDI_NONE) return;
    r->root[partition] = remove_rank(e, r, r->root[partition], node);
    r->node[node].partition = SKEDI_NONE;
}

static void order_nodes(const sked_engine *e, engine_ranking *r)
{
    for (size_t p = 0; p < r->parts; p++) r->root[p] = SKEDI_NONE;
    for (size_t n = 0; n < r->cap; n++) r->node[n].partition = SKEDI_NONE;
    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        rank_enter(e, r, n);
    }
}

/* ---- All of them ---- */

static void ranking_free(sked_engine *e, engine_ranking *r)
{
    skedi_mem *mem = &e->hooks.mem;

    skedi_free(mem, r->node, r->cap, sizeof *r->node);
    skedi_free(mem, r->most, r->cap * e->kinds, sizeof *r->most);
    skedi_free(mem, r->root, r->parts, sizeof *r->root);
    *r = (engine_ranking){.by = r->by, .kind = r->kind};
}

/* Makes a ranking anew, with memory for as many nodes and partitions as there
 * may be. 0: no memory. */
static int ranking_make(sked_engine *e, engine_ranking *r)
{
    skedi_mem *mem = &e->hooks.mem;
    size_t cap = e->ranks.cap;

    ranking_free(e, r);
    r->node = skedi_new(mem, cap, sizeof *r->node);
    r->most = r->node ? skedi_new(mem, cap * e->kinds, sizeof *r->most) : NULL;
    r->root = r->most ? skedi_new(mem, e->parts, sizeof *r->root) : NULL;
    if (!r->root) {
        skedi_free(mem, r->most, cap * e->kinds, sizeof *r->most);
        skedi_free(mem, r->node, cap, sizeof *r->node);
        r->node = NULL;
        r->most = NULL;
        return 0;
    }
    r->cap = cap;
    r->parts = e->parts;
    order_nodes(e, r);
    return 1;
}

/* Puts nodes that came, changed or went since in order in all rankings. 0: no
 * memory. */
static int ranks_refresh(sked_engine *e)
{
    engine_rankings *ranks = &e->ranks;

    for (size_t i = 0; i < ranks->n; i++) {
        engine_ranking *r = &ranks->all[i];
        int small = r->cap < ranks->cap || r->parts < e->parts;
        if (small && !ranking_make(e, r)) return 0;
        if (!small && ranks->stale) order_nodes(e, r);
    }
    while (ranks->first != SKEDI_NONE) {
        uint32_t node = ranks->first, next = ranks->moved[node] - 1;
        ranks->first = next == node ? SKEDI_NONE : next;
        ranks->moved[node] = 0;
        for (size_t i = 0; !ranks->stale && i < ranks->n; i++) {
            rank_leave(e, &ranks->all[i], node);
            rank_enter(e, &ranks->all[i], node);
        }
    }
    ranks->stale = 0;
    return 1;
}

int skedi_ranks_open(sked_engine *e)
{
    engine_rankings *r = &e->ranks;
    skedi_mem *mem = &e->hooks.mem;
    size_t cap = e->nodes.cap;

    if (r->n == 0) { /* nothing was kept of what moved */
        r->first = SKEDI_NONE;
        if (r->cap > 0) memset(r->moved, 0, r->cap * sizeof *r->moved);
    }
    if (cap > r->cap) {
        uint32_t *moved = skedi_new(mem, cap, sizeof *moved);
        int64_t *score = moved ? skedi_new(mem, cap, sizeof *score) : NULL;
        uint64_t *started = score ? skedi_new(mem, cap, sizeof *started) : NULL;
        if (!started) {
            skedi_free(mem, score, cap, sizeof *score);
            skedi_free(mem, moved, cap, sizeof *moved);
            return 0;
        }
        skedi_free(mem, r->moved, r->cap, sizeof *moved);
        skedi_free(mem, r->score, r->cap, sizeof *score);
        skedi_free(mem, r->started, r->cap, sizeof *started);
        r->moved = moved;
        r->score = score;
        r->started = started;
        r->cap = cap;
        r->first = SKEDI_NONE;
        r->stale = 1;
    }
    if (r->cap == 0) return 1;
    memset(r->score, 0, r->cap * sizeof *r->score);
    memset(r->started, 0, r->cap * sizeof *r->started);
    return 1;
}

void skedi_ranks_close(sked_engine *e)
{
    engine_rankings *r = &e->ranks;

    for (size_t i = 0; i < r->n; i++) {
        if (r->all[i].by != ENGINE_RANK_SCORE) continue;
        ranking_free(e, &r->all[i]);
        r->all[i] = r->all[--r->n];
        return;
    }
}

uint32_t skedi_ranks_find(sked_engine *e, uint32_t by, uint32_t kind)
{
    engine_rankings *r = &e->ranks;
    void *grown = r->all;

    if (by == ENGINE_RANK_ARRIVAL || by == ENGINE_RANK_SCORE) kind = 0;
    if (!ranks_refresh(e)) return SKEDI_NONE;
    for (uint32_t i = 0; i < r->n; i++) {
        if (r->all[i].by == by && r->all[i].kind == kind) return i;
    }
    if (!skedi_ensure(&e->hooks.mem, &grown, &r->all_cap, r->n + 1,
                      sizeof *r->all)) {
        return SKEDI_NONE;
    }
    r->all = grown;
    r->all[r->n] = (engine_ranking){.by = by, .kind = kind};
    if (!ranking_make(e, &r->all[r->n])) return SKEDI_NONE;
    return (uint32_t)r->n++;
}

void skedi_ranks_free(sked_engine *e)
{
    engine_rankings *r = &e->ranks;
    skedi_mem *mem = &e->hooks.mem;

    for (size_t i = 0; i < r->n; i++) ranking_free(e, &r->all[i]);
    skedi_free(mem, r->all, r->all_cap, sizeof *r->all);
    skedi_free(mem, r->moved, r->cap, sizeof *r->moved);
    skedi_free(mem, r->score, r->cap, sizeof *r->score);
    skedi_free(mem, r->started, r->cap, sizeof *r->started);
}

/* ---- Looking ---- */

typedef struct rank_search {
    const sked_engine *e;
    const engine_ranking *r;
    const int64_t *need;
    engine_rank from; /* it comes after this */
} rank_search;

static uint32_t search_ranks(const rank_search *s, uint32_t root)
{
    while (root != SKEDI_NONE &&
           skedi_amounts_fit(s->e, s->need, most_at(s->e, s->r, root))) {
        const engine_rank *top = &s->r->node[root];
        if (comes_sooner(&s->from, top)) {
            uint32_t found = search_ranks(s, top->left);
            if (found != SKEDI_NONE) return found;
            if (skedi_amounts_fit(
                    s->e, s->need,
                    engine_row_of(s->e, &s->e->node_free, root))) {
                return root;
            }
        }
        root = top->right;
    }
    return SKEDI_NONE;
}

uint32_t skedi_ranks_next(const sked_engine *e, uint32_t ranking,
                          uint32_t partition, const int64_t *need,
                          uint32_t last)
{
    const engine_ranking *r = &e->ranks.all[ranking];
    rank_search s = {.e = e, .r = r, .need = need};

    s.from.value = INT64_MIN;
    if (r->by == ENGINE_RANK_LEAST && need[r->kind] > 0) {
        s.from.value = need[r->kind];
    }
    if (last != SKEDI_NONE) s.from = r->node[last];
    return search_ranks(&s, r->root[partition]);
}

uint32_t skedi_ranks_after(const sked_engine *e, uint32_t ranking,
                           uint32_t partition, const int64_t *need,
                           uint64_t last)
{
    const engine_ranking *r = &e->ranks.all[ranking];
    const rank_search s = {
        .e = e, .r = r, .need = need, .from = {.arrival = last}};

    return search_ranks(&s, r->root[partition]);
}

/* ---- Whether that is so ---- */

/* Counts the nodes of a tree; SIZE_MAX where something is wrong. `last` is the
 * one before, SKEDI_NONE: none yet. */
static size_t count_ranks(const sked_engine *e, const engine_ranking *r,
                          uint32_t partition, uint32_t root, uint32_t *last)
{
    if (root == SKEDI_NONE) return 0;
    const engine_rank *own = &r->node[root];
    size_t left = count_ranks(e, r, partition, own->left, last);
    int wrong = own->partition != partition ||
                own->value != node_value(e, r, root) ||
                (*last != SKEDI_NONE && !comes_sooner(&r->node[*last], own));
    *last = root;
    size_t right = count_ranks(e, r, partition, own->right, last);
    for (uint32_t k = 0; k < e->kinds; k++) {
        int64_t most = engine_row_of(e, &e->node_free, root)[k];
        if (own->left != SKEDI_NONE) {
            most = skedi_i64_max(most, most_at(e, r, own->left)[k]);
        }
        if (own->right != SKEDI_NONE) {
            most = skedi_i64_max(most, most_at(e, r, own->right)[k]);
        }
        wrong |= most_at(e, r, root)[k] != most;
    }
    return wrong || left == SIZE_MAX || right == SIZE_MAX ? SIZE_MAX
                                                          : left + right + 1;
}

int skedi_ranks_are_sound(const sked_engine *e)
{
    const engine_rankings *ranks = &e->ranks;

    if (ranks->n == 0 || ranks->stale || ranks->first != SKEDI_NONE) return 1;
    for (size_t i = 0; i < ranks->n; i++) {
        const engine_ranking *r = &ranks->all[i];
        size_t open = 0, found = 0;
        if (r->cap < e->nodes.n) return 1;
        for (uint32_t n = e->first_node; n != SKEDI_NONE;
             n = node_at(e, n)->next) {
            open += node_at(e, n)->state == NODE_OPEN;
        }
        for (uint32_t p = 0; p < r->parts; p++) {
            uint32_t last = SKEDI_NONE;
            size_t n = count_ranks(e, r, p, r->root[p], &last);
            if (n == SIZE_MAX) return 0;
            found += n;
        }
        if (found != open) return 0;
    }
    return 1;
}
