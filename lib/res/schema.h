#ifndef SKEDI_SCHEMA_H
#define SKEDI_SCHEMA_H

#include <sched/res.h>

#include "base/hooks.h"

typedef enum skedi_unit {
    SKEDI_PIECES = 0,
    SKEDI_MILLI = 1,
    SKEDI_BYTES = 2
} skedi_unit;

typedef struct skedi_kind {
    char name[SKED_KIND_NAME_MAX + 1]; /* zeros behind the name */
    uint32_t length;
    skedi_unit unit;
} skedi_kind;

/*
 * Holds no pointer of its own: a handle can embed a schema by value. Fill the
 * schema with skedi_schema_take(), and leave `hooks` alone.
 */
struct sked_schema {
    skedi_hooks hooks; /* of a schema outside other handles */
    uint32_t n;
    skedi_kind kind[SKED_MAX_KINDS];
};

/* to = the kinds of `from`, without a host. Cannot fail. */
void skedi_schema_take(sked_schema *to, const sked_schema *from);

/* May a name hold this byte (-1: the end of a text)? */
int skedi_schema_is_name_byte(int c);

/* "m", "B" or "1" (or ""): 1 and the unit, or 0. */
int skedi_unit_of(const char *text, skedi_unit *unit);
const char *skedi_unit_text(skedi_unit unit);

#endif
