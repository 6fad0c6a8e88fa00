/*
 * Windows (intervals of levels without a breakpoint) are made from the
 * breakpoints that a solution has left in scratch; levels are read from them.
 * Both ends keep a guard from the breakpoints, larger than what doubles can be
 * off.
 */
#include "fill/window.h"

#include "fill/pick.h"

void skedi_fill_window_make(const skedi_fill_work *work,
                            const skedi_fill_level *level,
                            skedi_fill_window *window)
{
    const double guard = 4e-12; /* more than reading a level takes off */
    const skedi_fill_key *keys = work->scratch;
    double from = work->from, to = work->to;

    *window = (skedi_fill_window){0};
    if (level->outcome != SKED_FILL_OUTCOME_OK || level->num == 0) return;
    uint64_t den = skedi_u128_low(level->den);
    double x = (double)(int64_t)level->num / (double)(int64_t)den;
    for (size_t i = 0; i < work->undecided; i++) {
        double at = (double)(int64_t)keys[i].v / (double)(int64_t)keys[i].w;
        if (at <= x && at > from) from = at;
        if (at > x && at < to) to = at;
    }
    *window = (skedi_fill_window){
        .from = from * (1 + guard),
        .to = to * (1 - guard),
        .fixed = (uint64_t)level->total - level->num,
        .slope = den,
    };
}

int skedi_fill_window_level(const skedi_fill_window *window, int64_t total,
                            skedi_fill_level *level)
{
    const double guard = 1e-12;
    uint64_t num = (uint64_t)total - window->fixed;

    if (!skedi_fill_window_is_open(window) || window->slope == 0 || num == 0 ||
        num > (uint64_t)total) {
        return 0;
    }
    double x = (double)(int64_t)num / (double)(int64_t)window->slope;
    if (x < window->from * (1 + guard) || x > window->to * (1 - guard)) {
        return 0;
    }
    *level = (skedi_fill_level){
        .outcome = SKED_FILL_OUTCOME_OK,
        .total = total,
        .num = num,
        .den = skedi_u128_of(window->slope),
    };
    return 1;
}
