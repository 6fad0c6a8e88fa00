#ifndef SKEDI_TREE_TEXT_LEX_H
#define SKEDI_TREE_TEXT_LEX_H

#include <stddef.h>
#include <stdint.h>

/* A text of words on lines, and where its reader stands. */
typedef struct skedi_lexer {
    const char *start;
    const char *at;
    const char *end;
    const char *line_start;
    uint32_t line; /* from 1 */
} skedi_lexer;

/* A stretch of the text as it stands there, escapes and all. */
typedef struct skedi_span {
    const char *raw;
    size_t length;
    uint32_t line;
    uint32_t column; /* of its first byte, from 1 */
} skedi_span;

/* `key`, or `key=value` when `value.raw` is not NULL (quotes taken off). */
typedef struct skedi_word {
    skedi_span key;
    skedi_span value;
} skedi_word;

enum {
    SKEDI_LEX_WORD,
    SKEDI_LEX_LINE, /* a line ended */
    SKEDI_LEX_END,  /* the text ended */
    SKEDI_LEX_BAD   /* `word->key` is at the byte that has no place there */
};

/* `length` is below 2^32 - 1. A byte order mark is passed over. */
void skedi_lex_start(skedi_lexer *lex, const char *text, size_t length);

/* The next of SKEDI_LEX_*. After a bad byte the rest of its line is skipped,
 * so that every line can be judged. */
int skedi_lex_next(skedi_lexer *lex, skedi_word *word);

/* The byte a span begins with, or -1 at the end of a line or of the text. */
int skedi_lex_byte(const skedi_lexer *lex, const skedi_span *span);

/* Takes the escapes out: writes at most span->length bytes and a NUL. Returns
 * the bytes without it. */
size_t skedi_span_decode(const skedi_span *span, char *out);

/* Does the decoded span say `text`? */
int skedi_span_is(const skedi_span *span, const char *text);

/* The rest of a span from its `raw`-th byte on, escapes counted. */
skedi_span skedi_span_tail(const skedi_span *span, size_t raw);

/* Which of a span's bytes, escapes counted, became the decoded byte `i`. */
size_t skedi_span_raw(const skedi_span *span, size_t i);

#endif
