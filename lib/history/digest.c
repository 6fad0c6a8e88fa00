/*
 * What a history comes down to as a number. Heaps and trees are hashed by what
 * is in them, not by how it lies, so that equal histories are equal numbers.
 */
#include "base/hash.h"
#include "history/state.h"

static void hash_wide(skedi_hash *hash, skedi_u128 x)
{
    skedi_hash_u64(hash, skedi_u128_high(x));
    skedi_hash_u64(hash, skedi_u128_low(x));
}

static void hash_words(skedi_hash *hash, const int64_t *word, size_t n)
{
    for (size_t i = 0; i < n; i++) skedi_hash_u64(hash, (uint64_t)word[i]);
}

/* Rows of a heap, in any order: the sum of their hashes. */
static void hash_open(skedi_hash *hash, const skedi_history_queue *q,
                      size_t width)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < q->n_open; i++) {
        skedi_hash row;
        skedi_hash_start(&row, 0);
        hash_words(&row, q->open + i * width, width);
        sum += skedi_hash_end(&row);
    }
    skedi_hash_u64(hash, q->n_open);
    skedi_hash_u64(hash, sum);
}

/* Amounts, rising, each with the lengths up to it. */
static void hash_curve(skedi_hash *hash, const skedi_curve *curve)
{
    uint64_t all = skedi_curve_sum(curve), covered = 0;

    skedi_hash_u64(hash, all);
    while (covered < all) {
        skedi_curve_place place = skedi_curve_at(curve, covered + 1);
        covered = place.covered;
        skedi_hash_u64(hash, place.amount);
        skedi_hash_u64(hash, covered);
    }
}

static void hash_queue(skedi_hash *hash, const sked_history *history,
                       uint32_t queue)
{
    const skedi_history_queue *q = &history->queue[queue];
    size_t kinds = history->kinds, width = kinds + 1, row = queue * kinds;

    skedi_hash_u32(hash, (uint32_t)q->began);
    skedi_hash_u64(hash, q->began ? (uint64_t)q->clock : 0);
    skedi_hash_u64(hash, q->vacant);
    hash_open(hash, q, width);
    hash_curve(hash, &q->curve);
    skedi_hash_u64(hash, q->n_units);
    for (size_t i = 0; i < q->n_units; i++) {
        hash_words(hash, q->unit + (q->first_unit + i) * width, width);
    }
    hash_words(hash, history->said + row, kinds);
    for (size_t k = 0; k < kinds; k++) {
        hash_wide(hash, history->work[row + k]);
        hash_wide(hash, history->work_leader[row + k]);
    }
}

uint64_t sked_history_digest(const sked_history *history)
{
    skedi_hash hash;

    if (!history) return 0;
    const skedi_measure *measure = &history->measure;
    skedi_hash_start(&hash, 0);
    skedi_hash_u32(&hash, history->flags);
    skedi_hash_u32(&hash, history->queues);
    skedi_hash_u32(&hash, history->kinds);
    skedi_hash_u32(&hash, measure->kind);
    skedi_hash_u32(&hash, measure->parts);
    if (measure->parts) hash_words(&hash, measure->instance, history->kinds);
    skedi_hash_u64(&hash, (uint64_t)history->from);
    skedi_hash_u64(&hash, (uint64_t)history->to);
    for (uint32_t i = 0; i < history->queues; i++) {
        hash_queue(&hash, history, i);
    }
    return skedi_hash_end(&hash);
}
