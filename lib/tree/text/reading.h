#ifndef SKEDI_TREE_TEXT_READING_H
#define SKEDI_TREE_TEXT_READING_H

#include "tree/bracket.h"
#include "tree/text/lex.h"

/* user_weight.NAME, said on the line that is being read. */
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
     * For each slot that was there before, how far its children stand in the
     * order of the text. 0: none was named yet; a slot + 1: up to that child;
     * SKEDI_NO_SLOT: in no order, so what is named from now on goes last.
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

/* Counts a fault and writes it down if there is memory. */
void skedi_reading_tell(skedi_reading *r, sked_fault fault);

/* A fault of `code` at the i-th decoded byte of `span`. */
sked_fault skedi_reading_fault(const skedi_reading *r, int32_t code,
                               const skedi_span *span, size_t i);

/* The same for a byte that has no place where it stands: the first of a span,
 * or the one behind it. */
void skedi_reading_tell_byte(skedi_reading *r, const skedi_span *span);
void skedi_reading_tell_end(skedi_reading *r, const skedi_span *span);

/* Memory in r->decoded for `bytes` more than a NUL or two. */
sked_status skedi_reading_reserve(skedi_reading *r, size_t bytes);

/* Puts every attribute of a queue back to its default. */
sked_status skedi_reading_reset(skedi_reading *r, sked_queue_id id);

/* Finds or adds the queue that a line is about: r->slot. */
sked_status skedi_reading_path(skedi_reading *r, const skedi_span *path);

/* Passes a `kinds` line, if there is one, and holds it to the tree's kinds:
 * SKED_OK or SKED_ERR_SCHEMA. */
sked_status skedi_kinds_check(skedi_lexer *lex, const sked_schema *schema,
                              sked_error *err);

/* Sets what one key=value says; users when their line ends. */
sked_status skedi_reading_pair(skedi_reading *r, const skedi_word *word);

/* Takes note of a user, and puts those of a line into the draft. */
sked_status skedi_reading_user(skedi_reading *r, const skedi_span *key,
                               const char *name, uint32_t weight);
sked_status skedi_reading_line_ends(skedi_reading *r);

/* Replaces the users of a queue; `list` NULL: no user is named. */
sked_status skedi_tree_put_users(sked_tree *tree, uint32_t slot,
                                 const char *list, sked_error *err);

/* Frees all but the bracket. */
void skedi_reading_free(skedi_reading *r);

#endif
