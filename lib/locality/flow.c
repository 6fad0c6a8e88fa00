/*
 * One blocking flow after the other between hosts, until none is found: blocks
 * go from hosts that hold more than fits under a threshold to hosts that hold
 * less. An arc is a block that is on one host and has a replica on another; a
 * block that has moved never leads two levels ahead, so Dinic's argument for
 * the number of phases holds. Hosts outside the part carry a depth that looks
 * like "seen", so one load a replica decides.
 */
#include "locality/flow.h"

enum { WINDOW_LEAST = 1 << 16, CLASS_LEAST = 1 << 16, LIST_ALL = 1 << 18 };

/* Reaches all that the blocks of a host lead to. */
typedef void flow_scan(skedi_loc *w, flow_search *s, uint32_t h);

static void begin_flow_search(skedi_loc *w, const uint32_t *part,
                              flow_search *s)
{
    s->reached = 0;
    s->found = 0;
    s->goal = INT32_MAX;
    for (uint32_t i = 0; i < s->part; i++) {
        uint32_t h = part[i];
        w->at[h] = 0;
        w->depth[h] = FLOW_UNSEEN;
        if (w->count[h] <= w->fits[h]) continue;
        w->depth[h] = 0;
        w->queue[s->reached++] = h;
    }
    s->sources = s->reached;
}

static void scan_host(skedi_loc *w, flow_search *s, uint32_t h)
{
    const uint32_t width = w->width, *row = w->lists.entry[h] + 1;
    const int32_t next = w->depth[h] + 1;

    for (uint32_t i = 0; i < w->lists.n[h]; i++, row += width + 1) {
        for (uint32_t k = 0; k < width; k++) {
            if (row[k] >= w->hosts || w->depth[row[k]] >= 0) continue;
            skedi_loc_reach(w, s, row[k], next);
        }
        if (s->reached == s->part) return;
    }
}

/* The same for three replicas, none of which is lost: nearly every entry leads
 * nowhere new, which one test of signs says. */
static void scan_plain_host(skedi_loc *w, flow_search *s, uint32_t h)
{
    const uint32_t *row = w->lists.entry[h] + 1;
    const int32_t *depth = w->depth;
    const int32_t next = depth[h] + 1;

    for (uint32_t i = 0; i < w->lists.n[h]; i++, row += 4) {
        if ((depth[row[0]] | depth[row[1]] | depth[row[2]]) >= 0) continue;
        for (uint32_t k = 0; k < 3; k++) {
            if (depth[row[k]] < 0) skedi_loc_reach(w, s, row[k], next);
        }
        if (s->reached == s->part) return;
    }
}

/* Depths of hosts, up to and with those as deep as the first that holds less;
 * not all of these when every host is reached. */
static void search_levels(skedi_loc *w, flow_search *s)
{
    uint32_t at = 0, level_end = s->reached;
    flow_scan *scan = w->plain ? scan_plain_host : scan_host;

    if (w->classes) scan = skedi_loc_class_scan;
    while (at < s->reached && s->reached < s->part) {
        if (at == level_end) {
            level_end = s->reached;
            if (s->found) return;
        }
        scan(w, s, w->queue[at++]);
    }
}

/* ---- Paths ---- */

/* An entry of `h` that leads one level deeper, or to a host that holds less.
 * The position in its row; SKED_LOCALITY_NO_REPLICA: none is left. */
static uint32_t next_arc(skedi_loc *w, const flow_search *s, uint32_t h)
{
    const uint32_t width = w->width, n = w->lists.n[h];
    const int32_t next = w->depth[h] + 1;
    uint32_t i = w->at[h];
    const uint32_t *row = w->lists.entry[h] + (size_t)i * (width + 1) + 1;

    if (next > s->goal) i = n;
    for (; i < n; i++, row += width + 1) {
        for (uint32_t k = 0; k < width; k++) {
            uint32_t g = row[k];
            if (g >= w->hosts || w->depth[g] != next) continue;
            if (next == s->goal && !skedi_loc_holds_less(w, g)) continue;
            w->at[h] = i;
            return k;
        }
    }
    w->at[h] = i;
    return SKED_LOCALITY_NO_REPLICA;
}

/* Moves a block along every step of a path of `n`, the last one first. */
static int push_path(skedi_loc *w, uint32_t n, uint32_t end)
{
    uint32_t to = end;

    w->count[w->path[0].host]--;
    w->count[end]++;
    while (n-- > 0) {
        uint32_t from = w->path[n].host, at = w->at[from];
        uint32_t *entry = w->lists.entry[from] + (size_t)at * (w->width + 1);
        uint32_t block = entry[0];
        if (!skedi_loc_move_entry(w, from, at, to)) return 0;
        w->choice[block] = (uint8_t)w->path[n].position;
        to = from;
    }
    return 1;
}

/* One path from a source to a host that holds less, and a block along it. 0: no
 * memory; the source is dead when there is none. */
static int push_from(skedi_loc *w, const flow_search *s, uint32_t source)
{
    uint32_t n = 0, h = source;

    for (;;) {
        if (n && skedi_loc_holds_less(w, h)) return push_path(w, n, h);
        uint32_t k = next_arc(w, s, h);
        if (k != SKED_LOCALITY_NO_REPLICA) {
            size_t entry = (size_t)w->at[h] * (w->width + 1);
            w->path[n++] = (skedi_loc_step){h, k};
            h = w->lists.entry[h][entry + 1 + k];
            continue;
        }
        w->depth[h] = FLOW_DEAD;
        if (n == 0) return 1;
        h = w->path[--n].host;
    }
}

static sked_status push_level(skedi_loc *w, const flow_search *s)
{
    for (uint32_t i = 0; i < s->sources; i++) {
        uint32_t h = w->queue[i];
        while (w->count[h] > w->fits[h] && w->depth[h] == 0) {
            int pushed = 1;
            if (w->classes) {
                skedi_loc_class_push(w, s, h);
            } else {
                pushed = push_from(w, s, h);
            }
            if (!pushed) return SKED_ERR_NOMEM;
        }
    }
    return SKED_OK;
}

/* ---- Lists ---- */

/* Lists all blocks, or makes classes of them. */
static sked_status list_all_hosts(skedi_loc *w)
{
    uint32_t n = 0;
    int made = 0;

    if (w->in->blocks >= CLASS_LEAST) {
        sked_status rc = skedi_loc_classes_make(w, &made);
        if (rc != SKED_OK || made) return rc;
    }
    for (uint32_t h = 0; h <= w->hosts; h++) {
        if (!w->lists.whole[h]) w->other[n++] = h;
    }
    return skedi_loc_list(w, w->other, n);
}

static sked_status begin_lists(skedi_loc *w)
{
    uint32_t blocks = w->in->blocks;

    if (w->lists.begun) return SKED_OK;
    w->lists.begun = 1;
    if (blocks < LIST_ALL) return list_all_hosts(w);
    return skedi_loc_list_window(w, blocks / 16 > WINDOW_LEAST ? blocks / 16
                                                               : WINDOW_LEAST);
}

/* What was reached must be listed whole before it is believed to be all that
 * can be reached. `*more`: there was something to list. */
static sked_status list_reached(skedi_loc *w, const flow_search *s, int *more)
{
    uint32_t n = 0;
    uint64_t blocks = 0;

    for (uint32_t i = 0; i < s->reached && !w->classes; i++) {
        uint32_t h = w->queue[i];
        if (w->lists.whole[h]) continue;
        w->other[n++] = h;
        blocks += w->count[h];
    }
    *more = n > 0;
    if (n == 0) return SKED_OK;
    if (w->lists.passes >= 3 || blocks > w->in->blocks / 3)
        return list_all_hosts(w);
    return skedi_loc_list(w, w->other, n);
}

/* ---- A flow ---- */

sked_status skedi_loc_flow(skedi_loc *w, uint32_t from, uint32_t to,
                           int64_t threshold, uint32_t *reached)
{
    flow_search s = {.part = to - from};
    sked_status rc = begin_lists(w);
    int more = 1;

    for (uint32_t i = from; i < to; i++) {
        uint32_t h = w->order[i];
        w->fits[h] = skedi_slots_by(&w->slots, h, threshold);
    }
    while (rc == SKED_OK && more) {
        begin_flow_search(w, w->order + from, &s);
        *reached = s.reached;
        if (s.reached == 0) return SKED_OK;
        search_levels(w, &s);
        *reached = s.reached;
        if (s.found) {
            rc = push_level(w, &s);
        } else if (s.reached == s.part) {
            return SKED_OK;
        } else {
            rc = list_reached(w, &s, &more);
        }
        if (rc == SKED_OK) rc = skedi_hooks_check(w->hooks, 0, w->in->blocks);
    }
    return rc;
}
