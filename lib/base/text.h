#ifndef SKEDI_TEXT_H
#define SKEDI_TEXT_H

#include "base/arith.h"

/* A reader: a place in a text, and the start of its line. */
typedef struct skedi_reader {
    const char *at;
    const char *end;
    const char *line_start;
    uint32_t line; /* from 1 */
} skedi_reader;

skedi_reader skedi_read_from(const char *text, size_t length);

/* The byte at the place, or -1 at the end. */
int skedi_read_peek(const skedi_reader *r);

/* Passes blanks and tabs. */
void skedi_read_blanks(skedi_reader *r);

/* Passes `c` if it stands here; 1 if it did. */
int skedi_read_char(skedi_reader *r, char c);

/* Passes `word` if it stands here, whatever follows; 1 if it did. */
int skedi_read_word(skedi_reader *r, const char *word);

/* In bytes from 1, of `at` or of an earlier place on the same line. */
uint32_t skedi_read_column(const skedi_reader *r, const char *at);

/*
 * Passes decimal digits. SKED_OK, SKED_ERR_SYNTAX (there are none) or
 * SKED_ERR_RANGE (2^64 and above); the place moves only when it is OK.
 */
sked_status skedi_read_u64(skedi_reader *r, uint64_t *x);

/* A decimal as written: whole + part / 10^places. If `more` is set, the value
 * has a further part below the last place. */
typedef struct skedi_decimal {
    uint64_t whole;
    uint64_t part;
    uint32_t places; /* 0 to 18 */
    int more;
} skedi_decimal;

/* Passes digits, or digits '.' digits: as skedi_read_u64(). */
sked_status skedi_read_decimal(skedi_reader *r, skedi_decimal *x);

/* `exponent` from 0 to 19. */
uint64_t skedi_power_of_ten(uint32_t exponent);

/*
 * x * scale as a whole number, rounded as `mode` says (arith.h); scale from 1
 * to 2^62. SKED_OK, or SKED_ERR_RANGE when SKEDI_EXACT would round, when more
 * than 18 places might decide, or when the result is above `most`; then `out`
 * is as it was.
 */
sked_status skedi_decimal_times(skedi_decimal x, uint64_t scale, int mode,
                                uint64_t most, uint64_t *out);

/*
 * A writer: writes into `cap` bytes and counts in `n` the bytes that the whole
 * text needs. No byte is ever written beyond `cap`. skedi_write_end() adds the
 * final NUL.
 */
typedef struct skedi_writer {
    char *text;
    size_t cap;
    size_t n;
} skedi_writer;

void skedi_write_char(skedi_writer *w, char c);
void skedi_write_bytes(skedi_writer *w, const char *bytes, size_t n);
void skedi_write_text(skedi_writer *w, const char *text);
void skedi_write_i64(skedi_writer *w, int64_t x);
void skedi_write_u64(skedi_writer *w, uint64_t x);

/* whole + part / 10^places without zeros at its end: 2, 500, 3 are 2.5. */
void skedi_write_decimal(skedi_writer *w, uint64_t whole, uint64_t part,
                         uint32_t places);

/* SKED_OK, or SKED_ERR_RANGE when `cap` could not hold it with its NUL. */
sked_status skedi_write_end(skedi_writer *w);

#endif
