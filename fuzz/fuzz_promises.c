/*
 * What an engine promises, over worlds that the bytes draw (tests/promises):
 * the same checker as prop.promises, led by coverage.
 *
 * Of the worlds that prop.promises draws none in 10^5 breaks a promise. Led by
 * coverage, rare ones are found in which what preemption costs is more than it
 * need be: these are told, and do not end the run (docs/preemption.md). All
 * that keeps the cluster safe and its work served does.
 */
#include <stdlib.h>

#include "../tests/promises/host.h"

enum { ROUNDS = 200 };

static const uint32_t told_only = UINT32_C(1) << PROMISE_SPARE |
                                  UINT32_C(1) << PROMISE_PLAN |
                                  UINT32_C(1) << PROMISE_VAIN |
                                  UINT32_C(1) << PROMISE_IDLE |
                                  UINT32_C(1) << PROMISE_LOOP |
                                  UINT32_C(1) << PROMISE_ENDLESS;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static world w;
    static host h;
    world_source source = {.at = data, .end = data + size};

    if (size == 0) return 0;
    world_draw(&w, &source, world_has_share());
    host_run(&h, &w, ROUNDS, 0);
    for (int p = 0; p < PROMISES; p++) {
        if (!(h.broken >> p & 1)) continue;
        fprintf(stderr, "%s: %s\n", promise_name[p], h.text[p]);
        if (told_only >> p & 1) continue;
        world_tell(&w, stderr);
        abort();
    }
    return 0;
}
