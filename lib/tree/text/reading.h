#ifndef SKEDI_TREE_TEXT_READING_H
#define SKEDI_TREE_TEXT_READING_H

#include "tree/bracket.h"
#include "tree/text/lex.h"

/* user_weight.NAME of the current line. */
typedef struct skedi_said_user {
    size_t name; /* in user_bytes */
    uint32_t weight;
    uint32_t again; /* said before */
    skedi_span key;
} skedi_said_user;

/* One call of sked_tree_parse() under way. */
typedef struct skedi_reading {
    sked_tree *tree;
    sked_error *err;
    skedi_bracket bracket;
    skedi_lexer lex;

    /* The queue that the line is about. */
    uint32_t slot;       /* SKEDI_NO_SLOT: its path is at fault */
    sked_queue_id known; /* its id if the tree had it before, for faults */
    uint32_t said;       /* bits of the attributes it has been told */

    uint32_t n_queues;   /* root and all that the text has named */
    uint32_t first_line; /* with a queue on it */

    /*
     * For each earlier slot, how far its children stand in the order of the
     * text. 0: no child named yet; a slot + 1: up to this child; SKEDI_NO_SLOT:
     * in no order, and further children go last.
     */
    uint32_t *cursor;
    size_t n_cursor;

    char *decoded; /* a key and a value without escapes */
    size_t decoded_cap;

    skedi_said_user *users; /* of the line */
    size_t users_cap;
    size_t n_users;
    char *user_bytes;
    size_t user_bytes_cap;
    size_t user_bytes_used;

    sked_fault *faults;
    size_t cap;
    size_t n; /* faults there are */
    sked_fault first;
} skedi_reading;

/* Passes a `kinds` line, if there is one, and holds it to the tree's kinds:
 * SKED_OK or SKED_ERR_SCHEMA. */
sked_status skedi_kinds_check(skedi_lexer *lex, const sked_schema *schema,
                              sked_error *err);

#endif
