/* Hashes the shares of a handle. */
#include "base/hash.h"
#include "share/handle.h"

/* Hashes every option, even an option that changes no share. Handles with
 * different options are not meant to be equal. */
static void hash_options(skedi_hash *hash, const sked_share_options *options)
{
    skedi_hash_u32(hash, options->flags);
    skedi_hash_u32(hash, (uint32_t)options->model);
    skedi_hash_u32(hash, (uint32_t)options->scope);
    skedi_hash_u32(hash, (uint32_t)options->rounding);
    skedi_hash_u32(hash, options->kind);
}

uint64_t sked_share_digest(const sked_share *share)
{
    skedi_hash hash;

    if (!share) return 0;
    skedi_hash_start(&hash, 0);
    hash_options(&hash, &share->options);
    if (!share->any) return skedi_hash_end(&hash);
    const skedi_share_rows *rows = skedi_share_rows_seen(share);
    const int64_t *cells = skedi_share_results_seen(share)->share;
    int complete = skedi_share_is_complete(share);

    skedi_hash_u32(&hash, rows->kinds);
    for (uint32_t row = 0; row < rows->shape.n; row++) {
        int readable = complete || skedi_share_is_current(share, row);
        skedi_hash_u64(&hash, rows->id[row]);
        skedi_hash_u32(&hash, readable != 0);
        for (uint32_t k = 0; readable && k < rows->kinds; k++) {
            int64_t cell = cells[(size_t)k * rows->shape.n + row];
            skedi_hash_u64(&hash, (uint64_t)cell);
        }
    }
    return skedi_hash_end(&hash);
}
