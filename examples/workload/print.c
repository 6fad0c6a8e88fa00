/* Texts and numbers in the forms of CSV and JSON. */
#include "print.h"

#include <string.h>

void print_field(FILE *file, const char *text)
{
    if (!strpbrk(text, ",\"\n\r")) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"') fputc('"', file);
        fputc(*text, file);
    }
    fputc('"', file);
}

void print_seconds(FILE *file, int64_t ns)
{
    char digits[16];
    int n = 9;

    if (ns < 0) {
        fputs("null", file);
        return;
    }
    fprintf(file, "%lld", (long long)(ns / 1000000000));
    if (ns % 1000000000 == 0) return;
    snprintf(digits, sizeof digits, "%09lld", (long long)(ns % 1000000000));
    while (digits[n - 1] == '0') n--;
    fprintf(file, ".%.*s", n, digits);
}

void print_amount(FILE *file, const char *unit, int64_t amount)
{
    char digits[8];
    int n = 3;

    if (strcmp(unit, "m") != 0) {
        fprintf(file, "%lld", (long long)amount);
        return;
    }
    fprintf(file, "%lld", (long long)(amount / 1000));
    if (amount % 1000 == 0) return;
    snprintf(digits, sizeof digits, "%03lld", (long long)(amount % 1000));
    while (digits[n - 1] == '0') n--;
    fprintf(file, ".%.*s", n, digits);
}

/* The length of a UTF-8 sequence; 0: invalid bytes. */
static size_t utf8_length(const unsigned char *at)
{
    size_t n = at[0] < 0x80   ? 1
               : at[0] < 0xc2 ? 0
               : at[0] < 0xe0 ? 2
               : at[0] < 0xf0 ? 3
               : at[0] < 0xf5 ? 4
                              : 0;

    for (size_t i = 1; i < n; i++) {
        if ((at[i] & 0xc0) != 0x80) return 0;
    }
    if (n == 3 && at[0] == 0xe0 && at[1] < 0xa0) return 0; /* overlong */
    if (n == 3 && at[0] == 0xed && at[1] > 0x9f) return 0; /* a surrogate */
    if (n == 4 && at[0] == 0xf0 && at[1] < 0x90) return 0;
    if (n == 4 && at[0] == 0xf4 && at[1] > 0x8f) return 0;
    return n;
}

/* Names may hold any bytes; JSON may not. */
void print_string(FILE *file, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;

    fputc('"', file);
    while (*at) {
        size_t n = utf8_length(at);
        if (n == 0) {
            fputs("\\ufffd", file);
            at++;
        } else if (*at == '"' || *at == '\\') {
            fprintf(file, "\\%c", *at++);
        } else if (*at < 32) {
            fprintf(file, "\\u%04x", *at++);
        } else {
            fwrite(at, 1, n, file);
            at += n;
        }
    }
    fputc('"', file);
}

const char *print_kind(int32_t kind)
{
    static const char *const said[] = {" (cpu)", " (memory)", " (gpu)"};

    return kind >= 0 && kind < 3 ? said[kind] : "";
}
