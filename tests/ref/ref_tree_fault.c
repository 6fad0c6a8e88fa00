/* The faults of a tree by their definitions, queue by queue. */
#include <string.h>

#include "ref_tree.h"

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
           ref_number(q, SKED_QUEUE_GUARANTEE_PPM) == SKED_UNSET;
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
    return ref_number(q, SKED_QUEUE_GUARANTEE_PPM) > 0;
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

/* Of every two children, the second of a higher priority than the first, which
 * is guaranteed something: the pair that is furthest apart. */
static void priorities(fault_list *out)
{
    int64_t high = 0, low = 0;
    int any = 0;

    if (ref_number(out->q, SKED_QUEUE_ORDER) != SKED_ORDER_POLICY_PRIORITY)
        return;
    for (size_t i = 0; i < out->list->n; i++) {
        const ref_queue *a = &out->list->queue[i];
        int64_t ppm = ref_number(a, SKED_QUEUE_GUARANTEE_PPM);
        int has = guaranteed(a) || (ppm != SKED_UNSET && ppm > 0);
        if (a->parent != out->q->id || !has) continue;
        for (size_t j = 0; j < out->list->n; j++) {
            const ref_queue *b = &out->list->queue[j];
            int64_t x = ref_number(a, SKED_QUEUE_PRIORITY);
            int64_t y = ref_number(b, SKED_QUEUE_PRIORITY);
            if (b->parent != out->q->id || y <= x) continue;
            if (!any || y > high) high = y;
            if (!any || x < low) low = x;
            any = 1;
        }
    }
    if (any) say(out, SKED_FAULT_PRIORITY_BEFORE_GUARANTEE, -1, high, low);
}

static void own_limits(fault_list *out)
{
    const ref_queue *q = out->q;
    int64_t g = ref_number(q, SKED_QUEUE_GUARANTEE_PPM);
    int64_t l = ref_number(q, SKED_QUEUE_LIMIT_PPM);

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
        int64_t ppm = ref_number(c, SKED_QUEUE_GUARANTEE_PPM);
        children++;
        weighty += ref_number(c, SKED_QUEUE_WEIGHT) > 0;
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
    if (ref_number(q, SKED_QUEUE_GUARANTEE_PPM) != SKED_UNSET) return;
    for (int k = 0; k < REF_KINDS; k++) {
        int64_t g = guarantee_of(out, q, k), lend = q->amount[3][k];
        if (lend == SKED_UNLIMITED || lend <= g) continue;
        say(out, SKED_FAULT_LEND_ABOVE_GUARANTEE, k, lend, g);
    }
}

static void own_numbers(fault_list *out)
{
    const ref_queue *q = out->q, *p = ref_find(out->list, q->parent);
    int64_t own = ref_number(q, SKED_QUEUE_MAX_RUNNING), above = SKED_UNLIMITED;
    int64_t wait = q->number[SKED_QUEUE_PREEMPT_MIN_TIMEOUT - 1];
    int leaf = ref_is_leaf(out->list, q->id);

    for (; p && above == SKED_UNLIMITED; p = ref_find(out->list, p->parent)) {
        above = ref_number(p, SKED_QUEUE_MAX_RUNNING);
    }
    if (own != SKED_UNLIMITED && own > above) {
        say(out, SKED_FAULT_RUNNING_ABOVE_PARENT, -1, own, above);
    }
    if (!leaf && ref_number(q, SKED_QUEUE_APPS) != 0) {
        say(out, SKED_FAULT_APPS_ON_PARENT, -1, ref_number(q, SKED_QUEUE_APPS),
            0);
    }
    if (leaf && ref_number(q, SKED_QUEUE_ORDER) != 0) {
        say(out, SKED_FAULT_ORDER_ON_LEAF, -1, ref_number(q, SKED_QUEUE_ORDER),
            0);
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
        if (q->parent && ref_number(q, SKED_QUEUE_WEIGHT) == 0 &&
            !any_guarantee(&out, q)) {
            say(&out, SKED_FAULT_DEAD_WEIGHT, -1, 0, 1);
        }
        family_parts(&out, 1);
        borrow_and_lend(&out);
        own_numbers(&out);
        lifted_sums(&out);
        priorities(&out);
    }
    return out.n;
}
