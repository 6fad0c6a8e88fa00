#ifndef TEST_SIZE_H
#define TEST_SIZE_H

#include <stddef.h>

/*
 * How much of a sweep or how many random instances a test should do: `usual`,
 * or `full` when the environment says SKED_TEST_SIZE=full, as tools/check does,
 * or an eighth of `usual` when it says "part", as tools/check --fast does for
 * the builds that repeat what the debug build has run in whole.
 */
size_t test_size(size_t usual, size_t full);

#endif
