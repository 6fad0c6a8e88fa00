#ifndef REF_TREE_H
#define REF_TREE_H

/*
 * A queue tree written from its definitions: a plain list of queues, searched
 * from end to end. Every edit says which status it must have.
 */

#include <sched/fault.h>

enum {
    REF_QUEUES = 48,
    REF_KINDS = 3,
    REF_NUMBERS = 18,
    REF_AMOUNTS = 4,
    REF_NAME = 12,
    REF_USERS = 4,
    REF_FAULTS = 1024
};

typedef struct ref_queue {
    sked_queue_id id;
    sked_queue_id parent; /* SKED_NO_QUEUE: the root */
    uint64_t place;       /* siblings stand by it */
    char name[REF_NAME];
    char label[REF_NAME];
    int64_t number[REF_NUMBERS]; /* SKED_UNSET: not set */
    int64_t amount[REF_AMOUNTS][REF_KINDS];
    int64_t user[REF_USERS]; /* of users u0, u1 ...; SKED_UNSET: not named */
} ref_queue;

typedef struct ref_list {
    ref_queue queue[REF_QUEUES];
    size_t n;
} ref_list;

typedef struct ref_tree {
    ref_list draft;
    ref_list shown;
    uint64_t places;
    size_t max_depth;
    size_t max_queues;
    sked_queue_id confined;
} ref_tree;

void ref_tree_start(ref_tree *tree, sked_queue_id root, size_t max_depth,
                    size_t max_queues);

/* By id; NULL: not there. */
ref_queue *ref_find(ref_list *list, sked_queue_id id);

/* Is a queue with that name below the parent? */
ref_queue *ref_child(ref_list *list, sked_queue_id parent, const char *name);

/* The status an edit must have; with SKED_OK, it is done in the draft too. The
 * id of a queue that is added is said afterwards. */
sked_status ref_add(ref_tree *tree, sked_queue_id parent, const char *name);
void ref_added(ref_tree *tree, sked_queue_id id);
sked_status ref_move(ref_tree *tree, sked_queue_id queue, sked_queue_id parent);
sked_status ref_rename(ref_tree *tree, sked_queue_id queue, const char *name);
sked_status ref_remove(ref_tree *tree, sked_queue_id queue);
sked_status ref_set(ref_tree *tree, sked_queue_id queue, int32_t attribute,
                    int64_t value);
sked_status ref_set_vec(ref_tree *tree, sked_queue_id queue, int32_t attribute,
                        const int64_t *amounts);
sked_status ref_label(ref_tree *tree, sked_queue_id queue, const char *text);
sked_status ref_user(ref_tree *tree, sked_queue_id queue, size_t user,
                     int64_t weight);

/* Queues breadth first, siblings by place; `order` are indices in the list. */
void ref_rows(const ref_list *list, size_t *order);

size_t ref_depth(ref_list *list, const ref_queue *queue); /* root: 0 */
int ref_is_leaf(const ref_list *list, sked_queue_id id);
/* As it is set, or its default. */
int64_t ref_number(const ref_queue *queue, int32_t attribute);

/* With what is inherited from above. */
int64_t ref_effective(ref_list *list, const ref_queue *queue,
                      int32_t attribute);

/* Guarantee or limit with parts resolved. */
int64_t ref_resolved(ref_list *list, const ref_queue *queue, int32_t attribute,
                     size_t kind, int64_t capacity);

/* Every fault, in order; how many there are. */
size_t ref_faults(ref_list *list, sked_fault *faults);

#endif
