#ifndef SKEDI_TREE_USERS_H
#define SKEDI_TREE_USERS_H

/*
 * Lists of users' weights, as immutable bytes. A list begins with its length in
 * 4 bytes. For each user, in order of name, follow 4 bytes of weight and the
 * name with its NUL. All numbers are little endian; equal lists are therefore
 * equal bytes on every machine. NULL is the empty list.
 */

#include <stddef.h>
#include <stdint.h>

/* The bytes of a list, including its length field; 0 for NULL. */
size_t skedi_users_bytes(const char *list);

/* The weight of a user, or -1. */
int64_t skedi_users_find(const char *list, const char *user);

/* Iterates the users. Start with `*at` = 0. Returns 0 at the end. */
int skedi_users_next(const char *list, size_t *at, const char **user,
                     uint32_t *weight);

/* The bytes of a list of `n` users. `names` is the bytes of all names,
 * including NULs. */
size_t skedi_users_bytes_of(size_t n, size_t names);

/* Appends a user to a list under construction; users must come in order of
 * name. `bytes` is the size of the list before the call, 0 at the start.
 * Returns the new size. */
size_t skedi_users_append(char *list, size_t bytes, const char *user,
                          uint32_t weight);

/* The bytes of the list after setting the weight of `user`; weight -1 removes
 * the user. Returns 0 if no user remains. */
size_t skedi_users_size_with(const char *list, const char *user,
                             int64_t weight);

/* Writes the list whose size skedi_users_size_with() returns, if not empty. */
void skedi_users_write(char *to, const char *list, const char *user,
                       int64_t weight);

#endif
