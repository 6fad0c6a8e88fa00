/*
 * Decisions wait in a ring, by sequence number. The digest takes a decision
 * when the decision can no longer change.
 */

#include "base/assert.h"
#include "base/fail.h"
#include "engine/decision.h"

static size_t decision_out_waiting(const sked_engine *e)
{
    return (size_t)(e->out_next - e->out_from);
}

int skedi_out_grow(sked_engine *e, size_t more)
{
    size_t want = decision_out_waiting(e) + more,
           cap = e->out_cap ? e->out_cap : 64;

    while (cap < want) cap *= 2;
    sked_decision *ring = skedi_new(&e->hooks.mem, cap, sizeof *ring);
    if (!ring) return 0;
    for (uint64_t s = e->out_from; s < e->out_next; s++) {
        ring[s & (cap - 1)] = e->out[s & (e->out_cap - 1)];
    }
    skedi_free(&e->hooks.mem, e->out, e->out_cap, sizeof *ring);
    e->out = ring;
    e->out_cap = cap;
    return 1;
}

/* Two fields of 32 bits as they stand after each other. */
static uint64_t decision_side_by_side(uint32_t first, uint32_t second)
{
    return first | (uint64_t)second << 32;
}

static void decision_digest_decision(skedi_hash *hash, const sked_decision *d)
{
    const uint64_t words[12] = {
        d->sequence,
        (uint64_t)d->time,
        decision_side_by_side((uint32_t)d->kind, (uint32_t)d->reason),
        d->job,
        d->ask,
        d->node,
        d->group,
        (uint64_t)d->task,
        (uint64_t)d->count,
        d->queue,
        (uint64_t)d->detail,
        decision_side_by_side((uint32_t)d->kind_at, d->partition),
    };

    skedi_hash_words(hash, words, 12);
    if (d->serves) skedi_hash_words(hash, &d->serves, 1);
}

sked_decision skedi_out_about(const sked_engine *e, uint32_t ask, uint32_t node)
{
    const engine_ask *a = ask_at(e, ask);
    const engine_job *job = job_at(e, a->job);

    return (sked_decision){
        .job = job->key,
        .ask = a->key,
        .node = node_at(e, node)->key,
        .queue = job->queue,
        .kind_at = -1,
        .partition = node_at(e, node)->partition,
    };
}

void skedi_out_close(sked_engine *e)
{
    sked_decision *last = skedi_out_last(e);

    if (last) decision_digest_decision(&e->digest, last);
    e->out_open = 0;
}

sked_decision *skedi_out_add(sked_engine *e, sked_decision decision)
{
    SKEDI_ASSERT(e->out_next - e->out_from < e->out_cap);
    skedi_out_close(e);
    decision.sequence = e->out_next++;
    decision.time = e->now;
    sked_decision *at = &e->out[decision.sequence & (e->out_cap - 1)];
    *at = decision;
    e->out_open = 1;
    e->stats.decisions++;
    return at;
}

uint64_t skedi_out_digest(const sked_engine *e)
{
    skedi_hash hash = e->digest;

    if (e->out_open) {
        size_t at = (size_t)(e->out_next - 1) & (e->out_cap - 1);
        decision_digest_decision(&hash, &e->out[at]);
    }
    return skedi_hash_end(&hash);
}
