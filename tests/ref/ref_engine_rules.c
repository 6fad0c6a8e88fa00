/* What nodes are and which of them asks take: a rule is read from its end, and
 * answered anew for every node and every look. */
#include "ref_engine.h"

#include <stdlib.h>
#include <string.h>

enum { NO, YES, NOTHING };

/* ---- Answers ---- */

static int has_value(const ref_node *node, const ref_rule *rule,
                     const sked_rule_term *t)
{
    int found = 0;

    for (size_t i = 0; i < node->n_attributes; i++) {
        int64_t value = node->attributes[i].value;
        if (node->attributes[i].key != t->key) continue;
        found |= t->op == SKED_RULE_OP_EXISTS || t->op == SKED_RULE_OP_ABSENT;
        found |= t->op == SKED_RULE_OP_LESS && value < t->value;
        found |= t->op == SKED_RULE_OP_GREATER && value > t->value;
        found |= t->op == SKED_RULE_OP_EQUAL && value == t->value;
        found |= t->op == SKED_RULE_OP_NOT && value == t->value;
        for (uint32_t v = 0; t->op == SKED_RULE_OP_IN && v < t->n; v++) {
            found |= rule->values[t->first + v] == value;
        }
    }
    return found;
}

static int has_tag(const ref_ask *ask, uint64_t tag)
{
    for (size_t i = 0; i < ask->n_tags; i++) {
        if (ask->tags[i] == tag) return 1;
    }
    return 0;
}

/* Tasks with a tag that hold something on a node. */
static int64_t work_on(const ref_engine *r, size_t node, uint64_t tag)
{
    int64_t count = 0;

    for (size_t g = 0; g < r->groups; g++) {
        const ref_group *group = &r->group[g];
        if (group->state == REF_OVER || group->node != node) continue;
        if (has_tag(&r->ask[group->ask], tag)) count += group->count;
    }
    return count;
}

/* Has a node this value of a key? */
static int has_pair(const ref_node *node, uint64_t key, int64_t value)
{
    for (size_t i = 0; i < node->n_attributes; i++) {
        if (node->attributes[i].key == key &&
            node->attributes[i].value == value) {
            return 1;
        }
    }
    return 0;
}

/* Tasks with a tag on the nodes of a partition that have a pair. */
static int64_t work_with(const ref_engine *r, uint32_t partition, uint64_t tag,
                         uint64_t key, int64_t value)
{
    int64_t count = 0;

    for (size_t n = 0; n < r->nodes; n++) {
        const ref_node *node = &r->node[n];
        if (node->gone || node->partition != partition) continue;
        if (has_pair(node, key, value)) count += work_on(r, n, tag);
    }
    return count;
}

static int64_t lesser(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Where there are fewest, of the listed values or all that nodes have. */
static int64_t fewest_work(const ref_engine *r, uint32_t partition,
                           const sked_rule_term *t, const int64_t *values)
{
    uint64_t key = (uint64_t)values[0];
    int64_t least = INT64_MAX;

    for (uint32_t v = 1; v < t->n; v++) {
        least = lesser(least, work_with(r, partition, t->key, key, values[v]));
    }
    for (size_t n = 0; t->n == 1 && n < r->nodes; n++) {
        const ref_node *node = &r->node[n];
        if (node->gone || node->partition != partition) continue;
        for (size_t i = 0; i < node->n_attributes; i++) {
            if (node->attributes[i].key != key) continue;
            int64_t value = node->attributes[i].value;
            least = lesser(least, work_with(r, partition, t->key, key, value));
        }
    }
    return least;
}

/* What a comparison of work says that counts by the values of a key. */
static int compares_by(const ref_engine *r, size_t at, const ref_rule *rule,
                       const sked_rule_term *t)
{
    const ref_node *node = &r->node[at];
    const int64_t *values = rule->values + t->first;
    int64_t most = 0;
    int spread = t->op == SKED_RULE_OP_SPREAD, somewhere = 0;

    for (size_t i = 0; i < node->n_attributes; i++) {
        int64_t value = node->attributes[i].value;
        int listed = t->n == 1;
        for (uint32_t v = 1; v < t->n; v++) listed |= values[v] == value;
        if (node->attributes[i].key != (uint64_t)values[0] || !listed) continue;
        int64_t count = work_with(r, node->partition, t->key,
                                  node->attributes[i].key, value);
        if (count > most) most = count;
        somewhere = 1;
    }
    if (t->op == SKED_RULE_OP_AT_MOST) return most <= t->value;
    if (!spread) return most >= t->value;
    return somewhere &&
           most + 1 - fewest_work(r, node->partition, t, values) <= t->value;
}

/* Does a term count tasks? */
static int counts(const sked_rule_term *t)
{
    return t->op >= SKED_RULE_OP_AT_MOST && t->op <= SKED_RULE_OP_SPREAD;
}

/* What a comparison says. */
static int compares(const ref_engine *r, size_t node, const ref_rule *rule,
                    const sked_rule_term *t)
{
    int turned = t->op == SKED_RULE_OP_NOT || t->op == SKED_RULE_OP_ABSENT;

    if (counts(t) && t->n > 0) {
        return compares_by(r, node, rule, t);
    }
    if (t->op == SKED_RULE_OP_AT_MOST) {
        return work_on(r, node, t->key) <= t->value;
    }
    if (t->op == SKED_RULE_OP_AT_LEAST) {
        return work_on(r, node, t->key) >= t->value;
    }
    return has_value(&r->node[node], rule, t) != turned;
}

/* What the term before `*at` says, with all that it joins; `*at` is what comes
 * before these. Work that is there is not looked at where `bare`. */
static int says(const ref_engine *r, size_t node, const ref_rule *rule,
                size_t *at, int bare)
{
    const sked_rule_term *t = &rule->terms[--*at];
    int any_yes = 0, any_no = 0;

    if (counts(t) && bare) return NOTHING;
    if (t->op > SKED_RULE_OP_OR) return compares(r, node, rule, t);
    for (uint32_t i = 0; i < t->n; i++) {
        int one = says(r, node, rule, at, bare);
        any_yes |= one == YES;
        any_no |= one == NO;
    }
    if (t->op == SKED_RULE_OP_OR) return any_yes ? YES : any_no ? NO : NOTHING;
    return any_no ? NO : any_yes ? YES : NOTHING;
}

static int rule_takes(const ref_engine *r, size_t node, const ref_rule *rule,
                      int bare)
{
    size_t at = rule->n_terms;

    while (at > 0) {
        if (says(r, node, rule, &at, bare) == NO) return 0;
    }
    return 1;
}

/* Has an ask a soft rule before this one: of more weight, or said earlier? */
static int goes_before(const ref_ask *a, size_t one, size_t other)
{
    if (a->soft[one].weight != a->soft[other].weight) {
        return a->soft[one].weight > a->soft[other].weight;
    }
    return one < other;
}

static int is_in_force(const ref_engine *r, const ref_ask *a, size_t soft);

/* Does a node meet the rule, this soft rule and all that is in force before? */
static int meets_all(const ref_engine *r, const ref_ask *a, size_t soft,
                     size_t node)
{
    if (!rule_takes(r, node, &a->rule, 1)) return 0;
    for (size_t i = 0; i < a->n_soft; i++) {
        if (i != soft && !goes_before(a, i, soft)) continue;
        if (rule_takes(r, node, &a->soft[i].rule, 1)) continue;
        if (i == soft || is_in_force(r, a, i)) return 0;
    }
    return 1;
}

static int is_in_force(const ref_engine *r, const ref_ask *a, size_t soft)
{
    for (size_t n = 0; n < r->nodes; n++) {
        int here = a->partition == SKED_ANY_PARTITION ||
                   a->partition == r->node[n].partition;
        if (here && !r->node[n].gone && meets_all(r, a, soft, n)) return 1;
    }
    return 0;
}

int ref_engine_takes(const ref_engine *r, size_t ask, size_t node)
{
    const ref_ask *a = &r->ask[ask];

    if (!rule_takes(r, node, &a->rule, 0)) return 0;
    for (size_t i = 0; i < a->n_soft; i++) {
        if (rule_takes(r, node, &a->soft[i].rule, 0)) continue;
        if (is_in_force(r, a, i)) return 0;
    }
    return 1;
}

/* ---- Events ---- */

static void *copy_of(const void *from, size_t n, size_t size)
{
    void *copy = malloc(n ? n * size : 1);

    if (!copy) abort();
    if (n) memcpy(copy, from, n * size);
    return copy;
}

sked_status ref_engine_check_attributes(const sked_events *batch,
                                        const sked_event *event)
{
    const int32_t *row;

    if (event->places > batch->n_attributes) return SKED_ERR_ARG;
    if (event->places == 0) return SKED_OK;
    row = &batch->attribute_offsets[event->places - 1];
    return row[1] - row[0] > SKED_MAX_RULE_ATTRIBUTES ? SKED_ERR_RANGE
                                                      : SKED_OK;
}

sked_status ref_engine_attributes(ref_engine *r, const sked_events *batch,
                                  const sked_event *event)
{
    size_t at = ref_engine_node(r, event->key), n = 0;
    const sked_rule_attribute *from = NULL;

    if (at == SIZE_MAX) return SKED_ERR_NOT_FOUND;
    if (event->places > batch->n_attributes) return SKED_ERR_ARG;
    if (event->places > 0) {
        const int32_t *row = &batch->attribute_offsets[event->places - 1];
        from = batch->attributes + row[0];
        n = (size_t)(row[1] - row[0]);
    }
    if (n > SKED_MAX_RULE_ATTRIBUTES) return SKED_ERR_RANGE;
    free(r->node[at].attributes);
    r->node[at].attributes = copy_of(from, n, sizeof *from);
    r->node[at].n_attributes = n;
    return SKED_OK;
}

/* Is it a rule? */
static sked_status judge_form(const sked_rule_term *terms, size_t n,
                              uint64_t n_values)
{
    size_t answers = 0;

    for (size_t i = 0; i < n; i++) {
        const sked_rule_term *t = &terms[i];
        int joins = t->op <= SKED_RULE_OP_OR, in = t->op == SKED_RULE_OP_IN;
        int bare = t->op == SKED_RULE_OP_EXISTS ||
                   t->op == SKED_RULE_OP_ABSENT || t->op == SKED_RULE_OP_HOST;
        int work = counts(t);
        int spread = t->op == SKED_RULE_OP_SPREAD;
        int named = in || spread || (work && t->n > 0);
        if (t->op == 0 || t->op > SKED_RULE_OP_HOST ||
            (joins && (t->key || t->n == 0 || t->n > answers)) ||
            ((joins || in || bare) && t->value) || (named && !t->n) ||
            (!joins && !named && t->n) || (!named && t->first) ||
            (work && !spread && t->n > 1)) {
            return SKED_ERR_ARG;
        }
        if (work && t->value < spread) return SKED_ERR_RANGE;
        if (named && t->first + t->n > n_values) {
            return SKED_ERR_RANGE;
        }
        answers = answers + 1 - (joins ? t->n : 0);
    }
    return SKED_OK;
}

/* The row of rules of an event; its terms. */
static sked_status row_of_rules(const sked_events *batch,
                                const sked_event *event,
                                const sked_rule_term **from, size_t *n)
{
    *n = 0;
    *from = NULL;
    if (event->places > batch->n_rules) return SKED_ERR_ARG;
    if (event->places > 0) {
        const int32_t *row = &batch->rule_offsets[event->places - 1];
        *from = batch->rule_terms + row[0];
        *n = (size_t)(row[1] - row[0]);
    }
    return judge_form(*from, *n, batch->n_rule_values);
}

static ref_rule copy_rule(const sked_events *batch, const sked_rule_term *from,
                          size_t n)
{
    return (ref_rule){
        .terms = copy_of(from, n, sizeof *from),
        .n_terms = n,
        .values = copy_of(batch->rule_values, (size_t)batch->n_rule_values,
                          sizeof *batch->rule_values),
    };
}

/* Does a rule ask the host, or is it one of a gang over nodes that counts tasks? */
static int is_for_no_engine(const ref_ask *a, const sked_rule_term *from,
                            size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (from[i].op == SKED_RULE_OP_HOST) return 1;
        if (a->per_node && counts(&from[i])) return 1;
    }
    return 0;
}

sked_status ref_engine_rule(ref_engine *r, const sked_events *batch,
                            const sked_event *event)
{
    size_t ask = ref_engine_ask(r, event->key), n;
    const sked_rule_term *from;

    if (ask == SIZE_MAX || r->ask[ask].closed) return SKED_ERR_NOT_FOUND;
    sked_status rc = row_of_rules(batch, event, &from, &n);
    if (rc != SKED_OK) return rc;
    if (is_for_no_engine(&r->ask[ask], from, n)) return SKED_ERR_STATE;
    ref_engine_forget_rule(&r->ask[ask].rule);
    r->ask[ask].rule = copy_rule(batch, from, n);
    return SKED_OK;
}

/* Leaves the soft rules that are not due by then. */
static void drop_soft_by(ref_ask *a, sked_time now, int all)
{
    size_t left = 0;

    for (size_t i = 0; i < a->n_soft; i++) {
        ref_preference one = a->soft[i];
        if (!all && (one.until == SKED_UNSET || one.until > now))
            a->soft[left++] = one;
        else
            ref_engine_forget_rule(&one.rule);
    }
    a->n_soft = left;
}

void ref_engine_lapse_soft(ref_engine *r, sked_time now)
{
    for (size_t i = 0; i < r->asks; i++) drop_soft_by(&r->ask[i], now, 0);
}

void ref_engine_forget_soft(ref_ask *a)
{
    drop_soft_by(a, 0, 1);
    free(a->soft);
}

sked_status ref_engine_prefer(ref_engine *r, const sked_events *batch,
                              const sked_event *event)
{
    size_t ask = ref_engine_ask(r, event->key), n;
    const sked_rule_term *from;
    sked_time until = ref_engine_word(batch, event, batch->moments);

    if (ask == SIZE_MAX || r->ask[ask].closed) return SKED_ERR_NOT_FOUND;
    ref_ask *a = &r->ask[ask];
    if (event->places == 0) {
        drop_soft_by(a, 0, 1);
        return SKED_OK;
    }
    sked_status rc = row_of_rules(batch, event, &from, &n);
    if (rc != SKED_OK) return rc;
    if (is_for_no_engine(a, from, n)) return SKED_ERR_STATE;
    if (event->count < 0 || event->count > INT32_MAX ||
        (until != SKED_UNSET && until <= r->now) ||
        a->n_soft == SKED_MAX_ASK_PREFERENCES) {
        return SKED_ERR_RANGE;
    }
    if (n == 0) return SKED_OK;
    ref_preference *one = MORE(a, soft, n_soft);
    *one = (ref_preference){copy_rule(batch, from, n), event->count, until};
    return SKED_OK;
}

sked_status ref_engine_tags(ref_engine *r, const sked_events *batch,
                            const sked_event *event)
{
    size_t ask = ref_engine_ask(r, event->key), n = 0;
    const uint64_t *from = NULL;

    if (ask == SIZE_MAX || r->ask[ask].closed) return SKED_ERR_NOT_FOUND;
    if (event->places > batch->n_places) return SKED_ERR_ARG;
    if (event->places > 0) {
        const int32_t *row = &batch->place_offsets[event->places - 1];
        from = batch->places + row[0];
        n = (size_t)(row[1] - row[0]);
    }
    if (n > SKED_MAX_ASK_TAGS) return SKED_ERR_RANGE;
    free(r->ask[ask].tags);
    r->ask[ask].tags = copy_of(from, n, sizeof *from);
    r->ask[ask].n_tags = n;
    return SKED_OK;
}

void ref_engine_forget_rule(ref_rule *rule)
{
    free(rule->terms);
    free(rule->values);
}
