/*
 * Judges a rule against a node with a stack of answers, without recursion. The
 * stack is at most as high as the number of terms. An answer PASS (the term
 * does not apply) is neutral in both AND and OR, so AND and OR join their
 * answers one by one.
 */
#include "rule/judge.h"

#include "base/fail.h"
#include "base/versioned.h"

/* Checks that a list of terms is a well-formed rule: each term sets only the
 * fields that the term reads, and joins at most the answers on the stack. */

static sked_status bad_term(sked_error *err, sked_status rc, const char *what,
                            uint64_t row, int64_t got, int64_t limit)
{
    return skedi_fail(
        err, rc, what,
        (skedi_fault){.got = got, .limit = limit, .row = (int64_t)row + 1});
}

/* Checks a term that joins answers; `*answers` becomes the number of answers
 * after the term. */
static sked_status check_join(const sked_rule_input *in, uint64_t row,
                              uint32_t *answers, sked_error *err)
{
    const sked_rule_term *t = &in->terms[row];

    if (t->key || t->value || t->first) {
        return bad_term(err, SKED_ERR_ARG, "the term does not read this field",
                        row, 0, 0);
    }
    if (t->n == 0 || t->n > *answers) {
        return bad_term(err, SKED_ERR_ARG, "the term joins other answers", row,
                        (int64_t)t->n, *answers);
    }
    *answers -= (uint32_t)(t->n - 1);
    return SKED_OK;
}

static sked_status check_values(const sked_rule_input *in, uint64_t row,
                                sked_error *err)
{
    const sked_rule_term *t = &in->terms[row];

    if (t->first <= in->n_values && t->n <= in->n_values - t->first) {
        return SKED_OK;
    }
    return bad_term(err, SKED_ERR_RANGE, "no such values", row,
                    (int64_t)(t->first + t->n), (int64_t)in->n_values);
}

/* The largest number of values that a comparison may name; `*least`: the
 * smallest number. */
static uint64_t most_values(const sked_rule_term *t, uint64_t *least)
{
    int joins = t->op == SKED_RULE_OP_IN || t->op == SKED_RULE_OP_SPREAD;
    int counts = t->op == SKED_RULE_OP_AT_MOST ||
                 t->op == SKED_RULE_OP_AT_LEAST;

    *least = joins ? 1 : 0;
    return joins ? UINT64_MAX : counts ? 1 : 0;
}

static sked_status check_comparison(const sked_rule_input *in, uint64_t row,
                                    sked_error *err)
{
    const sked_rule_term *t = &in->terms[row];
    int bare = t->op == SKED_RULE_OP_EXISTS || t->op == SKED_RULE_OP_ABSENT ||
               t->op == SKED_RULE_OP_IN || t->op == SKED_RULE_OP_HOST;
    int64_t from = t->op == SKED_RULE_OP_SPREAD ? 1 : 0;
    uint64_t least, most = most_values(t, &least);

    if (t->n < least || t->n > most || (t->n == 0 && t->first) ||
        (bare && t->value)) {
        return bad_term(err, SKED_ERR_ARG, "the term does not read this field",
                        row, 0, 0);
    }
    if (skedi_rule_is_of_work(t) && t->value < from) {
        return bad_term(err, SKED_ERR_RANGE, "count is out of range", row,
                        t->value, from);
    }
    return t->n ? check_values(in, row, err) : SKED_OK;
}

static sked_status check_term(const sked_rule_input *in, uint64_t row,
                              uint32_t *answers, sked_error *err)
{
    const sked_rule_term *t = &in->terms[row];

    if (t->op < SKED_RULE_OP_AND || t->op > SKED_RULE_OP_HOST) {
        return bad_term(err, SKED_ERR_ARG, "no such comparison", row, t->op,
                        SKED_RULE_OP_HOST);
    }
    if (t->op <= SKED_RULE_OP_OR) return check_join(in, row, answers, err);
    ++*answers;
    return check_comparison(in, row, err);
}

static sked_status too_many(sked_error *err, const char *what, uint64_t got,
                            int64_t limit)
{
    return skedi_fail(err, SKED_ERR_RANGE, what,
                      (skedi_fault){.got = (int64_t)got, .limit = limit});
}

sked_status skedi_rule_check(const sked_rule_input *in, sked_error *err)
{
    uint32_t answers = 0;
    uint64_t values = 0;

    if (in->n_terms > SKED_MAX_RULE_TERMS) {
        return too_many(err, "too many terms", in->n_terms,
                        SKED_MAX_RULE_TERMS);
    }
    if (in->n_node > SKED_MAX_RULE_ATTRIBUTES) {
        return too_many(err, "too many attributes", in->n_node,
                        SKED_MAX_RULE_ATTRIBUTES);
    }
    for (uint64_t i = 0; i < in->n_terms; i++) {
        sked_status rc = check_term(in, i, &answers, err);
        if (rc != SKED_OK) return rc;
        uint64_t names = skedi_rule_names(&in->terms[i]);
        if (names > SKED_MAX_RULE_VALUES - values) {
            return too_many(err, "too many values", values + names,
                            SKED_MAX_RULE_VALUES);
        }
        values += names;
    }
    return SKED_OK;
}

uint64_t skedi_rule_values(const sked_rule_input *in)
{
    uint64_t values = 0;

    for (uint64_t i = 0; i < in->n_terms; i++) {
        values += skedi_rule_names(&in->terms[i]);
    }
    return values;
}

SKEDI_NO_TAIL_PADDING(sked_rule_input, n_answers);

enum { RULE_INPUT_V1 = SKEDI_SIZE_THROUGH(sked_rule_input, n_work) };

int skedi_rule_counts(const sked_rule_input *in)
{
    for (uint64_t i = 0; i < in->n_terms; i++) {
        if (skedi_rule_is_of_work(&in->terms[i])) return 1;
    }
    return 0;
}

int skedi_rule_asks_host(const sked_rule_input *in)
{
    for (uint64_t i = 0; i < in->n_terms; i++) {
        if (in->terms[i].op == SKED_RULE_OP_HOST) return 1;
    }
    return 0;
}

static int is_one_of(int64_t value, const int64_t *values, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        if (values[i] == value) return 1;
    }
    return 0;
}

/* True if a value of the key makes the comparison true. NOT and ABSENT invert
 * the result for the node. */
static int value_meets(const sked_rule_input *in, const sked_rule_term *t,
                       int64_t value)
{
    switch (t->op) {
    case SKED_RULE_OP_IN: return is_one_of(value, in->values + t->first, t->n);
    case SKED_RULE_OP_LESS: return value < t->value;
    case SKED_RULE_OP_GREATER: return value > t->value;
    case SKED_RULE_OP_EXISTS:
    case SKED_RULE_OP_ABSENT: return 1;
    default: return value == t->value;
    }
}

static int node_meets(const sked_rule_input *in, const sked_rule_term *t)
{
    int contrary = t->op == SKED_RULE_OP_NOT || t->op == SKED_RULE_OP_ABSENT;

    for (uint64_t i = 0; i < in->n_node; i++) {
        const sked_rule_attribute *own = &in->node[i];
        if (own->key == t->key && value_meets(in, t, own->value)) {
            return !contrary;
        }
    }
    return contrary;
}

/* True if the node has a value over which a term spreads tasks. */
static int is_spread_over(const sked_rule_input *in, const sked_rule_term *t)
{
    const int64_t *values = in->values + t->first;

    for (uint64_t i = 0; i < in->n_node; i++) {
        if (in->node[i].key != (uint64_t)values[0]) continue;
        if (t->n == 1 || is_one_of(in->node[i].value, values + 1, t->n - 1)) {
            return 1;
        }
    }
    return 0;
}

/* Counts tasks by the counts in the input. */
static int64_t count_in_input(const void *arg, const sked_rule_input *in,
                              const sked_rule_term *t, int64_t *least)
{
    int64_t count = 0;

    (void)arg;
    for (uint64_t i = 0; t->n == 0 && i < in->n_work; i++) {
        if (in->work[i].key == t->key) count = in->work[i].value;
    }
    for (uint64_t i = 0; t->n > 0 && i < in->n_tallies; i++) {
        const sked_rule_tally *tally = &in->tallies[i];
        if (tally->tag != t->key) continue;
        if (tally->key != (uint64_t)in->values[t->first]) continue;
        count = tally->count;
        *least = tally->least;
    }
    if (t->op == SKED_RULE_OP_SPREAD && !is_spread_over(in, t)) return -1;
    return count;
}

/* The row of the host's answer in the input; n_answers: no row. */
static uint64_t row_of_answer(const sked_rule_input *in, uint64_t predicate)
{
    uint64_t i = 0;

    while (i < in->n_answers && in->answers[i].key != predicate) i++;
    return i;
}

static int32_t answer_in_input(const void *arg, uint64_t predicate)
{
    const sked_rule_input *in = arg;

    return (int32_t)in->answers[row_of_answer(in, predicate)].value;
}

static int work_meets(const sked_rule_input *in, const sked_rule_term *t,
                      const skedi_rule_view *view)
{
    int64_t least = 0, count = view->count(view->arg, in, t, &least);

    switch (t->op) {
    case SKED_RULE_OP_AT_MOST: return count <= t->value;
    case SKED_RULE_OP_AT_LEAST: return count >= t->value;
    default: return count >= 0 && count - t->value < least;
    }
}

static uint8_t term_answer(const sked_rule_input *in, const sked_rule_term *t,
                           const skedi_rule_view *view)
{
    int work = skedi_rule_is_of_work(t);

    if (!(in->flags & (work ? SKED_RULE_FLAG_WORK : SKED_RULE_FLAG_NODE))) {
        return SKED_RULE_ANSWER_PASS;
    }
    if (t->op == SKED_RULE_OP_HOST) {
        return (uint8_t)view->host(view->arg, t->key);
    }
    return (uint8_t)(work ? work_meets(in, t, view) : node_meets(in, t));
}

/* Joins answers that apply: OR takes the largest answer, AND the smallest. */
static uint8_t join_answers(const uint8_t *answers, uint32_t n, uint32_t op)
{
    uint8_t all = SKED_RULE_ANSWER_PASS;

    for (uint32_t i = 0; i < n; i++) {
        uint8_t one = answers[i];
        int first = all == SKED_RULE_ANSWER_PASS;
        int wins = op == SKED_RULE_OP_OR ? one > all : one < all;
        if (one != SKED_RULE_ANSWER_PASS && (first || wins)) all = one;
    }
    return all;
}

int32_t skedi_rule_answer(const sked_rule_input *in,
                          const skedi_rule_view *view)
{
    uint8_t answers[SKED_MAX_RULE_TERMS];
    uint32_t n = 0;

    for (uint64_t i = 0; i < in->n_terms; i++) {
        const sked_rule_term *t = &in->terms[i];
        if (t->op > SKED_RULE_OP_OR) {
            answers[n++] = term_answer(in, t, view);
            continue;
        }
        n -= (uint32_t)t->n;
        answers[n] = join_answers(answers + n, (uint32_t)t->n, t->op);
        n++;
    }
    return join_answers(answers, n, SKED_RULE_OP_AND);
}

/* Checks that the input has an answer for each predicate of the rule. */
static sked_status check_answers(const sked_rule_input *in, sked_error *err)
{
    for (uint64_t i = 0; i < in->n_answers; i++) {
        if (skedi_rule_is_answer(in->answers[i].value)) continue;
        return skedi_fail(err, SKED_ERR_ARG, "no such answer",
                          (skedi_fault){.got = in->answers[i].value,
                                        .limit = SKED_RULE_ANSWER_PASS,
                                        .row = (int64_t)i + 1});
    }
    if (!(in->flags & SKED_RULE_FLAG_NODE)) return SKED_OK;
    for (uint64_t i = 0; i < in->n_terms; i++) {
        const sked_rule_term *t = &in->terms[i];
        if (t->op != SKED_RULE_OP_HOST) continue;
        if (row_of_answer(in, t->key) < in->n_answers) continue;
        return skedi_fail(err, SKED_ERR_ARG,
                          "the host has no answer for the predicate",
                          (skedi_fault){.row = (int64_t)i + 1});
    }
    return SKED_OK;
}

sked_status sked_rule_judge(const sked_rule_input *input, int32_t *answer,
                            sked_error *err)
{
    sked_rule_input in;

    const char *missing = !input ? "input" : !answer ? "answer" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_struct_in(&in, sizeof in, input, RULE_INPUT_V1);
    if (rc != SKED_OK) {
        return skedi_fail_version(err, "input");
    }
    missing = in.n_terms && !in.terms       ? "input.terms"
              : in.n_values && !in.values   ? "input.values"
              : in.n_node && !in.node       ? "input.node"
              : in.n_work && !in.work       ? "input.work"
              : in.n_tallies && !in.tallies ? "input.tallies"
              : in.n_answers && !in.answers ? "input.answers"
                                            : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (in.flags & ~(uint32_t)(SKED_RULE_FLAG_NODE | SKED_RULE_FLAG_WORK)) {
        return skedi_fail_flags(err, "input");
    }
    rc = skedi_rule_check(&in, err);
    if (rc == SKED_OK) rc = check_answers(&in, err);
    if (rc != SKED_OK) return rc;
    const skedi_rule_view view = {count_in_input, answer_in_input, &in};
    *answer = skedi_rule_answer(&in, &view);
    return SKED_OK;
}
