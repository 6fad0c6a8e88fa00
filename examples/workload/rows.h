#ifndef WORKLOAD_ROWS_H
#define WORKLOAD_ROWS_H

/* A file of rows and fields, and the position of a fault in the file. */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The fault of an input, as a line for a person. */
typedef struct input_fault {
    char file[1024];
    uint64_t line;   /* from 1; 0: the file as a whole */
    uint64_t column; /* in bytes, from 1; 0: the line as a whole */
    char reason[256];
} input_fault;

/* Notes a fault and returns 0, so a reader fails with `return input_fail()`. */
int input_fail(input_fault *fault, uint64_t line, uint64_t column,
               const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;

/* Prints "file:line:column: reason" as a single line, whatever bytes the fault
 * contains. */
void input_report(const input_fault *fault, FILE *out);

typedef struct input {
    char *bytes; /* followed by a NUL */
    size_t length;
} input;

/* Reads a whole file ("-": standard input). 0: see the fault. */
int input_read(input *in, const char *path, input_fault *fault);

/* Makes an input of a text in the program. 0: see the fault. */
int input_copy(input *in, const char *text, input_fault *fault);

void input_free(input *in);

/* A field of a row: the bytes, and the position of the first byte. */
typedef struct text_field {
    const char *text;
    size_t length;
    uint64_t line;
    uint64_t column;
} text_field;

enum { ROW_FIELDS = 256 };

typedef struct text_row {
    text_field fields[ROW_FIELDS];
    size_t n;
    uint64_t line; /* where the row begins */
} text_row;

/* Goes through the rows of an input; changes the input's bytes (removes
 * quotes). */
typedef struct row_reader {
    char *at;
    char *end;
    char *line_start;
    uint64_t line;
} row_reader;

row_reader row_reader_of(input *in);

/*
 * The next row of comma-separated fields, by RFC 4180: quotes around a field,
 * doubled quotes inside, LF or CRLF. Empty lines are skipped. 1: a row; 0: the
 * end; -1: see the fault.
 */
int row_next_csv(row_reader *reader, text_row *r, input_fault *fault);

/* Reads the first row, the header. 0: see the fault. */
int row_header(row_reader *reader, text_row *header, input_fault *fault);

/* True if a field is this text. */
int field_is(const text_field *f, const char *text);

/*
 * Finds `n` columns of a header by name: `at` receives their places, -1 for a
 * missing column. A column must not stand twice. The first `needed` columns
 * must be present. 0: see the fault.
 */
int row_columns(const text_row *header, const char *const *name, int n,
                int needed, int *at, input_fault *fault);

/* Reads the next row; the row must have `width` fields like the header. Returns
 * as row_next_csv(). */
int row_next_width(row_reader *reader, text_row *r, size_t width,
                   input_fault *fault);

/* The next row of blank-separated fields; a line that begins with ';' is a
 * single field. Otherwise as row_next_csv(). */
int row_next_swf(row_reader *reader, text_row *r, input_fault *fault);

#endif
