#ifndef SKEDTEST_KIT_H
#define SKEDTEST_KIT_H

#include "zz_kit.h"

#include <stdint.h>

/* A bug without a case, or NULL. The caller frees it. */
sked_test_bug *kit_bug(void);

/* The searches of the kit over a property in Go. */
int kit_search(uintptr_t try_case, uint64_t runs, uint64_t seed,
               sked_test_bug *bug);
int kit_bytes(uintptr_t try_case, const uint8_t *data, size_t size,
              sked_test_bug *bug);
int kit_replay(uintptr_t try_case, const uint64_t *choice, size_t n,
               sked_test_bug *bug);
void kit_say(sked_test_story *story, const char *line);

/* The properties of the kit over a division or a manager in Go. */
void kit_division(uintptr_t share, sked_test_choices *c,
                  sked_test_story *story);
const char *kit_family(uintptr_t share, int64_t total,
                       const sked_test_claim *claims, size_t n);
void kit_manager(uintptr_t run, uint32_t rules, sked_test_choices *c,
                 sked_test_story *story);

#endif
