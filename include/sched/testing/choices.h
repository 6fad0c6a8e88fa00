#ifndef SKED_TESTING_CHOICES_H
#define SKED_TESTING_CHOICES_H

/*
 * The engine of random choices, included by <sched/sked_test.h>.
 *
 * A case is the sequence of numbers that a property has drawn. A shrinker
 * replays shorter and smaller sequences and keeps each that breaks the same
 * invariant. A property that reads past the end of a sequence draws 0. The
 * shrinker needs no knowledge of what the numbers mean, but marks tell where an
 * element of a list begins.
 */

#include <sched/sked_test.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Cases that shrinking may try, how many fresh short cases are drawn when the
 * smallest one is still long, and how often a case must fail again. */
enum {
    SKED_TEST_SHRINKS = 120000,
    SKED_TEST_FRESH = 12000,
    SKED_TEST_SHORT = 8,
    SKED_TEST_LONGEST_BLOCK = 16,
    SKED_TEST_AGAIN = 8
};

/* ---- Drawing ---- */

/* Steele, Lea, Flood: SplitMix64. */
static uint64_t sked_test_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* A number from as many bytes as `most` has. */
static uint64_t sked_test_from_bytes(sked_test_choices *c, uint64_t most)
{
    uint64_t x = 0;

    for (uint64_t left = most; left > 0; left >>= 8) {
        x <<= 8;
        if (c->n_bytes > 0) {
            x |= *c->bytes++;
            c->n_bytes--;
        }
    }
    return most == UINT64_MAX ? x : x % (most + 1);
}

uint64_t sked_test_choose(sked_test_choices *c, uint64_t most)
{
    uint64_t x = 0;

    if (c->n >= SKED_TEST_MOST_CHOICES || most == 0) return 0;
    if (c->source == 0) {
        x = sked_test_random(&c->random);
        if (most != UINT64_MAX) x %= most + 1;
    } else if (c->source == 1) {
        x = c->n < c->n_given ? c->given[c->n] : 0;
        if (x > most) x = most;
    } else {
        x = sked_test_from_bytes(c, most);
    }
    c->taken[c->n++] = x;
    return x;
}

int sked_test_more(sked_test_choices *c, unsigned mean)
{
    int more;

    if (c->n_marks < SKED_TEST_MOST_MARKS) {
        c->mark[c->n_marks++] = (uint32_t)c->n;
    }
    if (c->source == 1 || c->n >= SKED_TEST_MOST_CHOICES) {
        return (int)sked_test_choose(c, 1);
    }
    if (c->source == 0) {
        more = sked_test_random(&c->random) % ((uint64_t)mean + 1) != 0;
    } else {
        more = c->n_bytes > 0 && sked_test_from_bytes(c, 255) % (mean + 1) != 0;
    }
    c->taken[c->n++] = (uint64_t)more;
    return more;
}

int64_t sked_test_pick(sked_test_choices *c, const int64_t *values, size_t n)
{
    return values[sked_test_choose(c, n - 1)];
}

void sked_test_say(sked_test_story *story, const char *format, ...)
{
    va_list args;
    size_t left = sizeof story->text - story->n;

    if (!story->wants_text || left < 2) return;
    va_start(args, format);
    int n = vsnprintf(story->text + story->n, left - 1, format, args);
    va_end(args);
    if (n < 0) return;
    story->n += (size_t)n < left - 1 ? (size_t)n : left - 2;
    story->text[story->n++] = '\n';
    story->text[story->n] = '\0';
}

/* ---- Shrinking ---- */

/* A search in progress: `best` is the smallest failing sequence so far. */
typedef struct sked_test_run {
    sked_test_fn property;
    void *arg;
    sked_test_bug *bug;
    size_t n_marks;
    uint32_t mark[SKED_TEST_MOST_MARKS];
    uint64_t tried[SKED_TEST_MOST_CHOICES];
    uint64_t saved[SKED_TEST_MOST_CHOICES];
    sked_test_choices c;
    sked_test_story story;
} sked_test_run;

/* Runs the property on the choices of run->c. */
static int sked_test_fails(sked_test_run *run, int wants_text)
{
    run->c.n = run->c.n_marks = 0;
    run->story.invariant = NULL;
    run->story.size = run->story.n = 0;
    run->story.wants_text = wants_text;
    run->story.text[0] = '\0';
    run->property(run->arg, &run->c, &run->story);
    return run->story.invariant != NULL;
}

/* Zeros at the end need not be told. */
static void sked_test_keep(sked_test_run *run)
{
    sked_test_bug *bug = run->bug;
    size_t n = run->c.n;

    while (n > 0 && run->c.taken[n - 1] == 0) n--;
    memcpy(bug->choice, run->c.taken, n * sizeof bug->choice[0]);
    bug->n = n;
    bug->invariant = run->story.invariant;
    bug->size = run->story.size;
    run->n_marks = run->c.n_marks;
    memcpy(run->mark, run->c.mark, run->n_marks * sizeof run->mark[0]);
}

/* Compares the sequence just run with the best: shorter first, then smaller. */
static int sked_test_is_plainer(const sked_test_run *run)
{
    const sked_test_bug *bug = run->bug;
    size_t n = run->c.n;

    while (n > 0 && run->c.taken[n - 1] == 0) n--;
    if (run->story.size != bug->size) return run->story.size < bug->size;
    if (n != bug->n) return n < bug->n;
    for (size_t i = 0; i < n; i++) {
        if (run->c.taken[i] != bug->choice[i]) {
            return run->c.taken[i] < bug->choice[i];
        }
    }
    return 0;
}

/* Tries the first `n` of run->tried; keeps them if they break the same. */
static int sked_test_try(sked_test_run *run, size_t n)
{
    if (run->bug->shrinks >= SKED_TEST_SHRINKS) return 0;
    run->bug->shrinks++;
    run->c.source = 1;
    run->c.given = run->tried;
    run->c.n_given = n;
    if (!sked_test_fails(run, 0)) return 0;
    if (strcmp(run->story.invariant, run->bug->invariant) != 0) return 0;
    if (!sked_test_is_plainer(run)) return 0;
    sked_test_keep(run);
    return 1;
}

/* Tries the best sequence without the choices from `at` to `to`. */
static int sked_test_without(sked_test_run *run, size_t at, size_t to)
{
    const sked_test_bug *bug = run->bug;

    if (at >= bug->n || to <= at) return 0;
    if (to > bug->n) to = bug->n;
    memcpy(run->tried, bug->choice, at * sizeof run->tried[0]);
    memcpy(run->tried + at, bug->choice + to,
           (bug->n - to) * sizeof run->tried[0]);
    return sked_test_try(run, bug->n - (to - at));
}

/* Removes elements of lists, many at once first. */
static int sked_test_remove_elements(sked_test_run *run)
{
    int any = 0;

    for (size_t size = run->n_marks / 2 + 1; size > 0; size /= 2) {
        for (size_t i = 0; i + size < run->n_marks;) {
            if (sked_test_without(run, run->mark[i], run->mark[i + size])) {
                any = 1;
            } else {
                i++;
            }
        }
    }
    return any;
}

static int sked_test_remove_blocks(sked_test_run *run)
{
    int any = 0;

    for (size_t size = SKED_TEST_LONGEST_BLOCK; size > 0; size--) {
        for (size_t at = run->bug->n; at-- > 0;) {
            any |= sked_test_without(run, at, at + size);
        }
    }
    return any;
}

static int sked_test_try_at(sked_test_run *run, size_t at, uint64_t value)
{
    memcpy(run->tried, run->bug->choice, run->bug->n * sizeof run->tried[0]);
    run->tried[at] = value;
    return sked_test_try(run, run->bug->n);
}

/* Makes single numbers smaller, by bisection. */
static int sked_test_lower(sked_test_run *run)
{
    int any = 0;

    for (size_t at = 0; at < run->bug->n; at++) {
        uint64_t low = 0;
        if (run->bug->choice[at] == 0) continue;
        if (sked_test_try_at(run, at, 0)) {
            any = 1;
            continue;
        }
        while (at < run->bug->n && low + 1 < run->bug->choice[at]) {
            uint64_t middle = low + (run->bug->choice[at] - low) / 2;
            if (sked_test_try_at(run, at, middle)) {
                any = 1;
            } else {
                low = middle;
            }
        }
    }
    return any;
}

/* Lowers a number and removes what the number counted. */
static int sked_test_lower_and_remove(sked_test_run *run)
{
    int any = 0;

    for (size_t at = 0; at < run->bug->n; at++) {
        for (size_t size = 1; size <= SKED_TEST_LONGEST_BLOCK; size++) {
            size_t n = run->bug->n;
            if (run->bug->choice[at] == 0 || at + 1 + size > n) break;
            memcpy(run->tried, run->bug->choice, n * sizeof run->tried[0]);
            run->tried[at]--;
            memmove(run->tried + at + 1, run->tried + at + 1 + size,
                    (n - at - 1 - size) * sizeof run->tried[0]);
            if (sked_test_try(run, n - size)) {
                any = 1;
                break;
            }
        }
        if (at >= run->bug->n) break;
    }
    return any;
}

static void sked_test_shrink(sked_test_run *run)
{
    int changed = 1;

    while (changed && run->bug->shrinks < SKED_TEST_SHRINKS) {
        changed = sked_test_remove_elements(run);
        changed |= sked_test_remove_blocks(run);
        changed |= sked_test_lower(run);
        if (!changed) changed = sked_test_lower_and_remove(run);
    }
}

/* ---- Searching ---- */

/* True if the kept sequence breaks the same invariant once more. A subject that
 * remembers earlier cases, or draws numbers of its own, may not. */
static int sked_test_again(sked_test_run *run)
{
    memcpy(run->tried, run->bug->choice, run->bug->n * sizeof run->tried[0]);
    run->c.source = 1;
    run->c.given = run->tried;
    run->c.n_given = run->bug->n;
    for (int i = 0; i < SKED_TEST_AGAIN; i++) {
        if (sked_test_fails(run, 0) &&
            strcmp(run->story.invariant, run->bug->invariant) == 0) {
            return 1;
        }
    }
    return 0;
}

static void sked_test_draw(sked_test_run *run, uint64_t seed, uint64_t number,
                           int length)
{
    run->c.source = 0;
    run->c.random = seed * 0x9e3779b97f4a7c15u + number;
    (void)sked_test_random(&run->c.random);
    run->c.length = length;
}

/* A long case is hard to read: looks for a shorter one that breaks the same
 * among short cases that are drawn anew. */
static void sked_test_another(sked_test_run *run, uint64_t seed)
{
    for (uint64_t i = 0; i < SKED_TEST_FRESH; i++) {
        if (run->bug->size <= SKED_TEST_SHORT) return;
        sked_test_draw(run, ~seed, i, 2 + (int)(i % 6));
        if (!sked_test_fails(run, 0)) continue;
        if (strcmp(run->story.invariant, run->bug->invariant) != 0) continue;
        if (run->story.size > 3 * run->bug->size) continue;
        size_t size = run->bug->size, n = run->bug->n;
        memcpy(run->saved, run->bug->choice, n * sizeof run->saved[0]);
        sked_test_keep(run);
        sked_test_shrink(run);
        if (run->bug->size < size) continue;
        run->bug->size = size;
        run->bug->n = n;
        memcpy(run->bug->choice, run->saved, n * sizeof run->saved[0]);
    }
}

/* Runs the smallest case once more, for its text. */
static void sked_test_tell(sked_test_run *run)
{
    sked_test_bug *bug = run->bug;
    size_t n = 0;

    run->c.source = 1;
    run->c.given = bug->choice;
    run->c.n_given = bug->n;
    (void)sked_test_fails(run, 1);
    bug->story = run->story;
    sked_test_say(&bug->story, "to run it again: sked_test_replay() with");
    for (size_t i = 0; i < bug->n; i += n) {
        char line[256];
        int at = 0;
        for (n = 0; n < 12 && i + n < bug->n && at < 200; n++) {
            at += snprintf(line + at, sizeof line - (size_t)at, " %llu,",
                           (unsigned long long)bug->choice[i + n]);
        }
        sked_test_say(&bug->story, "   %s", line);
    }
}

static sked_test_run *sked_test_begin(sked_test_fn property, void *arg,
                                      sked_test_bug *bug)
{
    sked_test_run *run = (sked_test_run *)calloc(1, sizeof *run);

    bug->invariant = NULL;
    bug->seed = bug->runs = bug->shrinks = 0;
    bug->size = bug->n = 0;
    bug->story.invariant = NULL;
    bug->story.n = 0;
    bug->story.text[0] = '\0';
    if (!run) return NULL;
    run->property = property;
    run->arg = arg;
    run->bug = bug;
    run->c.length = SKED_TEST_SHORT;
    return run;
}

int sked_test_search(sked_test_fn property, void *arg, uint64_t runs,
                     uint64_t seed, sked_test_bug *bug)
{
    static const int lengths[] = {6, 10, 16, 24, 40};
    sked_test_run *run = sked_test_begin(property, arg, bug);

    if (!run) return -1;
    bug->seed = seed;
    for (uint64_t i = 0; i < runs; i++) {
        sked_test_draw(run, seed, i, lengths[i % 5]);
        bug->runs = i + 1;
        if (!sked_test_fails(run, 0)) continue;
        sked_test_keep(run);
        if (!sked_test_again(run)) {
            bug->story.wants_text = 1;
            sked_test_say(&bug->story, "broken invariant: same_again");
            sked_test_say(&bug->story, "    %s once, and not in %d more runs",
                          bug->invariant, (int)SKED_TEST_AGAIN);
            bug->invariant = "same_again";
            break;
        }
        sked_test_shrink(run);
        sked_test_another(run, seed);
        sked_test_tell(run);
        break;
    }
    free(run);
    return bug->invariant != NULL;
}

int sked_test_bytes(sked_test_fn property, void *arg, const uint8_t *data,
                    size_t size, sked_test_bug *bug)
{
    sked_test_run *run = sked_test_begin(property, arg, bug);

    if (!run) return -1;
    run->c.source = 2;
    run->c.bytes = data;
    run->c.n_bytes = size;
    bug->runs = 1;
    if (sked_test_fails(run, 0)) {
        sked_test_keep(run);
        sked_test_shrink(run);
        sked_test_tell(run);
    }
    free(run);
    return bug->invariant != NULL;
}

int sked_test_replay(sked_test_fn property, void *arg, const uint64_t *choice,
                     size_t n, sked_test_bug *bug)
{
    sked_test_run *run = sked_test_begin(property, arg, bug);

    if (!run) return -1;
    if (n > SKED_TEST_MOST_CHOICES) n = SKED_TEST_MOST_CHOICES;
    memcpy(run->tried, choice, n * sizeof run->tried[0]);
    run->c.source = 1;
    run->c.given = run->tried;
    run->c.n_given = n;
    bug->runs = 1;
    if (sked_test_fails(run, 0)) {
        sked_test_keep(run);
        sked_test_tell(run);
    }
    free(run);
    return bug->invariant != NULL;
}

#endif
