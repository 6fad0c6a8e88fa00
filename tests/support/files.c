#include "files.h"

#include <stdio.h>
#include <stdlib.h>

#include "test.h"

char *test_file(const char *path, size_t *length)
{
    char full[1024];
    size_t cap = 1 << 20;

    snprintf(full, sizeof full, "%s/%s", TEST_ROOT, path);
    FILE *f = fopen(full, "rb");
    if (!f) fail_msg("%s cannot be read", full);
    char *text = malloc(cap);
    assert_non_null(text);
    *length = fread(text, 1, cap - 1, f);
    fclose(f);
    text[*length] = 0;
    return text;
}
