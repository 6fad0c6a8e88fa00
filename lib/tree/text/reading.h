#ifndef SKEDI_TREE_TEXT_READING_H
#define SKEDI_TREE_TEXT_READING_H

#include "tree/bracket.h"
#include "tree/text/lex.h"

/* A user_weight.NAME of the current line. */
typedef struct skedi_said_user {
    size_t name; /* in user_bytes */
    uint32_t weight;
    uint32_t again; /* named before */
    skedi_span key;
} skedi_said_user;

/* The state of a call of sked_tree_parse(). */
typedef struct skedi_reading {
    sked_tree *tree;
    sked_error *err;
    skedi_bracket bracket;
    skedi_lexer lex;

    /* The queue of the current line. */
    uint32_t slot;       /* SKEDI_NO_SLOT: the path is invalid */
    sked_queue_id known; /* id of an existing queue, for faults */
    uint32_t said;       /* bits of the attributes on the line */

    uint32_t n_queues;   /* root and the queues named up to now */
    uint32_t first_line; /* line of the last path; 0: none yet */

    /*
     * For each slot that existed before the call: how far the text has named
     * the children in their order. 0: no child named yet; a slot + 1: up to
     * this child; SKEDI_NO_SLOT: out of order, and further children go last.
     */
    uint32_t *cursor;
    size_t n_cursor;

    char *decoded; /* a key and a value without escapes */
    size_t decoded_cap;

    skedi_said_user *users; /* users of the line */
    size_t users_cap;
    size_t n_users;
    char *user_bytes;
    size_t user_bytes_cap;
    size_t user_bytes_used;

    sked_fault *faults;
    size_t cap;
    size_t n; /* number of faults */
    sked_fault first;
} skedi_reading;

/* Skips a `kinds` line, if present, and compares the kinds with the tree's
 * kinds. Returns SKED_OK or SKED_ERR_SCHEMA. */
sked_status skedi_kinds_check(skedi_lexer *lex, const sked_schema *schema,
                              sked_error *err);

#endif
