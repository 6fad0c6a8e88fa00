/* What life.c, life_policy.c and life_update.c share. */
#ifndef SKED_PYTHON_LIFE_H
#define SKED_PYTHON_LIFE_H

#include "core.h"

enum { LIFE_SLA_FIELDS = 6 };
extern const field_of life_sla_fields[LIFE_SLA_FIELDS];

/* Instances of a column; SIZE_MAX: any number. 0 with an exception, and
 * everything released, unless the column holds as many. */
int instances_in(args *a, const incol *in, size_t n,
                 const sked_life_instance **out);

#endif
