/* Worlds with every attribute and event (tests/promises), as an engine with
 * rounds of preemption lives through them. */
#include "../promises/host.h"

#include "hash.h"

enum { WORLDS = 120, ROUNDS = 60 };

uint64_t hash_worlds(unsigned size);

uint64_t hash_worlds(unsigned size)
{
    static world w;
    static host h;
    uint64_t sum = 0, seeds = 31;

    for (unsigned i = 0; i < WORLDS * size; i++) {
        world_source source = {.state = hash_random(&seeds)};
        world_draw(&w, &source, world_has_share());
        world_draw_more(&w, &source);
        host_run(&h, &w, ROUNDS, 0);
        HASH_MUST(!h.failed && (h.broken >> PROMISE_CALLS & 1) == 0);
        sum = hash_add(sum, h.digest);
        sum = hash_add(sum, h.starts);
        sum = hash_add(sum, h.kills);
        sum = hash_add(sum, h.notices);
    }
    return sum;
}
