/*
 * hash: runs every part and prints a line for each, then one over all. With
 * --check the lines must be those of the committed digests.
 */
#include "hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: hash [SIZE] [--check FOLDER | --write FOLDER]\n"
    "\n"
    "Prints one hash per part of the library, and one over all of them. They\n"
    "must be the same for every compiler, processor and option.\n"
    "\n"
    "  SIZE            times as many instances (default 1)\n"
    "  --check FOLDER  compare with the digests there (size 1 only)\n"
    "  --write FOLDER  write them\n";

uint64_t hash_add(uint64_t h, uint64_t answer)
{
    h ^= answer;
    h *= UINT64_C(0xff51afd7ed558ccd);
    h ^= h >> 32;
    return h * UINT64_C(0xc4ceb9fe1a85ec53) + 1;
}

uint64_t hash_add_column(uint64_t h, const int64_t *column, size_t n)
{
    h = hash_add(h, n);
    for (size_t i = 0; i < n; i++) h = hash_add(h, (uint64_t)column[i]);
    return h;
}

uint64_t hash_add_text(uint64_t h, const char *text)
{
    for (; *text; text++) h = hash_add(h, (unsigned char)*text);
    return hash_add(h, 256);
}

uint64_t hash_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint64_t hash_below(uint64_t *state, uint64_t n)
{
    return hash_random(state) % n;
}

void hash_broken(const char *what, const char *file, int line)
{
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
    exit(1);
}

static FILE *open_digest(const char *folder, const char *part, const char *mode)
{
    char path[1024];

    snprintf(path, sizeof path, "%s/hash_%s.digest", folder, part);
    FILE *f = fopen(path, mode);
    if (!f) perror(path);
    return f;
}

static int digest_write(const char *folder, const char *part, uint64_t h)
{
    FILE *f = open_digest(folder, part, "w");

    if (!f) return 1;
    fprintf(f, "%016" PRIx64 "\n", h);
    return fclose(f) != 0;
}

static int digest_check(const char *folder, const char *part, uint64_t h)
{
    uint64_t want = 0;
    FILE *f = open_digest(folder, part, "r");

    if (!f) return 1;
    int n = fscanf(f, "%16" SCNx64, &want);
    fclose(f);
    if (n == 1 && want == h) return 0;
    fprintf(stderr, "hash_%s: %016" PRIx64 ", the digest says %016" PRIx64 "\n",
            part, h, want);
    return 1;
}

typedef struct request {
    unsigned size;
    const char *check;
    const char *write;
} request;

static int run_parts(const request *r)
{
    uint64_t all = 0;
    int bad = 0;

    for (const hash_part *p = hash_table; p->name; p++) {
        uint64_t h = p->run(r->size);
        all = hash_add(hash_add_text(all, p->name), h);
        printf("%s %016" PRIx64 "\n", p->name, h);
        fflush(stdout);
        if (r->check) bad |= digest_check(r->check, p->name, h);
        if (r->write) bad |= digest_write(r->write, p->name, h);
    }
    printf("all %016" PRIx64 "\n", all);
    return bad;
}

static int bad_usage(const char *word)
{
    fprintf(stderr, "hash: cannot use '%s' (hash --help)\n", word);
    return 2;
}

int main(int argc, char **argv)
{
    request r = {.size = 1};

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            fputs(help, stdout);
            return 0;
        }
        if (strcmp(argv[i], "--check") == 0 && i + 1 < argc) {
            r.check = argv[++i];
        } else if (strcmp(argv[i], "--write") == 0 && i + 1 < argc) {
            r.write = argv[++i];
        } else {
            r.size = (unsigned)strtoul(argv[i], NULL, 10);
            if (r.size == 0) return bad_usage(argv[i]);
        }
    }
    if (r.size != 1 && (r.check || r.write)) return bad_usage("SIZE");
    return run_parts(&r);
}
