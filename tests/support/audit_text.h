#ifndef TEST_AUDIT_TEXT_H
#define TEST_AUDIT_TEXT_H

/*
 * Histories as short texts: "0 node 1 a4; 1 tasks 7 of 1 x2 a3". A row is a
 * time, a type, a key, then `of`, `on`, `v` (value), `x` (count), `a` amounts
 * with commas, `c` constrained, `f` fifo. Without `x` a row that counts has 1.
 */
#include <sched/audit.h>

#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { AUDIT_ROWS = 96, AUDIT_KINDS = 2 };

typedef struct audit_text {
    sked_audit_row row[AUDIT_ROWS];
    int64_t amounts[AUDIT_ROWS * AUDIT_KINDS];
    size_t n;
    size_t vectors;
} audit_text;

static const char *const audit_types[] = {
    "",      "node",  "down", "drain", "queue", "guarantee", "limit",   "job",
    "tasks", "start", "done", "kill",  "lost",  "cancel",    "reserve", "over",
};

/* The next piece of a text up to `mark`, cut out of it; NULL: none is left. */
static inline char *audit_cut(char **rest, char mark)
{
    char *at = *rest;

    while (at && *at == mark) at++;
    if (!at || !*at) return NULL;
    char *end = strchr(at, mark);
    if (end) *end = 0;
    *rest = end ? end + 1 : NULL;
    return at;
}

static inline int64_t audit_number(const char *text)
{
    return strcmp(text, "none") == 0 ? SKED_UNLIMITED : strtoll(text, NULL, 10);
}

static inline void audit_vector(audit_text *t, sked_audit_row *row, char *text,
                                uint32_t kinds)
{
    int64_t *at = &t->amounts[t->vectors * kinds];
    char *rest = text;

    row->amounts = (int32_t)t->vectors++;
    for (uint32_t k = 0; k < kinds; k++) {
        char *comma = rest ? strchr(rest, ',') : NULL;
        if (comma) *comma = 0;
        at[k] = rest ? audit_number(rest) : 0;
        rest = comma ? comma + 1 : NULL;
    }
}

static inline int32_t audit_type(const char *word)
{
    for (int32_t i = 1; i <= SKED_AUDIT_ROW_JOB_END; i++) {
        if (strcmp(audit_types[i], word) == 0) return i;
    }
    fail_msg("no row type %s", word);
    return 0;
}

/* Reads one row; words are cut out of it. */
static inline void audit_read_row(audit_text *t, char *text, uint32_t kinds)
{
    sked_audit_row *row = &t->row[t->n];
    char *save = text, *word = audit_cut(&save, ' ');

    if (!word) return;
    t->n++;
    *row = (sked_audit_row){.amounts = -1};
    row->time = audit_number(word);
    row->type = audit_type(audit_cut(&save, ' '));
    row->key = strtoull(audit_cut(&save, ' '), NULL, 10);
    int counts = row->type == SKED_AUDIT_ROW_TASKS ||
                 (row->type >= SKED_AUDIT_ROW_START &&
                  row->type <= SKED_AUDIT_ROW_LOST);
    row->count = counts;
    while ((word = audit_cut(&save, ' ')) != NULL) {
        if (strcmp(word, "of") == 0) {
            row->of = strtoull(audit_cut(&save, ' '), NULL, 10);
        } else if (strcmp(word, "on") == 0) {
            row->on = strtoull(audit_cut(&save, ' '), NULL, 10);
        } else if (*word == 'v') {
            row->value = audit_number(word + 1);
        } else if (*word == 'x') {
            row->count = audit_number(word + 1);
        } else if (*word == 'a') {
            audit_vector(t, row, word + 1, kinds);
        } else if (*word == 'c') {
            row->flags = SKED_AUDIT_MARK_CONSTRAINED;
        } else if (*word == 'f') {
            row->flags = SKED_AUDIT_MARK_FIFO;
        } else {
            fail_msg("no word %s in a row", word);
        }
    }
}

static inline void audit_read(audit_text *t, const char *text, uint32_t kinds)
{
    char copy[4096], *save = copy, *row;

    assert_true(strlen(text) < sizeof copy);
    memcpy(copy, text, strlen(text) + 1);
    t->n = t->vectors = 0;
    while ((row = audit_cut(&save, ';')) != NULL) {
        assert_true(t->n < AUDIT_ROWS);
        audit_read_row(t, row, kinds);
    }
}

#endif
