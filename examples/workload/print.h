#ifndef WORKLOAD_PRINT_H
#define WORKLOAD_PRINT_H

/* Texts and numbers in the forms of CSV and JSON. */

#include <stdint.h>
#include <stdio.h>

/* A text as a field of CSV. */
void print_field(FILE *file, const char *text);

/* A text as a string of JSON; what is no UTF-8 becomes U+FFFD. */
void print_string(FILE *file, const char *text);

/* ns as seconds, exactly: "12.5"; "null" below 0. */
void print_seconds(FILE *file, int64_t ns);

/* An amount as a decimal number by unit: cores ("m"), bytes ("B"). */
void print_amount(FILE *file, const char *unit, int64_t amount);

/* The suffix for a kind of a workload: " (gpu)"; "" without a kind. */
const char *print_kind(int32_t kind);

#endif
