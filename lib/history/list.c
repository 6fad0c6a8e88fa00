/* A sweep's units by amount: sorted, equal amounts joined. */
#include "history/state.h"

static size_t keys_of(const skedi_sweep *s, skedi_keyed *key)
{
    const skedi_measure *m = &s->history->measure;
    size_t width = s->history->kinds + 1, n = 0;

    for (size_t i = 0; i < s->n_units; i++) {
        const int64_t *vec = s->unit + i * width + 1;
        uint64_t amount = skedi_measure_of(m, vec,
                                           skedi_measure_leader(m, vec));
        if (amount == 0) continue;
        key[n++] = (skedi_keyed){.key = amount, .index = (uint32_t)i};
    }
    return n;
}

void skedi_sweep_list(skedi_sweep *s, skedi_keyed *key, skedi_keyed *spare)
{
    const skedi_history_queue *q = &s->history->queue[s->queue];
    size_t width = s->history->kinds + 1, n = keys_of(s, key);

    skedi_sort_keys(key, spare, n);
    s->n_list = s->n_fresh = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t length = (uint64_t)s->unit[key[i].index * width];
        if (s->n_list > 0 && s->list[s->n_list - 1].amount == key[i].key) {
            s->list[s->n_list - 1].length += length;
            continue;
        }
        s->list[s->n_list++] = (skedi_lengths){key[i].key, length};
        s->n_fresh += !skedi_curve_has(&q->curve, key[i].key);
    }
}
