#include "ref_tree.h"

#include <string.h>

void ref_tree_start(ref_tree *tree, sked_queue_id root, size_t max_depth,
                    size_t max_queues)
{
    memset(tree, 0, sizeof *tree);
    tree->max_depth = max_depth;
    tree->max_queues = max_queues;
    tree->confined = root;
    tree->draft.n = 1;
    ref_queue *q = &tree->draft.queue[0];
    q->id = root;
    strcpy(q->name, "root");
    for (size_t i = 0; i < REF_NUMBERS; i++) q->number[i] = SKED_UNSET;
    for (size_t i = 0; i < REF_USERS; i++) q->user[i] = SKED_UNSET;
    for (size_t a = 1; a < REF_AMOUNTS; a++) {
        for (size_t k = 0; k < REF_KINDS; k++) {
            q->amount[a][k] = SKED_UNLIMITED;
        }
    }
    tree->shown = tree->draft;
}

ref_queue *ref_find(ref_list *list, sked_queue_id id)
{
    for (size_t i = 0; i < list->n; i++) {
        if (list->queue[i].id == id) return &list->queue[i];
    }
    return NULL;
}

ref_queue *ref_child(ref_list *list, sked_queue_id parent, const char *name)
{
    for (size_t i = 0; i < list->n; i++) {
        ref_queue *q = &list->queue[i];
        if (q->parent == parent && strcmp(q->name, name) == 0) return q;
    }
    return NULL;
}

size_t ref_depth(ref_list *list, const ref_queue *queue)
{
    size_t depth = 0;

    while (queue->parent) {
        queue = ref_find(list, queue->parent);
        depth++;
    }
    return depth;
}

static int is_within(ref_list *list, const ref_queue *queue, sked_queue_id top)
{
    while (queue && queue->id != top) queue = ref_find(list, queue->parent);
    return queue != NULL;
}

int ref_is_leaf(const ref_list *list, sked_queue_id id)
{
    for (size_t i = 0; i < list->n; i++) {
        if (list->queue[i].parent == id) return 0;
    }
    return 1;
}

/* May the queue be edited? `inside`: may something be put below it? */
static sked_status may_edit(ref_tree *tree, sked_queue_id id, int inside)
{
    ref_queue *q = ref_find(&tree->draft, id);

    if (!q) return SKED_ERR_STALE;
    if (tree->confined == tree->draft.queue[0].id) return SKED_OK;
    if (!is_within(&tree->draft, q, tree->confined)) return SKED_ERR_STATE;
    return inside || id != tree->confined ? SKED_OK : SKED_ERR_STATE;
}

sked_status ref_add(ref_tree *tree, sked_queue_id parent, const char *name)
{
    ref_list *list = &tree->draft;

    if (!*name) return SKED_ERR_ARG;
    sked_status rc = may_edit(tree, parent, 1);
    if (rc != SKED_OK) return rc;
    if (list->n >= tree->max_queues) return SKED_ERR_RANGE;
    if (ref_depth(list, ref_find(list, parent)) + 2 > tree->max_depth) {
        return SKED_ERR_RANGE;
    }
    if (ref_child(list, parent, name)) return SKED_ERR_EXISTS;

    ref_queue *q = &list->queue[list->n++];
    memset(q, 0, sizeof *q);
    q->parent = parent;
    q->place = ++tree->places;
    strcpy(q->name, name);
    for (size_t i = 0; i < REF_NUMBERS; i++) q->number[i] = SKED_UNSET;
    for (size_t i = 0; i < REF_USERS; i++) q->user[i] = SKED_UNSET;
    for (size_t a = 1; a < REF_AMOUNTS; a++) {
        for (size_t k = 0; k < REF_KINDS; k++) {
            q->amount[a][k] = SKED_UNLIMITED;
        }
    }
    return SKED_OK;
}

void ref_added(ref_tree *tree, sked_queue_id id)
{
    tree->draft.queue[tree->draft.n - 1].id = id;
}

sked_status ref_move(ref_tree *tree, sked_queue_id queue, sked_queue_id parent)
{
    ref_list *list = &tree->draft;
    size_t height = 0;

    sked_status rc = may_edit(tree, queue, 0);
    if (rc == SKED_OK) rc = may_edit(tree, parent, 1);
    if (rc != SKED_OK) return rc;
    ref_queue *q = ref_find(list, queue), *p = ref_find(list, parent);
    if (is_within(list, p, queue)) return SKED_ERR_ARG;
    for (size_t i = 0; i < list->n; i++) {
        ref_queue *below = &list->queue[i];
        if (!is_within(list, below, queue)) continue;
        size_t levels = ref_depth(list, below) - ref_depth(list, q) + 1;
        if (levels > height) height = levels;
    }
    if (ref_depth(list, p) + 1 + height > tree->max_depth) {
        return SKED_ERR_RANGE;
    }
    ref_queue *same = ref_child(list, parent, q->name);
    if (same && same != q) return SKED_ERR_EXISTS;
    q->parent = parent;
    q->place = ++tree->places;
    return SKED_OK;
}

sked_status ref_rename(ref_tree *tree, sked_queue_id queue, const char *name)
{
    if (!*name) return SKED_ERR_ARG;
    sked_status rc = may_edit(tree, queue, 0);
    if (rc != SKED_OK) return rc;
    ref_queue *q = ref_find(&tree->draft, queue);
    ref_queue *same = ref_child(&tree->draft, q->parent, name);
    if (same && same != q) return SKED_ERR_EXISTS;
    strcpy(q->name, name);
    return SKED_OK;
}

sked_status ref_remove(ref_tree *tree, sked_queue_id queue)
{
    ref_list *list = &tree->draft, kept = {.n = 0};

    if (queue == list->queue[0].id) return SKED_ERR_ARG;
    sked_status rc = may_edit(tree, queue, 0);
    if (rc != SKED_OK) return rc;
    for (size_t i = 0; i < list->n; i++) {
        if (is_within(list, &list->queue[i], queue)) continue;
        kept.queue[kept.n++] = list->queue[i];
    }
    *list = kept;
    return SKED_OK;
}

/* Lowest, highest and default value, by attribute. */
typedef struct number_rule {
    int64_t low, high, fallback;
    int unlimited, inherited;
} number_rule;

static number_rule rule_of(int32_t attribute)
{
    const number_rule half = {0, 1000000, 500000, 0, 1};
    const number_rule wait = {0, INT64_MAX - 1, SKED_UNLIMITED, 1, 1};
    const number_rule part = {0, 1000000, SKED_UNSET, 0, 0};

    switch (attribute) {
    case SKED_QUEUE_WEIGHT: return (number_rule){0, 4294967295LL, 1, 0, 0};
    case SKED_QUEUE_ORDER: return (number_rule){0, 6, 0, 0, 0};
    case SKED_QUEUE_FAIR_KIND: return (number_rule){0, REF_KINDS - 1, 0, 0, 0};
    case SKED_QUEUE_APPS: return (number_rule){0, 4, 0, 0, 0};
    case SKED_QUEUE_MAX_RUNNING:
        return (number_rule){0, 2147483647, SKED_UNLIMITED, 1, 0};
    case SKED_QUEUE_USER_LIMIT: return (number_rule){0, 1000000, 1000000, 0, 0};
    case SKED_QUEUE_PRIORITY:
        return (number_rule){-2147483647 - 1, 2147483647, 0, 0, 0};
    case SKED_QUEUE_TIER: return (number_rule){0, 255, 0, 0, 0};
    case SKED_QUEUE_PREEMPT_FROM: return (number_rule){0, 1, 1, 0, 1};
    case SKED_QUEUE_PREEMPT_MIN_TIMEOUT:
    case SKED_QUEUE_PREEMPT_FAIR_TIMEOUT: return wait;
    case SKED_QUEUE_PREEMPT_FAIR_THRESHOLD: return half;
    case SKED_QUEUE_AM_SHARE:
        return (number_rule){0, 1000000, SKED_UNLIMITED, 1, 0};
    case SKED_QUEUE_STATE: return (number_rule){0, 1, 0, 0, 0};
    case SKED_QUEUE_START_RATE:
        return (number_rule){1, 2147483647, SKED_UNLIMITED, 1, 0};
    case SKED_QUEUE_USER_FACTOR:
        return (number_rule){0, 1000000000, SKED_UNLIMITED, 1, 0};
    default: return part;
    }
}

static int64_t rest_amount(size_t index)
{
    return index == 0 ? 0 : SKED_UNLIMITED;
}

sked_status ref_set(ref_tree *tree, sked_queue_id queue, int32_t attribute,
                    int64_t value)
{
    if (attribute < 1 || attribute > REF_NUMBERS) return SKED_ERR_ARG;
    number_rule rule = rule_of(attribute);
    sked_status rc = may_edit(tree, queue, 0);
    if (rc != SKED_OK) return rc;
    int within = value >= rule.low && value <= rule.high;
    if (value == SKED_UNLIMITED) within = rule.unlimited;
    if (value != SKED_UNSET && !within) return SKED_ERR_RANGE;

    ref_queue *q = ref_find(&tree->draft, queue);
    int parts = attribute == SKED_QUEUE_GUARANTEE_PPM ||
                attribute == SKED_QUEUE_LIMIT_PPM;
    if (parts && value != SKED_UNSET) {
        size_t index = attribute == SKED_QUEUE_LIMIT_PPM;
        for (size_t k = 0; k < REF_KINDS; k++) {
            q->amount[index][k] = rest_amount(index);
        }
    }
    if (!rule.inherited && value == rule.fallback) value = SKED_UNSET;
    q->number[attribute - 1] = value;
    return SKED_OK;
}

sked_status ref_set_vec(ref_tree *tree, sked_queue_id queue, int32_t attribute,
                        const int64_t *amounts)
{
    if (attribute < SKED_QUEUE_GUARANTEE || attribute > SKED_QUEUE_LEND) {
        return SKED_ERR_ARG;
    }
    size_t index = (size_t)(attribute - SKED_QUEUE_GUARANTEE);
    sked_status rc = may_edit(tree, queue, 0);
    if (rc != SKED_OK) return rc;
    for (size_t k = 0; amounts && k < REF_KINDS; k++) {
        int bound = amounts[k] >= 0 && amounts[k] <= SKED_AMOUNT_MAX;
        int none = amounts[k] == SKED_UNLIMITED && index != 0;
        if (!bound && !none) return SKED_ERR_RANGE;
    }

    ref_queue *q = ref_find(&tree->draft, queue);
    for (size_t k = 0; k < REF_KINDS; k++) {
        q->amount[index][k] = amounts ? amounts[k] : rest_amount(index);
    }
    if (!amounts) return SKED_OK;
    if (index == 0) q->number[SKED_QUEUE_GUARANTEE_PPM - 1] = SKED_UNSET;
    if (index == 1) q->number[SKED_QUEUE_LIMIT_PPM - 1] = SKED_UNSET;
    return SKED_OK;
}

sked_status ref_label(ref_tree *tree, sked_queue_id queue, const char *text)
{
    sked_status rc = may_edit(tree, queue, 0);

    if (rc == SKED_OK) strcpy(ref_find(&tree->draft, queue)->label, text);
    return rc;
}

sked_status ref_user(ref_tree *tree, sked_queue_id queue, size_t user,
                     int64_t weight)
{
    int within = weight >= 0 && weight <= 4294967295LL;

    if (weight != SKED_UNSET && !within) return SKED_ERR_RANGE;
    sked_status rc = may_edit(tree, queue, 0);
    if (rc == SKED_OK) ref_find(&tree->draft, queue)->user[user] = weight;
    return rc;
}

void ref_rows(const ref_list *list, size_t *order)
{
    size_t tail = 1;

    order[0] = 0; /* the root is the first of the list, always */
    for (size_t head = 0; head < tail; head++) {
        sked_queue_id parent = list->queue[order[head]].id;
        uint64_t after = 0;
        for (;;) {
            size_t best = REF_QUEUES;
            for (size_t i = 1; i < list->n; i++) {
                const ref_queue *q = &list->queue[i];
                if (q->parent != parent || q->place <= after) continue;
                if (best == REF_QUEUES || q->place < list->queue[best].place) {
                    best = i;
                }
            }
            if (best == REF_QUEUES) break;
            after = list->queue[best].place;
            order[tail++] = best;
        }
    }
}

int64_t ref_number(const ref_queue *q, int32_t attribute)
{
    int64_t value = q->number[attribute - 1];

    return value == SKED_UNSET ? rule_of(attribute).fallback : value;
}

int64_t ref_effective(ref_list *list, const ref_queue *queue, int32_t attribute)
{
    number_rule rule = rule_of(attribute);
    const ref_queue *q = queue;

    if (attribute == SKED_QUEUE_PREEMPT_FROM) {
        for (; q; q = ref_find(list, q->parent)) {
            if (q->number[attribute - 1] == 0) return 0;
        }
        return 1;
    }
    while (rule.inherited && q->parent &&
           q->number[attribute - 1] == SKED_UNSET) {
        q = ref_find(list, q->parent);
    }
    int64_t value = q->number[attribute - 1];
    return value == SKED_UNSET ? rule.fallback : value;
}

/* floor(base * ppm / 1000000) by schoolbook digits. */
static int64_t part(int64_t base, int64_t ppm)
{
    int64_t whole = base / 1000000, rest = base % 1000000;

    return whole * ppm + rest * ppm / 1000000;
}

static int64_t base_of(ref_list *list, const ref_queue *q, int32_t attribute,
                       size_t kind, int64_t capacity)
{
    if (attribute == SKED_QUEUE_GUARANTEE) {
        return q->parent ? ref_resolved(list, q, attribute, kind, capacity)
                         : capacity;
    }
    while (q) {
        int64_t own = ref_resolved(list, q, attribute, kind, capacity);
        if (own != SKED_UNLIMITED) return own < capacity ? own : capacity;
        q = ref_find(list, q->parent);
    }
    return capacity;
}

int64_t ref_resolved(ref_list *list, const ref_queue *queue, int32_t attribute,
                     size_t kind, int64_t capacity)
{
    int32_t parts = attribute == SKED_QUEUE_GUARANTEE ? SKED_QUEUE_GUARANTEE_PPM
                                                      : SKED_QUEUE_LIMIT_PPM;
    int64_t ppm = queue->number[parts - 1];

    if (attribute > SKED_QUEUE_LIMIT || ppm == SKED_UNSET) {
        return queue->amount[attribute - SKED_QUEUE_GUARANTEE][kind];
    }
    if (!queue->parent) return part(capacity, ppm);
    return part(
        base_of(list, ref_find(list, queue->parent), attribute, kind, capacity),
        ppm);
}
