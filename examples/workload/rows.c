/*
 * Fields are cut in place. A field points into the file's bytes, and a quoted
 * field is moved down over its quotes. Fields are never copied, whatever the
 * length of a line.
 */
#include "rows.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int input_fail(input_fault *fault, uint64_t line, uint64_t column,
               const char *format, ...)
{
    va_list args;

    fault->line = line;
    fault->column = column;
    va_start(args, format);
    vsnprintf(fault->reason, sizeof fault->reason, format, args);
    va_end(args);
    return 0;
}

/* Text of unknown origin: control characters become blanks. */
static void print_safe(const char *text, FILE *out)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        fputc(c < 32 || c == 127 ? ' ' : c, out);
    }
}

void input_report(const input_fault *fault, FILE *out)
{
    print_safe(fault->file, out);
    if (fault->line) fprintf(out, ":%llu", (unsigned long long)fault->line);
    if (fault->column) fprintf(out, ":%llu", (unsigned long long)fault->column);
    fputs(": ", out);
    print_safe(fault->reason, out);
    fputc('\n', out);
}

/* Reads to the end of an open file, growing as it goes. */
static int slurp(input *in, FILE *file, input_fault *fault)
{
    size_t cap = 1 << 16;

    in->bytes = malloc(cap);
    while (in->bytes) {
        size_t room = cap - in->length - 1;
        size_t got = fread(in->bytes + in->length, 1, room, file);
        in->length += got;
        if (got < room) break;
        cap *= 2;
        char *grown = realloc(in->bytes, cap);
        if (!grown) free(in->bytes);
        in->bytes = grown;
    }
    if (!in->bytes) return input_fail(fault, 0, 0, "does not fit in memory");
    if (ferror(file)) return input_fail(fault, 0, 0, "cannot be read");
    in->bytes[in->length] = 0;
    return 1;
}

int input_read(input *in, const char *path, input_fault *fault)
{
    *in = (input){0};
    int is_stdin = strcmp(path, "-") == 0;
    snprintf(fault->file, sizeof fault->file, "%s", is_stdin ? "stdin" : path);
    FILE *file = is_stdin ? stdin : fopen(path, "rb");
    if (!file) return input_fail(fault, 0, 0, "cannot be opened");

    int ok = slurp(in, file, fault);
    if (!is_stdin) fclose(file);
    if (ok && in->length > 1 && !memcmp(in->bytes, "\x1f\x8b", 2)) {
        ok = input_fail(fault, 0, 0,
                        "is compressed: unpack it (gzip -dc), and give - to "
                        "read standard input");
    }
    if (!ok) input_free(in);
    return ok;
}

int input_copy(input *in, const char *text, input_fault *fault)
{
    size_t length = strlen(text);

    *in = (input){malloc(length + 1), length};
    if (!in->bytes) return input_fail(fault, 0, 0, "does not fit in memory");
    memcpy(in->bytes, text, length + 1);
    return 1;
}

void input_free(input *in)
{
    free(in->bytes);
    *in = (input){0};
}

row_reader row_reader_of(input *in)
{
    char *start = in->bytes;

    if (in->length >= 3 && !memcmp(start, "\xef\xbb\xbf", 3)) start += 3;
    return (row_reader){start, in->bytes + in->length, start, 1};
}

static uint64_t column_of(const row_reader *reader, const char *at)
{
    return (uint64_t)(at - reader->line_start) + 1;
}

static void next_line(row_reader *reader)
{
    reader->at++;
    reader->line++;
    reader->line_start = reader->at;
}

/* Is the reader at the end of a line? CR counts only before LF. */
static int at_line_end(const row_reader *reader)
{
    if (reader->at == reader->end || *reader->at == '\n') return 1;
    return *reader->at == '\r' &&
           (reader->at + 1 == reader->end || reader->at[1] == '\n');
}

static void skip_line_end(row_reader *reader)
{
    if (reader->at < reader->end && *reader->at == '\r') reader->at++;
    if (reader->at < reader->end) next_line(reader);
}

/* A field in quotes, moved down over them. */
static int cut_quoted(row_reader *reader, text_field *f, input_fault *fault)
{
    char *to = reader->at;

    f->text = to;
    reader->at++;
    for (;; *to++ = *reader->at++) {
        if (reader->at < reader->end && *reader->at == 0) {
            input_fail(fault, reader->line, column_of(reader, reader->at),
                       "a NUL byte");
            return -1;
        }
        if (reader->at == reader->end) {
            input_fail(fault, f->line, f->column, "a quote is never closed");
            return -1;
        }
        if (*reader->at == '\n') {
            reader->line++;
            reader->line_start = reader->at + 1;
        }
        if (*reader->at != '"') continue;
        reader->at++;
        if (reader->at == reader->end || *reader->at != '"') break;
    }
    f->length = (size_t)(to - f->text);
    if (!at_line_end(reader) && *reader->at != ',') {
        input_fail(fault, reader->line, column_of(reader, reader->at),
                   "text behind a closing quote");
        return -1;
    }
    return 1;
}

static int cut_plain(row_reader *reader, text_field *f, input_fault *fault)
{
    f->text = reader->at;
    while (!at_line_end(reader) && *reader->at != ',') {
        if (*reader->at == 0) {
            input_fail(fault, reader->line, column_of(reader, reader->at),
                       "a NUL byte");
            return -1;
        }
        reader->at++;
    }
    f->length = (size_t)(reader->at - f->text);
    return 1;
}

static text_field *add_field(row_reader *reader, text_row *r,
                             input_fault *fault)
{
    if (r->n == ROW_FIELDS) {
        input_fail(fault, reader->line, column_of(reader, reader->at),
                   "more than %d fields", ROW_FIELDS);
        return NULL;
    }
    text_field *f = &r->fields[r->n++];
    *f = (text_field){reader->at, 0, reader->line,
                      column_of(reader, reader->at)};
    return f;
}

int row_next_csv(row_reader *reader, text_row *r, input_fault *fault)
{
    while (reader->at < reader->end && at_line_end(reader)) {
        skip_line_end(reader);
    }
    if (reader->at == reader->end) return 0;

    r->n = 0;
    r->line = reader->line;
    for (;;) {
        text_field *f = add_field(reader, r, fault);
        if (!f) return -1;
        int quoted = reader->at < reader->end && *reader->at == '"';
        int ok = quoted ? cut_quoted(reader, f, fault)
                        : cut_plain(reader, f, fault);
        if (ok < 0) return -1;
        if (at_line_end(reader)) break;
        reader->at++; /* the comma */
    }
    skip_line_end(reader);
    return 1;
}

int row_header(row_reader *reader, text_row *header, input_fault *fault)
{
    header->n = 0; /* callers read the width of an empty file too */
    int more = row_next_csv(reader, header, fault);

    if (more == 0) return input_fail(fault, 1, 0, "no header line");
    return more > 0;
}

int field_is(const text_field *f, const char *text)
{
    return f->length == strlen(text) && !memcmp(f->text, text, f->length);
}

int row_columns(const text_row *header, const char *const *name, int n,
                int needed, int *at, input_fault *fault)
{
    for (int i = 0; i < n; i++) at[i] = -1;
    for (size_t k = 0; k < header->n; k++) {
        const text_field *f = &header->fields[k];
        int i = 0;
        while (i < n && !field_is(f, name[i])) i++;
        if (i == n) continue;
        if (at[i] >= 0) {
            return input_fail(fault, f->line, f->column,
                              "column %s stands twice", name[i]);
        }
        at[i] = (int)k;
    }
    for (int i = 0; i < needed; i++) {
        if (at[i] < 0) {
            return input_fail(fault, header->line, 0, "no column %s", name[i]);
        }
    }
    return 1;
}

int row_next_width(row_reader *reader, text_row *r, size_t width,
                   input_fault *fault)
{
    int more = row_next_csv(reader, r, fault);

    if (more <= 0 || r->n == width) return more;
    (void)input_fail(fault, r->line, 0, "%zu fields where the header has %zu",
                     r->n, width);
    return -1;
}

static int is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static int cut_word(row_reader *reader, text_field *f, int whole_line,
                    input_fault *fault)
{
    while (!at_line_end(reader) && (whole_line || !is_blank(*reader->at))) {
        if (*reader->at == 0) {
            input_fail(fault, reader->line, column_of(reader, reader->at),
                       "a NUL byte");
            return -1;
        }
        reader->at++;
    }
    f->length = (size_t)(reader->at - f->text);
    return 1;
}

int row_next_swf(row_reader *reader, text_row *r, input_fault *fault)
{
    r->n = 0;
    while (r->n == 0) {
        if (reader->at == reader->end) return 0;
        r->line = reader->line;
        while (!at_line_end(reader)) {
            while (!at_line_end(reader) && is_blank(*reader->at)) reader->at++;
            if (at_line_end(reader)) break;
            text_field *f = add_field(reader, r, fault);
            int comment = r->n == 1 && *reader->at == ';';
            if (!f || cut_word(reader, f, comment, fault) < 0) return -1;
        }
        skip_line_end(reader);
    }
    return 1;
}
