#include "case.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *vec_room(size_t n, size_t size)
{
    void *room = calloc(n ? n : 1, size);

    if (!room) {
        fputs("no memory\n", stderr);
        exit(2);
    }
    return room;
}

/* Ends the word at `at` and returns where the next begins, or NULL. */
static char *cut(char *at, char stop)
{
    char *end = at ? strchr(at, stop) : NULL;

    if (!end) return NULL;
    *end = 0;
    return end + 1;
}

int vec_case_cut(vec_case *c, char *line)
{
    *c = (vec_case){.call = line};
    line[strcspn(line, "\r\n")] = 0;
    if (*line == '#' || !*line) return 0;
    c->file = cut(c->call, '\t');
    c->kind = cut(c->file, '\t');
    c->id = cut(c->kind, '\t');
    c->rule = cut(c->id, '\t');
    char *at = cut(c->rule, '\t');
    while (at && c->n < CASE_FIELDS) {
        char *next = cut(at, '\t');
        c->name[c->n] = at;
        c->text[c->n] = cut(at, '=');
        c->n++;
        at = next;
    }
    return c->rule != NULL;
}

void vec_case_free(vec_case *c)
{
    for (size_t i = 0; i < c->n; i++) free(c->number[i]);
}

static size_t find_field(const vec_case *c, const char *name)
{
    size_t i = 0;

    while (i < c->n && strcmp(c->name[i], name) != 0) i++;
    return i;
}

const char *vec_text(const vec_case *c, const char *name)
{
    size_t i = find_field(c, name);

    return i < c->n ? c->text[i] : NULL;
}

static size_t count_words(const char *text)
{
    size_t n = *text != 0;

    for (; *text; text++) n += *text == ',';
    return n;
}

const int64_t *vec_numbers(vec_case *c, const char *name, size_t *n)
{
    size_t i = find_field(c, name);

    *n = 0;
    if (i == c->n) return NULL;
    *n = count_words(c->text[i]);
    if (c->number[i]) return c->number[i];
    c->number[i] = vec_room(*n, sizeof(int64_t));
    const char *at = c->text[i];
    for (size_t k = 0; k < *n; k++) {
        c->number[i][k] = *at == '?' ? CASE_ANY : strtoll(at, NULL, 10);
        at = strchr(at, ',');
        if (at) at++;
    }
    return c->number[i];
}

int64_t vec_number(vec_case *c, const char *name, int64_t missing)
{
    size_t n;
    const int64_t *numbers = vec_numbers(c, name, &n);

    return n ? numbers[0] : missing;
}

int vec_differ(vec_case *c, const char *what, const int64_t *got,
               const int64_t *want, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (got[i] == want[i] || want[i] == CASE_ANY) continue;
        snprintf(c->why, sizeof c->why, "%s[%zu] is %" PRId64 ", not %" PRId64,
                 what, i, got[i], want[i]);
        return 1;
    }
    return 0;
}

int vec_fail(vec_case *c, const char *why)
{
    snprintf(c->why, sizeof c->why, "%s", why);
    return CASE_FAILED;
}

int vec_by_rule(const vec_case *c, int same)
{
    if (same) return CASE_PASSED;
    return strcmp(c->rule, "-") != 0 ? CASE_BY_RULE : CASE_FAILED;
}

/* Is every entry within the field's, from below or from above? */
static int within(vec_case *c, const char *name, const int64_t *got, size_t n,
                  int side)
{
    size_t n_bound;
    const int64_t *bound = vec_numbers(c, name, &n_bound);

    for (size_t i = 0; i < n_bound && i < n; i++) {
        if (side < 0 ? got[i] >= bound[i] : got[i] <= bound[i]) continue;
        snprintf(c->why, sizeof c->why, "[%zu] is %" PRId64 ", %s %" PRId64, i,
                 got[i], name, bound[i]);
        return 0;
    }
    return !bound || n_bound == n;
}

/* Does the answer keep to what was worked out for it? */
static int holds(vec_case *c, const int64_t *got, size_t n)
{
    size_t n_exact;
    const int64_t *exact = vec_numbers(c, "exact", &n_exact);
    int64_t sum = 0;

    for (size_t i = 0; i < n; i++) sum += got[i];
    if (sum != vec_number(c, "sum", sum)) return !vec_fail(c, "wrong sum");
    if (exact && n_exact != n) return !vec_fail(c, "wrong number of exact");
    if (exact && vec_differ(c, "exact", got, exact, n)) return 0;
    return within(c, "low", got, n, -1) && within(c, "high", got, n, 1);
}

int vec_judge(vec_case *c, const char *what, const int64_t *got, size_t n)
{
    size_t n_want;
    const int64_t *want = vec_numbers(c, what, &n_want);

    if (n_want != n) {
        snprintf(c->why, sizeof c->why, "%zu of %s, not %zu", n, what, n_want);
        return CASE_FAILED;
    }
    if (!holds(c, got, n)) return CASE_FAILED;
    return vec_by_rule(c, !vec_differ(c, what, got, want, n));
}
