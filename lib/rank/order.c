/*
 * An order of candidates by several keys, packed into words of 64 bits.
 *
 * The first word is sorted by radix; equal candidates keep the order of
 * position. A further word is made and sorted only within runs of equal
 * candidates. If the caller asks only for the first few, selection runs before
 * sorting.
 */
#include <sched/rank.h>

#include "base/bits.h"
#include "base/fail.h"
#include "base/hooks.h"
#include "base/sort.h"
#include "base/versioned.h"

enum {
    SKEDI_RANK_KEYS = 10,    /* the number of keys */
    SKEDI_RANK_CHECK = 65536 /* rows between two looks at the host's cancel */
};

/* A key with different values among candidates, and its place in the words. */
typedef struct skedi_rank_field {
    int32_t key;
    uint32_t word;
    unsigned bits; /* 1 to 64: bits of the values above the least */
    uint64_t low;  /* the least value */
} skedi_rank_field;

/*
 * An order of candidates as words of 64 bits, the first deciding: the least
 * goes first. Borrows the columns.
 */
typedef struct skedi_rank {
    sked_rank_input in;
    skedi_rank_field field[SKEDI_RANK_KEYS];
    uint32_t fields;
    uint32_t words;
} skedi_rank;

/*
 * Sort keys of candidates, packed into words.
 *
 * Every key becomes an unsigned number; the least number goes first. A key with
 * the same value for all candidates drops out. The other keys are packed side
 * by side into words of 64 bits, the most important key on top. Two or three
 * words hold all keys.
 */

SKEDI_NO_TAIL_PADDING(sked_rank_input, host);

enum { RANK_COLUMNS_V1 = SKEDI_SIZE_THROUGH(sked_rank_input, host) };

/* ---- Presets ---- */

static const int32_t rank_own[] = {
    SKED_RANK_KEY_STATE,     SKED_RANK_KEY_PREEMPTIBLE,
    SKED_RANK_KEY_PRIORITY,  SKED_RANK_KEY_MASTER,
    SKED_RANK_KEY_LOST_WORK, SKED_RANK_KEY_RESTART_COST,
    SKED_RANK_KEY_RUN_TIME,  SKED_RANK_KEY_NEWEST,
};
static const int32_t rank_capacity[] = {
    SKED_RANK_KEY_MASTER, SKED_RANK_KEY_PRIORITY, SKED_RANK_KEY_NEWEST,
    SKED_RANK_KEY_HOST,   SKED_RANK_KEY_RUN_TIME,
};
static const int32_t rank_fair[] = {SKED_RANK_KEY_MASTER,
                                    SKED_RANK_KEY_RUN_TIME};
static const int32_t rank_peloton[] = {
    SKED_RANK_KEY_STATE, SKED_RANK_KEY_PRIORITY, SKED_RANK_KEY_RUN_TIME};

enum { RANK_OWN_KEYS = sizeof rank_own / sizeof *rank_own };

static const struct {
    const int32_t *keys;
    size_t n;
} rank_presets[] = {
    {rank_own, RANK_OWN_KEYS},
    {rank_capacity, sizeof rank_capacity / sizeof *rank_capacity},
    {rank_fair, sizeof rank_fair / sizeof *rank_fair},
    {rank_peloton, sizeof rank_peloton / sizeof *rank_peloton},
};

sked_status sked_rank_preset(int32_t preset, int32_t *keys, size_t cap,
                             size_t *n, sked_error *err)
{
    if (!n) return skedi_fail_null(err, "n");
    if (preset < SKED_RANK_PRESET_OWN || preset > SKED_RANK_PRESET_PELOTON) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "no such preset");
    }
    *n = rank_presets[preset].n;
    if (cap < *n) return skedi_fail_cap(err, *n, cap);
    if (!keys) return skedi_fail_null(err, "keys");
    for (size_t i = 0; i < *n; i++) keys[i] = rank_presets[preset].keys[i];
    return SKED_OK;
}

/* ---- Keys as numbers ---- */

/* The latest time goes first. SKED_UNSET (not begun) is the least of all times,
 * but goes before the latest time: its key is 0, and 0 - 0 is 0. */
static uint64_t latest_first(sked_time at)
{
    return 0 - skedi_key_signed(at);
}

static uint64_t lost_work(const sked_rank_input *in, uint32_t row)
{
    sked_time start = in->started ? in->started[row] : SKED_UNSET;
    sked_time saved = in->checkpoint ? in->checkpoint[row] : SKED_UNSET;

    return latest_first(saved > start ? saved : start); /* unset is least */
}

static uint64_t rank_value(const sked_rank_input *in, int32_t key, uint32_t row)
{
    switch (key) {
    case SKED_RANK_KEY_STATE: return in->state[row];
    case SKED_RANK_KEY_PREEMPTIBLE: return in->preemptible[row] == 0;
    case SKED_RANK_KEY_PRIORITY: return skedi_key_signed(in->priority[row]);
    case SKED_RANK_KEY_RUN_TIME: return latest_first(in->started[row]);
    case SKED_RANK_KEY_LOST_WORK: return lost_work(in, row);
    case SKED_RANK_KEY_RESTART_COST:
        return skedi_key_signed(in->restart_cost[row]);
    case SKED_RANK_KEY_RESTARTS: return in->restarts[row];
    case SKED_RANK_KEY_MASTER: return in->master[row] != 0;
    case SKED_RANK_KEY_NEWEST:
        return UINT64_MAX - skedi_key_signed(in->submitted[row]);
    default: return skedi_key_signed(in->host[row]);
    }
}

/* Checks that the column of a key is given. */
static int has_column(const sked_rank_input *in, int32_t key)
{
    const void *const column[SKEDI_RANK_KEYS + 1] = {
        [SKED_RANK_KEY_STATE] = in->state,
        [SKED_RANK_KEY_PREEMPTIBLE] = in->preemptible,
        [SKED_RANK_KEY_PRIORITY] = in->priority,
        [SKED_RANK_KEY_RUN_TIME] = in->started,
        [SKED_RANK_KEY_LOST_WORK] = in->started ? (const void *)in->started
                                                : in->checkpoint,
        [SKED_RANK_KEY_RESTART_COST] = in->restart_cost,
        [SKED_RANK_KEY_RESTARTS] = in->restarts,
        [SKED_RANK_KEY_MASTER] = in->master,
        [SKED_RANK_KEY_NEWEST] = in->submitted,
        [SKED_RANK_KEY_HOST] = in->host,
    };

    return column[key] != NULL;
}

/* ---- Planning ---- */

static sked_status keys_known(const sked_rank_input *in, sked_error *err)
{
    uint32_t seen = 0;

    if (in->n_keys > INT32_MAX) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "too many keys",
            (skedi_fault){.got = (int64_t)in->n_keys, .limit = INT32_MAX});
    }
    const char *missing = in->n_keys > 0 && !in->keys ? "input.keys" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    for (uint32_t i = 0; i < in->n_keys; i++) {
        int32_t key = in->keys[i];
        int known = key >= SKED_RANK_KEY_STATE && key <= SKED_RANK_KEY_HOST;
        if (known && !(seen >> key & 1)) {
            seen |= UINT32_C(1) << key;
            continue;
        }
        return skedi_fail(err, SKED_ERR_ARG,
                          known ? "a key is listed twice" : "no such key",
                          (skedi_fault){.row = i + INT64_C(1), .got = key});
    }
    return SKED_OK;
}

static sked_status rank_columns_in(sked_rank_input *columns,
                                   const sked_rank_input *in, sked_error *err)
{
    if (!in) return skedi_fail_null(err, "input");
    sked_status rc = skedi_struct_in(columns, sizeof *columns, in,
                                     RANK_COLUMNS_V1);
    if (rc != SKED_OK) {
        return skedi_fail_version(err, "input");
    }
    if (columns->flags) {
        return skedi_fail_flags(err, "input");
    }
    if (columns->n > INT32_MAX) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "too many candidates",
            (skedi_fault){.got = (int64_t)columns->n, .limit = INT32_MAX});
    }
    rc = keys_known(columns, err);
    if (rc == SKED_OK && columns->n_keys == 0) {
        columns->keys = rank_own;
        columns->n_keys = RANK_OWN_KEYS;
    }
    return rc;
}

/* Adds a key with different values, behind the keys added before. */
static void add_field(skedi_rank *rank, int32_t key, uint64_t low,
                      uint64_t high, unsigned *used)
{
    unsigned bits = 64 - skedi_clz64(high - low);

    if (rank->fields == 0 || *used + bits > 64) {
        rank->words++;
        *used = 0;
    }
    rank->field[rank->fields++] = (skedi_rank_field){key, rank->words - 1, bits,
                                                     low};
    *used += bits;
}

static sked_status measure_key(skedi_rank *rank, int32_t key, unsigned *used,
                               const skedi_hooks *hooks)
{
    uint64_t low = UINT64_MAX, high = 0;

    for (uint32_t row = 0; row < rank->in.n; row++) {
        if (row % SKEDI_RANK_CHECK == 0) {
            sked_status rc = skedi_hooks_check(hooks, row, rank->in.n);
            if (rc != SKED_OK) return rc;
        }
        uint64_t value = rank_value(&rank->in, key, row);
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    if (low < high) add_field(rank, key, low, high, used);
    return SKED_OK;
}

/*
 * Takes and checks a caller's columns, and measures the keys. Returns SKED_OK,
 * SKED_ERR_ARG, SKED_ERR_RANGE, SKED_ERR_VERSION or the status of a stopped
 * call. O(n keys).
 */
static sked_status rank_plan(skedi_rank *rank, const sked_rank_input *in,
                             const skedi_hooks *hooks, sked_error *err)
{
    unsigned used = 0;

    *rank = (skedi_rank){0};
    sked_status rc = rank_columns_in(&rank->in, in, err);
    for (uint32_t i = 0; rc == SKED_OK && i < rank->in.n_keys; i++) {
        int32_t key = rank->in.keys[i];
        if (!has_column(&rank->in, key)) continue;
        rc = measure_key(rank, key, &used, hooks);
        if (rc != SKED_OK) return skedi_fail_stopped(err, rc);
    }
    return rc;
}

/* Appends one key's value below the bits in the items' keys. */
static void push_field(const skedi_rank *rank, const skedi_rank_field *field,
                       skedi_keyed *items, size_t n)
{
    unsigned shift = field->bits & 63; /* a field of 64 bits is a whole word */

    for (size_t i = 0; i < n; i++) {
        uint64_t value = rank_value(&rank->in, field->key, items[i].index);
        items[i].key = items[i].key << shift | (value - field->low);
    }
}

/* The same, without a look at whether the host goes on. */
static void rank_load_some(const skedi_rank *rank, uint32_t word,
                           skedi_keyed *items, size_t n)
{
    for (size_t i = 0; i < n; i++) items[i].key = 0;
    for (uint32_t f = 0; f < rank->fields; f++) {
        if (rank->field[f].word != word) continue;
        push_field(rank, &rank->field[f], items, n);
    }
}

/* Loads the items' keys of one word; `index` is the candidate. */
static sked_status rank_load(const skedi_rank *rank, uint32_t word,
                             skedi_keyed *items, size_t n,
                             const skedi_hooks *hooks)
{
    for (size_t at = 0; at < n; at += SKEDI_RANK_CHECK) {
        size_t some = n - at < SKEDI_RANK_CHECK ? n - at : SKEDI_RANK_CHECK;
        sked_status rc = skedi_hooks_check(hooks, at, n);
        if (rc != SKED_OK) return rc;
        rank_load_some(rank, word, items + at, some);
    }
    return SKED_OK;
}

/*
 * Selects the first few of an order without sorting the rest: radix selection.
 *
 * The selection reads byte after byte, from the top of the first word on.
 * Undecided rows are counted by the value of the byte. Let v be the value at
 * which the wanted number is reached. Rows below v are taken, rows above v are
 * dropped, and rows at v stay undecided. Undecided rows keep their order. Rows
 * with equal words are therefore taken by position.
 */

/* The undecided rows, and the number still wanted. */
typedef struct undecided {
    skedi_keyed *items;
    uint32_t n;
    uint32_t wanted; /* at most n */
    uint32_t *taken;
    uint32_t n_taken;
} undecided;

static void take_first(undecided *u)
{
    for (uint32_t i = 0; i < u->wanted; i++) {
        u->taken[u->n_taken++] = u->items[i].index;
    }
    u->n = u->wanted = 0;
}

/* Decides by the byte at `shift`. */
static void decide(undecided *u, unsigned shift)
{
    uint32_t count[256] = {0}, below = 0, kept = 0;
    uint64_t last = 0;

    for (uint32_t i = 0; i < u->n; i++) {
        count[u->items[i].key >> shift & 255]++;
    }
    while (below + count[last] < u->wanted) below += count[last++];
    for (uint32_t i = 0; i < u->n; i++) {
        uint64_t byte = u->items[i].key >> shift & 255;
        if (byte < last) u->taken[u->n_taken++] = u->items[i].index;
        if (byte == last) u->items[kept++] = u->items[i];
    }
    u->n = kept;
    u->wanted -= below;
}

/* The bits that a word may set, rounded up to whole bytes. */
static unsigned word_bits(const skedi_rank *rank, uint32_t word)
{
    unsigned bits = 0;

    for (uint32_t f = 0; f < rank->fields; f++) {
        if (rank->field[f].word == word) bits += rank->field[f].bits;
    }
    return (bits + 7) / 8 * 8;
}

/* Sorts by position, the order that the radix sort expects. */
static void by_position(skedi_keyed *items, uint32_t *taken, uint32_t n,
                        uint32_t top)
{
    uint32_t at = 0;

    for (uint32_t i = 0; i < n; i++) items[i].tag = 0;
    for (uint32_t i = 0; i < top; i++) items[taken[i]].tag = 1;
    for (uint32_t i = 0; i < n; i++) {
        if (items[i].tag) taken[at++] = i;
    }
}

/*
 * Selects the first `top` candidates of the order, by position. `taken` holds
 * `top` positions. `items` has an item for each candidate and is overwritten.
 */
static sked_status rank_select(const skedi_rank *rank, skedi_keyed *items,
                               uint32_t *taken, uint32_t top,
                               const skedi_hooks *hooks)
{
    uint32_t n = (uint32_t)rank->in.n;
    undecided u = {.items = items, .n = n, .wanted = top, .taken = taken};

    for (uint32_t word = 0; word < rank->words; word++) {
        if (u.wanted == u.n) break;
        sked_status rc = rank_load(rank, word, u.items, u.n, hooks);
        if (rc != SKED_OK) return rc;
        for (unsigned shift = word_bits(rank, word);
             shift > 0 && u.wanted < u.n;) {
            shift -= 8;
            decide(&u, shift);
        }
    }
    take_first(&u);
    by_position(items, taken, n, top);
    return SKED_OK;
}

/* The memory of a call. */
typedef struct ranking_memory {
    skedi_keyed *items;
    skedi_keyed *scratch;
    uint32_t *taken; /* only if the caller wants fewer than all */
    size_t n;
    size_t top;
} ranking_memory;

static int rank_reserve(ranking_memory *work, skedi_mem *mem, size_t n,
                        size_t top)
{
    *work = (ranking_memory){.n = n, .top = top};
    return (work->items = skedi_new(mem, n, sizeof *work->items)) &&
           (work->scratch = skedi_new(mem, top, sizeof *work->scratch)) &&
           (top == n ||
            (work->taken = skedi_new(mem, top, sizeof *work->taken)));
}

static void rank_release(ranking_memory *work, skedi_mem *mem)
{
    skedi_free(mem, work->items, work->n, sizeof *work->items);
    skedi_free(mem, work->scratch, work->top, sizeof *work->scratch);
    skedi_free(mem, work->taken, work->top, sizeof *work->taken);
}

/* Tags each item with the beginning of its run of equal keys. */
static void mark_runs(skedi_keyed *items, uint32_t from, uint32_t to)
{
    uint32_t start = from;

    for (uint32_t i = from; i < to; i++) {
        if (items[i].key != items[start].key) start = i;
        items[i].tag = start;
    }
}

/* Sorts runs of equal items by one more word. */
static sked_status break_ties(const skedi_rank *rank, uint32_t word,
                              ranking_memory *work, const skedi_hooks *hooks)
{
    skedi_keyed *items = work->items;
    uint32_t to, done = SKEDI_RANK_CHECK;

    for (uint32_t from = 0; from < work->top; from = to) {
        for (to = from + 1; to < work->top; to++) {
            if (items[to].tag != items[from].tag) break;
        }
        if (done >= SKEDI_RANK_CHECK) {
            sked_status rc = skedi_hooks_check(hooks, from, work->top);
            if (rc != SKED_OK) return rc;
            done = 0;
        }
        done += to - from;
        if (to - from < 2) continue;
        rank_load_some(rank, word, items + from, to - from);
        skedi_sort_keys(items + from, work->scratch, to - from);
        mark_runs(items, from, to);
    }
    return SKED_OK;
}

static sked_status rank_sort(const skedi_rank *rank, ranking_memory *work,
                             const skedi_hooks *hooks)
{
    uint32_t top = (uint32_t)work->top;
    sked_status rc = SKED_OK;

    for (uint32_t i = 0; i < work->n; i++) work->items[i].index = i;
    if (work->taken) {
        rc = rank_select(rank, work->items, work->taken, top, hooks);
        for (uint32_t i = 0; i < top; i++) {
            work->items[i].index = work->taken[i];
        }
    }
    if (rc == SKED_OK) rc = rank_load(rank, 0, work->items, top, hooks);
    if (rc != SKED_OK) return rc;
    skedi_sort_keys(work->items, work->scratch, top);
    mark_runs(work->items, 0, top);
    for (uint32_t word = 1; rc == SKED_OK && word < rank->words; word++) {
        rc = break_ties(rank, word, work, hooks);
    }
    return rc;
}

sked_status sked_rank_order(const sked_rank_input *input, uint32_t top,
                            const sked_host *host, uint32_t *positions,
                            sked_error *err)
{
    skedi_hooks hooks;
    skedi_rank rank;
    ranking_memory work;

    if (!positions) return skedi_fail_null(err, "positions");
    sked_status rc = skedi_hooks_in(&hooks, host, err);
    if (rc == SKED_OK) rc = rank_plan(&rank, input, &hooks, err);
    if (rc != SKED_OK || rank.in.n == 0) return rc;
    uint32_t n = (uint32_t)rank.in.n, wanted = top == 0 || top > n ? n : top;

    if (!rank_reserve(&work, &hooks.mem, n, wanted)) {
        rc = skedi_fail_memory(err);
    } else if ((rc = rank_sort(&rank, &work, &hooks)) == SKED_OK) {
        for (uint32_t i = 0; i < wanted; i++) {
            positions[i] = work.items[i].index;
        }
    } else {
        rc = skedi_fail_stopped(err, rc);
    }
    rank_release(&work, &hooks.mem);
    return rc;
}
