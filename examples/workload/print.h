#ifndef WORKLOAD_PRINT_H
#define WORKLOAD_PRINT_H

/* Texts and numbers as CSV and JSON want them. */

#include <stdint.h>
#include <stdio.h>

/* A text as one field of CSV. */
void print_field(FILE *file, const char *text);

/* A text as a string of JSON; what is no UTF-8 becomes U+FFFD. */
void print_string(FILE *file, const char *text);

/* ns as seconds, exactly: "12.5"; "null" below 0. */
void print_seconds(FILE *file, int64_t ns);

/* An amount as a decimal number of its kind: cores ("m"), bytes ("B"). */
void print_amount(FILE *file, const char *unit, int64_t amount);

/* A kind of workloads behind what is said of it: " (gpu)"; "" of none. */
const char *print_kind(int32_t kind);

#endif
