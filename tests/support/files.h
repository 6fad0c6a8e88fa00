#ifndef TEST_FILES_H
#define TEST_FILES_H

#include <stddef.h>

/* A file of the project, by its path from the root, with a NUL behind it; from
 * malloc(). The test fails when there is none. */
char *test_file(const char *path, size_t *length);

#endif
