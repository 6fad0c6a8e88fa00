/*
 * What an engine promises, over worlds that the bytes draw (tests/promises):
 * the same checker as prop.promises, led by coverage.
 */
#include <stdlib.h>

#include "../tests/promises/host.h"

enum { ROUNDS = 200 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static world w;
    static host h;
    world_source source = {.at = data, .end = data + size};

    if (size == 0) return 0;
    world_draw(&w, &source, world_has_share());
    uint64_t more = world_below(&source, 6);
    if (more > 0) world_draw_more(&w, &source);
    if (more > 1) world_draw_last(&w, &source);
    if (more > 2) world_draw_told(&w, &source);
    if (more > 2) world_draw_revocable(&w, &source);
    if (more > 3) world_draw_policies(&w, &source);
    if (more > 3) world_draw_said(&w, &source);
    if (more > 4) world_draw_wide(&w, &source, world_has_share());
    host_run(&h, &w, ROUNDS, 0);
    if (h.broken == 0) return 0;
    for (int p = 0; p < PROMISES; p++) {
        if (!(h.broken >> p & 1)) continue;
        fprintf(stderr, "%s: %s\n", promise_name[p], h.text[p]);
    }
    world_tell(&w, stderr);
    abort();
}
