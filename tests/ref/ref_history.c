#include "ref_history.h"

#include <string.h>

void ref_history_add(ref_history *h, ref_record record)
{
    h->record[h->n++] = record;
}

void ref_history_held(const ref_history *h, uint32_t queue, int64_t tick,
                      int64_t *vec)
{
    const ref_record *said = NULL;

    memset(vec, 0, h->kinds * sizeof *vec);
    for (size_t i = 0; i < h->n; i++) {
        const ref_record *r = &h->record[i];
        if (r->queue != queue || r->start > tick) continue;
        if (r->is_change) {
            if (!said || r->start >= said->start) said = r;
            continue;
        }
        if (r->end <= tick) continue;
        for (uint32_t k = 0; k < h->kinds; k++) vec[k] += r->vec[k];
    }
    for (uint32_t k = 0; said && k < h->kinds; k++) vec[k] += said->vec[k];
}

size_t ref_history_units(const ref_history *h, uint32_t queue, int64_t from,
                         int64_t to, int64_t *length, int64_t *vec)
{
    size_t n = 0, size = h->kinds * sizeof *vec;
    int64_t now[REF_KINDS];

    for (int64_t tick = from; tick < to; tick++) {
        ref_history_held(h, queue, tick, now);
        if (n > 0 && memcmp(vec + (n - 1) * h->kinds, now, size) == 0) {
            length[n - 1]++;
            continue;
        }
        length[n] = 1;
        memcpy(vec + n++ * h->kinds, now, size);
    }
    return n;
}

int64_t ref_instances(const int64_t *vec, const int64_t *instance,
                      uint32_t kinds, int64_t parts)
{
    int64_t most = 0;

    for (uint32_t k = 0; k < kinds; k++) {
        if (vec[k] == 0) continue;
        int64_t x = (vec[k] * parts + instance[k] - 1) / instance[k];
        most = x > most ? x : most;
    }
    return most;
}
