#ifndef HASH_H
#define HASH_H

/*
 * One number over what the library answers, to be the same on every machine.
 *
 * A part is a file hash_<part>.c with one function
 *
 *     uint64_t hash_<part>(unsigned size);
 *
 * which makes instances from fixed seeds, `size` times as many as usual,
 * calls the library, and adds every answer. Beside it stands
 * hash_<part>.digest, what size 1 gives; `hash --write tests/hash` writes it
 * anew when answers are meant to change. A part should take about 0.2 s at
 * size 1: emulated processors run it too.
 *
 * Instances must not depend on the machine either: one random draw per
 * statement, no size_t in what is hashed, no floating point.
 */

#include <stddef.h>
#include <stdint.h>

/* `h` with one more answer in it; start from 0. */
uint64_t hash_add(uint64_t h, uint64_t answer);

/* The same for a column of amounts. */
uint64_t hash_add_column(uint64_t h, const int64_t *column, size_t n);

/* The same for text, its end included. */
uint64_t hash_add_text(uint64_t h, const char *text);

/* The next 64 bits of a stream; any state is a good seed. */
uint64_t hash_random(uint64_t *state);

/* From 0 to n - 1; n is not 0. */
uint64_t hash_below(uint64_t *state, uint64_t n);

/* An answer that must hold: says where and ends the program when it does not. */
#define HASH_MUST(holds)                                                       \
    ((holds) ? (void)0 : hash_broken(#holds, __FILE__, __LINE__))

void hash_broken(const char *what, const char *file, int line);

/* A part's name and function; the table is made from the files there are. */
typedef struct hash_part {
    const char *name;
    uint64_t (*run)(unsigned size);
} hash_part;

extern const hash_part hash_table[];

#endif
