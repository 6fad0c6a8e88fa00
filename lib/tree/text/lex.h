#ifndef SKEDI_TREE_TEXT_LEX_H
#define SKEDI_TREE_TEXT_LEX_H

#include <stddef.h>
#include <stdint.h>

/* A lexer: a text of words on lines, and the position in the text. */
typedef struct skedi_lexer {
    const char *start;
    const char *at;
    const char *end;
    const char *line_start;
    uint32_t line; /* from 1 */
} skedi_lexer;

/* A raw part of the text, including escapes. */
typedef struct skedi_span {
    const char *raw;
    size_t length;
    uint32_t line;
    uint32_t column; /* of the first byte, from 1 */
} skedi_span;

/* A word: `key`, or `key=value` if `value.raw` is not NULL (without quotes). */
typedef struct skedi_word {
    skedi_span key;
    skedi_span value;
} skedi_word;

enum {
    SKEDI_LEX_WORD,
    SKEDI_LEX_LINE, /* a line ended */
    SKEDI_LEX_END,  /* the text ended */
    SKEDI_LEX_BAD   /* `word->key` is at the invalid byte */
};

/* Starts a lexer. `length` is below 2^32 - 1. A byte order mark is skipped. */
void skedi_lex_start(skedi_lexer *lex, const char *text, size_t length);

/* Returns the next SKEDI_LEX_*. After an invalid byte, the rest of the line is
 * skipped, hence later lines can still be checked. */
int skedi_lex_next(skedi_lexer *lex, skedi_word *word);

/* The first byte of a span, or -1 at the end of a line or of the text. */
int skedi_lex_byte(const skedi_lexer *lex, const skedi_span *span);

/* Removes the escapes: writes at most span->length bytes and a NUL. Returns the
 * number of bytes without the NUL. */
size_t skedi_span_decode(const skedi_span *span, char *out);

/* Is the decoded span equal to `text`? */
int skedi_span_is(const skedi_span *span, const char *text);

/* The rest of a span from the byte `raw`, including escapes. */
skedi_span skedi_span_tail(const skedi_span *span, size_t raw);

/* The raw index, including escapes, of the decoded byte `i`. */
size_t skedi_span_raw(const skedi_span *span, size_t i);

#endif
