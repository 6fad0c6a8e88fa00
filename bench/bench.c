/*
 * bench: every budget of docs/performance.md, measured beside a reference.
 * This file reads the command line and runs what it names.
 */
#include "bench.h"

#include <sched/sked.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: bench [NAME...] [--json] [--quick] [--scale] [--list]\n"
    "\n"
    "Measures the budgets of docs/performance.md, each beside a plain writing\n"
    "of a published algorithm, in the same run and with the same flags.\n"
    "\n"
    "  NAME       a budget, or its part before the dot; default: all\n"
    "  --json     one object per line and budget\n"
    "  --quick    smaller sizes and fewer runs: under 50 seconds in all\n"
    "  --scale    also at n, 2n and 4n, with the power of n the cost of one\n"
    "             operation grows with\n"
    "  --list     names and what they measure, nothing is run\n"
    "  --help     this text\n"
    "  --version  the library's version\n"
    "\n"
    "Exit: 0 measured (budgets missed are shown, not an error), 1 a check on\n"
    "the answers failed, 2 bad usage.\n";

typedef struct request {
    const char **names;
    int n_names;
    int scale;
} request;

uint64_t bench_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint64_t bench_below(uint64_t *state, uint64_t n)
{
    return bench_random(state) % n;
}

void *bench_new(size_t n, size_t size)
{
    void *found = calloc(n ? n : 1, size);

    if (found) return found;
    fprintf(stderr, "bench: no memory for %zu items of %zu bytes\n", n, size);
    exit(1);
}

int bench_is_quick(const bench *b)
{
    return b->quick;
}

void bench_must(bench *b, int holds, const char *what)
{
    if (holds) return;
    fflush(stdout);
    fprintf(stderr, "bench: %s: does not hold: %s\n", b->name, what);
    b->failed = 1;
}

/* "share" and "share.flat" both name share.flat. */
static int names(const char *name, const char *entry)
{
    size_t n = strlen(name);

    return strncmp(name, entry, n) == 0 && (entry[n] == 0 || entry[n] == '.');
}

static int is_wanted(const request *r, const char *entry)
{
    if (r->n_names == 0) return 1;
    for (int i = 0; i < r->n_names; i++) {
        if (names(r->names[i], entry)) return 1;
    }
    return 0;
}

/* Calls `visit` for every entry there is; stops at the first non-zero. */
static int each_entry(int (*visit)(void *arg, const bench_entry *e), void *arg)
{
    for (size_t i = 0; bench_table[i]; i++) {
        for (const bench_entry *e = bench_table[i]; e->name; e++) {
            if (visit(arg, e)) return 1;
        }
    }
    return 0;
}

static int is_named(void *name, const bench_entry *e)
{
    return names(name, e->name);
}

static int print_entry(void *arg, const bench_entry *e)
{
    (void)arg;
    printf("%-14s %s\n", e->name, e->about);
    return 0;
}

/* Three sizes, without the reference from the second on. */
static void run_scale(bench *b, const bench_entry *e, size_t n)
{
    b->n_first = 0;
    for (b->scaling = 1; b->scaling <= 3; b->scaling++) {
        b->alone = 1;
        e->run(b, n << (b->scaling - 1));
    }
    b->scaling = b->alone = 0;
}

typedef struct session {
    bench *b;
    const request *r;
} session;

static int run_entry(void *arg, const bench_entry *e)
{
    session *s = arg;
    size_t n = s->b->quick && e->quick_n ? e->quick_n : e->n;
    size_t least = e->scale_n && e->scale_n < n ? e->scale_n : n;

    if (!is_wanted(s->r, e->name)) return 0;
    s->b->name = e->name;
    e->run(s->b, n);
    if (s->r->scale) run_scale(s->b, e, least);
    return 0;
}

static int bad_usage(const char *what, const char *word)
{
    fprintf(stderr, "bench: %s '%s' (bench --help)\n", what, word);
    return 2;
}

/* 0: go on; 1: nothing more to do; 2: bad usage, said on stderr. */
static int read_option(bench *b, request *r, const char *word)
{
    if (strcmp(word, "--json") == 0)
        b->json = 1;
    else if (strcmp(word, "--quick") == 0)
        b->quick = 1;
    else if (strcmp(word, "--scale") == 0)
        r->scale = 1;
    else if (strcmp(word, "--help") == 0)
        return fputs(help, stdout), 1;
    else if (strcmp(word, "--list") == 0)
        return each_entry(print_entry, NULL), 1;
    else if (strcmp(word, "--version") == 0) {
        return printf("bench (libsked) %d.%d.%d\n", SKED_VERSION_MAJOR,
                      SKED_VERSION_MINOR, SKED_VERSION_PATCH),
               1;
    } else {
        return bad_usage("unknown option", word);
    }
    return 0;
}

static int read_words(bench *b, request *r, char **words)
{
    for (; *words; words++) {
        if (strncmp(*words, "--", 2) == 0) {
            int stop = read_option(b, r, *words);
            if (stop) return stop;
            continue;
        }
        if (!each_entry(is_named, *words))
            return bad_usage("no benchmark", *words);
        r->names[r->n_names++] = *words;
    }
    return 0;
}

int main(int argc, char **argv)
{
    bench b = {.counter = -1};
    request r = {.names = bench_new((size_t)argc, sizeof *r.names)};
    int stop = read_words(&b, &r, argv + 1);

    if (!stop) {
        b.seconds = b.quick ? 0.1 : 1.0;
        b.counter = bench_counter_open();
        each_entry(run_entry, &(session){&b, &r});
    }
    free(r.names);
    return stop == 2 ? 2 : b.failed;
}
