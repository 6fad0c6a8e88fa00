/*
 * Brackets by sampling. A sample of 2,048 units, sorted by amount, guesses the
 * amounts between which the answers lie: three deviations to either side. One
 * pass then adds up the lengths below each bracket and lists the units within.
 * The answer is selected from the list. The guess decides nothing: if the sums
 * show that an answer lies outside, the answer is searched in all units.
 */
#include "pctl/bracket.h"

/* Positions spread evenly, each shifted by a fixed scramble. */
static size_t sample_place(size_t k, size_t stride)
{
    uint64_t x = (k + 1) * UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
    return k * stride + (size_t)((x ^ x >> 29) % stride);
}

/* The sampled units in use, sorted by amount; their index is the sample's. */
static size_t take_sample(const skedi_units *u, skedi_select_memory *memory)
{
    size_t stride = u->n / SKEDI_SAMPLE, n = 0;

    for (size_t k = 0; k < SKEDI_SAMPLE; k++) {
        size_t at = sample_place(k, stride);
        if (u->amount[at] <= 0 || u->length[at] <= 0) continue;
        memory->sample[n].key = (uint64_t)u->amount[at];
        memory->sample[n++].index = (uint32_t)k;
    }
    skedi_sort_keys(memory->sample, memory->spare, n);
    return n;
}

/* Lengths of the sample up to each unit, few enough bits to add: in `spare`. */
static uint64_t sum_sample(const skedi_units *u, size_t n,
                           skedi_select_memory *memory)
{
    size_t stride = u->n / SKEDI_SAMPLE;
    uint64_t sum = 0;

    for (size_t i = 0; i < n; i++) {
        size_t at = sample_place(memory->sample[i].index, stride);
        sum += ((uint64_t)u->length[at] >> 11) + 1;
        memory->spare[i].key = sum;
    }
    return sum;
}

/* floor(sqrt(x)) for a number of samples, squared. */
static size_t small_root(size_t x)
{
    size_t root = 0;

    while ((root + 1) * (root + 1) <= x) root++;
    return root;
}

/* Finds a threshold in the sample, and the width of the bracket. */
static void guess_one(skedi_pctl_bracket *b, sked_ratio p, uint64_t sum,
                      size_t n, const skedi_select_memory *memory)
{
    uint64_t rem,
        want = skedi_muldiv(sum, (uint64_t)p.num, (uint64_t)p.den, &rem);
    size_t at = 0;

    for (size_t step = SKEDI_SAMPLE; step > 0; step /= 2) {
        size_t next = at + step;
        if (next <= n && memory->spare[next - 1].key < want) at = next;
    }
    if (at == n) at = n - 1;
    size_t reach = 3 * small_root(at * (n - at) / n) + 4;
    b->low = at > reach ? memory->sample[at - reach].key : 1;
    b->high = at + reach < n ? memory->sample[at + reach].key
                             : (uint64_t)SKED_AMOUNT_MAX;
    b->below = b->inside = 0;
}

/* Adds a bracket; merges the bracket with all brackets that overlap. */
static void join_bracket(skedi_brackets *b, skedi_pctl_bracket x)
{
    skedi_pctl_bracket *of = b->of;
    size_t from = 0, to;

    while (from < b->n && of[from].high < x.low) from++;
    for (to = from; to < b->n && of[to].low <= x.high; to++) {
        x.low = of[to].low < x.low ? of[to].low : x.low;
        x.high = of[to].high > x.high ? of[to].high : x.high;
    }
    if (to == from) {
        for (size_t i = b->n; i > from; i--) of[i] = of[i - 1];
        b->n++;
    } else {
        for (size_t i = to; i < b->n; i++) of[from + 1 + i - to] = of[i];
        b->n -= to - from - 1;
    }
    of[from] = x;
}

/* Counts the sampled units in brackets. */
static size_t sampled_inside(const skedi_brackets *b, size_t n,
                             const skedi_select_memory *memory)
{
    size_t inside = 0;

    for (size_t k = 0; k < b->n; k++) {
        for (size_t i = 0; i < n; i++) {
            uint64_t a = memory->sample[i].key;
            inside += a >= b->of[k].low && a <= b->of[k].high;
        }
    }
    return inside;
}

int skedi_brackets_guess(skedi_brackets *b, const skedi_units *units,
                         const sked_ratio *threshold, size_t n,
                         skedi_select_memory *memory)
{
    size_t taken = take_sample(units, memory);

    *b = (skedi_brackets){.n = 0};
    if (taken < SKEDI_SAMPLE / 16) return 0;
    uint64_t sum = sum_sample(units, taken, memory);
    for (size_t j = 0; j < n; j++) {
        skedi_pctl_bracket x;
        guess_one(&x, threshold[j], sum, taken, memory);
        join_bracket(b, x);
    }
    return sampled_inside(b, taken, memory) <= SKEDI_SAMPLE / 13;
}

static void bracket_block(skedi_pctl_bracket *b, const skedi_units *u,
                          skedi_brackets *all, skedi_select_memory *memory)
{
    int64_t *length = memory->length[0], *amount = memory->amount[0];
    uint64_t low = b->low, width = b->high - b->low, below = 0;
    size_t n = all->listed, from = n;

    for (size_t i = 0; i < u->n; i++) {
        int64_t l = u->length[i], a = u->amount[i];
        uint64_t at = (uint64_t)a - 1; /* a vacant unit is above all */
        below += at < low - 1 ? (uint64_t)l : 0;
        length[n] = l;
        amount[n] = a;
        n += (uint64_t)a - low <= width;
    }
    for (size_t i = from; i < n; i++) b->inside += (uint64_t)length[i];
    b->below += below;
    all->listed = n;
}

void skedi_brackets_add(skedi_brackets *b, const skedi_units *block,
                        skedi_select_memory *memory)
{
    for (size_t k = 0; k < b->n; k++) {
        if (b->listed + block->n > memory->cap[0]) b->full = 1;
        if (b->full) return;
        bracket_block(&b->of[k], block, b, memory);
        memory->work.visits += block->n;
    }
}

int skedi_brackets_answer(const skedi_brackets *b, const skedi_units *units,
                          skedi_spot *spot, skedi_select_memory *memory)
{
    const skedi_pctl_bracket *at = b->of;
    const skedi_pctl_bracket *end = b->of + b->n;
    skedi_units list = {memory->length[0], memory->amount[0], b->listed};

    memory->work.guesses++;
    while (at < end && at->below + at->inside < spot->need) at++;
    if (b->full || at == end || at->below >= spot->need) {
        memory->work.misses++;
        return 0;
    }
    skedi_select_in(&list, (skedi_range){at->low, at->high, at->below}, spot,
                    memory);
    skedi_select_neighbours(&list, spot);
    if (spot->lower < at->low || spot->higher > at->high || !spot->higher) {
        skedi_select_neighbours(units, spot);
        memory->work.visits += units->n;
    }
    return 1;
}
