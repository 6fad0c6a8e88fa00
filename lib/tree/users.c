/* Lists of users' weights: see users.h for the form. */
#include "tree/users.h"

#include <string.h>

enum { NUMBER = 4 };

static uint32_t number_at(const char *at)
{
    const unsigned char *b = (const unsigned char *)at;

    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 |
           (uint32_t)b[3] << 24;
}

static void number_put_at(char *at, uint32_t number)
{
    unsigned char *b = (unsigned char *)at;

    for (unsigned i = 0; i < NUMBER; i++) {
        b[i] = (unsigned char)(number >> 8 * i);
    }
}

static size_t entry_bytes(const char *user)
{
    return NUMBER + strlen(user) + 1;
}

size_t skedi_users_bytes(const char *list)
{
    return list ? number_at(list) : 0;
}

/* Where `user` stands or would stand; `*there` is the size of its entry. */
static size_t user_place(const char *list, const char *user, size_t *there)
{
    size_t bytes = skedi_users_bytes(list), at = NUMBER;

    *there = 0;
    while (at < bytes) {
        int order = strcmp(list + at + NUMBER, user);
        if (order > 0) break;
        size_t size = entry_bytes(list + at + NUMBER);
        if (order == 0) *there = size;
        if (order == 0) break;
        at += size;
    }
    return at;
}

int64_t skedi_users_find(const char *list, const char *user)
{
    size_t there, at = user_place(list, user, &there);

    return there ? (int64_t)number_at(list + at) : -1;
}

int skedi_users_next(const char *list, size_t *at, const char **user,
                     uint32_t *weight)
{
    if (*at == 0) *at = NUMBER;
    if (*at >= skedi_users_bytes(list)) return 0;
    *weight = number_at(list + *at);
    *user = list + *at + NUMBER;
    *at += entry_bytes(*user);
    return 1;
}

size_t skedi_users_bytes_of(size_t n, size_t names)
{
    return NUMBER + n * NUMBER + names;
}

size_t skedi_users_append(char *list, size_t bytes, const char *user,
                          uint32_t weight)
{
    if (bytes == 0) bytes = NUMBER;
    number_put_at(list + bytes, weight);
    memcpy(list + bytes + NUMBER, user, strlen(user) + 1);
    bytes += entry_bytes(user);
    number_put_at(list, (uint32_t)bytes);
    return bytes;
}

size_t skedi_users_size_with(const char *list, const char *user, int64_t weight)
{
    size_t there, bytes = list ? skedi_users_bytes(list) : NUMBER;

    (void)user_place(list, user, &there);
    bytes -= there;
    if (weight >= 0) bytes += entry_bytes(user);
    return bytes == NUMBER ? 0 : bytes;
}

void skedi_users_write(char *to, const char *list, const char *user,
                       int64_t weight)
{
    size_t there, at = user_place(list, user, &there), put = at;
    size_t bytes = skedi_users_bytes(list);

    if (list) memcpy(to, list, at);
    if (weight >= 0) {
        number_put_at(to + put, (uint32_t)weight);
        memcpy(to + put + NUMBER, user, strlen(user) + 1);
        put += entry_bytes(user);
    }
    at += there;
    if (at < bytes) memcpy(to + put, list + at, bytes - at);
    number_put_at(to, (uint32_t)skedi_users_size_with(list, user, weight));
}
