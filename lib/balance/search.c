/*
 * The local search (hill climbing). A table has the score of each cluster with,
 * or without, each workflow; after a move only two of its columns are computed
 * anew. The best single move is taken until none helps, then the first exchange
 * of two workflows that helps, then single moves again, and so on.
 */
#include "balance/state.h"

typedef struct balance_walk {
    skedi_balance *b;
    int64_t *with; /* workflow x cluster: its score with the workflow moved */
    uint64_t ask;  /* tries at which the host is asked again */
    sked_status rc;
} balance_walk;

static int go_on(balance_walk *w)
{
    skedi_balance *b = w->b;

    if (b->tries >= w->ask) { /* an exchange is two tries */
        w->ask = b->tries + SKEDI_TRIES_A_CHECK;
        w->rc = skedi_hooks_check(&b->hooks, b->tries, b->in.max_tries);
    }
    return w->rc == SKED_OK;
}

/* The score of `cluster` with the workflow, or without it if it is there. */
static void refresh(balance_walk *w, uint32_t workflow, uint32_t cluster)
{
    skedi_balance *b = w->b;
    int there = b->where[workflow] == cluster;
    skedi_balance_change change = {cluster, there ? SKEDI_NO_MOVER : workflow,
                                   there ? workflow : SKEDI_NO_MOVER};

    if (!go_on(w) || !balance_may(b, workflow, cluster)) return;
    w->with[(size_t)workflow * b->in.clusters + cluster] = skedi_balance_score(
        b, change);
}

static void refresh_all(balance_walk *w)
{
    for (uint32_t i = 0; i < w->b->in.workflows; i++) {
        for (uint32_t c = 0; c < w->b->in.clusters; c++) refresh(w, i, c);
    }
}

static void refresh_two(balance_walk *w, const uint32_t at[2])
{
    for (uint32_t i = 0; i < w->b->in.workflows; i++) {
        refresh(w, i, at[0]);
        refresh(w, i, at[1]);
    }
}

static sked_balance_objective after_move(const balance_walk *w, uint32_t i,
                                         uint32_t to)
{
    const skedi_balance *b = w->b;
    const int64_t *with = w->with + (size_t)i * b->in.clusters;
    const uint32_t at[2] = {b->where[i], to};
    const int64_t score[2] = {with[at[0]], with[to]};

    return skedi_balance_after(
        b, at, score, balance_cost(b, i, to) - balance_cost(b, i, at[0]));
}

/* Takes the best move, if one helps. */
static int move_best(balance_walk *w)
{
    skedi_balance *b = w->b;
    sked_balance_objective best = b->objective;
    uint32_t who = SKEDI_NO_MOVER, at[2] = {0, 0};

    for (uint32_t i = 0; i < b->in.workflows; i++) {
        for (uint32_t c = 0; c < b->in.clusters; c++) {
            if (c == b->where[i] || !balance_may(b, i, c)) continue;
            if (!balance_fits(b, i, c)) continue;
            sked_balance_objective after = after_move(w, i, c);
            if (!balance_is_less(after, best)) continue;
            best = after;
            who = i;
            at[0] = b->where[i];
            at[1] = c;
        }
    }
    if (who == SKEDI_NO_MOVER) return 0;
    const int64_t *with = w->with + (size_t)who * b->in.clusters;
    skedi_balance_move(b, who, at[1], with[at[0]], with[at[1]]);
    refresh_two(w, at);
    return 1;
}

/* May each of the two go to the other's cluster? */
static int may_exchange(const skedi_balance *b, uint32_t i, uint32_t j)
{
    uint32_t at = b->where[i], to = b->where[j];
    uint32_t moved = b->moved;

    if (at == to || !balance_may(b, i, to) || !balance_may(b, j, at)) return 0;
    moved += (at == b->in.home[i]) - (uint32_t)(to == b->in.home[i]);
    moved += (to == b->in.home[j]) - (uint32_t)(at == b->in.home[j]);
    return !b->in.max_moves || moved <= b->in.max_moves;
}

/* Exchanges two workflows if that helps. */
static int try_exchange(balance_walk *w, uint32_t i, uint32_t j)
{
    skedi_balance *b = w->b;
    const uint32_t at[2] = {b->where[i], b->where[j]};
    int64_t cost = balance_cost(b, i, at[1]) + balance_cost(b, j, at[0]) -
                   balance_cost(b, i, at[0]) - balance_cost(b, j, at[1]);
    const int64_t score[2] = {
        skedi_balance_score(b, (skedi_balance_change){at[0], j, i}),
        skedi_balance_score(b, (skedi_balance_change){at[1], i, j})};

    if (!balance_is_less(skedi_balance_after(b, at, score, cost),
                         b->objective)) {
        return 0;
    }
    const int64_t *with = w->with + (size_t)i * b->in.clusters;
    skedi_balance_move(b, i, at[1], with[at[0]], with[at[1]]);
    skedi_balance_move(b, j, at[0], score[1], score[0]);
    refresh_two(w, at);
    return 1;
}

static int exchange_first(balance_walk *w)
{
    skedi_balance *b = w->b;

    for (uint32_t i = 0; i < b->in.workflows; i++) {
        for (uint32_t j = i + 1; j < b->in.workflows; j++) {
            if (!may_exchange(b, i, j)) continue;
            if (!go_on(w) || b->tries >= b->in.max_tries) return 0;
            if (try_exchange(w, i, j)) return 1;
        }
    }
    return 0;
}

sked_status skedi_balance_search(skedi_balance *b, uint32_t *complete)
{
    size_t row = (size_t)b->in.clusters * sizeof(int64_t);
    balance_walk w = {.b = b, .rc = SKED_OK};

    w.with = skedi_new(&b->hooks.mem, (size_t)b->in.workflows, row);
    if (!w.with) return SKED_ERR_NOMEM;
    refresh_all(&w);
    while (w.rc == SKED_OK && b->tries < b->in.max_tries) {
        if (!move_best(&w) && !exchange_first(&w)) break;
    }
    *complete = b->tries < b->in.max_tries;
    skedi_free(&b->hooks.mem, w.with, (size_t)b->in.workflows, row);
    return w.rc;
}
