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

/* ---- Faults ---- */

typedef struct fault_list {
    ref_list *list;
    const ref_queue *q;
    sked_fault *faults;
    size_t n;
} fault_list;

static void say(fault_list *out, int32_t code, int kind, int64_t got,
                int64_t limit)
{
    sked_fault *fault = &out->faults[out->n++];

    memset(fault, 0, sizeof *fault);
    fault->code = code;
    fault->queue = out->q->id;
    fault->kind = kind;
    fault->got = got;
    fault->limit = limit;
}

static int64_t number(const ref_queue *q, int32_t attribute)
{
    int64_t value = q->number[attribute - 1];

    return value == SKED_UNSET ? rule_of(attribute).fallback : value;
}

static int guaranteed(const ref_queue *q)
{
    for (size_t k = 0; k < REF_KINDS; k++) {
        if (q->amount[0][k] > 0) return 1;
    }
    return 0;
}

/* What a queue is guaranteed of a kind: what it states, or else what those
 * below are, each as far as it states any. */
static int64_t guarantee_of(const fault_list *out, const ref_queue *q, int k);

static int64_t below_sum(const fault_list *out, const ref_queue *q, int k)
{
    int64_t sum = 0;

    for (size_t i = 0; i < out->list->n; i++) {
        const ref_queue *c = &out->list->queue[i];
        if (c->parent != q->id) continue;
        int64_t more = guarantee_of(out, c, k);
        sum = more > INT64_MAX - sum ? INT64_MAX : sum + more;
    }
    return sum;
}

static int is_lifted(const ref_queue *q)
{
    return q->parent && !guaranteed(q) &&
           number(q, SKED_QUEUE_GUARANTEE_PPM) == SKED_UNSET;
}

static int64_t guarantee_of(const fault_list *out, const ref_queue *q, int k)
{
    return is_lifted(q) ? below_sum(out, q, k) : q->amount[0][k];
}

static int any_guarantee(const fault_list *out, const ref_queue *q)
{
    for (int k = 0; k < REF_KINDS; k++) {
        if (guarantee_of(out, q, k) > 0) return 1;
    }
    return number(q, SKED_QUEUE_GUARANTEE_PPM) > 0;
}

static void family_sums(fault_list *out)
{
    const ref_queue *q = out->q;

    if (!guaranteed(q)) return;
    for (int k = 0; k < REF_KINDS; k++) {
        int64_t sum = below_sum(out, q, k);
        if (sum <= q->amount[0][k]) continue;
        say(out, SKED_FAULT_GUARANTEE_ABOVE_PARENT, k, sum, q->amount[0][k]);
    }
}

static void lifted_sums(fault_list *out)
{
    for (int k = 0; k < REF_KINDS; k++) {
        int64_t sum = guarantee_of(out, out->q, k);
        if (!is_lifted(out->q) || !sum || sum > out->q->amount[1][k]) continue;
        say(out, SKED_FAULT_GUARANTEE_LIFTED, k, sum, 0);
    }
}

static void own_limits(fault_list *out)
{
    const ref_queue *q = out->q;
    int64_t g = number(q, SKED_QUEUE_GUARANTEE_PPM);
    int64_t l = number(q, SKED_QUEUE_LIMIT_PPM);

    if (ref_depth(out->list, q) <= 1 && l != SKED_UNSET && g > l) {
        say(out, SKED_FAULT_GUARANTEE_ABOVE_LIMIT, -1, g, l);
    }
    for (int k = 0; k < REF_KINDS; k++) {
        int64_t has = guarantee_of(out, q, k);
        if (has <= q->amount[1][k]) continue;
        say(out, SKED_FAULT_GUARANTEE_ABOVE_LIMIT, k, has, q->amount[1][k]);
    }
}

static void limits_above(fault_list *out)
{
    for (int k = 0; k < REF_KINDS; k++) {
        int64_t own = out->q->amount[1][k], above = SKED_UNLIMITED;
        const ref_queue *p = ref_find(out->list, out->q->parent);
        for (; p && above == SKED_UNLIMITED;
             p = ref_find(out->list, p->parent)) {
            above = p->amount[1][k];
        }
        if (own == SKED_UNLIMITED || own <= above) continue;
        say(out, SKED_FAULT_LIMIT_ABOVE_PARENT, k, own, above);
    }
}

static void family_parts(fault_list *out, int dead)
{
    int64_t sum = 0, parts = 0, amounts = 0, children = 0, weighty = 0;

    for (size_t i = 0; i < out->list->n; i++) {
        const ref_queue *c = &out->list->queue[i];
        if (c->parent != out->q->id) continue;
        int64_t ppm = number(c, SKED_QUEUE_GUARANTEE_PPM);
        children++;
        weighty += number(c, SKED_QUEUE_WEIGHT) > 0;
        amounts += guaranteed(c);
        if (ppm == SKED_UNSET) continue;
        parts++;
        sum += ppm;
    }
    if (dead && children && !weighty) {
        say(out, SKED_FAULT_ALL_DEAD, -1, children, 0);
    }
    if (dead || !parts) return;
    if (amounts) {
        say(out, SKED_FAULT_PARTS_MIXED, -1, parts, parts + amounts);
    } else if (sum < 999990 || sum > 1000010) {
        say(out, SKED_FAULT_PARTS_SUM, -1, sum, 1000000);
    }
}

static void borrow_and_lend(fault_list *out)
{
    const ref_queue *q = out->q;

    for (int k = 0; k < REF_KINDS; k++) {
        int64_t g = guarantee_of(out, q, k);
        int64_t l = q->amount[1][k], b = q->amount[2][k];
        if (b == SKED_UNLIMITED || l == SKED_UNLIMITED) continue;
        uint64_t reach = (uint64_t)g + (uint64_t)b;
        if (reach <= (uint64_t)l) continue;
        if (reach > (uint64_t)SKED_AMOUNT_MAX) reach = INT64_MAX;
        say(out, SKED_FAULT_BORROW_BEYOND_LIMIT, k, (int64_t)reach, l);
    }
    if (number(q, SKED_QUEUE_GUARANTEE_PPM) != SKED_UNSET) return;
    for (int k = 0; k < REF_KINDS; k++) {
        int64_t g = guarantee_of(out, q, k), lend = q->amount[3][k];
        if (lend == SKED_UNLIMITED || lend <= g) continue;
        say(out, SKED_FAULT_LEND_ABOVE_GUARANTEE, k, lend, g);
    }
}

static void own_numbers(fault_list *out)
{
    const ref_queue *q = out->q, *p = ref_find(out->list, q->parent);
    int64_t own = number(q, SKED_QUEUE_MAX_RUNNING), above = SKED_UNLIMITED;
    int64_t wait = q->number[SKED_QUEUE_PREEMPT_MIN_TIMEOUT - 1];
    int leaf = ref_is_leaf(out->list, q->id);

    for (; p && above == SKED_UNLIMITED; p = ref_find(out->list, p->parent)) {
        above = number(p, SKED_QUEUE_MAX_RUNNING);
    }
    if (own != SKED_UNLIMITED && own > above) {
        say(out, SKED_FAULT_RUNNING_ABOVE_PARENT, -1, own, above);
    }
    if (!leaf && number(q, SKED_QUEUE_APPS) != 0) {
        say(out, SKED_FAULT_APPS_ON_PARENT, -1, number(q, SKED_QUEUE_APPS), 0);
    }
    if (leaf && number(q, SKED_QUEUE_ORDER) != 0) {
        say(out, SKED_FAULT_ORDER_ON_LEAF, -1, number(q, SKED_QUEUE_ORDER), 0);
    }
    if (q->number[SKED_QUEUE_PREEMPT_FROM - 1] == 1 &&
        !ref_effective(out->list, q, SKED_QUEUE_PREEMPT_FROM)) {
        say(out, SKED_FAULT_PREEMPT_REENABLED, -1, 1, 0);
    }
    if (wait != SKED_UNSET && wait != SKED_UNLIMITED &&
        !any_guarantee(out, q)) {
        say(out, SKED_FAULT_TIMEOUT_IDLE, -1, wait, SKED_UNLIMITED);
    }
}

size_t ref_faults(ref_list *list, sked_fault *faults)
{
    fault_list out = {.list = list, .faults = faults};
    size_t order[REF_QUEUES];

    ref_rows(list, order);
    for (size_t r = 0; r < list->n; r++) {
        const ref_queue *q = out.q = &list->queue[order[r]];
        family_sums(&out);
        own_limits(&out);
        limits_above(&out);
        family_parts(&out, 0);
        if (q->parent && number(q, SKED_QUEUE_WEIGHT) == 0 &&
            !any_guarantee(&out, q)) {
            say(&out, SKED_FAULT_DEAD_WEIGHT, -1, 0, 1);
        }
        family_parts(&out, 1);
        borrow_and_lend(&out);
        own_numbers(&out);
        lifted_sums(&out);
    }
    return out.n;
}
