#include "size.h"

#include <stdlib.h>
#include <string.h>

size_t test_size(size_t usual, size_t full)
{
    const char *size = getenv("SKED_TEST_SIZE");

    if (size && strcmp(size, "full") == 0) return full;
    return size && strcmp(size, "part") == 0 && usual >= 8 ? usual / 8 : usual;
}
