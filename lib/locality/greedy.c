/* Three replicas a row: the host with the fewest blocks so far. */
#include "locality/handle.h"

int skedi_loc_greedy_plain(const skedi_loc *w, uint32_t from, uint32_t to,
                           uint32_t *restrict count, uint32_t step)
{
    const uint32_t hosts = w->hosts;
    const uint32_t *row = w->in->replica + (size_t)from * 3;
    uint8_t *restrict choice = w->choice;

    for (uint32_t b = from; b < to; b++, row += 3) {
        const uint32_t r0 = row[0], r1 = row[1], r2 = row[2];
        if ((r0 >= hosts) | (r1 >= hosts) | (r2 >= hosts)) return 0;
        const uint32_t c0 = count[r0], c1 = count[r1], c2 = count[r2];
        uint32_t k = c1 < c0, least = k ? c1 : c0;
        k = c2 < least ? 2 : k;
        least = c2 < least ? c2 : least;
        choice[b] = (uint8_t)k;
        count[row[k]] = least + step;
    }
    return 1;
}
