/*
 * Classes of blocks: blocks with equal rows form a class. Classes are an
 * alternative to lists of all blocks. The test uses a sample of the rows, as in
 * the birthday problem: many equal pairs in the sample mean far fewer classes
 * than blocks.
 */
#include "locality/flow.h"

#include <string.h>

enum {
    SAMPLE = 4096,
    CLASS_BLOCKS = 16, /* in a class, on the mean */
    ROWS_A_CHECK = 1 << 18
};

struct skedi_loc_classes {
    uint32_t n;
    uint32_t cap;
    uint32_t *row;   /* n x width: hosts */
    uint32_t *held;  /* n x (width + 1): blocks at each position, and nowhere */
    uint32_t *of;    /* class, by block */
    uint32_t *first; /* start of the host's places, by host; hosts + 2 entries
                        */
    uint32_t *place; /* class positions at the host, as indices into `held` */
    uint32_t places;
    uint32_t *table; /* class + 1, by hash; 0: none */
    uint32_t slots;  /* a power of two */
    uint64_t probes; /* probes beyond the first, in total */
};

/* ---- The table ---- */

/* The place of a row in the table, or the free place for the row. */
static uint32_t *class_slot(skedi_loc_classes *c, const uint32_t *row,
                            uint32_t width)
{
    uint32_t at = skedi_loc_row_hash(row, width) & (c->slots - 1);

    while (c->table[at] && memcmp(c->row + (size_t)(c->table[at] - 1) * width,
                                  row, width * sizeof *row) != 0) {
        at = (at + 1) & (c->slots - 1);
        c->probes++;
    }
    return &c->table[at];
}

static int reserve_table(skedi_loc *w, skedi_loc_classes *c, uint32_t cap)
{
    skedi_mem *mem = &w->hooks->mem;
    uint32_t slots = 4;

    while (slots < 2 * cap) slots *= 2;
    c->cap = cap;
    c->slots = slots;
    return (c->row = skedi_new(mem, (size_t)cap * w->width, sizeof *c->row)) &&
           (c->table = skedi_new(mem, slots, sizeof *c->table));
}

static void drop_table(skedi_loc *w, skedi_loc_classes *c)
{
    skedi_mem *mem = &w->hooks->mem;

    skedi_free(mem, c->row, (size_t)c->cap * w->width, sizeof *c->row);
    skedi_free(mem, c->table, c->slots, sizeof *c->table);
    c->row = c->table = NULL;
}

/* The class of a row. Makes a new class if needed, in reserved memory. */
static uint32_t class_of(skedi_loc_classes *c, const uint32_t *row,
                         uint32_t width)
{
    uint32_t *slot = class_slot(c, row, width);

    if (*slot == 0) {
        memcpy(c->row + (size_t)c->n * width, row, width * sizeof *row);
        *slot = ++c->n;
    }
    return *slot - 1;
}

/* ---- The test for few classes ---- */

/* In a sample of n rows, a part of 1 / classes of the pairs is equal. The part
 * is larger if the classes differ in size. */
static int are_few(skedi_loc *w, int *few)
{
    skedi_loc_classes c = {0};
    uint32_t seen[SAMPLE] = {0}, blocks = w->in->blocks;
    uint64_t pairs = 0, all = (uint64_t)SAMPLE * (SAMPLE - 1) / 2;
    int done = reserve_table(w, &c, SAMPLE);

    for (uint32_t i = 0; i < SAMPLE && done; i++) {
        size_t b = (size_t)((uint64_t)blocks * i / SAMPLE);
        pairs += seen[class_of(&c, w->in->replica + b * w->width, w->width)]++;
    }
    drop_table(w, &c);
    *few = pairs * (blocks / CLASS_BLOCKS) >= all;
    return done;
}

/* ---- Construction ---- */

/* Finds the class of every block. `*few` is 0 if the classes are many despite
 * the sample, or if the table is full of rows made to collide. */
static sked_status class_blocks(skedi_loc *w, skedi_loc_classes *c, int *few)
{
    const uint32_t width = w->width, blocks = w->in->blocks;
    const uint32_t *row = w->in->replica;
    sked_status rc = SKED_OK;

    for (uint32_t b = 0; b < blocks && rc == SKED_OK; b++, row += width) {
        if (b % ROWS_A_CHECK == 0) rc = skedi_hooks_check(w->hooks, b, blocks);
        c->of[b] = class_of(c, row, width);
        *few = c->n < c->cap && c->probes < (uint64_t)blocks * 4;
        if (!*few) break;
    }
    return rc;
}

/* Lists positions by host, and last the positions without a host. The first
 * pass counts, the second pass writes. */
static int list_positions(skedi_loc *w, skedi_loc_classes *c)
{
    skedi_mem *mem = &w->hooks->mem;
    const uint32_t width = w->width, span = width + 1;

    c->places = c->n * span;
    c->first = skedi_new(mem, (size_t)w->hosts + 2, sizeof *c->first);
    c->place = skedi_new(mem, c->places, sizeof *c->place);
    if (!c->first || !c->place) return 0;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = c->places; i-- > 0;) {
            uint32_t k = i % span;
            uint32_t h = k < width ? c->row[(size_t)(i / span) * width + k]
                                   : w->hosts;
            if (h > w->hosts) continue; /* a lost replica */
            if (pass == 0) {
                c->first[h]++;
            } else {
                c->place[--c->first[h]] = i;
            }
        }
        for (uint32_t h = 0; pass == 0 && h <= w->hosts; h++) {
            c->first[h + 1] += c->first[h];
        }
    }
    return 1;
}

static int count_held(skedi_loc *w, skedi_loc_classes *c)
{
    const uint32_t span = w->width + 1;

    c->held = skedi_new(&w->hooks->mem, (size_t)c->n * span, sizeof *c->held);
    if (!c->held) return 0;
    for (uint32_t b = 0; b < w->in->blocks; b++) {
        uint32_t k = w->choice[b];
        if (k == SKED_LOCALITY_NO_REPLICA) k = w->width;
        c->held[(size_t)c->of[b] * span + k]++;
    }
    return 1;
}

sked_status skedi_loc_classes_make(skedi_loc *w, int *made)
{
    skedi_mem *mem = &w->hooks->mem;
    uint32_t blocks = w->in->blocks;
    uint32_t most = UINT32_MAX / (w->width + 1), cap = blocks / 8;

    *made = 0;
    if (w->unlike || w->width == 0) return SKED_OK;
    w->unlike = 1;
    int few = 0;
    if (!are_few(w, &few)) return SKED_ERR_NOMEM;
    if (!few) return SKED_OK;
    skedi_loc_classes *c = w->classes = skedi_new(mem, 1, sizeof *c);
    if (!c) return SKED_ERR_NOMEM;
    if (!reserve_table(w, c, cap < most ? cap : most)) return SKED_ERR_NOMEM;
    c->of = skedi_new(mem, blocks, sizeof *c->of);
    if (!c->of) return SKED_ERR_NOMEM;
    sked_status rc = class_blocks(w, c, &few);
    if (rc != SKED_OK) return rc;
    if (!few) {
        skedi_loc_classes_drop(w);
        return SKED_OK;
    }
    if (!count_held(w, c) || !list_positions(w, c)) return SKED_ERR_NOMEM;
    *made = 1;
    return SKED_OK;
}

void skedi_loc_classes_settle(skedi_loc *w)
{
    skedi_loc_classes *c = w->classes;
    const uint32_t width = w->width, span = width + 1;

    if (!c) return;
    for (uint32_t b = 0; b < w->in->blocks; b++) {
        uint32_t *held = c->held + (size_t)c->of[b] * span;
        uint32_t k = 0;
        while (held[k] == 0) k++;
        held[k]--;
        w->choice[b] = (uint8_t)(k < width ? k : SKED_LOCALITY_NO_REPLICA);
    }
}

void skedi_loc_classes_drop(skedi_loc *w)
{
    skedi_mem *mem = &w->hooks->mem;
    skedi_loc_classes *c = w->classes;

    if (!c) return;
    drop_table(w, c);
    skedi_free(mem, c->held, (size_t)c->n * (w->width + 1), sizeof *c->held);
    skedi_free(mem, c->of, w->in->blocks, sizeof *c->of);
    skedi_free(mem, c->first, (size_t)w->hosts + 2, sizeof *c->first);
    skedi_free(mem, c->place, c->places, sizeof *c->place);
    skedi_free(mem, c, 1, sizeof *c);
    w->classes = NULL;
}

/* ---- Flows ---- */

void skedi_loc_class_scan(skedi_loc *w, flow_search *s, uint32_t h)
{
    const skedi_loc_classes *c = w->classes;
    const uint32_t width = w->width;
    const int32_t next = w->depth[h] + 1;

    for (uint32_t i = c->first[h]; i < c->first[h + 1]; i++) {
        if (c->held[c->place[i]] == 0) continue;
        const uint32_t *row = c->row +
                              (size_t)(c->place[i] / (width + 1)) * width;
        for (uint32_t k = 0; k < width; k++) {
            if (row[k] >= w->hosts || w->depth[row[k]] >= 0) continue;
            skedi_loc_reach(w, s, row[k], next);
        }
        if (s->reached == s->part) return;
    }
}

/* A position of a class on `h` that leads one level deeper, or to a host with
 * a free slot; SKED_LOCALITY_NO_REPLICA: none is left. at[h] stays at the
 * position. */
static uint32_t next_place(skedi_loc *w, const flow_search *s, uint32_t h)
{
    const skedi_loc_classes *c = w->classes;
    const uint32_t width = w->width, n = c->first[h + 1] - c->first[h];
    const int32_t next = w->depth[h] + 1;

    if (next > s->goal) w->at[h] = n;
    for (; w->at[h] < n; w->at[h]++) {
        uint32_t place = c->place[c->first[h] + w->at[h]];
        const uint32_t *row = c->row + (size_t)(place / (width + 1)) * width;
        if (c->held[place] == 0) continue;
        for (uint32_t k = 0; k < width; k++) {
            uint32_t g = row[k];
            if (g >= w->hosts || w->depth[g] != next) continue;
            if (next == s->goal && !skedi_loc_holds_less(w, g)) continue;
            return k;
        }
    }
    return SKED_LOCALITY_NO_REPLICA;
}

static uint32_t place_of_host(const skedi_loc *w, uint32_t h)
{
    return w->classes->place[w->classes->first[h] + w->at[h]];
}

/* Moves as many blocks as possible along a path of `n` steps. */
static void push_along(skedi_loc *w, uint32_t n, uint32_t end)
{
    uint32_t source = w->path[0].host, *held = w->classes->held;
    uint32_t most = w->count[source] - w->fits[source];

    if (w->fits[end] - w->count[end] < most)
        most = w->fits[end] - w->count[end];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t there = held[place_of_host(w, w->path[i].host)];
        if (there < most) most = there;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t from = place_of_host(w, w->path[i].host);
        uint32_t row = from - from % (w->width + 1);
        held[from] -= most;
        held[row + w->path[i].position] += most;
    }
    w->count[source] -= most;
    w->count[end] += most;
}

void skedi_loc_class_push(skedi_loc *w, const flow_search *s, uint32_t source)
{
    const uint32_t width = w->width;
    uint32_t n = 0, h = source;

    for (;;) {
        if (n && skedi_loc_holds_less(w, h)) {
            push_along(w, n, h);
            return;
        }
        uint32_t k = next_place(w, s, h);
        if (k != SKED_LOCALITY_NO_REPLICA) {
            size_t row = (size_t)(place_of_host(w, h) / (width + 1)) * width;
            w->path[n++] = (skedi_loc_step){h, k};
            h = w->classes->row[row + k];
            continue;
        }
        w->depth[h] = FLOW_DEAD;
        if (n == 0) return;
        h = w->path[--n].host;
    }
}
