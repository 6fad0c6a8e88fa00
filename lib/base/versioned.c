/* Copies structs of older or newer callers (versioned.h describes the three
 * cases). The functions copy bytes and know no fields. */
#include "base/versioned.h"

#include <string.h>

/* Far above any struct of the library; a larger size is an uninitialised
 * field. */
enum { SIZE_LIMIT = 4096 };

static int all_zero(const unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (p[i] != 0) return 0;
    }
    return 1;
}

sked_status skedi_struct_out(uint32_t theirs, uint32_t oldest)
{
    int set = theirs >= oldest && theirs <= SIZE_LIMIT;

    return set ? SKED_OK : SKED_ERR_VERSION;
}

sked_status skedi_struct_in(void *dst, uint32_t known, const void *src,
                            uint32_t oldest)
{
    memset(dst, 0, known);
    if (src) {
        uint32_t theirs;
        memcpy(&theirs, src, sizeof theirs);
        sked_status rc = skedi_struct_out(theirs, oldest);
        if (rc != SKED_OK) return rc;

        const unsigned char *bytes = src;
        if (theirs > known && !all_zero(bytes + known, theirs - known)) {
            return SKED_ERR_VERSION;
        }
        memcpy(dst, src, theirs < known ? theirs : known);
    }
    memcpy(dst, &known, sizeof known);
    return SKED_OK;
}
