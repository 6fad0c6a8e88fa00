/* Chooses the path that fills a family: the plain path, or a kernel for the
 * machine. Every path gives the same bytes. */
#include "fill/paths.h"

/* In a smaller family, a guess costs more than it saves. */
enum { GUESS_FROM = 12 };

size_t skedi_fill_scratch(size_t n)
{
    const size_t row = 2 * sizeof(skedi_fill_key), extra = 256;

    return n > (SIZE_MAX - extra) / row ? 0 : n * row + extra;
}

static const skedi_fill_kernel *kernel_of(int32_t path)
{
    if (path == SKEDI_FILL_PORTABLE) return skedi_fill_kernel_portable();
    if (path == SKEDI_FILL_AVX2) return skedi_fill_kernel_avx2();
    if (path == SKEDI_FILL_AVX512) return skedi_fill_kernel_avx512();
    return NULL;
}

int skedi_fill_has(int32_t path)
{
    return path == SKEDI_FILL_BEST || path == SKEDI_FILL_PLAIN ||
           kernel_of(path) != NULL;
}

static int32_t best_path(void)
{
    int32_t path = SKEDI_FILL_AVX512 + 1;

    do {
        path--; /* every machine has the portable path */
    } while (!skedi_fill_has(path));
    return path;
}

/* The kernel for this family, or NULL for the plain path. */
static const skedi_fill_kernel *kernel_for(const skedi_fill_work *work,
                                           const skedi_fill_in *in)
{
    int32_t path = work->path;

    if (in->wide && !in->weight) return NULL;
    if (path == SKEDI_FILL_BEST) {
        if (in->n < GUESS_FROM) return NULL;
        path = best_path();
    }
    return kernel_of(path);
}

void skedi_fill_solve(skedi_fill_work *work, const skedi_fill_in *in,
                      int64_t total, const skedi_fill_level *warm,
                      skedi_fill_level *level)
{
    const skedi_fill_kernel *kernel = kernel_for(work, in);

    if (kernel) {
        skedi_fill_solve_fast(work, in, kernel, total, warm, level);
    } else {
        skedi_fill_solve_plain(work, in, skedi_fill_row_at, total, level);
    }
}

void skedi_fill_emit(skedi_fill_work *work, const skedi_fill_in *in,
                     const skedi_fill_level *level, int32_t rounding,
                     int64_t *share)
{
    const skedi_fill_kernel *kernel = kernel_for(work, in);

    if (kernel) {
        skedi_fill_emit_fast(work, in, kernel, level, rounding, share);
    } else {
        skedi_fill_emit_plain(work, in, level, rounding, share);
    }
}
