/*
 * Many thresholds of one queue: the units in use are sorted once, and each
 * threshold is found in the running sum of their lengths.
 */
#include "pctl/select.h"

int skedi_select_reserve_sorted(skedi_select_memory *memory, size_t n,
                                skedi_mem *mem)
{
    memory->n_sorted = n;
    for (int i = 0; i < 2; i++) {
        memory->sorted[i] = skedi_new(mem, n, sizeof(skedi_keyed));
        if (!memory->sorted[i]) return 0;
    }
    return 1;
}

/* Sorts the units in use and turns the other list into sums; how many. */
static size_t sort_units(const skedi_units *u, skedi_keyed *item,
                         skedi_keyed *sum)
{
    size_t n = 0;
    uint64_t upto = 0;

    for (size_t i = 0; i < u->n; i++) {
        item[n].key = (uint64_t)u->amount[i];
        item[n].index = (uint32_t)i;
        n += u->amount[i] != 0 && u->length[i] != 0;
    }
    skedi_sort_keys(item, sum, n);
    for (size_t i = 0; i < n; i++) {
        upto += (uint64_t)u->length[item[i].index];
        sum[i].key = upto;
    }
    return n;
}

/* The first of `n` rising keys that is not below `least`; n: none is. */
static size_t first_from(const skedi_keyed *item, size_t n, uint64_t least)
{
    size_t from = 0;

    while (n > 0) {
        size_t half = n / 2;
        int below = item[from + half].key < least;
        from += below ? half + 1 : 0;
        n = below ? n - half - 1 : half;
    }
    return from;
}

void skedi_select_sorted(const skedi_units *units, skedi_spot *spot, size_t n,
                         skedi_select_memory *memory)
{
    const skedi_keyed *item = memory->sorted[0], *sum = memory->sorted[1];
    size_t used = sort_units(units, memory->sorted[0], memory->sorted[1]);

    memory->work.visits += units->n;
    for (size_t j = 0; j < n; j++) {
        uint64_t amount = item[first_from(sum, used, spot[j].need)].key;
        size_t first = first_from(item, used, amount);
        size_t next = first_from(item, used, amount + 1);
        spot[j].amount = amount;
        spot[j].covered = sum[next - 1].key;
        spot[j].lower = first > 0 ? item[first - 1].key : 0;
        spot[j].higher = next < used ? item[next].key : 0;
    }
}
