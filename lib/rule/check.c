/* Checks that a list of terms is a well-formed rule: each term sets the fields
 * that it reads and no others, and joins no more answers than there are. */
#include "rule/judge.h"

#include "base/fail.h"

static sked_status bad_term(sked_error *err, sked_status rc, const char *what,
                            uint64_t row, int64_t got, int64_t limit)
{
    return skedi_fail(
        err, rc, what,
        (skedi_fault){.got = got, .limit = limit, .row = (int64_t)row + 1});
}

/* A term that joins answers; `*answers` is how many there are after it. */
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

/* The most values that a comparison may name, and the least. */
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
