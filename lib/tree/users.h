#ifndef SKEDI_TREE_USERS_H
#define SKEDI_TREE_USERS_H

/*
 * Weights of users, as bytes that never change once written: four of length,
 * then for each user, by name, four of weight and the name with its NUL; all
 * numbers little endian, so equal lists are equal bytes on every machine.
 * NULL stands for no users.
 */

#include <stddef.h>
#include <stdint.h>

/* Bytes of a list, its length included; 0 for NULL. */
size_t skedi_users_bytes(const char *list);

/* The weight of a user, or -1. */
int64_t skedi_users_find(const char *list, const char *user);

/* Users from first to last: start with `*at` = 0; 0 when there are no more. */
int skedi_users_next(const char *list, size_t *at, const char **user,
                     uint32_t *weight);

/* Memory for a list of `n` users whose names, NULs counted, have `names`
 * bytes. */
size_t skedi_users_bytes_of(size_t n, size_t names);

/* Builds a list in such memory, users in order: adds one to the `bytes` that
 * are there (0 for the first) and returns how many are there then. */
size_t skedi_users_append(char *list, size_t bytes, const char *user,
                          uint32_t weight);

/* Bytes of the list with `user` set, or without it for `weight` -1; 0 when
 * that leaves no user. */
size_t skedi_users_size_with(const char *list, const char *user,
                             int64_t weight);

/* Writes that list, when it is not empty. */
void skedi_users_write(char *to, const char *list, const char *user,
                       int64_t weight);

#endif
